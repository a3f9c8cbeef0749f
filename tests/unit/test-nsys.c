/* SPDX-License-Identifier: MIT */
/* Exports of two generations of nsys, made from SQL that we wrote (tests/data/nsys). What is expected was
 * derived from their rows by hand. */
#include <sqlite3.h>

#include "common/strbuf.h"
#include "importers/core/importers.h"
#include "schema/db.h"
#include "tests/unit/stacks.h"

#define SQL_2 TD_TEST_DATA "/nsys/schema-2.sql"
#define SQL_3 TD_TEST_DATA "/nsys/schema-3.sql"
#define TIME_2 INT64_C(1700000000000000000) /* time 0 of the one */
#define TIME_3 INT64_C(1800000000000000000) /* and of the other */

struct bytes {
	unsigned char *p;
	size_t len;
};

static void bytes_done(struct bytes *b)
{
	sqlite3_free(b->p);
}

static void run_sql(sqlite3 *db, const char *sql)
{
	char *msg = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &msg) != SQLITE_OK)
		fprintf(stderr, "%s: %s\n", sql, msg);
	TD_CHECK(!msg);
	sqlite3_free(msg);
}

/* The database that the file and then the statements make. path NULL: the statements alone. */
static struct bytes database(const char *path, const char *more)
{
	_cleanup_free_ char *sql = NULL;
	struct bytes b = { 0 };
	sqlite3 *db = NULL;
	sqlite3_int64 size = 0;
	size_t len;

	TD_CHECK_INT(sqlite3_open(":memory:", &db), SQLITE_OK);
	if (path) {
		sql = td_read_whole(path, &len);
		TD_CHECK(sql != NULL);
		run_sql(db, sql ? sql : "");
	}
	run_sql(db, more);
	b.p = sqlite3_serialize(db, "main", &size, 0);
	b.len = (size_t)size;
	TD_CHECK(b.p && b.len);
	TD_CHECK_INT(sqlite3_close(db), SQLITE_OK);
	return b;
}

/* Imports it by its content. */
static void import_database(struct td_imported *in, const char *path, const char *more)
{
	_cleanup_(bytes_done) struct bytes b = database(path, more);

	td_import_bytes(in, NULL, (const char *)b.p, b.len, NULL);
}

/* --- rows as text --- */

static void add_int(struct td_strbuf *b, int64_t v, int64_t null)
{
	if (v == null)
		td_strbuf_adds(b, " -");
	else
		td_strbuf_addf(b, " %lld", (long long)v);
}

static void add_task(struct td_strbuf *b, const struct td_imported *in, uint32_t process,
		     uint32_t thread)
{
	add_int(b, process ? td_store_process_at(in->st, process)->pid : TD_NULL, TD_NULL);
	add_int(b, thread ? td_store_thread_at(in->st, thread)->tid : TD_NULL, TD_NULL);
}

/* "op layer start duration pid tid ret bytes file", of CUDA calls the correlation */
static void add_calls(struct td_strbuf *b, const struct td_imported *in, int64_t zero)
{
	for (size_t i = 0; i < in->ncalls; i++) {
		const struct td_call *c = &in->calls[i];

		td_strbuf_addf(b, "%s %s", td_op_name_of(in, c),
			       td_layer_names[in->has->ops[c->op_id - 1].layer]);
		add_int(b, c->start_ns - zero, TD_NULL);
		add_int(b, c->dur_ns, TD_NULL);
		add_task(b, in, c->process_id, c->thread_id);
		add_int(b, c->ret, TD_NULL);
		add_int(b, c->done_bytes, TD_NULL);
		td_strbuf_addf(b, " %s", td_file_text(in, c->file_id));
		if (c->correlation != INT32_MIN)
			td_strbuf_addf(b, " %d", c->correlation);
		td_strbuf_addc(b, '\n');
	}
}

