/* SPDX-License-Identifier: MIT */
/* The damage that bpftrace text has: each case with what must come of it. Layouts: test-bpftrace-layouts. */
#include <cjson/cJSON.h>

#include "common/caldate.h"
#include "common/strbuf.h"
#include "importers/bpftrace/bpftrace.h"
#include "importers/core/importers.h"
#include "tests/unit/import.h"

#define VFS_RW                                                                                     \
	"TIMESTAMP         TIME      PID    COMM           R/W  LAT(ns) REQUESTED  RETURNED   "    \
	"FILE\n"
#define BIO                                                                                        \
	"TIMESTAMP         TIME      PID      COMM           DONEPID  DONECOMM       DISK T "      \
	"SECTOR           BYTES        LAT(ns)\n"
#define OPENAT "TIMESTAMP         PID    COMM  LAT(ns)  FULLPATH FILENAME\n"
#define OPENAT_FD "TIMESTAMP         PID    FD    LAT(ns)  FULLPATH FILENAME\n"
#define READ "TIMESTAMP         PID    FD   RET (B)      LAT(ns)      FILENAME\n"
#define CD "TIMESTAMP         TIME       PID    COMM     TYPE FILE\n"

/* What becomes of the lines: rows/skipped/issues/repaired/lost, then kinds of issues with their counts,
 * then calls ("op pid comm start+dur ret done asked fd offset 'file' args") and requests. */
static void describe(struct td_strbuf *b, const struct td_imported *in);

static void add_number(struct td_strbuf *b, int64_t v)
{
	if (v == TD_NULL || v == INT32_MIN)
		td_strbuf_adds(b, " -");
	else
		td_strbuf_addf(b, " %lld", (long long)v);
}

static void add_process(struct td_strbuf *b, const struct td_imported *in, uint32_t id)
{
	const struct td_process *p = td_process_of(in, id);

	if (!p)
		td_strbuf_adds(b, " -");
	else
		td_strbuf_addf(b, " %lld:%s", (long long)p->pid, td_text_of(in, p->name_id));
}

static void add_call(struct td_strbuf *b, const struct td_imported *in, const struct td_call *c)
{
	const struct td_file *f = td_file_of(in, c->file_id);

	td_strbuf_addf(b, "%s", td_op_name_of(in, c));
	add_process(b, in, c->process_id);
	if (c->thread_id)
		td_strbuf_addf(b, "/%lld",
			       (long long)td_store_thread_at(in->st, c->thread_id)->tid);
	add_number(b, c->start_ns);
	add_number(b, c->dur_ns);
	td_strbuf_adds(b, " ret");
	add_number(b, c->ret);
	add_number(b, c->done_bytes);
	add_number(b, c->asked_bytes);
	td_strbuf_adds(b, " fd");
	add_number(b, c->fd);
	add_number(b, c->offset_bytes);
	if (f)
		td_strbuf_addf(b, " %s '%s'%s", f->path.p ? "path" : "name",
			       td_file_text(in, c->file_id), f->truncated ? " cut" : "");
	if (c->args_id)
		td_strbuf_addf(b, " %s", td_text_of(in, c->args_id));
	td_strbuf_adds(b, "\n");
}

static void add_block(struct td_strbuf *b, const struct td_imported *in, const struct td_block *k)
{
	td_strbuf_addf(b, "block%d %s", k->op, in->has->devices[k->device_id - 1].name);
	add_process(b, in, k->process_id);
	add_process(b, in, k->done_process_id);
	add_number(b, k->start_ns);
	add_number(b, k->dur_ns);
	add_number(b, k->queue_ns);
	td_strbuf_adds(b, " at");
	add_number(b, k->sector);
	add_number(b, k->bytes);
	td_strbuf_adds(b, "\n");
}

static void describe(struct td_strbuf *b, const struct td_imported *in)
{
	const struct td_source *s = in->source;

	td_strbuf_addf(b, "%s %llu/%llu/%llu repaired %llu lost %llu\n",
		       s->layout ? s->layout : "-", (unsigned long long)s->rows,
		       (unsigned long long)s->skipped, (unsigned long long)s->issues,
		       (unsigned long long)s->repaired, (unsigned long long)s->lost_events);
	for (size_t i = 0; i < in->has->nissue_counts; i++)
		td_strbuf_addf(b, "%s %llu at %llu\n", in->has->issue_counts[i].kind,
			       (unsigned long long)in->has->issue_counts[i].count,
			       (unsigned long long)in->has->issue_counts[i].first_line);
	for (size_t i = 0; i < in->ncalls; i++)
		add_call(b, in, &in->calls[i]);
	for (size_t i = 0; i < in->nblocks; i++)
		add_block(b, in, &in->blocks[i]);
}

