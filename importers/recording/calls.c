/* SPDX-License-Identifier: MIT */
#include <signal.h>

#include "common/array.h"
#include "importers/recording/recording.h"
#include "schema/calls.h"
#include "schema/ops.h"

/* --- operations --- */

/* What a call returns. One that is no system call reads, writes, sends or receives: the bytes that it transferred. */
static void set_returns(struct td_record_op *op, struct td_str name, enum td_layer layer)
{
	const struct td_syscall *spec = layer == TD_LAYER_SYSCALL ? td_syscall_find(name) : NULL;
	const struct td_op_info *info = td_op_lookup(name.p, name.len);

	if (spec) {
		op->returns_bytes = td_syscall_transfers(spec);
		op->returns_offset = spec->effect == TD_CALL_SEEKS;
		op->signals = spec->effect == TD_CALL_SIGNALS;
	} else {
		op->returns_bytes =
			strcmp(info->verb, "read") == 0 || strcmp(info->verb, "write") == 0 ||
			(strcmp(info->verb, "socket") == 0 && strcmp(info->kind, "io") == 0);
	}
}

/* A request of io_uring that stands for a call with a path. */
static bool names_path(struct td_str name)
{
	static const char prefix[] = "io_uring_";
	const struct td_syscall *spec;

	if (!td_str_starts(name, prefix))
		return false;
	spec = td_syscall_find(
		(struct td_str){ name.p + sizeof(prefix) - 1, name.len - (sizeof(prefix) - 1) });
	return spec && spec->path;
}

int td_record_op_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_record *rd = imp->state;
	struct td_wire_op w = TD_REC(rec, td_wire_op);
	struct td_scan s = TD_REC_TEXT(rec, td_wire_op, name);
	struct td_str name;

	if (!td_rec_text(&s, w.name_len, &name) || !name.len || w.op == 0 || w.layer >= TD_NLAYERS)
		return td_rec_spoilt(imp);
	while (rd->nops <= w.op) {
		size_t n = rd->nops ? rd->nops * 2 : 256;
		struct td_record_op *p = realloc(rd->ops, n * sizeof(*p));

		if (!p)
			return -ENOMEM;
		memset(p + rd->nops, 0, (n - rd->nops) * sizeof(*p));
		rd->ops = p;
		rd->nops = n;
	}
	rd->ops[w.op] = (struct td_record_op){
		.op_id = td_store_op(imp->store, name.p, name.len, w.layer),
		.name_id = td_rec_string(imp, name),
		.is_io = strcmp(td_op_lookup(name.p, name.len)->kind, "io") == 0,
		.names_path = names_path(name),
	};
	set_returns(&rd->ops[w.op], name, w.layer);
	return TD_LINE_ROW;
}

const struct td_record_op *td_record_op_at(const struct td_record *rd, uint16_t op)
{
	return op < rd->nops && rd->ops[op].op_id ? &rd->ops[op] : NULL;
}

/* --- files --- */

static const struct td_str no_name = { NULL, 0 };

/* root: string id of the directory that the path begins at, 0: the usual one. */
static uint32_t file_of_path(struct td_import *imp, struct td_str path, uint32_t root, bool cut)
{
	return root ? td_store_file_in_root(imp->store, path, root, cut)
		    : td_store_file_path(imp->store, path, no_name, cut);
}

/* A path, or what the kernel calls a thing without one: 'pipe:[123]'. */
static uint32_t file_of(struct td_import *imp, struct td_str text, uint32_t root, bool cut)
{
	return text.len && text.p[0] == '/' ? file_of_path(imp, text, root, cut)
					    : td_store_file_name(imp->store, text, cut);
}

static int root_row(struct td_import *imp, uint32_t file, struct td_str path)
{
	struct td_record *rd = imp->state;
	uint32_t *id = td_record_map_at(&rd->roots, file);

	if (!id)
		return -ENOMEM;
	*id = td_rec_string(imp, path);
	return TD_LINE_ROW;
}

/* Files of one path, one after the other, are one row: if they differ it has none of their numbers. */
static void set_numbers(struct td_file *f, const struct td_wire_file *w, bool is_new)
{
	int64_t device = w->device ? (int64_t)w->device : TD_NULL;
	int64_t inode = w->inode ? td_rec_i64(w->inode) : TD_NULL;

	if (is_new) {
		f->device = device;
		f->inode = inode;
	} else if (f->device != device || f->inode != inode) {
		f->device = f->device == device ? device : TD_NULL;
		f->inode = TD_NULL;
	}
}

static enum td_class class_of(const struct td_wire_file *w)
{
	bool deleted = w->head.flags & TD_WIRE_FILE_DELETED;

	if (deleted && (w->class == TD_CLASS_REGULAR || w->class == TD_CLASS_UNKNOWN))
		return TD_CLASS_DELETED;
	return w->class;
}