/* "kind start duration gpu stream bytes correlation pid name" */
static void add_gpu_ops(struct td_strbuf *b, const struct td_imported *in, int64_t zero)
{
	for (size_t i = 0; i < in->ngpu_ops; i++) {
		const struct td_gpu_op *g = &in->gpu_ops[i];

		td_strbuf_adds(b, td_text_of(in, g->kind_id));
		add_int(b, g->start_ns - zero, TD_NULL);
		add_int(b, g->dur_ns, TD_NULL);
		add_int(b, in->has->devices[g->device_id - 1].number, TD_NULL);
		add_int(b, g->stream, INT32_MIN);
		add_int(b, g->bytes, TD_NULL);
		add_int(b, g->correlation, TD_NULL);
		add_int(b, td_store_process_at(in->st, g->process_id)->pid, TD_NULL);
		td_strbuf_addf(b, " %s\n", td_text_of(in, g->name_id));
	}
}

/* "tid start duration cpu state reason" */
static void add_slices(struct td_strbuf *b, const struct td_imported *in, int64_t zero)
{
	for (size_t i = 0; i < in->nscheds; i++) {
		const struct td_sched *s = &in->scheds[i];

		td_strbuf_addf(b, "%lld", (long long)td_store_thread_at(in->st, s->thread_id)->tid);
		add_int(b, s->start_ns - zero, TD_NULL);
		add_int(b, s->dur_ns, TD_NULL);
		add_int(b, s->cpu, INT32_MIN);
		td_strbuf_addf(b, " %s %s\n", td_text_of(in, s->state_id),
			       td_text_of(in, s->reason_id));
	}
}

/* "name start duration number state tid args", then the marks: "name time value tid args" */
static void add_spans(struct td_strbuf *b, const struct td_imported *in, int64_t zero)
{
	for (size_t i = 0; i < in->nspans; i++) {
		const struct td_span *s = &in->spans[i];

		TD_CHECK_STR(td_text_of(in, s->kind_id), "nvtx");
		td_strbuf_adds(b, td_text_of(in, s->name_id));
		add_int(b, s->start_ns - zero, TD_NULL);
		add_int(b, s->dur_ns, TD_NULL);
		add_int(b, s->number, TD_NULL);
		td_strbuf_addf(b, " %s", td_text_of(in, s->state_id));
		add_task(b, in, s->process_id, s->thread_id);
		td_strbuf_addf(b, " %s\n", td_text_of(in, s->args_id));
	}
	for (size_t i = 0; i < in->nmarks; i++) {
		const struct td_mark *m = &in->marks[i];

		td_strbuf_adds(b, td_text_of(in, m->name_id));
		add_int(b, m->ts_ns - zero, TD_NULL);
		td_strbuf_addf(b, " %g", m->value);
		add_task(b, in, m->process_id, m->thread_id);
		td_strbuf_addf(b, " %s\n", td_text_of(in, m->args_id));
	}
}

static void check_rows(const struct td_imported *in,
		       void (*add)(struct td_strbuf *b, const struct td_imported *in, int64_t zero),
		       int64_t zero, const char *want)
{
	_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;

	add(&got, in, zero);
	TD_CHECK_STR(td_strbuf_str(&got), want);
}

/* The text of the first issue of that kind; "(none)". */
static const char *issue_text(const struct td_imported *in, const char *kind)
{
	for (size_t i = 0; i < in->has->nissues; i++)
		if (strcmp(in->has->issues[i].kind, kind) == 0)
			return in->has->issues[i].text;
	return "(none)";
}

static bool has_note(const struct td_imported *in, const char *kind, const char *begin)
{
	for (size_t i = 0; i < in->has->nissues; i++)
		if (strcmp(in->has->issues[i].kind, kind) == 0 &&
		    strncmp(in->has->issues[i].text, begin, strlen(begin)) == 0)
			return true;
	return false;
}

static const char *process_name(const struct td_imported *in, int64_t pid)
{
	for (size_t i = 0; i < in->has->nprocesses; i++)
		if (in->has->processes[i].pid == pid)
			return td_text_of(in, in->has->processes[i].name_id);
	return "(none)";
}

static const char *thread_name(const struct td_imported *in, int64_t tid)
{
	for (size_t i = 0; i < in->has->nthreads; i++)
		if (in->has->threads[i].tid == tid)
			return td_text_of(in, in->has->threads[i].name_id);
	return "(none)";
}

/* --- the two exports --- */

