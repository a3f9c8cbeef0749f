/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/cleanup.h"
#include "importers/align/find.h"
#include "importers/align/runs.h"

#define RUNS_AT_ONCE 64 /* more that go on at the same time are damage */
#define RUNS_JOINED 4096 /* of one log each; more are looked at by their times alone */

/* A run as one log tells of it, on the common clock. */
struct part {
	size_t which; /* index in log_runs */
	uint16_t source_id;
	bool on_clock;
	struct td_range range;
	int64_t number; /* of its run */
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

/* --- ranks whose clocks are far apart --- */

/* Logs whose clocks are one, as far as anything tells: of one run by time, of one rank, of one machine. */
struct clocks {
	const struct td_contents *in;
	uint16_t *of; /* owned; by source id: another one of the same clock, or itself */
	uint16_t *first_of_run; /* owned; by number */
	int64_t *nruns; /* owned; by source id, of those that stand for a clock */
};

static void clocks_done(struct clocks *c)
{
	free(c->of);
	free(c->first_of_run);
	free(c->nruns);
}

static uint16_t clock_of(const struct clocks *c, uint16_t source_id)
{
	while (c->of[source_id] != source_id)
		source_id = c->of[source_id];
	return source_id;
}

static void are_one(struct clocks *c, uint16_t a, uint16_t b)
{
	c->of[clock_of(c, a)] = clock_of(c, b);
}

/* Is the rank of each log known, and its machine, and nothing left to say when it was? */
static bool are_of_ranks(const struct td_contents *in, const struct part *parts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct td_source *s = &in->sources[parts[i].source_id - 1];

		if (s->rank == TD_NULL || !s->host || !parts[i].on_clock)
			return false;
	}
	return true;
}

static void find_clocks(struct clocks *c, const struct part *parts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint16_t id = parts[i].source_id, *first = &c->first_of_run[parts[i].number];
		const struct td_source *s = &c->in->sources[id - 1];

		*first = *first ? *first : id;
		are_one(c, id, *first);
		for (size_t k = 0; k < i; k++) {
			const struct td_source *other = &c->in->sources[parts[k].source_id - 1];

			if (other->rank == s->rank || strcmp(other->host, s->host) == 0)
				are_one(c, id, parts[k].source_id);
		}
	}
}

/* How many runs each clock has, if that is the same for all; 0: it is not, or there is but one clock. */
static int64_t runs_of_each(struct clocks *c, int64_t nruns)
{
	int64_t each = 0, nclocks = 0;

	for (int64_t run = 1; run <= nruns; run++)
		c->nruns[clock_of(c, c->first_of_run[run])]++;
	for (size_t id = 1; id <= c->in->nsources; id++) {
		if (!c->nruns[id])
			continue;
		each = !nclocks || each == c->nruns[id] ? c->nruns[id] : -1;
		if (each < 0)
			return 0;
		nclocks++;
	}
	return nclocks > 1 ? each : 0;
}

/* The first run by each clock is one, and so on. */
static int renumber(struct clocks *c, struct part *parts, size_t n, int64_t nruns)
{
	_cleanup_free_ int64_t *numbers = calloc((size_t)nruns + 1, sizeof(*numbers));

	if (!numbers)
		return -ENOMEM;
	memset(c->nruns, 0, (c->in->nsources + 1) * sizeof(*c->nruns));
	for (int64_t run = 1; run <= nruns; run++)
		numbers[run] = ++c->nruns[clock_of(c, c->first_of_run[run])];
	for (size_t i = 0; i < n; i++)
		parts[i].number = numbers[parts[i].number];
	return 0;
}

/* Runs by logs of different ranks on different machines, none of which overlaps one of another
 * machine, are those of one job whose clocks are far apart, if there are as many by each clock. 0
 * or -ENOMEM. */
static int join_ranks(const struct td_store *st, struct part *parts, size_t n, int64_t nruns)
{
	_cleanup_(clocks_done) struct clocks c = { .in = td_store_contents(st) };

	if (nruns < 2 || n > RUNS_JOINED || !are_of_ranks(c.in, parts, n))
		return 0;
	c.of = calloc(c.in->nsources + 1, sizeof(*c.of));
	c.first_of_run = calloc((size_t)nruns + 1, sizeof(*c.first_of_run));
	c.nruns = calloc(c.in->nsources + 1, sizeof(*c.nruns));
	if (!c.of || !c.first_of_run || !c.nruns)
		return -ENOMEM;
	for (size_t id = 1; id <= c.in->nsources; id++)
		c.of[id] = (uint16_t)id;
	find_clocks(&c, parts, n);
	return runs_of_each(&c, nruns) ? renumber(&c, parts, n, nruns) : 0;
}

int td_align_runs(struct td_store *st)
{
	size_t n = td_store_contents(st)->nlog_runs;
	_cleanup_free_ struct part *parts = calloc(n + 1, sizeof(*parts));
	struct runs runs = { 0 };
	int r;

	if (!parts)
		return -ENOMEM;
	make_parts(st, parts);
	extend_last(st, parts, n);
	qsort(parts, n, sizeof(*parts), by_time);
	for (size_t i = 0; i < n; i++)
		parts[i].number = number_of(&runs, &parts[i]);
	r = join_ranks(st, parts, n, runs.last_number);
	for (size_t i = 0; i < n && r == 0; i++)
		td_store_number_run(st, parts[i].which, parts[i].number);
	return r;
}
