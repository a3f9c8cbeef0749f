/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What the BPF programs and their loader tell each other, beside the records of schema/wire.h. As there: only
 * fixed-size integers, defined by the includer.
 */
#pragma once

#include "schema/wire.h"
#include "collector/sets/list.h"

#define TD_NSYSCALLS 512 /* numbers from here on are not recorded; power of two */
#define TD_MAX_RINGS 64 /* of calls; power of two */
#define TD_RING_STEPS 8 /* who reads a ring is woken each time that it is fuller by so much of it */
#define TD_TEXT_MAX 4096 /* PATH_MAX */

/* Numbers of operations: system calls from 1 on, in the order of their table; those that a set has beside. */
#define TD_OPS_PER_SET 64
#define TD_OPS_OF_SET(set) (TD_NSYSCALLS + TD_OPS_PER_SET * (set))
#define TD_OPS_IO_URING_OTHER 49 /* operations from this number on share one name */
#define TD_OPS_AIO 50 /* of the same set: requests of io_submit(), by IOCB_CMD_* */
#define TD_OPS_AIO_END 59
#define TD_OPS_SPLICE_OUT 60 /* of io_uring: the side that a request writes to that copies */
#define TD_OPS_TEE_OUT 61

/* Kind of a record that the loader has to make those of schema/wire.h of: its set knows how. */
#define TD_RAW_OF_SET(set) (128 + (set))

enum td_vfs_op { TD_VFS_READ, TD_VFS_WRITE, TD_VFS_OPEN, TD_VFS_UNLINK };

/* Whom a call names as the other side of a socket. */
enum td_peer {
	TD_PEER_NONE,
	TD_PEER_GIVEN, /* by the program: whom it sends to */
	TD_PEER_TOLD, /* by the kernel, when it succeeds: from whom it came */
	TD_PEER_CONNECTED, /* given, and the socket has it from then on */
	TD_PEER_ACCEPTED, /* that of the socket that it returns */
};

/* What the arguments of a system call mean. Arguments count from 1; 0: it has none such. */
struct td_call_spec {
	uint16_t op; /* of schema/wire.h; 0: the call is not recorded */
	uint8_t set; /* enum td_set */
	uint8_t file_set; /* instead, when the call is about a file (TD_SPEC_MAP) */
	uint8_t fd;
	uint8_t asked; /* bytes asked for */
	uint8_t buffers; /* struct iovec array (its length is the next argument) or, flag, struct msghdr */
	uint8_t offset;
	uint8_t dir, path; /* directory descriptor that the path starts from */
	uint8_t dir2, path2;
	uint16_t flags;
	uint16_t to_op; /* what the side is called that a copy writes to; 0: it is none */
	uint8_t to, to_offset; /* its descriptor, and offset (by TD_SPEC_OFFSET_POINTER) */
	uint8_t peer; /* struct sockaddr (its length is the next argument) or, flag, struct msghdr */
	uint8_t peer_is; /* enum td_peer */
};

#define TD_SPEC_POSITION 1 /* reads or writes at the position of the descriptor */
#define TD_SPEC_OFFSET_POINTER 2 /* offset points to it; NULL: the position */
#define TD_SPEC_MESSAGE 4 /* buffers is a struct msghdr */
#define TD_SPEC_MAKES 8 /* returns a descriptor, which is what the call is about */
#define TD_SPEC_NAMES 16 /* may change what files or sockets are called */
#define TD_SPEC_MAP 32 /* mmap: of a file or, by its flags, of none */
#define TD_SPEC_ADDRESS 64 /* offset is an address, asked the operation (futex) */
#define TD_SPEC_CWD 128 /* changes the directory, which is what the call is about */
#define TD_SPEC_WRITES 256 /* O_APPEND decides where */
#define TD_SPEC_EXECUTES 512 /* is about the program that it executes */
#define TD_SPEC_TARGET 1024 /* path2 is a text and not relative to anything */
#define TD_SPEC_SUBMITS 2048 /* io_submit() */
#define TD_SPEC_REAPS 4096 /* io_getevents() and its like */
#define TD_SPEC_RWF 8192 /* argument 6 is RWF_* */
#define TD_SPEC_PEER_MESSAGE                                                                       \
	16384 /* peer is a struct msghdr, or the first of several, which has it */
