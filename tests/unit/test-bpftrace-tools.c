/* SPDX-License-Identifier: MIT */
/* What bpftrace's and bcc's own tools print, as text and as JSON lines. */
#include "importers/core/importers.h"
#include "importers/bpftrace/tools_table.h"
#include "tests/unit/samplers.h"

#define DATA(name) TD_TEST_DATA "/bpftrace_tools/" name

static void import_data(struct td_imported *in, const char *path, const char *importer)
{
	TD_CASE(path);
	TD_CHECK(td_import_path(in, path, NULL));
	TD_CHECK_STR(in->source->importer ? in->source->importer : "", importer);
}

/* "op pid 'comm' @start+dur = ret file args", all times in ns */
static void add_calls(struct td_strbuf *b, const struct td_imported *in)
{
	for (size_t i = 0; i < in->ncalls; i++) {
		const struct td_call *c = &in->calls[i];
		const struct td_process *p = td_process_of(in, c->process_id);

		td_strbuf_addf(b, "%s %lld '%s' @%lld", td_op_name_of(in, c),
			       p ? (long long)p->pid : -1, p ? td_text_of(in, p->name_id) : "",
			       (long long)c->start_ns);
		if (c->dur_ns != TD_NULL)
			td_strbuf_addf(b, "+%lld", (long long)c->dur_ns);
		if (c->ret != TD_NULL)
			td_strbuf_addf(b, " = %lld", (long long)c->ret);
		if (c->done_bytes != TD_NULL)
			td_strbuf_addf(b, " done %lld", (long long)c->done_bytes);
		if (c->offset_bytes != TD_NULL)
			td_strbuf_addf(b, " at %lld", (long long)c->offset_bytes);
		td_strbuf_addf(b, " %s", td_file_text(in, c->file_id));
		if (c->args_id)
			td_strbuf_addf(b, " {%s}", td_text_of(in, c->args_id));
		td_strbuf_adds(b, "\n");
	}
}

static void check_calls(const struct td_imported *in, const char *want)
{
	_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;

	add_calls(&got, in);
	TD_CHECK_STR(td_strbuf_str(&got), want);
}

static void check_summaries(const struct td_imported *in, const char *want)
{
	_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;

	for (size_t i = 0; i < in->has->nsummaries; i++) {
		const struct td_summary *s = &in->has->summaries[i];

		td_strbuf_addf(&got, "%s[%s]", s->name, s->key ? s->key : "");
		if (!isnan(s->low) || !isnan(s->high))
			td_strbuf_addf(&got, " %g..%g", isnan(s->low) ? -INFINITY : s->low,
				       isnan(s->high) ? INFINITY : s->high);
		td_strbuf_addf(&got, " = %g%s%s\n", s->value, s->unit ? " " : "",
			       s->unit ? s->unit : "");
	}
	TD_CHECK_STR(td_strbuf_str(&got), want);
}

static void check_lines(const struct td_imported *in, uint64_t rows, uint64_t skipped,
			uint64_t issues)
{
	TD_CHECK_INT(in->source->rows, rows);
	TD_CHECK_INT(in->source->skipped, skipped);
	TD_CHECK_INT(in->source->issues, issues);
}

/* Names with blanks; the second one has a number in it that could be the FD. */
static void test_opensnoop(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	import_data(&in, DATA("opensnoop.txt"), "bpftrace-tools");
	check_calls(&in, "open 4711 'python3' @0 = 4 /data/case_00001_x.npy\n"
			 "open 4711 'python3' @1 = -2 /etc/tmux.conf\n"
			 "open 4712 'node 18' @2 = 12 /home/me/with blank\n"
			 "open 4711 'python3' @3 = 5 /data/new\n"
			 "open 4713 'cat' @4 = 3 (none)\n");
	check_summaries(&in, "@opens[python3] = 2\n");
	/* skipped: 4 lines above the rows, Lost, ^C, the blank line */
	check_lines(&in, 6, 7, 1);
	TD_CHECK_INT(td_issues_of(&in, "not-a-row"), 1);
	TD_CHECK_INT(td_issues_of(&in, "no-time-stamps"), 1);
	TD_CHECK_INT(in.source->lost_events, 7);
	TD_CHECK_INT(in.source->clock, TD_CLOCK_RELATIVE);
}

