/* SPDX-License-Identifier: MIT */
/* Every built-in report: does its header tell the truth, and does it do in the sqlite3 shell what it
 * does here? */
#include <ctype.h>

#include "common/cleanup.h"
#include "common/strbuf.h"
#include "analyzer/needs.h"
#include "analyzer/query.h"
#include "analyzer/report.h"
#include "schema/db.h"
#include "tests/unit/sql.h"

/* A row or some in every table that reports read. Two processes read a file, one of them in an epoch;
 * one anonymous file is written; a GPU and a CPU are sampled. */
static const char setup[] =
	"INSERT INTO run VALUES (1, 'run', '0.1.0', 1000000000000000000, 1000000004000000000, "
	"-18000,"
	" 'sources', 1000000000);"
	"INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired,"
	" lost_events, clock, clock_offset_ns, clock_error_ns, first_ns, last_ns) VALUES"
	" (1, 'read.out', 'bpftrace', 'complete', 6, 4, 1, 1, 0, 7, 'boot', 1000, 5, 1, 2),"
	" (2, 'pmon \"x\", y.out', 'pmon', 'cut', 2, 2, 0, 0, 0, 0, 'local', NULL, NULL, 1, 2),"
	" (3, 'notes.txt', NULL, 'unrecognised', 1, 0, 1, 0, 0, 0, NULL, NULL, NULL, NULL, NULL);"
	"INSERT INTO issue_count VALUES (1, 'spoilt-line', 'dropped', 1, 3);"
	"INSERT INTO issue VALUES (1, 1, 'spoilt-line', 3, 'a \"bad\", line');"
	"INSERT INTO string VALUES (1, '/data'), (2, 'case_{}.npy'), (3, 'epoch'), (4, 'phase'),"
	" (5, 'complete'), (6, ''), (7, 'eval_accuracy'), (8, 'kernel'), (9, 'copy'), (10, 'nvtx'),"
	" (11, '[CUDA memcpy HtoD]'), (12, 'forward');"
	"INSERT INTO process (id, pid, name, role, role_basis, lifetime) VALUES"
	" (1, 10, 'python', 'gpu-worker', 'activity', 1), (2, 11, 'python', 'data-loader', "
	"'activity', 1);"
	"INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, "
	"template_id,"
	" truncated, device, inode) VALUES"
	" (1, '/data/case_1.npy', 'case_1.npy', 'printed', 'regular', 0, 1, 2, 0, NULL, "
	"NULL),"
	" (2, NULL, '', NULL, 'unnamed', 0, NULL, 6, 0, NULL, NULL);"
	"INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io'), (2, 'write', 'syscall', "
	"'write', 'io'),"
	" (3, 'openat', 'syscall', 'open', 'io'), (4, 'vfs_read', 'vfs', 'read', 'io'),"
	" (5, 'cudaLaunchKernel', 'cuda', 'other', 'other');"
	"INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, asked_bytes, "
	"done_bytes,"
	" offset_bytes, nested, source_id) VALUES"
	" (1, 1000000000000000000, 3000, 3, 1, 1, 3, NULL, NULL, NULL, 0, 1),"
	" (2, 1000000001000000000, 1000, 1, 1, 1, 4096, 4096, 4096, 0, 0, 1),"
	" (3, 1000000001000000100, 500, 4, 1, 1, 4096, 4096, 4096, 0, 1, 1),"
	" (4, 1000000002000000000, 4000, 1, 2, 1, -5, 4096, NULL, 4096, 0, 1),"
	" (5, 1000000003000000000, NULL, 2, 2, 2, 8, 8, 8, NULL, 0, 1);"
	"INSERT INTO call_block VALUES (1000000000000000000, 1, 5, 4, 1000000002000004000, 4, "
	"4000);"
	"INSERT INTO device (id, kind, name, number) VALUES (1, 'disk', 'sda', NULL), (2, 'gpu', "
	"'GPU 0', 0), (3, 'cpu', "
	"'CPU 0', 0);"
	"INSERT INTO block_request (id, start_ns, dur_ns, queue_ns, device_id, op, sector, bytes,"
	" process_id, source_id) VALUES"
	" (1, 1000000001000000000, 900000, 100, 1, 0, 8, 4096, 1, 1),"
	" (2, 1000000003000000000, 200000, NULL, 1, 1, 16, 512, NULL, 1);"
	"INSERT INTO track VALUES (1, 'gpu.sm', '%', 2, 1, 2), (2, 'cpu.usr', '%', 3, NULL, 2),"
	" (3, 'cpu.usr', '%', NULL, NULL, 2), (4, 'faults.minor', '1/s', NULL, 1, 1);"
	"INSERT INTO sample VALUES (1, 1000000001000000000, 1000000000, 1, 50),"
	" (2, 1000000001000000000, 1000000000, 2, 12.5), (3, 1000000002000000000, 1000000000, 1, "
	"NULL),"
	" (4, 1000000002000000000, 1000000000, 3, 0.1),"
	" (5, 1000000002000000000, 1000000000, 4, 70);"
	"INSERT INTO span (id, start_ns, dur_ns, kind_id, name_id, number, state_id, source_id) "
	"VALUES"
	" (1, 1000000000500000000, 1000000000, 4, 3, 1, 5, 1), (2, 1000000002000000000, NULL, 4, "
	"3, 2, 5, 1),"
	" (3, 1000000002500000000, 1000, 10, 12, NULL, 5, 1);"
	"INSERT INTO mark (id, ts_ns, name_id, value, source_id) VALUES (1, 1000000001000000000, "
	"7, 0.5, 1);"
	"INSERT INTO op_stat VALUES"
	" ('op', NULL, 1, 2, 1, 2, 4096, 5000, 1000, 4000, 2500.0, 4000, 4000, 2121.32, "
	"1000000001000000000,"
	" 1000000002000000000, 0, 0),"
	" ('op', NULL, 2, 1, 0, 0, 8, NULL, NULL, NULL, NULL, NULL, NULL, NULL, "
	"1000000003000000000,"
	" 1000000003000000000, 0, 0),"
	" ('op', NULL, 3, 1, 0, 1, NULL, 3000, 3000, 3000, 3000.0, 3000, 3000, 0.0, "
	"1000000000000000000,"
	" 1000000000000000000, 0, 0),"
	" ('process,op', 1, 1, 1, 0, 1, 4096, 1000, 1000, 1000, 1000.0, 1000, 1000, 0.0, "
	"1000000001000000000,"
	" 1000000001000000000, 0, 0),"
	" ('process,op', 2, 1, 1, 1, 1, NULL, 4000, 4000, 4000, 4000.0, 4000, 4000, 0.0, "
	"1000000002000000000,"
	" 1000000002000000000, 0, 0);"
	"INSERT INTO file_stat VALUES"
	" ('file,verb', 1, NULL, 'open', 1, 0, 1, NULL, 3000, 3000, 3000.0, 3000, NULL, NULL, "
	"NULL, "
	"NULL, NULL,"
	" 1000000000000000000, 1000000000000000000),"
	" ('file,verb', 1, NULL, 'read', 2, 1, 2, 4096, 5000, 4000, 2500.0, 4000, 4096, 4096, "
	"4096, 1, "
	"1,"
	" 1000000001000000000, 1000000002000000000),"
	" ('file,verb', 2, NULL, 'write', 1, 0, 0, 8, NULL, NULL, NULL, NULL, 8, 8, 8, NULL, NULL,"
	" 1000000003000000000, 1000000003000000000),"
	" ('file,process,verb', 2, 2, 'write', 1, 0, 0, 8, NULL, NULL, NULL, NULL, 8, 8, 8, NULL, "
	"NULL,"
	" 1000000003000000000, 1000000003000000000),"
	" ('process,verb', 1, NULL, 'read', 1, 0, 1, 4096, 1000, 1000, 1000.0, 1000, 4096, 4096, "
	"4096, "
	"1, 0,"
	" 1000000001000000000, 1000000001000000000),"
	" ('process,verb', 2, NULL, 'write', 1, 0, 0, 8, NULL, NULL, NULL, NULL, 8, 8, 8, NULL, "
	"NULL,"
	" 1000000003000000000, 1000000003000000000);"
	"INSERT INTO log_run VALUES (1, 1, 1, 1000000000500000000, 1000000002000000000),"
	" (2, 2, 1, 1000000003000000000, 1000000004000000000);"
	"INSERT INTO loss VALUES (1, 1, 'file_io', 0, 1000000000000000000, 1000000000, 9, 7, 512, "
	"4096);"
	"INSERT INTO summary VALUES (1, 1, 'collector.cpu', 'tracedb-record', NULL, NULL, 5000, "
	"'ns');"
	"INSERT INTO nested_stat VALUES ('op', NULL, 4, 1, 0, 1, 4096, 500, 500, 500, 500.0, 500, "
	"500);"
	"INSERT INTO busiest_file VALUES (1, 'regular', 1, 1, 1, 0, 4096, 1000, 1000),"
	" (2, 'regular', 2, 1, 1, 0, 8, NULL, NULL);"
	"INSERT INTO top_file VALUES (0, 1, 1000);"
	"INSERT INTO class_bin_stat VALUES (1000000001000000000, 'regular', 1, 1, 0, 4096, 1000),"
	" (1000000003000000000, 'regular', 2, 1, 0, 8, NULL);"
	"INSERT INTO thread_stat VALUES (1, 1, 1, 'regular', 1, 0, 1000, 1000000001000000000, "
	"1000000001000000000);"
	"INSERT INTO size_stat VALUES (1, 'read', 4096, 1), (2, 'write', 8, 1);"
	"INSERT INTO latency_stat VALUES (1, 960, 1024, 1), (1, 3840, 4096, 1);"
	"INSERT INTO bin_stat VALUES (1000000001000000000, 1, 1, 1, 1, 0, 4096, 1000),"
	" (1000000003000000000, 2, 2, 2, 1, 0, 8, NULL);"
	"INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', "
	"1000000000500000000, 1000000001500000000),"
	" ('epoch 1', 1000000000500000000, 1000000001500000000);"
	"INSERT INTO segment (start_ns, dur_ns, io_ns, block_ns, opens, reads, writes, read_bytes, "
	"write_bytes,"
	" vfs_bytes, syscall_bytes, block_read_bytes, block_write_bytes, io_wait_ns, cpu_ns, "
	"cpu_busy_ns) VALUES"
	" (1000000000000000000, 500000000, 3000, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 3000, 0, NULL),"
	" (1000000000500000000, 1000000000, 1000, 900000, 0, 1, 0, 4096, 0, 4096, 4096, 4096, 0, "
	"1000, 0, NULL),"
	" (1000000001500000000, 2500000000, 4000, 200000, 0, 1, 1, 0, 8, 0, 8, 0, 512, 4000, "
	"500000000, 500000);"
	"INSERT INTO thread (id, tid, process_id, name) VALUES (1, 10, 1, 'python');"
	"INSERT INTO sched_slice (id, start_ns, dur_ns, thread_id, state_id, source_id) VALUES"
	" (1, 1000000001000000000, 5000, 1, 5, 1);"
	"INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, bytes, source_id)"
	" VALUES (1, 1000000001000000000, 5000, 2, 8, 5, NULL, 1),"
	" (2, 1000000001000005000, 700, 2, 9, 11, 4096, 1);"
	"INSERT INTO summary (id, source_id, name, value) VALUES (2, 1, '@us', 3);"
	"INSERT INTO summary (id, source_id, name, key, value) VALUES (3, 1, 'malloc.calls', '10 "
	"malloc', 2), (4, 1, 'cuda.launches', '10 cuLaunchKernel', 7);"
	"INSERT INTO op VALUES (6, 'ncclAllReduce', 'cuda', 'other', 'other');"
	"INSERT INTO track VALUES (5, 'cuda.allocated', 'bytes', 2, 1, 1);"
	"INSERT INTO gpu_segment VALUES"
	" (1000000000000000000, 2, 'bounds', 0, 250000000, 0, 3000, 0, 0, 0, 0, 0, 0),"
	" (1000000001500000000, 2, 'exact', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);"
	"INSERT INTO gpu_phase VALUES"
	" ('(run)', NULL, 2, 'bounds', 3000000000, 7000, 200000, 0, 250000000,"
	" 0, 3000, 0, 0, 0, 0, 0, 0, NULL);";

