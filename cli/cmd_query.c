/* SPDX-License-Identifier: MIT */
#include <sys/stat.h>

#include "analyzer/open.h"
#include "analyzer/query.h"
#include "analyzer/sandbox.h"
#include "analyzer/several.h"
#include "cli/cli.h"
#include "analyzer/format/output.h"
#include "common/array.h"
#include "common/strbuf.h"
#include "schema/db.h"

#define SQL_MAX_BYTES (1 << 20)

struct args {
	struct td_output_args output;
	struct td_string_list params; /* name=value */
	int64_t timeout_ns;
	struct td_arg *values;
	bool align, help;
};

static void args_done(struct args *a)
{
	free(a->params.items);
	free(a->values);
}

static int split_params(struct args *a, struct td_err *err)
{
	a->values = calloc(a->params.n + 1, sizeof(*a->values));
	if (!a->values)
		return -ENOMEM;
	for (size_t i = 0; i < a->params.n; i++) {
		char *text = (char *)a->params.items[i], *equals = strchr(text, '=');

		if (!equals || equals == text)
			return td_err_set(err, -EINVAL, "--param takes NAME=VALUE, not '%s'", text);
		*equals = '\0';
		a->values[i] = (struct td_arg){ text, equals + 1 };
	}
	return 0;
}

static int read_stdin(struct td_strbuf *sql, struct td_err *err)
{
	char buf[4096];
	size_t n;

	if (isatty(STDIN_FILENO))
		td_log_info("type SQL, then Ctrl-D");
	while (sql->len <= SQL_MAX_BYTES && (n = fread(buf, 1, sizeof(buf), stdin)) > 0)
		td_strbuf_add(sql, buf, n);
	if (ferror(stdin))
		return td_err_errno(err, -EIO, "cannot read SQL from standard input");
	if (sql->len > SQL_MAX_BYTES)
		return td_err_set(err, -E2BIG, "the SQL is longer than %d bytes", SQL_MAX_BYTES);
	return td_strbuf_error(sql);
}

/* A name or an existing file; SQL is neither. */
static bool is_db(const char *text)
{
	struct stat st;

	return td_str_ends((struct td_str){ text, strlen(text) }, ".db") || stat(text, &st) == 0;
}

/* How many arguments name databases. The first one does, unless it can only be SQL, which has a
 * blank, or says where that comes from. */
static int count_dbs(int argc, char **argv)
{
	int n = 0;

	while (n < argc && (is_db(argv[n]) ||
			    (n == 0 && !strpbrk(argv[0], " \t\n") && strcmp(argv[0], "-") != 0)))
		n++;
	return n;
}

/* Several databases as one, by one clock if that is asked for: what is moved is said. */
static int open_several(const struct args *a, char **paths, size_t n,
			const struct td_deadline *deadline, sqlite3 **ret, struct td_err *err)
{
	_cleanup_free_ struct td_clock_shift *shifts = calloc(n, sizeof(*shifts));
	_cleanup_(td_strbuf_done) struct td_strbuf notes = TD_STRBUF_INIT;
	struct td_run_label *labels = NULL;
	int r = shifts ? 0 : -ENOMEM;

	if (r == 0 && a->align)
		r = td_clock_shifts(paths, n, deadline, shifts, err);
	if (r == 0 && a->align)
		r = td_run_labels(paths, n, &labels, err);
	for (size_t i = 1; r == 0 && labels && i < n; i++)
		td_clock_shift_note(&shifts[i], labels[i].run, labels[0].run, &notes);
	td_run_labels_free(labels, n);
	if (r == 0)
		r = td_strbuf_error(&notes);
	for (const char *line = td_strbuf_str(&notes), *end; r == 0 && (end = strchr(line, '\n'));
	     line = end + 1)
		td_log_warning("%.*s", (int)(end - line), line);
	return r < 0 ? r : td_several_open(paths, n, a->align ? shifts : NULL, ret, err);
}

static int query(const struct args *a, char **paths, size_t npaths, const char *sql,
		 struct td_err *err)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	_cleanup_(td_query_freep) struct td_query *q = NULL;
	_cleanup_(td_output_done) struct td_output out = { 0 };
	struct td_writer_options shape = { 0 };
	struct td_deadline deadline = td_deadline_in(a->timeout_ns);
	int r = npaths > 1 ? open_several(a, paths, npaths, &deadline, &db, err)
			   : td_analyzer_open(*paths, &db, err);

	if (r == 0)
		r = td_query_sandbox(db, err);
	if (r == 0)
		td_query_deadline(db, &deadline);
	if (r == 0)
		r = td_query_prepare(db, sql, a->values, a->params.n, &q, err);
	if (r < 0)
		return r;
	shape.many_tables = td_query_ntables(q) > 1;
	r = td_output_open(&a->output, &shape, &out, err);
	if (r == 0)
		r = td_query_run(q, out.w, err);
	return r == 0 ? td_output_close(&out, err) : r;
}

static int run(const struct td_command *self, int argc, char **argv)
{
	_cleanup_(args_done) struct args a = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf sql = TD_STRBUF_INIT;
	_cleanup_free_ char *only = NULL;
	const struct td_option options[] = {
		TD_OPTIONS_OUTPUT(&a.output),
		{ "param", 'p', "NAME=VALUE", "the value of :NAME in the SQL", td_set_list,
		  &a.params },
		{ "align", 0, NULL,
		  "of several DB: times by the clock of the first one, as far as what both saw "
		  "tells; rank_clock has by how much",
		  td_set_flag, &a.align },
		TD_OPTION_TIMEOUT(&a.timeout_ns),
		TD_OPTION_HELP(&a.help),
		{ 0 },
	};
	struct td_err err = { 0 };
	int first = 0, r = td_options_parse(options, argc, argv, &first, &err), nrest, ndbs;

	nrest = argc - first;
	ndbs = count_dbs(nrest, argv + first);
	if (r == 0 && a.help) {
		td_options_help(self, options, stdout);
		return TD_EXIT_OK;
	}
	if (r == 0 && nrest > ndbs + 1)
		r = td_err_set(&err, -EINVAL, "more than one SQL text: quote it");
	if (r == 0 && a.align && ndbs < 2)
		r = td_err_set(&err, -EINVAL, "--align is for several databases");
	if (r == 0 && ndbs == 0)
		r = td_only_db(&only, &err);
	if (r == 0)
		r = split_params(&a, &err);
	if (r < 0)
		return td_usage_error(self, &err);
	if (nrest == ndbs || strcmp(argv[first + ndbs], "-") == 0)
		r = read_stdin(&sql, &err);
	else
		td_strbuf_adds(&sql, argv[first + ndbs]);
	if (r == 0)
		r = td_strbuf_error(&sql);
	if (r == 0)
		r = query(&a, only ? &only : argv + first, only ? 1 : (size_t)ndbs,
			  td_strbuf_str(&sql), &err);
	if (r == 0)
		return TD_EXIT_OK;
	td_log_err(r, &err);
	return r == -EINVAL || r == -EPERM ? TD_EXIT_USAGE : TD_EXIT_INPUT;
}

const struct td_command td_cmd_query = {
	.name = "query",
	.args = "[DB...] [SQL]",
	.help = "run SQL that only reads, over one or several databases; from standard input if "
		"none is given",
	.run = run,
};
