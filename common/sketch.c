/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "common/cleanup.h"
#include "common/sketch.h"

#define REGISTERS (1 << TD_SKETCH_BITS)

void td_sketch_merge(struct td_sketch *to, const struct td_sketch *from)
{
	for (unsigned i = 0; i < REGISTERS; i++)
		to->ranks[i] = TD_MAX(to->ranks[i], from->ranks[i]);
}

uint64_t td_sketch_count(const struct td_sketch *s)
{
	const double m = REGISTERS, alpha = 0.7213 / (1 + 1.079 / m);
	unsigned empty = 0;
	double sum = 0, estimate;

	for (unsigned i = 0; i < REGISTERS; i++) {
		sum += ldexp(1, -s->ranks[i]);
		empty += s->ranks[i] == 0;
	}
	estimate = alpha * m * m / sum;
	if (estimate <= 2.5 * m && empty)
		estimate = m * log(m / empty);
	return (uint64_t)(estimate + 0.5);
}
