/* SPDX-License-Identifier: MIT */
/*
 * A ring of slots for parts of a text. Whichever threads are free read the text into them, a block
 * each: of a plain file several at a time, else one. One at a time cuts it at line ends, or where
 * it is told. The thread of the import hands the parts out, threads work on them, and the thread of
 * the import takes them in again, in the order of the text; where it would wait, it reads or works
 * on one, too. Nothing is shared while a part is worked on, so there is no lock but the ring's own.
 * What a part is worked into is not known here: core/speculative.c reads lines of any format, and
 * elements of arrays, into stores of their own.
 */
#pragma once

#include "common/stream.h"

enum td_ring_state {
	TD_PART_FREE,
	TD_PART_READING, /* a thread does */
	TD_PART_FILLED, /* with bytes of the file, not cut yet */
	TD_PART_READ, /* not handed out yet */
	TD_PART_GIVEN, /* handed out, nobody works on it yet */
	TD_PART_AT_WORK, /* a thread does, on either of its jobs */
	TD_PART_WORKED, /* may be taken in */
	TD_PART_TO_FINISH, /* taken in, nobody finishes it yet */
};

/* A slot for a part, at the begin of the user's own struct. */
struct td_ring_slot {
	char *text; /* whole lines (pieces); what is before it (td_ring_ops.room), it and text[len] may be written to */
	size_t len;
	int64_t disk_bytes; /* td_stream_disk_bytes() when it was read */
	bool in_turn; /* for begin(): all parts before were taken in */
	bool finish; /* for take_in() to set: finish() is wanted */
	/* the ring's */
	enum td_ring_state state;
	char *room; /* owned: what text is in */
	bool dropped; /* what is being read is not wanted any more */
	bool whole; /* all of it could be read */
	int finished; /* what finish() returned */
};

/* What is done with a part, in this order; ctx is the user's. 0 or -errno, which ends it. */
struct td_ring_ops {
	size_t slot_size; /* of the user's struct, zeroed at first */
	size_t room; /* bytes before the text */
	size_t (*whole)(const char *text, size_t len); /* of td_stream_pieces() */
	int (*init)(void *ctx, struct td_ring_slot *s); /* once for each slot */
	/* on the thread of the import, when the text is there */
	int (*begin)(void *ctx, struct td_ring_slot *s);
	/* on any thread; what came of it, a failure too, stays in the slot */
	void (*work)(struct td_ring_slot *s);
	/* on the thread of the import, in the order of the text. TD_PART_STOP: read no more for now */
	int (*take_in)(void *ctx, struct td_ring_slot *s);
	/* optional: on any thread, which prefers this to a new part; then the slot is free */
	int (*finish)(struct td_ring_slot *s);
	/* once for each slot, one that init() failed for or never saw too */
	void (*done)(void *ctx, struct td_ring_slot *s);
};

#define TD_PART_STOP 1

/* How many slots, of how many bytes of text, for how many threads: that of the import is one of them, but one more is
 * made in any case; fewer if there are no more to be had. */
struct td_ring_size {
	unsigned threads;
	size_t slots, bytes;
};

/* Reads the lines (pieces) that come next; in is the ring's meanwhile. When it returns all that was
 * read is taken in and finished, unless it failed. 0 at the end of the text; 1: the next line
 * (piece) is longer than a part, or TD_PART_STOP; or -errno. No thread is to be had: 1 and
 * *ret_threads 0, nothing was read. */
int td_worker_ring(struct td_stream *in, const struct td_ring_size *size,
		   const struct td_ring_ops *ops, void *ctx, unsigned *ret_threads,
		   struct td_err *err);
