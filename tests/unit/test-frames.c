/* SPDX-License-Identifier: MIT */
/* Many frames that hardly pack, so that few of them fit into the bytes that are read for several
 * threads at once, and frames that pack well, of which many do: what zstd packed comes out, but for
 * a frame of which a byte was changed. */
#include <stdlib.h>
#include <zstd.h>

#include "common/cleanup.h"
#include "common/frames.h"
#include "common/strbuf.h"
#include "tests/unit/check.h"

#define FRAMES 40
#define FRAME_BYTES ((size_t)700 * 1024)

struct source {
	const char *p;
	size_t len;
};

static ssize_t read_source(void *arg, char *to, size_t size)
{
	struct source *s = arg;
	size_t n = TD_MIN(size, s->len);

	memcpy(to, s->p, n);
	s->p += n;
	s->len -= n;
	return (ssize_t)n;
}

/* Bytes of which nothing can be said, or the same ones again and again; no frame is like another. */
static void make(char *text, size_t frame, bool packs)
{
	uint32_t x = (uint32_t)frame + 1;

	for (size_t i = 0; i < FRAME_BYTES; i++) {
		x = x * 1664525 + 1013904223;
		text[i] = packs ? (char)(frame + i % 8) : (char)(x >> 24);
	}
}

/* One more frame behind the others. */
static void pack(struct td_strbuf *packed, ZSTD_CCtx *zstd, const char *text)
{
	size_t bound = ZSTD_compressBound(FRAME_BYTES), n;
	_cleanup_free_ char *frame = malloc(bound);

	n = frame ? ZSTD_compress2(zstd, frame, bound, text, FRAME_BYTES) : 0;
	TD_CHECK(n && !ZSTD_isError(n));
	td_strbuf_add(packed, frame, n);
}

/* spoilt: the frame of which a byte is changed; FRAMES: none. */
static void test(bool packs, size_t spoilt)
{
	_cleanup_(td_strbuf_done) struct td_strbuf packed = TD_STRBUF_INIT, want = TD_STRBUF_INIT;
	_cleanup_(td_frames_freep) struct td_frames *f = NULL;
	_cleanup_free_ char *text = malloc(FRAME_BYTES), *got = malloc(FRAMES * FRAME_BYTES + 1);
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	struct source source;
	size_t len = 0;
	ssize_t n;

	(void)ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
	for (size_t i = 0; i < FRAMES; i++) {
		make(text, i, packs);
		pack(&packed, zstd, text);
		if (i == spoilt)
			packed.p[packed.len - 1] ^= 1; /* of its checksum */
		else
			td_strbuf_add(&want, text, FRAME_BYTES);
	}
	ZSTD_freeCCtx(zstd);
	source = (struct source){ packed.p, packed.len };
	TD_CHECK_INT(td_frames_new(read_source, &source, TD_FRAMES_MARK, TD_FRAMES_MARK_SIZE, &f),
		     0);
	while ((n = td_frames_read(f, got + len, FRAMES * FRAME_BYTES + 1 - len)) > 0)
		len += (size_t)n;
	TD_CHECK_INT(n, 0);
	TD_CHECK_INT(len, want.len);
	TD_CHECK(len == want.len && memcmp(got, want.p, len) == 0);
	TD_CHECK(!td_frames_damage(f) == (spoilt == FRAMES));
}

int main(void)
{
	TD_CASE("frames that hardly pack");
	test(false, FRAMES);
	TD_CASE("frames that pack");
	test(true, FRAMES);
	TD_CASE("one of them is spoilt");
	test(false, 21);
	test(true, 21);
	return td_check_result();
}
