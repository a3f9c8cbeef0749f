/* SPDX-License-Identifier: MIT */
/*
 * The files of an export. Each is written beside its name, and they get their names when all are complete: before
 * that nothing has changed.
 *     _cleanup_(td_export_files_done) struct td_export_files files = { .force = job->force };
 *     r = td_export_open(&files, path, &f, err); ...
 *     r = td_export_close(&files, TAKE_PTR(f), err);
 *     r = td_export_name(&files, err);
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "common/err.h"

struct td_export_files {
	bool force; /* replace what has the name already */
	struct td_export_output {
		char path[PATH_MAX], tmp[PATH_MAX];
		bool is_made; /* tmp is there */
		bool is_stdout; /* nothing gets a name */
	} * outputs; /* owned */
	size_t n, cap;
};

/* The next file. What ends in '.zst' is packed by zstd, '-' is standard output. 0; -EEXIST unless
 * force; -ENAMETOOLONG or another -errno. */
int td_export_open(struct td_export_files *files, const char *path, FILE **ret, struct td_err *err);

/* Closes the file that was opened last, also when it fails. 0 or the -errno of any write to it. */
int td_export_close(const struct td_export_files *files, FILE *f, struct td_err *err);

/* As td_export_close() if r is 0. Else r, what writing came to, with the words for it where it has
 * none yet; f stays open. */
int td_export_end(const struct td_export_files *files, FILE **f, int r, struct td_err *err);

/* All files get their names. 0 or -errno. */
int td_export_name(struct td_export_files *files, struct td_err *err);

/* Removes those that have no name yet, and forgets all. */
void td_export_files_done(struct td_export_files *files);
