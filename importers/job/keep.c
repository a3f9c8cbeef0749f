/* SPDX-License-Identifier: MIT */
#include <sys/stat.h>

#include "common/strbuf.h"
#include "importers/job/keep.h"
#include "schema/db.h"
#include "schema/sqlite.h"

struct td_keep {
	char *path;
	struct stat before; /* when it began to be read */
	sqlite3 *old; /* holds the lock, from td_keep_lock() on */
	sqlite3 *ours; /* an empty one, which has what every database of ours has */
};

void td_keep_end(struct td_keep *k)
{
	if (!k)
		return;
	td_db_close(k->old);
	td_db_close(k->ours);
	free(k->path);
	free(k);
}

static void free_sql(char **sql)
{
	sqlite3_free(*sql);
}

static int cannot_read(struct td_keep *k, int rc, struct td_err *err)
{
	return td_db_error(k->old, rc, err, "cannot read '%s'", k->path);
}

/* --- objects of the user's --- */

/* Those that make others need them are first. */
static const char list_sql[] = "SELECT type, name, sql FROM sqlite_master "
			       "WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
			       "ORDER BY type <> 'table', rowid";

static int count_ours(struct td_keep *k, sqlite3_stmt *object, bool *ret)
{
	static const char sql[] = "SELECT 1 FROM sqlite_master WHERE type = ?1 AND name = ?2";
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(k->ours, sql, -1, &s, NULL);

	if (rc != SQLITE_OK)
		return rc;
	(void)sqlite3_bind_value(s, 1, sqlite3_column_value(object, 0));
	(void)sqlite3_bind_value(s, 2, sqlite3_column_value(object, 1));
	rc = sqlite3_step(s);
	*ret = rc == SQLITE_ROW;
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static const char *text_of(sqlite3_stmt *s, int column)
{
	const char *text = (const char *)sqlite3_column_text(s, column);

	return text ? text : "";
}

/* Calls on() for each object that is not ours. 0, what it returned, or -errno. */
static int for_each(struct td_keep *k,
		    int (*on)(struct td_keep *k, sqlite3_stmt *object, void *ctx,
			      struct td_err *err),
		    void *ctx, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(k->old, list_sql, -1, &s, NULL), r = 0;

	while (rc == SQLITE_OK && r == 0) {
		bool is_ours;

		rc = sqlite3_step(s);
		if (rc != SQLITE_ROW)
			break;
		rc = count_ours(k, s, &is_ours);
		if (rc == SQLITE_OK && !is_ours)
			r = on(k, s, ctx, err);
	}
	return r < 0 ? r : rc == SQLITE_DONE ? 0 : cannot_read(k, rc, err);
}

/* The first words of a statement, as SQLite keeps them: one blank between them. */
static bool begins_with(const char *sql, const char *words)
{
	return sqlite3_strnicmp(sql, words, (int)strlen(words)) == 0;
}

static int check_object(struct td_keep *k, sqlite3_stmt *object, void *ctx, struct td_err *err)
{
	const char *sql = text_of(object, 2);

	if (begins_with(sql, "CREATE ") && !begins_with(sql, "CREATE VIRTUAL "))
		return 0;
	return td_err_set(err, -EMEDIUMTYPE,
			  "'%s' has '%s', which is not of tracedb's making and would be lost: "
			  "import into another database",
			  k->path, text_of(object, 1));
}

/* --- the lock --- */

/* The log of a database that writes ahead goes by the name of the file, so that SQLite would take it for one of the new
 * file's. Who has the database open keeps that log. What else is wrong with it is for who reads it to say. */
static int end_write_ahead(struct td_keep *k, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc = td_sqlite_open(k->path, SQLITE_OPEN_READWRITE, NULL, &k->old);

	if (rc == SQLITE_OK)
		rc = sqlite3_prepare_v2(k->old, "PRAGMA journal_mode = DELETE", -1, &s, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	if (rc == SQLITE_BUSY || (rc == SQLITE_ROW && strcmp(text_of(s, 0), "wal") == 0))
		return td_err_set(err, -EBUSY,
				  "another program has '%s' open: try again when it has not",
				  k->path);
	return 0;
}

int td_keep_begin(const char *path, struct td_keep **ret, struct td_err *err)
{
	_cleanup_(td_keep_endp) struct td_keep *k = calloc(1, sizeof(*k));
	int r;

	if (!k)
		return -ENOMEM;
	k->path = strdup(path);
	if (!k->path)
		return -ENOMEM;
	r = td_db_kind_of(path) == TD_DB_OURS ? end_write_ahead(k, err) : 0;
	if (r < 0)
		return r;
	if (stat(path, &k->before) < 0)
		return td_err_errno(err, -errno, "cannot read '%s'", path);
	if (k->before.st_nlink > 1)
		return td_err_set(err, -EMLINK,
				  "'%s' has other names (hard links), which would not be appended "
				  "to: copy it, and append to the copy",
				  path);
	r = td_db_create(":memory:", TD_PAGE_SIZE, &k->ours, err);
	if (r == 0)
		*ret = TAKE_PTR(k);
	return r;
}

static bool is_changed(const struct stat *a, const struct stat *b)
{
	return a->st_ino != b->st_ino || a->st_dev != b->st_dev || a->st_size != b->st_size ||
	       a->st_mtim.tv_sec != b->st_mtim.tv_sec || a->st_mtim.tv_nsec != b->st_mtim.tv_nsec;
}

int td_keep_lock(struct td_keep *k, struct td_err *err)
{
	struct stat now;
	int rc = k->old ? sqlite3_exec(k->old, "BEGIN IMMEDIATE", NULL, NULL, NULL)
			: SQLITE_CANTOPEN;

	if (rc == SQLITE_BUSY)
		return td_err_set(err, -EBUSY, "another program writes to '%s': try again later",
				  k->path);
	if (rc != SQLITE_OK)
		return td_db_error(k->old, rc, err, "cannot append to '%s'", k->path);
	if (stat(k->path, &now) < 0)
		return td_err_errno(err, -errno, "cannot append to '%s'", k->path);
	if (is_changed(&k->before, &now))
		return td_err_set(err, -EBUSY, "'%s' was changed while it was read: try again",
				  k->path);
	return for_each(k, check_object, NULL, err);
}

/* --- the new file --- */

static int run(sqlite3 *db, const char *sql)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &s, NULL);

	if (rc != SQLITE_OK)
		return rc;
	rc = sqlite3_step(s);
	return rc == SQLITE_DONE || rc == SQLITE_ROW ? SQLITE_OK : rc;
}

