/* SPDX-License-Identifier: MIT */
/* The shapes of times and dates, and which of day and month comes first. */
#include "importers/sysstat/mpstat.h"
#include "tests/unit/samplers.h"

/* date -u -d "2024-05-06" +%s */
#define MAY_6 (INT64_C(1714953600) * TD_SEC_NS)

#define BANNER(date) "Linux 5.15.0 (box) \t" date " \t_x86_64_\t(8 CPU)\n\n"
#define HEAD_3(time) time "  CPU    %usr  %irq   %idle\n"

/* 08:45:33 is 8 x 3600 + 45 x 60 + 33 = 31533 s, 20:45:33 is 43200 s more. */
static void test_times(void)
{
	static const struct {
		const char *text;
		int64_t sec; /* -1: not a time */
	} times[] = {
		{ "08:45:33", 31533 },
		{ " 8:45:33", 31533 },
		{ "08.45.33", 31533 },
		{ "08:45:33 AM", 31533 },
		{ "08:45:33 PM", 74733 },
		{ "12:45:33 AM", 2733 },
		{ "12:45:33 PM", 45933 },
		{ "08:45:33 PM IST", 74733 },
		{ "+03 08:45:33 م", 74733 },
		{ "+03 08:45:33", 31533 },
		{ "-0330 08:45:33 PM", 74733 },
		{ "۰۸:۴۵:۳۳", 31533 }, /* Persian */
		{ "၀၈:၄၅:၃၃", 31533 }, /* Burmese */
		{ "08:45:33 f", 74733 },
		{ "၀၈:၄၅:၃၃ ညနေ", 74733 },
		{ "08:45:33 \u0a36\u0a3e\u0a2e +03", 74733 },
		{ "8:45:33 galabnimo", 74733 },
		{ "8:45:33.MD CET", 74733 },
		{ "8:45:33.PD CET", 31533 },
		{ "08:45:33 μμ", 74733 },
		{ "కసా.08.45.33 IST", 74733 },
		{ "08:45:33 N.H.", 74733 },
		{ "08:45:33 AMT", 31533 },
		{ "08:45:33 PMST", 31533 },
		{ "08:45:33 +0530", 31533 },
		{ "08:45:33  IST", 31533 },
		{ "08時45分33秒", 31533 },
		{ "08时45分33秒", 31533 },
		{ "下午 08时45分33秒", 74733 },
		{ "08시 45분 33초", 31533 },
		{ "08:45:33 पूर्वाह्न UTC", 31533 },
		{ "08:45:33 अपराह्न UTC", 74733 },
		{ "UTC 08:45:33 ص", 31533 },
		{ "UTC 08:45:33 م", 74733 },
		{ "kl. 08.45 +0000", 31500 },
		{ "1715558411", 1715558411 },
		{ "Average:", -1 },
		{ "Moyenne :", -1 },
		{ "24:00:00", -1 },
		{ "08:60:00", -1 },
		{ "7", -1 },
		{ "", -1 },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(times); i++) {
		struct td_mpstat_time time = { 0 };
		struct td_str s = { times[i].text, strlen(times[i].text) };
		bool is_time = td_mpstat_scan_time(s, &time);

		TD_CASE(times[i].text);
		TD_CHECK_INT(is_time, times[i].sec >= 0);
		if (is_time)
			TD_CHECK_INT(time.ns / TD_SEC_NS, times[i].sec);
	}
}

/* $(( $(date -u -d 2026-11-20 +%s) / 86400 )) = 20777; 2026-12-04: 20791; 2026-04-12: 20555 */
static void test_dates(void)
{
	static const struct {
		const char *text;
		int64_t days, day_first_days; /* TD_NULL: none */
	} dates[] = {
		{ "11/20/26", 20777, TD_NULL },
		{ "11/20/2026", 20777, TD_NULL },
		{ "20/11/26", 20777, TD_NULL },
		{ "20/11/2026", 20777, TD_NULL },
		{ "20.11.2026", 20777, TD_NULL },
		{ "20.11.26", 20777, TD_NULL },
		{ "20-11-2026", 20777, TD_NULL },
		{ "2026-11-20", 20777, TD_NULL },
		{ "2026年11月20日", 20777, TD_NULL },
		{ "26年11月20日", 20777, TD_NULL },
		{ "2026년 11월 20일", 20777, TD_NULL },
		{ "20 نوف, 2026", 20777, TD_NULL },
		{ "Friday, 20 November, 2026", 20777, TD_NULL },
		{ "20. nov. 2026", 20777, TD_NULL },
		{ "fös 20.nóv 2026", 20777, TD_NULL },
		{ "12/04/26", 20791, 20555 },
		{ "12/04-2026", 20555, TD_NULL }, /* Faroese */
		{ "20/11/69", TD_NULL, TD_NULL }, /* Thai: 2569 is 2026 */
		{ "04.12.26", 20791, TD_NULL },
		{ "04/04/2026", 20547, TD_NULL },
		{ "31/02/2026", TD_NULL, TD_NULL },
		{ "20 تش٢ 2026", TD_NULL, TD_NULL }, /* Kurdish: November */
		{ "۲۶/۱۱/۲۰", TD_NULL, TD_NULL }, /* Persian */
		{ "20. 11. 2026", 20777, TD_NULL },
		{ "20/11/2569", TD_NULL, TD_NULL },
		{ "_x86_64_", TD_NULL, TD_NULL },
		{ "", TD_NULL, TD_NULL },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(dates); i++) {
		struct td_mpstat_date date = { 0 };
		struct td_str s = { dates[i].text, strlen(dates[i].text) };
		bool is_date = td_mpstat_scan_date(s, &date);

		TD_CASE(dates[i].text);
		TD_CHECK_INT(is_date, dates[i].days != TD_NULL);
		TD_CHECK_INT(date.days, dates[i].days);
		TD_CHECK_INT(date.day_first_days, dates[i].day_first_days);
	}
}

