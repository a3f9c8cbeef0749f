/* SPDX-License-Identifier: MIT */
/*
 * Matching of rows whose texts are not longer than their columns, which most are. Then nothing has to be
 * searched: each column says where the next one begins.
 */
#include "common/caldate.h"
#include "importers/bpftrace_match.h"

#define ONES UINT64_C(0x0101010101010101)

static inline uint64_t load(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* What the format has behind the column: eight bytes or less (can_be_exact()). */
static inline const char *exact_literal(struct td_match *m, const struct td_pattern_op *op,
					const char *p)
{
	if (m->end - p < 8)
		return td_match_literal(m, op, p);
	return (load(p) & op->literal_mask) == op->literal_bytes ? p + op->literal.len : NULL;
}

/* Eight characters, each less '0', and how many of them are digits before the first other one, in bits. The
 * arithmetic is explained at td_scan_digits(). */
static inline uint64_t eight(const char *p, unsigned *ret_bits)
{
	uint64_t t = le64toh(load(p)) ^ ONES * '0';
	uint64_t others = ((t + ONES * 0x76) | t) & ONES << 7;

	*ret_bits = others ? (unsigned)__builtin_ctzll(others) & 56 : 64;
	return t;
}

static inline uint64_t number_of(uint64_t t, unsigned bits)
{
	t <<= 64 - bits;
	t = (t * 10 + (t >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
	t = (t * 100 + (t >> 16)) & UINT64_C(0x0000ffff0000ffff);
	return (t * 10000 + (t >> 32)) & UINT64_C(0xffffffff);
}

/* A number of eight to sixteen digits; the width is at most 17. */
static inline const char *exact_wide(struct td_match *m, const struct td_pattern_op *op,
				     const char *p, uint64_t v)
{
	static const uint64_t powers[] = { 1,      10,      100,      1000,     10000,
					   100000, 1000000, 10000000, 100000000 };
	const char *to = p + 8;
	unsigned bits;
	uint64_t t = eight(to, &bits);

	if (bits) {
		v = v * powers[bits / 8] + number_of(t, bits);
		to += bits / 8;
	}
	if ((bits == 64 && (unsigned char)(*to - '0') <= 9) || op->small)
		return td_match_plain(m, op, p);
	for (; to < p + op->width; to++)
		if (*to != ' ')
			return NULL;
	m->v->num[op->field] = (int64_t)v;
	return exact_literal(m, op, to);
}

/* A number without sign and the blanks behind it; others are for td_match_plain(). */
static inline const char *exact_number(struct td_match *m, const struct td_pattern_op *op,
				       const char *p)
{
	unsigned bits;
	uint64_t t, v;

	if (m->end - p < 17 || op->width > 17)
		return td_match_plain(m, op, p);
	t = eight(p, &bits);
	if (bits == 0)
		return td_match_plain(m, op, p);
	v = number_of(t, bits);
	if (bits == 64)
		return exact_wide(m, op, p, v);
	if (((t ^ ONES * (' ' ^ '0')) & le64toh(op->pad_mask[0])) >> bits ||
	    (load(p + 8) ^ TD_BLANKS) & op->pad_mask[1] || (op->width == 17 && p[16] != ' '))
		return NULL;
	m->v->num[op->field] = (int64_t)v;
	return exact_literal(m, op, p + TD_MAX(bits / 8, (unsigned)op->width));
}

static inline const char *exact_time(struct td_match *m, const struct td_pattern_op *op,
				     const char *p)
{
	uint64_t t, h, min, s;

	if (m->end - p < 8 || p[2] != ':' || p[5] != ':')
		return NULL;
	t = le64toh(load(p) ^ load("00:00:00"));
	if (((t + ONES * 0x76) | t) & ONES << 7)
		return NULL;
	t = t * 10 + (t >> 8);
	h = t & 0xff;
	min = t >> 24 & 0xff;
	s = t >> 48 & 0xff;
	m->v->num[TD_FIELD_TIME] = (int64_t)(h * 3600 + min * 60 + s) * TD_SEC_NS;
	return h < 24 && min < 60 && s < 61 ? exact_literal(m, op, p + 8) : NULL;
}

static inline const char *exact_text(struct td_match *m, const struct td_pattern_op *op,
				     const char *p)
{
	struct td_str s = { p, op->width };
	const char *next = m->end - p < op->width ? NULL : exact_literal(m, op, p + op->width);

	if (!next)
		return NULL;
	s.len = td_match_without_blanks(s);
	m->v->text[op->field] = s;
	return td_match_can_be(op->field, s) ? next : NULL;
}

static inline const char *exact_constant(struct td_match *m, const struct td_pattern_op *op,
					 const char *p)
{
	size_t width = TD_MAX(op->width, op->text.len);

	return m->end - p >= 8 && (load(p) & op->cell_mask) == op->cell_bytes
		       ? p + width + op->literal.len
		       : NULL;
}

const char *td_pattern_match_exact(const struct td_pattern *pt, const char *p, const char *end,
				   bool sure, struct td_layout_values *v)
{
	struct td_match m = { .pt = pt, .end = end, .sure = sure, .v = v };

	if (!pt->nexact || pt->lead.len)
		return NULL;
	v->num[TD_FIELD_TS] = 0;
	for (size_t i = 0; i < pt->nexact && p; i++) {
		const struct td_pattern_op *op = &pt->ops[i];

		p = op->kind == TD_OP_NUMBER ? exact_number(&m, op, p)
		    : op->kind == TD_OP_TEXT ? exact_text(&m, op, p)
		    : op->kind == TD_OP_TIME ? exact_time(&m, op, p)
					     : exact_constant(&m, op, p);
	}
	return p ? td_match_from(&m, pt->nexact, p) : NULL;
}
