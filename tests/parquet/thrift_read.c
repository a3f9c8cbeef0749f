/* SPDX-License-Identifier: MIT */
#include <assert.h>

#include "tests/parquet/thrift_read.h"

const uint8_t *td_at_take(struct td_at *a, size_t n)
{
	const uint8_t *p = a->p;

	assert(n <= (size_t)(a->end - a->p));
	a->p += n;
	return p;
}

uint64_t td_at_varint(struct td_at *a)
{
	uint64_t v = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = *td_at_take(a, 1);

		assert(shift < 64);
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
}

int64_t td_at_zigzag(struct td_at *a)
{
	uint64_t v = td_at_varint(a);

	return (int64_t)(v >> 1 ^ -(v & 1));
}

/* The number of elements and their type, which stand in front of them. */
static size_t list_head(struct td_at *a, unsigned *ret_type)
{
	uint8_t head = *td_at_take(a, 1);

	*ret_type = head & 15;
	return head >> 4 == 15 ? td_at_varint(a) : head >> 4;
}

/* The next field of a struct, the last one's number in *field. false: that was the last. */
static bool next_field(struct td_at *a, int64_t *field, unsigned *ret_type)
{
	uint8_t head = *td_at_take(a, 1);

	*ret_type = head & 15;
	if (!head)
		return false;
	*field = head >> 4 ? *field + (head >> 4) : td_at_zigzag(a);
	return true;
}

static void skip_struct(struct td_at *a)
{
	int64_t field = 0;
	unsigned type;

	while (next_field(a, &field, &type))
		td_at_skip(a, type);
}

static void skip_list(struct td_at *a)
{
	unsigned type;

	for (size_t n = list_head(a, &type); n > 0; n--)
		td_at_skip(a, type);
}

void td_at_skip(struct td_at *a, unsigned type)
{
	switch (type) {
	case TD_READ_TRUE:
	case TD_READ_FALSE: /* of a field: the type is the value */
		break;
	case TD_READ_I32:
	case TD_READ_I64:
		(void)td_at_varint(a);
		break;
	case TD_READ_BINARY:
		(void)td_at_take(a, td_at_varint(a));
		break;
	case TD_READ_LIST:
		skip_list(a);
		break;
	default:
		assert(type == TD_READ_STRUCT);
		skip_struct(a);
	}
}

bool td_at_find(struct td_at s, int64_t field, unsigned type, struct td_at *ret)
{
	int64_t at = 0;
	unsigned has;

	while (next_field(&s, &at, &has)) {
		if (at == field && has == type) {
			*ret = s;
			return true;
		}
		td_at_skip(&s, has);
	}
	return false;
}

int64_t td_at_number(struct td_at s, int64_t field)
{
	struct td_at v = { NULL, NULL };
	bool found = td_at_find(s, field, TD_READ_I32, &v) || td_at_find(s, field, TD_READ_I64, &v);

	assert(found);
	return td_at_zigzag(&v);
}

struct td_str td_at_binary(struct td_at s, int64_t field)
{
	struct td_at v = { NULL, NULL };
	bool found = td_at_find(s, field, TD_READ_BINARY, &v);
	size_t len;

	assert(found);
	len = td_at_varint(&v);
	return (struct td_str){ (const char *)td_at_take(&v, len), len };
}

struct td_at td_at_struct(struct td_at s, int64_t field)
{
	struct td_at v = { NULL, NULL };
	bool found = td_at_find(s, field, TD_READ_STRUCT, &v);

	assert(found);
	return v;
}

struct td_at td_at_list(struct td_at s, int64_t field, unsigned type, size_t *ret_n)
{
	struct td_at v = { NULL, NULL };
	bool found = td_at_find(s, field, TD_READ_LIST, &v);
	unsigned has;

	assert(found);
	*ret_n = list_head(&v, &has);
	assert(*ret_n == 0 || has == type);
	return v;
}
