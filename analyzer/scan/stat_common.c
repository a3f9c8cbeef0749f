/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "analyzer/scan/stat_common.h"
#include "common/cleanup.h"
#include "schema/db.h"

#define WHOSE                                                                                      \
	"(coalesce(?1, ?2) IS NULL OR s.process_id IN (SELECT id FROM main.process"                \
	" WHERE (?1 IS NULL OR pid = ?1) AND (?2 IS NULL OR name = ?2 OR role = ?2)))"
#define BINS                                                                                       \
	"SELECT s.file_id, s.process_id, s.op_id, s.bin_ns, s.calls, s.errors, s.done_bytes, "     \
	"s.total_ns, NULL FROM main.bin_stat AS s WHERE " WHOSE
#define ROWS                                                                                       \
	"SELECT s.key_id, s.process_id, o.id, NULL, s.calls, s.errors, s.done_bytes, "             \
	"s.total_ns, s.max_ns"                                                                     \
	" FROM main.file_stat AS s"                                                                \
	" LEFT JOIN (SELECT verb, min(id) AS id FROM main.op GROUP BY verb) AS o ON o.verb = "     \
	"s.verb"                                                                                   \
	" WHERE s.by = ?3 AND " WHOSE

/* Their columns: what the keys are made of, an operation of the verb in its place, then sums. */
enum { OBJECT, PROCESS, KIND, START, SUMS };
static const enum td_sum sums[] = { TD_SUM_CALLS, TD_SUM_ERRORS, TD_SUM_BYTES, TD_SUM_TOTAL,
				    TD_SUM_MAX };
#define TOTAL (SUMS + 3)

/* What is being put together. */
struct common {
	struct td_stat stat;
	struct td_busiest busiest;
	bool files; /* wanted */
	struct td_row_batch batch; /* of one row */
};

static void common_done(struct common *c)
{
	td_stat_done(&c->stat);
	td_busiest_done(&c->busiest);
}

static void add_sums(struct td_group_sums *to, sqlite3_stmt *s, uint32_t group)
{
	int64_t row[TD_NSUMS];
	struct td_group_sums one = *to;

	one.rows = row;
	one.n = 1;
	for (size_t i = 0; i < TD_ARRAY_SIZE(sums); i++)
		if (to->place[sums[i]] >= 0)
			row[to->place[sums[i]]] = td_db_known(s, SUMS + (int)i);
	td_group_sums_merge(to, &one, &group);
}

/* A row is as a call that took all of the time. */
static int add_row(void *arg, sqlite3_stmt *s)
{
	struct common *c = arg;
	static const uint16_t first = 0;
	struct td_stat *stat = &c->stat;
	struct td_key key;
	uint32_t group;
	int r;

	c->batch.columns[TD_ROW_OBJECT][0] = td_db_known(s, OBJECT);
	c->batch.columns[TD_ROW_PROCESS][0] = td_db_known(s, PROCESS);
	c->batch.columns[TD_ROW_KIND][0] = td_db_known(s, KIND);
	c->batch.columns[TD_ROW_START][0] = td_db_known(s, START);
	c->batch.columns[TD_ROW_DUR][0] = td_db_known(s, TOTAL);
	td_dims_keys(&stat->dims, &c->batch, &first, 1, &key);
	if (td_keys_reserve(&stat->keys, 1) < 0)
		return -ENOMEM;
	group = td_keys_add(&stat->keys, key);
	if (td_group_sums_resize(&stat->sums, stat->keys.n) < 0)
		return -ENOMEM;
	add_sums(&stat->sums, s, group);
	if (!c->files)
		return 0;
	r = td_busiest_resize(&c->busiest, stat->keys.n);
	return r == 0 ? td_busiest_add(&c->busiest, &c->batch, &first, &group, 1) : r;
}

static int prepare(sqlite3 *db, const struct td_stat_request *req, unsigned files_by,
		   sqlite3_stmt **ret)
{
	const char *by = files_by & 1u << TD_DIM_PROCESS ? "file,process,verb" : "file,verb";
	bool bins = files_by & 1u << TD_DIM_BIN;
	int rc = sqlite3_prepare_v2(db, bins ? BINS : ROWS, -1, ret, NULL);

	if (rc == SQLITE_OK && req->pid != TD_NULL)
		rc = sqlite3_bind_int64(*ret, 1, req->pid);
	if (rc == SQLITE_OK && req->process)
		rc = sqlite3_bind_text(*ret, 2, req->process, -1, SQLITE_STATIC);
	return rc == SQLITE_OK && !bins ? sqlite3_bind_text(*ret, 3, by, -1, SQLITE_STATIC) : rc;
}

static int add_rows(sqlite3 *db, const struct td_stat_request *req, unsigned files_by,
		    struct common *c, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc = prepare(db, req, files_by, &s);

	return td_db_rows(db, rc, s, add_row, c, "cannot read what is held of files", err);
}

static int begin(sqlite3 *db, const struct td_stat_request *req, struct common *c,
		 struct td_err *err)
{
	uint64_t last_file = 0;
	int r = td_dims_load(db, req, &c->stat.dims, err);

	td_group_sums_init(&c->stat.sums, req->measures);
	c->files = req->measures & TD_MEASURES_FILES;
	if (r == 0 && c->files)
		r = td_dims_last_id(db, TD_DIM_FILE, &last_file, err);
	return r == 0 && c->files ? td_busiest_init(&c->busiest, last_file,
						    td_dims_are_of_files(&c->stat.dims, false))
				  : r;
}

int td_stat_common(sqlite3 *db, const struct td_stat_request *req, unsigned files_by,
		   struct td_stat *ret, struct td_err *err)
{
	_cleanup_(common_done) struct common c = { 0 };
	int r = begin(db, req, &c, err);

	if (r == 0)
		r = add_rows(db, req, files_by, &c, err);
	if (r < 0)
		return r;
	if (c.files) {
		c.stat.files = td_busiest_of_all(&c.busiest);
		if (!c.stat.files)
			return -ENOMEM;
	}
	*ret = c.stat;
	c.stat = (struct td_stat){ 0 };
	return 0;
}
