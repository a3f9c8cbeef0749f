/* SPDX-License-Identifier: MIT */
/* long_call: the longest calls, in one look at them on all CPUs. */
#include <errno.h>
#include <stdlib.h>

#include "analyzer/scan/filter.h"
#include "analyzer/scan/loaded_table.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "common/longest.h"
#include "common/parallel.h"
#include "schema/db.h"
#include "schema/stat_math.h"

#define COLUMNS                                                                                    \
	(1u << TD_ROW_ID | 1u << TD_ROW_DUR | 1u << TD_ROW_KIND | 1u << TD_ROW_OBJECT |            \
	 1u << TD_ROW_NESTED)

#define OPS                                                                                        \
	"SELECT id, 1 FROM main.op WHERE verb GLOB coalesce(?2, '*')"                              \
	" AND (?1 OR (kind = 'io' AND verb <> 'socket'))"
#define WAITING_FILES "SELECT id, 1 FROM main.waited_file"
#define VERBS "SELECT id, verb FROM main.op"

enum column { KIND, CALL_ID, DUR, VERB, TOP, SINCE, UNTIL, PHASE, PID, PROCESS, FILES };
enum arg {
	ARG_KIND,
	ARG_VERB,
	ARG_TOP,
	ARG_SINCE,
	ARG_UNTIL,
	ARG_PHASE,
	ARG_PID,
	ARG_PROCESS,
	ARG_FILES
};
enum { KIND_IO, KIND_ALL };

struct rows {
	struct td_longest calls;
	int64_t top; /* so many are wanted; INT64_MAX: all */
	struct td_key_map verbs; /* of operations */
	struct td_labels labels;
};

struct search {
	size_t top;
	struct td_filter filter;
	struct td_row_source source;
	struct td_filter_condition ops;
	struct td_key_map waiting; /* files whose calls do not count */
	struct td_longest *parts; /* owned; as many as the source has */
};

struct reading {
	const struct search *s;
	struct td_longest *found;
};

static void search_done(struct search *s)
{
	for (size_t i = 0; s->parts && i < s->source.nparts; i++)
		free(s->parts[i].items);
	free(s->parts);
	td_row_source_done(&s->source);
	td_filter_done(&s->filter);
	td_key_map_done(&s->ops.ids);
	td_key_map_done(&s->waiting);
}

/* --- the longest --- */

static int add_calls(void *arg, struct td_row_batch *b)
{
	const struct reading *reading = arg;
	const struct search *s = reading->s;
	struct td_longest *found = reading->found;
	int r = 0;

	for (size_t i = 0; i < b->n && r == 0; i++) {
		const struct td_long c = { b->columns[TD_ROW_ID][i], b->columns[TD_ROW_DUR][i],
					   b->columns[TD_ROW_KIND][i] };

		/* TD_NULL is the smallest number; calls come in order of their ids */
		if (c.dur_ns <= td_longest_least(found, s->top) ||
		    b->columns[TD_ROW_NESTED][i] != 0 ||
		    td_key_map_get(&s->waiting, b->columns[TD_ROW_OBJECT][i]))
			continue;
		r = td_longest_add(found, s->top, c);
	}
	return r;
}

static int read_part(void *arg, size_t i)
{
	const struct search *s = arg;
	struct reading reading = { s, &s->parts[i] };

	return td_row_source_read(&s->source, i, add_calls, &reading);
}

/* Reads all parts; by SQL if the pages turn out not to be what they should. */
static int read_all(struct search *s)
{
	int r;

	s->parts = calloc(s->source.nparts, sizeof(*s->parts));
	r = s->parts ? td_parallel(s->source.nparts, read_part, s) : -ENOMEM;
	if (r != -EOPNOTSUPP)
		return r;
	for (size_t i = 0; i < s->source.nparts; i++) {
		free(s->parts[i].items);
		s->parts[i] = (struct td_longest){ 0 };
	}
	td_row_source_leave_pages(&s->source);
	return read_part(s, 0);
}

static int put_together(const struct search *s, struct td_longest *ret)
{
	for (size_t i = 0; i < s->source.nparts; i++)
		for (size_t k = 0; k < s->parts[i].n; k++) {
			if (td_grow(&ret->items, &ret->cap, ret->n) < 0)
				return -ENOMEM;
			ret->items[ret->n++] = s->parts[i].items[k];
		}
	if (ret->n)
		qsort(ret->items, ret->n, sizeof(*ret->items), td_longest_order);
	ret->n = TD_MIN(ret->n, s->top);
	return 0;
}

