/* SPDX-License-Identifier: MIT */
/* How busy all CPUs together were in a segment, from sampled utilisation. */
#pragma once

#include "store/write/row_builder.h"
#include "store/store.h"

struct td_cpu;

int td_cpu_new(struct td_cpu **ret);
void td_cpu_free(struct td_cpu *c);
void td_cpu_begin(struct td_cpu *c, const struct td_store *st);

/* Samples in order of time; those of other tracks than 'cpu.idle' and 'cpu.iowait' of all CPUs together are
 * passed over. 0 or -ENOMEM. */
int td_cpu_sample(struct td_cpu *c, const struct td_sample *sample);

/* Binds segment.cpu_ns, cpu_busy_ns, cpu_iowait_ns. Segments must come in order of time. */
void td_cpu_bind(struct td_cpu *c, struct td_row_builder *stmt, int64_t start_ns, int64_t end_ns);
