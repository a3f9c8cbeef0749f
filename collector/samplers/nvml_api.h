/* SPDX-License-Identifier: MIT */
/*
 * The few functions and structures of NVML that are used, declared by us after NVIDIA's "NVML API Reference Guide"
 * (docs.nvidia.com/deploy/nvml-api), so that a build needs no header of the driver. Functions return 0 or one of the
 * errors below. Which of several versions of a function the driver has shows when the library is loaded.
 */
#pragma once

typedef void *td_nvml_device;

enum td_nvml_error {
	TD_NVML_OK = 0,
	TD_NVML_INVALID_ARGUMENT = 2,
	TD_NVML_NOT_SUPPORTED = 3,
	TD_NVML_NO_PERMISSION = 4,
	TD_NVML_NOT_FOUND = 6,
	TD_NVML_INSUFFICIENT_SIZE = 7,
	TD_NVML_FUNCTION_NOT_FOUND = 13,
};

enum { TD_NVML_TEMPERATURE_GPU = 0 };
enum { TD_NVML_CLOCK_SM = 1, TD_NVML_CLOCK_MEM = 2 };
enum { TD_NVML_PCIE_TX = 0, TD_NVML_PCIE_RX = 1 };
enum { TD_NVML_SAMPLES_GPU = 1, TD_NVML_SAMPLES_MEMORY = 2 };
enum {
	TD_NVML_FIELD_MEMORY_TEMP = 82,
	TD_NVML_FIELD_PCIE_TX_BYTES = 197,
	TD_NVML_FIELD_PCIE_RX_BYTES = 198,
};
enum { TD_NVML_TYPE_UINT = 1 };

union td_nvml_number {
	double d;
	unsigned int u;
	unsigned long long q;
};

struct td_nvml_rates {
	unsigned int gpu, memory; /* % */
};

struct td_nvml_memory {
	unsigned long long total, free, used;
};

struct td_nvml_memory_v2 {
	unsigned int version; /* size | 2 << 24 */
	unsigned long long total, reserved, free, used;
};

struct td_nvml_bar1 {
	unsigned long long total, free, used;
};

struct td_nvml_sample {
	unsigned long long time_us; /* since the epoch */
	union td_nvml_number value;
};

struct td_nvml_process_sample {
	unsigned int pid;
	unsigned long long time_us;
	unsigned int sm, mem, enc, dec; /* % */
};

struct td_nvml_field {
	unsigned int id, scope;
	long long time_us, latency_us;
	int type;
	int error;
	union td_nvml_number value;
};

/* What all versions of a running process begin with. */
struct td_nvml_process {
	unsigned int pid;
	unsigned long long used_bytes; /* ~0: not available */
};

struct td_nvml_api {
	int (*init)(void);
	int (*shutdown)(void);
	const char *(*error_string)(int error);
	int (*driver_version)(char *text, unsigned int size);
	int (*count)(unsigned int *ret);
	int (*handle)(unsigned int index, td_nvml_device *ret);
	int (*name)(td_nvml_device d, char *text, unsigned int size);
	int (*rates)(td_nvml_device d, struct td_nvml_rates *ret);
	int (*samples)(td_nvml_device d, int type, unsigned long long since_us, int *ret_type,
		       unsigned int *n, struct td_nvml_sample *ret);
	int (*enc)(td_nvml_device d, unsigned int *ret, unsigned int *ret_period_us);
	int (*dec)(td_nvml_device d, unsigned int *ret, unsigned int *ret_period_us);
	int (*jpg)(td_nvml_device d, unsigned int *ret, unsigned int *ret_period_us);
	int (*ofa)(td_nvml_device d, unsigned int *ret, unsigned int *ret_period_us);
	int (*memory)(td_nvml_device d, struct td_nvml_memory *ret);
	int (*memory_v2)(td_nvml_device d, struct td_nvml_memory_v2 *ret);
	int (*bar1)(td_nvml_device d, struct td_nvml_bar1 *ret);
	int (*power)(td_nvml_device d, unsigned int *ret_mw);
	int (*temperature)(td_nvml_device d, int sensor, unsigned int *ret);
	int (*clock)(td_nvml_device d, int which, unsigned int *ret_mhz);
	int (*pcie)(td_nvml_device d, int direction, unsigned int *ret_kb_per_s);
	int (*fields)(td_nvml_device d, int n, struct td_nvml_field *fields);
	int (*process_samples)(td_nvml_device d, struct td_nvml_process_sample *ret,
			       unsigned int *n, unsigned long long since_us);
	/* by whether it computes or draws; the buffer's layout is found out */
	int (*processes[2])(td_nvml_device d, unsigned int *n, void *ret);
};
