/* SPDX-License-Identifier: MIT */
/* The descriptions of the tables agree with schema/tables.sql. */
#include "schema/sql.h"
#include "store/dim_tables.h"
#include "tests/unit/sql.h"

/* The tables of schema/tables.sql alone. */
static sqlite3 *new_db(void)
{
	sqlite3 *db = db_open(":memory:");

	for (const struct td_sql *s = td_schema_sql; s->name; s++)
		if (strcmp(s->name, "tables") == 0)
			TD_CHECK_INT(sqlite3_exec(db, s->text, NULL, NULL, NULL), SQLITE_OK);
	return db;
}

static const char *sql_type(enum td_dim_type type)
{
	return td_dim_is_text(type) ? "TEXT" : type == TD_DIM_F64 ? "REAL" : "INTEGER";
}

/* 'name TYPE notnull' of each column, in the order of the table. */
static void describe(const struct td_dim_table *t, struct td_strbuf *ret)
{
	for (size_t i = 0; i < t->ncolumns; i++) {
		const struct td_dim_column *c = &t->columns[i];

		td_strbuf_addf(ret, "%s%s %s %d", i ? "," : "", c->name, sql_type(c->type),
			       c->not_null);
	}
}

static bool is_key(const struct td_dim_column *c)
{
	return c->type == TD_DIM_KEY32 || c->type == TD_DIM_KEY16;
}

static void test_columns(sqlite3 *db, const struct td_dim_table *t)
{
	_cleanup_(td_strbuf_done) struct td_strbuf want = TD_STRBUF_INIT;

	TD_CASE(t->name);
	describe(t, &want);
	TD_CHECK_STR(sql_text(db,
			      "SELECT group_concat(name || ' ' || type || ' ' || \"notnull\") FROM"
			      " (SELECT * FROM pragma_table_info('%s') ORDER BY cid)",
			      t->name),
		     td_strbuf_str(&want));
	for (size_t i = 0; i < t->ncolumns; i++) {
		const struct td_dim_column *c = &t->columns[i];

		TD_CHECK_STR(sql_text(db,
				      "SELECT \"table\" FROM pragma_foreign_key_list('%s')"
				      " WHERE \"from\" = '%s'",
				      t->name, c->name),
			     is_key(c) ? td_dim_tables[c->dim].name : "(none)");
	}
}

/* Each name that a column can have is in the SQL: in the column's check or its comment. */
static void test_names(sqlite3 *db, const struct td_dim_table *t)
{
	for (size_t i = 0; i < t->ncolumns; i++) {
		const struct td_dim_column *c = &t->columns[i];

		TD_CASE(c->name);
		TD_CHECK((c->type == TD_DIM_ENUM) == (c->nnames > 0));
		for (size_t n = 0; n < c->nnames; n++)
			if (c->names[n])
				TD_CHECK_STR(sql_text(db,
						      "SELECT instr(sql, '''%s''') > 0 FROM"
						      " sqlite_schema WHERE name = '%s'",
						      c->names[n], t->name),
					     "1");
	}
}

/* There is no table that neither the store nor the rows have. */
static void test_all_described(sqlite3 *db)
{
	TD_CASE("all tables");
	TD_CHECK_STR(sql_text(db, "SELECT count(*) FROM sqlite_schema WHERE type = 'table'"), "26");
	TD_CHECK_INT(TD_NDIMS + TD_NKINDS, 26);
}

int main(void)
{
	sqlite3 *db = new_db();

	for (size_t i = 0; i < TD_NDIMS; i++) {
		test_columns(db, &td_dim_tables[i]);
		test_names(db, &td_dim_tables[i]);
	}
	test_all_described(db);
	db_close(db);
	return td_check_result();
}
