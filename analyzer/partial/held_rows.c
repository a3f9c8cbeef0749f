/* SPDX-License-Identifier: MIT */
/*
 * Sums by what a view holds, as they are there; distributions from file_hist, which has them of the finest grouping of
 * files that is held, so that those by anything coarser are put together, and from op_hist.
 */
#include "analyzer/partial/held.h"
#include "analyzer/partial/held_private.h"
#include "analyzer/scan/file_rows.h"
#include "analyzer/scan/filter.h"
#include "analyzer/scan/records.h"
#include "analyzer/scan/stat_held.h"
#include "analyzer/scan/table_rows.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "schema/series.h"

#define M(x) (1u << TD_MEASURE_##x)
#define D(x) (1u << TD_DIM_##x)

#define OF_FILES (D(FILE) | D(TEMPLATE) | D(DIRECTORY) | D(CLASS))

/* What only distributions tell. */
#define OF_HISTS (TD_MEASURES_PERCENTILES | M(P50_BYTES_LOW) | M(MIN_NS))

/* What is asked of the busiest files of classes and processes, and what busiest_file tells of them. */
#define BUSIEST (D(FILE) | D(CLASS) | D(PROCESS))
#define OF_BUSIEST (M(COUNT) | M(ERRORS) | M(BYTES) | M(TOTAL_NS) | M(MAX_NS))

/* Keys: what is of a process, or a file, operation or what files have in common below, the number
 * of the verb (BUSIEST: of the class) above, and whether it is waited on. */
#define ID_BITS 32
#define WAITS_SHIFT (3 * ID_BITS)

/* Rows of all have the columns in this order, and of the sums those that are wanted: SQLite takes
 * as long for a column as for the rest of a row. Calls are always among them. */
enum { COLUMN_KEY, COLUMN_PROCESS, COLUMN_VERB, COLUMN_SUMS };
static const struct {
	enum td_sum sum;
	uint8_t place, place_busiest; /* of the column of file_stat or busiest_file in its rows */
	const char *of_files,
		*of_ops; /* columns of file_stat (busiest_file has the same) and op_stat */
} sums[] = {
	{ TD_SUM_CALLS, 4, 4, "calls", "calls" },
	{ TD_SUM_ERRORS, 5, 5, "errors", "errors" },
	{ TD_SUM_TIMED, 6, TD_RECORD_NONE, "timed", "timed" },
	{ TD_SUM_BYTES, 7, 6, "done_bytes", "done_bytes" },
	{ TD_SUM_TOTAL, 8, 7, "total_ns", "total_ns" },
	{ TD_SUM_MIN, TD_RECORD_NONE, TD_RECORD_NONE, NULL, "min_ns" },
	{ TD_SUM_MAX, 9, 8, "max_ns", "max_ns" },
	{ TD_SUM_FIRST, 17, TD_RECORD_NONE, "first_ns", "first_ns" },
	{ TD_SUM_LAST, 18, TD_RECORD_NONE, "last_ns", "last_ns" },
	{ TD_SUM_MIN_BYTES, 12, TD_RECORD_NONE, "min_bytes", NULL },
	{ TD_SUM_MAX_BYTES, 14, TD_RECORD_NONE, "max_bytes", NULL },
	{ TD_SUM_SEQUENTIAL, 15, TD_RECORD_NONE, "sequential", NULL },
	{ TD_SUM_RANDOM, 16, TD_RECORD_NONE, "random", NULL },
};

/* Places of the others in a row of file_stat and of busiest_file, and of those of file_hist. */
enum { PLACE_KEY = 1, PLACE_PROCESS, PLACE_VERB };
enum { BUSIEST_PROCESS, BUSIEST_CLASS, BUSIEST_FILE };
#define FILE_CLASS 4 /* of a row of file */
static const struct td_records file_hists = {
	.table = "file_hist",
	.columns = { 1, TD_RECORD_NONE, 2, 3, 4, 5 },
	.n = 6,
	.first = "file,verb",
};

