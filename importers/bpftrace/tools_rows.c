/* SPDX-License-Identifier: MIT */
/*
 * What becomes of the rows of each tool:
 *
 *   opensnoop, statsnoop   call open, or what SYSCALL says, and stat: ret is the fd, or 0, or -ERR
 *   execsnoop              call execve with the command line as its arguments; the process gets its
 *                          command line and parent
 *   killsnoop, syncsnoop   call kill with signal and receiver as its arguments; call sync, fsync, ...
 *   biosnoop               block request; TIME is that of the completion. bpftrace's does not tell
 *                          reads from writes: the direction is 'other'
 *   ext4slower and alike   vfs calls that ended at TIME, fileslower too
 *   cachestat, vfsstat     samples on tracks page_cache.* and vfs.*
 *   syscount, vfscount     summaries: count and, with -L, time per name or process
 */
#include <math.h>

#include "common/caldate.h"
#include "common/cleanup.h"
#include "importers/bpftrace/bpftrace_tools.h"

static const struct td_str no_text = { NULL, 0 };

/* --- time --- */

bool td_tools_clock(struct td_import *imp, struct td_tools *t, enum td_tools_time time)
{
	static const enum td_clock clocks[] = {
		[TD_TOOLS_TIME_NONE] = TD_CLOCK_RELATIVE,
		[TD_TOOLS_TIME_MISSING] = TD_CLOCK_RELATIVE,
		[TD_TOOLS_TIME_SINCE] = TD_CLOCK_RELATIVE,
		[TD_TOOLS_TIME_TOD] = TD_CLOCK_LOCAL_TOD,
		[TD_TOOLS_TIME_BOOT] = TD_CLOCK_BOOT,
	};

	if (t->time == TD_TOOLS_TIME_NONE) {
		t->time = time;
		td_import_set_clock(imp, clocks[time]);
		if (time == TD_TOOLS_TIME_MISSING)
			td_note(imp, "no-time-stamps",
				"the rows bear no time: only their order is kept");
	}
	return t->time == time;
}

int64_t td_tools_tod(struct td_import *imp, struct td_tools *t, int64_t tod_ns)
{
	t->has_tod = true;
	t->has_fractions |= tod_ns % TD_SEC_NS != 0;
	return td_import_unwrap_tod(imp, tod_ns);
}

bool td_tools_time_of(struct td_import *imp, struct td_tools *t, const struct td_tool_row *row,
		      int64_t *ret_ns)
{
	enum td_tools_time time = row->times & TD_TOOL_BIT(TD_TOOL_SINCE)  ? TD_TOOLS_TIME_SINCE
				  : row->times & TD_TOOL_BIT(TD_TOOL_BOOT) ? TD_TOOLS_TIME_BOOT
				  : row->times & TD_TOOL_BIT(TD_TOOL_TOD)  ? TD_TOOLS_TIME_TOD
									   : TD_TOOLS_TIME_MISSING;

	if (!td_tools_clock(imp, t, time))
		return false;
	switch (time) {
	case TD_TOOLS_TIME_SINCE:
		*ret_ns = row->num[TD_TOOL_SINCE];
		if (row->times & TD_TOOL_BIT(TD_TOOL_TOD))
			td_import_clock_reading(imp, *ret_ns, TD_CLOCK_LOCAL_TOD,
						row->num[TD_TOOL_TOD], TD_SEC_NS);
		break;
	case TD_TOOLS_TIME_BOOT:
		*ret_ns = row->num[TD_TOOL_BOOT];
		break;
	case TD_TOOLS_TIME_TOD:
		*ret_ns = td_tools_tod(imp, t, row->num[TD_TOOL_TOD]);
		break;
	default:
		*ret_ns = t->nrows++;
	}
	return true;
}

/* --- who and what --- */

uint32_t td_tools_process_of(struct td_import *imp, const struct td_tools *t,
			     const struct td_tool_row *row)
{
	bool has_comm = td_tool_has(&t->table, TD_TOOL_COMM);
	struct td_str comm = has_comm ? row->text[TD_TOOL_COMM] : (struct td_str){ "", 0 };

	if (!td_tool_has(&t->table, TD_TOOL_PID))
		return 0;
	return td_store_process(imp->store, row->num[TD_TOOL_PID], comm.p, comm.len);
}

