/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The kernel's types as far as the programs need them: names only, since offsets are those of the kernel that
 * loads the object (CO-RE). In place of a vmlinux.h, so that a build needs no BTF; members are added here as
 * they are used. Where the kernel's versions differ, a comment says so.
 */
#pragma once

#include <linux/bpf.h>
#include <linux/errno.h>

typedef __u8 uint8_t;
typedef __u16 uint16_t;
typedef __u32 uint32_t;
typedef __u64 uint64_t;
typedef __s16 int16_t;
typedef __s32 int32_t;
typedef __s64 int64_t;
typedef _Bool bool;
typedef unsigned long size_t;

#define true 1
#define false 0
#define NULL ((void *)0)
#define offsetof(type, member) __builtin_offsetof(type, member)

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long di, si, dx, cx, r10, r8, r9, ax, sp;
};
struct thread_info {
	uint32_t status;
};
#define TS_COMPAT 2 /* arch/x86/include/asm/thread_info.h: in a system call of 32-bit code */
#elif defined(__TARGET_ARCH_arm64)
struct pt_regs {
	uint64_t regs[31];
	uint64_t orig_x0;
};
struct thread_info {
	unsigned long flags;
};
#endif

struct qstr {
	union {
		struct {
			uint32_t hash;
			uint32_t len;
		};
		uint64_t hash_len;
	};
	const unsigned char *name;
};

struct hlist_bl_node {
	struct hlist_bl_node **pprev;
};

struct super_block {
	uint32_t s_dev;
	unsigned long s_magic;
};

struct inode {
	uint16_t i_mode;
	struct super_block *i_sb;
	unsigned long i_ino;
	uint32_t i_rdev;
	int64_t i_size;
	uint32_t i_generation;
};

struct dentry {
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file {
	const void *f_op;
	void *private_data;
	struct inode *f_inode;
	uint32_t f_flags;
	struct path f_path;
	int64_t f_pos;
};

struct fdtable {
	uint32_t max_fds;
	struct file **fd;
};

/* one pointer and nothing else, so that an element of an array of pointers can be read as one */
struct hlist_head {
	void *first;
};

struct files_struct {
	struct fdtable *fdt;
};

struct fs_struct {
	struct path root, pwd;
};

struct in6_addr {
	union {
		uint8_t u6_addr8[16];
	} in6_u;
};

struct sock_common {
	uint32_t skc_daddr;
	uint32_t skc_rcv_saddr;
	uint16_t skc_dport; /* network byte order */
	uint16_t skc_num; /* the machine's */
	uint16_t skc_family;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
};

struct sock {
	struct sock_common __sk_common;
	uint16_t sk_protocol;
};

struct socket {
	int16_t type;
	struct sock *sk;
};

struct sockaddr_un {
	uint16_t sun_family;
	char sun_path[108];
};

struct unix_address {
	int len; /* of name, with sun_family */
	struct sockaddr_un name[];
};

struct unix_sock {
	struct unix_address *addr;
	struct sock *peer;
};

enum pageflags { PG_head = 6 };

struct folio;

struct kernel_siginfo {
	int si_code;
};

struct gendisk {
	int major, first_minor;
};

struct request_queue {
	struct gendisk *disk;
};

struct request {
	struct request_queue *q;
	uint32_t cmd_flags;
	uint32_t __data_len;
	uint64_t __sector;
};

struct kiocb {
	int64_t ki_pos;
};

struct io_rw {
	struct kiocb kiocb;
	uint64_t addr;
	uint32_t len;
};

struct io_cqe {
	uint64_t user_data;
};

struct io_kiocb {
	struct file *file;
	uint8_t opcode;
	struct io_cqe cqe;
	struct io_ring_ctx *ctx;
};

struct io_sr_msg {
	void *buf; /* or the struct user_msghdr */
	int len;
};

/* As getname() has copied it from the program. */
struct filename {
	const char *name;
};

/* What other requests have in place of struct io_rw. */
struct io_splice {
	int64_t off_out, off_in;
	uint64_t len;
	int splice_fd_in;
	uint32_t flags;
};

struct io_open {
	int dfd;
	uint32_t file_slot;
	struct filename *filename;
};

struct io_statx {
	int dfd;
	struct filename *filename;
};

struct io_unlink {
	int dfd;
	struct filename *filename;
};

struct io_mkdir {
	int dfd;
	struct filename *filename;
};

struct io_rename {
	int old_dfd, new_dfd;
	struct filename *oldpath, *newpath;
};

struct io_link { /* of symlinks, too, without old_dfd */
	int old_dfd, new_dfd;
	struct filename *oldpath, *newpath;
};

struct io_xattr {
	struct filename *filename;
};

typedef struct {
	int counter;
} atomic_t;

struct ns_common {
	uint32_t inum;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	uint32_t level;
	struct upid numbers[];
};

struct mnt_namespace {
	struct ns_common ns;
};

struct nsproxy {
	struct mnt_namespace *mnt_ns;
};

struct kernfs_node {
	uint64_t id;
};

struct cgroup;

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
};

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

