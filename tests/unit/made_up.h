/* SPDX-License-Identifier: MIT */
/*
 * A store full of made-up rows of every kind, the same for the same seed: layers inside each other, failed
 * and endless calls, unknown values, files by path and by name, text that is not UTF-8.
 */
#pragma once

#include <math.h>

#include "store/store.h"
#include "store/write/write.h"
#include "tests/unit/check.h"

#define TD_MADE_UTC INT64_C(1661716800000000000) /* when the made-up runs begin */
#define TD_MADE_BOOT INT64_C(1660077654000000000) /* and when their machine was booted */

struct td_made {
	struct td_store *st;
	uint16_t source_id;
	uint64_t random;
	int64_t now_ns; /* native: since boot */
	uint16_t ops[12];
	int64_t position[64]; /* by file */
};

static inline uint64_t td_made_random(struct td_made *m, uint64_t n)
{
	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	return (m->random >> 11) % n;
}

static inline struct td_str td_made_str(const char *text)
{
	return (struct td_str){ text, strlen(text) };
}

enum {
	MADE_OPENAT,
	MADE_VFS_OPEN,
	MADE_READ,
	MADE_VFS_READ,
	MADE_WRITE,
	MADE_VFS_WRITE,
	MADE_FREAD,
	MADE_LSEEK,
	MADE_FUTEX,
	MADE_POLL,
	MADE_MMAP,
	MADE_ODD
};

static inline void td_made_ops(struct td_made *m)
{
	static const struct {
		const char *name;
		enum td_layer layer;
	} ops[] = {
		[MADE_OPENAT] = { "openat", TD_LAYER_SYSCALL },
		[MADE_VFS_OPEN] = { "vfs_open", TD_LAYER_VFS },
		[MADE_READ] = { "pread64", TD_LAYER_SYSCALL },
		[MADE_VFS_READ] = { "vfs_read", TD_LAYER_VFS },
		[MADE_WRITE] = { "write", TD_LAYER_SYSCALL },
		[MADE_VFS_WRITE] = { "vfs_write", TD_LAYER_VFS },
		[MADE_FREAD] = { "fread", TD_LAYER_LIBC },
		[MADE_LSEEK] = { "lseek", TD_LAYER_SYSCALL },
		[MADE_FUTEX] = { "futex", TD_LAYER_SYSCALL },
		[MADE_POLL] = { "poll", TD_LAYER_SYSCALL },
		[MADE_MMAP] = { "mmap", TD_LAYER_SYSCALL },
		[MADE_ODD] = { "odd_call", TD_LAYER_SYSCALL },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(ops); i++)
		m->ops[i] = td_store_op(m->st, ops[i].name, strlen(ops[i].name), ops[i].layer);
}

static inline uint32_t td_made_file(struct td_made *m, unsigned i)
{
	static const char *const names[] = { "",           "[eventfd]",   "torch_7_1", "0",
					     "case_3.npy", "only_a_name", "sem.x" };
	char path[64];

	if (i % 8 == 7)
		return td_store_file_name(m->st, td_made_str(names[i / 8 % TD_ARRAY_SIZE(names)]),
					  false);
	/* names are in one folder only, so that a bare name means one file or none */
	if (i % 8 == 6)
		(void)snprintf(path, sizeof(path), "socket:[%u]", i);
	else
		(void)snprintf(path, sizeof(path), "/data/set%u/case_%u.npy", i % 3, i);
	if (i == 41)
		return td_store_file_in_root(m->st, td_made_str(path),
					     td_store_cstr(m->st, "/srv/jail"), false);
	return td_store_file_path(m->st, td_made_str(path), (struct td_str){ NULL, 0 }, i == 40);
}

static inline uint32_t td_made_process(struct td_made *m, unsigned i)
{
	static const char *const names[] = { "python", "pt_data\xff", "", "kworker/1:2" };
	const char *name = names[i % 4];

	return i == 7 ? 0 : td_store_process(m->st, 4000 + (int64_t)i, name, strlen(name));
}

static inline int64_t td_made_duration(struct td_made *m)
{
	switch (td_made_random(m, 50)) {
	case 0:
		return TD_NULL;
	case 1:
		return 0;
	case 2: /* longer than 32 bits hold */
		return INT64_C(4294967296) + (int64_t)td_made_random(m, 3000000000);
	default:
		return (int64_t)td_made_random(m, UINT64_C(1) << (4 + td_made_random(m, 18)));
	}
}

