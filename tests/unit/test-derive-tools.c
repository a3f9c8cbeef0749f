/* SPDX-License-Identifier: MIT */
/* Which of several tools tells about CPUs and GPUs, and what: made-up runs, worked out by hand. */
#include <math.h>

#include "tests/unit/derive.h"

/* cpu.idle 80 % and cpu.iowait 15 % for 100 ns, then 30 % and 75 % for as long. */
static void test_cpu(void)
{
	static const struct {
		int64_t ts;
		const char *track;
		double value;
	} samples[] = {
		{ 100, "cpu.idle", 80 }, { 100, "cpu.iowait", 15 }, { 100, "cpu.usr", 99 },
		{ 200, "cpu.idle", 30 }, { 200, "cpu.iowait", 75 },
	};
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	struct td_span span = TD_SPAN_INIT;
	sqlite3 *db;

	TD_CASE("cpu");
	td_stage_source(st, true);
	td_store_source_at(st, 1)->last_native_ns = 299;
	for (size_t i = 0; i < TD_ARRAY_SIZE(samples); i++) {
		struct td_sample s = TD_SAMPLE_INIT;

		s.ts_ns = samples[i].ts;
		s.dur_ns = 100;
		s.track_id = td_store_track(st, 1, samples[i].track, "%", 0, 0);
		s.value = samples[i].value;
		td_stage_row(st, TD_KIND_SAMPLE, &s);
	}
	span.start_ns = 50;
	span.dur_ns = 150;
	span.kind_id = td_store_cstr(st, "phase");
	span.name_id = td_store_cstr(st, "epoch");
	span.state_id = td_store_cstr(st, "complete");
	span.source_id = 1;
	td_stage_row(st, TD_KIND_SPAN, &span);
	db = td_derived(st);
	/* [0,50): busy 5 % of 50 = 2.5, waiting 15 % = 7.5; [50,200): 2.5 and 0, as 30 + 75 is more than
	 * there is, waiting 7.5 + 75; [200,300): nothing is known */
	TD_CHECK_STR(sql_text(db,
			      "SELECT group_concat(cpu_ns || ' ' || quote(cpu_busy_ns) || ' ' || "
			      "quote(cpu_iowait_ns), ', ') FROM segment"),
		     "50 3 8, 150 3 83, 0 NULL NULL");
	db_close(db);
}

/* Idle as that source saw it in the 100 ns before. */
static void put_idle(struct td_store *st, uint16_t source_id, int64_t ts, double value)
{
	struct td_sample s = TD_SAMPLE_INIT;

	s.ts_ns = ts;
	s.dur_ns = 100;
	s.track_id = td_store_track(st, source_id, "cpu.idle", "%", 0, 0);
	s.value = value;
	td_stage_row(st, TD_KIND_SAMPLE, &s);
}

/* Whole percents of [0,300), the same as one would print them to two decimals of [100,200), and another machine. */
static void test_cpu_sources(bool with_other)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	uint16_t fine, other;
	sqlite3 *db;

	TD_CASE(with_other ? "cpu, several sources of two machines" : "cpu, several sources");
	td_stage_source(st, true);
	fine = td_store_source(st, "fine");
	other = td_store_source(st, "other");
	for (uint16_t id = 1; id <= other; id++) {
		struct td_source *s = td_store_source_at(st, id);

		s->importer = "mpstat";
		s->offset_ns = TD_MADE_UTC;
		s->error_ns = 1;
		s->first_native_ns = 0;
		s->last_native_ns = 299;
		s->host = strdup(id == other ? "b" : "a");
	}
	for (int64_t ts = 100; ts <= 300; ts += 100)
		put_idle(st, 1, ts, 90);
	put_idle(st, fine, 200, 90.25);
	if (with_other)
		put_idle(st, other, 200, 10.5);
	db = td_derived(st);
	TD_CHECK_STR(
		sql_text(db,
			 "SELECT group_concat(path || ' ' || c.host || ' ' || precedence || ' ' || "
			 "step_pct || ' ' || (c.end_ns - c.start_ns), ', ') FROM cpu_sampler "
			 "AS c JOIN source AS s ON s.id = source_id ORDER BY precedence"),
		with_other ? "fine a 1 0.01 100, other b 2 0.1 100, a a 3 1.0 300"
			   : "fine a 1 0.01 100, a a 2 1.0 300");
	/* 10 of each 100 by the coarse one, 9.75 by the fine one; of two machines no share is that of both */
	TD_CHECK_STR(sql_text(db, "SELECT sum(cpu_ns) || ' ' || quote(sum(cpu_busy_ns)) FROM "
				  "segment"),
		     with_other ? "0 NULL" : "300 30");
	db_close(db);
}

