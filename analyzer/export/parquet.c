/* SPDX-License-Identifier: MIT */
/*
 * parquet=FOLDER: every table as FOLDER/TABLE/run=ID/part-0.parquet, so that many runs lie beside
 * each other and readers make a column 'run' of the folder's name (hive partitions). Columns are
 * those of the table, and behind each key what it means:
 *
 *     call: id, start_ns, dur_ns, op_id, process_id, ..., op, layer, verb, kind, pid, process, role, file, ...
 */
#include <sys/stat.h>

#include "analyzer/export/export.h"
#include "analyzer/export/files.h"
#include "analyzer/export/parquet_rows.h"
#include "analyzer/export/run_id.h"
#include "common/units.h"
#include "schema/db.h"

struct writer {
	struct td_export *job;
	struct td_err *err;
	struct td_export_files files;
	struct td_lookups lookups;
	char run_id[TD_RUN_ID_BUF];
	int64_t ntables;
};

static void writer_done(struct writer *w)
{
	td_export_files_done(&w->files);
	td_lookups_done(&w->lookups);
}

/* What a reader of this file alone has to know. */
static int add_keys(struct writer *w, const struct td_export_table *t, struct td_parquet_file *file)
{
	static const char sql[] =
		"SELECT 'tracedb.run_name', name FROM run UNION ALL "
		"SELECT 'tracedb.version', tracedb_version FROM run UNION ALL "
		"SELECT 'tracedb.start_ns', start_ns FROM run UNION ALL "
		"SELECT 'tracedb.end_ns', end_ns FROM run UNION ALL "
		"SELECT 'tracedb.utc_offset_s', utc_offset_s FROM run UNION ALL "
		"SELECT 'tracedb.schema_version', user_version FROM pragma_user_version";
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(w->job->db, sql, -1, &s, NULL);

	td_parquet_file_key(file, "tracedb.table", t->name);
	td_parquet_file_key(file, "tracedb.run_id", w->run_id);
	td_parquet_file_key(file, "tracedb.clock",
			    "UTC: start_ns, ts_ns and end_ns are nanoseconds since 1970-01-01");
	while (rc == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
		if (sqlite3_column_text(s, 1))
			td_parquet_file_key(file, (const char *)sqlite3_column_text(s, 0),
					    (const char *)sqlite3_column_text(s, 1));
	if (rc == SQLITE_OK)
		rc = sqlite3_reset(s);
	return rc == SQLITE_OK ? 0 : td_db_error(w->job->db, rc, w->err, "cannot read the run");
}

static int write_rows(struct writer *w, const struct td_export_table *t, FILE *f)
{
	_cleanup_(td_parquet_file_freep) struct td_parquet_file *file = NULL;
	int r = td_parquet_rows(w->job->db, t, f, &file, w->err);

	if (r == 0)
		r = add_keys(w, t, file);
	return r == 0 ? td_parquet_file_end(file) : r;
}

static int make_folder(struct writer *w, const char *path)
{
	if (mkdir(path, 0777) < 0 && errno != EEXIST)
		return td_err_errno(w->err, -errno, "cannot make the folder '%s'", path);
	return 0;
}

static int open_file(struct writer *w, const char *table, FILE **ret)
{
	_cleanup_free_ char *path = NULL, *folder = NULL;
	int r;

	if (asprintf(&folder, "%s/%s", w->job->target, table) < 0)
		folder = NULL;
	r = folder ? make_folder(w, folder) : -ENOMEM;
	free(folder);
	if (asprintf(&folder, "%s/%s/run=%s", w->job->target, table, w->run_id) < 0)
		folder = NULL;
	if (r == 0)
		r = folder ? make_folder(w, folder) : -ENOMEM;
	if (r < 0)
		return r;
	if (asprintf(&path, "%s/part-0.parquet", folder) < 0)
		return -ENOMEM;
	return td_export_open(&w->files, path, ret, w->err);
}

static int write_table(struct writer *w, const char *name)
{
	_cleanup_(td_export_table_done) struct td_export_table t = { 0 };
	_cleanup_fclose_ FILE *f = NULL;
	int r = td_export_table_load(w->job->db, name, &w->lookups, &t, w->err);

	if (r == -EOPNOTSUPP) {
		td_strbuf_addf(&w->job->notes,
			       "left out, as it is not STRICT or has a name that is no "
			       "word: table '%s'\n",
			       name);
		return 0;
	}
	if (r == 0)
		r = open_file(w, name, &f);
	if (r == 0)
		r = write_rows(w, &t, f);
	if (r < 0)
		return r;
	w->ntables++;
	return td_export_close(&w->files, TAKE_PTR(f), w->err);
}

static int write_all(struct writer *w)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(w->job->db,
				    "SELECT name FROM main.sqlite_schema WHERE type = 'table' "
				    "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
				    -1, &s, NULL),
	    r = 0;

	while (rc == SQLITE_OK && r == 0 && sqlite3_step(s) == SQLITE_ROW)
		r = write_table(w, (const char *)sqlite3_column_text(s, 0));
	if (r < 0)
		return r;
	if (rc == SQLITE_OK)
		rc = sqlite3_reset(s);
	return rc == SQLITE_OK ? td_export_name(&w->files, w->err)
			       : td_db_error(w->job->db, rc, w->err, "cannot read the schema");
}

static int export_parquet(const struct td_exporter *self, struct td_export *job, struct td_err *err)
{
	_cleanup_(writer_done) struct writer w = { .job = job,
						   .err = err,
						   .files.force = job->force };
	int r = 0;

	if (job->run_id)
		(void)snprintf(w.run_id, sizeof(w.run_id), "%s", job->run_id);
	else
		r = td_run_id(job->db, w.run_id, err);
	if (r == 0)
		r = make_folder(&w, job->target);
	if (r == 0)
		r = write_all(&w);
	if (r < 0)
		return r;
	td_strbuf_addf(&job->notes, "%s, tables: %lld, in folders run=%s\n", job->target,
		       (long long)w.ntables, w.run_id);
	return td_strbuf_error(&job->notes);
}

const struct td_exporter td_exporter_parquet = {
	.name = "parquet",
	.target = "FOLDER",
	.desc = "all tables as FOLDER/TABLE/run=ID/part-0.parquet, for DuckDB, pandas, Spark and "
		"the like",
	.run = export_parquet,
};
