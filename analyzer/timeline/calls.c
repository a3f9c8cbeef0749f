/* SPDX-License-Identifier: MIT */
/*
 * One pass over all calls, in the order in which they begin: what each process reads, writes and
 * waits for, opens, syncs, and when what a GPU can wait for is in progress.
 */
#include <math.h>

#include "analyzer/scan/filter.h"
#include "analyzer/timeline/timeline_private.h"
#include "common/strbuf.h"

/* What a call is; those from READ on are file I/O, if they are on a file. */
enum what { NOTHING, NO_IO, READ, WRITE, SYNC, OPEN, OTHER };

/* As store/derive/causes.c has it; the numbers are those of enum what. */
#define OPS                                                                                        \
	"SELECT id, CASE WHEN kind <> 'io' OR verb = 'socket' THEN 1 WHEN verb = 'read' THEN 2"    \
	" WHEN verb = 'write' THEN 3 WHEN verb = 'sync' THEN 4 WHEN verb = 'open' THEN 5 ELSE 6 "  \
	"END FROM main.op"

/* Waiting on these is no file I/O. */
#define NO_FILES "'pipe', 'socket', 'eventfd', 'anon-inode', 'terminal', 'unnamed'"
#define NOT_FILES "SELECT id, 1 FROM main.waited_file"

/* Those that spent most time in I/O, of which ?1 get a lane. */
#define PROCESSES                                                                                  \
	"SELECT s.process_id, p.name, p.pid, p.role, p.host, count(*) OVER ()"                     \
	" FROM io_stat AS s LEFT JOIN process AS p ON p.id = s.process_id"                         \
	" WHERE s.by = 'class,process,verb' AND s.verb <> 'socket'"                                \
	" AND coalesce(s.class, '') NOT IN (" NO_FILES ")"                                         \
	" GROUP BY 1 ORDER BY sum(s.total_ns) DESC, sum(s.calls) DESC, 1 LIMIT ?1"

static const enum td_idle_cause causes[] = {
	[READ] = TD_IDLE_FILE_READ,  [WRITE] = TD_IDLE_FILE_WRITE, [SYNC] = TD_IDLE_FILE_WRITE,
	[OPEN] = TD_IDLE_FILE_OTHER, [OTHER] = TD_IDLE_FILE_OTHER,
};

/* A process, or the others together. */
struct mover {
	double *read, *write, *wait; /* borrowed: the lane's */
	int64_t busy_until_ns; /* its calls so far had ended then */
};

struct scan {
	struct td_filling *f;
	struct td_key_map ops, not_files, movers; /* movers: from 1 */
	struct mover *items; /* owned; by key of movers; 0: all that have no lane of their own */
	struct td_lane **lanes; /* owned array; NULL: no lane */
	size_t n, nall;
	size_t unknown; /* place of the calls whose process is unknown */
	struct td_lane *opens_lane, *sync_lane;
	double *opens, *sync;
	int64_t first_ns, last_ns;
};

static void scan_done(struct scan *s)
{
	td_key_map_done(&s->ops);
	td_key_map_done(&s->not_files);
	td_key_map_done(&s->movers);
	free(s->items);
	free(s->lanes);
}

/* --- who has a lane --- */

static int add_mover(struct scan *s, size_t place, const char *title, const char *detail)
{
	struct mover *m = &s->items[place];
	char id[32];
	struct td_lane *lane;

	(void)snprintf(id, sizeof(id), "files.%zu", place);
	lane = td_filling_lane(s->f, "files", id, title, TD_LANE_AREAS, TD_LANE_BYTES_PER_S);
	if (!lane)
		return -ENOMEM;
	free(lane->detail);
	lane->detail = strdup(detail);
	m->read = td_filling_series(s->f, lane, TD_HUE_READ, "read");
	m->write = td_filling_series(s->f, lane, TD_HUE_WRITE, "written");
	m->wait = td_filling_series(s->f, lane, TD_HUE_WAIT, "in file I/O calls");
	m->busy_until_ns = INT64_MIN;
	if (!lane->detail || !m->read || !m->write || !m->wait)
		return -ENOMEM;
	lane->series[2].is_strip = true;
	s->lanes[place] = lane;
	return 0;
}

static char *title_of(sqlite3_stmt *stmt)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	const char *host = (const char *)sqlite3_column_text(stmt, 4);

	if (sqlite3_column_type(stmt, 0) == SQLITE_NULL)
		td_strbuf_adds(&b, "unknown process");
	else
		td_strbuf_addf(&b, "%s %lld%s%s",
			       sqlite3_column_type(stmt, 1) == SQLITE_NULL
				       ? "process"
				       : (const char *)sqlite3_column_text(stmt, 1),
			       (long long)sqlite3_column_int64(stmt, 2), host ? " on " : "",
			       host ? host : "");
	return td_strbuf_error(&b) < 0 ? NULL : td_timeline_name(b.p, b.len);
}

