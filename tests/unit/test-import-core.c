/* SPDX-License-Identifier: MIT */
/*
 * The importer core, driven by a format made for it: each line is a command.
 *     row START [DUR]  skip  bad  repair START  note  lost N  tod SECONDS  clock NATIVE SECONDS
 *     twice START START (two rows of one line)  fail (-EIO)  what else: -ENOMSG
 */
#include "common/caldate.h"
#include "importers/core/importers.h"
#include "tests/unit/import.h"

struct state {
	int64_t tods[16];
	size_t ntods;
	bool in_end_fails; /* set by the line 'end-fails' */
};

static struct state last_state; /* as it was at the end */
static int ends;

static int put_row(struct td_import *imp, int64_t start_ns, int64_t dur_ns, int64_t bytes)
{
	struct td_call c = TD_CALL_INIT;

	c.start_ns = start_ns;
	c.dur_ns = dur_ns;
	c.done_bytes = bytes;
	c.op_id = td_store_op(imp->store, "read", 4, TD_LAYER_SYSCALL);
	return td_put_call(imp, &c);
}

static bool number(struct td_scan *s, int64_t *ret)
{
	(void)td_scan_blanks(s);
	return td_scan_i64(s, ret);
}

static int row_line(struct td_import *imp, struct td_scan *s)
{
	int64_t start, dur = TD_NULL, bytes = TD_NULL;
	int r;

	if (!number(s, &start))
		return td_reject(imp, imp->line_unterminated ? "cut-line" : "spoilt-line");
	if (number(s, &dur))
		(void)number(s, &bytes);
	r = put_row(imp, start, dur, bytes);
	return r < 0 ? r : TD_LINE_ROW;
}

static int repair_line(struct td_import *imp, struct td_scan *s)
{
	td_repair(imp, "wrapped");
	td_repair(imp, "signed");
	return row_line(imp, s);
}

static int twice_line(struct td_import *imp, struct td_scan *s)
{
	for (int i = 0; i < 2; i++) {
		int64_t start;
		int r;

		if (!number(s, &start))
			return td_reject(imp, "spoilt-line");
		r = put_row(imp, start, TD_NULL, TD_NULL);
		if (r < 0)
			return r;
	}
	return TD_LINE_ROW;
}

static int lost_line(struct td_import *imp, struct td_scan *s)
{
	int64_t n;

	if (!number(s, &n))
		return td_reject(imp, "spoilt-line");
	td_lost(imp, (uint64_t)n);
	return TD_LINE_SKIPPED;
}

static int tod_line(struct td_import *imp, struct td_scan *s)
{
	struct state *st = imp->state;
	int64_t seconds;

	if (!number(s, &seconds) || st->ntods == TD_ARRAY_SIZE(st->tods))
		return td_reject(imp, "spoilt-line");
	st->tods[st->ntods++] = td_import_unwrap_tod(imp, seconds * TD_SEC_NS);
	return TD_LINE_SKIPPED;
}

static int clock_line(struct td_import *imp, struct td_scan *s)
{
	int64_t native, seconds;

	if (!number(s, &native) || !number(s, &seconds))
		return td_reject(imp, "spoilt-line");
	td_import_clock_reading(imp, native, TD_CLOCK_LOCAL_TOD, seconds * TD_SEC_NS, TD_SEC_NS);
	return TD_LINE_SKIPPED;
}

static int skip_line(struct td_import *imp, struct td_scan *s)
{
	return TD_LINE_SKIPPED;
}

static int bad_line(struct td_import *imp, struct td_scan *s)
{
	return td_reject(imp, "spoilt-line");
}

static int note_line(struct td_import *imp, struct td_scan *s)
{
	td_note(imp, "odd", NULL);
	td_note(imp, "told", "in other words");
	return TD_LINE_SKIPPED;
}

static int fail_line(struct td_import *imp, struct td_scan *s)
{
	return -EIO;
}

