/* SPDX-License-Identifier: MIT */
/*
 * Calls that two sources tell of: rotations of a log that overlap, two recordings of one tracer.
 * They count twice, as nobody knows here which source is right, but it is said: issue
 * 'duplicate-calls'. A copy of a whole file, or of its begin, is found before it is read
 * (importers/job/repeats.h).
 */
#pragma once

#include "store/store.h"

#define TD_ISSUE_DUPLICATE_CALLS "duplicate-calls"

struct td_duplicates;

int td_duplicates_new(struct td_duplicates **ret);
void td_duplicates_free(struct td_duplicates *d);

/* n calls in order of start. 0 or -ENOMEM. */
int td_duplicates_look(struct td_duplicates *d, const struct td_call *calls, size_t n);

/* Gives the sources their issues. */
void td_duplicates_say(const struct td_duplicates *d, struct td_store *st);
