/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Processes and threads: whom to watch, and their beginning, their names and their end. Who is watched is
 * decided once per thread, and again when somebody was asked for (watch_epoch) or another program is
 * executed; children are watched because their parents are, before they have executed an instruction.
 */
#include "collector/bpf/usage.h"

#define PF_EXITING 0x00000004 /* include/linux/sched.h */
#define PF_IO_WORKER 0x00000010
#define PF_KTHREAD 0x00200000
#define SIGNAL_GROUP_EXIT 0x00000004 /* include/linux/sched/signal.h */
#define CGROUP_DEPTH 32

/* Threads whose parents were watched, where the child cannot be marked: see fork_tracepoint. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, uint32_t);
	__type(value, uint8_t);
} inherited SEC(".maps");

/* --- numbers --- */

static __always_inline struct upid number_at(struct pid *pid, uint32_t level)
{
	uint64_t at = (uint64_t)pid + bpf_core_field_offset(struct pid, numbers);
	struct upid upid = {};

	at += level * bpf_core_type_size(struct upid);
	bpf_probe_read_kernel(&upid, sizeof(upid), (void *)at);
	return upid;
}

/* The thread's number as the recorder's user sees it; 0: the thread is out of sight. */
static __noinline uint32_t visible_number(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	struct upid upid;

	if (!pid || BPF_CORE_READ(pid, level) < recorder.level)
		return 0;
	upid = number_at(pid, recorder.level);
	return (uint64_t)upid.ns == recorder.namespace ? upid.nr : 0;
}

/* Its root may be another one than that of its mount namespace: that one counts. */
static __always_inline void note_root_of(struct task_struct *self)
{
	uint64_t dentry = (uint64_t)BPF_CORE_READ(self, fs, root.dentry);
	uint64_t top = td_root_above((uint64_t)BPF_CORE_READ(self, fs, root.mnt), dentry);

	recorder.root = top ? top : dentry;
}

static __always_inline void note_recorder(void)
{
	struct task_struct *self = bpf_get_current_task_btf();
	struct pid *pid = BPF_CORE_READ(self, thread_pid);

	if (recorder.tgid)
		return;
	recorder.level = BPF_CORE_READ(pid, level);
	recorder.namespace = (uint64_t)number_at(pid, recorder.level).ns;
	recorder.tgid = self->tgid;
	note_root_of(self);
}

/* --- records --- */

static __always_inline void fill_namespace(struct td_wire_process *p, struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	struct upid upid;

	if (!pid)
		return;
	upid = number_at(pid, BPF_CORE_READ(pid, level));
	p->namespace_pid = upid.nr;
	p->pid_namespace = BPF_CORE_READ(upid.ns, ns.inum);
}

/* The command line of the current process, which that of a child still is. */
static __always_inline uint32_t read_args(char *to, struct task_struct *task)
{
	struct mm_struct *mm = task->mm;
	uint64_t len;

	if (!mm)
		return 0;
	len = mm->arg_end - mm->arg_start;
	if (len >= TD_TEXT_MAX)
		len = TD_TEXT_MAX - 1;
	if (bpf_probe_read_user(to, len & (TD_TEXT_MAX - 1), (const void *)mm->arg_start))
		return 0;
	return len;
}

/* own: of the current process, the only one whose memory can be read. */
static __noinline int put_process_in(struct task_struct *task, uint32_t flags, uint64_t time_ns,
				     uint32_t room, bool own)
{
	struct td_scratch *s = scratch_at(room);
	struct td_wire_process *p;
	uint32_t len;
	long n;

	if (!s)
		return 0;
	p = (struct td_wire_process *)s->record;
	__builtin_memset(p, 0, sizeof(*p));
	p->head.kind = TD_WIRE_PROCESS;
	p->head.flags = flags;
	p->head.tid = task->tgid;
	p->time_ns = time_ns;
	p->cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
	p->parent_pid = BPF_CORE_READ(task, real_parent, tgid);
	p->uid = BPF_CORE_READ(task, cred, uid.val);
	fill_namespace(p, task);
	n = bpf_probe_read_kernel_str(p->text, sizeof(task->comm), &task->comm);
	p->comm_len = n > 0 ? (n - 1) & 15 : 0;
	len = p->comm_len;
	if (own)
		p->args_len = read_args(p->text + len, task);
	len += p->args_len & (TD_TEXT_MAX - 1);
	__builtin_memset(p->text + len, 0, 8);
	len = (sizeof(*p) + len + 7) & ~7;
	p->head.size = len;
	return put_critical(TD_COUNT_PROCESS, p, len);
}

