/* SPDX-License-Identifier: MIT */
/* transfer_stat: how fast processes, files and kinds of files were read and written, bin by bin, in one row each. */
#include <errno.h>
#include <string.h>

#include "analyzer/scan/file_rows.h"
#include "analyzer/scan/loaded_table.h"
#include "analyzer/scan/records.h"
#include "analyzer/scan/select.h"
#include "analyzer/scan/stat.h"
#include "analyzer/scan/filter.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "schema/db.h"
#include "schema/stat_math.h"

#define D(x) (1u << TD_DIM_##x)
#define M(x) (1u << TD_MEASURE_##x)

/* Of so many files not all bins are kept, where few of the files are wanted: which these are is looked for first. */
#define MANY_FILES 16384

/* Operations, and which of enum { READ, WRITE } they are, from 1. */
#define TRANSFERS                                                                                  \
	"SELECT id, 1 + (verb = 'write') FROM main.op WHERE kind = 'io' AND verb IN ('read', "     \
	"'write')"
#define WIDTH "SELECT bin_ns FROM main.run WHERE bin_ns > 0"
/* Whether bin_stat has all. */
#define IS_HELD                                                                                    \
	"SELECT NOT EXISTS (SELECT 1 FROM main.stat_omitted WHERE relation = 'call_stat' AND by "  \
	"= 'file,process,op,bin')"
/* What is read of it. */
static const struct td_records held_columns = { .table = "bin_stat",
						.columns = { 0, 1, 2, 3, 6, 7 },
						.n = 6 };
#define HELD "SELECT bin_ns, process_id, file_id, op_id, done_bytes, total_ns FROM main.bin_stat"
enum { HELD_BIN, HELD_PROCESS, HELD_FILE, HELD_OP, HELD_BYTES, HELD_NS, NHELD };

enum column {
	BY,
	PROCESS_ID,
	FILE_ID,
	TEMPLATE_ID,
	READ_BYTES,
	WRITE_BYTES,
	READ_PEAK,
	WRITE_PEAK,
	TRANSFER_NS,
	BINS,
	FIRST_BIN,
	WALL_NS,
	MOST,
	SINCE,
	UNTIL,
	PHASE,
	PID,
	PROCESS,
	TOP
};
enum arg { ARG_BY, ARG_TOP, ARG_SINCE, ARG_UNTIL, ARG_PHASE, ARG_PID, ARG_PROCESS };
enum { BY_PROCESS, BY_FILE, BY_TEMPLATE };
static const unsigned dims_by[] = { [BY_PROCESS] = D(PROCESS) | D(CLASS),
				    [BY_FILE] = D(FILE),
				    [BY_TEMPLATE] = D(TEMPLATE) | D(CLASS) };

enum { READ, WRITE, NVERBS };

/* What was transferred in a bin. */
struct cell {
	int64_t bytes[NVERBS], ns[NVERBS]; /* TD_NULL: unknown */
};

struct group {
	int64_t bytes[NVERBS]; /* TD_NULL: unknown */
	double peak[NVERBS]; /* bytes per second, where there are bytes */
	int64_t ns, bins;
	int64_t first, last; /* numbers of bins */
};

struct rows {
	size_t by;
	int64_t top; /* so many are wanted; INT64_MAX: all */
	int64_t width_ns; /* of a bin */
	struct td_key_map waiting,
		templates; /* files on which transfers wait for somebody; templates of files */
	struct td_filter_condition wanted[2]; /* operations; files, where few are wanted */
	size_t nwanted;
	struct td_keys cell_keys; /* lo: id, 0: none; hi: number of the bin */
	struct cell *cells; /* owned */
	size_t cells_cap;
	struct td_keys ids;
	struct group *groups; /* owned */
	size_t groups_cap;
	uint32_t *shown; /* owned; groups that are among so many */
	size_t nshown;
	double most; /* bytes per second of the group that has most */
};

/* --- what is read of calls --- */

/* Of a bin, or a part of it. bytes, ns: TD_NULL: unknown. */
static int add_cell(struct rows *rows, uint64_t id, int64_t bin, size_t verb, int64_t bytes,
		    int64_t ns)
{
	struct cell *c;
	size_t before = rows->cell_keys.n, at;

	if (td_keys_reserve(&rows->cell_keys, 1) < 0)
		return -ENOMEM;
	at = td_keys_add(&rows->cell_keys, (struct td_key){ id, (uint64_t)bin });
	while (rows->cells_cap <= at)
		if (td_grow(&rows->cells, &rows->cells_cap, rows->cells_cap) < 0)
			return -ENOMEM;
	c = &rows->cells[at];
	if (at == before)
		*c = (struct cell){ { TD_NULL, TD_NULL }, { TD_NULL, TD_NULL } };
	c->bytes[verb] = td_plus_known(c->bytes[verb], bytes);
	c->ns[verb] = td_plus_known(c->ns[verb], ns);
	return 0;
}

