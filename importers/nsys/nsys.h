/* SPDX-License-Identifier: MIT */
/* What the parts of the nsys importer share. The format is described in nsys.c. */
#pragma once

#include <sqlite3.h>

#include "common/intern.h"
#include "common/strbuf.h"
#include "importers/core/frames.h"
#include "importers/core/import.h"

/* Keys of any kind to numbers. */
struct td_nsys_map {
	struct td_intern keys;
	uint32_t *values; /* of key id - 1 */
	size_t cap;
};

struct td_nsys_gpu {
	int64_t id; /* TARGET_INFO_GPU.id */
	int64_t cuda_id; /* TD_NULL: the table does not tell */
	char bus[32]; /* PCI address, which the numbers of nvidia-smi follow */
};

/* A process's own numbering of the GPUs. */
struct td_nsys_cuda_device {
	int64_t pid, cuda_id, gpu_id;
};

#define TD_NSYS_GPUS_MAX 64
#define TD_NSYS_CUDA_DEVICES_MAX 4096

/* The stacks of a table. */
struct td_nsys_chains {
	uint32_t *stacks; /* by the id that the table has for it; 0: none */
	size_t n, cap;
	int64_t reading; /* id of the frames */
	struct td_frames frames;
};

/* One export being read. */
struct td_nsys {
	struct td_import *imp;
	struct td_err *err; /* borrowed */
	sqlite3 *db;
	bool cut; /* the file is shorter than it says */
	uint64_t rows_left,
		steps_left; /* that a file of its size can have, and of SQLite that it can take */
	sqlite3_stmt *string_by_id; /* NULL: there is no table StringIds */
	sqlite3_stmt *enum_label; /* prepared for the enum table used last */
	struct td_intern tables; /* names */
	const char *reading; /* table that the row at hand is of */
	struct td_strbuf row_text; /* what is kept of an issue with it */
	int64_t version; /* of the schema: major * 1000000 + minor * 1000 + micro; 0: not said */
	int64_t base_ns; /* time 0 of the export in UTC; 0 if it is not known, or added already */

	struct td_nsys_map strings; /* StringIds.id to string */
	struct td_nsys_map libc_ops, cuda_ops; /* StringIds.id to operation */
	struct td_nsys_map copy_names; /* copyKind to string */
	struct td_nsys_map reasons; /* threadBlock to string */
	struct td_nsys_map domains, categories; /* of NVTX to string */
	struct td_nsys_map nvtx_args; /* style, domain, category, process to string */

	struct td_nsys_gpu gpus[TD_NSYS_GPUS_MAX]; /* by PCI address */
	size_t ngpus;
	struct td_nsys_cuda_device *cuda_devices;
	size_t ncuda_devices;
	bool ordinal_noted; /* the user knows that GPU numbers are CUDA's */

	struct td_nsys_chains chains; /* of the table that was read last */
	bool osrt_returns; /* OSRT_API.returnValue was recorded */
	struct td_intern sched_tids; /* globalTid; runs parallel to slices */
	struct td_sched *slices; /* the slice of the thread that has not ended yet */
	size_t slices_cap;
};

void td_nsys_done(struct td_nsys *n);

/* --- nsys/db.c: tables and values --- */

/* Opens the export for reading, damaged or not. -errno: it cannot be read at all. */
int td_nsys_open(struct td_nsys *n, const char *path);
/* Only connects to it: n->imp may be NULL. */
int td_nsys_connect(struct td_nsys *n, const char *path);

/* The table's name in this export: nsys has renamed tables to NAME_V2 and so on. NULL: it is not there. */
const char *td_nsys_table_name(struct td_nsys *n, const char *name);
bool td_nsys_has_column(struct td_nsys *n, const char *table, const char *column);

/* Prepares one statement; NULL if the export lacks what it needs. */
sqlite3_stmt *td_nsys_prepare(struct td_nsys *n, const char *sql);
/* The first value of the first row as an integer; fallback if there is none. */
int64_t td_nsys_query_i64(struct td_nsys *n, const char *sql, int64_t fallback);
/* The same as text in buf; "" if there is none. */
const char *td_nsys_query_text(struct td_nsys *n, const char *sql, char *buf, size_t size);

