/* SPDX-License-Identifier: MIT */
/*
 * Parts of one source that are read at the same time, each into a store of its own, joined in the order of the
 * text: what one store would hold that had read it all, ids included. Ids are given in order of first sight, so a
 * part's new names are new to the whole in the same order.
 *
 * A part may hold strings, operations, processes (pid and name), threads, files (of td_store_file_path() and
 * td_store_file_name()), devices, tracks, issues, and no rows in its staging areas: those are its reader's.
 */
#pragma once

#include "store/store.h"

enum td_id_of {
	TD_ID_STRING,
	TD_ID_OP,
	TD_ID_PROCESS,
	TD_ID_THREAD,
	TD_ID_FILE,
	TD_ID_DEVICE,
	TD_ID_TRACK,
	TD_NIDS
};

/* By a part's ids, those of the whole; [0] is 0. TD_ID_MAP_INIT, td_id_map_done(). */
struct td_id_map {
	uint32_t *to[TD_NIDS]; /* owned */
	size_t cap[TD_NIDS];
};

#define TD_ID_MAP_INIT                                                                             \
	{                                                                                          \
		{                                                                                  \
			NULL                                                                       \
		}                                                                                  \
	}

/* What came before makes a difference to what the part would hold; nothing was joined. */
#define TD_PART_DEPENDS 1

/* Adds a part. lines: how many lines of the source are before it. Fills the map. 0, TD_PART_DEPENDS or -errno. */
int td_store_join(struct td_store *to, struct td_store *part, uint64_t lines,
		  struct td_id_map *map);

/* Is td_id_map_row() able to do it? */
bool td_id_map_knows(enum td_kind kind);

/* Replaces the part's ids in a row. */
void td_id_map_row(const struct td_id_map *map, enum td_kind kind, void *row);

void td_id_map_done(struct td_id_map *map);

/* Forgets all but the rows, for the next part; the memory stays. */
void td_store_clear(struct td_store *part);
