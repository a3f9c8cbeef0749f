/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "schema/rows.h"
#include "schema/stage.h"
#include "tests/unit/check.h"

static struct td_shift shifts[3];

static const struct td_shift *shift_of(void *ud, const void *record)
{
	return &shifts[((const struct td_call *)record)->source_id];
}

struct seen {
	int64_t last, sum_ret;
	uint64_t n, disorder;
};

static int visit(void *ud, void *record)
{
	struct seen *s = ud;
	const struct td_call *c = record;

	s->disorder += c->start_ns < s->last;
	s->last = c->start_ns;
	s->sum_ret += c->ret;
	s->n++;
	return 0;
}

/* Enough rows of two sources for several runs of 16 MiB, times jittered, shifts that interleave them:
 * everything comes back once, in order of the shifted time. */
static void test_many(void)
{
	enum { N = 600000 };
	struct td_stage *s = NULL;
	struct seen seen = { .last = INT64_MIN };
	uint64_t x = 88172645463325252u;

	TD_CASE("many rows");
	TD_CHECK_INT(td_stage_new(&td_tables[TD_KIND_CALL], "/tmp/tracedb-test-stage", &s), 0);
	shifts[1] = (struct td_shift){ .offset_ns = 1000000 };
	shifts[2] = (struct td_shift){ .offset_ns = -300000, .drift = 1e-6 };
	for (uint16_t source = 1; source <= 2; source++) {
		for (int i = 0; i < N; i++) {
			struct td_call c = TD_CALL_INIT;

			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			c.start_ns = (int64_t)i * 1000 + (int64_t)(x % 50000);
			c.source_id = source;
			c.ret = i;
			TD_CHECK_INT(td_stage_add(s, &c), 0);
		}
		TD_CHECK_INT(td_stage_cut(s), 0);
	}
	TD_CHECK_INT(td_stage_count(s), 2 * N);
	for (int round = 0; round < 2; round++) {
		seen = (struct seen){ .last = INT64_MIN };
		TD_CHECK_INT(td_stage_read(s, shift_of, visit, &seen), 0);
		TD_CHECK_INT(seen.n, 2 * N);
		TD_CHECK_INT(seen.disorder, 0);
		TD_CHECK_INT(seen.sum_ret, (int64_t)N * (N - 1)); /* twice 0 + 1 + ... + N-1 */
	}
	TD_CHECK(access("/tmp/tracedb-test-stage", F_OK) != 0);
	td_stage_free(s);
}

static int order(void *ud, void *record)
{
	const struct td_call *c = record;
	int *next = ud;

	TD_CHECK_INT(c->ret, (*next)++);
	return 0;
}

/* Rows of equal time keep the order in which they came. */
static void test_stable(void)
{
	static const int64_t times[] = { 5, 3, 5, 3, -7, 5 }, rets[] = { 3, 1, 4, 2, 0, 5 };
	struct td_stage *s = NULL;
	int next = 0;

	TD_CASE("stable");
	shifts[0] = (struct td_shift){ 0 };
	TD_CHECK_INT(td_stage_new(&td_tables[TD_KIND_CALL], "/tmp/tracedb-test-stage", &s), 0);
	for (size_t i = 0; i < TD_ARRAY_SIZE(times); i++) {
		struct td_call c = TD_CALL_INIT;

		c.start_ns = times[i];
		c.ret = rets[i];
		TD_CHECK_INT(td_stage_add(s, &c), 0);
	}
	TD_CHECK_INT(td_stage_read(s, shift_of, order, &next), 0);
	TD_CHECK_INT(next, 6);
	td_stage_free(s);
}

int main(void)
{
	test_many();
	test_stable();
	return td_check_result();
}
