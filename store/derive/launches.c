/* SPDX-License-Identifier: MIT */
/*
 * Kernels and the calls that launched them, of the whole run and of each phase: launch_sum. Calls
 * come last, and kernels wait for them with 8 bytes each: when they began, on which GPU and behind
 * which gap. What is there then is how long they waited.
 */
#include <stdlib.h>

#include "common/array.h"
#include "schema/ops.h"
#include "schema/stat_math.h"
#include "store/derive/launches_private.h"

/* Kernels that wait, and pages of numbers of calls (64 bytes each). Beyond that there is no table. */
#define KERNELS_MAX ((size_t)5 << 20)
#define PAGES_MAX ((size_t)1 << 19)
#define ROWS_MAX ((size_t)1 << 14) /* phases and GPUs */

/* Calls whose kernels have it. */
#define TAKEN UINT32_MAX

static int make(const char *spill_path, void **ret)
{
	struct td_launching *l = calloc(1, sizeof(*l));
	int r = l ? td_phases_new(&l->phases) : -ENOMEM;

	if (r < 0) {
		free(l);
		return r;
	}
	l->budget = KERNELS_MAX;
	*ret = l;
	return 0;
}

void td_launching_give_back(struct td_launching *l)
{
	td_call_numbers_done(&l->calls);
	free(TAKE_PTR(l->next));
	free(TAKE_PTR(l->kernels));
	free(TAKE_PTR(l->stretches));
	free(TAKE_PTR(l->labels));
	l->next_cap = l->n = l->cap = l->nstretches = l->stretches_cap = 0;
	l->nlabels = l->labels_cap = 0;
}

static void free_all(void *ud)
{
	struct td_launching *l = ud;

	if (!l)
		return;
	td_launching_give_back(l);
	td_phases_free(l->phases);
	td_intern_done(&l->names);
	free(l->on_clock);
	free(l->launches);
	free(l->gpus);
	free(l->groups);
	free(l->intervals);
	free(l->active);
	free(l);
}

/* Kernels at most; if there are more the table stays empty. Without it, many. */
static void set_budget(void *ud, size_t budget)
{
	struct td_launching *l = ud;

	l->budget = budget;
}

static int begin(void *ud, struct td_store *st)
{
	struct td_launching *l = ud;
	const struct td_contents *in = td_store_contents(st);

	l->st = st;
	l->any_work = td_stage_count(td_store_stage(st, TD_KIND_GPU_OP)) > 0;
	l->ngpus = in->ndevices + 1;
	l->gpus = malloc(l->ngpus * sizeof(*l->gpus));
	l->on_clock = calloc(in->nsources + 1, sizeof(*l->on_clock));
	l->launches = calloc(in->nops + 1, sizeof(*l->launches));
	if (!l->gpus || !l->on_clock || !l->launches)
		return -ENOMEM;
	for (size_t d = 0; d < l->ngpus; d++)
		l->gpus[d] = (struct td_launching_gpu){ TD_NULL, TD_NULL };
	for (size_t i = 0; i < in->nsources; i++)
		l->on_clock[i + 1] = td_source_on_clock(&in->sources[i], td_store_has_clock(st));
	for (size_t i = 0; i < in->nops; i++)
		l->launches[i + 1] = in->ops[i].layer == TD_LAYER_CUDA &&
				     strcmp(in->ops[i].info->verb, "launch") == 0;
	return td_phases_begin(l->phases, st);
}

static void give_up(struct td_launching *l)
{
	l->given_up = true;
	td_launching_give_back(l);
}

/* --- phases --- */

static int add_span(struct td_launching *l, const struct td_span *s)
{
	struct td_str name = td_store_text(l->st, s->name_id);

	if (!td_str_eq(td_store_text(l->st, s->kind_id), "phase"))
		return 0;
	if (!td_intern_add(&l->names, name.p, name.len))
		return -ENOMEM;
	return l->on_clock[s->source_id] ? td_phases_add(l->phases, s) : 0;
}

