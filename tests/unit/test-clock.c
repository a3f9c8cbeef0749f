/* SPDX-License-Identifier: MIT */
/*
 * The clock fit against a model of what a tracer does: native time t, true wall clock t + offset + rate * t,
 * read late and off a coarse clock. A bound is made where two readings, one after the other, differ.
 */
#include <math.h>

#include "common/cleanup.h"
#include "schema/clock.h"
#include "tests/unit/check.h"

#define MS 1000000
#define SEC INT64_C(1000000000)
#define HOUR (3600 * SEC)

struct model {
	int64_t offset_ns;
	double rate;
	int64_t from_ns, span_ns; /* native times of the events */
	int64_t gap_ns; /* from one event to the next */
	int64_t late_ns; /* wall clock read 0..late_ns after the event */
	int64_t coarse_ns; /* and advanced only that often; 0: always */
	unsigned spoilt; /* one of so many bounds is off by hours; 0: none */
};

static uint64_t random_state = 88172645463325252u;

static int64_t random_below(int64_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return n > 0 ? (int64_t)(random_state % (uint64_t)n) : 0;
}

static int64_t true_offset(const struct model *m, int64_t t)
{
	return m->offset_ns + (int64_t)llround(m->rate * (double)t);
}

/* The whole seconds that the wall clock shows for an event at t. */
static int64_t reading(const struct model *m, int64_t t)
{
	int64_t wall;

	t += random_below(m->late_ns + 1);
	wall = t + true_offset(m, t);
	if (m->coarse_ns)
		wall -= wall % m->coarse_ns;
	return wall / SEC;
}

/* As the importers do (importers/align/ticks.h): the last event, by its own time, that showed a second, and the first
 * one that showed the next. */
static size_t make_bounds(const struct model *m, struct td_clock_bound *b, size_t max)
{
	int64_t shown = reading(m, m->from_ns), before = m->from_ns, after = 0;
	size_t n = 0;

	for (int64_t t = m->from_ns; t < m->from_ns + m->span_ns && n < max; t += m->gap_ns) {
		int64_t now = reading(m, t);

		if (now == shown) {
			before = t;
		} else if (now > shown && !after) {
			after = t;
		}
		if (after && (t - after > 40 * MS || now > shown + 1)) {
			b[n++] = (struct td_clock_bound){ after, (shown + 1) * SEC - after,
							  (shown + 1) * SEC - before };
			/* from here to shortly before the next second nothing can differ */
			if (m->gap_ns < SEC / 100)
				t += SEC - SEC / 10;
			shown = reading(m, t);
			before = t;
			after = 0;
		}
	}
	for (size_t i = 0; m->spoilt && i < n; i++) {
		int64_t off = (random_below(20) - 10) * HOUR + random_below(HOUR);

		if (i % m->spoilt == m->spoilt / 2) {
			b[i].low_ns += off;
			b[i].high_ns += off;
		}
	}
	return n;
}

static void shuffle(struct td_clock_bound *b, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = (size_t)random_below((int64_t)i);
		struct td_clock_bound t = b[i - 1];

		b[i - 1] = b[j];
		b[j] = t;
	}
}

/* The fitted offset is within its own error bar everywhere, and that bar is no wider than needed. */
static void check_model(const char *name, const struct model *m, int64_t most_error_ns)
{
	enum { MAX = 8000 };
	_cleanup_free_ struct td_clock_bound *b = calloc(MAX, sizeof(*b));
	struct td_clock_fit fit;
	size_t n = make_bounds(m, b, MAX);

	TD_CASE(name);
	TD_CHECK(n > 4);
	shuffle(b, n);
	TD_CHECK_INT(td_clock_fit(b, n, &fit), 0);
	TD_CHECK_INT(fit.total, n);
	for (int i = 0; i <= 4; i++) {
		int64_t t = m->from_ns + m->span_ns / 4 * i;
		int64_t got =
			fit.offset_ns + (int64_t)llround(fit.drift * (double)(t - fit.from_ns));
		int64_t off = llabs(got - true_offset(m, t));

		if (off > fit.error_ns)
			fprintf(stderr, "off by %" PRId64 " ns, error bar %" PRId64 "\n", off,
				fit.error_ns);
		TD_CHECK(off <= fit.error_ns);
	}
	if (fit.error_ns > most_error_ns)
		fprintf(stderr, "error bar %" PRId64 "\n", fit.error_ns);
	TD_CHECK(fit.error_ns <= most_error_ns);
	/* 5 ppm must come out to a tenth; no rate at all, or one in less than ten minutes, as exactly none */
	if (m->rate != 0 && m->span_ns >= 600 * SEC)
		TD_CHECK(fabs(fit.drift - m->rate) < 0.1 * fabs(m->rate));
	else
		TD_CHECK(fit.drift == 0);
	/* all but the spoilt ones agree; a few are spoilt by hardly anything */
	TD_CHECK(fit.used >= n - (m->spoilt ? n / m->spoilt + 1 : 0));
	TD_CHECK(fit.used <= n - (m->spoilt ? n / m->spoilt / 2 : 0));
}

