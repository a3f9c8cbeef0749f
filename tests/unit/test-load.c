/* SPDX-License-Identifier: MIT */
/*
 * Appending: importing A and B at once, and loading A's database and adding B, give the same database.
 * Ids of strings and files may differ, so rows are compared with their texts.
 */
#include <math.h>

#include "store/derive/derive.h"
#include "store/load.h"
#include "store/write/write.h"
#include "tests/unit/made_up.h"
#include "tests/unit/sql.h"

static char dir[] = "/tmp/tracedb-test-load-XXXXXX";
static char path_a[64], path_ab[64], path_appended[64], spill[64];

static struct td_store *new_store(void)
{
	struct td_store *st = NULL;

	TD_CHECK_INT(td_store_new(spill, &st), 0);
	return st;
}

static void write_to(struct td_store *st, const char *path)
{
	struct td_write_options o = { .run_name = "run",
				      .utc_offset_s = TD_NULL,
				      .keep_rows = true };
	_cleanup_(td_derive_freep) struct td_derive *derive = NULL;
	struct td_row_watcher watcher;
	struct td_err err = { 0 };

	(void)unlink(path);
	TD_CHECK_INT(td_derive_new(spill, &derive), 0);
	watcher = td_derive_watcher(derive);
	TD_CHECK_INT(td_store_write(st, path, &o, &watcher, &err), 0);
	TD_CHECK_STR(err.msg, "");
}

static struct td_store *load(const char *path)
{
	struct td_store *st = new_store();
	struct td_err err = { 0 };

	TD_CHECK_INT(td_store_load(st, path, &err), 0);
	TD_CHECK_STR(err.msg, "");
	return st;
}

#define STRING(id) "(SELECT text FROM string WHERE id = " id ")"
#define FILE_TEXT(id) "(SELECT coalesce(path, 'name ' || name) FROM file WHERE id = " id ")"
#define OP(id) "(SELECT layer || '.' || name FROM op WHERE id = " id ")"
#define PROCESS(id) "(SELECT pid || '/' || lifetime FROM process WHERE id = " id ")"
#define THREAD(id)                                                                                 \
	"(SELECT tid || '@' || coalesce(" PROCESS("process_id") ", '') FROM thread WHERE id = " id \
								")"
#define DEVICE(id) "(SELECT kind || name FROM device WHERE id = " id ")"

