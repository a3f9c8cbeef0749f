/* SPDX-License-Identifier: MIT */
/*
 * collective_name and collective_sum: names as versions of NCCL and RCCL have them, and sums
 * against the view, which finds the same by plain SQL where they are not held; that the view is
 * right is tested by hand in tests/sql/.
 */
#include "schema/collectives.h"
#include "tests/unit/derive.h"

#define SEED 5
#define ROUNDS 400
#define ALL_REDUCE "ncclDevKernel_AllReduce_Sum_f32_RING_LL"

static const struct {
	const char *kernel, *collective; /* NULL: it is none */
} names[] = {
	/* NCCL 2.4 to 2.7, 2.8 to 2.18, 2.19 and later, 2.27's symmetric ones, RCCL */
	{ "ncclAllReduceRingLLKernel_sum_f32(ncclColl)", "ncclAllReduceRingLLKernel_sum_f32" },
	{ "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)",
	  "ncclKernel_AllReduce_RING_LL_Sum_float" },
	{ "void ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)",
	  "ncclKernel_AllReduce_RING_LL_Sum_float" },
	{ "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)",
	  "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t" },
	{ ALL_REDUCE "(ncclDevKernelArgsStorage<4096ul>)", ALL_REDUCE },
	{ ALL_REDUCE "(ncclDevComm*, unsigned long, ncclWork*)", ALL_REDUCE },
	{ ALL_REDUCE, ALL_REDUCE },
	{ "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", "ncclDevKernel_SendRecv" },
	{ "ncclSymkDevKernel_AllReduce_AGxLL_R_sum_f32(ncclSymkDevWorkArgs const*)",
	  "ncclSymkDevKernel_AllReduce_AGxLL_R_sum_f32" },
	{ "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>) [clone .kd]",
	  "ncclDevKernel_Generic_4" },
	/* templates, with a cast as an argument, and what the linker calls them */
	{ "void ncclKernel<(ncclFunc_t)2, FuncSum<float> >(ncclDevComm*)",
	  "ncclKernel<(ncclFunc_t)2, FuncSum<float> >" },
	{ "_Z22ncclDevKernel_SendRecv24ncclDevKernelArgsStorageILm4096EE",
	  "_Z22ncclDevKernel_SendRecv24ncclDevKernelArgsStorageILm4096EE" },
	{ "_Z108ncclDevKernel_AllReduce", "_Z108ncclDevKernel_AllReduce" },
	{ "_Z9ncclThingv", "_Z9ncclThingv" },
	/* others */
	{ "gemm(nccl)", NULL },
	{ "_Z4gemm8ncclGemm", NULL },
	{ "_ZncclX", NULL },
	{ "void gemm<ncclDevComm>(float*)", NULL },
	{ "avoid ncclKernel", NULL },
	{ "void ", NULL },
	{ "", NULL },
};

static void test_names(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++) {
		const char *kernel = names[i].kernel, *want = names[i].collective;
		struct td_str got = td_collective_name((struct td_str){ kernel, strlen(kernel) });

		TD_CASE(kernel);
		TD_CHECK(want ? got.p && td_str_eq(got, want) : !got.p);
	}
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static void add_kernel(struct td_store *st, uint16_t source_id, const char *name, int64_t start_ns,
		       int64_t dur_ns, uint32_t gpu, uint32_t process)
{
	struct td_gpu_op op = TD_GPU_OP_INIT;

	op.start_ns = start_ns;
	op.dur_ns = dur_ns;
	op.device_id = gpu;
	op.process_id = process;
	op.kind_id = td_store_cstr(st, "kernel");
	op.name_id = td_store_cstr(st, name);
	op.source_id = source_id;
	td_stage_row(st, TD_KIND_GPU_OP, &op);
}

/* Three ranks on two GPUs, one of which nobody knows the process of, which are a little late and
 * now and then so much that they do not meet; of one collective all have as many, of another one
 * rank has a few less, of a third there is one rank. Some ends are unknown. */
static struct td_store *make_ranks(void)
{
	static const char *const spelled[] = { ALL_REDUCE "(a*)", "void " ALL_REDUCE "(b*)",
					       ALL_REDUCE };
	struct td_store *st = td_new_store();
	uint32_t x = SEED, gpus[2], processes[3] = { 0 };
	struct td_gpu_op copy = TD_GPU_OP_INIT;

