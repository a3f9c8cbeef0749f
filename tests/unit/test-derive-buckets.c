/* SPDX-License-Identifier: MIT */
/* bucket_stat against plain SQL over the calls. */
#include "tests/unit/derive.h"

/* Buckets of sizes, one for each power of two, and of durations, eight: (kind, low, high). */
static const char buckets[] =
	"CREATE TEMP TABLE bucket AS "
	"WITH RECURSIVE power (p) AS (SELECT 1 UNION ALL SELECT 2 * p FROM power WHERE p < 1 << "
	"61), "
	"eighth (k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM eighth WHERE k < 7) "
	"SELECT 'size' AS kind, 0 AS low, 1 AS high UNION ALL SELECT 'size', p, 2 * p FROM power "
	"UNION ALL SELECT 'latency', k, k + 1 FROM eighth "
	"UNION ALL SELECT 'latency', p + k * (p / 8), p + (k + 1) * (p / 8) FROM power, eighth "
	"WHERE p >= 8;"
	"CREATE TEMP TABLE counted AS SELECT c.*, op.verb, op.kind, f.template_id, "
	"(SELECT low FROM bucket WHERE bucket.kind = 'size' AND done_bytes >= low AND done_bytes < "
	"high) AS size, "
	"(SELECT low FROM bucket WHERE bucket.kind = 'latency' AND dur_ns >= low AND dur_ns < "
	"high) AS latency "
	"FROM call AS c JOIN op ON op.id = c.op_id LEFT JOIN file AS f ON f.id = c.file_id WHERE "
	"nested = 0";

#define ROWS(by)                                                                                   \
	"SELECT key_id, verb, low, calls, done_bytes, total_ns FROM bucket_stat WHERE by = '" by "'"
#define SUMS "count(*), sum(done_bytes), sum(dur_ns)"

static void check_all(sqlite3 *db)
{
	sql(db, buckets);
	td_same_rows(db, ROWS("op,latency"),
		     "SELECT op_id, NULL AS verb, latency, " SUMS
		     " FROM counted GROUP BY op_id, latency");
	td_same_rows(db, ROWS("op,size"),
		     "SELECT op_id, NULL AS verb, size, " SUMS
		     " FROM counted GROUP BY op_id, size");
	td_same_rows(db, ROWS("process,verb,size"),
		     "SELECT process_id, verb, size, " SUMS
		     " FROM counted WHERE kind = 'io' GROUP BY process_id, verb, size");
	td_same_rows(db, ROWS("template,verb,size"),
		     "SELECT template_id, verb, size, " SUMS
		     " FROM counted WHERE kind = 'io' GROUP BY template_id, verb, size");
}

/* Many calls of few kinds: all groupings have their share. */
static void test_few(void)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	sqlite3 *db;

	TD_CASE("few");
	(void)td_make_source(st, "a", 21, 200, NAN);
	db = td_derived(st);
	check_all(db);
	db_close(db);
}

#define SHARE 1000 /* of fewer than 64,000 calls */

static void check_share(sqlite3 *db, const char *by, const char *keys, int *omitted)
{
	char sql[512];
	int64_t n;

	(void)snprintf(sql, sizeof(sql),
		       "SELECT count(*) FROM (SELECT 1 FROM counted WHERE %s GROUP BY %s)",
		       strstr(by, "verb") ? "kind = 'io'" : "1", keys);
	n = td_sql_int(db, sql);
	*omitted += n > SHARE;
	(void)snprintf(sql, sizeof(sql), "SELECT count(*) FROM bucket_stat WHERE by = '%s'", by);
	TD_CHECK_INT(td_sql_int(db, sql), n > SHARE ? 0 : n);
}

/* A grouping that would have more rows than its share has none. */
static void test_many(void)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	int omitted = 0;
	sqlite3 *db;

	TD_CASE("many");
	(void)td_make_source(st, "a", 21, 20000, NAN);
	db = td_derived(st);
	sql(db, buckets);
	check_share(db, "op,latency", "op_id, latency", &omitted);
	check_share(db, "op,size", "op_id, size", &omitted);
	check_share(db, "process,verb,size", "process_id, verb, size", &omitted);
	check_share(db, "template,verb,size", "template_id, verb, size", &omitted);
	TD_CHECK(omitted > 0 && omitted < 4);
	db_close(db);
}

int main(void)
{
	if (!td_derive_set_up())
		return 1;
	test_few();
	test_many();
	td_derive_tear_down();
	return td_check_result();
}