static void test_schema_2(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("schema 2");
	import_database(&in, SQL_2, "");
	TD_CHECK_STR(in.source->importer, "nsys");
	TD_CHECK_STR(in.source->layout, "schema 2.9.1");
	TD_CHECK_STR(in.source->tool, "nsys");
	TD_CHECK_STR(in.source->tool_version, "2022.2.1.31");
	TD_CHECK_STR(in.source->host, "node7");
	TD_CHECK_INT(in.source->state, TD_STATE_COMPLETE);
	TD_CHECK_INT(in.source->clock, TD_CLOCK_UTC);
	/* 2 GPUs, 2 processes, 1 thread name, 5 + 3 calls, 2 + 2 + 1 GPU operations, 2 ranges, 4 of the
	 * scheduler */
	TD_CHECK_INT(in.source->lines, 24);
	TD_CHECK_INT(in.source->rows, 22);
	TD_CHECK_INT(in.source->skipped, 2); /* the markers in OSRT_API */
	TD_CHECK_INT(in.source->first_native_ns, TIME_2 + 100);
	TD_CHECK_INT(in.source->last_native_ns, TIME_2 + 9000);
	check_rows(&in, add_calls, TIME_2,
		   "read libc 1000 400 1000 1000 - - (none)\n"
		   "cudaMalloc cuda 1000 500 1000 1000 0 - (none) 11\n"
		   "cudaGraphLaunch_v10000 cuda 1600 100 1000 1000 0 - (none) 12\n"
		   "cuMemAlloc_v2 cuda 1800 200 1000 1000 -2 - (none) 13\n"
		   "read libc 2000 600 1000 1000 - - (none)\n"
		   "poll libc 3000 5000 1000 1001 - - (none)\n");
	check_rows(&in, add_gpu_ops, TIME_2,
		   "copy 4000 100 0 7 4096 15 1000 [CUDA memcpy HtoD]\n"
		   "copy 4200 200 0 7 8192 16 1000 [CUDA Unified Memory memcpy HtoD]\n"
		   "set 4500 10 0 7 64 17 1000 [CUDA memset]\n"
		   "kernel 5000 1000 0 7 - 12 1000 add(int, float *)\n"
		   "kernel 6000 3000 1 7 - 14 1000 add(int, float *)\n");
	check_rows(&in, add_slices, TIME_2,
		   "1000 100 200 3 running \n"
		   "1001 250 - 5 off-cpu \n"
		   "1000 300 400 3 off-cpu \n"
		   "1000 700 - 4 running \n");
	check_rows(&in, add_spans, TIME_2,
		   "step 1000 8000 - complete 1000 1000 {\"style\":\"PushPop\"}\n"
		   "load 2000 2000 - complete 1000 1000 {\"style\":\"StartEnd\"}\n");
	TD_CHECK_STR(process_name(&in, 1000), "train");
	TD_CHECK_STR(process_name(&in, 1), "systemd");
	TD_CHECK_STR(thread_name(&in, 1001), "worker");
	TD_CHECK_INT(in.has->ndevices, 2);
}

