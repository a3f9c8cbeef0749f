/* SPDX-License-Identifier: MIT */
/*
 * GPUs that were sampled: how busy each was in a period, and how much of its idle time a cause
 * explains for sure: what is in progress for longer than the GPU was busy. Of several tools the one
 * that can know most is believed (gpu_sampler).
 */
#include <math.h>

#include "analyzer/timeline/timeline_private.h"
#include "common/units.h"

#define SHIFTS 4 /* places on both sides at which a period of doubtful time is looked at */
#define OFF_MAX_NS (INT64_C(86400) * TD_SEC_NS)
#define TIME_MAX_NS (INT64_MAX - 2 * OFF_MAX_NS)

#define BUSY                                                                                       \
	"WITH best AS (SELECT source_id, (after_min_ns + after_max_ns) / 2 AS after_ns,"           \
	" (after_max_ns - after_min_ns) / 2 AS off_ns, above_pct"                                  \
	" FROM gpu_sampler WHERE device_id = ?1 ORDER BY precedence, source_id LIMIT 1)"           \
	" SELECT s.ts_ns + b.after_ns, max(s.dur_ns),"                                             \
	" CASE WHEN max(s.value) FILTER (WHERE t.process_id IS NULL) IS NOT NULL"                  \
	"  THEN max(s.value) FILTER (WHERE t.process_id IS NULL)"                                  \
	"  WHEN total(t.process_id IS NOT NULL AND s.value IS NULL) = 0 THEN total(s.value) END,"  \
	" b.off_ns, o.path, b.above_pct"                                                           \
	" FROM best AS b JOIN track AS t ON t.source_id = b.source_id AND t.device_id = ?1"        \
	" JOIN sample AS s ON s.track_id = t.id JOIN source AS o ON o.id = b.source_id"            \
	" WHERE t.name = 'gpu.sm' GROUP BY s.ts_ns ORDER BY s.ts_ns"

#define MEMORY                                                                                     \
	"WITH best AS (SELECT min(source_id) AS source_id FROM track"                              \
	" WHERE device_id = ?1 AND name = 'gpu.fb')"                                               \
	" SELECT s.ts_ns, max(s.dur_ns), coalesce(max(s.value) FILTER (WHERE t.process_id IS "     \
	"NULL), sum(s.value)), 0, o.path, 0"                                                       \
	" FROM best AS b JOIN track AS t ON t.source_id = b.source_id AND t.device_id = ?1"        \
	" JOIN sample AS s ON s.track_id = t.id JOIN source AS o ON o.id = b.source_id"            \
	" WHERE t.name = 'gpu.fb' GROUP BY s.ts_ns ORDER BY s.ts_ns"

/* A lane being filled, with what its samples are about. */
struct samples {
	struct td_lane *lane;
	double *main, *covered; /* of the first series; covered is owned */
	double *causes[TD_NIDLE_CAUSES], *rest;
	struct td_during until[TD_NIDLE_CAUSES]; /* some cause up to this one is in progress */
	size_t hint[TD_NIDLE_CAUSES];
	struct td_during looked;
	int64_t last_ns; /* end of the period before */
	int64_t dur_ns; /* of the last one */
	int64_t off_ns; /* times may be off by so much */
	double above; /* so much more than was printed may be true, as a share */
};

static void samples_done(struct samples *s)
{
	for (size_t k = 0; k < TD_NIDLE_CAUSES; k++)
		td_during_done(&s->until[k]);
	td_during_done(&s->looked);
	free(s->covered);
}

void td_samples_add(const struct td_grids *g, int64_t start_ns, int64_t end_ns, double value,
		    double *values)
{
	td_grids_spread(g, start_ns, end_ns, value * (double)(end_ns - start_ns), values);
}

void td_samples_finish(const struct td_grids *g, const double *covered, double *values)
{
	for (size_t i = 0; i < g->total; i++)
		values[i] /= covered[i]; /* none: NaN */
}

/* For how long cause k is put down to [start_ns, start_ns + len_ns): it is in progress, and none before it is. */
static int64_t cause_ns(struct samples *s, size_t k, int64_t start_ns, int64_t len_ns)
{
	int64_t ns = 0, before_ns = 0;

	(void)td_during_of(&s->until[k], start_ns, len_ns, &s->hint[k], &ns);
	if (k)
		(void)td_during_of(&s->until[k - 1], start_ns, len_ns, &s->hint[k - 1], &before_ns);
	return ns - before_ns;
}

