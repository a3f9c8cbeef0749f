/* SPDX-License-Identifier: MIT */
/*
 * sync_stat: calls that wait for GPUs, whether the GPUs of the process had work meanwhile, and how
 * long they idled afterwards, in one look at the calls and one at the work. Of the work those
 * stretches without a gap are kept, by GPU, that a call can have to do with; those of a process are
 * the union of its GPUs'. Of the whole run gpu_wait_stat has the rows; of a part of it only the work
 * about the calls that wait is looked at, where the file holds what else is told of all work.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/scan/filter.h"
#include "analyzer/scan/gpu_work.h"
#include "analyzer/scan/in_order.h"
#include "analyzer/scan/loaded_table.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "common/keys.h"
#include "schema/db.h"
#include "schema/stat_math.h"

#define WAITS                                                                                      \
	"SELECT id, 1 FROM main.op WHERE layer = 'cuda' AND (verb = 'wait' OR (verb = 'copy' AND " \
	"name NOT LIKE '%Async%'))"
#define MIN_NS                                                                                     \
	10000 /* where nothing else is asked for, and in gpu_wait_stat; the view has it, too */
/* Columns as of enum column; of a pid and a name or role, which may be NULL. */
#define HELD                                                                                       \
	"SELECT op_id, process_id, thread_id, calls, stalls, stall_ns, max_ns, max_start_ns, "     \
	"idle_ns, after_ns, wall_ns FROM main.gpu_wait_stat WHERE ?1 IS NULL AND ?2 IS NULL OR "   \
	"process_id IN (SELECT id FROM main.process WHERE (?1 IS NULL OR pid = ?1) AND "           \
	"(?2 IS NULL OR name = ?2 OR role = ?2))"
#define HOLDS "SELECT 1 FROM main.gpu_wait_stat LIMIT 1"
/* Who used which GPU, and the longest work; and from when to when there was any. */
#define USES                                                                                       \
	"SELECT process_id, device_id, max_ns FROM main.gpu_op_stat WHERE by = "                   \
	"'device,process,kind,name' AND timed > 0 AND kind_id NOT IN "                             \
	"(SELECT id FROM main.string WHERE text = 'sync')"
#define WALL "SELECT wall_ns FROM main.gpu_wait_stat WHERE wall_ns IS NOT NULL LIMIT 1"

#define ENOUGH (-ECANCELED) /* no more work has to be looked at */

enum column {
	OP_ID,
	PROCESS_ID,
	THREAD_ID,
	CALLS,
	STALLS,
	STALL_NS,
	MAX_NS,
	MAX_START_NS,
	IDLE_NS,
	AFTER_NS,
	WALL_NS,
	SINCE,
	UNTIL,
	PHASE,
	PID,
	PROCESS,
	SHORTEST
};
enum arg { ARG_SINCE, ARG_UNTIL, ARG_PHASE, ARG_PID, ARG_PROCESS, ARG_SHORTEST };

/* Calls of a thread of one operation. */
struct group {
	int64_t op_id, process_id, thread_id; /* TD_NULL: unknown */
	int64_t calls, stalls, stall_ns, max_ns, max_start_ns, idle_ns, after_ns;
	bool has_gpus; /* work of its process is known */
};

struct stall {
	int64_t start_ns, end_ns, process_id;
	uint32_t group;
};

struct stretch {
	int64_t start_ns, end_ns;
};

struct stretches {
	struct stretch *items; /* owned; in order of time */
	size_t n, cap;
};

/* What is known of a GPU while its work goes by. */
struct gpu {
	struct stretches near; /* those that matter */
	struct stretch last; /* what comes may belong to it */
	bool has_last;
	int64_t before_ns; /* end of the one before it; INT64_MIN: it is the first */
	size_t begun; /* stalls that begin before it ends */
	int64_t until_ns; /* when the last of these ends */
};

/* A GPU that a process gave work to. */
struct use {
	int64_t process_id, device_id;
};

struct rows {
	struct group *groups; /* owned */
	size_t n, cap;
	int64_t first_ns, end_ns; /* of all work; TD_NULL: there is none */
};

