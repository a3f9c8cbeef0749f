/* SPDX-License-Identifier: MIT */
/* report, query, info and formats as a user calls them: exit status, result, messages. */
#include <fcntl.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/strbuf.h"
#include "cli/cli.h"
#include "schema/db.h"
#include "tests/unit/sql.h"
#include "tests/unit/read_whole.h"

#define ARGC_MAX 12

static char dir[] = "/tmp/td-test-commands-XXXXXX";

static const char setup[] =
	"INSERT INTO run (id, name, tracedb_version, start_ns, end_ns)"
	" VALUES (1, 'r', '1', 1661663774740000000, 1661663874740000000);"
	"INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired,"
	" lost_events) VALUES (1, 'a.out', 'strace', 'complete', 3, 2, 1, 0, 0, 9);"
	"INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io');"
	"INSERT INTO call (id, start_ns, dur_ns, op_id, nested, source_id) VALUES"
	" (1, 1661663774740000000, 10, 1, 0, 1), (2, 1661663784740000000, 20, 1, 0, 1);";

static const char calls_sql[] =
	"-- title: Calls\n-- needs: call\n-- param: limit count 20 -- rows\n"
	"-- param: start_ns ts_ns NULL -- from\n-- param: end_ns ts_ns NULL -- to\n"
	"-- column: id INTEGER call\n-- column: dur_ns dur_ns duration\n-- order: id\n--\n-- All.\n"
	"SELECT id, dur_ns FROM call WHERE start_ns >= coalesce(:start_ns, 0)"
	" AND start_ns < coalesce(:end_ns, 9e18) ORDER BY id LIMIT coalesce(:limit, 20);\n";

static const char phases_sql[] = "-- title: Phases\n-- needs: span\n-- column: id INTEGER span\n"
				 "-- order: id\nSELECT id FROM span ORDER BY id;\n";

/* The overview of this test. */
static const char overview_sql[] = "-- title: All\n-- column: n count calls\n-- order: n\n"
				   "SELECT count(*) AS n FROM call ORDER BY n;\n";

static void write_file(const char *path, const char *text)
{
	_cleanup_fclose_ FILE *f = fopen(path, "we");

	TD_CHECK(f && fputs(text, f) >= 0);
}

static void make_db(const char *path, const char *sql)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;

	TD_CHECK_INT(td_db_create(path, 4096, &db, NULL), 0);
	TD_CHECK_INT(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	check_sound(db);
}

static void set_up(void)
{
	TD_CHECK(mkdtemp(dir) && chdir(dir) == 0);
	make_db("r.db", setup);
	make_db("s.db", setup);
	make_db("none.db", "INSERT INTO run (id, name, tracedb_version) VALUES (1, 'r', '1')");
	TD_CHECK_INT(mkdir("q", 0755), 0);
	TD_CHECK_INT(mkdir("folder", 0755), 0);
	write_file("q/calls.sql", calls_sql);
	write_file("q/no_phases.sql", phases_sql);
	write_file("q/overview.sql", overview_sql);
	write_file("calls", "a file with the name of a report\n");
}

static void tear_down(void)
{
	static const char *const names[] = {
		"q/calls.sql", "q/no_phases.sql", "q/overview.sql", "calls",  "l.db", "r.db",
		"s.db",        "none.db",         "stdout",         "stderr",
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++)
		TD_CHECK_INT(unlink(names[i]), 0);
	TD_CHECK_INT(rmdir("q"), 0);
	TD_CHECK_INT(rmdir("folder"), 0);
	TD_CHECK_INT(chdir("/"), 0);
	TD_CHECK_INT(rmdir(dir), 0); /* nothing else was left */
}

/* Sends fd to a file; returns what has to be given to restore(). */
static int redirect(FILE *f, const char *path)
{
	int saved = dup(fileno(f)), fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	TD_CHECK(fflush(f) == 0 && dup2(fd, fileno(f)) >= 0);
	close(fd);
	return saved;
}

static void restore(FILE *f, int saved)
{
	TD_CHECK(fflush(f) == 0 && dup2(saved, fileno(f)) >= 0);
	close(saved);
}

/* A want that ends with '*' is what the file begins with. */
static void check_file(const char *path, const char *want)
{
	char text[8192] = "";
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	size_t len = strlen(want);

	TD_CHECK(f && fread(text, 1, sizeof(text) - 1, f) < sizeof(text) - 1);
	if (len && want[len - 1] == '*')
		(void)snprintf(text + TD_MIN(len - 1, strlen(text)), 2, "*");
	TD_CHECK_STR(text, want);
}

struct call {
	const struct td_command *cmd;
	const char *args[ARGC_MAX];
	int exit;
	const char *out, *err;
};

