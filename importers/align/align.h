/* SPDX-License-Identifier: MIT */
/*
 * The aligner: puts all sources of a store on one clock, UTC. It fits the boot clock from the anchors,
 * finds the local zone and missing dates by laying the sources' time ranges over each other, and
 * writes offset, error bar and reason to each source.
 */
#pragma once

#include "importers/core/import.h"

struct td_alignment {
	int64_t utc_offset_s; /* local minus UTC; TD_NULL: no source needed it */
	const char *utc_offset_basis; /* as run.utc_offset_basis; NULL with it */
};

/* 0, -EINVAL if options->clock makes no sense (err says why), or -ENOMEM. */
int td_align(struct td_store *st, const struct td_import_options *options, struct td_alignment *ret,
	     struct td_err *err);
