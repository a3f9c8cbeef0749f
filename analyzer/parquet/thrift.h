/* SPDX-License-Identifier: MIT */
/*
 * Structs in the compact protocol of Thrift, as Parquet's footer and page headers are
 * (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md). Fields of a
 * struct come in the order of their numbers:
 *     struct td_thrift t = td_thrift_begin(b);      outer; b: what the bytes are added to
 *     td_thrift_i32(&t, 1, 2);
 *     struct td_thrift in = td_thrift_struct(&t, 5);
 *     td_thrift_end(&in);
 *     td_thrift_end(&t);
 * A buffer that cannot grow remembers it: td_strbuf_error().
 */
#pragma once

#include <stdint.h>

#include "common/scan.h"
#include "common/strbuf.h"

enum td_thrift_type {
	TD_THRIFT_TRUE = 1,
	TD_THRIFT_FALSE = 2,
	TD_THRIFT_I32 = 5,
	TD_THRIFT_I64 = 6,
	TD_THRIFT_BINARY = 8,
	TD_THRIFT_LIST = 9,
	TD_THRIFT_STRUCT = 12,
};

struct td_thrift {
	struct td_strbuf *b; /* borrowed */
	int last; /* number of the field before */
};

/* A struct on its own, or one that is an element of a list. */
static inline struct td_thrift td_thrift_begin(struct td_strbuf *b)
{
	return (struct td_thrift){ .b = b };
}

void td_thrift_i32(struct td_thrift *t, int field, int32_t v);
void td_thrift_i64(struct td_thrift *t, int field, int64_t v);
void td_thrift_bool(struct td_thrift *t, int field, bool v);
void td_thrift_binary(struct td_thrift *t, int field, struct td_str v);

/* A field that is a struct; its fields are added to what is returned, which td_thrift_end() ends. */
struct td_thrift td_thrift_struct(struct td_thrift *t, int field);
void td_thrift_end(struct td_thrift *t);

/* A field that is a list of n elements, which are added next: structs by td_thrift_begin(). */
void td_thrift_list(struct td_thrift *t, int field, enum td_thrift_type of, size_t n);
void td_thrift_element_i32(struct td_thrift *t, int32_t v);
void td_thrift_element_binary(struct td_thrift *t, struct td_str v);

/* Bits of a number, seven to a byte, the lowest first; also Parquet's ULEB128. */
void td_thrift_varint(struct td_strbuf *b, uint64_t v);

/* Signed numbers near 0 as small unsigned ones: 0, -1, 1, -2, ... */
static inline uint64_t td_zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}
