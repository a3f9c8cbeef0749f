/* SPDX-License-Identifier: MIT */
#include "importers/core/importers.h"
#include "importers/sysstat/mpstat.h"
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
	  TD_CLOCK_LOCAL, 1, 3, 0, NULL },
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
	{ "tables of -A",
	  HEAD_3("10:00:00") "10:00:01     all    1.00    0.00   99.00\n\n"
			     "10:00:00    NODE    %usr   %irq   %idle\n10:00:01     all    1.00    "
			     "0.00   99.00\n10:00:01       1    2.00    0.00   98.00\n\n"
			     "10:00:00     CPU    intr/s\n10:00:01     all    108.00\n\n"
			     "10:00:00     CPU        8/s      NMI/s\n10:00:01       0       1.00  "
			     "     2.00\n\n"
			     "10:00:00     CPU       HI/s   NET_RX/s\n10:00:01       0       3.00  "
			     "     4.00\n"
			     "Average:     CPU        8/s      NMI/s\nAverage:       0       5.00  "
			     "     6.00\n"
			     "Average:    NODE    %usr   %irq   %idle\nAverage:       1    2.00    "
			     "0.00   98.00\n",
	  "cpu.usr - @36001+1 = 1 %\ncpu.irq - @36001+1 = 0 %\ncpu.idle - @36001+1 = 99 %\n"
	  "node.usr - @36001+1 = 1 %\nnode.irq - @36001+1 = 0 %\nnode.idle - @36001+1 = 99 %\n"
	  "node.usr NODE 1 @36001+1 = 2 %\nnode.irq NODE 1 @36001+1 = 0 %\n"
	  "node.idle NODE 1 @36001+1 = 98 %\ncpu.intr - @36001+1 = 108 1/s\n"
	  "irq.8 CPU 0 @36001+1 = 1 1/s\nirq.NMI CPU 0 @36001+1 = 2 1/s\n"
	  "softirq.HI CPU 0 @36001+1 = 3 1/s\nsoftirq.NET_RX CPU 0 @36001+1 = 4 1/s\n",
	  0, TD_CLOCK_LOCAL_TOD, 6, 13, 0, NULL },
	{ "a column of a version yet to come",
	  "10:00:00     CPU    %usr  %warp   %idle\n10:00:01       0    1.00    9.00   90.00\n",
	  "cpu.usr CPU 0 @36001+1 = 1 %\ncpu.warp CPU 0 @36001+1 = 9 %\n"
	  "cpu.idle CPU 0 @36001+1 = 90 %\n",
	  0, TD_CLOCK_LOCAL_TOD, 1, 1, 0, NULL },
	{ "a CPU goes away and comes back, another set of interrupts (-H, -I CPU)",
	  "10:00:00     CPU       24/s\n10:00:01       0       1.00\n10:00:01       7       "
	  "2.00\n\n"
	  "10:00:01     CPU       24/s       25/s\n10:00:02       0       3.00       4.00\n\n"
	  "10:00:02     CPU       24/s\n10:00:03       7       5.00\n",
	  "irq.24 CPU 0 @36001+1 = 1 1/s\nirq.24 CPU 7 @36001+1 = 2 1/s\n"
	  "irq.24 CPU 0 @36002+1 = 3 1/s\nirq.25 CPU 0 @36002+1 = 4 1/s\n"
	  "irq.24 CPU 7 @36003+1 = 5 1/s\n",
	  0, TD_CLOCK_LOCAL_TOD, 4, 5, 0, NULL },
	{ "colours, the terminal's ^C, noise",
	  HEAD_3("10:00:00 AM") "10:00:01 AM\033[32;22m  all\033[0m\033[34;1m    "
				"1.00\033[0m\033[34;22m    0.00\033[0m   99.00\033[0m\n"
				"^CAverage:     all   15.00    0.10   84.90\n^C\nkilled, bye\n",
	  "cpu.usr - @36001+1 = 1 %\ncpu.irq - @36001+1 = 0 %\ncpu.idle - @36001+1 = 99 %\n", 0,
	  TD_CLOCK_LOCAL_TOD, 1, 3, 1, "unknown-line" },
	{ "OSWatcher: the date above each part, also on the next day",
	  "zzz ***Mon May 13 23:59:58 UTC 2024 Sample interval: 1 seconds\n" HEAD_3(
		  "23:59:58") "23:59:59     all    1.00    0.00   99.00\n"
			      "zzz ***Tue 14 May 2024 12:00:58 PM UTC\n" HEAD_3(
				      "12:00:58") "12:00:59     all    2.00    0.00   98.00\n",
	  /* 24 h + 12 h + 59 s = 129659 */
	  "cpu.usr - @86399+1 = 1 %\ncpu.irq - @86399+1 = 0 %\ncpu.idle - @86399+1 = 99 %\n"
	  "cpu.usr - @129659+1 = 2 %\ncpu.irq - @129659+1 = 0 %\ncpu.idle - @129659+1 = 98 %\n",
	  MAY_13, TD_CLOCK_LOCAL, 2, 4, 0, NULL },
	{ "OSWatcher, with banners: its date tells that it is 6 May",
	  "zzz ***Mon May 6 10:00:00 UTC 2024\n" BANNER("05/06/24")
		  HEAD_3("10:00:00") "10:00:01     all    1.00    0.00   99.00\n",
	  "cpu.usr - @36001+1 = 1 %\ncpu.irq - @36001+1 = 0 %\ncpu.idle - @36001+1 = 99 %\n", MAY_6,
	  TD_CLOCK_LOCAL, 1, 4, 0, NULL },
	{ "OSWatcher, with banners: its date tells that it is 5 June",
	  "zzz ***Wed Jun 5 10:00:00 UTC 2024\n" BANNER("05/06/24")
		  HEAD_3("10:00:00") "10:00:01     all    1.00    0.00   99.00\n",
	  "cpu.usr - @36001+1 = 1 %\ncpu.irq - @36001+1 = 0 %\ncpu.idle - @36001+1 = 99 %\n", JUN_5,
	  TD_CLOCK_LOCAL, 1, 4, 0, NULL },
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
	{ "cut in the last number, which has no decimals",
	  HEAD_3("10:00:00") "10:00:01     all    1    0   99\n10:00:02     all    1    0   9",
	  "cpu.usr - @36001+1 = 1 %\ncpu.irq - @36001+1 = 0 %\ncpu.idle - @36001+1 = 99 %\n", 0,
	  TD_CLOCK_LOCAL_TOD, 1, 1, 1, "cut-line" },
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
	{ "JSON of -A -T, as a program with other habits prints it: one line, members sorted",
	  "{\"sysstat\":{\"hosts\":[{\"date\":\"2024-05-13\",\"nodename\":\"box\",\"statistics\":[{"
	  "\"cpu-load\":[{\"cpu\":\"0\",\"idle\":9.75e1,\"socket\":\"1\",\"usr\":2.5}],"
	  "\"individual-interrupts\":[{\"cpu\":\"0\",\"intr\":[{\"name\":\"24\",\"value\":3.0}]}],"
	  "\"node-load\":[{\"idle\":97.5,\"node\":\"1\",\"usr\":2.5}],"
	  "\"soft-interrupts\":[{\"cpu\":\"0\",\"intr\":[{\"name\":\"RCU\",\"value\":4.0}]}],"
	  "\"sum-interrupts\":[{\"cpu\":\"all\",\"intr\":7.0}],\"timestamp\":\"10:00:01\"}]}]}}\n",
	  "cpu.usr CPU 0 @36001+- = 2.5 %\ncpu.idle CPU 0 @36001+- = 97.5 %\n"
	  "irq.24 CPU 0 @36001+- = 3 1/s\nsoftirq.RCU CPU 0 @36001+- = 4 1/s\n"
	  "node.usr NODE 1 @36001+- = 2.5 %\nnode.idle NODE 1 @36001+- = 97.5 %\n"
	  "cpu.intr - @36001+- = 7 1/s\n",
	  MAY_13, TD_CLOCK_LOCAL, 1, 0, 0, "one-report" },
	{ "JSON, one member per line, cut in a number",
	  "{\"sysstat\":{\"hosts\":[{\"date\":\"2024-05-13\",\"statistics\":[{\"timestamp\":\"10:"
	  "00:00\",\"cpu-load\":[{\n"
	  "\"cpu\":\"all\",\n\"usr\":1.0,\n\"idle\":99.0\n},{\n\"cpu\":\"0\",\n\"usr\":4.0,"
	  "\n\"idle\":9",
	  "cpu.usr - @36000+- = 1 %\ncpu.idle - @36000+- = 99 %\n", MAY_13, TD_CLOCK_LOCAL, 3, 4, 1,
	  "cut-line" },
	{ "JSON, a row that is none",
	  "{\"sysstat\":{\"hosts\":[{\"date\":\"2024-05-13\",\"statistics\":[{\"timestamp\":\"10:"
	  "00:00\",\"cpu-load\":[\n"
	  "{\"cpu\":\"all\",\"usr\":1.0},\n{\"cpu\":\"0\",\"usr\":nan},\n{\"cpu\":\"1\",\"usr\":3."
	  "0}\n",
	  "cpu.usr - @36000+- = 1 %\ncpu.usr CPU 1 @36000+- = 3 %\n", MAY_13, TD_CLOCK_LOCAL, 2, 1,
	  1, "spoilt-line" },
	{ "JSON, a row of which one line is spoilt",
	  "{\"sysstat\":{\"hosts\":[{\"date\":\"2024-05-13\",\"statistics\":[{\"timestamp\":\"10:"
	  "00:00\",\"cpu-load\":[{\n"
	  "\"cpu\":\"0\",\n\"usr\":1.0,\n\"nice:2.0,\n\"idle\":97.0\n},{\n\"cpu\":\"1\",\n\"usr\":"
	  "3.0\n}\n",
	  "cpu.usr CPU 1 @36000+- = 3 %\n", MAY_13, TD_CLOCK_LOCAL, 3, 5, 1, "spoilt-line" },
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
			TD_CHECK_INT(in.has->nissue_counts, 0);
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
	TD_CHECK_INT(in.has->nsummaries, 6);
	TD_CHECK_STR(in.has->summaries[5].name, "cpu.idle");
	TD_CHECK_STR(in.has->summaries[5].key, "CPU 2");
	TD_CHECK(in.has->summaries[5].value == 95.0);
	TD_CHECK_STR(in.has->summaries[0].key, "all");
	TD_CHECK_STR(in.source->host, "box");
}

