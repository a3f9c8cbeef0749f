/* SPDX-License-Identifier: MIT */
/* Pairs the starts and ends of MLPerf's intervals, and tells the runs in one log apart. */
#include "common/array.h"
#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/json/text.h"
#include "common/json/write.h"
#include "importers/mllog/mllog.h"

#include <math.h>

#define MAX_OPEN 4096 /* of one name; ranks that never end anything, mostly */
#define MAX_MERGED 64 /* members of an interval's metadata that are compared with its end's */
#define RANKS_START_NS (60 * TD_SEC_NS) /* the ranks of one run start within this time */

struct td_mllog_interval {
	struct td_mllog_event ev; /* its start; name is not kept, value and metadata lie in text */
	uint32_t name_id; /* string */
	struct td_mllog_interval *next;
	char text[];
};

static void begin_run(struct td_mllog_spans *s)
{
	s->run_number++;
	s->init_start_ns = s->run_start_ns = s->run_stop_ns = TD_NULL;
}

void td_mllog_spans_init(struct td_mllog_spans *s)
{
	*s = (struct td_mllog_spans){
		.names = TD_INTERN_INIT,
		.ranks = TD_INTERN_INIT,
		.args = TD_STRBUF_INIT,
	};
	begin_run(s);
}

/* --- rows --- */

/* The members of to, then those of from with other keys. */
static void add_merged(struct td_strbuf *b, struct td_str to, struct td_str from)
{
	struct td_scan s = td_scan_of(from.p, from.len);
	struct td_str keys[MAX_MERGED], key, value;
	size_t nkeys = 0;

	if (!td_json_is_object(to) || !td_json_is_object(from)) {
		td_json_add(b, td_json_is_empty(to) ? from : to);
		return;
	}
	td_json_add(b, to);
	b->len--; /* the closing brace */
	for (struct td_scan t = td_scan_of(to.p, to.len);
	     nkeys < MAX_MERGED && td_json_member(&t, &keys[nkeys], &value) > 0;)
		nkeys++;
	while (nkeys < MAX_MERGED && td_json_member(&s, &key, &value) > 0) {
		size_t i = 0;

		while (i < nkeys &&
		       (keys[i].len != key.len || memcmp(keys[i].p, key.p, key.len) != 0))
			i++;
		if (i < nkeys)
			continue;
		td_strbuf_adds(b, b->p[b->len - 1] == '{' ? "\"" : ",\"");
		td_strbuf_add(b, key.p, key.len);
		td_strbuf_adds(b, "\":");
		td_json_add(b, value);
	}
	td_strbuf_addc(b, '}');
}

/* {"value": ..., "metadata": ...} of an event, or of an interval's two, as far as they say something;
 * *ret is 0 if nothing does. end may be NULL. */
static int args_of(struct td_import *imp, struct td_mllog_spans *s, const struct td_mllog_event *ev,
		   const struct td_mllog_event *end, uint32_t *ret)
{
	static const struct td_str none = { NULL, 0 };
	struct td_str value = end && !td_json_is_empty(end->value) ? end->value : ev->value;
	struct td_str metadata = end ? end->metadata : none;
	struct td_strbuf *b = &s->args;

	td_strbuf_reset(b);
	td_strbuf_addc(b, '{');
	if (!td_json_is_empty(value)) {
		td_json_add_key(b, "value");
		td_json_add(b, value);
	}
	if (!td_json_is_empty(ev->metadata) || !td_json_is_empty(metadata)) {
		td_json_add_key(b, "metadata");
		add_merged(b, ev->metadata, metadata);
	}
	*ret = 0;
	td_strbuf_addc(b, '}');
	if (b->len > 2)
		*ret = td_store_string(imp->store, td_strbuf_str(b), b->len);
	return td_strbuf_error(b);
}

/* The value if it is a number, written as one or as text, or {"value": number}; else NaN. */
static double value_of(struct td_str value)
{
	double number;

	if (td_json_is_object(value))
		value = td_json_get(value, "value");
	(void)td_json_string(value, &value);
	return td_json_number(value, &number) ? number : NAN;
}

