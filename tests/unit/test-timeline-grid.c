/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "analyzer/timeline/grid.h"
#include "analyzer/timeline/render.h"
#include "common/cleanup.h"
#include "tests/unit/check.h"

#define NEAR(got, want) TD_CHECK(fabs((got) - (want)) < 1e-9)

static void check_grids(void)
{
	struct td_grids g = { 0 };

	TD_CASE("grids");
	/* 100 ns in 8 bins: 13 ns each, of which 7 hold 91 and the eighth the rest */
	TD_CHECK_INT(td_grids_add(&g, 1000, 1100, 8), 0);
	TD_CHECK_INT(g.items[0].width_ns, 13);
	TD_CHECK_INT(g.items[0].n, 8);
	/* fewer than asked for: 10 ns hold no more than 10 bins */
	TD_CHECK_INT(td_grids_add(&g, 1010, 1020, 64), 0);
	TD_CHECK_INT(g.items[1].width_ns, 1);
	TD_CHECK_INT(g.items[1].n, 10);
	TD_CHECK_INT(g.items[1].first, 8);
	TD_CHECK_INT(g.total, 18);
	TD_CHECK_INT(td_grids_add(&g, 5, 5, 1), -EINVAL);
	TD_CHECK_INT(td_grids_add(&g, INT64_MIN, INT64_MAX, 1), -EINVAL);
}

static void check_spread(void)
{
	struct td_grids g = { 0 };
	double v[12] = { 0 };

	TD_CASE("spread");
	TD_CHECK_INT(td_grids_add(&g, 0, 40, 4), 0); /* 0, 10, 20, 30 */
	TD_CHECK_INT(td_grids_add(&g, 10, 20, 2), 0); /* 10, 15 */
	/* 40 bytes from 5 to 25: 5, 10 and 5 ns of 20, so 10, 20, 10 bytes; of the second 10 and 10 */
	td_grids_spread(&g, 5, 25, 40, v);
	NEAR(v[0], 10);
	NEAR(v[1], 20);
	NEAR(v[2], 10);
	NEAR(v[3], 0);
	NEAR(v[4], 10);
	NEAR(v[5], 10);
	/* at once: all in its bin */
	td_grids_spread(&g, 30, 30, 7, v);
	NEAR(v[3], 7);
	/* half of it before the grid */
	td_grids_spread(&g, -10, 10, 8, v);
	NEAR(v[0], 14);
	/* a rate: bytes by ns, times 2 */
	td_grids_per_width(&g, 2, v);
	NEAR(v[0], 2.8);
	NEAR(v[4], 4);
}

static void check_cover(void)
{
	_cleanup_(td_during_done) struct td_during a = { 0 }, b = { 0 }, both = { 0 }, rest = { 0 };
	struct td_grids g = { 0 };
	double v[4] = { 0 };

	TD_CASE("cover");
	TD_CHECK_INT(td_cover_add(&a, 0, 5), 0);
	TD_CHECK_INT(td_cover_add(&a, 3, 8), 0); /* overlaps */
	TD_CHECK_INT(td_cover_add(&a, 8, 9), 0); /* touches */
	TD_CHECK_INT(td_cover_add(&a, 20, 20), 0); /* nothing */
	TD_CHECK_INT(td_cover_add(&a, 30, 40), 0);
	TD_CHECK_INT(a.n, 2);
	TD_CHECK_INT(a.items[0].end_ns, 9);
	TD_CHECK_INT(a.items[1].before_ns, 9);
	TD_CHECK_INT(td_cover_add(&b, 5, 12), 0);
	TD_CHECK_INT(td_cover_unite(&a, &b, &both), 0);
	TD_CHECK_INT(both.n, 2);
	TD_CHECK_INT(both.items[0].start_ns, 0);
	TD_CHECK_INT(both.items[0].end_ns, 12);
	/* of -5 .. 35 without 0 .. 12 and 30 .. 40 */
	TD_CHECK_INT(td_cover_others(&both, -5, 35, &rest), 0);
	TD_CHECK_INT(rest.n, 2);
	TD_CHECK_INT(rest.items[0].start_ns, -5);
	TD_CHECK_INT(rest.items[0].end_ns, 0);
	TD_CHECK_INT(rest.items[1].start_ns, 12);
	TD_CHECK_INT(rest.items[1].end_ns, 30);
	/* bins of 10 from 0: 10, 2, 0, 10 ns */
	TD_CHECK_INT(td_grids_add(&g, 0, 40, 4), 0);
	td_grids_cover(&g, &both, v);
	NEAR(v[0], 10);
	NEAR(v[1], 2);
	NEAR(v[2], 0);
	NEAR(v[3], 10);
}

static void check_axis(void)
{
	TD_CASE("axis");
	/* the smallest step of 1, 2, 5 ... of which at most so many are in it */
	TD_CHECK_INT(td_axis_step(999, 10), 100);
	TD_CHECK_INT(td_axis_step(54 * INT64_C(1000000000), 10), 10 * INT64_C(1000000000));
	TD_CHECK_INT(td_axis_step(3600 * INT64_C(1000000000), 10), 600 * INT64_C(1000000000));
	TD_CHECK_INT(td_axis_step(3 * 86400 * INT64_C(1000000000), 5), 86400 * INT64_C(1000000000));
}

int main(void)
{
	check_grids();
	check_spread();
	check_cover();
	check_axis();
	return td_check_result();
}
