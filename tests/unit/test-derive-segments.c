/* SPDX-License-Identifier: MIT */
/*
 * Segments, phases and GPU ranges of small random runs, against counting every nanosecond of them. Times
 * below are ns since TD_MADE_UTC.
 */
#include <math.h>

#include "tests/unit/derive.h"

#define SPAN 400 /* the run's length */
#define MARGIN 200 /* what may begin before it or end behind it */
#define ROOM (SPAN + 2 * MARGIN)

static uint64_t random_state;

static int64_t below(int64_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (int64_t)((random_state >> 11) % (uint64_t)n);
}

/* --- what the run is, nanosecond by nanosecond --- */

#define NPHASES 4 /* names of them */

struct truth {
	bool cut[ROOM]; /* a segment begins here */
	bool io[ROOM], block[ROOM];
	bool any_io, any_block;
	int64_t opens[ROOM], reads[ROOM], writes[ROOM]; /* that begin here */
	int64_t read_bytes[ROOM], write_bytes[ROOM], vfs_bytes[ROOM], syscall_bytes[ROOM];
	int64_t block_read_bytes[ROOM], block_write_bytes[ROOM], io_wait_ns[ROOM];
	bool phase[NPHASES][4][ROOM]; /* by name, by number (3: any) */
	int gpu_period[2][ROOM]; /* number of the sampling period + 1, 0: none */
	struct {
		int64_t length;
		double low, high; /* percent */
	} periods[2][64];
	int nperiods[2];
	int64_t first, last; /* of the run */
	/* a GPU whose kernels were traced throughout, and what idle time is put down to: places in causes[] */
	bool kernel[ROOM], cause[18][ROOM];
	bool any_kernel;
	bool known[18];
	int64_t first_call, last_call;
};

/* In the order of precedence. */
static const char *const causes[] = {
	"disk read",           "file read",         "file write",     "other file I/O",
	"loader computing",    "waiting for a CPU", "loader asleep",  "waiting for a loader",
	"lock, queue or pipe", "CUDA call",         "other ranks",    "launching operators",
	"other ranks at work", "evaluation",        "initialisation", "events lost",
	"no calls recorded",   "program computing",
};
enum {
	LOADER_RUNS = 4,
	RUNNABLE,
	LOADER_SLEEPS,
	DATA,
	LOCK,
	CUDA,
	RANKS,
	OPERATOR,
	OTHERS, /* never: of one process with a GPU */
	EVALUATION,
	INITIALISATION,
	NO_CALLS = TD_ARRAY_SIZE(causes) - 2,
	COMPUTES,
	UNEXPLAINED
};

static struct truth *truth;

static int at(int64_t t)
{
	return (int)(t < -MARGIN ? 0 : t >= SPAN + MARGIN ? ROOM - 1 : t + MARGIN);
}

static void extend(int64_t from, int64_t to)
{
	truth->first = TD_MIN(truth->first, from);
	truth->last = TD_MAX(truth->last, to);
}

static void note_cause(int cause, int64_t from, int64_t dur)
{
	if (cause < 0 || dur <= 0)
		return;
	truth->known[cause] = true;
	for (int64_t t = from; t < from + dur; t++)
		truth->cause[cause][at(t)] = true;
}

static const char *const phase_names[NPHASES] = { "epoch", "eval", "init", "checkpoint-load" };
static const int phase_causes[NPHASES] = { -1, EVALUATION, INITIALISATION, -1 };

static void make_spans(struct td_store *st, int n)
{
	for (int i = 0; i < n; i++) {
		struct td_span s = TD_SPAN_INIT;
		int64_t from = below(SPAN - 100), dur = below(100), name = below(NPHASES),
			number = below(4);
		bool phase = below(5) > 0, known = below(6) > 0;

		s.start_ns = from;
		s.dur_ns = known ? dur : TD_NULL;
		s.number = number == 3 ? TD_NULL : number;
		s.kind_id = td_store_cstr(st, phase ? "phase" : "nvtx");
		s.name_id = td_store_cstr(st, phase_names[name]);
		s.state_id = td_store_cstr(st, "complete");
		s.source_id = 1;
		td_stage_row(st, TD_KIND_SPAN, &s);
		extend(from, known ? from + dur : from);
		if (!phase || !known)
			continue;
		truth->cut[at(from)] = truth->cut[at(from + dur)] = true;
		note_cause(phase_causes[name], from, dur);
		for (int64_t t = from; t < from + dur; t++)
			truth->phase[name][3][at(t)] = truth->phase[name][number][at(t)] = true;
	}
}