static void test_schema_3(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("schema 3");
	import_database(&in, SQL_3, "");
	TD_CHECK_STR(in.source->layout, "schema 3.24.0");
	/* 2 GPUs, 5 calls, 4 file accesses, 4 + 4 + 1 + 1 GPU operations, 10 of NVTX, 6 + 1 of the scheduler,
	 * 3 diagnostics */
	TD_CHECK_INT(in.source->lines, 41);
	/* the names that are not there (2) and an unknown event */
	TD_CHECK_INT(in.source->issues, 3);
	/* the access to a nameless file, the sample where there are SCHED_EVENTS, a domain's end, a diagnostic */
	TD_CHECK_INT(in.source->skipped, 4);
	TD_CHECK_INT(in.source->repaired, 1);
	check_rows(&in, add_calls, TIME_3,
		   "open64 libc 1000 2000 1000 1000 3 - /data/a.npy\n"
		   "read libc 4000 5000 1000 1000 4096 4096 /data/a.npy\n"
		   "open64 libc 9500 100 1000 1000 -1 - (none)\n"
		   "read libc 9900 - 1000 1000 0 - (none)\n"
		   "write libc 12000 300 1000 1001 - 512 /data/a.npy\n");
	check_rows(&in, add_gpu_ops, TIME_3,
		   "kernel 20000 1000 1 7 - 5 1000 void k<(int)1>(float *)\n"
		   "kernel 20500 2000 0 7 - 5 2000 void k<(int)1>(float *)\n"
		   "kernel 23000 500 1 7 - 6 1000 k\n"
		   "copy 24000 100 1 7 100 8 1000 [CUDA memcpy Host-to-Device]\n"
		   "copy 24200 100 1 7 200 9 1000 [CUDA memcpy Device-to-Host]\n"
		   "copy 24400 100 1 7 300 10 1000 [CUDA memcpy Sideways]\n"
		   "copy 24600 100 1 7 400 11 1000 [CUDA memcpy kind 99]\n"
		   "sync 25000 900 1 - - 12 1000 Context sync\n"
		   "graph 26000 1000 1 13 - 13 1000 CUDA graph 3\n");
	check_rows(&in, add_slices, TIME_3,
		   "1000 5000 1000 1 running \n"
		   "1000 6000 1500 1 sleeping Mutex\n"
		   "1000 7500 500 2 running \n"
		   "1000 8000 100 2 runnable \n"
		   "1000 8100 900 2 running \n"
		   "1000 9000 - 2 exited threadBlock 77\n");
	check_rows(&in, add_spans, TIME_3,
		   "registered 1000 1000 - complete 1000 1000 "
		   "{\"style\":\"PushPop\",\"domain\":\"my_domain\"}\n"
		   "batch 1100 100 42 complete 1000 1000 "
		   "{\"style\":\"PushPop\",\"domain\":\"my_domain\",\"category\":\"io "
		   "\\\"fast\\\"\"}\n"
		   "ratio 1300 100 - complete 1000 1000 {\"style\":\"StartEnd\",\"payload\":0.5}\n"
		   "open 1500 - - unfinished 1000 1001 {\"style\":\"PushPop\",\"domain\":9}\n"
		   "tick 1600 7 1000 1001 {\"style\":\"Mark\"}\n");
	TD_CHECK_STR(thread_name(&in, 1001), "loader");
}

/* Thread 1000 of process 1000, of which the globalTid is 281491753927656. Stacks begin with the
 * outermost frame, frames of a stack and stacks come in any order, an unresolved one has its module
 * alone, and 0 is no stack. */
static void test_stacks(void)
{
	static const char chains[] =
		"INSERT INTO StringIds VALUES (901, 'main'), (902, 'read'), (903, '/bin/x'),"
		" (904, '/lib/libc.so'), (905, '0x7b1796b03797');"
		"CREATE TABLE OSRT_CALLCHAINS (id, symbol, module, unresolved, stackDepth);"
		"INSERT INTO OSRT_CALLCHAINS VALUES (2, 901, 903, NULL, 1), (1, 902, 904, 0, 0),"
		" (2, 905, 904, 1, 0), (1, 901, 903, 0, 1), (0, 901, 903, 0, 0);"
		"UPDATE OSRT_API SET callchainId = CASE start WHEN 1000 THEN 1 WHEN 9500 THEN 2"
		" WHEN 4000 THEN 3 ELSE 0 END;"
		"CREATE TABLE CUDA_CALLCHAINS (id, symbol, module, unresolved, stackDepth);"
		"INSERT INTO CUDA_CALLCHAINS VALUES (1, 901, 903, 0, 0);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, nameId, globalTid, "
		"callchainId);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (20, 25, 902, 281491753927656, 1);"
		"CREATE TABLE SAMPLING_CALLCHAINS (id, symbol, module, unresolved, stackDepth);"
		"INSERT INTO SAMPLING_CALLCHAINS VALUES (1, 901, 903, 0, 1), (1, 902, 903, 0, 0),"
		" (2, 901, 903, 0, 0);"
		/* 2 is where a thread left its CPU */
		"INSERT INTO COMPOSITE_EVENTS VALUES (2, 5600, 1, 1, 281491753927656, 0),"
		" (3, 5700, 1, 1, 281491753927656, 1);";
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("stacks");
	import_database(&in, SQL_3, chains);
	check_rows(&in, td_add_stacks, TIME_3,
		   "call read 20 5 1000/1000 -1 main@/bin/x\n"
		   "call open64 1000 2000 1000/1000 -1 main@/bin/x;read@/lib/libc.so\n"
		   "cpu - 5500 - 1000/1000 1 main@/bin/x;read@/bin/x\n"
		   "call open64 9500 100 1000/1000 -1 main@/bin/x;?@/lib/libc.so\n");
	TD_CHECK_STR(
		issue_text(&in, "impossible-stack"),
		"OSRT_CALLCHAINS rowid=5 id=0 symbol=901 module=903 unresolved=0 stackDepth=0");
}

