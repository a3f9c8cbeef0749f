/* SPDX-License-Identifier: MIT */
#include "store/derive/stretches.h"
#include "common/cleanup.h"

/* So many of each GPU and cause: enough for some of most parts of a run. More are kept while of a
 * GPU that is sampled only their length is known. */
#define WRITTEN 30
#define KEPT (3 * WRITTEN)

struct stretch {
	struct td_work work;
	struct td_range idle;
};

/* The longest first; those that are none have no idle time. */
struct longest {
	struct stretch kept[TD_CAUSE_NONE + 1][KEPT];
};

struct td_stretches {
	const struct td_gpu *gpu; /* borrowed */
	struct longest *gpus; /* by device id */
	size_t ngpus;
};

int td_stretches_new(const struct td_gpu *gpu, size_t ngpus, struct td_stretches **ret)
{
	struct td_stretches *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->gpu = gpu;
	s->ngpus = ngpus;
	s->gpus = calloc(ngpus + 1, sizeof(*s->gpus));
	if (!s->gpus) {
		free(s);
		return -ENOMEM;
	}
	*ret = s;
	return 0;
}

void td_stretches_free(struct td_stretches *s)
{
	if (!s)
		return;
	free(s->gpus);
	free(s);
}

/* The first of those that are as long stays. */
static void keep(struct stretch kept[KEPT], const struct stretch *new)
{
	int at = KEPT - 1;

	for (; at > 0 && kept[at - 1].idle.max < new->idle.max; at--)
		kept[at] = kept[at - 1];
	kept[at] = *new;
}

/* A part of a piece, all of which somebody tells about. */
static void add_told(struct td_stretches *s, uint32_t device_id, const struct td_work *piece,
		     struct td_interval part)
{
	struct stretch *kept = s->gpus[device_id].kept[piece->cause];
	struct stretch new = { .work = *piece };

	if (part.end_ns - part.start_ns <= kept[KEPT - 1].idle.max)
		return;
	new.work.start_ns = part.start_ns;
	new.work.end_ns = part.end_ns;
	new.idle = td_gpu_idle_in(s->gpu, device_id, part);
	if (new.idle.max > kept[KEPT - 1].idle.max)
		keep(kept, &new);
}

void td_stretches_add(struct td_stretches *s, unsigned party, const struct td_work *piece)
{
	for (uint32_t d = 1; d <= s->ngpus; d++) {
		struct stretch *kept = s->gpus[d].kept[piece->cause];
		struct td_interval rest = { piece->start_ns, piece->end_ns }, part;

		/* most are too short to look */
		if (rest.end_ns - rest.start_ns <= kept[KEPT - 1].idle.max ||
		    td_parties_of_gpu(td_gpu_parties(s->gpu), d) != party)
			continue;
		while (td_gpu_next_told(s->gpu, d, &rest, &part))
			add_told(s, d, piece, part);
	}
}

static int write_stretch(uint32_t device_id, const struct stretch *s, struct td_row_builder *rows)
{
	td_row_key(rows, device_id);
	td_row_text(rows, td_cause_names[s->work.cause]);
	td_row_i64(rows, s->work.start_ns);
	td_row_i64(rows, s->work.end_ns - s->work.start_ns);
	td_row_i64(rows, s->idle.min);
	td_row_i64(rows, s->idle.max);
	td_row_key(rows, s->work.process_id);
	td_row_key(rows, s->work.file_id);
	return td_row_builder_end_row(rows);
}

static int by_idle(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

	if (x->idle.max != y->idle.max)
		return x->idle.max > y->idle.max ? -1 : 1;
	return (x->work.start_ns > y->work.start_ns) - (x->work.start_ns < y->work.start_ns);
}

/* Now that the samples can be asked. */
static void narrow(const struct td_stretches *s, uint32_t device_id, struct stretch kept[KEPT])
{
	for (int i = 0; i < KEPT && kept[i].idle.max; i++) {
		struct td_interval of = { kept[i].work.start_ns, kept[i].work.end_ns };

		kept[i].idle = td_gpu_idle_in(s->gpu, device_id, of);
	}
	qsort(kept, KEPT, sizeof(*kept), by_idle);
}

static int write_longest(const struct td_stretches *s, uint32_t device_id,
			 struct stretch kept[KEPT], struct td_row_builder *rows)
{
	int r = 0;

	narrow(s, device_id, kept);
	for (int i = 0; i < WRITTEN && r >= 0; i++)
		if (kept[i].idle.max)
			r = write_stretch(device_id, &kept[i], rows);
	return r;
}

int td_stretches_write(struct td_stretches *s, const struct td_target *target, struct td_err *err)
{
	_cleanup_(td_row_builder_done) struct td_row_builder rows = { 0 };
	int r = td_row_builder_open(&rows, target, "gpu_idle_stretch", err);

	for (uint32_t d = 1; d <= s->ngpus; d++)
		for (int k = 0; k <= TD_CAUSE_NONE && r >= 0; k++)
			r = write_longest(s, d, s->gpus[d].kept[k], &rows);
	return r;
}
