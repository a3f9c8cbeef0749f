/* SPDX-License-Identifier: MIT */
/*
 * What this machine can record, and what to do about what it cannot. The result is rows of text, which 'tracedb
 * check' makes a table of:
 *
 *     WHAT <tab> STATE <tab> FOUND <tab> REMEDY <newline>
 *
 *     ok        works
 *     limited   works, in another way or with less than could be; REMEDY may say how to get more
 *     absent    not there, and needed only by who asks for it
 *     missing   recording as it is by default does not work
 */
#pragma once

#include "common/err.h"
#include "common/strbuf.h"

struct td_check_options {
	const char *root; /* NULL: ""; in front of /proc and /sys, for tests */
	const char *dir; /* where recordings are to be written; NULL: here */
	const char *library; /* NULL: the system's NVML */
};

/* Everything but the event sets; needs no privilege. 0 or -ENOMEM. */
int td_check_machine(const struct td_check_options *options, struct td_strbuf *rows);

/* Attaches every event set for a moment, nobody being watched, and tells how that went (collector/probes/check_sets.c).
 * Without the privilege the one row says so. 0 or -ENOMEM. */
int td_check_sets(struct td_strbuf *rows);

enum td_check_state { TD_CHECK_OK, TD_CHECK_LIMITED, TD_CHECK_ABSENT, TD_CHECK_MISSING };

/* A row; tabs and newlines in it become blanks. */
void td_check_add(struct td_strbuf *rows, const char *what, enum td_check_state state,
		  const char *found, const char *todo);