static void check_block(const struct td_imported *in, size_t i, const struct td_block *want,
			const char *disk, int64_t pid)
{
	const struct td_block *b = &in->blocks[i];

	if (i >= in->nblocks)
		return;
	TD_CHECK_INT(b->start_ns, want->start_ns);
	TD_CHECK_INT(b->dur_ns, want->dur_ns);
	TD_CHECK_INT(b->queue_ns, want->queue_ns);
	TD_CHECK_INT(b->sector, want->sector);
	TD_CHECK_INT(b->bytes, want->bytes);
	TD_CHECK_INT(b->op, want->op);
	TD_CHECK_STR(in->has->devices[b->device_id - 1].name, disk);
	TD_CHECK_INT(td_process_of(in, b->process_id)->pid, pid);
}

static void test_biosnoop(void)
{
	_cleanup_(td_imported_done) struct td_imported new = { 0 }, bcc = { 0 };
	/* 14 ms and 1502 ms are the ends, 3 ms and 12 ms the latencies */
	static const struct td_block by_new[] = {
		{ 11000000, 3000000, TD_NULL, TD_NULL, TD_NULL, .op = TD_BLOCK_OTHER },
		{ 1490000000, 12000000, TD_NULL, TD_NULL, TD_NULL, .op = TD_BLOCK_OTHER },
	};
	/* start = TIME - LAT: 0 - 0.25 ms, 1500.125 - 1.2 ms, 2100 - 0.5 ms */
	static const struct td_block by_bcc[] = {
		{ -250000, 250000, 50000, 2048, 131072, .op = TD_BLOCK_READ },
		{ 1498925000, 1200000, 10000, 1142400, 4096, .op = TD_BLOCK_WRITE },
		{ 2099500000, 500000, 0, TD_NULL, 0, .op = TD_BLOCK_WRITE },
	};

	import_data(&new, DATA("biosnoop-0.23.txt"), "bpftrace-tools");
	TD_CHECK_INT(new.nblocks, 2);
	check_block(&new, 0, &by_new[0], "259:0", 312);
	check_block(&new, 1, &by_new[1], "8:16", 4711);
	check_lines(&new, 2, 3, 0);
	import_data(&bcc, DATA("biosnoop-bcc-q.txt"), "bpftrace-tools");
	TD_CHECK_INT(bcc.nblocks, 3);
	check_block(&bcc, 0, &by_bcc[0], "nvme0n1", 4711);
	check_block(&bcc, 1, &by_bcc[1], "sda", 231);
	check_block(&bcc, 2, &by_bcc[2], "sda", 4800);
	check_lines(&bcc, 3, 1, 1); /* a sector of 2^64 - 1 fits no column */
}

static void test_execsnoop(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	import_data(&in, DATA("execsnoop.txt"), "bpftrace-tools");
	check_calls(&in, "execve 18049 'mount' @2849000000 = 0 (none) {/bin/mount -p}\n"
			 "execve 18050 'run' @3120000000 = -2 (none) {/usr/local/bin/missing "
			 "\"a b\"}\n");
	TD_CHECK_INT(in.has->processes[0].parent_pid, 1045);
	TD_CHECK_STR(td_text_of(&in, in.has->processes[0].command_line_id), "/bin/mount -p");
	TD_CHECK_INT(in.has->processes[1].command_line_id, 0); /* it failed */
	TD_CHECK_INT(in.source->clock, TD_CLOCK_RELATIVE);
}

/* 23:59:59 is 86399 s, the day after goes on from 86400 s. */
static void test_slower(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 }, csv = { 0 };

	import_data(&in, DATA("ext4slower.txt"), "bpftrace-tools");
	check_calls(&in, "vfs_read 4711 'python3' @86398989380000+10620000 = 4096 done 4096 at 0 "
			 "case_00001_x.npy\n"
			 "vfs_fsync 4712 'postdrop' @86400992750000+7250000 maildrop\n"
			 "vfs_write 4711 'python3' @86400997500000+2500000 = 131072 done 131072 "
			 "at 131072 log.json\n"
			 "vfs_open 4711 'python3' @86401999990000+10000 new file\n");
	TD_CHECK_INT(in.source->clock, TD_CLOCK_LOCAL_TOD);
	import_data(&csv, DATA("ext4slower.csv"), "bpftrace-tools");
	/* 127200712278 us - 2419 us; 127200722986 us - 8368 us */
	check_calls(&csv,
		    "vfs_read 4711 'python3' @127200709859000+2419000 = 65536 done 65536 at "
		    "131072 case_00001_x.npy\n"
		    "vfs_read 4711 'python3' @127200714618000+8368000 = 3274 done 3274 at 0 a,b\n");
	TD_CHECK_INT(csv.source->clock, TD_CLOCK_BOOT);
}

