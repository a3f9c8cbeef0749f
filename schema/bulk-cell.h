/* SPDX-License-Identifier: MIT */
/*
 * Numbers, and a row of nothing else as a b-tree cell, which is the bulk of what is written. Private to
 * the bulk writer; schema/bulk.c lays out the pages and has the format, schema/bulk_record.c makes
 * records of any values.
 *
 * Cells are encoded from their last byte to their first, because that is how they are stacked in
 * the page. A big endian integer of n bytes is then one store of 8 bytes that ends where the value
 * ends: the 8 - n bytes too many lie below, where the next value goes.
 */
#pragma once

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "schema/table.h"

#define TD_VARINT_MAX 9

/* Columns for which the record's header, with its size and the rowid's NULL, is below 128 bytes, so
 * that its size is one byte. Serial types are one byte each anyway: there are no texts and blobs. */
#define TD_CELL_COLUMNS_MAX 125

/* struct td_table, as far as the encoder needs it and compact */
struct td_cell_format {
	uint32_t header_size; /* of a record */
	uint32_t record_max; /* the size that no record exceeds */
	size_t ncolumns;
	struct td_cell_column {
		uint32_t offset; /* of the struct member */
		uint8_t type; /* enum td_type */
	} columns[TD_CELL_COLUMNS_MAX];
};

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

/* table->ncolumns <= TD_CELL_COLUMNS_MAX */
static inline void td_cell_format_init(struct td_cell_format *f, const struct td_table *table)
{
	static const uint8_t size_max[] = {
		[TD_I64] = 8,   [TD_I32] = 4,
		[TD_KEY32] = 6, /* unsigned: needs 33 bits, and there is no integer of 5 bytes */
		[TD_KEY16] = 3, [TD_U8] = 2,
		[TD_F64] = 8,
	};

	f->ncolumns = table->ncolumns;
	f->header_size = (uint32_t)(2 + table->ncolumns);
	f->record_max = f->header_size;
	for (size_t i = 0; i < table->ncolumns; i++) {
		const struct td_column *c = &table->columns[i];

		f->columns[i] = (struct td_cell_column){ (uint32_t)c->offset, (uint8_t)c->type };
		f->record_max += size_max[c->type];
	}
}

/* serial types of integers other than 0 and 1, by the bits that the value has beside its sign */
static const uint8_t serial_of_bits[64] = {
	1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3,
	3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5,
	5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6,
};

static const uint8_t size_of_serial[10] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0 };

static inline unsigned serial_of(int64_t v)
{
	uint64_t magnitude = (uint64_t)(v ^ (v >> 63));

	if ((uint64_t)v <= 1)
		return 8 + (unsigned)v;
	return serial_of_bits[64 - __builtin_clzll(magnitude | 1)];
}

/* As SQLite does it: NaN is NULL, and a whole number that fits 6 bytes is stored as an integer. */
static inline unsigned serial_of_double(double d, int64_t *ret)
{
	if (d >= -0x1p47 && d < 0x1p47 && (double)(int64_t)d == d) {
		*ret = (int64_t)d;
		return serial_of(*ret);
	}
	memcpy(ret, &d, sizeof(d));
	return d == d ? 7 : 0;
}

/* Loads a struct member as T and sets its serial type; NULL if it is null. */
#define TD_CELL_LOAD(T, null)                                                                      \
	do {                                                                                       \
		T _m;                                                                              \
		memcpy(&_m, member, sizeof(_m));                                                   \
		v = _m;                                                                            \
		serial = _m == (null) ? 0 : serial_of(v);                                          \
	} while (0)

/* Writes the values so that they end at p and their serial types to serials; returns where the
 * values begin. Up to 8 bytes below that are overwritten. */
static inline uint8_t *push_values(const struct td_cell_format *f, uint8_t *p,
				   const uint8_t *record, uint8_t *serials)
{
	for (size_t i = f->ncolumns; i-- > 0;) {
		const uint8_t *member = record + f->columns[i].offset;
		unsigned serial = 0;
		int64_t v = 0;
		double d;

		switch ((enum td_type)f->columns[i].type) {
		case TD_I64:
			TD_CELL_LOAD(int64_t, TD_NULL);
			break;
		case TD_I32:
			TD_CELL_LOAD(int32_t, INT32_MIN);
			break;
		case TD_KEY32:
			TD_CELL_LOAD(uint32_t, 0);
			break;
		case TD_KEY16:
			TD_CELL_LOAD(uint16_t, 0);
			break;
		case TD_U8:
			v = *member;
			serial = serial_of(v);
			break;
		case TD_F64:
			memcpy(&d, member, sizeof(d));
			serial = serial_of_double(d, &v);
			break;
		}
		v = (int64_t)htobe64((uint64_t)v);
		memcpy(p - sizeof(v), &v, sizeof(v));
		p -= size_of_serial[serial];
		serials[i] = (uint8_t)serial;
	}
	return p;
}

/* Writes the cell so that it ends at end; returns where it begins. */
static inline uint8_t *td_cell_push(const struct td_cell_format *f, uint8_t *end, int64_t rowid,
				    const uint8_t *record)
{
	uint8_t header[2 + TD_CELL_COLUMNS_MAX];
	uint8_t *p = push_values(f, end, record, header + 2);
	size_t payload;

	header[0] = (uint8_t)f->header_size;
	header[1] = 0; /* the rowid's column */
	p -= f->header_size;
	memcpy(p, header, f->header_size);
	payload = (size_t)(end - p);
	return push_varint(push_varint(p, (uint64_t)rowid), payload);
}

#undef TD_CELL_LOAD
