/* SPDX-License-Identifier: MIT */
/*
 * nvtx_stat: how often and how long NVTX ranges of a name, style and domain were on, in one look at
 * the spans. A range whose end is not in the trace lasts to the last time of any. Of the whole run
 * range_stat has the rows.
 */
#include <errno.h>
#include <stdlib.h>

#include "analyzer/scan/filter.h"
#include "analyzer/scan/in_order.h"
#include "analyzer/scan/loaded_table.h"
#include "analyzer/scan/values.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "common/intern.h"
#include "common/keys.h"
#include "schema/db.h"
#include "schema/stat_math.h"

#define NVTX "SELECT id, 1 FROM main.string WHERE text = 'nvtx'"
#define LAST                                                                                       \
	"SELECT max(start_ns + coalesce(dur_ns, 0)) FROM main.span WHERE kind_id IN "              \
	"(SELECT id FROM main.string WHERE text = 'nvtx')"
/* Style and domain of t, args or NULL; nvtx_stat has the same. */
#define LABEL                                                                                      \
	"coalesce(json_extract(t.text, '$.style'), 'PushPop'), CASE json_type(t.text, "            \
	"'$.domain') WHEN 'text' THEN json_extract(t.text, '$.domain') ELSE '' END"
#define LABEL_OF "SELECT " LABEL " FROM (SELECT ?1 AS id) LEFT JOIN main.string AS t USING (id)"
/* Columns as of enum column. */
#define HELD                                                                                       \
	"SELECT r.name_id, " LABEL ", r.ranges, r.unfinished, r.total_ns, r.min_ns, r.max_ns, "    \
	"r.p50_ns, r.stddev_ns FROM main.range_stat AS r LEFT JOIN main.string AS t ON t.id = "    \
	"r.args_id"

enum column {
	NAME_ID,
	STYLE,
	DOMAIN,
	RANGES,
	UNFINISHED,
	TOTAL_NS,
	MIN_NS,
	MAX_NS,
	P50_NS,
	STDDEV_NS,
	SINCE,
	UNTIL,
	PHASE,
	PID,
	PROCESS
};
enum arg { ARG_SINCE, ARG_UNTIL, ARG_PHASE, ARG_PID, ARG_PROCESS };

static const struct td_relation spans_of = {
	.name = "span",
	.table = "span",
	.rows = "spans",
	.columns = { [TD_ROW_START] = { 1, "start_ns" },
		     [TD_ROW_DUR] = { 2, "dur_ns" },
		     [TD_ROW_KIND] = { 3, "kind_id" },
		     [TD_ROW_OBJECT] = { 4, "name_id" },
		     [TD_ROW_PROCESS] = { 9, "process_id" },
		     [TD_ROW_ARGS] = { 11, "args_id" },
		     [TD_ROW_ID] = { 0, "id" } },
	.who = TD_ROW_PROCESS,
	.whose = "SELECT id, 1 FROM main.process WHERE (?1 IS NULL OR pid = ?1)"
		 " AND (?2 IS NULL OR name = ?2 OR role = ?2)",
	.params = 1u << TD_PARAM_PID | 1u << TD_PARAM_PROCESS,
};

struct group {
	uint32_t name_id, style, domain; /* the texts' numbers */
	int64_t ranges, unfinished, total_ns, min_ns, max_ns;
	unsigned __int128 squares; /* of durations */
	double p50_ns, stddev_ns;
};

struct rows {
	struct td_intern texts;
	struct group *groups; /* owned */
	size_t n, cap;
};

/* A range whose end is not in the trace. */
struct unfinished {
	int64_t start_ns;
	uint32_t group;
};

