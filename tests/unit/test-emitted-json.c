/* SPDX-License-Identifier: MIT */
/*
 * All JSON that the program prints and stores, read by somebody else's parser (cJSON), and compared
 * with what SQLite says that the values are.
 *
 * usage: test-emitted-json TRACEDB EXPORT RUN PATH...: a run, an nsys export as the SQL that makes
 * it, and all the paths together each become a database. After the first of them by $TRACEDB_PLAIN,
 * if that is set: the program without sanitizers.
 */
#include <cjson/cJSON.h>
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/scan.h"
#include "common/strbuf.h"
#include "tests/unit/check.h"
#include "tests/unit/read_whole.h"

TD_DEFINE_CLEANUP(cJSON *, cJSON_Delete)
TD_DEFINE_CLEANUP(sqlite3 *, sqlite3_close)
TD_DEFINE_CLEANUP(sqlite3_stmt *, sqlite3_finalize)

static const char *tracedb;
static char db_path[] = "/tmp/tracedb-emitted-XXXXXX", export_path[] = "/tmp/tracedb-export-XXXXXX";

/* What the program prints; what it thinks of it is for other tests. */
static void run(struct td_strbuf *out, const char *const args[])
{
	char buf[65536];
	int to[2], status;
	ssize_t n;
	pid_t pid;

	td_strbuf_reset(out);
	TD_CHECK_INT(pipe(to), 0);
	pid = fork();
	if (pid == 0) {
		(void)dup2(to[1], STDOUT_FILENO);
		(void)dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		(void)close(to[0]);
		(void)execv(tracedb, (char *const *)(uintptr_t)args);
		_exit(127);
	}
	(void)close(to[1]);
	while ((n = read(to[0], buf, sizeof(buf))) > 0)
		td_strbuf_add(out, buf, (size_t)n);
	(void)close(to[0]);
	TD_CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
		 WEXITSTATUS(status) != 127);
}

/* The whole text as one value; what no parser objects to, but RFC 8259 does, is looked for here. */
static cJSON *parse(const char *text)
{
	const char *end = NULL;
	cJSON *json = cJSON_ParseWithOpts(text, &end, true);

	TD_CHECK(json && *end == '\0');
	for (; *text; text++)
		if (((unsigned char)*text < ' ' && *text != '\n') || *text == 0x7f)
			break;
	TD_CHECK_STR(text, "");
	return json;
}

/* An array of the lines of ndjson. */
static cJSON *parse_lines(char *text)
{
	cJSON *array = cJSON_CreateArray();

	for (char *nl; (nl = strchr(text, '\n')); text = nl + 1) {
		*nl = '\0';
		cJSON_AddItemToArray(array, parse(text));
	}
	TD_CHECK_STR(text, "");
	return array;
}

/* --- values --- */

static void check_text(const char *got, const char *want)
{
	TD_CHECK(got && strcmp(got, want) == 0);
	if (got && strcmp(got, want) != 0)
		fprintf(stderr, "got '%.200s', want '%.200s'\n", got, want);
}

static int digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

static void check_hex(const char *got, const uint8_t *want, size_t n)
{
	TD_CHECK(got && strlen(got) == 2 * n);
	for (size_t i = 0; i < n && got && strlen(got) == 2 * n; i++)
		TD_CHECK(digit(got[2 * i]) == want[i] >> 4 &&
			 digit(got[2 * i + 1]) == (want[i] & 15));
}

static void check_value(const cJSON *got, sqlite3_stmt *s, int column)
{
	double want = sqlite3_column_double(s, column);

	TD_CHECK_STR(got->string, sqlite3_column_name(s, column));
	switch (sqlite3_column_type(s, column)) {
	case SQLITE_NULL:
		TD_CHECK(cJSON_IsNull(got));
		break;
	case SQLITE_TEXT:
		check_text(cJSON_GetStringValue(got), (const char *)sqlite3_column_text(s, column));
		break;
	case SQLITE_BLOB:
		check_hex(cJSON_GetStringValue(got), sqlite3_column_blob(s, column),
			  (size_t)sqlite3_column_bytes(s, column));
		break;
	default: /* reals have 15 digits, and cJSON makes doubles of integers */
		TD_CHECK(cJSON_IsNumber(got) &&
			 (got->valuedouble == want ||
			  fabs(got->valuedouble - want) <= fabs(want) * 1e-14));
	}
}

/* The next rows of an array: as many as the statement has. */
static const cJSON *check_rows(const cJSON *row, sqlite3_stmt *s)
{
	for (; sqlite3_step(s) == SQLITE_ROW; row = row ? row->next : NULL) {
		const cJSON *value = row ? row->child : NULL;

		TD_CHECK_INT(cJSON_GetArraySize(row), sqlite3_column_count(s));
		for (int i = 0; value; i++, value = value->next)
			check_value(value, s, i);
	}
	(void)sqlite3_reset(s);
	return row;
}

