/* SPDX-License-Identifier: MIT */
/*
 * The derived tables (schema/derived.sql), computed while the rows go by on their way into the
 * database, in one pass and bounded memory.
 */
#pragma once

#include "common/cleanup.h"
#include "store/write/write.h"

struct td_derive;

/* spill_path: where a temporary file goes (common/tmpfile.h), when one is needed; borrowed. */
int td_derive_new(const char *spill_path, struct td_derive **ret);
void td_derive_free(struct td_derive *d);
TD_DEFINE_CLEANUP(struct td_derive *, td_derive_free)

/* The statistics of calls may tell so many combinations of process, file and operation apart, instead of a share of the
 * calls; before the rows: a test's. What they do not hold is in stat_omitted. */
void td_derive_set_budget(struct td_derive *d, size_t budget);

/* Hand this to td_store_write(). Valid as long as d. */
struct td_row_watcher td_derive_watcher(struct td_derive *d);
