/* SPDX-License-Identifier: MIT */
/* The time that a logger puts into a line:
 *
 *     2024-05-01 10:00:01,250 INFO Epoch 3         Python's logging, local
 *     [2024/05/01 10:00:01] Epoch 3                local
 *     2024-05-01T10:00:01.25+02:00 Epoch 3         'ts %FT%.T%z'; also Z, +0200
 *     1714557601.250 Epoch 3                       'ts %.s', UTC
 */
#include "common/caldate.h"
#include "common/cleanup.h"
#include "importers/mllog/phases.h"

#define LOOK_AT ((size_t)128) /* bytes of a line in which its time begins */
#define STAMP_MAX ((size_t)48)

static bool is_of_word(char c)
{
	return td_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* "+02:00", "-0500", " +0200"; ret: local minus UTC. */
static bool scan_zone(struct td_scan *s, int64_t *ret_ns)
{
	struct td_scan t = *s;
	unsigned digits[4], n = 0;
	bool west;

	(void)td_scan_char(&t, ' ');
	west = td_scan_char(&t, '-');
	if (!west && !td_scan_char(&t, '+'))
		return false;
	for (; n < 4 && t.p < t.end && td_is_digit(*t.p); t.p++) {
		digits[n++] = (unsigned)(*t.p - '0');
		if (n == 2 && t.p + 1 < t.end && t.p[1] == ':')
			t.p++;
	}
	if (n < 4 || digits[0] > 1 || digits[2] > 5)
		return false;
	*ret_ns = ((int64_t)(digits[0] * 10 + digits[1]) * 60 + digits[2] * 10 + digits[3]) * 60 *
		  TD_SEC_NS * (west ? -1 : 1);
	*s = t;
	return true;
}

/* A date and a time of the day. */
static bool scan_date(const char *p, size_t len, int64_t *ret_ns, bool *ret_is_utc)
{
	char text[STAMP_MAX];
	struct td_scan s;
	int64_t zone_ns = 0;

	len = TD_MIN(len, sizeof(text));
	memcpy(text, p, len);
	if (len > 7 && text[4] == '/' && text[7] == '/')
		text[4] = text[7] = '-';
	s = td_scan_of(text, len);
	if (!td_scan_iso(&s, ret_ns))
		return false;
	*ret_is_utc = s.p[-1] == 'Z' || scan_zone(&s, &zone_ns);
	*ret_ns -= zone_ns;
	return true;
}

/* Ten digits, which is from 2001 to 2286, and a fraction. */
static bool scan_epoch(struct td_str line, int64_t *ret_ns)
{
	struct td_scan s = td_scan_of(line.p, line.len);
	const char *from;

	(void)td_scan_char(&s, '[');
	from = s.p;
	while (s.p < s.end && td_is_digit(*s.p))
		s.p++;
	if (s.p - from != 10 || s.p == s.end || *s.p != '.')
		return false;
	s.p = from;
	return td_scan_fixed9(&s, ret_ns);
}

bool td_mllog_line_time(struct td_str line, int64_t *ret_ns, bool *ret_is_utc)
{
	*ret_is_utc = true;
	if (scan_epoch(line, ret_ns))
		return true;
	for (size_t i = 0; i < TD_MIN(line.len, LOOK_AT); i++)
		if (td_is_digit(line.p[i]) && (i == 0 || !is_of_word(line.p[i - 1])) &&
		    scan_date(line.p + i, line.len - i, ret_ns, ret_is_utc))
			return true;
	return false;
}
