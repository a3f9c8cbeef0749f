/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include "analyzer/scan/filter.h"
#include "analyzer/scan/pages.h"
#include "common/parallel.h"
#include "common/strbuf.h"
#include "schema/db.h"

#define PARTS_MAX 16
#define LEAVES_OF_PART 32 /* fewer are not worth a thread */
#define READ_BYTES (64 * 1024) /* at once: a part of the second cache */

#define RECORD_COLUMNS 18 /* of the widest table */

/* The types of a record's columns up to the last one that is wanted; 0 behind it. */
struct header {
	uint64_t lo, hi, rest;
};

/* Where a column is: 8 bytes from there on, shifted; or, where the mask is 0, what its type says. */
struct field {
	int64_t mask, constant;
	uint8_t at; /* behind the header */
	uint8_t shift;
};

/* Where the wanted columns of all records with that header are. The calls of a run have some dozens of headers: each is
 * looked at once, not column by column in each of its millions of records. */
#define SHAPES_BITS 7
struct shape {
	struct header header;
	uint8_t len; /* of the columns up to the last one that is wanted */
	bool has_real; /* the value is one; else it is a whole number, kept as an integer, or none */
	bool known;
	struct field fields[TD_ROW_NCOLUMNS]; /* in the order in which they are wanted */
};

/* What is being read, and where it goes. */
struct reader {
	const struct td_row_source *s;
	const struct td_filter_range *range;
	int8_t slots[RECORD_COLUMNS]; /* where each is among the wanted ones; -1: it is not */
	unsigned nread; /* columns of the record, up to the last one that is wanted */
	unsigned nleast; /* so many a record must have: what it lacks at its end is NULL */
	struct header in_header; /* all bits of their types */
	struct header in_shorter[RECORD_COLUMNS]; /* the same of the first 0, 1, ... of them */
	int64_t *wanted[TD_ROW_NCOLUMNS]; /* columns of the batch */
	unsigned nwanted, nfirst; /* the first ones tell whether a row counts */
	struct shape shapes[1 << SHAPES_BITS]; /* by a hash of the header */
	struct td_row_batch batch;
	int (*fn)(void *arg, struct td_row_batch *b);
	void *arg;
};

static void choose_columns_of(struct reader *r, unsigned columns)
{
	for (int c = 0; c < TD_ROW_NCOLUMNS; c++) {
		unsigned at = r->s->relation->columns[c].at;

		if (!(columns & 1u << c) || !at || r->slots[at] >= 0)
			continue;
		r->slots[at] = (int8_t)r->nwanted;
		r->wanted[r->nwanted++] = r->batch.columns[c];
		r->nread = TD_MAX(r->nread, at + 1);
		if (c == TD_ROW_UNFINISHED) /* it has a default that is not NULL */
			r->nleast = at + 1;
	}
}

static void choose_columns(struct reader *r)
{
	memset(r->slots, -1, sizeof(r->slots));
	choose_columns_of(r, td_filter_columns(r->s->filter));
	r->nfirst = r->nwanted;
	choose_columns_of(r, r->s->wanted);
	assert(r->nread <= RECORD_COLUMNS);
	memset(&r->in_header, 0xff, r->nread);
	for (unsigned n = 0; n < r->nread; n++)
		memset(&r->in_shorter[n], 0xff, n);
	for (int c = 0; c < TD_ROW_NCOLUMNS; c++)
		for (size_t i = 0; i < TD_ROWS_AT_ONCE; i++)
			r->batch.columns[c][i] = TD_NULL;
}

static int hand_over(struct reader *r)
{
	int rc = r->batch.n ? r->fn(r->arg, &r->batch) : 0;

	r->batch.n = 0;
	return rc;
}

static int begin_range(struct reader *r, size_t i)
{
	int rc = hand_over(r);

	r->range = &r->s->filter->ranges[i];
	r->batch.range = i;
	return rc;
}

/* Whether the row that is behind the last one counts. */
static inline __attribute__((always_inline)) bool row_counts(const struct reader *r)
{
	const struct td_filter *f = r->s->filter;
	size_t at = r->batch.n;
	int64_t start_ns = r->batch.columns[TD_ROW_START][at];

	return start_ns >= r->range->start_ns && start_ns < r->range->end_ns &&
	       (f->late || td_filter_meets(f, &r->batch, at));
}

