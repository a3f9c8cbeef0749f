/* SPDX-License-Identifier: MIT */
/* For the tests of the importer of recordings: recordings to import, and what came of them as text. */
#pragma once

#include "common/caldate.h"
#include "importers/align/align.h"
#include "importers/core/importers.h"
#include "tests/unit/made_wire.h"
#include "tests/unit/samplers.h"

#define T0 UINT64_C(5000000000) /* begin of the recordings, ns since boot */

static inline void add_header(struct td_strbuf *b)
{
	struct td_wire_header h = {
		.byte_order = 0x01020304,
		.version = TD_WIRE_VERSION,
		.start_ns = T0,
		.cpus = 4,
		.host_len = 4,
		.release_len = 5,
		.tool_len = 3,
		.args_len = 13,
		.page_bytes = 4096,
	};

	memcpy(h.magic, TD_WIRE_MAGIC, sizeof(h.magic));
	td_wire_add(b, TD_WIRE_HEADER, &h, sizeof(h), "node6.1.00.1-- python \"x\"");
}

static inline void add_op(struct td_strbuf *b, uint16_t op, enum td_layer layer, const char *name)
{
	struct td_wire_op w = { .op = op,
				.layer = (uint8_t)layer,
				.name_len = (uint8_t)strlen(name) };

	td_wire_add(b, TD_WIRE_OP, &w, sizeof(w), name);
}

enum { READ = 1, OPENAT, RENAME, CONNECT, EXIT_GROUP, VFS_WRITE, FUTEX, LOCK };

static inline void add_begin(struct td_strbuf *b)
{
	add_header(b);
	add_op(b, READ, TD_LAYER_SYSCALL, "pread64");
	add_op(b, OPENAT, TD_LAYER_SYSCALL, "openat");
	add_op(b, RENAME, TD_LAYER_SYSCALL, "rename");
	add_op(b, CONNECT, TD_LAYER_SYSCALL, "connect");
	add_op(b, EXIT_GROUP, TD_LAYER_SYSCALL, "exit_group");
	add_op(b, VFS_WRITE, TD_LAYER_VFS, "vfs_write");
	add_op(b, FUTEX, TD_LAYER_SYSCALL, "futex");
	add_op(b, LOCK, TD_LAYER_LIBC, "pthread_mutex_lock");
}
#define BEGIN_RECORDS 9

static inline void add_end(struct td_strbuf *b, enum td_wire_why why, int32_t status)
{
	struct td_wire_end e = { .time_ns = T0 + 9000, .status = status, .why = why };

	td_wire_add(b, TD_WIRE_END, &e, sizeof(e), NULL);
}

static inline void add_process(struct td_strbuf *b, uint32_t pid, uint8_t flags, uint64_t time_ns,
			       const char *comm, const char *args)
{
	char text[256];
	struct td_wire_process w = {
		.head = { .tid = pid, .flags = flags },
		.time_ns = time_ns,
		.cgroup = 77,
		.parent_pid = 1,
		.uid = pid == 10 ? 0 : 1000,
		.pid_namespace = 4026531836,
		.namespace_pid = pid + 1,
		.comm_len = (uint16_t)strlen(comm),
		.args_len = (uint16_t)strlen(args),
	};

	(void)snprintf(text, sizeof(text), "%s%s", comm, args);
	td_wire_add(b, TD_WIRE_PROCESS, &w, sizeof(w), text);
}

static inline void add_exit(struct td_strbuf *b, uint32_t pid, uint32_t tid, uint8_t flags,
			    uint64_t time_ns, int32_t status)
{
	struct td_wire_exit w = { .head = { .tid = tid, .flags = flags },
				  .time_ns = time_ns,
				  .pid = pid,
				  .status = status };

	td_wire_add(b, TD_WIRE_EXIT, &w, sizeof(w), NULL);
}

static inline void add_name(struct td_strbuf *b, enum td_wire_name_of what, uint64_t number,
			    const char *name)
{
	struct td_wire_name w = { .head = { .flags = (uint8_t)what },
				  .number = number,
				  .name_len = (uint16_t)strlen(name) };

	td_wire_add(b, TD_WIRE_NAME, &w, offsetof(struct td_wire_name, name), name);
}

static inline void add_file(struct td_strbuf *b, uint32_t id, uint8_t flags, enum td_class class,
			    uint64_t inode, const char *path)
{
	struct td_wire_file f = { .head = { .flags = flags },
				  .file = id,
				  .device = 8 << 20 | 1,
				  .inode = inode,
				  .class = (uint8_t) class,
				  .path_len = (uint16_t)strlen(path) };

	td_wire_add(b, TD_WIRE_FILE, &f, offsetof(struct td_wire_file, path), path);
}

