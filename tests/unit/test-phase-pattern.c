/* SPDX-License-Identifier: MIT */
/* Logs that only --phase-pattern makes phases of, and what a recording has found in the output of its command. */
#include "importers/core/importers.h"
#include "importers/core/phase_pattern.h"
#include "importers/mllog/phases.h"
#include "tests/unit/samplers.h"

/* date -u -d "2024-05-01 10:00" +%s */
#define T0 (INT64_C(1714557600) * TD_SEC_NS)
#define NO_ZONE TD_NULL

/* --- the time of a line --- */

static const struct {
	const char *line;
	bool found, utc;
	int64_t after_ns; /* 10:00 */
} times[] = {
	{ "2024-05-01 10:00:01,250 INFO Epoch 3", true, false, 1250000000 },
	{ "INFO [2024/05/01 10:00:01] Epoch 3", true, false, 1000000000 },
	{ "2024-05-01T10:00:01.5Z Epoch", true, true, 1500000000 },
	{ "2024-05-01T12:00:01.5+02:00 Epoch", true, true, 1500000000 },
	{ "2024-05-01 05:00:01 -0500 Epoch", true, true, 1000000000 },
	{ "1714557601.250 Epoch 3", true, true, 1250000000 },
	{ "[1714557601.000001] Epoch 3", true, true, 1000001000 },
	/* what looks like a time and is none */
	{ "1714557601 Epoch 3", false, false, 0 },
	{ "171455760.5 Epoch 3", false, false, 0 },
	{ "10:00:01 Epoch 3", false, false, 0 },
	{ "2024-13-01 10:00:01 Epoch", false, false, 0 },
	{ "x2024-05-01 10:00:01 Epoch", false, false, 0 },
	{ "Epoch 3", false, false, 0 },
	{ "", false, false, 0 },
};

static void test_times(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(times); i++) {
		struct td_str line = { times[i].line, strlen(times[i].line) };
		int64_t ns;
		bool utc;

		TD_CASE(times[i].line);
		TD_CHECK_INT(td_mllog_line_time(line, &ns, &utc), times[i].found);
		if (!times[i].found)
			continue;
		TD_CHECK_INT(ns - T0, times[i].after_ns);
		TD_CHECK_INT(utc, times[i].utc);
	}
}

/* --- phases --- */

#define AT(sec, text) "2024-05-01 10:00:" sec " " text "\n"
#define UTC(sec, text) "2024-05-01T10:00:" sec "Z " text "\n"

