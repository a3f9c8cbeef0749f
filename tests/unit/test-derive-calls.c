/* SPDX-License-Identifier: MIT */
/*
 * Statistics of calls against plain SQL over the call table that was written beside them. The nested flag
 * is taken from there; test-derive-nesting.c checks it.
 */
#include <math.h>

#include "common/histogram.h"
#include "tests/unit/derive_tables.h"

/* --- percentiles and deviation, from the durations themselves --- */

struct numbers {
	int64_t *v;
	size_t n, cap;
};

static void add_number(struct numbers *x, int64_t v)
{
	if (x->n == x->cap) {
		x->cap = x->cap ? x->cap * 2 : 1024;
		x->v = realloc(x->v, x->cap * sizeof(*x->v));
	}
	x->v[x->n++] = v;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The numbers of a one-column statement, ascending. Its parameters are the first columns of the row. */
static void select_numbers(sqlite3_stmt *s, sqlite3_stmt *row, int nparams, struct numbers *ret)
{
	ret->n = 0;
	for (int i = 0; i < nparams; i++)
		(void)sqlite3_bind_value(s, i + 1, sqlite3_column_value(row, i));
	while (sqlite3_step(s) == SQLITE_ROW)
		add_number(ret, sqlite3_column_int64(s, 0));
	sqlite3_reset(s);
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_value);
}

static void check_null_or(sqlite3_stmt *row, int column, bool null, int64_t want)
{
	TD_CHECK_INT(sqlite3_column_type(row, column) == SQLITE_NULL, null);
	if (!null)
		TD_CHECK_INT(sqlite3_column_int64(row, column), want);
}

/* Nearest rank: the smallest value that at least so many percent are not above. */
static int64_t percentile(const struct numbers *x, size_t percent)
{
	for (size_t i = 0; i < x->n; i++)
		if ((i + 1) * 100 >= x->n * percent)
			return x->v[i];
	return 0;
}

static void check_median(sqlite3_stmt *row, int column, const struct numbers *x)
{
	double want = x->n == 0 ? 0 : ((double)x->v[(x->n - 1) / 2] + (double)x->v[x->n / 2]) / 2;

	TD_CHECK_INT(sqlite3_column_type(row, column) == SQLITE_NULL, x->n == 0);
	if (x->n)
		TD_CHECK(sqlite3_column_double(row, column) == want);
}

/* In two passes, as the definition says. */
static void check_deviation(sqlite3_stmt *row, int column, const struct numbers *x)
{
	long double mean = 0, sum = 0;
	double want;

	TD_CHECK_INT(sqlite3_column_type(row, column) == SQLITE_NULL, x->n == 0);
	for (size_t i = 0; i < x->n; i++)
		mean += (long double)x->v[i] / (long double)x->n;
	for (size_t i = 0; i < x->n; i++)
		sum += ((long double)x->v[i] - mean) * ((long double)x->v[i] - mean);
	want = x->n > 1 ? (double)sqrtl(sum / (long double)(x->n - 1)) : 0;
	TD_CHECK(fabs(sqlite3_column_double(row, column) - want) <= want * 1e-9);
}

/* rows: key columns, p50, p95 or NULL, p99, deviation or NULL. durations: those of one key. */
static void check_percentiles(sqlite3 *db, const char *rows, int nkeys, const char *durations)
{
	struct numbers x = { 0 };
	sqlite3_stmt *row = NULL, *s = NULL;
	size_t n = 0;

	TD_CHECK_INT(sqlite3_prepare_v2(db, rows, -1, &row, NULL), SQLITE_OK);
	TD_CHECK_INT(sqlite3_prepare_v2(db, durations, -1, &s, NULL), SQLITE_OK);
	for (; sqlite3_step(row) == SQLITE_ROW; n++) {
		select_numbers(s, row, nkeys, &x);
		check_median(row, nkeys, &x);
		if (strstr(rows, "p95"))
			check_null_or(row, nkeys + 1, x.n == 0, percentile(&x, 95));
		check_null_or(row, nkeys + 2, x.n == 0, percentile(&x, 99));
		if (strstr(rows, "stddev"))
			check_deviation(row, nkeys + 3, &x);
	}
	TD_CHECK(n > 10);
	sqlite3_finalize(row);
	sqlite3_finalize(s);
	free(x.v);
}

