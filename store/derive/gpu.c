/* SPDX-License-Identifier: MIT */
#include "store/derive/gpu.h"
#include "store/derive/kernels.h"
#include "store/derive/series.h"
#include "common/array.h"
#include "common/caldate.h"

#define NEAR_NS (2 * TD_SEC_NS)

/* Who tells about a GPU in a segment: nobody, its kernels, or one of its series. */
enum { NOBODY, KERNELS, SERIES };

struct gpu {
	struct td_series **series; /* the best one first */
	size_t nseries, cap;
	bool traced;
	struct td_meter busy, both[TD_IO_LAYERS]; /* of what was traced, by segment */
	size_t at[TD_IO_LAYERS]; /* first of its busy intervals that may reach into the next I/O */
	unsigned *teller; /* by segment: NOBODY, KERNELS, SERIES and the number of the series */
};

struct td_gpu {
	const struct td_contents *in;
	struct td_kernels *kernels;
	struct gpu *gpus; /* by device id */
	size_t ngpus;
	const int64_t *cuts; /* where segments begin, and the end; borrowed */
	size_t ncuts;
	struct td_times points; /* the cuts, and the times that series ask for */
	struct td_meter io_meters[TD_IO_LAYERS]; /* until all has gone by, then in ... */
	struct td_io_table io;
	bool known[TD_IO_LAYERS];
	bool finished; /* all I/O has gone by: the samples can be asked */
};

/* A window that is being looked at. */
struct window {
	int64_t wall_ns, io_ns[TD_IO_LAYERS];
	enum td_basis basis;
	struct td_overlap overlap;
	struct td_gathered *gathered; /* by series */
};

int td_gpu_new(struct td_gpu **ret)
{
	struct td_gpu *g = calloc(1, sizeof(*g));
	int r;

	if (!g)
		return -ENOMEM;
	r = td_kernels_new(&g->kernels);
	if (r < 0) {
		free(g);
		return r;
	}
	*ret = g;
	return 0;
}

static void gpu_done(struct gpu *gpu)
{
	for (size_t i = 0; i < gpu->nseries; i++)
		td_series_free(gpu->series[i]);
	free(gpu->series);
	free(gpu->teller);
	td_meter_done(&gpu->busy);
	for (int l = 0; l < TD_IO_LAYERS; l++)
		td_meter_done(&gpu->both[l]);
}

void td_gpu_free(struct td_gpu *g)
{
	if (!g)
		return;
	for (size_t d = 0; d < g->ngpus; d++)
		gpu_done(&g->gpus[d]);
	for (int l = 0; l < TD_IO_LAYERS; l++)
		td_meter_done(&g->io_meters[l]);
	td_io_table_done(&g->io);
	td_times_done(&g->points);
	td_kernels_free(g->kernels);
	free(g->gpus);
	free(g);
}

int td_gpu_begin(struct td_gpu *g, struct td_store *st)
{
	g->in = td_store_contents(st);
	g->ngpus = g->in->ndevices + 1;
	g->gpus = calloc(g->ngpus, sizeof(*g->gpus));
	return g->gpus ? td_kernels_begin(g->kernels, st) : -ENOMEM;
}

/* --- what there is --- */

/* The series of the track's GPU and source, made if there is none; NULL: no memory. */
static struct td_series *series_of(struct td_gpu *g, const struct td_track *track)
{
	struct gpu *gpu = &g->gpus[track->device_id];
	const struct td_sampler *sampler;
	struct td_series *s;
	size_t i;

	for (i = 0; i < gpu->nseries; i++)
		if (td_series_source(gpu->series[i]) == track->source_id)
			return gpu->series[i];
	sampler = td_sampler_of(&g->in->sources[track->source_id - 1]);
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): the array is of pointers */
	if (td_grow(&gpu->series, &gpu->cap, gpu->nseries) < 0 ||
	    td_series_new(track->source_id, sampler, &s) < 0)
		return NULL;
	for (i = gpu->nseries++; i && td_series_sampler(gpu->series[i - 1])->rank > sampler->rank;
	     i--)
		gpu->series[i] = gpu->series[i - 1];
	return gpu->series[i] = s;
}

int td_gpu_sample(struct td_gpu *g, const struct td_sample *sample)
{
	const struct td_track *track = &g->in->tracks[sample->track_id - 1];
	struct td_series *s;

	if (!track->device_id || strcmp(track->name, "gpu.sm") != 0)
		return 0;
	s = series_of(g, track);
	if (!s)
		return -ENOMEM;
	if (track->process_id && !td_series_sampler(s)->by_process)
		return 0;
	return td_series_add(s, sample, track->process_id);
}

