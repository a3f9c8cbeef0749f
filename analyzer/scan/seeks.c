/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "analyzer/scan/seeks.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "schema/stat_math.h"

#define DEVICES_MAX 65536 /* what is beyond is damage */

static int reserve(struct td_seeks *s, size_t n)
{
	int64_t *ends;

	if (n <= s->ndevices)
		return 0;
	n = TD_MAX(n, s->ndevices * 2);
	ends = realloc(s->ends, n * sizeof(*ends));
	if (!ends)
		return -ENOMEM;
	for (size_t i = s->ndevices; i < n; i++)
		ends[i] = TD_NULL;
	s->ends = ends;
	s->ndevices = n;
	return 0;
}

static void forget(struct td_seeks *s)
{
	for (size_t i = 0; i < s->ndevices; i++)
		s->ends[i] = TD_NULL;
}

/* 0: of no known device */
static size_t device_of(int64_t id)
{
	return id > 0 && id < DEVICES_MAX ? (size_t)id : 0;
}

static int wait(struct td_seeks *s, const struct td_row_batch *b, size_t row)
{
	struct td_seek_rows *w = &s->waiting;

	if (td_grow(&w->rows, &w->cap, w->n) < 0)
		return -ENOMEM;
	for (size_t c = 0; c < TD_ROW_NCOLUMNS; c++)
		w->rows[w->n][c] = b->columns[c][row];
	w->n++;
	return 0;
}

/* One row; *waits: it is the first one of its disk. */
static int add(struct td_seeks *s, struct td_row_batch *b, size_t row, bool *waits)
{
	int64_t sector = b->columns[TD_ROW_OFFSET][row], bytes = b->columns[TD_ROW_BYTES][row];
	size_t device = device_of(b->columns[TD_ROW_DEVICE][row]);

	*waits = false;
	b->columns[TD_ROW_SEEK][row] = TD_NULL;
	if (sector < 0 || bytes <= 0) /* TD_NULL is the smallest number */
		return 0;
	if (reserve(s, device + 1) < 0)
		return -ENOMEM;
	*waits = s->ends[device] == TD_NULL;
	b->columns[TD_ROW_SEEK][row] = td_seek_sectors(s->ends[device], sector);
	s->ends[device] = td_plus(sector, bytes / 512);
	return 0;
}

int td_seeks_add(struct td_seeks *s, struct td_row_batch *b, bool begun)
{
	size_t n = 0;

	if (!s->any)
		s->first_range = b->range;
	else if (b->range != s->last_range)
		forget(s);
	s->any = true;
	s->last_range = b->range;
	begun &= b->range == s->first_range;
	for (size_t i = 0; i < b->n; i++) {
		bool waits;

		if (add(s, b, i, &waits) < 0)
			return -ENOMEM;
		if (waits && begun && wait(s, b, i) < 0)
			return -ENOMEM;
		if (waits && begun)
			continue;
		for (size_t c = 0; n < i && c < TD_ROW_NCOLUMNS; c++)
			b->columns[c][n] = b->columns[c][i];
		n++;
	}
	b->n = n;
	return 0;
}

int td_seeks_follow(struct td_seeks *s, struct td_seeks *next)
{
	if (!next->any)
		return 0;
	if (!s->any || next->first_range != s->last_range)
		forget(s);
	if (reserve(s, next->ndevices) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < next->waiting.n; i++) {
		int64_t *row = next->waiting.rows[i];

		row[TD_ROW_SEEK] =
			td_seek_sectors(s->ends[device_of(row[TD_ROW_DEVICE])], row[TD_ROW_OFFSET]);
	}
	if (next->first_range != next->last_range)
		forget(s);
	for (size_t i = 0; i < next->ndevices; i++)
		if (next->ends[i] != TD_NULL)
			s->ends[i] = next->ends[i];
	s->last_range = next->last_range;
	s->any = true;
	return 0;
}

void td_seeks_done(struct td_seeks *s)
{
	free(s->ends);
	free(s->waiting.rows);
	*s = (struct td_seeks){ 0 };
}
