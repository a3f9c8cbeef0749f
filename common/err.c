/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/err.h"

int td_err_set(struct td_err *err, int r, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return r;
	va_start(ap, fmt);
	(void)vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	return r;
}

int td_err_errno(struct td_err *err, int r, const char *fmt, ...)
{
	char buf[128];
	size_t n;
	va_list ap;

	if (!err)
		return r;
	va_start(ap, fmt);
	(void)vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	n = strlen(err->msg);
	(void)snprintf(err->msg + n, sizeof(err->msg) - n, ": %s",
		       strerror_r(-r, buf, sizeof(buf)));
	return r;
}
