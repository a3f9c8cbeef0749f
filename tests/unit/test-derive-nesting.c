/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "store/derive/nesting.h"
#include "schema/ops.h"
#include "tests/unit/derive.h"

/* --- by hand --- */

struct call {
	const char *op;
	enum td_layer layer;
	int64_t start, dur; /* dur -1: unknown */
	unsigned process, thread; /* 0: unknown */
	bool nested;
};

#define S TD_LAYER_SYSCALL
#define V TD_LAYER_VFS
#define L TD_LAYER_LIBC

static const struct {
	const char *name;
	struct call calls[6];
} cases[] = {
	{ "openat and its vfs_open",
	  { { "openat", S, 100, 100, 1, 0, false }, { "vfs_open", V, 120, 30, 1, 0, true } } },
	{ "as long as each other",
	  { { "openat", S, 100, 100, 1, 0, false }, { "vfs_open", V, 100, 100, 1, 0, true } } },
	{ "one longer", /* it ends at 201, the openat at 200 */
	  { { "openat", S, 100, 100, 1, 0, false }, { "vfs_open", V, 120, 81, 1, 0, false } } },
	{ "one after the other",
	  { { "openat", S, 100, 10, 1, 0, false }, { "vfs_open", V, 111, 1, 1, 0, false } } },
	{ "of another process",
	  { { "openat", S, 100, 100, 1, 0, false }, { "vfs_open", V, 120, 30, 2, 0, false } } },
	{ "of another thread",
	  { { "read", S, 100, 100, 1, 1, false }, { "vfs_read", V, 120, 30, 1, 2, false } } },
	{ "of the same thread",
	  { { "read", S, 100, 100, 1, 2, false }, { "vfs_read", V, 120, 30, 1, 2, true } } },
	{ "thread known on one side only",
	  { { "read", S, 100, 100, 1, 2, false }, { "vfs_read", V, 120, 30, 1, 0, true } } },
	{ "of another family",
	  { { "openat", S, 100, 100, 1, 0, false }, { "vfs_read", V, 120, 30, 1, 0, false } } },
	{ "other names of one family",
	  { { "pread64", S, 100, 100, 1, 0, false }, { "vfs_read", V, 120, 30, 1, 0, true } } },
	{ "the same layer",
	  { { "read", S, 100, 100, 1, 0, false }, { "readv", S, 120, 30, 1, 0, false } } },
	{ "the inner layer outside",
	  { { "vfs_read", V, 100, 100, 1, 0, false }, { "read", S, 120, 30, 1, 0, false } } },
	{ "three layers",
	  { { "fread", L, 100, 100, 1, 0, false },
	    { "read", S, 110, 50, 1, 0, true },
	    { "vfs_read", V, 120, 30, 1, 0, true },
	    { "vfs_read", V, 165, 30, 1, 0, true } } },
	{ "two inner ones",
	  { { "openat", S, 100, 100, 1, 0, false },
	    { "vfs_open", V, 120, 30, 1, 0, true },
	    { "vfs_open", V, 160, 40, 1, 0, true },
	    { "vfs_open", V, 201, 1, 1, 0, false } } },
	{ "two threads at once",
	  { { "read", S, 100, 100, 1, 1, false },
	    { "read", S, 105, 300, 1, 2, false },
	    { "vfs_read", V, 110, 200, 1, 2, true },
	    { "vfs_read", V, 115, 200, 1, 1, false } } },
	{ "outer one of unknown length",
	  { { "read", S, 100, -1, 1, 0, false }, { "vfs_read", V, 120, 30, 1, 0, false } } },
	{ "inner one of unknown length",
	  { { "read", S, 100, 100, 1, 0, false }, { "vfs_read", V, 120, -1, 1, 0, true } } },
	{ "no family",
	  { { "ftruncate", S, 100, 100, 1, 0, false }, { "odd", V, 120, 30, 1, 0, false } } },
};

