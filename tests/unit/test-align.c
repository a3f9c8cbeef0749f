/* SPDX-License-Identifier: MIT */
/*
 * The aligner on runs made for it: every source is made from true UTC times and a true zone, as its tool
 * would print them, and has to come back to these times within its own error bar.
 */
#include <math.h>

#include "common/caldate.h"
#include "common/cleanup.h"
#include "importers/align/align.h"
#include "store/store.h"
#include "tests/unit/check.h"

#define MINUTE 60
#define HOUR 3600
#define DAY 86400
#define EVENING INT64_C(1661716800) /* 2022-08-28T20:00:00Z: date -u -d ... +%s */
#define BOOT INT64_C(1660077654) /* true UTC of boot */

/* The truth about one run; times in seconds. */
struct run {
	struct td_store *st;
	int64_t zone;
	int64_t true_start[16]; /* UTC of the first time of each source */
};

static struct td_clock_options options(void)
{
	return (struct td_clock_options)TD_CLOCK_OPTIONS_NONE;
}

static struct run new_run(int64_t zone)
{
	struct run run = { .zone = zone };

	TD_CHECK_INT(td_store_new("/tmp/tracedb-test-align", &run.st), 0);
	return run;
}

static void run_done(struct run *run)
{
	td_store_free(run->st);
}

static int64_t day_of(int64_t seconds)
{
	return (seconds - ((seconds % DAY) + DAY) % DAY) / DAY;
}

/* A source that lasts from one UTC time to the other and prints the clock. */
static uint16_t add(struct run *run, enum td_clock clock, int64_t from, int64_t to)
{
	uint16_t id = td_store_source(run->st, td_clock_names[clock]);
	struct td_source *s = td_store_source_at(run->st, id);
	int64_t zero = 0; /* UTC of native time 0 */

	switch (clock) {
	case TD_CLOCK_LOCAL:
		zero = -run->zone;
		break;
	case TD_CLOCK_LOCAL_TOD:
		zero = day_of(from + run->zone) * DAY - run->zone;
		break;
	case TD_CLOCK_BOOT:
		zero = BOOT;
		break;
	case TD_CLOCK_RELATIVE:
		zero = from;
		break;
	case TD_CLOCK_NONE:
	case TD_CLOCK_UTC:
	case TD_NCLOCKS:
		break;
	}
	s->clock = clock;
	s->first_native_ns = (from - zero) * TD_SEC_NS;
	s->last_native_ns = (to - zero) * TD_SEC_NS;
	run->true_start[id] = from;
	return id;
}

/* Readings of a wall clock beside the boot clock, one a second, known to 2 ms each. */
static void add_readings(struct run *run, uint16_t source_id, enum td_clock wall, int64_t from,
			 int64_t to, int64_t fast_ppb)
{
	int64_t zero = wall == TD_CLOCK_UTC ? 0 : -run->zone;

	if (wall == TD_CLOCK_LOCAL_TOD)
		zero += day_of(from + run->zone) * DAY;
	for (int64_t t = from; t <= to; t++) {
		/* a boot clock that is fast has gone further */
		int64_t native = (t - BOOT) * TD_SEC_NS + (t - from) * fast_ppb;
		struct td_anchor a = {
			.source_id = source_id,
			.wall = wall,
			.before_ns = native - 1000000,
			.after_ns = native + 1000000,
			.wall_ns = (t - zero) * TD_SEC_NS,
		};

		td_store_anchor(run->st, &a);
	}
}

static struct td_alignment align(struct run *run, const struct td_clock_options *o)
{
	struct td_alignment al = { 0 };
	struct td_err err = { 0 };

	TD_CHECK_INT(td_align(run->st, o, &al, &err), 0);
	return al;
}

static struct td_source *at(struct run *run, uint16_t id)
{
	return td_store_source_at(run->st, id);
}

static int64_t found_start_ns(struct run *run, uint16_t id)
{
	return at(run, id)->first_native_ns + at(run, id)->offset_ns;
}

/* Every source is back at its true time, to within its error bar, which is no wider than this. */
static void check_aligned(struct run *run, int64_t most_error_ns)
{
	for (uint16_t id = 1; id <= td_store_contents(run->st)->nsources; id++) {
		int64_t off = llabs(found_start_ns(run, id) - run->true_start[id] * TD_SEC_NS);

		if (at(run, id)->error_ns == TD_NULL || off > at(run, id)->error_ns)
			fprintf(stderr, "source %d (%s) is off by %.3f s: %s\n", id,
				at(run, id)->path, (double)off / 1e9, at(run, id)->clock_basis);
		TD_CHECK(at(run, id)->error_ns != TD_NULL);
		TD_CHECK(off <= at(run, id)->error_ns);
		TD_CHECK(at(run, id)->error_ns <= most_error_ns);
		TD_CHECK(at(run, id)->clock_basis && at(run, id)->clock_basis[0]);
	}
}

