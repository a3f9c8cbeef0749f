/* SPDX-License-Identifier: MIT */
/* Block requests from the tracepoints block_rq_insert, block_rq_issue and block_rq_complete. */
#pragma once

#include "importers/core/import.h"

enum td_perf_block { TD_PERF_INSERT, TD_PERF_ISSUE, TD_PERF_COMPLETE };

/* What td_perf_block() returns beside 0 and -errno. */
enum { TD_PERF_SPOILT = 1, TD_PERF_NO_BEGIN };

struct td_perf_request;

struct td_perf_blocks {
	struct td_perf_request *requests; /* a ring; owned, NULL before the first one */
	uint16_t *heads; /* by hash of device and sector: index + 1 of the first; owned */
	size_t n; /* requests so far */
};

/* An event with its fields as perf prints them. 0; TD_PERF_SPOILT: the fields make no sense;
 * TD_PERF_NO_BEGIN: a completion of a request that was not seen; -errno. */
int td_perf_block(struct td_import *imp, struct td_perf_blocks *b, enum td_perf_block kind,
		  struct td_str fields, int64_t ns, uint32_t process_id);

/* Stores the requests that did not complete, without a duration, and frees everything. 0 or -errno. */
int td_perf_blocks_done(struct td_import *imp, struct td_perf_blocks *b);
