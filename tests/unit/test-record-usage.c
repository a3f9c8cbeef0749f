/* SPDX-License-Identifier: MIT */
/* What recordings tell of CPU time and memory, by streams made by hand: a page is 4096 bytes here. */
#include "tests/unit/recording.h"

#define MS UINT64_C(1000000)

static void add_usage(struct td_strbuf *b, struct td_wire_usage w)
{
	td_wire_add(b, TD_WIRE_USAGE, &w, sizeof(w), NULL);
}

static void check_use(const struct td_use *got, int64_t observed_ns, int64_t user_ns,
		      int64_t system_ns, int64_t voluntary, int64_t involuntary, int64_t bytes)
{
	TD_CHECK_INT(got->observed_ns, observed_ns);
	TD_CHECK_INT(got->user_ns, user_ns);
	TD_CHECK_INT(got->system_ns, system_ns);
	TD_CHECK_INT(got->voluntary_switches, voluntary);
	TD_CHECK_INT(got->involuntary_switches, involuntary);
	TD_CHECK_INT(got->max_rss_bytes, bytes);
}

static const struct td_use *use_of(const struct td_imported *in, int64_t tid)
{
	for (size_t i = 0; i < in->has->nthreads; i++)
		if (in->has->threads[i].tid == tid)
			return &in->has->threads[i].use;
	return NULL;
}

static void test_sums(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	TD_CASE("sums");
	add_begin(&b);
	add_process(&b, 10, 0, T0, "python", "");
	add_process(&b, 20, TD_WIRE_PROCESS_FOUND, T0, "sh", "");
	/* two threads, and what the first did when its end was recorded */
	add_usage(&b, (struct td_wire_usage){ .head = { .tid = 10 },
					      .pid = 10,
					      .from_ns = T0,
					      .to_ns = T0 + 50 * MS,
					      .runtime_ns = 30 * MS,
					      .user_ns = 8 * MS,
					      .system_ns = 4 * MS,
					      .voluntary = 3,
					      .involuntary = 1,
					      .max_rss_pages = 100 });
	add_usage(&b, (struct td_wire_usage){ .head = { .tid = 12 },
					      .pid = 10,
					      .from_ns = T0 + 20 * MS,
					      .to_ns = T0 + 90 * MS,
					      .runtime_ns = 10 * MS,
					      .user_ns = 4 * MS,
					      .voluntary = 2,
					      .max_rss_pages = 120 });
	add_usage(&b, (struct td_wire_usage){ .head = { .tid = 10 },
					      .pid = 10,
					      .from_ns = T0 + 50 * MS,
					      .to_ns = T0 + 50 * MS,
					      .runtime_ns = 2 * MS,
					      .involuntary = 1,
					      .max_rss_pages = 110 });
	/* no tick came */
	add_usage(&b, (struct td_wire_usage){ .head = { .tid = 20 },
					      .pid = 20,
					      .from_ns = T0,
					      .to_ns = T0 + 9 * MS,
					      .runtime_ns = MS });
	add_end(&b, TD_WIRE_WHY_COMMAND, 0);
	import_stream(&in, &b);
	check_counts(&in, BEGIN_RECORDS + 2 + 4 + 1, 0, 0);
	/* of 42 ms 12 + 4 ticks: 4 of 16 in the kernel. 120 * 4096 bytes */
	check_use(&in.has->processes[0].use, 90 * MS, 315 * MS / 10, 105 * MS / 10, 5, 2, 491520);
	/* a third of 32 ms */
	check_use(use_of(&in, 10), 50 * MS, 21333334, 10666666, 3, 2, TD_NULL);
	check_use(use_of(&in, 12), 70 * MS, 10 * MS, 0, 2, 0, TD_NULL);
	check_use(&in.has->processes[1].use, 9 * MS, MS, 0, 0, 0, TD_NULL);
}

static void test_unknown(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	TD_CASE("unknown");
	add_begin(&b);
	add_process(&b, 10, 0, T0, "python", "");
	td_wire_add_call(&b, 10, T0 + 29, READ, 0);
	add_end(&b, TD_WIRE_WHY_COMMAND, 0);
	import_stream(&in, &b);
	check_use(&in.has->processes[0].use, TD_NULL, TD_NULL, TD_NULL, TD_NULL, TD_NULL, TD_NULL);
	check_use(use_of(&in, 10), TD_NULL, TD_NULL, TD_NULL, TD_NULL, TD_NULL, TD_NULL);
}

/* What cannot be is an issue, what adds up to more than can be stays below that. */
static void test_damage(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	const struct td_wire_usage good = { .head = { .tid = 10 },
					    .pid = 10,
					    .from_ns = T0,
					    .to_ns = T0 + 5,
					    .runtime_ns = UINT64_C(4000000000000000000),
					    .system_ns = UINT64_C(4000000000000000000),
					    .max_rss_pages = UINT64_MAX };
	struct td_wire_usage bad = good;

	TD_CASE("damage");
	add_begin(&b);
	for (int i = 0; i < 6; i++)
		add_usage(&b, good);
	bad.to_ns = T0 - 1;
	add_usage(&b, bad);
	bad = good;
	bad.runtime_ns = UINT64_MAX;
	add_usage(&b, bad);
	bad = good;
	bad.user_ns = UINT64_MAX;
	add_usage(&b, bad);
	add_end(&b, TD_WIRE_WHY_COMMAND, 0);
	import_stream(&in, &b);
	check_counts(&in, BEGIN_RECORDS + 6 + 1, 0, 3);
	check_use(&in.has->processes[0].use, 5, 0, INT64_C(4000000000000000000), 0, 0, TD_NULL);
}

int main(void)
{
	test_sums();
	test_unknown();
	test_damage();
	return td_check_result();
}
