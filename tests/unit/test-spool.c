/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "collector/sink.h"
#include "collector/spool/spool.h"
#include "common/frames.h"
#include "common/stream.h"
#include "tests/unit/check.h"
#include "tests/unit/made_wire.h"
#include "tests/unit/read_whole.h"

static char folder[] = "/tmp/tracedb-spool-XXXXXX";
static char path[64];

static struct td_spool *create(const struct td_spool_options *options)
{
	struct td_spool *s = NULL;
	struct td_err err = { "" };

	(void)unlink(path);
	TD_CHECK_INT(td_spool_create(path, options, &s, &err), 0);
	TD_CHECK_STR(err.msg, "");
	return s;
}

static void close_spool(struct td_spool *s)
{
	struct td_err err = { "" };

	TD_CHECK_INT(td_spool_close(s, &err), 0);
	TD_CHECK_STR(err.msg, "");
}

/* What an import would see of bytes of a spool. */
static void unpack_bytes(const char *p, size_t len, struct td_strbuf *ret, bool *ret_cut)
{
	_cleanup_(td_stream_closep) struct td_stream *in = NULL;
	struct td_err err;
	const char *text;
	size_t n;

	td_strbuf_reset(ret);
	TD_CHECK_INT(td_stream_open_mem(p, len, &in), 0);
	while (td_stream_bytes(in, &text, &n, &err) > 0)
		td_strbuf_add(ret, text, n);
	*ret_cut = td_stream_truncated(in) != NULL;
}

static void unpack(const char *file, struct td_strbuf *ret, bool *ret_cut)
{
	size_t len = 0;
	_cleanup_free_ char *bytes = td_read_whole(file, &len);

	unpack_bytes(bytes, len, ret, ret_cut);
}

static void unpack_file(struct td_strbuf *ret, bool *ret_cut)
{
	unpack(path, ret, ret_cut);
}

/* Its frames stand alone. */
static void check_mark(const char *of)
{
	size_t len = 0;
	_cleanup_free_ char *bytes = td_read_whole(of, &len);

	TD_CHECK(len > TD_FRAMES_MARK_SIZE &&
		 memcmp(bytes, TD_FRAMES_MARK, TD_FRAMES_MARK_SIZE) == 0);
}

static off_t file_size(void)
{
	struct stat st = { 0 };

	TD_CHECK_INT(stat(path, &st), 0);
	return st.st_size;
}

static bool is_prefix(const struct td_strbuf *short_one, const struct td_strbuf *whole)
{
	return short_one->len <= whole->len &&
	       (!short_one->len || memcmp(short_one->p, whole->p, short_one->len) == 0);
}