/* --- what counts --- */

static int load_ops(sqlite3 *db, bool all, const char *verb, struct td_key_map *ret,
		    struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, OPS, -1, &stmt, NULL);

	if (rc != SQLITE_OK)
		return td_db_error(db, rc, err, "cannot read the operations");
	(void)sqlite3_bind_int(stmt, 1, all);
	(void)sqlite3_bind_text(stmt, 2, verb, -1, SQLITE_STATIC);
	return td_key_map_fill(stmt, ret, NULL, err);
}

static int find_calls(sqlite3 *db, sqlite3_value *const *args, size_t kind, struct rows *to,
		      struct td_err *err)
{
	_cleanup_(search_done) struct search s = { .top = (size_t)to->top,
						   .ops = { .column = TD_ROW_KIND } };
	const struct td_stat_request asked = {
		.relation = td_relation_find("call_stat"),
		.since_ns = td_loaded_int(args[ARG_SINCE]),
		.until_ns = td_loaded_int(args[ARG_UNTIL]),
		.phase = td_loaded_text(args[ARG_PHASE]),
		.pid = td_loaded_int(args[ARG_PID]),
		.process = td_loaded_text(args[ARG_PROCESS]),
		.file = td_loaded_text(args[ARG_FILES]),
		.also = &s.ops,
		.nalso = 1,
	};
	int r = load_ops(db, kind == KIND_ALL, td_loaded_text(args[ARG_VERB]), &s.ops.ids, err);

	if (r < 0 || !s.ops.ids.n || !s.top)
		return r;
	if (kind == KIND_IO)
		r = td_key_map_load(db, WAITING_FILES, &s.waiting, NULL, err);
	if (r == 0)
		r = td_filter_load(db, &asked, &s.filter, err);
	if (r == 0)
		r = td_row_source_open(db, asked.relation, &s.filter, COLUMNS, &s.source, err);
	if (r == 0)
		r = read_all(&s);
	return r == 0 ? put_together(&s, &to->calls) : r;
}

/* --- the table --- */

static void free_rows(void *arg)
{
	struct rows *rows = arg;

	free(rows->calls.items);
	td_key_map_done(&rows->verbs);
	td_labels_done(&rows->labels);
	free(rows);
}

static int load_rows(sqlite3 *db, sqlite3_value *const *args, size_t by, void **ret, size_t *nrows,
		     struct td_err *err)
{
	struct rows *rows = calloc(1, sizeof(*rows));
	int r;

	*ret = rows;
	if (!rows)
		return -ENOMEM;
	rows->top = td_loaded_int(args[ARG_TOP]);
	if (rows->top < 0)
		rows->top = INT64_MAX;
	r = td_key_map_load(db, VERBS, &rows->verbs, &rows->labels, err);
	if (r == 0)
		r = find_calls(db, args, by, rows, err);
	*nrows = rows->calls.n;
	return r;
}

static void row_value(void *arg, size_t row, int column, sqlite3_context *ctx)
{
	const struct rows *rows = arg;
	const struct td_long *c = &rows->calls.items[row];
	const int64_t values[] = { [CALL_ID] = c->id, [DUR] = c->dur_ns, [TOP] = rows->top };
	uint32_t label = td_key_map_get(&rows->verbs, c->of);

	if (column != VERB)
		sqlite3_result_int64(ctx, values[column]);
	else if (label)
		sqlite3_result_text(ctx, rows->labels.items[label - 1], -1, SQLITE_TRANSIENT);
}

const struct td_loaded_kind td_long_call_kind = {
	.name = "long_call",
	.columns = "kind TEXT, call_id INTEGER, dur_ns INTEGER, verb TEXT, of_top INTEGER, "
		   "since_ns INTEGER, until_ns INTEGER, in_phase TEXT, of_pid INTEGER, "
		   "of_process TEXT, of_file TEXT",
	.args = { { KIND, SQLITE_INDEX_CONSTRAINT_IS, false },
		  { VERB, SQLITE_INDEX_CONSTRAINT_GLOB, false },
		  { TOP, SQLITE_INDEX_CONSTRAINT_GE, false },
		  TD_LOADED_WHEN(SINCE, UNTIL, PHASE),
		  TD_LOADED_WHOSE(PID, PROCESS),
		  TD_LOADED_ECHOED(FILES) },
	.groupings = { [KIND_IO] = "io", [KIND_ALL] = "all" },
	.load = load_rows,
	.value = row_value,
	.free = free_rows,
};