static void test_notes(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("notes");
	import_database(&in, SQL_3, "");
	TD_CHECK_STR(
		issue_text(&in, "unknown-name"),
		"OSRT_API rowid=4 start=9700 end=9800 nameId=99 globalTid=281491753927656 "
		"eventClass=27 "
		"returnValue=0 callchainId=0 eventType=NULL bytesProcessed=NULL filePath=NULL");
	TD_CHECK(has_note(&in, "impossible-duration", "OSRT_API rowid=5 start=9900 end=9850 "));
	TD_CHECK(has_note(&in, "unknown-nvtx-event", "NVTX_EVENTS rowid=10 start=1900 "));
	TD_CHECK_STR(issue_text(&in, "nsys-warning"), "Watch out.");
	TD_CHECK_STR(issue_text(&in, "nsys-error"), "This went wrong.");
	TD_CHECK_STR(issue_text(&in, "partial-export"), "EXPORT_PARAM_TIMES_TO_EXPORT=0/1s");
	TD_CHECK(has_note(&in, "short-calls-left-out",
			  "calls of OS runtime libraries shorter than 1000 ns"));
	TD_CHECK_STR(issue_text(&in, "unused-table"), "PROFILER_OVERHEAD");
	TD_CHECK_INT(td_issues_of(&in, "unused-table"), 1); /* the other table has no rows */
	TD_CHECK_INT(td_issues_of(&in, "missing-table"), 4);
	TD_CHECK(has_note(&in, "missing-table", "PROCESSES: "));
	TD_CHECK(has_note(&in, "missing-table", "ThreadNames: "));
	TD_CHECK(has_note(&in, "missing-table", "CUPTI_ACTIVITY_KIND_RUNTIME: "));
	TD_CHECK(has_note(&in, "missing-table", "CUPTI_ACTIVITY_KIND_MEMSET: "));
	TD_CHECK_INT(td_issues_of(&in, "gpu-by-ordinal"), 0);
}

/* --- what differs between exports --- */

static void test_renamed(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("a table has a version");
	import_database(
		&in, SQL_2,
		"ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME TO CUPTI_ACTIVITY_KIND_KERNEL_V2;"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY_VX (a); CREATE TABLE "
		"CUPTI_ACTIVITY_KIND_MEMCPY2 (a)");
	TD_CHECK_INT(in.ngpu_ops, 5);
	TD_CHECK_INT(td_issues_of(&in, "missing-table"), 0);
}

static void test_columns(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("columns that are missing");
	import_database(&in, SQL_2,
			"ALTER TABLE OSRT_API DROP COLUMN nameId;"
			"ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME DROP COLUMN returnValue;"
			"ALTER TABLE NVTX_EVENTS DROP COLUMN domainId; ALTER TABLE NVTX_EVENTS "
			"DROP COLUMN category;"
			"ALTER TABLE TARGET_INFO_GPU DROP COLUMN cuDevice");
	TD_CHECK_STR(issue_text(&in, "missing-column"),
		     "OSRT_API has no column nameId: it is not read");
	TD_CHECK_INT(in.ncalls, 3); /* of CUDA */
	TD_CHECK_INT(in.nspans, 2);
	TD_CHECK_INT(in.calls[0].ret, TD_NULL);
	/* neither table tells which GPU CUDA's 0 is */
	TD_CHECK_INT(td_issues_of(&in, "gpu-by-ordinal"), 1);
	TD_CHECK_INT(in.ngpu_ops, 5);
}

static void test_clock(void)
{
	TD_CASE("times are UTC already");
	{
		_cleanup_(td_imported_done) struct td_imported in = { 0 };

		import_database(&in, SQL_3,
				"UPDATE META_DATA_EXPORT SET value = 'true' WHERE name = "
				"'EXPORT_PARAM_TIME_NORMALIZE'");
		TD_CHECK_INT(in.calls[0].start_ns, 1000);
		TD_CHECK_INT(in.source->clock, TD_CLOCK_UTC);
	}
	TD_CASE("the begin of the session is not there");
	{
		_cleanup_(td_imported_done) struct td_imported in = { 0 };

		import_database(&in, SQL_3, "DROP TABLE TARGET_INFO_SESSION_START_TIME");
		TD_CHECK_INT(in.calls[0].start_ns, 1000);
		TD_CHECK_INT(in.source->clock, TD_CLOCK_RELATIVE);
		TD_CHECK(has_note(&in, "missing-table", "TARGET_INFO_SESSION_START_TIME: "));
	}
}

