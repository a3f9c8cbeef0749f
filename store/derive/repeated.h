/* SPDX-License-Identifier: MIT */
/*
 * Calls that two sources tell of: rotations of a log that overlap, two recordings of one tracer. They count twice, as nobody
 * knows here which source is right, but it is said: issue 'repeated-calls'. A copy of a whole file, or of its begin, is
 * found before it is read (importers/job/repeats.h).
 */
#pragma once

#include "store/store.h"

struct td_repeated;

int td_repeated_new(struct td_repeated **ret);
void td_repeated_free(struct td_repeated *rp);

/* n calls in order of start. 0 or -ENOMEM. */
int td_repeated_calls(struct td_repeated *rp, const struct td_call *calls, size_t n);

/* Gives the sources their issues. */
void td_repeated_say(const struct td_repeated *rp, struct td_store *st);
