/* SPDX-License-Identifier: MIT */
/*
 * Which signals tracedb and tracedb-record read by signalfd(), to pass them on to the command: all
 * that one process sends another for its own reasons. Nothing else that the command inherits is
 * changed before it is forked.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* What is ignored when the program starts stays so: for a command, which inherits that, and under nohup. A recording
 * without a command is ended by SIGINT and SIGTERM in any case: shells ignore SIGINT in the background. */
void td_signals_to_watch(bool has_command, sigset_t *ret);

/* Does the signal ask for the end of the recording? */
bool td_signal_ends(int sig);
