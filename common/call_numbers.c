/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/call_numbers.h"
#include "common/array.h"
#include "common/cleanup.h"

/* Calls of a process are numbered one after the other, so what is looked up next is mostly where the last one was. */
#define PAGE_CALLS 16
struct td_call_page {
	uint32_t numbers[PAGE_CALLS];
};

/* Where the pages of a process are. Numbers of calls count up, so that most pages have some; what
 * is far beyond is damage, or of a process of days, and looked up by key. */
#define PAGES_BY_NUMBER ((uint64_t)1 << 22)
struct td_call_directory {
	int64_t process_id;
	uint32_t *pages; /* owned; plus 1; 0: there is none */
	size_t n;
};

static struct td_call_directory *find_directory(struct td_call_numbers *c, int64_t process_id)
{
	size_t i = 0;

	if (c->directory < c->ndirectories && c->directories[c->directory].process_id == process_id)
		return &c->directories[c->directory];
	while (i < c->ndirectories && c->directories[i].process_id != process_id)
		i++;
	if (i == c->ndirectories) {
		if (td_grow(&c->directories, &c->directories_cap, i) < 0)
			return NULL;
		c->directories[c->ndirectories++] =
			(struct td_call_directory){ .process_id = process_id };
	}
	c->directory = i;
	return &c->directories[i];
}

static uint32_t *find_near(struct td_call_numbers *c, int64_t process_id, uint64_t page)
{
	struct td_call_directory *d = find_directory(c, process_id);
	size_t n;
	uint32_t *pages;

	if (!d)
		return NULL;
	if (page >= d->n) {
		n = TD_MAX((size_t)page + 1, d->n * 2);
		pages = realloc(d->pages, n * sizeof(*pages));
		if (!pages)
			return NULL;
		memset(pages + d->n, 0, (n - d->n) * sizeof(*pages));
		d->pages = pages;
		d->n = n;
	}
	return &d->pages[page];
}

static uint32_t *find_far(struct td_call_numbers *c, int64_t process_id, uint64_t page)
{
	size_t before = c->far.n, i;

	if (td_keys_reserve(&c->far, 1) < 0 || td_grow(&c->far_pages, &c->far_cap, before) < 0)
		return NULL;
	i = td_keys_add(&c->far, (struct td_key){ (uint64_t)process_id, page });
	if (i == before)
		c->far_pages[i] = 0;
	return &c->far_pages[i];
}

uint32_t *td_call_numbers_place(struct td_call_numbers *c, int64_t process_id, int64_t correlation)
{
	uint64_t page = (uint64_t)correlation / PAGE_CALLS;
	uint32_t *number = page < PAGES_BY_NUMBER ? find_near(c, process_id, page)
						  : find_far(c, process_id, page);

	if (!number)
		return NULL;
	if (!*number) {
		if (c->npages == UINT32_MAX - 1 || td_grow(&c->pages, &c->pages_cap, c->npages) < 0)
			return NULL;
		c->pages[c->npages++] = (struct td_call_page){ 0 };
		*number = (uint32_t)c->npages;
	}
	return &c->pages[*number - 1].numbers[(uint64_t)correlation % PAGE_CALLS];
}

size_t td_call_numbers_index(const struct td_call_numbers *c, const uint32_t *place)
{
	return (size_t)(place - c->pages->numbers);
}

void td_call_numbers_done(struct td_call_numbers *c)
{
	for (size_t i = 0; i < c->ndirectories; i++)
		free(c->directories[i].pages);
	free(c->directories);
	td_keys_done(&c->far);
	free(c->far_pages);
	free(c->pages);
	*c = (struct td_call_numbers){ 0 };
}
