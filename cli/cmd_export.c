/* SPDX-License-Identifier: MIT */
#include "analyzer/export/export.h"
#include "analyzer/export/run_id.h"
#include "analyzer/open.h"
#include "analyzer/redact/redact.h"
#include "cli/cli.h"
#include "analyzer/format/output.h"
#include "common/printable.h"
#include "common/suggest.h"
#include "common/tmpfile.h"
#include "common/unfinished.h"
#include "schema/db.h"

struct to {
	const struct td_exporter *exporter;
	const char *target; /* borrowed, as is the next one */
	const char *run_id;
	struct td_string_list tables, reports;
	bool force, quiet, safe_csv, redact;
	const char *key; /* borrowed; NULL: a random one */
	struct td_strbuf target_of_db; /* the target where none was given */
};

static void to_done(struct to *to)
{
	free(to->tables.items);
	free(to->reports.items);
	td_strbuf_done(&to->target_of_db);
}

/* NAME=TARGET */
static int set_to(void *target, char *value, struct td_err *err)
{
	char *equals = strchr(value, '=');
	struct to *to = target;
	struct td_suggest near = { .wanted = value };
	const struct td_exporter *bare = equals ? NULL : td_exporter_find(value);

	if (bare)
		return td_err_set(err, -EINVAL, "--to %s says not where to: --to %s=%s", value,
				  value, bare->target);
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

static int export_database(const struct to *to, const char *path, struct td_err *err)
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

/* --- without names --- */

static void remove_copy(char **path)
{
	if (!*path)
		return;
	(void)unlink(*path);
	td_unfinished_remove(*path);
	free(*path);
}

/* A name for the copy that is exported, in the folder for large temporary files; the caller frees it. */
static char *name_of_copy(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf near = TD_STRBUF_INIT;
	const char *dir = getenv("TMPDIR");

	td_strbuf_addf(&near, "%s/redacted.db", dir && *dir ? dir : "/var/tmp");
	return td_strbuf_error(&near) == 0 ? td_tmpfile_name(td_strbuf_str(&near)) : NULL;
}

static int redact(const struct to *to, const char *path, const char *copy, struct td_err *err)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	unsigned char key[TD_REDACT_KEY_BYTES];
	int r = td_redact_key(to->key, key, err);

	if (r == 0)
		r = td_db_open_ro(path, &db, err);
	if (r == 0)
		r = td_redact(db, key, copy, err);
	explicit_bzero(key, sizeof(key));
	return r;
}

static int export(const struct to *to, const char *path, struct td_err *err)
{
	_cleanup_(remove_copy) char *copy = NULL;
	int r;

	if (!to->redact)
		return export_database(to, path, err);
	copy = name_of_copy();
	if (!copy)
		return -ENOMEM;
	td_unfinished_add(copy);
	r = redact(to, path, copy, err);
	if (r == 0)
		r = export_database(to, copy, err);
	if (r == 0 && !to->quiet && !to->key)
		(void)fprintf(stderr, "names were made with a random key, which is forgotten now; "
				      "--key FILE makes those of several runs the same\n");
	return r;
}

/* 'run1.db' becomes 'run1.redacted.db'. */
static int set_default_target(struct to *to, const char *path, struct td_err *err)
{
	struct td_str name = { path, strlen(path) };

	if (!to->redact)
		return td_err_set(err, -EINVAL, "--to FORMAT=TARGET says what to write");
	if (td_str_ends(name, ".db"))
		name.len -= strlen(".db");
	td_strbuf_add(&to->target_of_db, name.p, name.len);
	td_strbuf_adds(&to->target_of_db, ".redacted.db");
	to->exporter = &td_exporter_sqlite;
	to->target = td_strbuf_str(&to->target_of_db);
	return td_strbuf_error(&to->target_of_db);
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
		{ "redact", 0, NULL, "names of files, hosts, users and commands become others",
		  td_set_flag, &to.redact },
		{ "key", 0, "FILE", "redact: the same key makes the same names of several runs",
		  td_set_string, &to.key },
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
	if (r == 0 && to.key && !to.redact)
		r = td_err_set(&err, -EINVAL, "--key is for --redact");
	if (r == 0 && !to.exporter)
		r = set_default_target(&to, argv[first], &err);
	if (r < 0 || !to.exporter)
		return td_usage_error(self, &err);
	return td_exit_of(export(&to, argv[first], &err), &err);
}

const struct td_command td_cmd_export = {
	.name = "export",
	.args = "DB --to FORMAT=TARGET | --redact",
	.help = "write a database in the formats of other programs",
	.run = run,
};
