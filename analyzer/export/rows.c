/* SPDX-License-Identifier: MIT */
/*
 * csv=FILE, ndjson=FILE, sql=FILE: rows of tables, views and reports, as they come. The first two
 * are those of 'report -f'; sql is what the sqlite3 shell's .dump prints, a table as it is in the
 * schema, a view or report as a table without types, and without names all of the database, views
 * included:
 *     sqlite3 again.db <run1.sql
 */
#include "analyzer/export/export.h"
#include "analyzer/export/files.h"
#include "analyzer/export/sql_format.h"
#include "analyzer/format/formats.h"
#include "analyzer/query.h"
#include "analyzer/report.h"
#include "analyzer/sandbox.h"
#include "common/suggest.h"
#include "common/units.h"
#include "schema/db.h"

#define DATABASE                                                                                   \
	"PRAGMA page_size = %d;\nPRAGMA application_id = %d;\nPRAGMA user_version = %d;\n"         \
	"PRAGMA foreign_keys = OFF;\n"

struct writer {
	struct td_export *job;
	struct td_err *err;
	const struct td_format *format;
	bool is_sql;
	size_t nrelations; /* that are to be written */
	FILE *f; /* borrowed */
	long long nrows;
};

/* --- one table or view --- */

static int prepare(struct writer *w, const char *name, sqlite3_stmt **ret)
{
	char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", name);
	int rc;

	if (!sql)
		return -ENOMEM;
	rc = sqlite3_prepare_v2(w->job->db, sql, -1, ret, NULL);
	sqlite3_free(sql);
	return rc == SQLITE_OK ? 0 : td_db_error(w->job->db, rc, w->err, "cannot read '%s'", name);
}

static int new_writer(struct writer *w, const struct td_format *format, struct td_writer **ret)
{
	const struct td_writer_options options = {
		.many_tables = w->nrelations > 1,
		.named = true,
		.safe_csv = w->job->safe_csv,
	};

	return td_writer_new(format, w->f, &options, ret);
}

static int put_rows(struct writer *w, const char *name, struct td_writer *to)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	_cleanup_free_ struct td_report_column *columns = NULL;
	struct td_table_head head = { .name = name };
	int r = prepare(w, name, &s);

	if (r < 0)
		return r;
	head.ncolumns = (size_t)sqlite3_column_count(s);
	head.columns = columns = calloc(head.ncolumns, sizeof(*columns));
	if (!columns)
		return -ENOMEM;
	for (size_t i = 0; i < head.ncolumns; i++) {
		columns[i] = (struct td_report_column){ .name = sqlite3_column_name(s, (int)i),
							.help = "" };
		if (!columns[i].name)
			return -ENOMEM;
	}
	r = td_writer_table(to, &head);
	if (r == 0)
		r = td_query_rows(s, to, w->err);
	w->nrows += (long long)to->nrows;
	return r == 0 ? td_writer_table_end(to) : r;
}

/* --- sql --- */

/* The text that made it, *ret NULL if there is no such table (or view); the caller frees it. */
static int schema_of(struct writer *w, const char *type, const char *name, char **ret)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(
		w->job->db, "SELECT sql FROM main.sqlite_schema WHERE type = ?1 AND name = ?2", -1,
		&s, NULL);

	*ret = NULL;
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text(s, 1, type, -1, SQLITE_STATIC);
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text(s, 2, name, -1, SQLITE_STATIC);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	if (rc == SQLITE_DONE)
		return 0;
	if (rc != SQLITE_ROW)
		return td_db_error(w->job->db, rc, w->err, "cannot read the schema");
	*ret = strdup((const char *)sqlite3_column_text(s, 0));
	return *ret ? 0 : -ENOMEM;
}

static int put_relation(struct writer *w, const char *name, struct td_writer *to)
{
	_cleanup_(td_writer_freep) struct td_writer *rows = NULL;
	_cleanup_free_ char *made_by = NULL;
	int r = w->is_sql ? schema_of(w, "table", name, &made_by) : 0;

	if (r < 0)
		return r;
	if (!made_by)
		return put_rows(w, name, to);
	fprintf(w->f, "%s;\n", made_by);
	r = new_writer(w, &td_format_sql_rows, &rows);
	return r == 0 ? put_rows(w, name, rows) : r;
}

/* What of the schema has the type; tables with their rows, the others as they were made. */
static int put_all(struct writer *w, const char *type, struct td_writer *to)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(
		    w->job->db,
		    "SELECT name, sql FROM main.sqlite_schema WHERE type = ?1 AND sql IS NOT NULL "
		    "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
		    -1, &s, NULL),
	    r = 0;

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text(s, 1, type, -1, SQLITE_STATIC);
	while (rc == SQLITE_OK && r == 0 && sqlite3_step(s) == SQLITE_ROW)
		if (strcmp(type, "table") == 0)
			r = put_relation(w, (const char *)sqlite3_column_text(s, 0), to);
		else
			fprintf(w->f, "%s;\n", (const char *)sqlite3_column_text(s, 1));
	if (r == 0 && rc == SQLITE_OK)
		rc = sqlite3_reset(s);
	if (r == 0 && rc != SQLITE_OK)
		return td_db_error(w->job->db, rc, w->err, "cannot read the schema");
	return r;
}

