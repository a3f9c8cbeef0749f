/* SPDX-License-Identifier: MIT */
#include "analyzer/export/export.h"
#include "analyzer/export/run_id.h"
#include "analyzer/open.h"
#include "cli/cli.h"
#include "analyzer/format/output.h"
#include "common/printable.h"
#include "common/suggest.h"
#include "schema/db.h"

struct to {
	const struct td_exporter *exporter;
	const char *target; /* borrowed, as is the next one */
	const char *run_id;
	struct td_string_list tables, reports;
	bool force, quiet, safe_csv;
};

static void to_done(struct to *to)
{
	free(to->tables.items);
	free(to->reports.items);
}

/* NAME=TARGET */
static int set_to(void *target, char *value, struct td_err *err)
{
	char *equals = strchr(value, '=');
	struct to *to = target;
	struct td_suggest near = { .wanted = value };

	if (!equals || !equals[1])
		return td_err_set(err, -EINVAL, "--to takes FORMAT=TARGET, not '%s'", value);
	*equals = '\0';
	to->exporter = td_exporter_find(value);
	to->target = equals + 1;
	if (to->exporter)
		return 0;
	for (size_t i = 0; td_exporters[i]; i++)
		td_suggest_offer(&near, td_exporters[i]->name);
	return td_err_set(err, -EINVAL,
			  near.best ? "unknown format '%s'; did you mean '%s'?"
				    : "unknown format '%s'",
			  value, near.best);
}

static int set_run_id(void *target, char *value, struct td_err *err)
{
	if (!td_run_id_is_valid(value))
		return td_err_set(err, -EINVAL,
				  "--run takes letters, digits, '.', '_' and '-', not '%s'", value);
	*(const char **)target = value;
	return 0;
}

static void print_help(const struct td_command *self, const struct td_option *options)
{
	td_options_help(self, options, stdout);
	printf("\nFormats:\n");
	for (size_t i = 0; td_exporters[i]; i++)
		printf("  %s=%s\n      %s\n", td_exporters[i]->name, td_exporters[i]->target,
		       td_exporters[i]->desc);
}

/* Lines, with names of the database's in them. */
static void print_notes(const char *notes)
{
	for (const char *end; (end = strchr(notes, '\n')); notes = end + 1) {
		_cleanup_(td_strbuf_done) struct td_strbuf line = TD_STRBUF_INIT;

		td_printable(&line, notes, (size_t)(end - notes));
		(void)fprintf(stderr, "%s\n", td_strbuf_str(&line));
	}
}

static int export(const struct to *to, const char *path, struct td_err *err)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	struct td_export job = {
		.target = to->target,
		.force = to->force,
		.tables = &to->tables,
		.reports = &to->reports,
		.safe_csv = to->safe_csv,
		.run_id = to->run_id,
	};
	int r = td_analyzer_open(path, &db, err);

	if (r == 0) {
		job.db = db;
		r = to->exporter->run(to->exporter, &job, err);
	}
	if (r == 0 && !to->quiet)
		print_notes(td_strbuf_str(&job.notes));
	td_strbuf_done(&job.notes);
	return r;
}

static int run(const struct td_command *self, int argc, char **argv)
{
	_cleanup_(to_done) struct to to = { 0 };
	bool help = false;
	const struct td_option options[] = {
		{ "to", 0, "FORMAT=TARGET", "what to write, and where", set_to, &to },
		{ "table", 't', "NAME", "csv, ndjson, sql: a table or view; may be repeated",
		  td_set_list, &to.tables },
		{ "report", 'r', "NAME", "csv, ndjson, sql: a report; may be repeated", td_set_list,
		  &to.reports },
		{ "safe-csv", 0, NULL, "csv: keep spreadsheets from taking text for formulas",
		  td_set_flag, &to.safe_csv },
		{ "run", 0, "ID", "parquet: what the run is called among others", set_run_id,
		  &to.run_id },
		{ "force", 0, NULL, "replace what is there", td_set_flag, &to.force },
		{ "quiet", 'q', NULL, "do not say what was written", td_set_flag, &to.quiet },
		TD_OPTION_HELP(&help),
		{ 0 },
	};
	struct td_err err = { 0 };
	int first = 0, r = td_options_parse(options, argc, argv, &first, &err);

	if (r == 0 && help) {
		print_help(self, options);
		return TD_EXIT_OK;
	}
	if (r == 0 && argc - first != 1)
		r = td_err_set(&err, -EINVAL,
			       first == argc ? "which database?" : "one database only");
	if (r == 0 && !to.exporter)
		r = td_err_set(&err, -EINVAL, "--to FORMAT=TARGET says what to write");
	if (r < 0 || !to.exporter)
		return td_usage_error(self, &err);
	r = export(&to, argv[first], &err);
	if (r == 0)
		return TD_EXIT_OK;
	td_log_err(r, &err);
	return r == -EINVAL ? TD_EXIT_USAGE : TD_EXIT_INPUT;
}

const struct td_command td_cmd_export = {
	.name = "export",
	.args = "DB --to FORMAT=TARGET",
	.help = "write a database in the formats of other programs",
	.run = run,
};
