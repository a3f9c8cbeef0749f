/* SPDX-License-Identifier: MIT */
/* The large tables: which column of each is the name, what tells the track, and what is told beside it. */
#include "analyzer/export/events/events_private.h"

/* Where columns of all tables are; the keys that tell the track and what is told of it follow. */
enum { ID, START, DUR, NAME, FIRST_KEY };
#define NO_COLUMN "id" /* in the place of one that the table does not have */

/* What texts columns mean, by td_walk.names. */
enum { INTEGER, REAL, STRINGS, FILES, OPS, PROCESSES };
static const char *const lookups[][2] = {
	[STRINGS] = { "string", "string" },
	[FILES] = { "file", "file" },
	[OPS] = { "op", "op" },
	[PROCESSES] = { "process", "process" },
};

struct told {
	int column;
	enum td_event_key key;
	int as;
};

struct event_table {
	const char *name;
	/* What the row is of. */
	struct td_group_key (*group)(const struct td_scan_rows *rows, size_t i);
	const char *columns[TD_SCAN_COLUMNS_MAX];
	enum td_event_category category;
	int names; /* what the column NAME is a key of */
	/* Columns that tell of a flow; 0: none. */
	int process, correlation;
	struct told told[TD_EVENT_ARGS_MAX + 1]; /* ended by column 0 */
	bool is_counter, has_dur;
};

static bool known(const struct td_scan_rows *rows, int column, size_t i)
{
	return !rows->is_null[column][i];
}

static int64_t key_at(const struct td_scan_rows *rows, int column, size_t i)
{
	return known(rows, column, i) ? rows->values[column][i] : TD_GROUP_NONE;
}

static struct td_group_key group_of(int64_t kind, int64_t a)
{
	return (struct td_group_key){ kind, a, TD_GROUP_NONE, TD_GROUP_NONE };
}

static struct td_group_key call_group(const struct td_scan_rows *rows, size_t i)
{
	return known(rows, 5, i) ? group_of(TD_GROUP_THREAD, rows->values[5][i])
				 : group_of(TD_GROUP_CALLS, key_at(rows, 4, i));
}

static struct td_group_key request_group(const struct td_scan_rows *rows, size_t i)
{
	return group_of(TD_GROUP_REQUESTS, key_at(rows, 4, i));
}

static struct td_group_key gpu_group(const struct td_scan_rows *rows, size_t i)
{
	return (struct td_group_key){ TD_GROUP_STREAM, key_at(rows, 4, i), key_at(rows, 5, i),
				      TD_GROUP_NONE };
}

static struct td_group_key slice_group(const struct td_scan_rows *rows, size_t i)
{
	return group_of(TD_GROUP_SLICES, key_at(rows, 4, i));
}

static struct td_group_key span_group(const struct td_scan_rows *rows, size_t i)
{
	return (struct td_group_key){ TD_GROUP_SPANS, key_at(rows, 4, i), key_at(rows, 5, i),
				      key_at(rows, 6, i) };
}

static struct td_group_key mark_group(const struct td_scan_rows *rows, size_t i)
{
	return group_of(TD_GROUP_MARKS, key_at(rows, 4, i));
}

static struct td_group_key sample_group(const struct td_scan_rows *rows, size_t i)
{
	return group_of(TD_GROUP_COUNTER, key_at(rows, 4, i));
}

