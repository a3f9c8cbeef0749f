/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "analyzer/scan/stat_shared.h"
#include "common/cleanup.h"

#define VERB (1u << TD_DIM_VERB)

static void drop(struct td_stat_shared *s)
{
	td_stat_done(&s->stat);
	free((char *)s->req.phase);
	free((char *)s->req.process);
	free((char *)s->req.file);
	s->req = (struct td_stat_request){ 0 };
	s->kept = false;
}

void td_stat_shared_enter(struct td_stat_shared *s)
{
	s->nusers++;
}

void td_stat_shared_leave(struct td_stat_shared *s)
{
	if (--s->nusers)
		return;
	drop(s);
	s->wanted = false;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Is it the same rows, by the same but for the verb? */
static bool is_of_same(const struct td_stat_request *a, const struct td_stat_request *b)
{
	return a->relation == b->relation && (a->dims & ~VERB) == (b->dims & ~VERB) &&
	       a->since_ns == b->since_ns && a->until_ns == b->until_ns && a->pid == b->pid &&
	       a->bin_width_ns == b->bin_width_ns && same_text(a->phase, b->phase) &&
	       same_text(a->process, b->process) && same_text(a->file, b->file);
}

static char *copy_text(const char *text, bool *failed)
{
	char *copy = text ? strdup(text) : NULL;

	*failed |= text && !copy;
	return copy;
}

static int copy_labels(const struct td_labels *from, struct td_labels *to)
{
	bool failed = false;

	if (!from->n)
		return 0;
	to->items = calloc(from->n, sizeof(*to->items));
	if (!to->items)
		return -ENOMEM;
	for (; to->n < from->n && !failed; to->n++)
		to->items[to->n] = copy_text(from->items[to->n], &failed);
	return failed ? -ENOMEM : 0;
}

/* What says what keys mean; keys are not made any more. */
static int copy_dims(const struct td_dims *from, struct td_dims *to)
{
	int r = 0;

	to->which = from->which & ~VERB;
	memcpy(to->shift, from->shift, sizeof(to->shift));
	memcpy(to->width, from->width, sizeof(to->width));
	to->first_bin = from->first_bin;
	to->bin_width_ns = from->bin_width_ns;
	for (size_t d = 0; d < TD_NDIMS && r == 0; d++)
		r = copy_labels(&from->labels[d], &to->labels[d]);
	return r;
}

/* How many calls there are of each group without verb, which tells groups from none. */
static int add_calls(const struct td_stat *from, struct td_stat *to)
{
	td_group_sums_init(&to->sums, 0);
	if (td_group_sums_resize(&to->sums, to->keys.n) < 0 || td_keys_reserve(&to->keys, 1) < 0)
		return -ENOMEM;
	for (size_t g = 0; g < from->keys.n; g++) {
		struct td_key key = td_dims_without(&from->dims, TD_DIM_VERB, from->keys.items[g]);

		td_group_sums_count(&to->sums, td_keys_add(&to->keys, key), TD_SUM_CALLS,
				    td_group_sums_get(&from->sums, g, TD_SUM_CALLS));
	}
	return 0;
}

/* Takes the files, of any verb, out of what was found. */
static int keep(sqlite3 *db, struct td_stat_shared *s, const struct td_stat_request *req,
		struct td_stat *found)
{
	bool failed = false;
	int r;

	drop(s);
	s->req = *req;
	s->req.phase = copy_text(req->phase, &failed);
	s->req.process = copy_text(req->process, &failed);
	s->req.file = copy_text(req->file, &failed);
	s->stat.keys = found->file_keys;
	s->stat.files = found->files;
	found->file_keys = (struct td_keys){ 0 };
	found->files = NULL;
	r = failed ? -ENOMEM : copy_dims(&found->dims, &s->stat.dims);
	if (r == 0)
		r = add_calls(found, &s->stat);
	s->nchanges = sqlite3_total_changes(db);
	s->kept = r == 0;
	return r;
}

int td_stat_shared_scan(sqlite3 *db, struct td_stat_shared *s, const struct td_stat_request *req,
			struct td_stat *ret, struct td_err *err)
{
	struct td_stat_request both = *req;
	int r;

	if (s->kept && !(req->dims & VERB) && !(req->measures & ~TD_MEASURES_FILES) &&
	    !req->nalso && s->nchanges == sqlite3_total_changes(db) && is_of_same(&s->req, req)) {
		*ret = s->stat;
		s->stat = (struct td_stat){ 0 };
		drop(s);
		return 0;
	}
	if (!s->wanted || !(req->dims & VERB) || req->measures & TD_MEASURES_FILES || req->nalso)
		return td_stat_scan(db, req, ret, err);
	both.measures |= TD_MEASURES_FILES;
	both.files_of_any_verb = true;
	r = td_stat_scan(db, &both, ret, err);
	return r == 0 ? keep(db, s, req, ret) : r;
}
