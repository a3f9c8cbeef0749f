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

/* The eight characters of td_digits_at(), and how many of them are digits before the first other one, in bits. */
static inline uint64_t eight(const char *p, unsigned *ret_bits)
{
	uint64_t t = td_digits_at(p), others = td_digits_others(t);

	*ret_bits = others ? (unsigned)__builtin_ctzll(others) & 56 : 64;
	return t;
}

static inline uint64_t number_of(uint64_t t, unsigned bits)
{
	return td_digits_value(t << (64 - bits));
}

/* A number of eight to sixteen digits. */
static inline const char *exact_wide(struct td_match *m, const struct td_pattern_op *op,
				     const char *p, uint64_t v)
{
	static const uint64_t powers[] = { 1,      10,      100,      1000,     10000,
					   100000, 1000000, 10000000, 100000000 };
	unsigned bits;
	uint64_t t = eight(p + 8, &bits);

	m->v->wide |= op->field != TD_FIELD_TS;
	/* sixteen digits, and nothing that has to be behind them, need not be all */
	if (op->small || op->width < 8 + bits / 8 || (bits == 64 && op->step <= 16))
		return td_match_plain(m, op, p);
	if (bits)
		v = v * powers[bits / 8] + number_of(t, bits);
	if ((bits < 64 && differs(op, p, 1) >> bits) || (op->step > 16 && differs(op, p, 2)))
		return NULL;
	m->v->num[op->field] = (int64_t)v;
	return p + op->step;
}

/* A number without sign and what is behind it; others are for td_match_plain(). That the next column begins
 * behind the width of this one does not depend on the digits, so the processor need not wait for them. */
static inline const char *exact_number(struct td_match *m, const struct td_pattern_op *op,
				       const char *p)
{
	unsigned bits;
	uint64_t t, v;

	if (!has_words(m, p, op->step > 16 ? 3 : 2)) {
		m->v->wide = true;
		return td_match_plain(m, op, p);
	}
	t = eight(p, &bits);
	if (bits == 0)
		return td_match_plain(m, op, p);
	v = number_of(t, bits);
	if (bits == 64)
		return exact_wide(m, op, p, v);
	if (op->width < bits / 8) {
		m->v->num[op->field] = (int64_t)v;
		return td_match_literal(m, op, p + bits / 8);
	}
	if (differs(op, p, 0) >> bits || differs(op, p, 1) || (op->step > 16 && differs(op, p, 2)))
		return NULL;
	m->v->num[op->field] = (int64_t)v;
	return p + op->step;
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
	const char *next = m->end - p < op->width ? NULL : td_match_literal(m, op, p + op->width);

	if (!next)
		return NULL;
	s.len = td_match_without_blanks(s);
	m->v->text[op->field] = s;
	return td_match_can_be(op->field, s) ? next : NULL;
}

static inline const char *exact_constant(struct td_match *m, const struct td_pattern_op *op,
					 const char *p)
{
	if (!has_words(m, p, op->step > 16 ? 3 : 2))
		return td_match_constant(m, op, p);
	if (differs(op, p, 0) || differs(op, p, 1) || (op->step > 16 && differs(op, p, 2)))
		return NULL;
	return p + op->step;
}

static inline const char *exact_column(struct td_match *m, const struct td_pattern_op *op,
				       const char *p)
{
	switch ((enum td_op_kind)op->kind) {
	case TD_OP_NUMBER:
		return op->hex ? exact_hex(m, op, p) : exact_number(m, op, p);
	case TD_OP_TEXT:
		return exact_text(m, op, p);
	case TD_OP_TIME:
		return exact_time(m, op, p);
	default:
		return exact_constant(m, op, p);
	}
}

/* How far a row was matched: where its columns begin. */
struct reached {
	const char *at[TD_PATTERN_MAX_OPS + 1];
	size_t n; /* the column that is not the pattern's */
};

/* From column i on. */
static inline const char *exact_from(struct td_match *m, size_t i, struct reached *reached)
{
	const struct td_pattern *pt = m->pt;
	/* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): all columns up to reached->n have a begin */
	const char *p = reached->at[i];

	for (; p && i < pt->nexact; i++) {
		reached->at[i] = p;
		reached->n = i;
		p = exact_column(m, &pt->ops[i], p);
	}
	return p;
}

/* The rows of a script begin with the same columns up to the one that tells what they are of, so
 * another pattern is looked for from where it parts from the one before. */
static const char *exact_beside(struct td_match *m, struct reached *reached)
{
	const struct td_pattern *tried = m->pt, *pt = tried + tried->first_beside;
	const char *p = NULL;

	for (; !p; pt += pt->next_beside) {
		size_t i = TD_MIN(reached->n, pt->nexact);

		if (pt != tried) {
			while (pt->prefix[i] != m->pt->prefix[i])
				i--;
			m->pt = pt;
			p = exact_from(m, i, reached);
		}
		if (!pt->next_beside)
			break;
	}
	return p;
}

const struct td_pattern *td_pattern_match_exact(const struct td_pattern *pt, const char *p,
						const char *end, bool sure,
						struct td_layout_values *v, const char **ret_next)
{
	struct td_match m = { .pt = pt, .end = end, .sure = sure, .v = v };
	struct reached reached; /* to clear it took a fifth of the time */

	if (!pt->nexact || pt->lead.len)
		return NULL;
	reached.at[0] = p;
	reached.n = 0;
	v->num[TD_FIELD_TS] = 0;
	v->wide = false;
	p = exact_from(&m, 0, &reached);
	if (!p)
		p = exact_beside(&m, &reached);
	if (!p)
		return NULL;
	v->wide |= !m.pt->rest;
	if (m.pt->rest)
		v->text[m.pt->ops[m.pt->nexact].field] = (struct td_str){ p, (size_t)(end - p) };
	*ret_next = m.pt->rest ? end : td_match_from(&m, m.pt->nexact, p);
	return *ret_next ? m.pt : NULL;
}