static const struct event_table tables[] = {
	{ .name = "span",
	  .category = TD_EVENT_SPAN,
	  .has_dur = true,
	  .columns = { "id", "start_ns", "dur_ns", "name_id", "kind_id", "rank", "process_id",
		       "number", "run_number", "state_id", "args_id" },
	  .names = STRINGS,
	  .group = span_group,
	  .told = { { 7, TD_EVENT_NUMBER, INTEGER },
		    { 8, TD_EVENT_RUN_NUMBER, INTEGER },
		    { 9, TD_EVENT_STATE, STRINGS },
		    { 10, TD_EVENT_ARGS, STRINGS } } },
	{ .name = "mark",
	  .category = TD_EVENT_MARK,
	  .columns = { "id", "ts_ns", NO_COLUMN, "name_id", "process_id", "value", "args_id" },
	  .names = STRINGS,
	  .group = mark_group,
	  .told = { { 5, TD_EVENT_VALUE, REAL }, { 6, TD_EVENT_ARGS, STRINGS } } },
	{ .name = "sample",
	  .category = TD_EVENT_SAMPLE,
	  .is_counter = true,
	  .has_dur = true,
	  .columns = { "id", "ts_ns", "dur_ns", NO_COLUMN, "track_id", "value" },
	  .group = sample_group },
	{ .name = "call",
	  .category = TD_EVENT_CALL,
	  .has_dur = true,
	  .columns = { "id", "start_ns", "dur_ns", "op_id", "process_id", "thread_id",
		       "correlation", "file_id", "ret", "asked_bytes", "done_bytes", "offset_bytes",
		       "fd", "args_id", "cold_bytes" },
	  .names = OPS,
	  .group = call_group,
	  .process = 4,
	  .correlation = 6,
	  .told = { { 7, TD_EVENT_FILE, FILES },
		    { 8, TD_EVENT_RET, INTEGER },
		    { 9, TD_EVENT_ASKED_BYTES, INTEGER },
		    { 10, TD_EVENT_DONE_BYTES, INTEGER },
		    { 11, TD_EVENT_OFFSET_BYTES, INTEGER },
		    { 12, TD_EVENT_FD, INTEGER },
		    { 13, TD_EVENT_ARGS, STRINGS },
		    { 14, TD_EVENT_COLD_BYTES, INTEGER },
		    { 6, TD_EVENT_CORRELATION, INTEGER } } },
	{ .name = "block_request",
	  .category = TD_EVENT_REQUEST,
	  .has_dur = true,
	  .columns = { "id", "start_ns", "dur_ns", "op", "device_id", "bytes", "sector", "queue_ns",
		       "process_id" },
	  .names = INTEGER,
	  .group = request_group,
	  .told = { { 5, TD_EVENT_BYTES, INTEGER },
		    { 6, TD_EVENT_SECTOR, INTEGER },
		    { 7, TD_EVENT_QUEUE_NS, INTEGER },
		    { 8, TD_EVENT_PROCESS, PROCESSES } } },
	{ .name = "sched_slice",
	  .category = TD_EVENT_SCHED,
	  .has_dur = true,
	  .columns = { "id", "start_ns", "dur_ns", "state_id", "thread_id", "cpu", "reason_id" },
	  .names = STRINGS,
	  .group = slice_group,
	  .told = { { 5, TD_EVENT_CPU, INTEGER }, { 6, TD_EVENT_REASON, STRINGS } } },
	{ .name = "gpu_op",
	  .category = TD_EVENT_GPU,
	  .has_dur = true,
	  .columns = { "id", "start_ns", "dur_ns", "name_id", "device_id", "stream", "process_id",
		       "correlation", "kind_id", "bytes" },
	  .names = STRINGS,
	  .group = gpu_group,
	  .process = 6,
	  .correlation = 7,
	  .told = { { 8, TD_EVENT_KIND, STRINGS },
		    { 9, TD_EVENT_BYTES, INTEGER },
		    { 7, TD_EVENT_CORRELATION, INTEGER } } },
};

struct rows_walk {
	struct td_walk *w;
	const struct event_table *t;
	struct td_event_text directions[3]; /* of requests */
};

static void set_text(struct td_walk *w, int names, int64_t key, struct td_event_text *ret)
{
	uint32_t code = td_lookup_code(w->names[names], key);

	*ret = (struct td_event_text){ 0 };
	if (code)
		*ret = (struct td_event_text){ (uint64_t)code * TD_EVENT_NLOOKUPS + (unsigned)names,
					       td_intern_get(&w->names[names]->texts, code) };
}

/* A round of a phase is called 'epoch 3'. */
static int number_name(struct rows_walk *s, const struct td_scan_rows *rows, size_t i,
		       struct td_event *e)
{
	struct td_event_text kind;
	char name[128];
	int n;

	set_text(s->w, STRINGS, rows->values[4][i], &kind);
	if (!known(rows, 7, i) || !kind.iid || !td_str_eq(kind.text, "phase"))
		return 0;
	n = snprintf(name, sizeof(name), "%.*s %lld", (int)TD_MIN(e->name.text.len, 100),
		     e->name.iid ? e->name.text.p : "", (long long)rows->values[7][i]);
	return td_walk_literal(s->w, name, (size_t)n, &e->name);
}

static int set_name(struct rows_walk *s, const struct td_scan_rows *rows, size_t i,
		    struct td_event *e)
{
	int64_t key = rows->values[NAME][i];

	if (s->t->category == TD_EVENT_REQUEST)
		e->name = s->directions[key >= 0 && key < 2 ? key : 2];
	else if (!s->t->is_counter)
		set_text(s->w, s->t->names, key, &e->name);
	return s->t->category == TD_EVENT_SPAN ? number_name(s, rows, i, e) : 0;
}

static void tell(struct rows_walk *s, const struct td_scan_rows *rows, size_t i, struct td_event *e)
{
	for (const struct told *t = s->t->told; t->column; t++) {
		struct td_event_arg *a = &e->args[e->nargs];
		int64_t v = rows->values[t->column][i];

		if (!known(rows, t->column, i))
			continue;
		a->key = t->key;
		a->type = t->as == INTEGER ? TD_EVENT_INTEGER
			  : t->as == REAL  ? TD_EVENT_REAL
					   : TD_EVENT_STRING;
		a->integer = v;
		memcpy(&a->real, &v, sizeof(v));
		if (a->type == TD_EVENT_STRING) {
			set_text(s->w, t->as, v, &a->string);
			if (!a->string.iid)
				continue;
		}
		e->nargs++;
	}
}