/* Distributions by what rows of file_hist are of, and by what files of it are. */
#define OF_FILE_HIST ", NULL, verb, min_ns, durations, sizes FROM file_hist"
#define BY_FILE OF_FILE_HIST " LEFT JOIN file AS f ON f.id = key_id WHERE by = 'file,verb'"
static const struct {
	unsigned dim;
	const char *own, *of_files;
} hists[] = {
	{ D(FILE), NULL, "SELECT key_id" OF_FILE_HIST " WHERE by = 'file,verb'" },
	{ D(TEMPLATE), "SELECT key_id" OF_FILE_HIST " WHERE by = 'template,verb'",
	  "SELECT f.template_id" BY_FILE },
	{ D(DIRECTORY), "SELECT key_id" OF_FILE_HIST " WHERE by = 'directory,verb'",
	  "SELECT f.directory_id" BY_FILE },
	{ D(CLASS),
	  "SELECT s.text" OF_FILE_HIST " LEFT JOIN string AS s ON s.id = key_id"
	  " WHERE by = 'class,verb'",
	  "SELECT f.class" BY_FILE },
};
static const char op_hists[] =
	"SELECT op_id, process_id, NULL, NULL, durations FROM op_hist WHERE nested = 0";

struct rows {
	const struct td_stat_request *req;
	sqlite3 *db;
	bool pages; /* read what can be read from pages */
	int64_t left; /* calls of which no group has been met yet; 0: all are, below 0: nobody knows */
	struct td_stat stat;
	struct td_key_map waited; /* files that are waited on, where that is told apart */
	struct td_key_map classes; /* of strings: labels */
	sqlite3_stmt *row; /* owned; a row by its number, where few are wanted */
	struct known {
		uint64_t durations, sizes;
	} * known; /* owned; of how many values of each group there are distributions */
};

static void rows_done(struct rows *r)
{
	td_stat_done(&r->stat);
	td_key_map_done(&r->waited);
	td_key_map_done(&r->classes);
	td_db_put_back(r->row);
	free(r->known);
}

static int fail(const struct rows *r, int rc, struct td_err *err)
{
	return td_db_error(r->db, rc, err, "cannot read derived tables");
}

/* --- keys --- */

static void begin_dims(struct td_dims *d, unsigned which)
{
	static const enum td_dim low[] = { TD_DIM_FILE, TD_DIM_TEMPLATE, TD_DIM_DIRECTORY,
					   TD_DIM_CLASS, TD_DIM_OP };

	d->which = which;
	for (size_t i = 0; i < TD_ARRAY_SIZE(low); i++)
		d->width[low[i]] = which & 1u << low[i] ? ID_BITS : 0;
	d->width[TD_DIM_PROCESS] = which & D(PROCESS) ? ID_BITS : 0;
	d->shift[TD_DIM_PROCESS] = ID_BITS;
	d->width[TD_DIM_VERB] = which & D(VERB) ? ID_BITS : 0;
	d->shift[TD_DIM_VERB] = 2 * ID_BITS;
	if (which == BUSIEST)
		d->shift[TD_DIM_CLASS] = 2 * ID_BITS;
	d->width[TD_DIM_WAITS] = which & D(WAITS) ? 1 : 0;
	d->shift[TD_DIM_WAITS] = WAITS_SHIFT;
}

/* As TD_DIM_WAITS of the scan. */
static bool waits(const struct rows *r, int64_t file, const struct td_cell *verb)
{
	return r->stat.dims.which & D(WAITS) &&
	       (td_file_text_is((struct td_file_text){ verb->text, verb->len }, "socket") ||
		td_key_map_get(&r->waited, file));
}

/* 0: there is none. */
static int64_t number_of(const struct td_cell *cell)
{
	return cell->number == TD_NULL ? 0 : cell->number;
}