static char dir[] = "/tmp/td-test-queries-XXXXXX";

static const char *in_dir(const char *name)
{
	static char path[2][128];
	static int turn;

	turn = !turn;
	(void)snprintf(path[turn], sizeof(path[turn]), "%s/%s", dir, name);
	return path[turn];
}

static void make_db(const char *name, const char *sql)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	struct td_err err = { 0 };
	char *msg = NULL;

	TD_CHECK_INT(td_db_create(in_dir(name), TD_PAGE_SIZE, &db, &err), 0);
	TD_CHECK_STR(err.msg, "");
	if (db)
		(void)sqlite3_exec(db, sql, NULL, NULL, &msg);
	TD_CHECK_STR(msg ? msg : "", "");
	sqlite3_free(msg);
	check_sound(db);
}

/* The text with every run of white space as one blank, and without comments. */
static char *squeeze(const char *sql)
{
	char *out = malloc(strlen(sql) + 1), *to = out;

	for (const char *p = sql; *p;) {
		if (strncmp(p, "--", 2) == 0) {
			p += strcspn(p, "\n");
		} else if (isspace((unsigned char)*p)) {
			if (to > out && to[-1] != ' ')
				*to++ = ' ';
			p++;
		} else {
			*to++ = *p++;
		}
	}
	*to = '\0';
	return out;
}

