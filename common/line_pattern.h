/* SPDX-License-Identifier: MIT */
/*
 * Lines that say where a program is, found by a POSIX extended regular expression: "Epoch 3/90",
 * "step=120". Each has a name and perhaps a number:
 *
 *     number   the first capture of digits alone; without one the first digits in what matched, behind the name's capture
 *     name     the first other capture that is not empty; without one the last word in front of the number, in what
 *              matched; where there is no number either, all that matched. In small letters.
 */
#pragma once

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

/* Of a line only this much is looked at. */
#define TD_LINE_PATTERN_MAX ((size_t)4096)
#define TD_LINE_NAME_SIZE 64

struct td_line_match {
	char name[TD_LINE_NAME_SIZE];
	bool has_number;
	int64_t number;
	size_t start; /* where in the line the pattern matched */
};

/* 0, or -EINVAL with what is wrong with the expression. regfree() it. */
int td_line_pattern_compile(regex_t *ret, const char *text, struct td_err *err);

/* line: as td_line_clean() has made it. */
bool td_line_pattern_match(const regex_t *pattern, const char *line, struct td_line_match *ret);

/* Copies what is to be looked at of a line, without the colours of a terminal (ESC [ ... letter)
 * and with blanks in place of other control characters. ret is of TD_LINE_PATTERN_MAX + 1 bytes.
 * Returns the length. */
size_t td_line_clean(const char *line, size_t len, char *ret);