int td_gpu_op(struct td_gpu *g, const struct td_gpu_op *op)
{
	return td_kernels_add(g->kernels, op);
}

int td_gpu_span(struct td_gpu *g, const struct td_span *span)
{
	return td_kernels_span(g->kernels, span);
}

int td_gpu_times(struct td_gpu *g, struct td_times *times)
{
	int r = td_kernels_times(g->kernels, times);

	for (size_t d = 0; d < g->ngpus; d++)
		for (size_t i = 0; i < g->gpus[d].nseries && r >= 0; i++)
			r = td_series_times(g->gpus[d].series[i], times);
	return r;
}

/* --- cutting --- */

/* The last second before a better source began to look, or the first one after, would make the whole as uncertain as it is: an
 * estimate, and of samples beside kernels also the first one's period, which began before the recording. */
static bool is_filler(const struct td_gpu *g, uint32_t device_id, size_t i, int64_t from_ns,
		      int64_t to_ns)
{
	const struct gpu *gpu = &g->gpus[device_id];
	bool near = td_kernels_touch(g->kernels, device_id, from_ns - NEAR_NS, to_ns + NEAR_NS);

	if (td_series_sampler(gpu->series[i])->basis != TD_BASIS_ESTIMATE)
		return near && !td_kernels_between(g->kernels, device_id, from_ns, to_ns);
	while (i-- > 0 && !near)
		near = td_series_touches(gpu->series[i], from_ns - NEAR_NS, to_ns + NEAR_NS);
	return near;
}

static unsigned find_teller(const struct td_gpu *g, uint32_t device_id, int64_t from_ns,
			    int64_t to_ns)
{
	const struct gpu *gpu = &g->gpus[device_id];

	if (td_kernels_looked(g->kernels, device_id, from_ns, to_ns))
		return KERNELS;
	for (size_t i = 0; i < gpu->nseries; i++)
		if (td_series_sampled(gpu->series[i], from_ns, to_ns))
			return is_filler(g, device_id, i, from_ns, to_ns) ? NOBODY
									  : SERIES + (unsigned)i;
	return NOBODY;
}

static int find_tellers(struct td_gpu *g, uint32_t device_id)
{
	struct gpu *gpu = &g->gpus[device_id];

	gpu->teller = calloc(g->ncuts, sizeof(*gpu->teller));
	if (!gpu->teller)
		return -ENOMEM;
	for (size_t i = 0; i + 1 < g->ncuts; i++)
		gpu->teller[i] = find_teller(g, device_id, g->cuts[i], g->cuts[i + 1]);
	return 0;
}

static int meter_kernels(struct td_gpu *g, uint32_t device_id)
{
	struct gpu *gpu = &g->gpus[device_id];
	size_t n;
	const struct td_interval *busy = td_kernels_busy(g->kernels, device_id, &n);
	int r = td_meter_init(&gpu->busy, g->cuts, g->ncuts);

	gpu->traced = true;
	for (int l = 0; l < TD_IO_LAYERS && r >= 0; l++)
		r = td_meter_init(&gpu->both[l], g->cuts, g->ncuts);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++)
		td_meter_add(&gpu->busy, busy[i].start_ns, busy[i].end_ns);
	td_meter_finish(&gpu->busy);
	return 0;
}

static int add_points(struct td_gpu *g)
{
	int r = 0;

	for (size_t i = 0; i < g->ncuts && r >= 0; i++)
		r = td_times_add(&g->points, g->cuts[i]);
	for (size_t d = 0; d < g->ngpus; d++)
		for (size_t i = 0; i < g->gpus[d].nseries && r >= 0; i++)
			r = td_series_points(g->gpus[d].series[i], &g->points);
	td_times_sort(&g->points);
	return r;
}

int td_gpu_cut(struct td_gpu *g, const int64_t *cuts, size_t n)
{
	int r;

	g->cuts = cuts;
	g->ncuts = n;
	r = add_points(g);
	for (int l = 0; l < TD_IO_LAYERS && r >= 0; l++)
		r = td_meter_init(&g->io_meters[l], g->points.ns, g->points.n);
	for (uint32_t d = 1; d < g->ngpus && r >= 0; d++) {
		bool traced = td_kernels_any(g->kernels, d);

		if (traced)
			r = meter_kernels(g, d);
		if (r >= 0 && (traced || g->gpus[d].nseries))
			r = find_tellers(g, d);
	}
	return r;
}

