/* SPDX-License-Identifier: MIT */
/* What happens to each column of the schema when a database is redacted: one table, in which every
 * column of type TEXT stands, and of the others those whose numbers do not stay. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/redact/texts.h"

enum td_column_how {
	TD_HOW_SAME, /* integers and reals that are not in the table */
	TD_HOW_TEXT, /* .text says what becomes of it */
	TD_HOW_PID, /* numbered again, in their order; 0 stays */
	TD_HOW_RET, /* the result of a call, which may be a pid */
	TD_HOW_NUMBER, /* another number, by the key */
	TD_HOW_STRING, /* id of a string, of which .text says what becomes */
	TD_HOW_ARGS, /* the same of a call's arguments: those of calls about processes are words */
	TD_HOW_TEMPLATE, /* id of the template of a file */
	TD_HOW_DIRECTORY, /* id of its directory */
	TD_HOW_FILE_PATH, /* its path, with the file's template */
	TD_HOW_FILE_NAME,
	TD_HOW_KEY, /* file_stat.key_id, file_hist.key_id, bucket_stat.key_id: by says of what */
	TD_HOW_SUMMARY, /* summary.key, which may begin with a pid */
	TD_HOW_APART, /* the table is made otherwise */
	TD_HOW_NO_ROWS, /* the table stays empty */
};

struct td_redact_column {
	const char *table, *column;
	enum td_column_how how;
	enum td_text_kind text;
};

/* NULL: it is not in the table. */
const struct td_redact_column *td_redact_column_find(const char *table, const char *column);
