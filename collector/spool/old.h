/* SPDX-License-Identifier: MIT */
/* A spool that is there already under the name that is asked for: of a recording that goes on, or
 * of one that was left. */
#pragma once

#include <stdbool.h>

#include "common/err.h"

/* Is there one in the way? With force only one that is being recorded is. 0, or -EBUSY or -EEXIST with a text. */
int td_spool_old_check(const char *path, bool force, struct td_err *err);

/* The text and the error for one that is in the way, whatever it is. */
int td_spool_old_explain(const char *path, struct td_err *err);

/* Was it left by a recorder that was killed before it wrote anything? Nothing is lost with it then.
 * Not one that is being recorded. */
bool td_spool_old_is_empty(const char *path);

/* Removes one that nobody records. 0 also if there is none; -EBUSY or another -errno with a text. */
int td_spool_old_remove(const char *path, struct td_err *err);
