/* SPDX-License-Identifier: MIT */
/* Steps of batches of rows: their order, what they wait for, failures, on any number of threads. */
#include <stdatomic.h>
#include <unistd.h>

#include "store/write/row_steps.h"
#include "tests/unit/check.h"

struct seen {
	size_t marked, summed; /* batches */
	int64_t sum;
	int64_t next_marked, next_summed; /* rows, in order */
	unsigned marked_out_of_order, summed_out_of_order, too_early;
	atomic_uint doubled;
	size_t fail_at; /* batch; 0: none */
};

/* In order: numbers the rows. */
static int mark(void *ud, struct td_row_batch *b)
{
	struct seen *s = ud;
	int64_t *rows = b->records;

	s->marked_out_of_order += b->id != s->next_marked + 1;
	s->next_marked += (int64_t)b->n;
	for (size_t i = 0; i < b->n; i++)
		rows[i] = b->id + (int64_t)i;
	return ++s->marked == s->fail_at ? -ENOSPC : 0;
}

/* In any order, and some batches take longer. */
static int twice(void *ud, struct td_row_batch *b)
{
	struct seen *s = ud;
	const int64_t *rows = b->records;
	int64_t *notes = b->notes;

	if (b->id / (int64_t)TD_BATCH_ROWS % 5 == 1)
		usleep(300);
	for (size_t i = 0; i < b->n; i++)
		notes[i] = 2 * rows[i];
	atomic_fetch_add(&s->doubled, 1);
	return 0;
}

/* In order, when both are done. */
static int sum(void *ud, struct td_row_batch *b)
{
	struct seen *s = ud;
	const int64_t *notes = b->notes;

	s->summed_out_of_order += b->id != s->next_summed + 1;
	s->next_summed += (int64_t)b->n;
	s->too_early += b->n > 0 && notes[b->n - 1] != 2 * (b->id + (int64_t)b->n - 1);
	for (size_t i = 0; i < b->n; i++)
		s->sum += notes[i];
	s->summed++;
	return 0;
}

static struct td_row_steps *begin(struct seen *seen, unsigned threads)
{
	struct td_row_work work = {
		.record_size = sizeof(int64_t),
		.note_size = sizeof(int64_t),
		.threads = threads,
		.nsteps = 3,
		.steps = { { mark, seen, true, 0 },
			   { twice, seen, false, 1 },
			   { sum, seen, true, 2 } },
	};
	struct td_row_steps *steps = NULL;

	TD_CHECK_INT(td_row_steps_open(&work, &steps), 0);
	return steps;
}

/* Batches of stale rows; the last one is not full. */
static int fill(struct td_row_steps *steps, size_t n)
{
	struct td_row_batch *b;
	int r = 0;

	for (size_t i = 0; i < n && r >= 0; i++) {
		r = td_row_steps_room(steps, &b);
		if (r < 0)
			break;
		b->n = i + 1 < n ? TD_BATCH_ROWS : 3;
		memset(b->records, 0xff, b->n * sizeof(int64_t));
		memset(b->notes, 0xff, b->n * sizeof(int64_t));
		td_row_steps_filled(steps);
	}
	return r;
}

static void test_order(unsigned threads, size_t batches)
{
	struct seen seen = { 0 };
	struct td_row_steps *steps = begin(&seen, threads);
	int64_t rows = batches ? (int64_t)((batches - 1) * TD_BATCH_ROWS + 3) : 0;

	TD_CASE("in order, whatever is done beside");
	TD_CHECK_INT(fill(steps, batches), 0);
	TD_CHECK_INT(td_row_steps_close(steps), 0);
	TD_CHECK_INT(seen.marked, batches);
	TD_CHECK_INT(seen.doubled, batches);
	TD_CHECK_INT(seen.summed, batches);
	TD_CHECK_INT(seen.marked_out_of_order, 0);
	TD_CHECK_INT(seen.summed_out_of_order, 0);
	TD_CHECK_INT(seen.too_early, 0);
	/* 2 * (1 + ... + rows) */
	TD_CHECK_INT(seen.sum, rows * (rows + 1));
}

static void test_failure(unsigned threads)
{
	struct seen seen = { .fail_at = 30 };
	struct td_row_steps *steps = begin(&seen, threads);
	struct td_row_batch *b;

	TD_CASE("a step fails");
	TD_CHECK_INT(fill(steps, 500), -ENOSPC);
	TD_CHECK_INT(td_row_steps_room(steps, &b), -ENOSPC);
	TD_CHECK_INT(td_row_steps_close(steps), -ENOSPC);
	TD_CHECK_INT(seen.marked, 30);
	TD_CHECK(seen.summed < 30);
	TD_CHECK_INT(seen.marked_out_of_order, 0);
	TD_CHECK_INT(seen.summed_out_of_order, 0);
}

int main(void)
{
	static const size_t batches[] = { 0, 1, 2, 3, 40, 300 };

	for (unsigned threads = 1; threads <= TD_ROW_THREADS_MAX; threads += threads < 8 ? 1 : 8) {
		for (size_t i = 0; i < TD_ARRAY_SIZE(batches); i++)
			test_order(threads, batches[i]);
		test_failure(threads);
	}
	return td_check_result();
}
