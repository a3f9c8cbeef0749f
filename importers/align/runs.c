/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/cleanup.h"
#include "importers/align/find.h"
#include "importers/align/runs.h"

#define RUNS_AT_ONCE 64 /* more that go on at the same time are damage */

/* A run as one log tells of it, on the common clock. */
struct part {
	size_t which; /* index in log_runs */
	uint16_t source_id;
	bool on_clock;
	struct td_range range;
	struct part *next; /* of the same run */
};

/* A run that what comes later can still belong to. */
struct run {
	int64_t number;
	struct td_range range;
	struct part *parts;
};

struct runs {
	struct run open[RUNS_AT_ONCE]; /* the one that began last is last */
	size_t nopen;
	int64_t last_number;
};

static int by_time(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->on_clock != y->on_clock)
		return x->on_clock ? -1 : 1;
	if (x->range.from != y->range.from)
		return x->range.from < y->range.from ? -1 : 1;
	return (x->which > y->which) - (x->which < y->which);
}

/* The last thing that a log says is of its last run, although it may be no span. The parts of a log are next to
 * each other. */
static void extend_last(const struct td_store *st, struct part *parts, size_t n)
{
	for (size_t i = 0, last = 0; i < n; i++) {
		const struct td_source *s = &td_store_contents(st)->sources[parts[i].source_id - 1];
		struct td_shift shift = td_source_shift(s);

		if (parts[i].source_id != parts[last].source_id ||
		    parts[i].range.to > parts[last].range.to)
			last = i;
		if (i + 1 == n || parts[i + 1].source_id != parts[i].source_id)
			parts[last].range.to = TD_MAX(parts[last].range.to,
						      td_shift_to_utc(&shift, s->last_native_ns));
	}
}

static void make_parts(const struct td_store *st, struct part *parts)
{
	const struct td_contents *in = td_store_contents(st);

	for (size_t i = 0; i < in->nlog_runs; i++) {
		const struct td_log_run *of = &in->log_runs[i];
		struct td_shift shift = td_source_shift(&in->sources[of->source_id - 1]);

		parts[i] = (struct part){
			.which = i,
			.source_id = of->source_id,
			.on_clock = td_store_on_clock(st, of->source_id),
			.range = { td_shift_to_utc(&shift, of->first_ns),
				   td_shift_to_utc(&shift, of->last_ns) },
		};
	}
}

/* For how long both go on; below 0: one begins when the other has ended. What is but an instant lies in the
 * other or does not. */
static int64_t overlap(struct td_range a, struct td_range b)
{
	int64_t length = TD_MIN(a.to, b.to) - TD_MAX(a.from, b.from);

	if (length == 0 && a.from < a.to && b.from < b.to)
		return -1;
	return length;
}

static bool tells_of(const struct run *run, uint16_t source_id)
{
	for (const struct part *p = run->parts; p; p = p->next)
		if (p->source_id == source_id)
			return true;
	return false;
}

/* The run that the part overlaps most; NULL: none, it begins one. */
static struct run *run_of(struct runs *runs, const struct part *p)
{
	struct run *best = NULL;
	int64_t longest = -1;

	for (size_t i = 0; i < runs->nopen; i++) {
		int64_t length = overlap(runs->open[i].range, p->range);

		if (length <= longest || tells_of(&runs->open[i], p->source_id))
			continue;
		longest = length;
		best = &runs->open[i];
	}
	return best;
}

/* Forgets what has ended by then, and the oldest one if there is no room. */
static void close_runs(struct runs *runs, int64_t now)
{
	size_t n = 0;

	for (size_t i = 0; i < runs->nopen; i++)
		if (runs->open[i].range.to >= now)
			runs->open[n++] = runs->open[i];
	runs->nopen = n;
	if (n == RUNS_AT_ONCE)
		memmove(runs->open, runs->open + 1, --runs->nopen * sizeof(*runs->open));
}

static struct run *begin_run(struct runs *runs, const struct part *p)
{
	struct run *run = &runs->open[runs->nopen++];

	*run = (struct run){ .number = ++runs->last_number, .range = p->range };
	return run;
}

static int64_t number_of(struct runs *runs, struct part *p)
{
	struct run *run;

	if (!p->on_clock)
		return ++runs->last_number;
	close_runs(runs, p->range.from);
	run = run_of(runs, p);
	run = run ? run : begin_run(runs, p);
	td_range_extend(&run->range, p->range);
	p->next = run->parts;
	run->parts = p;
	return run->number;
}

int td_align_runs(struct td_store *st)
{
	size_t n = td_store_contents(st)->nlog_runs;
	_cleanup_free_ struct part *parts = calloc(n + 1, sizeof(*parts));
	struct runs runs = { 0 };

	if (!parts)
		return -ENOMEM;
	make_parts(st, parts);
	extend_last(st, parts, n);
	qsort(parts, n, sizeof(*parts), by_time);
	for (size_t i = 0; i < n; i++)
		td_store_number_run(st, parts[i].which, number_of(&runs, &parts[i]));
	return 0;
}
