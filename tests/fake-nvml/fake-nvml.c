/* SPDX-License-Identifier: MIT */
/*
 * FAKE_OLD: a driver of ten years ago, which has the first version of everything and no samples.
 * FAKE_LONG_PROCESS: one of those that made the entries of running processes longer without a new
 * name.
 *
 * As it comes, it has one GPU, which is busy in every other 200 ms of the wall clock. With
 * FAKE_NVML_USE in the environment, it does what that file says: lines 'TIME PERCENT', from when on
 * (wall clock, us) it is busy how much.
 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/fake-nvml/fake-nvml.h"

#define PERIOD_US 200000ULL

struct td_fake_nvml td_fake_nvml = {
	.ngpus = 1,
	.gpus = { {
		.sm = 100,
		.mem = 40,
		.power_mw = 250000,
		.temperature = 50,
		.sm_mhz = 1500,
		.memory_mhz = 2600,
		.used_bytes = 3ULL << 30,
		.counter_type = TD_NVML_TYPE_UINT,
		.last_us = ~0ULL,
		.period_us = PERIOD_US,
	} },
};

/* --- prototypes: these are no functions of ours --- */

int nvmlInit(void);
int nvmlInit_v2(void);
int nvmlShutdown(void);
const char *nvmlErrorString(int error);
int nvmlSystemGetDriverVersion(char *text, unsigned int size);
int nvmlDeviceGetCount(unsigned int *ret);
int nvmlDeviceGetCount_v2(unsigned int *ret);
int nvmlDeviceGetHandleByIndex(unsigned int index, td_nvml_device *ret);
int nvmlDeviceGetHandleByIndex_v2(unsigned int index, td_nvml_device *ret);
int nvmlDeviceGetName(td_nvml_device d, char *text, unsigned int size);
int nvmlDeviceGetUtilizationRates(td_nvml_device d, struct td_nvml_rates *ret);
int nvmlDeviceGetSamples(td_nvml_device d, int type, unsigned long long since_us, int *ret_type,
			 unsigned int *n, struct td_nvml_sample *ret);
int nvmlDeviceGetEncoderUtilization(td_nvml_device d, unsigned int *ret, unsigned int *ret_us);
int nvmlDeviceGetMemoryInfo(td_nvml_device d, struct td_nvml_memory *ret);
int nvmlDeviceGetMemoryInfo_v2(td_nvml_device d, struct td_nvml_memory_v2 *ret);
int nvmlDeviceGetPowerUsage(td_nvml_device d, unsigned int *ret);
int nvmlDeviceGetTemperature(td_nvml_device d, int sensor, unsigned int *ret);
int nvmlDeviceGetClockInfo(td_nvml_device d, int which, unsigned int *ret);
int nvmlDeviceGetPcieThroughput(td_nvml_device d, int direction, unsigned int *ret);
int nvmlDeviceGetFieldValues(td_nvml_device d, int n, struct td_nvml_field *fields);
int nvmlDeviceGetProcessUtilization(td_nvml_device d, struct td_nvml_process_sample *ret,
				    unsigned int *n, unsigned long long since_us);
int nvmlDeviceGetCurrentClocksThrottleReasons(td_nvml_device d, unsigned long long *ret);
int nvmlDeviceGetTotalEccErrors(td_nvml_device d, int type, int since, unsigned long long *ret);
int nvmlDeviceGetMigMode(td_nvml_device d, unsigned int *ret, unsigned int *ret_after_reset);
int nvmlDeviceGetMigDeviceHandleByIndex(td_nvml_device d, unsigned int index, td_nvml_device *ret);
int nvmlDeviceGetVirtualizationMode(td_nvml_device d, int *ret);
int nvmlEventSetCreate(void **ret);
int nvmlDeviceRegisterEvents(td_nvml_device d, unsigned long long types, void *events);
int nvmlEventSetWait_v2(void *events, struct td_nvml_event *ret, unsigned int timeout_ms);
int nvmlEventSetFree(void *events);
int nvmlDeviceGetComputeRunningProcesses(td_nvml_device d, unsigned int *n, void *ret);
int nvmlDeviceGetGraphicsRunningProcesses(td_nvml_device d, unsigned int *n, void *ret);
int nvmlDeviceGetComputeRunningProcesses_v3(td_nvml_device d, unsigned int *n, void *ret);
int nvmlDeviceGetGraphicsRunningProcesses_v3(td_nvml_device d, unsigned int *n, void *ret);

