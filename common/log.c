/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "common/printable.h"
#include "common/status_line.h"

static const struct {
	const char *label;
	const char *colour;
} levels[] = {
	[TD_LOG_ERROR] = { "error: ", "\033[1;31m" },
	[TD_LOG_WARNING] = { "warning: ", "\033[1;33m" },
	[TD_LOG_INFO] = { "", "" },
};

int td_log(enum td_log_level level, int r, const char *fmt, ...)
{
	_cleanup_(td_strbuf_done) struct td_strbuf clean = TD_STRBUF_INIT;
	_cleanup_free_ char *text = NULL;
	const char *no_color = getenv("NO_COLOR");
	bool colour = isatty(STDERR_FILENO) && (!no_color || !*no_color) && *levels[level].colour;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	td_printable(&clean, text ? text : fmt, strlen(text ? text : fmt));
	td_status_erase();
	fprintf(stderr, "tracedb: %s%s%s%s\n", colour ? levels[level].colour : "",
		levels[level].label, colour ? "\033[0m" : "", td_strbuf_str(&clean));
	return r;
}

int td_log_err(int r, const struct td_err *err)
{
	char buf[128];

	return td_log_error(r, "%s", err->msg[0] ? err->msg : strerror_r(-r, buf, sizeof(buf)));
}
