/* SPDX-License-Identifier: MIT */
/* What is said below results: each thing once, though several reports say it of more or fewer sources. */
#include "analyzer/notes.h"
#include "tests/unit/check.h"

static void test_said_once(void)
{
	static const struct {
		const char *name;
		const char *added[3]; /* one after the other */
		const char *want;
	} cases[] = {
		{ "the same", { "a\nb\n", "b\n", "a\n" }, "a\nb\n" },
		{ "fewer of a list",
		  { "lost: 3 in a, 4 in b\n", "lost: 4 in b\n" },
		  "lost: 3 in a, 4 in b\n" },
		{ "more of a list",
		  { "lost: 4 in b\nx\n", "lost: 3 in a, 4 in b\n" },
		  "x\nlost: 3 in a, 4 in b\n" },
		{ "others of a list",
		  { "lost: 3 in a\n", "lost: 4 in b\n" },
		  "lost: 3 in a\nlost: 4 in b\n" },
		{ "another number",
		  { "lost: 13 in a, 4 in b\n", "lost: 3 in a\n" },
		  "lost: 13 in a, 4 in b\nlost: 3 in a\n" },
		{ "another head",
		  { "lost: 3 in a, 4 in b\n", "cut: 3 in a\n" },
		  "lost: 3 in a, 4 in b\ncut: 3 in a\n" },
		{ "a longer line without a list", { "ab\n", "a\n" }, "ab\na\n" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf notes = TD_STRBUF_INIT;

		TD_CASE(cases[i].name);
		for (size_t k = 0; k < TD_ARRAY_SIZE(cases[i].added) && cases[i].added[k]; k++)
			td_notes_add(&notes, cases[i].added[k]);
		TD_CHECK_INT(td_strbuf_error(&notes), 0);
		TD_CHECK_STR(td_strbuf_str(&notes), cases[i].want);
	}
}

int main(void)
{
	test_said_once();
	return td_check_result();
}
