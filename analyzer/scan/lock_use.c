/* SPDX-License-Identifier: MIT */
/* lock_use: calls that lock, by who made them with which arguments, in one look at the calls. Of
 * the whole run lock_stat has the rows. */
#include <errno.h>
#include <stdlib.h>

#include "analyzer/scan/filter.h"
#include "analyzer/scan/in_order.h"
#include "analyzer/scan/loaded_table.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "common/keys.h"
#include "schema/db.h"
#include "schema/stat_math.h"

#define OPS "SELECT id, 1 FROM main.op WHERE kind = 'lock' AND layer <> 'cuda'"
/* Columns as of enum column. */
#define HELD                                                                                       \
	"SELECT process_id, thread_id, op_id, args_id, calls, failed, timed, total_ns, max_ns, "   \
	"max_start_ns FROM main.lock_stat"

enum column {
	PROCESS_ID,
	THREAD_ID,
	OP_ID,
	ARGS_ID,
	CALLS,
	FAILED,
	TIMED,
	TOTAL_NS,
	MAX_NS,
	MAX_START_NS,
	NCOLUMNS,
	SINCE = NCOLUMNS,
	UNTIL,
	PHASE
};
enum arg { ARG_SINCE, ARG_UNTIL, ARG_PHASE };

struct group {
	int64_t values[NCOLUMNS];
};

struct rows {
	struct td_keys keys; /* of groups: process and thread, operation and arguments */
	struct group *groups; /* owned */
	size_t n, cap;
};

static uint64_t id_or_0(int64_t id)
{
	return id == TD_NULL ? 0 : (uint64_t)id;
}

static struct group *find_group(struct rows *to, const struct td_row_batch *b, size_t row)
{
	int64_t process = b->columns[TD_ROW_PROCESS][row], thread = b->columns[TD_ROW_THREAD][row],
		op = b->columns[TD_ROW_KIND][row], args = b->columns[TD_ROW_ARGS][row];
	size_t at;

	if (td_keys_reserve(&to->keys, 1) < 0 || td_grow(&to->groups, &to->cap, to->n) < 0)
		return NULL;
	at = td_keys_add(&to->keys, (struct td_key){ id_or_0(process) << 32 | id_or_0(thread),
						     (uint64_t)op << 32 | id_or_0(args) });
	if (at == to->n)
		to->groups[to->n++] = (struct group){
			.values = { [PROCESS_ID] = process,
				    [THREAD_ID] = thread,
				    [OP_ID] = op,
				    [ARGS_ID] = args,
				    [TOTAL_NS] = TD_NULL,
				    [MAX_NS] = TD_NULL,
				    [MAX_START_NS] = TD_NULL },
		};
	return &to->groups[at];
}

static int add_call(void *arg, const struct td_row_batch *b, size_t row)
{
	int64_t dur_ns = b->columns[TD_ROW_DUR][row], ret = b->columns[TD_ROW_RET][row];
	struct group *g;

	if (b->columns[TD_ROW_NESTED][row])
		return 0;
	g = find_group(arg, b, row);
	if (!g)
		return -ENOMEM;
	g->values[CALLS]++;
	g->values[FAILED] += ret != TD_NULL && ret < 0;
	if (dur_ns == TD_NULL)
		return 0;
	g->values[TIMED]++;
	g->values[TOTAL_NS] = td_plus_known(g->values[TOTAL_NS], dur_ns);
	if (dur_ns > g->values[MAX_NS]) { /* calls come in order of time */
		g->values[MAX_NS] = dur_ns;
		g->values[MAX_START_NS] = b->columns[TD_ROW_START][row];
	}
	return 0;
}

static int look(sqlite3 *db, sqlite3_value *const *args, struct rows *to, struct td_err *err)
{
	struct td_filter_condition ops = { .column = TD_ROW_KIND };
	const struct td_stat_request req = {
		.relation = td_relation_find("call_stat"),
		.since_ns = td_loaded_int(args[ARG_SINCE]),
		.until_ns = td_loaded_int(args[ARG_UNTIL]),
		.phase = td_loaded_text(args[ARG_PHASE]),
		.pid = TD_NULL,
		.also = &ops,
		.nalso = 1,
	};
	int r = td_key_map_load(db, OPS, &ops.ids, NULL, err);

	if (r == 0 && ops.ids.n)
		r = td_rows_in_order(db, &req,
				     1u << TD_ROW_START | 1u << TD_ROW_DUR | 1u << TD_ROW_PROCESS |
					     1u << TD_ROW_THREAD | 1u << TD_ROW_RET |
					     1u << TD_ROW_ARGS | 1u << TD_ROW_NESTED,
				     add_call, to, err);
	td_key_map_done(&ops.ids);
	return r;
}

static int add_held(void *arg, sqlite3_stmt *stmt)
{
	struct rows *to = arg;

	if (td_grow(&to->groups, &to->cap, to->n) < 0)
		return -ENOMEM;
	for (int c = 0; c < NCOLUMNS; c++)
		to->groups[to->n].values[c] = td_db_known(stmt, c);
	to->n++;
	return 0;
}

/* No rows: the file has none. */
static int load_held(sqlite3 *db, struct rows *to, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, HELD, -1, &stmt, NULL);

	return td_db_rows(db, rc, stmt, add_held, to, "cannot read lock_stat", err);
}

static void free_rows(void *arg)
{
	struct rows *rows = arg;

	td_keys_done(&rows->keys);
	free(rows->groups);
	free(rows);
}

static int load_rows(sqlite3 *db, sqlite3_value *const *args, size_t by, void **ret, size_t *nrows,
		     struct td_err *err)
{
	struct rows *to = calloc(1, sizeof(*to));
	int r = 0;

	(void)by;
	*ret = to;
	if (!to)
		return -ENOMEM;
	if (!args[ARG_SINCE] && !args[ARG_UNTIL] && !args[ARG_PHASE])
		r = load_held(db, to, err);
	if (r == 0 && !to->n)
		r = look(db, args, to, err);
	*nrows = r == 0 ? to->n : 0;
	return r;
}

static void row_value(void *arg, size_t row, int column, sqlite3_context *ctx)
{
	const struct rows *rows = arg;

	if (column < NCOLUMNS)
		td_loaded_known(ctx, rows->groups[row].values[column]);
}

const struct td_loaded_kind td_lock_use_kind = {
	.name = "lock_use",
	.columns = "process_id INTEGER, thread_id INTEGER, op_id INTEGER, args_id INTEGER, calls "
		   "INTEGER, failed INTEGER, timed INTEGER, total_ns INTEGER, max_ns INTEGER, "
		   "max_start_ns INTEGER, since_ns INTEGER, until_ns INTEGER, in_phase TEXT",
	.args = { TD_LOADED_WHEN(SINCE, UNTIL, PHASE) },
	.load = load_rows,
	.value = row_value,
	.free = free_rows,
};
