/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What all programs share: the maps (defined in core.bpf.c), what is kept per thread between the events of a
 * call, and the few steps that every record takes.
 *
 * The hot path is sys_enter and sys_exit of a watched thread: one look-up of task-local storage each, one
 * record at exit, submitted without waking anybody as long as there is room.
 */
#pragma once

#include "collector/bpf/kernel.h"
#include "collector/bpf/shared.h"

#define AT_FDCWD -100
#define NO_FD ((int32_t)0x80000000)

/* A file that this thread used lately: if the same struct file still is the same inode, nothing has to be
 * looked up. */
struct td_seen {
	uint64_t file, inode, number, f_op; /* f_op: of anonymous inodes, which are all one inode */
	uint32_t generation;
	uint32_t names; /* names_epoch when it was looked up */
	uint32_t id;
	uint32_t seekable;
};
#define TD_NSEEN 4

/* The root directory of a process, as it was when it was looked up. */
struct td_root {
	uint64_t mnt, dentry;
	uint32_t names; /* names_epoch then */
	uint32_t id; /* its number; 0: the usual one, whose names do not matter */
};

enum td_watched {
	TD_UNKNOWN,
	TD_IGNORED,
	TD_ENDED /* was not watched */,
	TD_WATCHED,
	TD_GONE /* was watched */
};

enum td_followed_as {
	TD_NOT_FOLLOWED,
	TD_FOLLOWED /* all of it is watched */,
	TD_FOLLOWED_COMMAND
};

/* What the kernel has counted of a thread. */
struct td_usage {
	uint64_t time_ns; /* when; 0: nothing is counted before its start */
	uint64_t runtime_ns, user_ns, system_ns;
	uint64_t voluntary, involuntary;
};

struct td_task {
	uint64_t start_ns; /* of the call that is under way; 0: none */
	uint64_t args[8]; /* from 1 */
	uint64_t offset; /* argument, or position of the descriptor when the call began */
	uint64_t file; /* struct file */
	uint32_t file_id;
	uint32_t nr;
	uint8_t has_offset, appends, seekable, to_has_offset;
	uint64_t to_offset; /* the same of the side that a copy writes to */
	uint32_t to_file_id;
	uint32_t cold_pages;
	uint32_t watched; /* enum td_watched */
	uint32_t watch_epoch; /* when watched was decided */
	uint32_t announced; /* there is a record of the thread or process */
	/* since it was last switched off a CPU; times are 0 until then */
	uint8_t off_state;
	uint8_t followed; /* enum td_followed_as, of a process's first thread */
	uint64_t off_ns, wake_ns, on_ns;
	uint32_t waker_tid, waking_tid; /* who has woken it, and who is about to */
	uint16_t from_cpu, off_op;
	/* the function of the file layer that is under way */
	struct {
		uint64_t start_ns, file, asked, position;
		uint32_t depth; /* others that it has called: a file system on another one */
		uint8_t op; /* enum td_vfs_op */
		uint8_t pad[3];
	} vfs;
	uint64_t minor_faults, major_faults; /* the thread's, as far as they are counted */
	/* the function of the C library that is under way */
	struct {
		uint64_t start_ns, address;
		uint64_t
			switches; /* how often the thread had left the CPU by itself when it began */
		uint32_t function; /* enum td_libc */
		uint32_t pad;
	} libc;
	/* the functions of the CUDA driver and of NCCL, which calls the driver, that are under way */
	struct td_entered {
		uint64_t start_ns, bytes;
		uint64_t comm; /* communicator, or where it goes */
		uint32_t function; /* enum td_cuda_function */
		uint32_t rank; /* of a communicator that is made */
	} cuda, nccl;
	struct td_usage usage; /* there are records of what was used before */
	uint64_t usage_taken; /* one is being made */
	struct td_root root;
	struct td_seen seen[TD_NSEEN];
};

struct draft; /* call.h */

struct td_tasks {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct td_task);
};
extern struct td_tasks tasks SEC(".maps");

/* Rings of calls: CPU n writes to ring n & ring_mask. */
struct td_ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* of the pattern; the loader makes the real ones */
};
struct td_rings {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, TD_MAX_RINGS);
	__type(key, uint32_t);
	__array(values, struct td_ring);
};
extern struct td_rings rings SEC(".maps");

