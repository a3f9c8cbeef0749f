/* SPDX-License-Identifier: MIT */
#pragma once

#include <errno.h>
#include <stdint.h>

#include "common/big.h"

/* Makes room for one more element behind n in a growing array: 0 or -ENOMEM, array untouched.
 *     r = td_grow(&a, &cap, n);                                                          */
#define td_grow(array, cap, n) td_grow_size((void **)(array), (cap), (n), sizeof(**(array)))

static inline int td_grow_size(void **array, size_t *cap, size_t n, size_t elem)
{
	size_t want = *cap ? *cap * 2 : 16;
	void *p;

	if (n < *cap)
		return 0;
	if (want > SIZE_MAX / elem)
		return -ENOMEM;
	p = td_big_realloc(*array, n * elem, want * elem);
	if (!p)
		return -ENOMEM;
	*array = p;
	*cap = want;
	return 0;
}
