/* SPDX-License-Identifier: MIT */
/* Shared by derive/calls.c and derive/bins.c, which collect, and derive/groups.c, which sums up and writes. */
#pragma once

#include "store/derive/calls.h"
#include "store/derive/durations.h"
#include "schema/ops.h"
#include "schema/stat_math.h"
#include "store/store.h"

/* What is summed up for a group of combos. */
struct td_sums {
	int64_t min_ns, max_ns; /* of the timed ones */
	int64_t first_ns, last_ns;
	int64_t min_bytes, max_bytes; /* TD_NULL: none */
	uint64_t sequential, random;
	uint64_t calls, errors, timed, unfinished;
	int64_t done_bytes; /* TD_NULL: no call had a byte count */
	int64_t total_ns; /* of the timed ones */
	unsigned __int128 squares; /* sum of squares of durations: exact, so the deviation is */
};

/* Bytes of a cache line. */
#define TD_CACHE_LINE 64

/* How many transfers fall into a few size buckets, all of which can be looked for at once: most combos have
 * one or two sizes, but some of the busiest have many. */
#define TD_SIZES_EACH 8
#define TD_SIZES_FREE 0xff
struct td_size_counts {
	uint8_t buckets[TD_SIZES_EACH]; /* TD_SIZES_FREE behind the last one */
	uint32_t calls[TD_SIZES_EACH];
	uint32_t next; /* in td_calls.sizes, from 1; 0: the last one */
	uint32_t unused[5]; /* so that it is a cache line */
};

_Static_assert(sizeof(struct td_size_counts) == TD_CACHE_LINE, "none lies in two lines");

/* All calls of one process on one file with one operation, nested or not. Every group is a union of
 * combos. A run may touch a million files, so this is kept small: what few combos have is beside it.
 *
 * Calls visit combos in no order, so what counts is how many cache lines a call changes. What a call must
 * change comes first. Durations only go to their list: they are summed up a line of it at a time, and at the end of
 * the bin. What the time bin and the sums have in common is counted once and goes to both when the bin is over. */
struct td_combo {
	_Alignas(TD_CACHE_LINE) uint32_t process_id;
	uint32_t file_id;
	uint16_t op_id;
	bool nested;
	uint8_t summed; /* cells of the line of durations in use that are summed up, or are no durations */
	uint32_t sizes; /* the first of its list in td_calls.sizes, from 1; 0: none */
	uint32_t
		bin_calls; /* of the current bin, and not in calls yet; likewise what begins with bin_ */
	uint32_t position; /* where its sequential transfers begin, from 1; 0: no offset seen yet */
	int64_t last_ns;
	int64_t bin_bytes; /* done; TD_NULL: none */
	int64_t min_bytes, max_bytes; /* max_bytes is TD_NULL: none */
	struct td_duration_list durations;

	/* the second line: what the first call in a bin and a full line of durations change */
	uint32_t bin_errors;
	uint32_t bin_at; /* its row of the current bin, see derive/bins.c */
	int64_t bin_ns;
	uint64_t timed; /* as in td_sums; likewise what follows */
	int64_t min_ns, max_ns;
	unsigned __int128 squares;

	/* the third one */
	int64_t first_ns;
	uint64_t sequential, random;
	uint64_t calls, errors, unfinished;
	int64_t done_bytes;
	int64_t total_ns;
};

_Static_assert(offsetof(struct td_combo, bin_errors) == TD_CACHE_LINE, "the second line");
_Static_assert(offsetof(struct td_combo, first_ns) == 2 * TD_CACHE_LINE, "the third line");
_Static_assert(sizeof(struct td_combo) == 3 * TD_CACHE_LINE, "no line has two combos");

struct td_bin_row {
	int64_t bin; /* bin_ns / width */
	uint32_t combo;
	uint32_t calls, errors;
	int64_t done_bytes; /* TD_NULL: none */
	int64_t total_ns;
};

struct td_block_row {
	int64_t start_ns, first_id, last_id;
};

struct td_calls {
	struct td_store *st;
	const struct td_contents *in; /* of st */
	uint32_t *verb_ids; /* string of op.verb, by op id */
	struct td_combo *combos; /* pages of their own */
	size_t ncombos, combos_cap;
	uint32_t *
		slots; /* open addressing, power of two; 0: empty, else number of a combo, from 1 */
	size_t nslots;
	struct td_size_counts *sizes; /* pages of their own */
	size_t nsizes, sizes_cap;
	struct td_intern position_keys; /* process, file, verb; runs parallel to positions */
	int64_t *positions; /* file offset at which the last transfer ended */
	size_t npositions, positions_cap;
	struct td_durations *durations;
	struct td_duration_line *lines; /* of durations */
	uint64_t (*latencies)[TD_LATENCY_BUCKETS]; /* by op id */

	int64_t bin_width_ns;
	int64_t bin, bin_start_ns; /* that of the last call; INT64_MAX: there is none */
	struct td_bin_row *bins; /* in order of bin */
	size_t nbins, bins_cap, bins_max;
	size_t bin_first; /* from here on there may be rows of the current bin */
	uint32_t *
		in_bin; /* combos with calls in the current bin that are not in bins yet, as they came */
	size_t nin_bin, in_bin_cap;
	size_t new_rows; /* that they will add to bins */

	struct td_block_row *blocks;
	size_t nblocks, blocks_cap;
	int64_t last_start_ns;
};

/* Combos are asked for so many ahead of where they are needed. */
#define TD_AHEAD_COMBO 16

static inline void td_fetch(const void *p, size_t size)
{
	for (size_t i = 0; i < size; i += TD_CACHE_LINE)
		__builtin_prefetch((const char *)p + i, 1);
}

static inline void td_combo_fetch_durations(const struct td_calls *c, const struct td_combo *k)
{
	__builtin_prefetch(&c->lines[k->durations.line]);
}

/* Durations of the combo that came since the last time go to bin_ns, timed, min_ns, max_ns, squares and to
 * td_calls.latencies. */
void td_combo_sum_up(struct td_calls *c, struct td_combo *k);

/* Of a combo that is not in a bin. */
void td_sums_add(struct td_sums *to, const struct td_combo *k);
extern const struct td_sums td_sums_none;

/* Bins of time. Those that follow return 0 or -ENOMEM. */
void td_bins_begin(struct td_calls *c);
int td_bins_change(struct td_calls *c, int64_t ns);

/* The first call of a combo in the current bin. */
int td_bins_add(struct td_calls *c, uint32_t combo);

/* What combos have of the current bin goes to their sums and to bins. */
int td_bins_end(struct td_calls *c);

/* Makes bins wider when there are too many. */
int td_bins_widen(struct td_calls *c);

/* Goes to the bin of a call. Calls come in order, so it mostly is that of the call before. */
static inline int td_bins_go_to(struct td_calls *c, int64_t ns)
{
	if ((uint64_t)ns - (uint64_t)c->bin_start_ns < (uint64_t)c->bin_width_ns)
		return 0;
	return td_bins_change(c, ns);
}

static inline int td_bins_limit(struct td_calls *c)
{
	return c->nbins + c->new_rows <= c->bins_max ? 0 : td_bins_widen(c);
}

int td_groups_write(struct td_calls *c, const struct td_target *target, struct td_err *err);
