/* SPDX-License-Identifier: MIT */
/* read_stat: what reads of regular files got from the page cache, and how far into each file they
 * reached, from read_sum or in one look at the calls. */
#include <errno.h>
#include <string.h>

#include "analyzer/scan/file_rows.h"
#include "analyzer/scan/filter.h"
#include "analyzer/scan/in_order.h"
#include "analyzer/scan/loaded_table.h"
#include "analyzer/scan/select.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "common/keys.h"
#include "schema/db.h"
#include "schema/stat_math.h"

#define COLUMNS                                                                                    \
	(1u << TD_ROW_KIND | 1u << TD_ROW_OBJECT | 1u << TD_ROW_PROCESS | 1u << TD_ROW_BYTES |     \
	 1u << TD_ROW_OFFSET | 1u << TD_ROW_COLD | 1u << TD_ROW_NESTED)

#define READS "SELECT id, 1 FROM main.op WHERE verb = 'read' AND kind = 'io' AND layer <> 'cuda'"

#define HELD                                                                                       \
	"SELECT by = 'all', coalesce(file_id, process_id, template_id), reads, bytes, known, "     \
	"hits, hit_bytes, cold_bytes, ahead_bytes, placed, reread_bytes, end_bytes FROM "          \
	"main.read_sum WHERE by IN (?1, 'all')"
enum held {
	HELD_IS_ALL,
	HELD_ID,
	HELD_READS,
	HELD_BYTES,
	HELD_KNOWN,
	HELD_HITS,
	HELD_HIT_BYTES,
	HELD_COLD_BYTES,
	HELD_AHEAD_BYTES,
	HELD_PLACED,
	HELD_REREAD_BYTES,
	HELD_END_BYTES
};

enum column {
	BY,
	IS_ALL,
	FILE_ID,
	PROCESS_ID,
	TEMPLATE_ID,
	NREADS,
	BYTES,
	KNOWN,
	HITS,
	HIT_BYTES,
	COLD_BYTES,
	AHEAD_BYTES,
	END_BYTES,
	PLACED,
	REREAD_BYTES,
	TOP
};
enum arg { ARG_BY, ARG_TOP };
enum { BY_FILE, BY_FILE_PROCESS, BY_ALL_FILE, BY_ALL_PROCESS, BY_ALL_TEMPLATE };

struct group {
	int64_t reads, bytes;
	int64_t known, hits, hit_bytes, cold_bytes, ahead_bytes; /* known: cold bytes are */
	int64_t placed; /* reads whose offset is known */
	int64_t reread_bytes;
};

#define NO_GROUP UINT32_MAX

/* How far a file was read: by anybody, or by one process. */
struct extent {
	int64_t bytes, end_bytes; /* end_bytes: TD_NULL: of no read the offset is known */
	uint32_t group; /* that it is a part of; NO_GROUP: of none yet */
};

struct extents {
	struct td_keys keys; /* lo: file; hi: process, where these are told apart */
	struct extent *items; /* owned; as many as keys */
	size_t cap;
};

struct read {
	int64_t file, process, bytes, offset, cold;
};

struct rows {
	size_t by;
	int64_t top; /* so many are wanted; INT64_MAX: all */
	struct td_key_map templates; /* of files that count */
	struct extents extents; /* what groups consist of */
	struct extents files; /* by process: of everybody */
	struct td_keys keys; /* of groups; as extents', or lo: process or template */
	struct group *groups; /* owned; as many as keys */
	size_t cap;
	uint32_t *shown; /* owned; groups that are among so many */
	size_t nshown;
	struct group all; /* what there is a row of, too, where it has reads */
	struct read reads
		[TD_ROWS_AT_ONCE]; /* what is waiting to be added, all at once, so that the memory of many is asked for together */
	size_t nreads;
};

static void add_cold(struct group *g, int64_t bytes, int64_t cold)
{
	g->known++;
	g->hits += cold == 0;
	g->hit_bytes = td_plus(g->hit_bytes, TD_MAX(bytes - cold, INT64_C(0)));
	g->cold_bytes = td_plus(g->cold_bytes, TD_MIN(bytes, cold));
	g->ahead_bytes = td_plus(g->ahead_bytes, TD_MAX(cold - bytes, INT64_C(0)));
}