/* Every table, ids resolved. The formatter takes the macros between the literals for calls. */
/* clang-format off */
static const struct {
	const char *name, *sql;
} dumps[] = {
	{ "run",
	  "SELECT * FROM run" },
	{ "source",
	  "SELECT * FROM source ORDER BY id" },
	{ "source_text",
	  "SELECT * FROM source_text ORDER BY id" },
	{ "anchor",
	  "SELECT * FROM anchor ORDER BY id" },
	{ "issue_count",
	  "SELECT * FROM issue_count ORDER BY source_id, kind" },
	{ "issue",
	  "SELECT * FROM issue ORDER BY id" },
	{ "process",
	  "SELECT * FROM process ORDER BY id" },
	{ "thread",
	  "SELECT id, " THREAD("id") ", name FROM thread ORDER BY id" },
	{ "file",
	  "SELECT path, name, path_basis, class, class_known, " STRING("directory_id") ", "
	  STRING("template_id") ", truncated, device, inode FROM file ORDER BY 1, 2" },
	{ "device",
	  "SELECT * FROM device ORDER BY id" },
	{ "op",
	  "SELECT * FROM op ORDER BY id" },
	{ "track",
	  "SELECT id, name, unit, " DEVICE("device_id") ", " PROCESS("process_id")
	  ", source_id FROM track ORDER BY id" },
	{ "call",
	  "SELECT id, start_ns, dur_ns, " OP("op_id") ", " PROCESS("process_id") ", "
	  THREAD("thread_id") ", " FILE_TEXT("file_id")
	  ", ret, asked_bytes, done_bytes, offset_bytes, fd, nested, unfinished, source_id, "
	  STRING("args_id") ", cold_bytes, correlation FROM call ORDER BY id" },
	{ "block_request",
	  "SELECT id, start_ns, dur_ns, queue_ns, " DEVICE("device_id") ", op, sector, bytes, "
	  PROCESS("process_id") ", " PROCESS("done_process_id")
	  ", source_id FROM block_request ORDER BY id" },
	{ "sched_slice",
	  "SELECT id, start_ns, dur_ns, " THREAD("thread_id") ", cpu, " STRING("state_id") ", "
	  STRING("reason_id") ", " THREAD("waker_thread_id") ", source_id FROM sched_slice ORDER BY id" },
	{ "gpu_op",
	  "SELECT id, start_ns, dur_ns, " DEVICE("device_id") ", stream, " STRING("kind_id")
	  ", " STRING("name_id") ", bytes, " PROCESS("process_id")
	  ", correlation, source_id FROM gpu_op ORDER BY id" },
	{ "sample",
	  "SELECT * FROM sample ORDER BY id" },
	{ "span",
	  "SELECT id, start_ns, dur_ns, " STRING("kind_id") ", " STRING("name_id")
	  ", number, rank, run_number, " STRING("state_id") ", " PROCESS("process_id") ", "
	  THREAD("thread_id") ", " STRING("args_id") ", source_id FROM span ORDER BY id" },
	{ "mark",
	  "SELECT id, ts_ns, " STRING("name_id") ", rank, " PROCESS("process_id") ", "
	  THREAD("thread_id") ", value, " STRING("args_id") ", source_id FROM mark ORDER BY id" },
	{ "stack",
	  "SELECT id, parent_id, " STRING("symbol_id") ", " STRING("module_id") " FROM stack ORDER BY id" },
	{ "stack_sample",
	  "SELECT id, start_ns, dur_ns, " STRING("kind_id") ", " OP("op_id") ", " PROCESS("process_id") ", "
	  THREAD("thread_id") ", cpu, stack_id, source_id FROM stack_sample ORDER BY id" },
	{ "stack_total",
	  "SELECT * FROM stack_total ORDER BY id" },
	{ "summary",
	  "SELECT * FROM summary ORDER BY id" },
	{ "loss",
	  "SELECT * FROM loss ORDER BY id" },
	{ "log_run",
	  "SELECT run_number, source_id, start_ns, end_ns FROM log_run ORDER BY 1, 2" },
	{ "call_block",
	  "SELECT * FROM call_block ORDER BY 1" },
	{ "op_stat",
	  "SELECT by, " PROCESS("process_id") ", " OP("op_id")
	  ", calls, errors, timed, done_bytes, total_ns, min_ns, "
	  "max_ns, p50_ns, p95_ns, p99_ns, stddev_ns, first_ns, "
	  "last_ns, nested_calls, unfinished FROM op_stat ORDER BY 1, 2, 3" },
	{ "gpu_op_stat",
	  "SELECT by, " DEVICE("device_id") ", " PROCESS("process_id") ", " STRING("kind_id") ", "
	  STRING("name_id") ", low_ns, each_bytes, ops, timed, bytes, total_ns, min_ns, max_ns, p50_ns, "
	  "p95_ns, p99_ns, stddev_ns, first_ns, last_ns FROM gpu_op_stat ORDER BY 1, 2, 3, 4, 5, 6, 7" },
	{ "sched_slice_stat",
	  "SELECT by, " THREAD("thread_id") ", " STRING("state_id") ", " STRING("reason_id") ", octave_ns, slices, timed, total_ns, min_ns, max_ns, first_ns, "
	  "last_ns FROM sched_slice_stat ORDER BY 1, 2, 3, 4, 5" },
	{ "block_request_stat",
	  "SELECT by, " DEVICE("device_id") ", direction, " PROCESS("process_id") ", seek_bytes, requests, timed, bytes, total_ns, min_ns, max_ns, p50_ns, p95_ns, "
	  "p99_ns, queued, queue_ns, sequential, forward, backward, first_ns, last_ns FROM block_request_stat ORDER BY 1, 2, 3, 4, 5" },
	{ "collective_name",
	  "SELECT " STRING("name_id") ", collective FROM collective_name ORDER BY 1" },
	{ "collective_sum",
	  "SELECT " STRING("of_id") ", " DEVICE("device_id") ", " PROCESS("process_id") ", rank, kernels, timed, total_ns, max_ns, matched, last, "
	  "late_ns, behind_ns, waited_ns, cost_ns, worst_ns, worst_start_ns, clock_error_ns, alike, clocks_agree FROM collective_sum ORDER BY 1, 2, 3, 4" },
	{ "machine_clock_held",
	  "SELECT count(*), group_concat(source_id) FROM machine_clock_held" },
	{ "source_process",
	  "SELECT source_id, " PROCESS("process_id") ", rank, " STRING("kind_id") ", rows, epoch_ns, data_ns FROM source_process ORDER BY 1, 2, 3, 4" },
	{ "rank_span",
	  "SELECT id FROM rank_span ORDER BY 1" },
	{ "gpu_long_gap",
	  "SELECT id, " DEVICE("device_id") ", start_ns, dur_ns FROM gpu_long_gap ORDER BY 1" },
	{ "gpu_wait_stat",
	  "SELECT " OP("op_id") ", " PROCESS("process_id") ", " THREAD("thread_id") ", calls, stalls, stall_ns, "
	  "max_ns, max_start_ns, idle_ns, after_ns, wall_ns FROM gpu_wait_stat ORDER BY 1, 2, 3" },
	{ "launch_sum",
	  "SELECT " DEVICE("device_id") ", phase, since_ns, wall_ns, kernels, total_ns, launches, launch_ns, delay_p50_ns, "
	  "gaps, gap_ns, starved, starved_ns, delay_min_ns, delay_max_ns FROM launch_sum ORDER BY 1, 2" },
	{ "operator_sum",
	  "SELECT " STRING("kind_id") ", " STRING("name_id") ", calls, total_ns, self_ns, min_ns, max_ns, "
	  "gpu_ops, gpu_ns, delay_min_ns, delay_max_ns FROM operator_sum ORDER BY 1, 2" },
	{ "range_stat",
	  "SELECT " STRING("args_id") ", " STRING("name_id") ", ranges, unfinished, total_ns, min_ns, max_ns, "
	  "p50_ns, stddev_ns FROM range_stat ORDER BY 1, 2" },
	/* texts that are not UTF-8 are read back as the same one */
	{ "lock_stat",
	  "SELECT " PROCESS("process_id") ", " THREAD("thread_id") ", " OP("op_id") ", " STRING("args_id")
	  ", sum(calls), sum(failed), sum(timed), sum(total_ns), max(max_ns) FROM lock_stat GROUP BY 1, 2, 3, 4" },
	/* of several files of as many calls and bytes which one is first goes by its id */
	{ "write_stat",
	  "SELECT start_ns, dur_ns, " PROCESS("process_id") ", calls, done_bytes, total_ns, class, file_id IS NULL FROM write_stat ORDER BY 1, 3" },
	{ "shm_stat",
	  "SELECT " FILE_TEXT("file_id") ", " PROCESS("process_id") ", sized_bytes, sized_ns, map_bytes, mapped_bytes, mapped_ns, "
	  "write_bytes, read_bytes, first_ns FROM shm_stat ORDER BY 1, 2" },
	{ "longest",
	  "SELECT what, id, dur_ns, " OP("op_id") ", waits FROM longest ORDER BY 1, 2" },
	{ "nested_stat",
	  "SELECT by, " PROCESS("process_id") ", " OP("op_id")
	  ", calls, errors, timed, done_bytes, total_ns, min_ns, "
	  "max_ns, p50_ns, p95_ns, p99_ns FROM nested_stat ORDER BY 1, 2, 3" },
	{ "bucket_stat",
	  "SELECT by, CASE WHEN by LIKE 'op,%' THEN " OP("key_id") " WHEN by LIKE 'process,%' THEN " PROCESS("key_id") " ELSE " STRING("key_id") " END, "
	  "verb, low, calls, done_bytes, total_ns FROM bucket_stat ORDER BY 1, 2, 3, 4" },
	{ "op_hist",
	  "SELECT " PROCESS("process_id") ", " OP("op_id")
	  ", nested, hex(durations) FROM op_hist ORDER BY 1, 2, 3" },
	{ "file_stat",
	  "SELECT by, CASE WHEN by LIKE 'file,%' THEN " FILE_TEXT("key_id") " WHEN by = 'process,verb' THEN "
	  PROCESS("key_id") " ELSE " STRING("key_id") " END, " PROCESS("process_id")
	  ", verb, calls, errors, timed, done_bytes, total_ns, max_ns, "
	  "p50_ns, p99_ns, min_bytes, p50_bytes_low, max_bytes, "
	  "sequential, random, first_ns, last_ns FROM file_stat ORDER BY 1, 2, 3, 4" },
	{ "file_kind",
	  "SELECT " STRING("template_id") ", class, files FROM file_kind ORDER BY 1, 2" },
	{ "classed_file",
	  "SELECT " FILE_TEXT("id") ", class FROM classed_file ORDER BY 1, 2" },
	{ "top_file",
	  "SELECT waits, " FILE_TEXT("file_id") ", total_ns FROM top_file ORDER BY 1, 2" },
	{ "class_bin_stat",
	  "SELECT bin_ns, class, " OP("op_id") ", calls, errors, done_bytes, total_ns FROM class_bin_stat ORDER BY 1, 2, 3" },
	{ "bin_late", "SELECT * FROM bin_late ORDER BY 1" },
	{ "read_sum",
	  "SELECT by, " FILE_TEXT("file_id") ", " PROCESS("process_id") ", " STRING("template_id")
	  ", reads, bytes, known, hits, hit_bytes, cold_bytes, ahead_bytes, end_bytes, placed, reread_bytes FROM read_sum ORDER BY 1, 2, 3, 4" },
	{ "thread_stat",
	  "SELECT " PROCESS("process_id") ", " THREAD("thread_id") ", " OP("op_id")
	  ", class, calls, errors, total_ns, first_ns, last_ns FROM thread_stat ORDER BY 1, 2, 3, 4" },
	{ "busiest_file",
	  "SELECT " PROCESS("process_id") ", class, " FILE_TEXT("file_id")
	  ", files, calls, errors, done_bytes, total_ns, max_ns FROM busiest_file ORDER BY 1, 2, 3, 4" },
	{ "file_hist",
	  "SELECT by, CASE WHEN by LIKE 'file,%' THEN " FILE_TEXT("key_id") " ELSE " STRING("key_id") " END, "
	  "verb, min_ns, hex(durations), hex(sizes) FROM file_hist ORDER BY 1, 2, 3" },
	{ "stat_omitted",
	  "SELECT count(*), group_concat(by) FROM stat_omitted" },
	{ "size_stat",
	  "SELECT " FILE_TEXT("file_id")
	  ", verb, low_bytes, calls FROM size_stat ORDER BY 1, 2, 3" },
	{ "latency_stat",
	  "SELECT " OP("op_id") ", low_ns, high_ns, calls FROM latency_stat ORDER BY 1, 2" },
	{ "bin_stat",
	  "SELECT bin_ns, " PROCESS("process_id") ", " FILE_TEXT("file_id") ", " OP("op_id")
	  ", calls, errors, done_bytes, total_ns FROM bin_stat ORDER BY 1, 2, 3, 4" },
	{ "phase_interval",
	  "SELECT * FROM phase_interval ORDER BY 1, 2" },
	{ "segment",
	  "SELECT * FROM segment ORDER BY 1" },
	{ "gpu_segment",
	  "SELECT * FROM gpu_segment ORDER BY 1, 2" },
	{ "gpu_phase",
	  "SELECT * FROM gpu_phase ORDER BY 1, 2, 3" },
	{ "gpu_idle_part",
	  "SELECT * FROM gpu_idle_part ORDER BY 1, 2, 3, 4, 5" },
	{ "gpu_idle_segment",
	  "SELECT * FROM gpu_idle_segment ORDER BY 1, 2, 3" },
	{ "gpu_idle_stretch",
	  "SELECT device_id, cause, start_ns, dur_ns, idle_min_ns, idle_max_ns, (SELECT pid FROM "
	  "process WHERE id = process_id), (SELECT coalesce(path, name) FROM file WHERE id = "
	  "file_id) FROM gpu_idle_stretch ORDER BY 1, 2, 3" },
	{ "gpu_party",
	  "SELECT party, device_id, (SELECT pid FROM process WHERE id = process_id) FROM "
	  "gpu_party ORDER BY 1, 2, 3" },
	{ "gpu_sampler",
	  "SELECT * FROM gpu_sampler ORDER BY 1, 2" },
	{ "cpu_sampler",
	  "SELECT * FROM cpu_sampler ORDER BY 1, 2" },
	{ "cpu_phase",
	  "SELECT * FROM cpu_phase ORDER BY 1, 2" },
};
/* clang-format on */

