/* SPDX-License-Identifier: MIT */
/*
 * Names and arguments of system calls as tracers print them that follow strace, taken apart. Everything returned points
 * into the text, or into the buffer given.
 */
#pragma once

#include "common/scan.h"
#include "common/strbuf.h"

/* A name and its '('. Only characters that names of system calls have. */
bool td_arg_scan_call_name(struct td_scan *s, struct td_str *ret);

/* Behind the number that the text begins with, octal for umask, or NULL if it is none; "?" is TD_NULL. */
const char *td_arg_scan_value(const char *p, const char *end, int64_t *ret);

/* A number: "12", "-1", "0x1f", "[12]"; false if anything but a blank or a bracket follows. */
bool td_arg_number(struct td_str arg, int64_t *ret);

/* Do the arguments of clone or clone3 have this flag: by name, or in the number that -X raw prints? */
bool td_arg_clone_flag(struct td_str args, const char *name, uint64_t bit);

/* A file descriptor with its annotation: "3</tmp/x>(deleted)". AT_FDCWD is none. */
bool td_arg_fd(struct td_str arg, int32_t *ret_fd, struct td_str *ret_note, bool *ret_deleted);

/* Behind the string whose first quote is at p, or NULL if it does not end. */
const char *td_arg_skip_string(const char *p, const char *end);

/* The text of the first quoted string in arg: C escapes decoded, into buf where there are any. If that
 * is no valid UTF-8 the escapes stay as they are. False if there is no string. *ret_cut: strace printed
 * only its beginning ("..." follows). */
bool td_arg_string(struct td_str arg, struct td_strbuf *buf, struct td_str *ret, bool *ret_cut);

/* The same for a text without quotes, as in annotations. */
struct td_str td_arg_unescape(struct td_str text, struct td_strbuf *buf);

/* The strings of an array ["a", "b"...] joined by blanks; into buf. */
void td_arg_join_strings(struct td_str arg, struct td_strbuf *buf);

/* Sum of the lengths in an array of buffers, [{iov_base="x", iov_len=1}, ...] or [{"x", 1}]; false if
 * not all of them are printed. */
bool td_arg_sum_lengths(struct td_str arg, int64_t *ret);
