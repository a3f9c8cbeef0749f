/* SPDX-License-Identifier: MIT */
/* How a bpftrace program is read: bpftrace/tokens.c makes words of it, bpftrace/program.c finds what is
 * printed, bpftrace/columns.c makes rows of a layout from that, and bpftrace/meaning.c knows what an
 * expression or a name means. */
#pragma once

#include "common/cleanup.h"
#include "common/scan.h"
#include "common/strbuf.h"
#include "importers/bpftrace/layout.h"

enum td_token_type { TD_TOKEN_WORD, TD_TOKEN_NUMBER, TD_TOKEN_STRING, TD_TOKEN_PUNCT };

struct td_token {
	enum td_token_type type;
	struct td_str s; /* a string without its quotes, escapes as they stand */
	unsigned line;
};

struct td_tokens {
	struct td_token *items; /* owned */
	size_t n, cap;
};

/* A run of tokens: an argument, the right side of an assignment. */
struct td_expr {
	const struct td_token *t;
	size_t n;
};

/* $name = expr, @name[...] = expr */
struct td_assignment {
	struct td_str name;
	struct td_expr expr;
};

struct td_assignments {
	struct td_assignment *items; /* owned */
	size_t n, cap;
};

/* What a printed expression is. */
struct td_meaning {
	const char *word; /* as in td_layout_row.args, static; NULL: not known */
	int64_t scale; /* printed value times this is in ns or bytes */
	bool relative; /* a time since the start of bpftrace (elapsed) */
};

static inline bool td_token_is(const struct td_token *t, const char *text)
{
	return t->type != TD_TOKEN_STRING && td_str_eq(t->s, text);
}

/* The program in tokens, without comments and preprocessor lines. 0, -ENOMEM, or -EINVAL with the line in
 * err. The tokens point into the text. */
int td_tokens_scan(struct td_tokens *tokens, const char *p, const char *end, const char *name,
		   struct td_err *err);

/* The character at s->p of a string, escapes resolved; advances. */
char td_token_unescape(struct td_scan *s);

/* Index of the bracket that closes the one at t[at], or n. */
size_t td_token_close(const struct td_token *t, size_t n, size_t at);

/* What the expression is by itself; assigned: the program's maps and the probe's variables. */
bool td_expr_meaning(const struct td_assignments *assigned, struct td_expr e,
		     struct td_meaning *ret);

/* What a column header ("LAT (us)", "R/W") or the name of a map ("@vr_fn") says. */
bool td_name_meaning(struct td_str name, struct td_meaning *ret);

struct td_program_header {
	const char *text; /* blanks collapsed; owned by the layout set */
	size_t first_name, nnames; /* in program.names */
};

/* A column of the row that is being read. */
struct td_program_column {
	char type; /* of the conversion: s, d, x ...; 'T': the time of day */
	struct td_expr expr;
	struct td_meaning meaning;
};

struct td_program {
	const char *name; /* of the file, for messages */
	struct td_layout_set *set;
	struct td_err *err;
	struct td_tokens tokens;
	struct td_assignments assigned;
	struct td_program_header *headers;
	size_t nheaders, headers_cap;
	struct td_str *names; /* column names of the headers */
	size_t nnames, names_cap;
	struct td_layout_row *rows;
	size_t nrows, rows_cap;
	bool timed, relative; /* a row has a time stamp; since the start of bpftrace */
	unsigned timeless_line; /* where an event is printed without one; 0: nowhere */
	/* of the probe and the line being read */
	struct td_str probe;
	bool in_begin;
	struct td_strbuf text; /* format of a row, or a header */
	size_t first_name;
	struct td_program_column columns[TD_PATTERN_MAX_OPS];
	size_t ncolumns;
	unsigned line;
};

/* Sets err to the message with the line being read; -EINVAL. */
int td_program_bad(struct td_program *g, const char *what);

/* The text up to a newline, or to the end of the probe, is complete: makes a row of it. 0 or -errno. */
int td_program_end_row(struct td_program *g);
