/* SPDX-License-Identifier: MIT */
/* Which files the rows of each group are on, and for how long: how many there are, and which one took most time. */
#pragma once

#include "analyzer/scan/source.h"

struct td_file_time {
	int64_t ns; /* TD_NULL: no row of it had a duration */
	uint32_t file;
};

/* Of a group. Now and then what there is of a file is put together, so that there are not many more than files. */
struct td_file_times {
	struct td_file_time *items; /* owned */
	size_t n, cap;
};

struct td_busiest {
	struct td_file_times *lists; /* owned; of each group */
	size_t n, cap;
	uint32_t *places; /* owned; of each file from 1, while a list is put together; else 0 */
	/* Where a file can be in one group only, in place of lists: */
	int64_t *sums; /* owned; of each file that has one; NULL: files can be in several */
	uint32_t *groups; /* owned; of each file from 1; 0: no row was on it */
	uint64_t last_file;
};

/* Of a group. */
struct td_busiest_file {
	int64_t files; /* known ones */
	int64_t file; /* of those with most time the first one; TD_NULL: none is known */
	int64_t ns; /* its time; TD_NULL: no row of it had a duration */
};

/* last_file: the greatest id of a file; greater ones are not known. of_one: all rows on a file are of
 * the same group. 0 or -ENOMEM. */
int td_busiest_init(struct td_busiest *b, uint64_t last_file, bool of_one);
void td_busiest_done(struct td_busiest *b);

/* From now on there are so many groups, not fewer than before. 0 or -ENOMEM. */
int td_busiest_resize(struct td_busiest *b, size_t ngroups);

/* Rows of a batch, each of its group. 0 or -ENOMEM. */
int td_busiest_add(struct td_busiest *b, const struct td_row_batch *batch, const uint16_t *rows,
		   const uint32_t *groups, size_t n);

/* Adds the groups of another: groups[i] is what its group i is here. 0 or -ENOMEM. */
int td_busiest_merge(struct td_busiest *b, const struct td_busiest *from, const uint32_t *groups);

/* Of each group, for who frees it; NULL: out of memory. */
struct td_busiest_file *td_busiest_of_all(struct td_busiest *b);

/* Adds what a further file is to what is known of the others. */
void td_busiest_file_add(struct td_busiest_file *to, int64_t file, int64_t ns);
