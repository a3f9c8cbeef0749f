/* SPDX-License-Identifier: MIT */
#include <endian.h>
#include <math.h>

#include "analyzer/parquet/chunk_private.h"

#define TEXT_MAX 256 /* longer bounds are not worth their place in the footer */

static double as_double(int64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

static bool is_less(enum td_parquet_type type, int64_t a, int64_t b)
{
	return type == TD_PARQUET_DOUBLE ? as_double(a) < as_double(b) : a < b;
}

void td_stats_number(struct td_chunk_stats *s, enum td_parquet_type type, int64_t v)
{
	if (type == TD_PARQUET_DOUBLE && isnan(as_double(v))) {
		s->has_nan = true;
		return;
	}
	if (!s->any || is_less(type, v, s->min))
		s->min = v;
	if (!s->any || is_less(type, s->max, v))
		s->max = v;
	s->any = true;
}

/* In the order of the bytes, which is that of the characters in UTF-8. */
static int compare(struct td_str a, struct td_str b)
{
	size_t n = TD_MIN(a.len, b.len);
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.len > b.len) - (a.len < b.len);
}

static void set_text(struct td_chunk_stats *s, struct td_strbuf *b, struct td_str v)
{
	s->too_long |= v.len > TEXT_MAX;
	td_strbuf_reset(b);
	td_strbuf_add(b, v.p, TD_MIN(v.len, (size_t)TEXT_MAX + 1));
}

static struct td_str str_of(const struct td_strbuf *b)
{
	return (struct td_str){ td_strbuf_str(b), b->len };
}

void td_stats_text(struct td_chunk_stats *s, struct td_str v)
{
	if (s->too_long)
		return;
	if (!s->any || compare(v, str_of(&s->min_text)) < 0)
		set_text(s, &s->min_text, v);
	if (!s->any || compare(v, str_of(&s->max_text)) > 0)
		set_text(s, &s->max_text, v);
	s->any = true;
}

static void put_number(char ret[8], int64_t v)
{
	uint64_t le = htole64((uint64_t)v);

	memcpy(ret, &le, sizeof(le));
}

/* The format asks for it: readers may look for either zero (parquet.thrift, "ColumnOrder"). */
static int64_t with_zero(enum td_parquet_type type, int64_t v, int64_t zero)
{
	return type == TD_PARQUET_DOUBLE && as_double(v) == 0 ? zero : v;
}

bool td_stats_bounds(const struct td_chunk *c, char ret_number[2][8], struct td_str ret[2])
{
	const struct td_chunk_stats *s = &c->stats;
	enum td_parquet_type type = c->column->type;

	if (!s->any || s->has_nan || s->too_long)
		return false;
	if (type == TD_PARQUET_TEXT) {
		ret[0] = str_of(&s->min_text);
		ret[1] = str_of(&s->max_text);
		return true;
	}
	put_number(ret_number[0], with_zero(type, s->min, INT64_MIN)); /* the bits of -0.0 */
	put_number(ret_number[1], with_zero(type, s->max, 0));
	ret[0] = (struct td_str){ ret_number[0], sizeof(ret_number[0]) };
	ret[1] = (struct td_str){ ret_number[1], sizeof(ret_number[1]) };
	return true;
}
