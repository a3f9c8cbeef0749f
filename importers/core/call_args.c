/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/utf8.h"
#include "importers/core/call_args.h"
#include "schema/table.h"

/* What names of calls consist of, unnamed ones ("????") too. */
static const bool in_name[256] = {
	['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['0' ... '9'] = true,
	['_'] = true,         ['?'] = true,
};

bool td_arg_scan_call_name(struct td_scan *s, struct td_str *ret)
{
	const char *p = s->p;

	const char *most = s->end - p > 64 ? p + 64 : s->end;

	while (p < most && in_name[(unsigned char)*p])
		p++;
	if (p == s->p || p == s->end || *p != '(' || td_is_digit(*s->p))
		return false;
	*ret = (struct td_str){ s->p, (size_t)(p - s->p) };
	s->p = p + 1;
	return true;
}

/* --- numbers --- */

/* The number itself, octal for umask: behind it, or NULL if it is none. */
const char *td_arg_scan_value(const char *p, const char *end, int64_t *ret)
{
	struct td_scan s;
	uint64_t u = 0;

	if (p == end)
		return NULL;
	if (*p >= '1' && *p <= '9') {
		p = td_scan_short_digits(p, end, &u);
		*ret = (int64_t)u;
		return p;
	}
	if (*p == '?') {
		*ret = TD_NULL;
		return p + 1;
	}
	if (*p == '-' && end - p > 2 && p[1] == '1' && p[2] == ' ') {
		*ret = -1;
		return p + 2;
	}
	s = (struct td_scan){ p, end };
	if (end - p >= 2 && p[0] == '0' && p[1] == 'x') {
		if (!td_scan_hex(&s, &u))
			return NULL;
		*ret = (int64_t)u;
		return s.p;
	}
	if (end - p >= 2 && p[0] == '0' && td_is_digit(p[1])) {
		for (; p < end && *p >= '0' && *p <= '7'; p++)
			u = u << 3 | (unsigned)(*p - '0');
		*ret = (int64_t)u;
		return p;
	}
	return td_scan_i64(&s, ret) ? s.p : NULL;
}

bool td_arg_number(struct td_str arg, int64_t *ret)
{
	const char *p = arg.p, *end = arg.len ? p + arg.len : p;
	int64_t v;

	if (p < end && *p == '[')
		p++;
	if (p < end && *p == '?')
		return false;
	p = td_arg_scan_value(p, end, &v);
	if (!p || (p < end && *p != ' ' && *p != ']'))
		return false;
	*ret = v;
	return true;
}

bool td_arg_clone_flag(struct td_str args, const char *name, uint64_t bit)
{
	static const char label[] = "flags=";
	const char *p = td_str_find(args, label);
	struct td_scan s = td_scan_of(args.p, args.len);
	uint64_t flags;

	if (td_str_find(args, name))
		return true;
	if (p)
		s.p = p + sizeof(label) - 1;
	return td_scan_literal(&s, "0x") && td_scan_hex(&s, &flags) && flags <= UINT32_MAX &&
	       (flags & bit);
}

bool td_arg_fd(struct td_str arg, int32_t *ret_fd, struct td_str *ret_note, bool *ret_deleted)
{
	const char *end = arg.p + arg.len, *close, *p;
	int64_t fd;

	p = td_arg_scan_value(arg.p, end, &fd);
	if (!p || fd < 0 || fd > INT32_MAX)
		return false;
	*ret_note = (struct td_str){ NULL, 0 };
	*ret_deleted = false;
	if (p < end && *p == '<') {
		/* the annotation is all that follows, perhaps with "(deleted)" or a comment behind it */
		close = end[-1] == '>' ? end - 1 : memrchr(p, '>', (size_t)(end - p));
		if (!close)
			return false;
		*ret_note = (struct td_str){ p + 1, (size_t)(close - p - 1) };
		*ret_deleted = td_str_starts((struct td_str){ close, (size_t)(end - close) },
					     ">(deleted)");
	} else if (p < end && *p != ' ') {
		return false;
	}
	*ret_fd = (int32_t)fd;
	return true;
}

/* --- strings --- */

/* Behind the string that begins at p, or NULL if it does not end. A quote ends it unless an odd number of
 * backslashes stands before it. */
const char *td_arg_skip_string(const char *p, const char *end)
{
	const char *from = p + 1, *quote, *slashes;

	for (p = from; (quote = memchr(p, '"', (size_t)(end - p))); p = quote + 1) {
		for (slashes = quote; slashes > from && slashes[-1] == '\\';)
			slashes--;
		if ((quote - slashes) % 2 == 0)
			return quote + 1;
	}
	return NULL;
}

static unsigned char_of_escape(char c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'r':
		return '\r';
	case 'v':
		return '\v';
	case 'f':
		return '\f';
	default:
		return (unsigned char)c;
	}
}

