/* SPDX-License-Identifier: MIT */
/* nvidia-smi without its header. The headers and rows are what driver 580.159 printed. */
#include "common/stream.h"
#include "importers/nvidia/command.h"
#include "tests/unit/samplers.h"

#define ALL_UNITS                                                                                  \
	"#YYYYMMDD, HH:MM:SS, Idx, W, C, C, %, %, %, %, %, %, MHz, MHz, %, bool, MB, MB, MB, "     \
	"errs, "                                                                                   \
	"errs, errs, MB/s, MB/s"
#define ALL_NAMES                                                                                  \
	"#Date, Time, gpu, pwr, gtemp, mtemp, sm, mem, enc, dec, jpg, ofa, mclk, pclk, pviol, "    \
	"tviol, fb, bar1, ccpm, sbecc, dbecc, pci, rxpci, txpci"
#define ALL_ROWS                                                                                   \
	" 20261120, 15:52:44, 0, 694, 60, 47, 100, 22, 0, 0, 0, 0, 3201, 1485, 0, 0, 1011, 1012, " \
	"0, 0, 0, 0, 27, 11\n"                                                                     \
	" 20261120, 15:52:46, 0, 691, 61, 48, 100, 23, 0, 0, 0, 0, 3201, 1470, 100, 0, 1011, "     \
	"1012, 0, 0, 0, 0, 21, 12\n"
#define QUERY                                                                                      \
	"--query-gpu=timestamp,index,pci.bus_id,utilization.gpu,memory.used,power.draw,"           \
	"temperature.gpu,clocks.sm,clocks.mem,pstate,fan.speed"
#define QUERY_NAMES                                                                                \
	"timestamp, index, pci.bus_id, utilization.gpu [%], memory.used [MiB], power.draw [W], "   \
	"temperature.gpu, clocks.current.sm [MHz], clocks.current.memory [MHz], pstate, "          \
	"fan.speed [%]"

/* --- the line of units --- */

static const struct {
	const char *units, *names;
} units[] = {
	{ ALL_UNITS, ALL_NAMES },
	{ "#Idx, W, C, C, %, %, %, %, %, %, MHz, MHz",
	  "#gpu, pwr, gtemp, mtemp, sm, mem, enc, dec, jpg, ofa, mclk, pclk" },
	{ "#Idx, %, bool", "#gpu, pviol, tviol" },
	{ "#Idx, MB, MB, MB, %, %, %, %, %, %, MB/s, MB/s, MHz, MHz",
	  "#gpu, fb, bar1, ccpm, sm, mem, enc, dec, jpg, ofa, rxpci, txpci, mclk, pclk" },
	{ "#HH:MM:SS, Idx, errs, errs, errs", "#Time, gpu, sbecc, dbecc, pci" },
	/* --format noheader, in columns */
	{ "# Idx    MHz    MHz ", "#gpu mclk pclk" },
	{ "#HH:MM:SS     Idx           #    C/G     MB     MB      %      %      %      %      %   "
	  " "
	  "  %    name ",
	  "#Time gpu pid type fb ccpm sm mem enc dec jpg ofa command" },
	/* older drivers */
	{ "# Idx     W     C     %     %     %     %   MHz   MHz     %  bool    MB    MB",
	  "#gpu pwr temp sm mem enc dec mclk pclk pviol tviol fb bar1" },
	{ "# Idx          #   C/G     %     %     %     %    MB   name",
	  "#gpu pid type sm mem enc dec fb command" },
	/* utilisation behind violations, and before */
	{ "#Idx, %, bool, %, %, %, %, %, %", "#gpu, pviol, tviol, sm, mem, enc, dec, jpg, ofa" },
	{ "#Idx, %, %, %, %, %, bool", "#gpu, sm, mem, enc, dec, pviol, tviol" },
	/* metrics of --gpm-metrics have one unit for all */
	{ "#Idx, W, C, C, GPM:MiB/s, GPM:%, GPM:%",
	  "#gpu, pwr, gtemp, mtemp, gpm-1, gpm-2, gpm-3" },
	{ "#Idx, W, C, C, Idx, Idx, Idx, GPM:%",
	  "#gpu, pwr, gtemp, mtemp, mig_id, gi_id, ci_id, gpm-1" },
	/* not to be told, or somebody else's */
	{ "#Idx, %, %, %", NULL },
	{ "#Idx, W, K", NULL },
	{ "#Idx", NULL },
	{ "#", NULL },
	{ "# Idx # C/G % name", NULL },
	{ "# Idx #", NULL },
	{ "#gpu, pwr", NULL },
	{ "Idx, W, C, C", NULL },
};

