/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdbool.h>

#include "analyzer/scan/pages.h"
#include "analyzer/scan/records.h"
#include "analyzer/scan/table_rows.h"
#include "common/cleanup.h"
#include "schema/table.h"

/* Serial types: https://www.sqlite.org/fileformat2.html, section 2.1. From 12 on they are blobs and, the odd ones, texts. */
enum { TYPE_NULL = 0, TYPE_REAL = 7, TYPE_0 = 8, TYPE_1 = 9, TYPE_BYTES = 12 };
static const uint8_t lengths[TYPE_BYTES] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0 };

struct reader {
	const struct td_records *what;
	unsigned n; /* columns up to the last one that is wanted */
	size_t first_len;
	int (*fn)(void *arg, const struct td_cell *cells);
	void *arg;
};

static uint64_t length_of(uint64_t type)
{
	return type < TYPE_BYTES ? lengths[type] : (type - TYPE_BYTES) / 2;
}

/* False: a table of integers, texts and blobs holds no such value. */
static bool read_cell(uint64_t type, const uint8_t *at, struct td_cell *ret)
{
	*ret = (struct td_cell){ .number = TD_NULL };
	if (type >= TYPE_BYTES) {
		ret->text = (const char *)at;
		ret->len = length_of(type);
	} else if (type == TYPE_0 || type == TYPE_1) {
		ret->number = (int64_t)type - TYPE_0;
	} else if (type != TYPE_NULL) {
		ret->number = td_be_signed(at, lengths[type]);
	}
	return type < TYPE_REAL || type == TYPE_0 || type == TYPE_1 || type >= TYPE_BYTES;
}

static bool is_wanted(const struct reader *r, uint64_t type, const uint8_t *at)
{
	return !r->what->first || (type >= TYPE_BYTES && length_of(type) == r->first_len &&
				   memcmp(at, r->what->first, r->first_len) == 0);
}

/* Of td_page_records(). */
static int read_record(void *arg, const uint8_t *p, const uint8_t *end, int64_t rowid)
{
	const struct reader *r = arg;
	const uint8_t *types = p + 1, *head_end = p + p[0], *body = head_end;
	const uint8_t *at[TD_RECORD_COLUMNS_MAX];
	uint64_t type[TD_RECORD_COLUMNS_MAX];
	struct td_cell cells[TD_RECORD_COLUMNS_MAX];

	(void)rowid;
	if (p[0] < 1 || p[0] & 0x80 || body > end)
		return -EOPNOTSUPP;
	for (unsigned c = 0; c < r->n; c++) {
		type[c] = TYPE_NULL; /* a record can lack its last columns: those are NULL */
		if (types < head_end)
			types += td_varint(types, &type[c]);
		at[c] = body;
		if (length_of(type[c]) > (uint64_t)(end - body))
			return -EOPNOTSUPP;
		if (c == 0 && !is_wanted(r, type[0], body))
			return 0;
		body += length_of(type[c]);
	}
	for (size_t i = 0; i < r->what->n; i++) {
		uint8_t c = r->what->columns[i];

		if (!read_cell(c == TD_RECORD_NONE ? TYPE_NULL : type[c],
			       c == TD_RECORD_NONE ? NULL : at[c], &cells[i]))
			return -EOPNOTSUPP;
	}
	return r->fn(r->arg, cells);
}

int td_records_read(sqlite3 *db, const struct td_records *what,
		    int (*fn)(void *arg, const struct td_cell *cells), void *arg)
{
	_cleanup_(td_leaves_done) struct td_leaves l = { .fd = -1 };
	_cleanup_free_ uint8_t *page = NULL;
	struct reader r = { .what = what,
			    .n = 1,
			    .first_len = what->first ? strlen(what->first) : 0,
			    .fn = fn,
			    .arg = arg };
	int rc = td_table_leaves_here(db, what->table, &l);

	page = rc == 0 ? calloc(1, l.page_size + TD_PAGE_PADDING) : NULL;
	if (rc == 0 && !page)
		rc = -ENOMEM;

	for (size_t i = 0; i < what->n; i++)
		if (what->columns[i] != TD_RECORD_NONE)
			r.n = TD_MAX(r.n, what->columns[i] + 1u);
	for (size_t i = 0; i < l.n && rc == 0; i++) {
		rc = td_leaves_read(&l, l.items[i].page, page);
		if (rc == 0)
			rc = td_page_records(page, l.usable, read_record, &r);
	}
	return rc;
}
