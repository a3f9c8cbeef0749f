/* SPDX-License-Identifier: MIT */
/* operator_sum against what operator_stat says where the table is empty: by SQL over the spans, the
 * calls and the work. */
#include "tests/unit/derive.h"

#define SEED 3
#define ROUNDS 700
/* As op_sum puts them together. */
#define BY_OPERATOR(table)                                                                         \
	"SELECT k.text, CASE k.text WHEN 'nvtx' THEN substr(n.text, 1, instr(n.text, ', ') - 1) "  \
	"ELSE n.text END AS name, sum(calls), sum(total_ns), sum(self_ns), min(min_ns), "          \
	"max(max_ns), sum(gpu_ops), sum(gpu_ns) FROM " table                                       \
	" JOIN string AS k ON k.id = kind_id JOIN string AS n ON n.id = name_id GROUP BY 1, 2"

/* How long after its call what it launched begins, at least and at most. */
#define DELAY(which)                                                                               \
	"(SELECT " which "(w.start_ns - c.start_ns) FROM (SELECT process_id, correlation, "        \
	"start_ns, min(id) FROM call WHERE op_id = (SELECT id FROM op WHERE layer = 'cuda') "      \
	"GROUP BY 1, 2) AS c JOIN gpu_op AS w USING (process_id, correlation) WHERE w.kind_id <> " \
	"(SELECT id FROM string WHERE text = 'sync'))"

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

struct made {
	struct td_store *st;
	uint32_t x;
	uint32_t processes[3], threads[4]; /* the first: unknown */
	uint16_t cuda, other;
};

/* A span of some kind and name; several may begin at one time, the shorter one first. */
static void put_span(struct made *m, uint32_t thread, int64_t start_ns, int64_t dur_ns)
{
	static const char *const kinds[] = { "cpu-op", "cpu-op", "annotation", "nvtx", "python" };
	static const char *const names[] = { "add", "mm, op_id = ", "t, seq = 4", "mine" };
	uint32_t name = next_random(&m->x) % 4;
	char text[32];
	struct td_span s = TD_SPAN_INIT;

	s.start_ns = start_ns;
	s.dur_ns = next_random(&m->x) % 40 ? dur_ns : TD_NULL;
	s.kind_id = td_store_cstr(m->st, kinds[next_random(&m->x) % 5]);
	(void)snprintf(text, sizeof(text), "%s%u", names[name],
		       name == 1 ? next_random(&m->x) % 50 : 0);
	s.name_id = td_store_cstr(m->st, text);
	s.state_id = td_store_cstr(m->st, s.dur_ns == TD_NULL ? "unfinished" : "complete");
	s.process_id = m->processes[thread == 1 ? 1 : 2];
	s.thread_id = m->threads[thread];
	s.source_id = 1;
	td_stage_row(m->st, TD_KIND_SPAN, &s);
}

/* A call in it or beside it, now and then with the number of the one before, and what it launched. */
static void put_launch(struct made *m, int32_t number, uint32_t thread, int64_t start_ns)
{
	struct td_call c = TD_CALL_INIT;

	c.start_ns = start_ns;
	c.dur_ns = 7;
	c.op_id = next_random(&m->x) % 9 ? m->cuda : m->other;
	c.process_id = m->processes[thread == 1 ? 1 : 2];
	c.thread_id = m->threads[thread];
	c.correlation = next_random(&m->x) % 9 ? number : number - 1;
	c.source_id = 1;
	td_stage_row(m->st, TD_KIND_CALL, &c);
	for (uint32_t i = next_random(&m->x) % 4; i > 0; i--) {
		static const char *const kinds[] = { "kernel", "copy", "sync" };
		struct td_gpu_op op = TD_GPU_OP_INIT;

		op.start_ns = start_ns + 20;
		op.dur_ns = next_random(&m->x) % 500;
		if (next_random(&m->x) % 9 == 0)
			op.dur_ns = next_random(&m->x) % 2 ? TD_NULL : INT64_C(3000000000);
		op.device_id = td_store_device(m->st, TD_DEVICE_GPU, "GPU 0", 5, 0);
		op.kind_id = td_store_cstr(m->st, kinds[next_random(&m->x) % 3]);
		op.name_id = td_store_cstr(m->st, "name");
		op.process_id = next_random(&m->x) % 9 ? c.process_id : 0;
		op.correlation = next_random(&m->x) % 9 ? c.correlation : TD_NULL;
		op.source_id = 1;
		td_stage_row(m->st, TD_KIND_GPU_OP, &op);
	}
}

