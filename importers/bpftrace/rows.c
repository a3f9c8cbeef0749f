/* SPDX-License-Identifier: MIT */
/*
 * What the columns of a bpftrace row mean.
 *
 *   time     the scripts print nsecs at the END of what they trace: start = ts - lat. Without a latency
 *            the end is all there is.
 *   32 bits  %d prints the low half of a 64-bit value as signed: a latency of 2^31..2^32 ns comes out
 *            negative and is repaired by adding 2^32. One beyond 2^32 cannot be told from a short one.
 *   errors   a failed call returns -errno, which an unsigned column shows as 2^64 - errno.
 *   requests LAT is issue to completion; QLAT, where there is one, queueing to completion.
 */
#include "common/caldate.h"
#include "common/cleanup.h"
#include "importers/bpftrace/bpftrace.h"
#include "schema/ops.h"

#define WRAP (INT64_C(1) << 32)
#define MAX_ERRNO 4095
#define FEW_FILES 64 /* whose names are remembered at first */

/* Time stamps that an interleaved line can hold are longer than this. */
#define SPOILT_MIN INT64_C(1000000000)
#define SPOILT_DIGITS 10

/* --- interleaved lines --- */

/* In the time-aligned form the first column does not say what nsecs looks like: 15 or 16 digits then. */
static bool is_other_time(const struct td_pattern *pt, const struct td_layout_values *v, int64_t n)
{
	return td_layout_near((uint64_t)n, pt->iso ? 0 : v->num[TD_FIELD_TS]);
}

/* Is there a time stamp in the text with more columns behind it? alone: or nothing but a time stamp. */
static bool text_spoilt(const struct td_pattern *pt, const struct td_layout_values *v,
			struct td_str s, bool alone)
{
	struct td_str n = td_layout_find_time(s, pt->iso ? 0 : v->num[TD_FIELD_TS]);

	if (!n.len)
		return false;
	return n.p + n.len < s.p + s.len ? n.p[n.len] == ' ' : alone && n.len == s.len;
}

bool td_bpftrace_spoilt(const struct td_pattern *pt, const struct td_layout_values *v)
{
	static const uint32_t numbers = 1u << TD_FIELD_LAT | 1u << TD_FIELD_QLAT |
					1u << TD_FIELD_ASKED | 1u << TD_FIELD_RET |
					1u << TD_FIELD_OFFSET | 1u << TD_FIELD_SECTOR |
					1u << TD_FIELD_BYTES;
	static const uint32_t words =
		1u << TD_FIELD_COMM | 1u << TD_FIELD_DONECOMM | 1u << TD_FIELD_FUNC;
	static const uint32_t names =
		1u << TD_FIELD_NAME | 1u << TD_FIELD_PATH | 1u << TD_FIELD_FILE;

	for (uint32_t m = v->wide ? pt->fields & numbers : 0; m; m &= m - 1) {
		int64_t n = v->num[__builtin_ctz(m)];

		/* exactly the time itself is a latency whose begin was not seen */
		if (n > SPOILT_MIN && n != v->num[TD_FIELD_TS] && is_other_time(pt, v, n))
			return true;
	}
	for (uint32_t m = pt->fields & (words | names); m; m &= m - 1) {
		unsigned f = (unsigned)__builtin_ctz(m);
		bool alone = words >> f & 1;
		struct td_str s = v->text[f];

		if (s.len >= SPOILT_DIGITS && (alone || memchr(s.p, ' ', s.len)) &&
		    text_spoilt(pt, v, s, alone))
			return true;
	}
	return false;
}

/* --- values --- */

static bool is_narrow(const struct td_pattern *pt, enum td_layout_field f)
{
	return pt->narrow >> f & 1;
}

/* A duration, or TD_NULL if there is none or it cannot be. */
static int64_t latency(struct td_import *imp, const struct td_layout_set *set,
		       const struct td_pattern *pt, const struct td_layout_values *v,
		       enum td_layout_field f)
{
	int64_t lat = v->num[f];
	bool boot = !pt->iso && set->layouts[pt->layout].clock == TD_CLOCK_NONE;

	if (!td_pattern_has(pt, f))
		return TD_NULL;
	if (lat < 0 && lat >= INT32_MIN && is_narrow(pt, f)) {
		td_repair(imp, "wrapped-latency");
		return lat + WRAP;
	}
	if (lat < 0 || (boot && lat >= v->num[TD_FIELD_TS])) {
		td_repair(imp, "impossible-latency");
		return TD_NULL;
	}
	return lat;
}

