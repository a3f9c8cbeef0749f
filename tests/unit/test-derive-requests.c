/* SPDX-License-Identifier: MIT */
/* block_request_stat against plain SQL over the requests that were written beside it, as block_stat
 * has them where nothing is held. */
#include "tests/unit/derive.h"

#define SEED 5
#define REQUESTS 6000

static const char *const groupings[] = { "device", "device,direction", "device,direction,process",
					 "device,direction,seek" };

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Three disks, one of them unknown, three processes likewise; some go on where the one before of
 * the disk ended, some have no sector or size, some no service time, and a few one of hours. */
static struct td_store *make_requests(void)
{
	struct td_store *st = td_new_store();
	uint32_t x = SEED, disks[3] = { 0 }, processes[3] = { 0 };
	int64_t now_ns = 0, ends[3] = { 0 };

	td_stage_source(st, true);
	disks[1] = td_store_device(st, TD_DEVICE_DISK, "sda", 3, TD_NULL);
	disks[2] = td_store_device(st, TD_DEVICE_DISK, "sdb", 3, TD_NULL);
	processes[1] = td_store_process(st, 100, "a", 1);
	processes[2] = td_store_process(st, 101, "b", 1);
	for (int i = 0; i < REQUESTS; i++) {
		struct td_block b = TD_BLOCK_INIT;
		uint32_t disk = next_random(&x) % 3;

		now_ns += 1000;
		b.start_ns = now_ns;
		b.dur_ns = next_random(&x) % 700;
		if (next_random(&x) % 50 == 0)
			b.dur_ns = next_random(&x) % 2 ? TD_NULL : INT64_C(4000000000000) + i;
		b.queue_ns = next_random(&x) % 3 ? TD_NULL : next_random(&x) % 90;
		b.sector = next_random(&x) % 2 ? ends[disk] : next_random(&x) % 1000000;
		b.bytes = next_random(&x) % 9 ? INT64_C(512) * (next_random(&x) % 4) : TD_NULL;
		if (next_random(&x) % 20 == 0)
			b.sector = TD_NULL;
		if (b.sector != TD_NULL && b.bytes > 0)
			ends[disk] = b.sector + b.bytes / 512;
		b.device_id = disks[disk];
		b.process_id = processes[next_random(&x) % 3];
		b.op = next_random(&x) % 3;
		b.source_id = 1;
		td_stage_row(st, TD_KIND_BLOCK, &b);
	}
	return st;
}

/* The view looks at all requests where none of this is held. */
static void test_grouping(sqlite3 *db, const char *by)
{
	char held[128], found[128];

	TD_CASE(by);
	(void)snprintf(held, sizeof(held), "SELECT * FROM held WHERE by = '%s'", by);
	(void)snprintf(found, sizeof(found), "SELECT * FROM block_stat WHERE by = '%s'", by);
	td_same_rows(db, held, found);
}

static void test_omitted(struct td_store *st)
{
	sqlite3 *db = td_derived_within(st, 26); /* of three disks, directions and processes */

	TD_CASE("omitted");
	TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM block_request_stat"), 0);
	db_close(db);
	db = td_derived_within(st, 27);
	TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM block_request_stat WHERE by = "
				    "'device,direction,process'"),
		     27);
	db_close(db);
}

int main(void)
{
	_cleanup_(td_store_freep) struct td_store *st = NULL;
	sqlite3 *db;

	if (!td_derive_set_up())
		return 1;
	st = make_requests();
	db = td_derived(st);
	TD_CHECK_INT(
		td_sql_int(db, "SELECT sum(requests) FROM block_request_stat WHERE by = 'device'"),
		REQUESTS);
	TD_CHECK_INT(sqlite3_exec(db,
				  "CREATE TEMP TABLE held AS SELECT * FROM block_stat_held;"
				  "DELETE FROM block_request_stat;",
				  NULL, NULL, NULL),
		     SQLITE_OK);
	for (size_t i = 0; i < TD_ARRAY_SIZE(groupings); i++)
		test_grouping(db, groupings[i]);
	db_close(db);
	test_omitted(st);
	td_derive_tear_down();
	return td_check_result();
}
