/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "common/cleanup.h"
#include "common/stdfds.h"
#include "tests/unit/check.h"

/* A disk that is full for a number of writes, and then no more. */
struct disk {
	int full;
	char got[16];
	size_t n;
};

static ssize_t put(void *cookie, const char *p, size_t n)
{
	struct disk *d = cookie;

	if (d->full > 0) {
		d->full--;
		errno = ENOSPC;
		return 0; /* as fopencookie(3) has it */
	}
	n = TD_MIN(n, sizeof(d->got) - d->n);
	memcpy(d->got + d->n, p, n);
	d->n += n;
	return (ssize_t)n;
}

static void test_flush(void)
{
	static const struct {
		const char *what;
		int full, want;
	} cases[] = {
		{ "there is room", 0, 0 },
		/* as long as there is none, flushing says why */
		{ "there is none", 9, -ENOSPC },
		/* what is lost is lost, also when the next write succeeds and tells of no error */
		{ "there was none", 1, -EIO },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		struct disk d = { .full = cases[i].full };
		FILE *f = fopencookie(&d, "w", (cookie_io_functions_t){ .write = put });

		TD_CASE(cases[i].what);
		(void)fputs("text", f);
		if (cases[i].full)
			(void)fflush(f);
		TD_CHECK_INT(td_flush(f), cases[i].want);
		TD_CHECK_INT(td_flush(f), cases[i].want);
		clearerr(f);
		TD_CHECK_INT(td_flush(f), 0);
		(void)fclose(f);
	}
}

int main(void)
{
	test_flush();
	return td_check_result();
}
