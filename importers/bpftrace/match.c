/* SPDX-License-Identifier: MIT */
/*
 * Matching of one event against a compiled row.
 *
 * printf() pads a column to its width and never cuts it, so a long value shifts everything behind it
 * and columns cannot be found by position. They are scanned in turn: a number ends at its last digit;
 * a text ends at the column's width or, where it is longer, at a later place, whichever lets the rest of
 * the row match. So a name may hold blanks, and an empty one does not swallow its neighbour.
 */
#include "common/caldate.h"
#include "common/cleanup.h"
#include "importers/bpftrace/match.h"

#define MIN_TS_DIGITS 9 /* one second after boot, in ns, has ten */

/* Places tried for the ends of texts before a line is given up: real rows need a few dozen. */
#define MAX_TRIES 4096

/* A path and a name together are at most so long, blanks and all. */
#define MAX_PAIR 8192

static inline bool same(const char *p, struct td_str s)
{
	return s.len == 1 ? *p == s.p[0] : memcmp(p, s.p, s.len) == 0;
}

/* The width that the column is padded to. */
static inline unsigned width_of(const struct td_match *m, const struct td_pattern_op *op)
{
	return m->spaced ? 0 : op->width;
}

const char *td_match_loose_literal(struct td_match *m, const struct td_pattern_op *op,
				   const char *p)
{
	const struct td_pattern_op *last = &m->pt->ops[m->pt->nops - 1];
	struct td_str lit = op->literal;
	const char *end = m->end;

	if (lit.len && lit.p[0] == ' ') {
		/* nobody keeps the blank before an empty name */
		if (p == end && lit.len == 1 &&
		    (op == last || (op + 1 == last && last->kind == TD_OP_REST)))
			return p;
		if (p == end || *p != ' ')
			return NULL;
		lit.p++;
		lit.len--;
	}
	while (p < end && *p == ' ' && !(lit.len && lit.p[0] == ' '))
		p++;
	if ((size_t)(end - p) < lit.len || memcmp(p, lit.p, lit.len) != 0)
		return NULL;
	return p + lit.len;
}

/* Blanks may have become tabs where the spacing is not the script's. */
const char *td_match_spaced_literal(struct td_match *m, const struct td_pattern_op *op,
				    const char *p)
{
	const struct td_pattern_op *last = &m->pt->ops[m->pt->nops - 1];
	const char *lit = op->literal.p, *lit_end = lit + op->literal.len, *end = m->end;

	/* nobody keeps the blank before an empty name */
	if (p == end && td_str_is_blank(op->literal) &&
	    (op == last || (op + 1 == last && last->kind == TD_OP_REST)))
		return p;
	while (lit < lit_end) {
		if (p == end || (td_is_blank(*lit) ? !td_is_blank(*p) : *p != *lit))
			return NULL;
		for (p++; td_is_blank(*lit) && p < end && td_is_blank(*p);)
			p++;
		for (lit++; td_is_blank(lit[-1]) && lit < lit_end && td_is_blank(*lit);)
			lit++;
	}
	return p;
}

/* --- numbers --- */

static inline const char *decimal(const char *p, const char *end, int64_t *ret)
{
	bool neg = p < end && *p == '-';
	const char *to;
	uint64_t v;

	p += neg;
	to = td_scan_digits(p, end, &v);
	if (!to || to == p)
		return NULL;
	/* an unsigned column that holds a negative errno comes out right as well */
	*ret = (int64_t)(neg ? 0 - v : v);
	return to;
}

static const char *hexadecimal(const char *p, const char *end, int64_t *ret)
{
	struct td_scan s = { p, end };
	uint64_t v = 0;

	if (!td_scan_hex(&s, &v))
		return NULL;
	*ret = (int64_t)v;
	return s.p;
}

static inline bool store_number(struct td_match *m, const struct td_pattern_op *op,
				struct td_str text, int64_t v)
{
	if (op->small && (v > INT32_MAX || v < INT32_MIN))
		return false;
	m->v->num[op->field] = (int64_t)((uint64_t)v * (uint64_t)op->scale);
	if (op->field == TD_FIELD_EXTRA)
		m->v->extra[op->extra] = text;
	return true;
}

/* The last number of an event that prints no newline runs into the next event's time stamp:
 * "123456781380360127728142  00:16:13". The split is where the rest is a time near this one's. */
