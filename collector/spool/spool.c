/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "collector/sink.h"
#include "collector/spool/clocks.h"
#include "collector/spool/spool.h"
#include "collector/spool/frame.h"
#include "collector/spool/keep.h"
#include "collector/spool/old.h"
#include "collector/spool/packing.h"
#include "collector/spool/writer.h"
#include "common/frames.h"
#include "common/lock.h"
#include "common/pio.h"
#include "common/strbuf.h"
#include "schema/wire.h"

#define FRAME ((size_t)1024 * 1024) /* of unpacked records; a crash costs less than one */
#define PIECE ((size_t)64 * 1024) /* of what is put at once, so that a limit is met closely */
#define CLOSING_ROOM (UINT64_C(256) * 1024) /* of max_size_bytes, for td_spool_finish() */

struct td_spool {
	char *path;
	int fd;
	struct td_spool_options options;
	struct td_spool_packer *packer; /* of what is not in 'packing' */
	struct td_spool_packing *packing;
	struct td_spool_writer *writer;
	struct td_spool_frame *mark; /* for the begin of the file; NULL: it is written */
	struct td_spool_keep keep; /* flight recorder only */
	char *pending; /* records of the frame that is not ended yet */
	size_t pending_len;
	uint64_t size_bytes; /* of all ended frames that are to be in the file */
	struct td_strbuf losses; /* what was said of loss in what was lost */
	uint64_t records, events, lost; /* of all ended frames that are packed */
	int error; /* from which on nothing is taken; 0 after td_spool_finish() */
	bool finished;
};

static void spool_free(struct td_spool *s)
{
	td_spool_packing_free(s->packing);
	td_spool_writer_abandon(s->writer);
	td_spool_keep_done(&s->keep);
	td_spool_packer_free(s->packer);
	td_spool_frame_free(s->mark);
	if (s->fd >= 0)
		close(s->fd);
	td_strbuf_done(&s->losses);
	free(s->pending);
	free(s->path);
	free(s);
}

void td_spool_abandon(struct td_spool *s)
{
	if (s)
		spool_free(s);
}

static bool is_flight_recorder(const struct td_spool *s)
{
	return s->options.keep_ns != 0;
}

static int explain(const struct td_spool *s, int r, struct td_err *err)
{
	if (r == -EFBIG)
		return td_err_set(err, r, "'%s' has reached its size limit", s->path);
	return r < 0 ? td_err_errno(err, r, "cannot write '%s'", s->path) : 0;
}

/* --- create --- */

/* The name of the file is to survive a crash, too. */
static void sync_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *folder =
		slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	_cleanup_close_ int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd >= 0)
		(void)fsync(fd);
}

static int create_file(const char *path, struct td_err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	int r = fd < 0 ? -errno : td_lock_open_file(fd, path, true);

	if (r == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	if (r == -EEXIST || r == -EBUSY)
		return td_spool_old_explain(path, err);
	errno = -r;
	return td_err_errno(err, -errno, "cannot create '%s'", path);
}

/* A limit of the process (ulimit -f) is one like that of --max-size. */
static uint64_t size_limit(uint64_t max_size_bytes)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return max_size_bytes;
	return max_size_bytes ? TD_MIN(max_size_bytes, limit.rlim_cur) : limit.rlim_cur;
}

static int init(struct td_spool *s, const char *path, const struct td_spool_options *options)
{
	int r = td_spool_packer_new(&s->packer);

	if (r == 0)
		r = td_spool_packing_new(&s->packing);
	if (r < 0)
		return r;
	s->options = *options;
	s->options.max_size_bytes = size_limit(options->max_size_bytes);
	s->keep = (struct td_spool_keep){ .packer = s->packer,
					  .keep_ns = options->keep_ns,
					  .max_bytes = options->keep_max_bytes };
	s->mark = td_spool_mark();
	s->path = strdup(path);
	s->pending = malloc(TD_SINK_BUFFER_BYTES);
	return s->mark && s->path && s->pending ? 0 : -ENOMEM;
}

int td_spool_create(const char *path, const struct td_spool_options *options, struct td_spool **ret,
		    struct td_err *err)
{
	_cleanup_(td_spool_abandonp) struct td_spool *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	s->fd = -1;
	r = init(s, path, options);
	if (r < 0)
		return r;
	if (s->options.max_size_bytes && s->options.max_size_bytes < TD_SPOOL_SIZE_MIN)
		return td_err_set(err, -EFBIG, "'%s' may not have 1 MiB: ulimit -f allows less",
				  path);
	s->fd = create_file(path, err);
	if (s->fd < 0)
		return s->fd;
	r = td_spool_writer_new(s->fd, &s->writer);
	if (r < 0) {
		(void)unlink(path);
		return td_err_errno(err, r, "cannot write '%s'", path);
	}
	sync_folder(path);
	*ret = TAKE_PTR(s);
	return 0;
}