/* The number of the text of a string's id; 0: it is NULL. -EOPNOTSUPP, where SQLite says what is wrong, or -ENOMEM. */
static int64_t class_of_string(struct rows *r, int64_t id)
{
	struct td_labels *labels = &r->stat.dims.labels[TD_DIM_CLASS];
	_cleanup_(td_db_put_backp) sqlite3_stmt *s = NULL;
	int64_t label;

	if (td_db_prepare(r->db, "SELECT text FROM string WHERE id = ?1", &s) != SQLITE_OK ||
	    sqlite3_bind_int64(s, 1, id) != SQLITE_OK || sqlite3_step(s) != SQLITE_ROW)
		return -EOPNOTSUPP;
	label = td_held_label(labels, (const char *)sqlite3_column_text(s, 0),
			      (size_t)sqlite3_column_bytes(s, 0));
	return label > 0 && td_key_map_add(&r->classes, id, (uint32_t)label) < 0 ? -ENOMEM : label;
}

/* The same of a key that is a text, or its id. */
static int64_t class_of(struct rows *r, const struct td_cell *key)
{
	uint32_t known = td_key_map_get(&r->classes, key->number);

	if (key->text || key->number == TD_NULL)
		return td_held_label(&r->stat.dims.labels[TD_DIM_CLASS], key->text, key->len);
	return known ? known : class_of_string(r, key->number);
}

/* The group of a row with the key in the columns; verb: BUSIEST: the class. 1; 0: the file says what
 * cannot be; -ENOMEM. */
static int find_group(struct rows *r, const struct td_cell *key, const struct td_cell *process,
		      const struct td_cell *verb, size_t *ret)
{
	struct td_stat *stat = &r->stat;
	bool of_class = stat->dims.which & D(CLASS) && stat->dims.which != BUSIEST;
	enum td_dim above = stat->dims.which == BUSIEST ? TD_DIM_CLASS : TD_DIM_VERB;
	int64_t id = of_class ? class_of(r, key) : number_of(key);
	int64_t who = number_of(process);
	int64_t what = stat->dims.which & 1u << above
			       ? td_held_label(&stat->dims.labels[above], verb->text, verb->len)
			       : 0;

	if (of_class && id == -EOPNOTSUPP)
		return -EOPNOTSUPP;
	if ((of_class && id < 0) || what < 0 || td_keys_reserve(&stat->keys, 1) < 0)
		return -ENOMEM;
	if (id < 0 || id > UINT32_MAX || who < 0 || who > UINT32_MAX)
		return 0;
	*ret = td_keys_add(&stat->keys,
			   (struct td_key){ .lo = (uint64_t)id | (uint64_t)who << ID_BITS,
					    .hi = (uint64_t)what | (uint64_t)waits(r, id, verb)
									   << (WAITS_SHIFT - 64) });
	return 1;
}

/* As find_group(). */
static int add_waited(void *arg, const struct td_cell *cells)
{
	struct rows *r = arg;
	int ok = td_key_map_add(&r->waited, cells[0].number, 1);

	return ok < 0 ? ok : 1;
}

/* Is the row of a file that is asked for? */
static bool is_of_file(const struct rows *r, const struct td_cell *key)
{
	return !r->req->nalso || td_key_map_get(&r->req->also->ids, key->number);
}

/* --- sums --- */

/* What is behind the row by which all calls have been met is of other groupings. */
static int go_on(const struct rows *r)
{
	return r->left ? 1 : 2;
}

static bool is_wanted(const struct td_group_sums *wanted, size_t i)
{
	return wanted->place[sums[i].sum] >= 0;
}

/* The sums of a row as those of a group: in its places. */
static void take_sums(const struct td_group_sums *wanted, const struct td_cell *cells, int64_t *ret)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(sums); i++)
		if (is_wanted(wanted, i))
			ret[wanted->place[sums[i].sum]] = (cells++)->number;
	/* where no offset is known none went either way */
	for (size_t i = TD_SUM_SEQUENTIAL; i <= TD_SUM_RANDOM; i++)
		if (wanted->place[i] >= 0 && ret[wanted->place[i]] == TD_NULL)
			ret[wanted->place[i]] = 0;
}

