/* SPDX-License-Identifier: MIT */
/*
 * The same rows through store/pages/btree.c and through SQLite (store/write/insert.c) must give the same
 * database. "Same" is checked twice: by SQL, and byte for byte after VACUUM INTO, which copies
 * records as they are but lays out the pages anew.
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "store/pages/btree.h"
#include "store/write/insert.h"
#include "schema/rows.h"
#include "tests/unit/btree.h"
#include "tests/unit/btree-rows.h"

#define COLUMNS_MAX 125 /* that the b-tree writer takes */
#define TABLES_MAX 4

static char dir[] = "/tmp/tracedb-test-btree-XXXXXX";
static char btree_path[64], sql_path[64], copy_path[64], copy2_path[64];

/* -- tables of random columns and rows */

struct sample {
	struct td_table table;
	struct td_column columns[COLUMNS_MAX];
	char name[8], column_names[COLUMNS_MAX][24];
	size_t nrows;
	int64_t *rowids;
	uint8_t *records;
	uint32_t rootpage;
};

static const size_t size_of_type[] = {
	[TD_I64] = 8, [TD_I32] = 4, [TD_KEY32] = 4, [TD_KEY16] = 2, [TD_U8] = 1, [TD_F64] = 8,
};

/* Members are packed without gaps, so that they are at odd addresses too. */
static void sample_columns(struct sample *s, size_t number, size_t ncolumns,
			   const enum td_type *types)
{
	(void)snprintf(s->name, sizeof(s->name), "t%zu", number);
	s->table =
		(struct td_table){ .name = s->name, .columns = s->columns, .ncolumns = ncolumns };
	for (size_t i = 0; i < ncolumns; i++) {
		(void)snprintf(s->column_names[i], sizeof(s->column_names[i]), "c%zu", i);
		s->columns[i] =
			(struct td_column){ s->column_names[i], types[i], s->table.record_size };
		s->table.record_size += size_of_type[types[i]];
	}
}

static void sample_done(struct sample *s)
{
	free(s->rowids);
	free(s->records);
}

static void random_member(uint8_t *member, enum td_type type)
{
	int64_t v = below(5) ? random_integer() : TD_NULL;
	int32_t v32 = v == TD_NULL ? INT32_MIN : (int32_t)v;
	uint32_t key32 = (uint32_t)v;
	uint16_t key16 = (uint16_t)v;
	double d = random_double();
	const void *from[] = {
		[TD_I64] = &v,       [TD_I32] = &v32, [TD_KEY32] = &key32,
		[TD_KEY16] = &key16, [TD_F64] = &d,
	};

	if (type == TD_U8)
		*member = (uint8_t)v;
	else
		memcpy(member, from[type], size_of_type[type]);
}

/* A repeated column keeps the value of the first row: all NULL, all 0, all large... */
static void sample_rows(struct sample *s, size_t nrows, int64_t rowid, uint64_t gap_max)
{
	uint64_t repeated = rnd();

	repeated &= rnd(); /* one column in four */
	s->nrows = nrows;
	s->rowids = calloc(nrows + 1, sizeof(*s->rowids));
	s->records = calloc(nrows + 1, s->table.record_size);
	for (size_t i = 0; i < nrows; i++) {
		uint8_t *record = s->records + i * s->table.record_size;

		s->rowids[i] = rowid;
		rowid += (int64_t)(1 + below(gap_max));
		for (size_t c = 0; c < s->table.ncolumns; c++) {
			const struct td_column *column = &s->columns[c];

			if (i > 0 && (repeated >> (c & 63) & 1))
				memcpy(record + column->offset, s->records + column->offset,
				       size_of_type[column->type]);
			else
				random_member(record + column->offset, column->type);
		}
	}
}

static void random_sample(struct sample *s, size_t number, size_t nrows_max)
{
	static const int64_t first_rowids[] = {
		1, 1, 0, -100000, INT64_MIN, INT64_C(1) << 56, INT64_C(1) << 62
	};
	static const uint64_t gaps[] = { 1, 1, 2, 1000, UINT64_C(1) << 40 };
	enum td_type types[20];
	size_t ncolumns = 1 + below(TD_ARRAY_SIZE(types));

	for (size_t i = 0; i < ncolumns; i++)
		types[i] = (enum td_type)below(TD_F64 + 1);
	sample_columns(s, number, ncolumns, types);
	sample_rows(s, below(nrows_max + 1), first_rowids[below(TD_ARRAY_SIZE(first_rowids))],
		    gaps[below(TD_ARRAY_SIZE(gaps))]);
}

/* -- filling */

static void remove_files(void)
{
	(void)unlink(btree_path);
	(void)unlink(sql_path);
	(void)unlink(copy_path);
	(void)unlink(copy2_path);
}

/* The same empty tables in a new file. */
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
		struct sample *s = &samples[i];

		create_table(db, &s->table);
		s->rootpage = rootpage(db, s->name);
	}
	sql(db, "COMMIT");
	return db;
}

