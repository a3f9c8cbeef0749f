/* SPDX-License-Identifier: MIT */
#include "schema/bulk-cell.h"
#include "schema/bulk_record.h"

/* SQLITE_MAX_LENGTH as it is set by default: SQLite neither writes nor reads larger rows. */
#define RECORD_MAX 1000000000

#define SERIAL_BLOB 12 /* plus twice the length; a text's is one more */

/* Beside the serial type: the bits of the number and how many bytes of it are stored. */
struct encoded {
	uint64_t serial;
	uint64_t bits;
	size_t size;
};

static struct encoded encode(const struct td_value *v)
{
	struct encoded e = { 0 };
	int64_t bits = 0;

	switch (v->type) {
	case TD_VALUE_NULL:
		return e;
	case TD_VALUE_INTEGER:
		bits = v->i;
		e.serial = serial_of(bits);
		break;
	case TD_VALUE_REAL:
		e.serial = serial_of_double(v->d, &bits);
		break;
	case TD_VALUE_TEXT:
	case TD_VALUE_BLOB:
		e.size = v->s.len;
		e.serial = SERIAL_BLOB + 2 * (uint64_t)e.size + (v->type == TD_VALUE_TEXT);
		return e;
	}
	e.bits = (uint64_t)bits;
	e.size = size_of_serial[e.serial];
	return e;
}

/* Adds the sizes of header, without its own size, and values of the record. -E2BIG or 0. */
static int measure(const struct td_value *values, size_t n, size_t *header, size_t *body)
{
	for (size_t i = 0; i < n; i++) {
		struct encoded e = encode(&values[i]);

		if (e.size > RECORD_MAX)
			return -E2BIG;
		*header += varint_size(e.serial);
		*body += e.size;
		if (*header + *body > RECORD_MAX)
			return -E2BIG;
	}
	return 0;
}

static int reserve(struct td_record *r, size_t size)
{
	size_t cap = TD_MAX(size, 2 * r->cap);
	uint8_t *p;

	if (size <= r->cap)
		return 0;
	p = malloc(cap);
	if (!p)
		return -ENOMEM;
	free(r->p);
	r->p = p;
	r->cap = cap;
	return 0;
}

static uint8_t *put_number(uint8_t *p, const struct encoded *e)
{
	uint64_t be = htobe64(e->bits);

	memcpy(p, (const uint8_t *)&be + sizeof(be) - e->size, e->size);
	return p + e->size;
}

static bool is_number(const struct td_value *v)
{
	return v->type != TD_VALUE_TEXT && v->type != TD_VALUE_BLOB;
}

int td_record_encode(struct td_record *r, const struct td_value *values, size_t n)
{
	size_t header = 0, body = 0, own = 1;
	uint8_t *serials, *p;
	int ret;

	ret = measure(values, n, &header, &body);
	if (ret < 0)
		return ret;
	while (varint_size(header + own) > own)
		own++;
	header += own;
	ret = reserve(r, header + body);
	if (ret < 0)
		return ret;
	r->size = header + body;
	serials = put_varint(r->p, header);
	p = r->p + header;
	for (size_t i = 0; i < n; i++) {
		struct encoded e = encode(&values[i]);

		serials = put_varint(serials, e.serial);
		if (is_number(&values[i]))
			p = put_number(p, &e);
		else if (e.size)
			p = mempcpy(p, values[i].s.p, e.size);
	}
	return 0;
}