/* What the last ORDER BY of the statement says; "" if there is none. */
static void last_order(const char *sql, char *buf, size_t size)
{
	_cleanup_free_ char *text = squeeze(sql);
	const char *order = NULL, *end;

	for (const char *p = text; (p = strstr(p, "ORDER BY ")); p++)
		order = p + strlen("ORDER BY ");
	order = order ? order : "";
	end = strstr(order, " LIMIT ");
	if (!end)
		end = order + strcspn(order, ";");
	while (end > order && end[-1] == ' ')
		end--;
	(void)snprintf(buf, size, "%.*s", (int)(end - order), order);
}

/* By SQLite itself, not by td_report_prepare(), which is tested elsewhere. */
static void check_declared(sqlite3 *db, const struct td_report *rep)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL, *rest = NULL;
	const char *tail = NULL;
	char order[512];

	TD_CHECK_INT(sqlite3_prepare_v2(db, rep->sql, -1, &stmt, &tail), SQLITE_OK);
	TD_CHECK(stmt && tail && sqlite3_stmt_readonly(stmt));
	if (!stmt)
		return;
	TD_CHECK_INT(sqlite3_prepare_v2(db, tail, -1, &rest, NULL), SQLITE_OK);
	TD_CHECK(!rest);
	TD_CHECK_INT(sqlite3_column_count(stmt), rep->ncolumns);
	for (size_t i = 0; i < rep->ncolumns; i++)
		TD_CHECK_STR(sqlite3_column_name(stmt, (int)i), rep->columns[i].name);
	TD_CHECK_INT(sqlite3_bind_parameter_count(stmt), rep->nparams);
	for (size_t i = 0; i < rep->nparams; i++) {
		char name[64];

		(void)snprintf(name, sizeof(name), ":%s", rep->params[i].name);
		TD_CHECK(sqlite3_bind_parameter_index(stmt, name) > 0);
	}
	for (const char **n = rep->needs; n && *n; n++)
		TD_CHECK(td_need_find(*n));
	for (const char **n = rep->needs_any; n && *n; n++)
		TD_CHECK(td_need_find(*n));
	last_order(rep->sql, order, sizeof(order));
	TD_CHECK_STR(order, rep->order);
}

