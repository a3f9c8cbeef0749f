/* SPDX-License-Identifier: MIT */
/*
 * Calls: OS runtime libraries and the CUDA APIs.
 *     OSRT_API                                  call, layer 'libc'
 *     OSRT_FILE_ACCESS_EVENTS, _DESCRIPTORS     the file and the bytes of such a call, or a call of its own
 *     CUPTI_ACTIVITY_KIND_RUNTIME, _DRIVER      call, layer 'cuda'
 *     OSRT_CALLCHAINS, CUDA_CALLCHAINS          stack_sample: the stacks of these
 */
#include "common/cleanup.h"
#include "importers/nsys/nsys.h"

/* NSYS_EVENT_CLASS of rows in OSRT_API that are no calls: tracing of a process starts and ends. */
#define CLASS_OSRT_START 31
#define CLASS_OSRT_FINISH 32

/* OSRT_FILE_ACCESS_EVENT_TYPE */
#define FILE_READ 3
#define FILE_WRITE 4

/* The CUDA runtime's names carry the version of the interface, which nsys stats leaves out if it has four
 * digits: cudaFree_v3020, but cudaGraphLaunch_v10000. */
static size_t cuda_name_len(struct td_str name)
{
	const char *v;

	if (name.len <= 6)
		return name.len;
	v = name.p + name.len - 6;
	if (v[0] == '_' && v[1] == 'v' && td_is_digit(v[2]) && td_is_digit(v[3]) &&
	    td_is_digit(v[4]) && td_is_digit(v[5]))
		return name.len - 6;
	return name.len;
}

/* 0: the name is not in StringIds, or an error that the store remembers. */
static uint16_t op_of(struct td_nsys *n, int64_t name_id, enum td_layer layer)
{
	struct td_nsys_map *map = layer == TD_LAYER_CUDA ? &n->cuda_ops : &n->libc_ops;
	uint16_t op = (uint16_t)td_nsys_map_get(map, &name_id, sizeof(name_id));
	struct td_str name;

	if (op)
		return op;
	name = td_nsys_text(n, name_id);
	if (!name.p)
		return 0;
	op = td_store_op(n->imp->store, name.p,
			 layer == TD_LAYER_CUDA ? cuda_name_len(name) : name.len, layer);
	return td_nsys_map_put(map, &name_id, sizeof(name_id), op) < 0 ? 0 : op;
}

/* chain: of its stack in the table that was read last. */
static int put_call(struct td_nsys *n, struct td_call *c, int64_t chain)
{
	struct td_stack_sample stack = TD_STACK_SAMPLE_INIT;
	int r = td_put_call(n->imp, c);

	stack.stack_id = td_nsys_stack(n, chain);
	if (r < 0 || !stack.stack_id)
		return r < 0 ? r : TD_LINE_ROW;
	stack.start_ns = c->start_ns;
	stack.dur_ns = c->dur_ns;
	stack.kind_id = td_store_cstr(n->imp->store, TD_STACK_CALL);
	stack.op_id = c->op_id;
	stack.process_id = c->process_id;
	stack.thread_id = c->thread_id;
	r = td_put_stack(n->imp, &stack);
	return r < 0 ? r : TD_LINE_ROW;
}

/* --- files --- */

/* nsys numbers the files whose names it did not record. */
static bool is_file_name(struct td_str path)
{
	return path.p && path.len && !td_str_starts(path, "Unknown file #");
}

/* Fills in what a file access says, from three columns: type, bytes, path. */
static void add_file(struct td_nsys *n, sqlite3_stmt *s, int column, struct td_call *c)
{
	int64_t type = td_nsys_i64(s, column), bytes = td_nsys_i64(s, column + 1);
	struct td_str path = td_nsys_str(s, column + 2), no_name = { NULL, 0 };

	if (!is_file_name(path))
		return;
	c->file_id = td_store_file_path(n->imp->store, path, no_name, false);
	if ((type == FILE_READ || type == FILE_WRITE) && bytes >= 0)
		c->done_bytes = bytes;
}

/* --- OS runtime --- */

enum {
	OSRT_START = 1,
	OSRT_END,
	OSRT_NAME,
	OSRT_TID,
	OSRT_CLASS,
	OSRT_RETURN,
	OSRT_CHAIN,
	OSRT_FILE_TYPE
};

