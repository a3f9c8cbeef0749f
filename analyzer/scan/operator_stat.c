/* SPDX-License-Identifier: MIT */
/*
 * operator_stat: what operators and annotations of profiles took, by themselves and with what is
 * within them, and the work of GPUs that was launched in them, in one look at the spans, the calls
 * of CUDA and the work. The spans of a thread stand within each other: what is open when one begins
 * is what it is within. Spans and calls are followed in order of time, so that of a call only what
 * it is within has to be kept until its work comes. Of the whole run operator_sum has the rows.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/scan/filter.h"
#include "analyzer/scan/in_order.h"
#include "analyzer/scan/loaded_table.h"
#include "common/array.h"
#include "common/call_numbers.h"
#include "common/cleanup.h"
#include "common/keys.h"
#include "schema/db.h"
#include "schema/stat_math.h"

#define KINDS "SELECT id, 1 FROM main.string WHERE text IN ('cpu-op', 'annotation', 'nvtx')"
#define NVTX "SELECT id, 1 FROM main.string WHERE text = 'nvtx'"
/* PyTorch's words behind the name; other ranges are the program's own */
#define NVTX_NAMES                                                                                 \
	"SELECT id, 1 FROM main.string WHERE text GLOB '*, op_id = *' OR text GLOB '*, seq = *'"
#define CUDA_OPS "SELECT id, 1 FROM main.op WHERE layer = 'cuda'"
/* Columns as of enum column. */
#define HELD                                                                                       \
	"SELECT kind_id, name_id, calls, total_ns, self_ns, min_ns, max_ns, gpu_ops, gpu_ns FROM " \
	"main.operator_sum"
/* How long after a call what it launched begins, at least and at most. */
#define DELAYS "SELECT min(delay_min_ns), max(delay_max_ns) FROM main.operator_sum"
#define WORK "SELECT id, 1 FROM main.string WHERE text <> 'sync'"

enum column {
	KIND_ID,
	NAME_ID,
	CALLS,
	TOTAL_NS,
	SELF_NS,
	MIN_NS,
	MAX_NS,
	GPU_OPS,
	GPU_NS,
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
		     [TD_ROW_THREAD] = { 10, "thread_id" },
		     [TD_ROW_ID] = { 0, "id" } },
	.who = TD_ROW_PROCESS,
	.whose = "SELECT id, 1 FROM main.process WHERE (?1 IS NULL OR pid = ?1)"
		 " AND (?2 IS NULL OR name = ?2 OR role = ?2)",
	.params = 1u << TD_PARAM_PID | 1u << TD_PARAM_PROCESS,
};

struct group {
	int64_t calls, total_ns, self_ns, min_ns, max_ns, gpu_ops, gpu_ns;
};

struct span {
	int64_t start_ns, dur_ns, id;
	uint32_t lane; /* number of the thread, or of the process where that is not known */
	uint32_t group;
};

struct open_span {
	int64_t end_ns;
	uint32_t group;
	bool counts; /* begins when it was asked for */
};

struct lane {
	struct open_span *items; /* owned */
	size_t n, cap;
};

/* What is kept of a call: that it is known, or, from IN_GROUP on, which group it is within. */
enum { UNKNOWN, KNOWN, IN_GROUP };

struct rows {
	struct td_keys keys; /* kind and name */
	struct group *groups; /* owned; as many as keys */
	size_t ngroups;
	bool any_launch;
};

struct loading {
	struct rows *to;
	struct td_key_map nvtx, nvtx_names;
	struct span *spans; /* owned */
	size_t nspans, spans_cap;
	size_t opened; /* so many of them have begun */
	struct td_keys lanes;
	struct lane *stacks; /* owned */
	size_t nstacks; /* lanes that have spans */
	struct td_call_numbers calls;
	struct td_during when; /* phases */
	bool is_phase;
	int64_t since_ns, until_ns;
	size_t hint;
	int64_t counted_ns; /* begin of the first span that counts */
	int64_t counted_end_ns; /* the last end of one */
	bool only_any; /* what is read decides about any_launch, and no more */
	bool knows_delays; /* the file does */
	int64_t delay_min_ns, delay_max_ns;
};

static void loading_done(struct loading *l)
{
	for (size_t i = 0; i < l->nstacks; i++)
		free(l->stacks[i].items);
	free(l->stacks);
	free(l->spans);
	td_call_numbers_done(&l->calls);
	td_keys_done(&l->lanes);
	td_key_map_done(&l->nvtx);
	td_key_map_done(&l->nvtx_names);
	td_during_done(&l->when);
}