int td_spool_fd(const struct td_spool *s)
{
	return s->fd;
}

/* --- frames --- */

/* Hands the frame on, which is gone then. What says of the file how it is to be read goes with the first one, so that
 * a file without any has no bytes. */
static void queue_frame(struct td_spool *s, struct td_spool_frame *f)
{
	if (s->mark) {
		s->size_bytes += s->mark->size;
		td_spool_writer_add(s->writer, TAKE_PTR(s->mark));
	}
	f->closing = s->finished;
	s->size_bytes += f->size;
	td_spool_writer_add(s->writer, f);
}

/* What the records say of loss comes when room was made for it: td_spool_finish(). */
static void lose(struct td_spool *s, const void *records, size_t size)
{
	struct td_spool_counts n = td_spool_count(records, size);
	_cleanup_free_ char *losses = n.loss_bytes ? malloc(n.loss_bytes) : NULL;

	s->lost += n.events;
	if (!losses)
		return;
	td_spool_copy_losses(losses, records, size);
	td_strbuf_add(&s->losses, losses, n.loss_bytes);
}

/* A frame that has failed is lost with its events, and all that comes after it. */
static int add_packed(struct td_spool *s, const struct td_spool_packed *packed)
{
	struct td_spool_frame *f = packed->frame;

	if (packed->r < 0) {
		lose(s, packed->records, packed->len);
		return packed->r;
	}
	if (packed->counts.loss_bytes) {
		f->losses = malloc(packed->counts.loss_bytes);
		if (f->losses) {
			f->losses_len = packed->counts.loss_bytes;
			td_spool_copy_losses(f->losses, packed->records, packed->len);
		}
	}
	f->end_ns = packed->end_ns;
	f->events = packed->counts.events;
	s->records += packed->counts.total;
	s->events += packed->counts.events;
	if (is_flight_recorder(s))
		return td_spool_keep_add(&s->keep, f, packed->records, packed->len);
	queue_frame(s, f);
	return 0;
}

/* Frames that are packed; wait: all that were ended. */
static int take_packed(struct td_spool *s, bool wait)
{
	struct td_spool_packed packed;
	int r = 0, e;

	while (td_spool_packing_take(s->packing, wait, &packed)) {
		e = add_packed(s, &packed);
		r = r < 0 ? r : e;
	}
	return r;
}

/* Has the buffer packed; another one is in its place then. */
static int give(struct td_spool *s, char **buffer, size_t len)
{
	int r = take_packed(s, td_spool_packing_full(s->packing));

	return r < 0 ? r : td_spool_packing_give(s->packing, buffer, len);
}

static int end_frame(struct td_spool *s)
{
	int r = s->pending_len ? give(s, &s->pending, s->pending_len) : 0;

	if (r == 0)
		s->pending_len = 0;
	return r;
}

/* All that was put is packed. */
static int end_frames(struct td_spool *s)
{
	int r = end_frame(s), e = take_packed(s, true);

	return r < 0 ? r : e;
}

/* How large the file may become with what is put now. */
static uint64_t limit_bytes(const struct td_spool *s)
{
	if (s->options.max_size_bytes == 0 || is_flight_recorder(s))
		return UINT64_MAX;
	if (s->finished)
		return s->options.max_size_bytes;
	return s->options.max_size_bytes - TD_MIN(CLOSING_ROOM, s->options.max_size_bytes);
}

static bool fits(const struct td_spool *s, size_t more)
{
	return s->size_bytes + td_spool_packing_bound(s->packing) +
		       td_spool_bound(s->pending_len + more) <=
	       limit_bytes(s);
}

/* Ends the frame where it would become too large, also for what is left of the limit. */
static int make_room(struct td_spool *s, size_t more)
{
	int r = 0;

	if (s->pending_len + more > FRAME)
		r = end_frame(s);
	if (r == 0 && !fits(s, more)) /* how much that is is known when all is packed */
		r = end_frames(s);
	if (r < 0)
		return r;
	return fits(s, more) ? 0 : -EFBIG;
}

/* Size of the first records that are PIECE together, or a little more. */
static size_t first_piece(const char *p, size_t size)
{
	size_t n = 0;

	while (n < size && n < PIECE)
		n += ((const struct td_wire_head *)(p + n))->size;
	return n;
}

