/* SPDX-License-Identifier: MIT */
/* From a store to a database, by both row writers. */
#include "store/write/row_builder.h"
#include "store/write/write.h"
#include "tests/unit/made_up.h"
#include "tests/unit/sql.h"

static char dir[] = "/tmp/tracedb-test-write-XXXXXX";
static char path_a[64], path_b[64], spill[64];

static struct td_store *new_store(void)
{
	struct td_store *st = NULL;

	TD_CHECK_INT(td_store_new(spill, &st), 0);
	return st;
}

static void write_to(struct td_store *st, const char *path, enum td_row_writer writer,
		     const struct td_row_watcher *watcher)
{
	struct td_write_options o = { .run_name = "run",
				      .keep_rows = true,
				      .utc_offset_s = -18000,
				      .utc_offset_basis = "given",
				      .writer = writer };
	struct td_err err = { 0 };

	(void)unlink(path);
	TD_CHECK_INT(td_store_write(st, path, &o, watcher, &err), 0);
	TD_CHECK_STR(err.msg, "");
}

/* --- the two writers --- */

static sqlite3_stmt *prepare(sqlite3 *db, const char *text)
{
	sqlite3_stmt *s = NULL;

	TD_CHECK_INT(sqlite3_prepare_v2(db, text, -1, &s, NULL), SQLITE_OK);
	return s;
}

static bool same_value(sqlite3_stmt *a, sqlite3_stmt *b, int c)
{
	int n = sqlite3_column_bytes(a, c);

	return sqlite3_column_type(a, c) == sqlite3_column_type(b, c) &&
	       sqlite3_column_bytes(b, c) == n &&
	       (n == 0 ||
		memcmp(sqlite3_column_blob(a, c), sqlite3_column_blob(b, c), (size_t)n) == 0);
}

/* Every row of the table, in the order in which it lies there. */
static size_t compare_table(sqlite3 *a, sqlite3 *b, const char *table)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	sqlite3_stmt *x, *y;
	size_t n = 0;
	int rx, ry;

	td_strbuf_addf(&text, "SELECT * FROM %s", table);
	x = prepare(a, td_strbuf_str(&text));
	y = prepare(b, td_strbuf_str(&text));
	for (;; n++) {
		rx = sqlite3_step(x);
		ry = sqlite3_step(y);
		TD_CHECK_INT(rx, ry);
		if (rx != SQLITE_ROW || ry != SQLITE_ROW)
			break;
		for (int c = 0; c < sqlite3_column_count(x); c++)
			TD_CHECK(same_value(x, y, c));
	}
	sqlite3_finalize(x);
	sqlite3_finalize(y);
	return n;
}

static void test_writers_agree(void)
{
	_cleanup_(td_store_freep) struct td_store *st = new_store();
	sqlite3 *a, *b;
	sqlite3_stmt *tables;
	size_t n = 0, filled = 0;

	TD_CASE("btree and SQLite write the same");
	(void)td_make_source(st, "one", 1, 20000, NAN);
	(void)td_make_source(st, "two", 2, 5000, 1234.5);
	write_to(st, path_a, TD_WRITER_BTREE, NULL);
	write_to(st, path_b, TD_WRITER_SQLITE, NULL);
	a = db_open(path_a);
	b = db_open(path_b);
	check_integrity(a);
	check_integrity(b);
	tables = prepare(a, "SELECT name FROM sqlite_schema WHERE type = 'table'");
	for (; sqlite3_step(tables) == SQLITE_ROW; n++) {
		const char *name = (const char *)sqlite3_column_text(tables, 0);

		TD_CASE(name);
		filled += compare_table(a, b, name) > 0;
	}
	sqlite3_finalize(tables);
	TD_CASE("tables with rows");
	/* run source source_text anchor issue_count issue string process thread file device op call
	 * block_request sched_slice gpu_op track sample span mark summary loss stack stack_sample stack_total */
	TD_CHECK_INT(filled, 26);
	TD_CHECK(n >= filled);
	TD_CHECK_INT(strtoull(sql_text(a, "SELECT count(*) FROM call"), NULL, 10),
		     td_stage_count(td_store_stage(st, TD_KIND_CALL)));
	db_close(a);
	db_close(b);
}

