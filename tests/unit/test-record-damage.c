/* SPDX-License-Identifier: MIT */
/* Recordings whose clock is set, that end too early, or that are damaged. */
#include <zstd.h>

#include "common/frames.h"
#include "tests/unit/recording.h"

TD_DEFINE_CLEANUP(ZSTD_CCtx *, ZSTD_freeCCtx)

/* --- the clock --- */

#define OFFSET INT64_C(1700000000000000000)

/* A reading that took 2 * half_ns, of a wall clock that is ahead of the boot clock by the offset. */
static void add_anchor(struct td_strbuf *b, uint64_t at_ns, uint64_t half_ns, int64_t offset_ns)
{
	struct td_wire_anchor a = { .before_ns = at_ns - half_ns,
				    .after_ns = at_ns + half_ns,
				    .utc_ns = (int64_t)at_ns + offset_ns };

	td_wire_add(b, TD_WIRE_ANCHOR, &a, sizeof(a), NULL);
}

static void test_clock(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct td_alignment al;
	struct td_err err = { "" };

	TD_CASE("clock");
	add_begin(&b);
	for (uint64_t i = 0; i < 5000; i++) /* more than are kept */
		add_anchor(&b, T0 + i * TD_SEC_NS, 1000 + i % 7 * 10000, OFFSET);
	add_anchor(&b, 500, 1000, OFFSET); /* before after 0: spoilt */
	add_end(&b, TD_WIRE_WHY_COMMAND, 0);
	import_stream(&in, &b);
	check_counts(&in, BEGIN_RECORDS + 5001, 0, 1);
	TD_CHECK(in.has->nanchors <= 1024 && in.has->nanchors > 500);
	TD_CHECK_INT(td_align(in.st, &td_no_options.clocks, &al, &err), 0);
	TD_CHECK_INT(in.source->offset_ns, OFFSET);
	TD_CHECK_INT(in.source->error_ns, 1000);
	TD_CHECK_INT(in.source->clock, TD_CLOCK_BOOT);
	TD_CHECK_INT(td_issues_of(&in, "clock-set"), 0);
}

/* The wall clock is set forward by two seconds in the last quarter. */
static void test_clock_set(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct td_alignment al;
	struct td_err err = { "" };

	TD_CASE("clock, set");
	add_begin(&b);
	for (uint64_t i = 0; i < 100; i++)
		add_anchor(&b, T0 + i * TD_SEC_NS, 500, i < 75 ? OFFSET : OFFSET + 2 * TD_SEC_NS);
	add_end(&b, TD_WIRE_WHY_COMMAND, 0);
	import_stream(&in, &b);
	TD_CHECK_INT(td_align(in.st, &td_no_options.clocks, &al, &err), 0);
	TD_CHECK_INT(in.source->offset_ns, OFFSET);
	TD_CHECK_INT(in.source->error_ns, 500);
	TD_CHECK_INT(td_issues_of(&in, "clock-set"), 1);
	TD_CHECK(strstr(in.has->issues[0].text, "+2.000000 s") != NULL);
}

/* --- damage --- */

/* A stream with records of every kind that a killed recorder could have left. */
static void add_some(struct td_strbuf *b)
{
	add_begin(b);
	add_anchor(b, T0, 100, OFFSET);
	add_process(b, 10, 0, T0, "python", "python t.py");
	add_file(b, 1, 0, TD_CLASS_REGULAR, 7, "/data/x");
	for (uint64_t i = 0; i < 20; i++)
		td_wire_add_call(b, 10, T0 + i, READ, 1);
}
#define SOME_RECORDS (BEGIN_RECORDS + 23)

static void test_cut(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	size_t whole = 0, next = 0;

	TD_CASE("cut");
	add_some(&b);
	for (size_t len = 1; len <= b.len; len++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };
		bool between;

		while (next < len &&
		       next + ((const struct td_wire_head *)(b.p + next))->size <= len) {
			next += ((const struct td_wire_head *)(b.p + next))->size;
			whole++;
		}
		between = next == len;
		td_import_bytes(&in, &td_importer_record, b.p, len, NULL);
		TD_CHECK_INT(in.source->state, TD_STATE_CUT);
		TD_CHECK_INT(in.source->rows, whole);
		TD_CHECK_INT(in.source->issues, !between);
		TD_CHECK_STR(in.source->detail, between ? "it has no end: the recorder was killed"
							: "the last record is cut");
	}
	TD_CHECK_INT(whole, SOME_RECORDS);
}

