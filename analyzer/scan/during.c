/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <errno.h>

#include "analyzer/scan/during.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "schema/db.h"
#include "schema/table.h"

#define INTERVALS_MAX (1u << 25) /* of 24 bytes: 768 MiB */

/* --- reading them --- */

static int open_select(sqlite3 *db, const char *sql, sqlite3_stmt **ret, struct td_err *err)
{
	const char *rest = NULL;

	if (sqlite3_prepare_v2(db, sql, -1, ret, &rest) != SQLITE_OK)
		return td_err_set(err, -EINVAL, "during: %s", sqlite3_errmsg(db));
	while (isspace((unsigned char)*rest) || *rest == ';')
		rest++;
	if (!*ret || *rest || !sqlite3_stmt_readonly(*ret) || sqlite3_column_count(*ret) != 2)
		return td_err_set(err, -EINVAL,
				  "during: one SELECT of two columns is needed, begin and end in "
				  "ns, not '%s'",
				  sql);
	return 0;
}

/* Puts it into the one before if they overlap or touch. *sorted: none has begun before the one before. */
static int add(struct td_during *d, int64_t start_ns, int64_t end_ns, bool *sorted,
	       struct td_err *err)
{
	struct td_during_interval *last = d->n ? &d->items[d->n - 1] : NULL;

	if (last && start_ns >= last->start_ns && start_ns <= last->end_ns) {
		last->end_ns = TD_MAX(last->end_ns, end_ns);
		return 0;
	}
	if (d->n == INTERVALS_MAX)
		return td_err_set(err, -E2BIG, "during: more than %u intervals", INTERVALS_MAX);
	*sorted &= !last || start_ns >= last->start_ns;
	if (td_grow(&d->items, &d->cap, d->n) < 0)
		return -ENOMEM;
	d->items[d->n++] = (struct td_during_interval){ .start_ns = start_ns, .end_ns = end_ns };
	return 0;
}

static int read_row(sqlite3_stmt *stmt, uint64_t row, struct td_during *d, bool *sorted,
		    struct td_err *err)
{
	int64_t start_ns, end_ns;

	for (int i = 0; i < 2; i++) {
		int type = sqlite3_column_type(stmt, i);

		if (type == SQLITE_NULL)
			return 0;
		if (type != SQLITE_INTEGER)
			return td_err_set(err, -EINVAL, "during: row %llu: '%s' is no time in ns",
					  (unsigned long long)row,
					  (const char *)sqlite3_column_text(stmt, i));
	}
	start_ns = sqlite3_column_int64(stmt, 0);
	end_ns = sqlite3_column_int64(stmt, 1);
	if (end_ns < start_ns)
		return td_err_set(err, -EINVAL,
				  "during: row %llu ends (%lld) before it begins (%lld)",
				  (unsigned long long)row, (long long)end_ns, (long long)start_ns);
	return end_ns > start_ns ? add(d, start_ns, end_ns, sorted, err) : 0;
}

static int by_start(const void *a, const void *b)
{
	const struct td_during_interval *x = a, *y = b;

	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static void unite(struct td_during *d)
{
	size_t n = 0;

	qsort(d->items, d->n, sizeof(*d->items), by_start);
	for (size_t i = 0; i < d->n; i++) {
		if (n && d->items[i].start_ns <= d->items[n - 1].end_ns)
			d->items[n - 1].end_ns = TD_MAX(d->items[n - 1].end_ns, d->items[i].end_ns);
		else
			d->items[n++] = d->items[i];
	}
	d->n = n;
}

/* In 64 bits without a sign no difference and no sum of them is too large: they do not overlap. */
static uint64_t length(int64_t start_ns, int64_t end_ns)
{
	return (uint64_t)end_ns - (uint64_t)start_ns;
}

int td_during_load(sqlite3 *db, const char *sql, struct td_during *ret, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	_cleanup_(td_during_done) struct td_during d = { 0 };
	bool sorted = true;
	uint64_t row = 0;
	int rc = SQLITE_DONE, r = open_select(db, sql, &stmt, err);

	while (r == 0 && (rc = sqlite3_step(stmt)) == SQLITE_ROW)
		r = read_row(stmt, ++row, &d, &sorted, err);
	if (r == 0 && rc != SQLITE_DONE)
		r = td_db_error(db, rc, err, "during");
	if (r < 0)
		return r;
	if (!sorted)
		unite(&d);
	for (size_t i = 1; i < d.n; i++)
		d.items[i].before_ns = d.items[i - 1].before_ns +
				       length(d.items[i - 1].start_ns, d.items[i - 1].end_ns);
	*ret = d;
	d = (struct td_during){ 0 };
	return 0;
}

void td_during_done(struct td_during *d)
{
	free(d->items);
	*d = (struct td_during){ 0 };
}

/* --- looking into them --- */

/* The first interval that begins after t: a few steps from the hint, each twice as long as the one
 * before, then halves. */
static size_t first_after(const struct td_during *d, int64_t t, size_t hint)
{
	size_t low = hint, high = hint; /* it is from low on, and at high or before */

	for (size_t step = 1; low > 0 && d->items[low - 1].start_ns > t; step *= 2) {
		high = low - 1;
		low = high > step ? high - step : 0;
	}
	for (size_t step = 1; high < d->n && d->items[high].start_ns <= t; step *= 2) {
		low = high + 1;
		high = d->n - low > step ? low + step : d->n;
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (d->items[middle].start_ns <= t)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Of what is before t, how much lies in the intervals; at: first_after() of t. */
static uint64_t covered_until(const struct td_during *d, int64_t t, size_t at)
{
	const struct td_during_interval *last;

	if (at == 0)
		return 0;
	last = &d->items[at - 1];
	return last->before_ns + length(last->start_ns, TD_MIN(t, last->end_ns));
}

bool td_during_of(const struct td_during *d, int64_t start_ns, int64_t dur_ns, size_t *hint,
		  int64_t *ret)
{
	size_t at = first_after(d, start_ns, *hint);
	int64_t end_ns;

	*hint = at;
	*ret = dur_ns == TD_NULL ? TD_NULL : 0;
	if (dur_ns <= 0) /* TD_NULL is the smallest number */
		return at > 0 && start_ns < d->items[at - 1].end_ns;
	if (__builtin_add_overflow(start_ns, dur_ns, &end_ns))
		end_ns = INT64_MAX;
	*ret = (int64_t)(covered_until(d, end_ns, first_after(d, end_ns, at)) -
			 covered_until(d, start_ns, at));
	return *ret > 0;
}
