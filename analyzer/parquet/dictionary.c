/* SPDX-License-Identifier: MIT */
#include <endian.h>

#include "analyzer/parquet/chunk_private.h"
#include "common/array.h"

#define SLOTS_BITS 17
#define NUMBERS_MAX 32768 /* a quarter of the slots */
#define BYTES_MAX ((size_t)8 << 20) /* of text */
#define JUDGED_FROM 4096 /* values, from which on it is clear whether they repeat */

int td_dictionary_init(struct td_dictionary *d, const struct td_parquet_column *column)
{
	*d = (struct td_dictionary){ .is_on = true };
	if (column->values) {
		d->local = calloc(column->values->n + 1, sizeof(*d->local));
		return d->local ? 0 : -ENOMEM;
	}
	if (column->type == TD_PARQUET_TEXT)
		return 0;
	d->numbers = malloc(NUMBERS_MAX * sizeof(*d->numbers));
	d->slots = calloc((size_t)1 << SLOTS_BITS, sizeof(*d->slots));
	return d->numbers && d->slots ? 0 : -ENOMEM;
}

void td_dictionary_done(struct td_dictionary *d)
{
	free(d->numbers);
	free(d->slots);
	free(d->local);
	free(d->codes);
	td_intern_done(&d->texts);
}

void td_dictionary_reset(struct td_dictionary *d, const struct td_parquet_column *column)
{
	for (size_t i = 0; d->local && i < d->n; i++)
		d->local[d->codes[i]] = 0;
	if (d->slots && d->n)
		memset(d->slots, 0, sizeof(*d->slots) << SLOTS_BITS);
	if (column->type == TD_PARQUET_TEXT && !column->values)
		td_intern_clear(&d->texts);
	d->n = d->nused = d->seen = d->bytes = 0;
	d->is_on = true;
}

/* Most values are new ones: it saves nothing. */
static bool is_useless(const struct td_dictionary *d)
{
	return d->seen >= JUDGED_FROM && d->n > d->seen / 4 * 3;
}

int64_t td_dictionary_number(struct td_dictionary *d, int64_t v)
{
	uint64_t hash = (uint64_t)v * UINT64_C(0x9e3779b97f4a7c15);
	size_t at = (size_t)(hash >> (64 - SLOTS_BITS));

	d->seen++;
	for (uint32_t slot; (slot = d->slots[at]); at = (at + 1) & (((size_t)1 << SLOTS_BITS) - 1))
		if (d->numbers[slot - 1] == v)
			return slot - 1;
	if (d->n == NUMBERS_MAX || is_useless(d))
		return -ENOSPC;
	d->numbers[d->n] = v;
	d->slots[at] = (uint32_t)++d->n;
	return (int64_t)d->n - 1;
}

int64_t td_dictionary_text(struct td_dictionary *d, struct td_str v)
{
	uint32_t id;

	d->seen++;
	if (d->bytes > BYTES_MAX || is_useless(d)) {
		id = td_intern_find(&d->texts, v.p, v.len);
		return id ? (int64_t)id - 1 : -ENOSPC;
	}
	id = td_intern_add(&d->texts, v.p, v.len);
	if (!id)
		return -ENOMEM;
	if (id > d->n) {
		d->n = id;
		d->bytes += v.len + sizeof(uint32_t);
	}
	return (int64_t)id - 1;
}

int64_t td_dictionary_code(struct td_dictionary *d, const struct td_parquet_column *column,
			   uint32_t code)
{
	if (d->local[code])
		return d->local[code] - 1;
	if (d->bytes > BYTES_MAX)
		return -ENOSPC;
	if (td_grow(&d->codes, &d->codes_cap, d->n) < 0)
		return -ENOMEM;
	d->codes[d->n++] = code;
	d->local[code] = (uint32_t)d->n;
	d->bytes += sizeof(uint32_t);
	if (column->type == TD_PARQUET_TEXT)
		d->bytes += column->values->texts[code - 1].len;
	return (int64_t)d->n - 1;
}

static void add_number(struct td_strbuf *b, int64_t v)
{
	uint64_t le = htole64((uint64_t)v);

	td_strbuf_add(b, (const char *)&le, sizeof(le));
}

static void add_text(struct td_strbuf *b, struct td_str v)
{
	uint32_t len = htole32((uint32_t)v.len);

	td_strbuf_add(b, (const char *)&len, sizeof(len));
	td_strbuf_add(b, v.p, v.len);
}

void td_dictionary_plain(const struct td_dictionary *d, const struct td_parquet_column *column,
			 size_t i, struct td_strbuf *b)
{
	const struct td_parquet_values *values = column->values;

	if (column->type == TD_PARQUET_TEXT)
		add_text(b, values ? values->texts[d->codes[i] - 1]
				   : td_intern_get(&d->texts, (uint32_t)i + 1));
	else
		add_number(b, values ? values->numbers[d->codes[i] - 1] : d->numbers[i]);
}
