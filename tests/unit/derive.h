/* SPDX-License-Identifier: MIT */
/* For tests of the derived tables: writes a store with them and opens the database. */
#pragma once

#include <math.h>

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

/* A row for the tables; the stage keeps a copy. */
static inline void td_stage_row(struct td_store *st, enum td_kind kind, const void *row)
{
	TD_CHECK_INT(td_stage_add(td_store_stage(st, kind), row), 0);
}

/* A sample of gpu.sm of the period that ends then; share below 0: unknown. */
static inline void td_stage_gpu_sample(struct td_store *st, uint16_t source_id, uint32_t gpu,
				       uint32_t process_id, int64_t end, int64_t dur, int64_t share)
{
	struct td_sample s = TD_SAMPLE_INIT;

	s.ts_ns = end;
	s.dur_ns = dur;
	s.track_id = td_store_track(st, source_id, "gpu.sm", "%", gpu, process_id);
	s.value = share < 0 ? NAN : (double)share;
	td_stage_row(st, TD_KIND_SAMPLE, &s);
}

/* A source with the made-up clock, or with one that could not be aligned. */
static inline void td_stage_source(struct td_store *st, bool aligned)
{
	uint16_t id = td_store_source(st, "a");
	struct td_source *s = td_store_source_at(st, id);

	s->offset_ns = aligned ? TD_MADE_UTC : 0;
	s->error_ns = aligned ? 1 : TD_NULL;
	s->first_native_ns = 0;
	s->last_native_ns = 0;
}