/* As the program prepares it; NULL after a failed check. */
static sqlite3_stmt *prepare(sqlite3 *db, const struct td_report *rep)
{
	sqlite3_stmt *stmt = NULL;
	struct td_err err = { 0 };

	TD_CHECK_INT(td_report_prepare(db, rep, &stmt, &err), 0);
	TD_CHECK_STR(err.msg, "");
	return stmt;
}

/* Steps to the end; the cells of all rows joined, fields ended by '\x1f' and rows by '\n'. Then the
 * statement is as it was prepared, which takes longer than the steps. */
static void step(sqlite3_stmt *stmt, const struct td_report *rep, const struct td_arg *args,
		 size_t nargs, struct td_strbuf *ret)
{
	struct td_err err = { 0 };
	int rc = SQLITE_ERROR;

	for (size_t i = 0; i < nargs; i++) {
		char name[64];

		(void)snprintf(name, sizeof(name), ":%s", args[i].name);
		TD_CHECK_INT(td_arg_bind(stmt, sqlite3_bind_parameter_index(stmt, name),
					 td_report_param(rep, args[i].name)->type, &args[i], &err),
			     0);
	}
	while (stmt && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(stmt); i++) {
			const char *text = (const char *)sqlite3_column_text(stmt, i);

			td_strbuf_adds(ret, text ? text : "");
			td_strbuf_addc(ret, '\x1f');
		}
		td_strbuf_addc(ret, '\n');
	}
	TD_CHECK_INT(rc, SQLITE_DONE);
	if (rc != SQLITE_DONE)
		fprintf(stderr, "%s: %s\n", rep->name, sqlite3_errmsg(sqlite3_db_handle(stmt)));
	(void)sqlite3_reset(stmt);
	(void)sqlite3_clear_bindings(stmt);
}

