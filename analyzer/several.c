/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <sys/stat.h>

#include "analyzer/several.h"
#include "common/cleanup.h"
#include "common/strbuf.h"
#include "schema/db.h"
#include "schema/sums.h"
#include "schema/table.h"

#define PAGE_SIZE 4096 /* of what holds no rows */

/* A rank that some of the sources do not tell of is that of all: they are of one run. */
static const char label_sql[] = "SELECT name, (SELECT min(rank) FROM main.source HAVING min(rank) "
				"= max(rank)) FROM main.run";

/* --- what they are called --- */

static int read_label(const char *path, struct td_run_label *ret, struct td_err *err)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int r = td_db_open_ro(path, &db, err), rc;

	if (r < 0)
		return r;
	rc = sqlite3_prepare_v2(db, label_sql, -1, &s, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	if (rc != SQLITE_ROW)
		return td_db_error(db, rc, err, "cannot read database '%s'", path);
	ret->run = strdup((const char *)sqlite3_column_text(s, 0));
	ret->rank = td_db_known(s, 1);
	return ret->run ? 0 : -ENOMEM;
}

static bool is_taken(const struct td_run_label *labels, size_t n, size_t i)
{
	for (size_t k = 0; k < n; k++)
		if (k != i && labels[k].run && labels[i].run &&
		    strcmp(labels[k].run, labels[i].run) == 0)
			return true;
	return false;
}

/* Those of one name are called by their paths. */
static int tell_apart(char *const *paths, struct td_run_label *labels, size_t n)
{
	_cleanup_free_ bool *taken = calloc(n + 1, sizeof(*taken));

	if (!taken)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		taken[i] = is_taken(labels, n, i);
	for (size_t i = 0; i < n; i++) {
		if (!taken[i])
			continue;
		free(labels[i].run);
		labels[i].run = strdup(paths[i]);
		if (!labels[i].run)
			return -ENOMEM;
	}
	return 0;
}

void td_run_labels_free(struct td_run_label *labels, size_t n)
{
	for (size_t i = 0; labels && i < n; i++)
		free(labels[i].run);
	free(labels);
}

/* What is there twice would be counted twice, and by one name. Those that are not there at all are named later. */
static int check_each_once(char *const *paths, size_t n, struct td_err *err)
{
	_cleanup_free_ struct stat *files = calloc(n + 1, sizeof(*files));

	if (!files)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (stat(paths[i], &files[i]) < 0)
			files[i] = (struct stat){ 0 };
		for (size_t k = 0; k < i && files[i].st_ino; k++)
			if (files[k].st_ino == files[i].st_ino &&
			    files[k].st_dev == files[i].st_dev)
				return td_err_set(err, -EINVAL,
						  "'%s' and '%s' are one database: name it once",
						  paths[k], paths[i]);
	}
	return 0;
}

int td_run_labels(char *const *paths, size_t n, struct td_run_label **ret, struct td_err *err)
{
	struct td_run_label *labels = calloc(n + 1, sizeof(*labels));
	int r = labels ? check_each_once(paths, n, err) : -ENOMEM;

	for (size_t i = 0; i < n && r == 0; i++)
		r = read_label(paths[i], &labels[i], err);
	if (r == 0)
		r = tell_apart(paths, labels, n);
	if (r < 0)
		td_run_labels_free(labels, n);
	else
		*ret = labels;
	return r;
}

/* --- their tables --- */

/* SQLite is built with a limit, which is 10 unless somebody chose another. */
static int check_number(sqlite3 *db, size_t n, struct td_err *err)
{
	int most;

	(void)sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, INT_MAX);
	most = sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, -1);
	if (n <= (size_t)most)
		return 0;
	return td_err_set(
		err, -E2BIG,
		"SQL reads up to %d databases at once, not %zu: 'tracedb report NAME "
		"--side-by-side' and '--merged' read any number (or --partial and merge), and "
		"'tracedb export --to parquet' makes a lake of them",
		most, n);
}

/* Is the column a time, and not how long something was? */
static bool is_time(const char *table, const char *column)
{
	static const char *const names[] = { "start_ns", "end_ns", "ts_ns", "first_ns", "last_ns" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++)
		if (strcmp(column, names[i]) == 0)
			return true;
	return strcmp(column, "bin_ns") == 0 && strcmp(table, "run") != 0; /* there it is a width */
}

static void add_column(const char *table, const char *name, int64_t shift_ns, struct td_strbuf *b)
{
	if (shift_ns && is_time(table, name))
		td_strbuf_addf(b, ", \"%s\" + %lld AS \"%s\"", name, (long long)shift_ns, name);
	else
		td_strbuf_addf(b, ", \"%s\"", name);
}

static void add_rank(const struct td_run_label *label, struct td_strbuf *b)
{
	if (label->rank == TD_NULL)
		td_strbuf_adds(b, "NULL");
	else
		td_strbuf_addf(b, "%lld", (long long)label->rank);
}

