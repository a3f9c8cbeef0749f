/* SPDX-License-Identifier: MIT */
/* How much of the time between given points was covered by intervals that go by in order. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_interval {
	int64_t start_ns, end_ns;
};

struct td_meter {
	const int64_t *points; /* ascending, borrowed */
	size_t n;
	int64_t *
		ns; /* covered between a point and the next one; then, of the sum, before each point */
	size_t at;
	bool any; /* was there an interval? */
};

/* Points must stay until the end. 0 or -ENOMEM. */
int td_meter_init(struct td_meter *m, const int64_t *points, size_t n);
void td_meter_done(struct td_meter *m);

/* Adds [start, end); it must not begin before the end of the one before. */
void td_meter_add(struct td_meter *m, int64_t start_ns, int64_t end_ns);

/* All intervals have gone by. */
void td_meter_finish(struct td_meter *m);

/* Covered between two of the points; what is no point counts as the next one before it. After
 * td_meter_finish(). */
int64_t td_meter_between(const struct td_meter *m, int64_t from_ns, int64_t to_ns);
