/* SPDX-License-Identifier: MIT */
/*
 * Rows of a table as groups of a Parquet file. Tables of numbers, which the large ones are, are
 * read from their pages: each thread fills a group with the rows of a stretch of leaves, and they
 * append them in turn. Others are read by SQL.
 */
#include <pthread.h>

#include "analyzer/export/parquet_rows.h"
#include "common/parallel.h"
#include "common/strbuf.h"
#include "common/utf8.h"
#include "schema/db.h"

#define LEAVES_MIN 64 /* of a group: rowids with holes do not make small ones */
#define GROUPS_MAX 16 /* at work at a time: threads of td_parallel() */

/* --- by SQL --- */

static int put_text(const struct td_export_table *t, struct td_parquet_group *g, size_t column,
		    sqlite3_stmt *s)
{
	_cleanup_free_ char *valid = NULL;
	struct td_str text = { (const char *)sqlite3_column_text(s, (int)column),
			       (size_t)sqlite3_column_bytes(s, (int)column) };

	if (!text.p)
		return td_parquet_put_text(g, column, NULL);
	if (!t->columns[column].binary && !td_utf8_valid(text.p, text.len)) {
		valid = td_utf8_dup(text.p, text.len);
		if (!valid)
			return -ENOMEM;
		text = (struct td_str){ valid, strlen(valid) };
	}
	return td_parquet_put_text(g, column, &text);
}

static int put_number(const struct td_export_table *t, struct td_parquet_group *g, size_t column,
		      sqlite3_stmt *s, int64_t *ret, uint8_t *ret_null)
{
	double d = sqlite3_column_double(s, (int)column);

	*ret_null = sqlite3_column_type(s, (int)column) == SQLITE_NULL;
	if (t->layout.is_real[column])
		memcpy(ret, &d, sizeof(d));
	else
		*ret = sqlite3_column_int64(s, (int)column);
	return td_parquet_put_numbers(g, column, ret, ret_null, 1);
}

static int put_row(const struct td_export_table *t, struct td_parquet_group *g, sqlite3_stmt *s)
{
	int64_t v[TD_TABLE_COLUMNS_MAX] = { 0 };
	uint8_t is_null[TD_TABLE_COLUMNS_MAX] = { 0 };
	int r = 0;

	for (size_t i = 0; i < t->layout.ncolumns && r == 0; i++)
		r = t->is_text[i] ? put_text(t, g, i, s)
				  : put_number(t, g, i, s, &v[i], &is_null[i]);
	for (size_t i = t->layout.ncolumns; i < t->ncolumns && r == 0; i++) {
		size_t key = t->keys[i];
		uint32_t code = is_null[key] ? 0 : td_lookup_code(t->lookups[i], v[key]);

		r = td_parquet_put_codes(g, i, &code, 1);
	}
	return r;
}

static int append(struct td_parquet_file *file, struct td_parquet_group *g)
{
	int r = td_parquet_group_end(g);

	return r == 0 ? td_parquet_file_append(file, g) : r;
}

static int prepare(sqlite3 *db, const struct td_export_table *t, sqlite3_stmt **ret,
		   struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf sql = TD_STRBUF_INIT;
	int rc;

	for (size_t i = 0; i < t->layout.ncolumns; i++)
		td_strbuf_addf(&sql, "%s\"%s\"", i ? ", " : "SELECT ", t->columns[i].name);
	td_strbuf_addf(&sql, " FROM main.\"%s\"%s", t->name, t->has_rowid ? " NOT INDEXED" : "");
	if (t->layout.rowid >= 0)
		td_strbuf_addf(&sql, " ORDER BY \"%s\"", t->columns[t->layout.rowid].name);
	if (td_strbuf_error(&sql) < 0)
		return -ENOMEM;
	rc = sqlite3_prepare_v2(db, td_strbuf_str(&sql), -1, ret, NULL);
	return rc == SQLITE_OK ? 0 : td_db_error(db, rc, err, "cannot read table '%s'", t->name);
}

static int write_by_sql(sqlite3 *db, const struct td_export_table *t, struct td_parquet_file *file,
			struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	_cleanup_(td_parquet_group_freep) struct td_parquet_group *g = NULL;
	int rc = SQLITE_DONE, r = prepare(db, t, &s, err);

	if (r == 0)
		r = td_parquet_group_new(t->columns, t->ncolumns, &g);
	while (r == 0 && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		r = put_row(t, g, s);
		if (r == 0 && td_parquet_group_is_full(g))
			r = append(file, g);
	}
	if (r == 0 && rc != SQLITE_DONE)
		return td_db_error(db, rc, err, "cannot read table '%s'", t->name);
	return r == 0 ? append(file, g) : r;
}

/* --- from pages --- */

struct pieces {
	const struct td_export_table *t;
	struct td_leaves leaves;
	struct td_parquet_file *file;
	size_t *begins; /* [n + 1], the first leaf of each; owned */
	size_t n, cap;
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t turn;
	struct td_parquet_group *idle[GROUPS_MAX]; /* owned */
	size_t nidle;
	size_t next; /* the piece that is to be appended */
	bool failed;
};

static void pieces_done(struct pieces *p)
{
	td_leaves_done(&p->leaves);
	free(p->begins);
	for (size_t i = 0; i < p->nidle; i++)
		td_parquet_group_free(p->idle[i]);
	pthread_cond_destroy(&p->turn);
	pthread_mutex_destroy(&p->lock);
}

