/* SPDX-License-Identifier: MIT */
/*
 * A recording that is read in parts, the rows of its calls made out of turn, makes the same
 * database, to the byte, as one that is read record by record.
 *
 *     deferred SOURCES  recordings made here, parts of some records; our own samples
 *     deferred corpus   the samples below $TRACEDB_CORPUS
 */
#include "tests/property/in_parts.h"
#include "tests/unit/recording.h"

/* What the importer's caches hold at a time. */
#define THREADS 256
#define FILES 4096

/* Of less than a record, of a few, of many. */
static const size_t sizes[] = { 40, 500, 4000, 30000 };

struct text {
	struct td_strbuf buf;
	uint64_t random;
	uint64_t ns;
	unsigned tids, files; /* so many numbers there are */
	unsigned odd; /* one record in so many is no usual call; of these ... */
	bool spoils; /* ... some make no sense */
};

static unsigned pick(struct text *t, unsigned n)
{
	t->random = t->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(t->random >> 33) % n;
}

/* Several threads have the same place in the importer's cache, and sometimes a tid is in two processes. */
static uint32_t some_tid(struct text *t)
{
	return 10 + pick(t, t->tids) * (pick(t, 2) ? 1 : THREADS);
}

static uint32_t pid_of(struct text *t, uint32_t tid)
{
	return pick(t, 50) ? tid - tid % 3 : 10;
}

static uint32_t some_file(struct text *t)
{
	return pick(t, 8) ? 1 + pick(t, t->files) * (pick(t, 2) ? 1 : FILES) : 0;
}

/* Many begin at the same time, where the order of the rows is that of the records. */
static uint64_t some_time(struct text *t)
{
	t->ns += pick(t, 3) * 100;
	return t->ns - pick(t, 2) * 500;
}

#define OPS_KNOWN 8

static void call(struct text *t)
{
	uint32_t tid = some_tid(t);
	struct td_wire_call c = {
		.head = { .tid = tid, .flags = (uint8_t)(pick(t, 9) ? 0 : TD_WIRE_CALL_NO_RETURN) },
		.start_ns = some_time(t),
		.dur_ns = pick(t, 5000),
		.pid = pid_of(t, tid),
		.file = some_file(t),
		.fd = (int32_t)pick(t, 9),
		.op = (uint16_t)(1 + pick(t, OPS_KNOWN)),
		.ret = (int64_t)pick(t, 4000) - 9
	};

	td_wire_add(&t->buf, TD_WIRE_CALL, &c, sizeof(c), NULL);
}

static void call_io(struct text *t)
{
	static const uint8_t flags[] = { TD_WIRE_CALL_HAS_ASKED,
					 TD_WIRE_CALL_HAS_ASKED | TD_WIRE_CALL_HAS_OFFSET,
					 TD_WIRE_CALL_HAS_COLD | TD_WIRE_CALL_HAS_OFFSET,
					 TD_WIRE_CALL_HAS_ASKED | TD_WIRE_CALL_OUT };
	uint32_t tid = some_tid(t);
	struct td_wire_call_io c = { .head = { .tid = tid,
					       .flags = flags[pick(t, TD_ARRAY_SIZE(flags))] },
				     .start_ns = some_time(t),
				     .dur_ns = pick(t, 5000),
				     .pid = pid_of(t, tid),
				     .file = some_file(t),
				     .op = READ,
				     .cold_pages = (uint16_t)pick(t, 3),
				     .ret = (int32_t)pick(t, 5000),
				     .asked_bytes = pick(t, 5000),
				     .offset_bytes = pick(t, 3) * 4096 };

	td_wire_add(&t->buf, TD_WIRE_CALL_IO, &c, sizeof(c), NULL);
}

/* Some have texts or addresses, and are calls that are read in turn. */
static void call_wide(struct text *t)
{
	static const uint8_t flags[] = { TD_WIRE_CALL_HAS_ASKED, TD_WIRE_CALL_HAS_ADDRESS,
					 TD_WIRE_CALL_HAS_ADDRESS | TD_WIRE_CALL_HAS_ASKED,
					 TD_WIRE_CALL_COMM };
	uint32_t tid = some_tid(t);
	struct td_wire_call_text c = {
		.call = { .head = { .tid = tid, .flags = flags[pick(t, TD_ARRAY_SIZE(flags))] },
			  .start_ns = some_time(t),
			  .dur_ns = pick(t, 5000),
			  .pid = pid_of(t, tid),
			  .op = (uint16_t)(pick(t, 2) ? FUTEX : OPENAT),
			  .ret = -2 },
		.asked_bytes = pick(t, 3) ? pick(t, 12) : UINT64_MAX,
		.offset_bytes = 4096,
		.text_len = 6,
	};

	if (pick(t, 2))
		td_wire_add(&t->buf, TD_WIRE_CALL_WIDE, &c, sizeof(struct td_wire_call_wide), NULL);
	else
		td_wire_add(&t->buf, TD_WIRE_CALL_TEXT, &c,
			    offsetof(struct td_wire_call_text, text),
			    pick(t, 2) ? "/a/b.c" : "../b.c");
}

