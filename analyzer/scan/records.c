/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdbool.h>

#include "analyzer/scan/pages.h"
#include "analyzer/scan/records.h"
#include "analyzer/scan/table_rows.h"
#include "common/cleanup.h"
#include "schema/table.h"

/* Serial types: https://www.sqlite.org/fileformat2.html, section 2.1. From 12 on they are blobs
 * and, the odd ones, texts; those from 128 on take more than a byte. */
enum { TYPE_NULL = 0, TYPE_REAL = 7, TYPE_0 = 8, TYPE_1 = 9, TYPE_BYTES = 12, TYPE_LONG = 128 };
static const uint8_t lengths[TYPE_BYTES] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0 };

struct reader {
	const struct td_records *what;
	unsigned n; /* columns up to the last one that is wanted */
	size_t first_len;
	uint8_t first_type; /* of a blob of that length; that of a text is the next one */
	uint8_t lengths[TYPE_LONG]; /* by type */
	uint8_t cell_of[TD_RECORD_COLUMNS_MAX]; /* by column; from 1, 0: it is not wanted */
	struct td_cell cells[TD_RECORD_COLUMNS_MAX];
	struct td_cell *rowid; /* one of them; NULL: it is not wanted */
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
	ret->text = NULL;
	ret->len = 0;
	if (type - 1 < TYPE_REAL - 1) { /* most are */
		ret->number = td_be_signed(at, lengths[type]);
		return true;
	}
	ret->number = TD_NULL;
	if (type >= TYPE_BYTES) {
		ret->text = (const char *)at;
		ret->len = length_of(type);
		return true;
	}
	if (type == TYPE_0 || type == TYPE_1)
		ret->number = (int64_t)type - TYPE_0;
	return type == TYPE_NULL || type == TYPE_0 || type == TYPE_1;
}

/* By the first column, which begins where the types of all end. */
static bool is_wanted(const struct reader *r, const uint8_t *types, const uint8_t *head_end,
		      const uint8_t *end)
{
	if (!r->what->first)
		return true;
	return types < head_end && (types[0] == r->first_type || types[0] == r->first_type + 1) &&
	       r->first_len <= (size_t)(end - head_end) &&
	       memcmp(head_end, r->what->first, r->first_len) == 0;
}

/* The type of the next column; a record can lack its last ones: those are NULL. */
static inline uint64_t next_type(const uint8_t **p, const uint8_t *end)
{
	uint64_t type = TYPE_NULL;

	if (*p < end)
		*p += td_varint(*p, &type);
	return type;
}

/* Columns from c on, whose types and values begin there. 0, or -EOPNOTSUPP: the record is not what it should be. */
static int read_others(struct reader *r, unsigned c, const uint8_t *types, const uint8_t *head_end,
		       const uint8_t *body, const uint8_t *end)
{
	for (; c < r->n; c++) {
		uint64_t type = next_type(&types, head_end), len = length_of(type);

		if (len > (uint64_t)(end - body))
			return -EOPNOTSUPP;
		if (r->cell_of[c] && !read_cell(type, body, &r->cells[r->cell_of[c] - 1]))
			return -EOPNOTSUPP;
		body += len;
	}
	return 0;
}

/* The same of all columns; the types of most are in a byte each. */
static inline int read_columns(struct reader *r, const uint8_t *types, const uint8_t *head_end,
			       const uint8_t *end)
{
	const uint8_t *body = head_end;
	unsigned c = 0, nshort = TD_MIN(r->n, (unsigned)(head_end - types));

	for (; c < nshort && types[c] < TYPE_LONG; c++) {
		unsigned len = r->lengths[types[c]], cell = r->cell_of[c];

		if (len > end - body)
			return -EOPNOTSUPP;
		if (cell && !read_cell(types[c], body, &r->cells[cell - 1]))
			return -EOPNOTSUPP;
		body += len;
	}
	return c == r->n ? 0 : read_others(r, c, types + c, head_end, body, end);
}

/* Of td_page_records(). */
static int read_record(void *arg, const uint8_t *p, const uint8_t *end, int64_t rowid)
{
	struct reader *r = arg;
	const uint8_t *types = p + 1, *head_end = p + p[0];
	int rc;

	if (p[0] < 1 || p[0] & 0x80 || head_end > end)
		return -EOPNOTSUPP;
	if (!is_wanted(r, types, head_end, end))
		return 0;
	if (r->rowid)
		r->rowid->number = rowid;
	rc = read_columns(r, types, head_end, end);
	return rc < 0 ? rc : r->fn(r->arg, r->cells);
}

/* Which cell is of which column, from 1, and what the types of values say. */
static void place_cells(struct reader *r)
{
	r->first_len = r->what->first ? strlen(r->what->first) : 0;
	r->first_type = (uint8_t)(TYPE_BYTES + 2 * r->first_len);
	for (unsigned type = 0; type < TYPE_LONG; type++)
		r->lengths[type] = (uint8_t)length_of(type);
	for (size_t i = 0; i < r->what->n; i++) {
		uint8_t c = r->what->columns[i];

		r->cells[i] = (struct td_cell){ .number = TD_NULL };
		if (c == TD_RECORD_ROWID)
			r->rowid = &r->cells[i];
		if (c == TD_RECORD_NONE || c == TD_RECORD_ROWID)
			continue;
		r->cell_of[c] = (uint8_t)(i + 1);
		r->n = TD_MAX(r->n, c + 1u);
	}
}

int td_records_read(sqlite3 *db, const struct td_records *what,
		    int (*fn)(void *arg, const struct td_cell *cells), void *arg)
{
	_cleanup_(td_leaves_done) struct td_leaves l = { .fd = -1 };
	_cleanup_(td_leaf_run_done) struct td_leaf_run run = { .backwards = what->last_first };
	const uint8_t *page;
	struct reader r = { .what = what, .n = 1, .fn = fn, .arg = arg };
	int rc = td_table_leaves_here(db, what->table, &l);

	place_cells(&r);
	for (size_t i = 0; i < l.n && rc == 0; i++) {
		rc = td_leaf_run_page(&l, &run, what->last_first ? l.n - 1 - i : i, &page);
		if (rc == 0)
			rc = td_page_records(page, l.usable, read_record, &r);
	}
	return rc;
}
