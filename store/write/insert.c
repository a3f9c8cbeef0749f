/* SPDX-License-Identifier: MIT */
#include "common/strbuf.h"
#include "schema/db.h"
#include "store/write/insert.h"

struct td_insert {
	const struct td_table *table; /* borrowed */
	sqlite3_stmt *stmt;
};

static int prepare(struct td_insert *ins, sqlite3 *db, struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf sql = TD_STRBUF_INIT;
	int rc;

	td_strbuf_addf(&sql, "INSERT INTO \"%s\" VALUES(?", ins->table->name);
	for (size_t i = 0; i < ins->table->ncolumns; i++)
		td_strbuf_adds(&sql, ",?");
	td_strbuf_addc(&sql, ')');
	if (td_strbuf_error(&sql) < 0)
		return -ENOMEM;
	rc = sqlite3_prepare_v3(db, td_strbuf_str(&sql), -1, SQLITE_PREPARE_PERSISTENT, &ins->stmt,
				NULL);
	if (rc != SQLITE_OK)
		return td_db_error(db, rc, err, "cannot insert into table '%s'", ins->table->name);
	return 0;
}

int td_insert_open(sqlite3 *db, const struct td_table *table, struct td_insert **ret,
		   struct td_err *err)
{
	_cleanup_(td_insert_closep) struct td_insert *ins = NULL;
	int r;

	ins = calloc(1, sizeof(*ins));
	if (!ins)
		return -ENOMEM;
	ins->table = table;
	r = prepare(ins, db, err);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(ins);
	return 0;
}

static int bind_integer(sqlite3_stmt *stmt, int i, int64_t v, bool is_null)
{
	return is_null ? sqlite3_bind_null(stmt, i) : sqlite3_bind_int64(stmt, i, v);
}

/* Loads the struct member as T and binds it. */
#define BIND(T, null)                                                                              \
	({                                                                                         \
		T _m;                                                                              \
		memcpy(&_m, member, sizeof(_m));                                                   \
		bind_integer(stmt, i, _m, _m == (null));                                           \
	})

static int bind_member(sqlite3_stmt *stmt, int i, enum td_type type, const uint8_t *member)
{
	double d;

	switch (type) {
	case TD_I64:
		return BIND(int64_t, TD_NULL);
	case TD_I32:
		return BIND(int32_t, INT32_MIN);
	case TD_KEY32:
		return BIND(uint32_t, 0);
	case TD_KEY16:
		return BIND(uint16_t, 0);
	case TD_U8:
		return sqlite3_bind_int(stmt, i, *member);
	case TD_F64:
		memcpy(&d, member, sizeof(d));
		return sqlite3_bind_double(stmt, i, d); /* NaN becomes NULL */
	}
	return SQLITE_MISUSE;
}

int td_insert_add(struct td_insert *ins, int64_t rowid, const void *record)
{
	const struct td_table *table = ins->table;
	int rc;

	rc = sqlite3_bind_int64(ins->stmt, 1, rowid);
	for (size_t i = 0; i < table->ncolumns && rc == SQLITE_OK; i++)
		rc = bind_member(ins->stmt, (int)i + 2, table->columns[i].type,
				 (const uint8_t *)record + table->columns[i].offset);
	if (rc == SQLITE_OK) {
		(void)sqlite3_step(ins->stmt);
		rc = sqlite3_reset(ins->stmt);
	}
	if (rc == SQLITE_CONSTRAINT)
		rc = sqlite3_extended_errcode(sqlite3_db_handle(ins->stmt));
	if (rc == SQLITE_CONSTRAINT_PRIMARYKEY || rc == SQLITE_CONSTRAINT_ROWID)
		return -EEXIST;
	return td_sql_errno(rc);
}

void td_insert_close(struct td_insert *ins)
{
	if (!ins)
		return;
	(void)sqlite3_finalize(ins->stmt);
	free(ins);
}
