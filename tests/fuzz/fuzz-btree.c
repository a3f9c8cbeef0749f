/* SPDX-License-Identifier: MIT */
/*
 * Arbitrary bytes as rows: what the b-tree writer makes of them must be a sound database with the rows that
 * SQLite makes of the same values. The input begins with page size, reserved bytes, number of columns,
 * distance of rowids and the first of them; then come the values, each after its type and length.
 */
#include <sys/mman.h>

#include "store/pages/btree.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/btree.h"

#define COLUMNS_MAX 130
#define ROWS_MAX 2000
#define LENGTH_MAX 70000
#define LONG_MAX (2 << 20) /* of all long values together */

struct input {
	const uint8_t *p, *end;
	uint32_t page_size;
	int reserved;
	size_t ncolumns;
	int64_t gap;
	size_t long_left;
};

static char filler[LENGTH_MAX];

/* Every fourth column takes numbers of any size, the others everything else. */
static bool is_real(size_t column)
{
	return column % 4 == 3;
}

static uint8_t next_byte(struct input *in)
{
	return in->p < in->end ? *in->p++ : 0;
}

static uint64_t next_number(struct input *in, size_t size)
{
	uint64_t v = 0;

	for (size_t i = 0; i < size; i++)
		v = v << 8 | next_byte(in);
	return v;
}

/* Short ones are of the input, as far as it goes; the lengths of long ones grow by their square. */
static struct td_str next_bytes(struct input *in, size_t code)
{
	struct td_str s = { filler, TD_MIN((code - 100) * (code - 100) * 3, (size_t)LENGTH_MAX) };

	if (code <= 100) {
		s = (struct td_str){ (const char *)in->p, TD_MIN(code, (size_t)(in->end - in->p)) };
		in->p += s.len;
	} else {
		s.len = TD_MIN(s.len, in->long_left);
		in->long_left -= s.len;
	}
	return s;
}

static struct td_value next_value(struct input *in, bool real)
{
	uint8_t code = next_byte(in);
	struct td_value v = { 0 };
	uint64_t bits;

	if (code % 8 == 0)
		return v;
	if (real) {
		bits = next_number(in, 8);
		v.type = TD_VALUE_REAL;
		memcpy(&v.d, &bits, sizeof(bits));
	} else if (code % 8 < 4) {
		v.type = TD_VALUE_INTEGER;
		v.i = (int64_t)next_number(in, code / 8 % 9);
	} else {
		v.type = code % 8 < 6 ? TD_VALUE_TEXT : TD_VALUE_BLOB;
		v.s = next_bytes(in, next_byte(in));
	}
	return v;
}

/* A file in memory, as SQLite does not leave one in a database that is called ":memory:". */
static sqlite3 *open_memory(void)
{
	sqlite3 *db = NULL;

	TD_CHECK_INT(sqlite3_open_v2("file:fuzz?vfs=memdb", &db,
				     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI,
				     NULL),
		     SQLITE_OK);
	return db;
}

/* An empty table t in a database of that page size. */
static sqlite3 *create(const struct input *in)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	sqlite3 *db = open_memory();
	int reserved = in->reserved;

	sql(db, "PRAGMA page_size=%u", in->page_size);
	TD_CHECK_INT(sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved),
		     SQLITE_OK);
	td_strbuf_adds(&text, "CREATE TABLE t(");
	for (size_t i = 0; i < in->ncolumns; i++)
		td_strbuf_addf(&text, "%sc%zu %s", i ? ", " : "", i, is_real(i) ? "REAL" : "ANY");
	td_strbuf_adds(&text, ") STRICT");
	sql(db, "%s", td_strbuf_str(&text));
	return db;
}

/* The rows go to both at the same time. */
struct writers {
	struct td_btree_table *table;
	sqlite3_stmt *insert;
};

static void bind(sqlite3_stmt *stmt, int at, const struct td_value *v)
{
	int rc = SQLITE_OK;

	switch (v->type) {
	case TD_VALUE_NULL:
		rc = sqlite3_bind_null(stmt, at);
		break;
	case TD_VALUE_INTEGER:
		rc = sqlite3_bind_int64(stmt, at, v->i);
		break;
	case TD_VALUE_REAL:
		rc = sqlite3_bind_double(stmt, at, v->d);
		break;
	case TD_VALUE_TEXT:
		rc = sqlite3_bind_text64(stmt, at, v->s.p, v->s.len, SQLITE_STATIC, SQLITE_UTF8);
		break;
	case TD_VALUE_BLOB:
		rc = sqlite3_bind_blob64(stmt, at, v->s.p, v->s.len, SQLITE_STATIC);
		break;
	}
	TD_CHECK_INT(rc, SQLITE_OK);
}