/* Processes, threads, files: rare, and what calls refer to. */
#define CRITICAL_BYTES (8 << 20)
struct td_critical {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, CRITICAL_BYTES);
};
extern struct td_critical critical SEC(".maps");

struct td_counts_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct td_counts);
};
extern struct td_counts_map counts SEC(".maps");

/*
 * Room to put a record together that is too large for the stack. Who needs it takes a piece of those of the CPU and
 * gives it back: fentry programs, uprobes, iterators and (since Linux 6.13) those of system calls can be interrupted
 * by another thread that comes by here, and the text of a call is put together while the file that it starts from
 * may have to be described. A program never changes its CPU.
 */
#define TD_NSCRATCH 8
#define TD_NO_SCRATCH TD_NSCRATCH

/* Where a file is and what is known of it; all of the kernel's pointers as numbers, to be read with
 * bpf_probe_read_kernel(): nothing keeps them alive but that a call is using them. */
struct td_place {
	uint64_t mnt, dentry, inode;
	uint64_t sock; /* of a socket */
	uint64_t root_mnt, root_dentry; /* where its path begins; 0: at the usual root */
	uint32_t root; /* that one's number */
	uint32_t mnt_namespace; /* as in td_raw_file */
	uint32_t room; /* that it lies in */
	uint32_t mode, magic;
	uint16_t type; /* of a socket */
	uint16_t is_root;
};

struct td_file_key {
	uint64_t number;
	uint64_t f_op; /* anonymous inodes share one inode */
	uint64_t mnt; /* a bind mount gives the file another path */
	uint64_t root; /* so does another root: its dentry; 0: the usual one */
	uint32_t device, generation;
};

struct td_scratch {
	uint64_t taken;
	struct td_place place;
	struct td_file_key key;
	char record[256 + 3 * TD_TEXT_MAX]; /* head, and two texts or one and some slack */
	char path[2 * TD_TEXT_MAX]; /* written from the end */
};
struct td_scratch_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, TD_NSCRATCH);
	__type(key, uint32_t);
	__type(value, struct td_scratch);
};
extern struct td_scratch_map scratch SEC(".maps");

/* Requests that are under way, which another thread may complete. */
struct td_requests {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries,
	       1 << 16); /* what fs.aio-max-nr allows, and twice what one io_uring can have */
	__type(key, struct td_request_key);
	__type(value, struct td_request);
};
extern struct td_requests async_requests SEC(".maps");

extern const volatile struct td_filter filter;
extern const volatile uint32_t ring_mask;
extern const volatile uint32_t ring_step; /* see wake_of() */
extern const volatile uint8_t call_flags; /* of TD_WIRE_CALL, in all of them */
extern const volatile struct td_call_spec specs[TD_NSYSCALLS];
extern bool recording;
extern struct td_follow follow;
extern struct td_recorder recorder;
extern uint64_t signalled_ns[TD_NSIGNALS]; /* when somebody else sent them to the command last */
extern uint32_t watch_epoch; /* who is watched has changed */
extern uint32_t names_epoch; /* some name or address may have changed */
extern int64_t watched_left; /* threads */
extern uint64_t compat_calls; /* of 32-bit programs, which are not recorded */
extern uint64_t mapped_files,
	mapped_bytes; /* which are read and written without calls; see note_mapping() */

