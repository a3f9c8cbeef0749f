/* SPDX-License-Identifier: MIT */
/*
 * A text read in parts on several threads makes the same database, to the byte, as one read line by line.
 *
 *     speculative SOURCES  texts made here, parts of some lines; our own samples
 *     speculative corpus   the samples below $TRACEDB_CORPUS
 */
#include "tests/property/in_parts.h"

/* Of a few lines, of more than the lines from which the state before a part is guessed, of what a stream holds. */
static const size_t sizes[] = { 150, 1000, 9000, 300000 };

static struct td_speculation_count total; /* of all texts */
static void check_size(const char *path, size_t part_bytes)
{
	(void)td_parts_check(path, part_bytes, &total);
}

static void check_sizes(const char *path)
{
	td_parts_sizes(path, &td_parts_in_turn, check_size, sizes, TD_ARRAY_SIZE(sizes));
}

/* --- texts --- */

struct text {
	struct td_strbuf buf;
	uint64_t random;
	int64_t ts, step_ns; /* time since boot, and what a row adds to it */
};

static unsigned pick(struct text *t, unsigned n)
{
	t->random = t->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(t->random >> 33) % n;
}

/* 10:00 at time 0; a reading can be late. */
static const char *time_of_day(const struct text *t, int64_t late_ns, char buf[16])
{
	int64_t s = (t->ts + late_ns) / 1000000000 + 36000;

	(void)snprintf(buf, 16, "%02d:%02d:%02d", (int)(s / 3600 % 24), (int)(s / 60 % 60),
		       (int)(s % 60));
	return buf;
}

static const char *const comms[] = { "python", "Web Content", "a", "kworker/u8:3" };

static void vfs_rw(struct text *t)
{
	char tod[16], name[80];
	unsigned kind = pick(t, 50);

	/* a name of 63 bytes may have been cut; some have none */
	name[0] = '\0';
	if (kind == 0)
		(void)snprintf(name, sizeof(name), "%063u", pick(t, 3));
	else if (kind > 1)
		(void)snprintf(name, sizeof(name), "case_%05u_x.npy", pick(t, 300));
	t->ts += t->step_ns ? pick(t, (unsigned)(t->step_ns / 1000) * 2) * INT64_C(1000) : 0;
	td_strbuf_addf(&t->buf, "%-17" PRId64 " %s  %-6u %-14s %-4c %-7d %-10u %-10u %s\n",
		       t->ts - pick(t, 3) * INT64_C(1000000),
		       time_of_day(t, pick(t, 20) ? 0 : -INT64_C(30000000000), tod),
		       1000 + pick(t, 9), comms[pick(t, 4)], pick(t, 5) ? 'R' : 'W',
		       pick(t, 30) ? (int)pick(t, 100000) : -(int)pick(t, 100000), 4096,
		       pick(t, 4097), name);
}

/* One path in ten was cut. */
static void open_row(struct text *t)
{
	char tod[16];
	bool openat = pick(t, 2);

	t->ts += 1000003;
	td_strbuf_addf(&t->buf, "%-17" PRId64 " %s  %-8u %-14s %-12s %-6u %s%0*u\n", t->ts,
		       time_of_day(t, 0, tod), 1000 + pick(t, 9), comms[pick(t, 4)],
		       openat ? "openat" : "vfs_open", pick(t, 10000), openat ? "/" : "f",
		       openat && pick(t, 10) == 0 ? 62 : 1, pick(t, 4));
}

static void bio(struct text *t)
{
	char tod[16];

	t->ts += 1000003;
	td_strbuf_addf(&t->buf,
		       "%-17" PRId64 " %s  %-8u %-14s %-8u %-14s %-4s %-1s %-16u %-12u %u\n", t->ts,
		       time_of_day(t, 0, tod), 1000 + pick(t, 9), comms[pick(t, 4)],
		       1000 + pick(t, 9), comms[pick(t, 4)], pick(t, 3) ? "sda" : "nvme0n1",
		       pick(t, 2) ? "R" : "W", pick(t, 1000000), 4096, pick(t, 1000000));
}

/* A path of 63 bytes was cut: the name beside it is that of the first row which has the path. */
static void openat_name(struct text *t)
{
	t->ts += 1000003;
	td_strbuf_addf(&t->buf, "%-17" PRId64 " %-6u %-5u %-8u /%062u %u.txt\n", t->ts,
		       1000 + pick(t, 9), 3, pick(t, 10000), pick(t, 4), pick(t, 5));
}

