/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>

#include "common/cleanup.h"
#include "common/parallel.h"
#include "tests/unit/check.h"

#define PIECES 10000

static atomic_uint calls[PIECES];

static int count(void *arg, size_t i)
{
	atomic_uint *each = arg;

	atomic_fetch_add(&each[i], 1);
	return 0;
}

static void test_all(void)
{
	unsigned other_than_once = 0;

	TD_CASE("every piece once");
	TD_CHECK_INT(td_parallel(PIECES, count, calls), 0);
	for (size_t i = 0; i < PIECES; i++)
		other_than_once += calls[i] != 1;
	TD_CHECK_INT(other_than_once, 0);
	TD_CHECK_INT(td_parallel(0, count, calls), 0);
	TD_CHECK_INT(td_parallel(1, count, calls), 0);
	TD_CHECK_INT(calls[0], 2);
}

/* All from the fourth on fail, and the others of these may do so first. */
static int fail(void *arg, size_t i)
{
	atomic_uint *begun = arg;

	atomic_fetch_add(begun, 1);
	return i == 3 ? -ENOSPC : i > 3 ? -EIO : 0;
}

static void test_failure(void)
{
	TD_CASE("the failure of the lowest piece");
	for (int i = 0; i < 1000; i++) {
		atomic_uint begun = 0;

		TD_CHECK_INT(td_parallel(PIECES, fail, &begun), -ENOSPC);
		TD_CHECK(begun >= 4 && begun < PIECES);
	}
}

static void test_affinity(void)
{
	cpu_set_t all, one;

	TD_CASE("as many CPUs as the process may use");
	TD_CHECK_INT(sched_getaffinity(0, sizeof(all), &all), 0);
	TD_CHECK_INT(td_cpus(), CPU_COUNT(&all));
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &one);
	TD_CHECK_INT(sched_setaffinity(0, sizeof(one), &one), 0);
	TD_CHECK_INT(td_cpus(), 1);
	TD_CHECK_INT(sched_setaffinity(0, sizeof(all), &all), 0);
}

int main(void)
{
	test_all();
	test_failure();
	test_affinity();
	return td_check_result();
}
