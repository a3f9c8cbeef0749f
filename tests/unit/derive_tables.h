/* SPDX-License-Identifier: MIT */
/*
 * Derived tables of calls that are sums and places, each against plain SQL over the call table: by thread, by time bin, what was read, blocks
 * of calls. Those with percentiles are in test-derive-calls.c.
 */
#pragma once

#include "tests/unit/derive.h"

static inline void test_threads(sqlite3 *db)
{
	TD_CASE("thread_stat");
	td_same_rows(
		db,
		"SELECT process_id, thread_id, op_id, class, calls, errors, total_ns, first_ns, "
		"last_ns FROM thread_stat",
		"SELECT process_id, thread_id, op_id, (SELECT class FROM file WHERE id = file_id) "
		"AS class, count(*), coalesce(sum(ret < 0), 0), sum(dur_ns), min(start_ns), "
		"max(start_ns) FROM call WHERE nested = 0 "
		"GROUP BY process_id, thread_id, op_id, class");
}

static inline void test_bins(sqlite3 *db)
{
	TD_CASE("bin_stat");
	TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM bin_stat AS a JOIN bin_stat AS b ON "
				    "b.rowid = a.rowid + 1 WHERE (b.op_id, b.bin_ns) < (a.op_id, "
				    "a.bin_ns)"),
		     0);
	td_same_rows(
		db,
		"SELECT bin_ns, process_id, file_id, op_id, calls, errors, done_bytes, total_ns "
		"FROM bin_stat",
		"SELECT start_ns / (SELECT bin_ns FROM run) * (SELECT bin_ns FROM run) AS bin, "
		"process_id, file_id, op_id, count(*), coalesce(sum(ret < 0), 0), "
		"sum(done_bytes), sum(dur_ns) FROM call WHERE nested = 0 "
		"GROUP BY bin, process_id, file_id, op_id");
}

/* Stretches of whole bins from the one on in which the run begins, so few that there are 60 at most. */
static inline void test_writes(sqlite3 *db)
{
	TD_CASE("write_stat");
	TD_CHECK(td_sql_int(db, "SELECT count(DISTINCT start_ns) FROM write_stat") <= 60);
	td_same_rows(
		db, "SELECT * FROM write_stat",
		"WITH base AS (SELECT bin_ns, start_ns / bin_ns * bin_ns AS ns, end_ns FROM run), "
		"s AS (SELECT ns, bin_ns * max(1, (end_ns - ns + 60 * bin_ns - 1) / (60 * bin_ns)) "
		"AS width FROM base), "
		"w AS (SELECT ns + (c.start_ns - ns) / width * width AS start_ns, width, "
		"c.process_id, c.file_id, f.class, c.done_bytes, c.dur_ns FROM call AS c JOIN op "
		"AS o ON o.id = c.op_id AND o.kind = 'io' AND o.verb = 'write' CROSS JOIN s LEFT "
		"JOIN file AS f ON f.id = c.file_id WHERE c.nested = 0), "
		"of_file AS (SELECT *, row_number() OVER (PARTITION BY start_ns, process_id ORDER "
		"BY n DESC, bytes DESC, file_id) AS place FROM (SELECT start_ns, process_id, "
		"file_id, count(*) AS n, sum(done_bytes) AS bytes FROM w WHERE file_id IS NOT NULL "
		"GROUP BY 1, 2, 3)), "
		"of_class AS (SELECT *, row_number() OVER (PARTITION BY start_ns, process_id ORDER "
		"BY n DESC, class) AS place FROM (SELECT start_ns, process_id, class, count(*) AS "
		"n FROM w WHERE class IS NOT NULL GROUP BY 1, 2, 3)) "
		"SELECT start_ns, width, process_id, count(*), sum(done_bytes), sum(dur_ns), "
		"(SELECT class FROM of_class AS c WHERE c.start_ns = w.start_ns AND c.process_id "
		"IS w.process_id AND place = 1), (SELECT file_id FROM of_file AS f WHERE "
		"f.start_ns = w.start_ns AND f.process_id IS w.process_id AND place = 1) "
		"FROM w GROUP BY start_ns, process_id");
}

static inline void test_class_bins(sqlite3 *db)
{
	TD_CASE("class_bin_stat");
	td_same_rows(
		db,
		"SELECT bin_ns, class, op_id, calls, errors, done_bytes, total_ns FROM "
		"class_bin_stat",
		"SELECT start_ns / (SELECT bin_ns FROM run) * (SELECT bin_ns FROM run) AS bin, "
		"(SELECT class FROM file WHERE id = file_id) AS class, op_id, count(*), "
		"coalesce(sum(ret < 0), 0), sum(done_bytes), sum(dur_ns) FROM call "
		"WHERE nested = 0 GROUP BY bin, class, op_id");
}

