/* SPDX-License-Identifier: MIT */
/* What a reader has to know about the data besides the results: lines of text, each said once. */
#pragma once

#include "analyzer/format/output.h"
#include "common/strbuf.h"

/* What is said where td_sums_overflowed(). */
#define TD_NOTE_OVERFLOWED                                                                         \
	"a sum is larger than 64 bits hold: 9223372036854775807 stands for it, and what follows "  \
	"from it is not right\n"

/* Adds those lines of text that are not there yet, nor within a line that lists more ("events lost:
 * 3 in a.out, 4 in b.out"), and takes those away that are within them. A failure is
 * td_strbuf_error()'s. */
void td_notes_add(struct td_strbuf *notes, const char *text);

/* Below the results in formats for people, else as warnings with the path of the database. 0 or -errno. */
int td_notes_put(struct td_output *out, const char *path, const char *notes);