/* --- per operation --- */

#define SUMS                                                                                       \
	"count(*), coalesce(sum(ret < 0), 0), count(dur_ns), sum(done_bytes), sum(dur_ns), "       \
	"min(dur_ns), max(dur_ns)"

static void test_op_stat(sqlite3 *db)
{
	/* the durations of each of many hundred groups are asked for */
	sql(db, "CREATE TEMP TABLE timed AS SELECT op_id, process_id, nested, dur_ns FROM call "
		"WHERE dur_ns IS NOT NULL");
	sql(db, "CREATE INDEX temp.timed_op ON timed (op_id, nested)");
	TD_CASE("op_stat");
	td_same_rows(
		db,
		"SELECT by, process_id, op_id, calls, errors, timed, done_bytes, total_ns, min_ns, "
		"max_ns, first_ns, last_ns, nested_calls FROM op_stat",
		"SELECT 'op' AS by, NULL AS process_id, op_id, " SUMS
		", min(start_ns), max(start_ns), "
		"(SELECT count(*) FROM call AS n WHERE n.op_id = c.op_id AND nested = 1) "
		"FROM call AS c WHERE nested = 0 GROUP BY op_id UNION ALL "
		"SELECT 'process,op', process_id, op_id, " SUMS ", min(start_ns), max(start_ns), "
		"(SELECT count(*) FROM call AS n WHERE n.op_id = c.op_id AND nested = 1 AND "
		"n.process_id IS c.process_id) "
		"FROM call AS c WHERE nested = 0 GROUP BY process_id, op_id");
	check_percentiles(
		db, "SELECT by, process_id, op_id, p50_ns, p95_ns, p99_ns, stddev_ns FROM op_stat",
		3,
		"SELECT dur_ns FROM timed WHERE (?1 = 'op' OR process_id IS ?2) AND "
		"op_id = ?3 AND nested = 0");

	TD_CASE("nested_stat");
	td_same_rows(
		db,
		"SELECT by, process_id, op_id, calls, errors, timed, done_bytes, total_ns, min_ns, "
		"max_ns FROM nested_stat",
		"SELECT 'op' AS by, NULL AS process_id, op_id, " SUMS " FROM call WHERE nested = 1 "
		"GROUP BY op_id UNION ALL SELECT 'process,op', process_id, op_id, " SUMS
		" FROM call "
		"WHERE nested = 1 GROUP BY process_id, op_id");
	check_percentiles(
		db, "SELECT by, process_id, op_id, p50_ns, p95_ns, p99_ns FROM nested_stat", 3,
		"SELECT dur_ns FROM timed WHERE (?1 = 'op' OR process_id IS ?2) AND "
		"op_id = ?3 AND nested = 1");
}

/* --- per file and so on --- */

/* The I/O calls with everything that they are grouped by, and whether each began where the one before of
 * the same verb, process and file ended. */
static void make_io_view(sqlite3 *db)
{
	static const char *const keys[] = { "file_id", "template_id", "directory_id", "class_id",
					    "process_id" };

	sql(db, "CREATE TEMP TABLE io AS SELECT c.*, op.verb, f.template_id, f.directory_id, "
		"(SELECT s.id FROM string AS s WHERE s.text = f.class) AS class_id "
		"FROM call AS c JOIN op ON op.id = c.op_id LEFT JOIN file AS f ON f.id = c.file_id "
		"WHERE op.kind = 'io' AND nested = 0");
	sql(db, "CREATE TEMP TABLE move AS SELECT id, offset_bytes = "
		"coalesce(lag(offset_bytes + done_bytes) OVER "
		"(PARTITION BY process_id, file_id, verb ORDER BY id), 0) AS sequential "
		"FROM io WHERE offset_bytes IS NOT NULL AND done_bytes IS NOT NULL");
	sql(db, "CREATE INDEX temp.move_id ON move (id)");
	sql(db,
	    "CREATE TEMP VIEW moved AS SELECT io.*, sequential FROM io LEFT JOIN move USING (id)");
	for (size_t i = 0; i < TD_ARRAY_SIZE(keys); i++)
		sql(db, "CREATE INDEX temp.io_%s ON io (%s, verb)", keys[i], keys[i]);
}

