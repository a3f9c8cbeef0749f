/* SPDX-License-Identifier: MIT */
/* Databases, or partials, become one partial: on all CPUs. */
#include <pthread.h>

#include "analyzer/partial/ahead.h"
#include "analyzer/partial/capture.h"
#include "analyzer/partial/file.h"
#include "analyzer/partial/identity.h"
#include "analyzer/partial/run_partials.h"
#include "common/array.h"
#include "common/log.h"
#include "common/parallel.h"
#include "common/progress.h"

/* What a thread goes on with. Databases are added to a partial of its own, so that no thread waits
 * for another, and what many of them have, as names of files, is kept once. */
struct gatherer {
	struct td_db_series *series; /* owned */
	struct td_partial *sum; /* owned */
};

struct gathering {
	const struct td_partial_run *run;
	struct td_partial_source from; /* but for the series; no reports: paths are partials */
	pthread_mutex_t lock; /* guards what follows */
	struct gatherer *idle; /* owned */
	size_t nidle, idle_cap;
	struct td_intern identities; /* of databases that have been begun */
	size_t *claimants; /* owned; the path of each identity */
	size_t nclaimants, claimants_cap;
	size_t *copies; /* owned; paths with the identity of another: they come last, as that may fail */
	size_t ncopies, copies_cap;
	struct td_ahead *ahead; /* owned; once a database has been read */
	struct td_progress progress;
	size_t ndone;
	struct td_partial *all; /* owned */
	struct td_err *err; /* of the lowest piece that failed */
	size_t failed;
};

/* Some messages name the file, some do not. */
static void name_failure(const char *path, int r, const struct td_err *why, struct td_err *ret)
{
	const char *text = why->msg[0] ? why->msg : strerror(-r);

	(void)td_err_set(ret, r, strstr(text, path) ? "%.0s%s" : "%s: %s", path, text);
}

static int fail(struct gathering *g, size_t i, int r, const struct td_err *why)
{
	if (i < g->failed) {
		g->failed = i;
		name_failure(g->run->paths[i], r, why, g->err);
	}
	return r;
}

static void warn(const char *path, int r, const struct td_err *why)
{
	struct td_err named;

	name_failure(path, r, why, &named);
	td_log_warning("left out: %s", named.msg);
}

/* What could not be read is counted, by name. */
static int note_failed(struct td_partial *p, const char *path, int r, const struct td_err *why)
{
	const char *text = why->msg[0] ? why->msg : strerror(-r);
	int64_t cells[] = { td_partial_text(p, path, strlen(path)),
			    td_partial_text(p, text, strlen(text)) };

	return cells[0] && cells[1] ? td_partial_add(p, TD_PARTIAL_FAILED, cells) : -ENOMEM;
}

/* With the lock held. */
static int add(struct gathering *g, const char *path, const struct td_partial *one,
	       struct td_err *why)
{
	int r = td_partial_merge(g->all, one, why);

	if (r > 0)
		td_log_warning(TD_COUNTED_ONCE, path);
	return r < 0 ? r : 0;
}

/* With the lock held: what was read of the database i says where others have it. */
static void begin_ahead(struct gathering *g, const struct td_db_series *s, size_t i)
{
	struct td_db_places places;

	if (g->ahead || i + 1 >= g->run->npaths)
		return;
	td_db_series_places(s, &places);
	g->ahead = td_ahead_start(g->run->paths, g->run->npaths, i + 1, &places);
}

struct claim {
	struct gathering *g;
	size_t path;
};

/* Of td_partial_source. A path that is tried again has its own. */
static int claim(void *arg, const char *identity)
{
	const struct claim *claim = arg;
	struct gathering *g = claim->g;
	uint32_t id;
	int r = 0;

	pthread_mutex_lock(&g->lock);
	id = td_intern_add(&g->identities, identity, strlen(identity));
	if (!id)
		r = -ENOMEM;
	else if (id > g->nclaimants)
		r = td_grow(&g->claimants, &g->claimants_cap, g->nclaimants);
	if (r == 0 && id > g->nclaimants)
		g->claimants[g->nclaimants++] = claim->path;
	if (r == 0)
		r = g->claimants[id - 1] == claim->path;
	pthread_mutex_unlock(&g->lock);
	return r;
}

