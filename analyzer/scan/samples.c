/* SPDX-License-Identifier: MIT */
#include "analyzer/scan/filter.h"
#include "analyzer/scan/in_order.h"
#include "analyzer/scan/samples.h"

#define COLUMNS (1u << TD_ROW_START | 1u << TD_ROW_DUR | 1u << TD_ROW_OBJECT | 1u << TD_ROW_VALUE)

struct reading {
	const struct td_key_map *tracks;
	int (*fn)(void *arg, const struct td_sample_row *s);
	void *arg;
};

static int add_row(void *arg, const struct td_row_batch *b, size_t row)
{
	const struct reading *r = arg;
	struct td_sample_row s = {
		.track = td_key_map_get(r->tracks, b->columns[TD_ROW_OBJECT][row]),
		.ts_ns = b->columns[TD_ROW_START][row],
		.dur_ns = b->columns[TD_ROW_DUR][row],
		.value = NAN,
	};

	if (b->columns[TD_ROW_VALUE][row] != TD_NULL)
		memcpy(&s.value, &b->columns[TD_ROW_VALUE][row], sizeof(s.value));
	return r->fn(r->arg, &s);
}

int td_samples_each(sqlite3 *db, const struct td_stat_request *req, const struct td_key_map *tracks,
		    int (*fn)(void *arg, const struct td_sample_row *s), void *arg,
		    struct td_err *err)
{
	const struct td_filter_condition of_tracks = { .column = TD_ROW_OBJECT, .ids = *tracks };
	struct reading reading = { .tracks = tracks, .fn = fn, .arg = arg };
	struct td_stat_request asked = *req;

	asked.relation = &td_sample_relation;
	asked.pid = TD_NULL;
	asked.process = NULL;
	asked.also = &of_tracks;
	asked.nalso = 1;
	return td_rows_in_order(db, &asked, COLUMNS, add_row, &reading, err);
}
