/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <time.h>

#include "collector/spool/clocks.h"
#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/scan.h"

#define TRIES 10

static uint64_t read_clock(clockid_t clock)
{
	struct timespec t = { 0 };

	(void)clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * (uint64_t)TD_SEC_NS + (uint64_t)t.tv_nsec;
}

/* --- time namespaces --- */

/* What the namespace adds to the boot clock of this process; the kernel's side, on whose clock
 * everything is recorded, knows of none. */
static int64_t offset_ns;
static pthread_once_t offset_once = PTHREAD_ONCE_INIT;

/* "boottime       100000         0": seconds and nanoseconds; see time_namespaces(7). */
static bool scan_offset(const char *line, int64_t *ret_ns)
{
	static const char name[] = "boottime";
	struct td_scan s = td_scan_of(line, strcspn(line, "\n"));
	struct td_str word;
	int64_t sec, ns;

	if (!td_scan_token(&s, &word) || word.len != strlen(name) ||
	    memcmp(word.p, name, word.len) != 0 || !td_scan_blanks(&s) || !td_scan_i64(&s, &sec) ||
	    !td_scan_blanks(&s) || !td_scan_i64(&s, &ns))
		return false;
	*ret_ns = sec * TD_SEC_NS + ns;
	return true;
}

static void find_offset(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/timens_offsets", "re");
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (scan_offset(line, &offset_ns))
			return;
}

/* --- readings --- */

uint64_t td_boot_ns(void)
{
	(void)pthread_once(&offset_once, find_offset);
	return read_clock(CLOCK_BOOTTIME) - (uint64_t)offset_ns;
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