static const struct {
	const char *name, *patterns[2], *text;
	const char *want; /* '.' behind those that end with the log */
	unsigned rows, skipped, issues;
	enum td_clock clock;
	const char *kind; /* of issue that is counted once */
	int64_t utc_offset_s; /* --tz */
} cases[] = {
	/* 1 .. 4, 4 .. 9; the last line is the end of the log */
	{
		.name = "epochs",
		.patterns = { "Epoch [0-9]+" },
		.text = "starting\n" AT("01", "Epoch 1/2")
			AT("02", "Epoch 1/2 50 %") "Epoch 1/2 60 %\n" AT("04", "Epoch 2/2")
				AT("09", "done"),
		.want = "phase epoch 1 @1+3 complete\n"
			"phase epoch 2 @4+5 complete .\n",
		.rows = 2,
		.skipped = 4,
		.clock = TD_CLOCK_LOCAL,
		.utc_offset_s = NO_ZONE,
	},
	/* two hours east of UTC: 7200 - 1 */
	{
		.name = "epochs, --tz",
		.patterns = { "Epoch [0-9]+" },
		.text = AT("01", "Epoch 1") AT("04", "end"),
		.want = "phase epoch 1 @-7199+3 complete .\n",
		.rows = 1,
		.skipped = 1,
		.clock = TD_CLOCK_UTC,
		.utc_offset_s = 7200,
	},
	/* kinds do not end each other: step 10 is on from 2 to 5, step 20 from 5 to 6 */
	{
		.name = "two kinds in a line",
		.patterns = { "epoch=[0-9]+", "step=[0-9]+" },
		.text = UTC("02", "epoch=1 step=10") UTC("05", "epoch=1 step=20")
			UTC("06", "epoch=2 step=30") UTC("08", "end"),
		.want = "phase epoch 1 @2+4 complete\n"
			"phase epoch 2 @6+2 complete .\n"
			"phase step 10 @2+3 complete\n"
			"phase step 20 @5+1 complete\n"
			"phase step 30 @6+2 complete .\n",
		.rows = 3,
		.skipped = 1,
		.clock = TD_CLOCK_UTC,
		.utc_offset_s = NO_ZONE,
	},
	/* without a number each line begins another one */
	{
		.name = "no number",
		.patterns = { "Saving" },
		.text = UTC("01", "Saving") UTC("03", "Saving") UTC("04", "x"),
		.want = "phase saving - @1+2 complete\n"
			"phase saving - @3+1 complete .\n",
		.rows = 2,
		.skipped = 1,
		.clock = TD_CLOCK_UTC,
		.utc_offset_s = NO_ZONE,
	},
	{
		.name = "ranks",
		.patterns = { "Epoch [0-9]+" },
		.text = "[rank0]: " UTC("01", "Epoch 1") "1: " UTC("02", "Epoch 1") "0: " UTC(
			"05", "Epoch 2"),
		.want = "phase epoch 1 rank 0 @1+4 complete\n"
			"phase epoch 1 rank 1 @2+3 complete .\n"
			"phase epoch 2 rank 0 @5+0 complete .\n",
		.rows = 3,
		.clock = TD_CLOCK_UTC,
		.utc_offset_s = NO_ZONE,
	},
	{
		.name = "ranks in front of what the logger prints",
		.patterns = { "Epoch [0-9]+" },
		.text = "[default1]:[2024-05-01T10:00:01Z] [INFO] Epoch 1\n"
			"[1,2]<stdout>:2024-05-01T10:00:02Z [INFO] Epoch 1\n"
			"[3] [main] 2024-05-01T10:00:03Z Epoch 1\n"
			"[INFO] 2024-05-01T10:00:04Z [x] Epoch 1\n",
		.want = "phase epoch 1 rank 1 @1+3 complete .\n"
			"phase epoch 1 rank 2 @2+2 complete .\n"
			"phase epoch 1 rank 3 @3+1 complete .\n"
			"phase epoch 1 @4+0 complete .\n",
		.rows = 4,
		.clock = TD_CLOCK_UTC,
		.utc_offset_s = NO_ZONE,
	},
	{
		.name = "no time",
		.patterns = { "Epoch [0-9]+" },
		.text = "Epoch 1\n" UTC("01", "Epoch 2"),
		.want = "phase epoch 2 @1+0 complete .\n",
		.rows = 1,
		.issues = 1,
		.clock = TD_CLOCK_UTC,
		.kind = "no-time",
		.utc_offset_s = NO_ZONE,
	},
	{
		.name = "a last line that may be cut",
		.patterns = { "Epoch [0-9]+" },
		.text = UTC("01", "Epoch 1") "2024-05-01T10:00:04Z Epoch 1",
		.want = "phase epoch 1 @1+3 complete .\n",
		.rows = 1,
		.issues = 1,
		.clock = TD_CLOCK_UTC,
		.kind = "cut-line",
		.utc_offset_s = NO_ZONE,
	},
	{
		.name = "local times in a log of MLPerf",
		.patterns = { "Epoch [0-9]+" },
		.text = ":::MLLOG {\"time_ms\": 1714557601000, \"key\": \"eval_start\"}\n" AT(
			"02", "Epoch 1"),
		.want = "phase eval - @1+- unfinished\n",
		.rows = 1,
		.issues = 1,
		.clock = TD_CLOCK_UTC,
		.kind = "other-clock",
		.utc_offset_s = NO_ZONE,
	},
	{
		.name = "MLPerf's lines in a log of local times",
		.patterns = { "Epoch [0-9]+" },
		.text = AT("02", "Epoch 1") ":::MLLOG {\"time_ms\": 1714557601000, \"key\": "
					    "\"eval_start\"}\n",
		.want = "phase epoch 1 @2+0 complete .\n",
		.rows = 1,
		.issues = 1,
		.clock = TD_CLOCK_LOCAL,
		.kind = "other-clock",
		.utc_offset_s = NO_ZONE,
	},
	/* what is on when time goes back has no length */
	{
		.name = "time goes back",
		.patterns = { "Epoch [0-9]+" },
		.text = UTC("05", "Epoch 1") UTC("02", "Epoch 2") UTC("06", "end"),
		.want = "phase epoch 1 @5+- unfinished\n"
			"phase epoch 2 @2+4 complete .\n",
		.rows = 2,
		.skipped = 1,
		.clock = TD_CLOCK_UTC,
		.utc_offset_s = NO_ZONE,
	},
};

static void add_span(struct td_strbuf *b, const struct td_imported *in, const struct td_span *s)
{
	td_strbuf_addf(b, "%s %s ", td_text_of(in, s->kind_id), td_text_of(in, s->name_id));
	if (s->number == TD_NULL)
		td_strbuf_adds(b, "-");
	else
		td_strbuf_addf(b, "%lld", (long long)s->number);
	if (s->rank != INT32_MIN)
		td_strbuf_addf(b, " rank %d", s->rank);
	td_strbuf_adds(b, " @");
	td_add_ns(b, s->start_ns - T0);
	td_strbuf_addc(b, '+');
	td_add_ns(b, s->dur_ns);
	td_strbuf_addf(b, " %s%s\n", td_text_of(in, s->state_id),
		       strstr(td_text_of(in, s->args_id), "\"end of the log\"") ? " ." : "");
}