static inline void td_made_put(struct td_made *m, enum td_kind kind, const void *row,
			       int64_t from_ns, int64_t dur_ns)
{
	struct td_source *s = td_store_source_at(m->st, m->source_id);
	int64_t to_ns = dur_ns == TD_NULL ? from_ns : from_ns + dur_ns;

	TD_CHECK_INT(td_stage_add(td_store_stage(m->st, kind), row), 0);
	if (s->first_native_ns == TD_NULL || from_ns < s->first_native_ns)
		s->first_native_ns = from_ns;
	if (s->last_native_ns == TD_NULL || to_ns > s->last_native_ns)
		s->last_native_ns = to_ns;
	s->rows++;
	s->lines++;
}

/* A call, and with some luck the same work seen in the layer below. */
static inline void td_made_call(struct td_made *m)
{
	static const unsigned inner[] = { [MADE_OPENAT] = MADE_VFS_OPEN,
					  [MADE_READ] = MADE_VFS_READ,
					  [MADE_WRITE] = MADE_VFS_WRITE,
					  [MADE_FREAD] = MADE_READ,
					  [MADE_ODD] = 0 };
	struct td_call c = TD_CALL_INIT;
	unsigned op = (unsigned)td_made_random(m, 12), file = (unsigned)td_made_random(m, 64);

	m->now_ns += 10 + (int64_t)td_made_random(m, 200000);
	c.start_ns = m->now_ns;
	c.dur_ns = td_made_duration(m);
	c.op_id = m->ops[op];
	c.process_id = td_made_process(m, (unsigned)td_made_random(m, 8));
	if (td_made_random(m, 3) && c.process_id)
		c.thread_id = td_store_thread(m->st, 5000 + (int64_t)c.process_id, c.process_id);
	c.file_id = td_made_random(m, 10) ? td_made_file(m, file) : 0;
	c.ret = td_made_random(m, 20) ? (int64_t)td_made_random(m, 1 << 20) : -11;
	c.source_id = m->source_id;
	if (td_made_random(m, 30) == 0)
		c.ret = TD_NULL;
	if (td_made_random(m, 40) == 0)
		c.correlation = 1 + (int32_t)td_made_random(m, INT32_MAX);
	if (td_made_random(m, 30) == 0)
		c.args_id = td_store_cstr(m->st, "O_RDONLY \xc3");
	if (op >= MADE_READ && op <= MADE_FREAD) {
		c.asked_bytes = 1 << 20;
		c.done_bytes = c.ret < 0 ? TD_NULL : c.ret;
		if (td_made_random(m, 3)) {
			c.offset_bytes = td_made_random(m, 4) ? m->position[file]
							      : (int64_t)td_made_random(m, 9999);
			m->position[file] = c.offset_bytes + (c.ret < 0 ? 0 : c.ret);
		}
		c.fd = (int32_t)file + 3;
		if (op == MADE_READ)
			c.cold_bytes = (int32_t)(4096 * td_made_random(m, 3));
	}
	td_made_put(m, TD_KIND_CALL, &c, c.start_ns, c.dur_ns);
	if (op >= TD_ARRAY_SIZE(inner) || !inner[op] || c.dur_ns == TD_NULL ||
	    td_made_random(m, 3) == 0)
		return;
	c.op_id = m->ops[inner[op]];
	c.start_ns += (int64_t)td_made_random(m, 40);
	c.dur_ns -= (int64_t)td_made_random(m, 60); /* sometimes it ends after the outer one */
	if (c.dur_ns >= 0)
		td_made_put(m, TD_KIND_CALL, &c, c.start_ns, c.dur_ns);
}

static inline void td_made_block(struct td_made *m)
{
	struct td_block b = TD_BLOCK_INIT;

	b.start_ns = m->now_ns + (int64_t)td_made_random(m, 1000);
	b.dur_ns = td_made_duration(m);
	b.queue_ns = td_made_random(m, 2) ? 77 : TD_NULL;
	b.sector = (int64_t)td_made_random(m, 1 << 30);
	b.bytes = td_made_random(m, 9) ? 4096 * (int64_t)td_made_random(m, 64) : TD_NULL;
	b.device_id = td_store_device(m->st, TD_DEVICE_DISK, "sda", 3, TD_NULL);
	b.process_id = td_made_process(m, (unsigned)td_made_random(m, 8));
	b.op = (uint8_t)td_made_random(m, 3);
	b.source_id = m->source_id;
	td_made_put(m, TD_KIND_BLOCK, &b, b.start_ns, b.dur_ns);
}

