/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/cleanup.h"
#include "schema/ops.h"
#include "store/store.h"
#include "store/store_private.h"
#include "store/template_block.h"

void td_source_done(struct td_source *s)
{
	free(s->path);
	free(s->layout);
	free(s->detail);
	free(s->tool);
	free(s->tool_version);
	free(s->host);
	free(s->clock_basis);
}

int td_store_new(const char *spill_path, struct td_store **ret)
{
	_cleanup_(td_store_freep) struct td_store *st = calloc(1, sizeof(*st));

	if (!st)
		return -ENOMEM;
	st->scratch_path = strdup(spill_path);
	if (!st->scratch_path)
		return -ENOMEM;
	for (unsigned k = 0; k < TD_NKINDS; k++) {
		int r;

		if (asprintf(&st->spill_paths[k], "%s-%s", spill_path, td_tables[k].name) < 0) {
			st->spill_paths[k] = NULL;
			return -ENOMEM;
		}
		r = td_stage_new(&td_tables[k], st->spill_paths[k], &st->stages[k]);
		if (r < 0)
			return r;
	}
	*ret = TAKE_PTR(st);
	return 0;
}

void *td_store_keep(struct td_store *st, size_t size, void (*done)(void *kept))
{
	_cleanup_free_ struct td_kept *new = NULL;

	for (struct td_kept *k = st->kept; k; k = k->next)
		if (k->done == done)
			return k->kept;
	new = calloc(1, sizeof(*new));
	if (!new)
		return NULL;
	*new = (struct td_kept){ st->kept, done, calloc(1, size) };
	if (!new->kept)
		return NULL;
	st->kept = TAKE_PTR(new);
	return st->kept->kept;
}

static void free_kept(struct td_store *st)
{
	while (st->kept) {
		struct td_kept *k = st->kept;

		st->kept = k->next;
		k->done(k->kept);
		free(k->kept);
		free(k);
	}
}

void td_store_free(struct td_store *st)
{
	if (!st)
		return;
	free_kept(st);
	for (unsigned k = 0; k < TD_NKINDS; k++) {
		td_stage_free(st->stages[k]);
		free(st->spill_paths[k]);
	}
	free(st->scratch_path);
	td_intern_done(&st->in.strings);
	td_intern_done(&st->op_names);
	td_intern_done(&st->pids);
	td_intern_done(&st->tids);
	td_intern_done(&st->file_keys);
	free(st->file_names);
	td_template_block_free(st->templates);
	td_intern_done(&st->device_keys);
	td_intern_done(&st->track_keys);
	td_intern_done(&st->stack_keys);
	td_intern_done(&st->log_run_keys);
	for (size_t i = 0; i < st->in.nsources; i++)
		td_source_done(&st->in.sources[i]);
	for (size_t i = 0; i < st->in.nsource_texts; i++)
		free(st->in.source_texts[i].beginnings);
	for (size_t i = 0; i < st->in.nissues; i++)
		free(st->in.issues[i].text);
	free(st->in.ops);
	free(st->in.processes);
	free(st->process_of_pid);
	free(st->thread_of_tid);
	free(st->in.threads);
	free(st->in.files);
	free(st->in.devices);
	free(st->in.tracks);
	free(st->in.stacks);
	free(st->in.stack_totals);
	free(st->in.sources);
	free(st->in.source_texts);
	free(st->in.anchors);
	free(st->in.issue_counts);
	free(st->in.issues);
	free(st->in.summaries);
	free(st->in.losses);
	free(st->in.log_runs);
	free(st);
}

const struct td_contents *td_store_contents(const struct td_store *st)
{
	return &st->in;
}

const char *td_store_scratch_path(const struct td_store *st)
{
	return st->scratch_path;
}

int td_store_error(const struct td_store *st)
{
	return st->error;
}

/* Remembers the first error; returns 0 so that id functions can end with it. */
static uint32_t fail(struct td_store *st, int r)
{
	if (!st->error)
		st->error = r;
	return 0;
}

/* Room for one more element of an array that runs parallel to an interner; false remembers the error. */
#define ROOM(st, array, cap, n)                                                                    \
	({                                                                                         \
		int _r = td_grow(&(array), &(cap), (n));                                           \
		if (_r < 0)                                                                        \
			fail(st, _r);                                                              \
		_r == 0;                                                                           \
	})

