/* SPDX-License-Identifier: MIT */
/* nvml*.c know how to ask; here is the thread that does it, and what becomes of the values: records. */
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "collector/samplers/gpu.h"
#include "collector/spool/clocks.h"
#include "collector/samplers/nvml.h"
#include "collector/samplers/proc.h"
#include "common/array.h"

#define SLOW_NS UINT64_C(1000000000)
#define HANGS_S 2

struct note {
	const char *kind;
	struct td_err text;
};

/* What values belong to: a GPU, or a process on it. */
struct owner {
	unsigned gpu;
	pid_t pid;
	bool hidden; /* another user's process */
	uint32_t tracks[TD_NVML_NMETRICS]; /* 0: none yet */
};

struct td_gpu_sampler {
	struct td_emit *emit; /* borrowed */
	struct td_gpu_options options;
	pthread_t thread;
	bool running; /* until finished */
	bool hangs;
	struct owner *owners;
	size_t nowners, owners_cap;
	struct td_nvml_values taken;

	pthread_mutex_t lock; /* of the rest, which both threads use */
	pthread_cond_t wake;
	bool stop;
	struct td_nvml_values values;
	struct note *notes;
	size_t nnotes, notes_cap;
	int error; /* -ENOMEM */
	struct td_err absent; /* why nothing is sampled; empty: it is, or that is not known yet */
};

/* --- the thread --- */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void add_note(struct td_gpu_sampler *s, const char *kind, const struct td_err *text)
{
	(void)pthread_mutex_lock(&s->lock);
	if (td_grow(&s->notes, &s->notes_cap, s->nnotes) == 0)
		s->notes[s->nnotes++] = (struct note){ kind, *text };
	else
		s->error = -ENOMEM;
	(void)pthread_mutex_unlock(&s->lock);
}

static void note_missing(struct td_gpu_sampler *s, const struct td_nvml *n)
{
	for (unsigned gpu = 0; gpu < td_nvml_ngpus(n); gpu++) {
		uint32_t missing = td_nvml_missing(n, gpu);
		char list[256] = "";
		size_t len = 0;
		struct td_err text;

		for (int i = 0; i < TD_NVML_NMETRICS && len < sizeof(list); i++)
			if (missing >> i & 1)
				len += (size_t)snprintf(list + len, sizeof(list) - len, " %s",
							td_nvml_tracks[i].name);
		if (!missing)
			continue;
		(void)td_err_set(&text, 0, "GPU %u (%s) does not tell%s", gpu,
				 td_nvml_gpu_name(n, gpu), list);
		add_note(s, "gpu-missing", &text);
	}
}

static void note_caveats(struct td_gpu_sampler *s, const struct td_nvml *n)
{
	struct td_err text;

	for (unsigned gpu = 0; gpu < td_nvml_ngpus(n); gpu++)
		if (td_nvml_caveat(n, gpu, &text))
			add_note(s, "gpu-shared", &text);
}

/* Waits until then; true: it is to stop. */
static bool wait_until(struct td_gpu_sampler *s, uint64_t monotonic_ns)
{
	struct timespec t = {
		.tv_sec = (time_t)(monotonic_ns / 1000000000),
		.tv_nsec = (long)(monotonic_ns % 1000000000),
	};
	bool stop;

	(void)pthread_mutex_lock(&s->lock);
	while (!s->stop && pthread_cond_timedwait(&s->wake, &s->lock, &t) == 0)
		;
	stop = s->stop;
	(void)pthread_mutex_unlock(&s->lock);
	return stop;
}

/* Both threads add at the end. */
static int hand_over(struct td_gpu_sampler *s, struct td_nvml_values *fresh)
{
	int r = 0;

	(void)pthread_mutex_lock(&s->lock);
	for (size_t i = 0; r == 0 && i < fresh->n; i++) {
		r = td_grow(&s->values.items, &s->values.cap, s->values.n);
		if (r == 0)
			s->values.items[s->values.n++] = fresh->items[i];
	}
	(void)pthread_mutex_unlock(&s->lock);
	fresh->n = 0;
	return r;
}