static void add_patterns(struct td_import_layouts *layouts, const char *const *patterns, size_t n)
{
	struct td_err err = { "" };

	for (size_t i = 0; i < n && patterns[i]; i++)
		TD_CHECK_INT(td_import_phase_pattern_add(layouts, patterns[i], &err), 0);
}

static void test_cases(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_import_layouts_done) struct td_import_layouts layouts = { 0 };
		_cleanup_(td_imported_done) struct td_imported in = { 0 };
		_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;
		struct td_import_options options = { .layouts = &layouts,
						     .clocks = TD_CLOCK_OPTIONS_NONE };

		TD_CASE(cases[i].name);
		add_patterns(&layouts, cases[i].patterns, TD_ARRAY_SIZE(cases[i].patterns));
		options.clocks.utc_offset_s = cases[i].utc_offset_s;
		td_import_text(&in, NULL, cases[i].text, &options);
		TD_CHECK_STR(in.source->importer ? in.source->importer : "", "mllog");
		TD_CHECK_INT(in.source->clock, cases[i].clock);
		TD_CHECK_INT(in.source->rows, cases[i].rows);
		TD_CHECK_INT(in.source->skipped, cases[i].skipped);
		TD_CHECK_INT(in.source->issues, cases[i].issues);
		if (cases[i].kind)
			TD_CHECK_INT(td_issues_of(&in, cases[i].kind), 1);
		else
			TD_CHECK_INT(in.has->nissue_counts, 0);
		for (size_t k = 0; k < in.nspans; k++)
			add_span(&got, &in, &in.spans[k]);
		td_check_lines(&got, cases[i].want);
	}
}

/* What is kept of a line, and of why a phase ends. */
static void test_args(void)
{
	static const char *const epoch[] = { "Epoch [0-9]+" };
	_cleanup_(td_import_layouts_done) struct td_import_layouts layouts = { 0 };
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	struct td_import_options options = { .layouts = &layouts, .clocks = TD_CLOCK_OPTIONS_NONE };

	TD_CASE("args");
	add_patterns(&layouts, epoch, 1);
	td_import_text(&in, NULL, "\033[1m" UTC("01", "\"Epoch\033[0m 1\"") UTC("02", "Epoch 2"),
		       &options);
	TD_CHECK_INT(in.nspans, 2);
	TD_CHECK_STR(td_text_of(&in, in.spans[0].args_id),
		     "{\"line\":\"2024-05-01T10:00:01Z \\\"Epoch 1\\\"\"}");
	TD_CHECK_STR(td_text_of(&in, in.spans[1].args_id),
		     "{\"end\":\"end of the log\",\"line\":\"2024-05-01T10:00:02Z Epoch 2\"}");
}

/* Without a pattern nobody reads such a log, nor with one that finds nothing; with one that does, also behind what a
 * program prints before (256 KiB here). */
static void test_sniff(void)
{
	static const char *const wrong[] = { "Stage [0-9]+" }, *const right[] = { "Epoch [0-9]+" };
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;

	while (text.len < (size_t)256 * 1024)
		td_strbuf_adds(&text, "downloading\n");
	td_strbuf_adds(&text, UTC("01", "Epoch 1"));
	for (int i = 0; i < 3; i++) {
		_cleanup_(td_import_layouts_done) struct td_import_layouts layouts = { 0 };
		_cleanup_(td_imported_done) struct td_imported in = { 0 };
		struct td_import_options options = { .layouts = &layouts,
						     .clocks = TD_CLOCK_OPTIONS_NONE };

		TD_CASE(i == 0 ? "no pattern" : i == 1 ? "wrong pattern" : "pattern");
		if (i > 0)
			add_patterns(&layouts, i == 1 ? wrong : right, 1);
		td_import_text(&in, NULL, td_strbuf_str(&text), &options);
		TD_CHECK_INT(in.source->importer != NULL, i == 2);
		TD_CHECK_INT(in.nspans, i == 2);
	}
}

/* A pattern that takes everything for a name makes no phase of each: 256 are on at a time, 44 are refused. */
static void test_many_names(void)
{
	static const char *const any[] = { "Z (.*)" };
	_cleanup_(td_import_layouts_done) struct td_import_layouts layouts = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	struct td_import_options options = { .layouts = &layouts, .clocks = TD_CLOCK_OPTIONS_NONE };

	TD_CASE("many names");
	add_patterns(&layouts, any, 1);
	for (int i = 0; i < 300; i++)
		td_strbuf_addf(&text, "2024-05-01T10:00:01Z x%dx\n", i);
	td_import_text(&in, NULL, td_strbuf_str(&text), &options);
	TD_CHECK_INT(in.nspans, 256);
	TD_CHECK_INT(td_issues_of(&in, "too-many-names"), 44);
}

