/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "store/derive/cpu.h"
#include "common/array.h"

struct period {
	int64_t start_ns, end_ns;
	double idle, iowait; /* percent; NaN: not sampled */
};

struct td_cpu {
	const struct td_contents *in;
	uint16_t source_id; /* the first source that has any; two tools would say the same twice */
	struct period *periods;
	size_t n, cap;
	size_t at; /* first period that may reach into the next segment */
};

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
	free(c->periods);
	free(c);
}

void td_cpu_begin(struct td_cpu *c, const struct td_store *st)
{
	c->in = td_store_contents(st);
}

int td_cpu_sample(struct td_cpu *c, const struct td_sample *sample)
{
	const struct td_track *t = &c->in->tracks[sample->track_id - 1];
	bool idle = strcmp(t->name, "cpu.idle") == 0;
	struct period *p;
	int r;

	if (t->device_id || sample->dur_ns == TD_NULL ||
	    (!idle && strcmp(t->name, "cpu.iowait") != 0))
		return 0;
	if (!c->source_id)
		c->source_id = t->source_id;
	if (c->source_id != t->source_id)
		return 0;
	if (!c->n || c->periods[c->n - 1].end_ns != sample->ts_ns) {
		r = td_grow(&c->periods, &c->cap, c->n);
		if (r < 0)
			return r;
		c->periods[c->n++] = (struct period){
			.start_ns = sample->ts_ns - sample->dur_ns,
			.end_ns = sample->ts_ns,
			.idle = NAN,
			.iowait = NAN,
		};
	}
	p = &c->periods[c->n - 1];
	*(idle ? &p->idle : &p->iowait) = sample->value;
	return 0;
}

void td_cpu_bind(struct td_cpu *c, struct td_row_builder *stmt, int64_t start_ns, int64_t end_ns)
{
	int64_t known = 0;
	double busy = 0, iowait = 0;
	bool any_iowait = false;

	while (c->at < c->n && c->periods[c->at].end_ns <= start_ns)
		c->at++;
	for (size_t i = c->at; i < c->n && c->periods[i].start_ns < end_ns; i++) {
		const struct period *p = &c->periods[i];
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
