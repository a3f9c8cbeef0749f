/* SPDX-License-Identifier: MIT */
/*
 * The text of one system call as strace prints it: name(arguments) = result, taken apart with a real
 * scanner for strings, brackets and annotations, so that nothing inside a string is taken for syntax.
 * Everything returned points into the text.
 */
#pragma once

#include "importers/core/call_args.h"
#include "schema/table.h"

#define TD_STRACE_NARGS 8 /* arguments after the 8th are only in .all */

struct td_strace_text {
	struct td_str name;
	struct td_str all; /* all arguments, without the parentheses */
	struct td_str args[TD_STRACE_NARGS];
	unsigned nargs;
	/* a descriptor with a path, "3</tmp/x>", that the first argument begins with, or {NULL, 0}. Before the call is
	 * scanned: one that an earlier call had, which is not looked through again then */
	struct td_str file;
	bool file_again; /* it is that one */
	int64_t ret; /* -errno on failure, ERESTARTSYS (512) too; TD_NULL for a mere '?' */
	bool unfinished; /* "= ?" and nothing else: the thread is gone, the call did not return */
	struct td_str note; /* what stands in <> behind the result, or {NULL, 0} */
	bool deleted; /* "(deleted)" behind the note */
	struct td_str rest; /* what follows the result: errno text, "(in [3])", "(INJECTED)" */
	int64_t dur_ns; /* TD_NULL without -T */
};

/* Nothing known. The arguments themselves are left as they are: there are nargs of them. */
static inline void td_strace_text_init(struct td_strace_text *t)
{
	const struct td_str none = { NULL, 0 };

	t->name = none;
	t->all = none;
	t->file = none;
	t->file_again = false;
	t->note = none;
	t->rest = none;
	t->nargs = 0;
	t->ret = t->dur_ns = TD_NULL;
	t->unfinished = t->deleted = false;
}

enum td_strace_form {
	TD_STRACE_WHOLE, /* arguments and result are complete */
	TD_STRACE_OPEN, /* the text ends within the arguments */
	TD_STRACE_SPOILT, /* neither: what follows ')' is no result */
};

/* Arguments and result of the call whose name was just scanned; s is left behind them. Fills in
 * everything but the name. For TD_STRACE_OPEN the last argument is what there is of it. */
enum td_strace_form td_strace_scan_call(struct td_scan *s, struct td_strace_text *ret);

/* ")  = 3</tmp/x> <0.000012>", up to the end of the text. */
bool td_strace_scan_result(struct td_scan *s, struct td_strace_text *ret);

/* The result at the end of a text that begins with something else: the last ')' with a result behind. */
bool td_strace_find_result(struct td_str text, struct td_strace_text *ret);
