/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Requests to disks, from being queued to being done. They are those of watched threads and of the kernel's own,
 * which write back what anybody has written; with that it is known what a disk was busy with, but not what
 * other users' processes read.
 */
#include "collector/bpf/state.h"

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h */

/* By struct request; of kind 0 if it does not count. Taken and given back in interrupts, too. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8192);
	__type(key, uint64_t);
	__type(value, struct td_wire_block);
} requests SEC(".maps");

/* Is what the current thread asks of disks recorded? A thread of the kernel gets a record when it first is. */
static __always_inline bool issuer_counts(struct task_struct *task)
{
	struct td_task *t;

	if (!(task->flags & PF_KTHREAD)) {
		t = bpf_task_storage_get(&tasks, task, NULL, 0);
		return t && t->watched == TD_WATCHED;
	}
	td_watch_announce_kernel();
	return true;
}

static __always_inline void note_request(struct td_wire_block *p, struct task_struct *task,
					 struct request *rq)
{
	struct gendisk *disk = BPF_CORE_READ(rq, q, disk);

	p->head.size = sizeof(*p);
	p->head.kind = TD_WIRE_BLOCK;
	p->head.tid = task->pid;
	p->pid = task->tgid;
	p->sector = BPF_CORE_READ(rq, __sector);
	p->bytes = BPF_CORE_READ(rq, __data_len);
	p->cmd_flags = BPF_CORE_READ(rq, cmd_flags);
	if (disk)
		p->device = BPF_CORE_READ(disk, major) << 20 | BPF_CORE_READ(disk, first_minor);
}

SEC("tp_btf/block_rq_insert")
int BPF_PROG(insert_btf, struct request *rq)
{
	struct task_struct *task = bpf_get_current_task_btf();
	uint64_t key = (uint64_t)rq;
	struct td_wire_block p = {};

	if (!recording)
		return 0;
	/* also if it does not count, since it may be issued by a thread of the kernel, which does */
	if (issuer_counts(task)) {
		p.insert_ns = bpf_ktime_get_boot_ns();
		note_request(&p, task, rq);
	}
	bpf_map_update_elem(&requests, &key, &p, BPF_ANY);
	return 0;
}

/* After having been queued, or at once; again when the device was busy. Merged requests have grown. */
SEC("tp_btf/block_rq_issue")
int BPF_PROG(issue_btf, struct request *rq)
{
	struct task_struct *task = bpf_get_current_task_btf();
	uint64_t key = (uint64_t)rq;
	struct td_wire_block *known = bpf_map_lookup_elem(&requests, &key), p = {};

	if (!recording)
		return 0;
	if (known) {
		if (!known->head.kind)
			return 0;
		known->issue_ns = bpf_ktime_get_boot_ns();
		known->bytes = BPF_CORE_READ(rq, __data_len);
		known->sector = BPF_CORE_READ(rq, __sector);
		return 0;
	}
	if (!issuer_counts(task))
		return 0;
	p.issue_ns = bpf_ktime_get_boot_ns();
	note_request(&p, task, rq);
	if (bpf_map_update_elem(&requests, &key, &p, BPF_ANY))
		count_event(TD_SET_BLOCK, false);
	return 0;
}

/* What the driver says, as an errno: block/blk-core.c, blk_errors[]. The rest is an I/O error there, too. */
static __always_inline int32_t error_of(uint32_t status)
{
	switch (status) {
	case 0:
		return 0;
	case 1:
		return -EOPNOTSUPP;
	case 2:
		return -ETIMEDOUT;
	case 3:
		return -ENOSPC;
	case 4:
		return -ENOLINK;
	case 5:
		return -EREMOTEIO;
	case 6:
		return -EBADE;
	case 7:
		return -ENODATA;
	case 8:
		return -EILSEQ;
	case 9:
		return -ENOMEM;
	default:
		return -EIO;
	}
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(complete_btf, struct request *rq, int error, unsigned int bytes)
{
	uint64_t key = (uint64_t)rq;
	struct td_wire_block *p = bpf_map_lookup_elem(&requests, &key);
	struct td_wire_block *b = NULL;
	void *ring = ring_here();

	/* a part of it is done: the rest follows */
	if (!p || bytes < BPF_CORE_READ(rq, __data_len))
		return 0;
	if (recording && p->head.kind) {
		b = ring ? bpf_ringbuf_reserve(ring, sizeof(*b), 0) : NULL;
		count_event(TD_SET_BLOCK, b);
	}
	if (b) {
		*b = *p;
		b->done_ns = bpf_ktime_get_boot_ns();
		b->done_pid = bpf_get_current_pid_tgid() >> 32;
		b->error = error_of((uint8_t)error);
		submit(ring, b, sizeof(*b));
	}
	bpf_map_delete_elem(&requests, &key);
	return 0;
}
