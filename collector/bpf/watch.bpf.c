/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Whom to watch: decided once per thread, and again when somebody was asked for (watch_epoch). */
#include "collector/bpf/state.h"

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h */
#define CGROUP_LEVELS 32

static bool same_comm(const struct task_struct *task)
{
	char comm[16] = {};

	BPF_CORE_READ_INTO(&comm, task, group_leader, comm);
#pragma unroll
	for (int i = 0; i < 16; i++) {
		if (comm[i] != filter.comm[i])
			return false;
		if (!comm[i])
			return true;
	}
	return true;
}

/* In the cgroup or in one below it? Levels count from the root. */
static bool in_cgroup(uint64_t cgroup)
{
	for (int i = 0; i < CGROUP_LEVELS; i++)
		if (bpf_get_current_ancestor_cgroup_id(i) == cgroup)
			return true;
	return false;
}

static bool wanted(struct task_struct *task)
{
	uint32_t tgid = task->tgid;

	if (tgid == filter.own_tgid || task->flags & PF_KTHREAD)
		return false;
	if (bpf_map_lookup_elem(&followed, &tgid))
		return true;
	if (!filter.everyone && !filter.by_comm && !filter.cgroup)
		return false;
	if (!filter.any_user && BPF_CORE_READ(task, cred, uid.val) != filter.uid)
		return false;
	if (filter.by_comm && !same_comm(task))
		return false;
	return !filter.cgroup || in_cgroup(filter.cgroup);
}

int td_watch_decide(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct td_task *t =
		bpf_task_storage_get(&tasks, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!t)
		return 0;
	if (t->watched == TD_WATCHED)
		return 1;
	t->watch_epoch = watch_epoch;
	t->watched = wanted(task) ? TD_WATCHED : TD_IGNORED;
	if (t->watched != TD_WATCHED)
		return 0;
	__sync_fetch_and_add(&watched_left, 1);
	return 1;
}
