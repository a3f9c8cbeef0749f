/* SPDX-License-Identifier: MIT */
/* Headings and values as people like to read them, for the formats 'table' and 'md'. */
#pragma once

#include "analyzer/format/format.h"
#include "common/strbuf.h"

/* Adds the heading of a column: its name without the unit, as words ("total_ns" is "Total"); with the
 * unit where all of the column's times are in one ("Total (ms)"). What it is, is said if
 * columns were the same without ("Read", "Read bytes" and "Read time"). */
void td_cell_heading(struct td_strbuf *b, const struct td_table_head *head, size_t column,
		     enum td_timeunit timeunit);

/* Is the time one without a date, in a run that has one? How far it is from the begin, nobody knows: it is shown as
 * its source has it. */
bool td_cell_is_apart(const struct td_table_head *head, int64_t ts_ns);

/* Adds the value of a column, with the mark that the damage of the table's data gives it: ">=12.3 ms". */
void td_cell_of(struct td_strbuf *b, const struct td_table_head *head, size_t column,
		const struct td_cell *value, enum td_timeunit timeunit);

/* Adds the value: "12.3 ms", "1.23 GB", "1,234", "2022-08-28T05:16:14.740Z", "12.3%", '-' for NULL.
 * Control characters and invalid UTF-8 are made visible. */
void td_cell_value(struct td_strbuf *b, const struct td_cell *value, enum td_unit unit,
		   enum td_timeunit timeunit);
