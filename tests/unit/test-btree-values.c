/* SPDX-License-Identifier: MIT */
/*
 * Rows of any values through td_btree_add_values() and through sqlite3_step() must give the same
 * database: row by row, and byte for byte after VACUUM INTO, which copies records as they are but lays
 * out the pages anew. Then SQLite must be able to go on with it.
 *
 * usage: test-btree-values [write FOLDER COUNT | rows COUNT]
 * write: only makes pairs of databases, N-btree.db and N-sql.db, for tests/sqlite/readers.py;
 * rows: only one case, of so many rows
 */
#include <sys/stat.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "store/pages/btree.h"
#include "tests/unit/btree.h"

#define COLUMNS_MAX 200
#define TABLES_MAX 4

static char dir[] = "/tmp/tracedb-test-btree-values-XXXXXX";
static char btree_path[512], sql_path[512], copy_path[64], copy2_path[64];

/* -- tables of random columns */

enum column_type { INTEGER, REAL, TEXT, BLOB, ANY, NTYPES };
static const char *const type_names[] = { "INTEGER", "REAL", "TEXT", "BLOB", "ANY" };

struct column {
	enum column_type type;
	unsigned nulls; /* out of 100 */
};

struct sample {
	char name[8];
	uint64_t seed; /* of its rows */
	struct column columns[COLUMNS_MAX];
	size_t ncolumns;
	size_t key; /* the column that is the INTEGER PRIMARY KEY; ncolumns: none */
	bool strict;
	const struct sample *parent; /* what the first column refers to; NULL: nothing */
	size_t nrows;
	int64_t first_rowid, gap;
	size_t length_max; /* of texts and blobs, mostly */
	uint32_t rootpage;
};

static int64_t rowid_of(const struct sample *s, size_t row)
{
	return s->first_rowid + (int64_t)row * s->gap;
}

static void random_columns(struct sample *s)
{
	static const unsigned nulls[] = { 0, 0, 5, 50, 95, 100 };

	for (size_t i = 0; i < s->ncolumns; i++)
		s->columns[i] = (struct column){
			(enum column_type)below(s->strict ? NTYPES : ANY),
			nulls[below(TD_ARRAY_SIZE(nulls))],
		};
	if (s->key < s->ncolumns)
		s->columns[s->key].type = INTEGER;
	if (s->parent)
		s->columns[0].type = INTEGER;
}

static void random_sample(struct sample *samples, size_t i, size_t nrows_max, uint32_t page_size)
{
	static const int64_t first_rowids[] = {
		1, 1, 0, -100000, INT64_MIN, INT64_C(1) << 56, INT64_C(1) << 62
	};
	static const int64_t gaps[] = { 1, 1, 2, 1000, INT64_C(1) << 40 };
	const size_t lengths[] = { 0, 10, 100, page_size / 4, page_size, 3 * (size_t)page_size };
	struct sample *s = &samples[i];

	(void)snprintf(s->name, sizeof(s->name), "t%zu", i);
	s->seed = rnd();
	s->ncolumns = 1 + (below(10) ? below(20) : below(COLUMNS_MAX - 1));
	s->key = i == 0 || below(2) ? below(s->ncolumns) : s->ncolumns;
	s->strict = below(2);
	s->first_rowid = first_rowids[below(TD_ARRAY_SIZE(first_rowids))];
	s->gap = gaps[below(TD_ARRAY_SIZE(gaps))];
	s->length_max = lengths[below(TD_ARRAY_SIZE(lengths))];
	/* a row for every second table, and a page for every value at most */
	s->nrows = below(2 + nrows_max / (1 + s->ncolumns * s->length_max / 1000));
	if (i > 0 && s->key != 0 && samples[0].nrows && below(2))
		s->parent = &samples[0];
	random_columns(s);
}

static void create_sample(sqlite3 *db, const struct sample *s)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;

	td_strbuf_addf(&text, "CREATE TABLE %s(", s->name);
	for (size_t i = 0; i < s->ncolumns; i++)
		td_strbuf_addf(&text, "%sc%zu %s%s%s%s", i ? ", " : "", i,
			       type_names[s->columns[i].type],
			       i == s->key                ? " PRIMARY KEY"
			       : s->columns[i].nulls == 0 ? " NOT NULL"
							  : "",
			       s->parent && i == 0 ? " REFERENCES " : "",
			       s->parent && i == 0 ? s->parent->name : "");
	td_strbuf_addf(&text, ")%s", s->strict ? " STRICT" : "");
	sql(db, "%s", td_strbuf_str(&text));
}

