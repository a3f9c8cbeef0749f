/* SPDX-License-Identifier: MIT */
/* Some of the columns of a table, in an order of one's own. */
#pragma once

#include "analyzer/format/format.h"

struct td_choice {
	struct td_table_head head; /* as of the table, but for the columns */
	struct td_report_column *columns; /* of it; owned */
	size_t *from; /* for each: which column of the table it is; owned */
	struct td_cell *values; /* of a row; owned */
};

/* Does a table with these columns have all of names, which are separated by commas (NULL: fine)? 0,
 * -EINVAL with a message, or -ENOMEM. */
int td_choice_check(const char *names, const struct td_report_column *columns, size_t ncolumns,
		    struct td_err *err);

/* Is the column one of names? With NULL all are. */
bool td_choice_has(const char *names, const char *column);

/* Names that the table does not have are left out. head is borrowed. 0 or -ENOMEM. */
int td_choice_new(const char *names, const struct td_table_head *head, struct td_choice **ret);

/* Those that are not for programs only. */
int td_choice_for_people(const struct td_table_head *head, struct td_choice **ret);
void td_choice_free(struct td_choice *c);
TD_DEFINE_CLEANUP(struct td_choice *, td_choice_free)

/* Those of a row's values. They are the choice's, until the next row. */
const struct td_cell *td_choice_of(struct td_choice *c, const struct td_cell *values);
