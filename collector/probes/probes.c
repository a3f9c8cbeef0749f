/* SPDX-License-Identifier: MIT */
/* What becomes of the probes from opening to closing; loading is in probes/attach.c, what comes out in drain.c. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <time.h>

#include "collector/probes/op_names.h"
#include "collector/probes/probes_private.h"
#include "collector/spool/clocks.h"

#define USAGE_SHARE 1000 /* of a CPU's time is not taken by looking at what threads use */

/* Lets an iterator walk over all there is; fd is of the walk, which is used up then. */
static int walk(int fd)
{
	char none[64];
	ssize_t n;

	/* the programs print nothing: the first read goes through to the end */
	while ((n = read(fd, none, sizeof(none))) > 0 || (n < 0 && errno == EAGAIN))
		;
	return n < 0 ? -errno : 0;
}

/* The descriptor of a walk to come, or -errno. */
static int new_walk(const struct td_probes *p, const char *name)
{
	for (size_t i = 0; i < p->nprograms; i++)
		if (strcmp(bpf_program__name(p->programs[i].prog), name) == 0)
			return bpf_iter_create(bpf_link__fd(p->programs[i].link));
	return -ENOENT;
}

static int walk_with(const struct td_probes *p, const char *name)
{
	_cleanup_close_ int fd = new_walk(p, name);

	return fd < 0 ? fd : walk(fd);
}

/* Walks that are made now, since there may be no privilege at the end. */
static int prepare_the_end(struct td_probes *p, struct td_err *err)
{
	for (size_t i = 0; i < p->plan.nhooks; i++) {
		const struct td_planned_hook *h = &p->plan.hooks[i];

		if (!h->hook->at_end || h->way == TD_WAYS_MAX)
			continue;
		p->last_walks[i] = new_walk(p, h->hook->at_end);
		if (p->last_walks[i] < 0)
			return td_err_errno(err, p->last_walks[i],
					    "cannot walk over the processes");
	}
	return 0;
}

/* Marks who has that number, 0: nobody. The programs learn who the recorder is, and its pid namespace, since it is this
 * process that walks. */
static int walk_to(struct td_probes *p, pid_t pid, bool is_command, struct td_err *err)
{
	int r;

	*p->follow = (struct td_follow){ .pid = (uint32_t)pid, .is_command = is_command };
	r = walk_with(p, "follow_task");
	p->follow->pid = 0;
	__atomic_fetch_add(p->watch_epoch, 1,
			   __ATOMIC_SEQ_CST); /* who was passed over is looked at again */
	return r < 0 ? td_err_errno(err, r, "cannot walk over the processes") : 0;
}

int td_probes_open(const struct td_probes_options *options, struct td_probes **ret,
		   struct td_err *err)
{
	_cleanup_(td_probes_closep) struct td_probes *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return -ENOMEM;
	p->options = *options;
	p->stats_fd = -1;
	p->wake_fd = -1;
	for (size_t i = 0; i < TD_PLAN_HOOKS_MAX; i++)
		p->last_walks[i] = -1;
	r = td_probes_load(p, err);
	if (r < 0)
		return r;
	r = prepare_the_end(p, err);
	if (r == 0)
		r = walk_to(p, 0, false, err);
	if (r < 0)
		return r;
	if (options->count_cost)
		p->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	p->stats_from_ns = td_boot_ns();
	*ret = TAKE_PTR(p);
	return 0;
}

void td_probes_close(struct td_probes *p)
{
	if (!p)
		return;
	td_probes_unload(p);
	td_closep(&p->stats_fd);
	for (size_t i = 0; i < TD_PLAN_HOOKS_MAX; i++)
		td_closep(&p->last_walks[i]);
	for (size_t i = 0; i < TD_LANES_MAX; i++)
		free(p->lanes[i].buffer);
	free(p);
}

const struct td_set_status *td_probes_status(const struct td_probes *p, size_t *ret_n)
{
	*ret_n = p->nstatus;
	return p->status;
}

/* --- while it runs --- */