static int note_copy(struct gathering *g, size_t i)
{
	int r;

	pthread_mutex_lock(&g->lock);
	r = td_grow(&g->copies, &g->copies_cap, g->ncopies);
	if (r == 0)
		g->copies[g->ncopies++] = i;
	pthread_mutex_unlock(&g->lock);
	return r;
}

/* One that no other thread uses now. */
static int begin(struct gathering *g, size_t i, struct gatherer *ret)
{
	int r = 0;

	pthread_mutex_lock(&g->lock);
	if (g->nidle)
		*ret = g->idle[--g->nidle];
	td_ahead_reached(g->ahead, i);
	pthread_mutex_unlock(&g->lock);
	if (!ret->series)
		r = td_partial_series(&ret->series);
	return r;
}

static void gatherer_done(struct gatherer *w)
{
	td_db_series_free(w->series);
	td_partial_free(w->sum);
}

/* Lets another thread go on with it. read: with that database it has. */
static int end(struct gathering *g, size_t i, bool read, struct gatherer *w)
{
	int r;

	pthread_mutex_lock(&g->lock);
	if (read)
		begin_ahead(g, w->series, i);
	r = td_grow(&g->idle, &g->idle_cap, g->nidle);
	if (r == 0) {
		g->idle[g->nidle++] = *w;
		*w = (struct gatherer){ 0 };
	}
	pthread_mutex_unlock(&g->lock);
	return r;
}

/* Adds the database to p, or where that is NULL to what a thread has, if it is claimed for that:
 * 1, it is a copy. */
static int capture(struct gathering *g, size_t i, struct td_partial *p, struct td_err *why)
{
	const struct td_partial_clocks *clocks = g->run->clocks;
	struct td_partial_source from = g->from;
	struct td_partial_clock clock;
	struct claim own = { g, i };
	_cleanup_(gatherer_done) struct gatherer w = { 0 };
	int r = begin(g, i, &w), kept;

	from.series = w.series;
	if (!p) {
		from.claim = claim;
		from.claim_arg = &own;
	}
	if (r == 0 && !p && !w.sum)
		r = td_partial_new(g->from.head, &w.sum);
	if (clocks && clocks->shifts[i].ns != TD_NULL) {
		clock = (struct td_partial_clock){ clocks->shifts[i].ns, clocks->since_ns,
						   clocks->until_ns };
		from.clock = &clock;
	}
	if (r == 0)
		r = td_partial_capture(&from, g->run->paths[i], p ? p : w.sum, why);
	kept = end(g, i, r == 0, &w);
	return r < 0 ? r : kept < 0 ? kept : r;
}

/* With the lock held: what becomes of a path that could not be read. */
static int leave_out(struct gathering *g, size_t i, int r, const struct td_err *why)
{
	const char *path = g->run->paths[i];

	if (r == -ENOMEM || !g->run->keep_going)
		return fail(g, i, r, why);
	warn(path, r, why);
	return note_failed(g->all, path, r, why);
}

/* Adds a partial of its own: of a file, or of a copy. */
static int gather_apart(struct gathering *g, size_t i)
{
	_cleanup_(td_partial_freep) struct td_partial *one = NULL;
	const char *path = g->run->paths[i];
	struct td_err why = { 0 };
	int r = 0;

	if (g->from.reports)
		r = td_partial_new(g->from.head, &one);
	if (r == 0)
		r = one ? capture(g, i, one, &why) : td_partial_read(path, &one, &why);
	pthread_mutex_lock(&g->lock);
	if (r == 0)
		r = add(g, path, one, &why);
	if (r < 0)
		r = leave_out(g, i, r, &why);
	pthread_mutex_unlock(&g->lock);
	return r;
}

static int gather_db(struct gathering *g, size_t i)
{
	struct td_err why = { 0 };
	int r = capture(g, i, NULL, &why);

	if (r > 0)
		return note_copy(g, i);
	if (r < 0) {
		pthread_mutex_lock(&g->lock);
		r = leave_out(g, i, r, &why);
		pthread_mutex_unlock(&g->lock);
	}
	return r;
}