static __always_inline void put_process(struct task_struct *task, uint32_t flags, uint64_t time_ns,
					bool own)
{
	uint32_t room = td_take_scratch();

	if (room == TD_NO_SCRATCH) {
		count_event(TD_COUNT_PROCESS, false);
		return;
	}
	put_process_in(task, flags, time_ns, room, own);
	give_scratch(room);
}

static __noinline int put_thread(struct task_struct *task, const char *comm, uint64_t time_ns)
{
	union {
		struct td_wire_thread thread;
		char bytes[sizeof(struct td_wire_thread) + 16];
	} r = { .bytes = {} };
	long n = bpf_probe_read_kernel_str(r.bytes + sizeof(r.thread), 16, comm);

	r.thread.head.size = sizeof(r);
	r.thread.head.kind = TD_WIRE_THREAD;
	r.thread.head.tid = task->pid;
	r.thread.time_ns = time_ns;
	r.thread.pid = task->tgid;
	r.thread.comm_len = n > 0 ? n - 1 : 0;
	return put_critical(TD_COUNT_PROCESS, &r, sizeof(r));
}

/* --- whom to watch --- */

static __always_inline bool is_asked_for(const char comm[16])
{
	for (int i = 0; i < 16; i++) {
		if (comm[i] != filter.comm[i])
			return false;
		if (!comm[i])
			return true;
	}
	return true;
}

static bool same_comm(struct task_struct *task)
{
	char comm[16] = {};

	BPF_CORE_READ_INTO(&comm, task, group_leader, comm);
	return is_asked_for(comm);
}

/* In the cgroup that was asked for or below it? */
static bool in_cgroup(struct task_struct *task)
{
	struct cgroup *cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp);

	for (int i = 0; i < CGROUP_DEPTH && cgroup; i++) {
		struct cgroup_subsys_state *parent = BPF_CORE_READ(cgroup, self.parent);

		if (BPF_CORE_READ(cgroup, kn, id) == filter.cgroup)
			return true;
		if (!parent)
			return false;
		cgroup = BPF_CORE_READ(parent, cgroup);
	}
	return false;
}

/* Those that a user has over processes in a user namespace of their own do not count. */
static __always_inline bool has_capabilities(struct task_struct *task)
{
	const struct cred *cred = BPF_CORE_READ(task, cred);
	uint64_t set = 0;

	bpf_probe_read_kernel(&set, sizeof(set),
			      (const void *)cred +
				      bpf_core_field_offset(struct cred, cap_permitted));
	return set && BPF_CORE_READ(cred, user_ns, level) == 0;
}

/* A set-user-id program has the rights of another user than who called it; one with capabilities of its file has more
 * than a user has. */
static bool has_other_rights(struct task_struct *task)
{
	if (filter.own_only &&
	    BPF_CORE_READ(task, cred, uid.val) != BPF_CORE_READ(task, cred, euid.val))
		return true;
	return filter.follow_own && has_capabilities(task);
}

/* May it be recorded because it was asked for, or is a child of one that was? */
static __always_inline bool may_follow(struct task_struct *task)
{
	return !filter.follow_own ||
	       (BPF_CORE_READ(task, cred, uid.val) == filter.uid && !has_other_rights(task));
}

static __always_inline bool is_followed(struct task_struct *task)
{
	struct td_task *first = bpf_task_storage_get(&tasks, task->group_leader, NULL, 0);

	/* io_uring's own threads, of which no fork is told, work for their process */
	return first &&
	       (first->followed || (first->watched == TD_WATCHED && task->flags & PF_IO_WORKER));
}

