/* SPDX-License-Identifier: MIT */
/*
 * What idle time of a GPU is put down to: what was in progress on the host in each moment, the first of the list where it is
 * several things. The order is that of enum td_cause; docs/SCHEMA.md, table gpu_idle_part, has it in words.
 */
#pragma once

#include "store/store.h"

enum td_cause {
	TD_CAUSE_DISK_READ,
	TD_CAUSE_READ,
	TD_CAUSE_WRITE,
	TD_CAUSE_FILES,
	TD_CAUSE_CUDA,
	TD_CAUSE_NO_CALLS,
	TD_NCAUSES,
};

/* As in gpu_idle_part.cause. */
extern const char *const td_cause_names[TD_NCAUSES];

/* What it is that this call is in progress, if its file is one; TD_NCAUSES: nothing. */
enum td_cause td_cause_of(const struct td_op *op);

struct td_causes;

/* piece is told which time is put down to which cause: stretches that come in order and do not overlap; TD_NCAUSES:
 * to any of them. */
int td_causes_new(void (*piece)(void *arg, enum td_cause cause, int64_t start_ns, int64_t end_ns),
		  void *arg, struct td_causes **ret);
void td_causes_free(struct td_causes *c);

/* The time begins. */
void td_causes_begin(struct td_causes *c, int64_t start_ns);

/* A disk was read. In order of start, all of them before the first call. 0 or -ENOMEM. */
int td_causes_disk_read(struct td_causes *c, int64_t start_ns, int64_t end_ns);

/* A call, in order of start. cause may be TD_NCAUSES: it tells that calls were recorded. Its end is its start where its
 * duration is not known. */
void td_causes_call(struct td_causes *c, enum td_cause cause, int64_t start_ns, int64_t end_ns);

/* Everything has gone by, and the time ends. */
void td_causes_finish(struct td_causes *c, int64_t end_ns);

/* Was it ever seen? Whoever traces reads need not trace writes. */
bool td_causes_known(const struct td_causes *c, enum td_cause cause);