/* -- random values */

/* Bytes of all kinds, NUL and what is no UTF-8 among them: SQLite keeps texts as they come. */
static char noise[4 << 20];

static void make_noise(void)
{
	for (size_t i = 0; i < sizeof(noise); i += 8)
		memcpy(noise + i, &(uint64_t){ rnd() }, 8);
}

/* Lengths at which a serial type takes one byte more, at which a record fills its leaf, and any. */
static struct td_str random_bytes(const struct sample *s)
{
	static const size_t lengths[] = { 0, 1, 57, 58, 59, 60, 8185, 8186, 8187 };
	size_t len;

	switch (below(8)) {
	case 0:
		len = TD_MIN(lengths[below(TD_ARRAY_SIZE(lengths))], s->length_max);
		break;
	case 1:
		len = s->length_max - below(1 + s->length_max / 8);
		break;
	default:
		len = below(1 + s->length_max);
		break;
	}
	if (below(2000) == 0)
		len = below(sizeof(noise) / 2);
	return (struct td_str){ noise + below(sizeof(noise) - len), len };
}

static struct td_value random_value(const struct sample *s, enum column_type type)
{
	struct td_value v = { 0 };

	if (type == ANY)
		type = (enum column_type[]){ INTEGER, TEXT, BLOB }[below(3)];
	switch (type) {
	case INTEGER:
		v.type = TD_VALUE_INTEGER;
		v.i = random_integer();
		break;
	case REAL:
		v.type = TD_VALUE_REAL;
		v.d = random_double();
		break;
	case TEXT:
		v.type = TD_VALUE_TEXT;
		v.s = random_bytes(s);
		break;
	default:
		v.type = TD_VALUE_BLOB;
		v.s = random_bytes(s);
		break;
	}
	return v;
}

/* The same values whenever it is called for that row. */
static void random_row(const struct sample *s, size_t row, struct td_value *values)
{
	rnd_state = s->seed + row * UINT64_C(0x9e3779b97f4a7c15);
	for (size_t i = 0; i < s->ncolumns; i++) {
		const struct column *c = &s->columns[i];

		values[i] = (struct td_value){ 0 };
		if (i == s->key || below(100) < c->nulls)
			continue;
		values[i] = random_value(s, c->type);
		if (s->parent && i == 0)
			values[i].i = rowid_of(s->parent, below(s->parent->nrows));
		/* no number is NULL, which the column may not be */
		if (values[i].type == TD_VALUE_REAL && c->nulls == 0 && values[i].d != values[i].d)
			values[i].d = 0;
	}
}

/* -- filling */

static sqlite3 *create(const char *path, struct sample *samples, size_t n, uint32_t page_size,
		       int reserved)
{
	sqlite3 *db;

	(void)unlink(path);
	db = db_open(path);
	sql(db, "PRAGMA page_size=%u; PRAGMA journal_mode=off; PRAGMA synchronous=off", page_size);
	TD_CHECK_INT(sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved),
		     SQLITE_OK);
	sql(db, "BEGIN");
	for (size_t i = 0; i < n; i++) {
		create_sample(db, &samples[i]);
		samples[i].rootpage = rootpage(db, samples[i].name);
	}
	sql(db, "COMMIT");
	return db;
}

/* Rows come in runs of random length from tables in random order. */
static void fill_btree(const char *path, const struct sample *samples, size_t n)
{
	struct td_btree_table *tables[TABLES_MAX];
	size_t done[TABLES_MAX] = { 0 };
	struct td_value values[COLUMNS_MAX];
	struct td_btree *b = NULL;
	struct td_btree_rows ahead = { 0 }; /* in every second turn */
	struct td_err err = { 0 };

	TD_CHECK_INT(td_btree_open(path, &b, &err), 0);
	for (size_t i = 0; i < n; i++)
		TD_CHECK_INT(td_btree_table(b, NULL, samples[i].rootpage, &tables[i]), 0);
	for (size_t left = n, turn = 0; left > 0; turn++) {
		size_t t, run;
		int r = 0;

		rnd_state = turn;
		t = below(n);
		run = 1 + below(1000);
		if (!tables[t])
			continue;
		for (; run > 0 && done[t] < samples[t].nrows && r == 0; run--, done[t]++) {
			random_row(&samples[t], done[t], values);
			if (turn % 2)
				r = td_btree_rows_add(&ahead, rowid_of(&samples[t], done[t]),
						      values, samples[t].ncolumns);
			else
				r = td_btree_add_values(tables[t], rowid_of(&samples[t], done[t]),
							values, samples[t].ncolumns);
		}
		if (r == 0)
			r = td_btree_add_rows(tables[t], &ahead);
		td_btree_rows_clear(&ahead);
		TD_CHECK_INT(r, 0);
		if (r < 0 || done[t] == samples[t].nrows) {
			TD_CHECK_INT(td_btree_table_finish(TAKE_PTR(tables[t])), 0);
			left--;
		}
	}
	td_btree_rows_done(&ahead);
	TD_CHECK_INT(td_btree_close(b), 0);
}