/* A number of bytes or a position, or TD_NULL. */
static int64_t size(struct td_import *imp, const struct td_pattern *pt,
		    const struct td_layout_values *v, enum td_layout_field f)
{
	int64_t n = v->num[f];

	if (!td_pattern_has(pt, f))
		return TD_NULL;
	if (n < 0 && n >= INT32_MIN && is_narrow(pt, f)) {
		td_repair(imp, f == TD_FIELD_OFFSET ? "wrapped-offset" : "wrapped-size");
		return n + WRAP;
	}
	return n < 0 ? TD_NULL : n;
}

static int64_t return_value(struct td_import *imp, const struct td_pattern *pt,
			    const struct td_layout_values *v)
{
	int64_t n = v->num[TD_FIELD_RET];

	if (!td_pattern_has(pt, TD_FIELD_RET))
		return TD_NULL;
	if (n >= -MAX_ERRNO || !is_narrow(pt, TD_FIELD_RET))
		return n;
	td_repair(imp, "wrapped-size");
	return n + WRAP;
}

/* str() cuts at BPFTRACE_STRLEN - 1 bytes: 63 by default, 1023 from bpftrace 0.23; from 0.18 it adds "..". */
static bool was_cut(struct td_str s)
{
	return s.len == 63 || s.len == 1023 ||
	       ((s.len == 65 || s.len == 1025) && td_str_ends(s, ".."));
}

static uint32_t look_up_name(struct td_store *st, struct td_str s)
{
	/* a last component has no '/', whatever the column is called */
	if (s.len && memchr(s.p, '/', s.len))
		return td_store_file_path(st, s, (struct td_str){ NULL, 0 }, was_cut(s));
	return td_store_file_name(st, s, was_cut(s));
}