static const struct {
	const char *by, *key;
	bool per_process;
} groupings[] = {
	{ "file,verb", "file_id", false },
	{ "file,process,verb", "file_id", true },
	{ "template,verb", "template_id", false },
	{ "template,process,verb", "template_id", true },
	{ "directory,verb", "directory_id", false },
	{ "directory,process,verb", "directory_id", true },
	{ "class,verb", "class_id", false },
	{ "class,process,verb", "class_id", true },
	{ "process,verb", "process_id", false },
};

static void test_file_stat(sqlite3 *db, const char *by, const char *key, bool per_process)
{
	char got[512], want[2048], rows[512], durations[512];
	const char *sums = "count(*), coalesce(sum(ret < 0), 0), count(dur_ns), sum(done_bytes), "
			   "sum(dur_ns), max(dur_ns), min(done_bytes), max(done_bytes), "
			   "sum(sequential), sum(1 - sequential), min(start_ns), max(start_ns)";

	TD_CASE(by);
	(void)snprintf(
		got, sizeof(got),
		"SELECT key_id, process_id, verb, calls, errors, timed, done_bytes, total_ns, "
		"max_ns, min_bytes, max_bytes, sequential, random, first_ns, last_ns "
		"FROM file_stat WHERE by = '%s'",
		by);
	(void)snprintf(want, sizeof(want), "SELECT %s, %s, verb, %s FROM moved GROUP BY %s, verb%s",
		       key, per_process ? "process_id" : "NULL", sums, key,
		       per_process ? ", process_id" : "");
	td_same_rows(db, got, want);
	(void)snprintf(rows, sizeof(rows),
		       "SELECT key_id, process_id, verb, p50_ns, NULL, p99_ns FROM file_stat "
		       "WHERE by = '%s'",
		       by);
	(void)snprintf(durations, sizeof(durations),
		       "SELECT dur_ns FROM io WHERE %s IS ?1 AND (process_id IS ?2 OR NOT %d) AND "
		       "verb = ?3 AND dur_ns IS NOT NULL",
		       key, per_process);
	check_percentiles(db, rows, 3, durations);
}

/* The power of two that x is at least, 0 for 0. */
static int64_t floor_power(int64_t x)
{
	int64_t p = 1;

	if (x == 0)
		return 0;
	while (p <= x / 2)
		p *= 2;
	return p;
}

static void test_median_sizes(sqlite3 *db)
{
	struct numbers x = { 0 };
	sqlite3_stmt *row = NULL, *s = NULL;

	TD_CASE("p50_bytes_low");
	TD_CHECK_INT(sqlite3_prepare_v2(db,
					"SELECT key_id, process_id, verb, p50_bytes_low FROM "
					"file_stat WHERE by = 'file,verb'",
					-1, &row, NULL),
		     SQLITE_OK);
	TD_CHECK_INT(sqlite3_prepare_v2(db,
					"SELECT done_bytes FROM io WHERE file_id IS ?1 AND "
					"(?2 IS NULL OR process_id = ?2) AND verb = ?3 AND "
					"done_bytes IS NOT NULL",
					-1, &s, NULL),
		     SQLITE_OK);
	while (sqlite3_step(row) == SQLITE_ROW) {
		select_numbers(s, row, 3, &x);
		check_null_or(row, 3, x.n == 0, x.n ? floor_power(x.v[(x.n - 1) / 2]) : 0);
	}
	sqlite3_finalize(row);
	sqlite3_finalize(s);
	free(x.v);
}

