/* SPDX-License-Identifier: MIT */
/* An empty database, for who fills it. */
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#define XXH_INLINE_ALL /* tracedb.so needs no library */
#include <xxhash.h>

#include "common/cleanup.h"
#include "schema/db.h"
#include "schema/sql.h"
#include "schema/sqlite.h"

#define CREATE_VIEW "CREATE VIEW "

/* Each of some 70 tables takes a page, the smallest ones too: 0.3 MB of pages of 4 KiB, 2.3 MB of
 * 32 KiB, which are at most 1 % from 4 million rows on. To write and to read the sizes cost the
 * same, and of many rows large pages are fewer (docs/PERFORMANCE.md, "Pages"). */
static const struct {
	uint64_t nrows_max;
	int size;
} page_sizes[] = {
	{ 250 * 1000, TD_PAGE_SIZE },
	{ 4 * 1000 * 1000, 8192 },
	{ UINT64_MAX, 32768 },
};

int td_db_page_size(uint64_t nrows)
{
	size_t i = 0;

	while (nrows > page_sizes[i].nrows_max)
		i++;
	return page_sizes[i].size;
}

int td_db_read_page_size(sqlite3 *db, int *ret, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(db, "PRAGMA main.page_size", -1, &s, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	if (rc != SQLITE_ROW)
		return td_db_error(db, rc, err, "cannot read the database");
	*ret = sqlite3_column_int(s, 0);
	return 0;
}

/* The last part of the schema. */
static const struct td_sql *views(void)
{
	const struct td_sql *s = td_schema_sql;

	while (s[1].name)
		s++;
	return s;
}

/* SQLite counts changes to the schema from there on: of each schema from another number, which leaves room to count. */
static uint32_t first_cookie(void)
{
	uint32_t hash = 0;

	for (const struct td_sql *s = td_schema_sql; s->name; s++)
		hash = (uint32_t)XXH3_64bits_withSeed(s->text, strlen(s->text), hash);
	return hash >> 2;
}

uint32_t td_db_new_cookie(void)
{
	uint32_t n = first_cookie();

	/* views are added by one statement that SQLite does not count */
	for (const struct td_sql *s = td_schema_sql; s != views(); s++)
		for (const char *sql = strstr(s->text, "\nCREATE "); sql;
		     sql = strstr(sql + 1, "\nCREATE "))
			n++;
	return n;
}

/* Whether SQLite refuses changes to the schema other than by statements. */
static int set_defensive(sqlite3 *db, int on)
{
	return sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, on, NULL);
}

static int create_tables(sqlite3 *db, int page_size)
{
	char pragmas[200];
	int rc = set_defensive(db, 0);

	(void)snprintf(pragmas, sizeof(pragmas),
		       "PRAGMA page_size = %d; PRAGMA journal_mode = MEMORY; "
		       "PRAGMA synchronous = OFF; BEGIN;"
		       "PRAGMA application_id = %d; PRAGMA user_version = %d; "
		       "PRAGMA schema_version = %" PRIu32,
		       page_size, TD_APPLICATION_ID, TD_SCHEMA_VERSION, first_cookie());
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, pragmas, NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = set_defensive(db, 1);
	for (const struct td_sql *s = td_schema_sql; s != views() && rc == SQLITE_OK; s++)
		rc = sqlite3_exec(db, s->text, NULL, NULL, NULL);
	return rc == SQLITE_OK ? sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) : rc;
}

/* An empty one. SQLite would not say why it cannot: because the disk is full, for instance. */
static int make_file(const char *path, struct td_err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0 && errno == EEXIST)
		return td_err_set(err, -EEXIST, "'%s' exists", path);
	if (fd < 0)
		return td_err_errno(err, -errno, "cannot create database '%s'", path);
	(void)close(fd);
	return 0;
}

int td_db_create_tables(const char *path, int page_size, sqlite3 **ret, struct td_err *err)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	bool in_memory = strcmp(path, ":memory:") == 0;
	int rc, r;

	if (!in_memory) {
		r = make_file(path, err);
		if (r < 0)
			return r;
	}
	rc = td_sqlite_open(path, SQLITE_OPEN_READWRITE | (in_memory ? SQLITE_OPEN_URI : 0), NULL,
			    &db);
	if (rc == SQLITE_OK)
		rc = create_tables(db, page_size);
	if (rc != SQLITE_OK)
		return td_db_error(db, rc, err, "cannot create database '%s'", path);
	*ret = TAKE_PTR(db);
	return 0;
}

/* The length of a statement without its ';', which comments and texts may hold, too; 0: out of memory. */
static size_t statement_length(const char *sql)
{
	for (const char *end = strchr(sql, ';'); end; end = strchr(end + 1, ';')) {
		_cleanup_free_ char *until = strndup(sql, (size_t)(end + 1 - sql));

		if (!until)
			return 0;
		if (sqlite3_complete(until))
			return (size_t)(end - sql);
	}
	return strlen(sql);
}

static int add_view(sqlite3_stmt *insert, const char *sql, size_t len)
{
	const char *name = sql + strlen(CREATE_VIEW);
	int rc = sqlite3_bind_text(insert, 1, name, (int)strcspn(name, " \n"), SQLITE_STATIC);

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text(insert, 2, sql, (int)len, SQLITE_STATIC);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(insert);
	return rc == SQLITE_DONE ? sqlite3_reset(insert) : rc;
}

static int add_views(sqlite3 *db)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *insert = NULL;
	size_t len;
	int rc = sqlite3_prepare_v2(db, "INSERT INTO sqlite_schema VALUES ('view', ?1, ?1, 0, ?2)",
				    -1, &insert, NULL);

	for (const char *sql = strstr(views()->text, CREATE_VIEW); sql && rc == SQLITE_OK;
	     sql = strstr(sql + len, CREATE_VIEW)) {
		len = statement_length(sql);
		rc = len ? add_view(insert, sql, len) : SQLITE_NOMEM;
	}
	return rc;
}

/* CREATE VIEW would have SQLite take each view apart twice, which was half of the time that an
 * import of a few rows took. */
int td_db_add_views(sqlite3 *db, struct td_err *err)
{
	int rc = set_defensive(db, 0);

	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, "PRAGMA writable_schema = ON; BEGIN", NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = add_views(db);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, "COMMIT; PRAGMA writable_schema = OFF", NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = set_defensive(db, 1);
	return rc == SQLITE_OK ? 0 : td_db_error(db, rc, err, "cannot create views");
}

int td_db_create(const char *path, int page_size, sqlite3 **ret, struct td_err *err)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	int r = td_db_create_tables(path, page_size, &db, err);

	if (r >= 0)
		r = td_db_add_views(db, err);
	if (r < 0)
		return r;
	if (sqlite3_exec(db, "PRAGMA writable_schema = RESET", NULL, NULL, NULL) != SQLITE_OK)
		return td_db_error(db, sqlite3_errcode(db), err, "cannot read the schema");
	*ret = TAKE_PTR(db);
	return 0;
}
