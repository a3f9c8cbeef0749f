/* SPDX-License-Identifier: MIT */
#include <endian.h>

#include "analyzer/parquet/encode.h"
#include "analyzer/parquet/thrift.h"
#include "common/cleanup.h"

#define RUN_MIN 8 /* shorter ones are packed with what is around them */
#define BLOCK 128
#define MINIBLOCKS 4
#define MINIBLOCK (BLOCK / MINIBLOCKS)

/* --- bits --- */

/* Packs 32 or fewer numbers of up to 64 bits, the lowest bit first, whole bytes; 8 * width * n is a multiple of 8. */
static void pack(struct td_strbuf *b, const uint64_t *v, size_t n, unsigned width)
{
	uint8_t out[MINIBLOCK * sizeof(uint64_t) + 2 * sizeof(uint64_t)];
	unsigned __int128 bits = 0;
	unsigned have = 0;
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		bits |= (unsigned __int128)v[i] << have;
		have += width;
		if (have >= 64) {
			uint64_t word = htole64((uint64_t)bits);

			memcpy(out + len, &word, sizeof(word));
			len += sizeof(word);
			bits >>= 64;
			have -= 64;
		}
	}
	for (; have > 0; have = have > 8 ? have - 8 : 0, bits >>= 8)
		out[len++] = (uint8_t)bits;
	td_strbuf_add(b, (const char *)out, len);
}

/* --- runs --- */

static size_t run_length(const uint32_t *v, size_t n)
{
	size_t len = 1;

	while (len < n && v[len] == v[0])
		len++;
	return len;
}

static void add_run(struct td_strbuf *b, uint32_t v, size_t len, unsigned width)
{
	td_thrift_varint(b, (uint64_t)len << 1);
	for (unsigned bits = 0; bits < width; bits += 8)
		td_strbuf_addc(b, (char)(v >> bits));
}

/* Groups of eight; the last one is filled up with zeros. */
static void add_packed(struct td_strbuf *b, const uint32_t *v, size_t n, unsigned width)
{
	td_thrift_varint(b, (uint64_t)((n + 7) / 8) << 1 | 1);
	for (size_t i = 0; i < n; i += 8) {
		uint64_t eight[8] = { 0 };

		for (size_t k = 0; k < 8 && i + k < n; k++)
			eight[k] = v[i + k];
		pack(b, eight, 8, width);
	}
}

/* How many values, a multiple of eight or all of them, come before the next run. */
static size_t until_run(const uint32_t *v, size_t n)
{
	size_t i = 0;

	while (i < n && run_length(v + i, TD_MIN(n - i, (size_t)RUN_MIN)) < RUN_MIN)
		i += TD_MIN((size_t)8, n - i);
	return i;
}

void td_encode_hybrid(struct td_strbuf *b, const uint32_t *v, size_t n, unsigned width)
{
	for (size_t i = 0; i < n;) {
		size_t len = run_length(v + i, n - i);

		if (len >= RUN_MIN || len == n - i) {
			add_run(b, v[i], len, width);
		} else {
			len = until_run(v + i, n - i);
			add_packed(b, v + i, len, width);
		}
		i += len;
	}
}

/* --- differences --- */

/* n > 0 differences; what a miniblock lacks is zeros, miniblocks without values have width 0 and no bytes. */
static void add_block(struct td_strbuf *b, const int64_t *v, size_t n)
{
	uint64_t diffs[BLOCK] = { 0 };
	uint8_t widths[MINIBLOCKS] = { 0 };
	int64_t min = INT64_MAX;

	for (size_t i = 0; i < n; i++) {
		diffs[i] = (uint64_t)v[i + 1] - (uint64_t)v[i];
		min = TD_MIN(min, (int64_t)diffs[i]);
	}
	td_thrift_varint(b, td_zigzag(min));
	for (size_t m = 0; m < MINIBLOCKS; m++) {
		uint64_t all = 0;

		for (size_t i = m * MINIBLOCK; i < TD_MIN(n, (m + 1) * MINIBLOCK); i++) {
			diffs[i] -= (uint64_t)min;
			all |= diffs[i];
		}
		widths[m] = (uint8_t)td_bit_width(all);
	}
	td_strbuf_add(b, (const char *)widths, sizeof(widths));
	for (size_t m = 0; m < MINIBLOCKS && m * MINIBLOCK < n; m++)
		if (widths[m])
			pack(b, diffs + m * MINIBLOCK, MINIBLOCK, widths[m]);
}

void td_encode_delta(struct td_strbuf *b, const int64_t *v, size_t n)
{
	td_thrift_varint(b, BLOCK);
	td_thrift_varint(b, MINIBLOCKS);
	td_thrift_varint(b, n);
	td_thrift_varint(b, td_zigzag(n ? v[0] : 0));
	for (size_t i = 0; i + 1 < n; i += BLOCK)
		add_block(b, v + i, TD_MIN(n - 1 - i, (size_t)BLOCK));
}