static const struct {
	const char *kind, *name;
	int cause;
} ranges[] = {
	{ "annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", DATA },
	{ "cpu-op", "c10d::allreduce_", RANKS },
	{ "cpu-op", "aten::conv3d", OPERATOR },
	{ "gpu-annotation", "nccl:all_reduce", -1 },
	{ "nvtx", "forward", -1 },
};

static void make_ranges(struct td_store *st, int n)
{
	for (int i = 0; i < n; i++) {
		struct td_span s = TD_SPAN_INIT;
		int64_t from = below(SPAN - 30), dur = below(30),
			which = below(TD_ARRAY_SIZE(ranges));

		s.start_ns = from;
		s.dur_ns = dur;
		s.kind_id = td_store_cstr(st, ranges[which].kind);
		s.name_id = td_store_cstr(st, ranges[which].name);
		s.state_id = td_store_cstr(st, "complete");
		s.source_id = 1;
		td_stage_row(st, TD_KIND_SPAN, &s);
		extend(from, from + dur);
		note_cause(ranges[which].cause, from, dur);
	}
}

/* The process that trains (its kernels are made below), and one that it started. */
enum { TRAINS = 90, LOADS = 91 };

static uint32_t worker(struct td_store *st)
{
	return td_store_process(st, TRAINS, "", 0);
}

static uint32_t loader(struct td_store *st)
{
	uint32_t id = td_store_process(st, LOADS, "", 0);

	td_store_process_at(st, id)->parent_pid = TRAINS;
	return id;
}

static const struct {
	int64_t tid;
	const char *state;
	int cause; /* once it is known that the first process works on a GPU */
} slices[] = {
	{ LOADS, "running", LOADER_RUNS }, { LOADS, "runnable", RUNNABLE },
	{ LOADS, "sleeping", -1 },         { TRAINS, "running", COMPUTES },
	{ TRAINS, "runnable", RUNNABLE },  { TRAINS + 1000, "runnable", -1 },
};

static void make_slices(struct td_store *st, int n)
{
	uint32_t processes[] = { worker(st), loader(st) };

	for (int i = 0; i < n; i++) {
		struct td_sched s = TD_SCHED_INIT;
		int64_t from = below(SPAN - 20), dur = below(20),
			which = below(TD_ARRAY_SIZE(slices));
		int64_t tid = slices[which].tid;

		s.start_ns = from;
		s.dur_ns = dur;
		s.state_id = td_store_cstr(st, slices[which].state);
		s.thread_id = td_store_thread(st, tid,
					      tid == LOADS    ? processes[1]
					      : tid == TRAINS ? processes[0]
							      : 0);
		s.source_id = 1;
		td_stage_row(st, TD_KIND_SCHED, &s);
		extend(from, from + dur);
		if (truth->any_kernel)
			note_cause(slices[which].cause, from, dur);
	}
}

/* A sample of a process on a GPU, or (0) of the whole GPU; share < 0: not sampled. */
/* What is busy for at least as long as the busier of two processes, and at most for both in turn; percents are
 * whole, so half a point off. */
static void make_processes(struct td_store *st, uint32_t gpu, int64_t end, int64_t dur, double *low,
			   double *high)
{
	bool unknown = false;

	*low = *high = 0;
	for (uint32_t k = 0; k < 2; k++) {
		int64_t share = below(8) ? below(65) : -1;

		td_stage_gpu_sample(st, 1, gpu, td_store_process(st, 10 + k, "", 0), end, dur,
				    share);
		unknown |= share < 0;
		if (share < 0)
			continue;
		*low = fmax(*low, (double)share - 0.5);
		*high += (double)share + 0.5;
	}
	if (unknown)
		*high = 100;
}