static void test_samples(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("samples in place of scheduling");
	import_database(&in, SQL_3,
			"DROP TABLE SCHED_EVENTS;"
			"INSERT INTO COMPOSITE_EVENTS VALUES (2, 5600, 1, 2, 281491753927656, 0)");
	check_rows(&in, add_slices, TIME_3, "1000 5500 - 1 running \n");
}

static void test_odd_values(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("odd values");
	import_database(
		&in, SQL_2,
		"INSERT INTO OSRT_API VALUES ('soon', 5, 27, 0, 0, 1, 0, 0, 0);"
		"INSERT INTO OSRT_API VALUES (9223372036854775807, 9223372036854775807, 27, 0, 0, "
		"1, 0, 0, 0);"
		"INSERT INTO OSRT_API VALUES (-50, 9223372036854775807, 27, NULL, 0, 1, 0, 0, 0);"
		"INSERT INTO PROCESSES VALUES (NULL, NULL, 'x');"
		"INSERT INTO ThreadNames VALUES (9, 1, NULL), (4711, 1, 281491753927656);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 2, 'x', 1, 7, 15, 0, 4096, 1),"
		" (1, 2, 0, 1, 7, 15, 0, 4096, 'x')");
	TD_CHECK_INT(td_issues_of(&in, "no-time"), 1);
	TD_CHECK_INT(td_issues_of(&in, "impossible-time"), 1);
	TD_CHECK_INT(td_issues_of(&in, "impossible-duration"), 1);
	TD_CHECK_INT(td_issues_of(&in, "no-pid"), 1);
	TD_CHECK_INT(td_issues_of(&in, "no-tid"), 1);
	TD_CHECK_INT(td_issues_of(&in, "unknown-name"), 1);
	TD_CHECK_INT(td_issues_of(&in, "unknown-device"), 1);
	TD_CHECK_INT(td_issues_of(&in, "no-copy-kind"), 1);
	TD_CHECK_INT(in.source->issues, 7);
	TD_CHECK_INT(in.source->repaired, 1);
	TD_CHECK_INT(in.ncalls, 7);
	TD_CHECK_INT(in.calls[0].start_ns, TIME_2 - 50);
	TD_CHECK_INT(in.calls[0].dur_ns, TD_NULL);
	TD_CHECK_INT(in.calls[0].process_id, 0);
}

static void test_version(const char *version, int want)
{
	_cleanup_(td_store_freep) struct td_store *st = NULL;
	_cleanup_(bytes_done) struct bytes b = { 0 };
	struct td_err err = { { 0 } };
	char sql[160];

	TD_CASE(version);
	(void)snprintf(
		sql, sizeof(sql),
		"UPDATE META_DATA_EXPORT SET value = '%s' WHERE name = 'EXPORT_SCHEMA_VERSION'",
		version);
	b = database(SQL_3, sql);
	TD_CHECK_INT(td_store_new("/tmp/tracedb-test-spill", &st), 0);
	TD_CHECK_INT(td_import_mem(st, (const char *)b.p, b.len, "x", NULL, &td_no_options, &err),
		     want);
	if (want < 0) {
		TD_CHECK(strstr(err.msg, version) != NULL);
		TD_CHECK_INT(td_store_source_at(st, 1)->state, TD_STATE_FAILED);
	}
}

static void test_versions(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	test_version("2.0.0", 0);
	test_version("3.28.1", 0);
	test_version("1.9.9", -EPROTONOSUPPORT);
	test_version("4.0.0", -EPROTONOSUPPORT);

	TD_CASE("no version");
	import_database(&in, SQL_3, "DELETE FROM META_DATA_EXPORT");
	TD_CHECK_INT(td_issues_of(&in, "unknown-schema"), 1);
	TD_CHECK_INT(in.ncalls, 5);
}

