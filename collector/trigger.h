/* SPDX-License-Identifier: MIT */
/*
 * The trigger of a flight recorder: what it holds is written to a database of its own, RUN-1.db,
 * RUN-2.db and so on, and it goes on. It is a signal with a word in it ('tracedb trigger'), which
 * no command means, or one that the user chooses.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>

#include "common/err.h"

/* "USR2", "SIGUSR2" or a number. *ret: the signal. 0 or -EINVAL with a text. */
int td_trigger_parse(const char *name, int *ret, struct td_err *err);

/* Is this the trigger? chosen: the user's signal, 0: none. */
bool td_trigger_is(const struct signalfd_siginfo *info, int chosen);

/* Marks the spool as one that can be triggered here, as long as fd is open in this process. */
void td_trigger_wait_for(int fd);

/* Triggers who has marked the spool. 0; -ENOENT: nobody has; or -errno, with a text. */
int td_trigger_send(const char *spool, struct td_err *err);

/* The next name behind output that neither a database nor a spool has. free() it. NULL: out of memory. */
char *td_trigger_part_name(const char *output);