/* --- zones and dates that the sources tell --- */

static const struct {
	const char *name;
	int64_t zone;
} zones[] = {
	{ "UTC-05:00", -5 * HOUR },
	{ "UTC+00:00", 0 },
	{ "UTC+05:30", 5 * HOUR + 30 * MINUTE },
	{ "UTC-03:30", -3 * HOUR - 30 * MINUTE },
	{ "UTC+05:45", 5 * HOUR + 45 * MINUTE },
	{ "UTC-10:00", -10 * HOUR },
	{ "UTC+13:00", 13 * HOUR },
	/* the same time of day as in another zone, a day apart: only a dated source tells them apart */
	{ "UTC+14:00", 14 * HOUR },
	{ "UTC-12:00", -12 * HOUR },
};

/* The run of an hour begins in the evening UTC, and 25 minutes before midnight local time. */
static const struct {
	const char *name;
	bool evening;
} starts[] = { { "evening", true }, { "midnight", false } };

/* Which local sources the run has besides the log in UTC. */
static const struct {
	const char *name;
	bool dated, tod, boot;
} kinds[] = {
	{ "dated", true, false, false }, { "time of day", false, true, false },
	{ "boot", false, false, true },  { "dated and boot", true, false, true },
	{ "all", true, true, true },
};

static void check_run(size_t z, size_t b, size_t k)
{
	int64_t from = starts[b].evening
			       ? EVENING
			       : EVENING + DAY - (EVENING + zones[z].zone) % DAY - 25 * MINUTE;
	int64_t to = from + HOUR;
	_cleanup_(run_done) struct run run = new_run(zones[z].zone);
	struct td_clock_options o = options();
	struct td_alignment al;
	char name[128];

	(void)snprintf(name, sizeof(name), "%s, %s, %s", zones[z].name, starts[b].name,
		       kinds[k].name);
	TD_CASE(name);
	(void)add(&run, TD_CLOCK_UTC, from, to);
	if (kinds[k].dated)
		(void)add(&run, TD_CLOCK_LOCAL, from - 40, to + 20);
	if (kinds[k].tod)
		(void)add(&run, TD_CLOCK_LOCAL_TOD, from - 90, to + 5);
	if (kinds[k].boot) {
		uint16_t id = add(&run, TD_CLOCK_BOOT, from - 20, to + 60);

		add_readings(&run, id, TD_CLOCK_LOCAL_TOD, from - 15, to + 60, 0);
		/* another that the first one's readings align, and one that began only after midnight */
		(void)add(&run, TD_CLOCK_BOOT, from + 100, to);
		id = add(&run, TD_CLOCK_BOOT, from + 1800, to);
		add_readings(&run, id, TD_CLOCK_LOCAL_TOD, from + 1801, to - 1, 0);
	}
	al = align(&run, &o);
	check_aligned(&run, TD_SEC_NS);
	TD_CHECK_INT(al.utc_offset_s, zones[z].zone);
	TD_CHECK_STR(al.utc_offset_basis, "sources");
	/* the readings were good to 1 ms, the clock fit allows for a tick of 10 ms, and a rate of
	 * 20 ms in the readings' time before the first of them */
	for (uint16_t id = 1; id <= td_store_contents(run.st)->nsources; id++)
		if (at(&run, id)->clock == TD_CLOCK_BOOT)
			TD_CHECK(at(&run, id)->error_ns <= 11100000);
	TD_CASE("");
}

static bool is_common(int64_t zone)
{
	return zone >= -10 * HOUR && zone < 14 * HOUR;
}

static void test_runs(void)
{
	for (size_t z = 0; z < TD_ARRAY_SIZE(zones); z++)
		for (size_t b = 0; b < TD_ARRAY_SIZE(starts); b++)
			for (size_t k = 0; k < TD_ARRAY_SIZE(kinds); k++)
				if (kinds[k].dated || is_common(zones[z].zone))
					check_run(z, b, k);
}

/* --- less to go by --- */

/* A sampler that was started when training was over: its zone is known from the other local source. */
static void test_late_sampler(void)
{
	_cleanup_(run_done) struct run run = new_run(-5 * HOUR);
	struct td_clock_options o = options();

	TD_CASE("a sampler that begins after the log has ended");
	(void)add(&run, TD_CLOCK_UTC, EVENING, EVENING + HOUR);
	(void)add(&run, TD_CLOCK_LOCAL, EVENING - 20, EVENING + HOUR);
	(void)add(&run, TD_CLOCK_LOCAL, EVENING + HOUR + 30, EVENING + HOUR + 90);
	(void)align(&run, &o);
	check_aligned(&run, TD_SEC_NS);
}

