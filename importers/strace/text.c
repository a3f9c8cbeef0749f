/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "common/cleanup.h"
#include "importers/core/error_names.h"
#include "importers/strace/digits.h"
#include "importers/strace/text.h"

/* What a byte can begin within an argument list. PLAIN must be 0. */
enum { PLAIN, QUOTE, OPENING, CLOSING, COMMA, ANGLE, SLASH };
static const uint8_t kinds[256] = {
	['"'] = QUOTE,   ['('] = OPENING, ['['] = OPENING, ['{'] = OPENING, [')'] = CLOSING,
	[']'] = CLOSING, ['}'] = CLOSING, [','] = COMMA,   ['<'] = ANGLE,   ['/'] = SLASH,
};

/* The end of an annotation whose brackets do not match, because an old version of strace did not escape
 * a '<' in a path: the first '>' that an argument can end with. */
static const char *skip_odd_note(const char *p, const char *end)
{
	for (; (p = memchr(p, '>', (size_t)(end - p))); p++)
		if (p + 1 < end && memchr(",)](", p[1], 4))
			return p + 1;
	return NULL;
}

/* Behind the annotation that begins at p, if it is as by far the most: a path without quotes or further brackets.
 * Else NULL. */
static const char *skip_plain_note(const char *p, const char *end)
{
	const char *close = memchr(p, '>', (size_t)(end - p));

	if (!close || close[-1] == '-' || memchr(p + 1, '<', (size_t)(close - p - 1)) ||
	    memchr(p, '"', (size_t)(close - p)))
		return NULL;
	return close + 1;
}

/*
 * Behind the annotation that begins at p: "</tmp/x>", "</dev/null<char 1:3>>", "<TCP:[a:1->b:2]>",
 * "<UNIX-STREAM:[7,@"/tmp/x"]>", "<... resuming interrupted poll ...>". Quotes and angle brackets of a
 * path itself are escaped. NULL: it does not end.
 */
static const char *skip_note(const char *p, const char *end)
{
	const char *from = p, *plain = skip_plain_note(p, end);
	unsigned depth = 0;

	if (plain)
		return plain;
	for (; p && p < end; p++) {
		if (*p == '\\') {
			p++;
		} else if (*p == '<') {
			depth++;
		} else if (*p == '>' && p[-1] != '-') {
			if (--depth == 0)
				return p + 1;
		} else if (*p == '"') {
			p = td_arg_skip_string(p, end);
			if (!p || p == end)
				break;
			p--;
		}
	}
	return skip_odd_note(from, end);
}

/* Does '<' at p begin an annotation? It follows a descriptor, or stands where an argument begins; in
 * 21<<MAP_HUGE_SHIFT it does not. */
static bool begins_note(const char *from, const char *p, const char *end)
{
	if (p + 1 < end && p[1] == '<')
		return false;
	if (p == from)
		return true;
	return td_is_digit(p[-1]) || p[-1] == 'D' || p[-1] == ' ' || p[-1] == '(';
}

/* The next byte that is not PLAIN, or end. Eight at a time are looked at for those that may be: all below '0', and the
 * brackets, whose last five bits are 27 to 29. */
static const char *skip_to_mark(const char *p, const char *end)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t t, low, marks;

	while (p < end && kinds[(unsigned char)*p] == PLAIN) {
		marks = 0;
		for (p++; end - p >= 8 && !marks; p += marks ? __builtin_ctzll(marks) / 8 : 8) {
			memcpy(&t, p, sizeof(t));
			t = le64toh(t);
			low = t & ones * 0x1f;
			marks = ~(((t & ones * 0x7f) + ones * (0x80 - '0')) | t);
			marks |= (low + ones * (0x80 - 27)) & ~(low + ones * (0x80 - 30));
			marks &= ones << 7;
		}
	}
	return p;
}

/* Behind the comment that begins at p, or behind a mere slash. NULL: the comment does not end. */
static const char *skip_comment(const char *p, const char *end)
{
	const char *close;

	if (p + 1 >= end || p[1] != '*')
		return p + 1;
	close = td_find(p + 2, (size_t)(end - p - 2), "*/", 2);
	return close ? close + 2 : NULL;
}

static void add_arg(struct td_strace_text *t, const char *from, const char *to)
{
	while (from < to && *from == ' ')
		from++;
	while (to > from && to[-1] == ' ')
		to--;
	if (t->nargs < TD_STRACE_NARGS && from < to)
		t->args[t->nargs++] = (struct td_str){ from, (size_t)(to - from) };
}