struct loading {
	struct rows *to;
	int64_t min_ns;
	struct td_keys keys; /* of groups: operation and process, and thread */
	struct stall *stalls; /* owned */
	size_t nstalls, stalls_cap;
	struct gpu *gpus; /* owned; by device */
	size_t ngpus;
	struct use *uses; /* owned; few: a linear search */
	size_t nuses, uses_cap;
	size_t last_use; /* the one that was found last */
	bool is_part; /* uses and times are known before; of the work that about the stalls is looked at */
	int64_t longest_ns; /* of all work */
	int64_t last_end_ns; /* of the stalls */
	bool *waits_for; /* owned; by device: its work matters, and none began later */
	size_t nwaits_for;
};

static void loading_done(struct loading *l)
{
	for (size_t d = 0; d < l->ngpus; d++)
		free(l->gpus[d].near.items);
	free(l->gpus);
	free(l->uses);
	free(l->waits_for);
	free(l->stalls);
	td_keys_done(&l->keys);
}

/* --- the calls --- */

static uint64_t id_or_0(int64_t id)
{
	return id == TD_NULL ? 0 : (uint64_t)id;
}

static int find_group(struct loading *l, const struct group *of, size_t *ret)
{
	struct rows *to = l->to;
	const struct td_key key = { (uint64_t)of->op_id << 32 | id_or_0(of->process_id),
				    id_or_0(of->thread_id) };

	if (td_keys_reserve(&l->keys, 1) < 0 || td_grow(&to->groups, &to->cap, to->n) < 0)
		return -ENOMEM;
	*ret = td_keys_add(&l->keys, key);
	if (*ret == to->n)
		to->groups[to->n++] = *of;
	return 0;
}

static int add_call(void *arg, const struct td_row_batch *b, size_t row)
{
	struct loading *l = arg;
	int64_t start_ns = b->columns[TD_ROW_START][row], dur_ns = b->columns[TD_ROW_DUR][row];
	const struct group of = { .op_id = b->columns[TD_ROW_KIND][row],
				  .process_id = b->columns[TD_ROW_PROCESS][row],
				  .thread_id = b->columns[TD_ROW_THREAD][row] };
	struct group *g;
	size_t at;

	if (b->columns[TD_ROW_NESTED][row])
		return 0;
	if (find_group(l, &of, &at) < 0 || td_grow(&l->stalls, &l->stalls_cap, l->nstalls) < 0)
		return -ENOMEM;
	g = &l->to->groups[at];
	g->calls++;
	if (dur_ns == TD_NULL || dur_ns < l->min_ns)
		return 0;
	if (!g->stalls || dur_ns > g->max_ns) {
		g->max_ns = dur_ns;
		g->max_start_ns = start_ns; /* calls come in order of time */
	}
	g->stalls++;
	g->stall_ns = td_plus(g->stall_ns, dur_ns);
	l->stalls[l->nstalls++] =
		(struct stall){ start_ns, td_plus(start_ns, dur_ns), of.process_id, (uint32_t)at };
	return 0;
}

static int load_calls(sqlite3 *db, sqlite3_value *const *args, struct loading *l,
		      struct td_err *err)
{
	struct td_filter_condition waits = { .column = TD_ROW_KIND };
	const struct td_stat_request req = {
		.relation = td_relation_find("call_stat"),
		.since_ns = td_loaded_int(args[ARG_SINCE]),
		.until_ns = td_loaded_int(args[ARG_UNTIL]),
		.phase = td_loaded_text(args[ARG_PHASE]),
		.pid = td_loaded_int(args[ARG_PID]),
		.process = td_loaded_text(args[ARG_PROCESS]),
		.also = &waits,
		.nalso = 1,
	};
	int r = td_key_map_load(db, WAITS, &waits.ids, NULL, err);

	if (r == 0)
		r = td_rows_in_order(db, &req,
				     1u << TD_ROW_START | 1u << TD_ROW_DUR | 1u << TD_ROW_KIND |
					     1u << TD_ROW_PROCESS | 1u << TD_ROW_THREAD |
					     1u << TD_ROW_NESTED,
				     add_call, l, err);
	td_key_map_done(&waits.ids);
	return r;
}

/* --- the work --- */

