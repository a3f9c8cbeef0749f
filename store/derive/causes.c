/* SPDX-License-Identifier: MIT */
#include <assert.h>

#include "store/derive/causes.h"
#include "store/derive/meter.h"
#include "common/array.h"
#include "schema/ops.h"

const char *const td_cause_names[TD_NCAUSES] = {
	[TD_CAUSE_DISK_READ] = "disk read", [TD_CAUSE_READ] = "file read",
	[TD_CAUSE_WRITE] = "file write",    [TD_CAUSE_FILES] = "other file I/O",
	[TD_CAUSE_CUDA] = "CUDA call",      [TD_CAUSE_NO_CALLS] = "no calls recorded",
};

/* Time that grows as long as what follows is put down to the same. */
struct stretch {
	enum td_cause cause;
	int64_t start_ns, end_ns;
};

struct td_causes {
	void (*piece)(void *arg, enum td_cause cause, int64_t start_ns, int64_t end_ns);
	void *arg;
	int64_t now_ns; /* everything before that is put down to something */
	int64_t calls_end_ns; /* of those up to now */
	int64_t until_ns[TD_NCAUSES]; /* what is in progress ends then, at the latest */
	struct td_interval *reads; /* of disks: owned; in order, none touches another */
	size_t nreads, cap, at;
	struct stretch last, any; /* not told yet; empty where the end is the start */
	bool known[TD_NCAUSES];
};

enum td_cause td_cause_of(const struct td_op *op)
{
	const char *verb = op->info->verb, *kind = op->info->kind;

	if (op->layer == TD_LAYER_CUDA)
		return strcmp(kind, "wait") == 0 ? TD_NCAUSES : TD_CAUSE_CUDA;
	if (strcmp(kind, "io") != 0 || strcmp(verb, "socket") == 0)
		return TD_NCAUSES;
	if (strcmp(verb, "read") == 0)
		return TD_CAUSE_READ;
	return strcmp(verb, "write") == 0 || strcmp(verb, "sync") == 0 ? TD_CAUSE_WRITE
								       : TD_CAUSE_FILES;
}

int td_causes_new(void (*piece)(void *arg, enum td_cause cause, int64_t start_ns, int64_t end_ns),
		  void *arg, struct td_causes **ret)
{
	struct td_causes *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->piece = piece;
	c->arg = arg;
	*ret = c;
	return 0;
}

void td_causes_free(struct td_causes *c)
{
	if (!c)
		return;
	free(c->reads);
	free(c);
}

void td_causes_begin(struct td_causes *c, int64_t start_ns)
{
	c->now_ns = c->calls_end_ns = start_ns;
	for (int k = 0; k < TD_NCAUSES; k++)
		c->until_ns[k] = INT64_MIN;
	/* until there is one */
	c->until_ns[TD_CAUSE_NO_CALLS] = INT64_MAX;
}

/* --- pieces --- */

static void tell(struct td_causes *c, const struct stretch *s)
{
	if (s->end_ns > s->start_ns)
		c->piece(c->arg, s->cause, s->start_ns, s->end_ns);
}

static void grow(struct td_causes *c, struct stretch *s, struct stretch by)
{
	if (s->cause == by.cause && s->end_ns == by.start_ns) {
		s->end_ns = by.end_ns;
		return;
	}
	tell(c, s);
	*s = by;
}

static enum td_cause first_in_progress(const struct td_causes *c)
{
	enum td_cause cause = 0;

	while (cause < TD_NCAUSES && c->until_ns[cause] <= c->now_ns)
		cause++;
	return cause;
}

/* Up to the time at which something else begins. */
static void pass(struct td_causes *c, int64_t to_ns)
{
	while (c->now_ns < to_ns) {
		enum td_cause cause = first_in_progress(c);
		int64_t end_ns = cause < TD_NCAUSES ? TD_MIN(to_ns, c->until_ns[cause]) : to_ns;

		if (cause < TD_NCAUSES) {
			grow(c, &c->last, (struct stretch){ cause, c->now_ns, end_ns });
			grow(c, &c->any, (struct stretch){ TD_NCAUSES, c->now_ns, end_ns });
		}
		c->now_ns = end_ns;
	}
}

static void pass_with_reads(struct td_causes *c, int64_t to_ns)
{
	for (; c->at < c->nreads && c->reads[c->at].start_ns < to_ns; c->at++) {
		pass(c, c->reads[c->at].start_ns);
		c->until_ns[TD_CAUSE_DISK_READ] = c->reads[c->at].end_ns;
	}
	pass(c, to_ns);
}

/* --- what is in progress --- */

int td_causes_disk_read(struct td_causes *c, int64_t start_ns, int64_t end_ns)
{
	struct td_interval *last = c->nreads ? &c->reads[c->nreads - 1] : NULL;

	c->known[TD_CAUSE_DISK_READ] = true;
	if (last && start_ns <= last->end_ns) {
		last->end_ns = TD_MAX(last->end_ns, end_ns);
		return 0;
	}
	if (td_grow(&c->reads, &c->cap, c->nreads) < 0)
		return -ENOMEM;
	assert(c->reads); /* clang's analyzer does not see it */
	c->reads[c->nreads++] = (struct td_interval){ start_ns, end_ns };
	return 0;
}

void td_causes_call(struct td_causes *c, enum td_cause cause, int64_t start_ns, int64_t end_ns)
{
	pass_with_reads(c, start_ns);
	c->until_ns[TD_CAUSE_NO_CALLS] = INT64_MIN;
	c->known[TD_CAUSE_NO_CALLS] = true;
	c->calls_end_ns = TD_MAX(c->calls_end_ns, end_ns);
	if (cause == TD_NCAUSES)
		return;
	c->known[cause] = true;
	c->until_ns[cause] = TD_MAX(c->until_ns[cause], end_ns);
}

void td_causes_finish(struct td_causes *c, int64_t end_ns)
{
	if (c->known[TD_CAUSE_NO_CALLS])
		pass_with_reads(c, TD_MIN(c->calls_end_ns, end_ns));
	c->until_ns[TD_CAUSE_NO_CALLS] = c->known[TD_CAUSE_NO_CALLS] ? INT64_MAX : INT64_MIN;
	pass_with_reads(c, end_ns);
	tell(c, &c->last);
	tell(c, &c->any);
	c->last = c->any = (struct stretch){ 0 };
}

bool td_causes_known(const struct td_causes *c, enum td_cause cause)
{
	return c->known[cause];
}
