/* SPDX-License-Identifier: MIT */
#include <time.h>

#include "analyzer/sandbox.h"
#include "common/caldate.h"
#include "common/cleanup.h"
#include "schema/db.h"

#define STEPS_AT_ONCE 10000 /* of SQLite: a fraction of a millisecond */

/* PRAGMAs that only ask: without a value, or with the name of what they tell about. */
static bool pragma_allowed(const char *name, const char *value)
{
	static const struct {
		const char *name;
		bool takes_subject;
	} allowed[] = {
		{ "application_id", false },  { "collation_list", false },
		{ "compile_options", false }, { "database_list", false },
		{ "encoding", false },        { "foreign_key_check", true },
		{ "foreign_key_list", true }, { "freelist_count", false },
		{ "function_list", false },   { "index_info", true },
		{ "index_list", true },       { "index_xinfo", true },
		{ "integrity_check", true },  { "page_count", false },
		{ "page_size", false },       { "quick_check", true },
		{ "schema_version", false },  { "table_info", true },
		{ "table_list", true },       { "table_xinfo", true },
		{ "user_version", false },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(allowed); i++)
		if (sqlite3_stricmp(allowed[i].name, name) == 0)
			return !value || allowed[i].takes_subject;
	return false;
}

/* The functions of SQLite itself that compute something and touch nothing. What else a build of SQLite or an
 * extension brings (fts3_tokenizer(), load_extension(), sqlite_log(), ...) is not for SQL of others. */
/* clang-format off */
static const char *const functions[] = { /* in order */
	"->", "->>", "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh",
	"avg", "ceil", "ceiling", "char", "coalesce", "concat", "concat_ws", "cos", "cosh",
	"count", "cume_dist", "current_date", "current_time", "current_timestamp", "date",
	"datetime", "degrees", "dense_rank", "exp", "first_value", "floor", "format",
	"glob", "group_concat", "hex", "ifnull", "iif", "instr", "json", "json_array",
	"json_array_length", "json_error_position", "json_extract", "json_group_array",
	"json_group_object", "json_insert", "json_object", "json_patch", "json_quote",
	"json_remove", "json_replace", "json_set", "json_type", "json_valid", "julianday",
	"lag", "last_value", "lead", "length", "like", "likelihood", "likely", "ln", "log",
	"log10", "log2", "lower", "ltrim", "max", "min", "mod", "nth_value", "ntile",
	"nullif", "octet_length", "percent_rank", "pi", "pow", "power", "printf", "quote",
	"radians", "random", "randomblob", "rank", "replace", "round", "row_number",
	"rtrim", "sign", "sin", "sinh", "soundex", "sqlite_compileoption_get",
	"sqlite_compileoption_used", "sqlite_source_id", "sqlite_version", "sqrt",
	"strftime", "string_agg", "substr", "substring", "subtype", "sum", "tan", "tanh",
	"time", "timediff", "total", "tracedb_sum_overflowed", "trim", "trunc", "typeof",
	"unhex", "unicode", "unixepoch", "unlikely", "upper", "zeroblob",
};
/* clang-format on */

static int by_name(const void *a, const void *b)
{
	return sqlite3_stricmp(a, *(const char *const *)b);
}

static bool function_allowed(const char *name)
{
	return bsearch(name, functions, TD_ARRAY_SIZE(functions), sizeof(*functions), by_name);
}

/* sqlite3_set_authorizer() says what a and b are for each action. */
static int authorize(void *arg, int action, const char *a, const char *b, const char *database,
		     const char *trigger)
{
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return function_allowed(b) ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_UPDATE: /* asked for when a table-valued function is set up, without doing it;
			     * doing it takes PRAGMA writable_schema */
		return strcmp(a, "sqlite_master") == 0 ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_PRAGMA:
		return pragma_allowed(a, b) ? SQLITE_OK : SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

int td_query_sandbox(sqlite3 *db, struct td_err *err)
{
	int rc = sqlite3_set_authorizer(db, authorize, NULL);

	if (rc != SQLITE_OK)
		return td_db_error(db, rc, err, "cannot make the database safe for queries");
	return 0;
}

static int64_t now_ns(void)
{
	struct timespec ts = { 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * TD_SEC_NS + ts.tv_nsec;
}

struct td_deadline td_deadline_in(int64_t timeout_ns)
{
	struct td_deadline d = { 0 };

	if (timeout_ns && __builtin_add_overflow(now_ns(), timeout_ns, &d.at_ns))
		d.at_ns = 0;
	return d;
}

static int is_over(void *deadline)
{
	return now_ns() >= ((const struct td_deadline *)deadline)->at_ns;
}

void td_query_deadline(sqlite3 *db, const struct td_deadline *deadline)
{
	if (deadline->at_ns)
		sqlite3_progress_handler(db, STEPS_AT_ONCE, is_over, (void *)deadline);
}
