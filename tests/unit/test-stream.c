/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "common/cleanup.h"
#include "common/strbuf.h"
#include "common/stream.h"
#include "tests/unit/check.h"

#define NOBODY 65534

/* printf 'one\ntwo\n' | gzip -n9 */
static const char gzip_one_two[] =
	"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\xcf\x4b\xe5\x2a\x29\xcf\xe7\x02\x00\xe6\x0b"
	"\xba\x12\x08\x00\x00\x00";
/* printf 'one\ntwo\n' | zstd --no-check: 6 bytes of frame header, 3 of block header, the text */
static const char zstd_one_two[] = "\x28\xb5\x2f\xfd\x00\x58\x41\x00\x00one\ntwo\n";
/* printf 'three\n' | zstd: with a checksum */
static const char zstd_three[] = "\x28\xb5\x2f\xfd\x04\x58\x31\x00\x00three\n\xd7\x06\xfd\x28";
/* RFC 8878, 3.1.2: a skippable frame of 3 bytes */
static const char zstd_skippable[] = "\x50\x2a\x4d\x18\x03\x00\x00\x00xyz";

/* A string literal that may hold NULs, as two arguments. */
#define BYTES(literal) (literal), sizeof(literal) - 1

/* All lines of a stream, one '\n' behind each that had one. */
struct all {
	struct td_strbuf text;
	uint64_t lines, cut;
	bool unterminated; /* the last one */
};

static void all_done(struct all *a)
{
	td_strbuf_done(&a->text);
}

static void read_all(struct td_stream *s, struct all *ret)
{
	struct td_err err = { "" };
	struct td_line line = { NULL };
	int r;

	while ((r = td_stream_line(s, &line, &err)) > 0) {
		TD_CHECK_INT(line.no, ret->lines + 1);
		TD_CHECK(line.p[line.len] == '\0' && !ret->unterminated);
		ret->lines++;
		ret->cut += line.cut;
		ret->unterminated = line.unterminated;
		td_strbuf_add(&ret->text, line.p, line.len);
		if (!line.unterminated)
			td_strbuf_addc(&ret->text, '\n');
	}
	TD_CHECK_INT(r, 0);
	TD_CHECK_INT(td_stream_line(s, &line, &err), 0);
}

/* What a stream over these bytes delivers, and why it ended ("" if it was complete). */
static void check_mem(const char *data, size_t len, const char *want, size_t want_len,
		      const char *want_damage)
{
	_cleanup_(td_stream_closep) struct td_stream *s = NULL;
	_cleanup_(all_done) struct all got = { TD_STRBUF_INIT };
	const char *damage;

	TD_CHECK_INT(td_stream_open_mem(data, len, &s), 0);
	read_all(s, &got);
	TD_CHECK_INT(got.text.len, want_len);
	TD_CHECK(got.text.len == want_len &&
		 (want_len == 0 || memcmp(got.text.p, want, want_len) == 0));
	damage = td_stream_truncated(s);
	TD_CHECK_STR(damage ? damage : "", want_damage);
	TD_CHECK_INT(td_stream_disk_bytes(s), len);
	TD_CHECK_INT(td_stream_disk_size(s), len);
}

static void test_line_ends(void)
{
	static const char data[] = "a\r\nb\rc\r\r\n\n\r\nx\0y\nlast\r";
	static const struct td_line want[] = {
		{ (char *)"a", 1 },    { (char *)"b\rc\r", 4 },
		{ (char *)"", 0 },     { (char *)"", 0 },
		{ (char *)"x\0y", 3 }, { (char *)"last\r", 5, .unterminated = true },
	};
	_cleanup_(td_stream_closep) struct td_stream *s = NULL;
	struct td_line line = { NULL };

	TD_CASE("line ends");
	TD_CHECK_INT(td_stream_open_mem(BYTES(data), &s), 0);
	for (size_t i = 0; i < TD_ARRAY_SIZE(want); i++) {
		TD_CHECK_INT(td_stream_line(s, &line, NULL), 1);
		TD_CHECK_INT(line.no, i + 1);
		TD_CHECK_INT(line.len, want[i].len);
		TD_CHECK(memcmp(line.p, want[i].p, want[i].len + 1) == 0);
		TD_CHECK(line.unterminated == want[i].unterminated && !line.cut);
	}
	TD_CHECK_INT(td_stream_line(s, &line, NULL), 0);
	TD_CHECK_INT(td_stream_text_bytes(s), sizeof(data) - 1);
}

