/* SPDX-License-Identifier: MIT */
/*
 * A spool's bytes behind its mark: however many of them are there at a time, the same comes out, and all of it is
 * whole frames of the input.
 */
#include <assert.h>
#include <zstd.h>

#include "common/frames.h"
#include "common/strbuf.h"
#include "tests/fuzz/fuzz.h"

struct piece {
	const uint8_t *p;
	size_t len, at_once;
};

static ssize_t next_piece(void *arg, char *to, size_t size)
{
	struct piece *from = arg;
	size_t n = TD_MIN(TD_MIN(size, from->at_once), from->len);

	memcpy(to, from->p, n);
	from->p += n;
	from->len -= n;
	return (ssize_t)n;
}

/* NULL damage: nothing was left out. */
static void read_all(const uint8_t *data, size_t size, size_t at_once, struct td_strbuf *ret,
		     bool *ret_damaged)
{
	struct piece from = { data, size, at_once };
	struct td_frames *f = NULL;
	char buf[4096];
	ssize_t n;

	if (td_frames_new(next_piece, &from, TD_FRAMES_MARK, TD_FRAMES_MARK_SIZE, &f) < 0)
		abort();
	/* frames of 4 MiB can be a few bytes each: the first 16 MiB will do */
	while (ret->len < (size_t)16 * 1024 * 1024 && (n = td_frames_read(f, buf, sizeof(buf))) > 0)
		td_strbuf_add(ret, buf, (size_t)n);
	*ret_damaged = td_frames_damage(f) != NULL;
	td_frames_free(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(td_strbuf_done) struct td_strbuf one = TD_STRBUF_INIT, two = TD_STRBUF_INIT;
	bool damaged, also;

	read_all(data, size, SIZE_MAX, &one, &damaged);
	read_all(data, size, 1 + size / 7, &two, &also);
	assert(one.len == two.len && damaged == also);
	assert(!one.len || memcmp(one.p, two.p, one.len) == 0);
	if (!damaged && size && one.len < 1024 * 1024) {
		_cleanup_free_ char *whole = malloc(one.len + 1);
		size_t n = whole ? ZSTD_decompress(whole, one.len + 1, data, size) : 0;

		/* then zstd itself, which knows nothing of the mark, has the same */
		assert(n == one.len && (!n || memcmp(whole, one.p, n) == 0));
	}
	return 0;
}
