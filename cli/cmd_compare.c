/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "analyzer/compare/baseline.h"
#include "analyzer/compare/run_compare.h"
#include "common/array.h"
#include "common/scan.h"
#include "common/walk.h"

/* Paths, owned. */
struct paths {
	char **items;
	size_t n, cap;
	bool keep_going;
	size_t nfailed; /* that are no files to read, and were left out */
	struct td_err *err; /* of what else is wrong in a folder */
};

static void paths_done(struct paths *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->items[i]);
	free(p->items);
}

struct args {
	struct td_output_args output;
	struct td_string_list baselines; /* databases, partials and folders of them */
	struct td_string_list conditions;
	struct td_string_list dirs; /* of measures */
	const char *rounds;
	double least_pct;
	int64_t timeout_ns;
	bool any_kind, keep_going, help;
	size_t last;
	struct paths a, b;
	struct td_baseline chosen; /* of a, where one run is compared with several */
};

static void args_done(struct args *a)
{
	free(a->baselines.items);
	free(a->conditions.items);
	free(a->dirs.items);
	td_baseline_done(&a->chosen);
	paths_done(&a->a);
	paths_done(&a->b);
}

static int set_last(void *target, char *value, struct td_err *err)
{
	struct td_scan s = td_scan_of(value, strlen(value));
	uint64_t n;

	if (!td_scan_u64(&s, &n) || !td_scan_done(&s) || n == 0 || n > INT32_MAX)
		return td_err_set(err, -EINVAL, "--last takes a number of runs, not '%s'", value);
	*(size_t *)target = (size_t)n;
	return 0;
}

static int set_least(void *target, char *value, struct td_err *err)
{
	char *end;
	double pct = strtod(value, &end);

	if (end == value || (strcmp(end, "") != 0 && strcmp(end, "%") != 0) || !isfinite(pct) ||
	    pct < 0)
		return td_err_set(err, -EINVAL,
				  "--min-change takes a percentage like 1%%, not '%s'", value);
	*(double *)target = pct;
	return 0;
}

static int add_path(struct paths *p, const char *path)
{
	char *copy;

	/* NOLINTNEXTLINE(bugprone-sizeof-expression): the array is of pointers */
	if (td_grow(&p->items, &p->cap, p->n) < 0)
		return -ENOMEM;
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	p->items[p->n++] = copy;
	return 0;
}

static bool ends_with(const char *path, const char *end)
{
	size_t n = strlen(path), len = strlen(end);

	return n > len && strcmp(path + n - len, end) == 0;
}

static int add_db(void *ctx, const char *path, const struct stat *st)
{
	return ends_with(path, ".db") ? add_path(ctx, path) : 0;
}

static int add_partial(void *ctx, const char *path, const struct stat *st)
{
	return ends_with(path, ".partial") ? add_path(ctx, path) : 0;
}

static int walk_problem(void *ctx, const char *path, int r, const char *msg)
{
	struct paths *p = ctx;

	/* nobody means a socket, say, or a link that leads nowhere or back */
	if ((r == -EINVAL || r == -ENOENT || r == -ELOOP) && !ends_with(path, ".db") &&
	    !ends_with(path, ".partial"))
		return 0;
	if (!p->keep_going)
		return td_err_set(p->err, -EMEDIUMTYPE, "%s", msg);
	td_log_warning("left out: %s", msg);
	p->nfailed++;
	return 0;
}

/* A database or a partial, or the *.db of a folder, or its *.partial if there are none. */
static int add_baseline(struct paths *p, const char *path, struct td_err *err)
{
	static const struct td_walk_fn dbs = { .file = add_db, .problem = walk_problem },
				       partials = { .file = add_partial, .problem = walk_problem };
	size_t before = p->n;
	struct stat st;
	int r;

	p->err = err;
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return add_path(p, path);
	r = td_walk(path, &dbs, p, err);
	if (r == 0 && p->n == before)
		r = td_walk(path, &partials, p, err);
	if (r == 0 && p->n == before)
		r = td_err_set(err, -EINVAL, "there is no *.db and no *.partial in the folder '%s'",
			       path);
	return r;
}

static int choose_sides(struct args *a, char **paths, size_t n, struct td_err *err)
{
	size_t first = a->baselines.n ? 0 : 1;
	int r = 0;

	if (a->keep_going && !a->baselines.n)
		return td_err_set(err, -EINVAL, "--keep-going goes with --baseline");
	a->a.keep_going = a->keep_going;
	if (n <= first || (!a->baselines.n && n > 2))
		return td_err_set(err, -EINVAL,
				  a->baselines.n ? "which run is to be compared with the baseline?"
				  : n < 2 ? "which runs are to be compared? There have to be two"
					  : "two runs can be compared, or several with --baseline, "
					    "but not %zu",
				  n);
	for (size_t i = 0; i < a->baselines.n && r == 0; i++)
		r = add_baseline(&a->a, a->baselines.items[i], err);
	if (!a->baselines.n)
		r = add_path(&a->a, paths[0]);
	for (size_t i = first; i < n && r == 0; i++)
		r = add_path(&a->b, paths[i]);
	return r;
}

