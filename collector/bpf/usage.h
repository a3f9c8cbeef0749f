/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What threads use: records of what was added since the last one. The numbers are those that getrusage() is made of:
 * the time on a CPU, by the scheduler's clock, and in which part of that the ticks found the thread in user space.
 * The kernel adds to the former at ticks and when the thread leaves the CPU, so a thread that runs is up to a tick
 * behind.
 */
#pragma once

#include "collector/bpf/state.h"

enum { MM_FILEPAGES, MM_ANONPAGES, MM_SWAPENTS, MM_SHMEMPAGES }; /* include/linux/mm_types_task.h */

static __always_inline void read_usage(struct task_struct *task, struct td_usage *to)
{
	to->runtime_ns = task->se.sum_exec_runtime;
	to->user_ns = task->utime;
	to->system_ns = task->stime;
	to->voluntary = task->nvcsw;
	to->involuntary = task->nivcsw;
}

/* Pages in memory now; what single CPUs have not added yet is not among them, as it is not for the kernel. */
static __always_inline int64_t rss_pages(struct mm_struct *mm)
{
	struct mm_struct___counters *new = (void *)mm;
	struct mm_struct___atomics *old = (void *)mm;

	if (bpf_core_field_exists(new->rss_stat[0].count))
		return BPF_CORE_READ(new, rss_stat[MM_FILEPAGES].count) +
		       BPF_CORE_READ(new, rss_stat[MM_ANONPAGES].count) +
		       BPF_CORE_READ(new, rss_stat[MM_SHMEMPAGES].count);
	if (bpf_core_field_exists(old->rss_stat.count))
		return BPF_CORE_READ(old, rss_stat.count[MM_FILEPAGES].counter) +
		       BPF_CORE_READ(old, rss_stat.count[MM_ANONPAGES].counter) +
		       BPF_CORE_READ(old, rss_stat.count[MM_SHMEMPAGES].counter);
	return 0;
}

/* The signal struct has that of memory which is gone: by an exec, or when the last thread ended. */
static __always_inline uint64_t max_rss_pages(struct task_struct *task)
{
	uint64_t max = BPF_CORE_READ(task, signal, maxrss), high;
	struct mm_struct *mm = task->mm;
	int64_t now;

	if (!mm)
		return max;
	high = BPF_CORE_READ(mm, hiwater_rss);
	now = rss_pages(mm);
	max = high > max ? high : max;
	return now > (int64_t)max ? (uint64_t)now : max;
}

/* Since the last record, or the thread's start; always: even if that is nothing. Who walks over the
 * threads may come by while the thread itself ends: one of them makes the record. */
static __noinline int put_usage(struct task_struct *task, struct td_task *t, bool always)
{
	struct td_wire_usage r = {
		.head = { .size = sizeof(r), .kind = TD_WIRE_USAGE, .tid = task->pid },
		.from_ns = task->start_boottime,
		.pid = task->tgid,
	};
	struct td_usage now = {};

	if (!__sync_bool_compare_and_swap(&t->usage_taken, 0, 1))
		return 0;
	read_usage(task, &now);
	if (t->usage.time_ns)
		r.from_ns = t->usage.time_ns;
	/* what is found of one that has ended it used before that */
	now.time_ns = t->watched == TD_GONE ? r.from_ns : bpf_ktime_get_boot_ns();
	r.to_ns = now.time_ns;
	r.runtime_ns = now.runtime_ns - t->usage.runtime_ns;
	r.user_ns = now.user_ns - t->usage.user_ns;
	r.system_ns = now.system_ns - t->usage.system_ns;
	r.voluntary = now.voluntary - t->usage.voluntary;
	r.involuntary = now.involuntary - t->usage.involuntary;
	if (always || r.runtime_ns || r.voluntary || r.involuntary) {
		r.max_rss_pages = max_rss_pages(task);
		if (put_critical(TD_COUNT_PROCESS, &r, sizeof(r)) == 0)
			t->usage = now;
	}
	__sync_lock_test_and_set(&t->usage_taken, 0);
	return 0;
}
