/* SPDX-License-Identifier: MIT */
/* Records that tracedb-record makes of the recording itself. All return 0, -ENOMEM or what the sink returns. */
#pragma once

#include "collector/samplers/emit.h"

/* args: the command line as given, NULL-ended. */
int td_recording_header(struct td_emit *e, char *const args[]);

/* The rank in its job of what is recorded. */
int td_recording_rank(struct td_emit *e, uint32_t rank);

int td_recording_anchor(struct td_emit *e);

int td_recording_name(struct td_emit *e, enum td_wire_name_of what, uint64_t number,
		      const char *name);

/* Of events, this many found no room in the spool, from from_ns to now. */
int td_recording_lost(struct td_emit *e, uint64_t from_ns, uint64_t events, uint64_t lost);

/* CPU time of this process while it recorded. */
int td_recording_cost(struct td_emit *e, uint64_t cpu_ns);

/* records: before this one. status: as in struct td_wire_end. */
int td_recording_end(struct td_emit *e, uint64_t records, int status, enum td_wire_why why);

/* CPU time of this process so far. */
uint64_t td_own_cpu_ns(void);
