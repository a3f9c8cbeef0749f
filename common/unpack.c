/* SPDX-License-Identifier: MIT */
#include "common/libarchive.h" /* first, as the header of the library uses what is banned here */
#include <xxhash.h>
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h> /* the same functions with the widest vectors that the CPU has */
#endif
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "common/filter.h"
#include "common/frames.h"
#include "common/hash_hex.h"
#include "common/unpack.h"

#define IN_SIZE_MIN ((size_t)4 * 1024)
#define IN_SIZE_MAX ((size_t)128 * 1024)
#define MAGIC_SIZE 6
#define ZSTD_BLOCK_HEADER 3 /* bytes */
#define ZSTD_MAGIC_SIZE 4

/* What one step of a decoder came to; below 0 an errno. */
enum { STEP_MORE, STEP_FRAME_END, STEP_CORRUPT };

struct out {
	char *p;
	size_t size, pos;
};

struct codec {
	const char *name;
	bool (*detect)(const unsigned char *p, size_t len);
	int (*start)(struct td_unpack *u);
	/* Unpacks from u->in to o what it can, without reading. Called with an empty input too, because
	 * a decoder may hold back output that did not fit. Names what is wrong in *ret_what. */
	int (*step)(struct td_unpack *u, struct out *o, const char **ret_what);
	int (*support)(struct archive *ar); /* instead of start and step: libarchive does it */
};

struct td_unpack {
	int fd; /* -1: memory */
	const char *mem; /* borrowed; what is not read yet */
	size_t mem_len;
	XXH3_state_t *hash; /* of the raw bytes of what is packed */
	struct td_beginnings *text; /* what came out of them; of plain text all that was read */
	int64_t raw_bytes;

	char *in; /* in_size bytes: raw bytes that were read and not unpacked yet are in[in_pos, in_len) */
	size_t in_pos, in_len, in_size;

	struct td_frames *frames; /* NULL: they do not stand alone */
	const struct codec *codec; /* NULL: plain */
	z_stream gzip;
	bool gzip_started;
	ZSTD_DStream *zstd;
	size_t zstd_hint; /* bytes that zstd wants next */
	struct td_filter *filter;

	bool between; /* at the end of a member or frame: the file may end here */
	bool end;
	bool skipped; /* text, which was not handed out */
	char damage[160];
};

static bool is_plain(const struct td_unpack *u)
{
	return !u->codec && !u->frames;
}

/* Plain text is what its raw bytes are: they are hashed once. */
static void count_raw(struct td_unpack *u, const char *p, size_t len)
{
	if (is_plain(u))
		td_beginnings_update(u->text, p, len);
	else
		(void)XXH3_128bits_update(u->hash, p, len);
	u->raw_bytes += (int64_t)len;
}

/* Without counting. */
static ssize_t fetch(struct td_unpack *u, char *to, size_t size)
{
	ssize_t n;

	if (u->fd >= 0) {
		do
			n = read(u->fd, to, size);
		while (n < 0 && errno == EINTR);
		if (n < 0)
			return -errno;
	} else {
		n = (ssize_t)TD_MIN(size, u->mem_len);
		if (n == 0)
			return 0;
		memcpy(to, u->mem, (size_t)n);
		u->mem += n;
		u->mem_len -= (size_t)n;
	}
	return n;
}

static ssize_t raw_read(void *arg, char *to, size_t size)
{
	struct td_unpack *u = arg;
	ssize_t n = fetch(u, to, size);

	if (n > 0)
		count_raw(u, to, (size_t)n);
	return n;
}

static bool gzip_detect(const unsigned char *p, size_t len)
{
	return len >= 2 && p[0] == 0x1f && p[1] == 0x8b;
}

static int gzip_start(struct td_unpack *u)
{
	if (inflateInit2(&u->gzip, 15 + 16) != Z_OK) /* largest window; + 16: gzip, not zlib */
		return -ENOMEM;
	u->gzip_started = true;
	return 0;
}

static int gzip_step(struct td_unpack *u, struct out *o, const char **ret_what)
{
	z_stream *z = &u->gzip;
	int r;

	z->next_in = (Bytef *)u->in + u->in_pos;
	z->avail_in = (uInt)(u->in_len - u->in_pos);
	z->next_out = (Bytef *)o->p + o->pos;
	z->avail_out = (uInt)(o->size - o->pos);
	r = inflate(z, Z_NO_FLUSH);
	u->in_pos = u->in_len - z->avail_in;
	o->pos = o->size - z->avail_out;
	switch (r) {
	case Z_STREAM_END:
		(void)inflateReset(z);
		return STEP_FRAME_END;
	case Z_OK:
	case Z_BUF_ERROR: /* no input or no room: nothing is wrong */
		return STEP_MORE;
	case Z_MEM_ERROR:
		return -ENOMEM;
	default:
		*ret_what = z->msg ? z->msg : "dictionary needed";
		return STEP_CORRUPT;
	}
}

