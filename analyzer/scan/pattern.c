/* SPDX-License-Identifier: MIT */
#include "analyzer/scan/pattern.h"
#include "common/cleanup.h"
#include "schema/stat_math.h"

static int reserve(struct td_pattern *p, size_t more)
{
	size_t wanted = p->keys.n + more, cap = TD_MAX(wanted, p->cap * 2);
	struct td_stream *streams;

	if (td_keys_reserve(&p->keys, more) < 0)
		return -ENOMEM;
	if (wanted <= p->cap)
		return 0;
	streams = realloc(p->streams, cap * sizeof(*streams));
	if (!streams)
		return -ENOMEM;
	p->streams = streams;
	p->cap = cap;
	return 0;
}

static void count(struct td_group_sums *sums, uint32_t group, int64_t offset, int64_t position)
{
	td_group_sums_count(sums, group, offset == position ? TD_SUM_SEQUENTIAL : TD_SUM_RANDOM, 1);
}

static uint64_t id_of(int64_t id)
{
	return id == TD_NULL ? 0 : (uint64_t)id;
}

int td_pattern_add(struct td_pattern *p, const struct td_key_map *verbs, struct td_group_sums *sums,
		   const struct td_row_batch *b, const uint16_t *rows, const uint32_t *groups,
		   size_t n)
{
	if (reserve(p, n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		int64_t offset = b->columns[TD_ROW_OFFSET][rows[i]];
		int64_t bytes = b->columns[TD_ROW_BYTES][rows[i]];
		struct td_key key = {
			.lo = id_of(b->columns[TD_ROW_OBJECT][rows[i]]) << 8 |
			      (td_key_map_get(verbs, b->columns[TD_ROW_KIND][rows[i]]) & 0xff),
			.hi = id_of(b->columns[TD_ROW_PROCESS][rows[i]]),
		};
		size_t before = p->keys.n;
		uint32_t at;

		if (offset == TD_NULL || bytes == TD_NULL ||
		    b->columns[TD_ROW_NESTED][rows[i]] == 1)
			continue;
		at = td_keys_add(&p->keys, key);
		if (at == before)
			p->streams[at] =
				(struct td_stream){ .first_offset = offset, .group = groups[i] };
		else
			count(sums, groups[i], offset, p->streams[at].end);
		p->streams[at].end = td_plus(offset, bytes);
	}
	return 0;
}

int td_pattern_follow(struct td_pattern *p, const struct td_pattern *next, const uint32_t *groups,
		      struct td_group_sums *sums)
{
	if (reserve(p, next->keys.n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < next->keys.n; i++) {
		size_t before = p->keys.n;
		uint32_t at = td_keys_add(&p->keys, next->keys.items[i]);
		int64_t position = at == before ? 0 : p->streams[at].end;

		count(sums, groups[next->streams[i].group], next->streams[i].first_offset,
		      position);
		p->streams[at].end = next->streams[i].end;
	}
	return 0;
}

void td_pattern_done(struct td_pattern *p)
{
	td_keys_done(&p->keys);
	free(p->streams);
	*p = (struct td_pattern){ 0 };
}
