/* SPDX-License-Identifier: MIT */
/* Shared by derive/calls.c, derive/combos.c, derive/bins.c, derive/times.c, derive/transfers.c and
 * derive/positions.c, which collect, derive/budget.c, which chooses how finely, and
 * derive/grouper.c and derive/groups.c, which sum up and write. */
#pragma once

#include "common/apart.h"
#include "common/keys.h"
#include "store/derive/calls.h"
#include "store/derive/durations.h"
#include "store/derive/spilled_transfers.h"
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

/*
 * All calls of one process on one file with one operation, nested or not, or of what its family
 * tells apart of these. Every group is a union of combos. What is known of a combo are parts, in
 * arrays of their own by its number, because several threads collect: one finds the numbers, the
 * others each see all calls in order and have a part.
 *
 * Calls visit combos in no order, so what counts is how many cache lines a call changes: one of
 * each part, mostly.
 */
struct td_combo {
	uint32_t process_id;
	uint32_t object; /* file, or what the family has in its place; 0: unknown */
	uint16_t op_id;
	bool nested;
};

/* What the time bin and the sums have in common is counted once and goes to both when the bin is over. */
struct td_combo_calls {
	_Alignas(TD_CACHE_LINE) uint32_t
		bin_calls; /* of the current bin, and not in calls yet; likewise what begins with bin_ */
	uint32_t bin_errors;
	uint32_t bin_at; /* its row of the current bin, see derive/bins.c */
	bool nested;
	int64_t bin_bytes; /* done; TD_NULL: none */
	int64_t bin_ns;
	int64_t last_ns;
	uint64_t calls, errors;
	int64_t total_ns; /* of the timed ones */
};

/* What few calls change of it. */
struct td_combo_seldom {
	int64_t first_ns;
	uint32_t place; /* td_class_bins_place() */
	uint64_t unfinished;
	int64_t done_bytes; /* TD_NULL: none */
};

/* Durations only go to their list: they are summed up a line of it at a time. */
struct td_combo_times {
	_Alignas(TD_CACHE_LINE) struct td_duration_list durations;
	uint8_t summed; /* cells of the line of durations in use that are summed up, or are no durations */
	bool nested;
	uint16_t op_id;
	uint64_t timed; /* as in td_sums; likewise what follows */
	int64_t min_ns, max_ns;
	unsigned __int128 squares;
};

struct td_combo_transfers {
	_Alignas(TD_CACHE_LINE)
		uint32_t sizes; /* the first of its list in td_family.sizes, from 1; 0: none */
	int64_t min_bytes, max_bytes; /* max_bytes is TD_NULL: none */
	uint64_t sequential, random;
	uint64_t calls; /* transfers */
	uint64_t placed; /* of these: with an offset */
	int64_t end_bytes; /* where the one that reached furthest ended; TD_NULL: none has an offset */
};

/* Of these transfers, what was in the page cache: as in read_sum. */
struct td_combo_cold {
	int64_t known, hits, hit_bytes, cold_bytes, ahead_bytes;
};

_Static_assert(sizeof(struct td_combo_transfers) == TD_CACHE_LINE, "one line");
_Static_assert(sizeof(struct td_combo_calls) == TD_CACHE_LINE, "one line");
_Static_assert(sizeof(struct td_combo_times) == TD_CACHE_LINE, "one line");

struct td_bin_row {
	int64_t bin; /* bin_ns / width */
	uint32_t combo;
	uint32_t calls, errors;
	int64_t done_bytes; /* TD_NULL: none */
	int64_t total_ns; /* TD_NULL: no call had a duration */
};

struct td_block_row {
	int64_t start_ns, first_id, last_id;
	int64_t calls; /* that are not nested; likewise what follows */
	int64_t end_ns; /* TD_NULL: not known */
	int64_t max_id, max_ns; /* of the longest; 0: there is none; TD_NULL: not known */
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

	/* who finds combos; these arrays, and those below, are pages of their own */
	_Alignas(TD_APART) struct td_combo *combos;
	size_t ncombos, combos_cap;
	uint32_t *
		slots; /* open addressing, power of two; 0: empty, else number of a combo, from 1 */
	size_t nslots;

