/* SPDX-License-Identifier: MIT */
/* Phases: when each is on, in each run of the training program, as unions over ranks (phase_interval). */
#pragma once

#include "store/derive/meter.h"
#include "store/store.h"
#include "store/write/target.h"

/* Times at which the timeline is cut. */
struct td_times {
	int64_t *ns;
	size_t n, cap;
};

int td_times_add(struct td_times *t, int64_t ns);
/* In order, each once. */
void td_times_sort(struct td_times *t);
void td_times_done(struct td_times *t);

struct td_phases;

int td_phases_new(struct td_phases **ret);
void td_phases_free(struct td_phases *p);
/* 0 or -ENOMEM. */
int td_phases_begin(struct td_phases *p, struct td_store *st);

/* Spans in order of start; those that are no phase, or have no known length, are passed over. */
int td_phases_add(struct td_phases *p, const struct td_span *span);

/* Adds the begin and the end of each, and of each run where there are several. */
int td_phases_times(const struct td_phases *p, struct td_times *times);

/* A phase: 'epoch', or 'epoch 3'; of several runs also '(run)'. When it is on: in one run, or in all. */
struct td_phase {
	char *label;
	int64_t run_number; /* TD_NULL: several, or it is of none */
	bool all_runs; /* this is all that there is of the label */
	bool one_run; /* this is of one run. Both, where there is only one */
	struct td_interval *intervals;
	size_t n, cap;
};

/* Joins what touches, by label and run. No span may come after that. 0 or -ENOMEM. */
int td_phases_join(struct td_phases *p);

/* The next phase, from *at = 0 on; NULL: there is none. After td_phases_join(). */
const struct td_phase *td_phases_next(const struct td_phases *p, size_t *at);

int td_phases_write(const struct td_phases *p, const struct td_target *target, struct td_err *err);
