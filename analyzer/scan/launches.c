/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "analyzer/scan/filter.h"
#include "analyzer/scan/gpu_work.h"
#include "analyzer/scan/in_order.h"
#include "analyzer/scan/launches.h"
#include "common/array.h"
#include "common/call_numbers.h"
#include "common/cleanup.h"
#include "common/median.h"
#include "schema/db.h"
#include "schema/stat_math.h"

/* Calls that launched work. Two of one number are damage: the first one counts. */
#define LAUNCH_OPS "SELECT id, 1 FROM main.op WHERE layer = 'cuda' AND verb = 'launch'"
#define CALL_COLUMNS                                                                               \
	(1u << TD_ROW_START | 1u << TD_ROW_DUR | 1u << TD_ROW_PROCESS | 1u << TD_ROW_CORRELATION)

#define PHASES                                                                                     \
	"SELECT label, start_ns, end_ns FROM main.phase_interval WHERE CASE WHEN ?1 IS NULL THEN " \
	"label IN (SELECT name FROM main.phases) AND label <> '" TD_LAUNCH_RUN "' "                \
	"ELSE label = ?1 COLLATE NOCASE END ORDER BY start_ns"

/* Of a phase, too, if it is a kind of them: the file has none that is one of its kind. */
#define HELD                                                                                       \
	"SELECT device_id, phase, since_ns, wall_ns, kernels, total_ns, launches, launch_ns, "     \
	"delay_p50_ns, gaps, gap_ns, starved, starved_ns FROM main.launch_sum WHERE ?1 IS NULL "   \
	"OR (phase = ?1 COLLATE NOCASE AND phase <> '" TD_LAUNCH_RUN "' AND NOT EXISTS (SELECT 1 " \
	"FROM main.phase_interval WHERE label = ?1 COLLATE NOCASE AND label NOT IN "               \
	"(SELECT phase FROM main.launch_sum)))"
/* What the file knows of all kernels: how long after its call one begins, and of each GPU that has
 * any from when to when it has work, and the longest of that. What took no time in the trace may be
 * the first. */
#define DELAYS                                                                                     \
	"SELECT min(delay_min_ns), max(delay_max_ns) FROM main.launch_sum WHERE phase = "          \
	"'" TD_LAUNCH_RUN "'"
#define WORK                                                                                       \
	"SELECT s.device_id, min(s.first_ns), l.wall_ns, max(s.max_ns) FROM main.gpu_op_stat AS "  \
	"s "                                                                                       \
	"JOIN main.launch_sum AS l ON l.device_id = s.device_id AND l.phase = "                    \
	"'" TD_LAUNCH_RUN "' WHERE s.by = 'device,process,kind,name' AND s.kind_id NOT IN "        \
	"(SELECT id FROM main.string WHERE text = 'sync') AND NOT EXISTS (SELECT 1 FROM "          \
	"main.gpu_op_stat WHERE by = 'device,process,kind,name' AND timed < ops) "                 \
	"GROUP BY s.device_id"

#define ENOUGH (-ECANCELED) /* no more work has to be looked at */

enum held {
	HELD_DEVICE,
	HELD_PHASE,
	HELD_SINCE,
	HELD_WALL,
	HELD_KERNELS,
	HELD_TOTAL,
	HELD_LAUNCHES,
	HELD_NS,
	HELD_DELAY,
	HELD_GAPS,
	HELD_GAP_NS,
	HELD_STARVED,
	HELD_STARVED_NS,
};

struct launch {
	int64_t start_ns, dur_ns;
	uint64_t counted; /* bit of each device (modulo 64) that has had it */
};

struct interval {
	int64_t start_ns, end_ns;
	uint32_t label;
};

/* From the first work of a GPU to its last. */
struct span {
	int64_t device_id, start_ns, end_ns;
};

/* Of a part of the run: all that decides what is said of its kernels. TD_NULL: all. */
struct window {
	int64_t calls_since_ns, calls_until_ns, work_since_ns, work_until_ns;
	bool no_calls; /* none launched a kernel */
};

/* Where the group of a phase and a GPU is, which kernel after kernel is of. */
#define FOUND 64 /* a power of two */
struct found {
	uint32_t label;
	uint32_t number; /* plus 1; 0: none */
	int64_t device_id;
};

