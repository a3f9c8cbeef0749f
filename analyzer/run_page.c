/* SPDX-License-Identifier: MIT */
#include "analyzer/page/page.h"
#include "analyzer/run_page.h"
#include "analyzer/run_reports.h"
#include "analyzer/timeline/run_timeline.h"
#include "common/cleanup.h"
#include "common/log.h"

/* What stands at its begin and its end, in this order; between them the others by their names. The
 * overview is followed by findings. */
static const char *const first[] = { "overview", "gpu_idle", "stalls", "phases", "file_io" };
static const char *const last[] = {
	"quality", "loss", "cost", "info", "info_sources", "info_issues"
};
/* They answer for one moment, or show what the timeline does. */
static const char *const left_out[] = { "around", "io_timeline", "writes_timeline", "info_tables" };

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

#define IS_ONE_OF(name, names) is_one_of(name, names, TD_ARRAY_SIZE(names))

/* Behind the *n that are there. */
static int add_named(const struct td_reports *set, const char *const *names, size_t nnames,
		     const struct td_report **ret, size_t *n, struct td_err *err)
{
	int r = 0;

	for (size_t i = 0; i < nnames && r == 0; i++) {
		r = td_reports_find(set, names[i], &ret[*n], err);
		*n += ret[*n] != NULL;
	}
	return r;
}

/* ret: room for all of the set. */
static int choose(const struct td_reports *set, const struct td_report **ret, size_t *n,
		  struct td_err *err)
{
	int r = add_named(set, first, TD_ARRAY_SIZE(first), ret, n, err);

	for (size_t i = 0; i < set->n && r == 0; i++) {
		const char *name = set->items[i].name;

		if (!IS_ONE_OF(name, first) && !IS_ONE_OF(name, last) && !IS_ONE_OF(name, left_out))
			r = td_reports_get(set, i, &ret[(*n)++], err);
	}
	return r < 0 ? r : add_named(set, last, TD_ARRAY_SIZE(last), ret, n, err);
}

/* *ret_rest: what follows the tables; NULL: there is no timeline. */
static int draw(const struct td_run_page *page, char **ret_rest)
{
	struct td_run_timeline timeline = { .request = { .path = page->dbs[0],
							 .timeout_ns = page->timeout_ns } };
	struct td_err err = { 0 };
	int r = 0;

	if (page->ndbs == 1)
		r = td_timeline_rest(&timeline, ret_rest, &err);
	if (r == -ENOMEM)
		return r;
	if (r < 0)
		td_log_warning("the page has no timeline: %s", err.msg);
	return 0;
}

int td_run_page(const struct td_run_page *page, size_t *ret_nanswered, struct td_err *err)
{
	_cleanup_free_ char *rest = NULL;
	_cleanup_free_ const struct td_report **reports =
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): the array is of pointers */
		calloc(page->set->n + 1, sizeof(*reports));
	struct td_output_args output = *page->output;
	struct td_page_frame frame = { .head = td_timeline_page[0].text };
	size_t n = 0;
	int r = reports ? draw(page, &rest) : -ENOMEM;

	if (r == 0)
		r = choose(page->set, reports, &n, err);
	if (r < 0)
		return r;
	frame.tail = rest;
	output.frame = rest ? &frame : NULL;
	return td_run_reports(&(struct td_run_reports){ .reports = reports,
							.nreports = n,
							.noptional = n - 1,
							.dbs = page->dbs,
							.ndbs = page->ndbs,
							.output = &output,
							.timeout_ns = page->timeout_ns,
							.findings = true },
			      ret_nanswered, err);
}