/* As find_group(); 2: all calls have been met. */
static int add_sums(void *arg, const struct td_cell *cells)
{
	struct rows *r = arg;
	struct td_group_sums *to = &r->stat.sums;
	unsigned dims = r->stat.dims.which;
	bool of_process = dims == (D(PROCESS) | D(VERB)); /* which is the key then */
	const struct td_cell *key = &cells[COLUMN_KEY], *process = &cells[COLUMN_PROCESS];
	size_t group = 0, before = r->stat.keys.n;
	int ok;

	r->left -= number_of(&cells[COLUMN_SUMS]);
	if (!is_of_file(r, key))
		return go_on(r);
	ok = find_group(r, of_process ? process : key, of_process ? key : process,
			&cells[COLUMN_VERB], &group);
	if (ok < 1 || group < before)
		return TD_MIN(ok, 0);
	if (td_group_sums_resize(to, r->stat.keys.n) < 0)
		return -ENOMEM;
	take_sums(to, cells + COLUMN_SUMS, &to->rows[group * to->nplaces]);
	return go_on(r);
}

/* Where few files are wanted most rows are looked at no further than to see that it is none of these. */
static const char few_rows[] = "SELECT key_id, calls, rowid FROM file_stat WHERE by = ?1";
enum { FEW_KEY, FEW_CALLS, FEW_ROW };
#define FEW_EACH 8 /* one of so many */

static bool are_few(const struct td_stat_request *req)
{
	size_t n = 0;

	for (size_t id = 0; req->nalso && id < req->also->ids.n; id++)
		n += req->also->ids.keys[id] != 0;
	return req->nalso && n <= req->also->ids.n / FEW_EACH;
}

/* As add_sums(). */
static int add_if_wanted(void *arg, const struct td_cell *cells)
{
	struct rows *r = arg;
	struct td_cell row[TD_RECORD_COLUMNS_MAX] = { 0 };
	int ok;

	if (!is_of_file(r, &cells[FEW_KEY])) {
		r->left -= number_of(&cells[FEW_CALLS]);
		return go_on(r);
	}
	if (sqlite3_bind_int64(r->row, 1, cells[FEW_ROW].number) != SQLITE_OK ||
	    sqlite3_step(r->row) != SQLITE_ROW)
		return 0;
	td_held_cells(r->row, row);
	ok = add_sums(r, row);
	(void)sqlite3_reset(r->row);
	return ok;
}

/* --- distributions --- */

enum { HIST_KEY, HIST_PROCESS, HIST_VERB, HIST_MIN, HIST_DURATIONS, HIST_SIZES };

/* As find_group(); counts in *values. */
static int count_hist(const struct td_cell *bytes, uint64_t *values)
{
	uint64_t n;

	if (bytes->len > UINT32_MAX || td_histogram_packed_total(bytes->text, bytes->len, &n) < 0)
		return 0;
	*values += n;
	return 1;
}

/* Bytes of durations and sizes, either without any where it is not wanted. 0 or -ENOMEM. */
static int keep_hists(struct td_packed_histograms *p, size_t group, struct td_cell durations,
		      struct td_cell sizes)
{
	char *bytes = td_arena_take(&p->bytes, durations.len + sizes.len);

	if (!bytes || td_grow(&p->items, &p->cap, p->n) < 0)
		return -ENOMEM;
	if (durations.len)
		memcpy(bytes, durations.text, durations.len);
	if (sizes.len)
		memcpy(bytes + durations.len, sizes.text, sizes.len);
	p->items[p->n++] = (struct td_packed_histogram){ (uint32_t)group, (uint32_t)durations.len,
							 (uint32_t)sizes.len, bytes };
	return 0;
}

