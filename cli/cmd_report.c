/* SPDX-License-Identifier: MIT */
#include <sys/stat.h>

#include "common/array.h"
#include "common/scan.h"
#include "common/strbuf.h"
#include "common/suggest.h"
#include "common/text.h"
#include "analyzer/format/compat_nsys.h"
#include "cli/cli.h"
#include "analyzer/list_reports.h"
#include "analyzer/run_page.h"
#include "analyzer/run_reports.h"
#include "cli/together.h"

#define TAKERS_NAMED 8 /* reports in a message */
#define DEFAULT_REPORT "overview"
/* What nsys stats prints by default, as far as it is here. */
#define DEFAULT_REPORTS_NSYS                                                                       \
	"nvtx_sum,osrt_sum,cuda_api_sum,cuda_gpu_kern_sum,cuda_gpu_mem_time_sum,"                  \
	"cuda_gpu_mem_size_sum"

/* Options that set a parameter of the reports that have it. */
enum filter { AT, BY, END, LIMIT, PHASE, PID, PROCESS, START, WIDTH, NFILTERS };

static const struct {
	const char *param;
	const char *option;
} filters[NFILTERS] = {
	[AT] = { "at", "--at" },
	[BY] = { "by", "--by" },
	[END] = { "end_ns", "--filter-time /END" },
	[LIMIT] = { "limit", "--limit" },
	[PHASE] = { "phase", "--phase" },
	[PID] = { "pid", "--pid" },
	[PROCESS] = { "process", "--process" },
	[START] = { "start_ns", "--filter-time START/" },
	[WIDTH] = { "width", "--width" },
};

struct args {
	struct td_output_args output;
	struct td_string_list dirs;
	struct td_string_list params; /* name=value */
	const char *filter[NFILTERS]; /* NULL: not given */
	char *run_start, *run_end; /* --run as times, or NULL */
	int64_t timeout_ns;
	bool compat_nsys;
	bool list, sql, help;
	bool side_by_side, align;
	bool page; /* of the whole run */
	struct td_together_args together;
	struct td_arg *values; /* filters and params together */
	size_t nvalues, values_cap;
	const struct td_report **reports;
	size_t nreports, reports_cap;
	bool named; /* the user said which reports */
	char **dbs; /* in argv, or only */
	char *only; /* the one that is meant where none is named; owned */
	size_t ndbs;
};

static void args_done(struct args *a)
{
	free(a->only);
	free(a->run_start);
	free(a->run_end);
	free(a->dirs.items);
	free(a->params.items);
	free(a->values);
	free(a->reports);
}

/* "START/END", either of which may be empty; target: the array of filters. */
static int set_range(void *target, char *value, struct td_err *err)
{
	const char **filter = target;
	char *slash = strchr(value, '/');

	if (!slash || strchr(slash + 1, '/') || !value[1])
		return td_err_set(err, -EINVAL,
				  "--filter-time takes START/END (10s/20s, 90s/), not '%s'", value);
	*slash = '\0';
	filter[START] = *value ? value : NULL;
	filter[END] = slash[1] ? slash + 1 : NULL;
	return 0;
}

/* The time of a run; target: the arguments. */
static int set_run(void *target, char *value, struct td_err *err)
{
	struct args *a = target;
	struct td_scan s = td_scan_of(value, strlen(value));
	int64_t number;

	if (!td_scan_i64(&s, &number) || !td_scan_done(&s) || number < 1)
		return td_err_set(err, -EINVAL, "--run takes the number of a run, not '%s'", value);
	free(a->run_start);
	free(a->run_end);
	if (asprintf(&a->run_start, "run %lld", (long long)number) < 0)
		a->run_start = NULL;
	if (asprintf(&a->run_end, "run %lld end", (long long)number) < 0)
		a->run_end = NULL;
	return a->run_start && a->run_end ? 0 : -ENOMEM;
}

static int set_compat(void *target, char *value, struct td_err *err)
{
	if (strcmp(value, "nsys") != 0)
		return td_err_set(err, -EINVAL, "--compat takes nsys, not '%s'", value);
	*(bool *)target = true;
	return 0;
}

