/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>

#include "analyzer/scan/request.h"
#include "analyzer/scan/stat_held.h"
#include "common/cleanup.h"
#include "schema/db.h"

#define M(x) (1u << TD_MEASURE_##x)
#define SUMS_HELD (M(COUNT) | M(ERRORS) | M(BYTES) | M(TOTAL_NS))
#define NESTED_HELD                                                                                \
	(SUMS_HELD | M(TIMED) | M(MIN_NS) | M(MAX_NS) | M(P50_NS) | M(P95_NS) | M(P99_NS))
#define OPS_HELD                                                                                   \
	(NESTED_HELD | M(STDDEV_NS) | M(FIRST_NS) | M(LAST_NS) | M(NESTED_CALLS) | M(UNFINISHED))
#define FILES_HELD                                                                                 \
	(SUMS_HELD | M(TIMED) | M(MAX_NS) | M(P50_NS) | M(P99_NS) | M(MIN_BYTES) |                 \
	 M(P50_BYTES_LOW) | M(MAX_BYTES) | M(SEQUENTIAL) | M(RANDOM) | M(FIRST_NS) | M(LAST_NS))
#define SUMMED_HELD (FILES_HELD & ~(M(P50_NS) | M(P99_NS) | M(P50_BYTES_LOW)))
#define IN_COMMON_HELD (SUMS_HELD | M(MAX_NS) | TD_MEASURES_FILES)
#define BINS_OF (D(FILE) | D(PROCESS) | D(OP) | D(BIN))
#define WORK_COUNTED (M(COUNT) | M(TIMED))
#define WORK_SUMS                                                                                  \
	(WORK_COUNTED | M(BYTES) | M(TOTAL_NS) | M(MIN_NS) | M(MAX_NS) | M(STDDEV_NS) |            \
	 M(FIRST_NS) | M(LAST_NS))
#define WORK_HELD (WORK_SUMS | TD_MEASURES_PERCENTILES)
#define REQUESTS_SUMS ((WORK_SUMS & ~M(STDDEV_NS)) | M(QUEUED) | M(QUEUE_NS) | TD_MEASURES_SEEKS)
#define REQUESTS_HELD (REQUESTS_SUMS | TD_MEASURES_PERCENTILES)
#define SLICES_HELD (WORK_COUNTED | M(TOTAL_NS) | M(MIN_NS) | M(MAX_NS) | M(FIRST_NS) | M(LAST_NS))
#define BUCKETS_HELD (M(COUNT) | M(BYTES) | M(TOTAL_NS))
#define THREADS_HELD (M(COUNT) | M(ERRORS) | M(TOTAL_NS) | M(FIRST_NS) | M(LAST_NS))
#define D(x) (1u << TD_DIM_##x)
#define PLACE (D(DIRECTORY) | D(CLASS) | D(STORAGE))

/* What the views know of the whole run without looking at all rows. The first ones of both are
 * found by the dims alone. */
static const struct held {
	bool io; /* of io_stat, else of call_stat */
	unsigned dims, measures;
	unsigned of; /* the grouping whose rows they are made of; 0: themselves */
} of_calls[] = {
	{ false, D(OP), OPS_HELD },
	{ false, D(PROCESS) | D(OP), OPS_HELD },
	{ false, D(OP) | D(NESTED), NESTED_HELD },
	{ false, D(PROCESS) | D(OP) | D(NESTED), NESTED_HELD },
	{ false, D(FILE) | D(PROCESS) | D(OP) | D(BIN), SUMS_HELD },
	{ true, D(FILE) | D(VERB), FILES_HELD },
	{ true, D(FILE) | D(PROCESS) | D(VERB), FILES_HELD },
	{ true, D(TEMPLATE) | D(VERB), FILES_HELD },
	{ true, D(TEMPLATE) | D(PROCESS) | D(VERB), FILES_HELD },
	{ true, D(DIRECTORY) | D(VERB), FILES_HELD },
	{ true, D(DIRECTORY) | D(PROCESS) | D(VERB), FILES_HELD },
	{ true, D(CLASS) | D(VERB), FILES_HELD },
	{ true, D(CLASS) | D(PROCESS) | D(VERB), FILES_HELD },
	{ true, D(PROCESS) | D(VERB), FILES_HELD },
	{ true, D(FILE) | D(VERB) | D(WAITS), FILES_HELD, D(FILE) | D(VERB) },
	{ true, D(FILE) | D(PROCESS) | D(VERB) | D(WAITS), FILES_HELD,
	  D(FILE) | D(PROCESS) | D(VERB) },
	{ true, D(VERB) | D(WAITS), SUMMED_HELD, D(FILE) | D(VERB) },
	{ true, D(PROCESS) | D(VERB) | D(WAITS), SUMMED_HELD, D(FILE) | D(PROCESS) | D(VERB) },
	{ true, PLACE, IN_COMMON_HELD, D(FILE) | D(VERB) },
	{ true, PLACE | D(VERB), IN_COMMON_HELD, D(FILE) | D(VERB) },
	{ true, PLACE | D(PROCESS), IN_COMMON_HELD, D(FILE) | D(PROCESS) | D(VERB) },
	{ true, PLACE | D(PROCESS) | D(VERB), IN_COMMON_HELD, D(FILE) | D(PROCESS) | D(VERB) },
	{ true, D(CLASS) | D(PROCESS), IN_COMMON_HELD, D(FILE) | D(PROCESS) | D(VERB) },
	{ false, D(CLASS) | D(OP) | D(BIN), SUMS_HELD, BINS_OF },
};

