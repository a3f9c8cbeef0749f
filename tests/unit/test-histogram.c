/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/histogram.h"
#include "tests/unit/check.h"

/* By hand: 64 buckets for each power of two from 128 on, which are 2 wide there, 4 from 256 on, ... */
static void test_buckets(void)
{
	static const struct {
		int64_t value, low, middle;
	} cases[] = {
		{ 0, 0, 0 },
		{ 1, 1, 1 },
		{ 127, 127, 127 },
		{ 128, 128, 129 },
		{ 129, 128, 129 },
		{ 130, 130, 131 },
		{ 255, 254, 255 },
		{ 256, 256, 258 },
		{ 259, 256, 258 },
		{ 1000, 1000, 1004 },
		{ 1000000, 999424, 1003520 },
	};

	TD_CASE("buckets");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t b = td_histogram_bucket(cases[i].value);

		TD_CHECK_INT(td_histogram_low(b), cases[i].low);
		TD_CHECK_INT(td_histogram_middle(b), cases[i].middle);
	}
	TD_CHECK(td_histogram_bucket(INT64_MAX) < TD_HISTOGRAM_BUCKETS);
	TD_CHECK_INT(td_histogram_bucket(INT64_MAX) + 1, TD_HISTOGRAM_BUCKETS);
}

/* The middle is off by 0.8 % at most, whatever the value. */
static void test_error(void)
{
	uint64_t seed = 1;

	TD_CASE("error");
	for (size_t i = 0; i < 100000; i++) {
		int64_t value, off;

		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		value = (int64_t)(seed >> (1 + seed % 62));
		off = llabs(td_histogram_middle(td_histogram_bucket(value)) - value);
		if ((double)off > 0.008 * (double)value)
			TD_CHECK_INT(td_histogram_middle(td_histogram_bucket(value)), value);
	}
}

static void count(struct td_histogram_count *c, int64_t from, int64_t until)
{
	for (int64_t v = from; v < until; v++)
		td_histogram_count_bucket(c, td_histogram_bucket(v));
}

/* 0 .. 1,000 and 500 .. 2,000 are 2,500 values; the 1,250th smallest is 875: 500 below 500, then
 * two of each. 875 is in 872 .. 879. */
static void test_merge(void)
{
	struct td_histogram_count *c = malloc(sizeof(*c));
	struct td_histogram a = { 0 }, b = { 0 };

	TD_CASE("merge");
	if (!c)
		return;
	memset(c, 0, sizeof(*c));
	count(c, 0, 1000);
	TD_CHECK_INT(td_histogram_take(c, &a), 0);
	count(c, 500, 2000);
	TD_CHECK_INT(td_histogram_take(c, &b), 0);
	TD_CHECK_INT(td_histogram_total(&a), 1000);
	TD_CHECK_INT(td_histogram_total(&b), 1500);
	TD_CHECK_INT(td_histogram_merge(&a, &b), 0);
	TD_CHECK_INT(td_histogram_total(&a), 2500);
	TD_CHECK_INT(td_histogram_low(td_histogram_rank(&a, 1)), 0);
	TD_CHECK_INT(td_histogram_low(td_histogram_rank(&a, 1250)), 872);
	TD_CHECK_INT(td_histogram_low(td_histogram_rank(&a, 2500)), 1984);
	td_histogram_done(&a);
	td_histogram_done(&b);
	free(c);
}

/* The same by way of bytes. */
static int merge_packed(struct td_histogram *to, const struct td_histogram *from)
{
	struct td_strbuf bytes = TD_STRBUF_INIT;
	int r;

	td_histogram_pack(from, &bytes);
	r = td_histogram_merge_packed(to, td_strbuf_str(&bytes), bytes.len);
	td_strbuf_done(&bytes);
	return r;
}