static int see_file(void *arg, const struct td_file_row *row)
{
	struct rows *rows = arg;
	bool is_kind = row->template_id > 0 && row->template_id <= INT32_MAX;
	int r = td_file_class_waits(row->class) ? td_key_map_add(&rows->waiting, row->id, 1) : 0;

	return r == 0 && is_kind && rows->by == BY_TEMPLATE
		       ? td_key_map_add(&rows->templates, row->id, (uint32_t)row->template_id)
		       : r;
}

/* A condition that any of the transfers meets. */
static int load_wanted(sqlite3 *db, struct rows *rows, struct td_err *err)
{
	rows->wanted[0].column = TD_ROW_KIND;
	rows->nwanted = 1;
	return td_key_map_load(db, TRANSFERS, &rows->wanted[0].ids, NULL, err);
}

static struct td_stat_request request_of(const struct rows *rows, sqlite3_value *const *args)
{
	return (struct td_stat_request){ .relation = td_relation_find("call_stat"),
					 .since_ns = td_loaded_int(args[ARG_SINCE]),
					 .until_ns = td_loaded_int(args[ARG_UNTIL]),
					 .phase = td_loaded_text(args[ARG_PHASE]),
					 .pid = td_loaded_int(args[ARG_PID]),
					 .process = td_loaded_text(args[ARG_PROCESS]),
					 .also = rows->wanted,
					 .nalso = rows->nwanted,
					 .bin_width_ns = rows->width_ns };
}

/* The text that a group of a scan has; NULL: none. */
static const char *label_of(const struct td_dims *d, enum td_dim dim, struct td_key key)
{
	uint64_t part = d->which & 1u << dim ? td_dims_part(d, dim, key) : 0;

	return part ? d->labels[dim].items[part - 1] : NULL;
}

/* What a group of a scan is a part of, or -1: it waits for somebody. */
static int64_t id_of(const struct rows *rows, const struct td_dims *d, struct td_key key)
{
	static const enum td_dim ids[] = { [BY_PROCESS] = TD_DIM_PROCESS,
					   [BY_FILE] = TD_DIM_FILE,
					   [BY_TEMPLATE] = TD_DIM_TEMPLATE };
	int64_t id = (int64_t)td_dims_part(d, ids[rows->by], key);
	const char *class = label_of(d, TD_DIM_CLASS, key);
	bool waits = rows->by == BY_FILE ? td_key_map_get(&rows->waiting, id) != 0
					 : class && td_file_class_waits((struct td_file_text){
							    class, strlen(class) });

	return waits ? -1 : id;
}

static int add_scan(sqlite3 *db, struct rows *rows, sqlite3_value *const *args, struct td_err *err)
{
	_cleanup_(td_stat_done) struct td_stat stat = { 0 };
	struct td_stat_request asked = request_of(rows, args);
	int r;

	asked.dims = dims_by[rows->by] | D(VERB) | D(BIN);
	asked.measures = M(BYTES) | M(TOTAL_NS);
	r = td_stat_scan(db, &asked, &stat, err);
	for (size_t g = 0; g < stat.keys.n && r == 0; g++) {
		struct td_key key = stat.keys.items[g];
		int64_t id = id_of(rows, &stat.dims, key);
		const char *verb = label_of(&stat.dims, TD_DIM_VERB, key);
		int64_t bin =
			stat.dims.first_bin + (int64_t)td_dims_part(&stat.dims, TD_DIM_BIN, key);

		if (id >= 0 && verb)
			r = add_cell(rows, (uint64_t)id, bin,
				     strcmp(verb, "write") == 0 ? WRITE : READ,
				     td_group_sums_get(&stat.sums, g, TD_SUM_BYTES),
				     td_group_sums_get(&stat.sums, g, TD_SUM_TOTAL));
	}
	return r;
}

/* --- what the file holds --- */

struct held {
	struct rows *rows;
	struct td_filter filter;
};

