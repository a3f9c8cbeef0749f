/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/suggest.h"

#define LEN_MAX 64

/* Optimal string alignment: the table of Wagner and Fischer, of which three rows are enough, with the
 * swap that Damerau added. */
size_t td_edit_distance(const char *a, const char *b)
{
	size_t rows[3][LEN_MAX + 1], na = strlen(a), nb = strlen(b);
	size_t *before = rows[0], *last = rows[1], *now = rows[2];

	if (na >= LEN_MAX || nb >= LEN_MAX)
		return TD_MAX(na, nb);
	for (size_t k = 0; k <= nb; k++)
		before[k] = last[k] = k;
	for (size_t i = 1; i <= na; i++) {
		size_t *free_row = before;

		now[0] = i;
		for (size_t k = 1; k <= nb; k++) {
			size_t cost = last[k - 1] + (a[i - 1] != b[k - 1]);

			cost = TD_MIN(cost, TD_MIN(last[k], now[k - 1]) + 1);
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				cost = TD_MIN(cost, before[k - 2] + 1);
			now[k] = cost;
		}
		before = last;
		last = now;
		now = free_row;
	}
	return last[nb];
}

void td_suggest_offer(struct td_suggest *s, const char *name)
{
	size_t distance = td_edit_distance(s->wanted, name);

	if (distance > (strlen(name) + 2) / 3 || (s->best && distance >= s->distance))
		return;
	s->best = name;
	s->distance = distance;
}