static void test_distributions(sqlite3 *db)
{
	TD_CASE("size_stat");
	td_same_rows(db, "SELECT file_id, verb, low_bytes, calls FROM size_stat",
		     "WITH RECURSIVE bucket (low, high) AS (VALUES (0, 1), (1, 2) UNION ALL "
		     "SELECT high, high * 2 FROM bucket WHERE low > 0 AND high < 1 << 40) "
		     "SELECT file_id, verb, low, count(*) FROM io JOIN bucket ON "
		     "done_bytes >= low AND done_bytes < high WHERE file_id IS NOT NULL "
		     "AND verb IN ('read', 'write') GROUP BY file_id, verb, low");

	TD_CASE("latency_stat");
	td_same_rows(
		db, "SELECT op_id, low_ns, high_ns, calls FROM latency_stat",
		"SELECT l.op_id, low_ns, high_ns, count(*) FROM latency_stat AS l JOIN call AS c "
		"ON c.op_id = l.op_id AND dur_ns >= low_ns AND dur_ns < high_ns AND nested = 0 "
		"GROUP BY l.op_id, low_ns, high_ns");
	TD_CHECK_INT(td_sql_int(db, "SELECT sum(calls) FROM latency_stat"),
		     td_sql_int(db, "SELECT count(dur_ns) FROM call WHERE nested = 0"));
	/* 64 per power of two, single numbers below 128 */
	TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM latency_stat WHERE "
				    "(high_ns - low_ns) * 64 > max(low_ns, 64) OR "
				    "(high_ns - low_ns) * 128 <= low_ns"),
		     0);
}

/* The values of a key, ascending, are as many in each bucket as the bytes in that column of its row
 * say; sizes: they are numbers of bytes, whose buckets are powers of two. */
static void check_buckets(sqlite3_stmt *row, int column, const struct numbers *x, bool sizes)
{
	struct td_histogram h = { 0 };
	size_t at = 0;

	TD_CHECK_INT(td_histogram_merge_packed(&h, sqlite3_column_blob(row, column),
					       (size_t)sqlite3_column_bytes(row, column)),
		     0);
	for (size_t i = 0; i < h.n; i++) {
		uint32_t b = h.items[i].number;
		int64_t low = !sizes ? td_histogram_low(b) : b ? INT64_C(1) << (b - 1) : 0;
		int64_t high = !sizes ? td_histogram_low(b + 1) : INT64_C(1) << b;
		size_t first = at;

		while (at < x->n && x->v[at] >= low && x->v[at] < high)
			at++;
		TD_CHECK_INT(at - first, h.items[i].count);
	}
	TD_CHECK_INT(at, x->n);
	td_histogram_done(&h);
}

/* key: column of io that key_id is. */
static void test_hists(sqlite3 *db, const char *by, const char *key)
{
	char sql[512];
	struct numbers x = { 0 };
	sqlite3_stmt *row = NULL, *durations = NULL, *sizes = NULL;

	TD_CASE("file_hist");
	(void)snprintf(sql, sizeof(sql),
		       "SELECT '%s', key_id, verb, durations, sizes FROM file_hist WHERE by = '%s'",
		       key, by);
	TD_CHECK_INT(sqlite3_prepare_v2(db, sql, -1, &row, NULL), SQLITE_OK);
	(void)snprintf(
		sql, sizeof(sql),
		"SELECT dur_ns FROM io WHERE ?1 = '%s' AND %s IS ?2 AND verb = ?3 AND dur_ns "
		"IS NOT NULL",
		key, key);
	TD_CHECK_INT(sqlite3_prepare_v2(db, sql, -1, &durations, NULL), SQLITE_OK);
	(void)snprintf(sql, sizeof(sql),
		       "SELECT done_bytes FROM io WHERE ?1 = '%s' AND %s IS ?2 AND verb = ?3 AND "
		       "done_bytes IS NOT NULL",
		       key, key);
	TD_CHECK_INT(sqlite3_prepare_v2(db, sql, -1, &sizes, NULL), SQLITE_OK);
	while (sqlite3_step(row) == SQLITE_ROW) {
		select_numbers(durations, row, 3, &x);
		check_buckets(row, 3, &x, false);
		select_numbers(sizes, row, 3, &x);
		check_buckets(row, 4, &x, true);
	}
	sqlite3_finalize(row);
	sqlite3_finalize(durations);
	sqlite3_finalize(sizes);
	free(x.v);
	(void)snprintf(sql, sizeof(sql),
		       "SELECT %s AS key, verb, min(dur_ns) FROM io GROUP BY key, verb", key);
	td_same_rows(db, "SELECT key_id, verb, min_ns FROM file_hist", sql);
}