static inline void td_made_samples(struct td_made *m, int64_t dur_ns)
{
	for (uint32_t g = 0; g < 2; g++) {
		char name[8];
		uint32_t gpu;

		(void)snprintf(name, sizeof(name), "GPU %u", g);
		gpu = td_store_device(m->st, TD_DEVICE_GPU, name, strlen(name), g);
		for (unsigned p = 0; p < 2; p++) {
			struct td_sample s = TD_SAMPLE_INIT;

			s.ts_ns = m->now_ns;
			s.dur_ns = dur_ns;
			s.track_id = td_store_track(m->st, m->source_id, "gpu.sm", "%", gpu,
						    td_made_process(m, 2 * g + p));
			if (td_made_random(m, 10))
				s.value = (double)td_made_random(m, 70);
			td_made_put(m, TD_KIND_SAMPLE, &s, s.ts_ns, TD_NULL);
		}
	}
	for (unsigned i = 0; i < 2; i++) {
		struct td_sample s = TD_SAMPLE_INIT;

		s.ts_ns = m->now_ns + 5;
		s.dur_ns = dur_ns;
		s.track_id = td_store_track(m->st, m->source_id, i ? "cpu.iowait" : "cpu.idle", "%",
					    0, 0);
		s.value = i ? 5.5 : (double)td_made_random(m, 900) / 10;
		td_made_put(m, TD_KIND_SAMPLE, &s, s.ts_ns, TD_NULL);
	}
}

static inline void td_made_span(struct td_made *m, int64_t number)
{
	static const char *const names[] = { "epoch", "eval", "init", "odd" };
	struct td_span s = TD_SPAN_INIT;
	struct td_mark k = TD_MARK_INIT;

	s.start_ns = m->now_ns - (int64_t)td_made_random(m, 3000000);
	s.dur_ns = td_made_random(m, 6) ? (int64_t)td_made_random(m, 9000000) : TD_NULL;
	s.number = number % 3 ? number / 3 : TD_NULL;
	s.kind_id = td_store_cstr(m->st, number % 5 ? "phase" : "nvtx");
	s.name_id = td_store_cstr(m->st, names[td_made_random(m, 4)]);
	s.state_id = td_store_cstr(m->st, s.dur_ns == TD_NULL ? "unfinished" : "complete");
	s.rank = (int32_t)(number % 2);
	s.run_number = number % 5 ? 1 + (int32_t)(number % 2) : INT32_MIN;
	s.source_id = m->source_id;
	td_store_log_run(m->st, &s);
	td_made_put(m, TD_KIND_SPAN, &s, s.start_ns, s.dur_ns);
	k.ts_ns = m->now_ns;
	k.value = number % 2 ? 0.5 : NAN;
	k.name_id = td_store_cstr(m->st, "eval_accuracy");
	k.args_id = td_store_cstr(m->st, "{\"a\": 1}");
	k.source_id = m->source_id;
	td_made_put(m, TD_KIND_MARK, &k, k.ts_ns, TD_NULL);
}