static const char *split_number(struct td_match *m, const struct td_pattern_op *op, const char *p)
{
	const char *to = p + (p < m->end && *p == '-');
	int64_t v = 0, ts = 0;

	while (to < m->end && td_is_digit(*to))
		to++;
	for (ptrdiff_t n = width_of(m, op); n < to - p - MIN_TS_DIGITS; n++) {
		const char *q = p + n;

		if (n == 0 || decimal(q, to, &ts) != to ||
		    !td_layout_near((uint64_t)ts, m->v->num[TD_FIELD_TS]))
			continue;
		if (decimal(p, q, &v) == q &&
		    store_number(m, op, (struct td_str){ p, (size_t)(q - p) }, v))
			return q;
	}
	return NULL;
}

static inline const char *match_number(struct td_match *m, const struct td_pattern_op *op,
				       const char *p)
{
	const char *from = p, *to;
	int64_t v = 0;

	if (op->right)
		while (p < m->end && *p == ' ' && p - from < width_of(m, op))
			p++;
	to = op->hex ? hexadecimal(p, m->end, &v) : decimal(p, m->end, &v);
	if (m->pt->open && op == &m->pt->ops[m->pt->nops - 1] && !op->literal.len && !op->hex) {
		const char *split = split_number(m, op, p);

		if (split)
			return split;
	}
	if (!to || !store_number(m, op, (struct td_str){ p, (size_t)(to - p) }, v))
		return NULL;
	to = td_match_padding(from, to, m->end, width_of(m, op));
	return to ? td_match_literal(m, op, to) : NULL;
}

static inline bool two_digits(const char *p, int limit, int *ret)
{
	*ret = (p[0] - '0') * 10 + p[1] - '0';
	return td_is_digit(p[0]) && td_is_digit(p[1]) && *ret < limit;
}

const char *td_match_time(struct td_match *m, const struct td_pattern_op *op, const char *p)
{
	int h, min, s;

	if (m->end - p < 8 || p[2] != ':' || p[5] != ':' || !two_digits(p, 24, &h) ||
	    !two_digits(p + 3, 60, &min) || !two_digits(p + 6, 61, &s))
		return NULL;
	m->v->num[TD_FIELD_TIME] = (h * 3600 + min * 60 + s) * TD_SEC_NS;
	return td_match_literal(m, op, p + 8);
}

static const char *match_iso(struct td_match *m, const struct td_pattern_op *op, const char *p)
{
	struct td_scan s = { p, m->end };
	int64_t ns;

	/* far from what 64 bits can count, and no trace is older */
	if (!td_layout_is_iso(p, m->end) || !td_scan_iso(&s, &ns))
		return NULL;
	m->v->num[TD_FIELD_TS] = ns;
	return td_match_literal(m, op, s.p);
}

/* --- texts --- */

const char *td_match_constant(struct td_match *m, const struct td_pattern_op *op, const char *p)
{
	const char *from = p;

	if ((op->loose || m->spaced) && td_str_eq(op->text, " "))
		return p;
	if (op->right)
		while (p < m->end && *p == ' ' && p - from + op->text.len < width_of(m, op))
			p++;
	if ((size_t)(m->end - p) < op->text.len || !same(p, op->text))
		return NULL;
	p = td_match_padding(from, p + op->text.len, m->end, width_of(m, op));
	return p ? td_match_literal(m, op, p) : NULL;
}

/* R, W, the letters of rwbs ("RA", "WFS") or the number of the request's operation. */
bool td_match_is_direction(struct td_str s)
{
	bool letters = s.len && strchr("RWDFN", s.p[0]);

	for (size_t i = 0; i < s.len; i++)
		if (letters ? s.p[i] < 'A' || s.p[i] > 'Z' : !td_is_digit(s.p[i]))
			return false;
	return s.len > 0;
}

static inline void store_text(struct td_match *m, const struct td_pattern_op *op, struct td_str s)
{
	if (op->field == TD_FIELD_EXTRA)
		m->v->extra[op->extra] = s;
	else
		m->v->text[op->field] = s;
}