static const struct {
	const char *name, *text, *want;
} cases[] = {
	{ "what bpftrace says itself",
	  "Attaching 6 probes...\nAttaching 1 probe...\nAttached 6 probes\n"
	  "Capturing VFS Read and Write calls\n" VFS_RW
	  "1380360127728142  00:16:13  2083041 python         R    7230    832        832        "
	  "libc-2.27.so\n"
	  "\n\n@func[2083048]: openat\n@qstart[-1123]: 1380360127728142\n@start[1]: 0\n",
	  /* start: 1380360127728142 - 7230 */
	  "dgx1_v2/vfs_rw 1/10/0 repaired 0 lost 0\n"
	  "vfs_read 2083041:python 1380360127720912 7230 ret 832 832 832 fd - - name "
	  "'libc-2.27.so'\n" },

	{ "lost events, on a line of their own, behind a part of an event, and before one",
	  BIO "1380360142584179  00:16:13  2083041  python         0        swapper/15     sda  0 "
	      "1997239337       4096         61673\n"
	      "Lost 88 events\n"
	      "1380360142680924  00:16:13  Lost 3 events\n"
	      "2083041  python         0        swapper/40     sda  0 3719474521       8192        "
	      " 31607\n"
	      "Lost 4 events1380360142780924  00:16:13  2083041  python         0        "
	      "swapper/40     sda  1 3719474521       8192         31607\n",
	  "dgx1_v2/bio 2/2/2 repaired 0 lost 95\n"
	  "spoilt-line 2 at 4\n"
	  "block0 sda 2083041:python 0:swapper 1380360142522506 61673 - at 1997239337 4096\n"
	  "block1 sda 2083041:python 0:swapper 1380360142749317 31607 - at 3719474521 8192\n" },

	{ "interleaved requests",
	  BIO "1380378041415420  00:16:31 1380378041754147  00:16:31  2083047  python         0    "
	      "    swapper/73     sda  0 1843890826       94208        5371090\n"
	      " 2083042  python         0        swapper/28     sda  0 2419907193       262144     "
	      "  5338790\n"
	      "1380378042415420  00:16:31  2083047  python         0        swapper/73     sda  0 "
	      "1843890826       94208        5371090\n"
	      "1380378043415420  00:16:31 1380378043754147  00:16:31  2083047  python         0    "
	      "    swapper/73     sda  0 1843890826       94208        5371090\n"
	      " 2083042  python         0        swapper/28     sda  0 2419907193       262144     "
	      "  5338790\n",
	  /* the end of the first pair comes before any row, so nothing is known that it could be the end of */
	  "dgx1_v2/bio 1/1/4 repaired 0 lost 0\n"
	  "spoilt-line 3 at 2\nunknown-line 1 at 3\n"
	  "block0 sda 2083047:python 0:swapper 1380378037044330 5371090 - at 1843890826 94208\n" },

	{ "an interleaved line that still fits the format",
	  "TIMESTAMP         PID      COMM           DISK T BYTES        SECTOR LAT(ns)\n"
	  "1380378041415420  2083047  1380378041754147 sda  R 4096         1843890826   5371090\n"
	  "1380378041415421  2083047  python         sda  R 4096         1380378041754147 5371090\n"
	  "1380378041415422  2083047  python         sda  R 4096         1843890826   5371090\n",
	  "tools/bio 1/1/2 repaired 0 lost 0\n"
	  "spoilt-line 2 at 2\n"
	  "block0 sda 2083047:python - 1380378036044332 5371090 - at 1843890826 4096\n" },

	{ "an interleaved name",
	  VFS_RW "1380360127728142  00:16:13  2083041 python         R    7230    832        832   "
		 "     lib1380360127728199  00:16:13  2083041 x\n"
		 "1380360127728143  00:16:13  2083041 python         R    7230    832        832   "
		 "     1380360127728142 old\n"
		 "1380360127728144  00:16:13  2083041 python         R    7230    832        832   "
		 "     1380360127728142\n",
	  "dgx1_v2/vfs_rw 1/1/2 repaired 0 lost 0\n"
	  "spoilt-line 2 at 2\n"
	  "vfs_read 2083041:python 1380360127720914 7230 ret 832 832 832 fd - - name "
	  "'1380360127728142'\n" },

	{ "a time-aligned line with a second event inside",
	  "2022-08-30T19:59:02.008554497 4013182 python 4013181 python sda 0 1997239337 4096 "
	  "61673\n"
	  "2022-08-30T19:59:03.008554497 4013182 880935647338691 4013181 python 0\n"
	  "2022-08-30T19:59:04.008554497 4013182 python 4013181 python sda 0 1997239337 4096 "
	  "61673\n",
	  /* 2022-08-30T19:59:02 is 1661889542 s */
	  "dgx1_v2/bio 2/0/1 repaired 0 lost 0\n"
	  "spoilt-line 1 at 2\n"
	  "block0 sda 4013182:python 4013181:python 1661889542008492824 61673 - at 1997239337 "
	  "4096\n"
	  "block0 sda 4013182:python 4013181:python 1661889544008492824 61673 - at 1997239337 "
	  "4096\n" },

	{ "on a machine that booted half an hour ago every number is near",
	  BIO "2214013902355     00:16:13  2083041  python         0        swapper/15     sda  R "
	      "1997239337       4096         61673\n"
	      "2214013902356     00:16:13  2083041  python         0        swapper/15     sda  R "
	      "7814037167       4096         61674\n",
	  "dgx1_v2/bio 2/1/0 repaired 0 lost 0\n"
	  "block0 sda 2083041:python 0:swapper 2214013840682 61673 - at 1997239337 4096\n"
	  "block0 sda 2083041:python 0:swapper 2214013840682 61674 - at 7814037167 4096\n" },

	{ "latencies and sizes beyond 31 bits",
	  VFS_RW
	  /* -467090038 + 2^32 = 3827877258 */
	  "1380378122528677  00:16:31  2083042 python         R    -467090038 298344448  298344448 "
	  " case_00170_x.npy\n"
	  /* 2^31 + 4096 = 2147487744 = -2147479552 + 2^32 */
	  "1380378222528677  00:16:31  2083042 python         R    100     -2147479552 -2147479552 "
	  "big.bin\n",
	  "dgx1_v2/vfs_rw 2/1/0 repaired 2 lost 0\n"
	  "wrapped-latency 1 at 2\nwrapped-size 2 at 3\n"
	  "vfs_read 2083042:python 1380374294651419 3827877258 ret 298344448 298344448 298344448 "
	  "fd - - name 'case_00170_x.npy'\n"
	  "vfs_read 2083042:python 1380378222528577 100 ret 2147487744 2147487744 2147487744 fd - "
	  "- name 'big.bin'\n" },

	{ "a begin that was not seen gives no latency",
	  READ "1380360127697006  4070321 python 832          1380360127697006 libc-2.27.so\n",
	  "split/read 1/1/0 repaired 1 lost 0\n"
	  "impossible-latency 1 at 2\n"
	  "read 4070321:python 1380360127697006 - ret 832 832 - fd - - name 'libc-2.27.so'\n" },

	{ "errors: signed, and in an unsigned column",
	  READ "1380360127697006  4070321 python 18446744073709551103 6104         speed\n"
	       "1380360127765945  4070321 3    18446744073709551605 2881         pipe\n"
	       "1380360127765999  4070321 3    0            99           0\n",
	  "split/read 3/1/0 repaired 0 lost 0\n"
	  "read 4070321:python 1380360127690902 6104 ret -513 - - fd - - name 'speed'\n"
	  "read 4070321:python 1380360127763064 2881 ret -11 - - fd 3 - name 'pipe'\n"
	  "read 4070321:python 1380360127765900 99 ret 0 0 - fd 3 - name '0'\n" },

	{ "empty names and paths",
	  OPENAT_FD
	  /* failed: no name; not resident: no path; neither; both */
	  "1380360127458684  4070321 -2    9564     /opt/conda/lib/tls/libpthread.so.0 \n"
	  "1380360127458685  4070321 7     36466     fd\n"
	  "1380360127458686  4070321 -14   36466     \n"
	  "1380360127458687  4070321 5     100      /opt/conda/lib/x.so x.so\n" VFS_RW
	  "1380360127728142  00:16:13  2083041 python         W    7230    8          8          "
	  "\n",
	  "split/openat 5/2/0 repaired 0 lost 0\n"
	  "several-layouts 1 at 7\n"
	  "openat 4070321: 1380360127422219 36466 ret 7 - - fd - - name 'fd'\n"
	  "openat 4070321: 1380360127422220 36466 ret -14 - - fd - -\n"
	  "openat 4070321: 1380360127449120 9564 ret -2 - - fd - - path "
	  "'/opt/conda/lib/tls/libpthread.so.0'\n"
	  "openat 4070321: 1380360127458587 100 ret 5 - - fd - - path '/opt/conda/lib/x.so'\n"
	  "vfs_write 2083041:python 1380360127720912 7230 ret 8 8 8 fd - - name ''\n" },

	{ "paths and names with blanks, links, relative paths",
	  OPENAT "1380360127458684  4070321 python 9564     /data/my dir/my file.npy my file.npy\n"
		 "1380360127458685  4070321 Web Content 9564     /etc/mtab mounts\n"
		 "1380360127458686  4070321 tmux: server 9564     a b a b\n"
		 "1380360127458687  4070321 python 9564     / /\n",
	  "split/openat 4/1/0 repaired 0 lost 0\n"
	  "openat 4070321:python 1380360127449120 9564 ret - - - fd - - path '/data/my dir/my "
	  "file.npy'\n"
	  "openat 4070321:python 1380360127449121 9564 ret - - - fd - - path '/etc/mtab'\n"
	  "openat 4070321:python 1380360127449122 9564 ret - - - fd - - path 'a b'\n"
	  "openat 4070321:python 1380360127449123 9564 ret - - - fd - - path '/'\n" },

	{ "commands with blanks and brackets, names with several blanks",
	  VFS_RW
	  "1380360127728142  00:16:13  1      Web Content    R    7230    832        832        a  "
	  "b\n"
	  "1380360127728143  00:16:13  2      (sd-pam)       R    7230    832        832        C\n"
	  "1380360127728144  00:16:13  3      C2 CompilerThre W    7230    832        832        "
	  "kworker\n"
	  "1380360127728145  00:16:13  4      kworker/u161:3 W    7230    832        832         "
	  "x\n",
	  "dgx1_v2/vfs_rw 4/1/0 repaired 0 lost 0\n"
	  "vfs_read 1:Web Content 1380360127720912 7230 ret 832 832 832 fd - - name 'a  b'\n"
	  "vfs_read 2:(sd-pam) 1380360127720913 7230 ret 832 832 832 fd - - name 'C'\n"
	  "vfs_write 3:C2 CompilerThre 1380360127720914 7230 ret 832 832 832 fd - - name "
	  "'kworker'\n"
	  "vfs_write 4:kworker/u161:3 1380360127720915 7230 ret 832 832 832 fd - - name ' x'\n" },

	{ "cut paths and names: 63 characters, and two dots from 0.18",
	  OPENAT "1380360127458684  1      python 1        "
		 "/opt/conda/lib/python3.8/site-packages/scipy/sparse/linalg/__py __pycache__\n"
		 "1380360127458685  1      python 1        "
		 "/opt/conda/lib/python3.8/site-packages/scipy/sparse/linalg/__p __p\n"
		 "1380360127458686  1      python 1        "
		 "/opt/conda/lib/python3.8/site-packages/scipy/sparse/linalg/__py.. __pycache__\n"
		 "1380360127458687  1      python 1        "
		 "/opt/conda/lib/python3.8/site-packages/scipy/sparse/linalg/__q \n",
	  "split/openat 4/1/0 repaired 0 lost 0\n"
	  "cut-path 2 at 2\n"
	  "openat 1:python 1380360127458683 1 ret - - - fd - - path "
	  "'/opt/conda/lib/python3.8/site-packages/scipy/sparse/linalg/__py' cut\n"
	  "openat 1:python 1380360127458684 1 ret - - - fd - - path "
	  "'/opt/conda/lib/python3.8/site-packages/scipy/sparse/linalg/__p'\n"
	  "openat 1:python 1380360127458685 1 ret - - - fd - - path "
	  "'/opt/conda/lib/python3.8/site-packages/scipy/sparse/linalg/__py..' cut\n"
	  "openat 1:python 1380360127458686 1 ret - - - fd - - path "
	  "'/opt/conda/lib/python3.8/site-packages/scipy/sparse/linalg/__q'\n" },

	{ "a header that says FD over numbers, then over commands",
	  READ "1380360127697006  4070321 3    832          6104         a\n"
	       "1380360127697007  4070321 python 832          6104         b\n"
	       "1380360127697008  9      12345 832          6104         c\n",
	  "split/read 3/1/0 repaired 0 lost 0\n"
	  "read 4070321:python 1380360127690902 6104 ret 832 832 - fd 3 - name 'a'\n"
	  "read 4070321:python 1380360127690903 6104 ret 832 832 - fd - - name 'b'\n"
	  "read 9:12345 1380360127690904 6104 ret 832 832 - fd - - name 'c'\n" },

	{ "one column, two meanings: the header decides",
	  "TIMESTAMP         PID      COMM           DISK T BYTES        QLAT(ns) LAT(ns)\n"
	  "1380378041415420  2083047  python         sda  R 4096         2000 1500\n"
	  "TIMESTAMP         PID      COMM           DISK T BYTES        SECTOR LAT(ns)\n"
	  "1380378041415421  2083047  python         sda  W 4096         2000         1500\n",
	  "tools/bio-qlat 2/2/0 repaired 0 lost 0\n"
	  "several-layouts 1 at 4\n"
	  "block0 sda 2083047:python - 1380378041413920 1500 500 at - 4096\n"
	  "block1 sda 2083047:python - 1380378041413921 1500 - at 2000 4096\n" },

	{ "directions, as letters and numbers; a flush has no sector",
	  BIO "1380360142584179  00:16:13  1        python         2        swapper/15     sda  0 "
	      "1                8            9\n"
	      "1380360142584180  00:16:13  1        python         2        swapper/15     sda  1 "
	      "1                8            9\n"
	      "1380360142584181  00:16:13  1        python         2        swapper/15     sda  R "
	      "1                8            9\n"
	      "1380360142584182  00:16:13  1        python         2        swapper/15     sda  W "
	      "1                8            9\n"
	      "1380360142584183  00:16:13  1        python         2        swapper/15     nvme0n1 "
	      "2 18446744073709551615 0            9\n",
	  "dgx1_v2/bio 5/1/0 repaired 0 lost 0\n"
	  "block0 sda 1:python 2:swapper/15 1380360142584170 9 - at 1 8\n"
	  "block1 sda 1:python 2:swapper/15 1380360142584171 9 - at 1 8\n"
	  "block0 sda 1:python 2:swapper/15 1380360142584172 9 - at 1 8\n"
	  "block1 sda 1:python 2:swapper/15 1380360142584173 9 - at 1 8\n"
	  "block2 nvme0n1 1:python 2:swapper/15 1380360142584174 9 - at - 0\n" },

	{ "the last name of a process is kept, whichever column it stands in",
	  BIO "1380360142584179  00:16:13  1        python         1        pt_main_thread sda  R "
	      "1                8            9\n"
	      "1380360142584180  00:16:13  1        python         2        swapper/15     sda  R "
	      "1                8            9\n",
	  "dgx1_v2/bio 2/1/0 repaired 0 lost 0\n"
	  "block0 sda 1:python 1:python 1380360142584170 9 - at 1 8\n"
	  "block0 sda 1:python 2:swapper/15 1380360142584171 9 - at 1 8\n" },

	{ "rows out of order",
	  READ "1380360127697006  1      3    832          6            b\n"
	       "1380360127697006  1      3    832          6          b\n"
	       "1380360127597006  1      3    832          6            a\n",
	  /* the second one is not padded as printf() does */
	  "split/read 2/1/1 repaired 0 lost 0\n"
	  "spoilt-line 1 at 3\n"
	  "read 1: 1380360127597000 6 ret 832 832 - fd 3 - name 'a'\n"
	  "read 1: 1380360127697000 6 ret 832 832 - fd 3 - name 'b'\n" },

	{ "one blank between columns, none at the end",
	  "TIMESTAMP PID FD RET (B) LAT(ns) FILENAME\n"
	  "1380360127697006 1 3 832 6 a b\n"
	  "1380360127697007 1 3 832 6\n"
	  "1380360127697008 1 3 832 6x c\n"
	  "1380360127697009\t1\t3 832   6 c\n",
	  "split/read 3/1/1 repaired 0 lost 0\n"
	  "other-spacing 1 at 2\n"
	  "spoilt-line 1 at 4\n"
	  "read 1: 1380360127697000 6 ret 832 832 - fd 3 - name 'a b'\n"
	  "read 1: 1380360127697001 6 ret 832 832 - fd 3 - name ''\n"
	  "read 1: 1380360127697003 6 ret 832 832 - fd 3 - name 'c'\n" },

	{ "a first row that only looks as if the columns had no widths",
	  READ "1380360127697006  1      3    832          6          b\n"
	       "1380360127697006  1      3    832          6            b\n"
	       "1380360127697007  1      3    832          6          c\n",
	  "split/read 2/1/1 repaired 0 lost 0\n"
	  "other-spacing 1 at 2\n"
	  "spoilt-line 1 at 4\n"
	  "read 1: 1380360127697000 6 ret 832 832 - fd 3 - name 'b'\n"
	  "read 1: 1380360127697000 6 ret 832 832 - fd 3 - name 'b'\n" },

	{ "unlink and creat have no latency",
	  "mkdir():\nTIMESTAMP         PID    FUNCTION   MODE     LAT(ns)  FILENAME\n"
	  "rmdir():\nTIMESTAMP         PID    FUNCTION   LAT(ns)  FILENAME\n"
	  "unlink():\nTIMESTAMP       PID    FUNCTION   LAT(ns)  FILENAME FULLPATH\n"
	  "1380360127697006  1      unlink()   3012      /tmp/x y\n"
	  "1380360127697007  1      mkdir()    511      2000     /tmp/d\n"
	  "1380360127697008  1      2      create()   420   /tmp/z\n"
	  "1380360127697009  1      rmdir()    1000     /tmp/d\n",
	  "split/create_del 4/6/0 repaired 0 lost 0\n"
	  "mkdir 1: 1380360127695007 2000 ret - - - fd - - path '/tmp/d' mode=511\n"
	  "rmdir 1: 1380360127696009 1000 ret - - - fd - - path '/tmp/d'\n"
	  "unlink 1: 1380360127697006 - ret - - - fd - - path '/tmp/x y'\n"
	  "creat 1:/2 1380360127697008 - ret - - - fd - - path '/tmp/z' mode=420\n" },

	{ "mmap and munmap under their two headers",
	  "mmap():\nTIMESTAMP         PID    FD   ADDRESS       LAT(ns)  FILENAME\n"
	  "munmap():\nTIMESTAMP         PID    ADDRESS       LEN      LAT(ns) \n"
	  "1380360127697006  2083041 3    0x7f21a4c00000 1500     libc.so.6\n"
	  "1380360127697007  2083041 0x7f21a4c00000 4096     1600    \n"
	  "1380360127697008  2083041 -1   0xfffffffffffffff4 1700     \n",
	  "split/mmap 3/4/0 repaired 0 lost 0\n"
	  "mmap 2083041: 1380360127695308 1700 ret -12 - - fd - - name ''\n"
	  "munmap 2083041: 1380360127695407 1600 ret - - 4096 fd - -\n"
	  /* 0x7f21a4c00000 */
	  "mmap 2083041: 1380360127695506 1500 ret 139782474694656 - - fd 3 - name 'libc.so.6'\n" },

	{ "the first event on the header's line",
	  "TIMESTAMP         PID    FD    LAT(ns)  FILENAME FULLPATH1380360127458684  1      3     "
	  "500      x.so /lib/x.so\n"
	  "1380360127458685  1      -2    500       /lib/y.so\n",
	  "split/openat-name-first 2/0/0 repaired 0 lost 0\n"
	  "openat 1: 1380360127458184 500 ret 3 - - fd - - path '/lib/x.so'\n"
	  "openat 1: 1380360127458185 500 ret -2 - - fd - - path '/lib/y.so'\n" },

	{ "events without newline: latencies of eight digits and of 2.5 s touch the next time",
	  CD
	  "1380360127458684  00:16:13  1        2       python   close()    5        1234    "
	  "1380360127558690  00:16:13  1        2       python   close()    6        12345678"
	  "1380360127658690  00:16:13  1        2       python   close()    7        -1794967296"
	  "1380360137458691  00:16:13  1        2       python         vfs_open     77       a b\n"
	  "1380360147458684  00:16:13  1        2       python   close()    8        12      Lost "
	  "7 events\n"
	  "enter_mkdirat /tmp/d\nexit_mkdirat\nvfs_create\n"
	  "vfs_createvfs_create1380360157458684  00:16:13  1        2       python   vfs_create "
	  "420     0    100      new.txt\n"
	  "1380360167458684  00:16:13  1        2       python   close()    8        12      "
	  "13803601674\n",
	  /* the last number is not the begin of an event, but what is left of one */
	  "v3/cd 4/4/0 repaired 2 lost 7\n"
	  "wrapped-latency 1 at 2\nspoilt-rest 1 at 8\n"
	  "close 1:python/2 1380357627658690 2500000000 ret - - - fd 7 -\n"
	  "close 1:python/2 1380360115213012 12345678 ret - - - fd 6 -\n"
	  "close 1:python/2 1380360127457450 1234 ret - - - fd 5 -\n"
	  "vfs_open 1:python/2 1380360137458614 77 ret - - - fd - - name 'a b'\n"
	  "close 1:python/2 1380360147458672 12 ret - - - fd 8 -\n"
	  "vfs_create 1:python/2 1380360157458584 100 ret 0 - - fd - - name 'new.txt' mode=420\n"
	  "close 1:python/2 1380360167458672 12 ret - - - fd 8 -\n" },

	{ "a tid of seven digits touches the function",
	  "mkdir():\nTIMESTAMP         TIME     PID    TID    FUNCTION  MODE    LAT(ns)  FILENAME\n"
	  "1380360127458684 00:16:13  1313403 1313404mkdir()    511      2000     /tmp/d\n"
	  "1380360127458685 00:16:13  13134  13135 mkdir()    511      2000     /tmp/e\n",
	  "tid/create_del 2/2/0 repaired 0 lost 0\n"
	  "mkdir 1313403:/1313404 1380360127456684 2000 ret - - - fd - - path '/tmp/d' mode=511\n"
	  "mkdir 13134:/13135 1380360127456685 2000 ret - - - fd - - path '/tmp/e' mode=511\n" },

	{ "a cut last line",
	  VFS_RW "1380360127728142  00:16:13  2083041 python         R    7230    832        832   "
		 "     libc\n"
		 "1380360127728143  00:16:13  2083041 python         R    7230    832        8",
	  "dgx1_v2/vfs_rw 1/1/1 repaired 0 lost 0\n"
	  "cut-line 1 at 3\n"
	  "vfs_read 2083041:python 1380360127720912 7230 ret 832 832 832 fd - - name 'libc'\n" },

	{ "lines of nobody",
	  VFS_RW "hello\n"
		 "1380360127728142  00:16:13  2083041 python         R    7230    832        832   "
		 "     name with\n"
		 "a newline\n"
		 "TIMESTAMP of a script that nobody knows\n",
	  "dgx1_v2/vfs_rw 1/2/2 repaired 0 lost 0\n"
	  "unknown-line 2 at 2\n"
	  "vfs_read 2083041:python 1380360127720912 7230 ret 832 832 832 fd - - name 'name "
	  "with'\n" },

	{ "the time-aligned form, and a row that is not",
	  "2022-02-05T20:27:46.077425393 1313403 python vfs_open 100226 log.json\n"
	  "2022-02-05T20:27:46.077425394 1313403 Web Content openat 100226 /x/log 1.json\n"
	  "1380360127728142  00:16:13  2083041  python         openat       100226 x\n",
	  /* 2022-02-05T20:27:46 is 1644092866 s */
	  "dgx1_v2/open 2/0/1 repaired 0 lost 0\n"
	  "other-clock 1 at 3\n"
	  "vfs_open 1313403:Web Content 1644092866077325167 100226 ret - - - fd - - name "
	  "'log.json'\n"
	  "openat 1313403:Web Content 1644092866077325168 100226 ret - - - fd - - path '/x/log "
	  "1.json'\n" },

	{ "two files in one, and a header that returns",
	  READ "1380360127697006  1      3    832          6            a\n" READ
	       "1380360127697007  1      3    832          6            b\n" OPENAT_FD
	       "1380360127697008  1      3     6        /c c\n",
	  "split/read 3/3/0 repaired 0 lost 0\n"
	  "several-layouts 1 at 6\n"
	  "read 1: 1380360127697000 6 ret 832 832 - fd 3 - name 'a'\n"
	  "read 1: 1380360127697001 6 ret 832 832 - fd 3 - name 'b'\n"
	  "openat 1: 1380360127697002 6 ret 3 - - fd - - path '/c'\n" },

	{ "a header of another script over the rows",
	  VFS_RW "1380360127697006  1      3    832          6            a\n"
		 "1380360127697007  1      3    832          6            b\n",
	  "split/read 2/1/0 repaired 0 lost 0\n"
	  "read 1: 1380360127697000 6 ret 832 832 - fd 3 - name 'a'\n"
	  "read 1: 1380360127697001 6 ret 832 832 - fd 3 - name 'b'\n" },

	{ "hexadecimal and decimal offsets",
	  "TIMESTAMP         PID    OFFSET   RET (B)      LAT(ns)      FILENAME\n"
	  "1380360127697006  1        0x1000          4096         6            a\n"
	  "1380360127697007  1        4096             4096         6            b\n"
	  "1380360127697008  1        9000000000       4096             6            c\n",
	  "tools/read 3/1/0 repaired 0 lost 0\n"
	  "read 1: 1380360127697000 6 ret 4096 4096 - fd - 4096 name 'a'\n"
	  "read 1: 1380360127697001 6 ret 4096 4096 - fd - 4096 name 'b'\n"
	  "read 1: 1380360127697002 6 ret 4096 4096 - fd - 9000000000 name 'c'\n" },
};

