/* SPDX-License-Identifier: MIT */
/* Rows encoded and added at once. */
#pragma once

#include "store/pages/btree.h"

static inline int add_rows(struct td_btree_table *t, const struct td_table *table, int64_t rowid,
			   const void *records, size_t n)
{
	struct td_btree_cells cells;
	int r = td_btree_cells_init(&cells, table, n);

	if (r >= 0)
		r = td_btree_encode(&cells, rowid, records, n);
	if (r >= 0)
		r = td_btree_add_cells(t, &cells);
	td_btree_cells_done(&cells);
	return r;
}
