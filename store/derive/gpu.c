/* SPDX-License-Identifier: MIT */
#include "store/derive/gpu_private.h"
#include "common/array.h"
#include "common/caldate.h"

#define NEAR_NS (2 * TD_SEC_NS)

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

static void gpu_done(struct td_one_gpu *gpu)
{
	for (size_t i = 0; i < gpu->nseries; i++)
		td_series_free(gpu->series[i]);
	free(gpu->series);
	td_interval_index_done(&gpu->by_time);
	free(gpu->teller);
	free(gpu->kept);
	td_meter_done(&gpu->busy);
	for (int l = 0; l < TD_IO_LAYERS; l++)
		td_meter_done(&gpu->both[l]);
}

static void side_done(struct td_gpu_side *side)
{
	for (int l = 0; l < TD_IO_LAYERS; l++)
		td_meter_done(&side->meters[l]);
	td_io_table_done(&side->io);
}

void td_gpu_free(struct td_gpu *g)
{
	if (!g)
		return;
	for (size_t d = 0; d < g->ngpus; d++)
		gpu_done(&g->gpus[d]);
	for (unsigned k = 0; k < g->nsides; k++)
		side_done(&g->sides[k]);
	free(g->sides);
	td_parties_free(g->parties);
	td_times_done(&g->points);
	td_kernels_free(g->kernels);
	free(g->gpus);
	td_keys_done(&g->series_keys);
	free(g->series);
	free(g->windows);
	free(g);
}

int td_gpu_begin(struct td_gpu *g, struct td_store *st)
{
	g->in = td_store_contents(st);
	g->ngpus = g->in->ndevices + 1;
	g->gpus = calloc(g->ngpus, sizeof(*g->gpus));
	if (!g->gpus || td_parties_new(g->in, &g->parties) < 0)
		return -ENOMEM;
	return td_kernels_begin(g->kernels, st);
}

/* --- what there is --- */

static struct td_series *add_series(struct td_gpu *g, const struct td_track *track)
{
	struct td_one_gpu *gpu = &g->gpus[track->device_id];
	const struct td_sampler *sampler = td_sampler_of(&g->in->sources[track->source_id - 1]);
	struct td_series *s;
	size_t i;

	/* NOLINTNEXTLINE(bugprone-sizeof-expression): the array is of pointers */
	if (td_grow(&gpu->series, &gpu->cap, gpu->nseries) < 0 ||
	    td_series_new(track->source_id, sampler, &s) < 0)
		return NULL;
	for (i = gpu->nseries++; i && td_series_sampler(gpu->series[i - 1])->rank > sampler->rank;
	     i--)
		gpu->series[i] = gpu->series[i - 1];
	return gpu->series[i] = s;
}

/* The series of the track's GPU and source, made if there is none; NULL: no memory. */
static struct td_series *series_of(struct td_gpu *g, const struct td_track *track)
{
	struct td_key key = { .lo = track->device_id, .hi = track->source_id };
	size_t n = g->series_keys.n;
	uint32_t i;

	/* NOLINTNEXTLINE(bugprone-sizeof-expression): the array is of pointers */
	if (td_keys_reserve(&g->series_keys, 1) < 0 || td_grow(&g->series, &g->series_cap, n) < 0)
		return NULL;
	i = td_keys_add(&g->series_keys, key);
	if (i == n)
		g->series[i] = add_series(g, track);
	return g->series[i];
}

/* Of the first one it is not known; most tools print once a second. */
static int64_t period_of(const struct td_sample *sample)
{
	return sample->dur_ns == TD_NULL ? TD_SEC_NS : sample->dur_ns;
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
	if (td_parties_add(g->parties, track->device_id, track->process_id,
			   sample->value / 100 * (double)period_of(sample)) < 0)
		return -ENOMEM;
	if (track->process_id && !td_series_sampler(s)->by_process)
		return 0;
	return td_series_add(s, sample, track->process_id);
}

int td_gpu_op(struct td_gpu *g, const struct td_gpu_op *op)
{
	int r = td_parties_add(g->parties, op->device_id, op->process_id, (double)op->dur_ns);

	return r < 0 ? r : td_kernels_add(g->kernels, op);
}