/* Each annotation or comment without an end costs a look through the rest of the line. In what strace
 * prints there are none or few; a line made of them is read as ordinary characters from here on. */
#define MAX_MISSES 8

/* Finds t->file at p: behind it, or p if there is none. What is skipped is what scan_args() would skip, whatever
 * follows it. */
static const char *skip_file(const char *p, const char *end, struct td_strace_text *t)
{
	struct td_str known = t->file;
	const char *note = p, *close;

	t->file_again =
		known.len && (size_t)(end - p) >= known.len && td_same_bytes(p, known.p, known.len);
	if (t->file_again)
		return p + known.len;
	t->file = (struct td_str){ NULL, 0 };
	while (note < end && td_is_digit(*note))
		note++;
	if (note == p || end - note < 2 || note[0] != '<' || note[1] == '<')
		return p;
	close = skip_plain_note(note, end);
	if (!close)
		return p;
	t->file = (struct td_str){ p, (size_t)(close - p) };
	return close;
}

/* Arguments up to the ')' that closes them: true. Without it, false and s at the end. */
static bool scan_args(struct td_scan *s, struct td_strace_text *t)
{
	const char *from = s->p, *p = skip_file(s->p, s->end, t), *arg = s->p, *next;
	unsigned depth = 0, misses = 0;
	bool closed = false;

	t->nargs = 0;
	while ((p = skip_to_mark(p, s->end)) < s->end) {
		switch (kinds[(unsigned char)*p]) {
		case QUOTE:
			next = td_arg_skip_string(p, s->end);
			p = next ? next : s->end;
			if (s->end - p > 3 && memcmp(p, "...", 3) == 0)
				p += 3;
			continue;
		case OPENING:
			depth++;
			break;
		case CLOSING:
			if (depth > 0)
				depth--;
			else
				closed = *p == ')';
			break;
		case COMMA:
			if (depth == 0) {
				add_arg(t, arg, p);
				p += p + 1 < s->end && p[1] == ' ';
				arg = p + 1;
			}
			break;
		case ANGLE:
			next = NULL;
			if (misses < MAX_MISSES && begins_note(from, p, s->end)) {
				next = skip_note(p, s->end);
				misses += !next;
			}
			p = next ? next : p + 1;
			continue;
		case SLASH:
			next = misses < MAX_MISSES ? skip_comment(p, s->end) : p + 1;
			misses += next == NULL;
			p = next ? next : p + 1;
			continue;
		default:
			break;
		}
		if (closed)
			break;
		p++;
	}
	add_arg(t, arg, p);
	t->all = (struct td_str){ from, (size_t)(p - from) };
	s->p = p;
	return closed;
}

#define DUR_MAX_NS (INT64_C(320000000) * 1000000000) /* ten years */

#define DUR_TOO_LONG (-1) /* the core makes an issue of it */

/* Cuts " <0.000123>" off the end of text. */
static int64_t take_duration(struct td_str *text)
{
	const char *end = text->p + text->len, *p;
	struct td_scan s;
	int64_t ns;

	if (text->len < 3 || end[-1] != '>')
		return TD_NULL;
	/* mostly nothing stands before it */
	if (*text->p == '<' && td_strace_seconds(text->p + 1, end - 1, &ns) == end - 1 &&
	    ns <= DUR_MAX_NS) {
		text->len = 0;
		return ns;
	}
	if (text->len > 10 && end[-10] == '<' && end[-11] == ' ' &&
	    td_strace_usual_duration(end - 9, end - 1, &ns)) {
		text->len -= 10;
		return ns;
	}
	p = memrchr(text->p, '<', text->len);
	if (!p || (p > text->p && p[-1] != ' '))
		return TD_NULL;
	s = td_scan_of(p + 1, (size_t)(end - p - 2));
	if (strspn(s.p, "0123456789.") < (size_t)(s.end - s.p) || s.p == s.end)
		return TD_NULL;
	text->len = (size_t)(p - text->p);
	return td_scan_fixed9(&s, &ns) && td_scan_done(&s) && ns <= DUR_MAX_NS ? ns : DUR_TOO_LONG;
}

/* "-1 ENOENT (No such file or directory)": the name decides, the text is in the user's language. Also
 * "? ERESTARTSYS (To be restarted)", which strace counts as failed. */
