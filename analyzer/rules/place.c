/* SPDX-License-Identifier: MIT */
#include "analyzer/rules/place.h"
#include "common/cleanup.h"
#include "schema/db.h"

/* Where the row of a rule shows: ?1 is its evidence. A rule that is not here is about the whole run. */
static const struct {
	const char *rule;
	const char *sql;
} places[] = {
	{ "disk_latency",
	  "SELECT start_ns, start_ns + dur_ns FROM block_request WHERE dur_ns = ?1 ->> 'max_ns'"
	  " AND device_id IN (SELECT id FROM device WHERE name = ?1 ->> 'device') LIMIT 1" },
	{ "first_epoch_slow",
	  "SELECT start_ns, end_ns FROM phase_interval WHERE label LIKE 'epoch %'"
	  " AND run_number IS ?1 ->> 'run_number' ORDER BY start_ns LIMIT 1" },
	{ "gpu_idle", /* the round of a phase with most of it */
	  "SELECT p.start_ns, p.end_ns FROM gpu_idle_part AS i JOIN phase_interval AS p"
	  " ON p.label = i.label AND p.start_ns = i.start_ns WHERE i.cause = ?1 ->> 'cause'"
	  " AND i.label LIKE '% %' GROUP BY 1, 2 ORDER BY sum(i.idle_min_ns + i.idle_max_ns) DESC"
	  " LIMIT 1" },
	{ "process_killed", "SELECT (?1 ->> 'end_ns') - 500000000, (?1 ->> 'end_ns') + 500000000" },
	{ "slow_epoch",
	  "SELECT start_ns, end_ns FROM phase_interval WHERE label = ?1 ->> 'epoch' LIMIT 1" },
	{ "slow_reads",
	  "SELECT start_ns, start_ns + dur_ns FROM call WHERE dur_ns = ?1 ->> 'max_ns'"
	  " AND file_id IN (SELECT id FROM file WHERE template_id IN"
	  " (SELECT id FROM string WHERE text = ?1 ->> 'template')) LIMIT 1" },
};

int td_finding_place(sqlite3 *db, const struct td_finding *finding, int64_t *ret_start_ns,
		     int64_t *ret_end_ns, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	const char *sql = NULL;
	int rc;

	for (size_t i = 0; i < TD_ARRAY_SIZE(places); i++)
		if (strcmp(places[i].rule, finding->rule->name) == 0)
			sql = places[i].sql;
	if (!sql)
		return 0;
	rc = sqlite3_prepare_v2(db, sql, -1, &s, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text(s, 1, finding->evidence, -1, SQLITE_STATIC);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return td_db_error(db, rc, err, "cannot read where a finding shows");
	if (rc == SQLITE_DONE || sqlite3_column_type(s, 0) != SQLITE_INTEGER ||
	    sqlite3_column_type(s, 1) != SQLITE_INTEGER)
		return 0;
	*ret_start_ns = sqlite3_column_int64(s, 0);
	*ret_end_ns = sqlite3_column_int64(s, 1);
	return 1;
}
