/* SPDX-License-Identifier: MIT */
/* What the database says of files by themselves, busiest_file, top_file, file_kind and classed_file, against plain SQL. */
#include "tests/unit/derive.h"

/* I/O calls. */
static void make_io(sqlite3 *db)
{
	sql(db, "CREATE TEMP TABLE io AS SELECT c.* FROM call AS c JOIN op ON op.id = c.op_id "
		"WHERE op.kind = 'io' AND nested = 0");
}

/* Of files that took as long each has a row, and the rest of the class, with what is on no file, is another one. */
static void test_busiest_files(sqlite3 *db)
{
	TD_CASE("busiest_file");
	td_same_rows(
		db,
		"SELECT process_id, class, file_id, files, calls, errors, done_bytes, total_ns, "
		"max_ns"
		" FROM busiest_file",
		"WITH each AS (SELECT process_id, (SELECT class FROM file AS f WHERE f.id = "
		"file_id)"
		" AS class, file_id, count(*) AS calls, coalesce(sum(ret < 0), 0) AS errors,"
		" sum(done_bytes) AS done_bytes, sum(dur_ns) AS total_ns, max(dur_ns) AS max_ns"
		" FROM io GROUP BY process_id, file_id),"
		" ranked AS (SELECT *, file_id IS NOT NULL AND rank() OVER (PARTITION BY "
		"process_id,"
		" class ORDER BY file_id IS NULL, coalesce(total_ns, -1) DESC) = 1 AS is_most FROM "
		"each)"
		" SELECT process_id, class, iif(is_most, file_id, NULL), count(file_id), "
		"sum(calls),"
		" sum(errors), sum(done_bytes), sum(total_ns), max(max_ns) FROM ranked"
		" GROUP BY process_id, class, is_most, iif(is_most, file_id, NULL)");
}

/* Of those that wait and of the others, also where that are more than there is room for. */
static void test_top_files(sqlite3 *db)
{
	TD_CASE("top_file");
	td_same_rows(
		db, "SELECT waits, file_id, total_ns FROM top_file",
		"SELECT waits, file_id, total_ns FROM (SELECT *, row_number() OVER (PARTITION "
		"BY waits ORDER BY total_ns DESC, file_id) AS rank FROM (SELECT file_id, "
		"file_id IN (SELECT id FROM waited_file) AS waits, sum(dur_ns) AS total_ns "
		"FROM io WHERE file_id IS NOT NULL GROUP BY file_id HAVING count(dur_ns) > 0)) "
		"WHERE rank <= 100");
}

static void test_file_kinds(sqlite3 *db)
{
	TD_CASE("file_kind and classed_file");
	td_same_rows(db, "SELECT template_id, class, files FROM file_kind",
		     "SELECT template_id, class, count(*) FROM file GROUP BY 1, 2");
	td_same_rows(db, "SELECT id, class FROM classed_file",
		     "SELECT id, class FROM file WHERE class NOT IN ('regular', 'directory', "
		     "'unknown')");
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
	TD_CHECK(td_sql_int(db, "SELECT count(DISTINCT waits) FROM top_file") == 2);
	TD_CHECK(td_sql_int(db, "SELECT count(*) FROM file_kind WHERE files > 1") > 0);
	TD_CHECK(td_sql_int(db, "SELECT count(DISTINCT class) FROM classed_file") > 1);
	make_io(db);
	test_busiest_files(db);
	test_top_files(db);
	test_file_kinds(db);
	db_close(db);
}

/* 250 files, of which no two took as long but for every tenth: 100 of them have rows, of as long ones the first. */
static void test_many_files(void)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	char path[32];
	sqlite3 *db;
	uint16_t op;

	TD_CASE("many files");
	(void)td_plain_source(st);
	op = td_store_op(st, "read", 4, TD_LAYER_SYSCALL);
	for (int64_t i = 0; i < 250 * 12; i++) {
		int64_t file = i % 250;

		if (i / 250 >= 2 + file % 10) /* 5 ns each: file 9 of ten takes longest */
			continue;
		(void)snprintf(path, sizeof(path), "/f%d", (int)file);
		td_plain_call(st, TD_MADE_UTC + i * 1000, op,
			      td_store_file_path(st, td_made_str(path), (struct td_str){ NULL, 0 },
						 false));
	}
	db = td_derived(st);
	/* 25 files each of 55, 50, 45 and 40 ns */
	TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM top_file"), 100);
	TD_CHECK_INT(td_sql_int(db, "SELECT sum(total_ns) FROM top_file"),
		     25 * (55 + 50 + 45 + 40));
	make_io(db);
	test_top_files(db);
	db_close(db);
}

int main(void)
{
	if (!td_derive_set_up())
		return 1;
	test_made_up();
	test_many_files();
	td_derive_tear_down();
	return td_check_result();
}