/* A frame, or a skippable frame (first byte 50..5f) as pzstd and others put before the first one. */
static bool zstd_detect(const unsigned char *p, size_t len)
{
	return len >= 4 &&
	       ((p[0] == 0x28 && p[1] == 0xb5 && p[2] == 0x2f && p[3] == 0xfd) ||
		((p[0] & 0xf0) == 0x50 && p[1] == 0x2a && p[2] == 0x4d && p[3] == 0x18));
}

static int zstd_start(struct td_unpack *u)
{
	u->zstd = ZSTD_createDStream();
	if (!u->zstd)
		return -ENOMEM;
	u->zstd_hint = ZSTD_initDStream(u->zstd);
	return 0;
}

/* zstd forgets what it unpacked in the call that meets an error, so it is given one block, or one
 * header, at a time: what it asks for, less the header of the block behind. */
static int zstd_step(struct td_unpack *u, struct out *o, const char **ret_what)
{
	size_t want =
		u->zstd_hint > ZSTD_BLOCK_HEADER ? u->zstd_hint - ZSTD_BLOCK_HEADER : u->zstd_hint;
	ZSTD_inBuffer in = { u->in + u->in_pos, TD_MIN(u->in_len - u->in_pos, want), 0 };
	ZSTD_outBuffer out = { o->p, o->size, o->pos };
	size_t r = ZSTD_decompressStream(u->zstd, &out, &in);

	u->in_pos += in.pos;
	o->pos = out.pos;
	if (ZSTD_isError(r)) {
		*ret_what = ZSTD_getErrorName(r);
		return ZSTD_getErrorCode(r) == ZSTD_error_memory_allocation ? -ENOMEM
									    : STEP_CORRUPT;
	}
	u->zstd_hint = r ? r : ZSTD_MAGIC_SIZE;
	return r ? STEP_MORE : STEP_FRAME_END;
}

/* The .xz File Format 2.1.1.1. */
static bool xz_detect(const unsigned char *p, size_t len)
{
	return len >= MAGIC_SIZE && memcmp(p, "\3757zXZ\0", MAGIC_SIZE) == 0;
}

/* What follows is the size of its blocks, '1' to '9', and the magic of the first block or of the end. */
static bool bzip2_detect(const unsigned char *p, size_t len)
{
	return len >= MAGIC_SIZE && memcmp(p, "BZh", 3) == 0 && p[3] >= '1' && p[3] <= '9' &&
	       (memcmp(p + 4, "1A", 2) == 0 || memcmp(p + 4, "\x17r", 2) == 0);
}

/* LZ4 Frame Format 1.6, Magic Number. */
static bool lz4_detect(const unsigned char *p, size_t len)
{
	return len >= 4 && memcmp(p, "\x04\x22\x4d\x18", 4) == 0;
}

static ssize_t filter_source(void *ctx, const void **ret)
{
	struct td_unpack *u = ctx;
	ssize_t n = (ssize_t)(u->in_len - u->in_pos); /* what was read to look at the magic */

	*ret = u->in + u->in_pos;
	if (!n) {
		*ret = u->in;
		n = raw_read(u, u->in, u->in_size);
	}
	u->in_pos = u->in_len = 0;
	return n;
}

static int filter_start(struct td_unpack *u)
{
	return td_filter_new(u->codec->support, filter_source, u, &u->filter);
}

static const struct codec codecs[] = {
	{ "gzip", gzip_detect, gzip_start, gzip_step, NULL },
	{ "zstd", zstd_detect, zstd_start, zstd_step, NULL },
	{ "xz", xz_detect, filter_start, NULL, archive_read_support_filter_xz },
	{ "bzip2", bzip2_detect, filter_start, NULL, archive_read_support_filter_bzip2 },
	{ "lz4", lz4_detect, filter_start, NULL, archive_read_support_filter_lz4 },
};

/* Reads to the end. */
static int skip_raw(struct td_unpack *u)
{
	ssize_t n;

	do
		n = raw_read(u, u->in, u->in_size);
	while (n > 0);
	u->in_pos = u->in_len = 0;
	u->end = true;
	return (int)n;
}

