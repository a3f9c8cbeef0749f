/* SPDX-License-Identifier: MIT */
/* Utilisation of the CPUs: all of a machine together, and a row for each. Of several tools the one
 * whose percents are finest is believed while it looked (cpu_sampler). */
#include <math.h>

#include "analyzer/timeline/timeline_private.h"
#include "common/units.h"

#define HEAT_ROWS_MAX 128 /* CPUs of a machine that are shown one by one */

/* A row is a sample of one CPU, or of all of a machine together: where the number is NULL. */
#define SAMPLES                                                                                    \
	"SELECT a.host, d.number, s.ts_ns, max(s.dur_ns),"                                         \
	" total(s.value) FILTER (WHERE t.name IN ('cpu.usr', 'cpu.nice')),"                        \
	" total(s.value) FILTER (WHERE t.name IN ('cpu.sys', 'cpu.irq', 'cpu.soft', "              \
	"'cpu.steal')),"                                                                           \
	" total(s.value) FILTER (WHERE t.name = 'cpu.iowait'),"                                    \
	" max(s.value) FILTER (WHERE t.name = 'cpu.idle'), o.path"                                 \
	" FROM cpu_sampler AS a"                                                                   \
	" JOIN track AS t ON t.source_id = a.source_id AND t.device_id IS a.device_id"             \
	" JOIN sample AS s ON s.track_id = t.id JOIN source AS o ON o.id = a.source_id"            \
	" LEFT JOIN device AS d ON d.id = a.device_id"                                             \
	" WHERE t.name LIKE 'cpu.%' AND NOT EXISTS (SELECT 1 FROM cpu_sampler AS b"                \
	"  WHERE b.device_id IS a.device_id AND b.host IS a.host AND b.precedence < a.precedence"  \
	"  AND s.ts_ns - coalesce(s.dur_ns, 0) < b.end_ns AND s.ts_ns > b.start_ns)"               \
	" GROUP BY a.host, d.number, s.ts_ns ORDER BY a.host, d.number, s.ts_ns"

enum { USER, SYSTEM, IOWAIT, NPARTS };

struct cpus {
	char *host; /* owned; NULL: not known */
	struct td_lane *all, *each;
	double *parts[NPARTS]; /* of all */
	double *covered; /* owned; of the series being filled */
	double *row; /* of each */
	struct td_during looked;
	int64_t number; /* of the CPU whose samples are read; -1: all together */
	int64_t last_ns, dur_ns;
	size_t nhosts;
	bool any; /* it has begun */
};

static void cpus_done(struct cpus *c)
{
	free(c->host);
	free(c->covered);
	td_during_done(&c->looked);
}

/* The samples of one CPU, or of all, are complete. */
static int end_series(struct td_filling *f, struct cpus *c)
{
	const struct td_grids *g = &f->t->grids;
	struct td_lane *lane = c->number < 0 ? c->all : c->each;
	int r = 0;

	if (!c->any || !lane)
		return 0;
	for (size_t i = 0; i < NPARTS && c->number < 0; i++)
		td_samples_finish(g, c->covered, c->parts[i]);
	if (c->number >= 0 && c->row)
		td_samples_finish(g, c->covered, c->row);
	lane->sampled_ns = c->dur_ns;
	if (c->number < 0)
		r = td_filling_gaps(f, lane, &c->looked);
	memset(c->covered, 0, g->total * sizeof(*c->covered));
	c->looked.n = 0;
	return r;
}

static char *title_of(const char *what, const char *host)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	td_strbuf_addf(&b, "%s%s%s", what, host ? " of " : "", host ? host : "");
	return td_strbuf_error(&b) < 0 ? NULL : td_timeline_name(b.p, b.len);
}

static int begin_all(struct td_filling *f, struct cpus *c, const char *source)
{
	static const struct {
		enum td_hue hue;
		const char *name;
	} parts[NPARTS] = {
		[USER] = { TD_HUE_USER, "user" },
		[SYSTEM] = { TD_HUE_SYSTEM, "system" },
		[IOWAIT] = { TD_HUE_IOWAIT, "idle, waiting for I/O" },
	};
	_cleanup_free_ char *title = title_of("CPUs", c->nhosts > 1 ? c->host : NULL);
	_cleanup_(td_strbuf_done) struct td_strbuf detail = TD_STRBUF_INIT;
	_cleanup_free_ char *name = td_timeline_name(source, strlen(source));
	char every[TD_UNITS_BUF];

	c->all = title ? td_filling_lane(f, "cpu", "cpu", title, TD_LANE_SHARES, TD_LANE_SHARE)
		       : NULL;
	if (!c->all || !name)
		return -ENOMEM;
	for (size_t i = 0; i < NPARTS; i++) {
		c->parts[i] = td_filling_series(f, c->all, parts[i].hue, parts[i].name);
		if (!c->parts[i])
			return -ENOMEM;
	}
	td_strbuf_addf(&detail, "every %s by %s", td_format_dur(every, sizeof(every), c->dur_ns),
		       name);
	if (td_strbuf_error(&detail) < 0)
		return -ENOMEM;
	free(c->all->detail);
	c->all->detail = TAKE_PTR(detail.p);
	return 0;
}