/* core.bpf.c: the number of a free piece, or TD_NO_SCRATCH; to be given back by give_scratch(). */
uint32_t td_take_scratch(void);
/* files.bpf.c: id of the file (or 0) and the rest of seen, for seen->file, below t->root. */
int td_file_look_up(struct td_seen *seen, const struct td_task *t);
/* The same for the current directory of a process, by its struct fs_struct. */
int td_directory_id(const struct td_task *t, uint64_t fs);
/* See note_root(). */
int td_root_look_up(struct td_task *t, uint64_t fs, uint64_t nsproxy);
/* The directory that '/' is in the mount namespace of that root, if that is another one; else 0. */
uint64_t td_root_above(uint64_t mnt, uint64_t dentry);
/* faults.bpf.c: a thread of the process has had so many faults by now; last: the process ends. */
int td_faults_add(struct td_task *t, uint32_t pid, uint64_t minor, uint64_t major, bool last);
/* libc.bpf.c: a function that will not return, or not in time; a process ends. */
int td_libc_unfinished(struct td_task *t, uint32_t pid, uint32_t tid);
int td_libc_process_ends(uint32_t pid);
/* cuda.bpf.c: the same of functions of the CUDA driver and of NCCL. */
int td_cuda_unfinished(struct td_task *t, uint32_t pid, uint32_t tid);
int td_cuda_process_ends(uint32_t pid);
/* watch.bpf.c: is the current thread to be watched? */
int td_watch_decide(void);
/* The current thread is one of the kernel's, and a record will name it. */
int td_watch_announce_kernel(void);
/* aio.bpf.c: the current thread calls io_submit(), was returned that so many of them were taken, or reaped n. */
int td_aio_begin(uint64_t iocbs, uint64_t n);
int td_aio_taken(uint64_t iocbs, uint64_t n, int64_t taken);
int td_aio_reaped(uint64_t events, int64_t n);
/* calls.bpf.c: bytes in n buffers of the current process, a struct iovec array. */
uint64_t td_sum_of_buffers(uint64_t iov, uint64_t n);
/* calls.bpf.c: where a path starts from: the root, unless that is the usual one; a relative one the
 * directory descriptor or the current directory (AT_FDCWD). */
uint32_t td_start_of_path(struct td_task *t, bool is_absolute, int32_t dir);
/* calls.bpf.c: the call that a thread is in will not return, or not in time. */
int td_call_unfinished(struct td_task *t, uint32_t pid, uint32_t tid);

/* io_uring_names.bpf.c: keeps the paths that a request names while it is under way, in s->names,
 * s->file and s->fd; puts the record of its completion (call.h), which has them; forgets them. t:
 * of the current thread, whose root is known. */
int td_uring_keep_names(struct td_task *t, struct td_request *s);
int td_uring_put_names(const struct td_request *s, const struct draft *d);
int td_uring_forget_names(const struct td_request *s);

static __always_inline struct td_scratch *scratch_at(uint32_t room)
{
	return bpf_map_lookup_elem(&scratch, &room);
}

static __always_inline void give_scratch(uint32_t room)
{
	struct td_scratch *s = scratch_at(room);

	if (s)
		__sync_lock_test_and_set(&s->taken, 0);
}

/* What is kept of a task, from now on if it was not yet. A task that makes its first call and a
 * walk over the tasks may begin with it at once: the kernel has nothing for who is second, who
 * finds what the first has made when it asks again. */