/* --- spans --- */

static struct td_key lane_of(int64_t thread_id, int64_t process_id)
{
	bool is_thread = thread_id != TD_NULL;

	return (struct td_key){ (uint64_t)(is_thread ? thread_id : process_id), !is_thread };
}

static int add_span(void *arg, const struct td_row_batch *b, size_t row)
{
	struct loading *l = arg;
	struct rows *to = l->to;
	int64_t kind = b->columns[TD_ROW_KIND][row], name = b->columns[TD_ROW_OBJECT][row];
	struct span s = { .start_ns = b->columns[TD_ROW_START][row],
			  .dur_ns = b->columns[TD_ROW_DUR][row],
			  .id = b->columns[TD_ROW_ID][row] };

	if (s.dur_ns == TD_NULL ||
	    (td_key_map_get(&l->nvtx, kind) && !td_key_map_get(&l->nvtx_names, name)))
		return 0;
	if (td_keys_reserve(&to->keys, 1) < 0 || td_keys_reserve(&l->lanes, 1) < 0 ||
	    td_grow(&l->spans, &l->spans_cap, l->nspans) < 0)
		return -ENOMEM;
	s.group = td_keys_add(&to->keys, (struct td_key){ (uint64_t)name, (uint64_t)kind });
	s.lane = td_keys_add(&l->lanes, lane_of(b->columns[TD_ROW_THREAD][row],
						b->columns[TD_ROW_PROCESS][row]));
	l->spans[l->nspans++] = s;
	return 0;
}

/* What contains others first. */
static int compare(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->dur_ns != y->dur_ns)
		return x->dur_ns > y->dur_ns ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* All are there. Mostly they are in order. */
static int begin_spans(struct loading *l)
{
	size_t i = 1;

	while (i < l->nspans && compare(&l->spans[i - 1], &l->spans[i]) <= 0)
		i++;
	if (i < l->nspans)
		qsort(l->spans, l->nspans, sizeof(*l->spans), compare);
	l->to->ngroups = l->to->keys.n;
	l->to->groups = calloc(l->to->ngroups + 1, sizeof(*l->to->groups));
	l->stacks = calloc(l->lanes.n + 1, sizeof(*l->stacks));
	if (!l->to->groups || !l->stacks)
		return -ENOMEM;
	l->nstacks = l->lanes.n;
	return 0;
}

/* --- what is within what --- */

static int64_t span_end(const struct span *s)
{
	return td_plus(s->start_ns, TD_MAX(s->dur_ns, INT64_C(0)));
}

static bool is_asked(struct loading *l, int64_t at_ns)
{
	int64_t ns;

	return (l->since_ns == TD_NULL || at_ns >= l->since_ns) &&
	       (l->until_ns == TD_NULL || at_ns < l->until_ns) &&
	       (!l->is_phase || td_during_of(&l->when, at_ns, 0, &l->hint, &ns));
}

static void count_call(struct group *g, int64_t dur_ns)
{
	g->min_ns = g->calls ? TD_MIN(g->min_ns, dur_ns) : dur_ns;
	g->max_ns = TD_MAX(g->max_ns, dur_ns);
	g->calls++;
	g->total_ns = td_plus(g->total_ns, dur_ns);
	g->self_ns = td_plus(g->self_ns, dur_ns);
}

/* Calls before and after these spans are in none that counts. */
static void find_counted(struct loading *l)
{
	l->counted_ns = INT64_MAX;
	l->counted_end_ns = INT64_MIN;
	for (size_t i = 0; i < l->nspans; i++) {
		const struct span *s = &l->spans[i];

		if (!is_asked(l, s->start_ns))
			continue;
		l->counted_ns = TD_MIN(l->counted_ns, s->start_ns);
		l->counted_end_ns = TD_MAX(l->counted_end_ns, span_end(s));
	}
	l->hint = 0;
}

/* What is innermost then; NULL: nothing. */
static const struct open_span *find_open(struct lane *lane, int64_t at_ns)
{
	while (lane->n && lane->items[lane->n - 1].end_ns <= at_ns)
		lane->n--;
	return lane->n ? &lane->items[lane->n - 1] : NULL;
}

