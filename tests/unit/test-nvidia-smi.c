/* SPDX-License-Identifier: MIT */
#include "importers/core/importers.h"
#include "tests/unit/samplers.h"

/* date -u -d "2024-05-01 10:00" +%s */
#define MAY_1_10H (INT64_C(1714557600) * TD_SEC_NS)

#define PMON_DT                                                                                    \
	"#Date       Time        gpu        pid  type    sm   mem   enc   dec    fb   command\n"   \
	"#YYYYMMDD   HH:MM:SS    Idx          #   C/G     %     %     %     %    MB   name\n"
#define DMON_PLAIN                                                                                 \
	"# gpu   pwr  temp    sm    fb rxpci\n"                                                    \
	"# Idx     W     C     %    MB  MB/s\n"

/* 3 MB = 3 x 1048576 = 3145728 bytes */
static const struct {
	const char *name, *text, *want;
	int64_t origin_ns;
	enum td_clock clock;
	unsigned rows, skipped, issues;
} cases[] = {
	{ "pmon with date and time: idle, unsampled, two processes, a repeated header",
	  PMON_DT " 20240501   10:00:01      0       4711     C    93    40     -     -     3   "
		  "python         \n"
		  " 20240501   10:00:01      1          -     -     -     -     -     -     -   -  "
		  "            \n"
		  " 20240501   10:00:02      0       4711     C     -     -     -     -     3   "
		  "python         \n"
		  " 20240501   10:00:02      0       4712   C+G     5     0     -     -     -   a "
		  "b            \n" PMON_DT " 20240501   10:00:04      0       4711     C     7    "
		  " 0     -     -     3   python         \n",
	  "gpu.sm GPU 0 4711 'python' @1+- = 93 %\ngpu.mem GPU 0 4711 'python' @1+- = 40 %\n"
	  "gpu.fb GPU 0 4711 'python' @1+- = 3.14573e+06 bytes\n"
	  "gpu.sm GPU 1 @1+- = -\n"
	  "gpu.sm GPU 0 4711 'python' @2+1 = -\ngpu.fb GPU 0 4711 'python' @2+1 = 3.14573e+06 "
	  "bytes\n"
	  "gpu.sm GPU 0 4712 'a b' @2+1 = 5 %\ngpu.mem GPU 0 4712 'a b' @2+1 = 0 %\n"
	  "gpu.sm GPU 0 4711 'python' @4+2 = 7 %\ngpu.mem GPU 0 4711 'python' @4+2 = 0 %\n"
	  "gpu.fb GPU 0 4711 'python' @4+2 = 3.14573e+06 bytes\n",
	  MAY_1_10H, TD_CLOCK_LOCAL, 5, 4, 0 },
	{ "dmon without time: two GPUs, so two rows per sample",
	  DMON_PLAIN "    0   100    50    91  3     7\n    1     -    49     -     -     -\n"
		     "    0   101    51    92  3     8\n",
	  "gpu.pwr GPU 0 @1+- = 100 W\ngpu.gtemp GPU 0 @1+- = 50 C\ngpu.sm GPU 0 @1+- = 91 %\n"
	  "gpu.fb GPU 0 @1+- = 3.14573e+06 bytes\ngpu.rxpci GPU 0 @1+- = 7 MB/s\n"
	  "gpu.gtemp GPU 1 @1+- = 49 C\ngpu.sm GPU 1 @1+- = -\n"
	  "gpu.pwr GPU 0 @2+1 = 101 W\ngpu.gtemp GPU 0 @2+1 = 51 C\ngpu.sm GPU 0 @2+1 = 92 %\n"
	  "gpu.fb GPU 0 @2+1 = 3.14573e+06 bytes\ngpu.rxpci GPU 0 @2+1 = 8 MB/s\n",
	  0, TD_CLOCK_RELATIVE, 3, 2, 0 },
	{ "pmon without time: a GPU's second process is the same sample, its first one the next",
	  "# gpu     pid  type    sm   command\n# Idx       #   C/G     %   name\n"
	  "    0      10     C     1   a\n    0      11     C     2   b\n    1       -     -     - "
	  "  -\n"
	  "    0      10     C     3   a\n",
	  "gpu.sm GPU 0 10 'a' @1+- = 1 %\ngpu.sm GPU 0 11 'b' @1+- = 2 %\ngpu.sm GPU 1 @1+- = -\n"
	  "gpu.sm GPU 0 10 'a' @2+1 = 3 %\n",
	  0, TD_CLOCK_RELATIVE, 4, 2, 0 },
	{ "time of day only, across midnight",
	  "#Time         gpu     sm\n#HH:MM:SS     Idx      %\n 23:59:59       0     17\n 00:00:01 "
	  "      0     15\n",
	  "gpu.sm GPU 0 @86399+- = 17 %\ngpu.sm GPU 0 @86401+2 = 15 %\n", 0, TD_CLOCK_LOCAL_TOD, 2,
	  2, 0 },
	{ "a column and a unit that nobody knows yet; a blank line",
	  "# gpu   pwr  warp\n# Idx     W  Hz\n    0     5    12 \n\n    0     6    13 \n",
	  "gpu.pwr GPU 0 @1+- = 5 W\ngpu.warp GPU 0 @1+- = 12 Hz\n"
	  "gpu.pwr GPU 0 @2+1 = 6 W\ngpu.warp GPU 0 @2+1 = 13 Hz\n",
	  0, TD_CLOCK_RELATIVE, 2, 3, 0 },
	{ "memory only: an idle GPU's row has nothing in it",
	  "# gpu     pid  type    fb   command\n# Idx       #   C/G    MB   name\n    0       -    "
	  " -     -   -\n",
	  "", 0, TD_CLOCK_RELATIVE, 0, 3, 0 },
	{ "csv without units: those of the known columns",
	  "#gpu, pid, type, sm, fb, command\n0, 10, C, 55, 3, my prog\n0, -, -, -, -, -\n",
	  "gpu.sm GPU 0 10 'my prog' @1+- = 55 %\ngpu.fb GPU 0 10 'my prog' @1+- = 3.14573e+06 "
	  "bytes\n"
	  "gpu.sm GPU 0 @1+- = -\n",
	  0, TD_CLOCK_RELATIVE, 2, 1, 0 },
	{ "pmon as csv, with units",
	  "#Date, Time, gpu, pid, type, sm, mem, fb, command\n#YYYYMMDD, HH:MM:SS, Idx, #, C/G, %, "
	  "%, MB, name\n"
	  " 20240501, 10:00:01, 0, 4711, C+G, 93, -, 1, renderD128 --us\n"
	  " 20240501, 10:00:01, 1, -, -, -, -, -, -\n",
	  "gpu.sm GPU 0 4711 'renderD128 --us' @1+- = 93 %\n"
	  "gpu.fb GPU 0 4711 'renderD128 --us' @1+- = 1.04858e+06 bytes\n"
	  "gpu.sm GPU 1 @1+- = -\n",
	  MAY_1_10H, TD_CLOCK_LOCAL, 2, 2, 0 },
	{ "vgpu: parts of a GPU; a metric of --gpm-metrics",
	  "# gpu  vgpu    sm   mem grac\n# Idx    Id     %     % GPM:%\n"
	  "    0     -    90    20   50\n    0  3251    40    10   25\n    0     -    80    20   "
	  "50\n",
	  "gpu.sm GPU 0 @1+- = 90 %\ngpu.mem GPU 0 @1+- = 20 %\ngpu.grac GPU 0 @1+- = 50 %\n"
	  "gpu.sm GPU 0 vgpu 3251 @1+- = 40 %\ngpu.mem GPU 0 vgpu 3251 @1+- = 10 %\n"
	  "gpu.grac GPU 0 vgpu 3251 @1+- = 25 %\n"
	  "gpu.sm GPU 0 @2+1 = 80 %\ngpu.mem GPU 0 @2+1 = 20 %\ngpu.grac GPU 0 @2+1 = 50 %\n",
	  0, TD_CLOCK_RELATIVE, 3, 2, 0 },
	{ "spoilt: two rows in one, no row at all, a wrong date, a cut last line",
	  PMON_DT
	  " 20240501   10:00:01      0       4711     C    93    40   20240501   10:00:01 python\n"
	  "No devices were found\n"
	  " 20240532   10:00:01      0       4711     C    93    40     -     -     3   python\n"
	  " 20240501   10:00:0",
	  "", 0, TD_CLOCK_LOCAL, 0, 2, 4 },
	{ "cut in the last number",
	  "# gpu   pwr    sm\n# Idx     W     %\n    0     5    12\n    0     6    1",
	  "gpu.pwr GPU 0 @1+- = 5 W\ngpu.sm GPU 0 @1+- = 12 %\n", 0, TD_CLOCK_RELATIVE, 1, 2, 1 },
	{ "without a newline, but as wide as the row before",
	  "# gpu   pwr    sm\n# Idx     W     %\n    0     5     2\n    0     6     1",
	  "gpu.pwr GPU 0 @1+- = 5 W\ngpu.sm GPU 0 @1+- = 2 %\n"
	  "gpu.pwr GPU 0 @2+1 = 6 W\ngpu.sm GPU 0 @2+1 = 1 %\n",
	  0, TD_CLOCK_RELATIVE, 2, 2, 0 },
	{ "so it is not in csv", "#gpu, pwr, sm\n 0, 5, 2\n 0, 6, 1",
	  "gpu.pwr GPU 0 @1+- = 5 W\ngpu.sm GPU 0 @1+- = 2 %\n", 0, TD_CLOCK_RELATIVE, 1, 1, 1 },
	{ "'-' is whole", "# gpu   pwr    sm\n# Idx     W     %\n    0     5   100\n    0     6 -",
	  "gpu.pwr GPU 0 @1+- = 5 W\ngpu.sm GPU 0 @1+- = 100 %\n"
	  "gpu.pwr GPU 0 @2+1 = 6 W\ngpu.sm GPU 0 @2+1 = -\n",
	  0, TD_CLOCK_RELATIVE, 2, 2, 0 },
	{ "no date any more after a header without one",
	  PMON_DT " 20240501   10:00:01      0          -     -     -     -     -     -     -   -\n"
		  "# gpu   sm\n# Idx  %\n   0   5\n",
	  "gpu.sm GPU 0 @1+- = -\n", MAY_1_10H, TD_CLOCK_LOCAL, 1, 4, 1 },
	{ "a pause between two runs is not a sampling period",
	  "#Time gpu sm\n 10:00:00 0 1\n 10:05:00 0 2\n 10:05:10 0 3\n",
	  "gpu.sm GPU 0 @36000+- = 1 %\ngpu.sm GPU 0 @36300+- = 2 %\ngpu.sm GPU 0 @36310+10 = 3 "
	  "%\n",
	  0, TD_CLOCK_LOCAL_TOD, 3, 1, 0 },
};