static int bind(sqlite3_stmt *stmt, int at, const struct td_value *v)
{
	switch (v->type) {
	case TD_VALUE_NULL:
		return sqlite3_bind_null(stmt, at);
	case TD_VALUE_INTEGER:
		return sqlite3_bind_int64(stmt, at, v->i);
	case TD_VALUE_REAL:
		return sqlite3_bind_double(stmt, at, v->d);
	case TD_VALUE_TEXT:
		return sqlite3_bind_text64(stmt, at, v->s.p, v->s.len, SQLITE_STATIC, SQLITE_UTF8);
	case TD_VALUE_BLOB:
		return sqlite3_bind_blob64(stmt, at, v->s.p, v->s.len, SQLITE_STATIC);
	}
	return SQLITE_MISUSE;
}

static void fill_table_sql(sqlite3 *db, const struct sample *s)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	struct td_value values[COLUMNS_MAX];
	sqlite3_stmt *stmt = NULL;
	int rc = SQLITE_DONE;

	td_strbuf_addf(&text, "INSERT INTO %s(_rowid_", s->name);
	for (size_t i = 0; i < s->ncolumns; i++)
		if (i != s->key)
			td_strbuf_addf(&text, ", c%zu", i);
	td_strbuf_addf(&text, ") VALUES(?");
	for (size_t i = 0; i < s->ncolumns; i++)
		if (i != s->key)
			td_strbuf_adds(&text, ", ?");
	td_strbuf_addc(&text, ')');
	TD_CHECK_INT(sqlite3_prepare_v2(db, td_strbuf_str(&text), -1, &stmt, NULL), SQLITE_OK);
	for (size_t row = 0; row < s->nrows && rc == SQLITE_DONE; row++) {
		int at = 1;

		random_row(s, row, values);
		(void)sqlite3_bind_int64(stmt, at, rowid_of(s, row));
		for (size_t i = 0; i < s->ncolumns; i++)
			if (i != s->key)
				TD_CHECK_INT(bind(stmt, ++at, &values[i]), SQLITE_OK);
		rc = sqlite3_step(stmt);
		(void)sqlite3_reset(stmt);
	}
	TD_CHECK_INT(rc, SQLITE_DONE);
	TD_CHECK_INT(sqlite3_finalize(stmt), SQLITE_OK);
}

static void fill_sql(sqlite3 *db, const struct sample *samples, size_t n)
{
	sql(db, "BEGIN");
	for (size_t i = 0; i < n; i++)
		fill_table_sql(db, &samples[i]);
	sql(db, "COMMIT");
}

/* -- comparing */

static void check_same(sqlite3 *db, const struct sample *samples, size_t n)
{
	sqlite3 *other = db_open(sql_path);

	for (size_t i = 0; i < n; i++) {
		char text[64];

		(void)snprintf(text, sizeof(text), "SELECT _rowid_, * FROM %s ORDER BY _rowid_",
			       samples[i].name);
		TD_CHECK_INT(same_rows(db, other, text), samples[i].nrows);
	}
	(void)unlink(copy_path);
	(void)unlink(copy2_path);
	sql(db, "VACUUM INTO '%s'", copy_path);
	sql(other, "VACUUM INTO '%s'", copy2_path);
	TD_CHECK(same_files(copy_path, copy2_path));
	db_close(other);
}

/* From now on it is SQLite's file. */
static void check_usable(sqlite3 *db, const struct sample *samples, size_t n)
{
	for (size_t i = n; i-- > 0;) {
		const struct sample *s = &samples[i];
		size_t gone = (s->nrows + 2) / 3;

		sql(db, "CREATE INDEX %s_c0 ON %s(c0)", s->name, s->name);
		check_integrity(db);
		sql(db,
		    "DELETE FROM %s WHERE _rowid_ IN (SELECT _rowid_ FROM (SELECT _rowid_, "
		    "row_number() OVER (ORDER BY _rowid_) AS n FROM %s) WHERE n %% 3 = 1)",
		    s->name, s->name);
		check_count(db, s->name, s->nrows - gone);
		sql(db, "CREATE TABLE new_%s(k INTEGER PRIMARY KEY, v BLOB)", s->name);
		/* into the pages that have become free */
		sql(db,
		    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) "
		    "INSERT INTO new_%s SELECT i, randomblob(i * 20) FROM n",
		    s->name);
		TD_CHECK_STR(sql_text(db, "PRAGMA integrity_check(3)"), "ok");
	}
	sql(db, "ANALYZE");
	sql(db, "VACUUM");
	TD_CHECK_STR(sql_text(db, "PRAGMA integrity_check(3)"), "ok");
}