struct loading {
	struct rows *to;
	sqlite3_stmt *label_of;
	struct td_keys args; /* of spans; runs parallel to labels */
	uint32_t *labels; /* owned; number of the first args of the same style and domain */
	size_t nlabels, labels_cap;
	struct td_keys label_keys; /* style and domain */
	struct td_keys keys; /* label and name; runs parallel to groups */
	struct td_values durations; /* of groups */
	struct unfinished *open; /* owned */
	size_t nopen, open_cap;
};

static void loading_done(struct loading *l)
{
	sqlite3_finalize(l->label_of);
	td_keys_done(&l->args);
	td_keys_done(&l->label_keys);
	td_keys_done(&l->keys);
	td_values_done(&l->durations);
	free(l->labels);
	free(l->open);
}

/* --- style and domain --- */

/* 0: out of memory. */
static uint32_t text_of(struct rows *to, sqlite3_stmt *stmt, int column)
{
	const char *text = (const char *)sqlite3_column_text(stmt, column);

	return text ? td_intern_add(&to->texts, text, (size_t)sqlite3_column_bytes(stmt, column))
		    : 0;
}

/* The number of the style and domain of args that were not seen before. 0 or -errno. */
static int add_label(struct loading *l, int64_t args_id)
{
	struct td_key key;
	int rc;

	if (args_id == TD_NULL)
		(void)sqlite3_bind_null(l->label_of, 1);
	else
		(void)sqlite3_bind_int64(l->label_of, 1, args_id);
	rc = sqlite3_step(l->label_of);
	key = (struct td_key){ text_of(l->to, l->label_of, 0), text_of(l->to, l->label_of, 1) };
	(void)sqlite3_reset(l->label_of);
	if (rc != SQLITE_ROW)
		return -EIO;
	if (!key.lo || !key.hi || td_keys_reserve(&l->label_keys, 1) < 0 ||
	    td_grow(&l->labels, &l->labels_cap, l->nlabels) < 0)
		return -ENOMEM;
	l->labels[l->nlabels++] = td_keys_add(&l->label_keys, key);
	return 0;
}

static int find_label(struct loading *l, int64_t args_id, uint32_t *ret)
{
	uint32_t at;
	int r = td_keys_reserve(&l->args, 1);

	if (r < 0)
		return r;
	at = td_keys_add(&l->args, (struct td_key){ (uint64_t)args_id, 0 });
	r = at == l->nlabels ? add_label(l, args_id) : 0;
	if (r == 0)
		*ret = l->labels[at];
	return r;
}

/* --- ranges --- */

static int find_group(struct loading *l, int64_t name_id, int64_t args_id, uint32_t *ret)
{
	struct rows *to = l->to;
	uint32_t label;
	int r = find_label(l, args_id, &label);

	if (r == 0 &&
	    (td_keys_reserve(&l->keys, 1) < 0 || td_grow(&to->groups, &to->cap, to->n) < 0))
		r = -ENOMEM;
	if (r < 0)
		return r;
	*ret = td_keys_add(&l->keys, (struct td_key){ (uint64_t)name_id, label });
	if (*ret < to->n)
		return 0;
	to->groups[to->n++] = (struct group){
		.name_id = (uint32_t)name_id,
		.style = (uint32_t)l->label_keys.items[label].lo,
		.domain = (uint32_t)l->label_keys.items[label].hi,
	};
	return td_values_resize(&l->durations, to->n);
}

static int count_range(struct loading *l, uint32_t at, int64_t dur_ns)
{
	struct group *g = &l->to->groups[at];

	g->min_ns = g->ranges ? TD_MIN(g->min_ns, dur_ns) : dur_ns;
	g->max_ns = TD_MAX(g->max_ns, dur_ns);
	g->ranges++;
	g->total_ns = td_plus(g->total_ns, dur_ns);
	g->squares += (unsigned __int128)dur_ns * (uint64_t)dur_ns;
	return td_values_add(&l->durations, at, dur_ns);
}

