/* SPDX-License-Identifier: MIT */
#include <zstd.h>

#include "common/frames.h"
#include "common/parallel.h"

#define PIECE ((size_t)64 * 1024) /* of raw bytes that are read at once */
#define CHECKSUM_FLAG 4 /* in the byte behind the magic (RFC 8878, 3.1.1.1.1) */
#define MAGIC_SIZE 4
/* What looks like a frame and is none takes time, and a hostile file is full of it: so many are looked at, and one more
 * for so many bytes. */
#define TRIES 1024
#define BYTES_PER_TRY (64 * 1024)

/* So many frames are unpacked at the same time, ahead of where they are handed out, of so many
 * bytes in all, once so many were whole: most files have fewer. Two for each CPU, so that one that
 * takes longer holds up less. */
#define AHEAD_MAX 16
#define AHEAD_CPU 2
#define AHEAD_BYTES ((size_t)16 * 1024 * 1024)
#define AHEAD_AFTER 4
/* Raw bytes that are read for them: at once, and as long as these do not hold all frames that are
 * wanted. What packs badly has half a megabyte a frame. */
#define AHEAD_RAW ((size_t)1024 * 1024)
#define AHEAD_RAW_MAX ((size_t)8 * 1024 * 1024)

enum found {
	FRAME_WHOLE,
	FRAME_SKIPPED, /* one that zstd skips */
	FRAME_OPEN, /* more bytes are needed to tell */
	FRAME_NONE,
	FRAME_NO_MEMORY,
};

/* A frame that was unpacked ahead. */
struct ahead {
	ZSTD_DCtx *zstd;
	int64_t at; /* in the source */
	const char *raw; /* until they are all unpacked */
	size_t size; /* of what is packed */
	char *out;
	size_t out_len, out_size;
	enum found found;
};

struct td_frames {
	td_frames_source *source;
	void *arg;
	ZSTD_DCtx *zstd;

	char *raw; /* [pos, len) is not unpacked yet; raw_size grows up to TD_FRAMES_MAX and a piece */
	size_t pos, len, raw_size;
	int64_t before; /* raw bytes that went by before raw[0] */
	bool end; /* of the source */
	int error; /* it failed */

	char *out; /* of one frame; [out_pos, out_len) was not handed out */
	size_t out_pos, out_len, out_size;

	struct ahead ahead[AHEAD_MAX]; /* those from next on were not handed out */
	size_t nahead, next;
	uint64_t whole; /* frames so far */

	bool searching; /* raw[pos] is behind damage */
	uint64_t tries, damaged;
	int64_t lost_bytes, lost_at; /* lost_at: the first of them */
	bool cut; /* the last frame is not all there */
	char words[160];
};

/* Room for so many bytes at *p. Most files are far smaller than a frame may be. */
static int make_room(char **p, size_t *size, size_t want)
{
	char *grown;

	if (want <= *size)
		return 0;
	want = TD_MAX(want, TD_MIN(2 * *size, TD_FRAMES_MAX));
	grown = realloc(*p, want);
	if (!grown)
		return -ENOMEM;
	*p = grown;
	*size = want;
	return 0;
}

int td_frames_new(td_frames_source *source, void *arg, const char *head, size_t len,
		  struct td_frames **ret)
{
	_cleanup_(td_frames_freep) struct td_frames *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->source = source;
	f->arg = arg;
	f->zstd = ZSTD_createDCtx();
	f->len = TD_MIN(len, TD_FRAMES_MAX);
	if (!f->zstd || make_room(&f->raw, &f->raw_size, f->len + PIECE) < 0)
		return -ENOMEM;
	memcpy(f->raw, head, f->len);
	*ret = TAKE_PTR(f);
	return 0;
}

void td_frames_free(struct td_frames *f)
{
	if (!f)
		return;
	(void)ZSTD_freeDCtx(f->zstd);
	for (size_t i = 0; i < AHEAD_MAX; i++) {
		(void)ZSTD_freeDCtx(f->ahead[i].zstd);
		free(f->ahead[i].out);
	}
	free(f->raw);
	free(f->out);
	free(f);
}

static int fill(struct td_frames *f)
{
	ssize_t n;

	if (f->error)
		return f->error;
	if (f->pos) {
		memmove(f->raw, f->raw + f->pos, f->len - f->pos);
		f->before += (int64_t)f->pos;
		f->len -= f->pos;
		f->pos = 0;
	}
	if (make_room(&f->raw, &f->raw_size, f->len + PIECE) < 0)
		return -ENOMEM;
	n = f->source(f->arg, f->raw + f->len, PIECE);
	if (n < 0)
		return f->error = (int)n;
	f->len += (size_t)n;
	f->end = n == 0;
	return 0;
}