int td_record_file_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_record *rd = imp->state;
	struct td_wire_file w = TD_REC(rec, td_wire_file);
	struct td_scan s = TD_REC_TEXT(rec, td_wire_file, path);
	struct td_str path;
	struct td_file *f;
	uint32_t *id;
	bool is_new;

	if (!td_rec_text(&s, w.path_len, &path) || w.file == 0 || w.class >= TD_NCLASSES)
		return td_rec_spoilt(imp);
	if (w.head.flags & TD_WIRE_FILE_ROOT)
		return root_row(imp, w.file, path);
	id = td_record_map_at(&rd->files, w.file);
	if (!id)
		return -ENOMEM;
	*id = file_of(imp, path, td_record_map_get(&rd->roots, w.root),
		      w.head.flags & TD_WIRE_FILE_CUT);
	f = td_store_file_at(imp->store, *id);
	if (!f)
		return TD_LINE_ROW; /* out of memory, which the store remembers */
	is_new = f->device == TD_NULL && f->inode == TD_NULL && !f->class_known;
	set_numbers(f, &w, is_new);
	if (w.class != TD_CLASS_UNKNOWN || class_of(&w) != w.class) {
		f->class = class_of(&w);
		f->class_known = true;
	}
	return TD_LINE_ROW;
}

/* --- calls --- */

#define COMMON(w)                                                                                  \
	.start_ns = (w)->start_ns, .dur_ns = (w)->dur_ns, .pid = (w)->pid, .file = (w)->file,      \
	.fd = (w)->fd, .op = (w)->op, .cold_pages = (w)->cold_pages, .ret = (w)->ret

static struct td_record_call call_of(const struct td_rec *rec)
{
	struct td_wire_call w = TD_REC(rec, td_wire_call);

	return (struct td_record_call){ COMMON(&w) };
}

static struct td_record_call call_io_of(const struct td_rec *rec)
{
	struct td_wire_call_io w = TD_REC(rec, td_wire_call_io);

	return (struct td_record_call){ COMMON(&w), .asked_bytes = w.asked_bytes,
					.offset_bytes = w.offset_bytes };
}

static struct td_record_call call_wide_of(const struct td_rec *rec)
{
	struct td_wire_call_wide w = TD_REC(rec, td_wire_call_wide);

	return (struct td_record_call){ COMMON(&w.call), .asked_bytes = w.asked_bytes,
					.offset_bytes = w.offset_bytes };
}

bool td_record_call_of(const struct td_rec *rec, struct td_record_call *ret)
{
	if (rec->head.flags & (TD_WIRE_CALL_HAS_ADDRESS | TD_WIRE_CALL_COMM))
		return false;
	switch (rec->head.kind) {
	case TD_WIRE_CALL:
		*ret = call_of(rec);
		return true;
	case TD_WIRE_CALL_IO:
		*ret = call_io_of(rec);
		return true;
	case TD_WIRE_CALL_WIDE:
		*ret = call_wide_of(rec);
		return true;
	default:
		return false;
	}
}

static void set_cold(const struct td_rec *rec, uint16_t pages, uint32_t page_bytes,
		     struct td_call *row)
{
	int64_t bytes = (int64_t)pages * page_bytes;

	if (rec->head.flags & TD_WIRE_CALL_HAS_COLD)
		row->cold_bytes = (int32_t)TD_MIN(bytes, (int64_t)INT32_MAX);
}

/* One that was still under way at the end of the recording has the time up to then. */
static void set_result(const struct td_rec *rec, const struct td_record_call *c,
		       const struct td_record_op *op, struct td_call *row)
{
	row->dur_ns = rec->head.flags & TD_WIRE_CALL_OUT ? TD_NULL : td_rec_i64(c->dur_ns);
	if (rec->head.flags & TD_WIRE_CALL_NO_RETURN) {
		row->unfinished = true;
		if (c->dur_ns == 0)
			row->dur_ns = TD_NULL;
		return;
	}
	row->ret = c->ret;
	if (op->returns_bytes && c->ret >= 0)
		row->done_bytes = c->ret;
	if (op->returns_offset && c->ret >= 0)
		row->offset_bytes = c->ret;
}

static void set_sizes(const struct td_rec *rec, const struct td_record_call *c, struct td_call *row)
{
	if (rec->head.flags & TD_WIRE_CALL_HAS_ASKED)
		row->asked_bytes = td_rec_i64(c->asked_bytes);
	if (rec->head.flags & TD_WIRE_CALL_HAS_OFFSET)
		row->offset_bytes = td_rec_i64(c->offset_bytes);
}