int td_spool_put(struct td_spool *s, const void *records, size_t size, struct td_err *err)
{
	const char *p = records, *end = p + size;

	while (p < end) {
		size_t n = first_piece(p, (size_t)(end - p));

		if (s->error == 0)
			s->error = make_room(s, n);
		if (s->error < 0) {
			lose(s, p, (size_t)(end - p));
			return explain(s, s->error, err);
		}
		memcpy(s->pending + s->pending_len, p, n);
		s->pending_len += n;
		p += n;
	}
	return 0;
}

int td_spool_take(struct td_spool *s, char **buffer, size_t size, struct td_err *err)
{
	if (s->error == 0)
		s->error = end_frame(s);
	if (s->error == 0 && fits(s, size)) {
		s->error = give(s, buffer, size);
		if (s->error == 0)
			return 0;
	}
	return td_spool_put(s, *buffer, size,
			    err); /* a limit is to be met closely, and what is lost counted */
}

int td_spool_flush(struct td_spool *s, bool sync, struct td_err *err)
{
	if (s->error == 0)
		s->error = end_frames(s);
	if (s->error == 0)
		s->error = td_spool_writer_start(s->writer);
	td_spool_packing_start(s->packing);
	if (s->error == 0 && !s->finished)
		s->error = td_spool_writer_error(s->writer);
	if (sync)
		td_spool_writer_sync(s->writer);
	return explain(s, s->error, err);
}

void td_spool_finish(struct td_spool *s)
{
	(void)td_spool_flush(s, false, NULL);
	td_spool_writer_wait(s->writer);
	s->finished = true;
	s->error = 0;
	td_spool_writer_take_losses(s->writer, &s->losses);
	if (s->losses.len)
		(void)td_spool_put(s, s->losses.p, s->losses.len, NULL);
}

/* --- figures --- */

/* What is being packed is counted, too. */
static void settle(struct td_spool *s)
{
	int r = take_packed(s, true);

	s->error = s->error ? s->error : r;
}

uint64_t td_spool_records(struct td_spool *s)
{
	settle(s);
	if (s->keep.dropped_ns)
		return 0;
	return s->records + td_spool_count(s->pending, s->pending_len).total;
}

uint64_t td_spool_events(struct td_spool *s)
{
	settle(s);
	return s->events + s->lost + td_spool_count(s->pending, s->pending_len).events;
}

uint64_t td_spool_lost(struct td_spool *s)
{
	return s->lost + td_spool_writer_lost(s->writer);
}

uint64_t td_spool_size_bytes(const struct td_spool *s)
{
	return s->size_bytes +
	       (is_flight_recorder(s) ? s->keep.base.bytes + s->keep.recent.bytes : 0);
}

uint64_t td_spool_kept_ns(const struct td_spool *s)
{
	if (!is_flight_recorder(s) || s->keep.dropped_ns == 0)
		return UINT64_MAX;
	return td_boot_ns() - s->keep.dropped_ns;
}

/* --- a copy --- */

static int write_copy(struct td_spool *s, int fd, const void *closing, size_t size)
{
	_cleanup_(td_spool_frame_freep) struct td_spool_frame *f = NULL;
	uint64_t offset = TD_FRAMES_MARK_SIZE;
	int r = end_frames(s);

	if (r == 0)
		r = td_write_at(fd, TD_FRAMES_MARK, TD_FRAMES_MARK_SIZE, 0);
	if (r == 0)
		r = td_spool_keep_write(&s->keep, fd, &offset);
	if (r < 0)
		return r;
	r = td_spool_pack(s->packer, closing, size, &f);
	return r < 0 ? r : td_write_at(fd, f->data, f->size, offset);
}

int td_spool_write_copy(struct td_spool *s, const char *path, const void *closing, size_t size,
			int *ret_fd, struct td_err *err)
{
	int fd = create_file(path, err), r;

	if (fd < 0)
		return fd;
	r = write_copy(s, fd, closing, size);
	if (r == 0) {
		*ret_fd = fd;
		return 0;
	}
	(void)unlink(path);
	close(fd);
	return td_err_errno(err, r, "cannot write '%s'", path);
}

/* --- close --- */

static int write_kept(struct td_spool *s)
{
	struct td_spool_frame *f;
	int r;

	while ((r = td_spool_keep_take(&s->keep, &f)) == 0 && f)
		queue_frame(s, f);
	return r;
}

int td_spool_close(struct td_spool *s, struct td_err *err)
{
	int r, e;

	r = end_frames(s);
	if (r == 0 && is_flight_recorder(s))
		r = write_kept(s);
	e = td_spool_writer_close(TAKE_PTR(s->writer));
	r = explain(s, r < 0 ? r : e, err);
	spool_free(s);
	return r;
}