static int begin_row(struct td_filling *f, struct cpus *c)
{
	_cleanup_free_ char *title = title_of("Each CPU", c->nhosts > 1 ? c->host : NULL);
	char name[32];

	c->row = NULL;
	if (!title)
		return -ENOMEM;
	if (!c->each) {
		c->each = td_filling_lane(f, "cpus", "cpus", title, TD_LANE_HEAT, TD_LANE_SHARE);
		if (!c->each)
			return -ENOMEM;
		c->each->is_folded = true;
	}
	if (c->each->nseries == HEAT_ROWS_MAX)
		return 0;
	(void)snprintf(name, sizeof(name), "CPU %lld", (long long)c->number);
	c->row = td_filling_series(f, c->each, TD_HUE_USER, name);
	return c->row ? 0 : -ENOMEM;
}

static bool is_other_host(const struct cpus *c, const char *host)
{
	return !c->any || !c->host != !host || (host && strcmp(c->host, host) != 0);
}

/* Ends what was being read and begins another series. */
static int turn(struct td_filling *f, struct cpus *c, sqlite3_stmt *stmt, int64_t number)
{
	const char *host = (const char *)sqlite3_column_text(stmt, 0);
	const char *source = (const char *)sqlite3_column_text(stmt, 8);
	int r = end_series(f, c);

	if (r < 0)
		return r;
	if (is_other_host(c, host)) {
		free(c->host);
		c->host = host ? strdup(host) : NULL;
		if (host && !c->host)
			return -ENOMEM;
		c->all = c->each = NULL;
		c->nhosts++;
	}
	c->any = true;
	c->number = number;
	c->last_ns = TD_NULL;
	c->dur_ns = TD_MAX(sqlite3_column_int64(stmt, 3), 0);
	return number < 0 ? begin_all(f, c, source ? source : "") : begin_row(f, c);
}

static int add_sample(struct td_filling *f, struct cpus *c, sqlite3_stmt *stmt)
{
	const struct td_grids *g = &f->t->grids;
	int64_t end_ns = sqlite3_column_int64(stmt, 2);
	int64_t dur_ns = sqlite3_column_int64(stmt, 3), start_ns;
	double idle = sqlite3_column_double(stmt, 7), iowait = sqlite3_column_double(stmt, 6);

	if (dur_ns <= 0)
		dur_ns = c->last_ns == TD_NULL ? 0 : TD_MAX(0, end_ns - c->last_ns);
	c->last_ns = end_ns;
	if (__builtin_sub_overflow(end_ns, dur_ns, &start_ns) || start_ns >= end_ns ||
	    sqlite3_column_type(stmt, 7) == SQLITE_NULL)
		return 0;
	c->dur_ns = dur_ns;
	td_samples_add(g, start_ns, end_ns, 1, c->covered);
	if (c->number >= 0) {
		if (c->row)
			td_samples_add(g, start_ns, end_ns,
				       TD_MAX(0, TD_MIN(1, (100 - idle - iowait) / 100)), c->row);
		return 0;
	}
	for (int i = 0; i < NPARTS; i++)
		td_samples_add(g, start_ns, end_ns, sqlite3_column_double(stmt, 4 + i) / 100,
			       c->parts[i]);
	return td_cover_add(&c->looked, start_ns, end_ns);
}

int td_fill_cpu(struct td_filling *f, struct td_err *err)
{
	_cleanup_(cpus_done) struct cpus c = { .number = -2 };
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int r = td_filling_prepare(f, SAMPLES, &stmt, err);

	c.covered = calloc(f->t->grids.total + 1, sizeof(*c.covered));
	if (!c.covered)
		return -ENOMEM;
	while (r == 0 && (r = td_filling_step(f, stmt, err)) == 1) {
		int64_t number = sqlite3_column_type(stmt, 1) == SQLITE_NULL
					 ? -1
					 : TD_MAX(sqlite3_column_int64(stmt, 1), 0);

		r = 0;
		if (number != c.number ||
		    is_other_host(&c, (const char *)sqlite3_column_text(stmt, 0)))
			r = turn(f, &c, stmt, number);
		if (r == 0)
			r = add_sample(f, &c, stmt);
	}
	return r < 0 ? r : end_series(f, &c);
}
