/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/tmpfile.h"
#include "common/whole.h"
#include "schema/stage_private.h"

/* A run is what was sorted at once: few enough that a run and what is made of it stay in the second-level
 * cache, so many that a hundred million rows are some thousand runs. */
#define RUN_RECORDS ((size_t)16384)

#define DIGIT_BITS 11

/* What the packed runs of all stages may take in memory; those beyond go to the file. */
#define HELD_MAX ((size_t)96 << 20)

static atomic_size_t held;

static bool hold(size_t size)
{
	if (atomic_fetch_add(&held, size) + size <= HELD_MAX)
		return true;
	atomic_fetch_sub(&held, size);
	return false;
}

int td_stage_new(const struct td_table *table, const char *path, struct td_stage **ret)
{
	struct td_stage *s = malloc(sizeof(*s));

	if (!s)
		return -ENOMEM;
	*s = (struct td_stage){
		.table = table,
		.pack = td_pack_of(table),
		.path = path,
		.records.sorted = true,
		.last = INT64_MIN,
		.packer.fd = -1,
	};
	*ret = s;
	return 0;
}

uint64_t td_stage_count(const struct td_stage *s)
{
	return s->count;
}

/* --- sorting --- */

/* Moves the keys to to, in order of that digit of their times, those with equal digits as they stand. */
static void sort_by_digit(const struct td_key *keys, struct td_key *to, size_t n, unsigned shift)
{
	uint32_t at[1 << DIGIT_BITS] = { 0 }, sum = 0;
	const uint64_t mask = TD_ARRAY_SIZE(at) - 1;

	for (size_t i = 0; i < n; i++)
		at[keys[i].time >> shift & mask]++;
	for (size_t d = 0; d < TD_ARRAY_SIZE(at); d++) {
		uint32_t count = at[d];

		at[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[keys[i].time >> shift & mask]++] = keys[i];
}

/* The records' order by time; those of equal time stay as they are. Least significant digit first: a run
 * spans seconds, which is three digits. */
static const struct td_key *order(struct td_packer *pk, const struct td_table *table)
{
	const struct td_records *rec = &pk->records;
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (size_t i = 0; i < rec->n; i++) {
		int64_t t = td_stage_time(table, rec->p + i * table->record_size);

		pk->keys[i] = (struct td_key){ (uint64_t)t, (uint32_t)i };
		first = TD_MIN(first, t);
		last = TD_MAX(last, t);
	}
	if (rec->sorted)
		return pk->keys;
	for (size_t i = 0; i < rec->n; i++)
		pk->keys[i].time -= (uint64_t)first;
	for (unsigned shift = 0; shift < 64 && ((uint64_t)last - (uint64_t)first) >> shift;
	     shift += DIGIT_BITS) {
		struct td_key *sorted = pk->spare;

		sort_by_digit(pk->keys, sorted, rec->n, shift);
		pk->spare = pk->keys;
		pk->keys = sorted;
	}
	return pk->keys;
}

/* --- runs --- */

static int make_room_to_pack(struct td_packer *pk, const struct td_pack *f)
{
	size_t n = pk->records.cap;

	if (n <= pk->cap)
		return 0;
	free(pk->keys);
	free(pk->spare);
	free(pk->packed);
	pk->cap = 0;
	pk->keys = malloc(n * sizeof(*pk->keys));
	pk->spare = malloc(n * sizeof(*pk->spare));
	pk->packed = malloc(td_pack_max(f, n));
	if (!pk->keys || !pk->spare || !pk->packed)
		return -ENOMEM;
	pk->cap = n;
	return 0;
}

/* Sorts the records and packs them; returns the size. */
static size_t pack_records(struct td_packer *pk, const struct td_stage *s)
{
	const struct td_key *key = order(pk, s->table);
	uint64_t last[TD_PACK_WORDS] = { 0 };
	uint8_t *p = pk->packed;

	memcpy(pk->run.first, pk->records.p + key[0].at * s->pack.size, s->pack.size);
	for (size_t i = 0; i < pk->records.n; i++)
		p = td_pack_put(&s->pack, last, pk->records.p + key[i].at * s->pack.size, p);
	return (size_t)(p - pk->packed);
}

/* Keeps what was packed, in memory or in the file. */
static int keep_run(struct td_packer *pk, const char *path)
{
	struct td_run *run = &pk->run;
	int r;

	if (hold(run->size)) {
		run->packed = malloc(run->size + TD_PACK_SPARE);
		if (!run->packed) {
			atomic_fetch_sub(&held, run->size);
			return -ENOMEM;
		}
		memcpy(run->packed, pk->packed, run->size);
		return 0;
	}
	if (pk->fd < 0)
		pk->fd = td_tmpfile_open(path);
	if (pk->fd < 0)
		return pk->fd;
	run->at = pk->file_size;
	r = td_write_at(pk->fd, pk->packed, run->size, run->at);
	pk->file_size += run->size;
	return r;
}

/* Makes a run of pk->records. */
static int make_run(struct td_packer *pk, const struct td_stage *s)
{
	int r;

	pk->run = (struct td_run){ .n = pk->records.n, .first = malloc(s->pack.size) };
	if (!pk->run.first)
		return -ENOMEM;
	r = make_room_to_pack(pk, &s->pack);
	if (r < 0)
		return r;
	pk->run.size = pack_records(pk, s);
	return keep_run(pk, s->path);
}

static void *run_packer(void *arg)
{
	struct td_stage *s = arg;

	s->packer.r = make_run(&s->packer, s);
	return NULL;
}

static void run_done(struct td_run *run)
{
	if (run->packed)
		atomic_fetch_sub(&held, run->size);
	free(run->packed);
	free(run->first);
}

/* Waits for the run that is being made and adds it to the others; what came of it. */
static int collect_run(struct td_stage *s)
{
	struct td_packer *pk = &s->packer;

	if (pk->running)
		(void)pthread_join(pk->thread, NULL);
	pk->running = false;
	if (pk->r >= 0 && pk->records.n)
		pk->r = td_grow(&s->runs, &s->runs_cap, s->nruns);
	if (pk->r < 0 || !pk->records.n)
		return pk->r;
	s->runs[s->nruns++] = pk->run;
	pk->run = (struct td_run){ 0 };
	pk->records.n = 0;
	return 0;
}

/* Hands the records over to the packer. beside: to its thread. */
static int pack(struct td_stage *s, bool beside)
{
	struct td_records full = s->records;
	int r = collect_run(s);

	if (r < 0)
		return r;
	s->records = s->packer.records;
	s->records.sorted = true;
	s->last = INT64_MIN;
	s->packer.records = full;
	s->packer.running = beside && pthread_create(&s->packer.thread, NULL, run_packer, s) == 0;
	if (!s->packer.running)
		(void)run_packer(s);
	return 0;
}

int td_stage_cut(struct td_stage *s)
{
	int r = s->records.n ? pack(s, false) : 0;

	return r < 0 ? r : collect_run(s);
}

void td_stage_drop(struct td_stage *s)
{
	struct td_packer *pk = &s->packer;

	(void)collect_run(s);
	run_done(&pk->run);
	for (size_t i = 0; i < s->nruns; i++)
		run_done(&s->runs[i]);
	if (pk->fd >= 0)
		close(pk->fd);
	free(pk->records.p);
	free(pk->keys);
	free(pk->spare);
	free(pk->packed);
	*pk = (struct td_packer){ .fd = -1 };
	free(s->records.p);
	s->records = (struct td_records){ .sorted = true };
	free(s->runs);
	s->runs = NULL;
	s->nruns = s->runs_cap = 0;
}

void td_stage_free(struct td_stage *s)
{
	if (!s)
		return;
	td_stage_drop(s);
	free(s);
}

/* --- adding --- */

/* Makes room for a record more. */
static int make_room(struct td_stage *s)
{
	struct td_records *rec = &s->records;
	size_t cap = rec->cap ? TD_MIN(rec->cap * 4, RUN_RECORDS) : 256;
	char *p;
	int r;

	if (rec->n == RUN_RECORDS) {
		r = pack(s, true);
		if (r < 0 || rec->cap)
			return r;
		cap = RUN_RECORDS;
	}
	p = realloc(rec->p, cap * s->pack.size);
	if (!p)
		return -ENOMEM;
	rec->p = p;
	rec->cap = cap;
	return 0;
}

int td_stage_add(struct td_stage *s, const void *record)
{
	struct td_records *rec = &s->records;
	int64_t t = td_stage_time(s->table, record);
	int r;

	if (rec->n == rec->cap) {
		r = make_room(s);
		if (r < 0)
			return r;
	}
	if (t < s->last)
		rec->sorted = false;
	s->last = t;
	memcpy(rec->p + rec->n * s->pack.size, record, s->pack.size);
	rec->n++;
	s->count++;
	return 0;
}
