/* SPDX-License-Identifier: MIT */
#include <endian.h>

#include "analyzer/parquet/chunk_private.h"
#include "analyzer/parquet/encode.h"
#include "analyzer/parquet/thrift.h"

#define PLAIN_MAX ((size_t)1 << 20) /* bytes of text in a page */
#define ZSTD_LEVEL 1 /* 3 makes it 0.2 % smaller */

enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 }; /* parquet.thrift, PageType */

int td_chunk_init(struct td_chunk *c, const struct td_parquet_column *column)
{
	int r = td_dictionary_init(&c->dict, column);

	c->column = column;
	c->is_null = calloc(TD_PARQUET_PAGE_ROWS, sizeof(*c->is_null));
	c->indexes = malloc(TD_PARQUET_PAGE_ROWS * sizeof(*c->indexes));
	if (column->type != TD_PARQUET_TEXT)
		c->numbers = malloc(TD_PARQUET_PAGE_ROWS * sizeof(*c->numbers));
	return r == 0 && c->is_null && c->indexes && (c->numbers || column->type == TD_PARQUET_TEXT)
		       ? 0
		       : -ENOMEM;
}

void td_chunk_done(struct td_chunk *c)
{
	td_dictionary_done(&c->dict);
	free(c->is_null);
	free(c->numbers);
	free(c->indexes);
	td_strbuf_done(&c->plain);
	td_strbuf_done(&c->pages);
	td_strbuf_done(&c->stats.min_text);
	td_strbuf_done(&c->stats.max_text);
}

void td_chunk_reset(struct td_chunk *c)
{
	td_dictionary_reset(&c->dict, c->column);
	td_strbuf_reset(&c->plain);
	td_strbuf_reset(&c->pages);
	c->nrows = c->nvalues = 0;
	c->rows = c->unpacked = c->dict_bytes = 0;
	c->encodings = 0;
	c->stats.any = c->stats.has_nan = c->stats.too_long = false;
	c->stats.nulls = 0;
}

/* --- pages --- */

/* What tells nulls from values, with its length in front. */
static void add_levels(const struct td_chunk *c, struct td_scratch *s)
{
	size_t at = s->body.len;
	uint32_t len = 0;
	bool mixed = c->nvalues > 0 && c->nvalues < c->nrows;

	if (!c->column->nullable)
		return;
	td_strbuf_add(&s->body, (const char *)&len, sizeof(len));
	if (mixed) {
		for (size_t i = 0; i < c->nrows; i++)
			s->levels[i] = !c->is_null[i];
		td_encode_hybrid(&s->body, s->levels, c->nrows, 1);
	} else {
		td_thrift_varint(&s->body, (uint64_t)c->nrows << 1);
		td_strbuf_addc(&s->body, c->nvalues ? 1 : 0);
	}
	if (td_strbuf_error(&s->body) < 0)
		return;
	len = htole32((uint32_t)(s->body.len - at - sizeof(len)));
	memcpy(s->body.p + at, &len, sizeof(len));
}

static void add_plain_numbers(struct td_strbuf *b, const int64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t le = htole64((uint64_t)v[i]);

		td_strbuf_add(b, (const char *)&le, sizeof(le));
	}
}

static enum td_encoding add_values(struct td_chunk *c, struct td_scratch *s)
{
	if (c->dict.is_on && c->nvalues) {
		unsigned width = TD_MAX(td_bit_width(c->dict.n - 1), 1u);

		td_strbuf_addc(&s->body, (char)width);
		td_encode_hybrid(&s->body, c->indexes, c->nvalues, width);
		c->dict.nused = c->dict.n;
		return TD_ENC_DICTIONARY;
	}
	if (c->column->type == TD_PARQUET_TEXT) {
		td_strbuf_add(&s->body, td_strbuf_str(&c->plain), c->plain.len);
		return TD_ENC_PLAIN;
	}
	if (c->column->type == TD_PARQUET_DOUBLE || !c->nvalues) {
		add_plain_numbers(&s->body, c->numbers, c->nvalues);
		return TD_ENC_PLAIN;
	}
	td_encode_delta(&s->body, c->numbers, c->nvalues);
	return TD_ENC_DELTA;
}

