/* SPDX-License-Identifier: MIT */
/* An nsys export as an SQLite database: opening, finding tables and columns, reading rows. */
#include <sys/stat.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/sqlite_page.h"
#include "common/strbuf.h"
#include "importers/nsys/nsys.h"
#include "schema/sqlite.h"

#define CACHE_KIB 8192
#define TEXT_MAX (16 << 20) /* a longer value is damage */

/* What reading takes grows with the file, unless its pages are in more than one place of a tree.
 * Real exports have 25 to 100 bytes in a row, and take about a step of SQLite's for a byte. */
#define ROW_BYTES_MIN 6 /* its place on the page, its size and number, two bytes of header */
#define STEPS_PER_BYTE 16
#define STEPS_MIN 50000000
#define STEPS_AT_ONCE 100000

/* From the SQLite file format: big-endian integers in the first 100 bytes. */
#define HEADER_SIZE 100
#define HEADER_PAGE_SIZE 16 /* 2 bytes; 1 means 65536 */
#define HEADER_CHANGES 24 /* 4 bytes */
#define HEADER_PAGES 28 /* 4 bytes; valid if HEADER_CHANGES equals HEADER_VALID_FOR */
#define HEADER_VALID_FOR 92 /* 4 bytes */

static void finalize(sqlite3_stmt **s)
{
	sqlite3_finalize(*s);
}

static void map_done(struct td_nsys_map *m)
{
	td_intern_done(&m->keys);
	free(m->values);
}

void td_nsys_done(struct td_nsys *n)
{
	sqlite3_finalize(n->string_by_id);
	sqlite3_finalize(n->enum_label);
	sqlite3_close(n->db);
	td_intern_done(&n->tables);
	map_done(&n->strings);
	map_done(&n->libc_ops);
	map_done(&n->cuda_ops);
	map_done(&n->copy_names);
	map_done(&n->reasons);
	map_done(&n->domains);
	map_done(&n->categories);
	map_done(&n->nvtx_args);
	free(n->cuda_devices);
	td_strbuf_done(&n->row_text);
	td_intern_done(&n->sched_tids);
	free(n->slices);
	free(n->chains.stacks);
	td_frames_done(&n->chains.frames);
}

/* --- opening --- */

/* Sets what may be read of the export, by its size. */
static void set_limits(struct td_nsys *n, const char *path)
{
	struct stat st;
	uint64_t size = stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;

	n->rows_left = size / ROW_BYTES_MIN;
	n->steps_left = STEPS_MIN + size * STEPS_PER_BYTE;
}

static int on_steps(void *ctx)
{
	struct td_nsys *n = ctx;

	if (n->steps_left < STEPS_AT_ONCE)
		return 1;
	n->steps_left -= STEPS_AT_ONCE;
	return 0;
}

/* Our statements read tables. Whatever is read in the name of a view, which the file can have in the place of a table,
 * comes with that name. */
static int authorize(void *ctx, int action, const char *a, const char *b, const char *database,
		     const char *view)
{
	(void)ctx;
	(void)a;
	(void)b;
	(void)database;
	return view || action == SQLITE_RECURSIVE ? SQLITE_DENY : SQLITE_OK;
}

/* Is the file shorter than its header says? */
static bool is_cut(const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "rbe");
	unsigned char h[HEADER_SIZE];
	uint64_t page_size;

	if (!f || fread(h, 1, sizeof(h), f) != sizeof(h) ||
	    td_be32(h + HEADER_CHANGES) != td_be32(h + HEADER_VALID_FOR) ||
	    fseeko(f, 0, SEEK_END) < 0)
		return false;
	page_size = (uint64_t)h[HEADER_PAGE_SIZE] << 8 | h[HEADER_PAGE_SIZE + 1];
	if (page_size == 1)
		page_size = 65536;
	return (uint64_t)ftello(f) < page_size * td_be32(h + HEADER_PAGES);
}

static const char *what_is_wrong(const struct td_nsys *n, int rc)
{
	switch (rc & 0xff) {
	case SQLITE_AUTH:
		return "it is a view, not a table";
	case SQLITE_INTERRUPT:
	case SQLITE_TOOBIG:
		return "it has more than a file of this size has room for";
	}
	return sqlite3_errmsg(n->db);
}