/* The operation, 0 if it is none of a transfer that counts. */
static uint32_t transfer_of(const struct td_filter *f, const struct td_cell *cells)
{
	uint32_t which = 0;

	for (size_t i = 0; i < f->nconditions; i++) {
		const struct td_filter_condition *c = &f->conditions[i];
		bool of_op = c->column == TD_ROW_KIND;
		uint32_t key =
			td_key_map_get(&c->ids, cells[of_op ? HELD_OP : HELD_PROCESS].number);

		if (!key)
			return 0;
		if (of_op)
			which = key;
	}
	return which;
}

static int add_held_row(void *arg, const struct td_cell *cells)
{
	const struct held *h = arg;
	struct rows *rows = h->rows;
	int64_t process = cells[HELD_PROCESS].number, file = cells[HELD_FILE].number;
	uint32_t which = transfer_of(&h->filter, cells);
	uint64_t id = rows->by == BY_PROCESS ? (uint64_t)TD_MAX(process, INT64_C(0))
		      : rows->by == BY_FILE  ? (uint64_t)TD_MAX(file, INT64_C(0))
					     : td_key_map_get(&rows->templates, file);

	if (!which || td_key_map_get(&rows->waiting, file))
		return 0;
	return add_cell(rows, id, cells[HELD_BIN].number / rows->width_ns, which - 1,
			cells[HELD_BYTES].number, cells[HELD_NS].number);
}

static int add_queried_row(void *arg, sqlite3_stmt *s)
{
	struct td_cell cells[NHELD] = { 0 };

	for (int i = 0; i < NHELD; i++)
		cells[i].number = td_db_known(s, i);
	return add_held_row(arg, cells);
}

static int query_held(sqlite3 *db, struct held *h, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(db, HELD, -1, &s, NULL);

	return td_db_rows(db, rc, s, add_queried_row, h, "cannot read what bins hold", err);
}

static int add_held(sqlite3 *db, struct rows *rows, sqlite3_value *const *args, struct td_err *err)
{
	struct held h = { .rows = rows };
	struct td_stat_request asked;
	int r = load_wanted(db, rows, err);

	asked = request_of(rows, args);
	if (r == 0)
		r = td_filter_load(db, &asked, &h.filter, err);
	if (r == 0)
		r = td_records_read(db, &held_columns, add_held_row, &h);
	if (r == -EOPNOTSUPP) { /* what was read may be a part of it */
		td_keys_done(&rows->cell_keys);
		r = query_held(db, &h, err);
	}
	td_filter_done(&h.filter);
	return r;
}

/* The only value of a statement; 0 without a row. An error of SQLite. */
static int query_int(sqlite3 *db, const char *sql, int64_t *ret)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &s, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	*ret = rc == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* --- what is shown --- */

/* Of n groups those with most bytes, and what ties with the last of them: how many bytes these have at least. */
static int find_least(const int64_t *bytes, size_t n, int64_t top, int64_t *ret)
{
	_cleanup_free_ int64_t *sorted = malloc((n + 1) * sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, bytes, n * sizeof(*bytes));
	*ret = top >= (int64_t)n ? INT64_MIN
	       : top             ? td_select(sorted, n, n - (size_t)top)
				 : INT64_MAX;
	return 0;
}

static double rate_of(const struct rows *rows, int64_t bytes, int64_t first, int64_t last)
{
	return 1e9 * (double)bytes / (double)((last - first + 1) * rows->width_ns);
}

static int64_t bin_of(const struct rows *rows, int64_t ns)
{
	return ns / rows->width_ns - (ns % rows->width_ns < 0);
}

/* Asks for the files with most bytes alone from now on. */
static int choose_files(sqlite3 *db, struct rows *rows, sqlite3_value *const *args,
			struct td_err *err)
{
	_cleanup_(td_stat_done) struct td_stat stat = { 0 };
	_cleanup_free_ int64_t *bytes = NULL;
	struct td_filter_condition *files = &rows->wanted[rows->nwanted];
	struct td_stat_request asked = request_of(rows, args);
	int64_t least;
	int r;

