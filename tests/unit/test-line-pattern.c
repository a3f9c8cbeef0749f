/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/line_pattern.h"
#include "tests/unit/check.h"

#define NONE (-1) /* no number */

static const struct {
	const char *pattern, *line;
	const char *name; /* NULL: it does not match */
	int64_t number;
	size_t start;
} cases[] = {
	/* no capture: the digits, and the word in front of them */
	{ "Epoch [0-9]+", "Epoch 3/90 loss 0.4", "epoch", 3, 0 },
	{ "step=[0-9]+", "lr=0.1 step=120", "step", 120, 7 },
	{ "Train Epoch: [0-9]+", "[INFO] Train Epoch: 12 [0/100]", "epoch", 12, 7 },
	{ "Epoch [0-9]+", "epoch 3", NULL, 0, 0 },
	{ "[Ee]poch", "an Epoch ends", "epoch", NONE, 3 },
	{ "Begin of .*", "== Begin of Evaluation ", "begin of evaluation", NONE, 3 },
	/* a number alone: the word in front of it, if there is one */
	{ "^\\[([0-9]+)/[0-9]+\\]", "[4/90] 17 it/s", "phase", 4, 0 },
	{ "global_step +([0-9]+)", "global_step   7", "global_step", 7, 0 },
	{ "of ([0-9]+) epochs: ([0-9]+)", "of 90 epochs: 4", "of", 90, 0 },
	{ "epoch of [0-9]+: ([0-9]+)", "epoch of 90: 4", "of", 4, 0 },
	/* a name alone: the first digits behind it */
	{ "(train|eval) of [0-9]+", "9 eval of 5", "eval", 5, 2 },
	{ "(Saving)", "Saving 3 files", "saving", NONE, 0 },
	/* both, in any order, and one that did not take part */
	{ "(Epoch|Step) ([0-9]+)", "Step 41", "step", 41, 0 },
	{ "([0-9]+)\\. (epoch|eval)", "3. eval", "eval", 3, 0 },
	{ "(a)?(b) ([0-9]+)", "b 5", "b", 5, 0 },
	{ "epoch ([0-9]*)(x*)", "epoch 8", "epoch", 8, 0 },
	/* too many digits for a number; 18 are not */
	{ "n ([0-9]+)", "n 1234567890123456789", "n 1234567890123456789", NONE, 0 },
	{ "n ([0-9]+)", "n 123456789012345678", "n", 123456789012345678, 0 },
	/* letters beyond ASCII stay as they are */
	{ "[^ ]* [0-9]+", "\xc3\x84ra 2", "\xc3\x84ra", 2, 0 },
};

static void test_match(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		struct td_line_match m;
		struct td_err err = { "" };
		regex_t re;

		TD_CASE(cases[i].line);
		TD_CHECK_INT(td_line_pattern_compile(&re, cases[i].pattern, &err), 0);
		TD_CHECK_INT(td_line_pattern_match(&re, cases[i].line, &m), cases[i].name != NULL);
		if (cases[i].name) {
			TD_CHECK_STR(m.name, cases[i].name);
			TD_CHECK_INT(m.has_number ? m.number : NONE, cases[i].number);
			TD_CHECK_INT(m.start, cases[i].start);
		}
		regfree(&re);
	}
}

/* A name is cut to 63 bytes, in front of a character that would not be whole: of 62 bytes and one of two. */
static void test_long_name(void)
{
	struct td_line_match m;
	struct td_err err = { "" };
	char line[80];
	regex_t re;

	TD_CASE("long name");
	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\0';
	memcpy(line + 62, "\xc3\xa4 1", 5);
	TD_CHECK_INT(td_line_pattern_compile(&re, "(.*) ([0-9])", &err), 0);
	TD_CHECK(td_line_pattern_match(&re, line, &m));
	TD_CHECK_INT(strlen(m.name), 62);
	TD_CHECK_INT(m.number, 1);
	/* what is no UTF-8 has no characters to be whole */
	memset(line, '\x93', 70);
	TD_CHECK(td_line_pattern_match(&re, line, &m) == false);
	memcpy(line + 70, " 1", 3);
	TD_CHECK(td_line_pattern_match(&re, line, &m));
	TD_CHECK_INT(strlen(m.name), 63);
	regfree(&re);
}

static void test_errors(void)
{
	struct td_err err = { "" };
	regex_t re;

	TD_CASE("errors");
	TD_CHECK_INT(td_line_pattern_compile(&re, "Epoch ([0-9]+", &err), -EINVAL);
	TD_CHECK(strstr(err.msg, "'Epoch ([0-9]+': no POSIX extended regular expression: ") !=
		 NULL);
	TD_CHECK_INT(td_line_pattern_compile(&re, "", &err), -EINVAL);
	TD_CHECK(strstr(err.msg, "empty") != NULL);
}

static void test_clean(void)
{
	static const struct {
		const char *line, *want;
	} lines[] = {
		{ "plain", "plain" },          { "\033[1;32mEpoch\033[0m 3", "Epoch 3" },
		{ "a\tb\rc\177d", "a b c d" }, { "cut \033[1", "cut " },
		{ "end \033", "end " },        { "two \033(B", "two (B" },
	};
	static char line[3 * TD_LINE_PATTERN_MAX], got[TD_LINE_PATTERN_MAX + 1];

	for (size_t i = 0; i < TD_ARRAY_SIZE(lines); i++) {
		TD_CASE(lines[i].want);
		TD_CHECK_INT(td_line_clean(lines[i].line, strlen(lines[i].line), got),
			     strlen(lines[i].want));
		TD_CHECK_STR(got, lines[i].want);
	}
	TD_CASE("long line");
	memset(line, 'x', sizeof(line));
	TD_CHECK_INT(td_line_clean(line, sizeof(line), got), TD_LINE_PATTERN_MAX);
	TD_CHECK_INT(strlen(got), TD_LINE_PATTERN_MAX);
}

int main(void)
{
	test_match();
	test_long_name();
	test_errors();
	test_clean();
	return td_check_result();
}