static void pause_ms(long ms)
{
	(void)nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

/* Calls from number first on, which differ in ways that do not pack away. */
static void add_calls(struct td_strbuf *b, unsigned first, unsigned n)
{
	for (unsigned i = first; i < first + n; i++)
		td_wire_add_call(b, 1000 + i * 2654435761u % 8, i * UINT64_C(1000003) ^ i << 7,
				 (uint16_t)(1 + i % 5), i * 2654435761u % 1000);
}

/* --- cases --- */

static void test_whole(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf in = TD_STRBUF_INIT, out = TD_STRBUF_INIT;
	struct td_spool *s = create(&(struct td_spool_options){ 0 });
	struct td_err err = { "" };
	struct stat st;
	bool cut;

	TD_CASE("whole");
	add_calls(&in, 0, 100000); /* of 48 bytes each: 4.8 MB, so five frames at least */
	for (size_t at = 0; at < in.len; at += 48 * 100)
		TD_CHECK_INT(td_spool_put(s, in.p + at, 48 * 100, &err), 0);
	TD_CHECK_INT(td_spool_flush(s, true, &err), 0);
	TD_CHECK_INT(td_spool_flush(s, false, &err), 0); /* nothing to end */
	TD_CHECK_INT(td_spool_records(s), 100000);
	TD_CHECK_INT(td_spool_events(s), 100000);
	TD_CHECK_INT(td_spool_lost(s), 0);
	close_spool(s);
	unpack_file(&out, &cut);
	TD_CHECK(!cut);
	TD_CHECK_INT(out.len, in.len);
	TD_CHECK(is_prefix(&out, &in));
	TD_CHECK_INT(stat(path, &st), 0);
	TD_CHECK_INT(st.st_mode & 07777, 0600);
	TD_CHECK(st.st_size < (off_t)in.len / 2);
	TD_CHECK(st.st_blocks * 512 < st.st_size + 1024 * 1024); /* no room is left behind */
}

static void test_exists(void)
{
	_cleanup_(td_spool_abandonp) struct td_spool *s = NULL;
	struct td_err err = { "" };

	TD_CASE("exists");
	close_spool(create(&(struct td_spool_options){ 0 }));
	TD_CHECK_INT(td_spool_create(path, &(struct td_spool_options){ 0 }, &s, &err), -EEXIST);
	TD_CHECK(strstr(err.msg, "tracedb import ") != NULL);
	TD_CHECK_INT(td_spool_create("/nonexistent/x", &(struct td_spool_options){ 0 }, &s, &err),
		     -ENOENT);
	TD_CHECK_STR(err.msg, "cannot create '/nonexistent/x': No such file or directory");
}

/* What was flushed is in the file while the recording goes on, as after a kill. */
static void test_flushed(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf in = TD_STRBUF_INIT, out = TD_STRBUF_INIT;
	struct td_spool *s = create(&(struct td_spool_options){ 0 });
	struct td_err err = { "" };
	struct stat st = { 0 };
	bool cut;

	TD_CASE("flushed");
	add_calls(&in, 0, 1000);
	TD_CHECK_INT(td_spool_put(s, in.p, in.len, &err), 0);
	TD_CHECK_INT(td_spool_flush(s, false, &err), 0);
	TD_CHECK_INT(td_spool_put(s, in.p, 48, &err), 0); /* not flushed */
	for (int i = 0; i < 1000 && st.st_size < (off_t)td_spool_size_bytes(s); i++) {
		pause_ms(10);
		TD_CHECK_INT(stat(path, &st), 0);
	}
	TD_CHECK_INT(st.st_size, td_spool_size_bytes(s));
	unpack_file(&out, &cut);
	TD_CHECK(!cut);
	TD_CHECK_INT(out.len, in.len);
	TD_CHECK(is_prefix(&out, &in));
	td_spool_abandon(s);
}

/* Wherever it is cut, what is before the cut frame is there, and the cut is told unless it is between two. */
static void test_cut(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf in = TD_STRBUF_INIT, out = TD_STRBUF_INIT;
	struct td_spool *s = create(&(struct td_spool_options){ 0 });
	_cleanup_free_ char *bytes = NULL;
	size_t ends[4], len = 0, frame = 0;
	struct td_err err = { "" };
	bool cut;

	TD_CASE("cut");
	add_calls(&in, 0, 40);
	for (int i = 0; i < 4; i++) {
		TD_CHECK_INT(td_spool_put(s, in.p + i * 480, 480, &err), 0);
		TD_CHECK_INT(td_spool_flush(s, false, &err), 0);
		ends[i] = td_spool_size_bytes(s);
	}
	close_spool(s);
	bytes = td_read_whole(path, &len);
	TD_CHECK_INT(len, ends[3]);
	for (size_t at = 4; at <= len; at++) {
		unpack_bytes(bytes, at, &out, &cut);
		frame += frame < 4 && at >= ends[frame];
		TD_CHECK(is_prefix(&out, &in));
		TD_CHECK_INT(out.len, frame * 480);
		TD_CHECK_INT(cut, at != TD_FRAMES_MARK_SIZE && (!frame || at != ends[frame - 1]));
	}
}

/* The frames of 480 bytes that are whole in what was unpacked, as bits; -1: there is something else. */
static int frames_in(const struct td_strbuf *out, const struct td_strbuf *in)
{
	int frames = 0;

	if (out->len % 480)
		return -1;
	for (size_t at = 0; at < out->len; at += 480) {
		size_t i = 0;

		while (i * 480 < in->len && memcmp(in->p + i * 480, out->p + at, 480) != 0)
			i++;
		if (i * 480 == in->len || frames >> i)
			return -1; /* not there, or not in order */
		frames |= 1 << i;
	}
	return frames;
}

/* A damaged frame costs itself, whatever is in it, and none of another one. */
static void test_damaged(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf in = TD_STRBUF_INIT, out = TD_STRBUF_INIT;
	struct td_spool *s = create(&(struct td_spool_options){ 0 });
	_cleanup_free_ char *bytes = NULL;
	size_t ends[5] = { TD_FRAMES_MARK_SIZE }, len;
	struct td_err err = { "" };
	unsigned whole = 0;
	bool cut;

	TD_CASE("damaged");
	add_calls(&in, 0, 40);
	for (int i = 0; i < 4; i++) {
		TD_CHECK_INT(td_spool_put(s, in.p + i * 480, 480, &err), 0);
		TD_CHECK_INT(td_spool_flush(s, false, &err), 0);
		ends[i + 1] = td_spool_size_bytes(s);
	}
	close_spool(s);
	bytes = td_read_whole(path, &len);
	for (int i = 0; i < 4; i++)
		for (size_t bit = ends[i] * 8; bit < ends[i + 1] * 8; bit++) {
			int frames;

			bytes[bit / 8] ^= (char)(1 << bit % 8);
			unpack_bytes(bytes, len, &out, &cut);
			bytes[bit / 8] ^= (char)(1 << bit % 8);
			frames = frames_in(&out, &in);
			TD_CHECK(frames == 15 || frames == (15 & ~(1 << i)));
			TD_CHECK_INT(cut, frames != 15);
			whole += frames == 15;
		}
	/* few bits do not matter, as the one that RFC 8878 (3.1.1.1.1) tells a decoder to ignore */
	TD_CHECK(whole < len / 4);
	/* a piece that never reached the disk */
	memset(bytes + ends[1] + 3, 0, ends[3] - ends[1] - 6);
	unpack_bytes(bytes, len, &out, &cut);
	TD_CHECK_INT(frames_in(&out, &in), 1 | 8);
	TD_CHECK(cut);
}

/* Puts calls, 100 at a time and flushed from time to time, until there is an error; how many were put. */
static unsigned put_until(struct td_spool *s, int error)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct td_err err = { "" };
	unsigned n = 0;
	int r = 0;

	while (r == 0 && n < 100000000) {
		td_strbuf_reset(&b);
		add_calls(&b, n, 100);
		r = td_spool_put(s, b.p, b.len, &err);
		n += 100;
		if (r == 0 && n % 5000 == 0)
			r = td_spool_flush(s, false, &err);
	}
	TD_CHECK_INT(r, error);
	TD_CHECK(strstr(err.msg, path) != NULL);
	return n;
}