static bool is_use(const struct use *u, int64_t process_id, int64_t device_id)
{
	return u->process_id == process_id && u->device_id == device_id;
}

static int note_use(struct loading *l, int64_t process_id, int64_t device_id)
{
	size_t i = 0;

	if (process_id == TD_NULL ||
	    (l->nuses && is_use(&l->uses[l->last_use], process_id, device_id)))
		return 0;
	while (i < l->nuses && !is_use(&l->uses[i], process_id, device_id))
		i++;
	l->last_use = i;
	if (i < l->nuses)
		return 0;
	if (td_grow(&l->uses, &l->uses_cap, l->nuses) < 0)
		return -ENOMEM;
	l->uses[l->nuses++] = (struct use){ process_id, device_id };
	return 0;
}

/* They come in order of begin. */
static int add_stretch(struct stretches *s, struct stretch add)
{
	struct stretch *last = s->n ? &s->items[s->n - 1] : NULL;

	if (last && add.start_ns <= last->end_ns) {
		last->end_ns = TD_MAX(last->end_ns, add.end_ns);
		return 0;
	}
	if (td_grow(&s->items, &s->cap, s->n) < 0)
		return -ENOMEM;
	assert(s->items);
	s->items[s->n++] = add;
	return 0;
}

/* Of the stretches of a GPU a stall is measured by those from the first that ends in it or later up to the first that ends
 * behind it: by the last one if any stall begins before that ends, and ends after the one before it. */
static int end_last(const struct loading *l, struct gpu *g)
{
	int64_t before_ns = g->before_ns;

	if (!g->has_last)
		return 0;
	for (; g->begun < l->nstalls && l->stalls[g->begun].start_ns <= g->last.end_ns; g->begun++)
		g->until_ns = TD_MAX(g->until_ns, l->stalls[g->begun].end_ns);
	g->has_last = false;
	g->before_ns = g->last.end_ns;
	return g->begun && g->until_ns >= before_ns ? add_stretch(&g->near, g->last) : 0;
}

/* It comes in order of begin. */
static int add_to_gpu(const struct loading *l, struct gpu *g, struct stretch add)
{
	int r;

	if (g->has_last && add.start_ns <= g->last.end_ns) {
		g->last.end_ns = TD_MAX(g->last.end_ns, add.end_ns);
		return 0;
	}
	r = end_last(l, g);
	g->last = add;
	g->has_last = true;
	return r;
}

static struct gpu *gpu_of(struct loading *l, size_t device_id)
{
	size_t n = TD_MAX(device_id + 1, l->ngpus * 2);
	struct gpu *gpus;

	if (device_id < l->ngpus)
		return &l->gpus[device_id];
	gpus = realloc(l->gpus, n * sizeof(*gpus));
	if (!gpus)
		return NULL;
	for (size_t i = l->ngpus; i < n; i++)
		gpus[i] = (struct gpu){ .before_ns = INT64_MIN, .until_ns = INT64_MIN };
	l->gpus = gpus;
	l->ngpus = n;
	return &l->gpus[device_id];
}

/* Work of a part of the run. Such that begins after the last stall is only told of the first time on each GPU. */
static int add_work_of_part(struct loading *l, const struct td_gpu_work *w)
{
	struct gpu *of;
	int r;

	if (!l->waits_for[w->device_id])
		return 0;
	of = gpu_of(l, (size_t)w->device_id);
	r = of ? add_to_gpu(l, of, (struct stretch){ w->start_ns, td_plus(w->start_ns, w->dur_ns) })
	       : -ENOMEM;
	if (r < 0 || w->start_ns <= l->last_end_ns)
		return r;
	l->waits_for[w->device_id] = false;
	return --l->nwaits_for ? 0 : ENOUGH;
}

static int add_work(void *arg, const struct td_gpu_work *w)
{
	struct loading *l = arg;
	struct stretch s = { w->start_ns, td_plus(w->start_ns, w->dur_ns) };
	struct gpu *of;

	if (l->is_part)
		return add_work_of_part(l, w);
	of = gpu_of(l, (size_t)w->device_id);
	if (l->to->first_ns == TD_NULL)
		l->to->first_ns = s.start_ns;
	l->to->end_ns = TD_MAX(l->to->end_ns, s.end_ns);
	if (!of || note_use(l, w->process_id, w->device_id) < 0)
		return -ENOMEM;
	return add_to_gpu(l, of, s);
}

