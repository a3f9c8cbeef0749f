/* SPDX-License-Identifier: MIT */
/*
 * The one line at the bottom of a terminal that says how far a program is. It is on stderr, is
 * replaced by the next one and erased before a message (common/log.h), which would be glued to it.
 * For one thread.
 */
#pragma once

#include <stdbool.h>

/* Is stderr a terminal that knows how to erase a line? */
bool td_status_possible(void);

/* Shows text, cut to the terminal's width, in place of what is shown. Only where td_status_possible(). */
void td_status_show(const char *text);

/* Nothing, if none is shown. */
void td_status_erase(void);
