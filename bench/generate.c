/* SPDX-License-Identifier: MIT */
/*
 * Writes the benchmark's input: a run folder with bpftrace's vfs_rw.out in the layout of the DGX-1
 * scripts and an MLPerf log, and the same rows as CSV for the sqlite3 shell. Always the same bytes.
 *
 * usage: bench-generate ROWS FOLDER ROWS.csv [FILES PROCESSES [epochs]]
 *
 * What makes it look real: eight workers and a master that read a thousand files of a data set,
 * most reads small and from the page cache (latency log-normal around 5 us), some of a whole file
 * (time in proportion to its size, a few beyond 2^31 ns, which %d prints negative), some writes to
 * shared memory and to files without a name; lines from different CPUs are slightly out of order.
 *
 * With FILES and PROCESSES, any of the processes reads or writes any of the files, none favoured.
 * With 'epochs', each file is opened, read and closed by one of the processes, whichever is free,
 * and so again in the next epoch in another
 * order: cd.out, in the layout of the one script that prints all three. No memory grows with the
 * files.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/strbuf.h"

#define BOOT_EPOCH_NS INT64_C(1699000000123456789)
#define FIRST_NS INT64_C(1049876543210987)
#define MEAN_GAP_NS 120000
#define WORKERS 8
#define CASES 800
#define OTHERS 200
#define EPOCHS 10

enum shape { USUAL, ANY, BY_EPOCH };

/* A process of the shape BY_EPOCH: what it does next, and with which file. */
struct worker {
	enum { OPENS, READS, CLOSES } next;
	uint32_t file;
};

struct generator {
	enum shape shape;
	uint32_t nfiles, nprocesses;
	uint64_t nopened; /* BY_EPOCH */
	struct worker *workers;
	uint64_t seed;
	int64_t read_ns; /* when the last line was read from the tracer's buffer */
	uint32_t case_bytes[CASES];
	FILE *text, *csv;
};

struct row {
	int64_t end_ns; /* since boot */
	int64_t dur_ns;
	uint32_t pid;
	char op; /* R, W, or, BY_EPOCH, also O and C */
	uint32_t asked, ret;
	char file[32];
};

/* xorshift64*, Marsaglia and Vigna; uniform in [0, 1). */
static double uniform(struct generator *g)
{
	g->seed ^= g->seed >> 12;
	g->seed ^= g->seed << 25;
	g->seed ^= g->seed >> 27;
	return (double)((g->seed * UINT64_C(2685821657736338717)) >> 11) / 9007199254740992.0;
}

static uint32_t below(struct generator *g, uint32_t n)
{
	return (uint32_t)(uniform(g) * n);
}

static double lognormal(struct generator *g, double median, double sigma)
{
	double u = 1 - uniform(g), v = uniform(g);

	return median * exp(sigma * sqrt(-2 * log(u)) * cos(2 * M_PI * v));
}

static void whole_file(struct generator *g, struct row *row, uint32_t n)
{
	row->ret = row->asked = g->case_bytes[n];
	row->dur_ns = (int64_t)(row->ret * lognormal(g, 0.45, 0.3)); /* 2.2 GB/s */
	if (below(g, 4000) == 0)
		row->dur_ns = INT64_C(2200000000) + below(g, 2000000000);
}

static void small_read(struct generator *g, struct row *row)
{
	row->asked = 4096u << below(g, 3);
	row->ret = below(g, 20) ? row->asked : below(g, row->asked);
	row->dur_ns = (int64_t)lognormal(g, 5000, 0.8);
}

static void small_write(struct generator *g, struct row *row)
{
	static const char *const names[] = { "", "[eventfd]", "train.log", "0" };
	uint32_t n = below(g, 40);

	row->op = 'W';
	row->ret = row->asked = 8 + below(g, 256);
	row->dur_ns = (int64_t)lognormal(g, 2500, 0.5);
	if (n < TD_ARRAY_SIZE(names))
		(void)snprintf(row->file, sizeof(row->file), "%s", names[n]);
	else
		(void)snprintf(row->file, sizeof(row->file), "torch_%u_%03u", row->pid,
			       below(g, OTHERS / WORKERS));
}

static uint32_t bytes_of_file(uint32_t file)
{
	return 20000 + file % 1000 * 200; /* 120 kB on average, as in ImageNet */
}

static void name_file(struct row *row, uint32_t file)
{
	(void)snprintf(row->file, sizeof(row->file), "n%08u_%u.JPEG", 1440764 + file / 1300 * 3571,
		       file);
}

static struct row any_row(struct generator *g, int64_t end_ns)
{
	uint32_t file = below(g, g->nfiles);
	struct row row = { .end_ns = end_ns, .pid = 2083041 + below(g, g->nprocesses), .op = 'R' };

