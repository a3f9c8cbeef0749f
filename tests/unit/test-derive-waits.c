/* SPDX-License-Identifier: MIT */
/* gpu_wait_stat against what sync_stat says where the table is empty: by SQL over the calls and the work. */
#include "tests/unit/derive.h"

#define SEED 5
#define WORK 3000
#define COLUMNS                                                                                    \
	"op_id, process_id, thread_id, calls, stalls, stall_ns, max_ns, max_start_ns, idle_ns, "   \
	"after_ns, wall_ns"

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

struct made {
	struct td_store *st;
	uint32_t x;
	uint32_t gpus[4], processes[5], threads[5];
	uint16_t ops[4];
};

/* Process 1 works on GPU 0 and later on 1, 2 on 1, 3 on 2; 4 and an unknown one (0) on 3; pauses of all of them. */
static void put_work(struct made *m, int i, int64_t now_ns, int64_t dur_ns)
{
	struct td_gpu_op op = TD_GPU_OP_INIT;
	uint32_t process = next_random(&m->x) % 5;
	static const int gpu_of[] = { 3, 0, 1, 2, 3 };

	op.start_ns = now_ns;
	op.dur_ns = next_random(&m->x) % 40 ? dur_ns : TD_NULL;
	op.device_id = m->gpus[process == 1 && i > WORK / 2 ? (int)next_random(&m->x) % 2
							    : gpu_of[process]];
	op.process_id = m->processes[process];
	op.kind_id = td_store_cstr(m->st, next_random(&m->x) % 10 ? "kernel" : "sync");
	op.name_id = td_store_cstr(m->st, "name");
	op.source_id = 1;
	td_stage_row(m->st, TD_KIND_GPU_OP, &op);
}

/* Of two threads of process 1, one of 2 and 3, one that is not known of 4; some end with a piece of
 * work or begin with one. */
static void put_call(struct made *m, int64_t now_ns)
{
	struct td_call c = TD_CALL_INIT;
	uint32_t thread = next_random(&m->x) % 5;
	static const int process_of[] = { 4, 1, 1, 2, 3 };

	c.start_ns = now_ns - (int64_t)(next_random(&m->x) % 4) * 1000;
	c.dur_ns = 5000 + (int64_t)(next_random(&m->x) % 100) * 1000;
	if (next_random(&m->x) % 30 == 0)
		c.dur_ns = TD_NULL;
	c.op_id = m->ops[next_random(&m->x) % 4];
	c.process_id = m->processes[process_of[thread]];
	c.thread_id = m->threads[thread];
	c.source_id = 1;
	td_stage_row(m->st, TD_KIND_CALL, &c);
}

static struct td_store *make(int64_t shortest_ns)
{
	static const char *const ops[] = { "cudaStreamSynchronize", "cudaMemcpy", "cudaMemcpyAsync",
					   "cudaLaunchKernel" };
	struct made m = { .st = td_new_store(), .x = SEED };
	int64_t now_ns = 1000000;

	td_stage_source(m.st, true);
	for (int i = 0; i < 4; i++) {
		m.gpus[i] = td_store_device(m.st, TD_DEVICE_GPU, "GPU", 3, i);
		m.ops[i] = td_store_op(m.st, ops[i], strlen(ops[i]), TD_LAYER_CUDA);
		m.processes[i + 1] = td_store_process(m.st, 100 + i, "a", 1);
	}
	for (int i = 1; i < 5; i++)
		m.threads[i] = td_store_thread(m.st, 200 + i, m.processes[i < 3 ? 1 : i - 1]);
	for (int i = 0; i < WORK; i++) {
		now_ns += (int64_t)(next_random(&m.x) % 5) * 1000;
		if (i % 100 == 0)
			now_ns += 50000;
		if (i > 20) /* before that they wait in vain */
			put_work(&m, i, now_ns,
				 shortest_ns + (int64_t)(next_random(&m.x) % 8) * 1000);
		if (next_random(&m.x) % 3 == 0)
			put_call(&m, now_ns);
	}
	return m.st;
}

static void test_rows(struct td_store *st)
{
	sqlite3 *db = td_derived(st);

	TD_CASE("rows");
	TD_CHECK_INT(sqlite3_exec(db,
				  "CREATE TEMP TABLE held AS SELECT * FROM gpu_wait_stat; "
				  "DELETE FROM gpu_wait_stat",
				  NULL, NULL, NULL),
		     SQLITE_OK);
	td_same_rows(db, "SELECT " COLUMNS " FROM held", "SELECT " COLUMNS " FROM sync_stat");
	TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM held"), 2 * 5);
	TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM held WHERE idle_ns > 0 AND after_ns > 0 "
				    "AND idle_ns < stall_ns"),
		     2 * 5);
	db_close(db);
}

static void test_empty(struct td_store *st, int64_t budget)
{
	sqlite3 *db = td_derived_within(st, budget);

	TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM gpu_wait_stat"), 0);
	TD_CHECK(td_sql_int(db, "SELECT count(*) FROM sync_stat") > 0);
	db_close(db);
}

int main(void)
{
	_cleanup_(td_store_freep) struct td_store *st = NULL, *with_empty = NULL;

	if (!td_derive_set_up())
		return 1;
	st = make(1000);
	test_rows(st);
	TD_CASE("too many");
	test_empty(st, 20);
	TD_CASE("work that takes no time");
	with_empty = make(0);
	test_empty(with_empty, -1);
	td_derive_tear_down();
	return td_check_result();
}