/* Whether a date is month/day or day/month: what the file tells, and what it leaves to the aligner. */
#define RUN(date, time, values) BANNER(date) HEAD_3(time ":00") time ":01     all    " values "\n"
#define RUN_ON(date, time) RUN(date, time, "1.00    0.00   99.00")

static const struct {
	const char *name, *text;
	/* MAY_6 and JUN_5 are 30 days apart */
	int64_t first_days, day_first_days;
	enum td_date_basis basis;
	int64_t shift_days;
	uint64_t guessed;
} orders[] = {
	{ "nothing tells", RUN_ON("05/06/24", "10:00"), 0, 30, TD_DATE_OPEN, 0, 0 },
	{ "the same day either way: 05/05 is the day before", RUN_ON("05/05/24", "10:00"), -1, 0,
	  TD_DATE_CLEAR, 0, 0 },
	{ "decimal commas", RUN("05/06/24", "10:00", "1,00    0,00   99,00"), 30, 0, TD_DATE_CLEAR,
	  0, 0 },
	{ "Greek has 12 hours and a long year, too",
	  BANNER("05/06/2024") HEAD_3("10:00:00 πμ") "10:00:01 πμ  all    1.00    0.00   99.00\n",
	  0, 30, TD_DATE_OPEN, 0, 0 },
	{ "a later banner cannot be month/day: 13 June",
	  RUN_ON("05/06/24", "10:00") RUN_ON("13/06/24", "10:00"), 0, 30, TD_DATE_BY_FILE, 30, 0 },
	{ "a later banner cannot be day/month: 13 May",
	  RUN_ON("05/06/24", "10:00") RUN_ON("05/13/24", "10:00"), 0, 0, TD_DATE_CLEAR, 0, 0 },
	{ "another run on the same day", RUN_ON("05/06/24", "10:00") RUN_ON("05/06/24", "11:00"), 0,
	  30, TD_DATE_OPEN, 0, 0 },
	{ "day after day, the day first", RUN_ON("05/06/24", "10:00") RUN_ON("06/06/24", "10:00"),
	  0, 30, TD_DATE_BY_FILE, 30, 1 },
	{ "day after day, the month first", RUN_ON("05/06/24", "10:00") RUN_ON("05/07/24", "10:00"),
	  0, 0, TD_DATE_CLEAR, 0, 1 },
};

static void test_orders(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(orders); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };
		const struct td_source *s;

		TD_CASE(orders[i].name);
		td_import_text(&in, NULL, orders[i].text, NULL);
		s = in.source;
		TD_CHECK_INT(in.samples[0].ts_ns,
			     MAY_6 + orders[i].first_days * TD_DAY_NS + 36001 * TD_SEC_NS);
		TD_CHECK_INT(s->date_basis, orders[i].basis);
		TD_CHECK_INT(s->day_first_ns, orders[i].day_first_days * TD_DAY_NS);
		TD_CHECK_INT(s->date_shift_ns, orders[i].shift_days * TD_DAY_NS);
		TD_CHECK_INT(td_issues_of(&in, "guessed-date"), orders[i].guessed);
	}
	TD_CASE("");
}

/* The first part was read as 6 May; with the shift of 30 days that the source has in the end, the second
 * one must come out on 13 June: 38 days after 6 May. */
static void test_settled_late(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("both parts of a file");
	td_import_text(&in, NULL, RUN_ON("05/06/24", "10:00") RUN_ON("13/06/24", "10:00"), NULL);
	TD_CHECK_INT(in.nsamples, 6);
	TD_CHECK_INT(in.samples[5].ts_ns + in.source->date_shift_ns,
		     MAY_6 + 38 * TD_DAY_NS + 36001 * TD_SEC_NS);
}

int main(void)
{
	test_times();
	test_dates();
	test_orders();
	test_settled_late();
	return td_check_result();
}
