/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <pthread.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/tmpfile.h"
#include "schema/stage.h"

/* A run is what was sorted at once. 16 MiB keeps the merge of a 10-million-row import under fifty
 * runs and the memory of all stages together well under the 256 MiB that an import may take. */
#define RUN_BYTES (16u << 20)
#define READ_BYTES (128u << 10) /* per run while merging */

/* A sorted sequence of records of one source. */
struct run {
	size_t start; /* byte offset, in the file or in the buffer */
	size_t n; /* records */
	bool in_file;
};

/* A full buffer on its way to the file: sorted and written by a thread of its own while the next one
 * fills. */
struct spill {
	const struct td_table *table; /* borrowed */
	char *buf; /* owned; reused for the buffer after next */
	size_t from, n; /* records from..n are to be sorted */
	bool sorted; /* they are in order as they stand */
	int fd; /* borrowed */
	off_t at; /* where in the file */
	pthread_t thread;
	bool running;
	int r; /* what came of it */
};

struct td_stage {
	const struct td_table *table;
	const char *path; /* borrowed */
	int fd; /* -1 until something was spilled */
	struct spill spill;
	char *buf; /* cap records */
	size_t n, cap;
	size_t from; /* first record in buf that belongs to no run yet */
	bool sorted; /* those from there on are in order as they stand */
	int64_t last; /* time of the record added last */
	size_t size; /* of the temporary file */
	struct run *runs;
	size_t nruns, runs_cap;
	uint64_t count;
};

int td_stage_new(const struct td_table *table, const char *path, struct td_stage **ret)
{
	struct td_stage *s = malloc(sizeof(*s));

	if (!s)
		return -ENOMEM;
	*s = (struct td_stage){
		.table = table,
		.path = path,
		.fd = -1,
		.sorted = true,
		.last = INT64_MIN,
	};
	*ret = s;
	return 0;
}

uint64_t td_stage_count(const struct td_stage *s)
{
	return s->count;
}

static int64_t time_of(const struct td_table *table, const void *record)
{
	int64_t t;

	memcpy(&t, (const char *)record + table->time_offset, sizeof(t));
	return t;
}

struct key {
	uint64_t time; /* unsigned, so that the radix sort orders it */
	uint32_t at; /* record */
};

/* Least significant digit first over the bytes in which the keys differ: stable, and for a run that
 * spans seconds only four or five passes are left. Returns the array that holds the result. */
static struct key *radix_sort(struct key *a, struct key *b, size_t n, uint64_t differing)
{
	for (unsigned shift = 0; shift < 64; shift += 8) {
		size_t at[256] = { 0 }, sum = 0;
		struct key *t;

		if (!(differing >> shift & 0xff))
			continue;
		for (size_t i = 0; i < n; i++)
			at[a[i].time >> shift & 0xff]++;
		for (size_t d = 0; d < 256; d++) {
			size_t c = at[d];

			at[d] = sum;
			sum += c;
		}
		for (size_t i = 0; i < n; i++)
			b[at[a[i].time >> shift & 0xff]++] = a[i];
		t = a;
		a = b;
		b = t;
	}
	return a;
}

/* Sorts n records by time. */
static int sort_records(const struct td_table *table, char *records, size_t n)
{
	size_t size = table->record_size;
	_cleanup_free_ struct key *a = malloc(n * sizeof(*a));
	_cleanup_free_ struct key *b = malloc(n * sizeof(*b));
	_cleanup_free_ char *out = malloc(n * size);
	const struct key *order;
	uint64_t differing = 0;

	if (!a || !b || !out)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		a[i].time = (uint64_t)time_of(table, records + i * size) ^ (UINT64_C(1) << 63);
		a[i].at = (uint32_t)i;
		differing |= a[i].time ^ a[0].time;
	}
	order = radix_sort(a, b, n, differing);
	for (size_t i = 0; i < n; i++)
		memcpy(out + i * size, records + order[i].at * size, size);
	memcpy(records, out, n * size);
	return 0;
}