static int add_value(struct args *a, const char *name, const char *value)
{
	if (td_grow(&a->values, &a->values_cap, a->nvalues) < 0)
		return -ENOMEM;
	a->values[a->nvalues++] = (struct td_arg){ name, value };
	return 0;
}

/* The filters and --param, as arguments of reports. */
static int collect_values(struct args *a, struct td_err *err)
{
	int r = 0;

	if (a->run_start && (a->filter[START] || a->filter[END]))
		return td_err_set(err, -EINVAL, "--run is a time as --filter-time is: give one");
	a->filter[START] = a->run_start ? a->run_start : a->filter[START];
	a->filter[END] = a->run_end ? a->run_end : a->filter[END];
	for (size_t i = 0; i < NFILTERS && r == 0; i++)
		if (a->filter[i])
			r = add_value(a, filters[i].param, a->filter[i]);
	for (size_t i = 0; i < a->params.n && r == 0; i++) {
		char *text = (char *)a->params.items[i], *equals = strchr(text, '=');

		if (!equals || equals == text)
			return td_err_set(err, -EINVAL, "--param takes NAME=VALUE, not '%s'", text);
		*equals = '\0';
		r = add_value(a, text, equals + 1);
	}
	return r;
}

/* A name of a report is never taken for a file; write ./overview for a file that has one. */
static bool is_db(const struct td_reports *set, const char *text)
{
	struct td_str name = { text, strlen(text) };
	struct stat st;

	if (td_reports_has(set, td_compat_nsys_report(text)))
		return false;
	return td_str_ends(name, ".db") || td_str_ends(name, ".partial") || stat(text, &st) == 0;
}

static int unknown_report(const struct td_reports *set, const char *name, struct td_err *err)
{
	struct td_suggest near = { .wanted = name };

	for (size_t i = 0; i < set->n; i++)
		td_suggest_offer(&near, set->items[i].name);
	return td_err_set(err, -EINVAL,
			  near.best ? "'%s' is neither a report nor a file; did you mean '%s'?"
				    : "'%s' is neither a report nor a file; "
				      "'tracedb report --list' names the reports",
			  name, near.best);
}

/* names: separated by commas; cut in place. One that was given before is not run again. */
static int add_reports(struct args *a, const struct td_reports *set, char *names,
		       struct td_err *err)
{
	for (char *name = names, *comma; name; name = comma) {
		const struct td_report *rep;
		bool again = false;
		int r;

		comma = strchr(name, ',');
		if (comma)
			*comma++ = '\0';
		r = td_reports_find(set, td_compat_nsys_report(name), &rep, err);
		if (r < 0)
			return r;
		if (!rep)
			return unknown_report(set, name, err);
		for (size_t i = 0; i < a->nreports; i++)
			again |= a->reports[i] == rep;
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): the array is of pointers */
		if (!again && td_grow(&a->reports, &a->reports_cap, a->nreports) < 0)
			return -ENOMEM;
		if (!again)
			a->reports[a->nreports++] = rep;
	}
	return 0;
}

/* Tells reports from databases, which may come in any order. Databases are moved to the front of argv + first. */
static int sort_out(struct args *a, const struct td_reports *set, int argc, char **argv, int first,
		    struct td_err *err)
{
	int r = 0;

	a->dbs = argv + first;
	for (int i = first; i < argc && r == 0; i++)
		if (is_db(set, argv[i]))
			a->dbs[a->ndbs++] = argv[i];
		else
			r = add_reports(a, set, argv[i], err);
	if (r < 0)
		return r;
	a->named = a->nreports > 0;
	if (a->named || a->help)
		return 0;
	return a->compat_nsys ? add_reports(a, set, (char[]){ DEFAULT_REPORTS_NSYS }, err)
			      : add_reports(a, set, (char[]){ DEFAULT_REPORT }, err);
}

static const char *option_of(const char *param)
{
	for (size_t i = 0; i < NFILTERS; i++)
		if (strcmp(filters[i].param, param) == 0)
			return filters[i].option;
	return NULL;
}

