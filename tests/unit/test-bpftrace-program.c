/* SPDX-License-Identifier: MIT */
/* Layouts from bpftrace programs: what is understood, what is refused, and a file imported with one. */
#include "common/strbuf.h"
#include "importers/bpftrace/bpftrace.h"
#include "importers/core/importers.h"
#include "tests/unit/import.h"

#define DATA TD_TEST_DATA "/bpftrace/"
#define PROGRAMS TD_TEST_DATA "/bpftrace-program/"

/* Headers in '<>', then each row's words, operation and layer. */
static const struct {
	const char *name, *program, *want;
} programs[] = {
	{ "reads and writes, in several printf() calls",
	  "BEGIN {\n"
	  "	printf(\"Capturing\\n\");\n"
	  "	printf(\"%-17s %-9s %-6s %-14s %-4s %-7s \", \"TIMESTAMP\", \"TIME\", \"PID\", "
	  "\"COMM\", \"R/W\", \"LAT(ns)\");\n"
	  "	printf(\"%-10s %-10s %s\\n\", \"REQUESTED\", \"RETURNED\", \"FILE\");\n"
	  "}\n"
	  "kprobe:vfs_read /comm != \"a{b\"/ { $f = (struct file *)arg0; @n[tid] = "
	  "str($f->f_path.dentry->d_name.name);\n"
	  "	@start[tid] = nsecs; @req[tid] = arg2; }\n"
	  "kretprobe:vfs_read /@start[tid]/ {\n"
	  "	$now = nsecs;\n"
	  "	printf(\"%-17lu \", $now);\n"
	  "	time(\"%H:%M:%S  \");\n"
	  "	printf(\"%-6d %-14s %-4s %-7d %-10d \", pid, comm, \"R\", $now - @start[tid], "
	  "@req[tid]);\n"
	  "	printf(\"%-10d %s\\n\", retval, @n[tid]);\n"
	  "	@start[tid] = 0;\n"
	  "}\n",
	  "<Capturing><TIMESTAMP TIME PID COMM R/W LAT(ns) REQUESTED RETURNED FILE>\n"
	  "%-17lu %H:%M:%S  %-6d %-14s %-4s %-7d %-10d %-10d %s\n"
	  " ts pid comm 'R' lat asked ret name; vfs_read vfs\n" },

	{ "block requests",
	  "BEGIN { printf(\"%s %s %s %s %s %s %s %s %s %s %s\\n\", \"TS\", \"PID\", \"COMM\", "
	  "\"DONEPID\", \"DONECOMM\", \"DISK\", \"T\", \"SECTOR\", \"BYTES\", \"QLAT(ns)\", "
	  "\"LAT(ns)\"); }\n"
	  "kprobe:blk_account_io_start { @start[arg0] = nsecs; @iopid[arg0] = pid; @iocomm[arg0] = "
	  "comm;\n"
	  "	@disk[arg0] = ((struct request *)arg0)->rq_disk->disk_name;\n"
	  "	@rw[arg0] = (((struct request *)arg0)->cmd_flags & 255) == 1 ? \"W\" : \"R\";\n"
	  "	@sector[arg0] = ((struct request *)arg0)->__sector; @len[arg0] = ((struct request "
	  "*)arg0)->__data_len; }\n"
	  "kprobe:blk_account_io_done { printf(\"%lu %d %s %d %s %s %s %llu %u %lu %lu\\n\", "
	  "nsecs, @iopid[arg0], @iocomm[arg0], pid, comm, @disk[arg0], @rw[arg0], @sector[arg0], "
	  "@len[arg0], nsecs - @qstart[arg0], (nsecs - @start[arg0])); }\n",
	  "<TS PID COMM DONEPID DONECOMM DISK T SECTOR BYTES QLAT(ns) LAT(ns)>\n"
	  "%lu %d %s %d %s %s %s %llu %u %lu %lu\n"
	  " ts pid comm donepid donecomm disk rw sector bytes qlat lat; blk_account_io_done "
	  "vfs\n" },

	{ "tracepoints: arguments, a constant that names the call, columns that are kept",
	  "tracepoint:syscalls:sys_enter_openat { @fn[tid] = args->filename; @fl[tid] = "
	  "args.flags; }\n"
	  "tracepoint:syscalls:sys_exit_openat { printf(\"[%lu] %-10s %d %d %x %d %s\\n\", nsecs, "
	  "\"openat()\", tid, args.ret, @fl[tid], cpu, str(@fn[tid], 100)); }\n"
	  "tracepoint:syscalls:sys_exit_pread64 { printf(\"%lu %d %d %d\\n\", nsecs(boot), pid, "
	  "args->ret, args->weird_thing); }\n",
	  "[%lu] %-10s %d %d %x %d %s\n"
	  " ts 'openat()' tid ret =flags =cpu path; openat syscall\n"
	  "%lu %d %d %d\n"
	  " ts pid ret =weird_thing; pread64 syscall\n" },

	{ "names of columns, where the expression does not tell",
	  "BEGIN { printf(\"%s %s %s %s %s\\n\", \"TIMESTAMP\", \"FUNCTION\", \"SIZE (B)\", \"LAT "
	  "(ms)\", \"Retry Count\"); }\n"
	  "kretprobe:nfs_file_read { printf(\"%lu %s %d %d %d\\n\", nsecs, $f, $a, $b, $c); }\n",
	  "<TIMESTAMP FUNCTION SIZE (B) LAT (ms) Retry Count>\n"
	  "%lu %s %d %d %d\n"
	  " ts func ret lat*1000000 =retry_count; nfs_file_read vfs\n" },

	{ "names of maps, where there is no header; a column that repeats",
	  "kretprobe:f { printf(\"%lu %d %d %s %lu %d\\n\", nsecs, @read_fd[tid], @w_off[tid], "
	  "@vr_fn[tid], nsecs, @Odd_one[tid]); }\n",
	  "%lu %d %d %s %lu %d\n"
	  " ts fd offset file =nsecs =odd_one; f vfs\n" },

	{ "time since the start, in milliseconds; a quotient of a difference",
	  "kprobe:a { @s[arg0] = nsecs; }\n"
	  "kprobe:b { printf(\"%-12u %-16s %-6d %7d\\n\", elapsed / 1e6, comm, pid, (nsecs - "
	  "@s[arg0]) / 1000000); }\n",
	  "%-12u %-16s %-6d %7d\n"
	  " ts*1000000 comm pid lat*1000000; b vfs\n" },

	{ "a function of a library; wall time; no newline at the end",
	  "uretprobe:/lib/libc.so.6:fread { printf(\"%lu \", nsecs); printf(\"%s %d\", "
	  "strftime(\"%H:%M:%S\", nsecs), retval); }\n",
	  "%lu %H:%M:%S %d ts ret; fread libc\n" },

	{ "lines without a time are known by their text; time() ends a line; comments",
	  "// printf(\"%d\", a);\n"
	  "kprobe:a { /* { */ printf(\"\\n\"); printf(\"%lu \", nsecs); time(); printf(\"done "
	  "%d\\n\", pid); }\n"
	  "interval:s:1 { printf(\"%d\\n\", @n); }\n",
	  "%lu %H:%M:%S\n"
	  " ts; a vfs\n"
	  "done %d\n"
	  " pid; a vfs\n" },
};

