/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "store/derive/gpu.h"
#include "common/array.h"

/* A sampled period of one GPU: all processes' samples of one time. */
struct period {
	int64_t start_ns, end_ns;
	double percent; /* sum over the processes that were sampled */
	double whole; /* of the GPU, where the tool tells that, too; NaN: it does not */
	bool unknown; /* a process was there that was not sampled: percent is only a lower bound */
};

struct gpu {
	uint32_t device_id;
	uint16_t source_id; /* where its samples come from: the first source that has any */
	struct period *periods;
	size_t n, cap;
	size_t at; /* next period to write */
};

struct td_gpu {
	const struct td_contents *in;
	struct gpu *gpus; /* by device id */
	size_t ngpus;
};

int td_gpu_new(struct td_gpu **ret)
{
	struct td_gpu *g = calloc(1, sizeof(*g));

	if (!g)
		return -ENOMEM;
	*ret = g;
	return 0;
}

void td_gpu_free(struct td_gpu *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->ngpus; i++)
		free(g->gpus[i].periods);
	free(g->gpus);
	free(g);
}

int td_gpu_begin(struct td_gpu *g, struct td_store *st)
{
	g->in = td_store_contents(st);
	g->ngpus = g->in->ndevices + 1;
	g->gpus = calloc(g->ngpus, sizeof(*g->gpus));
	return g->gpus ? 0 : -ENOMEM;
}

/* Adds one process's share to the period that ends at the sample's time. A process that is there but
 * printed as '-' was not sampled; '-' for the whole GPU means that nothing ran on it. */
static void add_share(struct period *p, const struct td_track *track, double percent)
{
	if (!track->process_id)
		p->whole = isnan(percent) ? p->whole : percent;
	else if (!isnan(percent))
		p->percent += percent;
	else
		p->unknown = true;
}

int td_gpu_sample(struct td_gpu *g, const struct td_sample *sample)
{
	const struct td_track *track = &g->in->tracks[sample->track_id - 1];
	struct gpu *gpu = &g->gpus[track->device_id];
	int r;

	if (!track->device_id || sample->dur_ns == TD_NULL || strcmp(track->name, "gpu.sm") != 0)
		return 0;
	if (!gpu->source_id)
		gpu->source_id = track->source_id;
	/* two tools that sampled the same GPU say the same twice */
	if (gpu->source_id != track->source_id)
		return 0;
	gpu->device_id = track->device_id;
	if (gpu->n && gpu->periods[gpu->n - 1].end_ns == sample->ts_ns) {
		add_share(&gpu->periods[gpu->n - 1], track, sample->value);
		return 0;
	}
	r = td_grow(&gpu->periods, &gpu->cap, gpu->n);
	if (r < 0)
		return r;
	gpu->periods[gpu->n] = (struct period){
		.start_ns = sample->ts_ns - sample->dur_ns,
		.end_ns = sample->ts_ns,
		.whole = NAN,
	};
	/* a period cannot begin before the one before ended */
	if (gpu->n)
		gpu->periods[gpu->n].start_ns =
			TD_MAX(gpu->periods[gpu->n].start_ns, gpu->periods[gpu->n - 1].end_ns);
	add_share(&gpu->periods[gpu->n++], track, sample->value);
	return 0;
}

int td_gpu_times(struct td_gpu *g, struct td_times *times)
{
	for (size_t d = 0; d < g->ngpus; d++) {
		for (size_t i = 0; i < g->gpus[d].n; i++) {
			int r = td_times_add(times, g->gpus[d].periods[i].start_ns);

			if (r >= 0)
				r = td_times_add(times, g->gpus[d].periods[i].end_ns);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

/* Of the busy time b of a period of length p, a part of length l holds at least b - (p - l), namely when
 * the rest is busy throughout, and at most the smaller of b and l. */
static int write_part(struct td_row_builder *stmt, const struct gpu *gpu, const struct period *p,
		      int64_t start_ns, int64_t end_ns)
{
	int64_t length = p->end_ns - p->start_ns, part = end_ns - start_ns;
	double percent = isnan(p->whole) ? p->percent : p->whole;
	int64_t busy = (int64_t)llround((double)length * TD_MIN(percent, 100.0) / 100.0);
	int64_t most = p->unknown && isnan(p->whole) ? length : busy;

	td_row_i64(stmt, start_ns);
	td_row_key(stmt, gpu->device_id);
	td_row_i64(stmt, TD_MAX(busy - (length - part), 0));
	td_row_i64(stmt, TD_MIN(most, part));
	return td_row_builder_end_row(stmt);
}

int td_gpu_write(struct td_gpu *g, struct td_row_builder *stmt, int64_t start_ns, int64_t end_ns)
{
	for (size_t d = 0; d < g->ngpus; d++) {
		struct gpu *gpu = &g->gpus[d];
		int r;

		while (gpu->at < gpu->n && gpu->periods[gpu->at].end_ns <= start_ns)
			gpu->at++;
		if (gpu->at == gpu->n || gpu->periods[gpu->at].start_ns > start_ns)
			continue;
		r = write_part(stmt, gpu, &gpu->periods[gpu->at], start_ns, end_ns);
		if (r < 0)
			return r;
	}
	return 0;
}