static bool wanted(struct task_struct *task)
{
	uint32_t tid = task->pid;

	if (task->tgid == recorder.tgid || task->flags & (PF_KTHREAD | PF_EXITING) ||
	    !visible_number(task))
		return false;
	if (is_followed(task) || bpf_map_lookup_elem(&inherited, &tid))
		return may_follow(task);
	if (!filter.everyone && !filter.by_comm && !filter.cgroup)
		return false;
	if (!filter.any_user && BPF_CORE_READ(task, cred, uid.val) != filter.uid)
		return false;
	if (has_other_rights(task))
		return false;
	if (filter.by_comm && !same_comm(task))
		return false;
	return !filter.cgroup || in_cgroup(task);
}

/* What happened before the thread was watched does not count; one that was inherited was from its beginning. */
static __always_inline void counts_from_here(struct task_struct *task, struct td_task *t)
{
	uint32_t tid = task->pid;

	if (bpf_map_lookup_elem(&inherited, &tid))
		return;
	t->minor_faults = task->min_flt;
	t->major_faults = task->maj_flt;
	read_usage(task, &t->usage);
	t->usage.time_ns = bpf_ktime_get_boot_ns();
}

/* Of who comes to it at once, one. */
static __always_inline bool is_first_to(uint32_t *done)
{
	return !*done && __sync_bool_compare_and_swap(done, 0, 1);
}

/* The record of a process comes before those of its threads, whichever is seen first. Before the window is open
 * nobody is told of; who is there then is found by an iterator. */
static __noinline int announce(struct task_struct *task, struct td_task *t, bool own)
{
	struct task_struct *leader = task->group_leader;
	struct td_task *first;

	if (t->announced || !recording)
		return 0;
	first = task_of(leader);
	if (!first || is_first_to(&first->announced)) {
		put_process(leader, TD_WIRE_PROCESS_FOUND, leader->start_boottime, own);
		if (first)
			counts_from_here(leader, first);
	}
	if (task->pid != task->tgid && is_first_to(&t->announced)) {
		put_thread(task, task->comm, task->start_boottime);
		counts_from_here(task, t);
	}
	return 0;
}

/* The task that was not watched may have become one that is: it is looked at again when it makes
 * its next call, and so are the other threads of its process, with those of all others, since
 * nobody can tell them. */
static __always_inline void look_again(struct task_struct *task, struct td_task *t)
{
	t->watch_epoch = 0;
	if (task->signal->live.counter > 1)
		__sync_fetch_and_add(&watch_epoch, 1);
}

/* From one that was not watched to one that is: true for who has made it that, whom it is up to to
 * count it. One that has ended stays that. */
static __always_inline bool begin_watching(struct td_task *t)
{
	if (!__sync_bool_compare_and_swap(&t->watched, TD_UNKNOWN, TD_WATCHED) &&
	    !__sync_bool_compare_and_swap(&t->watched, TD_IGNORED, TD_WATCHED))
		return false;
	__sync_fetch_and_add(&watched_left, 1);
	return true;
}

static __always_inline bool decide(struct task_struct *task, struct td_task *t, bool own)
{
	if (t->watched >= TD_ENDED)
		return t->watched == TD_WATCHED;
	t->watch_epoch = watch_epoch;
	if (!wanted(task)) {
		__sync_bool_compare_and_swap(&t->watched, TD_UNKNOWN, TD_IGNORED);
		return false;
	}
	if (!begin_watching(t))
		return t->watched == TD_WATCHED;
	announce(task, t, own);
	/* its name is that of all its threads, and now they see it */
	if (filter.by_comm && task->pid == task->tgid)
		look_again(task, t);
	return true;
}

int td_watch_decide(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct td_task *t = task_of(task);

	return t && decide(task, t, true);
}

int td_watch_announce_kernel(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct td_task *t = task_of(task);

	if (!t || !is_first_to(&t->announced))
		return 0;
	put_process(task, TD_WIRE_PROCESS_FOUND, task->start_boottime, true);
	return 0;
}

