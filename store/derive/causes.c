/* SPDX-License-Identifier: MIT */
#include <assert.h>

#include "store/derive/causes.h"
#include "common/array.h"
#include "schema/ops.h"

const char *const td_cause_names[TD_CAUSE_NONE + 1] = {
	[TD_CAUSE_DISK_READ] = "disk read",
	[TD_CAUSE_READ] = "file read",
	[TD_CAUSE_WRITE] = "file write",
	[TD_CAUSE_FILES] = "other file I/O",
	[TD_CAUSE_LOADER_RUNS] = "loader computing",
	[TD_CAUSE_RUNNABLE] = "waiting for a CPU",
	[TD_CAUSE_LOADER_SLEEPS] = "loader asleep",
	[TD_CAUSE_DATA] = "waiting for a loader",
	[TD_CAUSE_LOCK] = "lock, queue or pipe",
	[TD_CAUSE_CUDA] = "CUDA call",
	[TD_CAUSE_RANKS] = "other ranks",
	[TD_CAUSE_OPERATOR] = "launching operators",
	[TD_CAUSE_OTHERS] = "other ranks at work",
	[TD_CAUSE_EVALUATION] = "evaluation",
	[TD_CAUSE_INITIALISATION] = "initialisation",
	[TD_CAUSE_LOST] = "events lost",
	[TD_CAUSE_NO_CALLS] = "no calls recorded",
	[TD_CAUSE_COMPUTES] = "program computing",
	[TD_CAUSE_NONE] = "unexplained",
};

/* Of another party: what this one may be waiting for. Who waits there, or is evaluating, keeps nobody. */
static const bool keeps_others[TD_NCAUSES] = {
	[TD_CAUSE_DISK_READ] = true,     [TD_CAUSE_READ] = true,        [TD_CAUSE_WRITE] = true,
	[TD_CAUSE_FILES] = true,         [TD_CAUSE_LOADER_RUNS] = true, [TD_CAUSE_RUNNABLE] = true,
	[TD_CAUSE_LOADER_SLEEPS] = true, [TD_CAUSE_DATA] = true,        [TD_CAUSE_CUDA] = true,
	[TD_CAUSE_OPERATOR] = true,
};

/* By cause, and behind them what is TD_CAUSE_OTHERS, by what it is for its own party. */
#define LISTS (2 * TD_NCAUSES)

/* What is known before the first call: in order, none touches another. */
struct list {
	struct td_work *items; /* owned */
	size_t n, cap, at;
};

/* Its first thread is in no call from free_ns on, as far as it is known. */
struct program {
	uint32_t process_id;
	int64_t free_ns, end_ns; /* free_ns: INT64_MAX before its first call */
};

struct td_causes {
	void (*piece)(void *arg, const struct td_work *piece);
	void *arg;
	int64_t now_ns; /* everything before that is put down to something */
	int64_t calls_end_ns; /* of those up to now */
	struct td_work until[TD_NCAUSES]; /* what is in progress, and ends last */
	uint32_t begun; /* bits of causes: of the others nothing is in progress */
	struct list lists[LISTS];
	uint8_t open[LISTS]; /* which of them go on, in order */
	size_t nopen;
	int64_t next_ns; /* nothing in these begins before, besides what is in progress */
	struct program *programs; /* owned */
	size_t nprograms, programs_cap;
	struct td_work last, any; /* not told yet; empty where the end is the start */
	int64_t last_work_ns; /* how long who is in last was at it */
	bool known[TD_NCAUSES];
};

enum td_cause td_cause_of(const struct td_op *op)
{
	const char *verb = op->info->verb, *kind = op->info->kind;

	if (op->layer == TD_LAYER_CUDA)
		return strcmp(kind, "wait") == 0 ? TD_CAUSE_NONE : TD_CAUSE_CUDA;
	if (strcmp(kind, "io") != 0 || strcmp(verb, "socket") == 0)
		return TD_CAUSE_NONE;
	if (strcmp(verb, "read") == 0)
		return TD_CAUSE_READ;
	return strcmp(verb, "write") == 0 || strcmp(verb, "sync") == 0 ? TD_CAUSE_WRITE
								       : TD_CAUSE_FILES;
}

int td_causes_new(void (*piece)(void *arg, const struct td_work *piece), void *arg,
		  struct td_causes **ret)
{
	struct td_causes *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->piece = piece;
	c->arg = arg;
	for (int k = 0; k < TD_NCAUSES; k++)
		c->until[k].end_ns = INT64_MIN;
	*ret = c;
	return 0;
}

void td_causes_free(struct td_causes *c)
{
	if (!c)
		return;
	for (int k = 0; k < LISTS; k++)
		free(c->lists[k].items);
	free(c->programs);
	free(c);
}

