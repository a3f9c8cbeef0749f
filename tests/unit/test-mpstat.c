/* SPDX-License-Identifier: MIT */
#include "importers/importers.h"
#include "importers/mpstat.h"
#include "tests/unit/samplers.h"

/* date -u -d "2024-05-13" +%s, of 2024-06-05 and of 2024-05-06 */
#define MAY_13 (INT64_C(1715558400) * TD_SEC_NS)
#define JUN_5 (INT64_C(1717545600) * TD_SEC_NS)
#define MAY_6 (INT64_C(1714953600) * TD_SEC_NS)

#define BANNER(date) "Linux 5.15.0 (box) \t" date " \t_x86_64_\t(8 CPU)\n\n"
#define HEAD_3(time) time "  CPU    %usr  %irq   %idle\n"

static const struct {
	const char *name, *text, *want;
	int64_t origin_ns;
	enum td_clock clock;
	unsigned rows, skipped, issues;
	const char *kind; /* of issue that is counted once */
} cases[] = {
	{ "12-hour clock; header again; averages",
	  BANNER("05/13/2024")
		  HEAD_3("11:59:58 AM") "11:59:59 AM  all   10.00    0.25   89.75\n"
					"11:59:59 AM    3    1.00    0.00   99.00\n\n" HEAD_3(
						"11:59:59 AM") "12:00:01 PM  all   20.00    0.00   "
							       "80.00\n\n"
							       "Average:     CPU    %usr  %irq   "
							       "%idle\nAverage:     all   15.00    "
							       "0.10   84.90\n",
	  "cpu.usr - @43199+1 = 10 %\ncpu.irq - @43199+1 = 0.25 %\ncpu.idle - @43199+1 = 89.75 %\n"
	  "cpu.usr CPU 3 @43199+1 = 1 %\ncpu.irq CPU 3 @43199+1 = 0 %\ncpu.idle CPU 3 @43199+1 = "
	  "99 %\n"
	  "cpu.usr - @43201+2 = 20 %\ncpu.irq - @43201+2 = 0 %\ncpu.idle - @43201+2 = 80 %\n",
	  MAY_13, TD_CLOCK_LOCAL, 3, 8, 0, NULL },
	{ "across midnight: the banner has the first day",
	  BANNER("2024-05-13") HEAD_3("23:59:59") "00:00:00     all    1.00    0.00   99.00\n"
						  "00:00:01     all    2.00    0.00   98.00\n",
	  "cpu.usr - @86400+1 = 1 %\ncpu.irq - @86400+1 = 0 %\ncpu.idle - @86400+1 = 99 %\n"
	  "cpu.usr - @86401+1 = 2 %\ncpu.irq - @86401+1 = 0 %\ncpu.idle - @86401+1 = 98 %\n",
	  MAY_13, TD_CLOCK_LOCAL, 2, 3, 0, NULL },
	{ "since boot: one group at the header's time",
	  BANNER("05/13/24") HEAD_3("10:00:00") "10:00:00     all    1.00    0.00   99.00\n", "",
	  MAY_13, TD_CLOCK_LOCAL, 1, 3, 0, "since-boot" },
	{ "not since boot, for rows follow; nobody knows how long the first period was",
	  BANNER("05/13/24") HEAD_3("10:00:00") "10:00:00     all    1.00    0.00   99.00\n"
						"10:00:05     all    2.00    0.00   98.00\n",
	  "cpu.usr - @36000+- = 1 %\ncpu.irq - @36000+- = 0 %\ncpu.idle - @36000+- = 99 %\n"
	  "cpu.usr - @36005+5 = 2 %\ncpu.irq - @36005+5 = 0 %\ncpu.idle - @36005+5 = 98 %\n",
	  MAY_13, TD_CLOCK_LOCAL, 2, 3, 0, NULL },
	{ "no banner: time of day only",
	  HEAD_3("10:00:00") "10:00:01     all    1.00    0.00   99.00\n",
	  "cpu.usr - @36001+1 = 1 %\ncpu.irq - @36001+1 = 0 %\ncpu.idle - @36001+1 = 99 %\n", 0,
	  TD_CLOCK_LOCAL_TOD, 1, 1, 0, NULL },
	{ "6 May or 5 June? decimal points and a short year do not tell",
	  BANNER("05/06/24") HEAD_3("10:00:00") "10:00:01     all    1.00    0.00   99.00\n",
	  "cpu.usr - @36001+1 = 1 %\ncpu.irq - @36001+1 = 0 %\ncpu.idle - @36001+1 = 99 %\n", MAY_6,
	  TD_CLOCK_LOCAL, 1, 3, 0, "ambiguous-date" },
	{ "5 June: decimal commas",
	  BANNER("05/06/24") HEAD_3("10:00:00") "10:00:01     all    1,50    0,00   98,50\n",
	  "cpu.usr - @36001+1 = 1.5 %\ncpu.irq - @36001+1 = 0 %\ncpu.idle - @36001+1 = 98.5 %\n",
	  JUN_5, TD_CLOCK_LOCAL, 1, 3, 0, NULL },
	{ "6 May: a 12-hour clock with a long year",
	  BANNER("05/06/2024") HEAD_3("10:00:00 AM") "10:00:01 AM  all    1.00    0.00   99.00\n",
	  "cpu.usr - @36001+1 = 1 %\ncpu.irq - @36001+1 = 0 %\ncpu.idle - @36001+1 = 99 %\n", MAY_6,
	  TD_CLOCK_LOCAL, 1, 3, 0, NULL },
	{ "topology (-T), --dec=0, seconds since 1970 (-U)",
	  BANNER("05/13/24") "1715558410   CPU CORE SOCK NODE    %usr   %irq   %idle\n"
			     "1715558411   all                      1      0      99\n"
			     "1715558411     0    5    1    1       2      0      98\n",
	  "cpu.usr - @11+1 = 1 %\ncpu.irq - @11+1 = 0 %\ncpu.idle - @11+1 = 99 %\n"
	  "cpu.usr CPU 0 @11+1 = 2 %\ncpu.irq CPU 0 @11+1 = 0 %\ncpu.idle CPU 0 @11+1 = 98 %\n",
	  MAY_13, TD_CLOCK_UTC, 2, 3, 0, NULL },
	{ "tables of -A: all but intr/s are left out",
	  HEAD_3("10:00:00") "10:00:01     all    1.00    0.00   99.00\n\n"
			     "10:00:00    NODE    %usr   %irq   %idle\n10:00:01       0    1.00    "
			     "0.00   99.00\n\n"
			     "10:00:00     CPU    intr/s\n10:00:01     all    108.00\n\n"
			     "10:00:00     CPU        0/s        8/s\n10:00:01       0       1.00  "
			     "     2.00\n",
	  "cpu.usr - @36001+1 = 1 %\ncpu.irq - @36001+1 = 0 %\ncpu.idle - @36001+1 = 99 %\n"
	  "cpu.intr - @36001+1 = 108 1/s\n",
	  0, TD_CLOCK_LOCAL_TOD, 2, 9, 0, "node-table" },
	{ "colours, the terminal's ^C, OSWatcher's lines, noise",
	  "zzz ***Mon May 13 10:00:00 UTC 2024\n" HEAD_3(
		  "10:00:00 AM") "10:00:01 AM\033[32;22m  all\033[0m\033[34;1m    "
				 "1.00\033[0m\033[34;22m    0.00\033[0m   99.00\033[0m\n"
				 "^CAverage:     all   15.00    0.10   84.90\n^C\nkilled, bye\n",
	  "cpu.usr - @36001+1 = 1 %\ncpu.irq - @36001+1 = 0 %\ncpu.idle - @36001+1 = 99 %\n", 0,
	  TD_CLOCK_LOCAL_TOD, 1, 4, 1, "unknown-line" },
	{ "last column on a line of its own",
	  "10:00:00     CPU   %user %system   %idle\nintr/s\n10:00:05     all    1.00    2.00   "
	  "97.00\n6750.80\n",
	  "cpu.usr - @36005+5 = 1 %\ncpu.sys - @36005+5 = 2 %\ncpu.idle - @36005+5 = 97 %\n"
	  "cpu.intr - @36005+5 = 6750.8 1/s\n",
	  0, TD_CLOCK_LOCAL_TOD, 2, 2, 0, NULL },
	{ "the header is lost",
	  "10:00:01   1   5.00 0.00 1.00 9.00 0.00 0.00 0.00 0.00 0.00 85.00\n",
	  "cpu.usr CPU 1 @36001+- = 5 %\ncpu.nice CPU 1 @36001+- = 0 %\ncpu.sys CPU 1 @36001+- = 1 "
	  "%\n"
	  "cpu.iowait CPU 1 @36001+- = 9 %\ncpu.irq CPU 1 @36001+- = 0 %\ncpu.soft CPU 1 @36001+- "
	  "= 0 %\n"
	  "cpu.steal CPU 1 @36001+- = 0 %\ncpu.guest CPU 1 @36001+- = 0 %\n"
	  "cpu.gnice CPU 1 @36001+- = 0 %\ncpu.idle CPU 1 @36001+- = 85 %\n",
	  0, TD_CLOCK_LOCAL_TOD, 1, 0, 0, "assumed-columns" },
	{ "a spoilt row", HEAD_3("10:00:00") "10:00:01     all    1.00    x   99.00\n", "", 0,
	  TD_CLOCK_LOCAL, 0, 1, 1, "spoilt-line" },
	{ "cut between columns",
	  HEAD_3("10:00:00") "10:00:01     all    1.00    0.00   99.00\n10:00:02     all    1.00   "
			     " 0.",
	  "cpu.usr - @36001+1 = 1 %\ncpu.irq - @36001+1 = 0 %\ncpu.idle - @36001+1 = 99 %\n", 0,
	  TD_CLOCK_LOCAL_TOD, 1, 1, 1, "cut-line" },
	{ "cut in the last number", HEAD_3("10:00:00") "10:00:02     all    1.00    0.00   99.0",
	  "", 0, TD_CLOCK_LOCAL, 0, 1, 1, "cut-line" },
	{ "no seconds, so no periods",
	  HEAD_3("kl. 10.00 +0000") "kl. 10.00 +0000  all    1,00    0,00   99,00\n"
				    "kl. 10.01 +0000  all    2,00    0,00   98,00\n",
	  "cpu.usr - @36000+- = 1 %\ncpu.irq - @36000+- = 0 %\ncpu.idle - @36000+- = 99 %\n"
	  "cpu.usr - @36060+- = 2 %\ncpu.irq - @36060+- = 0 %\ncpu.idle - @36060+- = 98 %\n",
	  0, TD_CLOCK_LOCAL_TOD, 2, 1, 0, "no-seconds" },
	{ "not since boot, for averages follow",
	  BANNER("05/13/24") HEAD_3("10:00:00") "10:00:00     all    1.00    0.00   99.00\n"
						"Average:     all    1.00    0.00   99.00\n",
	  "cpu.usr - @36000+- = 1 %\ncpu.irq - @36000+- = 0 %\ncpu.idle - @36000+- = 99 %\n",
	  MAY_13, TD_CLOCK_LOCAL, 1, 4, 0, NULL },
	{ "two runs in one file: each has its date",
	  BANNER("2024-05-13") HEAD_3(
		  "20:00:00") "20:00:01     all    1.00    0.00   99.00\n" BANNER("2024-06-05")
		  HEAD_3("10:00:00") "10:00:02     all    2.00    0.00   98.00\n",
	  /* 23 days and 10 h later: 23 x 86400 + 36000 = 2023200 */
	  "cpu.usr - @72001+1 = 1 %\ncpu.irq - @72001+1 = 0 %\ncpu.idle - @72001+1 = 99 %\n"
	  "cpu.usr - @2023202+2 = 2 %\ncpu.irq - @2023202+2 = 0 %\ncpu.idle - @2023202+2 = 98 %\n",
	  MAY_13, TD_CLOCK_LOCAL, 2, 6, 0, NULL },
	{ "clocks of two kinds",
	  HEAD_3("10:00:00") "10:00:01     all    1.00    0.00   99.00\n1715558411   all    1.00   "
			     " 0.00   99.00\n",
	  "cpu.usr - @36001+1 = 1 %\ncpu.irq - @36001+1 = 0 %\ncpu.idle - @36001+1 = 99 %\n", 0,
	  TD_CLOCK_LOCAL_TOD, 1, 1, 1, "clock-changed" },
	{ "JSON",
	  "{\"sysstat\": {\n\t\"hosts\": [\n\t\t{\n\t\t\t\"nodename\": \"box\",\n\t\t\t\"date\": "
	  "\"05/13/2024\",\n"
	  "\t\t\t\"statistics\": [\n\t\t\t\t{\n\t\t\t\t\t\"timestamp\": \"01:00:00 "
	  "PM\",\n\t\t\t\t\t\"cpu-load\": [\n"
	  "{\"cpu\": \"all\", \"usr\": 2.15, \"idle\": 97.85},\n{\"cpu\": \"0\", \"usr\": 3.00, "
	  "\"idle\": 97.00}\n"
	  "],\n\"sum-interrupts\": [\n{\"cpu\": \"all\", \"intr\": 12.5}\n] }, {\n\"timestamp\": "
	  "\"01:00:02 PM\",\n\"cpu-load\": [\n"
	  "{\"cpu\": -1, \"usr\": 1.00, \"idle\": 99.00}\n]\n}\n]\n}\n]\n}}\n",
	  "cpu.usr - @46800+- = 2.15 %\ncpu.idle - @46800+- = 97.85 %\ncpu.usr CPU 0 @46800+- = 3 "
	  "%\n"
	  "cpu.idle CPU 0 @46800+- = 97 %\ncpu.intr - @46800+- = 12.5 1/s\n"
	  "cpu.usr - @46802+2 = 1 %\ncpu.idle - @46802+2 = 99 %\n",
	  MAY_13, TD_CLOCK_LOCAL, 4, 20, 0, NULL },
	{ "JSON, one member per line, cut in a number",
	  "{\"sysstat\":{\"hosts\":[{\"date\":\"2024-05-13\",\"statistics\":[{\"timestamp\":\"10:"
	  "00:00\",\"cpu-load\":[{\n"
	  "\"cpu\":\"all\",\n\"usr\":1.0,\n\"idle\":99.0\n},{\n\"cpu\":\"0\",\n\"usr\":4.0,"
	  "\n\"idle\":9",
	  "cpu.usr - @36000+- = 1 %\ncpu.idle - @36000+- = 99 %\n", MAY_13, TD_CLOCK_LOCAL, 4, 3, 1,
	  "cut-line" },
};

