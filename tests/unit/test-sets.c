/* SPDX-License-Identifier: MIT */
/* What the event sets are called, and what they make of what their BPF programs hand over. */
#include "collector/sets/provider.h"
#include "collector/bpf/faults.h"
#include "collector/bpf/libc.h"
#include "tests/unit/wire.h"

#define SEC_NS UINT64_C(1000000000)

static void test_sets(void)
{
	static const struct {
		const char *text;
		uint32_t want; /* 0: an error ... */
		const char *msg; /* ... which says this */
	} cases[] = {
		{ "file_io", 1u << TD_SET_FILE_IO, "" },
		{ "block,sched", 1u << TD_SET_BLOCK | 1u << TD_SET_SCHED, "" },
		{ "all", (1u << TD_NSETS) - 1, "" },
		{ "all,no-sched", ((1u << TD_NSETS) - 1) & ~(1u << TD_SET_SCHED), "" },
		{ "sched,no-sched,wait", 1u << TD_SET_WAIT, "" },
		{ "no-all", 0, "no event set is left to record" },
		{ "file-io", 0, "no event set is called 'file-io'; did you mean 'file_io'?" },
		{ "shed", 0, "no event set is called 'shed'; did you mean 'sched'?" },
		{ "", 0, "no event set is called ''" },
		{ "wait,", 0, "no event set is called ''" },
		{ "no-", 0, "no event set is called 'no-'" },
		{ "quite_something_else", 0, "no event set is called 'quite_something_else'" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		struct td_err err = { "" };
		uint32_t sets = 0;
		int r = td_sets_parse(cases[i].text, &sets, &err);

		TD_CASE(cases[i].text);
		TD_CHECK_INT(r, cases[i].want ? 0 : -EINVAL);
		TD_CHECK_INT(sets, cases[i].want);
		TD_CHECK_STR(err.msg, cases[i].msg);
	}
	TD_CASE("no-x takes away from what is on");
	TD_CHECK(td_sets_default() & 1u << TD_SET_WAIT);
	{
		uint32_t sets = 0;

		TD_CHECK_INT(td_sets_parse("no-wait", &sets, NULL), 0);
		TD_CHECK_INT(sets, td_sets_default() & ~(1u << TD_SET_WAIT));
	}
}

/* What collector/sets/provider.h asks of each. */
static void test_providers(void)
{
#define NAME(number, name) [TD_SET_##number] = #name,
	static const char *const names[TD_NSETS] = { TD_SETS(NAME) };
#undef NAME

	for (size_t i = 0; i < TD_NSETS; i++) {
		const struct td_set_provider *s = td_sets[i];

		TD_CASE(names[i]);
		TD_CHECK_STR(s->name, names[i]);
		TD_CHECK(s->help && strlen(s->help) < 64);
		TD_CHECK(s->hooks[0]);
		TD_CHECK(s->ops.n <= TD_OPS_PER_SET);
		TD_CHECK(!s->map == !s->put_entry);
	}
}

static void test_faults(void)
{
	const uint32_t pid = 77;
	struct td_raw_faults raw = { .head = { .tid = pid, .flags = TD_RAW_FAULTS_FIRST },
				     .from_ns = 2 * SEC_NS,
				     .to_ns = 2 * SEC_NS + SEC_NS / 2,
				     .minor = 30,
				     .major = 3,
				     .track = 40 };
	struct td_faults counted = { .second = 4, .from_ns = 4 * SEC_NS, .track = 40, .told = 1 };
	struct td_wire_lines w = { 0 };

	TD_CASE("the first page faults of a process");
	TD_CHECK_INT(td_set_faults.put(&raw.head, td_wire_sink, &w), 0);
	td_wire_check(&w, "track 40 faults.minor (1/s) kind 255 number 0 '' pid 77\n"
			  "track 41 faults.major (1/s) kind 255 number 0 '' pid 77\n"
			  "faults.minor of a process  @2500+500 = 60\n"
			  "faults.major of a process  @2500+500 = 6\n");
	TD_CASE("later ones");
	raw.head.flags = 0;
	raw.to_ns = 3 * SEC_NS;
	TD_CHECK_INT(td_set_faults.put(&raw.head, td_wire_sink, &w), 0);
	td_wire_check(&w, "faults.minor of a process  @3000+1000 = 30\n"
			  "faults.major of a process  @3000+1000 = 3\n");

	TD_CASE("none is left in the map");
	TD_CHECK_INT(td_set_faults.put_entry(&pid, &counted, 9 * SEC_NS, td_wire_sink, &w), 0);
	td_wire_check(&w, "");
	TD_CASE("of a second that is over");
	counted.minor = 8;
	TD_CHECK_INT(td_set_faults.put_entry(&pid, &counted, 9 * SEC_NS, td_wire_sink, &w), 0);
	td_wire_check(&w, "faults.minor of a process  @5000+1000 = 8\n"
			  "faults.major of a process  @5000+1000 = 0\n");
	TD_CASE("of one that is not");
	TD_CHECK_INT(
		td_set_faults.put_entry(&pid, &counted, 4 * SEC_NS + SEC_NS / 4, td_wire_sink, &w),
		0);
	td_wire_check(&w, "faults.minor of a process  @4250+250 = 32\n"
			  "faults.major of a process  @4250+250 = 0\n");
	td_strbuf_done(&w.text);
}

static void test_libc(void)
{
	struct td_libc_key key = { 77, TD_LIBC_MALLOC };
	struct td_raw_totals raw = { .key = { 77, TD_LIBC_FREE }, .totals = { .calls = 9 } };
	struct td_libc_totals totals = { .calls = 6, .sum = 100 };
	struct td_wire_lines w = { 0 };

	totals.buckets[0] = 1; /* bytes: 0 */
	totals.buckets[5] = 5; /* 16 up to 31 */
	TD_CASE("memory by size");
	TD_CHECK_INT(td_set_malloc.put_entry(&key, &totals, 0, td_wire_sink, &w), 0);
	td_wire_check(&w, "summary malloc.calls '77 malloc' 0 to 1: 1\n"
			  "summary malloc.calls '77 malloc' 16 to 32: 5\n"
			  "summary malloc.bytes '77 malloc' nan to nan: 100 bytes\n");
	TD_CASE("which is not for the other set in the same map");
	TD_CHECK_INT(td_set_pthread.put_entry(&key, &totals, 0, td_wire_sink, &w), 0);
	td_wire_check(&w, "");
	TD_CASE("locks by time");
	key.function = TD_LIBC_SEM_WAIT;
	TD_CHECK_INT(td_set_malloc.put_entry(&key, &totals, 0, td_wire_sink, &w), 0);
	TD_CHECK_INT(td_set_pthread.put_entry(&key, &totals, 0, td_wire_sink, &w), 0);
	td_wire_check(&w, "summary pthread.calls '77 sem_wait' 0 to 1: 1\n"
			  "summary pthread.calls '77 sem_wait' 16 to 32: 5\n"
			  "summary pthread.time '77 sem_wait' nan to nan: 100 ns\n");
	TD_CASE("of a process that has ended; free() has no sizes");
	TD_CHECK_INT(td_set_malloc.put(&raw.head, td_wire_sink, &w), 0);
	td_wire_check(&w, "summary malloc.calls '77 free' nan to nan: 9\n");
	td_strbuf_done(&w.text);
}

int main(void)
{
	test_sets();
	test_providers();
	test_faults();
	test_libc();
	return td_check_result();
}
