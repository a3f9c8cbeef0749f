/* SPDX-License-Identifier: MIT */
/*
 * CPU utilisation from /proc/stat (proc(5)), what mpstat -P ALL shows: tracks 'cpu.usr' and so on in %, of each
 * CPU and of all together. 'cpu.guest' and 'cpu.gnice' are there only where a guest ever ran.
 */
#pragma once

#include "collector/samplers/emit.h"
#include "common/err.h"
#include "common/cleanup.h"

#define TD_CPU_INTERVAL_NS UINT64_C(100000000) /* default */
#define TD_CPU_INTERVAL_MIN_NS UINT64_C(10000000) /* the kernel counts in ticks of 10 ms */

struct td_cpu_sampler;

struct td_cpu_options {
	uint64_t interval_ns; /* 0: TD_CPU_INTERVAL_NS */
	const char *path; /* NULL: /proc/stat */
};

/* emit is borrowed. 0, -EINVAL (interval), -ENOMEM or the errno of opening the file. */
int td_cpu_sampler_new(const struct td_cpu_options *options, struct td_emit *emit,
		       struct td_cpu_sampler **ret, struct td_err *err);
void td_cpu_sampler_free(struct td_cpu_sampler *s);
TD_DEFINE_CLEANUP(struct td_cpu_sampler *, td_cpu_sampler_free)

/* When the next sample is due (CLOCK_BOOTTIME); 0 before the first one. */
uint64_t td_cpu_sampler_due_ns(const struct td_cpu_sampler *s);

/* Takes a sample at now_ns, the time just now, if one is due: for the main loop. The first call only notes where
 * the counters stand. 0, -ENOMEM or what the sink returns; a file that cannot be read any more is noted once. */
int td_cpu_sampler_poll(struct td_cpu_sampler *s, uint64_t now_ns);

/* Takes one whether it is due or not: at the end, so that the last stretch is there, too. */
int td_cpu_sampler_take(struct td_cpu_sampler *s, uint64_t now_ns);
