/* SPDX-License-Identifier: MIT */
/* Segments, phases and GPU ranges of a few rows made by hand, each for one trap. Times below are ns
 * since TD_MADE_UTC. */
#include "tests/unit/derive.h"

static void put_call(struct td_store *st, uint16_t source_id, int64_t from, int64_t dur)
{
	struct td_call c = TD_CALL_INIT;

	c.start_ns = from;
	c.dur_ns = dur;
	c.op_id = td_store_op(st, "read", 4, TD_LAYER_SYSCALL);
	c.source_id = source_id;
	c.done_bytes = 10;
	td_stage_row(st, TD_KIND_CALL, &c);
	TD_CHECK_INT(td_stage_cut(td_store_stage(st, TD_KIND_CALL)), 0);
}

/* A source whose clock could not be aligned says nothing about what happened at the same time: segments
 * begin with the first one that could, and its calls are in none. */
static void test_unaligned(void)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	sqlite3 *db;

	TD_CASE("a source that is not on the clock");
	td_stage_source(st, true);
	td_store_source_at(st, 1)->last_native_ns = 1000;
	td_stage_source(st, false);
	td_store_source_at(st, 2)->last_native_ns = 1000;
	put_call(st, 2, 100, 50);
	db = td_derived(st);
	TD_CHECK_INT(td_sql_int(db, "SELECT min(start_ns) FROM segment"), TD_MADE_UTC);
	TD_CHECK_INT(td_sql_int(db, "SELECT sum(dur_ns) FROM segment"), 1001);
	TD_CHECK_STR(sql_text(db, "SELECT quote(max(io_ns)) FROM segment"), "NULL");
	TD_CHECK_INT(td_sql_int(db, "SELECT sum(reads) + sum(read_bytes) FROM segment"), 0);
	db_close(db);
	put_call(st, 1, 200, 50);
	db = td_derived(st);
	TD_CHECK_INT(td_sql_int(db, "SELECT sum(io_ns) FROM segment"), 50);
	TD_CHECK_INT(td_sql_int(db, "SELECT sum(reads) FROM segment"), 1);
	db_close(db);

	TD_CASE("no source on the clock");
	td_store_source_at(st, 1)->error_ns = TD_NULL;
	td_store_source_at(st, 1)->offset_ns = 0;
	db = td_derived(st);
	TD_CHECK_INT(td_sql_int(db, "SELECT min(start_ns) FROM segment"), 0);
	TD_CHECK_INT(td_sql_int(db, "SELECT sum(io_ns) FROM segment"), 100);
	db_close(db);
}

/* The last call ends 36 ms after its native time plus the offset: the segments have to reach there. */
static void test_drift(void)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	struct td_source *s;
	sqlite3 *db;

	TD_CASE("drift");
	td_stage_source(st, true);
	s = td_store_source_at(st, 1);
	s->drift_ppb = 5000;
	s->last_native_ns = INT64_C(7200000000000);
	put_call(st, 1, 0, 10);
	put_call(st, 1, s->last_native_ns - 1000000, 1000000);
	db = td_derived(st);
	TD_CHECK_INT(td_sql_int(db, "SELECT sum(dur_ns) FROM segment"), INT64_C(7200036000001));
	TD_CHECK_INT(td_sql_int(db, "SELECT sum(io_ns) FROM segment"), 1000010);
	db_close(db);
}

/* Calls without durations: that there were some is known, not how long. */
static void test_no_durations(void)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	struct td_block b = TD_BLOCK_INIT;
	sqlite3 *db;

	TD_CASE("no durations");
	td_stage_source(st, true);
	td_store_source_at(st, 1)->last_native_ns = 1000;
	put_call(st, 1, 100, TD_NULL);
	b.source_id = 1;
	b.bytes = 4096;
	td_stage_row(st, TD_KIND_BLOCK, &b);
	db = td_derived(st);
	TD_CHECK_STR(sql_text(db,
			      "SELECT quote(io_ns) || quote(block_ns) || reads || read_bytes || "
			      "block_read_bytes FROM segment"),
		     "NULLNULL1104096");
	db_close(db);
}

