/* SPDX-License-Identifier: MIT */
/*
 * An input becomes a database in two ways: both are the same to the byte, they are sound, and in them the lines of
 * every source are rows, skipped or issues.
 */
#pragma once

#include <errno.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "importers/job/job.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "tests/unit/check.h"
#include "tests/unit/read_whole.h"

static char td_both_dir[64];

/* Both have the same name, which the database holds, and so lie in two folders. */
static inline void td_both_path(char *buf, size_t size, int which)
{
	(void)snprintf(buf, size, "%s/%d/it.db", td_both_dir, which);
}

static inline int td_both_import(const char *path, const char *db,
				 const struct td_import_options *options)
{
	struct td_import_job job = {
		.paths = &path,
		.npaths = 1,
		.output = db,
		.if_exists = TD_EXISTS_REPLACE,
		.quiet = true,
		.options = *options,
	};
	struct td_err err = { "" };
	int r = td_import_run(&job, &err);

	if (r < 0 && r != -ENODATA)
		fprintf(stderr, "%s: %s\n", td_check_case, err.msg);
	return r;
}

/* --- one database --- */

/* The first column of the first row as text, "" for none. */
static inline void td_both_query(sqlite3 *db, const char *sql, char *buf, size_t size)
{
	sqlite3_stmt *stmt = NULL;

	buf[0] = '\0';
	TD_CHECK_INT(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	if (sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_text(stmt, 0))
		(void)snprintf(buf, size, "%s", (const char *)sqlite3_column_text(stmt, 0));
	sqlite3_finalize(stmt);
}

static inline void td_both_sound(const char *path)
{
	static const struct {
		const char *sql, *want;
	} checks[] = {
		{ "PRAGMA integrity_check", "ok" },
		{ "PRAGMA foreign_key_check", "" },
		{ "SELECT path FROM source WHERE lines <> rows + skipped + issues", "" },
		/* every issue and every repair is counted under some kind, too */
		{ "SELECT path FROM source s WHERE issues <> (SELECT coalesce(sum(count), 0) FROM "
		  "issue_count WHERE source_id = s.id AND effect = 'dropped')",
		  "" },
		{ "SELECT path FROM source s WHERE repaired > (SELECT coalesce(sum(count), 0) FROM "
		  "issue_count WHERE source_id = s.id AND effect = 'repaired')",
		  "" },
	};
	sqlite3 *db = NULL;
	char got[4096];

	TD_CHECK_INT(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	for (size_t i = 0; i < TD_ARRAY_SIZE(checks); i++) {
		td_both_query(db, checks[i].sql, got, sizeof(got));
		TD_CHECK_STR(got, checks[i].want);
	}
	sqlite3_close(db);
}

static inline void td_both_same(const char *a, const char *b)
{
	size_t na = 0, nb = 0, at = 0;
	_cleanup_free_ char *pa = td_read_whole(a, &na), *pb = td_read_whole(b, &nb);

	TD_CHECK(pa && pb && na > 0);
	if (pa && pb && na == nb && memcmp(pa, pb, na) == 0)
		return;
	while (pa && pb && at < na && at < nb && pa[at] == pb[at])
		at++;
	TD_CHECK_INT(na, nb);
	TD_CHECK_INT(at, na); /* else: the first byte that differs */
}

static inline void td_both_begin(void)
{
	(void)snprintf(td_both_dir, sizeof(td_both_dir), "/tmp/tracedb-test-both-XXXXXX");
	TD_CHECK(mkdtemp(td_both_dir) != NULL);
	for (int i = 0; i < 2; i++) {
		char path[128];

		(void)snprintf(path, sizeof(path), "%s/%d", td_both_dir, i);
		TD_CHECK_INT(mkdir(path, 0700), 0);
	}
}

static inline void td_both_end(void)
{
	for (int i = 0; i < 2; i++) {
		char path[128];

		(void)snprintf(path, sizeof(path), "%s/%d/.it.db.tracedb.lock", td_both_dir, i);
		(void)unlink(path);
		(void)snprintf(path, sizeof(path), "%s/%d", td_both_dir, i);
		TD_CHECK_INT(rmdir(path), 0); /* nothing else is left behind */
	}
	TD_CHECK_INT(rmdir(td_both_dir), 0);
}

/* --- */

/* Imports it in the first way, which any number of others are compared with until it is forgotten; r of the import. */
static inline int td_both_first(const char *path, const struct td_import_options *options)
{
	char db[128];
	int r;

	td_both_path(db, sizeof(db), 0);
	r = td_both_import(path, db, options);
	if (r == 0)
		td_both_sound(db);
	return r;
}

/* Imports it in another way and compares; r: of the first. */
static inline void td_both_other(const char *path, const struct td_import_options *options, int r)
{
	char first[128], other[128];
	int got;

	td_both_path(first, sizeof(first), 0);
	td_both_path(other, sizeof(other), 1);
	got = td_both_import(path, other, options);
	TD_CHECK_INT(got, r);
	if (got == 0 && r == 0)
		td_both_same(first, other);
	(void)unlink(other);
}

static inline void td_both_forget(void)
{
	char first[128];

	td_both_path(first, sizeof(first), 0);
	(void)unlink(first);
}