/* What 'query' says of any number of statements, in both formats, against SQLite's own answer. */
static void check_query(sqlite3 *db, const char *sql)
{
	_cleanup_(td_strbuf_done) struct td_strbuf out = TD_STRBUF_INIT;
	_cleanup_(cJSON_Deletep) cJSON *json = NULL, *lines = NULL;
	const cJSON *table, *line;

	run(&out, (const char *const[]){ tracedb, "query", "-f", "json", db_path, sql, NULL });
	json = parse(td_strbuf_str(&out));
	run(&out, (const char *const[]){ tracedb, "query", "-f", "ndjson", db_path, sql, NULL });
	lines = out.len ? parse_lines(out.p) : cJSON_CreateArray();
	TD_CHECK(cJSON_IsArray(json));
	table = sqlite3_complete(sql) && json ? json->child : json; /* there are several */
	line = lines->child;
	for (; *sql; table = table ? table->next : NULL) {
		_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;

		TD_CHECK_INT(sqlite3_prepare_v2(db, sql, -1, &s, &sql), SQLITE_OK);
		TD_CASE(sqlite3_sql(s));
		TD_CHECK(cJSON_IsArray(table) && !check_rows(table->child, s));
		line = check_rows(line, s);
		TD_CASE("");
	}
	TD_CHECK(!table && !line);
}

/* --- what can be hard about a string --- */

static void test_strings(sqlite3 *db)
{
	static const char *const queries[] = {
		"WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 160)"
		" SELECT i, 'a' || char(i) || 'b' AS t FROM c",
		"SELECT char(0x2028, 0x2029, 0xfeff, 0xfffe, 0xffff, 0xe000, 0x10ffff, 0x1f600) AS "
		"t",
		"SELECT 1 AS \"a\"\"b\\c\", '\"\\\"\\\\' AS t, '' AS empty, '</script>' AS x",
		"SELECT printf('%.*c', 3000000, 'x') || char(10) AS \"long\"",
		"SELECT replace(printf('%.*c', 100000, 'x'), 'x', char(0x20ac) || '\"') AS "
		"\"long\"",
		"SELECT 9223372036854775807 AS a, -9223372036854775807 - 1 AS b, 0.1 AS c, -0.0 AS "
		"d,"
		" 1e300 AS e, NULL AS f, 9e999 AS g, -9e999 AS h, 5e-324 AS i",
		"SELECT 1 AS x WHERE 0",
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(queries); i++)
		check_query(db, queries[i]);
}