static int open_span(struct loading *l, const struct span *s)
{
	struct lane *lane = &l->stacks[s->lane];
	struct group *groups = l->to->groups;
	int64_t end_ns = span_end(s);
	const struct open_span *in = find_open(lane, s->start_ns);
	bool counts = is_asked(l, s->start_ns);

	if (in && in->counts)
		groups[in->group].self_ns -= TD_MIN(end_ns, in->end_ns) - s->start_ns;
	if (counts)
		count_call(&groups[s->group], s->dur_ns);
	if (td_grow(&lane->items, &lane->cap, lane->n) < 0)
		return -ENOMEM;
	lane->items[lane->n++] = (struct open_span){ end_ns, s->group, counts };
	return 0;
}

/* Those that begin until then. */
static int open_until(struct loading *l, int64_t at_ns)
{
	int r = 0;

	while (l->opened < l->nspans && l->spans[l->opened].start_ns <= at_ns && r == 0)
		r = open_span(l, &l->spans[l->opened++]);
	return r;
}

/* --- calls and their work --- */

/* Two calls of one number are damage: the first one counts. They come in order of time. */
static int add_call(void *arg, const struct td_row_batch *b, size_t row)
{
	struct loading *l = arg;
	int64_t process = b->columns[TD_ROW_PROCESS][row],
		correlation = b->columns[TD_ROW_CORRELATION][row],
		start_ns = b->columns[TD_ROW_START][row], thread = b->columns[TD_ROW_THREAD][row];
	const struct open_span *in = NULL;
	uint32_t *place, lane;

	if (process == TD_NULL || correlation == TD_NULL)
		return 0;
	place = td_call_numbers_place(&l->calls, process, correlation);
	if (!place || open_until(l, start_ns) < 0 || td_keys_reserve(&l->lanes, 1) < 0)
		return -ENOMEM;
	if (*place != UNKNOWN)
		return 0;
	if (thread != TD_NULL && start_ns >= l->counted_ns) {
		lane = td_keys_add(&l->lanes, lane_of(thread, TD_NULL));
		in = lane < l->nstacks ? find_open(&l->stacks[lane], start_ns) : NULL;
	}
	*place = in && in->counts ? IN_GROUP + in->group : KNOWN;
	return 0;
}

static int add_work(void *arg, const struct td_row_batch *b, size_t row)
{
	struct loading *l = arg;
	int64_t process = b->columns[TD_ROW_PROCESS][row],
		correlation = b->columns[TD_ROW_CORRELATION][row],
		dur_ns = b->columns[TD_ROW_DUR][row];
	const uint32_t *call;
	struct group *g;

	if (process == TD_NULL || correlation == TD_NULL)
		return 0;
	call = td_call_numbers_place(&l->calls, process, correlation);
	if (!call)
		return -ENOMEM;
	l->to->any_launch |= *call != UNKNOWN;
	if (*call < IN_GROUP || l->only_any)
		return 0;
	g = &l->to->groups[*call - IN_GROUP];
	g->gpu_ops++;
	g->gpu_ns = td_plus(g->gpu_ns, TD_MAX(dur_ns, INT64_C(0)));
	return 0;
}

struct reading {
	const struct td_relation *relation;
	const char *ids; /* of TD_ROW_KIND */
	unsigned columns;
	int64_t since_ns, until_ns; /* of rows that begin then; TD_NULL: any */
	int (*fn)(void *arg, const struct td_row_batch *b, size_t row);
};

static int read_rows(sqlite3 *db, sqlite3_value *const *args, const struct reading *reading,
		     struct loading *l, struct td_err *err)
{
	struct td_filter_condition kinds = { .column = TD_ROW_KIND };
	const struct td_stat_request req = {
		.relation = reading->relation,
		.dims = 1u << TD_DIM_NESTED, /* calls within calls have numbers, too */
		.since_ns = reading->since_ns,
		.until_ns = reading->until_ns,
		.pid = td_loaded_int(args[ARG_PID]),
		.process = td_loaded_text(args[ARG_PROCESS]),
		.also = &kinds,
		.nalso = 1,
	};
	int r = td_key_map_load(db, reading->ids, &kinds.ids, NULL, err);

	if (r == 0)
		r = td_rows_in_order(db, &req, reading->columns, reading->fn, l, err);
	td_key_map_done(&kinds.ids);
	return r;
}

