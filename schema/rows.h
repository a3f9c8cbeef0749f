/* SPDX-License-Identifier: MIT */
/*
 * The rows of the big tables as C records: what importers fill in and both row writers store. The
 * member names are the column names of schema/tables.sql; rows.c ties them together. Start from
 * TD_CALL_INIT and so on, so that what is not known is NULL.
 */
#pragma once

#include "schema/table.h"

enum td_kind {
	TD_KIND_CALL,
	TD_KIND_BLOCK,
	TD_KIND_SCHED,
	TD_KIND_GPU_OP,
	TD_KIND_SAMPLE,
	TD_KIND_SPAN,
	TD_KIND_MARK,
	TD_KIND_STACK,
	TD_NKINDS,
};

struct td_call {
	int64_t start_ns; /* native clock of the source until the rows are written */
	int64_t dur_ns;
	int64_t ret;
	int64_t asked_bytes;
	int64_t done_bytes;
	int64_t offset_bytes;
	uint32_t process_id;
	uint32_t thread_id;
	uint32_t file_id;
	uint32_t args_id;
	int32_t fd;
	int32_t cold_bytes;
	uint16_t op_id; /* lower than what seldom changes: stage_pack.h keeps the low bytes */
	uint16_t source_id;
	int32_t correlation;
	uint8_t nested;
	uint8_t unfinished;
};
#define TD_CALL_INIT                                                                               \
	{                                                                                          \
		.dur_ns = TD_NULL, .ret = TD_NULL, .asked_bytes = TD_NULL, .done_bytes = TD_NULL,  \
		.offset_bytes = TD_NULL, .fd = INT32_MIN, .cold_bytes = INT32_MIN,                 \
		.correlation = INT32_MIN                                                           \
	}

enum td_block_op { TD_BLOCK_READ, TD_BLOCK_WRITE, TD_BLOCK_OTHER };

struct td_block {
	int64_t start_ns;
	int64_t dur_ns;
	int64_t queue_ns;
	int64_t sector;
	int64_t bytes;
	uint32_t device_id;
	uint32_t process_id;
	uint32_t done_process_id;
	uint16_t source_id;
	uint8_t op; /* enum td_block_op */
};
#define TD_BLOCK_INIT                                                                              \
	{                                                                                          \
		.dur_ns = TD_NULL, .queue_ns = TD_NULL, .sector = TD_NULL, .bytes = TD_NULL        \
	}

struct td_sched {
	int64_t start_ns;
	int64_t dur_ns;
	uint32_t thread_id;
	uint32_t state_id; /* string */
	uint32_t reason_id; /* string */
	uint32_t waker_thread_id;
	int32_t cpu;
	uint16_t source_id;
};
#define TD_SCHED_INIT                                                                              \
	{                                                                                          \
		.dur_ns = TD_NULL, .cpu = INT32_MIN                                                \
	}

struct td_gpu_op {
	int64_t start_ns;
	int64_t dur_ns;
	int64_t bytes;
	int64_t correlation;
	uint32_t device_id;
	uint32_t kind_id; /* string: 'kernel', 'copy', 'set', 'sync', 'graph' */
	uint32_t name_id; /* string */
	uint32_t process_id;
	int32_t stream;
	uint16_t source_id;
};
#define TD_GPU_OP_INIT                                                                             \
	{                                                                                          \
		.dur_ns = TD_NULL, .bytes = TD_NULL, .correlation = TD_NULL, .stream = INT32_MIN   \
	}

struct td_sample {
	int64_t ts_ns;
	int64_t dur_ns;
	double value; /* NaN: not sampled */
	uint32_t track_id;
};
#define TD_SAMPLE_INIT                                                                             \
	{                                                                                          \
		.dur_ns = TD_NULL, .value = NAN                                                    \
	}

/* The kind of a span in which a process's work on GPUs is not in the tables, although that of
 * others of its source is. */
#define TD_SPAN_UNRECORDED "unrecorded"

struct td_span {
	int64_t start_ns;
	int64_t dur_ns;
	int64_t number;
	uint32_t kind_id; /* string: 'phase', 'nvtx', 'annotation', TD_SPAN_UNRECORDED */
	uint32_t name_id; /* string */
	uint32_t state_id; /* string: 'complete', 'unfinished', 'no-start' */
	uint32_t process_id;
	uint32_t thread_id;
	uint32_t args_id; /* string */
	int32_t rank;
	int32_t run_number;
	uint16_t source_id;
};
#define TD_SPAN_INIT                                                                               \
	{                                                                                          \
		.dur_ns = TD_NULL, .number = TD_NULL, .rank = INT32_MIN, .run_number = INT32_MIN   \
	}

struct td_mark {
	int64_t ts_ns;
	double value;
	uint32_t name_id; /* string */
	uint32_t process_id;
	uint32_t thread_id;
	uint32_t args_id; /* string */
	int32_t rank;
	uint16_t source_id;
};
#define TD_MARK_INIT                                                                               \
	{                                                                                          \
		.value = NAN, .rank = INT32_MIN                                                    \
	}

/* Kinds of stacks. */
#define TD_STACK_CALL "call"
#define TD_STACK_CPU "cpu"

struct td_stack_sample {
	int64_t start_ns;
	int64_t dur_ns;
	uint32_t kind_id; /* string: TD_STACK_CALL, TD_STACK_CPU */
	uint32_t process_id;
	uint32_t thread_id;
	uint32_t stack_id;
	int32_t cpu;
	uint16_t op_id;
	uint16_t source_id;
};
#define TD_STACK_SAMPLE_INIT                                                                       \
	{                                                                                          \
		.dur_ns = TD_NULL, .cpu = INT32_MIN                                                \
	}

/* The columns of each kind, by enum td_kind. */
extern const struct td_table td_tables[TD_NKINDS];
