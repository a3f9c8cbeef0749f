/* SPDX-License-Identifier: MIT */
#include <sys/stat.h>

#include "common/cleanup.h"
#include "analyzer/query.h"
#include "analyzer/sandbox.h"
#include "analyzer/report.h"
#include "schema/db.h"
#include "tests/unit/check.h"

/* Times count from 1661663774740000000, 2022-08-28T05:16:14.74Z. */
static const char setup[] =
	"INSERT INTO run (id, name, tracedb_version, start_ns, end_ns, utc_offset_s)"
	" VALUES (1, 'r', '1', 1661663774740000000, 1661663874740000000, -14400);"
	"INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events,"
	" clock_error_ns, first_ns) VALUES"
	" (1, 'a.out', 'complete', 3, 3, 0, 0, 0, 0, 1000, 1),"
	" (2, 'b.out', 'complete', 3, 3, 0, 0, 0, 1234, 1200000000, 1),"
	" (3, 'c.out', 'complete', 3, 3, 0, 0, 0, 5, NULL, 1),"
	" (4, 'd.out', 'complete', 3, 3, 0, 0, 0, 6, 1, 1),"
	" (5, 'e.out', 'complete', 3, 3, 0, 0, 0, 7, 1, 1),"
	" (6, 'pmon.out', 'complete', 3, 3, 0, 0, 0, 0, NULL, 1),"
	" (7, 'mllog.out', 'complete', 3, 3, 0, 0, 0, 0, 500000000, 1);"
	"INSERT INTO track VALUES (1, 'gpu.sm', '%', NULL, NULL, 6);"
	"INSERT INTO string VALUES (1, 'init');"
	"INSERT INTO mark (id, ts_ns, name_id, source_id) VALUES (1, 1, 1, 7);"
	"INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io');"
	"INSERT INTO call (id, start_ns, dur_ns, op_id, nested, source_id) VALUES"
	" (1, 1661663774740000000, 10, 1, 0, 1),"
	" (2, 1661663784740000000, 20, 1, 0, 1),"
	" (3, 1661663794740000000, NULL, 1, 0, 1);";

#define HEAD "-- title: T\n-- column: n count calls\n-- order: n\n"