/* Reads until it is to stop, a last time then. 0 or -ENOMEM. */
static int sample(struct td_gpu_sampler *s, struct td_nvml *n, struct td_nvml_values *fresh)
{
	uint64_t due_ns = clock_ns(CLOCK_MONOTONIC), slow_ns = 0;
	bool stop = false, noted = false;
	int r = 0;

	note_caveats(s, n);
	while (r == 0 && !stop) {
		struct td_nvml_now now;

		stop = wait_until(s, due_ns);
		now.boot_ns = td_boot_ns();
		now.utc_ns = clock_ns(CLOCK_REALTIME);
		due_ns = TD_MAX(due_ns + s->options.interval_ns, clock_ns(CLOCK_MONOTONIC));
		r = td_nvml_read_fast(n, now, fresh);
		/* the beat nearest to a second after the last one */
		if (r == 0 &&
		    (stop || now.boot_ns - slow_ns + s->options.interval_ns / 2 >= SLOW_NS)) {
			slow_ns = now.boot_ns;
			r = td_nvml_read_slow(n, now, fresh);
			if (!noted)
				note_missing(s, n);
			noted = true;
		}
		if (r == 0)
			r = hand_over(s, fresh);
	}
	return r;
}

static void *run(void *arg)
{
	struct td_gpu_sampler *s = arg;
	_cleanup_(td_nvml_closep) struct td_nvml *n = NULL;
	struct td_nvml_values fresh = { 0 };
	struct td_err err = { 0 }, text;
	int r = td_nvml_open(s->options.library, &n, &err);

	if (r == -ENOENT || r == -ENODEV) {
		(void)td_err_set(&text, 0, "GPUs are not sampled: %.900s", err.msg);
		add_note(s, "no-gpu", &text);
		(void)pthread_mutex_lock(&s->lock);
		s->absent = text;
		(void)pthread_mutex_unlock(&s->lock);
		return NULL;
	}
	if (r == 0)
		r = sample(s, n, &fresh);
	free(fresh.items);
	if (r < 0) {
		(void)pthread_mutex_lock(&s->lock);
		s->error = r;
		(void)pthread_mutex_unlock(&s->lock);
	}
	return NULL;
}

/* --- from the main thread --- */

static int start(struct td_gpu_sampler *s)
{
	pthread_condattr_t attr;
	sigset_t all, before;
	int e;

	if (pthread_mutex_init(&s->lock, NULL) || pthread_condattr_init(&attr))
		return -ENOMEM;
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	e = pthread_cond_init(&s->wake, &attr);
	(void)pthread_condattr_destroy(&attr);
	if (e)
		return -e;
	/* signals are for the main thread */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	e = pthread_create(&s->thread, NULL, run, s);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	s->running = e == 0;
	return -e;
}

int td_gpu_sampler_new(const struct td_gpu_options *options, struct td_emit *emit,
		       struct td_gpu_sampler **ret, struct td_err *err)
{
	struct td_gpu_sampler *s;
	int r;

	if (options->interval_ns && options->interval_ns < TD_GPU_INTERVAL_MIN_NS)
		return td_err_set(err, -EINVAL,
				  "GPUs cannot be sampled more often than 100 times a second");
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->emit = emit;
	s->options = *options;
	if (!s->options.interval_ns)
		s->options.interval_ns = TD_GPU_INTERVAL_NS;
	r = start(s);
	if (r < 0) {
		free(s);
		return td_err_errno(err, r, "cannot start a thread for the GPUs");
	}
	*ret = s;
	return 0;
}

/* --- from values to records --- */

/* Is it a process that may be shown? Then it is introduced. */
static int introduce(struct td_gpu_sampler *s, struct owner *o)
{
	struct td_proc p;
	bool there = td_proc_read(o->pid, &p) == 0;

	o->hidden = !s->options.any_user && (!there || p.uid != s->options.uid);
	return there && !o->hidden ? td_emit_process(s->emit, &p) : 0;
}