static void test_cases(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };
		_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;

		TD_CASE(cases[i].name);
		td_import_text(&in, &td_importer_bpftrace, cases[i].text, NULL);
		describe(&got, &in);
		TD_CHECK_STR(td_strbuf_str(&got), cases[i].want);
	}
}

/* The authors' own example: the second ticks between two events that are 52,711 ns apart. */
static void test_clock(void)
{
	static const char *const texts[] = {
		"TIMESTAMP       TIME    \n"
		"1380360127432329  15:28:12\n1380360127485040  15:28:13\n",
		/* all pairs on one line, as two versions of trace_time_align print them */
		"TIMESTAMP         TIME    \n"
		"1380360127432329  15:28:12 1380360127485040  15:28:13 ",
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(texts); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };
		const struct td_anchor *a;
		bool found = false;

		TD_CASE(texts[i]);
		td_import_text(&in, &td_importer_bpftrace, texts[i], NULL);
		TD_CHECK_INT(in.source->issues + in.source->repaired, 0);
		TD_CHECK_STR(in.source->layout, "split/time_align");
		TD_CHECK_INT(in.source->clock, TD_CLOCK_BOOT);
		a = in.has->anchors;
		for (size_t k = 0; k < in.has->nanchors; k++)
			found |= a[k].wall == TD_CLOCK_LOCAL_TOD &&
				 a[k].before_ns == 1380360127432329 &&
				 a[k].after_ns == 1380360127485040 &&
				 a[k].wall_ns == (15 * 3600 + 28 * 60 + 13) * TD_SEC_NS;
		TD_CHECK(found);
	}
}

