/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>

#include "collector/samplers/nvml_private.h"
#include "common/array.h"

#define LIBRARY "libnvidia-ml.so.1"

const struct td_nvml_track td_nvml_tracks[TD_NVML_NMETRICS] = {
	[TD_NVML_SM] = { "gpu.sm", "%" },
	[TD_NVML_MEM] = { "gpu.mem", "%" },
	[TD_NVML_ENC] = { "gpu.enc", "%" },
	[TD_NVML_DEC] = { "gpu.dec", "%" },
	[TD_NVML_JPG] = { "gpu.jpg", "%" },
	[TD_NVML_OFA] = { "gpu.ofa", "%" },
	[TD_NVML_FB] = { "gpu.fb", "bytes" },
	[TD_NVML_BAR1] = { "gpu.bar1", "bytes" },
	[TD_NVML_PWR] = { "gpu.pwr", "W" },
	[TD_NVML_GTEMP] = { "gpu.gtemp", "C" },
	[TD_NVML_MTEMP] = { "gpu.mtemp", "C" },
	[TD_NVML_MCLK] = { "gpu.mclk", "MHz" },
	[TD_NVML_PCLK] = { "gpu.pclk", "MHz" },
	[TD_NVML_RXPCI] = { "gpu.rxpci", "MB/s" },
	[TD_NVML_TXPCI] = { "gpu.txpci", "MB/s" },
	[TD_NVML_RXNVL] = { "gpu.rxnvl", "MB/s" },
	[TD_NVML_TXNVL] = { "gpu.txnvl", "MB/s" },
	[TD_NVML_THROTTLE_POWER] = { "gpu.throttle_power", "%" },
	[TD_NVML_THROTTLE_THERMAL] = { "gpu.throttle_thermal", "%" },
	[TD_NVML_THROTTLE_HW] = { "gpu.throttle_hw", "%" },
	[TD_NVML_SBECC] = { "gpu.sbecc", "errs" },
	[TD_NVML_DBECC] = { "gpu.dbecc", "errs" },
	[TD_NVML_XID] = { "gpu.xid", "" },
};

/* --- loading --- */

/* The newest version that the driver has. */
static const struct {
	size_t offset;
	const char *names[2];
} symbols[] = {
#define SYMBOL(member, ...)                                                                        \
	{                                                                                          \
		offsetof(struct td_nvml_api, member),                                              \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}
	SYMBOL(init, "nvmlInit_v2", "nvmlInit"),
	SYMBOL(shutdown, "nvmlShutdown"),
	SYMBOL(error_string, "nvmlErrorString"),
	SYMBOL(driver_version, "nvmlSystemGetDriverVersion"),
	SYMBOL(count, "nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"),
	SYMBOL(handle, "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"),
	SYMBOL(name, "nvmlDeviceGetName"),
	SYMBOL(rates, "nvmlDeviceGetUtilizationRates"),
	SYMBOL(samples, "nvmlDeviceGetSamples"),
	SYMBOL(enc, "nvmlDeviceGetEncoderUtilization"),
	SYMBOL(dec, "nvmlDeviceGetDecoderUtilization"),
	SYMBOL(jpg, "nvmlDeviceGetJpgUtilization"),
	SYMBOL(ofa, "nvmlDeviceGetOfaUtilization"),
	SYMBOL(memory, "nvmlDeviceGetMemoryInfo"),
	SYMBOL(memory_v2, "nvmlDeviceGetMemoryInfo_v2"),
	SYMBOL(bar1, "nvmlDeviceGetBAR1MemoryInfo"),
	SYMBOL(power, "nvmlDeviceGetPowerUsage"),
	SYMBOL(temperature, "nvmlDeviceGetTemperature"),
	SYMBOL(clock, "nvmlDeviceGetClockInfo"),
	SYMBOL(pcie, "nvmlDeviceGetPcieThroughput"),
	SYMBOL(fields, "nvmlDeviceGetFieldValues"),
	SYMBOL(process_samples, "nvmlDeviceGetProcessUtilization"),
	SYMBOL(throttle, "nvmlDeviceGetCurrentClocksEventReasons",
	       "nvmlDeviceGetCurrentClocksThrottleReasons"),
	SYMBOL(ecc, "nvmlDeviceGetTotalEccErrors"),
	SYMBOL(mig_mode, "nvmlDeviceGetMigMode"),
	SYMBOL(mig_device, "nvmlDeviceGetMigDeviceHandleByIndex"),
	SYMBOL(virtual_mode, "nvmlDeviceGetVirtualizationMode"),
	SYMBOL(events_new, "nvmlEventSetCreate"),
	SYMBOL(events_add, "nvmlDeviceRegisterEvents"),
	SYMBOL(events_wait, "nvmlEventSetWait_v2", "nvmlEventSetWait"),
	SYMBOL(events_free, "nvmlEventSetFree"),
#undef SYMBOL
};

/* Versions 2 and 3 have the same layout, but for some drivers 535, where that of 3 is longer. */
static const struct {
	const char *names[2]; /* computes, draws */
	size_t size; /* of a process; 0: to be found out */
} process_symbols[] = {
	{ { "nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v3" },
	  0 },
	{ { "nvmlDeviceGetComputeRunningProcesses_v2", "nvmlDeviceGetGraphicsRunningProcesses_v2" },
	  24 },
	{ { "nvmlDeviceGetComputeRunningProcesses", "nvmlDeviceGetGraphicsRunningProcesses" }, 16 },
};

