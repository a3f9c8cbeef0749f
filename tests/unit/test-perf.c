/* SPDX-License-Identifier: MIT */
/* perf script and perf trace. tests/data/perf_trace/sh.txt is the begin and the end of what perf 6.1 printed
 * for sh -c 'cat /etc/hostname >/dev/null; ls /nonexistent'. */
#include "importers/core/importers.h"
#include "tests/unit/samplers.h"
#include "tests/unit/stacks.h"

static void import_data(struct td_imported *in, const char *path, const char *importer)
{
	TD_CASE(path);
	TD_CHECK(td_import_path(in, path, NULL));
	TD_CHECK_STR(in->source->importer ? in->source->importer : "", importer);
	TD_CHECK_INT(in->source->clock, TD_CLOCK_RELATIVE);
}

/* "op pid/tid @start+dur = ret fd asked/done at offset file {args}", what is NULL left out */
static void add_call(struct td_strbuf *b, const struct td_imported *in, const struct td_call *c)
{
	const struct td_process *p = td_process_of(in, c->process_id);
	const struct td_thread *t = td_store_thread_at(in->st, c->thread_id);

	td_strbuf_addf(b, "%s %lld/%lld @%lld", td_op_name_of(in, c), p ? (long long)p->pid : -1,
		       t ? (long long)t->tid : -1, (long long)c->start_ns);
	if (c->dur_ns != TD_NULL)
		td_strbuf_addf(b, "+%lld", (long long)c->dur_ns);
	if (c->ret != TD_NULL)
		td_strbuf_addf(b, " = %lld", (long long)c->ret);
	if (c->fd != INT32_MIN)
		td_strbuf_addf(b, " fd %d", c->fd);
	if (c->asked_bytes != TD_NULL)
		td_strbuf_addf(b, " asked %lld", (long long)c->asked_bytes);
	if (c->done_bytes != TD_NULL)
		td_strbuf_addf(b, " done %lld", (long long)c->done_bytes);
	if (c->offset_bytes != TD_NULL)
		td_strbuf_addf(b, " at %lld", (long long)c->offset_bytes);
	if (c->file_id)
		td_strbuf_addf(b, " %s", td_file_text(in, c->file_id));
	if (c->args_id)
		td_strbuf_addf(b, " {%s}", td_text_of(in, c->args_id));
	td_strbuf_adds(b, c->unfinished ? " unfinished\n" : "\n");
}

static void check_calls(const struct td_imported *in, const char *want)
{
	_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;

	for (size_t i = 0; i < in->ncalls; i++)
		add_call(&got, in, &in->calls[i]);
	TD_CHECK_STR(td_strbuf_str(&got), want);
}

struct slices {
	const struct td_imported *in;
	struct td_strbuf text;
};

static int add_slice(void *ud, void *record)
{
	const struct td_sched *s = record;
	struct slices *to = ud;

	td_strbuf_addf(&to->text, "%s %lld cpu %d @%lld+%lld\n", td_text_of(to->in, s->state_id),
		       (long long)td_store_thread_at(to->in->st, s->thread_id)->tid, s->cpu,
		       (long long)s->start_ns, (long long)s->dur_ns);
	return 0;
}

/* 7002.982 s and so on, in ns */
static void test_script(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	struct slices slices = { .in = &in, .text = TD_STRBUF_INIT };

	import_data(&in, TD_TEST_DATA "/perf_script/cat.txt", "perf-script");
	check_calls(&in,
		    "openat 2231/2231 @7002982000000+3000 = -2 {flags=0x00080000 mode=0x00000000}\n"
		    "read 12/12 @7002982001000 fd 4 asked 4096 unfinished\n"
		    "pread64 2231/2231 @7002982010000+2090000 = 832 fd 3 asked 832 done 832 at 64\n"
		    "exit 4711/4712 @7002986000123 {error_code=0x00000000} unfinished\n");
	TD_CHECK_INT(td_stage_read(td_store_stage(in.st, TD_KIND_SCHED), TD_KIND_SCHED, td_no_shift,
				   add_slice, &slices),
		     0);
	/* cat left the CPU at .982500 and was back at .984000; in between tmux ran on it */
	td_check_lines(&slices.text, "blocked 2231 cpu 0 @7002982500000+1500000\n"
				     "running 12 cpu 0 @7002982500000+1500000\n");
	td_strbuf_done(&slices.text);
	TD_CHECK_INT(td_issues_of(&in, "no-begin"), 2); /* a request and a write */
	TD_CHECK_INT(td_issues_of(&in, "other-event"), 1);
	TD_CHECK_INT(in.source->rows, 14);
	/* the comment, the chain, the blank line, sched_waking */
	TD_CHECK_INT(in.source->skipped, 4);
}

