/* SPDX-License-Identifier: MIT */
#pragma once

#include <sqlite3.h>

#include "common/err.h"

/* Gives processes without a role one by what they did: 'gpu-worker' (a GPU sample names it),
 * 'data-loader' (reads files while others work on GPUs), 'kernel' (pid 0 and kernel threads). */
int td_derive_roles(sqlite3 *db, struct td_err *err);