static int end_fails_line(struct td_import *imp, struct td_scan *s)
{
	((struct state *)imp->state)->in_end_fails = true;
	return TD_LINE_SKIPPED;
}

static const struct {
	const char *word;
	int (*run)(struct td_import *imp, struct td_scan *s);
} commands[] = {
	{ "row", row_line },       { "skip", skip_line },           { "bad", bad_line },
	{ "repair", repair_line }, { "note", note_line },           { "lost", lost_line },
	{ "tod", tod_line },       { "clock", clock_line },         { "twice", twice_line },
	{ "fail", fail_line },     { "end-fails", end_fails_line },
};

static int line(struct td_import *imp, char *text, size_t len)
{
	struct td_scan s = td_scan_of(text, len);
	struct td_str word;

	TD_CHECK_INT(text[len], '\0');
	if (!td_scan_token(&s, &word))
		return TD_LINE_SKIPPED;
	for (size_t i = 0; i < TD_ARRAY_SIZE(commands); i++)
		if (td_str_eq(word, commands[i].word))
			return commands[i].run(imp, &s);
	return -ENOMSG;
}

static bool takes_tail(const char *tail, size_t len)
{
	TD_CHECK_INT(tail[len], '\0');
	return tail[len - 1] == ';';
}

static int end(struct td_import *imp)
{
	ends++;
	last_state = *(struct state *)imp->state;
	TD_CHECK_INT(imp->line_no, 0);
	if (last_state.in_end_fails)
		return -EIO;
	td_note(imp, "whole", NULL);
	return 0;
}

static int begin(struct td_import *imp, struct td_err *err)
{
	static const struct state zero;

	TD_CHECK_INT(memcmp(imp->state, &zero, sizeof(zero)), 0);
	td_import_set_layout(imp, "made up");
	td_import_set_tool(imp, "tool", "1.0", NULL);
	td_import_set_tool(imp, NULL, "2.0", "host\xff");
	return 0;
}

static int sniff(const char *head, size_t len)
{
	return 0;
}

static const struct td_importer importer = {
	.name = "made-up",
	.desc = "for this test",
	.clock = TD_CLOCK_BOOT,
	.state_size = sizeof(struct state),
	.sniff = sniff,
	.begin = begin,
	.line = line,
	.takes_tail = takes_tail,
	.end = end,
};

/* --- counting --- */

static void test_counting(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("counting");
	td_import_text(&in, &importer,
		       "skip\n"
		       "row 1000 50\n"
		       "row x\n"
		       "\n"
		       "repair 900\n"
		       "repair y\n"
		       "row 2000\r\n"
		       "lost 7\n"
		       "twice 1500 1600\n"
		       "bad\n"
		       "note\n"
		       "lost 35\n",
		       NULL);
	/* rows: 1000, 900, 2000, and one line with two of them */
	TD_CHECK_INT(in.source->lines, 12);
	TD_CHECK_INT(in.source->rows, 4);
	TD_CHECK_INT(in.source->skipped, 5);
	TD_CHECK_INT(in.source->issues, 3);
	TD_CHECK_INT(in.source->repaired, 1); /* the repaired line that was no row is no repair */
	TD_CHECK_INT(in.source->lost_events, 42);
	TD_CHECK_INT(in.ncalls, 5);
	TD_CHECK_INT(td_issues_of(&in, "spoilt-line"), 3);
	TD_CHECK_INT(td_issues_of(&in, "wrapped"), 2);
	TD_CHECK_INT(td_issues_of(&in, "signed"), 2);
	TD_CHECK_INT(td_issues_of(&in, "odd"), 1);
	TD_CHECK_INT(td_issues_of(&in, "told"), 1);
	TD_CHECK_INT(td_issues_of(&in, "whole"), 1);
	TD_CHECK_STR(td_state_names[in.source->state], "complete");
	TD_CHECK_STR(in.source->importer, "made-up");
	TD_CHECK_STR(in.source->layout, "made up");
	TD_CHECK_STR(in.source->tool, "tool");
	TD_CHECK_STR(in.source->tool_version, "2.0");
	TD_CHECK_STR(in.source->host, "host\xef\xbf\xbd");
	TD_CHECK_INT(in.source->clock, TD_CLOCK_BOOT);
	TD_CHECK_INT(in.source->first_native_ns, 900);
	TD_CHECK_INT(in.source->last_native_ns, 2000);
	TD_CHECK_INT(strlen(in.source->hash), 32);
	for (size_t i = 0; i < in.ncalls; i++)
		TD_CHECK_INT(in.calls[i].source_id, 1);

	/* the first line number and the text of each */
	TD_CHECK_STR(in.has->issue_counts[0].kind, "spoilt-line");
	TD_CHECK_INT(in.has->issue_counts[0].first_line, 3);
	TD_CHECK_INT(in.has->issue_counts[0].effect, TD_DROPPED);
	TD_CHECK_STR(in.has->issues[0].text, "row x");
	TD_CHECK_INT(in.has->issue_counts[1].effect, TD_REPAIRED);
	for (size_t i = 0; i < in.has->nissues; i++) {
		if (strcmp(in.has->issues[i].kind, "told") == 0)
			TD_CHECK_STR(in.has->issues[i].text, "in other words");
		if (strcmp(in.has->issues[i].kind, "whole") == 0)
			TD_CHECK_INT(in.has->issues[i].line, 0);
	}
}

