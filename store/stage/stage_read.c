/* SPDX-License-Identifier: MIT */
/* Reading the runs back, merged. A run is open from when its first record is due to its last one. */
#include <pthread.h>

#include "common/cleanup.h"
#include "common/pio.h"
#include "schema/rows.h"
#include "store/stage/stage_private.h"

#define READ_BYTES ((size_t)16 << 10) /* of a run in the file */

/* An open run. */
struct reader {
	struct td_run *run; /* its place also orders equal times as they were added */
	struct td_shift shift;
	uint64_t record[TD_PACK_WORDS]; /* the current one, its time in UTC, ... */
	int64_t utc_ns; /* ... which is this, ... */
	int64_t native_ns; /* ... and before it was converted */
	size_t packed; /* records behind it */
	const uint8_t *p, *end; /* those, or of a run in the file as many bytes as buf holds */
	uint8_t *buf; /* owned; NULL: the run is in memory */
	size_t unread; /* bytes of the file behind them */
	bool ended; /* there is no current record */
};

/* A run that is not open yet. */
struct due {
	int64_t time; /* UTC, of its first record */
	struct td_run *run;
	struct td_shift shift;
};

struct td_stage_reader {
	const struct td_stage *s; /* borrowed */
	bool drop; /* runs that are over */
	struct due *due; /* in order; those before next are open, or were */
	size_t next;
	struct reader **heap; /* owned readers, the one whose record comes next first */
	size_t n;
};

static void reader_free(struct reader *rd)
{
	free(rd->buf);
	free(rd);
}

void td_stage_reader_close(struct td_stage_reader *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n; i++)
		reader_free(m->heap[i]);
	free(m->heap);
	free(m->due);
	free(m);
}

/* --- one run --- */

/* Moves what is left to the front of the buffer and reads more behind it. */
static int refill(const struct td_stage_reader *m, struct reader *rd)
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

/* How many of the next records are there to be unpacked, 0 if there are none, or -errno. */
static ssize_t available(const struct td_stage_reader *m, struct reader *rd)
{
	int r;

	if (rd->unread && (size_t)(rd->end - rd->p) < TD_PACK_MAX) {
		r = refill(m, rd);
		if (r < 0)
			return r;
	}
	if (!rd->unread)
		return (ssize_t)rd->packed;
	return (rd->end - rd->p) / (ssize_t)TD_PACK_MAX;
}

/* Unpacks the records behind the one at record, one behind the other and at most n, until one comes after
 * last_ns, which becomes the current one. How many do not. */
static inline size_t unpack_as(const struct td_pack *f, struct reader *rd, char *record, size_t n,
			       int64_t last_ns)
{
	const struct td_shift shift = rd->shift;
	const uint8_t *p = rd->p;
	int64_t native_ns = rd->native_ns, utc_ns = rd->utc_ns;
	size_t i;

	for (i = 0; i < n; i++, record += f->size) {
		p = td_pack_get(f, record, &native_ns, p, record + f->size);
		utc_ns = td_shift_to_utc(&shift, native_ns);
		memcpy(record + f->size + f->time * sizeof(utc_ns), &utc_ns, sizeof(utc_ns));
		if (utc_ns > last_ns)
			break;
	}
	if (i < n)
		memcpy(rd->record, record + f->size, f->size);
	rd->p = p;
	rd->native_ns = native_ns;
	rd->utc_ns = utc_ns;
	rd->packed -= i + (i < n);
	return i;
}

/* Most rows are calls: with their form known when this is compiled they take half the instructions. */
static size_t unpack(const struct td_pack *f, struct reader *rd, char *record, size_t n,
		     int64_t last_ns)
{
	const struct td_pack call = TD_PACK_CALL;

	if (f->of_calls)
		return unpack_as(&call, rd, record, n, last_ns);
	return unpack_as(f, rd, record, n, last_ns);
}

/* Unpacks one record, which becomes the current one. 1, 0 if there is none, -errno. */
static int next(const struct td_stage_reader *m, struct reader *rd)
{
	const struct td_pack *f = &m->s->pack;
	ssize_t r = available(m, rd);

	if (r <= 0)
		return (int)r;
	rd->p = td_pack_get(f, rd->record, &rd->native_ns, rd->p, rd->record);
	rd->utc_ns = td_shift_to_utc(&rd->shift, rd->native_ns);
	memcpy(&rd->record[f->time], &rd->utc_ns, sizeof(rd->utc_ns));
	rd->packed--;
	return 1;
}

static int start_reader(const struct td_stage_reader *m, struct reader *rd, const struct due *due)
{
	struct td_run *run = due->run;
	int r;

	rd->run = run;
	rd->shift = due->shift;
	rd->packed = run->n;
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
	r = next(m, rd);
	return r < 0 ? r : 0;
}

