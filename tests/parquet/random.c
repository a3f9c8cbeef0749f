/* SPDX-License-Identifier: MIT */
/*
 * Random tables as Parquet, and as CSV for who compares: random FOLDER SEED COUNT writes COUNT
 * pairs. Text is in hexadecimal digits in the CSV, a null is an empty field. What a table is like
 * (rows, distinct values, nulls, how rows are put) follows from SEED.
 */
#include <assert.h>
#include <math.h>

#include "analyzer/parquet/parquet.h"
#include "common/strbuf.h"

#define COLUMNS_MAX 6
#define POOL 70000

static uint64_t state;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t below(uint64_t n)
{
	return next() % n;
}

struct column {
	struct td_parquet_column c;
	struct td_parquet_values values;
	char name[24];
	bool coded;
	unsigned shape;
	uint64_t distinct;
	unsigned null_percent;
	int64_t numbers[POOL];
	struct td_str texts[POOL];
	int64_t last;
};

/* Sizes at which pages, blocks and groups begin and end, and others. */
static size_t random_rows(bool small)
{
	static const size_t edges[] = { 0,     1,      7,      8,       9,       31,     32,
					33,    127,    128,    129,     130,     65535,  65536,
					65537, 131072, 131073, 1048575, 1048576, 1048577 };
	return below(2) ? (size_t)below(3000) : edges[below(small ? 15 : TD_ARRAY_SIZE(edges))];
}

