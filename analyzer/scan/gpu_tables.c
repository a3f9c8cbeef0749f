/* SPDX-License-Identifier: MIT */
/* gpu_gap and launch_stat, which look at all work of GPUs once where the file does not hold the answer. */
#include <errno.h>

#include "analyzer/scan/gpu_work.h"
#include "analyzer/scan/launches.h"
#include "analyzer/scan/loaded_table.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "schema/db.h"

/* Gaps of that length and longer are in gpu_long_gap, if it has any. */
#define LONG_NS 1000000
#define LONG_GAPS "SELECT id, device_id, start_ns, dur_ns FROM main.gpu_long_gap ORDER BY id"

enum gap_column { GAP_ID, GAP_DEVICE, GAP_START, GAP_DUR };
enum launch_column {
	LAUNCH_DEVICE,
	LAUNCH_PHASE,
	LAUNCH_SINCE,
	LAUNCH_WALL,
	LAUNCH_KERNELS,
	LAUNCH_TOTAL,
	LAUNCH_LAUNCHES,
	LAUNCH_NS,
	LAUNCH_DELAY,
	LAUNCH_GAPS,
	LAUNCH_GAP_NS,
	LAUNCH_STARVED,
	LAUNCH_STARVED_NS,
	LAUNCH_IN_PHASE,
	LAUNCH_MAX_GAP,
};

struct gap {
	int64_t id, device_id, start_ns, dur_ns;
};

struct gaps {
	struct gap *items; /* owned */
	size_t n, cap;
	int64_t min_ns;
};

/* --- gpu_gap --- */

static void free_gaps(void *rows)
{
	struct gaps *g = rows;

	free(g->items);
	free(g);
}

static int keep_gap(struct gaps *g, struct gap gap)
{
	if (gap.dur_ns < g->min_ns)
		return 0;
	if (td_grow(&g->items, &g->cap, g->n) < 0)
		return -ENOMEM;
	g->items[g->n++] = gap;
	return 0;
}

static int add_gap(void *arg, const struct td_gpu_work *w)
{
	struct gaps *g = arg;
	struct gap gap = { w->id, w->device_id, w->idle_from_ns, 0 };

	if (w->idle_from_ns == TD_NULL || w->start_ns <= w->idle_from_ns)
		return 0;
	gap.dur_ns = w->start_ns - w->idle_from_ns;
	return keep_gap(g, gap);
}

/* *any: the file has some, and they are all that long. */
static int load_long_gaps(sqlite3 *db, struct gaps *g, bool *any, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, LONG_GAPS, -1, &stmt, NULL), r = 0;

	while (rc == SQLITE_OK && r == 0 && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		*any = true;
		r = keep_gap(g, (struct gap){ sqlite3_column_int64(stmt, 0),
					      sqlite3_column_int64(stmt, 1),
					      sqlite3_column_int64(stmt, 2),
					      sqlite3_column_int64(stmt, 3) });
		rc = SQLITE_OK;
	}
	return r < 0 || rc == SQLITE_DONE ? r
					  : td_db_error(db, rc, err, "cannot read gpu_long_gap");
}

static int load_gaps(sqlite3 *db, sqlite3_value *const *args, size_t by, void **ret, size_t *nrows,
		     struct td_err *err)
{
	/* SQLite looks at each gap again: of what is no whole number all are handed out */
	bool is_given = args[0] && sqlite3_value_type(args[0]) == SQLITE_INTEGER;
	struct gaps *g = calloc(1, sizeof(*g));
	bool any = false;
	int r = 0;

	(void)by;
	*ret = g;
	if (!g)
		return -ENOMEM;
	g->min_ns = is_given ? sqlite3_value_int64(args[0]) : 0;
	if (g->min_ns >= LONG_NS)
		r = load_long_gaps(db, g, &any, err);
	if (r == 0 && !any)
		r = td_gpu_work_each(db, add_gap, g, err);
	*nrows = g->n;
	return r;
}

