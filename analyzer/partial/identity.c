/* SPDX-License-Identifier: MIT */
#include "analyzer/partial/identity.h"
#include "common/hash_hex.h"
#include "schema/series.h"

static int hash_rows(sqlite3 *db, const char *path, XXH3_state_t *state, const char *sql,
		     struct td_err *err)
{
	_cleanup_(td_db_put_backp) sqlite3_stmt *stmt = NULL;
	int rc = td_db_prepare(db, sql, &stmt);

	while (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(stmt); i++) {
			const void *text = sqlite3_column_text(stmt, i);
			int len = sqlite3_column_bytes(stmt, i);

			(void)XXH3_128bits_update(state, text ? text : "", (size_t)len);
			(void)XXH3_128bits_update(state, text ? "\1" : "", 1);
		}
		rc = SQLITE_OK;
	}
	return rc == SQLITE_DONE ? 0 : td_db_error(db, rc, err, "cannot read '%s'", path);
}

static void free_hash(XXH3_state_t **state)
{
	(void)XXH3_freeState(*state);
}

/* What two runs have in common that began and ended at the same time is not their name, which is that of the database. */
static int hash_run(sqlite3 *db, const char *path, const XXH3_state_t *common,
		    struct td_identity *ret, struct td_err *err)
{
	_cleanup_(free_hash) XXH3_state_t *state = XXH3_createState();
	int r;

	if (!state)
		return -ENOMEM;
	XXH3_copyState(state, common);
	r = hash_rows(db, path, state, "SELECT name FROM run", err);
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
	r = hash_rows(db, path, state, "SELECT start_ns, end_ns FROM run", err);
	if (r == 0)
		r = hash_rows(db, path, state, "SELECT DISTINCT host FROM source ORDER BY host",
			      err);
	if (r == 0)
		r = hash_run(db, path, state, ret, err);
	if (r == 0)
		r = hash_rows(db, path, state,
			      "SELECT path, importer, state, size_bytes, hash, lines, rows, "
			      "first_ns, last_ns FROM source ORDER BY id",
			      err);
	if (r == 0)
		r = hash_rows(db, path, state, "SELECT * FROM op_stat", err);
	td_hash_hex(XXH3_128bits_digest(state), ret->db);
	return r;
}
