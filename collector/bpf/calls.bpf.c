/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * System calls: what was asked is noted at sys_enter, one record is written at sys_exit. Which calls, and what
 * their arguments mean, is in specs[], which the loader fills from the table of collector/syscalls.c.
 */
#include "collector/bpf/state.h"

#define O_APPEND 02000
#define MAP_ANONYMOUS 0x20
#define IOVEC_BATCH 8
#define IOV_MAX 1024

const volatile struct td_call_spec specs[TD_NSYSCALLS] = {};

struct iovec {
	uint64_t base, len;
};

/* struct user_msghdr of include/linux/socket.h: what sendmsg() is given */
struct message {
	uint64_t name, name_len, iov, iov_len;
};

/* The parts of a record whose form is not decided yet. */
struct draft {
	uint64_t asked, offset;
	int64_t ret;
	uint32_t file;
	int32_t fd;
	uint32_t set;
	uint32_t flags; /* of TD_WIRE_CALL */
};

static __always_inline struct td_task *current_watched(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct td_task *t =
		bpf_task_storage_get(&tasks, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!t)
		return NULL;
	if (t->watched == TD_WATCHED)
		return t;
	if (t->watch_epoch == watch_epoch || !td_watch_decide())
		return NULL;
	return t;
}

/* specs[nr] is constant for the verifier, but not for the compiler, which sees only zeros. */
static __always_inline const struct td_call_spec *spec_of(uint64_t nr)
{
	const struct td_call_spec *spec = (const struct td_call_spec *)specs;

	barrier_var(spec);
	return &spec[nr & (TD_NSYSCALLS - 1)];
}

static __always_inline uint32_t note_file(struct td_task *t, uint32_t fd)
{
	struct td_seen *seen = &t->seen[fd & (TD_NSEEN - 1)];
	uint32_t id;

	t->file = file_of_fd(bpf_get_current_task_btf(), fd);
	id = file_id(seen, t->file, TD_SCRATCH_TASK);
	t->seekable = t->file ? seen->seekable : 0;
	return id;
}

