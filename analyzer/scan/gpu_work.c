/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "analyzer/scan/filter.h"
#include "analyzer/scan/gpu_work.h"
#include "common/cleanup.h"
#include "schema/stat_math.h"

#define COLUMNS                                                                                    \
	(1u << TD_ROW_ID | 1u << TD_ROW_START | 1u << TD_ROW_DUR | 1u << TD_ROW_DEVICE |           \
	 1u << TD_ROW_KIND | 1u << TD_ROW_PROCESS | 1u << TD_ROW_CORRELATION)

/* Kinds, by gpu_op.kind_id. */
enum { KIND_KERNEL = 1, KIND_SYNC };
#define KINDS                                                                                      \
	"SELECT id, CASE text WHEN 'kernel' THEN 1 ELSE 2 END FROM main.string WHERE text IN "     \
	"('kernel', 'sync')"
#define DEVICES_MAX 65536 /* what is beyond is damage */

struct reading {
	struct td_key_map kinds; /* owned */
	int64_t *ends; /* owned; by device, TD_NULL: no work yet */
	size_t ndevices;
	int64_t last_id; /* of what was handed out */
	int (*fn)(void *arg, const struct td_gpu_work *w);
	void *arg;
};

static int reserve(struct reading *r, size_t n)
{
	int64_t *ends;

	if (n <= r->ndevices)
		return 0;
	n = TD_MAX(n, r->ndevices * 2);
	ends = realloc(r->ends, n * sizeof(*ends));
	if (!ends)
		return -ENOMEM;
	for (size_t i = r->ndevices; i < n; i++)
		ends[i] = TD_NULL;
	r->ends = ends;
	r->ndevices = n;
	return 0;
}

static int add_row(struct reading *r, const struct td_row_batch *b, size_t row)
{
	uint32_t kind = td_key_map_get(&r->kinds, b->columns[TD_ROW_KIND][row]);
	struct td_gpu_work w = {
		.id = b->columns[TD_ROW_ID][row],
		.start_ns = b->columns[TD_ROW_START][row],
		.dur_ns = b->columns[TD_ROW_DUR][row],
		.device_id = b->columns[TD_ROW_DEVICE][row],
		.process_id = b->columns[TD_ROW_PROCESS][row],
		.correlation = b->columns[TD_ROW_CORRELATION][row],
		.is_kernel = kind == KIND_KERNEL,
	};

	if (w.id <= r->last_id) /* seen before the pages were left */
		return 0;
	r->last_id = w.id;
	if (w.dur_ns == TD_NULL || kind == KIND_SYNC || w.device_id < 0 ||
	    w.device_id >= DEVICES_MAX)
		return 0;
	if (reserve(r, (size_t)w.device_id + 1) < 0)
		return -ENOMEM;
	w.idle_from_ns = r->ends[w.device_id];
	r->ends[w.device_id] = TD_MAX(w.idle_from_ns, td_plus(w.start_ns, w.dur_ns));
	return r->fn(r->arg, &w);
}

static int add_batch(void *arg, struct td_row_batch *b)
{
	int r = 0;

	for (size_t i = 0; i < b->n && r == 0; i++)
		r = add_row(arg, b, i);
	return r;
}

/* One part after the other: what is idle follows from all that was before. */
static int read_all(sqlite3 *db, struct reading *reading, struct td_err *err)
{
	const struct td_stat_request all = { .relation = td_relation_find("gpu_stat"),
					     .since_ns = TD_NULL,
					     .until_ns = TD_NULL,
					     .pid = TD_NULL };
	struct td_filter filter = { 0 };
	struct td_row_source source = { 0 };
	int r = td_filter_load(db, &all, &filter, err);

	if (r == 0)
		r = td_row_source_open(db, all.relation, &filter, COLUMNS, &source, err);
	for (size_t i = 0; i < source.nparts && r == 0; i++)
		r = td_row_source_read(&source, i, add_batch, reading);
	if (r == -EOPNOTSUPP) { /* what was read was right: SQLite reads the rest */
		td_leaves_done(&source.leaves);
		source.nparts = 1;
		r = td_row_source_read(&source, 0, add_batch, reading);
	}
	td_row_source_done(&source);
	td_filter_done(&filter);
	return r;
}

int td_gpu_work_each(sqlite3 *db, int (*fn)(void *arg, const struct td_gpu_work *w), void *arg,
		     struct td_err *err)
{
	struct reading reading = { .fn = fn, .arg = arg, .last_id = INT64_MIN };
	int r = td_key_map_load(db, KINDS, &reading.kinds, NULL, err);

	if (r == 0)
		r = read_all(db, &reading, err);
	td_key_map_done(&reading.kinds);
	free(reading.ends);
	return r;
}