static int span_step(void *ud, struct td_row_batch *b)
{
	const struct td_span *spans = b->records;
	int r = 0;

	for (size_t i = 0; i < b->n && r >= 0; i++)
		r = add_span(ud, &spans[i]);
	return r;
}

static int add_interval(struct td_launching *l, const struct td_interval *on, uint32_t label)
{
	if (td_grow(&l->intervals, &l->intervals_cap, l->nintervals) < 0)
		return -ENOMEM;
	l->intervals[l->nintervals++] = (struct td_launching_phase){ *on, label };
	return 0;
}

static int by_begin(const void *a, const void *b)
{
	const struct td_launching_phase *x = a, *y = b;

	return (x->on.start_ns > y->on.start_ns) - (x->on.start_ns < y->on.start_ns);
}

/* Each kind of phase, not each epoch. */
static int find_intervals(struct td_launching *l)
{
	const struct td_interval run = { INT64_MIN, INT64_MAX };
	const struct td_phase *p;
	size_t at = 0;
	int r = add_interval(l, &run, 0);

	while (r >= 0 && (p = td_phases_next(l->phases, &at)) != NULL) {
		uint32_t label = td_intern_find(&l->names, p->label, strlen(p->label));

		if (!p->one_run || !label || strcmp(p->label, TD_LAUNCHING_RUN) == 0)
			continue;
		for (size_t i = 0; i < p->n && r >= 0; i++)
			r = add_interval(l, &p->intervals[i], label);
	}
	if (r >= 0)
		qsort(l->intervals, l->nintervals, sizeof(*l->intervals), by_begin);
	return r;
}

/* When all spans have gone by. */
static int start(struct td_launching *l)
{
	size_t rows = (l->names.n + 1) * l->ngpus;
	int r = td_phases_join(l->phases);

	if (r >= 0)
		r = find_intervals(l);
	if (r < 0)
		return r;
	if (rows > ROWS_MAX || l->ngpus > 1 << TD_LAUNCHING_DEVICE_BITS)
		give_up(l);
	l->active = calloc(l->nintervals, sizeof(*l->active));
	l->groups = calloc(rows, sizeof(*l->groups));
	l->same_until_ns = INT64_MIN;
	return l->active && l->groups ? 0 : -ENOMEM;
}

/* --- kernels --- */

/* Of the intervals those that are on then; times ascend. */
static void find_active(struct td_launching *l, int64_t at_ns)
{
	size_t n = 0;

	while (l->begun < l->nintervals && l->intervals[l->begun].on.start_ns <= at_ns)
		l->active[l->nactive++] = l->begun++;
	l->same_until_ns =
		l->begun < l->nintervals ? l->intervals[l->begun].on.start_ns : INT64_MAX;
	for (size_t i = 0; i < l->nactive; i++) {
		int64_t end_ns = l->intervals[l->active[i]].on.end_ns;

		if (end_ns <= at_ns)
			continue;
		l->active[n++] = l->active[i];
		l->same_until_ns = TD_MIN(l->same_until_ns, end_ns);
	}
	l->nactive = n;
}

static int add_stretch(struct td_launching *l, int64_t start_ns)
{
	struct td_launching_stretch s = { l->n, start_ns, l->nlabels, l->nactive };

	for (size_t i = 0; i < l->nactive; i++) {
		if (td_grow(&l->labels, &l->labels_cap, l->nlabels) < 0)
			return -ENOMEM;
		l->labels[l->nlabels++] = l->intervals[l->active[i]].label;
	}
	if (td_grow(&l->stretches, &l->stretches_cap, l->nstretches) < 0)
		return -ENOMEM;
	l->stretches[l->nstretches++] = s;
	return 0;
}

static struct td_launching_group *
group_of(struct td_launching *l, const struct td_launching_stretch *s, size_t i, uint32_t device_id)
{
	return &l->groups[l->labels[s->labels + i] * l->ngpus + device_id];
}

