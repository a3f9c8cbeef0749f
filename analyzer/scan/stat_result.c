/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "analyzer/scan/stat_result.h"
#include "schema/rows.h"
#include "schema/stat_math.h"

static void result_known(sqlite3_context *ctx, int64_t v)
{
	if (v == TD_NULL)
		sqlite3_result_null(ctx);
	else
		sqlite3_result_int64(ctx, v);
}

static void result_real(sqlite3_context *ctx, double v)
{
	if (isnan(v))
		sqlite3_result_null(ctx);
	else
		sqlite3_result_double(ctx, v);
}

static void result_text(sqlite3_context *ctx, const char *text)
{
	sqlite3_result_text(ctx, text, -1, SQLITE_TRANSIENT);
}

static const char *const directions[] = {
	[TD_BLOCK_READ] = "read", [TD_BLOCK_WRITE] = "write", [TD_BLOCK_OTHER] = "other"
};

void td_stat_dim_result(const struct td_stat *s, size_t group, enum td_dim dim,
			sqlite3_context *ctx)
{
	const struct td_dims *d = &s->dims;
	uint64_t key = td_dims_part(d, dim, s->keys.items[group]);

	if (dim == TD_DIM_BIN)
		sqlite3_result_int64(ctx, (d->first_bin + (int64_t)key) * d->bin_width_ns);
	else if (key == 0 && !td_dim_has_zero(dim))
		sqlite3_result_null(ctx);
	else if (dim == TD_DIM_LATENCY)
		sqlite3_result_int64(ctx, td_latency_low((unsigned)key - 1));
	else if (dim == TD_DIM_DIRECTION && key > 0)
		result_text(ctx, directions[key - 1]);
	else if (dim == TD_DIM_SIZE || dim == TD_DIM_SEEK || dim == TD_DIM_OCTAVE)
		sqlite3_result_int64(ctx, td_size_low((unsigned)key - 1));
	else if (dim == TD_DIM_BYTES)
		sqlite3_result_int64(ctx, (int64_t)(key - 1));
	else if (d->labels[dim].n)
		result_text(ctx, d->labels[dim].items[key - 1]);
	else
		sqlite3_result_int64(ctx, (int64_t)key);
}

/* Sums that are shown as they are. */
static const enum td_sum shown[TD_NMEASURES] = {
	[TD_MEASURE_COUNT] = TD_SUM_CALLS,
	[TD_MEASURE_ERRORS] = TD_SUM_ERRORS,
	[TD_MEASURE_TIMED] = TD_SUM_TIMED,
	[TD_MEASURE_BYTES] = TD_SUM_BYTES,
	[TD_MEASURE_TOTAL_NS] = TD_SUM_TOTAL,
	[TD_MEASURE_MIN_NS] = TD_SUM_MIN,
	[TD_MEASURE_MAX_NS] = TD_SUM_MAX,
	[TD_MEASURE_MIN_BYTES] = TD_SUM_MIN_BYTES,
	[TD_MEASURE_MAX_BYTES] = TD_SUM_MAX_BYTES,
	[TD_MEASURE_SEQUENTIAL] = TD_SUM_SEQUENTIAL,
	[TD_MEASURE_RANDOM] = TD_SUM_RANDOM,
	[TD_MEASURE_FIRST_NS] = TD_SUM_FIRST,
	[TD_MEASURE_LAST_NS] = TD_SUM_LAST,
	[TD_MEASURE_NESTED_CALLS] = TD_SUM_NESTED,
	[TD_MEASURE_UNFINISHED] = TD_SUM_UNFINISHED,
	[TD_MEASURE_QUEUED] = TD_SUM_QUEUED,
	[TD_MEASURE_QUEUE_NS] = TD_SUM_QUEUE,
	[TD_MEASURE_FOLLOWING] = TD_SUM_FOLLOWING,
	[TD_MEASURE_FORWARD] = TD_SUM_FORWARD,
	[TD_MEASURE_BACKWARD] = TD_SUM_BACKWARD,
	[TD_MEASURE_DURING_COUNT] = TD_SUM_DURING_CALLS,
	[TD_MEASURE_DURING_NS] = TD_SUM_DURING,
};

void td_stat_sum_result(const struct td_group_sums *sums, size_t g, enum td_measure m,
			sqlite3_context *ctx)
{
	switch (m) {
	case TD_MEASURE_STDDEV_NS:
		result_real(ctx, td_deviation((uint64_t)td_group_sums_get(sums, g, TD_SUM_TIMED),
					      td_group_sums_get(sums, g, TD_SUM_TOTAL),
					      td_group_sums_squares(sums, g)));
		break;
	case TD_MEASURE_SEQUENTIAL:
	case TD_MEASURE_RANDOM: /* NULL: no offset is known */
		if (td_group_sums_get(sums, g, TD_SUM_SEQUENTIAL) +
			    td_group_sums_get(sums, g, TD_SUM_RANDOM) ==
		    0)
			break;
		/* fallthrough */
	default:
		if (m < TD_NMEASURES)
			result_known(ctx, td_group_sums_get(sums, g, shown[m]));
	}
}

void td_stat_file_result(const struct td_busiest_file *of, enum td_measure m, sqlite3_context *ctx)
{
	result_known(ctx, m == TD_MEASURE_FILES        ? of->files
			  : m == TD_MEASURE_BUSIEST_NS ? of->ns
						       : of->file);
}

void td_stat_measure_result(const struct td_stat *s, size_t g, enum td_measure m,
			    sqlite3_context *ctx)
{
	switch (m) {
	case TD_MEASURE_P50_NS:
		result_real(ctx, s->p50_ns[g]);
		break;
	case TD_MEASURE_P95_NS:
		result_known(ctx, s->p95_ns[g]);
		break;
	case TD_MEASURE_P99_NS:
		result_known(ctx, s->p99_ns[g]);
		break;
	case TD_MEASURE_P50_BYTES_LOW:
		result_known(ctx, s->p50_bytes_low[g]);
		break;
	case TD_MEASURE_FILES:
	case TD_MEASURE_BUSIEST_FILE:
	case TD_MEASURE_BUSIEST_NS:
		td_stat_file_result(&s->files[g], m, ctx);
		break;
	default:
		td_stat_sum_result(&s->sums, g, m, ctx);
	}
}
