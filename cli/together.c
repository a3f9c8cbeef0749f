/* SPDX-License-Identifier: MIT */
#include <malloc.h>

#include "analyzer/partial/ahead.h"
#include "analyzer/partial/plan.h"
#include "cli/together.h"
#include "common/scan.h"

#define TOP_DEFAULT 20000
#define GROUPS_BYTES (4 << 20) /* more than the tables of the groups of a usual database */

static int parse_count(const char *option, const char *text, size_t *ret, struct td_err *err)
{
	struct td_scan s = td_scan_of(text, strlen(text));
	uint64_t n;

	if (!td_scan_u64(&s, &n) || !td_scan_done(&s) || n > INT32_MAX)
		return td_err_set(err, -EINVAL, "%s takes a number, not '%s'", option, text);
	*ret = (size_t)n;
	return 0;
}

/* Tables of the groups of a database are as large as those of the one before, and so is what a partial is unpacked by:
 * they stay in the heap, which else goes to the system and comes back, page by page. */
static void keep_memory(void)
{
#ifdef __GLIBC__
	(void)mallopt(M_MMAP_THRESHOLD, GROUPS_BYTES);
	(void)mallopt(M_TOP_PAD, GROUPS_BYTES / 4);
#endif
}

int td_together_run(const struct td_together_args *args, char **paths, size_t npaths,
		    struct td_partial_run *ret, struct td_err *err)
{
	struct td_partial_run run = { .paths = paths,
				      .npaths = npaths,
				      .keep_going = args->keep_going };
	int r = args->expect ? parse_count("--expect", args->expect, &run.expected, err) : 0;

	if (r < 0)
		return r;
	keep_memory();
	*ret = run;
	return 0;
}

int td_together_exit(int r, const struct td_err *err, const struct td_partial_totals *totals)
{
	if (r < 0)
		return td_exit_of(r, err);
	return totals->nfailed || totals->nmissing ? TD_EXIT_PARTLY : TD_EXIT_OK;
}

static int check(const struct td_report_together *t, struct td_err *err)
{
	const struct td_together_args *a = t->args;
	int ways = a->merged + a->partial + a->from_partial;

	if (ways != 1)
		return td_err_set(
			err, -EINVAL,
			ways > 0 ? "--merged, --partial and --from-partial exclude each other"
				 : "--keep-going, --expect and --top go with --merged, --partial "
				   "and --from-partial");
	if (t->align && !a->merged)
		return td_err_set(
			err, -EINVAL,
			"--align goes with --merged and --side-by-side, which see all databases: a "
			"partial is of those that are here");
	if (a->from_partial && a->top)
		return td_err_set(err, -EINVAL, "--top was chosen when the partial was made");
	for (size_t i = 0; i < t->nvalues && a->from_partial; i++)
		if (strcmp(t->values[i].name, "limit") != 0)
			return td_err_set(err, -EINVAL,
					  "'%s' is chosen when the partial is made, with --partial",
					  t->values[i].name);
	if (a->partial && t->output->format)
		return td_err_set(err, -EINVAL,
				  "a partial has no format: -f is for --from-partial");
	return 0;
}

/* Of the databases. clocks: where they are to be one. */
static int gather(const struct td_report_together *t, struct td_partial_run *run,
		  struct td_partial_clocks *clocks, struct td_partial_blank *blank,
		  struct td_partial **ret, struct td_err *err)
{
	_cleanup_(td_partial_head_done) struct td_partial_head head = { 0 };
	size_t top = TOP_DEFAULT;
	int r = t->args->top ? parse_count("--top", t->args->top, &top, err) : 0;

	td_ahead_first(run->paths, run->npaths); /* the plan takes as long as reading them */
	if (r == 0)
		r = td_partial_plan(t->reports, t->nreports, t->values, t->nvalues, top, blank,
				    &head, err);
	if (r == 0 && t->align) {
		r = td_partials_align(run, t->reports, t->nreports, t->values, t->nvalues, clocks,
				      err);
		run->clocks = clocks;
	}
	return r < 0 ? r
		     : td_partials_of_dbs(run, &head, t->reports, t->values, t->nvalues, ret, err);
}

static const char *limit_of(const struct td_report_together *t)
{
	for (size_t i = 0; i < t->nvalues; i++)
		if (strcmp(t->values[i].name, "limit") == 0)
			return t->values[i].value;
	return NULL;
}

static int put(const struct td_report_together *t, const struct td_partial *p,
	       const struct td_partial_totals *totals, const char *clocks,
	       struct td_partial_blank *blank, struct td_err *err)
{
	struct td_partials_print print = {
		.set = t->set,
		.named = t->reports,
		.nnamed = t->args->from_partial && !t->named ? 0 : t->nreports,
		.limit = t->args->from_partial ? limit_of(t) : NULL,
		.output = t->output,
		.totals = *totals,
		.clocks = clocks,
		.blank = blank,
	};
	size_t nanswered = 0;
	int r;

	if (t->args->partial)
		return td_partials_write(p, totals, t->output->path, err);
	r = td_partials_print(&print, p, &nanswered, err);
	return r == 0 && !nanswered
		       ? td_err_set(err, -ENODATA, "none of the databases has what is asked for")
		       : r;
}

int td_report_together(const struct td_report_together *t)
{
	_cleanup_(td_partial_freep) struct td_partial *p = NULL;
	_cleanup_(td_partial_clocks_done) struct td_partial_clocks clocks = { 0 };
	_cleanup_(td_partial_blank_freep) struct td_partial_blank *blank = NULL;
	struct td_partial_run run = { 0 };
	struct td_partial_totals totals = { 0 };
	struct td_err err = { 0 };
	int r = check(t, &err);

	if (r == 0)
		r = td_together_run(t->args, t->dbs, t->ndbs, &run, &err);
	if (r == 0)
		r = td_partial_blank_new(&blank, &err);
	if (r == 0)
		r = t->args->from_partial ? td_partials_of_files(&run, &p, &err)
					  : gather(t, &run, &clocks, blank, &p, &err);
	if (r == 0)
		r = td_partials_count(&run, p, &totals, &err);
	if (r == 0)
		r = put(t, p, &totals, td_strbuf_str(&clocks.notes), blank, &err);
	return td_together_exit(r, &err, &totals);
}