/* The kernel is one of those of its call. */
static int chain(struct td_launching *l, const struct td_gpu_op *op, uint32_t kernel)
{
	uint32_t *place = td_call_numbers_place(&l->calls, op->process_id, op->correlation);

	if (!place)
		return -ENOMEM;
	if (*place && !l->next) {
		l->next = malloc(l->cap * sizeof(*l->next));
		if (!l->next)
			return -ENOMEM;
		l->next_cap = l->cap;
		for (uint32_t k = 0; k <= kernel; k++)
			l->next[k] = k;
	}
	if (*place) {
		l->next[kernel] = l->next[*place - 1];
		l->next[*place - 1] = kernel;
	}
	*place = kernel + 1;
	return 0;
}

static int keep_kernel(struct td_launching *l, const struct td_gpu_op *op, int64_t gap_ns)
{
	const struct td_launching_stretch *s =
		l->nstretches ? &l->stretches[l->nstretches - 1] : NULL;
	uint32_t kernel = (uint32_t)l->n;
	bool changes = !s || op->start_ns >= l->same_until_ns;

	if (changes)
		find_active(l, op->start_ns);
	if ((changes ||
	     ((uint64_t)op->start_ns - (uint64_t)s->base_ns) >> TD_LAUNCHING_OFFSET_BITS) &&
	    add_stretch(l, op->start_ns) < 0)
		return -ENOMEM;
	s = &l->stretches[l->nstretches - 1];
	if (td_grow(&l->kernels, &l->cap, l->n) < 0 ||
	    (l->next && td_grow(&l->next, &l->next_cap, l->n) < 0))
		return -ENOMEM;
	l->kernels[l->n++] = (uint64_t)op->device_id << TD_LAUNCHING_DELAY_BITS |
			     (uint64_t)gap_ns << TD_LAUNCHING_OFFSET_BITS |
			     ((uint64_t)op->start_ns - (uint64_t)s->base_ns);
	if (l->next)
		l->next[kernel] = kernel;
	for (size_t i = 0; i < s->nlabels; i++) {
		struct td_launching_group *g = group_of(l, s, i, op->device_id);

		g->kernels++;
		g->total_ns = td_plus(g->total_ns, op->dur_ns);
		g->gaps += gap_ns > 0;
		g->gap_ns += gap_ns;
	}
	return op->process_id && op->correlation != TD_NULL ? chain(l, op, kernel) : 0;
}

static int add_work(struct td_launching *l, const struct td_gpu_op *op)
{
	struct td_launching_gpu *gpu = &l->gpus[op->device_id];
	int64_t idle_from_ns = gpu->end_ns, gap_ns = 0;
	int r;

	if (op->kind_id != l->kind_id) {
		struct td_str kind = td_store_text(l->st, op->kind_id);

		l->kind_id = op->kind_id;
		l->is_work = !td_str_eq(kind, "sync");
		l->is_kernel = td_str_eq(kind, "kernel");
	}
	if (!l->is_work || op->dur_ns == TD_NULL || !op->device_id)
		return 0;
	if (idle_from_ns == TD_NULL)
		gpu->first_ns = op->start_ns;
	else if (op->start_ns > idle_from_ns &&
		 op->start_ns - idle_from_ns <= TD_LAUNCHING_MAX_GAP_NS)
		gap_ns = op->start_ns - idle_from_ns;
	gpu->end_ns = TD_MAX(idle_from_ns, td_plus(op->start_ns, op->dur_ns));
	if (!l->is_kernel)
		return 0;
	r = keep_kernel(l, op, gap_ns);
	if (l->n > l->budget || l->calls.npages > PAGES_MAX)
		give_up(l);
	return r;
}

static int work_step(void *ud, struct td_row_batch *b)
{
	struct td_launching *l = ud;
	const struct td_gpu_op *ops = b->records;
	int r = l->groups ? 0 : start(l);

	for (size_t i = 0; i < b->n && r >= 0 && !l->given_up; i++)
		r = add_work(l, &ops[i]);
	return r;
}

/* --- calls --- */

