/* SPDX-License-Identifier: MIT */
#pragma once

#include "common/err.h"

/* The name of the database for -o NAME: %h is the host, without its domain, %r the rank in a job of
 * several processes, as the environment tells, %p this process, %% a percent sign. *ret: free() it.
 * 0, -EINVAL with a text, or -ENOMEM. */
int td_output_name(const char *name, char **ret, struct td_err *err);
