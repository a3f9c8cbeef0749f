/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "common/line_pattern.h"
#include "common/scan.h"

#define CAPTURES 10
#define DIGITS_MAX 18 /* which always fit */

int td_line_pattern_compile(regex_t *ret, const char *text, struct td_err *err)
{
	char why[128];
	int r;

	if (!*text)
		return td_err_set(err, -EINVAL, "a pattern is empty: it would match every line");
	r = regcomp(ret, text, REG_EXTENDED);
	if (r == 0)
		return 0;
	(void)regerror(r, ret, why, sizeof(why));
	return td_err_set(err, -EINVAL, "'%s': no POSIX extended regular expression: %s", text,
			  why);
}

/* --- what matched --- */

static struct td_str str_of(const char *line, regmatch_t m)
{
	return (struct td_str){ line + m.rm_so, (size_t)(m.rm_eo - m.rm_so) };
}

/* The first digits of the text; len 0: there are none. */
static struct td_str first_digits(struct td_str text)
{
	const char *p = text.p, *end = text.p + text.len, *to;

	while (p < end && !td_is_digit(*p))
		p++;
	for (to = p; to < end && td_is_digit(*to); to++)
		;
	return (struct td_str){ p, (size_t)(to - p) };
}

static bool is_number(struct td_str text)
{
	return text.len > 0 && first_digits(text).len == text.len;
}

static bool set_number(struct td_line_match *m, struct td_str digits)
{
	struct td_scan s = td_scan_of(digits.p, digits.len);

	m->has_number = digits.len > 0 && digits.len <= DIGITS_MAX && td_scan_i64(&s, &m->number);
	return m->has_number;
}

/* Letters of any alphabet in UTF-8. */
static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static bool is_of_word(char c)
{
	return is_letter(c) || c == '_' || c == '-';
}

/* The last one of the text; len 0: there is none. */
static struct td_str last_word(struct td_str text)
{
	const char *end = text.p + text.len, *p;

	while (end > text.p && !is_letter(end[-1]))
		end--;
	for (p = end; p > text.p && is_of_word(p[-1]); p--)
		;
	while (p < end && !is_letter(*p))
		p++;
	return (struct td_str){ p, (size_t)(end - p) };
}

static struct td_str trim(struct td_str text)
{
	while (text.len && (unsigned char)text.p[text.len - 1] <= ' ')
		text.len--;
	while (text.len && (unsigned char)*text.p <= ' ') {
		text.p++;
		text.len--;
	}
	return text;
}

/* Where a name that is too long is cut: not within a character of UTF-8, if there is one. */
static size_t cut_of(const char *p)
{
	size_t max = TD_LINE_NAME_SIZE - 1;

	for (size_t back = 1; back <= 3 && ((unsigned char)p[max] & 0xc0) == 0x80; back++)
		if (((unsigned char)p[max - back] & 0xc0) == 0xc0)
			return max - back;
	return max;
}

static void set_name(struct td_line_match *m, struct td_str name)
{
	size_t len = name.len < sizeof(m->name) ? name.len : cut_of(name.p);

	for (size_t i = 0; i < len; i++) {
		m->name[i] = name.p[i];
		if (name.p[i] >= 'A' && name.p[i] <= 'Z')
			m->name[i] = (char)(name.p[i] | 0x20);
	}
	m->name[len] = '\0';
}

bool td_line_pattern_match(const regex_t *pattern, const char *line, struct td_line_match *ret)
{
	struct td_str all, number = { NULL, 0 }, name = { NULL, 0 }, rest;
	regmatch_t found[CAPTURES];

	if (regexec(pattern, line, CAPTURES, found, 0) != 0)
		return false;
	*ret = (struct td_line_match){ .start = (size_t)found[0].rm_so };
	all = str_of(line, found[0]);
	for (size_t i = 1; i < CAPTURES; i++) {
		struct td_str text;

		if (found[i].rm_so < 0)
			continue;
		text = str_of(line, found[i]);
		if (!number.len && is_number(text))
			number = text;
		else if (!name.len && !is_number(text))
			name = trim(text);
	}
	rest = name.len ? (struct td_str){ name.p + name.len,
					   (size_t)(all.p + all.len - name.p - name.len) }
			: all;
	if (!number.len)
		number = first_digits(rest);
	(void)set_number(ret, number);
	if (!name.len)
		name = ret->has_number
			       ? last_word((struct td_str){ all.p, (size_t)(number.p - all.p) })
			       : trim(all);
	set_name(ret, name.len ? name : (struct td_str){ "phase", strlen("phase") });
	return true;
}

/* --- the line --- */

/* Where the sequence ends that begins at p, which is ESC. */
static const char *behind_escape(const char *p, const char *end)
{
	if (p + 1 >= end || p[1] != '[')
		return p + 1;
	for (p += 2; p < end && (*p < '@' || *p > '~'); p++)
		;
	return p < end ? p + 1 : end;
}

size_t td_line_clean(const char *line, size_t len, char *ret)
{
	const char *p = line, *end = line + len;
	size_t n = 0;

	while (p < end && n < TD_LINE_PATTERN_MAX) {
		if (*p == '\033') {
			p = behind_escape(p, end);
			continue;
		}
		ret[n] = *p++;
		if ((unsigned char)ret[n] < ' ' || ret[n] == 127)
			ret[n] = ' ';
		n++;
	}
	ret[n] = '\0';
	return n;
}
