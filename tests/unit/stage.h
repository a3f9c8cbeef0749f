/* SPDX-License-Identifier: MIT */
#pragma once

#include "common/cleanup.h"
#include "schema/rows.h"
#include "store/stage/stage.h"

/* Reads everything back and gives it to visit() row by row, which may change the row and whose negative return
 * value ends the reading. Rows are read one, a few or many at a time. */
static inline int td_stage_read(struct td_stage *s, enum td_kind kind,
				const struct td_shift *(*shift_of)(void *ud, const void *record),
				int (*visit)(void *ud, void *record), void *ud)
{
	_cleanup_(td_stage_reader_closep) struct td_stage_reader *reader = NULL;
	size_t size = td_tables[kind].record_size, room = 1;
	uint64_t records[100 * sizeof(struct td_call) / sizeof(uint64_t)]; /* the largest kind */
	ssize_t n;
	int r = td_stage_reader_open(s, false, shift_of, ud, &reader);

	while (r >= 0) {
		n = td_stage_reader_next(reader, records, room);
		if (n <= 0)
			return (int)n;
		for (ssize_t i = 0; i < n && r >= 0; i++)
			r = visit(ud, (char *)records + (size_t)i * size);
		room = room % 100 + 1;
	}
	return r;
}