static int osrt_row(struct td_nsys *n, sqlite3_stmt *s)
{
	int64_t class = td_nsys_i64(s, OSRT_CLASS);
	struct td_call c = TD_CALL_INIT;
	const char *issue;

	if (class == CLASS_OSRT_START || class == CLASS_OSRT_FINISH)
		return TD_LINE_SKIPPED;
	issue = td_nsys_times(n, s, OSRT_START, OSRT_END, &c.start_ns, &c.dur_ns);
	if (issue)
		return td_nsys_reject(n, s, issue);
	c.op_id = op_of(n, td_nsys_i64(s, OSRT_NAME), TD_LAYER_LIBC);
	if (!c.op_id)
		return td_nsys_reject(n, s, "unknown-name");
	td_nsys_who(n, td_nsys_i64(s, OSRT_TID), &c.process_id, &c.thread_id);
	if (n->osrt_returns)
		c.ret = td_nsys_i64(s, OSRT_RETURN);
	if (sqlite3_column_count(s) > OSRT_FILE_TYPE)
		add_file(n, s, OSRT_FILE_TYPE, &c);
	return put_call(n, &c, td_nsys_i64(s, OSRT_CHAIN));
}

static const char *const osrt_columns[] = { "start",        "end",         "nameId",
					    "globalTid",    "?eventClass", "?returnValue",
					    "?callchainId", NULL };

static const struct td_nsys_table osrt = {
	.name = "OSRT_API",
	.what = "calls of OS runtime libraries",
	.columns = osrt_columns,
	.row = osrt_row,
};

/* With --osrt-file-access=true every access is a call of OSRT_API as well, unless that was too short for
 * --osrt-threshold. */
#define SAME_CALL(event, call)                                                                     \
	event ".startedAt = " call ".start AND " event ".threadId = (" call                        \
	      ".globalTid & 16777215) AND " event ".apiCallId = " call ".nameId"

static const struct td_nsys_table osrt_with_files = {
	.name = "OSRT_API",
	.columns = osrt_columns,
	.extra = "e.eventType, e.bytesProcessed, d.filePath",
	.join = "LEFT JOIN OSRT_FILE_ACCESS_EVENTS AS e ON " SAME_CALL(
		"e", "t") " LEFT JOIN OSRT_FILE_ACCESS_DESCRIPTORS AS d ON d.fileAccessId = "
			  "e.fileAccessId",
	.row = osrt_row,
};

enum {
	ACCESS_START = 1,
	ACCESS_END,
	ACCESS_TID,
	ACCESS_NAME,
	ACCESS_FILE_TYPE,
	ACCESS_BYTES,
	ACCESS_PATH,
	ACCESS_PID,
	ACCESS_CALL
};

static int access_row(struct td_nsys *n, sqlite3_stmt *s)
{
	int64_t tid = td_nsys_i64(s, ACCESS_TID), pid = td_nsys_i64(s, ACCESS_PID);
	struct td_call c = TD_CALL_INIT;
	struct td_store *st = n->imp->store;
	const char *issue;

	/* the call is there, and has got what this row says about the file, if it says anything */
	if (td_nsys_i64(s, ACCESS_CALL) != TD_NULL)
		return is_file_name(td_nsys_str(s, ACCESS_PATH)) ? TD_LINE_ROW : TD_LINE_SKIPPED;
	issue = td_nsys_times(n, s, ACCESS_START, ACCESS_END, &c.start_ns, &c.dur_ns);
	if (issue)
		return td_nsys_reject(n, s, issue);
	c.op_id = op_of(n, td_nsys_i64(s, ACCESS_NAME), TD_LAYER_LIBC);
	if (!c.op_id)
		return td_nsys_reject(n, s, "unknown-name");
	if (pid != TD_NULL)
		c.process_id = td_store_process(st, pid, NULL, 0);
	if (tid != TD_NULL)
		c.thread_id = td_store_thread(st, tid, c.process_id);
	add_file(n, s, ACCESS_FILE_TYPE, &c);
	return put_call(n, &c, 0);
}

static const char *const access_columns[] = { "startedAt", "endedAt",   "threadId",
					      "apiCallId", "eventType", "bytesProcessed",
					      NULL };