static sqlite3 *make_db(const char *sql)
{
	sqlite3 *db = NULL;

	TD_CHECK_INT(td_db_create(":memory:", TD_PAGE_SIZE, &db, NULL), 0);
	TD_CHECK_INT(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	TD_CHECK_INT(td_query_sandbox(db, NULL), 0);
	return db;
}

static void test_header(void)
{
	static const char text[] = "-- title: File I/O: by file  \r\n"
				   "-- group: files \r\n"
				   "-- needs: call, span\n"
				   "--needs-any: sample\n"
				   "-- param: by file|process file -- what a row is\n"
				   "-- param: limit INTEGER NULL -- rows\n"
				   "-- param: least bytes -- at least so many\n"
				   "-- column: file TEXT path -- as printed\n"
				   "-- column: total_ns dur_ns\n"
				   "-- order: total_ns DESC, file\n"
				   "-- layout: record\n"
				   "--\n"
				   "-- Free text:\n"
				   "--   indented.\n"
				   "--\n"
				   "-- End.\n"
				   "SELECT 1;\n-- not: header\n";
	_cleanup_(td_report_freep) struct td_report *rep = NULL;
	struct td_err err = { 0 };

	TD_CASE("header");
	TD_CHECK_INT(td_report_parse("file_io", text, &rep, &err), 0);
	TD_CHECK_STR(err.msg, "");
	if (!rep)
		return;
	TD_CHECK_STR(rep->name, "file_io");
	TD_CHECK_STR(rep->title, "File I/O: by file");
	TD_CHECK_STR(rep->group->name, "files");
	TD_CHECK_STR(rep->order, "total_ns DESC, file");
	TD_CHECK_STR(rep->sql, text);
	TD_CHECK(rep->record);
	TD_CHECK(!rep->page);
	TD_CHECK_STR(rep->needs[0], "call");
	TD_CHECK_STR(rep->needs[1], "span");
	TD_CHECK(!rep->needs[2]);
	TD_CHECK_STR(rep->needs_any[0], "sample");
	TD_CHECK_INT(rep->nparams, 3);
	TD_CHECK_STR(rep->params[0].value, "file");
	TD_CHECK_INT(rep->params[0].type, TD_UNIT_TEXT);
	TD_CHECK_STR(rep->params[0].values[0], "file");
	TD_CHECK_STR(rep->params[0].values[1], "process");
	TD_CHECK(!rep->params[0].values[2]);
	TD_CHECK(!rep->params[1].values);
	TD_CHECK_STR(rep->params[0].help, "what a row is");
	TD_CHECK_STR(rep->params[1].value, "");
	TD_CHECK_INT(rep->params[1].type, TD_UNIT_INTEGER);
	TD_CHECK_STR(rep->params[2].name, "least");
	TD_CHECK_STR(rep->params[2].value, "");
	TD_CHECK_STR(rep->params[2].help, "at least so many");
	TD_CHECK_INT(rep->ncolumns, 2);
	TD_CHECK_STR(rep->columns[0].help, "path -- as printed");
	TD_CHECK_INT(rep->columns[1].unit, TD_UNIT_DUR_NS);
	TD_CHECK_STR(rep->columns[1].help, "");
	TD_CHECK_STR(rep->text[0], "Free text:");
	TD_CHECK_STR(rep->text[1], "  indented.");
	TD_CHECK_STR(rep->text[2], "");
	TD_CHECK_STR(rep->text[3], "End.");
	TD_CHECK(!rep->text[4]);
}

static void check_param(const struct td_report_param *p, const char *name, enum td_unit type,
			const char *value, const char *help)
{
	TD_CHECK_STR(p->name, name);
	TD_CHECK_INT(p->type, type);
	TD_CHECK_STR(p->value, value);
	TD_CHECK_STR(p->help, help);
}

/* Names that queries/vocabulary.txt knows, and lines that say anew what one means. */
static void test_vocabulary(void)
{
	static const char text[] =
		"-- title: T\n-- param: by a|b a -- what\n-- filters: time, process, limit 20\n"
		"-- time: requests issued\n-- param: end_ns ts_ns NULL -- till then\n-- param: op "
		"r|w r -- of\n"
		"-- columns: pid, share_pct, calls\n-- columns: max_ns\n-- column: share_pct "
		"percent of all\n"
		"-- column: calls count opens\n-- column: last TEXT one more\n-- loss: none "
		"max_ns\n-- order: pid\n";
	_cleanup_(td_report_freep) struct td_report *rep = NULL;
	struct td_err err = { 0 };

	TD_CHECK_INT(td_report_parse("r", text, &rep, &err), 0);
	TD_CHECK_INT(rep->nparams, 8);
	check_param(&rep->params[0], "by", TD_UNIT_TEXT, "a", "what");
	check_param(&rep->params[1], "start_ns", TD_UNIT_TS_NS, "",
		    "only requests issued at this time or later");
	check_param(&rep->params[2], "end_ns", TD_UNIT_TS_NS, "", "till then");
	check_param(&rep->params[3], "phase", TD_UNIT_TEXT, "",
		    "only requests issued in this phase: 'epoch' (every one) or 'epoch 3'");
	check_param(&rep->params[4], "pid", TD_UNIT_INTEGER, "", "only the process with this id");
	check_param(&rep->params[6], "limit", TD_UNIT_COUNT, "20",
		    "show only so many rows, or all");
	check_param(&rep->params[7], "op", TD_UNIT_TEXT, "r", "of");
	TD_CHECK_INT(rep->ncolumns, 5);
	TD_CHECK_STR(rep->columns[0].name, "pid");
	TD_CHECK_STR(rep->columns[0].help, "process id");
	TD_CHECK_INT(rep->columns[0].unit, TD_UNIT_INTEGER);
	TD_CHECK_STR(rep->columns[1].help, "of all");
	TD_CHECK_INT(rep->columns[1].loss, TD_BOUND_EITHER);
	TD_CHECK_STR(rep->columns[2].help, "opens");
	TD_CHECK_STR(rep->columns[3].help, "longest");
	TD_CHECK_INT(rep->columns[3].loss, TD_BOUND_NONE);
	TD_CHECK_STR(rep->columns[4].name, "last");
	TD_CHECK_STR(rep->columns[4].help, "one more");
}

static void test_bad_headers(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "report 'r': its header has no '-- title:' line" },
		{ "SELECT 1", "report 'r': its header has no '-- title:' line" },
		{ "-- title: T\n-- column: a TEXT",
		  "report 'r': its header has no '-- order:' line" },
		{ "-- title: T\n-- order: a", "report 'r': its header has no '-- column:' line" },
		{ "-- title: T\n-- tilte: U", "report 'r': line 2: unknown key 'tilte'" },
		{ "-- title: T\n-- Free text", "report 'r': line 2: not a 'key: value' line; free "
					       "text comes after a line of '--' "
					       "only: 'Free text'" },
		{ "-- title: T\n-- column: a TEXT \033[2J",
		  "report 'r': line 2: a character that is not for "
		  "print, in the comment of 'r'" },
		{ "-- title: T\xe2\x80\xae",
		  "report 'r': line 1: a character that is not for print, in "
		  "the comment of 'r'" },
		{ "-- column: a b", "report 'r': line 1: unknown unit of a column: 'b'" },
		{ "-- column: A TEXT", "report 'r': line 1: not the name of a column: 'A'" },
		{ "-- column:", "report 'r': line 1: not the name of a column: ''" },
		{ "-- param: a percent",
		  "report 'r': line 1: unknown type of a parameter: 'percent'" },
		{ "-- param: :a TEXT", "report 'r': line 1: not the name of a parameter: ':a'" },
		{ "-- param: a b|", "report 'r': line 1: not a value of a parameter: ''" },
		{ "-- param: a b|c d -- x",
		  "report 'r': line 1: the parameter cannot have its default 'd'" },
		{ "-- param: a TEXT\n-- param: a TEXT",
		  "report 'r': line 2: a second parameter 'a'" },
		{ "-- filters: limit, limit",
		  "report 'r': line 1: no filter, or a second one: 'limit'" },
		{ "-- filters: nosuch",
		  "report 'r': line 1: no filter, or a second one: 'nosuch'" },
		{ "-- filters: ,", "report 'r': line 1: not the name of a filter: ''" },
		{ "-- param: pid INTEGER\n-- filters: process",
		  "report 'r': line 2: a second parameter 'pid'" },
		{ "-- columns: pid, pid", "report 'r': line 1: a second column 'pid'" },
		{ "-- columns: pid\n-- loss: none pid\n-- column: pid INTEGER",
		  "report 'r': line 3: a second column, or one that a line above is about: 'pid'" },
		{ "-- title: T\n-- order: n\n-- columns: pid, nosuch",
		  "report 'r': its header has no '-- column: nosuch' line" },
		{ HEAD "-- filters: limit\n-- time: requests issued",
		  "report 'r': '-- time:' is about no filter" },
		{ "-- needs: a,,b", "report 'r': line 1: not the name of a table: ''" },
		{ "-- needs: a\n-- needs: b", "report 'r': line 2: a second list 'b'" },
		{ "-- loss: some n", "report 'r': line 1: unknown direction of a loss: 'some'" },
		{ "-- column: n count\n-- loss: lower n, m",
		  "report 'r': line 2: no column above is called 'm'" },
		{ "-- loss: lower", "report 'r': line 1: not the name of a column: ''" },
		{ HEAD "-- files: kept\n--\nSELECT n FROM t",
		  "report 'r': '-- files: kept' is of no table of a WITH before its SELECT" },
		{ "-- layout: flat", "report 'r': line 1: unknown layout 'flat'" },
		{ "-- group: file", "report 'r': line 1: no group of reports: 'file'" },
		{ "-- level: bad", "report 'r': line 1: no level of a finding: 'bad'" },
		{ HEAD "-- level: info", "rule 'r': its header has no '-- finding:' line" },
		{ HEAD "-- finding: F", "rule 'r': its header has no '-- level:' line" },
		{ HEAD "-- level: info\n-- finding: F\n-- unless: U",
		  "rule 'r': its header has no '-- advice:' line" },
		{ HEAD "-- level: info\n-- finding: F\n-- advice: A",
		  "rule 'r': its header has no '-- unless:' line" },
		{ HEAD "-- level: info\n-- finding: {n} of {m} things\n-- advice: A\n-- unless: U",
		  "rule 'r': there is a {...} that is no column, before ' things'" },
		{ HEAD "-- level: info\n-- finding: F\n-- advice: {n..}\n-- unless: U",
		  "rule 'r': there is a {...} that is no column, before ''" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_report_freep) struct td_report *rep = NULL;
		struct td_err err = { 0 };

		TD_CASE(cases[i].text);
		TD_CHECK_INT(td_report_parse("r", cases[i].text, &rep, &err), -EINVAL);
		TD_CHECK(!rep);
		TD_CHECK_STR(err.msg, cases[i].want);
	}
}

