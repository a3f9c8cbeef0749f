/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "collector/cuda/activity.h"
#include "collector/cuda/teller.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define FUNCTIONS 2048 /* callback ids of a domain are below that */
#define SHORT_NS                                                                                   \
	1000 /* calls that take less are only counted: they launch nothing and wait for nothing */

static struct {
	const struct td_cupti *cupti; /* borrowed */
	bool whole_graphs;
	/* with the lock of td_teller */
	struct td_numbers kernels;
	uint32_t by_function
		[2][FUNCTIONS]; /* the numbers of driver and runtime functions; 0: none yet */
	int64_t offset_ns;
} g;

void td_activity_begin(const struct td_cupti *cupti, bool whole_graphs)
{
	g.cupti = cupti;
	g.whole_graphs = whole_graphs;
}

void td_activity_set_offset(int64_t offset_ns)
{
	g.offset_ns = offset_ns;
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

/* As CUPTI calls it. */
static bool get_name(uint32_t domain, uint32_t function, const char **ret)
{
	*ret = NULL;
	return g.cupti->GetCallbackName(domain, function, ret) == TD_CUPTI_SUCCESS && *ret;
}

static uint32_t function_name(int runtime, uint32_t function)
{
	uint32_t *number = &g.by_function[runtime][function % FUNCTIONS];
	const char *name;

	if (function >= FUNCTIONS || *number)
		return function < FUNCTIONS ? *number : 0;
	if (get_name(runtime ? TD_CUPTI_DOMAIN_RUNTIME : TD_CUPTI_DOMAIN_DRIVER, function, &name))
		*number = td_tell_name(name, function_len(name));
	return *number;
}

/* --- which functions of the APIs --- */

/* Called several times for each kernel, they launch nothing and wait for nothing: of PyTorch's five
 * calls for a kernel one launches it. To tell of the others would cost the program more than they
 * do. */
static const char *const runtime_quiet[] = {
	"cudaGetLastError",
	"cudaPeekAtLastError",
	"cudaGetDevice",
	"cudaGetDeviceCount",
	"cudaDeviceGetAttribute",
	"cudaStreamIsCapturing",
	"cudaStreamGetCaptureInfo",
	"cudaThreadExchangeStreamCaptureMode",
	"cudaEventQuery",
	"cudaStreamQuery",
	"cudaPointerGetAttributes",
	"cudaFuncGetAttributes",
	"cudaOccupancyMaxActiveBlocksPerMultiprocessor",
	"cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
};

/* Most calls of the driver are made by the runtime, whose call is told: but launches and waits are
 * also made by programs (JAX, Triton), */
static const char *const driver_work[] = {
	"cuLaunch",         "cuGraphLaunch",      "cuStreamSynchronize",
	"cuCtxSynchronize", "cuEventSynchronize", NULL
};
/* and what runs out of memory may be an allocator of a program's own (PyTorch's expandable segments). */
static const char *const driver_memory[] = { "cuMemAlloc",
					     "cuMemCreate",
					     "cuMemHost",
					     "cuArray",
					     "cuMipmappedArray",
					     "cuCtxCreate",
					     "cuDevicePrimaryCtxRetain",
					     "cuModuleLoad",
					     "cuLibraryLoad",
					     "cuGraphInstantiate",
					     NULL };

static bool begins_like(const char *name, const char *const *begins)
{
	while (*begins && strncmp(name, *begins, strlen(*begins)) != 0)
		begins++;
	return *begins != NULL;
}

static bool is_of_runtime(const char *name)
{
	size_t len = function_len(name);
	size_t i = 0;

	while (i < COUNT(runtime_quiet) &&
	       (strlen(runtime_quiet[i]) != len || strncmp(name, runtime_quiet[i], len) != 0))
		i++;
	return i == COUNT(runtime_quiet);
}

static bool is_of_driver(const char *name)
{
	return begins_like(name, driver_work) || begins_like(name, driver_memory);
}

static const struct functions {
	uint32_t kind;
	uint32_t domain;
	bool (*is_wanted)(const char *name);
} functions[] = {
	{ TD_CUPTI_RUNTIME, TD_CUPTI_DOMAIN_RUNTIME, is_of_runtime },
	{ TD_CUPTI_DRIVER, TD_CUPTI_DOMAIN_DRIVER, is_of_driver },
};

/* NULL: all of the kind's records are wanted. */
static const struct functions *functions_of(uint32_t kind)
{
	for (size_t i = 0; i < COUNT(functions); i++)
		if (functions[i].kind == kind)
			return &functions[i];
	return NULL;
}

/* What CUPTI says; without what it has from CUDA 12.5 on, TD_CUPTI_UNKNOWN. */
static int switch_functions(const struct functions *f, uint8_t on)
{
	int (*function)(uint32_t, uint8_t) = f->kind == TD_CUPTI_RUNTIME
						     ? g.cupti->ActivityEnableRuntimeApi
						     : g.cupti->ActivityEnableDriverApi;
	int r = function ? TD_CUPTI_SUCCESS : TD_CUPTI_UNKNOWN;

	for (uint32_t id = 1; id < FUNCTIONS && r == TD_CUPTI_SUCCESS; id++) {
		const char *name;

		if (get_name(f->domain, id, &name) && f->is_wanted(name))
			r = function(id, on);
	}
	return r;
}

int td_activity_enable(const struct td_activity_kind *kind)
{
	const struct functions *f = functions_of(kind->kind);

	if (kind->kind == TD_CUPTI_GRAPH && !g.whole_graphs)
		return TD_CUPTI_SUCCESS;
	if (f && switch_functions(f, 1) == TD_CUPTI_SUCCESS)
		return TD_CUPTI_SUCCESS;
	return g.cupti->ActivityEnable(kind->kind);
}

void td_activity_disable(const struct td_activity_kind *kind)
{
	const struct functions *f = functions_of(kind->kind);

	if (f)
		(void)switch_functions(f, 0);
	(void)g.cupti->ActivityDisable(kind->kind);
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

static void take_kernel(const void *record)
{
	const struct td_cupti_kernel *r = record;
	struct td_wire_gpu_op op = OP_OF(r);

	op.what = kernel_name(r->name);
	put_op(TD_CUDA_KERNELS, TD_WIRE_GPU_KERNEL, &op, op.what != 0);
}

static void take_copy(const void *record)
{
	const struct td_cupti_memcpy *r = record;
	struct td_wire_gpu_op op = OP_OF(r);

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

	op.bytes = r->bytes;
	put_op(TD_CUDA_SETS, TD_WIRE_GPU_SET, &op, 1);
}

/* All that fails is told: but whoever asks if something is ready is often told that it is not. */
static bool has_failed(const struct td_cupti_api *r)
{
	return r->result != 0 && r->result != TD_CUDA_NOT_READY;
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

	if (r->end - r->start < SHORT_NS && !has_failed(r)) {
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

/* Its result alone says more than that it was called, where it may run out of memory. */
static void take_driver_call(const void *record)
{
	const struct td_cupti_api *r = record;
	const char *name;

	if (r->result == TD_CUDA_OUT_OF_MEMORY ||
	    (get_name(TD_CUPTI_DOMAIN_DRIVER, r->function, &name) &&
	     begins_like(name, driver_work)))
		take_call(r, 0);
}

static void take_graph(const void *record)
{
	const struct td_cupti_graph *r = record;
	struct td_wire_gpu_op op = OP_OF(r);

	op.what = r->graph;
	put_op(TD_CUDA_KERNELS, TD_WIRE_GPU_GRAPH, &op, 1);
}

static void take_memory(const void *record)
{
	const struct td_cupti_memory *r = record;
	struct td_wire_gpu_memory m = {
		.head = { .tid = td_teller.ring->pid,
			  .flags = r->operation == TD_CUPTI_RELEASES ? TD_WIRE_GPU_FREED : 0 },
		.time_ns = r->time + (uint64_t)g.offset_ns,
		.bytes = r->bytes,
		.device = r->device,
		.memory_kind = r->memory_kind,
	};

	td_teller.ring->kinds[TD_CUDA_MEMORY].made++;
	if (!r->time || !td_tell(&m, TD_WIRE_GPU_MEMORY, sizeof(m)))
		td_teller.ring->kinds[TD_CUDA_MEMORY].lost++;
}

const struct td_activity_kind td_activity_kinds[] = {
	{ TD_CUPTI_KERNEL, false, "kernels", take_kernel },
	{ TD_CUPTI_GRAPH, true, "graphs", take_graph },
	{ TD_CUPTI_MEMCPY, false, "copies", take_copy },
	{ TD_CUPTI_MEMCPY2, false, "copies between GPUs", take_peer_copy },
	{ TD_CUPTI_MEMSET, false, "sets", take_set },
	{ TD_CUPTI_MEMORY, true, "allocations", take_memory },
	{ TD_CUPTI_RUNTIME, false, "calls of the runtime", take_runtime_call },
	{ TD_CUPTI_DRIVER, false, "calls of the driver", take_driver_call },
};
const size_t td_activity_nkinds = COUNT(td_activity_kinds);

void td_activity_take(const void *record)
{
	uint32_t kind = *(const uint32_t *)record;

	for (size_t i = 0; i < COUNT(td_activity_kinds); i++)
		if (td_activity_kinds[i].kind == kind)
			td_activity_kinds[i].take(record);
}
