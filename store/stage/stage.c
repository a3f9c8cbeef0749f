/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/tmpfile.h"
#include "common/pio.h"
#include "store/stage/stage_private.h"

/* A run is what was sorted at once: few enough that a run and what is made of it stay in the second-level
 * cache, so many that a hundred million rows are some thousand runs. */
#define RUN_RECORDS ((size_t)16384)

/* What the packed runs of all stages and the names beside them may take in memory; runs beyond go to the file. */
#define HELD_MAX ((size_t)144 << 20)
/* However many names there are. */
#define HELD_MIN ((size_t)8 << 20)

static atomic_size_t held, names;

void td_stage_leave_room(size_t bytes)
{
	atomic_store(&names, bytes);
}

static size_t held_max(void)
{
	return HELD_MAX - TD_MIN(atomic_load(&names), HELD_MAX - HELD_MIN);
}

static bool hold(size_t size)
{
	if (atomic_fetch_add(&held, size) + size <= held_max())
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
		.fd = -1,
	};
	pthread_mutex_init(&s->lock, NULL);
	td_run_writer_init(&s->filling, table);
	td_run_writer_init(&s->packing, table);
	*ret = s;
	return 0;
}

uint64_t td_stage_count(const struct td_stage *s)
{
	return s->count;
}

/* --- runs --- */

static int new_place(struct td_stage *s, size_t *ret)
{
	if (td_grow(&s->runs, &s->runs_cap, s->nruns) < 0)
		return -ENOMEM;
	s->runs[s->nruns] = (struct td_run){ 0 };
	*ret = s->nruns++;
	return 0;
}

/* Where in the file, which is made when it is needed first, so many bytes belong. 0 or -errno. */
static int take_room(struct td_stage *s, size_t size, uint64_t *ret_at)
{
	int r;

	pthread_mutex_lock(&s->lock);
	if (s->fd < 0)
		s->fd = td_tmpfile_open(s->path);
	r = TD_MIN(s->fd, 0);
	*ret_at = s->file_size;
	s->file_size += size;
	pthread_mutex_unlock(&s->lock);
	return r;
}

/* The run goes to the file: what it packed is there. */
static int write_run(struct td_stage *s, struct td_run *run, const uint8_t *packed)
{
	int r = take_room(s, run->size, &run->at);

	return r < 0 ? r : td_write_at(s->fd, packed, run->size, run->at);
}

/* Moves the run to the file. */
static int spill(struct td_stage *s, struct td_run *run)
{
	int r = write_run(s, run, run->packed);

	td_run_drop_packed(run);
	return r;
}

/* Keeps what was packed in memory. */
static int keep(struct td_stage *s, struct td_run *run, const uint8_t *packed)
{
	int r;

	pthread_mutex_lock(&s->lock);
	r = td_run_room(run, &s->slab);
	pthread_mutex_unlock(&s->lock);
	if (r >= 0)
		memcpy(run->packed, packed, run->size);
	return r;
}

int td_stage_pack(struct td_stage *s, struct td_run_writer *pk, struct td_run *ret)
{
	int r = td_run_writer_run(pk, ret);

	if (r < 0 || !ret->n)
		return r;
	/* what is for the file goes there at once: a copy would take new memory */
	if (atomic_load(&held) + ret->size <= held_max())
		r = keep(s, ret, pk->packed);
	else
		r = write_run(s, ret, pk->packed);
	if (r < 0)
		td_run_done(ret);
	return r;
}

/* Names that came since have taken the room of runs. */
static int spill_earlier(struct td_stage *s)
{
	int r = 0;

	for (; r >= 0 && s->nspilled < s->nruns && atomic_load(&held) > held_max(); s->nspilled++) {
		struct td_run *run = &s->runs[s->nspilled];

		if (!run->packed)
			continue;
		atomic_fetch_sub(&held, run->size);
		r = spill(s, run);
	}
	return r;
}

/* Takes over what the run knows of its calls. */
static void count_distinct(struct td_stage *s, struct td_run *run)
{
	if (!s->distinct) {
		s->distinct = TAKE_PTR(run->distinct);
		return;
	}
	for (unsigned i = 0; i < TD_NDISTINCT && run->distinct; i++)
		td_sketch_merge(&s->distinct[i], &run->distinct[i]);
	free(TAKE_PTR(run->distinct));
}

