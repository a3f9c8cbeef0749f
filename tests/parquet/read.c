/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <zstd.h>

#include "common/cleanup.h"
#include "tests/parquet/read.h"
#include "tests/parquet/thrift_read.h"

#define MAGIC "PAR1"
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };
enum { PLAIN = 0, RLE = 3, DELTA_BINARY_PACKED = 5, RLE_DICTIONARY = 8 };
enum { CODEC_ZSTD = 6 };

struct dictionary {
	size_t n;
	int64_t *numbers;
	struct td_str *texts;
};

/* --- encodings --- */

/* The number of width bits that begins at a bit of p, the lowest bit first. */
static uint64_t bits_at(const uint8_t *p, size_t bit, unsigned width)
{
	uint64_t v = 0;

	for (unsigned have = 0; have < width;) {
		unsigned from = (unsigned)((bit + have) % 8), n = TD_MIN(8 - from, width - have);

		v |= (uint64_t)(p[(bit + have) / 8] >> from & ((1U << n) - 1)) << have;
		have += n;
	}
	return v;
}

static uint32_t le32(struct td_at *a)
{
	uint32_t v;

	memcpy(&v, td_at_take(a, sizeof(v)), sizeof(v));
	return le32toh(v);
}

/* n numbers of the RLE/bit-packing hybrid; all of a packed group of eight is read, whatever of it is wanted. */
static void read_hybrid(struct td_at *a, unsigned width, size_t n, uint32_t *ret)
{
	for (size_t i = 0; i < n;) {
		uint64_t head = td_at_varint(a);
		bool packed = head & 1;
		size_t len = head >> 1;
		const uint8_t *p = td_at_take(a, packed ? len * width : (width + 7) / 8);

		assert(len > 0);
		for (size_t k = 0; k < (packed ? len * 8 : len); k++) {
			assert(i < n || packed);
			if (i < n)
				ret[i++] = (uint32_t)bits_at(p, packed ? k * width : 0, width);
		}
	}
}

static void read_miniblock(struct td_at *a, unsigned width, size_t size, uint64_t min, size_t n,
			   int64_t *ret)
{
	const uint8_t *p = td_at_take(a, size * width / 8);

	for (size_t i = 0; i < n; i++)
		ret[i] = (int64_t)((uint64_t)ret[(ptrdiff_t)i - 1] + min +
				   bits_at(p, i * width, width));
}

/* n numbers of DELTA_BINARY_PACKED. */
static void read_delta(struct td_at *a, size_t n, int64_t *ret)
{
	uint64_t block = td_at_varint(a), minis = td_at_varint(a), total = td_at_varint(a);
	int64_t first = td_at_zigzag(a);

	assert(block && block % 128 == 0 && minis && block / minis % 32 == 0 && total == n);
	if (n)
		ret[0] = first;
	for (size_t i = 1; i < n;) {
		uint64_t min = (uint64_t)td_at_zigzag(a);
		const uint8_t *widths = td_at_take(a, minis);

		for (size_t m = 0; m < minis && i < n; m++) {
			size_t k = TD_MIN(block / minis, n - i);

			assert(widths[m] <= 64);
			read_miniblock(a, widths[m], block / minis, min, k, ret + i);
			i += k;
		}
	}
}

static void read_plain(struct td_at *a, enum td_read_type type, size_t n, int64_t *ret_numbers,
		       struct td_str *ret_texts)
{
	for (size_t i = 0; i < n; i++) {
		if (type == TD_READ_BYTES) {
			size_t len = le32(a);

			ret_texts[i] = (struct td_str){ (const char *)td_at_take(a, len), len };
		} else {
			uint64_t v;

			memcpy(&v, td_at_take(a, sizeof(v)), sizeof(v));
			ret_numbers[i] = (int64_t)le64toh(v);
		}
	}
}

/* --- pages --- */