static void test_rule(void)
{
	static const char text[] =
		"-- title: T\n-- column: n count calls\n-- column: m count more\n-- order: n\n"
		"-- level: critical\n-- finding: {n} and {n..m}\n-- advice: A\n-- unless: {open\n";
	_cleanup_(td_report_freep) struct td_report *rep = NULL;
	const struct td_report_column *a, *b;
	const char *rest;
	struct td_str plain;

	TD_CHECK_INT(td_report_parse("r", text, &rep, NULL), 0);
	if (!rep)
		return;
	TD_CHECK_INT(rep->level, TD_LEVEL_CRITICAL);
	TD_CHECK_STR(rep->advice, "A");
	rest = rep->finding;
	TD_CHECK(td_template_next(rep, &rest, &plain, &a, &b));
	TD_CHECK_INT(plain.len, 0);
	TD_CHECK(a == &rep->columns[0] && b == a);
	TD_CHECK(td_template_next(rep, &rest, &plain, &a, &b));
	TD_CHECK(td_str_eq(plain, " and "));
	TD_CHECK(a == &rep->columns[0] && b == &rep->columns[1]);
	TD_CHECK(!td_template_next(rep, &rest, &plain, &a, &b));
	TD_CHECK_INT(plain.len, 0);
	rest = rep->unless; /* a brace that is not closed is text */
	TD_CHECK(!td_template_next(rep, &rest, &plain, &a, &b));
	TD_CHECK(td_str_eq(plain, "{open"));
}

