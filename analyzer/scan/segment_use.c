/* SPDX-License-Identifier: MIT */
/* segment_use: what processes did with segments of shared memory, in one look at the calls on these. Of the whole run
 * shm_stat has the rows. */
#include <errno.h>
#include <stdlib.h>

#include "analyzer/scan/file_rows.h"
#include "analyzer/scan/filter.h"
#include "analyzer/scan/in_order.h"
#include "analyzer/scan/loaded_table.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "common/keys.h"
#include "schema/db.h"
#include "schema/stat_math.h"

/* What a call does: it makes room for so many bytes, makes the file so long, or, by its verb, maps, writes or reads. */
enum { ALLOCATES = 1, TRUNCATES = 2, MAPS = 4, WRITES = 8, READS = 16 };
#define OPS                                                                                        \
	"SELECT id, (name IN ('fallocate', 'posix_fallocate')) + 2 * (name LIKE 'ftruncate%') + "  \
	"4 * (verb = 'map') + 8 * (verb = 'write') + 16 * (verb = 'read') FROM main.op"

/* Columns as of enum column. */
#define HELD                                                                                       \
	"SELECT file_id, process_id, sized_bytes, sized_ns, map_bytes, mapped_bytes, mapped_ns, "  \
	"write_bytes, read_bytes, first_ns FROM main.shm_stat"

enum column {
	FILE_ID,
	PROCESS_ID,
	SIZED_BYTES,
	SIZED_NS,
	MAP_BYTES,
	MAPPED_BYTES,
	MAPPED_NS,
	WRITE_BYTES,
	READ_BYTES,
	FIRST_NS,
	NCOLUMNS,
	SINCE = NCOLUMNS,
	UNTIL,
	PHASE
};
enum arg { ARG_SINCE, ARG_UNTIL, ARG_PHASE };

struct group {
	int64_t values[NCOLUMNS]; /* TD_NULL: unknown, or there was no such call */
};

struct rows {
	struct group *groups; /* owned */
	size_t n, cap;
};

struct loading {
	struct rows *to;
	struct td_keys keys; /* of groups: file and process */
	struct td_key_map ops;
};

static struct group *find_group(struct loading *l, int64_t file, int64_t process)
{
	struct rows *to = l->to;
	size_t at;

	if (td_keys_reserve(&l->keys, 1) < 0 || td_grow(&to->groups, &to->cap, to->n) < 0)
		return NULL;
	at = td_keys_add(&l->keys, (struct td_key){ (uint64_t)file, (uint64_t)process });
	if (at == to->n) {
		struct group *g = &to->groups[to->n++];

		for (int c = 0; c < NCOLUMNS; c++)
			g->values[c] = TD_NULL;
		g->values[FILE_ID] = file;
		g->values[PROCESS_ID] = process;
	}
	return &to->groups[at];
}

/* Calls come in order of time. */
static void keep_first(int64_t *first_ns, int64_t start_ns)
{
	if (*first_ns == TD_NULL)
		*first_ns = start_ns;
}

/* TD_NULL is the smallest number. */
static void keep_most(int64_t *most, int64_t bytes)
{
	*most = TD_MAX(*most, bytes);
}

static void add_size(struct group *g, uint32_t what, const struct td_row_batch *b, size_t row)
{
	int64_t asked = b->columns[TD_ROW_ASKED][row], offset = b->columns[TD_ROW_OFFSET][row];

	keep_first(&g->values[SIZED_NS], b->columns[TD_ROW_START][row]);
	if (what & ALLOCATES)
		keep_most(&g->values[SIZED_BYTES],
			  asked == TD_NULL ? TD_NULL : td_plus_known(offset, asked));
	else
		keep_most(&g->values[SIZED_BYTES], asked == TD_NULL ? offset : asked);
}

static void add_mapping(struct group *g, const struct td_row_batch *b, size_t row)
{
	int64_t asked = b->columns[TD_ROW_ASKED][row];

	keep_first(&g->values[MAPPED_NS], b->columns[TD_ROW_START][row]);
	keep_most(&g->values[MAP_BYTES], asked);
	g->values[MAPPED_BYTES] = td_plus_known(g->values[MAPPED_BYTES], asked);
}