static int add_process(struct scan *s, sqlite3_stmt *stmt)
{
	_cleanup_free_ char *title = title_of(stmt);
	const char *role = (const char *)sqlite3_column_text(stmt, 3);
	int64_t id = sqlite3_column_int64(stmt, 0);

	if (!title)
		return -ENOMEM;
	s->nall = (size_t)sqlite3_column_int64(stmt, 5);
	s->n++;
	if (id > 0 && (uint64_t)id < s->movers.n)
		s->movers.keys[id] = (uint32_t)s->n;
	else
		s->unknown = s->n;
	return add_mover(s, s->n, title, role ? role : "");
}

static int add_processes(struct scan *s, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	char title[64];
	int r = td_filling_prepare(s->f, PROCESSES, &stmt, err);

	s->items = calloc(s->f->req->nprocesses + 1, sizeof(*s->items));
	s->lanes = calloc(s->f->req->nprocesses + 1, sizeof(struct td_lane *));
	if (!s->items || !s->lanes)
		return -ENOMEM;
	if (r == 0)
		(void)sqlite3_bind_int64(stmt, 1, (int64_t)s->f->req->nprocesses);
	while (r == 0 && (r = td_filling_step(s->f, stmt, err)) == 1)
		r = add_process(s, stmt);
	if (r < 0 || s->nall <= s->n)
		return r;
	(void)snprintf(title, sizeof(title), "%zu other process%s", s->nall - s->n,
		       s->nall - s->n == 1 ? "" : "es");
	return add_mover(s, 0, title, "together");
}

static int open_lanes(struct scan *s, struct td_err *err)
{
	struct td_filling *f = s->f;
	int r = add_processes(s, err);

	if (r < 0)
		return r;
	s->opens_lane = td_filling_lane(f, "opens", "opens", "Opens", TD_LANE_AREAS, TD_LANE_PER_S);
	s->sync_lane =
		td_filling_lane(f, "sync", "sync", "Syncs", TD_LANE_AREAS, TD_LANE_AT_A_TIME);
	if (!s->opens_lane || !s->sync_lane)
		return -ENOMEM;
	s->opens = td_filling_series(f, s->opens_lane, TD_HUE_COUNT, "opens");
	s->sync = td_filling_series(f, s->sync_lane, TD_HUE_SYNC, "in progress");
	return s->opens && s->sync ? 0 : -ENOMEM;
}

/* --- the calls --- */

static struct mover *mover_of(struct scan *s, int64_t process_id)
{
	return &s->items[process_id == TD_NULL ? s->unknown
					       : td_key_map_get(&s->movers, process_id)];
}

static void move(struct scan *s, struct mover *m, enum what what, int64_t start_ns, int64_t end_ns,
		 int64_t bytes)
{
	const struct td_grids *g = &s->f->t->grids;
	int64_t from_ns = TD_MAX(start_ns, m->busy_until_ns);

	if (!m->read)
		return;
	if (bytes > 0 && (what == READ || what == WRITE))
		td_grids_spread(g, start_ns, end_ns, (double)bytes,
				what == READ ? m->read : m->write);
	if (from_ns < end_ns) {
		td_grids_spread(g, from_ns, end_ns, (double)(end_ns - from_ns), m->wait);
		m->busy_until_ns = end_ns;
	}
}

static int add_tops(struct scan *s, const int64_t (*c)[TD_ROWS_AT_ONCE], size_t i, int64_t end_ns)
{
	int64_t bytes = TD_MAX(c[TD_ROW_BYTES][i], 0);
	int r = td_tops_add(s->f, TD_TOP_FILES, c[TD_ROW_OBJECT][i], c[TD_ROW_START][i], end_ns,
			    bytes);

	return r < 0 ? r
		     : td_tops_add(s->f, TD_TOP_PROCESSES, c[TD_ROW_PROCESS][i], c[TD_ROW_START][i],
				   end_ns, bytes);
}

static int add_call(struct scan *s, const int64_t (*c)[TD_ROWS_AT_ONCE], size_t i)
{
	const struct td_grids *g = &s->f->t->grids;
	int64_t start_ns = c[TD_ROW_START][i], dur_ns = c[TD_ROW_DUR][i];
	int64_t end_ns = td_plus(start_ns, TD_MAX(dur_ns, 0));
	enum what what = td_key_map_get(&s->ops, c[TD_ROW_KIND][i]);
	bool file = !td_key_map_get(&s->not_files, c[TD_ROW_OBJECT][i]);
	int r;

	s->first_ns = TD_MIN(s->first_ns, start_ns);
	s->last_ns = TD_MAX(s->last_ns, end_ns);
	if (what == OPEN)
		td_grids_spread(g, start_ns, start_ns, 1, s->opens);
	if (what == SYNC)
		td_grids_spread(g, start_ns, end_ns, (double)(end_ns - start_ns), s->sync);
	if (what >= READ && file)
		move(s, mover_of(s, c[TD_ROW_PROCESS][i]), what, start_ns, end_ns,
		     c[TD_ROW_BYTES][i]);
	if (what < READ || !file)
		return 0;
	r = td_filling_causes_add(s->f, causes[what], c[TD_ROW_PROCESS][i], start_ns, end_ns);
	return r < 0 || !s->f->req->tops ? r : add_tops(s, c, i, end_ns);
}