#define S INT64_C(1000000000)

/* Idle of each of ten seconds, half of the fifth and sixth busy, all of them in a phase from second 3 to 8. */
static void test_cpu_phase(void)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	struct td_span span = TD_SPAN_INIT;
	sqlite3 *db;

	TD_CASE("cpu, a phase");
	td_stage_source(st, true);
	td_store_source_at(st, 1)->last_native_ns = 10 * S;
	for (int64_t t = 1; t <= 10; t++) {
		struct td_sample s = TD_SAMPLE_INIT;

		s.ts_ns = t * S;
		s.dur_ns = S;
		s.track_id = td_store_track(st, 1, "cpu.idle", "%", 0, 0);
		s.value = t == 5 || t == 6 ? 50 : 100;
		td_stage_row(st, TD_KIND_SAMPLE, &s);
	}
	span.start_ns = 3 * S;
	span.dur_ns = 5 * S;
	span.kind_id = td_store_cstr(st, "phase");
	span.name_id = td_store_cstr(st, "epoch");
	span.state_id = td_store_cstr(st, "complete");
	span.source_id = 1;
	td_stage_row(st, TD_KIND_SPAN, &span);
	db = td_derived(st);
	/* 1 s, or as whole percents are rounded 2 s of 49 .. 51 % and 0 .. 1 % of four others, at
	 * the ends in part; a line of the busy ones that is 48 ms longer; 20 ms and 0.1 % of 1.1 s
	 * off */
	TD_CHECK_STR(sql_text(db,
			      "SELECT printf('%%.3f of %%.3f .. %%.3f', wall_ns / 1e9, "
			      "busy_min_ns / 1e9, busy_max_ns / 1e9) FROM cpu_phase WHERE label = "
			      "'epoch' AND start_ns IS NULL"),
		     "5.000 of 0.959 .. 1.105");
	db_close(db);
}

/* --- which source tells about a GPU, and what --- */

/* A source of that kind, looking for 20 s. */
static uint16_t tool(struct td_store *st, const char *importer, const char *layout)
{
	uint16_t id = td_store_source(st, importer);
	struct td_source *s = td_store_source_at(st, id);

	s->importer = importer;
	s->layout = strdup(layout);
	s->offset_ns = TD_MADE_UTC;
	s->error_ns = 1;
	s->first_native_ns = 0;
	s->last_native_ns = 20 * S;
	return id;
}

static uint32_t gpu_0(struct td_store *st)
{
	return td_store_device(st, TD_DEVICE_GPU, "GPU 0", 5, 0);
}

/* Busy from second 5 to second 8 of 20, by two kernels that overlap; waiting for them is no work. */
static void put_kernels(struct td_store *st, uint16_t source_id)
{
	static const struct {
		int64_t from, to;
		const char *kind;
	} work[] = { { 5, 7, "kernel" }, { 6, 8, "copy" }, { 1, 19, "sync" } };

	for (size_t i = 0; i < TD_ARRAY_SIZE(work); i++) {
		struct td_gpu_op op = TD_GPU_OP_INIT;

		op.start_ns = work[i].from * S;
		op.dur_ns = (work[i].to - work[i].from) * S;
		op.device_id = gpu_0(st);
		op.kind_id = td_store_cstr(st, work[i].kind);
		op.name_id = td_store_cstr(st, "k");
		op.source_id = source_id;
		td_stage_row(st, TD_KIND_GPU_OP, &op);
		TD_CHECK_INT(td_stage_cut(td_store_stage(st, TD_KIND_GPU_OP)), 0);
	}
}

/* A line per second of 0 .. 20; busy, in percent, in those from the sixth to the eighth. share < 0: '-'. */
static void put_lines(struct td_store *st, uint16_t source_id, uint32_t process_id, int64_t share)
{
	for (int64_t t = 0; t <= 20; t++)
		td_stage_gpu_sample(st, source_id, gpu_0(st), process_id, t * S, t ? S : TD_NULL,
				    t > 5 && t <= 8 ? share : 0);
	TD_CHECK_INT(td_stage_cut(td_store_stage(st, TD_KIND_SAMPLE)), 0);
}

/* "exact 3.0 .. 3.0" for the run, in seconds. */
static const char *busy_of(struct td_store *st)
{
	sqlite3 *db = td_derived(st);
	const char *text =
		sql_text(db, "SELECT basis || printf(' %%.2f .. %%.2f', busy_min_ns / 1e9, "
			     "busy_max_ns / 1e9) FROM gpu_phase WHERE label = '(run)'");

	db_close(db);
	return text;
}