static void describe(struct td_strbuf *b, const struct td_layout *l)
{
	static const char *const layers[] = { "libc", "syscall", "vfs" };

	for (const char *const *h = l->headers; *h; h++)
		td_strbuf_addf(b, "<%s>", *h);
	if (l->headers[0])
		td_strbuf_adds(b, "\n");
	for (const struct td_layout_row *row = l->rows; row->format; row++)
		td_strbuf_addf(b, "%s%s; %s %s\n", row->format, row->args, row->op,
			       row->layer ? layers[*row->layer] : "syscall");
}

static void test_programs(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(programs); i++) {
		_cleanup_(td_layout_set_done) struct td_layout_set set = { 0 };
		_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;
		struct td_err err = { "" };

		TD_CASE(programs[i].name);
		TD_CHECK_INT(td_bpftrace_program_text("dir/my.bt", programs[i].program,
						      strlen(programs[i].program), &set, &err),
			     0);
		TD_CHECK_STR(err.msg, "");
		TD_CHECK_INT(set.nlayouts, 1);
		if (set.nlayouts != 1)
			continue;
		TD_CHECK_STR(set.layouts[0].name, "user:my.bt");
		describe(&got, &set.layouts[0]);
		TD_CHECK_STR(td_strbuf_str(&got), programs[i].want);
	}
}

