/* SPDX-License-Identifier: MIT */
/* A number for each call of a process, by the one that joins it with work of GPUs (call.correlation). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/keys.h"

struct td_call_page;
struct td_call_directory;

struct td_call_numbers {
	struct td_call_page *pages; /* owned; of some calls of a process each */
	size_t npages, pages_cap;
	struct td_keys far; /* process and place of pages that are looked up by key */
	uint32_t *far_pages; /* owned; as many; plus 1 */
	size_t far_cap;
	struct td_call_directory *directories; /* owned; few: a linear search */
	size_t ndirectories, directories_cap;
	size_t directory; /* the one that was looked at last */
};

/* Where the number of the call is, to be read and set until the next one is looked for. 0: it was
 * not set. NULL: out of memory. */
uint32_t *td_call_numbers_place(struct td_call_numbers *c, int64_t process_id, int64_t correlation);

/* Which of all places that is, from 0 up: calls that were looked for one after the other are mostly
 * next to each other. */
size_t td_call_numbers_index(const struct td_call_numbers *c, const uint32_t *place);

void td_call_numbers_done(struct td_call_numbers *c);
