/* SPDX-License-Identifier: MIT */
/*
 * Records of one source as they come, made into a run: sorted by time and packed (stage_pack.h). A
 * writer belongs to one thread at a time, so that several can be at work for one staging area
 * (stage.h).
 */
#pragma once

#include <stdbool.h>

#include "common/sketch.h"
#include "store/stage/stage.h"
#include "store/stage/stage_pack.h"

/* A large page for many runs, whose memory goes when the last of them does. */
struct td_run_slab;

/* Records of one source in order of time, packed. */
struct td_run {
	size_t n; /* records; 0: there is no run */
	size_t size; /* bytes that they take */
	uint8_t *
		packed; /* owned, with TD_PACK_SPARE bytes more; NULL: in the file of the staging area */
	struct td_run_slab *slab; /* that packed is in; NULL: it is by itself */
	uint64_t at; /* in the file */
	void *first; /* owned; the first record */
	struct td_sketch *distinct; /* owned; TD_NDISTINCT, of calls; NULL: of others */
};

struct td_run_writer {
	const struct td_table *table;
	struct td_pack pack;
	char *records; /* owned; as they were added */
	size_t n, cap;
	int64_t last; /* time of the record added last */
	bool sorted; /* they are in order as they stand */
	struct td_key *keys, *spare; /* owned; key_cap each */
	uint8_t *packed; /* owned; room for key_cap records */
	size_t key_cap;
};

void td_run_writer_init(struct td_run_writer *pk, const struct td_table *table);
void td_run_writer_done(struct td_run_writer *pk);

/* Copies the record; those of equal time stay in the order in which they were added. 0 or -ENOMEM. */
int td_run_writer_add(struct td_run_writer *pk, const void *record);

/* Forgets the records. */
void td_run_writer_clear(struct td_run_writer *pk);

/* Makes a run of the records, of which none is left then: its bytes are in pk->packed, until the next one is made, and
 * not in the run yet. To be ended with td_run_done(). 0 or -ENOMEM. */
int td_run_writer_run(struct td_run_writer *pk, struct td_run *ret);

/* Makes room in memory for what the run packed, to be copied there: in the slab if that is there and has some, else in
 * a new one, or by itself. One thread at a time for a slab. 0 or -ENOMEM. */
int td_run_room(struct td_run *run, struct td_run_slab **slab);
/* No more runs are added. Takes NULL. */
void td_run_slab_leave(struct td_run_slab *slab);
/* What was kept is elsewhere now: gives its memory back to the machine. */
void td_run_drop_packed(struct td_run *run);

void td_run_done(struct td_run *run);

static inline int64_t td_record_time(const struct td_table *table, const void *record)
{
	int64_t t;

	memcpy(&t, (const char *)record + table->time_offset, sizeof(t));
	return t;
}