static void test_no_utc(void)
{
	_cleanup_(run_done) struct run run = new_run(0);
	struct td_clock_options o = options();
	struct td_alignment al;
	uint16_t boot;

	/* nothing tells the zone, so the true one is taken to be 0 here */
	TD_CASE("no source in UTC");
	(void)add(&run, TD_CLOCK_LOCAL, EVENING, EVENING + HOUR);
	(void)add(&run, TD_CLOCK_LOCAL_TOD, EVENING + 10, EVENING + HOUR);
	boot = add(&run, TD_CLOCK_BOOT, EVENING + 5, EVENING + HOUR);
	add_readings(&run, boot, TD_CLOCK_LOCAL_TOD, EVENING + 7, EVENING + HOUR, 0);
	al = align(&run, &o);
	check_aligned(&run, TD_SEC_NS);
	TD_CHECK_INT(al.utc_offset_s, 0);
	TD_CHECK_STR(al.utc_offset_basis, "assumed");
	TD_CHECK(strstr(at(&run, 1)->clock_basis, "--tz"));
	TD_CHECK(strstr(at(&run, boot)->clock_basis, "--tz"));
}

static void test_no_date(void)
{
	_cleanup_(run_done) struct run run = new_run(0);
	struct td_clock_options o = options();
	uint16_t boot;

	TD_CASE("no date anywhere");
	(void)add(&run, TD_CLOCK_LOCAL_TOD, EVENING, EVENING + HOUR);
	boot = add(&run, TD_CLOCK_BOOT, EVENING + 5, EVENING + HOUR);
	add_readings(&run, boot, TD_CLOCK_LOCAL_TOD, EVENING + 7, EVENING + HOUR, 0);
	(void)align(&run, &o);
	TD_CHECK_INT(at(&run, 1)->error_ns, TD_NULL);
	TD_CHECK_INT(at(&run, 2)->error_ns, TD_NULL);
	TD_CHECK(strstr(at(&run, 1)->clock_basis, "--date"));
	TD_CHECK(strstr(at(&run, 2)->clock_basis, "--date"));
	/* but the two lie as they should to each other: 5 s apart */
	TD_CHECK(llabs(found_start_ns(&run, 2) - found_start_ns(&run, 1) - 5 * TD_SEC_NS) <
		 TD_SEC_NS);
}

static void test_boot_alone(void)
{
	_cleanup_(run_done) struct run run = new_run(0);
	struct td_clock_options o = options();
	struct td_alignment al;

	TD_CASE("boot without readings");
	(void)add(&run, TD_CLOCK_BOOT, EVENING, EVENING + HOUR);
	(void)add(&run, TD_CLOCK_BOOT, EVENING + 7, EVENING + HOUR);
	al = align(&run, &o);
	TD_CHECK_INT(al.utc_offset_s, TD_NULL);
	TD_CHECK(!al.utc_offset_basis);
	TD_CHECK_INT(at(&run, 1)->error_ns, TD_NULL);
	TD_CHECK_INT(at(&run, 1)->offset_ns, at(&run, 2)->offset_ns);
	TD_CHECK(isnan(at(&run, 1)->drift_ppb));
	TD_CHECK(strstr(at(&run, 1)->clock_basis, "--clock"));
}

static void test_relative(void)
{
	_cleanup_(run_done) struct run run = new_run(-5 * HOUR);
	struct td_clock_options o = options();
	uint16_t id;

	TD_CASE("relative");
	(void)add(&run, TD_CLOCK_UTC, EVENING, EVENING + HOUR);
	(void)add(&run, TD_CLOCK_LOCAL, EVENING, EVENING + HOUR);
	id = add(&run, TD_CLOCK_RELATIVE, EVENING, EVENING + HOUR);
	(void)align(&run, &o);
	TD_CHECK_INT(at(&run, id)->error_ns, TD_NULL);
	TD_CHECK_INT(found_start_ns(&run, id), EVENING * TD_SEC_NS);
	TD_CHECK(strstr(at(&run, id)->clock_basis, "begin unknown"));
}

static void test_nothing(void)
{
	_cleanup_(run_done) struct run run = new_run(0);
	struct td_clock_options o = options();
	struct td_alignment al;

	TD_CASE("nothing timed");
	(void)td_store_source(run.st, "ps.out");
	al = align(&run, &o);
	TD_CHECK_INT(al.utc_offset_s, TD_NULL);
	TD_CHECK_INT(at(&run, 1)->error_ns, TD_NULL);
	TD_CHECK(!at(&run, 1)->clock_basis);
}

