/* SPDX-License-Identifier: MIT */
#include "store/derive/idle.h"
#include "store/derive/job.h"
#include "store/derive/stretches.h"
#include "common/array.h"
#include "schema/ops.h"

/* What is put down to what, as it looks to the GPUs of a party. */
struct side {
	struct td_idle *idle;
	unsigned party;
	struct td_causes *causes; /* NULL: it has no GPU of which anything is known */
};

/* Those that can be a cause. They come before it is known who works on which GPU. */
struct spans {
	struct td_work *items;
	size_t n, cap;
	size_t *last; /* by process id and cause: the number of the last one, from 1; 0: none */
};

struct td_idle {
	struct td_store *st;
	const struct td_contents *in; /* of st */
	const bool *files; /* borrowed */
	struct td_gpu *gpu; /* borrowed */
	struct td_job *job;
	struct side *sides; /* by party */
	unsigned nsides;
	unsigned *parties; /* by process id */
	struct spans spans;
	struct td_stretches *stretches; /* NULL: nothing is known of any GPU */
	enum td_cause
		*waits; /* by op id: what it is if the thread that trains, or a loader, is in it */
	bool all_calls; /* a recording has those in which a thread can wait */
	bool slices; /* of first threads of programs: they tell when these compute */
	bool begun; /* calls go by */
	int64_t start_ns;
};

/* Names of spans, as PyTorch's profiler, PyTorch's NVTX ranges and NCCL print them. */
static const struct {
	const char *kind;
	const char *begins;
	enum td_cause cause;
	bool is_whole; /* the name is that, and not longer */
} span_names[] = {
	{ "annotation", "enumerate(DataLoader)", TD_CAUSE_DATA },
	{ "nvtx", "enumerate(DataLoader)", TD_CAUSE_DATA },
	{ "cpu-op", "c10d::", TD_CAUSE_RANKS },
	{ "cpu-op", "record_param_comms", TD_CAUSE_RANKS },
	{ "nvtx", "nccl", TD_CAUSE_RANKS },
	{ "cpu-op", "", TD_CAUSE_OPERATOR },
	{ "phase", "eval", TD_CAUSE_EVALUATION },
	{ "phase", "init", TD_CAUSE_INITIALISATION },
	{ "phase", "checkpoint", TD_CAUSE_WRITE, true }, /* "checkpoint-load" reads */
};

static void tell_gpus(void *arg, const struct td_work *piece)
{
	const struct side *side = arg;
	struct td_idle *i = side->idle;

	if (piece->cause != TD_CAUSE_ANY)
		td_stretches_add(i->stretches, side->party, piece);
	if (piece->cause != TD_CAUSE_NONE)
		td_gpu_cause(i->gpu, side->party, piece->cause, piece->start_ns, piece->end_ns);
}

int td_idle_new(struct td_idle **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? 0 : -ENOMEM;
}

void td_idle_free(struct td_idle *i)
{
	if (!i)
		return;
	td_job_free(i->job);
	for (unsigned k = 0; k < i->nsides; k++)
		td_causes_free(i->sides[k].causes);
	free(i->sides);
	free(i->parties);
	free(i->spans.items);
	free(i->spans.last);
	td_stretches_free(i->stretches);
	free(i->waits);
	free(i);
}

/* In a lock, or until something comes: of the thread that trains that is waiting for others. */
static enum td_cause wait_of(const struct td_op *op)
{
	const char *verb = op->info->verb, *kind = op->info->kind;

	if (op->layer == TD_LAYER_CUDA)
		return TD_CAUSE_NONE;
	if (strstr(op->name, "nanosleep"))
		return TD_CAUSE_LOADER_SLEEPS;
	/* on what is no file */
	return strcmp(kind, "lock") == 0 || strcmp(kind, "wait") == 0 ||
			       strcmp(verb, "socket") == 0 || strcmp(verb, "read") == 0 ||
			       strcmp(verb, "write") == 0
		       ? TD_CAUSE_LOCK
		       : TD_CAUSE_NONE;
}