/* Packs the body; s->packed is what it became. */
static int pack(struct td_scratch *s)
{
	size_t bound = ZSTD_compressBound(s->body.len), n;

	if (td_strbuf_error(&s->body) < 0)
		return -ENOMEM;
	if (s->packed.cap < bound) {
		char *p = realloc(s->packed.p, bound);

		if (!p)
			return -ENOMEM;
		s->packed.p = p;
		s->packed.cap = bound;
	}
	n = ZSTD_compressCCtx(s->zstd, s->packed.p, s->packed.cap, td_strbuf_str(&s->body),
			      s->body.len, ZSTD_LEVEL);
	if (ZSTD_isError(n))
		return -ENOMEM;
	s->packed.len = n;
	return 0;
}

/* The header of a page whose body is packed (parquet.thrift, PageHeader, DataPageHeader, DictionaryPageHeader). */
static void set_header(struct td_scratch *s, int type, size_t nvalues, enum td_encoding encoding)
{
	struct td_thrift t = td_thrift_begin(&s->header), in;

	td_strbuf_reset(&s->header);
	td_thrift_i32(&t, 1, type);
	td_thrift_i32(&t, 2, (int32_t)s->body.len);
	td_thrift_i32(&t, 3, (int32_t)s->packed.len);
	in = td_thrift_struct(&t, type == PAGE_DATA ? 5 : 7);
	td_thrift_i32(&in, 1, (int32_t)nvalues);
	td_thrift_i32(&in, 2, (int32_t)encoding);
	if (type == PAGE_DATA) {
		td_thrift_i32(&in, 3, TD_ENC_RLE);
		td_thrift_i32(&in, 4, TD_ENC_RLE);
	} else {
		td_thrift_bool(&in, 3, false);
	}
	td_thrift_end(&in);
	td_thrift_end(&t);
}

static int end_page(struct td_chunk *c, struct td_scratch *s)
{
	enum td_encoding encoding;
	int r;

	if (c->nrows == 0)
		return 0;
	td_strbuf_reset(&s->body);
	add_levels(c, s);
	encoding = add_values(c, s);
	r = pack(s);
	if (r < 0)
		return r;
	set_header(s, PAGE_DATA, c->nrows, encoding);
	td_strbuf_add(&c->pages, td_strbuf_str(&s->header), s->header.len);
	td_strbuf_add(&c->pages, s->packed.p, s->packed.len);
	c->unpacked += s->header.len + s->body.len;
	c->encodings |= 1u << encoding | 1u << TD_ENC_RLE;
	c->nrows = c->nvalues = 0;
	td_strbuf_reset(&c->plain);
	return td_strbuf_error(&c->pages) < 0 ? -ENOMEM : td_strbuf_error(&s->header);
}

/* The dictionary as a page, in front of those that refer to it. */
static int add_dictionary(struct td_chunk *c, struct td_scratch *s)
{
	_cleanup_(td_strbuf_done) struct td_strbuf all = TD_STRBUF_INIT;
	int r;

	td_strbuf_reset(&s->body);
	for (size_t i = 0; i < c->dict.nused; i++)
		td_dictionary_plain(&c->dict, c->column, i, &s->body);
	r = pack(s);
	if (r < 0)
		return r;
	set_header(s, PAGE_DICTIONARY, c->dict.nused, TD_ENC_PLAIN);
	td_strbuf_add(&all, td_strbuf_str(&s->header), s->header.len);
	td_strbuf_add(&all, s->packed.p, s->packed.len);
	c->dict_bytes = all.len;
	c->unpacked += s->header.len + s->body.len;
	c->encodings |= 1u << TD_ENC_PLAIN;
	td_strbuf_add(&all, td_strbuf_str(&c->pages), c->pages.len);
	if (td_strbuf_error(&all) < 0)
		return -ENOMEM;
	td_strbuf_done(&c->pages);
	c->pages = all;
	all = (struct td_strbuf)TD_STRBUF_INIT;
	return 0;
}

/* Those of the values that pages have by number; the others were looked at as they came. */
static void see_dictionary(struct td_chunk *c)
{
	const struct td_parquet_values *values = c->column->values;

	for (size_t i = 0; i < c->dict.nused; i++) {
		if (c->column->type != TD_PARQUET_TEXT)
			td_stats_number(&c->stats, c->column->type,
					values ? values->numbers[c->dict.codes[i] - 1]
					       : c->dict.numbers[i]);
		else
			td_stats_text(&c->stats,
				      values ? values->texts[c->dict.codes[i] - 1]
					     : td_intern_get(&c->dict.texts, (uint32_t)i + 1));
	}
}

