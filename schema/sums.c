/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>

#include "schema/db.h"
#include "schema/sums.h"

#define FLAG "tracedb_sum_overflowed"

/* SQLite's memory is aligned for what has 8 bytes. */
typedef __int128 wide __attribute__((aligned(8)));

/* Of the rows of a group or window; all 0 at first. */
struct sum {
	wide whole; /* of the integers: 2^64 of them fit */
	double real; /* of all */
	int64_t n; /* values that are not NULL */
	int64_t nreals; /* of these, values that are no integers: then the sum is none */
};

static void add(sqlite3_context *ctx, sqlite3_value *value, int sign)
{
	struct sum *s = sqlite3_aggregate_context(ctx, sizeof(*s));
	int type = sqlite3_value_numeric_type(value);

	if (!s || type == SQLITE_NULL)
		return;
	s->n += sign;
	s->real += sign * sqlite3_value_double(value);
	if (type == SQLITE_INTEGER)
		s->whole += (__int128)sign * sqlite3_value_int64(value);
	else
		s->nreals += sign;
}

static void step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	(void)argc;
	add(ctx, argv[0], 1);
}

static void inverse(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	(void)argc;
	add(ctx, argv[0], -1);
}

/* The derived tables hold the largest number, too, where their sums were too large. */
static int64_t fit(__int128 whole, bool *overflowed)
{
	if (whole > INT64_MIN && whole < INT64_MAX)
		return (int64_t)whole;
	*overflowed = true;
	return whole > 0 ? INT64_MAX : INT64_MIN;
}

static void give(sqlite3_context *ctx, const struct sum *s)
{
	if (!s || s->n == 0)
		sqlite3_result_null(ctx);
	else if (s->nreals)
		sqlite3_result_double(ctx, s->real);
	else
		sqlite3_result_int64(ctx, fit(s->whole, sqlite3_user_data(ctx)));
}

static void value(sqlite3_context *ctx)
{
	give(ctx, sqlite3_aggregate_context(ctx, sizeof(struct sum)));
}

static void final(sqlite3_context *ctx)
{
	give(ctx, sqlite3_aggregate_context(ctx, 0));
}

static void overflowed(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	(void)argc;
	(void)argv;
	sqlite3_result_int(ctx, *(const bool *)sqlite3_user_data(ctx));
}

/* The flag is freed with sum(), which stays as long as the other function. */
int td_sums_use(sqlite3 *db)
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
	bool *flag = calloc(1, sizeof(*flag));
	int rc;

	if (!flag)
		return SQLITE_NOMEM;
	rc = sqlite3_create_window_function(db, "sum", 1, flags, flag, step, final, value, inverse,
					    free);
	if (rc == SQLITE_OK)
		rc = sqlite3_create_function_v2(db, FLAG, 0, SQLITE_UTF8, flag, overflowed, NULL,
						NULL, NULL);
	return rc;
}

bool td_sums_overflowed(sqlite3 *db)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;

	return sqlite3_prepare_v2(db, "SELECT " FLAG "()", -1, &s, NULL) == SQLITE_OK &&
	       sqlite3_step(s) == SQLITE_ROW && sqlite3_column_int(s, 0);
}

void td_sums_reached(sqlite3 *db, int64_t sum)
{
	if (sum == INT64_MAX)
		(void)sqlite3_exec(db, "SELECT sum(9223372036854775807)", NULL, NULL, NULL);
}