static void test_blocks(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	import_data(&in, TD_TEST_DATA "/perf_script/cat.txt", "perf-script");
	TD_CHECK_INT(in.nblocks, 2);
	if (in.nblocks != 2)
		return;
	TD_CHECK_INT(in.blocks[0].start_ns, INT64_C(7002983025000));
	TD_CHECK_INT(in.blocks[0].dur_ns, 1500000);
	TD_CHECK_INT(in.blocks[0].queue_ns, 25000);
	TD_CHECK_INT(in.blocks[0].sector, 171462808);
	TD_CHECK_INT(in.blocks[0].bytes, 184320);
	TD_CHECK_INT(in.blocks[0].op, TD_BLOCK_WRITE);
	TD_CHECK_STR(in.has->devices[in.blocks[0].device_id - 1].name, "254:0");
	TD_CHECK_INT(td_process_of(&in, in.blocks[0].process_id)->pid, 2232); /* not the kworker */
	TD_CHECK_INT(td_process_of(&in, in.blocks[0].done_process_id)->pid, 0);
	TD_CHECK_INT(in.blocks[1].sector, TD_NULL);
	TD_CHECK_INT(in.blocks[1].op, TD_BLOCK_OTHER);
	TD_CHECK_INT(in.blocks[1].dur_ns, 100000);
}

/* Requests that are issued and never complete: of the oldest ones the duration stays unknown. The same
 * sector is issued again after 6000 others, when its first request is given up, and completes then. */
static void test_lost_blocks(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	size_t complete = 0;

	TD_CASE("lost");
	for (int i = 0; i <= 6000; i++)
		td_strbuf_addf(
			&text,
			"dd 7 [000] 1.%06d: block:block_rq_issue: 8,0 R 4096 () %d + 8 [dd]\n", i,
			i % 6000 * 8);
	td_strbuf_adds(&text, "dd 7 [000] 2.000000: block:block_rq_complete: 8,0 R () 0 + 8 [0]\n");
	td_import_text(&in, &td_importer_perf_script, td_strbuf_str(&text), NULL);
	TD_CHECK_INT(in.source->rows, 6002);
	TD_CHECK_INT(in.nblocks, 6001);
	for (size_t i = 0; i < in.nblocks; i++)
		complete += in.blocks[i].dur_ns != TD_NULL;
	TD_CHECK_INT(complete, 1);
	if (in.nblocks == 6001) /* 2 s - 1.006 s */
		TD_CHECK_INT(in.blocks[6000].dur_ns, 994000000);
}

static void test_recorded(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	import_data(&in, TD_TEST_DATA "/perf_trace/sh.txt", "perf-trace");
	TD_CHECK_INT(in.source->lines, 55);
	/* execve was seen to end only; the other two ends, of wait4 */
	TD_CHECK_INT(td_issues_of(&in, "no-begin"), 1);
	TD_CHECK_INT(in.source->issues, 1);
	TD_CHECK_INT(in.ncalls, 54);
	TD_CHECK_STR(td_op_name_of(&in, &in.calls[0]), "brk");
	TD_CHECK_INT(in.calls[0].start_ns, 59000);
	TD_CHECK_INT(in.calls[0].dur_ns, 19000);
}

