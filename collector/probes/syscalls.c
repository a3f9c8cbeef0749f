/* SPDX-License-Identifier: MIT */
#include <sys/syscall.h>

#include "common/cleanup.h"
#include "collector/probes/syscalls.h"

#define CALL(name_) .nr = SYS_##name_, .name = #name_
#define FILE_IO .set = TD_SET_FILE_IO, .file_set = TD_SET_FILE_IO
#define MEMORY .set = TD_SET_MEMORY, .file_set = TD_SET_MEMORY
#define THREAD .set = TD_SET_THREAD, .file_set = TD_SET_THREAD
#define SYNC .set = TD_SET_SYNC, .file_set = TD_SET_SYNC
#define WAIT .set = TD_SET_WAIT, .file_set = TD_SET_WAIT
#define SOCKET_IO .set = TD_SET_SOCKET_IO, .file_set = TD_SET_SOCKET_IO
#define IO_URING .set = TD_SET_IO_URING, .file_set = TD_SET_IO_URING

/*
 * The arguments are those of the manual pages (section 2), counted from 1. Where a call has two files, it is
 * about the one that data comes from. Numbers come from the C library's headers; those that an architecture
 * does not have are left out by group: arm64 was born with the *at() forms only.
 */
const struct td_syscall td_syscalls[] = {
/* opening and closing */
#ifdef SYS_open
	{ CALL(open), { FILE_IO, .path = 1, .flags = TD_SPEC_MAKES } },
	{ CALL(creat), { FILE_IO, .path = 1, .flags = TD_SPEC_MAKES } },
	{ CALL(dup2), { FILE_IO, .fd = 1 } },
	{ CALL(pipe), { FILE_IO } },
	{ CALL(eventfd), { FILE_IO, .flags = TD_SPEC_MAKES } },
	{ CALL(signalfd), { FILE_IO, .flags = TD_SPEC_MAKES } },
	{ CALL(epoll_create), { FILE_IO, .flags = TD_SPEC_MAKES } },
	{ CALL(inotify_init), { FILE_IO, .flags = TD_SPEC_MAKES } },
#endif
	{ CALL(openat), { FILE_IO, .dir = 1, .path = 2, .flags = TD_SPEC_MAKES } },
	{ CALL(openat2), { FILE_IO, .dir = 1, .path = 2, .flags = TD_SPEC_MAKES } },
	{ CALL(close), { FILE_IO, .fd = 1 } },
	{ CALL(close_range), { FILE_IO } },
	{ CALL(dup), { FILE_IO, .fd = 1 } },
	{ CALL(dup3), { FILE_IO, .fd = 1 } },
	{ CALL(fcntl), { FILE_IO, .fd = 1 } },
	{ CALL(ioctl), { FILE_IO, .fd = 1 } },
	{ CALL(flock), { FILE_IO, .fd = 1 } },
	{ CALL(pipe2), { FILE_IO } },
	{ CALL(eventfd2), { FILE_IO, .flags = TD_SPEC_MAKES } },
	{ CALL(signalfd4), { FILE_IO, .flags = TD_SPEC_MAKES } },
	{ CALL(timerfd_create), { FILE_IO, .flags = TD_SPEC_MAKES } },
	{ CALL(epoll_create1), { FILE_IO, .flags = TD_SPEC_MAKES } },
	{ CALL(inotify_init1), { FILE_IO, .flags = TD_SPEC_MAKES } },
	{ CALL(memfd_create), { FILE_IO, .flags = TD_SPEC_MAKES } },

	/* reading and writing */
	{ CALL(read), { FILE_IO, .fd = 1, .asked = 3, .flags = TD_SPEC_POSITION } },
	{ CALL(write),
	  { FILE_IO, .fd = 1, .asked = 3, .flags = TD_SPEC_POSITION | TD_SPEC_WRITES } },
	{ CALL(pread64), { FILE_IO, .fd = 1, .asked = 3, .offset = 4 } },
	{ CALL(pwrite64), { FILE_IO, .fd = 1, .asked = 3, .offset = 4, .flags = TD_SPEC_WRITES } },
	{ CALL(readv), { FILE_IO, .fd = 1, .buffers = 2, .flags = TD_SPEC_POSITION } },
	{ CALL(writev),
	  { FILE_IO, .fd = 1, .buffers = 2, .flags = TD_SPEC_POSITION | TD_SPEC_WRITES } },
	{ CALL(preadv), { FILE_IO, .fd = 1, .buffers = 2, .offset = 4 } },
	{ CALL(pwritev), { FILE_IO, .fd = 1, .buffers = 2, .offset = 4, .flags = TD_SPEC_WRITES } },
	{ CALL(preadv2),
	  { FILE_IO, .fd = 1, .buffers = 2, .offset = 4, .flags = TD_SPEC_POSITION } },
	{ CALL(pwritev2),
	  { FILE_IO, .fd = 1, .buffers = 2, .offset = 4,
	    .flags = TD_SPEC_POSITION | TD_SPEC_WRITES } },
	{ CALL(sendfile),
	  { FILE_IO, .fd = 2, .asked = 4, .offset = 3,
	    .flags = TD_SPEC_POSITION | TD_SPEC_OFFSET_POINTER } },
	{ CALL(copy_file_range),
	  { FILE_IO, .fd = 1, .asked = 5, .offset = 2,
	    .flags = TD_SPEC_POSITION | TD_SPEC_OFFSET_POINTER } },
	{ CALL(splice),
	  { FILE_IO, .fd = 1, .asked = 5, .offset = 2,
	    .flags = TD_SPEC_POSITION | TD_SPEC_OFFSET_POINTER } },
	{ CALL(tee), { FILE_IO, .fd = 1, .asked = 3 } },
	{ CALL(vmsplice), { FILE_IO, .fd = 1, .buffers = 2 } },
	{ CALL(lseek), { FILE_IO, .fd = 1 } },
	{ CALL(fsync), { FILE_IO, .fd = 1 } },
	{ CALL(fdatasync), { FILE_IO, .fd = 1 } },
	{ CALL(sync), { FILE_IO } },
	{ CALL(syncfs), { FILE_IO, .fd = 1 } },
	{ CALL(sync_file_range), { FILE_IO, .fd = 1, .asked = 3, .offset = 2 } },
	{ CALL(readahead), { FILE_IO, .fd = 1, .asked = 3, .offset = 2 } },
	{ CALL(fadvise64), { FILE_IO, .fd = 1, .asked = 3, .offset = 2 } },
	{ CALL(fallocate), { FILE_IO, .fd = 1, .asked = 4, .offset = 3 } },
	{ CALL(truncate), { FILE_IO, .path = 1, .offset = 2 } },
	{ CALL(ftruncate), { FILE_IO, .fd = 1, .offset = 2 } },

/* names and attributes */
#ifdef SYS_open
	{ CALL(stat), { FILE_IO, .path = 1 } },
	{ CALL(lstat), { FILE_IO, .path = 1 } },
	{ CALL(access), { FILE_IO, .path = 1 } },
	{ CALL(readlink), { FILE_IO, .path = 1 } },
	{ CALL(getdents), { FILE_IO, .fd = 1, .asked = 3 } },
	{ CALL(mkdir), { FILE_IO, .path = 1 } },
	{ CALL(mknod), { FILE_IO, .path = 1 } },
	{ CALL(rmdir), { FILE_IO, .path = 1, .flags = TD_SPEC_NAMES } },
	{ CALL(unlink), { FILE_IO, .path = 1, .flags = TD_SPEC_NAMES } },
	{ CALL(rename), { FILE_IO, .path = 1, .path2 = 2, .flags = TD_SPEC_NAMES } },
	{ CALL(link), { FILE_IO, .path = 1, .path2 = 2 } },
	{ CALL(symlink), { FILE_IO, .path = 1, .path2 = 2 } },
	{ CALL(chmod), { FILE_IO, .path = 1 } },
	{ CALL(chown), { FILE_IO, .path = 1 } },
	{ CALL(lchown), { FILE_IO, .path = 1 } },
	{ CALL(utime), { FILE_IO, .path = 1 } },
	{ CALL(utimes), { FILE_IO, .path = 1 } },
	{ CALL(futimesat), { FILE_IO, .dir = 1, .path = 2 } },
#endif
	{ CALL(fstat), { FILE_IO, .fd = 1 } },
	{ CALL(newfstatat), { FILE_IO, .dir = 1, .path = 2 } },
	{ CALL(statx), { FILE_IO, .dir = 1, .path = 2 } },
	{ CALL(statfs), { FILE_IO, .path = 1 } },
	{ CALL(fstatfs), { FILE_IO, .fd = 1 } },
	{ CALL(faccessat), { FILE_IO, .dir = 1, .path = 2 } },
	{ CALL(faccessat2), { FILE_IO, .dir = 1, .path = 2 } },
	{ CALL(readlinkat), { FILE_IO, .dir = 1, .path = 2 } },
	{ CALL(getdents64), { FILE_IO, .fd = 1, .asked = 3 } },
	{ CALL(getcwd), { FILE_IO } },
	{ CALL(chdir), { FILE_IO, .path = 1, .flags = TD_SPEC_CWD } },
	{ CALL(fchdir), { FILE_IO, .fd = 1 } },
	{ CALL(chroot), { FILE_IO, .path = 1 } },
	{ CALL(mkdirat), { FILE_IO, .dir = 1, .path = 2 } },
	{ CALL(mknodat), { FILE_IO, .dir = 1, .path = 2 } },
	{ CALL(unlinkat), { FILE_IO, .dir = 1, .path = 2, .flags = TD_SPEC_NAMES } },
#ifdef SYS_renameat
	{ CALL(renameat),
	  { FILE_IO, .dir = 1, .path = 2, .dir2 = 3, .path2 = 4, .flags = TD_SPEC_NAMES } },
#endif
	{ CALL(renameat2),
	  { FILE_IO, .dir = 1, .path = 2, .dir2 = 3, .path2 = 4, .flags = TD_SPEC_NAMES } },
	{ CALL(linkat), { FILE_IO, .dir = 1, .path = 2, .dir2 = 3, .path2 = 4 } },
	{ CALL(symlinkat), { FILE_IO, .path = 1, .dir2 = 2, .path2 = 3 } },
	{ CALL(fchmod), { FILE_IO, .fd = 1 } },
	{ CALL(fchmodat), { FILE_IO, .dir = 1, .path = 2 } },
	{ CALL(fchown), { FILE_IO, .fd = 1 } },
	{ CALL(fchownat), { FILE_IO, .dir = 1, .path = 2 } },
	{ CALL(utimensat), { FILE_IO, .dir = 1, .path = 2 } },
	{ CALL(getxattr), { FILE_IO, .path = 1 } },
	{ CALL(lgetxattr), { FILE_IO, .path = 1 } },
	{ CALL(fgetxattr), { FILE_IO, .fd = 1 } },
	{ CALL(setxattr), { FILE_IO, .path = 1 } },
	{ CALL(lsetxattr), { FILE_IO, .path = 1 } },
	{ CALL(fsetxattr), { FILE_IO, .fd = 1 } },
	{ CALL(listxattr), { FILE_IO, .path = 1 } },
	{ CALL(llistxattr), { FILE_IO, .path = 1 } },
	{ CALL(flistxattr), { FILE_IO, .fd = 1 } },
	{ CALL(inotify_add_watch), { FILE_IO, .fd = 1 } },

	/* memory */
	{ CALL(mmap),
	  { .set = TD_SET_MEMORY,
	    .file_set = TD_SET_FILE_IO,
	    .fd = 5,
	    .asked = 2,
	    .offset = 6,
	    .flags = TD_SPEC_MAP } },
	{ CALL(munmap), { MEMORY, .asked = 2 } },
	{ CALL(mremap), { MEMORY, .asked = 3 } },
	{ CALL(brk), { MEMORY } },
	{ CALL(madvise), { MEMORY, .asked = 2 } },
	{ CALL(mprotect), { MEMORY, .asked = 2 } },
	{ CALL(msync), { MEMORY, .asked = 2 } },
	{ CALL(mincore), { MEMORY, .asked = 2 } },
	{ CALL(mlock), { MEMORY, .asked = 2 } },
	{ CALL(mlock2), { MEMORY, .asked = 2 } },
	{ CALL(munlock), { MEMORY, .asked = 2 } },
	{ CALL(mlockall), { MEMORY } },
	{ CALL(munlockall), { MEMORY } },
	{ CALL(shmget), { MEMORY, .asked = 2 } },
	{ CALL(shmat), { MEMORY } },
	{ CALL(shmdt), { MEMORY } },

/* processes and threads */
#ifdef SYS_open
	{ CALL(fork), { THREAD } },
	{ CALL(vfork), { THREAD } },
#endif
	{ CALL(clone), { THREAD } },
	{ CALL(clone3), { THREAD } },
	{ CALL(execve), { THREAD, .path = 1, .flags = TD_SPEC_EXECUTES } },
	{ CALL(execveat), { THREAD, .dir = 1, .path = 2, .flags = TD_SPEC_EXECUTES } },
	{ CALL(exit), { THREAD } },
	{ CALL(exit_group), { THREAD } },

	/* locks */
	{ CALL(futex), { SYNC, .asked = 2, .offset = 1, .flags = TD_SPEC_ADDRESS } },
#ifdef SYS_futex_waitv
	{ CALL(futex_waitv), { SYNC } },
#endif
	{ CALL(semop), { SYNC } },
	{ CALL(semtimedop), { SYNC } },

/* waiting */
#ifdef SYS_open
	{ CALL(poll), { WAIT } },
	{ CALL(select), { WAIT } },
	{ CALL(epoll_wait), { WAIT, .fd = 1 } },
	{ CALL(pause), { WAIT } },
#endif
	{ CALL(ppoll), { WAIT } },
	{ CALL(pselect6), { WAIT } },
	{ CALL(epoll_pwait), { WAIT, .fd = 1 } },
#ifdef SYS_epoll_pwait2
	{ CALL(epoll_pwait2), { WAIT, .fd = 1 } },
#endif
	{ CALL(epoll_ctl), { WAIT, .fd = 1 } },
	{ CALL(nanosleep), { WAIT } },
	{ CALL(clock_nanosleep), { WAIT } },
	{ CALL(wait4), { WAIT } },
	{ CALL(waitid), { WAIT } },
	{ CALL(rt_sigsuspend), { WAIT } },
	{ CALL(rt_sigtimedwait), { WAIT } },
	{ CALL(restart_syscall), { WAIT } },
	{ CALL(sched_yield), { WAIT } },

	/* sockets */
	{ CALL(socket), { SOCKET_IO, .flags = TD_SPEC_MAKES } },
	{ CALL(socketpair), { SOCKET_IO } },
	{ CALL(bind), { SOCKET_IO, .fd = 1, .flags = TD_SPEC_NAMES } },
	{ CALL(listen), { SOCKET_IO, .fd = 1, .flags = TD_SPEC_NAMES } },
	{ CALL(accept), { SOCKET_IO, .fd = 1 } },
	{ CALL(accept4), { SOCKET_IO, .fd = 1 } },
	{ CALL(connect), { SOCKET_IO, .fd = 1, .flags = TD_SPEC_NAMES } },
	{ CALL(sendto), { SOCKET_IO, .fd = 1, .asked = 3 } },
	{ CALL(recvfrom), { SOCKET_IO, .fd = 1, .asked = 3 } },
	{ CALL(sendmsg), { SOCKET_IO, .fd = 1, .buffers = 2, .flags = TD_SPEC_MESSAGE } },
	{ CALL(recvmsg), { SOCKET_IO, .fd = 1, .buffers = 2, .flags = TD_SPEC_MESSAGE } },
	{ CALL(sendmmsg), { SOCKET_IO, .fd = 1 } },
	{ CALL(recvmmsg), { SOCKET_IO, .fd = 1 } },
	{ CALL(shutdown), { SOCKET_IO, .fd = 1 } },
	{ CALL(setsockopt), { SOCKET_IO, .fd = 1 } },
	{ CALL(getsockopt), { SOCKET_IO, .fd = 1 } },
	{ CALL(getsockname), { SOCKET_IO, .fd = 1 } },
	{ CALL(getpeername), { SOCKET_IO, .fd = 1 } },

	/* asynchronous I/O */
	{ CALL(io_setup), { IO_URING } },
	{ CALL(io_destroy), { IO_URING } },
	{ CALL(io_submit), { IO_URING } },
	{ CALL(io_getevents), { IO_URING } },
	{ CALL(io_cancel), { IO_URING } },
	{ CALL(io_pgetevents), { IO_URING } },
	{ CALL(io_uring_setup), { IO_URING, .flags = TD_SPEC_MAKES } },
	{ CALL(io_uring_enter), { IO_URING, .fd = 1 } },
	{ CALL(io_uring_register), { IO_URING, .fd = 1 } },
};
const size_t td_nsyscalls = TD_ARRAY_SIZE(td_syscalls);
