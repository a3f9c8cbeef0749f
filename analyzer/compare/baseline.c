/* SPDX-License-Identifier: MIT */
#include "analyzer/compare/baseline.h"
#include "analyzer/partial/file.h"
#include "analyzer/partial/identity.h"
#include "analyzer/run_kind.h"
#include "analyzer/sandbox.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "schema/series.h"

struct known {
	char *path; /* borrowed */
	struct td_run_kind of;
	char id[33]; /* struct td_identity.db */
};

static void known_done(struct known *k, size_t n)
{
	for (size_t i = 0; i < n; i++)
		td_run_kind_done(&k[i].of);
	free(k);
}

void td_baseline_done(struct td_baseline *b)
{
	free(b->paths);
	free(b->kind);
	*b = (struct td_baseline){ 0 };
}

static int know_partial(const struct td_partial *p, struct known *ret)
{
	int64_t cells[TD_PARTIAL_COLUMNS_MAX];

	if (td_partial_nrows(p, TD_PARTIAL_DATABASE) != 1)
		return 0;
	td_partial_row(p, TD_PARTIAL_DATABASE, 0, cells);
	if (cells[4] == TD_NULL)
		return 0;
	ret->of.start_ns = cells[5];
	(void)snprintf(ret->id, sizeof(ret->id), "%s",
		       td_intern_get(&p->texts, (uint32_t)cells[0]).p);
	ret->of.kind = strdup(td_intern_get(&p->texts, (uint32_t)cells[4]).p);
	return ret->of.kind ? 0 : -ENOMEM;
}

static int know_db(struct td_db_series *series, char *path, struct known *ret, struct td_err *err)
{
	struct td_identity id = { 0 };
	sqlite3 *db = NULL;
	int r = td_db_series_next(series, path, &db, err);

	if (r == 0)
		r = td_identify(db, path, &id, err);
	if (r == 0)
		r = td_run_kind(db, path, &ret->of, err);
	td_db_series_end(series);
	memcpy(ret->id, id.db, sizeof(ret->id));
	return r;
}

/* A partial of several runs has no kind. */
static int know(struct td_db_series *series, char *path, struct known *ret, struct td_err *err)
{
	_cleanup_(td_partial_freep) struct td_partial *p = NULL;
	struct td_err why = { 0 };
	int r;

	ret->path = path;
	if (td_partial_is(path)) {
		r = td_partial_read(path, &p, &why);
		return r < 0 ? td_err_set(err, r, "%s: %s", path, why.msg) : know_partial(p, ret);
	}
	r = know_db(series, path, ret, err);
	/* so that what is said of it does not depend on the one before */
	return r < 0 && td_db_series_forget(series) ? know_db(series, path, ret, err) : r;
}

/* In the order of time; those of one instant by path, so that it is the same each time. */
static int by_start(const void *a, const void *b)
{
	const struct known *x = a, *y = b;
	int by = (x->of.start_ns > y->of.start_ns) - (x->of.start_ns < y->of.start_ns);

	return by != 0 ? by : strcmp(x->path, y->path);
}

/* Is it one of those before it, which are in the order of time? A copy of one began when that did. */
static bool is_there(const struct known *of, size_t i)
{
	for (size_t k = i; k > 0 && of[k - 1].of.start_ns == of[i].of.start_ns; k--)
		if (strcmp(of[k - 1].id, of[i].id) == 0)
			return true;
	return false;
}

static int choose(struct known *of, size_t n, const struct known *run, size_t last, bool any_kind,
		  struct td_baseline *ret)
{
	ret->paths = calloc(n + 1, sizeof(char *));
	if (!ret->paths)
		return -ENOMEM;
	qsort(of, n, sizeof(*of), by_start);
	for (size_t i = 0; i < n; i++) {
		if (!of[i].of.kind || (!any_kind && strcmp(of[i].of.kind, run->of.kind) != 0))
			ret->nothers++;
		else if (of[i].of.start_ns == TD_NULL || of[i].of.start_ns >= run->of.start_ns)
			ret->nlater++;
		else if (is_there(of, i))
			td_log_warning(TD_COUNTED_ONCE, of[i].path);
		else
			ret->paths[ret->n++] = of[i].path;
	}
	if (ret->n > last) {
		ret->nolder = ret->n - last;
		memmove(ret->paths, ret->paths + ret->nolder, last * sizeof(char *));
		ret->n = last;
	}
	return 0;
}

/* All that can be read, to known; *ret: how many. */
static int know_all(struct td_db_series *series, char **paths, size_t n, bool keep_going,
		    struct known *known, size_t *ret, struct td_err *err)
{
	*ret = 0;
	for (size_t i = 0; i < n; i++) {
		int r = know(series, paths[i], &known[*ret], err);

		if (r == 0)
			++*ret;
		else if (r == -ENOMEM || !keep_going)
			return r;
		else
			td_log_warning("left out: %s", err->msg);
	}
	return 0;
}

int td_baseline_choose(char **paths, size_t n, const char *run, size_t last, bool any_kind,
		       bool keep_going, struct td_baseline *ret, struct td_err *err)
{
	struct known *known = calloc(n + 1, sizeof(*known)); /* the last one is the run's */
	_cleanup_(td_db_series_freep) struct td_db_series *series = NULL;
	size_t nread = 0;
	int r = known ? td_db_series_new(td_query_sandbox, &series) : -ENOMEM;

	*ret = (struct td_baseline){ 0 };
	if (r == 0)
		r = know(series, (char *)run, &known[n], err);
	if (r == 0)
		r = know_all(series, paths, n, keep_going, known, &nread, err);
	if (r == 0 && !known[n].of.kind)
		r = td_err_set(err, -EINVAL, "'%s' is of several runs, or of none", run);
	if (r == 0)
		r = choose(known, nread, &known[n], last, any_kind, ret);
	if (r == 0) {
		ret->kind = TAKE_PTR(known[n].of.kind);
		ret->nfailed = n - nread;
	} else {
		td_baseline_done(ret);
	}
	if (known)
		known_done(known, n + 1);
	return r;
}