static void test_units(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(units); i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
		bool found = td_nvidia_units_header(units[i].units, strlen(units[i].units), &b);

		TD_CASE(units[i].units);
		TD_CHECK_INT(found, units[i].names != NULL);
		if (found)
			TD_CHECK_STR(td_strbuf_str(&b), units[i].names);
	}
}

/* --- command lines --- */

static const struct {
	const char *command, *row, *header;
} commands[] = {
	{ "nvidia-smi dmon -s pucvmet -o DT --format csv,noheader,nounit",
	  " 20261120, 15:52:44, 0, 694, 60, 47, 100, 22, 0, 0, 0, 0, 3201, 1485, 0, 0, 1011, 1012, "
	  "0, 0, 0, 0, 27, 11",
	  ALL_NAMES },
	{ "nvidia-smi dmon", " 0, 694, 60, 47, 100, 22, 0, 0, 0, 0, 3201, 1485",
	  "#gpu, pwr, gtemp, mtemp, sm, mem, enc, dec, jpg, ofa, mclk, pclk" },
	{ "nvidia-smi dmon --select=mutc --format=csv,noheader",
	  " 0, 1011, 1012, 0, 100, 22, 0, 0, 0, 0, 54, 65, 3201, 1485",
	  "#gpu, fb, bar1, ccpm, sm, mem, enc, dec, jpg, ofa, rxpci, txpci, mclk, pclk" },
	{ "timeout 60 /usr/bin/nvidia-smi dmon -c 2 -o TD -s p -i 0,1 >> \"my gpu.csv\" 2>&1 &",
	  " 20261120, 15:52:45, 0, 692, -, 47", "#Date, Time, gpu, pwr, gtemp, mtemp" },
	/* a letter given twice is printed once; metrics stand in the order they were asked for */
	{ "nvidia-smi dmon -s ppu", " 0, 125, 37, 37, 0, 0, 0, 0, 0, 0",
	  "#gpu, pwr, gtemp, mtemp, sm, mem, enc, dec, jpg, ofa" },
	{ "nvidia-smi dmon -c 1 -s p --gpm-metrics 21,2,1,10", " 0, 125, 37, 37, -, -, -, -",
	  "#gpu, pwr, gtemp, mtemp, pcirx, smutil, gract, dram" },
	/* of an older driver: the number of columns tells */
	{ "nvidia-smi dmon -s pum", " 0, 42, 45, -, 1, 2, 0, 0, 300, 5",
	  "#gpu, pwr, gtemp, mtemp, sm, mem, enc, dec, fb, bar1" },
	{ "nvidia-smi pmon -s um -o DT",
	  " 20261120    15:52:45       0        413     C     99     22      -      -      -      "
	  "-   "
	  "1002      0    python3        ",
	  "#Date Time gpu pid type sm mem enc dec jpg ofa fb ccpm command" },
	{ "nvidia-smi pmon -s mu -o T",
	  " 15:59:13       0          -     -      -      -      -      -      -      -      -     "
	  " -  "
	  "  -              ",
	  "#Time gpu pid type fb ccpm sm mem enc dec jpg ofa command" },
	{ "nvidia-smi pmon", "    0       4711   C+G    99    22     -     -   a b c  ",
	  "#gpu pid type sm mem enc dec command" },
	{ "nvidia-smi " QUERY " --format=csv,noheader -l 1",
	  "2026/11/20 15:52:47.366, 0, 00000000:00:06.0, 99 %, 1011 MiB, 692.35 W, 62, 1500 MHz, "
	  "3201 "
	  "MHz, P0, [N/A]",
	  QUERY_NAMES },
	{ "nvidia-smi --query-compute-apps='timestamp,gpu_bus_id,pid,process_name,used_memory' "
	  "--format csv,noheader,nounits",
	  "2026/11/20 15:52:47.366, 00000000:00:06.0, 413, python3, 1002",
	  "timestamp, gpu_bus_id, pid, process_name, used_gpu_memory [MiB]" },
	{ "nvidia-smi --query-gpu utilization.gpu --format csv,noheader", "99 %",
	  "utilization.gpu [%]" },
	/* rows of something else */
	{ "nvidia-smi dmon", " 0, 694, 60, 47, 100, 22, 0", NULL },
	{ "nvidia-smi dmon -o DT", " 15:52:44, 20261120, 0, 694, 60, 47, 1, 2, 0, 0, 0, 0, 3201, 1",
	  NULL },
	{ "nvidia-smi pmon -s um",
	  "    0        413     C     99     22      -      -      -      -    python3        ",
	  NULL },
	{ "nvidia-smi pmon", "    0 413 C 99 22 - - - - 1002 0 python3", NULL },
	{ "nvidia-smi --query-gpu=utilization.gpu --format=csv,noheader", "Hello", NULL },
	{ "nvidia-smi --query-gpu=name --format=csv,noheader", "Hello", NULL },
	{ "nvidia-smi --query-gpu=index,name --format=csv,noheader", "0, NVIDIA A100, 1", NULL },
};

