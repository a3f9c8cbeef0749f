/* SPDX-License-Identifier: MIT */
/* Which calls count: where they lie, and whose and on what they are. */
#pragma once

#include "analyzer/scan/calls.h"
#include "analyzer/scan/dims.h"

struct td_filter {
	struct td_call_range *ranges; /* owned; in order, none overlaps another */
	size_t nranges, cap;
	struct td_key_map ops, processes,
		files; /* key 1: counts; only looked at if the flag says so */
	bool by_op, by_process, by_file;
};

/* 0, or -errno with a message. */
int td_filter_load(sqlite3 *db, const struct td_stat_request *req, struct td_filter *ret,
		   struct td_err *err);
void td_filter_done(struct td_filter *f);

/* Columns of the calls that are needed: 1 << enum td_call_column. */
unsigned td_filter_columns(const struct td_filter *f);

/* Rows of the batch that count, whether nested or not. */
size_t td_filter_rows(const struct td_filter *f, const struct td_calls_batch *b, uint16_t *rows);