static void test_cachestat(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	import_data(&in, DATA("cachestat.txt"), "bpftrace-tools");
	/* 277 MiB = 290455552, 4367 = 4579131392, 4422 = 4636803072, 4423 = 4637851648 */
	td_check_samples(&in, INT64_C(36000) * TD_SEC_NS,
			 "page_cache.hits - @0+- = 1132\npage_cache.misses - @0+- = 0\n"
			 "page_cache.dirties - @0+- = 4\npage_cache.hit_ratio - @0+- = 100 %\n"
			 "page_cache.buffers - @0+- = 2.90456e+08 bytes\n"
			 "page_cache.cached - @0+- = 4.57913e+09 bytes\n"
			 "page_cache.hits - @5+5 = 17154\npage_cache.misses - @5+5 = 13750\n"
			 "page_cache.dirties - @5+5 = 15\npage_cache.hit_ratio - @5+5 = 55.51 %\n"
			 "page_cache.buffers - @5+5 = 2.90456e+08 bytes\n"
			 "page_cache.cached - @5+5 = 4.6368e+09 bytes\n"
			 "page_cache.hits - @7+2 = 0\npage_cache.misses - @7+2 = -19\n"
			 "page_cache.dirties - @7+2 = 360\npage_cache.hit_ratio - @7+2 = 0 %\n"
			 "page_cache.buffers - @7+2 = 2.90456e+08 bytes\n"
			 "page_cache.cached - @7+2 = 4.63785e+09 bytes\n");
	check_lines(&in, 3, 2, 0);
}

static void test_maps(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	import_data(&in, DATA("maps.txt"), "bpftrace-tools");
	/* 10:42:35 is 38555 s */
	td_check_samples(&in, INT64_C(38555) * TD_SEC_NS,
			 "@[vfs_read] - @0+- = 5172\n@[vfs_open] - @0+- = 111\n"
			 "@[vfs_read] - @1+1 = 478\n");
	check_summaries(&in, "@a[] = 4665\n"
			     "@b[sh] 0..1 = 4 count\n@b[sh] 512..1024 = 6 count\n"
			     "@l[] -inf..0 = 1 count\n@l[] 0..100 = 13 count\n"
			     "@l[] 4096..inf = 2 count\n"
			     "@s[] = 3 count\n@s[] = 5 average\n@s[] = 15 total\n"
			     "@t[10:42:36.500] = 9\n"
			     "usecs[disk = 'sda'] 0..2 = 0 count\n"
			     "usecs[disk = 'sda'] 2..4 = 12 count\n");
	TD_CHECK_INT(in.has->nstack_totals, 1); /* @stacks: tests/unit/test-folded.c */
	TD_CHECK_INT(in.source->issues, 0);
	TD_CHECK_INT(td_issues_of(&in, "text-map"), 1);
}

/* execsnoop.bt prints what the arguments are, newlines and all. */
static void test_long_args(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("arguments of several lines");
	td_import_text(&in, NULL,
		       "Attaching 3 probes...\nTIME(ms)   PID   ARGS\n"
		       "10         77    sh -c for i in 1 2\ndo\n  echo $i\ndone\nLost 3 events\n"
		       "20         78    sleep 1\n",
		       NULL);
	check_calls(&in, "execve 77 '' @10000000 (none) {sh -c for i in 1 2\ndo\n  echo $i\ndone}\n"
			 "execve 78 '' @20000000 (none) {sleep 1}\n");
	TD_CHECK_INT(in.source->rows, 5);
	TD_CHECK_INT(in.source->skipped, 3);
	TD_CHECK_INT(in.source->issues, 0);
	TD_CHECK_INT(in.source->lost_events, 3);
}