static void thread_row(struct text *t)
{
	char tod[16];
	unsigned f = pick(t, 10);

	t->ts += 1000003;
	td_strbuf_addf(&t->buf,
		       "%-17" PRId64 " %s %-6u %-6u %-10s %-5d %-8x %-8u %-8u f%u /tmp/f%u\n",
		       t->ts, time_of_day(t, 0, tod), 100 + pick(t, 3), 100 + pick(t, 9),
		       "openat()", (int)pick(t, 5) - 1, pick(t, 4), 420, pick(t, 10000), f, f);
}

static void aligned(struct text *t)
{
	td_strbuf_addf(&t->buf, "2026-02-05T20:27:46.%09u 3311 python vfs_open 100226 log.json\n",
		       pick(t, 1000000000));
}

static void spoilt(struct text *t)
{
	size_t before = t->buf.len;

	vfs_rw(t);
	t->buf.len = before + pick(t, 60); /* the next row begins within this one */
	vfs_rw(t);
}

static void other(struct text *t)
{
	static const char *const texts[] = { "",
					     "Lost 12 events",
					     "Attaching 6 probes...",
					     "12 Lost 3 events",
					     "no row of any layout",
					     "5311022417003     14:02:07  33",
					     "\x01\xff" };

	td_strbuf_addf(&t->buf, "%s\n", texts[pick(t, TD_ARRAY_SIZE(texts))]);
}

static void header(struct text *t)
{
	static const char *const headers[] = {
		"TIMESTAMP TIME PID COMM R/W LAT(ns) REQUESTED RETURNED FILE",
		"TIMESTAMP TIME PID COMM FUNC LAT(ns) FILENAME",
		"TIMESTAMP TIME PID COMM DONEPID DONECOMM DISK T SECTOR BYTES LAT(ns)",
		"TIMESTAMP PID FD LAT(ns) FULLPATH FILENAME",
	};

	td_strbuf_addf(&t->buf, "%s\n", headers[pick(t, TD_ARRAY_SIZE(headers))]);
}

static void repeat(struct text *t, void (*row)(struct text *t), int n)
{
	while (n--)
		row(t);
}

static void plain(struct text *t)
{
	td_strbuf_adds(&t->buf, "Attaching 6 probes...\n"
				"TIMESTAMP TIME PID COMM R/W LAT(ns) REQUESTED RETURNED FILE\n");
	repeat(t, vfs_rw, 4000);
}

/* What was read just before midnight may be printed after it. */
static void midnights(struct text *t)
{
	for (int day = 0; day < 40; day++) {
		t->ts = (day * INT64_C(86400) + 14 * 3600 - 10) * 1000000000;
		t->step_ns = 200000000;
		repeat(t, vfs_rw, 100);
	}
}

static void damaged(struct text *t)
{
	for (int i = 0; i < 300; i++) {
		repeat(t, vfs_rw, (int)pick(t, 12));
		repeat(t, pick(t, 2) ? spoilt : other, 1 + (int)pick(t, 2));
	}
}

static void mixed(struct text *t)
{
	static void (*const rows[])(struct text * t) = { vfs_rw,     open_row, bio,  openat_name,
							 thread_row, aligned,  other };

	for (int i = 0; i < 60; i++) {
		if (pick(t, 2))
			header(t);
		for (unsigned n = pick(t, 60), kind = pick(t, TD_ARRAY_SIZE(rows)); n; n--)
			rows[pick(t, 20) ? kind : pick(t, TD_ARRAY_SIZE(rows))](t);
	}
}

static void two_layouts(struct text *t)
{
	for (int i = 0; i < 2000; i++)
		(pick(t, 2) ? vfs_rw : bio)(t);
}

static void cut_paths(struct text *t)
{
	td_strbuf_adds(&t->buf, "TIMESTAMP PID FD LAT(ns) FULLPATH FILENAME\n");
	repeat(t, openat_name, 500);
}

/* Lines longer than a part, with and without '\r', the last one cut. */
static void long_lines(struct text *t)
{
	for (int i = 0; i < 400; i++) {
		vfs_rw(t);
		if (i % 7 == 0) {
			t->buf.len--;
			td_strbuf_addf(&t->buf, "%0*u\n", (int)pick(t, 12000), 1u);
		}
		if (i % 5 == 0) {
			t->buf.len--;
			td_strbuf_adds(&t->buf, "\r\n");
		}
	}
	t->buf.len -= 9;
}

static void opens(struct text *t)
{
	td_strbuf_adds(&t->buf, "TIMESTAMP TIME PID COMM FUNC LAT(ns) FILENAME\n");
	repeat(t, open_row, 500);
}