/* In zstd frames, the last of them cut: what was in the others is there, and the cut is told. */
static void test_cut_frame(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT, packed = TD_STRBUF_INIT;
	char frame[8192];
	size_t n;

	TD_CASE("cut frame");
	add_some(&b);
	for (int i = 0; i < 2; i++) {
		n = ZSTD_compress(frame, sizeof(frame), b.p, b.len, 1);
		td_strbuf_add(&packed, frame, i ? n - 5 : n);
		td_strbuf_reset(&b);
		td_wire_add_call(&b, 10, T0 + 100, READ, 1);
	}
	td_import_bytes(&in, NULL, packed.p, packed.len, NULL);
	TD_CHECK_STR(in.source->importer, "record");
	TD_CHECK(in.source->rows >= SOME_RECORDS);
	TD_CHECK_INT(in.source->state, TD_STATE_CUT);
	TD_CHECK(strstr(in.source->detail, "truncated zstd data") != NULL);
}

/* Records as a frame of a spool; damaged: none of it may count. */
static void add_frame(struct td_strbuf *spool, struct td_strbuf *records, bool damaged)
{
	_cleanup_(ZSTD_freeCCtxp) ZSTD_CCtx *zstd = ZSTD_createCCtx();
	char frame[8192];
	size_t n;

	(void)ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
	n = ZSTD_compress2(zstd, frame, sizeof(frame), records->p, records->len);
	if (damaged)
		frame[n - 1] ^= 1; /* of the checksum */
	td_strbuf_add(spool, frame, n);
	td_strbuf_reset(records);
}

/* A damaged frame: the records of all others are there, and the missing ones are counted. */
static void test_damaged_frame(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT, spool = TD_STRBUF_INIT;
	struct td_wire_end end = { .time_ns = T0 + 9000, .records = SOME_RECORDS + 7 + 3 };

	TD_CASE("damaged frame");
	td_strbuf_add(&spool, TD_FRAMES_MARK, TD_FRAMES_MARK_SIZE);
	add_some(&b);
	add_frame(&spool, &b, false);
	for (uint64_t i = 0; i < 7; i++)
		td_wire_add_call(&b, 10, T0 + 100 + i, READ, 1);
	add_frame(&spool, &b, true);
	for (uint64_t i = 0; i < 3; i++)
		td_wire_add_call(&b, 10, T0 + 200 + i, READ, 1);
	td_wire_add(&b, TD_WIRE_END, &end, sizeof(end), NULL);
	add_frame(&spool, &b, false);
	td_import_bytes(&in, NULL, spool.p, spool.len, NULL);
	TD_CHECK_INT(in.source->rows, SOME_RECORDS + 3 + 1);
	TD_CHECK_INT(in.source->issues, 0);
	TD_CHECK_INT(in.source->lost_events, 7);
	TD_CHECK_INT(in.source->state, TD_STATE_CUT);
	TD_CHECK_INT(td_issues_of(&in, "damaged-frames"), 1);
	TD_CHECK(strstr(in.has->issues[0].text, "; 7 records are missing") != NULL);
}

/* So many frames that they are unpacked ahead, on several threads: of each that is whole there are
 * all calls, in order, of the others none. */
static void test_damaged_among_many(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT, spool = TD_STRBUF_INIT;
	size_t calls = 0;

	TD_CASE("damaged among many");
	td_strbuf_add(&spool, TD_FRAMES_MARK, TD_FRAMES_MARK_SIZE);
	add_some(&b);
	add_frame(&spool, &b, false);
	for (uint64_t i = 0; i < 90; i++) {
		bool damaged = i == 7 || i == 31 || i == 32 || i == 60;

		for (uint64_t k = 0; k <= i; k++)
			td_wire_add_call(&b, 10, T0 + 1000 + i * 100 + k, READ, 1);
		add_frame(&spool, &b, damaged);
		calls += damaged ? 0 : i + 1;
		if (i == 50)
			td_strbuf_add(&spool, "\0\0\0\0\0\0\0\0", 9);
	}
	td_import_bytes(&in, NULL, spool.p, spool.len, NULL);
	TD_CHECK_INT(in.source->rows, SOME_RECORDS + calls);
	/* 31 and 32 are one, the bytes behind 50 are another */
	TD_CHECK(strstr(in.has->issues[0].text, "corrupt zstd data in 4 places") != NULL);
	for (size_t i = 1; i < in.ncalls; i++)
		TD_CHECK(in.calls[i].start_ns > in.calls[i - 1].start_ns);
}

/* One record with one byte of it changed, and behind it one that is right. */
static void damage(const struct td_strbuf *record, size_t at, int value)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	add_begin(&b);
	at += b.len;
	td_strbuf_add(&b, record->p, record->len);
	b.p[at] = (char)value;
	td_wire_add_call(&b, 10, T0 + 777, READ, 0);
	td_import_bytes(&in, &td_importer_record, b.p, b.len, NULL);
	TD_CHECK(in.source->rows >= BEGIN_RECORDS);
}