static void gap_value(void *rows, size_t row, int column, sqlite3_context *ctx)
{
	const struct gap *g = &((const struct gaps *)rows)->items[row];
	const int64_t values[] = { [GAP_ID] = g->id,
				   [GAP_DEVICE] = g->device_id,
				   [GAP_START] = g->start_ns,
				   [GAP_DUR] = g->dur_ns };

	sqlite3_result_int64(ctx, values[column]);
}

const struct td_loaded_kind td_gpu_gap_kind = {
	.name = "gpu_gap",
	.columns = "id INTEGER, device_id INTEGER, start_ns INTEGER, dur_ns INTEGER",
	.args = { { GAP_DUR, SQLITE_INDEX_CONSTRAINT_GE, false } },
	.load = load_gaps,
	.value = gap_value,
	.free = free_gaps,
};

/* --- launch_stat --- */

static void free_launches(void *rows)
{
	td_launches_done(rows);
	free(rows);
}

static int load_launches(sqlite3 *db, sqlite3_value *const *args, size_t by, void **ret,
			 size_t *nrows, struct td_err *err)
{
	int64_t max_gap_ns = args[1] ? sqlite3_value_int64(args[1]) : TD_LAUNCH_MAX_GAP_NS;
	struct td_launches *l = calloc(1, sizeof(*l));
	int r;

	(void)by;
	*ret = l;
	if (!l)
		return -ENOMEM;
	r = td_launches_load(db, td_loaded_text(args[0]), max_gap_ns, l, err);
	*nrows = l->keys.n;
	return r;
}

static void launch_value(void *rows, size_t row, int column, sqlite3_context *ctx)
{
	const struct td_launches *l = rows;
	const struct td_launch_group *g = &l->groups[row];
	const struct td_key *key = &l->keys.items[row];
	const int64_t values[] = {
		[LAUNCH_DEVICE] = (int64_t)key->hi,
		[LAUNCH_SINCE] = g->since_ns,
		[LAUNCH_WALL] = g->wall_ns,
		[LAUNCH_KERNELS] = g->kernels,
		[LAUNCH_TOTAL] = g->total_ns,
		[LAUNCH_LAUNCHES] = g->known ? g->launches : TD_NULL,
		[LAUNCH_NS] = g->launches ? g->launch_ns : TD_NULL,
		[LAUNCH_GAPS] = g->gaps,
		[LAUNCH_GAP_NS] = g->gap_ns,
		[LAUNCH_STARVED] = g->known ? g->starved : TD_NULL,
		[LAUNCH_STARVED_NS] = g->known ? g->starved_ns : TD_NULL,
	};

	if (column == LAUNCH_PHASE) {
		sqlite3_result_text(ctx, l->labels.items[key->lo], -1, SQLITE_TRANSIENT);
	} else if (column == LAUNCH_DELAY) {
		if (g->known)
			sqlite3_result_double(ctx, (double)g->twice_p50_ns / 2);
	} else {
		td_loaded_known(ctx, values[column]);
	}
}

const struct td_loaded_kind td_launch_stat_kind = {
	.name = "launch_stat",
	.columns = "device_id INTEGER, phase TEXT, since_ns INTEGER, wall_ns INTEGER, "
		   "kernels INTEGER, total_ns INTEGER, launches INTEGER, launch_ns INTEGER, "
		   "delay_p50_ns REAL, gaps INTEGER, gap_ns INTEGER, starved INTEGER, "
		   "starved_ns INTEGER, in_phase TEXT, max_gap_ns INTEGER",
	.args = { { LAUNCH_IN_PHASE, SQLITE_INDEX_CONSTRAINT_IS, true },
		  { LAUNCH_MAX_GAP, SQLITE_INDEX_CONSTRAINT_IS, true } },
	.load = load_launches,
	.value = launch_value,
	.free = free_launches,
};