/* --- what a recording has found in the output of its command --- */

#define HEAD "# tracedb output 1\n"

static const struct {
	const char *name, *text, *want;
	unsigned rows, skipped, issues;
	const char *kind; /* of issue or note that is counted once */
} outputs[] = {
	{
		.name = "arrivals",
		.text = HEAD "1714557601.250000\tphase\t1\tepoch\t9\t[rank2]: Epoch 1\n"
			     "1714557602.000000\tphase\t1\tepoch\t9\t[rank2]: Epoch 1 50 %\n"
			     "1714557604.500000\tphase\t2\tepoch\t9\t[rank2]: Epoch 2\n"
			     "1714557604.600000\tphase\t-\tsaving\t0\tSaving\n"
			     "1714557609.000000\tend\n"
			     "1714557608.000000\tend\n",
		.want = "phase epoch 1 rank 2 @1.250000000+3.250000000 complete\n"
			"phase epoch 2 rank 2 @4.500000000+4.500000000 complete\n"
			"phase saving - @4.600000000+4.400000000 complete\n",
		.rows = 4,
		.skipped = 3,
	},
	/* of the other stream the line ended, and so was written, later than it began */
	{
		.name = "not in order of time",
		.text = HEAD "1714557601.000000\tphase\t1\tepoch\t0\tEpoch 1\n"
			     "1714557605.000000\tphase\t2\tepoch\t0\tEpoch 2: 50 %\n"
			     "1714557604.000000\tphase\t2\tepoch\t0\tEpoch 2\n"
			     "1714557609.000000\tend\n",
		.want = "phase epoch 1 @1+3 complete\n"
			"phase epoch 2 @4+5 complete\n",
		.rows = 3,
		.skipped = 2,
	},
	/* the recorder was killed */
	{
		.name = "no end",
		.text = HEAD "1714557601.000000\tphase\t1\tepoch\t0\tEpoch 1\n",
		.want = "phase epoch 1 @1+- unfinished\n",
		.rows = 1,
		.skipped = 1,
	},
	{
		.name = "two epochs in one write",
		.text = HEAD "1714557601.000000\tphase\t1\tepoch\t0\tEpoch 1\n"
			     "1714557601.000000\tphase\t2\tepoch\t0\tEpoch 2\n"
			     "1714557602.000000\tend\n",
		.want = "phase epoch 1 @1+0 complete\n"
			"phase epoch 2 @1+1 complete\n",
		.rows = 2,
		.skipped = 2,
		.kind = "buffered-output",
	},
	/* of an event the time that it says counts, not when it came */
	{
		.name = "MLPerf's",
		.text = HEAD "1714557609.000000\tline\t3: :::MLLOG {\"time_ms\": 1714557601000, "
			     "\"key\": \"eval_start\"}\n"
			     "1714557609.000000\tline\tnothing\n",
		.want = "phase eval - rank 3 @1+- unfinished\n",
		.rows = 1,
		.skipped = 2,
	},
	{
		.name = "spoilt",
		.text = HEAD "x\tphase\t1\tepoch\t0\tEpoch 1\n"
			     "1714557601.000000\tphase\t1\tepoch\t8\tEpoch 1\n"
			     "1714557601.000000\tphase\tx\tepoch\t0\tEpoch 1\n"
			     "1714557601.000000\tphase\t1\t\t0\tEpoch 1\n"
			     "1714557601.000000\tphase\t1\tepoch\n"
			     "1714557601.000000\tending\n"
			     "1714557601.000000\tend\tx\n",
		.want = "",
		.skipped = 1,
		.issues = 7,
	},
};

static void test_outputs(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(outputs); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };
		_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;

		TD_CASE(outputs[i].name);
		td_import_text(&in, NULL, outputs[i].text, NULL);
		TD_CHECK_STR(in.source->importer ? in.source->importer : "", "output");
		TD_CHECK_INT(in.source->rows, outputs[i].rows);
		TD_CHECK_INT(in.source->skipped, outputs[i].skipped);
		TD_CHECK_INT(in.source->issues, outputs[i].issues);
		if (outputs[i].kind)
			TD_CHECK_INT(td_issues_of(&in, outputs[i].kind), 1);
		for (size_t k = 0; k < in.nspans; k++)
			add_span(&got, &in, &in.spans[k]);
		td_check_lines(&got, outputs[i].want);
	}
}

int main(void)
{
	test_times();
	test_cases();
	test_args();
	test_sniff();
	test_many_names();
	test_outputs();
	return td_check_result();
}