static uint16_t op_named(struct td_import *imp, const char *name, enum td_layer layer)
{
	return td_store_op(imp->store, name, strlen(name), layer);
}

static uint32_t add_text(struct td_import *imp, struct td_strbuf *b)
{
	/* a text that does not fit is left out: the store remembers that memory ran out */
	return b->len && td_strbuf_error(b) == 0 ? td_store_string(imp->store, b->p, b->len) : 0;
}

static uint32_t open_args(struct td_import *imp, const struct td_tools *t,
			  const struct td_tool_row *row)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct td_str flags = row->text[TD_TOOL_FLAGS], mode = row->text[TD_TOOL_MODE];

	if (td_tool_has(&t->table, TD_TOOL_FLAGS))
		td_strbuf_addf(&b, "flags=%.*s", (int)flags.len, flags.p);
	if (td_tool_has(&t->table, TD_TOOL_MODE) && !td_str_eq(mode, "n/a"))
		td_strbuf_addf(&b, "%smode=%.*s", b.len ? " " : "", (int)mode.len, mode.p);
	return add_text(imp, &b);
}

/* "tracepoint:syscalls:sys_enter_fsync", "sync()": the operation in it. */
static struct td_str name_of_event(struct td_str s)
{
	static const char enter[] = "sys_enter_";
	const char *colon;

	while (s.len && s.p[s.len - 1] == ' ') /* the last column of a table is padded, too */
		s.len--;
	colon = td_str_rchr(s, ':');

	if (colon)
		s = (struct td_str){ colon + 1, (size_t)(s.p + s.len - colon - 1) };
	if (td_str_starts(s, enter))
		s = (struct td_str){ s.p + strlen(enter), s.len - strlen(enter) };
	if (td_str_ends(s, "()"))
		s.len -= 2;
	return s;
}

/* --- rows --- */

/* The kernel's error numbers are at most 4095; some tools print them below zero. */
#define ERRNO_MAX 4095

static int64_t result_of(struct td_import *imp, int64_t error, int64_t success)
{
	if (error >= -ERRNO_MAX && error <= ERRNO_MAX)
		return error ? -error : success;
	td_repair(imp, "impossible-error");
	return TD_NULL;
}

static int put_path_call(struct td_import *imp, struct td_tools *t, const struct td_tool_row *row,
			 struct td_call *c)
{
	bool is_stat = t->table.tool == TD_TOOL_STATSNOOP || t->is_statsnoop;
	struct td_str path = row->text[TD_TOOL_PATH], func = row->text[TD_TOOL_FUNC];
	int64_t fd = td_tool_has(&t->table, TD_TOOL_FD) && !is_stat ? row->num[TD_TOOL_FD] : 0;

	c->op_id = td_tool_has(&t->table, TD_TOOL_FUNC)
			   ? td_store_op(imp->store, func.p, func.len, TD_LAYER_SYSCALL)
			   : op_named(imp, is_stat ? "stat" : "open", TD_LAYER_SYSCALL);
	c->ret = result_of(imp, row->num[TD_TOOL_ERR], fd);
	c->process_id = td_tools_process_of(imp, t, row);
	/* str() of bpftrace cuts at 63 characters */
	if (path.len)
		c->file_id = td_store_file_path(imp->store, path, no_text, path.len == 63);
	c->args_id = open_args(imp, t, row);
	return td_put_call(imp, c);
}

static int put_exec(struct td_import *imp, struct td_tools *t, const struct td_tool_row *row,
		    struct td_call *c)
{
	struct td_str args = row->text[TD_TOOL_ARGS];
	struct td_process *p;

	c->op_id = op_named(imp, "execve", TD_LAYER_SYSCALL);
	c->ret = td_tool_has(&t->table, TD_TOOL_RET) ? row->num[TD_TOOL_RET] : TD_NULL;
	c->process_id = td_tools_process_of(imp, t, row);
	c->args_id = td_store_string(imp->store, args.p, args.len);
	p = td_store_process_at(imp->store, c->process_id);
	if (p && (c->ret == 0 || c->ret == TD_NULL) && args.len)
		p->command_line_id = c->args_id;
	if (p && td_tool_has(&t->table, TD_TOOL_PPID))
		p->parent_pid = row->num[TD_TOOL_PPID];
	return td_put_call(imp, c);
}

