/* SPDX-License-Identifier: MIT */
#include "analyzer/parquet/thrift.h"
#include "common/cleanup.h"

#define SHORT_MAX 15 /* what fits into half a byte */

void td_thrift_varint(struct td_strbuf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		td_strbuf_addc(b, (char)(v | 0x80));
	td_strbuf_addc(b, (char)v);
}

static void begin_field(struct td_thrift *t, int field, enum td_thrift_type type)
{
	int step = field - t->last;

	if (step > 0 && step <= SHORT_MAX) {
		td_strbuf_addc(t->b, (char)(step << 4 | (int)type));
	} else {
		td_strbuf_addc(t->b, (char)type);
		td_thrift_varint(t->b, td_zigzag(field));
	}
	t->last = field;
}

static void add_binary(struct td_strbuf *b, struct td_str v)
{
	td_thrift_varint(b, v.len);
	td_strbuf_add(b, v.p, v.len);
}

void td_thrift_i32(struct td_thrift *t, int field, int32_t v)
{
	begin_field(t, field, TD_THRIFT_I32);
	td_thrift_varint(t->b, td_zigzag(v));
}

void td_thrift_i64(struct td_thrift *t, int field, int64_t v)
{
	begin_field(t, field, TD_THRIFT_I64);
	td_thrift_varint(t->b, td_zigzag(v));
}

void td_thrift_bool(struct td_thrift *t, int field, bool v)
{
	begin_field(t, field, v ? TD_THRIFT_TRUE : TD_THRIFT_FALSE);
}

void td_thrift_binary(struct td_thrift *t, int field, struct td_str v)
{
	begin_field(t, field, TD_THRIFT_BINARY);
	add_binary(t->b, v);
}

struct td_thrift td_thrift_struct(struct td_thrift *t, int field)
{
	begin_field(t, field, TD_THRIFT_STRUCT);
	return td_thrift_begin(t->b);
}

void td_thrift_end(struct td_thrift *t)
{
	td_strbuf_addc(t->b, 0);
}

void td_thrift_list(struct td_thrift *t, int field, enum td_thrift_type of, size_t n)
{
	begin_field(t, field, TD_THRIFT_LIST);
	td_strbuf_addc(t->b, (char)(TD_MIN(n, (size_t)SHORT_MAX) << 4 | (size_t)of));
	if (n >= SHORT_MAX)
		td_thrift_varint(t->b, n);
}

void td_thrift_element_i32(struct td_thrift *t, int32_t v)
{
	td_thrift_varint(t->b, td_zigzag(v));
}

void td_thrift_element_binary(struct td_thrift *t, struct td_str v)
{
	add_binary(t->b, v);
}
