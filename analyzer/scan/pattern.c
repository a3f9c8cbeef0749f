/* SPDX-License-Identifier: MIT */
#include "analyzer/scan/pattern.h"
#include "common/big.h"
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
	streams = td_big_realloc(p->streams, p->keys.n * sizeof(*streams), cap * sizeof(*streams));
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

/* Which of the rows are transfers whose place is known, and their streams. Returns how many there are. */
static size_t choose(const struct td_key_map *verbs, const struct td_row_batch *b,
		     const uint16_t *rows, size_t n, uint16_t *ret, struct td_key *ret_keys)
{
	size_t chosen = 0;

	for (size_t i = 0; i < n; i++) {
		uint16_t row = rows[i];

		if (b->columns[TD_ROW_OFFSET][row] == TD_NULL ||
		    b->columns[TD_ROW_BYTES][row] == TD_NULL || b->columns[TD_ROW_NESTED][row] == 1)
			continue;
		ret_keys[chosen] = (struct td_key){
			.lo = id_of(b->columns[TD_ROW_OBJECT][row]) << 8 |
			      (td_key_map_get(verbs, b->columns[TD_ROW_KIND][row]) & 0xff),
			.hi = id_of(b->columns[TD_ROW_PROCESS][row]),
		};
		ret[chosen++] = (uint16_t)i;
	}
	return chosen;
}

int td_pattern_add(struct td_pattern *p, const struct td_key_map *verbs, struct td_group_sums *sums,
		   const struct td_row_batch *b, const uint16_t *rows, const uint32_t *groups,
		   size_t n)
{
	struct td_key keys[TD_ROWS_AT_ONCE];
	uint16_t chosen[TD_ROWS_AT_ONCE];
	uint32_t streams[TD_ROWS_AT_ONCE];
	size_t before = p->keys.n;

	n = choose(verbs, b, rows, n, chosen, keys);
	if (reserve(p, n) < 0)
		return -ENOMEM;
	td_keys_add_all(&p->keys, keys, n, streams);
	for (size_t i = 0; i < n; i++)
		__builtin_prefetch(&p->streams[streams[i]]);
	for (size_t i = 0; i < n; i++) {
		struct td_stream *s = &p->streams[streams[i]];
		uint16_t row = rows[chosen[i]];
		int64_t offset = b->columns[TD_ROW_OFFSET][row];

		if (streams[i] == before) { /* new ones are numbered as they come */
			*s = (struct td_stream){ .first_offset = offset,
						 .group = groups[chosen[i]] };
			before++;
		} else {
			count(sums, groups[chosen[i]], offset, s->end);
		}
		s->end = td_plus(offset, b->columns[TD_ROW_BYTES][row]);
	}
	return 0;
}

/* The streams of the first thread are those of all, as yet. */
static void begin(struct td_pattern *p, struct td_pattern *first, const uint32_t *groups,
		  struct td_group_sums *sums)
{
	for (size_t i = 0; i < first->keys.n; i++)
		count(sums, groups[first->streams[i].group], first->streams[i].first_offset, 0);
	*p = *first;
	*first = (struct td_pattern){ 0 };
}

int td_pattern_follow(struct td_pattern *p, struct td_pattern *next, const uint32_t *groups,
		      struct td_group_sums *sums)
{
	uint32_t at[TD_ROWS_AT_ONCE];
	size_t n;

	if (!p->keys.n) {
		td_pattern_done(p);
		begin(p, next, groups, sums);
		return 0;
	}
	for (size_t from = 0; from < next->keys.n; from += n) {
		const struct td_stream *streams = &next->streams[from];
		size_t before = p->keys.n;

		n = TD_MIN(next->keys.n - from, (size_t)TD_ROWS_AT_ONCE);
		if (reserve(p, n) < 0)
			return -ENOMEM;
		td_keys_add_all(&p->keys, &next->keys.items[from], n, at);
		for (size_t i = 0; i < n; i++) {
			int64_t *end = &p->streams[at[i]].end;

			count(sums, groups[streams[i].group], streams[i].first_offset,
			      at[i] >= before ? 0 : *end);
			*end = streams[i].end;
		}
	}
	return 0;
}

void td_pattern_done(struct td_pattern *p)
{
	td_keys_done(&p->keys);
	free(p->streams);
	*p = (struct td_pattern){ 0 };
}