/* As find_group(). */
static int add_hists(void *arg, const struct td_cell *cells)
{
	struct rows *r = arg;
	struct td_stat *stat = &r->stat;
	unsigned measures = r->req->measures;
	size_t group = 0, before = stat->keys.n;
	int8_t place = stat->sums.place[TD_SUM_MIN];
	int64_t min_ns = cells[HIST_MIN].number, *min;
	struct td_cell durations = { 0 }, sizes = { 0 };
	int ok;

	if (!is_of_file(r, &cells[HIST_KEY]))
		return 1;
	ok = find_group(r, &cells[HIST_KEY], &cells[HIST_PROCESS], &cells[HIST_VERB], &group);
	if (ok < 1 || group >= before)
		return TD_MIN(ok, 0);
	if (place >= 0 && min_ns != TD_NULL) {
		min = &stat->sums.rows[group * stat->sums.nplaces + (size_t)place];
		*min = *min == TD_NULL ? min_ns : TD_MIN(*min, min_ns);
	}
	if (measures & TD_MEASURES_PERCENTILES) {
		durations = cells[HIST_DURATIONS];
		ok = count_hist(&durations, &r->known[group].durations);
	}
	if (ok == 1 && measures & M(P50_BYTES_LOW)) {
		sizes = cells[HIST_SIZES];
		ok = count_hist(&sizes, &r->known[group].sizes);
	}
	if (ok == 1 && keep_hists(&stat->packed, group, durations, sizes) < 0)
		return -ENOMEM;
	return ok;
}

/* Are the distributions of all that the sums are of? */
static bool are_whole(const struct rows *r)
{
	const struct td_stat *stat = &r->stat;
	bool durations = r->req->measures & TD_MEASURES_PERCENTILES,
	     sizes = r->req->measures & M(P50_BYTES_LOW);

	for (size_t g = 0; g < stat->keys.n; g++) {
		int64_t timed = td_group_sums_get(&stat->sums, g, TD_SUM_TIMED);
		int64_t max_bytes = td_group_sums_get(&stat->sums, g, TD_SUM_MAX_BYTES);

		if ((durations && r->known[g].durations != (uint64_t)timed) ||
		    (sizes && (r->known[g].sizes == 0) != (max_bytes == TD_NULL)))
			return false;
	}
	return true;
}

/* --- all of it --- */

/* As find_group(); cells: the id and the class. */
static int add_if_waits(void *arg, const struct td_cell *cells)
{
	struct td_file_text class = { cells[1].text, cells[1].len };

	return td_file_class_waits(class) ? add_waited(arg, cells) : 1;
}

/* Who is waited on is asked before the sums are. 0 or -errno. */
static int read_waited(struct rows *r, struct td_err *err)
{
	static const struct td_records files = { .table = "file",
						 .columns = { TD_RECORD_ROWID, FILE_CLASS },
						 .n = 2 };
	static const struct td_held_from all = { .records = &files },
					 waited = { .sql = "SELECT id FROM waited_file" };
	int ok = 0;

	if (r->req->dims & D(WAITS))
		ok = td_held_each(r->db, r->pages ? &all : &waited,
				  r->pages ? add_if_waits : add_waited, r, err);
	return TD_MIN(ok, 0);
}

/* The rows that where tells. */
static int select_sums(const struct rows *r, const char *where, struct td_strbuf *ret)
{
	unsigned dims = r->req->dims;
	bool of_files = r->req->relation->io_only;
	const char *key = !of_files         ? "op_id"
			  : dims == BUSIEST ? "file_id"
			  : dims & D(CLASS) ? "(SELECT text FROM string WHERE id = key_id)"
					    : "key_id";

	td_strbuf_addf(ret, "SELECT %s, %s, %s", key, dims & D(PROCESS) ? "process_id" : "NULL",
		       dims == BUSIEST  ? "class"
		       : dims & D(VERB) ? "verb"
					: "NULL");
	for (size_t i = 0; i < TD_ARRAY_SIZE(sums); i++) {
		const char *column = of_files ? sums[i].of_files : sums[i].of_ops;

		if (is_wanted(&r->stat.sums, i))
			td_strbuf_addf(ret, ", %s", column ? column : "NULL");
	}
	if (dims == BUSIEST)
		td_strbuf_adds(ret, " FROM busiest_file");
	else
		td_strbuf_addf(ret, " FROM %s WHERE %s = ?1", of_files ? "file_stat" : "op_stat",
			       where);
	return td_strbuf_error(ret);
}