static void test_range(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("range: a call that ends after the last one began");
	td_import_text(&in, &importer, "row 100 5000\nrow 4000 10\n", NULL);
	TD_CHECK_INT(in.source->first_native_ns, 100);
	TD_CHECK_INT(in.source->last_native_ns, 5100);
}

static void test_states(void)
{
	static const struct {
		const char *name, *text, *state, *detail;
		int lines;
	} cases[] = {
		{ "whole", "row 1\nrow 2\n", "complete", NULL, 2 },
		{ "no newline at the end", "row 1\nrow 2", "cut", "the last line is cut", 2 },
		{ "no newline behind a whole line", "row 1\nrow 2;", "complete", NULL, 2 },
		{ "whole to look at, but not", "row 1\nrow ;", "cut", "the last line is cut", 2 },
		{ "cut", "row 1\nrow ", "cut", "the last line is cut", 2 },
		{ "empty", "", "empty", NULL, 0 },
		{ "no data", "skip\n", "complete", NULL, 1 },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };

		TD_CASE(cases[i].name);
		td_import_text(&in, &importer, cases[i].text, NULL);
		TD_CHECK_STR(td_state_names[in.source->state], cases[i].state);
		TD_CHECK_STR(in.source->detail ? in.source->detail : "-",
			     cases[i].detail ? cases[i].detail : "-");
		TD_CHECK_INT(in.source->lines, cases[i].lines);
		TD_CHECK_INT(in.source->first_native_ns == TD_NULL, in.ncalls == 0);
	}
}

static void test_long_line(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	size_t len = (size_t)3 << 20;
	_cleanup_free_ char *text = malloc(len + 32);

	TD_CASE("a line of 3 MiB");
	memset(text, 'x', len);
	memcpy(text, "row 1\n", 6);
	memcpy(text + len, "\nrow 2\n", 8);
	td_import_text(&in, &importer, text, NULL);
	TD_CHECK_INT(in.source->lines, 3);
	TD_CHECK_INT(in.source->rows, 2);
	TD_CHECK_INT(in.source->issues, 1);
	TD_CHECK_INT(td_issues_of(&in, "line-too-long"), 1);
	TD_CHECK_INT(in.has->issue_counts[0].first_line, 2);
	TD_CHECK_INT(strlen(in.has->issues[0].text), 512);
}

