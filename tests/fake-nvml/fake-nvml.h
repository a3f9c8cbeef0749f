/* SPDX-License-Identifier: MIT */
/*
 * A library that stands in for NVIDIA's in tests: what it answers is in a structure that the test changes. Found
 * by its name with LD_LIBRARY_PATH, or by its path; dlsym() of "td_fake_nvml" in the same library gives the
 * structure.
 */
#pragma once

#include <stdbool.h>

#include "collector/samplers/nvml_api.h"

#define TD_FAKE_GPUS 2

struct td_fake_gpu {
	int error; /* of every query of this GPU; 0: none */
	unsigned int sm, mem; /* rates, and of every sample */
	unsigned int enc;
	unsigned int power_mw, temperature, sm_mhz, memory_mhz;
	unsigned long long used_bytes;
	unsigned long long received, sent; /* PCIe counters */
	int counter_type; /* -1: it has no such field */
	unsigned int pcie_kb_per_s;
	bool has_nvlink;
	unsigned long long link_received, link_sent; /* NVLink counters, KiB */
	unsigned long long reasons; /* why the clocks are low */
	unsigned long long ecc[2]; /* corrected, not corrected */
	unsigned int xid; /* an error that is told once; 0: none */
	unsigned int ninstances; /* MIG: so many; 0: not divided */
	int virtual_mode;
	/* samples end at multiples of period_us from first_us to last_us of the wall clock */
	unsigned long long first_us, last_us, period_us; /* period_us 0: not supported */
	struct td_nvml_process processes[200];
	unsigned int nprocesses; /* the first of them compute, ... */
	unsigned int ndrawing; /* ... the last ones draw */
	struct td_nvml_process_sample process_samples[200];
	unsigned int nprocess_samples;
};

struct td_fake_nvml {
	int init_error;
	unsigned int ngpus;
	struct td_fake_gpu gpus[TD_FAKE_GPUS];
	unsigned int inits, shutdowns, pcie_watches; /* calls so far */
	int event_sets; /* that are there */
	unsigned int sleep_ms; /* in every reading of power: a GPU that hangs */
};
