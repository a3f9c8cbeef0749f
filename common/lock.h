/* SPDX-License-Identifier: MIT */
#pragma once

#include "common/cleanup.h"
#include "common/err.h"

struct td_lock;

/* Takes the lock PATH, a file that is there only while somebody holds it. 0, -EBUSY with a text that
 * says so if another process does, -ENOMEM or the errno of open(). A lock whose holder was killed is
 * free. -ELOOP, -EEXIST: something else has that name, which stays as it is. */
int td_lock_take(const char *path, struct td_lock **ret, struct td_err *err);
void td_lock_release(struct td_lock *l);
TD_DEFINE_CLEANUP(struct td_lock *, td_lock_release)
