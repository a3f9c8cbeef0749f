/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Page faults, counted per process and second. What is counted is what the kernel counts for getrusage(), faults in
 * system calls among it; that a program has one is only the occasion to look. A record is written when the first
 * one of a later second comes, and at the end of the process. Threads that are not gone by then have faults still:
 * these are counted anew, from that moment on, so that no two records of a process cover the same time.
 */
#include "collector/bpf/state.h"
#include "collector/bpf/faults.h"

#define SECOND_NS 1000000000ull

const volatile bool count_faults = false;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32768);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, uint32_t);
	__type(value, struct td_faults);
} faults SEC(".maps");

uint32_t last_track = TD_TRACK_FAULTS;

static __always_inline struct td_faults *faults_of(uint32_t pid, uint64_t now)
{
	struct td_faults *f = bpf_map_lookup_elem(&faults, &pid),
			 new = { .second = now / SECOND_NS, .from_ns = now };

	if (f)
		return f;
	new.track = __sync_fetch_and_add(&last_track, 2);
	bpf_map_update_elem(&faults, &pid, &new, BPF_NOEXIST);
	return bpf_map_lookup_elem(&faults, &pid);
}

static __always_inline void put_faults(struct td_faults *f, uint32_t pid, uint64_t from_ns,
				       uint64_t to_ns)
{
	struct td_raw_faults r = {
		.head = { .size = sizeof(r), .kind = TD_RAW_OF_SET(TD_SET_FAULTS), .tid = pid },
		.from_ns = from_ns,
		.to_ns = to_ns,
		.track = f->track,
	};

	r.minor = __sync_lock_test_and_set(&f->minor, 0);
	r.major = __sync_lock_test_and_set(&f->major, 0);
	if (!r.minor && !r.major)
		return;
	if (!f->told)
		r.head.flags = TD_RAW_FAULTS_FIRST;
	if (put_critical(TD_SET_FAULTS, &r, sizeof(r)) == 0)
		f->told = 1;
}

int td_faults_add(struct td_task *t, uint32_t pid, uint64_t minor, uint64_t major, bool last)
{
	uint64_t now = bpf_ktime_get_boot_ns(), second = now / SECOND_NS, counted;
	struct td_faults *f;

	if (!count_faults || !t)
		return 0;
	f = faults_of(pid, now);
	if (!f) {
		count_event(TD_SET_FAULTS, false);
		return 0;
	}
	counted = f->second;
	/* one of several threads that see that a second is over */
	if (counted < second && __sync_bool_compare_and_swap(&f->second, counted, second)) {
		put_faults(f, pid, f->from_ns, (counted + 1) * SECOND_NS);
		f->from_ns = second * SECOND_NS;
	}
	__sync_fetch_and_add(&f->minor, minor - t->minor_faults);
	__sync_fetch_and_add(&f->major, major - t->major_faults);
	t->minor_faults = minor;
	t->major_faults = major;
	if (last) {
		put_faults(f, pid, f->from_ns, bpf_ktime_get_boot_ns());
		bpf_map_delete_elem(&faults, &pid);
	}
	return 0;
}

static __always_inline int fault(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct td_task *t = recording ? current_watched() : NULL;

	return t ? td_faults_add(t, task->tgid, task->min_flt, task->maj_flt, false) : 0;
}

SEC("tp_btf/page_fault_user")
int BPF_PROG(fault_btf)
{
	return fault();
}

SEC("tracepoint/exceptions/page_fault_user")
int fault_tracepoint(void *ctx)
{
	return fault();
}

/* At the end: what is not counted yet. */
SEC("iter/task")
int unfinished_faults(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct td_task *t;

	if (!task)
		return 0;
	t = bpf_task_storage_get(&tasks, task, NULL, 0);
	if (t && t->watched == TD_WATCHED)
		td_faults_add(t, task->tgid, task->min_flt, task->maj_flt, false);
	return 0;
}
