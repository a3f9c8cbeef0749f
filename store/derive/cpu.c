/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "store/derive/cpu.h"
#include "store/derive/series.h"
#include "common/array.h"
#include "common/caldate.h"

#define EPSILON 1e-6 /* of what is computed in binary from decimals */

struct period {
	int64_t start_ns, end_ns;
	double idle, iowait; /* percent; NaN: not sampled */
};

/* When a source looked at a CPU; end_ns <= start_ns: never. */
struct look {
	int64_t start_ns, end_ns;
};

/* Of one source. */
struct sampler {
	uint16_t source_id;
	const char *host; /* borrowed; NULL: unknown */
	bool on_clock; /* its times can be compared with those of others */
	size_t rounding; /* index of the table below */
	struct look
		*looks; /* by device id, 0: all CPUs together; NULL: it has no samples of CPUs */
	struct period *periods; /* of all CPUs together */
	size_t n, cap;
};

/* What is known of a machine, by whoever looked. */
struct machine {
	const char *host; /* borrowed; NULL: unknown */
	struct period *periods; /* of all its CPUs together */
	size_t n, cap;
	size_t rounding; /* the coarsest of theirs */
	bool in_seconds; /* its stamps are whole seconds */
};

struct td_cpu {
	const struct td_contents *in;
	struct sampler
		*samplers; /* by source id, then those that have samples, the finest one first */
	size_t nsamplers;
	struct machine *machines; /* in the order of their first samplers */
	size_t nmachines, machines_cap;
	size_t at; /* first period that may reach into the next segment */
};

/* What percents can be multiples of; the last one: anything. */
static const struct {
	double per_point, points;
} roundings[] = { { 1, 1 }, { 10, 0.1 }, { 100, 0.01 }, { 0, 0 } };

int td_cpu_new(struct td_cpu **ret)
{
	struct td_cpu *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	*ret = c;
	return 0;
}

void td_cpu_free(struct td_cpu *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->nsamplers; i++) {
		free(c->samplers[i].looks);
		free(c->samplers[i].periods);
	}
	for (size_t i = 0; i < c->nmachines; i++)
		free(c->machines[i].periods);
	free(c->samplers);
	free(c->machines);
	free(c);
}

int td_cpu_begin(struct td_cpu *c, const struct td_store *st)
{
	c->in = td_store_contents(st);
	c->samplers = calloc(c->in->nsources + 1, sizeof(*c->samplers));
	if (!c->samplers)
		return -ENOMEM;
	c->nsamplers = c->in->nsources + 1;
	return 0;
}

/* --- collecting --- */

static int begin_sampler(struct td_cpu *c, struct sampler *s, uint16_t source_id)
{
	const struct td_source *source = &c->in->sources[source_id - 1];
	bool computes = source->importer && strcmp(source->importer, "record") == 0;
	s->looks = calloc(c->in->ndevices + 1, sizeof(*s->looks));
	if (!s->looks)
		return -ENOMEM;
	s->source_id = source_id;
	s->host = source->host;
	s->rounding = computes ? TD_ARRAY_SIZE(roundings) - 1 : 0;
	return 0;
}

static bool is_multiple(double value, double per_point)
{
	return fabs(value * per_point - round(value * per_point)) < EPSILON;
}

static void see_rounding(struct sampler *s, double percent)
{
	while (roundings[s->rounding].per_point > 0 &&
	       !is_multiple(percent, roundings[s->rounding].per_point))
		s->rounding++;
}

static void see_look(struct look *look, int64_t start_ns, int64_t end_ns)
{
	bool any = look->end_ns > look->start_ns;

	look->start_ns = any ? TD_MIN(look->start_ns, start_ns) : start_ns;
	look->end_ns = any ? TD_MAX(look->end_ns, end_ns) : end_ns;
}

static int add_period(struct sampler *s, const struct td_sample *sample, bool idle)
{
	struct period *p;
	int r;

	if (!s->n || s->periods[s->n - 1].end_ns != sample->ts_ns) {
		r = td_grow(&s->periods, &s->cap, s->n);
		if (r < 0)
			return r;
		s->periods[s->n++] = (struct period){
			.start_ns = sample->ts_ns - sample->dur_ns,
			.end_ns = sample->ts_ns,
			.idle = NAN,
			.iowait = NAN,
		};
	}
	p = &s->periods[s->n - 1];
	*(idle ? &p->idle : &p->iowait) = sample->value;
	return 0;
}

