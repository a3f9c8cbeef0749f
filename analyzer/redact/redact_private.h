/* SPDX-License-Identifier: MIT */
/*
 * What a redaction knows of the whole database: who has which pid, which calls tell them, and its
 * strings.
 *
 * A string may be the text of several things, of which not the same becomes: each use of it gets an
 * id of its own, the first one that which it has. The strings are written when all rows that refer
 * to them were seen.
 */
#pragma once

#include <sqlite3.h>

#include "analyzer/redact/texts.h"

#define NKINDS (TD_TEXT_OP + 1)
#define USE_TEMPLATE NKINDS
#define USE_DIRECTORY (NKINDS + 1)
#define NUSES (NKINDS + 2)

/* A string as it is used. */
struct td_string_use {
	int64_t id; /* in the database */
	int64_t new_id;
	int64_t template_id; /* USE_DIRECTORY: of a file in it */
	size_t what; /* an enum td_text_kind, or USE_* */
};

struct td_redaction {
	sqlite3 *from, *to; /* borrowed */
	struct td_names *names; /* owned, as is what follows */
	struct td_strbuf text;
	int64_t nstrings; /* greatest id of a string */
	int64_t new_strings; /* greatest id that was given */
	uint32_t *use_of[NUSES]; /* by id: number of the use, from 1 */
	bool *is_taken; /* by id: some use has it */
	struct td_string_use *uses;
	size_t nuses, uses_cap;
	int64_t *pids; /* sorted */
	size_t npids;
	uint8_t *op_of; /* by op.id: enum op_flag */
	int64_t nops;
	sqlite3_stmt *string; /* text of a string */
	struct td_err *err;
};

enum op_flag { OP_OF_PROCESSES = 1, OP_TELLS_PID = 2 };

void td_redaction_done(struct td_redaction *x);

/* Those that return int give 0 or -errno, with a text in x->err. */
int td_redaction_failed(struct td_redaction *x, sqlite3 *db, int rc);
int td_redaction_prepare(struct td_redaction *x, sqlite3 *db, const char *sql, sqlite3_stmt **ret);
int td_redaction_read_number(struct td_redaction *x, const char *sql, int64_t *ret);

int td_redaction_read_pids(struct td_redaction *x);

/* The new number of a pid; 0: nobody has it. */
int64_t td_redaction_pid(const struct td_redaction *x, int64_t pid);

int td_redaction_read_ops(struct td_redaction *x);

/* The id of a string in the copy, as it is used. template_id: of USE_DIRECTORY. */
int td_redaction_use_string(struct td_redaction *x, int64_t id, size_t what, int64_t template_id,
			    int64_t *ret);

/* The text that a string has in the database, in the place of what ret holds; "" if there is none. */
int td_redaction_text_of_string(struct td_redaction *x, int64_t id, struct td_strbuf *ret);

/* Borrowed. */
struct td_str td_redaction_str(const struct td_strbuf *b);

/* All that are in use, to the copy. */
int td_redaction_write_strings(struct td_redaction *x);
