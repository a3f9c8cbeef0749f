/* SPDX-License-Identifier: MIT */
/* sqlite=FILE: the database as it is, packed if the name ends in .zst. */
#include <fcntl.h>

#include "analyzer/export/export.h"
#include "analyzer/export/files.h"
#include "schema/db.h"

#define COPY_BYTES (1 << 20)

/* Nobody writes to the file as long as it is being read: but for a write-ahead log, which is another file. */
static int hold(sqlite3 *db, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(db, "PRAGMA main.journal_mode", -1, &s, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	if (rc == SQLITE_ROW && strcmp((const char *)sqlite3_column_text(s, 0), "wal") == 0)
		return td_err_set(
			err, -ENOTSUP,
			"the database has a write-ahead log; 'PRAGMA journal_mode = delete' "
			"puts it into the file");
	if (rc == SQLITE_ROW)
		rc = sqlite3_exec(db, "BEGIN; SELECT id FROM main.run", NULL, NULL, NULL);
	return rc == SQLITE_OK ? 0 : td_db_error(db, rc, err, "cannot read the database");
}

static int copy(const char *path, FILE *to, struct td_err *err)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	_cleanup_free_ char *buf = malloc(COPY_BYTES);
	size_t n;

	if (!f)
		return td_err_errno(err, -errno, "cannot read '%s'", path);
	if (!buf)
		return -ENOMEM;
	while ((n = fread(buf, 1, COPY_BYTES, f)) > 0)
		if (fwrite(buf, 1, n, to) != n)
			break; /* td_export_close() says so */
	return ferror(f) ? td_err_errno(err, -EIO, "cannot read '%s'", path) : 0;
}

static int export_sqlite(const struct td_exporter *self, struct td_export *job, struct td_err *err)
{
	_cleanup_(td_export_files_done) struct td_export_files files = { .force = job->force };
	_cleanup_fclose_ FILE *f = NULL;
	int r = hold(job->db, err);

	if (r == 0)
		r = td_export_open(&files, job->target, &f, err);
	if (r == 0)
		r = copy(sqlite3_db_filename(job->db, "main"), f, err);
	if (r == 0)
		r = td_export_close(&files, TAKE_PTR(f), err);
	if (r == 0)
		r = td_export_name(&files, err);
	(void)sqlite3_exec(job->db, "ROLLBACK", NULL, NULL, NULL);
	if (r < 0)
		return r;
	td_strbuf_addf(&job->notes, "%s: the database\n", job->target);
	return td_strbuf_error(&job->notes);
}

const struct td_exporter td_exporter_sqlite = {
	.name = "sqlite",
	.target = "FILE",
	.desc = "the database itself; what --redact writes if nothing else is said",
	.run = export_sqlite,
};