int td_cpu_sample(struct td_cpu *c, const struct td_sample *sample, bool on_clock)
{
	const struct td_track *t = &c->in->tracks[sample->track_id - 1];
	struct sampler *s = &c->samplers[t->source_id];
	bool idle = strcmp(t->name, "cpu.idle") == 0;
	int r = 0;

	if (strncmp(t->name, "cpu.", 4) != 0 || strcmp(t->unit, "%") != 0 || isnan(sample->value))
		return 0;
	if (!s->looks)
		r = begin_sampler(c, s, t->source_id);
	if (r < 0)
		return r;
	s->on_clock = on_clock;
	see_rounding(s, sample->value);
	if (sample->dur_ns > 0) /* TD_NULL is not */
		see_look(&s->looks[t->device_id], sample->ts_ns - sample->dur_ns, sample->ts_ns);
	else
		see_look(&s->looks[t->device_id], sample->ts_ns, sample->ts_ns + 1);
	if (t->device_id || sample->dur_ns == TD_NULL || !on_clock ||
	    (!idle && strcmp(t->name, "cpu.iowait") != 0))
		return 0;
	return add_period(s, sample, idle);
}

/* --- of several that looked at one machine --- */

static int by_fineness(const void *a, const void *b)
{
	const struct sampler *x = a, *y = b;

	if (!x->looks != !y->looks)
		return x->looks ? -1 : 1;
	if (x->on_clock != y->on_clock)
		return x->on_clock ? -1 : 1;
	if (x->rounding != y->rounding)
		return x->rounding > y->rounding ? -1 : 1;
	return (x->source_id > y->source_id) - (x->source_id < y->source_id);
}

/* A source that does not say on which machine it ran is taken to be of the only one that there is. */
static void find_hosts(struct td_cpu *c)
{
	const char *only = NULL;

	for (size_t i = 0; i < c->nsamplers && c->samplers[i].looks; i++) {
		const char *host = c->samplers[i].host;

		if (host && only && strcmp(host, only) != 0)
			return;
		only = host ? host : only;
	}
	for (size_t i = 0; i < c->nsamplers; i++)
		c->samplers[i].host = only;
}

