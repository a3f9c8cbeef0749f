/* SPDX-License-Identifier: MIT */
/*
 * gpu_sample_stat: how busy GPUs were by their samples. What a tool printed at a time of a GPU (its
 * utilisation, or that of each process on it) is one moment; moments add up to rows, as the view of
 * the same name has it.
 */
#include <errno.h>

#include "analyzer/scan/loaded_table.h"
#include "analyzer/scan/samples.h"
#include "analyzer/scan/select.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "schema/db.h"

enum column {
	BY,
	DEVICE,
	PROCESS,
	TS,
	SAMPLES,
	UNSAMPLED,
	BASIS,
	SM_MEAN,
	SM_MEAN_MIN,
	SM_MEAN_MAX,
	SM_P50,
	SM_MAX,
	MEM_MEAN,
	MEM_MAX,
	FB_MAX,
	SINCE,
	UNTIL,
	PHASE,
	PID,
	OF_PROCESS
};
enum arg { ARG_BY, ARG_SINCE, ARG_UNTIL, ARG_PHASE, ARG_PID, ARG_PROCESS };

/* What rows can be of. */
enum { BY_GPU, BY_PROCESS, BY_TIME };

/* ?1 is how they are grouped, ?2 and ?3 whose tracks count. Of several tools that sampled a GPU the
 * one that can know most is believed. A series is what one tool says of what a row is of. */
#define TRACKS                                                                                     \
	"WITH best AS (SELECT device_id, source_id, basis, below_pct, above_pct, row_number() "    \
	"OVER (PARTITION BY device_id ORDER BY precedence, source_id) AS place "                   \
	"FROM main.gpu_sampler), "                                                                 \
	"t AS (SELECT id, name, device_id, source_id, process_id IS NOT NULL AS is_one, "          \
	"CASE WHEN ?1 = 'process' THEN process_id END AS process_id FROM main.track "              \
	"WHERE name IN ('gpu.sm', 'gpu.mem', 'gpu.fb') "                                           \
	"AND device_id IN (SELECT id FROM main.device WHERE kind = 'gpu') "                        \
	"AND (?2 IS NULL OR process_id IN (SELECT id FROM main.process WHERE pid = ?2)) "          \
	"AND (?3 IS NULL OR process_id IN (SELECT id FROM main.process WHERE name = ?3 OR role = " \
	"?3))) "                                                                                   \
	"SELECT t.id, instr('smf', substr(t.name, 5, 1)) - 1, t.is_one, "                          \
	"coalesce(b.source_id = t.source_id, 0), "                                                 \
	"dense_rank() OVER (ORDER BY t.device_id, t.process_id, t.source_id) - 1, "                \
	"dense_rank() OVER (ORDER BY t.device_id, t.process_id) - 1, "                             \
	"t.device_id, t.process_id, coalesce(b.basis = 'bounds', 0), "                             \
	"b.below_pct, b.above_pct "                                                                \
	"FROM t LEFT JOIN best AS b ON b.device_id = t.device_id AND b.place = 1 ORDER BY 5"
enum { KIND_SM, KIND_MEM, KIND_FB }; /* second column: by 's', 'm' and 'f' of the names */

struct track {
	uint8_t kind;
	bool is_one; /* of one process; else of the GPU */
	bool is_best; /* by the tool that is believed */
	uint32_t series;
};

struct moment {
	int64_t ts_ns; /* TD_NULL: none so far */
	int64_t dur_ns;
	double whole, largest,
		total; /* of sm: the GPU's, the largest of its processes' and their sum */
	unsigned processes, missing, sm_rows;
	double mem, mem_sum, fb, fb_sum;
};

struct series {
	uint32_t of; /* what its rows are of */
	double below, above;
	struct moment now;
};

/* What rows are of: a GPU, or a process on it. */
struct subject {
	int64_t device_id, process_id;
	bool is_bounds;
};

struct group {
	uint32_t of; /* subject */
	int64_t ts_ns; /* TD_NULL: of all times */
	int64_t samples, unsampled, known;
	struct td_weighted low, least, most;
	double durs, ndurs;
	bool differ; /* low and high, once at least */
	double max_low, mem_sum, nmem, max_mem, max_fb;
	double median; /* of low; NaN: unknown */
};

/* Of moments that are known: low, in an order of integers. */
struct low {
	uint32_t group;
	int64_t low;
};