/* What was put is in the file or counted as lost, and the end of the recording is in it in any case. */
static void check_full(struct td_spool *s, unsigned put, uint64_t max_bytes)
{
	_cleanup_(td_strbuf_done) struct td_strbuf in = TD_STRBUF_INIT, out = TD_STRBUF_INIT;
	struct td_wire_end end = { .records = put };
	struct td_err err = { "" };
	unsigned stored;
	struct stat st;
	bool cut;

	td_spool_finish(s);
	TD_CHECK_INT(td_spool_events(s), put);
	stored = put - (unsigned)td_spool_lost(s);
	td_wire_add(&in, TD_WIRE_END, &end, sizeof(end), NULL);
	TD_CHECK_INT(td_spool_put(s, in.p, in.len, &err), 0);
	(void)td_spool_close(s, &err); /* says what was first to go wrong */
	TD_CHECK_INT(stat(path, &st), 0);
	TD_CHECK((uint64_t)st.st_size <= max_bytes);
	TD_CHECK(stored > 1000);
	td_strbuf_reset(&in);
	add_calls(&in, 0, stored);
	td_wire_add(&in, TD_WIRE_END, &end, sizeof(end), NULL);
	unpack_file(&out, &cut);
	TD_CHECK(!cut);
	TD_CHECK_INT(out.len, in.len);
	TD_CHECK(is_prefix(&out, &in));
}

static void test_max_size(void)
{
	struct td_spool *s = create(&(struct td_spool_options){ .max_size_bytes = 2000000 });

	TD_CASE("max size");
	check_full(s, put_until(s, -EFBIG), 2000000);
}

