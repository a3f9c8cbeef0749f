/* SPDX-License-Identifier: MIT */
/* Number, errors, bytes and time of calls, and the same by bins of time: a row for each combo that
 * has calls in the bin. */
#include "store/derive/calls_private.h"
#include "common/array.h"

/* Bins may take one row for 16 calls, and not more than this: when there are more, they get wider. */
#define BINS_MAX 400000
#define BINS_MIN 2048
/* So few are not made wider if that hardly makes them fewer rows. */
#define BINS_FEW 16

/* The widest power of ten that gives at least a thousand bins over the run, at least 1 ms. */
int64_t td_bins_width(const struct td_store *st)
{
	int64_t width = 1000000, first = 0, last = 0;

	(void)td_store_range(st, &first, &last);
	while (width * 10 <= (last - first) / 1000)
		width *= 10;
	return width;
}

void td_bins_begin(struct td_family *f)
{
	uint64_t calls = td_stage_count(td_store_stage(f->c->st, TD_KIND_CALL));

	f->bin_start_ns = INT64_MIN;
	f->bin_width_ns = UINT64_MAX;
	f->bins_max = SIZE_MAX;
	if (f > f->c->families)
		return;
	/* where they are too many to be kept, what they have by operation and class is */
	f->bin_start_ns = INT64_MAX;
	f->bin_width_ns = (uint64_t)f->c->bin_width_ns;
	f->keeps_bins = td_family_tells(f->by, TD_BY_PROCESS | TD_BY_FILE);
	if (f->keeps_bins)
		f->bins_max = TD_MAX(TD_MIN(calls / 16, BINS_MAX), BINS_MIN);
}

/* The combo's row of the bin among those from first up to n, if it is there; the combo remembers where. */
static struct td_bin_row *find_row(const struct td_family *f, struct td_bin_row *rows, size_t first,
				   size_t n, uint32_t combo, int64_t bin)
{
	uint32_t at = f->calls[combo].bin_at;

	return at >= first && at < n && rows[at].combo == combo && rows[at].bin == bin ? &rows[at]
										       : NULL;
}

/* Adds row to the rows of its bin in out[*n], which begin at first or later. */
static void put_bin(struct td_family *f, struct td_bin_row *out, size_t first, size_t *n,
		    const struct td_bin_row *row)
{
	struct td_bin_row *to = find_row(f, out, first, *n, row->combo, row->bin);

	if (to) {
		to->calls += row->calls;
		to->errors += row->errors;
		to->done_bytes = td_plus_known(to->done_bytes, row->done_bytes);
		to->total_ns = td_plus_known(to->total_ns, row->total_ns);
		return;
	}
	f->calls[row->combo].bin_at = (uint32_t)*n;
	out[(*n)++] = *row;
}

/* Bins of twice the width: rows of neighbours fall together, in place. */
static void widen_bins(struct td_family *f)
{
	size_t n = 0;

	f->bin_width_ns *= 2;
	f->bin_start_ns = INT64_MAX;
	for (size_t i = 0; i < f->nbins; i++) {
		struct td_bin_row row = f->bins[i];

		if (i + TD_AHEAD_COMBO < f->nbins)
			__builtin_prefetch(&f->calls[f->bins[i + TD_AHEAD_COMBO].combo], 1);
		row.bin = row.bin >= 0 ? row.bin / 2 : (row.bin - 1) / 2;
		put_bin(f, f->bins, 0, &n, &row);
	}
	f->nbins = n;
}

/* Adds what the combo has of the current bin to its sums and, unless it is nested, to the bin's rows. */
static int end_bin_of(struct td_family *f, uint32_t combo)
{
	struct td_combo_calls *k = &f->calls[combo];
	struct td_combo_seldom *seldom = &f->seldom[combo];
	int r = 0;

	if (!k->nested && !td_bins_are_kept(f) && f == f->c->families)
		r = td_class_bins_add(&f->c->class_bins,
				      &(struct td_class_bin_row){ f->bin, seldom->place,
								  k->bin_calls, k->bin_errors,
								  k->bin_bytes, k->bin_ns });
	if (!k->nested && td_bins_are_kept(f)) {
		if (td_grow(&f->bins, &f->bins_cap, f->nbins) < 0)
			return -ENOMEM;
		put_bin(f, f->bins, f->bin_first, &f->nbins,
			&(struct td_bin_row){ f->bin, combo, k->bin_calls, k->bin_errors,
					      k->bin_bytes, k->bin_ns });
	}
	k->calls += k->bin_calls;
	k->errors += k->bin_errors;
	seldom->done_bytes = td_plus_known(seldom->done_bytes, k->bin_bytes);
	if (k->bin_ns != TD_NULL)
		k->total_ns = td_plus(k->total_ns, k->bin_ns);
	k->bin_calls = k->bin_errors = 0;
	k->bin_bytes = k->bin_ns = TD_NULL;
	return r;
}