static void test_op_hist(sqlite3 *db)
{
	sqlite3_stmt *row = NULL, *durations = NULL;
	struct numbers x = { 0 };

	TD_CASE("op_hist");
	td_same_rows(db, "SELECT process_id, op_id, nested FROM op_hist",
		     "SELECT process_id, op_id, nested FROM call GROUP BY 1, 2, 3");
	TD_CHECK_INT(sqlite3_prepare_v2(db,
					"SELECT process_id, op_id, nested, durations FROM op_hist",
					-1, &row, NULL),
		     SQLITE_OK);
	TD_CHECK_INT(sqlite3_prepare_v2(db,
					"SELECT dur_ns FROM timed WHERE process_id IS ?1 AND "
					"op_id = ?2 AND nested = ?3",
					-1, &durations, NULL),
		     SQLITE_OK);
	while (sqlite3_step(row) == SQLITE_ROW) {
		select_numbers(durations, row, 3, &x);
		check_buckets(row, 3, &x, false);
	}
	sqlite3_finalize(row);
	sqlite3_finalize(durations);
	free(x.v);
}

static void check_all(sqlite3 *db)
{
	check_integrity(db);
	test_op_stat(db);
	make_io_view(db);
	for (size_t i = 0; i < TD_ARRAY_SIZE(groupings); i++)
		test_file_stat(db, groupings[i].by, groupings[i].key, groupings[i].per_process);
	test_median_sizes(db);
	test_distributions(db);
	test_hists(db, "file,verb", "file_id");
	test_op_hist(db);
	test_threads(db);
	test_bins(db);
	test_writes(db);
	test_class_bins(db);
	test_reads(db, true);
	test_late_bytes(db);
	test_blocks(db);
}

static void test_made_up(void)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	sqlite3 *db;

	(void)td_make_source(st, "a", 21, 20000, NAN);
	(void)td_make_source(st, "b", 22, 5000, 777.7);
	db = td_derived(st);
	TD_CASE("made up");
	/* the rows have what there is to get wrong */
	TD_CHECK(td_sql_int(db, "SELECT count(*) FROM call WHERE nested = 1") > 1000);
	TD_CHECK(td_sql_int(db, "SELECT count(*) FROM call WHERE dur_ns > 4294967295") > 100);
	TD_CHECK(td_sql_int(db, "SELECT count(*) FROM call WHERE dur_ns IS NULL") > 100);
	TD_CHECK(td_sql_int(db, "SELECT count(*) FROM call WHERE ret < 0") > 100);
	TD_CHECK(td_sql_int(db, "SELECT sum(sequential) FROM file_stat") > 1000);
	TD_CHECK(td_sql_int(db, "SELECT sum(random) FROM file_stat") > 1000);
	TD_CHECK(td_sql_int(db, "SELECT count(*) FROM read_sum WHERE hits > 0 AND ahead_bytes > 0 "
				"AND hits < known") > 1);
	check_all(db);
	db_close(db);
}

/* --- bins that have to be widened, blocks that cannot be cut --- */

static void add_transfer(struct td_store *st, const char *op, const char *path, int64_t after_ns,
			 int64_t dur_ns, int64_t bytes)
{
	struct td_call c = TD_CALL_INIT;
	struct td_source *s = td_store_source_at(st, 1);

	c.source_id = 1;
	c.start_ns = TD_MADE_UTC + after_ns;
	c.dur_ns = dur_ns;
	c.op_id = td_store_op(st, op, strlen(op), TD_LAYER_SYSCALL);
	c.file_id = td_store_file_path(st, td_made_str(path), (struct td_str){ NULL, 0 }, false);
	c.ret = c.done_bytes = bytes;
	s->last_native_ns = TD_MAX(s->last_native_ns, c.start_ns + dur_ns);
	TD_CHECK_INT(td_stage_add(td_store_stage(st, TD_KIND_CALL), &c), 0);
}

/* 14 files, each read every 5 ms for 100 s: in bins of 10 ms, more than a thousand for the run, that would
 * be 140000 rows, one for two calls. Twice as wide again and again, they come to one for 16 or fewer. */