/* All but who and which file it is, and where the call has its place. */
static void fill(const struct td_rec *rec, const struct td_record_call *c,
		 const struct td_record_op *op, uint32_t page_bytes, struct td_call *row)
{
	row->start_ns = td_rec_i64(c->start_ns);
	row->op_id = op->op_id;
	row->fd = c->fd;
	set_result(rec, c, op, row);
	set_cold(rec, c->cold_pages, page_bytes, row);
}

void td_record_call_fill(const struct td_rec *rec, const struct td_record_call *c,
			 const struct td_record_op *op, uint32_t page_bytes, struct td_call *row)
{
	fill(rec, c, op, page_bytes, row);
	set_sizes(rec, c, row);
}

/* Fills the row; *ret_op NULL: it names no operation that is known. */
static int begin(struct td_import *imp, const struct td_rec *rec, const struct td_record_call *c,
		 const struct td_record_op **ret_op, struct td_call *row)
{
	struct td_record *rd = imp->state;
	int r;

	*ret_op = td_record_op_at(rd, c->op);
	if (!*ret_op)
		return 0;
	r = td_record_who(imp, c->pid, rec->head.tid, &row->process_id, &row->thread_id);
	if (r < 0)
		return r;
	if (c->file) {
		row->file_id = td_record_map_get(&rd->files, c->file);
		if (!row->file_id)
			td_repair(imp, "unknown-file");
	}
	fill(rec, c, *ret_op, rd->page_bytes, row);
	return 0;
}

static int put(struct td_import *imp, int r, const struct td_record_op *op, struct td_call *row)
{
	if (r < 0)
		return r;
	if (!op)
		return td_reject(imp, "unknown-op");
	if (op->names_path && !row->file_id)
		td_note(imp, "request-without-path",
			"the path that a request of io_uring names is not recorded");
	r = td_put_call(imp, row);
	return r < 0 ? r : TD_LINE_ROW;
}

/* Of futex: 'FUTEX_WAIT_PRIVATE 0x7f12c8000b60', as futex(2) calls them. */
static uint32_t futex_args(struct td_import *imp, uint64_t op, uint64_t address)
{
	static const char *const names[] = {
		"WAIT",           "WAKE",        "FD",          "REQUEUE",
		"CMP_REQUEUE",    "WAKE_OP",     "LOCK_PI",     "UNLOCK_PI",
		"TRYLOCK_PI",     "WAIT_BITSET", "WAKE_BITSET", "WAIT_REQUEUE_PI",
		"CMP_REQUEUE_PI", "LOCK_PI2",
	};
	uint64_t command = op & 0x7f;
	char text[80];

	if (command < TD_ARRAY_SIZE(names))
		(void)snprintf(text, sizeof(text), "FUTEX_%s%s 0x%llx", names[command],
			       op & 0x80 ? "_PRIVATE" : "", (unsigned long long)address);
	else
		(void)snprintf(text, sizeof(text), "%llu 0x%llx", (unsigned long long)op,
			       (unsigned long long)address);
	return td_store_cstr(imp->store, text);
}

/* Of kill: whom, and what: '1234 SIGTERM'. */
static uint32_t signal_args(struct td_import *imp, uint64_t signal, uint64_t whom)
{
	const char *name = signal < NSIG ? sigabbrev_np((int)signal) : NULL;
	char text[48];

	if (name)
		(void)snprintf(text, sizeof(text), "%d SIG%s", (int32_t)whom, name);
	else
		(void)snprintf(text, sizeof(text), "%d %d", (int32_t)whom, (int32_t)signal);
	return td_store_cstr(imp->store, text);
}

/* Of other locks. */
static uint32_t address_args(struct td_import *imp, uint64_t address)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);
	return td_store_cstr(imp->store, text);
}

#define COMM_RANK_SHIFT 48 /* see TD_WIRE_CALL_COMM */

static uint32_t comm_args(struct td_import *imp, uint64_t comm)
{
	uint64_t address = comm & ((UINT64_C(1) << COMM_RANK_SHIFT) - 1);
	char text[80];

	if (comm >> COMM_RANK_SHIFT)
		(void)snprintf(text, sizeof(text), "{\"communicator\":\"0x%llx\",\"rank\":%llu}",
			       (unsigned long long)address,
			       (unsigned long long)(comm >> COMM_RANK_SHIFT) - 1);
	else
		(void)snprintf(text, sizeof(text), "{\"communicator\":\"0x%llx\"}",
			       (unsigned long long)address);
	return td_store_cstr(imp->store, text);
}