/* --- a process --- */

/* Of the GPUs of a process, what was not looked at yet. */
struct heads {
	struct stretches *items; /* owned; their stretches are not */
	size_t n;
};

static int find_heads(const struct loading *l, int64_t process_id, struct heads *ret)
{
	ret->items = calloc(l->nuses, sizeof(*ret->items));
	if (!ret->items)
		return -ENOMEM;
	for (size_t i = 0; i < l->nuses; i++)
		if (l->uses[i].process_id == process_id)
			ret->items[ret->n++] = l->gpus[l->uses[i].device_id].near;
	return 0;
}

/* The GPU whose next stretch begins first; NULL: there is none. */
static struct stretches *find_first(const struct heads *heads)
{
	struct stretches *first = NULL;

	for (size_t i = 0; i < heads->n; i++) {
		struct stretches *s = &heads->items[i];

		if (s->n && (!first || s->items->start_ns < first->items->start_ns))
			first = s;
	}
	return first;
}

/* When any of the GPUs of the process had work. */
static int unite(const struct loading *l, int64_t process_id, struct stretches *ret)
{
	struct heads heads = { 0 };
	struct stretches *first;
	int r = find_heads(l, process_id, &heads);

	while (r == 0 && (first = find_first(&heads))) {
		r = add_stretch(ret, *first->items++);
		first->n--;
	}
	free(heads.items);
	return r;
}

/* The first that ends then or later. */
static size_t find_stretch(const struct stretches *s, int64_t at_ns)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (s->items[middle].end_ns < at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* busy_ns: of all stretches before each. */
static int64_t busy_before(const struct stretches *s, const int64_t *busy_ns, int64_t at_ns)
{
	size_t i = find_stretch(s, at_ns);

	if (i >= s->n)
		return busy_ns[i];
	return busy_ns[i] + TD_MAX(at_ns - s->items[i].start_ns, INT64_C(0));
}

static void measure_stall(const struct stretches *s, const int64_t *busy_ns,
			  const struct stall *stall, struct group *g)
{
	size_t next = find_stretch(s, stall->end_ns);

	g->has_gpus = true;
	g->idle_ns += stall->end_ns - stall->start_ns - busy_before(s, busy_ns, stall->end_ns) +
		      busy_before(s, busy_ns, stall->start_ns);
	if (next < s->n && s->items[next].end_ns == stall->end_ns &&
	    s->items[next].start_ns < stall->end_ns)
		next++; /* its work ended with the call */
	if (next < s->n && s->items[next].start_ns >= stall->end_ns)
		g->after_ns += s->items[next].start_ns - stall->end_ns;
}

/* All stalls of the process. */
static int measure_process(struct loading *l, int64_t process_id)
{
	struct stretches s = { 0 };
	int r = unite(l, process_id, &s);
	int64_t *busy_ns = r == 0 ? calloc(s.n + 1, sizeof(*busy_ns)) : NULL;

	for (size_t i = 0; busy_ns && i < s.n; i++)
		busy_ns[i + 1] = busy_ns[i] + s.items[i].end_ns - s.items[i].start_ns;
	for (size_t i = 0; busy_ns && i < l->nstalls; i++)
		if (l->stalls[i].process_id == process_id)
			measure_stall(&s, busy_ns, &l->stalls[i],
				      &l->to->groups[l->stalls[i].group]);
	r = busy_ns ? 0 : -ENOMEM;
	free(busy_ns);
	free(s.items);
	return r;
}

static bool has_stalls(const struct loading *l, int64_t process_id)
{
	for (size_t g = 0; g < l->to->n; g++)
		if (l->to->groups[g].process_id == process_id && l->to->groups[g].stalls)
			return true;
	return false;
}

static int measure(struct loading *l)
{
	int r = 0;

	for (size_t i = 0; i < l->nuses && r == 0; i++) {
		int64_t process_id = l->uses[i].process_id;
		size_t first = 0;

		while (l->uses[first].process_id != process_id)
			first++;
		if (first == i && has_stalls(l, process_id))
			r = measure_process(l, process_id);
	}
	return r;
}

/* --- what the file holds --- */

/* Is it the whole run that is asked for, of any processes, and stalls as the file has them? */
static bool is_usual(sqlite3_value *const *args, int64_t min_ns)
{
	return !args[ARG_SINCE] && !args[ARG_UNTIL] && !args[ARG_PHASE] && min_ns == MIN_NS;
}

static int add_held(void *arg, sqlite3_stmt *stmt)
{
	struct rows *to = arg;
	int64_t wall_ns = td_db_known(stmt, WALL_NS);

	if (td_grow(&to->groups, &to->cap, to->n) < 0)
		return -ENOMEM;
	to->groups[to->n++] = (struct group){
		.op_id = td_db_known(stmt, OP_ID),
		.process_id = td_db_known(stmt, PROCESS_ID),
		.thread_id = td_db_known(stmt, THREAD_ID),
		.calls = td_db_known(stmt, CALLS),
		.stalls = td_db_known(stmt, STALLS),
		.stall_ns = td_db_known(stmt, STALL_NS),
		.max_ns = td_db_known(stmt, MAX_NS),
		.max_start_ns = td_db_known(stmt, MAX_START_NS),
		.idle_ns = td_db_known(stmt, IDLE_NS),
		.after_ns = td_db_known(stmt, AFTER_NS),
		.has_gpus = td_db_known(stmt, IDLE_NS) != TD_NULL,
	};
	to->first_ns = wall_ns == TD_NULL ? TD_NULL : 0;
	to->end_ns = wall_ns;
	return 0;
}

/* 1: it has, which may be none of those that are asked for. */
static int load_held(sqlite3 *db, sqlite3_value *const *args, struct rows *to, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *any = NULL;
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, HOLDS, -1, &any, NULL), r;

	if (rc != SQLITE_OK || sqlite3_step(any) != SQLITE_ROW)
		return 0;
	rc = sqlite3_prepare_v2(db, HELD, -1, &stmt, NULL);
	for (int a = ARG_PID; a <= ARG_PROCESS && rc == SQLITE_OK; a++)
		if (args[a])
			rc = sqlite3_bind_value(stmt, a - ARG_PID + 1, args[a]);
	r = td_db_rows(db, rc, stmt, add_held, to, "cannot read gpu_wait_stat", err);
	return r == 0 ? 1 : r;
}