static int read_spans(sqlite3 *db, sqlite3_value *const *args, struct loading *l,
		      struct td_err *err)
{
	const struct reading spans = { &spans_of,
				       KINDS,
				       1u << TD_ROW_START | 1u << TD_ROW_DUR | 1u << TD_ROW_KIND |
					       1u << TD_ROW_OBJECT | 1u << TD_ROW_PROCESS |
					       1u << TD_ROW_THREAD,
				       TD_NULL,
				       TD_NULL,
				       add_span };
	int r = read_rows(db, args, &spans, l, err);

	if (r == 0)
		r = begin_spans(l);
	if (r == 0)
		find_counted(l);
	return r;
}

/* When calls begin, and when work does. */
struct window {
	int64_t calls_since_ns, calls_until_ns, work_since_ns, work_until_ns;
};

static int read_launches(sqlite3 *db, sqlite3_value *const *args, const struct window *w,
			 struct loading *l, struct td_err *err)
{
	const struct reading calls = { td_relation_find("call_stat"),
				       CUDA_OPS,
				       1u << TD_ROW_START | 1u << TD_ROW_PROCESS |
					       1u << TD_ROW_THREAD | 1u << TD_ROW_CORRELATION,
				       w->calls_since_ns,
				       w->calls_until_ns,
				       add_call };
	const struct reading work = { td_relation_find("gpu_stat"),
				      WORK,
				      1u << TD_ROW_DUR | 1u << TD_ROW_PROCESS |
					      1u << TD_ROW_CORRELATION,
				      w->work_since_ns,
				      w->work_until_ns,
				      add_work };
	int r = read_rows(db, args, &calls, l, err);

	if (r == 0)
		r = open_until(l, INT64_MAX);
	return r == 0 ? read_rows(db, args, &work, l, err) : r;
}

static int add_delays(void *arg, sqlite3_stmt *row)
{
	struct loading *l = arg;

	l->knows_delays = sqlite3_column_type(row, 0) != SQLITE_NULL;
	l->delay_min_ns = sqlite3_column_int64(row, 0);
	l->delay_max_ns = sqlite3_column_int64(row, 1);
	return 0;
}

static int load_delays(sqlite3 *db, struct loading *l, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, DELAYS, -1, &stmt, NULL);

	return td_db_rows(db, rc, stmt, add_delays, l, "cannot read operator_sum", err);
}

/* What calls in spans that count launched begins as long after them as the file says. The first call
 * of each such number began as long before it, so that no other one is taken for it. Without that,
 * calls after the last span that counts change nothing. */
static struct window find_window(const struct loading *l)
{
	struct window w = { TD_NULL, l->counted_end_ns, TD_NULL, TD_NULL }, narrow = w;
	int64_t apart_ns;

	if (!l->knows_delays ||
	    __builtin_sub_overflow(l->delay_max_ns, l->delay_min_ns, &apart_ns) ||
	    __builtin_sub_overflow(l->counted_ns, apart_ns, &narrow.calls_since_ns) ||
	    __builtin_add_overflow(l->counted_ns, l->delay_min_ns, &narrow.work_since_ns) ||
	    __builtin_add_overflow(l->counted_end_ns, l->delay_max_ns, &narrow.work_until_ns))
		return w;
	return narrow;
}

/* If none of these calls launched any work, whether any did decides between 0 and unknown. */
static int read_all(sqlite3 *db, sqlite3_value *const *args, struct loading *l, struct td_err *err)
{
	static const struct window whole = { TD_NULL, TD_NULL, TD_NULL, TD_NULL };
	struct window w;
	int r = read_spans(db, args, l, err);

	if (r == 0 && l->nspans)
		r = load_delays(db, l, err);
	w = find_window(l);
	if (r == 0 && l->nspans)
		r = read_launches(db, args, &w, l, err);
	l->to->any_launch |= l->knows_delays && !args[ARG_PID] && !args[ARG_PROCESS];
	l->only_any = true;
	if (r == 0 && l->nspans && !l->to->any_launch)
		r = read_launches(db, args, &whole, l, err);
	return r;
}

/* --- the table --- */

static int load_when(sqlite3 *db, sqlite3_value *const *args, struct loading *l, struct td_err *err)
{
	const char *phase = td_loaded_text(args[ARG_PHASE]);
	char *sql;
	int r;

	l->since_ns = td_loaded_int(args[ARG_SINCE]);
	l->until_ns = td_loaded_int(args[ARG_UNTIL]);
	l->is_phase = phase != NULL;
	if (!phase)
		return 0;
	sql = sqlite3_mprintf("SELECT start_ns, end_ns FROM main.phase_interval"
			      " WHERE label = %Q COLLATE NOCASE",
			      phase);
	if (!sql)
		return -ENOMEM;
	r = td_during_load(db, sql, &l->when, err);
	sqlite3_free(sql);
	return r;
}