/* Headers that do not tell the truth about their SQL. */
static void test_lies(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ HEAD "SELECT 1 AS n; SELECT 2", "report 'r': it is more than one statement" },
		{ HEAD "SELECT 1 AS n; syntax", "report 'r': it is more than one statement" },
		{ HEAD, "report 'r': it is not a SELECT" },
		{ HEAD "DELETE FROM run", "report 'r': not authorized" },
		{ HEAD "SELECT 1 AS m", "report 'r': column 1 is 'm', its header says 'n'" },
		{ HEAD "SELECT 1 AS n, 2 AS m",
		  "report 'r': it has 2 columns, its header declares 1" },
		{ HEAD "SELECT :x AS n",
		  "report 'r': its header does not declare the parameter ':x'" },
		{ HEAD "SELECT ? AS n",
		  "report 'r': its header does not declare the parameter '?'" },
		{ HEAD "-- param: x TEXT\nSELECT 1 AS n",
		  "report 'r': it does not use its parameter ':x'" },
		{ HEAD "-- param: x TEXT\nSELECT @x AS n",
		  "report 'r': its header does not declare the parameter '@x'" },
		{ HEAD "SELECT nosuch AS n", "report 'r': no such column: nosuch" },
		{ HEAD "-- needs: nosuch\nSELECT 1 AS n", "report 'r': unknown need 'nosuch'" },
	};
	_cleanup_(td_db_closep) sqlite3 *db = make_db(setup);

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_report_freep) struct td_report *rep = NULL;
		_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
		struct td_err err = { 0 };

		TD_CASE(cases[i].text);
		TD_CHECK_INT(td_report_parse("r", cases[i].text, &rep, &err), 0);
		TD_CHECK(td_report_prepare(db, rep, &stmt, &err) < 0);
		TD_CHECK(!stmt);
		TD_CHECK_STR(err.msg, cases[i].want);
	}
}

/* The outcome of a report as csv. */
struct outcome {
	char *csv;
	struct td_strbuf missing, notes;
	struct td_err err;
	int r;
};

static void outcome_done(struct outcome *o)
{
	free(o->csv);
	td_strbuf_done(&o->missing);
	td_strbuf_done(&o->notes);
}

static void run(sqlite3 *db, const char *text, const struct td_arg *args, size_t nargs,
		struct outcome *o)
{
	static const struct td_writer_options plain;
	_cleanup_(td_report_freep) struct td_report *rep = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&o->csv, &len);
	struct td_writer *w = NULL;

	TD_CHECK_INT(td_report_parse("r", text, &rep, &o->err), 0);
	TD_CHECK_INT(td_writer_new(td_format_find("csv"), f, &plain, &w), 0);
	o->r = td_report_run(db, rep, args, nargs, w, &o->missing, &o->notes, &o->err);
	TD_CHECK_INT(td_writer_end(w), 0);
	td_writer_free(w);
	fclose(f);
}

#define WINDOW                                                                                     \
	HEAD "-- needs: call\n-- param: start_ns ts_ns\n-- param: end_ns ts_ns\n"                  \
	     "SELECT count(*) AS n FROM call WHERE start_ns >= coalesce(:start_ns, 0)"             \
	     " AND start_ns < coalesce(:end_ns, 9e18) ORDER BY n"