/* Which reports take it, if they are few enough to be read. */
static int add_takers(struct td_strbuf *text, const struct td_reports *set, const char *param,
		      struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf names = TD_STRBUF_INIT;
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++) {
		const struct td_report *other;
		int r = td_reports_get(set, i, &other, err);

		if (r < 0)
			return r;
		if (td_report_param(other, param))
			td_strbuf_addf(&names, "%s%s", n++ ? ", " : "", other->name);
	}
	if (n > TAKERS_NAMED)
		td_strbuf_adds(text, "; many others do");
	else if (n)
		td_strbuf_addf(text, "; these do: %s", td_strbuf_str(&names));
	return td_strbuf_error(&names);
}

/* The report does not take the value: an error if the user chose the report, else a note. */
static int refuse(const struct args *a, const struct td_reports *set, const struct td_report *rep,
		  const char *param, struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	const char *option = option_of(param);
	int r;

	td_strbuf_addf(&text, "report '%s' does not take %s", rep->name, option ? option : param);
	r = add_takers(&text, set, param, err);
	if (r < 0)
		return r;
	if (a->named)
		return td_err_set(err, -EINVAL, "%s", td_strbuf_str(&text));
	td_log_warning("%s; ignoring it", td_strbuf_str(&text));
	return 0;
}

/* Removes the values that the default report does not take. */
static int check_values(struct args *a, const struct td_reports *set, struct td_err *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < a->nvalues; i++) {
		bool taken = true;

		for (size_t k = 0; k < a->nreports; k++) {
			int r;

			if (td_report_param(a->reports[k], a->values[i].name))
				continue;
			r = refuse(a, set, a->reports[k], a->values[i].name, err);
			if (r < 0)
				return r;
			taken = false;
		}
		if (taken)
			a->values[kept++] = a->values[i];
	}
	a->nvalues = kept;
	return 0;
}

/* An enum td_exit. */
static int list_reports(struct args *a, const struct td_reports *set, char **dbs)
{
	struct td_list_reports list = { .set = set, .dbs = dbs, .output = &a->output };
	struct td_err err = { 0 };

	while (dbs[list.ndbs])
		list.ndbs++;
	a->output.all = true;
	a->output.fits = false; /* a column of which all is equal says something, too */
	return td_exit_of(td_list_reports(&list, &err), &err);
}

/* The words of a text behind at columns, which fit a terminal. */
static void put_words(const char *text, size_t at, size_t indent)
{
	size_t width = td_terminal_width(stdout);

	td_text_wrap(stdout, text, at, indent, width ? width : SIZE_MAX);
}

static void describe_param(const struct td_report_param *p)
{
	const char *option = option_of(p->name);

	printf("  %s%s (%s%s%s)\n        ", option ? option : "--param ", option ? "" : p->name,
	       td_unit_names[p->type], *p->value ? ", default " : "", p->value);
	put_words(p->help, 8, 8);
	for (const char **v = p->values; v && *v; v++)
		printf("%s%s%s", v == p->values ? "        one of: " : ", ", *v, v[1] ? "" : "\n");
}

static void describe(const struct td_report *rep)
{
	printf("%s: %s\n\n", rep->name, rep->title);
	for (const char **line = rep->text; line && *line; line++)
		put_words(*line, 0, 0);
	if (rep->nparams)
		printf("%sParameters:\n", rep->text && *rep->text ? "\n" : "");
	for (size_t i = 0; i < rep->nparams; i++)
		describe_param(&rep->params[i]);
	printf("\nColumns:\n");
	for (size_t i = 0; i < rep->ncolumns; i++) {
		int n = printf("  %-20s %-8s ", rep->columns[i].name,
			       td_unit_names[rep->columns[i].unit]);

		put_words(rep->columns[i].help, (size_t)n, 32);
	}
}