static const struct {
	const char *name;
	struct model m;
	int64_t most_error_ns;
} models[] = {
	/* a tick of 10 ms cannot be ruled out by any: no bar is below that */
	/* 97 ms divide 1 s into ever other phases: twelve first events lie within 9 ms of a second */
	{ "no noise",
	  { 1000 * HOUR + 123456789, 0, 5 * SEC, 600 * SEC, 97 * MS, 0, 0, 0 },
	  11 * MS },
	{ "late by up to 3 ms",
	  { -7 * HOUR, 0, 99 * HOUR, 300 * SEC, 50000, 3 * MS, 0, 0 },
	  11 * MS },
	{ "late, few events", { 5 * HOUR, 0, 77, 300 * SEC, 13 * MS, 3 * MS, 0, 0 }, 11 * MS },
	{ "coarse clock", { 123, 0, SEC, 300 * SEC, 100000, 0, 4 * MS, 0 }, 11 * MS },
	{ "late by up to 25 ms", { HOUR, 0, SEC, 300 * SEC, 500000, 25 * MS, 0, 0 }, 26 * MS },
	{ "late, some events", { HOUR, 0, SEC, 60 * SEC, 31 * MS, 25 * MS, 4 * MS, 0 }, 31 * MS },
	{ "a clock of 10 ms", { HOUR, 0, SEC, 60 * SEC, 1 * MS, 0, 10 * MS, 0 }, 11 * MS },
	{ "a clock of 10 ms, late",
	  { HOUR + 7 * MS, 0, SEC, 60 * SEC, 11 * MS, 25 * MS, 10 * MS, 0 },
	  31 * MS },
	/* which moves the offset by 3 ms: too little to be fitted */
	{ "50 ppm in a minute", { HOUR, 5e-5, SEC, 60 * SEC, 1 * MS, MS, 4 * MS, 0 }, 11 * MS },
	/* by 28 ms, from the first reading to the last one */
	{ "-400 ppm in 70 s", { HOUR, -4e-4, SEC, 70 * SEC, 1 * MS, 0, 10 * MS, 0 }, 40 * MS },
	{ "400 ppm in 70 s", { HOUR, 4e-4, SEC, 70 * SEC, 1 * MS, 0, 1 * MS, 0 }, 40 * MS },
	{ "coarse and late", { 9 * HOUR, 0, SEC, 300 * SEC, 100000, 3 * MS, 4 * MS, 0 }, 11 * MS },
	/* one event a second: its phase moves by 3 ms each time, which is too slow to tell prompt readings */
	{ "an event a second", { HOUR, 0, SEC, 1200 * SEC, 997 * MS, 0, 0, 0 }, 37 * MS },
	/* and where the phase does not move, half a second is all that can be said, and 30 ms */
	{ "only whole seconds", { HOUR + SEC / 3, 0, SEC, 1200 * SEC, SEC, 0, 0, 0 }, 530 * MS },
	{ "5 ppm in 2 h", { HOUR, 5e-6, SEC, 2 * HOUR, 200000, 3 * MS, 4 * MS, 0 }, 11 * MS },
	{ "-5 ppm in 2 h", { HOUR, -5e-6, 99 * HOUR, 2 * HOUR, 200000, 3 * MS, 0, 0 }, 11 * MS },
	{ "0 ppm in 2 h", { HOUR, 0, SEC, 2 * HOUR, 200000, 3 * MS, 4 * MS, 0 }, 11 * MS },
	{ "spoilt ones", { HOUR, 0, SEC, 300 * SEC, 200000, 3 * MS, 4 * MS, 7 }, 11 * MS },
	{ "spoilt ones in 2 h", { HOUR, 0, SEC, 2 * HOUR, 200000, 3 * MS, 0, 10 }, 11 * MS },
	{ "spoilt ones and 5 ppm", { HOUR, 5e-6, 9, 2 * HOUR, 200000, 3 * MS, 0, 10 }, 11 * MS },
};

/* By hand: of [10, 20] and [14, 30] the offset is at most 20 and a tick of 10, and at least 14 but
 * for readings that were 30 late: [-16, 30]. Half way between 14 and 20 is the best guess: 17, -33
 * and +13. */
