/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What threads use while they run, and what they still did when their end was recorded. */
#include "collector/bpf/usage.h"

/* Every now and then, and at the end, when all that there are are told of. */
SEC("iter/task")
int usage_of_tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct td_task *t;

	if (!task)
		return 0;
	t = bpf_task_storage_get(&tasks, task, NULL, 0);
	if (t && t->announced && (t->watched == TD_WATCHED || t->watched == TD_GONE))
		put_usage(task, t, !recording && t->watched == TD_WATCHED);
	return 0;
}

/* It has left its CPU for good: the scheduler has added the last of its time. */
SEC("tp_btf/sched_process_free")
int BPF_PROG(free_btf, struct task_struct *task)
{
	struct td_task *t = bpf_task_storage_get(&tasks, task, NULL, 0);

	if (t && t->watched == TD_GONE && recording)
		put_usage(task, t, false);
	return 0;
}
