/* SPDX-License-Identifier: MIT */
#include "analyzer/open.h"
#include "analyzer/sandbox.h"
#include "analyzer/scan/loaded_table.h"
#include "analyzer/scan/stat_table.h"
#include "common/cleanup.h"
#include "schema/db.h"

static int set_query_only(sqlite3 *db, bool on)
{
	return sqlite3_exec(db, on ? "PRAGMA query_only = ON" : "PRAGMA query_only = OFF", NULL,
			    NULL, NULL);
}

/* What reports say of each of a million files is looked up in this many KiB, not read again and
 * again. Pages take memory when they are read. */
#define CACHE "PRAGMA main.cache_size = -65536"

static int open_asking(const char *path, const char *asking, sqlite3 **ret, struct td_err *err)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	int r = td_db_open_ro(path, &db, err), rc;

	if (r < 0)
		return r;
	rc = set_query_only(db, false); /* it holds for the schema of temporary tables, too */
	if (rc == SQLITE_OK)
		rc = td_stat_table_use(db, NULL, asking);
	if (rc == SQLITE_OK)
		rc = td_loaded_tables_use(db, asking);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, CACHE, NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = set_query_only(db, true);
	if (rc != SQLITE_OK)
		return td_db_error(db, rc, err, "cannot prepare '%s' for questions", path);
	*ret = TAKE_PTR(db);
	return 0;
}

int td_analyzer_open(const char *path, sqlite3 **ret, struct td_err *err)
{
	return open_asking(path, NULL, ret, err);
}

int td_analyzer_open_boxed(const char *path, const struct td_deadline *deadline, sqlite3 **ret,
			   struct td_err *err)
{
	return td_analyzer_open_asking(path, NULL, deadline, ret, err);
}

int td_analyzer_open_asking(const char *path, const char *asking,
			    const struct td_deadline *deadline, sqlite3 **ret, struct td_err *err)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	int r = open_asking(path, asking, &db, err);

	if (r == 0)
		r = td_query_sandbox(db, err);
	if (r < 0)
		return r;
	if (deadline)
		td_query_deadline(db, deadline);
	*ret = TAKE_PTR(db);
	return 0;
}