static int add_span(void *arg, const struct td_row_batch *b, size_t row)
{
	struct loading *l = arg;
	int64_t dur_ns = b->columns[TD_ROW_DUR][row];
	uint32_t at;
	int r = find_group(l, b->columns[TD_ROW_OBJECT][row], b->columns[TD_ROW_ARGS][row], &at);

	if (r < 0 || dur_ns != TD_NULL)
		return r < 0 ? r : count_range(l, at, TD_MAX(dur_ns, INT64_C(0)));
	if (td_grow(&l->open, &l->open_cap, l->nopen) < 0)
		return -ENOMEM;
	l->open[l->nopen++] = (struct unfinished){ b->columns[TD_ROW_START][row], at };
	return 0;
}

/* Those whose end is not in the trace. */
static int end_open(sqlite3 *db, struct loading *l, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc, r = 0;

	if (!l->nopen)
		return 0;
	rc = sqlite3_prepare_v2(db, LAST, -1, &stmt, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc != SQLITE_ROW)
		return td_db_error(db, rc, err, "cannot read the ranges");
	for (size_t i = 0; i < l->nopen && r == 0; i++) {
		const struct unfinished *open = &l->open[i];

		l->to->groups[open->group].unfinished++;
		r = count_range(l, open->group, sqlite3_column_int64(stmt, 0) - open->start_ns);
	}
	return r;
}

static int find_spread(struct loading *l)
{
	_cleanup_(td_all_values_done) struct td_all_values all = { 0 };
	struct rows *to = l->to;
	_cleanup_free_ uint32_t *same = malloc((to->n + 1) * sizeof(*same));
	const struct td_values_part part = { &l->durations, same };
	int r = same ? 0 : -ENOMEM;

	for (uint32_t g = 0; g < to->n && r == 0; g++)
		same[g] = g;
	if (r == 0)
		r = td_all_values_open(&part, 1, to->n, &all);
	for (size_t i = 0; i < to->n && r == 0; i++) {
		struct group *g = &to->groups[i];
		uint64_t n = (uint64_t)g->ranges;
		int64_t middle[2];

		r = td_all_values_ranks(&all, i, (const uint64_t[]){ (n + 1) / 2, n / 2 + 1 }, 2,
					middle);
		g->p50_ns = ((double)middle[0] + (double)middle[1]) / 2;
		g->stddev_ns = td_deviation(n, g->total_ns, g->squares);
	}
	return r;
}

static int look(sqlite3 *db, sqlite3_value *const *args, struct loading *l, struct td_err *err)
{
	struct td_filter_condition nvtx = { .column = TD_ROW_KIND };
	const struct td_stat_request req = {
		.relation = &spans_of,
		.since_ns = td_loaded_int(args[ARG_SINCE]),
		.until_ns = td_loaded_int(args[ARG_UNTIL]),
		.phase = td_loaded_text(args[ARG_PHASE]),
		.pid = td_loaded_int(args[ARG_PID]),
		.process = td_loaded_text(args[ARG_PROCESS]),
		.also = &nvtx,
		.nalso = 1,
	};
	int rc = sqlite3_prepare_v2(db, LABEL_OF, -1, &l->label_of, NULL), r;

	if (rc != SQLITE_OK)
		return td_db_error(db, rc, err, "cannot read what ranges say");
	r = td_key_map_load(db, NVTX, &nvtx.ids, NULL, err);
	if (r == 0)
		r = td_rows_in_order(db, &req,
				     1u << TD_ROW_START | 1u << TD_ROW_DUR | 1u << TD_ROW_OBJECT |
					     1u << TD_ROW_ARGS,
				     add_span, l, err);
	td_key_map_done(&nvtx.ids);
	if (r == 0)
		r = end_open(db, l, err);
	return r == 0 ? find_spread(l) : r;
}

/* --- what the file holds --- */

