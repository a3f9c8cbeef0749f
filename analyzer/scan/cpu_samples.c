/* SPDX-License-Identifier: MIT */
/*
 * cpu_sample_stat: how busy CPUs were by their samples. What a tool printed at a time of a CPU is
 * one moment: what is not idle is busy; moments add up to rows, as the view of the same name has
 * it.
 */
#include <errno.h>

#include "analyzer/scan/loaded_table.h"
#include "analyzer/scan/samples.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "common/strbuf.h"
#include "schema/db.h"

/* What a moment has; of both kinds of interrupts the sum. */
enum part { USR, NICE, SYS, IOWAIT, IRQ, STEAL, IDLE, NPARTS };
#define PARTS                                                                                      \
	"part (name, part) AS (VALUES ('cpu.usr', 0), ('cpu.nice', 1), ('cpu.sys', 2), "           \
	"('cpu.iowait', 3), ('cpu.irq', 4), ('cpu.soft', 4), ('cpu.steal', 5), ('cpu.idle', 6))"

/* What rows have the mean of: the parts, and what follows from them. */
enum mean { BUSY = NPARTS, LEAST, MOST, NMEANS };

enum column {
	HOST,
	DEVICE,
	SAMPLES,
	BASIS,
	BUSY_MEAN,
	BUSY_MEAN_MIN,
	BUSY_MEAN_MAX,
	BUSY_MAX,
	USR_MEAN,
	NICE_MEAN,
	SYS_MEAN,
	IOWAIT_MEAN,
	IOWAIT_MAX,
	IRQ_MEAN,
	STEAL_MEAN,
	IDLE_MEAN,
	SOURCE,
	SINCE,
	UNTIL,
	PHASE
};
enum arg { ARG_SINCE, ARG_UNTIL, ARG_PHASE };

/* A series is what one tool says of a CPU, a row is of a CPU of a machine. */
#define TRACKS                                                                                     \
	"WITH " PARTS ", sampler AS (SELECT DISTINCT device_id, source_id, host, step_pct "        \
	"FROM main.cpu_sampler) "                                                                  \
	"SELECT t.id, k.part, dense_rank() OVER (ORDER BY p.host, t.device_id, t.source_id) - 1, " \
	"dense_rank() OVER (ORDER BY p.host, t.device_id) - 1, p.host, t.device_id, p.step_pct, "  \
	"(SELECT path FROM main.source WHERE id = t.source_id), t.source_id "                      \
	"FROM main.track AS t JOIN part AS k ON k.name = t.name "                                  \
	"JOIN sampler AS p ON p.source_id = t.source_id AND p.device_id IS t.device_id ORDER BY 3"

/* From when to when a finer tool looked at the CPU: then nobody else is asked. */
#define FINER                                                                                      \
	"SELECT b.start_ns, b.end_ns FROM main.cpu_sampler AS a JOIN main.cpu_sampler AS b "       \
	"ON b.device_id IS a.device_id AND b.host IS a.host AND b.precedence < a.precedence "      \
	"WHERE a.source_id = ?1 AND a.device_id IS ?2"

struct moment {
	int64_t ts_ns; /* TD_NULL: none so far */
	int64_t dur_ns;
	double parts[NPARTS]; /* NaN: not printed */
};

struct interval {
	int64_t start_ns, end_ns;
};

struct series {
	uint32_t of; /* group */
	double step_pct;
	char *path; /* owned */
	struct interval *finer; /* owned */
	size_t nfiner, cap;
	bool any; /* moments */
	struct moment now;
};

struct group {
	char *host; /* owned; NULL: unknown */
	int64_t device_id;
	int64_t samples, known;
	double durs, ndurs;
	struct td_weighted means[NMEANS];
	double max_busy, max_iowait, max_step;
};

struct track {
	uint8_t part;
	uint32_t series;
};