/* Columns that hold something: not those that are computed. "a, b, c", and "?, ?, ?". */
static int list_columns(sqlite3 *db, const char *table, struct td_strbuf *names,
			struct td_strbuf *marks)
{
	static const char sql[] = "SELECT name FROM pragma_table_xinfo(?1) WHERE hidden = 0";
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &s, NULL);

	if (rc != SQLITE_OK)
		return rc;
	(void)sqlite3_bind_text(s, 1, table, -1, SQLITE_STATIC);
	while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
		_cleanup_(free_sql) char *quoted = sqlite3_mprintf("\"%w\"", text_of(s, 0));

		if (!quoted)
			return SQLITE_NOMEM;
		td_strbuf_addf(names, "%s%s", names->len ? ", " : "", quoted);
		td_strbuf_adds(marks, marks->len ? ", ?" : "?");
	}
	return rc;
}

static int copy_row(sqlite3_stmt *from, sqlite3_stmt *to)
{
	int rc;

	for (int i = 0; i < sqlite3_column_count(from); i++)
		(void)sqlite3_bind_value(to, i + 1, sqlite3_column_value(from, i));
	rc = sqlite3_step(to);
	(void)sqlite3_reset(to);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int copy_rows(sqlite3 *old, sqlite3 *new, const char *table)
{
	_cleanup_(td_strbuf_done) struct td_strbuf names = TD_STRBUF_INIT, marks = TD_STRBUF_INIT;
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *from = NULL, *to = NULL;
	_cleanup_(free_sql) char *select = NULL, *insert = NULL;
	int rc = list_columns(old, table, &names, &marks);

	if (rc != SQLITE_DONE)
		return rc;
	select = sqlite3_mprintf("SELECT %s FROM \"%w\"", td_strbuf_str(&names), table);
	insert = sqlite3_mprintf("INSERT INTO \"%w\" (%s) VALUES (%s)", table,
				 td_strbuf_str(&names), td_strbuf_str(&marks));
	if (!select || !insert || td_strbuf_error(&names) < 0 || td_strbuf_error(&marks) < 0)
		return SQLITE_NOMEM;
	rc = sqlite3_prepare_v2(old, select, -1, &from, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_prepare_v2(new, insert, -1, &to, NULL);
	while (rc == SQLITE_OK && (rc = sqlite3_step(from)) == SQLITE_ROW)
		rc = copy_row(from, to);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int copy_object(struct td_keep *k, sqlite3_stmt *object, void *ctx, struct td_err *err)
{
	const char *name = text_of(object, 1);
	int rc = run(ctx, text_of(object, 2));

	if (rc == SQLITE_OK && strcmp(text_of(object, 0), "table") == 0)
		rc = copy_rows(k->old, ctx, name);
	return rc == SQLITE_OK
		       ? 0
		       : td_db_error(ctx, rc, err, "cannot keep '%s' of '%s'", name, k->path);
}

static int copy_objects(struct td_keep *k, const char *path, struct td_err *err)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	int rc = td_sqlite_open(path, SQLITE_OPEN_READWRITE, NULL, &db), r;

	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, "PRAGMA journal_mode = MEMORY; BEGIN", NULL, NULL, NULL);
	if (rc != SQLITE_OK)
		return td_db_error(db, rc, err, "cannot write '%s'", path);
	r = for_each(k, copy_object, db, err);
	if (r < 0)
		return r;
	rc = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	return rc == SQLITE_OK ? 0 : td_db_error(db, rc, err, "cannot write '%s'", path);
}

mode_t td_keep_mode(const struct td_keep *k)
{
	return k->before.st_mode & 07777;
}

static int count(struct td_keep *k, sqlite3_stmt *object, void *ctx, struct td_err *err)
{
	++*(size_t *)ctx;
	return 0;
}

int td_keep_apply(struct td_keep *k, const char *path, struct td_err *err)
{
	const struct stat *st = &k->before;
	size_t n = 0;
	int r = for_each(k, count, &n, err);

	if (r == 0 && n)
		r = copy_objects(k, path, err);
	if (r < 0)
		return r;
	if (chown(path, st->st_uid, st->st_gid) < 0)
		return td_err_errno(err, -errno, "cannot keep the owner of '%s'", k->path);
	return 0;
}
