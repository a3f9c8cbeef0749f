/* SPDX-License-Identifier: MIT */
/* Page faults as samples: what the BPF programs count per process and second (collector/bpf/faults.bpf.c). */
#pragma once

#include "collector/bpf/shared.h"
#include "collector/probes/probes.h"

/* TD_WIRE_SAMPLE records of the faults, and of their tracks if they are the first of the process. 0 or what the
 * sink returns. */
int td_faults_samples(const struct td_raw_faults *raw, td_sink *sink, void *arg);

/* The same for what was counted last of each process that is still there. map_fd: of the BPF map; below 0: none.
 * 0, -errno or what the sink returns. */
int td_faults_rest(int map_fd, td_sink *sink, void *arg);
