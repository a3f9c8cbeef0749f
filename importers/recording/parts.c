/* SPDX-License-Identifier: MIT */
/*
 * Recordings in parts (core/deferred.c). Of a call that has no text all is in its record but what
 * its numbers mean, which the records before it say: who pid and tid are, which file and which
 * operation. Each of these is asked for once in a part, where it is first met in it, and again when
 * a record may have given the number another meaning: at the same places, then, at which reading in
 * turn asks the store, whose cache of threads (td_record_who()) this one follows. All other records
 * are read in turn. So is the rest of a part from a number on that nobody has explained, as the
 * calls that have it are issues or carry notes.
 */
#include "common/array.h"
#include "importers/recording/recording.h"

/* Files and operations that are known in a part at a time, by their lower bits; powers of two. */
#define FILES 4096
#define OPS 512

enum what { WHO, FILE_OF, OP, IN_TURN };

/* Something to be done in turn. */
struct event {
	size_t before; /* deferred calls before it */
	size_t at; /* of its record in the text */
	uint32_t which; /* of threads, files, ops */
	enum what what;
};

/* A call that is left for later; threads, files, ops from 0 up; of no file: NO_FILE. */
#define NO_FILE UINT32_MAX
struct deferred {
	uint32_t at, who, file, op;
};

struct who {
	uint32_t pid, tid;
	uint32_t process_id, thread_id;
};

struct file {
	uint32_t number, id;
};

struct op {
	uint16_t number;
	struct td_record_op op;
};

struct part {
	const char *text;
	size_t len;
	struct deferred *calls;
	size_t ncalls, calls_cap;
	struct event *events;
	size_t nevents, events_cap;
	struct who *threads;
	size_t nthreads, threads_cap;
	struct file *files;
	size_t nfiles, files_cap;
	struct op *ops;
	size_t nops, ops_cap;
	/* which of these is known now, from 1; 0: none */
	uint32_t who_now[TD_RECORD_WHOS], file_now[FILES], op_now[OPS];
	uint32_t page_bytes;
	uint16_t source_id;
};

/* --- on any thread, before its turn --- */

static size_t whole(const char *text, size_t len)
{
	struct td_rec rec;
	size_t used = 0;

	while (td_record_scan(text + used, len - used, &rec) > 0)
		used += rec.size;
	return used;
}

static int add_event(struct part *p, const struct td_rec *rec, enum what what, size_t which)
{
	if (td_grow(&p->events, &p->events_cap, p->nevents) < 0)
		return -ENOMEM;
	p->events[p->nevents++] = (struct event){
		.before = p->ncalls,
		.at = (size_t)(rec->p - p->text),
		.which = (uint32_t)which,
		.what = what,
	};
	return 0;
}

static int find_who(struct part *p, const struct td_rec *rec, uint32_t pid, uint32_t *ret)
{
	uint32_t tid = rec->head.tid, *now = &p->who_now[tid % TD_RECORD_WHOS];

	if (*now == 0 || p->threads[*now - 1].pid != pid || p->threads[*now - 1].tid != tid) {
		if (td_grow(&p->threads, &p->threads_cap, p->nthreads) < 0)
			return -ENOMEM;
		p->threads[p->nthreads++] = (struct who){ .pid = pid, .tid = tid };
		*now = (uint32_t)p->nthreads;
		if (add_event(p, rec, WHO, p->nthreads - 1) < 0)
			return -ENOMEM;
	}
	*ret = *now - 1;
	return 0;
}

static int find_file(struct part *p, const struct td_rec *rec, uint32_t number, uint32_t *ret)
{
	uint32_t *now = &p->file_now[number % FILES];

	*ret = NO_FILE;
	if (!number)
		return 0;
	if (*now == 0 || p->files[*now - 1].number != number) {
		if (td_grow(&p->files, &p->files_cap, p->nfiles) < 0)
			return -ENOMEM;
		p->files[p->nfiles++] = (struct file){ .number = number };
		*now = (uint32_t)p->nfiles;
		if (add_event(p, rec, FILE_OF, p->nfiles - 1) < 0)
			return -ENOMEM;
	}
	*ret = *now - 1;
	return 0;
}

static int find_op(struct part *p, const struct td_rec *rec, uint16_t number, uint32_t *ret)
{
	uint32_t *now = &p->op_now[number % OPS];

	if (*now == 0 || p->ops[*now - 1].number != number) {
		if (td_grow(&p->ops, &p->ops_cap, p->nops) < 0)
			return -ENOMEM;
		p->ops[p->nops++] = (struct op){ .number = number };
		*now = (uint32_t)p->nops;
		if (add_event(p, rec, OP, p->nops - 1) < 0)
			return -ENOMEM;
	}
	*ret = *now - 1;
	return 0;
}

static int defer(struct part *p, const struct td_rec *rec, const struct td_record_call *c)
{
	struct deferred call = { .at = (uint32_t)(rec->p - p->text) };
	int r = td_grow(&p->calls, &p->calls_cap, p->ncalls);

	if (r == 0)
		r = find_op(p, rec, c->op, &call.op);
	if (r == 0)
		r = find_who(p, rec, c->pid, &call.who);
	if (r == 0)
		r = find_file(p, rec, c->file, &call.file);
	if (r == 0)
		p->calls[p->ncalls++] = call;
	return r;
}