static void check_case(size_t i)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	struct td_nesting *n = NULL;
	struct td_call rows[6];
	size_t count = 0;

	TD_CASE(cases[i].name);
	for (; count < 6 && cases[i].calls[count].op; count++) {
		const struct call *c = &cases[i].calls[count];

		rows[count] = (struct td_call)TD_CALL_INIT;
		rows[count].op_id = td_store_op(st, c->op, strlen(c->op), c->layer);
		rows[count].start_ns = c->start;
		rows[count].dur_ns = c->dur < 0 ? TD_NULL : c->dur;
		rows[count].process_id = c->process ? td_store_process(st, c->process, "", 0) : 0;
		rows[count].thread_id = c->thread;
		rows[count].nested = 77; /* whatever was there before */
	}
	TD_CHECK_INT(td_nesting_new(&n), 0);
	TD_CHECK_INT(td_nesting_begin(n, st), 0);
	for (size_t k = 0; k < count; k++) {
		TD_CHECK_INT(td_nesting_mark(n, &rows[k]), 0);
		TD_CHECK_INT(rows[k].nested, cases[i].calls[k].nested);
	}
	td_nesting_free(n);
}

/* --- at random, against looking at every pair --- */

struct row {
	int64_t start, end, process, thread;
	bool has_end;
	enum td_layer layer;
	const char *family;
	bool nested;
};

static bool contains(const struct row *o, const struct row *i)
{
	return o->has_end && o->layer < i->layer && o->family && i->family &&
	       strcmp(o->family, i->family) == 0 && o->process == i->process &&
	       (!o->thread || !i->thread || o->thread == i->thread) && o->start <= i->start &&
	       i->end <= o->end;
}

static void test_random(void)
{
	enum { MAX = 12000 };
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	_cleanup_free_ struct row *rows = calloc(MAX, sizeof(*rows));
	size_t n = 0, nested = 0;
	sqlite3_stmt *s = NULL;
	sqlite3 *db;

	TD_CASE("random");
	(void)td_make_source(st, "a", 31, 5000, NAN);
	(void)td_make_source(st, "b", 32, 3000, NAN);
	db = td_derived(st);
	TD_CHECK_INT(sqlite3_prepare_v2(db,
					"SELECT start_ns, dur_ns, process_id, thread_id, layer, "
					"op.name, nested FROM call JOIN op ON op.id = op_id "
					"ORDER BY call.id",
					-1, &s, NULL),
		     SQLITE_OK);
	for (; sqlite3_step(s) == SQLITE_ROW && n < MAX; n++) {
		const char *layer = (const char *)sqlite3_column_text(s, 4);
		const char *op = (const char *)sqlite3_column_text(s, 5);

		rows[n] = (struct row){
			.start = sqlite3_column_int64(s, 0),
			.end = sqlite3_column_int64(s, 0) + sqlite3_column_int64(s, 1),
			.has_end = sqlite3_column_type(s, 1) != SQLITE_NULL,
			.process = sqlite3_column_int64(s, 2),
			.thread = sqlite3_column_int64(s, 3),
			.layer = layer[0] == 'l'   ? L
				 : layer[0] == 's' ? S
						   : V,
			.family = td_op_lookup(op, strlen(op))->family,
			.nested = sqlite3_column_int(s, 6),
		};
	}
	sqlite3_finalize(s);
	db_close(db);
	TD_CHECK(n > 9000);
	for (size_t i = 0; i < n; i++) {
		bool want = false;

		for (size_t o = 0; o < i && !want; o++)
			want = contains(&rows[o], &rows[i]);
		TD_CHECK_INT(rows[i].nested, want);
		nested += want;
	}
	TD_CHECK(nested > 500 && nested < n / 2);
}

int main(void)
{
	if (!td_derive_set_up())
		return 1;
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++)
		check_case(i);
	test_random();
	td_derive_tear_down();
	return td_check_result();
}
