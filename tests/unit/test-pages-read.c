/* SPDX-License-Identifier: MIT */
/* Which leaves of a table have been read, by pages that are made by hand. */
#include <stdlib.h>

#include "common/cleanup.h"
#include "schema/pages_read.h"
#include "tests/unit/check.h"

#define PAGE 4096
#define ROOT 3 /* of a table */
#define LEAVES 100 /* from this page on, in the order of the table, every other page */

static void put16(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static void put32(uint8_t *p, uint32_t v)
{
	put16(p, v >> 16);
	put16(p + 2, v & 0xffff);
}

/* A page that leads to n others, from one on; the cells from the end of the page: page, and rowid. */
static void make_interior(uint8_t *page, unsigned n, uint32_t from)
{
	memset(page, 0, PAGE);
	page[0] = 5;
	put16(page + 3, n - 1);
	for (unsigned i = 0; i + 1 < n; i++) {
		put16(page + 12 + 2 * i, PAGE - 5 * (i + 1));
		put32(page + PAGE - 5 * (i + 1), from + 2 * i);
	}
	put32(page + 8, from + 2 * (n - 1));
}

static void note(struct td_pages_read *p, const void *bytes, uint32_t number)
{
	td_pages_read_note(p, bytes, PAGE, (int64_t)(number - 1) * PAGE);
}

/* Leaves of one of n, and what is said of them. */
static void test_leaves(void)
{
	static const struct {
		unsigned n, nread;
		unsigned read[4][2]; /* from, until */
		size_t is_there;
		uint32_t first, last;
	} cases[] = {
		{ 10, 0, { { 0 } }, 0, 0, 0 },
		{ 10, 1, { { 0, 10 } }, 1, 0, 0 },
		{ 10, 1, { { 0, 1 } }, 1, 1, 0 },
		{ 10, 1, { { 9, 10 } }, 1, 0, 1 },
		{ 10, 2, { { 0, 2 }, { 9, 10 } }, 1, 2, 1 },
		{ 10, 1, { { 4, 5 } }, 1, 0, 0 }, /* one by one: next time another one */
		{ 10, 2, { { 0, 1 }, { 4, 5 } }, 1, 0, 0 },
		{ 500, 1, { { 4, 5 } }, 0, 0, 0 },
		{ 500, 2, { { 0, 1 }, { 4, 5 } }, 1, 1, 0 },
		{ 500, 3, { { 0, 100 }, { 499, 500 }, { 300, 310 } }, 1, 100, 1 },
		{ 500, 1, { { 0, 500 } }, 1, 0, 0 },
	};
	static uint8_t page[PAGE], leaf[PAGE] = { 13 };

	TD_CASE("leaves");
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		struct td_pages_read p = { .page_size = PAGE };
		struct td_leaves_read got[TD_PAGES_READ_TABLES_MAX];

		make_interior(page, cases[i].n, LEAVES);
		note(&p, page, ROOT);
		for (unsigned k = 0; k < cases[i].nread; k++)
			for (unsigned l = cases[i].read[k][0]; l < cases[i].read[k][1]; l++)
				note(&p, leaf, LEAVES + 2 * l);
		TD_CHECK_INT(td_pages_read_leaves(&p, got), cases[i].is_there);
		if (cases[i].is_there) {
			TD_CHECK_INT(got[0].root, ROOT);
			TD_CHECK_INT(got[0].first, cases[i].first);
			TD_CHECK_INT(got[0].last, cases[i].last);
		}
		td_pages_read_done(&p);
	}
}

/* A root that leads to pages that lead to leaves: only it has the same place in other files. */
static void test_root(void)
{
	static uint8_t pages[5 * PAGE];
	struct td_pages_read p = { .page_size = PAGE };
	struct td_leaves_read got[TD_PAGES_READ_TABLES_MAX];

	TD_CASE("root");
	make_interior(pages, 2, ROOT + 1); /* pages 4 and 6 */
	make_interior(pages + PAGE, 3, LEAVES);
	make_interior(pages + 3 * PAGE, 3, LEAVES + 6);
	pages[2 * PAGE] = pages[4 * PAGE] = 13;
	td_pages_read_note(&p, pages, sizeof(pages), (int64_t)(ROOT - 1) * PAGE);
	note(&p, pages + 2 * PAGE, LEAVES);
	TD_CHECK_INT(td_pages_read_leaves(&p, got), 1);
	TD_CHECK_INT(got[0].root, ROOT);
	TD_CHECK_INT(got[0].first, 0);
	TD_CHECK_INT(got[0].last, 0);
	td_pages_read_done(&p);
}

/* The first page is the schema's, a part of the header no page; cells that cannot be are none. */
static void test_others(void)
{
	static uint8_t page[PAGE], leaf[PAGE] = { 13 };
	struct td_pages_read p = { .page_size = PAGE };
	struct td_leaves_read got[TD_PAGES_READ_TABLES_MAX];

	TD_CASE("others");
	make_interior(page, 10, LEAVES);
	note(&p, page, 1);
	td_pages_read_note(&p, page, 16, 24);
	note(&p, leaf, LEAVES);
	TD_CHECK_INT(td_pages_read_leaves(&p, got), 0);
	put16(page + 3, UINT16_MAX);
	note(&p, page, ROOT);
	TD_CHECK_INT(td_pages_read_leaves(&p, got), 0);
	make_interior(page, 10, LEAVES);
	put16(page + 12, UINT16_MAX); /* where a page is said to be */
	note(&p, page, ROOT + 1);
	TD_CHECK_INT(td_pages_read_leaves(&p, got), 0);
	td_pages_read_done(&p);
}

int main(void)
{
	test_leaves();
	test_root();
	test_others();
	return td_check_result();
}
