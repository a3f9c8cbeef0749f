/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

#include "common/pio.h"
#include "collector/spool/writer.h"

#define ROOM ((off_t)256 * 1024) /* kept for the frames that close a recording */
#define STEP ((off_t)8 * 1024 * 1024) /* room that is allocated at once, where there is so much */

struct td_spool_writer {
	int fd; /* borrowed */
	bool started;
	pthread_t thread;
	pthread_mutex_t lock; /* of all below it */
	pthread_cond_t work, room;
	struct td_spool_frames queue;
	bool busy, sync, end, abandoned;
	int error;
	uint64_t lost;
	struct td_strbuf losses; /* of the frames that were */

	/* the thread's own */
	off_t size, allocated;
	bool no_fallocate; /* the file system cannot */
};

/* --- the file --- */

static int allocate(struct td_spool_writer *w, off_t up_to)
{
	off_t steps[] = { up_to - w->allocated + STEP, up_to - w->allocated };
	int r = 0;

	if (w->no_fallocate || up_to <= w->allocated)
		return 0;
	for (size_t i = 0; i < TD_ARRAY_SIZE(steps); i++) {
		do
			r = fallocate(w->fd, FALLOC_FL_KEEP_SIZE, w->allocated, steps[i]);
		while (r < 0 && errno == EINTR);
		if (r == 0) {
			w->allocated += steps[i];
			return 0;
		}
		if (errno != ENOSPC && errno != EDQUOT) {
			w->no_fallocate = true;
			return 0;
		}
	}
	return -errno;
}

static int write_all(struct td_spool_writer *w, const struct td_spool_frame *f)
{
	int r = td_write_at(w->fd, f->data, f->size, (uint64_t)w->size);

	if (r == 0)
		w->size += (off_t)f->size;
	return r;
}

/* Removes the begin of a frame. That frees the room too, so it is allocated again. */
static void cut_back(struct td_spool_writer *w)
{
	(void)ftruncate(w->fd, w->size);
	w->allocated = w->size;
	(void)allocate(w, w->size + ROOM);
}

/* All of the frame or nothing. */
static int write_frame(struct td_spool_writer *w, const struct td_spool_frame *f)
{
	int r = f->closing ? 0 : allocate(w, w->size + (off_t)f->size + ROOM);

	if (r < 0)
		return r;
	r = write_all(w, f);
	if (r < 0)
		cut_back(w);
	return r;
}

/* --- the thread --- */

/* With the lock held, which is given back meanwhile. */
static void handle(struct td_spool_writer *w, struct td_spool_frame *f)
{
	/* after a gap nothing would be worth having but what closes the recording */
	int r = w->error && !f->closing ? w->error : 0;

	w->busy = true;
	pthread_mutex_unlock(&w->lock);
	if (r == 0)
		r = write_frame(w, f);
	pthread_mutex_lock(&w->lock);
	w->busy = false;
	if (r < 0) {
		w->lost += f->events;
		td_strbuf_add(&w->losses, f->losses, f->losses_len);
		w->error = w->error ? w->error : r;
	}
	td_spool_frame_free(f);
	pthread_cond_signal(&w->room);
}

static void sync_file(struct td_spool_writer *w)
{
	int r;

	w->sync = false;
	pthread_mutex_unlock(&w->lock);
	r = fdatasync(w->fd) < 0 ? -errno : 0;
	pthread_mutex_lock(&w->lock);
	if (r < 0 && r != -EINVAL) /* EINVAL: not that kind of file */
		w->error = w->error ? w->error : r;
}

