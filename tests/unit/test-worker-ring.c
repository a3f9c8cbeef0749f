/* SPDX-License-Identifier: MIT */
/* The ring that hands out parts of a text: every line once and in order, both jobs of a place, what fails. */
#include <unistd.h>

#include "common/scan.h"
#include "common/strbuf.h"
#include "importers/core/worker_ring.h"
#include "tests/unit/check.h"

#define LINES 100000 /* more than a stream keeps */
#define ROOM 10

struct slot {
	struct td_ring_slot ring;
	uint64_t sum; /* of the part's numbers, by work() */
	uint64_t *finished; /* the sums that finish() has put by, owned by the test */
	bool busy; /* from begin() until it is free */
	bool fails; /* finish() is to */
};

struct all {
	struct td_strbuf text; /* as it was taken in */
	uint64_t sum, finished[8]; /* of all parts; of each place */
	size_t parts, places, done;
	size_t fail_begin, fail_take_in, fail_finish, stop; /* at that part, from 1; 0: at none */
	bool finish;
};

static struct td_strbuf numbers; /* 1 .. LINES */
static bool of_file; /* which several threads read, not memory */
static off_t shortened; /* > 0: to so many bytes once it is open */

static int init(void *ctx, struct td_ring_slot *slot)
{
	struct all *a = ctx;

	((struct slot *)slot)->finished = &a->finished[a->places++];
	return 0;
}

static int begin(void *ctx, struct td_ring_slot *slot)
{
	struct slot *s = (struct slot *)slot;
	struct all *a = ctx;

	TD_CHECK(!s->busy);
	s->busy = true;
	memset(slot->text - ROOM, 'x', ROOM);
	return a->parts + 1 == a->fail_begin ? -ENOSPC : 0;
}

static void work(struct td_ring_slot *slot)
{
	struct slot *s = (struct slot *)slot;
	struct td_scan scan = td_scan_of(slot->text, slot->len);
	uint64_t n;

	s->sum = 0;
	while (td_scan_u64(&scan, &n) && td_scan_char(&scan, '\n'))
		s->sum += n;
}

static int take_in(void *ctx, struct td_ring_slot *slot)
{
	struct slot *s = (struct slot *)slot;
	struct all *a = ctx;

	a->parts++;
	a->sum += s->sum;
	td_strbuf_add(&a->text, slot->text, slot->len);
	slot->finish = a->finish && a->parts % 3;
	s->fails = a->parts == a->fail_finish;
	if (!slot->finish) {
		*s->finished += s->sum;
		s->busy = false;
	}
	return a->parts == a->fail_take_in      ? -EIO
	       : a->stop && a->parts >= a->stop ? TD_PART_STOP
						: 0;
}

static int finish(struct td_ring_slot *slot)
{
	struct slot *s = (struct slot *)slot;

	*s->finished += s->sum;
	s->busy = false;
	return s->fails ? -ENOSPC : 0;
}

static void done(void *ctx, struct td_ring_slot *slot)
{
	((struct all *)ctx)->done++;
}

static void open_text(const char *text, size_t len, struct td_stream **ret)
{
	char path[] = "/tmp/td-test-ring-XXXXXX";
	struct td_err err = { "" };
	int fd;

	if (!of_file) {
		TD_CHECK_INT(td_stream_open_mem(text, len, ret), 0);
		return;
	}
	fd = mkstemp(path);
	TD_CHECK_INT(write(fd, text, len), len);
	TD_CHECK_INT(lseek(fd, 0, SEEK_SET), 0);
	TD_CHECK_INT(td_stream_open_fd(&fd, path, ret, &err), 0);
	if (shortened)
		TD_CHECK_INT(truncate(path, shortened), 0);
	TD_CHECK_INT(unlink(path), 0);
}

static int run_sized(struct all *a, const char *text, size_t len, const struct td_ring_size *size)
{
	static const struct td_ring_ops ops = {
		.slot_size = sizeof(struct slot),
		.room = ROOM,
		.whole = td_stream_whole_lines,
		.init = init,
		.begin = begin,
		.work = work,
		.take_in = take_in,
		.finish = finish,
		.done = done,
	};
	_cleanup_(td_stream_closep) struct td_stream *in = NULL;
	struct td_err err = { "" };
	unsigned threads = 0;
	int r;

	open_text(text, len, &in);
	r = td_worker_ring(in, size, &ops, a, &threads, &err);
	TD_CHECK(threads > 0);
	TD_CHECK_INT(a->places, 5);
	TD_CHECK_INT(a->done, 5);
	return r;
}

