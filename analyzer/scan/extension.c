/* SPDX-License-Identifier: MIT */
/*
 * tracedb.so, for the sqlite3 shell (".load tracedb") and every other program that loads
 * extensions: call_stat, io_stat and the others answer there what they answer in tracedb.
 */
#include "analyzer/scan/extension_api.h"
#include "analyzer/scan/loaded_table.h"
#include "analyzer/scan/stat_table.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "schema/check_schema.h"
#include "schema/db.h"

SQLITE_EXTENSION_INIT1

#define SQLITE_AT_LEAST 3040000

static int refuse(char **msg, const char *why)
{
	*msg = sqlite3_mprintf("tracedb: %s", why);
	return SQLITE_ERROR;
}

/* The name is what SQLite looks for in a file called tracedb.so. */
__attribute__((visibility("default"))) int sqlite3_tracedb_init(sqlite3 *db, char **msg,
								const sqlite3_api_routines *api);

int sqlite3_tracedb_init(sqlite3 *db, char **msg, const sqlite3_api_routines *api)
{
	const char *path;
	struct td_err err = { 0 };
	int rc;

	SQLITE_EXTENSION_INIT2(api);
	if (sqlite3_libversion_number() < SQLITE_AT_LEAST)
		return refuse(msg, "SQLite 3.40 or newer is needed");
	path = sqlite3_db_filename(db, "main");
	if (td_db_check_schema(db, path && *path ? path : ":memory:", &err) < 0)
		return refuse(msg, err.msg);
	rc = td_stat_table_use(db, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = td_loaded_tables_use(db, NULL);
	return rc == SQLITE_OK ? SQLITE_OK : refuse(msg, sqlite3_errmsg(db));
}