static int row_done(struct reader *r)
{
	r->batch.n++;
	return r->batch.n == TD_ROWS_AT_ONCE ? hand_over(r) : 0;
}

/* --- from pages --- */

/* By serial type: length of a number, and what it is where that is 0. Texts are none. */
enum { TYPE_NULL = 0, TYPE_REAL = 7, TYPE_1 = 9 };
static const uint8_t lengths[] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0 };

static int64_t constant_of(unsigned type)
{
	return type == TYPE_NULL ? TD_NULL : type == TYPE_1;
}

static bool is_value(const struct reader *r, unsigned column)
{
	return r->slots[column] >= 0 &&
	       r->wanted[r->slots[column]] == r->batch.columns[TD_ROW_VALUE];
}

/* All columns of the record have numbers, so each type is one byte. Only the value can be a real. */
static int see_shape(const struct reader *r, struct header h, struct shape *ret)
{
	uint8_t types[sizeof(h)];
	unsigned at = 0;

	memcpy(types, &h, sizeof(h));
	*ret = (struct shape){ 0 };
	for (unsigned c = 0; c < r->nread; c++) {
		unsigned type = types[c], len = type < sizeof(lengths) ? lengths[type] : 0xff;

		if (len == 0xff || (type == TYPE_REAL && !is_value(r, c)))
			return -EOPNOTSUPP;
		ret->has_real |= type == TYPE_REAL;
		if (r->slots[c] >= 0)
			ret->fields[r->slots[c]] = (struct field){
				.at = (uint8_t)at,
				.shift = (uint8_t)(64 - TD_MAX(8 * len, 8u)),
				.mask = len ? -1 : 0,
				.constant = constant_of(type),
			};
		at += len;
	}
	ret->header = h;
	ret->len = (uint8_t)at;
	ret->known = true;
	return 0;
}

/* in: all bits of the columns that it has of those that are wanted. */
static struct header wanted_header(const uint8_t *types, const struct header *in)
{
	struct header h;

	memcpy(&h, types, sizeof(h));
	h.lo &= in->lo;
	h.hi &= in->hi;
	h.rest &= in->rest;
	return h;
}

static int find_shape(struct reader *r, struct header h, const struct shape **ret)
{
	uint64_t hash = (h.lo ^ h.hi * UINT64_C(0x9e3779b97f4a7c15) ^ h.rest << 24) *
			UINT64_C(0xd6e8feb86659fd93);
	struct shape *shape = &r->shapes[hash >> (64 - SHAPES_BITS)];

	*ret = shape;
	if (shape->known && shape->header.lo == h.lo && shape->header.hi == h.hi &&
	    shape->header.rest == h.rest)
		return 0;
	return see_shape(r, h, shape);
}

/* Some of the wanted columns, into the row behind the last one. */
static void decode_columns(struct reader *r, const struct shape *shape, const uint8_t *body,
			   unsigned from, unsigned to)
{
	size_t at = r->batch.n;

	for (unsigned i = from; i < to; i++) {
		const struct field *f = &shape->fields[i];
		int64_t v = td_be_signed(body + f->at, 8) >> f->shift;

		r->wanted[i][at] = (v & f->mask) | f->constant;
	}
}