/* What no run can have had: it is not stored, and the line is an issue. */
static void test_impossible(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("impossible values");
	td_import_text(&in, &importer,
		       "row 5 -1 10\n" /* no such duration, the rest is good */
		       "row 6 9000000000000000000 10\n" /* 285 years, likewise */
		       "row 7 2 -10\n"
		       "row 9000000000000000000 9\n" /* a year of 2255, or so long after boot */
		       "row -9000000000000000000 9\n"
		       "twice 9000000000000000000 9000000000000000000\n"
		       "twice 8 9000000000000000000\n"
		       "clock 9000000000000000000 40000\n"
		       "clock -9000000000000000000 40000\n"
		       "row 9 3\n",
		       NULL);
	TD_CHECK_INT(in.source->rows, 4);
	TD_CHECK_INT(in.source->repaired, 3);
	TD_CHECK_INT(in.source->issues, 6);
	TD_CHECK_INT(td_issues_of(&in, "impossible-duration"), 2);
	TD_CHECK_INT(td_issues_of(&in, "impossible-size"), 1);
	TD_CHECK_INT(td_issues_of(&in, "impossible-time"), 6);
	TD_CHECK_INT(in.ncalls, 5);
	TD_CHECK_INT(in.calls[0].dur_ns, TD_NULL);
	TD_CHECK_INT(in.calls[0].done_bytes, 10);
	TD_CHECK_INT(in.calls[1].dur_ns, TD_NULL);
	TD_CHECK_INT(in.calls[2].dur_ns, 2);
	TD_CHECK_INT(in.calls[2].done_bytes, TD_NULL);
	TD_CHECK_INT(in.source->first_native_ns, 5);
	TD_CHECK_INT(in.source->last_native_ns, 12);
	TD_CHECK_INT(in.has->nanchors, 0);
}

/* --- times of day --- */

static void check_tods(const char *name, const char *text, const int64_t *want_s, size_t n)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE(name);
	td_import_text(&in, &importer, text, NULL);
	TD_CHECK_INT(last_state.ntods, n);
	for (size_t i = 0; i < n; i++)
		TD_CHECK_INT(last_state.tods[i], want_s[i] * TD_SEC_NS);
}

#define TODS(name, text, ...)                                                                      \
	check_tods(name, text, (const int64_t[]){ __VA_ARGS__ },                                   \
		   sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))

/* A day has 86400 s. */
static void test_unwrap(void)
{
	TODS("one day", "tod 3600\ntod 3601\ntod 43200\n", 3600, 3601, 43200);
	TODS("disorder", "tod 3600\ntod 3599\ntod 3601\n", 3600, 3599, 3601);
	TODS("midnight", "tod 86398\ntod 86399\ntod 0\ntod 1\n", 86398, 86399, 86400, 86401);
	TODS("two midnights", "tod 80000\ntod 10000\ntod 50000\ntod 80000\ntod 5\n", 80000, 96400,
	     136400, 166400, 172805);
	TODS("straggler", "tod 86399\ntod 0\ntod 86399\ntod 1\n", 86399, 86400, 86399, 86401);
	TODS("straggler in front", "tod 0\ntod 86399\ntod 1\ntod 86398\n", 0, -1, 1, -2);
	TODS("two stragglers, then on", "tod 86399\ntod 1\ntod 86398\ntod 86397\ntod 2\n", 86399,
	     86401, 86398, 86397, 86402);
}

/* --- clock readings --- */

static void test_anchors(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	const struct td_anchor *a;

	TD_CASE("anchors");
	td_import_text(&in, &importer,
		       "clock 5000000000 86399\n"
		       "clock 5900000000 86399\n"
		       "clock 5990000000 0\n"
		       "clock 6800000000 0\n",
		       NULL);
	a = in.has->anchors;
	TD_CHECK_INT(in.has->nanchors, 2);
	/* 23:59:59 was shown from 5.0 to 5.9 s, so it began in (4.9, 5.0]; 00:00:00 is 86400 s */
	TD_CHECK_INT(a[0].before_ns, INT64_C(4900000000));
	TD_CHECK_INT(a[0].after_ns, INT64_C(5000000000));
	TD_CHECK_INT(a[0].wall_ns, 86399 * TD_SEC_NS);
	TD_CHECK_INT(a[0].wall, TD_CLOCK_LOCAL_TOD);
	TD_CHECK_INT(a[0].source_id, 1);
	TD_CHECK_INT(a[1].before_ns, INT64_C(5900000000));
	TD_CHECK_INT(a[1].after_ns, INT64_C(5990000000));
	TD_CHECK_INT(a[1].wall_ns, 86400 * TD_SEC_NS);
	/* nothing but readings, and still a time range */
	TD_CHECK_INT(in.source->first_native_ns, INT64_C(5000000000));
	TD_CHECK_INT(in.source->last_native_ns, INT64_C(6800000000));
}

