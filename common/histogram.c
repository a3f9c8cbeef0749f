/* SPDX-License-Identifier: MIT */
#include <endian.h>
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

/* Where histograms of many parts are put together most buckets between the first and the last come
 * to have values, of each part others: all of them have an item then, those without values, too, and
 * one is found by its number. Of fewer than so many buckets with values any is found fast. */
#define LAID_OUT_MIN 64
#define LAID_OUT_PER_USED 4 /* as many items for each of them at most */

static bool is_laid_out(const struct td_histogram *h)
{
	return h->n && h->items[h->n - 1].number - h->items[0].number == h->n - 1;
}

static bool pays(size_t nitems, size_t nused)
{
	return nused >= LAID_OUT_MIN && nitems <= LAID_OUT_PER_USED * nused;
}

static void empty_items(struct td_bucket *items, size_t n, uint32_t first)
{
	for (size_t i = 0; i < n; i++)
		items[i] = (struct td_bucket){ first + (uint32_t)i, 0 };
}

static size_t leave_out_empty(struct td_bucket *items, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (items[i].count)
			items[kept++] = items[i];
	return kept;
}

/* items: all have values. */
static void lay_out(struct td_histogram *to, struct td_bucket *items, size_t n)
{
	uint32_t first = items[0].number;
	size_t span = items[n - 1].number - first + 1, end = span;
	bool is_worth_it = pays(span, n);
	struct td_bucket *fit = realloc(items, (is_worth_it ? span : n) * sizeof(*items));

	*to = (struct td_histogram){ fit ? fit : items, n };
	if (!fit || !is_worth_it)
		return;
	while (n--) {
		size_t at = fit[n].number - first;

		fit[at] = fit[n];
		empty_items(fit + at + 1, end - at - 1, first + (uint32_t)at + 1);
		end = at;
	}
	to->n = span;
}

/* So that what is laid out has an item for that bucket, too. False: it does not pay, or no memory. */
static bool widen(struct td_histogram *to, uint32_t number)
{
	uint32_t first = TD_MIN(number, to->items[0].number);
	size_t before = to->items[0].number - first, nused = 1, n = to->n;
	size_t span = TD_MAX(before + n, (size_t)number - first + 1);
	struct td_bucket *grown;

	for (size_t i = 0; i < n; i++)
		nused += to->items[i].count != 0;
	grown = pays(span, nused) ? realloc(to->items, span * sizeof(*grown)) : NULL;
	if (!grown)
		return false;
	memmove(grown + before, grown, n * sizeof(*grown));
	empty_items(grown, before, first);
	empty_items(grown + before + n, span - before - n, first + (uint32_t)(before + n));
	*to = (struct td_histogram){ grown, span };
	return true;
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
	if (to->n)
		lay_out(to, items, leave_out_empty(items, n));
	else
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
		while (more->count == 0) /* the last one has values */
			more++;
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

		if (!b->count)
			continue;
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

/* Eight bytes at once, the first one lowest, and what is said of each of them in its byte. */
#define EACH UINT64_C(0x0101010101010101)
#define EVEN UINT64_C(0x0001000100010001)
#define ODD (EVEN << 8)
#define WORD sizeof(uint64_t)

/* 0xff for each byte in whose place there is a 1. */
static inline uint64_t all_bits(uint64_t ones)
{
	return (ones << 8) - ones;
}

static inline uint64_t sum_of_bytes(uint64_t v)
{
	uint64_t pairs = (v & all_bits(EVEN)) + (v >> 8 & all_bits(EVEN));

	return (pairs * EVEN) >> 48;
}

/* Which of eight bytes are the second ones of buckets, a 1 for each. begun: is the first one? Of
 * bytes behind each other that are odd every other one is, from the second one on, and so may be the
 * byte behind them: adding to the first one of them carries over all of them to that. */
static inline uint64_t second_bytes(uint64_t word, uint64_t begun)
{
	uint64_t odd = word & EACH & ~begun, run = all_bits(odd), first = odd & ~(odd << 8);
	uint64_t from_even = run ^ (run + (first & EVEN)), from_odd = run ^ (run + (first & ODD));

	return (from_even & ODD) | (from_odd & EVEN) | begun;
}

/* Counts what whole words of buckets that take a byte or two say; returns where the next one is. */
static const uint8_t *count_words(const uint8_t *p, const uint8_t *end, uint64_t *next,
				  uint64_t *total)
{
	uint64_t begun = 0, word, second;

	for (; end - p >= (ptrdiff_t)WORD; p += WORD) {
		memcpy(&word, p, WORD);
		word = le64toh(word);
		if (word & EACH << 7)
			break;
		second = second_bytes(word, begun);
		*total += WORD + sum_of_bytes(word & all_bits(second));
		*next += WORD - sum_of_bytes(second) +
			 sum_of_bytes((word & ~all_bits(second)) >> 1 & EACH * 0x3f);
		begun = (word & ~second) >> 56 & 1;
	}
	if (!begun)
		return p;
	*total -= 1;
	*next -= 1 + (p[-1] >> 1);
	return p - 1;
}

int td_histogram_packed_total(const void *bytes, size_t len, uint64_t *ret)
{
	const uint8_t *p = bytes, *end = p + len;
	uint64_t next = 0, total = 0, of_short = 0;
	struct td_bucket b;

	while (p < end) {
		p = count_words(p, end, &next, &of_short);
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
	struct td_bucket items[TD_HISTOGRAM_BUCKETS];
	struct td_histogram rest = { items, 0 };

	items[rest.n++] = b;
	for (; p < end; items[rest.n++] = b)
		if (!take_bucket(&p, end, (uint64_t)b.number + 1, &b))
			return -EBADMSG;
	return merge_rest(to, i, &rest, 0);
}

/* To one that is laid out. */
static int merge_by_number(struct td_histogram *to, const uint8_t *p, const uint8_t *end)
{
	struct td_bucket *items = to->items, b;
	uint32_t first = items[0].number;
	size_t n = to->n, at;

	for (uint64_t next = 0; p < end; next = (uint64_t)b.number + 1) {
		if (!take_bucket(&p, end, next, &b))
			return -EBADMSG;
		at = (size_t)b.number - first; /* beyond n, too, of one before the first */
		if (at >= n) {
			if (!widen(to, b.number))
				return merge_rest_packed(to, b.number < first ? 0 : n, b, p, end);
			items = to->items;
			first = items[0].number;
			n = to->n;
			at = b.number - first;
		}
		items[at].count = plus(items[at].count, b.count);
	}
	return 0;
}

int td_histogram_merge_packed(struct td_histogram *to, const void *bytes, size_t len)
{
	const uint8_t *p = bytes, *end = p + len;
	struct td_bucket *at = to->items, *stop = at + to->n, b;
	uint64_t next = 0;

	if (is_laid_out(to))
		return merge_by_number(to, p, end);
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