static const char *match_text(struct td_match *m, size_t i, const char *p)
{
	const struct td_pattern_op *op = &m->pt->ops[i];
	size_t rest = (size_t)(m->end - p), max = rest, from = width_of(m, op);

	if (op->right)
		for (; from > 0 && rest > 0 && *p == ' '; from--, rest--)
			p++;
	if (op->text_max && op->text_max < max)
		max = TD_MAX(op->text_max, op->width);
	max = TD_MIN(max, rest);
	if (i + 1 == m->pt->nops)
		from = TD_MIN(from, rest); /* blanks at the end of the line may be missing */
	for (size_t n = from; n <= max; n++) {
		const char *next = td_match_literal(m, op, p + n);
		struct td_str s = { p, n };

		if (m->tries++ > MAX_TRIES)
			return NULL;
		if (!next)
			continue;
		if (n <= width_of(m, op))
			s.len = td_match_without_blanks(s);
		else if (n && td_is_blank(p[n - 1]))
			continue; /* a text as long as its column is not padded */
		if (!td_match_can_be(op->field, s))
			continue;
		next = td_match_from(m, i + 1, next);
		if (!next)
			continue;
		store_text(m, op, s);
		return next;
	}
	return NULL;
}

/* Where the next event begins that is glued to this text: at a near time stamp before a blank. */
static const char *next_event(struct td_match *m, const char *p)
{
	int64_t ts = m->v->num[TD_FIELD_TS], v = 0;

	for (; p < m->end; p++) {
		const char *to = p;

		if (!td_is_digit(*p))
			continue;
		while (to < m->end && td_is_digit(*to))
			to++;
		for (const char *q = p; to < m->end && *to == ' ' && to - q >= MIN_TS_DIGITS; q++)
			if (decimal(q, to, &v) == to && td_layout_near((uint64_t)v, ts))
				return q;
		p = to - 1;
	}
	return m->end;
}

static struct td_str base_name(struct td_str path)
{
	const char *slash = path.len ? memrchr(path.p, '/', path.len) : NULL;

	return slash ? (struct td_str){ slash + 1, (size_t)(path.p + path.len - slash - 1) } : path;
}

/* Is s, cut at a blank, path and name of one file, in the order that the format has? */
static bool is_pair(struct td_str s, size_t blank, bool path_first)
{
	struct td_str a = { s.p, blank }, b = { s.p + blank + 1, s.len - blank - 1 };
	struct td_str path = path_first ? a : b, name = path_first ? b : a;

	path = base_name(path);
	return path.len == name.len && memcmp(path.p, name.p, name.len) == 0;
}

/* "path name" at the end of the line. Both can hold blanks and both can be empty: a failed open has no
 * name ("/etc/x "), a path that could not be read is missing (" x"). The name is the last component of
 * the path, unless that is a symbolic link or was cut: then the blank at the cut or the last one it is. */
static const char *match_pair(struct td_match *m, const struct td_pattern_op *op, const char *p)
{
	const char *end = m->pt->open ? next_event(m, p) : m->end;
	struct td_str s = { p, (size_t)(end - p) };
	bool path_first = op->field == TD_FIELD_PATH;
	size_t at = s.len, cut = path_first ? 63 : s.len > 63 ? s.len - 64 : 0;
	bool fits = false;

	if (s.len > MAX_PAIR)
		return NULL;
	for (size_t i = 0; i < s.len && !fits; i++) {
		if (s.p[i] != ' ')
			continue;
		at = i;
		fits = i == 0 || i == s.len - 1 || is_pair(s, i, path_first);
	}
	if (!fits && m->sure)
		return NULL;
	if (!fits && s.len > 63 && s.p[cut] == ' ')
		at = cut;
	m->v->text[op->field] = (struct td_str){ s.p, at };
	m->v->text[path_first ? TD_FIELD_NAME : TD_FIELD_PATH] =
		at < s.len ? (struct td_str){ s.p + at + 1, s.len - at - 1 }
			   : (struct td_str){ end, 0 };
	return end;
}

static const char *match_rest(struct td_match *m, const struct td_pattern_op *op, const char *p)
{
	const char *end = m->pt->open ? next_event(m, p) : m->end;

	store_text(m, op, (struct td_str){ p, (size_t)(end - p) });
	return end;
}

/* --- rows --- */