/* --- what is an export --- */

static int sniff(const struct bytes *b)
{
	return td_importer_nsys.sniff((const char *)b->p, TD_MIN(b->len, (size_t)64 * 1024));
}

static void check_foreign(const char *name, const char *sql, int want_sniff)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(bytes_done) struct bytes b = database(NULL, sql);

	TD_CASE(name);
	TD_CHECK_INT(sniff(&b), want_sniff);
	td_import_bytes(&in, NULL, (const char *)b.p, b.len, NULL);
	TD_CHECK_INT(in.source->state, TD_STATE_UNRECOGNISED);
	TD_CHECK(in.source->importer == NULL);
	TD_CHECK_INT(in.source->clock, TD_CLOCK_NONE);
	TD_CHECK_STR(in.source->detail, "no importer recognises it");
	TD_CHECK_INT(strlen(in.source->hash), 32);
	TD_CHECK_INT(in.source->lines, 0);
}

static void test_sniff(void)
{
	_cleanup_(bytes_done) struct bytes two = database(SQL_2, "");
	_cleanup_(bytes_done) struct bytes ours =
		database(SQL_2, "PRAGMA application_id = 1953653858");
	_cleanup_(td_strbuf_done) struct td_strbuf many = TD_STRBUF_INIT;

	TD_CASE("sniff");
	TD_CHECK_INT(sniff(&two), 95);
	for (size_t len = 0; len < 112; len++)
		TD_CHECK_INT(td_importer_nsys.sniff((const char *)two.p, len), 0);
	TD_CHECK_INT(sniff(&ours), 0);

	check_foreign("another program's", "CREATE TABLE t (a); CREATE TABLE StringIds (id, value)",
		      0);
	check_foreign("names in other places",
		      "CREATE TABLE t (a); INSERT INTO t VALUES ('CREATE TABLE StringIdsX ('),"
		      " ('CREATE TABLE META_DATA_EXPORTS ('); CREATE TABLE X_StringIds (a)",
		      0);
	/* so many tables that their SQL is behind the first 64 KiB: only a look at the file tells */
	for (int i = 0; i < 40; i++)
		td_strbuf_addf(&many, "CREATE TABLE t%d (%*s a); ", i, 150, "");
	check_foreign("many tables", td_strbuf_str(&many), 1);
}

/* --- damage --- */

/* A file that is cut anywhere says so, and gives the rows of the tables that are there. */
static void test_cut(void)
{
	_cleanup_(bytes_done) struct bytes b = database(SQL_3, "");
	uint64_t most = 0;
	uint32_t random = 1;

	TD_CASE("cut");
	for (int i = 0; i < 200; i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };

		random = random * 1664525 + 1013904223;
		td_import_bytes(&in, &td_importer_nsys, (const char *)b.p, random % b.len, NULL);
		TD_CHECK(in.source->state != TD_STATE_COMPLETE);
		TD_CHECK(in.source->detail || in.source->state == TD_STATE_EMPTY);
		most = TD_MAX(most, in.source->rows);
	}
	TD_CHECK(most > 0); /* not all is lost */
}

static void test_noise(void)
{
	_cleanup_(bytes_done) struct bytes b = database(SQL_3, "");
	uint32_t random = 7;

	TD_CASE("noise");
	for (int i = 0; i < 300; i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };
		_cleanup_free_ unsigned char *copy = malloc(b.len);

		memcpy(copy, b.p, b.len);
		for (int k = 0; k < 1 + i % 16; k++) {
			random = random * 1664525 + 1013904223;
			copy[random % b.len] = (unsigned char)(random >> 24);
		}
		td_make_store(&in);
		in.r = td_import_mem(in.st, (const char *)copy, b.len, "x", &td_importer_nsys,
				     &td_no_options, &in.err);
		/* a spoilt version may be one that is refused, a spoilt file one that is no database */
		TD_CHECK(in.r == 0 || in.r == -EPROTONOSUPPORT);
	}
}

int main(void)
{
	test_schema_2();
	test_schema_3();
	test_stacks();
	test_notes();
	test_renamed();
	test_columns();
	test_clock();
	test_samples();
	test_odd_values();
	test_versions();
	test_sniff();
	test_cut();
	test_noise();
	return td_check_result();
}