	asked.dims = D(FILE);
	asked.measures = M(BYTES) | M(FIRST_NS) | M(LAST_NS);
	r = td_stat_scan(db, &asked, &stat, err);
	if (r < 0)
		return r;
	bytes = malloc((stat.keys.n + 1) * sizeof(*bytes));
	if (!bytes)
		return -ENOMEM;
	for (size_t g = 0; g < stat.keys.n; g++) {
		const struct td_group_sums *sums = &stat.sums;
		bool waits = id_of(rows, &stat.dims, stat.keys.items[g]) < 0;

		bytes[g] = waits ? 0 : TD_MAX(td_group_sums_get(sums, g, TD_SUM_BYTES), INT64_C(0));
		if (bytes[g])
			rows->most = TD_MAX(
				rows->most,
				rate_of(rows, bytes[g],
					bin_of(rows, td_group_sums_get(sums, g, TD_SUM_FIRST)),
					bin_of(rows, td_group_sums_get(sums, g, TD_SUM_LAST))));
	}
	r = find_least(bytes, stat.keys.n, rows->top, &least);
	files->column = TD_ROW_OBJECT;
	for (size_t g = 0; g < stat.keys.n && r == 0; g++) {
		int64_t id = (int64_t)td_dims_part(&stat.dims, TD_DIM_FILE, stat.keys.items[g]);

		if (!bytes[g] || bytes[g] < least)
			continue;
		files->none |= id == 0;
		r = td_key_map_add(&files->ids, id, 1);
	}
	rows->nwanted++;
	return r;
}

static int find_group(struct rows *rows, uint64_t id, int64_t bin, struct group **ret)
{
	size_t before = rows->ids.n, at;

	if (td_keys_reserve(&rows->ids, 1) < 0)
		return -ENOMEM;
	at = td_keys_add(&rows->ids, (struct td_key){ id, 0 });
	while (rows->groups_cap <= at)
		if (td_grow(&rows->groups, &rows->groups_cap, rows->groups_cap) < 0)
			return -ENOMEM;
	*ret = &rows->groups[at];
	if (at == before)
		**ret = (struct group){ .bytes = { TD_NULL, TD_NULL }, .first = bin, .last = bin };
	return 0;
}

static void add_bin(const struct rows *rows, struct group *g, int64_t bin, const struct cell *c)
{
	g->bins++;
	g->first = TD_MIN(g->first, bin);
	g->last = TD_MAX(g->last, bin);
	for (size_t v = 0; v < NVERBS; v++) {
		if (c->bytes[v] == TD_NULL)
			continue;
		g->bytes[v] = td_plus_known(g->bytes[v], c->bytes[v]);
		g->ns = td_plus(g->ns, TD_MAX(c->ns[v], INT64_C(0)));
		g->peak[v] = TD_MAX(g->peak[v], 1e9 * (double)c->bytes[v] /
							(double)TD_MAX(c->ns[v], rows->width_ns));
	}
}

static int fold_bins(struct rows *rows)
{
	for (size_t i = 0; i < rows->cell_keys.n; i++) {
		struct td_key key = rows->cell_keys.items[i];
		struct group *g;

		if (find_group(rows, key.lo, (int64_t)key.hi, &g) < 0)
			return -ENOMEM;
		add_bin(rows, g, (int64_t)key.hi, &rows->cells[i]);
	}
	return 0;
}

static int64_t bytes_of(const struct group *g)
{
	return td_plus(TD_MAX(g->bytes[READ], INT64_C(0)), TD_MAX(g->bytes[WRITE], INT64_C(0)));
}

static int choose(struct rows *rows)
{
	size_t n = rows->ids.n;
	_cleanup_free_ int64_t *bytes = malloc((n + 1) * sizeof(*bytes));
	int64_t least;

	rows->shown = malloc((n + 1) * sizeof(*rows->shown));
	if (!bytes || !rows->shown)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct group *g = &rows->groups[i];

		bytes[i] = bytes_of(g);
		rows->most = TD_MAX(rows->most, rate_of(rows, bytes[i], g->first, g->last));
	}
	if (find_least(bytes, n, rows->top, &least) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (bytes[i] > 0 && bytes[i] >= least)
			rows->shown[rows->nshown++] = (uint32_t)i;
	return 0;
}

/* --- the table --- */

static void free_rows(void *arg)
{
	struct rows *rows = arg;

	td_key_map_done(&rows->waiting);
	td_key_map_done(&rows->templates);
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows->wanted); i++)
		td_key_map_done(&rows->wanted[i].ids);
	td_keys_done(&rows->cell_keys);
	free(rows->cells);
	td_keys_done(&rows->ids);
	free(rows->groups);
	free(rows->shown);
	free(rows);
}

/* The bins of what was transferred, of the file if it has them. */
static int add_transfers(sqlite3 *db, struct rows *rows, sqlite3_value *const *args,
			 struct td_err *err)
{
	bool whole = !args[ARG_SINCE] && !args[ARG_UNTIL] && !args[ARG_PHASE];
	int64_t is_held = 0;
	uint64_t last_file = 0;
	int rc = whole ? query_int(db, IS_HELD, &is_held) : SQLITE_OK;
	int r = rc == SQLITE_OK ? 0 : td_db_error(db, rc, err, "cannot see what bins hold");

