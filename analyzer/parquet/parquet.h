/* SPDX-License-Identifier: MIT */
/*
 * Parquet files (https://parquet.apache.org/docs/file-format/): flat tables of 64-bit integers,
 * doubles and UTF-8 text. Rows come column by column into a group, which becomes pages as it fills,
 * so that memory is bounded whatever the table is; a group that is complete is appended to the
 * file. Several threads can fill groups of one file at a time.
 *
 *     td_parquet_file_new(f, columns, n, &file);
 *     td_parquet_group_new(columns, n, &g);
 *     td_parquet_put_numbers(g, 0, ids, NULL, rows); ...     each column as many rows
 *     td_parquet_group_end(g);
 *     td_parquet_file_append(file, g);                       g is empty again
 *     td_parquet_file_key(file, "clock", "utc");
 *     td_parquet_file_end(file);
 *
 * Integers are dictionary-encoded where they repeat, else DELTA_BINARY_PACKED; text and doubles
 * have a dictionary or are PLAIN. Pages are data pages v1 of up to TD_PARQUET_PAGE_ROWS rows,
 * compressed by zstd. Column chunks have min, max and the number of nulls.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/cleanup.h"
#include "common/scan.h"

#define TD_PARQUET_GROUP_ROWS ((size_t)1 << 20) /* what a group should have at most */
#define TD_PARQUET_PAGE_ROWS ((size_t)1 << 16)

enum td_parquet_type { TD_PARQUET_INT64, TD_PARQUET_DOUBLE, TD_PARQUET_TEXT };

/* Distinct values, of which rows give the number: those of 1..n. */
struct td_parquet_values {
	size_t n;
	const int64_t *numbers; /* [n], by number - 1; doubles as their bits */
	const struct td_str *texts; /* [n], where the column is text */
};

struct td_parquet_column {
	const char *name;
	enum td_parquet_type type;
	bool nullable;
	bool binary; /* of text: bytes that are none */
	const struct td_parquet_values
		*values; /* borrowed: what td_parquet_put_codes() means; or NULL */
};

struct td_parquet_group;

/* columns are borrowed as long as the group. 0 or -ENOMEM. */
int td_parquet_group_new(const struct td_parquet_column *columns, size_t n,
			 struct td_parquet_group **ret);
void td_parquet_group_free(struct td_parquet_group *g);
TD_DEFINE_CLEANUP(struct td_parquet_group *, td_parquet_group_free)

/* The next n values of a column, which is no text; doubles as their bits. is_null: per value, or
 * NULL: none is. 0 or -errno. */
int td_parquet_put_numbers(struct td_parquet_group *g, size_t column, const int64_t *v,
			   const uint8_t *is_null, size_t n);

/* Of a column of text: one value, which is copied; NULL: null. It should be valid UTF-8, unless the
 * column is binary: readers refuse what is not. */
int td_parquet_put_text(struct td_parquet_group *g, size_t column, const struct td_str *v);

/* Of a column with values: their numbers, 0: null. */
int td_parquet_put_codes(struct td_parquet_group *g, size_t column, const uint32_t *codes,
			 size_t n);

/* Should it be ended, as it has enough rows or bytes? */
bool td_parquet_group_is_full(const struct td_parquet_group *g);

/* Completes it: all columns have as many values (else -EINVAL). 0, -ENOMEM. */
int td_parquet_group_end(struct td_parquet_group *g);

struct td_parquet_file;

/* f (borrowed) is only appended to, so it can be a pipe. columns are borrowed as long as the file.
 * sorted_by: rows come in the ascending order of this column, which has no nulls; -1: of none. 0 or
 * -errno. */
int td_parquet_file_new(FILE *f, const struct td_parquet_column *columns, size_t n, int sorted_by,
			struct td_parquet_file **ret);
void td_parquet_file_free(struct td_parquet_file *file);
TD_DEFINE_CLEANUP(struct td_parquet_file *, td_parquet_file_free)

/* Appends a group that was ended, and empties it; one without rows is left out. 0 or -errno of the write. */
int td_parquet_file_append(struct td_parquet_file *file, struct td_parquet_group *g);

/* What readers find in the footer; both are copied. */
void td_parquet_file_key(struct td_parquet_file *file, const char *key, const char *value);

/* Writes the footer. 0 or -errno of this or any write before it. */
int td_parquet_file_end(struct td_parquet_file *file);