static void add_row(const struct writers *w, struct input *in, int64_t rowid)
{
	struct td_value values[COLUMNS_MAX];

	TD_CHECK_INT(sqlite3_bind_int64(w->insert, 1, rowid), SQLITE_OK);
	for (size_t i = 0; i < in->ncolumns; i++) {
		values[i] = next_value(in, is_real(i));
		bind(w->insert, (int)i + 2, &values[i]);
	}
	TD_CHECK_INT(sqlite3_step(w->insert), SQLITE_DONE);
	TD_CHECK_INT(sqlite3_reset(w->insert), SQLITE_OK);
	TD_CHECK_INT(td_btree_add_values(w->table, rowid, values, in->ncolumns), 0);
}

static sqlite3_stmt *prepare(sqlite3 *db, size_t ncolumns)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	sqlite3_stmt *stmt = NULL;

	td_strbuf_adds(&text, "INSERT INTO t(_rowid_");
	for (size_t i = 0; i < ncolumns; i++)
		td_strbuf_addf(&text, ", c%zu", i);
	td_strbuf_adds(&text, ") VALUES(?");
	for (size_t i = 0; i < ncolumns; i++)
		td_strbuf_adds(&text, ", ?");
	td_strbuf_addc(&text, ')');
	TD_CHECK_INT(sqlite3_prepare_v2(db, td_strbuf_str(&text), -1, &stmt, NULL), SQLITE_OK);
	return stmt;
}

/* The file with the empty table, and its path. */
static int put_file(sqlite3 *db, char *ret_path, size_t size)
{
	sqlite3_int64 len = 0;
	unsigned char *bytes = sqlite3_serialize(db, "main", &len, 0);
	int fd = memfd_create("fuzz-btree", MFD_CLOEXEC);

	TD_CHECK(bytes && fd >= 0);
	TD_CHECK_INT(write(fd, bytes, (size_t)len), len);
	sqlite3_free(bytes);
	(void)snprintf(ret_path, size, "/proc/self/fd/%d", fd);
	return fd;
}

/* A database of what the file holds now. */
static sqlite3 *get_file(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	unsigned char *bytes = sqlite3_malloc64((sqlite3_uint64)size);
	sqlite3 *db = open_memory();

	TD_CHECK(bytes != NULL);
	TD_CHECK_INT(pread(fd, bytes, (size_t)size, 0), size);
	TD_CHECK_INT(
		sqlite3_deserialize(db, "main", bytes, size, size,
				    SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE),
		SQLITE_OK);
	return db;
}

static void check_file(int fd, sqlite3 *want, int64_t nrows)
{
	sqlite3 *db = get_file(fd);

	sql(db, "PRAGMA temp_store=memory");
	check_integrity(db);
	TD_CHECK_INT(same_rows(db, want, "SELECT _rowid_, * FROM t ORDER BY _rowid_"), nrows);
	sql(db, "DELETE FROM t WHERE _rowid_ %% 2 = 0; INSERT INTO t(c0) VALUES(randomblob(9000))");
	sql(db, "CREATE INDEX i ON t(c0); VACUUM");
	check_integrity(db);
	db_close(db);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { .p = data, .end = data + size, .long_left = LONG_MAX };
	struct writers w = { 0 };
	struct td_btree *btree = NULL;
	struct td_err err = { { 0 } };
	int64_t rowid, n = 0;
	char path[64];
	sqlite3 *db;
	int fd;

	in.page_size = UINT32_C(512) << next_byte(&in) % 8;
	in.reserved = next_byte(&in) % 33;
	in.ncolumns = 1 + next_byte(&in) % COLUMNS_MAX;
	in.gap = 1 + (int64_t)next_number(&in, 1 + next_byte(&in) % 5);
	rowid = (int64_t)next_number(&in, 8) / 2;
	db = create(&in);
	fd = put_file(db, path, sizeof(path));
	TD_CHECK_INT(td_btree_open(path, &btree, &err), 0);
	TD_CHECK_INT(td_btree_table(btree, NULL, rootpage(db, "t"), &w.table), 0);
	w.insert = prepare(db, in.ncolumns);
	sql(db, "BEGIN");
	for (; in.p < in.end && n < ROWS_MAX; n++, rowid += in.gap)
		add_row(&w, &in, rowid);
	sql(db, "COMMIT");
	TD_CHECK_INT(sqlite3_finalize(w.insert), SQLITE_OK);
	TD_CHECK_INT(td_btree_table_finish(w.table), 0);
	TD_CHECK_INT(td_btree_close(btree), 0);
	check_file(fd, db, n);
	db_close(db);
	(void)close(fd);
	if (td_check_failures)
		abort();
	return 0;
}
