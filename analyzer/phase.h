/* SPDX-License-Identifier: MIT */
/* What it means to ask a report for a phase: whether the clocks tell what was in it, and of which runs it is. */
#pragma once

#include <sqlite3.h>

#include "analyzer/report_file.h"
#include "common/err.h"
#include "common/strbuf.h"

/* Can what the report is made of be told to have happened in the phase? 0; 1 and words in missing if a clock is known
 * less well than the phase is long; or -errno. A report that goes by clock_doubt itself is not asked. */
int td_phase_check(sqlite3 *db, const struct td_report *rep, const char *phase,
		   struct td_strbuf *missing, struct td_err *err);

/* Adds a line to notes if there are several runs with such a phase, all of which are shown. 0 or -errno. */
int td_phase_note(sqlite3 *db, const char *phase, struct td_strbuf *notes, struct td_err *err);