/* Calls start 0, 10 and 20 s after the begin of the run. */
static void test_times(void)
{
	static const struct {
		const char *start, *end, *want;
	} cases[] = {
		{ NULL, NULL, "n\n3\n" },
		{ "10s", NULL, "n\n2\n" },
		{ "0", "10s", "n\n1\n" },
		{ "9999ms", "20.000000001s", "n\n2\n" },
		{ "2022-08-28T05:16:24.74Z", NULL, "n\n2\n" },
		{ "2022-08-28 05:16:24.740000001", NULL, "n\n1\n" },
		{ NULL, "1661663784740000000", "n\n1\n" },
		/* four hours behind UTC: from 01:16:14.74 on */
		{ "01:16", "01:17", "n\n3\n" },
		{ "01:17", NULL, "n\n0\n" },
		{ "01:16:24.74", NULL, "n\n2\n" },
		{ "01:16:14", "01:16:25", "n\n2\n" },
	};
	_cleanup_(td_db_closep) sqlite3 *db = make_db(setup);

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(outcome_done) struct outcome o = { 0 };
		struct td_arg args[2];
		size_t n = 0;

		TD_CASE(cases[i].start);
		if (cases[i].start)
			args[n++] = (struct td_arg){ "start_ns", cases[i].start };
		if (cases[i].end)
			args[n++] = (struct td_arg){ "end_ns", cases[i].end };
		run(db, WINDOW, args, n, &o);
		TD_CHECK_STR(o.err.msg, "");
		TD_CHECK_INT(o.r, 0);
		TD_CHECK_STR(o.csv, cases[i].want);
	}
}

#define TYPED                                                                                      \
	HEAD "-- column: type TEXT\n-- param: t TEXT\n-- param: i INTEGER\n-- param: d REAL\n"     \
	     "-- param: b bytes\n-- param: ns dur_ns\n-- param: ts ts_ns\n-- param: e one|two\n"   \
	     "SELECT coalesce(:e, :t, :i, :d, :b, :ns, :ts) AS n,"                                 \
	     " typeof(coalesce(:e, :t, :i, :d, :b, :ns, :ts)) AS type ORDER BY n"

static void test_types(void)
{
	static const struct {
		struct td_arg arg;
		const char *want, *error;
	} cases[] = {
		{ { "t", "12" }, "n,type\n12,text\n", "" },
		{ { "i", "-12" }, "n,type\n-12,integer\n", "" },
		{ { "d", "12" }, "n,type\n12.0,real\n", "" },
		{ { "b", "64mb" }, "n,type\n64000000,integer\n", "" },
		{ { "b", "4KiB" }, "n,type\n4096,integer\n", "" },
		{ { "ns", "1.5ms" }, "n,type\n1500000,integer\n", "" },
		{ { "e", "two" }, "n,type\ntwo,text\n", "" },
		{ { "e", "tow" },
		  "",
		  "report 'r': no e 'tow'; there are one, two; did you mean 'two'?" },
		{ { "e", "" }, "", "report 'r': no e ''; there are one, two" },
		{ { "i", "12x" }, "", "i = '12x' is not an integer" },
		{ { "d", "" }, "", "d = '' is not a number" },
		{ { "b", "5ms" }, "", "b = '5ms' is not a size like 4096, 64kb or 1.5GiB" },
		{ { "ns", "5mb" },
		  "",
		  "ns = '5mb' is not a duration like 1500 (ns), 20us or 1.5s" },
		{ { "ts", "10" },
		  "",
		  "ts = '10' is not a time like 90s (from the begin of the run), "
		  "05:16:14 (local), 2022-08-28T05:16:14Z or ns since the epoch" },
		{ { "ts", "1:16" },
		  "",
		  "ts = '1:16' is not a time like 90s (from the begin of the run), "
		  "05:16:14 (local), 2022-08-28T05:16:14Z or ns since the epoch" },
		{ { "x", "1" }, "", "report 'r' has no parameter 'x'" },
	};
	_cleanup_(td_db_closep) sqlite3 *db = make_db(setup);

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(outcome_done) struct outcome o = { 0 };

		TD_CASE(cases[i].arg.value);
		run(db, TYPED, &cases[i].arg, 1, &o);
		TD_CHECK_INT(o.r, *cases[i].error ? -EINVAL : 0);
		TD_CHECK_STR(o.err.msg, cases[i].error);
		TD_CHECK_STR(o.csv, cases[i].want);
	}
}

