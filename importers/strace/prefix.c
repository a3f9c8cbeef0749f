/* SPDX-License-Identifier: MIT */
#include "common/caldate.h"
#include "common/cleanup.h"
#include "importers/strace/digits.h"
#include "importers/strace/prefix.h"

#define PID_MAX 4194304 /* Linux' PID_MAX_LIMIT */

/* Plain pointers here, which stay in registers: every line has a prefix. */
static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* Number with at least one digit of fraction: behind it, or NULL. */
static const char *scan_seconds(const char *p, const char *end, int64_t *ret_ns)
{
	struct td_scan s = { p, end };
	const char *to = td_strace_seconds(p, end, ret_ns);

	if (to)
		return to;
	return td_scan_fixed9(&s, ret_ns) && memchr(p, '.', (size_t)(s.p - p)) ? s.p : NULL;
}

/* Behind "<python3>", which follows a pid, or where it is if there is none. */
static const char *scan_comm(const char *p, const char *end, struct td_str *ret)
{
	const char *close;

	if (p == end || *p != '<')
		return p;
	close = memchr(p, '>', (size_t)(end - p));
	if (!close)
		return p;
	*ret = (struct td_str){ p + 1, (size_t)(close - p - 1) };
	return close + 1;
}

/* Behind "[pid  2254] " or "2254  ". A number with a fraction or ':' behind is a time. */
static const char *scan_pid(const char *from, const char *end, struct td_strace_prefix *ret)
{
	static const char mark[] = "[pid ";
	bool bracket = td_str_starts((struct td_str){ from, (size_t)(end - from) }, mark);
	const char *digits = bracket ? skip_blanks(from + strlen(mark), end) : from, *p;
	struct td_str comm = { NULL, 0 };
	uint64_t tid;

	p = td_scan_digits(digits, end, &tid);
	if (!p || p == digits || tid == 0 || tid > (bracket ? INT32_MAX : PID_MAX))
		return from;
	p = scan_comm(p, end, &comm);
	ret->comm = comm;
	if (bracket && (p == end || *p++ != ']'))
		return from;
	if (p == end || (*p != ' ' && *p != '\t'))
		return from;
	ret->tid = (int64_t)tid;
	return skip_blanks(p, end);
}

static enum td_strace_stamp kind_of(int64_t ns)
{
	/* tracing began after 1998, and no pause in a log is as long as from 1970 to then */
	if (ns >= INT64_C(900000000) * TD_SEC_NS)
		return ns <= TD_STRACE_TIME_MAX ? TD_STRACE_STAMP_EPOCH : TD_STRACE_STAMP_NONE;
	return TD_STRACE_STAMP_DELTA;
}

static const char *scan_stamp(const char *from, const char *end, struct td_strace_prefix *ret)
{
	const char *p = skip_blanks(from, end), *to;
	enum td_strace_stamp stamp = TD_STRACE_STAMP_NONE;
	struct td_scan s = { p, end };
	bool padded = p > from;
	uint64_t seconds;

	if (end - p > 2 && p[2] == ':' && td_scan_tod(&s, &ret->stamp_ns)) {
		stamp = TD_STRACE_STAMP_TOD;
		ret->in_seconds = s.p - p == sizeof("00:00:00") - 1;
		p = s.p;
	} else if ((to = scan_seconds(p, end, &ret->stamp_ns))) {
		stamp = kind_of(ret->stamp_ns);
		p = to;
	} else if (td_scan_u64(&s, &seconds) && seconds <= TD_STRACE_TIME_MAX / TD_SEC_NS) {
		/* precision:s; without padding (-r) a first small number is a pid */
		ret->stamp_ns = (int64_t)seconds * TD_SEC_NS;
		stamp = kind_of(ret->stamp_ns);
		if (stamp == TD_STRACE_STAMP_DELTA && !padded && ret->tid == TD_STRACE_NO_TID)
			return from;
		ret->in_seconds = true;
		p = s.p;
	}
	if (stamp == TD_STRACE_STAMP_NONE || p == end || (*p != ' ' && *p != '\t'))
		return from;
	ret->stamp = stamp;
	return skip_blanks(p, end);
}

/* Behind "(+     0.000441107) " of -r beside another time. */
static const char *scan_delta(const char *from, const char *end)
{
	struct td_scan s = { from, end };
	int64_t ns;

	if (!td_scan_literal(&s, "(+"))
		return from;
	(void)td_scan_blanks(&s);
	return td_scan_fixed9(&s, &ns) && td_scan_char(&s, ')') && td_scan_blanks(&s) ? s.p : from;
}

/* Behind "[  59] " of -n, "[00007fce23c96ad7] " of -i. */
static const char *scan_brackets(const char *from, const char *end)
{
	struct td_scan s = { from, end };

	(void)td_scan_char(&s, '[');
	(void)td_scan_blanks(&s);
	while (s.p < end && *s.p != ']' && *s.p != ' ' && *s.p != '"' && *s.p != '{')
		s.p++;
	return td_scan_char(&s, ']') && td_scan_blanks(&s) ? s.p : from;
}

/* "2254  1795178410.000034 ", as strace -f -ttt -o prints it: what the functions above would find, in one look.
 * Behind it, or NULL if it is anything else, or goes on. */
static const char *scan_usual(const char *from, const char *end, struct td_strace_prefix *ret)
{
	uint64_t tid;
	unsigned digits = end - from > 8 ? td_strace_few_digits(from, &tid) : 0;
	const char *p = from + digits;

	if (!digits || tid == 0 || tid > PID_MAX || *p != ' ')
		return NULL;
	p = td_strace_usual_stamp(p + 1 + (p[1] == ' '), end, &ret->stamp_ns);
	if (!p || kind_of(ret->stamp_ns) != TD_STRACE_STAMP_EPOCH)
		return NULL;
	p = skip_blanks(p, end);
	if (p < end && (*p == '(' || *p == '['))
		return NULL;
	ret->tid = (int64_t)tid;
	ret->stamp = TD_STRACE_STAMP_EPOCH;
	return p;
}

static __attribute__((noinline)) const char *scan_any(const char *from, const char *end,
						      struct td_strace_prefix *ret)
{
	const char *p, *next;

	ret->tid = TD_STRACE_NO_TID;
	ret->stamp = TD_STRACE_STAMP_NONE;
	ret->stamp_ns = 0;
	p = scan_pid(from, end, ret);
	p = scan_stamp(p, end, ret);
	if (p < end && *p == '(')
		p = scan_delta(p, end);
	while (p < end && *p == '[' && (next = scan_brackets(p, end)) > p)
		p = next;
	return p;
}

void td_strace_scan_prefix(struct td_scan *s, struct td_strace_prefix *ret)
{
	const char *p;

	ret->comm = (struct td_str){ NULL, 0 };
	ret->in_seconds = false;
	p = scan_usual(s->p, s->end, ret);
	s->p = p ? p : scan_any(s->p, s->end, ret);
}
