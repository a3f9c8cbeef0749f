/* SPDX-License-Identifier: MIT */
/* Writes gpu_sampler, gpu_segment, gpu_phase, gpu_idle_part and gpu_idle_segment. */
#include "common/array.h"
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

static int write_segment(const struct td_gpu *g, uint32_t device_id, size_t segment,
			 struct td_row_builder *rows)
{
	const struct td_one_gpu *gpu = &g->gpus[device_id];
	const struct td_gpu_kept *kept = &gpu->kept[segment];
	struct td_overlap o = { .busy = kept->busy };

	memcpy(o.both, kept->both, sizeof(kept->both));
	memcpy(o.neither, kept->neither, sizeof(kept->neither));
	td_row_i64(rows, g->cuts[segment]);
	td_row_key(rows, device_id);
	td_row_text(rows, td_basis_name(kept->basis));
	td_overlap_bind(&o, rows, td_gpu_side_of(g, gpu)->known);
	return td_row_builder_end_row(rows);
}

int td_gpu_write_segments(struct td_gpu *g, struct td_row_builder *rows)
{
	int r = 0;

	for (size_t i = 0; i + 1 < g->ncuts; i++)
		for (uint32_t d = 1; d < g->ngpus && r >= 0; d++)
			if (g->gpus[d].kept && g->gpus[d].teller[i] != TD_TELLER_NOBODY)
				r = write_segment(g, d, i, rows);
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

/* What of a window is put down to a cause, or to none. */
struct idle_row {
	enum td_cause cause;
	int64_t cause_ns;
	struct td_range idle;
};

/* One for each cause that is known, and one for what is left; how many. */
static size_t find_idle(const struct td_gpu *g, const struct td_one_gpu *gpu,
			const struct td_gpu_window *w, struct idle_row ret[TD_NCAUSES + 1])
{
	const bool *known = td_gpu_side_of(g, gpu)->known;
	/* where samples are placed is looser for a part than for the whole */
	int64_t all_max_ns = w->wall_ns - w->overlap.busy.min;
	size_t n = 0;

	for (int k = 0; k < TD_NCAUSES; k++) {
		int64_t ns = w->io_ns[TD_IO_CAUSE + k];
		struct td_range both = w->overlap.both[TD_IO_CAUSE + k];

		if (known[TD_IO_CAUSE + k])
			ret[n++] = (struct idle_row){ k, ns, { ns - both.max, ns - both.min } };
	}
	if (known[TD_IO_ANY_CAUSE])
		ret[n++] = (struct idle_row){ TD_CAUSE_NONE, w->wall_ns - w->io_ns[TD_IO_ANY_CAUSE],
					      w->overlap.neither[TD_IO_ANY_CAUSE] };
	for (size_t i = 0; i < n; i++) {
		ret[i].idle.min = TD_MIN(ret[i].idle.min, all_max_ns);
		ret[i].idle.max = TD_MIN(ret[i].idle.max, all_max_ns);
	}
	return n;
}

static int write_idle(const struct td_gpu *g, struct moment at, uint32_t device_id,
		      const struct td_gpu_window *w, struct td_row_builder *rows)
{
	const struct td_one_gpu *gpu = &g->gpus[device_id];
	struct idle_row idle[TD_NCAUSES + 1];
	size_t n = find_idle(g, gpu, w, idle);
	int r = 0;

	for (size_t i = 0; i < n && r >= 0; i++) {
		td_row_text(rows, at.label);
		td_row_i64(rows, at.start_ns);
		td_row_i64(rows, at.run_number);
		td_row_key(rows, device_id);
		td_row_text(rows, td_cause_names[idle[i].cause]);
		td_row_text(rows, td_basis_name(w->basis));
		td_row_i64(rows, idle[i].cause_ns);
		td_row_i64(rows, idle[i].idle.min);
		td_row_i64(rows, idle[i].idle.max);
		td_row_text(rows, gpu->party == TD_ANYONE ? NULL : "own");
		r = td_row_builder_end_row(rows);
	}
	return r;
}

/* As view gpu_idle_cause counts. */
static int64_t precedence_of(enum td_cause cause)
{
	return cause == TD_CAUSE_NONE ? TD_NCAUSES + 1 : (int64_t)cause + 1;
}

static int write_idle_segment(int64_t start_ns, uint32_t device_id, const struct idle_row *idle,
			      struct td_row_builder *rows)
{
	if (!idle->cause_ns)
		return 0;
	td_row_i64(rows, start_ns);
	td_row_key(rows, device_id);
	td_row_i64(rows, precedence_of(idle->cause));
	td_row_i64(rows, idle->cause_ns);
	td_row_i64(rows, idle->idle.min);
	td_row_i64(rows, idle->idle.max);
	return td_row_builder_end_row(rows);
}

static struct td_gpu_kept keep(const struct td_gpu_window *w)
{
	struct td_gpu_kept kept = { .basis = w->basis, .busy = w->overlap.busy };

	memcpy(kept.both, w->overlap.both, sizeof(kept.both));
	memcpy(kept.neither, w->overlap.neither, sizeof(kept.neither));
	return kept;
}

static int write_idle_in(const struct td_gpu *g, uint32_t device_id, size_t segment,
			 struct td_row_builder *rows)
{
	const struct td_one_gpu *gpu = &g->gpus[device_id];
	struct td_interval of = { g->cuts[segment], g->cuts[segment + 1] };
	struct idle_row idle[TD_NCAUSES + 1];
	struct td_gpu_window w;
	size_t n;
	int r = td_gpu_look(g, gpu, &of, 1, &w);

	if (r < 0)
		return r;
	gpu->kept[segment] = keep(&w);
	n = find_idle(g, gpu, &w, idle);
	for (size_t k = 0; k < n && r >= 0; k++)
		r = write_idle_segment(of.start_ns, device_id, &idle[k], rows);
	return r;
}

static int open_kept(struct td_gpu *g)
{
	for (uint32_t d = 1; d < g->ngpus; d++) {
		struct td_one_gpu *gpu = &g->gpus[d];

		if (gpu->teller && !(gpu->kept = calloc(g->ncuts + 1, sizeof(*gpu->kept))))
			return -ENOMEM;
	}
	return 0;
}

int td_gpu_write_idle_segments(struct td_gpu *g, struct td_row_builder *rows)
{
	int r = open_kept(g);

	for (size_t i = 0; i + 1 < g->ncuts; i++)
		for (uint32_t d = 1; d < g->ngpus && r >= 0; d++)
			if (g->gpus[d].teller && g->gpus[d].teller[i] != TD_TELLER_NOBODY)
				r = write_idle_in(g, d, i, rows);
	return r;
}

/* Two tables are of the same windows, one after the other. A look takes as long as there are samples in it, so they are
 * kept, as far as memory goes: most runs have few phases. */
#define WINDOWS_KEPT 4096

struct writing {
	struct td_gpu *gpu;
	write_window *write;
	struct td_row_builder *rows;
	size_t asked; /* windows */
};

static int look(struct writing *on, uint32_t device_id, const struct td_interval *of, size_t n,
		struct td_gpu_window *ret)
{
	struct td_gpu *g = on->gpu;
	size_t i = on->asked++;
	int r;

	if (i < g->nwindows) {
		*ret = g->windows[i];
		return 0;
	}
	r = td_gpu_look(g, &g->gpus[device_id], of, n, ret);
	if (r < 0 || i >= WINDOWS_KEPT)
		return r;
	r = td_grow(&g->windows, &g->windows_cap, i);
	if (r == 0)
		g->windows[g->nwindows++] = *ret;
	return r;
}

/* Each GPU of which anything is known then. */
static int write_phase(struct writing *on, struct moment at, const struct td_interval *of, size_t n)
{
	const struct td_gpu *g = on->gpu;
	int r = 0;

	for (uint32_t d = 1; d < g->ngpus && r >= 0; d++) {
		struct td_gpu_window w;

		if (!g->gpus[d].teller)
			continue;
		r = look(on, d, of, n, &w);
		if (r < 0 || !w.wall_ns)
			continue;
		r = on->write(g, at, d, &w, on->rows);
	}
	return r;
}

static int write_each_phase(struct td_gpu *g, const struct td_phases *phases, write_window *write,
			    struct td_row_builder *rows)
{
	const struct td_interval all = { INT64_MIN, INT64_MAX };
	struct moment run = { "(run)", TD_NULL, TD_NULL };
	struct writing on = { .gpu = g, .write = write, .rows = rows };
	const struct td_phase *p;
	size_t at = 0;
	int r = write_phase(&on, run, &all, 1);

	while (r >= 0 && (p = td_phases_next(phases, &at)) != NULL) {
		struct moment m = { p->label, TD_NULL, p->all_runs ? TD_NULL : p->run_number };

		r = write_phase(&on, m, p->intervals, p->n);
		m.run_number = p->run_number;
		for (size_t i = 0; i < p->n && p->one_run && r >= 0; i++) {
			m.start_ns = p->intervals[i].start_ns;
			r = write_phase(&on, m, &p->intervals[i], 1);
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
