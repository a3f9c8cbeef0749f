/* SPDX-License-Identifier: MIT */
/*
 * Records as few bytes: each as its difference to the one before, in words of 8 bytes, of which only the
 * low bytes that are not 0 are kept.
 *
 *     record:   4 bits for each word, how many bytes of it follow, the first word's lowest; then those
 *               bytes, little endian
 *     word:     exclusive or with the same word of the record before, its highest bit moved below its
 *               lowest: that bit alone is TD_NULL, which comes and goes where kinds of calls alternate.
 *               Of the time, which ascends, the difference. Before the first record is one of zeros.
 *     call:     bytes that were asked for and done change as what was returned does, mostly, and a thread as its
 *               process: of these words it is exclusive or with that change, too.
 *
 * Neighbours in a trace have the same source, mostly the same process, and small numbers: a call of 88
 * bytes takes about 15. Private to the staging area.
 */
#pragma once

#include <assert.h>
#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "schema/rows.h"

#define TD_PACK_WORDS                                                                              \
	((size_t)16) /* of the largest record: their sizes are one number of 64 bits */

/* So many bytes beyond its end does packing and unpacking a record touch. */
#define TD_PACK_SPARE ((size_t)8)

/* A record takes less than this, whatever its table. */
#define TD_PACK_MAX (TD_PACK_WORDS / 2 + TD_PACK_WORDS * sizeof(uint64_t) + TD_PACK_SPARE)

struct td_pack {
	size_t size; /* of a record */
	size_t words;
	size_t time; /* the word that is the time */
	size_t head; /* bytes for the sizes of the words */
	bool of_calls;
};

/* That of calls, known when this is compiled. */
#define TD_PACK_CALL                                                                               \
	{                                                                                          \
		.size = sizeof(struct td_call),                                                    \
		.words = sizeof(struct td_call) / sizeof(uint64_t),                                \
		.time = offsetof(struct td_call, start_ns) / sizeof(uint64_t),                     \
		.head = (sizeof(struct td_call) / sizeof(uint64_t) + 1) / 2, .of_calls = true,     \
	}

static inline struct td_pack td_pack_of(const struct td_table *table)
{
	size_t words = table->record_size / sizeof(uint64_t);

	/* all records have an int64_t, the time, and thus its alignment */
	assert(words * sizeof(uint64_t) == table->record_size && words <= TD_PACK_WORDS);
	assert(table->time_offset % sizeof(uint64_t) == 0);
	return (struct td_pack){
		.size = table->record_size,
		.words = words,
		.time = table->time_offset / sizeof(uint64_t),
		.head = (words + 1) / 2,
		.of_calls = table == &td_tables[TD_KIND_CALL],
	};
}

/* The most that n records can take. */
static inline size_t td_pack_max(const struct td_pack *f, size_t n)
{
	return n * (f->head + f->size) + TD_PACK_SPARE;
}

static inline uint64_t td_pack_word(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint64_t td_pack_rotate(uint64_t word)
{
	return word << 1 | word >> 63;
}

static inline uint64_t td_pack_rotate_back(uint64_t word)
{
	return word >> 1 | word << 63;
}

/* Words of a call. */
#define TD_PACK_WORD(member) (offsetof(struct td_call, member) / sizeof(uint64_t))

_Static_assert(TD_PACK_WORD(asked_bytes) > TD_PACK_WORD(ret) &&
		       TD_PACK_WORD(done_bytes) > TD_PACK_WORD(ret),
	       "what was returned is known first");
_Static_assert(TD_PACK_WORD(process_id) == TD_PACK_WORD(thread_id), "one word");

/* How word i of a record would change if it did as what it depends on. before: that word of the record before; returned:
 * how what was returned changes; change: how the word does, of which only the process counts. */
static inline uint64_t td_pack_expected(const struct td_pack *f, size_t i, uint64_t before,
					uint64_t returned, uint64_t change)
{
	if (!f->of_calls)
		return 0;
	if (i == TD_PACK_WORD(asked_bytes) || i == TD_PACK_WORD(done_bytes))
		return returned;
	/* where no thread is known, none comes with another process */
	if (i == TD_PACK_WORD(process_id) && before >> 32)
		return change << 32;
	return 0;
}

/* Writes the record to p; returns where it ends. last: the record before it, or zeros. */
static inline uint8_t *td_pack_put(const struct td_pack *f, const void *last, const void *record,
				   uint8_t *p)
{
	uint64_t sizes = 0, behind = ~UINT64_C(0) << (8 * f->head - 1) << 1, returned = 0;
	uint8_t *head = p;

	p += f->head;
#pragma GCC unroll 16
	for (size_t i = 0; i < f->words; i++) {
		uint64_t word = td_pack_word((const char *)record + i * sizeof(word));
		uint64_t before = td_pack_word((const char *)last + i * sizeof(word));
		uint64_t change = word ^ before, v, little;
		unsigned size;

		if (i == TD_PACK_WORD(ret))
			returned = change;
		change ^= td_pack_expected(f, i, before, returned, change);
		v = i == f->time ? word - before : td_pack_rotate(change);
		little = htole64(v);
		if (!v)
			continue; /* in most records it is the same words that do not change */
		size = 8 - (unsigned)__builtin_clzll(v) / 8;
		memcpy(p, &little, sizeof(little));
		p += size;
		sizes |= (uint64_t)size << 4 * i;
	}
	/* a store of 8 bytes; those behind the head are there already */
	sizes = htole64((le64toh(td_pack_word(head)) & behind) | sizes);
	memcpy(head, &sizes, sizeof(sizes));
	return p;
}

/* The reverse: reads a record at p; returns where it ends. last: the record before, but its time, which may be
 * any: it is *time, replaced by this one's. record may be last. */
static inline const uint8_t *td_pack_get(const struct td_pack *f, const void *last, int64_t *time,
					 const uint8_t *p, void *record)
{
	static const uint64_t masks[16] = {
		0,
		0xff,
		0xffff,
		0xffffff,
		UINT64_C(0xffffffff),
		UINT64_C(0xffffffffff),
		UINT64_C(0xffffffffffff),
		UINT64_C(0xffffffffffffff),
		UINT64_MAX,
	};
	uint64_t sizes = le64toh(td_pack_word(p)), returned = 0;

	p += f->head;
#pragma GCC unroll 16
	for (size_t i = 0; i < f->words; i++) {
		unsigned size = sizes >> 4 * i & 15;
		uint64_t word = le64toh(td_pack_word(p)) & masks[size];
		uint64_t before = td_pack_word((const char *)last + i * sizeof(word));

		if (i == f->time) {
			*time = (int64_t)(word += (uint64_t)*time);
		} else {
			uint64_t change = td_pack_rotate_back(word);

			change ^= td_pack_expected(f, i, before, returned, change);
			if (i == TD_PACK_WORD(ret))
				returned = change;
			word = change ^ before;
		}
		memcpy((char *)record + i * sizeof(word), &word, sizeof(word));
		p += size;
	}
	return p;
}
