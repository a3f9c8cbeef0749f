/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/json/text.h"

#include <math.h>

#define MAX_DEPTH 100

static const char *const words[] = { "null", "true", "false" };
static const char *const no_numbers[] = { "NaN", "Infinity", "-Infinity" };

static void skip_blanks(struct td_scan *s)
{
	while (s->p < s->end && (unsigned char)*s->p <= ' ')
		s->p++;
}

static bool is_hex(char c)
{
	return td_is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* Behind a backslash. */
static bool skip_escape(struct td_scan *s)
{
	if (s->p == s->end || !*s->p || !strchr("\"\\/bfnrtu", *s->p))
		return false;
	if (*s->p++ != 'u')
		return true;
	for (int i = 0; i < 4; i++, s->p++)
		if (s->p == s->end || !is_hex(*s->p))
			return false;
	return true;
}

static bool skip_string(struct td_scan *s)
{
	if (!td_scan_char(s, '"'))
		return false;
	while (s->p < s->end && *s->p != '"') {
		if (*s->p++ == '\\' && !skip_escape(s))
			return false;
	}
	return td_scan_char(s, '"');
}

static bool skip_digits(struct td_scan *s)
{
	const char *from = s->p;

	while (s->p < s->end && td_is_digit(*s->p))
		s->p++;
	return s->p > from;
}

static bool skip_number(struct td_scan *s)
{
	(void)td_scan_char(s, '-');
	if (!skip_digits(s) || (td_scan_char(s, '.') && !skip_digits(s)))
		return false;
	if (!td_scan_char(s, 'e') && !td_scan_char(s, 'E'))
		return true;
	if (!td_scan_char(s, '+'))
		(void)td_scan_char(s, '-');
	return skip_digits(s);
}

static bool skip_value(struct td_scan *s, int depth);

/* From the opening bracket to the closing one. */
static bool skip_members(struct td_scan *s, bool object, int depth)
{
	char close = object ? '}' : ']';

	s->p++;
	skip_blanks(s);
	if (td_scan_char(s, close))
		return true;
	do {
		skip_blanks(s);
		if (object && !skip_string(s))
			return false;
		skip_blanks(s);
		if (object && !td_scan_char(s, ':'))
			return false;
		if (!skip_value(s, depth))
			return false;
		skip_blanks(s);
	} while (td_scan_char(s, ','));
	return td_scan_char(s, close);
}

/* A number that JSON has no word for, but Python does. */
static bool skip_no_number(struct td_scan *s)
{
	bool found = false;

	if (s->p == s->end || !strchr("NI-", *s->p))
		return false;
	for (size_t i = 0; i < TD_ARRAY_SIZE(no_numbers) && !found; i++)
		found = td_scan_literal(s, no_numbers[i]);
	return found;
}

static bool skip_value(struct td_scan *s, int depth)
{
	skip_blanks(s);
	if (s->p == s->end)
		return false;
	if (*s->p == '"')
		return skip_string(s);
	if (*s->p == '{' || *s->p == '[')
		return depth < MAX_DEPTH && skip_members(s, *s->p == '{', depth + 1);
	if (td_is_digit(*s->p) || *s->p == '-')
		return skip_no_number(s) || skip_number(s);
	for (size_t i = 0; i < TD_ARRAY_SIZE(words); i++)
		if (td_scan_literal(s, words[i]))
			return true;
	return skip_no_number(s);
}

bool td_json_value(struct td_scan *s, struct td_str *ret)
{
	struct td_scan t = *s;
	const char *from;

	skip_blanks(&t);
	from = t.p;
	if (!skip_value(&t, 0))
		return false;
	*ret = (struct td_str){ from, (size_t)(t.p - from) };
	*s = t;
	return true;
}

bool td_json_next(struct td_scan *s, struct td_str *ret_key, struct td_str *ret_value)
{
	const char *from;

	if (!td_scan_char(s, '{') && !td_scan_char(s, ','))
		return false;
	skip_blanks(s);
	from = s->p;
	if (!skip_string(s))
		return false;
	*ret_key = (struct td_str){ from + 1, (size_t)(s->p - from) - 2 };
	skip_blanks(s);
	if (!td_scan_char(s, ':') || !td_json_value(s, ret_value))
		return false;
	skip_blanks(s);
	return true;
}

struct td_str td_json_get(struct td_str object, const char *key)
{
	struct td_scan s = td_scan_of(object.p, object.len);
	struct td_str k, value;

	while (td_json_is_object(object) && td_json_next(&s, &k, &value))
		if (td_str_eq(k, key))
			return value;
	return (struct td_str){ NULL, 0 };
}

bool td_json_string(struct td_str value, struct td_str *ret)
{
	if (value.len < 2 || value.p[0] != '"')
		return false;
	*ret = (struct td_str){ value.p + 1, value.len - 2 };
	return true;
}

bool td_json_number(struct td_str value, double *ret)
{
	struct td_scan s = td_scan_of(value.p, value.len);
	char text[64];

	if (!value.len || !skip_number(&s) || !td_scan_done(&s) || value.len >= sizeof(text))
		return false;
	memcpy(text, value.p, value.len);
	text[value.len] = '\0';
	*ret = strtod(text, NULL);
	return isfinite(*ret);
}

bool td_json_is_empty(struct td_str value)
{
	struct td_scan s = td_scan_of(value.p, value.len);
	char open;

	if (!value.len || td_str_eq(value, "null") || td_str_eq(value, "\"\""))
		return true;
	open = *s.p++;
	if (open != '{' && open != '[')
		return false;
	skip_blanks(&s);
	return s.end - s.p == 1;
}

/* Adds what may stand in a string as it is, up to the next character that may not. */
static const char *add_plain(struct td_strbuf *b, const char *p, const char *end, const char *stop)
{
	const char *from = p;

	while (p < end && (unsigned char)*p >= ' ' && *p != stop[0] && *p != stop[1])
		p++;
	td_strbuf_add(b, from, (size_t)(p - from));
	return p;
}

/* A string with its quotes. */
static const char *add_quoted(struct td_strbuf *b, const char *p, const char *end)
{
	td_strbuf_addc(b, *p++);
	while (p < end && *p != '"') {
		p = add_plain(b, p, end, "\"\\");
		if (p < end && *p == '\\' && end - p > 1) {
			td_strbuf_add(b, p, 2);
			p += 2;
		} else if (p < end && *p != '"') {
			td_strbuf_addf(b, "\\u%04x", (unsigned char)*p++);
		}
	}
	td_strbuf_addc(b, '"');
	return p < end ? p + 1 : p;
}

void td_json_add(struct td_strbuf *b, struct td_str value)
{
	struct td_scan s = td_scan_of(value.p, value.len);

	while (!td_scan_done(&s)) {
		const char *from = s.p;

		if (*s.p == '"') {
			s.p = add_quoted(b, s.p, s.end);
		} else if (skip_no_number(&s)) {
			td_strbuf_adds(b, "null");
		} else if ((unsigned char)*s.p <= ' ') {
			s.p++;
		} else {
			do
				s.p++;
			while (s.p < s.end && (unsigned char)*s.p > ' ' && !strchr("\"NI-", *s.p));
			td_strbuf_add(b, from, (size_t)(s.p - from));
		}
	}
}

void td_json_add_string(struct td_strbuf *b, struct td_str text)
{
	const char *p = text.p, *end = text.p + text.len;

	td_strbuf_addc(b, '"');
	while (p < end) {
		p = add_plain(b, p, end, "\"\\");
		if (p < end && (*p == '"' || *p == '\\'))
			td_strbuf_addf(b, "\\%c", *p++);
		else if (p < end)
			td_strbuf_addf(b, "\\u%04x", (unsigned char)*p++);
	}
	td_strbuf_addc(b, '"');
}

bool td_json_begins(const char *text, size_t len, const char *key)
{
	struct td_scan s = td_scan_of(text, len);
	const char *nl = text;

	while (nl) {
		struct td_scan t;

		skip_blanks(&s);
		t = s;
		if (td_scan_char(&t, '{')) {
			skip_blanks(&t);
			if (td_scan_char(&t, '"') && td_scan_literal(&t, key) &&
			    td_scan_char(&t, '"'))
				return true;
		}
		nl = memchr(s.p, '\n', (size_t)(s.end - s.p));
		s.p = nl ? nl + 1 : s.end;
	}
	return false;
}
