/* SPDX-License-Identifier: MIT */
/*
 * A reader of flat Parquet files, for tests of the writer and without its code: from parquet.thrift
 * and the pages at https://parquet.apache.org/docs/file-format/. It is slow, knows what tables like
 * ours may use, and takes nothing on trust: what is not as the format has it ends the program, as
 * does a statistic that is not that of the values.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/scan.h"

/* Type of parquet.thrift */
enum td_read_type { TD_READ_INT64 = 2, TD_READ_DOUBLE = 5, TD_READ_BYTES = 6 };

struct td_read_column {
	struct td_str name; /* in the file */
	enum td_read_type type;
	bool nullable;
	size_t n, cap;
	uint8_t *is_null; /* [n] */
	int64_t *numbers; /* [n]; doubles as their bits; 0 where it is null or text */
	struct td_str *texts; /* [n], in the pages that the table keeps */
};

struct td_read_table {
	size_t n, rows, ngroups;
	struct td_read_column *columns;
	char **pages; /* unpacked */
	size_t npages;
};

/* The table in the file's bytes, which must stay as long as it does. */
void td_read_parquet(const char *file, size_t len, struct td_read_table *ret);
void td_read_table_done(struct td_read_table *t);