/* The same time of day is another time the next day, also when the midnight was met elsewhere. */
static void test_same_reading_next_day(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	const struct td_anchor *a;

	TD_CASE("same reading, next day");
	td_import_text(&in, &importer,
		       "clock 1000000000 50000\n"
		       "clock 1500000000 50000\n"
		       "tod 80000\n"
		       "tod 10000\n"
		       "tod 50000\n"
		       "clock 86401000000000 50000\n",
		       NULL);
	a = in.has->anchors;
	TD_CHECK_INT(in.has->nanchors, 2);
	TD_CHECK_INT(a[0].wall_ns, 50000 * TD_SEC_NS);
	TD_CHECK_INT(a[0].after_ns, INT64_C(1000000000));
	TD_CHECK_INT(a[1].wall_ns, (86400 + 50000) * TD_SEC_NS);
	TD_CHECK_INT(a[1].after_ns, INT64_C(86401000000000));
}

/* --- failures --- */

static int import(struct td_store *st, const char *text, const struct td_importer *with,
		  struct td_err *err)
{
	return td_import_mem(st, text, strlen(text), "a.log", with, &td_no_options, err);
}

/* Other sources may follow one that failed: what it left must be in order, and accounted for. */
static void test_failure(void)
{
	struct td_imported in = { 0 };
	const struct td_source *s;

	TD_CASE("failure in a line");
	td_make_store(&in);
	ends = 0;
	TD_CHECK_INT(
		import(in.st, "row 5000\nbad\nskip\nrow 4000\nfail\nrow 3\n", &importer, &in.err),
		-EIO);
	s = td_store_source_at(in.st, 1);
	TD_CHECK_STR(td_state_names[s->state], "failed");
	TD_CHECK_STR(s->detail, "cannot read 'a.log': Input/output error");
	TD_CHECK_STR(in.err.msg, s->detail);
	TD_CHECK_INT(s->lines, 4);
	TD_CHECK_INT(s->rows, 2);
	TD_CHECK_INT(s->issues, 1);
	TD_CHECK_INT(s->skipped, 1);
	TD_CHECK_INT(s->first_native_ns, 4000);
	TD_CHECK_INT(s->last_native_ns, 5000);
	TD_CHECK_INT(ends, 1);

	TD_CASE("a source after one that failed");
	TD_CHECK_INT(import(in.st, "row 100\nrow 200\n", &importer, &in.err), 0);
	TD_CHECK_STR(td_state_names[td_store_source_at(in.st, 2)->state], "complete");
	TD_CHECK_INT(td_store_source_at(in.st, 2)->first_native_ns, 100);
	TD_CHECK_INT(td_store_error(in.st), 0);
	td_collect_rows(&in);
	TD_CHECK_INT(in.ncalls, 4);
	td_imported_done(&in);

	TD_CASE("failure at the end");
	td_make_store(&in);
	TD_CHECK_INT(import(in.st, "row 1\nend-fails\n", &importer, &in.err), -EIO);
	TD_CHECK_STR(td_state_names[td_store_source_at(in.st, 1)->state], "failed");
	td_imported_done(&in);
}

static struct td_shift shifts[3];

static const struct td_shift *shift_of(void *ud, const void *record)
{
	return &shifts[((const struct td_call *)record)->source_id];
}