static void set_flow(struct rows_walk *s, const struct td_scan_rows *rows, size_t i,
		     struct td_event *e)
{
	const struct event_table *t = s->t;

	if (!t->correlation || !known(rows, t->correlation, i) || e->type != TD_EVENT_SLICE)
		return;
	e->begins_flow = t->category == TD_EVENT_CALL;
	e->flow = td_flows_find(&s->w->flows, key_at(rows, t->process, i),
				rows->values[t->correlation][i], e->begins_flow);
}

/* False: it is no time that an import stores. */
static bool set_time(struct rows_walk *s, const struct td_scan_rows *rows, size_t i,
		     struct td_event *e)
{
	int64_t dur_ns = s->t->has_dur && known(rows, DUR, i) ? rows->values[DUR][i] : 0;

	e->start_ns = rows->values[START][i];
	e->dur_ns = dur_ns;
	if (e->start_ns < 0 || e->start_ns > TD_EVENT_TIME_MAX || dur_ns < 0 ||
	    dur_ns > TD_EVENT_TIME_MAX - e->start_ns)
		return false;
	if (s->t->is_counter) { /* it is of the time that ends there */
		e->type = TD_EVENT_COUNTER;
		e->start_ns -= TD_MIN(dur_ns, e->start_ns);
		memcpy(&e->value, &rows->values[5][i], sizeof(e->value));
	} else {
		e->type = s->t->has_dur && known(rows, DUR, i) ? TD_EVENT_SLICE : TD_EVENT_INSTANT;
	}
	return true;
}

static int put_row(struct rows_walk *s, const struct td_scan_rows *rows, size_t i)
{
	struct td_walk *w = s->w;
	struct td_event e;
	struct td_group_key key = s->t->group(rows, i);
	uint32_t group;
	int r;

	e.name = (struct td_event_text){ 0 };
	e.nargs = 0;
	e.flow = 0;
	e.category = s->t->category;
	if (s->t->is_counter && !known(rows, 5, i)) {
		w->counts->no_value++;
		return 0;
	}
	if (!set_time(s, rows, i, &e)) {
		w->counts->no_time++;
		return 0;
	}
	r = td_walk_group(w, &key, &group);
	if (r == 0)
		r = set_name(s, rows, i, &e);
	if (r < 0)
		return r;
	e.track = w->groups[group].lanes[0].track;
	tell(s, rows, i, &e);
	if (e.type == TD_EVENT_SLICE)
		r = td_walk_lane(w, group, &e);
	set_flow(s, rows, i, &e);
	return r == 0 ? td_walk_put(w, &e) : r;
}

static int put_rows(void *arg, const struct td_scan_rows *rows)
{
	int r = 0;

	for (size_t i = 0; i < rows->n && r == 0; i++)
		r = put_row(arg, rows, i);
	return r;
}

/* What of the GPU can be joined with calls: id, process and number. */
static int note_flows(void *arg, const struct td_scan_rows *rows)
{
	struct td_walk *w = arg;
	int r = 0;

	for (size_t i = 0; i < rows->n && r >= 0; i++) {
		if (!known(rows, 1, i) || !known(rows, 2, i))
			continue;
		r = td_flows_add(&w->flows, key_at(rows, 0, i), rows->values[1][i]);
		w->counts->no_flow += r == 1;
	}
	return TD_MIN(r, 0);
}

int td_walk_rows(struct td_walk *w)
{
	static const char *const flow_columns[] = { "process_id", "correlation", "dur_ns", NULL };
	static const char *const directions[] = { "read", "write", "other" };
	struct rows_walk s = { .w = w };
	int r = td_walk_scan(w, "gpu_op", flow_columns, note_flows, w);

	for (size_t i = STRINGS; i < TD_ARRAY_SIZE(lookups) && r == 0; i++)
		r = td_lookup_get(w->db, lookups[i][0], lookups[i][1], &w->lookups, &w->names[i],
				  w->err);
	for (size_t i = 0; i < TD_ARRAY_SIZE(directions) && r == 0; i++)
		r = td_walk_literal(w, directions[i], strlen(directions[i]), &s.directions[i]);
	for (size_t i = 0; i < TD_ARRAY_SIZE(tables) && r == 0; i++) {
		s.t = &tables[i];
		r = td_walk_scan(w, s.t->name, s.t->columns, put_rows, &s);
	}
	return r;
}
