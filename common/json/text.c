/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/json/text.h"

#define MAX_DEPTH 100

/* --- where values end --- */

/* The high bit of the first byte of v that is zero; bits above it mean nothing. */
static uint64_t zero_bytes(uint64_t v)
{
	return (v - TD_BYTES(1)) & ~v & TD_BYTES(0x80);
}

/* The next quote or bracket, eight bytes at a time: '[' and '{', ']' and '}' differ in one bit. */
static const char *next_structural(const char *p, const char *end)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	for (; end - p >= 8; p += 8) {
		uint64_t v, folded, found;

		memcpy(&v, p, sizeof(v));
		folded = v | (TD_BYTES(0x20));
		found = zero_bytes(v ^ (TD_BYTES('"'))) | zero_bytes(folded ^ (TD_BYTES('{'))) |
			zero_bytes(folded ^ (TD_BYTES('}')));
		if (found)
			return p + __builtin_ctzll(found) / 8;
	}
#endif
	while (p < end && *p != '"' && (*p | 0x20) != '{' && (*p | 0x20) != '}')
		p++;
	return p;
}

static const char *brackets_end(const char *p, const char *end)
{
	size_t depth = 0;

	while ((p = next_structural(p, end)) < end) {
		char c = *p++;

		if (c == '"') {
			p = td_json_string_end(p, end);
			if (!p)
				return NULL;
		} else if ((c | 0x20) == '{') {
			depth++;
		} else if (--depth == 0) {
			return p;
		}
	}
	return NULL;
}

const char *td_json_end(const char *p, const char *end)
{
	if (p == end)
		return NULL;
	if (*p == '"')
		return td_json_string_end(p + 1, end);
	if (*p == '{' || *p == '[')
		return brackets_end(p, end);
	if (*p == '}' || *p == ']') /* belongs to nothing */
		return p + 1;
	p = td_json_word_end(p + 1, end);
	return p < end ? p : NULL;
}

int td_json_member(struct td_scan *s, struct td_str *ret_key, struct td_str *ret_value)
{
	const char *key, *value, *p = s->p;

	while (p < s->end && ((unsigned char)*p <= ' ' || *p == ',' || *p == '{'))
		p++;
	if (p < s->end && *p == '}')
		return 0;
	if (p == s->end || *p != '"')
		return -EBADMSG;
	key = p + 1;
	p = td_json_string_end(key, s->end);
	if (!p)
		return -EBADMSG;
	value = td_json_blanks(p, s->end);
	if (value == s->end || *value != ':')
		return -EBADMSG;
	value = td_json_blanks(value + 1, s->end);
	if (value == s->end || *value == ',' || *value == '}')
		return -EBADMSG;
	s->p = td_json_end(value, s->end);
	if (!s->p)
		return -EBADMSG;
	*ret_key = (struct td_str){ key, (size_t)(p - 1 - key) };
	*ret_value = (struct td_str){ value, (size_t)(s->p - value) };
	return 1;
}

/* What brackets_end() would see in another way is for that alone: a bracket that opens or closes nothing. */
const char *td_json_object_end(const char *p, const char *end, struct td_json_object *ret)
{
	ret->n = 0;
	if (p == end || *p != '{')
		return NULL;
	for (size_t n = 0;; n++) {
		struct td_scan s = td_scan_of(p + (n == 0), (size_t)(end - p - (n == 0)));
		const char *value;

		while (s.p < end && ((unsigned char)*s.p <= ' ' || *s.p == ','))
			s.p++;
		if (s.p == end || (*s.p != '"' && *s.p != '}'))
			return NULL;
		if (*s.p == '}') {
			ret->n = n;
			return s.p + 1;
		}
		if (n == TD_JSON_MEMBERS_MAX ||
		    td_json_member(&s, &ret->members[n].key, &ret->members[n].value) <= 0)
			return NULL;
		value = ret->members[n].value.p;
		if (*value == ']')
			return NULL;
		p = s.p;
	}
}

struct td_str td_json_get(struct td_str object, const char *key)
{
	struct td_scan s = td_scan_of(object.p, object.len);
	struct td_str k, value;

	while (object.len && object.p[0] == '{' && td_json_member(&s, &k, &value) > 0)
		if (td_str_eq(k, key))
			return value;
	return (struct td_str){ NULL, 0 };
}

/* --- checking --- */

static bool check_string(struct td_scan *s)
{
	const char *from = s->p + 1, *e;

	if (s->p == s->end || *s->p != '"')
		return false;
	e = td_json_string_end(from, s->end);
	if (!e || !td_json_escapes_known((struct td_str){ from, (size_t)(e - 1 - from) }))
		return false;
	s->p = e;
	return true;
}

static bool check_value(struct td_scan *s, int depth);

/* From the opening bracket to the closing one. */
static bool check_members(struct td_scan *s, bool object, int depth)
{
	char close = object ? '}' : ']';

	s->p++;
	s->p = td_json_blanks(s->p, s->end);
	if (td_scan_char(s, close))
		return true;
	do {
		s->p = td_json_blanks(s->p, s->end);
		if (object && !check_string(s))
			return false;
		s->p = td_json_blanks(s->p, s->end);
		if (object && !td_scan_char(s, ':'))
			return false;
		if (!check_value(s, depth))
			return false;
		s->p = td_json_blanks(s->p, s->end);
	} while (td_scan_char(s, ','));
	return td_scan_char(s, close);
}

static bool check_value(struct td_scan *s, int depth)
{
	const char *from = s->p = td_json_blanks(s->p, s->end);

	if (s->p == s->end)
		return false;
	if (*s->p == '"')
		return check_string(s);
	if (*s->p == '{' || *s->p == '[')
		return depth < MAX_DEPTH && check_members(s, *s->p == '{', depth + 1);
	s->p = td_json_word_end(s->p, s->end);
	return td_json_word((struct td_str){ from, (size_t)(s->p - from) }) != TD_JSON_WORD_UNKNOWN;
}

bool td_json_value(struct td_scan *s, struct td_str *ret)
{
	struct td_scan t = { td_json_blanks(s->p, s->end), s->end };
	const char *from = t.p;

	if (!check_value(&t, 0))
		return false;
	*ret = (struct td_str){ from, (size_t)(t.p - from) };
	*s = t;
	return true;
}

/* --- values --- */

bool td_json_string(struct td_str value, struct td_str *ret)
{
	if (value.len < 2 || value.p[0] != '"')
		return false;
	*ret = (struct td_str){ value.p + 1, value.len - 2 };
	return true;
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
	s.p = td_json_blanks(s.p, s.end);
	return s.end - s.p == 1;
}

bool td_json_begins(const char *text, size_t len, const char *key)
{
	struct td_scan s = td_scan_of(text, len);
	const char *nl = text;

	while (nl) {
		struct td_scan t;

		s.p = td_json_blanks(s.p, s.end);
		t = s;
		if (td_scan_char(&t, '{')) {
			t.p = td_json_blanks(t.p, t.end);
			if (td_scan_char(&t, '"') && td_scan_literal(&t, key) &&
			    td_scan_char(&t, '"'))
				return true;
		}
		nl = memchr(s.p, '\n', (size_t)(s.end - s.p));
		s.p = nl ? nl + 1 : s.end;
	}
	return false;
}
