/* SPDX-License-Identifier: MIT */
/*
 * Whose recording it is, and giving up what is needed to begin one: root by way of sudo, root itself, or a user by
 * way of the capabilities of the file.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "common/cleanup.h"
#include "common/err.h"

struct td_user {
	uid_t uid;
	gid_t gid;
	char *name, *home; /* NULL: not known */
	gid_t *groups; /* supplementary ones */
	size_t ngroups;
};

void td_user_done(struct td_user *u);

/* Who started this program: the real user, or if that is root who called sudo or pkexec. 0 or -ENOMEM. */
int td_user_invoking(struct td_user *ret, struct td_err *err);

/* By name or number. 0, -ENOENT or -ENOMEM with a text. */
int td_user_named(const char *name, struct td_user *ret, struct td_err *err);

/* May the user make files in the folder? */
bool td_user_can_write(const struct td_user *u, const char *folder);

/* Becomes the user for good. 0 or -errno. */
int td_user_become(const struct td_user *u);

/* Gives up what capabilities the file of this program gave a user; nothing of what root has. 0 or -errno. */
int td_user_drop_capabilities(void);

/* The following files are made as the user, as far as this process may. Ends with td_user_end_acting(). */
void td_user_act_as(const struct td_user *u);
void td_user_end_acting(void);

/* The process becomes the user and has no privilege from here on, but, keep_kill, may send signals to processes of
 * other users. There must be no other thread: capabilities are each thread's own. 0 or -errno. */
int td_privileges_drop(const struct td_user *u, bool keep_kill);