static void test_cases(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };
		const struct td_importer *importer =
			strstr(cases[i].text, "sysstat") ? NULL : &td_importer_mpstat;

		TD_CASE(cases[i].name);
		td_import_text(&in, importer, cases[i].text, NULL);
		TD_CHECK_INT(in.source->clock, cases[i].clock);
		TD_CHECK_INT(in.source->rows, cases[i].rows);
		TD_CHECK_INT(in.source->skipped, cases[i].skipped);
		TD_CHECK_INT(in.source->issues, cases[i].issues);
		if (cases[i].kind)
			TD_CHECK_INT(td_issues_of(&in, cases[i].kind), 1);
		else
			TD_CHECK_INT(in.st->nissue_counts, 0);
		td_check_samples(&in, cases[i].origin_ns, cases[i].want);
	}
}

static void test_since_boot(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("since boot");
	td_import_text(&in, NULL,
		       BANNER("05/13/24")
			       HEAD_3("10:00:00") "10:00:00     all    1.00    0.00   99.00\n"
						  "10:00:00       2    5.00    0.00   95.00\n",
		       NULL);
	TD_CHECK_INT(in.nsamples, 0);
	TD_CHECK_INT(in.st->nsummaries, 6);
	TD_CHECK_STR(in.st->summaries[5].name, "cpu.idle");
	TD_CHECK_STR(in.st->summaries[5].key, "CPU 2");
	TD_CHECK(in.st->summaries[5].value == 95.0);
	TD_CHECK_STR(in.st->summaries[0].key, "all");
	TD_CHECK_STR(in.source->host, "box");
}

