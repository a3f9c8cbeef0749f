/* SPDX-License-Identifier: MIT */
#include "store/derive/cpu.h"
#include "store/derive/gpu.h"
#include "store/derive/idle.h"
#include "store/derive/phases.h"
#include "store/derive/segments.h"
#include "common/array.h"
#include "schema/ops.h"
#include "store/write/row_builder.h"

/* Among many files no cache holds what is kept of each: it is asked for so many calls ahead. */
#define AHEAD_CALLS 16

/* One row of segment; times and bytes as there. */
struct segment {
	int64_t start_ns;
	int64_t io_ns, block_ns;
	int64_t opens, reads, writes;
	int64_t read_bytes, write_bytes, vfs_bytes, syscall_bytes;
	int64_t block_read_bytes, block_write_bytes;
	int64_t io_wait_ns;
	int64_t ignored; /* what no column is for */
};

/* Adds up the union of intervals that come in order of start. */
struct cover {
	int64_t end_ns; /* everything before this is counted */
	size_t at; /* segment in which the last interval began */
	bool any; /* interval of known length */
	enum td_io_layer layer;
};

/* What matters of an operation; where in a segment ... */
struct op {
	size_t calls; /* ... its calls count */
	size_t bytes, layer_bytes; /* ... and its bytes do, if it transfers any */
	bool transfers;
	bool io; /* time in it is I/O, if it is on a file */
	enum td_cause cause; /* of idle time of a GPU */
};

struct td_segments {
	struct td_store *st;
	const struct td_contents *in; /* of st */
	struct op *ops; /* by op id */
	bool *files; /* by file id, 0 for none: time in it is file I/O */
	bool *on_clock; /* by source id: rows of the others can be in any segment, so they are in none */
	struct td_phases *phases;
	struct td_gpu *gpu;
	struct td_cpu *cpu;
	struct td_idle *idle;
	struct td_times cuts; /* where segments begin, and the end */
	struct segment *segments; /* one more than n: the end */
	size_t n;
	bool cut; /* segments are made, no boundary can be added */
	bool gpus; /* and something tells of a GPU */
	struct cover io, block;
	size_t call_at, block_at; /* segments of the last call and of the last block start */
	int64_t call_until_ns; /* where that of the last call ends; INT64_MAX: nowhere, it is the last one */
};

int td_segments_new(struct td_segments **ret)
{
	struct td_segments *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	s->io.end_ns = s->block.end_ns = s->call_until_ns = INT64_MIN;
	s->block.layer = TD_IO_BLOCKS;
	r = td_phases_new(&s->phases);
	if (r >= 0)
		r = td_gpu_new(&s->gpu);
	if (r >= 0)
		r = td_cpu_new(&s->cpu);
	if (r >= 0)
		r = td_idle_new(&s->idle);
	if (r < 0) {
		td_segments_free(s);
		return r;
	}
	*ret = s;
	return 0;
}

void td_segments_free(struct td_segments *s)
{
	if (!s)
		return;
	td_phases_free(s->phases);
	td_gpu_free(s->gpu);
	td_cpu_free(s->cpu);
	td_idle_free(s->idle);
	free(s->ops);
	free(s->files);
	free(s->on_clock);
	free(s->segments);
	td_times_done(&s->cuts);
	free(s);
}

static struct op op_of(const struct td_op *op)
{
	const char *verb = op->info->verb;
	struct op of = { .calls = offsetof(struct segment, ignored),
			 .layer_bytes = offsetof(struct segment, ignored) };

	if (strcmp(verb, "open") == 0) {
		of.calls = offsetof(struct segment, opens);
	} else if (strcmp(verb, "read") == 0) {
		of.calls = offsetof(struct segment, reads);
		of.bytes = offsetof(struct segment, read_bytes);
		of.transfers = true;
	} else if (strcmp(verb, "write") == 0) {
		of.calls = offsetof(struct segment, writes);
		of.bytes = offsetof(struct segment, write_bytes);
		of.transfers = true;
	}
	if (op->layer == TD_LAYER_VFS)
		of.layer_bytes = offsetof(struct segment, vfs_bytes);
	if (op->layer == TD_LAYER_SYSCALL)
		of.layer_bytes = offsetof(struct segment, syscall_bytes);
	of.io = strcmp(op->info->kind, "io") == 0 && strcmp(verb, "socket") != 0;
	of.cause = td_cause_of(op);
	return of;
}

static int find_files(struct td_segments *s)
{
	s->files = calloc(s->in->nfiles + 1, sizeof(*s->files));
	if (!s->files)
		return -ENOMEM;
	s->files[0] = true;
	for (size_t i = 0; i < s->in->nfiles; i++)
		s->files[i + 1] = !td_class_waits(s->in->files[i].class);
	return 0;
}