/* The same of the other relations, by the table whose rows they look at; a grouping of which there
 * were too many rows has none. */
static const struct {
	const char *rows, *table; /* the table that holds them */
	unsigned dims, measures;
} of_others[] = {
	{ "gpu_op", "gpu_op_stat", D(KIND) | D(LATENCY), WORK_COUNTED },
	{ "gpu_op", "gpu_op_stat", D(KIND), WORK_HELD },
	{ "gpu_op", "gpu_op_stat", D(KIND) | D(NAME), WORK_HELD },
	{ "gpu_op", "gpu_op_stat", D(PROCESS) | D(KIND) | D(NAME), WORK_HELD },
	{ "gpu_op", "gpu_op_stat", D(DEVICE) | D(PROCESS) | D(KIND) | D(NAME), WORK_HELD },
	{ "gpu_op", "gpu_op_stat", D(DEVICE) | D(KIND) | D(NAME) | D(BYTES), WORK_SUMS },
	{ "block_request", "block_request_stat", D(DEVICE), REQUESTS_HELD },
	{ "block_request", "block_request_stat", D(DEVICE) | D(DIRECTION), REQUESTS_HELD },
	{ "block_request", "block_request_stat", D(DEVICE) | D(DIRECTION) | D(PROCESS),
	  REQUESTS_HELD },
	{ "block_request", "block_request_stat", D(DEVICE) | D(DIRECTION) | D(SEEK),
	  REQUESTS_SUMS },
	{ "sched_slice", "sched_slice_stat", D(THREAD) | D(KIND), SLICES_HELD },
	{ "sched_slice", "sched_slice_stat", D(THREAD) | D(KIND) | D(NAME), SLICES_HELD },
	{ "sched_slice", "sched_slice_stat", D(THREAD) | D(KIND) | D(OCTAVE),
	  WORK_COUNTED | M(TOTAL_NS) },
};

/* The same of calls in tables that the view shows as they are. */
static const struct {
	const char *table;
	unsigned dims, measures;
	bool io;
	bool alone; /* the table has no other groupings, and no column 'by' */
} of_tables[] = {
	{ "bucket_stat", D(OP) | D(LATENCY), BUCKETS_HELD },
	{ "bucket_stat", D(OP) | D(SIZE), BUCKETS_HELD },
	{ "bucket_stat", D(TEMPLATE) | D(VERB) | D(SIZE), BUCKETS_HELD, .io = true },
	{ "bucket_stat", D(PROCESS) | D(VERB) | D(SIZE), BUCKETS_HELD, .io = true },
	{ "thread_stat", D(CLASS) | D(PROCESS) | D(THREAD) | D(OP), THREADS_HELD, .alone = true },
	{ "class_bin_stat", D(CLASS) | D(OP) | D(BIN), SUMS_HELD, .alone = true },
};

void td_stat_add_by(struct td_strbuf *to, const struct td_relation *of, unsigned by)
{
	const char *comma = "";

	for (size_t d = 0; d < of->ndims; d++)
		if (by & 1u << of->dims[d].dim) {
			td_strbuf_addf(to, "%s%s", comma, of->dims[d].name);
			comma = ",";
		}
}

