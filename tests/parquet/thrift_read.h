/* SPDX-License-Identifier: MIT */
/*
 * Thrift's compact protocol, read in place
 * (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md). What is cut ends the program.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/scan.h"

struct td_at {
	const uint8_t *p, *end;
};

enum {
	TD_READ_TRUE = 1,
	TD_READ_FALSE,
	TD_READ_I32 = 5,
	TD_READ_I64,
	TD_READ_BINARY = 8,
	TD_READ_LIST,
	TD_READ_STRUCT = 12
};

/* The next n bytes. */
const uint8_t *td_at_take(struct td_at *a, size_t n);
uint64_t td_at_varint(struct td_at *a);
int64_t td_at_zigzag(struct td_at *a);

/* Goes beyond a value of the type. */
void td_at_skip(struct td_at *a, unsigned type);

/* Of the struct that begins at s, where the value of a field begins. false: there is none of this type. */
bool td_at_find(struct td_at s, int64_t field, unsigned type, struct td_at *ret);

/* Fields that have to be there. */
int64_t td_at_number(struct td_at s, int64_t field); /* i32 or i64 */
struct td_str td_at_binary(struct td_at s, int64_t field);
struct td_at td_at_struct(struct td_at s, int64_t field);

/* The first element of a list; *ret_n: how many there are. */
struct td_at td_at_list(struct td_at s, int64_t field, unsigned type, size_t *ret_n);