static int put_mark(struct td_import *imp, struct td_mllog_spans *s,
		    const struct td_mllog_event *ev)
{
	struct td_mark row = TD_MARK_INIT;
	int r;

	row.ts_ns = ev->ts_ns;
	row.name_id = td_store_string(imp->store, ev->name.p, ev->name.len);
	row.rank = ev->rank;
	row.value = value_of(ev->value);
	r = args_of(imp, s, ev, NULL, &row.args_id);
	return r < 0 ? r : td_put_mark(imp, &row);
}

struct span {
	const char *kind, *state;
	uint32_t name_id;
	int64_t dur_ns;
};

static int put_span(struct td_import *imp, struct td_mllog_spans *s, const struct span *span,
		    const struct td_mllog_event *ev, const struct td_mllog_event *end)
{
	struct td_span row = TD_SPAN_INIT;
	int r;

	row.start_ns = ev->ts_ns;
	row.dur_ns = span->dur_ns;
	row.number = ev->number;
	row.kind_id = td_store_cstr(imp->store, span->kind);
	row.name_id = span->name_id;
	row.state_id = td_store_cstr(imp->store, span->state);
	row.rank = ev->rank;
	row.run_number = s->run_number;
	r = args_of(imp, s, ev, end, &row.args_id);
	return r < 0 ? r : td_put_span(imp, &row);
}

/* Instrumented training loops log "value": {"start": ..., "duration": ns} when something is over.
 * 1: was one and is stored, 0: is not one, -errno. */
static int put_timed(struct td_import *imp, struct td_mllog_spans *s,
		     const struct td_mllog_event *ev)
{
	struct td_mllog_event start = *ev;
	struct span span = { .kind = "annotation", .state = "complete" };
	double dur_ns;
	int r;

	if (!td_json_is_object(ev->value) || !td_json_get(ev->value, "start").p ||
	    !td_json_number(td_json_get(ev->value, "duration"), &dur_ns) ||
	    !(dur_ns >= 0 && dur_ns < (double)TD_DAY_NS * 365))
		return 0;
	span.dur_ns = (int64_t)dur_ns;
	span.name_id = td_store_string(imp->store, ev->name.p, ev->name.len);
	start.ts_ns -= span.dur_ns;
	r = put_span(imp, s, &span, &start, NULL);
	return r < 0 ? r : 1;
}

/* --- pairs --- */

static struct td_mllog_open *open_of(struct td_mllog_spans *s, struct td_str name)
{
	uint32_t id = td_intern_add(&s->names, name.p, name.len);

	if (!id)
		return NULL;
	if (id > s->nopen) {
		if (td_grow(&s->open, &s->open_cap, s->nopen) < 0)
			return NULL;
		s->open[s->nopen++] = (struct td_mllog_open){ 0 };
	}
	return &s->open[id - 1];
}

static struct td_mllog_interval *take(struct td_mllog_open *o, struct td_mllog_interval *before)
{
	struct td_mllog_interval *i = before ? before->next : o->first;

	if (before)
		before->next = i->next;
	else
		o->first = i->next;
	if (o->last == i)
		o->last = before;
	o->n--;
	i->next = NULL;
	return i;
}

static int put_unfinished(struct td_import *imp, struct td_mllog_spans *s, struct td_mllog_open *o)
{
	_cleanup_free_ struct td_mllog_interval *i = take(o, NULL);
	struct span span = { "phase", "unfinished", i->name_id, TD_NULL };

	return put_span(imp, s, &span, &i->ev, NULL);
}

static int close_all(struct td_import *imp, struct td_mllog_spans *s)
{
	int r = 0;

	for (size_t k = 0; k < s->nopen; k++) {
		while (s->open[k].n) {
			int e = put_unfinished(imp, s, &s->open[k]);

			r = r < 0 ? r : e;
		}
	}
	return r;
}

#define BEST_FITNESS 10

/* How well an end fits a start: 0 not at all. The rank counts more than the number. */
static int fitness(const struct td_mllog_event *start, const struct td_mllog_event *end,
		   bool is_only_one)
{
	int rank = 1, number = 1;

	if (start->ts_ns > end->ts_ns)
		return 0;
	if (start->rank == end->rank)
		rank = 2;
	else if (start->rank != INT32_MIN && end->rank != INT32_MIN)
		return 0;
	if (start->number == end->number)
		number = 2;
	else if (start->number_kind == TD_MLLOG_EPOCH && end->number_kind == TD_MLLOG_EPOCH &&
		 !is_only_one)
		return 0;
	return rank * 4 + number;
}

