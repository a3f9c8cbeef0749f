/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "analyzer/exist.h"
#include "analyzer/open.h"
#include "analyzer/sandbox.h"
#include "analyzer/timeline/timeline_private.h"
#include "common/array.h"
#include "common/printable.h"
#include "common/suggest.h"
#include "common/utf8.h"

#define NAME_MAX_BYTES 160 /* of a path of 4 KiB its begin and its end are enough */

const char *const td_lane_kind_names[TD_NLANE_KINDS] = {
	[TD_LANE_SHARES] = "shares", [TD_LANE_AREAS] = "areas", [TD_LANE_LINES] = "lines",
	[TD_LANE_HEAT] = "heat",     [TD_LANE_SPANS] = "spans",
};

const char *const td_lane_unit_names[TD_NLANE_UNITS] = {
	[TD_LANE_SHARE] = "share", [TD_LANE_BYTES_PER_S] = "bytes/s",
	[TD_LANE_BYTES] = "bytes", [TD_LANE_PER_S] = "1/s",
	[TD_LANE_NS] = "ns",       [TD_LANE_AT_A_TIME] = "at a time",
};

const struct td_lane_group td_lane_groups[] = {
	{ "gpu", "what each GPU did, and why it idled" },
	{ "memory", "memory of each GPU that is in use" },
	{ "cpu", "user, system, waiting for I/O, of all CPUs together" },
	{ "cpus", "each CPU" },
	{ "block", "bytes per second of the disks" },
	{ "latency", "how long requests to the disks took" },
	{ "files", "bytes per second of each process, and whether it waits" },
	{ "opens", "opens per second" },
	{ "sync", "threads that wait for a sync" },
	{ "phases", "training phases" },
	{ NULL, NULL },
};

/* --- filling --- */

bool td_filling_wants(const struct td_filling *f, const char *group)
{
	const char *p = f->req->groups;

	if (!p)
		return true;
	for (size_t n; *p; p += n + (p[n] == ',')) {
		n = strcspn(p, ",");
		if (n == strlen(group) && strncmp(p, group, n) == 0)
			return true;
	}
	return false;
}

static void lane_free(struct td_lane *lane)
{
	if (!lane)
		return;
	for (size_t i = 0; i < lane->nseries; i++) {
		free(lane->series[i].name);
		free(lane->series[i].values);
	}
	for (size_t i = 0; i < lane->nspans; i++)
		free(lane->spans[i].name);
	free(lane->series);
	free(lane->spans);
	free(lane->gaps);
	free(lane->id);
	free(lane->title);
	free(lane->detail);
	free(lane);
}
TD_DEFINE_CLEANUP(struct td_lane *, lane_free)

struct td_lane *td_filling_lane(struct td_filling *f, const char *group, const char *id,
				const char *title, enum td_lane_kind kind, enum td_lane_unit unit)
{
	_cleanup_(lane_freep) struct td_lane *lane = calloc(1, sizeof(*lane));
	struct td_timeline *t = f->t;

	/* NOLINTNEXTLINE(bugprone-sizeof-expression): the array is of pointers */
	if (!lane || td_grow(&t->lanes, &t->lanes_cap, t->nlanes) < 0)
		return NULL;
	lane->group = group;
	lane->id = strdup(id);
	lane->title = strdup(title);
	lane->detail = strdup("");
	lane->kind = kind;
	lane->unit = unit;
	if (!lane->id || !lane->title || !lane->detail)
		return NULL;
	t->lanes[t->nlanes++] = lane;
	return TAKE_PTR(lane);
}

double *td_filling_series(struct td_filling *f, struct td_lane *lane, enum td_hue hue,
			  const char *name)
{
	struct td_series *s;

	if (td_grow(&lane->series, &lane->series_cap, lane->nseries) < 0)
		return NULL;
	s = &lane->series[lane->nseries];
	*s = (struct td_series){ .name = strdup(name), .hue = hue };
	if (!s->name)
		return NULL;
	lane->nseries++; /* it is freed with the lane from now on */
	s->values = calloc(f->t->grids.total + 1, sizeof(*s->values));
	return s->values;
}

int td_lane_gap_add(struct td_lane *lane, int64_t start_ns, int64_t end_ns, bool is_lost)
{
	if (end_ns <= start_ns)
		return 0;
	if (td_grow(&lane->gaps, &lane->gaps_cap, lane->ngaps) < 0)
		return -ENOMEM;
	lane->gaps[lane->ngaps++] = (struct td_lane_gap){ start_ns, end_ns, is_lost };
	return 0;
}