/* --- events --- */

SEC("tp_btf/sched_process_fork")
int BPF_PROG(fork_btf, struct task_struct *parent, struct task_struct *child)
{
	struct td_task *t;

	if (!current_watched())
		return 0;
	if (has_other_rights(child))
		return 0;
	t = task_of(child);
	if (!t) {
		count_event(TD_COUNT_PROCESS, false);
		return 0;
	}
	begin_watching(t);
	if (!recording)
		return 0;
	t->announced = 1;
	if (child->pid != child->tgid)
		put_thread(child, child->comm, bpf_ktime_get_boot_ns());
	else
		put_process(child, 0, bpf_ktime_get_boot_ns(), true);
	return 0;
}

/* Here the child is but a number: it is marked when it makes its first call. */
SEC("tracepoint/sched/sched_process_fork")
int fork_tracepoint(struct trace_event_raw_sched_process_fork *ctx)
{
	uint32_t child = ctx->child_pid;
	uint8_t yes = 1;

	if (current_watched())
		bpf_map_update_elem(&inherited, &child, &yes, BPF_ANY);
	return 0;
}

/* What it was by then is recorded, what it has become is not, whatever rights it gives up later. */
static __always_inline void leave(struct task_struct *task, struct td_task *t)
{
	struct td_task *first = bpf_task_storage_get(&tasks, task->group_leader, NULL, 0);
	uint32_t tgid = task->tgid, tid = task->pid;

	if (first)
		first->followed = TD_NOT_FOLLOWED;
	bpf_map_delete_elem(&inherited, &tid);
	if (t->watched != TD_WATCHED)
		return;
	if (recording) {
		td_call_unfinished(t, tgid, tid);
		put_usage(task, t, true);
	}
	t->watch_epoch = watch_epoch;
	t->watched = TD_IGNORED;
	__sync_fetch_and_add(&watched_left, -1);
}

