/* SPDX-License-Identifier: MIT */
/*
 * Texts in parts, by a format made for it, in which a line is a call of the core:
 *     row N  sample N  span N  run N (a span of run N)  reject  repair  note  lost N  wall N S (a reading of the clock)
 *     layout X  tool X  clock N  base N  day N  cut X  tod S  fail
 * State is the number of the last 'state N', which every row holds. What bpftrace text does:
 * tests/property/speculative.c.
 */
#include <fcntl.h>

#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/stream.h"
#include "importers/core/import.h"
#include "store/store.h"
#include "tests/property/dump.h"
#include "tests/unit/check.h"

struct state {
	int64_t number;
};

static int put_row(struct td_import *imp, const struct state *s, int64_t n)
{
	struct td_call c = TD_CALL_INIT;
	char name[32];
	int len = snprintf(name, sizeof(name), "f%d", (int)(n % 7));

	c.start_ns = n;
	c.ret = s->number;
	c.op_id = td_store_op(imp->store, "read", 4, TD_LAYER_SYSCALL);
	c.file_id = td_store_file_name(imp->store, (struct td_str){ name, (size_t)len }, false);
	return td_put_call(imp, &c);
}

static int put_other(struct td_import *imp, const char *what, int64_t n)
{
	struct td_sample sample = { .ts_ns = n, .dur_ns = TD_NULL };
	struct td_span span = TD_SPAN_INIT;

	if (strcmp(what, "sample") == 0) {
		sample.track_id = td_store_track(imp->store, imp->source_id, "t", "%", 0, 0);
		return td_put_sample(imp, &sample);
	}
	if (strcmp(what, "run") == 0)
		span.run_number = (int32_t)n;
	span.start_ns = n;
	span.kind_id = td_store_cstr(imp->store, "kind");
	span.name_id = td_store_cstr(imp->store, "name");
	return td_put_span(imp, &span);
}

/* What is said of the source. false: it is none of these. */
static bool tell(struct td_import *imp, const char *what, int64_t n, const char *text)
{
	if (strcmp(what, "layout") == 0)
		td_import_set_layout(imp, text);
	else if (strcmp(what, "tool") == 0)
		td_import_set_tool(imp, text, "1", "host");
	else if (strcmp(what, "clock") == 0)
		td_import_set_clock(imp, n % 2 ? TD_CLOCK_UTC : TD_CLOCK_BOOT);
	else if (strcmp(what, "base") == 0)
		td_import_set_base(imp, n);
	else if (strcmp(what, "day") == 0)
		td_import_set_day_first(imp, n, true);
	else if (strcmp(what, "cut") == 0)
		td_import_set_cut(imp, text);
	else if (strcmp(what, "lost") == 0)
		td_lost(imp, (uint64_t)n);
	else
		return false;
	return true;
}

static int line(struct td_import *imp, char *p, size_t len)
{
	struct state *s = imp->state;
	struct td_scan sc = td_scan_of(p, len);
	char what[16] = "", text[32];
	struct td_str word;
	int64_t n = 0, m = 0;

	if (!td_scan_token(&sc, &word) || word.len >= sizeof(what))
		return td_reject(imp, "no-word");
	memcpy(what, word.p, word.len);
	(void)td_scan_blanks(&sc);
	(void)td_scan_i64(&sc, &n);
	(void)td_scan_blanks(&sc);
	(void)td_scan_i64(&sc, &m);
	(void)snprintf(text, sizeof(text), "%s %d", what, (int)n);
	if (strcmp(what, "row") == 0)
		return put_row(imp, s, n) < 0 ? -ENOMEM : TD_LINE_ROW;
	if (strcmp(what, "sample") == 0 || strcmp(what, "span") == 0 || strcmp(what, "run") == 0)
		return put_other(imp, what, n) < 0 ? -ENOMEM : TD_LINE_ROW;
	if (strcmp(what, "reject") == 0)
		return td_reject(imp, "rejected");
	if (strcmp(what, "fail") == 0)
		return -EIO;
	if (strcmp(what, "repair") == 0)
		td_repair(imp, "repaired");
	else if (strcmp(what, "note") == 0)
		td_note(imp, "noted", n % 2 ? NULL : text);
	else if (strcmp(what, "wall") == 0)
		td_import_clock_reading(imp, n, TD_CLOCK_LOCAL_TOD, m * TD_SEC_NS, TD_SEC_NS);
	else if (strcmp(what, "tod") == 0)
		return put_row(imp, s, td_import_unwrap_tod(imp, n * TD_SEC_NS)) < 0 ? -ENOMEM
										     : TD_LINE_ROW;
	else if (strcmp(what, "state") == 0)
		s->number = n;
	else if (!tell(imp, what, n, text))
		return td_reject(imp, "unknown");
	return TD_LINE_SKIPPED;
}