int td_chunk_end(struct td_chunk *c, struct td_scratch *s)
{
	int r = end_page(c, s);

	if (r == 0 && c->dict.nused) {
		see_dictionary(c);
		r = add_dictionary(c, s);
	}
	return r;
}

/* --- values --- */

/* Room for one more row. */
static int next_row(struct td_chunk *c, struct td_scratch *s, bool is_null)
{
	if (c->nrows == TD_PARQUET_PAGE_ROWS || c->plain.len > PLAIN_MAX) {
		int r = end_page(c, s);

		if (r < 0)
			return r;
	}
	c->is_null[c->nrows++] = is_null;
	c->rows++;
	c->stats.nulls += is_null;
	return 0;
}

/* Numbers of this page are written without it. */
static void drop_dictionary_of_numbers(struct td_chunk *c)
{
	c->dict.is_on = false;
	for (size_t i = 0; i < c->nvalues; i++)
		td_stats_number(&c->stats, c->column->type, c->numbers[i]);
}

static int put_number(struct td_chunk *c, int64_t v)
{
	if (c->dict.is_on) {
		int64_t index = td_dictionary_number(&c->dict, v);

		if (index == -ENOMEM)
			return -ENOMEM;
		if (index < 0)
			drop_dictionary_of_numbers(c);
		else
			c->indexes[c->nvalues] = (uint32_t)index;
	}
	if (!c->dict.is_on)
		td_stats_number(&c->stats, c->column->type, v);
	c->numbers[c->nvalues++] = v;
	return 0;
}

int td_chunk_numbers(struct td_chunk *c, struct td_scratch *s, const int64_t *v,
		     const uint8_t *is_null, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		bool null = is_null && is_null[i];

		r = next_row(c, s, null);
		if (r == 0 && !null)
			r = put_number(c, v[i]);
	}
	return r;
}

static void put_plain_text(struct td_chunk *c, struct td_str v)
{
	uint32_t len = htole32((uint32_t)v.len);

	td_strbuf_add(&c->plain, (const char *)&len, sizeof(len));
	td_strbuf_add(&c->plain, v.p, v.len);
	td_stats_text(&c->stats, v);
	c->nvalues++;
}

/* The rows before this one, whose place in the page is taken already, become a page of their own:
 * with the dictionary, which the following ones do without. */
static int leave_dictionary(struct td_chunk *c, struct td_scratch *s)
{
	int r;

	c->nrows--;
	r = end_page(c, s);
	c->dict.is_on = false;
	c->is_null[c->nrows++] = false;
	return r;
}

int td_chunk_text(struct td_chunk *c, struct td_scratch *s, const struct td_str *v)
{
	int r = next_row(c, s, !v);
	int64_t index;

	if (r < 0 || !v)
		return r;
	if (c->dict.is_on) {
		index = td_dictionary_text(&c->dict, *v);
		if (index >= 0) {
			c->indexes[c->nvalues++] = (uint32_t)index;
			return 0;
		}
		r = index == -ENOSPC ? leave_dictionary(c, s) : (int)index;
	}
	if (r == 0)
		put_plain_text(c, *v);
	return r < 0 ? r : td_strbuf_error(&c->plain);
}

static int put_code(struct td_chunk *c, struct td_scratch *s, uint32_t code)
{
	const struct td_parquet_values *values = c->column->values;
	int r = 0;

	if (c->dict.is_on) {
		int64_t index = td_dictionary_code(&c->dict, c->column, code);

		if (index >= 0) {
			c->indexes[c->nvalues++] = (uint32_t)index;
			return 0;
		}
		r = index == -ENOSPC ? leave_dictionary(c, s) : (int)index;
	}
	if (r < 0)
		return r;
	if (c->column->type == TD_PARQUET_TEXT) {
		put_plain_text(c, values->texts[code - 1]);
		return td_strbuf_error(&c->plain);
	}
	td_stats_number(&c->stats, c->column->type, values->numbers[code - 1]);
	c->numbers[c->nvalues++] = values->numbers[code - 1];
	return 0;
}

int td_chunk_codes(struct td_chunk *c, struct td_scratch *s, const uint32_t *codes, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		r = next_row(c, s, codes[i] == 0);
		if (r == 0 && codes[i])
			r = put_code(c, s, codes[i]);
	}
	return r;
}
