/* SPDX-License-Identifier: MIT */
/* Busy intervals in 8 bytes each against the same ones as two times each, joined in the plainest way. */
#include "store/derive/busy.h"
#include "tests/unit/check.h"

#define N 3000
#define FAR_NS (INT64_C(1) << 32) /* what 32 bits do not hold */

static struct td_interval plain[N];
static size_t nplain;

static void add(struct td_busy *b, int64_t start_ns, int64_t end_ns)
{
	TD_CHECK(td_busy_add(b, start_ns, end_ns) == 0);
	if (nplain && start_ns <= plain[nplain - 1].end_ns) {
		if (end_ns > plain[nplain - 1].end_ns)
			plain[nplain - 1].end_ns = end_ns;
		return;
	}
	plain[nplain++] = (struct td_interval){ start_ns, end_ns };
}

static void same(const struct td_busy *b)
{
	struct td_busy_place at = { 0 };
	struct td_interval on;

	TD_CHECK_INT((int64_t)b->n, (int64_t)nplain);
	for (; td_busy_get(b, &at, &on); at.i++) {
		TD_CHECK_INT(on.start_ns, plain[at.i].start_ns);
		TD_CHECK_INT(on.end_ns, plain[at.i].end_ns);
	}
	TD_CHECK_INT((int64_t)at.i, (int64_t)nplain);
}

/* Behind all that end then or before, and what is there is what follows. */
static void finds(const struct td_busy *b, int64_t ns)
{
	struct td_busy_place at = td_busy_find(b, ns);
	struct td_interval on;
	size_t want = 0;

	while (want < nplain && plain[want].end_ns <= ns)
		want++;
	TD_CHECK_INT((int64_t)at.i, (int64_t)want);
	if (td_busy_get(b, &at, &on))
		TD_CHECK_INT(on.start_ns, plain[want].start_ns);
	else
		TD_CHECK_INT((int64_t)want, (int64_t)nplain);
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Mostly microseconds, at times what 32 bits just hold or do not. */
static int64_t length(uint32_t *x)
{
	int64_t near = (int64_t)(next_random(x) % 5) - 2;

	switch (next_random(x) % 40) {
	case 0:
		return FAR_NS + near;
	case 1:
		return 3 * FAR_NS + near;
	case 2:
		return FAR_NS / 2 + near;
	default:
		return 1 + next_random(x) % 9000;
	}
}

static void test_random(void)
{
	struct td_busy b = { 0 };
	uint32_t x = 7;
	int64_t start_ns = -5 * FAR_NS;

	TD_CASE("random");
	nplain = 0;
	for (size_t i = 0; i < N; i++) {
		/* some begin where the one before did, or touch it, or are within it */
		start_ns += next_random(&x) % 6 ? length(&x) : 0;
		add(&b, start_ns, start_ns + length(&x));
	}
	same(&b);
	TD_CHECK(b.nblocks > 10 && b.nblocks < nplain);
	for (size_t i = 0; i < nplain; i += 7)
		for (int64_t d = -1; d <= 1; d++) {
			finds(&b, plain[i].start_ns + d);
			finds(&b, plain[i].end_ns + d);
		}
	finds(&b, INT64_MIN);
	finds(&b, INT64_MAX);
	td_busy_done(&b);
}

/* The last of a block grows beyond what a piece holds, and what comes next has a block of its own. */
static void test_edges(void)
{
	struct td_busy b = { 0 };

	TD_CASE("edges");
	nplain = 0;
	finds(&b, 0);
	same(&b);
	add(&b, 0, 10);
	add(&b, FAR_NS - 2, FAR_NS - 1); /* the end is what stands for a late one */
	add(&b, FAR_NS - 1, FAR_NS + 5);
	add(&b, FAR_NS + 6, FAR_NS + 7);
	add(&b, FAR_NS + 7, 9 * FAR_NS);
	same(&b);
	TD_CHECK_INT((int64_t)b.nblocks, 2);
	td_busy_done(&b);
}

int main(void)
{
	test_random();
	test_edges();
	return td_check_result();
}
