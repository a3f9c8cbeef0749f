/* SPDX-License-Identifier: MIT */
/* nvidia-smi --query-gpu and --query-compute-apps with --format=csv. */
#include "importers/core/importers.h"
#include "tests/unit/samplers.h"

/* date -u -d "2024-05-01 10:00:01" +%s */
#define ORIGIN (INT64_C(1714557601) * TD_SEC_NS)

/* 1200 MiB = 1258291200 bytes, 1210 MiB = 1268776960, 4 MiB = 4194304; 2.25 s - 1.25 s = 1 s */
static void test_gpus(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("query-gpu");
	TD_CHECK(td_import_path(&in, TD_TEST_DATA "/nvidia_query/gpu.csv", NULL));
	TD_CHECK_STR(in.source->importer, "nvidia-query");
	TD_CHECK_STR(in.source->layout, "query-gpu");
	TD_CHECK_INT(in.source->clock, TD_CLOCK_LOCAL);
	TD_CHECK_INT(in.source->rows, 4);
	TD_CHECK_INT(in.source->issues, 0);
	TD_CHECK_INT(in.has->nissue_counts, 0);
	td_check_samples(
		&in, ORIGIN,
		"gpu.sm GPU 0 @0.250000000+- = 93 %\ngpu.mem GPU 0 @0.250000000+- = 40 %\n"
		"gpu.fb GPU 0 @0.250000000+- = 1.25829e+09 bytes\ngpu.gtemp GPU 0 @0.250000000+- = "
		"61 C\n"
		"gpu.pwr GPU 0 @0.250000000+- = 241.3 W\ngpu.pstate GPU 0 @0.250000000+- = 0\n"
		"gpu.clocks_event_reasons.active GPU 0 @0.250000000+- = 4\n"
		"gpu.sm GPU 1 @0.252000000+- = -\ngpu.fb GPU 1 @0.252000000+- = 4.1943e+06 bytes\n"
		"gpu.gtemp GPU 1 @0.252000000+- = 35 C\ngpu.pstate GPU 1 @0.252000000+- = 8\n"
		"gpu.clocks_event_reasons.active GPU 1 @0.252000000+- = 0\n"
		"gpu.sm GPU 0 @1.250000000+1 = 91 %\ngpu.mem GPU 0 @1.250000000+1 = 41 %\n"
		"gpu.fb GPU 0 @1.250000000+1 = 1.26878e+09 bytes\ngpu.gtemp GPU 0 @1.250000000+1 = "
		"62 C\n"
		"gpu.pwr GPU 0 @1.250000000+1 = 240 W\ngpu.pstate GPU 0 @1.250000000+1 = 0\n"
		"gpu.clocks_event_reasons.active GPU 0 @1.250000000+1 = 0\n"
		"gpu.sm GPU 1 @1.252000000+1 = 0 %\ngpu.mem GPU 1 @1.252000000+1 = 0 %\n"
		"gpu.fb GPU 1 @1.252000000+1 = 4.1943e+06 bytes\ngpu.gtemp GPU 1 @1.252000000+1 = "
		"35 C\n"
		"gpu.pstate GPU 1 @1.252000000+1 = 8\n"
		"gpu.clocks_event_reasons.active GPU 1 @1.252000000+1 = 0\n");
}

/* 1180 MiB = 1237319680 bytes, 20 MiB = 20971520, 1190 MiB = 1247805440 */
static void test_apps(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("query-compute-apps");
	TD_CHECK(td_import_path(&in, TD_TEST_DATA "/nvidia_query/apps.csv", NULL));
	TD_CHECK_STR(in.source->layout, "query-compute-apps");
	TD_CHECK_INT(in.source->rows, 3);
	TD_CHECK_INT(in.source->issues, 0);
	TD_CHECK_INT(in.has->nissue_counts, 0);
	td_check_samples(
		&in, ORIGIN,
		"gpu.fb GPU 00000000:3B:00.0 4711 'python3' @0.250000000+- = 1.23732e+09 bytes\n"
		"gpu.fb GPU 00000000:3B:00.0 4712 '' @0.251000000+- = 2.09715e+07 bytes\n"
		/* two processes of one sample: 3.250 - 1.251 s */
		"gpu.fb GPU 00000000:3B:00.0 4711 'python3' @2.250000000+1.999000000 = 1.24781e+09 "
		"bytes\n");
	TD_CHECK_STR(td_text_of(&in, td_process_of(&in, 3)->name_id), "a very wide and");
	TD_CHECK_INT(in.has->devices[0].number, TD_NULL);
}

