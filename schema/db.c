/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/scan.h"
#include "common/sqlite_page.h"
#include "schema/check_schema.h"
#include "schema/db.h"
#include "schema/db_private.h"
#include "schema/sums.h"
#include "schema/sql.h"
#include "schema/sqlite.h"

/* From the SQLite file format: big-endian integers in the first 100 bytes. */
#define HEADER_SIZE 100
#define HEADER_MAGIC "SQLite format 3" /* with its NUL */
#define HEADER_PAGE_SIZE 16 /* 2 bytes; 1 means 65536 */
#define HEADER_READ_VERSION 19 /* 1 byte; 2: changes go to a write-ahead log */
#define HEADER_CHANGES 24 /* 4 bytes */
#define HEADER_PAGES 28 /* 4 bytes; valid if HEADER_CHANGES equals HEADER_VALID_FOR */
#define HEADER_APPLICATION_ID 68 /* 4 bytes */
#define HEADER_VALID_FOR 92 /* 4 bytes */

void td_db_close(sqlite3 *db)
{
	int rc = sqlite3_close(db);

	assert(rc == SQLITE_OK);
	(void)rc;
}

int td_sql_errno(int rc)
{
	static const struct {
		int rc, r;
	} map[] = {
		{ SQLITE_OK, 0 },
		{ SQLITE_ROW, 0 },
		{ SQLITE_DONE, 0 },
		{ SQLITE_NOMEM, -ENOMEM },
		{ SQLITE_FULL, -ENOSPC },
		{ SQLITE_IOERR, -EIO },
		{ SQLITE_CANTOPEN, -EACCES },
		{ SQLITE_PERM, -EACCES },
		{ SQLITE_AUTH, -EPERM },
		{ SQLITE_READONLY, -EROFS },
		{ SQLITE_BUSY, -EBUSY },
		{ SQLITE_LOCKED, -EBUSY },
		{ SQLITE_CORRUPT, -EUCLEAN },
		{ SQLITE_NOTADB, -EMEDIUMTYPE },
		{ SQLITE_TOOBIG, -E2BIG },
		{ SQLITE_INTERRUPT, -EINTR },
		{ SQLITE_ERROR, -EINVAL },
		{ SQLITE_CONSTRAINT, -EINVAL },
		{ SQLITE_MISMATCH, -EINVAL },
		{ SQLITE_RANGE, -EINVAL },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(map); i++)
		if (map[i].rc == (rc & 0xff))
			return map[i].r;
	return -EIO;
}

int td_db_error(sqlite3 *db, int rc, struct td_err *err, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return td_err_set(err, td_sql_errno(rc), "%s: %s", text,
			  db ? sqlite3_errmsg(db) : sqlite3_errstr(rc));
}

int td_db_rows(sqlite3 *db, int rc, sqlite3_stmt *stmt, int (*fn)(void *arg, sqlite3_stmt *row),
	       void *arg, const char *what, struct td_err *err)
{
	int r = 0;

	while (rc == SQLITE_OK && r == 0 && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		r = fn(arg, stmt);
		rc = SQLITE_OK;
	}
	return r != 0 || rc == SQLITE_DONE ? r : td_db_error(db, rc, err, "%s", what);
}

/* What to say to a file that is no database: packed ones are met where somebody packed or exported one. */
static int not_a_database(const char *path, const unsigned char *h, size_t len, struct td_err *err)
{
	static const struct {
		const char *magic;
		const char *unpack;
	} packed[] = {
		{ "\x1f\x8b", "gunzip -k" },
		{ "\xfd"
		  "7zXZ",
		  "xz -dk" },
		{ "\x28\xb5\x2f\xfd", "zstd -d" },
	};

	if (td_str_ends((struct td_str){ path, strlen(path) }, ".partial"))
		return td_err_set(err, -EMEDIUMTYPE,
				  "'%s' is no database but a partial, by its name: 'tracedb report "
				  "--from-partial %s' reads it",
				  path, path);
	for (size_t i = 0; i < TD_ARRAY_SIZE(packed); i++)
		if (len >= strlen(packed[i].magic) &&
		    memcmp(h, packed[i].magic, strlen(packed[i].magic)) == 0)
			return td_err_set(err, -EMEDIUMTYPE,
					  "'%s' is packed: unpack a database with '%s %s'; if it "
					  "is a log, import it: tracedb import %s",
					  path, packed[i].unpack, path, path);
	return td_err_set(err, -EMEDIUMTYPE,
			  "'%s' is not a database; if it is a log, import it first: "
			  "tracedb import %s",
			  path, path);
}

static int check_header(const char *path, const unsigned char *h, size_t len, int64_t size,
			struct td_err *err)
{
	uint64_t page_size, want;