/* One put of more than all that is allowed: as much of it is there as has room. */
static void test_max_size_at_once(void)
{
	struct td_spool *s = create(&(struct td_spool_options){ .max_size_bytes = 2000000 });
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct td_err err = { "" };

	TD_CASE("max size at once");
	add_calls(&b, 0, 400000); /* 19 MB */
	TD_CHECK_INT(td_spool_put(s, b.p, b.len, &err), -EFBIG);
	check_full(s, 400000, 2000000);
	/* all but the room that is kept for the end, and less than the bound of a frame */
	TD_CHECK(file_size() > 2000000 - 256 * 1024 - 128 * 1024);
}

/* Hands it over in buffers of different sizes, with td_spool_put() between them, until that fails. How many calls. */
static unsigned put_in_turn(struct td_spool *s, const struct td_strbuf *in, int *ret)
{
	char *buffer = malloc(TD_SINK_BUFFER_BYTES);
	struct td_err err = { "" };
	size_t at = 0;

	*ret = 0;
	for (size_t i = 0; *ret == 0 && at < in->len; i++) {
		size_t n = TD_MIN(in->len - at, i % 3 == 2 ? 48 * 100 : 48 * 1000 * (1 + i % 20));

		if (i % 3 == 2) {
			*ret = td_spool_put(s, in->p + at, n, &err);
		} else {
			memcpy(buffer, in->p + at, n);
			*ret = td_spool_take(s, &buffer, n, &err);
		}
		at += n;
	}
	free(buffer);
	return (unsigned)(at / 48);
}

/* Whoever packs them, and however many do: they are in the file in the order in which they came. */
static void test_on_threads(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf in = TD_STRBUF_INIT, out = TD_STRBUF_INIT;
	struct td_spool *s = create(&(struct td_spool_options){ 0 });
	struct td_err err = { "" };
	bool cut;
	int r;

	TD_CASE("on threads");
	TD_CHECK_INT(td_spool_flush(s, false, &err), 0); /* from here on there may be some */
	add_calls(&in, 0, 800000); /* 38 MB: more than may be on its way */
	TD_CHECK_INT(put_in_turn(s, &in, &r), 800000);
	TD_CHECK_INT(r, 0);
	TD_CHECK_INT(td_spool_records(s), 800000);
	TD_CHECK_INT(td_spool_events(s), 800000);
	close_spool(s);
	unpack_file(&out, &cut);
	TD_CHECK(!cut);
	TD_CHECK_INT(out.len, in.len);
	TD_CHECK(is_prefix(&out, &in));
}

static void test_max_size_on_threads(void)
{
	struct td_spool *s = create(&(struct td_spool_options){ .max_size_bytes = 3000000 });
	_cleanup_(td_strbuf_done) struct td_strbuf in = TD_STRBUF_INIT;
	struct td_err err = { "" };
	unsigned put;
	int r;

	TD_CASE("max size on threads");
	TD_CHECK_INT(td_spool_flush(s, false, &err), 0);
	add_calls(&in, 0, 800000);
	put = put_in_turn(s, &in, &r);
	TD_CHECK_INT(r, -EFBIG);
	TD_CHECK(put < 800000);
	check_full(s, put, 3000000);
	TD_CHECK(file_size() > 3000000 - 256 * 1024 - 128 * 1024);
}

static void test_file_limit(void)
{
	struct rlimit before, limit;
	struct td_spool *s;

	TD_CASE("ulimit -f");
	(void)signal(SIGXFSZ, SIG_IGN);
	TD_CHECK_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 1500000;
	TD_CHECK_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
	s = create(&(struct td_spool_options){ .max_size_bytes = 2000000 });
	check_full(s, put_until(s, -EFBIG), 1500000);
	TD_CHECK_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
}

/* In a mount namespace of its own, so the test needs to be root. */
static void test_full_disk(void)
{
	struct td_spool *s;

	TD_CASE("full disk");
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", folder, "tmpfs", 0, "size=3m") < 0) {
		fprintf(stderr, "full disk: not tried: %s\n", strerror(errno));
		return;
	}
	s = create(&(struct td_spool_options){ 0 });
	check_full(s, put_until(s, -ENOSPC), 3 * 1024 * 1024);
	TD_CHECK_INT(umount(folder), 0);
}