/* --- the table --- */

static void drop_groups_without_stalls(struct rows *rows)
{
	size_t n = 0;

	for (size_t g = 0; g < rows->n; g++)
		if (rows->groups[g].stalls)
			rows->groups[n++] = rows->groups[g];
	rows->n = n;
}

static void free_rows(void *arg)
{
	struct rows *rows = arg;

	free(rows->groups);
	free(rows);
}

/* --- the work about the stalls of a part of the run --- */

static int add_use(void *arg, sqlite3_stmt *stmt)
{
	struct loading *l = arg;
	int64_t device_id = td_db_known(stmt, 1);

	if (device_id < 0 || device_id >= TD_GPU_DEVICES_MAX)
		return 0;
	l->is_part = true;
	l->longest_ns = TD_MAX(l->longest_ns, sqlite3_column_int64(stmt, 2));
	return gpu_of(l, (size_t)device_id) ? note_use(l, td_db_known(stmt, 0), device_id)
					    : -ENOMEM;
}

/* The GPUs of processes that waited for one. */
static int find_gpus(struct loading *l)
{
	l->waits_for = calloc(TD_GPU_DEVICES_MAX, sizeof(*l->waits_for));
	if (!l->waits_for)
		return -ENOMEM;
	for (size_t i = 0; i < l->nuses; i++) {
		bool *waits_for = &l->waits_for[l->uses[i].device_id];

		if (*waits_for || !has_stalls(l, l->uses[i].process_id))
			continue;
		*waits_for = true;
		l->nwaits_for++;
	}
	return 0;
}