static int put_kill(struct td_import *imp, struct td_tools *t, const struct td_tool_row *row,
		    struct td_call *c)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct td_str sig = row->text[TD_TOOL_SIG];

	td_strbuf_addf(&b, "sig=%.*s pid=%lld", (int)sig.len, sig.p,
		       (long long)row->num[TD_TOOL_TPID]);
	c->op_id = op_named(imp, "kill", TD_LAYER_SYSCALL);
	c->ret = row->num[TD_TOOL_RET];
	c->process_id = td_tools_process_of(imp, t, row);
	c->args_id = add_text(imp, &b);
	return td_put_call(imp, c);
}

static int put_sync(struct td_import *imp, struct td_tools *t, const struct td_tool_row *row,
		    struct td_call *c)
{
	struct td_str name = name_of_event(row->text[TD_TOOL_EVENT]);

	c->op_id = td_store_op(imp->store, name.p, name.len, TD_LAYER_SYSCALL);
	c->process_id = td_tools_process_of(imp, t, row);
	return td_put_call(imp, c);
}

static int put_slower(struct td_import *imp, struct td_tools *t, const struct td_tool_row *row,
		      struct td_call *c)
{
	static const struct {
		char letter;
		const char *op;
	} ops[] = {
		{ 'R', "vfs_read" }, { 'W', "vfs_write" }, { 'O', "vfs_open" }, { 'S', "vfs_fsync" }
	};
	struct td_str path = row->text[TD_TOOL_PATH];
	const char *op = "vfs_other";

	for (size_t i = 0; i < TD_ARRAY_SIZE(ops); i++)
		if (row->text[TD_TOOL_OP].p[0] == ops[i].letter)
			op = ops[i].op;
	c->op_id = op_named(imp, op, TD_LAYER_VFS);
	c->dur_ns = row->num[TD_TOOL_LAT];
	c->start_ns -= c->dur_ns;
	if (strcmp(op, "vfs_read") == 0 || strcmp(op, "vfs_write") == 0) {
		c->done_bytes = c->ret = row->num[TD_TOOL_BYTES];
		if (td_tool_has(&t->table, TD_TOOL_OFFSET) && row->num[TD_TOOL_OFFSET] >= 0)
			c->offset_bytes = row->num[TD_TOOL_OFFSET];
	}
	if (c->done_bytes < 0)
		c->done_bytes = TD_NULL;
	c->process_id = td_tools_process_of(imp, t, row);
	if (td_tool_has(&t->table, TD_TOOL_TID))
		c->thread_id = td_store_thread(imp->store, row->num[TD_TOOL_TID], c->process_id);
	c->file_id = td_store_file_name(imp->store, path, false);
	return td_put_call(imp, c);
}

static struct td_str disk_of(const struct td_tools *t, const struct td_tool_row *row, char buf[64])
{
	struct td_str s = row->text[TD_TOOL_DEVNO];
	struct td_scan scan;
	uint64_t major = 0, minor = 0;

	if (td_tool_has(&t->table, TD_TOOL_DISK))
		return row->text[TD_TOOL_DISK];
	scan = td_scan_of(s.p, s.len);
	(void)td_scan_u64(&scan, &major);
	td_scan_blanks(&scan);
	(void)td_scan_u64(&scan, &minor);
	return (struct td_str){ buf,
				(size_t)snprintf(buf, 64, "%llu:%llu", (unsigned long long)major,
						 (unsigned long long)minor) };
}

static int put_block(struct td_import *imp, struct td_tools *t, const struct td_tool_row *row,
		     int64_t end_ns)
{
	struct td_block b = TD_BLOCK_INIT;
	char buf[64];

	b.dur_ns = row->num[TD_TOOL_LAT];
	b.start_ns = end_ns - b.dur_ns;
	b.op = TD_BLOCK_OTHER;
	if (td_tool_has(&t->table, TD_TOOL_OP)) {
		struct td_str op = row->text[TD_TOOL_OP];

		b.op = memchr(op.p, 'R', op.len)   ? TD_BLOCK_READ
		       : memchr(op.p, 'W', op.len) ? TD_BLOCK_WRITE
						   : TD_BLOCK_OTHER;
	}
	if (td_tool_has(&t->table, TD_TOOL_QUEUE))
		b.queue_ns = row->num[TD_TOOL_QUEUE];
	if (td_tool_has(&t->table, TD_TOOL_SECTOR) && row->num[TD_TOOL_SECTOR] >= 0)
		b.sector = row->num[TD_TOOL_SECTOR];
	if (td_tool_has(&t->table, TD_TOOL_BYTES) && row->num[TD_TOOL_BYTES] >= 0)
		b.bytes = row->num[TD_TOOL_BYTES];
	if (td_tool_has(&t->table, TD_TOOL_DISK) || td_tool_has(&t->table, TD_TOOL_DEVNO)) {
		struct td_str disk = disk_of(t, row, buf);

		b.device_id =
			td_store_device(imp->store, TD_DEVICE_DISK, disk.p, disk.len, TD_NULL);
	}
	b.process_id = td_tools_process_of(imp, t, row);
	return td_put_block(imp, &b);
}

