/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/intern.h"
#include "tests/unit/check.h"

#define MANY 200000 /* several growths of every table, many arena chunks */

static void test_ids(void)
{
	_cleanup_(td_intern_done) struct td_intern t = TD_INTERN_INIT;
	char text[] = "read";

	TD_CASE("ids");
	TD_CHECK_INT(td_intern_find(&t, "read", 4), 0);
	TD_CHECK_INT(td_intern_add(&t, text, 4), 1);
	text[0] = 'X'; /* the text was copied */
	TD_CHECK_INT(td_intern_add(&t, "write", 5), 2);
	TD_CHECK_INT(td_intern_add(&t, "write", 5), 2);
	TD_CHECK_INT(td_intern_add(&t, "read", 4), 1);
	TD_CHECK_INT(td_intern_add(&t, "", 0), 3);
	TD_CHECK_INT(td_intern_find(&t, "", 0), 3);
	TD_CHECK_INT(td_intern_find(&t, "rea", 3), 0);
	TD_CHECK_INT(t.n, 3);
	TD_CHECK_STR(td_intern_get(&t, 1).p, "read");
	TD_CHECK_INT(td_intern_get(&t, 3).len, 0);
}

/* NUL bytes and length count: three texts that begin alike. */
static void test_binary(void)
{
	_cleanup_(td_intern_done) struct td_intern t = TD_INTERN_INIT;

	TD_CASE("binary");
	TD_CHECK_INT(td_intern_add(&t, "a\0b", 3), 1);
	TD_CHECK_INT(td_intern_add(&t, "a\0c", 3), 2);
	TD_CHECK_INT(td_intern_add(&t, "a", 1), 3);
	TD_CHECK(memcmp(td_intern_get(&t, 2).p, "a\0c", 4) == 0);
}

/* Texts of another interner, by their ids there. */
static void test_from(void)
{
	_cleanup_(td_intern_done) struct td_intern t = TD_INTERN_INIT, from = TD_INTERN_INIT;

	TD_CASE("from");
	TD_CHECK_INT(td_intern_add(&t, "old", 3), 1);
	TD_CHECK_INT(td_intern_add(&from, "new", 3), 1);
	TD_CHECK_INT(td_intern_add(&from, "old", 3), 2);
	TD_CHECK_INT(td_intern_find_from(&t, &from, 1), 0);
	TD_CHECK_INT(td_intern_find_from(&t, &from, 2), 1);
	TD_CHECK_INT(td_intern_add_from(&t, &from, 1), 2);
	TD_CHECK_INT(td_intern_add_from(&t, &from, 2), 1);
	TD_CHECK_INT(td_intern_add(&t, "new", 3), 2);
	TD_CHECK(td_intern_get(&t, 2).p != td_intern_get(&from, 1).p);
	TD_CHECK_STR(td_intern_get(&t, 2).p, "new");
}

/* Ids begin at 1 again; nothing of before is found. */
static void test_clear(void)
{
	_cleanup_(td_intern_done) struct td_intern t = TD_INTERN_INIT;
	char text[32];

	TD_CASE("clear");
	td_intern_clear(&t);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < MANY; i++) {
			int n = snprintf(text, sizeof(text), "%d in %d", i, round);

			TD_CHECK_INT(td_intern_find(&t, text, (size_t)n), 0);
			TD_CHECK_INT(td_intern_add(&t, text, (size_t)n), i + 1);
			TD_CHECK_STR(td_intern_get(&t, (uint32_t)i + 1).p, text);
		}
		td_intern_clear(&t);
		TD_CHECK_INT(td_intern_find(&t, "0 in 0", 6), 0);
	}
}

static void test_many(void)
{
	_cleanup_(td_intern_done) struct td_intern t = TD_INTERN_INIT;
	const char *first;
	char text[32];

	TD_CASE("many");
	TD_CHECK_INT(td_intern_add(&t, "/data/0", 7), 1);
	first = td_intern_get(&t, 1).p;
	for (int i = 1; i < MANY; i++) {
		int n = snprintf(text, sizeof(text), "/data/%d", i);

		TD_CHECK_INT(td_intern_add(&t, text, (size_t)n), i + 1);
	}
	for (int i = MANY - 1; i >= 0; i--) {
		int n = snprintf(text, sizeof(text), "/data/%d", i);

		TD_CHECK_INT(td_intern_find(&t, text, (size_t)n), i + 1);
		TD_CHECK_STR(td_intern_get(&t, (uint32_t)i + 1).p, text);
	}
	TD_CHECK_INT(t.n, MANY);
	TD_CHECK(td_intern_get(&t, 1).p == first); /* texts never move */
}

/* A text larger than an arena chunk, between small ones. */
static void test_large(void)
{
	_cleanup_(td_intern_done) struct td_intern t = TD_INTERN_INIT;
	_cleanup_free_ char *large = malloc(300000);

	TD_CASE("large");
	memset(large, 'x', 300000);
	TD_CHECK_INT(td_intern_add(&t, "before", 6), 1);
	TD_CHECK_INT(td_intern_add(&t, large, 300000), 2);
	TD_CHECK_INT(td_intern_add(&t, large, 299999), 3);
	TD_CHECK_INT(td_intern_add(&t, "after", 5), 4);
	TD_CHECK_INT(strlen(td_intern_get(&t, 2).p), 300000);
	TD_CHECK_INT(td_intern_get(&t, 3).len, 299999);
	TD_CHECK_STR(td_intern_get(&t, 4).p, "after");
	TD_CHECK_STR(td_intern_get(&t, 1).p, "before");
}

/* Closed, it is as one that nothing was added to, but the texts stay where they were. */
static void test_close(void)
{
	_cleanup_(td_intern_done) struct td_intern t = TD_INTERN_INIT;
	struct td_str text;

	TD_CASE("close");
	TD_CHECK_INT(td_intern_add(&t, "read", 4), 1);
	TD_CHECK_INT(td_intern_add(&t, "write", 5), 2);
	text = td_intern_get(&t, 2);
	td_intern_close(&t);
	TD_CHECK_STR(text.p, "write");
	TD_CHECK_INT(td_intern_find(&t, "read", 4), 0);
	TD_CHECK_INT(td_intern_add(&t, "open", 4), 1);
	TD_CHECK_STR(td_intern_get(&t, 1).p, "open");
	TD_CHECK_STR(text.p, "write");
}

int main(void)
{
	test_ids();
	test_binary();
	test_from();
	test_clear();
	test_many();
	test_large();
	test_close();
	return td_check_result();
}