/* Leaves are put together by their rowids, of which there are no fewer than rows. */
static int cut(struct pieces *p)
{
	const struct td_leaves *l = &p->leaves;
	size_t begin = 0;
	int64_t before =
		l->items[0].last_rowid; /* of the piece: all rows but those of its first leaf */

	p->begins = calloc(l->n / LEAVES_MIN + 2, sizeof(*p->begins));
	if (!p->begins)
		return -ENOMEM;
	for (size_t i = 1; i < l->n; i++) {
		/* the last leaf says no rowid */
		uint64_t rows =
			(uint64_t)l->items[i == l->n - 1 ? i - 1 : i].last_rowid - (uint64_t)before;

		if (i - begin < LEAVES_MIN || rows < TD_PARQUET_GROUP_ROWS)
			continue;
		p->begins[++p->n] = begin = i;
		before = l->items[i].last_rowid;
	}
	p->begins[++p->n] = l->n;
	return 0;
}

struct fill {
	const struct td_export_table *t;
	struct td_parquet_group *g;
};

static int put_rows(void *arg, const struct td_table_rows *rows)
{
	const struct fill *f = arg;
	const struct td_export_table *t = f->t;
	uint32_t codes[TD_TABLE_ROWS_AT_ONCE];
	int r = 0;

	for (size_t c = 0; c < t->layout.ncolumns && r == 0; c++)
		r = td_parquet_put_numbers(f->g, c, rows->values[c], rows->is_null[c], rows->n);
	for (size_t c = t->layout.ncolumns; c < t->ncolumns && r == 0; c++) {
		const int64_t *keys = rows->values[t->keys[c]];
		const uint8_t *is_null = rows->is_null[t->keys[c]];

		for (size_t i = 0; i < rows->n; i++)
			codes[i] = is_null[i] ? 0 : td_lookup_code(t->lookups[c], keys[i]);
		r = td_parquet_put_codes(f->g, c, codes, rows->n);
	}
	return r;
}

static int take_group(struct pieces *p, struct td_parquet_group **ret)
{
	struct td_parquet_group *g = NULL;

	pthread_mutex_lock(&p->lock);
	if (p->nidle)
		g = p->idle[--p->nidle];
	pthread_mutex_unlock(&p->lock);
	*ret = g;
	return g ? 0 : td_parquet_group_new(p->t->columns, p->t->ncolumns, ret);
}

/* Appends the group when all before it are. Pieces are begun in their order, so those before are at work. */
static int append_in_turn(struct pieces *p, size_t i, struct td_parquet_group *g, int r)
{
	pthread_mutex_lock(&p->lock);
	while (r == 0 && p->next != i && !p->failed)
		pthread_cond_wait(&p->turn, &p->lock);
	if (r == 0 && !p->failed)
		r = td_parquet_file_append(p->file, g);
	p->failed |= r < 0;
	p->next++;
	if (g && p->nidle < GROUPS_MAX)
		p->idle[p->nidle++] = TAKE_PTR(g);
	pthread_cond_broadcast(&p->turn);
	pthread_mutex_unlock(&p->lock);
	td_parquet_group_free(g);
	return r;
}

static int write_piece(void *arg, size_t i)
{
	struct pieces *p = arg;
	struct td_parquet_group *g = NULL;
	struct fill fill = { .t = p->t };
	int r = take_group(p, &g);

	fill.g = g;
	if (r == 0)
		r = td_table_rows_read(&p->leaves, &p->t->layout, p->begins[i], p->begins[i + 1],
				       put_rows, &fill);
	if (r == 0)
		r = td_parquet_group_end(g);
	return append_in_turn(p, i, g, r);
}

/* -EOPNOTSUPP: only SQLite can read it. */
static int write_pages(sqlite3 *db, const struct td_export_table *t, struct td_parquet_file *file)
{
	_cleanup_(pieces_done) struct pieces p = { .t = t,
						   .file = file,
						   .lock = PTHREAD_MUTEX_INITIALIZER,
						   .turn = PTHREAD_COND_INITIALIZER };
	int r = t->has_text || !t->has_rowid ? -EOPNOTSUPP
					     : td_table_leaves(db, t->name, &p.leaves);

	if (r == 0)
		r = cut(&p);
	return r == 0 ? td_parallel(p.n, write_piece, &p) : r;
}

/* --- both --- */

static int begin(const struct td_export_table *t, FILE *f, struct td_parquet_file **ret)
{
	if (fflush(f) != 0 || ftruncate(fileno(f), 0) < 0 || fseek(f, 0, SEEK_SET) < 0)
		return -errno;
	return td_parquet_file_new(f, t->columns, t->ncolumns, t->layout.rowid, ret);
}

int td_parquet_rows(sqlite3 *db, const struct td_export_table *t, FILE *f,
		    struct td_parquet_file **ret, struct td_err *err)
{
	_cleanup_(td_parquet_file_freep) struct td_parquet_file *file = NULL;
	int r = begin(t, f, &file);

	if (r == 0)
		r = write_pages(db, t, file);
	if (r == -EOPNOTSUPP) {
		td_parquet_file_free(TAKE_PTR(file));
		r = begin(t, f, &file);
		if (r == 0)
			r = write_by_sql(db, t, file, err);
	}
	if (r == 0)
		*ret = TAKE_PTR(file);
	return r;
}