/* What SQLite says about the export: damage is a finding, the rest an error. */
static int damage(struct td_nsys *n, int rc, const char *where)
{
	char detail[256];

	switch (rc & 0xff) {
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_FULL:
		return td_err_set(n->err, -ENOSPC, "no room to sort table '%s'", where);
	case SQLITE_CANTOPEN:
	case SQLITE_IOERR:
		return td_err_set(n->err, -EIO, "cannot read table '%s': %s", where,
				  sqlite3_errmsg(n->db));
	}
	(void)snprintf(detail, sizeof(detail), "table '%s' is damaged: %s", where,
		       what_is_wrong(n, rc));
	n->imp->line_no = 0;
	td_note(n->imp, "damaged-table", detail);
	if (!n->cut)
		td_import_set_cut(n->imp, detail);
	return 0;
}

static int list_tables(struct td_nsys *n)
{
	_cleanup_(finalize) sqlite3_stmt *s = td_nsys_prepare(
		n, "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0");
	int rc = SQLITE_CORRUPT;

	while (s && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		struct td_str name = td_nsys_str(s, 0);

		if (name.p && !td_intern_add(&n->tables, name.p, name.len))
			return -ENOMEM;
	}
	return rc == SQLITE_DONE ? 0 : damage(n, rc, "sqlite_schema");
}

