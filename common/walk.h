/* SPDX-License-Identifier: MIT */
/* The files below a path, in an order that depends on nothing but their names. */
#pragma once

#include <sys/stat.h>

#include "common/err.h"

#define TD_WALK_DEPTH_MAX 64 /* directories below the given one */

/* What is done with what is found. Both return 0 to go on; anything else ends the walk and is
 * td_walk()'s result. Paths and texts are valid during the call. */
struct td_walk_fn {
	/* A regular file, or a symlink to one; st is that of the file. */
	int (*file)(void *ctx, const char *path, const struct stat *st);
	/* Something below the path that is passed over: r is a negative errno, msg a sentence that
	 * names the path: a directory or symlink that cannot be read, a symlink to a directory above
	 * it (-ELOOP), directories too deep (-ENAMETOOLONG), a fifo, socket or device (-EINVAL). */
	int (*problem)(void *ctx, const char *path, int r, const char *msg);
};

/* Calls fn->file for the files below the directory path, sorted by name at each level: byte by byte, but numbers by their
 * value ("out.999" before "out.1000"), as strverscmp() has it.
 * Symlinks are followed, names that begin with a dot are left out. A path that is no directory is
 * itself the one file, whatever its kind: who names a fifo wants it read.
 * 0, what fn returned, -ENOMEM, or -errno with a text if path itself cannot be read. */
int td_walk(const char *path, const struct td_walk_fn *fn, void *ctx, struct td_err *err);