#define TD_SPEC_NO_SET 255 /* in set, file_set: that half of the call is not recorded */

/* Whom to watch, fixed before load. */
struct td_filter {
	uint64_t cgroup; /* id; 0: any */
	uint32_t uid;
	uint8_t everyone, any_user, by_comm;
	uint8_t own_only; /* not what runs with the rights of another user than its caller's */
	char comm[16];
	uint8_t follow_own; /* of who is asked for by number, too: only processes of uid, and without capabilities */
	uint8_t pad[7];
};

/* The recorder itself, and the pid namespace whose numbers its user sees. Known from the first walk
 * on (follow_task), since who walks is the recorder; nobody is visible before that. */
struct td_recorder {
	uint64_t namespace;
	uint64_t
		root; /* the directory that '/' is in its mount namespace, which is not its own if that was changed */
	uint32_t level; /* of the namespace */
	int32_t tgid;
};

/* A process that is asked for by its number, as the recorder's pid namespace has it; and what came of that. */
enum td_followed { TD_FOLLOW_NOBODY, TD_FOLLOW_DONE, TD_FOLLOW_THREAD, TD_FOLLOW_OTHERS };
struct td_follow {
	uint32_t pid;
	uint32_t result; /* enum td_followed */
	uint32_t thread_of; /* TD_FOLLOW_THREAD: the process that it is a thread of */
	uint32_t is_command; /* that the recorder has started */
};

#define TD_NSIGNALS 128 /* power of two; numbers begin with 1 */

/* A request of io_uring or io_submit() that is under way, in the map 'async_requests'. */
struct td_request_key {
	uint64_t request; /* struct io_kiocb, or the address of the iocb in its process */
	uint64_t
		owner; /* 0, or that process's id; of one that may complete several times also the ring, with its user_data */
};
enum td_names { TD_NAMES_NONE, TD_NAMES_SHORT, TD_NAMES_LONG }; /* where its paths are kept */
struct td_request {
	uint64_t start_ns, asked, offset;
	uint64_t io_kiocb; /* of io_uring only */
	uint32_t pid, tid;
	uint32_t
		file; /* of io_submit(), of names the directory or root that the path starts from, of a copy what is read */
	int32_t fd;
	uint16_t op;
	uint8_t flags; /* of TD_WIRE_CALL */
	uint8_t names; /* enum td_names */
	uint8_t pad[4];
};

/* Counted per CPU: per set, and what is of no set. */
enum td_count { TD_COUNT_PROCESS = TD_NSETS, TD_COUNT_FILE, TD_NCOUNTS };
struct td_counts {
	uint64_t generated[TD_NCOUNTS];
	uint64_t lost[TD_NCOUNTS];
};

/* A file as the kernel has it; the loader makes a TD_WIRE_FILE of it, with a name and a class. */
struct td_raw_file {
	struct td_wire_head head; /* kind and flags of TD_WIRE_FILE */
	uint32_t file;
	uint32_t device; /* of the file system */
	uint64_t inode;
	uint32_t magic; /* of the file system */
	uint32_t rdev; /* of a device file */
	uint16_t mode;
	uint16_t path_len; /* anonymous inodes, memfd: the name */
	uint16_t family, type; /* of a socket; 0: no socket */
	uint16_t protocol;
	uint16_t local_port, remote_port;
	uint16_t name_of_peer; /* AF_UNIX: path is that of the other end */
	uint32_t root; /* as in TD_WIRE_FILE */
	uint32_t
		mnt_namespace; /* of a root: its inode, if paths are others there than the recorder's; else 0 */
	uint8_t local[16], remote[16]; /* IPv4 in the first four */
	char path[];
};