/* Adds some rows, at most max; those with consecutive rowids at once. */
static int add_some(struct td_btree_table *t, const struct sample *s, size_t *done, size_t max)
{
	size_t end = TD_MIN(*done + max, s->nrows);
	int r = 0;

	for (size_t from = *done; from < end && r == 0; from = *done) {
		while (++*done < end && s->rowids[*done] == s->rowids[*done - 1] + 1)
			;
		r = add_rows(t, &s->table, s->rowids[from],
			     s->records + from * s->table.record_size, *done - from);
	}
	return r;
}

/* Rows come in runs of random length from tables in random order. */
static void fill_btree(const char *path, const struct sample *samples, size_t n)
{
	struct td_btree_table *tables[TABLES_MAX];
	size_t done[TABLES_MAX] = { 0 };
	struct td_btree *b = NULL;
	struct td_err err = { 0 };

	TD_CHECK_INT(td_btree_open(path, &b, &err), 0);
	for (size_t i = 0; i < n; i++)
		TD_CHECK_INT(td_btree_table(b, &samples[i].table, samples[i].rootpage, &tables[i]),
			     0);
	for (size_t left = n; left > 0;) {
		size_t t = below(n), run = 1 + below(1000);
		const struct sample *s = &samples[t];
		int r;

		if (!tables[t])
			continue;
		r = add_some(tables[t], s, &done[t], run);
		TD_CHECK_INT(r, 0);
		if (r < 0 || done[t] == s->nrows) {
			TD_CHECK_INT(td_btree_table_finish(TAKE_PTR(tables[t])), 0);
			left--;
		}
	}
	TD_CHECK_INT(td_btree_close(b), 0);
}

static void fill_sql(sqlite3 *db, const struct sample *samples, size_t n)
{
	struct td_err err = { 0 };

	sql(db, "BEGIN");
	for (size_t i = 0; i < n; i++) {
		const struct sample *s = &samples[i];
		struct td_insert *ins = NULL;
		int r = 0;

		TD_CHECK_INT(td_insert_open(db, &s->table, &ins, &err), 0);
		for (size_t k = 0; k < s->nrows && r == 0; k++)
			r = td_insert_add(ins, s->rowids[k], s->records + k * s->table.record_size);
		TD_CHECK_INT(r, 0);
		td_insert_close(ins);
	}
	sql(db, "COMMIT");
}

/* -- comparing */