/* --- all runs --- */

static bool before(const struct reader *a, const struct reader *b)
{
	return a->utc_ns < b->utc_ns || (a->utc_ns == b->utc_ns && a->run < b->run);
}

static void sift_down(struct td_stage_reader *m, size_t i)
{
	for (;;) {
		size_t least = i, left = 2 * i + 1, right = left + 1;
		struct reader *t;

		if (left < m->n && before(m->heap[left], m->heap[least]))
			least = left;
		if (right < m->n && before(m->heap[right], m->heap[least]))
			least = right;
		if (least == i)
			return;
		t = m->heap[i];
		m->heap[i] = m->heap[least];
		m->heap[least] = t;
		i = least;
	}
}

static void sift_up(struct td_stage_reader *m, size_t i)
{
	for (size_t up; i > 0 && before(m->heap[i], m->heap[up = (i - 1) / 2]); i = up) {
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

static int list_runs(struct td_stage_reader *m,
		     const struct td_shift *(*shift_of)(void *ud, const void *record), void *ud)
{
	const struct td_stage *s = m->s;

	m->due = calloc(s->nruns + 1, sizeof(*m->due));
	m->heap = calloc(s->nruns + 1, sizeof(struct reader *));
	if (!m->due || !m->heap)
		return -ENOMEM;
	for (size_t i = 0; i < s->nruns; i++) {
		struct td_run *run = &s->runs[i];
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

static int open_next(struct td_stage_reader *m)
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
static bool is_due(const struct td_stage_reader *m)
{
	const struct due *due = &m->due[m->next];
	int64_t t;

	if (m->next == m->s->nruns || m->n == 0)
		return m->next < m->s->nruns;
	t = m->heap[0]->utc_ns;
	return due->time < t || (due->time == t && due->run < m->heap[0]->run);
}

/* The last time at which a record of the run comes before one of the other run at that time. */
static int64_t until(const struct td_run *run, int64_t time, const struct td_run *other)
{
	return run < other ? time : time - 1;
}

/* Up to which time the reader on top can go on alone. */
static int64_t alone_until(const struct td_stage_reader *m)
{
	const struct td_run *run = m->heap[0]->run;
	int64_t t = INT64_MAX;

	for (size_t i = 1; i < TD_MIN(m->n, (size_t)3); i++)
		t = TD_MIN(t, until(run, m->heap[i]->utc_ns, m->heap[i]->run));
	if (m->next < m->s->nruns)
		t = TD_MIN(t, until(run, m->due[m->next].time, m->due[m->next].run));
	return t;
}

/* Gives the records of the reader on top as long as they come first, at most n: how many, or -errno. */
static ssize_t give(struct td_stage_reader *m, char *records, size_t n)
{
	struct reader *rd = m->heap[0];
	int64_t last_ns = alone_until(m);
	size_t size = m->s->pack.size, given = 1;
	char *last = memcpy(records, rd->record, size);
	ssize_t r = 0;

	while (given < n && (r = available(m, rd)) > 0) {
		size_t most = TD_MIN((size_t)r, n - given);
		size_t some = unpack(&m->s->pack, rd, last, most, last_ns);

		given += some;
		last += some * size;
		if (some < most)
			return (ssize_t)given;
	}
	if (given == n) {
		memcpy(rd->record, last, size);
		r = next(m, rd);
	}
	rd->ended = r == 0;
	return r < 0 ? r : (ssize_t)given;
}

int td_stage_reader_open(struct td_stage *s, bool drop,
			 const struct td_shift *(*shift_of)(void *ud, const void *record), void *ud,
			 struct td_stage_reader **ret)
{
	_cleanup_(td_stage_reader_closep) struct td_stage_reader *m = calloc(1, sizeof(*m));
	int r;

	if (!m)
		return -ENOMEM;
	m->s = s;
	m->drop = drop;
	r = td_stage_cut(s);
	if (r >= 0)
		r = list_runs(m, shift_of, ud);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(m);
	return 0;
}

ssize_t td_stage_reader_next(struct td_stage_reader *m, void *records, size_t n)
{
	size_t given = 0;

	while (given < n && (m->n || m->next < m->s->nruns)) {
		ssize_t r;

		if (is_due(m)) {
			r = open_next(m);
			if (r < 0)
				return r;
			continue;
		}
		r = give(m, (char *)records + given * m->s->pack.size, n - given);
		if (r < 0)
			return r;
		given += (size_t)r;
		if (m->heap[0]->ended) {
			if (m->drop)
				td_stage_free_run(m->heap[0]->run);
			reader_free(m->heap[0]);
			m->heap[0] = m->heap[--m->n];
		}
		sift_down(m, 0);
	}
	return (ssize_t)given;
}
