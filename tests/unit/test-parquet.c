/* SPDX-License-Identifier: MIT */
/* Pieces of Parquet, against bytes worked out by hand from the specifications; whole files are read
 * by DuckDB (tests/parquet/). */
#include "analyzer/parquet/encode.h"
#include "analyzer/parquet/parquet.h"
#include "analyzer/parquet/thrift.h"
#include "tests/unit/check.h"

static void check_bytes(struct td_strbuf *b, const char *want, size_t len)
{
	TD_CHECK_INT(b->len, len);
	TD_CHECK(b->len == len && memcmp(b->p, want, len) == 0);
	td_strbuf_reset(b);
}

#define CHECK_BYTES(b, want) check_bytes(b, want, sizeof(want) - 1)

static void test_thrift(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct td_thrift t = td_thrift_begin(&b), in;

	TD_CASE("thrift");
	td_thrift_varint(&b, 300); /* 300 = 2 * 128 + 44 */
	CHECK_BYTES(&b, "\xac\x02");
	td_thrift_i32(&t, 1, -1); /* step 1, type 5; zigzag 1 */
	td_thrift_i64(&t, 3, 64); /* step 2, type 6; zigzag 128 */
	td_thrift_bool(&t, 20, true); /* step 17 does not fit: type, then zigzag of 20 */
	in = td_thrift_struct(&t, 21);
	td_thrift_binary(&in, 2, (struct td_str){ "ab", 2 });
	td_thrift_end(&in);
	td_thrift_list(&t, 22, TD_THRIFT_I32, 2);
	td_thrift_element_i32(&t, 1);
	td_thrift_element_i32(&t, 2);
	td_thrift_end(&t);
	CHECK_BYTES(&b, "\x15\x01\x26\x80\x01\x01\x28\x1c\x28\x02"
			"ab\x00\x19\x25\x02\x04\x00");
	td_thrift_list(&t, 23, TD_THRIFT_STRUCT, 15);
	CHECK_BYTES(&b, "\x19\xfc\x0f");
}

static void test_hybrid(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	uint32_t v[24] = { 0 };

	TD_CASE("runs and bits");
	/* The example of the specification: 0 to 7 with three bits each. */
	for (uint32_t i = 0; i < 8; i++)
		v[i] = i;
	td_encode_hybrid(&b, v, 8, 3);
	CHECK_BYTES(&b, "\x03\x88\xc6\xfa");
	td_encode_hybrid(&b, v + 8, 16, 9); /* a run of 16, of two bytes each */
	CHECK_BYTES(&b, "\x20\x00\x00");
	td_encode_hybrid(&b, v, 24, 3); /* both */
	CHECK_BYTES(&b, "\x03\x88\xc6\xfa\x20\x00");
	td_encode_hybrid(&b, v + 5, 3,
			 3); /* 5 6 7 and five zeros that are none: 101 110 111 from the right */
	CHECK_BYTES(&b, "\x03\xf5\x01\x00");
}

static void test_delta(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	TD_CASE("differences");
	/* The examples of the specification: the first value, the least difference, widths, bits. */
	td_encode_delta(&b, (const int64_t[]){ 1, 2, 3, 4, 5 }, 5);
	CHECK_BYTES(&b, "\x80\x01\x04\x05\x02\x02\x00\x00\x00\x00");
	/* 7 5 3 1 2 3 4 5: differences -2 -2 -2 1 1 1 1, less -2: 0 0 0 3 3 3 3, two bits each */
	td_encode_delta(&b, (const int64_t[]){ 7, 5, 3, 1, 2, 3, 4, 5 }, 8);
	CHECK_BYTES(&b, "\x80\x01\x04\x08\x0e\x03\x02\x00\x00\x00\xc0\x3f\x00\x00\x00\x00\x00\x00");
	td_encode_delta(&b, (const int64_t[]){ -3 }, 1);
	CHECK_BYTES(&b, "\x80\x01\x04\x01\x05");
}

static void test_uneven(void)
{
	const struct td_parquet_column columns[] = { { .name = "a" }, { .name = "b" } };
	_cleanup_(td_parquet_group_freep) struct td_parquet_group *g = NULL;

	TD_CASE("columns with other numbers of rows");
	TD_CHECK_INT(td_parquet_group_new(columns, 2, &g), 0);
	TD_CHECK_INT(td_parquet_put_numbers(g, 0, (const int64_t[]){ 1 }, NULL, 1), 0);
	TD_CHECK_INT(td_parquet_group_end(g), -EINVAL);
}

int main(void)
{
	test_thrift();
	test_hybrid();
	test_delta();
	test_uneven();
	return td_check_result();
}
