/* SPDX-License-Identifier: MIT */
#include <pthread.h>

#include "store/write/row_steps.h"

/* A place for batches. */
struct place {
	struct td_row_batch batch;
	struct td_btree_cells cells;
	unsigned begun, done; /* steps, 1 << their index */
};

struct td_row_steps {
	struct td_row_work work;
	unsigned every; /* step: all bits of place.done */
	struct place *places; /* a batch is in that of its number % nplaces */
	size_t nplaces;
	size_t filled; /* batches that are to be worked on, ... */
	size_t finished; /* ... of which so many, the first ones, are done */
	size_t next[TD_ROW_STEPS_MAX]; /* of steps in order: the batch whose turn it is */
	int64_t nrows; /* in batches that are filled */
	bool ended; /* no batch will come any more */
	int r; /* the first failure */
	unsigned idle; /* threads that wait for work */
	bool waiting; /* the one that fills does */
	pthread_mutex_t lock; /* guards all of the above, from place.begun on, but for work */
	pthread_cond_t work_came, batch_came;
	pthread_t threads[TD_ROW_THREADS_MAX];
	unsigned nthreads;
};

/* A step that is to be done with a batch. */
struct task {
	struct place *place;
	size_t step;
};

static void place_done(struct place *p)
{
	free(p->batch.records);
	free(p->batch.notes);
	td_btree_cells_done(&p->cells);
}

static int place_init(struct place *p, const struct td_row_work *w)
{
	p->batch.records = malloc(TD_BATCH_ROWS * w->record_size);
	p->batch.notes = malloc(TD_BATCH_ROWS * w->note_size + 1);
	if (!p->batch.records || !p->batch.notes)
		return -ENOMEM;
	if (!w->cells_of)
		return 0;
	p->batch.cells = &p->cells;
	return td_btree_cells_init(&p->cells, w->cells_of, TD_BATCH_ROWS);
}

/* --- tasks; the lock is held --- */

static bool is_ready(const struct td_row_steps *s, size_t batch, size_t step)
{
	const struct place *p = &s->places[batch % s->nplaces];
	const struct td_row_step *what = &s->work.steps[step];

	return !(p->begun >> step & 1) && (p->done & what->after) == what->after &&
	       (!what->in_order || s->next[step] == batch);
}

static bool find_task(const struct td_row_steps *s, struct task *ret)
{
	for (size_t batch = s->finished; batch < s->filled; batch++)
		for (size_t step = 0; step < s->work.nsteps; step++)
			if (is_ready(s, batch, step)) {
				*ret = (struct task){ &s->places[batch % s->nplaces], step };
				return true;
			}
	return false;
}

/* Wakes one for what is there to be done beside what this thread has begun. */
static void wake(struct td_row_steps *s)
{
	struct task another;

	if ((!s->idle && !s->waiting) || !find_task(s, &another))
		return;
	pthread_cond_signal(s->idle ? &s->work_came : &s->batch_came);
}

static void end_task(struct td_row_steps *s, const struct task *t, int r)
{
	size_t before = s->finished;

	if (r < 0 && s->r == 0)
		s->r = r;
	t->place->done |= 1U << t->step;
	if (s->work.steps[t->step].in_order)
		s->next[t->step]++;
	while (s->finished < s->filled && s->places[s->finished % s->nplaces].done == s->every)
		s->finished++;
	if (s->finished > before && s->waiting)
		pthread_cond_signal(&s->batch_came);
}

/* Does something, if there is something to do; after a failure nothing is done with the batches, but in turn. */
static bool work(struct td_row_steps *s)
{
	struct task t;
	int r = s->r;

	if (!find_task(s, &t))
		return false;
	t.place->begun |= 1U << t.step;
	wake(s);
	pthread_mutex_unlock(&s->lock);
	if (r == 0)
		r = s->work.steps[t.step].run(s->work.steps[t.step].ud, &t.place->batch);
	pthread_mutex_lock(&s->lock);
	end_task(s, &t, r);
	return true;
}

/* --- threads --- */

static void *worker(void *arg)
{
	struct td_row_steps *s = arg;

	pthread_mutex_lock(&s->lock);
	while (work(s) || !s->ended) {
		struct task t;

		if (find_task(s, &t))
			continue;
		s->idle++;
		pthread_cond_wait(&s->work_came, &s->lock);
		s->idle--;
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* Where no thread can be made, those that there are do it all. */
static void make_threads(struct td_row_steps *s)
{
	while (s->nthreads + 1 < s->work.threads &&
	       pthread_create(&s->threads[s->nthreads], NULL, worker, s) == 0)
		s->nthreads++;
}

int td_row_steps_open(const struct td_row_work *work, struct td_row_steps **ret)
{
	struct td_row_steps *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->work = *work;
	s->every = (1U << work->nsteps) - 1;
	s->nplaces = td_row_steps_places(work->threads);
	s->places = calloc(s->nplaces, sizeof(*s->places));
	if (!s->places) {
		free(s);
		return -ENOMEM;
	}
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->work_came, NULL);
	pthread_cond_init(&s->batch_came, NULL);
	*ret = s;
	return 0;
}

/* Works until so many batches at most are not done. */
static int work_off(struct td_row_steps *s, size_t most)
{
	int r;

	pthread_mutex_lock(&s->lock);
	while (s->filled - s->finished > most) {
		if (work(s))
			continue;
		s->waiting = true;
		pthread_cond_wait(&s->batch_came, &s->lock);
		s->waiting = false;
	}
	r = s->r;
	pthread_mutex_unlock(&s->lock);
	return r;
}

int td_row_steps_room(struct td_row_steps *s, struct td_row_batch **ret)
{
	int r = work_off(s, s->nplaces - 1);
	struct place *p = &s->places[s->filled % s->nplaces];

	if (r >= 0 && !p->batch.records)
		r = place_init(p, &s->work);
	if (r < 0)
		return r;
	p->batch.id = s->nrows + 1;
	p->batch.n = 0;
	*ret = &p->batch;
	return 0;
}

void td_row_steps_filled(struct td_row_steps *s)
{
	struct place *p = &s->places[s->filled % s->nplaces];

	pthread_mutex_lock(&s->lock);
	s->nrows += (int64_t)p->batch.n;
	p->begun = p->done = 0;
	s->filled++;
	wake(s);
	pthread_mutex_unlock(&s->lock);
	if (s->filled == 2)
		make_threads(s);
}

int td_row_steps_close(struct td_row_steps *s)
{
	int r = work_off(s, 0);

	pthread_mutex_lock(&s->lock);
	s->ended = true;
	pthread_cond_broadcast(&s->work_came);
	pthread_mutex_unlock(&s->lock);
	for (unsigned i = 0; i < s->nthreads; i++)
		(void)pthread_join(s->threads[i], NULL);
	pthread_cond_destroy(&s->batch_came);
	pthread_cond_destroy(&s->work_came);
	pthread_mutex_destroy(&s->lock);
	for (size_t i = 0; i < s->nplaces; i++)
		place_done(&s->places[i]);
	free(s->places);
	free(s);
	return r;
}