static int copy_state(void *to, const void *from)
{
	*(struct state *)to = *(const struct state *)from;
	return 0;
}

static bool same_state(const void *a, const void *b)
{
	return ((const struct state *)a)->number == ((const struct state *)b)->number;
}

static void state_done(void *state)
{
	(void)state;
}

static int sniff(const char *head, size_t len)
{
	(void)head;
	return len > 0;
}

static const struct td_importer_speculation parts = { copy_state, same_state, copy_state,
						      state_done };
static const struct td_importer made = {
	.name = "made",
	.desc = "made for this test",
	.clock = TD_CLOCK_BOOT,
	.state_size = sizeof(struct state),
	.sniff = sniff,
	.line = line,
	.speculation = &parts,
};

/* --- */

static struct td_import_options options_of(size_t part_bytes, struct td_speculation_count *count)
{
	return (struct td_import_options){ .clocks = TD_CLOCK_OPTIONS_NONE,
					   .threads = part_bytes ? 3 : 1,
					   .part_bytes = part_bytes,
					   .speculated = count };
}

/* Imports it in parts of that size; 0: line by line. */
static int import(const char *text, size_t len, size_t part_bytes,
		  struct td_speculation_count *count, struct td_strbuf *ret)
{
	struct td_import_options options = options_of(part_bytes, count);
	_cleanup_(td_store_freep) struct td_store *st = NULL;
	struct td_err err = { "" };
	int r;

	TD_CHECK_INT(td_store_new("/tmp/tracedb-test-parts", &st), 0);
	r = td_import_mem(st, text, len, "made", &made, &options, &err);
	td_dump_store(st, ret);
	td_dump_source(st, 1, ret);
	return r;
}

static void check_text(const char *text, size_t len, struct td_speculation_count *count)
{
	static const size_t sizes[] = { 10, 60, 500, 5000 };
	_cleanup_(td_strbuf_done) struct td_strbuf want = TD_STRBUF_INIT;
	int r = import(text, len, 0, NULL, &want);

	for (size_t i = 0; i < TD_ARRAY_SIZE(sizes); i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;

		TD_CHECK_INT(import(text, len, sizes[i], count, &got), r);
		TD_CHECK_STR(td_strbuf_str(&got), td_strbuf_str(&want));
	}
}

/* Rows, and now and then another line. */
static void check_line(const char *other, bool out_of_turn)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	struct td_speculation_count count = { 0, 0 };

	TD_CASE(other);
	for (int i = 0; i < 600; i++) {
		td_strbuf_addf(&text, "row %d\n", i);
		if (i % 60 == 59)
			td_strbuf_addf(&text, "%s %d %d\n", other, i, i * 100);
	}
	check_text(text.p, text.len, &count);
	TD_CHECK(count.joined > 0);
	/* not only because the state of the first parts was not the right one */
	TD_CHECK(out_of_turn == (count.again > 0));
}