/* Bins of which nothing is known. */
static void forget(const struct td_grids *g, struct td_lane *lane, const double *unknown)
{
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = g->items[i].first; k < g->items[i].first + g->items[i].n; k++)
			for (size_t s = 0; s < lane->nseries; s++)
				if (unknown[k] >= (double)g->items[i].width_ns)
					lane->series[s].values[k] = NAN;
}

int td_filling_gaps(struct td_filling *f, struct td_lane *lane, const struct td_during *looked)
{
	_cleanup_(td_during_done) struct td_during others = { 0 };
	_cleanup_free_ double *unknown = calloc(f->t->grids.total + 1, sizeof(*unknown));
	int r = unknown ? td_cover_others(looked, f->t->start_ns, f->t->end_ns, &others) : -ENOMEM;

	for (size_t i = 0; i < others.n && r == 0; i++)
		r = td_lane_gap_add(lane, others.items[i].start_ns, others.items[i].end_ns, false);
	if (r < 0)
		return r;
	td_grids_cover(&f->t->grids, &others, unknown);
	forget(&f->t->grids, lane, unknown);
	return 0;
}

char *td_timeline_name(const char *text, size_t len)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT, cut = TD_STRBUF_INIT;
	size_t head = NAME_MAX_BYTES / 3, tail;

	/* what an escape or U+FFFD makes longer is cut with the rest */
	td_printable(&b, text, len);
	if (td_strbuf_error(&b) < 0)
		return NULL;
	if (b.len <= NAME_MAX_BYTES)
		return strdup(td_strbuf_str(&b));
	tail = b.len - (NAME_MAX_BYTES - head);
	while (head && ((unsigned char)b.p[head] & 0xc0) == 0x80)
		head--;
	while (((unsigned char)b.p[tail] & 0xc0) == 0x80)
		tail++;
	td_strbuf_add(&cut, b.p, head);
	td_strbuf_adds(&cut, "\xe2\x80\xa6");
	td_strbuf_adds(&cut, b.p + tail);
	return td_strbuf_error(&cut) < 0 ? NULL : TAKE_PTR(cut.p);
}

int td_filling_prepare(struct td_filling *f, const char *sql, sqlite3_stmt **ret,
		       struct td_err *err)
{
	int rc = sqlite3_prepare_v2(f->db, sql, -1, ret, NULL);

	return rc == SQLITE_OK ? 0 : td_db_error(f->db, rc, err, "cannot ask for the timeline");
}

int td_filling_step(struct td_filling *f, sqlite3_stmt *stmt, struct td_err *err)
{
	int rc = sqlite3_step(stmt);

	if (rc == SQLITE_ROW)
		return 1;
	return rc == SQLITE_DONE ? 0 : td_db_error(f->db, rc, err, "cannot read the timeline");
}

/* --- what is shown --- */

static int check_groups(const struct td_timeline_request *req, struct td_err *err)
{
	const char *p = req->groups;

	for (size_t n; p && *p; p += n + (p[n] == ',')) {
		_cleanup_free_ char *name = NULL;
		struct td_suggest near = { 0 };
		const struct td_lane_group *g = td_lane_groups;

		n = strcspn(p, ",");
		name = strndup(p, n);
		if (!name)
			return -ENOMEM;
		near.wanted = name;
		for (; g->name && strcmp(g->name, name) != 0; g++)
			td_suggest_offer(&near, g->name);
		if (!g->name)
			return td_err_set(err, -EINVAL,
					  near.best ? "there are no lanes '%s'; did you mean '%s'?"
						    : "there are no lanes '%s'; --help lists them",
					  name, near.best);
	}
	return 0;
}

/* A time or a phase that is asked for and is not there is a mistake. */
static int check_exist(struct td_filling *f, struct td_err *err)
{
	struct td_arg args[3];
	size_t n = 0;
	int r = 1;

	if (f->req->from)
		args[n++] = (struct td_arg){ "start_ns", f->req->from };
	if (f->req->to)
		args[n++] = (struct td_arg){ "end_ns", f->req->to };
	if (f->req->phase)
		args[n++] = (struct td_arg){ "phase", f->req->phase };
	for (size_t i = 0; i < n && r == 1; i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf missing = TD_STRBUF_INIT;

		r = td_exist(f->db, args, n, i, &missing, err);
		if (r == 0)
			return td_err_set(err, -EINVAL, "%s: %s", f->req->path,
					  td_strbuf_str(&missing));
	}
	return r < 0 ? r : 0;
}