/* The name of row i: each number twice in a row, in every other round with one more character. */
static void make_name(char *p, size_t size, int i, int names)
{
	(void)snprintf(p, size, "%s%s%05d.npy", i / 2 % 3 ? "" : "a/",
		       i / (2 * names) % 2 ? "_" : "", i / 2 % names);
}

/* More names than can be remembered, met again at once and a long time after. */
static void test_many_names(void)
{
	enum { NAMES = 6000, ROWS = 2 * NAMES * 4 };
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	char name[64];

	TD_CASE("many names");
	td_strbuf_adds(&text, VFS_RW);
	for (int i = 0; i < ROWS; i++) {
		make_name(name, sizeof(name), i, NAMES);
		td_strbuf_addf(&text,
			       "%-17lld 12:00:00  7      python         R    1       2          2  "
			       "        %s\n",
			       1380360127000000LL + i, name);
	}
	td_import_text(&in, &td_importer_bpftrace, td_strbuf_str(&text), NULL);
	TD_CHECK_INT(in.ncalls, ROWS);
	TD_CHECK_INT(in.has->nfiles, NAMES * 2);
	for (size_t i = 0; i < in.ncalls; i++) {
		make_name(name, sizeof(name), (int)i, NAMES);
		if (strcmp(td_file_text(&in, in.calls[i].file_id), name) != 0) {
			TD_CHECK_STR(td_file_text(&in, in.calls[i].file_id), name);
			return;
		}
	}
}