static int read_busiest_records(struct rows *r, struct td_err *err)
{
	struct td_held_from from = { 0 };
	struct td_records what = { .table = "busiest_file",
				   .columns = { BUSIEST_FILE, BUSIEST_PROCESS, BUSIEST_CLASS },
				   .n = COLUMN_SUMS };

	for (size_t i = 0; i < TD_ARRAY_SIZE(sums); i++)
		if (is_wanted(&r->stat.sums, i))
			what.columns[what.n++] = sums[i].place_busiest;
	from.records = &what;
	return td_held_each(r->db, &from, add_sums, r, err);
}

static int read_records(struct rows *r, const char *by, struct td_err *err)
{
	struct td_held_from from = { 0 };
	struct td_records what = { .table = "file_stat",
				   .columns = { PLACE_KEY, TD_RECORD_NONE, TD_RECORD_NONE },
				   .n = COLUMN_SUMS,
				   .first = by,
				   /* those by file are most of the table, and come first */
				   .last_first = !(r->req->dims & D(FILE)) };

	if (r->req->dims & D(PROCESS))
		what.columns[COLUMN_PROCESS] = PLACE_PROCESS;
	if (r->req->dims & D(VERB))
		what.columns[COLUMN_VERB] = PLACE_VERB;
	for (size_t i = 0; i < TD_ARRAY_SIZE(sums); i++)
		if (is_wanted(&r->stat.sums, i))
			what.columns[what.n++] = sums[i].place;
	from.records = &what;
	return td_held_each(r->db, &from, add_sums, r, err);
}

/* As find_group(). */
static int read_sums(struct rows *r, const char *by, struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf sql = TD_STRBUF_INIT;
	bool busiest = r->req->dims == BUSIEST, few = are_few(r->req) && !busiest;
	struct td_held_from from = { .by = busiest ? NULL : by };
	int rc;

	if (r->pages && r->req->relation->io_only)
		return busiest ? read_busiest_records(r, err) : read_records(r, by, err);
	rc = select_sums(r, few ? "rowid" : "by", &sql);
	if (rc < 0)
		return rc;
	from.sql = few ? few_rows : td_strbuf_str(&sql);
	if (few)
		rc = td_db_prepare(r->db, td_strbuf_str(&sql), &r->row);
	return rc == SQLITE_OK ? td_held_each(r->db, &from, few ? add_if_wanted : add_sums, r, err)
			       : fail(r, rc, err);
}

/* Rows of file_hist that tell it; *ret is NULL: there are none. 0 or -errno. */
static int choose_hists(struct rows *r, const char **ret, struct td_err *err)
{
	_cleanup_(td_db_put_backp) sqlite3_stmt *s = NULL;
	int rc = td_db_prepare(r->db, "SELECT by FROM file_hist LIMIT 1", &s);
	const char *by;

	*ret = NULL;
	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	if (rc == SQLITE_DONE)
		return 0;
	if (rc != SQLITE_ROW)
		return fail(r, rc, err);
	by = (const char *)sqlite3_column_text(s, 0);
	for (size_t i = 0; i < TD_ARRAY_SIZE(hists) && by; i++)
		if ((r->req->dims & ~D(WAITS)) == (hists[i].dim | D(VERB)))
			*ret = strcmp(by, "file,verb") == 0 ? hists[i].of_files : hists[i].own;
	return 0;
}

static int add_distributions(struct rows *r, struct td_err *err)
{
	const char *sql = op_hists;
	struct td_held_from from = { 0 };
	int ok = r->req->relation->io_only ? choose_hists(r, &sql, err) : 0;

	if (ok < 0 || !sql)
		return ok;
	r->known = calloc(r->stat.keys.n + 1, sizeof(*r->known));
	if (!r->known)
		return -ENOMEM;
	from.sql = sql;
	from.records = r->pages && sql == hists[0].of_files ? &file_hists : NULL;
	ok = td_held_each(r->db, &from, add_hists, r, err);
	return ok == 1 ? are_whole(r) : ok;
}

