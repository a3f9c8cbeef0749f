/* SPDX-License-Identifier: MIT */
#include "common/caldate.h"
#include "common/cleanup.h"
#include "importers/strace_prefix.h"

#define PID_MAX 4194304 /* Linux' PID_MAX_LIMIT */

/* Number with at least one digit of fraction. */
static bool scan_seconds(struct td_scan *s, int64_t *ret_ns)
{
	struct td_scan t = *s;
	const char *from = t.p;

	if (!td_scan_fixed9(&t, ret_ns) || !memchr(from, '.', (size_t)(t.p - from)))
		return false;
	*s = t;
	return true;
}

/* "<python3>" behind a pid. */
static void scan_comm(struct td_scan *s, struct td_str *ret)
{
	const char *close;

	if (s->p == s->end || *s->p != '<')
		return;
	close = memchr(s->p, '>', (size_t)(s->end - s->p));
	if (!close)
		return;
	*ret = (struct td_str){ s->p + 1, (size_t)(close - s->p - 1) };
	s->p = close + 1;
}

/* "[pid  2254] " or "2254  ". A number with a fraction or ':' behind is a time. */
static void scan_pid(struct td_scan *s, struct td_strace_prefix *p)
{
	struct td_scan t = *s;
	bool bracket = td_scan_literal(&t, "[pid ");
	uint64_t tid;

	if (bracket)
		(void)td_scan_blanks(&t);
	if (!td_scan_u64(&t, &tid) || tid == 0 || tid > (bracket ? INT32_MAX : PID_MAX))
		return;
	scan_comm(&t, &p->comm);
	if (bracket && !td_scan_char(&t, ']'))
		return;
	if (!td_scan_blanks(&t))
		return;
	p->tid = (int64_t)tid;
	*s = t;
}

static enum td_strace_stamp kind_of(int64_t ns)
{
	/* tracing began after 1998, and no pause in a log is as long as from 1970 to then */
	if (ns >= INT64_C(900000000) * TD_SEC_NS)
		return ns <= TD_STRACE_TIME_MAX ? TD_STRACE_STAMP_EPOCH : TD_STRACE_STAMP_NONE;
	return TD_STRACE_STAMP_DELTA;
}

static void scan_stamp(struct td_scan *s, struct td_strace_prefix *p)
{
	struct td_scan t = *s;
	bool padded = td_scan_blanks(&t) > 0;
	enum td_strace_stamp stamp = TD_STRACE_STAMP_NONE;
	uint64_t seconds;

	if (t.end - t.p > 2 && t.p[2] == ':' && td_scan_tod(&t, &p->stamp_ns)) {
		stamp = TD_STRACE_STAMP_TOD;
	} else if (scan_seconds(&t, &p->stamp_ns)) {
		stamp = kind_of(p->stamp_ns);
	} else if (td_scan_u64(&t, &seconds) && seconds <= TD_STRACE_TIME_MAX / TD_SEC_NS) {
		/* precision:s; without padding (-r) a first small number is a pid */
		p->stamp_ns = (int64_t)seconds * TD_SEC_NS;
		stamp = kind_of(p->stamp_ns);
		if (stamp == TD_STRACE_STAMP_DELTA && !padded && p->tid == TD_STRACE_NO_TID)
			return;
	}
	if (stamp == TD_STRACE_STAMP_NONE || !td_scan_blanks(&t))
		return;
	p->stamp = stamp;
	*s = t;
}

/* "(+     0.000441107) " of -r beside another time, "[  59] " of -n, "[00007fce23c96ad7] " of -i. */
static void scan_extras(struct td_scan *s)
{
	struct td_scan t = *s;
	int64_t ns;

	if (td_scan_literal(&t, "(+")) {
		(void)td_scan_blanks(&t);
		if (td_scan_fixed9(&t, &ns) && td_scan_char(&t, ')') && td_scan_blanks(&t))
			*s = t;
	}
	for (t = *s; td_scan_char(&t, '['); t = *s) {
		(void)td_scan_blanks(&t);
		while (t.p < t.end && *t.p != ']' && *t.p != ' ' && *t.p != '"' && *t.p != '{')
			t.p++;
		if (!td_scan_char(&t, ']') || !td_scan_blanks(&t))
			return;
		*s = t;
	}
}

void td_strace_scan_prefix(struct td_scan *s, struct td_strace_prefix *ret)
{
	*ret = (struct td_strace_prefix){ .tid = TD_STRACE_NO_TID, .stamp = TD_STRACE_STAMP_NONE };
	scan_pid(s, ret);
	scan_stamp(s, ret);
	scan_extras(s);
}
