/* SPDX-License-Identifier: MIT */
/* Text of others, such as a file name, for a terminal: nothing in it is a command, or passes for other text. */
#pragma once

#include <stdint.h>

#include "common/strbuf.h"

/* Is it a control character, or one that turns the direction of writing or begins a line? */
bool td_acts_on_terminal(uint32_t cp);

/* Adds the text, with control characters as escapes ("\n", "\x1b"), and bytes that are not UTF-8 and characters that
 * turn the direction of writing as U+FFFD. */
void td_printable(struct td_strbuf *b, const char *p, size_t len);