static bool is_whole(sqlite3_value *const *args)
{
	bool is_part = false;

	for (int a = ARG_SINCE; a <= ARG_PROCESS; a++)
		is_part |= args[a] != NULL;
	return !is_part;
}

/* The rows, and how many there is room for. */
struct held {
	struct rows *to;
	size_t cap;
};

static int add_held(void *arg, sqlite3_stmt *stmt)
{
	struct held *held = arg;
	struct rows *to = held->to;
	const struct td_key key = { (uint64_t)sqlite3_column_int64(stmt, NAME_ID),
				    (uint64_t)sqlite3_column_int64(stmt, KIND_ID) };

	if (td_keys_reserve(&to->keys, 1) < 0 || td_grow(&to->groups, &held->cap, to->ngroups) < 0)
		return -ENOMEM;
	if (td_keys_add(&to->keys, key) < to->ngroups)
		return 0;
	to->any_launch |= sqlite3_column_type(stmt, GPU_OPS) != SQLITE_NULL;
	to->groups[to->ngroups++] = (struct group){
		.calls = sqlite3_column_int64(stmt, CALLS),
		.total_ns = sqlite3_column_int64(stmt, TOTAL_NS),
		.self_ns = sqlite3_column_int64(stmt, SELF_NS),
		.min_ns = sqlite3_column_int64(stmt, MIN_NS),
		.max_ns = sqlite3_column_int64(stmt, MAX_NS),
		.gpu_ops = sqlite3_column_int64(stmt, GPU_OPS),
		.gpu_ns = sqlite3_column_int64(stmt, GPU_NS),
	};
	return 0;
}

/* No rows: the file has none. */
static int load_held(sqlite3 *db, struct rows *to, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	struct held held = { .to = to };
	int rc = sqlite3_prepare_v2(db, HELD, -1, &stmt, NULL);

	return td_db_rows(db, rc, stmt, add_held, &held, "cannot read operator_sum", err);
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
	_cleanup_(loading_done) struct loading l = { .to = to };
	int r = to ? load_when(db, args, &l, err) : -ENOMEM;

	*ret = to;
	if (r == 0 && is_whole(args))
		r = load_held(db, to, err);
	*nrows = to ? to->ngroups : 0;
	if (r < 0 || *nrows)
		return r;
	if (r == 0)
		r = td_key_map_load(db, NVTX, &l.nvtx, NULL, err);
	if (r == 0)
		r = td_key_map_load(db, NVTX_NAMES, &l.nvtx_names, NULL, err);
	if (r == 0)
		r = read_all(db, args, &l, err);
	*nrows = r == 0 ? to->ngroups : 0;
	return r;
}

static void row_value(void *arg, size_t row, int column, sqlite3_context *ctx)
{
	const struct rows *rows = arg;
	const struct group *g = &rows->groups[row];
	const int64_t values[] = {
		[KIND_ID] = (int64_t)rows->keys.items[row].hi,
		[NAME_ID] = (int64_t)rows->keys.items[row].lo,
		[CALLS] = g->calls,
		[TOTAL_NS] = g->total_ns,
		[SELF_NS] = g->self_ns,
		[MIN_NS] = g->calls ? g->min_ns : TD_NULL,
		[MAX_NS] = g->calls ? g->max_ns : TD_NULL,
		[GPU_OPS] = rows->any_launch ? g->gpu_ops : TD_NULL,
		[GPU_NS] = rows->any_launch ? g->gpu_ns : TD_NULL,
	};

	td_loaded_known(ctx, values[column]);
}

const struct td_loaded_kind td_operator_stat_kind = {
	.name = "operator_stat",
	.columns = "kind_id INTEGER, name_id INTEGER, calls INTEGER, total_ns INTEGER, self_ns "
		   "INTEGER, "
		   "min_ns INTEGER, max_ns INTEGER, gpu_ops INTEGER, gpu_ns INTEGER, "
		   "since_ns INTEGER, until_ns INTEGER, in_phase TEXT, of_pid INTEGER, of_process "
		   "TEXT",
	.args = { TD_LOADED_WHEN(SINCE, UNTIL, PHASE), TD_LOADED_WHOSE(PID, PROCESS) },
	.load = load_rows,
	.value = row_value,
	.free = free_rows,
};
