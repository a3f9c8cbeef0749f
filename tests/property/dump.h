/* SPDX-License-Identifier: MIT */
#pragma once

#include "common/strbuf.h"
#include "store/store.h"

/* All rows, processes, files and so on that are in the store, as text: two stores hold the same if their
 * texts are equal. Not what is known of the sources, nor the issues. */
void td_dump_store(struct td_store *st, struct td_strbuf *ret);

/* What its reading told of a source, and all issues. */
void td_dump_source(struct td_store *st, uint16_t source_id, struct td_strbuf *ret);