static __always_inline struct td_task *task_of(struct task_struct *task)
{
	struct td_task *t =
		bpf_task_storage_get(&tasks, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	return t ? t : bpf_task_storage_get(&tasks, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

/* What is kept of the current thread, if it is watched; decides if that is open. */
static __always_inline struct td_task *current_watched(void)
{
	struct td_task *t = task_of(bpf_get_current_task_btf());

	if (!t)
		return NULL;
	if (t->watched == TD_WATCHED)
		return t;
	if (t->watch_epoch == watch_epoch || !td_watch_decide())
		return NULL;
	return t;
}

/* The same, of one that is known to be watched already: what happens within a system call, or between two. */
static __always_inline struct td_task *current_recorded(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct td_task *t;

	if (!recording)
		return NULL;
	t = bpf_task_storage_get(&tasks, task, NULL, 0);
	return t && t->watched == TD_WATCHED ? t : NULL;
}

/* specs[nr] is constant for the verifier, but the compiler must not see that it is zero. */
static __always_inline const struct td_call_spec *spec_of(uint64_t nr)
{
	const struct td_call_spec *spec = (const struct td_call_spec *)specs;

	barrier_var(spec);
	return &spec[nr & (TD_NSYSCALLS - 1)];
}

static __always_inline struct td_counts *counts_here(void)
{
	uint32_t zero = 0;

	return bpf_map_lookup_elem(&counts, &zero);
}

static __always_inline void *ring_here(void)
{
	uint32_t ring = bpf_get_smp_processor_id() & ring_mask;

	return bpf_map_lookup_elem(&rings, &ring);
}

static __always_inline uint64_t room_of(uint64_t size)
{
	return (size + BPF_RINGBUF_HDR_SZ + 7) & ~7ULL;
}

/*
 * How to submit a record of that size, with which its ring holds so much: nobody is woken unless it
 * is fuller by another step (a power of two) now, so that a reader who leaves a quiet machine alone
 * comes in time. Once for each step only: a wake-up costs more than a record, and does not bring a
 * reader sooner who is on the way.
 */
static __always_inline uint64_t wake_of(uint64_t held, uint64_t size, uint64_t step)
{
	return (held ^ (held - room_of(size))) & -step ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

/* The record is one that a ring of calls has room for already. */
static __always_inline void submit(void *ring, void *record, uint64_t size)
{
	uint64_t held = bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA);

	bpf_ringbuf_submit(record, wake_of(held, size, ring_step));
}

/* A function of its own: what it holds meanwhile is on nobody else's stack. */
static __noinline __attribute__((unused)) long output(void *ring, void *record, uint64_t size,
						      uint64_t step)
{
	uint64_t held = bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) + room_of(size);

	return bpf_ringbuf_output(ring, record, size, wake_of(held, size, step));
}

/* One more event of a set (or of enum td_count), which was lost if there was no room. Atomically: since 6.13 the
 * tracepoints of system calls let another thread in on the same CPU. */
static __always_inline void count_event(uint32_t set, bool stored)
{
	struct td_counts *c = counts_here();

	if (!c || set >= TD_NCOUNTS)
		return;
	__sync_fetch_and_add(&c->generated[set], 1);
	if (!stored)
		__sync_fetch_and_add(&c->lost[set], 1);
}

static __always_inline int put_critical(uint32_t what, void *record, uint64_t size)
{
	int r = output(&critical, record, size, CRITICAL_BYTES / TD_RING_STEPS);

	count_event(what, r == 0);
	return r;
}

/* What the current thread has open as fd, or 0. direct: see READ_KERNEL(). */
static __always_inline uint64_t file_of_fd_by(bool direct, struct task_struct *task, uint32_t fd)
{
	struct files_struct *files = task->files;
	uint64_t file = 0;
	struct fdtable *table;

	if (!files)
		return 0;
	table = files->fdt;
	if (!table || fd >= table->max_fds)
		return 0;
	if (direct)
		return (uint64_t)READ_KERNEL(true, struct hlist_head, &table->fd[fd], first);
	bpf_probe_read_kernel(&file, sizeof(file), &table->fd[fd]);
	return file;
}

static __always_inline uint64_t file_of_fd(struct task_struct *task, uint32_t fd)
{
	return file_of_fd_by(false, task, fd);
}

/* Keeps the root of the task in t, before its files are looked up. The usual one has a name that
 * does not change. Not done while a file is looked up, as either takes its share of 512 bytes of
 * stack. */
static __always_inline void note_root(struct td_task *t, struct task_struct *task)
{
	struct fs_struct *fs = task->fs;

	if (!fs ||
	    (t->root.dentry == (uint64_t)fs->root.dentry && t->root.mnt == (uint64_t)fs->root.mnt &&
	     (!t->root.id || t->root.names == names_epoch)))
		return;
	td_root_look_up(t, (uint64_t)BPF_CORE_READ(task, fs),
			(uint64_t)BPF_CORE_READ(task, nsproxy));
}

/* Fills *seen if it is not about this file yet, or not any more; returns the id. t: of the thread
 * that uses it. direct: see READ_KERNEL(). */
static __always_inline uint32_t file_id_by(bool direct, struct td_seen *seen,
					   const struct td_task *t, uint64_t file)
{
	struct inode *inode = NULL;
	unsigned long number = 0;
	uint32_t generation = 0;

	if (!file)
		return 0;
	inode = READ_KERNEL(direct, struct file, file, f_inode);
	number = READ_KERNEL(direct, struct inode, inode, i_ino);
	generation = READ_KERNEL(direct, struct inode, inode, i_generation);
	if (seen->file == file && seen->inode == (uint64_t)inode && seen->number == number &&
	    seen->generation == generation && seen->names == names_epoch && seen->id &&
	    (!seen->f_op || seen->f_op == (uint64_t)READ_KERNEL(direct, struct file, file, f_op)))
		return seen->id;
	seen->file = file;
	seen->inode = (uint64_t)inode;
	seen->number = number;
	seen->generation = generation;
	seen->id = 0;
	return td_file_look_up(seen, t);
}

static __always_inline uint32_t file_id(struct td_seen *seen, const struct td_task *t,
					uint64_t file)
{
	return file_id_by(false, seen, t, file);
}