static void test_json(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 }, rw = { 0 };

	import_data(&in, TD_TEST_DATA "/bpftrace_json/opensnoop.json", "bpftrace-json");
	check_calls(&in, "open 4711 'python3' @0 = 4 /data/\"q\\\xc3\xa9\n"
			 "open 4711 'python3' @1 = -2 /data/missing\n"
			 "open 4711 'python3' @2 = 5 /data/new\nline\n"
			 "open 4713 'my\nname' @3 = 6 /data/x\n");
	check_summaries(&in, "@c[4711,python3] = 7\n@c[4712,cat] = 1\n@a[] = 4665\n"
			     "@b[sh] 512..1024 = 6 count\n"
			     "@l[] -inf..0 = 1 count\n@l[] 4096..inf = 233 count\n"
			     "@s[] = 3 count\n@s[] = 5 average\n@s[] = 15 total\n");
	TD_CHECK_INT(in.source->lost_events, 12);
	TD_CHECK_INT(in.source->issues, 0);
	/* the layouts of importers/bpftrace/layouts.c, in pieces: 1380360127728142 - 7230 */
	import_data(&rw, TD_TEST_DATA "/bpftrace_json/vfs_rw.json", "bpftrace-json");
	check_calls(&rw, "vfs_read 2083041 'python' @1380360127720912+7230 = 832 done 832 "
			 "libpthread-2.27.so\n");
	TD_CHECK_INT(rw.source->clock, TD_CLOCK_BOOT);
	TD_CHECK_INT(rw.source->issues, 0);
}

/* Text in, calls out. */
static const struct {
	const char *text, *want;
	enum td_clock clock;
} cases[] = {
	{ "UID   PID    COMM               FD ERR FLAGS    MODE PATH\n"
	  "1000  30240  ls                  3   0 00000301 0664 tmp.txt\n"
	  "1000  30240  ls                  4   0 02000000 n/a  /etc/x\n",
	  "open 30240 'ls' @0 = 3 tmp.txt {flags=00000301 mode=0664}\n"
	  "open 30240 'ls' @1 = 4 /etc/x {flags=02000000}\n",
	  TD_CLOCK_RELATIVE },
	{ "TIME(s)       PID    COMM               FD ERR PATH\n"
	  "0.000290000   1956   supervise           9   0 supervise/status.new\n",
	  "open 1956 'supervise' @290000 = 9 supervise/status.new\n", TD_CLOCK_RELATIVE },
	/* columns squeezed by another tool */
	{ "PID COMM FD ERR PATH\n12 tmux: server 3 0 /a\n", "open 12 'tmux: server' @0 = 3 /a\n",
	  TD_CLOCK_RELATIVE },
	{ "# ./statsnoop\nPID    COMM               FD ERR PATH\n"
	  "31126  bash               -1   2 /sbin/iconfig\n31126  bash                0   0 .\n",
	  "stat 31126 'bash' @0 = -2 /sbin/iconfig\nstat 31126 'bash' @1 = 0 .\n",
	  TD_CLOCK_RELATIVE },
	{ "PID    COMM             ERR PATH\n31126  bash               0 /\n",
	  "stat 31126 'bash' @0 = 0 /\n", TD_CLOCK_RELATIVE },
	/* 00:00:02.5 */
	{ "TIME                PID COMM              SIG   TPID RESULT\n"
	  "00:00:02.500000   22485 bash                2  23856     -3\n",
	  "kill 22485 'bash' @2500000000 = -3 (none) {sig=2 pid=23856}\n", TD_CLOCK_LOCAL_TOD },
	{ "TIME      PID    COMM             EVENT\n"
	  "00:00:01  27933  sync             tracepoint:syscalls:sys_enter_fsync\n",
	  "fsync 27933 'sync' @1000000000 (none)\n", TD_CLOCK_LOCAL_TOD },
	{ "TIME(s)            CALL\n16458148.611952    sync()\n",
	  "sync -1 '' @16458148611952000 (none)\n", TD_CLOCK_RELATIVE },
	{ "TIME(ms)   PID   ARGS\n1200       77    ls --color=auto /tmp\n",
	  "execve 77 '' @1200000000 (none) {ls --color=auto /tmp}\n", TD_CLOCK_RELATIVE },
	{ "TIME            PID     PPID    ARGS\n00:00:03.250000 77      70      ls -l\n",
	  "execve 77 '' @3250000000 (none) {ls -l}\n", TD_CLOCK_LOCAL_TOD },
	{ "TIME(s)  COMM           TID    D BYTES   LAT(ms) FILENAME\n"
	  "1.000    cksum          3616   W 55400      8.77 ab\n",
	  "vfs_write -1 '' @991230000+8770000 = 55400 done 55400 ab\n", TD_CLOCK_RELATIVE },
};

static void test_cases(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };

		TD_CASE(cases[i].text);
		td_import_text(&in, &td_importer_bpftrace_tools, cases[i].text, NULL);
		check_calls(&in, cases[i].want);
		TD_CHECK_INT(in.source->clock, cases[i].clock);
		TD_CHECK_INT(in.source->issues, 0);
	}
}

