/* SPDX-License-Identifier: MIT */
/* Calls by bins of time: a row for each combo that has calls in the bin. */
#include "store/derive/calls_private.h"
#include "common/array.h"

/* Bins may take one row for 16 calls, and not more than this: when there are more, they get wider. */
#define BINS_MAX 400000
#define BINS_MIN 2048
/* When a bin ends, durations of the combo so many further are asked for. */
#define AHEAD_DURATIONS 8

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
	if (!td_family_tells(f->by, TD_BY_PROCESS | TD_BY_FILE))
		return;
	f->bin_start_ns = INT64_MAX;
	f->bin_width_ns = (uint64_t)f->c->bin_width_ns;
	f->bins_max = TD_MAX(TD_MIN(calls / 16, BINS_MAX), BINS_MIN);
}

/* The combo's row of the bin among those from first up to n, if it is there; the combo remembers where. */
static struct td_bin_row *find_row(const struct td_family *f, struct td_bin_row *rows, size_t first,
				   size_t n, uint32_t combo, int64_t bin)
{
	uint32_t at = f->combos[combo].bin_at;

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
		to->total_ns = td_plus(to->total_ns, row->total_ns);
		return;
	}
	f->combos[row->combo].bin_at = (uint32_t)*n;
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
			__builtin_prefetch(&f->combos[f->bins[i + TD_AHEAD_COMBO].combo].bin_at, 1);
		row.bin = row.bin >= 0 ? row.bin / 2 : (row.bin - 1) / 2;
		put_bin(f, f->bins, 0, &n, &row);
	}
	f->nbins = n;
}

/* Adds what the combo has of the current bin to its sums and, unless it is nested, to the bin's rows. */
static int end_bin_of(struct td_family *f, uint32_t combo)
{
	struct td_combo *k = &f->combos[combo];

	td_combo_sum_up(f, k);
	if (!k->nested && td_bins_are_kept(f)) {
		if (td_grow(&f->bins, &f->bins_cap, f->nbins) < 0)
			return -ENOMEM;
		put_bin(f, f->bins, f->bin_first, &f->nbins,
			&(struct td_bin_row){ f->bin, combo, k->bin_calls, k->bin_errors,
					      k->bin_bytes, k->bin_ns });
	}
	k->calls += k->bin_calls;
	k->errors += k->bin_errors;
	k->done_bytes = td_plus_known(k->done_bytes, k->bin_bytes);
	k->total_ns = td_plus(k->total_ns, k->bin_ns);
	k->bin_calls = k->bin_errors = 0;
	k->bin_bytes = TD_NULL;
	k->bin_ns = 0;
	return 0;
}

int td_bins_end(struct td_family *f)
{
	int r = 0;

	for (size_t i = 0; i < f->nin_bin && r >= 0; i++) {
		if (i + TD_AHEAD_COMBO < f->nin_bin)
			td_fetch(&f->combos[f->in_bin[i + TD_AHEAD_COMBO]],
				 sizeof(struct td_combo));
		if (i + AHEAD_DURATIONS < f->nin_bin)
			td_combo_fetch_durations(f, &f->combos[f->in_bin[i + AHEAD_DURATIONS]]);
		r = end_bin_of(f, f->in_bin[i]);
	}
	f->nin_bin = 0;
	f->new_rows = 0;
	return r;
}

int td_bins_change(struct td_family *f, int64_t ns)
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

int td_bins_add(struct td_family *f, uint32_t combo)
{
	if (td_grow(&f->in_bin, &f->in_bin_cap, f->nin_bin) < 0)
		return -ENOMEM;
	f->in_bin[f->nin_bin++] = combo;
	f->new_rows += td_bins_are_kept(f) && !f->combos[combo].nested &&
		       !find_row(f, f->bins, f->bin_first, f->nbins, combo, f->bin);
	return 0;
}

int td_bins_widen(struct td_family *f)
{
	size_t before;
	int r = td_bins_end(f);

	if (r < 0)
		return r;
	before = f->nbins;
	widen_bins(f);
	/* widening may not help when a single bin holds that many combos: then let it grow */
	if (f->nbins > before - before / 16)
		f->bins_max *= 2;
	return 0;
}
