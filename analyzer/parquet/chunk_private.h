/* SPDX-License-Identifier: MIT */
/* A column of a group in the making: values become pages, which are kept packed until the group is written. */
#pragma once

#include <zstd.h>

#include "analyzer/parquet/parquet.h"
#include "common/intern.h"
#include "common/strbuf.h"

enum td_encoding { TD_ENC_PLAIN = 0, TD_ENC_RLE = 3, TD_ENC_DELTA = 5, TD_ENC_DICTIONARY = 8 };

/* What a group's columns use in turn. */
struct td_scratch {
	ZSTD_CCtx *zstd; /* owned */
	struct td_strbuf body, packed, header;
	uint32_t *levels; /* [TD_PARQUET_PAGE_ROWS], owned */
};

/* Distinct values in the order of first sight, as far as the column repeats itself. */
struct td_dictionary {
	bool is_on; /* the next page uses it */
	size_t n, nused; /* values; those that pages refer to */
	size_t seen; /* values that were looked up */
	size_t bytes; /* of texts */
	int64_t *numbers; /* of a column of numbers: [n]; owned, as are the next ones */
	uint32_t *slots; /* ... open addressing: number + 1 */
	struct td_intern texts; /* of a column of text */
	uint32_t *local; /* of one with values: by code, number + 1 */
	uint32_t *codes; /* ... [n] */
	size_t codes_cap;
};

struct td_chunk_stats {
	bool any, has_nan, too_long;
	int64_t min, max; /* of numbers, doubles as bits */
	struct td_strbuf min_text, max_text;
	uint64_t nulls;
};

struct td_chunk {
	const struct td_parquet_column *column; /* borrowed */
	struct td_dictionary dict;
	uint8_t *is_null; /* of the page's rows; owned */
	size_t nrows, nvalues; /* of the page; values are rows that are not null */
	int64_t *numbers; /* of the page: [nvalues]; owned */
	uint32_t *indexes; /* into the dictionary: [nvalues]; owned */
	struct td_strbuf plain; /* texts as PLAIN has them */
	struct td_strbuf pages; /* packed, with their headers */
	uint64_t rows; /* of the chunk */
	uint64_t unpacked; /* bytes of the pages, headers included */
	uint64_t dict_bytes; /* of the dictionary's page, which is the first; 0: there is none */
	unsigned encodings; /* 1 << enum td_encoding */
	struct td_chunk_stats stats;
};

int td_chunk_init(struct td_chunk *c, const struct td_parquet_column *column);
void td_chunk_done(struct td_chunk *c);

int td_chunk_numbers(struct td_chunk *c, struct td_scratch *s, const int64_t *v,
		     const uint8_t *is_null, size_t n);
int td_chunk_text(struct td_chunk *c, struct td_scratch *s, const struct td_str *v);
int td_chunk_codes(struct td_chunk *c, struct td_scratch *s, const uint32_t *codes, size_t n);

/* Ends the last page, and puts the dictionary's page in front. */
int td_chunk_end(struct td_chunk *c, struct td_scratch *s);
/* Empty again, memory kept. */
void td_chunk_reset(struct td_chunk *c);

/* --- dictionary.c --- */

int td_dictionary_init(struct td_dictionary *d, const struct td_parquet_column *column);
void td_dictionary_done(struct td_dictionary *d);
void td_dictionary_reset(struct td_dictionary *d, const struct td_parquet_column *column);

/* The number of the value, from 0; -ENOSPC if it is a new one and the dictionary has grown out of use; -ENOMEM. */
int64_t td_dictionary_number(struct td_dictionary *d, int64_t v);
int64_t td_dictionary_text(struct td_dictionary *d, struct td_str v);
int64_t td_dictionary_code(struct td_dictionary *d, const struct td_parquet_column *column,
			   uint32_t code);

/* Value i as PLAIN has it. */
void td_dictionary_plain(const struct td_dictionary *d, const struct td_parquet_column *column,
			 size_t i, struct td_strbuf *b);

/* --- stats.c --- */

void td_stats_number(struct td_chunk_stats *s, enum td_parquet_type type, int64_t v);
void td_stats_text(struct td_chunk_stats *s, struct td_str v);
/* Minimum and maximum as PLAIN has single values; false: they say nothing. */
bool td_stats_bounds(const struct td_chunk *c, char ret_number[2][8], struct td_str ret[2]);