/* A table of the export and what its rows become. */
struct td_nsys_table {
	const char *name;
	const char *what; /* what the user lacks without it; NULL: not worth a word */
	/* NULL-ended; the row function finds them as columns 1, 2, ... One that begins with '?' may be
	 * missing and is NULL then. */
	const char *const *columns;
	const char *extra, *join; /* more columns, from another table; NULL: none */
	const char *order, *then; /* columns that sort the rows; NULL: none */
	int (*row)(struct td_nsys *n, sqlite3_stmt *s); /* an enum td_verdict or -errno */
};

/* Hands all rows of the table to its function. Says so if the table or a column it needs is missing.
 * 0 or -errno; a damaged table ends before its time. *ret_rows (may be NULL): how many there were. */
int td_nsys_read(struct td_nsys *n, const struct td_nsys_table *t, uint64_t *ret_rows);

/* td_reject() with the values of the row as its text. */
int td_nsys_reject(struct td_nsys *n, sqlite3_stmt *s, const char *kind);

/* TD_NULL for what is not an integer. */
int64_t td_nsys_i64(sqlite3_stmt *s, int column);
/* .p NULL for what is neither text nor number; valid until the next step. */
struct td_str td_nsys_str(sqlite3_stmt *s, int column);

/* A time from a column: NULL, or the kind of issue. */
const char *td_nsys_time(const struct td_nsys *n, sqlite3_stmt *s, int column, int64_t *ret_ns);
/* Begin and duration from two columns: NULL, or the kind of issue. No end: *ret_dur_ns is TD_NULL. */
const char *td_nsys_times(struct td_nsys *n, sqlite3_stmt *s, int start_column, int end_column,
			  int64_t *ret_start_ns, int64_t *ret_dur_ns);

/* Text of StringIds; .p NULL: there is no such id. Valid until the next call. */
struct td_str td_nsys_text(struct td_nsys *n, int64_t id);
/* The same as a string of the store; 0: there is none. */
uint32_t td_nsys_string(struct td_nsys *n, int64_t id);
/* Label of a value of an ENUM_ table; .p NULL: not there. Valid until the next call. */
struct td_str td_nsys_label(struct td_nsys *n, const char *table, int64_t id);

/* The number of a key, 0 if it has none yet. */
uint32_t td_nsys_map_get(const struct td_nsys_map *m, const void *key, size_t len);
/* 0 or -ENOMEM. */
int td_nsys_map_put(struct td_nsys_map *m, const void *key, size_t len, uint32_t value);

/* globalTid is <hardware:8><vm:8><pid:24><tid:24>, globalPid the same without tid. */
static inline int64_t td_nsys_pid(int64_t global_id)
{
	return global_id >> 24 & 0xffffff;
}
static inline int64_t td_nsys_tid(int64_t global_tid)
{
	return global_tid & 0xffffff;
}
/* Process and thread of a globalTid; 0 for TD_NULL. */
void td_nsys_who(struct td_nsys *n, int64_t global_tid, uint32_t *ret_process,
		 uint32_t *ret_thread);

/* --- the parts; each 0 or -errno --- */

bool td_nsys_read_host(struct td_nsys *n, char *ret, size_t size); /* false: it does not say */
int td_nsys_read_meta(struct td_nsys *n); /* version, clock, host, GPUs: before the others */
int td_nsys_read_tasks(struct td_nsys *n);
int td_nsys_read_calls(struct td_nsys *n);
int td_nsys_read_gpu(struct td_nsys *n);
int td_nsys_read_nvtx(struct td_nsys *n);
int td_nsys_read_sched(struct td_nsys *n);
int td_nsys_read_diagnostics(struct td_nsys *n);

/* Reads the stacks of a table, which take the place of those read before. A table that is not there
 * has none. 0 or -errno. */
int td_nsys_read_chains(struct td_nsys *n, const char *table);
/* The stack with that id in the table; 0: there is none. */
uint32_t td_nsys_stack(const struct td_nsys *n, int64_t chain);

/* The device of a CUDA ordinal of that process; 0: unknown. */
uint32_t td_nsys_device(struct td_nsys *n, int64_t pid, int64_t cuda_id);