uint32_t td_store_string(struct td_store *st, const char *p, size_t len)
{
	uint32_t id = td_intern_add(&st->in.strings, p, len);

	return id ? id : fail(st, -ENOMEM);
}

uint32_t td_store_cstr(struct td_store *st, const char *text)
{
	return td_store_string(st, text, strlen(text));
}

struct td_str td_store_text(const struct td_store *st, uint32_t string_id)
{
	return td_intern_get(&st->in.strings, string_id);
}

/* --- machines --- */

/* Key of the machine without a name, when the one that had none got a name. */
#define UNNAMED_KEY UINT32_MAX

void td_store_on_host(struct td_store *st, uint32_t host_id)
{
	st->host_id = host_id;
	st->host_key = host_id == st->named_host_id ? 0 : host_id ? host_id : UNNAMED_KEY;
	st->last_process = 0;
}

void td_store_name_host(struct td_store *st, uint32_t host_id)
{
	struct td_str name = td_store_text(st, host_id);

	st->named_host_id = host_id;
	for (size_t i = 0; i < st->in.nprocesses; i++)
		if (!st->in.processes[i].host_id)
			st->in.processes[i].host_id = host_id;
	for (size_t i = 0; i < st->in.ndevices; i++)
		if (!st->in.devices[i].host)
			st->in.devices[i].host = name.p;
	td_store_on_host(st, st->host_id);
}

void td_store_set_several_hosts(struct td_store *st)
{
	st->several_hosts = true;
}

bool td_store_has_several_hosts(const struct td_store *st)
{
	return st->several_hosts;
}

/* --- who and what --- */

/* Longer names of operations and devices are cut. */
#define NAME_MAX_BYTES 65

/* What kind (a small number) and name are interned as: a digit and the name. Returns the length. */
static size_t make_key(char key[NAME_MAX_BYTES + 1], unsigned kind, const char *p, size_t len)
{
	len = TD_MIN(len, (size_t)NAME_MAX_BYTES);
	key[0] = (char)('0' + kind);
	memcpy(key + 1, p, len);
	return len + 1;
}

uint16_t td_store_op(struct td_store *st, const char *p, size_t len, enum td_layer layer)
{
	static const char other[] = "(other)";
	char key[NAME_MAX_BYTES + 1];
	size_t n = make_key(key, layer, p, len);
	uint32_t id;

	if (st->in.nops >= TD_OPS_MAX && !td_intern_find(&st->op_names, key, n))
		n = make_key(key, layer, other, strlen(other));
	id = td_intern_add(&st->op_names, key, n);
	if (!id)
		return (uint16_t)fail(st, -ENOMEM);
	if (id > st->in.nops) {
		if (!ROOM(st, st->in.ops, st->ops_cap, st->in.nops))
			return 0;
		st->in.ops[st->in.nops++] = (struct td_op){
			.name = td_intern_get(&st->op_names, id).p + 1,
			.layer = layer,
			.info = layer == TD_LAYER_CUDA ? td_op_lookup_cuda(key + 1, n - 1)
						       : td_op_lookup(key + 1, n - 1),
		};
	}
	return (uint16_t)id;
}

uint32_t td_store_device(struct td_store *st, enum td_device_kind kind, const char *p, size_t len,
			 int64_t number)
{
	char key[NAME_MAX_BYTES + 2 + sizeof(st->host_key)];
	size_t n = make_key(key, kind, p, len);
	uint32_t id;

	if (st->host_key) {
		key[n++] = '\0';
		memcpy(key + n, &st->host_key, sizeof(st->host_key));
		n += sizeof(st->host_key);
	}
	id = td_intern_add(&st->device_keys, key, n);
	st->in.of_machines++;
	if (!id)
		return fail(st, -ENOMEM);
	if (id > st->in.ndevices) {
		if (!ROOM(st, st->in.devices, st->devices_cap, st->in.ndevices))
			return 0;
		st->in.devices[st->in.ndevices++] = (struct td_device){
			.kind = kind,
			.name = td_intern_get(&st->device_keys, id).p + 1,
			.number = number,
			.host = st->host_id ? td_store_text(st, st->host_id).p : NULL,
		};
	}
	return id;
}