/* So many that rows of files are made on several threads; some of them are one file with a path that came later. */
static void test_many_files(void)
{
	_cleanup_(td_store_freep) struct td_store *st = new_store();
	sqlite3 *a, *b;

	TD_CASE("many files");
	for (unsigned i = 0; i < 10000; i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf name = TD_STRBUF_INIT;

		td_strbuf_addf(&name, i % 100 == 7 ? "/data/%u/n\xff%u" : "n%u_%u.JPEG", i % 1000,
			       i % 100 == 8 ? i - 1 : i);
		if (td_strbuf_str(&name)[0] == '/')
			(void)td_store_file_path(st, (struct td_str){ name.p, name.len },
						 (struct td_str){ NULL, 0 }, i % 300 == 7);
		else
			(void)td_store_file_name(st, (struct td_str){ name.p, name.len }, false);
	}
	(void)td_store_file_name(st,
				 (struct td_str){ "n\xff"
						  "107",
						  5 },
				 false);
	write_to(st, path_a, TD_WRITER_BTREE, NULL);
	write_to(st, path_b, TD_WRITER_SQLITE, NULL);
	a = db_open(path_a);
	b = db_open(path_b);
	check_integrity(a);
	TD_CHECK_INT(compare_table(a, b, "file"), 10000);
	TD_CHECK(compare_table(a, b, "string") > 0);
	db_close(a);
	db_close(b);
}

/* --- what is written --- */

/* One row that says everything, by hand. */
static void test_literal(void)
{
	_cleanup_(td_store_freep) struct td_store *st = new_store();
	struct td_call c = TD_CALL_INIT;
	struct td_source *s;
	sqlite3 *db;

	TD_CASE("literal");
	c.source_id = td_store_source(st, "dir/a.out");
	c.start_ns = 1000;
	c.op_id = td_store_op(st, "read", 4, TD_LAYER_SYSCALL);
	TD_CHECK_INT(td_stage_add(td_store_stage(st, TD_KIND_CALL), &c), 0);
	c.start_ns = 900; /* before, with everything known */
	c.dur_ns = 7;
	c.ret = -2;
	c.asked_bytes = 10;
	c.done_bytes = 0;
	c.offset_bytes = 5;
	c.fd = -1;
	c.process_id = td_store_process(st, 42,
					"bad\xff"
					"comm",
					8);
	c.thread_id = td_store_thread(st, 43, c.process_id);
	c.file_id = td_store_file_path(st, td_made_str("/d/f1"), (struct td_str){ NULL, 0 }, false);
	c.args_id = td_store_cstr(st, "flags");
	TD_CHECK_INT(td_stage_add(td_store_stage(st, TD_KIND_CALL), &c), 0);
	s = td_store_source_at(st, 1);
	s->first_native_ns = 900;
	s->last_native_ns = 1000;
	s->clock = TD_CLOCK_BOOT;
	s->offset_ns = 5000000;
	s->error_ns = 1;
	td_store_process_at(st, 1)->start_ns = 800;
	td_store_process_at(st, 1)->start_source_id = 1;
	write_to(st, path_a, TD_WRITER_BTREE, NULL);
	db = db_open(path_a);
	TD_CHECK_STR(
		sql_text(db, "SELECT group_concat(quote(id) || ':' || quote(start_ns) || ':' "
			     "|| quote(dur_ns) || ':' || quote(ret) || ':' || "
			     "quote(asked_bytes) || ':' || quote(done_bytes) || ':' || "
			     "quote(offset_bytes) || ':' || quote(fd) || ':' || "
			     "quote(process_id) || ':' || quote(file_id), ' ') FROM call"),
		"1:5000900:7:-2:10:0:5:-1:1:1 2:5001000:NULL:NULL:NULL:NULL:NULL:NULL:NULL:NULL");
	TD_CHECK_STR(sql_text(db, "SELECT pid || name || start_ns FROM process"),
		     "42bad\xef\xbf\xbd"
		     "comm5000800");
	TD_CHECK_STR(sql_text(db,
			      "SELECT t.text || '|' || d.text || '|' || f.class_known FROM file "
			      "AS f JOIN string AS t ON t.id = f.template_id JOIN string AS d "
			      "ON d.id = f.directory_id"),
		     "/d/f{}|/d|0");
	TD_CHECK_STR(sql_text(db,
			      "SELECT path || clock || clock_offset_ns || '|' || first_ns || '|' "
			      "|| last_ns || '|' || quote(clock_drift_ppb) FROM source"),
		     "dir/a.outboot5000000|5000900|5001000|NULL");
	TD_CHECK_STR(sql_text(db, "SELECT name || utc_offset_s || utc_offset_basis || '|' || "
				  "start_ns || '|' || end_ns || '|' || quote(bin_ns) FROM run"),
		     "run-18000given|5000900|5001000|NULL");
	check_integrity(db);
	db_close(db);
}