static void check_summary(const struct td_imported *in, const char *name, const char *key,
			  double value)
{
	for (size_t i = 0; i < in->has->nsummaries; i++) {
		const struct td_summary *s = &in->has->summaries[i];

		if (strcmp(s->name, name) == 0 && strcmp(s->key, key) == 0) {
			TD_CHECK(s->value == value);
			return;
		}
	}
	TD_CHECK(!"the summary is there");
}

/* -T: once per CPU, whatever the number of reports */
static void test_topology(void)
{
	static const struct {
		const char *name, *text;
	} forms[] = {
		{ "topology, text", "10:00:00     CPU CORE SOCK NODE    %usr   %idle\n"
				    "10:00:01     all                   1.00   99.00\n"
				    "10:00:01       2    5    1    0    2.00   98.00\n"
				    "10:00:02     all                   1.00   99.00\n"
				    "10:00:02       2    5    1    0    2.00   98.00\n" },
		{ "topology, JSON",
		  "{\"sysstat\":{\"hosts\":[{\"statistics\":[{\"timestamp\":\"10:00:01\",\"cpu-"
		  "load\":["
		  "{\"cpu\":\"all\",\"core\":\"\",\"socket\":\"\",\"node\":\"\",\"usr\":1.0},\n"
		  "{\"cpu\":\"2\",\"core\":\"5\",\"socket\":\"1\",\"node\":\"0\",\"usr\":2.0}]},\n"
		  "{\"timestamp\":\"10:00:02\",\"cpu-load\":["
		  "{\"cpu\":\"2\",\"core\":\"5\",\"socket\":\"1\",\"node\":\"0\",\"usr\":2.0}]}]}]}"
		  "}\n" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(forms); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };

		TD_CASE(forms[i].name);
		td_import_text(&in, NULL, forms[i].text, NULL);
		TD_CHECK_INT(in.has->nsummaries, 3);
		check_summary(&in, "cpu.core", "CPU 2", 5);
		check_summary(&in, "cpu.socket", "CPU 2", 1);
		check_summary(&in, "cpu.node", "CPU 2", 0);
	}
}

