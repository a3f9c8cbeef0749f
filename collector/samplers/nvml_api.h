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
	TD_NVML_FIELD_NVLINK_TX = 138, /* KiB of data; scope: the link */
	TD_NVML_FIELD_NVLINK_RX = 139,
	TD_NVML_FIELD_PCIE_TX_BYTES = 197,
	TD_NVML_FIELD_PCIE_RX_BYTES = 198,
};
enum { TD_NVML_TYPE_UINT = 1 };
#define TD_NVML_ALL_LINKS UINT_MAX

/* Why the clocks are lower than they could be, as bits. */
enum {
	TD_NVML_REASON_SW_POWER = 0x4, /* the power limit */
	TD_NVML_REASON_HW = 0x8, /* also with each of the next two of the hardware */
	TD_NVML_REASON_SW_THERMAL = 0x20,
	TD_NVML_REASON_HW_THERMAL = 0x40,
	TD_NVML_REASON_HW_POWER = 0x80, /* the power supply says so */
};

enum { TD_NVML_ECC_CORRECTED = 0, TD_NVML_ECC_UNCORRECTED = 1 };
enum { TD_NVML_ECC_SINCE_LOADED = 0 };
enum { TD_NVML_VIRTUAL_GUEST = 2, TD_NVML_VIRTUAL_HOST = 3 };
enum { TD_NVML_EVENT_XID = 8 };

struct td_nvml_event {
	td_nvml_device device;
	unsigned long long type, data; /* TD_NVML_EVENT_XID: its number */
	unsigned int gpu_instance, compute_instance;
};

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
	int (*throttle)(td_nvml_device d, unsigned long long *ret_reasons);
	int (*ecc)(td_nvml_device d, int type, int since, unsigned long long *ret);
	int (*mig_mode)(td_nvml_device d, unsigned int *ret, unsigned int *ret_after_reset);
	int (*mig_device)(td_nvml_device d, unsigned int index, td_nvml_device *ret);
	int (*virtual_mode)(td_nvml_device d, int *ret);
	int (*events_new)(void **ret);
	int (*events_add)(td_nvml_device d, unsigned long long types, void *events);
	int (*events_wait)(void *events, struct td_nvml_event *ret, unsigned int timeout_ms);
	int (*events_free)(void *events);
	/* by whether it computes or draws; the buffer's layout is found out */
	int (*processes[2])(td_nvml_device d, unsigned int *n, void *ret);
};
