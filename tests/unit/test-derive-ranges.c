/* SPDX-License-Identifier: MIT */
/* range_stat against plain SQL over the ranges that were written beside it. */
#include "tests/unit/derive.h"

#define SEED 23
#define RANGES 5000

/* Of a range: what nvtx_sum tells them apart by, and how long it lasts. */
#define RANGE                                                                                      \
	"coalesce(json_extract(a.text, '$.style'), 'PushPop') AS style, "                          \
	"CASE json_type(a.text, '$.domain') WHEN 'text' THEN json_extract(a.text, '$.domain') "    \
	"ELSE '' END AS domain"
#define NVTX "(SELECT * FROM span WHERE kind_id = (SELECT id FROM string WHERE text = 'nvtx'))"
#define RANGES_SQL                                                                                 \
	"SELECT " RANGE ", s.name_id AS n, coalesce(s.dur_ns, (SELECT max(start_ns + "             \
	"coalesce(dur_ns, 0)) FROM " NVTX ") - s.start_ns) AS v, s.dur_ns IS NULL AS open "        \
	"FROM " NVTX " AS s LEFT JOIN string AS a ON a.id = s.args_id"
#define HELD "range_stat AS s LEFT JOIN string AS a ON a.id = s.args_id"

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Ranges of a few names, in two domains, one that has only a number and none, some with a payload;
 * a few never end, a few last for hours; and spans that are none. */
static struct td_store *make_ranges(void)
{
	static const char *const args[] = {
		"{\"style\":\"PushPop\"}", "{\"style\":\"StartEnd\"}",
		"{\"style\":\"PushPop\",\"domain\":\"NCCL\"}",
		"{\"style\":\"PushPop\",\"domain\":7,\"category\":\"a\"}",
		"{\"style\":\"PushPop\",\"domain\":\"a\\\"b\"}"
	};
	struct td_store *st = td_new_store();
	uint32_t x = SEED;

	td_stage_source(st, true);
	for (int i = 0; i < RANGES; i++) {
		struct td_span s = TD_SPAN_INIT;
		char text[64];

		s.start_ns = (int64_t)i * 1000;
		s.dur_ns = next_random(&x) % 5000;
		if (next_random(&x) % 50 == 0)
			s.dur_ns = next_random(&x) % 2 ? TD_NULL : INT64_C(4000000000000) + i;
		s.kind_id = td_store_cstr(st, next_random(&x) % 8 ? "nvtx" : "annotation");
		(void)snprintf(text, sizeof(text), "name %u", next_random(&x) % 7);
		s.name_id = td_store_cstr(st, text);
		(void)snprintf(text, sizeof(text), "{\"style\":\"PushPop\",\"payload\":%d}", i);
		if (next_random(&x) % 6)
			s.args_id = td_store_cstr(
				st, next_random(&x) % 4 ? args[next_random(&x) % 5] : text);
		s.state_id = td_store_cstr(st, s.dur_ns == TD_NULL ? "unfinished" : "complete");
		s.source_id = 1;
		td_stage_row(st, TD_KIND_SPAN, &s);
	}
	return st;
}

static void test_sums(sqlite3 *db)
{
	TD_CASE("sums");
	td_same_rows(db,
		     "SELECT " RANGE
		     ", s.name_id, ranges, unfinished, total_ns, min_ns, max_ns FROM " HELD,
		     "SELECT style, domain, n, count(*), sum(open), sum(v), min(v), max(v) "
		     "FROM (" RANGES_SQL ") GROUP BY 1, 2, 3");
}

static void test_median(sqlite3 *db)
{
	TD_CASE("median");
	td_same_rows(db, "SELECT " RANGE ", s.name_id, p50_ns FROM " HELD,
		     "SELECT style, domain, n, avg(v) FROM (SELECT *, row_number() OVER (PARTITION "
		     "BY style, domain, n ORDER BY v) AS i, count(*) OVER (PARTITION BY style, "
		     "domain, n) AS c FROM (" RANGES_SQL
		     ")) WHERE i IN ((c + 1) / 2, c / 2 + 1) GROUP BY 1, 2, 3");
}

/* In two passes. */
static void test_deviation(sqlite3 *db)
{
	TD_CASE("deviation");
	TD_CHECK_INT(
		td_sql_int(
			db,
			"WITH r AS MATERIALIZED (" RANGES_SQL "), whole AS (SELECT style, domain, "
			"n, avg(v) AS mean FROM r GROUP BY 1, 2, 3), want AS (SELECT w.*, "
			"sqrt(sum((v - mean) * (v - mean)) / (count(*) - 1)) AS ns FROM whole AS w "
			"JOIN r USING (style, domain, n) GROUP BY 1, 2, 3), held AS (SELECT " RANGE
			", s.name_id AS n, stddev_ns FROM " HELD
			") SELECT count(*) FROM want JOIN held USING (style, domain, n) WHERE "
			"abs(stddev_ns - ns) <= 1e-9 * ns"),
		td_sql_int(db, "SELECT count(*) FROM range_stat"));
}

/* What there would be too much of is not there at all. */
static void test_omitted(struct td_store *st)
{
	sqlite3 *db = td_derived_within(st, 20);

	TD_CASE("omitted");
	TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM range_stat"), 0);
	db_close(db);
}

int main(void)
{
	_cleanup_(td_store_freep) struct td_store *st = NULL;
	sqlite3 *db;

	if (!td_derive_set_up())
		return 1;
	st = make_ranges();
	db = td_derived(st);
	TD_CASE("groups");
	TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM range_stat"), 4 * 7);
	test_sums(db);
	test_median(db);
	test_deviation(db);
	test_omitted(st);
	db_close(db);
	td_derive_tear_down();
	return td_check_result();
}
