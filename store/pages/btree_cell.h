/* SPDX-License-Identifier: MIT */
/*
 * Numbers, and a row of nothing else as a b-tree cell, which is the btree of what is written. Private to
 * the b-tree writer; store/pages/btree.c lays out the pages and has the format, store/pages/btree_record.c makes
 * records of texts, too.
 *
 * Cells are encoded from their last byte to their first, because that is how they are stacked in
 * the page. A big endian integer of n bytes is then one store of 8 bytes that ends where the value
 * ends: the 8 - n bytes too many lie below, where the next value goes. The values come first and the header
 * last, so the serial types wait in registers.
 */
#pragma once

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/sanitized.h"
#include "schema/table.h"
#include "schema/value.h"

#define TD_VARINT_MAX 9

/* Columns for which the record's header, with its size and the rowid's NULL, is below 128 bytes, so
 * that its size is one byte. Serial types are one byte each anyway: there are no texts and blobs. */
#define TD_CELL_COLUMNS_MAX 125

static inline void put_be16(uint8_t *p, uint16_t v)
{
	v = htobe16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void put_be32(uint8_t *p, uint32_t v)
{
	v = htobe32(v);
	memcpy(p, &v, sizeof(v));
}

static inline uint16_t get_be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t get_be32(const uint8_t *p)
{
	return (uint32_t)get_be16(p) << 16 | get_be16(p + 2);
}

static inline size_t varint_size(uint64_t v)
{
	size_t bits = 64 - (size_t)__builtin_clzll(v | 1);

	return bits > 56 ? TD_VARINT_MAX : (bits + 6) / 7;
}

/* Writes v so that it ends at p; returns where it begins. */
static inline uint8_t *push_varint(uint8_t *p, uint64_t v)
{
	if (v >> 56) {
		*--p = (uint8_t)v;
		v >>= 8;
		for (int i = 0; i < 8; i++, v >>= 7)
			*--p = (uint8_t)(v | 0x80);
		return p;
	}
	*--p = v & 0x7f;
	while (v >>= 7)
		*--p = (uint8_t)(v | 0x80);
	return p;
}

/* Writes v at p; returns where it ends. */
static inline uint8_t *put_varint(uint8_t *p, uint64_t v)
{
	uint8_t *end;

	if (v < 0x80) {
		*p = (uint8_t)v;
		return p + 1;
	}
	end = p + varint_size(v);
	(void)push_varint(end, v);
	return end;
}

/* The size that no record of the columns exceeds; n <= TD_CELL_COLUMNS_MAX. */
static inline uint32_t td_cell_record_max(const struct td_column *columns, size_t n)
{
	static const uint8_t size_max[] = {
		[TD_I64] = 8,   [TD_I32] = 4,
		[TD_KEY32] = 6, /* unsigned: needs 33 bits, and there is no integer of 5 bytes */
		[TD_KEY16] = 3, [TD_U8] = 2,
		[TD_F64] = 8,
	};
	uint32_t size = (uint32_t)(2 + n);

	for (size_t i = 0; i < n; i++)
		size += size_max[columns[i].type];
	return size;
}

/* Integers other than 0 and 1, by the highest bit that differs from the sign. */
static const struct {
	uint8_t serial, size;
} form_of_bit[63] = {
	[0 ... 6] = { 1, 1 },   [7 ... 14] = { 2, 2 },  [15 ... 22] = { 3, 3 },
	[23 ... 30] = { 4, 4 }, [31 ... 46] = { 5, 6 }, [47 ... 62] = { 6, 8 },
};

static const uint8_t size_of_serial[10] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0 };

/* Where each access is watched, all of them in one function take clang half a minute to compile. */
#if TD_SANITIZED
#define TD_ALWAYS_INLINE static inline
#define TD_UNROLL
#else
#define TD_ALWAYS_INLINE static inline __attribute__((always_inline))
#define TD_UNROLL _Pragma("GCC unroll 32")
#endif

TD_ALWAYS_INLINE size_t bit_of(int64_t v)
{
	return 63 - (size_t)__builtin_clzll((uint64_t)(v ^ (v >> 63)) | 1);
}

static inline unsigned serial_of(int64_t v)
{
	return (uint64_t)v <= 1 ? 8 + (unsigned)v : form_of_bit[bit_of(v)].serial;
}

/* SQLite stores a whole number that fits 6 bytes as an integer. */
TD_ALWAYS_INLINE bool is_whole(double d)
{
	return d >= -0x1p47 && d < 0x1p47 && (double)(int64_t)d == d;
}

/* NaN is NULL. */
static inline unsigned serial_of_double(double d)
{
	if (is_whole(d))
		return serial_of((int64_t)d);
	return d == d ? 7 : 0;
}

