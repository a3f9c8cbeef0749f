/* SPDX-License-Identifier: MIT */
/*
 * The boots of a machine, or of several: what counts from the same boot is on one clock, and what counts from
 * another one is not. A source that saw a wall clock beside its boot clock says when its boot was; sources that
 * say the same are of one boot, and their readings are fitted together.
 */
#pragma once

#include "common/cleanup.h"
#include "importers/align/find.h"
#include "store/store.h"

/* The wall clock may be stepped while a machine is up, by what a clock that was never set right is off; a machine
 * that is booted again was up for longer than that. */
#define TD_BOOT_STEP_NS (10 * TD_SEC_NS)

struct td_boot {
	enum td_clock
		wall; /* the best kind that was read beside it: UTC, local with the date, or a local time of day */
	struct td_clock_fit fit; /* against it */
	struct td_ranges
		native; /* of its sources, joined; of several boots, of those with readings of their own */
	uint16_t
		first; /* source, the next is next[first]; those without readings of their own are not among them */
	uint16_t folder_of; /* source in whose folder all of these are; 0: they are in several */
};

struct td_boots {
	struct td_boot *items;
	size_t n, cap;
	uint32_t
		*of; /* by source id: number of its boot, from 1; 0: unknown, or not a boot clock */
	uint16_t *next; /* by source id: the next source of its boot that has readings; 0: none */
	struct td_anchor *anchors; /* of boot clocks, in order of their sources */
	size_t *from; /* by source id: where in anchors its own begin; they end where the next one's do */
};

/* Finds them. A source without readings of its own is of the only boot that there is, or the only one in its
 * folder, or the only one that has sources of its native times; else of none. 0 or -ENOMEM. */
int td_boots_find(struct td_store *st, struct td_boots *ret);
void td_boots_done(struct td_boots *b);

/* Are the two sources, by their ids, in one folder? */
bool td_boots_same_folder(const struct td_contents *in, size_t a, size_t b);

/* Fits the boot clock to the readings of UTC that one source has beside it. 0, -ENODATA if it has none, or
 * -ENOMEM. */
int td_boots_own_fit(const struct td_boots *b, uint16_t source_id, struct td_clock_fit *ret);