static __always_inline int process_executes(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct td_task *t = task_of(task);

	if (t && has_other_rights(task)) {
		leave(task, t);
		return 0;
	}
	/* another name, another user perhaps */
	if (!t || !decide(task, t, true) || !recording)
		return 0;
	announce(task, t, true);
	put_process(task, TD_WIRE_PROCESS_EXEC, bpf_ktime_get_boot_ns(), true);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(exec_btf)
{
	return process_executes();
}

SEC("tracepoint/sched/sched_process_exec")
int exec_tracepoint(void *ctx)
{
	return process_executes();
}

/* What wait() tells the parent of a process is that of its group, if the group ended as one. */
static __always_inline int exit_status(struct task_struct *task, bool group)
{
	struct signal_struct *signal = task->signal;
	int code = task->exit_code;

	if (signal->flags & SIGNAL_GROUP_EXIT)
		code = signal->group_exit_code;
	else if (group)
		code = BPF_CORE_READ(task, group_leader, exit_code);
	return code & 0x7f ? -(code & 0x7f) : code >> 8 & 0xff;
}

static __always_inline int task_exits(struct task_struct *task, struct td_task *t)
{
	struct td_wire_exit r = { .head = { .size = sizeof(r), .kind = TD_WIRE_EXIT } };
	bool group;

	if (!t || __sync_bool_compare_and_swap(&t->watched, TD_UNKNOWN, TD_ENDED) ||
	    __sync_bool_compare_and_swap(&t->watched, TD_IGNORED, TD_ENDED) ||
	    t->watched != TD_WATCHED)
		return 0;
	if (recording) {
		announce(task, t, true);
		td_call_unfinished(t, task->tgid, task->pid);
		group = !task->signal->live.counter;
		td_faults_add(t, task->tgid, task->min_flt, task->maj_flt, group);
		td_libc_unfinished(t, task->tgid, task->pid);
		td_cuda_unfinished(t, task->tgid, task->pid);
		if (group) {
			td_libc_process_ends(task->tgid);
			td_cuda_process_ends(task->tgid);
		}
		r.head.tid = task->pid;
		r.head.flags = group ? TD_WIRE_EXIT_GROUP : 0;
		if (task->signal->oom_mm)
			r.head.flags |= TD_WIRE_EXIT_OUT_OF_MEMORY;
		r.time_ns = bpf_ktime_get_boot_ns();
		r.pid = task->tgid;
		r.status = exit_status(task, group);
		put_usage(task, t, true);
		put_critical(TD_COUNT_PROCESS, &r, sizeof(r));
	}
	t->watched = TD_GONE;
	__sync_fetch_and_add(&watched_left, -1);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(exit_btf_process)
{
	struct task_struct *task = bpf_get_current_task_btf();

	return task_exits(task, bpf_task_storage_get(&tasks, task, NULL, 0));
}

SEC("tracepoint/sched/sched_process_exit")
int exit_tracepoint_process(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct td_task *t = task_of(task);
	uint32_t tid = task->pid;

	/* one that made no call until now */
	if (t && t->watched == TD_UNKNOWN && bpf_map_lookup_elem(&inherited, &tid))
		begin_watching(t);
	bpf_map_delete_elem(&inherited, &tid);
	return task_exits(task, t);
}

SEC("tp_btf/task_rename")
int BPF_PROG(rename_btf, struct task_struct *task, const char *comm)
{
	struct td_task *t = bpf_task_storage_get(&tasks, task, NULL, 0);

	if (!t)
		return 0;
	if (t->watched == TD_WATCHED && recording)
		put_thread(task, comm, bpf_ktime_get_boot_ns());
	if (t->watched == TD_IGNORED && filter.by_comm && task->pid == task->tgid) {
		char name[16] = {};

		bpf_probe_read_kernel_str(name, sizeof(name), comm);
		if (is_asked_for(name))
			look_again(task, t);
	}
	return 0;
}

/* It has been moved there, with all its threads if it is a process that was. */
SEC("tp_btf/cgroup_attach_task")
int BPF_PROG(attach_btf, struct cgroup *to, const char *path, struct task_struct *task)
{
	struct td_task *t = bpf_task_storage_get(&tasks, task, NULL, 0);

	if (t && t->watched == TD_IGNORED && filter.cgroup)
		look_again(task, t);
	return 0;
}

/* --- signals --- */

/* In place of an address of what is known of a signal (include/linux/sched/signal.h). */
#define SEND_SIG_NOINFO 0 /* sent by the current process */
#define SEND_SIG_PRIV 1 /* by the kernel */
/* si_code (include/uapi/asm-generic/siginfo.h); that of a process is none of the kernel's, nor of a timer or a queue */
#define SI_USER 0
#define SI_QUEUE -1
#define SI_TKILL -6
#define SI_KERNEL 0x80
/* arch/x86, arm64: what a process does to itself, or gets as a matter of course */
#define SIGPIPE 13
#define SIGALRM 14
#define SIGCHLD 17
#define SIGURG 23
#define SIGVTALRM 26
#define SIGPROF 27
#define SIGIO 29
#define OF_COURSE                                                                                  \
	(1ull << SIGPIPE | 1ull << SIGALRM | 1ull << SIGCHLD | 1ull << SIGURG |                    \
	 1ull << SIGVTALRM | 1ull << SIGPROF | 1ull << SIGIO)
#define TRACE_SIGNAL_IGNORED 1 /* include/trace/events/signal.h */

static __always_inline int code_of(const struct kernel_siginfo *info)
{
	if (info == (void *)SEND_SIG_NOINFO)
		return SI_USER;
	return info == (void *)SEND_SIG_PRIV ? SI_KERNEL : BPF_CORE_READ(info, si_code);
}

/* Of what happens by itself, and what a recorded process sends, there is no record, or another one. */
static __always_inline bool is_from_elsewhere(int sig, int code, struct task_struct *self)
{
	struct td_task *t;

	if (code != SI_USER && code != SI_QUEUE && code != SI_TKILL)
		return code > 0 && sig > 0 && sig < 64 && !(OF_COURSE >> sig & 1);
	t = bpf_task_storage_get(&tasks, self, NULL, 0);
	return !t || t->watched != TD_WATCHED;
}

static __noinline int put_signal(struct task_struct *task, int sig, int code, int result)
{
	struct task_struct *self = bpf_get_current_task_btf();
	struct td_wire_signal r = { .head = { .size = sizeof(r), .kind = TD_WIRE_SIGNAL } };

	r.head.tid = task->pid;
	r.head.flags = result == TRACE_SIGNAL_IGNORED ? TD_WIRE_SIGNAL_IGNORED : 0;
	r.time_ns = bpf_ktime_get_boot_ns();
	r.pid = task->tgid;
	r.signal = sig;
	r.code = code;
	if (code > 0) {
		r.head.flags |= TD_WIRE_SIGNAL_KERNEL;
	} else if (!visible_number(self)) {
		r.head.flags |= TD_WIRE_SIGNAL_OUTSIDE;
	} else {
		r.from_pid = self->tgid;
		r.from_uid = BPF_CORE_READ(self, cred, uid.val);
		bpf_probe_read_kernel(r.from_comm, sizeof(r.from_comm), &self->comm);
	}
	return put_critical(TD_COUNT_PROCESS, &r, sizeof(r));
}

/* What the command gets by itself need not be passed on to it. */
SEC("tp_btf/signal_generate")
int BPF_PROG(signal_btf, int sig, struct kernel_siginfo *info, struct task_struct *task, int group,
	     int result)
{
	struct td_task *first = bpf_task_storage_get(&tasks, task->group_leader, NULL, 0);
	struct task_struct *self = bpf_get_current_task_btf();
	int code = code_of(info);

	if (!first)
		return 0;
	if (first->followed == TD_FOLLOWED_COMMAND && self->tgid != recorder.tgid)
		signalled_ns[sig & (TD_NSIGNALS - 1)] = bpf_ktime_get_boot_ns();
	if (recording && first->watched == TD_WATCHED && is_from_elsewhere(sig, code, self))
		put_signal(task, sig, code, result);
	return 0;
}

/* --- what is there already --- */

/* The mark is the process's, not its number's: whoever has that number later is not followed. */
static __always_inline uint32_t follow_process(struct task_struct *task)
{
	struct td_task *t;

	if (!may_follow(task))
		return TD_FOLLOW_OTHERS;
	t = task_of(task);
	if (!t)
		return TD_FOLLOW_NOBODY;
	t->followed = follow.is_command ? TD_FOLLOWED_COMMAND : TD_FOLLOWED;
	return TD_FOLLOW_DONE;
}

SEC("iter/task")
int follow_task(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	note_recorder();
	if (!task || !follow.pid || visible_number(task) != follow.pid)
		return 0;
	if (task->pid == task->tgid) {
		follow.result = follow_process(task);
	} else {
		follow.result = TD_FOLLOW_THREAD;
		follow.thread_of = visible_number(task->group_leader);
	}
	return 0;
}

SEC("iter/task")
int found_tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct td_task *t;

	if (!task)
		return 0;
	t = task_of(task);
	if (t && decide(task, t, false))
		announce(task, t, false);
	return 0;
}

SEC("iter/task_file")
int found_files(struct bpf_iter__task_file *ctx)
{
	struct task_struct *task = ctx->task;
	struct td_seen seen = {};
	uint64_t file = 0; /* as a number: the same code looks at files that no verifier knows of */
	struct td_task *t;

	if (!task || !recording || bpf_probe_read_kernel(&file, sizeof(file), &ctx->file) || !file)
		return 0;
	t = bpf_task_storage_get(&tasks, task, NULL, 0);
	if (!t || t->watched != TD_WATCHED)
		return 0;
	note_root(t, task);
	file_id(&seen, t, file);
	return 0;
}

/* At the end: calls that are still under way. */
SEC("iter/task")
int unfinished_calls(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct td_task *t;

	if (!task)
		return 0;
	t = bpf_task_storage_get(&tasks, task, NULL, 0);
	if (t && t->watched == TD_WATCHED)
		td_call_unfinished(t, task->tgid, task->pid);
	return 0;
}
