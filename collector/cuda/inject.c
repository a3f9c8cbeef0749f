/* SPDX-License-Identifier: MIT */
/*
 * libtracedb-cuda.so, in every process that 'tracedb record --cuda' starts: libcuda calls
 * InitializeInjection() of the library that CUDA_INJECTION64_PATH names when the process begins to
 * use CUDA. From then on CUPTI hands over buffers of activity records, when one is full or
 * flusher.c asks for it, which become records of schema/wire.h in the process's ring. NVTX is in
 * nvtx.c.
 *
 * It is a guest: no signal handler, nothing printed, errors are told to the recorder (notes) or
 * cost the recording of this process. A program that profiles itself comes first, as CUPTI serves
 * one at a time: the library is preloaded, too, so that it sees cuptiActivityRegisterCallbacks() of
 * others, and stops before that is done.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/cuda/activity.h"
#include "collector/cuda/flusher.h"
#include "collector/cuda/teller.h"
#include "common/job_rank.h"

#define EXPORT __attribute__((visibility("default")))

#define BUFFER ((size_t)1 << 20)
#define RECORDS_AT_ONCE 32

/* Set before there is another thread. */
static struct {
	struct td_cupti cupti;
	int own_clock;
	volatile int is_others; /* somebody else has registered for the records */
	volatile int is_over; /* and what was ours has come */
	int buffers; /* with CUPTI; atomic */
	uint64_t completed_ns; /* when the last one came back; with the lock of td_teller */
} g;

/* CUPTI's clock while it is ours. There is no way to give it back, so afterwards it is what CUPTI has by default. */
static uint64_t now_ns(void)
{
	return td_teller_clock_ns(g.is_over ? CLOCK_REALTIME : CLOCK_BOOTTIME);
}

/* --- buffers --- */

static void requested(uint8_t **buffer, size_t *size, size_t *max_records)
{
	*buffer = aligned_alloc(8, BUFFER);
	*size = *buffer ? BUFFER : 0;
	(void)__atomic_add_fetch(&g.buffers, *buffer != NULL, __ATOMIC_RELAXED);
	*max_records = 0;
}

/* CUPTI without a clock of ours has that of the day, which can be set meanwhile. */
static void measure_offset(void)
{
	uint64_t before, at = 0, after;

	if (!g.own_clock)
		return;
	before = td_teller_clock_ns(CLOCK_BOOTTIME);
	if (g.cupti.GetTimestamp(&at) != TD_CUPTI_SUCCESS)
		return;
	after = td_teller_clock_ns(CLOCK_BOOTTIME);
	td_activity_set_offset((int64_t)(before + (after - before) / 2 - at));
}

static int is_recording(void)
{
	return td_teller.ring && !g.is_over;
}

/* Not all of a buffer at once, as whoever has an NVTX range meanwhile waits. 0: none is left. */
static int take_some(uint8_t *buffer, size_t valid, void **record)
{
	int more = 1;

	(void)pthread_mutex_lock(&td_teller.lock);
	for (int i = 0; i < RECORDS_AT_ONCE && more; i++) {
		more = is_recording() &&
		       g.cupti.ActivityGetNextRecord(buffer, valid, record) == TD_CUPTI_SUCCESS;
		if (more)
			td_activity_take(*record);
	}
	(void)pthread_mutex_unlock(&td_teller.lock);
	return more;
}

static void completed(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	size_t dropped = 0;
	void *record = NULL;

	(void)size;
	(void)__atomic_sub_fetch(&g.buffers, 1, __ATOMIC_RELAXED);
	(void)pthread_mutex_lock(&td_teller.lock);
	g.completed_ns = td_teller_clock_ns(CLOCK_BOOTTIME);
	if (is_recording()) {
		measure_offset();
		if (g.cupti.ActivityGetNumDroppedRecords(context, stream, &dropped) !=
		    TD_CUPTI_SUCCESS)
			dropped = 0;
		/* of which kind they were nobody knows; kernels are what a loss makes wrong */
		td_teller.ring->kinds[TD_CUDA_KERNELS].made += dropped;
		td_teller.ring->kinds[TD_CUDA_KERNELS].lost += dropped;
	}
	(void)pthread_mutex_unlock(&td_teller.lock);
	while (valid && take_some(buffer, valid, &record))
		;
	free(buffer);
}