static void check_call(const struct call *call)
{
	char words[ARGC_MAX + 1][256], *argv[ARGC_MAX + 2] = { words[0] }, name[1024] = "";
	int argc = 1, out, err, r;

	(void)snprintf(words[0], sizeof(words[0]), "%s", call->cmd->name);
	for (; argc <= ARGC_MAX && call->args[argc - 1]; argc++) {
		(void)snprintf(words[argc], sizeof(words[argc]), "%s", call->args[argc - 1]);
		argv[argc] = words[argc];
		(void)snprintf(name + strlen(name), sizeof(name) - strlen(name), " %s",
			       words[argc]);
	}
	TD_CASE(name);
	out = redirect(stdout, "stdout");
	err = redirect(stderr, "stderr");
	r = call->cmd->run(call->cmd, argc, argv);
	restore(stdout, out);
	restore(stderr, err);
	TD_CHECK_INT(r, call->exit);
	check_file("stdout", call->out);
	check_file("stderr", call->err);
}

static void check_calls(const struct call *calls, size_t n)
{
	for (size_t i = 0; i < n; i++)
		check_call(&calls[i]);
}

#define REPORT &td_cmd_report
#define TRY(cmd) "Try 'tracedb " cmd " --help'.\n"
#define CALLS_CSV "id,dur_ns\n1,10\n2,20\n"
#define LOST                                                                                       \
	"tracedb: warning: r.db: >= at least, <= at most, ~ either way: events lost: 9 in "        \
	"a.out\n"

static void test_report(void)
{
	static const struct call calls[] = {
		{ REPORT, { "-Qq", "calls", "r.db", "-fcsv" }, 0, CALLS_CSV, LOST },
		{ REPORT,
		  { "-Qq", "calls", "r.db" },
		  0,
		  "Calls (calls)\n\nID  Duration\n--  --------\n 1   >=10 ns\n 2   >=20 ns\n\n"
		  ">= at least, <= at most, ~ either way: events lost: 9 in a.out\n",
		  "" },
		{ REPORT, { "-Qq", "r.db", "-fcsv" }, 0, "n\n2\n", "" },
		{ REPORT,
		  { "-Qq", "calls", "r.db", "-fcsv", "--filter-time", "10s/" },
		  0,
		  "id,dur_ns\n2,20\n",
		  LOST },
		{ REPORT,
		  { "-Qq", "calls", "r.db", "-fcsv", "--filter-time", "/10s" },
		  0,
		  "id,dur_ns\n1,10\n",
		  LOST },
		{ REPORT,
		  { "-Qq", "calls", "r.db", "-fcsv", "--limit", "1" },
		  0,
		  "id,dur_ns\n1,10\n",
		  LOST },
		{ REPORT, { "-Qq", "calls", "r.db", "-fcsv", "--rows=0" }, 0, "id,dur_ns\n", LOST },
		{ REPORT,
		  { "-Qq", "calls", "r.db", "-fcsv", "--limit=all" },
		  0,
		  "id,dur_ns\n1,10\n2,20\n",
		  LOST },
		{ REPORT,
		  { "-Qq", "calls", "r.db", "-fcsv", "-p", "limit=1" },
		  0,
		  "id,dur_ns\n1,10\n",
		  LOST },
		{ REPORT,
		  { "-Qq", "overview,calls,overview", "r.db", "-fjson" },
		  0,
		  "{\n\"overview\": [\n{\"n\":2}\n],\n"
		  "\"calls\": [\n{\"id\":1,\"dur_ns\":10},\n{\"id\":2,\"dur_ns\":20}\n]\n}\n",
		  LOST },
		{ REPORT,
		  { "-Qq", "overview", "r.db", "s.db", "-fjson" },
		  0,
		  "{\n\"r.db\": [\n{\"n\":2}\n],\n\"s.db\": [\n{\"n\":2}\n]\n}\n",
		  "" },
	};

	check_calls(calls, TD_ARRAY_SIZE(calls));
}

/* The database by the name that a command takes in this folder. */
#define ADD_LOG                                                                                    \
	"'tracedb import -o r.db --append LOG' adds those of a log (MLPerf's, or any by "          \
	"--phase-pattern)"

