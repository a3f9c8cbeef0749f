/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <xxhash.h>

#include "analyzer/export/run_id.h"
#include "common/strbuf.h"
#include "schema/db.h"

#define NAME_BYTES (TD_RUN_ID_BUF - 10) /* '-', eight digits, NUL */

/* Names of files and hashes of their texts; the times, for sources without. */
static const char of_run_sql[] =
	"SELECT (SELECT name FROM run), coalesce((SELECT start_ns || ' ' || end_ns FROM run), '') "
	"|| ' ' || "
	"coalesce((SELECT group_concat(h, ' ') FROM (SELECT coalesce(hash, size_bytes, '') AS h "
	"FROM source ORDER BY path)), '')";

static bool is_plain(char c)
{
	return isalnum((unsigned char)c) || c == '.' || c == '_' || c == '-';
}

bool td_run_id_is_valid(const char *id)
{
	size_t len = strlen(id);

	for (size_t i = 0; i < len; i++)
		if (!is_plain(id[i]))
			return false;
	return len > 0 && len < TD_RUN_ID_BUF && id[0] != '.';
}

int td_run_id(sqlite3 *db, char ret[TD_RUN_ID_BUF], struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(db, of_run_sql, -1, &s, NULL);
	const char *name, *what;
	char plain[NAME_BYTES + 1] = "";

	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	if (rc != SQLITE_ROW)
		return td_db_error(db, rc, err, "cannot read the run");
	name = (const char *)sqlite3_column_text(s, 0);
	what = (const char *)sqlite3_column_text(s, 1);
	for (size_t i = 0; i < NAME_BYTES && name && name[i]; i++)
		plain[i] = (char)(is_plain(name[i]) && (i || name[i] != '.') ? name[i] : '_');
	(void)snprintf(ret, TD_RUN_ID_BUF, "%s-%08x", *plain ? plain : "run",
		       (unsigned)XXH3_64bits(what ? what : "", what ? strlen(what) : 0));
	return 0;
}