static int bind_time(sqlite3_stmt *stmt, int i, const char *name, const char *value,
		     struct td_err *err)
{
	const struct td_arg arg = { name, value };

	return value ? td_arg_bind(stmt, i, TD_UNIT_TS_NS, &arg, err) : 0;
}

#define SHOWN                                                                                      \
	"SELECT max(p.start_ns, coalesce(?1, p.start_ns)), min(p.end_ns, coalesce(?2, p.end_ns))," \
	" r.start_ns, r.name FROM run AS r, ("                                                     \
	"SELECT min(start_ns) AS start_ns, max(end_ns) AS end_ns FROM phase_interval"              \
	" WHERE label = ?3 COLLATE NOCASE HAVING count(*) > 0"                                     \
	" UNION ALL SELECT start_ns, end_ns FROM run WHERE ?3 IS NULL) AS p"

static int find_shown(struct td_filling *f, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	struct td_timeline *t = f->t;
	int64_t len_ns;
	int r = td_filling_prepare(f, SHOWN, &stmt, err);

	if (r == 0)
		r = bind_time(stmt, 1, "from", f->req->from, err);
	if (r == 0)
		r = bind_time(stmt, 2, "to", f->req->to, err);
	if (r < 0)
		return r;
	(void)sqlite3_bind_text(stmt, 3, f->req->phase, -1, SQLITE_STATIC);
	r = td_filling_step(f, stmt, err);
	if (r < 0)
		return r;
	if (r == 0 || sqlite3_column_type(stmt, 0) != SQLITE_INTEGER ||
	    sqlite3_column_type(stmt, 1) != SQLITE_INTEGER)
		return td_err_set(err, -ENODATA, "%s: nothing in it has a time", f->req->path);
	t->start_ns = sqlite3_column_int64(stmt, 0);
	t->end_ns = sqlite3_column_int64(stmt, 1);
	t->origin_ns = sqlite3_column_int64(stmt, 2);
	if (t->origin_ns > t->start_ns || t->end_ns - 1 < t->origin_ns ||
	    __builtin_sub_overflow(t->end_ns, t->origin_ns, &len_ns))
		t->origin_ns =
			t->start_ns; /* a phase that begins before the run: a damaged database */
	t->title = td_timeline_name((const char *)sqlite3_column_text(stmt, 3),
				    (size_t)sqlite3_column_bytes(stmt, 3));
	t->path = strdup(f->req->path);
	return t->title && t->path ? 0 : -ENOMEM;
}

static int add_grids(struct td_filling *f, struct td_err *err)
{
	struct td_timeline *t = f->t;
	int r = td_grids_add(&t->grids, t->start_ns, t->end_ns, f->req->nbins);

	if (r == -EINVAL)
		return td_err_set(err, r, "%s: what is asked for lasts no time", f->req->path);
	for (size_t i = 0; i < t->nzooms && r == 0 && f->req->nbins_zoom; i++)
		r = td_grids_add(&t->grids, t->zooms[i].start_ns, t->zooms[i].end_ns,
				 f->req->nbins_zoom);
	for (size_t i = 0; i < t->nflags && r == 0 && f->req->nbins_zoom; i++)
		if (t->flags[i].start_ns != TD_NULL && t->grids.n < TD_GRIDS_MAX)
			r = td_grids_add(&t->grids, t->flags[i].start_ns, t->flags[i].end_ns,
					 f->req->nbins_zoom);
	return r < 0 ? r : td_tops_begin(f);
}

static size_t rank_of(const char *group)
{
	size_t i = 0;

	while (td_lane_groups[i].name && strcmp(td_lane_groups[i].name, group) != 0)
		i++;
	return i;
}

/* Nothing in it is more than 0. */
static bool is_empty(const struct td_timeline *t, const struct td_lane *lane)
{
	for (size_t s = 0; s < lane->nseries; s++)
		for (size_t i = 0; i < t->grids.items[0].n; i++)
			if (lane->series[s].values[i] > 0)
				return false;
	return lane->kind != TD_LANE_SPANS;
}

/* One that is asked for is shown, too, if nothing is in it, or if it is usually folded. */
static bool is_shown(const struct td_filling *f, struct td_lane *lane)
{
	if (lane->kind == TD_LANE_SPANS)
		return true;
	if (f->req->groups)
		lane->is_folded = false;
	return f->req->groups ? td_filling_wants(f, lane->group) : !is_empty(f->t, lane);
}