/* --- what can mislead --- */

/* A file of the day before strayed into the folder: it is on the right clock, but says nothing about
 * the zone and the date of the others. */
static void test_stray_file(void)
{
	_cleanup_(run_done) struct run run = new_run(-5 * HOUR);
	struct td_clock_options o = options();
	struct td_alignment al;
	uint16_t stray, boot;

	TD_CASE("a file of another day");
	stray = add(&run, TD_CLOCK_LOCAL, EVENING - DAY - 3 * HOUR, EVENING - DAY - 2 * HOUR);
	(void)add(&run, TD_CLOCK_UTC, EVENING, EVENING + HOUR);
	(void)add(&run, TD_CLOCK_LOCAL, EVENING - 10, EVENING + HOUR);
	(void)add(&run, TD_CLOCK_LOCAL_TOD, EVENING, EVENING + HOUR);
	boot = add(&run, TD_CLOCK_BOOT, EVENING + 5, EVENING + HOUR);
	add_readings(&run, boot, TD_CLOCK_LOCAL_TOD, EVENING + 7, EVENING + HOUR, 0);
	al = align(&run, &o);
	TD_CHECK_INT(al.utc_offset_s, -5 * HOUR);
	TD_CHECK_INT(at(&run, stray)->error_ns, TD_NULL);
	TD_CHECK(strstr(at(&run, stray)->clock_basis, "overlaps no other source"));
	TD_CHECK_INT(found_start_ns(&run, stray), run.true_start[stray] * TD_SEC_NS);
	at(&run, stray)->error_ns = TD_SEC_NS;
	check_aligned(&run, TD_SEC_NS);
}

/* A monitor that ran all day does not tell which hour of it was the run's: any zone in which the log lies
 * within the day is as good as another, and the error bar has to say so. */
static void test_ambiguous_zone(void)
{
	_cleanup_(run_done) struct run run = new_run(-5 * HOUR);
	struct td_clock_options o = options();
	struct td_alignment al;

	TD_CASE("a monitor that ran all day");
	(void)add(&run, TD_CLOCK_UTC, EVENING, EVENING + HOUR);
	(void)add(&run, TD_CLOCK_LOCAL, EVENING - 12 * HOUR, EVENING + 12 * HOUR);
	al = align(&run, &o);
	TD_CHECK_STR(al.utc_offset_basis, "assumed");
	TD_CHECK(strstr(at(&run, 2)->clock_basis, "--tz"));
	check_aligned(&run, DAY * TD_SEC_NS);
	TD_CHECK(at(&run, 2)->error_ns >= 5 * HOUR * TD_SEC_NS);

	/* a trace as long as the log tells it after all */
	TD_CASE("a monitor that ran all day, and a trace");
	(void)add(&run, TD_CLOCK_BOOT, EVENING, EVENING + HOUR);
	add_readings(&run, 3, TD_CLOCK_LOCAL_TOD, EVENING + 1, EVENING + HOUR, 0);
	al = align(&run, &o);
	TD_CHECK_STR(al.utc_offset_basis, "sources");
	TD_CHECK_INT(al.utc_offset_s, -5 * HOUR);
	check_aligned(&run, TD_SEC_NS);
}

/* Sources that overlap in no zone there is say nothing of the zone. */
static void test_no_such_zone(void)
{
	static const enum td_clock clocks[] = { TD_CLOCK_LOCAL, TD_CLOCK_LOCAL_TOD };

	TD_CASE("overlap in UTC-08:15 only, where nobody lives");
	for (size_t i = 0; i < TD_ARRAY_SIZE(clocks); i++) {
		_cleanup_(run_done) struct run run = new_run(-8 * HOUR - 15 * MINUTE);
		struct td_clock_options o = options();
		struct td_alignment al;
		uint16_t boot;

		(void)add(&run, TD_CLOCK_UTC, EVENING, EVENING + 2 * MINUTE);
		(void)add(&run, clocks[i], EVENING, EVENING + 2 * MINUTE);
		boot = add(&run, TD_CLOCK_BOOT, EVENING, EVENING + 2 * MINUTE);
		add_readings(&run, boot, TD_CLOCK_LOCAL_TOD, EVENING + 1, EVENING + 60, 0);
		al = align(&run, &o);
		TD_CHECK_STR(al.utc_offset_basis, "assumed");
		TD_CHECK_INT(at(&run, 2)->error_ns, TD_NULL);
		TD_CHECK(strstr(at(&run, 2)->clock_basis, "in any zone"));
		TD_CHECK_INT(at(&run, boot)->error_ns, TD_NULL);
		TD_CHECK(strstr(at(&run, boot)->clock_basis, "in any zone"));
		TD_CHECK_INT(at(&run, 1)->error_ns, TD_SEC_NS);
	}
}