/* --date decides between the two readings. */
static void test_date_option(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	struct td_import_options options = td_no_options;

	TD_CASE("--date");
	options.date_days = JUN_5 / TD_DAY_NS;
	td_import_text(&in, NULL,
		       BANNER("05/06/24")
			       HEAD_3("00:00:00") "00:00:01     all    1.00    0.00   99.00\n",
		       &options);
	TD_CHECK_INT(in.nsamples, 3);
	TD_CHECK_INT(in.samples[0].ts_ns, JUN_5 + TD_SEC_NS);
	TD_CHECK_INT(td_issues_of(&in, "ambiguous-date"), 0);
}

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
		{ "12/04/26", 20791, 20555 },
		{ "04.12.26", 20791, TD_NULL },
		{ "04/04/2026", 20547, TD_NULL },
		{ "31/02/2026", TD_NULL, TD_NULL },
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

static void test_sniff(void)
{
	static const struct {
		const char *name, *text;
		bool text_claims, json_claims;
	} heads[] = {
		{ "mpstat", BANNER("05/13/24") HEAD_3("10:00:00"), true, false },
		{ "interrupts only", "10:00:00     CPU    intr/s\n", true, false },
		{ "averages only", "平均时间:  CPU    %usr   %nice   %idle\n", true, false },
		{ "sar -u", "10:00:00  CPU  %user  %nice  %system  %iowait  %steal  %idle\n", false,
		  false },
		{ "averages of sar -u",
		  "Average:  CPU  %user  %nice  %system  %iowait  %steal  %idle\n", false, false },
		{ "comment", " *     10:00:00 AM  CPU    %usr   %nice   %idle\n", false, false },
		{ "string", "puts(\" 10:00:00 AM  CPU    %usr   %nice   %idle\\n\");\n", false,
		  false },
		{ "sar -n SOFT", "10:00:00  CPU  total/s  dropd/s\n", false, false },
		{ "pidstat", "10:00:00  UID  PID  %usr  %system  %CPU   CPU  Command\n", false,
		  false },
		{ "iostat", "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n", false,
		  false },
		{ "Solaris", "CPU minf mjf xcal  intr ithr  csw  usr sys  wt idl\n  0  236   0\n",
		  false, false },
		{ "JSON",
		  "{\"sysstat\": {\"hosts\": [{\"statistics\": [{\"timestamp\": \"1\", "
		  "\"cpu-load\": [",
		  false, true },
		{ "JSON of many lines",
		  "\n{\n  \"sysstat\": {\"hosts\": [{\"statistics\": [{\"timestamp\": \"1\", "
		  "\"cpu-load\": [",
		  false, true },
		{ "quoted JSON",
		  "// {\"sysstat\": {\"hosts\": [{\"statistics\": [{\"timestamp\": \"1\", "
		  "\"cpu-load\": [",
		  false, false },
		{ "iostat's JSON",
		  "{\"sysstat\": {\"hosts\": [{\"statistics\": [{\"timestamp\": \"1\", \"disk\": [",
		  false, false },
		{ "empty", "", false, false },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(heads); i++) {
		size_t len = strlen(heads[i].text);

		TD_CASE(heads[i].name);
		TD_CHECK_INT(td_importer_mpstat.sniff(heads[i].text, len) > 0,
			     heads[i].text_claims);
		TD_CHECK_INT(td_importer_mpstat_json.sniff(heads[i].text, len) > 0,
			     heads[i].json_claims);
	}
}