static void test_commands(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(commands); i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
		_cleanup_(td_nvidia_command_done) struct td_nvidia_command cmd = { 0 };
		struct td_err err = { "" };
		bool found;

		TD_CASE(commands[i].command);
		TD_CHECK(td_nvidia_is_command(commands[i].command));
		TD_CHECK_INT(td_nvidia_command_scan(commands[i].command, &cmd, &err), 0);
		TD_CHECK_STR(err.msg, "");
		found = td_nvidia_command_header(&cmd, commands[i].row, strlen(commands[i].row),
						 &b);
		TD_CHECK_INT(found, commands[i].header != NULL);
		if (found && commands[i].header)
			TD_CHECK_STR(td_strbuf_str(&b), commands[i].header);
	}
}

static void test_refused(void)
{
	static const char *const bad[] = {
		"nvidia-smi -l 1",
		"nvidia-smi dmon -s xyz",
		"nvidia-smi dmon -o X",
		"nvidia-smi dmon -s",
		"nvidia-smi pmon -s p",
		"nvidia-smi --query-gpu= --format=csv",
		"nvidia-smi dmon --gpm-metrics all",
	};
	static const char *const files[] = { "fsync.bt", "/a/nvidia-smi", "my nvidia-smi.bt", "" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(bad); i++) {
		_cleanup_(td_nvidia_command_done) struct td_nvidia_command cmd = { 0 };
		struct td_err err = { "" };

		TD_CASE(bad[i]);
		TD_CHECK(td_nvidia_is_command(bad[i]));
		TD_CHECK_INT(td_nvidia_command_scan(bad[i], &cmd, &err), -EINVAL);
		TD_CHECK(err.msg[0] != '\0');
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(files); i++) {
		TD_CASE(files[i]);
		TD_CHECK(!td_nvidia_is_command(files[i]));
	}
}

/* --- whole files --- */

#define QUERY_ROWS                                                                                 \
	"2026/11/20 15:52:47.366, 0, 00000000:00:06.0, 99 %, 1011 MiB, 692.35 W, 62, 1500 MHz, "   \
	"3201 MHz, P0, [N/A]\n"                                                                    \
	"2026/11/20 15:52:48.382, 0, 00000000:00:06.0, 100 %, 1011 MiB, 690.10 W, 62, 1485 MHz, "  \
	"3201 MHz, P0, [N/A]\n"
#define QUERY_NOUNITS                                                                              \
	"2026/11/20 15:52:47.366, 0, 00000000:00:06.0, 99, 1011, 692.35, 62, 1500, 3201, P0, "     \
	"[N/A]\n"                                                                                  \
	"2026/11/20 15:52:48.382, 0, 00000000:00:06.0, 100, 1011, 690.10, 62, 1485, 3201, P0, "    \
	"[N/A]\n"
#define PMON_ROWS                                                                                  \
	" 20261120    15:52:45       0        413     C     99     22      -      -      -      "  \
	"-   1002      0    python3        \n"                                                     \
	" 20261120    15:52:46       0        413     C     98     22      -      -      -      "  \
	"-   1002      0    python3        \n"

/* The same rows with the printed header and without one give the same samples. */
static const struct {
	const char *header, *rows, *layout, *bare;
} files[] = {
	{ ALL_NAMES "\n" ALL_UNITS "\n", ALL_ROWS, NULL, ALL_UNITS "\n" ALL_ROWS },
	{ ALL_NAMES "\n" ALL_UNITS "\n", ALL_ROWS,
	  "nvidia-smi dmon -s pucvmet -o DT --format csv,noheader,nounit", ALL_ROWS },
	{ QUERY_NAMES "\n", QUERY_ROWS, "nvidia-smi " QUERY " --format=csv,noheader", QUERY_ROWS },
	{ QUERY_NAMES "\n", QUERY_ROWS, "nvidia-smi " QUERY " --format=csv,noheader,nounits",
	  QUERY_NOUNITS },
	{ "#Date        Time         gpu         pid   type     sm    mem    enc    dec    jpg    "
	  "ofa "
	  "    fb   ccpm    command \n"
	  "#YYYYMMDD    HH:MM:SS     Idx           #    C/G      %      %      %      %      %     "
	  " %"
	  "     MB     MB    name \n",
	  PMON_ROWS, "nvidia-smi pmon -s um -o DT", PMON_ROWS },
};

