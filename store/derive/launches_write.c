/* SPDX-License-Identifier: MIT */
/* The rows of launch_sum: of each GPU and phase what was counted, and of how long its kernels waited the median, the
 * least and the most. */
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/median.h"
#include "store/derive/launches_private.h"
#include "store/write/row_builder.h"

/* Begin of the phase, the first time, and how much of it the GPU's work spans; TD_NULL: the run. */
static int64_t measure_phase(const struct td_launching *l, uint32_t label,
			     const struct td_launching_gpu *gpu, int64_t *ret_wall_ns)
{
	int64_t since_ns = TD_NULL, wall_ns = 0;

	for (size_t i = 0; i < l->nintervals; i++) {
		const struct td_interval *on = &l->intervals[i].on;

		if (l->intervals[i].label != label)
			continue;
		if (since_ns == TD_NULL)
			since_ns = on->start_ns; /* that of the run is TD_NULL */
		wall_ns += TD_MAX(TD_MIN(on->end_ns, gpu->end_ns) -
					  TD_MAX(on->start_ns, gpu->first_ns),
				  INT64_C(0));
	}
	*ret_wall_ns = wall_ns;
	return since_ns;
}

static int write_group(const struct td_launching *l, uint32_t label, uint32_t device_id,
		       int64_t *delays, struct td_row_builder *rows)
{
	const struct td_launching_group *g = &l->groups[label * l->ngpus + device_id];
	bool known = g->known > 0;
	int64_t since_ns, wall_ns, shortest_ns = TD_NULL, longest_ns = TD_NULL;

	for (int64_t i = 0; i < g->known; i++) {
		shortest_ns = i ? TD_MIN(shortest_ns, delays[i]) : delays[i];
		longest_ns = TD_MAX(longest_ns, delays[i]); /* TD_NULL is the least */
	}
	since_ns = measure_phase(l, label, &l->gpus[device_id], &wall_ns);
	td_row_i64(rows, device_id);
	td_row_text(rows, label ? td_intern_get(&l->names, label).p : TD_LAUNCHING_RUN);
	td_row_i64(rows, since_ns);
	td_row_i64(rows, wall_ns);
	td_row_i64(rows, g->kernels);
	td_row_i64(rows, g->total_ns);
	td_row_i64(rows, known ? g->launches : TD_NULL);
	td_row_i64(rows, g->launches ? g->launch_ns : TD_NULL);
	td_row_f64(rows, known ? (double)td_twice_median(delays, (size_t)g->known) / 2 : NAN);
	td_row_i64(rows, g->gaps);
	td_row_i64(rows, g->gap_ns);
	td_row_i64(rows, known ? g->starved : TD_NULL);
	td_row_i64(rows, known ? g->starved_ns : TD_NULL);
	td_row_i64(rows, shortest_ns);
	td_row_i64(rows, longest_ns);
	return td_row_builder_end_row(rows);
}

/* How long the kernels of a stretch waited, each behind those of its GPU. */
static void gather_stretch(const struct td_launching *l, size_t stretch, int64_t **behind)
{
	for (size_t k = l->stretches[stretch].first; k < td_launching_first_behind(l, stretch); k++)
		if (l->kernels[k] & TD_LAUNCHING_KNOWN)
			*behind[td_launching_device(l->kernels[k])]++ =
				(int64_t)(l->kernels[k] << (64 - TD_LAUNCHING_DELAY_BITS)) >>
				(64 - TD_LAUNCHING_DELAY_BITS);
}

/* A phase of several runs may be on twice. */
static void gather(const struct td_launching *l, uint32_t label, int64_t **behind)
{
	for (size_t i = 0; i < l->nstretches; i++) {
		const struct td_launching_stretch *s = &l->stretches[i];

		for (size_t on = 0; on < s->nlabels; on++)
			if (l->labels[s->labels + on] == label)
				gather_stretch(l, i, behind);
	}
}

static int write_label(const struct td_launching *l, uint32_t label, struct td_row_builder *rows)
{
	const struct td_launching_group *groups = &l->groups[label * l->ngpus];
	_cleanup_free_ int64_t *delays = NULL;
	_cleanup_free_ int64_t **behind = calloc(l->ngpus, sizeof(*behind));
	size_t n = 0;
	int r = 0;

	for (size_t d = 0; d < l->ngpus; d++)
		n += (size_t)groups[d].known;
	delays = malloc(n * sizeof(*delays) + 1);
	if (!behind || !delays)
		return -ENOMEM;
	n = 0;
	for (size_t d = 0; d < l->ngpus; d++) {
		behind[d] = delays + n;
		n += (size_t)groups[d].known;
	}
	gather(l, label, behind);
	for (uint32_t d = 0; d < l->ngpus && r >= 0; d++)
		if (groups[d].kernels)
			r = write_group(l, label, d, behind[d] - groups[d].known, rows);
	return r;
}

int td_launching_write(void *ud, const struct td_target *target, struct td_err *err)
{
	struct td_launching *l = ud;
	_cleanup_(td_row_builder_done) struct td_row_builder rows = { 0 };
	int r = td_row_builder_open(&rows, target, "launch_sum", err);

	td_call_numbers_done(&l->calls);
	free(TAKE_PTR(l->next));
	for (uint32_t label = 0; l->n && label <= l->names.n && r >= 0; label++)
		r = write_label(l, label, &rows);
	td_launching_give_back(l);
	return r;
}