int td_segments_begin(struct td_segments *s, struct td_store *st)
{
	const struct td_contents *in = td_store_contents(st);
	bool has_clock = td_store_has_clock(st);
	int r;

	s->st = st;
	s->in = in;
	s->ops = calloc(in->nops + 1, sizeof(*s->ops));
	s->on_clock = calloc(in->nsources + 1, sizeof(*s->on_clock));
	if (!s->ops || !s->on_clock)
		return -ENOMEM;
	for (size_t i = 0; i < in->nops; i++)
		s->ops[i + 1] = op_of(&in->ops[i]);
	for (size_t id = 1; id <= in->nsources; id++)
		s->on_clock[id] = td_source_on_clock(&in->sources[id - 1], has_clock);
	r = find_files(s);
	if (r < 0)
		return r;
	r = td_phases_begin(s->phases, st);
	if (r >= 0)
		r = td_cpu_begin(s->cpu, st);
	if (r >= 0)
		r = td_gpu_begin(s->gpu, st);
	return r < 0 ? r : td_idle_begin(s->idle, st, s->files, s->gpu);
}

int td_segments_span(struct td_segments *s, const struct td_span *span)
{
	int r;

	if (!s->on_clock[span->source_id])
		return 0;
	r = td_phases_add(s->phases, span);
	if (r >= 0)
		r = td_idle_span(s->idle, span);
	return r < 0 ? r : td_gpu_span(s->gpu, span);
}

int td_segments_sample(struct td_segments *s, const struct td_sample *sample)
{
	bool on_clock = s->on_clock[s->in->tracks[sample->track_id - 1].source_id];
	int r = on_clock ? td_gpu_sample(s->gpu, sample) : 0;

	return r < 0 ? r : td_cpu_sample(s->cpu, sample, on_clock);
}

int td_segments_gpu_op(struct td_segments *s, const struct td_gpu_op *op)
{
	if (!s->on_clock[op->source_id])
		return 0;
	td_idle_gpu_op(s->idle, op);
	return td_gpu_op(s->gpu, op);
}

const struct td_gpu *td_segments_gpu(const struct td_segments *s)
{
	return s->gpu;
}

/* --- cutting --- */

/* Begin and end of everything that is on the common clock, so that the segments cover it. */
static int add_run(const struct td_store *st, struct td_times *times)
{
	int64_t first, last;
	int r;

	if (!td_store_range(st, &first, &last))
		return 0;
	r = td_times_add(times, first);
	return r < 0 ? r : td_times_add(times, last + 1);
}

static int find_cuts(struct td_segments *s)
{
	int r = add_run(s->st, &s->cuts);

	if (r >= 0)
		r = td_phases_times(s->phases, &s->cuts);
	if (r >= 0)
		r = td_gpu_times(s->gpu, &s->cuts);
	td_times_sort(&s->cuts);
	return r;
}

static int make_segments(struct td_segments *s)
{
	int r;

	s->cut = true;
	r = td_cpu_finish(s->cpu);
	if (r >= 0)
		r = find_cuts(s);
	if (r < 0)
		return r;
	s->segments = calloc(s->cuts.n + 1, sizeof(*s->segments));
	if (!s->segments)
		return -ENOMEM;
	for (size_t i = 0; i < s->cuts.n; i++)
		s->segments[i].start_ns = s->cuts.ns[i];
	s->n = s->cuts.n - (s->cuts.n > 0); /* the last boundary is the end */
	r = td_gpu_cut(s->gpu, s->cuts.ns, s->cuts.n);
	/* calls are many, and what they mean for GPUs and are the cause of is asked for GPUs only */
	s->gpus = r >= 0 && td_gpu_any(s->gpu);
	return s->gpus ? td_idle_start(s->idle, s->segments[0].start_ns) : r;
}

static int cut(struct td_segments *s)
{
	return s->cut ? 0 : make_segments(s);
}

/* --- filling --- */

/* The segment that holds the time, searched from *at on; what lies outside all of them counts for the
 * first or the last one. */
static struct segment *find(struct td_segments *s, size_t *at, int64_t ns)
{
	while (*at + 1 < s->n && s->segments[*at + 1].start_ns <= ns)
		(*at)++;
	return &s->segments[*at];
}

static int64_t *member_of(struct segment *seg, size_t offset)
{
	return (int64_t *)((char *)seg + offset);
}