static void add_samples(const struct td_imported *in, struct td_strbuf *ret)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	for (size_t i = 0; i < in->nsamples; i++)
		td_add_sample(&b, in, &in->samples[i], 0);
	if (b.p)
		td_sort_lines(b.p, ret);
}

static void test_files(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(files); i++) {
		_cleanup_(td_imported_done) struct td_imported whole = { 0 }, bare = { 0 };
		_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
		_cleanup_(td_strbuf_done) struct td_strbuf want = TD_STRBUF_INIT,
							   got = TD_STRBUF_INIT;
		/* a bpftrace program, and the command of another file */
		const char *const given[] = { TD_TEST_DATA "/bpftrace/fsync.bt",
					      "nvidia-smi --query-gpu=index,name", files[i].layout,
					      NULL };
		_cleanup_(td_import_layouts_done) struct td_import_layouts layouts =
			td_layouts_of(given);
		const struct td_import_options options = { .layouts = &layouts,
							   .clocks = TD_CLOCK_OPTIONS_NONE };

		TD_CASE(files[i].layout ? files[i].layout : "the units tell");
		td_strbuf_addf(&text, "%s%s", files[i].header, files[i].rows);
		td_import_text(&whole, NULL, td_strbuf_str(&text), NULL);
		add_samples(&whole, &want);
		td_import_text(&bare, NULL, files[i].bare, files[i].layout ? &options : NULL);
		add_samples(&bare, &got);
		TD_CHECK(whole.nsamples > 4);
		TD_CHECK_STR(td_strbuf_str(&got), td_strbuf_str(&want));
		TD_CHECK_INT(bare.source->rows, 2);
		TD_CHECK_INT(bare.source->issues, 0);
		TD_CHECK_STR(bare.source->layout, whole.source->layout);
	}
}

/* Some figures of those rows, by hand: 1011 MB are 1011 x 1048576 = 1060110336 bytes. */
static void test_values(void)
{
	static const char *const given[] = { "nvidia-smi dmon -s m -o T", NULL };
	_cleanup_(td_import_layouts_done) struct td_import_layouts layouts = td_layouts_of(given);
	const struct td_import_options options = { .layouts = &layouts,
						   .clocks = TD_CLOCK_OPTIONS_NONE };
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("values");
	td_import_text(&in, NULL, " 00:00:01, 0, 1011, 1012, 0\n 00:00:02, 0, 1011, 1012, 0\n 00:0",
		       &options);
	td_check_samples(
		&in, 0,
		"gpu.fb GPU 0 @1+- = 1.06011e+09 bytes\n"
		"gpu.bar1 GPU 0 @1+- = 1.06116e+09 bytes\ngpu.ccpm GPU 0 @1+- = 0 bytes\n"
		"gpu.fb GPU 0 @2+1 = 1.06011e+09 bytes\n"
		"gpu.bar1 GPU 0 @2+1 = 1.06116e+09 bytes\ngpu.ccpm GPU 0 @2+1 = 0 bytes\n");
	TD_CHECK_INT(in.source->issues, 1);
	TD_CHECK_INT(in.source->state, TD_STATE_CUT);
}

/* Units that change in the middle: another command's output was appended. */
static void test_appended(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("appended");
	td_import_text(&in, NULL,
		       "#HH:MM:SS, Idx, MHz, MHz\n 00:00:01, 0, 3201, 345\n"
		       "#HH:MM:SS, Idx, %, bool\n 00:00:02, 0, 7, 0\n",
		       NULL);
	td_check_samples(&in, 0,
			 "gpu.mclk GPU 0 @1+- = 3201 MHz\ngpu.pclk GPU 0 @1+- = 345 MHz\n"
			 "gpu.pviol GPU 0 @2+1 = 7 %\ngpu.tviol GPU 0 @2+1 = 0\n");
	TD_CHECK_INT(in.source->issues, 0);
}