static int end_damaged(struct td_unpack *u, const char *how, const char *what)
{
	long long used = u->raw_bytes - (long long)(u->in_len - u->in_pos);

	(void)snprintf(u->damage, sizeof(u->damage), "%s %s data after %lld bytes%s%s%s", how,
		       u->codec->name, used, what ? " (" : "", what ? what : "", what ? ")" : "");
	return skip_raw(u);
}

static int more_input(struct td_unpack *u)
{
	ssize_t n = raw_read(u, u->in, u->in_size);

	if (n < 0)
		return (int)n;
	u->in_pos = 0;
	u->in_len = (size_t)n;
	if (n)
		return 0;
	u->end = true;
	return u->between ? 0 : end_damaged(u, "truncated", NULL);
}

static int step(struct td_unpack *u, struct out *o)
{
	const char *what = NULL;
	size_t pos = o->pos;
	int r;

	while (u->between && u->in_pos < u->in_len && !u->in[u->in_pos])
		u->in_pos++;
	if (u->in_pos < u->in_len)
		u->between = false;
	if (u->between)
		return more_input(u);
	r = u->codec->step(u, o, &what);
	if (r < 0)
		return r;
	if (r == STEP_CORRUPT)
		return end_damaged(u, "corrupt", what);
	u->between = r == STEP_FRAME_END;
	if (r == STEP_MORE && o->pos == pos && u->in_pos == u->in_len)
		return more_input(u);
	return 0;
}

static ssize_t read_plain(struct td_unpack *u, char *to, size_t size)
{
	size_t n = TD_MIN(size, u->in_len - u->in_pos); /* what was read to look at the magic */
	ssize_t r;

	if (n) {
		memcpy(to, u->in + u->in_pos, n);
		u->in_pos += n;
		return (ssize_t)n;
	}
	r = raw_read(u, to, size);
	u->end = r == 0;
	return r;
}

static ssize_t read_filtered(struct td_unpack *u, char *to, size_t size)
{
	const char *what = NULL;
	ssize_t n = td_filter_read(u->filter, to, size, &what);

	if (n == -EBADMSG)
		return end_damaged(u, "truncated or corrupt", what);
	return n == 0 ? skip_raw(u) : n;
}

static ssize_t read_frames(struct td_unpack *u, char *to, size_t size)
{
	ssize_t n = td_frames_read(u->frames, to, size);

	u->end = n == 0;
	return n;
}

static ssize_t read_steps(struct td_unpack *u, char *to, size_t size)
{
	struct out o = { to, size, 0 };

	while (!u->end && o.pos == 0) {
		int r = step(u, &o);

		if (r < 0)
			return r;
	}
	return (ssize_t)o.pos;
}

ssize_t td_unpack_read(struct td_unpack *u, char *to, size_t size)
{
	ssize_t n;

	if (u->end)
		return 0;
	n = u->frames   ? read_frames(u, to, size)
	    : u->filter ? read_filtered(u, to, size)
	    : u->codec  ? read_steps(u, to, size)
			: read_plain(u, to, size);
	if (n > 0 && !is_plain(u))
		td_beginnings_update(u->text, to, (size_t)n);
	return n;
}

bool td_unpack_place(const struct td_unpack *u, int *ret_fd, int64_t *ret_at)
{
	bool can = is_plain(u) && u->fd >= 0 && !u->end && u->in_pos == u->in_len;
	int64_t at = can ? lseek(u->fd, 0, SEEK_CUR) : -1;

	if (at < 0)
		return false;
	*ret_fd = u->fd;
	*ret_at = at;
	return true;
}

int td_unpack_take(struct td_unpack *u, const char *text, size_t len)
{
	if (lseek(u->fd, (off_t)len, SEEK_CUR) < 0)
		return -errno;
	count_raw(u, text, len);
	return 0;
}

int td_unpack_skip_rest(struct td_unpack *u)
{
	u->skipped |= !u->end;
	return skip_raw(u);
}

/* The first bytes, of which a pipe may bring a few at a time. What they are hashed for is known when they are. */
static int read_head(struct td_unpack *u, size_t min)
{
	while (u->in_len < min) {
		ssize_t n = fetch(u, u->in + u->in_len, u->in_size - u->in_len);

		if (n <= 0)
			return (int)n;
		u->in_len += (size_t)n;
	}
	return 0;
}