struct loading {
	struct td_launches *to;
	int64_t max_gap_ns;
	struct td_call_numbers numbers; /* of launches, plus 1 */
	struct launch *launches; /* owned */
	size_t nlaunches, launches_cap;
	struct interval *intervals; /* owned; in order of begin */
	size_t nintervals, intervals_cap;
	size_t begun; /* so many intervals */
	size_t *active; /* owned; of these, those that had not ended at the last kernel */
	size_t nactive, active_cap;
	struct found found[FOUND];
	struct span *spans; /* owned; few: a linear search */
	size_t nspans, spans_cap;
	int64_t longest_ns; /* work, if the file knows the spans */
	struct window window;
	bool is_part; /* the file knows the spans, and not all has to be looked at */
};

static void loading_done(struct loading *l)
{
	td_call_numbers_done(&l->numbers);
	free(l->launches);
	free(l->intervals);
	free(l->active);
	free(l->spans);
}

/* --- the calls --- */

static int add_launch(struct loading *l, int64_t process_id, int64_t correlation,
		      struct launch launch)
{
	uint32_t *place = td_call_numbers_place(&l->numbers, process_id, correlation);

	if (!place || td_grow(&l->launches, &l->launches_cap, l->nlaunches) < 0)
		return -ENOMEM;
	if (*place || l->nlaunches == UINT32_MAX)
		return 0;
	l->launches[l->nlaunches++] = launch;
	*place = (uint32_t)l->nlaunches;
	return 0;
}

static int add_call(void *arg, const struct td_row_batch *b, size_t row)
{
	int64_t process_id = b->columns[TD_ROW_PROCESS][row],
		correlation = b->columns[TD_ROW_CORRELATION][row];

	if (process_id == TD_NULL || correlation == TD_NULL)
		return 0;
	return add_launch(arg, process_id, correlation,
			  (struct launch){ .start_ns = b->columns[TD_ROW_START][row],
					   .dur_ns = b->columns[TD_ROW_DUR][row] });
}

static int load_launches(sqlite3 *db, struct loading *l, struct td_err *err)
{
	struct td_filter_condition launch = { .column = TD_ROW_KIND };
	const struct td_stat_request req = { .relation = td_relation_find("call_stat"),
					     .since_ns = l->window.calls_since_ns,
					     .until_ns = l->window.calls_until_ns,
					     .pid = TD_NULL,
					     .also = &launch,
					     .nalso = 1 };
	int r = td_key_map_load(db, LAUNCH_OPS, &launch.ids, NULL, err);

	if (r == 0)
		r = td_rows_in_order(db, &req, CALL_COLUMNS, add_call, l, err);
	td_key_map_done(&launch.ids);
	return r;
}

/* --- the phases --- */

static int add_label(struct td_labels *l, const char *text, uint32_t *ret)
{
	for (*ret = 0; *ret < l->n; ++*ret)
		if (strcmp(l->items[*ret], text) == 0)
			return 0;
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): the array is of pointers */
	if (td_grow(&l->items, &l->cap, l->n) < 0)
		return -ENOMEM;
	l->items[l->n] = strdup(text);
	return l->items[l->n++] ? 0 : -ENOMEM;
}

static int add_interval(struct loading *l, const char *label, int64_t start_ns, int64_t end_ns)
{
	struct interval i = { .start_ns = start_ns, .end_ns = end_ns };

	if (td_grow(&l->intervals, &l->intervals_cap, l->nintervals) < 0 ||
	    add_label(&l->to->labels, label, &i.label) < 0)
		return -ENOMEM;
	l->intervals[l->nintervals++] = i;
	return 0;
}

static int load_phases(sqlite3 *db, const char *phase, struct loading *l, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, PHASES, -1, &stmt, NULL);
	int r = phase ? 0 : add_interval(l, TD_LAUNCH_RUN, INT64_MIN, INT64_MAX);

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text(stmt, 1, phase, -1, SQLITE_STATIC);
	while (rc == SQLITE_OK && r == 0 && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		r = add_interval(l, (const char *)sqlite3_column_text(stmt, 0),
				 sqlite3_column_int64(stmt, 1), sqlite3_column_int64(stmt, 2));
		rc = SQLITE_OK;
	}
	return r < 0 || rc == SQLITE_DONE ? r : td_db_error(db, rc, err, "cannot read the phases");
}