/* What nobody printed a unit for. */
static void test_gpm(void)
{
	static const char *const given[] = {
		"nvidia-smi dmon -s c --gpm-metrics 1,20 --format csv,noheader,nounit", NULL
	};
	_cleanup_(td_import_layouts_done) struct td_import_layouts layouts = td_layouts_of(given);
	const struct td_import_options options = { .layouts = &layouts,
						   .clocks = TD_CLOCK_OPTIONS_NONE };
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("GPM");
	td_import_text(&in, NULL, " 0, 3201, 345, 7, 12\n 0, 3201, 345, 8, -\n", &options);
	td_check_samples(&in, 0,
			 "gpu.mclk GPU 0 @1+- = 3201 MHz\ngpu.pclk GPU 0 @1+- = 345 MHz\n"
			 "gpu.gract GPU 0 @1+- = 7 %\ngpu.pcitx GPU 0 @1+- = 12 MiB/s\n"
			 "gpu.mclk GPU 0 @2+1 = 3201 MHz\ngpu.pclk GPU 0 @2+1 = 345 MHz\n"
			 "gpu.gract GPU 0 @2+1 = 8 %\n");
}

static void test_crlf(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("CR LF");
	td_import_text(&in, NULL, "#Idx, MHz, MHz\r\n 0, 3201, 345\r\n", NULL);
	td_check_samples(&in, 0, "gpu.mclk GPU 0 @1+- = 3201 MHz\ngpu.pclk GPU 0 @1+- = 345 MHz\n");
}

/* Parts of a GPU (--gpm-options m) are told apart by the first of their three numbers. */
static void test_mig(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("MIG");
	td_import_text(&in, NULL,
		       "#gpu, pwr, mig_id, gi_id, ci_id, gract\n#Idx, W, Idx, Idx, Idx, GPM:%\n"
		       " 0, 100, -, -, -, 30\n 0, -, 0, 1, 0, 20\n 0, -, 1, 2, 0, 10\n",
		       NULL);
	td_check_samples(&in, 0,
			 "gpu.pwr GPU 0 @1+- = 100 W\ngpu.gract GPU 0 @1+- = 30 %\n"
			 "gpu.gract GPU 0 mig_id 0 @1+- = 20 %\n"
			 "gpu.gract GPU 0 mig_id 1 @1+- = 10 %\n");
}

/* Two commands that both fit: nobody is asked which one it was. */
static void test_ambiguous(void)
{
	static const char *const given[] = { "nvidia-smi dmon -s c", "nvidia-smi dmon -s v",
					     "nvidia-smi dmon -s c", NULL };
	_cleanup_(td_import_layouts_done) struct td_import_layouts layouts = td_layouts_of(given);
	const struct td_import_options options = { .layouts = &layouts,
						   .clocks = TD_CLOCK_OPTIONS_NONE };
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("ambiguous");
	td_import_text(&in, NULL, " 0, 3201, 345\n 0, 3201, 345\n", &options);
	TD_CHECK_STR(in.source->importer, "nvidia-smi");
	TD_CHECK_INT(in.source->issues, 2);
	TD_CHECK_INT(td_issues_of(&in, "ambiguous-layout"), 1);
}

/* --- neither --- */

static void test_unnamed(void)
{
	static const struct {
		const char *text, *remedy;
	} heads[] = {
		{ ALL_ROWS, "nvidia-smi dmon" },
		{ " 0, 694, 60, 47\n 0, 691, 61, -\n 0, 6", "nvidia-smi dmon" },
		{ QUERY_ROWS, "--query-gpu" },
		{ "GPU-5273ba45-ed7c, 99\nGPU-5273ba45-ed7d, 1\n", "--query-gpu" },
		{ "99 %, 1011 MiB\n[N/A], 0 MiB\n", "--query-gpu" },
		{ PMON_ROWS, "nvidia-smi pmon" },
		{ "1, 2, 3\n4, 5\n", NULL },
		{ "1,2,3\n4,5,6\n", NULL },
		{ "1, two, 3\n", NULL },
		{ "Hello, world\n", NULL },
		{ "12\n13\n", NULL },
		{ "\n\n", NULL },
		{ "a b C 4\n", NULL },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(heads); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };
		const char *remedy = heads[i].remedy;

		TD_CASE(heads[i].text);
		td_import_text(&in, NULL, heads[i].text, NULL);
		TD_CHECK_INT(in.source->state, TD_STATE_UNRECOGNISED);
		if (remedy)
			TD_CHECK(in.source->detail && strstr(in.source->detail, remedy));
		else
			TD_CHECK_STR(in.source->detail, "no importer recognises it");
	}
}

int main(void)
{
	test_units();
	test_commands();
	test_refused();
	test_files();
	test_values();
	test_appended();
	test_gpm();
	test_crlf();
	test_mig();
	test_ambiguous();
	test_unnamed();
	return td_check_result();
}