static void find_symbols(struct td_nvml *n)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(symbols); i++) {
		void *p = dlsym(n->library, symbols[i].names[0]);

		if (!p && symbols[i].names[1])
			p = dlsym(n->library, symbols[i].names[1]);
		memcpy((char *)&n->api + symbols[i].offset, &p, sizeof(p));
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(process_symbols); i++) {
		void *p = dlsym(n->library, process_symbols[i].names[0]);
		void *q = dlsym(n->library, process_symbols[i].names[1]);

		if (!p)
			continue;
		memcpy(&n->api.processes[0], &p, sizeof(p));
		memcpy(&n->api.processes[1], &q, sizeof(q));
		n->process_size = process_symbols[i].size;
		return;
	}
}

static const char *error_text(const struct td_nvml *n, int error)
{
	const char *text = n->api.error_string ? n->api.error_string(error) : NULL;

	return text ? text : "unknown error";
}

static int find_gpus(struct td_nvml *n, struct td_err *err)
{
	int e = TD_NVML_CALL(n, count, &n->ngpus);

	if (e)
		n->ngpus = 0;
	if (e || !n->ngpus)
		return td_err_set(err, -ENODEV, "no GPU: %s",
				  e ? error_text(n, e) : "the driver knows none");
	n->gpus = calloc(n->ngpus, sizeof(*n->gpus));
	if (!n->gpus)
		return -ENOMEM;
	for (unsigned int i = 0; i < n->ngpus; i++) {
		struct td_nvml_gpu *g = &n->gpus[i];

		/* one that cannot be had, because it is broken or not ours, does not keep us from the others */
		if (TD_NVML_CALL(n, handle, i, &g->device))
			g->device = NULL;
		else if (TD_NVML_CALL(n, name, g->device, g->name, sizeof(g->name)))
			g->name[0] = '\0';
	}
	return 0;
}

int td_nvml_open(const char *library, struct td_nvml **ret, struct td_err *err)
{
	_cleanup_(td_nvml_closep) struct td_nvml *n = calloc(1, sizeof(*n));
	int e, r;

	if (!n)
		return -ENOMEM;
	n->library = dlopen(library ? library : LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!n->library)
		return td_err_set(err, -ENOENT, "no NVIDIA driver: %s", dlerror());
	find_symbols(n);
	e = TD_NVML_CALL(n, init);
	if (e)
		return td_err_set(err, -ENODEV, "NVML cannot be used: %s", error_text(n, e));
	n->initialised = true;
	if (TD_NVML_CALL(n, driver_version, n->driver, sizeof(n->driver)))
		n->driver[0] = '\0';
	r = find_gpus(n, err);
	if (r < 0)
		return r;
	td_nvml_watch_events(n);
	*ret = TAKE_PTR(n);
	return 0;
}

void td_nvml_close(struct td_nvml *n)
{
	if (!n)
		return;
	td_nvml_forget_events(n);
	if (n->initialised)
		(void)TD_NVML_CALL(n, shutdown);
	if (n->library)
		(void)dlclose(n->library);
	free(n->gpus);
	free(n->samples.p);
	free(n->process_samples.p);
	free(n->processes.p);
	free(n);
}

unsigned td_nvml_ngpus(const struct td_nvml *n)
{
	return n->ngpus;
}

const char *td_nvml_gpu_name(const struct td_nvml *n, unsigned gpu)
{
	return n->gpus[gpu].name;
}

const char *td_nvml_driver(const struct td_nvml *n)
{
	return n->driver;
}

uint32_t td_nvml_missing(const struct td_nvml *n, unsigned gpu)
{
	return n->gpus[gpu].missing;
}

/* --- values --- */

int td_nvml_put(const struct td_nvml_reading *rd, enum td_nvml_metric metric, pid_t pid,
		uint64_t time_ns, uint64_t dur_ns, double value)
{
	struct td_nvml_values *v = rd->values;
	int r = td_grow(&v->items, &v->cap, v->n);

	if (r < 0)
		return r;
	v->items[v->n++] = (struct td_nvml_value){
		.metric = metric,
		.gpu = (unsigned)(rd->g - rd->n->gpus),
		.pid = pid,
		.time_ns = time_ns,
		.dur_ns = dur_ns,
		.value = value,
	};
	return 0;
}

bool td_nvml_answered(struct td_nvml_gpu *g, enum td_nvml_metric metric, int error, double *value)
{
	if (error == TD_NVML_OK) {
		g->known |= 1u << metric;
		return true;
	}
	if (!(g->known >> metric & 1)) {
		g->missing |= 1u << metric;
		return false;
	}
	*value = NAN;
	return true;
}

/* --- reading --- */

int td_nvml_read_slow(struct td_nvml *n, struct td_nvml_now now, struct td_nvml_values *values)
{
	for (unsigned int i = 0; i < n->ngpus; i++) {
		struct td_nvml_reading rd = { n, &n->gpus[i], now, values };
		int r;

		if (!rd.g->device || now.boot_ns <= rd.g->slow_ns)
			continue;
		r = td_nvml_read_use(&rd);
		if (r == 0)
			r = td_nvml_read_numbers(&rd);
		if (r < 0)
			return r;
		rd.g->slow_ns = now.boot_ns;
	}
	return td_nvml_read_events(n, now, values);
}
