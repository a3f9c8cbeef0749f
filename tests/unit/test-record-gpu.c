/* SPDX-License-Identifier: MIT */
/* As test-record.c, of what programs tell of their GPU work: operations, memory, calls of the CUDA
 * APIs, NVTX ranges. */
#include "tests/unit/recording.h"

static void add_gpu_name(struct td_strbuf *b, uint32_t pid, uint32_t number, const char *name)
{
	struct td_wire_gpu_name w = { .head = { .tid = pid },
				      .name = number,
				      .name_len = (uint32_t)strlen(name) };

	td_wire_add(b, TD_WIRE_GPU_NAME, &w, sizeof(w), name);
}

static void add_gpu_op(struct td_strbuf *b, unsigned kind, uint64_t start_ns, uint64_t end_ns,
		       uint32_t what)
{
	struct td_wire_gpu_op w = { .head = { .tid = 10, .flags = (uint8_t)kind },
				    .start_ns = start_ns,
				    .end_ns = end_ns,
				    .bytes = 4096,
				    .device = 1,
				    .stream = kind == TD_WIRE_GPU_SET ? UINT32_MAX : 7,
				    .correlation = 99,
				    .what = what };

	td_wire_add(b, TD_WIRE_GPU_OP, &w, sizeof(w), NULL);
}

static void check_gpu_op(const struct td_imported *in, size_t i, const char *kind, const char *name,
			 int64_t after_ns, int64_t dur_ns)
{
	const struct td_gpu_op *op = &in->gpu_ops[i];

	TD_CHECK_STR(td_text_of(in, op->kind_id), kind);
	TD_CHECK_STR(td_text_of(in, op->name_id), name);
	TD_CHECK_INT(op->start_ns, (int64_t)T0 + after_ns);
	TD_CHECK_INT(op->dur_ns, dur_ns);
	TD_CHECK_INT(op->correlation, 99);
}

static void test_gpu_ops(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	TD_CASE("work on a GPU");
	add_header(&b);
	add_gpu_name(&b, 10, 1, "gemm");
	add_gpu_name(&b, 11, 1, "of another process");
	add_gpu_op(&b, TD_WIRE_GPU_KERNEL, T0 + 10, T0 + 15, 1);
	add_gpu_op(&b, TD_WIRE_GPU_COPY, T0 + 20, T0 + 27, 1);
	add_gpu_op(&b, TD_WIRE_GPU_COPY, T0 + 30, T0 + 31, 77); /* a kind that came later */
	add_gpu_op(&b, TD_WIRE_GPU_SET, T0 + 40, T0 + 42, 0);
	/* its name did not come; it ends before it begins; of another recorder */
	add_gpu_op(&b, TD_WIRE_GPU_KERNEL, T0 + 60, T0 + 61, 2);
	add_gpu_op(&b, TD_WIRE_GPU_KERNEL, T0 + 71, T0 + 70, 1);
	add_gpu_op(&b, 4, T0 + 50, T0 + 59, 3);
	add_gpu_op(&b, 200, T0 + 80, T0 + 81, 1);
	import_stream(&in, &b);
	check_counts(&in, 7, 2, 2);
	TD_CHECK_INT(in.ngpu_ops, 4);
	check_gpu_op(&in, 0, "kernel", "gemm", 10, 5);
	check_gpu_op(&in, 1, "copy", "[CUDA memcpy Host-to-Device]", 20, 7);
	check_gpu_op(&in, 2, "copy", "[CUDA memcpy Unknown]", 30, 1);
	check_gpu_op(&in, 3, "set", "[CUDA memset]", 40, 2);
	TD_CHECK_INT(in.gpu_ops[0].bytes, TD_NULL);
	TD_CHECK_INT(in.gpu_ops[1].bytes, 4096);
	TD_CHECK_INT(in.gpu_ops[0].stream, 7);
	TD_CHECK_INT(in.gpu_ops[3].stream, INT32_MIN);
	TD_CHECK_INT(td_store_process_at(in.st, in.gpu_ops[0].process_id)->pid, 10);
}

