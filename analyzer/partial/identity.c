/* SPDX-License-Identifier: MIT */
#include "analyzer/partial/identity.h"
#include "common/hash_hex.h"
#include "schema/series.h"

static void hash_text(XXH3_state_t *state, sqlite3_value *v)
{
	const void *text = sqlite3_value_text(v);

	(void)XXH3_128bits_update(state, text ? text : "", (size_t)sqlite3_value_bytes(v));
	(void)XXH3_128bits_update(state, text ? "\1" : "", 1);
}

/* The same of rows of many numbers: to make texts of them takes longer than all else. */
static void hash_value(XXH3_state_t *state, sqlite3_value *v)
{
	int type = sqlite3_value_type(v);
	struct {
		int64_t type, number;
	} head = { type, 0 };
	double real = type == SQLITE_FLOAT ? sqlite3_value_double(v) : 0;
	const void *text = type == SQLITE_TEXT ? sqlite3_value_text(v) : NULL;

	if (type == SQLITE_INTEGER)
		head.number = sqlite3_value_int64(v);
	else if (type == SQLITE_FLOAT)
		memcpy(&head.number, &real, sizeof(real));
	else if (text)
		head.number = sqlite3_value_bytes(v);
	(void)XXH3_128bits_update(state, &head, sizeof(head));
	if (text)
		(void)XXH3_128bits_update(state, text, (size_t)head.number);
}

static int hash_rows(sqlite3 *db, const char *path, XXH3_state_t *state, const char *sql,
		     void (*hash)(XXH3_state_t *state, sqlite3_value *v), struct td_err *err)
{
	_cleanup_(td_db_put_backp) sqlite3_stmt *stmt = NULL;
	int rc = td_db_prepare(db, sql, &stmt);

	while (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(stmt); i++)
			hash(state, sqlite3_column_value(stmt, i));
		rc = SQLITE_OK;
	}
	return rc == SQLITE_DONE ? 0 : td_db_error(db, rc, err, "cannot read '%s'", path);
}

static void free_hash(XXH3_state_t **state)
{
	(void)XXH3_freeState(*state);
}

/* What two runs have in common that began and ended at the same time is not their name, which is
 * that of the database. */
static int hash_run(sqlite3 *db, const char *path, const XXH3_state_t *common,
		    struct td_identity *ret, struct td_err *err)
{
	_cleanup_(free_hash) XXH3_state_t *state = XXH3_createState();
	int r;

	if (!state)
		return -ENOMEM;
	XXH3_copyState(state, common);
	r = hash_rows(db, path, state, "SELECT name FROM run", hash_text, err);
	td_hash_hex(XXH3_128bits_digest(state), ret->run);
	return r;
}

int td_identify(sqlite3 *db, const char *path, struct td_identity *ret, struct td_err *err)
{
	_cleanup_(free_hash) XXH3_state_t *state = XXH3_createState();
	int r;

	if (!state)
		return -ENOMEM;
	(void)XXH3_128bits_reset(state);
	r = hash_rows(db, path, state, "SELECT start_ns, end_ns FROM run", hash_text, err);
	if (r == 0)
		r = hash_rows(db, path, state, "SELECT DISTINCT host FROM source ORDER BY host",
			      hash_text, err);
	if (r == 0)
		r = hash_run(db, path, state, ret, err);
	if (r == 0)
		r = hash_rows(db, path, state,
			      "SELECT path, importer, state, size_bytes, hash, lines, rows, "
			      "first_ns, last_ns FROM source ORDER BY id",
			      hash_text, err);
	if (r == 0)
		r = hash_rows(db, path, state, "SELECT * FROM op_stat", hash_value, err);
	td_hash_hex(XXH3_128bits_digest(state), ret->db);
	return r;
}
