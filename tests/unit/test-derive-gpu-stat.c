/* SPDX-License-Identifier: MIT */
/* gpu_op_stat and gpu_long_gap against plain SQL over the work that was written beside them. */
#include "tests/unit/derive.h"

#define SEED 11
#define OPS 6000
static const char *const groupings[][2] = {
	{ "kind", "NULL, NULL, kind_id, NULL, NULL" },
	{ "kind,name", "NULL, NULL, kind_id, name_id, NULL" },
	{ "process,kind,name", "NULL, process_id, kind_id, name_id, NULL" },
	{ "device,process,kind,name", "device_id, process_id, kind_id, name_id, NULL" },
	{ "device,kind,name,bytes", "device_id, NULL, kind_id, name_id, bytes" },
};

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Two GPUs and three processes, one of them unknown; kernels without bytes, copies and sets of a few sizes and of none;
 * some without a duration, at last some of hours; pauses of 3 ms, the GPUs in turn at work in every other one. */
static struct td_store *make_work(void)
{
	static const char *const kinds[] = { "kernel", "copy", "set", "sync" };
	struct td_store *st = td_new_store();
	uint32_t x = SEED, gpus[2], processes[3] = { 0 };
	int64_t now_ns = 0;

	td_stage_source(st, true);
	for (int i = 0; i < 2; i++)
		gpus[i] = td_store_device(st, TD_DEVICE_GPU, i ? "GPU 1" : "GPU 0", 5, i);
	processes[1] = td_store_process(st, 100, "a", 1);
	processes[2] = td_store_process(st, 101, "b", 1);
	for (int i = 0; i < OPS; i++) {
		struct td_gpu_op op = TD_GPU_OP_INIT;
		uint32_t kind = next_random(&x) % 8;
		char name[16];

		(void)snprintf(name, sizeof(name), "name %u", next_random(&x) % 7);
		now_ns += i % 250 == 0 ? 3000000 : 1000;
		op.start_ns = now_ns;
		op.dur_ns = next_random(&x) % 500;
		if (next_random(&x) % 50 == 0)
			op.dur_ns = next_random(&x) % 2 || i < OPS - 500
					    ? TD_NULL
					    : INT64_C(4000000000000) + i;
		op.device_id = gpus[next_random(&x) % 2];
		if (i % 250 == 249)
			op.dur_ns = i % 500 == 249 ? 5000000 : 3500000;
		op.process_id = processes[next_random(&x) % 3];
		op.kind_id = td_store_cstr(st, kinds[kind < 4 ? kind : 0]);
		op.name_id = td_store_cstr(st, name);
		if (kind == 1 || kind == 2)
			op.bytes = next_random(&x) % 9 ? INT64_C(512) * (next_random(&x) % 4)
						       : TD_NULL;
		op.source_id = 1;
		td_stage_row(st, TD_KIND_GPU_OP, &op);
	}
	return st;
}

static void test_sums(sqlite3 *db, const char *by, const char *keys)
{
	char got[512], want[512];

	TD_CASE(by);
	(void)snprintf(
		got, sizeof(got),
		"SELECT device_id, process_id, kind_id, name_id, each_bytes, ops, timed, bytes, "
		"total_ns, min_ns, max_ns, first_ns, last_ns FROM gpu_op_stat WHERE by = '%s'",
		by);
	(void)snprintf(
		want, sizeof(want),
		"SELECT %s, count(*), count(dur_ns), sum(bytes), sum(dur_ns), min(dur_ns), "
		"max(dur_ns), min(start_ns), max(start_ns) FROM gpu_op GROUP BY 1, 2, 3, 4, 5",
		keys);
	td_same_rows(db, got, want);
}

/* As the definitions say: the middle one or two, and the nearest ranks. */
static void test_percentiles(sqlite3 *db, const char *by, const char *keys)
{
	char got[512], want[1024];

	(void)snprintf(
		got, sizeof(got),
		"SELECT device_id, process_id, kind_id, name_id, each_bytes, p50_ns, p95_ns, "
		"p99_ns FROM gpu_op_stat WHERE by = '%s' AND timed > 0",
		by);
	(void)snprintf(want, sizeof(want),
		       "WITH keyed (d, p, k, n, b, dur_ns) AS (SELECT %s, dur_ns FROM gpu_op "
		       "WHERE dur_ns IS NOT NULL), placed AS (SELECT *, row_number() OVER "
		       "(PARTITION BY d, p, k, n, b ORDER BY dur_ns) AS i, count(*) OVER "
		       "(PARTITION BY d, p, k, n, b) AS c FROM keyed) SELECT d, p, k, n, b, "
		       "avg(dur_ns) FILTER (WHERE i IN ((c + 1) / 2, c / 2 + 1)), "
		       "max(dur_ns) FILTER (WHERE i = (c * 95 + 99) / 100), "
		       "max(dur_ns) FILTER (WHERE i = (c * 99 + 99) / 100) "
		       "FROM placed GROUP BY d, p, k, n, b",
		       keys);
	td_same_rows(db, got, want);
}