static int put_database(struct writer *w, struct td_writer *to)
{
	static const char *const types[] = { "table", "index", "view", "trigger" };
	int page_size, r = td_db_read_page_size(w->job->db, &page_size, w->err);

	if (r < 0)
		return r;
	fprintf(w->f, DATABASE, page_size, TD_APPLICATION_ID, TD_SCHEMA_VERSION);
	(void)fputs("BEGIN;\n", w->f);
	for (size_t i = 0; i < TD_ARRAY_SIZE(types) && r == 0; i++)
		r = put_all(w, types[i], to);
	(void)fputs("COMMIT;\n", w->f);
	return r;
}

/* --- reports --- */

static int put_report(struct writer *w, const struct td_reports *set, const char *name,
		      struct td_writer *to)
{
	_cleanup_(td_strbuf_done) struct td_strbuf missing = TD_STRBUF_INIT, notes = TD_STRBUF_INIT;
	struct td_suggest near = { .wanted = name };
	const struct td_report *rep;
	int r = td_reports_find(set, name, &rep, w->err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < set->n; i++)
		td_suggest_offer(&near, set->items[i].name);
	if (!rep)
		return td_err_set(w->err, -EINVAL,
				  near.best ? "there is no report '%s'; did you mean '%s'?"
					    : "there is no report '%s'",
				  name, near.best);
	r = td_report_run(w->job->db, rep, NULL, 0, to, &missing, &notes, w->err);
	if (r == TD_REPORT_MISSING)
		td_strbuf_addf(&w->job->notes, "nothing for report '%s': %s\n", name,
			       td_strbuf_str(&missing));
	td_strbuf_adds(&w->job->notes, td_strbuf_str(&notes));
	w->nrows += r < 0 ? 0 : (long long)to->nrows;
	return TD_MIN(r, 0);
}

/* --- all --- */

static size_t count_names(const struct td_string_list *list)
{
	return list ? list->n : 0;
}

static int put(struct writer *w, const struct td_reports *set)
{
	_cleanup_(td_writer_freep) struct td_writer *to = NULL;
	const struct td_string_list *tables = w->job->tables, *reports = w->job->reports;
	int r;

	w->nrelations = count_names(tables) + count_names(reports);
	r = new_writer(w, w->format, &to);
	if (r == 0 && !w->nrelations)
		r = put_database(w, to);
	for (size_t i = 0; i < count_names(tables) && r == 0; i++)
		r = put_relation(w, tables->items[i], to);
	for (size_t i = 0; i < count_names(reports) && r == 0; i++)
		r = put_report(w, set, reports->items[i], to);
	return r == 0 ? td_writer_end(to) : r;
}

static int export_rows(const struct td_exporter *self, struct td_export *job, struct td_err *err)
{
	_cleanup_(td_export_files_done) struct td_export_files files = { .force = job->force };
	_cleanup_(td_reports_done) struct td_reports set = { 0 };
	_cleanup_fclose_ FILE *f = NULL;
	struct writer w = { .job = job, .err = err, .format = self->how };
	char n[TD_UNITS_BUF];
	int r;

	w.is_sql = w.format == &td_format_sql;
	if (!w.is_sql && !count_names(job->tables) && !count_names(job->reports))
		return td_err_set(err, -EINVAL, "--table or --report says what to write as %s",
				  self->name);
	r = td_reports_load(&set, td_queries, NULL, 0, err);
	if (r == 0)
		r = td_query_sandbox(job->db, err);
	if (r == 0)
		r = td_export_open(&files, job->target, &f, err);
	w.f = f;
	if (r == 0)
		r = put(&w, &set);
	r = td_export_end(&files, &f, r, err);
	if (r == 0)
		r = td_export_name(&files, err);
	if (r < 0)
		return r;
	td_strbuf_addf(&job->notes, "%s, rows: %s\n", job->target,
		       td_format_count(n, sizeof(n), w.nrows));
	return td_strbuf_error(&job->notes);
}

const struct td_exporter td_exporter_csv = {
	.name = "csv",
	.target = "FILE",
	.desc = "rows of --table or --report as comma-separated values",
	.run = export_rows,
	.how = &td_format_csv,
};

const struct td_exporter td_exporter_ndjson = {
	.name = "ndjson",
	.target = "FILE",
	.desc = "rows of --table or --report, an object of JSON per line",
	.run = export_rows,
	.how = &td_format_ndjson,
};

const struct td_exporter td_exporter_sql = {
	.name = "sql",
	.target = "FILE",
	.desc = "SQL that makes the database, or only --table or --report, again",
	.run = export_rows,
	.how = &td_format_sql,
};
