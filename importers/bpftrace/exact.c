/* SPDX-License-Identifier: MIT */
/*
 * Matching of rows whose texts are not longer than their columns, which most are. Then nothing has to be
 * searched: each column says where the next one begins.
 */
#include "common/caldate.h"
#include "importers/bpftrace/match.h"

static inline uint64_t load(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

/* Is that word of the column not what compile_cell() expects behind the value? In bits, the first
 * character's lowest. */
static inline uint64_t differs(const struct td_pattern_op *op, const char *p, unsigned word)
{
	return (load(p + 8 * word) ^ op->cell_bytes[word]) & op->cell_mask[word];
}

/* Can so many words be read at p? */
static inline bool has_words(const struct td_match *m, const char *p, unsigned words)
{
	return m->end - p >= 8 * (ptrdiff_t)words;
}

/* Is what the format has behind the column not at p, where eight bytes are? */
static inline bool lacks_literal(const struct td_pattern_op *op, const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return (v & op->literal_mask) != op->literal_bytes;
}

/* The digits in the lowest bits, as a number. */
static inline uint64_t number_of(uint64_t t, unsigned bits)
{
	return td_digits_value(t << (64 - bits));
}

/* A number with a sign, of many digits or at the end of the line. */
static __attribute__((noinline)) const char *
exact_any_number(struct td_match *m, const struct td_pattern_op *op, const char *p)
{
	m->v->wide |= op->field != TD_FIELD_TS;
	return td_match_plain(m, op, p);
}

/* Of one to seven digits; t is what td_digits_at() and others what td_digits_others() says of the first
 * eight characters. That the next column begins behind the width of this one does not depend on the digits,
 * so the processor need not wait for them. */
static inline const char *exact_digits(struct td_match *m, const struct td_pattern_op *op,
				       const char *p, unsigned words, uint64_t t, uint64_t others)
{
	unsigned bits = (unsigned)__builtin_ctzll(others) & 56;
	uint64_t wrong;

	if (!bits)
		return exact_any_number(m, op, p);
	m->v->num[op->field] = (int64_t)number_of(t, bits);
	if (bits > op->width_bits)
		return lacks_literal(op, p + bits / 8) ? NULL : p + bits / 8 + op->literal.len;
	wrong = differs(op, p, 0) >> bits | differs(op, p, 1);
	if (words > 2)
		wrong |= differs(op, p, 2);
	return wrong ? NULL : p + op->step;
}

/* Of eight to sixteen digits, the first eight of which td_digits_at() gave. */
static inline const char *exact_wide(struct td_match *m, const struct td_pattern_op *op,
				     const char *p, unsigned words, uint64_t first)
{
	static const uint64_t powers[] = { 1,      10,      100,      1000,     10000,
					   100000, 1000000, 10000000, 100000000 };
	uint64_t t = td_digits_at(p + 8), others = td_digits_others(t);
	uint64_t v = td_digits_value(first), wrong;
	unsigned bits = others ? (unsigned)__builtin_ctzll(others) & 56 : 64;

	/* sixteen digits, and nothing that has to be behind them, need not be all */
	if (op->small || 64 + bits > op->width_bits || (words == 2 && !others))
		return exact_any_number(m, op, p);
	if (bits)
		v = v * powers[bits / 8] + number_of(t, bits);
	wrong = others ? differs(op, p, 1) >> bits : 0;
	if (words > 2)
		wrong |= differs(op, p, 2);
	m->v->wide |= op->field != TD_FIELD_TS;
	m->v->num[op->field] = (int64_t)v;
	return wrong ? NULL : p + op->step;
}

/* With the literal behind it, a number has so many words at most. */
static inline const char *exact_number(struct td_match *m, const struct td_pattern_op *op,
				       const char *p, unsigned words)
{
	uint64_t t, others;

	if (!has_words(m, p, words))
		return exact_any_number(m, op, p);
	t = td_digits_at(p);
	others = td_digits_others(t);
	return others ? exact_digits(m, op, p, words, t, others) : exact_wide(m, op, p, words, t);
}

/* An address or the like, which td_match_plain() does not know; those that mean nothing are most. */
static inline const char *exact_hex(struct td_match *m, const struct td_pattern_op *op,
				    const char *p)
{
	struct td_scan s = { p, m->end };
	uint64_t v;

	if (!td_scan_hex(&s, &v) || (op->small && (int64_t)v != (int32_t)v))
		return NULL;
	m->v->wide |= op->field != TD_FIELD_IGNORED;
	m->v->num[op->field] = (int64_t)v;
	p = td_match_padding(p, s.p, m->end, op->width);
	return p ? td_match_literal(m, op, p) : NULL;
}

static inline const char *exact_time(struct td_match *m, const struct td_pattern_op *op,
				     const char *p)
{
	struct td_layout_values *v = m->v;
	uint64_t text, t, h, min, s;

	if (!has_words(m, p, 2))
		return td_match_time(m, op, p);
	if (differs(op, p, 1))
		return NULL;
	text = load(p);
	if (text != v->time_text) {
		t = text ^ load("00:00:00");
		h = (t & 0xf) * 10 + (t >> 8 & 0xf);
		min = (t >> 24 & 0xf) * 10 + (t >> 32 & 0xf);
		s = (t >> 48 & 0xf) * 10 + (t >> 56);
		if (p[2] != ':' || p[5] != ':' || td_digits_others(t) || h > 23 || min > 59 ||
		    s > 60)
			return NULL;
		v->time_text = text;
		v->time_ns = (int64_t)(h * 3600 + min * 60 + s) * TD_SEC_NS;
	}
	v->num[TD_FIELD_TIME] = v->time_ns;
	return p + op->step;
}

static inline const char *exact_text(struct td_match *m, const struct td_pattern_op *op,
				     const char *p)
{
	struct td_str s = { p, op->width };
	const char *next = p + op->width;

	if (m->end - p < op->width + 8) {
		next = m->end - p < op->width ? NULL : td_match_literal(m, op, next);
		if (!next)
			return NULL;
	} else if (lacks_literal(op, next)) {
		return NULL;
	} else {
		next += op->literal.len;
	}
	s.len = td_match_without_blanks(s);
	m->v->text[op->field] = s;
	return op->any_text || td_match_can_be(op->field, s) ? next : NULL;
}

static inline const char *exact_constant(struct td_match *m, const struct td_pattern_op *op,
					 const char *p)
{
	uint64_t wrong;

	if (!has_words(m, p, TD_CELL_WORDS))
		return td_match_constant(m, op, p);
	wrong = differs(op, p, 0) | differs(op, p, 1) | differs(op, p, 2);
	return wrong ? NULL : p + op->step;
}

/* How far a row was matched: where its columns begin. */
struct reached {
	const char *at[TD_PATTERN_MAX_OPS + 1];
	size_t n; /* the column that is not the pattern's */
};

/* From column i on. */
static inline const char *exact_from(struct td_match *m, size_t i, struct reached *reached)
{
	const struct td_pattern_op *op = &m->pt->ops[i];
	/* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): all columns up to reached->n have a begin */
	const char *p = reached->at[i];

	for (; p; i++, op++) {
		reached->at[i] = p;
		switch ((enum td_exact_kind)op->exact) {
		case TD_EXACT_NUMBER:
			p = exact_number(m, op, p, 2);
			break;
		case TD_EXACT_LONG_NUMBER:
			p = exact_number(m, op, p, 3);
			break;
		case TD_EXACT_HEX:
			p = exact_hex(m, op, p);
			break;
		case TD_EXACT_TEXT:
			p = exact_text(m, op, p);
			break;
		case TD_EXACT_TIME:
			p = exact_time(m, op, p);
			break;
		case TD_EXACT_CONSTANT:
			p = exact_constant(m, op, p);
			break;
		case TD_EXACT_NOT:
			return p;
		}
	}
	reached->n = TD_MAX(i, (size_t)1) - 1;
	return NULL;
}

/* The rows of a script begin with the same columns up to the one that tells what they are of. Behind pt, of the
 * patterns that differ so from the first that was tried; NULL if there is none. */
static inline const struct td_pattern *next_beside(const struct td_pattern *tried,
						   const struct td_pattern *pt)
{
	if (pt == tried)
		pt += pt->first_beside;
	else if (pt->next_beside)
		pt += pt->next_beside;
	else
		return NULL;
	if (pt == tried)
		return pt->next_beside ? pt + pt->next_beside : NULL;
	return pt;
}

const struct td_pattern *td_pattern_match_exact(const struct td_pattern *pt, const char *p,
						const char *end, bool sure,
						struct td_layout_values *v, const char **ret_next)
{
	struct td_match m = { .pt = pt, .end = end, .sure = sure, .v = v };
	struct reached reached; /* to clear it took a fifth of the time */
	const struct td_pattern *tried = pt;
	size_t i = 0;

	if (!pt->nexact || pt->lead.len)
		return NULL;
	reached.at[0] = p;
	reached.n = 0;
	v->num[TD_FIELD_TS] = 0;
	v->wide = false;
	while (!(p = exact_from(&m, i, &reached))) {
		pt = next_beside(tried, m.pt);
		if (!pt)
			return NULL;
		/* from where it parts from the one before */
		for (i = TD_MIN(reached.n, pt->nexact); pt->prefix[i] != m.pt->prefix[i];)
			i--;
		m.pt = pt;
	}
	v->wide |= !m.pt->rest;
	if (m.pt->rest)
		v->text[m.pt->ops[m.pt->nexact].field] = (struct td_str){ p, (size_t)(end - p) };
	*ret_next = m.pt->rest ? end : td_match_from(&m, m.pt->nexact, p);
	return *ret_next ? m.pt : NULL;
}