static __always_inline int call_begins(struct td_task *t, const struct td_call_spec *spec,
				       uint32_t nr)
{
	struct file *file;

	t->nr = nr;
	t->file = 0;
	t->file_id = 0;
	t->seekable = 0;
	t->cold_pages = 0;
	if (spec->flags & TD_SPEC_MAP && t->args[4] & MAP_ANONYMOUS)
		t->args[spec->fd & 7] = (uint32_t)NO_FD;
	else if (spec->fd)
		t->file_id = note_file(t, t->args[spec->fd & 7]);
	if (spec->flags & TD_SPEC_POSITION && t->seekable) {
		file = (struct file *)t->file;
		t->position = BPF_CORE_READ(file, f_pos);
	}
	t->start_ns = bpf_ktime_get_boot_ns();
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(enter_btf, struct pt_regs *regs, long nr)
{
	const struct td_call_spec *spec = spec_of(nr);
	struct td_task *t;

	if (!recording || (uint64_t)nr >= TD_NSYSCALLS || !spec->op)
		return 0;
#if defined(__TARGET_ARCH_x86)
	if (bpf_get_current_task_btf()->thread_info.status & TS_COMPAT)
		return 0;
#endif
	t = current_watched();
	if (!t)
		return 0;
#if defined(__TARGET_ARCH_x86)
	t->args[1] = regs->di;
	t->args[2] = regs->si;
	t->args[3] = regs->dx;
	t->args[4] = regs->r10;
	t->args[5] = regs->r8;
	t->args[6] = regs->r9;
#elif defined(__TARGET_ARCH_arm64)
	t->args[1] = regs->orig_x0;
	t->args[2] = regs->regs[1];
	t->args[3] = regs->regs[2];
	t->args[4] = regs->regs[3];
	t->args[5] = regs->regs[4];
	t->args[6] = regs->regs[5];
#endif
	return call_begins(t, spec, nr);
}

SEC("tracepoint/raw_syscalls/sys_enter")
int enter_tracepoint(struct trace_event_raw_sys_enter *ctx)
{
	uint64_t nr = ctx->id;
	const struct td_call_spec *spec = spec_of(nr);
	struct td_task *t;

	if (!recording || nr >= TD_NSYSCALLS || !spec->op)
		return 0;
#if defined(__TARGET_ARCH_x86)
	if (bpf_get_current_task_btf()->thread_info.status & TS_COMPAT)
		return 0;
#endif
	t = current_watched();
	if (!t)
		return 0;
	t->args[1] = ctx->args[0];
	t->args[2] = ctx->args[1];
	t->args[3] = ctx->args[2];
	t->args[4] = ctx->args[3];
	t->args[5] = ctx->args[4];
	t->args[6] = ctx->args[5];
	return call_begins(t, spec, nr);
}

static __always_inline int put_plain(struct td_task *t, uint32_t op, const struct draft *d,
				     uint64_t dur_ns)
{
	uint64_t ids = bpf_get_current_pid_tgid();
	void *ring = ring_here();
	struct td_wire_call *c;

	c = ring ? bpf_ringbuf_reserve(ring, sizeof(*c), 0) : NULL;
	if (!c)
		return -ENOSPC;
	c->head.size = sizeof(*c);
	c->head.kind = TD_WIRE_CALL;
	c->head.flags = d->flags;
	c->head.tid = ids;
	c->start_ns = t->start_ns;
	c->dur_ns = dur_ns;
	c->pid = ids >> 32;
	c->file = d->file;
	c->fd = d->fd;
	c->op = op;
	c->cold_pages = t->cold_pages;
	c->ret = d->ret;
	bpf_ringbuf_submit(c, BPF_RB_NO_WAKEUP);
	return 0;
}

static __always_inline int put_io(struct td_task *t, uint32_t op, const struct draft *d,
				  uint64_t dur_ns)
{
	uint64_t ids = bpf_get_current_pid_tgid();
	void *ring = ring_here();
	struct td_wire_call_io *c;

	c = ring ? bpf_ringbuf_reserve(ring, sizeof(*c), 0) : NULL;
	if (!c)
		return -ENOSPC;
	c->head.size = sizeof(*c);
	c->head.kind = TD_WIRE_CALL_IO;
	c->head.flags = d->flags;
	c->head.tid = ids;
	c->start_ns = t->start_ns;
	c->dur_ns = dur_ns;
	c->pid = ids >> 32;
	c->file = d->file;
	c->fd = d->fd;
	c->op = op;
	c->cold_pages = t->cold_pages;
	c->ret = d->ret;
	c->asked_bytes = d->asked;
	c->offset_bytes = d->offset;
	bpf_ringbuf_submit(c, BPF_RB_NO_WAKEUP);
	return 0;
}

static __always_inline int put_wide(struct td_task *t, uint32_t op, const struct draft *d,
				    uint64_t dur_ns)
{
	uint64_t ids = bpf_get_current_pid_tgid();
	void *ring = ring_here();
	struct td_wire_call_wide *c;

	c = ring ? bpf_ringbuf_reserve(ring, sizeof(*c), 0) : NULL;
	if (!c)
		return -ENOSPC;
	c->call.head.size = sizeof(*c);
	c->call.head.kind = TD_WIRE_CALL_WIDE;
	c->call.head.flags = d->flags;
	c->call.head.tid = ids;
	c->call.start_ns = t->start_ns;
	c->call.dur_ns = dur_ns;
	c->call.pid = ids >> 32;
	c->call.file = d->file;
	c->call.fd = d->fd;
	c->call.op = op;
	c->call.cold_pages = t->cold_pages;
	c->call.ret = d->ret;
	c->asked_bytes = d->asked;
	c->offset_bytes = d->offset;
	bpf_ringbuf_submit(c, BPF_RB_NO_WAKEUP);
	return 0;
}

static __always_inline void call_ends(struct td_task *t, int64_t ret)
{
	uint64_t dur_ns = bpf_ktime_get_boot_ns() - t->start_ns;
	const struct td_call_spec *spec = spec_of(t->nr);
	struct draft d = { .ret = ret, .file = t->file_id, .fd = NO_FD, .set = spec->set };
	int r;

	if (spec->fd)
		d.fd = t->args[spec->fd & 7];
	if (spec->asked) {
		d.asked = t->args[spec->asked & 7];
		d.flags |= TD_WIRE_CALL_HAS_ASKED;
	}
	if (spec->offset) {
		d.offset = t->args[spec->offset & 7];
		d.flags |= TD_WIRE_CALL_HAS_OFFSET;
	} else if (spec->flags & TD_SPEC_POSITION && t->seekable) {
		d.offset = t->position;
		d.flags |= TD_WIRE_CALL_HAS_OFFSET;
	}
	if (spec->flags & TD_SPEC_MAKES && ret >= 0) {
		d.fd = ret;
		d.file = note_file(t, ret);
	}
	if (!d.flags)
		r = put_plain(t, spec->op, &d, dur_ns);
	else if (d.asked >> 31 || ret != (int32_t)ret)
		r = put_wide(t, spec->op, &d, dur_ns);
	else
		r = put_io(t, spec->op, &d, dur_ns);
	count_event(d.set, r == 0);
	t->start_ns = 0;
}

static __always_inline struct td_task *current_in_call(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct td_task *t = bpf_task_storage_get(&tasks, task, NULL, 0);

	return t && t->start_ns && recording ? t : NULL;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(exit_btf, struct pt_regs *regs, long ret)
{
	struct td_task *t = current_in_call();

	if (t)
		call_ends(t, ret);
	return 0;
}

SEC("tracepoint/raw_syscalls/sys_exit")
int exit_tracepoint(struct trace_event_raw_sys_exit *ctx)
{
	struct td_task *t = current_in_call();

	if (t)
		call_ends(t, ctx->ret);
	return 0;
}
