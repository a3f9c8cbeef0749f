/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/histogram.h"

int64_t td_histogram_low(uint32_t bucket)
{
	uint32_t part = bucket & ((1 << TD_HISTOGRAM_BITS) - 1),
		 power = bucket >> TD_HISTOGRAM_BITS;

	return power == 0 ? (int64_t)part
			  : (int64_t)((UINT64_C(1) << TD_HISTOGRAM_BITS | part) << (power - 1));
}

int64_t td_histogram_middle(uint32_t bucket)
{
	int64_t low = td_histogram_low(bucket);

	return bucket >> TD_HISTOGRAM_BITS < 2
		       ? low
		       : low + (INT64_C(1) << ((bucket >> TD_HISTOGRAM_BITS) - 2));
}

int td_histogram_take(struct td_histogram_count *c, struct td_histogram *ret)
{
	struct td_bucket *items;
	size_t n = 0;

	for (uint32_t b = c->low; b < c->high; b++)
		n += c->counts[b] != 0;
	items = malloc((n + 1) * sizeof(*items));
	if (!items)
		return -ENOMEM;
	n = 0;
	for (uint32_t b = c->low; b < c->high; b++)
		if (c->counts[b])
			items[n++] = (struct td_bucket){ b, c->counts[b] };
	if (c->low < c->high)
		memset(c->counts + c->low, 0, (c->high - c->low) * sizeof(*c->counts));
	c->low = TD_HISTOGRAM_BUCKETS;
	c->high = 0;
	*ret = (struct td_histogram){ items, n };
	return 0;
}

int td_histogram_merge(struct td_histogram *to, const struct td_histogram *from)
{
	struct td_bucket *items = malloc((to->n + from->n + 1) * sizeof(*items));
	size_t i = 0, k = 0, n = 0;

	if (!items)
		return -ENOMEM;
	while (i < to->n || k < from->n) {
		if (k == from->n || (i < to->n && to->items[i].number < from->items[k].number)) {
			items[n++] = to->items[i++];
		} else if (i == to->n || from->items[k].number < to->items[i].number) {
			items[n++] = from->items[k++];
		} else {
			items[n] = to->items[i++];
			if (__builtin_add_overflow(items[n].count, from->items[k++].count,
						   &items[n].count))
				items[n].count = UINT64_MAX;
			n++;
		}
	}
	free(to->items);
	*to = (struct td_histogram){ items, n };
	return 0;
}

uint64_t td_histogram_total(const struct td_histogram *h)
{
	uint64_t total = 0;

	for (size_t i = 0; i < h->n; i++)
		total += h->items[i].count;
	return total;
}

uint32_t td_histogram_rank(const struct td_histogram *h, uint64_t rank)
{
	uint64_t before = 0;
	size_t i = 0;

	while (i + 1 < h->n && before + h->items[i].count < rank)
		before += h->items[i++].count;
	return h->items[i].number;
}

void td_histogram_done(struct td_histogram *h)
{
	free(h->items);
	*h = (struct td_histogram){ 0 };
}
