/* SPDX-License-Identifier: MIT */
/*
 * collective_stat: kernels of NCCL, which are matched in one look at all work. What belongs
 * together takes all kernels, whichever are asked for; without a question of when or whose, what
 * the file holds is the answer.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/scan/filter.h"
#include "analyzer/scan/in_order.h"
#include "common/keys.h"
#include "analyzer/scan/loaded_table.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "schema/collectives.h"
#include "schema/db.h"

#define NAMES "SELECT name_id, of_id FROM main.collective_name"
#define IS_NAME "SELECT name_id, 1 FROM main.collective_name"
#define KERNELS "SELECT id, 1 FROM main.string WHERE text = 'kernel'"
/* rank + 1 of sources that have one */
#define RANKS "SELECT id, rank + 1 FROM main.source WHERE rank >= 0"
#define WHO                                                                                        \
	"SELECT id, 1 FROM main.process WHERE (?1 IS NULL OR pid = ?1) AND (?2 IS NULL OR name = " \
	"?2 OR role = ?2)"
#define PHASES                                                                                     \
	"SELECT start_ns, end_ns FROM main.phase_interval WHERE label = ?1 COLLATE NOCASE ORDER "  \
	"BY start_ns"
#define CLOCKS                                                                                     \
	"SELECT s.id, s.clock_error_ns, s.host, c.ahead_ns, c.error_ns FROM main.source AS s "     \
	"LEFT JOIN main.machine_clock AS c ON c.source_id = s.id"
#define HELD                                                                                       \
	"SELECT of_id, device_id, coalesce(process_id, 0), rank, kernels, timed, total_ns, "       \
	"max_ns, matched, last, late_ns, behind_ns, waited_ns, cost_ns, worst_ns, "                \
	"worst_start_ns, clock_error_ns, alike, clocks_agree FROM main.collective_sum"

#define COLUMNS                                                                                    \
	(1u << TD_ROW_START | 1u << TD_ROW_DUR | 1u << TD_ROW_DEVICE | 1u << TD_ROW_OBJECT |       \
	 1u << TD_ROW_PROCESS | 1u << TD_ROW_SOURCE)

enum column {
	OF_ID,
	DEVICE_ID,
	PROCESS_ID,
	RANK,
	NKERNELS,
	TIMED,
	TOTAL_NS,
	MAX_NS,
	MATCHED,
	LAST,
	LATE_NS,
	BEHIND_NS,
	WAITED_NS,
	COST_NS,
	WORST_NS,
	WORST_START_NS,
	CLOCK_ERROR_NS,
	ALIKE,
	CLOCKS_AGREE,
	SINCE,
	UNTIL,
	PHASE,
	PID,
	PROCESS
};
enum arg { ARG_SINCE, ARG_UNTIL, ARG_PHASE, ARG_PID, ARG_PROCESS, NARGS };

/* Kernels that count: those of the processes that begin in one of the stretches. */
struct asked {
	struct td_key_map processes; /* owned */
	bool of_process, of_time;
	struct stretch {
		int64_t start_ns, end_ns;
	} * stretches; /* owned; in order, none overlaps another */
	size_t n, cap;
};

struct loading {
	struct td_collectives *to;
	struct td_key_map names, ranks; /* owned */
	struct td_keys groups; /* of what tells them apart */
};

static void asked_done(struct asked *a)
{
	td_key_map_done(&a->processes);
	free(a->stretches);
}

/* --- what is asked for --- */

static int add_stretch(struct asked *a, int64_t start_ns, int64_t end_ns)
{
	struct stretch *last = a->n ? &a->stretches[a->n - 1] : NULL;

	if (end_ns <= start_ns)
		return 0;
	if (last && start_ns <= last->end_ns) {
		last->end_ns = TD_MAX(last->end_ns, end_ns);
		return 0;
	}
	if (td_grow(&a->stretches, &a->cap, a->n) < 0)
		return -ENOMEM;
	a->stretches[a->n++] = (struct stretch){ start_ns, end_ns };
	return 0;
}

