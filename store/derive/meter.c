/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>

#include "store/derive/meter.h"
#include "common/cleanup.h"

int td_meter_init(struct td_meter *m, const int64_t *points, size_t n)
{
	*m = (struct td_meter){ .points = points, .n = n, .ns = calloc(n + 1, sizeof(*m->ns)) };
	return m->ns ? 0 : -ENOMEM;
}

void td_meter_done(struct td_meter *m)
{
	free(m->ns);
	m->ns = NULL;
}

void td_meter_add(struct td_meter *m, int64_t start_ns, int64_t end_ns)
{
	/* nearly all lie between the same two points as the one before */
	if (m->at + 1 < m->n && start_ns >= m->points[m->at] && end_ns > start_ns &&
	    end_ns <= m->points[m->at + 1]) {
		m->ns[m->at] += end_ns - start_ns;
		m->any = true;
		return;
	}
	while (m->at + 1 < m->n && m->points[m->at + 1] <= start_ns)
		m->at++;
	for (size_t i = m->at; i + 1 < m->n && m->points[i] < end_ns; i++) {
		int64_t from = TD_MAX(start_ns, m->points[i]);
		int64_t to = TD_MIN(end_ns, m->points[i + 1]);

		if (to > from) {
			m->ns[i] += to - from;
			m->any = true;
		}
	}
}

void td_meter_finish(struct td_meter *m)
{
	int64_t sum = 0;

	for (size_t i = 0; i < m->n; i++) {
		int64_t ns = m->ns[i];

		m->ns[i] = sum;
		sum += ns;
	}
}

/* The last point at or before the time; the first one if there is none. */
static size_t find(const struct td_meter *m, int64_t ns)
{
	size_t low = 0, high = m->n;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (m->points[middle] <= ns)
			low = middle;
		else
			high = middle;
	}
	return low;
}

int64_t td_meter_between(const struct td_meter *m, int64_t from_ns, int64_t to_ns)
{
	return m->n ? m->ns[find(m, to_ns)] - m->ns[find(m, from_ns)] : 0;
}