/* The least of it, wherever in its doubt the period lies. */
static int64_t least_cause_ns(struct samples *s, size_t k, int64_t start_ns, int64_t len_ns)
{
	int64_t least = INT64_MAX;

	for (int64_t i = -SHIFTS; i <= SHIFTS; i++)
		least = TD_MIN(least, cause_ns(s, k, start_ns + s->off_ns / SHIFTS * i, len_ns));
	return least;
}

/* How much of the idle time of the period each cause explains at least: as long as the GPU was
 * surely not busy meanwhile. */
static void add_causes(struct td_filling *f, struct samples *s, int64_t start_ns, int64_t end_ns,
		       double busy)
{
	const struct td_grids *g = &f->t->grids;
	double len = (double)(end_ns - start_ns), rest = 1 - busy;

	for (size_t k = 0; k < TD_NIDLE_CAUSES; k++) {
		double share;

		if (!s->causes[k])
			continue;
		share = (double)least_cause_ns(s, k, start_ns, end_ns - start_ns) / len - busy -
			s->above;
		share = TD_MAX(0, TD_MIN(share, rest));
		rest -= share;
		td_samples_add(g, start_ns, end_ns, share, s->causes[k]);
	}
	td_samples_add(g, start_ns, end_ns, rest, s->rest);
}

/* Values are in units of scale. */
static int add_sample(struct td_filling *f, struct samples *s, sqlite3_stmt *stmt, double scale)
{
	const struct td_grids *g = &f->t->grids;
	int64_t end_ns = sqlite3_column_int64(stmt, 0);
	int64_t dur_ns = sqlite3_column_int64(stmt, 1), start_ns;
	double value = sqlite3_column_double(stmt, 2) / scale;

	if (dur_ns <= 0) /* not known: since the one before */
		dur_ns = s->last_ns == TD_NULL ? 0 : TD_MAX(0, end_ns - s->last_ns);
	/* what is shifted by its doubt is still a time */
	if (__builtin_sub_overflow(end_ns, dur_ns, &start_ns) || start_ns < -TIME_MAX_NS ||
	    end_ns > TIME_MAX_NS)
		return 0;
	if (s->last_ns != TD_NULL)
		start_ns = TD_MAX(start_ns, s->last_ns);
	s->last_ns = end_ns;
	if (sqlite3_column_type(stmt, 2) == SQLITE_NULL || end_ns <= start_ns || !isfinite(value))
		return 0;
	s->dur_ns = dur_ns;
	if (scale == 100)
		value = TD_MAX(0, TD_MIN(value, 1));
	td_samples_add(g, start_ns, end_ns, value, s->main);
	td_samples_add(g, start_ns, end_ns, 1, s->covered);
	if (s->rest)
		add_causes(f, s, start_ns, end_ns, value);
	return td_cover_add(&s->looked, start_ns, end_ns);
}

static int open_causes(struct td_filling *f, int64_t device_id, struct samples *s)
{
	const struct td_during *causes = td_filling_causes_of_gpu(f, device_id);
	struct td_during none = { 0 };
	const struct td_during *before = &none;
	int r = 0;

	for (size_t k = 0; k < TD_NIDLE_CAUSES && r == 0; k++) {
		r = td_cover_unite(before, &causes[k], &s->until[k]);
		before = &s->until[k];
		if (r < 0 || !causes[k].n)
			continue;
		s->causes[k] = td_filling_series(f, s->lane, td_idle_causes[k].hue,
						 td_idle_causes[k].name);
		r = s->causes[k] ? 0 : -ENOMEM;
	}
	if (r < 0)
		return r;
	s->rest = td_filling_series(f, s->lane, TD_HUE_UNEXPLAINED,
				    "idle: no file I/O, or the samples do not tell");
	return s->rest ? 0 : -ENOMEM;
}

static int finish(struct td_filling *f, struct samples *s)
{
	const struct td_grids *g = &f->t->grids;

	for (size_t i = 0; i < s->lane->nseries; i++)
		td_samples_finish(g, s->covered, s->lane->series[i].values);
	s->lane->sampled_ns = s->dur_ns;
	return td_filling_gaps(f, s->lane, &s->looked);
}

