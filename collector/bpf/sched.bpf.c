/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Threads on and off the CPUs: one record when a thread leaves a CPU, for the time since it left one before.
 */
#include "collector/bpf/state.h"

#define TASK_UNINTERRUPTIBLE 2 /* include/linux/sched.h */

static __always_inline int put_sched(const struct td_task *t, uint32_t pid, uint32_t tid,
				     uint64_t out_ns, uint32_t cpu)
{
	void *ring = ring_here();
	struct td_wire_sched *s = ring ? bpf_ringbuf_reserve(ring, sizeof(*s), 0) : NULL;

	count_event(TD_SET_SCHED, s);
	if (!s)
		return -ENOSPC;
	s->head.size = sizeof(*s);
	s->head.kind = TD_WIRE_SCHED;
	s->head.flags = 0;
	s->head.tid = tid;
	s->off_ns = t->off_ns;
	s->wake_ns = t->wake_ns;
	s->on_ns = t->on_ns;
	s->out_ns = out_ns;
	s->pid = pid;
	s->waker_tid = t->waker_tid;
	s->cpu = cpu;
	s->from_cpu = t->from_cpu;
	s->off_state = t->off_state;
	s->pad = 0;
	s->off_op = t->off_op;
	submit(ring, s, sizeof(*s));
	return 0;
}

/* In a byte, as in schema/wire.h; what is beyond it are waits that no signal ends (frozen, for a lock). */
static __always_inline uint8_t state_of(uint32_t state)
{
	if (!state)
		return 0;
	return state & 0xff ? state & 0xff : TASK_UNINTERRUPTIBLE;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(switch_btf, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	uint64_t now = bpf_ktime_get_boot_ns();
	uint32_t cpu = bpf_get_smp_processor_id();
	struct td_task *t;

	if (!recording)
		return 0;
	t = bpf_task_storage_get(&tasks, prev, NULL, 0);
	if (t && t->watched >= TD_WATCHED) {
		/* one that was not seen coming has left all the same */
		if (t->on_ns | t->off_ns)
			put_sched(t, prev->tgid, prev->pid, now, cpu);
		t->off_ns = now;
		t->off_state = preempt ? 0 : state_of(prev_state);
		t->off_op = t->start_ns ? spec_of(t->nr)->op : 0;
		t->from_cpu = cpu;
		t->wake_ns = 0;
		t->waker_tid = 0;
		t->on_ns = 0;
	}
	t = bpf_task_storage_get(&tasks, next, NULL, 0);
	if (t && t->watched >= TD_WATCHED) {
		if (!t->off_ns)
			t->from_cpu = cpu;
		t->on_ns = now;
	}
	return 0;
}

static __always_inline void note_waking(struct task_struct *task)
{
	struct td_task *t = bpf_task_storage_get(&tasks, task, NULL, 0);

	if (t && t->watched >= TD_WATCHED)
		t->waking_tid = bpf_get_current_pid_tgid();
}

static __always_inline int wakes(struct task_struct *task)
{
	struct td_task *t;

	if (!recording)
		return 0;
	t = bpf_task_storage_get(&tasks, task, NULL, 0);
	/* one that is still running has not got to sleep yet, and will not */
	if (!t || t->watched < TD_WATCHED || t->on_ns)
		return 0;
	t->wake_ns = bpf_ktime_get_boot_ns();
	t->waker_tid = t->waking_tid;
	return 0;
}

/* sched_waking is told of by who wakes, perhaps while the thread is still on its way off the CPU; sched_wakeup after
 * that, perhaps by the CPU that is to run it. */
SEC("tp_btf/sched_waking")
int BPF_PROG(waking_btf, struct task_struct *task)
{
	note_waking(task);
	return 0;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(wakeup_btf, struct task_struct *task)
{
	return wakes(task);
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(wakeup_new_btf, struct task_struct *task)
{
	note_waking(task);
	return wakes(task);
}

/* At the end: those that are still running, waiting or asleep. */
SEC("iter/task")
int unfinished_slices(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct td_task *t;

	if (!task)
		return 0;
	t = bpf_task_storage_get(&tasks, task, NULL, 0);
	if (!t || t->watched < TD_WATCHED || !(t->off_ns | t->on_ns))
		return 0;
	put_sched(t, task->tgid, task->pid, 0, t->from_cpu);
	t->off_ns = t->on_ns = 0;
	return 0;
}
