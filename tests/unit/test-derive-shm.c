/* SPDX-License-Identifier: MIT */
/* shm_stat against plain SQL over the calls. */
#include "tests/unit/derive.h"

static const char by_hand[] =
	"WITH c AS (SELECT c.*, o.name, o.verb, o.name IN ('fallocate', 'posix_fallocate') AS "
	"allocates, o.name = 'ftruncate64' AS truncates FROM call AS c JOIN op AS o ON o.id = "
	"c.op_id JOIN file AS f ON f.id = c.file_id WHERE f.class IN ('shm', 'memfd') AND c.nested "
	"= 0 AND coalesce(c.ret, 0) >= 0) SELECT file_id, process_id, max(CASE WHEN truncates THEN "
	"coalesce(asked_bytes, offset_bytes) WHEN allocates THEN asked_bytes + "
	"coalesce(offset_bytes, 0) END), min(CASE WHEN truncates OR allocates THEN start_ns END), "
	"max(CASE verb WHEN 'map' THEN asked_bytes END), sum(CASE verb WHEN 'map' THEN asked_bytes "
	"END), min(CASE verb WHEN 'map' THEN start_ns END), sum(CASE verb WHEN 'write' THEN "
	"done_bytes END), sum(CASE verb WHEN 'read' THEN done_bytes END), min(start_ns) FROM c "
	"GROUP BY file_id, process_id";

static const char *const ops[] = { "fallocate", "posix_fallocate", "ftruncate64", "mmap", "write",
				   "read",      "openat" };
static const char *const paths[] = { "/dev/shm/torch_1", "/dev/shm/torch_2", "/data/x", "memfd:z" };

static int64_t one_of(struct td_made *m, int64_t a, int64_t b)
{
	int64_t values[] = { a, b, TD_NULL, (int64_t)td_made_random(m, 1 << 20) };

	return values[td_made_random(m, TD_ARRAY_SIZE(values))];
}

static void make_calls(struct td_store *st, int n)
{
	struct td_made m = { .st = st, .random = 7 };

	(void)td_plain_source(st);
	td_store_source_at(st, 1)->last_native_ns = TD_MADE_UTC + 100005;
	for (int i = 0; i < n; i++) {
		struct td_call c = TD_CALL_INIT;
		const char *op = ops[td_made_random(&m, TD_ARRAY_SIZE(ops))];
		const char *path = paths[td_made_random(&m, TD_ARRAY_SIZE(paths))];

		c.start_ns = TD_MADE_UTC + (int64_t)td_made_random(&m, 100000);
		c.dur_ns = 5;
		c.op_id = td_store_op(st, op, strlen(op), TD_LAYER_SYSCALL);
		c.process_id = (uint32_t)td_made_random(&m, 3);
		if (td_made_random(&m, 10))
			c.file_id = td_store_file_path(st, td_made_str(path),
						       (struct td_str){ NULL, 0 }, false);
		c.ret = one_of(&m, 0, -28);
		c.asked_bytes = one_of(&m, 0, 4096);
		c.done_bytes = one_of(&m, 0, 4096);
		c.offset_bytes = one_of(&m, 0, 1 << 21);
		c.source_id = 1;
		TD_CHECK_INT(td_stage_add(td_store_stage(st, TD_KIND_CALL), &c), 0);
	}
}

static struct td_store *new_store(void)
{
	struct td_store *st = td_new_store();

	(void)td_store_process(st, 10, "a", 1);
	(void)td_store_process(st, 20, "b", 1);
	return st;
}

static void test_calls(void)
{
	_cleanup_(td_store_freep) struct td_store *st = new_store();
	sqlite3 *db;

	TD_CASE("calls on segments and other files");
	make_calls(st, 3000);
	db = td_derived(st);
	td_same_rows(db, "SELECT * FROM shm_stat", by_hand);
	/* three files, by two processes and by nobody known */
	TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM shm_stat"), 9);
	db_close(db);
}

/* Of more rows than there may be there is none. */
static void test_too_many(void)
{
	_cleanup_(td_store_freep) struct td_store *st = new_store();
	sqlite3 *db;

	TD_CASE("too many");
	make_calls(st, 3000);
	db = td_derived_within(st, 8);
	TD_CHECK_INT(td_sql_int(db, "SELECT count(*) FROM shm_stat"), 0);
	db_close(db);
}

int main(void)
{
	if (!td_derive_set_up())
		return 1;
	test_calls();
	test_too_many();
	td_derive_tear_down();
	return td_check_result();
}