struct rows {
	size_t by;
	struct td_key_map ids; /* of tracks: their number, plus 1 */
	struct track *tracks; /* owned, as all */
	size_t ntracks, tracks_cap;
	struct series *series;
	size_t nseries, series_cap;
	struct subject *subjects;
	size_t nsubjects, subjects_cap;
	struct td_keys keys; /* of the groups: subject and time */
	struct group *groups;
	size_t groups_cap;
	struct low *lows;
	size_t nlows, lows_cap;
};

/* --- what is looked at --- */

static int add_track(struct rows *rows, sqlite3_stmt *stmt)
{
	struct track t = { .kind = (uint8_t)sqlite3_column_int(stmt, 1),
			   .is_one = sqlite3_column_int(stmt, 2),
			   .is_best = sqlite3_column_int(stmt, 3),
			   .series = (uint32_t)sqlite3_column_int64(stmt, 4) };
	uint32_t of = (uint32_t)sqlite3_column_int64(stmt, 5);

	if (td_grow(&rows->tracks, &rows->tracks_cap, rows->ntracks) < 0 ||
	    td_grow(&rows->series, &rows->series_cap, rows->nseries) < 0 ||
	    td_grow(&rows->subjects, &rows->subjects_cap, rows->nsubjects) < 0)
		return -ENOMEM;
	/* tracks come in the order of their series, whose numbers and those of the subjects ascend by one */
	if (t.series == rows->nseries)
		rows->series[rows->nseries++] =
			(struct series){ .of = of,
					 .below = sqlite3_column_double(stmt, 9),
					 .above = sqlite3_column_double(stmt, 10),
					 .now = { .ts_ns = TD_NULL } };
	if (of == rows->nsubjects)
		rows->subjects[rows->nsubjects++] = (struct subject){
			.device_id = sqlite3_column_int64(stmt, 6),
			.process_id = td_db_known(stmt, 7),
			.is_bounds = sqlite3_column_int(stmt, 8),
		};
	rows->tracks[rows->ntracks++] = t;
	return td_key_map_add(&rows->ids, sqlite3_column_int64(stmt, 0), (uint32_t)rows->ntracks);
}

static int load_tracks(sqlite3 *db, sqlite3_value *const *args, struct rows *rows,
		       struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, TRACKS, -1, &stmt, NULL), r = 0;

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text(stmt, 1, td_gpu_sample_stat_kind.groupings[rows->by], -1,
				       SQLITE_STATIC);
	if (rc == SQLITE_OK && args[ARG_PID])
		rc = sqlite3_bind_value(stmt, 2, args[ARG_PID]);
	if (rc == SQLITE_OK && args[ARG_PROCESS])
		rc = sqlite3_bind_value(stmt, 3, args[ARG_PROCESS]);
	while (rc == SQLITE_OK && r == 0 && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		r = add_track(rows, stmt);
		rc = SQLITE_OK;
	}
	return r < 0 || rc == SQLITE_DONE ? r : td_db_error(db, rc, err, "cannot read the tracks");
}

/* --- moments --- */

/* The bits of a real, in its order. */
static int64_t order_of(double d)
{
	int64_t bits;

	d += 0.0; /* -0.0 is 0.0 */
	memcpy(&bits, &d, sizeof(bits));
	return bits < 0 ? bits ^ INT64_MAX : bits;
}

