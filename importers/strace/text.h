/* SPDX-License-Identifier: MIT */
/*
 * The text of one system call as strace prints it: name(arguments) = result, taken apart with a real
 * scanner for strings, brackets and annotations, so that nothing inside a string is taken for syntax.
 * Everything returned points into the text.
 */
#pragma once

#include "common/scan.h"
#include "common/strbuf.h"
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

/* A name and its '('. Only characters that names of system calls have. */
bool td_strace_scan_name(struct td_scan *s, struct td_str *ret);

/* Arguments and result of the call whose name was just scanned; s is left behind them. Fills in
 * everything but the name. For TD_STRACE_OPEN the last argument is what there is of it. */
enum td_strace_form td_strace_scan_call(struct td_scan *s, struct td_strace_text *ret);

/* ")  = 3</tmp/x> <0.000012>", up to the end of the text. */
bool td_strace_scan_result(struct td_scan *s, struct td_strace_text *ret);

/* The result at the end of a text that begins with something else: the last ')' with a result behind. */
bool td_strace_find_result(struct td_str text, struct td_strace_text *ret);

/* A number: "12", "-1", "0x1f", "[12]"; false if anything but a blank or a bracket follows. */
bool td_strace_number(struct td_str arg, int64_t *ret);

/* Do the arguments of clone or clone3 have this flag: by name, or in the number that -X raw prints? */
bool td_strace_clone_flag(struct td_str args, const char *name, uint64_t bit);

/* A file descriptor with its annotation: "3</tmp/x>(deleted)". AT_FDCWD is none. */
bool td_strace_fd(struct td_str arg, int32_t *ret_fd, struct td_str *ret_note, bool *ret_deleted);

/* The text of the first quoted string in arg: C escapes decoded, into buf where there are any. If that
 * is no valid UTF-8 the escapes stay as they are. False if there is no string. *ret_cut: strace printed
 * only its beginning ("..." follows). */
bool td_strace_string(struct td_str arg, struct td_strbuf *buf, struct td_str *ret, bool *ret_cut);

/* The same for a text without quotes, as in annotations. */
struct td_str td_strace_unescape(struct td_str text, struct td_strbuf *buf);

/* The strings of an array ["a", "b"...] joined by blanks; into buf. */
void td_strace_join_strings(struct td_str arg, struct td_strbuf *buf);

/* Sum of the lengths in an array of buffers, [{iov_base="x", iov_len=1}, ...] or [{"x", 1}]; false if
 * not all of them are printed. */
bool td_strace_sum_lengths(struct td_str arg, int64_t *ret);
