/* SPDX-License-Identifier: MIT */
/*
 * What idle time of a GPU is put down to: what was in progress on the host in each moment, the
 * first of the list where it is several things. The order is that of enum td_cause; docs/SCHEMA.md,
 * table gpu_idle_part, has it in words.
 */
#pragma once

#include <stdbool.h>

#include "store/store.h"

enum td_cause {
	TD_CAUSE_DISK_READ,
	TD_CAUSE_READ,
	TD_CAUSE_WRITE,
	TD_CAUSE_FILES,
	TD_CAUSE_LOADER_RUNS,
	TD_CAUSE_RUNNABLE,
	TD_CAUSE_LOADER_SLEEPS,
	TD_CAUSE_DATA,
	TD_CAUSE_LOCK,
	TD_CAUSE_CUDA,
	TD_CAUSE_RANKS,
	TD_CAUSE_OPERATOR,
	TD_CAUSE_OTHERS, /* of other parties: anything that may keep a GPU waiting */
	TD_CAUSE_EVALUATION,
	TD_CAUSE_INITIALISATION,
	TD_CAUSE_LOST,
	TD_CAUSE_NO_CALLS,
	TD_CAUSE_COMPUTES,
	TD_NCAUSES,
	TD_CAUSE_ANY = TD_NCAUSES, /* whichever of them */
	TD_CAUSE_NONE, /* none of them: unexplained */
};

/* As in gpu_idle_part.cause, 'unexplained' the last; that of TD_CAUSE_ANY is NULL. */
extern const char *const td_cause_names[TD_CAUSE_NONE + 1];

/* What it is that this call is in progress, if its file is one; TD_CAUSE_NONE: nothing. */
enum td_cause td_cause_of(const struct td_op *op);

/* Something that was in progress, and who was at it on which file; ids may be 0. */
struct td_work {
	enum td_cause cause;
	int64_t start_ns, end_ns;
	uint32_t process_id, file_id;
};

struct td_causes;

/* piece is told which time is put down to which cause, in stretches that do not overlap, those of a
 * cause in order of time: to each, with who was longest at it; to TD_CAUSE_NONE; and, besides, to
 * TD_CAUSE_ANY. */
int td_causes_new(void (*piece)(void *arg, const struct td_work *piece), void *arg,
		  struct td_causes **ret);
void td_causes_free(struct td_causes *c);

/* What is known before the first call: for each cause in order of start. 0 or -ENOMEM. */
int td_causes_add(struct td_causes *c, const struct td_work *work);

/* The same of another party: TD_CAUSE_OTHERS, if it may keep this one waiting. */
int td_causes_add_other(struct td_causes *c, const struct td_work *work);

/* A program that computes while its first thread is in no call, until it ends: INT64_MAX if that is not known. Of
 * this party, before the time begins. 0 or -ENOMEM. */
int td_causes_add_program(struct td_causes *c, uint32_t process_id, int64_t end_ns);

/* The time begins; calls follow. */
void td_causes_begin(struct td_causes *c, int64_t start_ns);

/* A call, in order of start. Its cause may be TD_CAUSE_NONE: it tells that calls were recorded. Its
 * end is its start where its duration is not known. */
void td_causes_call(struct td_causes *c, const struct td_work *work);

/* The call that was told last is one of the first thread of a program that was added, and ends then; TD_NULL: it is
 * not known when. */
void td_causes_program_calls(struct td_causes *c, uint32_t process_id, int64_t end_ns);

/* The same of another party. */
void td_causes_call_other(struct td_causes *c, const struct td_work *work);

/* Everything has gone by, and the time ends. */
void td_causes_finish(struct td_causes *c, int64_t end_ns);

/* Was it ever seen? Whoever traces reads need not trace writes. */
bool td_causes_known(const struct td_causes *c, enum td_cause cause);
