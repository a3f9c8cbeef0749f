/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "analyzer/scan/pages.h"
#include "analyzer/scan/table_rows.h"
#include "schema/series.h"

/* A serial type that is a number: https://www.sqlite.org/fileformat2.html, section 2.1. */
enum { TYPE_NULL = 0, TYPE_REAL = 7, TYPE_0 = 8, TYPE_1 = 9, NTYPES };
static const uint8_t lengths[NTYPES] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0 };

struct reader {
	const struct td_table_layout *layout;
	struct td_table_rows *rows;
	int (*fn)(void *arg, const struct td_table_rows *rows);
	void *arg;
};

static int64_t bits_of(double d)
{
	int64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

/* SQLite keeps a real that is a whole number as an integer. */
static int64_t value_of(unsigned type, const uint8_t *p, bool is_real)
{
	int64_t v =
		type == TYPE_0 || type == TYPE_1 ? type - TYPE_0 : td_be_signed(p, lengths[type]);

	return is_real && type != TYPE_REAL ? bits_of((double)v) : v;
}

static int hand_over(struct reader *r)
{
	int rc = r->rows->n ? r->fn(r->arg, r->rows) : 0;

	r->rows->n = 0;
	return rc;
}

/* Of td_page_records(); what lies up to TD_PAGE_PADDING behind the record can be read. */
static int read_record(void *arg, const uint8_t *p, const uint8_t *end, int64_t rowid)
{
	struct reader *r = arg;
	const struct td_table_layout *layout = r->layout;
	struct td_table_rows *rows = r->rows;
	const uint8_t *body = p + p[0];

	if (p[0] < 1 || p[0] > layout->ncolumns + 1 || body > end)
		return -EOPNOTSUPP;
	for (size_t c = 0; c < layout->ncolumns; c++) {
		/* a record can lack its last columns: those that are NULL, or were added to the table later */
		unsigned type = 1 + c < p[0] ? p[1 + c] : TYPE_NULL;

		if (1 + c >= p[0] && layout->has_default[c])
			return -EOPNOTSUPP;
		if (type >= NTYPES || (type == TYPE_REAL && !layout->is_real[c]))
			return -EOPNOTSUPP;
		rows->is_null[c][rows->n] = type == TYPE_NULL;
		rows->values[c][rows->n] =
			type == TYPE_NULL ? 0 : value_of(type, body, layout->is_real[c]);
		body += lengths[type];
	}
	if (body > end)
		return -EOPNOTSUPP;
	if (layout->rowid >= 0) {
		rows->is_null[layout->rowid][rows->n] = 0;
		rows->values[layout->rowid][rows->n] = rowid;
	}
	return ++rows->n == TD_TABLE_ROWS_AT_ONCE ? hand_over(r) : 0;
}

int td_table_rows_read(const struct td_leaves *l, const struct td_table_layout *layout,
		       size_t first, size_t end,
		       int (*fn)(void *arg, const struct td_table_rows *rows), void *arg)
{
	_cleanup_free_ uint8_t *page = calloc(1, TD_PAGE_MAX + TD_PAGE_PADDING);
	_cleanup_free_ struct td_table_rows *rows = malloc(sizeof(*rows));
	struct reader r = { .layout = layout, .rows = rows, .fn = fn, .arg = arg };
	int rc = 0;

	if (!page || !rows)
		return -ENOMEM;
	rows->n = 0;
	for (size_t i = first; i < end && rc == 0; i++) {
		rc = td_leaves_read(l, l->items[i].page, page);
		if (rc == 0)
			rc = td_page_records(page, l->usable, read_record, &r);
	}
	return rc == 0 ? hand_over(&r) : rc;
}

/* 0, -EOPNOTSUPP: there is no such table, or -errno. */
static int find_root(sqlite3 *db, const char *table, uint32_t *ret)
{
	_cleanup_(td_db_put_backp) sqlite3_stmt *stmt = NULL;
	int64_t root = td_db_root(db, table);
	int rc;

	if (root) { /* to look for it SQLite reads half of the schema */
		*ret = (uint32_t)root;
		return 0;
	}
	rc = td_db_prepare(
		db, "SELECT rootpage FROM main.sqlite_schema WHERE type = 'table' AND name = ?1",
		&stmt);

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW)
		root = sqlite3_column_int64(stmt, 0);
	else if (rc != SQLITE_DONE)
		return td_sql_errno(rc);
	if (root <= 0 || root > UINT32_MAX)
		return -EOPNOTSUPP;
	*ret = (uint32_t)root;
	return 0;
}

int td_table_leaves(sqlite3 *db, const char *table, struct td_leaves *ret)
{
	uint32_t root = 0;
	int r = find_root(db, table, &root);

	return r < 0 ? r : td_leaves_open(db, table, root, ret);
}

int td_table_leaves_here(sqlite3 *db, const char *table, struct td_leaves *ret)
{
	uint32_t root = 0;
	int r = find_root(db, table, &root);

	return r < 0 ? r : td_leaves_open_here(db, table, root, ret);
}
