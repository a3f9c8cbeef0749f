/* SPDX-License-Identifier: MIT */
/* Is the schema in a database the one that tracedb wrote? */
#include "common/cleanup.h"
#include "schema/check_schema.h"
#include "schema/db.h"
#include "schema/sql.h"

/* One statement of td_schema_sql, as SQLite keeps it: "CREATE TABLE name ...". */
struct created {
	const char *sql, *name;
	size_t name_len;
};

#define CREATED_MAX 128

/* Lines that begin with CREATE, of which the schema has one for each table and view. Those beyond
 * CREATED_MAX are counted, so that no database has all of them. */
static size_t list_created(struct created *ret)
{
	static const char *const kinds[] = { "CREATE TABLE ", "CREATE VIEW " };
	size_t n = 0;

	for (const struct td_sql *s = td_schema_sql; s->name; s++)
		for (const char *line = s->text; *line;
		     line += strcspn(line, "\n"), line += *line == '\n')
			for (size_t k = 0; k < TD_ARRAY_SIZE(kinds); k++) {
				size_t len = strlen(kinds[k]);

				if (strncmp(line, kinds[k], len) != 0)
					continue;
				if (n < CREATED_MAX)
					ret[n] = (struct created){ line, line + len,
								   strcspn(line + len, " (\n") };
				n++;
			}
	return n;
}

static const struct created *find(const struct created *all, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(name) == all[i].name_len &&
		    sqlite3_strnicmp(all[i].name, name, (int)all[i].name_len) == 0)
			return &all[i];
	return NULL;
}

/* Does the statement, with its end, begin with what is kept of it? */
static bool is_kept_as(const struct created *c, const char *sql)
{
	size_t len = strlen(sql);

	return strncmp(c->sql, sql, len) == 0 && c->sql[len + strspn(c->sql + len, " \n\t")] == ';';
}

/* Table-valued functions that reports use: a table of that name would take their place. */
static bool hides_function(const char *name)
{
	return sqlite3_strnicmp(name, "json_", 5) == 0 || sqlite3_strnicmp(name, "pragma_", 7) == 0;
}

static int not_ours(const char *path, const char *name, struct td_err *err)
{
	return td_err_set(err, -EUCLEAN,
			  "'%s': its schema is not the one that tracedb wrote ('%s' differs): it "
			  "is damaged, or "
			  "was changed; import the logs again",
			  path, name);
}

int td_db_check_schema(sqlite3 *db, const char *path, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	struct created all[CREATED_MAX];
	size_t n = list_created(all), found = 0;
	int rc = sqlite3_prepare_v2(db, "SELECT name, coalesce(sql, '') FROM sqlite_schema", -1, &s,
				    NULL);

	while (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(s, 0);
		const char *sql = (const char *)sqlite3_column_text(s, 1);
		const struct created *c =
			name ? find(all, TD_MIN(n, (size_t)CREATED_MAX), name) : NULL;

		if (!name || !sql || hides_function(name) || (c && !is_kept_as(c, sql)))
			return not_ours(path, name ? name : "", err);
		found += c != NULL;
		rc = SQLITE_OK;
	}
	if (rc != SQLITE_DONE)
		return td_db_error(db, rc, err, "cannot read database '%s'", path);
	return found == n ? 0 : not_ours(path, "a table that is missing", err);
}
