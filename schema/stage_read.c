/* SPDX-License-Identifier: MIT */
/* Reading the runs back, merged. A run is open from when its first record is due to its last one. */
#include <pthread.h>

#include "common/cleanup.h"
#include "common/whole.h"
#include "schema/stage_private.h"

#define BATCH ((size_t)64) /* records unpacked at once */
#define READ_BYTES ((size_t)16 << 10) /* of a run in the file */

/* An open run. */
struct reader {
	const struct td_run *run; /* its place also orders equal times as they were added */
	struct td_shift shift;
	uint64_t last[TD_PACK_WORDS]; /* the record that was unpacked last */
	size_t packed; /* records not unpacked yet */
	const uint8_t *p, *end; /* those, or of a run in the file as many bytes as buf holds */
	uint8_t *buf; /* owned; NULL: the run is in memory */
	size_t unread; /* bytes of the file behind them */
	char *batch; /* owned; unpacked */
	char *record; /* the current one, in batch */
	char *batch_end;
};

/* A run that is not open yet. */
struct due {
	int64_t time; /* UTC, of its first record */
	const struct td_run *run;
	struct td_shift shift;
};

struct merge {
	const struct td_stage *s;
	struct due *due; /* in order; those before next are open, or were */
	size_t next;
	struct reader **heap; /* owned readers, the one whose record comes next first */
	size_t n;
};

static void reader_free(struct reader *rd)
{
	free(rd->buf);
	free(rd->batch);
	free(rd);
}

static void merge_done(struct merge *m)
{
	for (size_t i = 0; i < m->n; i++)
		reader_free(m->heap[i]);
	free(m->heap);
	free(m->due);
}

/* --- one run --- */

/* Moves what is left to the front of the buffer and reads more behind it. */
static int refill(const struct merge *m, struct reader *rd)
{
	size_t left = (size_t)(rd->end - rd->p), size = TD_MIN(READ_BYTES - left, rd->unread);
	uint64_t at = rd->run->at + rd->run->size - rd->unread;
	int r;

	memmove(rd->buf, rd->p, left);
	r = td_read_at(m->s->fd, rd->buf + left, size, at);
	if (r < 0)
		return r;
	rd->unread -= size;
	rd->p = rd->buf;
	rd->end = rd->buf + left + size;
	return 0;
}

/* Unpacks the next records and converts their times: 1, 0 if there are none, -errno. */
static int next_batch(const struct merge *m, struct reader *rd)
{
	const struct td_pack *f = &m->s->pack;
	size_t n = TD_MIN(rd->packed, BATCH);
	int r;

	if (n == 0)
		return 0;
	if (rd->unread && (size_t)(rd->end - rd->p) < td_pack_max(f, n)) {
		r = refill(m, rd);
		if (r < 0)
			return r;
	}
	rd->record = rd->batch_end = rd->batch;
	for (size_t i = 0; i < n; i++, rd->batch_end += f->size) {
		int64_t utc_ns;

		rd->p = td_pack_get(f, rd->last, rd->p, rd->batch_end);
		utc_ns = td_shift_to_utc(&rd->shift, (int64_t)rd->last[f->time]);
		memcpy(rd->batch_end + m->s->table->time_offset, &utc_ns, sizeof(utc_ns));
	}
	rd->packed -= n;
	return 1;
}

static int start_reader(const struct merge *m, struct reader *rd, const struct due *due)
{
	const struct td_run *run = due->run;
	int r;

	rd->run = run;
	rd->shift = due->shift;
	rd->packed = run->n;
	rd->batch = malloc(TD_MIN(run->n, BATCH) * m->s->pack.size);
	if (!rd->batch)
		return -ENOMEM;
	if (run->packed) {
		rd->p = run->packed;
		rd->end = run->packed + run->size;
	} else {
		rd->buf = malloc(READ_BYTES + TD_PACK_SPARE);
		if (!rd->buf)
			return -ENOMEM;
		rd->p = rd->end = rd->buf;
		rd->unread = run->size;
	}
	r = next_batch(m, rd);
	return r < 0 ? r : 0;
}

/* --- all runs --- */

static int64_t time_of(const struct merge *m, const struct reader *rd)
{
	return td_record_time(m->s->table, rd->record);
}

static bool before(const struct merge *m, const struct reader *a, const struct reader *b)
{
	int64_t ta = time_of(m, a), tb = time_of(m, b);

	return ta < tb || (ta == tb && a->run < b->run);
}