/* Rows of trace_read and of trace_write look the same; without a header the file's name decides. */
static void test_file_name(void)
{
	static const char row[] =
		"1380360127697007  1        4096             4096         6            b\n";
	static const struct {
		const char *file, *op;
	} files[] = {
		{ "run1/trace_read.out", "read" },
		{ "run1/trace_write.out.gz", "write" },
		{ "write/trace_read.out", "read" },
		{ "x", "read" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(files); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };

		TD_CASE(files[i].file);
		td_make_store(&in);
		TD_CHECK_INT(td_import_mem(in.st, row, strlen(row), files[i].file, NULL,
					   &td_no_options, &in.err),
			     0);
		td_collect_rows(&in);
		TD_CHECK_INT(in.ncalls, 1);
		if (in.ncalls == 1)
			TD_CHECK_STR(td_op_name_of(&in, &in.calls[0]), files[i].op);
	}
}

/* Names with bytes that are no text, NULs among them. */
static void test_binary(void)
{
	static const char text[] = VFS_RW "1380360127728142  00:16:13  2083041 python         R    "
					  "7230    832        832        a\0b\xff\n"
					  "\0\0\0\0\n\xff\xfe 1380360127728142\n";
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("binary");
	td_import_bytes(&in, &td_importer_bpftrace, text, sizeof(text) - 1, NULL);
	TD_CHECK_INT(in.source->rows, 1);
	TD_CHECK_INT(in.source->issues, 2);
	TD_CHECK_INT(in.ncalls, 1);
	TD_CHECK_INT(td_file_of(&in, in.calls[0].file_id)->name.len, 4);
}

