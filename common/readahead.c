/* SPDX-License-Identifier: MIT */
#include <pthread.h>

#include "common/readahead.h"

#define BLOCK_SIZE ((size_t)128 * 1024)
#define NBLOCKS 4 /* one being read, one being filled, and what evens out their speeds */

struct block {
	char *data;
	ssize_t n; /* bytes in it; 0: the end; < 0: -errno */
	int64_t raw_bytes;
};

struct td_readahead {
	struct td_unpack *unpack;
	struct block blocks[NBLOCKS];
	size_t pos; /* read of the first filled one */
	int64_t raw_bytes;

	pthread_t thread;
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t changed;
	size_t filled, emptied; /* blocks so far */
	bool stop;
};

static void readahead_free(struct td_readahead *ra)
{
	for (size_t i = 0; i < NBLOCKS; i++)
		free(ra->blocks[i].data);
	pthread_cond_destroy(&ra->changed);
	pthread_mutex_destroy(&ra->lock);
	free(ra);
}

/* A whole block, as gzip and zstd give what they happen to have. *last: what td_unpack_read() said last; what
 * is no success has a block of its own. */
static void fill(struct td_readahead *ra, struct block *b, ssize_t *last)
{
	size_t n = 0;

	while (n<BLOCK_SIZE && * last> 0) {
		*last = td_unpack_read(ra->unpack, b->data + n, BLOCK_SIZE - n);
		n += *last > 0 ? (size_t)*last : 0;
	}
	b->n = n ? (ssize_t)n : *last;
	b->raw_bytes = td_unpack_raw_bytes(ra->unpack);
}

static void *run(void *arg)
{
	struct td_readahead *ra = arg;
	ssize_t last = 1;
	bool more = true;

	pthread_mutex_lock(&ra->lock);
	while (more && !ra->stop) {
		struct block *b = &ra->blocks[ra->filled % NBLOCKS];

		if (ra->filled - ra->emptied == NBLOCKS) {
			pthread_cond_wait(&ra->changed, &ra->lock);
			continue;
		}
		pthread_mutex_unlock(&ra->lock);
		fill(ra, b, &last);
		more = b->n > 0;
		pthread_mutex_lock(&ra->lock);
		ra->filled++;
		pthread_cond_signal(&ra->changed);
	}
	pthread_mutex_unlock(&ra->lock);
	return NULL;
}

int td_readahead_start(struct td_unpack *u, struct td_readahead **ret)
{
	struct td_readahead *ra = calloc(1, sizeof(*ra));
	int r = 0;

	if (!ra)
		return -ENOMEM;
	ra->unpack = u;
	ra->raw_bytes = td_unpack_raw_bytes(u);
	pthread_mutex_init(&ra->lock, NULL);
	pthread_cond_init(&ra->changed, NULL);
	for (size_t i = 0; i < NBLOCKS && r == 0; i++) {
		ra->blocks[i].data = malloc(BLOCK_SIZE);
		r = ra->blocks[i].data ? 0 : -ENOMEM;
	}
	if (r == 0)
		r = -pthread_create(&ra->thread, NULL, run, ra);
	if (r < 0) {
		readahead_free(ra);
		return r;
	}
	*ret = ra;
	return 0;
}

/* The block to read from, when it is there. */
static const struct block *wait_for_block(struct td_readahead *ra)
{
	pthread_mutex_lock(&ra->lock);
	while (ra->filled == ra->emptied)
		pthread_cond_wait(&ra->changed, &ra->lock);
	pthread_mutex_unlock(&ra->lock);
	return &ra->blocks[ra->emptied % NBLOCKS];
}

static void give_back(struct td_readahead *ra)
{
	pthread_mutex_lock(&ra->lock);
	ra->emptied++;
	pthread_cond_signal(&ra->changed);
	pthread_mutex_unlock(&ra->lock);
	ra->pos = 0;
}

ssize_t td_readahead_read(struct td_readahead *ra, char *to, size_t size)
{
	const struct block *b = wait_for_block(ra);
	size_t n;

	ra->raw_bytes = b->raw_bytes;
	if (b->n <= 0)
		return b->n; /* stays: there is nothing behind it */
	n = TD_MIN(size, (size_t)b->n - ra->pos);
	memcpy(to, b->data + ra->pos, n);
	ra->pos += n;
	if (ra->pos == (size_t)b->n)
		give_back(ra);
	return (ssize_t)n;
}

int64_t td_readahead_raw_bytes(const struct td_readahead *ra)
{
	return ra->raw_bytes;
}

void td_readahead_stop(struct td_readahead *ra)
{
	if (!ra)
		return;
	pthread_mutex_lock(&ra->lock);
	ra->stop = true;
	pthread_cond_signal(&ra->changed);
	pthread_mutex_unlock(&ra->lock);
	(void)pthread_join(ra->thread, NULL);
	readahead_free(ra);
}