/* The records that belong to no run yet become one. */
static int add_run(struct td_stage *s)
{
	int r = td_grow(&s->runs, &s->runs_cap, s->nruns);

	if (r < 0)
		return r;
	s->runs[s->nruns++] = (struct run){
		.start = s->from * s->table->record_size,
		.n = s->n - s->from,
	};
	s->from = s->n;
	s->sorted = true;
	s->last = INT64_MIN;
	return 0;
}

int td_stage_cut(struct td_stage *s)
{
	size_t size = s->table->record_size;
	int r;

	if (s->n == s->from)
		return 0;
	if (!s->sorted) {
		r = sort_records(s->table, s->buf + s->from * size, s->n - s->from);
		if (r < 0)
			return r;
	}
	return add_run(s);
}

static int write_all(int fd, const char *p, size_t len, off_t at)
{
	while (len) {
		ssize_t n = pwrite(fd, p, len, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

static void *run_spill(void *arg)
{
	struct spill *sp = arg;
	size_t size = sp->table->record_size;

	sp->r = sp->sorted ? 0
			   : sort_records(sp->table, sp->buf + sp->from * size, sp->n - sp->from);
	if (sp->r == 0)
		sp->r = write_all(sp->fd, sp->buf, sp->n * size, sp->at);
	return NULL;
}

/* Waits until the buffer before is written; what that came to. */
static int wait_for_spill(struct td_stage *s)
{
	if (s->spill.running)
		(void)pthread_join(s->spill.thread, NULL);
	s->spill.running = false;
	return s->spill.r;
}

/* Sends the full buffer to the file, in the background, and begins a new one. */
static int spill(struct td_stage *s)
{
	size_t bytes = s->n * s->table->record_size;
	char *spare;
	int r;

	r = wait_for_spill(s);
	if (r >= 0 && s->fd < 0)
		r = s->fd = td_tmpfile_open(s->path);
	if (r < 0)
		return r;
	spare = s->spill.buf ? s->spill.buf : malloc(s->cap * s->table->record_size);
	if (!spare)
		return -ENOMEM;
	s->spill = (struct spill){
		.table = s->table,
		.buf = s->buf,
		.from = s->from,
		.n = s->n,
		.sorted = s->sorted,
		.fd = s->fd,
		.at = (off_t)s->size,
	};
	s->buf = spare;
	if (s->from < s->n) {
		r = add_run(s);
		if (r < 0)
			return r;
	}
	for (size_t i = s->nruns; i-- > 0 && !s->runs[i].in_file;) {
		s->runs[i].start += s->size;
		s->runs[i].in_file = true;
	}
	s->size += bytes;
	s->n = s->from = 0;
	s->spill.running = pthread_create(&s->spill.thread, NULL, run_spill, &s->spill) == 0;
	if (!s->spill.running)
		(void)run_spill(&s->spill);
	return 0;
}

void td_stage_free(struct td_stage *s)
{
	if (!s)
		return;
	(void)wait_for_spill(s);
	free(s->spill.buf);
	if (s->fd >= 0)
		close(s->fd);
	free(s->buf);
	free(s->runs);
	free(s);
}

/* More room in the buffer: grow it, or spill it when it is as large as a run may be. */
static int make_room(struct td_stage *s)
{
	size_t size = s->table->record_size, most = RUN_BYTES / size;
	size_t cap = s->cap ? TD_MIN(s->cap * 4, most) : 256;
	char *buf;

	if (s->cap == most)
		return spill(s);
	buf = realloc(s->buf, cap * size);
	if (!buf)
		return -ENOMEM;
	s->buf = buf;
	s->cap = cap;
	return 0;
}

int td_stage_add(struct td_stage *s, const void *record)
{
	int64_t t = time_of(s->table, record);
	int r;

	if (s->n == s->cap) {
		r = make_room(s);
		if (r < 0)
			return r;
	}
	if (t < s->last)
		s->sorted = false;
	s->last = t;
	memcpy(s->buf + s->n * s->table->record_size, record, s->table->record_size);
	s->n++;
	s->count++;
	return 0;
}

/* --- reading back --- */

/* Reads one run. */
struct reader {
	const struct run *run; /* its place also orders equal times as they were added */
	size_t next; /* record of the run that the buffer does not hold yet */
	char *buf; /* owned */
	size_t buf_n, buf_i; /* records in it, and how many of them are used up */
	int64_t time; /* UTC time of the current record */
	char *record; /* current one, in buf */
};

struct merge {
	struct td_stage *s;
	const struct td_shift *(*shift_of)(void *ud, const void *record);
	void *ud;
	struct reader *readers;
	struct reader **heap;
	size_t n;
};

static void merge_done(struct merge *m)
{
	if (m->readers)
		for (size_t i = 0; i < m->s->nruns; i++)
			free(m->readers[i].buf);
	free(m->readers);
	free(m->heap);
}

static int read_at(int fd, char *p, size_t len, size_t at)
{
	while (len) {
		ssize_t n = pread(fd, p, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		p += n;
		at += (size_t)n;
		len -= (size_t)n;
	}
	return 0;
}

static int refill(struct merge *m, struct reader *rd)
{
	size_t size = m->s->table->record_size;
	size_t n = TD_MIN(READ_BYTES / size, rd->run->n - rd->next);
	size_t at = rd->run->start + rd->next * size;
	int r;

	if (!rd->buf)
		rd->buf = malloc(n * size);
	if (!rd->buf)
		return -ENOMEM;
	if (rd->run->in_file) {
		r = read_at(m->s->fd, rd->buf, n * size, at);
		if (r < 0)
			return r;
	} else {
		memcpy(rd->buf, m->s->buf + at, n * size);
	}
	rd->next += n;
	rd->buf_n = n;
	rd->buf_i = 0;
	return 0;
}

/* Steps to the next record: 1, 0 at the end, or -errno. */
static int advance(struct merge *m, struct reader *rd)
{
	if (rd->buf_i == rd->buf_n) {
		int r;

		if (rd->next == rd->run->n)
			return 0;
		r = refill(m, rd);
		if (r < 0)
			return r;
	}
	rd->record = rd->buf + rd->buf_i++ * m->s->table->record_size;
	rd->time =
		td_shift_to_utc(m->shift_of(m->ud, rd->record), time_of(m->s->table, rd->record));
	return 1;
}

static bool before(const struct reader *a, const struct reader *b)
{
	return a->time < b->time || (a->time == b->time && a->run < b->run);
}

static void sift_down(struct merge *m, size_t i)
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

static int open_readers(struct merge *m)
{
	size_t n = m->s->nruns;

	m->readers = calloc(n, sizeof(*m->readers));
	m->heap = calloc(n, sizeof(struct reader *));
	if (n && (!m->readers || !m->heap))
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct reader *rd = &m->readers[i];
		int r;

		rd->run = &m->s->runs[i];
		r = advance(m, rd);
		if (r < 0)
			return r;
		m->heap[m->n++] = rd; /* runs are not empty */
	}
	for (size_t i = m->n; i-- > 0;)
		sift_down(m, i);
	return 0;
}

int td_stage_read(struct td_stage *s,
		  const struct td_shift *(*shift_of)(void *ud, const void *record),
		  int (*visit)(void *ud, void *record), void *ud)
{
	_cleanup_(merge_done) struct merge m = { .s = s, .shift_of = shift_of, .ud = ud };
	int r;

	r = td_stage_cut(s);
	if (r >= 0)
		r = wait_for_spill(s);
	if (r < 0)
		return r;
	r = open_readers(&m);
	if (r < 0)
		return r;
	while (m.n) {
		struct reader *top = m.heap[0];

		assert(top->record);
		memcpy(top->record + s->table->time_offset, &top->time, sizeof(top->time));
		r = visit(ud, top->record);
		if (r < 0)
			return r;
		r = advance(&m, top);
		if (r < 0)
			return r;
		if (r == 0)
			m.heap[0] = m.heap[--m.n];
		sift_down(&m, 0);
	}
	return 0;
}