struct rows {
	struct td_key_map ids; /* of tracks: their number, plus 1 */
	struct track *tracks; /* owned, as all */
	size_t ntracks, tracks_cap;
	struct series *series;
	size_t nseries, series_cap;
	struct group *groups;
	size_t ngroups, groups_cap;
	uint32_t *shown; /* groups that have samples */
};

/* --- what is looked at --- */

static int load_finer(sqlite3 *db, sqlite3_value *source_id, sqlite3_value *device_id,
		      struct series *s)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, FINER, -1, &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_value(stmt, 1, source_id);
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_value(stmt, 2, device_id);
	while (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		if (td_grow(&s->finer, &s->cap, s->nfiner) < 0)
			return -ENOMEM;
		s->finer[s->nfiner++] = (struct interval){ sqlite3_column_int64(stmt, 0),
							   sqlite3_column_int64(stmt, 1) };
		rc = SQLITE_OK;
	}
	return td_sql_errno(rc);
}

static int add_series(sqlite3 *db, struct rows *rows, sqlite3_stmt *stmt, uint32_t of)
{
	struct series *s;

	if (td_grow(&rows->series, &rows->series_cap, rows->nseries) < 0)
		return -ENOMEM;
	s = &rows->series[rows->nseries++];
	*s = (struct series){ .of = of,
			      .step_pct = sqlite3_column_double(stmt, 6),
			      .path = strdup((const char *)sqlite3_column_text(stmt, 7)),
			      .now = { .ts_ns = TD_NULL } };
	return s->path ? load_finer(db, sqlite3_column_value(stmt, 8),
				    sqlite3_column_value(stmt, 5), s)
		       : -ENOMEM;
}

static int add_group(struct rows *rows, sqlite3_stmt *stmt)
{
	const char *host = (const char *)sqlite3_column_text(stmt, 4);
	struct group *g;

	if (td_grow(&rows->groups, &rows->groups_cap, rows->ngroups) < 0)
		return -ENOMEM;
	g = &rows->groups[rows->ngroups++];
	*g = (struct group){ .host = host ? strdup(host) : NULL,
			     .device_id = td_db_known(stmt, 5),
			     .max_busy = NAN,
			     .max_iowait = NAN,
			     .max_step = NAN };
	return host && !g->host ? -ENOMEM : 0;
}

/* Tracks come in the order of their series, whose numbers and those of the groups ascend by one. */
static int add_track(sqlite3 *db, struct rows *rows, sqlite3_stmt *stmt)
{
	struct track t = { .part = (uint8_t)sqlite3_column_int(stmt, 1),
			   .series = (uint32_t)sqlite3_column_int64(stmt, 2) };
	uint32_t of = (uint32_t)sqlite3_column_int64(stmt, 3);
	int r = t.series == rows->nseries ? add_series(db, rows, stmt, of) : 0;

	if (r == 0 && of == rows->ngroups)
		r = add_group(rows, stmt);
	if (r < 0 || td_grow(&rows->tracks, &rows->tracks_cap, rows->ntracks) < 0)
		return r < 0 ? r : -ENOMEM;
	rows->tracks[rows->ntracks++] = t;
	return td_key_map_add(&rows->ids, sqlite3_column_int64(stmt, 0), (uint32_t)rows->ntracks);
}

static int load_tracks(sqlite3 *db, struct rows *rows, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, TRACKS, -1, &stmt, NULL), r = 0;

	while (rc == SQLITE_OK && r == 0 && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		r = add_track(db, rows, stmt);
		rc = SQLITE_OK;
	}
	return r < 0 || rc == SQLITE_DONE ? r : td_db_error(db, rc, err, "cannot read the tracks");
}

/* --- moments --- */

