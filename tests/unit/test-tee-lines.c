/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <sys/mman.h>

#include "collector/tee/lines.h"
#include "common/cleanup.h"
#include "tests/unit/check.h"

#define NPATTERNS 2
#define MS INT64_C(1000000)
/* date -u -d "2024-05-01 10:00" +%s */
#define T0 (INT64_C(1714557600) * 1000 * MS)

/* What comes at a time: ms after T0. */
struct piece {
	int64_t at_ms;
	const char *text; /* NULL: the output ends */
};

static const struct {
	const char *name;
	struct piece pieces[6];
	const char *want; /* without the head */
} cases[] = {
	{
		.name = "a line is of when its first byte came",
		.pieces = { { 0, "starting\nEpo" }, { 5, "ch 1/9" }, { 8, " x\n" }, { 9, NULL } },
		.want = "1714557600.000000\tphase\t1\tepoch\t0\tEpoch 1/9 x\n"
			"1714557600.009000\tend\n",
	},
	{
		.name = "progress bars; what goes on is not written again",
		.pieces = { { 1, "\rEpoch 1: 0 %" },
			    { 2, "\rEpoch 1: 9 %" },
			    { 3, "\rEpoch 2: 0 %\r\n" },
			    { 4, "Epoch 1\n" },
			    { 5, NULL } },
		.want = "1714557600.001000\tphase\t1\tepoch\t0\tEpoch 1: 0 %\n"
			"1714557600.003000\tphase\t2\tepoch\t0\tEpoch 2: 0 %\n"
			"1714557600.004000\tphase\t1\tepoch\t0\tEpoch 1\n"
			"1714557600.005000\tend\n",
	},
	{
		.name = "two patterns in a line, colours, tabs, a number too large",
		.pieces = { { 1, "\033[1mEpoch 1\033[0m\tstep=7\n" },
			    { 2, "step=12345678901234567890\n" } },
		.want = "1714557600.001000\tphase\t1\tepoch\t0\tEpoch 1 step=7\n"
			"1714557600.001000\tphase\t7\tstep\t8\tEpoch 1 step=7\n"
			"1714557600.002000\tphase\t-\tstep=12345678901234567890\t0\t"
			"step=12345678901234567890\n",
	},
	/* no pattern is tried on it: there is an 'Epoch 3' in it */
	{
		.name = "MLPerf's",
		.pieces = { { 1, "0: :::MLL 1714557601.000 x: {\"v\": \"Epoch 3\"}\n" } },
		.want = "1714557600.001000\tline\t0: :::MLL 1714557601.000 x: {\"v\": \"Epoch "
			"3\"}\n",
	},
	{
		.name = "a last line without an end",
		.pieces = { { 1, "Epoch 5" }, { 2, NULL } },
		.want = "1714557600.001000\tphase\t5\tepoch\t0\tEpoch 5\n"
			"1714557600.002000\tend\n",
	},
};

static void compile(regex_t patterns[NPATTERNS], const regex_t *items[NPATTERNS])
{
	static const char *const texts[NPATTERNS] = { "Epoch [0-9]+", "step=[0-9]+" };
	struct td_err err = { "" };

	for (size_t i = 0; i < NPATTERNS; i++) {
		TD_CHECK_INT(td_line_pattern_compile(&patterns[i], texts[i], &err), 0);
		items[i] = &patterns[i];
	}
}

static void read_back(int fd, char *ret, size_t size)
{
	ssize_t n = pread(fd, ret, size - 1, 0);

	TD_CHECK(n >= 0);
	ret[TD_MAX(n, (ssize_t)0)] = '\0';
}

static void test_cases(const struct td_tee_patterns *patterns)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_close_ int fd = memfd_create("lines", MFD_CLOEXEC);
		struct td_tee_lines *l = td_tee_lines_new(fd, patterns);
		char got[4096];

		TD_CASE(cases[i].name);
		for (const struct piece *p = cases[i].pieces; p->at_ms || p->text; p++) {
			int64_t ts_ns = T0 + p->at_ms * MS;

			if (p->text)
				td_tee_lines_feed(l, p->text, strlen(p->text), ts_ns);
			else
				td_tee_lines_end(l, ts_ns);
		}
		td_tee_lines_free(l);
		read_back(fd, got, sizeof(got));
		TD_CHECK_STR(got, cases[i].want);
	}
}

/* Of a line of a megabyte the first 64 KiB are kept, and only 4 KiB of it are looked at for a pattern. */
static void test_long_line(const struct td_tee_patterns *patterns)
{
	_cleanup_close_ int fd = memfd_create("lines", MFD_CLOEXEC);
	struct td_tee_lines *l = td_tee_lines_new(fd, patterns);
	_cleanup_free_ char *text = malloc(1 << 20);
	char got[256];

	TD_CASE("long line");
	memset(text, 'x', 1 << 20);
	memcpy(text + 5000, "Epoch 1", 7);
	td_tee_lines_feed(l, text, 1 << 20, T0);
	td_tee_lines_feed(l, "\nEpoch 2\n", 9, T0 + MS);
	td_tee_lines_free(l);
	read_back(fd, got, sizeof(got));
	TD_CHECK_STR(got, "1714557600.001000\tphase\t2\tepoch\t0\tEpoch 2\n");
}

/* Where nothing can be written it is given up, and after td_tee_lines_stop(). */
static void test_stop(const struct td_tee_patterns *patterns)
{
	_cleanup_close_ int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	_cleanup_close_ int fd = memfd_create("lines", MFD_CLOEXEC);
	struct td_tee_lines *a = td_tee_lines_new(full, patterns);
	struct td_tee_lines *b = td_tee_lines_new(fd, patterns);
	char got[256];

	TD_CASE("stop");
	td_tee_lines_feed(a, "Epoch 1\nEpoch 2\n", 16, T0);
	td_tee_lines_end(a, T0);
	td_tee_lines_feed(b, "Epoch 1\nEpoch", 13, T0);
	td_tee_lines_stop(b);
	td_tee_lines_feed(b, " 2\n", 3, T0);
	td_tee_lines_end(b, T0);
	td_tee_lines_free(a);
	td_tee_lines_free(b);
	read_back(fd, got, sizeof(got));
	TD_CHECK_STR(got, "1714557600.000000\tphase\t1\tepoch\t0\tEpoch 1\n");
}

int main(void)
{
	regex_t compiled[NPATTERNS];
	const regex_t *items[NPATTERNS];
	const struct td_tee_patterns patterns = { items, NPATTERNS };

	compile(compiled, items);
	test_cases(&patterns);
	test_long_line(&patterns);
	test_stop(&patterns);
	for (size_t i = 0; i < NPATTERNS; i++)
		regfree(&compiled[i]);
	return td_check_result();
}