	if (r == 0 && (is_held || rows->by == BY_FILE))
		r = td_file_rows_read(db, see_file, rows, err);
	if (r == 0 && is_held)
		return add_held(db, rows, args, err);
	if (r == 0)
		r = load_wanted(db, rows, err);
	if (r == 0 && rows->by == BY_FILE)
		r = td_dims_last_id(db, TD_DIM_FILE, &last_file, err);
	if (r == 0 && last_file > MANY_FILES && rows->top < INT64_MAX)
		r = choose_files(db, rows, args, err);
	return r == 0 ? add_scan(db, rows, args, err) : r;
}

static int load_rows(sqlite3 *db, sqlite3_value *const *args, size_t by, void **ret, size_t *nrows,
		     struct td_err *err)
{
	struct rows *rows = calloc(1, sizeof(*rows));
	int rc, r;

	*ret = rows;
	if (!rows)
		return -ENOMEM;
	rows->by = by;
	rows->top = td_loaded_int(args[ARG_TOP]);
	if (rows->top < 0)
		rows->top = INT64_MAX;
	rc = query_int(db, WIDTH, &rows->width_ns);
	if (rc != SQLITE_OK)
		return td_db_error(db, rc, err, "cannot read the run");
	if (!rows->width_ns) /* bins of no width have nothing in them */
		return 0;
	r = add_transfers(db, rows, args, err);
	if (r == 0)
		r = fold_bins(rows);
	if (r == 0)
		r = choose(rows);
	*nrows = rows->nshown;
	return r;
}

static void peak_value(const struct group *g, size_t verb, sqlite3_context *ctx)
{
	if (g->bytes[verb] != TD_NULL)
		sqlite3_result_double(ctx, g->peak[verb]);
}

static void id_value(const struct rows *rows, size_t by, uint64_t id, sqlite3_context *ctx)
{
	if (rows->by == by && id)
		sqlite3_result_int64(ctx, (int64_t)id);
}

static void row_value(void *arg, size_t row, int column, sqlite3_context *ctx)
{
	const struct rows *rows = arg;
	size_t at = rows->shown[row];
	const struct group *g = &rows->groups[at];
	uint64_t id = rows->ids.items[at].lo;

	switch ((enum column)column) {
	case PROCESS_ID:
	case FILE_ID:
	case TEMPLATE_ID:
		id_value(rows, (size_t)(column - PROCESS_ID), id, ctx);
		break;
	case READ_BYTES:
	case WRITE_BYTES:
		td_loaded_known(ctx, g->bytes[column - READ_BYTES]);
		break;
	case READ_PEAK:
	case WRITE_PEAK:
		peak_value(g, (size_t)(column - READ_PEAK), ctx);
		break;
	case TRANSFER_NS:
		sqlite3_result_int64(ctx, g->ns);
		break;
	case BINS:
		sqlite3_result_int64(ctx, g->bins);
		break;
	case FIRST_BIN:
		sqlite3_result_int64(ctx, g->first * rows->width_ns);
		break;
	case WALL_NS:
		sqlite3_result_int64(ctx, (g->last - g->first + 1) * rows->width_ns);
		break;
	case MOST:
		sqlite3_result_double(ctx, rows->most);
		break;
	case TOP:
		sqlite3_result_int64(ctx, rows->top);
		break;
	default: /* SQLite has been told */
		break;
	}
}

const struct td_loaded_kind td_transfer_stat_kind = {
	.name = "transfer_stat",
	.columns =
		"by TEXT, process_id INTEGER, file_id INTEGER, template_id INTEGER, read_bytes "
		"INTEGER, write_bytes INTEGER, read_max_bytes_per_s REAL, write_max_bytes_per_s "
		"REAL, transfer_ns INTEGER, bins INTEGER, first_bin_ns INTEGER, wall_ns INTEGER, "
		"most_bytes_per_s REAL, since_ns INTEGER, until_ns INTEGER, in_phase TEXT, "
		"of_pid INTEGER, of_process TEXT, of_top INTEGER",
	.args = { { BY, SQLITE_INDEX_CONSTRAINT_IS, false },
		  { TOP, SQLITE_INDEX_CONSTRAINT_GE, false },
		  TD_LOADED_WHEN(SINCE, UNTIL, PHASE),
		  TD_LOADED_WHOSE(PID, PROCESS) },
	.groupings = { [BY_PROCESS] = "process", [BY_FILE] = "file", [BY_TEMPLATE] = "template" },
	.load = load_rows,
	.value = row_value,
	.free = free_rows,
};
