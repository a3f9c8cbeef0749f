/* SPDX-License-Identifier: MIT */
/* A thread that unpacks ahead of the reader: the same text, the same end, the same errors, and no waiting. */
#include <fcntl.h>
#include <sys/mman.h>
#include <zlib.h>
#include <zstd.h>

#include "common/cleanup.h"
#include "common/readahead.h"
#include "common/strbuf.h"
#include "common/stream.h"
#include "tests/unit/check.h"

#define TEXT_SIZE ((size_t)5 << 20)

static char *text; /* TEXT_SIZE bytes of lines */

static void make_text(void)
{
	uint64_t x = 1;
	size_t n = 0;

	text = malloc(TEXT_SIZE + 64);
	while (n < TEXT_SIZE) {
		x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
		n += (size_t)snprintf(text + n, 64, "%llu read case_%05u.npy\n",
				      (unsigned long long)x >> 20, (unsigned)(x >> 48));
	}
	text[TEXT_SIZE - 1] = '\n';
}

struct packed {
	char *p;
	size_t len;
};

static void packed_done(struct packed *k)
{
	free(k->p);
}

static struct packed pack_plain(void)
{
	struct packed k = { malloc(TEXT_SIZE), TEXT_SIZE };

	memcpy(k.p, text, k.len);
	return k;
}

static struct packed pack_gzip(void)
{
	struct packed k = { malloc(2 * TEXT_SIZE), 0 };
	z_stream z = { 0 };

	TD_CHECK_INT(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (Bytef *)text;
	z.avail_in = TEXT_SIZE;
	z.next_out = (Bytef *)k.p;
	z.avail_out = 2 * TEXT_SIZE;
	TD_CHECK_INT(deflate(&z, Z_FINISH), Z_STREAM_END);
	k.len = 2 * TEXT_SIZE - z.avail_out;
	(void)deflateEnd(&z);
	return k;
}

static struct packed pack_zstd(void)
{
	size_t cap = ZSTD_compressBound(TEXT_SIZE);
	struct packed k = { malloc(cap), 0 };

