/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/big.h"
#include "common/cleanup.h"
#include "tests/unit/check.h"

/* Are they the numbers from 0 on? */
static bool counts_up(const uint32_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i] != i)
			return false;
	return true;
}

/* Three million numbers are 12 MB: from the C library's memory into 4, 8 and 16 MiB of large pages. */
static void test_grow(void)
{
	_cleanup_free_ uint32_t *v = NULL;
	size_t n = 0, cap = 0;

	TD_CASE("grow");
	while (n < 3000000 && td_grow(&v, &cap, n) == 0) {
		v[n] = (uint32_t)n;
		n++;
	}
	TD_CHECK_INT(n, 3000000);
	TD_CHECK_INT(cap, 4194304); /* 16 times 2^18 */
	TD_CHECK_INT((uintptr_t)v % (2 * 1024 * 1024), 0);
	TD_CHECK(counts_up(v, n));
}

/* What is kept is any number of bytes, from any address. */
static void test_keep(void)
{
	static const size_t sizes[] = { 1, 1048575, 1500001, 2621440 };

	TD_CASE("keep");
	for (size_t i = 0; i < TD_ARRAY_SIZE(sizes); i++) {
		size_t used = sizes[i] * sizeof(uint32_t);
		uint32_t *v = malloc(used), *grown;

		for (uint32_t k = 0; v && k < sizes[i]; k++)
			v[k] = k;
		grown = v ? td_big_realloc(v, used, (size_t)24 << 20) : NULL;
		TD_CHECK(grown && counts_up(grown, sizes[i]));
		free(grown ? grown : v);
	}
}

static void test_zeroed(void)
{
	static const size_t sizes[] = { 1000, (size_t)4 << 20, ((size_t)6 << 20) + 1 };

	TD_CASE("zeroed");
	for (size_t i = 0; i < TD_ARRAY_SIZE(sizes); i++) {
		/* so that what is free is not zero */
		char *before = memset(td_big_alloc(sizes[i]), 'x', sizes[i]), *p;
		size_t n = 0;

		free(before);
		p = td_big_zeroed(sizes[i]);
		while (p && n < sizes[i] && p[n] == 0)
			n++;
		TD_CHECK_INT(n, sizes[i]);
		free(p);
	}
}

int main(void)
{
	test_grow();
	test_keep();
	test_zeroed();
	return td_check_result();
}