uint64_t td_stage_distinct(const struct td_stage *s, enum td_distinct what)
{
	return s->distinct ? td_sketch_count(&s->distinct[what]) : 0;
}

static int put(struct td_stage *s, size_t place, struct td_run *run)
{
	struct td_run *to = &s->runs[place];
	int r = 0;

	count_distinct(s, run);
	*to = *run;
	*run = (struct td_run){ 0 };
	if (to->packed && !hold(to->size))
		r = spill(s, to);
	if (r >= 0 && to->n && !to->packed)
		r = spill_earlier(s);
	if (r < 0)
		td_run_done(to);
	return r;
}

/* Waits for the run that is being made and adds it to the others; what came of it. */
static int collect(struct td_stage *s)
{
	if (!s->running)
		return 0;
	s->running = false;
	if (s->beside)
		(void)pthread_join(s->thread, NULL);
	return s->packed_r < 0 ? s->packed_r : put(s, s->packed_place, &s->packed);
}

static void *run_packer(void *arg)
{
	struct td_stage *s = arg;

	s->packed_r = td_stage_pack(s, &s->packing, &s->packed);
	return NULL;
}

/* Hands over the records that were added. */
static int pack(struct td_stage *s, bool beside)
{
	struct td_run_writer full = s->filling;
	int r = collect(s);

	if (r >= 0)
		r = new_place(s, &s->packed_place);
	if (r < 0)
		return r;
	s->filling = s->packing;
	s->packing = full;
	s->running = true;
	s->beside = beside && pthread_create(&s->thread, NULL, run_packer, s) == 0;
	if (!s->beside)
		(void)run_packer(s);
	return 0;
}

int td_stage_place(struct td_stage *s, size_t *ret)
{
	int r = s->filling.n ? pack(s, true) : 0;

	return r < 0 ? r : new_place(s, ret);
}

int td_stage_put(struct td_stage *s, size_t place, struct td_run *run)
{
	s->count += run->n;
	return put(s, place, run);
}

/* Closes up from a place on: what failed has left places without a run. */
static void drop_empty(struct td_stage *s, size_t from)
{
	size_t n = from;

	for (size_t i = from; i < s->nruns; i++)
		if (s->runs[i].n)
			s->runs[n++] = s->runs[i];
	s->nruns = s->nclosed = n;
	s->nspilled = TD_MIN(s->nspilled, from);
}

int td_stage_cut(struct td_stage *s)
{
	int r = s->filling.n ? pack(s, false) : 0;

	if (r >= 0)
		r = collect(s);
	drop_empty(s, s->nclosed);
	return r;
}

void td_stage_free_run(struct td_run *run)
{
	if (run->packed)
		atomic_fetch_sub(&held, run->size);
	td_run_done(run);
}

void td_stage_forget(struct td_stage *s, bool (*of)(void *ud, const void *record), void *ud)
{
	for (size_t i = 0; i < s->nruns; i++) {
		if (!of(ud, s->runs[i].first))
			continue;
		s->count -= s->runs[i].n;
		td_stage_free_run(&s->runs[i]);
		s->runs[i].n = 0;
	}
	drop_empty(s, 0);
}

void td_stage_drop(struct td_stage *s)
{
	(void)collect(s);
	td_run_done(&s->packed);
	for (size_t i = 0; i < s->nruns; i++)
		td_stage_free_run(&s->runs[i]);
	free(s->runs);
	s->runs = NULL;
	s->nruns = s->runs_cap = s->nspilled = s->nclosed = 0;
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	s->file_size = 0;
	td_run_slab_leave(TAKE_PTR(s->slab));
	td_run_writer_done(&s->filling);
	td_run_writer_done(&s->packing);
}

void td_stage_free(struct td_stage *s)
{
	if (!s)
		return;
	td_stage_drop(s);
	pthread_mutex_destroy(&s->lock);
	free(s->distinct);
	free(s);
}

int td_stage_add(struct td_stage *s, const void *record)
{
	s->count++;
	if (s->filling.n == RUN_RECORDS) {
		int r = pack(s, true);

		if (r < 0)
			return r;
	}
	return td_run_writer_add(&s->filling, record);
}