static int start_frames(struct td_unpack *u)
{
	int r = td_frames_new(raw_read, u, u->in, u->in_len, &u->frames);

	if (r == 0)
		count_raw(u, u->in, u->in_len);
	u->in_len = 0;
	return r;
}

static bool begins_frames(const struct td_unpack *u, size_t len)
{
	return u->in_len >= len && memcmp(u->in, TD_FRAMES_MARK, len) == 0;
}

static const struct codec *detect(const char *head, size_t len)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(codecs); i++)
		if (codecs[i].detect((const unsigned char *)head, len))
			return &codecs[i];
	return NULL;
}

static int start(struct td_unpack *u)
{
	int r;

	u->hash = XXH3_createState();
	u->text = td_beginnings_new();
	u->in = malloc(u->in_size);
	if (!u->hash || !u->text || !u->in)
		return -ENOMEM;
	(void)XXH3_128bits_reset(u->hash);
	r = read_head(u, MAGIC_SIZE);
	if (r == 0 && begins_frames(u, MAGIC_SIZE))
		r = read_head(u, TD_FRAMES_MARK_SIZE);
	if (r < 0)
		return r;
	if (begins_frames(u, TD_FRAMES_MARK_SIZE))
		return start_frames(u);
	u->codec = detect(u->in, u->in_len);
	count_raw(u, u->in, u->in_len);
	return u->codec ? u->codec->start(u) : 0;
}

bool td_unpack_is_packed(const char *head, size_t len)
{
	return detect(head, len) || (len >= TD_FRAMES_MARK_SIZE &&
				     memcmp(head, TD_FRAMES_MARK, TD_FRAMES_MARK_SIZE) == 0);
}

/* size_bytes: of it all, -1: unknown */
static int new_unpack(int fd, const char *mem, int64_t size_bytes, struct td_unpack **ret)
{
	_cleanup_(td_unpack_freep) struct td_unpack *u = calloc(1, sizeof(*u));
	int r;

	if (!u)
		return -ENOMEM;
	u->fd = fd;
	u->mem = mem;
	u->mem_len = mem ? (size_t)size_bytes : 0;
	u->in_size = size_bytes < 0 ? IN_SIZE_MAX
				    : TD_MIN(TD_MAX((size_t)size_bytes, IN_SIZE_MIN), IN_SIZE_MAX);
	r = start(u);
	if (r < 0) {
		u->fd = -1; /* stays the caller's */
		return r;
	}
	*ret = TAKE_PTR(u);
	return 0;
}

int td_unpack_new_fd(int *fd, int64_t size_bytes, struct td_unpack **ret)
{
	int r = new_unpack(*fd, NULL, size_bytes, ret);

	if (r == 0)
		*fd = -1;
	return r;
}

int td_unpack_new_mem(const char *data, size_t len, struct td_unpack **ret)
{
	return new_unpack(-1, data, (int64_t)len, ret);
}

void td_unpack_free(struct td_unpack *u)
{
	if (!u)
		return;
	if (u->gzip_started)
		(void)inflateEnd(&u->gzip);
	(void)ZSTD_freeDStream(u->zstd);
	td_frames_free(u->frames);
	td_filter_free(u->filter);
	(void)XXH3_freeState(u->hash);
	td_beginnings_free(u->text);
	free(u->in);
	if (u->fd >= 0)
		close(u->fd);
	free(u);
}

const char *td_unpack_codec(const struct td_unpack *u)
{
	return u->frames ? "zstd" : u->codec ? u->codec->name : "plain";
}

const char *td_unpack_damage(struct td_unpack *u)
{
	if (u->frames)
		return td_frames_damage(u->frames);
	return u->damage[0] ? u->damage : NULL;
}

int64_t td_unpack_raw_bytes(const struct td_unpack *u)
{
	return u->raw_bytes;
}

void td_unpack_disk_hash(const struct td_unpack *u, char ret_hex[33])
{
	if (is_plain(u))
		td_beginnings_hash(u->text, ret_hex);
	else
		td_hash_hex(XXH3_128bits_digest(u->hash), ret_hex);
}

bool td_unpack_text_hash(const struct td_unpack *u, char ret_hex[33])
{
	/* of plain text all of it, also if some was not handed out */
	if (u->skipped && !is_plain(u))
		return false;
	td_beginnings_hash(u->text, ret_hex);
	return true;
}

const struct td_beginnings *td_unpack_beginnings(const struct td_unpack *u)
{
	return u->skipped ? NULL : u->text;
}