static int check_order(void *ud, void *record)
{
	int64_t *last = ud;

	TD_CHECK(((struct td_call *)record)->start_ns >= *last);
	*last = ((struct td_call *)record)->start_ns;
	return 0;
}

/* The staging area keeps the rows of a source together, as only these keep their order when the clocks
 * are known. */
static void test_order_after_failure(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	int64_t last = INT64_MIN;

	TD_CASE("order after a failure");
	td_make_store(&in);
	TD_CHECK_INT(import(in.st, "row 1000\nrow 2000\nfail\n", &importer, &in.err), -EIO);
	TD_CHECK_INT(import(in.st, "row 1500\nrow 2500\n", &importer, &in.err), 0);
	shifts[1].offset_ns = 10000;
	shifts[2].offset_ns = 0;
	TD_CHECK_INT(td_stage_read(td_store_stage(in.st, TD_KIND_CALL), TD_KIND_CALL, shift_of,
				   check_order, &last),
		     0);
	TD_CHECK_INT(last, 12000);
}

static void test_unrecognised(void)
{
	struct td_import_options options = td_no_options;
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	static const char *const wide[] = { "\xfe\xff\0:\0:\0:", "a\0b\0c\0d", "\0a\0b\0c\0d",
					    "a\0b\0\0\0d" };
	const struct td_source *s;

	TD_CASE("unrecognised");
	td_make_store(&in);
	TD_CHECK_INT(import(in.st, "what is this?\n", NULL, &in.err), 0);
	s = td_store_source_at(in.st, 1);
	TD_CHECK_STR(td_state_names[s->state], "unrecognised");
	TD_CHECK(!s->importer);
	TD_CHECK_STR(s->detail, "no importer recognises it");
	TD_CHECK_INT(s->lines, 0);
	TD_CHECK_INT(s->size_bytes, 14);
	TD_CHECK_INT(strlen(s->hash), 32);
	TD_CHECK_INT(s->first_native_ns, TD_NULL);

	TD_CASE("UTF-16, as PowerShell writes");
	TD_CHECK_INT(
		td_import_mem(in.st, "\xff\xfe:\0:\0", 6, "utf-16", NULL, &td_no_options, &in.err),
		0);
	s = td_store_source_at(in.st, 2);
	TD_CHECK_STR(td_state_names[s->state], "unrecognised");
	TD_CHECK(s->detail && strstr(s->detail, "iconv"));

	TD_CASE("UTF-16 of the other order, without a mark, and a text with NULs that is none");
	for (size_t i = 0; i < TD_ARRAY_SIZE(wide); i++) {
		TD_CHECK_INT(
			td_import_mem(in.st, wide[i], 8, "utf-16", NULL, &td_no_options, &in.err),
			0);
		s = td_store_source_at(in.st, (uint16_t)(3 + i));
		TD_CHECK_STR(td_state_names[s->state], "unrecognised");
		TD_CHECK_INT(s->detail && strstr(s->detail, "iconv"), i < 3);
	}

	TD_CASE("empty, of no format");
	TD_CHECK_INT(import(in.st, "", NULL, &in.err), 0);
	s = td_store_source_at(in.st, 7);
	TD_CHECK_STR(td_state_names[s->state], "empty");
	TD_CHECK(!s->detail);

	TD_CASE("no such format");
	options.format = "no-such";
	TD_CHECK_INT(td_import_mem(in.st, "x\n", 2, "a", NULL, &options, &in.err), -EINVAL);
	TD_CHECK(strstr(in.err.msg, "'no-such'"));

	TD_CASE("no such file");
	TD_CHECK_INT(td_import_file(in.st, "/nonexistent/x", "x", &td_no_options, NULL, &in.err),
		     -ENOENT);
	TD_CHECK(strstr(in.err.msg, "/nonexistent/x"));
	TD_CHECK_STR(td_state_names[td_store_source_at(in.st, 9)->state], "failed");
}

/* --- whole files --- */

