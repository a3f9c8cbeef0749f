/* SPDX-License-Identifier: MIT */
/* What is known of a GPU in stretches of time, from whoever tells of it then. */
#include "store/derive/gpu_private.h"
#include "common/array.h"

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

/* The next stretch of the interval, from *i on, of which one and the same tells. The begin and the
 * end of the interval are cuts, or lie outside all of them. */
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

/* A stretch of which somebody tells. */
struct told {
	unsigned teller;
	size_t place; /* among all of them, by time */
	struct td_interval stretch;
};

struct told_list {
	struct told *told; /* owned */
	size_t n, cap;
};

static void told_done(struct told_list *list)
{
	free(list->told);
}

static int list_told(const struct td_gpu *g, const struct td_one_gpu *gpu,
		     const struct td_interval *of, size_t n, struct told_list *ret)
{
	struct told t;

	for (size_t k = 0; k < n; k++) {
		size_t i = first_cut(g, of[k].start_ns);

		while (next_stretch(g, gpu, of[k], &i, &t.stretch, &t.teller)) {
			if (t.teller == TD_TELLER_NOBODY)
				continue;
			if (td_grow(&ret->told, &ret->cap, ret->n) < 0)
				return -ENOMEM;
			t.place = ret->n;
			ret->told[ret->n++] = t;
		}
	}
	return 0;
}

static int by_teller(const void *a, const void *b)
{
	const struct told *x = a, *y = b;

	return x->teller != y->teller ? (x->teller > y->teller) - (x->teller < y->teller)
				      : (x->place > y->place) - (x->place < y->place);
}

static int by_place(const void *a, const void *b)
{
	const struct told *x = a, *y = b;

	return (x->place > y->place) - (x->place < y->place);
}

/* What goes on in all of it, whoever tells. */
static void add_io(const struct td_gpu_side *side, const struct told_list *list,
		   struct td_gpu_window *w)
{
	for (size_t i = 0; i < list->n; i++) {
		struct td_interval of = list->told[i].stretch;
		int64_t io[TD_IO_LAYERS];

		w->wall_ns += of.end_ns - of.start_ns;
		td_io_table_between(&side->io, of.start_ns, of.end_ns, io);
		for (int l = 0; l < TD_IO_LAYERS; l++)
			w->io_ns[l] += io[l];
	}
}

static void add_kernels(const struct td_gpu_side *side, const struct td_one_gpu *gpu,
			const struct told *told, size_t n, struct td_gpu_window *w)
{
	for (size_t i = 0; i < n; i++) {
		struct td_interval of = told[i].stretch;
		int64_t io[TD_IO_LAYERS];

		td_io_table_between(&side->io, of.start_ns, of.end_ns, io);
		add_exact(gpu, of.start_ns, of.end_ns, io, &w->overlap);
	}
}

static void gather(const struct td_gpu_side *side, const struct td_series *s,
		   const struct told *told, size_t n, struct td_gathered *ret)
{
	td_series_begin(s, &side->io, ret);
	for (size_t i = 0; i < n; i++)
		td_series_gather(s, told[i].stretch.start_ns, told[i].stretch.end_ns, ret);
}

static void add_series(const struct td_gpu_side *side, const struct td_series *s,
		       const struct told *told, size_t n, struct td_gpu_window *w)
{
	struct td_gathered gathered;
	struct td_overlap o;

	gather(side, s, told, n, &gathered);
	o = td_series_conclude(s, &gathered);
	td_overlap_add(&w->overlap, &o);
	w->basis = TD_MAX(w->basis, td_series_sampler(s)->basis);
}

/* Teller by teller: one of thousands of short logs says nothing of most windows. */
static void add_told(const struct td_gpu_side *side, const struct td_one_gpu *gpu,
		     const struct told *told, size_t n, struct td_gpu_window *w)
{
	for (size_t i = 0, end; i < n; i = end) {
		unsigned teller = told[i].teller;

		for (end = i + 1; end < n && told[end].teller == teller;)
			end++;
		if (teller == TD_TELLER_KERNELS)
			add_kernels(side, gpu, told + i, end - i, w);
		else
			add_series(side, gpu->series[teller - TD_TELLER_SERIES], told + i, end - i,
				   w);
	}
}

static bool samples_all(const struct td_series *s, const struct told *told, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!td_series_sampled(s, told[i].stretch.start_ns, told[i].stretch.end_ns))
			return false;
	return n > 0;
}

/* What others say that hold the truth, too: series that looked at all that anybody tells about. 0 or -ENOMEM. */
static int narrow(const struct td_gpu_side *side, const struct td_one_gpu *gpu,
		  const struct told_list *list, unsigned only_teller, struct td_gpu_window *w)
{
	_cleanup_(td_interval_numbers_done) struct td_interval_numbers found = { 0 };
	int r = 0;

	if (w->basis == TD_BASIS_BOUNDS)
		r = td_interval_index_find(&gpu->by_time, list->told[0].stretch.start_ns,
					   list->told[list->n - 1].stretch.end_ns, &found);
	for (size_t k = 0; k < found.n && w->basis == TD_BASIS_BOUNDS; k++) {
		unsigned i = found.items[k];
		const struct td_series *s = gpu->series[i];
		struct td_gathered gathered;
		struct td_overlap o;

		if (td_series_sampler(s)->basis != TD_BASIS_BOUNDS ||
		    only_teller == TD_TELLER_SERIES + i || !samples_all(s, list->told, list->n))
			continue;
		gather(side, s, list->told, list->n, &gathered);
		o = td_series_conclude(s, &gathered);
		if (!td_overlap_meet(&w->overlap, &o))
			w->basis = TD_BASIS_CONFLICT;
	}
	return r;
}

int td_gpu_look(const struct td_gpu *g, const struct td_one_gpu *gpu, const struct td_interval *of,
		size_t n, struct td_gpu_window *ret)
{
	_cleanup_(told_done) struct told_list list = { 0 };
	const struct td_gpu_side *side = td_gpu_side_of(g, gpu);
	unsigned only_teller = TD_TELLER_NOBODY;

	*ret = (struct td_gpu_window){ 0 };
	if (list_told(g, gpu, of, n, &list) < 0)
		return -ENOMEM;
	if (!list.n)
		return 0;
	qsort(list.told, list.n, sizeof(*list.told), by_teller);
	if (list.told[0].teller == list.told[list.n - 1].teller)
		only_teller = list.told[0].teller;
	add_io(side, &list, ret);
	add_told(side, gpu, list.told, list.n, ret);
	qsort(list.told, list.n, sizeof(*list.told), by_place);
	return narrow(side, gpu, &list, only_teller, ret);
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
	const struct td_one_gpu *gpu = &g->gpus[device_id];
	int64_t length = part.end_ns - part.start_ns;
	struct td_range idle = { 0, length };

	if (gpu->teller[segment] == TD_TELLER_KERNELS) {
		idle.max -= busy_in(g, device_id, part);
		idle.min = idle.max;
	} else if (gpu->kept) {
		int64_t all_ns = g->cuts[segment + 1] - g->cuts[segment];

		idle.max = TD_MIN(length, all_ns - gpu->kept[segment].busy.min);
		idle.min = TD_MAX(length - gpu->kept[segment].busy.max, 0);
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
