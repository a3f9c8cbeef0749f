/* SPDX-License-Identifier: MIT */
/*
 * What is done with rows on their way to the file, as steps of a batch of them: some steps take the
 * batches one after the other, in the order of the rows; others any number of them at a time. A
 * step begins with a batch when those that it needs are done with it. Whoever is free takes what
 * waits longest, the thread that fills batches too, so that the CPUs share the work however much of
 * it is in which step, and it comes out the same whatever their number.
 */
#pragma once

#include <stdbool.h>

#include "common/cleanup.h"
#include "store/pages/btree.h"

/* A multiple of what is looked at together, small enough for a second-level cache with all that belongs to it. */
#define TD_BATCH_ROWS ((size_t)2048)

/* Rows, and what the steps leave for each other. */
struct td_row_batch {
	int64_t id; /* of the first row, from 1 up */
	size_t n;
	void *records;
	void *notes; /* td_row_work.note_size bytes for each row */
	struct td_btree_cells *cells; /* NULL: none are wanted */
};

struct td_row_step {
	int (*run)(void *ud, struct td_row_batch *b); /* 0 or -errno */
	void *ud;
	bool in_order; /* one batch after the other */
	unsigned after; /* the steps, 1 << their index, that must be done with the batch before */
};

#define TD_ROW_STEPS_MAX 24
#define TD_ROW_THREADS_MAX 16U

struct td_row_work {
	size_t record_size, note_size;
	const struct td_table *
		cells_of; /* batches have cells of that table's records; NULL: no cells. Borrowed */
	struct td_row_step steps[TD_ROW_STEPS_MAX];
	size_t nsteps;
	unsigned threads; /* at most, this one included: 1 to TD_ROW_THREADS_MAX */
};

/* Adds a step; the bit that stands for it. */
static inline unsigned td_row_work_add(struct td_row_work *w,
				       int (*run)(void *ud, struct td_row_batch *b), void *ud,
				       bool in_order, unsigned after)
{
	w->steps[w->nsteps] = (struct td_row_step){ run, ud, in_order, after };
	return 1U << w->nsteps++;
}

struct td_row_steps;

/* How many batches there are at a time, so that each thread has one at work and one that waits, one
 * is being filled, and one is full. The next one is filled when the one so many before it is
 * through all steps. */
static inline unsigned td_row_steps_places(unsigned threads)
{
	return 2 * threads + 2;
}

/* work: copied. Threads are made when there is more than one batch. 0 or -ENOMEM. */
int td_row_steps_open(const struct td_row_work *work, struct td_row_steps **ret);

/* The next batch, empty, to be filled; does steps while there is none free. 0, or what a step failed with. */
int td_row_steps_room(struct td_row_steps *s, struct td_row_batch **ret);

/* It has rows now, b->n of them. */
void td_row_steps_filled(struct td_row_steps *s);

/* Does what is left, frees s. 0 or the first failure of a step, after which no other is begun. */
int td_row_steps_close(struct td_row_steps *s);

/* The same when the outcome does not matter. */
static inline void td_row_steps_abort(struct td_row_steps *s)
{
	(void)td_row_steps_close(s);
}
TD_DEFINE_CLEANUP(struct td_row_steps *, td_row_steps_abort)