/* Every standard filter with a value that fits its type steps, too. */
static void check_filters(sqlite3_stmt *stmt, const struct td_report *rep)
{
	static const struct td_arg filters[] = {
		{ "start_ns", "1000000000500000000" },
		{ "end_ns", "1000000002500000000" },
		{ "phase", "epoch" },
		{ "phase", "epoch 1" },
		{ "pid", "10" },
		{ "process", "python" },
		{ "limit", "1" },
		{ "limit", "0" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(filters); i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf out = TD_STRBUF_INIT;
		size_t n = 0;

		if (!td_report_param(rep, filters[i].name))
			continue;
		step(stmt, rep, &filters[i], 1, &out);
		for (const char *p = td_strbuf_str(&out); *p; p++)
			n += *p == '\n';
		if (strcmp(filters[i].name, "limit") == 0)
			TD_CHECK(n <= strtoul(filters[i].value, NULL, 10));
	}
}

/* Reads a field of csv as RFC 4180 has it, line ends of either kind; returns what ends it: ',', '\n' or
 * EOF. */
static int read_field(FILE *f, struct td_strbuf *to)
{
	int c = getc(f);
	bool quoted = c == '"';

	if (quoted)
		c = getc(f);
	for (; c != EOF; c = getc(f)) {
		if (quoted && c == '"') {
			c = getc(f);
			if (c != '"')
				break;
		} else if (!quoted && (c == ',' || c == '\r' || c == '\n')) {
			break;
		}
		td_strbuf_addc(to, (char)c);
	}
	return c == '\r' ? getc(f) : c;
}

/* In a form that does not depend on what is quoted: fields ended by '\x1f', rows by '\n'. */
static void read_csv(FILE *f, struct td_strbuf *to)
{
	int end;

	while ((end = read_field(f, to)) != EOF) {
		td_strbuf_addc(to, '\x1f');
		if (end == '\n')
			td_strbuf_addc(to, '\n');
	}
}

static void run_shell(const char *db, const struct td_report *rep, struct td_strbuf *ret)
{
	char command[512];
	FILE *f = fopen(in_dir("report.sql"), "we");

	TD_CHECK(f && fputs(rep->sql, f) >= 0 && fclose(f) == 0);
	(void)snprintf(command, sizeof(command), "sqlite3 -readonly -bail -csv -header %s < %s",
		       in_dir(db), in_dir("report.sql"));
	f = popen(command, "re");
	TD_CHECK(f);
	if (!f)
		return;
	read_csv(f, ret);
	TD_CHECK_INT(pclose(f), 0);
}

static void run_here(sqlite3 *db, const struct td_report *rep, struct td_strbuf *ret)
{
	static const struct td_writer_options plain;
	_cleanup_(td_strbuf_done) struct td_strbuf missing = TD_STRBUF_INIT, notes = TD_STRBUF_INIT;
	_cleanup_free_ char *csv = NULL;
	struct td_writer *w = NULL;
	struct td_err err = { 0 };
	size_t len = 0;
	FILE *f = open_memstream(&csv, &len);

	TD_CHECK_INT(td_writer_new(td_format_find("csv"), f, &plain, &w), 0);
	TD_CHECK_INT(td_report_run(db, rep, NULL, 0, w, &missing, &notes, &err), 0);
	TD_CHECK_STR(err.msg, "");
	TD_CHECK_STR(td_strbuf_str(&missing), "");
	TD_CHECK_INT(td_writer_end(w), 0);
	td_writer_free(w);
	fclose(f);
	f = fmemopen(csv, len, "re");
	read_csv(f, ret);
	fclose(f);
}

static void compare_with_shell(sqlite3 *db, const struct td_report *rep)
{
	_cleanup_(td_strbuf_done) struct td_strbuf here = TD_STRBUF_INIT, shell = TD_STRBUF_INIT;

	run_here(db, rep, &here);
	run_shell("full.db", rep, &shell);
	if (shell.len == 0) { /* the shell shows no heading without rows */
		const char *nl = strchr(td_strbuf_str(&here), '\n');

		TD_CHECK(nl && !nl[1]);
		return;
	}
	TD_CHECK_STR(td_strbuf_str(&here), td_strbuf_str(&shell));
}

/* Without arguments, and with each filter. */
static void step_all(sqlite3 *db, const struct td_report *rep, struct td_strbuf *ret)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = prepare(db, rep);

	if (!stmt)
		return;
	step(stmt, rep, NULL, 0, ret);
	check_filters(stmt, rep);
}