/* Two processes on each of two GPUs, sampled every 20 ns for up to 20 ns, sometimes the whole GPU too. */
static void make_samples(struct td_store *st)
{
	for (int64_t g = 0; g < 2; g++) {
		uint32_t gpu = td_store_device(st, TD_DEVICE_GPU, g ? "GPU 1" : "GPU 0", 5, g);
		int64_t last_end = -MARGIN;

		for (int64_t end = 20 + g; end < SPAN - 30; end += 20 + (below(4) == 0 ? 7 : 0)) {
			int p = truth->nperiods[g]++;
			int64_t dur = below(3) ? 20 : 5 + below(30), from = end - dur, whole = -1;
			double low, high;

			make_processes(st, gpu, end, dur, &low, &high);
			if (below(3) == 0) {
				whole = below(4) ? below(101) : -1;
				td_stage_gpu_sample(st, 1, gpu, 0, end, dur, whole);
			}
			extend(end, end);
			/* a period does not reach back over the end of the one before */
			from = TD_MAX(from, last_end);
			last_end = end;
			truth->periods[g][p].length = end - from;
			truth->periods[g][p].low = whole < 0 ? low : (double)whole - 0.5;
			truth->periods[g][p].high = whole < 0 ? high : (double)whole + 0.5;
			for (int64_t t = from; t < end; t++)
				truth->gpu_period[g][at(t)] = p + 1;
			truth->cut[at(from)] = truth->cut[at(end)] = true;
		}
	}
}

static void make_blocks(struct td_store *st, int n)
{
	for (int i = 0; i < n; i++) {
		struct td_block b = TD_BLOCK_INIT;
		int64_t from = below(SPAN - 60), dur = below(60),
			bytes = below(5) ? below(999) : -1;
		int64_t queue = below(3) ? below((int)TD_MIN(from, 40) + 1) : TD_NULL;
		bool known = below(5) > 0;

		b.start_ns = from;
		b.dur_ns = known ? dur : TD_NULL;
		b.queue_ns = queue;
		b.bytes = bytes < 0 ? TD_NULL : bytes;
		b.op = (uint8_t)below(3);
		b.source_id = 1;
		td_stage_row(st, TD_KIND_BLOCK, &b);
		extend(from, known ? from + dur : from);
		truth->any_block |= known;
		truth->known[0] |= known && b.op == TD_BLOCK_READ;
		/* whoever asked for it waits in the queue, too */
		for (int64_t t = queue == TD_NULL ? from : from - queue;
		     known && b.op == TD_BLOCK_READ && t < from + dur; t++)
			truth->cause[0][at(t)] = true;
		for (int64_t t = from; known && t < from + dur; t++)
			truth->block[at(t)] = true;
		if (b.op == TD_BLOCK_READ)
			truth->block_read_bytes[at(from)] += TD_MAX(bytes, 0);
		if (b.op == TD_BLOCK_WRITE)
			truth->block_write_bytes[at(from)] += TD_MAX(bytes, 0);
	}
}

static const struct {
	const char *name;
	enum td_layer layer;
	char verb; /* o, r, w; s: sync; i: other I/O; c: CUDA; -: none */
} ops[] = {
	{ "openat", TD_LAYER_SYSCALL, 'o' },
	{ "pread64", TD_LAYER_SYSCALL, 'r' },
	{ "vfs_write", TD_LAYER_VFS, 'w' },
	{ "fread", TD_LAYER_LIBC, 'r' },
	{ "fstat", TD_LAYER_SYSCALL, 'i' },
	{ "poll", TD_LAYER_SYSCALL, '-' },
	{ "recvfrom", TD_LAYER_SYSCALL, '-' },
	{ "odd", TD_LAYER_SYSCALL, '-' },
	{ "fsync", TD_LAYER_SYSCALL, 's' },
	{ "cudaLaunchKernel", TD_LAYER_CUDA, 'c' },
	{ "cudaStreamSynchronize", TD_LAYER_CUDA, '-' },
};

/* Waiting on the last six is not waiting for a file. */
static const char *const paths[] = { "/data/x.npy", "/dev/shm/y",
				     "memfd:z",     "pipe:[1]",
				     "socket:[2]",  "anon_inode:[eventfd]",
				     "/dev/pts/0",  "anon_inode:[eventpoll]",
				     NULL };

/* The place of the cause that a call is, on a file or not; -1: none. */
static int cause_of(char verb, bool on_file)
{
	static const char verbs[] = "-rwoc"; /* '-': of the disk */

	if (verb == 'c')
		return CUDA;
	if (verb == '-' || !on_file)
		return -1;
	return verb == 's' ? 2 : verb == 'i' ? 3 : (int)(strchr(verbs, verb) - verbs);
}