/* Room for n more values behind those of the column. */
static void grow(struct td_read_column *c, size_t n)
{
	if (c->n + n > c->cap || !c->cap) {
		c->cap = 2 * c->cap + n + 1;
		c->is_null = realloc(c->is_null, c->cap);
		c->numbers = realloc(c->numbers, c->cap * sizeof(*c->numbers));
		c->texts = realloc(c->texts, c->cap * sizeof(*c->texts));
	}
	assert(c->is_null && c->numbers && c->texts);
	memset(c->is_null + c->n, 0, n);
	memset(c->numbers + c->n, 0, n * sizeof(*c->numbers));
	memset(c->texts + c->n, 0, n * sizeof(*c->texts));
}

/* The first n of a column's new values, which are together, to the rows that are no nulls. */
static void spread(struct td_read_column *c, size_t rows, size_t n)
{
	size_t from = c->n + n;

	for (size_t i = c->n + rows; i-- > c->n;) {
		bool null = c->is_null[i];

		from -= !null;
		c->numbers[i] = null ? 0 : c->numbers[from];
		c->texts[i] = null ? (struct td_str){ NULL, 0 } : c->texts[from];
	}
}

static void read_codes(struct td_at *a, const struct dictionary *d, size_t n, int64_t *ret_numbers,
		       struct td_str *ret_texts)
{
	uint32_t *codes = calloc(n + 1, sizeof(*codes));
	unsigned width = *td_at_take(a, 1);

	assert(codes && width <= 32);
	read_hybrid(a, width, n, codes);
	for (size_t i = 0; i < n; i++) {
		assert(codes[i] < d->n);
		if (d->texts)
			ret_texts[i] = d->texts[codes[i]];
		else
			ret_numbers[i] = d->numbers[codes[i]];
	}
	free(codes);
}

/* Which rows of the page are null; how many are not. */
static size_t read_nulls(struct td_at *a, struct td_read_column *c, size_t rows)
{
	uint32_t *levels = calloc(rows + 1, sizeof(*levels));
	size_t len = le32(a), n = 0;
	struct td_at in = { a->p, a->p + len };

	(void)td_at_take(a, len);
	assert(levels);
	read_hybrid(&in, 1, rows, levels);
	assert(in.p == in.end);
	for (size_t i = 0; i < rows; i++) {
		c->is_null[c->n + i] = !levels[i];
		n += levels[i];
	}
	free(levels);
	return n;
}

/* Returns the encoding of its values. */
static int64_t read_data_page(struct td_at head, struct td_at body, const struct dictionary *d,
			      struct td_read_column *c)
{
	size_t rows = (size_t)td_at_number(head, 1), n;
	int64_t encoding = td_at_number(head, 2);

	assert(td_at_number(head, 3) == RLE && td_at_number(head, 4) == RLE);
	grow(c, rows);
	n = c->nullable ? read_nulls(&body, c, rows) : rows;
	if (encoding == RLE_DICTIONARY)
		read_codes(&body, d, n, c->numbers + c->n, c->texts + c->n);
	else if (encoding == DELTA_BINARY_PACKED && c->type == TD_READ_INT64)
		read_delta(&body, n, c->numbers + c->n);
	else
		read_plain(&body, c->type, n, c->numbers + c->n, c->texts + c->n);
	assert(encoding == RLE_DICTIONARY || encoding == PLAIN ||
	       (encoding == DELTA_BINARY_PACKED && c->type == TD_READ_INT64));
	assert(body.p == body.end);
	spread(c, rows, n);
	c->n += rows;
	return encoding;
}

static void read_dictionary(struct td_at head, struct td_at body, enum td_read_type type,
			    struct dictionary *ret)
{
	assert(!ret->n && td_at_number(head, 2) == PLAIN);
	ret->n = (size_t)td_at_number(head, 1);
	ret->numbers = type == TD_READ_BYTES ? NULL : calloc(ret->n + 1, sizeof(*ret->numbers));
	ret->texts = type == TD_READ_BYTES ? calloc(ret->n + 1, sizeof(*ret->texts)) : NULL;
	assert(ret->numbers || ret->texts);
	read_plain(&body, type, ret->n, ret->numbers, ret->texts);
	assert(body.p == body.end);
}

