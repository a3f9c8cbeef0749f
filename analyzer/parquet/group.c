/* SPDX-License-Identifier: MIT */
#include "analyzer/parquet/group_private.h"

#define GROUP_BYTES ((uint64_t)128 << 20) /* unpacked, all columns together */

int td_parquet_group_new(const struct td_parquet_column *columns, size_t n,
			 struct td_parquet_group **ret)
{
	_cleanup_(td_parquet_group_freep) struct td_parquet_group *g = calloc(1, sizeof(*g));

	if (!g)
		return -ENOMEM;
	g->chunks = calloc(n, sizeof(*g->chunks));
	g->scratch.zstd = ZSTD_createCCtx();
	g->scratch.levels = malloc(TD_PARQUET_PAGE_ROWS * sizeof(*g->scratch.levels));
	if (!g->chunks || !g->scratch.zstd || !g->scratch.levels)
		return -ENOMEM;
	for (; g->n < n; g->n++) {
		int r = td_chunk_init(&g->chunks[g->n], &columns[g->n]);

		if (r < 0) {
			td_chunk_done(&g->chunks[g->n]);
			return r;
		}
	}
	*ret = TAKE_PTR(g);
	return 0;
}

void td_parquet_group_free(struct td_parquet_group *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->n; i++)
		td_chunk_done(&g->chunks[i]);
	free(g->chunks);
	ZSTD_freeCCtx(g->scratch.zstd);
	free(g->scratch.levels);
	td_strbuf_done(&g->scratch.body);
	td_strbuf_done(&g->scratch.packed);
	td_strbuf_done(&g->scratch.header);
	free(g);
}

int td_parquet_put_numbers(struct td_parquet_group *g, size_t column, const int64_t *v,
			   const uint8_t *is_null, size_t n)
{
	return td_chunk_numbers(&g->chunks[column], &g->scratch, v, is_null, n);
}

int td_parquet_put_text(struct td_parquet_group *g, size_t column, const struct td_str *v)
{
	return td_chunk_text(&g->chunks[column], &g->scratch, v);
}

int td_parquet_put_codes(struct td_parquet_group *g, size_t column, const uint32_t *codes, size_t n)
{
	return td_chunk_codes(&g->chunks[column], &g->scratch, codes, n);
}

bool td_parquet_group_is_full(const struct td_parquet_group *g)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < g->n; i++)
		bytes += g->chunks[i].unpacked;
	return bytes >= GROUP_BYTES || (g->n && g->chunks[0].rows >= TD_PARQUET_GROUP_ROWS);
}

int td_parquet_group_end(struct td_parquet_group *g)
{
	int r = 0;

	for (size_t i = 0; i < g->n && r == 0; i++)
		r = g->chunks[i].rows == g->chunks[0].rows
			    ? td_chunk_end(&g->chunks[i], &g->scratch)
			    : -EINVAL;
	return r;
}