static void test_gpu_graphs(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	TD_CASE("CUDA graphs as a whole");
	add_header(&b);
	add_gpu_op(&b, TD_WIRE_GPU_GRAPH, T0 + 10, T0 + 15, 17);
	import_stream(&in, &b);
	check_counts(&in, 2, 0, 0);
	check_gpu_op(&in, 0, "graph", "CUDA graph 17", 10, 5);
}

static void add_memory(struct td_strbuf *b, uint64_t time_ns, uint64_t bytes, uint32_t kind,
		       unsigned flags)
{
	struct td_wire_gpu_memory w = { .head = { .tid = 10, .flags = (uint8_t)flags },
					.time_ns = time_ns,
					.bytes = bytes,
					.device = 1,
					.memory_kind = kind };

	td_wire_add(b, TD_WIRE_GPU_MEMORY, &w, sizeof(w), NULL);
}

/* Seconds make it easy to read: 100 bytes from second 6 on, 140 from 7, 40 from 8 to the last one, which is 10. */
static void test_gpu_memory(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	TD_CASE("memory of GPUs");
	add_header(&b);
	add_gpu_name(&b, 10, 1, "gemm");
	add_memory(&b, 6 * TD_SEC_NS, 100, 3, 0);
	add_memory(&b, 8 * TD_SEC_NS, 100, 3, TD_WIRE_GPU_FREED);
	add_memory(&b, 7 * TD_SEC_NS, 40, 3, 0); /* another thread's, which came later */
	add_memory(&b, 7 * TD_SEC_NS, 8, 2, 0);
	add_memory(&b, 9 * TD_SEC_NS, 64, 2,
		   TD_WIRE_GPU_FREED); /* more than there is: from before */
	add_memory(&b, 7 * TD_SEC_NS, 5, 1, 0); /* pageable: of no interest */
	add_memory(&b, 0, 5, 3, 0);
	add_gpu_op(&b, TD_WIRE_GPU_KERNEL, 9 * TD_SEC_NS, 10 * TD_SEC_NS, 1);
	import_stream(&in, &b);
	check_counts(&in, 8, 1, 1);
	td_check_samples(&in, 0,
			 "cuda.allocated GPU 1 10 '' @7+1 = 100 bytes\n"
			 "cuda.allocated GPU 1 10 '' @8+1 = 140 bytes\n"
			 "cuda.allocated GPU 1 10 '' @10+2 = 40 bytes\n"
			 "cuda.pinned GPU 1 10 '' @9+2 = 8 bytes\n"
			 "cuda.pinned GPU 1 10 '' @10+1 = 0 bytes\n");
}

static void test_gpu_unseen(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct td_wire_gpu_unseen w = { .head = { .tid = 10 }, .from_ns = T0 + 20 };

	TD_CASE("a process that profiles itself");
	add_header(&b);
	add_gpu_name(&b, 10, 1, "gemm");
	td_wire_add(&b, TD_WIRE_GPU_UNSEEN, &w, sizeof(w), NULL);
	w.from_ns = 0;
	td_wire_add(&b, TD_WIRE_GPU_UNSEEN, &w, sizeof(w), NULL);
	add_gpu_op(&b, TD_WIRE_GPU_KERNEL, T0 + 10, T0 + 90, 1);
	import_stream(&in, &b);
	check_counts(&in, 4, 0, 1);
	TD_CHECK_INT(in.nspans, 1);
	TD_CHECK_STR(td_text_of(&in, in.spans[0].kind_id), "unrecorded");
	TD_CHECK_INT(in.spans[0].start_ns, (int64_t)T0 + 20);
	TD_CHECK_INT(in.spans[0].dur_ns, 70); /* to the last there is */
}

