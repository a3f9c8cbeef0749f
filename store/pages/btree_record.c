/* SPDX-License-Identifier: MIT */
#include <assert.h>

#include "common/array.h"
#include "store/pages/btree_cell.h"
#include "store/pages/btree_record.h"

/* SQLITE_MAX_LENGTH as it is set by default: SQLite neither writes nor reads larger rows. */
#define RECORD_MAX 1000000000

#define SERIAL_REAL 7
#define SERIAL_BLOB 12 /* plus twice the length; a text's is one more */

void td_btree_record_done(struct td_btree_record *r)
{
	free(r->p);
	free(r->serials);
}

/* Room for size bytes; what is in it is lost. */
static int reserve(void **p, size_t *cap, size_t size)
{
	size_t grown = TD_MAX(size, 2 * *cap);
	void *fresh;

	if (size <= *cap)
		return 0;
	fresh = malloc(grown);
	if (!fresh)
		return -ENOMEM;
	free(*p);
	*p = fresh;
	*cap = grown;
	return 0;
}

static uint64_t serial_of_value(const struct td_value *v)
{
	switch (v->type) {
	case TD_VALUE_NULL:
		return 0;
	case TD_VALUE_INTEGER:
		return serial_of(v->i);
	case TD_VALUE_REAL:
		return serial_of_double(v->d);
	case TD_VALUE_TEXT:
	case TD_VALUE_BLOB:
		break;
	}
	return SERIAL_BLOB + 2 * (uint64_t)v->s.len + (v->type == TD_VALUE_TEXT);
}

/* What is stored of a number with that serial type. */
static uint64_t bits_of_number(const struct td_value *v, uint64_t serial)
{
	uint64_t bits;

	if (v->type == TD_VALUE_INTEGER)
		return (uint64_t)v->i;
	if (serial != SERIAL_REAL)
		return (uint64_t)(int64_t)v->d;
	memcpy(&bits, &v->d, sizeof(bits));
	return bits;
}

static size_t size_of(uint64_t serial)
{
	return serial < SERIAL_BLOB ? size_of_serial[serial] : (serial - SERIAL_BLOB) / 2;
}

/* Finds the serial types; adds up the sizes of header, without its own size, and values. -E2BIG or 0. */
static int measure(struct td_btree_record *r, const struct td_value *values, size_t n,
		   size_t *header, size_t *body)
{
	assert(r->serials || n == 0);
	for (size_t i = 0; i < n; i++) {
		const struct td_value *v = &values[i];

		if (v->type >= TD_VALUE_TEXT && v->s.len > RECORD_MAX)
			return -E2BIG;
		r->serials[i] = serial_of_value(v);
		*header += varint_size(r->serials[i]);
		*body += size_of(r->serials[i]);
		if (*header + *body > RECORD_MAX)
			return -E2BIG;
	}
	return 0;
}

/* Up to 8 bytes after the value are overwritten. */
static uint8_t *put_value(uint8_t *p, const struct td_value *v, uint64_t serial)
{
	size_t size = size_of(serial);
	uint64_t be;

	if (size == 0)
		return p;
	if (v->type >= TD_VALUE_TEXT)
		return mempcpy(p, v->s.p, size);
	be = htobe64(bits_of_number(v, serial) << (64 - 8 * size));
	memcpy(p, &be, sizeof(be));
	return p + size;
}

int td_btree_record_encode(struct td_btree_record *r, const struct td_value *values, size_t n)
{
	size_t header = 0, body = 0, own = 1;
	uint8_t *serials, *p;
	int ret;

	ret = reserve((void **)&r->serials, &r->serials_cap, n * sizeof(*r->serials));
	if (ret >= 0)
		ret = measure(r, values, n, &header, &body);
	if (ret < 0)
		return ret;
	while (varint_size(header + own) > own)
		own++;
	header += own;
	ret = reserve((void **)&r->p, &r->cap, header + body + sizeof(uint64_t));
	if (ret < 0)
		return ret;
	r->size = header + body;
	serials = put_varint(r->p, header);
	p = r->p + header;
	for (size_t i = 0; i < n; i++) {
		serials = put_varint(serials, r->serials[i]);
		p = put_value(p, &values[i], r->serials[i]);
	}
	return 0;
}

/* --- rows ahead --- */

/* What is there stays. */
static int make_room(struct td_btree_rows *rows, size_t more)
{
	size_t cap = TD_MAX(rows->size + more, 2 * rows->cap);
	uint8_t *grown;

	if (rows->size + more <= rows->cap)
		return 0;
	grown = realloc(rows->p, cap);
	if (!grown)
		return -ENOMEM;
	rows->p = grown;
	rows->cap = cap;
	return 0;
}

int td_btree_rows_add(struct td_btree_rows *rows, int64_t rowid, const struct td_value *values,
		      size_t n)
{
	int r;

	if (!rows->record)
		rows->record = calloc(1, sizeof(*rows->record));
	if (!rows->record)
		return -ENOMEM;
	r = td_btree_record_encode(rows->record, values, n);
	if (r >= 0)
		r = make_room(rows, rows->record->size);
	if (r >= 0)
		r = td_grow(&rows->rows, &rows->rows_cap, rows->n);
	if (r < 0)
		return r;
	memcpy(rows->p + rows->size, rows->record->p, rows->record->size);
	rows->size += rows->record->size;
	rows->rows[rows->n++] = (struct td_btree_row){ rowid, rows->size };
	return 0;
}

void td_btree_rows_clear(struct td_btree_rows *rows)
{
	rows->n = rows->size = 0;
}

void td_btree_rows_done(struct td_btree_rows *rows)
{
	if (rows->record)
		td_btree_record_done(rows->record);
	free(rows->record);
	free(rows->p);
	free(rows->rows);
}
