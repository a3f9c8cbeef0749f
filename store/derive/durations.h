/* SPDX-License-Identifier: MIT */
/*
 * Exact percentiles of many groups at once. Durations come in any order, each with the number of its
 * set; sets are disjoint, and a group is a union of sets (all calls of an operation = those of every
 * process and file). 4 bytes a duration wait for the last one, in chunks of one set each: up to 32 MiB in
 * memory, else in a temporary file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cleanup.h"
#include "common/histogram.h"
#include "common/strbuf.h"
#include "schema/stat_math.h"

struct td_durations;

/* Stands for a duration of 4.29 s or more, which is in a list of its own. */
#define TD_DURATION_LARGE UINT32_MAX

/* Durations lie in lines, each of them a cache line. */
#define TD_DURATION_CELLS 16
struct td_duration_line {
	_Alignas(64) uint32_t cells[TD_DURATION_CELLS];
};

_Static_assert(sizeof(struct td_duration_line) == 64, "a line is a cache line");

/* Where the durations of a set go; whoever has the set keeps it. Zeroed: none has come yet. */
struct td_duration_list {
	uint32_t line; /* the one in use, of td_durations_lines() */
	uint8_t line_of_chunk; /* the how many-th of its chunk that is, from 0 */
	uint8_t n; /* so many cells of it are taken; 0: there is no line */
};

/* path: temporary file, borrowed. */
int td_durations_new(const char *path, struct td_durations **ret);
void td_durations_free(struct td_durations *d);

/* All lines, at the same place until td_durations_sort(). */
struct td_duration_line *td_durations_lines(const struct td_durations *d);

/* May a short duration be put by td_durations_put()? */
static inline bool td_durations_room(const struct td_duration_list *list)
{
	return list->n % TD_DURATION_CELLS != 0;
}

static inline void td_durations_put(struct td_duration_line *lines, struct td_duration_list *list,
				    uint32_t dur_ns)
{
	lines[list->line].cells[list->n++] = dur_ns;
}

/* dur_ns >= 0; before: so many of the set came before. 0, -ENOMEM, or 1: memory is full, and the same call
 * succeeds after td_durations_close() of all lists and td_durations_spill(). */
int td_durations_add(struct td_durations *d, uint32_t set, struct td_duration_list *list,
		     uint64_t before, int64_t dur_ns);

/* Nothing is in progress in the list any more; what is added later begins elsewhere. */
void td_durations_close(struct td_durations *d, struct td_duration_list *list);

/* Writes what is in memory to the file. 0, -ENOMEM or -errno. */
int td_durations_spill(struct td_durations *d);

/* After the last one, all lists closed. counts[set] for set < nsets: how many were added. */
int td_durations_sort(struct td_durations *d, const uint64_t *counts, size_t nsets);

/* The ranks[i]-th smallest duration (from 1) of the union of sets goes to ret[i]; the ranks must not
 * exceed the number of durations. Several threads may ask at a time. 0 or -ENOMEM. */
int td_durations_ranks(const struct td_durations *d, const uint32_t *sets, size_t nsets,
		       const uint64_t *ranks, int64_t *ret, size_t n);

/* How many durations of the union of sets there are of which size, as bytes (td_histogram_pack()),
 * added to to. c counts them: zeroed at first, and nothing is in it afterwards, unless memory is
 * short. 0; 1: not all durations were kept, and nothing is added; -ENOMEM. Several threads may ask
 * at a time, with counts of their own. */
int td_durations_pack(const struct td_durations *d, const uint32_t *sets, size_t nsets,
		      struct td_histogram_count *c, struct td_strbuf *to);