/* Of two hours 24 minutes are not shared: UTC+02:00, the true one, and UTC+03:00, in which 36 are not, fit about as
 * well. Of India's half an hour more, UTC+06:00 and UTC+05:00 do. */
static void test_two_zones(void)
{
	static const struct {
		const char *name;
		int64_t zone, begin, end, least_error;
	} cases[] = {
		{ "24 and 36 minutes", 2 * HOUR, 24 * MINUTE, 144 * MINUTE, HOUR },
		{ "minutes after a log of two hours, or within it", 0, 2 * HOUR + MINUTE / 2,
		  2 * HOUR + 2 * MINUTE, HOUR },
		{ "the second half of a log", 5 * HOUR + 30 * MINUTE, 31 * MINUTE, 2 * HOUR,
		  30 * MINUTE },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(run_done) struct run run = new_run(cases[i].zone);
		struct td_clock_options o = options();
		struct td_alignment al;

		TD_CASE(cases[i].name);
		(void)add(&run, TD_CLOCK_UTC, EVENING, EVENING + 2 * HOUR);
		(void)add(&run, TD_CLOCK_LOCAL, EVENING + cases[i].begin, EVENING + cases[i].end);
		al = align(&run, &o);
		TD_CHECK_STR(al.utc_offset_basis, "assumed");
		TD_CHECK(strstr(at(&run, 2)->clock_basis, "several zones fit"));
		TD_CHECK(at(&run, 2)->error_ns >= cases[i].least_error * TD_SEC_NS);
		check_aligned(&run, 3 * HOUR * TD_SEC_NS);
	}
}

/* An hour's trace of a run of three days: on which of them? */
static void test_ambiguous_date(void)
{
	_cleanup_(run_done) struct run run = new_run(0);
	struct td_clock_options o = options();
	uint16_t boot;

	TD_CASE("an hour of three days");
	o.utc_offset_s = 0;
	(void)add(&run, TD_CLOCK_UTC, EVENING - 30 * HOUR, EVENING + 42 * HOUR);
	boot = add(&run, TD_CLOCK_BOOT, EVENING, EVENING + HOUR);
	add_readings(&run, boot, TD_CLOCK_LOCAL_TOD, EVENING + 1, EVENING + HOUR, 0);
	(void)add(&run, TD_CLOCK_LOCAL_TOD, EVENING, EVENING + HOUR);
	(void)align(&run, &o);
	check_aligned(&run, 2 * DAY * TD_SEC_NS);
	TD_CHECK(at(&run, boot)->error_ns >= DAY * TD_SEC_NS);
	TD_CHECK(at(&run, 3)->error_ns >= DAY * TD_SEC_NS);
	TD_CHECK(strstr(at(&run, boot)->clock_basis, "--date"));
	TD_CHECK(strstr(at(&run, 3)->clock_basis, "--date"));
}

/* --- dates that are day/month or month/day --- */

#define APRIL_3 INT64_C(1712102400) /* date -u -d 2024-04-03 +%s; 4 March is 30 days before */
#define THIRTY_DAYS (30 * DAY)

/* A local source that was written on 3 April, of which the importer read the date as 4 March. */
static uint16_t add_misread(struct run *run, int64_t from, int64_t to)
{
	uint16_t id = add(run, TD_CLOCK_LOCAL, from, to);

	at(run, id)->first_native_ns -= THIRTY_DAYS * TD_SEC_NS;
	at(run, id)->last_native_ns -= THIRTY_DAYS * TD_SEC_NS;
	at(run, id)->day_first_ns = THIRTY_DAYS * TD_SEC_NS;
	at(run, id)->date_basis = TD_DATE_OPEN;
	return id;
}

/* One that was written on 4 March and was read so. */
static uint16_t add_well_read(struct run *run, int64_t from, int64_t to)
{
	uint16_t id = add(run, TD_CLOCK_LOCAL, from, to);

	at(run, id)->day_first_ns = THIRTY_DAYS * TD_SEC_NS;
	at(run, id)->date_basis = TD_DATE_OPEN;
	return id;
}

static uint64_t notes_of(struct run *run, uint16_t id)
{
	const struct td_contents *in = td_store_contents(run->st);

	for (size_t i = 0; i < in->nissue_counts; i++)
		if (in->issue_counts[i].source_id == id &&
		    strcmp(in->issue_counts[i].kind, "ambiguous-date") == 0)
			return in->issue_counts[i].count;
	return 0;
}

