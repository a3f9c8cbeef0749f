/* SPDX-License-Identifier: MIT */
/*
 * What ranks meet in, which none ends before the last one has begun it: all-reduces and the like,
 * epochs. It bounds how far clocks of several machines differ, as view machine_clock says, which
 * finds the same by plain SQL.
 */
#pragma once

#include "common/intern.h"
#include "schema/collectives.h"
#include "store/store.h"

/* Who does what: the n-th ones of all that do the same are one meeting. */
struct td_meeting_key {
	uint32_t what; /* string; the same for kernels and spans is not the same */
	int32_t run_number; /* of spans; INT32_MIN: none */
	uint32_t device_id, process_id; /* 0: none */
	int64_t rank; /* TD_NULL: none */
};

struct td_meetings {
	struct td_intern keys, occasions; /* from 1 on */
	struct td_meeting_group *groups; /* owned; of keys */
	size_t ngroups, groups_cap;
	struct td_meeting_item *items; /* owned */
	size_t n, cap;
};

void td_meetings_done(struct td_meetings *m);

/* Those of a group come in order. Times in ns, by the clock of the source. 0 or -ENOMEM. */
int td_meetings_add(struct td_meetings *m, const struct td_meeting_key *key, uint16_t source_id,
		    int64_t start_ns, int64_t end_ns);

/* Finds by how much the clocks of sources are ahead of that of the first machine's, as far as all
 * of them can be known. clocks: by source id, whose own_error_ns and host are set. Without several
 * machines none is. 0 or -ENOMEM. */
int td_meetings_fit(const struct td_meetings *m, const struct td_contents *in,
		    struct td_collective_clock *clocks);

/* Whether sources are of several machines, and each is known. */
bool td_meetings_has_machines(const struct td_contents *in);