static void test_cases(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };

		TD_CASE(cases[i].name);
		td_import_text(&in, NULL, cases[i].text, NULL);
		TD_CHECK_STR(in.source->importer, "nvidia-smi");
		TD_CHECK_INT(in.source->clock, cases[i].clock);
		TD_CHECK_INT(in.source->rows, cases[i].rows);
		TD_CHECK_INT(in.source->skipped, cases[i].skipped);
		TD_CHECK_INT(in.source->issues, cases[i].issues);
		td_check_samples(&in, cases[i].origin_ns, cases[i].want);
	}
}

/* Where summer time begins local times leap by an hour, which no period is: dmon, of seconds, and a log of two runs. */
static void test_leap(void)
{
	static const struct {
		const char *text;
		unsigned leaps;
	} logs[] = {
		{ "#Time gpu sm\n 01:59:58 0 1\n 01:59:58 1 1\n 01:59:59 0 2\n 01:59:59 1 2\n"
		  " 03:00:00 0 3\n 03:00:00 1 3\n 03:00:01 0 4\n 03:00:01 1 4\n",
		  1 },
		{ "#Time gpu sm\n 10:00:00 0 1\n 10:05:00 0 2\n 10:10:00 0 3\n", 0 },
		{ "timestamp, index, utilization.gpu [%]\n"
		  "2024/03/31 01:59:58.000, 0, 1 %\n2024/03/31 01:59:58.001, 1, 1 %\n"
		  "2024/03/31 01:59:59.000, 0, 2 %\n2024/03/31 01:59:59.001, 1, 2 %\n"
		  "2024/03/31 03:00:00.000, 0, 3 %\n2024/03/31 03:00:00.001, 1, 3 %\n",
		  1 },
		{ "timestamp, index, utilization.gpu [%]\n2024/03/31 01:59:58.000, 0, 1 %\n"
		  "2024/03/31 03:00:00.000, 0, 3 %\n2024/03/31 04:00:00.000, 0, 3 %\n",
		  0 },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(logs); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };

		TD_CASE(logs[i].text);
		td_import_text(&in, NULL, logs[i].text, NULL);
		TD_CHECK_INT(in.source->issues, 0);
		TD_CHECK_INT(td_issues_of(&in, "clock-leap"), logs[i].leaps);
	}
}