static inline void td_made_rest(struct td_made *m)
{
	struct td_sched sched = TD_SCHED_INIT;
	struct td_gpu_op gpu = TD_GPU_OP_INIT;
	struct td_call wait = TD_CALL_INIT;
	struct td_span span = TD_SPAN_INIT;

	sched.start_ns = gpu.start_ns = m->now_ns;
	sched.dur_ns = 55;
	sched.state_id = td_store_cstr(m->st, "running");
	sched.source_id = gpu.source_id = m->source_id;
	td_made_put(m, TD_KIND_SCHED, &sched, m->now_ns, 55);
	gpu.dur_ns = 66;
	gpu.device_id = td_store_device(m->st, TD_DEVICE_GPU, "GPU 0", 5, 0);
	gpu.kind_id = td_store_cstr(m->st, "kernel");
	gpu.name_id = td_store_cstr(m->st, m->now_ns % 2 ? "sgemm" : "ncclDevKernel_Broadcast");
	td_made_put(m, TD_KIND_GPU_OP, &gpu, m->now_ns, 66);
	wait.start_ns = m->now_ns;
	wait.dur_ns = 20000;
	wait.op_id = td_store_op(m->st, "cudaStreamSynchronize", 21, TD_LAYER_CUDA);
	wait.source_id = m->source_id;
	td_made_put(m, TD_KIND_CALL, &wait, m->now_ns, 20000);
	span.start_ns = m->now_ns;
	span.dur_ns = 77;
	span.kind_id = td_store_cstr(m->st, "cpu-op");
	span.name_id = td_store_cstr(m->st, "aten::add");
	span.state_id = td_store_cstr(m->st, "complete");
	span.source_id = m->source_id;
	td_made_put(m, TD_KIND_SPAN, &span, m->now_ns, 77);
}

/* A stack of two or three frames, seen in a call and counted. */
static inline void td_made_stack(struct td_made *m, int64_t number)
{
	struct td_stack_sample s = TD_STACK_SAMPLE_INIT;
	uint32_t module = td_store_cstr(m->st, "/usr/lib/libc.so.6");
	uint32_t main = td_store_stack(m->st, 0, td_store_cstr(m->st, "main"), 0);
	uint32_t inner =
		td_store_stack(m->st, main, number % 2 ? td_store_cstr(m->st, "load") : 0, module);

	s.start_ns = m->now_ns;
	s.dur_ns = number % 3 ? number : TD_NULL;
	s.kind_id = td_store_cstr(m->st, number % 3 ? TD_STACK_CALL : TD_STACK_CPU);
	s.op_id = number % 3 ? td_store_op(m->st, "read", 4, TD_LAYER_SYSCALL) : 0;
	s.process_id = td_store_process(m->st, 4000, "python", 6);
	s.thread_id = td_store_thread(m->st, 4000, s.process_id);
	s.cpu = (int32_t)(number % 4);
	s.stack_id = td_store_stack(m->st, inner, td_store_cstr(m->st, "read"), module);
	s.source_id = m->source_id;
	td_made_put(m, TD_KIND_STACK, &s, s.start_ns, s.dur_ns);
	td_store_stack_total(m->st, &(struct td_stack_total){ .source_id = m->source_id,
							      .stack_id = inner,
							      .name = "profile",
							      .unit = number % 2 ? "ns" : NULL,
							      .value = number });
}

/* What is beside the rows: provenance, lives of processes. */
static inline void td_made_provenance(struct td_made *m)
{
	struct td_summary summary = { .source_id = m->source_id, .low = 1, .high = 2, .value = 3 };
	struct td_anchor a = { m->source_id, TD_CLOCK_LOCAL_TOD, 10, 20, 30 };
	struct td_loss loss = { .source_id = m->source_id,
				.name = "file_io",
				.ring = 2,
				.from_ns = m->now_ns,
				.to_ns = m->now_ns + 1000,
				.generated = 99,
				.ring_peak_bytes = 4096,
				.ring_size_bytes = 65536 };
	struct td_source *s = td_store_source_at(m->st, m->source_id);
	uint32_t dead = td_store_process(m->st, 3999, "sh", 2);
	struct td_process *p = td_store_process_at(m->st, dead);

	p->command_line_id = td_store_cstr(m->st, "sh -c train");
	p->user_id = td_store_cstr(m->st, "root");
	p->parent_pid = 1;
	p->cgroup_id = td_store_cstr(m->st, "/docker/1f");
	p->pid_namespace = 4026532000;
	p->namespace_pid = 1;
	p->role = "launcher";
	p->role_basis = "command-line";
	p->start_ns = m->now_ns - 1000;
	p->end_ns = m->now_ns;
	p->exit_status = 3;
	p->use = (struct td_use){ 1000, 700, 200, 5, 0, 4096 };
	p->start_source_id = p->end_source_id = m->source_id;
	td_store_process_end(m->st, dead);
	(void)td_store_process(m->st, 3999, "sh2", 3);
	summary.name = td_store_text(m->st, td_store_cstr(m->st, "@us")).p;
	summary.key = td_store_text(m->st, td_store_cstr(m->st, "read")).p;
	td_store_summary(m->st, &summary);
	summary.key = summary.unit = NULL;
	summary.low = NAN;
	td_store_summary(m->st, &summary);
	td_store_loss(m->st, &loss);
	loss.lost = 7;
	td_store_loss(m->st, &loss);
	loss.name = "spool";
	loss.ring = loss.ring_peak_bytes = loss.ring_size_bytes = TD_NULL;
	td_store_loss(m->st, &loss);
	td_store_anchor(m->st, &a);
	for (uint64_t i = 1; i < 40; i++) {
		td_store_issue(m->st, m->source_id, "spoilt-line", TD_DROPPED, i, "x\xff", 2);
		td_store_issue(m->st, m->source_id, "wrapped", TD_REPAIRED, i, "y", 1);
	}
	td_store_issue(m->st, m->source_id, "missing-end", TD_NOTED, 0, "", 0);
	s = td_store_source_at(m->st, m->source_id);
	s->importer = "made-up";
	s->layout = strdup("a layout");
	s->tool = strdup("tool");
	s->tool_version = strdup("1.0");
	s->host = strdup("host");
	s->size_bytes = 12345;
	(void)snprintf(s->hash, sizeof(s->hash), "%032u", m->source_id);
	s->clock = TD_CLOCK_BOOT;
	s->lines += 39;
	s->issues = 39;
	s->repaired = 39;
	s->lost_events = 4;
}