/* Recordings name what they would have told of, seen or not. One that lost some tells nothing by their absence. */
static bool has_all_calls(const struct td_contents *in)
{
	bool recorded = false, lost = false, locks = false, waits = false, sockets = false;

	for (size_t k = 0; k < in->nlosses; k++)
		lost |= in->losses[k].lost > 0;
	for (size_t k = 0; k < in->nsources; k++)
		recorded |=
			in->sources[k].importer && strcmp(in->sources[k].importer, "record") == 0;
	for (size_t k = 0; k < in->nops; k++) {
		const struct td_op *op = &in->ops[k];

		if (op->layer == TD_LAYER_CUDA)
			continue;
		locks |= strcmp(op->info->kind, "lock") == 0;
		waits |= strcmp(op->info->kind, "wait") == 0;
		sockets |= strcmp(op->info->verb, "socket") == 0;
	}
	return recorded && !lost && locks && waits && sockets;
}

int td_idle_begin(struct td_idle *i, struct td_store *st, const bool *files, struct td_gpu *gpu)
{
	i->st = st;
	i->in = td_store_contents(st);
	i->files = files;
	i->gpu = gpu;
	i->waits = calloc(i->in->nops + 1, sizeof(*i->waits));
	i->spans.last = calloc((i->in->nprocesses + 1) * TD_NCAUSES, sizeof(*i->spans.last));
	if (!i->waits || !i->spans.last)
		return -ENOMEM;
	for (size_t k = 0; k < i->in->nops; k++)
		i->waits[k + 1] = wait_of(&i->in->ops[k]);
	i->all_calls = has_all_calls(i->in);
	return td_job_new(st, &i->job);
}

/* --- before the calls --- */

/* What touches the one before of the same process and cause goes on with it. */
static int add_span(struct spans *spans, const struct td_work *work)
{
	size_t *last = &spans->last[(size_t)work->process_id * TD_NCAUSES + work->cause];
	struct td_work *before = *last ? &spans->items[*last - 1] : NULL;

	if (before && work->start_ns <= before->end_ns) {
		before->end_ns = TD_MAX(before->end_ns, work->end_ns);
		return 0;
	}
	if (td_grow(&spans->items, &spans->cap, spans->n) < 0)
		return -ENOMEM;
	spans->items[spans->n++] = *work;
	*last = spans->n;
	return 0;
}

int td_idle_span(struct td_idle *i, const struct td_span *span)
{
	struct td_str kind, name;

	if (span->dur_ns == TD_NULL || span->dur_ns == 0)
		return 0;
	kind = td_store_text(i->st, span->kind_id);
	name = td_store_text(i->st, span->name_id);
	for (size_t k = 0; k < TD_ARRAY_SIZE(span_names); k++) {
		struct td_work work = { .cause = span_names[k].cause,
					.start_ns = span->start_ns,
					.end_ns = span->start_ns + span->dur_ns,
					.process_id = span->process_id };

		if (td_str_eq(kind, span_names[k].kind) &&
		    (span_names[k].is_whole ? td_str_eq(name, span_names[k].begins)
					    : td_str_starts(name, span_names[k].begins)))
			return add_span(&i->spans, &work);
	}
	return 0;
}

void td_idle_gpu_op(struct td_idle *i, const struct td_gpu_op *op)
{
	td_job_works(i->job, op->process_id);
}

static bool is_own(const struct td_idle *i, const struct side *side, uint32_t process_id)
{
	unsigned party = i->parties[process_id];

	return side->party == TD_ANYONE || party == TD_ANYONE || party == side->party;
}

static int add_work(struct td_idle *i, const struct td_work *work)
{
	int r = 0;

	for (unsigned k = 0; k < i->nsides && r >= 0; k++) {
		const struct side *side = &i->sides[k];

		if (side->causes)
			r = is_own(i, side, work->process_id)
				    ? td_causes_add(side->causes, work)
				    : td_causes_add_other(side->causes, work);
	}
	return r;
}