static struct td_store *make(int64_t step_ns)
{
	struct made m = { .st = td_new_store(), .x = SEED };
	int64_t now_ns = 1000000;

	td_stage_source(m.st, true);
	m.cuda = td_store_op(m.st, "cudaLaunchKernel", 16, TD_LAYER_CUDA);
	m.other = td_store_op(m.st, "read", 4, TD_LAYER_SYSCALL);
	for (int i = 1; i < 3; i++)
		m.processes[i] = td_store_process(m.st, 100 + i, "a", 1);
	for (int i = 1; i < 4; i++)
		m.threads[i] = td_store_thread(m.st, 200 + i, m.processes[i == 1 ? 1 : 2]);
	for (int32_t i = 1; i <= ROUNDS; i++) {
		uint32_t thread = next_random(&m.x) % 4;
		int64_t inner_ns = now_ns + (int64_t)(next_random(&m.x) % 2) * 100;

		put_span(&m, thread, inner_ns, 300);
		put_span(&m, thread, now_ns, 1000);
		put_span(&m, thread, inner_ns, (int64_t)(next_random(&m.x) % 300));
		put_launch(&m, i, thread, now_ns + next_random(&m.x) % 1100);
		now_ns += step_ns;
	}
	return m.st;
}

static void test_rows(struct td_store *st)
{
	sqlite3 *db = td_derived(st);

	TD_CASE("rows");
	TD_CHECK_INT(sqlite3_exec(db,
				  "CREATE TEMP TABLE held AS SELECT * FROM operator_sum; "
				  "DELETE FROM operator_sum",
				  NULL, NULL, NULL),
		     SQLITE_OK);
	td_same_rows(db, BY_OPERATOR("held"), BY_OPERATOR("operator_stat"));
	/* off by what 128 calls differ by at most, which begin 1,100 ns apart, some of their
	 * numbers 1,100 more */
	TD_CHECK_INT(
		td_sql_int(
			db,
			"SELECT count(*) FROM held WHERE NOT coalesce(delay_min_ns "
			"BETWEEN " DELAY("min") " - 150 * 1100 AND " DELAY(
				"min") " AND delay_max_ns BETWEEN " DELAY("max") " AND " DELAY("ma"
											       "x") " + 150 * 1100, 0)"),
		0);
	TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM held WHERE kind_id = (SELECT id FROM "
				    "string WHERE text = 'nvtx')"),
		     2);
	TD_CHECK(td_sql_int(db,
			    "SELECT count(*) FROM held WHERE self_ns < total_ns AND gpu_ops > 9") >
		 5);
	db_close(db);
}

static void test_empty(struct td_store *st, int64_t budget)
{
	sqlite3 *db = td_derived_within(st, budget);

	TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM operator_sum"), 0);
	TD_CHECK(td_sql_int(db, "SELECT count(*) FROM operator_stat") > 0);
	db_close(db);
}

int main(void)
{
	_cleanup_(td_store_freep) struct td_store *st = NULL, *at_once = NULL;

	if (!td_derive_set_up())
		return 1;
	st = make(1100);
	test_rows(st);
	TD_CASE("too many names");
	test_empty(st, 9);
	TD_CASE("too many at one time");
	at_once = make(0);
	test_empty(at_once, -1);
	td_derive_tear_down();
	return td_check_result();
}
