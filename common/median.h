/* SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Twice the median of n > 0 values: the sum of the middle two, or twice the one in the middle. They
 * are left in another order, and not all of them. */
int64_t td_twice_median(int64_t *v, size_t n);