static const char *text_of(sqlite3_stmt *s, int c)
{
	const char *t = (const char *)sqlite3_column_text(s, c);

	return t ? t : "NULL";
}

static bool is_time(sqlite3_stmt *s, int c)
{
	const char *name = sqlite3_column_name(s, c);

	return strcmp(name, "start_ns") == 0 || strcmp(name, "ts_ns") == 0;
}

/* Times may be so many ns apart, the rest must be equal. */
static void compare_values(sqlite3_stmt *x, sqlite3_stmt *y, int c, int64_t apart_ns)
{
	if (is_time(x, c) && apart_ns)
		TD_CHECK(llabs(sqlite3_column_int64(x, c) - sqlite3_column_int64(y, c)) <=
			 apart_ns);
	else
		TD_CHECK_STR(text_of(x, c), text_of(y, c));
}

static size_t compare_rows(sqlite3 *a, sqlite3 *b, const char *text, int64_t apart_ns)
{
	sqlite3_stmt *x = NULL, *y = NULL;
	size_t n = 0;

	TD_CHECK_INT(sqlite3_prepare_v2(a, text, -1, &x, NULL), SQLITE_OK);
	TD_CHECK_INT(sqlite3_prepare_v2(b, text, -1, &y, NULL), SQLITE_OK);
	for (;; n++) {
		int rx = sqlite3_step(x), ry = sqlite3_step(y);

		TD_CHECK_INT(rx, ry);
		if (rx != SQLITE_ROW || ry != SQLITE_ROW)
			break;
		for (int c = 0; c < sqlite3_column_count(x); c++)
			compare_values(x, y, c, apart_ns);
	}
	sqlite3_finalize(x);
	sqlite3_finalize(y);
	return n;
}