/* What is said of loss where the disk is full comes when the recording is closed: once, whether it was in a frame that
 * could not be written or came after it. */
static void test_losses_of_full_disk(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf in = TD_STRBUF_INIT, out = TD_STRBUF_INIT;
	struct td_err err = { "" };
	uint64_t put = 0, found = 0;
	struct td_spool *s;
	bool cut;

	TD_CASE("losses of a full disk");
	if (mount("tmpfs", folder, "tmpfs", 0, "size=3m") < 0) {
		fprintf(stderr, "losses of a full disk: not tried: %s\n", strerror(errno));
		return;
	}
	s = create(&(struct td_spool_options){ 0 });
	for (int i = 0; i < 100; i++) {
		struct td_wire_loss loss = { .generated = 1u << i % 16, .lost = 1 };

		td_strbuf_reset(&in);
		td_wire_add(&in, TD_WIRE_LOSS, &loss, sizeof(loss), "");
		add_calls(&in, 0, 20000);
		put += loss.generated;
		(void)td_spool_put(s, in.p, in.len, &err);
		(void)td_spool_flush(s, false, &err);
	}
	td_spool_finish(s);
	TD_CHECK(td_spool_lost(s) > 0);
	(void)td_spool_close(s, &err);
	unpack_file(&out, &cut);
	for (size_t at = 0; at < out.len; at += ((const struct td_wire_head *)(out.p + at))->size)
		if (((const struct td_wire_head *)(out.p + at))->kind == TD_WIRE_LOSS)
			found += ((const struct td_wire_loss *)(out.p + at))->generated;
	TD_CHECK_INT(found, put);
	TD_CHECK_INT(umount(folder), 0);
}

/* --- flight recorder --- */

static void test_flight_recorder(void)
{
	struct td_spool *s = create(&(struct td_spool_options){ .keep_ns = 300000000 });
	_cleanup_(td_strbuf_done) struct td_strbuf in = TD_STRBUF_INIT, out = TD_STRBUF_INIT;
	struct td_err err = { "" };
	struct stat st;
	bool cut;

	TD_CASE("flight recorder");
	td_wire_add_file(&in, 1, "/old");
	add_calls(&in, 0, 1);
	TD_CHECK_INT(td_spool_put(s, in.p, in.len, &err), 0);
	TD_CHECK_INT(td_spool_flush(s, false, &err), 0);
	TD_CHECK(td_spool_kept_ns(s) == UINT64_MAX);
	pause_ms(400);
	td_strbuf_reset(&in);
	td_wire_add_file(&in, 2, "/new");
	add_calls(&in, 1, 1);
	TD_CHECK_INT(td_spool_put(s, in.p, in.len, &err), 0);
	TD_CHECK_INT(td_spool_flush(s, true, &err), 0);
	TD_CHECK(td_spool_kept_ns(s) >= 300000000);
	TD_CHECK_INT(stat(path, &st), 0);
	TD_CHECK_INT(st.st_size, 0);
	close_spool(s);
	/* the name of the old file, but not the call on it */
	td_strbuf_reset(&in);
	td_wire_add_file(&in, 1, "/old");
	td_wire_add_file(&in, 2, "/new");
	add_calls(&in, 1, 1);
	unpack_file(&out, &cut);
	TD_CHECK(!cut);
	TD_CHECK_INT(out.len, in.len);
	TD_CHECK(is_prefix(&out, &in));
}