static int load_stretches(sqlite3 *db, sqlite3_value *const *args, struct asked *a,
			  struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int64_t since_ns = args[ARG_SINCE] ? td_loaded_int(args[ARG_SINCE]) : INT64_MIN;
	int64_t until_ns = args[ARG_UNTIL] ? td_loaded_int(args[ARG_UNTIL]) : INT64_MAX;
	int rc, r = 0;

	if (!args[ARG_PHASE])
		return add_stretch(a, since_ns, until_ns);
	rc = sqlite3_prepare_v2(db, PHASES, -1, &stmt, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_value(stmt, 1, args[ARG_PHASE]);
	while (rc == SQLITE_OK && r == 0 && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		r = add_stretch(a, TD_MAX(since_ns, sqlite3_column_int64(stmt, 0)),
				TD_MIN(until_ns, sqlite3_column_int64(stmt, 1)));
		rc = SQLITE_OK;
	}
	return r < 0 || rc == SQLITE_DONE ? r : td_db_error(db, rc, err, "cannot read phases");
}

static int load_processes(sqlite3 *db, sqlite3_value *const *args, struct asked *a,
			  struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, WHO, -1, &stmt, NULL);

	for (int i = 0; i < 2 && rc == SQLITE_OK; i++)
		if (args[ARG_PID + i])
			rc = sqlite3_bind_value(stmt, i + 1, args[ARG_PID + i]);
	return rc == SQLITE_OK ? td_key_map_fill(stmt, &a->processes, NULL, err)
			       : td_db_error(db, rc, err, "cannot read processes");
}

static int load_asked(sqlite3 *db, sqlite3_value *const *args, struct asked *a, struct td_err *err)
{
	int r = 0;

	a->of_time = args[ARG_SINCE] || args[ARG_UNTIL] || args[ARG_PHASE];
	a->of_process = args[ARG_PID] || args[ARG_PROCESS];
	if (a->of_time)
		r = load_stretches(db, args, a, err);
	if (r == 0 && a->of_process)
		r = load_processes(db, args, a, err);
	return r;
}

static bool is_in(const struct asked *a, int64_t ns)
{
	size_t lo = 0, hi = a->n;

	while (lo < hi) {
		size_t at = lo + (hi - lo) / 2;

		if (a->stretches[at].end_ns <= ns)
			lo = at + 1;
		else
			hi = at;
	}
	return lo < a->n && a->stretches[lo].start_ns <= ns;
}

static bool counts(const void *arg, const struct td_collective_group *g, int64_t start_ns)
{
	const struct asked *a = arg;

	return (!a->of_process || td_key_map_get(&a->processes, g->process_id)) &&
	       (!a->of_time || is_in(a, start_ns));
}

/* --- the kernels --- */

static int add_kernel(void *arg, const struct td_row_batch *b, size_t row)
{
	struct loading *l = arg;
	struct td_collectives *to = l->to;
	int64_t process_id = b->columns[TD_ROW_PROCESS][row],
		source_id = b->columns[TD_ROW_SOURCE][row];
	uint32_t of_id = td_key_map_get(&l->names, b->columns[TD_ROW_OBJECT][row]);
	uint32_t device_id = (uint32_t)b->columns[TD_ROW_DEVICE][row];
	uint32_t rank = process_id == TD_NULL ? td_key_map_get(&l->ranks, source_id) : 0;
	uint32_t process = process_id == TD_NULL ? 0 : (uint32_t)process_id, group;
	const struct td_key key = { (uint64_t)of_id << 32 | device_id,
				    (uint64_t)process << 32 | rank };

	if (td_keys_reserve(&l->groups, 1) < 0 || td_grow(&to->kernels, &to->cap, to->n) < 0)
		return -ENOMEM;
	group = td_keys_add(&l->groups, key);
	if (group == to->ngroups &&
	    td_collectives_add_group(to, of_id, device_id, process, rank ? rank - 1 : TD_NULL) < 0)
		return -ENOMEM;
	to->kernels[to->n++] = (struct td_collective_kernel){
		.start_ns = b->columns[TD_ROW_START][row],
		.dur_ns = b->columns[TD_ROW_DUR][row],
		.group = group,
		.source_id = (uint16_t)source_id,
	};
	return 0;
}

