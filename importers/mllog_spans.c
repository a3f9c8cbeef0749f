/* SPDX-License-Identifier: MIT */
/* Pairs the starts and ends of MLPerf's intervals, and tells the runs in one log apart. */
#include "common/array.h"
#include "common/caldate.h"
#include "importers/mllog.h"

#include <math.h>

#define MAX_OPEN 4096 /* of one name; ranks that never end anything, mostly */
#define RANKS_START_NS (60 * TD_SEC_NS) /* the ranks of one run start within this time */

struct td_mllog_interval {
	struct td_mllog_event ev; /* its start; name is not kept */
	uint32_t name_id; /* string */
	struct td_mllog_interval *next;
};

static void interval_free(struct td_mllog_interval *i)
{
	cJSON_Delete(i->ev.json);
	free(i);
}
TD_DEFINE_CLEANUP(struct td_mllog_interval *, interval_free)

static void begin_run(struct td_mllog_spans *s)
{
	s->run_number++;
	s->init_start_ns = s->run_start_ns = s->run_stop_ns = TD_NULL;
}

void td_mllog_spans_init(struct td_mllog_spans *s)
{
	*s = (struct td_mllog_spans){ .names = TD_INTERN_INIT };
	begin_run(s);
}

/* --- rows --- */

static bool is_empty(const cJSON *item)
{
	return !item || cJSON_IsNull(item) ||
	       (cJSON_IsString(item) && item->valuestring[0] == '\0') ||
	       ((cJSON_IsObject(item) || cJSON_IsArray(item)) && !item->child);
}

/* Keeps only value and metadata, and of these only what says something. *ret: 0 if that is nothing. */
static int args_of(struct td_import *imp, cJSON *json, uint32_t *ret)
{
	_cleanup_free_ char *text = NULL;
	cJSON *item, *next;

	for (item = json ? json->child : NULL; item; item = next) {
		next = item->next;
		if (is_empty(item) ||
		    (strcmp(item->string, "value") != 0 && strcmp(item->string, "metadata") != 0))
			cJSON_Delete(cJSON_DetachItemViaPointer(json, item));
	}
	*ret = 0;
	if (is_empty(json))
		return 0;
	text = cJSON_PrintBuffered(json, 256, false);
	if (!text)
		return -ENOMEM;
	*ret = td_store_cstr(imp->store, text);
	return 0;
}

/* The value if it is a number, written as one or as text, or {"value": number}; else NaN. */
static double value_of(const cJSON *json)
{
	const cJSON *value = cJSON_GetObjectItemCaseSensitive(json, "value");
	_cleanup_(cJSON_Deletep) cJSON *number = NULL;

	if (cJSON_IsObject(value))
		value = cJSON_GetObjectItemCaseSensitive(value, "value");
	if (cJSON_IsString(value) && value->valuestring[0] != '"')
		value = number = cJSON_ParseWithOpts(value->valuestring, NULL, true);
	return cJSON_IsNumber(value) ? value->valuedouble : NAN;
}

static int put_mark(struct td_import *imp, struct td_mllog_event *ev)
{
	struct td_mark row = TD_MARK_INIT;
	int r;

	row.ts_ns = ev->ts_ns;
	row.name_id = td_store_string(imp->store, ev->name.p, ev->name.len);
	row.rank = ev->rank;
	row.value = value_of(ev->json);
	r = args_of(imp, ev->json, &row.args_id);
	return r < 0 ? r : td_put_mark(imp, &row);
}

static int put_span(struct td_import *imp, const struct td_mllog_spans *s, const char *kind,
		    const char *state, uint32_t name_id, const struct td_mllog_event *ev,
		    int64_t dur_ns)
{
	struct td_span row = TD_SPAN_INIT;
	int r;

	row.start_ns = ev->ts_ns;
	row.dur_ns = dur_ns;
	row.number = ev->number;
	row.kind_id = td_store_cstr(imp->store, kind);
	row.name_id = name_id;
	row.state_id = td_store_cstr(imp->store, state);
	row.rank = ev->rank;
	row.run_number = s->run_number;
	r = args_of(imp, ev->json, &row.args_id);
	return r < 0 ? r : td_put_span(imp, &row);
}

/* Instrumented training loops log "value": {"start": ..., "duration": ns} when something is over.
 * 1: was one and is stored, 0: is not one, -errno. */