/* Each of the two that are taken away was rounded to a multiple of step: the true one is up to half of it off. */
static void end_moment(struct rows *rows, struct series *s)
{
	const struct moment *m = &s->now;
	struct group *g = &rows->groups[s->of];
	double idle = m->parts[IDLE], iowait = m->parts[IOWAIT], half = s->step_pct / 2;
	bool waits = !isnan(iowait);

	if (m->ts_ns == TD_NULL)
		return;
	s->any = true;
	g->samples++;
	g->max_step = td_larger(g->max_step, s->step_pct);
	g->max_iowait = td_larger(g->max_iowait, iowait);
	if (m->dur_ns != TD_NULL) {
		g->durs += (double)m->dur_ns;
		g->ndurs += 1;
	}
	for (size_t p = 0; p < NPARTS; p++)
		td_weighted_add(&g->means[p], m->dur_ns, m->parts[p]);
	if (isnan(idle))
		return;
	iowait = waits ? iowait : 0;
	g->known++;
	g->max_busy = td_larger(g->max_busy, TD_MAX(100 - idle - iowait, 0.0));
	td_weighted_add(&g->means[BUSY], m->dur_ns, TD_MAX(100 - idle - iowait, 0.0));
	td_weighted_add(&g->means[LEAST], m->dur_ns,
			TD_MAX(100 - idle - iowait - half * (1 + waits), 0.0));
	td_weighted_add(&g->means[MOST], m->dur_ns,
			TD_MIN(100 - TD_MAX(idle - half, 0.0) - TD_MAX(iowait - half, 0.0), 100.0));
}

static bool is_known_finer(const struct series *s, const struct td_sample_row *row)
{
	int64_t dur_ns = TD_MAX(row->dur_ns, INT64_C(0)); /* TD_NULL is the smallest number */

	for (size_t i = 0; i < s->nfiner; i++)
		if (row->ts_ns - dur_ns < s->finer[i].end_ns && row->ts_ns > s->finer[i].start_ns)
			return true;
	return false;
}

static int add_sample(void *arg, const struct td_sample_row *row)
{
	struct rows *rows = arg;
	const struct track *t = &rows->tracks[row->track - 1];
	struct series *s = &rows->series[t->series];
	struct moment *m = &s->now;
	double *part = &m->parts[t->part];

	if (is_known_finer(s, row))
		return 0;
	if (m->ts_ns != row->ts_ns) {
		end_moment(rows, s);
		*m = (struct moment){ .ts_ns = row->ts_ns, .dur_ns = TD_NULL };
		for (size_t p = 0; p < NPARTS; p++)
			m->parts[p] = NAN;
	}
	m->dur_ns = TD_MAX(m->dur_ns, row->dur_ns);
	if (t->part == IRQ && !isnan(*part))
		*part += isnan(row->value) ? 0 : row->value;
	else
		*part = td_larger(*part, row->value);
	return 0;
}

/* --- the table --- */

static void free_rows(void *arg)
{
	struct rows *rows = arg;

	td_key_map_done(&rows->ids);
	free(rows->tracks);
	for (size_t i = 0; i < rows->nseries; i++) {
		free(rows->series[i].path);
		free(rows->series[i].finer);
	}
	free(rows->series);
	for (size_t i = 0; i < rows->ngroups; i++)
		free(rows->groups[i].host);
	free(rows->groups);
	free(rows->shown);
	free(rows);
}

/* CPUs without samples in the time that is asked for have no row. */
static int show(struct rows *rows, size_t *nrows)
{
	rows->shown = calloc(rows->ngroups + 1, sizeof(*rows->shown));
	for (size_t i = 0; rows->shown && i < rows->ngroups; i++)
		if (rows->groups[i].samples)
			rows->shown[(*nrows)++] = (uint32_t)i;
	return rows->shown ? 0 : -ENOMEM;
}

static int load_rows(sqlite3 *db, sqlite3_value *const *args, size_t by, void **ret, size_t *nrows,
		     struct td_err *err)
{
	const struct td_stat_request asked = { .since_ns = td_loaded_int(args[ARG_SINCE]),
					       .until_ns = td_loaded_int(args[ARG_UNTIL]),
					       .phase = td_loaded_text(args[ARG_PHASE]) };
	struct rows *rows = calloc(1, sizeof(*rows));
	int r;