	if (len == 0)
		return td_err_set(err, -EMEDIUMTYPE,
				  "'%s' is empty, not a database; import the logs again", path);
	if (len < HEADER_SIZE || memcmp(h, HEADER_MAGIC, sizeof(HEADER_MAGIC)) != 0)
		return not_a_database(path, h, len, err);
	page_size = (uint64_t)h[HEADER_PAGE_SIZE] << 8 | h[HEADER_PAGE_SIZE + 1];
	if (page_size == 1)
		page_size = 65536;
	want = page_size * td_be32(h + HEADER_PAGES);
	if (td_be32(h + HEADER_CHANGES) == td_be32(h + HEADER_VALID_FOR) && (uint64_t)size < want)
		return td_err_set(err, -EUCLEAN,
				  "'%s' is cut: %lld of its %llu bytes are there; copy it again or "
				  "import again",
				  path, (long long)size, (unsigned long long)want);
	return 0;
}

int td_db_check_kind(const char *path, struct td_err *err)
{
	struct stat st;

	if (stat(path, &st) < 0 && errno == ENOENT)
		return td_err_set(
			err, -ENOENT,
			"there is no database '%s'; make it with 'tracedb import LOGS -o %s'", path,
			path);
	if (faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) < 0)
		return td_err_errno(err, -errno, "cannot open database '%s'", path);
	if (S_ISDIR(st.st_mode))
		return td_err_set(
			err, -EISDIR,
			"'%s' is a folder, not a database; import it first: tracedb import %s",
			path, path);
	if (!S_ISREG(st.st_mode))
		return td_err_set(err, -EMEDIUMTYPE,
				  "'%s' is not a regular file, so it cannot be a database", path);
	return 0;
}

/* The first *len bytes, or as many as there are. A result of SQLite. */
static int read_header(sqlite3_file *f, unsigned char *h, size_t *len, sqlite3_int64 *ret_size)
{
	int rc = f->pMethods->xFileSize(f, ret_size);

	if (rc != SQLITE_OK)
		return rc;
	*len = TD_MIN(*len, (size_t)*ret_size);
	return *len ? f->pMethods->xRead(f, h, (int)*len, 0) : SQLITE_OK;
}

const char *td_db_full_name(sqlite3_vfs *vfs, const char *path)
{
	int size = vfs->mxPathname + 1;
	_cleanup_free_ char *full = malloc((size_t)size);
	int rc = full ? vfs->xFullPathname(vfs, path, size, full) : SQLITE_NOMEM;

	/* SQLITE_OK_SYMLINK is fine, too */
	return (rc & 0xff) == SQLITE_OK ? sqlite3_create_filename(full, "", "", 0, NULL) : NULL;
}

/* Its first bytes are read through SQLite: another connection of the process may have it open, as where it is named
 * twice, and closing any descriptor of a file drops all locks of the process on it (fcntl(2)). SQLite closes none while
 * it holds locks. */
static int check_regular(const char *path, struct td_err *err)
{
	sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
	_cleanup_free_ sqlite3_file *f = vfs ? calloc(1, (size_t)vfs->szOsFile) : NULL;
	const char *name = f ? td_db_full_name(vfs, path) : NULL;
	unsigned char header[HEADER_SIZE] = { 0 };
	size_t len = sizeof(header);
	sqlite3_int64 size = 0;
	int rc, r;

	if (!name)
		return -ENOMEM;
	rc = vfs->xOpen(vfs, name, f, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, NULL);
	if (rc == SQLITE_OK)
		rc = read_header(f, header, &len, &size);
	r = rc == SQLITE_OK ? check_header(path, header, len, size, err)
			    : td_db_error(NULL, rc, err, "cannot read database '%s'", path);
	if (f->pMethods) /* even where it could not be opened */
		(void)f->pMethods->xClose(f);
	sqlite3_free_filename((char *)name);
	return r < 0 ? r : header[HEADER_READ_VERSION] == 2;
}

/* What can be said about the file before it is opened as a database. 1: it keeps a write-ahead log. */
static int check_file(const char *path, struct td_err *err)
{
	int r = td_db_check_kind(path, err);

	return r < 0 ? r : check_regular(path, err);
}

bool td_db_has_log(const char *path)
{
	_cleanup_free_ char *wal = NULL, *shm = NULL;

	if (asprintf(&wal, "%s-wal", path) < 0)
		wal = NULL;
	if (asprintf(&shm, "%s-shm", path) < 0)
		shm = NULL;
	return !wal || !shm || access(wal, F_OK) == 0 || access(shm, F_OK) == 0;
}

/* SQLite makes log and index even for a reader, and only a writer removes them. Where neither is
 * there, nobody has the database open and all of it is in the file: then it is read as it lies.
 * Else they are needed. A connection of a series is used by one thread at a time, so it takes no
 * locks against others. */
static int open_ro(const char *path, bool keeps_log, const char *vfs, sqlite3 **ret)
{
	return keeps_log && !td_db_has_log(path)
		       ? td_sqlite_open_immutable(path, ret)
		       : td_sqlite_open(path,
					SQLITE_OPEN_READONLY | (vfs ? SQLITE_OPEN_NOMUTEX : 0), vfs,
					ret);
}

