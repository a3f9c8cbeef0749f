/* SPDX-License-Identifier: MIT */
#pragma once

#include "importers/core/import.h"
#include "store/store.h"

/* Says of a source that was read which rank it is of, from the first of these that tells: what the
 * user says, the file itself (which is in the source already), the names in its path, the
 * environment that it is imported in. */
void td_rank_of_source(struct td_source *s, const char *path,
		       const struct td_import_options *options);
