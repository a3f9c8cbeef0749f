/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "common/array.h"
#include "schema/stat_math.h"
#include "store/derive/meetings.h"

#define LEAST_ERROR_NS INT64_C(500) /* of a clock, whatever its source says */

struct td_meeting_group {
	uint32_t what; /* number of the thing done, from 1 */
	size_t n;
};

struct td_meeting_item {
	int64_t start_ns, end_ns;
	uint32_t group; /* from 0 */
	uint16_t source_id;
};

/* What several groups do. */
struct occasion {
	size_t groups, least, most;
	size_t at; /* its first meeting */
};

/* A meeting, by the clock of the first machine. */
struct meeting {
	int64_t begin_ns, end_ns; /* TD_NULL: the first machine is not at it */
};

struct host {
	int64_t least_ns, most_ns; /* it is ahead by: INT64_MIN, INT64_MAX: nothing bounds it */
	uint16_t source_id; /* that bounds it ... */
	bool any, alone; /* ... if any does, and no other one does */
	int64_t ahead_ns, error_ns;
};

struct fit {
	const struct td_meetings *m;
	const struct td_contents *in;
	const struct td_collective_clock *clocks;
	struct occasion *occasions; /* owned; by number */
	struct meeting *meetings; /* owned */
	size_t *seen; /* owned; by group */
	struct td_intern names; /* of machines, from 1 on */
	struct host *hosts; /* owned; of them */
	size_t nhosts;
	uint32_t *host_of; /* owned; by source id: from 1; 0: the source counts for nothing */
};

void td_meetings_done(struct td_meetings *m)
{
	td_intern_done(&m->keys);
	td_intern_done(&m->occasions);
	free(m->groups);
	free(m->items);
	*m = (struct td_meetings){ 0 };
}

int td_meetings_add(struct td_meetings *m, const struct td_meeting_key *key, uint16_t source_id,
		    int64_t start_ns, int64_t end_ns)
{
	struct {
		uint32_t what;
		int32_t run_number;
	} of = { key->what, key->run_number };
	uint32_t at = td_intern_add(&m->keys, (const char *)key, sizeof(*key));
	uint32_t what = td_intern_add(&m->occasions, (const char *)&of, sizeof(of));

	if (!at || !what || td_grow(&m->groups, &m->groups_cap, m->ngroups) < 0 ||
	    td_grow(&m->items, &m->cap, m->n) < 0)
		return -ENOMEM;
	if (at > m->ngroups)
		m->groups[m->ngroups++] = (struct td_meeting_group){ .what = what };
	m->groups[at - 1].n++;
	m->items[m->n++] = (struct td_meeting_item){ start_ns, end_ns, at - 1, source_id };
	return 0;
}

/* --- machines --- */

bool td_meetings_has_machines(const struct td_contents *in)
{
	const char *host = NULL;
	bool several = false;

	for (size_t i = 0; i < in->nsources; i++) {
		const struct td_source *s = &in->sources[i];

		if (s->first_native_ns == TD_NULL)
			continue;
		if (!s->host)
			return false;
		several = several || (host && strcmp(host, s->host) != 0);
		host = s->host;
	}
	return several;
}

static bool is_before(const struct td_source *a, const struct td_source *b)
{
	if (a->rank == TD_NULL || b->rank == TD_NULL)
		return a->rank != TD_NULL;
	return a->rank < b->rank;
}

/* *ret: its number, from 1. */
static int find_host(struct fit *f, const char *name, uint32_t *ret)
{
	*ret = td_intern_add(&f->names, name, strlen(name));
	if (!*ret)
		return -ENOMEM;
	if (*ret > f->nhosts)
		f->hosts[f->nhosts++] =
			(struct host){ .least_ns = INT64_MIN, .most_ns = INT64_MAX };
	return 0;
}

/* The first one is that of the least rank. */
static int find_hosts(struct fit *f)
{
	const struct td_contents *in = f->in;
	const struct td_source *first = NULL;
	uint32_t number;
	int r = 0;

	f->hosts = calloc(in->nsources, sizeof(*f->hosts));
	f->host_of = calloc(in->nsources + 1, sizeof(*f->host_of));
	if (!f->hosts || !f->host_of)
		return -ENOMEM;
	for (size_t i = 0; i < in->nsources; i++)
		if (in->sources[i].error_ns != TD_NULL && in->sources[i].host &&
		    (!first || is_before(&in->sources[i], first)))
			first = &in->sources[i];
	if (first)
		r = find_host(f, first->host, &number);
	for (size_t i = 0; i < in->nsources && r == 0; i++)
		if (in->sources[i].error_ns != TD_NULL && in->sources[i].host)
			r = find_host(f, in->sources[i].host, &f->host_of[i + 1]);
	return r;
}

/* --- meetings --- */

