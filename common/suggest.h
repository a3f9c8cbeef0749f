/* SPDX-License-Identifier: MIT */
/* "Did you mean ...?" */
#pragma once

#include <stddef.h>

/* How many insertions, deletions, replacements and swaps of neighbours make b out of a. Texts of 64
 * bytes and more are as far apart as they are long. */
size_t td_edit_distance(const char *a, const char *b);

struct td_suggest {
	const char *wanted;
	const char *best; /* NULL: nothing is near */
	size_t distance;
};

/* Offers a name; the first of the nearest that are at most a third of their letters away wins. */
void td_suggest_offer(struct td_suggest *s, const char *name);