uint32_t td_store_track(struct td_store *st, uint16_t source_id, const char *name, const char *unit,
			uint32_t device_id, uint32_t process_id)
{
	struct {
		uint32_t name, unit, device, process, source;
	} key = {
		.name = td_store_cstr(st, name),
		.unit = td_store_cstr(st, unit),
		.device = device_id,
		.process = process_id,
		.source = source_id,
	};
	uint32_t id = td_intern_add(&st->track_keys, (const char *)&key, sizeof(key));

	if (!id || st->error)
		return fail(st, -ENOMEM);
	if (id > st->in.ntracks) {
		if (!ROOM(st, st->in.tracks, st->tracks_cap, st->in.ntracks))
			return 0;
		st->in.tracks[st->in.ntracks++] = (struct td_track){
			.name = td_store_text(st, key.name).p,
			.unit = td_store_text(st, key.unit).p,
			.device_id = device_id,
			.process_id = process_id,
			.source_id = source_id,
		};
	}
	return id;
}

uint16_t td_store_source(struct td_store *st, const char *path)
{
	struct td_source s = {
		.path = strdup(path),
		.state = TD_STATE_COMPLETE,
		.size_bytes = TD_NULL,
		.rank = TD_NULL,
		.drift_ppb = NAN,
		.error_ns = TD_NULL,
		.first_native_ns = TD_NULL,
		.last_native_ns = TD_NULL,
	};

	if (!s.path || st->in.nsources >= UINT16_MAX ||
	    !ROOM(st, st->in.sources, st->sources_cap, st->in.nsources)) {
		free(s.path);
		return (uint16_t)fail(st, st->in.nsources >= UINT16_MAX ? -E2BIG : -ENOMEM);
	}
	st->in.sources[st->in.nsources++] = s;
	return (uint16_t)st->in.nsources;
}

struct td_source *td_store_source_at(struct td_store *st, size_t id)
{
	return id ? &st->in.sources[id - 1] : NULL;
}

struct td_shift td_source_shift(const struct td_source *s)
{
	return (struct td_shift){
		.offset_ns = s->offset_ns,
		.drift = isnan(s->drift_ppb) ? 0 : s->drift_ppb * 1e-9,
		.drift_from_ns = s->first_native_ns,
	};
}

static bool is_timed(const struct td_source *s)
{
	return s->first_native_ns != TD_NULL;
}

bool td_store_has_clock(const struct td_store *st)
{
	for (size_t i = 0; i < st->in.nsources; i++)
		if (is_timed(&st->in.sources[i]) && st->in.sources[i].error_ns != TD_NULL)
			return true;
	return false;
}

bool td_source_on_clock(const struct td_source *s, bool has_clock)
{
	return s->error_ns != TD_NULL || !has_clock;
}

bool td_store_on_clock(const struct td_store *st, uint16_t source_id)
{
	return source_id &&
	       td_source_on_clock(&st->in.sources[source_id - 1], td_store_has_clock(st));
}

bool td_store_range(const struct td_store *st, int64_t *ret_first_ns, int64_t *ret_last_ns)
{
	int64_t first = INT64_MAX, last = INT64_MIN;
	bool has_clock = td_store_has_clock(st);

	for (size_t i = 0; i < st->in.nsources; i++) {
		const struct td_source *s = &st->in.sources[i];
		struct td_shift shift = td_source_shift(s);

		if (!is_timed(s) || !td_source_on_clock(s, has_clock))
			continue;
		first = TD_MIN(first, td_shift_to_utc(&shift, s->first_native_ns));
		last = TD_MAX(last, td_shift_to_utc(&shift, s->last_native_ns));
	}
	if (first > last)
		return false;
	*ret_first_ns = first;
	*ret_last_ns = last;
	return true;
}

