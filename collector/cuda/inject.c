/* SPDX-License-Identifier: MIT */
/*
 * libtracedb-cuda.so, in every process that 'tracedb record --cuda' starts: libcuda calls InitializeInjection() of the library
 * that CUDA_INJECTION64_PATH names when the process begins to use CUDA. From then on CUPTI hands over buffers of activity
 * records, on a thread of its own every FLUSH_MS, which become records of schema/wire.h in the process's ring. NVTX is in nvtx.c.
 *
 * It is a guest: no signal handler, nothing printed, errors are told to the recorder (notes) or cost the recording
 * of this process. A program that profiles itself comes first, as CUPTI serves one at a time: the library is preloaded, too,
 * so that it sees cuptiActivityRegisterCallbacks() of others, and stops before that is done.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/cuda/cupti_abi.h"
#include "collector/cuda/teller.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define EXPORT __attribute__((visibility("default")))

#define FLUSH_MS 200
#define BUFFER ((size_t)1 << 20)
#define FUNCTIONS 2048 /* callback ids of a domain are below that */
#define SHORT_NS                                                                                   \
	1000 /* calls that take less are only counted: they launch nothing and wait for nothing */
#define CONTEXTS 64
#define RECORDS_AT_ONCE 32

static struct {
	/* with the lock of td_teller */
	struct td_numbers kernels;
	uint32_t by_function
		[2][FUNCTIONS]; /* the numbers of driver and runtime functions; 0: none yet */
	uint8_t device_of[CONTEXTS]; /* by context id, + 1; 0: not known */
	int64_t offset_ns; /* from CUPTI's clock to CLOCK_BOOTTIME, where it has its own */
	/* set before there is another thread */
	struct td_cupti cupti;
	int own_clock;
	volatile int is_others; /* somebody else has registered for the records */
	volatile int is_over; /* and what was ours has come */
} g;

/* CUPTI's clock while it is ours. There is no way to give it back, so afterwards it is what CUPTI has by default. */
static uint64_t now_ns(void)
{
	return td_teller_clock_ns(g.is_over ? CLOCK_REALTIME : CLOCK_BOOTTIME);
}

/* --- names; with the lock --- */

/* As C++ has it, by the program's own C++ library; NULL: it is no name of C++, or there is none. free() it. */
static char *demangle(const char *name)
{
	static char *(*function)(const char *, char *, size_t *, int *);
	void *library;
	int status;

	if (!function) {
		library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
		if (library)
			*(void **)&function = dlsym(library, "__cxa_demangle");
	}
	return function && strncmp(name, "_Z", 2) == 0 ? function(name, NULL, NULL, &status) : NULL;
}

static uint32_t kernel_name(const char *name)
{
	struct td_number *n = name && *name ? td_number_of(&g.kernels, name) : NULL;
	char *plain;

	if (!n || n->number)
		return n ? n->number : 0;
	plain = demangle(name);
	n->number = plain ? td_tell_name(plain, strlen(plain)) : td_tell_name(name, strlen(name));
	free(plain);
	return n->number;
}

/* The runtime's names carry the version of their interface, cudaLaunchKernel_v7000, which is no part of what they are
 * called. The driver's '_v2' is. */
static size_t function_len(const char *name)
{
	const char *v = strrchr(name, '_');
	size_t digits = v && v[1] == 'v' ? strspn(v + 2, "0123456789") : 0;

	return digits >= 4 && !v[2 + digits] ? (size_t)(v - name) : strlen(name);
}

static uint32_t function_name(int runtime, uint32_t function)
{
	uint32_t *number = &g.by_function[runtime][function % FUNCTIONS];
	uint32_t domain = runtime ? TD_CUPTI_DOMAIN_RUNTIME : TD_CUPTI_DOMAIN_DRIVER;
	const char *name;

	if (function < FUNCTIONS && *number == 0 &&
	    g.cupti.GetCallbackName(domain, function, &name) == TD_CUPTI_SUCCESS && name)
		*number = td_tell_name(name, function_len(name));
	return function < FUNCTIONS ? *number : 0;
}

/* --- what CUPTI tells; with the lock --- */

/* Counts, and puts what has times and a name. Records without times are of what was under way when CUPTI was asked. */
static void put_op(enum td_cuda_kind kind, unsigned wire_kind, struct td_wire_gpu_op *op,
		   int is_named)
{
	td_teller.ring->kinds[kind].made++;
	op->head.tid = td_teller.ring->pid;
	op->head.flags = (uint8_t)wire_kind;
	op->start_ns += (uint64_t)g.offset_ns;
	op->end_ns += (uint64_t)g.offset_ns;
	if (!is_named || op->start_ns == (uint64_t)g.offset_ns ||
	    !td_tell(op, TD_WIRE_GPU_OP, sizeof(*op)))
		td_teller.ring->kinds[kind].lost++;
}