typedef struct {
	uint32_t val;
} kuid_t;

struct kernel_cap_struct { /* without a tag since 6.3, as one number */
	uint32_t cap[2];
};

struct user_namespace {
	int level;
};

struct cred {
	kuid_t uid, euid;
	struct kernel_cap_struct cap_permitted;
	struct user_namespace *user_ns;
};

struct mm_struct {
	struct file *exe_file;
	unsigned long arg_start, arg_end;
	unsigned long hiwater_rss;
};

struct percpu_counter {
	int64_t count;
};

struct mm_struct___counters { /* since 6.2 */
	struct percpu_counter rss_stat[4];
};

typedef struct {
	int64_t counter;
} atomic64_t;

struct mm_rss_stat {
	atomic64_t count[4];
};

struct mm_struct___atomics { /* until 6.1 */
	struct mm_rss_stat rss_stat;
};

struct signal_struct {
	atomic_t live;
	int group_exit_code;
	uint32_t flags;
	unsigned long maxrss; /* pages */
	struct mm_struct *oom_mm; /* of who was killed for want of memory */
};

struct sched_entity {
	uint64_t sum_exec_runtime;
};

struct task_struct {
	struct thread_info thread_info;
	uint32_t flags;
	struct mm_struct *mm;
	int exit_code;
	struct sched_entity se;
	uint64_t utime, stime;
	unsigned long nvcsw, nivcsw;
	unsigned long min_flt, maj_flt;
	int pid;
	int tgid;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	uint64_t start_boottime;
	const struct cred *cred;
	char comm[16];
	struct fs_struct *fs;
	struct files_struct *files;
	struct nsproxy *nsproxy;
	struct signal_struct *signal;
	struct css_set *cgroups;
};

/* of classic tracepoints, in place of what is named in tracefs's format files */
struct trace_event_raw_sys_enter {
	long id;
	unsigned long args[6];
};

struct trace_event_raw_sys_exit {
	long ret;
};

struct trace_event_raw_sched_process_fork {
	int child_pid;
};

/* of iterators */
struct bpf_iter__task {
	struct task_struct *task;
};

struct bpf_iter__task_file {
	struct task_struct *task;
	struct file *file;
};

#pragma clang attribute pop

#define __VMLINUX_H__ /* registers go by the kernel's names */
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_tracing.h>

/*
 * Reading what a pointer of the kernel leads to. By a cast to the kernel's type, since Linux 6.2,
 * it is a load like the kernel's own, which gives 0 where nothing is; by BPF_CORE_READ() a helper
 * is called for each member. A program that names the cast is refused by an older kernel, so those
 * that do exist a second time without it ('direct' is a constant in each). pointer: a variable, as
 * the loader would take a member for one of the kernel's.
 */
extern void *bpf_rdonly_cast(const void *pointer, uint32_t btf_id) __ksym __weak;

#define READ_KERNEL(direct, type, pointer, member)                                                 \
	((direct) ? ((type *)bpf_rdonly_cast((const void *)(pointer),                              \
					     bpf_core_type_id_kernel(type)))                       \
			    ->member                                                               \
		  : BPF_CORE_READ((type *)(pointer), member))
