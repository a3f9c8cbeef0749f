/* SPDX-License-Identifier: MIT */
#include <time.h>

#include "collector/spool/clocks.h"
#include "common/caldate.h"

#define TRIES 10

static uint64_t read_clock(clockid_t clock)
{
	struct timespec t = { 0 };

	(void)clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * (uint64_t)TD_SEC_NS + (uint64_t)t.tv_nsec;
}

uint64_t td_boot_ns(void)
{
	return read_clock(CLOCK_BOOTTIME);
}

struct td_wire_anchor td_read_anchor(void)
{
	struct td_wire_anchor best = { .after_ns = UINT64_MAX };

	for (int i = 0; i < TRIES; i++) {
		struct td_wire_anchor a = { .head = { .size = sizeof(a), .kind = TD_WIRE_ANCHOR } };

		a.before_ns = td_boot_ns();
		a.utc_ns = (int64_t)read_clock(CLOCK_REALTIME);
		a.after_ns = td_boot_ns();
		if (a.after_ns - a.before_ns < best.after_ns - best.before_ns)
			best = a;
	}
	return best;
}
