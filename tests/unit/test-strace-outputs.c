/* SPDX-License-Identifier: MIT */
/* What strace writes besides one log of calls: stacks (-k), the tables of -c and -C, and a file for each thread (-ff). */
#include "importers/core/importers.h"
#include "tests/unit/samplers.h"
#include "tests/unit/stacks.h"

/* --- tables of -c --- */

/* The value of a summary, -1 if there is none. */
static double summary_of(const struct td_imported *in, const char *name, const char *key)
{
	for (size_t i = 0; i < in->has->nsummaries; i++)
		if (strcmp(in->has->summaries[i].name, name) == 0 &&
		    strcmp(in->has->summaries[i].key, key) == 0)
			return in->has->summaries[i].value;
	return -1;
}

static void test_tables(void)
{
	static const char comma[] =
		"% time     seconds  usecs/call     calls    errors syscall\n"
		"------ ----------- ----------- --------- --------- ----------------\n"
		" 66,75    0,003708           0      3922           read\n"
		" 33,25    0,001847           0      2685        12 write\n"
		"------ ----------- ----------- --------- --------- ----------------\n"
		"100,00    0,005555                  6607        12 total\n";
	static const char any[] = "System call usage summary for '32 bit' mode:\n"
				  "syscall          % time     calls    errors  usecs/call "
				  "shortest  longest     seconds\n"
				  "---------------- ------ --------- --------- ----------- "
				  "-------- -------- -----------\n"
				  "clock_nanosleep   56.15        34                  3139 "
				  "0.000000 0.009215    0.106759\n"
				  "total            100.00        34                    49 "
				  "0.000000 0.009215    0.190136\n"
				  "5 brk(NULL) = 0\n";
	_cleanup_(td_imported_done) struct td_imported in = { 0 }, in2 = { 0 };

	TD_CASE("table, decimal comma, no usecs/call in the total");
	td_import_text(&in, NULL, comma, NULL);
	TD_CHECK_STR(in.source->importer, "strace");
	TD_CHECK_INT(in.source->clock, TD_CLOCK_NONE);
	TD_CHECK_INT(in.source->rows, 2);
	TD_CHECK_INT(in.source->skipped, 4);
	TD_CHECK(summary_of(&in, "strace.seconds", "read") == 0.003708);
	TD_CHECK(summary_of(&in, "strace.calls", "write") == 2685);
	TD_CHECK(summary_of(&in, "strace.errors", "write") == 12);
	TD_CHECK(summary_of(&in, "strace.errors", "read") == -1);
	TD_CASE("table, other columns, a call behind it");
	td_import_text(&in2, NULL, any, NULL);
	TD_CHECK_INT(in2.source->issues, 0);
	TD_CHECK(summary_of(&in2, "strace.calls", "clock_nanosleep") == 34);
	TD_CHECK(summary_of(&in2, "strace.longest", "clock_nanosleep") == 0.009215);
	TD_CHECK(summary_of(&in2, "strace.seconds", "clock_nanosleep") == 0.106759);
	TD_CHECK_INT(in2.ncalls, 1);
}

/* A line that is spoilt costs itself; an event is behind the table. */
static void test_spoilt_table(void)
{
	static const char text[] =
		"% time     seconds  usecs/call     calls    errors syscall\n"
		"------ ----------- ----------- --------- --------- ----------------\n"
		" 48.68    0.090894        2673        34           clock_nanosleep\n"
		" 31.96    0.0\xff\xfe          9      6289        28 read\n"
		" 10.00    0.010000          10         7         5 openat\n"
		"read(3, \"\", 4096) = 0\n"
		"  1.00    0.010000          10         8         5 close\n";
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("a spoilt line in a table");
	td_import_text(&in, NULL, text, NULL);
	TD_CHECK_INT(in.source->rows, 3);
	TD_CHECK_INT(in.source->issues, 2);
	TD_CHECK(summary_of(&in, "strace.calls", "clock_nanosleep") == 34);
	TD_CHECK(summary_of(&in, "strace.calls", "openat") == 7);
	TD_CHECK(summary_of(&in, "strace.errors", "openat") == 5);
	for (size_t i = 0; i < in.has->nsummaries; i++)
		TD_CHECK(strcmp(in.has->summaries[i].key, "close") != 0);
	TD_CHECK_INT(in.ncalls, 1);
}

