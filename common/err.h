/* SPDX-License-Identifier: MIT */
/*
 * Errors. Every function that can fail returns 0 or a documented positive outcome, or a negative
 * errno. Where the number alone would not tell the user what to do, the function also takes a
 * struct td_err and fills it; the command that called it prints it, once.
 */
#pragma once

#include <stdarg.h>

struct td_err {
	char msg[1024]; /* empty: nothing more to say than strerror() */
};

/* Stores the message and returns r, so that a failure is one expression:
 *     return td_err_set(err, -EINVAL, "'%s': line %zu: not a number", path, line);
 * err may be NULL. Messages are lower case, without full stop, name the file and the remedy. */
int td_err_set(struct td_err *err, int r, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* As td_err_set(), followed by ": " and the text of errno -r. */
int td_err_errno(struct td_err *err, int r, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