/* --- the library --- */

int nvmlInit(void)
{
	td_fake_nvml.inits++;
	return td_fake_nvml.init_error;
}

int nvmlShutdown(void)
{
	td_fake_nvml.shutdowns++;
	return TD_NVML_OK;
}

const char *nvmlErrorString(int error)
{
	return error == 9 ? "Driver Not Loaded" : "Some Error";
}

int nvmlSystemGetDriverVersion(char *text, unsigned int size)
{
	(void)snprintf(text, size, "580.0-fake");
	return TD_NVML_OK;
}

int nvmlDeviceGetCount(unsigned int *ret)
{
	*ret = td_fake_nvml.ngpus;
	return TD_NVML_OK;
}

int nvmlDeviceGetHandleByIndex(unsigned int index, td_nvml_device *ret)
{
	*ret = &td_fake_nvml.gpus[index];
	return td_fake_nvml.gpus[index].error;
}

/* --- of a device --- */

static struct td_fake_gpu *gpu(td_nvml_device d)
{
	return d;
}

int nvmlDeviceGetName(td_nvml_device d, char *text, unsigned int size)
{
	(void)snprintf(text, size, "Fake GPU");
	return gpu(d)->error;
}

int nvmlDeviceGetUtilizationRates(td_nvml_device d, struct td_nvml_rates *ret)
{
	*ret = (struct td_nvml_rates){ gpu(d)->sm, gpu(d)->mem };
	return gpu(d)->error;
}

#ifndef FAKE_OLD
int nvmlDeviceGetEncoderUtilization(td_nvml_device d, unsigned int *ret, unsigned int *ret_us)
{
	*ret = gpu(d)->enc;
	*ret_us = 100000;
	return gpu(d)->error;
}
#endif

int nvmlDeviceGetMemoryInfo(td_nvml_device d, struct td_nvml_memory *ret)
{
	*ret = (struct td_nvml_memory){
		.total = 80ULL << 30,
		.used = gpu(d)->used_bytes + (1ULL << 29), /* what the driver keeps counts */
	};
	return gpu(d)->error;
}

int nvmlDeviceGetPowerUsage(td_nvml_device d, unsigned int *ret)
{
	*ret = gpu(d)->power_mw;
	if (td_fake_nvml.sleep_ms)
		usleep(td_fake_nvml.sleep_ms * 1000);
	return gpu(d)->error;
}

int nvmlDeviceGetTemperature(td_nvml_device d, int sensor, unsigned int *ret)
{
	*ret = gpu(d)->temperature;
	return sensor == TD_NVML_TEMPERATURE_GPU ? gpu(d)->error : TD_NVML_INVALID_ARGUMENT;
}

int nvmlDeviceGetClockInfo(td_nvml_device d, int which, unsigned int *ret)
{
	*ret = which == TD_NVML_CLOCK_MEM ? gpu(d)->memory_mhz : gpu(d)->sm_mhz;
	return gpu(d)->error;
}

int nvmlDeviceGetPcieThroughput(td_nvml_device d, int direction, unsigned int *ret)
{
	td_fake_nvml.pcie_watches++;
	*ret = gpu(d)->pcie_kb_per_s + (direction == TD_NVML_PCIE_TX ? 1000 : 0);
	return gpu(d)->error;
}

/* Entries of running processes, size bytes each, of those from first to end. */
static int list(const struct td_fake_gpu *g, unsigned int first, unsigned int end, size_t size,
		unsigned int *n, void *ret)
{
	unsigned int room = *n;

	*n = end - first;
	if (g->error)
		return g->error;
	if (room < *n)
		return TD_NVML_INSUFFICIENT_SIZE;
	for (unsigned int i = 0; i < *n; i++) {
		char *entry = (char *)ret + i * size;

		memset(entry, 0, size);
		memcpy(entry, &g->processes[first + i], sizeof(g->processes[0]));
	}
	return TD_NVML_OK;
}