/* mpstat -A -T 1 2, and with -o JSON 1 1, of sysstat 12.6.1; and the latter as Python prints it with sorted
 * members, one per line. A report has 143 values: awk counted the columns of the text, Python those of the JSON. */
static void test_recorded(void)
{
	_cleanup_(td_imported_done) struct td_imported text = { 0 }, json = { 0 }, sorted = { 0 };

	TD_CASE("recorded");
	TD_CHECK(td_import_path(&text, TD_TEST_DATA "/mpstat/all-tables.txt", NULL));
	TD_CHECK_INT(text.source->rows, 24);
	TD_CHECK_INT(text.source->issues, 0);
	TD_CHECK_INT(text.nsamples, 2 * 143);
	TD_CHECK_INT(text.has->nsummaries, 2 * 3);
	TD_CHECK(td_import_path(&json, TD_TEST_DATA "/mpstat_json/all-tables.json", NULL));
	TD_CHECK_INT(json.source->issues, 0);
	TD_CHECK_INT(json.nsamples, 143);
	TD_CHECK_INT(json.has->nsummaries, 2 * 3);
	TD_CHECK(td_import_path(&sorted, TD_TEST_DATA "/mpstat_json/all-tables-sorted.json", NULL));
	TD_CHECK_INT(sorted.source->issues, 0);
	TD_CHECK_INT(sorted.has->nsummaries, 2 * 3);
	td_check_same_samples(&sorted, &json);
}