static void note_call(int cause, int64_t from, int64_t dur)
{
	truth->known[NO_CALLS] = true;
	truth->first_call = TD_MIN(truth->first_call, from);
	truth->last_call = TD_MAX(truth->last_call, from + TD_MAX(dur, 0));
	if (cause >= 0 && dur >= 0)
		truth->known[cause] = true;
	note_cause(cause, from, dur);
}

static const struct {
	const char *name;
	int64_t tid;
	const char *path;
	int cause;
} waits[] = {
	{ "futex", TRAINS, NULL, LOCK },
	{ "read", TRAINS, "pipe:[1]", LOCK },
	{ "futex", TRAINS + 500, NULL, -1 }, /* another thread of it */
	{ "clock_nanosleep", LOADS, NULL, LOADER_SLEEPS },
	{ "clock_nanosleep", TRAINS, NULL, LOCK },
	{ "futex", LOADS, NULL, -1 },
};

static void make_waits(struct td_store *st, int n)
{
	uint32_t processes[] = { worker(st), loader(st) };

	for (int i = 0; i < n; i++) {
		struct td_call c = TD_CALL_INIT;
		int64_t from = below(SPAN - 20), dur = below(20),
			which = below(TD_ARRAY_SIZE(waits));

		c.start_ns = from;
		c.dur_ns = dur;
		c.op_id = td_store_op(st, waits[which].name, strlen(waits[which].name),
				      TD_LAYER_SYSCALL);
		c.process_id = processes[waits[which].tid == LOADS];
		c.thread_id = td_store_thread(st, waits[which].tid, c.process_id);
		if (waits[which].path)
			c.file_id = td_store_file_path(st, td_made_str(waits[which].path),
						       (struct td_str){ NULL, 0 }, false);
		c.source_id = 1;
		td_stage_row(st, TD_KIND_CALL, &c);
		extend(from, from + dur);
		truth->reads[at(from)] += waits[which].path != NULL;
		note_call(truth->any_kernel ? waits[which].cause : -1, from, dur);
	}
}

static void make_calls(struct td_store *st, int n)
{
	for (int i = 0; i < n; i++) {
		struct td_call c = TD_CALL_INIT;
		int64_t from = below(SPAN - 60), dur = below(60), op = below(TD_ARRAY_SIZE(ops)),
			file = below(10);
		bool known = below(5) > 0, on_file = file < 3 || file == 9, file_io;

		c.start_ns = from;
		c.dur_ns = known ? dur : TD_NULL;
		c.op_id = td_store_op(st, ops[op].name, strlen(ops[op].name), ops[op].layer);
		/* a process of its own each, so that none is nested in another */
		c.process_id = td_store_process(st, 100 + i, "", 0);
		if (file < 8)
			c.file_id = td_store_file_path(st, td_made_str(paths[file]),
						       (struct td_str){ NULL, 0 }, false);
		else if (file == 8)
			c.file_id = td_store_file_name(st, td_made_str(""), false);
		c.done_bytes = below(4) ? below(5000) : TD_NULL;
		c.source_id = 1;
		td_stage_row(st, TD_KIND_CALL, &c);
		extend(from, known ? from + dur : from);

		truth->opens[at(from)] += ops[op].verb == 'o';
		truth->reads[at(from)] += ops[op].verb == 'r';
		truth->writes[at(from)] += ops[op].verb == 'w';
		if (c.done_bytes != TD_NULL && strchr("rw", ops[op].verb)) {
			(ops[op].verb == 'r' ? truth->read_bytes : truth->write_bytes)[at(from)] +=
				c.done_bytes;
			if (ops[op].layer == TD_LAYER_VFS)
				truth->vfs_bytes[at(from)] += c.done_bytes;
			if (ops[op].layer == TD_LAYER_SYSCALL)
				truth->syscall_bytes[at(from)] += c.done_bytes;
		}
		note_call(cause_of(ops[op].verb, on_file), from, known ? dur : -1);
		file_io = !strchr("-c", ops[op].verb) && on_file;
		if (!file_io || !known)
			continue;
		truth->any_io = true;
		truth->io_wait_ns[at(from)] += dur;
		for (int64_t t = from; t < from + dur; t++)
			truth->io[at(t)] = true;
	}
}

/* --- comparing --- */

static int64_t sum(const int64_t *values, int from, int to)
{
	int64_t total = 0;

	for (int t = from; t < to; t++)
		total += values[t];
	return total;
}