#ifdef FAKE_OLD

int nvmlDeviceGetComputeRunningProcesses(td_nvml_device d, unsigned int *n, void *ret)
{
	return list(gpu(d), 0, gpu(d)->nprocesses - gpu(d)->ndrawing, 16, n, ret);
}

int nvmlDeviceGetGraphicsRunningProcesses(td_nvml_device d, unsigned int *n, void *ret)
{
	const struct td_fake_gpu *g = gpu(d);

	return list(g, g->nprocesses - g->ndrawing, g->nprocesses, 16, n, ret);
}

#else

#ifdef FAKE_LONG_PROCESS
#define PROCESS_SIZE 32
#else
#define PROCESS_SIZE 24
#endif

int nvmlInit_v2(void)
{
	return nvmlInit();
}

int nvmlDeviceGetCount_v2(unsigned int *ret)
{
	return nvmlDeviceGetCount(ret);
}

int nvmlDeviceGetHandleByIndex_v2(unsigned int index, td_nvml_device *ret)
{
	return nvmlDeviceGetHandleByIndex(index, ret);
}

int nvmlDeviceGetMemoryInfo_v2(td_nvml_device d, struct td_nvml_memory_v2 *ret)
{
	if (ret->version != (sizeof(*ret) | 2u << 24))
		return TD_NVML_INVALID_ARGUMENT;
	ret->total = 80ULL << 30;
	ret->reserved = 1ULL << 29;
	ret->used = gpu(d)->used_bytes;
	return gpu(d)->error;
}

int nvmlDeviceGetComputeRunningProcesses_v3(td_nvml_device d, unsigned int *n, void *ret)
{
	return list(gpu(d), 0, gpu(d)->nprocesses - gpu(d)->ndrawing, PROCESS_SIZE, n, ret);
}

int nvmlDeviceGetGraphicsRunningProcesses_v3(td_nvml_device d, unsigned int *n, void *ret)
{
	const struct td_fake_gpu *g = gpu(d);

	return list(g, g->nprocesses - g->ndrawing, g->nprocesses, PROCESS_SIZE, n, ret);
}

/* A buffer for as many samples as the driver keeps is wanted, however few there are. */
#define KEPT 72u

static unsigned long long now_us(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_REALTIME, &t);
	return (unsigned long long)t.tv_sec * 1000000 + (unsigned long long)t.tv_nsec / 1000;
}

/* In percent of what the GPU is busy with. */
static unsigned int use_at(const struct td_fake_gpu *g, unsigned long long us)
{
	const char *path = getenv("FAKE_NVML_USE");
	FILE *f = path ? fopen(path, "re") : NULL;
	unsigned long long from_us;
	unsigned int percent, use = 0;

	if (!f)
		return us / g->period_us % 2 * 100;
	while (fscanf(f, "%llu %u", &from_us, &percent) == 2)
		if (from_us < us)
			use = percent;
	(void)fclose(f);
	return use;
}

int nvmlDeviceGetSamples(td_nvml_device d, int type, unsigned long long since_us, int *ret_type,
			 unsigned int *n, struct td_nvml_sample *ret)
{
	const struct td_fake_gpu *g = gpu(d);
	unsigned long long last, us;
	unsigned int room = *n;

	*n = KEPT;
	*ret_type = TD_NVML_TYPE_UINT;
	if (!g->period_us)
		return TD_NVML_NOT_SUPPORTED;
	if (!ret || g->error)
		return g->error;
	if (room < KEPT)
		return TD_NVML_INSUFFICIENT_SIZE;
	last = g->last_us == ~0ULL ? now_us() : g->last_us;
	us = since_us < g->first_us ? g->first_us : (since_us / g->period_us + 1) * g->period_us;
	for (*n = 0; us <= last && *n < KEPT; us += g->period_us) {
		unsigned int busy = use_at(g, us);

		ret[*n].time_us = us;
		ret[(*n)++].value.u = busy * (type == TD_NVML_SAMPLES_GPU ? g->sm : g->mem) / 100;
	}
	return *n ? TD_NVML_OK : TD_NVML_NOT_FOUND;
}

