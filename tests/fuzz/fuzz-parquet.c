/* SPDX-License-Identifier: MIT */
/*
 * A table that arbitrary bytes describe, written as Parquet and read by a reader of its own
 * (tests/parquet/read.h): the same comes back. The first byte is the number of columns, then comes
 * one for each; what follows says, block by block, how many rows there are and what each column has
 * in them.
 */
#include <assert.h>
#include <stdlib.h>

#include "analyzer/parquet/parquet.h"
#include "common/array.h"
#include "tests/fuzz/fuzz.h"
#include "tests/parquet/read.h"

#define COLUMNS_MAX 3
#define ROWS_MAX ((size_t)70000) /* more than a page */
#define POOL ((size_t)300)
#define TEXT_MAX 300
#define AS_DIGITS                                                                                  \
	UINT32_MAX /* in place of a code: the text is the number, so that texts need not repeat */
#define DIGITS_MAX 24
#define INPUT_MAX ((size_t)400) /* some 100 blocks: more take long and show nothing else */

struct column {
	struct td_parquet_column head;
	struct td_parquet_values values;
	uint8_t *is_null; /* [ROWS_MAX], as are the next ones: what is to come back */
	int64_t *numbers;
	uint32_t *codes; /* into the pool, from 1; 0: null */
	int64_t last;
};

static int64_t pool_numbers[POOL];
static struct td_str pool_texts[POOL];

struct input {
	const uint8_t *p, *end;
	uint64_t random;
};

static uint8_t next(struct input *in)
{
	return in->p < in->end ? *in->p++ : 0;
}

static uint64_t random_number(struct input *in)
{
	in->random ^= in->random << 13;
	in->random ^= in->random >> 7;
	in->random ^= in->random << 17;
	return in->random;
}

/* Distinct values; texts of 0, 1 and many bytes, also longer than a bound can be. */
static void fill_pool(void)
{
	static char text[POOL][TEXT_MAX];

	if (pool_texts[1].p)
		return;
	for (size_t i = 0; i < POOL; i++) {
		size_t len = i < 2 ? i : 3 + i * 7 % (i % 16 ? 40 : TEXT_MAX - 3);

		memset(text[i], (int)('a' + i % 26), len);
		for (size_t k = 0; i > 1 && k < 3; k++)
			text[i][k] = (char)('0' + i / (k == 0 ? 100 : k == 1 ? 10 : 1) % 10);
		pool_texts[i] = (struct td_str){ text[i], len };
		pool_numbers[i] = (int64_t)(i * i * i * 1000003) - 5000;
	}
}

static void new_column(struct input *in, struct column *c)
{
	static const size_t sizes[] = { 1, 2, 16, POOL };
	uint8_t kind = next(in);

	c->head = (struct td_parquet_column){ .name = "c",
					      .type = (enum td_parquet_type)(kind % 3),
					      .nullable = kind & 4 };
	c->values = (struct td_parquet_values){ sizes[kind >> 4 & 3], pool_numbers, pool_texts };
	if (kind & 8)
		c->head.values = &c->values;
	c->is_null = malloc(ROWS_MAX);
	c->numbers = malloc(ROWS_MAX * sizeof(*c->numbers));
	c->codes = malloc(ROWS_MAX * sizeof(*c->codes));
	c->last = 0;
	assert(c->is_null && c->numbers && c->codes);
}

static int64_t number_of(struct input *in, struct column *c, unsigned shape, size_t i)
{
	static const int64_t extremes[] = { INT64_MIN, INT64_MAX, 0, -1, 1, INT64_MIN + 1 };

	switch (shape) {
	case 0:
		return 42;
	case 1:
		return c->last += (int64_t)(random_number(in) % 3000);
	case 2:
		return extremes[random_number(in) % TD_ARRAY_SIZE(extremes)];
	case 3:
		return (int64_t)random_number(in);
	case 4:
		return (int64_t)(i / 9 % 40);
	default:
		return (int64_t)(random_number(in) % 20000);
	}
}

/* A row's text, NULL for null; digits: where it can be. */
static const struct td_str *text_of(const struct column *c, size_t i, char digits[DIGITS_MAX],
				    struct td_str *ret)
{
	if (c->codes[i] == AS_DIGITS)
		*ret = (struct td_str){ digits, (size_t)snprintf(digits, DIGITS_MAX, "%lld",
								 (long long)c->numbers[i]) };
	else if (c->codes[i])
		*ret = pool_texts[c->codes[i] - 1];
	return c->codes[i] ? ret : NULL;
}

/* What a column has in the n rows from a row on. */
static void fill(struct input *in, struct column *c, size_t from, size_t n)
{
	static const unsigned percents[] = { 0, 3, 97, 100 };
	uint8_t how = next(in);
	unsigned shape = how % 6, null_percent = c->head.nullable ? percents[how >> 6] : 0;

	for (size_t i = from; i < from + n; i++) {
		uint64_t value = (uint64_t)number_of(in, c, shape, i);

		c->is_null[i] = random_number(in) % 100 < null_percent;
		c->codes[i] = c->is_null[i] ? 0 : 1 + (uint32_t)(value % c->values.n);
		c->numbers[i] = c->is_null[i] ? 0 : (int64_t)value;
		if (c->head.values && c->codes[i])
			c->numbers[i] = pool_numbers[c->codes[i] - 1];
		else if (shape == 3 && c->codes[i])
			c->codes[i] = AS_DIGITS;
	}
}