static void test_date_order(void)
{
	int64_t from = APRIL_3 + 20 * HOUR, to = from + HOUR;

	for (int dated = 0; dated < 2; dated++) {
		_cleanup_(run_done) struct run run = new_run(-5 * HOUR);
		struct td_clock_options o = options();
		uint16_t id;

		TD_CASE(dated ? "a source with a plain date decides" : "a log in UTC decides");
		(void)add(&run, dated ? TD_CLOCK_LOCAL : TD_CLOCK_UTC, from, to);
		id = add_misread(&run, from - 40, to + 20);
		if (dated)
			o.utc_offset_s = -5 * HOUR;
		(void)add(&run, TD_CLOCK_LOCAL_TOD, from, to);
		(void)align(&run, &o);
		check_aligned(&run, TD_SEC_NS);
		TD_CHECK_INT(at(&run, id)->date_basis, TD_DATE_BY_SOURCES);
		TD_CHECK(strstr(at(&run, id)->clock_basis, "day/month"));
		TD_CHECK_INT(notes_of(&run, id), 0);
	}
	{
		_cleanup_(run_done) struct run run = new_run(0);
		struct td_clock_options o = options();
		uint16_t id;

		TD_CASE("month/day, as the log in UTC shows");
		from -= THIRTY_DAYS;
		(void)add(&run, TD_CLOCK_UTC, from, from + HOUR);
		id = add_well_read(&run, from, from + HOUR);
		(void)align(&run, &o);
		check_aligned(&run, TD_SEC_NS);
		TD_CHECK(strstr(at(&run, id)->clock_basis, "month/day"));
	}
}

static void test_date_order_of_long_runs(void)
{
	int64_t from = APRIL_3, to = from + 60 * DAY;
	_cleanup_(run_done) struct run run = new_run(0);
	_cleanup_(run_done) struct run hour = new_run(0);
	struct td_clock_options o = options();

	TD_CASE("a monitor as long as the log of two months");
	(void)add(&run, TD_CLOCK_UTC, from, to);
	(void)add_misread(&run, from, to);
	(void)align(&run, &o);
	check_aligned(&run, TD_SEC_NS);

	/* 4 March and 3 April are both within 20 February to 20 April */
	TD_CASE("an hour of two months");
	o.utc_offset_s = 0;
	(void)add(&hour, TD_CLOCK_UTC, from - 43 * DAY, from + 17 * DAY);
	(void)add_misread(&hour, from, from + HOUR);
	(void)align(&hour, &o);
	TD_CHECK_INT(at(&hour, 2)->date_basis, TD_DATE_OPEN);
	TD_CHECK_INT(at(&hour, 2)->error_ns, TD_NULL);
}

/* Nothing tells: both dates and the remedy are named, and no error bar is claimed. */
static void test_date_order_open(void)
{
	_cleanup_(run_done) struct run run = new_run(0);
	struct td_clock_options o = options();
	const char *text;

	TD_CASE("3 April or 4 March?");
	(void)add_misread(&run, APRIL_3 + HOUR, APRIL_3 + 2 * HOUR);
	(void)add(&run, TD_CLOCK_LOCAL_TOD, APRIL_3 + HOUR + 5, APRIL_3 + 2 * HOUR);
	(void)align(&run, &o);
	TD_CHECK_INT(at(&run, 1)->error_ns, TD_NULL);
	TD_CHECK_INT(at(&run, 2)->error_ns, TD_NULL);
	TD_CHECK_INT(found_start_ns(&run, 2) - found_start_ns(&run, 1), 5 * TD_SEC_NS);
	TD_CHECK_INT(notes_of(&run, 1), 1);
	text = td_store_contents(run.st)->issues[0].text;
	TD_CHECK(strstr(text, "2024-03-04 (month/day)") && strstr(text, "2024-04-03 (day/month)"));
	TD_CHECK(strstr(text, "--date"));
	TD_CHECK(strstr(at(&run, 1)->clock_basis, "2024-04-03 (day/month): --date"));

	TD_CASE("3 April or 4 March? asked again with a log in UTC beside it");
	(void)add(&run, TD_CLOCK_UTC, APRIL_3 + HOUR, APRIL_3 + 2 * HOUR);
	(void)align(&run, &o);
	check_aligned(&run, TD_SEC_NS);
	TD_CHECK_INT(notes_of(&run, 1), 0);
	TD_CHECK_INT(td_store_contents(run.st)->nissues, 0);
}

static void test_date_order_given(void)
{
	for (int day_first = 0; day_first < 2; day_first++) {
		_cleanup_(run_done) struct run run = new_run(0);
		struct td_clock_options o = options();
		int64_t true_day = day_first ? APRIL_3 : APRIL_3 - THIRTY_DAYS;

		TD_CASE(day_first ? "--date 2024-04-03" : "--date 2024-03-04");
		o.utc_offset_s = 0;
		o.date_days = true_day / DAY;
		if (day_first)
			(void)add_misread(&run, true_day, true_day + HOUR);
		else
			(void)add_well_read(&run, true_day, true_day + HOUR);
		(void)align(&run, &o);
		check_aligned(&run, TD_SEC_NS);
		TD_CHECK_INT(at(&run, 1)->date_basis, TD_DATE_BY_USER);
	}
}