/* Below a root directory, or (TD_WIRE_FILE_ROOT) one with that number. */
static inline void add_file_in_root(struct td_strbuf *b, uint32_t id, uint8_t flags, uint16_t root,
				    const char *path)
{
	struct td_wire_file f = { .head = { .flags = flags },
				  .file = id,
				  .inode = 7,
				  .root = root,
				  .path_len = (uint16_t)strlen(path) };

	td_wire_add(b, TD_WIRE_FILE, &f, offsetof(struct td_wire_file, path), path);
}

static inline void add_sched(struct td_strbuf *b, uint64_t off, uint64_t wake, uint64_t on,
			     uint64_t out, uint8_t state, uint32_t waker_tid)
{
	struct td_wire_sched w = { .head = { .tid = 12 },
				   .off_ns = off,
				   .wake_ns = wake,
				   .on_ns = on,
				   .out_ns = out,
				   .waker_tid = waker_tid,
				   .pid = 10,
				   .cpu = 3,
				   .from_cpu = 1,
				   .off_state = state,
				   .off_op = FUTEX };

	td_wire_add(b, TD_WIRE_SCHED, &w, sizeof(w), NULL);
}

/* --- rows as text --- */

static inline void add_number(struct td_strbuf *b, const char *name, int64_t n, int64_t null)
{
	if (n != null)
		td_strbuf_addf(b, " %s %lld", name, (long long)n);
}

static inline const char *or_dash(const char *text)
{
	return text && *text ? text : "-";
}

static inline void add_call_line(struct td_strbuf *b, const struct td_imported *in,
				 const struct td_call *c)
{
	const struct td_op *op = &in->has->ops[c->op_id - 1];

	td_strbuf_addf(b, "%s %s @%lld", td_layer_names[op->layer], op->name,
		       (long long)(c->start_ns - (int64_t)T0));
	add_number(b, "dur", c->dur_ns, TD_NULL);
	td_strbuf_addf(b, " pid %lld tid %lld", (long long)td_process_of(in, c->process_id)->pid,
		       (long long)td_store_thread_at(in->st, c->thread_id)->tid);
	if (c->file_id)
		td_strbuf_addf(b, " on %s", td_file_text(in, c->file_id));
	add_number(b, "ret", c->ret, TD_NULL);
	add_number(b, "asked", c->asked_bytes, TD_NULL);
	add_number(b, "done", c->done_bytes, TD_NULL);
	add_number(b, "offset", c->offset_bytes, TD_NULL);
	add_number(b, "fd", c->fd, INT32_MIN);
	add_number(b, "cold", c->cold_bytes, INT32_MIN);
	add_number(b, "correlation", c->correlation, INT32_MIN);
	td_strbuf_adds(b, c->unfinished ? " unfinished" : "");
	if (c->args_id)
		td_strbuf_addf(b, " args %s", td_text_of(in, c->args_id));
	td_strbuf_addc(b, '\n');
}

static inline void check_calls(const struct td_imported *in, const char *want)
{
	_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;

	for (size_t i = 0; i < in->ncalls; i++)
		add_call_line(&got, in, &in->calls[i]);
	td_check_lines(&got, want);
}

static inline void add_process_line(struct td_strbuf *b, const struct td_imported *in,
				    const struct td_process *p)
{
	td_strbuf_addf(b, "%lld.%u %s '%s' user %s parent %lld", (long long)p->pid, p->lifetime,
		       or_dash(td_text_of(in, p->name_id)), td_text_of(in, p->command_line_id),
		       or_dash(td_text_of(in, p->user_id)), (long long)p->parent_pid);
	add_number(b, "start", p->start_ns, TD_NULL);
	add_number(b, "end", p->end_ns, TD_NULL);
	add_number(b, "status", p->exit_status, TD_NULL);
	td_strbuf_addf(b, " %s namespace %lld as %lld role %s\n",
		       or_dash(td_text_of(in, p->cgroup_id)), (long long)p->pid_namespace,
		       (long long)p->namespace_pid, or_dash(p->role));
}

static inline void check_processes(const struct td_imported *in, const char *want)
{
	_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;

	for (size_t i = 0; i < in->has->nprocesses; i++)
		add_process_line(&got, in, &in->has->processes[i]);
	td_check_lines(&got, want);
}

static inline void import_stream(struct td_imported *in, const struct td_strbuf *b)
{
	td_import_bytes(in, NULL, b->p, b->len, NULL);
	TD_CHECK_STR(in->source->importer, "record");
}

static inline void check_counts(const struct td_imported *in, uint64_t rows, uint64_t skipped,
				uint64_t issues)
{
	TD_CHECK_INT(in->source->rows, rows);
	TD_CHECK_INT(in->source->skipped, skipped);
	TD_CHECK_INT(in->source->issues, issues);
}