static void test_report_missing(void)
{
	static const struct call calls[] = {
		{ REPORT,
		  { "-Qq", "no_phases", "r.db" },
		  3,
		  "Phases (no_phases)\n\n(no training phases: " ADD_LOG ")\n",
		  "" },
		{ REPORT,
		  { "-Qq", "no_phases", "r.db", "-fjson" },
		  3,
		  "[]\n",
		  "tracedb: warning: r.db: nothing for report 'no_phases': no training "
		  "phases: " ADD_LOG "\n" },
		{ REPORT,
		  { "-Qq", "no_phases,overview", "r.db" },
		  0,
		  "Phases (no_phases)\n\n(no training phases: " ADD_LOG ")\n\n"
		  "All (overview)\n\nN\n-\n2\n",
		  "" },
		{ REPORT,
		  { "-Qq", "calls", "none.db", "-fcsv" },
		  3,
		  "id,dur_ns\n",
		  "tracedb: warning: none.db: nothing for report 'calls': no calls: "
		  "'tracedb record' has them, as do strace -f -ttt -T and bpftrace scripts for vfs "
		  "or system calls\n" },
	};

	check_calls(calls, TD_ARRAY_SIZE(calls));
}

static void test_report_refused(void)
{
	static const struct call calls[] = {
		{ REPORT,
		  { "-Qq" },
		  2,
		  "",
		  "tracedb: error: which database? Here are none.db, r.db, s.db\n" TRY("report") },
		{ REPORT,
		  { "-Qq", "call", "r.db" },
		  2,
		  "",
		  "tracedb: error: 'call' is neither a report nor a file; did you mean "
		  "'calls'?\n" TRY("report") },
		{ REPORT,
		  { "-Qq", "r.db", "call" },
		  2,
		  "",
		  "tracedb: error: 'call' is neither a report nor a file; did you mean "
		  "'calls'?\n" TRY("report") },
		{ REPORT,
		  { "-Qq", "calls", "gone.db" },
		  3,
		  "",
		  "tracedb: error: there is no database 'gone.db'; make it with "
		  "'tracedb import LOGS -o gone.db'\n" },
		{ REPORT,
		  { "-Qq", "calls", "folder" },
		  3,
		  "",
		  "tracedb: error: 'folder' is a folder, not a database; import it first: "
		  "tracedb import folder\n" },
		{ REPORT,
		  { "-Qq", "calls", "./calls" },
		  3,
		  "",
		  "tracedb: error: './calls' is not a database; if it is a log, import it first: "
		  "tracedb import ./calls\n" },
		{ REPORT,
		  { "-Qq", "overview", "r.db", "--filter-time", "1s/2s" },
		  2,
		  "",
		  "tracedb: error: report 'overview' does not take --filter-time /END; "
		  "*" },
		{ REPORT,
		  { "-Qq", "r.db", "-fcsv", "--limit", "3" },
		  0,
		  "n\n2\n",
		  "tracedb: warning: report 'overview' does not take --limit; *" },
		{ REPORT,
		  { "-Qq", "calls", "r.db", "--limit", "many" },
		  2,
		  "",
		  "tracedb: error: limit = 'many' is not a number, nor 'all'\n" },
		{ REPORT,
		  { "-Qq", "calls", "r.db", "--limit", "-1" },
		  2,
		  "",
		  "tracedb: error: limit = '-1' is not a number, nor 'all'\n" },
		{ REPORT,
		  { "-Qq", "calls", "r.db", "--filter-time", "10s" },
		  2,
		  "",
		  "tracedb: error: --filter-time takes START/END (10s/20s, 90s/), not '10s'\n" TRY(
			  "report") },
		{ REPORT,
		  { "-Qq", "calls", "r.db", "-p", "limit" },
		  2,
		  "",
		  "tracedb: error: --param takes NAME=VALUE, not 'limit'\n" TRY("report") },
		{ REPORT,
		  { "-Qq", "calls", "r.db", "-fxml" },
		  2,
		  "",
		  "tracedb: error: unknown format 'xml'; there are table, csv, tsv, json, ndjson, "
		  "md, html\n" TRY("report") },
		{ REPORT,
		  { "-Qq", "calls", "r.db", "-fcsv", "--timeunit=ms" },
		  2,
		  "",
		  "tracedb: error: --timeunit is for the formats table, md and html; the times of "
		  "csv are in ns\n" },
	};

	check_calls(calls, TD_ARRAY_SIZE(calls));
}

static void test_report_help(void)
{
	static const struct call call = {
		REPORT,
		{ "-Qq", "calls", "--help" },
		0,
		"calls: Calls\n\nAll.\n\nParameters:\n"
		"  --limit (count, default 20)\n        rows\n"
		"  --filter-time START/ (ts_ns)\n        from\n"
		"  --filter-time /END (ts_ns)\n        to\n"
		"\nColumns:\n"
		"  id                   INTEGER  call\n"
		"  dur_ns               dur_ns   duration\n",
		"",
	};

	check_call(&call);
}