/* Long lines of everything that a column can begin with must not take long: the test has a time limit. */
static void test_long_lines(void)
{
	static const char *const parts[] = { " ", "a", "1", "1 ", "a ", "a/ ", "1380360127728142 ",
					     "-" };
	static const char *const begins[] = {
		"",
		"1380360127458684  00:16:13  1        2       python   vfs_open   77       ",
		"1380360127697008  1      3     6        ",
		"1380360127697008  1      ",
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(parts) * TD_ARRAY_SIZE(begins); i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
		_cleanup_(td_imported_done) struct td_imported in = { 0 };
		const char *part = parts[i / TD_ARRAY_SIZE(begins)];

		TD_CASE(part);
		td_strbuf_adds(&text, READ OPENAT_FD CD);
		td_strbuf_adds(&text, begins[i % TD_ARRAY_SIZE(begins)]);
		while (text.len < 500000)
			td_strbuf_adds(&text, part);
		td_strbuf_adds(&text, "\n");
		td_import_bytes(&in, &td_importer_bpftrace, text.p, text.len, NULL);
		TD_CHECK_INT(in.source->lines, 4);
	}
}

#define ROW "1380360127697007  1        4096             4096         6            b\n"
#define NUMBERS "1380360127697007 1 4096 4096 6 b\n" /* begins as a row and is none */

