/* SPDX-License-Identifier: MIT */
/* 'report --compat nsys': reports with the headings, the figures and the layout of 'nsys stats'. */
#pragma once

#include <sqlite3.h>

#include "analyzer/format/format.h"

/* As 'nsys stats -f column' and '-f csv'. Only tables of reports that td_compat_nsys_has(). */
extern const struct td_format td_format_nsys_column;
extern const struct td_format td_format_nsys_csv;

bool td_compat_nsys_has(const char *report);

/* The report's name by the name that it had before nsys 2023 ("cudaapisum"); any other name as it is. */
const char *td_compat_nsys_report(const char *name);

/* Before the tables of a database: exports of nsys before 2023 get the titles of that time. 0 or -errno. */
int td_compat_nsys_db(struct td_writer *w, sqlite3 *db, struct td_err *err);