	k.len = ZSTD_compress(k.p, cap, text, TEXT_SIZE, 1);
	TD_CHECK(!ZSTD_isError(k.len));
	return k;
}

static const struct {
	const char *name;
	struct packed (*pack)(void);
} codecs[] = { { "plain", pack_plain }, { "gzip", pack_gzip }, { "zstd", pack_zstd } };

/* What the reader gets without the thread, for the hash. */
static void hash_of(const struct packed *k, char ret[33])
{
	_cleanup_(td_unpack_freep) struct td_unpack *u = NULL;

	TD_CHECK_INT(td_unpack_new_mem(k->p, k->len, &u), 0);
	TD_CHECK_INT(td_unpack_skip_rest(u), 0);
	td_unpack_disk_hash(u, ret);
}

/* All of it, in pieces of many sizes. */
static void test_whole(size_t codec)
{
	_cleanup_(packed_done) struct packed k = codecs[codec].pack();
	_cleanup_(td_unpack_freep) struct td_unpack *u = NULL;
	struct td_readahead *ra = NULL;
	char *got = malloc(TEXT_SIZE + 1), hash[33], want[33];
	size_t n = 0;
	ssize_t r;

	TD_CASE(codecs[codec].name);
	TD_CHECK_INT(td_unpack_new_mem(k.p, k.len, &u), 0);
	TD_CHECK_INT(td_readahead_start(u, &ra), 0);
	while ((r = td_readahead_read(ra, got + n, TD_MIN(TEXT_SIZE + 1 - n, 1 + n % 300000))) > 0)
		n += (size_t)r;
	TD_CHECK_INT(r, 0);
	TD_CHECK_INT(td_readahead_read(ra, got, 1), 0);
	TD_CHECK_INT(td_readahead_raw_bytes(ra), k.len);
	td_readahead_stop(ra);
	TD_CHECK_INT(n, TEXT_SIZE);
	TD_CHECK(memcmp(got, text, TEXT_SIZE) == 0);
	hash_of(&k, want);
	td_unpack_disk_hash(u, hash);
	TD_CHECK_STR(hash, want);
	TD_CHECK(!td_unpack_damage(u));
	free(got);
}

/* Given up at any time, also when the thread waits for room. */
static void test_stopped(size_t codec)
{
	_cleanup_(packed_done) struct packed k = codecs[codec].pack();
	char byte;

	TD_CASE(codecs[codec].name);
	for (int reads = 0; reads < 3; reads++) {
		_cleanup_(td_unpack_freep) struct td_unpack *u = NULL;
		struct td_readahead *ra = NULL;

		TD_CHECK_INT(td_unpack_new_mem(k.p, k.len, &u), 0);
		TD_CHECK_INT(td_readahead_start(u, &ra), 0);
		for (int i = 0; i < reads; i++)
			TD_CHECK_INT(td_readahead_read(ra, &byte, 1), 1);
		if (reads == 2) /* long enough for it to fill its blocks */
			(void)usleep(20000);
		td_readahead_stop(ra);
		TD_CHECK_INT(td_unpack_skip_rest(u), 0);
		TD_CHECK_INT(td_unpack_raw_bytes(u), k.len);
	}
}

/* The lines of a stream, which begins to read ahead behind the first MiB. Half of it, then the rest is
 * skipped; or all of it, of which the last bytes are missing. */
static void check_lines(const struct packed *k, size_t len, size_t stop_at, size_t want)
{
	_cleanup_(td_stream_closep) struct td_stream *s = NULL;
	struct td_err err = { "" };
	struct td_line line;
	int64_t disk_bytes = 0;
	size_t n = 0;
	int r = 1;

	TD_CHECK_INT(td_stream_open_mem(k->p, len, &s), 0);
	while (n < stop_at && (r = td_stream_line(s, &line, &err)) > 0) {
		TD_CHECK(n + line.len <= TEXT_SIZE && memcmp(line.p, text + n, line.len) == 0);
		n += line.len + !line.unterminated;
		/* the last line is given when the end is known */
		TD_CHECK(!td_stream_truncated(s) || line.unterminated);
		TD_CHECK(td_stream_disk_bytes(s) >= disk_bytes);
		disk_bytes = td_stream_disk_bytes(s);
	}
	TD_CHECK_INT(r, n >= stop_at);
	TD_CHECK(n >= want);
	if (r)
		TD_CHECK_INT(td_stream_skip_rest(s, &err), 0);
	TD_CHECK_INT(td_stream_disk_bytes(s), len);
	TD_CHECK(td_stream_disk_hash(s) != NULL);
	if (len == k->len)
		TD_CHECK(!td_stream_truncated(s));
}

static void test_stream(size_t codec)
{
	_cleanup_(packed_done) struct packed k = codecs[codec].pack();
	_cleanup_(td_stream_closep) struct td_stream *s = NULL;
	struct td_line line;
	const char *damage;

	TD_CASE(codecs[codec].name);
	check_lines(&k, k.len, SIZE_MAX, TEXT_SIZE);
	check_lines(&k, k.len, TEXT_SIZE / 2, TEXT_SIZE / 2);
	check_lines(&k, k.len - 100, SIZE_MAX, TEXT_SIZE / 2);
	if (codec == 0)
		return;
	TD_CHECK_INT(td_stream_open_mem(k.p, k.len - 100, &s), 0);
	while (td_stream_line(s, &line, NULL) > 0)
		;
	damage = td_stream_truncated(s);
	TD_CHECK(damage && strstr(damage, "truncated"));
}

/* What was read before the error comes first. The thread is four blocks ahead and waits when the file
 * becomes one that cannot be read. */
static void test_error(void)
{
	int fd = memfd_create("readahead", MFD_CLOEXEC), number = fd;
	_cleanup_close_ int write_only = open("/dev/null", O_WRONLY | O_CLOEXEC);
	_cleanup_(td_unpack_freep) struct td_unpack *u = NULL;
	struct td_readahead *ra = NULL;
	char *got = malloc(TEXT_SIZE);
	size_t n = 0;
	ssize_t r;

	TD_CASE("error");
	TD_CHECK(fd >= 0 && write_only >= 0);
	TD_CHECK_INT(write(fd, text, TEXT_SIZE), TEXT_SIZE);
	TD_CHECK_INT(lseek(fd, 0, SEEK_SET), 0);
	TD_CHECK_INT(td_unpack_new_fd(&fd, -1, &u), 0);
	TD_CHECK_INT(td_readahead_start(u, &ra), 0);
	(void)usleep(20000);
	TD_CHECK(dup2(write_only, number) == number);
	while ((r = td_readahead_read(ra, got + n, TEXT_SIZE - n)) > 0)
		n += (size_t)r;
	TD_CHECK_INT(r, -EBADF);
	TD_CHECK_INT(td_readahead_read(ra, got, 1), -EBADF);
	td_readahead_stop(ra);
	TD_CHECK(n > 0 && n < TEXT_SIZE && memcmp(got, text, n) == 0);
	free(got);
}

int main(void)
{
	make_text();
	for (size_t i = 0; i < TD_ARRAY_SIZE(codecs); i++) {
		test_whole(i);
		test_stopped(i);
		test_stream(i);
	}
	test_error();
	free(text);
	return td_check_result();
}
