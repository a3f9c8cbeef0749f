/* SPDX-License-Identifier: MIT */
#include "analyzer/partial/blank.h"
#include "analyzer/scan/loaded_table.h"
#include "schema/db.h"

#define PAGE_SIZE 4096

/* In place of SQLite's. */
static void glob(sqlite3_context *ctx, int n, sqlite3_value **v)
{
	const struct td_partial_blank *b = sqlite3_user_data(ctx);
	const char *pattern = (const char *)sqlite3_value_text(v[0]);
	const char *text = (const char *)sqlite3_value_text(v[1]);

	(void)n;
	if (pattern && text)
		sqlite3_result_int(ctx, (b->pattern && strcmp(b->pattern, pattern) == 0) ||
						sqlite3_strglob(pattern, text) == 0);
}

static int prepare(struct td_partial_blank *b, struct td_err *err)
{
	int rc =
		sqlite3_exec(b->db,
			     "DROP VIEW phases; DROP VIEW clock_doubt;"
			     "CREATE TABLE phases (id, name, number, label, rank, run_number, "
			     "start_ns, dur_ns, end_ns, state, args, source);"
			     "CREATE TABLE clock_doubt (kind, against, error_ns);"
			     "DROP TABLE file_kind; DROP TABLE classed_file;"
			     "CREATE VIEW file_kind AS SELECT template_id, class, count(*) AS files"
			     " FROM file GROUP BY template_id, class;"
			     "CREATE VIEW classed_file AS SELECT id, class FROM file"
			     " WHERE class NOT IN ('regular', 'directory', 'unknown');",
			     NULL, NULL, NULL);

	if (rc == SQLITE_OK)
		rc = td_stat_table_use(b->db, &b->provider, NULL);
	if (rc == SQLITE_OK) /* it asks the provider, too */
		rc = td_loaded_tables_use(b->db, "file_use");
	if (rc == SQLITE_OK)
		rc = sqlite3_create_function(b->db, "glob", 2, SQLITE_UTF8 | SQLITE_INNOCUOUS, b,
					     glob, NULL, NULL);
	return rc == SQLITE_OK ? 0
			       : td_db_error(b->db, rc, err, "cannot make a database in memory");
}

int td_partial_blank_new(struct td_partial_blank **ret, struct td_err *err)
{
	_cleanup_(td_partial_blank_freep) struct td_partial_blank *b = calloc(1, sizeof(*b));
	int r = b ? td_db_create(":memory:", PAGE_SIZE, &b->db, err) : -ENOMEM;

	if (r == 0)
		r = prepare(b, err);
	if (r == 0)
		*ret = TAKE_PTR(b);
	return r;
}

void td_partial_blank_free(struct td_partial_blank *b)
{
	if (!b)
		return;
	td_db_close(b->db);
	free(b);
}
