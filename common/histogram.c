/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdbool.h>

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
	struct td_bucket *items = malloc((c->nused + 1) * sizeof(*items));
	size_t n = 0;

	if (!items)
		return -ENOMEM;
	for (uint32_t i = 0; i < TD_ARRAY_SIZE(c->used) && n < c->nused; i++)
		for (uint64_t bits = c->used[i]; bits; bits &= bits - 1) {
			uint32_t b = 64 * i + (uint32_t)__builtin_ctzll(bits);

			items[n++] = (struct td_bucket){ b, c->counts[b] };
			c->counts[b] = 0;
		}
	memset(c->used, 0, sizeof(c->used));
	c->nused = 0;
	*ret = (struct td_histogram){ items, n };
	return 0;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Merges what is left of from, from k on, with what there is from i on, which is where it belongs. */
static int merge_rest(struct td_histogram *to, size_t i, const struct td_histogram *from, size_t k)
{
	struct td_bucket *items = malloc((to->n + from->n - k) * sizeof(*items));
	size_t n = i;

	if (!items)
		return -ENOMEM;
	if (i)
		memcpy(items, to->items, i * sizeof(*items));
	while (i < to->n && k < from->n) {
		if (to->items[i].number < from->items[k].number) {
			items[n++] = to->items[i++];
		} else if (from->items[k].number < to->items[i].number) {
			items[n++] = from->items[k++];
		} else {
			items[n] = to->items[i++];
			items[n].count = plus(items[n].count, from->items[k++].count);
			n++;
		}
	}
	if (i < to->n)
		memcpy(items + n, to->items + i, (to->n - i) * sizeof(*items));
	n += to->n - i;
	if (k < from->n)
		memcpy(items + n, from->items + k, (from->n - k) * sizeof(*items));
	n += from->n - k;
	free(to->items);
	*to = (struct td_histogram){ items, n };
	return 0;
}

