/* SPDX-License-Identifier: MIT */
/* Histories that are generated: how often a run like the others is told unlike, and how often one
 * that is not is found. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/run_kind.h"
#include "analyzer/compare/history.h"
#include "common/cleanup.h"
#include "schema/db.h"
#include "tests/unit/check.h"

#define RUNS 50 /* before the one in question */
#define VALUES 8 /* of each run */
#define HISTORIES 250
#define ALPHA 0.05

static uint64_t state;

/* splitmix64 (S. Vigna), as a number between 0 and 1. */
static double uniform(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return ((double)((z ^ z >> 31) >> 11) + 0.5) * 0x1p-53;
}

/* G. E. P. Box and M. E. Muller, 1958. */
static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* A day on which a neighbour uses the disks: one run in ten is up to 15 % slower. */
static double busy(void)
{
	return normal() + (uniform() < 0.1 ? 15 * uniform() : 0);
}

struct history {
	const char *name;
	double (*noise)(void);
	double trend; /* of a run to the next, in units of the noise, which is 1 % of the value */
	double shared; /* so much of the noise all values of a run have in common */
	double off; /* the run in question is off by so much in one value, in these units */
	double least, most; /* shares of the histories in which it is told unlike */
};

/* Of 250 draws with 2/51 = 3.9 % more than 8 % are told unlike once in 1,000 times. With 1,000
 * histories each it was 4.0, 4.1, 4.4, 4.0 and 5.7 % of those that are alike, and 91, 100 and 100 %
 * of the others. */
static const struct history histories[] = {
	{ "alike", normal, 0, 0, 0, 0, 0.08 },
	{ "alike, values go together", normal, 0, 0.8, 0, 0, 0.08 },
	{ "alike, with busy days", busy, 0, 0, 0, 0, 0.08 },
	{ "0.1 % slower with each run", normal, 0.1, 0, 0, 0, 0.08 },
	{ "1 % slower with each run, busy days", busy, 1, 0.5, 0, 0, 0.08 },
	{ "one value 5 % slower", normal, 0, 0, 5, 0.85, 1 },
	{ "one value 5 % slower after a trend", normal, 0.1, 0.5, 5, 0.95, 1 },
	{ "one value 10 % faster", normal, 0, 0.5, -10, 0.99, 1 },
};

static void generate(const struct history *h, double *values)
{
	for (size_t run = 0; run <= RUNS; run++) {
		double common = h->noise();

		for (size_t i = 0; i < VALUES; i++) {
			double noise = h->shared * common + (1 - h->shared) * h->noise();

			if (run == RUNS && i == 0)
				noise += h->off;
			values[i * (RUNS + 1) + run] = 100 + h->trend * (double)run + noise;
		}
	}
}

/* In how many of them the run in question is told unlike: by any value if it is like the others,
 * else by the one that is off. */
static size_t told_unlike(const struct history *h)
{
	static double values[VALUES * (RUNS + 1)];
	struct td_outlier found[VALUES];
	size_t told = 0;

	state = 1;
	for (size_t i = 0; i < HISTORIES; i++) {
		bool any = false;

		generate(h, values);
		TD_CHECK(td_history_judge(values, VALUES, RUNS + 1, ALPHA, found) == 0);
		for (size_t k = 0; k < (h->off ? 1 : VALUES); k++)
			any = any || found[k].p <= ALPHA;
		told += any;
	}
	return told;
}

static void check_rates(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(histories); i++) {
		const struct history *h = &histories[i];
		double told = (double)told_unlike(h);

		TD_CASE(h->name);
		printf("# %s: %.1f %% are told unlike\n", h->name, 100 * told / HISTORIES);
		TD_CHECK(told >= h->least * HISTORIES && told <= h->most * HISTORIES);
	}
}

/* By hand: 19 runs whose values are 10 and 12 in turn, then 17. The middle of all 20 is 12 (ten are
 * 10, nine 12: sorted, the tenth is 10 and the eleventh 12, so 11), distances are 1 for all but the
 * last one, which is 6 off; no other run has as much: p = 1/20. */