/* What a value belongs to, made at first sight. */
static int find_owner(struct td_gpu_sampler *s, const struct td_nvml_value *v, struct owner **ret)
{
	struct owner *o;
	int r;

	for (size_t i = 0; i < s->nowners; i++) {
		*ret = &s->owners[i];
		if (s->owners[i].gpu == v->gpu && s->owners[i].pid == v->pid)
			return 0;
	}
	r = td_grow(&s->owners, &s->owners_cap, s->nowners);
	if (r < 0)
		return r;
	*ret = o = &s->owners[s->nowners++];
	*o = (struct owner){ .gpu = v->gpu, .pid = v->pid };
	return v->pid ? introduce(s, o) : 0;
}

static int make_track(struct td_gpu_sampler *s, struct owner *o, enum td_nvml_metric metric)
{
	char device[32];
	struct td_emit_track track = {
		.name = td_nvml_tracks[metric].name,
		.unit = td_nvml_tracks[metric].unit,
		.device_kind = TD_DEVICE_GPU,
		.device_number = (int16_t)o->gpu,
		.device = device,
		.pid = o->pid,
	};

	(void)snprintf(device, sizeof(device), "GPU %u", o->gpu);
	return td_emit_track(s->emit, &track, &o->tracks[metric]);
}

static int emit_value(struct td_gpu_sampler *s, const struct td_nvml_value *v)
{
	struct owner *o;
	int r = find_owner(s, v, &o);

	if (r == 0 && s->options.idle && v->metric == TD_NVML_SM && !v->pid)
		r = td_gpu_idle_add(s->options.idle, v->gpu, v->time_ns, v->dur_ns, v->value);
	if (r < 0 || o->hidden)
		return r;
	if (!o->tracks[v->metric])
		r = make_track(s, o, v->metric);
	if (r == 0)
		r = td_emit_sample(s->emit, o->tracks[v->metric], v->time_ns, v->dur_ns, v->value);
	return r;
}

int td_gpu_sampler_poll(struct td_gpu_sampler *s)
{
	struct td_nvml_values empty = s->taken;
	struct note *notes;
	size_t nnotes;
	int r;

	(void)pthread_mutex_lock(&s->lock);
	s->taken = s->values;
	s->values = empty;
	notes = TAKE_PTR(s->notes);
	nnotes = s->nnotes;
	s->nnotes = s->notes_cap = 0;
	r = s->error;
	(void)pthread_mutex_unlock(&s->lock);
	for (size_t i = 0; r == 0 && i < nnotes; i++)
		r = td_emit_note(s->emit, notes[i].kind, "%s", notes[i].text.msg);
	for (size_t i = 0; r == 0 && i < s->taken.n; i++)
		r = emit_value(s, &s->taken.items[i]);
	s->taken.n = 0;
	free(notes);
	return r;
}

bool td_gpu_sampler_absent(struct td_gpu_sampler *s, struct td_err *ret)
{
	(void)pthread_mutex_lock(&s->lock);
	*ret = s->absent;
	(void)pthread_mutex_unlock(&s->lock);
	return ret->msg[0];
}

/* Ends the thread, if it comes back. */
static void stop(struct td_gpu_sampler *s)
{
	struct timespec until;

	if (!s->running)
		return;
	s->running = false;
	(void)pthread_mutex_lock(&s->lock);
	s->stop = true;
	(void)pthread_cond_signal(&s->wake);
	(void)pthread_mutex_unlock(&s->lock);
	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += HANGS_S;
	s->hangs = pthread_timedjoin_np(s->thread, NULL, &until) != 0;
	if (s->hangs)
		(void)pthread_detach(s->thread);
}

int td_gpu_sampler_finish(struct td_gpu_sampler *s)
{
	int r;

	stop(s);
	r = td_gpu_sampler_poll(s);
	if (r == 0 && s->hangs)
		r = td_emit_note(s->emit, "gpu-hangs",
				 "the NVIDIA driver does not answer: the last samples are missing");
	return r;
}

void td_gpu_sampler_free(struct td_gpu_sampler *s)
{
	if (!s)
		return;
	stop(s);
	if (s->hangs)
		return; /* the thread may come back from the driver: what it uses is left to it */
	(void)pthread_mutex_destroy(&s->lock);
	(void)pthread_cond_destroy(&s->wake);
	free(s->owners);
	free(s->taken.items);
	free(s->values.items);
	free(s->notes);
	free(s);
}