static char file_path[256]; /* of the last one */

/* Each byte of the file is a row: '.' none, 'r' a row, 'R' one with a time that cannot be, 'x' an issue, 'c' the end is
 * missing, '?' it is something else, '!' it cannot be read. */
static int whole_file(struct td_import *imp, const char *path, struct td_err *err)
{
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	int r = 0;

	(void)snprintf(file_path, sizeof(file_path), "%s", path);
	text = td_read_whole(path, &len);
	TD_CHECK(text != NULL);
	for (size_t i = 0; i < len && r == 0; i++) {
		int verdict = TD_LINE_SKIPPED;

		if (text[i] == '?')
			return TD_FILE_FOREIGN;
		if (text[i] == 'c') {
			td_import_set_cut(imp, "half of it is missing");
			continue;
		}
		td_import_row(imp);
		TD_CHECK_INT(imp->line_no, i + 1);
		td_import_row_text(imp, text + i, 1);
		if (text[i] == 'r' || text[i] == 'R')
			verdict = put_row(imp, text[i] == 'r' ? (int64_t)i : INT64_MAX, 1, TD_NULL);
		if (text[i] == 'x')
			verdict = td_reject(imp, "not-a-row");
		if (text[i] == '!')
			verdict = td_err_set(err, -EIO, "cannot read it");
		if (verdict == 0 && text[i] != '.')
			verdict = TD_LINE_ROW;
		r = td_import_row_done(imp, verdict);
	}
	return r;
}

static const struct td_importer file_importer = {
	.name = "whole",
	.desc = "for this test",
	.clock = TD_CLOCK_BOOT,
	.sniff = sniff,
	.file = whole_file,
};

static void test_file(void)
{
	TD_CASE("whole file");
	{
		_cleanup_(td_imported_done) struct td_imported in = { 0 };

		td_import_text(&in, &file_importer, "r.xrR", NULL);
		TD_CHECK_INT(in.source->lines, 5);
		TD_CHECK_INT(in.source->rows, 2);
		TD_CHECK_INT(in.source->skipped, 1);
		TD_CHECK_INT(in.source->issues, 2);
		TD_CHECK_INT(in.ncalls, 2);
		TD_CHECK_INT(in.source->last_native_ns, 4);
		TD_CHECK_INT(in.source->state, TD_STATE_COMPLETE);
		TD_CHECK_INT(strlen(in.source->hash), 32);
		TD_CHECK_INT(in.source->size_bytes, 5);
		TD_CHECK_INT(td_issues_of(&in, "not-a-row"), 1);
		TD_CHECK_STR(in.has->issues[0].text, "x");
		TD_CHECK_INT(in.has->issues[0].line, 3);
		TD_CHECK_INT(td_issues_of(&in, "impossible-time"), 1);
		TD_CHECK(access(file_path, F_OK) < 0); /* it was unpacked for the importer only */
	}
	TD_CASE("whole file: cut");
	{
		_cleanup_(td_imported_done) struct td_imported in = { 0 };

		td_import_text(&in, &file_importer, "rc", NULL);
		TD_CHECK_INT(in.source->state, TD_STATE_CUT);
		TD_CHECK_STR(in.source->detail, "half of it is missing");
	}
	TD_CASE("whole file: of another format");
	{
		_cleanup_(td_imported_done) struct td_imported in = { 0 };

		td_import_text(&in, &file_importer, "?", NULL);
		TD_CHECK_INT(in.source->state, TD_STATE_UNRECOGNISED);
		TD_CHECK(in.source->importer == NULL);
		TD_CHECK_INT(in.source->clock, TD_CLOCK_NONE);
		TD_CHECK_INT(strlen(in.source->hash), 32);
	}
}

