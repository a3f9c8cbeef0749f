/* SPDX-License-Identifier: MIT */
/* Processes and threads by their numbers, and processes that turn out to be threads of others. */
#include "common/array.h"
#include "store/store_private.h"

static uint32_t fail(struct td_store *st, int r)
{
	if (!st->error)
		st->error = r;
	return 0;
}

static uint32_t new_process(struct td_store *st, uint32_t slot, int64_t pid, uint32_t lifetime)
{
	int r = td_grow(&st->in.processes, &st->processes_cap, st->in.nprocesses);

	if (r < 0)
		return fail(st, r);
	st->in.processes[st->in.nprocesses++] = (struct td_process){
		.pid = pid,
		.host_id = st->host_id,
		.parent_pid = TD_NULL,
		.start_ns = TD_NULL,
		.end_ns = TD_NULL,
		.exit_status = TD_NULL,
		.pid_namespace = TD_NULL,
		.namespace_pid = TD_NULL,
		.use = TD_USE_INIT,
		.lifetime = lifetime,
	};
	return st->process_of_pid[slot] = (uint32_t)st->in.nprocesses;
}

/* What a pid or tid is interned as. */
struct number_key {
	int64_t number, host;
};

static size_t number_key(const struct td_store *st, int64_t number, struct number_key *ret)
{
	*ret = (struct number_key){ number, st->host_key };
	return st->host_key ? sizeof(*ret) : sizeof(ret->number);
}

/* Place of a pid or tid among those of the machine that were seen, in an array of what has it now;
 * -1: out of memory. */
static int64_t slot_of(struct td_store *st, struct td_intern *numbers, int64_t number,
		       uint32_t **owners, size_t *n, size_t *cap)
{
	struct number_key key;
	size_t len = number_key(st, number, &key);
	uint32_t id = td_intern_add(numbers, (const char *)&key, len);

	st->in.of_machines++;
	if (!id || td_grow(owners, cap, *n) < 0) {
		fail(st, -ENOMEM);
		return -1;
	}
	if (id > *n)
		(*owners)[(*n)++] = 0;
	return (int64_t)id - 1;
}

/* May the pid of p belong to another process where it is seen next? */
static bool is_over(const struct td_store *st, const struct td_process *p)
{
	return p->ended && p->ended_in == st->in.nsources;
}

/* The process that has the pid now, made if there is none; 0: out of memory. */
static uint32_t process_of_pid(struct td_store *st, int64_t pid)
{
	int64_t slot = slot_of(st, &st->pids, pid, &st->process_of_pid, &st->npids, &st->pids_cap);
	uint32_t id;

	if (slot < 0)
		return 0;
	id = st->process_of_pid[slot];
	if (!id)
		return new_process(st, (uint32_t)slot, pid, 1);
	st->in.processes[id - 1].assumed = false;
	if (is_over(st, &st->in.processes[id - 1]))
		return new_process(st, (uint32_t)slot, pid, st->in.processes[id - 1].lifetime + 1);
	return id;
}

/* The kernel's are below 2^22; some tools put other things into the same column, or print -1 without its sign. */
static int64_t possible_pid(struct td_store *st, int64_t pid)
{
	if (pid >= INT32_MIN && pid <= UINT32_MAX)
		return pid;
	st->in.impossible_pids++;
	return -1;
}

uint32_t td_store_process(struct td_store *st, int64_t pid, const char *comm, size_t len)
{
	uint32_t id = st->last_process;

	pid = possible_pid(st, pid);
	if (!id || st->last_pid != pid) {
		id = process_of_pid(st, pid);
		if (!id)
			return 0;
		st->last_process = id;
		st->last_pid = pid;
	}
	if (len)
		st->in.processes[id - 1].name_id = td_store_string(st, comm, len);
	return id;
}

struct td_process *td_store_process_at(struct td_store *st, uint32_t id)
{
	return id ? &st->in.processes[id - 1] : NULL;
}

void td_store_process_end(struct td_store *st, uint32_t id)
{
	if (!id)
		return;
	st->in.processes[id - 1].ended = true;
	st->in.processes[id - 1].ended_in = (uint16_t)st->in.nsources;
	st->last_process = 0;
}

static uint32_t new_thread(struct td_store *st, uint32_t slot, int64_t tid)
{
	int r = td_grow(&st->in.threads, &st->threads_cap, st->in.nthreads);

	if (r < 0)
		return fail(st, r);
	st->in.threads[st->in.nthreads++] = (struct td_thread){
		.tid = tid,
		.use = TD_USE_INIT,
	};
	return st->thread_of_tid[slot] = (uint32_t)st->in.nthreads;
}

/* What it was merged into, or itself. */
static uint32_t final_process(const struct td_store *st, uint32_t id)
{
	while (id && st->in.processes[id - 1].merged_into)
		id = st->in.processes[id - 1].merged_into;
	return id;
}

/* The process is a thread of another one: its number is not that of a process. */
static void merge_process(struct td_store *st, uint32_t id, uint32_t into)
{
	struct td_process *p = &st->in.processes[id - 1];
	int64_t slot;

	into = final_process(st, into);
	slot = slot_of(st, &st->pids, p->pid, &st->process_of_pid, &st->npids, &st->pids_cap);
	if (into == id || slot < 0)
		return;
	p->merged_into = into;
	st->process_of_pid[slot] = 0;
	st->last_process = 0;
}