/* The columns of a table, with its rank or that of the run in front. */
static int add_columns(sqlite3 *db, const char *table, const struct td_run_label *label,
		       int64_t shift_ns, struct td_strbuf *b)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	_cleanup_(td_strbuf_done) struct td_strbuf rest = TD_STRBUF_INIT;
	char *run = sqlite3_mprintf("%Q", label->run);
	bool own = false;
	int rc = sqlite3_prepare_v2(db, "SELECT name FROM pragma_table_info(?1, 'main')", -1, &s,
				    NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text(s, 1, table, -1, SQLITE_STATIC);
	while (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(s, 0);

		if (strcmp(name, "rank") == 0)
			own = true;
		else
			add_column(table, name, shift_ns, &rest);
		rc = SQLITE_OK;
	}
	td_strbuf_addf(b, "SELECT %s AS run, %s", run ? run : "", own ? "coalesce(rank, " : "");
	add_rank(label, b);
	td_strbuf_addf(b, "%s AS rank%s", own ? ")" : "", td_strbuf_str(&rest));
	if (!run || td_strbuf_error(&rest) < 0)
		rc = SQLITE_NOMEM;
	sqlite3_free(run);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* An SQLite result code, as the next. */
static int make_view(sqlite3 *db, const char *table, const struct td_run_label *labels,
		     const struct td_clock_shift *shifts, size_t n)
{
	_cleanup_(td_strbuf_done) struct td_strbuf sql = TD_STRBUF_INIT;
	int rc = SQLITE_OK;

	td_strbuf_addf(&sql, "CREATE TEMP VIEW \"%s\" AS ", table);
	for (size_t i = 0; i < n && rc == SQLITE_OK; i++) {
		td_strbuf_adds(&sql, i ? " UNION ALL " : "");
		rc = add_columns(db, table, &labels[i],
				 shifts && shifts[i].ns != TD_NULL ? shifts[i].ns : 0, &sql);
		td_strbuf_addf(&sql, " FROM db%zu.\"%s\"", i + 1, table);
	}
	if (td_strbuf_error(&sql) < 0)
		return SQLITE_NOMEM;
	return rc == SQLITE_OK ? sqlite3_exec(db, td_strbuf_str(&sql), NULL, NULL, NULL) : rc;
}

static int make_views(sqlite3 *db, const struct td_run_label *labels,
		      const struct td_clock_shift *shifts, size_t n)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(db,
				    "SELECT name FROM main.sqlite_schema WHERE type IN ('table', "
				    "'view') AND name NOT LIKE 'sqlite_%'",
				    -1, &s, NULL);

	while (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW)
		rc = make_view(db, (const char *)sqlite3_column_text(s, 0), labels, shifts, n);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* What is moved, and how well that is known. */
static int make_clocks(sqlite3 *db, const struct td_run_label *labels,
		       const struct td_clock_shift *shifts, size_t n)
{
	_cleanup_(td_strbuf_done) struct td_strbuf sql = TD_STRBUF_INIT;

	td_strbuf_adds(&sql,
		       "CREATE TEMP VIEW rank_clock (run, rank, moved_ns, error_ns) AS VALUES");
	for (size_t i = 0; i < n; i++) {
		char *run = sqlite3_mprintf("%Q", labels[i].run);

		if (!run)
			return SQLITE_NOMEM;
		td_strbuf_addf(&sql, "%s (%s, ", i ? "," : "", run);
		sqlite3_free(run);
		add_rank(&labels[i], &sql);
		if (shifts[i].ns == TD_NULL)
			td_strbuf_adds(&sql, ", NULL, NULL)");
		else
			td_strbuf_addf(&sql, ", %lld, %lld)", (long long)shifts[i].ns,
				       (long long)shifts[i].error_ns);
	}
	return td_strbuf_error(&sql) < 0 ? SQLITE_NOMEM
					 : sqlite3_exec(db, td_strbuf_str(&sql), NULL, NULL, NULL);
}

int td_several_open(char *const *paths, size_t n, const struct td_clock_shift *shifts,
		    sqlite3 **ret, struct td_err *err)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	struct td_run_label *labels = NULL;
	int r = td_db_create(":memory:", PAGE_SIZE, &db, err), rc;

	if (r == 0)
		r = check_number(db, n, err);
	if (r == 0)
		r = td_run_labels(paths, n, &labels, err);
	for (size_t i = 0; i < n && r == 0; i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "db%zu", i + 1);
		r = td_db_attach_ro(db, paths[i], name, err);
	}
	if (r == 0) {
		(void)sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
		rc = make_views(db, labels, shifts, n);
		if (rc == SQLITE_OK && shifts)
			rc = make_clocks(db, labels, shifts, n);
		if (rc == SQLITE_OK)
			rc = td_sums_use(db);
		if (rc == SQLITE_OK)
			rc = sqlite3_exec(db, "PRAGMA query_only = ON", NULL, NULL, NULL);
		if (rc != SQLITE_OK)
			r = td_db_error(db, rc, err, "cannot put databases beside each other");
	}
	td_run_labels_free(labels, n);
	if (r == 0)
		*ret = TAKE_PTR(db);
	return r;
}