static double real_of(int64_t order)
{
	int64_t bits = order < 0 ? order ^ INT64_MAX : order;
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

static int find_group(struct rows *rows, uint32_t of, int64_t ts_ns, struct group **ret)
{
	size_t before = rows->keys.n, i;

	if (td_keys_reserve(&rows->keys, 1) < 0 ||
	    td_grow(&rows->groups, &rows->groups_cap, before) < 0)
		return -ENOMEM;
	i = td_keys_add(&rows->keys, (struct td_key){ of, (uint64_t)ts_ns });
	if (i == before)
		rows->groups[i] = (struct group){ .of = of,
						  .ts_ns = ts_ns,
						  .max_low = NAN,
						  .max_mem = NAN,
						  .max_fb = NAN,
						  .median = NAN };
	*ret = &rows->groups[i];
	return 0;
}

/* Of the processes on a GPU the busiest one alone may have kept it busy, or each at a time of its
 * own. '-' without a process: there was none. */
static int add_known(struct rows *rows, struct group *g, const struct series *s)
{
	const struct moment *m = &s->now;
	bool has_whole = !isnan(m->whole);
	double low = has_whole ? m->whole : m->processes ? m->largest : 0;
	double high = has_whole ? m->whole : m->missing ? 100 : m->processes ? m->total : 0;
	double below = has_whole || m->processes ? s->below : 0;
	double above = has_whole ? s->above : s->above * m->processes;

	if (td_grow(&rows->lows, &rows->lows_cap, rows->nlows) < 0)
		return -ENOMEM;
	rows->lows[rows->nlows++] = (struct low){ (uint32_t)(g - rows->groups), order_of(low) };
	high = TD_MIN(high, 100.0);
	g->known++;
	g->differ |= low != high;
	g->max_low = td_larger(g->max_low, low);
	td_weighted_add(&g->low, m->dur_ns, low);
	td_weighted_add(&g->least, m->dur_ns, TD_MAX(low - below, 0.0));
	td_weighted_add(&g->most, m->dur_ns, TD_MIN(high + above, 100.0));
	if (!has_whole && m->missing)
		g->unsampled++;
	else
		g->samples++;
	return 0;
}

static int end_moment(struct rows *rows, struct series *s)
{
	const struct moment *m = &s->now;
	double mem = isnan(m->mem) ? m->mem_sum : m->mem, fb = isnan(m->fb) ? m->fb_sum : m->fb;
	struct group *g;
	int r;

	if (m->ts_ns == TD_NULL || (!m->sm_rows && isnan(mem) && isnan(fb)))
		return 0;
	r = find_group(rows, s->of, rows->by == BY_TIME ? m->ts_ns : TD_NULL, &g);
	if (r < 0)
		return r;
	if (m->dur_ns != TD_NULL) {
		g->durs += (double)m->dur_ns;
		g->ndurs += 1;
	}
	if (!isnan(mem)) {
		mem = TD_MIN(mem, 100.0);
		g->mem_sum += mem;
		g->nmem += 1;
		g->max_mem = td_larger(g->max_mem, mem);
	}
	g->max_fb = td_larger(g->max_fb, fb);
	return m->sm_rows ? add_known(rows, g, s) : 0;
}

static double plus(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : a + b;
}

static void add_sm(struct moment *m, const struct track *t, double value)
{
	m->sm_rows++;
	if (!t->is_one) {
		m->whole = td_larger(m->whole, value);
	} else if (isnan(value)) {
		m->missing++;
	} else {
		m->processes++;
		m->largest = td_larger(m->largest, value);
		m->total += value;
	}
}

static int add_sample(void *arg, const struct td_sample_row *s)
{
	struct rows *rows = arg;
	const struct track *t = &rows->tracks[s->track - 1];
	struct series *series = &rows->series[t->series];
	struct moment *m = &series->now;
	int r = 0;

	if (m->ts_ns != s->ts_ns) {
		r = end_moment(rows, series);
		*m = (struct moment){ .ts_ns = s->ts_ns,
				      .dur_ns = TD_NULL,
				      .whole = NAN,
				      .largest = NAN,
				      .mem = NAN,
				      .mem_sum = NAN,
				      .fb = NAN,
				      .fb_sum = NAN };
	}
	m->dur_ns = TD_MAX(m->dur_ns, s->dur_ns); /* TD_NULL is the smallest number */
	if (t->kind == KIND_SM && t->is_best) {
		add_sm(m, t, s->value);
	} else if (t->kind == KIND_MEM && t->is_best) {
		if (!t->is_one)
			m->mem = td_larger(m->mem, s->value);
		m->mem_sum = plus(m->mem_sum, s->value);
	} else if (t->kind == KIND_FB) { /* how much is in use all tools know alike */
		if (!t->is_one)
			m->fb = td_larger(m->fb, s->value);
		m->fb_sum = plus(m->fb_sum, s->value);
	}
	return r;
}

/* --- medians --- */

/* All known ones, group by group. */
static int find_medians(struct rows *rows)
{
	_cleanup_free_ int64_t *lows = malloc((rows->nlows + 1) * sizeof(*lows));
	_cleanup_free_ size_t *next = malloc((rows->keys.n + 1) * sizeof(*next));
	size_t at = 0;

	if (!lows || !next)
		return -ENOMEM;
	for (size_t g = 0; g < rows->keys.n; g++) {
		next[g] = at;
		at += (size_t)rows->groups[g].known;
	}
	for (size_t i = 0; i < rows->nlows; i++)
		lows[next[rows->lows[i].group]++] = rows->lows[i].low;
	for (size_t g = 0; g < rows->keys.n; g++) {
		size_t n = (size_t)rows->groups[g].known;
		int64_t *mine = lows + next[g] - n; /* next is behind its last one now */

		if (n)
			rows->groups[g].median = (real_of(td_select(mine, n, (n - 1) / 2)) +
						  real_of(td_select(mine, n, n / 2))) /
						 2;
	}
	return 0;
}

/* --- the table --- */

static void free_rows(void *arg)
{
	struct rows *rows = arg;

	td_key_map_done(&rows->ids);
	free(rows->tracks);
	free(rows->series);
	free(rows->subjects);
	td_keys_done(&rows->keys);
	free(rows->groups);
	free(rows->lows);
	free(rows);
}

static int load_rows(sqlite3 *db, sqlite3_value *const *args, size_t by, void **ret, size_t *nrows,
		     struct td_err *err)
{
	const struct td_stat_request asked = { .since_ns = td_loaded_int(args[ARG_SINCE]),
					       .until_ns = td_loaded_int(args[ARG_UNTIL]),
					       .phase = td_loaded_text(args[ARG_PHASE]) };
	struct rows *rows = calloc(1, sizeof(*rows));
	int r;

	*ret = rows;
	if (!rows)
		return -ENOMEM;
	rows->by = by;
	r = load_tracks(db, args, rows, err);
	if (r == 0)
		r = td_samples_each(db, &asked, &rows->ids, add_sample, rows, err);
	for (size_t i = 0; i < rows->nseries && r == 0; i++)
		r = end_moment(rows, &rows->series[i]);
	if (r == 0)
		r = find_medians(rows);
	*nrows = rows->keys.n;
	return r;
}

static void result_real(sqlite3_context *ctx, double v)
{
	if (!isnan(v))
		sqlite3_result_double(ctx, v);
}

static void row_value(void *arg, size_t row, int column, sqlite3_context *ctx)
{
	const struct rows *rows = arg;
	const struct group *g = &rows->groups[row];
	const struct subject *of = &rows->subjects[g->of];
	double length = g->ndurs > 0 ? g->durs / g->ndurs : 1;
	bool is_bounds = of->is_bounds && g->known;
	const int64_t numbers[] = { [DEVICE] = of->device_id,
				    [PROCESS] = of->process_id,
				    [TS] = g->ts_ns,
				    [SAMPLES] = g->samples,
				    [UNSAMPLED] = g->unsampled };
	const double reals[] = {
		[SM_MEAN] = g->differ ? NAN : td_weighted_mean(&g->low, length),
		[SM_MEAN_MIN] = is_bounds ? td_weighted_mean(&g->least, length) : NAN,
		[SM_MEAN_MAX] = is_bounds ? td_weighted_mean(&g->most, length) : NAN,
		[SM_P50] = g->differ ? NAN : g->median,
		[SM_MAX] = g->max_low,
		[MEM_MEAN] = g->nmem > 0 ? g->mem_sum / g->nmem : NAN,
		[MEM_MAX] = g->max_mem,
		[FB_MAX] = g->max_fb,
	};

	if (column == BASIS && g->known)
		sqlite3_result_text(ctx, of->is_bounds ? "bounds" : "estimate", -1, SQLITE_STATIC);
	else if (column == FB_MAX && !isnan(g->max_fb))
		sqlite3_result_int64(ctx, (sqlite3_int64)g->max_fb);
	else if (column >= SM_MEAN)
		result_real(ctx, reals[column]);
	else if (column != BASIS)
		td_loaded_known(ctx, numbers[column]);
}

const struct td_loaded_kind td_gpu_sample_stat_kind = {
	.name = "gpu_sample_stat",
	.columns =
		"by TEXT, device_id INTEGER, process_id INTEGER, ts_ns INTEGER, samples INTEGER, "
		"unsampled INTEGER, basis TEXT, sm_mean_pct REAL, sm_mean_min_pct REAL, "
		"sm_mean_max_pct REAL, sm_p50_pct REAL, sm_max_pct REAL, mem_mean_pct REAL, "
		"mem_max_pct REAL, fb_max_bytes INTEGER, since_ns INTEGER, until_ns INTEGER, "
		"in_phase TEXT, of_pid INTEGER, of_process TEXT",
	.args = { { BY, SQLITE_INDEX_CONSTRAINT_IS, false },
		  TD_LOADED_WHEN(SINCE, UNTIL, PHASE),
		  TD_LOADED_WHOSE(PID, OF_PROCESS) },
	.groupings = { [BY_GPU] = "gpu", [BY_PROCESS] = "process", [BY_TIME] = "time" },
	.load = load_rows,
	.value = row_value,
	.free = free_rows,
};
