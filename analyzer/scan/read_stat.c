/* SPDX-License-Identifier: MIT */
/* read_stat: what reads of regular files got from the page cache, and how far into each file they reached, in one look at the calls. */
#include <errno.h>
#include <string.h>

#include "analyzer/scan/filter.h"
#include "analyzer/scan/in_order.h"
#include "analyzer/scan/keys.h"
#include "analyzer/scan/loaded_table.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "schema/stat_math.h"

#define COLUMNS                                                                                    \
	(1u << TD_ROW_KIND | 1u << TD_ROW_OBJECT | 1u << TD_ROW_PROCESS | 1u << TD_ROW_BYTES |     \
	 1u << TD_ROW_OFFSET | 1u << TD_ROW_COLD | 1u << TD_ROW_NESTED)

#define READS "SELECT id, 1 FROM main.op WHERE verb = 'read' AND kind = 'io' AND layer <> 'cuda'"
#define FILES "SELECT id, 1 FROM main.file WHERE class IN ('regular', 'deleted')"

enum column {
	BY,
	FILE_ID,
	PROCESS_ID,
	NREADS,
	BYTES,
	KNOWN,
	HITS,
	HIT_BYTES,
	COLD_BYTES,
	AHEAD_BYTES,
	END_BYTES,
	PLACED
};
enum { BY_FILE, BY_FILE_PROCESS };

struct group {
	int64_t reads, bytes;
	int64_t known, hits, hit_bytes, cold_bytes, ahead_bytes; /* known: cold bytes are */
	int64_t end_bytes, placed; /* TD_NULL: of none the offset is known */
};

struct rows {
	size_t by;
	struct td_keys keys; /* file and, by it, process */
	struct group *groups; /* owned; as many as keys */
	size_t cap;
};

static void add_cold(struct group *g, int64_t bytes, int64_t cold)
{
	g->known++;
	g->hits += cold == 0;
	g->hit_bytes = td_plus(g->hit_bytes, TD_MAX(bytes - cold, INT64_C(0)));
	g->cold_bytes = td_plus(g->cold_bytes, TD_MIN(bytes, cold));
	g->ahead_bytes = td_plus(g->ahead_bytes, TD_MAX(cold - bytes, INT64_C(0)));
}

static int add_read(void *arg, const struct td_row_batch *b, size_t row)
{
	struct rows *rows = arg;
	int64_t bytes = b->columns[TD_ROW_BYTES][row], cold = b->columns[TD_ROW_COLD][row],
		offset = b->columns[TD_ROW_OFFSET][row];
	int64_t process = rows->by == BY_FILE ? 0 : b->columns[TD_ROW_PROCESS][row];
	size_t before = rows->keys.n, i;
	struct group *g;

	/* TD_NULL is the smallest number */
	if (b->columns[TD_ROW_NESTED][row] != 0 || bytes < 0)
		return 0;
	if (td_keys_reserve(&rows->keys, 1) < 0 || td_grow(&rows->groups, &rows->cap, before) < 0)
		return -ENOMEM;
	i = td_keys_add(&rows->keys, (struct td_key){ (uint64_t)process,
						      (uint64_t)b->columns[TD_ROW_OBJECT][row] });
	g = &rows->groups[i];
	if (i == before)
		*g = (struct group){ .end_bytes = TD_NULL };
	g->reads++;
	g->bytes = td_plus(g->bytes, bytes);
	if (cold != TD_NULL)
		add_cold(g, bytes, cold);
	if (offset != TD_NULL) {
		g->placed++;
		g->end_bytes = TD_MAX(g->end_bytes, td_plus(offset, bytes));
	}
	return 0;
}

static int add_reads(sqlite3 *db, struct rows *rows, struct td_err *err)
{
	struct td_filter_condition wanted[] = { { .column = TD_ROW_KIND },
						{ .column = TD_ROW_OBJECT } };
	const struct td_stat_request asked = { .relation = td_relation_find("call_stat"),
					       .since_ns = TD_NULL,
					       .until_ns = TD_NULL,
					       .pid = TD_NULL,
					       .also = wanted,
					       .nalso = TD_ARRAY_SIZE(wanted) };
	int r = td_key_map_load(db, READS, &wanted[0].ids, NULL, err);

	if (r == 0)
		r = td_key_map_load(db, FILES, &wanted[1].ids, NULL, err);
	if (r == 0)
		r = td_rows_in_order(db, &asked, COLUMNS, add_read, rows, err);
	td_key_map_done(&wanted[0].ids);
	td_key_map_done(&wanted[1].ids);
	return r;
}

static void free_rows(void *arg)
{
	struct rows *rows = arg;

	td_keys_done(&rows->keys);
	free(rows->groups);
	free(rows);
}

static int load_rows(sqlite3 *db, sqlite3_value *const *args, size_t by, void **ret, size_t *nrows,
		     struct td_err *err)
{
	struct rows *rows = calloc(1, sizeof(*rows));
	int r;

	(void)args;
	*ret = rows;
	if (!rows)
		return -ENOMEM;
	rows->by = by;
	r = add_reads(db, rows, err);
	*nrows = rows->keys.n;
	return r;
}

static void row_value(void *arg, size_t row, int column, sqlite3_context *ctx)
{
	const struct rows *rows = arg;
	const struct group *g = &rows->groups[row];
	const int64_t values[] = {
		[FILE_ID] = (int64_t)rows->keys.items[row].hi,
		[PROCESS_ID] = rows->by == BY_FILE ? TD_NULL : (int64_t)rows->keys.items[row].lo,
		[NREADS] = g->reads,
		[BYTES] = g->bytes,
		[KNOWN] = g->known,
		[HITS] = g->hits,
		[HIT_BYTES] = g->known ? g->hit_bytes : TD_NULL,
		[COLD_BYTES] = g->known ? g->cold_bytes : TD_NULL,
		[AHEAD_BYTES] = g->known ? g->ahead_bytes : TD_NULL,
		[END_BYTES] = g->end_bytes,
		[PLACED] = g->placed,
	};

	td_loaded_known(ctx, values[column]);
}

const struct td_loaded_kind td_read_stat_kind = {
	.name = "read_stat",
	.columns = "by TEXT, file_id INTEGER, process_id INTEGER, reads INTEGER, bytes INTEGER, "
		   "known INTEGER, hits INTEGER, hit_bytes INTEGER, cold_bytes INTEGER, "
		   "ahead_bytes INTEGER, end_bytes INTEGER, placed INTEGER",
	.args = { { BY, SQLITE_INDEX_CONSTRAINT_IS, false } },
	.groupings = { [BY_FILE] = "file", [BY_FILE_PROCESS] = "file,process" },
	.load = load_rows,
	.value = row_value,
	.free = free_rows,
};