/* slot_of() for a tid: to hash it for each row is a twentieth of reading. */
static int64_t slot_of_tid(struct td_store *st, int64_t tid)
{
	struct td_recent_number *recent = &st->recent_tids[(uint64_t)tid % TD_RECENT_NUMBERS];
	int64_t slot;

	if (recent->id && recent->number == tid && recent->host_key == st->host_key) {
		st->in.of_machines++;
		return recent->id - 1;
	}
	slot = slot_of(st, &st->tids, tid, &st->thread_of_tid, &st->ntids, &st->tids_cap);
	if (slot >= 0)
		*recent = (struct td_recent_number){ tid, st->host_key, (uint32_t)slot + 1 };
	return slot;
}

/* Is the thread known as one of that process, which is still its own? */
static bool is_thread_of(const struct td_store *st, uint32_t id, uint32_t process_id)
{
	return id && process_id && st->in.threads[id - 1].process_id == process_id &&
	       !st->in.processes[process_id - 1].merged_into;
}

uint32_t td_store_thread(struct td_store *st, int64_t tid, uint32_t process_id)
{
	tid = tid == TD_NULL ? -1 : tid;
	int64_t slot = slot_of_tid(st, tid);
	uint32_t id, old;

	if (slot < 0)
		return 0;
	id = st->thread_of_tid[slot];
	if (is_thread_of(st, id, process_id))
		return id;
	old = id ? final_process(st, st->in.threads[id - 1].process_id) : 0;
	process_id = final_process(st, process_id);
	if (old && process_id && old != process_id && st->in.processes[old - 1].assumed &&
	    st->in.processes[old - 1].pid == tid)
		merge_process(st, old, process_id);
	else if (!id || (old && process_id && old != process_id && st->in.processes[old - 1].ended))
		id = new_thread(st, (uint32_t)slot, tid);
	if (id && process_id)
		st->in.threads[id - 1].process_id = process_id;
	return id;
}

uint32_t td_store_process_of_thread(struct td_store *st, int64_t tid)
{
	const struct td_thread *t = td_store_thread_at(st, td_store_thread(st, tid, 0));
	uint32_t id = t ? final_process(st, t->process_id) : 0;
	size_t known = st->in.nprocesses;

	if (id && !is_over(st, &st->in.processes[id - 1]))
		return id;
	id = td_store_process(st, tid, NULL, 0);
	if (st->in.nprocesses == known)
		return id;
	st->in.processes[id - 1].assumed = true;
	st->last_process = 0; /* who asks for it by its number next knows that it is a process */
	return id;
}

/* What has the number now; 0: nothing. */
static uint32_t owner_of(const struct td_store *st, const struct td_intern *numbers, int64_t number,
			 const uint32_t *owners)
{
	struct number_key key;
	size_t len = number_key(st, number, &key);
	uint32_t slot = td_intern_find(numbers, (const char *)&key, len);

	return slot ? owners[slot - 1] : 0;
}

bool td_store_process_over(const struct td_store *st, int64_t pid)
{
	uint32_t id = owner_of(st, &st->pids, pid, st->process_of_pid);

	return id && st->in.processes[id - 1].ended;
}

bool td_store_thread_over(const struct td_store *st, int64_t tid)
{
	uint32_t id = owner_of(st, &st->tids, tid, st->thread_of_tid);
	uint32_t process_id = id ? st->in.threads[id - 1].process_id : 0;

	return process_id && st->in.processes[process_id - 1].ended;
}

struct td_thread *td_store_thread_at(struct td_store *st, uint32_t id)
{
	return id ? &st->in.threads[id - 1] : NULL;
}

/* --- when all sources are read --- */

/* Makes all that are merged into one after the other refer to the last. */
static void shorten(struct td_process *processes, uint32_t id)
{
	uint32_t last = id, next;

	while (processes[last - 1].merged_into)
		last = processes[last - 1].merged_into;
	for (; id != last; id = next) {
		next = processes[id - 1].merged_into;
		processes[id - 1].merged_into = last;
	}
}

/* A process by the number that it was taken for one by: machine and pid. */
static uint32_t by_number(const struct td_process *p, int64_t pid, struct td_intern *numbers,
			  bool add)
{
	const int64_t key[2] = { pid, p->host_id };

	return add ? td_intern_add(numbers, (const char *)key, sizeof(key))
		   : td_intern_find(numbers, (const char *)key, sizeof(key));
}

int td_store_resolve_processes(struct td_store *st)
{
	_cleanup_(td_intern_done) struct td_intern numbers = TD_INTERN_INIT;
	_cleanup_free_ uint32_t *merged = calloc(st->in.nprocesses + 1, sizeof(*merged));
	struct td_process *processes = st->in.processes;
	uint32_t at;

	if (!merged)
		return st->error = -ENOMEM;
	for (uint32_t id = 1; id <= st->in.nprocesses; id++) {
		struct td_process *p = &processes[id - 1];

		if (!p->merged_into)
			continue;
		shorten(processes, id);
		at = by_number(p, p->pid, &numbers, true);
		if (!at)
			return st->error = -ENOMEM;
		merged[at - 1] = p->merged_into;
	}
	for (size_t i = 0; i < st->in.nprocesses && numbers.n; i++) {
		at = by_number(&processes[i], processes[i].parent_pid, &numbers, false);
		if (at)
			processes[i].parent_pid = processes[merged[at - 1] - 1].pid;
	}
	for (size_t i = 0; i < st->in.nthreads && numbers.n; i++) {
		struct td_thread *t = &st->in.threads[i];

		if (t->process_id && processes[t->process_id - 1].merged_into)
			t->process_id = processes[t->process_id - 1].merged_into;
	}
	return 0;
}
