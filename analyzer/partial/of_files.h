/* SPDX-License-Identifier: MIT */
/* Files that a report looks at rows of: those that its head names (files), in one database. */
#pragma once

#include "analyzer/args.h"
#include "analyzer/report_file.h"
#include "analyzer/scan/dims.h"

/* Sets ids of files to 1; rep->files is not "". 0, or -errno with a message. */
int td_partial_of_files(sqlite3 *db, const struct td_report *rep, const struct td_arg *args,
			size_t nargs, struct td_key_map *ret, struct td_err *err);