static const struct {
	const char *text, *kind;
	uint64_t rows, issues;
} damaged[] = {
	{ "PID    COMM               FD ERR PATH\n12     a                   3   0 /a\n12     a   ",
	  "cut-line", 1, 1 },
	{ "PID    COMM               FD ERR PATH\n12     a                   3   0 /a\n"
	  "12     a                   x   0 /b\n",
	  "not-a-row", 1, 1 },
	/* another table with other times, as in documentation */
	{ "PID    COMM               FD ERR PATH\n12     a                   3   0 /a\n\n"
	  "Prose about it.\n\nTIME(s)       PID    COMM               FD ERR PATH\n"
	  "0.000290000   1956   supervise           9   0 x\n",
	  "other-clock", 1, 1 },
	/* what a bucket is of cannot be told; of a title that is spoilt the next entry knows nothing */
	{ "@a: 5\n[2, 4)   7 |@@@|\n", "no-title", 1, 1 },
	{ "@b[sh]\xff: \n[1]      4 |@@@ |\n[2, 4)   7 |@@@@|\n@c[cat]: 5\n@d[sh]: \n[1]     4 "
	  "|@@|\n",
	  "no-title", 2, 2 },
	{ "@a[\n    never\n\nends\n", "", 0, 0 },
};

static void test_damaged(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(damaged); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };

		TD_CASE(damaged[i].text);
		td_import_text(&in, &td_importer_bpftrace_tools, damaged[i].text, NULL);
		TD_CHECK_INT(in.source->rows, damaged[i].rows);
		TD_CHECK_INT(in.source->issues, damaged[i].issues);
		TD_CHECK_INT(td_issues_of(&in, damaged[i].kind), damaged[i].issues);
	}
}

static const struct {
	const char *text;
	bool claimed;
} heads[] = {
	{ "PID    COMM               FD ERR PATH\n12     a                   3   0 /a\n", true },
	{ "Attaching 6 probes...\nTracing block device I/O... Hit Ctrl-C to end.\n\n", true },
	{ "@: 5\n", true },
	{ "@b[sh]: \n[512, 1K)    6 |@@@@|\n", true },
	/* the header alone, other tables, prose */
	{ "PID    COMM               FD ERR PATH\n", false },
	{ "PID COMMAND\n12 a\n", false },
	{ "UID PID PPID C STIME TTY TIME CMD\nroot 1 0 0 Oct26 ? 00:00:10 /sbin/init\n", false },
	{ "Attaching 2 probes...\n2214013902355     2857   bpftrace         /dev/null\n", false },
	{ "mail me @home: 5\nor so\n", false },
	{ "", false },
};

static void test_sniff(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(heads); i++) {
		size_t len = strlen(heads[i].text);

		TD_CASE(heads[i].text);
		TD_CHECK_INT(td_importer_bpftrace_tools.sniff(heads[i].text, len) > 0,
			     heads[i].claimed);
		TD_CHECK_INT(td_importer_bpftrace_json.sniff(heads[i].text, len), 0);
	}
}

static int corpus_claimed;

/* Most are documentation: what is wanted of them is that one importer takes them, or none, and that no
 * prose becomes rows. Issues are tables whose times are of another kind than the first one's. */
static void corpus_file(const char *path, const char *name)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	bool ours;

	TD_CHECK(td_import_path(&in, path, NULL));
	td_print_source(&in, path);
	ours = in.source->importer && strncmp(in.source->importer, "bpftrace-", 9) == 0;
	TD_CHECK(ours || !in.source->importer);
	corpus_claimed += ours;
	/* a path with a newline in it, and three lines that somebody wrote below a stack */
	TD_CHECK_INT(in.source->issues - td_issues_of(&in, "other-clock"),
		     strcmp(name, "opensnoop.bt.out") == 0        ? 1
		     : strcmp(name, "bcc_trace_example.txt") == 0 ? 3
								  : 0);
	if (ours && strstr(name, "_example.txt"))
		TD_CHECK(in.source->rows < in.source->lines);
}

int main(int argc, char **argv)
{
	static const char *const folders[] = { "bpftrace", "bpftrace_local" };

	if (argc > 1) {
		int r = td_run_corpus(folders, TD_ARRAY_SIZE(folders), corpus_file);

		printf("%d claimed\n", corpus_claimed);
		return r;
	}
	test_opensnoop();
	test_biosnoop();
	test_execsnoop();
	test_slower();
	test_cachestat();
	test_maps();
	test_long_args();
	test_json();
	test_cases();
	test_damaged();
	test_sniff();
	return td_check_result();
}
