/* SPDX-License-Identifier: MIT */
#include "store/derive/idle.h"
#include "store/derive/job.h"
#include "store/derive/stretches.h"
#include "common/array.h"
#include "schema/ops.h"

struct td_idle {
	struct td_store *st;
	const struct td_contents *in; /* of st */
	const bool *files; /* borrowed */
	struct td_gpu *gpu; /* borrowed */
	struct td_job *job;
	struct td_causes *causes;
	struct td_stretches *stretches; /* NULL: nothing is known of any GPU */
	enum td_cause
		*waits; /* by op id: what it is if the thread that trains, or a loader, is in it */
	bool begun; /* calls go by */
	int64_t start_ns;
};

/* Names of spans, as PyTorch's profiler, PyTorch's NVTX ranges and NCCL print them. */
static const struct {
	const char *kind;
	const char *begins;
	enum td_cause cause;
} span_names[] = {
	{ "annotation", "enumerate(DataLoader)", TD_CAUSE_DATA },
	{ "nvtx", "enumerate(DataLoader)", TD_CAUSE_DATA },
	{ "cpu-op", "c10d::", TD_CAUSE_RANKS },
	{ "cpu-op", "record_param_comms", TD_CAUSE_RANKS },
	{ "nvtx", "nccl", TD_CAUSE_RANKS },
	{ "cpu-op", "", TD_CAUSE_OPERATOR },
	{ "phase", "eval", TD_CAUSE_EVALUATION },
	{ "phase", "init", TD_CAUSE_INITIALISATION },
	{ "phase", "checkpoint", TD_CAUSE_WRITE },
};

static void tell_gpus(void *arg, const struct td_work *piece)
{
	struct td_idle *i = arg;

	if (piece->cause != TD_CAUSE_ANY)
		td_stretches_add(i->stretches, piece);
	if (piece->cause != TD_CAUSE_NONE)
		td_gpu_io(i->gpu, TD_IO_CAUSE + piece->cause, piece->start_ns, piece->end_ns);
}

int td_idle_new(struct td_idle **ret)
{
	struct td_idle *i = calloc(1, sizeof(*i));
	int r;

	if (!i)
		return -ENOMEM;
	r = td_causes_new(tell_gpus, i, &i->causes);
	if (r < 0) {
		free(i);
		return r;
	}
	*ret = i;
	return 0;
}

void td_idle_free(struct td_idle *i)
{
	if (!i)
		return;
	td_job_free(i->job);
	td_causes_free(i->causes);
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

int td_idle_begin(struct td_idle *i, struct td_store *st, const bool *files, struct td_gpu *gpu)
{
	i->st = st;
	i->in = td_store_contents(st);
	i->files = files;
	i->gpu = gpu;
	i->waits = calloc(i->in->nops + 1, sizeof(*i->waits));
	if (!i->waits)
		return -ENOMEM;
	for (size_t k = 0; k < i->in->nops; k++)
		i->waits[k + 1] = wait_of(&i->in->ops[k]);
	return td_job_new(st, &i->job);
}

/* --- before the calls --- */

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
		    td_str_starts(name, span_names[k].begins))
			return td_causes_add(i->causes, &work);
	}
	return 0;
}

void td_idle_gpu_op(struct td_idle *i, const struct td_gpu_op *op)
{
	td_job_works(i->job, op->process_id);
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
		r = td_causes_add(i->causes, &lost[k]);
	return r;
}

int td_idle_start(struct td_idle *i, int64_t start_ns)
{
	int r = td_stretches_new(i->gpu, i->in->ndevices, &i->stretches);

	i->start_ns = start_ns;
	return r < 0 ? r : add_losses(i);
}

int td_idle_sched(struct td_idle *i, const struct td_sched *slice)
{
	uint32_t process_id = td_job_process_of(i->job, slice->thread_id);
	struct td_work work = { .start_ns = slice->start_ns, .process_id = process_id };
	struct td_str state;

	if (!i->stretches || !process_id || slice->dur_ns == TD_NULL || slice->dur_ns == 0)
		return 0;
	state = td_store_text(i->st, slice->state_id);
	work.end_ns = slice->start_ns + slice->dur_ns;
	if (td_str_eq(state, "running") && td_job_is_loader(i->job, process_id))
		work.cause = TD_CAUSE_LOADER_RUNS;
	else if (td_str_eq(state, "runnable") &&
		 (td_job_is_worker(i->job, process_id) || td_job_is_loader(i->job, process_id)))
		work.cause = TD_CAUSE_RUNNABLE;
	else
		return 0;
	return td_causes_add(i->causes, &work);
}

int td_idle_block(struct td_idle *i, const struct td_block *b)
{
	struct td_work work = { .cause = TD_CAUSE_DISK_READ,
				.start_ns = b->start_ns,
				.end_ns = b->start_ns + b->dur_ns,
				.process_id = b->process_id };

	return i->stretches && b->dur_ns != TD_NULL && b->op == TD_BLOCK_READ
		       ? td_causes_add(i->causes, &work)
		       : 0;
}

/* --- calls --- */

static void begin_calls(struct td_idle *i)
{
	if (i->begun)
		return;
	i->begun = true;
	td_causes_begin(i->causes, i->start_ns);
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
	td_causes_call(i->causes, &work);
}

void td_idle_finish(struct td_idle *i, int64_t end_ns, bool known[TD_IO_LAYERS])
{
	if (!i->stretches)
		return;
	begin_calls(i);
	td_causes_finish(i->causes, end_ns);
	for (int k = 0; k < TD_NCAUSES; k++) {
		known[TD_IO_CAUSE + k] = td_causes_known(i->causes, k);
		known[TD_IO_ANY_CAUSE] |= known[TD_IO_CAUSE + k];
	}
}

int td_idle_write(struct td_idle *i, const struct td_target *target, struct td_err *err)
{
	return i->stretches ? td_stretches_write(i->stretches, target, err) : 0;
}