/* Whether what is told of all work is known without looking at it: l->is_part. */
static int load_uses(sqlite3 *db, struct loading *l, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *wall = NULL;
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *uses = NULL;
	int rc = sqlite3_prepare_v2(db, WALL, -1, &wall, NULL), r;

	if (rc != SQLITE_OK || sqlite3_step(wall) != SQLITE_ROW)
		return 0;
	rc = sqlite3_prepare_v2(db, USES, -1, &uses, NULL);
	r = td_db_rows(db, rc, uses, add_use, l, "cannot read gpu_op_stat", err);
	if (r < 0 || !l->is_part)
		return r;
	l->to->first_ns = 0;
	l->to->end_ns = sqlite3_column_int64(wall, 0);
	for (size_t i = 0; i < l->nstalls; i++)
		l->last_end_ns = TD_MAX(l->last_end_ns, l->stalls[i].end_ns);
	return find_gpus(l);
}

/* The first stall begins first: what was at work then began as long before as any work took. */
static int load_work(sqlite3 *db, struct loading *l, struct td_err *err)
{
	int64_t since_ns = TD_NULL;
	int r = load_uses(db, l, err);

	if (r < 0 || (l->is_part && !l->nwaits_for))
		return r;
	if (l->is_part && __builtin_sub_overflow(l->stalls[0].start_ns, l->longest_ns, &since_ns))
		since_ns = TD_NULL;
	r = td_gpu_work_from(db, since_ns, add_work, l, err);
	r = r == ENOUGH ? 0 : r;
	for (size_t d = 0; d < l->ngpus && r == 0; d++)
		r = end_last(l, &l->gpus[d]);
	return r;
}

static int look(sqlite3 *db, sqlite3_value *const *args, struct loading *l, struct td_err *err)
{
	int r = load_calls(db, args, l, err);

	if (r == 0 && l->nstalls)
		r = load_work(db, l, err);
	if (r == 0)
		r = measure(l);
	drop_groups_without_stalls(l->to);
	return r;
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
	to->first_ns = to->end_ns = TD_NULL;
	l.min_ns = args[ARG_SHORTEST] ? sqlite3_value_int64(args[ARG_SHORTEST]) : MIN_NS;
	r = is_usual(args, l.min_ns) ? load_held(db, args, to, err) : 0;
	if (r == 0)
		r = look(db, args, &l, err);
	*nrows = r >= 0 ? to->n : 0;
	return TD_MIN(r, 0);
}

static void row_value(void *arg, size_t row, int column, sqlite3_context *ctx)
{
	const struct rows *rows = arg;
	const struct group *g = &rows->groups[row];
	const int64_t values[] = {
		[OP_ID] = g->op_id,
		[PROCESS_ID] = g->process_id,
		[THREAD_ID] = g->thread_id,
		[CALLS] = g->calls,
		[STALLS] = g->stalls,
		[STALL_NS] = g->stall_ns,
		[MAX_NS] = g->max_ns,
		[MAX_START_NS] = g->max_start_ns,
		[IDLE_NS] = g->has_gpus ? g->idle_ns : TD_NULL,
		[AFTER_NS] = g->has_gpus ? g->after_ns : TD_NULL,
		[WALL_NS] = rows->first_ns != TD_NULL ? rows->end_ns - rows->first_ns : TD_NULL,
	};

	td_loaded_known(ctx, values[column]);
}

const struct td_loaded_kind td_sync_stat_kind = {
	.name = "sync_stat",
	.columns = "op_id INTEGER, process_id INTEGER, thread_id INTEGER, calls INTEGER, stalls "
		   "INTEGER, stall_ns INTEGER, max_ns INTEGER, max_start_ns INTEGER, "
		   "idle_ns INTEGER, after_ns INTEGER, wall_ns INTEGER, since_ns INTEGER, "
		   "until_ns INTEGER, in_phase TEXT, of_pid INTEGER, of_process TEXT, "
		   "min_ns INTEGER",
	.args = { TD_LOADED_WHEN(SINCE, UNTIL, PHASE), TD_LOADED_WHOSE(PID, PROCESS),
		  TD_LOADED_ECHOED(SHORTEST) },
	.load = load_rows,
	.value = row_value,
	.free = free_rows,
};
