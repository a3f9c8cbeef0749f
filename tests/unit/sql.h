/* SPDX-License-Identifier: MIT */
/* SQL in tests: a statement that fails is a failed check, which prints the statement. */
#pragma once

#include <fcntl.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/strbuf.h"
#include "schema/table.h"
#include "tests/unit/check.h"

static inline sqlite3 *db_open(const char *path)
{
	sqlite3 *db = NULL;

	TD_CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
	return db;
}

/* A database that any test writes is checked: here, if not before. */
static inline void check_sound(sqlite3 *db)
{
	sqlite3_stmt *stmt = NULL;

	TD_CHECK_INT(sqlite3_prepare_v2(db, "PRAGMA integrity_check(3)", -1, &stmt, NULL),
		     SQLITE_OK);
	TD_CHECK_INT(sqlite3_step(stmt), SQLITE_ROW);
	TD_CHECK_STR((const char *)sqlite3_column_text(stmt, 0), "ok");
	TD_CHECK_INT(sqlite3_finalize(stmt), SQLITE_OK);
}

static inline void db_close(sqlite3 *db)
{
	check_sound(db);
	TD_CHECK_INT(sqlite3_close(db), SQLITE_OK);
}

__attribute__((format(printf, 2, 3))) static inline void sql(sqlite3 *db, const char *fmt, ...)
{
	char text[4096], *msg = NULL;
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (sqlite3_exec(db, text, NULL, NULL, &msg) != SQLITE_OK)
		fprintf(stderr, "%s: %s\n", text, msg);
	TD_CHECK(!msg);
	sqlite3_free(msg);
}

/* The bytes that readers lock: https://www.sqlite.org/src/file?name=src/os.h. */
#define SHARED_FIRST (0x40000000 + 2)
#define SHARED_SIZE 510

/* Has this process a lock as a reader? Another one asks, without SQLite, which would go by what it
 * knew before the fork. */
static inline bool is_locked(const char *path)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		struct flock lock = { .l_type = F_WRLCK,
				      .l_whence = SEEK_SET,
				      .l_start = SHARED_FIRST,
				      .l_len = SHARED_SIZE };
		int fd = open(path, O_RDWR | O_CLOEXEC);

		_exit(fcntl(fd, F_GETLK, &lock) < 0 ? 2 : lock.l_type == F_RDLCK);
	}
	(void)waitpid(pid, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

/* The first value of the first row as text, "(none)" without a row; valid until the fourth call
 * from now, so that answers can be compared. */
__attribute__((format(printf, 2, 3))) static inline const char *sql_text(sqlite3 *db,
									 const char *fmt, ...)
{
	static char values[4][1024];
	static size_t next;
	char text[1024], *value = values[next++ % TD_ARRAY_SIZE(values)];
	sqlite3_stmt *stmt = NULL;
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)snprintf(value, sizeof(values[0]), "(none)");
	if (sqlite3_prepare_v2(db, text, -1, &stmt, NULL) == SQLITE_OK &&
	    sqlite3_step(stmt) == SQLITE_ROW)
		(void)snprintf(value, sizeof(values[0]), "%s",
			       (const char *)sqlite3_column_text(stmt, 0));
	if (sqlite3_finalize(stmt) != SQLITE_OK)
		(void)snprintf(value, sizeof(values[0]), "%s", sqlite3_errmsg(db));
	return value;
}

static inline void check_integrity(sqlite3 *db)
{
	check_sound(db);
	TD_CHECK_STR(sql_text(db, "PRAGMA foreign_key_check"), "(none)");
}

static inline uint32_t rootpage(sqlite3 *db, const char *name)
{
	return (uint32_t)strtoul(
		sql_text(db, "SELECT rootpage FROM sqlite_schema WHERE name='%s'", name), NULL, 10);
}

static inline void check_count(sqlite3 *db, const char *name, size_t want)
{
	TD_CHECK_INT(strtoull(sql_text(db, "SELECT count(*) FROM %s", name), NULL, 10), want);
}

/* As the row writers expect it: the key, then the columns. */
static inline void create_table(sqlite3 *db, const struct td_table *table)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;

	td_strbuf_addf(&text, "CREATE TABLE %s(id INTEGER PRIMARY KEY", table->name);
	for (size_t c = 0; c < table->ncolumns; c++)
		td_strbuf_addf(&text, ", %s %s", table->columns[c].name,
			       table->columns[c].type == TD_F64 ? "REAL" : "INTEGER");
	td_strbuf_adds(&text, ") STRICT");
	sql(db, "%s", td_strbuf_str(&text));
}
