/* SPDX-License-Identifier: MIT */
/* What reads and writes transfer after the bin of time in which they began: bin_late. Few calls go on beyond the end of their bin. */
#include "common/array.h"
#include "store/derive/calls_private.h"
#include "store/write/row_builder.h"

/* So many times ends of bins lie in calls, for so many calls each, but always so many. */
#define CALLS_EACH 4
#define ENDS_MIN (1U << 20)

static void count_bins(struct td_late_bytes *l, const struct td_calls *c)
{
	l->has_run = td_store_range(c->st, &l->first_ns, &l->last_ns);
	l->width_ns = c->bin_width_ns;
	/* as reports do */
	l->base_ns = l->first_ns / l->width_ns * l->width_ns;
	l->n = l->has_run ? (size_t)((l->last_ns - l->base_ns) / l->width_ns) + 1 : 0;
}

int td_late_bytes_begin(struct td_calls *c)
{
	struct td_late_bytes *l = &c->late_bytes;
	uint64_t calls = td_stage_count(td_store_stage(c->st, TD_KIND_CALL));

	count_bins(l, c);
	l->ends_max = c->has_budget ? c->budget : TD_MAX(calls / CALLS_EACH, (uint64_t)ENDS_MIN);
	l->bin_end_ns = l->early_ns = INT64_MIN;
	l->verbs = calloc(c->in->nops + 1, sizeof(*l->verbs));
	l->bins = calloc(l->n + 1, sizeof(*l->bins));
	if (!l->verbs || !l->bins)
		return -ENOMEM;
	for (size_t i = 0; i < c->in->nops; i++) {
		const struct td_op_info *info = c->in->ops[i].info;

		if (strcmp(info->kind, "io") != 0)
			continue;
		l->verbs[i + 1] = strcmp(info->verb, "read") == 0    ? TD_LATE_READ
				  : strcmp(info->verb, "write") == 0 ? TD_LATE_WRITE
								     : TD_LATE_NONE;
	}
	return 0;
}

void td_late_bytes_done(struct td_late_bytes *l)
{
	free(l->verbs);
	free(l->bins);
}

/* Does it transfer anything that counts? Who reads from a pipe waits for somebody. */
static bool counts(const struct td_calls *c, const struct td_call *call)
{
	return !call->nested && call->done_bytes > 0 && c->late_bytes.verbs[call->op_id] &&
	       !(call->file_id && td_class_waits(c->in->files[call->file_id - 1].class));
}

/* What it had left at each end of a bin, if it went on evenly. */
static void add(struct td_late_bytes *l, const struct td_call *call)
{
	int64_t end_ns = TD_MIN(td_plus(call->start_ns, call->dur_ns), td_plus(l->last_ns, 1));
	uint8_t verb = l->verbs[call->op_id];

	for (int64_t at = l->bin_end_ns; at < end_ns; at += l->width_ns) {
		int64_t *to = &l->bins[(at - l->base_ns) / l->width_ns].bytes[verb - 1];
		double done = 1.0 * (double)call->done_bytes * (double)(at - call->start_ns) /
			      (double)call->dur_ns;

		*to = td_plus(*to, call->done_bytes - (int64_t)done);
		l->ends++;
	}
}

void td_late_bytes_add(struct td_calls *c, const struct td_call *calls, size_t n)
{
	struct td_late_bytes *l = &c->late_bytes;

	for (size_t i = 0; i < n && l->has_run && l->ends <= l->ends_max; i++) {
		const struct td_call *call = &calls[i];
		int64_t ns = call->start_ns;

		if (ns >= l->bin_end_ns)
			l->bin_end_ns =
				(ns / l->width_ns - (ns % l->width_ns < 0) + 1) * l->width_ns;
		/* TD_NULL is the smallest */
		if (call->dur_ns <= l->bin_end_ns - ns || !counts(c, call))
			continue;
		if (ns < l->base_ns) /* the clock is not known: no part of the run */
			l->early_ns = TD_MAX(l->early_ns, ns);
		else
			add(l, call);
	}
}

/* The first bin has a row, too. */
static int write_rows(const struct td_late_bytes *l, int64_t width_ns, int64_t base_ns,
		      struct td_row_builder *rows)
{
	int r = 0;

	for (int64_t at = base_ns; at <= l->last_ns && r >= 0; at += width_ns) {
		size_t i = at < l->base_ns ? l->n : (size_t)((at - l->base_ns) / l->width_ns);
		const struct td_late_bin *b = &l->bins[i];

		if (at > base_ns && !b->bytes[0] && !b->bytes[1])
			continue;
		td_row_i64(rows, at);
		td_row_i64(rows, b->bytes[TD_LATE_READ - 1]);
		td_row_i64(rows, b->bytes[TD_LATE_WRITE - 1]);
		r = td_row_builder_end_row(rows);
	}
	return r;
}

int td_late_bytes_write(const struct td_calls *c, const struct td_target *target,
			struct td_err *err)
{
	const struct td_late_bytes *l = &c->late_bytes;
	_cleanup_(td_row_builder_done) struct td_row_builder rows = { 0 };
	int64_t base_ns = l->first_ns / c->bin_width_ns * c->bin_width_ns;
	int r = td_row_builder_open(&rows, target, "bin_late", err);

	if (r < 0 || !l->has_run || l->bin_end_ns == INT64_MIN || l->ends > l->ends_max)
		return r;
	/* bins have become wider, and the first one now begins before calls that were left out */
	if (l->early_ns >= base_ns)
		return 0;
	return write_rows(l, c->bin_width_ns, base_ns, &rows);
}