static int64_t count(const bool *values, int from, int to)
{
	int64_t n = 0;

	for (int t = from; t < to; t++)
		n += values[t];
	return n;
}

static void check_known(sqlite3_stmt *s, int column, bool known, int64_t want)
{
	TD_CHECK_INT(sqlite3_column_type(s, column) != SQLITE_NULL, known);
	if (known)
		TD_CHECK_INT(sqlite3_column_int64(s, column), want);
}

static void check_segment(sqlite3_stmt *s, int from, int to)
{
	TD_CHECK_INT(sqlite3_column_int64(s, 0), TD_MADE_UTC + from - MARGIN);
	TD_CHECK_INT(sqlite3_column_int64(s, 1), to - from);
	check_known(s, 2, truth->any_io, count(truth->io, from, to));
	check_known(s, 3, truth->any_block, count(truth->block, from, to));
	TD_CHECK_INT(sqlite3_column_int64(s, 4), sum(truth->opens, from, to));
	TD_CHECK_INT(sqlite3_column_int64(s, 5), sum(truth->reads, from, to));
	TD_CHECK_INT(sqlite3_column_int64(s, 6), sum(truth->writes, from, to));
	TD_CHECK_INT(sqlite3_column_int64(s, 7), sum(truth->read_bytes, from, to));
	TD_CHECK_INT(sqlite3_column_int64(s, 8), sum(truth->write_bytes, from, to));
	TD_CHECK_INT(sqlite3_column_int64(s, 9), sum(truth->vfs_bytes, from, to));
	TD_CHECK_INT(sqlite3_column_int64(s, 10), sum(truth->syscall_bytes, from, to));
	TD_CHECK_INT(sqlite3_column_int64(s, 11), sum(truth->block_read_bytes, from, to));
	TD_CHECK_INT(sqlite3_column_int64(s, 12), sum(truth->block_write_bytes, from, to));
	TD_CHECK_INT(sqlite3_column_int64(s, 13), sum(truth->io_wait_ns, from, to));
}

static int next_cut(int from)
{
	while (from < ROOM && !truth->cut[from])
		from++;
	return from;
}

static void check_segments(sqlite3 *db)
{
	sqlite3_stmt *s = NULL;
	int from;

	truth->cut[at(truth->first)] = truth->cut[at(truth->last) + 1] = true;
	TD_CHECK_INT(
		sqlite3_prepare_v2(db, "SELECT * FROM segment ORDER BY start_ns", -1, &s, NULL),
		SQLITE_OK);
	from = next_cut(0);
	for (int to = next_cut(from + 1); to < ROOM; to = next_cut(from + 1)) {
		TD_CHECK_INT(sqlite3_step(s), SQLITE_ROW);
		check_segment(s, from, to);
		from = to;
	}
	TD_CHECK_INT(sqlite3_step(s), SQLITE_DONE);
	sqlite3_finalize(s);
}

/* The intervals of a label are when it is on, each ns in one of them. */
static void check_label(sqlite3_stmt *s, const char *label, const bool *want)
{
	bool got[ROOM] = { false };

	TD_CHECK_INT(sqlite3_bind_text(s, 1, label, -1, SQLITE_STATIC), SQLITE_OK);
	while (sqlite3_step(s) == SQLITE_ROW) {
		int64_t from = sqlite3_column_int64(s, 0) - TD_MADE_UTC + MARGIN,
			to = sqlite3_column_int64(s, 1) - TD_MADE_UTC + MARGIN;

		TD_CHECK(from >= 0 && from <= to && to <= ROOM);
		for (int64_t t = TD_MAX(from, 0); t < TD_MIN(to, ROOM); t++) {
			TD_CHECK(!got[t]);
			got[t] = true;
		}
	}
	TD_CHECK_INT(sqlite3_reset(s), SQLITE_OK);
	TD_CHECK(memcmp(got, want, sizeof(got)) == 0);
}

static void check_phases(sqlite3 *db)
{
	sqlite3_stmt *s = NULL;

	TD_CHECK_INT(sqlite3_prepare_v2(
			     db, "SELECT start_ns, end_ns FROM phase_interval WHERE label = ?1", -1,
			     &s, NULL),
		     SQLITE_OK);
	for (int name = 0; name < NPHASES; name++) {
		for (int number = 0; number < 4; number++) {
			char label[32];

			if (number == 3)
				(void)snprintf(label, sizeof(label), "%s", phase_names[name]);
			else
				(void)snprintf(label, sizeof(label), "%s %d", phase_names[name],
					       number);
			check_label(s, label, truth->phase[name][number]);
		}
	}
	TD_CHECK_INT(sqlite3_finalize(s), SQLITE_OK);
}

