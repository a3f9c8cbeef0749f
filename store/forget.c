/* SPDX-License-Identifier: MIT */
/* Taking back what a source put into the store. */
#include "store/store.h"
#include "store/store_private.h"

uint16_t td_store_row_source(const struct td_contents *in, enum td_kind kind, const void *record)
{
	switch (kind) {
	case TD_KIND_CALL:
		return ((const struct td_call *)record)->source_id;
	case TD_KIND_BLOCK:
		return ((const struct td_block *)record)->source_id;
	case TD_KIND_SCHED:
		return ((const struct td_sched *)record)->source_id;
	case TD_KIND_GPU_OP:
		return ((const struct td_gpu_op *)record)->source_id;
	case TD_KIND_SAMPLE:
		return in->tracks[((const struct td_sample *)record)->track_id - 1].source_id;
	case TD_KIND_SPAN:
		return ((const struct td_span *)record)->source_id;
	case TD_KIND_MARK:
		return ((const struct td_mark *)record)->source_id;
	case TD_KIND_STACK:
		return ((const struct td_stack_sample *)record)->source_id;
	case TD_NKINDS:
		break;
	}
	return 0;
}

struct of_source {
	const struct td_contents *in;
	enum td_kind kind;
	uint16_t id;
};

static bool is_row_of(void *ud, const void *record)
{
	const struct of_source *of = ud;

	return td_store_row_source(of->in, of->kind, record) == of->id;
}

/* Closes an array up over the items of the source. */
#define REMOVE_OF(id, items, nitems, done)                                                         \
	do {                                                                                       \
		size_t _n = 0;                                                                     \
		for (size_t _i = 0; _i < (nitems); _i++) {                                         \
			if ((items)[_i].source_id != (id))                                         \
				(items)[_n++] = (items)[_i];                                       \
			else                                                                       \
				done(&(items)[_i]);                                                \
		}                                                                                  \
		(nitems) = _n;                                                                     \
	} while (0)

static void owns_nothing(const void *item)
{
	(void)item;
}

static void free_text(const struct td_issue *issue)
{
	free(issue->text);
}

static void free_beginnings(const struct td_source_text *text)
{
	free(text->beginnings);
}

/* Who and what was seen there stays: the same names come again, and ids must not change. */
static void forget_times(struct td_store *st, uint16_t id)
{
	for (size_t i = 0; i < st->in.nprocesses; i++) {
		struct td_process *p = &st->in.processes[i];

		if (p->start_source_id == id) {
			p->start_ns = TD_NULL;
			p->start_source_id = 0;
		}
		if (p->end_source_id == id) {
			p->end_ns = TD_NULL;
			p->end_source_id = 0;
		}
	}
}

static void clear_source(struct td_source *s)
{
	struct td_source empty = { .path = TAKE_PTR(s->path),
				   .size_bytes = s->size_bytes,
				   .drift_ppb = NAN,
				   .error_ns = TD_NULL,
				   .first_native_ns = TD_NULL,
				   .last_native_ns = TD_NULL,
				   .state = TD_STATE_DUPLICATE };

	td_source_done(s);
	*s = empty;
}

int td_store_forget(struct td_store *st, uint16_t id, const char *detail)
{
	struct td_source *s = td_store_source_at(st, id);
	struct of_source of = { .in = &st->in, .id = id };

	for (unsigned k = 0; k < TD_NKINDS; k++) {
		of.kind = k;
		td_stage_forget(st->stages[k], is_row_of, &of);
	}
	REMOVE_OF(id, st->in.source_texts, st->in.nsource_texts, free_beginnings);
	REMOVE_OF(id, st->in.anchors, st->in.nanchors, owns_nothing);
	REMOVE_OF(id, st->in.issue_counts, st->in.nissue_counts, owns_nothing);
	REMOVE_OF(id, st->in.issues, st->in.nissues, free_text);
	REMOVE_OF(id, st->in.summaries, st->in.nsummaries, owns_nothing);
	REMOVE_OF(id, st->in.stack_totals, st->in.nstack_totals, owns_nothing);
	REMOVE_OF(id, st->in.losses, st->in.nlosses, owns_nothing);
	forget_times(st, id);
	clear_source(s);
	return td_utf8_set(&s->detail, detail);
}