	td_stage_source(st, true);
	td_store_source_at(st, 1)->rank = 7;
	for (int i = 0; i < 2; i++)
		gpus[i] = td_store_device(st, TD_DEVICE_GPU, i ? "GPU 1" : "GPU 0", 5, i);
	processes[0] = td_store_process(st, 100, "a", 1);
	processes[1] = td_store_process(st, 101, "b", 1);
	for (int64_t i = 0; i < ROUNDS; i++)
		for (uint32_t rank = 0; rank < 3; rank++) {
			int64_t at = i * 10000 + next_random(&x) % 6 * 100, dur_ns = 450;

			if (next_random(&x) % 30 == 0)
				dur_ns = TD_NULL;
			add_kernel(st, 1, spelled[next_random(&x) % 3], at, dur_ns, gpus[rank % 2],
				   processes[rank]);
			if (rank || i > 20)
				add_kernel(st, 1, "ncclDevKernel_Broadcast(x)", at + 2000, 450,
					   gpus[rank % 2], processes[rank]);
			if (!rank)
				add_kernel(st, 1, "ncclDevKernel_SendRecv", at + 4000, 5, gpus[0],
					   processes[rank]);
			add_kernel(st, 1, "gemm(nccl)", at + 5000, 9, gpus[0], processes[rank]);
		}
	copy.device_id = gpus[0];
	copy.kind_id = td_store_cstr(st, "copy");
	copy.name_id = td_store_cstr(st, "ncclCopy");
	copy.source_id = 1;
	td_stage_row(st, TD_KIND_GPU_OP, &copy);
	return st;
}

static const char whole[] =
	"SELECT group_concat(v, '|') FROM (SELECT n.collective || ' ' || s.device_id || ' ' || "
	"coalesce(s.process_id, '') || ' ' || coalesce(rank, '') || ' ' || kernels || ' ' || timed "
	"|| ' ' || total_ns || ' ' || max_ns || ' ' || matched || ' ' || last || ' ' || late_ns || "
	"' ' || behind_ns || ' ' || waited_ns || ' ' || cost_ns || ' ' || coalesce(worst_ns, '') "
	"|| ' ' || coalesce(worst_start_ns, '') || ' ' || coalesce(clock_error_ns, '') || ' ' || "
	"alike || ' ' || clocks_agree AS v FROM collective_stat AS s JOIN collective_name AS n ON "
	"n.name_id = s.of_id ORDER BY 1)";

static void compare(sqlite3 *held, sqlite3 *found, const char *sql)
{
	sqlite3_stmt *got = NULL, *want = NULL;

	TD_CHECK_INT(sqlite3_prepare_v2(held, sql, -1, &got, NULL), SQLITE_OK);
	TD_CHECK_INT(sqlite3_prepare_v2(found, sql, -1, &want, NULL), SQLITE_OK);
	TD_CHECK_INT(sqlite3_step(got), SQLITE_ROW);
	TD_CHECK_INT(sqlite3_step(want), SQLITE_ROW);
	TD_CHECK_STR((const char *)sqlite3_column_text(got, 0),
		     (const char *)sqlite3_column_text(want, 0));
	sqlite3_finalize(got);
	sqlite3_finalize(want);
}

static void test_sums(void)
{
	_cleanup_(td_store_freep) struct td_store *st = make_ranks();
	sqlite3 *held = td_derived(st), *found = td_derived_within(st, 20);

	TD_CASE("names");
	td_same_rows(held, "SELECT name_id, of_id, collective FROM collective_name",
		     "SELECT id, min(id) OVER (PARTITION BY name), name FROM (SELECT id, "
		     "replace(CASE WHEN text LIKE '%(%' THEN substr(text, 1, instr(text, '(') - 1) "
		     "ELSE text END, 'void ', '') AS name FROM string WHERE text GLOB "
		     "'*ncclDevKernel*')");
	TD_CASE("sums");
	TD_CHECK_INT(td_sql_int(held, "SELECT count(*) FROM collective_sum"), 7);
	TD_CHECK(td_sql_int(held, "SELECT min(matched) FROM collective_sum WHERE alike") > 100);
	TD_CHECK_INT(td_sql_int(found, "SELECT count(*) FROM collective_sum"), 0);
	compare(held, found, whole);
	db_close(held);
	db_close(found);
}

#define MEETINGS 40

/* A rank of a job, on its machine: its clock is ahead, and its source says how well its own times are known. */
struct made_rank {
	const char *host;
	int64_t ahead_ns, error_ns;
};

static void add_source(struct td_store *st, const struct made_rank *of, int64_t rank)
{
	struct td_source *s = td_store_source_at(st, td_store_source(st, "a"));

	s->offset_ns = TD_MADE_UTC;
	s->error_ns = of->error_ns;
	s->first_native_ns = s->last_native_ns = 0;
	s->rank = rank;
	s->host = of->host ? strdup(of->host) : NULL;
}

