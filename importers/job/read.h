/* SPDX-License-Identifier: MIT */
/* The inputs of an import, read into the store one after the other; archives are opened. */
#pragma once

#include "importers/job/job.h"

struct td_input {
	char *path; /* to open */
	char *name; /* for source.path */
	int64_t size_bytes; /* -1: not a regular file */
	bool named; /* given on the command line, not found in a folder */
};

/* Counts in job what comes of the inputs, and logs what is wrong with them, which is not an error.
 * 0 or -errno: disk, memory, command line. */
int td_read_inputs(struct td_import_job *job, struct td_store *st, const struct td_input *inputs,
		   size_t n, struct td_err *err);
