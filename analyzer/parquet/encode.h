/* SPDX-License-Identifier: MIT */
/*
 * Values as Parquet's pages have them:
 * https://parquet.apache.org/docs/file-format/data-pages/encodings/. All are added to a buffer; one
 * that cannot grow remembers it (td_strbuf_error()).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/strbuf.h"

/* Bits that the value needs, 0 for 0. */
static inline unsigned td_bit_width(uint64_t v)
{
	return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

/* RLE/bit-packing hybrid: numbers of width bits (1..32), runs of eight and more equal ones as a run. */
void td_encode_hybrid(struct td_strbuf *b, const uint32_t *v, size_t n, unsigned width);

/* DELTA_BINARY_PACKED: blocks of 128 differences in four miniblocks. Any values, also those whose
 * difference overflows. */
void td_encode_delta(struct td_strbuf *b, const int64_t *v, size_t n);