static int add_batch(void *arg, struct td_row_batch *b)
{
	int r = 0;

	for (size_t i = 0; i < b->n && r == 0; i++)
		if (b->columns[TD_ROW_NESTED][i] != 1)
			r = add_call(arg, b->columns, i);
	return r;
}

static void zero(struct scan *s, double *values)
{
	if (values)
		memset(values, 0, s->f->t->grids.total * sizeof(*values));
}

/* Forgets the calls so far. */
static void start_over(struct scan *s)
{
	for (size_t i = 0; i <= s->n; i++) {
		zero(s, s->items[i].read);
		zero(s, s->items[i].write);
		zero(s, s->items[i].wait);
		s->items[i].busy_until_ns = INT64_MIN;
	}
	zero(s, s->opens);
	zero(s, s->sync);
	td_filling_causes_forget(s->f, TD_IDLE_FILE_READ);
	td_tops_forget(s->f);
}

static int read_parts(struct scan *s, struct td_row_source *source)
{
	int r = 0;

	for (size_t i = 0; i < source->nparts && r == 0; i++)
		r = td_row_source_read(source, i, add_batch, s);
	if (r != -EOPNOTSUPP)
		return r;
	/* only SQLite can read the pages */
	td_leaves_done(&source->leaves);
	source->nparts = 1;
	start_over(s);
	return td_row_source_read(source, 0, add_batch, s);
}

static int read_calls(struct scan *s, struct td_err *err)
{
	const struct td_stat_request all = { .relation = td_relation_find("call_stat"),
					     .since_ns = TD_NULL,
					     .until_ns = TD_NULL,
					     .pid = TD_NULL,
					     .bin_width_ns = TD_NULL };
	_cleanup_(td_filter_done) struct td_filter filter = { 0 };
	struct td_row_source source = { 0 };
	int r = td_filter_load(s->f->db, &all, &filter, err);

	if (r == 0)
		r = td_row_source_open(s->f->db, all.relation, &filter,
				       1u << TD_ROW_START | 1u << TD_ROW_DUR | 1u << TD_ROW_KIND |
					       1u << TD_ROW_PROCESS | 1u << TD_ROW_OBJECT |
					       1u << TD_ROW_BYTES | 1u << TD_ROW_NESTED,
				       &source, err);
	if (r < 0)
		return r;
	r = read_parts(s, &source);
	td_row_source_done(&source);
	return r < 0 ? td_err_errno(err, r, "cannot read the calls") : 0;
}

/* --- */

static int finish(struct scan *s)
{
	const struct td_grids *g = &s->f->t->grids;
	struct td_lane *const others[] = { s->opens_lane, s->sync_lane };
	int r = td_cover_add(&s->f->called, s->first_ns, s->last_ns);

	td_grids_per_width(g, TD_SEC_NS, s->opens);
	td_grids_per_width(g, 1, s->sync);
	for (size_t i = 0; i < 2 && r == 0; i++)
		r = td_filling_gaps(s->f, others[i], &s->f->called);
	for (size_t i = 0; i <= s->n && r == 0; i++) {
		struct mover *m = &s->items[i];

		if (!s->lanes[i])
			continue;
		td_grids_per_width(g, TD_SEC_NS, m->read);
		td_grids_per_width(g, TD_SEC_NS, m->write);
		td_grids_per_width(g, 1, m->wait);
		r = td_filling_gaps(s->f, s->lanes[i], &s->f->called);
	}
	return r;
}

static int load_maps(struct scan *s, struct td_err *err)
{
	sqlite3 *db = s->f->db;
	int r = td_key_map_load(db, OPS, &s->ops, NULL, err);

	if (r == 0)
		r = td_key_map_load(db, NOT_FILES, &s->not_files, NULL, err);
	/* all 0, but large enough for every process */
	if (r == 0)
		r = td_key_map_load(db, "SELECT id, 0 FROM main.process", &s->movers, NULL, err);
	return r;
}

int td_fill_calls(struct td_filling *f, struct td_err *err)
{
	_cleanup_(
		scan_done) struct scan s = { .f = f, .first_ns = INT64_MAX, .last_ns = INT64_MIN };
	int r = load_maps(&s, err);

	if (r < 0 || !s.ops.n) /* no operation, no call */
		return r;
	r = open_lanes(&s, err);
	if (r == 0)
		r = read_calls(&s, err);
	return r < 0 ? r : finish(&s);
}