/* --- one frame --- */

static bool is_skippable(const char *p)
{
	return ((unsigned char)p[0] & 0xf0) == 0x50 && memcmp(p + 1, "\x2a\x4d\x18", 3) == 0;
}

static bool is_frame(const char *p)
{
	return memcmp(p, "\x28\xb5\x2f\xfd", MAGIC_SIZE) == 0;
}

/* All of it is there: unpacks it to *out. */
static enum found unpack_to(ZSTD_DCtx *zstd, const char *p, size_t size, char **out,
			    size_t *out_size, size_t *ret_len)
{
	unsigned long long bytes = ZSTD_getFrameContentSize(p, size);
	size_t n;

	if (!(p[MAGIC_SIZE] & CHECKSUM_FLAG) || bytes > TD_FRAMES_MAX)
		return FRAME_NONE;
	if (make_room(out, out_size, TD_MAX((size_t)bytes, (size_t)1)) < 0)
		return FRAME_NO_MEMORY;
	n = ZSTD_decompressDCtx(zstd, *out, (size_t)bytes, p, size);
	if (ZSTD_isError(n) || n != bytes)
		return FRAME_NONE;
	*ret_len = n;
	return FRAME_WHOLE;
}

/* Has it been unpacked ahead? Then out is that. */
static bool take_ahead(struct td_frames *f, enum found *ret)
{
	struct ahead *a = &f->ahead[f->next];
	char *out = f->out;
	size_t out_size = f->out_size;

	if (f->next == f->nahead || a->at != f->before + (int64_t)f->pos) {
		f->next = f->nahead = 0;
		return false;
	}
	f->next++;
	f->out = a->out;
	f->out_size = a->out_size;
	if (a->found == FRAME_WHOLE)
		f->out_len = a->out_len;
	a->out = out;
	a->out_size = out_size;
	*ret = a->found;
	return true;
}

static enum found unpack(struct td_frames *f, const char *p, size_t size)
{
	enum found found;

	if (!take_ahead(f, &found))
		found = unpack_to(f->zstd, p, size, &f->out, &f->out_size, &f->out_len);
	if (found == FRAME_WHOLE) {
		f->out_pos = 0;
		f->whole++;
	}
	return found;
}

/* What begins at raw[pos]; *ret_size: of what is whole. */
static enum found look(struct td_frames *f, size_t *ret_size)
{
	const char *p = f->raw + f->pos;
	size_t n = f->len - f->pos, size;

	if (n < MAGIC_SIZE + 1)
		return f->end ? FRAME_NONE : FRAME_OPEN;
	if (!is_frame(p) && !is_skippable(p))
		return FRAME_NONE;
	size = ZSTD_findFrameCompressedSize(p, n);
	if (ZSTD_isError(size))
		return n < TD_FRAMES_MAX ? FRAME_OPEN : FRAME_NONE;
	*ret_size = size;
	return is_frame(p) ? unpack(f, p, size) : FRAME_SKIPPED;
}

/* --- ahead --- */

static int unpack_piece(void *arg, size_t i)
{
	struct td_frames *f = arg;
	struct ahead *a = &f->ahead[i];

	if (!a->zstd)
		a->zstd = ZSTD_createDCtx();
	a->found = a->zstd ? unpack_to(a->zstd, a->raw, a->size, &a->out, &a->out_size, &a->out_len)
			   : FRAME_NO_MEMORY;
	return 0;
}

/* The frames from raw[pos] on, as far as they follow each other. true: with more raw bytes there
 * may be more of them. */
static bool find_ahead(struct td_frames *f)
{
	size_t at = f->pos, bytes = 0,
	       most = TD_MIN((size_t)td_parallel_width() * AHEAD_CPU, (size_t)AHEAD_MAX);

	for (f->nahead = 0; f->nahead < most; f->nahead++) {
		const char *p = f->raw + at;
		size_t size;

		if (f->len - at <= MAGIC_SIZE)
			return true;
		if (!is_frame(p))
			return false;
		size = ZSTD_findFrameCompressedSize(p, f->len - at);
		if (ZSTD_isError(size))
			return true;
		bytes += TD_MIN((size_t)ZSTD_getFrameContentSize(p, size), AHEAD_BYTES);
		if (bytes > AHEAD_BYTES)
			return false;
		f->ahead[f->nahead].at = f->before + (int64_t)at;
		f->ahead[f->nahead].raw = p;
		f->ahead[f->nahead].size = size;
		at += size;
	}
	return false;
}

