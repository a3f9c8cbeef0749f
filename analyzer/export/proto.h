/* SPDX-License-Identifier: MIT */
/*
 * Messages of protocol buffers (https://protobuf.dev/programming-guides/encoding/), field by field:
 * small ones into an array that is large enough for them, others into a buffer.
 *     uint8_t body[2 * TD_PROTO_INT], *p = body;
 *     p = td_proto_int(p, 9, 1);
 *     td_proto_add(b, 11, body, p - body);
 * A buffer that cannot grow remembers it: td_strbuf_error().
 */
#pragma once

#include <stdint.h>
#include <string.h>

#include "common/strbuf.h"

#define TD_PROTO_INT 13 /* bytes that a number takes at most, for fields below 2048 */

enum td_proto_wire { TD_PROTO_VARINT = 0, TD_PROTO_FIXED64 = 1, TD_PROTO_BYTES = 2 };

static inline uint8_t *td_proto_varint(uint8_t *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}

static inline uint8_t *td_proto_tag(uint8_t *p, unsigned field, enum td_proto_wire wire)
{
	return td_proto_varint(p, field << 3 | (unsigned)wire);
}

/* uint32, uint64, bool and enum; of int32 and int64 the two's complement in 64 bits. */
static inline uint8_t *td_proto_int(uint8_t *p, unsigned field, uint64_t v)
{
	return td_proto_varint(td_proto_tag(p, field, TD_PROTO_VARINT), v);
}

static inline uint8_t *td_proto_fixed64(uint8_t *p, unsigned field, uint64_t v)
{
	p = td_proto_tag(p, field, TD_PROTO_FIXED64);
	for (unsigned i = 0; i < 8; i++)
		*p++ = (uint8_t)(v >> 8 * i);
	return p;
}

static inline uint8_t *td_proto_double(uint8_t *p, unsigned field, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return td_proto_fixed64(p, field, bits);
}

/* A message that is there already. */
static inline uint8_t *td_proto_bytes(uint8_t *p, unsigned field, const uint8_t *bytes, size_t len)
{
	p = td_proto_varint(td_proto_tag(p, field, TD_PROTO_BYTES), len);
	memcpy(p, bytes, len);
	return p + len;
}

/* The same into a buffer; also for text, which has to be valid UTF-8. */
static inline void td_proto_add(struct td_strbuf *b, unsigned field, const void *bytes, size_t len)
{
	uint8_t head[2 * TD_PROTO_INT], *p = td_proto_tag(head, field, TD_PROTO_BYTES);

	p = td_proto_varint(p, len);
	td_strbuf_add(b, (const char *)head, (size_t)(p - head));
	td_strbuf_add(b, bytes, len);
}

static inline void td_proto_add_int(struct td_strbuf *b, unsigned field, uint64_t v)
{
	uint8_t bytes[TD_PROTO_INT], *end = td_proto_int(bytes, field, v);

	td_strbuf_add(b, (const char *)bytes, (size_t)(end - bytes));
}