static void test_refused(void)
{
	static const struct {
		const char *program, *want;
	} cases[] = {
		{ "", "'my.bt': no printf() that prints an event" },
		{ "BEGIN { printf(\"x\\n\"); }", "'my.bt': no printf() that prints an event" },
		{ "kprobe:a {\n\n printf(\"%d\\n\", pid); }",
		  "'my.bt': line 3: an event is printed without nsecs, so its time is unknown" },
		{ "kprobe:a {\n printf(\"%lu %d\\n\", nsecs); }",
		  "'my.bt': line 2: printf() has fewer arguments than conversions" },
		{ "kprobe:a { printf(\"%lu %d%%\\n\", nsecs, pid); }",
		  "'my.bt': line 1: '%%' in printf() is not understood" },
		{ "kprobe:a { printf(\"%lu %r\\n\", nsecs, buf(arg0)); }",
		  "'my.bt': line 1: a conversion in printf() that is not understood" },
		{ "kprobe:a { printf(\"%lu \", nsecs); time(\"%D\"); }",
		  "'my.bt': line 1: a format of time() other than %H:%M:%S" },
		{ "kprobe:a { printf(nsecs); }", "'my.bt': line 1: printf() without a format" },
		{ "kprobe:a { printf(\"%lu %s\\n\", nsecs, \"it's\"); }",
		  "'my.bt': line 1: a quotation mark or a backslash in a constant column" },
		{ "kprobe:a\n{ printf(\"%lu\\n", "'my.bt': line 2: a string without end" },
		{ "kprobe:a\n\n/* ", "'my.bt': line 3: a comment without end" },
		{ "kprobe:a { printf(\"%lu\\n\", nsecs);",
		  "'my.bt': line 1: a probe without its block" },
		{ "kprobe:a { printf(\"%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d\", "
		  "nsecs,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1); }",
		  "'my.bt': line 1: too many columns" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_layout_set_done) struct td_layout_set set = { 0 };
		struct td_err err = { "" };

		TD_CASE(cases[i].program);
		TD_CHECK(td_bpftrace_program_text("my.bt", cases[i].program,
						  strlen(cases[i].program), &set, &err) < 0);
		TD_CHECK_STR(err.msg, cases[i].want);
	}
}

/* Every beginning of a program is read or refused, and nothing else happens. */
static void test_cut_programs(void)
{
	TD_CASE("cut programs");
	for (size_t i = 0; i < TD_ARRAY_SIZE(programs); i++) {
		for (size_t len = 0; len < strlen(programs[i].program); len++) {
			_cleanup_(td_layout_set_done) struct td_layout_set set = { 0 };
			_cleanup_free_ char *copy = malloc(len + 1);
			struct td_err err = { "" };
			int r;

			TD_CHECK(copy);
			if (!copy)
				return;
			memcpy(copy, programs[i].program, len);
			r = td_bpftrace_program_text("my.bt", copy, len, &set, &err);
			TD_CHECK(r == 0 || err.msg[0]);
		}
	}
}