/* --- readings of other clocks --- */

static void test_other_readings(void)
{
	static const enum td_clock walls[] = { TD_CLOCK_UTC, TD_CLOCK_LOCAL };

	for (size_t i = 0; i < TD_ARRAY_SIZE(walls); i++) {
		_cleanup_(run_done) struct run run = new_run(2 * HOUR);
		struct td_clock_options o = options();
		struct td_alignment al;

		TD_CASE(walls[i] == TD_CLOCK_UTC ? "readings in UTC"
						 : "readings with a local date");
		(void)add(&run, TD_CLOCK_UTC, EVENING, EVENING + HOUR);
		(void)add(&run, TD_CLOCK_BOOT, EVENING + 3, EVENING + HOUR);
		add_readings(&run, 2, walls[i], EVENING + 4, EVENING + HOUR, 0);
		al = align(&run, &o);
		check_aligned(&run, TD_SEC_NS);
		TD_CHECK_INT(al.utc_offset_s, walls[i] == TD_CLOCK_UTC ? TD_NULL : 2 * HOUR);
		TD_CHECK(strstr(at(&run, 2)->clock_basis, "3597 of 3597 readings"));
	}
}

/* A boot clock that is fast by 5 ppm gains 36 ms in two hours; each source has its own first time. */
static void test_drift(void)
{
	_cleanup_(run_done) struct run run = new_run(0);
	struct td_clock_options o = options();
	int64_t gain_ns = 5000 * HOUR; /* 5000 ns a second, after one hour: 18 ms */

	TD_CASE("drift");
	o.utc_offset_s = 0;
	(void)add(&run, TD_CLOCK_BOOT, EVENING, EVENING + 2 * HOUR);
	at(&run, 1)->last_native_ns += 2 * gain_ns;
	add_readings(&run, 1, TD_CLOCK_LOCAL, EVENING, EVENING + 2 * HOUR, 5000);
	(void)add(&run, TD_CLOCK_BOOT, EVENING + HOUR, EVENING + 2 * HOUR);
	at(&run, 2)->first_native_ns += gain_ns;
	(void)align(&run, &o);
	check_aligned(&run, 11100000);
	/* wall gains 1 / 1.000005 - 1 = -4999.975 ppb on it */
	TD_CHECK(fabs(at(&run, 1)->drift_ppb + 4999.975) < 50);
	TD_CHECK(at(&run, 1)->drift_ppb == at(&run, 2)->drift_ppb);
	TD_CHECK(strstr(at(&run, 1)->clock_basis, "with drift"));
}

/* --- what the user says --- */

static void test_given_zone(void)
{
	_cleanup_(run_done) struct run run = new_run(3 * HOUR);
	struct td_clock_options o = options();
	struct td_alignment al;

	/* sources that would suggest another zone, as the local one is four hours late */
	TD_CASE("--tz");
	o.utc_offset_s = 3 * HOUR;
	(void)add(&run, TD_CLOCK_UTC, EVENING, EVENING + HOUR);
	(void)add(&run, TD_CLOCK_LOCAL, EVENING + 4 * HOUR, EVENING + 5 * HOUR);
	al = align(&run, &o);
	check_aligned(&run, TD_SEC_NS);
	TD_CHECK_INT(al.utc_offset_s, 3 * HOUR);
	TD_CHECK_STR(al.utc_offset_basis, "given");
	TD_CHECK(strstr(at(&run, 2)->clock_basis, "UTC+03:00 (given)"));
}

static void test_given_date(void)
{
	_cleanup_(run_done) struct run run = new_run(0);
	struct td_clock_options o = options();
	int64_t midnight = day_of(EVENING) * DAY + DAY;
	uint16_t boot;

	/* the first local time is on the day before the first reading's */
	TD_CASE("--date");
	o.utc_offset_s = 0;
	o.date_days = day_of(EVENING);
	(void)add(&run, TD_CLOCK_LOCAL_TOD, midnight - 30, midnight + HOUR);
	boot = add(&run, TD_CLOCK_BOOT, midnight - 5, midnight + HOUR);
	add_readings(&run, boot, TD_CLOCK_LOCAL_TOD, midnight, midnight + HOUR, 0);
	(void)align(&run, &o);
	check_aligned(&run, TD_SEC_NS);
	TD_CHECK(strstr(at(&run, 1)->clock_basis, "date given"));
	TD_CHECK(strstr(at(&run, boot)->clock_basis, "date given"));
}