static int add_held(void *arg, sqlite3_stmt *stmt)
{
	struct rows *to = arg;
	struct group g = {
		.name_id = (uint32_t)sqlite3_column_int64(stmt, NAME_ID),
		.style = text_of(to, stmt, STYLE),
		.domain = text_of(to, stmt, DOMAIN),
		.ranges = sqlite3_column_int64(stmt, RANGES),
		.unfinished = sqlite3_column_int64(stmt, UNFINISHED),
		.total_ns = sqlite3_column_int64(stmt, TOTAL_NS),
		.min_ns = sqlite3_column_int64(stmt, MIN_NS),
		.max_ns = sqlite3_column_int64(stmt, MAX_NS),
		.p50_ns = sqlite3_column_double(stmt, P50_NS),
		.stddev_ns = sqlite3_column_double(stmt, STDDEV_NS),
	};

	if (!g.style || !g.domain || td_grow(&to->groups, &to->cap, to->n) < 0)
		return -ENOMEM;
	to->groups[to->n++] = g;
	return 0;
}

/* No rows: the file has none. */
static int load_held(sqlite3 *db, struct rows *to, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, HELD, -1, &stmt, NULL);

	return td_db_rows(db, rc, stmt, add_held, to, "cannot read range_stat", err);
}

/* --- the table --- */

static bool is_whole(sqlite3_value *const *args)
{
	bool is_part = false;

	for (int a = ARG_SINCE; a <= ARG_PROCESS; a++)
		is_part |= args[a] != NULL;
	return !is_part;
}

static void free_rows(void *arg)
{
	struct rows *rows = arg;

	td_intern_done(&rows->texts);
	free(rows->groups);
	free(rows);
}

static int load_rows(sqlite3 *db, sqlite3_value *const *args, size_t by, void **ret, size_t *nrows,
		     struct td_err *err)
{
	struct rows *to = calloc(1, sizeof(*to));
	_cleanup_(loading_done) struct loading l = { .to = to };
	int r;

	(void)by;
	*ret = to;
	if (!to)
		return -ENOMEM;
	r = is_whole(args) ? load_held(db, to, err) : 0;
	if (r == 0 && !to->n)
		r = look(db, args, &l, err);
	*nrows = r == 0 ? to->n : 0;
	return r;
}

static void row_value(void *arg, size_t row, int column, sqlite3_context *ctx)
{
	const struct rows *rows = arg;
	const struct group *g = &rows->groups[row];
	const int64_t values[] = {
		[NAME_ID] = g->name_id,   [RANGES] = g->ranges, [UNFINISHED] = g->unfinished,
		[TOTAL_NS] = g->total_ns, [MIN_NS] = g->min_ns, [MAX_NS] = g->max_ns,
	};
	struct td_str text;

	switch (column) {
	case STYLE:
	case DOMAIN:
		text = td_intern_get(&rows->texts, column == STYLE ? g->style : g->domain);
		sqlite3_result_text64(ctx, text.p, text.len, SQLITE_TRANSIENT, SQLITE_UTF8);
		break;
	case P50_NS:
		sqlite3_result_double(ctx, g->p50_ns);
		break;
	case STDDEV_NS:
		sqlite3_result_double(ctx, g->stddev_ns);
		break;
	default:
		td_loaded_known(ctx, values[column]);
	}
}

const struct td_loaded_kind td_nvtx_stat_kind = {
	.name = "nvtx_stat",
	.columns = "name_id INTEGER, style TEXT, domain TEXT, ranges INTEGER, unfinished INTEGER, "
		   "total_ns INTEGER, min_ns INTEGER, max_ns INTEGER, p50_ns REAL, stddev_ns REAL, "
		   "since_ns INTEGER, until_ns INTEGER, in_phase TEXT, of_pid INTEGER, of_process "
		   "TEXT",
	.args = { TD_LOADED_WHEN(SINCE, UNTIL, PHASE), TD_LOADED_WHOSE(PID, PROCESS) },
	.load = load_rows,
	.value = row_value,
	.free = free_rows,
};
