/* SPDX-License-Identifier: MIT */
/* Folded stacks, and the keys of bpftrace's maps that hold stacks. */
#include "importers/core/importers.h"
#include "tests/unit/stacks.h"

/* "value unit name: stack", or without a unit, a line for each */
static void check_totals(const struct td_imported *in, const char *want)
{
	_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;

	for (size_t i = 0; i < in->has->nstack_totals; i++) {
		const struct td_stack_total *t = &in->has->stack_totals[i];

		td_strbuf_addf(&got, "%" PRId64 "%s%s %s: ", t->value, t->unit ? " " : "",
			       t->unit ? t->unit : "", t->name);
		td_add_stack(&got, in, t->stack_id);
		td_strbuf_addc(&got, '\n');
	}
	TD_CHECK_STR(td_strbuf_str(&got), want);
}

static void test_folded(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("folded");
	td_import_text(&in, &td_importer_folded,
		       "python;main;load;read 15\n"
		       "python;main;vfs_read_[k] 3\n\n"
		       "java;f(int, char)_[i] 4\n"
		       "swapper 7\n"
		       "python;main -1\n"
		       ";;; 5\n"
		       "python;main;load;read 1",
		       NULL);
	check_totals(&in, "15 test: python@?;main@?;load@?;read@?\n"
			  "3 test: python@?;main@?;vfs_read@[kernel.kallsyms]\n"
			  "4 test: java@?;f(int, char)@?\n"
			  "7 test: swapper@?\n");
	TD_CHECK_INT(td_issues_of(&in, "not-a-stack"), 2);
	TD_CHECK_INT(td_issues_of(&in, "cut-line"), 1);
}

static void test_sniff(void)
{
	static const struct {
		const char *text;
		bool is;
	} heads[] = {
		{ "a;b 1\n", true },         { "a;b;c 1\na 2\n", true },
		{ "a 1\nb 2\n", false },     { "a;b 1\nb two\n", false },
		{ "x = 1; y = 2\n", false }, { "1;2;3 4\n", false },
		{ "a;b 1.5\n", false },      { "", false },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(heads); i++) {
		TD_CASE(heads[i].text);
		TD_CHECK_INT(td_importer_folded.sniff(heads[i].text, strlen(heads[i].text)) > 0,
			     heads[i].is);
	}
}

/* The first is the inner one, unless the second is the kernel's. */
static void test_maps(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("maps");
	td_import_text(
		&in, &td_importer_bpftrace_tools,
		"Attaching 1 probe...\n"
		"@[\n    vfs_read+1\n    do_syscall_64+103\n, \n    0x7f31\n    main+5\n, cat]: "
		"12\n"
		"@u[\n    read+5\n    main+2\n, \n    vfs_read+1\n    do_syscall_64+103\n]: 3\n"
		"@[cat, \n    vfs_read+1\n]: 4\n",
		NULL);
	check_totals(&in, "12 @: cat@?;main@?;?@?;do_syscall_64@?;vfs_read@?\n"
			  "3 @u: main@?;read@?;do_syscall_64@?;vfs_read@?\n"
			  "4 @: cat@?;vfs_read@?\n");
	TD_CHECK_INT(in.source->issues, 0);
}

/* Of each tool a block as it is printed, and what is no block: text at the margin ends the output of a tool. */
static void test_blocks(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("blocks");
	td_import_text(
		&in, &td_importer_bpftrace_tools,
		"Sampling at 49 Hertz of all threads by user + kernel stack... Hit Ctrl-C to end.\n"
		"^C\n    __vfs_read\n    --\n    read\n    [unknown]\n"
		"    -                dd (25036)\n        4\n\n[...]\n"
		"    func_a\n    -                a b (7)\n        5\n\n"
		"    -                swapper/6 (0)\n        10\n\n"
		"Tracing off-CPU time (us) of all threads by kernel stack... Hit Ctrl-C to end.\n"
		"^C\n    schedule\n    kthread\n    rcuos/0\n        22\n\n"
		"    schedule\n    -                bash (4711)\n        64\n\n"
		"Tracing 1 functions for \"submit_bio\"... Hit Ctrl-C to end.\n\n06:05:13\n"
		"  submit_bio+0x1\n  vfs_write+0x55\n    --\n    tar [15069]\n    5\n\n"
		"  submit_bio\n    2\n\n"
		"This is text.\n    frame\n        3\n",
		NULL);
	check_totals(&in, "4 count profile: dd (25036)@?;?@?;read@?;__vfs_read@?\n"
			  "5 count profile: a b (7)@?;func_a@?\n"
			  "10 count profile: swapper/6 (0)@?\n"
			  "22000 ns offcputime: rcuos/0@?;kthread@?;schedule@?\n"
			  "64000 ns offcputime: bash (4711)@?;schedule@?\n"
			  "5 count stackcount: tar [15069]@?;vfs_write@?;submit_bio@?\n"
			  "2 count stackcount: submit_bio@?\n");
	TD_CHECK_INT(in.source->issues, 0);
}

/* A value without a stack, one that no 64 bits hold in ns, and one whose digits may be missing. */
static void test_spoilt_blocks(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("spoilt blocks");
	td_import_text(&in, &td_importer_bpftrace_tools,
		       "Tracing off-CPU time (us) of PID 1 by kernel stack... Hit Ctrl-C to end.\n"
		       "        22\n\n"
		       "    schedule\n    -                a (1)\n        9223372036854775807\n\n"
		       "    schedule\n    -                a (1)\n        12",
		       NULL);
	check_totals(&in, "");
	TD_CHECK_INT(in.source->issues, 3);
}

int main(void)
{
	test_blocks();
	test_spoilt_blocks();
	test_folded();
	test_sniff();
	test_maps();
	return td_check_result();
}