/* Text in, calls out. */
static const struct {
	const char *text, *want;
} cases[] = {
	{ "     0.941 ( 0.019 ms): sh/2220 read(fd: 4</etc/x, y>, buf: 0x7ffc1e2d3a88, count: 832) "
	  "  = 832\n",
	  "read 2220/2220 @941000+19000 = 832 fd 4 asked 832 done 832 /etc/x, y\n" },
	{ "     0.977 ( 0.018 ms): migration/0/18 pread64(fd: 4, buf: 0x7f, count: 784, pos: 64) = "
	  "784\n",
	  "pread64 18/18 @977000+18000 = 784 fd 4 asked 784 done 784 at 64\n" },
	{ "     1.000 ( 0.020 ms): sh/1 openat(dfd: CWD, filename: \"/no, (such) file\", flags: "
	  "RDONLY|CLOEXEC) = "
	  "-1 ENOENT (No such file or directory)\n",
	  "openat 1/1 @1000000+20000 = -2 /no, (such) file {flags=RDONLY|CLOEXEC}\n" },
	/* one thread only: perf does not say which */
	{ "     0.059 ( 0.019 ms): brk() = 0x55c8\n", "brk -1/-1 @59000+19000 = 21960\n" },
	{ "     0.000 (         ): :7/7 read(fd: 17<pipe:[749038]>, count: 1)         ...\n"
	  "     0.500 ( 0.010 ms): sh/8 close(fd: 3)  = 0\n"
	  "     0.000 ( 6.868 ms): :7/7  ... [continued]: read())                = 1\n",
	  "read 7/7 @0+6868000 = 1 fd 17 asked 1 done 1 pipe:[749038]\n"
	  "close 8/8 @500000+10000 = 0 fd 3\n" },
	{ "    72.152 (         ): ls/2222 exit_group(error_code: 2)    = ?\n",
	  "exit_group 2222/2222 @72152000 {error_code=2} unfinished\n" },
	{ "     0.300 (         ): sh/9 read(fd: 0, count: 1)  ...\n",
	  "read 9/9 @300000 fd 0 asked 1 unfinished\n" },
	/* --call-graph, and the child's side of a clone */
	{ "     0.059 ( 0.019 ms): sh/4 clone(flags: CHILD_SETTID) = 5 (sh)\n"
	  "                                       brk (/usr/lib/x86_64-linux-gnu/ld.so.2)\n"
	  "         ? (         ): sh/5  ... [continued]: clone())           = \n",
	  "clone 4/4 @59000+19000 = 5 {flags=CHILD_SETTID}\n" },
	{ "     2.663 ( 0.018 ms): sh/2 fcntl(fd: 1</dev/null>, cmd: DUPFD, arg: 10</dev/null>)  = "
	  "11<pipe:[746388]>\n",
	  "fcntl 2/2 @2663000+18000 = 11 fd 1 /dev/null {cmd=DUPFD arg=10</dev/null>}\n" },
	/* which argument is which: by its name, whatever was left out */
	{ "     1.000 ( 0.001 ms): sh/1 dup2(oldfd: 3</a>, newfd: 7) = 7\n"
	  "     2.000 ( 0.001 ms): sh/1 epoll_ctl(epfd: 5<anon_inode:[eventpoll]>, op: ADD, fd: 7, "
	  "event: 0x7ffc1e2d3a88) = 0\n"
	  "     3.000 ( 0.001 ms): sh/1 symlink(oldname: \"to\", newname: \"link\") = 0\n"
	  "     4.000 ( 0.001 ms): sh/1 newfstatat(dfd: 4</d>, statbuf: 0x7f, flag: 4096) = 0\n"
	  "     5.000 ( 0.001 ms): sh/1 newfstatat(dfd: 4</d>, filename: 0x6e40dc99) = 0\n"
	  "     6.000 ( 0.001 ms): sh/1 preadv(fd: 4</x>, vec: 0x7f, vlen: 2, pos_l: 512) = 9\n"
	  "     7.000 ( 0.001 ms): sh/1 mremap(addr: 0x7f0000000000, old_len: 4096, new_len: 8192) "
	  "= 0x7f0000000000\n"
	  "     8.000 ( 0.001 ms): sh/1 tee(fdin: 3, fdout: 4, len: 100) = 50\n",
	  "dup2 1/1 @1000000+1000 = 7 fd 3 /a {newfd=7}\n"
	  "epoll_ctl 1/1 @2000000+1000 = 0 fd 5 anon_inode:[eventpoll] {op=ADD fd=7}\n"
	  "symlink 1/1 @3000000+1000 = 0 link {oldname=\"to\"}\n"
	  "newfstatat 1/1 @4000000+1000 = 0 fd 4 /d\n"
	  "newfstatat 1/1 @5000000+1000 = 0\n"
	  "preadv 1/1 @6000000+1000 = 9 fd 4 done 9 at 512 /x\n"
	  "mremap 1/1 @7000000+1000 = 139637976727552 asked 8192 {old_len=4096}\n"
	  "tee 1/1 @8000000+1000 = 50 fd 3 asked 100 done 50 {fdout=4}\n"
	  "tee:out 1/1 @8000000 = 50 fd 4 asked 100 done 50\n" },
	/* what results mean */
	{ "     1.000 ( 0.001 ms): sh/1 openat(dfd: CWD, filename: \"/x\") = 4\n"
	  "     2.000 ( 0.001 ms): sh/1 lseek(fd: 4, offset: 100, whence: CUR) = 612\n"
	  "     3.000 ( 0.001 ms): sh/1 eventfd2(flags: NONBLOCK) = 5\n"
	  "     4.000 ( 0.001 ms): sh/1 accept4(fd: 5) = 6\n"
	  "     5.000 ( 0.001 ms): sh/1 getdents64(fd: 4, dirent: 0x7f, count: 32768) = 80\n",
	  "openat 1/1 @1000000+1000 = 4 fd 4 /x\n"
	  "lseek 1/1 @2000000+1000 = 612 fd 4 at 612 {whence=CUR}\n"
	  "eventfd2 1/1 @3000000+1000 = 5 fd 5 {flags=NONBLOCK}\n"
	  "accept4 1/1 @4000000+1000 = 6 fd 5\n"
	  "getdents64 1/1 @5000000+1000 = 80 fd 4 asked 32768 done 80\n" },
	/* no addresses, and what a call has that is not in the table */
	{ "     1.000 ( 0.001 ms): sh/1 connect(fd: 3, uservaddr: 0x7ffc1e2d3a88, addrlen: 16) = "
	  "0\n"
	  "     2.000 ( 0.001 ms): sh/1 connect(fd: 3, uservaddr: { .family: LOCAL }, addrlen: 16) "
	  "= 0\n"
	  "     3.000 ( 0.001 ms): sh/1 odd(fd: 3, mode: 2, at: 0x7ffc1e2d3a88) = 0\n",
	  "connect 1/1 @1000000+1000 = 0 fd 3\n"
	  "connect 1/1 @2000000+1000 = 0 fd 3 {uservaddr={ .family: LOCAL }}\n"
	  "odd 1/1 @3000000+1000 = 0 fd 3 {mode=2}\n" },
	/* never resumed */
	{ "     0.100 (         ): sh/3 wait4(upid: -1, options: NOHANG)  ...\n"
	  "     0.200 ( 0.001 ms): sh/3 getuid() = 0\n",
	  "wait4 3/3 @100000 {upid=-1 options=NOHANG}\ngetuid 3/3 @200000+1000 = 0\n" },
};

