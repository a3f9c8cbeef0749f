/* SPDX-License-Identifier: MIT */
/*
 * One import from beginning to end: files are read into a store, the clocks aligned, the database
 * written beside its final name and renamed. Nothing is there under the final name before that.
 */
#pragma once

#include "common/err.h"
#include "importers/core/import.h"

enum td_if_exists { TD_EXISTS_REFUSE, TD_EXISTS_REPLACE, TD_EXISTS_APPEND };

struct td_import_job {
	const char *const *paths; /* files, folders, "-"; borrowed */
	size_t npaths;
	const char *output; /* borrowed */
	enum td_if_exists if_exists;
	bool quiet;
	struct td_import_options options;

	/* what came of it */
	size_t failed; /* files that could not be read, or that were named but not recognised */
	size_t cut; /* files that end before their time */
	size_t unused; /* files of which fewer than half of the lines can be used */
	size_t recognised, duplicates, unrecognised;
};

/* 0; -ENODATA: nothing of it can be used; -EEXIST: there is such a database; -EBUSY: another import
 * writes it; or another -errno. On failure nothing has changed. Problems of single files are
 * logged. */
int td_import_run(struct td_import_job *job, struct td_err *err);

/* Says what came of it, unless quiet. */
void td_import_say(const struct td_import_job *job);