static bool is_same_machine(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Did a better one look then? */
static bool is_known(const struct td_cpu *c, size_t sampler, const struct period *p)
{
	for (size_t i = 0; i < sampler; i++) {
		const struct look *look = &c->samplers[i].looks[0];

		if (is_same_machine(c->samplers[i].host, c->samplers[sampler].host) &&
		    p->start_ns < look->end_ns && look->start_ns < p->end_ns)
			return true;
	}
	return false;
}

static int by_time(const void *a, const void *b)
{
	const struct period *x = a, *y = b;

	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static int take_periods(const struct td_cpu *c, size_t sampler, struct machine *m)
{
	const struct sampler *s = &c->samplers[sampler];

	for (size_t i = 0; i < s->n; i++) {
		if (is_known(c, sampler, &s->periods[i]))
			continue;
		if (td_grow(&m->periods, &m->cap, m->n) < 0)
			return -ENOMEM;
		m->periods[m->n++] = s->periods[i];
		m->rounding = TD_MIN(m->rounding, s->rounding);
	}
	return 0;
}

/* Stamps that are all whole seconds apart tell no more than the second. */
static bool are_seconds(const struct machine *m)
{
	for (size_t i = 1; i < m->n; i++)
		if ((m->periods[i].end_ns - m->periods[0].end_ns) % TD_SEC_NS)
			return false;
	return true;
}

/* The machine of that name, made at first sight; NULL: out of memory. */
static struct machine *machine_of(struct td_cpu *c, const char *host)
{
	for (size_t i = 0; i < c->nmachines; i++)
		if (is_same_machine(c->machines[i].host, host))
			return &c->machines[i];
	if (td_grow(&c->machines, &c->machines_cap, c->nmachines) < 0)
		return NULL;
	c->machines[c->nmachines] = (struct machine){
		.host = host,
		.rounding = TD_ARRAY_SIZE(roundings) - 1,
	};
	return &c->machines[c->nmachines++];
}

int td_cpu_finish(struct td_cpu *c)
{
	int r = 0;

	qsort(c->samplers, c->nsamplers, sizeof(*c->samplers), by_fineness);
	find_hosts(c);
	for (size_t i = 0; i < c->nsamplers && c->samplers[i].looks && r >= 0; i++) {
		struct machine *m = machine_of(c, c->samplers[i].host);

		r = m ? take_periods(c, i, m) : -ENOMEM;
	}
	for (size_t i = 0; i < c->nmachines; i++) {
		struct machine *m = &c->machines[i];

		if (m->n)
			qsort(m->periods, m->n, sizeof(*m->periods), by_time);
		m->in_seconds = are_seconds(m);
	}
	return r;
}

/* --- writing --- */

static int write_sampler(const struct sampler *s, size_t rank, size_t ndevices,
			 struct td_row_builder *rows)
{
	int r = 0;

	for (uint32_t d = 0; d <= ndevices && r >= 0; d++) {
		if (s->looks[d].end_ns <= s->looks[d].start_ns)
			continue;
		td_row_key(rows, d);
		td_row_i64(rows, s->source_id);
		td_row_text(rows, s->host);
		td_row_i64(rows, (int64_t)rank);
		td_row_f64(rows, roundings[s->rounding].points);
		td_row_i64(rows, s->looks[d].start_ns);
		td_row_i64(rows, s->looks[d].end_ns);
		r = td_row_builder_end_row(rows);
	}
	return r;
}

int td_cpu_write_samplers(const struct td_cpu *c, struct td_row_builder *rows)
{
	int r = 0;

	for (size_t i = 0; i < c->nsamplers && c->samplers[i].looks && r >= 0; i++)
		r = write_sampler(&c->samplers[i], i + 1, c->in->ndevices, rows);
	return r;
}

void td_cpu_bind(struct td_cpu *c, struct td_row_builder *stmt, int64_t start_ns, int64_t end_ns)
{
	int64_t known = 0;
	double busy = 0, iowait = 0;
	bool any_iowait = false;

	/* the share of one of several machines is not that of all, nor is their mean that of any */
	const struct machine none = { 0 }, *m = c->nmachines == 1 ? c->machines : &none;

	while (c->at < m->n && m->periods[c->at].end_ns <= start_ns)
		c->at++;
	for (size_t i = c->at; i < m->n && m->periods[i].start_ns < end_ns; i++) {
		const struct period *p = &m->periods[i];
		int64_t part = TD_MIN(p->end_ns, end_ns) - TD_MAX(p->start_ns, start_ns);
		double waiting = isnan(p->iowait) ? 0 : p->iowait;

		if (part <= 0 || isnan(p->idle))
			continue;
		known += part;
		/* rounded as they are, the two may come to more than there is */
		busy += (double)part * fmax(100 - p->idle - waiting, 0) / 100;
		iowait += (double)part * waiting / 100;
		any_iowait |= !isnan(p->iowait);
	}
	td_row_i64(stmt, known);
	td_row_i64(stmt, known ? llround(busy) : TD_NULL);
	td_row_i64(stmt, any_iowait ? llround(iowait) : TD_NULL);
}

/* --- phases --- */

enum { BUSY, IOWAIT, NSERIES };

/* What a sample speaks of: the time since the one before. It was taken somewhere in the second of the stamp. */
static struct td_sampler sampler_of(const struct machine *m, int which)
{
	double off = roundings[m->rounding].points / 2 * (which == BUSY ? 2 : 1);

	return (struct td_sampler){
		.basis = TD_BASIS_BOUNDS,
		.after_min_ns = m->in_seconds ? -TD_SEC_NS / 20 : -TD_SEC_NS / 500,
		.after_max_ns = m->in_seconds ? TD_SEC_NS : TD_SEC_NS / 500,
		.below = off,
		.above = off,
		.off_ns = m->in_seconds ? TD_SEC_NS / 50 : 0,
		.pace = m->in_seconds ? 0.001 : 0,
	};
}

static int make_series(const struct machine *m, int which, const struct td_sampler *sampler,
		       struct td_series **ret)
{
	_cleanup_(td_series_freep) struct td_series *s = NULL;
	_cleanup_(td_times_done) struct td_times times = { 0 };
	int r = td_series_new(0, sampler, &s);

	for (size_t i = 0; i < m->n && r >= 0; i++) {
		const struct period *p = &m->periods[i];
		double waiting = isnan(p->iowait) ? 0 : p->iowait;
		struct td_sample sample = {
			.ts_ns = p->end_ns,
			.dur_ns = p->end_ns - p->start_ns,
			.value = which == BUSY ? 100 - p->idle - waiting : p->iowait,
		};

		if (!isnan(sample.value))
			r = td_series_add(s, &sample, 0);
	}
	if (r >= 0)
		r = td_series_times(s, &times);
	if (r >= 0)
		*ret = TAKE_PTR(s);
	return r;
}

/* How long that was so in all the intervals together, and of how much of them it is known. */
static struct td_range look(const struct td_series *s, const struct td_interval *of, size_t n,
			    int64_t *ret_wall_ns)
{
	static const struct td_io_table no_io;
	struct td_gathered g;
	size_t nstretches;
	const struct td_interval *stretches = td_series_stretches(s, &nstretches);

	td_series_begin(s, &no_io, &g);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < nstretches; k++) {
			int64_t from = TD_MAX(of[i].start_ns, stretches[k].start_ns);
			int64_t to = TD_MIN(of[i].end_ns, stretches[k].end_ns);

			if (from < to)
				td_series_gather(s, from, to, &g);
		}
	}
	*ret_wall_ns = g.wall_ns;
	return td_series_conclude(s, &g).busy;
}

