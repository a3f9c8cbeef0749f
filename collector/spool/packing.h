/* SPDX-License-Identifier: MIT */
/*
 * The packing of a spool's frames, which is most of the work of recording: one thread packs some
 * eight million calls a second, sixteen CPUs make more. What is given is packed by threads that are
 * made when there is work for one more, and comes out in the order in which it was given; where the
 * caller would wait, it packs, too. A quiet recording never has a second thread. For spool.c only;
 * all functions are for one thread.
 */
#pragma once

#include <stdbool.h>

#include "collector/spool/frame.h"

struct td_spool_packing;

/* 0 or -ENOMEM. */
int td_spool_packing_new(struct td_spool_packing **ret);
void td_spool_packing_free(struct td_spool_packing *p);

/* From here on threads may be made: they keep the privileges that this one has now. */
void td_spool_packing_start(struct td_spool_packing *p);

/* So much was given and not taken that no more can be given. */
bool td_spool_packing_full(const struct td_spool_packing *p);

/* Takes the first len bytes of *buffer, which has TD_SINK_BUFFER_BYTES, and puts another one there. 0 or -ENOMEM: it is
 * still the caller's. */
int td_spool_packing_give(struct td_spool_packing *p, char **buffer, size_t len);

/* What came of a buffer: valid until the next call of td_spool_packing_give(). */
struct td_spool_packed {
	const char *records; /* borrowed */
	size_t len;
	uint64_t end_ns; /* CLOCK_BOOTTIME when it was given */
	struct td_spool_counts counts;
	struct td_spool_frame *frame; /* for the caller; NULL if r is not 0 */
	int r; /* of td_spool_pack() */
};

/* The oldest one that was not taken yet, if it is packed; wait: as soon as it is. false: there is none. */
bool td_spool_packing_take(struct td_spool_packing *p, bool wait, struct td_spool_packed *ret);

/* How large all frames together can become that were not taken yet, in bytes. */
size_t td_spool_packing_bound(const struct td_spool_packing *p);