/* The same bytes if SQLite happens to find the rows in another order. */
static void check_reversed(sqlite3 *db, const struct td_report *rep, const char *want)
{
	_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;

	TD_CHECK_INT(sqlite3_exec(db, "PRAGMA reverse_unordered_selects = ON", NULL, NULL, NULL),
		     SQLITE_OK);
	stmt = prepare(db, rep);
	if (stmt)
		step(stmt, rep, NULL, 0, &got);
	TD_CHECK_INT(sqlite3_exec(db, "PRAGMA reverse_unordered_selects = OFF", NULL, NULL, NULL),
		     SQLITE_OK);
	TD_CHECK_STR(td_strbuf_str(&got), want);
}

static void test_report(sqlite3 *empty, sqlite3 *full, const struct td_report *rep, bool have_shell)
{
	_cleanup_(td_strbuf_done) struct td_strbuf none = TD_STRBUF_INIT, rows = TD_STRBUF_INIT;

	TD_CASE(rep->name);
	check_declared(empty, rep);
	step_all(empty, rep, &none);
	step_all(full, rep, &rows);
	check_reversed(full, rep, td_strbuf_str(&rows));
	if (have_shell)
		compare_with_shell(full, rep);
}

static void remove_files(void)
{
	static const char *const names[] = { "empty.db", "full.db", "report.sql" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++)
		(void)unlink(in_dir(names[i]));
	(void)rmdir(dir);
}

int main(void)
{
	bool have_shell = system("command -v sqlite3 >/dev/null") == 0;
	_cleanup_(td_reports_done) struct td_reports set = { 0 };
	_cleanup_(td_db_closep) sqlite3 *empty = NULL, *full = NULL;
	struct td_err err = { 0 };

	TD_CHECK(mkdtemp(dir) && setenv("HOME", dir, 1) == 0); /* no ~/.sqliterc */
	make_db("empty.db", "INSERT INTO run (id, name, tracedb_version) VALUES (1, 'empty', '1')");
	make_db("full.db", setup);
	TD_CHECK_INT(td_db_open_ro(in_dir("empty.db"), &empty, &err), 0);
	TD_CHECK_INT(td_db_open_ro(in_dir("full.db"), &full, &err), 0);
	TD_CHECK_INT(td_reports_load(&set, td_queries, NULL, 0, &err), 0);
	TD_CHECK_STR(err.msg, "");
	TD_CHECK(set.n > 0);
	for (size_t i = 0; i < set.n && empty && full; i++) {
		const struct td_report *rep = NULL;

		TD_CHECK_INT(td_reports_get(&set, i, &rep, &err), 0);
		TD_CHECK_STR(err.msg, "");
		test_report(empty, full, rep, have_shell);
	}
	remove_files();
	if (have_shell || td_check_failures)
		return td_check_result();
	fprintf(stderr, "skipped: no sqlite3 shell to compare with\n");
	return TD_TEST_SKIP;
}