	small_read(g, &row);
	if (below(g, 50) == 0)
		row.op = 'W';
	name_file(&row, file);
	return row;
}

/* The file that is opened as the n-th: each once in an epoch, in an order of the epoch's own. */
static uint32_t file_of_turn(const struct generator *g, uint64_t n)
{
	uint64_t epoch = n / g->nfiles;

	/* a prime that is not a divisor of any number of files below it steps through all of them */
	return (uint32_t)((n % g->nfiles * UINT64_C(4294967291) + epoch * 7919) % g->nfiles);
}

static struct row epoch_row(struct generator *g, int64_t end_ns)
{
	static const char ops[] = { [OPENS] = 'O', [READS] = 'R', [CLOSES] = 'C' };
	uint32_t n = below(g, g->nprocesses);
	struct worker *w = &g->workers[n];
	struct row row = { .end_ns = end_ns, .pid = 2083041 + n, .op = ops[w->next] };

	if (w->next == OPENS)
		w->file = file_of_turn(g, g->nopened++);
	if (w->next == READS)
		row.asked = row.ret = bytes_of_file(w->file);
	row.dur_ns = (int64_t)(lognormal(g, 5000, 0.8) + 0.45 * row.ret);
	w->next = w->next == CLOSES ? OPENS : w->next + 1;
	name_file(&row, w->file);
	return row;
}

static struct row usual_row(struct generator *g, int64_t end_ns)
{
	/* the square favours some files over others */
	uint32_t n = (uint32_t)(pow(uniform(g), 2) * CASES);
	struct row row = { .end_ns = end_ns, .pid = 2083041 + below(g, WORKERS + 1), .op = 'R' };
	uint32_t what = below(g, 100);

	(void)snprintf(row.file, sizeof(row.file), "case_%05u_%c.npy", n, n & 3 ? 'x' : 'y');
	if (what < 3)
		whole_file(g, &row, n);
	else if (what < 92)
		small_read(g, &row);
	else
		small_write(g, &row);
	return row;
}

static struct row make_row(struct generator *g, int64_t end_ns)
{
	static struct row (*const make[])(struct generator * g, int64_t end_ns) = {
		[USUAL] = usual_row, [ANY] = any_row, [BY_EPOCH] = epoch_row
	};

	return make[g->shape](g, end_ns);
}

/* Time of day in UTC, which is the machine's zone here; the tracer looks at the clock when it reads the
 * event, up to a millisecond late. */
static void time_of_day(struct generator *g, int64_t end_ns, char *buf, size_t size)
{
	int64_t s;

	g->read_ns = TD_MAX(g->read_ns, end_ns + below(g, 1000000));
	s = (BOOT_EPOCH_NS + g->read_ns) / TD_SEC_NS % 86400;
	(void)snprintf(buf, size, "%02" PRId64 ":%02" PRId64 ":%02" PRId64, s / 3600, s / 60 % 60,
		       s % 60);
}

/* What stands behind the name of the process in cd.out. */
static int print_cd(FILE *text, const struct row *row)
{
	int lat = (int)row->dur_ns;

	switch (row->op) {
	case 'O':
		return fprintf(text, "%-14s %-12s %-8d %s\n", "python", "vfs_open", lat, row->file);
	case 'C':
		return fprintf(text, "%-8s %-12s %-8d %-8d %s\n", "python", "fp_close", 3, lat,
			       row->file);
	default:
		return fprintf(text, "%-8s %-10s 0x%lx %-10u %-8d %-10u %-10d %s\n", "python",
			       "vfs_read", 0x7f0000000000, row->asked, 0, row->ret, lat, row->file);
	}
}

static int print_text(struct generator *g, const struct row *row, const char *tod)
{
	int32_t lat = (int32_t)(uint32_t)row->dur_ns; /* as %d prints 64 bits */

	if (g->shape != BY_EPOCH)
		return fprintf(g->text, "%-17" PRId64 " %s  %-6u %-14s %-4c %-7d %-10u %-10u %s\n",
			       row->end_ns, tod, row->pid, "python", row->op, lat, row->asked,
			       row->ret, row->file);
	if (fprintf(g->text, "%-17" PRId64 " %s  %-8u %-8u", row->end_ns, tod, row->pid, row->pid) <
	    0)
		return -1;
	return print_cd(g->text, row);
}

static int print_row(struct generator *g, const struct row *row)
{
	char tod[32];
	int32_t lat = (int32_t)(uint32_t)row->dur_ns; /* as %d prints 64 bits */

	time_of_day(g, row->end_ns, tod, sizeof(tod));
	if (print_text(g, row, tod) < 0)
		return -errno;
	if (fprintf(g->csv, "%" PRId64 ",%s,%u,python,%c,%d,%u,%u,%s\n", row->end_ns, tod, row->pid,
		    row->op, lat, row->asked, row->ret, row->file) < 0)
		return -errno;
	return 0;
}