static void test_cases(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };

		TD_CASE(cases[i].text);
		td_import_text(&in, &td_importer_perf_trace, cases[i].text, NULL);
		check_calls(&in, cases[i].want);
		TD_CHECK_INT(in.source->issues, 0);
	}
}

/* Who made whom: a clone whose flags have THREAD, or CLONE_THREAD (0x10000) as perf script prints
 * it, makes a thread, one with other flags a process. What clone3 makes is not printed. The rows of
 * a thread may come before the clone's end. */
static void test_clones(void)
{
	static const struct {
		const struct td_importer *importer;
		const char *text;
	} logs[] = {
		{ &td_importer_perf_trace,
		  "     0.010 ( 0.001 ms): clone(clone_flags: THREAD) = 9\n"
		  "     0.500 ( 0.001 ms): sh/5 close(fd: 3) = 0\n"
		  "     0.059 ( 0.519 ms): sh/4 clone(clone_flags: VM|FILES|THREAD|SETTLS, newsp: "
		  "0x7f1) = 5 (sh)\n"
		  "     0.600 ( 0.001 ms): sh/5 clone(clone_flags: CHILD_SETTID|0x11) = 6 (sh)\n"
		  "     0.700 ( 0.001 ms): sh/6 vfork() = 7\n"
		  "     0.800 ( 0.001 ms): sh/6 clone3(uargs: 0x7ffc, size: 88) = 8\n"
		  "     0.900 ( 0.001 ms): sh/8 close(fd: 3) = 0\n" },
		{ &td_importer_perf_script,
		  "sh 5 [000] 1.000001: syscalls:sys_enter_close: fd: 0x3\n"
		  "sh 4 [000] 1.000002: syscalls:sys_enter_clone: clone_flags: 0x003d0f00, newsp: "
		  "0x7f1\n"
		  "sh 4 [000] 1.000003: syscalls:sys_exit_clone: 0x5\n"
		  "sh 5 [000] 1.000004: syscalls:sys_enter_clone: clone_flags: 0x01200011, newsp: "
		  "0x0\n"
		  "sh 5 [000] 1.000005: syscalls:sys_exit_clone: 0x6\n"
		  "sh 6 [000] 1.000006: syscalls:sys_enter_vfork: \n"
		  "sh 6 [000] 1.000007: syscalls:sys_exit_vfork: 0x7\n"
		  "sh 6 [000] 1.000008: syscalls:sys_enter_clone3: uargs: 0x7ffc, size: "
		  "0x00000058\n"
		  "sh 6 [000] 1.000009: syscalls:sys_exit_clone3: 0x8\n"
		  "sh 8 [000] 1.000010: syscalls:sys_enter_close: fd: 0x3\n" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(logs); i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;
		_cleanup_(td_imported_done) struct td_imported in = { 0 };

		TD_CASE(logs[i].text);
		td_import_text(&in, logs[i].importer, logs[i].text, NULL);
		for (size_t k = 0; k < in.has->nthreads; k++) {
			const struct td_thread *t = &in.has->threads[k];
			const struct td_process *p = td_process_of(&in, t->process_id);

			while (p && p->merged_into)
				p = td_process_of(&in, p->merged_into);
			td_strbuf_addf(&got, "%lld/%lld", p ? (long long)p->pid : -1,
				       (long long)t->tid);
			if (p && p->parent_pid != TD_NULL)
				td_strbuf_addf(&got, " of %lld", (long long)p->parent_pid);
			td_strbuf_addc(&got, '\n');
		}
		td_check_lines(&got, "4/5\n4/4\n6/6 of 4\n8/8\n");
		TD_CHECK_INT(in.source->issues, 0);
	}
}

static const struct {
	const struct td_importer *importer;
	const char *text, *kind;
	uint64_t skipped, issues;
} damaged[] = {
	{ &td_importer_perf_script,
	  "sh  4294 [000]     0.000000: PERF_RECORD_COMM: perf-exec:4294/4294\n"
	  "sh  4294 [000] 15231.724343: PERF_RECORD_COMM exec: tasks:4294/4294\n"
	  "sh  4294 [000] 15231.771664:   syscalls:sys_exit_clone: 0x0\n",
	  "other-event", 3, 0 },
	{ &td_importer_perf_script,
	  "  cat 2 7002.982003: sched:sched_switch: prev_comm=cat prev_pid=2\n", "torn-event", 0,
	  1 },
	{ &td_importer_perf_trace,
	  "         ? (         ): sh/2220  ... [continued]: execve()) = 0\n", "no-begin", 0, 1 },
	{ &td_importer_perf_trace, "     0.059 ( 0.019 ms): sh/2220 brk(", "cut-line", 0, 1 },
	{ &td_importer_perf_trace, "     0.059 ( 0.019 ms): sh/2220 brk(\n", "torn-event", 0, 1 },
	{ &td_importer_perf_trace,
	  "     0.000 ( 0.000 ms): sh/2870 minfault [elf_load+0x28a] => 0x55 (?k)\n"
	  "     0.000 sh/18 sched:sched_switch(prev_comm: \"sh\", prev_pid: 18 (sh))\n",
	  "other-event", 2, 0 },
	{ &td_importer_perf_trace,
	  " Summary of events:\n\n sh (2220), 230 events, 17.9%\n   openat    30     13     "
	  "0.622\n",
	  "summary-table", 4, 0 },
	{ &td_importer_perf_script,
	  "  cat 2 [000] 7002.982003: syscalls:sys_exit_openat: nothing\n", "not-an-event", 0, 1 },
	{ &td_importer_perf_script,
	  "  cat 2 [000] 7002.982003: sched:sched_switch: prev_comm=", "cut-line", 0, 1 },
};

/* As perf 6.1 prints them with -g; events that are not of time on a CPU, and chains of tracepoints, are no samples. */
static void test_samples(void)
{
	static const char text[] =
		"head 32508 [003] 15085.000001:    2004008 cpu-clock:u: \n"
		"\tffffffff821ef691 do_syscall_64+0x71 ([kernel.kallsyms])\n"
		"\t           f8350 std::function<void ()>::operator()() const+0x10 (/tmp/x "
		"(deleted))\n"
		"\t          551234 load (inlined)\n"
		"\tb8b09a2442aac4fb [unknown] ([unknown])\n\n"
		"my tool  7/8 15085.000002:     250000 cycles:          c6d aten::add<(int)1> "
		"(/lib/a (b).so)\n"
		"head 32508 [003] 15085.000003:          1 page-faults: \n"
		"\t           f8350 no+0x10 (/tmp/x)\n\n"
		"head 32508 [003] 15085.000004: syscalls:sys_enter_close: fd: 0x3\n"
		"\t           f8350 no+0x10 (/tmp/x)\n\n"
		"head 32508 [003] 15085.000005:    2004008 cycles: \n";
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;

	TD_CASE("samples");
	td_import_text(&in, &td_importer_perf_script, text, NULL);
	td_add_stacks(&got, &in, INT64_C(15085000000000));
	TD_CHECK_STR(td_strbuf_str(&got),
		     "cpu - 1000 - 32508/32508 3 ?@?;load@?;std::function<void ()>::operator()() "
		     "const@/tmp/x (deleted);do_syscall_64@[kernel.kallsyms]\n"
		     "cpu - 2000 - 7/8 -1 aten::add<(int)1>@/lib/a (b).so\n"
		     "cpu - 5000 - 32508/32508 3 ?@?\n");
	TD_CHECK_INT(in.source->rows, 8); /* 3 samples, 4 frames, a call */
	TD_CHECK_INT(in.source->issues, 0);
	TD_CHECK_INT(td_issues_of(&in, "other-event"), 1);
}

/* As perf 6.1 prints the name "my\nname" and the file "/tmp/a\nb (1) = 2". */
static void test_newlines(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 }, script = { 0 }, torn = { 0 };
	_cleanup_(td_imported_done) struct td_imported no_cpu = { 0 };
	struct slices slices = { .in = &script, .text = TD_STRBUF_INIT };
	struct slices off = { .in = &no_cpu, .text = TD_STRBUF_INIT };

	TD_CASE("trace");
	td_import_text(
		&in, NULL,
		"   796.000 ( 0.020 ms): sh/7 close(fd: 3)   = 0\n"
		"   796.562 ( 0.020 ms): my\nname/13240 write(fd: 4</tmp/a\nb (1) = 2>, buf: "
		"0x55, count: 10) = 10\n"
		"   797.000 ( 0.001 ms): bash/9 fcntl(fd: 2<pipe:[37]>, cmd: GETFL)   = "
		"RDONLY|LARGEFILE\n",
		NULL);
	TD_CHECK_INT(in.source->rows, 5);
	TD_CHECK_INT(in.source->issues, 0);
	TD_CHECK_INT(in.ncalls, 3);
	if (in.ncalls != 3)
		return;
	TD_CHECK_INT(in.calls[1].start_ns, 796562000);
	TD_CHECK_INT(in.calls[1].done_bytes, 10);
	TD_CHECK_STR(td_text_of(&in, td_process_of(&in, in.calls[1].process_id)->name_id),
		     "my\nname");
	TD_CHECK_STR(td_file_text(&in, in.calls[1].file_id), "/tmp/a\nb (1) = 2");
	TD_CHECK_INT(in.calls[2].ret, TD_NULL);
	TD_CHECK_INT(in.calls[2].dur_ns, 1000);
	TD_CHECK(!in.calls[2].unfinished);

	TD_CASE("script");
	td_import_text(
		&script, NULL,
		"              sh     7 [001]    24.000000:  syscalls:sys_enter_close: fd: "
		"0x00000003\n"
		"         my\nname 13526 [001]    24.384861: sched:sched_switch: prev_comm=my\n"
		"name prev_pid=13526 prev_prio=120 prev_state=S ==> next_comm=sh next_pid=7 "
		"next_prio=120\n"
		"              sh     7 [001]    24.500000: sched:sched_switch: prev_comm=sh "
		"prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=my\nname next_pid=13526 "
		"next_prio=120\n",
		NULL);
	TD_CHECK_INT(script.source->rows, 6);
	TD_CHECK_INT(script.source->issues, 0);
	TD_CHECK_INT(td_stage_read(td_store_stage(script.st, TD_KIND_SCHED), TD_KIND_SCHED,
				   td_no_shift, add_slice, &slices),
		     0);
	/* 24.5 s - 24.384861 s */
	td_check_lines(&slices.text, "running 7 cpu 1 @24384861000+115139000\n"
				     "sleeping 13526 cpu 1 @24384861000+115139000\n");
	td_strbuf_done(&slices.text);

	TD_CASE("without CPU: when a task was off it is known, not when it ran");
	td_import_text(&no_cpu, NULL,
		       "sh 7 24.100000: sched:sched_switch: prev_comm=sh prev_pid=7 prev_prio=120 "
		       "prev_state=D ==> next_comm=x next_pid=8 next_prio=120\n"
		       "x 8 24.300000: sched:sched_switch: prev_comm=x prev_pid=8 prev_prio=120 "
		       "prev_state=S ==> next_comm=sh next_pid=7 next_prio=120\n",
		       NULL);
	TD_CHECK_INT(td_stage_read(td_store_stage(no_cpu.st, TD_KIND_SCHED), TD_KIND_SCHED,
				   td_no_shift, add_slice, &off),
		     0);
	td_check_lines(&off.text, "blocked 7 cpu -2147483648 @24100000000+200000000\n");
	td_strbuf_done(&off.text);
	TD_CHECK_INT(no_cpu.source->issues, 0);

	TD_CASE("torn");
	td_import_text(
		&torn, &td_importer_perf_trace,
		"     1.000 ( 0.020 ms): sh/7 read(fd: 3\nhello\n     2.000 ( 0.020 ms): sh/7 "
		"close(fd: 3)   = 0\n",
		NULL);
	TD_CHECK_INT(torn.source->rows, 1);
	TD_CHECK_INT(torn.source->issues, 2);
	TD_CHECK_INT(td_issues_of(&torn, "torn-event"), 2);
}

