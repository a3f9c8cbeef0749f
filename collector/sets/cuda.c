/* SPDX-License-Identifier: MIT */
/*
 * Functions of the CUDA driver and of NCCL (collector/bpf/cuda.bpf.c). Of launches of one process
 * there are TD_WIRE_SUMMARY records:
 *
 *     cuda.launches     key 'PID FUNCTION': number of calls; with --cuda-threshold also by the time they took (ns), from low
 *                       up to high
 *     cuda.launch_time  ns in all, with --cuda-threshold
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "collector/bpf/cuda.h"
#include "collector/samplers/emit.h"
#include "collector/sets/libc.h"
#include "collector/sets/provider.h"
#include "common/cleanup.h"

#define NAME(name, ...) [TD_FN_##name] = #name,
static const char *const names[TD_NCUDA] = { TD_CUDA_FUNCTIONS(NAME) };
#undef NAME

static int put_summary(const struct td_libc_key *key, struct td_emit_summary s, td_sink *sink,
		       void *arg)
{
	struct td_emit e = { .sink = sink, .arg = arg };
	char text[64];

	if (key->function >= TD_NCUDA)
		return 0;
	(void)snprintf(text, sizeof(text), "%u %s", key->pid, names[key->function]);
	s.key = text;
	return td_emit_summary(&e, &s);
}

static int put_totals(const struct td_libc_key *key, const struct td_libc_totals *t, td_sink *sink,
		      void *arg)
{
	struct td_emit_summary all = {
		.name = "cuda.launches", .unit = "", .low = NAN, .high = NAN
	};
	int r = 0;

	for (int i = 0; r == 0 && t->sum && i < TD_NBUCKETS; i++) {
		struct td_emit_summary s = { .name = "cuda.launches", .unit = "" };

		s.low = i ? ldexp(1, i - 1) : 0;
		s.high = ldexp(1, i);
		s.value = (double)t->buckets[i];
		if (t->buckets[i])
			r = put_summary(key, s, sink, arg);
	}
	all.value = (double)t->calls;
	if (r == 0)
		r = put_summary(key, all, sink, arg);
	if (!t->sum)
		return r;
	all.name = "cuda.launch_time";
	all.unit = "ns";
	all.value = (double)t->sum;
	return r < 0 ? r : put_summary(key, all, sink, arg);
}

/* Of a process that has ended. */
static int put(const struct td_wire_head *head, td_sink *sink, void *arg)
{
	const struct td_raw_totals *raw = (const struct td_raw_totals *)head;

	return put_totals(&raw->key, &raw->totals, sink, arg);
}

/* Of those that are still there. */
static int put_entry(const void *key, const void *totals, uint64_t now_ns, td_sink *sink, void *arg)
{
	return put_totals(key, totals, sink, arg);
}

/* PyTorch has NCCL inside where it does not come as a library. */
static const struct td_functions functions = {
	.names = names,
	.n = TD_NCUDA,
	.libraries = { "libcuda.so.", "libnccl.so.", "libtorch_cuda.so" },
	.found_later = true,
};

static const struct td_hook calls = {
	.name = "CUDA driver and NCCL",
	.ways = { { TD_WAY_UPROBE, { "cuda_begins", "cuda_ends" } } },
	.functions = &functions,
	.functions_to = TD_NCUDA,
	.counted_to = TD_CUDA_NLAUNCHES,
	.at_end = "unfinished_cuda",
};

const struct td_set_provider td_set_cuda = {
	.name = "cuda",
	.help = "CUDA driver and NCCL: copies, waits, collectives (uprobes)",
	.hooks = { &calls },
	.constant = { "count_cuda", true },
	.ops = { TD_LAYER_CUDA, names, TD_NCUDA },
	.put = put,
	.map = "cuda_totals",
	.put_entry = put_entry,
};