/* In two passes. */
static void test_deviation(sqlite3 *db, const char *by, const char *keys)
{
	char wrong[1024];

	(void)snprintf(
		wrong, sizeof(wrong),
		"WITH keyed (d, p, k, n, b, dur_ns) AS (SELECT %s, dur_ns FROM gpu_op), whole AS "
		"(SELECT d, p, k, n, b, avg(dur_ns) AS mean FROM keyed GROUP BY d, p, k, n, b), "
		"want AS "
		"(SELECT w.*, CASE WHEN count(e.dur_ns) > 1 THEN sqrt(sum((e.dur_ns - mean) * "
		"(e.dur_ns - mean)) / (count(e.dur_ns) - 1)) ELSE 0 END AS ns FROM whole AS w JOIN "
		"keyed AS e "
		"ON (e.d, e.k) IS (w.d, w.k) AND (e.p, e.n, e.b) IS (w.p, w.n, w.b) GROUP BY w.d, "
		"w.p, w.k, "
		"w.n, w.b) SELECT count(*) FROM want AS w JOIN gpu_op_stat AS g ON g.by = '%s' AND "
		"(g.device_id, "
		"g.process_id, g.kind_id, g.name_id, g.each_bytes) IS (d, p, k, n, b) WHERE "
		"g.timed > 0 AND "
		"abs(g.stddev_ns - w.ns) > 1e-9 * w.ns",
		keys, by);
	TD_CHECK_INT(td_sql_int(db, wrong), 0);
}

static void test_latencies(sqlite3 *db)
{
	TD_CASE("kind,latency");
	/* eight buckets for each power of two: the four highest bits of a duration remain */
	td_same_rows(
		db, "SELECT kind_id, low_ns, ops, timed FROM gpu_op_stat WHERE by = 'kind,latency'",
		"WITH RECURSIVE b (kind_id, rest, step) AS (SELECT kind_id, dur_ns, 0 FROM gpu_op "
		"UNION ALL "
		"SELECT kind_id, rest >> 1, step + 1 FROM b WHERE rest >= 16) SELECT kind_id, rest "
		"<< step, "
		"count(*), count(rest) FROM b WHERE rest < 16 OR rest IS NULL GROUP BY 1, 2");
}

static void test_gaps(sqlite3 *db)
{
	TD_CASE("long gaps");
	td_same_rows(db, "SELECT id, device_id, start_ns, dur_ns FROM gpu_long_gap",
		     "SELECT id, device_id, start_ns, dur_ns FROM gpu_gap WHERE dur_ns >= 1000000");
	TD_CHECK(td_sql_int(db, "SELECT count(*) FROM gpu_long_gap") > 20);
}

/* What there would be too much of is not there at all; the view looks at the work then, and says the same. */
static void test_omitted(struct td_store *st, sqlite3 *all)
{
	static const char rows[] =
		"SELECT group_concat(v, '|') FROM (SELECT by || ' ' || coalesce(device_id, '') || "
		"' ' || "
		"coalesce(process_id, '') || ' ' || kind_id || ' ' || coalesce(name_id, '') || ' ' "
		"|| "
		"coalesce(each_bytes, '') || ' ' || ops || ' ' || timed || ' ' || coalesce(bytes, "
		"'') || ' ' || "
		"coalesce(total_ns, '') || ' ' || coalesce(p50_ns, '') || ' ' || coalesce(p95_ns, "
		"'') || ' ' || "
		"coalesce(p99_ns, '') || ' ' || coalesce(round(stddev_ns), '') AS v FROM gpu_stat "
		"WHERE by <> 'kind,latency' ORDER BY 1)";
	sqlite3 *db = td_derived_within(st, 20);
	sqlite3_stmt *got = NULL, *want = NULL;

	TD_CASE("omitted");
	TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM gpu_op_stat WHERE by <> 'kind,latency'"),
		     0);
	TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM gpu_long_gap"), 0);
	TD_CHECK_INT(sqlite3_prepare_v2(db, rows, -1, &got, NULL), SQLITE_OK);
	TD_CHECK_INT(sqlite3_prepare_v2(all, rows, -1, &want, NULL), SQLITE_OK);
	TD_CHECK_INT(sqlite3_step(got), SQLITE_ROW);
	TD_CHECK_INT(sqlite3_step(want), SQLITE_ROW);
	TD_CHECK_STR((const char *)sqlite3_column_text(got, 0),
		     (const char *)sqlite3_column_text(want, 0));
	sqlite3_finalize(got);
	sqlite3_finalize(want);
	db_close(db);
}

int main(void)
{
	_cleanup_(td_store_freep) struct td_store *st = NULL;
	sqlite3 *db;

	if (!td_derive_set_up())
		return 1;
	st = make_work();
	db = td_derived(st);
	for (size_t i = 0; i < TD_ARRAY_SIZE(groupings); i++) {
		const char *by = groupings[i][0], *keys = groupings[i][1];

		test_sums(db, by, keys);
		if (!strstr(by, "bytes"))
			test_percentiles(db, by, keys);
		test_deviation(db, by, keys);
	}
	test_latencies(db);
	test_gaps(db);
	test_omitted(st, db);
	db_close(db);
	td_derive_tear_down();
	return td_check_result();
}