static int put_timed(struct td_import *imp, const struct td_mllog_spans *s,
		     struct td_mllog_event *ev)
{
	const cJSON *value = cJSON_GetObjectItemCaseSensitive(ev->json, "value");
	const cJSON *dur = cJSON_GetObjectItemCaseSensitive(value, "duration");
	int64_t dur_ns;
	int r;

	if (!cJSON_IsNumber(dur) || !cJSON_HasObjectItem(value, "start") ||
	    !(dur->valuedouble >= 0 && dur->valuedouble < (double)TD_DAY_NS * 365))
		return 0;
	dur_ns = (int64_t)dur->valuedouble;
	ev->ts_ns -= dur_ns;
	r = put_span(imp, s, "annotation", "complete",
		     td_store_string(imp->store, ev->name.p, ev->name.len), ev, dur_ns);
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
	_cleanup_(interval_freep) struct td_mllog_interval *i = take(o, NULL);

	return put_span(imp, s, "phase", "unfinished", i->name_id, &i->ev, TD_NULL);
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

	for (struct td_mllog_interval *i = o->first; i && best < 10; before = i, i = i->next) {
		int fit = fitness(&i->ev, end, o->n == 1);

		if (fit > best) {
			best = fit;
			best_before = before;
		}
	}
	return best ? take(o, best_before) : NULL;
}

/* What only the end knows (status, learning rate) goes to the start's metadata. */
static void merge(cJSON *start, cJSON *end)
{
	cJSON *to = cJSON_GetObjectItemCaseSensitive(start, "metadata");
	cJSON *from = cJSON_GetObjectItemCaseSensitive(end, "metadata"), *item, *next;
	cJSON *value = cJSON_GetObjectItemCaseSensitive(end, "value");

	if (!is_empty(value)) {
		cJSON_DeleteItemFromObjectCaseSensitive(start, "value");
		cJSON_AddItemToObject(start, "value", cJSON_DetachItemViaPointer(end, value));
	}
	if (!cJSON_IsObject(to) || !cJSON_IsObject(from))
		return;
	for (item = from->child; item; item = next) {
		next = item->next;
		if (!cJSON_HasObjectItem(to, item->string)) {
			cJSON_DetachItemViaPointer(from, item);
			cJSON_AddItemToObject(to, item->string, item);
		}
	}
}

static int add_start(struct td_import *imp, struct td_mllog_spans *s, struct td_mllog_event *ev)
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
	i = calloc(1, sizeof(*i));
	if (!i)
		return -ENOMEM;
	i->ev = *ev;
	i->ev.json = TAKE_PTR(ev->json);
	i->name_id = td_store_string(imp->store, ev->name.p, ev->name.len);
	if (o->last)
		o->last->next = i;
	else
		o->first = i;
	o->last = i;
	o->n++;
	return 0;
}

static int add_end(struct td_import *imp, struct td_mllog_spans *s, struct td_mllog_event *ev)
{
	struct td_mllog_open *o = open_of(s, ev->name);
	_cleanup_(interval_freep) struct td_mllog_interval *i = NULL;

	if (!o)
		return -ENOMEM;
	i = take_start(o, ev);
	if (!i)
		return put_span(imp, s, "phase", "no-start",
				td_store_string(imp->store, ev->name.p, ev->name.len), ev, TD_NULL);
	if (i->ev.number != ev->number && i->ev.number_kind == TD_MLLOG_EPOCH &&
	    ev->number_kind == TD_MLLOG_EPOCH)
		td_note(imp, "number-mismatch", NULL);
	if (i->ev.number == TD_NULL)
		i->ev.number = ev->number;
	if (i->ev.rank == INT32_MIN)
		i->ev.rank = ev->rank;
	merge(i->ev.json, ev->json);
	return put_span(imp, s, "phase", "complete", i->name_id, &i->ev, ev->ts_ns - i->ev.ts_ns);
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

int td_mllog_spans_add(struct td_import *imp, struct td_mllog_spans *s, struct td_mllog_event *ev)
{
	int r = put_timed(imp, s, ev);

	if (r)
		return r < 0 ? r : 0;
	if (ev->type == TD_MLLOG_POINT)
		return put_mark(imp, ev);
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
	free(s->open);
	return r;
}
