/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "analyzer/scan/filter.h"
#include "analyzer/scan/in_order.h"
#include "common/cleanup.h"

struct reading {
	int64_t last_id; /* of what was handed out */
	int (*fn)(void *arg, const struct td_row_batch *b, size_t row);
	void *arg;
};

static int add_batch(void *arg, struct td_row_batch *b)
{
	struct reading *reading = arg;
	int r = 0;

	for (size_t i = 0; i < b->n && r == 0; i++) {
		if (b->columns[TD_ROW_ID][i] <=
		    reading->last_id) /* seen before the pages were left */
			continue;
		reading->last_id = b->columns[TD_ROW_ID][i];
		r = reading->fn(reading->arg, b, i);
	}
	return r;
}

int td_rows_in_order(sqlite3 *db, const struct td_stat_request *req, unsigned columns,
		     int (*fn)(void *arg, const struct td_row_batch *b, size_t row), void *arg,
		     struct td_err *err)
{
	_cleanup_(td_filter_done) struct td_filter filter = { 0 };
	_cleanup_(td_row_source_done) struct td_row_source source = { 0 };
	struct reading reading = { .fn = fn, .arg = arg, .last_id = INT64_MIN };
	int r = td_filter_load(db, req, &filter, err);

	if (r == 0)
		r = td_row_source_open(db, req->relation, &filter, columns | 1u << TD_ROW_ID,
				       &source, err);
	for (size_t i = 0; i < source.nparts && r == 0; i++)
		r = td_row_source_read(&source, i, add_batch, &reading);
	if (r == -EOPNOTSUPP) { /* what was read was right: SQLite reads the rest */
		td_row_source_leave_pages(&source);
		r = td_row_source_read(&source, 0, add_batch, &reading);
	}
	return r;
}