/* Of a set of files one begins behind the midnight that all count from: the date is that of the set. */
static void test_given_date_of_set(void)
{
	_cleanup_(run_done) struct run run = new_run(0);
	struct td_clock_options o = options();
	int64_t midnight = day_of(EVENING) * DAY + DAY;
	uint16_t behind;

	TD_CASE("--date, and a file that begins a day later");
	o.utc_offset_s = 0;
	o.date_days = day_of(EVENING);
	(void)add(&run, TD_CLOCK_LOCAL_TOD, midnight - 30, midnight + HOUR);
	behind = add(&run, TD_CLOCK_LOCAL_TOD, midnight + 1, midnight + HOUR);
	at(&run, behind)->first_native_ns += TD_DAY_NS;
	at(&run, behind)->last_native_ns += TD_DAY_NS;
	(void)align(&run, &o);
	check_aligned(&run, TD_SEC_NS);
}

/* Two recordings, each with UTC beside its boot clock, of two boots; and a file that has the boot clock only. */
static void test_recorded(void)
{
	_cleanup_(run_done) struct run run = new_run(0);
	struct td_clock_options o = options();
	struct td_source *s;

	TD_CASE("recorded");
	(void)add(&run, TD_CLOCK_BOOT, EVENING, EVENING + HOUR);
	(void)add(&run, TD_CLOCK_BOOT, EVENING + 2 * HOUR, EVENING + 3 * HOUR);
	(void)add(&run, TD_CLOCK_BOOT, EVENING, EVENING + 60);
	s = at(&run, 2); /* booted an hour later */
	s->first_native_ns -= HOUR * TD_SEC_NS;
	s->last_native_ns -= HOUR * TD_SEC_NS;
	for (int64_t t = 0; t < 20; t++) {
		struct td_anchor a = { 1, TD_CLOCK_UTC, 0, 0, (EVENING + t) * TD_SEC_NS };

		a.before_ns = (EVENING + t - BOOT) * TD_SEC_NS - 5000;
		a.after_ns = a.before_ns + 8000;
		td_store_anchor(run.st, &a);
		if (t >= 10)
			continue; /* so that the first boot is that of most readings */
		a.source_id = 2;
		a.wall_ns += 2 * HOUR * TD_SEC_NS;
		a.before_ns += HOUR * TD_SEC_NS;
		a.after_ns += HOUR * TD_SEC_NS;
		td_store_anchor(run.st, &a);
	}
	(void)align(&run, &o);
	check_aligned(&run, 4000);
	TD_CHECK(strstr(at(&run, 1)->clock_basis, "20 of 20 readings agree"));
	TD_CHECK(strstr(at(&run, 2)->clock_basis, "10 of 10 readings agree"));
}

static void test_given_clock(void)
{
	_cleanup_(run_done) struct run run = new_run(0);
	struct td_clock_options o = options();
	struct td_alignment al;
	struct td_err err = { 0 };

	TD_CASE("--clock");
	o.clock = "boot=1660077654000000000";
	(void)add(&run, TD_CLOCK_UTC, EVENING, EVENING + HOUR);
	(void)add(&run, TD_CLOCK_BOOT, EVENING, EVENING + HOUR);
	/* readings that say something else are not asked */
	add_readings(&run, 2, TD_CLOCK_LOCAL_TOD, EVENING + 30, EVENING + HOUR, 0);
	(void)align(&run, &o);
	check_aligned(&run, TD_SEC_NS);
	TD_CHECK_INT(found_start_ns(&run, 2), EVENING * TD_SEC_NS);
	TD_CHECK(strstr(at(&run, 2)->clock_basis, "given"));

	TD_CASE("--clock that makes no sense");
	for (size_t i = 0; i < 4; i++) {
		o.clock = (const char *const[]){ "boot=", "boot=12x", "uptime=1", "" }[i];
		TD_CHECK_INT(td_align(run.st, &o, &al, &err), -EINVAL);
		TD_CHECK(strstr(err.msg, "--clock"));
	}
}

int main(void)
{
	test_runs();
	test_late_sampler();
	test_no_utc();
	test_no_date();
	test_boot_alone();
	test_relative();
	test_nothing();
	test_stray_file();
	test_ambiguous_zone();
	test_no_such_zone();
	test_two_zones();
	test_ambiguous_date();
	test_date_order();
	test_date_order_of_long_runs();
	test_date_order_open();
	test_date_order_given();
	test_other_readings();
	test_drift();
	test_given_zone();
	test_given_date();
	test_given_date_of_set();
	test_recorded();
	test_given_clock();
	return td_check_result();
}