static void test_empty(void)
{
	const char *head = NULL;
	size_t len = 1;
	_cleanup_(td_stream_closep) struct td_stream *s = NULL;

	TD_CASE("empty");
	check_mem("", 0, "", 0, "");
	check_mem(NULL, 0, "", 0, "");
	TD_CHECK_INT(td_stream_open_mem("", 0, &s), 0);
	TD_CHECK_INT(td_stream_peek(s, &head, &len), 0);
	TD_CHECK_INT(len, 0);
}

/* Lines as they stand in the text, so many at a time as fit; what does not fit is a line by itself. */
static void test_blocks(void)
{
	static const char data[] = "a\r\nbc\n\nlonger than a block\nd\ne";
	static const struct {
		int r;
		const char *block; /* NULL: by td_stream_line() */
	} want[] = {
		{ 1, "a\r\nbc\n\n" }, { 1, "" }, { 1, NULL }, { 1, "d\ne" }, { 0, "" },
	};
	_cleanup_(td_stream_closep) struct td_stream *s = NULL;
	struct td_line line = { NULL };

	TD_CASE("blocks");
	TD_CHECK_INT(td_stream_open_mem(BYTES(data), &s), 0);
	for (size_t i = 0; i < TD_ARRAY_SIZE(want); i++) {
		char block[10];
		size_t len = 99;

		if (!want[i].block) {
			TD_CHECK_INT(td_stream_line(s, &line, NULL), 1);
			TD_CHECK_STR(line.p, "longer than a block");
			continue;
		}
		TD_CHECK_INT(td_stream_lines(s, block, sizeof(block), &len, NULL), want[i].r);
		TD_CHECK_INT(len, strlen(want[i].block));
		TD_CHECK(len <= 10 && memcmp(block, want[i].block, len) == 0);
	}
}

/* Blocks and lines in turn give the whole text, whatever the blocks' size and that of what the stream holds: lines
 * of 0 to 5000 bytes, and one that the stream has to grow for. */
static void test_blocks_of_all_sizes(void)
{
	static const size_t sizes[] = { 1, 100, 4096, 100000, 300000, TD_LINE_MAX };
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;

	TD_CASE("blocks of all sizes");
	for (int i = 0; i < 400; i++)
		td_strbuf_addf(&text, "%0*d\n", i == 200 ? 900000 : i * 7919 % 5000, i);
	td_strbuf_adds(&text, "no newline");
	for (size_t i = 0; i < TD_ARRAY_SIZE(sizes); i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;
		_cleanup_(td_stream_closep) struct td_stream *s = NULL;
		_cleanup_free_ char *block = malloc(sizes[i]);
		struct td_line line = { NULL };
		size_t len = 0;

		TD_CHECK_INT(td_stream_open_mem(text.p, text.len, &s), 0);
		while (td_stream_lines(s, block, sizes[i], &len, NULL) > 0) {
			if (len) {
				td_strbuf_add(&got, block, len);
				continue;
			}
			TD_CHECK_INT(td_stream_line(s, &line, NULL), 1);
			td_strbuf_add(&got, line.p, line.len);
			if (!line.unterminated)
				td_strbuf_addc(&got, '\n');
		}
		TD_CHECK_INT(got.len, text.len);
		TD_CHECK(got.len == text.len && memcmp(got.p, text.p, got.len) == 0);
		TD_CHECK_INT(td_stream_text_bytes(s), text.len);
		TD_CHECK(td_stream_hash(s) != NULL);
	}
}

static size_t up_to_semicolon(const char *text, size_t len)
{
	const char *p = memrchr(text, ';', len);

	return p ? (size_t)(p + 1 - text) : 0;
}

/* Pieces that end at ';', of which some are put back, in their order, before what the stream still holds; what is
 * taken does not count twice. */
