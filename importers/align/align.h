/* SPDX-License-Identifier: MIT */
/*
 * The aligner: puts all sources of a store on one clock, UTC. It fits the clock of each boot from the anchors,
 * finds the local zone and missing dates by laying the sources' time ranges over each other, and
 * writes offset, error bar and reason to each source.
 */
#pragma once

#include "common/err.h"
#include "store/store.h"

/* What the user says of clocks. */
struct td_clock_options {
	int64_t utc_offset_s; /* --tz: local minus UTC; TD_NULL: find it */
	int64_t date_days; /* --date: days since 1970 of the first local time; TD_NULL: find it */
	const char *clock; /* --clock boot=EPOCH_NS: UTC of boot, borrowed; NULL: find it */
};

/* All is to be found. */
#define TD_CLOCK_OPTIONS_NONE                                                                      \
	{                                                                                          \
		.utc_offset_s = TD_NULL, .date_days = TD_NULL                                      \
	}

struct td_alignment {
	int64_t utc_offset_s; /* local minus UTC; TD_NULL: no source needed it */
	const char *utc_offset_basis; /* as run.utc_offset_basis; NULL with it */
	size_t boots; /* of which sources were found that saw a wall clock beside their boot clock */
};

/* 0, -EINVAL if options->clock makes no sense (err says why), or -ENOMEM. */
int td_align(struct td_store *st, const struct td_clock_options *options, struct td_alignment *ret,
	     struct td_err *err);