static void check_same(sqlite3 *db, const struct sample *samples, size_t n)
{
	sqlite3 *other = db_open(sql_path);

	for (size_t i = 0; i < n; i++) {
		char text[64];

		(void)snprintf(text, sizeof(text), "SELECT * FROM %s ORDER BY id", samples[i].name);
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
	for (size_t i = 0; i < n; i++) {
		const char *name = samples[i].name;
		size_t left = samples[i].nrows - (samples[i].nrows + 2) / 3;

		sql(db, "CREATE INDEX %s_c0 ON %s(c0)", name, name);
		sql(db,
		    "DELETE FROM %s WHERE id IN (SELECT id FROM (SELECT id, row_number() "
		    "OVER (ORDER BY id) AS n FROM %s) WHERE n %% 3 = 1)",
		    name, name);
		check_count(db, name, left);
		sql(db, "INSERT INTO %s(c0) VALUES(7)", name);
		check_count(db, name, left + 1);
	}
	check_integrity(db);
	sql(db, "ANALYZE");
	sql(db, "VACUUM");
	check_integrity(db);
}

static void check_samples(struct sample *samples, size_t n, uint32_t page_size, int reserved)
{
	sqlite3 *db = create(sql_path, samples, n, page_size, reserved);

	fill_sql(db, samples, n);
	db_close(db);
	db_close(create(btree_path, samples, n, page_size, reserved));
	fill_btree(btree_path, samples, n);
	db = db_open(btree_path);
	sql(db, "PRAGMA synchronous=off");
	check_integrity(db);
	check_same(db, samples, n);
	check_usable(db, samples, n);
	db_close(db);
	remove_files();
}

static void test_random(uint64_t seed, size_t nrows_max)
{
	static const int reserves[] = { 0, 0, 0, 8, 32 };
	struct sample samples[TABLES_MAX] = { 0 };
	char name[64];
	uint32_t page_size;
	size_t n;

	rnd_state = seed;
	page_size = UINT32_C(512) << below(8);
	n = 1 + below(TABLES_MAX);
	(void)snprintf(name, sizeof(name), "random, seed %llu, page size %u",
		       (unsigned long long)seed, page_size);
	TD_CASE(name);
	for (size_t i = 0; i < n; i++)
		random_sample(&samples[i], i, nrows_max);
	check_samples(samples, n, page_size, reserves[below(TD_ARRAY_SIZE(reserves))]);
	for (size_t i = 0; i < n; i++)
		sample_done(&samples[i]);
}

/* The tables of the schema, each of which has an encoder of its own. */
static void test_kinds(void)
{
	for (size_t kind = 0; kind < TD_NKINDS; kind++) {
		const struct td_table *t = &td_tables[kind];
		enum td_type types[COLUMNS_MAX];
		struct sample s = { 0 };

		TD_CASE(t->name);
		rnd_state = kind;
		for (size_t i = 0; i < t->ncolumns; i++)
			types[i] = t->columns[i].type;
		sample_columns(&s, kind, t->ncolumns, types);
		for (size_t i = 0; i < t->ncolumns; i++)
			s.columns[i].offset = t->columns[i].offset;
		s.table.record_size = t->record_size;
		s.table.push_cell = t->push_cell;
		sample_rows(&s, 20000, 1, 1);
		check_samples(&s, 1, 32768, 0);
		sample_done(&s);
	}
}

static void test_most_columns(void)
{
	struct sample s = { 0 };
	enum td_type types[COLUMNS_MAX];

	TD_CASE("125 columns");
	for (size_t i = 0; i < TD_ARRAY_SIZE(types); i++)
		types[i] = TD_I64;
	sample_columns(&s, 0, TD_ARRAY_SIZE(types), types);
	sample_rows(&s, 1000, 1, 1);
	check_samples(&s, 1, 4096, 0);
	sample_done(&s);
}

/* -- numbers of leaves around those at which an interior page is full */

/* Rows of 20 random doubles, 182 bytes: two fill a leaf of 512 bytes. */
static void check_levels(int64_t first_rowid, uint64_t gap_max, size_t nrows_from, size_t nrows_to)
{
	struct sample s = { 0 };
	enum td_type types[20];

	for (size_t i = 0; i < TD_ARRAY_SIZE(types); i++)
		types[i] = TD_F64;
	sample_columns(&s, 0, TD_ARRAY_SIZE(types), types);
	sample_rows(&s, nrows_to, first_rowid, gap_max);
	for (size_t i = 0; i < nrows_to * TD_ARRAY_SIZE(types); i++)
		memcpy(s.records + i * sizeof(double), &(double){ 0.1 }, sizeof(double));
	for (size_t n = nrows_from; n <= nrows_to; n++) {
		sqlite3 *db;

		s.nrows = n;
		db_close(create(btree_path, &s, 1, 512, 0));
		fill_btree(btree_path, &s, 1);
		db = db_open(btree_path);
		check_integrity(db);
		check_count(db, s.name, n);
		/* finds its way down through the interior pages */
		TD_CHECK_INT(strtoll(sql_text(db, "SELECT id FROM t0 WHERE id=%lld",
					      (long long)s.rowids[n - 1]),
				     NULL, 10),
			     s.rowids[n - 1]);
		db_close(db);
	}
	sample_done(&s);
}

/* An interior page of 512 bytes has room for (512 - 12) / (2 + 4 + varint) cells and one child more:
 * 72 leaves when all rowids are below 128, 63 when they take two bytes, 34 when nine. A root above
 * 34 such pages has 34 * 34 leaves. */
static void test_levels(void)
{
	TD_CASE("one interior level, rowids of one and two bytes");
	check_levels(1, 1, 116, 150);
	TD_CASE("one interior level, rowids of nine bytes");
	check_levels(INT64_C(1) << 60, 1, 64, 72);
	TD_CASE("two interior levels");
	check_levels(INT64_C(1) << 60, 1000, 2 * 34 * 34 - 6, 2 * 34 * 34 + 6);
	check_levels(INT64_MIN, 1000, 2 * 34 * 2 - 4, 2 * 34 * 2 + 6);
	remove_files();
}

/* -- the page of the lock byte */

static void test_lock_byte(void)
{
	struct sample samples[2] = { 0 };
	enum td_type types[] = { TD_I64, TD_F64 };
	sqlite3 *db;

	TD_CASE("lock byte");
	rnd_state = 1;
	for (size_t i = 0; i < 2; i++) {
		sample_columns(&samples[i], i, TD_ARRAY_SIZE(types), types);
		sample_rows(&samples[i], 30000, 1, 1);
	}
	db = create(sql_path, samples, 2, 65536, 0);
	fill_sql(db, samples, 2);
	db_close(db);
	db_close(create(btree_path, samples, 2, 65536, 0));
	add_free_pages(btree_path, LOCK_PAGE - 3);
	fill_btree(btree_path, samples, 2);
	db = db_open(btree_path);
	sql(db, "PRAGMA synchronous=off");
	TD_CHECK(strtoul(sql_text(db, "PRAGMA page_count"), NULL, 10) > LOCK_PAGE);
	check_integrity(db);
	check_same(db, samples, 2);
	check_usable(db, samples, 2);
	db_close(db);
	for (size_t i = 0; i < 2; i++)
		sample_done(&samples[i]);
	remove_files();
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	(void)snprintf(btree_path, sizeof(btree_path), "%s/btree.db", dir);
	(void)snprintf(sql_path, sizeof(sql_path), "%s/sql.db", dir);
	(void)snprintf(copy_path, sizeof(copy_path), "%s/copy.db", dir);
	(void)snprintf(copy2_path, sizeof(copy2_path), "%s/copy2.db", dir);
	test_kinds();
	test_most_columns();
	test_levels();
	test_lock_byte();
	for (uint64_t seed = 1; seed <= 30; seed++)
		test_random(seed, seed % 3 ? 40 : 3000);
	test_random(1000, 50000);
	test_random(1001, 200000);
	(void)rmdir(dir);
	return td_check_result();
}