static void test_pieces_put_back(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT, got = TD_STRBUF_INIT;
	_cleanup_(td_stream_closep) struct td_stream *s = NULL;
	_cleanup_(td_strbuf_done) struct td_strbuf back = TD_STRBUF_INIT;
	static char piece[100000];
	size_t len = 0;

	TD_CASE("pieces put back");
	for (int i = 0; i < 300; i++)
		td_strbuf_addf(&text, "%0*d;", i * 7919 % 5000 + 1, i);
	td_strbuf_adds(&text, "no semicolon");
	TD_CHECK_INT(td_stream_open_mem(text.p, text.len, &s), 0);
	for (int i = 0; td_stream_pieces(s, up_to_semicolon, piece, sizeof(piece), &len, NULL) > 0;
	     i++) {
		td_strbuf_add(i == 1 || i == 2 ? &back : &got, piece, len);
		if (i != 2)
			continue;
		TD_CHECK(piece[len - 1] == ';');
		TD_CHECK_INT(td_stream_put_back(s, back.p, back.len), 0);
		TD_CHECK_INT(td_stream_taken_bytes(s), got.len);
	}
	TD_CHECK_INT(got.len, text.len);
	TD_CHECK(got.len == text.len && memcmp(got.p, text.p, got.len) == 0);
	TD_CHECK_INT(td_stream_taken_bytes(s), text.len);
}

/* A byte order mark (U+FEFF in UTF-8) is no text, but only at the begin. */
static void test_mark(void)
{
	_cleanup_(td_stream_closep) struct td_stream *s = NULL;
	const char *head = NULL;
	size_t len = 0;

	TD_CASE("byte order mark");
	check_mem(BYTES("\xef\xbb\xbf"
			"a\n\xef\xbb\xbf\n"),
		  BYTES("a\n\xef\xbb\xbf\n"), "");
	check_mem(BYTES("\xef\xbb\xbf"), "", 0, "");
	check_mem(BYTES("\xef\xbb"), BYTES("\xef\xbb"), "");
	TD_CHECK_INT(td_stream_open_mem(BYTES("\xef\xbb\xbf"
					      "abc"),
					&s),
		     0);
	TD_CHECK_INT(td_stream_peek(s, &head, &len), 0);
	TD_CHECK_INT(len, 3);
	TD_CHECK(len == 3 && memcmp(head, "abc", 3) == 0);
}

static void test_long_lines(void)
{
	static const struct {
		size_t len;
		const char *eol;
		bool cut, unterminated;
	} cases[] = {
		{ TD_LINE_MAX, "\n", false, false },      { TD_LINE_MAX, "\r\n", false, false },
		{ TD_LINE_MAX, "", false, true },         { TD_LINE_MAX + 1, "\n", true, false },
		{ TD_LINE_MAX + 1, "\r\n", true, false }, { TD_LINE_MAX + 1, "", true, false },
		{ TD_LINE_MAX + 2, "\n", true, false },   { 5 * TD_LINE_MAX, "\n", true, false },
		{ 5 * TD_LINE_MAX, "", true, false },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_stream_closep) struct td_stream *s = NULL;
		_cleanup_free_ char *data = malloc(6 + cases[i].len + 2 + 6);
		struct td_line line = { NULL };
		size_t len = 0;

		TD_CASE(cases[i].eol);
		memcpy(data, "first\n", 6);
		memset(data + 6, 'x', cases[i].len);
		len = 6 + cases[i].len;
		memcpy(data + len, cases[i].eol, strlen(cases[i].eol));
		len += strlen(cases[i].eol);
		if (*cases[i].eol) {
			memcpy(data + len, "after\n", 6);
			len += 6;
		}
		TD_CHECK_INT(td_stream_open_mem(data, len, &s), 0);
		TD_CHECK_INT(td_stream_line(s, &line, NULL), 1);
		TD_CHECK_INT(td_stream_line(s, &line, NULL), 1);
		TD_CHECK_INT(line.len, TD_MIN(cases[i].len, TD_LINE_MAX));
		TD_CHECK(line.p[0] == 'x' && line.p[line.len - 1] == 'x' && !line.p[line.len]);
		TD_CHECK(line.cut == cases[i].cut && line.unterminated == cases[i].unterminated);
		if (*cases[i].eol) {
			TD_CHECK_INT(td_stream_line(s, &line, NULL), 1);
			TD_CHECK_STR(line.p, "after");
			TD_CHECK_INT(line.no, 3);
		}
		TD_CHECK_INT(td_stream_line(s, &line, NULL), 0);
		TD_CHECK_INT(td_stream_text_bytes(s), len);
	}
}