/* More than half of the lines that are not noise must be rows, wherever they stand, or one line a header. */
static void test_sniff_share(void)
{
	static const struct {
		const char *text;
		bool ours;
	} heads[] = {
		{ ROW NUMBERS, false }, /* 1 of 2 */
		{ NUMBERS ROW, false },
		{ ROW "epoch 1\n", false },
		{ "epoch 1\n" ROW, false },
		{ NUMBERS NUMBERS ROW ROW, false }, /* 2 of 4 */
		{ ROW ROW NUMBERS, true }, /* 2 of 3 */
		{ NUMBERS ROW ROW, true },
		{ "epoch 1\n" ROW ROW, true },
		{ ROW ROW "epoch 1\nepoch 2\n", false }, /* 2 of 4 */
		{ ROW ROW "epoch 1\n\nWARNING: 3\n" ROW NUMBERS, true }, /* 3 of 5 */
		{ NUMBERS NUMBERS "epoch 1\n"
				  "TIMESTAMP         PID    COMMAND    SYSCALL\n",
		  true },
		{ "epoch 1\n"
		  "  TIMESTAMP         PID    COMMAND    SYSCALL\r\n",
		  true },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(heads); i++) {
		TD_CASE(heads[i].text);
		TD_CHECK_INT(td_bpftrace_sniff(heads[i].text, strlen(heads[i].text)) > 0,
			     heads[i].ours);
	}
}

