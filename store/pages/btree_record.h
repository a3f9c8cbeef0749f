/* SPDX-License-Identifier: MIT */
/* A row of any values as SQLite stores it; private to the b-tree writer. */
#pragma once

#include "store/pages/btree.h"

/* Room for one record at a time, grown as needed. */
struct td_btree_record {
	uint8_t *p; /* owned */
	size_t size, cap;
	uint64_t *serials; /* owned; of its values */
	size_t serials_cap;
};

/* Replaces what is in r. 0, -E2BIG if it is larger than SQLite reads, -ENOMEM. */
int td_btree_record_encode(struct td_btree_record *r, const struct td_value *values, size_t n);

void td_btree_record_done(struct td_btree_record *r);