/* Tells of everybody who is to be watched and is there, and of the files they have open. */
static int find_what_is_there(struct td_probes *p, struct td_err *err)
{
	int r = walk_with(p, "found_tasks");

	if (r == 0)
		r = walk_with(p, "found_files");
	return r < 0 ? td_err_errno(err, r, "cannot walk over the processes") : 0;
}

int td_probes_start(struct td_probes *p, td_sink *sink, void *arg, struct td_err *err)
{
	ssize_t n;
	int r;

	r = td_op_names_emit(p->options.sets, sink, arg);
	if (r < 0)
		return r;
	if (p->options.watch.everyone || p->options.watch.comm || p->options.watch.cgroup)
		td_uprobes_all_processes(&p->uprobes);
	p->counted_ns = p->started_ns = td_boot_ns();
	__atomic_store_n(p->recording, true, __ATOMIC_SEQ_CST);
	r = find_what_is_there(p, err);
	if (r < 0)
		return r;
	n = td_probes_drain(p, sink, NULL, arg, err);
	return n < 0 ? (int)n : 0;
}

static int explain_follow(const struct td_follow *f, pid_t pid, struct td_err *err)
{
	switch (f->result) {
	case TD_FOLLOW_DONE:
		return 0;
	case TD_FOLLOW_THREAD:
		return td_err_set(err, -ESRCH, "%d is a thread of process %u: -p %u", (int)pid,
				  f->thread_of, f->thread_of);
	case TD_FOLLOW_OTHERS:
		return td_err_set(err, -EPERM,
				  "process %d is another user's, or has more rights than a user: "
				  "that is for root",
				  (int)pid);
	default:
		return td_err_set(err, -ESRCH, "there is no process %d", (int)pid);
	}
}

static int follow(struct td_probes *p, pid_t pid, bool is_command, struct td_err *err)
{
	int r = walk_to(p, pid, is_command, err);

	if (r < 0)
		return r;
	r = explain_follow(p->follow, pid, err);
	if (r < 0)
		return r;
	td_uprobes_process(&p->uprobes, pid);
	return find_what_is_there(p, err);
}

int td_probes_follow(struct td_probes *p, pid_t pid, struct td_err *err)
{
	return follow(p, pid, false, err);
}

int td_probes_follow_command(struct td_probes *p, pid_t pid, struct td_err *err)
{
	return follow(p, pid, true, err);
}

uint64_t td_probes_signalled_ns(const struct td_probes *p, int sig)
{
	return sig > 0 && sig < TD_NSIGNALS
		       ? __atomic_load_n(&p->signalled_ns[sig], __ATOMIC_SEQ_CST)
		       : 0;
}

bool td_probes_any_left(struct td_probes *p)
{
	return __atomic_load_n(p->watched_left, __ATOMIC_SEQ_CST) > 0;
}

static uint64_t thread_cpu_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int td_probes_usage(struct td_probes *p, struct td_err *err)
{
	uint64_t begin_ns = td_boot_ns(), begin_cpu_ns = thread_cpu_ns();
	int r = 0;

	if (begin_ns < p->usage_due_ns)
		return 0;
	r = walk_with(p, "usage_of_tasks");
	if (r == -EPERM) {
		/* kernels before 5.19, where an ordinary user has no bpf(): the end tells all the same */
		p->usage_due_ns = UINT64_MAX;
		return 0;
	}
	/* not by the clock: who had to wait for a CPU on the way has not taken more of it */
	p->usage_due_ns = begin_ns + USAGE_SHARE * (thread_cpu_ns() - begin_cpu_ns);
	return r < 0 ? td_err_errno(err, r, "cannot walk over the processes") : 0;
}

int td_probes_stop(struct td_probes *p, struct td_err *err)
{
	int r = 0;

	__atomic_store_n(p->recording, false, __ATOMIC_SEQ_CST);
	for (size_t i = 0; r == 0 && i < TD_PLAN_HOOKS_MAX; i++)
		if (p->last_walks[i] >= 0)
			r = walk(p->last_walks[i]);
	return r < 0 ? td_err_errno(err, r, "cannot walk over the processes") : 0;
}
