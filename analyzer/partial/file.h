/* SPDX-License-Identifier: MIT */
/*
 * Partials as files: text in one zstd frame with a checksum, so that anybody can look at what
 * leaves a machine (zstdcat). A line each:
 *
 *     {"tracedb_partial":3,...}       the head (analyzer/partial/head.c)
 *     "/data/a.npy"                   texts, in the order of their bytes; cells below say 1 for the first
 *     [4,17,3,...]                    rows: number of the table (enum td_partial_table), then its cells
 *     [14,17,9,null,3,0,5120,...,[130,2,1,7]]
 *                                     groups of question 0, then 15 of question 1 ...: a cell for each dim, then the sums (enum td_sum, those
 *                                     that the question needs), then the histograms of durations and sizes, as far as it needs them:
 *                                     bucket, count, distance to the next bucket, count, ...
 *     {"rows":2}                      the end
 *
 * The same partial gives the same bytes, whatever it was put together from and in which order.
 */
#pragma once

#include <stdio.h>

#include "analyzer/partial/partial.h"

/* p: sorted (td_partial_sorted()). 0 or -errno. */
int td_partial_write(const struct td_partial *p, FILE *out);

/* From memory, unpacked. 0; -EBADMSG with a message: it is damaged or no partial; -EPROTONOSUPPORT
 * with one: of another version. */
int td_partial_parse(const char *text, size_t len, struct td_partial **ret, struct td_err *err);

/* From a file. Messages do not name it. */
int td_partial_read(const char *path, struct td_partial **ret, struct td_err *err);

/* Does the file begin as a partial does? */
bool td_partial_is(const char *path);