static void test_recorded(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	TD_CASE("gzip");
	check_mem(BYTES(gzip_one_two), "one\ntwo\n", 8, "");
	td_strbuf_add(&b, BYTES(gzip_one_two));
	td_strbuf_add(&b, BYTES(gzip_one_two));
	TD_CASE("two members");
	check_mem(b.p, b.len, "one\ntwo\none\ntwo\n", 16, "");
	td_strbuf_add(&b, "\0\0\0\0\0", 5);
	TD_CASE("padding");
	check_mem(b.p, b.len, "one\ntwo\none\ntwo\n", 16, "");
	td_strbuf_addc(&b, '!'); /* 61 bytes of members and padding lie before it */
	TD_CASE("one byte behind the padding");
	check_mem(b.p, b.len, "one\ntwo\none\ntwo\n", 16, "truncated gzip data after 62 bytes");
	td_strbuf_adds(&b, "!!");
	TD_CASE("garbage");
	check_mem(b.p, b.len, "one\ntwo\none\ntwo\n", 16,
		  "corrupt gzip data after 63 bytes (incorrect header check)");
	TD_CASE("zstd");
	check_mem(BYTES(zstd_one_two), "one\ntwo\n", 8, "");
	td_strbuf_reset(&b);
	td_strbuf_add(&b, BYTES(zstd_skippable));
	td_strbuf_add(&b, BYTES(zstd_one_two));
	td_strbuf_add(&b, BYTES(zstd_skippable));
	td_strbuf_add(&b, BYTES(zstd_three));
	TD_CASE("zstd frames");
	check_mem(b.p, b.len, "one\ntwo\nthree\n", 14, "");
	TD_CASE("zstd without its last byte");
	check_mem(b.p, b.len - 1, "one\ntwo\nthree\n", 14, "truncated zstd data after 57 bytes");
	TD_CASE("zstd checksum"); /* 11 + 17 + 11 + 15 bytes before it; one of its 4 bytes was taken */
	b.p[b.len - 1] ^= 1;
	check_mem(b.p, b.len, "one\ntwo\nthree\n", 14,
		  "corrupt zstd data after 55 bytes (Restored data doesn't match checksum)");
}

/* About size bytes of lines like those of a trace; no '\r', so joined lines give it back. */
static void make_text(struct td_strbuf *b, size_t size, unsigned seed)
{
	while (b->len < size) {
		seed = seed * 1103515245 + 12345;
		td_strbuf_addf(b, "%u python3 %u read /data/case_%05u_x.npy", seed, seed >> 7,
			       seed >> 16);
		if (seed % 64 == 0)
			td_strbuf_add(b, "\0\n", 2);
		td_strbuf_addc(b, '\n');
	}
}

/* What was looked at comes again as lines, however far that was. */
static void test_peek_far(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	_cleanup_(td_stream_closep) struct td_stream *s = NULL;
	_cleanup_(all_done) struct all got = { TD_STRBUF_INIT };
	const char *head = NULL;
	size_t len = 0;

	TD_CASE("far");
	make_text(&text, TD_PEEK_FAR + 2 * TD_LINE_MAX, 5);
	TD_CHECK_INT(td_stream_open_mem(text.p, text.len, &s), 0);
	TD_CHECK_INT(td_stream_peek(s, &head, &len), 0);
	TD_CHECK_INT(len, TD_PEEK_MAX);
	TD_CHECK_INT(td_stream_peek_far(s, &head, &len), 0);
	TD_CHECK_INT(len, TD_PEEK_FAR);
	TD_CHECK(memcmp(head, text.p, TD_MIN(len, text.len)) == 0);
	read_all(s, &got);
	TD_CHECK(got.text.len == text.len && memcmp(got.text.p, text.p, text.len) == 0);
}