/* --- what has to be looked at --- */

static int add_known_span(void *arg, sqlite3_stmt *row)
{
	struct loading *l = arg;
	struct span s = { .device_id = sqlite3_column_int64(row, 0),
			  .start_ns = sqlite3_column_int64(row, 1) };

	if (td_grow(&l->spans, &l->spans_cap, l->nspans) < 0)
		return -ENOMEM;
	s.end_ns = td_plus(s.start_ns, sqlite3_column_int64(row, 2));
	l->spans[l->nspans++] = s;
	l->longest_ns = TD_MAX(l->longest_ns, sqlite3_column_int64(row, 3));
	return 0;
}

/* Kernels that begin from since_ns to until_ns. Their calls began as long before as any did. What
 * else these launched, which may be the first of a call, begins apart from them by no more than
 * such times differ; what ended so late that a gap counts began no earlier than the longest work
 * and that gap before. false: the numbers are too large. */
static bool find_window(const struct loading *l, int64_t since_ns, int64_t until_ns,
			int64_t delay_min_ns, int64_t delay_max_ns, struct window *ret)
{
	int64_t apart_ns, reach_ns;

	ret->work_until_ns = until_ns;
	if (__builtin_sub_overflow(delay_max_ns, delay_min_ns, &apart_ns) ||
	    __builtin_add_overflow(l->longest_ns, TD_MAX(l->max_gap_ns, INT64_C(0)), &reach_ns))
		return false;
	reach_ns = TD_MAX(reach_ns, apart_ns);
	return !__builtin_sub_overflow(since_ns, delay_max_ns, &ret->calls_since_ns) &&
	       !__builtin_sub_overflow(until_ns, delay_min_ns, &ret->calls_until_ns) &&
	       !__builtin_sub_overflow(since_ns, reach_ns, &ret->work_since_ns);
}

static int add_delays(void *arg, sqlite3_stmt *row)
{
	struct loading *l = arg;
	struct window w = { .no_calls = sqlite3_column_type(row, 0) == SQLITE_NULL };
	int64_t until_ns = INT64_MIN;

	for (size_t i = 0; i < l->nintervals; i++)
		until_ns = TD_MAX(until_ns, l->intervals[i].end_ns);
	l->is_part = find_window(l, l->intervals[0].start_ns, until_ns,
				 sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1), &w);
	if (l->is_part)
		l->window = w;
	return 0;
}

/* The intervals are there. Where the file does not know what it takes, all has to be looked at. */
static int narrow(sqlite3 *db, struct loading *l, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *work = NULL;
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *delays = NULL;
	int rc = sqlite3_prepare_v2(db, WORK, -1, &work, NULL);
	int r = td_db_rows(db, rc, work, add_known_span, l, "cannot read gpu_op_stat", err);

	if (r < 0 || !l->nspans)
		return r;
	rc = sqlite3_prepare_v2(db, DELAYS, -1, &delays, NULL);
	r = td_db_rows(db, rc, delays, add_delays, l, "cannot read launch_sum", err);
	if (!l->is_part)
		l->nspans = 0;
	return r;
}

/* --- the kernels --- */

static int make_group(struct td_launches *l, uint32_t label, int64_t device_id, uint32_t *ret)
{
	size_t before = l->keys.n;

	if (td_keys_reserve(&l->keys, 1) < 0 || td_grow(&l->groups, &l->cap, before) < 0)
		return -ENOMEM;
	*ret = td_keys_add(&l->keys, (struct td_key){ label, (uint64_t)device_id });
	if (*ret == before)
		l->groups[*ret] = (struct td_launch_group){ .since_ns = TD_NULL };
	return 0;
}

/* NULL: out of memory. */
static struct td_launch_group *find_group(struct loading *l, uint32_t label, int64_t device_id)
{
	struct found *f = &l->found[(label * 8 + (uint64_t)device_id) % FOUND];
	uint32_t number;

	if (!f->number || f->label != label || f->device_id != device_id) {
		if (make_group(l->to, label, device_id, &number) < 0)
			return NULL;
		*f = (struct found){ label, number + 1, device_id };
	}
	return &l->to->groups[f->number - 1];
}