/* --- begin and end --- */

/* What this process does on GPUs from now on is not known, and nothing is to be concluded from that. */
static void tell_unseen(uint64_t from_ns)
{
	struct td_wire_gpu_unseen w = { .from_ns = from_ns };

	(void)pthread_mutex_lock(&td_teller.lock);
	if (td_teller.ring) {
		w.head.tid = td_teller.ring->pid;
		(void)td_tell(&w, TD_WIRE_GPU_UNSEEN, sizeof(w));
	}
	(void)pthread_mutex_unlock(&td_teller.lock);
}

__attribute__((format(printf, 1, 2))) static void is_not_recorded(const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	td_tell_note("cuda-not-recorded", "process %d: %s", (int)getpid(), text);
	tell_unseen(td_teller_clock_ns(CLOCK_BOOTTIME));
}

/* A profiler that looks CUPTI's functions up by itself (JAX's) is not seen to begin: it has got our buffers then. */
static void at_exit(void)
{
	if (!is_recording())
		return;
	td_flusher_end();
	(void)g.cupti.ActivityFlushAll(TD_CUPTI_FLUSH_FORCED);
	if (__atomic_load_n(&g.buffers, __ATOMIC_RELAXED) == 0)
		return;
	td_tell_note("cuda-stopped",
		     "process %d was profiled by another tool: its work on GPUs is not recorded "
		     "from %.3f s after boot on",
		     (int)getpid(), (double)g.completed_ns / 1e9);
	tell_unseen(g.completed_ns);
}

static void nobody(void *arg, uint32_t domain, uint32_t function, const void *data)
{
	(void)arg;
	(void)domain;
	(void)function;
	(void)data;
}

/* Only one of CUPTI's clients can be subscribed: profilers are, as a rule. Says why not. */
static int is_free(void)
{
	void *subscriber = NULL;
	int r = g.cupti.Subscribe(&subscriber, (void *)nobody, NULL);

	if (r == TD_CUPTI_SUCCESS)
		(void)g.cupti.Unsubscribe(subscriber);
	else if (r == TD_CUPTI_MULTIPLE_SUBSCRIBERS || r == TD_CUPTI_MAX_LIMIT_REACHED)
		is_not_recorded("the program is profiled by another tool already");
	else
		is_not_recorded("CUPTI does not work here (error %d)", r);
	return r == TD_CUPTI_SUCCESS;
}

static void enable(void)
{
	const char *graphs = getenv(TD_CUDA_GRAPHS);

	td_activity_begin(&g.cupti, graphs && strcmp(graphs, "graph") == 0);
	for (size_t i = 0; i < td_activity_nkinds; i++) {
		const struct td_activity_kind *k = &td_activity_kinds[i];
		int r = td_activity_enable(k);

		if (r != TD_CUPTI_SUCCESS && !k->optional)
			td_tell_note("cuda-not-recorded", "%s: CUPTI refuses (error %d)", k->name,
				     r);
	}
}

/* torchrun and mpirun tell each process in its environment; one that sets its own has done so
 * before it asks for a GPU. */
static void tell_rank(void)
{
	int32_t rank = td_rank_of_environment(environ);
	struct td_wire_process_rank w = { .time_ns = td_teller_clock_ns(CLOCK_BOOTTIME) };

	if (rank < 0)
		return;
	w.rank = (uint32_t)rank;
	(void)pthread_mutex_lock(&td_teller.lock);
	if (td_teller.ring) {
		w.head.tid = td_teller.ring->pid;
		(void)td_tell(&w, TD_WIRE_PROCESS_RANK, sizeof(w));
	}
	(void)pthread_mutex_unlock(&td_teller.lock);
}

