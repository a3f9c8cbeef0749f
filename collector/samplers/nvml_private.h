/* SPDX-License-Identifier: MIT */
/* What the files of nvml share: nvml.c loads the library, nvml_numbers.c asks for single numbers, nvml_use.c for
 * utilisation and processes, nvml_events.c for errors and for what a GPU is a part of. */
#pragma once

#include <math.h>

#include "collector/samplers/nvml.h"
#include "collector/samplers/nvml_api.h"

/* A list that the driver fills in; grows to what it asks for. */
struct td_nvml_list {
	void *p;
	unsigned int cap;
};

struct td_nvml_gpu {
	td_nvml_device device;
	char name[96];
	uint32_t known, missing; /* bits by metric: gave a value once; cannot be had */
	uint64_t fast_ns, slow_ns; /* boot time of the last reading; 0: none */
	uint64_t samples_us[2]; /* newest that was taken, by SM and MEM; 0: none */
	uint64_t processes_us;
	struct td_nvml_counters {
		uint64_t bytes[2]; /* received, sent */
		bool known;
	} pcie, nvlink;
};

struct td_nvml {
	void *library;
	bool initialised;
	struct td_nvml_api api;
	size_t process_size; /* of a running process; 0: not found out yet */
	char driver[80];
	struct td_nvml_gpu *gpus;
	unsigned int ngpus;
	unsigned int pcie_turn;
	struct td_nvml_list samples, process_samples, processes;
	void *events; /* NULL: none are told */
};

/* A function that the driver does not have is like one that it refuses. */
#define TD_NVML_CALL(n, function, ...)                                                             \
	((n)->api.function ? (n)->api.function(__VA_ARGS__) : TD_NVML_FUNCTION_NOT_FOUND)

/* One reading of one GPU. */
struct td_nvml_reading {
	struct td_nvml *n;
	struct td_nvml_gpu *g;
	struct td_nvml_now now;
	struct td_nvml_values *values;
};

/* Adds a value. 0 or -ENOMEM. */
int td_nvml_put(const struct td_nvml_reading *rd, enum td_nvml_metric metric, pid_t pid,
		uint64_t time_ns, uint64_t dur_ns, double value);

static inline bool td_nvml_is_missing(const struct td_nvml_gpu *g, enum td_nvml_metric metric)
{
	return g->missing >> metric & 1;
}

/* What a query's error means: true if there is a value, which may be NaN. One that never worked is missing, and is
 * not asked again. */
bool td_nvml_answered(struct td_nvml_gpu *g, enum td_nvml_metric metric, int error, double *value);

/* Utilisation beyond 100 % is nothing that was measured. */
static inline double td_nvml_percent(unsigned int value)
{
	return value <= 100 ? value : NAN;
}

/* The parts of td_nvml_read_slow(): single numbers; utilisation of the GPU and of its processes. */
int td_nvml_read_numbers(const struct td_nvml_reading *rd);
int td_nvml_read_use(const struct td_nvml_reading *rd);

/* Errors of GPUs, which the driver tells as events. What cannot be watched is missing. */
void td_nvml_watch_events(struct td_nvml *n);
void td_nvml_forget_events(struct td_nvml *n);
int td_nvml_read_events(struct td_nvml *n, struct td_nvml_now now, struct td_nvml_values *values);