static void test_query(void)
{
	static const struct call calls[] = {
		{ &td_cmd_query,
		  { "r.db", "SELECT id, dur_ns FROM call WHERE id >= :least", "-p", "least=2" },
		  0,
		  "ID  Duration\n--  --------\n 2     20 ns\n",
		  "" },
		{ &td_cmd_query,
		  { "r.db", "SELECT 1 AS a; SELECT 'x' AS b", "-fcsv" },
		  0,
		  "a\n1\n\nb\nx\n",
		  "" },
		{ &td_cmd_query,
		  { "r.db", "DELETE FROM call" },
		  2,
		  "",
		  "tracedb: error: line 1: not authorized: only reading is possible here (SELECT, "
		  "EXPLAIN, PRAGMAs that ask)\n" },
		{ &td_cmd_query,
		  { "r.db", "SELECT nosuch" },
		  2,
		  "",
		  "tracedb: error: line 1, column 8: no such column: nosuch\n" },
		{ &td_cmd_query,
		  { "r.db", "SELECT", "1" },
		  2,
		  "",
		  "tracedb: error: more than one SQL text: quote it\n" TRY("query") },
		{ &td_cmd_query,
		  { "gone.db", "SELECT 1" },
		  3,
		  "",
		  "tracedb: error: there is no database 'gone.db'; make it with "
		  "'tracedb import LOGS -o gone.db'\n" },
	};

	check_calls(calls, TD_ARRAY_SIZE(calls));
}

/* A file is complete or not there, and what is no file is written to as it is. */
static void test_output(void)
{
	static const struct call good = {
		&td_cmd_query, { "r.db", "SELECT 1 AS a", "-fcsv", "-o", "out.csv" }, 0, "", ""
	};
	static const struct call bad = {
		&td_cmd_query,
		{ "r.db", "SELECT abs(-9223372036854775807 - 1) AS a", "-o", "out.csv" },
		2,
		"",
		"tracedb: error: while reading: integer overflow\n",
	};
	static const struct call full = {
		&td_cmd_query,
		{ "r.db", "SELECT 1 AS a", "-o", "/dev/full" },
		3,
		"",
		"tracedb: error: cannot write '/dev/full': No space left on device\n",
	};
	struct stat st;

	check_call(&good);
	check_file("out.csv", "a\n1\n");
	check_call(&bad);
	check_file("out.csv", "a\n1\n");
	check_call(&full);
	TD_CHECK(stat("/dev/full", &st) == 0 && S_ISCHR(st.st_mode));
	TD_CHECK_INT(unlink("out.csv"), 0);
}

/* What info prints as ndjson; the caller frees it. */
static char *run_info(const char *db)
{
	char *name = strdup(db);
	char *argv[] = { (char[]){ "info" }, name, (char[]){ "-fndjson" }, NULL };
	int out = redirect(stdout, "stdout");
	size_t len;

	TD_CHECK_INT(td_cmd_info.run(&td_cmd_info, 3, argv), 0);
	restore(stdout, out);
	free(name);
	return td_read_whole("stdout", &len);
}

static void test_info(void)
{
	static const char want[] =
		"{\"_report\":\"info\",\"name\":\"r\",\"hosts\":null,\"job_ranks\":null,\"start_"
		"ns\":"
		"1661663774740000000,"
		"\"end_ns\":1661663874740000000,\"count_from\":\"UTC\",\"dur_ns\":100000000000,"
		"\"local_zone\":null,"
		"\"local_zone_basis\":null,\"sources\":1,\"not_complete\":0,\"lines\":3,\"rows\":2,"
		"\"skipped\":1,\"issues\":0,\"lost_events\":9,\"loss\":\"9 "
		"events\",\"size_bytes\":";
	_cleanup_free_ char *text = run_info("r.db");
	_cleanup_free_ char *recorded = NULL;

	TD_CASE("info");
	TD_CHECK(strncmp(text, want, strlen(want)) == 0);
	TD_CHECK(!strstr(text, "\"_report\":\"loss\"") && !strstr(text, "\"_report\":\"cost\""));

	TD_CASE("info of a recording");
	make_db("l.db", "INSERT INTO run (id, name, tracedb_version) VALUES (1, 'r', '1');"
			"INSERT INTO source (id, path, state, lines, rows, skipped, issues, "
			"repaired, lost_events) VALUES (1, 'a', 'complete', 0, 0, 0, 0, 0, 3);"
			"INSERT INTO loss VALUES (1, 1, 'sched', 0, 0, 1, 9, 3, 1, 2)");
	recorded = run_info("l.db");
	TD_CHECK(strstr(recorded,
			"{\"_report\":\"loss\",\"source\":\"a\",\"events\":\"sched\",\"ring\":0,"
			"\"generated\":9,\"lost\":3,"));
	TD_CHECK(!strstr(recorded, "\"_report\":\"cost\""));
}

int main(void)
{
	set_up();
	test_report();
	test_report_missing();
	test_report_refused();
	test_report_help();
	test_query();
	test_output();
	test_info();
	tear_down();
	return td_check_result();
}
