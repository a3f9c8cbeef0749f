/* SPDX-License-Identifier: MIT */
/*
 * The command's output is looked at on its way (record --phases-from-output). Standard output and
 * standard error each get a relay (collector/tee/relay.h): a pseudo-terminal where it is a
 * terminal, which has its size and settings, else a pipe. Two that go to the same place share one,
 * so that their order stays. One that is closed stays so, and one for which there can be no relay
 * stays as it is.
 */
#pragma once

#include <stdbool.h>

#include "collector/tee/lines.h"
#include "collector/privileges.h"

struct td_tee_stream {
	int control; /* socket to the relay; -1: there is none */
	bool is_terminal;
	int inner; /* what the command is to have, inherited by execve(); -1: it is closed here */
	bool is_gone; /* the relay has ended */
	bool is_asked; /* to drain; it has not answered yet */
};

struct td_tee {
	int lines_fd; /* the file of lines (collector/tee/lines.h); -1: there is none */
	struct td_tee_stream streams[2];
	size_t n;
	int stdout_fd, stderr_fd; /* what the command is to have for them */
};
#define TD_TEE_INIT                                                                                \
	{                                                                                          \
		.lines_fd = -1, .stdout_fd = 1, .stderr_fd = 2                                     \
	}

/* path: of the file to make; one that was left by a recording is replaced. user: whose it is, and
 * whom the relays become. Call it before there are threads. 0 or -errno with a text. What could not
 * be done for a stream is in *warning, else "". */
int td_tee_start(struct td_tee *o, const char *path, const struct td_tee_patterns *patterns,
		 const struct td_user *user, struct td_err *warning, struct td_err *err);

/* The command has them now, or those who start it: they are closed here. */
void td_tee_handed_over(struct td_tee *o);

/* Asks for all that was written by now to be passed on. */
void td_tee_ask_to_drain(struct td_tee *o);

/* Waits for that, for so long (-1: for ever), or until the other descriptor is readable (-1: none). True: it is done.
 * *is_broken is set if the output could not be written any more. */
bool td_tee_wait_drained(struct td_tee *o, int timeout_ms, int other_fd, bool *is_broken);

/* Nothing is looked at any more. */
void td_tee_stop_lines(struct td_tee *o);

/* The terminals get the size that the real ones have now. True: there are some. */
bool td_tee_resize(struct td_tee *o);

/* Has a line been found? */
bool td_tee_has_lines(const struct td_tee *o);

void td_tee_done(struct td_tee *o);