static void check_by_hand(void)
{
	double v[3 * 20];
	struct td_outlier found[3];

	TD_CASE("by hand");
	for (size_t i = 0; i < 20; i++) {
		v[i] = i == 19 ? 17 : 10 + 2.0 * (double)(i % 2);
		v[20 + i] = 5; /* always the same */
		v[40 + i] = i < 2 ? NAN : 5; /* 17 runs have it: too few */
	}
	TD_CHECK(td_history_judge(v, 3, 20, ALPHA, found) == 0);
	TD_CHECK(fabs(found[0].expected - 11) < 1e-9);
	TD_CHECK(fabs(found[0].p - 0.05) < 1e-9 && fabs(found[0].p_alone - 0.05) < 1e-9);
	TD_CHECK(fabs(found[0].reach - 1) < 1e-9);
	TD_CHECK(fabs(found[1].p - 1) < 1e-9 && fabs(found[1].expected - 5) < 1e-9);
	TD_CHECK(isnan(found[2].p));
	v[19] = NAN;
	TD_CHECK(td_history_judge(v, 1, 20, ALPHA, found) == 0 && isnan(found[0].p));
	v[19] = 12; /* all are 1 off: nothing is unusual */
	TD_CHECK(td_history_judge(v, 1, 20, ALPHA, found) == 0 && fabs(found[0].p - 1) < 1e-9);
}

static void check_template(const char *command_line, const char *want)
{
	struct td_strbuf b = TD_STRBUF_INIT;

	td_run_kind_template(&b, command_line);
	TD_CHECK_STR(td_strbuf_str(&b), want);
	td_strbuf_done(&b);
}

/* Numbers of paths change from run to run, and so do those of jobs; what a job is asked for does not. */
static void check_templates(void)
{
	TD_CASE("command lines");
	check_template("python train.py --batch-size 64 --lr 1e-3",
		       "python train.py --batch-size 64 --lr 1e-3");
	check_template("python3 /jobs/4711/train.py --out=/scratch/run-12/a",
		       "python3 /jobs/{}/train.py --out=/scratch/run-{}/a");
	check_template("srun --jobid 1234567  x 9999", "srun --jobid {}  x 9999");
	check_template("", "");
}

static void check_kind(sqlite3 *db, const char *sql, const char *want, int64_t want_start_ns)
{
	struct td_run_kind kind = { 0 };

	TD_CHECK_INT(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	TD_CHECK_INT(td_run_kind(db, "x.db", &kind, &(struct td_err){ 0 }), 0);
	TD_CHECK_STR(kind.kind, want);
	TD_CHECK_INT(kind.start_ns, want_start_ns);
	td_run_kind_done(&kind);
}

/* Each of the texts is added to the database of those before it. */
static void check_kinds(void)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;

	TD_CASE("kinds");
	TD_CHECK_INT(td_db_create(":memory:", 4096, &db, NULL), 0);
	check_kind(db,
		   "INSERT INTO run (id, name, tracedb_version, start_ns) VALUES (1, 'x', '1', 17)",
		   "logs of nothing", 17);
	/* names of phases and importers once and in order; ranges of other kinds are none */
	check_kind(
		db,
		"INSERT INTO string (id, text) VALUES (1, 'phase'), (2, 'nvtx'), (3, 'epoch'),"
		" (4, 'complete'), (5, 'checkpoint'), (6, 'forward');"
		"INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues,"
		" repaired, lost_events) VALUES (1, 'a', 'mpstat', 'complete', 0, 0, 0, 0, 0, 0),"
		" (2, 'b', NULL, 'unrecognised', 0, 0, 0, 0, 0, 0),"
		" (3, 'c', 'mllog', 'complete', 0, 0, 0, 0, 0, 0),"
		" (4, 'd', 'mpstat', 'complete', 0, 0, 0, 0, 0, 0);"
		"INSERT INTO span (id, start_ns, kind_id, name_id, number, state_id, source_id) "
		"VALUES"
		" (1, 1, 1, 3, 1, 4, 3), (2, 2, 1, 3, 2, 4, 3), (3, 3, 1, 5, NULL, 4, 3),"
		" (4, 4, 2, 6, NULL, 4, 3)",
		"logs of mllog, mpstat, phases checkpoint, epoch", 17);
	/* the one that uses the GPU, though another began earlier */
	check_kind(
		db,
		"INSERT INTO process (id, pid, lifetime, command_line, role, start_ns) VALUES"
		" (1, 10, 1, 'sh job.sh', NULL, 1), (2, 11, 1, 'train.py -b 8', 'gpu-worker', 3),"
		" (3, 12, 1, 'train.py -b 9', 'gpu-worker', 2), (4, 13, 1, NULL, 'gpu-worker', 1)",
		"train.py -b 9", 17);
}

int main(void)
{
	check_by_hand();
	check_templates();
	check_kinds();
	check_rates();
	return td_check_result();
}