static int run(struct all *a, const char *text, size_t len)
{
	static const struct td_ring_size size = { .threads = 3, .slots = 5, .bytes = 100 };

	return run_sized(a, text, len, &size);
}

static void check_all(bool with_finish)
{
	struct all a = { .finish = with_finish };
	uint64_t sum = 0;

	TD_CASE(with_finish ? "both jobs" : "one job");
	TD_CHECK_INT(run(&a, numbers.p, numbers.len), 0);
	TD_CHECK_INT(a.sum, (uint64_t)LINES * (LINES + 1) / 2);
	TD_CHECK_STR(td_strbuf_str(&a.text), numbers.p);
	for (int i = 0; i < 5; i++)
		sum += a.finished[i];
	TD_CHECK_INT(sum, a.sum);
	td_strbuf_done(&a.text);
}

static void check_failures(void)
{
	struct all begins = { .fail_begin = 1 }, takes = { .fail_take_in = 7 };
	struct all finishes = { .fail_finish = 7, .finish = true }, stops = { .stop = 20 };

	TD_CASE("begin() fails");
	TD_CHECK_INT(run(&begins, numbers.p, numbers.len), -ENOSPC);
	TD_CHECK_INT(begins.parts, 0);
	TD_CASE("take_in() fails");
	TD_CHECK_INT(run(&takes, numbers.p, numbers.len), -EIO);
	TD_CHECK_INT(takes.parts, 7);
	TD_CASE("finish() fails");
	TD_CHECK_INT(run(&finishes, numbers.p, numbers.len), -ENOSPC);
	TD_CHECK(finishes.parts >= 7 && finishes.parts <= 7 + 2 * 5);
	TD_CASE("stop");
	TD_CHECK_INT(run(&stops, numbers.p, numbers.len), 1);
	TD_CHECK(stops.parts >= 20 && stops.parts <= 25);
	td_strbuf_done(&takes.text);
	td_strbuf_done(&finishes.text);
	td_strbuf_done(&stops.text);
}

/* Two parts of short lines, then a line that fits into none. */
static void check_long_line(void)
{
	struct all a = { .finish = true };
	struct td_strbuf text = TD_STRBUF_INIT;

	TD_CASE("a long line");
	for (int i = 0; i < 15; i++)
		td_strbuf_addf(&text, "%09d\n", i);
	td_strbuf_addf(&text, "%0101d\n", 1);
	TD_CHECK_INT(run(&a, text.p, text.len), 1);
	TD_CHECK_INT(a.text.len, 150);
	TD_CHECK_INT(a.sum, 14 * 15 / 2);
	td_strbuf_done(&a.text);
	td_strbuf_done(&text);
}

/* A line that is longer than what a thread keeps of the part before, but not than the parts. */
static void check_long_rest(void)
{
	static const struct td_ring_size large = { .threads = 3, .slots = 5, .bytes = 200000 };
	struct all a = { .finish = true };
	struct td_strbuf text = TD_STRBUF_INIT;

	TD_CASE("a long rest");
	for (int i = 0; i < 100; i++)
		td_strbuf_addf(&text, "%0*d\n", i % 10 == 5 ? 150000 : 9999, i);
	TD_CHECK_INT(run_sized(&a, text.p, text.len, &large), 0);
	TD_CHECK_INT(a.sum, 99 * 100 / 2);
	TD_CHECK_STR(td_strbuf_str(&a.text), text.p);
	td_strbuf_done(&a.text);
	td_strbuf_done(&text);
}

/* What is left of a file that somebody cuts while it is read is read, though more was expected. */
static void check_shortened(void)
{
	struct all a = { .finish = true };
	size_t head = 256 * 1024; /* at least so much is read when it is opened */
	struct td_strbuf text = TD_STRBUF_INIT;

	TD_CASE("shortened");
	while (text.len < 3 * head)
		td_strbuf_adds(&text, "000000001\n");
	shortened = (off_t)(2 * head) / 10 * 10;
	TD_CHECK_INT(run(&a, text.p, text.len), 0);
	TD_CHECK_INT(a.text.len, shortened);
	TD_CHECK_INT(a.sum, shortened / 10);
	shortened = 0;
	td_strbuf_done(&a.text);
	td_strbuf_done(&text);
}

int main(void)
{
	for (int i = 1; i <= LINES; i++)
		td_strbuf_addf(&numbers, "%d\n", i);
	for (int i = 0; i < 2; i++) {
		of_file = i;
		check_all(false);
		check_all(true);
		check_failures();
		check_long_line();
		check_long_rest();
	}
	check_shortened();
	td_strbuf_done(&numbers);
	return td_check_result();
}