	/* who sums up transfers */
	_Alignas(TD_APART) struct td_combo_transfers *transfers;
	size_t ntransfers, transfers_cap;
	struct td_size_counts *sizes;
	size_t nsizes, sizes_cap;
	struct td_combo_cold *cold; /* of combos up to the last one of which something is known */
	size_t ncold, cold_cap;

	/* who sums up durations */
	_Alignas(TD_APART) struct td_combo_times *times;
	size_t ntimes, times_cap;
	struct td_durations *durations;
	struct td_duration_line *lines; /* of durations */
	uint64_t (*latencies)
		[TD_HISTOGRAM_BUCKETS]; /* of td_calls; NULL: another family counts them */

	/* who counts */
	_Alignas(TD_APART) struct td_combo_calls *calls;
	struct td_combo_seldom *seldom; /* as many */
	size_t ncalls, calls_cap, seldom_cap;
	uint64_t bin_width_ns; /* UINT64_MAX: one bin for all */
	bool keeps_bins;
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
	uint32_t verb_id;
	int64_t end;
};

struct td_positions {
	struct td_position *items; /* open addressing, power of two */
	uint8_t *tags; /* of the items, from their hashes; 0: a free place */
	size_t n, size;
	struct td_spilled_transfers
		*spilled; /* owned; of others, as there were too many; NULL: none */
	bool given_up; /* there were too many of these, too */
};

/* What calls of a thread with an operation on files of a class have in common. */
struct td_thread_row {
	uint64_t calls, errors;
	int64_t total_ns; /* TD_NULL: no call had a duration */
	int64_t first_ns, last_ns;
};

struct td_thread_row_of {
	uint32_t thread_id;
	uint32_t row; /* from 1; 0: none yet */
};

struct td_threads {
	struct td_keys keys; /* process and thread, operation and class: runs parallel to rows */
	struct td_thread_row *rows;
	size_t n, rows_cap, max;
	struct td_thread_row_of *last; /* by number of the combo: the thread that used it last */
	size_t nlast, last_cap;
	bool given_up; /* there were too many */
};

/* What calls with an operation on files of a class have in common that begin in a bin. */
struct td_class_bin_row {
	int64_t bin;
	uint32_t place; /* operation and class */
	uint64_t calls, errors;
	int64_t done_bytes, total_ns; /* TD_NULL: unknown */
};

struct td_class_bins {
	struct td_class_bin_row *rows; /* in order of bin */
	size_t n, cap, max;
	size_t first; /* from here on they are of the last bin */
	uint32_t *at; /* by place: the number of its last row, from 1; 0: none yet */
	bool given_up; /* there were too many */
};

enum { TD_LATE_NONE, TD_LATE_READ, TD_LATE_WRITE };

/* What calls that began before a bin transfer from its begin on. */
struct td_late_bin {
	int64_t bytes[2]; /* by enum above, from TD_LATE_READ on */
};

struct td_late_bytes {
	bool has_run; /* the run has a begin and an end */
	int64_t first_ns, last_ns; /* these */
	int64_t width_ns, base_ns; /* of bins as they are at first, begin of the first one */
	struct td_late_bin *bins; /* owned; n, and one that stays zero */
	size_t n;
	uint8_t *verbs; /* owned; by op id: enum above */
	uint64_t ends,
		ends_max; /* ends of bins that lie in calls; above ends_max they are too many */
	int64_t bin_end_ns; /* of the last call's bin; INT64_MIN: there is none */
	int64_t early_ns; /* the last begin of a call that was left out as it was before the run; INT64_MIN: none */
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
	unsigned threads; /* that groups are summed up on */
	uint32_t *verb_ids; /* string of op.verb, by op id */
	struct td_traits *traits;
	size_t ntraits, traits_cap;
	_Alignas(TD_APART) struct td_positions positions;
	size_t positions_max;
	_Alignas(TD_APART) struct td_threads threads_of;
	_Alignas(TD_APART) struct td_class_bins class_bins; /* of the calls that are counted */
	_Alignas(TD_APART) struct td_late_bytes late_bytes;
	uint64_t (*latencies)[TD_HISTOGRAM_BUCKETS]; /* by op id */
	int64_t bin_width_ns;

	_Alignas(TD_APART) struct td_block_row *blocks;
	size_t nblocks, blocks_cap;
	int64_t last_start_ns;
};

/* What combos have is asked for so many calls ahead of where it is needed. */
#define TD_AHEAD_COMBO 16