/* A name that is the only path's: one file, which all calls are on. */
static void test_merged_files(void)
{
	_cleanup_(td_store_freep) struct td_store *st = new_store();
	struct td_call c = TD_CALL_INIT;
	sqlite3 *db;

	TD_CASE("merged files");
	c.source_id = td_store_source(st, "a");
	td_made_clock(st, 1, NAN);
	c.op_id = td_store_op(st, "vfs_read", 8, TD_LAYER_VFS);
	for (int i = 0; i < 4; i++) {
		c.start_ns = i;
		c.file_id = i == 1 ? td_store_file_path(st, td_made_str("/d/x"),
							(struct td_str){ NULL, 0 }, false)
				   : td_store_file_name(st, td_made_str(i == 3 ? "y" : "x"), false);
		TD_CHECK_INT(td_stage_add(td_store_stage(st, TD_KIND_CALL), &c), 0);
	}
	write_to(st, path_a, TD_WRITER_SQLITE, NULL);
	db = db_open(path_a);
	TD_CHECK_STR(sql_text(db, "SELECT group_concat(f.name || coalesce(f.path, '-') || "
				  "coalesce(f.path_basis, '-'), ' ') FROM call AS c JOIN file AS f "
				  "ON f.id = c.file_id"),
		     "x/d/xmatched x/d/xmatched x/d/xmatched y--");
	TD_CHECK_STR(sql_text(db, "SELECT count(*) FROM file"), "2");
	check_integrity(db);
	db_close(db);
}

/* The run's time range is that of the sources on the common clock. */
static void test_range(void)
{
	_cleanup_(td_store_freep) struct td_store *st = new_store();
	sqlite3 *db;

	TD_CASE("range of the run");
	for (uint16_t id = 1; id <= 4; id++) {
		struct td_source *s;

		TD_CHECK_INT(td_store_source(st, "a"), id);
		s = td_store_source_at(st, id);
		s->first_native_ns = 1000000 * id;
		s->last_native_ns = 2000000 * id;
		s->offset_ns = 7;
		s->error_ns = id == 2 || id == 3 ? 1 : TD_NULL;
	}
	td_store_source_at(st, 3)->drift_ppb = 1000; /* a millionth of the 3 ms since its begin */
	write_to(st, path_a, TD_WRITER_BTREE, NULL);
	db = db_open(path_a);
	TD_CHECK_STR(sql_text(db, "SELECT start_ns || ' ' || end_ns FROM run"), "2000007 6000010");
	db_close(db);
	for (uint16_t id = 2; id <= 3; id++)
		td_store_source_at(st, id)->error_ns = TD_NULL;
	write_to(st, path_a, TD_WRITER_BTREE, NULL);
	db = db_open(path_a);
	TD_CHECK_STR(sql_text(db, "SELECT start_ns || ' ' || end_ns FROM run"), "1000007 8000007");
	db_close(db);
}

/* --- watching --- */

struct seen {
	int64_t last_id[TD_NKINDS], last_ns[TD_NKINDS], rows;
	enum td_kind order[TD_NKINDS];
	size_t nkinds;
	int fail_at; /* row at which to fail, 0: none */
	bool begun, ended;
};

static int begin(void *ud, struct td_store *st)
{
	((struct seen *)ud)->begun = true;
	return 0;
}

static int64_t time_of(enum td_kind kind, const void *record)
{
	return *(const int64_t *)((const char *)record + td_tables[kind].time_offset);
}

static int see_row(void *ud, enum td_kind kind, int64_t id, void *record)
{
	struct seen *s = ud;

	TD_CHECK(s->begun && !s->ended);
	if (!s->nkinds || s->order[s->nkinds - 1] != kind) {
		TD_CHECK(s->nkinds < TD_NKINDS);
		s->order[s->nkinds++] = kind;
	}
	TD_CHECK_INT(id, s->last_id[kind] + 1);
	TD_CHECK(time_of(kind, record) >= s->last_ns[kind]);
	s->last_id[kind] = id;
	s->last_ns[kind] = time_of(kind, record);
	if (kind == TD_KIND_CALL)
		((struct td_call *)record)->nested = 1;
	return ++s->rows == s->fail_at ? -ENOTRECOVERABLE : 0;
}

static int rows(void *ud, enum td_kind kind, int64_t id, void *records, size_t n)
{
	int r = 0;

	TD_CHECK(n > 0);
	for (size_t i = 0; i < n && r >= 0; i++)
		r = see_row(ud, kind, id + (int64_t)i,
			    (char *)records + i * td_tables[kind].record_size);
	return r;
}

/* A rowid table that the b-tree writer can fill. */
static int tables(void *ud, const struct td_target *target, struct td_err *err)
{
	_cleanup_(td_row_builder_done) struct td_row_builder stmt = { 0 };
	struct seen *s = ud;

	TD_CHECK(!s->ended);
	TD_CHECK_INT(td_row_builder_open(&stmt, target, "phase_interval", err), 0);
	for (int64_t i = 0; i < 3; i++) {
		td_row_text(&stmt, i ? "odd \xff" : "even");
		td_row_i64(&stmt, i);
		td_row_i64(&stmt, i + 1);
		td_row_i64(&stmt, TD_NULL);
		TD_CHECK_INT(td_row_builder_end_row(&stmt), 0);
	}
	return 0;
}