/* by: the call that launched it; NULL: unknown. counts: nobody else has that call. */
static int add_kernel(struct loading *l, struct td_launch_group *g, const struct td_gpu_work *w,
		      const struct launch *by, bool counts)
{
	int64_t gap_ns = w->idle_from_ns == TD_NULL ? 0 : w->start_ns - w->idle_from_ns;
	bool has_gap = gap_ns > 0 && gap_ns <= l->max_gap_ns;

	g->kernels++;
	g->total_ns = td_plus(g->total_ns, w->dur_ns);
	if (has_gap) {
		g->gaps++;
		g->gap_ns += gap_ns;
	}
	if (!by)
		return 0;
	if (td_grow(&g->delays, &g->cap, (size_t)g->known) < 0)
		return -ENOMEM;
	g->delays[g->known++] = w->start_ns - by->start_ns;
	if (has_gap && by->start_ns >= w->idle_from_ns) {
		g->starved++;
		g->starved_ns += gap_ns;
	}
	if (counts && by->dur_ns != TD_NULL) {
		g->launches++;
		g->launch_ns = td_plus(g->launch_ns, by->dur_ns);
	}
	return 0;
}

/* To all intervals that it begins in; kernels come in the order of their begin. */
static int add_to_phases(struct loading *l, const struct td_gpu_work *w, struct launch *by)
{
	uint64_t device = UINT64_C(1) << (w->device_id & 63);
	bool counts = by && !(by->counted & device);
	size_t n = 0;
	int r = 0;

	while (r == 0 && l->begun < l->nintervals &&
	       l->intervals[l->begun].start_ns <= w->start_ns) {
		r = td_grow(&l->active, &l->active_cap, l->nactive);
		if (r == 0)
			l->active[l->nactive++] = l->begun++;
	}
	for (size_t i = 0; i < l->nactive && r == 0; i++) {
		const struct interval *on = &l->intervals[l->active[i]];
		struct td_launch_group *g;

		if (on->end_ns <= w->start_ns)
			continue;
		l->active[n++] = l->active[i];
		g = find_group(l, on->label, w->device_id);
		r = g ? add_kernel(l, g, w, by, counts) : -ENOMEM;
	}
	l->nactive = n;
	if (by)
		by->counted |= device;
	return r;
}

static int extend_span(struct loading *l, const struct td_gpu_work *w)
{
	int64_t end_ns = td_plus(w->start_ns, w->dur_ns);
	size_t i = 0;

	while (i < l->nspans && l->spans[i].device_id != w->device_id)
		i++;
	if (i < l->nspans) {
		l->spans[i].end_ns = TD_MAX(l->spans[i].end_ns, end_ns);
		return 0;
	}
	if (td_grow(&l->spans, &l->spans_cap, l->nspans) < 0)
		return -ENOMEM;
	l->spans[l->nspans++] = (struct span){ w->device_id, w->start_ns, end_ns };
	return 0;
}

static int add_work(void *arg, const struct td_gpu_work *w)
{
	struct loading *l = arg;
	struct launch *by = NULL;
	int r = 0;

	if (!l->is_part)
		r = extend_span(l, w);
	else if (w->start_ns >= l->window.work_until_ns)
		return ENOUGH;
	if (r < 0 || !w->is_kernel)
		return r;
	if (l->nlaunches && w->process_id != TD_NULL && w->correlation != TD_NULL) {
		const uint32_t *place =
			td_call_numbers_place(&l->numbers, w->process_id, w->correlation);

		if (!place)
			return -ENOMEM;
		by = *place ? &l->launches[*place - 1] : NULL;
	}
	return add_to_phases(l, w, by);
}

/* --- all --- */

/* NULL: the file says that the GPU has no work. */
static const struct span *span_of(const struct loading *l, int64_t device_id)
{
	for (size_t i = 0; i < l->nspans; i++)
		if (l->spans[i].device_id == device_id)
			return &l->spans[i];
	return NULL;
}

