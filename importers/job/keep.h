/* SPDX-License-Identifier: MIT */
/*
 * What --append leaves as it was. The database is made anew under another name, which takes the place of the old one:
 * nobody may write to that meanwhile, and what is not of tracedb's making (tables, views, indexes and triggers of the
 * user's) goes along, as do mode and owner.
 */
#pragma once

#include <sys/types.h>

#include "common/cleanup.h"
#include "common/err.h"

struct td_keep;

/* To be called before the database is read. 0, -EMLINK (it has other names, which would go on to be the old one),
 * or another -errno with a text. */
int td_keep_begin(const char *path, struct td_keep **ret, struct td_err *err);

/* To be called when it has been read: from now on nobody else writes to it. 0; -EBUSY: somebody does, or did while it
 * was read; -EMEDIUMTYPE: it has something that cannot go along; or another -errno. */
int td_keep_lock(struct td_keep *k, struct td_err *err);

/* Adds to the finished file what is to stay, but for the mode. 0 or -errno. */
int td_keep_apply(struct td_keep *k, const char *path, struct td_err *err);
mode_t td_keep_mode(const struct td_keep *k);

/* Ends the lock. Takes NULL. */
void td_keep_end(struct td_keep *k);
TD_DEFINE_CLEANUP(struct td_keep *, td_keep_end)
