/* SPDX-License-Identifier: MIT */
/* Numbers of names, from 1, in the order in which they came. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define TD_NUMBERS_MAX 65536

struct td_numbers {
	struct td_number {
		char *name; /* owned */
		uint32_t number;
	} * slots; /* TD_NUMBERS_SLOTS */
	uint32_t n;
};

/* The entry of the name, whose number is 0 when it is new: the caller gives it one. NULL: out of memory, or there are
 * TD_NUMBERS_MAX. */
struct td_number *td_number_of(struct td_numbers *t, const char *name);
