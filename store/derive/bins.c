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
static int64_t first_width(int64_t span_ns)
{
	int64_t width = 1000000;

	while (width * 10 <= span_ns / 1000)
		width *= 10;
	return width;
}

void td_bins_begin(struct td_calls *c)
{
	uint64_t calls = td_stage_count(td_store_stage(c->st, TD_KIND_CALL));
	int64_t first = 0, last = 0;

	(void)td_store_range(c->st, &first, &last);
	c->bin_width_ns = first_width(last - first);
	c->bin_start_ns = INT64_MAX;
	c->bins_max = TD_MAX(TD_MIN(calls / 16, BINS_MAX), BINS_MIN);
}

/* The combo's row of the bin among those from first up to n, if it is there; the combo remembers where. */
static struct td_bin_row *find_row(const struct td_calls *c, struct td_bin_row *rows, size_t first,
				   size_t n, uint32_t combo, int64_t bin)
{
	uint32_t at = c->combos[combo].bin_at;

	return at >= first && at < n && rows[at].combo == combo && rows[at].bin == bin ? &rows[at]
										       : NULL;
}

/* Adds row to the rows of its bin in out[*n], which begin at first or later. */
static void put_bin(struct td_calls *c, struct td_bin_row *out, size_t first, size_t *n,
		    const struct td_bin_row *row)
{
	struct td_bin_row *to = find_row(c, out, first, *n, row->combo, row->bin);

	if (to) {
		to->calls += row->calls;
		to->errors += row->errors;
		to->done_bytes = td_plus_known(to->done_bytes, row->done_bytes);
		to->total_ns = td_plus(to->total_ns, row->total_ns);
		return;
	}
	c->combos[row->combo].bin_at = (uint32_t)*n;
	out[(*n)++] = *row;
}

/* Bins of twice the width: rows of neighbours fall together, in place. */
static void widen_bins(struct td_calls *c)
{
	size_t n = 0;

	c->bin_width_ns *= 2;
	c->bin_start_ns = INT64_MAX;
	for (size_t i = 0; i < c->nbins; i++) {
		struct td_bin_row row = c->bins[i];

		if (i + TD_AHEAD_COMBO < c->nbins)
			__builtin_prefetch(&c->combos[c->bins[i + TD_AHEAD_COMBO].combo].bin_at, 1);
		row.bin = row.bin >= 0 ? row.bin / 2 : (row.bin - 1) / 2;
		put_bin(c, c->bins, 0, &n, &row);
	}
	c->nbins = n;
}

/* Adds what the combo has of the current bin to its sums and, unless it is nested, to the bin's rows. */
static int end_bin_of(struct td_calls *c, uint32_t combo)
{
	struct td_combo *k = &c->combos[combo];

	td_combo_sum_up(c, k);
	if (!k->nested) {
		if (td_grow(&c->bins, &c->bins_cap, c->nbins) < 0)
			return -ENOMEM;
		put_bin(c, c->bins, c->bin_first, &c->nbins,
			&(struct td_bin_row){ c->bin, combo, k->bin_calls, k->bin_errors,
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

int td_bins_end(struct td_calls *c)
{
	int r = 0;

	for (size_t i = 0; i < c->nin_bin && r >= 0; i++) {
		if (i + TD_AHEAD_COMBO < c->nin_bin)
			td_fetch(&c->combos[c->in_bin[i + TD_AHEAD_COMBO]],
				 sizeof(struct td_combo));
		if (i + AHEAD_DURATIONS < c->nin_bin)
			td_combo_fetch_durations(c, &c->combos[c->in_bin[i + AHEAD_DURATIONS]]);
		r = end_bin_of(c, c->in_bin[i]);
	}
	c->nin_bin = 0;
	c->new_rows = 0;
	return r;
}

int td_bins_change(struct td_calls *c, int64_t ns)
{
	int r = td_bins_end(c);

	c->bin = ns / c->bin_width_ns - (ns % c->bin_width_ns < 0);
	c->bin_start_ns = c->bin * c->bin_width_ns;
	/* none, but for the bin that got wider */
	for (c->bin_first = c->nbins; c->bin_first; c->bin_first--)
		if (c->bins[c->bin_first - 1].bin != c->bin)
			break;
	return r;
}

int td_bins_add(struct td_calls *c, uint32_t combo)
{
	if (td_grow(&c->in_bin, &c->in_bin_cap, c->nin_bin) < 0)
		return -ENOMEM;
	c->in_bin[c->nin_bin++] = combo;
	c->new_rows += !c->combos[combo].nested &&
		       !find_row(c, c->bins, c->bin_first, c->nbins, combo, c->bin);
	return 0;
}

int td_bins_widen(struct td_calls *c)
{
	size_t before;
	int r = td_bins_end(c);

	if (r < 0)
		return r;
	before = c->nbins;
	widen_bins(c);
	/* widening may not help when a single bin holds that many combos: then let it grow */
	if (c->nbins > before - before / 16)
		c->bins_max *= 2;
	return 0;
}