void td_store_set_source_text(struct td_store *st, uint16_t source_id, int64_t bytes,
			      const char *beginnings)
{
	struct td_source_text text = { .source_id = source_id,
				       .bytes = bytes,
				       .beginnings = strdup(beginnings) };

	if (!text.beginnings && !st->error)
		st->error = -ENOMEM;
	if (text.beginnings &&
	    ROOM(st, st->in.source_texts, st->source_texts_cap, st->in.nsource_texts))
		st->in.source_texts[st->in.nsource_texts++] = text;
	else
		free(text.beginnings);
}

void td_store_anchor(struct td_store *st, const struct td_anchor *a)
{
	if (ROOM(st, st->in.anchors, st->anchors_cap, st->in.nanchors))
		st->in.anchors[st->in.nanchors++] = *a;
}

void td_store_summary(struct td_store *st, const struct td_summary *s)
{
	if (ROOM(st, st->in.summaries, st->summaries_cap, st->in.nsummaries))
		st->in.summaries[st->in.nsummaries++] = *s;
}

uint32_t td_store_stack(struct td_store *st, uint32_t parent_id, uint32_t symbol_id,
			uint32_t module_id)
{
	struct td_stack key = { parent_id, symbol_id, module_id };
	uint32_t id;

	if (st->in.nstacks >= TD_STACKS_MAX) {
		id = td_intern_find(&st->stack_keys, (const char *)&key, sizeof(key));
		return id ? id : parent_id ? parent_id : 1;
	}
	id = td_intern_add(&st->stack_keys, (const char *)&key, sizeof(key));
	if (!id)
		return fail(st, -ENOMEM);
	if (id > st->in.nstacks) {
		if (!ROOM(st, st->in.stacks, st->stacks_cap, st->in.nstacks))
			return 0;
		st->in.stacks[st->in.nstacks++] = key;
	}
	return id;
}

void td_store_stack_total(struct td_store *st, const struct td_stack_total *t)
{
	if (ROOM(st, st->in.stack_totals, st->stack_totals_cap, st->in.nstack_totals))
		st->in.stack_totals[st->in.nstack_totals++] = *t;
}

void td_store_drop_issues(struct td_store *st, const char *kind)
{
	size_t n = 0;

	for (size_t i = 0; i < st->in.nissue_counts; i++)
		if (strcmp(st->in.issue_counts[i].kind, kind) != 0)
			st->in.issue_counts[n++] = st->in.issue_counts[i];
	st->in.nissue_counts = n;
	n = 0;
	for (size_t i = 0; i < st->in.nissues; i++) {
		if (strcmp(st->in.issues[i].kind, kind) != 0)
			st->in.issues[n++] = st->in.issues[i];
		else
			free(st->in.issues[i].text);
	}
	st->in.nissues = n;
}

/* The last stretch of that event set. */
static struct td_loss *last_loss(struct td_store *st, const struct td_loss *l)
{
	for (size_t i = st->in.nlosses; i-- > 0;) {
		struct td_loss *k = &st->in.losses[i];

		if (k->source_id == l->source_id && k->ring == l->ring &&
		    strcmp(k->name, l->name) == 0)
			return k;
	}
	return NULL;
}

void td_store_loss(struct td_store *st, const struct td_loss *l)
{
	struct td_loss *before = last_loss(st, l);

	if (before && before->lost == 0 && l->lost == 0) {
		before->to_ns = TD_MAX(before->to_ns, l->to_ns);
		before->generated += l->generated;
		before->ring_peak_bytes = TD_MAX(before->ring_peak_bytes, l->ring_peak_bytes);
	} else if (ROOM(st, st->in.losses, st->losses_cap, st->in.nlosses)) {
		st->in.losses[st->in.nlosses++] = *l;
	}
}

/* --- runs in training logs --- */

struct log_run_key {
	int32_t number;
	uint32_t source_id;
};