/* The page whose header is at *a, unpacked; *a goes beyond it. */
static struct td_at unpack(struct td_read_table *t, struct td_at *a, struct td_at *ret_head)
{
	size_t unpacked, packed, n;
	char *body;

	*ret_head = *a;
	td_at_skip(a, TD_READ_STRUCT);
	unpacked = (size_t)td_at_number(*ret_head, 2);
	packed = (size_t)td_at_number(*ret_head, 3);
	body = malloc(unpacked + 1);
	t->pages = realloc(t->pages, (t->npages + 1) * sizeof(*t->pages));
	assert(body && t->pages);
	t->pages[t->npages++] = body;
	n = ZSTD_decompress(body, unpacked, td_at_take(a, packed), packed);
	assert(n == unpacked);
	return (struct td_at){ (uint8_t *)body, (uint8_t *)body + unpacked };
}

/* --- statistics --- */

static int compare(struct td_str a, struct td_str b)
{
	size_t n = TD_MIN(a.len, b.len);
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.len > b.len) - (a.len < b.len);
}

/* -1, 0, 1; of a bound, as its bytes, and a value. Nothing is said of NaN. */
static int compare_bound(const struct td_read_column *c, struct td_str bound, size_t i)
{
	double real, value;
	int64_t number;

	if (c->type == TD_READ_BYTES)
		return compare(bound, c->texts[i]);
	assert(bound.len == sizeof(number));
	memcpy(&number, bound.p, sizeof(number));
	number = (int64_t)le64toh((uint64_t)number);
	if (c->type == TD_READ_INT64)
		return (number > c->numbers[i]) - (number < c->numbers[i]);
	memcpy(&real, &number, sizeof(real));
	memcpy(&value, &c->numbers[i], sizeof(value));
	assert(real == real);
	return (real > value) - (real < value);
}

/* The bounds of the rows from a row on are those of values that there are. */
static void check_bounds(struct td_at stats, const struct td_read_column *c, size_t from)
{
	struct td_str max = td_at_binary(stats, 5), min = td_at_binary(stats, 6);
	bool has_max = false, has_min = false;

	for (size_t i = from; i < c->n; i++) {
		if (c->is_null[i])
			continue;
		assert(compare_bound(c, max, i) >= 0 && compare_bound(c, min, i) <= 0);
		has_max |= compare_bound(c, max, i) == 0;
		has_min |= compare_bound(c, min, i) == 0;
	}
	assert(has_max && has_min);
}

static void check_stats(struct td_at stats, const struct td_read_column *c, size_t from)
{
	size_t nulls = 0;
	struct td_at bound;

	for (size_t i = from; i < c->n; i++)
		nulls += c->is_null[i];
	assert((size_t)td_at_number(stats, 3) == nulls);
	if (td_at_find(stats, 5, TD_READ_BINARY, &bound))
		check_bounds(stats, c, from);
	else
		assert(c->type != TD_READ_INT64 ||
		       nulls == c->n - from); /* text may be too long, doubles may be NaN */
}

/* --- the file --- */

static bool lists_encoding(struct td_at meta, int64_t encoding)
{
	size_t n;
	struct td_at a = td_at_list(meta, 2, TD_READ_I32, &n);

	while (n-- > 0)
		if (td_at_zigzag(&a) == encoding)
			return true;
	return false;
}

static void read_chunk(struct td_read_table *t, const char *file, size_t len, struct td_at meta,
		       struct td_read_column *c)
{
	struct dictionary d = { 0 };
	size_t from = c->n, at = (size_t)td_at_number(meta, 9),
	       size = (size_t)td_at_number(meta, 7);
	struct td_at a, head, body, ignored;