static void make_pair(struct sample *samples, size_t n, uint32_t page_size, int reserved)
{
	sqlite3 *db = create(sql_path, samples, n, page_size, reserved);

	fill_sql(db, samples, n);
	db_close(db);
	db_close(create(btree_path, samples, n, page_size, reserved));
	fill_btree(btree_path, samples, n);
}

static void remove_files(void)
{
	(void)unlink(btree_path);
	(void)unlink(sql_path);
	(void)unlink(copy_path);
	(void)unlink(copy2_path);
}

static void check_samples(struct sample *samples, size_t n, uint32_t page_size, int reserved)
{
	sqlite3 *db;

	make_pair(samples, n, page_size, reserved);
	db = db_open(btree_path);
	sql(db, "PRAGMA synchronous=off");
	check_integrity(db);
	check_same(db, samples, n);
	check_usable(db, samples, n);
	db_close(db);
	remove_files();
}

static void test_random(uint64_t seed, size_t nrows_max,
			void (*check)(struct sample *samples, size_t n, uint32_t page_size,
				      int reserved))
{
	static const int reserves[] = { 0, 0, 0, 8, 32 };
	struct sample samples[TABLES_MAX] = { 0 };
	char name[64];
	uint32_t page_size;
	size_t n;
	int reserved;

	rnd_state = seed;
	page_size = UINT32_C(512) << below(8);
	n = 1 + below(TABLES_MAX);
	(void)snprintf(name, sizeof(name), "random, seed %llu, page size %u",
		       (unsigned long long)seed, page_size);
	TD_CASE(name);
	for (size_t i = 0; i < n; i++)
		random_sample(samples, i, nrows_max, page_size);
	reserved = reserves[below(TD_ARRAY_SIZE(reserves))];
	check(samples, n, page_size, reserved);
}

static void test_rows(size_t nrows)
{
	struct sample s = {
		.name = "rows",
		.seed = 1,
		.columns = { { INTEGER, 0 },
			     { INTEGER, 10 },
			     { REAL, 10 },
			     { TEXT, 10 },
			     { BLOB, 90 } },
		.ncolumns = 5,
		.key = 0,
		.strict = true,
		.nrows = nrows,
		.first_rowid = 1,
		.gap = 1,
		.length_max = 40,
	};

	TD_CASE("many rows");
	check_samples(&s, 1, 32768, 0);
}

/* The pairs stay where they are. */
static int write_pairs(const char *folder, int count)
{
	for (int seed = 1; seed <= count; seed++) {
		(void)snprintf(btree_path, sizeof(btree_path), "%s/%d-btree.db", folder, seed);
		(void)snprintf(sql_path, sizeof(sql_path), "%s/%d-sql.db", folder, seed);
		test_random((uint64_t)seed, seed % 3 ? 40 : 3000, make_pair);
	}
	return td_check_result();
}

int main(int argc, char **argv)
{
	rnd_state = 1;
	make_noise();
	if (argc == 4 && strcmp(argv[1], "write") == 0)
		return write_pairs(argv[2], (int)strtol(argv[3], NULL, 10));
	if (!mkdtemp(dir))
		return 1;
	(void)snprintf(btree_path, sizeof(btree_path), "%s/btree.db", dir);
	(void)snprintf(sql_path, sizeof(sql_path), "%s/sql.db", dir);
	(void)snprintf(copy_path, sizeof(copy_path), "%s/copy.db", dir);
	(void)snprintf(copy2_path, sizeof(copy2_path), "%s/copy2.db", dir);
	if (argc == 3 && strcmp(argv[1], "rows") == 0) {
		test_rows(strtoull(argv[2], NULL, 10));
	} else {
		for (uint64_t seed = 1; seed <= 30; seed++)
			test_random(seed, seed % 3 ? 40 : 3000, check_samples);
		test_rows(50000);
	}
	(void)rmdir(dir);
	return td_check_result();
}