/* --- a file for each thread --- */

static void import_ff(struct td_store *st, const char *name, const char *text)
{
	struct td_err err = { { 0 } };

	TD_CHECK_INT(td_import_mem(st, text, strlen(text), name, &td_importer_strace,
				   &td_no_options, &err),
		     0);
}

/* One file per thread; a thread's process is known from the file in which it was made. */
static void test_ff(void)
{
	_cleanup_(td_store_freep) struct td_store *st = NULL;
	const struct td_contents *in;

	TD_CASE("-ff: the name of the file is the thread");
	TD_CHECK_INT(td_store_new("/tmp/tracedb-test-spill", &st), 0);
	in = td_store_contents(st);
	import_ff(st, "run/ff.100",
		  "1795164905.7 clone3({flags=CLONE_VM|CLONE_THREAD} => {parent_tid=[101]}, 88) = "
		  "101\n"
		  "1795164905.9 +++ exited with 4 +++\n");
	import_ff(st, "run/ff.101",
		  "1795164905.8 futex(0x1, FUTEX_WAIT, 0, NULL) = 0\n"
		  "1795164905.81 +++ exited with 0 +++\n");
	TD_CHECK_INT(in->nprocesses, 1);
	TD_CHECK_INT(in->processes[0].pid, 100);
	TD_CHECK_INT(in->processes[0].exit_status, 4);
	TD_CHECK_INT(in->nthreads, 2);
	for (size_t i = 0; i < in->nthreads; i++)
		TD_CHECK_INT(in->threads[i].process_id, 1);
	TD_CASE("-ff: execve by a thread");
	import_ff(st, "run/ff.200",
		  "1795164906.1 clone3({flags=CLONE_VM|CLONE_THREAD} => {parent_tid=[201]}, 88) = "
		  "201\n"
		  "1795164906.2 pause()               = ?\n"
		  "1795164906.3 +++ superseded by execve in pid 201 +++\n"
		  "1795164906.4 <... execve resumed>) = 0\n1795164906.5 +++ exited with 5 +++\n");
	import_ff(
		st, "run/ff.201",
		"1795164906.3 execve(\"/b\", [\"b\"], 0x7 /* 2 vars */ <pid changed to 200 ...>\n");
	TD_CHECK_INT(in->nprocesses, 2);
	TD_CHECK_INT(in->processes[1].pid, 200);
	TD_CHECK_INT(in->processes[1].exit_status, 5);
	TD_CHECK_INT(in->threads[in->nthreads - 1].process_id, 2);
}

/* The start of a process is in the file of its parent, its end in its own: either may be read first. */
static void test_ff_times(void)
{
	static const char parent[] = "1795164905.7 clone(child_stack=NULL, flags=SIGCHLD) = 302\n"
				     "1795164905.9 +++ exited with 0 +++\n";
	static const char child[] = "1795164905.8 close(3)                = 0\n"
				    "1795164905.85 +++ exited with 7 +++\n";

	TD_CASE("-ff: start and end of a child");
	for (int child_first = 0; child_first < 2; child_first++) {
		_cleanup_(td_store_freep) struct td_store *st = NULL;
		const struct td_contents *in;
		const struct td_process *p;

		TD_CHECK_INT(td_store_new("/tmp/tracedb-test-spill", &st), 0);
		if (child_first)
			import_ff(st, "run/ff.302", child);
		import_ff(st, "run/ff.301", parent);
		if (!child_first)
			import_ff(st, "run/ff.302", child);
		in = td_store_contents(st);
		TD_CHECK_INT(in->nprocesses, 2);
		p = &in->processes[in->processes[0].pid == 302 ? 0 : 1];
		TD_CHECK_INT(p->pid, 302);
		TD_CHECK_INT(p->start_ns, 1795164905700000000);
		TD_CHECK_INT(p->end_ns, 1795164905850000000);
		TD_CHECK_INT(p->start_source_id, 1 + child_first);
		TD_CHECK_INT(p->end_source_id, 2 - child_first);
		TD_CHECK_INT(p->exit_status, 7);
	}
}