/* Until so many raw bytes are there, or the end. When the source has failed, what came before that is handed out first.
 * 0 or -ENOMEM. */
static int fill_up_to(struct td_frames *f, size_t bytes)
{
	int r = 0;

	while (r == 0 && !f->end && f->len - f->pos < bytes)
		r = fill(f);
	return r == -ENOMEM ? r : 0;
}

/* On all CPUs. 0 or -ENOMEM. */
static int unpack_ahead(struct td_frames *f)
{
	size_t bytes = AHEAD_RAW;
	int r;

	if (f->next < f->nahead || f->whole < AHEAD_AFTER || f->searching ||
	    td_parallel_width() < 2)
		return 0;
	f->next = 0;
	do {
		r = fill_up_to(f, bytes);
		bytes += AHEAD_RAW;
	} while (r == 0 && find_ahead(f) && !f->end && !f->error && bytes <= AHEAD_RAW_MAX);
	return r < 0 ? r : td_parallel(f->nahead, unpack_piece, f);
}

/* --- from one to the next --- */

static void lose(struct td_frames *f, size_t bytes)
{
	if (f->lost_bytes == 0)
		f->lost_at = f->before + (int64_t)f->pos;
	f->lost_bytes += (int64_t)bytes;
	f->pos += bytes;
}

/* Passes over what cannot be the begin of a frame. */
static void search(struct td_frames *f)
{
	const char *from = f->raw + f->pos, *p = from;
	size_t n = f->len - f->pos;

	f->damaged += !f->searching;
	f->searching = true;
	f->tries++;
	p = n > 1 ? memmem(from + 1, n - 1, "\x28\xb5\x2f\xfd", MAGIC_SIZE) : NULL;
	if (f->tries > TRIES + (uint64_t)(f->before + (int64_t)f->pos) / BYTES_PER_TRY)
		p = NULL;
	/* the begin of a magic may be at the end */
	lose(f, p ? (size_t)(p - from) : f->end ? n : n - TD_MIN(n - 1, (size_t)MAGIC_SIZE - 1));
}

/* The source is at its end, within something that could be a frame. */
static void end_open(struct td_frames *f)
{
	if (!f->searching && is_frame(f->raw + f->pos) &&
	    !memmem(f->raw + f->pos + 1, f->len - f->pos - 1, "\x28\xb5\x2f\xfd", MAGIC_SIZE)) {
		f->cut = true;
		lose(f, f->len - f->pos);
	} else {
		search(f);
	}
}

/* One step: until a frame is there, or the end. */
static int step(struct td_frames *f)
{
	enum found found;
	size_t size = 0;
	int r;

	if (f->pos == f->len)
		return f->end ? 0 : fill(f);
	r = unpack_ahead(f);
	if (r < 0)
		return r;
	found = look(f, &size);
	switch (found) {
	case FRAME_WHOLE:
	case FRAME_SKIPPED:
		f->searching = false;
		f->pos += size;
		return 0;
	case FRAME_OPEN:
		if (!f->end)
			return fill(f);
		end_open(f);
		return 0;
	case FRAME_NO_MEMORY:
		return -ENOMEM;
	default:
		search(f);
		return 0;
	}
}

ssize_t td_frames_read(struct td_frames *f, char *to, size_t size)
{
	size_t n;

	while (f->out_pos == f->out_len && !(f->end && f->pos == f->len)) {
		int r = step(f);

		if (r < 0)
			return r;
	}
	n = TD_MIN(size, f->out_len - f->out_pos);
	if (n) /* else there may be no buffer yet */
		memcpy(to, f->out + f->out_pos, n);
	f->out_pos += n;
	return (ssize_t)n;
}

const char *td_frames_damage(struct td_frames *f)
{
	if (f->damaged)
		(void)snprintf(f->words, sizeof(f->words),
			       "corrupt zstd data in %llu place%s, %lld bytes in all, the first at "
			       "byte %lld",
			       (unsigned long long)f->damaged, f->damaged == 1 ? "" : "s",
			       (long long)f->lost_bytes, (long long)f->lost_at);
	else if (f->cut)
		(void)snprintf(f->words, sizeof(f->words), "truncated zstd data after %lld bytes",
			       (long long)f->lost_at);
	else
		return NULL;
	return f->words;
}
