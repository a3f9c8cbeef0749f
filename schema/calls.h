/* SPDX-License-Identifier: MIT */
/*
 * What every system call means, as a table that the importers and the collector read: which argument is the
 * descriptor, the path, the size and the offset, what the result is, what the call does to descriptors and
 * processes, and which arguments are worth keeping as text. Verbs and kinds are in schema/ops.h, numbers in
 * collector/sets/syscalls.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/scan.h"
#include "schema/kinds.h"

/* What the result is where it is more than success, a count or an address; what else the call does. Where the
 * result is a descriptor, the call is about that one unless it has a descriptor among its arguments. */
enum td_call_effect {
	TD_CALL_PLAIN,
	TD_CALL_TRANSFERS, /* result: number of bytes transferred */
	TD_CALL_COPIES, /* the same, from the descriptor to another one in the argument 'to' */
	TD_CALL_OPENS, /* result: descriptor of the path */
	TD_CALL_CLOSES, /* the descriptor */
	TD_CALL_CLOSES_RANGE, /* arguments 1 to 2 */
	TD_CALL_DUPS, /* result: another descriptor of the same */
	TD_CALL_FCNTL, /* F_DUPFD and F_SETFD */
	TD_CALL_PAIR, /* two descriptors in the argument 'pair' */
	TD_CALL_MAKES, /* result: descriptor of 'thing' */
	TD_CALL_MEMFD, /* result: descriptor of memory named by argument 1 */
	TD_CALL_MAPS, /* the file, or memory without one by the flags in argument 4 */
	TD_CALL_CHDIRS, /* the working directory becomes that of the path or descriptor */
	TD_CALL_LOCKS, /* argument 1 is the address of the lock, argument 2 the operation */
	TD_CALL_FORKS, /* result: a process */
	TD_CALL_CLONES, /* result: a process or a thread, by its flags */
	TD_CALL_EXECS, /* path in the argument 'path', argv behind it */
	TD_CALL_TELLS_PID, /* result: the caller's own id */
	TD_CALL_SEEKS, /* result: offset */
	TD_CALL_STATS, /* st_mode tells the class of the file */
	TD_CALL_PRCTL, /* PR_SET_NAME */
	TD_CALL_SUBMITS, /* asynchronous requests; result: how many of them */
	TD_CALL_REAPS, /* result: how many completions */
	TD_CALL_CHROOTS, /* the root becomes the path */
	TD_CALL_CONNECTS, /* the socket has the peer in argument 2 from then on */
	TD_CALL_SIGNALS, /* argument keep_to is the signal, the one before it the process or thread that gets it */
};

enum td_call_flag {
	TD_CALL_POSITION =
		1, /* transfers at the position of the descriptor if no offset is given */
	TD_CALL_APPENDS = 2, /* writes at the end of a file that was opened so */
	TD_CALL_OFFSET_POINTER = 4, /* the offset is in memory */
	TD_CALL_MESSAGE = 8, /* the buffers are in a struct msghdr */
	TD_CALL_RENAMES = 16, /* may change what files or sockets are called */
	TD_CALL_RWF = 32, /* argument 6 is RWF_*, which may say append */
	TD_CALL_REQUESTS = 64, /* has others done, which are no calls: result: how many */
};

/* Arguments count from 1; 0: the call has none such. One that a 32-bit kernel takes in two halves counts once. */
struct td_syscall {
	const char *name;
	const char *args; /* "fd *buf count": named as in the kernel, pointers with a star */
	uint8_t effect; /* enum td_call_effect */
	uint8_t flags; /* enum td_call_flag */
	uint8_t fd;
	uint8_t dir,
		path; /* the path starts from this descriptor; without a path that is what the call is about */
	uint8_t dir2, path2; /* the new name, of calls that have an old one */
	uint8_t target; /* the text that a symbolic link shall hold */
	uint8_t asked; /* bytes asked for */
	uint8_t buffers; /* array of buffers whose lengths sum up to the bytes asked for */
	uint8_t offset;
	uint8_t pair; /* for TD_CALL_PAIR */
	uint8_t to,
		to_offset; /* for TD_CALL_COPIES: where the bytes go; asked and offset are of both sides */
	/* Kept as text, from the first to the last argument that is neither an address nor in a column. */
	uint8_t keep_from, keep_to; /* keep_to TD_CALL_REST: all that follow */
	uint8_t thing_class; /* enum td_class */
	const char *thing; /* for TD_CALL_MAKES: name of what was made */
};

#define TD_CALL_REST 255

/* NULL: not in the table. */
const struct td_syscall *td_syscall_find(struct td_str name);

/* What a call that is not in the table means: nothing, with all its arguments kept. */
extern const struct td_syscall td_syscall_unknown;

/* Is the result a number of bytes? */
static inline bool td_syscall_transfers(const struct td_syscall *s)
{
	return s->effect == TD_CALL_TRANSFERS || s->effect == TD_CALL_COPIES;
}

/*
 * A call that copies is two rows: its own is about the descriptor that it reads from and has the duration; that of the
 * side that it writes to is called so (schema/ops.h knows it) and has none, so that no sum counts the time twice.
 */
#define TD_CALL_OUT ":out"

/* Is the call about the descriptor that it returns? */
static inline bool td_syscall_makes(const struct td_syscall *s)
{
	return !s->fd && (s->effect == TD_CALL_OPENS || s->effect == TD_CALL_MAKES ||
			  s->effect == TD_CALL_MEMFD);
}