/* Those that are looked at for the sake of others, too, were filled whether they are wanted or not.
 * Phases say where one is. */
static void drop_unwanted(struct td_filling *f)
{
	struct td_timeline *t = f->t;
	size_t kept = 0;

	for (size_t i = 0; i < t->nlanes; i++) {
		if (is_shown(f, t->lanes[i]))
			t->lanes[kept++] = t->lanes[i];
		else
			lane_free(t->lanes[i]);
	}
	t->nlanes = kept;
}

/* Insertion: there are few, and those of a group stay in their order. */
static void sort_lanes(struct td_timeline *t)
{
	for (size_t i = 1; i < t->nlanes; i++) {
		struct td_lane *lane = t->lanes[i];
		size_t k = i;

		for (; k > 0 && rank_of(t->lanes[k - 1]->group) > rank_of(lane->group); k--)
			t->lanes[k] = t->lanes[k - 1];
		t->lanes[k] = lane;
	}
}

static int fill(struct td_filling *f, struct td_err *err)
{
	static int (*const steps[])(struct td_filling * f, struct td_err * err) = {
		check_exist,   find_shown,     td_fill_zooms,
		td_fill_flags, add_grids,      td_filling_causes_begin,
		td_fill_block, td_fill_calls,  td_fill_gpu,
		td_fill_cpu,   td_fill_phases, td_fill_loss,
		td_fill_tops,
	};
	int r = 0;

	for (size_t i = 0; i < TD_ARRAY_SIZE(steps) && r == 0; i++)
		r = steps[i](f, err);
	return r;
}

int td_timeline_load(const struct td_timeline_request *req, struct td_timeline *ret,
		     struct td_err *err)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	struct td_timeline t = { 0 };
	struct td_filling f = { .req = req, .t = &t };
	struct td_deadline deadline = td_deadline_in(req->timeout_ns);
	int r = check_groups(req, err);

	if (r == 0)
		r = td_analyzer_open_boxed(req->path, &deadline, &db, err);
	if (r == 0) {
		f.db = db;
		r = fill(&f, err);
	}
	td_filling_causes_done(&f);
	td_during_done(&f.called);
	td_tops_forget(&f);
	if (r < 0) {
		td_timeline_done(&t);
		return r;
	}
	drop_unwanted(&f);
	sort_lanes(&t);
	*ret = t;
	return 0;
}

void td_timeline_done(struct td_timeline *t)
{
	for (size_t i = 0; i < t->nlanes; i++)
		lane_free(t->lanes[i]);
	for (size_t i = 0; i < t->nzooms; i++)
		free(t->zooms[i].name);
	for (size_t i = 0; i < t->nflags; i++) {
		free(t->flags[i].rule);
		free(t->flags[i].level);
		free(t->flags[i].text);
		free(t->flags[i].advice);
	}
	for (size_t i = 0; i < TD_NTOPS; i++)
		free(t->tops.rows[i]);
	for (size_t i = 0; i < t->tops.nnames; i++)
		free(t->tops.names[i]);
	free(t->tops.names);
	free(t->lanes);
	free(t->zooms);
	free(t->flags);
	free(t->title);
	free(t->path);
	free(t->notes);
	*t = (struct td_timeline){ 0 };
}

/* --- two of them --- */

static const struct td_lane *phases_of(const struct td_timeline *t)
{
	for (size_t i = 0; i < t->nlanes; i++)
		if (t->lanes[i]->kind == TD_LANE_SPANS)
			return t->lanes[i];
	return NULL;
}

static const struct td_lane_span *span_named(const struct td_lane *lane, const char *name)
{
	for (size_t i = 0; i < lane->nspans; i++)
		if (strcmp(lane->spans[i].name, name) == 0)
			return &lane->spans[i];
	return NULL;
}

const char *td_timeline_align(struct td_timeline *a, struct td_timeline *b)
{
	const struct td_lane *pa = phases_of(a), *pb = phases_of(b);

	a->origin_ns = a->start_ns;
	b->origin_ns = b->start_ns;
	for (size_t i = 0; pa && pb && i < pa->nspans; i++) {
		const struct td_lane_span *other = span_named(pb, pa->spans[i].name);

		if (!other)
			continue;
		a->origin_ns = pa->spans[i].start_ns;
		b->origin_ns = other->start_ns;
		return pa->spans[i].name;
	}
	return NULL;
}
