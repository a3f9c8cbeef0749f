/* SPDX-License-Identifier: MIT */
/* Groups one after the other, and the footer; the numbers of fields are those of parquet.thrift. */
#include <endian.h>

#include "analyzer/parquet/group_private.h"
#include "analyzer/parquet/thrift.h"

#define MAGIC "PAR1"
#define CODEC_ZSTD 6
#define FORMAT_VERSION 2
enum { REQUIRED, OPTIONAL };
enum { CONVERTED_UTF8 = 0 };

static const int32_t types[] = {
	[TD_PARQUET_INT64] = 2, [TD_PARQUET_DOUBLE] = 5, [TD_PARQUET_TEXT] = 6, /* BYTE_ARRAY */
};

struct td_parquet_file {
	FILE *f; /* borrowed */
	const struct td_parquet_column *columns; /* borrowed */
	size_t n;
	int sorted_by;
	int64_t at, rows;
	size_t ngroups, nkeys;
	struct td_strbuf groups, keys; /* of the footer */
};

static int write_bytes(struct td_parquet_file *file, const char *p, size_t len)
{
	if (len && fwrite(p, 1, len, file->f) != len)
		return errno ? -errno : -EIO;
	file->at += (int64_t)len;
	return 0;
}

int td_parquet_file_new(FILE *f, const struct td_parquet_column *columns, size_t n, int sorted_by,
			struct td_parquet_file **ret)
{
	_cleanup_(td_parquet_file_freep) struct td_parquet_file *file = calloc(1, sizeof(*file));
	int r;

	if (!file)
		return -ENOMEM;
	*file = (struct td_parquet_file){
		.f = f, .columns = columns, .n = n, .sorted_by = sorted_by
	};
	r = write_bytes(file, MAGIC, strlen(MAGIC));
	if (r == 0)
		*ret = TAKE_PTR(file);
	return r;
}

void td_parquet_file_free(struct td_parquet_file *file)
{
	if (!file)
		return;
	td_strbuf_done(&file->groups);
	td_strbuf_done(&file->keys);
	free(file);
}

/* --- what the footer says of a group --- */

static void add_encodings(struct td_thrift *t, unsigned encodings)
{
	td_thrift_list(t, 2, TD_THRIFT_I32, (size_t)__builtin_popcount(encodings));
	for (int i = 0; i < 32; i++)
		if (encodings & 1u << i)
			td_thrift_element_i32(t, i);
}

/* Statistics */
static void add_stats(struct td_thrift *t, const struct td_chunk *c)
{
	struct td_thrift in = td_thrift_struct(t, 12);
	char numbers[2][8];
	struct td_str bounds[2];

	td_thrift_i64(&in, 3, (int64_t)c->stats.nulls);
	if (td_stats_bounds(c, numbers, bounds)) {
		td_thrift_binary(&in, 5, bounds[1]);
		td_thrift_binary(&in, 6, bounds[0]);
	}
	td_thrift_end(&in);
}

/* ColumnChunk, with its ColumnMetaData */
static void add_chunk(struct td_strbuf *b, const struct td_chunk *c, int64_t at)
{
	struct td_thrift t = td_thrift_begin(b), in;
	struct td_str name = { c->column->name, strlen(c->column->name) };

	td_thrift_i64(&t, 2, at);
	in = td_thrift_struct(&t, 3);
	td_thrift_i32(&in, 1, types[c->column->type]);
	add_encodings(&in, c->encodings);
	td_thrift_list(&in, 3, TD_THRIFT_BINARY, 1);
	td_thrift_element_binary(&in, name);
	td_thrift_i32(&in, 4, CODEC_ZSTD);
	td_thrift_i64(&in, 5, (int64_t)c->rows);
	td_thrift_i64(&in, 6, (int64_t)c->unpacked);
	td_thrift_i64(&in, 7, (int64_t)c->pages.len);
	td_thrift_i64(&in, 9, at + (int64_t)c->dict_bytes);
	if (c->dict_bytes)
		td_thrift_i64(&in, 11, at);
	add_stats(&in, c);
	td_thrift_end(&in);
	td_thrift_end(&t);
}

/* SortingColumn */
static void add_order(struct td_thrift *t, int column)
{
	struct td_thrift in;

	td_thrift_list(t, 4, TD_THRIFT_STRUCT, 1);
	in = td_thrift_begin(t->b);
	td_thrift_i32(&in, 1, column);
	td_thrift_bool(&in, 2, false);
	td_thrift_bool(&in, 3, true);
	td_thrift_end(&in);
}

/* RowGroup, which begins at file->at */
static void add_group(struct td_parquet_file *file, const struct td_parquet_group *g)
{
	struct td_thrift t = td_thrift_begin(&file->groups);
	int64_t unpacked = 0, packed = 0;

	td_thrift_list(&t, 1, TD_THRIFT_STRUCT, g->n);
	for (size_t i = 0; i < g->n; i++) {
		add_chunk(&file->groups, &g->chunks[i], file->at + packed);
		packed += (int64_t)g->chunks[i].pages.len;
		unpacked += (int64_t)g->chunks[i].unpacked;
	}
	td_thrift_i64(&t, 2, unpacked);
	td_thrift_i64(&t, 3, (int64_t)g->chunks[0].rows);
	if (file->sorted_by >= 0)
		add_order(&t, file->sorted_by);
	td_thrift_i64(&t, 5, file->at);
	td_thrift_i64(&t, 6, packed);
	td_thrift_end(&t);
	file->ngroups++;
	file->rows += (int64_t)g->chunks[0].rows;
}