bool td_gpu_any(const struct td_gpu *g)
{
	for (uint32_t d = 1; d < g->ngpus; d++)
		if (g->gpus[d].teller)
			return true;
	return false;
}

/* --- I/O --- */

/* Counts what of the I/O has the GPU busy. */
static void meet(const struct td_gpu *g, uint32_t device_id, enum td_io_layer layer,
		 int64_t start_ns, int64_t end_ns)
{
	struct gpu *gpu = &g->gpus[device_id];
	size_t n, *at = &gpu->at[layer];
	const struct td_interval *busy = td_kernels_busy(g->kernels, device_id, &n);

	while (*at < n && busy[*at].end_ns <= start_ns)
		++*at;
	for (size_t i = *at; i < n && busy[i].start_ns < end_ns; i++)
		td_meter_add(&gpu->both[layer], TD_MAX(start_ns, busy[i].start_ns),
			     TD_MIN(end_ns, busy[i].end_ns));
}

void td_gpu_io(struct td_gpu *g, enum td_io_layer layer, int64_t start_ns, int64_t end_ns)
{
	td_meter_add(&g->io_meters[layer], start_ns, end_ns);
	for (uint32_t d = 1; d < g->ngpus; d++)
		if (g->gpus[d].traced)
			meet(g, d, layer, start_ns, end_ns);
}

int td_gpu_finish(struct td_gpu *g, const bool known[TD_IO_LAYERS])
{
	g->finished = true;
	for (int l = 0; l < TD_IO_LAYERS; l++) {
		g->known[l] = known[l];
		td_meter_finish(&g->io_meters[l]);
		for (size_t d = 0; d < g->ngpus; d++)
			if (g->gpus[d].traced)
				td_meter_finish(&g->gpus[d].both[l]);
	}
	return td_io_table_init(&g->io, g->io_meters);
}

/* --- windows --- */