static int hex_value(char c)
{
	if (td_is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* One escape at p ('\\'): its byte to buf, the place behind it. */
static const char *decode_escape(const char *p, const char *end, struct td_strbuf *buf)
{
	unsigned v = 0, n = 0;

	if (++p == end)
		return p;
	if (*p == 'x') {
		for (p++; p < end && n < 2 && hex_value(*p) >= 0; p++, n++)
			v = v << 4 | (unsigned)hex_value(*p);
	} else if (*p >= '0' && *p <= '7') {
		for (; p < end && n < 3 && *p >= '0' && *p <= '7'; p++, n++)
			v = v << 3 | (unsigned)(*p - '0');
	} else {
		v = char_of_escape(*p++);
	}
	td_strbuf_addc(buf, (char)v);
	return p;
}

struct td_str td_arg_unescape(struct td_str text, struct td_strbuf *buf)
{
	const char *p = text.p, *end = text.p + text.len;

	if (!text.len || !memchr(p, '\\', text.len))
		return text;
	td_strbuf_reset(buf);
	while (p < end) {
		const char *next = memchr(p, '\\', (size_t)(end - p));

		if (!next)
			next = end;
		td_strbuf_add(buf, p, (size_t)(next - p));
		p = next < end ? decode_escape(next, end, buf) : end;
	}
	if (td_strbuf_error(buf) < 0 || !td_utf8_valid(td_strbuf_str(buf), buf->len))
		return text;
	return (struct td_str){ td_strbuf_str(buf), buf->len };
}

bool td_arg_string(struct td_str arg, struct td_strbuf *buf, struct td_str *ret, bool *ret_cut)
{
	const char *end = arg.p + arg.len;
	const char *from = memchr(arg.p, '"', arg.len), *to;

	to = from ? td_arg_skip_string(from, end) : NULL;
	if (!to)
		return false;
	*ret_cut = end - to >= 3 && memcmp(to, "...", 3) == 0;
	*ret = td_arg_unescape((struct td_str){ from + 1, (size_t)(to - from - 2) }, buf);
	return true;
}

void td_arg_join_strings(struct td_str arg, struct td_strbuf *buf)
{
	_cleanup_(td_strbuf_done) struct td_strbuf one = TD_STRBUF_INIT;
	const char *p = arg.p, *end = arg.p + arg.len;

	td_strbuf_reset(buf);
	while (p < end && (p = memchr(p, '"', (size_t)(end - p)))) {
		const char *to = td_arg_skip_string(p, end);
		struct td_str text;

		if (!to)
			break;
		text = td_arg_unescape((struct td_str){ p + 1, (size_t)(to - p - 2) }, &one);
		if (buf->len)
			td_strbuf_addc(buf, ' ');
		td_strbuf_add(buf, text.p, text.len);
		if (end - to >= 3 && memcmp(to, "...", 3) == 0)
			td_strbuf_adds(buf, "...");
		p = to;
	}
}

/* --- buffers --- */

/* Behind the number that ends right before p, the place where it begins. */
static bool number_before(const char *from, const char *p, int64_t *ret)
{
	const char *q = p;
	struct td_scan s;

	while (q > from && td_is_digit(q[-1]))
		q--;
	s = td_scan_of(q, (size_t)(p - q));
	return q > from && (q[-1] == ' ' || q[-1] == '=') && td_scan_i64(&s, ret);
}

bool td_arg_sum_lengths(struct td_str arg, int64_t *ret)
{
	const char *p = arg.p, *end = arg.p + arg.len;
	bool after_string = false;
	unsigned depth = 0;
	int64_t sum = 0, n;

	if (!arg.len || *p != '[')
		return false;
	while (p < end) {
		depth += *p == '[';
		depth -= *p == ']';
		if (depth == 0)
			break;
		if (*p == '"') {
			p = td_arg_skip_string(p, end);
			if (!p)
				return false;
			after_string = true;
			continue;
		}
		if (*p == '.' && !after_string)
			return false; /* "...": not all of them are here */
		if (*p == '}') {
			if (!number_before(arg.p, p, &n) || __builtin_add_overflow(sum, n, &sum))
				return false;
		}
		after_string = after_string && *p == '.';
		p++;
	}
	*ret = sum;
	return true;
}