static uint64_t eight(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Where the file of that name is remembered. Names that differ do so at their end, or in the number before it. */
static struct td_bpftrace_file *file_place(const struct td_bpftrace_ids *ids, uint64_t first,
					   uint64_t last)
{
	/* multiplicative hashing: the upper bits depend on all of both */
	uint64_t h = (last ^ (first << 29 | first >> 35)) * UINT64_C(0x9e3779b97f4a7c15);

	return &ids->files[h >> 32 & (ids->nfiles - 1)];
}

/* More places, when as many names were looked up as there are: a small file does not pay for many.
 * false: there are none. */
static bool make_places(struct td_bpftrace_ids *ids)
{
	size_t n = ids->nfiles ? ids->nfiles * 4 : FEW_FILES;
	struct td_bpftrace_file *files;

	if (ids->files && (ids->new_files < ids->nfiles || n > TD_BPFTRACE_FILES))
		return true;
	files = calloc(n, sizeof(*files));
	if (!files)
		return ids->files != NULL;
	free(ids->files);
	ids->files = files;
	ids->nfiles = n;
	ids->new_files = 0;
	return true;
}

/* A run goes over the same files again and again: what is found here needs neither hashing nor a copy, and one cache
 * line if the name is not long. */
static uint32_t file_of_name(struct td_store *st, struct td_bpftrace_ids *ids, struct td_str s)
{
	struct td_bpftrace_file *f;
	uint64_t first, last;
	uint32_t id;

	if (s.len < sizeof(first) || s.len > UINT32_MAX)
		return look_up_name(st, s);
	if (!make_places(ids))
		return look_up_name(st, s);
	first = eight(s.p);
	last = eight(s.p + s.len - sizeof(last));
	f = file_place(ids, first, last);
	if (f->id && f->first == first && f->last == last && f->len == s.len &&
	    (s.len <= sizeof(first) + sizeof(last) || memcmp(f->name, s.p, s.len) == 0))
		return f->id;
	id = look_up_name(st, s);
	ids->new_files++;
	if (id) {
		const struct td_file *file = td_store_file_at(st, id);

		*f = (struct td_bpftrace_file){
			.first = first,
			.last = last,
			.name = file->path.p ? file->path.p : file->name.p,
			.len = (uint32_t)s.len,
			.id = id,
		};
	}
	return id;
}

static uint32_t file_of(struct td_store *st, struct td_bpftrace_ids *ids,
			const struct td_pattern *pt, const struct td_layout_values *v)
{
	struct td_str none = { NULL, 0 };
	bool named = td_pattern_has(pt, TD_FIELD_NAME);

	if (td_pattern_has(pt, TD_FIELD_PATH)) {
		struct td_str path = v->text[TD_FIELD_PATH];
		struct td_str name = named ? v->text[TD_FIELD_NAME] : none;

		/* the path could not be read: nothing is known of the file, or its name */
		if (!path.len)
			return name.len ? file_of_name(st, ids, name) : 0;
		return td_store_file_path(st, path, name, was_cut(path));
	}
	if (named)
		return file_of_name(st, ids, v->text[TD_FIELD_NAME]);
	return td_pattern_has(pt, TD_FIELD_FILE) ? file_of_name(st, ids, v->text[TD_FIELD_FILE])
						 : 0;
}

static uint32_t process_of(struct td_store *st, struct td_bpftrace_ids *ids, int64_t pid,
			   struct td_str comm)
{
	struct td_bpftrace_process *p = &ids->processes[(uint64_t)pid % TD_BPFTRACE_PROCESSES];

	/* the idle task has a name per CPU */
	if (pid == 0 && td_str_starts(comm, "swapper/"))
		comm.len = strlen("swapper");
	if (p->id && p->pid == pid && p->comm_len == comm.len &&
	    td_same_bytes(p->comm, comm.p, comm.len))
		return p->id;
	p->id = td_store_process(st, pid, comm.p, comm.len);
	p->pid = pid;
	p->comm_len = comm.len <= sizeof(p->comm) ? comm.len : SIZE_MAX;
	if (comm.len && comm.len <= sizeof(p->comm))
		memcpy(p->comm, comm.p, comm.len);
	return p->id;
}

static struct td_str comm_of(const struct td_pattern *pt, const struct td_layout_values *v,
			     enum td_layout_field f)
{
	return td_pattern_has(pt, f) ? v->text[f] : (struct td_str){ "", 0 };
}

/* Columns without a place of their own: "flags=0x80000 mode=420". */
static uint32_t args_of(struct td_store *st, const struct td_pattern *pt,
			const struct td_layout_values *v)
{
	char buf[512];
	size_t n = 0;

	if (!td_pattern_has(pt, TD_FIELD_EXTRA))
		return 0;
	for (size_t i = 0; i < pt->nops; i++) {
		const struct td_pattern_op *op = &pt->ops[i];
		struct td_str s = v->extra[op->extra];
		bool hex = op->hex && !td_str_starts(s, "0x");
		size_t need = op->text.len + s.len + sizeof(" =0x");

		if (op->field != TD_FIELD_EXTRA || need > sizeof(buf) - n)
			continue;
		n += (size_t)snprintf(buf + n, sizeof(buf) - n, "%s%.*s=%s", n ? " " : "",
				      (int)op->text.len, op->text.p, hex ? "0x" : "");
		memcpy(buf + n, s.p, s.len);
		n += s.len;
	}
	return td_store_string(st, buf, n);
}

/* --- rows --- */

static void look_up_op(struct td_store *st, struct td_bpftrace_op *op, struct td_str name,
		       enum td_layer layer)
{
	const struct td_op_info *info = td_op_lookup(name.p, name.len);

	op->id = td_store_op(st, name.p, name.len, layer);
	op->transfers = strcmp(info->verb, "read") == 0 || strcmp(info->verb, "write") == 0;
}

static uint8_t direction(struct td_str s)
{
	if (s.p[0] == 'R' || td_str_eq(s, "0"))
		return TD_BLOCK_READ;
	return s.p[0] == 'W' || td_str_eq(s, "1") ? TD_BLOCK_WRITE : TD_BLOCK_OTHER;
}

/* The operation that a column names: "openat()", "vfs_read", R. */
static void op_of_row(struct td_store *st, const struct td_pattern *pt,
		      const struct td_layout_values *v, struct td_bpftrace_op *ret)
{
	static const char *const by_direction[2][2] = { { "read", "write" },
							{ "vfs_read", "vfs_write" } };
	struct td_str s;

	if (td_pattern_has(pt, TD_FIELD_FUNC)) {
		const char *colon;

		s = v->text[TD_FIELD_FUNC];
		/* the name of a probe: "kretprobe:vfs_read" */
		colon = s.len ? memrchr(s.p, ':', s.len) : NULL;
		if (colon)
			s = (struct td_str){ colon + 1, (size_t)(s.p + s.len - colon - 1) };
		if (td_str_ends(s, "()"))
			s.len -= 2;
	} else {
		struct td_str rw = v->text[TD_FIELD_RW];

		s.p = by_direction[pt->layer == TD_LAYER_VFS][direction(rw) == TD_BLOCK_WRITE];
		s.len = strlen(s.p);
	}
	look_up_op(st, ret, s, td_str_starts(s, "vfs_") ? TD_LAYER_VFS : pt->layer);
}

static int put_call(struct td_import *imp, struct td_bpftrace_ids *ids,
		    const struct td_layout_set *set, const struct td_pattern *pt,
		    const struct td_layout_values *v)
{
	struct td_call c = TD_CALL_INIT;
	struct td_bpftrace_op *known = &ids->ops[pt - set->patterns], op;

	if (td_pattern_has(pt, TD_FIELD_FUNC) || td_pattern_has(pt, TD_FIELD_RW))
		op_of_row(imp->store, pt, v, &op);
	else if (known->id)
		op = *known;
	else
		look_up_op(imp->store, known, pt->op, pt->layer), op = *known;
	c.op_id = op.id;
	c.start_ns = v->num[TD_FIELD_TS];
	c.dur_ns = latency(imp, set, pt, v, TD_FIELD_LAT);
	if (c.dur_ns != TD_NULL)
		c.start_ns -= c.dur_ns;
	c.ret = return_value(imp, pt, v);
	c.asked_bytes = size(imp, pt, v, TD_FIELD_ASKED);
	c.done_bytes = op.transfers && c.ret >= 0 ? c.ret : TD_NULL;
	c.offset_bytes = size(imp, pt, v, TD_FIELD_OFFSET);
	if (td_pattern_has(pt, TD_FIELD_FD) && v->num[TD_FIELD_FD] >= 0)
		c.fd = (int32_t)v->num[TD_FIELD_FD];
	if (td_pattern_has(pt, TD_FIELD_PID))
		c.process_id = process_of(imp->store, ids, v->num[TD_FIELD_PID],
					  comm_of(pt, v, TD_FIELD_COMM));
	if (td_pattern_has(pt, TD_FIELD_TID))
		c.thread_id = td_store_thread(imp->store, v->num[TD_FIELD_TID], c.process_id);
	c.file_id = file_of(imp->store, ids, pt, v);
	c.args_id = args_of(imp->store, pt, v);
	return td_put_call(imp, &c);
}

static int put_block(struct td_import *imp, struct td_bpftrace_ids *ids,
		     const struct td_layout_set *set, const struct td_pattern *pt,
		     const struct td_layout_values *v)
{
	struct td_block b = TD_BLOCK_INIT;
	int64_t queued = latency(imp, set, pt, v, TD_FIELD_QLAT);

	b.start_ns = v->num[TD_FIELD_TS];
	b.dur_ns = latency(imp, set, pt, v, TD_FIELD_LAT);
	if (b.dur_ns != TD_NULL) {
		b.start_ns -= b.dur_ns;
		if (queued != TD_NULL && queued >= b.dur_ns)
			b.queue_ns = queued - b.dur_ns;
	}
	b.op = td_pattern_has(pt, TD_FIELD_RW) ? direction(v->text[TD_FIELD_RW]) : TD_BLOCK_OTHER;
	/* a flush has no sector and prints -1 */
	b.sector = td_pattern_has(pt, TD_FIELD_SECTOR) && v->num[TD_FIELD_SECTOR] >= 0
			   ? v->num[TD_FIELD_SECTOR]
			   : TD_NULL;
	b.bytes = size(imp, pt, v, TD_FIELD_BYTES);
	if (td_pattern_has(pt, TD_FIELD_DISK))
		b.device_id = td_store_device(imp->store, TD_DEVICE_DISK, v->text[TD_FIELD_DISK].p,
					      v->text[TD_FIELD_DISK].len, TD_NULL);
	if (td_pattern_has(pt, TD_FIELD_PID))
		b.process_id = process_of(imp->store, ids, v->num[TD_FIELD_PID],
					  comm_of(pt, v, TD_FIELD_COMM));
	if (td_pattern_has(pt, TD_FIELD_DONEPID))
		b.done_process_id = process_of(imp->store, ids, v->num[TD_FIELD_DONEPID],
					       comm_of(pt, v, TD_FIELD_DONECOMM));
	return td_put_block(imp, &b);
}

int td_bpftrace_put(struct td_import *imp, struct td_bpftrace_ids *ids,
		    const struct td_layout_set *set, const struct td_pattern *pt,
		    const struct td_layout_values *v)
{
	if (td_pattern_has(pt, TD_FIELD_TIME))
		td_import_clock_reading(imp, v->num[TD_FIELD_TS], TD_CLOCK_LOCAL_TOD,
					v->num[TD_FIELD_TIME], TD_SEC_NS);
	switch (pt->kind) {
	case TD_PATTERN_CALL:
		return put_call(imp, ids, set, pt, v);
	case TD_PATTERN_BLOCK:
		return put_block(imp, ids, set, pt, v);
	case TD_PATTERN_CLOCK:
	case TD_PATTERN_NOISE:
		break;
	}
	return 0;
}