/* SQLite gives such texts as they are; JSON has to be valid. U+FFFD stands for each byte that is not. */
static void test_invalid_utf8(void)
{
	static const struct {
		const char *hex, *want;
	} cases[] = {
		{ "61ff62", "a\xef\xbf\xbd"
			    "b" },
		{ "c3a9c3", "\xc3\xa9\xef\xbf\xbd" }, /* e acute, and half of it */
		{ "c080", "\xef\xbf\xbd\xef\xbf\xbd" }, /* NUL in two bytes */
		{ "eda080", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" }, /* half of a surrogate pair */
		{ "f4908080", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" }, /* U+110000 */
		{ "ff22", "\xef\xbf\xbd\"" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf out = TD_STRBUF_INIT;
		_cleanup_(cJSON_Deletep) cJSON *json = NULL;
		char sql[64];

		TD_CASE(cases[i].hex);
		(void)snprintf(sql, sizeof(sql), "SELECT CAST(x'%s' AS TEXT) AS t", cases[i].hex);
		run(&out,
		    (const char *const[]){ tracedb, "query", "-f", "json", db_path, sql, NULL });
		json = parse(td_strbuf_str(&out));
		TD_CHECK_STR(
			cJSON_GetStringValue(cJSON_GetObjectItem(json ? json->child : NULL, "t")),
			cases[i].want);
	}
}

/* --- everything of a database --- */

static char *text_of(sqlite3 *db, const char *sql)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;

	TD_CHECK_INT(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
	TD_CHECK_INT(sqlite3_step(s), SQLITE_ROW);
	return strdup((const char *)sqlite3_column_text(s, 0));
}

/* Tables and views, of each a part that tells: all rows of what is imported from tests/data. The
 * program has gaps of GPUs, and groups of launches, reads and samples, as they come. */
static void test_tables(sqlite3 *db)
{
	_cleanup_free_ char *sql = text_of(
		db,
		"SELECT group_concat(format('SELECT * FROM \"%w\" %s LIMIT 3000;', name,"
		" CASE WHEN name IN ('file_use', 'launch_stat', 'lock_use', 'long_call', "
		"'nvtx_stat', "
		"'operator_stat', "
		"'read_stat', "
		"'gpu_sample_stat', 'segment_use', 'sync_stat', 'transfer_stat')"
		" THEN 'ORDER BY 1, 2, 3, 4, 5' WHEN name = 'gpu_gap' THEN 'ORDER BY 1, 2, 3, 4' "
		"ELSE '' END), '')"
		" FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'");

	check_query(db, sql);
}

/* Values and metadata of spans and marks are objects. */
static int test_args(sqlite3 *db)
{
	_cleanup_free_ char *all = text_of(
		db,
		"SELECT coalesce(group_concat(text, char(10)) || char(10), '') FROM string WHERE id"
		" IN (SELECT args_id FROM span UNION SELECT args_id FROM mark)");
	_cleanup_(cJSON_Deletep) cJSON *objects = parse_lines(all);
	const cJSON *args;

	TD_CASE("args");
	cJSON_ArrayForEach(args, objects) TD_CHECK(cJSON_IsObject(args) && args->child);
	return cJSON_GetArraySize(objects);
}

/* All reports: both formats say the same. */
static void test_reports(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf out = TD_STRBUF_INIT, names = TD_STRBUF_INIT;
	_cleanup_(cJSON_Deletep) cJSON *list = NULL, *json = NULL, *lines = NULL;
	const cJSON *line, *report, *row;
	int nrows = 0;

	TD_CASE("reports");
	run(&out, (const char *const[]){ tracedb, "report", "--list", "-f", "json", NULL });
	list = parse(td_strbuf_str(&out));
	cJSON_ArrayForEach(report, list)
	{
		td_strbuf_adds(&names, names.len ? "," : "");
		td_strbuf_adds(&names, cJSON_GetStringValue(cJSON_GetObjectItem(report, "name")));
	}
	run(&out, (const char *const[]){ tracedb, "report", "-f", "json", names.p, db_path, NULL });
	json = parse(td_strbuf_str(&out));
	run(&out,
	    (const char *const[]){ tracedb, "report", "-f", "ndjson", names.p, db_path, NULL });
	lines = out.len ? parse_lines(out.p) : cJSON_CreateArray();
	line = lines->child;
	cJSON_ArrayForEach(report, json)
	{
		TD_CASE(report->string);
		cJSON_ArrayForEach(row, report)
		{
			_cleanup_(cJSON_Deletep) cJSON *copy = cJSON_Duplicate(line, true);

			TD_CHECK_STR(cJSON_GetStringValue(cJSON_GetObjectItem(copy, "_report")),
				     report->string);
			cJSON_DeleteItemFromObject(copy, "_report");
			TD_CHECK(cJSON_Compare(copy, row, true));
			line = line ? line->next : NULL;
			nrows++;
		}
	}
	TD_CHECK_INT(cJSON_GetArraySize(json), cJSON_GetArraySize(list));
	TD_CHECK_INT(cJSON_GetArraySize(lines), nrows);
}

/* The database that a file of SQL makes. */
static const char *make_export(const char *path)
{
	_cleanup_(sqlite3_closep) sqlite3 *db = NULL;
	size_t len;
	_cleanup_free_ char *sql = td_read_whole(path, &len);

	(void)unlink(export_path);
	TD_CHECK_INT(sqlite3_open(export_path, &db), SQLITE_OK);
	TD_CHECK_INT(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	return export_path;
}

static void import(const char *const paths[], int n)
{
	_cleanup_(td_strbuf_done) struct td_strbuf out = TD_STRBUF_INIT;
	static const char *const first[] = { "tracedb", "import", "--quiet", "-o", db_path };
	const size_t nfirst = TD_ARRAY_SIZE(first);
	_cleanup_free_ const char **args = calloc(nfirst + (size_t)n + 1, sizeof(*args));

	TD_CHECK(args);
	if (!args)
		return;
	memcpy(args, first, sizeof(first));
	memcpy(args + nfirst, paths, (size_t)n * sizeof(*paths));
	(void)unlink(db_path);
	run(&out, args);
}

/* Of n paths; returns how many objects spans and marks have. */
static int test_database(const char *const paths[], int n, bool first)
{
	_cleanup_(sqlite3_closep) sqlite3 *db = NULL;
	int nargs;

	fprintf(stderr, "%s\n", paths[0]);
	import(paths, n);
	TD_CHECK_INT(sqlite3_open_v2(db_path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	if (first) {
		test_strings(db);
		test_invalid_utf8();
	}
	test_tables(db);
	nargs = test_args(db);
	test_reports();
	return nargs;
}

static bool make_file(char *path)
{
	int fd = mkstemp(path);

	return fd >= 0 && close(fd) == 0;
}

int main(int argc, char **argv)
{
	const char *plain = getenv("TRACEDB_PLAIN"), *export;
	int nargs = 0;

	if (argc < 5)
		return TD_TEST_SKIP;
	tracedb = argv[1];
	TD_CHECK(make_file(db_path) && make_file(export_path));
	export = make_export(argv[2]);
	nargs += test_database((const char *const *)argv + 3, 1, true);
	tracedb = plain ? plain : tracedb;
	nargs += test_database(&export, 1, false);
	nargs += test_database((const char *const *)argv + 4, argc - 4, false);
	(void)unlink(db_path);
	(void)unlink(export_path);
	TD_CASE("args");
	TD_CHECK(nargs > 20);
	return td_check_result();
}