/* Every way to place busy ns in a period, the part being its first ones: how few and how many of them can
 * be in the part. */
static void place(int length, int part, int busy, int64_t *least, int64_t *most)
{
	*least = INT64_MAX;
	*most = 0;
	for (int inside = 0; inside <= busy; inside++) {
		if (inside > part || busy - inside > length - part)
			continue;
		*least = TD_MIN(*least, inside);
		*most = TD_MAX(*most, inside);
	}
}

static void check_gpus(sqlite3 *db)
{
	sqlite3_stmt *s = NULL;
	int64_t n = 0, want = 0;

	TD_CHECK_INT(sqlite3_prepare_v2(db,
					"SELECT g.start_ns, dur_ns, number, busy_min_ns, "
					"busy_max_ns FROM gpu_segment AS g JOIN segment USING "
					"(start_ns) JOIN device AS d ON d.id = device_id "
					"WHERE number < 2",
					-1, &s, NULL),
		     SQLITE_OK);
	for (; sqlite3_step(s) == SQLITE_ROW; n++) {
		int t = at(sqlite3_column_int64(s, 0) - TD_MADE_UTC);
		int64_t part = sqlite3_column_int64(s, 1), g = sqlite3_column_int64(s, 2);
		int p = truth->gpu_period[g][t] - 1;
		int64_t least, most, length, low, high;

		TD_CHECK(p >= 0);
		if (p < 0)
			continue;
		length = truth->periods[g][p].length;
		low = (int64_t)floor((double)length * fmax(truth->periods[g][p].low, 0) / 100);
		high = (int64_t)ceil((double)length * fmin(truth->periods[g][p].high, 100) / 100);
		place((int)length, (int)part, (int)low, &least, &most);
		TD_CHECK_INT(sqlite3_column_int64(s, 3), least);
		place((int)length, (int)part, (int)high, &least, &most);
		TD_CHECK_INT(sqlite3_column_int64(s, 4), most);
	}
	sqlite3_finalize(s);
	for (int t = 0; t < ROOM; t++)
		for (int g = 0; g < 2; g++)
			want += truth->cut[t] && truth->gpu_period[g][t];
	TD_CHECK_INT(n, want);
}

/* --- what idle time is put down to --- */

static void make_kernels(struct td_store *st, int n)
{
	uint32_t gpu = td_store_device(st, TD_DEVICE_GPU, "GPU 2", 5, 2);

	for (int i = 0; i < n; i++) {
		struct td_gpu_op op = TD_GPU_OP_INIT;
		int64_t from = below(SPAN - 40), dur = below(40);

		op.start_ns = from;
		op.dur_ns = dur;
		op.device_id = gpu;
		op.kind_id = td_store_cstr(st, "kernel");
		op.name_id = td_store_cstr(st, "forward");
		op.process_id = worker(st);
		op.source_id = 1;
		td_stage_row(st, TD_KIND_GPU_OP, &op);
		extend(from, from + dur);
		truth->any_kernel = true;
		for (int64_t t = from; t < from + dur; t++)
			truth->kernel[at(t)] = true;
	}
}

static int cause_at(int t)
{
	int cause = 0;
	int64_t ns = t - MARGIN;

	while (cause < NO_CALLS && !truth->cause[cause][t])
		cause++;
	if (cause < NO_CALLS)
		return cause;
	if (truth->known[NO_CALLS] && (ns < truth->first_call || ns >= truth->last_call))
		return NO_CALLS;
	return truth->cause[COMPUTES][t] ? COMPUTES : UNEXPLAINED;
}