static const struct {
	const char *name, *text, *want;
	enum td_clock clock;
	unsigned rows, skipped, issues;
	const char *kind; /* of issue that is counted once */
} cases[] = {
	{ "nounits; by UUID, numbered as they come; header again",
	  "timestamp, uuid, utilization.gpu [%], memory.used [MiB]\n"
	  "2024/05/01 10:00:01.000, GPU-b, 93, 1\n2024/05/01 10:00:01.003, GPU-a, 5, 0\n"
	  "timestamp, uuid, utilization.gpu [%], memory.used [MiB]\n"
	  "2024/05/01 10:00:03.000, GPU-b, 90, 2\n",
	  "gpu.sm GPU 0 @0+- = 93 %\ngpu.fb GPU 0 @0+- = 1.04858e+06 bytes\n"
	  "gpu.sm GPU 1 @0.003000000+- = 5 %\ngpu.fb GPU 1 @0.003000000+- = 0 bytes\n"
	  "gpu.sm GPU 0 @2+2 = 90 %\ngpu.fb GPU 0 @2+2 = 2.09715e+06 bytes\n",
	  TD_CLOCK_LOCAL, 3, 2, 0, "gpu-by-order" },
	{ "nothing names the GPU: rows of one time are one sample",
	  "timestamp, utilization.gpu [%]\n2024/05/01 10:00:01.000, 93 %\n"
	  "2024/05/01 10:00:01.002, 5 %\n2024/05/01 10:00:02.000, 90 %\n2024/05/01 10:00:02.001, 6 "
	  "%\n",
	  "gpu.sm GPU 0 @0+- = 93 %\ngpu.sm GPU 1 @0.002000000+- = 5 %\n"
	  "gpu.sm GPU 0 @1+1 = 90 %\ngpu.sm GPU 1 @1.001000000+0.999000000 = 6 %\n",
	  TD_CLOCK_LOCAL, 4, 1, 0, "gpu-by-order" },
	{ "texts are not kept; a unit that only the cells have; a column nobody knows",
	  "timestamp, index, name, driver_version, clocks.max.sm [MHz], future.flux, fan.speed "
	  "[%]\n"
	  "2024/05/01 10:00:01, 0, Tesla P100-PCIE, 550.54.14, 1530 MHz, 7.5 Vs, [Unknown Error]\n"
	  "2024/05/01 10:00:02, 0, Tesla P100-PCIE, 550.54.14, ERR!, 8.5 Vs, 30 %\n",
	  "gpu.clocks.max.sm GPU 0 @0+- = 1530 MHz\ngpu.future.flux GPU 0 @0+- = 7.5 Vs\n"
	  "gpu.future.flux GPU 0 @1+1 = 8.5 Vs\ngpu.fan.speed GPU 0 @1+1 = 30 %\n",
	  TD_CLOCK_LOCAL, 2, 1, 0, NULL },
	{ "spoilt, cut, from another mouth",
	  "timestamp, index, power.draw [W]\nNo devices were found\n2024/05/01 10:00:01.000, 0, "
	  "12.5 W\n"
	  "2024/05/01 10:00:02.000, 0, twelve\n2024/05/01 10:00:0",
	  "gpu.pwr GPU 0 @0+- = 12.5 W\n", TD_CLOCK_LOCAL, 1, 1, 3, "spoilt-line" },
	{ "cut in the last number",
	  "timestamp, index, power.draw [W]\n2024/05/01 10:00:01.000, 0, 12.5 W\n"
	  "2024/05/01 10:00:02.000, 0, 12",
	  "gpu.pwr GPU 0 @0+- = 12.5 W\n", TD_CLOCK_LOCAL, 1, 1, 1, "cut-line" },
	{ "noheader, and another run behind it: the first one's columns have no names",
	  "2024/05/01 10:00:01.250, 0, 93 %, 1200 MiB\ntimestamp, encoder.stats.sessionCount, "
	  "power.draw [W]\n2024/05/01 10:00:02.250, 3, 50.5 W\n",
	  "gpu.encoder.stats.sessionCount GPU 0 @1.250000000+- = 3\n"
	  "gpu.pwr GPU 0 @1.250000000+- = 50.5 W\n",
	  TD_CLOCK_LOCAL, 1, 1, 1, "unnamed-columns" },
};