static void set_place(struct td_import *imp, const struct td_rec *rec,
		      const struct td_record_op *op, const struct td_record_call *c,
		      struct td_call *row)
{
	if (rec->head.flags & TD_WIRE_CALL_HAS_ADDRESS && op && op->signals) {
		row->args_id = signal_args(imp, c->asked_bytes, c->offset_bytes);
		return;
	}
	if (rec->head.flags & TD_WIRE_CALL_HAS_ADDRESS) {
		row->args_id = rec->head.flags & TD_WIRE_CALL_HAS_ASKED
				       ? futex_args(imp, c->asked_bytes, c->offset_bytes)
				       : address_args(imp, c->offset_bytes);
		return;
	}
	if (rec->head.flags & TD_WIRE_CALL_COMM)
		row->args_id = comm_args(imp, c->offset_bytes);
	set_sizes(rec, c, row);
}

int td_record_call_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_record_call c = call_of(rec);
	const struct td_record_op *op;
	struct td_call row = TD_CALL_INIT;
	int r = begin(imp, rec, &c, &op, &row);

	return put(imp, r, op, &row);
}

int td_record_call_io_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_record_call c = call_io_of(rec);
	const struct td_record_op *op;
	struct td_call row = TD_CALL_INIT;
	int r = begin(imp, rec, &c, &op, &row);

	set_place(imp, rec, op, &c, &row);
	return put(imp, r, op, &row);
}

int td_record_call_wide_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_record_call c = call_wide_of(rec);
	const struct td_record_op *op;
	struct td_call row = TD_CALL_INIT;
	int r = begin(imp, rec, &c, &op, &row);

	set_place(imp, rec, op, &c, &row);
	return put(imp, r, op, &row);
}

/* The path, joined with the directory that it is relative to if that is known. In rd->path, or text itself. */
static struct td_str absolute(struct td_import *imp, uint32_t directory_id, struct td_str text)
{
	struct td_record *rd = imp->state;
	const struct td_file *f = td_store_file_at(imp->store, directory_id);
	struct td_str dir = f ? f->path : no_name;
	const char *slash;

	if (!dir.len || dir.p[0] != '/' || !text.len || text.p[0] == '/')
		return text;
	for (;;) {
		size_t n = td_str_starts(text, "../") ? 3 : td_str_starts(text, "./") ? 2 : 0;

		if (n == 0)
			break;
		text.p += n;
		text.len -= n;
		slash = td_str_rchr(dir, '/');
		if (n == 3)
			dir.len = (size_t)(slash - dir.p) ? (size_t)(slash - dir.p) : 1;
	}
	td_strbuf_reset(&rd->path);
	td_strbuf_add(&rd->path, dir.p, dir.len);
	if (dir.p[dir.len - 1] != '/')
		td_strbuf_addc(&rd->path, '/');
	td_strbuf_add(&rd->path, text.p, text.len);
	return td_strbuf_error(&rd->path) < 0 ? text : (struct td_str){ rd->path.p, rd->path.len };
}

/* A path that the program passed, for a file that has no number: it was not opened. Else an address or the like. */
static void set_text(struct td_import *imp, const struct td_record_op *op, uint32_t root,
		     struct td_str text, struct td_str text2, uint32_t directory2_id,
		     struct td_call *row)
{
	bool is_path = text.len && (text.p[0] == '/' || op->is_io);
	const struct td_file *directory = td_store_file_at(imp->store, row->file_id);

	if (is_path)
		row->file_id = file_of_path(imp, absolute(imp, row->file_id, text),
					    directory ? directory->root_id : root, false);
	if (text2.len)
		row->args_id = td_rec_string(imp, absolute(imp, directory2_id, text2));
	else if (!is_path)
		row->args_id = td_rec_string(imp, text);
}

int td_record_call_text_row(struct td_import *imp, const struct td_rec *rec)
{
	const struct td_record *rd = imp->state;
	struct td_wire_call_text w = TD_REC(rec, td_wire_call_text);
	struct td_scan s = TD_REC_TEXT(rec, td_wire_call_text, text);
	struct td_record_call c = { COMMON(&w.call), .asked_bytes = w.asked_bytes,
				    .offset_bytes = w.offset_bytes };
	const struct td_record_op *op;
	struct td_call row = TD_CALL_INIT;
	struct td_str text, text2;
	uint32_t root = 0;
	bool is_peer;
	int r;

	if (!td_rec_text(&s, w.text_len, &text) || !td_rec_text(&s, w.text2_len, &text2))
		return td_rec_spoilt(imp);
	is_peer = w.call.head.flags & TD_WIRE_CALL_PEER;
	if (!is_peer && td_str_starts(text, "/")) {
		root = td_record_map_get(&rd->roots, c.file);
		c.file = 0;
	}
	r = begin(imp, rec, &c, &op, &row);
	set_place(imp, rec, op, &c, &row);
	if (r == 0 && op && is_peer)
		row.file_id = td_record_peer_file(imp, row.file_id, text);
	else if (r == 0 && op)
		set_text(imp, op, root, text, text2, td_record_map_get(&rd->files, w.file2), &row);
	return put(imp, r, op, &row);
}