/* Whose row it is; TD_NULL where it is of all of them together. */
struct moment {
	const char *label, *host;
	int64_t start_ns, run_number;
};

static int write_phase(struct td_series *const series[NSERIES], struct moment at,
		       const struct td_interval *of, size_t n, struct td_row_builder *rows)
{
	int64_t wall_ns, waited_ns;
	struct td_range busy = look(series[BUSY], of, n, &wall_ns);
	struct td_range waiting = look(series[IOWAIT], of, n, &waited_ns);
	bool known = waited_ns == wall_ns;

	if (!wall_ns)
		return 0;
	td_row_text(rows, at.label);
	td_row_i64(rows, at.start_ns);
	td_row_i64(rows, wall_ns);
	td_row_i64(rows, busy.min);
	td_row_i64(rows, busy.max);
	td_row_i64(rows, known ? waiting.min : TD_NULL);
	td_row_i64(rows, known ? waiting.max : TD_NULL);
	td_row_i64(rows, at.run_number);
	td_row_text(rows, at.host);
	return td_row_builder_end_row(rows);
}

static int write_phases(struct td_series *const series[NSERIES], const char *host,
			const struct td_phases *phases, struct td_row_builder *rows)
{
	const struct td_interval all = { INT64_MIN, INT64_MAX };
	struct moment run = { "(run)", host, TD_NULL, TD_NULL };
	const struct td_phase *p;
	size_t at = 0;
	int r = write_phase(series, run, &all, 1, rows);

	while (r >= 0 && (p = td_phases_next(phases, &at)) != NULL) {
		struct moment m = { p->label, host, TD_NULL,
				    p->all_runs ? TD_NULL : p->run_number };

		r = write_phase(series, m, p->intervals, p->n, rows);
		m.run_number = p->run_number;
		for (size_t i = 0; i < p->n && p->one_run && r >= 0; i++) {
			m.start_ns = p->intervals[i].start_ns;
			r = write_phase(series, m, &p->intervals[i], 1, rows);
		}
	}
	return r;
}

static int write_machine(const struct machine *m, const struct td_phases *phases,
			 struct td_row_builder *rows)
{
	const struct td_sampler busy = sampler_of(m, BUSY), waiting = sampler_of(m, IOWAIT);
	_cleanup_(td_series_freep) struct td_series *of_busy = NULL, *of_waiting = NULL;
	int r = make_series(m, BUSY, &busy, &of_busy);

	if (r >= 0)
		r = make_series(m, IOWAIT, &waiting, &of_waiting);
	if (r < 0)
		return r;
	return write_phases((struct td_series *const[]){ of_busy, of_waiting }, m->host, phases,
			    rows);
}

int td_cpu_write_phases(const struct td_cpu *c, const struct td_phases *phases,
			struct td_row_builder *rows)
{
	int r = 0;

	for (size_t i = 0; i < c->nmachines && r >= 0; i++)
		r = write_machine(&c->machines[i], phases, rows);
	return r;
}