/* Times of day begin anew at midnight, and a file that begins behind it says nothing of that: but
 * its thread cannot be older than the clone that made it, or than the process that it is of. */
static void test_ff_midnight(void)
{
	_cleanup_(td_store_freep) struct td_store *st = NULL;
	const struct td_contents *in;
	int64_t day = TD_DAY_NS, s = TD_SEC_NS;

	TD_CASE("-ff: midnight between two files");
	TD_CHECK_INT(td_store_new("/tmp/tracedb-test-spill", &st), 0);
	in = td_store_contents(st);
	import_ff(st, "run/ff.301",
		  "23:59:58 set_tid_address(0x7f) = 301\n"
		  "23:59:59 clone(child_stack=NULL, flags=CLONE_VM|CLONE_THREAD) = 302\n"
		  "00:00:01 clone(child_stack=NULL, flags=SIGCHLD) = 303\n"
		  "00:00:05 +++ exited with 0 +++\n");
	import_ff(st, "run/ff.302", "00:00:00 sched_yield() = 0\n00:00:04 +++ exited with 0 +++\n");
	import_ff(st, "run/ff.303",
		  "00:00:01 read(3, \"\", 4096) = 0\n"
		  "00:00:02 clone(child_stack=NULL, flags=SIGCHLD) = 304\n"
		  "00:00:03 +++ exited with 7 +++\n");
	import_ff(st, "run/ff.304", "00:00:02 close(3) = 0\n00:00:03 +++ exited with 0 +++\n");
	TD_CHECK_INT(in->nsources, 4);
	TD_CHECK_INT(in->sources[0].first_native_ns, day - 2 * s);
	TD_CHECK_INT(in->sources[0].last_native_ns, day + 5 * s);
	TD_CHECK_INT(in->sources[1].first_native_ns, day);
	TD_CHECK_INT(in->sources[2].first_native_ns, day + 1 * s);
	TD_CHECK_INT(in->sources[3].first_native_ns, day + 2 * s);
	TD_CHECK_INT(in->sources[3].last_native_ns, day + 3 * s);
	for (size_t i = 0; i < in->nprocesses; i++) {
		const struct td_process *p = &in->processes[i];

		TD_CHECK_INT(p->end_ns, day + (p->pid == 301 ? 5 : 3) * s);
	}
	/* read before the file of its maker, a file is a day early: better no start than one behind the end */
	import_ff(st, "run/ff.1000", "00:00:02 close(3) = 0\n00:00:03 +++ exited with 0 +++\n");
	import_ff(st, "run/ff.999",
		  "23:59:58 set_tid_address(0x7f) = 999\n"
		  "00:00:01 clone(child_stack=NULL, flags=SIGCHLD) = 1000\n");
	for (size_t i = 0; i < in->nprocesses; i++)
		if (in->processes[i].pid == 1000)
			TD_CHECK_INT(in->processes[i].start_ns, TD_NULL);
	/* a log that only looks like one of a set */
	import_ff(st, "run/other.9999", "00:00:02 close(3) = 0\n");
	TD_CHECK_INT(in->sources[6].first_native_ns, 2 * s);
}

/* --- stacks --- */

#define FRAME(text) " > " text " [0x1]\n"

