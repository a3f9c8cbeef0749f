/* SPDX-License-Identifier: MIT */
/* What is known of a GPU in stretches of time, from whoever tells of it then. */
#include "store/derive/gpu_private.h"

static void add_exact(const struct td_one_gpu *gpu, int64_t from_ns, int64_t to_ns,
		      const int64_t io[TD_IO_LAYERS], struct td_overlap *sum)
{
	int64_t busy = td_meter_between(&gpu->busy, from_ns, to_ns);
	struct td_overlap o = { .busy = { busy, busy } };

	for (int l = 0; l < TD_IO_LAYERS; l++) {
		int64_t both = td_meter_between(&gpu->both[l], from_ns, to_ns);
		int64_t neither = to_ns - from_ns - io[l] - busy + both;

		o.both[l] = (struct td_range){ both, both };
		o.neither[l] = (struct td_range){ neither, neither };
	}
	td_overlap_add(sum, &o);
}

/* A stretch of which one and the same tells. */
static void add_stretch(const struct td_gpu *g, const struct td_one_gpu *gpu, unsigned teller,
			int64_t from_ns, int64_t to_ns, struct td_gpu_window *w)
{
	int64_t io[TD_IO_LAYERS];

	if (teller == TD_TELLER_NOBODY)
		return;
	w->wall_ns += to_ns - from_ns;
	td_io_table_between(&td_gpu_side_of(g, gpu)->io, from_ns, to_ns, io);
	for (int l = 0; l < TD_IO_LAYERS; l++)
		w->io_ns[l] += io[l];
	if (teller == TD_TELLER_KERNELS)
		add_exact(gpu, from_ns, to_ns, io, &w->overlap);
	else
		td_series_gather(gpu->series[teller - TD_TELLER_SERIES], from_ns, to_ns,
				 &td_gpu_side_of(g, gpu)->io,
				 &w->gathered[teller - TD_TELLER_SERIES]);
}