int td_db_check_file(const char *path, struct td_err *err)
{
	int r = check_file(path, err);

	return r < 0 ? r : r > 0 || td_db_has_log(path);
}

enum td_db_kind td_db_kind_of_fd(int fd)
{
	unsigned char h[HEADER_SIZE];

	if (pread(fd, h, sizeof(h), 0) != sizeof(h) ||
	    memcmp(h, HEADER_MAGIC, sizeof(HEADER_MAGIC)) != 0)
		return TD_DB_NONE;
	return td_be32(h + HEADER_APPLICATION_ID) == TD_APPLICATION_ID ? TD_DB_OURS : TD_DB_FOREIGN;
}

enum td_db_kind td_db_kind_of(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	return fd < 0 ? TD_DB_NONE : td_db_kind_of_fd(fd);
}

int td_db_spare(const char *path, struct td_err *err)
{
	if (td_db_kind_of(path) == TD_DB_NONE)
		return 0;
	return td_err_set(err, -EEXIST,
			  "'%s' is a database, which is not replaced by a result: "
			  "name another file with -o",
			  path);
}

/* The first value of the first row; INT64_MIN if there is no row. */
static int query_int(sqlite3 *db, const char *sql, int64_t *ret)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	*ret = rc == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : INT64_MIN;
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int read_error(sqlite3 *db, int rc, const char *path, struct td_err *err)
{
	if ((rc & 0xff) == SQLITE_BUSY)
		return td_err_set(err, -EBUSY,
				  "'%s' is locked: a program writes to it; try again when that has "
				  "ended, or ask a copy",
				  path);
	return td_db_error(db, rc, err, "cannot read database '%s'", path);
}

static int check_version(const char *path, int64_t version, struct td_err *err)
{
	if (version > TD_SCHEMA_VERSION)
		return td_err_set(
			err, -EPROTONOSUPPORT,
			"'%s' was written by a newer tracedb (schema %lld, this one reads %d): "
			"upgrade tracedb",
			path, (long long)version, TD_SCHEMA_VERSION);
	if (version < TD_SCHEMA_VERSION)
		return td_err_set(
			err, -EPROTONOSUPPORT,
			"'%s' was written by an older tracedb (schema %lld, this one reads %d): "
			"import the logs again",
			path, (long long)version, TD_SCHEMA_VERSION);
	return 0;
}

const char td_db_run_sql[] = "SELECT id FROM run";

int td_db_check_run(sqlite3_stmt *run, const char *path, struct td_err *err)
{
	int rc = sqlite3_step(run);

	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return read_error(sqlite3_db_handle(run), rc, path, err);
	if (rc == SQLITE_ROW && sqlite3_column_int64(run, 0) == 1)
		return 0;
	return td_err_set(err, -ENODATA,
			  "'%s' is incomplete, its import did not finish; import the logs again",
			  path);
}

/* Is it ours, of this version, and finished? */
static int check_contents(sqlite3 *db, const char *path, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *run = NULL;
	int64_t id = 0, version = 0;
	int rc = query_int(db, "PRAGMA application_id", &id), r;

	if (rc == SQLITE_OK)
		rc = query_int(db, "PRAGMA user_version", &version);
	if (rc != SQLITE_OK)
		return read_error(db, rc, path, err);
	if (id != TD_APPLICATION_ID)
		return td_err_set(err, -EMEDIUMTYPE,
				  "'%s' is an SQLite database, but not one of tracedb; "
				  "make one with 'tracedb import LOGS'",
				  path);
	r = check_version(path, version, err);
	if (r < 0)
		return r;
	r = td_db_check_schema(db, path, err);
	if (r < 0)
		return r;
	rc = sqlite3_prepare_v2(db, td_db_run_sql, -1, &run, NULL);
	return rc == SQLITE_OK ? td_db_check_run(run, path, err) : read_error(db, rc, path, err);
}

int td_db_open_ro(const char *path, sqlite3 **ret, struct td_err *err)
{
	return td_db_open_by(path, NULL, ret, err);
}

int td_db_open_by(const char *path, const char *vfs, sqlite3 **ret, struct td_err *err)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	int rc, r = check_file(path, err);

	if (r < 0)
		return r;
	rc = open_ro(path, r > 0, vfs, &db);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, "PRAGMA query_only = ON", NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = td_sums_use(db);
	if (rc != SQLITE_OK)
		return td_db_error(db, rc, err, "cannot open database '%s'", path);
	r = check_contents(db, path, err);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(db);
	return 0;
}

int td_db_attach_ro(sqlite3 *db, const char *path, const char *name, struct td_err *err)
{
	int r = check_file(path, err), rc;

	if (r < 0)
		return r;
	rc = td_sqlite_attach_ro(db, path, r > 0 && !td_db_has_log(path), name);
	return rc == SQLITE_OK ? 0 : read_error(db, rc, path, err);
}