static void pack_gzip(struct td_strbuf *to, const char *text, size_t len)
{
	z_stream z = { 0 };
	char out[4096];
	int r;

	TD_CHECK_INT(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (Bytef *)text;
	z.avail_in = (uInt)len;
	do {
		z.next_out = (Bytef *)out;
		z.avail_out = sizeof(out);
		r = deflate(&z, Z_FINISH);
		td_strbuf_add(to, out, sizeof(out) - z.avail_out);
	} while (r == Z_OK);
	TD_CHECK_INT(r, Z_STREAM_END);
	(void)deflateEnd(&z);
}

static void pack_zstd(struct td_strbuf *to, const char *text, size_t len)
{
	size_t cap = ZSTD_compressBound(len);
	_cleanup_free_ char *out = malloc(cap);
	size_t n = ZSTD_compress(out, cap, text, len, 3);

	TD_CHECK(!ZSTD_isError(n));
	td_strbuf_add(to, out, n);
}

static void pack_plain(struct td_strbuf *to, const char *text, size_t len)
{
	td_strbuf_add(to, text, len);
}

static const struct {
	const char *name;
	void (*pack)(struct td_strbuf *to, const char *text, size_t len);
} codecs[] = { { "plain", pack_plain }, { "gzip", pack_gzip }, { "zstd", pack_zstd } };

/* A child that writes the bytes to our stdin in pieces of 1, 2, 3, ... bytes; returns its pid. */
static pid_t feed_stdin(const struct td_strbuf *b)
{
	int fds[2];
	pid_t pid;

	if (pipe(fds) < 0 || (pid = fork()) < 0)
		return -1;
	if (pid == 0) {
		size_t piece = 1;
		ssize_t n = 1;

		close(fds[0]);
		for (size_t pos = 0; pos < b->len && n > 0; pos += (size_t)n, piece++)
			n = write(fds[1], b->p + pos, TD_MIN(piece, b->len - pos));
		_exit(n <= 0);
	}
	close(fds[1]);
	(void)dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	return pid;
}

/* Two packed halves, through a pipe in odd pieces: what comes out is what went in. */
static void test_stdin(size_t codec)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT, packed = TD_STRBUF_INIT;
	_cleanup_(td_stream_closep) struct td_stream *s = NULL;
	_cleanup_(all_done) struct all got = { TD_STRBUF_INIT };
	struct td_err err = { "" };
	const char *head = NULL;
	size_t head_len = 0;
	int status = -1;
	pid_t pid;

	TD_CASE(codecs[codec].name);
	make_text(&text, 1500 * 1000, 1);
	codecs[codec].pack(&packed, text.p, text.len / 2);
	codecs[codec].pack(&packed, text.p + text.len / 2, text.len - text.len / 2);
	pid = feed_stdin(&packed);
	TD_CHECK(pid > 0);
	TD_CHECK_INT(td_stream_open("-", &s, &err), 0);
	TD_CHECK_STR(td_stream_codec(s), codecs[codec].name);
	TD_CHECK_INT(td_stream_disk_size(s), -1);
	TD_CHECK_INT(td_stream_peek(s, &head, &head_len), 0);
	TD_CHECK_INT(head_len, TD_PEEK_MAX);
	TD_CHECK(head && memcmp(head, text.p, head_len) == 0);
	read_all(s, &got);
	TD_CHECK_INT(got.text.len, text.len);
	TD_CHECK(got.text.len == text.len && memcmp(got.text.p, text.p, text.len) == 0);
	TD_CHECK(!td_stream_truncated(s) && !got.unterminated && !got.cut);
	TD_CHECK_INT(td_stream_disk_bytes(s), packed.len);
	TD_CHECK_INT(td_stream_text_bytes(s), text.len);
	TD_CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

/* However much is missing, what is delivered is a beginning of the text, and the loss is told. */
static void test_truncated(size_t codec)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT, packed = TD_STRBUF_INIT;

	TD_CASE(codecs[codec].name);
	make_text(&text, 3000, 2);
	codecs[codec].pack(&packed, text.p, 2000);
	codecs[codec].pack(&packed, text.p + 2000, text.len - 2000);
	for (size_t len = 4; len < packed.len; len++) {
		_cleanup_(td_stream_closep) struct td_stream *s = NULL;
		_cleanup_(all_done) struct all got = { TD_STRBUF_INIT };
		/* exact allocation: the sanitizer sees any read behind it */
		_cleanup_free_ char *copy = malloc(len);

		memcpy(copy, packed.p, len);
		TD_CHECK_INT(td_stream_open_mem(copy, len, &s), 0);
		read_all(s, &got);
		TD_CHECK(got.text.len <= text.len &&
			 (!got.text.len || memcmp(got.text.p, text.p, got.text.len) == 0));
		/* complete only where the second member is missing as a whole */
		TD_CHECK(td_stream_truncated(s) || got.text.len == 2000);
	}
}