/* While 'on' (NULL: always): the rows are what counting gives, and add up to all idle time. */
static void check_idle_of(sqlite3 *db, const char *label, const bool *on)
{
	int64_t all = 0, idle = 0, wall[UNEXPLAINED + 1] = { 0 }, in[UNEXPLAINED + 1] = { 0 };
	bool any = false;

	for (int t = at(truth->first); t < at(truth->last); t++) {
		int cause = cause_at(t);

		wall[cause] += !on || on[t];
		in[cause] += (!on || on[t]) && !truth->kernel[t];
		all += !on || on[t];
	}
	for (int cause = 0; cause <= UNEXPLAINED; cause++) {
		bool known = cause < UNEXPLAINED ? truth->known[cause] : any;
		const char *name = cause < UNEXPLAINED ? causes[cause] : "unexplained";

		any |= known;
		TD_CHECK_STR(sql_text(db,
				      "SELECT coalesce(max(basis || ' ' || cause_ns || ' ' || "
				      "idle_min_ns || ' ' || idle_max_ns), '') FROM gpu_idle_part "
				      "JOIN device AS d ON d.id = device_id WHERE d.number = 2 AND "
				      "start_ns IS NULL AND label = '%s' AND cause = '%s'",
				      label, name),
			     known && all && truth->any_kernel
				     ? sql_text(db, "SELECT 'exact %lld %lld %lld'",
						(long long)wall[cause], (long long)in[cause],
						(long long)in[cause])
				     : "");
		idle += in[cause];
	}
	if (any && all && truth->any_kernel)
		TD_CHECK_INT(td_sql_int(db, "SELECT sum(wall_ns - busy_min_ns) FROM gpu_phase JOIN "
					    "device AS d ON d.id = device_id WHERE d.number = 2 "
					    "AND gpu_phase.start_ns IS NULL AND label = '(run)'"),
			     on ? td_sql_int(db, "SELECT sum(idle_min_ns) FROM gpu_idle_part JOIN "
						 "device AS d ON d.id = device_id WHERE d.number = "
						 "2 AND start_ns IS NULL AND label = '(run)'")
				: idle);
}

/* A range that rests on samples has the parts that it must have: together they are not more than the time. */
static void check_idle(sqlite3 *db)
{
	check_idle_of(db, "(run)", NULL);
	for (int name = 0; name < NPHASES; name++)
		check_idle_of(db, phase_names[name], truth->phase[name][3]);
	TD_CHECK_INT(td_sql_int(db,
				"SELECT count(*) FROM (SELECT sum(cause_ns) AS ns, g.wall_ns FROM "
				"gpu_idle_part AS i JOIN gpu_phase AS g ON g.label = i.label AND "
				"g.start_ns IS i.start_ns AND g.device_id = i.device_id AND "
				"g.run_number IS i.run_number GROUP BY i.label, i.start_ns, "
				"i.device_id, i.run_number HAVING ns <> g.wall_ns)"),
		     0);
	TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM gpu_idle_part WHERE idle_min_ns < 0 OR "
				    "idle_min_ns > idle_max_ns OR idle_max_ns > cause_ns"),
		     0);
}

static void start_truth(void)
{
	free(truth);
	truth = calloc(1, sizeof(*truth));
	truth->first = INT64_MAX;
	truth->last = INT64_MIN;
	truth->first_call = INT64_MAX;
	truth->last_call = INT64_MIN;
}

static void set_range(struct td_store *st, uint16_t source_id)
{
	struct td_source *s = td_store_source_at(st, source_id);

	s->first_native_ns = truth->first;
	s->last_native_ns = truth->last;
}

static void test_random(uint64_t seed)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	sqlite3 *db;

	random_state = UINT64_C(88172645463325252) + seed * UINT64_C(0x9e3779b97f4a7c15);
	start_truth();
	td_stage_source(st, true);
	make_samples(st);
	make_spans(st, (int)below(20));
	make_blocks(st, (int)below(60));
	make_calls(st, (int)(below(3) ? below(200) : below(4)));
	make_kernels(st, (int)below(20));
	make_ranges(st, (int)below(10));
	make_slices(st, (int)below(12));
	make_waits(st, (int)below(12));
	set_range(st, 1);
	/* from the first to the last row of the source the GPU was looked at */
	if (truth->any_kernel)
		truth->cut[at(truth->first)] = truth->cut[at(truth->last)] = true;
	db = td_derived(st);
	check_integrity(db);
	check_segments(db);
	check_phases(db);
	check_gpus(db);
	check_idle(db);
	db_close(db);
}

int main(void)
{
	char name[32];

	if (!td_derive_set_up())
		return 1;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		(void)snprintf(name, sizeof(name), "seed %d", (int)seed);
		TD_CASE(name);
		test_random(seed);
	}
	free(truth);
	td_derive_tear_down();
	return td_check_result();
}
