/* SPDX-License-Identifier: MIT */
/* From readings of a clock of seconds to anchors; times below are in ms for the reader's sake. */
#include "common/cleanup.h"
#include "importers/align/ticks.h"
#include "store/store.h"
#include "tests/unit/check.h"

#define MS INT64_C(1000000)

struct reading {
	int64_t native_ms, unit;
};

struct want {
	int64_t before_ms, after_ms, unit;
};

static const struct {
	const char *name;
	struct reading in[8];
	size_t nin;
	struct want want[4];
	size_t nwant;
} cases[] = {
	/* the clock ticked to 7 somewhere in (900, 1050], to 8 in (1900, 2000] */
	{ "seconds one after the other",
	  { { 400, 6 }, { 900, 6 }, { 1050, 7 }, { 1900, 7 }, { 2000, 8 }, { 2800, 8 } },
	  6,
	  /* 6 was still shown at 900, so it began after -100 */
	  { { -100, 400, 6 }, { 900, 1050, 7 }, { 1900, 2000, 8 } },
	  3 },
	/* 9 was shown until 3700, so it cannot have begun by 2700; nothing is known of 8 */
	{ "a second without events",
	  { { 1050, 7 }, { 1900, 7 }, { 3000, 9 }, { 3700, 9 } },
	  4,
	  { { 900, 1050, 7 }, { 2700, 3000, 9 } },
	  2 },
	/* the event at 1020 was printed after the one at 1010 and read the clock before it */
	{ "late readings",
	  { { 500, 6 }, { 1010, 7 }, { 1020, 6 }, { 1900, 7 } },
	  4,
	  { { 20, 500, 6 }, { 1020, 1010, 7 } },
	  2 },
	{ "not in order",
	  { { 1900, 7 }, { 2800, 8 }, { 400, 6 }, { 1050, 7 }, { 900, 6 }, { 2000, 8 } },
	  6,
	  { { -100, 400, 6 }, { 900, 1050, 7 }, { 1900, 2000, 8 } },
	  3 },
	{ "one reading", { { 1234, 7 } }, 1, { { 234, 1234, 7 } }, 1 },
	{ "none", { { 0, 0 } }, 0, { { 0, 0, 0 } }, 0 },
};

static struct td_store *new_store(void)
{
	struct td_store *st = NULL;

	TD_CHECK_INT(td_store_new("/tmp/tracedb-test-ticks", &st), 0);
	TD_CHECK_INT(td_store_source(st, "a"), 1);
	return st;
}

static void test_case(size_t c)
{
	_cleanup_(td_ticks_done) struct td_ticks t = { .wall = TD_CLOCK_LOCAL_TOD,
						       .resolution_ns = 1000 * MS };
	_cleanup_(td_store_freep) struct td_store *st = new_store();
	const struct td_anchor *a;
	size_t n;

	TD_CASE(cases[c].name);
	for (size_t i = 0; i < cases[c].nin; i++)
		TD_CHECK_INT(td_ticks_add(&t, cases[c].in[i].native_ms * MS, cases[c].in[i].unit),
			     0);
	TD_CHECK_INT(td_ticks_anchors(&t, st, 1), 0);
	a = td_store_contents(st)->anchors;
	n = td_store_contents(st)->nanchors;
	TD_CHECK_INT(n, cases[c].nwant);
	for (size_t i = 0; i < n && i < cases[c].nwant; i++) {
		TD_CHECK_INT(a[i].before_ns, cases[c].want[i].before_ms * MS);
		TD_CHECK_INT(a[i].after_ns, cases[c].want[i].after_ms * MS);
		TD_CHECK_INT(a[i].wall_ns, cases[c].want[i].unit * 1000 * MS);
		TD_CHECK_INT(a[i].wall, TD_CLOCK_LOCAL_TOD);
		TD_CHECK_INT(a[i].source_id, 1);
	}
}

static int64_t width(const struct td_anchor *a)
{
	return llabs(a->after_ns - a->before_ns);
}

/* 2048 seconds make stretches of three: each is represented by the second of which the begin is known
 * best. The middle one is seen until 1 ms before its end, so that it cannot have begun earlier than 1 ms
 * before its first event; of the others 100 ms are unknown. */
static void test_many(bool spoilt)
{
	enum { SECONDS = 2048, STRETCH = SECONDS / TD_TICKS_ANCHORS + 1 };
	_cleanup_(td_ticks_done) struct td_ticks t = { .wall = TD_CLOCK_UTC,
						       .resolution_ns = 1000 * MS };
	_cleanup_(td_store_freep) struct td_store *st = new_store();
	const struct td_anchor *a;
	size_t n;

	TD_CASE(spoilt ? "many seconds, spoilt readings" : "many seconds");
	for (int64_t s = 0; s < SECONDS; s++) {
		int64_t end = s % STRETCH == STRETCH - 2 ? 999 : 900;

		TD_CHECK_INT(td_ticks_add(&t, s * 1000 * MS, s), 0);
		TD_CHECK_INT(td_ticks_add(&t, (s * 1000 + end) * MS, s), 0);
		/* a native time with a digit too many, in the last second of a stretch: the next
		 * stretch then begins with a second that seems to begin long before */
		if (spoilt && s % STRETCH == STRETCH - 1)
			TD_CHECK_INT(td_ticks_add(&t, (s * 10000 + 1) * MS, s), 0);
	}
	TD_CHECK_INT(td_ticks_anchors(&t, st, 1), 0);
	a = td_store_contents(st)->anchors;
	n = td_store_contents(st)->nanchors;
	TD_CHECK_INT(n, (SECONDS + STRETCH - 1) / STRETCH); /* 683 */
	TD_CHECK(n <= TD_TICKS_ANCHORS);
	for (size_t i = 0; i + 1 < n; i++) {
		TD_CHECK_INT(width(&a[i]), 1 * MS);
		TD_CHECK_INT(a[i].wall_ns / (1000 * MS) / STRETCH, i);
	}
}

/* A file that was sorted backwards, and one in no order at all, in the time of one in order. */
static void test_backwards(void)
{
	enum { SECONDS = 20000, PER_SECOND = 50 };
	_cleanup_(td_ticks_done) struct td_ticks back = { .resolution_ns = 1000 * MS };

	TD_CASE("backwards");
	for (int64_t i = SECONDS * PER_SECOND - 1; i >= 0; i--)
		TD_CHECK_INT(td_ticks_add(&back, i, i / PER_SECOND), 0);
	TD_CHECK_INT(back.n, SECONDS);
	for (int64_t s = 0; s < SECONDS; s++) {
		TD_CHECK_INT(back.items[s].unit, s);
		TD_CHECK_INT(back.items[s].first_ns, s * PER_SECOND);
		TD_CHECK_INT(back.items[s].last_ns, s * PER_SECOND + PER_SECOND - 1);
	}
}

int main(void)
{
	for (size_t c = 0; c < TD_ARRAY_SIZE(cases); c++)
		test_case(c);
	test_many(false);
	test_many(true);
	test_backwards();
	return td_check_result();
}
