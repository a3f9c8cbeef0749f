/* SPDX-License-Identifier: MIT */
/* launch_sum against what launch_stat says where the table is empty: by SQL over the calls and the work. */
#include "tests/unit/derive.h"

#define SEED 9
#define LAUNCHES 2500
#define COLUMNS                                                                                    \
	"device_id, phase, since_ns, wall_ns, kernels, total_ns, launches, launch_ns, "            \
	"delay_p50_ns, gaps, gap_ns, starved, starved_ns"

/* How long after its call a kernel begins, at least and at most. */
#define DELAYS                                                                                     \
	"WITH launch AS (SELECT process_id, correlation, start_ns, min(id) FROM call WHERE "       \
	"op_id IN (SELECT id FROM op WHERE name = 'cudaLaunchKernel') GROUP BY 1, 2), "            \
	"part AS (SELECT '(run)' AS phase, -1 << 62 AS start_ns, 1 << 62 AS end_ns UNION ALL "     \
	"SELECT label, start_ns, end_ns FROM phase_interval WHERE label IN (SELECT name FROM "     \
	"phases) AND label <> '(run)') "                                                           \
	"SELECT w.device_id, p.phase, min(w.start_ns - l.start_ns), max(w.start_ns - l.start_ns) " \
	"FROM part AS p JOIN gpu_op AS w ON w.start_ns >= p.start_ns AND w.start_ns < p.end_ns "   \
	"JOIN launch AS l USING (process_id, correlation) WHERE w.dur_ns IS NOT NULL AND "         \
	"w.kind_id = (SELECT id FROM string WHERE text = 'kernel') GROUP BY 1, 2"

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

struct made {
	struct td_store *st;
	uint32_t x;
	uint32_t gpus[3], processes[3]; /* the first process: unknown */
	uint16_t launch, copy;
};

static void put_phase(struct made *m, const char *name, int64_t number, int64_t start_ns,
		      int64_t dur_ns)
{
	struct td_span s = TD_SPAN_INIT;

	s.start_ns = start_ns;
	s.dur_ns = dur_ns;
	s.kind_id = td_store_cstr(m->st, "phase");
	s.name_id = td_store_cstr(m->st, name);
	s.state_id = td_store_cstr(m->st, dur_ns == TD_NULL ? "unfinished" : "complete");
	s.number = number;
	s.source_id = 1;
	td_stage_row(m->st, TD_KIND_SPAN, &s);
}

/* No two kernels of a call begin at one time: which one is the first has to be known. */
static void put_work(struct made *m, const struct td_call *c, int64_t start_ns)
{
	static const char *const kinds[] = { "kernel", "kernel", "kernel", "copy", "sync" };
	struct td_gpu_op op = TD_GPU_OP_INIT;

	op.start_ns = start_ns;
	op.dur_ns = next_random(&m->x) % 30 ? (int64_t)(next_random(&m->x) % 20) * 1000 : TD_NULL;
	op.device_id = m->gpus[next_random(&m->x) % 3];
	op.kind_id = td_store_cstr(m->st, kinds[next_random(&m->x) % 5]);
	op.name_id = td_store_cstr(m->st, "name");
	op.process_id = next_random(&m->x) % 9 ? c->process_id : 0;
	op.correlation = next_random(&m->x) % 9 ? c->correlation : TD_NULL;
	op.source_id = 1;
	td_stage_row(m->st, TD_KIND_GPU_OP, &op);
}

/* A call, now and then of the number of the one before, none to four pieces of work that it
 * launched, at times long after it or, as clocks are, before. */
static void put_launch(struct made *m, int32_t number, int64_t start_ns)
{
	struct td_call c = TD_CALL_INIT;
	int64_t work_ns = start_ns - 3000 + (int64_t)(next_random(&m->x) % 40) * 1000;

	c.start_ns = start_ns;
	c.dur_ns = next_random(&m->x) % 20 ? (int64_t)(next_random(&m->x) % 8000) : TD_NULL;
	c.op_id = next_random(&m->x) % 9 ? m->launch : m->copy;
	c.process_id = m->processes[next_random(&m->x) % 20 ? 1 + number % 2 : 0];
	c.correlation = next_random(&m->x) % 9 ? number : number - 2;
	c.source_id = 1;
	td_stage_row(m->st, TD_KIND_CALL, &c);
	if (next_random(&m->x) % 50 == 0)
		work_ns += INT64_C(9000000000);
	for (uint32_t i = next_random(&m->x) % 5; i > 0; i--)
		put_work(m, &c, work_ns += 1 + next_random(&m->x) % 9000);
}