/* fsync.out as fsync.bt prints it: %-9llu of microseconds, an errno, a value that only the header names. */
static void test_import(void)
{
	static const char *const given[] = { DATA "fsync.bt", NULL };
	_cleanup_(td_import_layouts_done) struct td_import_layouts layouts = td_layouts_of(given);
	const struct td_import_options options = { .layouts = &layouts,
						   .clocks = TD_CLOCK_OPTIONS_NONE };
	static const struct {
		int64_t start, dur, ret, pid;
		const char *comm, *file, *args;
	} want[] = {
		/* 5311925911370 - 2500000 us, 5311022417003 - 1834 us, 5311023901444 - 90 us */
		{ 5309425911370, 2500000000, 0, 1200413, "Web Content", "", "data=0" },
		{ 5311020583003, 1834000, 0, 3311, "postgres", "pg_wal_00000001", "data=0" },
		{ 5311023811444, 90000, -5, 3311, "postgres", "pg_stat tmp", "data=1" },
	};
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_free_ char *text = NULL;
	size_t len = 0;

	TD_CASE("fsync.bt");
	text = td_read_whole(DATA "fsync.out", &len);
	TD_CHECK(text);
	if (!text)
		return;
	TD_CHECK_INT(td_bpftrace_sniff(text, len), 0);
	TD_CHECK(td_bpftrace_sniff_with(text, len, &layouts) > 0);
	td_import_bytes(&in, &td_importer_bpftrace, text, len, &options);
	TD_CHECK_STR(in.source->layout, "user:fsync.bt");
	TD_CHECK_INT(in.source->rows, 3);
	TD_CHECK_INT(in.source->skipped, 5);
	TD_CHECK_INT(in.ncalls, TD_ARRAY_SIZE(want));
	for (size_t i = 0; i < in.ncalls && i < TD_ARRAY_SIZE(want); i++) {
		const struct td_call *c = &in.calls[i];

		TD_CHECK_STR(td_op_name_of(&in, c), "fsync");
		TD_CHECK_INT(c->start_ns, want[i].start);
		TD_CHECK_INT(c->dur_ns, want[i].dur);
		TD_CHECK_INT(c->ret, want[i].ret);
		TD_CHECK_INT(c->done_bytes, TD_NULL);
		TD_CHECK_INT(td_process_of(&in, c->process_id)->pid, want[i].pid);
		TD_CHECK_STR(td_text_of(&in, td_process_of(&in, c->process_id)->name_id),
			     want[i].comm);
		TD_CHECK_STR(td_file_text(&in, c->file_id), want[i].file);
		TD_CHECK_STR(td_text_of(&in, c->args_id), want[i].args);
	}
}

/* Output of that program alone is what the user says it is, though the maps at its end look like a tool's. */
static void test_rows_and_maps(void)
{
	static const char *const given[] = { DATA "fsync.bt", NULL };
	static const char maps[] = "@[postgres]: 2\n@[cat]: 1\n@[ls]: 3\n@[sh]: 5\n";
	_cleanup_(td_import_layouts_done) struct td_import_layouts layouts = td_layouts_of(given);
	const struct td_import_options options = { .layouts = &layouts,
						   .clocks = TD_CLOCK_OPTIONS_NONE };
	_cleanup_(td_imported_done) struct td_imported in = { 0 }, other = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf all = TD_STRBUF_INIT;
	_cleanup_free_ char *text = NULL;
	size_t len = 0;

	TD_CASE("rows and maps");
	text = td_read_whole(DATA "fsync.out", &len);
	TD_CHECK(text);
	if (!text)
		return;
	td_strbuf_adds(&all, "Attaching 3 probes...\n");
	td_strbuf_add(&all, text, len);
	td_strbuf_adds(&all, maps);
	td_import_bytes(&in, NULL, all.p, all.len, &options);
	TD_CHECK_STR(in.source->importer ? in.source->importer : "", "bpftrace");
	TD_CHECK_STR(in.source->layout, "user:fsync.bt");
	TD_CHECK_INT(in.ncalls, 3);
	/* a file of maps in the same folder is none of it */
	td_import_bytes(&other, NULL, maps, strlen(maps), &options);
	TD_CHECK_STR(other.source->importer ? other.source->importer : "", "bpftrace-tools");
}