int td_parquet_file_append(struct td_parquet_file *file, struct td_parquet_group *g)
{
	int r = 0;

	if (g->n == 0 || g->chunks[0].rows == 0)
		return 0;
	add_group(file, g);
	for (size_t i = 0; i < g->n && r == 0; i++)
		r = write_bytes(file, td_strbuf_str(&g->chunks[i].pages), g->chunks[i].pages.len);
	for (size_t i = 0; i < g->n; i++)
		td_chunk_reset(&g->chunks[i]);
	return r < 0 ? r : td_strbuf_error(&file->groups);
}

/* --- the footer --- */

/* KeyValue */
void td_parquet_file_key(struct td_parquet_file *file, const char *key, const char *value)
{
	struct td_thrift t = td_thrift_begin(&file->keys);

	td_thrift_binary(&t, 1, (struct td_str){ key, strlen(key) });
	td_thrift_binary(&t, 2, (struct td_str){ value, strlen(value) });
	td_thrift_end(&t);
	file->nkeys++;
}

/* SchemaElement of a column: text says so in the old way and in the new one. */
static void add_column(struct td_strbuf *b, const struct td_parquet_column *column)
{
	struct td_thrift t = td_thrift_begin(b), logical, string;

	td_thrift_i32(&t, 1, types[column->type]);
	td_thrift_i32(&t, 3, column->nullable ? OPTIONAL : REQUIRED);
	td_thrift_binary(&t, 4, (struct td_str){ column->name, strlen(column->name) });
	if (column->type == TD_PARQUET_TEXT && !column->binary) {
		td_thrift_i32(&t, 6, CONVERTED_UTF8);
		logical = td_thrift_struct(&t, 10);
		string = td_thrift_struct(&logical, 1);
		td_thrift_end(&string);
		td_thrift_end(&logical);
	}
	td_thrift_end(&t);
}

static void add_schema(struct td_thrift *t, const struct td_parquet_file *file)
{
	struct td_thrift root;

	td_thrift_list(t, 2, TD_THRIFT_STRUCT, file->n + 1);
	root = td_thrift_begin(t->b);
	td_thrift_binary(&root, 4, (struct td_str){ "schema", strlen("schema") });
	td_thrift_i32(&root, 5, (int32_t)file->n);
	td_thrift_end(&root);
	for (size_t i = 0; i < file->n; i++)
		add_column(t->b, &file->columns[i]);
}

/* ColumnOrder: bounds are in the order of the type. */
static void add_orders(struct td_thrift *t, size_t n)
{
	td_thrift_list(t, 7, TD_THRIFT_STRUCT, n);
	for (size_t i = 0; i < n; i++) {
		struct td_thrift order = td_thrift_begin(t->b), type = td_thrift_struct(&order, 1);

		td_thrift_end(&type);
		td_thrift_end(&order);
	}
}

/* FileMetaData */
static void add_footer(const struct td_parquet_file *file, struct td_strbuf *b)
{
	static const char by[] = "tracedb version " TRACEDB_VERSION;
	struct td_thrift t = td_thrift_begin(b);

	td_thrift_i32(&t, 1, FORMAT_VERSION);
	add_schema(&t, file);
	td_thrift_i64(&t, 3, file->rows);
	td_thrift_list(&t, 4, TD_THRIFT_STRUCT, file->ngroups);
	td_strbuf_add(b, td_strbuf_str(&file->groups), file->groups.len);
	if (file->nkeys) {
		td_thrift_list(&t, 5, TD_THRIFT_STRUCT, file->nkeys);
		td_strbuf_add(b, td_strbuf_str(&file->keys), file->keys.len);
	}
	td_thrift_binary(&t, 6, (struct td_str){ by, strlen(by) });
	add_orders(&t, file->n);
	td_thrift_end(&t);
}

int td_parquet_file_end(struct td_parquet_file *file)
{
	_cleanup_(td_strbuf_done) struct td_strbuf footer = TD_STRBUF_INIT;
	uint32_t len;
	int r;

	if (td_strbuf_error(&file->groups) < 0 || td_strbuf_error(&file->keys) < 0)
		return -ENOMEM;
	add_footer(file, &footer);
	len = htole32((uint32_t)footer.len);
	td_strbuf_add(&footer, (const char *)&len, sizeof(len));
	td_strbuf_adds(&footer, MAGIC);
	if (td_strbuf_error(&footer) < 0)
		return -ENOMEM;
	r = write_bytes(file, footer.p, footer.len);
	if (r == 0 && fflush(file->f) != 0)
		r = -errno;
	return r;
}