/* What came from damaged lines may not fit and stays at the largest number. */
static void add(int64_t *sum, int64_t n)
{
	if (__builtin_add_overflow(*sum, n, sum))
		*sum = INT64_MAX;
}

/* Counts [start, end) as far as no earlier interval covered it. */
static void add_cover(struct td_segments *s, struct cover *c, int64_t start_ns, int64_t end_ns,
		      size_t member)
{
	int64_t from = TD_MAX(start_ns, c->end_ns);

	c->any = true;
	if (end_ns <= from)
		return;
	c->end_ns = end_ns;
	if (s->gpus)
		td_gpu_io(s->gpu, c->layer, from, end_ns);
	/* nearly all lie in the segment of the one before */
	if (c->at < s->n && from >= s->segments[c->at].start_ns &&
	    end_ns <= s->segments[c->at + 1].start_ns) {
		*member_of(&s->segments[c->at], member) += end_ns - from;
		return;
	}
	(void)find(s, &c->at, from);
	for (size_t i = c->at; i < s->n && s->segments[i].start_ns < end_ns; i++) {
		int64_t a = TD_MAX(from, s->segments[i].start_ns);
		int64_t b = TD_MIN(end_ns, s->segments[i + 1].start_ns);

		if (b > a)
			*member_of(&s->segments[i], member) += b - a;
	}
}

int td_segments_sched(struct td_segments *s, const struct td_sched *slice)
{
	int r = cut(s);

	return r < 0 || !s->on_clock[slice->source_id] ? r : td_idle_sched(s->idle, slice);
}

int td_segments_block(struct td_segments *s, const struct td_block *b)
{
	struct segment *seg;
	int r = cut(s);

	if (r < 0 || s->n == 0 || !s->on_clock[b->source_id])
		return r;
	if (b->dur_ns != TD_NULL)
		add_cover(s, &s->block, b->start_ns, b->start_ns + b->dur_ns,
			  offsetof(struct segment, block_ns));
	r = td_idle_block(s->idle, b);
	if (r < 0)
		return r;
	seg = find(s, &s->block_at, b->start_ns);
	if (b->bytes == TD_NULL)
		return 0;
	if (b->op == TD_BLOCK_READ)
		add(&seg->block_read_bytes, b->bytes);
	if (b->op == TD_BLOCK_WRITE)
		add(&seg->block_write_bytes, b->bytes);
	return 0;
}

/* Calls come in order, and there are many in a segment. */
static struct segment *segment_of_call(struct td_segments *s, int64_t start_ns)
{
	if (start_ns >= s->call_until_ns) {
		(void)find(s, &s->call_at, start_ns);
		s->call_until_ns =
			s->call_at + 1 < s->n ? s->segments[s->call_at + 1].start_ns : INT64_MAX;
	}
	return &s->segments[s->call_at];
}

static void add_call(struct td_segments *s, const struct td_call *c)
{
	const struct op *op = &s->ops[c->op_id];
	struct segment *seg = segment_of_call(s, c->start_ns);

	if (op->transfers && c->done_bytes != TD_NULL) {
		add(member_of(seg, op->layer_bytes), c->done_bytes);
		if (!c->nested)
			add(member_of(seg, op->bytes), c->done_bytes);
	}
	if (c->nested)
		return;
	++*member_of(seg, op->calls);
	if (s->gpus)
		td_idle_call(s->idle, c, op->cause);
	if (!op->io || c->dur_ns == TD_NULL || !s->files[c->file_id])
		return;
	add(&seg->io_wait_ns, c->dur_ns);
	add_cover(s, &s->io, c->start_ns, c->start_ns + c->dur_ns, offsetof(struct segment, io_ns));
}

int td_segments_calls(struct td_segments *s, const struct td_call *calls, size_t n)
{
	int r = cut(s);

	if (r < 0 || s->n == 0)
		return r;
	for (size_t i = 0; i < n; i++) {
		__builtin_prefetch(&s->files[calls[TD_MIN(i + AHEAD_CALLS, n - 1)].file_id]);
		if (s->on_clock[calls[i].source_id])
			add_call(s, &calls[i]);
	}
	return 0;
}

/* --- writing --- */

