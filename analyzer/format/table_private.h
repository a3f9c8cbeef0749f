/* SPDX-License-Identifier: MIT */
/* Shared by format/table.c and format/table_page.c, which lays out a page that is wider than the terminal. */
#pragma once

#include "analyzer/format/format.h"
#include "common/strbuf.h"

/* Why a column is not shown. */
enum left_out { SHOWN, SAME, EMPTY, NO_ROOM };

struct td_table_column {
	size_t width;
	size_t full; /* the width that it would need */
	bool numbers; /* some cell is a number... */
	bool texts; /* ...or a text */
	bool varies; /* some cell reads otherwise than the first one */
	enum left_out why;
};

struct td_table_state {
	struct td_strbuf cells; /* one after the other, row by row; the headings first */
	size_t *ends; /* where each ends in cells */
	size_t nends, ends_cap;
	struct td_table_column *columns;
	struct td_strbuf hidden; /* a cell of a row that is not shown */
	double total, total_shown; /* of the column head->total */
	bool flushed;
};

/* Where cell i begins, which is column i % ncolumns of row i / ncolumns, the headings being row 0;
 * *ret_len: how long it is. */
const char *td_table_cell(const struct td_table_state *s, size_t i, size_t *ret_len);

/* Writes the text, bold if there are colours. */
void td_table_bold(struct td_writer *w, const char *text, size_t len);

/* A page of sections, each of rows of texts: what is in the first column stands above those that
 * share it, and what is in the last one behind the others or, where there is no room, below them.
 * For rows of three texts or more that are all kept; 0 or -ENOMEM. */
int td_table_sections(struct td_writer *w);
