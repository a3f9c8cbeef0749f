/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "collector/cuda/numbers.h"

#define SLOTS (2 * TD_NUMBERS_MAX) /* a power of two, never more than half full */

/* FNV-1a */
static uint64_t hash(const char *s)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	return h ^ h >> 32;
}

struct td_number *td_number_of(struct td_numbers *t, const char *name)
{
	struct td_number *s;
	size_t i = hash(name) % SLOTS;

	if (!t->slots)
		t->slots = calloc(SLOTS, sizeof(*t->slots));
	if (!t->slots)
		return NULL;
	for (s = &t->slots[i]; s->name; s = &t->slots[i]) {
		if (strcmp(s->name, name) == 0)
			return s;
		i = (i + 1) % SLOTS;
	}
	if (t->n == TD_NUMBERS_MAX)
		return NULL;
	s->name = strdup(name);
	if (!s->name)
		return NULL;
	t->n++;
	return s;
}
