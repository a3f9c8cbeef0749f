/* SPDX-License-Identifier: MIT */
/* Writes gpu_sampler, gpu_segment, gpu_phase and gpu_idle_part. */
#include "store/derive/gpu_private.h"

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
			struct td_gpu_window w;

			if (!g->gpus[d].teller || g->gpus[d].teller[i] == TD_TELLER_NOBODY)
				continue;
			r = td_gpu_look(g, &g->gpus[d], &of, 1, &w);
			if (r < 0)
				return r;
			td_row_i64(rows, of.start_ns);
			td_row_key(rows, d);
			td_row_text(rows, td_basis_name(w.basis));
			td_overlap_bind(&w.overlap, rows, td_gpu_side_of(g, &g->gpus[d])->known);
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
			 const struct td_gpu_window *w, struct td_row_builder *rows);

static int write_activity(const struct td_gpu *g, struct moment at, uint32_t device_id,
			  const struct td_gpu_window *w, struct td_row_builder *rows)
{
	const bool *known = td_gpu_side_of(g, &g->gpus[device_id])->known;

	td_row_text(rows, at.label);
	td_row_i64(rows, at.start_ns);
	td_row_key(rows, device_id);
	td_row_text(rows, td_basis_name(w->basis));
	td_row_i64(rows, w->wall_ns);
	for (int l = 0; l < TD_IO_CAUSE; l++)
		td_row_i64(rows, known[l] ? w->io_ns[l] : TD_NULL);
	td_overlap_bind(&w->overlap, rows, known);
	td_row_i64(rows, at.run_number);
	return td_row_builder_end_row(rows);
}

static int write_idle_part(struct moment at, uint32_t device_id, const char *whose,
			   const struct td_gpu_window *w, const char *cause, int64_t cause_ns,
			   struct td_range idle, struct td_row_builder *rows)
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
	td_row_text(rows, whose);
	return td_row_builder_end_row(rows);
}

/* A row for each cause that is known, and one for what is left. */
static int write_idle(const struct td_gpu *g, struct moment at, uint32_t device_id,
		      const struct td_gpu_window *w, struct td_row_builder *rows)
{
	const struct td_one_gpu *gpu = &g->gpus[device_id];
	const bool *known = td_gpu_side_of(g, gpu)->known;
	const char *whose = gpu->party == TD_ANYONE ? NULL : "own";
	int r = 0;

	for (int l = TD_IO_CAUSE; l < TD_IO_ANY_CAUSE && r >= 0; l++) {
		struct td_range both = w->overlap.both[l];
		struct td_range idle = { w->io_ns[l] - both.max, w->io_ns[l] - both.min };

		if (known[l])
			r = write_idle_part(at, device_id, whose, w,
					    td_cause_names[l - TD_IO_CAUSE], w->io_ns[l], idle,
					    rows);
	}
	if (r < 0 || !known[TD_IO_ANY_CAUSE])
		return r;
	return write_idle_part(at, device_id, whose, w, td_cause_names[TD_CAUSE_NONE],
			       w->wall_ns - w->io_ns[TD_IO_ANY_CAUSE],
			       w->overlap.neither[TD_IO_ANY_CAUSE], rows);
}

/* Each GPU of which anything is known then. */
static int write_phase(const struct td_gpu *g, struct moment at, const struct td_interval *of,
		       size_t n, write_window *write, struct td_row_builder *rows)
{
	int r = 0;

	for (uint32_t d = 1; d < g->ngpus && r >= 0; d++) {
		struct td_gpu_window w;

		if (!g->gpus[d].teller)
			continue;
		r = td_gpu_look(g, &g->gpus[d], of, n, &w);
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
