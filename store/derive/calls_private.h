/* SPDX-License-Identifier: MIT */
/* Shared by derive/calls.c, derive/combos.c, derive/positions.c and derive/bins.c, which collect, derive/budget.c, which
 * chooses how finely, and derive/groups.c, which sums up and writes. */
#pragma once

#include "store/derive/calls.h"
#include "store/derive/durations.h"
#include "common/histogram.h"
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

/* All calls of one process on one file with one operation, nested or not, or of what its family tells apart of these.
 * Every group is a union of combos. This is kept small: what few combos have is beside it.
 *
 * Calls visit combos in no order, so what counts is how many cache lines a call changes. What a call must
 * change comes first. Durations only go to their list: they are summed up a line of it at a time, and at the end of
 * the bin. What the time bin and the sums have in common is counted once and goes to both when the bin is over. */
struct td_combo {
	_Alignas(TD_CACHE_LINE) uint32_t process_id;
	uint32_t object; /* file, or what the family has in its place; 0: unknown */
	uint16_t op_id;
	bool nested;
	uint8_t summed; /* cells of the line of durations in use that are summed up, or are no durations */
	uint32_t sizes; /* the first of its list in td_family.sizes, from 1; 0: none */
	uint32_t
		bin_calls; /* of the current bin, and not in calls yet; likewise what begins with bin_ */
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

/* What the combos of a family tell apart beside operation and nesting. */
enum {
	TD_BY_PROCESS = 1,
	TD_BY_FILE = 2, /* object: file.id; tells traits and class, too */
	TD_BY_TRAITS = 4, /* object: of td_calls.traits, from 1; tells the class, too */
	TD_BY_CLASS = 8, /* object: enum td_class, from 1 */
};

/* What groups of files are made by. */
struct td_traits {
	uint32_t template_id, directory_id;
	uint32_t class;
};

/* Combos that the calls are counted in. */
struct td_family {
	struct td_calls *c;
	unsigned by;
	uint32_t *objects; /* owned; by file id; NULL: the files themselves */
	struct td_combo *combos; /* pages of their own */
	size_t ncombos, combos_cap;
	uint32_t *
		slots; /* open addressing, power of two; 0: empty, else number of a combo, from 1 */
	size_t nslots;
	struct td_size_counts *sizes; /* pages of their own */
	size_t nsizes, sizes_cap;
	struct td_durations *durations;
	struct td_duration_line *lines; /* of durations */
	uint64_t (*latencies)
		[TD_HISTOGRAM_BUCKETS]; /* of td_calls; NULL: another family counts them */

	uint64_t bin_width_ns; /* UINT64_MAX: one bin for all, which is not kept */
	int64_t bin, bin_start_ns; /* that of the last call; INT64_MAX: there is none */
	struct td_bin_row *bins; /* in order of bin */
	size_t nbins, bins_cap, bins_max;
	size_t bin_first; /* from here on there may be rows of the current bin */
	uint32_t *
		in_bin; /* combos with calls in the current bin that are not in bins yet, as they came */
	size_t nin_bin, in_bin_cap;
	size_t new_rows; /* that they will add to bins */
};

/* Where the last transfer of each process, file and verb ended. */
struct td_position {
	uint32_t process_id, file_id;
	uint32_t verb_id; /* 0: a free place */
	int64_t end;
};

struct td_positions {
	struct td_position *items; /* open addressing, power of two */
	size_t n, size;
	bool given_up; /* there were too many */
};

/* Does a transfer go on where the one before ended? */
enum td_step { TD_STEP_UNKNOWN, TD_STEP_SEQUENTIAL, TD_STEP_RANDOM };

/* One, or one for processes and one for files. */
#define TD_FAMILIES_MAX 2

struct td_calls {
	struct td_store *st;
	const struct td_contents *in; /* of st */
	const char *spill_path; /* borrowed */
	size_t budget; /* combos of a family at most */
	bool has_budget; /* else it is a share of the calls */
	struct td_family families[TD_FAMILIES_MAX];
	size_t nfamilies;
	uint32_t *verb_ids; /* string of op.verb, by op id */
	struct td_traits *traits;
	size_t ntraits, traits_cap;
	struct td_positions positions;
	size_t positions_max;
	uint64_t (*latencies)[TD_HISTOGRAM_BUCKETS]; /* by op id */
	int64_t bin_width_ns;

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

static inline void td_combo_fetch_durations(const struct td_family *f, const struct td_combo *k)
{
	__builtin_prefetch(&f->lines[k->durations.line]);
}

/* Durations of the combo that came since the last time go to bin_ns, timed, min_ns, max_ns, squares and to
 * td_family.latencies. */
void td_combo_sum_up(struct td_family *f, struct td_combo *k);

/* Of a combo that is not in a bin. */
void td_sums_add(struct td_sums *to, const struct td_combo *k);
extern const struct td_sums td_sums_none;

/* --- families; what returns int gives 0 or -errno --- */

/* So many calls are looked at together. */
#define TD_CALLS_AT_ONCE 256

int td_family_begin(struct td_family *f, struct td_calls *c, unsigned by);
void td_family_done(struct td_family *f);

/* n <= TD_CALLS_AT_ONCE calls; steps: of each of them. */
int td_family_add(struct td_family *f, const struct td_call *calls, const uint8_t *steps, size_t n);

/* After the last call: percentiles can be asked for. */
int td_family_sort(struct td_family *f);
/* No more percentiles. */
void td_family_drop_durations(struct td_family *f);

/* --- how finely calls are told apart --- */

/* Begins the families that the budget allows. */
int td_budget_choose(struct td_calls *c);

/* The first family that tells all of this apart; NULL: none does. */
const struct td_family *td_budget_family(const struct td_calls *c, unsigned by);

/* Can combos of that family tell this apart? */
bool td_family_tells(unsigned family_by, unsigned by);

/* --- positions --- */

/* Of each of the calls, enum td_step; nested ones are not followed. */
int td_positions_follow(struct td_calls *c, const struct td_call *calls, uint8_t *steps, size_t n);

/* --- bins of time --- */

int64_t td_bins_width(const struct td_store *st);
void td_bins_begin(struct td_family *f);
int td_bins_change(struct td_family *f, int64_t ns);

/* The first call of a combo in the current bin. */
int td_bins_add(struct td_family *f, uint32_t combo);

/* What combos have of the current bin goes to their sums and to bins. */
int td_bins_end(struct td_family *f);

/* Makes bins wider when there are too many. */
int td_bins_widen(struct td_family *f);

static inline bool td_bins_are_kept(const struct td_family *f)
{
	return f->bin_width_ns != UINT64_MAX;
}

/* Goes to the bin of a call. Calls come in order, so it mostly is that of the call before. */
static inline int td_bins_go_to(struct td_family *f, int64_t ns)
{
	if ((uint64_t)ns - (uint64_t)f->bin_start_ns < f->bin_width_ns)
		return 0;
	return td_bins_change(f, ns);
}

static inline int td_bins_limit(struct td_family *f)
{
	return f->nbins + f->new_rows <= f->bins_max ? 0 : td_bins_widen(f);
}

int td_groups_write(struct td_calls *c, const struct td_target *target, struct td_err *err);