/* "every 1.00 s by gpu.out, times +-550 ms" */
static int describe(struct td_lane *lane, int64_t dur_ns, int64_t off_ns, const char *source)
{
	char every[TD_UNITS_BUF], off[TD_UNITS_BUF];
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	_cleanup_free_ char *name = td_timeline_name(source, strlen(source));

	td_strbuf_addf(&b, "every %s by %s", td_format_dur(every, sizeof(every), dur_ns),
		       name ? name : "");
	if (off_ns > 0)
		td_strbuf_addf(&b, ", times \xc2\xb1%s", td_format_dur(off, sizeof(off), off_ns));
	if (!name || td_strbuf_error(&b) < 0)
		return -ENOMEM;
	free(lane->detail);
	lane->detail = TAKE_PTR(b.p);
	return 0;
}

/* Fills a lane, whose first series is main, from a statement of time, duration, value, doubt of the
 * time, source, doubt of the value. scale 100: shares of time, of which the causes are asked. */
static int fill(struct td_filling *f, const char *sql, int64_t device_id, double scale,
		struct samples *s, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int r = td_filling_prepare(f, sql, &stmt, err);
	bool first = true;

	s->last_ns = TD_NULL;
	s->covered = calloc(f->t->grids.total + 1, sizeof(*s->covered));
	if (!s->covered)
		return -ENOMEM;
	if (r == 0)
		(void)sqlite3_bind_int64(stmt, 1, device_id);
	while (r == 0 && (r = td_filling_step(f, stmt, err)) == 1) {
		const char *source = (const char *)sqlite3_column_text(stmt, 4);

		s->off_ns = TD_MAX(0, TD_MIN(sqlite3_column_int64(stmt, 3), OFF_MAX_NS));
		s->above = sqlite3_column_double(stmt, 5) / 100;
		r = add_sample(f, s, stmt, scale);
		if (r == 0 && first && s->dur_ns)
			r = describe(s->lane, s->dur_ns, s->off_ns, source ? source : "");
		first &= s->dur_ns == 0;
	}
	return r < 0 ? r : finish(f, s);
}

static int has_samples(struct td_filling *f, int64_t device_id, const char *sql, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int r = td_filling_prepare(f, sql, &stmt, err);

	if (r == 0)
		(void)sqlite3_bind_int64(stmt, 1, device_id);
	return r < 0 ? r : td_filling_step(f, stmt, err);
}

static int fill_busy(struct td_filling *f, int64_t device_id, const char *name, const char *id,
		     struct td_err *err)
{
	_cleanup_(samples_done) struct samples s = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf other = TD_STRBUF_INIT;
	int r = has_samples(f, device_id,
			    "SELECT 1 FROM track AS t JOIN gpu_sampler AS g USING (device_id,"
			    " source_id) WHERE t.device_id = ?1 AND t.name = 'gpu.sm'",
			    err);

	if (r <= 0)
		return r;
	td_strbuf_addf(&other, "%s.samples", id);
	if (td_strbuf_error(&other) < 0)
		return -ENOMEM;
	s.lane = td_filling_lane(f, "gpu", other.p, name, TD_LANE_SHARES, TD_LANE_SHARE);
	s.main = s.lane ? td_filling_series(f, s.lane, TD_HUE_BUSY, "busy") : NULL;
	r = s.main ? open_causes(f, device_id, &s) : -ENOMEM;
	return r < 0 ? r : fill(f, BUSY, device_id, 100, &s, err);
}

int td_fill_gpu_samples(struct td_filling *f, int64_t device_id, const char *name, const char *id,
			struct td_err *err)
{
	_cleanup_(samples_done) struct samples s = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf title = TD_STRBUF_INIT, other = TD_STRBUF_INIT;
	int r = fill_busy(f, device_id, name, id, err);

	if (r == 0)
		r = has_samples(f, device_id,
				"SELECT 1 FROM track WHERE device_id = ?1 AND name = 'gpu.fb'",
				err);
	if (r <= 0)
		return r;
	td_strbuf_addf(&title, "%s memory", name);
	td_strbuf_addf(&other, "memory.%s", id + strlen("gpu."));
	if (td_strbuf_error(&title) < 0 || td_strbuf_error(&other) < 0)
		return -ENOMEM;
	s.lane = td_filling_lane(f, "memory", other.p, title.p, TD_LANE_AREAS, TD_LANE_BYTES);
	s.main = s.lane ? td_filling_series(f, s.lane, TD_HUE_MEMORY, "in use") : NULL;
	return s.main ? fill(f, MEMORY, device_id, 1, &s, err) : -ENOMEM;
}