static const struct td_nsys_table accesses = {
	.name = "OSRT_FILE_ACCESS_EVENTS",
	.columns = access_columns,
	.extra = "d.filePath, d.processId, c.start",
	.join = "LEFT JOIN OSRT_FILE_ACCESS_DESCRIPTORS AS d ON d.fileAccessId = t.fileAccessId"
		" LEFT JOIN OSRT_API AS c ON " SAME_CALL("t", "c"),
	.row = access_row,
};

/* Are there file accesses that can be joined with the calls? */
static bool has_files(struct td_nsys *n)
{
	sqlite3_stmt *s = td_nsys_prepare(
		n, "SELECT e.fileAccessId, e.eventType, e.bytesProcessed, e.endedAt, d.filePath, "
		   "d.processId"
		   " FROM OSRT_FILE_ACCESS_EVENTS AS e"
		   " JOIN OSRT_FILE_ACCESS_DESCRIPTORS AS d ON d.fileAccessId = e.fileAccessId"
		   " JOIN OSRT_API AS c ON " SAME_CALL("e", "c"));
	bool has = s != NULL;

	sqlite3_finalize(s);
	return has;
}

/* --- CUDA --- */

enum { API_START = 1, API_END, API_NAME, API_TID, API_RETURN, API_CORRELATION, API_CHAIN };

static int api_row(struct td_nsys *n, sqlite3_stmt *s)
{
	int64_t result = td_nsys_i64(s, API_RETURN), id = td_nsys_i64(s, API_CORRELATION);
	struct td_call c = TD_CALL_INIT;
	const char *issue = td_nsys_times(n, s, API_START, API_END, &c.start_ns, &c.dur_ns);

	if (issue)
		return td_nsys_reject(n, s, issue);
	c.op_id = op_of(n, td_nsys_i64(s, API_NAME), TD_LAYER_CUDA);
	if (!c.op_id)
		return td_nsys_reject(n, s, "unknown-name");
	td_nsys_who(n, td_nsys_i64(s, API_TID), &c.process_id, &c.thread_id);
	c.ret = result == TD_NULL ? TD_NULL : -result;
	if (id >= 0 && id <= INT32_MAX)
		c.correlation = (int32_t)id;
	return put_call(n, &c, td_nsys_i64(s, API_CHAIN));
}

static const char *const api_columns[] = { "start",        "end",
					   "nameId",       "?globalTid",
					   "?returnValue", "?correlationId",
					   "?callchainId", NULL };

static const struct td_nsys_table runtime = {
	.name = "CUPTI_ACTIVITY_KIND_RUNTIME",
	.what = "calls of the CUDA APIs",
	.columns = api_columns,
	.row = api_row,
};

static const struct td_nsys_table driver = {
	.name = "CUPTI_ACTIVITY_KIND_DRIVER",
	.columns = api_columns,
	.row = api_row,
};

/* Calls that take less time than this are not in the export. */
static void note_threshold(struct td_nsys *n)
{
	int64_t ns = td_nsys_query_i64(n,
				       "SELECT CAST(value AS INTEGER) FROM META_DATA_CAPTURE"
				       " WHERE name = 'OS_RUNTIME_OPTIONS:DURATION_THRESHOLD_NS'",
				       0);
	char text[160];

	if (ns <= 0)
		return;
	(void)snprintf(text, sizeof(text),
		       "calls of OS runtime libraries shorter than %lld ns were not recorded"
		       " (nsys profile --osrt-threshold)",
		       (long long)ns);
	td_note(n->imp, "short-calls-left-out", text);
}

int td_nsys_read_calls(struct td_nsys *n)
{
	bool files = has_files(n);
	uint64_t calls;
	int r;

	/* nsys writes 0 where it did not record what the function returned */
	n->osrt_returns = td_nsys_query_i64(
		n, "SELECT EXISTS (SELECT 1 FROM OSRT_API WHERE returnValue <> 0)", 0);
	r = td_nsys_read_chains(n, "OSRT_CALLCHAINS");
	if (r >= 0)
		r = td_nsys_read(n, files ? &osrt_with_files : &osrt, &calls);
	if (r >= 0 && files)
		r = td_nsys_read(n, &accesses, NULL);
	if (r >= 0)
		r = td_nsys_read_chains(n, "CUDA_CALLCHAINS");
	if (r >= 0)
		r = td_nsys_read(n, &runtime, NULL);
	if (r >= 0)
		r = td_nsys_read(n, &driver, NULL);
	if (r >= 0 && calls)
		note_threshold(n);
	return r;
}
