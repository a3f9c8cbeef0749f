/* SPDX-License-Identifier: MIT */
/* Times and sizes as people write and read them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define TD_UNITS_BUF 32 /* enough for every td_format_*() below */

/* A duration in ns from a number with a unit: ns, us (or the micro sign), ms, s, m or min, h, d. Decimals
 * ("1.5s"), blanks before the unit and sums ("1h30m") are fine; what is below 1 ns is dropped. A bare
 * number counts in units of bare_ns nanoseconds, 1 for ns.
 * 0, -EINVAL if it is something else, -ERANGE beyond 2^63-1 ns (292 years). */
int td_parse_duration(const char *text, int64_t bare_ns, int64_t *ret_ns);

/* A size in bytes, upper and lower case alike: k, m, g, t and kib, mib, gib, tib are powers of 1024
 * (as for dd), kb, mb, gb, tb powers of 1000 (SI); b or nothing is bytes.
 * Otherwise as td_parse_duration(). */
int td_parse_size(const char *text, int64_t *ret_bytes);

/* The following write to buf, cut to size, and return it. */

/* Three digits and a unit, powers of 1000: "512 B", "1.23 MB", "40.0 kB"; a power of two, which is
 * a size that somebody chose, as it was meant: "4 KiB", "128 KiB", "1 MiB". */
char *td_format_bytes(char *buf, size_t size, int64_t bytes);

/* Three digits and a unit below a minute: "1 ns", "1.23 us", "12.3 ms", "2.50 s"; then two units:
 * "1m05s", "1h02m", "3d04h". */
char *td_format_dur(char *buf, size_t size, int64_t ns);

/* A time from the begin of something, to the millisecond: "12.345s", "17m50.123s", "26h05m00.000s",
 * "-0.005s". td_parse_duration() reads it, but for the sign. */
char *td_format_offset(char *buf, size_t size, int64_t ns);

/* "-1,234,567" */
char *td_format_count(char *buf, size_t size, int64_t n);