int nvmlDeviceGetFieldValues(td_nvml_device d, int n, struct td_nvml_field *fields)
{
	const struct td_fake_gpu *g = gpu(d);

	for (int i = 0; i < n; i++) {
		fields[i].error = g->counter_type < 0 ? TD_NVML_NOT_SUPPORTED : TD_NVML_OK;
		fields[i].type = g->counter_type;
		if (fields[i].id == TD_NVML_FIELD_PCIE_RX_BYTES)
			fields[i].value.q = g->received;
		else if (fields[i].id == TD_NVML_FIELD_PCIE_TX_BYTES)
			fields[i].value.q = g->sent;
		else if (g->has_nvlink && fields[i].scope == TD_NVML_ALL_LINKS &&
			 fields[i].id == TD_NVML_FIELD_NVLINK_RX)
			fields[i].value.q = g->link_received;
		else if (g->has_nvlink && fields[i].scope == TD_NVML_ALL_LINKS &&
			 fields[i].id == TD_NVML_FIELD_NVLINK_TX)
			fields[i].value.q = g->link_sent;
		else
			fields[i].error = TD_NVML_NOT_SUPPORTED;
	}
	return g->error;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(td_nvml_device d, unsigned long long *ret)
{
	*ret = gpu(d)->reasons;
	return gpu(d)->error;
}

int nvmlDeviceGetTotalEccErrors(td_nvml_device d, int type, int since, unsigned long long *ret)
{
	*ret = gpu(d)->ecc[type];
	return since == TD_NVML_ECC_SINCE_LOADED ? gpu(d)->error : TD_NVML_INVALID_ARGUMENT;
}

int nvmlDeviceGetMigMode(td_nvml_device d, unsigned int *ret, unsigned int *ret_after_reset)
{
	*ret = *ret_after_reset = gpu(d)->ninstances > 0;
	return gpu(d)->error;
}

/* All have the name of the whole. */
int nvmlDeviceGetMigDeviceHandleByIndex(td_nvml_device d, unsigned int index, td_nvml_device *ret)
{
	*ret = d;
	return index < gpu(d)->ninstances ? TD_NVML_OK : TD_NVML_NOT_FOUND;
}

int nvmlDeviceGetVirtualizationMode(td_nvml_device d, int *ret)
{
	*ret = gpu(d)->virtual_mode;
	return gpu(d)->error;
}

int nvmlEventSetCreate(void **ret)
{
	*ret = &td_fake_nvml;
	td_fake_nvml.event_sets++;
	return TD_NVML_OK;
}

int nvmlDeviceRegisterEvents(td_nvml_device d, unsigned long long types, void *events)
{
	return types == TD_NVML_EVENT_XID && events == &td_fake_nvml ? gpu(d)->error
								     : TD_NVML_INVALID_ARGUMENT;
}

int nvmlEventSetWait_v2(void *events, struct td_nvml_event *ret, unsigned int timeout_ms)
{
	for (unsigned int i = 0; events && !timeout_ms && i < td_fake_nvml.ngpus; i++) {
		struct td_fake_gpu *g = &td_fake_nvml.gpus[i];

		if (!g->xid)
			continue;
		*ret = (struct td_nvml_event){ .device = g, .type = TD_NVML_EVENT_XID };
		ret->data = g->xid;
		g->xid = 0;
		return TD_NVML_OK;
	}
	return 10; /* timeout */
}

int nvmlEventSetFree(void *events)
{
	td_fake_nvml.event_sets -= events == &td_fake_nvml;
	return TD_NVML_OK;
}

int nvmlDeviceGetProcessUtilization(td_nvml_device d, struct td_nvml_process_sample *ret,
				    unsigned int *n, unsigned long long since_us)
{
	const struct td_fake_gpu *g = gpu(d);
	unsigned int room = *n;

	*n = KEPT;
	if (!ret || room < KEPT)
		return TD_NVML_INSUFFICIENT_SIZE;
	*n = 0;
	for (unsigned int i = 0; i < g->nprocess_samples; i++)
		if (g->process_samples[i].time_us > since_us)
			ret[(*n)++] = g->process_samples[i];
	if (g->error)
		return g->error;
	return *n ? TD_NVML_OK : TD_NVML_NOT_FOUND;
}

#endif
