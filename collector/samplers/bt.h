/* SPDX-License-Identifier: MIT */
/*
 * A bpftrace program of the user's that runs beside our own probes, its output in a file that is
 * imported with them:
 * on the same clock, since bpftrace's nsecs are CLOCK_BOOTTIME (from 0.12 on).
 *
 * How it is run is known in collector/samplers/bt.c alone: today bpftrace, which must be installed,
 * runs it. It needs root; it is started before tracedb-record gives up its privileges, and is
 * watched by a process of ours that keeps them: so it can be ended, and ends when tracedb-record
 * dies. Ctrl-C does not reach it.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "common/cleanup.h"
#include "common/err.h"

struct td_bt;

struct td_bt_options {
	const char *script; /* FILE.bt */
	const char *out_path; /* made with 0600; must not exist */
	uid_t uid; /* whose it is to be, if we are root */
	gid_t gid;
	const char *program; /* NULL: bpftrace, from $PATH; for tests */
	unsigned attach_ms; /* how long attaching may take; 0: 60 s */
};

/* Starts it. 0, or -errno with the reason: no bpftrace, no root, the file exists. Call it while there is one thread
 * only. */
int td_bt_start(const struct td_bt_options *options, struct td_bt **ret, struct td_err *err);

/* Waits until its probes are attached: then the window may open. Start all programs, then wait for each. 0; -EINVAL
 * with what it said, if it ended instead; -ETIMEDOUT. */
int td_bt_wait_attached(struct td_bt *b, struct td_err *err);

/* For the main loop, which loses no time with it: 0 while it runs; 1 if it has ended by itself (an exit() in the
 * program, or an error, which err tells). */
int td_bt_poll(struct td_bt *b, struct td_err *err);

/* Ends it as Ctrl-C would, so that END probes run and maps are printed, and waits for that. What it said that it lost
 * is in its output then, wherever it said so. 0, or -errno with the reason if it failed. */
int td_bt_finish(struct td_bt *b, struct td_err *err);

/* Ends it, if it runs. The output stays. */
void td_bt_free(struct td_bt *b);
TD_DEFINE_CLEANUP(struct td_bt *, td_bt_free)