static void sift_down(struct merge *m, size_t i)
{
	for (;;) {
		size_t least = i, left = 2 * i + 1, right = left + 1;
		struct reader *t;

		if (left < m->n && before(m, m->heap[left], m->heap[least]))
			least = left;
		if (right < m->n && before(m, m->heap[right], m->heap[least]))
			least = right;
		if (least == i)
			return;
		t = m->heap[i];
		m->heap[i] = m->heap[least];
		m->heap[least] = t;
		i = least;
	}
}

static void sift_up(struct merge *m, size_t i)
{
	for (size_t up; i > 0 && before(m, m->heap[i], m->heap[up = (i - 1) / 2]); i = up) {
		struct reader *t = m->heap[i];

		m->heap[i] = m->heap[up];
		m->heap[up] = t;
	}
}

static int by_time(const void *a, const void *b)
{
	const struct due *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->run > y->run) - (x->run < y->run);
}

static int list_runs(struct merge *m,
		     const struct td_shift *(*shift_of)(void *ud, const void *record), void *ud)
{
	const struct td_stage *s = m->s;

	m->due = calloc(s->nruns + 1, sizeof(*m->due));
	m->heap = calloc(s->nruns + 1, sizeof(struct reader *));
	if (!m->due || !m->heap)
		return -ENOMEM;
	for (size_t i = 0; i < s->nruns; i++) {
		const struct td_run *run = &s->runs[i];
		const struct td_shift *shift = shift_of(ud, run->first);

		m->due[i] = (struct due){
			.time = td_shift_to_utc(shift, td_record_time(s->table, run->first)),
			.run = run,
			.shift = *shift,
		};
	}
	qsort(m->due, s->nruns, sizeof(*m->due), by_time);
	return 0;
}

static int open_next(struct merge *m)
{
	struct reader *rd = calloc(1, sizeof(*rd));
	int r;

	if (!rd)
		return -ENOMEM;
	r = start_reader(m, rd, &m->due[m->next++]);
	if (r < 0) {
		reader_free(rd);
		return r;
	}
	m->heap[m->n++] = rd;
	sift_up(m, m->n - 1);
	return 0;
}

/* Is the next run to be opened before the record on top of the heap is given? */
static bool is_due(const struct merge *m)
{
	const struct due *due = &m->due[m->next];
	int64_t t;

	if (m->next == m->s->nruns || m->n == 0)
		return m->next < m->s->nruns;
	t = time_of(m, m->heap[0]);
	return due->time < t || (due->time == t && due->run < m->heap[0]->run);
}

/* The last time at which a record of the run comes before one of the other run at that time. */
static int64_t until(const struct td_run *run, int64_t time, const struct td_run *other)
{
	return run < other ? time : time - 1;
}

/* Up to which time the reader on top can go on alone. */
static int64_t alone_until(const struct merge *m)
{
	const struct td_run *run = m->heap[0]->run;
	int64_t t = INT64_MAX;

	for (size_t i = 1; i < TD_MIN(m->n, (size_t)3); i++)
		t = TD_MIN(t, until(run, time_of(m, m->heap[i]), m->heap[i]->run));
	if (m->next < m->s->nruns)
		t = TD_MIN(t, until(run, m->due[m->next].time, m->due[m->next].run));
	return t;
}

/* Gives the records of the reader on top as long as they come first. 1, 0: it has no more, -errno. */
static int give(struct merge *m, int (*visit)(void *ud, void *record), void *ud)
{
	struct reader *rd = m->heap[0];
	int64_t last = alone_until(m);
	int r = 1;

	while (r > 0 && time_of(m, rd) <= last) {
		r = visit(ud, rd->record);
		if (r < 0)
			return r;
		rd->record += m->s->pack.size;
		r = rd->record < rd->batch_end ? 1 : next_batch(m, rd);
	}
	return r;
}

int td_stage_read(struct td_stage *s,
		  const struct td_shift *(*shift_of)(void *ud, const void *record),
		  int (*visit)(void *ud, void *record), void *ud)
{
	_cleanup_(merge_done) struct merge m = { .s = s };
	int r;

	r = td_stage_cut(s);
	if (r >= 0)
		r = list_runs(&m, shift_of, ud);
	while (r >= 0 && (m.n || m.next < s->nruns)) {
		if (is_due(&m)) {
			r = open_next(&m);
			continue;
		}
		r = give(&m, visit, ud);
		if (r == 0) {
			reader_free(m.heap[0]);
			m.heap[0] = m.heap[--m.n];
		}
		sift_down(&m, 0);
	}
	return r < 0 ? r : 0;
}
