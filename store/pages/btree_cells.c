/* SPDX-License-Identifier: MIT */
/* Records as cells, which needs no file: store/pages/btree.c puts them into pages. */
#include "common/cleanup.h"
#include "store/pages/btree_cell.h"
#include "store/pages/btree.h"

/* What a cell that is being written may touch below its begin. */
#define SPARE 8

int td_btree_cells_init(struct td_btree_cells *c, const struct td_table *table, size_t max)
{
	size_t cell_max = td_cell_record_max(table->columns, table->ncolumns) + 2 * TD_VARINT_MAX;
	size_t size = SPARE + max * cell_max;

	*c = (struct td_btree_cells){ .table = table, .max = max };
	c->buf = malloc(size);
	c->sizes = malloc(max * sizeof(*c->sizes));
	if (!c->buf || !c->sizes) {
		td_btree_cells_done(c);
		return -ENOMEM;
	}
	c->end = c->buf + size;
	return 0;
}

void td_btree_cells_done(struct td_btree_cells *c)
{
	free(c->buf);
	free(c->sizes);
	*c = (struct td_btree_cells){ 0 };
}

static uint8_t *push_cell(const struct td_table *f, uint8_t *end, int64_t rowid,
			  const uint8_t *record)
{
	if (f->push_cell)
		return f->push_cell(end, rowid, record);
	return td_cell_push(f->columns, f->ncolumns, end, rowid, record);
}

int td_btree_encode(struct td_btree_cells *c, int64_t rowid, const void *records, size_t n)
{
	const uint8_t *record = records;
	uint8_t *top = c->end;

	c->n = 0;
	if (n > c->max || (n > 0 && (uint64_t)INT64_MAX - (uint64_t)rowid < n - 1))
		return -EINVAL;
	for (size_t i = 0; i < n; i++, record += c->table->record_size) {
		uint8_t *cell = push_cell(c->table, top, rowid + (int64_t)i, record);

		c->sizes[i] = (uint16_t)(top - cell);
		top = cell;
	}
	c->n = n;
	c->rowid = rowid;
	return 0;
}