static void check_busy(const char *name, void (*make)(struct td_store *), const char *want)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();

	TD_CASE(name);
	make(st);
	TD_CHECK_STR(busy_of(st), want);
}

static void make_traced(struct td_store *st)
{
	put_lines(st, tool(st, "nvidia-smi", "pmon"), td_store_process(st, 10, "", 0), 1);
	put_kernels(st, tool(st, "kineto", "absolute"));
}

static void make_pmon(struct td_store *st)
{
	put_lines(st, tool(st, "nvidia-smi", "dmon"), 0, 1);
	put_lines(st, tool(st, "nvidia-smi", "pmon"), td_store_process(st, 10, "", 0), 100);
}

static void make_driver(struct td_store *st)
{
	put_lines(st, tool(st, "nvidia-smi", "dmon"), 0, 1);
	put_lines(st, tool(st, "record", "1"), 0, 50);
}

/* pmon throughout, and the driver's own samples of seconds 2 to 18. */
static void make_pmon_and_driver(struct td_store *st, int64_t share)
{
	uint16_t pmon = tool(st, "nvidia-smi", "pmon"), driver = tool(st, "record", "1");

	for (int64_t t = 3; t <= 18; t++)
		td_stage_gpu_sample(st, driver, gpu_0(st), 0, t * S, S, t > 5 && t <= 8 ? 50 : 0);
	TD_CHECK_INT(td_stage_cut(td_store_stage(st, TD_KIND_SAMPLE)), 0);
	put_lines(st, pmon, td_store_process(st, 10, "", 0), share);
}

static void make_both(struct td_store *st)
{
	make_pmon_and_driver(st, 50);
}

static void make_conflict(struct td_store *st)
{
	make_pmon_and_driver(st, 1);
}

static void make_unsampled(struct td_store *st)
{
	put_lines(st, tool(st, "nvidia-smi", "pmon"), td_store_process(st, 10, "", 0), -1);
}

static void make_two(struct td_store *st)
{
	uint16_t id = tool(st, "nvidia-smi", "pmon");

	put_lines(st, id, td_store_process(st, 10, "", 0), 50);
	put_lines(st, id, td_store_process(st, 11, "", 0), 50);
}

static void make_blind(struct td_store *st)
{
	uint16_t id = tool(st, "nvidia-smi", "pmon");

	for (int64_t t = 0; t <= 20; t++)
		td_stage_gpu_sample(st, id, gpu_0(st), 0, t * S, S, -1);
}

static void test_tellers(void)
{
	check_busy("kernels before samples", make_traced, "exact 3.00 .. 3.00");
	/* The first line is of second 1 at the latest, the last one of 19.9 at the earliest: parts of 20 lines. Three
	 * of at least 99.5 %; these, of which one is a step of 48 ms longer if the tool is slow, and 17 of at most 1 %;
	 * 36 ms and 0.6 % of 3.22 s off. What dmon says of the ends is left aside. */
	check_busy("pmon before dmon", make_pmon, "bounds 2.93 .. 3.28");
	/* Its stamps are 5 ms off at most, its values 2 points. 3 s of 48 .. 52 %, 17 at most 2 %. */
	check_busy("the driver before dmon", make_driver, "bounds 1.44 .. 1.90");
	/* The driver's: 3 s of 48 .. 52 %, 13 at most 2 %; pmon's of all of it: three of 49.5 .. 51
	 * %, a step of 48 ms, 18 at most 1 %, 36 ms and 0.6 % of 1.7 s off. Both are true. */
	check_busy("the driver and pmon", make_both, "bounds 1.44 .. 1.79");
	check_busy("the driver against pmon", make_conflict, "conflict 0.00 .. 1.91");
	check_busy("'-' of a process: unknown", make_unsampled, "bounds 0.00 .. 3.28");
	/* 49.5 % at least; 102 at most, and twice 1 % of the rest; 36 ms and 0.6 % of 3.39 s off. */
	check_busy("two processes, in turn or at once", make_two, "bounds 1.43 .. 3.45");
	check_busy("'-' and never a process: nothing is known", make_blind, "(none)");
}

int main(void)
{
	if (!td_derive_set_up())
		return 1;
	test_cpu();
	test_cpu_sources(false);
	test_cpu_sources(true);
	test_cpu_phase();
	test_tellers();
	td_derive_tear_down();
	return td_check_result();
}
