/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "schema/db.h"
#include "store/write/target.h"

struct td_target {
	sqlite3 *db; /* knows no views; not locked while the b-tree writer has the file */
	struct td_btree *btree; /* NULL: SQLite has the file */
	struct td_target_table *tables;
	size_t ntables, tables_cap;
};

struct td_btree *td_target_btree(const struct td_target *t)
{
	return t->btree;
}

sqlite3 *td_target_db(const struct td_target *t)
{
	return t->btree ? NULL : t->db;
}

const struct td_target_table *td_target_find(const struct td_target *t, const char *name)
{
	for (size_t i = 0; i < t->ntables; i++)
		if (strcmp(t->tables[i].name, name) == 0)
			return &t->tables[i];
	return NULL;
}

void td_target_abort(struct td_target *t)
{
	if (!t)
		return;
	td_btree_abort(t->btree);
	td_db_close(t->db);
	for (size_t i = 0; i < t->ntables; i++)
		free(t->tables[i].name);
	free(t->tables);
	free(t);
}

static int exec(sqlite3 *db, const char *sql, struct td_err *err)
{
	int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : td_db_error(db, rc, err, "cannot write the database");
}

static int keep_table(struct td_target *t, sqlite3_stmt *row)
{
	int r = td_grow(&t->tables, &t->tables_cap, t->ntables);
	char *name;

	if (r < 0)
		return r;
	name = strdup((const char *)sqlite3_column_text(row, 0));
	if (!name)
		return -ENOMEM;
	t->tables[t->ntables++] = (struct td_target_table){
		.name = name,
		.rootpage = (uint32_t)sqlite3_column_int64(row, 1),
		.ncolumns = (size_t)sqlite3_column_int64(row, 2),
		.key = sqlite3_column_type(row, 3) == SQLITE_NULL
			       ? SIZE_MAX
			       : (size_t)sqlite3_column_int64(row, 3),
	};
	return 0;
}

static int find_tables(struct td_target *t, struct td_err *err)
{
	static const char sql[] =
		"SELECT s.name, s.rootpage, count(*), max(iif(i.pk AND i.type = 'INTEGER', i.cid, "
		"NULL))"
		" FROM sqlite_schema AS s JOIN pragma_table_info(s.name) AS i"
		" WHERE s.type = 'table' AND s.sql NOT LIKE '%WITHOUT ROWID' GROUP BY s.rowid";
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(t->db, sql, -1, &stmt, NULL);

	if (rc == SQLITE_OK) {
		while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
			int r = keep_table(t, stmt);

			if (r < 0)
				return r;
		}
	}
	return rc == SQLITE_DONE ? 0 : td_db_error(t->db, rc, err, "cannot read the schema");
}

int td_target_create(const char *path, int page_size, enum td_row_writer writer,
		     struct td_target **ret, struct td_err *err)
{
	_cleanup_(td_target_abortp) struct td_target *t = calloc(1, sizeof(*t));
	int r;

	if (!t)
		return -ENOMEM;
	r = td_db_create_tables(path, page_size, &t->db, err);
	if (r >= 0 && writer == TD_WRITER_BTREE)
		r = find_tables(t, err);
	if (r >= 0)
		r = td_db_add_views(t->db, err);
	if (r >= 0)
		r = writer == TD_WRITER_SQLITE ? exec(t->db, "BEGIN", err)
					       : td_btree_open(path, &t->btree, err);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(t);
	return 0;
}

/* SQLite still knows the tables, and forgets the pages that it has as the counter of changes is
 * another one. As for the tables before, nothing looks whether what we wrote fulfils their CHECKs:
 * for "basis IN ('exact', ...)" SQLite fills a table of these words for each row, which takes ten
 * times what the row does. */
int td_target_to_sqlite(struct td_target *t, struct td_err *err)
{
	int r;

	if (!t->btree)
		return 0;
	r = td_btree_close(TAKE_PTR(t->btree));
	return r < 0 ? r : exec(t->db, "PRAGMA ignore_check_constraints = ON; BEGIN", err);
}

int td_target_finish(struct td_target *t, struct td_err *err)
{
	int r = td_target_to_sqlite(t, err);

	if (r >= 0)
		r = exec(t->db, "COMMIT", err);
	td_target_abort(t);
	return r;
}
