/* SPDX-License-Identifier: MIT */
/* Matching of the parts of a row: what bpftrace/match.c, which can match any, and bpftrace/exact.c share. */
#pragma once

#include "common/cleanup.h"
#include "importers/bpftrace/layout.h"

#define TD_BLANKS UINT64_C(0x2020202020202020)

struct td_match {
	const struct td_pattern *pt;
	const char *end;
	bool sure;
	bool spaced; /* columns end at white space, not at their widths */
	struct td_layout_values *v;
	unsigned tries;
};

/* The ops from i on, at p: where the event ends, or NULL. */
const char *td_match_from(struct td_match *m, size_t i, const char *p);

/* A time of day, and a text that is always the same, with what is behind them. */
const char *td_match_time(struct td_match *m, const struct td_pattern_op *op, const char *p);
const char *td_match_constant(struct td_match *m, const struct td_pattern_op *op, const char *p);

/* As td_match_literal(), with a blank or more for each blank. */
const char *td_match_loose_literal(struct td_match *m, const struct td_pattern_op *op,
				   const char *p);

/* As td_match_literal(), with any white space for blanks. */
const char *td_match_spaced_literal(struct td_match *m, const struct td_pattern_op *op,
				    const char *p);

/* Blanks up to the width of the column, which began at from; the end of the line may cut them off. */
static inline const char *td_match_padding(const char *from, const char *p, const char *end,
					   unsigned width)
{
	ptrdiff_t n = TD_MIN((ptrdiff_t)width - (p - from), end - p);
	uint64_t v;

	for (; n > 0 && end - p >= 8; n -= 8) {
		memcpy(&v, p, sizeof(v));
		v = le64toh(v) ^ TD_BLANKS;
		if (n <= 8)
			return v << (64 - 8 * n) ? NULL : p + n;
		if (v)
			return NULL;
		p += 8;
	}
	for (; n > 0; n--)
		if (*p++ != ' ')
			return NULL;
	return p;
}

/* What the format has behind the column; blanks at the end of the line may be missing. */
static inline const char *td_match_literal(struct td_match *m, const struct td_pattern_op *op,
					   const char *p)
{
	size_t n = op->literal.len;
	uint64_t v;

	if (m->spaced)
		return td_match_spaced_literal(m, op, p);
	if (op->loose)
		return td_match_loose_literal(m, op, p);
	if (n <= sizeof(v) && m->end - p >= (ptrdiff_t)sizeof(v)) {
		memcpy(&v, p, sizeof(v));
		return (v & op->literal_mask) == op->literal_bytes ? p + n : NULL;
	}
	if ((size_t)(m->end - p) < n) {
		bool last = op == &m->pt->ops[m->pt->nops - 1];

		return last && p == m->end && td_str_is_blank(op->literal) ? p : NULL;
	}
	return memcmp(p, op->literal.p, n) == 0 ? p + n : NULL;
}

/* A number as most are: decimal, padded on the right, something behind it. */
static inline const char *td_match_plain(struct td_match *m, const struct td_pattern_op *op,
					 const char *p)
{
	bool neg = p < m->end && *p == '-';
	const char *to;
	uint64_t v;

	to = td_scan_digits(p + neg, m->end, &v);
	if (!to || to == p + neg)
		return NULL;
	v = neg ? 0 - v : v;
	if (op->small && (int64_t)v != (int32_t)v)
		return NULL;
	m->v->num[op->field] = (int64_t)v;
	if (to - p < op->width) {
		to = td_match_padding(p, to, m->end, op->width);
		if (!to)
			return NULL;
	}
	if (m->end - to < (ptrdiff_t)sizeof(v))
		return td_match_literal(m, op, to);
	memcpy(&v, to, sizeof(v));
	return (v & op->literal_mask) == op->literal_bytes ? to + op->literal.len : NULL;
}

bool td_match_is_direction(struct td_str s);

/* Names of processes and files may hold blanks, those of disks and functions do not. */
static inline bool td_match_can_be(unsigned field, struct td_str s)
{
	if (field == TD_FIELD_RW)
		return td_match_is_direction(s);
	return (field != TD_FIELD_DISK && field != TD_FIELD_FUNC) || !s.len ||
	       !memchr(s.p, ' ', s.len);
}

/* Length of the text without the blanks at its end. */
static inline size_t td_match_without_blanks(struct td_str s)
{
	uint64_t v;

	while (s.len >= sizeof(v)) {
		memcpy(&v, s.p + s.len - sizeof(v), sizeof(v));
		v = le64toh(v) ^ TD_BLANKS;
		if (v)
			return s.len - (unsigned)__builtin_clzll(v) / 8;
		s.len -= sizeof(v);
	}
	while (s.len && s.p[s.len - 1] == ' ')
		s.len--;
	return s.len;
}