static void add_exact(const struct gpu *gpu, int64_t from_ns, int64_t to_ns,
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
static void add_stretch(const struct td_gpu *g, const struct gpu *gpu, unsigned teller,
			int64_t from_ns, int64_t to_ns, struct window *w)
{
	int64_t io[TD_IO_LAYERS];

	if (teller == NOBODY)
		return;
	w->wall_ns += to_ns - from_ns;
	td_io_table_between(&g->io, from_ns, to_ns, io);
	for (int l = 0; l < TD_IO_LAYERS; l++)
		w->io_ns[l] += io[l];
	if (teller == KERNELS)
		add_exact(gpu, from_ns, to_ns, io, &w->overlap);
	else
		td_series_gather(gpu->series[teller - SERIES], from_ns, to_ns, &g->io,
				 &w->gathered[teller - SERIES]);
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
static bool next_stretch(const struct td_gpu *g, const struct gpu *gpu, struct td_interval of,
			 size_t *i, struct td_interval *ret, unsigned *ret_teller)
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

static void add_interval(const struct td_gpu *g, const struct gpu *gpu, struct td_interval of,
			 struct window *w)
{
	size_t i = first_cut(g, of.start_ns);
	struct td_interval stretch;
	unsigned teller;

	while (next_stretch(g, gpu, of, &i, &stretch, &teller))
		add_stretch(g, gpu, teller, stretch.start_ns, stretch.end_ns, w);
}

/* Did the series look at all that anybody tells about? Then what it says of it is gathered. */
static bool gather_all(const struct td_gpu *g, const struct gpu *gpu, const struct td_series *s,
		       const struct td_interval *of, size_t n, struct td_gathered *ret)
{
	struct td_interval stretch;
	unsigned teller;

	*ret = (struct td_gathered){ 0 };
	for (size_t k = 0; k < n; k++) {
		size_t i = first_cut(g, of[k].start_ns);

		while (next_stretch(g, gpu, of[k], &i, &stretch, &teller)) {
			if (teller == NOBODY)
				continue;
			if (!td_series_sampled(s, stretch.start_ns, stretch.end_ns))
				return false;
			td_series_gather(s, stretch.start_ns, stretch.end_ns, &g->io, ret);
		}
	}
	return ret->any;
}

/* What others say that hold the truth, too. */
static void narrow(const struct td_gpu *g, const struct gpu *gpu, const struct td_interval *of,
		   size_t n, struct window *w)
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

/* What is known of a GPU in all the intervals together. 0, or -ENOMEM. */
static int look(const struct td_gpu *g, const struct gpu *gpu, const struct td_interval *of,
		size_t n, struct window *ret)
{
	_cleanup_free_ struct td_gathered *gathered = calloc(gpu->nseries + 1, sizeof(*gathered));

	if (!gathered)
		return -ENOMEM;
	*ret = (struct window){ .gathered = gathered };
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
	size_t n, low = 0, high;
	const struct td_interval *busy = td_kernels_busy(g->kernels, device_id, &n);
	int64_t sum = 0;

	for (high = n; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (busy[middle].end_ns <= of.start_ns)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < n && busy[low].start_ns < of.end_ns; low++)
		sum += TD_MIN(of.end_ns, busy[low].end_ns) -
		       TD_MAX(of.start_ns, busy[low].start_ns);
	return sum;
}

/* The part of a segment, of which somebody tells. */
static struct td_range idle_in_part(const struct td_gpu *g, uint32_t device_id, size_t segment,
				    struct td_interval part)
{
	struct td_interval all = { g->cuts[segment], g->cuts[segment + 1] };
	int64_t length = part.end_ns - part.start_ns;
	struct td_range idle = { 0, length };
	struct window w;

	if (g->gpus[device_id].teller[segment] == KERNELS) {
		idle.max -= busy_in(g, device_id, part);
		idle.min = idle.max;
	} else if (g->finished && look(g, &g->gpus[device_id], &all, 1, &w) >= 0) {
		idle.max = TD_MIN(length, all.end_ns - all.start_ns - w.overlap.busy.min);
		idle.min = TD_MAX(length - w.overlap.busy.max, 0);
	}
	return idle;
}

struct td_range td_gpu_idle_in(const struct td_gpu *g, uint32_t device_id, struct td_interval of)
{
	const struct gpu *gpu = &g->gpus[device_id];
	struct td_range sum = { 0, 0 };
	size_t i = first_cut(g, of.start_ns);

	if (!gpu->teller)
		return sum;
	if (i && (i == g->ncuts || g->cuts[i] > of.start_ns))
		i--; /* the segment that it begins in */
	for (; i + 1 < g->ncuts && g->cuts[i] < of.end_ns; i++) {
		struct td_interval part = { TD_MAX(of.start_ns, g->cuts[i]),
					    TD_MIN(of.end_ns, g->cuts[i + 1]) };
		struct td_range idle = { 0, 0 };

		if (gpu->teller[i] != NOBODY && part.end_ns > part.start_ns)
			idle = idle_in_part(g, device_id, i, part);
		sum.min += idle.min;
		sum.max += idle.max;
	}
	return sum;
}

/* --- writing --- */

static int write_sampler(uint32_t device_id, const struct td_series *s, struct td_row_builder *rows)
{
	const struct td_sampler *sampler = td_series_sampler(s);

	td_row_key(rows, device_id);
	td_row_i64(rows, td_series_source(s));
	td_row_i64(rows, sampler->rank);
	td_row_text(rows, td_basis_name(sampler->basis));
	td_row_i64(rows, sampler->after_min_ns);
	td_row_i64(rows, sampler->after_max_ns);
	td_row_f64(rows, sampler->below);
	td_row_f64(rows, sampler->above);
	td_row_i64(rows, sampler->off_ns);
	td_row_f64(rows, sampler->pace);
	return td_row_builder_end_row(rows);
}

int td_gpu_write_samplers(struct td_gpu *g, struct td_row_builder *rows)
{
	int r = 0;

	for (uint32_t d = 1; d < g->ngpus; d++)
		for (size_t i = 0; i < g->gpus[d].nseries && r >= 0; i++)
			if (td_series_any(g->gpus[d].series[i]))
				r = write_sampler(d, g->gpus[d].series[i], rows);
	return r;
}

int td_gpu_write_segments(struct td_gpu *g, struct td_row_builder *rows)
{
	int r = 0;

	for (size_t i = 0; i + 1 < g->ncuts; i++) {
		struct td_interval of = { g->cuts[i], g->cuts[i + 1] };

		for (uint32_t d = 1; d < g->ngpus && r >= 0; d++) {
			struct window w;

			if (!g->gpus[d].teller || g->gpus[d].teller[i] == NOBODY)
				continue;
			r = look(g, &g->gpus[d], &of, 1, &w);
			if (r < 0)
				return r;
			td_row_i64(rows, of.start_ns);
			td_row_key(rows, d);
			td_row_text(rows, td_basis_name(w.basis));
			td_overlap_bind(&w.overlap, rows, g->known);
			r = td_row_builder_end_row(rows);
		}
	}
	return r;
}

/* What a row of gpu_phase is about. */
struct moment {
	const char *label;
	int64_t start_ns, run_number; /* TD_NULL: all of them together */
};

typedef int write_window(const struct td_gpu *g, struct moment at, uint32_t device_id,
			 const struct window *w, struct td_row_builder *rows);

static int write_activity(const struct td_gpu *g, struct moment at, uint32_t device_id,
			  const struct window *w, struct td_row_builder *rows)
{
	td_row_text(rows, at.label);
	td_row_i64(rows, at.start_ns);
	td_row_key(rows, device_id);
	td_row_text(rows, td_basis_name(w->basis));
	td_row_i64(rows, w->wall_ns);
	for (int l = 0; l < TD_IO_CAUSE; l++)
		td_row_i64(rows, g->known[l] ? w->io_ns[l] : TD_NULL);
	td_overlap_bind(&w->overlap, rows, g->known);
	td_row_i64(rows, at.run_number);
	return td_row_builder_end_row(rows);
}

static int write_idle_part(struct moment at, uint32_t device_id, const struct window *w,
			   const char *cause, int64_t cause_ns, struct td_range idle,
			   struct td_row_builder *rows)
{
	int64_t all_max_ns = w->wall_ns - w->overlap.busy.min;

	td_row_text(rows, at.label);
	td_row_i64(rows, at.start_ns);
	td_row_i64(rows, at.run_number);
	td_row_key(rows, device_id);
	td_row_text(rows, cause);
	td_row_text(rows, td_basis_name(w->basis));
	td_row_i64(rows, cause_ns);
	/* where samples are placed is looser for a part than for the whole */
	td_row_i64(rows, TD_MIN(idle.min, all_max_ns));
	td_row_i64(rows, TD_MIN(idle.max, all_max_ns));
	return td_row_builder_end_row(rows);
}

/* A row for each cause that is known, and one for what is left. */
static int write_idle(const struct td_gpu *g, struct moment at, uint32_t device_id,
		      const struct window *w, struct td_row_builder *rows)
{
	int r = 0;

	for (int l = TD_IO_CAUSE; l < TD_IO_ANY_CAUSE && r >= 0; l++) {
		struct td_range both = w->overlap.both[l];
		struct td_range idle = { w->io_ns[l] - both.max, w->io_ns[l] - both.min };

		if (g->known[l])
			r = write_idle_part(at, device_id, w, td_cause_names[l - TD_IO_CAUSE],
					    w->io_ns[l], idle, rows);
	}
	if (r < 0 || !g->known[TD_IO_ANY_CAUSE])
		return r;
	return write_idle_part(at, device_id, w, td_cause_names[TD_CAUSE_NONE],
			       w->wall_ns - w->io_ns[TD_IO_ANY_CAUSE],
			       w->overlap.neither[TD_IO_ANY_CAUSE], rows);
}

/* Each GPU of which anything is known then. */
static int write_phase(const struct td_gpu *g, struct moment at, const struct td_interval *of,
		       size_t n, write_window *write, struct td_row_builder *rows)
{
	int r = 0;

	for (uint32_t d = 1; d < g->ngpus && r >= 0; d++) {
		struct window w;

		if (!g->gpus[d].teller)
			continue;
		r = look(g, &g->gpus[d], of, n, &w);
		if (r < 0 || !w.wall_ns)
			continue;
		r = write(g, at, d, &w, rows);
	}
	return r;
}

static int write_each_phase(const struct td_gpu *g, const struct td_phases *phases,
			    write_window *write, struct td_row_builder *rows)
{
	const struct td_interval all = { INT64_MIN, INT64_MAX };
	struct moment run = { "(run)", TD_NULL, TD_NULL };
	const struct td_phase *p;
	size_t at = 0;
	int r = write_phase(g, run, &all, 1, write, rows);

	while (r >= 0 && (p = td_phases_next(phases, &at)) != NULL) {
		struct moment m = { p->label, TD_NULL, p->all_runs ? TD_NULL : p->run_number };

		r = write_phase(g, m, p->intervals, p->n, write, rows);
		m.run_number = p->run_number;
		for (size_t i = 0; i < p->n && p->one_run && r >= 0; i++) {
			m.start_ns = p->intervals[i].start_ns;
			r = write_phase(g, m, &p->intervals[i], 1, write, rows);
		}
	}
	return r;
}

int td_gpu_write_phases(struct td_gpu *g, const struct td_phases *phases,
			struct td_row_builder *rows)
{
	return write_each_phase(g, phases, write_activity, rows);
}

int td_gpu_write_idle(struct td_gpu *g, const struct td_phases *phases, struct td_row_builder *rows)
{
	return write_each_phase(g, phases, write_idle, rows);
}