static void test_no_begin(void)
{
	_cleanup_(td_db_closep) sqlite3 *db =
		make_db("INSERT INTO run (id, name, tracedb_version) VALUES (1, 'r', '1')");
	_cleanup_(outcome_done) struct outcome o = { 0 };
	struct td_arg arg = { "ts", "10s" };

	TD_CASE("no begin");
	run(db, TYPED, &arg, 1, &o);
	TD_CHECK_INT(o.r, -EINVAL);
	TD_CHECK_STR(o.err.msg, "ts = '10s': nothing in this database has a time, so none can be "
				"counted from its begin");
}

/* One in memory has no name. */
#define ADD_LOG                                                                                    \
	"'tracedb import -o DB --append LOG' adds those of a log (MLPerf's, or any by "            \
	"--phase-pattern)"

static void test_missing(void)
{
	static const struct {
		const char *needs, *want;
	} cases[] = {
		{ "-- needs: call\n", "" },
		{ "-- needs: call, span\n", "no training phases: " ADD_LOG },
		{ "-- needs-any: span, call\n", "" },
		{ "-- needs-any: span, sample\n",
		  "no training phases: " ADD_LOG "; or no samples: "
		  "'tracedb record --cpu --gpu' takes them, as do nvidia-smi pmon and mpstat" },
	};
	_cleanup_(td_db_closep) sqlite3 *db = make_db(setup);

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(outcome_done) struct outcome o = { 0 };
		char text[512];

		TD_CASE(cases[i].needs);
		(void)snprintf(text, sizeof(text), HEAD "%sSELECT 7 AS n ORDER BY n",
			       cases[i].needs);
		run(db, text, NULL, 0, &o);
		TD_CHECK_INT(o.r, *cases[i].want ? TD_REPORT_MISSING : 0);
		TD_CHECK_STR(td_strbuf_str(&o.missing), cases[i].want);
		TD_CHECK_STR(o.csv, *cases[i].want ? "n\n" : "n\n7\n");
	}
}

static void check_notes(sqlite3 *db, const char *header, const struct td_arg *arg, const char *want)
{
	_cleanup_(outcome_done) struct outcome o = { 0 };
	char text[512];

	(void)snprintf(text, sizeof(text),
		       HEAD "-- param: phase TEXT\n%sSELECT :phase AS n ORDER BY n", header);
	run(db, text, arg, arg != NULL, &o);
	TD_CHECK_INT(o.r, 0);
	TD_CHECK_STR(td_strbuf_str(&o.notes), want);
}

#define MISSING ">= at least, <= at most, ~ either way: "
#define LOST MISSING "events lost: 1,234 in b.out, 7 in e.out, 6 in d.out and 1 more\n"
#define CANNOT "clocks: times cannot be compared with other sources' in "
#define ONLY "clocks: times are known only in "