static int find_occasions(struct fit *f)
{
	size_t n = f->m->occasions.n + 1, at = 0;

	f->occasions = calloc(n, sizeof(*f->occasions));
	if (!f->occasions)
		return -ENOMEM;
	for (size_t i = 0; i < f->m->ngroups; i++) {
		const struct td_meeting_group *g = &f->m->groups[i];
		struct occasion *w = &f->occasions[g->what];

		w->least = w->groups++ ? TD_MIN(w->least, g->n) : g->n;
		w->most = TD_MAX(w->most, g->n);
	}
	for (size_t i = 0; i < n; i++) {
		f->occasions[i].at = at;
		at += f->occasions[i].most;
	}
	f->meetings = calloc(TD_MAX(at, (size_t)1), sizeof(*f->meetings));
	f->seen = calloc(f->m->ngroups + 1, sizeof(*f->seen));
	for (size_t i = 0; f->meetings && i < at; i++)
		f->meetings[i] = (struct meeting){ TD_NULL, TD_NULL };
	return f->meetings && f->seen ? 0 : -ENOMEM;
}

static int64_t error_of(const struct fit *f, uint16_t source_id)
{
	return TD_MAX(f->in->sources[source_id - 1].error_ns, LEAST_ERROR_NS);
}

/* Of the first machine: a meeting is not over before its last one has begun and not later than its
 * first one has ended. */
static void add_first(struct meeting *meeting, int64_t begin_ns, int64_t end_ns)
{
	meeting->begin_ns = TD_MAX(meeting->begin_ns, begin_ns); /* TD_NULL is the smallest */
	meeting->end_ns = meeting->end_ns == TD_NULL ? end_ns : TD_MIN(meeting->end_ns, end_ns);
}

static void bound(struct host *h, const struct meeting *meeting, int64_t begin_ns, int64_t end_ns)
{
	if (meeting->begin_ns == TD_NULL)
		return;
	h->least_ns = TD_MAX(h->least_ns, begin_ns - meeting->end_ns);
	h->most_ns = TD_MIN(h->most_ns, end_ns - meeting->begin_ns);
}

static void look(struct fit *f, bool at_first)
{
	memset(f->seen, 0, f->m->ngroups * sizeof(*f->seen));
	for (size_t i = 0; i < f->m->n; i++) {
		const struct td_meeting_item *item = &f->m->items[i];
		const struct occasion *w = &f->occasions[f->m->groups[item->group].what];
		struct meeting *meeting = &f->meetings[w->at + f->seen[item->group]++];
		uint32_t number = f->host_of[item->source_id];
		struct host *h = &f->hosts[number - (number > 0)];
		int64_t error_ns;

		if (!number || w->groups < 2 || w->least != w->most)
			continue;
		error_ns = error_of(f, item->source_id);
		if (at_first) {
			h->alone = h->any ? h->alone && h->source_id == item->source_id : true;
			h->any = true;
			h->source_id = item->source_id;
		}
		if (at_first && number == 1)
			add_first(meeting, item->start_ns - error_ns, item->end_ns + error_ns);
		else if (!at_first && number > 1)
			bound(h, meeting, item->start_ns - error_ns, item->end_ns + error_ns);
	}
}

/* Whether all machines can be placed, and where; to what each is known beside all others: its own
 * error and the worst of theirs. */
static bool place(struct fit *f)
{
	bool all = f->hosts[0].any;
	int64_t worst = 0, second = 0;

	f->hosts[0].least_ns = f->hosts[0].most_ns = 0;
	for (size_t i = 0; i < f->nhosts && all; i++) {
		struct host *h = &f->hosts[i];

		all = h->least_ns != INT64_MIN && h->most_ns != INT64_MAX &&
		      h->least_ns <= h->most_ns;
		if (!all)
			break;
		h->ahead_ns = h->least_ns + (h->most_ns - h->least_ns) / 2;
		h->error_ns = (h->most_ns - h->least_ns + 1) / 2;
		second = TD_MAX(second, TD_MIN(h->error_ns, worst));
		worst = TD_MAX(worst, h->error_ns);
	}
	for (size_t i = 0, of_worst = 0; i < f->nhosts && all; i++) {
		struct host *h = &f->hosts[i];
		bool is_worst = h->error_ns == worst && !of_worst;

		of_worst += is_worst;
		h->error_ns += is_worst ? second : worst;
		if (f->nhosts == 1) /* the clocks of all others are unknown */
			h->error_ns = TD_NULL;
	}
	return all;
}

static void fit_done(struct fit *f)
{
	free(f->occasions);
	free(f->meetings);
	free(f->seen);
	td_intern_done(&f->names);
	free(f->hosts);
	free(f->host_of);
}

int td_meetings_fit(const struct td_meetings *m, const struct td_contents *in,
		    struct td_collective_clock *clocks)
{
	_cleanup_(fit_done) struct fit f = { .m = m, .in = in };
	int r = td_meetings_has_machines(in) ? find_hosts(&f) : 0;

	if (r == 0 && f.nhosts)
		r = find_occasions(&f);
	if (r < 0 || !f.nhosts)
		return r;
	look(&f, true);
	look(&f, false);
	if (!place(&f))
		return 0;
	for (size_t id = 1; id <= in->nsources; id++) {
		const struct host *h = f.host_of[id] ? &f.hosts[f.host_of[id] - 1] : NULL;

		if (!h)
			continue;
		clocks[id].is_moved = true;
		clocks[id].ahead_ns = h->ahead_ns;
		clocks[id].error_ns = h->error_ns;
		if (h->error_ns != TD_NULL && (!h->alone || h->source_id != id))
			clocks[id].error_ns += 2 * error_of(&f, (uint16_t)id);
	}
	return 0;
}