static int print_rows(struct generator *g, uint64_t rows)
{
	int64_t now_ns = FIRST_NS;
	int r;

	if (g->shape == BY_EPOCH)
		r = fprintf(g->text, "Attaching 14 probes...\n%-17s %-9s %-8s %-8s %-14s %s\n",
			    "TIMESTAMP", "TIME", "PID", "COMM", "TYPE", "FILE");
	else
		r = fprintf(g->text,
			    "Attaching 6 probes...\nCapturing VFS Read and Write calls\n"
			    "%-17s %-9s %-6s %-14s %-4s %-7s %-10s %-10s %s\n",
			    "TIMESTAMP", "TIME", "PID", "COMM", "R/W", "LAT(ns)", "REQUESTED",
			    "RETURNED", "FILE");
	if (r < 0)
		return -errno;
	for (uint64_t i = 0; i < rows; i++) {
		struct row row;

		now_ns += below(g, 2 * MEAN_GAP_NS);
		row = make_row(g, now_ns - below(g, 20) * 15000);
		r = print_row(g, &row);
		if (r < 0)
			return r;
	}
	return 0;
}

static int print_mark(FILE *log, int64_t ms, const char *edge, const char *key, int epoch)
{
	return fprintf(log,
		       ":::MLLOG {\"namespace\": \"\", \"time_ms\": %" PRId64
		       ", \"event_type\": \"INTERVAL_%s\", \"key\": \"%s\", \"value\": null, "
		       "\"metadata\": {\"file\": \"train.py\", \"lineno\": 61, \"epoch_num\": "
		       "%d}}\n",
		       ms, edge, key, epoch) < 0
		       ? -errno
		       : 0;
}

/* Epochs of equal length over the whole run. */
static int print_log(FILE *log, uint64_t rows)
{
	int64_t start_ms = (BOOT_EPOCH_NS + FIRST_NS) / 1000000;
	int64_t epoch_ms = (int64_t)rows * MEAN_GAP_NS / 1000000 / EPOCHS;
	int r = 0;

	for (int i = 0; i < EPOCHS && r == 0; i++) {
		r = print_mark(log, start_ms + i * epoch_ms, "START", "epoch_start", i + 1);
		if (r == 0)
			r = print_mark(log, start_ms + (i + 1) * epoch_ms - 2, "END", "epoch_stop",
				       i + 1);
	}
	return r;
}

static FILE *create(const char *folder, const char *name)
{
	struct td_strbuf path = TD_STRBUF_INIT;
	FILE *f;

	td_strbuf_addf(&path, "%s%s", folder, name);
	f = fopen(td_strbuf_str(&path), "we");
	if (!f)
		perror(td_strbuf_str(&path));
	td_strbuf_done(&path);
	return f;
}

static int parse_shape(struct generator *g, int argc, char **argv)
{
	if (argc < 6)
		return argc == 4 ? 0 : -EINVAL;
	g->nfiles = (uint32_t)strtoul(argv[4], NULL, 10);
	g->nprocesses = (uint32_t)strtoul(argv[5], NULL, 10);
	g->shape = argc > 6 ? BY_EPOCH : ANY;
	if (!g->nfiles || !g->nprocesses || (argc > 6 && strcmp(argv[6], "epochs") != 0))
		return -EINVAL;
	g->workers = calloc(g->nprocesses, sizeof(*g->workers));
	return g->workers ? 0 : -ENOMEM;
}

int main(int argc, char **argv)
{
	uint64_t rows = argc >= 4 ? strtoull(argv[1], NULL, 10) : 0;
	struct generator g = { .seed = 20231115 };
	FILE *log;
	int r;

	if (!rows || parse_shape(&g, argc, argv) < 0) {
		fprintf(stderr,
			"usage: bench-generate ROWS FOLDER ROWS.csv [FILES PROCESSES [epochs]]\n");
		return 2;
	}
	g.text = create(argv[2], g.shape == BY_EPOCH ? "/cd.out" : "/vfs_rw.out");
	log = create(argv[2], "/train.log");
	g.csv = create(argv[3], "");
	if (!g.text || !log || !g.csv)
		return 1;
	for (unsigned i = 0; i < CASES; i++)
		g.case_bytes[i] = (uint32_t)TD_MIN(lognormal(&g, 60e6, 0.6), 1e9);
	r = print_rows(&g, rows);
	if (r == 0)
		r = print_log(log, rows);
	free(g.workers);
	if (fclose(g.text) || fclose(log) || fclose(g.csv))
		r = -errno;
	if (r < 0)
		fprintf(stderr, "bench-generate: %s\n", strerror(-r));
	return r < 0;
}