static void test_wide_bins(void)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	char path[32];
	int64_t width;
	sqlite3 *db;
	uint16_t op;

	TD_CASE("wide bins");
	(void)td_plain_source(st);
	op = td_store_op(st, "read", 4, TD_LAYER_SYSCALL);
	for (int64_t i = 0; i < 280000; i++) {
		(void)snprintf(path, sizeof(path), "/f%d", (int)(i % 14));
		td_plain_call(st, TD_MADE_UTC + i / 14 * 5000000, op,
			      td_store_file_path(st, td_made_str(path), (struct td_str){ NULL, 0 },
						 false));
	}
	add_transfer(st, "read", "/f1", 1000000, 99000000000, 1000003);
	db = td_derived(st);
	width = td_sql_int(db, "SELECT bin_ns FROM run");
	TD_CHECK(width == 80000000 || width == 160000000);
	TD_CHECK(td_sql_int(db, "SELECT count(*) FROM bin_stat") <= 280000 / 16);
	test_bins(db);
	test_class_bins(db);
	test_late_bytes(db);
	test_blocks(db);
	db_close(db);
}

/* 1000 files in no order, which come once in a bin of 100 ms or not at all: bins twice as wide have
 * hardly fewer rows, but much wider ones do. */
static void test_scattered_bins(void)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	uint64_t random = 1;
	char path[32];
	sqlite3 *db;
	uint16_t op;

	TD_CASE("scattered bins");
	(void)td_plain_source(st);
	op = td_store_op(st, "read", 4, TD_LAYER_SYSCALL);
	for (int64_t i = 0; i < 128000; i++) {
		random = random * UINT64_C(6364136223846793005) + 1;
		(void)snprintf(path, sizeof(path), "/f%u", (unsigned)(random >> 33) % 1000);
		td_plain_call(st, TD_MADE_UTC + i * 1000000, op,
			      td_store_file_path(st, td_made_str(path), (struct td_str){ NULL, 0 },
						 false));
	}
	db = td_derived(st);
	TD_CHECK(td_sql_int(db, "SELECT count(*) FROM bin_stat") <= 128000 / 16);
	TD_CHECK(td_sql_int(db, "SELECT count(DISTINCT bin_ns) FROM bin_stat") >= 4);
	test_bins(db);
	db_close(db);
}

/* More calls begin at the same time than a block holds, just where one would end. */
static void test_simultaneous(void)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	sqlite3 *db;
	uint16_t op;

	TD_CASE("simultaneous calls");
	(void)td_plain_source(st);
	op = td_store_op(st, "read", 4, TD_LAYER_SYSCALL);
	for (int i = 0; i < 30000; i++)
		td_plain_call(st, TD_MADE_UTC + (i < 4090 ? i : i < 9000 ? 4090 : i), op, 0);
	db = td_derived(st);
	TD_CHECK(td_sql_int(db, "SELECT count(*) FROM call_block") >= 5);
	test_blocks(db);
	db_close(db);
}

static void test_no_calls(void)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	sqlite3 *db;

	TD_CASE("no calls");
	(void)td_plain_source(st);
	db = td_derived(st);
	check_integrity(db);
	TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM op_stat"), 0);
	TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM call_block"), 0);
	db_close(db);
}

/* Of 1000 bytes that are read from 0.5 ms on until 2.5 ms 750 are left after 1 ms, and 250 after 2 ms; of 30 that are
 * written in 1 ms from then on 15. Who reads from a pipe waits, and what ends with a bin has nothing left. */
static void test_late(void)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	sqlite3 *db;

	TD_CASE("late bytes");
	(void)td_plain_source(st);
	add_transfer(st, "read", "/x", 0, 1000000, 77);
	add_transfer(st, "read", "/x", 500000, 2000000, 1000);
	add_transfer(st, "write", "/x", 1500000, 1000000, 30);
	add_transfer(st, "read", "pipe:[1]", 1500000, 1000000, 40);
	db = td_derived(st);
	TD_CHECK_INT(td_sql_int(db, "SELECT bin_ns FROM run"), 1000000);
	td_same_rows(db,
		     "SELECT bin_ns - 1661716800000000000, read_bytes, write_bytes FROM bin_late",
		     "VALUES (0, 0, 0), (1000000, 750, 0), (2000000, 250, 15)");
	test_late_bytes(db);
	db_close(db);
}