/* What a record may change that is read in turn: the thread that the cache has in that place; or more. */
static void forget(struct part *p, const struct td_rec *rec)
{
	p->who_now[rec->head.tid % TD_RECORD_WHOS] = 0;
	switch (rec->head.kind) {
	case TD_WIRE_PROCESS:
	case TD_WIRE_THREAD:
		memset(p->who_now, 0, sizeof(p->who_now));
		break;
	case TD_WIRE_FILE:
		memset(p->file_now, 0, sizeof(p->file_now));
		break;
	case TD_WIRE_OP:
		memset(p->op_now, 0, sizeof(p->op_now));
		break;
	default:
		break;
	}
}

/* Is it a call of which td_put_call() stores the row as it is? */
static bool is_deferred(const struct td_rec *rec, struct td_record_call *ret)
{
	return td_record_is_whole(rec) && td_record_call_of(rec, ret) &&
	       td_import_takes_call(td_rec_i64(ret->start_ns), td_rec_i64(ret->dur_ns), ret->ret);
}

static int look(void *part, const char *text, size_t len, size_t *ret_used)
{
	struct part *p = part;
	struct td_record_call call;
	struct td_rec rec;
	size_t at = 0;
	int r = 0;

	p->text = text;
	p->ncalls = p->nevents = p->nthreads = p->nfiles = p->nops = 0;
	memset(p->who_now, 0, sizeof(p->who_now));
	memset(p->file_now, 0, sizeof(p->file_now));
	memset(p->op_now, 0, sizeof(p->op_now));
	for (; r == 0 && td_record_scan(text + at, len - at, &rec) > 0; at += rec.size) {
		if (is_deferred(&rec, &call)) {
			r = defer(p, &rec, &call);
		} else {
			r = add_event(p, &rec, IN_TURN, 0);
			forget(p, &rec);
		}
	}
	p->len = *ret_used = at;
	return r;
}

/* --- in turn --- */

static int ask_who(struct td_import *imp, struct who *w)
{
	return td_record_who(imp, w->pid, w->tid, &w->process_id, &w->thread_id);
}

/* 1: its calls have to be read in turn; likewise below. */
static int ask_file(struct td_import *imp, struct file *f)
{
	const struct td_record *rd = imp->state;
	const struct td_file *file;

	f->id = td_record_map_get(&rd->files, f->number);
	file = td_store_file_at(imp->store, f->id);
	return !file || file->truncated;
}

static int ask_op(struct td_import *imp, struct op *op)
{
	const struct td_record_op *known = td_record_op_at(imp->state, op->number);

	if (!known || known->names_path)
		return 1;
	op->op = *known;
	return 0;
}

static int ask(struct td_import *imp, struct part *p, const struct event *e)
{
	switch (e->what) {
	case WHO:
		return ask_who(imp, &p->threads[e->which]);
	case FILE_OF:
		return ask_file(imp, &p->files[e->which]);
	case OP:
		return ask_op(imp, &p->ops[e->which]);
	case IN_TURN:
		break;
	}
	return 0;
}

static int read_one(struct td_import *imp, const struct part *p, size_t at, size_t *ret_size)
{
	const struct td_record *rd = imp->state;
	struct td_rec rec;
	int r;

	(void)td_record_scan(p->text + at, p->len - at, &rec);
	*ret_size = rec.size;
	r = td_record_read(imp, &rec);
	return r < 0 ? r : rd->stopped;
}

static int read_rest(struct td_import *imp, const struct part *p, size_t at)
{
	int r = 0;

	for (size_t size; r == 0 && at < p->len; at += size)
		r = read_one(imp, p, at, &size);
	return r;
}

static int settle(struct td_import *imp, void *part)
{
	const struct td_record *rd = imp->state;
	struct part *p = part;
	size_t counted = 0, size;
	int r = 0;

	p->page_bytes = rd->page_bytes;
	p->source_id = imp->source_id;
	for (size_t i = 0; r == 0 && i < p->nevents; i++) { /* events: NULL if there are none */
		const struct event *e = &p->events[i];

		td_import_defer_rows(imp, e->before - counted);
		counted = e->before;
		if (e->what == IN_TURN)
			r = read_one(imp, p, e->at, &size);
		else if ((r = ask(imp, p, e)) > 0)
			return read_rest(imp, p, e->at);
	}
	if (r == 0)
		td_import_defer_rows(imp, p->ncalls - counted);
	return r;
}

/* --- on any thread, later --- */

static void row(const void *part, size_t i, struct td_call *ret)
{
	const struct part *p = part;
	const struct deferred *d = &p->calls[i];
	struct td_record_call c;
	struct td_rec rec;

	*ret = (struct td_call)TD_CALL_INIT;
	if (td_record_scan(p->text + d->at, p->len - d->at, &rec) <= 0 ||
	    !td_record_call_of(&rec, &c))
		return; /* it was one before */
	ret->source_id = p->source_id;
	ret->process_id = p->threads[d->who].process_id;
	ret->thread_id = p->threads[d->who].thread_id;
	if (d->file != NO_FILE)
		ret->file_id = p->files[d->file].id;
	td_record_call_fill(&rec, &c, &p->ops[d->op].op, p->page_bytes, ret);
}

static void done(void *part)
{
	struct part *p = part;

	free(p->calls);
	free(p->events);
	free(p->threads);
	free(p->files);
	free(p->ops);
}

const struct td_importer_deferral td_record_deferral = {
	.part_size = sizeof(struct part),
	.whole = whole,
	.look = look,
	.settle = settle,
	.row = row,
	.done = done,
};
