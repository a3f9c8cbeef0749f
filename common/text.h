/* SPDX-License-Identifier: MIT */
/* Text on a terminal: how wide it is, and how to keep it short. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "common/strbuf.h"

/* Columns that valid UTF-8 takes on a terminal: two for East Asian wide characters and emoji, none
 * for combining marks. */
size_t td_text_width(const char *p, size_t len);

/* Adds text cut to at most width columns, with an ellipsis in the place of its middle. */
void td_text_cut(struct td_strbuf *b, const char *p, size_t len, size_t width);

/* As above, but what is at the byte shown_at is seen, too, where there is room for it: by that the
 * text differs from others that read the same when they are cut. */
void td_text_cut_showing(struct td_strbuf *b, const char *p, size_t len, size_t width,
			 size_t shown_at);

/* Writes the words of the text, as many on a line as fit into width columns (a longer one stays
 * whole), and the end of the last line. The first word stands in column at, lines after the first
 * are indented. */
void td_text_wrap(FILE *out, const char *text, size_t at, size_t indent, size_t width);

/* Columns of the terminal that f is, 0 if it is none. */
size_t td_terminal_width(FILE *f);