static const struct td_launching_stretch *stretch_of(struct td_launching *l, size_t kernel)
{
	size_t low = 0, high = l->nstretches;

	if (l->stretches[l->stretch].first <= kernel &&
	    kernel < td_launching_first_behind(l, l->stretch))
		return &l->stretches[l->stretch];
	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;

		if (l->stretches[middle].first <= kernel)
			low = middle;
		else
			high = middle;
	}
	l->stretch = low;
	return &l->stretches[low];
}

/* counted: a bit for each GPU (modulo 64) that has had the call. */
static void meet(struct td_launching *l, uint32_t number, const struct td_call *c,
		 uint64_t *counted)
{
	const struct td_launching_stretch *s = stretch_of(l, number);
	uint64_t *kernel = &l->kernels[number], device = UINT64_C(1)
							 << (td_launching_device(*kernel) & 63);
	int64_t gap_ns = (int64_t)(*kernel >> TD_LAUNCHING_OFFSET_BITS &
				   ((1U << TD_LAUNCHING_GAP_BITS) - 1)),
		delay_ns;
	bool counts = !(*counted & device) && c->dur_ns != TD_NULL;

	if (__builtin_sub_overflow(s->base_ns + (int64_t)(uint32_t)*kernel, c->start_ns,
				   &delay_ns) ||
	    delay_ns >> (TD_LAUNCHING_DELAY_BITS - 1) != delay_ns >> 63) {
		give_up(l);
		return;
	}
	for (size_t i = 0; i < s->nlabels; i++) {
		struct td_launching_group *g = group_of(l, s, i, td_launching_device(*kernel));

		g->known++;
		if (gap_ns && delay_ns <= gap_ns) {
			g->starved++;
			g->starved_ns += gap_ns;
		}
		if (counts) {
			g->launches++;
			g->launch_ns = td_plus(g->launch_ns, c->dur_ns);
		}
	}
	*counted |= device;
	*kernel = TD_LAUNCHING_KNOWN |
		  *kernel >> TD_LAUNCHING_DELAY_BITS << TD_LAUNCHING_DELAY_BITS |
		  ((uint64_t)delay_ns & ((UINT64_C(1) << TD_LAUNCHING_DELAY_BITS) - 1));
}

/* Two calls of one number are damage: the first one counts. */
static int add_call(struct td_launching *l, const struct td_call *c)
{
	uint32_t *place = td_call_numbers_place(&l->calls, c->process_id, c->correlation);
	uint32_t last, kernel;
	uint64_t counted = 0;

	if (!place)
		return -ENOMEM;
	if (!*place || *place == TAKEN)
		return 0;
	kernel = last = *place - 1;
	*place = TAKEN;
	do {
		kernel = l->next ? l->next[kernel] : kernel;
		meet(l, kernel, c, &counted);
	} while (kernel != last && !l->given_up);
	return 0;
}

static int call_step(void *ud, struct td_row_batch *b)
{
	struct td_launching *l = ud;
	const struct td_call *calls = b->records;
	int r = 0;

	for (size_t i = 0; i < b->n && r >= 0 && !l->given_up; i++)
		if (l->launches[calls[i].op_id] && calls[i].process_id &&
		    calls[i].correlation != INT32_MIN)
			r = add_call(l, &calls[i]);
	return r;
}

static void add_steps(void *ud, enum td_kind kind, struct td_row_work *to, unsigned after)
{
	struct td_launching *l = ud;

	if (kind == TD_KIND_SPAN && l->any_work)
		(void)td_row_work_add(to, span_step, l, true, after);
	if (kind == TD_KIND_GPU_OP)
		(void)td_row_work_add(to, work_step, l, true, after);
	if (kind == TD_KIND_CALL && l->calls.npages)
		(void)td_row_work_add(to, call_step, l, true, after);
}

const struct td_derivation td_launches_derivation = {
	.make = make,
	.free = free_all,
	.set_budget = set_budget,
	.begin = begin,
	.add_steps = add_steps,
	.write = td_launching_write,
};