/* Every table of the schema is compared, whoever adds one. */
static void check_all_dumped(sqlite3 *db)
{
	size_t n = strtoull(sql_text(db, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' "
					 "AND name <> 'string'"),
			    NULL, 10);

	TD_CASE("all tables");
	TD_CHECK_INT(n, TD_ARRAY_SIZE(dumps));
}

static void compare(const char *one, const char *other)
{
	sqlite3 *a = db_open(one), *b = db_open(other);

	check_integrity(b);
	check_all_dumped(a);
	for (size_t i = 0; i < TD_ARRAY_SIZE(dumps); i++) {
		TD_CASE(dumps[i].name);
		TD_CHECK(compare_rows(a, b, dumps[i].sql, 0) > 0);
	}
	db_close(a);
	db_close(b);
}

static void test_append(void)
{
	struct td_store *st = new_store();

	TD_CASE("append");
	(void)td_make_source(st, "a", 11, 4500, NAN);
	write_to(st, path_a);
	(void)td_make_source(st, "b", 12, 3000, NAN);
	write_to(st, path_ab);
	td_store_free(st);

	st = load(path_a);
	TD_CHECK_INT(td_store_contents(st)->nsources, 1);
	td_made_clock(st, 1, NAN);
	(void)td_make_source(st, "b", 12, 3000, NAN);
	write_to(st, path_appended);
	td_store_free(st);
	compare(path_ab, path_appended);
}