static void test_lines(void)
{
	static const char *const alone[] = { "row",  "reject", "repair", "note",   "lost",
					     "wall", "sample", "span",   "unknown" };
	static const char *const in_turn[] = { "run", "layout", "tool", "clock", "base",
					       "day", "cut",    "tod",  "fail" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(alone); i++)
		check_line(alone[i], false);
	for (size_t i = 0; i < TD_ARRAY_SIZE(in_turn); i++)
		check_line(in_turn[i], true);
	check_line("state", true);
}

/* Whatever begins with a wrong guess is given up after some parts, and the rest is read line by line. */
static void test_given_up(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	_cleanup_(td_strbuf_done) struct td_strbuf want = TD_STRBUF_INIT, got = TD_STRBUF_INIT;
	struct td_speculation_count count = { 0, 0 };

	TD_CASE("given up");
	for (int i = 0; i < 5000; i++)
		td_strbuf_addf(&text, "run %d\n", i);
	TD_CHECK_INT(import(text.p, text.len, 0, NULL, &want), 0);
	TD_CHECK_INT(import(text.p, text.len, 100, &count, &got), 0);
	TD_CHECK_STR(td_strbuf_str(&got), td_strbuf_str(&want));
	TD_CHECK_INT(count.joined, 0);
	TD_CHECK(count.again >= 16 && count.again <= 16 + 7);
}

/* What was read before an error is there: from the master of a pseudoterminal, which gives what was written to the
 * closed slave and then EIO. */
static int import_then_error(const char *text, const char *format, size_t part_bytes,
			     struct td_strbuf *ret)
{
	struct td_import_options options = options_of(part_bytes, NULL);
	_cleanup_close_ int master = posix_openpt(O_RDWR | O_NOCTTY), slave = -1;
	_cleanup_(td_stream_closep) struct td_stream *in = NULL;
	_cleanup_(td_store_freep) struct td_store *st = NULL;
	struct td_origin from = { .options = &options };
	struct td_err err = { "" };
	int r;

	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0 ||
	    (slave = open(ptsname(master), O_RDWR | O_NOCTTY)) < 0)
		return -ENOTSUP;
	TD_CHECK_INT(write(slave, text, strlen(text)), strlen(text));
	close(slave);
	slave = -1;
	TD_CHECK_INT(td_stream_open_fd(&master, "terminal", &in, &err), 0);
	TD_CHECK_INT(td_store_new("/tmp/tracedb-test-parts", &st), 0);
	from.in = in;
	options.format = format;
	r = td_import_stream(st, &from, "terminal", &err);
	TD_CHECK_STR(err.msg, "cannot read 'terminal': Input/output error");
	td_dump_store(st, ret);
	td_dump_source(st, 1, ret);
	return r;
}

static void test_read_error(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf want = TD_STRBUF_INIT, got = TD_STRBUF_INIT;
	static const char row[] = "5311022417003     14:02:07  3311   python         R    5000    "
				  "4096       4096       f\n";
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	int r;

	TD_CASE("read error");
	td_strbuf_adds(&text, "TIMESTAMP TIME PID COMM R/W LAT(ns) REQUESTED RETURNED FILE\n");
	for (int i = 0; i < 20; i++)
		td_strbuf_adds(&text, row);
	td_strbuf_add(&text, row, 30); /* never ends */
	r = import_then_error(text.p, "bpftrace", 0, &want);
	if (r == -ENOTSUP) {
		printf("no pseudoterminals here: read errors are not tested\n");
		return;
	}
	TD_CHECK_INT(r, -EIO);
	TD_CHECK(strstr(want.p, "\nlines 21 20 1 0 "));
	TD_CHECK_INT(import_then_error(text.p, "bpftrace", 200, &got), -EIO);
	TD_CHECK_STR(td_strbuf_str(&got), td_strbuf_str(&want));
	/* also while it is looked at to see what it is */
	td_strbuf_reset(&got);
	TD_CHECK_INT(import_then_error(text.p, NULL, 0, &got), -EIO);
	TD_CHECK(strstr(got.p, "lines 0 0 0 0 "));
}

int main(void)
{
	test_lines();
	test_given_up();
	test_read_error();
	return td_check_result();
}