static void test_damaged(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(damaged); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };

		TD_CASE(damaged[i].text);
		td_import_text(&in, damaged[i].importer, damaged[i].text, NULL);
		TD_CHECK_INT(in.source->skipped, damaged[i].skipped);
		TD_CHECK_INT(in.source->issues, damaged[i].issues);
		TD_CHECK_INT(td_issues_of(&in, damaged[i].kind), 1);
	}
}

static const struct {
	const char *text;
	bool script, trace;
} heads[] = {
	{ "  cat 2 [000] 7002.982003: syscalls:sys_exit_openat: 0x3\n", true, false },
	{ "  cat 2/2 7002.982003: block:block_rq_issue: 254,0 R 4096 () 8 + 8 [cat]\n", true,
	  false },
	{ "     0.941 ( 0.019 ms): sh/2220 close(fd: 4)   = 0\n", false, true },
	/* samples of a profile, ftrace, strace */
	{ "perf 2224 7002.978601: 250000 cycles:\n", true, false },
	{ "perf 2224 7002.978601: 1 page-faults:\n", false, false },
	{ "  cat-2231  [000] d... 7002.982003: sched_switch: prev_comm=cat\n", false, false },
	{ "2220  0.000019 close(4) = 0\n", false, false },
	{ "", false, false },
};

static void test_sniff(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(heads); i++) {
		size_t len = strlen(heads[i].text);

		TD_CASE(heads[i].text);
		TD_CHECK_INT(td_importer_perf_script.sniff(heads[i].text, len) > 0,
			     heads[i].script);
		TD_CHECK_INT(td_importer_perf_trace.sniff(heads[i].text, len) > 0, heads[i].trace);
	}
}

int main(void)
{
	test_script();
	test_blocks();
	test_lost_blocks();
	test_recorded();
	test_cases();
	test_samples();
	test_newlines();
	test_clones();
	test_damaged();
	test_sniff();
	return td_check_result();
}