static void start(void)
{
	char why[256] = "";
	uint32_t version = 0;

	if (td_cupti_load(getenv(TD_CUDA_CUPTI), &g.cupti, why, sizeof(why)) < 0) {
		is_not_recorded("%s", why);
		return;
	}
	(void)g.cupti.GetVersion(&version);
	if (version < TD_CUPTI_VERSION_MIN) {
		is_not_recorded("CUPTI is too old (version %u): CUDA 11.6 is needed", version);
		return;
	}
	if (g.is_others) {
		is_not_recorded("the program profiles itself");
		return;
	}
	if (!is_free())
		return;
	if (g.cupti.SetThreadIdType)
		(void)g.cupti.SetThreadIdType(TD_CUPTI_THREAD_ID_SYSTEM);
	g.own_clock = !g.cupti.ActivityRegisterTimestampCallback ||
		      g.cupti.ActivityRegisterTimestampCallback(now_ns) != TD_CUPTI_SUCCESS;
	if (g.cupti.ActivityRegisterCallbacks(requested, completed) != TD_CUPTI_SUCCESS) {
		is_not_recorded("CUPTI does not give its records to us");
		return;
	}
	g.completed_ns = td_teller_clock_ns(CLOCK_BOOTTIME);
	enable();
	if (td_flusher_begin(g.cupti.ActivityFlushAll) < 0)
		td_tell_note("cuda-not-recorded",
			     "process %d starts no more threads: if it is killed, its last work on "
			     "GPUs is lost",
			     (int)getpid());
	(void)atexit(at_exit);
}

/* The name is libcuda's. 1: all is well, also where nothing is recorded: that is not the program's business. */
EXPORT int InitializeInjection(void);
EXPORT int InitializeInjection(void)
{
	static int begun;

	if (__atomic_exchange_n(&begun, 1, __ATOMIC_RELAXED) || !td_teller_begin())
		return 1;
	td_teller.ring->uses_cuda = 1;
	tell_rank();
	start();
	return 1;
}

/* Before another one takes the records: all that we have asked for come to us, and nothing is asked for any more. */
static void step_back(void)
{
	int was_ours = td_teller.ring && !g.is_others && g.cupti.ActivityDisable;

	g.is_others = 1; /* also if we come later */
	if (!was_ours)
		return;
	td_flusher_end();
	for (size_t i = 0; i < td_activity_nkinds; i++)
		td_activity_disable(&td_activity_kinds[i]);
	(void)g.cupti.ActivityFlushAll(TD_CUPTI_FLUSH_FORCED);
	td_tell_note("cuda-stopped",
		     "process %d profiles itself: its work on GPUs is not recorded from %.3f s "
		     "after boot on",
		     (int)getpid(), (double)td_teller_clock_ns(CLOCK_BOOTTIME) / 1e9);
	tell_unseen(td_teller_clock_ns(CLOCK_BOOTTIME));
	(void)pthread_mutex_lock(&td_teller.lock);
	g.is_over = 1;
	(void)pthread_mutex_unlock(&td_teller.lock);
}

/* What others call, as this library is in front of CUPTI; our own calls go to CUPTI itself. A
 * profiler's clock comes before its buffers, and takes the times from what CUPTI has of us by
 * then. */
EXPORT int cuptiActivityRegisterTimestampCallback(uint64_t (*now)(void));
EXPORT int cuptiActivityRegisterTimestampCallback(uint64_t (*now)(void))
{
	int (*function)(uint64_t(*)(void));

	*(void **)&function = td_cupti_loaded_function("cuptiActivityRegisterTimestampCallback");
	if (!function)
		return TD_CUPTI_UNKNOWN;
	step_back();
	return function(now);
}

EXPORT int cuptiActivityRegisterCallbacks(td_cupti_requested *their_requested,
					  td_cupti_completed *their_completed);
EXPORT int cuptiActivityRegisterCallbacks(td_cupti_requested *their_requested,
					  td_cupti_completed *their_completed)
{
	int (*function)(td_cupti_requested *, td_cupti_completed *);

	*(void **)&function = td_cupti_loaded_function("cuptiActivityRegisterCallbacks");
	if (!function)
		return TD_CUPTI_UNKNOWN;
	step_back();
	return function(their_requested, their_completed);
}