/* As the aligner would: who loads a store back has to fit its clocks again. */
static inline void td_made_clock(struct td_store *st, uint16_t source_id, double drift_ppb)
{
	struct td_source *s = td_store_source_at(st, source_id);

	s->offset_ns = TD_MADE_BOOT + source_id;
	s->error_ns = 1000000;
	s->drift_ppb = drift_ppb;
	free(s->clock_basis);
	s->clock_basis = strdup("made up");
}

/* Adds a source of so many calls or some more. */
static inline uint16_t td_make_source(struct td_store *st, const char *path, uint64_t seed,
				      size_t ncalls, double drift_ppb)
{
	struct td_made m = { .st = st, .source_id = td_store_source(st, path) };

	m.random = UINT64_C(88172645463325252) + seed * UINT64_C(0x9e3779b97f4a7c15);
	m.now_ns = TD_MADE_UTC - TD_MADE_BOOT;
	td_made_ops(&m);
	for (size_t i = 1; i <= ncalls; i++) {
		td_made_call(&m);
		if (i % 10 == 0)
			td_made_block(&m);
		if (i % 100 == 0)
			td_made_samples(&m, 7000000);
		if (i % 150 == 0)
			td_made_span(&m, (int64_t)(i / 150));
		if (i % 1000 == 0)
			td_made_rest(&m);
		if (i % 500 == 0)
			td_made_stack(&m, (int64_t)(i / 500));
	}
	td_made_provenance(&m);
	td_store_set_source_text(st, m.source_id, (int64_t)ncalls * 90, path);
	td_made_clock(st, m.source_id, drift_ppb);
	for (unsigned k = 0; k < TD_NKINDS; k++)
		TD_CHECK_INT(td_stage_cut(td_store_stage(st, k)), 0);
	TD_CHECK_INT(td_store_error(st), 0);
	return m.source_id;
}

/* --- not made up: rows that a test says itself --- */

/* The first source, without rows. */
static inline uint16_t td_plain_source(struct td_store *st)
{
	uint16_t id = td_store_source(st, "a");
	struct td_source *s = td_store_source_at(st, id);

	s->error_ns = 1;
	s->first_native_ns = s->last_native_ns = TD_MADE_UTC;
	return id;
}

/* A call of 5 ns, of the first source. */
static inline void td_plain_call(struct td_store *st, int64_t start_ns, uint16_t op, uint32_t file)
{
	struct td_call c = TD_CALL_INIT;

	c.start_ns = start_ns;
	c.dur_ns = 5;
	c.op_id = op;
	c.file_id = file;
	c.source_id = 1;
	td_store_source_at(st, 1)->last_native_ns =
		TD_MAX(td_store_source_at(st, 1)->last_native_ns, start_ns + 5);
	TD_CHECK_INT(td_stage_add(td_store_stage(st, TD_KIND_CALL), &c), 0);
}
