/* SPDX-License-Identifier: MIT */
/* Times at which a timeline is cut: in order, each once, however they were added. */
#include "common/cleanup.h"
#include "store/derive/phases.h"
#include "tests/unit/check.h"

#define N 500

static uint64_t random_state = 7;

static int64_t pick(int64_t n)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (int64_t)((random_state >> 33) % (uint64_t)n);
}

/* The plainest way: the least of those behind the one before. */
static bool next_of(const int64_t *ns, size_t n, const int64_t *before, int64_t *ret)
{
	bool found = false;

	for (size_t i = 0; i < n; i++) {
		if ((before && ns[i] <= *before) || (found && ns[i] >= *ret))
			continue;
		*ret = ns[i];
		found = true;
	}
	return found;
}

static void check(const char *name, const int64_t *ns, size_t n)
{
	_cleanup_(td_times_done) struct td_times t = { 0 };
	int64_t want, before;
	size_t at = 0;

	TD_CASE(name);
	for (size_t i = 0; i < n; i++)
		TD_CHECK_INT(td_times_add(&t, ns[i]), 0);
	td_times_sort(&t);
	for (; next_of(ns, n, at ? &before : NULL, &want) && at < t.n; at++) {
		TD_CHECK_INT(t.ns[at], want);
		before = want;
	}
	TD_CHECK_INT((int64_t)t.n, (int64_t)at);
	TD_CHECK(!next_of(ns, n, at ? &before : NULL, &want));
	/* there is room for what is added afterwards */
	for (size_t i = 0; i < n; i++)
		TD_CHECK_INT(td_times_add(&t, INT64_MAX), 0);
	td_times_sort(&t);
	TD_CHECK_INT((int64_t)t.n, (int64_t)at + (n > 0));
}

int main(void)
{
	static int64_t ns[N];

	check("none", ns, 0);
	check("one", ns, 1);
	check("all the same", ns, N);
	for (size_t i = 0; i < N; i++)
		ns[i] = (int64_t)(i % 100);
	check("five lists of the same", ns, N);
	for (size_t i = 0; i < N; i++)
		ns[i] = (int64_t)(i % 125) * 3 + (int64_t)(i / 125);
	check("four lists of others", ns, N);
	for (size_t i = 0; i < N; i++)
		ns[i] = -(int64_t)i;
	check("the other way around", ns, N);
	for (size_t i = 0; i < N; i++)
		ns[i] = pick(300) - 100;
	check("any", ns, N);
	return td_check_result();
}