static void test_missing_program(void)
{
	_cleanup_(td_import_layouts_done) struct td_import_layouts layouts = { 0 };
	struct td_err err = { "" };

	TD_CASE("a program that is not there");
	TD_CHECK_INT(td_import_layouts_add(&layouts, DATA "no-such.bt", &err), -ENOENT);
	TD_CHECK(strstr(err.msg, "no-such.bt"));
	TD_CHECK_INT(layouts.n, 0);
}

/* What is not counted from boot has another clock. */
static void test_relative(void)
{
	static const char program[] = "kprobe:b { printf(\"%-12u %-16s %-6d %7d\\n\", elapsed / "
				      "1e6, comm, pid, (nsecs - @s[arg0]) / 1000000); }";
	_cleanup_(td_layout_set_done) struct td_layout_set set = { 0 };
	struct td_layout_values v;
	static const char row[] = "1234         jbd2/nvme0n1     174          12";
	const char *end = row + strlen(row);

	TD_CASE("elapsed");
	TD_CHECK_INT(td_bpftrace_program_text("b.bt", program, strlen(program), &set, NULL), 0);
	TD_CHECK_INT(set.layouts[0].clock, TD_CLOCK_RELATIVE);
	TD_CHECK(td_pattern_match(&set.patterns[0], row, end, true, &v) == end);
	TD_CHECK_INT(v.num[TD_FIELD_TS], 1234000000);
	TD_CHECK_INT(v.num[TD_FIELD_LAT], 12000000);
	TD_CHECK(td_str_eq(v.text[TD_FIELD_COMM], "jbd2/nvme0n1"));
}

/* Blanks at the end of a row may be missing, words may not: "hello 1" of BEGIN is a header with a number behind it. */
static void test_end_of_row(void)
{
	static const char program[] = "BEGIN { printf(\"hello %d\\n\", 1); } "
				      "interval:s:1 { printf(\"%llu tick\\n\", nsecs); } "
				      "interval:s:2 { printf(\"%llu %d \\n\", nsecs, pid); }";
	static const struct {
		const char *row;
		unsigned pattern;
		bool fits;
	} rows[] = { { "1234 tick", 0, true }, { "1234", 0, false },  { "1234 tic", 0, false },
		     { "1234 7 ", 1, true },   { "1234 7", 1, true }, { "1234", 1, false },
		     { "123456789", 0, false } };
	_cleanup_(td_layout_set_done) struct td_layout_set set = { 0 };
	struct td_layout_values v;

	TD_CHECK_INT(td_bpftrace_program_text("b.bt", program, strlen(program), &set, NULL), 0);
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++) {
		const struct td_pattern *pt = &set.patterns[rows[i].pattern];
		const char *row = rows[i].row, *end = row + strlen(row);

		TD_CASE(row);
		TD_CHECK((td_pattern_match(pt, row, end, true, &v) == end) == rows[i].fits);
		TD_CHECK((td_pattern_match_spaced(pt, row, end, &v) == end) == rows[i].fits);
	}
}

/* Which lines may be rows is told from the digits of a time stamp and what is behind them, by what
 * the programs print. */
static void test_sniff_times(void)
{
	static const struct {
		const char *program, *rows;
	} of[] = {
		/* in ms there are fewer than the second after boot has in ns */
		{ PROGRAMS "elapsed.bt", "1234         jbd2/nvme0n1     174          12\n"
					 "2468         python           4711          7\n" },
		{ PROGRAMS "slash.bt", "1234567890123/4711 python\n1234567890456/4711 python\n" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(of); i++) {
		const char *const given[] = { of[i].program, NULL };
		_cleanup_(td_import_layouts_done) struct td_import_layouts layouts =
			td_layouts_of(given);
		size_t len = strlen(of[i].rows);

		TD_CASE(of[i].program);
		TD_CHECK_INT(td_bpftrace_sniff(of[i].rows, len), 0);
		TD_CHECK(td_bpftrace_sniff_with(of[i].rows, len, &layouts) > 0);
	}
}

int main(void)
{
	test_programs();
	test_refused();
	test_cut_programs();
	test_import();
	test_rows_and_maps();
	test_missing_program();
	test_relative();
	test_end_of_row();
	test_sniff_times();
	return td_check_result();
}
