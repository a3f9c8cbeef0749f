/* SPDX-License-Identifier: MIT */
#include <pthread.h>

#include "store/write/row_pipe.h"

#define BATCH_ROWS 8192
#define NBATCHES 3 /* one being filled, one being written, one between them */

struct batch {
	char *records;
	size_t n;
};

struct td_row_pipe {
	size_t record_size;
	int (*put)(void *ud, const void *records, size_t n);
	void *ud;
	struct batch batches[NBATCHES];
	size_t filled; /* batches handed over so far; the one being filled is filled % NBATCHES */
	size_t written; /* batches done so far */
	bool ended;
	int r; /* first failure of put() */
	pthread_mutex_t lock; /* guards filled, written, ended and r */
	pthread_cond_t changed;
	pthread_t thread;
};

static void pipe_free(struct td_row_pipe *p)
{
	for (size_t i = 0; i < NBATCHES; i++)
		free(p->batches[i].records);
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

static void *writer(void *arg)
{
	struct td_row_pipe *p = arg;
	int r = 0;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		while (p->written == p->filled && !p->ended)
			pthread_cond_wait(&p->changed, &p->lock);
		if (p->written == p->filled)
			break;
		pthread_mutex_unlock(&p->lock);
		if (r == 0)
			r = p->put(p->ud, p->batches[p->written % NBATCHES].records,
				   p->batches[p->written % NBATCHES].n);
		pthread_mutex_lock(&p->lock);
		p->written++;
		p->r = r;
		pthread_cond_signal(&p->changed);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

int td_row_pipe_open(size_t record_size, int (*put)(void *ud, const void *records, size_t n),
		     void *ud, struct td_row_pipe **ret)
{
	struct td_row_pipe *p = calloc(1, sizeof(*p));
	int r = 0;

	if (!p)
		return -ENOMEM;
	p->record_size = record_size;
	p->put = put;
	p->ud = ud;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	for (size_t i = 0; i < NBATCHES && r == 0; i++) {
		p->batches[i].records = malloc(BATCH_ROWS * record_size);
		r = p->batches[i].records ? 0 : -ENOMEM;
	}
	if (r == 0)
		r = -pthread_create(&p->thread, NULL, writer, p);
	if (r < 0) {
		pipe_free(p);
		return r;
	}
	*ret = p;
	return 0;
}

/* Hands the current batch over and waits until there is room for the next. */
static int hand_over(struct td_row_pipe *p)
{
	int r;

	pthread_mutex_lock(&p->lock);
	p->filled++;
	pthread_cond_signal(&p->changed);
	while (p->filled - p->written == NBATCHES)
		pthread_cond_wait(&p->changed, &p->lock);
	r = p->r;
	pthread_mutex_unlock(&p->lock);
	p->batches[p->filled % NBATCHES].n = 0;
	return r;
}

void *td_row_pipe_room(const struct td_row_pipe *p, size_t *ret_n)
{
	const struct batch *b = &p->batches[p->filled % NBATCHES];

	*ret_n = BATCH_ROWS - b->n;
	return b->records + b->n * p->record_size;
}

int td_row_pipe_filled(struct td_row_pipe *p, size_t n)
{
	struct batch *b = &p->batches[p->filled % NBATCHES];

	b->n += n;
	return b->n == BATCH_ROWS ? hand_over(p) : 0;
}

int td_row_pipe_close(struct td_row_pipe *p)
{
	int r;

	(void)hand_over(p);
	pthread_mutex_lock(&p->lock);
	p->ended = true;
	pthread_cond_signal(&p->changed);
	pthread_mutex_unlock(&p->lock);
	(void)pthread_join(p->thread, NULL);
	r = p->r;
	pipe_free(p);
	return r;
}
