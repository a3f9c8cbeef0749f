/* SPDX-License-Identifier: MIT */
#include "store/derive/job.h"
#include "common/array.h"

/* So many generations at most: what damaged lines say of parents may go in a circle. */
#define GENERATIONS 8

enum { UNKNOWN, NO, YES };

struct by_pid {
	int64_t pid;
	uint32_t process_id;
};

struct td_job {
	const struct td_contents *in; /* borrowed */
	bool *workers; /* by process id */
	unsigned char *loaders; /* the same: UNKNOWN, NO, YES */
	struct by_pid *pids; /* in order of pid, then of lifetime */
};

static int compare_pids(const void *a, const void *b)
{
	const struct by_pid *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->process_id > y->process_id) - (x->process_id < y->process_id);
}

static bool is_gpu(const struct td_contents *in, uint32_t device_id)
{
	return device_id && in->devices[device_id - 1].kind == TD_DEVICE_GPU;
}

int td_job_new(const struct td_store *st, struct td_job **ret)
{
	_cleanup_(td_job_freep) struct td_job *j = calloc(1, sizeof(*j));
	const struct td_contents *in = td_store_contents(st);

	if (!j)
		return -ENOMEM;
	j->in = in;
	j->workers = calloc(in->nprocesses + 1, sizeof(*j->workers));
	j->loaders = calloc(in->nprocesses + 1, sizeof(*j->loaders));
	j->pids = calloc(in->nprocesses + 1, sizeof(*j->pids));
	if (!j->workers || !j->loaders || !j->pids)
		return -ENOMEM;
	for (size_t i = 0; i < in->nprocesses; i++)
		j->pids[i] = (struct by_pid){ in->processes[i].pid, (uint32_t)i + 1 };
	qsort(j->pids, in->nprocesses, sizeof(*j->pids), compare_pids);
	for (size_t i = 0; i < in->ntracks; i++)
		if (is_gpu(in, in->tracks[i].device_id))
			td_job_works(j, in->tracks[i].process_id);
	*ret = TAKE_PTR(j);
	return 0;
}

void td_job_free(struct td_job *j)
{
	if (!j)
		return;
	free(j->workers);
	free(j->loaders);
	free(j->pids);
	free(j);
}

void td_job_works(struct td_job *j, uint32_t process_id)
{
	j->workers[process_id] = process_id != 0;
}

bool td_job_is_worker(const struct td_job *j, uint32_t process_id)
{
	return j->workers[process_id];
}

/* The last process of that pid on that machine; 0: none. */
static uint32_t find_pid(const struct td_job *j, int64_t pid, uint32_t host_id)
{
	size_t low = 0, high = j->in->nprocesses;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (j->pids[middle].pid <= pid)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low-- > 0 && j->pids[low].pid == pid;)
		if (j->in->processes[j->pids[low].process_id - 1].host_id == host_id)
			return j->pids[low].process_id;
	return 0;
}

uint32_t td_job_worker_of(const struct td_job *j, uint32_t process_id)
{
	for (int i = 0; i <= GENERATIONS && process_id; i++) {
		const struct td_process *p = &j->in->processes[process_id - 1];

		if (j->workers[process_id])
			return process_id;
		process_id = p->parent_pid == TD_NULL ? 0 : find_pid(j, p->parent_pid, p->host_id);
	}
	return 0;
}

static bool find_loader(const struct td_job *j, uint32_t process_id)
{
	const struct td_process *p = &j->in->processes[process_id - 1];

	if (j->workers[process_id])
		return false;
	if (p->role && strcmp(p->role, "spawned") != 0)
		return strcmp(p->role, "data-loader") == 0;
	return td_job_worker_of(j, process_id) != 0;
}

bool td_job_is_loader(struct td_job *j, uint32_t process_id)
{
	if (!process_id)
		return false;
	if (j->loaders[process_id] == UNKNOWN)
		j->loaders[process_id] = find_loader(j, process_id) ? YES : NO;
	return j->loaders[process_id] == YES;
}

bool td_job_is_main_thread(const struct td_job *j, uint32_t process_id, uint32_t thread_id)
{
	return process_id && thread_id && j->workers[process_id] &&
	       j->in->threads[thread_id - 1].tid == j->in->processes[process_id - 1].pid;
}

uint32_t td_job_process_of(const struct td_job *j, uint32_t thread_id)
{
	return thread_id ? j->in->threads[thread_id - 1].process_id : 0;
}