static int64_t length_of(const struct td_work *w)
{
	return w->end_ns - w->start_ns;
}

/* Both, which touch; by who goes on for longer. */
static void join(struct td_work *last, const struct td_work *work)
{
	if (length_of(work) > length_of(last)) {
		last->process_id = work->process_id;
		last->file_id = work->file_id;
	}
	last->start_ns = TD_MIN(last->start_ns, work->start_ns);
	last->end_ns = TD_MAX(last->end_ns, work->end_ns);
}

/* It may begin before those that were added last, but does not end before the last one of them begins. */
static int add(struct td_causes *c, struct list *l, const struct td_work *work)
{
	struct td_work *last;

	c->known[work->cause] = true;
	if (l->n == 0 || work->start_ns > l->items[l->n - 1].end_ns) {
		if (td_grow(&l->items, &l->cap, l->n) < 0)
			return -ENOMEM;
		assert(l->items); /* clang's analyzer does not see it */
		l->items[l->n++] = *work;
		return 0;
	}
	last = &l->items[l->n - 1];
	join(last, work);
	for (; l->n > 1 && last[-1].end_ns >= last->start_ns; l->n--, last--)
		join(last - 1, last);
	return 0;
}

int td_causes_add(struct td_causes *c, const struct td_work *work)
{
	return add(c, &c->lists[work->cause], work);
}

int td_causes_add_other(struct td_causes *c, const struct td_work *work)
{
	struct td_work other = *work;

	if (!keeps_others[work->cause])
		return 0;
	other.cause = TD_CAUSE_OTHERS;
	return add(c, &c->lists[TD_NCAUSES + work->cause], &other);
}

int td_causes_add_program(struct td_causes *c, uint32_t process_id, int64_t end_ns)
{
	if (td_grow(&c->programs, &c->programs_cap, c->nprograms) < 0)
		return -ENOMEM;
	assert(c->programs); /* clang's analyzer does not see it */
	c->programs[c->nprograms++] = (struct program){ process_id, INT64_MAX, end_ns };
	return 0;
}

/* --- what is in progress --- */

static_assert(TD_NCAUSES <= 32, "a bit for each cause");

/* The list goes on, unless it is over. */
static void open_list(struct td_causes *c, uint8_t which)
{
	const struct list *l = &c->lists[which];

	if (l->at == l->n)
		return;
	c->open[c->nopen++] = which;
	c->next_ns = TD_MIN(c->next_ns, l->items[l->at].start_ns);
}

void td_causes_begin(struct td_causes *c, int64_t start_ns)
{
	c->now_ns = c->calls_end_ns = start_ns;
	/* until there is one */
	c->until[TD_CAUSE_NO_CALLS].end_ns = INT64_MAX;
	c->begun |= 1U << TD_CAUSE_NO_CALLS;
	c->nopen = 0;
	c->next_ns = INT64_MAX;
	for (int k = 0; k < LISTS; k++)
		open_list(c, (uint8_t)k);
}

static void set_until(struct td_causes *c, const struct td_work *work)
{
	if (work->end_ns <= c->until[work->cause].end_ns)
		return;
	c->until[work->cause] = *work;
	c->begun |= 1U << work->cause;
}

/* What begins at that time, of the lists. */
static void take_next(struct td_causes *c)
{
	int64_t now_ns = c->next_ns;
	size_t n = c->nopen;

	c->nopen = 0;
	c->next_ns = INT64_MAX;
	for (size_t k = 0; k < n; k++) {
		uint8_t which = c->open[k];
		struct list *l = &c->lists[which];

		for (; l->at < l->n && l->items[l->at].start_ns <= now_ns; l->at++)
			set_until(c, &l->items[l->at]);
		open_list(c, which);
	}
}

/* --- pieces --- */

static void tell(struct td_causes *c, const struct td_work *s)
{
	if (s->end_ns > s->start_ns)
		c->piece(c->arg, s);
}

/* Of one cause after the other: who was longest at it. */
static void grow_last(struct td_causes *c, struct td_work by)
{
	struct td_work *s = &c->last;

	if (s->cause != by.cause || s->end_ns != by.start_ns) {
		tell(c, s);
		*s = by;
		c->last_work_ns = length_of(&by);
		return;
	}
	s->end_ns = by.end_ns;
	if (length_of(&by) <= c->last_work_ns)
		return;
	c->last_work_ns = length_of(&by);
	s->process_id = by.process_id;
	s->file_id = by.file_id;
}

static void grow_any(struct td_causes *c, int64_t start_ns, int64_t end_ns)
{
	if (c->any.end_ns != start_ns) {
		tell(c, &c->any);
		c->any = (struct td_work){ .cause = TD_CAUSE_ANY, .start_ns = start_ns };
	}
	c->any.end_ns = end_ns;
}

