/* SPDX-License-Identifier: MIT */
/* The cells of what nvidia-smi --query-... --format=csv prints. */
#pragma once

#include "common/scan.h"

#define TD_QUERY_COLUMNS_MAX 128

/* The next cell, trimmed; false behind the last one. */
bool td_query_next_cell(struct td_scan *s, struct td_str *ret);

/* "memory.used [MiB]"; the unit has .p NULL if there is none. false: no heading of nvidia-smi's. */
bool td_query_split_heading(struct td_str cell, struct td_str *ret_name, struct td_str *ret_unit);

/* Every cell is a name as nvidia-smi has them, and one at least is nobody else's; it prints ", " between them. */
bool td_query_is_header(const char *line, size_t len);

/* As td_importer.sniff. A document that shows a few lines of such a table is not meant. */
int td_query_sniff(const char *head, size_t len);

/* "[N/A]", "[Not Supported]", "N/A", "ERR!" */
bool td_query_is_missing(struct td_str s);

/* "2024/05/01 10:00:01.250" */
bool td_query_scan_time(struct td_str s, int64_t *ret_ns);

bool td_query_scan_integer(struct td_str s, int64_t *ret);

/* "93 %", "0x0000000000000001", "P8", "Not Active". The unit of the cell has .p NULL if there is none. */
bool td_query_scan_number(struct td_str s, double *ret, struct td_str *ret_unit);