/* Loading and writing again changes nothing. */
static void test_round_trip(void)
{
	struct td_store *st = load(path_ab);

	TD_CASE("round trip");
	td_made_clock(st, 1, NAN);
	td_made_clock(st, 2, NAN);
	write_to(st, path_appended);
	td_store_free(st);
	compare(path_ab, path_appended);
}

/* With drift the native times are found again to the nanosecond, at most one off by rounding. */
static void test_drift(void)
{
	static const double drifts[] = { 5000.25, -5000.25, 123456.789 };

	for (size_t i = 0; i < TD_ARRAY_SIZE(drifts); i++) {
		struct td_store *st = new_store();
		sqlite3 *a, *b;

		TD_CASE("drift");
		(void)td_make_source(st, "a", 13, 4500, drifts[i]);
		write_to(st, path_a);
		td_store_free(st);
		st = load(path_a);
		TD_CHECK(td_store_source_at(st, 1)->drift_ppb == drifts[i]);
		td_made_clock(st, 1, drifts[i]);
		write_to(st, path_appended);
		td_store_free(st);
		a = db_open(path_a);
		b = db_open(path_appended);
		for (size_t d = 0; d < TD_ARRAY_SIZE(dumps); d++)
			if (strcmp(dumps[d].name, "call") == 0 ||
			    strcmp(dumps[d].name, "sample") == 0 ||
			    strcmp(dumps[d].name, "span") == 0)
				TD_CHECK(compare_rows(a, b, dumps[d].sql, 1) > 0);
		TD_CHECK(compare_rows(a, b, "SELECT * FROM source", 0) == 1);
		db_close(a);
		db_close(b);
	}
}