/* One run is compared with the last ones of its kind. */
static int choose_baseline(struct args *a, struct td_err *err)
{
	int r;

	if (!a->baselines.n || a->a.n < 2 || a->b.n != 1)
		return 0;
	r = td_baseline_choose(a->a.items, a->a.n, a->b.items[0], a->last, a->any_kind,
			       a->keep_going, &a->chosen, err);
	a->chosen.nfailed += a->a.nfailed;
	if (r == 0 && a->chosen.n == 0)
		r = td_err_set(err, -ENODATA,
			       "of %zu runs none is of a run of this kind that began before "
			       "'%s': %s (%zu of other kinds, which --any-kind takes)",
			       a->a.n, a->b.items[0], a->chosen.kind, a->chosen.nothers);
	return r;
}

static int compare(const struct args *a, const struct td_reports *measures,
		   const struct td_reports *reports)
{
	struct td_run_compare run = {
		.measures = measures,
		.reports = reports,
		.a = a->chosen.n ? a->chosen.paths : a->a.items,
		.na = a->chosen.n ? a->chosen.n : a->a.n,
		.baseline = a->chosen.n ? &a->chosen : NULL,
		.b = a->b.items,
		.nb = a->b.n,
		.rounds = a->rounds,
		.least_pct = a->least_pct,
		.conditions = a->conditions.items,
		.nconditions = a->conditions.n,
		.output = &a->output,
		.timeout_ns = a->timeout_ns,
		.keep_going = a->keep_going,
	};
	struct td_err err = { 0 };
	size_t nmet = 0, nfailed = 0;
	int r = td_run_compare(&run, &nmet, &nfailed, &err);

	if (r < 0)
		return td_exit_of(r, &err);
	if (nmet)
		return TD_EXIT_FINDING;
	nfailed += a->chosen.n ? a->chosen.nfailed : a->a.nfailed;
	return nfailed ? TD_EXIT_PARTLY : TD_EXIT_OK;
}

static int run(const struct td_command *self, int argc, char **argv)
{
	_cleanup_(td_reports_done) struct td_reports measures = { 0 }, reports = { 0 };
	_cleanup_(args_done) struct args a = { .least_pct = TD_COMPARE_LEAST_PCT,
					       .last = TD_BASELINE_LAST,
					       .output.fits = true };
	const struct td_option options[] = {
		TD_OPTIONS_OUTPUT(&a.output),
		TD_OPTIONS_TABLE(&a.output),
		{ "columns", 0, "NAME,NAME", "only these columns, in this order", td_set_string,
		  &a.output.columns },
		{ "baseline", 'b', "PATH",
		  "compare with this run, or with those (or partials) of this folder; several "
		  "times",
		  td_set_list, &a.baselines },
		{ "last", 0, "N", "one run is compared with the last N of its kind before it: 50",
		  set_last, &a.last },
		{ "any-kind", 0, NULL, "with runs of any command line, too", td_set_flag,
		  &a.any_kind },
		{ "keep-going", 0, NULL, "leave out what cannot be read of a baseline, and say so",
		  td_set_flag, &a.keep_going },
		{ "fail-if", 0, "CONDITION", "exit 1 if it is so: 'epoch_s > +5%'; several times",
		  td_set_list, &a.conditions },
		{ "min-change", 0, "PERCENT", "smaller changes are of no interest: 1%", set_least,
		  &a.least_pct },
		{ "rounds", 0, "PHASE",
		  "samples are the rounds of this phase, instead of the epochs", td_set_string,
		  &a.rounds },
		{ "measure-dir", 'Q', "DIR", "take measures from the *.sql there, too", td_set_list,
		  &a.dirs },
		TD_OPTION_TIMEOUT(&a.timeout_ns),
		TD_OPTION_HELP(&a.help),
		{ 0 },
	};
	struct td_err err = { 0 };
	int first = 0, r = td_options_parse(options, argc, argv, &first, &err);

	if (r == 0 && a.help) {
		td_options_help(self, options, stdout);
		return TD_EXIT_OK;
	}
	if (r == 0)
		r = choose_sides(&a, argv + first, (size_t)(argc - first), &err);
	if (r == 0)
		r = td_reports_load(&measures, td_measures, a.dirs.items, a.dirs.n, &err);
	if (r == 0)
		r = td_reports_load(&reports, td_queries, NULL, 0, &err);
	if (r < 0 && r != -EMEDIUMTYPE)
		return td_usage_error(self, &err);
	if (r == 0)
		r = choose_baseline(&a, &err);
	if (r < 0) {
		td_log_err(r, &err);
		return TD_EXIT_INPUT;
	}
	return compare(&a, &measures, &reports);
}

const struct td_command td_cmd_compare = {
	.name = "compare",
	.args = "A B | --baseline PATH B...",
	.help = "say what changed from run A to run B, and how sure that is",
	.run = run,
};
