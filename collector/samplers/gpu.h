/* SPDX-License-Identifier: MIT */
/*
 * What the GPUs do, of each and of each process on it, through NVML: tracks 'gpu.sm' and so on, as nvidia-smi dmon
 * and pmon have them. Memory, power, clocks and PCIe are read at the given rate; utilisation is as the driver
 * samples it, some six times a second; temperatures and processes are read once a second.
 *
 * A thread of its own asks the driver, which takes its time. Start it when privileges have been given up: it needs
 * none, and capabilities are each thread's own.
 */
#pragma once

#include "collector/samplers/gpu_idle.h"
#include "collector/samplers/emit.h"
#include "common/err.h"
#include "common/cleanup.h"

#define TD_GPU_INTERVAL_NS UINT64_C(100000000) /* default */
#define TD_GPU_INTERVAL_MIN_NS UINT64_C(10000000)

struct td_gpu_sampler;

struct td_gpu_options {
	uint64_t interval_ns; /* 0: TD_GPU_INTERVAL_NS */
	bool any_user; /* processes of all users by themselves, not only ... */
	uid_t uid; /* ... of this one. The GPU as a whole is what everybody does with it. */
	const char *library; /* NULL: the system's NVML; borrowed until the end */
	struct td_gpu_idle *
		idle; /* is told of utilisation, from poll() and finish(); NULL: nobody is; borrowed */
};

/* emit is borrowed. No NVML or no GPU is no error but a note. 0, -EINVAL (interval), -ENOMEM, or the errno of
 * starting a thread. */
int td_gpu_sampler_new(const struct td_gpu_options *options, struct td_emit *emit,
		       struct td_gpu_sampler **ret, struct td_err *err);

/* Hands on what the thread has: for the main loop, which loses no time with it. 0, -ENOMEM or what the sink
 * returns. */
int td_gpu_sampler_poll(struct td_gpu_sampler *s);

/* Is it known that there is nothing to sample? Why, then: words for the user. */
bool td_gpu_sampler_absent(struct td_gpu_sampler *s, struct td_err *ret);

/* Takes a last sample and ends the thread, then as poll. A driver that hangs is left alone after 2 s and noted. */
int td_gpu_sampler_finish(struct td_gpu_sampler *s);

/* Ends the thread, if finish() did not. */
void td_gpu_sampler_free(struct td_gpu_sampler *s);
TD_DEFINE_CLEANUP(struct td_gpu_sampler *, td_gpu_sampler_free)