static void threads(struct text *t)
{
	td_strbuf_adds(&t->buf,
		       "TIMESTAMP TIME PID TID FUNCTION FD FLAGS MODE LAT(ns) FILENAME FULLPATH\n");
	repeat(t, thread_row, 1000);
}

/* --- */

static void check_text(const char *name, void (*make)(struct text *t))
{
	for (uint64_t seed = 1; seed <= 2; seed++) {
		struct text t = { .random = seed,
				  .ts = INT64_C(5311022417003),
				  .step_ns = 2000000 };
		char path[128];

		TD_CASE(name);
		make(&t);
		(void)snprintf(path, sizeof(path), "%s/in/%s", td_both_dir, name);
		td_parts_write(path, &t.buf);
		check_sizes(path);
		TD_CHECK_INT(unlink(path), 0);
		td_strbuf_done(&t.buf);
	}
}

/* No part of a plain text is read twice but those that are handed out before its header was met, which in a text of
 * parts of the usual size is read in turn. */
static void check_plain(void)
{
	struct text t = { .random = 7, .ts = INT64_C(5311022417003), .step_ns = 2000000 };
	struct td_speculation_count n;
	char path[128];

	TD_CASE("plain");
	plain(&t);
	(void)snprintf(path, sizeof(path), "%s/in/plain", td_both_dir);
	td_parts_write(path, &t.buf);
	TD_CHECK_INT(td_both_first(path, &td_parts_in_turn), 0);
	n = td_parts_check(path, 2000, &total);
	td_both_forget();
	TD_CHECK(n.again <= 7); /* places for parts: four more than threads */
	TD_CHECK(n.joined >= t.buf.len / 2000);
	TD_CHECK_INT(unlink(path), 0);
	td_strbuf_done(&t.buf);
}

/* A file that is read in parts after another one has been read. */
static void check_after(const char *name, const char *strace, void (*make)(struct text *t))
{
	struct text t = { .random = 7, .ts = INT64_C(5311022417003) }, before = { .random = 0 };
	char dir[128], first[160], second[160];

	TD_CASE(name);
	(void)snprintf(dir, sizeof(dir), "%s/in", td_both_dir);
	(void)snprintf(first, sizeof(first), "%s/a", dir);
	(void)snprintf(second, sizeof(second), "%s/b", dir);
	td_strbuf_adds(&before.buf, strace);
	make(&t);
	td_parts_write(first, &before.buf);
	td_parts_write(second, &t.buf);
	check_sizes(dir);
	TD_CHECK_INT(unlink(first), 0);
	TD_CHECK_INT(unlink(second), 0);
	td_strbuf_done(&t.buf);
	td_strbuf_done(&before.buf);
}

/* A process that ended before makes it matter which thread is seen with which process, and when. */
static const char ended[] = "100 1644092866.077425 clone(child_stack=NULL) = 103\n"
			    "101 1644092866.077525 close(3) = 0\n"
			    "101 1644092866.077625 exit_group(0) = ?\n"
			    "101 1644092866.077725 +++ exited with 0 +++\n"
			    "100 1644092866.077825 close(3) = 0\n";

/* strace says that a path is 63 bytes long, which for bpftrace is one that was cut. */
static const char whole[] =
	"100 1644092866.077425 openat(AT_FDCWD, "
	"\"/00000000000000000000000000000000000000000000000000000000000001\", O_RDONLY) = 3\n"
	"100 1644092866.077525 close(3) = 0\n";

static void check_texts(void)
{
	char dir[128];

	(void)snprintf(dir, sizeof(dir), "%s/in", td_both_dir);
	TD_CHECK_INT(mkdir(dir, 0700), 0);
	check_plain();
	check_text("plain", plain);
	check_text("midnights", midnights);
	check_text("damaged", damaged);
	check_text("mixed", mixed);
	check_text("two-layouts", two_layouts);
	check_text("cut-paths", cut_paths);
	check_text("long-lines", long_lines);
	check_text("threads", threads);
	check_after("ended", ended, threads);
	check_after("whole", whole, opens);
	TD_CHECK_INT(rmdir(dir), 0);
	/* both ways were gone */
	TD_CHECK(total.joined > 1000);
	TD_CHECK(total.again > 100);
}

int main(int argc, char **argv)
{
	return td_parts_main(argc, argv,
			     (struct td_parts_test){ .importer = "bpftrace",
						     .texts = check_texts,
						     .turn = &td_parts_in_turn,
						     .check = check_size,
						     .sizes = sizes,
						     .nsizes = 2,
						     .corpus_size = 40000 });
}
