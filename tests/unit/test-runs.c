/* SPDX-License-Identifier: MIT */
/* Which run each training log is of, for logs that lie to each other in every way. */
#include "common/caldate.h"
#include "common/cleanup.h"
#include "importers/align/align.h"
#include "tests/unit/check.h"

#define BEGIN INT64_C(1700000000) /* UTC, s */
#define MAX_PARTS 8

/* A run as the log of that number tells of it; seconds since BEGIN. */
struct part {
	uint16_t log;
	int32_t number;
	double from, to;
	int64_t run; /* that it is of */
};

static const struct {
	const char *name;
	uint16_t unaligned; /* a log without a known clock; 0: none */
	struct part parts[MAX_PARTS]; /* up to the first without a log */
} cases[] = {
	{ "one log", 0, { { 1, 1, 0, 10, 1 } } },
	{ "ranks", 0, { { 1, 1, 0, 10, 1 }, { 2, 1, 0.2, 9, 1 }, { 3, 1, 5, 11, 1 } } },
	{ "a restart", 0, { { 1, 1, 0, 10, 1 }, { 2, 1, 60, 70, 2 } } },
	{ "a restart, read first", 0, { { 1, 1, 60, 70, 2 }, { 2, 1, 0, 10, 1 } } },
	{ "a restart in the instant of the end", 0, { { 1, 1, 0, 10, 1 }, { 2, 1, 10, 20, 2 } } },
	{ "a restart in the same log", 0, { { 1, 1, 0, 10, 1 }, { 1, 2, 60, 70, 2 } } },
	{ "ranks, restarted",
	  0,
	  { { 1, 1, 0, 10, 1 }, { 1, 2, 60, 70, 2 }, { 2, 1, 0, 11, 1 }, { 2, 2, 61, 70, 2 } } },
	/* the second rank is a second late: its run overlaps both of the first's */
	{ "ranks, restarted at once",
	  0,
	  { { 1, 1, 0, 10, 1 },
	    { 1, 2, 10.5, 20, 2 },
	    { 2, 1, 1, 11, 1 },
	    { 2, 2, 11.5, 21, 2 } } },
	{ "a rank that ended early and one that began late, met by a third",
	  0,
	  { { 1, 1, 0, 20, 1 }, { 2, 1, 0, 2, 1 }, { 3, 1, 18, 19, 1 } } },
	{ "one event", 0, { { 1, 1, 0, 10, 1 }, { 2, 1, 4, 4, 1 }, { 3, 1, 10.5, 10.5, 2 } } },
	{ "two of one event", 0, { { 1, 1, 3, 3, 1 }, { 2, 1, 3, 3, 1 } } },
	{ "times that went back", 0, { { 1, 1, 60, 70, 2 }, { 1, 2, 0, 10, 1 } } },
	/* nothing tells whether it is of the same time */
	{ "a log without a clock", 2, { { 1, 1, 0, 10, 1 }, { 2, 1, 2, 8, 2 } } },
	{ "two runs in a log without a clock",
	  1,
	  { { 1, 1, 0, 10, 2 }, { 1, 2, 60, 70, 3 }, { 2, 1, 0, 10, 1 } } },
};

static void add(struct td_store *st, const struct part *p, bool aligned)
{
	struct td_span span = TD_SPAN_INIT;
	struct td_source *s;

	while (td_store_contents(st)->nsources < p->log)
		(void)td_store_source(st, "train.log");
	s = td_store_source_at(st, p->log);
	s->clock = aligned ? TD_CLOCK_UTC : TD_CLOCK_RELATIVE;
	span.source_id = p->log;
	span.run_number = p->number;
	span.start_ns = (int64_t)((BEGIN + p->from) * 1e3) * 1000000;
	span.dur_ns = (int64_t)((p->to - p->from) * 1e3) * 1000000;
	td_store_log_run(st, &span);
	if (s->first_native_ns == TD_NULL)
		s->first_native_ns = s->last_native_ns = span.start_ns;
	s->first_native_ns = TD_MIN(s->first_native_ns, span.start_ns);
	s->last_native_ns = TD_MAX(s->last_native_ns, span.start_ns + span.dur_ns);
}

static void test_case(size_t c)
{
	_cleanup_(td_store_freep) struct td_store *st = NULL;
	struct td_clock_options o = TD_CLOCK_OPTIONS_NONE;
	struct td_alignment al = { 0 };
	struct td_err err = { 0 };

	TD_CASE(cases[c].name);
	TD_CHECK_INT(td_store_new("/tmp/tracedb-test-runs", &st), 0);
	for (const struct part *p = cases[c].parts; p->log; p++)
		add(st, p, p->log != cases[c].unaligned);
	TD_CHECK_INT(td_align(st, &o, &al, &err), 0);
	for (const struct part *p = cases[c].parts; p->log; p++)
		TD_CHECK_INT(td_store_run_number(st, p->log, p->number), p->run);
	TD_CHECK_INT(td_store_run_number(st, 1, INT32_MIN), INT32_MIN);
}

/* What a log says after its last span is of its last run. */
static void test_marks(void)
{
	_cleanup_(td_store_freep) struct td_store *st = NULL;
	struct td_clock_options o = TD_CLOCK_OPTIONS_NONE;
	struct td_alignment al = { 0 };
	struct td_err err = { 0 };

	TD_CASE("a run that was killed in its first epoch");
	TD_CHECK_INT(td_store_new("/tmp/tracedb-test-runs", &st), 0);
	add(st, &(struct part){ 1, 1, 0, 1, 0 }, true);
	td_store_source_at(st, 1)->last_native_ns += 60 * TD_SEC_NS;
	add(st, &(struct part){ 2, 1, 5, 50, 0 }, true);
	TD_CHECK_INT(td_align(st, &o, &al, &err), 0);
	TD_CHECK_INT(td_store_run_number(st, 1, 1), 1);
	TD_CHECK_INT(td_store_run_number(st, 2, 1), 1);
}

int main(void)
{
	for (size_t c = 0; c < TD_ARRAY_SIZE(cases); c++)
		test_case(c);
	test_marks();
	return td_check_result();
}