int td_bins_end(struct td_family *f)
{
	int r = 0;

	for (size_t i = 0; i < f->nin_bin && r >= 0; i++) {
		if (i + TD_AHEAD_COMBO < f->nin_bin) {
			__builtin_prefetch(&f->calls[f->in_bin[i + TD_AHEAD_COMBO]], 1);
			__builtin_prefetch(&f->seldom[f->in_bin[i + TD_AHEAD_COMBO]], 1);
		}
		r = end_bin_of(f, f->in_bin[i]);
	}
	f->nin_bin = 0;
	f->new_rows = 0;
	return r;
}

static int change_bin(struct td_family *f, int64_t ns)
{
	int64_t width = (int64_t)f->bin_width_ns;
	int r = td_bins_end(f);

	f->bin = ns / width - (ns % width < 0);
	f->bin_start_ns = f->bin * width;
	/* none, but for the bin that got wider */
	for (f->bin_first = f->nbins; f->bin_first; f->bin_first--)
		if (f->bins[f->bin_first - 1].bin != f->bin)
			break;
	return r;
}

/* Goes to the bin of a call. Calls come in order, so it mostly is that of the call before. */
static int go_to_bin(struct td_family *f, int64_t ns)
{
	if ((uint64_t)ns - (uint64_t)f->bin_start_ns < f->bin_width_ns)
		return 0;
	return change_bin(f, ns);
}

/* Makes bins wider. */
static int widen(struct td_family *f)
{
	size_t before;
	int r = td_bins_end(f);

	if (r < 0)
		return r;
	before = f->nbins;
	do
		widen_bins(f);
	while (f->nbins > before - before / 16 &&
	       f->bins[f->nbins - 1].bin - f->bins[0].bin >= BINS_FEW);
	/* widening may not help when a single bin holds that many combos: then let it grow */
	if (f->nbins > before - before / 16)
		f->bins_max *= 2;
	return 0;
}

/* --- calls --- */

int td_counts_begin(struct td_family *f, size_t ncombos)
{
	while (f->ncalls < ncombos) {
		if (td_combo_room((void **)&f->calls, &f->calls_cap, f->ncalls, sizeof(*f->calls)) <
			    0 ||
		    td_combo_room((void **)&f->seldom, &f->seldom_cap, f->ncalls,
				  sizeof(*f->seldom)) < 0)
			return -ENOMEM;
		f->seldom[f->ncalls] = (struct td_combo_seldom){ .done_bytes = TD_NULL };
		f->calls[f->ncalls++] = (struct td_combo_calls){
			.bin_at = UINT32_MAX,
			.bin_bytes = TD_NULL,
			.bin_ns = TD_NULL,
		};
	}
	return 0;
}

/* The first call of a combo in the current bin. */
static int begin_in_bin(struct td_family *f, uint32_t combo, const struct td_call *call)
{
	struct td_combo_calls *k = &f->calls[combo];

	if (td_grow(&f->in_bin, &f->in_bin_cap, f->nin_bin) < 0)
		return -ENOMEM;
	f->in_bin[f->nin_bin++] = combo;
	if (!k->calls) {
		f->seldom[combo].first_ns = call->start_ns;
		f->seldom[combo].place = td_class_bins_place(f->c, call);
	}
	k->nested = call->nested;
	f->new_rows += td_bins_are_kept(f) && !k->nested &&
		       !find_row(f, f->bins, f->bin_first, f->nbins, combo, f->bin);
	return 0;
}

static int add_call(struct td_family *f, const struct td_call *call, uint32_t combo)
{
	struct td_combo_calls *k = &f->calls[combo];
	bool begins = !k->bin_calls;
	int r = begins ? begin_in_bin(f, combo, call) : 0;

	k->bin_calls++;
	k->last_ns = call->start_ns;
	if (call->ret < 0 && call->ret != TD_NULL)
		k->bin_errors++;
	if (call->unfinished)
		f->seldom[combo].unfinished++;
	k->bin_bytes = td_plus_known(k->bin_bytes, call->done_bytes);
	k->bin_ns = td_plus_known(k->bin_ns, call->dur_ns);
	return begins && r >= 0 && f->nbins + f->new_rows > f->bins_max ? widen(f) : r;
}

int td_family_count(struct td_family *f, const struct td_call *calls, const uint32_t *combos,
		    size_t n)
{
	int r = td_counts_begin(f, td_combos_end(combos, n));

	for (size_t i = 0; i < n && r >= 0; i++) {
		if (i + TD_AHEAD_COMBO < n)
			__builtin_prefetch(&f->calls[combos[i + TD_AHEAD_COMBO]], 1);
		r = go_to_bin(f, calls[i].start_ns);
		if (r >= 0)
			r = add_call(f, &calls[i], combos[i]);
	}
	return r;
}