/* Stores 8 bytes that end at p. */
TD_ALWAYS_INLINE void store_below(uint8_t *p, uint64_t v)
{
	v = htobe64(v);
	memcpy(p - sizeof(v), &v, sizeof(v));
}

/* These store a value so that it ends at *p, set *p to where it begins, and return the serial type. */
TD_ALWAYS_INLINE unsigned push_integer(uint8_t **p, int64_t v)
{
	size_t bit;

	if ((uint64_t)v <= 1)
		return 8 + (unsigned)v;
	bit = bit_of(v);
	store_below(*p, (uint64_t)v);
	*p -= form_of_bit[bit].size;
	return form_of_bit[bit].serial;
}

TD_ALWAYS_INLINE unsigned push_double(uint8_t **p, double d)
{
	uint64_t bits;

	if (is_whole(d))
		return push_integer(p, (int64_t)d);
	if (d != d)
		return 0;
	memcpy(&bits, &d, sizeof(bits));
	store_below(*p, bits);
	*p -= sizeof(bits);
	return 7;
}

/* Pushes a struct member that is an integer of type T, null if it is NULL. */
#define PUSH_MEMBER(T, null)                                                                       \
	({                                                                                         \
		T _m;                                                                              \
		memcpy(&_m, member, sizeof(_m));                                                   \
		_m == (null) ? 0 : push_integer(p, _m);                                            \
	})

TD_ALWAYS_INLINE unsigned push_member(uint8_t **p, enum td_type type, const uint8_t *member)
{
	double d;

	switch (type) {
	case TD_I64:
		return PUSH_MEMBER(int64_t, TD_NULL);
	case TD_I32:
		return PUSH_MEMBER(int32_t, INT32_MIN);
	case TD_KEY32:
		return PUSH_MEMBER(uint32_t, 0);
	case TD_KEY16:
		return PUSH_MEMBER(uint16_t, 0);
	case TD_U8:
		return push_integer(p, *member);
	case TD_F64:
		break;
	}
	memcpy(&d, member, sizeof(d));
	return push_double(p, d);
}

#undef PUSH_MEMBER

/* Writes the serial types, eight to a word and the last one's word first, so that they end at p. */
TD_ALWAYS_INLINE uint8_t *push_serials(uint8_t *p, const uint64_t *serials, size_t n)
{
	uint64_t word;

	for (size_t i = 0; i < n / 8; i++) {
		word = htole64(serials[i]);
		p -= sizeof(word);
		memcpy(p, &word, sizeof(word));
	}
	if (n % 8 == 0)
		return p;
	word = htole64(serials[n / 8] << 8 * (8 - n % 8));
	memcpy(p - sizeof(word), &word, sizeof(word));
	return p - n % 8;
}

/*
 * Writes the cell so that it ends at end; returns where it begins. Up to 8 bytes below that are
 * overwritten. Where the columns are known when this is compiled (store/rows.c: one function for each
 * table), nothing is left of the loop, of the types and of the places: half the instructions.
 */
TD_ALWAYS_INLINE uint8_t *td_cell_push(const struct td_column *columns, size_t n, uint8_t *end,
				       int64_t rowid, const uint8_t *record)
{
	uint64_t serials[TD_CELL_COLUMNS_MAX / 8 + 1];
	uint8_t *p = end;

	TD_UNROLL
	for (size_t i = 0; i < n; i++) {
		const struct td_column *c = &columns[n - 1 - i];
		unsigned serial = push_member(&p, c->type, record + c->offset);

		serials[i / 8] = (i % 8 ? serials[i / 8] << 8 : 0) | serial;
	}
	p = push_serials(p, serials, n);
	*--p = 0; /* the rowid's column */
	*--p = (uint8_t)(2 + n);
	return push_varint(push_varint(p, (uint64_t)rowid), (uint32_t)(end - p));
}

/* The size that no record of n numbers exceeds. */
static inline size_t td_cell_numbers_max(size_t n)
{
	return 1 + n * (1 + sizeof(uint64_t));
}

/* The same for n <= TD_CELL_COLUMNS_MAX values, each a number or NULL, that are all there is in the record. */
static inline uint8_t *td_cell_push_numbers(const struct td_value *values, size_t n, uint8_t *end,
					    int64_t rowid)
{
	uint8_t serials[TD_CELL_COLUMNS_MAX], *p = end;

	for (size_t i = n; i-- > 0;) {
		unsigned serial = 0;

		if (values[i].type == TD_VALUE_INTEGER)
			serial = push_integer(&p, values[i].i);
		else if (values[i].type == TD_VALUE_REAL)
			serial = push_double(&p, values[i].d);
		serials[i] = (uint8_t)serial;
	}
	p = memcpy(p - n, serials, n);
	*--p = (uint8_t)(1 + n);
	return push_varint(push_varint(p, (uint64_t)rowid), (uint32_t)(end - p));
}