static int load_kernels(sqlite3 *db, struct td_collectives *to, struct td_err *err)
{
	struct loading l = { .to = to };
	struct td_filter_condition wanted[] = { { .column = TD_ROW_OBJECT },
						{ .column = TD_ROW_KIND } };
	const struct td_stat_request asked = { .relation = td_relation_find("gpu_stat"),
					       .since_ns = TD_NULL,
					       .until_ns = TD_NULL,
					       .pid = TD_NULL,
					       .also = wanted,
					       .nalso = TD_ARRAY_SIZE(wanted) };
	int r = td_key_map_load(db, NAMES, &l.names, NULL, err);

	if (r == 0)
		r = td_key_map_load(db, IS_NAME, &wanted[0].ids, NULL, err);
	if (r == 0)
		r = td_key_map_load(db, KERNELS, &wanted[1].ids, NULL, err);
	if (r == 0)
		r = td_key_map_load(db, RANKS, &l.ranks, NULL, err);
	/* where nothing has such a name, no work is looked at */
	if (r == 0 && l.names.n)
		r = td_rows_in_order(db, &asked, COLUMNS, add_kernel, &l, err);
	for (size_t i = 0; i < TD_ARRAY_SIZE(wanted); i++)
		td_key_map_done(&wanted[i].ids);
	td_key_map_done(&l.names);
	td_key_map_done(&l.ranks);
	td_keys_done(&l.groups);
	return r;
}

/* --- the clocks --- */

struct clocks {
	struct td_collective_clock *items; /* owned; by source id, and so are their hosts */
	size_t n;
};

static void clocks_done(struct clocks *c)
{
	for (size_t i = 0; i < c->n; i++)
		free((char *)c->items[i].host);
	free(c->items);
}

static int add_clock(void *arg, sqlite3_stmt *stmt)
{
	struct clocks *c = arg;
	int64_t id = sqlite3_column_int64(stmt, 0), ahead_ns = td_db_known(stmt, 3);
	const char *host = (const char *)sqlite3_column_text(stmt, 2);
	char *copy = NULL;

	if (id < 0 || (size_t)id >= c->n)
		return 0;
	if (host) {
		copy = strdup(host);
		if (!copy)
			return -ENOMEM;
	}
	c->items[id] = (struct td_collective_clock){
		.own_error_ns = td_db_known(stmt, 1),
		.host = copy,
		.is_moved = ahead_ns != TD_NULL,
		.ahead_ns = ahead_ns == TD_NULL ? 0 : ahead_ns,
		.error_ns = td_db_known(stmt, 4),
	};
	return 0;
}

static int load_clocks(sqlite3 *db, struct clocks *c, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, CLOCKS, -1, &stmt, NULL);

	c->n = UINT16_MAX + 1;
	c->items = calloc(c->n, sizeof(*c->items));
	if (!c->items)
		return -ENOMEM;
	return td_db_rows(db, rc, stmt, add_clock, c, "cannot read clocks", err);
}

/* --- rows --- */

static void free_rows(void *rows)
{
	td_collectives_done(rows);
	free(rows);
}

static int add_held(void *arg, sqlite3_stmt *stmt)
{
	struct td_collectives *to = arg;
	struct td_collective_group *g;

	if (td_collectives_add_group(to, (uint32_t)sqlite3_column_int64(stmt, OF_ID),
				     (uint32_t)sqlite3_column_int64(stmt, DEVICE_ID),
				     (uint32_t)sqlite3_column_int64(stmt, PROCESS_ID),
				     td_db_known(stmt, RANK)) < 0)
		return -ENOMEM;
	g = &to->groups[to->ngroups - 1];
	g->kernels = sqlite3_column_int64(stmt, NKERNELS);
	g->timed = sqlite3_column_int64(stmt, TIMED);
	g->total_ns = sqlite3_column_int64(stmt, TOTAL_NS);
	g->max_ns = td_db_known(stmt, MAX_NS);
	g->matched = sqlite3_column_int64(stmt, MATCHED);
	g->last = sqlite3_column_int64(stmt, LAST);
	g->late_ns = sqlite3_column_int64(stmt, LATE_NS);
	g->behind_ns = sqlite3_column_int64(stmt, BEHIND_NS);
	g->waited_ns = sqlite3_column_int64(stmt, WAITED_NS);
	g->cost_ns = sqlite3_column_int64(stmt, COST_NS);
	g->worst_ns = td_db_known(stmt, WORST_NS);
	g->worst_start_ns = td_db_known(stmt, WORST_START_NS);
	g->clock_error_ns = td_db_known(stmt, CLOCK_ERROR_NS);
	g->alike = sqlite3_column_int(stmt, ALIKE);
	to->clocks_agree = sqlite3_column_int(stmt, CLOCKS_AGREE);
	return 0;
}