static void test_gpu_calls(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct td_wire_gpu_call c = { .head = { .tid = 12 },
				      .start_ns = T0 + 100,
				      .end_ns = T0 + 130,
				      .pid = 10,
				      .name = 1,
				      .correlation = 99 };

	TD_CASE("calls of the CUDA APIs");
	add_header(&b);
	add_gpu_name(&b, 10, 1, "cudaLaunchKernel");
	add_gpu_name(&b, 10, 2, "cudaMalloc");
	td_wire_add(&b, TD_WIRE_GPU_CALL, &c, sizeof(c), NULL);
	c.start_ns = T0 + 120;
	c.name = 2;
	c.result = 2; /* cudaErrorMemoryAllocation */
	td_wire_add(&b, TD_WIRE_GPU_CALL, &c, sizeof(c), NULL);
	c.name = 3; /* which did not come */
	td_wire_add(&b, TD_WIRE_GPU_CALL, &c, sizeof(c), NULL);
	import_stream(&in, &b);
	check_counts(&in, 5, 0, 1);
	check_calls(&in, "cuda cudaLaunchKernel @100 dur 30 pid 10 tid 12 ret 0 correlation 99\n"
			 "cuda cudaMalloc @120 dur 10 pid 10 tid 12 ret -2 correlation 99\n");
}

static void add_nvtx(struct td_strbuf *b, enum td_wire_nvtx_kind kind, uint64_t after_ns,
		     struct td_wire_nvtx w)
{
	w.head.flags = (uint8_t)kind;
	w.head.tid = w.head.tid ? w.head.tid : 10;
	w.time_ns = after_ns ? T0 + after_ns : 0;
	w.pid = 10;
	td_wire_add(b, TD_WIRE_NVTX, &w, sizeof(w), NULL);
}

static void add_nvtx_end(struct td_strbuf *b, uint64_t range, uint64_t after_ns)
{
	struct td_wire_nvtx_end w = {
		.head = { .tid = 12 }, .time_ns = T0 + after_ns, .range = range, .pid = 10
	};

	td_wire_add(b, TD_WIRE_NVTX_END, &w, sizeof(w), NULL);
}

static void check_range(const struct td_imported *in, size_t i, const char *name, int64_t after_ns,
			int64_t dur_ns, int64_t number, const char *args)
{
	const struct td_span *s = &in->spans[i];

	TD_CHECK_STR(td_text_of(in, s->kind_id), "nvtx");
	TD_CHECK_STR(td_text_of(in, s->name_id), name);
	TD_CHECK_STR(td_text_of(in, s->args_id), args);
	TD_CHECK_STR(td_text_of(in, s->state_id), dur_ns == TD_NULL ? "unfinished" : "complete");
	TD_CHECK_INT(s->start_ns, (int64_t)T0 + after_ns);
	TD_CHECK_INT(s->dur_ns, dur_ns);
	TD_CHECK_INT(s->number, number);
}

