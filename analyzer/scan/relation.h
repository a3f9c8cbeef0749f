/* SPDX-License-Identifier: MIT */
/*
 * The relations of statistics: which table each one looks at, what its rows can be grouped by and
 * what can be said of a group. Views of the same names and columns are in schema/views.sql.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a column of a row is to the scan, whatever the table calls it. */
enum td_row_column {
	TD_ROW_START,
	TD_ROW_DUR,
	TD_ROW_KIND, /* operation, direction, state */
	TD_ROW_PROCESS,
	TD_ROW_THREAD,
	TD_ROW_OBJECT, /* file, reason, name */
	TD_ROW_RET,
	TD_ROW_BYTES,
	TD_ROW_OFFSET, /* in bytes; of a disk in sectors */
	TD_ROW_NESTED,
	TD_ROW_UNFINISHED,
	TD_ROW_DEVICE,
	TD_ROW_QUEUE,
	TD_ROW_CORRELATION,
	TD_ROW_ID, /* the rowid, where it is wanted */
	TD_ROW_COLD, /* bytes that were not in the page cache */
	TD_ROW_VALUE, /* a real, as its bits; TD_NULL (-0.0, which is kept as 0.0): unknown */
	TD_ROW_SOURCE, /* where it was read; of work on GPUs */
	TD_ROW_ARGS, /* of calls and spans */
	TD_ROW_ASKED, /* bytes */
	TD_ROW_SEEK, /* of a disk: sectors from where the request before ended; in no table */
	TD_ROW_NCOLUMNS,
};

/* What rows can be grouped by. */
enum td_dim {
	TD_DIM_FILE,
	TD_DIM_TEMPLATE,
	TD_DIM_DIRECTORY,
	TD_DIM_CLASS,
	TD_DIM_STORAGE, /* what kind of device a file lies on */
	TD_DIM_DEVICE,
	TD_DIM_DIRECTION,
	TD_DIM_PROCESS,
	TD_DIM_ROLE,
	TD_DIM_THREAD,
	TD_DIM_OWNER, /* the process of the thread */
	TD_DIM_OWNER_ROLE,
	TD_DIM_OP,
	TD_DIM_VERB,
	TD_DIM_KIND,
	TD_DIM_NAME,
	TD_DIM_PHASE,
	TD_DIM_BIN,
	TD_DIM_NESTED,
	TD_DIM_LATENCY,
	TD_DIM_OCTAVE, /* of the duration: the power of two at or below it */
	TD_DIM_SIZE,
	TD_DIM_SEEK,
	TD_DIM_WAITS, /* for somebody: a call on what is no file, or of verb 'socket' */
	TD_DIM_BYTES, /* the size itself */
	TD_NDIMS,
};

/* What can be said of a group, as docs/SCHEMA.md has it. */
enum td_measure {
	TD_MEASURE_COUNT,
	TD_MEASURE_ERRORS,
	TD_MEASURE_TIMED,
	TD_MEASURE_BYTES,
	TD_MEASURE_TOTAL_NS,
	TD_MEASURE_MIN_NS,
	TD_MEASURE_MAX_NS,
	TD_MEASURE_P50_NS,
	TD_MEASURE_P95_NS,
	TD_MEASURE_P99_NS,
	TD_MEASURE_STDDEV_NS,
	TD_MEASURE_MIN_BYTES,
	TD_MEASURE_P50_BYTES_LOW,
	TD_MEASURE_MAX_BYTES,
	TD_MEASURE_SEQUENTIAL,
	TD_MEASURE_RANDOM,
	TD_MEASURE_FIRST_NS,
	TD_MEASURE_LAST_NS,
	TD_MEASURE_NESTED_CALLS,
	TD_MEASURE_UNFINISHED,
	TD_MEASURE_QUEUED,
	TD_MEASURE_QUEUE_NS,
	TD_MEASURE_FOLLOWING,
	TD_MEASURE_FORWARD,
	TD_MEASURE_BACKWARD,
	TD_MEASURE_DURING_COUNT,
	TD_MEASURE_DURING_NS,
	TD_MEASURE_FILES,
	TD_MEASURE_BUSIEST_FILE,
	TD_MEASURE_BUSIEST_NS,
	TD_NMEASURES,
};

/* Which rows count, and how they are looked at. */
enum td_param {
	TD_PARAM_SINCE,
	TD_PARAM_UNTIL,
	TD_PARAM_PHASE,
	TD_PARAM_PID,
	TD_PARAM_PROCESS,
	TD_PARAM_FILE,
	TD_PARAM_BIN_WIDTH,
	TD_PARAM_DURING,
	TD_PARAM_TOP,
	TD_NPARAMS,
};

struct td_row_place {
	uint8_t at; /* in a record, whose first column is the rowid; 0: the table has no such column */
	const char *name;
};

struct td_shown_dim {
	enum td_dim dim;
	const char *name; /* in by */
	const char *column;
};

struct td_shown_measure {
	enum td_measure measure;
	const char *column;
};

/* dims are in the order in which by names them; all arrays in that of the columns. */
struct td_relation {
	const char *name;
	const char *table; /* its rows' ids ascend with TD_ROW_START */
	const char *rows; /* what they are called */
	const char
		*held; /* view of what the file holds of it; NULL: that of its name has no more */
	struct td_row_place columns[TD_ROW_NCOLUMNS];
	const char *whose; /* ids of who: of pid ?1 and name or role ?2, where they are not NULL */
	const struct td_shown_dim *dims;
	size_t ndims;
	const struct td_shown_measure *measures;
	size_t nmeasures;
	unsigned params; /* 1 << enum td_param */
	enum td_row_column who; /* what tells whose a row is */
	bool io_only; /* only calls of op.kind 'io' */
};

extern const struct td_relation td_relations[];
extern const size_t td_nrelations;

/* Samples: no statistics of the same kind, but read in the same way. */
extern const struct td_relation td_sample_relation;

/* NULL: there is none. */
const struct td_relation *td_relation_find(const char *name);

/* What a grouping by it is called in the column by; NULL: the relation has none. */
const char *td_dim_name(const struct td_relation *of, enum td_dim dim);