static int64_t from_double(double d)
{
	int64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

static int64_t random_number(struct column *c)
{
	static const int64_t extremes[] = { INT64_MIN, INT64_MAX, 0, -1, 1, INT64_MIN + 1 };
	static const double reals[] = { 0.0, -0.0, INFINITY, -INFINITY, 1e308, 5e-324, 0.1, -1.5 };

	if (c->c.type == TD_PARQUET_DOUBLE) {
		if (c->shape == 0)
			return from_double((double)below(c->distinct) / 7);
		if (c->shape == 1)
			return from_double(below(50) ? reals[below(8)] : NAN);
		return from_double((double)(int64_t)next() / 3e9);
	}
	switch (c->shape) {
	case 0:
		return (int64_t)below(c->distinct) - 50;
	case 1:
		return extremes[below(TD_ARRAY_SIZE(extremes))];
	case 2:
		return c->last += (int64_t)below(3000);
	case 3:
		return (int64_t)next();
	default:
		return c->distinct & 1 ? 42 : (int64_t)below(1 + below(1000000));
	}
}

/* UTF-8: letters of one to four bytes. */
static struct td_str random_text(struct column *c)
{
	static const char *const letters[] = {
		"a", "/", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\"", "\n", ","
	};
	struct td_strbuf b = TD_STRBUF_INIT;
	size_t n = c->shape == 1 ? below(3) : c->shape == 2 ? 200 + below(200) : below(20);

	td_strbuf_adds(&b, "");
	for (size_t i = 0; i < n; i++)
		td_strbuf_adds(&b, letters[below(TD_ARRAY_SIZE(letters))]);
	if (c->shape == 3)
		td_strbuf_addf(&b, "%llu", (unsigned long long)next());
	return (struct td_str){ b.p, b.len };
}

static void choose_column(struct column *c, size_t i, size_t rows)
{
	static const uint64_t distincts[] = { 1, 2, 3, 16, 17, 255, 256, 257, 5000, 33000, 65000 };

	(void)snprintf(c->name, sizeof(c->name), "c%zu", i);
	c->c = (struct td_parquet_column){ .name = c->name,
					   .type = (enum td_parquet_type)below(3),
					   .nullable = below(3) > 0 };
	c->shape = (unsigned)below(5);
	c->distinct = distincts[below(TD_ARRAY_SIZE(distincts))];
	c->null_percent = (unsigned[]){ 0, 3, 50, 97, 100 }[below(5)];
	c->coded = below(3) == 0;
	c->last = (int64_t)below(2000000000) * 1000000000;
	c->values = (struct td_parquet_values){ TD_MIN(c->distinct, (uint64_t)rows + 1), c->numbers,
						c->texts };
	for (size_t k = 0; k < (c->coded || c->c.type == TD_PARQUET_TEXT ? c->values.n : 0); k++)
		if (c->c.type == TD_PARQUET_TEXT)
			c->texts[k] = random_text(c);
		else
			c->numbers[k] = random_number(c);
	c->c.values = c->coded ? &c->values : NULL;
}

static void print_value(FILE *csv, const struct column *c, int64_t number, struct td_str text)
{
	double d;

	if (c->c.type == TD_PARQUET_INT64) {
		fprintf(csv, "%lld", (long long)number);
	} else if (c->c.type == TD_PARQUET_DOUBLE) {
		memcpy(&d, &number, sizeof(d));
		fprintf(csv, isnan(d) ? "nan" : "%.17g", d);
	} else {
		(void)putc('x', csv);
		for (size_t i = 0; i < text.len; i++)
			fprintf(csv, "%02X", (unsigned char)text.p[i]);
	}
}

static void put(struct td_parquet_group *g, size_t i, struct column *c, FILE *csv)
{
	uint8_t is_null = c->c.nullable && below(100) < c->null_percent;
	uint32_t code = is_null ? 0 : 1 + (uint32_t)below(c->values.n);
	int64_t number = c->coded ? c->numbers[code ? code - 1 : 0] : random_number(c);
	struct td_str text = c->texts[code ? code - 1 : 0];
	int r;

	if (c->coded)
		r = td_parquet_put_codes(g, i, &code, 1);
	else if (c->c.type == TD_PARQUET_TEXT)
		r = td_parquet_put_text(g, i, is_null ? NULL : &text);
	else
		r = td_parquet_put_numbers(g, i, &number, &is_null, 1);
	assert(r == 0);
	if (!is_null)
		print_value(csv, c, number, text);
}

static void write_table(const char *folder, unsigned number)
{
	static struct column columns[COLUMNS_MAX];
	struct td_parquet_column heads[COLUMNS_MAX];
	struct td_parquet_group *g;
	struct td_parquet_file *file;
	size_t n = 1 + below(COLUMNS_MAX), rows = random_rows(n > 2);
	bool early = below(4) == 0; /* groups of any size */
	char path[512];
	FILE *f, *csv;
	int r;

	(void)snprintf(path, sizeof(path), "%s/%u.csv", folder, number);
	csv = fopen(path, "w");
	(void)snprintf(path, sizeof(path), "%s/%u.parquet", folder, number);
	f = fopen(path, "w");
	assert(f && csv);
	for (size_t i = 0; i < n; i++) {
		choose_column(&columns[i], i, rows);
		heads[i] = columns[i].c;
		fprintf(csv, "%s%s %s", i ? "," : "", columns[i].name,
			(const char *[]){ "BIGINT", "DOUBLE", "VARCHAR" }[heads[i].type]);
	}
	(void)putc('\n', csv);
	r = td_parquet_group_new(heads, n, &g);
	assert(r == 0);
	r = td_parquet_file_new(f, heads, n, -1, &file);
	assert(r == 0);
	for (size_t row = 0; row < rows; row++) {
		for (size_t i = 0; i < n; i++) {
			if (i)
				(void)putc(',', csv);
			put(g, i, &columns[i], csv);
		}
		(void)putc('\n', csv);
		if (td_parquet_group_is_full(g) || (early && below(500) == 0)) {
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
	td_parquet_file_key(file, "table", path);
	r = td_parquet_file_end(file);
	assert(r == 0 && fclose(f) == 0 && fclose(csv) == 0);
	td_parquet_file_free(file);
	td_parquet_group_free(g);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; columns[i].c.type == TD_PARQUET_TEXT && k < columns[i].values.n;
		     k++)
			free((char *)columns[i].texts[k].p);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	state = strtoull(argv[2], NULL, 10) * 2654435761u + 88172645463325252u;
	for (unsigned i = 0; i < strtoul(argv[3], NULL, 10); i++)
		write_table(argv[1], i);
	return 0;
}