static void *run(void *arg)
{
	struct td_spool_writer *w = arg;

	pthread_mutex_lock(&w->lock);
	while (!w->abandoned) {
		struct td_spool_frame *f = td_spool_frames_take(&w->queue);

		if (f)
			handle(w, f);
		else if (w->sync)
			sync_file(w);
		else if (w->end)
			break;
		else
			pthread_cond_wait(&w->work, &w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* --- from the other thread --- */

int td_spool_writer_start(struct td_spool_writer *w)
{
	sigset_t all, before;
	int r;

	if (w->started)
		return 0;
	(void)sigfillset(&all); /* signals are for the main thread */
	r = pthread_sigmask(SIG_SETMASK, &all, &before);
	if (r != 0)
		return -r;
	r = pthread_create(&w->thread, NULL, run, w);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	w->started = r == 0;
	return -r;
}

int td_spool_writer_new(int fd, struct td_spool_writer **ret)
{
	_cleanup_free_ struct td_spool_writer *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return -ENOMEM;
	w->fd = fd;
	(void)pthread_mutex_init(&w->lock, NULL); /* on Linux these cannot fail */
	(void)pthread_cond_init(&w->work, NULL);
	(void)pthread_cond_init(&w->room, NULL);
	r = allocate(w, ROOM);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(w);
	return 0;
}

static bool is_full(const struct td_spool_writer *w, size_t more)
{
	return w->queue.bytes && w->queue.bytes + more > TD_SPOOL_QUEUE_MAX;
}

void td_spool_writer_add(struct td_spool_writer *w, struct td_spool_frame *f)
{
	if (!w->started && is_full(w, f->size))
		(void)td_spool_writer_start(w);
	pthread_mutex_lock(&w->lock);
	while (w->started && is_full(w, f->size))
		pthread_cond_wait(&w->room, &w->lock);
	td_spool_frames_add(&w->queue, f);
	pthread_cond_signal(&w->work);
	pthread_mutex_unlock(&w->lock);
}

void td_spool_writer_sync(struct td_spool_writer *w)
{
	pthread_mutex_lock(&w->lock);
	w->sync = true;
	pthread_cond_signal(&w->work);
	pthread_mutex_unlock(&w->lock);
}

void td_spool_writer_wait(struct td_spool_writer *w)
{
	pthread_mutex_lock(&w->lock);
	while (w->started && (w->queue.first || w->busy))
		pthread_cond_wait(&w->room, &w->lock);
	pthread_mutex_unlock(&w->lock);
}

int td_spool_writer_error(struct td_spool_writer *w)
{
	int r;

	pthread_mutex_lock(&w->lock);
	r = w->error;
	pthread_mutex_unlock(&w->lock);
	return r;
}

void td_spool_writer_take_losses(struct td_spool_writer *w, struct td_strbuf *ret)
{
	pthread_mutex_lock(&w->lock);
	td_strbuf_add(ret, w->losses.p, w->losses.len);
	td_strbuf_reset(&w->losses);
	pthread_mutex_unlock(&w->lock);
}

uint64_t td_spool_writer_lost(struct td_spool_writer *w)
{
	uint64_t n;

	pthread_mutex_lock(&w->lock);
	n = w->lost;
	pthread_mutex_unlock(&w->lock);
	return n;
}

static int end(struct td_spool_writer *w, bool abandoned)
{
	int r;

	pthread_mutex_lock(&w->lock);
	w->end = true;
	w->abandoned = abandoned;
	w->sync = !abandoned;
	pthread_cond_signal(&w->work);
	pthread_mutex_unlock(&w->lock);
	if (w->started)
		(void)pthread_join(w->thread, NULL);
	(void)ftruncate(w->fd, w->size);
	r = w->error;
	td_spool_frames_done(&w->queue);
	td_strbuf_done(&w->losses);
	(void)pthread_cond_destroy(&w->room);
	(void)pthread_cond_destroy(&w->work);
	(void)pthread_mutex_destroy(&w->lock);
	free(w);
	return r;
}

int td_spool_writer_close(struct td_spool_writer *w)
{
	int r = td_spool_writer_start(w), e = end(w, r < 0);

	return r < 0 ? r : e;
}

void td_spool_writer_abandon(struct td_spool_writer *w)
{
	if (w)
		(void)end(w, true);
}