/* What oracle.json says of cpu.out. */
static const struct {
	const char *path;
	unsigned rows;
} runs[] = {
	{ "4gpu_split", 1071 },
	{ "8gpu_dgx1v2", 1178 },
};

static void corpus_file(const char *path, const char *name)
{
	static const char *const foreign[] = { "solaris", "-V-env", "2006_IST" };
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	bool other = false;

	if (!strstr(path, "mpstat") && strcmp(name, "cpu.out") != 0)
		return;
	for (size_t i = 0; i < TD_ARRAY_SIZE(foreign); i++)
		other |= strstr(name, foreign[i]) != NULL;
	TD_CHECK(td_import_path(&in, path, NULL));
	td_print_source(&in, path);
	TD_CHECK_INT(in.source->importer != NULL, !other);
	TD_CHECK_INT(in.source->issues, 0);
	for (size_t i = 0; i < TD_ARRAY_SIZE(runs); i++) {
		if (!strstr(path, runs[i].path))
			continue;
		TD_CHECK_INT(in.source->rows, runs[i].rows);
		TD_CHECK_INT(td_count_samples(&in, "cpu.idle", false), runs[i].rows);
	}
}

int main(int argc, char **argv)
{
	static const char *const folders[] = { "mpstat", "mpstat_locale", "runs/unet3d_4gpu_split",
					       "runs/unet3d_8gpu_dgx1v2" };

	if (argc > 1)
		return td_run_corpus(folders, TD_ARRAY_SIZE(folders), corpus_file);
	test_cases();
	test_since_boot();
	test_date_option();
	test_times();
	test_dates();
	test_sniff();
	return td_check_result();
}