static int end(void *ud, const struct td_target *target, struct td_err *err)
{
	sqlite3 *db = td_target_db(target);
	struct seen *s = ud;

	s->ended = true;
	TD_CHECK_STR(
		sql_text(db, "SELECT group_concat(rowid || label || start_ns) FROM phase_interval"),
		"1even0,2odd \xef\xbf\xbd"
		"1,3odd \xef\xbf\xbd"
		"2");
	TD_CHECK_STR(sql_text(db, "SELECT count(*) > 0 FROM file"), "1");
	TD_CHECK_STR(sql_text(db, "SELECT min(nested) FROM call"), "1");
	sql(db, "UPDATE run SET bin_ns = 99");
	return 0;
}

static void test_watcher(void)
{
	static const enum td_kind order[] = TD_WRITE_ORDER;
	static const enum td_row_writer writers[] = { TD_WRITER_BTREE, TD_WRITER_SQLITE };

	for (size_t w = 0; w < 2; w++) {
		_cleanup_(td_store_freep) struct td_store *st = new_store();
		struct seen seen = { 0 };
		struct td_row_watcher watcher = {
			.ud = &seen,
			.begin = begin,
			.rows = rows,
			.tables = tables,
			.end = end,
		};
		struct td_write_options o = { .run_name = "x",
					      .keep_rows = true,
					      .utc_offset_s = TD_NULL,
					      .writer = writers[w] };
		struct td_err err = { 0 };
		sqlite3 *db;

		TD_CASE(w ? "watcher, SQLite" : "watcher, btree");
		(void)td_make_source(st, "one", 3, 2000, NAN);
		(void)td_make_source(st, "two", 4, 2000, -5000);
		write_to(st, path_a, writers[w], &watcher);
		TD_CHECK(seen.ended);
		TD_CHECK_INT(seen.nkinds, TD_NKINDS);
		TD_CHECK_INT(memcmp(seen.order, order, sizeof(order)), 0);
		db = db_open(path_a);
		TD_CHECK_STR(sql_text(db, "SELECT bin_ns FROM run"), "99");
		db_close(db);

		TD_CASE("watcher that fails");
		seen = (struct seen){ .fail_at = 500 };
		(void)unlink(path_a);
		TD_CHECK_INT(td_store_write(st, path_a, &o, &watcher, &err), -ENOTRECOVERABLE);
		TD_CHECK(!seen.ended);

		TD_CASE("the file exists");
		TD_CHECK_INT(td_store_write(st, path_a, &o, NULL, &err), -EEXIST);
	}
}

/* --- pages --- */

/* A few thousand rows must not take 2 MB, and many must not be spread over small pages: SQLite says
 * what the file has. */
static void test_page_sizes(void)
{
	static const struct {
		size_t nrows;
		const char *bytes;
	} sizes[] = { { 1000, "4096" }, { 250000, "4096" }, { 250001, "8192" } };

	for (size_t i = 0; i < 2 * TD_ARRAY_SIZE(sizes); i++) {
		_cleanup_(td_store_freep) struct td_store *st = new_store();
		struct td_call c = TD_CALL_INIT;
		sqlite3 *db;

		TD_CASE("page sizes");
		c.source_id = td_store_source(st, "a");
		c.op_id = td_store_op(st, "read", 4, TD_LAYER_SYSCALL);
		for (size_t k = 0; k < sizes[i / 2].nrows; k++) {
			c.start_ns = (int64_t)k;
			TD_CHECK_INT(td_stage_add(td_store_stage(st, TD_KIND_CALL), &c), 0);
		}
		TD_CHECK_INT(td_stage_cut(td_store_stage(st, TD_KIND_CALL)), 0);
		write_to(st, path_a, i % 2 ? TD_WRITER_SQLITE : TD_WRITER_BTREE, NULL);
		db = db_open(path_a);
		TD_CHECK_STR(sql_text(db, "PRAGMA page_size"), sizes[i / 2].bytes);
		TD_CHECK_STR(sql_text(db, "PRAGMA integrity_check"), "ok");
		db_close(db);
	}
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	(void)snprintf(path_a, sizeof(path_a), "%s/a.db", dir);
	(void)snprintf(path_b, sizeof(path_b), "%s/b.db", dir);
	(void)snprintf(spill, sizeof(spill), "%s/spill", dir);
	test_writers_agree();
	test_many_files();
	test_literal();
	test_merged_files();
	test_range();
	test_watcher();
	test_page_sizes();
	(void)unlink(path_a);
	(void)unlink(path_b);
	TD_CHECK_INT(rmdir(dir), 0);
	return td_check_result();
}
