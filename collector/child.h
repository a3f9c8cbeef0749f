/* SPDX-License-Identifier: MIT */
/* The command that is recorded: forked early, it waits until it is followed, then executes. */
#pragma once

#include <signal.h>
#include <sys/types.h>

#include "collector/privileges.h"

struct td_child {
	pid_t pid; /* 0: none, or it has ended */
	pid_t ended_pid; /* which it was; nobody has waited for it */
	int pidfd; /* readable when it has ended */
	int go_fd; /* -1: it was let go */
	int error_fd;
	const char *name; /* of the command; borrowed */
};
#define TD_CHILD_INIT                                                                              \
	{                                                                                          \
		.pidfd = -1, .go_fd = -1, .error_fd = -1                                           \
	}

struct td_child_options {
	char *const *command; /* NULL-ended; looked up in $PATH */
	const struct td_user *user; /* NULL: as this process is */
	char **env; /* NULL: this process's, with what it has of HOME and names replaced */
	char *const *more; /* besides: NULL-ended 'NAME=VALUE', or NULL */
	const sigset_t *mask;
	int stdout_fd,
		stderr_fd; /* what it is to have for them: 1 and 2 for those of this process */
};

/* Forks a process that will execute the command. It has the rights of that user when this returns.
 * Call it before there are threads. 0 or -errno with a text. */
int td_child_fork(const struct td_child_options *options, struct td_child *ret, struct td_err *err);

/* Lets it execute the command. 0, or -errno with a text if that was not possible; it has ended then. */
int td_child_go(struct td_child *c, struct td_err *err);

/* Has it ended? *ret_status: its exit status, or minus the signal that killed it. Waits for that if
 * wait. It stays a zombie, of which the kernel knows what it has used, until td_child_reap() or
 * td_child_done(). */
bool td_child_ended(struct td_child *c, bool wait, int *ret_status);

/* Nothing of it is left, if it has ended. */
void td_child_reap(struct td_child *c);

/* 0 or -errno. */
int td_child_signal(const struct td_child *c, int sig);

/* If it was not let go, it ends without having executed anything, and nothing of it is left. */
void td_child_done(struct td_child *c);

/* The exit status with which a program ends that stands for one that ended so (td_child_ended()). */
static inline int td_exit_status(int status)
{
	return status < 0 ? 128 - status : status;
}