#define OP_OF(r)                                                                                   \
	{                                                                                          \
		.start_ns = (r)->start, .end_ns = (r)->end, .device = (r)->device,                 \
		.stream = (r)->stream, .correlation = (r)->correlation                             \
	}

static void learn(uint32_t context, uint32_t device)
{
	if (context < CONTEXTS && device < UINT8_MAX)
		g.device_of[context] = (uint8_t)(device + 1);
}

static void take_kernel(const void *record)
{
	const struct td_cupti_kernel *r = record;
	struct td_wire_gpu_op op = OP_OF(r);

	learn(r->context, r->device);
	op.what = kernel_name(r->name);
	put_op(TD_CUDA_KERNELS, TD_WIRE_GPU_KERNEL, &op, op.what != 0);
}

static void take_copy(const void *record)
{
	const struct td_cupti_memcpy *r = record;
	struct td_wire_gpu_op op = OP_OF(r);

	learn(r->context, r->device);
	op.bytes = r->bytes;
	op.what = r->copy_kind;
	put_op(TD_CUDA_COPIES, TD_WIRE_GPU_COPY, &op, 1);
}

static void take_peer_copy(const void *record)
{
	const struct td_cupti_memcpy2 *r = record;
	struct td_wire_gpu_op op = OP_OF(r);

	op.bytes = r->bytes;
	op.what = r->copy_kind;
	put_op(TD_CUDA_COPIES, TD_WIRE_GPU_COPY, &op, 1);
}

static void take_set(const void *record)
{
	const struct td_cupti_memset *r = record;
	struct td_wire_gpu_op op = OP_OF(r);

	learn(r->context, r->device);
	op.bytes = r->bytes;
	put_op(TD_CUDA_SETS, TD_WIRE_GPU_SET, &op, 1);
}

static void take_context(const void *record)
{
	const struct td_cupti_context *r = record;

	learn(r->context, r->device);
}

/* It says its context only. */
static void take_sync(const void *record)
{
	const struct td_cupti_sync *r = record;
	uint8_t device = r->context < CONTEXTS ? g.device_of[r->context] : 0;
	struct td_wire_gpu_op op = {
		.start_ns = r->start,
		.end_ns = r->end,
		.device = device ? device - 1U : 0,
		.stream = r->stream,
		.correlation = r->correlation,
		.what = r->type,
	};

	put_op(TD_CUDA_SYNCS, TD_WIRE_GPU_SYNC, &op, device != 0);
}

static void take_call(const struct td_cupti_api *r, int runtime)
{
	struct td_wire_gpu_call call = {
		.head = { .tid = r->tid },
		.start_ns = r->start + (uint64_t)g.offset_ns,
		.end_ns = r->end + (uint64_t)g.offset_ns,
		.pid = td_teller.ring->pid,
		.correlation = r->correlation,
		.result = r->result,
	};

	if (r->end - r->start < SHORT_NS) {
		td_teller.ring->short_calls++;
		return;
	}
	call.name = function_name(runtime, r->function);
	td_teller.ring->kinds[TD_CUDA_CALLS].made++;
	if (!call.name || !r->start || !td_tell(&call, TD_WIRE_GPU_CALL, sizeof(call)))
		td_teller.ring->kinds[TD_CUDA_CALLS].lost++;
}

static void take_runtime_call(const void *record)
{
	take_call(record, 1);
}

/* Most are made by the runtime, whose call is told: only launches are also made by programs (Triton's, for one). */
static void take_driver_call(const void *record)
{
	const struct td_cupti_api *r = record;
	const char *name = NULL;

	if (g.cupti.GetCallbackName(TD_CUPTI_DOMAIN_DRIVER, r->function, &name) ==
		    TD_CUPTI_SUCCESS &&
	    name && strncmp(name, "cuLaunchKernel", strlen("cuLaunchKernel")) == 0)
		take_call(r, 0);
}

static const struct {
	uint32_t kind;
	const char *name;
	void (*take)(const void *record);
} kinds[] = {
	{ TD_CUPTI_CONTEXT, "contexts", take_context },
	{ TD_CUPTI_KERNEL, "kernels", take_kernel },
	{ TD_CUPTI_MEMCPY, "copies", take_copy },
	{ TD_CUPTI_MEMCPY2, "copies between GPUs", take_peer_copy },
	{ TD_CUPTI_MEMSET, "sets", take_set },
	{ TD_CUPTI_SYNC, "synchronisations", take_sync },
	{ TD_CUPTI_RUNTIME, "calls of the runtime", take_runtime_call },
	{ TD_CUPTI_DRIVER, "calls of the driver", take_driver_call },
};