static const struct {
	const char *name, *text, *want;
	unsigned rows, skipped;
} stacks[] = {
	{ "of a call, with its time",
	  "5 1795164891.000000010 read(3, \"\", 8) = 0 <0.000000007>\n" FRAME(
		  "/lib/libc.so(read+0x12)")
		  FRAME("/bin/x(main+0x3)") "5 1795164891.000000050 brk(NULL) = 0 "
					    "<0.000000002>\n" FRAME("/lib/libc.so(brk+0x1)")
						    FRAME("/bin/x(main+0x4)"),
	  "call read 1795164891000000010 7 5/5 -1 main@/bin/x;read@/lib/libc.so\n"
	  "call brk 1795164891000000050 2 5/5 -1 main@/bin/x;brk@/lib/libc.so\n",
	  6, 0 },
	{ "frames without a symbol, of a file that is gone, of C++, and none at all",
	  "5 brk(NULL) = 0\n" FRAME("/bin/x()") FRAME("/tmp/a (deleted)(f(int, char)+0x1)")
		  FRAME("unexpected_backtracing_error") " > gone\n",
	  "call brk 1 - 5/5 -1 gone@?;unexpected_backtracing_error@?;f(int, char)@/tmp/a "
	  "(deleted);?@/bin/x\n",
	  5, 0 },
	{ "of a call in two lines; below what is not ended, signals and exits are none",
	  "5 read(3,  <unfinished ...>\n6 brk(NULL) = 0\n" FRAME(
		  "/bin/x(six+0x1)") "5 <... read "
				     "resumed>\"\", "
				     "8) = "
				     "0\n" FRAME("/b"
						 "in"
						 "/x"
						 "(f"
						 "iv"
						 "e+"
						 "0x"
						 "1"
						 ")") "5 --- SIGALRM {si_signo=SIGALRM} "
						      "---\n" FRAME("/bin/"
								    "x(no+"
								    "0x1)") "5 +++ exited with 0 "
									    "+++\n" FRAME("/bin/"
											  "x(no+"
											  "0x1)"),
	  "call read 1 - 5/5 -1 five@/bin/x\ncall brk 2 - 6/6 -1 six@/bin/x\n", 7, 2 },
	{ "behind what was read",
	  "5 read(3, \"abc\", 8) = 3\n | 00000  61 62 63   abc |\n" FRAME("/bin/x(main+0x1)"),
	  "call read 1 - 5/5 -1 main@/bin/x\n", 2, 1 },
	{ "of a thread whose process is known later",
	  "5 clone(child_stack=0x1, flags=CLONE_VM|CLONE_THREAD <unfinished ...>\n"
	  "7 brk(NULL) = 0\n" FRAME("/bin/x(child+0x1)") "5 <... clone resumed>) = 7\n" FRAME(
		  "/bin/x(main+0x1)"),
	  "call clone 1 - 5/5 -1 main@/bin/x\ncall brk 2 - 5/7 -1 child@/bin/x\n", 5, 0 },
	{ "of a process that has no number", "brk(NULL) = 0\n" FRAME("/bin/x(main+0x1)"),
	  "call brk 1 - 0/0 -1 main@/bin/x\n", 2, 0 },
};

static void test_stacks(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(stacks); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };
		_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;

		TD_CASE(stacks[i].name);
		td_import_text(&in, &td_importer_strace, stacks[i].text, NULL);
		td_add_stacks(&got, &in, 0);
		TD_CHECK_STR(td_strbuf_str(&got), stacks[i].want);
		TD_CHECK_INT(in.source->rows, stacks[i].rows);
		TD_CHECK_INT(in.source->skipped, stacks[i].skipped);
		TD_CHECK_INT(in.source->issues, 0);
	}
}

int main(void)
{
	test_tables();
	test_spoilt_table();
	test_ff();
	test_ff_times();
	test_ff_midnight();
	test_stacks();
	return td_check_result();
}
