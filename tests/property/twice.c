/* SPDX-License-Identifier: MIT */
/*
 * Each sample becomes a database, twice: both are the same to the byte, they are sound, and in them the lines of
 * every source are rows, skipped or issues.
 *
 *     twice SOURCES NSYS-SEEDS     our own samples, each alone; folders
 *     twice corpus IMPORTER...     those below $TRACEDB_CORPUS that these importers read, each alone
 *     twice corpus FOLDER...       folders of it (a name with a slash)
 */
#include <errno.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/import_job.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "tests/property/samples.h"
#include "tests/unit/check.h"
#include "tests/unit/read_whole.h"

static struct {
	char dir[64];
	int inputs;
} sum;

/* Both have the same name, which the database holds, and so lie in two folders. */
static void database_path(char *buf, size_t size, int which)
{
	(void)snprintf(buf, size, "%s/%d/it.db", sum.dir, which);
}

static int import(const char *path, const char *db)
{
	struct td_import_job job = {
		.paths = &path,
		.npaths = 1,
		.output = db,
		.if_exists = TD_EXISTS_REPLACE,
		.quiet = true,
		.options = { .utc_offset_s = TD_NULL, .date_days = TD_NULL },
	};
	struct td_err err = { "" };
	int r = td_import_run(&job, &err);

	if (r < 0 && r != -ENODATA)
		fprintf(stderr, "%s: %s\n", td_check_case, err.msg);
	return r;
}

/* --- one database --- */

/* The first column of the first row as text, "" for none. */
static void query(sqlite3 *db, const char *sql, char *buf, size_t size)
{
	sqlite3_stmt *stmt = NULL;

	buf[0] = '\0';
	TD_CHECK_INT(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	if (sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_text(stmt, 0))
		(void)snprintf(buf, size, "%s", (const char *)sqlite3_column_text(stmt, 0));
	sqlite3_finalize(stmt);
}

static void check_database(const char *path)
{
	static const struct {
		const char *sql, *want;
	} checks[] = {
		{ "PRAGMA integrity_check", "ok" },
		{ "PRAGMA foreign_key_check", "" },
		{ "SELECT path FROM source WHERE lines <> rows + skipped + issues", "" },
		/* every issue and every repair is counted under some kind, too */
		{ "SELECT path FROM source s WHERE issues <> (SELECT coalesce(sum(count), 0) FROM "
		  "issue_count WHERE source_id = s.id AND effect = 'dropped')",
		  "" },
		{ "SELECT path FROM source s WHERE repaired > (SELECT coalesce(sum(count), 0) FROM "
		  "issue_count WHERE source_id = s.id AND effect = 'repaired')",
		  "" },
	};
	sqlite3 *db = NULL;
	char got[4096];

	TD_CHECK_INT(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	for (size_t i = 0; i < TD_ARRAY_SIZE(checks); i++) {
		query(db, checks[i].sql, got, sizeof(got));
		TD_CHECK_STR(got, checks[i].want);
	}
	sqlite3_close(db);
}

static void check_same(const char *a, const char *b)
{
	size_t na = 0, nb = 0, at = 0;
	_cleanup_free_ char *pa = td_read_whole(a, &na), *pb = td_read_whole(b, &nb);

	TD_CHECK(pa && pb && na > 0);
	while (pa && pb && at < na && at < nb && pa[at] == pb[at])
		at++;
	TD_CHECK_INT(na, nb);
	TD_CHECK_INT(at, na); /* else: the first byte that differs */
}

/* --- one input --- */

static void check_twice(const char *path, bool must_be_read)
{
	char db[2][128];
	int r[2];

	for (int i = 0; i < 2; i++) {
		database_path(db[i], sizeof(db[i]), i);
		r[i] = import(path, db[i]);
	}
	TD_CHECK_INT(r[1], r[0]);
	TD_CHECK(r[0] == 0 || (r[0] == -ENODATA && !must_be_read));
	if (r[0] == 0 && r[1] == 0) {
		check_same(db[0], db[1]);
		check_database(db[0]);
	}
	for (int i = 0; i < 2; i++)
		(void)unlink(db[i]);
	sum.inputs++;
}

struct wanted {
	char *const *importers; /* NULL: all */
	int n;
};

static void check_sample(void *ctx, const struct td_sample_file *f)
{
	const struct wanted *w = ctx;
	bool found = !w->importers;
	struct stat st = { 0 };

	for (int i = 0; i < w->n; i++)
		found |= strcmp(w->importers[i], f->rule->importer ? f->rule->importer : "none") ==
			 0;
	if (!found)
		return;
	TD_CASE(f->name);
	TD_CHECK_INT(stat(f->path, &st), 0);
	check_twice(f->path, f->rule->importer && !f->rule->maybe && st.st_size > 0);
}

static void check_folder(const char *root, const char *name)
{
	char path[4096];

	TD_CASE(name);
	(void)snprintf(path, sizeof(path), "%s/%s", root, name);
	check_twice(path, true);
}

static void check_corpus(const char *corpus, char *const *names, int n)
{
	struct wanted wanted = { names, n };

	(void)td_samples_corpus(corpus, check_sample, &wanted);
	for (int i = 0; i < n; i++)
		if (strchr(names[i], '/'))
			check_folder(corpus, names[i]);
}

static void check_own(const char *sources, const char *nsys)
{
	struct wanted all = { NULL, 0 };

	(void)td_samples_own(sources, check_sample, &all);
	(void)td_samples_nsys(nsys, check_sample, &all);
	check_folder(sources, "tests/data");
	check_folder(sources, "examples/stall/run");
}

/* --- */

static void make_folders(void)
{
	(void)snprintf(sum.dir, sizeof(sum.dir), "/tmp/tracedb-test-twice-XXXXXX");
	TD_CHECK(mkdtemp(sum.dir) != NULL);
	for (int i = 0; i < 2; i++) {
		char path[128];

		(void)snprintf(path, sizeof(path), "%s/%d", sum.dir, i);
		TD_CHECK_INT(mkdir(path, 0700), 0);
	}
}

static void remove_folders(void)
{
	for (int i = 0; i < 2; i++) {
		char path[128];

		(void)snprintf(path, sizeof(path), "%s/%d/it.db.lock", sum.dir, i);
		(void)unlink(path);
		(void)snprintf(path, sizeof(path), "%s/%d", sum.dir, i);
		TD_CHECK_INT(rmdir(path), 0); /* nothing else is left behind */
	}
	TD_CHECK_INT(rmdir(sum.dir), 0);
}

int main(int argc, char **argv)
{
	const char *corpus = getenv("TRACEDB_CORPUS");
	bool of_corpus = argc > 2 && strcmp(argv[1], "corpus") == 0;

	if (argc < 3)
		return 2;
	if (of_corpus && !corpus) {
		puts("TRACEDB_CORPUS is not set");
		return TD_TEST_SKIP;
	}
	make_folders();
	if (of_corpus)
		check_corpus(corpus, argv + 2, argc - 2);
	else
		check_own(argv[1], argv[2]);
	remove_folders();
	TD_CHECK(sum.inputs > 0);
	printf("%d inputs\n", sum.inputs);
	return td_check_result();
}
