/* SPDX-License-Identifier: MIT */
#include <sys/syscall.h>

#include "common/cleanup.h"
#include "collector/probes/syscalls.h"
#include "collector/sets/provider.h"
#include "schema/calls.h"

#define OF_SET(name_, set_)                                                                        \
	{                                                                                          \
		SYS_##name_, #name_, .set = (set_), .file_set = (set_)                             \
	}
#define FILE_IO(name_) OF_SET(name_, TD_SET_FILE_IO)
#define MEMORY(name_) OF_SET(name_, TD_SET_MEMORY)
#define THREAD(name_) OF_SET(name_, TD_SET_THREAD)
#define SYNC(name_) OF_SET(name_, TD_SET_SYNC)
#define WAIT(name_) OF_SET(name_, TD_SET_WAIT)
#define SOCKET_IO(name_) OF_SET(name_, TD_SET_SOCKET_IO)
#define IO_URING(name_) OF_SET(name_, TD_SET_IO_URING)

/*
 * Numbers come from the C library's headers; those that an architecture does not have are left out by group:
 * arm64 was born with the *at() forms only.
 */
const struct td_recorded_call td_syscalls[] = {
/* opening and closing */
#ifdef SYS_open
	FILE_IO(open),
	FILE_IO(creat),
	FILE_IO(dup2),
	FILE_IO(pipe),
	FILE_IO(eventfd),
	FILE_IO(signalfd),
	FILE_IO(epoll_create),
	FILE_IO(inotify_init),
#endif
	FILE_IO(openat),
	FILE_IO(openat2),
	FILE_IO(close),
	FILE_IO(close_range),
	FILE_IO(dup),
	FILE_IO(dup3),
	FILE_IO(fcntl),
	FILE_IO(ioctl),
	FILE_IO(flock),
	FILE_IO(pipe2),
	FILE_IO(eventfd2),
	FILE_IO(signalfd4),
	FILE_IO(timerfd_create),
	FILE_IO(epoll_create1),
	FILE_IO(inotify_init1),
	FILE_IO(memfd_create),

	/* reading and writing */
	FILE_IO(read),
	FILE_IO(write),
	FILE_IO(pread64),
	FILE_IO(pwrite64),
	FILE_IO(readv),
	FILE_IO(writev),
	FILE_IO(preadv),
	FILE_IO(pwritev),
	FILE_IO(preadv2),
	FILE_IO(pwritev2),
	FILE_IO(sendfile),
	FILE_IO(copy_file_range),
	FILE_IO(splice),
	FILE_IO(tee),
	FILE_IO(vmsplice),
	FILE_IO(lseek),
	FILE_IO(fsync),
	FILE_IO(fdatasync),
	FILE_IO(sync),
	FILE_IO(syncfs),
	FILE_IO(sync_file_range),
	FILE_IO(readahead),
	FILE_IO(fadvise64),
	FILE_IO(fallocate),
	FILE_IO(truncate),
	FILE_IO(ftruncate),

/* names and attributes */
#ifdef SYS_open
	FILE_IO(stat),
	FILE_IO(lstat),
	FILE_IO(access),
	FILE_IO(readlink),
	FILE_IO(getdents),
	FILE_IO(mkdir),
	FILE_IO(mknod),
	FILE_IO(rmdir),
	FILE_IO(unlink),
	FILE_IO(rename),
	FILE_IO(link),
	FILE_IO(symlink),
	FILE_IO(chmod),
	FILE_IO(chown),
	FILE_IO(lchown),
	FILE_IO(utime),
	FILE_IO(utimes),
	FILE_IO(futimesat),
#endif
	FILE_IO(fstat),
	FILE_IO(newfstatat),
	FILE_IO(statx),
	FILE_IO(statfs),
	FILE_IO(fstatfs),
	FILE_IO(faccessat),
	FILE_IO(faccessat2),
	FILE_IO(readlinkat),
	FILE_IO(getdents64),
	FILE_IO(getcwd),
	FILE_IO(chdir),
	FILE_IO(fchdir),
	FILE_IO(chroot),
	FILE_IO(mkdirat),
	FILE_IO(mknodat),
	FILE_IO(unlinkat),
#ifdef SYS_renameat
	FILE_IO(renameat),
#endif
	FILE_IO(renameat2),
	FILE_IO(linkat),
	FILE_IO(symlinkat),
	FILE_IO(fchmod),
	FILE_IO(fchmodat),
	FILE_IO(fchown),
	FILE_IO(fchownat),
	FILE_IO(utimensat),
	FILE_IO(getxattr),
	FILE_IO(lgetxattr),
	FILE_IO(fgetxattr),
	FILE_IO(setxattr),
	FILE_IO(lsetxattr),
	FILE_IO(fsetxattr),
	FILE_IO(listxattr),
	FILE_IO(llistxattr),
	FILE_IO(flistxattr),
	FILE_IO(inotify_add_watch),

	/* memory */
	{ SYS_mmap, "mmap", .set = TD_SET_MEMORY, .file_set = TD_SET_FILE_IO },
	MEMORY(munmap),
	MEMORY(mremap),
	MEMORY(brk),
	MEMORY(madvise),
	MEMORY(mprotect),
	MEMORY(msync),
	MEMORY(mincore),
	MEMORY(mlock),
	MEMORY(mlock2),
	MEMORY(munlock),
	MEMORY(mlockall),
	MEMORY(munlockall),
	MEMORY(shmget),
	MEMORY(shmat),
	MEMORY(shmdt),

/* processes and threads */
#ifdef SYS_open
	THREAD(fork),
	THREAD(vfork),
#endif
	THREAD(clone),
	THREAD(clone3),
	THREAD(execve),
	THREAD(execveat),
	THREAD(exit),
	THREAD(exit_group),
	THREAD(kill),
	THREAD(tkill),
	THREAD(tgkill),

	/* locks */
	SYNC(futex),
#ifdef SYS_futex_waitv
	SYNC(futex_waitv),
#endif
	SYNC(semop),
	SYNC(semtimedop),

/* waiting */
#ifdef SYS_open
	WAIT(poll),
	WAIT(select),
	WAIT(epoll_wait),
	WAIT(pause),
#endif
	WAIT(ppoll),
	WAIT(pselect6),
	WAIT(epoll_pwait),
#ifdef SYS_epoll_pwait2
	WAIT(epoll_pwait2),
#endif
	WAIT(epoll_ctl),
	WAIT(nanosleep),
	WAIT(clock_nanosleep),
	WAIT(wait4),
	WAIT(waitid),
	WAIT(rt_sigsuspend),
	WAIT(rt_sigtimedwait),
	WAIT(restart_syscall),
	WAIT(sched_yield),

	/* sockets */
	SOCKET_IO(socket),
	SOCKET_IO(socketpair),
	SOCKET_IO(bind),
	SOCKET_IO(listen),
	SOCKET_IO(accept),
	SOCKET_IO(accept4),
	SOCKET_IO(connect),
	SOCKET_IO(sendto),
	SOCKET_IO(recvfrom),
	SOCKET_IO(sendmsg),
	SOCKET_IO(recvmsg),
	SOCKET_IO(sendmmsg),
	SOCKET_IO(recvmmsg),
	SOCKET_IO(shutdown),
	SOCKET_IO(setsockopt),
	SOCKET_IO(getsockopt),
	SOCKET_IO(getsockname),
	SOCKET_IO(getpeername),

	/* asynchronous I/O */
	IO_URING(io_setup),
	IO_URING(io_destroy),
	IO_URING(io_submit),
	IO_URING(io_getevents),
	IO_URING(io_cancel),
	IO_URING(io_pgetevents),
	IO_URING(io_uring_setup),
	IO_URING(io_uring_enter),
	IO_URING(io_uring_register),
};
const size_t td_nsyscalls = TD_ARRAY_SIZE(td_syscalls);

