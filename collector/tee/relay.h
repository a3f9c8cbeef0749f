/* SPDX-License-Identifier: MIT */
/*
 * A process between the command and where its output goes, for one stream: what it reads it writes,
 * byte for byte, and shows it to td_tee_lines. It outlives the recorder, so that the command can
 * always write, and ends with the last process that holds the stream. Who has started it talks with
 * it by bytes, through a socket.
 */
#pragma once

#include <stdbool.h>

#include "collector/tee/lines.h"
#include "collector/privileges.h"

enum td_relay_word {
	TD_RELAY_DRAIN = 'd', /* pass on what is there by now; answered when that is done */
	TD_RELAY_RESIZE = 'w', /* the terminal that it passes on to has another size */
	TD_RELAY_STOP = 's', /* look at no more lines */
	TD_RELAY_READY = 'r', /* told by the relay: it is as it should be, and passes on */
	TD_RELAY_BROKEN = 'x', /* told by the relay: what comes cannot be written any more */
};

struct td_relay {
	int from; /* the pipe, or the master of a pseudo-terminal */
	int to; /* where the command's output would go */
	bool is_terminal;
	int control;
	int lines_fd;
	const struct td_tee_patterns *patterns;
	const struct td_user *user; /* whom it becomes */
};

/* The whole life of the process, which has just been forked. */
_Noreturn void td_relay_run(const struct td_relay *options);

/* Gives one terminal the size of another. */
void td_relay_copy_size(int from, int to);
