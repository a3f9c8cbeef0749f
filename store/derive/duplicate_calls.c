/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "store/derive/duplicate_calls.h"
#include "common/array.h"
#include "common/cleanup.h"

/* Calls of two sources may be alike by chance where times are seconds. */
#define SOME 10
#define LOOK_BACK 8 /* calls that began at the same time */
#define PAIRS_MAX 256 /* of sources; of more the first ones are told */

struct pair {
	uint16_t source_id, other_id; /* the latter is the smaller */
	uint64_t calls;
};

struct td_duplicates {
	struct pair *pairs; /* owned; hardly any */
	size_t n, cap;
};

int td_duplicates_new(struct td_duplicates **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? 0 : -ENOMEM;
}

void td_duplicates_free(struct td_duplicates *d)
{
	if (d)
		free(d->pairs);
	free(d);
}

/* All that a tracer tells of a call, but for who told it. */
static bool is_same(const struct td_call *a, const struct td_call *b)
{
	return a->source_id != b->source_id && a->op_id == b->op_id &&
	       a->process_id == b->process_id && a->thread_id == b->thread_id &&
	       a->file_id == b->file_id && a->dur_ns == b->dur_ns && a->ret == b->ret &&
	       a->asked_bytes == b->asked_bytes && a->done_bytes == b->done_bytes &&
	       a->offset_bytes == b->offset_bytes && a->fd == b->fd && a->args_id == b->args_id;
}

static int count(struct td_duplicates *d, uint16_t a, uint16_t b)
{
	uint16_t source_id = TD_MAX(a, b), other_id = TD_MIN(a, b);

	for (size_t i = 0; i < d->n; i++)
		if (d->pairs[i].source_id == source_id && d->pairs[i].other_id == other_id) {
			d->pairs[i].calls++;
			return 0;
		}
	if (d->n == PAIRS_MAX)
		return 0;
	if (td_grow(&d->pairs, &d->cap, d->n) < 0)
		return -ENOMEM;
	d->pairs[d->n++] = (struct pair){ source_id, other_id, 1 };
	return 0;
}

/* A pair at the edge of two stretches is missed, and one among many calls of the same time:
 * remembering would cost every call. */
int td_duplicates_look(struct td_duplicates *d, const struct td_call *calls, size_t n)
{
	int r = 0;

	for (size_t i = 1; i < n && r == 0; i++)
		for (size_t k = i; k-- > i - TD_MIN(i, (size_t)LOOK_BACK) &&
				   calls[k].start_ns == calls[i].start_ns;)
			if (is_same(&calls[i], &calls[k])) {
				r = count(d, calls[i].source_id, calls[k].source_id);
				break;
			}
	return r;
}

void td_duplicates_say(const struct td_duplicates *d, struct td_store *st)
{
	td_store_drop_issues(st, TD_ISSUE_DUPLICATE_CALLS); /* of a database that is appended to */
	for (size_t i = 0; i < d->n; i++) {
		const struct pair *p = &d->pairs[i];
		const struct td_source *other = &td_store_contents(st)->sources[p->other_id - 1];
		_cleanup_free_ char *text = NULL;

		if (p->calls < SOME ||
		    asprintf(&text, "at least %" PRIu64 " calls are in '%s', too, and count twice",
			     p->calls, other->path) < 0)
			continue;
		td_store_issue(st, p->source_id, TD_ISSUE_DUPLICATE_CALLS, TD_NOTED, 0, text,
			       strlen(text));
	}
}
