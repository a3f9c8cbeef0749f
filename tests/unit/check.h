/* SPDX-License-Identifier: MIT */
/*
 * The whole unit test framework: a failed check prints where, in which case and what, and the test
 * goes on; main() ends with "return td_check_result();".
 */
#pragma once

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define TD_TEST_SKIP 77 /* exit status that meson reads as "skipped" */

static int td_check_failures;
static int td_check_count;
static const char *td_check_case = "";

/* Names the case that the following checks belong to. */
#define TD_CASE(name) (td_check_case = (name))

#define TD_CHECK(cond)                                                                             \
	do {                                                                                       \
		td_check_count++;                                                                  \
		if (!(cond)) {                                                                     \
			td_check_failures++;                                                       \
			fprintf(stderr, "%s:%d: [%s] failed: %s\n", __FILE__, __LINE__,            \
				td_check_case, #cond);                                             \
		}                                                                                  \
	} while (0)

#define TD_CHECK_INT(got, want)                                                                    \
	do {                                                                                       \
		int64_t _got = (int64_t)(got), _want = (int64_t)(want);                            \
		td_check_count++;                                                                  \
		if (_got != _want) {                                                               \
			td_check_failures++;                                                       \
			fprintf(stderr, "%s:%d: [%s] %s is %" PRId64 ", want %" PRId64 "\n",       \
				__FILE__, __LINE__, td_check_case, #got, _got, _want);             \
		}                                                                                  \
	} while (0)

#define TD_CHECK_STR(got, want)                                                                    \
	do {                                                                                       \
		const char *_got = (got), *_want = (want);                                         \
		td_check_count++;                                                                  \
		if (!_got || strcmp(_got, _want) != 0) {                                           \
			td_check_failures++;                                                       \
			fprintf(stderr, "%s:%d: [%s] %s is '%s', want '%s'\n", __FILE__, __LINE__, \
				td_check_case, #got, _got ? _got : "(null)", _want);               \
		}                                                                                  \
	} while (0)

static inline int td_check_result(void)
{
	fprintf(stderr, "%d checks, %d failed\n", td_check_count, td_check_failures);
	return td_check_failures != 0;
}