static void test_by_hand(void)
{
	struct td_clock_bound b[] = { { 100 * SEC, 10 * MS, 20 * MS },
				      { 200 * SEC, 14 * MS, 30 * MS } };
	struct td_clock_fit fit;

	TD_CASE("by hand");
	TD_CHECK_INT(td_clock_fit(b, 2, &fit), 0);
	TD_CHECK_INT(fit.offset_ns, 17 * MS);
	TD_CHECK_INT(fit.error_ns, 33 * MS);
	TD_CHECK_INT(fit.from_ns, 100 * SEC);
	TD_CHECK_INT(fit.used, 2);
	TD_CHECK_INT(fit.total, 2);
	TD_CHECK(fit.drift == 0);

	/* Two ends of 33 ms in 100 s: beyond any rate, so 500 ppm. 10 s before them, and far behind. */
	TD_CASE("outside of the bounds");
	TD_CHECK_INT(fit.until_ns, 200 * SEC);
	TD_CHECK_INT(td_clock_error(&fit, 100 * SEC, 200 * SEC), 33 * MS);
	TD_CHECK_INT(td_clock_error(&fit, 90 * SEC, 150 * SEC), 38 * MS);
	TD_CHECK_INT(td_clock_error(&fit, 150 * SEC, 99 * HOUR), 73 * MS);

	TD_CASE("one bound");
	TD_CHECK_INT(td_clock_fit(b, 1, &fit), 0);
	TD_CHECK_INT(fit.offset_ns, 15 * MS); /* in [10 - 30, 20 + 10] */
	TD_CHECK_INT(fit.error_ns, 35 * MS);

	TD_CASE("none");
	TD_CHECK_INT(td_clock_fit(b, 0, &fit), -ENODATA);
}

/* Two bounds that contradict each other and nothing to say which is right: the error bar holds both. */
static void test_contradiction(void)
{
	struct td_clock_bound b[] = { { 1 * SEC, 0, 2 * MS }, { 2 * SEC, 3 * SEC, 3 * SEC + MS } };
	struct td_clock_fit fit;

	TD_CASE("contradiction");
	TD_CHECK_INT(td_clock_fit(b, 2, &fit), 0);
	TD_CHECK(fit.offset_ns - fit.error_ns <= 0);
	TD_CHECK(fit.offset_ns + fit.error_ns >= 3 * SEC + MS);
}

/* Readings that came late put the end of a bound before its begin; the truth is near, not far. */
static void test_crossed(void)
{
	struct td_clock_bound b[] = { { 1 * SEC, 12 * MS, 10 * MS } };
	struct td_clock_fit fit;

	TD_CASE("crossed");
	TD_CHECK_INT(td_clock_fit(b, 1, &fit), 0);
	TD_CHECK_INT(fit.offset_ns, 10 * MS); /* in [10 - 30, 10 + 10] */
	TD_CHECK_INT(fit.error_ns, 30 * MS);
}

/* The wall clock was read between two readings of the other one, 20 to 60 us apart, once a second for 20 minutes; true
 * offset 7 s. No tick: what all agree in is narrower than any of them. */
static void test_exact(void)
{
	_cleanup_free_ struct td_clock_bound *b = calloc(1200, sizeof(*b));
	struct td_clock_fit fit;

	TD_CASE("exact");
	for (int64_t i = 0; i < 1200; i++) {
		int64_t before = 10000 + i * 7919 % 20000, after = 10000 + i * 104729 % 20000;

		b[i] = (struct td_clock_bound){ i * SEC, 7 * SEC - after, 7 * SEC + before, true };
	}
	TD_CHECK_INT(td_clock_fit(b, 1200, &fit), 0);
	TD_CHECK(llabs(fit.offset_ns - 7 * SEC) <= fit.error_ns);
	TD_CHECK(fit.error_ns <= 10100);
	TD_CHECK(fit.drift == 0);
	TD_CHECK_INT(fit.used, 1200);
	TD_CHECK_INT(td_clock_error(&fit, -HOUR, HOUR), fit.error_ns);

	/* set forward by a second after a third of the time: no drift, and the longer part is right */
	TD_CASE("exact, the clock is set");
	for (int64_t i = 0; i < 1200; i++) {
		b[i] = (struct td_clock_bound){ i * SEC, 7 * SEC - 20000, 7 * SEC + 20000, true };
		if (i < 400) {
			b[i].low_ns -= SEC;
			b[i].high_ns -= SEC;
		}
	}
	TD_CHECK_INT(td_clock_fit(b, 1200, &fit), 0);
	TD_CHECK_INT(fit.offset_ns, 7 * SEC);
	TD_CHECK_INT(fit.error_ns, 20000);
	TD_CHECK(fit.drift == 0);
	TD_CHECK_INT(fit.used, 800);
}

/* A few readings, and two hours later some more, of which the later ones are 15 ms late: no rate. */
static void test_two_stretches(void)
{
	struct td_clock_bound b[25];
	struct td_clock_fit fit;

	TD_CASE("two stretches far apart");
	for (int64_t i = 0; i < 25; i++) {
		int64_t late = i < 15 ? 0 : 15 * MS;

		b[i] = (struct td_clock_bound){ (i < 5 ? i : 7200 + i) * SEC, late - MS, late + MS,
						false };
	}
	TD_CHECK_INT(td_clock_fit(b, 25, &fit), 0);
	TD_CHECK(fit.drift == 0);
	TD_CHECK(llabs(fit.offset_ns) <= fit.error_ns);
	TD_CHECK(fit.error_ns <= 50 * MS);
}

int main(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(models); i++)
		check_model(models[i].name, &models[i].m, models[i].most_error_ns);
	test_by_hand();
	test_contradiction();
	test_crossed();
	test_exact();
	test_two_stretches();
	return td_check_result();
}