static void put_kernel(struct td_store *st, uint16_t source, int64_t from, int64_t dur)
{
	struct td_gpu_op op = TD_GPU_OP_INIT;

	op.start_ns = from;
	op.dur_ns = dur;
	op.device_id = td_store_device(st, TD_DEVICE_GPU, "GPU 0", 5, 0);
	op.kind_id = td_store_cstr(st, "kernel");
	op.name_id = td_store_cstr(st, "forward");
	op.source_id = source;
	td_stage_row(st, TD_KIND_GPU_OP, &op);
}

/* Reads at 100 .. 150 and 400 .. 480, kernels at 0 .. 120 and 450 .. 1000; events were lost from
 * 200 to 300. So the GPU idles from 120 to 450: the first read for 30, nothing for 50, the loss for
 * 100, nothing for 100, the second read for 50. */
static void test_stretches(void)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	struct td_loss loss = { .source_id = 1,
				.name = "file_io",
				.ring = TD_NULL,
				.from_ns = 200,
				.to_ns = 300,
				.generated = 9,
				.lost = 2,
				.ring_peak_bytes = TD_NULL,
				.ring_size_bytes = TD_NULL };
	sqlite3 *db;

	TD_CASE("stretches");
	td_stage_source(st, true);
	td_store_source_at(st, 1)->last_native_ns = 1000;
	put_kernel(st, 1, 0, 120);
	put_kernel(st, 1, 450, 550);
	put_call(st, 1, 100, 50);
	put_call(st, 1, 400, 80);
	td_store_loss(st, &loss);
	db = td_derived(st);
	TD_CHECK_STR(sql_text(db,
			      "SELECT group_concat(cause || ' ' || idle_min_ns || ' ' || "
			      "idle_max_ns, ', ') FROM (SELECT * FROM gpu_idle_part WHERE label "
			      "= '(run)' AND idle_max_ns > 0 ORDER BY cause)"),
		     "events lost 100 100, file read 80 80, unexplained 150 150");
	TD_CHECK_STR(sql_text(db,
			      "SELECT group_concat(cause || ' ' || (start_ns - %lld) || ' ' || "
			      "dur_ns || ' ' || idle_min_ns, ', ') FROM (SELECT * FROM "
			      "gpu_idle_stretch ORDER BY cause, idle_max_ns DESC, start_ns)",
			      (long long)TD_MADE_UTC),
		     "events lost 200 100 100, file read 400 80 50, file read 100 50 30, "
		     "unexplained 300 100 100, unexplained 150 50 50");
	db_close(db);
}

/* A read at 0 .. 400, kernels at 100 .. 120 and 300 .. 350: what the GPU did before 100 and from
 * 350 on nobody knows. */
static void test_unknown_stretches(void)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	sqlite3 *db;

	TD_CASE("stretches of which a part is known");
	td_stage_source(st, true);
	td_stage_source(st, true);
	td_store_source_at(st, 1)->last_native_ns = 1000;
	td_store_source_at(st, 2)->first_native_ns = 100;
	td_store_source_at(st, 2)->last_native_ns = 350;
	put_call(st, 1, 0, 400);
	put_kernel(st, 2, 100, 20);
	put_kernel(st, 2, 300, 50);
	db = td_derived(st);
	TD_CHECK_STR(sql_text(db,
			      "SELECT group_concat(cause || ' ' || (start_ns - %lld) || ' ' || "
			      "dur_ns || ' ' || idle_min_ns, ', ') FROM gpu_idle_stretch",
			      (long long)TD_MADE_UTC),
		     "file read 100 250 180");
	db_close(db);
}

int main(void)
{
	if (!td_derive_set_up())
		return 1;
	test_unaligned();
	test_drift();
	test_no_durations();
	test_stretches();
	test_unknown_stretches();
	td_derive_tear_down();
	return td_check_result();
}
