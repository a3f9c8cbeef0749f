/* SPDX-License-Identifier: MIT */
/* What is inside the importer core: for importers/import*.c, nobody else. */
#pragma once

#include "common/stream.h"
#include "importers/import.h"
#include "importers/ticks.h"

/* What the core keeps about the source being read. */
struct td_import_core {
	const struct td_importer *importer;
	struct td_stream *in; /* borrowed */
	struct td_progress *progress; /* borrowed; NULL: none */
	struct td_stage *stages[TD_NKINDS]; /* borrowed from the store */
	struct td_ticks ticks; /* readings of the wall clock */
	const char *copy_path; /* borrowed; the name of an unpacked copy, NULL: none */
	const char *line; /* current one, for issues */
	size_t line_len;
	bool line_repaired;
	bool line_refused; /* a row of it was not stored */
	uint64_t lines, rows, skipped, issues, repaired;
	uint64_t open, open_no; /* lines of which it is not known yet, and the first of them */
	int64_t first_ns, last_ns; /* native */
	int64_t tod_last_ns; /* of td_import_unwrap_tod() */
	int64_t tod_day_ns;
	int error; /* of a function that cannot return one */
};

/* Replaces the text, NULL: by none. 0 or -ENOMEM. */
int td_import_set_text(char **p, const char *text);

/* Has the importer read the line. 0 or -errno. */
int td_import_line(struct td_import *imp, const struct td_line *line);
