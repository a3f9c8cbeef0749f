/* SPDX-License-Identifier: MIT */
#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/scan.h"
#include "common/units.h"
#include "analyzer/args.h"
#include "schema/db.h"

#define NO_BEGIN "nothing in this database has a time, so none can be counted from its begin"
#define NS_PER_S INT64_C(1000000000)
#define SECONDS_OF_DAY 86400
#define NS_PER_DAY (SECONDS_OF_DAY * NS_PER_S)

static const char time_expected[] =
	"a time like 90s (from the begin of the run), 05:16:14 (local), 2022-08-28T05:16:14Z or "
	"ns since the epoch";

static bool parse_int(const char *text, int64_t *ret)
{
	struct td_scan s = td_scan_of(text, strlen(text));

	return td_scan_i64(&s, ret) && td_scan_done(&s);
}

static bool parse_double(const char *text, double *ret)
{
	struct td_scan s = td_scan_of(text, strlen(text));

	return td_scan_double(&s, ret) && td_scan_done(&s);
}

int td_run_begin(sqlite3 *db, int64_t *ret, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, "SELECT start_ns FROM run WHERE start_ns IS NOT NULL", -1,
				    &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc == SQLITE_DONE)
		return 0;
	if (rc != SQLITE_ROW)
		return td_db_error(db, rc, err, "cannot read the begin of the run");
	*ret = sqlite3_column_int64(stmt, 0);
	return 1;
}

static int run_start(sqlite3 *db, int64_t *ret, struct td_err *err)
{
	int r = td_run_begin(db, ret, err);

	if (r == 0)
		return td_err_set(err, -EINVAL, NO_BEGIN);
	return r < 0 ? r : 0;
}

/* "run 2" or "run 2 end" */
static bool parse_run(const char *text, int64_t *ret_number, bool *ret_end)
{
	struct td_scan s = td_scan_of(text, strlen(text));

	if (!td_scan_literal(&s, "run ") || !td_scan_i64(&s, ret_number))
		return false;
	*ret_end = td_scan_literal(&s, " end");
	return td_scan_done(&s);
}

/* When a run of the training program began, or had ended. */
static int run_time(sqlite3 *db, int64_t number, bool end, int64_t *ret, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db,
				    "SELECT CASE WHEN ?2 THEN end_ns + 1 ELSE start_ns END,"
				    " (SELECT count(*) FROM training_runs)"
				    " FROM (SELECT 1) LEFT JOIN training_runs ON run_number = ?1",
				    -1, &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_int64(stmt, 1, number);
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_int(stmt, 2, end);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc != SQLITE_ROW)
		return td_db_error(db, rc, err, "cannot read the runs");
	if (sqlite3_column_type(stmt, 0) != SQLITE_NULL) {
		*ret = sqlite3_column_int64(stmt, 0);
		return 0;
	}
	if (sqlite3_column_int64(stmt, 1) == 0)
		return td_err_set(err, -EINVAL, "no training log tells of runs here");
	return td_err_set(err, -EINVAL, "no run %lld; there are run 1 .. %lld", (long long)number,
			  (long long)sqlite3_column_int64(stmt, 1));
}

/* A time of day as clocks showed it where the run was (run.utc_offset_s; UTC if no source needed a
 * zone), of the day on which it is in the run or nearest to it. */
static int day_time(sqlite3 *db, int64_t tod_ns, int64_t *ret, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int64_t start, end, offset_s, local, at;
	int rc = sqlite3_prepare_v2(
		db,
		"SELECT start_ns, coalesce(end_ns, start_ns), coalesce(utc_offset_s, 0) FROM run"
		" WHERE start_ns IS NOT NULL",
		-1, &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc == SQLITE_DONE)
		return td_err_set(err, -EINVAL, NO_BEGIN);
	if (rc != SQLITE_ROW)
		return td_db_error(db, rc, err, "cannot read the begin of the run");
	start = sqlite3_column_int64(stmt, 0);
	end = sqlite3_column_int64(stmt, 1);
	offset_s = sqlite3_column_int64(stmt, 2);
	if (start < 0 || end < start || end > INT64_MAX - 2 * NS_PER_DAY ||
	    offset_s < -SECONDS_OF_DAY ||
	    offset_s > SECONDS_OF_DAY) /* nothing that an import wrote */
		return -ERANGE;
	/* since the midnight before the begin, not below 0 */
	local = (start + NS_PER_DAY + offset_s * NS_PER_S) % NS_PER_DAY;
	at = start - local + tod_ns;
	*ret = at < start && at + NS_PER_DAY - end < start - at ? at + NS_PER_DAY : at;
	return 0;
}

/* A time of day; the seconds may be left out. */
static bool parse_day_time(const char *text, int64_t *ret_ns)
{
	char with_seconds[sizeof("05:16:00")];
	struct td_scan s = td_scan_of(text, strlen(text));

	if (td_scan_tod(&s, ret_ns) && td_scan_done(&s))
		return true;
	if (strlen(text) != strlen("05:16"))
		return false;
	(void)snprintf(with_seconds, sizeof(with_seconds), "%s:00", text);
	s = td_scan_of(with_seconds, strlen(with_seconds));
	return td_scan_tod(&s, ret_ns) && td_scan_done(&s);
}