static int64_t real_bits(double d)
{
	int64_t bits;

	d += 0.0; /* -0.0 is 0.0 */
	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

/* The value of the row behind the last one, as a real. */
static void make_real(struct reader *r, const struct shape *shape)
{
	int64_t *v = &r->batch.columns[TD_ROW_VALUE][r->batch.n];
	double d;

	if (shape->has_real) {
		memcpy(&d, v, sizeof(d));
		*v = real_bits(d);
	} else if (*v != TD_NULL) {
		*v = real_bits((double)*v);
	}
}

/* Of td_page_records(). */
static int decode(void *arg, const uint8_t *p, const uint8_t *end, int64_t rowid)
{
	struct reader *r = arg;
	const uint8_t *body = p + p[0];
	const struct shape *shape;
	struct header h;
	int rc;

	if (rowid < r->range->first_id || rowid > r->range->last_id)
		return 0;
	if (p[0] < r->nleast + 1 || p[0] & 0x80)
		return -EOPNOTSUPP;
	/* nearly all are of the first kind: choosing the mask instead of the way costs a scan 5 to 7 % */
	if (p[0] > r->nread)
		h = wanted_header(p + 1, &r->in_header);
	else
		h = wanted_header(p + 1, &r->in_shorter[p[0] - 1]);
	rc = find_shape(r, h, &shape);
	if (rc < 0)
		return rc;
	if (body + shape->len > end)
		return -EOPNOTSUPP;
	decode_columns(r, shape, body, 0, r->nfirst);
	if (!row_counts(r))
		return 0;
	decode_columns(r, shape, body, r->nfirst, r->nwanted);
	if (r->s->wanted & 1u << TD_ROW_VALUE)
		make_real(r, shape);
	if (r->s->relation->columns[TD_ROW_ID].name && r->s->wanted & 1u << TD_ROW_ID)
		r->batch.columns[TD_ROW_ID][r->batch.n] = rowid;
	return row_done(r);
}

/* Pages that follow one another in the file are read together. */
static size_t together(const struct td_leaves *l, size_t first, size_t end)
{
	size_t n = 1;

	while (first + n < end && (n + 1) * l->page_size <= READ_BYTES &&
	       l->items[first + n].page == l->items[first].page + n)
		n++;
	return n;
}

static int read_leaves(struct reader *r, uint8_t *buffer, size_t first, size_t end)
{
	const struct td_leaves *l = &r->s->leaves;
	int rc = 0;

	for (size_t i = first, n; i < end && rc == 0; i += n) {
		size_t bytes;

		n = together(l, i, end);
		bytes = n * l->page_size;
		if (l->items[i].page < 1 || l->items[i].page + n - 1 > l->npages)
			return -EOPNOTSUPP;
		if (pread(l->fd, buffer, bytes, (off_t)(l->items[i].page - 1) * l->page_size) !=
		    (ssize_t)bytes)
			return -EIO;
		for (size_t k = 0; k < n && rc == 0; k++)
			rc = td_page_records(buffer + k * l->page_size, l->usable, decode, r);
	}
	return rc;
}

/* Leaves that have rows of a range: from, to before end. */
static void leaves_of(const struct td_leaves *l, const struct td_filter_range *range, size_t *first,
		      size_t *end)
{
	*first = td_leaves_find(l, range->first_id);
	*end = TD_MIN(td_leaves_find(l, range->last_id) + 1, l->n);
	*end = range->last_id < range->first_id ? *first : TD_MAX(*end, *first);
}

static size_t count_leaves(const struct td_row_source *s)
{
	size_t n = 0, first, end;

	for (size_t i = 0; i < s->filter->nranges; i++) {
		leaves_of(&s->leaves, &s->filter->ranges[i], &first, &end);
		n += end - first;
	}
	return n;
}

/* The part has those leaves of all ranges, one range after the other, that are its share. */
static int read_pages(struct reader *r, size_t part)
{
	const struct td_row_source *s = r->s;
	size_t all = count_leaves(s), from = all * part / s->nparts,
	       to = all * (part + 1) / s->nparts;
	_cleanup_free_ uint8_t *buffer = malloc(TD_MAX(READ_BYTES, TD_PAGE_MAX) + TD_PAGE_PADDING);
	size_t before = 0, first, end;
	int rc = buffer ? 0 : -ENOMEM;

	for (size_t i = 0; i < s->filter->nranges && rc == 0; i++) {
		size_t n;

		rc = begin_range(r, i);
		leaves_of(&s->leaves, r->range, &first, &end);
		n = end - first;
		if (rc == 0 && before < to && before + n > from)
			rc = read_leaves(r, buffer, first + (from > before ? from - before : 0),
					 TD_MIN(end, first + (to - before)));
		before += n;
	}
	return rc;
}

/* --- by SQL --- */

static int64_t column_of(sqlite3_stmt *stmt, int c)
{
	if (sqlite3_column_type(stmt, c) == SQLITE_NULL)
		return TD_NULL;
	return c == TD_ROW_VALUE ? real_bits(sqlite3_column_double(stmt, c))
				 : sqlite3_column_int64(stmt, c);
}

static int read_rows(struct reader *r, sqlite3_stmt *stmt)
{
	int rc, result = 0;

	while (result == 0 && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		for (int c = 0; c < TD_ROW_NCOLUMNS; c++)
			r->batch.columns[c][r->batch.n] = column_of(stmt, c);
		if (row_counts(r))
			result = row_done(r);
	}
	return result < 0 ? result : td_sql_errno(rc);
}

static int prepare_rows(const struct td_row_source *s, sqlite3_stmt **ret)
{
	_cleanup_(td_strbuf_done) struct td_strbuf sql = TD_STRBUF_INIT;

	td_strbuf_adds(&sql, "SELECT ");
	for (int c = 0; c < TD_ROW_NCOLUMNS; c++)
		td_strbuf_addf(&sql, "%s%s", c ? ", " : "",
			       s->relation->columns[c].name ? s->relation->columns[c].name
							    : "NULL");
	td_strbuf_addf(&sql, " FROM main.%s NOT INDEXED WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
		       s->relation->table);
	return td_strbuf_error(&sql) < 0 ? -ENOMEM
					 : td_sql_errno(sqlite3_prepare_v2(
						   s->db, td_strbuf_str(&sql), -1, ret, NULL));
}

static int read_sql(struct reader *r)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int result = prepare_rows(r->s, &stmt);

	for (size_t i = 0; i < r->s->filter->nranges && result == 0; i++) {
		result = begin_range(r, i);
		(void)sqlite3_bind_int64(stmt, 1, r->range->first_id);
		(void)sqlite3_bind_int64(stmt, 2, r->range->last_id);
		if (result == 0)
			result = read_rows(r, stmt);
		(void)sqlite3_reset(stmt);
	}
	return result;
}