/* Nothing aborts, and the core's sum of lines holds, whatever a record has in it. */
static void test_damaged_bytes(void)
{
	static const int values[] = { 0, 1, 7, 0x7f, 0x80, 0xff };
	_cleanup_(td_strbuf_done) struct td_strbuf all = TD_STRBUF_INIT;

	TD_CASE("damaged bytes");
	add_header(&all);
	add_op(&all, 9, TD_LAYER_LIBC, "fread");
	add_anchor(&all, T0, 100, OFFSET);
	add_process(&all, 10, 0, T0, "python", "python t.py");
	add_exit(&all, 10, 10, TD_WIRE_EXIT_GROUP, T0, 1);
	add_file(&all, 1, 0, TD_CLASS_REGULAR, 7, "/data/x");
	td_wire_add_call(&all, 10, T0, READ, 1);
	add_sched(&all, T0 + 10, T0 + 30, T0 + 35, T0 + 95, 1, 10);
	add_name(&all, TD_WIRE_NAME_USER, 0, "root");
	add_end(&all, TD_WIRE_WHY_COMMAND, 0);
	for (size_t from = 0; from < all.len;) {
		size_t size = ((const struct td_wire_head *)(all.p + from))->size;
		struct td_strbuf one = { .p = all.p + from, .len = size };

		for (size_t at = 0; at < size; at++)
			for (size_t v = 0; v < TD_ARRAY_SIZE(values); v++)
				damage(&one, at, values[v]);
		from += size;
	}
}

static void test_spoilt(void)
{
	static const struct {
		const char *name, *kind, *detail;
		uint64_t rows, skipped, issues;
	} want[] = {
		{ "no header", "no-header", "the begin of the recording is missing", 0, 0, 1 },
		{ "second header", "second-header",
		  "another recording follows: import it by itself", 1, 0, 1 },
		{ "unknown kind", "unknown-record", NULL, 2, 1, 0 },
		{ "short", "spoilt-record", NULL, 2, 0, 1 },
		{ "unknown operation", "unknown-op", NULL, 2, 0, 1 },
		{ "size", "spoilt-record", "from a spoilt record on nothing can be read", 1, 0, 1 },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(want); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };
		_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
		uint64_t odd[2] = { 0 };

		TD_CASE(want[i].name);
		if (i != 0)
			add_header(&b);
		switch (i) {
		case 1:
			add_header(&b);
			break;
		case 2:
			td_wire_add(&b, 200, odd, sizeof(odd), NULL);
			break;
		case 3:
			td_wire_add(&b, TD_WIRE_BLOCK, odd, sizeof(odd), NULL);
			break;
		case 4:
			td_wire_add_call(&b, 10, T0, 99, 0);
			break;
		case 5:
			odd[0] = 12; /* no multiple of 8 */
			td_strbuf_add(&b, (const char *)odd, sizeof(odd));
			break;
		}
		add_end(&b, TD_WIRE_WHY_COMMAND, 0);
		td_import_bytes(&in, &td_importer_record, b.p, b.len, NULL);
		check_counts(&in, want[i].rows, want[i].skipped, want[i].issues);
		TD_CHECK_INT(td_issues_of(&in, want[i].kind), 1);
		TD_CHECK_INT(in.source->state, want[i].detail ? TD_STATE_CUT : TD_STATE_COMPLETE);
		if (want[i].detail)
			TD_CHECK_STR(in.source->detail, want[i].detail);
	}
}

/* As a machine of the other byte order writes it, or a later version. */
static void test_foreign(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	_cleanup_(td_imported_done) struct td_imported swapped = { 0 }, newer = { 0 };
	struct td_wire_header *h;

	TD_CASE("foreign");
	add_begin(&b);
	h = (struct td_wire_header *)b.p;
	h->version = TD_WIRE_VERSION + 1;
	import_stream(&newer, &b);
	check_counts(&newer, 0, 0, 1);
	TD_CHECK_INT(td_issues_of(&newer, "other-version"), 1);
	h->byte_order = 0x04030201;
	h->head.size = (uint16_t)(h->head.size << 8);
	import_stream(&swapped, &b);
	check_counts(&swapped, 0, 0, 1);
	TD_CHECK_INT(td_issues_of(&swapped, "other-byte-order"), 1);
	TD_CHECK_INT(swapped.source->state, TD_STATE_CUT);
}

int main(void)
{
	test_clock();
	test_clock_set();
	test_cut();
	test_cut_frame();
	test_damaged_frame();
	test_damaged_among_many();
	test_damaged_bytes();
	test_spoilt();
	test_foreign();
	return td_check_result();
}
