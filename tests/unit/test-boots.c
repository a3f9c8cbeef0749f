/* SPDX-License-Identifier: MIT */
/* Sources of several boots in one import: each comes to its own time, or it is said that nothing tells which. */
#include "common/caldate.h"
#include "common/cleanup.h"
#include "importers/align/align.h"
#include "tests/unit/check.h"

#define HOUR 3600
#define DAY 86400
/* date -u -d ... +%s */
#define BOOT_2022 INT64_C(1660077654)
#define RUN_2022 INT64_C(1661716800) /* 2022-08-28T20:00:00Z */
#define BOOT_2023 INT64_C(1699990000)
#define RUN_2023 INT64_C(1700000000) /* 2023-11-14T22:13:20Z */

#define MS INT64_C(1000000)
#define MAX_SOURCES 8

/* A source that was written from one time to the other, UTC, and what becomes of it. */
struct file {
	const char *path;
	enum td_clock clock, wall; /* wall: that it read beside the boot clock, or TD_CLOCK_NONE */
	int64_t boot, from, to;
	const char *
		words; /* NULL: it is put where it was, to 1 s; "": to 5 s; else nothing tells, in these words */
};

#define LOG(path, from, to)                                                                        \
	{                                                                                          \
		path, TD_CLOCK_UTC, TD_CLOCK_NONE, 0, from, to, NULL                               \
	}
#define TRACE(path, boot, from, to)                                                                \
	{                                                                                          \
		path, TD_CLOCK_BOOT, TD_CLOCK_LOCAL_TOD, boot, from, to, NULL                      \
	}
#define BARE(path, boot, from, to, words)                                                          \
	{                                                                                          \
		path, TD_CLOCK_BOOT, TD_CLOCK_NONE, boot, from, to, words                          \
	}

