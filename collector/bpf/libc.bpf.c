/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Functions of the C library, by uprobes: those that wait for another thread, of which the long ones are recorded,
 * and those that allocate memory, which are only counted. A few programs serve all of them: which one it is comes
 * with the attachment (its cookie).
 */
#include "collector/bpf/call.h"
#include "collector/bpf/totals.h"

const volatile uint64_t lock_threshold_ns = 0;
const volatile bool count_libc = false; /* there may be totals */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32768);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct td_libc_key);
	__type(value, struct td_libc_totals);
} libc_totals SEC(".maps");

/* --- totals --- */

static __always_inline void add_to_totals(uint32_t pid, uint32_t function, uint32_t set,
					  uint64_t value)
{
	if (!add_to_map(&libc_totals, pid, function, value))
		count_event(set, false);
}

int td_libc_process_ends(uint32_t pid)
{
	struct td_libc_key key = { .pid = pid };

	if (!count_libc)
		return 0;
	for (uint32_t i = 0; i < TD_NLIBC; i++) {
		struct td_libc_totals *t;

		key.function = i;
		t = bpf_map_lookup_elem(&libc_totals, &key);
		if (t) {
			put_totals(td_libc_set(i), &key, t);
			bpf_map_delete_elem(&libc_totals, &key);
		}
	}
	return 0;
}

/* --- waiting --- */

static __always_inline void put_wait(struct td_task *t, uint32_t pid, uint32_t tid, int64_t ret,
				     uint64_t dur_ns, uint32_t flags)
{
	struct draft d = { .start_ns = t->libc.start_ns,
			   .dur_ns = dur_ns,
			   .offset = t->libc.address,
			   .ret = ret,
			   .pid = pid,
			   .tid = tid,
			   .fd = NO_FD,
			   .op = TD_OPS_OF_SET(TD_SET_PTHREAD) + t->libc.function,
			   .flags = flags | TD_WIRE_CALL_HAS_ADDRESS };

	count_event(TD_SET_PTHREAD, put_call(&d) == 0);
}

SEC("uprobe")
int wait_begins(struct pt_regs *ctx)
{
	struct td_task *t = current_recorded();

	if (!t)
		return 0;
	t->libc.function = bpf_get_attach_cookie(ctx);
	t->libc.address = PT_REGS_PARM1(ctx);
	t->libc.switches = bpf_get_current_task_btf()->nvcsw;
	t->libc.start_ns = bpf_ktime_get_boot_ns();
	return 0;
}

/* Who waits leaves the CPU. What a call takes that need not is less than what the two probes take, so it counts as
 * nothing: else a lock that nobody else wants would be most of the time of a program that takes it often. */
static __always_inline uint64_t time_waited(const struct td_task *t)
{
	if (t->libc.switches == bpf_get_current_task_btf()->nvcsw)
		return 0;
	return bpf_ktime_get_boot_ns() - t->libc.start_ns;
}

SEC("uretprobe")
int wait_ends(struct pt_regs *ctx)
{
	struct td_task *t = current_recorded();
	uint64_t ids = bpf_get_current_pid_tgid(), dur_ns;

	/* that of another one: it was called by that, in whose time its own is */
	if (!t || !t->libc.start_ns || t->libc.function != bpf_get_attach_cookie(ctx))
		return 0;
	dur_ns = time_waited(t);
	add_to_totals(ids >> 32, t->libc.function, TD_SET_PTHREAD, dur_ns);
	if (dur_ns && dur_ns >= lock_threshold_ns)
		put_wait(t, ids >> 32, ids, (int32_t)PT_REGS_RC(ctx), dur_ns, 0);
	t->libc.start_ns = 0;
	return 0;
}

int td_libc_unfinished(struct td_task *t, uint32_t pid, uint32_t tid)
{
	if (!t || !t->libc.start_ns)
		return 0;
	put_wait(t, pid, tid, 0, bpf_ktime_get_boot_ns() - t->libc.start_ns,
		 TD_WIRE_CALL_NO_RETURN);
	t->libc.start_ns = 0;
	return 0;
}

/* At the end: who still waits. */
SEC("iter/task")
int unfinished_waits(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct td_task *t;

	if (!task)
		return 0;
	t = bpf_task_storage_get(&tasks, task, NULL, 0);
	if (t && t->watched == TD_WATCHED)
		td_libc_unfinished(t, task->tgid, task->pid);
	return 0;
}

/* --- memory --- */

/* The bytes asked for; false: nothing is, or what is called next will ask. */
static __always_inline bool asked_for(struct pt_regs *ctx, uint32_t function, uint64_t *ret)
{
	switch (function) {
	case TD_LIBC_MALLOC:
		*ret = PT_REGS_PARM1(ctx);
		return true;
	case TD_LIBC_CALLOC:
		*ret = PT_REGS_PARM1(ctx) * PT_REGS_PARM2(ctx);
		return true;
	case TD_LIBC_REALLOC:
		/* without a block of before it calls malloc() */
		*ret = PT_REGS_PARM2(ctx);
		return PT_REGS_PARM1(ctx);
	case TD_LIBC_MEMALIGN:
	case TD_LIBC_ALIGNED_ALLOC:
		*ret = PT_REGS_PARM2(ctx);
		return true;
	case TD_LIBC_POSIX_MEMALIGN:
		*ret = PT_REGS_PARM3(ctx);
		return true;
	default:
		*ret = 0;
		return PT_REGS_PARM1(ctx);
	}
}

SEC("uprobe")
int memory_asked(struct pt_regs *ctx)
{
	struct td_task *t = current_recorded();
	uint32_t function = bpf_get_attach_cookie(ctx);
	uint64_t bytes;

	if (t && asked_for(ctx, function, &bytes))
		add_to_totals(bpf_get_current_pid_tgid() >> 32, function, TD_SET_MALLOC, bytes);
	return 0;
}