static void test_file_failure(void)
{
	_cleanup_(td_store_freep) struct td_store *st = NULL;
	struct td_err err = { { 0 } };

	TD_CASE("whole file: cannot be read");
	TD_CHECK_INT(td_store_new("/tmp/tracedb-test-spill", &st), 0);
	TD_CHECK_INT(td_import_mem(st, "rr!r", 4, "x", &file_importer, &td_no_options, &err), -EIO);
	TD_CHECK_STR(err.msg, "cannot read it");
	TD_CHECK_INT(td_store_source_at(st, 1)->state, TD_STATE_FAILED);
	TD_CHECK_INT(td_store_source_at(st, 1)->rows, 2);
	TD_CHECK(access(file_path, F_OK) < 0);
}

/* --- the table --- */

static void test_registry(void)
{
	for (size_t i = 0; td_importers[i]; i++) {
		const struct td_importer *imp = td_importers[i];

		TD_CASE(imp->name);
		TD_CHECK(imp->desc && imp->desc[0]);
		TD_CHECK(imp->sniff && !!imp->line + !!imp->data + !!imp->file == 1);
		TD_CHECK(imp->line || !imp->begin);
		TD_CHECK(imp->clock < TD_NCLOCKS);
		TD_CHECK_INT(imp->sniff("", 0), 0);
		TD_CHECK_INT(imp->sniff("\n\n\n", 3), 0);
		TD_CHECK_INT(imp->sniff("\0\xff\0\n", 4), 0);
		TD_CHECK(i == 0 || strcmp(td_importers[i - 1]->name, imp->name) < 0);
	}
}

/* --- texts --- */

static void test_keep(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	struct td_import imp = { 0 };
	char text[] = "sda1";
	struct td_str kept;

	TD_CASE("keep");
	td_make_store(&in);
	imp.store = in.st;
	kept = td_import_keep(&imp, (struct td_str){ text, 3 });
	TD_CHECK(td_str_eq(kept, "sda"));
	TD_CHECK_STR(kept.p, "sda");
	memset(text, 'x', 4);
	TD_CHECK_STR(kept.p, "sda");
	TD_CHECK(td_import_keep_cstr(&imp, "sda") == kept.p);
	TD_CHECK_STR(td_import_keep_cstr(&imp, ""), "");
}

/* --- --layout --- */

/* Each is for the importers of one family, in the order given. */
static void test_layouts(void)
{
	static const char *const given[] = { "nvidia-smi dmon -s m",
					     TD_TEST_DATA "/bpftrace/fsync.bt", "nvidia-smi pmon",
					     NULL };
	_cleanup_(td_import_layouts_done) struct td_import_layouts l = td_layouts_of(given);
	const struct td_layout_kind *nvidia = td_importer_nvidia_smi.layout,
				    *bpftrace = td_importer_bpftrace.layout;
	struct td_err err = { "" };
	size_t at = 0;

	TD_CASE("--layout");
	TD_CHECK_INT(l.n, 3);
	TD_CHECK(td_importer_nvidia_query.layout == nvidia && bpftrace != nvidia);
	TD_CHECK(td_import_layouts_next(&l, nvidia, &at) == l.items[0].layout);
	TD_CHECK(td_import_layouts_next(&l, nvidia, &at) == l.items[2].layout);
	TD_CHECK(!td_import_layouts_next(&l, nvidia, &at));
	at = 0;
	TD_CHECK(td_import_layouts_next(&l, bpftrace, &at) == l.items[1].layout);
	TD_CHECK(!td_import_layouts_next(&l, bpftrace, &at));
	TD_CHECK(!td_import_layouts_next(NULL, bpftrace, &at));
	TD_CHECK_INT(td_import_layouts_add(&l, "", &err), -EINVAL);
	TD_CHECK(err.msg[0]);
	TD_CHECK_INT(l.n, 3);
}

int main(void)
{
	test_counting();
	test_range();
	test_states();
	test_long_line();
	test_impossible();
	test_unwrap();
	test_anchors();
	test_same_reading_next_day();
	test_failure();
	test_order_after_failure();
	test_unrecognised();
	test_file();
	test_file_failure();
	test_registry();
	test_keep();
	test_layouts();
	return td_check_result();
}