static int load_held(sqlite3 *db, struct td_collectives *to, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, HELD, -1, &stmt, NULL);

	return td_db_rows(db, rc, stmt, add_held, to, "cannot read collective_sum", err);
}

static int match(sqlite3 *db, sqlite3_value *const *args, struct td_collectives *to,
		 struct td_err *err)
{
	_cleanup_(asked_done) struct asked asked = { 0 };
	_cleanup_(clocks_done) struct clocks clocks = { 0 };
	const struct td_collective_filter filter = { counts, &asked };
	int r = load_asked(db, args, &asked, err);

	if (r == 0)
		r = load_kernels(db, to, err);
	if (r == 0 && to->n)
		r = load_clocks(db, &clocks, err);
	if (r == 0 && to->n)
		r = td_collectives_sum(to, clocks.items, clocks.n, &filter);
	return r;
}

/* Groups that have any of the kernels. */
static void drop_empty(struct td_collectives *to)
{
	size_t n = 0;

	for (size_t i = 0; i < to->ngroups; i++)
		if (to->groups[i].kernels)
			to->groups[n++] = to->groups[i];
	to->ngroups = n;
}

static int load_rows(sqlite3 *db, sqlite3_value *const *args, size_t by, void **ret, size_t *nrows,
		     struct td_err *err)
{
	struct td_collectives *rows = calloc(1, sizeof(*rows));
	bool all = true;
	int r = 0;

	(void)by;
	*ret = rows;
	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < NARGS; i++)
		all = all && !args[i];
	if (all)
		r = load_held(db, rows, err);
	if (r == 0 && !rows->ngroups) {
		r = match(db, args, rows, err);
		drop_empty(rows);
	}
	*nrows = rows->ngroups;
	return r;
}

static void row_value(void *arg, size_t row, int column, sqlite3_context *ctx)
{
	const struct td_collectives *rows = arg;
	const struct td_collective_group *g = &rows->groups[row];
	const int64_t values[] = {
		[OF_ID] = g->of_id,
		[DEVICE_ID] = g->device_id,
		[PROCESS_ID] = g->process_id ? g->process_id : TD_NULL,
		[RANK] = g->rank,
		[NKERNELS] = g->kernels,
		[TIMED] = g->timed,
		[TOTAL_NS] = g->timed ? g->total_ns : TD_NULL,
		[MAX_NS] = g->max_ns,
		[MATCHED] = g->matched,
		[LAST] = g->last,
		[LATE_NS] = g->late_ns,
		[BEHIND_NS] = g->behind_ns,
		[WAITED_NS] = g->waited_ns,
		[COST_NS] = g->cost_ns,
		[WORST_NS] = g->worst_ns,
		[WORST_START_NS] = g->worst_start_ns,
		[CLOCK_ERROR_NS] = g->clock_error_ns,
		[ALIKE] = g->alike,
		[CLOCKS_AGREE] = rows->clocks_agree,
	};

	td_loaded_known(ctx, values[column]);
}

const struct td_loaded_kind td_collective_stat_kind = {
	.name = "collective_stat",
	.columns = "of_id INTEGER, device_id INTEGER, process_id INTEGER, rank INTEGER, kernels "
		   "INTEGER, timed INTEGER, total_ns INTEGER, max_ns INTEGER, matched INTEGER, "
		   "last INTEGER, late_ns INTEGER, behind_ns INTEGER, waited_ns INTEGER, cost_ns "
		   "INTEGER, worst_ns INTEGER, worst_start_ns INTEGER, clock_error_ns INTEGER, "
		   "alike INTEGER, clocks_agree INTEGER, since_ns INTEGER, until_ns INTEGER, "
		   "in_phase TEXT, of_pid INTEGER, of_process TEXT",
	.args = { TD_LOADED_WHEN(SINCE, UNTIL, PHASE), TD_LOADED_WHOSE(PID, PROCESS) },
	.load = load_rows,
	.value = row_value,
	.free = free_rows,
};
