/* SPDX-License-Identifier: MIT */
/*
 * What the arguments of each system call mean to us, as a table: which one is the descriptor, the path,
 * the size and the offset, what the call does to descriptors and processes, and which arguments are
 * worth keeping as text. A call that is not in the table is stored with all its arguments as text.
 */
#pragma once

#include <stdint.h>

#include "common/scan.h"
#include "schema/kinds.h"

enum td_call_effect {
	TD_CALL_PLAIN,
	TD_CALL_OPENS, /* result: descriptor of the path */
	TD_CALL_CLOSES, /* the descriptor */
	TD_CALL_CLOSES_RANGE, /* arguments 1 to 2 */
	TD_CALL_DUPS, /* result: another descriptor of the same */
	TD_CALL_FCNTL, /* F_DUPFD and F_SETFD */
	TD_CALL_PAIR, /* two descriptors in the argument 'at' */
	TD_CALL_MAKES, /* result: descriptor of 'thing' */
	TD_CALL_MEMFD, /* result: descriptor of memory named by argument 1 */
	TD_CALL_FORKS, /* result: a process */
	TD_CALL_CLONES, /* result: a process or a thread, by its flags */
	TD_CALL_EXECS, /* path in the argument 'path', argv behind it */
	TD_CALL_TELLS_PID, /* result: the caller's own id */
	TD_CALL_SEEKS, /* result: offset */
	TD_CALL_STATS, /* st_mode tells the class of the file */
	TD_CALL_PRCTL, /* PR_SET_NAME */
};

/* Arguments count from 1; 0: the call has none such. */
struct td_syscall {
	const char *name;
	enum td_call_effect effect;
	uint8_t fd;
	uint8_t path;
	uint8_t asked; /* bytes asked for */
	uint8_t buffers; /* array of buffers whose lengths sum up to the bytes asked for */
	uint8_t offset;
	uint8_t at; /* for TD_CALL_PAIR */
	bool bytes; /* the result is a number of bytes transferred */
	uint8_t keep_from,
		keep_to; /* arguments kept as text; keep_to TD_CALL_REST: all that follow */
	const char *thing; /* for TD_CALL_MAKES: name of what was made */
	enum td_class thing_class;
};

#define TD_CALL_REST 255

/* NULL: not in the table. */
const struct td_syscall *td_syscall_find(struct td_str name);

/* What a call that is not in the table means: nothing, with all its arguments kept. */
extern const struct td_syscall td_syscall_unknown;
