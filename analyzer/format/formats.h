/* SPDX-License-Identifier: MIT */
/* The formats, for the table in format.c, and what several of them share. */
#pragma once

#include "analyzer/format/format.h"
#include "common/strbuf.h"

extern const struct td_format td_format_table;
extern const struct td_format td_format_csv;
extern const struct td_format td_format_tsv;
extern const struct td_format td_format_json;
extern const struct td_format td_format_ndjson;
extern const struct td_format td_format_md;
extern const struct td_format td_format_html;

/* A number as it is: integers in decimal, others with 15 digits, as the sqlite3 shell shows them. */
#define TD_NUMBER_BUF 40
const char *td_format_number(char *buf, size_t size, const struct td_cell *value);

/* Adds the value as JSON: numbers as they are, text as a string. */
void td_json_add_cell(struct td_strbuf *b, const struct td_cell *value);