static int write_segments(struct td_segments *s, const struct td_target *target, struct td_err *err)
{
	_cleanup_(td_row_builder_done) struct td_row_builder stmt = { 0 };
	int r;

	r = td_row_builder_open(&stmt, target, "segment", err);
	for (size_t i = 0; i < s->n && r >= 0; i++) {
		const struct segment *g = &s->segments[i];

		td_row_i64(&stmt, g->start_ns);
		td_row_i64(&stmt, s->segments[i + 1].start_ns - g->start_ns);
		td_row_i64(&stmt, s->io.any ? g->io_ns : TD_NULL);
		td_row_i64(&stmt, s->block.any ? g->block_ns : TD_NULL);
		td_row_i64(&stmt, g->opens);
		td_row_i64(&stmt, g->reads);
		td_row_i64(&stmt, g->writes);
		td_row_i64(&stmt, g->read_bytes);
		td_row_i64(&stmt, g->write_bytes);
		td_row_i64(&stmt, g->vfs_bytes);
		td_row_i64(&stmt, g->syscall_bytes);
		td_row_i64(&stmt, g->block_read_bytes);
		td_row_i64(&stmt, g->block_write_bytes);
		td_row_i64(&stmt, g->io_wait_ns);
		td_cpu_bind(s->cpu, &stmt, g->start_ns, s->segments[i + 1].start_ns);
		r = td_row_builder_end_row(&stmt);
	}
	return r;
}

int td_segments_write_gpu(struct td_segments *s, const struct td_target *target, struct td_err *err)
{
	_cleanup_(td_row_builder_done) struct td_row_builder stmt = { 0 };
	int r;

	r = td_row_builder_open(&stmt, target, "gpu_segment", err);
	return r < 0 ? r : td_gpu_write_segments(s->gpu, &stmt);
}

static int write_gpu_phases(struct td_segments *s, struct td_row_builder *rows)
{
	return td_gpu_write_phases(s->gpu, s->phases, rows);
}

static int write_gpu_idle(struct td_segments *s, struct td_row_builder *rows)
{
	return td_gpu_write_idle(s->gpu, s->phases, rows);
}

static int write_gpu_parties(struct td_segments *s, struct td_row_builder *rows)
{
	return td_idle_write_parties(s->idle, rows);
}

static int write_gpu_idle_segments(struct td_segments *s, struct td_row_builder *rows)
{
	return td_gpu_write_idle_segments(s->gpu, rows);
}

static int write_gpu_samplers(struct td_segments *s, struct td_row_builder *rows)
{
	return td_gpu_write_samplers(s->gpu, rows);
}

static int write_cpu_samplers(struct td_segments *s, struct td_row_builder *rows)
{
	return td_cpu_write_samplers(s->cpu, rows);
}

static int write_cpu_phases(struct td_segments *s, struct td_row_builder *rows)
{
	return td_cpu_write_phases(s->cpu, s->phases, rows);
}

struct table {
	const char *name;
	int (*write)(struct td_segments *s, struct td_row_builder *rows);
};

/* Keeps what it finds of each segment, which the others ask for. */
static const struct table first_table = { "gpu_idle_segment", write_gpu_idle_segments };

static const struct table tables[] = {
	{ "gpu_phase", write_gpu_phases },     { "gpu_idle_part", write_gpu_idle },
	{ "gpu_party", write_gpu_parties },    { "gpu_sampler", write_gpu_samplers },
	{ "cpu_sampler", write_cpu_samplers }, { "cpu_phase", write_cpu_phases },
};

static int write_table(struct td_segments *s, const struct table *t, const struct td_target *target,
		       struct td_err *err)
{
	_cleanup_(td_row_builder_done) struct td_row_builder rows = { 0 };
	int r = td_row_builder_open(&rows, target, t->name, err);

	return r < 0 ? r : t->write(s, &rows);
}

static int write_tables(struct td_segments *s, const struct td_target *target, struct td_err *err)
{
	int r = 0;

	for (size_t i = 0; i < TD_ARRAY_SIZE(tables) && r >= 0; i++)
		r = write_table(s, &tables[i], target, err);
	return r;
}

static int finish_gpu(struct td_segments *s)
{
	if (s->io.any)
		td_gpu_know_io(s->gpu, TD_IO_CALLS);
	if (s->block.any)
		td_gpu_know_io(s->gpu, TD_IO_BLOCKS);
	td_idle_finish(s->idle, s->segments[s->n].start_ns);
	return td_gpu_finish(s->gpu);
}

int td_segments_write(struct td_segments *s, const struct td_target *target, struct td_err *err)
{
	int r;

	r = cut(s);
	if (r >= 0)
		r = td_phases_join(s->phases);
	if (r >= 0)
		r = finish_gpu(s);
	if (r >= 0)
		r = write_segments(s, target, err);
	if (r >= 0)
		r = td_phases_write(s->phases, target, err);
	if (r >= 0)
		r = write_table(s, &first_table, target, err);
	if (r >= 0)
		r = td_idle_write(s->idle, target, err);
	return r < 0 ? r : write_tables(s, target, err);
}
