/* SPDX-License-Identifier: MIT */
/* sched_slice_stat against plain SQL over the slices that were written beside it. */
#include "tests/unit/derive.h"

#define SEED 3
#define SLICES 5000

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Three threads, one of them unknown, two states, a reason or none; lengths of all sizes, 0 and none. */
static struct td_store *make_slices(void)
{
	static const char *const states[] = { "running", "runnable" }, *const reasons[] = {
		"read", "futex"
	};
	struct td_store *st = td_new_store();
	uint32_t x = SEED, threads[3] = { 0 }, process;
	int64_t now_ns = 0;

	td_stage_source(st, true);
	process = td_store_process(st, 100, "a", 1);
	threads[1] = td_store_thread(st, 101, process);
	threads[2] = td_store_thread(st, 102, process);
	for (int i = 0; i < SLICES; i++) {
		struct td_sched s = TD_SCHED_INIT;
		uint32_t reason = next_random(&x) % 3;

		now_ns += 1000;
		s.start_ns = now_ns;
		s.dur_ns = (int64_t)next_random(&x) << next_random(&x) % 9 >> next_random(&x) % 30;
		if (next_random(&x) % 50 == 0)
			s.dur_ns = TD_NULL;
		s.thread_id = threads[next_random(&x) % 3];
		s.state_id = td_store_cstr(st, states[next_random(&x) % 2]);
		s.reason_id = reason < 2 ? td_store_cstr(st, reasons[reason]) : 0;
		s.source_id = 1;
		td_stage_row(st, TD_KIND_SCHED, &s);
	}
	return st;
}

#define SUMS                                                                                       \
	"count(*), count(dur_ns), sum(dur_ns), min(dur_ns), max(dur_ns), min(start_ns), "          \
	"max(start_ns) FROM sched_slice GROUP BY 1, 2, 3"

static void test_sums(sqlite3 *db)
{
	static const char held[] =
		"SELECT thread_id, state_id, reason_id, slices, timed, total_ns, min_ns, max_ns, "
		"first_ns, last_ns FROM sched_slice_stat WHERE ";
	char got[512];

	TD_CASE("thread,state");
	(void)snprintf(got, sizeof(got), "%s by = 'thread,state'", held);
	td_same_rows(db, got, "SELECT thread_id, state_id, NULL, " SUMS);
	TD_CASE("thread,state,reason");
	(void)snprintf(got, sizeof(got), "%s by = 'thread,state,reason'", held);
	td_same_rows(db, got, "SELECT thread_id, state_id, reason_id, " SUMS);
}

/* A length is halved until one bit remains. */
static void test_octaves(sqlite3 *db)
{
	TD_CASE("thread,state,octave");
	td_same_rows(db,
		     "SELECT thread_id, state_id, octave_ns, slices, timed, total_ns FROM "
		     "sched_slice_stat WHERE by = 'thread,state,octave'",
		     "WITH RECURSIVE b (thread_id, state_id, dur_ns, rest, low) AS (SELECT "
		     "thread_id, state_id, dur_ns, dur_ns, min(dur_ns, 1) FROM sched_slice UNION "
		     "ALL SELECT thread_id, state_id, dur_ns, rest >> 1, low << 1 FROM b WHERE "
		     "rest > 1) SELECT thread_id, state_id, low, count(*), count(dur_ns), "
		     "sum(dur_ns) FROM b WHERE rest <= 1 OR rest IS NULL GROUP BY 1, 2, 3");
}

static int64_t count(sqlite3 *db, const char *by)
{
	char sql[128];

	(void)snprintf(sql, sizeof(sql), "SELECT count(*) FROM sched_slice_stat WHERE by = '%s'",
		       by);
	return td_sql_int(db, sql);
}

/* 18 combos of thread, state and reason, 6 of thread and state with more than 18 octaves. */
static void test_omitted(struct td_store *st)
{
	sqlite3 *db = td_derived_within(st, 18);

	TD_CASE("omitted");
	TD_CHECK_INT(count(db, "thread,state,reason"), 18);
	TD_CHECK_INT(count(db, "thread,state"), 6);
	TD_CHECK_INT(count(db, "thread,state,octave"), 0);
	TD_CHECK(
		td_sql_int(db, "SELECT count(*) FROM sched_stat WHERE by = 'thread,state,octave'") >
		18);
	db_close(db);
	db = td_derived_within(st, 17);
	TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM sched_slice_stat"), 0);
	TD_CHECK_INT(
		td_sql_int(db, "SELECT count(*) FROM sched_stat WHERE by = 'thread,state,reason'"),
		18);
	db_close(db);
}

int main(void)
{
	_cleanup_(td_store_freep) struct td_store *st = NULL;
	sqlite3 *db;

	if (!td_derive_set_up())
		return 1;
	st = make_slices();
	db = td_derived(st);
	test_sums(db);
	test_octaves(db);
	db_close(db);
	test_omitted(st);
	td_derive_tear_down();
	return td_check_result();
}
