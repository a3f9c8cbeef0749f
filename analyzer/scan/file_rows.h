/* SPDX-License-Identifier: MIT */
/* The rows of table `file`, of which there can be a million: from its pages, or by SQL where that cannot be done. */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/scan/leaves.h"
#include "common/err.h"

/* Not ended by a NUL; text NULL: there is none. */
struct td_file_text {
	const char *text; /* borrowed, until the function that it is handed to returns */
	size_t len;
};

struct td_file_row {
	int64_t id, directory_id, template_id, device, class_known,
		truncated; /* TD_NULL: unknown */
	struct td_file_text path, name, path_basis, class, root;
};

/* Calls fn with each row. Where the pages turn out not to be what they should, SQL begins with the
 * first row again. 0, what fn returned if that is negative, or -errno with a message. */
int td_file_rows_read(sqlite3 *db, int (*fn)(void *arg, const struct td_file_row *row), void *arg,
		      struct td_err *err);

/* The same from the leaves of the table alone: 0, what fn returned if that is negative, -EOPNOTSUPP
 * if the pages are not what they should be, or -errno. */
int td_file_rows_of_leaves(const struct td_leaves *l,
			   int (*fn)(void *arg, const struct td_file_row *row), void *arg);

/* The row that a statement that begins with these columns is at. */
#define TD_FILE_ROW_COLUMNS                                                                        \
	"id, directory_id, template_id, device, path, name, class, class_known, truncated, "       \
	"path_basis, root"
struct td_file_row td_file_row_of(sqlite3_stmt *s);

/* Is it the text? */
bool td_file_text_is(struct td_file_text a, const char *b);

/* Whether calls on a file of that class wait for somebody, as in the view waited_file. */
bool td_file_class_waits(struct td_file_text class);