/* --- what they mean --- */

static uint16_t flags_of(const struct td_syscall *s)
{
	static const struct {
		uint8_t of_call; /* enum td_call_flag */
		uint16_t of_spec;
	} flags[] = {
		{ TD_CALL_POSITION, TD_SPEC_POSITION },
		{ TD_CALL_APPENDS, TD_SPEC_WRITES },
		{ TD_CALL_OFFSET_POINTER, TD_SPEC_OFFSET_POINTER },
		{ TD_CALL_MESSAGE, TD_SPEC_MESSAGE },
		{ TD_CALL_RENAMES, TD_SPEC_NAMES },
		{ TD_CALL_RWF, TD_SPEC_RWF },
	};
	uint16_t of_spec = 0;

	of_spec |= s->target ? TD_SPEC_TARGET : 0;
	of_spec |= td_syscall_makes(s) ? TD_SPEC_MAKES : 0;
	for (size_t i = 0; i < TD_ARRAY_SIZE(flags); i++)
		if (s->flags & flags[i].of_call)
			of_spec |= flags[i].of_spec;
	return of_spec;
}

/* What the BPF programs do beside, for the call's effect. */
static void add_effect(const struct td_syscall *s, struct td_call_spec *spec)
{
	switch (s->effect) {
	case TD_CALL_MAPS:
		spec->flags |= TD_SPEC_MAP;
		break;
	case TD_CALL_CHDIRS:
		spec->flags |= s->path ? TD_SPEC_CWD : 0;
		break;
	case TD_CALL_CHROOTS:
		spec->flags |= TD_SPEC_NAMES;
		break;
	case TD_CALL_LOCKS:
		spec->flags |= TD_SPEC_ADDRESS;
		spec->offset = 1;
		spec->asked = 2;
		break;
	case TD_CALL_SIGNALS:
		spec->flags |= TD_SPEC_ADDRESS;
		spec->offset = s->keep_to - 1;
		spec->asked = s->keep_to;
		break;
	case TD_CALL_SUBMITS:
		spec->flags |= TD_SPEC_SUBMITS;
		break;
	case TD_CALL_REAPS:
		spec->flags |= TD_SPEC_REAPS;
		break;
	case TD_CALL_EXECS:
		spec->flags |= TD_SPEC_EXECUTES;
		break;
	default:
		break;
	}
}