static void add_read(struct td_store *st, const char *program, int64_t offset, int64_t bytes,
		     int32_t cold)
{
	struct td_call c = TD_CALL_INIT;

	c.source_id = 1;
	c.start_ns = TD_MADE_UTC;
	c.op_id = td_store_op(st, "pread64", 7, TD_LAYER_SYSCALL);
	c.process_id = td_store_process(st, *program, program, strlen(program));
	c.file_id = td_store_file_path(st, td_made_str("/x"), (struct td_str){ NULL, 0 }, false);
	c.offset_bytes = offset;
	c.ret = c.done_bytes = bytes;
	c.cold_bytes = cold;
	TD_CHECK_INT(td_stage_add(td_store_stage(st, TD_KIND_CALL), &c), 0);
}

/* 'a' reads 100 bytes twice, 'b' 100 bytes half of which are others: of the file, 300 bytes up to 150, so that 150 were
 * read again; of what they read themselves, 100 bytes by 'a'. */
static void test_rereads(void)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	sqlite3 *db;

	TD_CASE("rereads");
	(void)td_plain_source(st);
	add_read(st, "a", 0, 100, 4096);
	add_read(st, "a", 0, 100, 0);
	add_read(st, "b", 50, 100, 30);
	db = td_derived(st);
	td_same_rows(db,
		     "SELECT by, reads, bytes, known, hits, hit_bytes, cold_bytes, ahead_bytes, "
		     "end_bytes, placed, reread_bytes FROM read_sum",
		     "VALUES ('file', 3, 300, 3, 1, 170, 130, 3996, 150, 3, 150),"
		     " ('template', 3, 300, 3, 1, 170, 130, 3996, NULL, 3, 150),"
		     " ('all', 3, 300, 3, 1, 170, 130, 3996, NULL, 3, 150),"
		     " ('process', 2, 200, 2, 1, 100, 100, 3996, NULL, 2, 100),"
		     " ('process', 1, 100, 1, 0, 70, 30, 0, NULL, 1, 0)");
	test_reads(db, true);
	db_close(db);
}

/* Durations and sizes so large that their sums do not fit: the largest number, not a negative one. */
static void test_overflow(void)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	struct td_call c = TD_CALL_INIT;
	sqlite3 *db;

	TD_CASE("overflow");
	c.source_id = td_plain_source(st);
	c.op_id = td_store_op(st, "read", 4, TD_LAYER_SYSCALL);
	c.file_id = td_store_file_name(st, td_made_str("x"), false);
	c.dur_ns = (INT64_C(1) << 60) - 1;
	c.done_bytes = INT64_MAX;
	c.offset_bytes = INT64_MAX;
	for (int i = 0; i < 10; i++) {
		c.start_ns = TD_MADE_UTC + i;
		TD_CHECK_INT(td_stage_add(td_store_stage(st, TD_KIND_CALL), &c), 0);
	}
	db = td_derived(st);
	TD_CHECK_INT(td_sql_int(db, "SELECT total_ns FROM op_stat"), INT64_MAX);
	TD_CHECK_INT(td_sql_int(db, "SELECT done_bytes FROM op_stat"), INT64_MAX);
	TD_CHECK_INT(td_sql_int(db, "SELECT total_ns FROM bin_stat"), INT64_MAX);
	TD_CHECK_INT(td_sql_int(db, "SELECT total_ns FROM class_bin_stat"), INT64_MAX);
	TD_CHECK_INT(td_sql_int(db, "SELECT total_ns FROM thread_stat"), INT64_MAX);
	TD_CHECK_INT(td_sql_int(db, "SELECT total_ns FROM top_file"), INT64_MAX);
	TD_CHECK_INT(td_sql_int(db, "SELECT io_wait_ns FROM segment"), INT64_MAX);
	db_close(db);
}

/* --- budgets --- */

#define BUDGET_FOR_ALL 1000000

/* What is asked of a database that holds all is asked of one that does not: the answer is the same. */
static void compare_held(sqlite3 *db, const char *by)
{
	char got[256], want[256];

	(void)snprintf(got, sizeof(got), "SELECT * FROM main.io_stat WHERE by = '%s'", by);
	(void)snprintf(want, sizeof(want), "SELECT * FROM all_held.io_stat WHERE by = '%s'", by);
	td_same_rows(db, got, want);
}

