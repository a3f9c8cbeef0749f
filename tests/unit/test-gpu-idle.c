/* SPDX-License-Identifier: MIT */
/* When 'gpu idle > TIME' comes: samples of 200 ms each, as the driver makes them. */
#include <math.h>

#include "collector/samplers/gpu_idle.h"
#include "common/cleanup.h"
#include "tests/unit/check.h"

#define MS UINT64_C(1000000)
#define STEP_MS 200

/*
 * Each character of use is a sample: of GPU 0 '.', of GPU 1 ',' idle; '#' and '+' at work; '?' GPU 0 not known; ' ' a
 * second without any. 'want': '!' where the trigger comes.
 */
static const struct {
	const char *name, *condition, *use, *want;
} cases[] = {
	/* the sixth sample ends 1200 ms after the begin; one that ends after 1000 ms is not longer */
	{ "longer than a second", "gpu idle > 1s", "......", "     !" },
	{ "once", "gpu idle > 1s", "...............", "     !         " },
	{ "again after work", "gpu idle > 1s", "#......#......", "      !      !" },
	{ "short pauses", "gpu idle > 1s", "#.....#.....#.....", "                  " },
	{ "one that is not known begins anew", "gpu idle > 1s", "...?......", "         !" },
	{ "but is no work", "gpu idle > 1s", "......?.......", "     !        " },
	{ "no sample: not seen", "gpu idle > 1s", "...  ......", "          !" },
	{ "two GPUs", "gpu idle > 500ms", "#,#,#,#", "     ! " },
	{ "only the one", "gpu 1 idle > 500ms", ".+.+.+.,.,.,", "           !" },
	{ "both, one after the other", "gpu idle > 500ms", ".+.+.,.,.,", "    !    !" },
	{ "much longer", "gpu idle > 3s", "..............", "              " },
};

static void run(const char *condition, const char *use, const char *want)
{
	struct td_gpu_idle t = { 0 };
	uint64_t now_ns[2] = { 5000 * MS, 5000 * MS };
	struct td_err err = { "" };

	TD_CHECK_INT(td_gpu_idle_parse(condition, &t, &err), 0);
	for (size_t i = 0; use[i]; i++) {
		unsigned gpu = use[i] == ',' || use[i] == '+';
		double percent = use[i] == '#' || use[i] == '+' ? 1 : 0;

		if (use[i] == ' ') {
			now_ns[0] += 1000 * MS;
			continue;
		}
		now_ns[gpu] += STEP_MS * MS;
		TD_CHECK_INT(td_gpu_idle_add(&t, gpu, now_ns[gpu], STEP_MS * MS,
					     use[i] == '?' ? NAN : percent),
			     0);
		TD_CHECK_INT(td_gpu_idle_take(&t), want[i] == '!');
		TD_CHECK(!td_gpu_idle_take(&t));
	}
	td_gpu_idle_done(&t);
}

int main(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		TD_CASE(cases[i].name);
		TD_CHECK_INT(strlen(cases[i].use), strlen(cases[i].want));
		run(cases[i].condition, cases[i].use, cases[i].want);
	}
	return td_check_result();
}