static size_t first_cut(const struct td_gpu *g, int64_t ns)
{
	size_t low = 0, high = g->ncuts;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (g->cuts[middle] < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The next stretch of the interval, from *i on, of which one and the same tells. The begin and the end of the interval are
 * cuts, or lie outside all of them. */
static bool next_stretch(const struct td_gpu *g, const struct td_one_gpu *gpu,
			 struct td_interval of, size_t *i, struct td_interval *ret,
			 unsigned *ret_teller)
{
	size_t j = *i + 1;

	if (j >= g->ncuts || g->cuts[*i] >= of.end_ns)
		return false;
	while (j + 1 < g->ncuts && g->cuts[j] < of.end_ns && gpu->teller[j] == gpu->teller[*i])
		j++;
	*ret = (struct td_interval){ g->cuts[*i], g->cuts[j] };
	*ret_teller = gpu->teller[*i];
	*i = j;
	return true;
}

static void add_interval(const struct td_gpu *g, const struct td_one_gpu *gpu,
			 struct td_interval of, struct td_gpu_window *w)
{
	size_t i = first_cut(g, of.start_ns);
	struct td_interval stretch;
	unsigned teller;

	while (next_stretch(g, gpu, of, &i, &stretch, &teller))
		add_stretch(g, gpu, teller, stretch.start_ns, stretch.end_ns, w);
}

/* Did the series look at all that anybody tells about? Then what it says of it is gathered. */
static bool gather_all(const struct td_gpu *g, const struct td_one_gpu *gpu,
		       const struct td_series *s, const struct td_interval *of, size_t n,
		       struct td_gathered *ret)
{
	struct td_interval stretch;
	unsigned teller;

	*ret = (struct td_gathered){ 0 };
	for (size_t k = 0; k < n; k++) {
		size_t i = first_cut(g, of[k].start_ns);

		while (next_stretch(g, gpu, of[k], &i, &stretch, &teller)) {
			if (teller == TD_TELLER_NOBODY)
				continue;
			if (!td_series_sampled(s, stretch.start_ns, stretch.end_ns))
				return false;
			td_series_gather(s, stretch.start_ns, stretch.end_ns,
					 &td_gpu_side_of(g, gpu)->io, ret);
		}
	}
	return ret->any;
}

/* What others say that hold the truth, too. */
static void narrow(const struct td_gpu *g, const struct td_one_gpu *gpu,
		   const struct td_interval *of, size_t n, struct td_gpu_window *w)
{
	for (size_t i = 0; i < gpu->nseries && w->basis == TD_BASIS_BOUNDS; i++) {
		const struct td_series *s = gpu->series[i];
		struct td_gathered gathered;
		struct td_overlap o;

		if (td_series_sampler(s)->basis != TD_BASIS_BOUNDS ||
		    w->gathered[i].wall_ns == w->wall_ns ||
		    !gather_all(g, gpu, s, of, n, &gathered))
			continue;
		o = td_series_conclude(s, &gathered);
		if (!td_overlap_meet(&w->overlap, &o))
			w->basis = TD_BASIS_CONFLICT;
	}
}

int td_gpu_look(const struct td_gpu *g, const struct td_one_gpu *gpu, const struct td_interval *of,
		size_t n, struct td_gpu_window *ret)
{
	_cleanup_free_ struct td_gathered *gathered = calloc(gpu->nseries + 1, sizeof(*gathered));

	if (!gathered)
		return -ENOMEM;
	*ret = (struct td_gpu_window){ .gathered = gathered };
	for (size_t i = 0; i < n; i++)
		add_interval(g, gpu, of[i], ret);
	for (size_t i = 0; i < gpu->nseries; i++) {
		struct td_overlap o;

		if (!gathered[i].any)
			continue;
		o = td_series_conclude(gpu->series[i], &gathered[i]);
		td_overlap_add(&ret->overlap, &o);
		ret->basis = TD_MAX(ret->basis, td_series_sampler(gpu->series[i])->basis);
	}
	narrow(g, gpu, of, n, ret);
	ret->gathered = NULL;
	return 0;
}

/* Of the work that was traced, by looking for it: for few intervals. */
static int64_t busy_in(const struct td_gpu *g, uint32_t device_id, struct td_interval of)
{
	const struct td_busy *busy = td_kernels_busy(g->kernels, device_id);
	struct td_busy_place at = td_busy_find(busy, of.start_ns);
	struct td_interval on;
	int64_t sum = 0;

	for (; td_busy_get(busy, &at, &on) && on.start_ns < of.end_ns; at.i++)
		sum += TD_MIN(of.end_ns, on.end_ns) - TD_MAX(of.start_ns, on.start_ns);
	return sum;
}

/* The part of a segment, of which somebody tells. */
static struct td_range idle_in_part(const struct td_gpu *g, uint32_t device_id, size_t segment,
				    struct td_interval part)
{
	struct td_interval all = { g->cuts[segment], g->cuts[segment + 1] };
	int64_t length = part.end_ns - part.start_ns;
	struct td_range idle = { 0, length };
	struct td_gpu_window w;

	if (g->gpus[device_id].teller[segment] == TD_TELLER_KERNELS) {
		idle.max -= busy_in(g, device_id, part);
		idle.min = idle.max;
	} else if (g->finished && td_gpu_look(g, &g->gpus[device_id], &all, 1, &w) >= 0) {
		idle.max = TD_MIN(length, all.end_ns - all.start_ns - w.overlap.busy.min);
		idle.min = TD_MAX(length - w.overlap.busy.max, 0);
	}
	return idle;
}

/* The segment that the time is in; it may be before all of them, or behind. */
static size_t segment_at(const struct td_gpu *g, int64_t ns)
{
	size_t i = first_cut(g, ns);

	return i && (i == g->ncuts || g->cuts[i] > ns) ? i - 1 : i;
}

bool td_gpu_next_told(const struct td_gpu *g, uint32_t device_id, struct td_interval *rest,
		      struct td_interval *part)
{
	const unsigned *teller = g->gpus[device_id].teller;
	size_t i = segment_at(g, rest->start_ns), end;

	if (!teller)
		return false;
	while (i + 1 < g->ncuts && g->cuts[i] < rest->end_ns && teller[i] == TD_TELLER_NOBODY)
		i++;
	for (end = i; end + 1 < g->ncuts && g->cuts[end] < rest->end_ns; end++)
		if (teller[end] == TD_TELLER_NOBODY)
			break;
	if (end == i)
		return false;
	*part = (struct td_interval){ TD_MAX(rest->start_ns, g->cuts[i]),
				      TD_MIN(rest->end_ns, g->cuts[end]) };
	rest->start_ns = part->end_ns;
	return part->end_ns > part->start_ns;
}

struct td_range td_gpu_idle_in(const struct td_gpu *g, uint32_t device_id, struct td_interval of)
{
	const struct td_one_gpu *gpu = &g->gpus[device_id];
	struct td_range sum = { 0, 0 };
	size_t i = segment_at(g, of.start_ns);

	if (!gpu->teller)
		return sum;
	for (; i + 1 < g->ncuts && g->cuts[i] < of.end_ns; i++) {
		struct td_interval part = { TD_MAX(of.start_ns, g->cuts[i]),
					    TD_MIN(of.end_ns, g->cuts[i + 1]) };
		struct td_range idle = { 0, 0 };

		if (gpu->teller[i] != TD_TELLER_NOBODY && part.end_ns > part.start_ns)
			idle = idle_in_part(g, device_id, i, part);
		sum.min += idle.min;
		sum.max += idle.max;
	}
	return sum;
}