/* nsys stats has tables in columns and csv, in ns, of its own reports. */
static int choose_compat(struct args *a, struct td_err *err)
{
	const char *format = a->output.format ? a->output.format->name : "table";

	if (!a->compat_nsys)
		return 0;
	if (a->output.columns)
		return td_err_set(err, -EINVAL, "--compat nsys has the columns of nsys");
	for (size_t i = 0; i < a->nreports; i++)
		if (!td_compat_nsys_has(a->reports[i]->name))
			return td_err_set(err, -EINVAL, "--compat nsys: nsys has no report '%s'",
					  a->reports[i]->name);
	if (a->output.timeunit != TD_TIMEUNIT_AUTO && a->output.timeunit != TD_TIMEUNIT_NS)
		return td_err_set(err, -EINVAL, "--compat nsys shows durations in ns");
	if (strcmp(format, "table") == 0)
		a->output.format = &td_format_nsys_column;
	else if (strcmp(format, "csv") == 0)
		a->output.format = &td_format_nsys_csv;
	else
		return td_err_set(err, -EINVAL,
				  "--compat nsys has the formats table and csv, not '%s'", format);
	return 0;
}

int td_print_reports(const struct td_run_reports *run)
{
	struct td_err err = { 0 };
	size_t nanswered;
	int r = td_run_reports(run, &nanswered, &err);

	if (r < 0)
		return td_exit_of(r, &err);
	return nanswered ? TD_EXIT_OK : TD_EXIT_INPUT;
}

static int check_side_by_side(const struct args *a, struct td_err *err)
{
	const char *other = a->compat_nsys                    ? "--compat nsys"
			    : a->sql                          ? "--sql"
			    : td_together_asked(&a->together) ? "--merged, --partial and the like"
							      : NULL;

	if (a->align && !a->side_by_side && !td_together_asked(&a->together))
		return td_err_set(err, -EINVAL, "--align goes with --side-by-side and --merged");
	return a->side_by_side && other
		       ? td_err_set(err, -EINVAL, "--side-by-side does not go with %s", other)
		       : 0;
}

/* Is it the page of the whole run? */
static bool is_page(const struct args *a)
{
	return a->output.all && !a->named && !a->compat_nsys && !a->sql && !a->side_by_side &&
	       !td_together_asked(&a->together) && td_output_is_page(&a->output);
}

static int write_page(const struct args *a, const struct td_reports *set)
{
	struct td_run_page page = { .set = set,
				    .dbs = a->dbs,
				    .ndbs = a->ndbs,
				    .output = &a->output,
				    .timeout_ns = a->timeout_ns };
	struct td_err err = { 0 };
	size_t nanswered;
	int r = td_run_page(&page, &nanswered, &err);

	if (r < 0)
		return td_exit_of(r, &err);
	return nanswered ? TD_EXIT_OK : TD_EXIT_INPUT;
}

static int run_args(struct args *a, const struct td_reports *set)
{
	if (a->page)
		return write_page(a, set);
	if (td_together_asked(&a->together))
		return td_report_together(&(struct td_report_together){
			.args = &a->together,
			.set = set,
			.reports = a->reports,
			.nreports = a->nreports,
			.named = a->named,
			.align = a->align,
			.dbs = a->dbs,
			.ndbs = a->ndbs,
			.values = a->values,
			.nvalues = a->nvalues,
			.output = &a->output,
		});
	return td_print_reports(&(struct td_run_reports){
		.reports = a->reports,
		.nreports = a->nreports,
		.dbs = a->dbs,
		.ndbs = a->ndbs,
		.args = a->values,
		.nargs = a->nvalues,
		.output = &a->output,
		.timeout_ns = a->timeout_ns,
		.compat_nsys = a->compat_nsys,
		.sql = a->sql,
		.side_by_side = a->side_by_side,
		.align = a->align,
	});
}

