/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/suggest.h"
#include "cli/cli.h"
#include "cli/cli.h"
#include "tests/unit/check.h"

#define ARGC_MAX 8

static const struct {
	const char *args[ARGC_MAX];
	const char *error; /* NULL: none */
	bool flag;
	const char *text; /* "": not given */
	size_t nlist;
	const char *rest; /* what is no option, joined with '|' */
} cases[] = {
	{ { NULL }, NULL, false, "", 0, "" },
	{ { "a", "b" }, NULL, false, "", 0, "a|b|" },
	{ { "a", "--flag", "b", "--text", "x" }, NULL, true, "x", 0, "a|b|" },
	{ { "-fx", "a" }, "unknown option '-x'", true, "", 0, "" },
	{ { "-ft", "x" }, NULL, true, "x", 0, "" },
	{ { "--text=x=y", "-l1", "--list", "2" }, NULL, false, "x=y", 2, "" },
	{ { "--", "--flag" }, NULL, false, "", 0, "--flag|" },
	{ { "-" }, NULL, false, "", 0, "-|" },
	{ { "--text" }, "option '--text' needs a value", false, "", 0, "" },
	{ { "-t" }, "option '-t' needs a value", false, "", 0, "" },
	{ { "--flag=1" }, "option '--flag' takes no value", false, "", 0, "" },
	{ { "--falg" }, "unknown option '--falg'; did you mean '--flag'?", false, "", 0, "" },
	{ { "--falg=1" }, "unknown option '--falg'; did you mean '--flag'?", false, "", 0, "" },
	{ { "--zzz" }, "unknown option '--zzz'", false, "", 0, "" },
	{ { "--even=1" }, "'1' is odd", false, "", 0, "" },
};

static int set_even(void *target, char *value, struct td_err *err)
{
	return td_err_set(err, -EINVAL, "'%s' is odd", value);
}

static void test_parse(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		bool flag = false;
		const char *text = "";
		struct td_string_list list = { 0 };
		const struct td_option options[] = {
			{ "flag", 'f', NULL, "", td_set_flag, &flag },
			{ "text", 't', "TEXT", "", td_set_string, &text },
			{ "list", 'l', "ITEM", "", td_set_list, &list },
			{ "even", 0, "N", "", set_even, NULL },
			{ 0 },
		};
		char words[ARGC_MAX][32], *argv[ARGC_MAX + 2] = { words[0] }, rest[128] = "";
		struct td_err err = { 0 };
		int argc = 1, first = 0, r;

		(void)snprintf(words[0], sizeof(words[0]), "command");
		for (; argc < ARGC_MAX && cases[i].args[argc - 1]; argc++) {
			(void)snprintf(words[argc], sizeof(words[argc]), "%s",
				       cases[i].args[argc - 1]);
			argv[argc] = words[argc];
		}
		TD_CASE(cases[i].args[0]);
		r = td_options_parse(options, argc, argv, &first, &err);
		TD_CHECK_INT(r, cases[i].error ? -EINVAL : 0);
		TD_CHECK_STR(err.msg, cases[i].error ? cases[i].error : "");
		TD_CHECK_INT(flag, cases[i].flag);
		TD_CHECK_STR(text, cases[i].text);
		TD_CHECK_INT(list.n, cases[i].nlist);
		for (int k = first; r == 0 && k < argc; k++)
			(void)snprintf(rest + strlen(rest), sizeof(rest) - strlen(rest), "%s|",
				       argv[k]);
		TD_CHECK_STR(rest, cases[i].rest);
		free(list.items);
	}
}

static void test_help(void)
{
	static const struct td_command cmd = { "cut", "FILE", "cut things", NULL };
	static const struct td_option options[] = {
		{ "flag", 'f', NULL, "a flag", NULL, NULL },
		{ "a-long-name", 0, "WITH-A-VALUE", "something", NULL, NULL },
		{ 0 },
	};
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	TD_CASE("help");
	td_options_help(&cmd, options, f);
	fclose(f);
	TD_CHECK_STR(text, "Usage: tracedb cut [OPTION]... FILE\n"
			   "cut things\n"
			   "\n"
			   "Options:\n"
			   "  -f, --flag                  a flag\n"
			   "      --a-long-name WITH-A-VALUE\n"
			   "                              something\n");
}

static void test_suggest(void)
{
	static const struct {
		const char *a, *b;
		size_t distance;
	} distances[] = {
		{ "", "", 0 },
		{ "", "abc", 3 },
		{ "abc", "abc", 0 },
		{ "kitten", "sitting", 3 },
		{ "abcd", "acbd", 1 }, /* a swap */
		{ "report", "raport", 1 },
		{ "query", "info", 5 },
	};
	struct td_suggest s = { .wanted = "ifno" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(distances); i++) {
		TD_CASE(distances[i].b);
		TD_CHECK_INT(td_edit_distance(distances[i].a, distances[i].b),
			     distances[i].distance);
		TD_CHECK_INT(td_edit_distance(distances[i].b, distances[i].a),
			     distances[i].distance);
	}
	TD_CASE("suggest");
	td_suggest_offer(&s, "query");
	TD_CHECK(!s.best);
	td_suggest_offer(&s, "info");
	td_suggest_offer(&s, "inf");
	TD_CHECK_STR(s.best, "info");
}

int main(void)
{
	test_parse();
	test_help();
	test_suggest();
	return td_check_result();
}