/* What follows an event without newline is another one, which may be cut. */
static bool begins_event(const struct td_match *m, const char *p)
{
	const char *to = p;
	int64_t ts;

	while (to < m->end && td_is_digit(*to))
		to++;
	return to > p && (to == m->end || (decimal(p, to, &ts) &&
					   td_layout_near((uint64_t)ts, m->v->num[TD_FIELD_TS])));
}

const char *td_match_from(struct td_match *m, size_t i, const char *p)
{
	for (; i < m->pt->nops; i++) {
		const struct td_pattern_op *op = &m->pt->ops[i];

		switch ((enum td_op_kind)op->kind) {
		case TD_OP_NUMBER:
			p = op->plain && !m->spaced ? td_match_plain(m, op, p)
						    : match_number(m, op, p);
			break;
		case TD_OP_TEXT:
			return match_text(m, i, p);
		case TD_OP_CONSTANT:
			p = td_match_constant(m, op, p);
			break;
		case TD_OP_TIME:
			p = td_match_time(m, op, p);
			break;
		case TD_OP_ISO:
			p = match_iso(m, op, p);
			break;
		case TD_OP_REST:
			return match_rest(m, op, p);
		case TD_OP_PAIR:
			return match_pair(m, op, p);
		}
		if (!p)
			return NULL;
	}
	if (m->pt->open && p < m->end)
		return begins_event(m, p) ? p : NULL;
	while (p < m->end && td_is_blank(*p))
		p++;
	return p == m->end ? p : NULL;
}

const char *td_pattern_match(const struct td_pattern *pt, const char *p, const char *end, bool sure,
			     struct td_layout_values *v)
{
	struct td_match m = { .pt = pt, .end = end, .sure = sure, .v = v };

	v->num[TD_FIELD_TS] = 0;
	v->wide = true;
	if (pt->lead.len) {
		if ((size_t)(end - p) < pt->lead.len || memcmp(p, pt->lead.p, pt->lead.len) != 0)
			return NULL;
		p += pt->lead.len;
	}
	return td_match_from(&m, 0, p);
}

const char *td_pattern_match_spaced(const struct td_pattern *pt, const char *p, const char *end,
				    struct td_layout_values *v)
{
	struct td_match m = { .pt = pt, .end = end, .spaced = true, .v = v };

	v->num[TD_FIELD_TS] = 0;
	v->wide = true;
	while (p < end && td_is_blank(*p))
		p++;
	return pt->lead.len ? NULL : td_match_from(&m, 0, p);
}

bool td_pattern_match_tail(const struct td_pattern *pt, const char *p, const char *end)
{
	struct td_layout_values v = { 0 };
	struct td_match m = { .pt = pt, .end = end, .v = &v };

	while (p < end && *p == ' ')
		p++;
	/* two columns at least, one of them a number: anything ends in a text */
	for (size_t i = 1; i + 2 <= pt->nops; i++) {
		bool number = false;

		for (size_t k = i; k < pt->nops; k++)
			number |= pt->ops[k].kind == TD_OP_NUMBER;
		if (number && td_match_from(&m, i, p) == end)
			return true;
	}
	return false;
}

bool td_layout_near(uint64_t v, int64_t ts)
{
	uint64_t t = (uint64_t)ts, apart = v > t ? v - t : t - v;

	if (ts <= 0)
		return v >= UINT64_C(100000000000000) && v < UINT64_C(10000000000000000);
	return apart <= TD_MIN((uint64_t)TD_DAY_NS, t / 16);
}

struct td_str td_layout_find_time(struct td_str s, int64_t ts)
{
	struct td_scan t = td_scan_of(s.p, s.len);

	while (t.p < t.end) {
		const char *from = t.p;
		uint64_t n;

		if (!td_is_digit(*t.p) || !td_scan_u64(&t, &n))
			t.p++;
		else if (t.p - from >= MIN_TS_DIGITS && td_layout_near(n, ts))
			return (struct td_str){ from, (size_t)(t.p - from) };
	}
	return (struct td_str){ s.p, 0 };
}

const char *td_layout_header_match(const char *header, const char *p, const char *end)
{
	while (p < end && td_is_blank(*p))
		p++;
	for (; *header; header++) {
		if (p == end || (*header == ' ' ? !td_is_blank(*p) : *p != *header))
			return NULL;
		p++;
		while (*header == ' ' && p < end && td_is_blank(*p))
			p++;
	}
	while (p < end && td_is_blank(*p))
		p++;
	return p;
}