static void add_epoch(struct td_store *st, uint16_t source_id, int32_t rank, int64_t start_ns,
		      int64_t dur_ns)
{
	struct td_span s = TD_SPAN_INIT;

	s.start_ns = start_ns;
	s.dur_ns = dur_ns;
	s.rank = rank;
	s.kind_id = td_store_cstr(st, "phase");
	s.name_id = td_store_cstr(st, "epoch");
	s.state_id = td_store_cstr(st, "complete");
	s.source_id = source_id;
	td_stage_row(st, TD_KIND_SPAN, &s);
}

/* What ranks meet in, by the clock of each: all-reduces that none ends before the last one has begun, and epochs. */
static struct td_store *make_machines(const struct made_rank *ranks, int nranks, uint32_t seed)
{
	struct td_store *st = td_new_store();

	for (int rank = 0; rank < nranks; rank++)
		add_source(st, &ranks[rank], nranks - rank);
	for (int rank = 0; rank < nranks; rank++) {
		uint32_t x = seed * 100 + (uint32_t)rank, gpu, process;
		uint16_t source = (uint16_t)(rank + 1);

		gpu = td_store_device(st, TD_DEVICE_GPU, "GPU", 3, rank);
		process = rank ? td_store_process(st, 100 + rank, "a", 1) : 0;
		for (int64_t i = 1; i <= MEETINGS; i++)
			add_kernel(st, source, ALL_REDUCE,
				   i * 10000000 + next_random(&x) % 6000 + ranks[rank].ahead_ns,
				   6000 + next_random(&x) % 3000, gpu, process);
		add_epoch(st, source, rank, 1000 + ranks[rank].ahead_ns,
			  next_random(&x) % 5000 + 900000);
	}
	return st;
}

static void test_machines(const char *what, const struct made_rank *ranks, int nranks,
			  int64_t known)
{
	static const char clocks[] =
		"SELECT count(*) || ' ' || coalesce(group_concat(v, '|'), '') FROM (SELECT "
		"source_id || ' ' || "
		"coalesce(host, '') || ' ' || ahead_ns || ' ' || coalesce(error_ns, '') AS v FROM "
		"machine_clock "
		"ORDER BY 1)";

	for (uint32_t seed = 1; seed <= 2; seed++) {
		_cleanup_(td_store_freep) struct td_store *st = make_machines(ranks, nranks, seed);
		sqlite3 *held = td_derived(st), *found = td_derived_within(st, 20);

		TD_CASE(what);
		TD_CHECK_INT(td_sql_int(held, "SELECT count(ahead_ns) FROM machine_clock_held"),
			     known);
		TD_CHECK_INT(td_sql_int(found, "SELECT count(*) FROM machine_clock_held"), 0);
		compare(held, found, clocks);
		compare(held, found, whole);
		/* the true difference is in the range that is said */
		for (int i = 0; i < nranks && known == nranks; i++) {
			char sql[256];

			(void)snprintf(
				sql, sizeof(sql),
				"SELECT count(*) FROM machine_clock WHERE source_id = %d AND "
				"abs(ahead_ns - %lld) <= error_ns",
				i + 1, (long long)(ranks[i].ahead_ns - ranks[nranks - 1].ahead_ns));
			TD_CHECK_INT(td_sql_int(held, sql), 1);
		}
		db_close(held);
		db_close(found);
	}
}

static void test_clocks(void)
{
	static const struct made_rank two[] = { { "a", 0, 1 }, { "b", 1000000, 1 } },
				      four[] = { { "a", 0, 1 },
						 { "b", -3000000, 700 },
						 { "b", -3000000, 900 },
						 { "c", 70000, 1 } },
				      one[] = { { "a", 0, 1 }, { "a", 0, 1 } },
				      nobody[] = { { "a", 0, 1 }, { NULL, 5000, 1 } },
				      unknown[] = { { "a", 0, 1 }, { "b", 5000, TD_NULL } };

	test_machines("two machines", two, 2, 2);
	test_machines("three machines", four, 4, 4);
	test_machines("one machine", one, 2, 0);
	test_machines("a source of no machine", nobody, 2, 0);
	test_machines("a clock that is not known", unknown, 2, 1);
}

int main(void)
{
	if (!td_derive_set_up())
		return 1;
	test_names();
	test_sums();
	test_clocks();
	td_derive_tear_down();
	return td_check_result();
}