int td_nsys_connect(struct td_nsys *n, const char *path)
{
	char pragmas[160];
	int rc;

	/* it may lie where nothing can be written or locked */
	rc = td_sqlite_open_immutable(path, &n->db);
	if (rc != SQLITE_OK)
		return td_err_set(n->err, rc == SQLITE_NOMEM ? -ENOMEM : -EIO,
				  "cannot open '%s': %s", path, sqlite3_errstr(rc));
	(void)sqlite3_limit(n->db, SQLITE_LIMIT_LENGTH, TEXT_MAX);
	/* writable_schema lets SQLite read what is there of a file that is cut, which the defence against
	 * writing forbids: nothing can be written to an immutable file */
	(void)sqlite3_db_config(n->db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
	(void)snprintf(
		pragmas, sizeof(pragmas),
		"PRAGMA writable_schema = ON; PRAGMA cache_size = -%d; PRAGMA temp_store = FILE",
		CACHE_KIB);
	(void)sqlite3_exec(n->db, pragmas, NULL, NULL, NULL);
	set_limits(n, path);
	sqlite3_progress_handler(n->db, STEPS_AT_ONCE, on_steps, n);
	(void)sqlite3_set_authorizer(n->db, authorize, n);
	return 0;
}

int td_nsys_open(struct td_nsys *n, const char *path)
{
	int rc = td_nsys_connect(n, path);

	if (rc < 0)
		return rc;
	n->cut = is_cut(path);
	td_import_opened(n->imp);
	if (n->cut)
		td_import_set_cut(n->imp, "the end of the file is missing");
	rc = list_tables(n);
	if (rc < 0)
		return rc;
	n->string_by_id = td_nsys_prepare(n, "SELECT value FROM StringIds WHERE id = ?");
	return 0;
}

/* --- tables, columns, values --- */

const char *td_nsys_table_name(struct td_nsys *n, const char *name)
{
	const char *found = NULL;
	size_t len = strlen(name);

	for (uint32_t id = 1; id <= n->tables.n; id++) {
		struct td_str t = td_intern_get(&n->tables, id);
		struct td_scan s = td_scan_of(t.p, t.len);
		uint64_t version;

		if (!td_scan_literal(&s, name))
			continue;
		if (t.len == len)
			return t.p;
		if (td_scan_literal(&s, "_V") && td_scan_u64(&s, &version) && td_scan_done(&s) &&
		    (!found || strcmp(t.p, found) > 0))
			found = t.p;
	}
	return found;
}

bool td_nsys_has_column(struct td_nsys *n, const char *table, const char *column)
{
	_cleanup_(finalize) sqlite3_stmt *s =
		td_nsys_prepare(n, "SELECT 1 FROM pragma_table_info(?) WHERE name = ?");

	return s && sqlite3_bind_text(s, 1, table, -1, SQLITE_STATIC) == SQLITE_OK &&
	       sqlite3_bind_text(s, 2, column, -1, SQLITE_STATIC) == SQLITE_OK &&
	       sqlite3_step(s) == SQLITE_ROW;
}

sqlite3_stmt *td_nsys_prepare(struct td_nsys *n, const char *sql)
{
	sqlite3_stmt *s = NULL;

	return sqlite3_prepare_v2(n->db, sql, -1, &s, NULL) == SQLITE_OK ? s : NULL;
}

int64_t td_nsys_query_i64(struct td_nsys *n, const char *sql, int64_t fallback)
{
	_cleanup_(finalize) sqlite3_stmt *s = td_nsys_prepare(n, sql);
	int64_t v = s && sqlite3_step(s) == SQLITE_ROW ? td_nsys_i64(s, 0) : TD_NULL;

	return v == TD_NULL ? fallback : v;
}

const char *td_nsys_query_text(struct td_nsys *n, const char *sql, char *buf, size_t size)
{
	_cleanup_(finalize) sqlite3_stmt *s = td_nsys_prepare(n, sql);
	struct td_str v = { NULL, 0 };

	if (s && sqlite3_step(s) == SQLITE_ROW)
		v = td_nsys_str(s, 0);
	(void)snprintf(buf, size, "%.*s", (int)TD_MIN(v.len, size), v.p ? v.p : "");
	return buf;
}

int64_t td_nsys_i64(sqlite3_stmt *s, int column)
{
	return sqlite3_column_type(s, column) == SQLITE_INTEGER ? sqlite3_column_int64(s, column)
								: TD_NULL;
}

struct td_str td_nsys_str(sqlite3_stmt *s, int column)
{
	int type = sqlite3_column_type(s, column);
	const char *p = NULL;

	if (type != SQLITE_NULL && type != SQLITE_BLOB)
		p = (const char *)sqlite3_column_text(s, column);
	return (struct td_str){ p, p ? (size_t)sqlite3_column_bytes(s, column) : 0 };
}

const char *td_nsys_time(const struct td_nsys *n, sqlite3_stmt *s, int column, int64_t *ret_ns)
{
	int64_t t = td_nsys_i64(s, column);

	if (t == TD_NULL)
		return "no-time";
	return __builtin_add_overflow(t, n->base_ns, ret_ns) ? "impossible-time" : NULL;
}

/* Names the row and its values in what is kept of an issue with it. */
static int describe(struct td_nsys *n, sqlite3_stmt *s)
{
	struct td_strbuf *text = &n->row_text;

	td_strbuf_reset(text);
	td_strbuf_adds(text, n->reading);
	for (int i = 0; i < sqlite3_column_count(s); i++) {
		struct td_str v = td_nsys_str(s, i);

		td_strbuf_addf(text, " %s=", sqlite3_column_name(s, i));
		td_strbuf_add(text, v.p ? v.p : "NULL", v.p ? v.len : 4);
	}
	td_import_row_text(n->imp, td_strbuf_str(text), text->len);
	return td_strbuf_error(text);
}

const char *td_nsys_times(struct td_nsys *n, sqlite3_stmt *s, int start_column, int end_column,
			  int64_t *ret_start_ns, int64_t *ret_dur_ns)
{
	int64_t start = td_nsys_i64(s, start_column), end = td_nsys_i64(s, end_column);

	if (end == TD_NULL)
		*ret_dur_ns = TD_NULL;
	else if (__builtin_sub_overflow(end, start, ret_dur_ns))
		*ret_dur_ns = INT64_MAX;
	/* the core sees to a duration that cannot be, and counts the row */
	if (end != TD_NULL && *ret_dur_ns < 0)
		(void)describe(n, s);
	return td_nsys_time(n, s, start_column, ret_start_ns);
}

struct td_str td_nsys_text(struct td_nsys *n, int64_t id)
{
	struct td_str none = { NULL, 0 };

	if (!n->string_by_id || id == TD_NULL)
		return none;
	(void)sqlite3_reset(n->string_by_id);
	if (sqlite3_bind_int64(n->string_by_id, 1, id) != SQLITE_OK ||
	    sqlite3_step(n->string_by_id) != SQLITE_ROW)
		return none;
	return td_nsys_str(n->string_by_id, 0);
}

uint32_t td_nsys_string(struct td_nsys *n, int64_t id)
{
	uint32_t string = td_nsys_map_get(&n->strings, &id, sizeof(id));
	struct td_str text;

	if (string)
		return string;
	text = td_nsys_text(n, id);
	if (!text.p)
		return 0;
	string = td_store_string(n->imp->store, text.p, text.len);
	return td_nsys_map_put(&n->strings, &id, sizeof(id), string) < 0 ? 0 : string;
}

struct td_str td_nsys_label(struct td_nsys *n, const char *table, int64_t id)
{
	char sql[128];

	sqlite3_finalize(n->enum_label);
	(void)snprintf(sql, sizeof(sql), "SELECT label FROM %s WHERE id = ?", table);
	n->enum_label = td_nsys_prepare(n, sql);
	if (n->enum_label && sqlite3_bind_int64(n->enum_label, 1, id) == SQLITE_OK &&
	    sqlite3_step(n->enum_label) == SQLITE_ROW)
		return td_nsys_str(n->enum_label, 0);
	return (struct td_str){ NULL, 0 };
}

uint32_t td_nsys_map_get(const struct td_nsys_map *m, const void *key, size_t len)
{
	uint32_t id = td_intern_find(&m->keys, key, len);

	return id ? m->values[id - 1] : 0;
}

int td_nsys_map_put(struct td_nsys_map *m, const void *key, size_t len, uint32_t value)
{
	uint32_t id;

	if (td_grow(&m->values, &m->cap, m->keys.n) < 0)
		return -ENOMEM;
	id = td_intern_add(&m->keys, key, len);
	if (!id)
		return -ENOMEM;
	m->values[id - 1] = value;
	return 0;
}

void td_nsys_who(struct td_nsys *n, int64_t global_tid, uint32_t *ret_process, uint32_t *ret_thread)
{
	struct td_store *st = n->imp->store;

	*ret_process = *ret_thread = 0;
	if (global_tid == TD_NULL)
		return;
	*ret_process = td_store_process(st, td_nsys_pid(global_tid), NULL, 0);
	*ret_thread = td_store_thread(st, td_nsys_tid(global_tid), *ret_process);
}

/* --- rows --- */

int td_nsys_reject(struct td_nsys *n, sqlite3_stmt *s, const char *kind)
{
	int r = describe(n, s);

	return r < 0 ? r : td_reject(n->imp, kind);
}

/* The SELECT of a table; false: a column that is needed is not there. */
static bool make_select(struct td_nsys *n, const struct td_nsys_table *t, const char *name,
			struct td_strbuf *sql)
{
	td_strbuf_adds(sql, "SELECT t.rowid");
	for (const char *const *c = t->columns; *c; c++) {
		const char *column = **c == '?' ? *c + 1 : *c;

		if (td_nsys_has_column(n, name, column)) {
			td_strbuf_addf(sql, ", t.\"%s\"", column);
		} else if (**c == '?') {
			td_strbuf_addf(sql, ", NULL AS \"%s\"", column);
		} else {
			td_strbuf_reset(sql);
			td_strbuf_addf(sql, "%s has no column %s: it is not read", name, column);
			return false;
		}
	}
	if (t->extra)
		td_strbuf_addf(sql, ", %s", t->extra);
	td_strbuf_addf(sql, " FROM \"%s\" AS t", name);
	if (t->join)
		td_strbuf_addf(sql, " %s", t->join);
	if (t->order)
		td_strbuf_addf(sql, " ORDER BY t.\"%s\"", t->order);
	if (t->then)
		td_strbuf_addf(sql, ", t.\"%s\"", t->then);
	return true;
}

static void note_missing(struct td_nsys *n, const struct td_nsys_table *t)
{
	char text[160];

	if (!t->what)
		return;
	(void)snprintf(text, sizeof(text), "%s: no %s in this export", t->name, t->what);
	td_note(n->imp, "missing-table", text);
}

static int read_rows(struct td_nsys *n, const struct td_nsys_table *t, sqlite3_stmt *s,
		     uint64_t *ret_rows)
{
	int64_t last = TD_NULL;
	int rc;

	n->reading = t->name;
	while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
		int64_t rowid = td_nsys_i64(s, 0);
		int r;

		/* a join can find a row twice */
		if (rowid == last)
			continue;
		last = rowid;
		if (!n->rows_left--) {
			n->rows_left = 0;
			return damage(n, SQLITE_TOOBIG, t->name);
		}
		td_import_row(n->imp);
		r = td_import_row_done(n->imp, t->row(n, s));
		if (r < 0)
			return r;
		++*ret_rows;
	}
	n->imp->line_no = 0;
	return rc == SQLITE_DONE ? 0 : damage(n, rc, t->name);
}

int td_nsys_read(struct td_nsys *n, const struct td_nsys_table *t, uint64_t *ret_rows)
{
	_cleanup_(td_strbuf_done) struct td_strbuf sql = TD_STRBUF_INIT;
	_cleanup_(finalize) sqlite3_stmt *s = NULL;
	const char *name = td_nsys_table_name(n, t->name);
	uint64_t rows = 0;
	int r = 0;

	if (!name) {
		note_missing(n, t);
	} else if (!make_select(n, t, name, &sql)) {
		td_note(n->imp, "missing-column", td_strbuf_str(&sql));
	} else if (td_strbuf_error(&sql) < 0) {
		r = -ENOMEM;
	} else {
		s = td_nsys_prepare(n, td_strbuf_str(&sql));
		r = s ? read_rows(n, t, s, &rows) : damage(n, sqlite3_errcode(n->db), t->name);
	}
	if (ret_rows)
		*ret_rows = rows;
	return r;
}