/* Takes the start that the end belongs to; NULL: there is none. Equally good ones end in the order
 * in which they started. */
static struct td_mllog_interval *take_start(struct td_mllog_open *o,
					    const struct td_mllog_event *end)
{
	struct td_mllog_interval *before = NULL, *best_before = NULL;
	int best = 0;

	for (struct td_mllog_interval *i = o->first; i && best < BEST_FITNESS;
	     before = i, i = i->next) {
		int fit = fitness(&i->ev, end, o->n == 1);

		if (fit > best) {
			best = fit;
			best_before = before;
		}
	}
	return best ? take(o, best_before) : NULL;
}

/* Copies what is text of the line. */
static struct td_mllog_interval *interval_new(const struct td_mllog_event *ev)
{
	struct td_mllog_interval *i = malloc(sizeof(*i) + ev->value.len + ev->metadata.len);

	if (!i)
		return NULL;
	*i = (struct td_mllog_interval){ .ev = *ev };
	i->ev.name = (struct td_str){ NULL, 0 };
	i->ev.value.p = i->text;
	i->ev.metadata.p = i->text + ev->value.len;
	if (ev->value.len)
		memcpy(i->text, ev->value.p, ev->value.len);
	if (ev->metadata.len)
		memcpy(i->text + ev->value.len, ev->metadata.p, ev->metadata.len);
	return i;
}

static int add_start(struct td_import *imp, struct td_mllog_spans *s,
		     const struct td_mllog_event *ev)
{
	struct td_mllog_open *o = open_of(s, ev->name);
	struct td_mllog_interval *i;

	if (!o)
		return -ENOMEM;
	if (o->n == MAX_OPEN) {
		int r = put_unfinished(imp, s, o);

		if (r < 0)
			return r;
	}
	i = interval_new(ev);
	if (!i)
		return -ENOMEM;
	i->name_id = td_store_string(imp->store, ev->name.p, ev->name.len);
	if (o->last)
		o->last->next = i;
	else
		o->first = i;
	o->last = i;
	o->n++;
	return 0;
}

static int add_end(struct td_import *imp, struct td_mllog_spans *s, const struct td_mllog_event *ev)
{
	struct td_mllog_open *o = open_of(s, ev->name);
	_cleanup_free_ struct td_mllog_interval *i = NULL;
	struct span span = { "phase", "no-start", 0, TD_NULL };

	if (!o)
		return -ENOMEM;
	i = take_start(o, ev);
	if (!i) {
		span.name_id = td_store_string(imp->store, ev->name.p, ev->name.len);
		return put_span(imp, s, &span, ev, NULL);
	}
	if (i->ev.number != ev->number && i->ev.number_kind == TD_MLLOG_EPOCH &&
	    ev->number_kind == TD_MLLOG_EPOCH)
		td_note(imp, "number-mismatch", NULL);
	if (i->ev.number == TD_NULL)
		i->ev.number = ev->number;
	if (i->ev.rank == INT32_MIN)
		i->ev.rank = ev->rank;
	span = (struct span){ "phase", "complete", i->name_id, ev->ts_ns - i->ev.ts_ns };
	return put_span(imp, s, &span, &i->ev, ev);
}

/* --- runs --- */

static bool rank_is_open(struct td_mllog_spans *s, struct td_str name, int32_t rank)
{
	const struct td_mllog_open *o = open_of(s, name);

	for (const struct td_mllog_interval *i = o ? o->first : NULL; i; i = i->next)
		if (i->ev.rank == rank)
			return true;
	return false;
}

/* Logs get appended to: does a new run begin here? Ranks are interleaved and time may go backwards,
 * so it is not enough that something starts again. */
static bool begins_run(struct td_mllog_spans *s, const struct td_mllog_event *ev)
{
	bool is_init = td_str_eq(ev->name, "init");

	if (ev->type != TD_MLLOG_START || (!is_init && !td_str_eq(ev->name, "run")))
		return false;
	if (s->run_stop_ns != TD_NULL)
		return ev->ts_ns > s->run_stop_ns;
	if (!is_init || s->init_start_ns == TD_NULL)
		return false;
	if (s->run_start_ns != TD_NULL)
		return ev->ts_ns > s->run_start_ns;
	if (ev->rank != INT32_MIN)
		return rank_is_open(s, ev->name, ev->rank);
	return ev->ts_ns > s->init_start_ns + RANKS_START_NS;
}