/* --- both --- */

/* 0: there is no such table. */
static int find_root(sqlite3 *db, const char *table, int64_t *ret, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(
		db, "SELECT rootpage FROM main.sqlite_schema WHERE type = 'table' AND name = ?1",
		-1, &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	*ret = rc == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;
	return rc == SQLITE_ROW || rc == SQLITE_DONE
		       ? 0
		       : td_db_error(db, rc, err, "cannot find the table '%s'", table);
}

int td_row_source_open(sqlite3 *db, const struct td_relation *relation,
		       const struct td_filter *filter, unsigned wanted, struct td_row_source *ret,
		       struct td_err *err)
{
	struct td_row_source s = {
		.db = db, .relation = relation, .filter = filter, .wanted = wanted, .nparts = 1
	};
	int64_t root;
	int r = find_root(db, relation->table, &root, err);

	if (r == 0 && root > 0 && root <= UINT32_MAX)
		r = td_leaves_open(db, relation->table, (uint32_t)root, &s.leaves);
	if (r == -EOPNOTSUPP)
		r = 0;
	if (r < 0)
		return r;
	if (s.leaves.n)
		s.nparts = TD_MAX(1, TD_MIN(count_leaves(&s) / LEAVES_OF_PART,
					    (size_t)TD_MIN(td_parallel_width(), PARTS_MAX)));
	*ret = s;
	return 0;
}

void td_row_source_leave_pages(struct td_row_source *s)
{
	td_leaves_done(&s->leaves);
	s->nparts = 1;
}

void td_row_source_done(struct td_row_source *s)
{
	td_leaves_done(&s->leaves);
}

int td_row_source_read(const struct td_row_source *s, size_t part,
		       int (*fn)(void *arg, struct td_row_batch *b), void *arg)
{
	_cleanup_free_ struct reader *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return -ENOMEM;
	r->s = s;
	r->fn = fn;
	r->arg = arg;
	choose_columns(r);
	rc = s->leaves.n ? read_pages(r, part) : read_sql(r);
	return rc == 0 ? hand_over(r) : rc;
}