static void test_sniff(void)
{
	static const struct {
		const char *text;
		bool ours;
	} heads[] = {
		{ "", false },
		{ "Attaching 4 probes...\n", false },
		{ "Attaching 6 probes...\nCapturing VFS Read and Write calls\n" VFS_RW, true },
		{ VFS_RW, true },
		{ "TIMESTAMP         PID    COMMAND    SYSCALL\n", true },
		{ "TIMESTAMP         PID    COMMAND    SYSCALL", false }, /* may go on */
		{ "TIMESTAMP PID something else\n", false },
		{ "1380360127697007  1        4096             4096         6            b\n",
		  true },
		{ "1380360127697007 1 4096 4096 6 b\n", false },
		{ "2022-02-05T20:27:46.077425393 1313403 python vfs_open 100226 log.json\n", true },
		{ "2022-02-05T20:27:46.077425393 1313403 python\n", false },
		{ "1380360127432329  15:28:12\n1380360127485040  15:28:13\n", true },
		/* other bpftrace scripts */
		{ "Attaching 2 probes...\n2214013902355     2857   bpftrace         /dev/null\n",
		  false },
		{ "Attaching 1 probe...\n2216824932767     2997   python3          12\n", false },
		{ "Attaching 6 probes...\nTracing open syscalls... Hit Ctrl-C to end.\n"
		  "PID    COMM               FD ERR PATH\n2851   bpftrace            3   0 "
		  "/sys/x\n",
		  false },
		{ "{\"type\": \"attached_probes\", \"data\": {\"probes\": 6}}\n", false },
		{ "Attaching 3 probes...\n\n@[tracepoint:syscalls:sys_enter_read]: 12345\n",
		  false },
		/* others */
		{ "20230211   08:11:18      4          -     -     -     -     -     -     -   -\n",
		  false },
		{ "03:06:49 PM  all    0.27    0.00    0.15   87.48\n", false },
		{ "12525 1660283413.018723 openat(AT_FDCWD, \"x\", O_RDONLY) = 3 <0.000010>\n",
		  false },
		{ "root      4070321  0.1  0.0 11 22 ? Ss 00:15 0:00 python train.py\n", false },
		{ ":::MLLOG {\"time_ms\": 1644092760147}\n", false },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(heads); i++) {
		TD_CASE(heads[i].text);
		TD_CHECK_INT(td_bpftrace_sniff(heads[i].text, strlen(heads[i].text)) > 0,
			     heads[i].ours);
	}
}

int main(int argc, char **argv)
{
	test_cases();
	test_clock();
	test_many_names();
	test_file_name();
	test_binary();
	test_long_lines();
	test_sniff();
	test_sniff_share();
	return td_check_result();
}