static int run(const struct td_command *self, int argc, char **argv)
{
	_cleanup_(td_reports_done) struct td_reports set = { 0 };
	_cleanup_(args_done) struct args a = { .output.fits = true };
	const struct td_option options[] = {
		TD_OPTIONS_OUTPUT(&a.output),
		TD_OPTIONS_TABLE(&a.output),
		TD_OPTIONS_COLUMNS(&a.output),
		{ "list", 'l', NULL, "list the reports, and of which a DB has data", td_set_flag,
		  &a.list },
		{ "report-dir", 'Q', "DIR", "take reports from the *.sql there, too", td_set_list,
		  &a.dirs },
		{ "by", 0, "WHAT",
		  "what a row is: process, time, ...; NAME --help says what a report has",
		  td_set_string, &a.filter[BY] },
		{ "at", 0, "TIME",
		  "around: this moment: 42s from the begin, 05:16:14 (local), or a date in UTC",
		  td_set_string, &a.filter[AT] },
		{ "width", 0, "TIME", "around: how much time around it", td_set_string,
		  &a.filter[WIDTH] },
		{ "filter-time", 0, "START/END",
		  "only this time: 10s/20s from the begin, 05:16/05:17 (local), or dates in UTC",
		  set_range, a.filter },
		{ "limit", 0, "N", "show only so many rows, or all", td_set_string,
		  &a.filter[LIMIT] },
		{ "rows", 0, "N", "the same", td_set_string, &a.filter[LIMIT] },
		{ "phase", 0, "NAME", "only this phase: epoch, or 'epoch 3'", td_set_string,
		  &a.filter[PHASE] },
		{ "pid", 0, "PID", "only this process", td_set_string, &a.filter[PID] },
		{ "process", 0, "NAME", "only processes of this name", td_set_string,
		  &a.filter[PROCESS] },
		{ "run", 0, "N", "only the time of this run; report info_runs has them", set_run,
		  &a },
		{ "compat", 0, "nsys", "print what 'nsys stats' prints", set_compat,
		  &a.compat_nsys },
		{ "param", 'p', "NAME=VALUE", "set any parameter of a report", td_set_list,
		  &a.params },
		{ "sql", 0, NULL,
		  "print the statement, for sqlite3 or pandas, with its parameters filled in",
		  td_set_flag, &a.sql },
		{ "side-by-side", 0, NULL,
		  "one table of all databases, with the run and rank of each row", td_set_flag,
		  &a.side_by_side },
		{ "align", 0, NULL,
		  "with --side-by-side, --merged: times, those asked for, too, by the clock of the "
		  "first "
		  "one, as far as what both saw tells",
		  td_set_flag, &a.align },
		TD_OPTIONS_TOGETHER(&a.together),
		TD_OPTION_TIMEOUT(&a.timeout_ns),
		TD_OPTION_HELP(&a.help),
		{ 0 },
	};
	struct td_err err = { 0 };
	int first = 0, r = td_options_parse(options, argc, argv, &first, &err);

	if (r == 0)
		r = td_reports_load(&set, td_queries, a.dirs.items, a.dirs.n, &err);
	if (r == 0 && a.list)
		return list_reports(&a, &set, argv + first);
	if (r == 0)
		r = sort_out(&a, &set, argc, argv, first, &err);
	if (r == 0 && a.help) {
		for (size_t i = 0; i < a.nreports; i++)
			describe(a.reports[i]);
		if (!a.nreports)
			td_options_help(self, options, stdout);
		return TD_EXIT_OK;
	}
	if (r == 0 && !a.ndbs) {
		r = td_only_db(&a.only, &err);
		a.dbs = &a.only;
		a.ndbs = 1;
	}
	if (r == 0)
		r = collect_values(&a, &err);
	if (r == 0)
		r = check_side_by_side(&a, &err);
	a.page = is_page(&a);
	if (r == 0 && a.page && a.nvalues)
		r = td_err_set(&err, -EINVAL,
			       "a page of all reports is about the whole run: name reports for %s",
			       option_of(a.values[0].name) ? option_of(a.values[0].name)
							   : "--param");
	/* which reports take them the partial says, where none is named */
	if (r == 0 && (a.named || !a.together.from_partial))
		r = check_values(&a, &set, &err);
	a.output.all |= a.filter[LIMIT] != NULL; /* that says how many */
	if (r == 0)
		r = choose_compat(&a, &err);
	return r < 0 ? td_usage_error(self, &err) : run_args(&a, &set);
}

const struct td_command td_cmd_report = {
	.name = "report",
	.args = "[NAME[,NAME]] [DB...]",
	.help = "answer questions with canned reports; without a name: the overview",
	.run = run,
};
