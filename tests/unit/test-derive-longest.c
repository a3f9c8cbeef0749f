/* SPDX-License-Identifier: MIT */
/* longest against plain SQL over the rows that were written beside it. */
#include "tests/unit/derive.h"

#define FIRST(partition) "row_number() OVER (PARTITION BY " partition " ORDER BY dur_ns DESC, id)"

static void check_calls(sqlite3 *db)
{
	TD_CASE("calls");
	td_same_rows(
		db, "SELECT id, dur_ns, op_id, waits FROM longest WHERE what = 'call'",
		"SELECT id, dur_ns, op_id, waits FROM (SELECT *, " FIRST(
			"verb, waits") " AS place FROM ("
				       "SELECT c.id, c.dur_ns, c.op_id, o.verb, o.kind <> 'io' OR "
				       "o.verb = 'socket' OR coalesce(f.class IN "
				       "('pipe', 'socket', 'eventfd', 'anon-inode', 'terminal', "
				       "'unnamed'), 0) AS waits FROM call AS c JOIN op AS o ON "
				       "o.id = c.op_id LEFT JOIN file AS f ON f.id = c.file_id "
				       "WHERE c.nested = 0 AND c.dur_ns > 0)) WHERE place <= 100");
	TD_CHECK(td_sql_int(db, "SELECT count(*) FROM longest WHERE what = 'call' AND waits") >
		 100);
	TD_CHECK(td_sql_int(db, "SELECT count(*) FROM longest WHERE what = 'call' AND NOT waits") >
		 100);
}

static void check_others(sqlite3 *db)
{
	TD_CASE("requests");
	td_same_rows(db, "SELECT id, dur_ns, op_id, waits FROM longest WHERE what = 'request'",
		     "SELECT id, dur_ns, NULL, NULL FROM (SELECT *, " FIRST(
			     "op") " AS place FROM block_request WHERE dur_ns > 0) WHERE place <= "
				   "100");
	TD_CHECK(td_sql_int(db, "SELECT count(*) FROM longest WHERE what = 'request'") > 100);
	TD_CASE("work of GPUs");
	td_same_rows(db, "SELECT id, dur_ns, op_id, waits FROM longest WHERE what = 'kernel'",
		     "SELECT id, dur_ns, NULL, NULL FROM gpu_op WHERE dur_ns > 0 AND kind_id NOT "
		     "IN (SELECT id FROM string WHERE text = 'sync') ORDER BY dur_ns DESC, id "
		     "LIMIT 100");
	TD_CHECK(td_sql_int(db, "SELECT count(*) FROM longest WHERE what = 'kernel'") > 10);
}

static void test_made_up(size_t n)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	sqlite3 *db;

	(void)td_make_source(st, "a", 21, n, NAN);
	db = td_derived(st);
	check_calls(db);
	check_others(db);
	db_close(db);
}

int main(void)
{
	if (!td_derive_set_up())
		return 1;
	test_made_up(20000);
	td_derive_tear_down();
	return td_check_result();
}