static void file(struct text *t, uint32_t number)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/data/%u.%u", number, pick(t, 4));
	add_file(&t->buf, number, pick(t, 30) ? 0 : TD_WIRE_FILE_CUT, TD_CLASS_REGULAR, number,
		 path);
}

static void spoilt(struct text *t)
{
	struct td_wire_call_wide c = {
		.call = { .head = { .tid = 10 }, .start_ns = some_time(t), .pid = 10, .op = READ }
	};

	switch (pick(t, 5)) {
	case 0:
		c.call.start_ns = UINT64_MAX - 7;
		break;
	case 1:
		c.call.dur_ns = UINT64_C(1) << 61;
		break;
	case 2:
		c.call.op = OPS_KNOWN + 9;
		break;
	case 3:
		c.call.ret = INT64_MAX;
		break;
	default:
		c.call.file = 77777777;
		break;
	}
	td_wire_add(&t->buf, pick(t, 9) ? TD_WIRE_CALL_WIDE : (enum td_wire_kind)200, &c, sizeof(c),
		    NULL);
}

static void other(struct text *t)
{
	uint32_t tid = some_tid(t);

	switch (pick(t, t->spoils ? 10 : 9)) {
	case 0:
		add_process(&t->buf, tid - tid % 3, pick(t, 2) ? TD_WIRE_PROCESS_EXEC : 0,
			    some_time(t), "python", "python x.py");
		break;
	case 1:
		add_exit(&t->buf, tid, tid - tid % 3,
			 (uint8_t)(pick(t, 2) ? TD_WIRE_EXIT_GROUP : 0), some_time(t), 0);
		break;
	case 2:
		add_sched(&t->buf, t->ns, t->ns + 5, t->ns + 9, t->ns + 20, 1, tid);
		break;
	case 3:
		add_op(&t->buf, (uint16_t)(1 + pick(t, OPS_KNOWN)), TD_LAYER_SYSCALL,
		       pick(t, 2) ? "read" : "lseek");
		break;
	case 4:
		add_op(&t->buf, (uint16_t)(1 + pick(t, OPS_KNOWN)), TD_LAYER_SYSCALL,
		       pick(t, 4) ? "write" : "io_uring_openat");
		break;
	case 5:
	case 6:
		file(t, 1 + pick(t, t->files) * (pick(t, 2) ? 1 : FILES));
		break;
	case 7:
	case 8:
		call_wide(t);
		break;
	default:
		spoilt(t);
		break;
	}
}

static void make(struct text *t, unsigned records)
{
	t->ns = T0;
	add_begin(&t->buf);
	for (unsigned i = 0; i < t->files; i++) {
		file(t, 1 + i);
		file(t, 1 + i * FILES);
	}
	for (unsigned i = 0; i < records; i++) {
		if (pick(t, t->odd) == 0)
			other(t);
		else if (pick(t, 3))
			call_io(t);
		else
			call(t);
	}
	add_end(&t->buf, TD_WIRE_WHY_COMMAND, 0);
}

/* --- */

static struct td_speculation_count total;

static void check(const char *path, size_t part_bytes)
{
	(void)td_parts_check(path, part_bytes, &total);
}

/* All of it, cut within a record, and with a byte that is another one. */
static void check_text(struct text *t, size_t part_bytes)
{
	char path[80];
	size_t len = t->buf.len, at = len / 2 + pick(t, 1000);

	(void)snprintf(path, sizeof(path), "%s/deferred.spool", td_both_dir);
	td_parts_write(path, &t->buf);
	td_parts_sizes(path, &td_parts_in_turn, check, &part_bytes, 1);
	t->buf.len = at;
	td_parts_write(path, &t->buf);
	td_parts_sizes(path, &td_parts_in_turn, check, &part_bytes, 1);
	t->buf.len = len;
	t->buf.p[at] ^= 0x55;
	td_parts_write(path, &t->buf);
	td_parts_sizes(path, &td_parts_in_turn, check, &part_bytes, 1);
	TD_CHECK_INT(unlink(path), 0);
}

static void check_texts(void)
{
	for (unsigned i = 0; i < 16; i++) {
		struct text t = {
			.buf = TD_STRBUF_INIT,
			.random = i,
			.tids = 1 + i % 5 * 3,
			.files = 1 + i % 7,
			.odd = i % 3 ? 4 + i * 3 : 1000,
			.spoils = i % 4 == 3,
		};

		TD_CASE("text");
		make(&t, 2000);
		check_text(&t, sizes[i % TD_ARRAY_SIZE(sizes)]);
		td_strbuf_done(&t.buf);
	}
	/* most of them are */
	TD_CHECK(total.joined > 1000);
}

int main(int argc, char **argv)
{
	return td_parts_main(argc, argv,
			     (struct td_parts_test){ .importer = "record",
						     .texts = check_texts,
						     .turn = &td_parts_in_turn,
						     .check = check,
						     .sizes = sizes,
						     .nsizes = TD_ARRAY_SIZE(sizes),
						     .corpus_size = 20000 });
}