/* Measures that the rows of the grouping do not have after all, as they were too many; all of them
 * if it has no rows. */
static int omitted_measures(sqlite3 *db, const struct td_relation *of, unsigned by, unsigned *ret)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	_cleanup_(td_strbuf_done) struct td_strbuf sql = TD_STRBUF_INIT;
	int rc;

	td_strbuf_addf(
		&sql,
		"SELECT max(rows_held) FROM main.stat_omitted WHERE relation = '%s' AND by = '",
		of->name);
	td_stat_add_by(&sql, of, by);
	td_strbuf_adds(&sql, "'");
	if (td_strbuf_error(&sql) < 0)
		return td_strbuf_error(&sql);
	rc = sqlite3_prepare_v2(db, td_strbuf_str(&sql), -1, &stmt, NULL);
	if (rc != SQLITE_OK || sqlite3_step(stmt) != SQLITE_ROW)
		return -EIO;
	if (sqlite3_column_type(stmt, 0) == SQLITE_NULL)
		*ret = 0;
	else
		*ret = sqlite3_column_int(stmt, 0) ? M(SEQUENTIAL) | M(RANDOM) : UINT_MAX;
	return 0;
}

/* Has this table of the file rows of the grouping? alone: it has no others. */
static bool has_rows(sqlite3 *db, const char *table, const struct td_relation *of, unsigned by,
		     bool alone)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	_cleanup_(td_strbuf_done) struct td_strbuf sql = TD_STRBUF_INIT;

	td_strbuf_addf(&sql, "SELECT EXISTS (SELECT 1 FROM main.%s", table);
	if (!alone) {
		td_strbuf_adds(&sql, " WHERE by = '");
		td_stat_add_by(&sql, of, by);
		td_strbuf_adds(&sql, "'");
	}
	td_strbuf_adds(&sql, ")");
	return td_strbuf_error(&sql) == 0 &&
	       sqlite3_prepare_v2(db, td_strbuf_str(&sql), -1, &stmt, NULL) == SQLITE_OK &&
	       sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_int(stmt, 0);
}

static bool is_other_held(sqlite3 *db, const struct td_relation *of, unsigned by, unsigned wanted)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(of_others); i++)
		if (strcmp(of_others[i].rows, of->table) == 0 && of_others[i].dims == by)
			return (wanted & ~of_others[i].measures) == 0 &&
			       has_rows(db, of_others[i].table, of, by, false);
	return false;
}

bool td_stat_has_table(sqlite3 *db, const struct td_relation *of, unsigned by, unsigned wanted)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(of_tables); i++)
		if (strcmp(of->table, "call") == 0 && of_tables[i].io == of->io_only &&
		    of_tables[i].dims == by)
			return (wanted & ~of_tables[i].measures) == 0 &&
			       has_rows(db, of_tables[i].table, of, by, of_tables[i].alone);
	return false;
}

bool td_stat_has_groups(sqlite3 *db, const struct td_relation *of, unsigned by, unsigned wanted)
{
	unsigned omitted = 0;

	for (size_t i = 0; i < TD_ARRAY_SIZE(of_calls) && strcmp(of->table, "call") == 0; i++)
		if (of_calls[i].io == of->io_only && of_calls[i].dims == by)
			return (wanted & ~of_calls[i].measures) == 0 &&
			       omitted_measures(db, of, of_calls[i].of ? of_calls[i].of : by,
						&omitted) == 0 &&
			       omitted != UINT_MAX && (wanted & omitted) == 0;
	return false;
}

bool td_stat_is_held(sqlite3 *db, const struct td_relation *of, unsigned by, unsigned wanted)
{
	if (strcmp(of->table, "call") != 0)
		return is_other_held(db, of, by, wanted);
	return td_stat_has_groups(db, of, by, wanted) || td_stat_has_table(db, of, by, wanted);
}

unsigned td_stat_common_of(const struct td_relation *of, unsigned by)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(of_calls); i++)
		if (of_calls[i].io == of->io_only && of_calls[i].dims == by &&
		    (of_calls[i].dims & D(STORAGE) || of_calls[i].of == BINS_OF) &&
		    strcmp(of->table, "call") == 0)
			return of_calls[i].of;
	return 0;
}
