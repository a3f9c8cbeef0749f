/* SPDX-License-Identifier: MIT */
/* How busy all CPUs together were in a segment and in a phase, from sampled utilisation. */
#pragma once

#include "store/derive/phases.h"
#include "store/write/row_builder.h"
#include "store/store.h"

struct td_cpu;

int td_cpu_new(struct td_cpu **ret);
void td_cpu_free(struct td_cpu *c);
int td_cpu_begin(struct td_cpu *c, const struct td_store *st); /* 0 or -ENOMEM */

/* Samples in order of time; those of other tracks than 'cpu.*' in percent are passed over. on_clock: can their times
 * be compared with those of other sources? 0 or -ENOMEM. */
int td_cpu_sample(struct td_cpu *c, const struct td_sample *sample, bool on_clock);

/* All samples have gone by. Of several sources that looked at one machine at a time the finest one is believed. 0 or
 * -ENOMEM. */
int td_cpu_finish(struct td_cpu *c);

/* Binds segment.cpu_ns, cpu_busy_ns, cpu_iowait_ns. Segments must come in order of time. */
void td_cpu_bind(struct td_cpu *c, struct td_row_builder *stmt, int64_t start_ns, int64_t end_ns);

/* Writes cpu_sampler and cpu_phase. 0 or -errno. */
int td_cpu_write_samplers(const struct td_cpu *c, struct td_row_builder *rows);
int td_cpu_write_phases(const struct td_cpu *c, const struct td_phases *phases,
			struct td_row_builder *rows);