static const struct {
	const char *name;
	const char *clock; /* --clock */
	int64_t zone_s;
	struct file files[MAX_SOURCES]; /* up to the first without a path */
} cases[] = {
	{ "two runs of two boots",
	  NULL,
	  -5 * HOUR,
	  { LOG("a.log", RUN_2022, RUN_2022 + HOUR), LOG("b.log", RUN_2023, RUN_2023 + HOUR),
	    TRACE("a.out", BOOT_2022, RUN_2022 - 5, RUN_2022 + HOUR),
	    TRACE("b.out", BOOT_2023, RUN_2023 - 5, RUN_2023 + HOUR) } },
	/* each is of the only boot that has others at the same time since boot */
	{ "files without a wall clock",
	  NULL,
	  0,
	  { LOG("a.log", RUN_2022, RUN_2022 + HOUR), LOG("b.log", RUN_2023, RUN_2023 + HOUR),
	    TRACE("a.out", BOOT_2022, RUN_2022 - 5, RUN_2022 + HOUR),
	    TRACE("b.out", BOOT_2023, RUN_2023 - 5, RUN_2023 + HOUR),
	    BARE("c.out", BOOT_2022, RUN_2022 + 60, RUN_2022 + 90, NULL),
	    BARE("d.out", BOOT_2023, RUN_2023 + 60, RUN_2023 + 90, NULL) } },
	{ "a file without a wall clock, of another time",
	  NULL,
	  0,
	  { LOG("a.log", RUN_2022, RUN_2022 + HOUR), LOG("b.log", RUN_2023, RUN_2023 + HOUR),
	    TRACE("a.out", BOOT_2022, RUN_2022 - 5, RUN_2022 + HOUR),
	    TRACE("b.out", BOOT_2023, RUN_2023 - 5, RUN_2023 + HOUR),
	    BARE("c.out", BOOT_2022, BOOT_2022 + 60, BOOT_2022 + 90, "one of 2 boots") } },
	{ "the same in a folder with one boot",
	  NULL,
	  0,
	  { LOG("1/a.log", RUN_2022, RUN_2022 + HOUR), LOG("2/b.log", RUN_2023, RUN_2023 + HOUR),
	    TRACE("1/a.out", BOOT_2022, RUN_2022 - 5, RUN_2022 + HOUR),
	    TRACE("2/b.out", BOOT_2023, RUN_2023 - 5, RUN_2023 + HOUR),
	    BARE("1/c.out", BOOT_2022, BOOT_2022 + 60, BOOT_2022 + 90, NULL) } },
	{ "the same with the time of boot given",
	  "boot=1660077654000000000",
	  0,
	  { LOG("a.log", RUN_2022, RUN_2022 + HOUR), LOG("b.log", RUN_2023, RUN_2023 + HOUR),
	    TRACE("a.out", BOOT_2022, RUN_2022 - 5, RUN_2022 + HOUR),
	    TRACE("b.out", BOOT_2023, RUN_2023 - 5, RUN_2023 + HOUR),
	    BARE("c.out", BOOT_2022, BOOT_2022 + 60, BOOT_2022 + 90, NULL) } },
	{ "runs at the same time of day, in folders of their own",
	  NULL,
	  0,
	  { LOG("1/a.log", RUN_2022, RUN_2022 + HOUR),
	    LOG("2/b.log", RUN_2022 + 9 * DAY, RUN_2022 + 9 * DAY + HOUR),
	    TRACE("1/a.out", BOOT_2022, RUN_2022, RUN_2022 + HOUR),
	    TRACE("2/b.out", BOOT_2022 + 8 * DAY + HOUR, RUN_2022 + 9 * DAY,
		  RUN_2022 + 9 * DAY + HOUR) } },
	/* the boots are told apart, but which of them is which day's is not */
	{ "runs at the same time of day",
	  NULL,
	  0,
	  { LOG("a.log", RUN_2022, RUN_2022 + HOUR),
	    LOG("b.log", RUN_2022 + 9 * DAY, RUN_2022 + 9 * DAY + HOUR),
	    { "a.out", TD_CLOCK_BOOT, TD_CLOCK_LOCAL_TOD, BOOT_2022, RUN_2022, RUN_2022 + HOUR,
	      "date unknown: --date" },
	    { "b.out", TD_CLOCK_BOOT, TD_CLOCK_LOCAL_TOD, BOOT_2022 + 8 * DAY + HOUR,
	      RUN_2022 + 9 * DAY, RUN_2022 + 9 * DAY + HOUR, "date unknown: --date" } } },
	{ "one boot that was up for all of it",
	  NULL,
	  0,
	  { LOG("a.log", RUN_2022, RUN_2022 + HOUR),
	    LOG("b.log", RUN_2022 + 5 * DAY, RUN_2022 + 5 * DAY + HOUR),
	    { "a.out", TD_CLOCK_BOOT, TD_CLOCK_UTC, BOOT_2022, RUN_2022, RUN_2022 + HOUR, NULL },
	    { "b.out", TD_CLOCK_BOOT, TD_CLOCK_UTC, BOOT_2022, RUN_2022 + 5 * DAY,
	      RUN_2022 + 5 * DAY + HOUR, NULL },
	    BARE("c.out", BOOT_2022, RUN_2022 + DAY, RUN_2022 + DAY + 9, NULL) } },
	/* a time of day each, and one date for both: the other way round they do not fit */
	{ "one boot that was up for both days",
	  NULL,
	  HOUR,
	  { LOG("a.log", RUN_2022, RUN_2022 + 60),
	    LOG("b.log", RUN_2022 + 5 * DAY + 7200, RUN_2022 + 5 * DAY + 7260),
	    TRACE("a.out", BOOT_2022, RUN_2022, RUN_2022 + 60),
	    TRACE("b.out", BOOT_2022, RUN_2022 + 5 * DAY + 7200, RUN_2022 + 5 * DAY + 7260) } },
	/* the wall clock was set by 4 s between them */
	{ "a step of the wall clock",
	  NULL,
	  0,
	  { LOG("a.log", RUN_2022, RUN_2022 + HOUR),
	    { "a.out", TD_CLOCK_BOOT, TD_CLOCK_LOCAL_TOD, BOOT_2022, RUN_2022, RUN_2022 + HOUR,
	      "" },
	    { "b.out", TD_CLOCK_BOOT, TD_CLOCK_LOCAL_TOD, BOOT_2022 + 4, RUN_2022, RUN_2022 + HOUR,
	      "" } } },
	{ "a recording and a trace of another boot",
	  NULL,
	  2 * HOUR,
	  { LOG("a.log", RUN_2022, RUN_2022 + HOUR),
	    { "a.db", TD_CLOCK_BOOT, TD_CLOCK_UTC, BOOT_2023, RUN_2023, RUN_2023 + HOUR, NULL },
	    TRACE("b.out", BOOT_2022, RUN_2022, RUN_2022 + HOUR) } },
	{ "a recording and a trace of one boot",
	  NULL,
	  2 * HOUR,
	  { { "a.db", TD_CLOCK_BOOT, TD_CLOCK_UTC, BOOT_2022, RUN_2022, RUN_2022 + HOUR, NULL },
	    TRACE("b.out", BOOT_2022, RUN_2022, RUN_2022 + HOUR),
	    BARE("c.out", BOOT_2022, BOOT_2022 + 60, BOOT_2022 + 90, NULL) } },
};