/* A pid that was used again without anybody seeing the end of the first process: no column says that it
 * ended, but there are two of them. */
static void test_lifetimes(void)
{
	struct td_store *st = new_store();
	sqlite3 *db;

	TD_CASE("lifetimes");
	(void)td_store_source(st, "a");
	td_made_clock(st, 1, NAN);
	for (int i = 0; i < 3; i++)
		td_store_process_end(st, td_store_process(st, 77, i ? "later" : "first", 5));
	write_to(st, path_a);
	td_store_free(st);
	st = load(path_a);
	TD_CHECK_INT(td_store_contents(st)->nprocesses, 3);
	/* the source that is read next was written at the same time: it means the last of them */
	(void)td_store_source(st, "b");
	TD_CHECK_INT(td_store_process(st, 77, "", 0), 3);
	write_to(st, path_appended);
	td_store_free(st);
	db = db_open(path_appended);
	TD_CHECK_STR(sql_text(db, "SELECT group_concat(name || lifetime) FROM process"),
		     "first1,later2,later3");
	db_close(db);
}

/* A path that comes with the second part names what the first part knew by name only. */
static void test_late_path(void)
{
	struct td_store *st = new_store();
	struct td_call c = TD_CALL_INIT;
	sqlite3 *db;

	TD_CASE("a path that comes later");
	c.source_id = td_store_source(st, "a");
	td_made_clock(st, 1, NAN);
	td_store_source_at(st, 1)->first_native_ns = td_store_source_at(st, 1)->last_native_ns = 0;
	c.op_id = td_store_op(st, "vfs_read", 8, TD_LAYER_VFS);
	c.file_id = td_store_file_name(st, td_made_str("x"), false);
	TD_CHECK_INT(td_stage_add(td_store_stage(st, TD_KIND_CALL), &c), 0);
	write_to(st, path_a);
	td_store_free(st);
	st = load(path_a);
	td_made_clock(st, 1, NAN);
	(void)td_store_source(st, "b");
	(void)td_store_file_path(st, td_made_str("/d/x"), (struct td_str){ NULL, 0 }, false);
	write_to(st, path_appended);
	td_store_free(st);
	db = db_open(path_appended);
	TD_CHECK_STR(sql_text(db, "SELECT path FROM call JOIN file ON file.id = file_id"), "/d/x");
	db_close(db);
}

