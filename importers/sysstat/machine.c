/* SPDX-License-Identifier: MIT */
#include "importers/sysstat/machine.h"

const char *const td_sysstat_text_host_marks[] = { "Linux ", NULL };
const char *const td_sysstat_json_host_marks[] = { "\"nodename\"", NULL };

/* Whole, or cut to the size. */
static bool give(struct td_str name, char *ret, size_t size)
{
	(void)snprintf(ret, size, "%.*s", (int)TD_MIN(name.len, size - 1), name.p);
	return name.len != 0;
}

/* The name in "Linux <release> (<host>) ..."; .len 0: the line is none. */
static struct td_str in_banner(struct td_str line)
{
	const char *open = td_str_find(line, "("), *close = td_str_find(line, ")");

	if (!td_str_starts(line, "Linux ") || !open || !close || close < open)
		return (struct td_str){ NULL, 0 };
	return (struct td_str){ open + 1, (size_t)(close - open - 1) };
}

bool td_sysstat_text_host(const char *head, size_t len, const char *path, char *ret, size_t size)
{
	const char *end = head + len, *newline;

	for (const char *p = head; p < end; p = newline + 1) {
		struct td_str name;

		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			return false;
		name = in_banner((struct td_str){ p, (size_t)(newline - p) });
		if (name.len)
			return give(name, ret, size);
	}
	return false;
}

bool td_sysstat_json_host(const char *head, size_t len, const char *path, char *ret, size_t size)
{
	static const char key[] = "\"nodename\"";
	const char *at = td_str_find((struct td_str){ head, len }, key), *end;
	struct td_scan s;

	if (!at)
		return false;
	s = td_scan_of(at + strlen(key), len - (size_t)(at - head) - strlen(key));
	td_scan_blanks(&s);
	if (!td_scan_char(&s, ':'))
		return false;
	td_scan_blanks(&s);
	if (!td_scan_char(&s, '"'))
		return false;
	end = memchr(s.p, '"', (size_t)(s.end - s.p));
	return end && give((struct td_str){ s.p, (size_t)(end - s.p) }, ret, size);
}