/* Two in between and the end: each has all that was held then, and is closed by itself. */
static void test_flight_recorder_copies(void)
{
	struct td_spool *s =
		create(&(struct td_spool_options){ .keep_ns = UINT64_C(3600000000000) });
	_cleanup_(td_strbuf_done) struct td_strbuf in = TD_STRBUF_INIT, out = TD_STRBUF_INIT,
						   end = TD_STRBUF_INIT, part = TD_STRBUF_INIT;
	struct td_err err = { "" };
	char copy[80];
	bool cut;

	TD_CASE("copies of a flight recorder");
	(void)snprintf(copy, sizeof(copy), "%s/copy", folder);
	td_wire_add_file(&end, 9, "/end");
	for (uint64_t i = 0; i < 2; i++) {
		_cleanup_close_ int fd = -1;

		td_strbuf_reset(&part);
		add_calls(&part, i, 1);
		td_strbuf_add(&in, part.p, part.len);
		TD_CHECK_INT(td_spool_put(s, part.p, part.len, &err), 0);
		TD_CHECK_INT(td_spool_write_copy(s, copy, end.p, end.len, &fd, &err), 0);
		TD_CHECK_INT(td_spool_write_copy(s, copy, end.p, end.len, &fd, &err), -EBUSY);
		check_mark(copy);
		unpack(copy, &out, &cut);
		TD_CHECK(!cut);
		TD_CHECK_INT(out.len, in.len + end.len);
		TD_CHECK(out.len == in.len + end.len && memcmp(out.p, in.p, in.len) == 0);
		TD_CHECK_INT(unlink(copy), 0);
	}
	close_spool(s);
	unpack_file(&out, &cut);
	TD_CHECK_INT(out.len, in.len);
	TD_CHECK(is_prefix(&out, &in));
}

/* Files and calls beyond the memory that it may take: the newest are there, and all names. */
static void test_flight_recorder_memory(void)
{
	struct td_spool *s = create(&(struct td_spool_options){ .keep_ns = UINT64_C(3600000000000),
								.keep_max_bytes = 300000 });
	_cleanup_(td_strbuf_done) struct td_strbuf in = TD_STRBUF_INIT, out = TD_STRBUF_INIT;
	struct td_err err = { "" };
	unsigned files = 0, calls = 0;
	bool cut;

	TD_CASE("flight recorder's memory");
	for (unsigned i = 0; i < 100; i++) {
		td_strbuf_reset(&in);
		td_wire_add_file(&in, i + 1, "/name");
		add_calls(&in, 1000 * i, 1000);
		TD_CHECK_INT(td_spool_put(s, in.p, in.len, &err), 0);
		TD_CHECK_INT(td_spool_flush(s, false, &err), 0);
		TD_CHECK(td_spool_size_bytes(s) <= 300000);
	}
	close_spool(s);
	unpack_file(&out, &cut);
	TD_CHECK(!cut);
	for (size_t at = 0; at < out.len;) {
		const struct td_wire_head *h = (const void *)(out.p + at);

		files += h->kind == TD_WIRE_FILE;
		calls += h->kind == TD_WIRE_CALL;
		at += h->size;
	}
	TD_CHECK_INT(files, 100);
	TD_CHECK(calls >= 1000 && calls < 50000 && calls % 1000 == 0);
	/* the last thousand are the last that were put */
	td_strbuf_reset(&in);
	add_calls(&in, 99000, 1000);
	TD_CHECK(memcmp(out.p + out.len - in.len, in.p, in.len) == 0);
}

/* What must be kept does not fit: an error, not all memory. */
static void test_flight_recorder_names(void)
{
	_cleanup_(td_spool_abandonp) struct td_spool *s =
		create(&(struct td_spool_options){ .keep_ns = 1, .keep_max_bytes = 300000 });
	_cleanup_(td_strbuf_done) struct td_strbuf in = TD_STRBUF_INIT;
	struct td_err err = { "" };
	char name[32];
	int r = 0;

	TD_CASE("flight recorder's names");
	for (unsigned i = 0; i < 1000000 && r == 0; i++) {
		td_strbuf_reset(&in);
		(void)snprintf(name, sizeof(name), "/%08x", i * 2654435761u);
		td_wire_add_file(&in, i + 1, name);
		r = td_spool_put(s, in.p, in.len, &err);
		if (r == 0 && i % 100 == 0)
			r = td_spool_flush(s, false, &err);
	}
	TD_CHECK_INT(r, -EFBIG);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	(void)snprintf(path, sizeof(path), "%s/spool", folder);
	test_whole();
	test_exists();
	test_flushed();
	test_cut();
	test_damaged();
	test_max_size();
	test_max_size_at_once();
	test_on_threads();
	test_max_size_on_threads();
	test_file_limit();
	test_flight_recorder();
	test_flight_recorder_copies();
	test_flight_recorder_memory();
	test_flight_recorder_names();
	test_full_disk();
	test_losses_of_full_disk();
	(void)unlink(path);
	(void)rmdir(folder);
	return td_check_result();
}