static void compare_bins(sqlite3 *db)
{
	td_same_rows(
		db,
		"SELECT bin_ns, process_id, file_id, op_id, calls, errors, done_bytes, total_ns "
		"FROM call_stat WHERE by = 'file,process,op,bin'",
		"SELECT start_ns / (SELECT bin_ns FROM run) * (SELECT bin_ns FROM run) AS bin, "
		"process_id, file_id, op_id, count(*), coalesce(sum(ret < 0), 0), "
		"sum(done_bytes), sum(dur_ns) FROM call WHERE nested = 0 "
		"GROUP BY bin, process_id, file_id, op_id");
}

/* Whatever is held: what is not is found in the calls. */
static void test_budget(struct td_store *st, int64_t budget, const char *omitted)
{
	sqlite3 *db = td_derived_within(st, budget);
	char sql[128], got[512] = "";
	sqlite3_stmt *s = NULL;

	(void)snprintf(sql, sizeof(sql), "ATTACH '%s-all' AS all_held", td_db_path);
	TD_CHECK_INT(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	TD_CHECK_INT(
		sqlite3_prepare_v2(db,
				   "SELECT group_concat(by || rows_held, ' ') FROM stat_omitted "
				   "WHERE relation = 'io_stat'",
				   -1, &s, NULL),
		SQLITE_OK);
	if (sqlite3_step(s) == SQLITE_ROW && sqlite3_column_type(s, 0) != SQLITE_NULL)
		(void)snprintf(got, sizeof(got), "%s", sqlite3_column_text(s, 0));
	sqlite3_finalize(s);
	TD_CHECK_STR(got, omitted);
	for (size_t i = 0; i < TD_ARRAY_SIZE(groupings); i++)
		compare_held(db, groupings[i].by);
	compare_bins(db);
	if (td_sql_int(db, "SELECT count(*) FROM thread_stat") || budget == BUDGET_FOR_ALL)
		test_threads(db);
	if (budget == BUDGET_FOR_ALL)
		test_late_bytes(db);
	else
		TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM bin_late"), 0);
	if (budget == BUDGET_FOR_ALL || !strstr(omitted, "file,verb0"))
		test_reads(db, !*omitted);
	else
		TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM read_sum"), 0);
	/* also where no bins of files are kept */
	if (td_sql_int(db, "SELECT count(*) FROM class_bin_stat") || budget == BUDGET_FOR_ALL)
		test_class_bins(db);
	test_op_stat(db);
	db_close(db);
}

/* The smallest, where transfers are not followed either, and those that hold ever more. */
static const struct {
	int64_t combos;
	const char *omitted; /* groupings of io_stat, and whether they have rows */
} budgets[] = {
	{ 0, "file,verb0 file,process,verb0 template,verb0 template,process,verb0 directory,verb0 "
	     "directory,process,verb0 class,verb1 class,process,verb1 process,verb1" },
	/* of more than that it is found at the end where transfers go on */
	{ 30, "file,verb0 file,process,verb0 template,verb0 template,process,verb0 directory,verb0 "
	      "directory,process,verb0" },
	{ 512, "file,verb0 file,process,verb0 template,process,verb0 directory,process,verb0" },
	{ 1024, "file,process,verb0 template,process,verb0 directory,process,verb0" },
	{ 1700, "file,process,verb0" },
	{ BUDGET_FOR_ALL, "" },
};

static void test_budgets(void)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	char all[sizeof(td_db_path) + 4];

	TD_CASE("budgets");
	(void)td_make_source(st, "a", 21, 1500, NAN);
	(void)td_make_source(st, "b", 22, 500, 777.7);
	db_close(td_derived_within(st, BUDGET_FOR_ALL));
	(void)snprintf(all, sizeof(all), "%s-all", td_db_path);
	TD_CHECK_INT(rename(td_db_path, all), 0);
	for (size_t i = 0; i < TD_ARRAY_SIZE(budgets); i++)
		test_budget(st, budgets[i].combos, budgets[i].omitted);
	(void)unlink(all);
}

int main(void)
{
	if (!td_derive_set_up())
		return 1;
	test_made_up();
	test_wide_bins();
	test_scattered_bins();
	test_simultaneous();
	test_no_calls();
	test_late();
	test_rereads();
	test_overflow();
	test_budgets();
	td_derive_tear_down();
	return td_check_result();
}
