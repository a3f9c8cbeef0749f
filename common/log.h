/* SPDX-License-Identifier: MIT */
/* Messages to stderr, for cli/ only: libraries return errors (common/err.h), commands print them. */
#pragma once

#include "common/err.h"

enum td_log_level { TD_LOG_ERROR, TD_LOG_WARNING, TD_LOG_INFO };

/* "tracedb: error: ...", coloured on a terminal unless NO_COLOR is set. Returns r. */
int td_log(enum td_log_level level, int r, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Prints err->msg, or the text of errno -r if it is empty. Returns r. */
int td_log_err(int r, const struct td_err *err);

#define td_log_error(r, ...) td_log(TD_LOG_ERROR, r, __VA_ARGS__)
#define td_log_warning(...) td_log(TD_LOG_WARNING, 0, __VA_ARGS__)
#define td_log_info(...) td_log(TD_LOG_INFO, 0, __VA_ARGS__)