	if (td_at_find(meta, 11, TD_READ_I64, &ignored)) /* then the dictionary is the first page */
		at = (size_t)td_at_number(meta, 11);
	assert(at <= len && size <= len - at);
	assert(td_at_number(meta, 1) == (int64_t)c->type && td_at_number(meta, 4) == CODEC_ZSTD);
	a = (struct td_at){ (const uint8_t *)file + at, (const uint8_t *)file + at + size };
	while (a.p < a.end) {
		body = unpack(t, &a, &head);
		if (td_at_number(head, 1) == PAGE_DICTIONARY) {
			read_dictionary(td_at_struct(head, 7), body, c->type, &d);
		} else {
			int64_t encoding = read_data_page(td_at_struct(head, 5), body, &d, c);

			assert(td_at_number(head, 1) == PAGE_DATA &&
			       lists_encoding(meta, encoding));
		}
	}
	assert(c->n - from == (size_t)td_at_number(meta, 5));
	check_stats(td_at_struct(meta, 12), c, from);
	free(d.numbers);
	free(d.texts);
}

static void read_group(struct td_read_table *t, const char *file, size_t len, struct td_at group)
{
	size_t n, before = t->rows;
	struct td_at chunk = td_at_list(group, 1, TD_READ_STRUCT, &n);

	assert(n == t->n);
	t->rows += (size_t)td_at_number(group, 3);
	for (size_t i = 0; i < n; i++) {
		read_chunk(t, file, len, td_at_struct(chunk, 3), &t->columns[i]);
		assert(t->columns[i].n == t->rows && t->rows > before);
		td_at_skip(&chunk, TD_READ_STRUCT);
	}
}

static void read_schema(struct td_read_table *t, struct td_at footer)
{
	size_t n;
	struct td_at a = td_at_list(footer, 2, TD_READ_STRUCT, &n);

	assert(n > 0 && (size_t)td_at_number(a, 5) == n - 1);
	t->n = n - 1;
	t->columns = calloc(n, sizeof(*t->columns));
	assert(t->columns);
	for (size_t i = 0; i < t->n; i++) {
		struct td_read_column *c = &t->columns[i];

		td_at_skip(&a, TD_READ_STRUCT); /* the root first */
		c->type = (enum td_read_type)td_at_number(a, 1);
		c->nullable = td_at_number(a, 3) == 1;
		c->name = td_at_binary(a, 4);
		assert(c->type == TD_READ_INT64 || c->type == TD_READ_DOUBLE ||
		       td_at_number(a, 6) == 0); /* UTF8 */
	}
}

void td_read_parquet(const char *file, size_t len, struct td_read_table *ret)
{
	size_t end = strlen(MAGIC), size;
	struct td_at footer, group;

	*ret = (struct td_read_table){ 0 };
	assert(len >= 2 * end + 4 && !memcmp(file, MAGIC, end) &&
	       !memcmp(file + len - end, MAGIC, end));
	footer = (struct td_at){ (const uint8_t *)file + len - end - 4,
				 (const uint8_t *)file + len - end };
	size = le32(&footer);
	assert(size <= len - 2 * end - 4);
	footer = (struct td_at){ (const uint8_t *)file + len - end - 4 - size,
				 (const uint8_t *)file + len - end - 4 };
	read_schema(ret, footer);
	group = td_at_list(footer, 4, TD_READ_STRUCT, &ret->ngroups);
	for (size_t i = 0; i < ret->ngroups; i++) {
		read_group(ret, file, len, group);
		td_at_skip(&group, TD_READ_STRUCT);
	}
	assert(ret->rows == (size_t)td_at_number(footer, 3));
}

void td_read_table_done(struct td_read_table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->columns[i].is_null);
		free(t->columns[i].numbers);
		free(t->columns[i].texts);
	}
	for (size_t i = 0; i < t->npages; i++)
		free(t->pages[i]);
	free(t->columns);
	free(t->pages);
}
