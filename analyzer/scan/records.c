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
	uint8_t cell_of[TD_RECORD_COLUMNS_MAX]; /* by column; from 1, 0: it is not wanted */
	struct td_cell cells[TD_RECORD_COLUMNS_MAX];
	int (*fn)(void *arg, const struct td_cell *cells);
	void *arg;
};

static inline uint64_t length_of(uint64_t type)
{
	return type < TYPE_BYTES ? lengths[type] : (type - TYPE_BYTES) / 2;
}

/* False: a table of integers, texts and blobs holds no such value. */
static inline bool read_cell(uint64_t type, const uint8_t *at, struct td_cell *ret)
{
	*ret = (struct td_cell){ .number = TD_NULL };
	if (type < TYPE_REAL) {
		if (type != TYPE_NULL)
			ret->number = td_be_signed(at, lengths[type]);
		return true;
	}
	if (type >= TYPE_BYTES) {
		ret->text = (const char *)at;
		ret->len = length_of(type);
		return true;
	}
	ret->number = (int64_t)type - TYPE_0;
	return type == TYPE_0 || type == TYPE_1;
}

static bool is_wanted(const struct reader *r, uint64_t type, const uint8_t *at)
{
	return !r->what->first || (type >= TYPE_BYTES && length_of(type) == r->first_len &&
				   memcmp(at, r->what->first, r->first_len) == 0);
}

/* The type of the next column; a record can lack its last ones: those are NULL. */
static inline uint64_t next_type(const uint8_t **p, const uint8_t *end)
{
	uint64_t type = TYPE_NULL;

	if (*p < end && **p < 0x80)
		return *(*p)++;
	if (*p < end)
		*p += td_varint(*p, &type);
	return type;
}

/* Of td_page_records(). */
static int read_record(void *arg, const uint8_t *p, const uint8_t *end, int64_t rowid)
{
	struct reader *r = arg;
	const uint8_t *types = p + 1, *head_end = p + p[0], *body = head_end;

	(void)rowid;
	if (p[0] < 1 || p[0] & 0x80 || body > end)
		return -EOPNOTSUPP;
	for (unsigned c = 0; c < r->n; c++) {
		uint64_t type = next_type(&types, head_end), len = length_of(type);

		if (len > (uint64_t)(end - body))
			return -EOPNOTSUPP;
		if (c == 0 && !is_wanted(r, type, body))
			return 0;
		if (r->cell_of[c] && !read_cell(type, body, &r->cells[r->cell_of[c] - 1]))
			return -EOPNOTSUPP;
		body += len;
	}
	return r->fn(r->arg, r->cells);
}

/* Which cell is of which column, from 1. */
static void place_cells(struct reader *r)
{
	for (size_t i = 0; i < r->what->n; i++) {
		uint8_t c = r->what->columns[i];

		r->cells[i] = (struct td_cell){ .number = TD_NULL };
		if (c == TD_RECORD_NONE)
			continue;
		r->cell_of[c] = (uint8_t)(i + 1);
		r->n = TD_MAX(r->n, c + 1u);
	}
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

	place_cells(&r);
	for (size_t i = 0; i < l.n && rc == 0; i++) {
		rc = td_leaves_read(&l, l.items[i].page, page);
		if (rc == 0)
			rc = td_page_records(page, l.usable, read_record, &r);
	}
	return rc;
}
