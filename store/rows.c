/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "store/pages/btree_cell.h"
#include "schema/rows.h"

/* Shorthands for the tables below, in the order of the columns in schema/tables.sql. */
#define COL(record, member, type)                                                                  \
	{                                                                                          \
#member, type, offsetof(struct record, member)                                     \
	}

static const struct td_column call_columns[] = {
	COL(td_call, start_ns, TD_I64),    COL(td_call, dur_ns, TD_I64),
	COL(td_call, op_id, TD_KEY16),     COL(td_call, process_id, TD_KEY32),
	COL(td_call, thread_id, TD_KEY32), COL(td_call, file_id, TD_KEY32),
	COL(td_call, ret, TD_I64),         COL(td_call, asked_bytes, TD_I64),
	COL(td_call, done_bytes, TD_I64),  COL(td_call, offset_bytes, TD_I64),
	COL(td_call, fd, TD_I32),          COL(td_call, nested, TD_U8),
	COL(td_call, unfinished, TD_U8),   COL(td_call, source_id, TD_KEY16),
	COL(td_call, args_id, TD_KEY32),   COL(td_call, cold_bytes, TD_I32),
	COL(td_call, correlation, TD_I32),
};

static const struct td_column block_columns[] = {
	COL(td_block, start_ns, TD_I64),
	COL(td_block, dur_ns, TD_I64),
	COL(td_block, queue_ns, TD_I64),
	COL(td_block, device_id, TD_KEY32),
	COL(td_block, op, TD_U8),
	COL(td_block, sector, TD_I64),
	COL(td_block, bytes, TD_I64),
	COL(td_block, process_id, TD_KEY32),
	COL(td_block, done_process_id, TD_KEY32),
	COL(td_block, source_id, TD_KEY16),
};

static const struct td_column sched_columns[] = {
	COL(td_sched, start_ns, TD_I64),          COL(td_sched, dur_ns, TD_I64),
	COL(td_sched, thread_id, TD_KEY32),       COL(td_sched, cpu, TD_I32),
	COL(td_sched, state_id, TD_KEY32),        COL(td_sched, reason_id, TD_KEY32),
	COL(td_sched, waker_thread_id, TD_KEY32), COL(td_sched, source_id, TD_KEY16),
};

static const struct td_column gpu_op_columns[] = {
	COL(td_gpu_op, start_ns, TD_I64),    COL(td_gpu_op, dur_ns, TD_I64),
	COL(td_gpu_op, device_id, TD_KEY32), COL(td_gpu_op, stream, TD_I32),
	COL(td_gpu_op, kind_id, TD_KEY32),   COL(td_gpu_op, name_id, TD_KEY32),
	COL(td_gpu_op, bytes, TD_I64),       COL(td_gpu_op, process_id, TD_KEY32),
	COL(td_gpu_op, correlation, TD_I64), COL(td_gpu_op, source_id, TD_KEY16),
};

static const struct td_column sample_columns[] = {
	COL(td_sample, ts_ns, TD_I64),
	COL(td_sample, dur_ns, TD_I64),
	COL(td_sample, track_id, TD_KEY32),
	COL(td_sample, value, TD_F64),
};

static const struct td_column span_columns[] = {
	COL(td_span, start_ns, TD_I64),     COL(td_span, dur_ns, TD_I64),
	COL(td_span, kind_id, TD_KEY32),    COL(td_span, name_id, TD_KEY32),
	COL(td_span, number, TD_I64),       COL(td_span, rank, TD_I32),
	COL(td_span, run_number, TD_I32),   COL(td_span, state_id, TD_KEY32),
	COL(td_span, process_id, TD_KEY32), COL(td_span, thread_id, TD_KEY32),
	COL(td_span, args_id, TD_KEY32),    COL(td_span, source_id, TD_KEY16),
};

static const struct td_column mark_columns[] = {
	COL(td_mark, ts_ns, TD_I64),       COL(td_mark, name_id, TD_KEY32),
	COL(td_mark, rank, TD_I32),        COL(td_mark, process_id, TD_KEY32),
	COL(td_mark, thread_id, TD_KEY32), COL(td_mark, value, TD_F64),
	COL(td_mark, args_id, TD_KEY32),   COL(td_mark, source_id, TD_KEY16),
};

static const struct td_column stack_sample_columns[] = {
	COL(td_stack_sample, start_ns, TD_I64),     COL(td_stack_sample, dur_ns, TD_I64),
	COL(td_stack_sample, kind_id, TD_KEY32),    COL(td_stack_sample, op_id, TD_KEY16),
	COL(td_stack_sample, process_id, TD_KEY32), COL(td_stack_sample, thread_id, TD_KEY32),
	COL(td_stack_sample, cpu, TD_I32),          COL(td_stack_sample, stack_id, TD_KEY32),
	COL(td_stack_sample, source_id, TD_KEY16),
};

#define PUSH(kind)                                                                                 \
	static uint8_t *push_##kind(uint8_t *end, int64_t rowid, const uint8_t *record)            \
	{                                                                                          \
		return td_cell_push(kind##_columns, TD_ARRAY_SIZE(kind##_columns), end, rowid,     \
				    record);                                                       \
	}

/* A record may end before columns that are NULL, and most calls are not of CUDA. */
static uint8_t *push_call(uint8_t *end, int64_t rowid, const uint8_t *record)
{
	const size_t n = TD_ARRAY_SIZE(call_columns);

	if (((const struct td_call *)(const void *)record)->correlation == INT32_MIN)
		return td_cell_push(call_columns, n - 1, end, rowid, record);
	return td_cell_push(call_columns, n, end, rowid, record);
}

PUSH(block)
PUSH(sched)
PUSH(gpu_op)
PUSH(sample)
PUSH(span)
PUSH(mark)
PUSH(stack_sample)

#define TABLE(sql_name, kind, time)                                                                \
	{                                                                                          \
		.name = sql_name, .record_size = sizeof(struct td_##kind),                         \
		.time_offset = offsetof(struct td_##kind, time), .columns = kind##_columns,        \
		.ncolumns = TD_ARRAY_SIZE(kind##_columns), .push_cell = push_##kind                \
	}

const struct td_table td_tables[TD_NKINDS] = {
	[TD_KIND_CALL] = TABLE("call", call, start_ns),
	[TD_KIND_BLOCK] = TABLE("block_request", block, start_ns),
	[TD_KIND_SCHED] = TABLE("sched_slice", sched, start_ns),
	[TD_KIND_GPU_OP] = TABLE("gpu_op", gpu_op, start_ns),
	[TD_KIND_SAMPLE] = TABLE("sample", sample, ts_ns),
	[TD_KIND_SPAN] = TABLE("span", span, start_ns),
	[TD_KIND_MARK] = TABLE("mark", mark, ts_ns),
	[TD_KIND_STACK] = TABLE("stack_sample", stack_sample, start_ns),
};