static struct td_store *make(int64_t last_delay_ns)
{
	static const char *const names[] = { "a", "b", "c" };
	struct made m = { .st = td_new_store(), .x = SEED };
	struct td_call c = TD_CALL_INIT;
	int64_t now_ns = 1000000;

	td_stage_source(m.st, true);
	m.launch = td_store_op(m.st, "cudaLaunchKernel", 16, TD_LAYER_CUDA);
	m.copy = td_store_op(m.st, "cudaMemcpyAsync", 15, TD_LAYER_CUDA);
	for (int i = 0; i < 3; i++)
		m.gpus[i] = td_store_device(m.st, TD_DEVICE_GPU, names[i], 1, i);
	for (int i = 1; i < 3; i++)
		m.processes[i] = td_store_process(m.st, 100 + i, "a", 1);
	put_phase(&m, "epoch", 1, 1500000, 10000000);
	put_phase(&m, "eval", TD_NULL, 9000000, 4000000); /* overlaps */
	put_phase(&m, "epoch", 2, 20000000, 5000000);
	put_phase(&m, "epoch 2", TD_NULL, 21000000, 1000000);
	put_phase(&m, "never ends", TD_NULL, 22000000, TD_NULL);
	put_phase(&m, "(run)", TD_NULL, 22000000, 100000);
	put_phase(&m, "nothing", TD_NULL, INT64_C(500000000000), 1);
	for (int32_t i = 1; i <= LAUNCHES; i++) {
		put_launch(&m, i, now_ns);
		now_ns += 5000 + (int64_t)(next_random(&m.x) % 20) * 1000;
	}
	c.start_ns = now_ns;
	c.op_id = m.launch;
	c.process_id = m.processes[1];
	c.correlation = LAUNCHES + 1;
	c.source_id = 1;
	td_stage_row(m.st, TD_KIND_CALL, &c);
	for (int i = 0; i < 20; i++)
		put_work(&m, &c, now_ns + last_delay_ns + i);
	return m.st;
}

static void test_rows(struct td_store *st)
{
	sqlite3 *db = td_derived(st);

	TD_CASE("rows");
	TD_CHECK_INT(sqlite3_exec(db,
				  "CREATE TEMP TABLE held AS SELECT * FROM launch_sum; "
				  "DELETE FROM launch_sum",
				  NULL, NULL, NULL),
		     SQLITE_OK);
	td_same_rows(db, "SELECT " COLUMNS " FROM held", "SELECT " COLUMNS " FROM launch_stat");
	td_same_rows(db, "SELECT device_id, phase, delay_min_ns, delay_max_ns FROM held", DELAYS);
	TD_CHECK(td_sql_int(db, "SELECT count(*) FROM held WHERE delay_min_ns < 0") > 0);
	TD_CHECK_INT(td_sql_int(db,
				"SELECT count(*) FROM held WHERE starved > 0 AND starved < gaps "
				"AND launches < kernels AND launch_ns > 0 AND delay_p50_ns > 0"),
		     3 * 4); /* the run, epoch, eval, epoch 2 */
	db_close(db);
}

static void test_empty(struct td_store *st, int64_t budget)
{
	sqlite3 *db = td_derived_within(st, budget);

	TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM launch_sum"), 0);
	TD_CHECK(td_sql_int(db, "SELECT count(*) FROM launch_stat") > 0);
	db_close(db);
}

int main(void)
{
	_cleanup_(td_store_freep) struct td_store *st = NULL, *late = NULL;

	if (!td_derive_set_up())
		return 1;
	st = make(1000);
	test_rows(st);
	TD_CASE("too many");
	test_empty(st, 99);
	TD_CASE("a delay of a week");
	late = make(INT64_C(604800000000000));
	test_empty(late, -1);
	td_derive_tear_down();
	return td_check_result();
}
