/* SPDX-License-Identifier: MIT */
/* lock_stat against plain SQL over the calls. */
#include "tests/unit/derive.h"

static const char by_hand[] =
	"SELECT c.process_id, c.thread_id, c.op_id, c.args_id, count(*), "
	"coalesce(sum(c.ret < 0), 0), count(c.dur_ns), sum(c.dur_ns), max(c.dur_ns), "
	"min(c.start_ns) FILTER (WHERE c.dur_ns = (SELECT max(x.dur_ns) FROM call AS x WHERE "
	"x.process_id IS c.process_id AND x.thread_id IS c.thread_id AND x.op_id = c.op_id AND "
	"x.args_id IS c.args_id AND x.nested = 0)) "
	"FROM call AS c JOIN op AS o ON o.id = c.op_id WHERE o.kind = 'lock' AND o.layer <> "
	"'cuda' AND c.nested = 0 GROUP BY 1, 2, 3, 4";

static void test_made_up(void)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	sqlite3 *db;

	TD_CASE("made up");
	(void)td_make_source(st, "a", 21, 3000, NAN);
	db = td_derived(st);
	td_same_rows(db, "SELECT * FROM lock_stat", by_hand);
	TD_CHECK(td_sql_int(db, "SELECT count(*) FROM lock_stat") > 1);
	db_close(db);
}

/* Of more groups than there may be there is none. */
static void test_too_many(void)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	sqlite3 *db;

	TD_CASE("too many");
	(void)td_make_source(st, "a", 21, 3000, NAN);
	db = td_derived_within(st, 1);
	TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM lock_stat"), 0);
	db_close(db);
}

int main(void)
{
	if (!td_derive_set_up())
		return 1;
	test_made_up();
	test_too_many();
	td_derive_tear_down();
	return td_check_result();
}