/* 0, -EINVAL without a message: it is no time; or another error with one. */
static int parse_ts(sqlite3 *db, const char *text, int64_t *ret, struct td_err *err)
{
	struct td_scan s = td_scan_of(text, strlen(text));
	int64_t start, offset;
	bool end;
	int r;

	if (parse_run(text, &start, &end))
		return run_time(db, start, end, ret, err);
	if (td_scan_iso(&s, ret) && td_scan_done(&s))
		return 0;
	if (parse_day_time(text, &offset))
		return day_time(db, offset, ret, err);
	if (parse_int(text, &start) && start != 0) { /* "10" is hardly meant to be in 1970 */
		*ret = start;
		return start >= TD_EARLIEST_NS ? 0 : -EINVAL;
	}
	r = td_parse_duration(text, 1, &offset);
	if (r == 0)
		r = run_start(db, &start, err);
	if (r < 0)
		return r;
	return __builtin_add_overflow(start, offset, ret) ? -ERANGE : 0;
}

/* As LIMIT takes it: less than 0 is all. */
static int parse_count(const char *text, int64_t *ret)
{
	if (strcmp(text, "all") == 0) {
		*ret = -1;
		return 0;
	}
	return parse_int(text, ret) && *ret >= 0 ? 0 : -EINVAL;
}

static int parse_number(sqlite3 *db, enum td_unit type, const char *text, int64_t *ret,
			struct td_err *err)
{
	if (type == TD_UNIT_BYTES)
		return td_parse_size(text, ret);
	if (type == TD_UNIT_DUR_NS)
		return td_parse_duration(text, 1, ret);
	if (type == TD_UNIT_TS_NS)
		return parse_ts(db, text, ret, err);
	if (type == TD_UNIT_COUNT)
		return parse_count(text, ret);
	return parse_int(text, ret) ? 0 : -EINVAL;
}

static int bad_value(enum td_unit type, const struct td_arg *arg, int r, const struct td_err *why,
		     struct td_err *err)
{
	static const char *const expected[TD_NUNITS] = {
		[TD_UNIT_INTEGER] = "an integer",
		[TD_UNIT_COUNT] = "a number, nor 'all'",
		[TD_UNIT_REAL] = "a number",
		[TD_UNIT_BYTES] = "a size like 4096, 64kb or 1.5GiB",
		[TD_UNIT_DUR_NS] = "a duration like 1500 (ns), 20us or 1.5s",
		[TD_UNIT_TS_NS] = time_expected,
	};

	int64_t number;
	bool end;

	/* --run N is a time of each run, which nobody wrote */
	if (why->msg[0] && parse_run(arg->value, &number, &end))
		return td_err_set(err, r, "%s", why->msg);
	if (why->msg[0])
		return td_err_set(err, r, "%s = '%s': %s", arg->name, arg->value, why->msg);
	return td_err_set(err, r, "%s = '%s' is not %s", arg->name, arg->value, expected[type]);
}

static int bind_number(sqlite3_stmt *stmt, int index, enum td_unit type, const struct td_arg *arg,
		       struct td_err *err)
{
	struct td_err why = { 0 };
	int64_t i = 0;
	double d;
	int r;

	if (type == TD_UNIT_REAL && parse_double(arg->value, &d))
		return sqlite3_bind_double(stmt, index, d);
	r = type == TD_UNIT_REAL
		    ? -EINVAL
		    : parse_number(sqlite3_db_handle(stmt), type, arg->value, &i, &why);
	return r == 0 ? sqlite3_bind_int64(stmt, index, i) : bad_value(type, arg, r, &why, err);
}

int td_arg_time(sqlite3 *db, const struct td_arg *arg, int64_t *ret, struct td_err *err)
{
	struct td_err why = { 0 };
	int r = parse_ts(db, arg->value, ret, &why);

	return r == 0 ? 0 : bad_value(TD_UNIT_TS_NS, arg, r, &why, err);
}

static int bind_any(sqlite3_stmt *stmt, int index, const char *text)
{
	int64_t i;
	double d;

	if (parse_int(text, &i))
		return sqlite3_bind_int64(stmt, index, i);
	if (parse_double(text, &d))
		return sqlite3_bind_double(stmt, index, d);
	return sqlite3_bind_text(stmt, index, text, -1, SQLITE_TRANSIENT);
}

int td_arg_bind(sqlite3_stmt *stmt, int index, enum td_unit type, const struct td_arg *arg,
		struct td_err *err)
{
	int rc;

	if (type == TD_UNIT_ANY)
		rc = bind_any(stmt, index, arg->value);
	else if (type == TD_UNIT_TEXT)
		rc = sqlite3_bind_text(stmt, index, arg->value, -1, SQLITE_TRANSIENT);
	else
		rc = bind_number(stmt, index, type, arg, err);
	if (rc > 0) /* SQLite's; what is below 0 has its message */
		return td_db_error(sqlite3_db_handle(stmt), rc, err, "%s = '%s'", arg->name,
				   arg->value);
	return rc;
}