static int add_call(void *arg, const struct td_row_batch *b, size_t row)
{
	struct loading *l = arg;
	uint32_t what = td_key_map_get(&l->ops, b->columns[TD_ROW_KIND][row]);
	int64_t ret = b->columns[TD_ROW_RET][row], done = b->columns[TD_ROW_BYTES][row];
	struct group *g;

	if (b->columns[TD_ROW_NESTED][row] || (ret != TD_NULL && ret < 0))
		return 0;
	g = find_group(l, b->columns[TD_ROW_OBJECT][row], b->columns[TD_ROW_PROCESS][row]);
	if (!g)
		return -ENOMEM;
	keep_first(&g->values[FIRST_NS], b->columns[TD_ROW_START][row]);
	if (what & (ALLOCATES | TRUNCATES))
		add_size(g, what, b, row);
	if (what & MAPS)
		add_mapping(g, b, row);
	if (what & WRITES)
		g->values[WRITE_BYTES] = td_plus_known(g->values[WRITE_BYTES], done);
	if (what & READS)
		g->values[READ_BYTES] = td_plus_known(g->values[READ_BYTES], done);
	return 0;
}

static int add_if_segment(void *arg, const struct td_file_row *row)
{
	if (!td_file_text_is(row->class, "shm") && !td_file_text_is(row->class, "memfd"))
		return 0;
	return td_key_map_add(arg, row->id, 1);
}

static int look(sqlite3 *db, sqlite3_value *const *args, struct loading *l, struct td_err *err)
{
	struct td_filter_condition segments = { .column = TD_ROW_OBJECT };
	const struct td_stat_request req = {
		.relation = td_relation_find("call_stat"),
		.since_ns = td_loaded_int(args[ARG_SINCE]),
		.until_ns = td_loaded_int(args[ARG_UNTIL]),
		.phase = td_loaded_text(args[ARG_PHASE]),
		.pid = TD_NULL,
		.also = &segments,
		.nalso = 1,
	};
	int r = td_file_rows_read(db, add_if_segment, &segments.ids, err);

	if (r == 0)
		r = td_key_map_load(db, OPS, &l->ops, NULL, err);
	if (r == 0 && segments.ids.n)
		r = td_rows_in_order(db, &req,
				     1u << TD_ROW_START | 1u << TD_ROW_KIND | 1u << TD_ROW_PROCESS |
					     1u << TD_ROW_OBJECT | 1u << TD_ROW_RET |
					     1u << TD_ROW_ASKED | 1u << TD_ROW_BYTES |
					     1u << TD_ROW_OFFSET | 1u << TD_ROW_NESTED,
				     add_call, l, err);
	td_key_map_done(&segments.ids);
	return r;
}

static int add_held(void *arg, sqlite3_stmt *stmt)
{
	struct rows *to = arg;

	if (td_grow(&to->groups, &to->cap, to->n) < 0)
		return -ENOMEM;
	for (int c = 0; c < NCOLUMNS; c++)
		to->groups[to->n].values[c] = td_db_known(stmt, c);
	to->n++;
	return 0;
}

/* No rows: the file has none. */
static int load_held(sqlite3 *db, struct rows *to, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, HELD, -1, &stmt, NULL);

	return td_db_rows(db, rc, stmt, add_held, to, "cannot read shm_stat", err);
}

static void free_rows(void *arg)
{
	struct rows *rows = arg;

	free(rows->groups);
	free(rows);
}

static int load_rows(sqlite3 *db, sqlite3_value *const *args, size_t by, void **ret, size_t *nrows,
		     struct td_err *err)
{
	struct rows *to = calloc(1, sizeof(*to));
	struct loading l = { .to = to };
	int r = 0;

	(void)by;
	*ret = to;
	if (!to)
		return -ENOMEM;
	if (!args[ARG_SINCE] && !args[ARG_UNTIL] && !args[ARG_PHASE])
		r = load_held(db, to, err);
	if (r == 0 && !to->n)
		r = look(db, args, &l, err);
	td_keys_done(&l.keys);
	td_key_map_done(&l.ops);
	*nrows = r == 0 ? to->n : 0;
	return r;
}

static void row_value(void *arg, size_t row, int column, sqlite3_context *ctx)
{
	const struct rows *rows = arg;

	if (column < NCOLUMNS)
		td_loaded_known(ctx, rows->groups[row].values[column]);
}

const struct td_loaded_kind td_segment_use_kind = {
	.name = "segment_use",
	.columns = "file_id INTEGER, process_id INTEGER, sized_bytes INTEGER, sized_ns INTEGER, "
		   "map_bytes INTEGER, mapped_bytes INTEGER, mapped_ns INTEGER, write_bytes "
		   "INTEGER, read_bytes INTEGER, first_ns INTEGER, since_ns INTEGER, until_ns "
		   "INTEGER, in_phase TEXT",
	.args = { TD_LOADED_WHEN(SINCE, UNTIL, PHASE) },
	.load = load_rows,
	.value = row_value,
	.free = free_rows,
};