/* Samples are in pmon.out, marks in mllog.out, everything else in the others. */
static void test_notes(void)
{
	_cleanup_(td_db_closep) sqlite3 *db = make_db(setup);
	_cleanup_(td_db_closep) sqlite3 *good = make_db(
		"INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired,"
		" lost_events, first_ns) VALUES (1, 'a', 'complete', 0, 0, 0, 0, 0, 0, 1);"
		"INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io');"
		"INSERT INTO call (id, start_ns, op_id, nested, source_id) VALUES (1, 1, 1, 0, 1)");
	_cleanup_(td_db_closep) sqlite3 *kinds = make_db(
		"INSERT INTO source (id, path, importer, layout, state, lines, rows, skipped, "
		"issues,"
		" repaired, lost_events) VALUES"
		" (1, 'bio.out', 'bpftrace', 'v1/bio', 'complete', 9, 9, 0, 0, 0, 3),"
		" (2, 'vfs_rw.out', 'bpftrace', 'v1/vfs_rw', 'cut', 9, 5, 0, 4, 0, 0),"
		" (3, 'two.out', 'bpftrace', 'v1/bio', 'complete', 9, 9, 0, 0, 0, 5),"
		" (4, 'pmon.out', 'nvidia-smi', 'pmon', 'cut', 9, 8, 0, 1, 0, 0);"
		"INSERT INTO issue_count VALUES (2, 'wrapped-latency', 'repaired', 2, 7),"
		" (3, 'several-layouts', 'noted', 1, 3);"
		"INSERT INTO track VALUES (1, 'gpu.sm', '%', NULL, NULL, 4);"
		"INSERT INTO sample VALUES (1, 1, NULL, 1, 1.0);"
		"INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io');"
		"INSERT INTO call (id, start_ns, op_id, nested, source_id) VALUES (1, 1, 1, 0, 2);"
		"INSERT INTO block_request (id, start_ns, op, source_id) VALUES (1, 1, 0, 1)");
	_cleanup_(td_db_closep) sqlite3 *profile = make_db(
		"INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired,"
		" lost_events, clock_error_ns, first_ns) VALUES"
		" (1, 'kineto.json', 'complete', 0, 0, 0, 0, 0, 0, NULL, 1),"
		" (2, 'vfs_rw.out', 'complete', 0, 0, 0, 0, 0, 0, 1, 1);"
		"INSERT INTO string VALUES (1, 'cpu-op'), (2, 'complete');"
		"INSERT INTO span (id, start_ns, kind_id, name_id, state_id, source_id)"
		" VALUES (1, 1, 1, 1, 2, 1);"
		"INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0);"
		"INSERT INTO gpu_op (id, start_ns, device_id, kind_id, name_id, source_id)"
		" VALUES (1, 1, 1, 1, 1, 1)");
	struct td_arg phase = { "phase", "epoch" };

	TD_CASE("notes");
	check_notes(db, "", NULL, "");
	check_notes(db, "-- needs: source\n", NULL, "");
	check_notes(db, "-- needs: call\n", NULL, LOST);
	check_notes(db, "-- needs-any: sample, call\n", NULL,
		    LOST CANNOT "c.out, pmon.out\n" ONLY "b.out to +-1.20 s\n");
	check_notes(db, "-- needs: call\n", &phase,
		    LOST CANNOT "c.out\n" ONLY "b.out to +-1.20 s, mllog.out to +-500 ms\n");
	check_notes(db, "-- needs: source\n-- uses: sample, call\n", NULL,
		    LOST CANNOT "c.out, pmon.out\n" ONLY "b.out to +-1.20 s\n");
	TD_CASE("a profile has spans that are no training phases: its clock is that of its events");
	check_notes(profile, "-- needs-any: gpu_op, call\n", NULL, CANNOT "kineto.json\n");
	TD_CASE("only sources with events of the kind that the report is made of");
	check_notes(kinds, "-- needs: block_request\n", NULL,
		    MISSING "events lost: 5 in two.out, 3 in bio.out\n");
	check_notes(kinds, "-- needs: call\n", NULL,
		    MISSING "events lost: 5 in two.out\n" MISSING
			    "lines that could not be used: 4 in vfs_rw.out\n" MISSING
			    "the end is missing of vfs_rw.out\n"
			    ">= durations: multiples of 4.29 s are missing where 32 bits wrapped: "
			    "2 in vfs_rw.out\n");
	check_notes(kinds, "-- needs: sample\n", NULL, "");
	TD_CASE("one source without a clock");
	check_notes(good, "-- needs: call\n", &phase, "");
}

/* What a table shows of the number 1 in a column with that header line, under that damage. */
static void check_mark(const char *column, const char *loss, unsigned damage, const char *want)
{
	static const struct td_writer_options plain;
	const struct td_cell one = { .type = TD_VALUE_INT, .i = 1 };
	_cleanup_(td_report_freep) struct td_report *rep = NULL;
	_cleanup_free_ char *shown = NULL;
	struct td_table_head head = { .damage = damage, .ncolumns = 1 };
	struct td_writer *w = NULL;
	struct td_err err = { 0 };
	char text[256];
	size_t len = 0;
	FILE *f = open_memstream(&shown, &len);

	TD_CASE(want);
	(void)snprintf(text, sizeof(text), "-- title: T\n-- column: n %s\n%s-- order: n\n", column,
		       loss);
	TD_CHECK_INT(td_report_parse("r", text, &rep, &err), 0);
	TD_CHECK_STR(err.msg, "");
	head.columns = rep->columns;
	TD_CHECK_INT(td_writer_new(td_format_find("table"), f, &plain, &w), 0);
	TD_CHECK_INT(td_writer_table(w, &head), 0);
	TD_CHECK_INT(td_writer_row(w, &one), 0);
	TD_CHECK_INT(td_writer_table_end(w), 0);
	TD_CHECK_INT(td_writer_end(w), 0);
	td_writer_free(w);
	fclose(f);
	shown[len - 1] = '\0';
	TD_CHECK_STR(strrchr(shown, '\n') + 1, want);
}

