/* SPDX-License-Identifier: MIT */
/*
 * Which training logs are of one run: each rank may write a log of its own, and a folder may hold the logs of
 * a run and of its restarts. Ranks write at the same time, restarts one after the other.
 */
#pragma once

#include "store/store.h"

/* Numbers the runs of all training logs from 1 in order of time (td_log_run.run_number): what overlaps in time
 * is one run, unless one log tells of both. Where the rank and the machine of each log are known, and those of
 * different machines do not overlap, clocks are far apart: the first runs by each are one, and so on, if there are
 * as many by each. Logs whose clock could not be aligned come last, each a run by itself. All clocks are aligned.
 * 0 or -ENOMEM. */
int td_align_runs(struct td_store *st);
