/* SPDX-License-Identifier: MIT */
/* SQL files that are built into the program (schema/sql2c.py). */
#pragma once

struct td_sql {
	const char *name; /* file name without .sql; NULL: the end of the array */
	const char *text;
};

extern const struct td_sql td_schema_sql[]; /* in the order in which they have to run: views last */