/* At the begin of each bin, what the calls that are in progress have left; the first bin has a row, too. */
static inline void test_late_bytes(sqlite3 *db)
{
	TD_CASE("bin_late");
	td_same_rows(
		db, "SELECT bin_ns, read_bytes, write_bytes FROM bin_late",
		"WITH RECURSIVE bin (ns) AS (SELECT start_ns / bin_ns * bin_ns FROM run UNION ALL "
		"SELECT ns + bin_ns FROM bin, run WHERE ns + bin_ns <= end_ns), "
		"moved AS MATERIALIZED (SELECT c.start_ns, c.dur_ns, c.done_bytes, o.verb FROM "
		"call AS c JOIN op AS o ON o.id = c.op_id WHERE c.nested = 0 AND c.done_bytes > 0 "
		"AND o.kind = 'io' AND o.verb IN ('read', 'write') AND (c.file_id IS NULL OR "
		"c.file_id NOT IN (SELECT id FROM waited_file)) AND c.start_ns / (SELECT bin_ns "
		"FROM run) < (c.start_ns + c.dur_ns - 1) / (SELECT bin_ns FROM run)), "
		"rest AS (SELECT ns, verb, done_bytes - CAST(1.0 * done_bytes * (ns - start_ns) / "
		"dur_ns AS INTEGER) AS bytes FROM moved CROSS JOIN bin WHERE start_ns >= (SELECT "
		"min(ns) FROM bin) AND ns > start_ns AND ns < start_ns + dur_ns UNION ALL SELECT "
		"min(ns), 'read', 0 FROM bin) "
		"SELECT ns, coalesce(sum(bytes) FILTER (WHERE verb = 'read'), 0), "
		"coalesce(sum(bytes) FILTER (WHERE verb = 'write'), 0) FROM rest GROUP BY ns");
}

/* Against the view, which looks at the calls. */
static inline void test_reads(sqlite3 *db, bool processes)
{
	char want[1024];

	TD_CASE("read_sum");
	(void)snprintf(
		want, sizeof(want),
		"SELECT iif(is_all, 'all', substr(by, 5)), file_id, process_id, template_id, "
		"reads, bytes, known, hits, hit_bytes, cold_bytes, ahead_bytes, end_bytes, placed, "
		"reread_bytes FROM main.read_stat WHERE (by IN ('all,file', 'all,template', '%s') "
		"AND is_all = 0) OR (by = 'all,file' AND is_all)",
		processes ? "all,process" : "");
	td_same_rows(db,
		     "SELECT by, file_id, process_id, template_id, reads, bytes, known, hits, "
		     "hit_bytes, cold_bytes, ahead_bytes, end_bytes, placed, reread_bytes FROM "
		     "read_sum",
		     want);
}

/* The blocks are all calls, one after the other, and begin where the time of the calls moves on: so the
 * first call at or after a time is in the last block that begins before it, or in the next one. */
static inline void test_blocks(sqlite3 *db)
{
	TD_CASE("call_block");
	TD_CHECK_INT(td_sql_int(db, "SELECT min(first_id) FROM call_block"), 1);
	TD_CHECK_INT(
		td_sql_int(db, "SELECT max(last_id) - (SELECT max(id) FROM call) FROM call_block"),
		0);
	TD_CHECK_INT(td_sql_int(db,
				"SELECT sum(last_id - first_id + 1) - (SELECT count(*) FROM call) "
				"FROM call_block"),
		     0);
	TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM call_block AS b JOIN call AS c "
				    "ON c.id = b.first_id WHERE c.start_ns <> b.start_ns"),
		     0);
	TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM call_block AS b JOIN call AS c "
				    "ON c.id = b.first_id - 1 WHERE c.start_ns >= b.start_ns"),
		     0);
	td_same_rows(db, "SELECT first_id, calls, end_ns, max_id, max_ns FROM call_block",
		     "SELECT b.first_id, count(c.id), max(c.start_ns + c.dur_ns), (SELECT l.id "
		     "FROM call AS l WHERE l.id BETWEEN b.first_id AND b.last_id AND l.nested = 0 "
		     "ORDER BY l.dur_ns DESC, l.id LIMIT 1), max(c.dur_ns) FROM call_block AS b "
		     "LEFT JOIN call "
		     "AS c ON c.id BETWEEN b.first_id AND b.last_id AND c.nested = 0 "
		     "GROUP BY b.first_id");
}