/* Calls that name the other side of a socket. */
static void add_peer(const char *name, struct td_call_spec *spec)
{
	static const struct {
		const char *name;
		uint8_t peer, peer_is;
	} calls[] = {
		{ "accept", 0, TD_PEER_ACCEPTED },   { "accept4", 0, TD_PEER_ACCEPTED },
		{ "connect", 2, TD_PEER_CONNECTED }, { "recvfrom", 5, TD_PEER_TOLD },
		{ "recvmsg", 0, TD_PEER_TOLD },      { "sendmsg", 0, TD_PEER_GIVEN },
		{ "sendto", 5, TD_PEER_GIVEN },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(calls); i++)
		if (strcmp(calls[i].name, name) == 0) {
			spec->peer = calls[i].peer;
			spec->peer_is = calls[i].peer_is;
		}
}

/* The number of what the file_io set calls the side that the call writes to. */
static uint16_t out_op(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < td_set_file_io.ops.n; i++) {
		const char *out = td_set_file_io.ops.names[i];

		if (strncmp(out, name, len) == 0 && strcmp(out + len, TD_CALL_OUT) == 0)
			return (uint16_t)(TD_OPS_OF_SET(TD_SET_FILE_IO) + i);
	}
	return 0;
}

int td_recorded_call_spec(const struct td_recorded_call *c, struct td_call_spec *ret)
{
	const struct td_syscall *s = td_syscall_find((struct td_str){ c->name, strlen(c->name) });

	if (!s)
		return -ENOENT;
	*ret = (struct td_call_spec){
		.op = td_syscall_op(c),
		.set = c->set,
		.file_set = c->file_set,
		.fd = s->path ? 0 : s->fd, /* the call is about the path */
		.asked = s->asked,
		.buffers = s->buffers,
		.offset = s->offset,
		.dir = s->dir,
		.path = s->path,
		.dir2 = s->dir2,
		.path2 = s->target ? s->target : s->path2,
		.flags = flags_of(s),
	};
	if (s->to) {
		ret->to = s->to;
		ret->to_offset = s->to_offset;
		ret->to_op = out_op(c->name);
	}
	add_effect(s, ret);
	add_peer(c->name, ret);
	return 0;
}
