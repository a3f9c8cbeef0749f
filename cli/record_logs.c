/* SPDX-License-Identifier: MIT */
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/record_logs.h"
#include "common/caldate.h"

static void say_missing(const char *path, const char *database, const char *why)
{
	td_log_warning("no phases of '%s': %s; 'tracedb import -o %s --append %s' adds them when "
		       "it is whole",
		       path, why, database, path);
}

bool td_record_log_is_there(const char *path, const char *database, int64_t begin_ns, bool quiet)
{
	const char *why = NULL;
	struct stat st;

	if (stat(path, &st) < 0)
		why = errno == ENOENT ? "there is no such file" : strerror(errno);
	else if (S_ISREG(st.st_mode) && st.st_size == 0)
		why = "it is empty";
	if (why && !quiet)
		say_missing(path, database, why);
	if (why)
		return false;
	/* file systems take the time from a clock that goes in ticks */
	if (!quiet && S_ISREG(st.st_mode) &&
	    st.st_mtim.tv_sec * TD_SEC_NS + st.st_mtim.tv_nsec + TD_SEC_NS < begin_ns)
		td_log_warning("'%s' was not written to during the recording: is it the log of "
			       "another run?",
			       path);
	return true;
}
