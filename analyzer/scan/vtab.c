/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "analyzer/scan/vtab.h"

bool td_vtab_is_named(const char *name, const char *asking)
{
	return !asking || strcasestr(asking, name);
}

int td_vtab_create(sqlite3 *db, const char *module, const char *name, const char *asking)
{
	char *sql;
	int rc;

	if (!td_vtab_is_named(name, asking))
		return SQLITE_OK;
	sql = sqlite3_mprintf("CREATE VIRTUAL TABLE IF NOT EXISTS temp.%s USING %s", name, module);
	rc = sql ? sqlite3_exec(db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
	sqlite3_free(sql);
	return rc;
}

int td_vtab_disconnect(sqlite3_vtab *base)
{
	sqlite3_free(base);
	return SQLITE_OK;
}

int td_vtab_fail(sqlite3_vtab *base, int r, const struct td_err *err)
{
	sqlite3_free(base->zErrMsg);
	base->zErrMsg = sqlite3_mprintf("%s", err->msg[0] ? err->msg : strerror(-r));
	return r == -ENOMEM ? SQLITE_NOMEM : SQLITE_ERROR;
}

int td_vtab_keep(sqlite3_value *v, sqlite3_value **ret)
{
	*ret = sqlite3_value_type(v) == SQLITE_NULL ? NULL : sqlite3_value_dup(v);
	return *ret || sqlite3_value_type(v) == SQLITE_NULL ? SQLITE_OK : SQLITE_NOMEM;
}