/* A wrong byte anywhere ends the text early or spoils it, but never the reading of the file. */
static void test_corrupt(size_t codec)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT, packed = TD_STRBUF_INIT;
	unsigned damaged = 0;

	TD_CASE(codecs[codec].name);
	make_text(&text, 3000, 3);
	codecs[codec].pack(&packed, text.p, text.len);
	for (size_t i = 0; i < packed.len; i++) {
		_cleanup_(td_stream_closep) struct td_stream *s = NULL;
		_cleanup_(all_done) struct all got = { TD_STRBUF_INIT };

		packed.p[i] ^= 0x55;
		TD_CHECK_INT(td_stream_open_mem(packed.p, packed.len, &s), 0);
		read_all(s, &got);
		damaged += td_stream_truncated(s) != NULL;
		TD_CHECK_INT(td_stream_disk_bytes(s), packed.len);
		packed.p[i] ^= 0x55;
	}
	TD_CHECK(damaged > 10);
}

/* The blocks before a bad one are delivered. RFC 8878, 3.1.1: a frame header of 6 bytes when neither
 * size nor dictionary are stored; 3.1.1.2: block headers of 3 bytes, bit 0 last block, bits 1-2 type
 * (3 is reserved), the rest the size; a block holds 128 KiB of text at most. */
static void test_corrupt_block(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	_cleanup_free_ char *packed = malloc(ZSTD_compressBound(1000 * 1000));
	ZSTD_CCtx *ctx = ZSTD_createCCtx();
	unsigned char *block = (unsigned char *)packed + 6;
	char want[100];
	size_t n;

	TD_CASE("corrupt block");
	make_text(&text, 900 * 1000, 4);
	(void)ZSTD_CCtx_setParameter(ctx, ZSTD_c_contentSizeFlag, 0);
	n = ZSTD_compress2(ctx, packed, ZSTD_compressBound(1000 * 1000), text.p, text.len);
	TD_CHECK(!ZSTD_isError(n));
	(void)ZSTD_freeCCtx(ctx);
	for (int i = 0; i < 3; i++)
		block += 3 +
			 ((unsigned)block[0] | (unsigned)block[1] << 8 | (unsigned)block[2] << 16) /
				 8;
	block[0] |= 3 << 1;
	(void)snprintf(want, sizeof(want), "corrupt zstd data after %d bytes (%s)",
		       (int)((char *)block - packed),
		       ZSTD_getErrorString(ZSTD_error_corruption_detected));
	check_mem(packed, n, text.p, (size_t)3 * 128 * 1024, want);
}

#define HASH_OF_NOTHING "99aa06d3014798d86001c324468d497f"

/* The digests of "" and "abc" as xxHash's own tools print them. */
static void test_hash(void)
{
	static const struct {
		const char *data, *want;
	} cases[] = {
		{ "", HASH_OF_NOTHING },
		{ "abc", "06b05ab6733a618578af5f94892f3950" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_stream_closep) struct td_stream *s = NULL;

		TD_CASE(cases[i].want);
		TD_CHECK_INT(td_stream_open_mem(cases[i].data, strlen(cases[i].data), &s), 0);
		TD_CHECK(td_stream_hash(s) == NULL);
		TD_CHECK_INT(td_stream_skip_rest(s, NULL), 0);
		TD_CHECK_STR(td_stream_hash(s), cases[i].want);
	}
}