static void apply_errno(struct td_strace_text *t)
{
	/* by far the most */
	static const struct {
		char name[8];
		int number;
	} usual[] = { { "EAGAIN ", EAGAIN }, { "ENOENT ", ENOENT } };
	struct td_scan s = td_scan_of(t->rest.p, t->rest.len);
	struct td_str name;
	int number;

	if (!t->rest.len || *s.p != 'E' || (t->ret != TD_NULL && t->ret >= 0))
		return;
	for (size_t i = 0; i < TD_ARRAY_SIZE(usual); i++) {
		if (t->rest.len > 7 && memcmp(s.p, usual[i].name, 7) == 0) {
			t->ret = -usual[i].number;
			return;
		}
	}
	if (!td_scan_token(&s, &name))
		return;
	number = td_error_number(name);
	if (number)
		t->ret = -number;
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* Behind ")  = ", or NULL. */
static const char *skip_equals(const char *p, const char *end)
{
	const char *equals;

	if (p == end || *p != ')')
		return NULL;
	equals = skip_blanks(p + 1, end);
	if (equals == end || *equals != '=')
		return NULL;
	p = skip_blanks(equals + 1, end);
	return p > equals + 1 ? p : NULL;
}

/* Works on plain pointers, as copies of a td_scan that was just changed make the CPU wait. */
bool td_strace_scan_result(struct td_scan *s, struct td_strace_text *ret)
{
	static const char deleted[] = "(deleted)";
	const char *end = s->end, *p = skip_equals(s->p, end), *note_end;

	if (p)
		p = td_arg_scan_value(p, end, &ret->ret);
	if (!p)
		return false;
	ret->note = (struct td_str){ NULL, 0 };
	ret->deleted = false;
	if (p < end && *p == '<') {
		note_end = skip_note(p, end);
		if (!note_end)
			return false;
		ret->note = (struct td_str){ p + 1, (size_t)(note_end - p - 2) };
		p = note_end;
		ret->deleted = td_str_starts((struct td_str){ p, (size_t)(end - p) }, deleted);
		p += ret->deleted ? strlen(deleted) : 0;
	}
	if (p < end && *p != ' ' && *p != '\t')
		return false;
	s->p = end;
	/* mostly only " <0.000012>" follows */
	if (end - p == 11 && p[1] == '<' && end[-1] == '>' &&
	    td_strace_usual_duration(p + 2, end - 1, &ret->dur_ns)) {
		ret->rest = (struct td_str){ p + 1, 0 };
		ret->unfinished = false;
		return true;
	}
	p = skip_blanks(p, end);
	ret->rest = (struct td_str){ p, (size_t)(end - p) };
	ret->dur_ns = take_duration(&ret->rest);
	apply_errno(ret);
	/* "= ? <unavailable>" is counted by strace -c: it did return, just before the thread was killed */
	ret->unfinished = ret->ret == TD_NULL && ret->dur_ns == TD_NULL && !ret->rest.len;
	return true;
}

/* ") = 4096 <0.000012>", which most have: what td_strace_scan_result() would find. */
static bool scan_usual_result(struct td_scan *s, struct td_strace_text *ret)
{
	const char *end = s->end, *p = s->p + 4;
	ptrdiff_t n = end - p - 11; /* digits */
	uint64_t u;

	/* eight bytes are read up to the last digit */
	if (n < 1 || n > 8 || p + n - ret->all.p < 8 || memcmp(s->p, ") = ", 4) != 0 ||
	    (*p == '0' && n > 1) || memcmp(p + n, " <", 2) != 0 || end[-1] != '>' ||
	    !td_strace_fixed(p + n, (unsigned)n, &u) ||
	    !td_strace_usual_duration(end - 9, end - 1, &ret->dur_ns))
		return false;
	ret->ret = (int64_t)u;
	ret->note = (struct td_str){ NULL, 0 };
	ret->rest = (struct td_str){ end - 10, 0 };
	ret->deleted = ret->unfinished = false;
	s->p = end;
	return true;
}

enum td_strace_form td_strace_scan_call(struct td_scan *s, struct td_strace_text *ret)
{
	if (!scan_args(s, ret))
		return TD_STRACE_OPEN;
	return scan_usual_result(s, ret) || td_strace_scan_result(s, ret) ? TD_STRACE_WHOLE
									  : TD_STRACE_SPOILT;
}

bool td_strace_find_result(struct td_str text, struct td_strace_text *ret)
{
	struct td_str left = text;
	const char *p;

	/* a result holds few parentheses of its own; a text with many is none */
	for (unsigned tries = 0; tries < 16; tries++) {
		struct td_scan s;

		p = left.len ? memrchr(left.p, ')', left.len) : NULL;
		if (!p)
			return false;
		s = td_scan_of(p, (size_t)(text.p + text.len - p));
		if (td_strace_scan_result(&s, ret))
			return true;
		left.len = (size_t)(p - left.p);
	}
	return false;
}
