/* SPDX-License-Identifier: MIT */
/* How long calls took, by combo. */
#include "store/derive/calls_private.h"

/* Lines of durations are asked for so many calls ahead. */
#define AHEAD_LINES 8

/* Durations that came since the last time go to the sums and to td_family.latencies. */
static void sum_up(struct td_family *f, struct td_combo_times *k)
{
	const struct td_duration_list *list = &k->durations;
	const uint32_t *end = f->lines[list->line].cells + list->n, *v;
	size_t n = list->n ? list->n - k->summed : 0;
	int64_t min_ns = k->min_ns, max_ns = k->max_ns;
	unsigned __int128 squares = k->squares;

	if (!n)
		return;
	for (v = end - n; v < end; v++) {
		squares += (uint64_t)*v * *v;
		min_ns = TD_MIN(min_ns, (int64_t)*v);
		max_ns = TD_MAX(max_ns, (int64_t)*v);
	}
	for (v = end - n; v < end && !k->nested && f->latencies; v++)
		f->latencies[k->op_id][td_histogram_bucket(*v)]++;
	k->timed += n;
	k->min_ns = min_ns;
	k->max_ns = max_ns;
	k->squares = squares;
	k->summed = list->n;
}

/* One that does not fit in a cell. */
static void sum_up_large(struct td_family *f, struct td_combo_times *k, int64_t dur_ns)
{
	k->timed++;
	k->squares += (unsigned __int128)dur_ns * (uint64_t)dur_ns;
	k->min_ns = TD_MIN(k->min_ns, dur_ns);
	k->max_ns = TD_MAX(k->max_ns, dur_ns);
	if (!k->nested && f->latencies)
		f->latencies[k->op_id][td_histogram_bucket(dur_ns)]++;
}

void td_times_close(struct td_family *f)
{
	for (size_t i = 0; i < f->ntimes; i++) {
		sum_up(f, &f->times[i]);
		td_durations_close(f->durations, &f->times[i].durations);
	}
}

/* A large one, or the first one of a line. */
static int begin_line(struct td_family *f, uint32_t combo, const struct td_call *call)
{
	struct td_combo_times *k = &f->times[combo];
	int64_t dur_ns = call->dur_ns;
	int r;

	k->op_id = call->op_id;
	k->nested = call->nested;
	sum_up(f, k);
	r = td_durations_add(f->durations, combo, &k->durations, k->timed, dur_ns);
	if (r == 1) {
		td_times_close(f);
		r = td_durations_spill(f->durations);
		if (r >= 0)
			r = td_durations_add(f->durations, combo, &k->durations, k->timed, dur_ns);
	}
	if (r < 0)
		return r;
	k->summed = (uint8_t)(k->durations.n - 1);
	if (dur_ns >= TD_DURATION_LARGE) {
		sum_up_large(f, k, dur_ns);
		k->summed++;
	}
	return 0;
}

static int add_duration(struct td_family *f, uint32_t combo, const struct td_call *call)
{
	struct td_duration_list *list = &f->times[combo].durations;

	if (!td_durations_room(list) || call->dur_ns >= TD_DURATION_LARGE)
		return begin_line(f, combo, call);
	td_durations_put(f->lines, list, (uint32_t)call->dur_ns);
	return 0;
}

int td_times_begin(struct td_family *f, size_t ncombos)
{
	while (f->ntimes < ncombos) {
		if (td_combo_room((void **)&f->times, &f->times_cap, f->ntimes, sizeof(*f->times)) <
		    0)
			return -ENOMEM;
		f->times[f->ntimes++] = (struct td_combo_times){
			.min_ns = INT64_MAX,
			.max_ns = INT64_MIN,
		};
	}
	return 0;
}

static void fetch_line(const struct td_family *f, const struct td_duration_list *list)
{
	__builtin_prefetch(&f->lines[list->line + list->n / TD_DURATION_CELLS], 1);
}

int td_family_time(struct td_family *f, const struct td_call *calls, const uint32_t *combos,
		   size_t n)
{
	int r = td_times_begin(f, td_combos_end(combos, n));

	for (size_t i = 0; i < n && r >= 0; i++) {
		if (i + TD_AHEAD_COMBO < n)
			__builtin_prefetch(&f->times[combos[i + TD_AHEAD_COMBO]], 1);
		if (i + AHEAD_LINES < n)
			fetch_line(f, &f->times[combos[i + AHEAD_LINES]].durations);
		if (calls[i].dur_ns != TD_NULL)
			r = add_duration(f, combos[i], &calls[i]);
	}
	return r;
}