static bool has_processes(const struct rows *rows)
{
	return rows->by == BY_FILE_PROCESS || rows->by == BY_ALL_PROCESS;
}

static int add_extents(struct extents *e, const struct rows *rows, bool processes, uint32_t *ret)
{
	struct td_key keys[TD_ROWS_AT_ONCE];
	size_t before = e->keys.n, n = rows->nreads;

	if (td_keys_reserve(&e->keys, n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		keys[i] = (struct td_key){
			(uint64_t)rows->reads[i].file,
			processes ? (uint64_t)rows->reads[i].process : 0,
		};
	td_keys_add_all(&e->keys, keys, n, ret);
	while (e->cap < e->keys.n)
		if (td_grow(&e->items, &e->cap, e->cap) < 0)
			return -ENOMEM;
	for (size_t i = before; i < e->keys.n; i++)
		e->items[i] = (struct extent){ .end_bytes = TD_NULL, .group = NO_GROUP };
	for (size_t i = 0; i < n; i++)
		__builtin_prefetch(&e->items[ret[i]]);
	for (size_t i = 0; i < n; i++) {
		const struct read *read = &rows->reads[i];
		struct extent *at = &e->items[ret[i]];

		at->bytes = td_plus(at->bytes, read->bytes);
		if (read->offset != TD_NULL)
			at->end_bytes = TD_MAX(at->end_bytes, td_plus(read->offset, read->bytes));
	}
	return 0;
}

static int find_group(struct rows *rows, const struct read *read, uint32_t *ret)
{
	struct td_key key = { (uint64_t)read->file,
			      has_processes(rows) ? (uint64_t)read->process : 0 };
	size_t before = rows->keys.n;

	if (rows->by == BY_ALL_PROCESS)
		key = (struct td_key){ .lo = (uint64_t)read->process };
	else if (rows->by == BY_ALL_TEMPLATE)
		key = (struct td_key){ .lo = td_key_map_get(&rows->templates, read->file) };
	if (td_keys_reserve(&rows->keys, 1) < 0 || td_grow(&rows->groups, &rows->cap, before) < 0)
		return -ENOMEM;
	*ret = td_keys_add(&rows->keys, key);
	if (*ret == before)
		rows->groups[*ret] = (struct group){ 0 };
	return 0;
}

static void add_to_group(struct group *g, const struct read *read)
{
	g->reads++;
	g->bytes = td_plus(g->bytes, read->bytes);
	g->placed += read->offset != TD_NULL;
	if (read->cold != TD_NULL)
		add_cold(g, read->bytes, read->cold);
}

static int add_waiting(struct rows *rows)
{
	uint32_t at[TD_ROWS_AT_ONCE];
	int r = 0;

	if (rows->by == BY_ALL_PROCESS)
		r = add_extents(&rows->files, rows, false, at);
	if (r == 0)
		r = add_extents(&rows->extents, rows, has_processes(rows), at);
	for (size_t i = 0; i < rows->nreads && r == 0; i++) {
		struct extent *e = &rows->extents.items[at[i]];

		if (e->group == NO_GROUP)
			r = find_group(rows, &rows->reads[i], &e->group);
		if (r == 0)
			add_to_group(&rows->groups[e->group], &rows->reads[i]);
	}
	rows->nreads = 0;
	return r;
}

static int add_read(void *arg, const struct td_row_batch *b, size_t row)
{
	struct rows *rows = arg;
	const struct read read = {
		.file = b->columns[TD_ROW_OBJECT][row],
		.process = b->columns[TD_ROW_PROCESS][row],
		.bytes = b->columns[TD_ROW_BYTES][row],
		.offset = b->columns[TD_ROW_OFFSET][row],
		.cold = b->columns[TD_ROW_COLD][row],
	};

	/* TD_NULL is the smallest number */
	if (b->columns[TD_ROW_NESTED][row] != 0 || read.bytes < 0)
		return 0;
	rows->reads[rows->nreads++] = read;
	return rows->nreads == TD_ROWS_AT_ONCE ? add_waiting(rows) : 0;
}

static int add_reads(sqlite3 *db, struct rows *rows, struct td_err *err)
{
	struct td_filter_condition wanted[] = {
		{ .column = TD_ROW_KIND },
		{ .column = TD_ROW_OBJECT, .ids = rows->templates },
	};
	const struct td_stat_request asked = { .relation = td_relation_find("call_stat"),
					       .since_ns = TD_NULL,
					       .until_ns = TD_NULL,
					       .pid = TD_NULL,
					       .also = wanted,
					       .nalso = TD_ARRAY_SIZE(wanted) };
	int r = td_key_map_load(db, READS, &wanted[0].ids, NULL, err);

	if (r == 0)
		r = td_rows_in_order(db, &asked, COLUMNS, add_read, rows, err);
	if (r == 0)
		r = add_waiting(rows);
	td_key_map_done(&wanted[0].ids);
	return r;
}

/* --- what the file holds --- */

/* What read_sum calls rows of a grouping; NULL: it has none of it. */
static const char *const held_by[] = { [BY_FILE] = "file",
				       [BY_FILE_PROCESS] = NULL,
				       [BY_ALL_FILE] = "file",
				       [BY_ALL_PROCESS] = "process",
				       [BY_ALL_TEMPLATE] = "template" };

struct holding {
	struct rows *rows;
	bool has_all; /* it holds anything */
};

static int add_held(void *arg, sqlite3_stmt *s)
{
	struct holding *h = arg;
	struct rows *rows = h->rows;
	const struct group g = {
		.reads = sqlite3_column_int64(s, HELD_READS),
		.bytes = sqlite3_column_int64(s, HELD_BYTES),
		.known = sqlite3_column_int64(s, HELD_KNOWN),
		.hits = sqlite3_column_int64(s, HELD_HITS),
		.hit_bytes = sqlite3_column_int64(s, HELD_HIT_BYTES),
		.cold_bytes = sqlite3_column_int64(s, HELD_COLD_BYTES),
		.ahead_bytes = sqlite3_column_int64(s, HELD_AHEAD_BYTES),
		.placed = sqlite3_column_int64(s, HELD_PLACED),
		.reread_bytes = sqlite3_column_int64(s, HELD_REREAD_BYTES),
	};
	uint32_t at;

	if (sqlite3_column_int(s, HELD_IS_ALL)) {
		h->has_all = true;
		rows->all = g;
		return 0;
	}
	if (td_keys_reserve(&rows->keys, 1) < 0 ||
	    td_grow(&rows->groups, &rows->cap, rows->keys.n) < 0 ||
	    td_grow(&rows->extents.items, &rows->extents.cap, rows->keys.n) < 0)
		return -ENOMEM;
	at = td_keys_add(&rows->keys, (struct td_key){ (uint64_t)td_db_known(s, HELD_ID), 0 });
	rows->groups[at] = g;
	rows->extents.items[at].end_bytes = td_db_known(s, HELD_END_BYTES);
	return 0;
}

/* 1; 0: it does not hold the grouping; -errno with a message. */
static int load_held(sqlite3 *db, struct rows *rows, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	struct holding h = { .rows = rows };
	int rc, r;

	if (!held_by[rows->by])
		return 0;
	rc = sqlite3_prepare_v2(db, HELD, -1, &s, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text(s, 1, held_by[rows->by], -1, SQLITE_STATIC);
	r = td_db_rows(db, rc, s, add_held, &h, "cannot see what reads got", err);
	return r < 0 ? r : h.has_all && (rows->keys.n || !rows->all.reads);
}

/* --- what follows from all reads --- */

static int64_t reread_bytes(const struct extent *e)
{
	return e->end_bytes == TD_NULL ? 0 : TD_MAX(e->bytes - e->end_bytes, INT64_C(0));
}

/* Reads of a file by several processes are no rereads of any of these, but of the file. */
static void add_rereads(struct rows *rows)
{
	const struct extents *files = rows->by == BY_ALL_PROCESS ? &rows->files : &rows->extents;

	for (size_t i = 0; i < rows->extents.keys.n; i++) {
		const struct extent *e = &rows->extents.items[i];
		struct group *g = &rows->groups[e->group];

		g->reread_bytes = td_plus(g->reread_bytes, reread_bytes(e));
	}
	for (size_t i = 0; i < files->keys.n; i++)
		rows->all.reread_bytes =
			td_plus(rows->all.reread_bytes, reread_bytes(&files->items[i]));
}

static void add_up(struct rows *rows)
{
	struct group *all = &rows->all;

	for (size_t i = 0; i < rows->keys.n; i++) {
		const struct group *g = &rows->groups[i];

		all->reads += g->reads;
		all->bytes = td_plus(all->bytes, g->bytes);
		all->known += g->known;
		all->hits += g->hits;
		all->hit_bytes = td_plus(all->hit_bytes, g->hit_bytes);
		all->cold_bytes = td_plus(all->cold_bytes, g->cold_bytes);
		all->ahead_bytes = td_plus(all->ahead_bytes, g->ahead_bytes);
		all->placed += g->placed;
	}
}

/* Those with most bytes, and what ties with the last of them. */
static int choose(struct rows *rows)
{
	_cleanup_free_ int64_t *bytes = malloc((rows->keys.n + 1) * sizeof(*bytes));
	size_t n = rows->keys.n;
	int64_t least = TD_NULL;

	rows->shown = malloc((n + 1) * sizeof(*rows->shown));
	if (!bytes || !rows->shown)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		bytes[i] = rows->groups[i].bytes;
	if (rows->top < (int64_t)n)
		least = rows->top ? td_select(bytes, n, n - (size_t)rows->top) : INT64_MAX;
	for (size_t i = 0; i < n; i++)
		if (rows->groups[i].bytes >= least)
			rows->shown[rows->nshown++] = (uint32_t)i;
	return 0;
}

/* --- the table --- */

static void free_rows(void *arg)
{
	struct rows *rows = arg;

	td_key_map_done(&rows->templates);
	td_keys_done(&rows->extents.keys);
	free(rows->extents.items);
	td_keys_done(&rows->files.keys);
	free(rows->files.items);
	td_keys_done(&rows->keys);
	free(rows->groups);
	free(rows->shown);
	free(rows);
}

static bool has_all(const struct rows *rows)
{
	return rows->by >= BY_ALL_FILE && rows->all.reads;
}

/* Ids of files are small enough, mostly, for a slot each. */
static void use_slots(struct rows *rows)
{
	if (rows->templates.n > (size_t)1 << TD_KEYS_DIRECT_BITS_MAX)
		return;
	td_keys_direct(&rows->files.keys, TD_KEYS_DIRECT_BITS_MAX);
	if (!has_processes(rows))
		td_keys_direct(&rows->extents.keys, TD_KEYS_DIRECT_BITS_MAX);
	if (rows->by == BY_FILE || rows->by == BY_ALL_FILE)
		td_keys_direct(&rows->keys, TD_KEYS_DIRECT_BITS_MAX);
}

/* Which files count, and of which kind they are. */
static int add_template(void *arg, const struct td_file_row *row)
{
	bool counts =
		td_file_text_is(row->class, "regular") || td_file_text_is(row->class, "deleted");
	bool is_kind = row->template_id > 0 && row->template_id <= INT32_MAX;

	return counts && is_kind ? td_key_map_add(arg, row->id, (uint32_t)row->template_id) : 0;
}

static int look(sqlite3 *db, struct rows *rows, struct td_err *err)
{
	int r = td_file_rows_read(db, add_template, &rows->templates, err);

	rows->all = (struct group){ 0 };
	use_slots(rows);
	if (r == 0)
		r = add_reads(db, rows, err);
	if (r < 0)
		return r;
	add_rereads(rows);
	add_up(rows);
	return 0;
}

static int load_rows(sqlite3 *db, sqlite3_value *const *args, size_t by, void **ret, size_t *nrows,
		     struct td_err *err)
{
	struct rows *rows = calloc(1, sizeof(*rows));
	int r;

	*ret = rows;
	if (!rows)
		return -ENOMEM;
	rows->by = by;
	rows->top = td_loaded_int(args[ARG_TOP]);
	if (rows->top < 0)
		rows->top = INT64_MAX;
	r = load_held(db, rows, err);
	if (r == 0)
		r = look(db, rows, err);
	if (r >= 0)
		r = choose(rows);
	*nrows = rows->nshown + has_all(rows);
	return r;
}

/* What the key of a group is, or TD_NULL. */
static int64_t key_of(const struct rows *rows, size_t group, int column)
{
	struct td_key key = rows->keys.items[group];

	if (column == FILE_ID)
		return rows->by < BY_ALL_PROCESS ? (int64_t)key.lo : TD_NULL;
	if (column == TEMPLATE_ID)
		return rows->by == BY_ALL_TEMPLATE ? (int64_t)key.lo : TD_NULL;
	return rows->by == BY_FILE_PROCESS  ? (int64_t)key.hi
	       : rows->by == BY_ALL_PROCESS ? (int64_t)key.lo
					    : TD_NULL;
}

static void sum_value(const struct group *g, int column, sqlite3_context *ctx)
{
	const int64_t values[] = {
		[NREADS] = g->reads,
		[BYTES] = g->bytes,
		[KNOWN] = g->known,
		[HITS] = g->hits,
		[HIT_BYTES] = g->known ? g->hit_bytes : TD_NULL,
		[COLD_BYTES] = g->known ? g->cold_bytes : TD_NULL,
		[AHEAD_BYTES] = g->known ? g->ahead_bytes : TD_NULL,
		[PLACED] = g->placed,
		[REREAD_BYTES] = g->placed == g->reads ? g->reread_bytes : TD_NULL,
	};

	td_loaded_known(ctx, values[column]);
}

static void row_value(void *arg, size_t row, int column, sqlite3_context *ctx)
{
	const struct rows *rows = arg;
	bool is_all = has_all(rows) && row == 0;
	size_t group = is_all ? 0 : rows->shown[row - has_all(rows)];

	switch ((enum column)column) {
	case IS_ALL:
		sqlite3_result_int(ctx, is_all);
		break;
	case TOP:
		sqlite3_result_int64(ctx, rows->top);
		break;
	case FILE_ID:
	case PROCESS_ID:
	case TEMPLATE_ID:
		td_loaded_known(ctx, is_all ? TD_NULL : key_of(rows, group, column));
		break;
	case END_BYTES: /* where groups are of files, each has one extent */
		if (!is_all && rows->by < BY_ALL_PROCESS)
			td_loaded_known(ctx, rows->extents.items[group].end_bytes);
		break;
	default:
		sum_value(is_all ? &rows->all : &rows->groups[group], column, ctx);
	}
}

const struct td_loaded_kind td_read_stat_kind = {
	.name = "read_stat",
	.columns = "by TEXT, is_all INTEGER, file_id INTEGER, process_id INTEGER, template_id "
		   "INTEGER, reads INTEGER, bytes INTEGER, known INTEGER, hits INTEGER, hit_bytes "
		   "INTEGER, cold_bytes INTEGER, ahead_bytes INTEGER, end_bytes INTEGER, placed "
		   "INTEGER, reread_bytes INTEGER, of_top INTEGER",
	.args = { { BY, SQLITE_INDEX_CONSTRAINT_IS, false },
		  { TOP, SQLITE_INDEX_CONSTRAINT_GE, false } },
	.groupings = { [BY_FILE] = "file",
		       [BY_FILE_PROCESS] = "file,process",
		       [BY_ALL_FILE] = "all,file",
		       [BY_ALL_PROCESS] = "all,process",
		       [BY_ALL_TEMPLATE] = "all,template" },
	.load = load_rows,
	.value = row_value,
	.free = free_rows,
};
