/* SPDX-License-Identifier: MIT */
#include <sys/syscall.h>

#include "common/cleanup.h"
#include "collector/sets/syscalls.h"

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
	MEMORY(process_vm_readv),
	MEMORY(process_vm_writev),

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

	/* message queues */
	SYNC(msgget),
	SYNC(msgsnd),
	SYNC(msgrcv),
	SYNC(msgctl),
	SYNC(mq_open),
	SYNC(mq_unlink),
	SYNC(mq_timedsend),
	SYNC(mq_timedreceive),
	SYNC(mq_notify),
	SYNC(mq_getsetattr),

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