static int gather(void *arg, size_t i)
{
	struct gathering *g = arg;
	int r = g->from.reports ? gather_db(g, i) : gather_apart(g, i);

	pthread_mutex_lock(&g->lock);
	td_progress_step(&g->progress, (int64_t)++g->ndone);
	pthread_mutex_unlock(&g->lock);
	return r;
}

static int gather_copy(void *arg, size_t i)
{
	struct gathering *g = arg;

	return gather_apart(g, g->copies[i]);
}

/* What threads have becomes one. */
static int put_together(struct gathering *g)
{
	struct td_err why = { 0 };
	int r = 0;

	for (size_t i = 0; i < g->nidle && r == 0; i++) {
		struct td_partial *more = TAKE_PTR(g->idle[i].sum);

		/* that of the first thread takes what there is, not the other way around */
		if (more && td_partial_nrows(g->all, TD_PARTIAL_DATABASE) == 0) {
			struct td_partial *none = g->all;

			g->all = more;
			more = none;
		}
		if (more)
			r = td_partial_merge(g->all, more, &why);
		td_partial_free(more);
	}
	return r < 0 ? td_err_set(g->err, r, "%s", why.msg[0] ? why.msg : strerror(-r)) : 0;
}

static void gathering_done(struct gathering *g)
{
	td_ahead_stop(g->ahead);
	while (g->nidle)
		gatherer_done(&g->idle[--g->nidle]);
	free(g->idle);
	td_intern_done(&g->identities);
	free(g->claimants);
	free(g->copies);
	pthread_mutex_destroy(&g->lock);
}

static int gather_all(struct gathering *g, size_t from, struct td_partial **ret)
{
	struct td_partial_run run = *g->run;
	int r;

	run.paths += from;
	run.npaths -= from;
	g->run = &run;
	g->failed = SIZE_MAX;
	pthread_mutex_init(&g->lock, NULL);
	td_progress_init(&g->progress, "reading", (int64_t)run.npaths, false);
	g->progress.things = g->from.reports ? "databases" : "partials";
	r = td_parallel(run.npaths, gather, g);
	if (r == 0)
		r = put_together(g);
	if (r == 0)
		r = td_parallel(g->ncopies, gather_copy, g);
	td_progress_done(&g->progress);
	gathering_done(g);
	if (r < 0)
		td_partial_free(g->all);
	else
		*ret = g->all;
	return r;
}

int td_partials_of_dbs(const struct td_partial_run *run, const struct td_partial_head *head,
		       const struct td_report *const *reports, const struct td_arg *args,
		       size_t nargs, struct td_partial **ret, struct td_err *err)
{
	struct gathering g = {
		.run = run,
		.from = { .head = head, .reports = reports, .args = args, .nargs = nargs },
		.err = err
	};
	int r = td_partial_new(head, &g.all);

	return r < 0 ? r : gather_all(&g, 0, ret);
}

/* The first one that can be read says what all are of. */
static int find_first(const struct td_partial_run *run, struct td_partial **ret, size_t *ret_next,
		      struct td_err *err)
{
	int r = -EINVAL;

	for (size_t i = 0; i < run->npaths && r < 0; i++) {
		struct td_err why = { 0 };

		r = td_partial_read(run->paths[i], ret, &why);
		*ret_next = i + 1;
		if (r < 0 && run->keep_going && r != -ENOMEM && i + 1 < run->npaths)
			warn(run->paths[i], r, &why);
		else if (r < 0)
			name_failure(run->paths[i], r, &why, err);
		if (r < 0 && !run->keep_going)
			return r;
	}
	return r;
}

int td_partials_of_files(const struct td_partial_run *run, struct td_partial **ret,
			 struct td_err *err)
{
	struct gathering g = { .run = run, .err = err };
	size_t next = 0;
	int r = find_first(run, &g.all, &next, err);

	for (size_t i = 0; i + 1 < next && r == 0; i++)
		r = note_failed(g.all, run->paths[i], -EBADMSG,
				&(struct td_err){ "a partial that could not be read" });
	return r < 0 ? r : gather_all(&g, next, ret);
}
