/* SPDX-License-Identifier: MIT */
/* Any line as the name of a file: its template has no digit, is not longer than with {} for each
 * run of digits alone, and is a template of itself. */
#include <assert.h>

#include "common/cleanup.h"
#include "store/template.h"
#include "tests/fuzz/fuzz.h"

static size_t length_by_digits(struct td_str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++)
		n += !td_is_digit(s.p[i]) ? 1 : i && td_is_digit(s.p[i - 1]) ? 0 : 2;
	return n;
}

static void check(struct td_str name)
{
	_cleanup_free_ char *out = malloc(TD_TEMPLATE_ROOM(name.len) + 1);
	_cleanup_free_ char *again = NULL;
	size_t n;

	if (!out)
		return;
	n = td_template_of(name, out);
	assert(n <= length_by_digits(name));
	for (size_t i = 0; i < n; i++)
		assert(!td_is_digit(out[i]));
	again = malloc(TD_TEMPLATE_ROOM(n) + 1);
	if (!again)
		return;
	assert(td_template_of((struct td_str){ out, n }, again) == n);
	assert(n == 0 || memcmp(out, again, n) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct td_scan s = td_scan_of((const char *)data, size);
	struct td_str line;

	while (size && td_scan_line(&s, true, &line))
		check(line);
	return 0;
}