void td_store_log_run(struct td_store *st, const struct td_span *span)
{
	struct log_run_key key = { span->run_number, span->source_id };
	int64_t end_ns, dur_ns = span->dur_ns == TD_NULL ? 0 : span->dur_ns;
	struct td_log_run *run;
	uint32_t id;

	if (span->run_number == INT32_MIN)
		return;
	if (__builtin_add_overflow(span->start_ns, dur_ns, &end_ns))
		end_ns = span->start_ns;
	id = td_intern_add(&st->log_run_keys, (const char *)&key, sizeof(key));
	if (!id || (id > st->in.nlog_runs &&
		    !ROOM(st, st->in.log_runs, st->log_runs_cap, st->in.nlog_runs))) {
		(void)fail(st, -ENOMEM);
		return;
	}
	if (id > st->in.nlog_runs)
		st->in.log_runs[st->in.nlog_runs++] = (struct td_log_run){
			.source_id = span->source_id,
			.number = span->run_number,
			.first_ns = span->start_ns,
			.last_ns = end_ns,
		};
	run = &st->in.log_runs[id - 1];
	run->first_ns = TD_MIN(run->first_ns, span->start_ns);
	run->last_ns = TD_MAX(run->last_ns, end_ns);
}

void td_store_number_run(struct td_store *st, size_t which, int64_t run_number)
{
	st->in.log_runs[which].run_number = run_number;
}

int td_store_run_times(const struct td_store *st, struct td_run_times **ret, size_t *ret_n)
{
	struct td_run_times *times;
	size_t n = 0;

	for (size_t i = 0; i < st->in.nlog_runs; i++)
		n = TD_MAX(n, (size_t)st->in.log_runs[i].run_number);
	times = calloc(n + 1, sizeof(*times));
	if (!times)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		times[i] = (struct td_run_times){ INT64_MAX, INT64_MIN };
	for (size_t i = 0; i < st->in.nlog_runs; i++) {
		const struct td_log_run *run = &st->in.log_runs[i];
		struct td_shift shift = td_source_shift(&st->in.sources[run->source_id - 1]);
		struct td_run_times *t;

		if (!run->run_number || !td_store_on_clock(st, run->source_id))
			continue;
		t = &times[run->run_number - 1];
		t->from_ns = TD_MIN(t->from_ns, td_shift_to_utc(&shift, run->first_ns));
		t->to_ns = TD_MAX(t->to_ns, td_shift_to_utc(&shift, run->last_ns));
	}
	*ret = times;
	*ret_n = n;
	return 0;
}

int32_t td_store_run_number(const struct td_store *st, uint16_t source_id, int32_t number)
{
	struct log_run_key key = { number, source_id };
	uint32_t id = td_intern_find(&st->log_run_keys, (const char *)&key, sizeof(key));

	return id && st->in.log_runs[id - 1].run_number
		       ? (int32_t)st->in.log_runs[id - 1].run_number
		       : number;
}

struct td_stage *td_store_stage(struct td_store *st, enum td_kind kind)
{
	return st->stages[kind];
}

/* The newest source's counters are last, so the search begins there. */
struct td_issue_count *td_store_issue_count(struct td_store *st, uint16_t source_id,
					    const char *kind, enum td_effect effect)
{
	for (size_t i = st->in.nissue_counts; i-- > 0;) {
		struct td_issue_count *c = &st->in.issue_counts[i];

		if (c->source_id == source_id && (c->kind == kind || strcmp(c->kind, kind) == 0))
			return c;
	}
	if (!ROOM(st, st->in.issue_counts, st->issue_counts_cap, st->in.nissue_counts))
		return NULL;
	st->in.issue_counts[st->in.nissue_counts] = (struct td_issue_count){
		.source_id = source_id,
		.kind = kind,
		.effect = effect,
	};
	return &st->in.issue_counts[st->in.nissue_counts++];
}

void td_store_issue(struct td_store *st, uint16_t source_id, const char *kind,
		    enum td_effect effect, uint64_t line, const char *text, size_t len)
{
	struct td_issue_count *c = td_store_issue_count(st, source_id, kind, effect);

	if (!c)
		return;
	if (c->count++ == 0)
		c->first_line = line;
	if (c->kept >= TD_ISSUES_KEPT)
		return;
	if (!ROOM(st, st->in.issues, st->issues_cap, st->in.nissues))
		return;
	c->kept++;
	st->in.issues[st->in.nissues] = (struct td_issue){
		.source_id = source_id,
		.kind = c->kind,
		.line = line,
		.text = td_utf8_dup(text, TD_MIN(len, (size_t)512)),
	};
	if (!st->in.issues[st->in.nissues].text)
		fail(st, -ENOMEM);
	else
		st->in.nissues++;
}