static void test_marks(void)
{
	check_mark("count", "", 0, "1");
	check_mark("count", "", TD_DAMAGE_EVENTS, ">=1");
	check_mark("bytes", "", TD_DAMAGE_EVENTS, ">=1 B");
	check_mark("dur_ns", "", TD_DAMAGE_EVENTS, ">=1 ns");
	check_mark("percent", "", TD_DAMAGE_EVENTS, "~1.0%");
	check_mark("INTEGER", "", TD_DAMAGE_EVENTS, "1");
	check_mark("count", "-- loss: none n\n", TD_DAMAGE_EVENTS, "1");
	check_mark("dur_ns", "-- loss: upper n\n", TD_DAMAGE_EVENTS, "<=1 ns");
	check_mark("dur_ns", "-- loss: either n\n", TD_DAMAGE_EVENTS, "~1 ns");
	check_mark("percent", "-- loss: lower n\n", TD_DAMAGE_EVENTS, ">=1.0%");
	/* a number of calls is what it was when their durations wrap */
	check_mark("count", "", TD_DAMAGE_WRAPS, "1");
	check_mark("dur_ns", "", TD_DAMAGE_WRAPS, ">=1 ns");
	/* sums are the other way off when calls are in twice, and either way when others are missing, too */
	check_mark("count", "", TD_DAMAGE_TWICE, "<=1");
	check_mark("dur_ns", "-- loss: upper n\n", TD_DAMAGE_TWICE, ">=1 ns");
	check_mark("percent", "", TD_DAMAGE_TWICE, "~1.0%");
	check_mark("count", "-- loss: none n\n", TD_DAMAGE_TWICE, "1");
	check_mark("bytes", "", TD_DAMAGE_TWICE | TD_DAMAGE_EVENTS, "~1 B");
	check_mark("count", "", TD_DAMAGE_TWICE | TD_DAMAGE_WRAPS, "<=1");
}

static void write_file(const char *path, const char *text)
{
	_cleanup_fclose_ FILE *f = fopen(path, "we");

	TD_CHECK(f && fputs(text, f) >= 0);
}

static const struct td_report *named(const struct td_reports *set, const char *name)
{
	const struct td_report *rep = NULL;

	TD_CHECK_INT(td_reports_find(set, name, &rep, NULL), 0);
	TD_CHECK(rep);
	return rep;
}

static void test_folders(void)
{
	char dir[] = "/tmp/test-report-XXXXXX", path[64], bad[64];
	const char *dirs[] = { dir };
	struct td_reports set = { 0 };
	struct td_err err = { 0 };
	size_t builtin;

	TD_CASE("folders");
	TD_CHECK_INT(td_reports_load(&set, td_queries, NULL, 0, &err), 0);
	builtin = set.n;
	TD_CHECK(builtin > 0 && td_reports_has(&set, "info") && !td_reports_has(&set, "mine"));
	for (size_t i = 0; i < set.n; i++)
		TD_CHECK(!set.items[i].rep); /* nobody has asked */
	TD_CHECK_STR(named(&set, "info")->name, "info");
	for (size_t i = 0; i < set.n; i++)
		TD_CHECK_INT(set.items[i].rep != NULL, strcmp(set.items[i].name, "info") == 0);
	td_reports_done(&set);
	TD_CHECK(mkdtemp(dir));
	(void)snprintf(path, sizeof(path), "%s/mine.sql", dir);
	(void)snprintf(bad, sizeof(bad), "%s/info.sql", dir);
	write_file(path, HEAD "SELECT 1 AS n ORDER BY n");
	write_file(bad, HEAD "SELECT 2 AS n ORDER BY n");
	TD_CHECK_INT(td_reports_load(&set, td_queries, dirs, 1, &err), 0);
	TD_CHECK_INT(set.n, builtin + 1);
	TD_CHECK_STR(named(&set, "mine")->group->name, "own");
	TD_CHECK_STR(named(&set, "info")->title, "T"); /* replaced */
	for (size_t i = 1; i < set.n; i++)
		TD_CHECK(strcmp(set.items[i - 1].name, set.items[i].name) < 0);
	td_reports_done(&set);
	write_file(bad, "SELECT 1");
	TD_CHECK_INT(td_reports_load(&set, td_queries, dirs, 1, &err), -EINVAL);
	TD_CHECK_STR(err.msg, "report 'info': its header has no '-- title:' line");
	td_reports_done(&set);
	(void)unlink(path);
	(void)unlink(bad);
	(void)rmdir(dir);
	TD_CHECK_INT(td_reports_load(&set, td_queries, dirs, 1, &err), -ENOENT);
	td_reports_done(&set);
}

int main(void)
{
	test_header();
	test_vocabulary();
	test_bad_headers();
	test_rule();
	test_lies();
	test_times();
	test_types();
	test_no_begin();
	test_missing();
	test_notes();
	test_marks();
	test_folders();
	return td_check_result();
}