/* Of a combo that is not in a bin. */
void td_sums_add(struct td_sums *to, const struct td_family *f, uint32_t combo);
extern const struct td_sums td_sums_none;

/* Room for one more than n items, of size bytes, in pages. 0 or -ENOMEM. */
int td_combo_room(void **items, size_t *cap, size_t n, size_t size);

/* One more than the largest number of n combos. */
static inline size_t td_combos_end(const uint32_t *combos, size_t n)
{
	uint32_t last = 0;

	for (size_t i = 0; i < n; i++)
		last = TD_MAX(last, combos[i]);
	return (size_t)last + 1;
}

/* --- families; what returns int gives 0 or -errno --- */

/* So many calls are looked at together. */
#define TD_CALLS_AT_ONCE 256

int td_family_begin(struct td_family *f, struct td_calls *c, unsigned by);
void td_family_done(struct td_family *f);

/* Each of these on any thread, but for all calls in their order; n <= TD_CALLS_AT_ONCE. The first
 * one gives the numbers of their combos, which the others take. */
int td_family_find(struct td_family *f, const struct td_call *calls, uint32_t *combos, size_t n);
int td_family_count(struct td_family *f, const struct td_call *calls, const uint32_t *combos,
		    size_t n);
int td_family_time(struct td_family *f, const struct td_call *calls, const uint32_t *combos,
		   size_t n);
/* steps: of each call. */
int td_family_transfer(struct td_family *f, const struct td_call *calls, const uint32_t *combos,
		       const uint8_t *steps, size_t n);

/* The numbers of calls that all have one, on several threads at a time: when all calls went by. */
void td_family_find_known(const struct td_family *f, const struct td_call *calls, uint32_t *combos,
			  size_t n);

/* All parts up to so many combos, which may have had no such calls. */
int td_counts_begin(struct td_family *f, size_t ncombos);
int td_times_begin(struct td_family *f, size_t ncombos);
int td_transfers_begin(struct td_family *f, size_t ncombos);

/* All durations are summed up, their lists closed. */
void td_times_close(struct td_family *f);

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

/* Of each of the calls, enum td_step; nested ones are not followed, and of some it is known at the end. 0 or -errno. */
int td_positions_follow(struct td_calls *c, const struct td_call *calls, uint8_t *steps, size_t n);

/* When all calls went by: what was not known goes to the transfers of all families. 0 or -errno. */
int td_positions_end(struct td_calls *c);
void td_positions_done(struct td_positions *p);

/* --- threads --- */

void td_threads_begin(struct td_calls *c);
void td_threads_done(struct td_threads *t);

/* combos: of the first family. 0 or -ENOMEM. */
int td_threads_count(struct td_calls *c, const struct td_call *calls, const uint32_t *combos,
		     size_t n);

/* 0 or -errno. */
int td_threads_write(struct td_calls *c, const struct td_target *target, struct td_err *err);

/* --- bins of time --- */

int64_t td_bins_width(const struct td_store *st);
void td_bins_begin(struct td_family *f);

/* What combos have of the current bin goes to their sums and to bins. */
int td_bins_end(struct td_family *f);

static inline bool td_bins_are_kept(const struct td_family *f)
{
	return f->keeps_bins;
}

/* --- the same by operation and class of file --- */

int td_class_bins_begin(struct td_calls *c);
void td_class_bins_done(struct td_class_bins *b);

/* What stands for the operation and the class of its file. */
uint32_t td_class_bins_place(const struct td_calls *c, const struct td_call *call);

/* Bins come in their order. 0 or -ENOMEM. */
int td_class_bins_add(struct td_class_bins *b, const struct td_class_bin_row *row);

/* Of the width that bins have in the end. 0 or -errno. */
int td_class_bins_write(struct td_calls *c, const struct td_target *target, struct td_err *err);

/* --- bytes of later bins --- */

int td_late_bytes_begin(struct td_calls *c);
void td_late_bytes_done(struct td_late_bytes *l);
void td_late_bytes_add(struct td_calls *c, const struct td_call *calls, size_t n);

/* Of the width that bins have in the end. 0 or -errno. */
int td_late_bytes_write(const struct td_calls *c, const struct td_target *target,
			struct td_err *err);

int td_groups_write(struct td_calls *c, const struct td_target *target, struct td_err *err);
