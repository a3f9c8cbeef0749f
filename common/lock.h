/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>

#include "common/cleanup.h"
#include "common/err.h"

struct td_lock;

/* Takes the lock PATH, a file that is there only while somebody holds it. 0, -EBUSY with a text that
 * says so if another process does, -ENOMEM or the errno of open(). A lock whose holder was killed is
 * free. -ELOOP, -EEXIST: something else has that name, which stays as it is. */
int td_lock_take(const char *path, struct td_lock **ret, struct td_err *err);
void td_lock_release(struct td_lock *l);
TD_DEFINE_CLEANUP(struct td_lock *, td_lock_release)

/* Locks a file that is open already, as long as that is open here and in processes that inherited
 * it or got it passed: for whoever writes it alone, or for several that read. Gives up what was
 * held of it. 0; -EBUSY: another process has it locked, or path is not this file any more. 0 also
 * on a file system that has no locks. */
int td_lock_open_file(int fd, const char *path, bool alone);
/* Would that fail at the moment, for one that reads? false if the file cannot be read at all. */
bool td_lock_is_held(const char *path);
