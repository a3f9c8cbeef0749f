/* SPDX-License-Identifier: MIT */
/* Puts a few numbers in order, smallest first, by insertion: for what is left when a selection has cut a set down. */
#pragma once

#include <stddef.h>
#include <stdint.h>

static inline void td_sort_few(uint32_t *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint32_t x = v[i];
		size_t at = i;

		for (; at > 0 && v[at - 1] > x; at--)
			v[at] = v[at - 1];
		v[at] = x;
	}
}
