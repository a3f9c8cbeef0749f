/* SPDX-License-Identifier: MIT */
/* For tests of the derived tables: writes a store with them and opens the database. */
#pragma once

#include "store/derive/derive.h"
#include "tests/unit/made_up.h"
#include "tests/unit/sql.h"

static char td_dir[] = "/tmp/tracedb-test-derive-XXXXXX";
static char td_db_path[64], td_spill_path[64];

static inline bool td_derive_set_up(void)
{
	if (!mkdtemp(td_dir))
		return false;
	(void)snprintf(td_db_path, sizeof(td_db_path), "%s/a.db", td_dir);
	(void)snprintf(td_spill_path, sizeof(td_spill_path), "%s/spill", td_dir);
	return true;
}

static inline void td_derive_tear_down(void)
{
	(void)unlink(td_db_path);
	TD_CHECK_INT(rmdir(td_dir), 0);
}

static inline struct td_store *td_new_store(void)
{
	struct td_store *st = NULL;

	TD_CHECK_INT(td_store_new(td_spill_path, &st), 0);
	return st;
}

/* budget: see td_derive_set_budget(); -1: the usual share. */
static inline sqlite3 *td_derived_within(struct td_store *st, int64_t budget)
{
	sqlite3 *db;
	struct td_write_options o = { .run_name = "run",
				      .utc_offset_s = TD_NULL,
				      .keep_rows = true };
	_cleanup_(td_derive_freep) struct td_derive *derive = NULL;
	struct td_row_watcher watcher;
	struct td_err err = { 0 };

	(void)unlink(td_db_path);
	TD_CHECK_INT(td_derive_new(td_spill_path, &derive), 0);
	if (budget >= 0)
		td_derive_set_budget(derive, (size_t)budget);
	watcher = td_derive_watcher(derive);
	TD_CHECK_INT(td_store_write(st, td_db_path, &o, &watcher, &err), 0);
	TD_CHECK_STR(err.msg, "");
	db = db_open(td_db_path);
	check_integrity(db);
	return db;
}

static inline sqlite3 *td_derived(struct td_store *st)
{
	return td_derived_within(st, -1);
}

static inline int64_t td_sql_int(sqlite3 *db, const char *text)
{
	sqlite3_stmt *s = NULL;
	int64_t v = INT64_MIN;

	TD_CHECK_INT(sqlite3_prepare_v2(db, text, -1, &s, NULL), SQLITE_OK);
	if (sqlite3_step(s) == SQLITE_ROW)
		v = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return v;
}

/* Both statements give the same rows, in any order; there must be some. */
static inline void td_same_rows(sqlite3 *db, const char *got, const char *want)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;

	td_strbuf_addf(&text,
		       "WITH got AS (%s), want AS (%s) SELECT "
		       "(SELECT count(*) FROM (SELECT * FROM got EXCEPT SELECT * FROM want)) + "
		       "(SELECT count(*) FROM (SELECT * FROM want EXCEPT SELECT * FROM got)) + "
		       "abs((SELECT count(*) FROM got) - (SELECT count(*) FROM want))",
		       got, want);
	TD_CHECK_INT(td_sql_int(db, td_strbuf_str(&text)), 0);
	td_strbuf_reset(&text);
	td_strbuf_addf(&text, "SELECT count(*) FROM (%s)", want);
	TD_CHECK(td_sql_int(db, td_strbuf_str(&text)) > 0);
}
