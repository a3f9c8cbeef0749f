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

/* Is it to be opened as an archive? Who names a file wants it opened; what is found may be .npz or .docx, which are
 * zips, too. Nothing of the stream is consumed. */
bool td_is_archive(const char *path, bool named, struct td_stream *in);

/* Is it the spool of a recording that goes on? tracedb-record has its file locked while it writes. */
bool td_is_recorded_to(const char *path);

#define TD_STILL_RECORDING "still recording: import it when that is over"

/* Counts in job what comes of the inputs, and logs what is wrong with them, which is not an error.
 * 0 or -errno: disk, memory, command line. */
int td_read_inputs(struct td_import_job *job, struct td_store *st, const struct td_input *inputs,
		   size_t n, struct td_err *err);
