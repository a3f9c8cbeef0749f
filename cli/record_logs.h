/* SPDX-License-Identifier: MIT */
/* Logs of the command (record --log), which are imported with the recording. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Can the log be imported, now that the recording is over, which began at begin_ns
 * (CLOCK_REALTIME)? Says why not, and of one that can be what is doubtful; quiet: nothing.
 * database: where its phases are missing then. */
bool td_record_log_is_there(const char *path, const char *database, int64_t begin_ns, bool quiet);