/* A row is kept until it ends, but not if it does not. */
static void test_endless_row(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("endless row");
	td_strbuf_adds(&text,
		       "{\"sysstat\":{\"hosts\":[{\"statistics\":[{\"timestamp\":\"10:00:00\","
		       "\"cpu-load\":[{\"cpu\":\"0\",\n");
	for (int i = 0; i < 150000; i++)
		td_strbuf_addf(&text, "\"x%06d\":1.0,\n", i);
	td_strbuf_adds(&text, "\"idle\":1.0},{\"cpu\":\"1\",\"idle\":2.0}\n");
	td_import_text(&in, &td_importer_mpstat_json, td_strbuf_str(&text), NULL);
	TD_CHECK_INT(in.source->issues, 1);
	TD_CHECK_STR(in.has->issue_counts[0].kind, "long-row");
	TD_CHECK_INT(in.nsamples, 1);
}

/* More headers than any mpstat has: neither memory nor time may run away. */
static void test_many_headers(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;

	TD_CASE("many headers");
	for (unsigned i = 0; i < 1000; i++)
		td_strbuf_addf(
			&text,
			"10:00:00     CPU    %%usr   %u/s\n10:00:01       0    1.00    2.00\n", i);
	td_import_text(&in, &td_importer_mpstat, td_strbuf_str(&text), NULL);
	TD_CHECK_INT(in.source->rows, 1000);
	TD_CHECK_INT(in.nsamples, 2000);
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
		{ "header of sar -u, cut", "10:00:00  CPU  %user  %nice  %system  %iow", false,
		  false },
		{ "comment", " *     10:00:00 AM  CPU    %usr   %nice   %idle\n", false, false },
		{ "string", "puts(\" 10:00:00 AM  CPU    %usr   %nice   %idle\\n\");\n", false,
		  false },
		{ "sar -n SOFT", "10:00:00  CPU  total/s  dropd/s\n", false, false },
		{ "pidstat", "10:00:00  UID  PID  %usr  %system  %CPU   CPU  Command\n", false,
		  false },
		{ "iostat", "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n", false,
		  false },
		{ "interrupts by name", "10:00:00  CPU  24/s  25/s  NMI/s  LOC/s\n", true, false },
		{ "nodes only", "10:00:00  NODE  %usr  %nice  %sys  %iowait  %irq  %idle\n", true,
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
		{ "sorted JSON, of which the time comes behind the tables",
		  "{\"sysstat\": {\"hosts\": [{\"statistics\": [{\"cpu-load\": [{\"cpu\": \"all\"",
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
	test_topology();
	test_recorded();
	test_endless_row();
	test_many_headers();
	test_sniff();
	return td_check_result();
}
