/* SPDX-License-Identifier: MIT */
#pragma once

#include "analyzer/format/format.h"

/* Rows as INSERT statements of SQLite, into the table that td_writer_table() is told the name of;
 * the first one makes it before, without types, the other takes it as there. */
extern const struct td_format td_format_sql;
extern const struct td_format td_format_sql_rows;
