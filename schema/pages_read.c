/* SPDX-License-Identifier: MIT */
#include "schema/pages_read.h"
#include "common/cleanup.h"
#include "common/sqlite_page.h"

#define NUMBER_MAX (1u << 24) /* of pages that are noted: 64 GiB of the smallest */
#define FEW_LEAVES 64

bool td_pages_read_has(const struct td_pages_read *p, uint32_t number)
{
	return number / 8 < p->size && p->bits[number / 8] >> number % 8 & 1;
}

static bool make_room(struct td_pages_read *p, uint32_t number)
{
	size_t size = TD_MAX((size_t)number / 8 + 1, 2 * p->size);
	uint8_t *grown;

	if (number / 8 < p->size)
		return true;
	grown = number < NUMBER_MAX ? realloc(p->bits, size) : NULL;
	if (!grown)
		return false;
	memset(grown + p->size, 0, size - p->size);
	p->bits = grown;
	p->size = size;
	return true;
}

/* The first page has the schema. */
static void note(struct td_pages_read *p, const uint8_t *page, uint32_t number)
{
	uint8_t *copy;

	if (td_pages_read_has(p, number) || !make_room(p, number))
		return;
	p->bits[number / 8] |= (uint8_t)(1u << number % 8);
	if (number == 1 || p->ntables == TD_PAGES_READ_TABLES_MAX ||
	    !td_page_nchildren(page, p->page_size))
		return;
	copy = malloc(p->page_size);
	if (!copy)
		return;
	memcpy(copy, page, p->page_size);
	p->tables[p->ntables].number = number;
	p->tables[p->ntables++].page = copy;
}

void td_pages_read_note(struct td_pages_read *p, const void *bytes, size_t n, int64_t at)
{
	const uint8_t *page = bytes;
	int64_t before = at / p->page_size;

	if (at % p->page_size || n % p->page_size)
		return; /* a part of the header */
	for (size_t i = 0; i < n / p->page_size && before + (int64_t)i < NUMBER_MAX; i++)
		note(p, page + i * p->page_size, (uint32_t)(before + (int64_t)i) + 1);
}

static uint32_t nchildren(const struct td_pages_read *p, size_t table)
{
	return td_page_nchildren(p->tables[table].page, p->page_size);
}

static uint32_t child(const struct td_pages_read *p, size_t table, uint32_t i)
{
	return td_page_child(p->tables[table].page, p->page_size, i, nchildren(p, table));
}

/* No other page leads to it. */
static bool is_root(const struct td_pages_read *p, size_t table)
{
	for (size_t t = 0; t < p->ntables; t++)
		for (uint32_t i = 0; i < nchildren(p, t); i++)
			if (child(p, t, i) == p->tables[table].number)
				return false;
	return true;
}

/* False: none of its leaves has been read, or too few among too many. */
static bool find_leaves(const struct td_pages_read *p, size_t table, struct td_leaves_read *ret)
{
	uint32_t n = nchildren(p, table), first = 0, last = 0, nread = 0;

	for (uint32_t i = 0; i < n; i++)
		nread += td_pages_read_has(p, child(p, table, i));
	while (first < n && td_pages_read_has(p, child(p, table, first)))
		first++;
	while (last < n - first && td_pages_read_has(p, child(p, table, n - 1 - last)))
		last++;
	if (first == n || (nread > first + last && n <= FEW_LEAVES))
		first = last = 0;
	else if (!first && !last)
		return false;
	*ret = (struct td_leaves_read){ p->tables[table].number, first, last };
	return true;
}

size_t td_pages_read_leaves(const struct td_pages_read *p,
			    struct td_leaves_read ret[TD_PAGES_READ_TABLES_MAX])
{
	size_t n = 0;

	for (size_t t = 0; t < p->ntables; t++)
		n += is_root(p, t) && find_leaves(p, t, &ret[n]);
	return n;
}

void td_pages_read_done(struct td_pages_read *p)
{
	for (size_t t = 0; t < p->ntables; t++)
		free(p->tables[t].page);
	free(p->bits);
	*p = (struct td_pages_read){ 0 };
}