static void test_nvtx(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	const double half = 0.5;
	const float more = 1.5;
	const int32_t less = -3;
	struct td_wire_nvtx w = { 0 };

	TD_CASE("NVTX");
	add_header(&b);
	add_gpu_name(&b, 10, 1, "step");
	add_gpu_name(&b, 10, 2, "loader");
	add_gpu_name(&b, 10, 3, "a \"b\"");
	add_gpu_name(&b, 10, 4, "worker");
	add_nvtx(&b, TD_WIRE_NVTX_PUSH, 10,
		 (struct td_wire_nvtx){
			 .range = 1, .text = 1, .payload_type = TD_WIRE_NVTX_U64, .payload = 7 });
	w = (struct td_wire_nvtx){ .range = 2,
				   .text = 1,
				   .domain = 2,
				   .category = 5,
				   .category_name = 3,
				   .payload_type = TD_WIRE_NVTX_DOUBLE };
	memcpy(&w.payload, &half, sizeof(half));
	add_nvtx(&b, TD_WIRE_NVTX_PUSH, 12, w);
	add_nvtx_end(&b, 2, 15);
	add_nvtx(&b, TD_WIRE_NVTX_START, 20,
		 (struct td_wire_nvtx){ .head = { .tid = 11 }, .range = 3, .category = 9 });
	w = (struct td_wire_nvtx){ .text = 1, .payload_type = TD_WIRE_NVTX_I32 };
	memcpy(&w.payload, &less, sizeof(less));
	add_nvtx(&b, TD_WIRE_NVTX_MARK, 22, w);
	w.payload_type = TD_WIRE_NVTX_FLOAT;
	memcpy(&w.payload, &more, sizeof(more));
	add_nvtx(&b, TD_WIRE_NVTX_MARK, 23, w);
	w.payload_type = TD_WIRE_NVTX_U64; /* more than SQLite's integers hold */
	w.payload = UINT64_MAX;
	add_nvtx(&b, TD_WIRE_NVTX_MARK, 24, w);
	add_nvtx_end(&b, 3, 30);
	add_nvtx(&b, TD_WIRE_NVTX_THREAD, 31,
		 (struct td_wire_nvtx){ .head = { .tid = 12 }, .text = 4 });
	/* one whose begin is lost, and a kind of a newer recorder */
	add_nvtx_end(&b, 99, 31);
	add_nvtx(&b, 200, 32, w);
	/* it ends before it begins; it has no time */
	add_nvtx_end(&b, 1, 9);
	add_nvtx(&b, TD_WIRE_NVTX_MARK, 0, w);
	import_stream(&in, &b);
	check_counts(&in, 14, 2, 2);
	TD_CHECK_INT(in.nspans, 3);
	check_range(&in, 1, "step", 12, 3, TD_NULL,
		    "{\"style\":\"PushPop\",\"payload\":0.5,\"domain\":\"loader\",\"category\":\"a "
		    "\\\"b\\\"\"}");
	check_range(&in, 2, "", 20, 10, TD_NULL, "{\"style\":\"StartEnd\",\"category\":9}");
	check_range(&in, 0, "step", 10, TD_NULL, 7, "{\"style\":\"PushPop\"}");
	TD_CHECK_INT(td_store_thread_at(in.st, in.spans[2].thread_id)->tid, 11);
	TD_CHECK_INT(in.nmarks, 3 + 1); /* one of the recording's begin */
	TD_CHECK_STR(td_text_of(&in, in.marks[1].name_id), "step");
	TD_CHECK_INT((int64_t)in.marks[1].value, -3);
	TD_CHECK_STR(td_text_of(&in, in.marks[1].args_id), "{\"style\":\"Mark\"}");
	TD_CHECK(isnan(in.marks[2].value));
	TD_CHECK_STR(td_text_of(&in, in.marks[2].args_id), "{\"style\":\"Mark\",\"payload\":1.5}");
	TD_CHECK_STR(td_text_of(&in, in.marks[3].args_id),
		     "{\"style\":\"Mark\",\"payload\":18446744073709551615}");
	for (uint32_t i = 1; i <= in.has->nthreads; i++)
		if (td_store_thread_at(in.st, i)->tid == 12)
			TD_CHECK_STR(td_text_of(&in, td_store_thread_at(in.st, i)->name_id),
				     "worker");
}

/* More ranges than anybody has open: what is too much is there, without its end. */
static void test_many_nvtx(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	TD_CASE("NVTX: too many open ranges");
	add_header(&b);
	for (uint64_t i = 1; i <= 4098; i++)
		add_nvtx(&b, TD_WIRE_NVTX_START, i, (struct td_wire_nvtx){ .range = i });
	add_nvtx_end(&b, 4098, 5000);
	add_nvtx_end(&b, 4096, 5000);
	import_stream(&in, &b);
	check_counts(&in, 1 + 4098 + 1, 1, 0);
	TD_CHECK_INT(in.nspans, 4098);
	TD_CHECK_INT(in.spans[4095].dur_ns, 5000 - 4096);
}

int main(void)
{
	test_nvtx();
	test_many_nvtx();
	test_gpu_ops();
	test_gpu_graphs();
	test_gpu_memory();
	test_gpu_unseen();
	test_gpu_calls();
	return td_check_result();
}