/* Buckets of one that are all, some or none of those of the other, by hand. */
static void test_merge_buckets(void)
{
	static const struct {
		struct td_bucket a[3], b[3], want[6];
		size_t na, nb, nwant;
	} cases[] = {
		{ { { 1, 5 }, { 4, 6 }, { 9, 7 } },
		  { { 4, 1 } },
		  { { 1, 5 }, { 4, 7 }, { 9, 7 } },
		  3,
		  1,
		  3 },
		{ { { 1, 5 }, { 4, 6 }, { 9, 7 } },
		  { { 1, 1 }, { 4, 2 }, { 9, 3 } },
		  { { 1, 6 }, { 4, 8 }, { 9, 10 } },
		  3,
		  3,
		  3 },
		{ { { 1, 5 }, { 4, 6 } },
		  { { 4, 1 }, { 5, 2 } },
		  { { 1, 5 }, { 4, 7 }, { 5, 2 } },
		  2,
		  2,
		  3 },
		{ { { 4, 6 } }, { { 1, 1 }, { 9, 2 } }, { { 1, 1 }, { 4, 6 }, { 9, 2 } }, 1, 2, 3 },
		{ { { 7, 1 } }, { { 3712, 0 } }, { { 7, 1 } }, 1, 0, 1 },
		{ { { 7, 1 } }, { { 8, 2 }, { 9, 3 } }, { { 8, 2 }, { 9, 3 } }, 0, 2, 2 },
		{ { { 7, UINT64_MAX - 1 } }, { { 7, 2 } }, { { 7, UINT64_MAX } }, 1, 1, 1 },
	};

	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(*cases); i++) {
		bool packed = i % 2;
		struct td_histogram to = { malloc(sizeof(cases[i / 2].a)), cases[i / 2].na };
		const struct td_histogram from = { (struct td_bucket *)cases[i / 2].b,
						   cases[i / 2].nb };

		TD_CASE(packed ? "merge buckets that are packed" : "merge buckets");
		if (!to.items)
			return;
		memcpy(to.items, cases[i / 2].a, sizeof(cases[i / 2].a));
		TD_CHECK_INT(packed ? merge_packed(&to, &from) : td_histogram_merge(&to, &from), 0);
		TD_CHECK_INT(to.n, cases[i / 2].nwant);
		for (size_t k = 0; k < to.n && k < cases[i / 2].nwant; k++) {
			TD_CHECK_INT(to.items[k].number, cases[i / 2].want[k].number);
			TD_CHECK(to.items[k].count == cases[i / 2].want[k].count);
		}
		td_histogram_done(&to);
	}
}

/* Bytes by hand: see the header. */
static void test_pack(void)
{
	static const struct {
		struct td_bucket buckets[3];
		size_t n;
		const char *bytes;
		size_t len;
		uint64_t total;
	} cases[] = {
		{ { { 0 } }, 0, "", 0, 0 },
		{ { { 0, 1 } }, 1, "\0", 1, 1 },
		{ { { 0, 2 }, { 1, 1 } }, 2, "\1\0\0", 3, 3 },
		{ { { 63, 1 }, { 127, 1 }, { 192, 1 } }, 3, "\x7e\x7e\x80\x01", 4, 3 },
		{ { { 1000, 130 }, { 1005, 3 } }, 2, "\xd1\x0f\x80\x01\x09\x01", 6, 133 },
		{ { { 1, UINT64_MAX }, { 2, 1 } },
		  2,
		  "\x03\xfd\xff\xff\xff\xff\xff\xff\xff\xff\x01\0",
		  12,
		  UINT64_MAX },
		{ { { TD_HISTOGRAM_BUCKETS - 1, UINT64_MAX } },
		  1,
		  "\xff\x39\xfd\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		  12,
		  UINT64_MAX },
	};

	TD_CASE("pack");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct td_histogram h = { (struct td_bucket *)cases[i].buckets, cases[i].n };
		struct td_histogram again = { 0 };
		struct td_strbuf bytes = TD_STRBUF_INIT;
		uint64_t total = 7;

		td_histogram_pack(&h, &bytes);
		TD_CHECK_INT(bytes.len, cases[i].len);
		TD_CHECK(memcmp(td_strbuf_str(&bytes), cases[i].bytes, cases[i].len) == 0);
		TD_CHECK_INT(td_histogram_packed_total(cases[i].bytes, cases[i].len, &total), 0);
		TD_CHECK(total == cases[i].total);
		TD_CHECK_INT(td_histogram_merge_packed(&again, cases[i].bytes, cases[i].len), 0);
		TD_CHECK_INT(again.n, h.n);
		for (size_t k = 0; k < TD_MIN(again.n, h.n); k++) {
			TD_CHECK_INT(again.items[k].number, h.items[k].number);
			TD_CHECK(again.items[k].count == h.items[k].count);
		}
		td_histogram_done(&again);
		td_strbuf_done(&bytes);
	}
}

/* A number that is cut, none where one must follow, a bucket that there is not, more values than a number can be. */
static void test_unpack_damaged(void)
{
	static const struct {
		const char *bytes;
		size_t len;
	} cases[] = {
		{ "\x80", 1 },
		{ "\0\x80", 2 },
		{ "\1", 1 },
		{ "\1\x80", 2 },
		{ "\x80\x3a", 2 },
		{ "\xfe\x39\0", 3 },
		{ "\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11 },
		{ "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\0", 11 },
	};

	TD_CASE("unpack what is damaged");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct td_histogram h = { 0 };
		uint64_t total = 7;

		TD_CHECK_INT(td_histogram_packed_total(cases[i].bytes, cases[i].len, &total),
			     -EBADMSG);
		TD_CHECK_INT(total, 7);
		TD_CHECK_INT(td_histogram_merge_packed(&h, cases[i].bytes, cases[i].len), -EBADMSG);
		td_histogram_done(&h);
	}
}