/* Skipping and reading to the end give the same hash of what is on disk, also behind damage. */
static void test_hash_of_damaged(void)
{
	_cleanup_(td_stream_closep) struct td_stream *a = NULL, *b = NULL;
	_cleanup_(all_done) struct all got = { TD_STRBUF_INIT };
	char data[sizeof(gzip_one_two)], hash[33];

	TD_CASE("hash of damaged");
	memcpy(data, gzip_one_two, sizeof(data));
	data[10] = (char)0xff; /* an invalid block type, RFC 1951 3.2.3 */
	TD_CHECK_INT(td_stream_open_mem(data, sizeof(data), &a), 0);
	TD_CHECK_INT(td_stream_open_mem(data, sizeof(data), &b), 0);
	read_all(a, &got);
	TD_CHECK_INT(td_stream_skip_rest(b, NULL), 0);
	TD_CHECK(td_stream_truncated(a) != NULL);
	TD_CHECK_INT(got.lines, 0);
	TD_CHECK(td_stream_hash(b) == NULL);
	TD_CHECK_STR(td_stream_hash(a), HASH_OF_NOTHING);
	(void)snprintf(hash, sizeof(hash), "%s", td_stream_disk_hash(a));
	TD_CHECK_STR(td_stream_disk_hash(b), hash);
	TD_CHECK_INT(td_stream_disk_bytes(a), sizeof(data));
	TD_CHECK_INT(td_stream_disk_bytes(b), sizeof(data));
}

static void check_open_fails(const char *path, int want, const char *want_msg)
{
	_cleanup_(td_stream_closep) struct td_stream *s = NULL;
	struct td_err err = { "" };

	TD_CASE(path);
	TD_CHECK_INT(td_stream_open(path, &s, &err), want);
	TD_CHECK(s == NULL);
	TD_CHECK_STR(err.msg, want_msg);
}

/* In a child that is not root, because root may read everything. */
static void test_no_permission(const char *path)
{
	int status = -1;
	char want[100];
	pid_t pid;

	TD_CHECK_INT(chmod(path, 0), 0);
	(void)snprintf(want, sizeof(want), "cannot open '%s': Permission denied", path);
	pid = fork();
	if (pid == 0) {
		if (geteuid() == 0 && seteuid(NOBODY) < 0)
			_exit(TD_TEST_SKIP);
		td_check_failures = 0;
		check_open_fails(path, -EACCES, want);
		_exit(td_check_failures != 0);
	}
	TD_CASE("no permission");
	TD_CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	if (WEXITSTATUS(status) == TD_TEST_SKIP)
		printf("cannot become another user: unreadable files are not tested\n");
	else
		TD_CHECK_INT(WEXITSTATUS(status), 0);
}

static void test_errors(void)
{
	char path[] = "/tmp/td-test-stream-XXXXXX";
	int fd = mkstemp(path);

	TD_CHECK(fd >= 0);
	close(fd);
	check_open_fails("/", -EISDIR, "cannot open '/': Is a directory");
	check_open_fails("/nonexistent/x", -ENOENT,
			 "cannot open '/nonexistent/x': No such file or directory");
	/* page 0 is not mapped: reading it is the one EIO that is always at hand */
	check_open_fails("/proc/self/mem", -EIO,
			 "cannot open '/proc/self/mem': Input/output error");
	test_no_permission(path);
	unlink(path);
}