int td_histogram_merge(struct td_histogram *to, const struct td_histogram *from)
{
	struct td_bucket *at, *end;
	const struct td_bucket *more, *more_end;

	if (from->n == 0)
		return 0;
	if (to->n == 0)
		return merge_rest(to, 0, from, 0);
	/* in variables of their own, or they are read again after each count that is written */
	at = to->items;
	end = at + to->n;
	more = from->items;
	more_end = more + from->n;
	/* most often, when many parts are put together, there are all buckets already: nothing moves */
	for (; more < more_end; more++, at++) {
		while (at < end && at->number < more->number)
			at++;
		if (at == end || at->number != more->number)
			return merge_rest(to, (size_t)(at - to->items), from,
					  (size_t)(more - from->items));
		at->count = plus(at->count, more->count);
	}
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

/* --- as bytes --- */

static void add_number(struct td_strbuf *to, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		td_strbuf_addc(to, (char)(v | 0x80));
	td_strbuf_addc(to, (char)v);
}

void td_histogram_pack(const struct td_histogram *h, struct td_strbuf *to)
{
	uint32_t next = 0;

	for (size_t i = 0; i < h->n; i++) {
		const struct td_bucket *b = &h->items[i];

		add_number(to, (uint64_t)(b->number - next) << 1 | (b->count > 1));
		if (b->count > 1)
			add_number(to, b->count - 2);
		next = b->number + 1;
	}
}

/* False: there is no whole one. */
static bool take_number(const uint8_t **p, const uint8_t *end, uint64_t *ret)
{
	unsigned shift = 0;
	uint8_t byte;

	*ret = 0;
	do {
		if (*p == end || shift > 63)
			return false;
		byte = *(*p)++;
		*ret |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return true;
}

/* As take_bucket(), of any: apart, so that the others do not wait for room in registers. */
static __attribute__((noinline)) bool take_any_bucket(const uint8_t **p, const uint8_t *end,
						      uint64_t next, struct td_bucket *ret)
{
	uint64_t distance, more = 0;

	if (!take_number(p, end, &distance) || (next += distance >> 1) >= TD_HISTOGRAM_BUCKETS ||
	    (distance & 1 && (!take_number(p, end, &more) || more >= UINT64_MAX - 1)))
		return false;
	*ret = (struct td_bucket){ (uint32_t)next, distance & 1 ? more + 2 : 1 };
	return true;
}

/* A bucket that takes a byte, or two, as most do, is at p, and another byte before the end. */
static inline bool is_short(const uint8_t *p, const uint8_t *end)
{
	return end - p > 1 && !((p[0] | p[1]) & 0x80);
}

/* What the second byte of such a one adds to the count: whether it is one at all is a matter of
 * chance, so that no branch tells. */
static inline uint64_t more_of(const uint8_t *p)
{
	return -(uint64_t)(p[0] & 1) & (p[1] + UINT64_C(1));
}

/* The next bucket, which is next at least. False: there is none that is whole. */
static inline bool take_bucket(const uint8_t **p, const uint8_t *end, uint64_t next,
			       struct td_bucket *ret)
{
	/* copies, whose address the function may have: what p and ret point to stays in registers */
	const uint8_t *at = *p;
	struct td_bucket b;

	if (is_short(at, end)) {
		*ret = (struct td_bucket){ (uint32_t)next + (at[0] >> 1), 1 + more_of(at) };
		*p = at + 1 + (at[0] & 1);
		return ret->number < TD_HISTOGRAM_BUCKETS;
	}
	if (!take_any_bucket(&at, end, next, &b))
		return false;
	*p = at;
	*ret = b;
	return true;
}

int td_histogram_packed_total(const void *bytes, size_t len, uint64_t *ret)
{
	const uint8_t *p = bytes, *end = p + len;
	uint64_t next = 0, total = 0, of_short = 0;
	struct td_bucket b;

	while (p < end) {
		for (; is_short(p, end); p += 1 + (p[0] & 1)) {
			next += (p[0] >> 1) + UINT64_C(1);
			of_short += 1 + more_of(p);
		}
		if (p == end)
			break;
		if (!take_bucket(&p, end, next, &b))
			return -EBADMSG;
		next = (uint64_t)b.number + 1;
		total = plus(total, b.count);
	}
	if (next > TD_HISTOGRAM_BUCKETS)
		return -EBADMSG;
	*ret = plus(total, of_short);
	return 0;
}

/* Merges what is left of the bytes, whose first bucket is b, with what there is from i on, which is where it belongs. */
static int merge_rest_packed(struct td_histogram *to, size_t i, struct td_bucket b,
			     const uint8_t *p, const uint8_t *end)
{
	/* each takes a byte at least */
	struct td_bucket *items = malloc((to->n + 1 + (size_t)(end - p)) * sizeof(*items)), *fit;
	size_t n = i;
	bool more = true;

	if (!items)
		return -ENOMEM;
	if (i)
		memcpy(items, to->items, i * sizeof(*items));
	while (more) {
		while (i < to->n && to->items[i].number < b.number)
			items[n++] = to->items[i++];
		items[n] = b;
		if (i < to->n && to->items[i].number == b.number)
			items[n].count = plus(to->items[i++].count, b.count);
		n++;
		more = p < end;
		if (more && !take_bucket(&p, end, (uint64_t)b.number + 1, &b)) {
			free(items);
			return -EBADMSG;
		}
	}
	if (i < to->n)
		memcpy(items + n, to->items + i, (to->n - i) * sizeof(*items));
	n += to->n - i;
	free(to->items);
	fit = realloc(items, n * sizeof(*items));
	*to = (struct td_histogram){ fit ? fit : items, n };
	return 0;
}

int td_histogram_merge_packed(struct td_histogram *to, const void *bytes, size_t len)
{
	const uint8_t *p = bytes, *end = p + len;
	struct td_bucket *at = to->items, *stop = at + to->n, b;
	uint64_t next = 0;

	/* as td_histogram_merge() does */
	for (; p < end; at++) {
		if (!take_bucket(&p, end, next, &b))
			return -EBADMSG;
		if (at == stop || at->number != b.number) {
			while (at < stop && at->number < b.number)
				at++;
			if (at == stop || at->number != b.number)
				return merge_rest_packed(to, (size_t)(at - to->items), b, p, end);
		}
		at->count = plus(at->count, b.count);
		next = (uint64_t)b.number + 1;
	}
	return 0;
}