/* Runs sql on tables that take anything, and puts their own SQL back, as a damaged or forged file would have it. */
static void forge(const char *change)
{
	sqlite3 *db = db_open(path_a);

	sql(db,
	    "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;"
	    "CREATE TEMP TABLE kept AS SELECT name, sql FROM sqlite_schema;"
	    "PRAGMA writable_schema = ON;"
	    "UPDATE sqlite_schema SET sql = replace(replace(sql, ' NOT NULL', ''), ') STRICT', ')')"
	    " WHERE type = 'table'; PRAGMA writable_schema = RESET");
	sql(db, "%s", change);
	TD_CHECK(sqlite3_changes(db) > 0);
	sql(db, "PRAGMA writable_schema = ON; UPDATE sqlite_schema AS s SET sql ="
		" (SELECT k.sql FROM kept AS k WHERE k.name = s.name) WHERE type = "
		"'table'");
	db_close(db);
}

/* What no import can have written is found, not believed. */
static void test_contradictions(void)
{
	static const char *const changes[] = {
		"UPDATE call SET op_id = 4711 WHERE id = 5",
		"UPDATE call SET process_id = 4711 WHERE id = 5",
		"UPDATE call SET file_id = -1 WHERE id = 5",
		"UPDATE sample SET track_id = 4711",
		"UPDATE call SET dur_ns = -1 WHERE id = 5",
		"UPDATE call SET done_bytes = -1 WHERE id = 5",
		"UPDATE block_request SET bytes = -4096 WHERE id = 5",
		"UPDATE span SET kind_id = 1000000 WHERE id = 5",
		"UPDATE track SET source_id = 4711",
		"UPDATE source_text SET source_id = 4711",
		"UPDATE process SET id = -3 WHERE id = 1",
		"UPDATE file SET class = 'folder' WHERE id = 1",
		"UPDATE file SET template_id = 1000000 WHERE id = 1",
		"INSERT INTO loss VALUES(99, 1, 'all', NULL, 9223372036854775807, 1, 1, 0, 1, 1)",
		/* columns that are never NULL */
		"INSERT INTO issue_count VALUES(1, 'x', NULL, 1, 1)",
		"UPDATE op SET kind = NULL",
		"UPDATE file SET template_id = NULL",
		/* what memory would go by */
		"UPDATE string SET id = 1099511627776 WHERE id = 1",
		"UPDATE string SET id = 4294967295 WHERE id = 1",
		/* what sums of would overflow */
		"UPDATE call SET start_ns = 9223372036854775807 WHERE id = 5",
		"UPDATE call SET dur_ns = 9223372036854775807 WHERE id = 5",
		"UPDATE call SET nested = 256 WHERE id = 5",
		"UPDATE source SET clock_offset_ns = -9223372036854775807",
		"UPDATE source SET first_ns = -9223372036854775807",
		"INSERT INTO anchor VALUES(99, 1, -9223372036854775807 - 1, 1, 'utc', 1)",
		"UPDATE source SET clock_drift_ppb = 1e300",
		"UPDATE source SET lines = -1",
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(changes); i++) {
		struct td_store *st = new_store();
		struct td_err err = { 0 };

		TD_CASE(changes[i]);
		(void)td_make_source(st, "a", 14, 1000, NAN);
		write_to(st, path_a);
		td_store_free(st);
		forge(changes[i]);
		st = new_store();
		TD_CHECK_INT(td_store_load(st, path_a, &err), -EUCLEAN);
		TD_CHECK(err.msg[0] && !strstr(err.msg, "schema"));
		td_store_free(st);
	}
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	(void)snprintf(path_a, sizeof(path_a), "%s/a.db", dir);
	(void)snprintf(path_ab, sizeof(path_ab), "%s/ab.db", dir);
	(void)snprintf(path_appended, sizeof(path_appended), "%s/appended.db", dir);
	(void)snprintf(spill, sizeof(spill), "%s/spill", dir);
	test_append();
	test_round_trip();
	test_drift();
	test_lifetimes();
	test_late_path();
	test_contradictions();
	(void)unlink(path_a);
	(void)unlink(path_ab);
	(void)unlink(path_appended);
	TD_CHECK_INT(rmdir(dir), 0);
	return td_check_result();
}