/* The master of a pseudoterminal gives what was written to the closed slave, then EIO. */
static void test_read_error(void)
{
	_cleanup_close_ int master = posix_openpt(O_RDWR | O_NOCTTY);
	_cleanup_close_ int slave = -1;
	_cleanup_(td_stream_closep) struct td_stream *s = NULL;
	struct td_err err = { "" };
	struct td_line line = { NULL };
	const char *head = NULL;
	size_t len = 0;

	TD_CASE("EIO behind the first line");
	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0 ||
	    (slave = open(ptsname(master), O_RDWR | O_NOCTTY)) < 0) {
		printf("no pseudoterminals here: read errors are not tested\n");
		return;
	}
	TD_CHECK_INT(write(slave, "line one\ntwo", 12), 12);
	close(slave);
	slave = -1;
	(void)dup2(master, STDIN_FILENO);
	TD_CHECK_INT(td_stream_open("-", &s, &err), 0);
	TD_CHECK_INT(td_stream_line(s, &line, &err), 1);
	TD_CHECK_STR(line.p, "line one");
	for (int i = 0; i < 2; i++) {
		TD_CHECK_INT(td_stream_line(s, &line, &err), -EIO);
		TD_CHECK_STR(err.msg, "cannot read 'stdin': Input/output error");
	}
	TD_CHECK_INT(td_stream_peek(s, &head, &len), -EIO);
	TD_CHECK_INT(td_stream_skip_rest(s, &err), -EIO);
	TD_CHECK(td_stream_hash(s) == NULL);
}

/* Buffers are as large as the file was when it was opened. */
static void test_grows(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	_cleanup_(td_stream_closep) struct td_stream *s = NULL;
	_cleanup_(all_done) struct all got = { TD_STRBUF_INIT };
	char path[] = "/tmp/td-test-stream-XXXXXX";
	_cleanup_close_ int fd = mkstemp(path);
	struct td_err err = { "" };

	TD_CASE("grows while it is open");
	make_text(&text, 3 * TD_LINE_MAX, 7);
	TD_CHECK_INT(write(fd, text.p, 10), 10);
	TD_CHECK_INT(td_stream_open(path, &s, &err), 0);
	TD_CHECK_INT(write(fd, text.p + 10, text.len - 10), text.len - 10);
	read_all(s, &got);
	TD_CHECK(got.text.len == text.len && memcmp(got.text.p, text.p, text.len) == 0);
	unlink(path);
}

/* 1.2 MB that gzip makes little more than 1 KB of, by lines and in blocks that end within a line of 3 bytes. */
static void test_monotonous(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT, packed = TD_STRBUF_INIT;
	_cleanup_(td_stream_closep) struct td_stream *s = NULL, *blocks = NULL;
	_cleanup_(all_done) struct all got = { TD_STRBUF_INIT };
	static char to[1000000]; /* 333,333 lines and a byte */
	struct td_err err = { "" };
	size_t n = 1, sum = 0;

	TD_CASE("monotonous");
	for (size_t i = 0; i < 400000; i++)
		td_strbuf_add(&text, "ab\n", 3);
	pack_gzip(&packed, text.p, text.len);
	TD_CHECK(packed.len < 2000);
	TD_CHECK_INT(td_stream_open_mem(packed.p, packed.len, &s), 0);
	read_all(s, &got);
	TD_CHECK_INT(got.lines, 400000);
	TD_CHECK(got.text.len == text.len && memcmp(got.text.p, text.p, text.len) == 0);
	TD_CHECK_INT(td_stream_open_mem(packed.p, packed.len, &blocks), 0);
	while (n > 0 && td_stream_lines(blocks, to, sizeof(to), &n, &err) >= 0) {
		TD_CHECK(memcmp(to, text.p, n) == 0 && n % 3 == 0);
		sum += n;
	}
	TD_CHECK_INT(sum, text.len);
}

int main(void)
{
	test_line_ends();
	test_empty();
	test_blocks();
	test_blocks_of_all_sizes();
	test_pieces_put_back();
	test_mark();
	test_peek_far();
	test_long_lines();
	test_recorded();
	for (size_t i = 0; i < TD_ARRAY_SIZE(codecs); i++)
		test_stdin(i);
	for (size_t i = 1; i < TD_ARRAY_SIZE(codecs); i++) {
		test_truncated(i);
		test_corrupt(i);
	}
	test_corrupt_block();
	test_hash();
	test_hash_of_damaged();
	test_errors();
	test_read_error();
	test_grows();
	test_monotonous();
	return td_check_result();
}