static void remember_run(struct td_mllog_spans *s, const struct td_mllog_event *ev)
{
	bool start = ev->type == TD_MLLOG_START;

	if (start && td_str_eq(ev->name, "init"))
		s->init_start_ns = ev->ts_ns;
	else if (td_str_eq(ev->name, "run"))
		*(start ? &s->run_start_ns : &s->run_stop_ns) = ev->ts_ns;
}

/* --- clocks that are set --- */

/* Ranks are told apart by what they print, which not all logs have, and their lines come late. */
#define STEP_MIN_NS RANKS_START_NS

static struct td_mllog_clock *clock_of(struct td_mllog_spans *s, int32_t rank)
{
	uint32_t id = td_intern_add(&s->ranks, (const char *)&rank, sizeof(rank));

	if (!id)
		return NULL;
	if (id > s->nclocks) {
		if (td_grow(&s->clocks, &s->clocks_cap, s->nclocks) < 0)
			return NULL;
		s->clocks[s->nclocks++] = (struct td_mllog_clock){ .last_ns = TD_NULL };
	}
	return &s->clocks[id - 1];
}

/* A log that was put behind another goes back, too: it begins with what comes before a run, or a run was over. */
static bool may_begin_log(const struct td_mllog_spans *s, const struct td_mllog_event *ev)
{
	return s->run_stop_ns != TD_NULL || ev->type == TD_MLLOG_POINT ||
	       td_str_eq(ev->name, "init") || td_str_eq(ev->name, "run");
}

/* Not all events are stamped by the same clock: an end that comes after its start is believed. */
static bool ends_something(struct td_mllog_spans *s, const struct td_mllog_event *ev)
{
	const struct td_mllog_open *o = ev->type == TD_MLLOG_END ? open_of(s, ev->name) : NULL;

	for (const struct td_mllog_interval *i = o ? o->first : NULL; i; i = i->next)
		if (fitness(&i->ev, ev, o->n == 1))
			return true;
	return false;
}

/* Puts the event's time right. How long what is open lasts cannot be said if the clock was set
 * meanwhile. 1: there is no such time. */
static int follow_clock(struct td_import *imp, struct td_mllog_spans *s, struct td_mllog_event *ev)
{
	struct td_mllog_clock *c = clock_of(s, ev->rank);
	int r = 0;

	if (!c)
		return -ENOMEM;
	if (!td_import_add_steps(imp, c->step_ns, &ev->ts_ns))
		return 1;
	if (c->last_ns != TD_NULL && ev->ts_ns < c->last_ns - STEP_MIN_NS) {
		int64_t by_ns;

		if (ends_something(s, ev))
			return 0;
		if (may_begin_log(s, ev)) {
			/* what comes next tells */
			c->last_ns = ev->type == TD_MLLOG_POINT ? c->last_ns : ev->ts_ns;
			return 0;
		}
		by_ns = td_import_clock_step(imp, ev->ts_ns, c->last_ns);

		c->step_ns += by_ns;
		ev->ts_ns += by_ns;
		r = close_all(imp, s);
	}
	c->last_ns = ev->ts_ns;
	return r;
}

int td_mllog_spans_add(struct td_import *imp, struct td_mllog_spans *s, struct td_mllog_event *ev)
{
	int r = follow_clock(imp, s, ev);

	if (!r)
		r = put_timed(imp, s, ev);
	if (r)
		return r < 0 ? r : 0;
	if (ev->type == TD_MLLOG_POINT)
		return put_mark(imp, s, ev);
	if (begins_run(s, ev)) {
		r = close_all(imp, s);
		if (r < 0)
			return r;
		begin_run(s);
	}
	remember_run(s, ev);
	return ev->type == TD_MLLOG_START ? add_start(imp, s, ev) : add_end(imp, s, ev);
}

int td_mllog_spans_end(struct td_import *imp, struct td_mllog_spans *s)
{
	int r = close_all(imp, s);

	td_intern_done(&s->names);
	td_intern_done(&s->ranks);
	free(s->clocks);
	td_strbuf_done(&s->args);
	free(s->open);
	return r;
}
