/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "analyzer/scan/dims.h"
#include "analyzer/scan/gpu_work.h"
#include "analyzer/scan/in_order.h"
#include "common/cleanup.h"
#include "schema/stat_math.h"

#define COLUMNS                                                                                    \
	(1u << TD_ROW_START | 1u << TD_ROW_DUR | 1u << TD_ROW_DEVICE | 1u << TD_ROW_KIND |         \
	 1u << TD_ROW_PROCESS | 1u << TD_ROW_CORRELATION)

/* Kinds, by gpu_op.kind_id. */
enum { KIND_KERNEL = 1, KIND_SYNC };
#define KINDS                                                                                      \
	"SELECT id, CASE text WHEN 'kernel' THEN 1 ELSE 2 END FROM main.string WHERE text IN "     \
	"('kernel', 'sync')"

struct reading {
	struct td_key_map kinds; /* owned */
	int64_t *ends; /* owned; by device, TD_NULL: no work yet */
	size_t ndevices;
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

static int add_row(void *arg, const struct td_row_batch *b, size_t row)
{
	struct reading *r = arg;
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

	if (w.dur_ns == TD_NULL || kind == KIND_SYNC || w.device_id < 0 ||
	    w.device_id >= TD_GPU_DEVICES_MAX)
		return 0;
	if (reserve(r, (size_t)w.device_id + 1) < 0)
		return -ENOMEM;
	w.idle_from_ns = r->ends[w.device_id];
	r->ends[w.device_id] = TD_MAX(w.idle_from_ns, td_plus(w.start_ns, w.dur_ns));
	return r->fn(r->arg, &w);
}

int td_gpu_work_from(sqlite3 *db, int64_t since_ns,
		     int (*fn)(void *arg, const struct td_gpu_work *w), void *arg,
		     struct td_err *err)
{
	const struct td_stat_request all = { .relation = td_relation_find("gpu_stat"),
					     .since_ns = since_ns,
					     .until_ns = TD_NULL,
					     .pid = TD_NULL };
	struct reading reading = { .fn = fn, .arg = arg };
	int r = td_key_map_load(db, KINDS, &reading.kinds, NULL, err);

	if (r == 0)
		r = td_rows_in_order(db, &all, COLUMNS, add_row, &reading, err);
	td_key_map_done(&reading.kinds);
	free(reading.ends);
	return r;
}

int td_gpu_work_each(sqlite3 *db, int (*fn)(void *arg, const struct td_gpu_work *w), void *arg,
		     struct td_err *err)
{
	return td_gpu_work_from(db, TD_NULL, fn, arg, err);
}