static void test_cases(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };

		TD_CASE(cases[i].name);
		td_import_text(&in, NULL, cases[i].text, NULL);
		TD_CHECK_STR(in.source->importer ? in.source->importer : "", "nvidia-query");
		TD_CHECK_INT(in.source->clock, cases[i].clock);
		TD_CHECK_INT(in.source->rows, cases[i].rows);
		TD_CHECK_INT(in.source->skipped, cases[i].skipped);
		TD_CHECK_INT(in.source->issues, cases[i].issues);
		if (cases[i].kind)
			TD_CHECK_INT(td_issues_of(&in, cases[i].kind), 1);
		else
			TD_CHECK_INT(in.has->nissue_counts, 0);
		td_check_samples(&in, ORIGIN, cases[i].want);
	}
}

/* Without times a sample begins where its first GPU comes again. */
static void test_no_time(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 }, nameless = { 0 };

	TD_CASE("no time");
	td_import_text(&in, NULL, "index, utilization.gpu [%]\n0, 1 %\n1, 2 %\n0, 3 %\n1, 4 %\n",
		       NULL);
	TD_CHECK_INT(in.source->clock, TD_CLOCK_RELATIVE);
	TD_CHECK_INT(td_issues_of(&in, "assumed-period"), 1);
	td_check_samples(&in, 0,
			 "gpu.sm GPU 0 @0+- = 1 %\ngpu.sm GPU 1 @0+- = 2 %\n"
			 "gpu.sm GPU 0 @1+1 = 3 %\ngpu.sm GPU 1 @1+1 = 4 %\n");
	TD_CASE("neither time nor GPU");
	td_import_text(&nameless, NULL,
		       "name, memory.used [MiB]\nTesla T4, 1 MiB\nTesla T4, 0 MiB\n", NULL);
	TD_CHECK_INT(td_issues_of(&nameless, "gpu-unknown"), 1);
	td_check_samples(&nameless, 0,
			 "gpu.fb - @0+- = 1.04858e+06 bytes\ngpu.fb - @1+1 = 0 bytes\n");
}

static void test_sniff(void)
{
	static const struct {
		const char *text;
		bool claimed;
	} heads[] = {
		{ "utilization.gpu [%]\n1 %\n", true },
		{ "pid, process_name, used_gpu_memory [MiB]\n", true },
		{ "index, name, uuid\n0, a, b\n", false },
		/* the shell's words among the rows; a document that quotes some */
		{ "+ nvidia-smi -l\nname, memory.used [MiB]\nTesla T4, 1 MiB\nTesla T4, 2 MiB\n",
		  true },
		{ "How much memory is used?\n\nAsk for it:\n\nname, memory.used [MiB]\n"
		  "Tesla T4, 1 MiB\n\nThat is little.\nThe end.\n",
		  false },
		{ "Its column is called\nutilization.gpu [%]\nand says little.\nMore below.\n",
		  false },
		/* other people's */
		{ "GPUId,TimeStampUs,Field,Values\n0,1,a,2\n", false },
		{ "timestamp,cpu,memory.used\n1,2,3\n", false },
		{ "device,GPU use (%),GPU memory use (%)\ncard0,1,2\n", false },
		{ "# gpu   pwr gtemp mtemp    sm\n    0    42    45     -     1\n", false },
		{ "2024/05/01 10:00:01.250, hello, world\n", false },
		{ "", false },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(heads); i++) {
		TD_CASE(heads[i].text);
		TD_CHECK_INT(td_importer_nvidia_query.sniff(heads[i].text, strlen(heads[i].text)) >
				     0,
			     heads[i].claimed);
	}
}

int main(void)
{
	test_gpus();
	test_apps();
	test_cases();
	test_no_time();
	test_sniff();
	return td_check_result();
}
