/* SPDX-License-Identifier: MIT */
/*
 * NVIDIA's management library, loaded when there is one: what nvidia-smi dmon and pmon print, as values with a
 * time and the period that they cover. Not for a thread that others wait for: a query can take 20 ms, and as long
 * as it likes on a sick GPU.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/cleanup.h"
#include "common/err.h"

enum td_nvml_metric {
	TD_NVML_SM,
	TD_NVML_MEM,
	TD_NVML_ENC,
	TD_NVML_DEC,
	TD_NVML_JPG,
	TD_NVML_OFA,
	TD_NVML_FB,
	TD_NVML_BAR1,
	TD_NVML_PWR,
	TD_NVML_GTEMP,
	TD_NVML_MTEMP,
	TD_NVML_MCLK,
	TD_NVML_PCLK,
	TD_NVML_RXPCI,
	TD_NVML_TXPCI,
	TD_NVML_RXNVL,
	TD_NVML_TXNVL,
	TD_NVML_THROTTLE_POWER, /* 100 or 0: do the clocks give way to it, at the reading? */
	TD_NVML_THROTTLE_THERMAL,
	TD_NVML_THROTTLE_HW,
	TD_NVML_SBECC,
	TD_NVML_DBECC,
	TD_NVML_XID, /* number of an error, when it was told; dur_ns is 0 */
	TD_NVML_NMETRICS,
};

/* Names and units of the tracks, as importers/nvidia/nvidia_smi.c has them. MB/s are 10^6 bytes. */
extern const struct td_nvml_track {
	const char *name, *unit;
} td_nvml_tracks[TD_NVML_NMETRICS];

struct td_nvml_value {
	enum td_nvml_metric metric;
	unsigned gpu;
	pid_t pid; /* 0: of the whole GPU */
	uint64_t time_ns, dur_ns; /* CLOCK_BOOTTIME; the dur_ns before it */
	double value; /* NaN: could not be read this time */
};

struct td_nvml_values {
	struct td_nvml_value *items; /* owned: free() */
	size_t n, cap;
};

/* One moment on both clocks: the driver's samples bear the wall clock's time. */
struct td_nvml_now {
	uint64_t boot_ns, utc_ns;
};

struct td_nvml;

/* library: NULL for the system's. 0; -ENOENT if there is no library, -ENODEV if no GPU can be had from it, -ENOMEM;
 * err says what is missing. */
int td_nvml_open(const char *library, struct td_nvml **ret, struct td_err *err);
void td_nvml_close(struct td_nvml *n);
TD_DEFINE_CLEANUP(struct td_nvml *, td_nvml_close)

unsigned td_nvml_ngpus(const struct td_nvml *n);
const char *td_nvml_gpu_name(const struct td_nvml *n, unsigned gpu); /* "NVIDIA H200" */
const char *td_nvml_driver(const struct td_nvml *n); /* "580.159.04"; "" if it does not say */
/* Metrics that the GPU has turned out not to have, as bits 1 << enum td_nvml_metric. */
uint32_t td_nvml_missing(const struct td_nvml *n, unsigned gpu);

/* What makes the numbers of the GPU less than what they say: it is divided (MIG), or a part of
 * another one (vGPU). 0: nothing; 1: a sentence without full stop is in ret. */
int td_nvml_caveat(const struct td_nvml *n, unsigned gpu, struct td_err *ret);

/* What changes quickly: memory, power, clocks, PCIe. Values are added; the first call only notes where the counters
 * stand. 0 or -ENOMEM. */
int td_nvml_read_fast(struct td_nvml *n, struct td_nvml_now now, struct td_nvml_values *values);

/* The rest, about once a second. The driver samples utilisation by itself, some six times a second, and keeps the
 * last seconds: all samples since the last call are taken, however rarely it is called, and beside them what each
 * process had of that time. Reading them takes milliseconds per GPU, which is why this is not done at every beat. */
int td_nvml_read_slow(struct td_nvml *n, struct td_nvml_now now, struct td_nvml_values *values);