static void take(const void *record)
{
	uint32_t kind = *(const uint32_t *)record;

	for (size_t i = 0; i < COUNT(kinds); i++)
		if (kinds[i].kind == kind)
			kinds[i].take(record);
}

/* --- buffers --- */

static void requested(uint8_t **buffer, size_t *size, size_t *max_records)
{
	*buffer = aligned_alloc(8, BUFFER);
	*size = *buffer ? BUFFER : 0;
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
	g.offset_ns = (int64_t)(before + (after - before) / 2 - at);
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
			take(*record);
	}
	(void)pthread_mutex_unlock(&td_teller.lock);
	return more;
}

static void completed(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	size_t dropped = 0;
	void *record = NULL;

	(void)size;
	(void)pthread_mutex_lock(&td_teller.lock);
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

static void at_exit(void)
{
	if (is_recording())
		(void)g.cupti.ActivityFlushAll(TD_CUPTI_FLUSH_FORCED);
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
		td_tell_note("cuda-not-recorded",
			     "the program is profiled by another tool already");
	else
		td_tell_note("cuda-not-recorded", "CUPTI does not work here (error %d)", r);
	return r == TD_CUPTI_SUCCESS;
}

static void start(void)
{
	char why[256] = "";
	uint32_t version = 0;

	if (td_cupti_load(getenv(TD_CUDA_CUPTI), &g.cupti, why, sizeof(why)) < 0) {
		td_tell_note("cuda-not-recorded", "%s", why);
		return;
	}
	(void)g.cupti.GetVersion(&version);
	if (version < TD_CUPTI_VERSION_MIN) {
		td_tell_note("cuda-not-recorded",
			     "CUPTI is too old (version %u): CUDA 11.6 is needed", version);
		return;
	}
	if (g.is_others) {
		td_tell_note("cuda-not-recorded", "the program profiles itself");
		return;
	}
	if (!is_free())
		return;
	if (g.cupti.SetThreadIdType)
		(void)g.cupti.SetThreadIdType(TD_CUPTI_THREAD_ID_SYSTEM);
	g.own_clock = !g.cupti.ActivityRegisterTimestampCallback ||
		      g.cupti.ActivityRegisterTimestampCallback(now_ns) != TD_CUPTI_SUCCESS;
	if (g.cupti.ActivityRegisterCallbacks(requested, completed) != TD_CUPTI_SUCCESS) {
		td_tell_note("cuda-not-recorded", "CUPTI does not give its records to us");
		return;
	}
	for (size_t i = 0; i < COUNT(kinds); i++) {
		int r = g.cupti.ActivityEnable(kinds[i].kind);

		if (r != TD_CUPTI_SUCCESS)
			td_tell_note("cuda-not-recorded", "%s: CUPTI refuses (error %d)",
				     kinds[i].name, r);
	}
	(void)g.cupti.ActivityFlushPeriod(FLUSH_MS);
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
	for (size_t i = 0; i < COUNT(kinds); i++)
		(void)g.cupti.ActivityDisable(kinds[i].kind);
	(void)g.cupti.ActivityFlushPeriod(0);
	(void)g.cupti.ActivityFlushAll(TD_CUPTI_FLUSH_FORCED);
	td_tell_note("cuda-stopped",
		     "process %d profiles itself: its work on GPUs is not recorded from %.3f s "
		     "after boot on",
		     (int)getpid(), (double)td_teller_clock_ns(CLOCK_BOOTTIME) / 1e9);
	(void)pthread_mutex_lock(&td_teller.lock);
	g.is_over = 1;
	(void)pthread_mutex_unlock(&td_teller.lock);
}

/* What others call, as this library is in front of CUPTI; our own calls go to CUPTI itself. */
EXPORT int cuptiActivityRegisterCallbacks(td_cupti_requested *their_requested,
					  td_cupti_completed *their_completed);
EXPORT int cuptiActivityRegisterCallbacks(td_cupti_requested *their_requested,
					  td_cupti_completed *their_completed)
{
	int (*function)(td_cupti_requested *, td_cupti_completed *);

	*(void **)&function = td_cupti_loaded_function("cuptiActivityRegisterCallbacks");
	if (!function)
		return 999; /* CUPTI_ERROR_UNKNOWN */
	step_back();
	return function(their_requested, their_completed);
}