static void measure_walls(struct loading *l)
{
	for (size_t g = 0; g < l->to->keys.n; g++) {
		struct td_launch_group *group = &l->to->groups[g];
		const struct span *s = span_of(l, (int64_t)l->to->keys.items[g].hi);

		if (!s)
			continue;
		for (size_t i = 0; i < l->nintervals; i++) {
			const struct interval *on = &l->intervals[i];
			int64_t from = TD_MAX(on->start_ns, s->start_ns),
				to = TD_MIN(on->end_ns, s->end_ns);

			if (on->label != l->to->keys.items[g].lo)
				continue;
			if (group->since_ns == TD_NULL)
				group->since_ns = on->start_ns; /* INT64_MIN is TD_NULL: the run */
			group->wall_ns += TD_MAX(to - from, INT64_C(0));
		}
	}
}

static void find_medians(struct td_launches *to)
{
	for (size_t g = 0; g < to->keys.n; g++) {
		struct td_launch_group *group = &to->groups[g];

		if (group->known)
			group->twice_p50_ns = td_twice_median(group->delays, (size_t)group->known);
		free(TAKE_PTR(group->delays));
	}
}

static int look(sqlite3 *db, const char *phase, int64_t max_gap_ns, struct td_launches *to,
		struct td_err *err)
{
	_cleanup_(loading_done) struct loading l = {
		.to = to,
		.max_gap_ns = max_gap_ns,
		.window = { TD_NULL, TD_NULL, TD_NULL, TD_NULL, false },
	};
	int r = load_phases(db, phase, &l, err);

	if (r == 0 && phase && l.nintervals)
		r = narrow(db, &l, err);
	if (r == 0 && l.nintervals && !l.window.no_calls)
		r = load_launches(db, &l, err);
	if (r == 0 && l.nintervals)
		r = td_gpu_work_from(db, l.window.work_since_ns, add_work, &l, err);
	if (r < 0 && r != ENOUGH)
		return r;
	measure_walls(&l);
	find_medians(to);
	return 0;
}

static int add_held(void *arg, sqlite3_stmt *row)
{
	struct td_launches *to = arg;
	uint32_t label, number;

	if (add_label(&to->labels, (const char *)sqlite3_column_text(row, HELD_PHASE), &label) <
		    0 ||
	    make_group(to, label, sqlite3_column_int64(row, HELD_DEVICE), &number) < 0)
		return -ENOMEM;
	to->groups[number] = (struct td_launch_group){
		.kernels = sqlite3_column_int64(row, HELD_KERNELS),
		.total_ns = sqlite3_column_int64(row, HELD_TOTAL),
		.known = sqlite3_column_type(row, HELD_DELAY) != SQLITE_NULL,
		.launches = sqlite3_column_int64(row, HELD_LAUNCHES),
		.launch_ns = sqlite3_column_int64(row, HELD_NS),
		.gaps = sqlite3_column_int64(row, HELD_GAPS),
		.gap_ns = sqlite3_column_int64(row, HELD_GAP_NS),
		.starved = sqlite3_column_int64(row, HELD_STARVED),
		.starved_ns = sqlite3_column_int64(row, HELD_STARVED_NS),
		.twice_p50_ns = (int64_t)(2 * sqlite3_column_double(row, HELD_DELAY)),
		.since_ns = td_db_known(row, HELD_SINCE),
		.wall_ns = sqlite3_column_int64(row, HELD_WALL),
	};
	return 0;
}

static int load_held(sqlite3 *db, const char *phase, struct td_launches *to, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, HELD, -1, &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text(stmt, 1, phase, -1, SQLITE_STATIC);
	return td_db_rows(db, rc, stmt, add_held, to, "cannot read launch_sum", err);
}

int td_launches_load(sqlite3 *db, const char *phase, int64_t max_gap_ns, struct td_launches *ret,
		     struct td_err *err)
{
	_cleanup_(td_launches_done) struct td_launches to = { 0 };
	int r = 0;

	if (max_gap_ns == TD_LAUNCH_MAX_GAP_NS)
		r = load_held(db, phase, &to, err);
	if (r == 0 && !to.keys.n)
		r = look(db, phase, max_gap_ns, &to, err);
	if (r < 0)
		return r;
	*ret = to;
	to = (struct td_launches){ 0 };
	return 0;
}

void td_launches_done(struct td_launches *l)
{
	for (size_t g = 0; g < l->keys.n; g++)
		free(l->groups[g].delays);
	free(l->groups);
	td_keys_done(&l->keys);
	td_labels_done(&l->labels);
	*l = (struct td_launches){ 0 };
}