static enum td_cause first_in_progress(struct td_causes *c)
{
	for (; c->begun; c->begun &= c->begun - 1) {
		int cause = __builtin_ctz(c->begun);

		if (c->until[cause].end_ns > c->now_ns)
			return (enum td_cause)cause;
	}
	return TD_CAUSE_NONE;
}

/* Which program computes now, if one does; the piece ends where that changes. */
static void find_program(struct td_causes *c, struct td_work *piece)
{
	for (size_t i = 0; i < c->nprograms; i++) {
		const struct program *p = &c->programs[i];

		if (p->end_ns <= c->now_ns)
			continue;
		if (p->free_ns <= c->now_ns) {
			piece->cause = TD_CAUSE_COMPUTES;
			piece->process_id = p->process_id;
			piece->end_ns = TD_MIN(piece->end_ns, p->end_ns);
			c->known[TD_CAUSE_COMPUTES] = true;
			return;
		}
		piece->end_ns = TD_MIN(piece->end_ns, p->free_ns);
	}
}

static void find_piece(struct td_causes *c, struct td_work *piece)
{
	const struct td_work *until;

	piece->cause = first_in_progress(c);
	if (piece->cause == TD_CAUSE_NONE) {
		find_program(c, piece);
		return;
	}
	until = &c->until[piece->cause];
	piece->end_ns = TD_MIN(piece->end_ns, until->end_ns);
	piece->process_id = until->process_id;
	piece->file_id = until->file_id;
}

/* Up to the time at which something else begins. */
static void pass(struct td_causes *c, int64_t to_ns)
{
	while (c->now_ns < to_ns) {
		struct td_work piece = { .start_ns = c->now_ns, .end_ns = to_ns };

		find_piece(c, &piece);
		if (piece.cause != TD_CAUSE_NONE)
			grow_any(c, piece.start_ns, piece.end_ns);
		grow_last(c, piece);
		c->now_ns = piece.end_ns;
	}
}

static void pass_with_lists(struct td_causes *c, int64_t to_ns)
{
	while (c->next_ns < to_ns) {
		pass(c, c->next_ns);
		take_next(c);
	}
	pass(c, to_ns);
}

/* There are calls from then on. */
static void see_call(struct td_causes *c, const struct td_work *work)
{
	if (!c->known[TD_CAUSE_NO_CALLS])
		pass_with_lists(c, work->start_ns);
	c->until[TD_CAUSE_NO_CALLS].end_ns = INT64_MIN;
	c->known[TD_CAUSE_NO_CALLS] = true;
	c->calls_end_ns = TD_MAX(c->calls_end_ns, work->end_ns);
}

void td_causes_call(struct td_causes *c, const struct td_work *work)
{
	see_call(c, work);
	pass_with_lists(c, work->start_ns);
	if (work->cause == TD_CAUSE_NONE)
		return;
	c->known[work->cause] = true;
	set_until(c, work);
}

void td_causes_program_calls(struct td_causes *c, uint32_t process_id, int64_t end_ns)
{
	for (size_t i = 0; i < c->nprograms; i++) {
		struct program *p = &c->programs[i];

		if (p->process_id != process_id)
			continue;
		if (end_ns == TD_NULL)
			p->free_ns = INT64_MAX;
		else /* it may be within one that was told before */
			p->free_ns = p->free_ns == INT64_MAX ? end_ns : TD_MAX(p->free_ns, end_ns);
	}
}

/* There are many, of all other parties: most go on no longer than one that began before. */
void td_causes_call_other(struct td_causes *c, const struct td_work *work)
{
	struct td_work other = *work;

	see_call(c, work);
	if (work->cause == TD_CAUSE_NONE || !keeps_others[work->cause] ||
	    work->end_ns <= c->until[TD_CAUSE_OTHERS].end_ns)
		return;
	pass_with_lists(c, work->start_ns);
	other.cause = TD_CAUSE_OTHERS;
	c->known[TD_CAUSE_OTHERS] = true;
	set_until(c, &other);
}

void td_causes_finish(struct td_causes *c, int64_t end_ns)
{
	bool calls = c->known[TD_CAUSE_NO_CALLS];

	if (calls)
		pass_with_lists(c, TD_MIN(c->calls_end_ns, end_ns));
	c->until[TD_CAUSE_NO_CALLS] = (struct td_work){ .cause = TD_CAUSE_NO_CALLS,
							.end_ns = calls ? INT64_MAX : INT64_MIN };
	c->begun |= 1U << TD_CAUSE_NO_CALLS;
	pass_with_lists(c, end_ns);
	tell(c, &c->last);
	tell(c, &c->any);
	c->last = c->any = (struct td_work){ 0 };
}

bool td_causes_known(const struct td_causes *c, enum td_cause cause)
{
	return c->known[cause];
}