	(void)by;
	*ret = rows;
	if (!rows)
		return -ENOMEM;
	r = load_tracks(db, rows, err);
	if (r == 0)
		r = td_samples_each(db, &asked, &rows->ids, add_sample, rows, err);
	for (size_t i = 0; i < rows->nseries; i++)
		end_moment(rows, &rows->series[i]);
	return r == 0 ? show(rows, nrows) : r;
}

/* The paths of its sources, each once. */
static void result_source(const struct rows *rows, uint32_t group, sqlite3_context *ctx)
{
	_cleanup_(td_strbuf_done) struct td_strbuf all = TD_STRBUF_INIT;

	for (size_t i = 0; i < rows->nseries; i++) {
		const struct series *s = &rows->series[i];
		size_t before = 0;

		while (before < i &&
		       (rows->series[before].of != group || !rows->series[before].any ||
			strcmp(rows->series[before].path, s->path) != 0))
			before++;
		if (s->of == group && s->any && before == i)
			td_strbuf_addf(&all, "%s%s", all.len ? "," : "", s->path);
	}
	sqlite3_result_text(ctx, td_strbuf_str(&all), -1, SQLITE_TRANSIENT);
}

static void row_value(void *arg, size_t row, int column, sqlite3_context *ctx)
{
	const struct rows *rows = arg;
	const struct group *g = &rows->groups[rows->shown[row]];
	static const int8_t means[] = {
		[BUSY_MEAN] = BUSY, [BUSY_MEAN_MIN] = LEAST, [BUSY_MEAN_MAX] = MOST,
		[BUSY_MAX] = -1,    [USR_MEAN] = USR,        [NICE_MEAN] = NICE,
		[SYS_MEAN] = SYS,   [IOWAIT_MEAN] = IOWAIT,  [IOWAIT_MAX] = -1,
		[IRQ_MEAN] = IRQ,   [STEAL_MEAN] = STEAL,    [IDLE_MEAN] = IDLE,
	};
	double v = NAN;

	if (column == HOST && g->host)
		sqlite3_result_text(ctx, g->host, -1, SQLITE_TRANSIENT);
	else if (column == DEVICE)
		td_loaded_known(ctx, g->device_id);
	else if (column == SAMPLES)
		sqlite3_result_int64(ctx, g->samples);
	else if (column == BASIS && g->known)
		sqlite3_result_text(ctx, g->max_step > 0 ? "bounds" : "exact", -1, SQLITE_STATIC);
	else if (column == BUSY_MAX)
		v = g->max_busy;
	else if (column == IOWAIT_MAX)
		v = g->max_iowait;
	else if (column == SOURCE)
		result_source(rows, rows->shown[row], ctx);
	else if (column >= BUSY_MEAN)
		v = td_weighted_mean(&g->means[means[column]],
				     g->ndurs > 0 ? g->durs / g->ndurs : 1);
	if (!isnan(v))
		sqlite3_result_double(ctx, v);
}

const struct td_loaded_kind td_cpu_sample_stat_kind = {
	.name = "cpu_sample_stat",
	.columns =
		"host TEXT, device_id INTEGER, samples INTEGER, basis TEXT, busy_mean_pct REAL, "
		"busy_mean_min_pct REAL, busy_mean_max_pct REAL, busy_max_pct REAL, usr_pct REAL, "
		"nice_pct REAL, sys_pct REAL, iowait_pct REAL, iowait_max_pct REAL, irq_pct REAL, "
		"steal_pct REAL, idle_pct REAL, source TEXT, since_ns INTEGER, until_ns INTEGER, "
		"in_phase TEXT",
	.args = { TD_LOADED_WHEN(SINCE, UNTIL, PHASE) },
	.load = load_rows,
	.value = row_value,
	.free = free_rows,
};