/* Readings of the wall clock beside the boot clock, one a second for a minute, each known to 2 ms. */
static void add_readings(struct td_store *st, uint16_t id, const struct file *f, int64_t zone_s)
{
	for (int64_t t = f->from; t <= f->from + 60; t++) {
		struct td_anchor a = { .source_id = id, .wall = f->wall, .wall_ns = t * TD_SEC_NS };

		if (f->wall == TD_CLOCK_LOCAL_TOD)
			a.wall_ns += (zone_s - (f->from + zone_s) / DAY * DAY) * TD_SEC_NS;
		a.before_ns = (t - f->boot) * TD_SEC_NS - MS;
		a.after_ns = (t - f->boot) * TD_SEC_NS + MS;
		td_store_anchor(st, &a);
	}
}

static void add(struct td_store *st, const struct file *f, int64_t zone_s)
{
	uint16_t id = td_store_source(st, f->path);
	struct td_source *s = td_store_source_at(st, id);

	s->clock = f->clock;
	s->first_native_ns = (f->from - f->boot) * TD_SEC_NS;
	s->last_native_ns = (f->to - f->boot) * TD_SEC_NS;
	if (f->wall != TD_CLOCK_NONE)
		add_readings(st, id, f, zone_s);
}

static void check(const struct td_source *s, const struct file *f)
{
	int64_t off = s->first_native_ns + s->offset_ns - f->from * TD_SEC_NS;

	if (f->words && f->words[0]) {
		TD_CHECK_INT(s->error_ns, TD_NULL);
		TD_CHECK(strstr(s->clock_basis, f->words));
		return;
	}
	if (llabs(off) > s->error_ns)
		fprintf(stderr, "%s: off by %.3f s, %s\n", f->path, (double)off / 1e9,
			s->clock_basis);
	TD_CHECK(s->error_ns != TD_NULL && s->error_ns <= (f->words ? 5 : 1) * TD_SEC_NS);
	TD_CHECK(llabs(off) <= s->error_ns);
}

static void test_case(size_t c)
{
	_cleanup_(td_store_freep) struct td_store *st = NULL;
	struct td_clock_options o = TD_CLOCK_OPTIONS_NONE;
	struct td_alignment al = { 0 };
	struct td_err err = { 0 };
	size_t id = 0;

	TD_CASE(cases[c].name);
	TD_CHECK_INT(td_store_new("/tmp/tracedb-test-boots", &st), 0);
	o.clock = cases[c].clock;
	for (const struct file *f = cases[c].files; f->path; f++)
		add(st, f, cases[c].zone_s);
	TD_CHECK_INT(td_align(st, &o, &al, &err), 0);
	for (const struct file *f = cases[c].files; f->path; f++)
		check(td_store_source_at(st, ++id), f);
}

/* Who says little, before all who say much, makes them one of nothing. */
static void test_vague(void)
{
	_cleanup_(td_store_freep) struct td_store *st = NULL;
	struct td_clock_options o = TD_CLOCK_OPTIONS_NONE;
	struct td_alignment al = { 0 };
	struct td_err err = { 0 };
	const struct file files[] = {
		BARE("vague.out", BOOT_2023, RUN_2022, RUN_2022 + 1, NULL),
		TRACE("a.out", BOOT_2022, RUN_2022, RUN_2022 + HOUR),
		TRACE("b.out", BOOT_2023, RUN_2023, RUN_2023 + HOUR),
	};
	struct td_anchor a = { 1, TD_CLOCK_LOCAL_TOD, 0, 12 * HOUR * TD_SEC_NS, 0 };

	TD_CASE("a source whose only reading is known to half a day");
	TD_CHECK_INT(td_store_new("/tmp/tracedb-test-boots", &st), 0);
	for (size_t i = 0; i < TD_ARRAY_SIZE(files); i++)
		add(st, &files[i], 0);
	td_store_anchor(st, &a);
	TD_CHECK_INT(td_align(st, &o, &al, &err), 0);
	TD_CHECK_INT(al.boots, 2);
	TD_CHECK(strstr(td_store_source_at(st, 1)->clock_basis, "one of 2 boots"));
}

int main(void)
{
	for (size_t c = 0; c < TD_ARRAY_SIZE(cases); c++)
		test_case(c);
	test_vague();
	return td_check_result();
}