static void test_sniff(void)
{
	static const struct {
		const char *name, *text;
		bool claimed;
	} heads[] = {
		{ "pmon", PMON_DT, true },
		{ "dmon behind a warning", "nohup: ignoring input\n" DMON_PLAIN, true },
		{ "ppu-smi",
		  "# ppu     pid  type    sm   mem   command\n# idx  #   C/G  %  MB   name\n",
		  false },
		{ "csv of another tool", "GPUId,TimeStampUs,Field,Values\n0,17,power,71.20\n",
		  false },
		{ "prose", "# the gpu was slow\n", false },
		{ "mpstat", "10:00:00     CPU    %usr   %idle\n", false },
		{ "empty", "", false },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(heads); i++) {
		TD_CASE(heads[i].name);
		TD_CHECK_INT(td_importer_nvidia_smi.sniff(heads[i].text, strlen(heads[i].text)) > 0,
			     heads[i].claimed);
	}
}

static void corpus_file(const char *path, const char *name)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	bool other = strstr(name, "ppu-smi") || strstr(name, "4179e1_dmon.csv");

	if (!strstr(path, "nvidia-smi/") && strcmp(name, "gpu.out") != 0)
		return;
	TD_CHECK(td_import_path(&in, path, NULL));
	td_print_source(&in, path);
	TD_CHECK_INT(in.source->importer != NULL, !other);
	if (!other)
		TD_CHECK_INT(in.source->issues, 0);
	if (strstr(path, "4gpu_split")) { /* oracle.json: gpu.out */
		TD_CHECK_INT(in.source->rows, 3895);
		TD_CHECK_INT(td_count_samples(&in, "gpu.sm", true), 3895);
		TD_CHECK_INT(td_count_samples(&in, "gpu.sm", false), 3892);
	} else if (strstr(path, "8gpu_dgx1v2")) {
		TD_CHECK_INT(in.source->rows, 7641);
		TD_CHECK_INT(td_count_samples(&in, "gpu.sm", true), 7641);
		TD_CHECK_INT(td_count_samples(&in, "gpu.sm", false), 7634);
	}
}

int main(int argc, char **argv)
{
	static const char *const folders[] = { "nvidia-smi", "mlperf-dgx1",
					       "runs/unet3d_4gpu_split",
					       "runs/unet3d_8gpu_dgx1v2" };

	if (argc > 1)
		return td_run_corpus(folders, TD_ARRAY_SIZE(folders), corpus_file);
	test_cases();
	test_leap();
	test_sniff();
	return td_check_result();
}
