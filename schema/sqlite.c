/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/strbuf.h"
#include "schema/db.h"
#include "schema/sqlite.h"

/* Larger than any statement of ours needs, small enough that one cannot fill the memory before it begins. */
static const struct {
	int what, max;
} limits[] = {
	{ SQLITE_LIMIT_LENGTH, TD_SQLITE_VALUE_MAX },
	{ SQLITE_LIMIT_SQL_LENGTH, 1 << 20 },
	{ SQLITE_LIMIT_COLUMN, 500 },
	{ SQLITE_LIMIT_EXPR_DEPTH, 500 },
	{ SQLITE_LIMIT_COMPOUND_SELECT, 100 },
	{ SQLITE_LIMIT_VDBE_OP, 1 << 20 },
	{ SQLITE_LIMIT_ATTACHED, 0 },
	{ SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000 },
	{ SQLITE_LIMIT_TRIGGER_DEPTH, 10 },
};

static const struct {
	int what, on;
} switches[] = {
	{ SQLITE_DBCONFIG_DEFENSIVE, 1 },
	{ SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
	{ SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0 },
	{ SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 },
	{ SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
};

static int harden(sqlite3 *db)
{
	const char *modules[] = { "json_each", "json_tree", NULL };
	int rc = sqlite3_drop_modules(db, modules);

	for (size_t i = 0; i < TD_ARRAY_SIZE(switches) && rc == SQLITE_OK; i++)
		rc = sqlite3_db_config(db, switches[i].what, switches[i].on, NULL);
	for (size_t i = 0; i < TD_ARRAY_SIZE(limits); i++)
		(void)sqlite3_limit(db, limits[i].what, limits[i].max);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", NULL,
				  NULL, NULL);
	return rc;
}

int td_sqlite_open(const char *name, int flags, const char *vfs, sqlite3 **ret)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	int rc;

	(void)sqlite3_hard_heap_limit64(TD_SQLITE_HEAP_MAX);
	rc = sqlite3_open_v2(name, &db, flags, vfs);
	if (rc == SQLITE_OK)
		rc = harden(db);
	if (rc == SQLITE_OK)
		*ret = TAKE_PTR(db);
	return rc;
}

static int make_uri(struct td_strbuf *uri, const char *path, bool immutable)
{
	td_strbuf_adds(uri, "file:");
	for (; *path; path++) {
		if (strchr("%?#", *path))
			td_strbuf_addf(uri, "%%%02x", (unsigned char)*path);
		else
			td_strbuf_addc(uri, *path);
	}
	td_strbuf_adds(uri, immutable ? "?mode=ro&immutable=1" : "?mode=ro");
	return td_strbuf_error(uri) < 0 ? SQLITE_NOMEM : SQLITE_OK;
}

int td_sqlite_open_immutable(const char *path, sqlite3 **ret)
{
	_cleanup_(td_strbuf_done) struct td_strbuf uri = TD_STRBUF_INIT;
	int rc = make_uri(&uri, path, true);

	if (rc != SQLITE_OK)
		return rc;
	return td_sqlite_open(td_strbuf_str(&uri), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL,
			      ret);
}

int td_sqlite_attach_ro(sqlite3 *db, const char *path, bool immutable, const char *name)
{
	_cleanup_(td_strbuf_done) struct td_strbuf uri = TD_STRBUF_INIT;
	int rc = make_uri(&uri, path, immutable);
	char *sql = sqlite3_mprintf("ATTACH %Q AS %Q", td_strbuf_str(&uri), name);

	if (rc == SQLITE_OK)
		rc = sql ? sqlite3_exec(db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
	sqlite3_free(sql);
	return rc;
}