static int put_counts(struct td_import *imp, const struct td_tools *t,
		      const struct td_tool_row *row)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct td_str name = { "count", 5 }, key = row->text[TD_TOOL_FUNC];

	if (!td_tool_has(&t->table, TD_TOOL_FUNC)) {
		struct td_str comm = row->text[TD_TOOL_COMM];

		td_strbuf_addf(&b, "%lld, ", (long long)row->num[TD_TOOL_PID]);
		td_strbuf_add(&b, comm.p, comm.len);
		if (td_strbuf_error(&b) < 0)
			return -ENOMEM;
		key = (struct td_str){ b.p, b.len };
	}
	td_maps_summary(imp, name, key, "count", NAN, NAN, (double)row->num[TD_TOOL_COUNT]);
	for (unsigned i = 0; i < t->table.ncolumns; i++)
		if (t->table.columns[i].field == TD_TOOL_TOTAL)
			td_maps_summary(imp, (struct td_str){ "time", 4 }, key, "us", NAN, NAN,
					row->values[i]);
	return 0;
}

/* The interval is what lies between two rows; of the first one it is not known. */
static int put_samples(struct td_import *imp, struct td_tools *t, const struct td_tool_row *row,
		       int64_t ts_ns)
{
	bool known = t->prev_sample_ns != TD_NULL && t->time != TD_TOOLS_TIME_MISSING &&
		     ts_ns > t->prev_sample_ns;
	struct td_sample s = TD_SAMPLE_INIT;
	int r = 0;

	s.ts_ns = ts_ns;
	s.dur_ns = known ? ts_ns - t->prev_sample_ns : TD_NULL;
	t->prev_sample_ns = ts_ns;
	for (unsigned i = 0; i < t->table.ncolumns && r >= 0; i++) {
		const struct td_tool_column *c = &t->table.columns[i];

		if (c->field != TD_TOOL_SAMPLE)
			continue;
		s.track_id = td_store_track(imp->store, imp->source_id, c->heading->track,
					    c->heading->unit, 0, 0);
		s.value = row->values[i];
		r = td_put_sample(imp, &s);
	}
	return r;
}

int td_tools_put(struct td_import *imp, struct td_tools *t, const struct td_tool_row *row)
{
	struct td_call c = TD_CALL_INIT;

	if (t->table.tool == TD_TOOL_COUNTS)
		return put_counts(imp, t, row);
	if (t->table.tool == TD_TOOL_VALUES)
		return td_tools_put_values(imp, t, row);
	if (!td_tools_time_of(imp, t, row, &c.start_ns))
		return 1;
	switch (t->table.tool) {
	case TD_TOOL_SLOWER:
		return put_slower(imp, t, row, &c);
	case TD_TOOL_BIOSNOOP:
		return put_block(imp, t, row, c.start_ns);
	case TD_TOOL_KILLSNOOP:
		return put_kill(imp, t, row, &c);
	case TD_TOOL_SYNCSNOOP:
		return put_sync(imp, t, row, &c);
	case TD_TOOL_EXECSNOOP:
		return put_exec(imp, t, row, &c);
	case TD_TOOL_OPENSNOOP:
	case TD_TOOL_STATSNOOP:
		return put_path_call(imp, t, row, &c);
	case TD_TOOL_SAMPLES:
		return put_samples(imp, t, row, c.start_ns);
	case TD_TOOL_CALL:
	case TD_TOOL_WAIT:
	case TD_TOOL_MARK:
	case TD_TOOL_SPAN:
		return td_tools_put_event(imp, t, row, c.start_ns);
	case TD_TOOL_VALUES:
	case TD_TOOL_COUNTS:
	case TD_TOOL_NONE:
		break;
	}
	return 0;
}
