/* SPDX-License-Identifier: MIT */
/* What becomes of the texts of a database that is to be shown to others: each kind of text has a
 * list of what may stay as it is, and all else becomes a name (names.h). */
#pragma once

#include "analyzer/redact/names.h"

enum td_text_kind {
	TD_TEXT_KEEP, /* words of tracedb's own */
	TD_TEXT_NOTE, /* becomes '(redacted)' */
	TD_TEXT_NAME, /* a name, always */
	TD_TEXT_IDENT, /* stays if it is one of tracedb's, tools' and layouts' identifiers */
	TD_TEXT_LAYOUT, /* variants of formats stay, but not those of a user's own */
	TD_TEXT_VERSION, /* stays if it is digits and dots */
	TD_TEXT_PATH,
	TD_TEXT_PEERS, /* name of a socket: the protocol stays */
	TD_TEXT_COMM, /* name of a process or thread: that of common programs stays */
	TD_TEXT_COMMAND, /* command line: word by word, the parts of paths in it by themselves */
	TD_TEXT_USER, /* root stays */
	TD_TEXT_LABEL, /* phases, ranges, operators, marks: common ones stay, with their number */
	TD_TEXT_GPU, /* kernels and copies: those of NCCL and kinds of copies stay */
	TD_TEXT_ARGS, /* arguments: numbers, flags, and keys of JSON that are known stay */
	TD_TEXT_TRACK,
	TD_TEXT_UNIT,
	TD_TEXT_DEVICE, /* usual names of disks, GPUs and CPUs stay */
	TD_TEXT_OP, /* system calls, functions of libraries that tracedb knows */
};

/* Adds what becomes of the text. A failure is remembered in ret. */
void td_redact_text(struct td_names *n, enum td_text_kind kind, struct td_str text,
		    struct td_strbuf *ret);