/* Counts of all buckets, added up one by one: what histograms of parts must come to. */
struct counted {
	uint64_t counts[TD_HISTOGRAM_BUCKETS];
	uint64_t total;
	size_t nused;
};

static void count_part(const struct td_histogram *part, struct counted *to)
{
	for (size_t i = 0; i < part->n; i++) {
		to->nused += to->counts[part->items[i].number] == 0;
		to->counts[part->items[i].number] += part->items[i].count;
		to->total += part->items[i].count;
	}
}

/* Has it these buckets with values, and no others? */
static bool is_of(const struct td_histogram *h, const struct counted *c)
{
	size_t k = 0;

	for (uint32_t b = 0; b < TD_HISTOGRAM_BUCKETS; b++) {
		bool there = k < h->n && h->items[k].number == b;

		if (c->counts[b] != (there ? h->items[k].count : 0))
			return false;
		k += there;
	}
	return k == h->n;
}

/* Up to n buckets of some, with few values each, or very many. */
static void make_part(uint32_t from, uint32_t until, size_t n, struct td_histogram *ret)
{
	ret->n = 0;
	for (uint32_t b = from; b < until; b++)
		if ((size_t)rand() % (until - from) < n)
			ret->items[ret->n++] =
				(struct td_bucket){ b, rand() % 9 ? 1 + (uint64_t)rand() % 3
								  : 1000 + (uint64_t)rand() };
}

/* Where buckets between the first and the last come to have values, and then some that are far off. */
static void test_merge_many(void)
{
	static const struct {
		uint32_t from, until;
		size_t n;
	} parts[] = {
		{ 1000, 1400, 60 }, { 1000, 1400, 60 }, { 1000, 1400, 200 }, { 1000, 1400, 60 },
		{ 1000, 1400, 60 }, { 990, 1410, 60 },  { 1600, 1601, 1 },   { 700, 701, 1 },
		{ 2200, 2201, 1 },  { 3500, 3501, 1 },  { 1000, 1400, 60 },  { 10, 11, 1 },
		{ 10, 1400, 900 },  { 0, 3712, 3712 },  { 1000, 1400, 1 },
	};
	static struct counted c;
	static struct td_bucket items[TD_HISTOGRAM_BUCKETS];

	srand(1);
	TD_CASE("merge many");
	for (size_t round = 0; round < 20; round++) {
		struct td_histogram plain = { 0 }, packed = { 0 }, part = { items, 0 };

		memset(&c, 0, sizeof(c));
		for (size_t i = 0; i < TD_ARRAY_SIZE(parts); i++) {
			struct td_histogram again = { 0 };

			make_part(parts[i].from, parts[i].until, parts[i].n, &part);
			count_part(&part, &c);
			TD_CHECK_INT(td_histogram_merge(&plain, &part), 0);
			TD_CHECK_INT(merge_packed(&packed, &part), 0);
			TD_CHECK(is_of(&plain, &c) && is_of(&packed, &c));
			TD_CHECK_INT(td_histogram_total(&plain), c.total);
			TD_CHECK(plain.n <= 4 * c.nused && packed.n <= 4 * c.nused);
			/* what has buckets without values adds to others, as it is and by way of bytes */
			TD_CHECK_INT(merge_packed(&again, &plain), 0);
			TD_CHECK(is_of(&again, &c));
			td_histogram_done(&again);
			TD_CHECK_INT(td_histogram_merge(&again, &part), 0);
			TD_CHECK_INT(td_histogram_merge(&again, &plain), 0);
			TD_CHECK_INT(td_histogram_total(&again),
				     c.total + td_histogram_total(&part));
			TD_CHECK(again.n <= 4 * c.nused);
			td_histogram_done(&again);
		}
		td_histogram_done(&plain);
		td_histogram_done(&packed);
	}
}

/* What counts eight bytes at once says the same as what looks at one bucket after the other: of
 * histograms, and of bytes that are none. */
static void test_total(void)
{
	size_t nwhole = 0;

	srand(2);
	TD_CASE("total");
	for (size_t round = 0; round < 20000; round++) {
		uint8_t bytes[40];
		size_t len = (size_t)rand() % (sizeof(bytes) + 1);
		struct td_histogram h = { 0 };
		uint64_t total = 0;
		int r;

		for (size_t i = 0; i < len; i++)
			bytes[i] = (uint8_t)(rand() % 16 ? rand() % 128 : rand());
		r = td_histogram_packed_total(bytes, len, &total);
		TD_CHECK_INT(td_histogram_merge_packed(&h, bytes, len), r);
		TD_CHECK(r < 0 || td_histogram_total(&h) == total);
		nwhole += r == 0;
		td_histogram_done(&h);
	}
	TD_CHECK(nwhole > 5000 && nwhole < 19000);
}

int main(void)
{
	test_buckets();
	test_error();
	test_merge();
	test_merge_buckets();
	test_merge_many();
	test_pack();
	test_unpack_damaged();
	test_total();
	return td_check_result();
}