/* Do the rows tell all sums that are wanted? Squares of durations, for one, they do not. */
static bool are_told(const struct td_group_sums *wanted)
{
	size_t told = 0;

	for (size_t i = 0; i < TD_ARRAY_SIZE(sums); i++)
		told += is_wanted(wanted, i);
	return told == wanted->nplaces && is_wanted(wanted, 0);
}

/* Of the whole run, in a grouping whose sums the file holds. What is nested alone has no row there. */
static bool is_held(sqlite3 *db, const struct td_stat_request *req)
{
	bool io = req->relation->io_only, of_hists = req->measures & OF_HISTS;

	if (strcmp(req->relation->table, "call") != 0 || req->since_ns != TD_NULL ||
	    req->until_ns != TD_NULL || req->pid != TD_NULL || req->phase || req->process ||
	    req->file || !req->histograms || req->measures & M(NESTED_CALLS))
		return false;
	if (req->nalso > 1 ||
	    (req->nalso && (req->also->column != TD_ROW_OBJECT || !(req->dims & D(FILE)))))
		return false;
	if (req->dims & (D(LATENCY) | D(SIZE)))
		return false; /* td_held_buckets() */
	if (!io && (req->dims != (D(PROCESS) | D(OP)) || req->measures & M(P50_BYTES_LOW)))
		return false;
	if (req->dims == BUSIEST)
		return req->busiest && !(req->measures & ~OF_BUSIEST) &&
		       td_stat_is_held(db, req->relation, D(CLASS) | D(PROCESS), req->measures);
	if (io && (!(req->dims & D(VERB)) || req->dims & D(STORAGE)))
		return false; /* the view makes it of other rows */
	if (io && of_hists && (!(req->dims & OF_FILES) || req->dims & D(PROCESS)))
		return false;
	if (req->dims & D(WAITS) && req->dims != (D(FILE) | D(VERB) | D(WAITS)))
		return false;
	return td_stat_is_held(db, req->relation, req->dims, req->measures & ~OF_HISTS);
}

/* As find_group(), or -errno; -EOPNOTSUPP: pages cannot be read. */
static int read_all(struct rows *r, struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf by = TD_STRBUF_INIT;
	unsigned dims = r->req->dims;
	int ok;

	td_stat_add_by(&by, r->req->relation, dims & ~D(WAITS));
	if (td_strbuf_error(&by) < 0)
		return -ENOMEM;
	/* where so many have been met, what is left of the table are other groupings */
	ok = r->req->relation->io_only ? td_held_calls(r->db, true, &r->left, err) : 0;
	if (ok == 0)
		ok = read_waited(r, err);
	if (ok < 0)
		return ok;
	ok = read_sums(r, td_strbuf_str(&by), err);
	if (ok == 1 && dims == BUSIEST && r->left > 0)
		return 0; /* the file has no rows of all */
	return ok == 1 && r->req->measures & OF_HISTS ? add_distributions(r, err) : ok;
}

static int try(sqlite3 *db, const struct td_stat_request *req, bool pages, struct td_stat *ret,
	       struct td_err *err)
{
	_cleanup_(rows_done) struct rows r = { .req = req, .db = db, .pages = pages, .left = -1 };
	unsigned measures = req->measures;
	int ok;

	/* what tells whether distributions are whole */
	if (measures & OF_HISTS)
		measures |= M(TIMED) | M(MAX_BYTES);
	begin_dims(&r.stat.dims, req->dims);
	td_group_sums_init(&r.stat.sums, measures);
	if (!are_told(&r.stat.sums))
		return 0;
	ok = read_all(&r, err);
	if (ok < 1)
		return ok;
	*ret = r.stat;
	r.stat = (struct td_stat){ 0 };
	return 1;
}

int td_held_rows(sqlite3 *db, const struct td_stat_request *req, struct td_stat *ret,
		 struct td_err *err)
{
	int r = is_held(db, req) ? try(db, req, true, ret, err) : 0;

	return r == -EOPNOTSUPP ? try(db, req, false, ret, err) : r;
}