/* The rows of a column in the way that is for it. 0 or -errno. */
static int put(struct td_parquet_group *g, size_t column, const struct column *c, size_t from,
	       size_t n)
{
	char digits[DIGITS_MAX];
	struct td_str text;
	int r = 0;

	if (c->head.values)
		return td_parquet_put_codes(g, column, c->codes + from, n);
	if (c->head.type != TD_PARQUET_TEXT)
		return td_parquet_put_numbers(g, column, c->numbers + from,
					      c->head.nullable ? c->is_null + from : NULL, n);
	for (size_t i = from; i < from + n && r == 0; i++)
		r = td_parquet_put_text(g, column, text_of(c, i, digits, &text));
	return r;
}

static void check_column(const struct column *c, const struct td_read_column *got)
{
	static const enum td_read_type types[] = {
		[TD_PARQUET_INT64] = TD_READ_INT64,
		[TD_PARQUET_DOUBLE] = TD_READ_DOUBLE,
		[TD_PARQUET_TEXT] = TD_READ_BYTES,
	};

	assert(got->type == types[c->head.type] && got->nullable == c->head.nullable);
	for (size_t i = 0; i < got->n; i++) {
		char digits[DIGITS_MAX];
		struct td_str text = { NULL, 0 };
		bool is_null = !text_of(c, i, digits, &text);

		assert(!got->is_null[i] == !is_null);
		if (got->type != TD_READ_BYTES)
			assert(got->numbers[i] == c->numbers[i]);
		else if (!is_null)
			assert(got->texts[i].len == text.len &&
			       memcmp(got->texts[i].p, text.p, text.len) == 0);
	}
}

/* Sizes at which blocks and packed groups begin and end, and others; those of pages, which take long, more seldom. */
static size_t rows_of(struct input *in, uint8_t step)
{
	static const size_t edges[] = { 1,   7,   8,   9,   31,  32,   33,   63,
					127, 128, 129, 130, 257, 4200, 5000, 0 };
	static const size_t pages[] = { 65535, 65536, 65537, 65536 - 9 };
	size_t n = step >= 0xfc ? pages[step & 3] : edges[step & 15];

	return n ? n : next(in);
}

/* Blocks of rows until the input ends; how many rows that are. */
static size_t write_rows(struct input *in, struct column *columns, size_t n,
			 struct td_parquet_group *g, struct td_parquet_file *file)
{
	size_t rows = 0;
	int r = 0;

	while (in->p < in->end) {
		uint8_t step = next(in);
		size_t block = rows_of(in, step);

		if (block > ROWS_MAX - rows)
			break;
		for (size_t i = 0; i < n && r == 0; i++) {
			fill(in, &columns[i], rows, block);
			r = put(g, i, &columns[i], rows, block);
		}
		rows += block;
		assert(r == 0);
		if (step & 16) {
			r = td_parquet_group_end(g);
			assert(r == 0);
			r = td_parquet_file_append(file, g);
			assert(r == 0);
		}
	}
	r = td_parquet_group_end(g);
	assert(r == 0);
	r = td_parquet_file_append(file, g);
	assert(r == 0);
	r = td_parquet_file_end(file);
	assert(r == 0);
	return rows;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + TD_MIN(size, INPUT_MAX), UINT64_C(88172645463325252) };
	struct column columns[COLUMNS_MAX];
	struct td_parquet_column heads[COLUMNS_MAX];
	_cleanup_(td_parquet_group_freep) struct td_parquet_group *g = NULL;
	_cleanup_(td_parquet_file_freep) struct td_parquet_file *file = NULL;
	size_t n = 1 + next(&in) % COLUMNS_MAX, len, rows;
	_cleanup_free_ char *bytes = NULL;
	struct td_read_table table;
	FILE *f = open_memstream(&bytes, &len);
	int r;

	fill_pool();
	for (size_t i = 0; i < n; i++) {
		new_column(&in, &columns[i]);
		heads[i] = columns[i].head;
	}
	r = td_parquet_group_new(heads, n, &g);
	assert(r == 0 && f);
	r = td_parquet_file_new(f, heads, n, -1, &file);
	assert(r == 0);
	rows = write_rows(&in, columns, n, g, file);
	(void)fclose(f);
	td_read_parquet(bytes, len, &table);
	assert(table.n == n && table.rows == rows);
	for (size_t i = 0; i < n; i++) {
		check_column(&columns[i], &table.columns[i]);
		free(columns[i].is_null);
		free(columns[i].numbers);
		free(columns[i].codes);
	}
	td_read_table_done(&table);
	return 0;
}
