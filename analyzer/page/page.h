/* SPDX-License-Identifier: MIT */
/* Pages that data is put into, made of the files here by embed.py: the stretches between the places where it stands. */
#pragma once

#include <stdio.h>

#include "schema/sql.h"

/* Before tables, between them and the data of the timeline, behind that. Without elements in a
 * program that was built without npm. */
extern const struct td_sql td_timeline_page[];

/* Before the data of a flame graph, and behind it. */
extern const struct td_sql td_flame_page[];

/* Before tables, and behind them. */
extern const struct td_sql td_report_page[];

/* JSON as the text of an element of the page, which no name in it can end. */
void td_page_put_json(const char *json, FILE *out);