static int by_start(const void *a, const void *b)
{
	const struct td_work *x = a, *y = b;

	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* The stretches of time in which a recorder lost events. */
static int add_losses(struct td_idle *i)
{
	_cleanup_free_ struct td_work *lost = calloc(i->in->nlosses + 1, sizeof(*lost));
	size_t n = 0;
	int r = 0;

	if (!lost)
		return -ENOMEM;
	for (size_t k = 0; k < i->in->nlosses; k++) {
		const struct td_loss *l = &i->in->losses[k];
		struct td_shift shift = td_source_shift(&i->in->sources[l->source_id - 1]);

		if (l->lost > 0 && td_store_on_clock(i->st, l->source_id))
			lost[n++] = (struct td_work){
				.cause = TD_CAUSE_LOST,
				.start_ns = td_shift_to_utc(&shift, l->from_ns),
				.end_ns = td_shift_to_utc(&shift, l->to_ns),
			};
	}
	qsort(lost, n, sizeof(*lost), by_start);
	for (size_t k = 0; k < n && r >= 0; k++)
		r = add_work(i, &lost[k]);
	return r;
}

/* Of those that work on GPUs, and of those that they started. */
static int find_parties(struct td_idle *i)
{
	const struct td_parties *parties = td_gpu_parties(i->gpu);

	i->parties = calloc(i->in->nprocesses + 1, sizeof(*i->parties));
	if (!i->parties)
		return -ENOMEM;
	for (uint32_t id = 1; id <= i->in->nprocesses && td_parties_count(parties) > 1; id++)
		i->parties[id] = td_parties_of_process(parties, td_job_worker_of(i->job, id));
	return 0;
}

static int open_sides(struct td_idle *i)
{
	const struct td_parties *parties = td_gpu_parties(i->gpu);
	int r = 0;

	i->sides = calloc(td_parties_count(parties), sizeof(*i->sides));
	if (!i->sides)
		return -ENOMEM;
	i->nsides = td_parties_count(parties);
	for (uint32_t d = 1; d <= i->in->ndevices && r >= 0; d++) {
		unsigned party = td_parties_of_gpu(parties, d);
		struct side *side = &i->sides[party];

		*side = (struct side){ .idle = i, .party = party, .causes = side->causes };
		if (td_gpu_told(i->gpu, d) && !side->causes)
			r = td_causes_new(tell_gpus, side, &side->causes);
	}
	return r;
}

static int64_t end_of(const struct td_idle *i, const struct td_process *p)
{
	struct td_shift shift;

	if (!p->end_source_id || p->end_ns == TD_NULL)
		return INT64_MAX;
	shift = td_source_shift(&i->in->sources[p->end_source_id - 1]);
	return td_shift_to_utc(&shift, p->end_ns);
}

static int add_programs(struct td_idle *i, const struct side *side)
{
	int r = 0;

	for (uint32_t id = 1; id <= i->in->nprocesses && r >= 0; id++)
		if (td_job_is_worker(i->job, id) && is_own(i, side, id))
			r = td_causes_add_program(side->causes, id,
						  end_of(i, &i->in->processes[id - 1]));
	return r;
}

int td_idle_start(struct td_idle *i, int64_t start_ns)
{
	int r = td_stretches_new(i->gpu, i->in->ndevices, &i->stretches);

	i->start_ns = start_ns;
	if (r >= 0)
		r = find_parties(i);
	if (r >= 0)
		r = open_sides(i);
	for (size_t k = 0; k < i->spans.n && r >= 0; k++)
		r = add_work(i, &i->spans.items[k]);
	for (unsigned k = 0; k < i->nsides && i->all_calls && r >= 0; k++)
		if (i->sides[k].causes)
			r = add_programs(i, &i->sides[k]);
	return r < 0 ? r : add_losses(i);
}

int td_idle_sched(struct td_idle *i, const struct td_sched *slice)
{
	uint32_t process_id = td_job_process_of(i->job, slice->thread_id);
	struct td_work work = { .start_ns = slice->start_ns, .process_id = process_id };
	struct td_str state;
	bool main_thread;

	if (!i->stretches || !process_id || slice->dur_ns == TD_NULL || slice->dur_ns == 0)
		return 0;
	main_thread = td_job_is_main_thread(i->job, process_id, slice->thread_id);
	i->slices |= main_thread;
	state = td_store_text(i->st, slice->state_id);
	work.end_ns = slice->start_ns + slice->dur_ns;
	if (td_str_eq(state, "running") && td_job_is_loader(i->job, process_id))
		work.cause = TD_CAUSE_LOADER_RUNS;
	else if (td_str_eq(state, "running") && main_thread)
		work.cause = TD_CAUSE_COMPUTES;
	else if (td_str_eq(state, "runnable") &&
		 (td_job_is_worker(i->job, process_id) || td_job_is_loader(i->job, process_id)))
		work.cause = TD_CAUSE_RUNNABLE;
	else
		return 0;
	return add_work(i, &work);
}

int td_idle_block(struct td_idle *i, const struct td_block *b)
{
	struct td_work work = { .cause = TD_CAUSE_DISK_READ,
				.start_ns = b->start_ns,
				.end_ns = b->start_ns + b->dur_ns,
				.process_id = b->process_id };

	/* who asked for it waits from then on */
	if (b->queue_ns != TD_NULL)
		work.start_ns -= b->queue_ns;
	return i->stretches && b->dur_ns != TD_NULL && b->op == TD_BLOCK_READ ? add_work(i, &work)
									      : 0;
}

/* --- calls --- */

static void begin_calls(struct td_idle *i)
{
	if (i->begun)
		return;
	i->begun = true;
	for (unsigned k = 0; k < i->nsides; k++)
		if (i->sides[k].causes)
			td_causes_begin(i->sides[k].causes, i->start_ns);
}

static enum td_cause cause_of(const struct td_idle *i, const struct td_call *c, enum td_cause cause)
{
	enum td_cause wait = i->waits[c->op_id];

	if (cause == TD_CAUSE_CUDA || (cause != TD_CAUSE_NONE && i->files[c->file_id]))
		return cause;
	if (wait == TD_CAUSE_LOADER_SLEEPS && td_job_is_loader(i->job, c->process_id))
		return wait;
	if (wait != TD_CAUSE_NONE && td_job_is_main_thread(i->job, c->process_id, c->thread_id))
		return TD_CAUSE_LOCK;
	return TD_CAUSE_NONE;
}

static void program_calls(struct td_idle *i, const struct td_call *c)
{
	int64_t end_ns = c->dur_ns == TD_NULL ? TD_NULL : c->start_ns + c->dur_ns;

	for (unsigned k = 0; k < i->nsides; k++)
		if (i->sides[k].causes && is_own(i, &i->sides[k], c->process_id))
			td_causes_program_calls(i->sides[k].causes, c->process_id, end_ns);
}

void td_idle_call(struct td_idle *i, const struct td_call *c, enum td_cause cause)
{
	struct td_work work = { .cause = TD_CAUSE_NONE,
				.start_ns = c->start_ns,
				.end_ns = c->start_ns,
				.process_id = c->process_id,
				.file_id = c->file_id };

	if (!i->stretches)
		return;
	begin_calls(i);
	if (c->dur_ns != TD_NULL) {
		work.cause = cause_of(i, c, cause);
		work.end_ns += c->dur_ns;
	}
	for (unsigned k = 0; k < i->nsides; k++) {
		const struct side *side = &i->sides[k];

		if (side->causes && is_own(i, side, c->process_id))
			td_causes_call(side->causes, &work);
		else if (side->causes)
			td_causes_call_other(side->causes, &work);
	}
	if (i->all_calls && !i->slices &&
	    td_job_is_main_thread(i->job, c->process_id, c->thread_id))
		program_calls(i, c);
}

static void finish_side(struct td_idle *i, const struct side *side, int64_t end_ns)
{
	td_causes_finish(side->causes, end_ns);
	for (int k = 0; k < TD_NCAUSES; k++) {
		if (!td_causes_known(side->causes, k))
			continue;
		td_gpu_know_cause(i->gpu, side->party, k);
		td_gpu_know_cause(i->gpu, side->party, TD_CAUSE_ANY);
	}
}

void td_idle_finish(struct td_idle *i, int64_t end_ns)
{
	if (!i->stretches)
		return;
	begin_calls(i);
	for (unsigned k = 0; k < i->nsides; k++)
		if (i->sides[k].causes)
			finish_side(i, &i->sides[k], end_ns);
}

int td_idle_write(struct td_idle *i, const struct td_target *target, struct td_err *err)
{
	return i->stretches ? td_stretches_write(i->stretches, target, err) : 0;
}

static int write_party(unsigned party, uint32_t device_id, uint32_t process_id,
		       struct td_row_builder *rows)
{
	if (party == TD_ANYONE)
		return 0;
	td_row_i64(rows, party);
	td_row_key(rows, device_id);
	td_row_key(rows, process_id);
	return td_row_builder_end_row(rows);
}

int td_idle_write_parties(const struct td_idle *i, struct td_row_builder *rows)
{
	int r = 0;

	for (uint32_t id = 1; i->stretches && id <= i->in->ndevices && r >= 0; id++)
		r = write_party(td_parties_of_gpu(td_gpu_parties(i->gpu), id), id, 0, rows);
	for (uint32_t id = 1; i->stretches && id <= i->in->nprocesses && r >= 0; id++)
		r = write_party(i->parties[id], 0, id, rows);
	return r;
}