const struct td_busy *td_gpu_busy(const struct td_gpu *g, uint32_t device_id)
{
	return td_kernels_busy(g->kernels, device_id);
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

/* Which series were at it, found for one segment after the other. */
struct found {
	struct td_interval_numbers sampled, near;
};

static void found_done(struct found *f)
{
	td_interval_numbers_done(&f->sampled);
	td_interval_numbers_done(&f->near);
}

/* Was any of it sampled by a better series than the i-th? Or -ENOMEM. */
static int better_touches(const struct td_one_gpu *gpu, unsigned i, int64_t from_ns, int64_t to_ns,
			  struct td_interval_numbers *near)
{
	int r;

	near->n = 0;
	r = td_interval_index_find(&gpu->by_time, to_ns - 1, from_ns, near);
	for (size_t k = 0; r >= 0 && k < near->n && near->items[k] < i; k++)
		if (td_series_touches(gpu->series[near->items[k]], from_ns, to_ns))
			return true;
	return r;
}

/* The last second before a better source began to look, or the first one after, would make the
 * whole as uncertain as it is: an estimate, and of samples beside kernels also the first one's
 * period, which began before the recording. Or -ENOMEM. */
static int is_filler(const struct td_gpu *g, uint32_t device_id, unsigned i, int64_t from_ns,
		     int64_t to_ns, struct found *f)
{
	const struct td_one_gpu *gpu = &g->gpus[device_id];
	bool near = td_kernels_touch(g->kernels, device_id, from_ns - NEAR_NS, to_ns + NEAR_NS);

	if (td_series_sampler(gpu->series[i])->basis != TD_BASIS_ESTIMATE)
		return near && !td_kernels_between(g->kernels, device_id, from_ns, to_ns);
	return near ? near : better_touches(gpu, i, from_ns - NEAR_NS, to_ns + NEAR_NS, &f->near);
}

/* 0 or -ENOMEM. */
static int find_teller(const struct td_gpu *g, uint32_t device_id, int64_t from_ns, int64_t to_ns,
		       struct found *f, unsigned *ret)
{
	const struct td_one_gpu *gpu = &g->gpus[device_id];
	int r;

	*ret = TD_TELLER_KERNELS;
	if (td_kernels_looked(g->kernels, device_id, from_ns, to_ns))
		return 0;
	*ret = TD_TELLER_NOBODY;
	f->sampled.n = 0;
	r = td_interval_index_find(&gpu->by_time, from_ns, to_ns, &f->sampled);
	for (size_t k = 0; k < f->sampled.n && r >= 0; k++) {
		unsigned i = f->sampled.items[k];

		if (!td_series_sampled(gpu->series[i], from_ns, to_ns))
			continue;
		r = is_filler(g, device_id, i, from_ns, to_ns, f);
		if (r == 0)
			*ret = TD_TELLER_SERIES + i;
		return TD_MIN(r, 0);
	}
	return r;
}

/* From the first sample to the last, whatever is between them. */
static int index_series(struct td_one_gpu *gpu)
{
	int r = 0;

	for (unsigned i = 0; i < gpu->nseries && r >= 0; i++) {
		size_t n;
		const struct td_interval *of = td_series_stretches(gpu->series[i], &n);

		if (n)
			r = td_interval_index_add(
				&gpu->by_time,
				(struct td_interval){ of[0].start_ns, of[n - 1].end_ns }, i);
	}
	td_interval_index_sort(&gpu->by_time);
	return r;
}

static int find_tellers(struct td_gpu *g, uint32_t device_id)
{
	_cleanup_(found_done) struct found found = { 0 };
	struct td_one_gpu *gpu = &g->gpus[device_id];
	int r = index_series(gpu);

	gpu->teller = calloc(g->ncuts, sizeof(*gpu->teller));
	if (!gpu->teller)
		return -ENOMEM;
	for (size_t i = 0; i + 1 < g->ncuts && r >= 0; i++)
		r = find_teller(g, device_id, g->cuts[i], g->cuts[i + 1], &found, &gpu->teller[i]);
	return r;
}

static int meter_kernels(struct td_gpu *g, uint32_t device_id)
{
	struct td_one_gpu *gpu = &g->gpus[device_id];
	const struct td_busy *busy = td_kernels_busy(g->kernels, device_id);
	struct td_busy_place at = { 0 };
	struct td_interval on;
	int r = td_meter_init(&gpu->busy, g->cuts, g->ncuts);

	gpu->traced = true;
	for (int l = 0; l < TD_IO_LAYERS && r >= 0; l++)
		r = td_meter_init(&gpu->both[l], g->cuts, g->ncuts);
	if (r < 0)
		return r;
	for (; td_busy_get(busy, &at, &on); at.i++)
		td_meter_add(&gpu->busy, on.start_ns, on.end_ns);
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

static int open_sides(struct td_gpu *g)
{
	int r = 0;

	td_parties_find(g->parties);
	for (uint32_t d = 1; d < g->ngpus; d++)
		g->gpus[d].party = td_parties_of_gpu(g->parties, d);
	g->sides = calloc(td_parties_count(g->parties), sizeof(*g->sides));
	if (!g->sides)
		return -ENOMEM;
	g->nsides = td_parties_count(g->parties);
	for (unsigned k = 0; k < g->nsides; k++)
		for (int l = 0; l < TD_IO_LAYERS && r >= 0; l++)
			r = td_meter_init(&g->sides[k].meters[l], g->points.ns, g->points.n);
	return r;
}

int td_gpu_cut(struct td_gpu *g, const int64_t *cuts, size_t n)
{
	int r;

	g->cuts = cuts;
	g->ncuts = n;
	r = add_points(g);
	if (r >= 0)
		r = open_sides(g);
	for (uint32_t d = 1; d < g->ngpus && r >= 0; d++) {
		bool traced = td_kernels_any(g->kernels, d);

		if (traced)
			r = meter_kernels(g, d);
		if (r >= 0 && (traced || g->gpus[d].nseries))
			r = find_tellers(g, d);
	}
	return r;
}

const struct td_parties *td_gpu_parties(const struct td_gpu *g)
{
	return g->parties;
}

bool td_gpu_told(const struct td_gpu *g, uint32_t device_id)
{
	return g->gpus[device_id].teller != NULL;
}

bool td_gpu_any(const struct td_gpu *g)
{
	for (uint32_t d = 1; d < g->ngpus; d++)
		if (td_gpu_told(g, d))
			return true;
	return false;
}

/* --- I/O --- */

/* Counts what of the I/O has the GPU busy. */
static void meet(const struct td_gpu *g, uint32_t device_id, enum td_io_layer layer,
		 int64_t start_ns, int64_t end_ns)
{
	struct td_one_gpu *gpu = &g->gpus[device_id];
	const struct td_busy *busy = td_kernels_busy(g->kernels, device_id);
	struct td_busy_place at;
	struct td_interval on;
	bool more;

	while ((more = td_busy_get(busy, &gpu->at[layer], &on)) && on.end_ns <= start_ns)
		gpu->at[layer].i++;
	at = gpu->at[layer];
	while (more && on.start_ns < end_ns) {
		td_meter_add(&gpu->both[layer], TD_MAX(start_ns, on.start_ns),
			     TD_MIN(end_ns, on.end_ns));
		at.i++;
		/* they do not touch, so no other one begins before the end of this one */
		more = on.end_ns < end_ns && td_busy_get(busy, &at, &on);
	}
}

void td_gpu_io(struct td_gpu *g, enum td_io_layer layer, int64_t start_ns, int64_t end_ns)
{
	for (unsigned k = 0; k < g->nsides; k++)
		td_meter_add(&g->sides[k].meters[layer], start_ns, end_ns);
	for (uint32_t d = 1; d < g->ngpus; d++)
		if (g->gpus[d].traced)
			meet(g, d, layer, start_ns, end_ns);
}

void td_gpu_know_io(struct td_gpu *g, enum td_io_layer layer)
{
	for (unsigned k = 0; k < g->nsides; k++)
		g->sides[k].known[layer] = true;
}

void td_gpu_cause(struct td_gpu *g, unsigned party, enum td_cause cause, int64_t start_ns,
		  int64_t end_ns)
{
	td_meter_add(&g->sides[party].meters[TD_IO_CAUSE + cause], start_ns, end_ns);
	for (uint32_t d = 1; d < g->ngpus; d++)
		if (g->gpus[d].traced && g->gpus[d].party == party)
			meet(g, d, TD_IO_CAUSE + cause, start_ns, end_ns);
}

void td_gpu_know_cause(struct td_gpu *g, unsigned party, enum td_cause cause)
{
	g->sides[party].known[TD_IO_CAUSE + cause] = true;
}

int td_gpu_finish(struct td_gpu *g)
{
	int r = 0;

	g->finished = true;
	for (size_t d = 0; d < g->ngpus; d++)
		for (int l = 0; l < TD_IO_LAYERS && g->gpus[d].traced; l++)
			td_meter_finish(&g->gpus[d].both[l]);
	for (unsigned k = 0; k < g->nsides && r >= 0; k++) {
		struct td_gpu_side *side = &g->sides[k];

		for (int l = 0; l < TD_IO_LAYERS; l++)
			td_meter_finish(&side->meters[l]);
		r = td_io_table_init(&side->io, side->meters);
	}
	return r;
}
