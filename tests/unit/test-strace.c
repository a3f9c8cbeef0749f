/* SPDX-License-Identifier: MIT */
/* Each trap of strace's output as a small text with the rows that must come of it. */
#include <errno.h>
#include <signal.h>

#include "importers/core/importers.h"
#include "importers/core/error_names.h"
#include "schema/calls.h"
#include "tests/unit/samplers.h"

/* --- rows as text --- */

static void add_number(struct td_strbuf *b, const char *name, int64_t v)
{
	if (v != TD_NULL)
		td_strbuf_addf(b, " %s%lld", name, (long long)v);
}

static int64_t pid_of(const struct td_imported *in, uint32_t process_id)
{
	return process_id ? td_process_of(in, process_id)->pid : 0;
}

static int64_t tid_of(const struct td_imported *in, uint32_t thread_id)
{
	return thread_id ? in->has->threads[thread_id - 1].tid : 0;
}

/* "pid/tid name @start+dur =ret fdN file ?asked !done ^offset (args) unfinished"; what is NULL or not so is
 * left out. */
static void add_call(struct td_strbuf *b, const struct td_imported *in, const struct td_call *c)
{
	td_strbuf_addf(b, "%lld/%lld %s @", (long long)pid_of(in, c->process_id),
		       (long long)tid_of(in, c->thread_id), td_op_name_of(in, c));
	td_add_ns(b, c->start_ns);
	td_strbuf_adds(b, "+");
	td_add_ns(b, c->dur_ns);
	add_number(b, "=", c->ret);
	add_number(b, "fd", c->fd == INT32_MIN ? TD_NULL : c->fd);
	if (c->file_id)
		td_strbuf_addf(b, " %s", td_file_text(in, c->file_id));
	add_number(b, "?", c->asked_bytes);
	add_number(b, "!", c->done_bytes);
	add_number(b, "^", c->offset_bytes);
	if (c->args_id)
		td_strbuf_addf(b, " (%s)", td_text_of(in, c->args_id));
	td_strbuf_adds(b, c->unfinished ? " unfinished\n" : "\n");
}

static void add_mark(struct td_strbuf *b, const struct td_imported *in, const struct td_mark *m)
{
	td_strbuf_addf(b, "%lld/%lld [%s] @", (long long)pid_of(in, m->process_id),
		       (long long)tid_of(in, m->thread_id), td_text_of(in, m->name_id));
	td_add_ns(b, m->ts_ns);
	if (!isnan(m->value))
		td_strbuf_addf(b, " %g", m->value);
	if (m->args_id)
		td_strbuf_addf(b, " %s", td_text_of(in, m->args_id));
	td_strbuf_addc(b, '\n');
}

/* Calls, then marks, then processes that are known by more than their pid, then issues. */
static void add_all(struct td_strbuf *b, const struct td_imported *in)
{
	for (size_t i = 0; i < in->ncalls; i++)
		add_call(b, in, &in->calls[i]);
	for (size_t i = 0; i < in->nmarks; i++)
		add_mark(b, in, &in->marks[i]);
	for (size_t i = 0; i < in->has->nprocesses; i++) {
		const struct td_process *p = &in->has->processes[i];

		if (!p->command_line_id && p->parent_pid == TD_NULL && p->exit_status == TD_NULL)
			continue;
		td_strbuf_addf(b, "process %lld", (long long)p->pid);
		add_number(b, "parent ", p->parent_pid);
		add_number(b, "exit ", p->exit_status);
		td_strbuf_addf(b, " %s: %s\n", td_text_of(in, p->name_id),
			       td_text_of(in, p->command_line_id));
	}
	for (size_t i = 0; i < in->has->nissue_counts; i++) {
		const struct td_issue_count *c = &in->has->issue_counts[i];

		if (strcmp(c->kind, "no-time-stamps") != 0)
			td_strbuf_addf(b, "%s %s %llu, line %llu\n", td_effect_names[c->effect],
				       c->kind, (unsigned long long)c->count,
				       (unsigned long long)c->first_line);
	}
}

/* --- traps --- */

static const struct {
	const char *name, *text, *want;
} cases[] = {
	{ "plain, no pid, no time: order only; the pid comes from set_tid_address",
	  "brk(NULL)                               = 0x55bb45bce000\n"
	  "set_tid_address(0x7f929f8e80)     = 77\n"
	  "open(\"/etc/x\", O_RDONLY) = -1 ENOENT (No such file or directory)\n",
	  "77/77 brk @0.000000001+- =94262817251328\n"
	  "77/77 set_tid_address @0.000000002+- =77\n"
	  "77/77 open @0.000000003+- =-2 /etc/x (O_RDONLY)\n" },
	{ "no time stamps but durations: they add up",
	  "7 read(3, \"\", 1) = 0 <0.000100>\n"
	  "7 read(3, \"\", 1) = 0 <0.000050>\n",
	  "7/7 read @0.000000001+0.000100000 =0 fd3 ?1 !0\n"
	  "7/7 read @0.000100002+0.000050000 =0 fd3 ?1 !0\n" },
	{ "pid column, -ttt, nanoseconds, durations",
	  "1767  1795164891.790400638 openat(AT_FDCWD, \"a\", O_RDONLY) = 3 <0.000302089>\n"
	  "1767  1795164891.790800001 read(3, \"x\"..., 4096) = 100 <0.000040721>\n",
	  "1767/1767 openat @1795164891.790400638+0.000302089 =3 fd3 a (O_RDONLY)\n"
	  "1767/1767 read @1795164891.790800001+0.000040721 =100 fd3 a ?4096 !100\n" },
	{ "-ttt -r, -n, -i: extras are skipped",
	  "9 1795164892.478485 (+     0.000000000) brk(NULL) = 0x1000\n"
	  "9 1795164892.478485 [  12] [00007fce23c96ad7] brk(NULL) = 0x1000\n"
	  "9 1795164892.478485 [????????????????] brk(NULL) = 0x1000\n",
	  "9/9 brk @1795164892.478485000+- =4096\n"
	  "9/9 brk @1795164892.478485000+- =4096\n"
	  "9/9 brk @1795164892.478485000+- =4096\n" },
	{ "-ttt with whole seconds is no pid", "12427 1795169997 brk(NULL) = 0x1\n",
	  "12427/12427 brk @1795169997+- =1\nnoted whole-seconds 1, line 0\n" },
	{ "-r adds up, also in whole seconds",
	  "5      0.000000 brk(NULL) = 0\n5      1.500000 brk(NULL) = 0\n"
	  "5      0.250000 brk(NULL) = 0\n5      2 brk(NULL) = 0\n",
	  "5/5 brk @0+- =0\n5/5 brk @1.500000000+- =0\n"
	  "5/5 brk @1.750000000+- =0\n5/5 brk @3.750000000+- =0\n" },
	{ "-tt across midnight",
	  "5 23:59:59.900000 brk(NULL) = 0 <0.000001>\n5 00:00:00.100000 brk(NULL) = 0\n",
	  "5/5 brk @86399.900000000+0.000001000 =0\n5/5 brk @86400.100000000+- =0\n" },
	{ "unfinished and resumed, new and old form, of two threads",
	  "7 1.000000 read(3,  <unfinished ...>\n"
	  "8 0.500000 futex(0x1, FUTEX_WAIT, 2, NULL <unfinished ...>\n"
	  "7 0.500000 <... read resumed>\"abc\", 4096) = 3 <0.900000>\n"
	  "8 0.500000 <... futex resumed> ) = 0 <0.950000>\n",
	  "7/7 read @1+0.900000000 =3 fd3 ?4096 !3\n"
	  "8/8 futex @1.500000000+0.950000000 =0 (FUTEX_WAIT)\n" },
	{ "resumed by nobody: the start is the end minus the duration",
	  "7 10:00:01.000000 <... poll resumed> ) = 1 ([{fd=6, revents=POLLIN}]) <0.250000>\n",
	  "7/7 poll @36000.750000000+0.250000000 =1\nnoted begin-not-seen 1, line 1\n" },
	{ "restart_syscall has brackets of its own",
	  "7 10:00:01.000000 restart_syscall(<... resuming interrupted poll ...> <unfinished ...>\n"
	  "7 10:00:02.000000 <... restart_syscall resumed> ) = 0\n"
	  "7 10:00:03.000000 restart_syscall(<... resuming interrupted clock_nanosleep ...>) = ? "
	  "ERESTART_RESTARTBLOCK (Interrupted by signal)\n",
	  "7/7 restart_syscall @36001+- =0 (<... resuming interrupted poll ...>)\n"
	  "7/7 restart_syscall @36003+- =-516 (<... resuming interrupted clock_nanosleep ...>)\n" },
	{ "resumed twice, ended by the end of the process",
	  "5 nanosleep({tv_sec=1, tv_nsec=0},  <unfinished ...>\n"
	  "5 <... nanosleep resumed> <unfinished ...>) = ?\n5 +++ exited with 2 +++\n",
	  "5/5 nanosleep @0.000000001+- unfinished\n5/5 [exit] @0.000000003 2\n"
	  "process 5 exit 2 : \n" },
	{ "calls that do not return, and one of which only the result is not printed",
	  "5 sigreturn()                           = ? (mask now [])\n"
	  "6 read(0,  <unfinished ...>\n6 brk(NULL) = 0\n"
	  "6 <... futex resumed>) = ? <unavailable>\n5 exit_group(0) = ?\n",
	  "5/5 sigreturn @0.000000001+-\n6/6 read @0.000000002+- fd0\n6/6 brk @0.000000003+- =0\n"
	  "6/6 futex @0.000000004+-\n5/5 exit_group @0.000000005+- (0) unfinished\n"
	  "noted begin-not-seen 1, line 4\n" },
	{ "never resumed: stored without an end when the thread or the log ends",
	  "5 pause( <unfinished ...>\n6 futex(0x1, FUTEX_WAIT, 2, NULL <unfinished ...>\n"
	  "5 +++ killed by SIGKILL +++\n",
	  "5/5 pause @0.000000001+- unfinished\n6/6 futex @0.000000002+- unfinished\n"
	  "5/5 [exit] @0.000000003 -9 {\"killed\":\"SIGKILL\"}\nprocess 5 exit -9 : \n" },
	{ "markers inside strings, escapes, a name with syntax in it",
	  "3 write(3, \"\\0\\377\\\"\\n\\\\ caf\\303\\251 <... x resumed> = 3 \"..., 96 "
	  "<unfinished ...>\n"
	  "3 <... write resumed>) = 96\n"
	  "3 open(\"na me (1), = 2 <unfinished ...>\", O_RDWR) = 4\n"
	  "3 open(\"caf\\303\\251 \\x41\\101\", O_RDWR) = 5\n"
	  "3 open(\"\\377\\0\", O_RDWR) = 6\n",
	  "3/3 write @0.000000001+- =96 fd3 ?96 !96\n"
	  "3/3 open @0.000000003+- =4 fd4 na me (1), = 2 <unfinished ...> (O_RDWR)\n"
	  "3/3 open @0.000000004+- =5 fd5 caf\303\251 AA (O_RDWR)\n"
	  "3/3 open @0.000000005+- =6 fd6 \\377\\0 (O_RDWR)\n" },
	{ "results: hexadecimal, octal, flags, localised error, unnamed error, injected, delayed",
	  "3 mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, -1, 0) = 0x7f98f932d000\n"
	  "3 umask(022) = 077\n"
	  "3 fcntl(3, F_GETFD) = 0x1 (flags FD_CLOEXEC)\n"
	  "3 close(77) = -1 EBADF "
	  "(\320\235\320\265\320\262\320\265\321\200\320\275\321\213\320\271 (\320\264\320\265))\n"
	  "3 close(77) = -1 ERRNO_530 (Unknown error 530)\n"
	  "3 close(3) = 0 (DELAYED) <0.000009>\n"
	  "3 pread64(3, 0x7ffd, 10, 8192) = -1 EIO (Input/output error) (INJECTED) <0.000003>\n"
	  "3 select(33, [32], NULL, NULL, NULL) = 1 (in [32], left {tv_sec=1, tv_usec=0}) "
	  "<0.000024>\n",
	  "3/3 mmap @0.000000001+- =140294992613376 ?8192 ^0 (PROT_READ, MAP_PRIVATE)\n"
	  "3/3 umask @0.000000002+- =63\n"
	  "3/3 fcntl @0.000000003+- =1 fd3 (F_GETFD)\n"
	  "3/3 close @0.000000004+- =-9 fd77\n"
	  "3/3 close @0.000000005+- =-530 fd77\n"
	  "3/3 close @0.000000006+0.000009000 =0 fd3\n"
	  "3/3 pread64 @0.000009007+0.000003000 =-5 fd3 ?10 ^8192\n"
	  "3/3 select @0.000012008+0.000024000 =1 (33)\n"
	  "noted tampered-call 2, line 6\n" },
	{ "sizes: vectors new and old, messages, cut vectors, sendfile, copy_file_range, seeks",
	  "3 writev(1, [{iov_base=\"= 3 }\", iov_len=5}, {iov_base=\"x\"..., iov_len=700}], 2) = "
	  "705\n"
	  "3 writev(1, [{\"hi\", 2}, {\"\\n\", 1}], 2) = 3\n"
	  "3 writev(1, [{iov_base=\"x\", iov_len=5}, ...], 9) = 45\n"
	  "3 recvmsg(10, {msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\"nV\", iov_len=4104}], "
	  "msg_iovlen=1, msg_controllen=0, msg_flags=0}, 0) = 17\n"
	  "3 sendfile(4, 3, [100] => [150], 4096) = 50\n"
	  "3 copy_file_range(3, NULL, 4</b>, [7], 1048576, 0) = 65536\n"
	  "3 splice(3, NULL, 4, NULL, 100, 0) = -1 EINVAL (Invalid argument)\n"
	  "3 lseek(3, -10, SEEK_END) = 90\n"
	  "3 _llseek(3, 0, [120], SEEK_CUR) = 0\n"
	  "3 preadv(3, [{iov_base=\"\", iov_len=512}], 1, 4096) = 0\n"
	  "3 lseek(3, 4096, SEEK_SET) = 4096\n3 lseek(3, -1, SEEK_SET) = -1 EINVAL (x)\n"
	  "3 fallocate(3, FALLOC_FL_KEEP_SIZE, 100, 200) = 0\n3 munmap(0x7f, 8192) = 0\n",
	  "3/3 writev @0.000000001+- =705 fd1 ?705 !705\n"
	  "3/3 writev @0.000000002+- =3 fd1 ?3 !3\n"
	  "3/3 writev @0.000000003+- =45 fd1 !45\n"
	  "3/3 recvmsg @0.000000004+- =17 fd10 ?4104 !17\n"
	  "3/3 sendfile @0.000000005+- =50 fd3 ?4096 !50 ^100 (4)\n"
	  "3/3 sendfile:out @0.000000005+- =50 fd4 ?4096 !50\n"
	  "3/3 copy_file_range @0.000000006+- =65536 fd3 ?1048576 !65536 (4</b>)\n"
	  "3/3 copy_file_range:out @0.000000006+- =65536 fd4 /b ?1048576 !65536 ^7\n"
	  "3/3 splice @0.000000007+- =-22 fd3 ?100 (4)\n"
	  "3/3 lseek @0.000000008+- =90 fd3 ^90 (-10, SEEK_END)\n"
	  "3/3 _llseek @0.000000009+- =0 fd3 ^120 (0)\n"
	  "3/3 preadv @0.000000010+- =0 fd3 ?512 !0 ^4096\n"
	  "3/3 lseek @0.000000011+- =4096 fd3 ^4096 (SEEK_SET)\n"
	  "3/3 lseek @0.000000012+- =-22 fd3 (-1, SEEK_SET)\n"
	  "3/3 fallocate @0.000000013+- =0 fd3 ?200 ^100 (FALLOC_FL_KEEP_SIZE)\n"
	  "3/3 munmap @0.000000014+- =0 ?8192\n" },
	{ "numbers of one digit, of eight and more, octal ones, and the common errors",
	  "4194304 1795164892.478485 getpid() = 4194304 <1.000000>\n"
	  "5 1795164892.478485 getpid() = 5 <0.000009>\n"
	  "5 1795164892.478485 lseek(3, 12345678, SEEK_SET) = 12345678 <0.000009>\n"
	  "5 1795164892.478485 lseek(3, 123456789, SEEK_SET) = 123456789 <0.000009>\n"
	  "5 1795164892.478485 read(3, \"\"..., 010)  = 00 <0.000009>\n"
	  "5 1795164892.478485 umask(022) = 077 <0.000009>\n"
	  "5 1795164892.478485 open(\"/x\", O_RDWR) = -1 ENOENT (No such file) <0.000009>\n"
	  "5 1795164892.478485 open(\"/x\", O_RDWR) = -1 ENOENTS (No such error) <0.000009>\n"
	  "5 1795164892.478485 read(3, 0x7ffd, 10) = -1 EAGAIN (Try again)\n",
	  "4194304/4194304 getpid @1795164892.478485000+1 =4194304\n"
	  "5/5 getpid @1795164892.478485000+0.000009000 =5\n"
	  "5/5 lseek @1795164892.478485000+0.000009000 =12345678 fd3 ^12345678 (SEEK_SET)\n"
	  "5/5 lseek @1795164892.478485000+0.000009000 =123456789 fd3 ^123456789 (SEEK_SET)\n"
	  "5/5 read @1795164892.478485000+0.000009000 =0 fd3 ?8 !0\n"
	  "5/5 umask @1795164892.478485000+0.000009000 =63\n"
	  "5/5 open @1795164892.478485000+0.000009000 =-2 /x (O_RDWR)\n"
	  "5/5 open @1795164892.478485000+0.000009000 =-1 /x (O_RDWR)\n"
	  "5/5 read @1795164892.478485000+- =-11 fd3 ?10\n" },
	{ "a thread's descriptor is another file, another descriptor, one of another call",
	  "5 1795164892.478485 read(3</tmp/a>, \"x\", 1) = 1\n"
	  "5 1795164892.478485 read(3</tmp/ab>, \"x\", 1) = 1\n"
	  "5 1795164892.478485 read(3</tmp/a>, \"x\", 1) = 1\n"
	  "5 1795164892.478485 read(3</tmp/a>(deleted), \"x\", 1) = 1\n"
	  "5 1795164892.478485 read(35</tmp/a>, \"x\", 1) = 1\n"
	  "6 1795164892.478485 read(3</tmp/b->c>, \"x\", 1) = 1\n"
	  "6 1795164892.478485 close(3</tmp/b->c>) = 0\n",
	  "5/5 read @1795164892.478485000+- =1 fd3 /tmp/a ?1 !1\n"
	  "5/5 read @1795164892.478485000+- =1 fd3 /tmp/ab ?1 !1\n"
	  "5/5 read @1795164892.478485000+- =1 fd3 /tmp/a ?1 !1\n"
	  "5/5 read @1795164892.478485000+- =1 fd3 /tmp/a ?1 !1\n"
	  "5/5 read @1795164892.478485000+- =1 fd35 /tmp/a ?1 !1\n"
	  "6/6 read @1795164892.478485000+- =1 fd3 /tmp/b->c ?1 !1\n"
	  "6/6 close @1795164892.478485000+- =0 fd3 /tmp/b->c\n" },
	{ "annotations of -y and -yy",
	  "3 read(0</dev/null<char 1:3>>, \"\", 1) = 0\n"
	  "3 write(4</tmp/del\\74a\\76>(deleted), \"abc\", 3) = 3\n"
	  "3 write(4</tmp/a (deleted)>, \"abc\", 3) = 3\n"
	  "3 recvfrom(32<TCP:[172.17.0.2:33462->10.7.7.48:5432]>, 0x7f, 5, 0, NULL, NULL) = -1 "
	  "EAGAIN (x)\n"
	  "3 epoll_wait(39<anon_inode:[eventpoll]>, [], 128, 0) = 0\n"
	  "3 read(5<anon_inode:[eventfd]>, \"\", 8) = 8\n"
	  "3 memfd_create(\"x\", MFD_CLOEXEC)    = 3</memfd:x>(deleted)\n"
	  "3 openat(AT_FDCWD</tmp>, \"rel\", O_RDONLY|O_DIRECTORY) = 6</tmp/rel> <0.000009>\n"
	  "3 pipe2([8<pipe:[83045]>, 9<pipe:[83045]>], O_CLOEXEC) = 0\n"
	  "3 write(9, \"a\", 1)    = 1\n"
	  "3 mmap(NULL, 2097152, PROT_READ, "
	  "MAP_PRIVATE|MAP_ANONYMOUS|MAP_HUGETLB|21<<MAP_HUGE_SHIFT, -1, 0) = 0x1\n"
	  "3 read(7</tmp/a<b,(>, \"\", 8) = 8\n"
	  "3 read(8</tmp/\\\"q\\\" \\74\\76 \\\\ ,) = 3>, \"\", 8) = 8\n"
	  "3 write(9<UNIX-STREAM:[7->8,@\"/tmp/>x\"]>, \"\", 1) = 1\n"
	  "3 write(10</memfd:m\\303\\251>(deleted), \"\", 1) = 1\n",
	  "3/3 read @0.000000001+- =0 fd0 /dev/null ?1 !0\n"
	  "3/3 write @0.000000002+- =3 fd4 /tmp/del<a> ?3 !3\n"
	  "3/3 write @0.000000003+- =3 fd4 /tmp/a ?3 !3\n"
	  "3/3 recvfrom @0.000000004+- =-11 fd32 TCP:[172.17.0.2:33462->10.7.7.48:5432] ?5\n"
	  "3/3 epoll_wait @0.000000005+- =0 fd39 [eventpoll] (128, 0)\n"
	  "3/3 read @0.000000006+- =8 fd5 [eventfd] ?8 !8\n"
	  "3/3 memfd_create @0.000000007+- =3 fd3 memfd:x (MFD_CLOEXEC)\n"
	  "3/3 openat @0.000000008+0.000009000 =6 fd6 /tmp/rel (O_RDONLY|O_DIRECTORY)\n"
	  "3/3 pipe2 @0.000009009+- =0 (O_CLOEXEC)\n"
	  "3/3 write @0.000009010+- =1 fd9 pipe:[83045] ?1 !1\n"
	  "3/3 mmap @0.000009011+- =1 ?2097152 ^0 (PROT_READ, "
	  "MAP_PRIVATE|MAP_ANONYMOUS|MAP_HUGETLB|21<<MAP_HUGE_SHIFT)\n"
	  "3/3 read @0.000009012+- =8 fd7 /tmp/a<b,( ?8 !8\n"
	  "3/3 read @0.000009013+- =8 fd8 /tmp/\"q\" <> \\ ,) = 3 ?8 !8\n"
	  "3/3 write @0.000009014+- =1 fd9 UNIX-STREAM:[7->8,@\"/tmp/>x\"] ?1 !1\n"
	  "3/3 write @0.000009015+- =1 fd10 memfd:m\303\251 ?1 !1\n" },
	{ "descriptors without -y: dup, fcntl, close-on-exec, close while another thread reuses it",
	  "3 open(\"/a\", O_RDONLY) = 3\n"
	  "3 open(\"/c\", O_RDONLY|O_CLOEXEC) = 4\n"
	  "3 dup2(3, 7) = 7\n"
	  "3 fcntl(4, F_DUPFD, 10) = 10\n"
	  "3 close(3 <unfinished ...>\n"
	  "4 brk(NULL) = 0\n"
	  "3 <... close resumed>) = 0\n"
	  "3 read(3, \"\", 1) = -1 EBADF (Bad file descriptor)\n"
	  "3 execve(\"/bin/x\", [\"x\", \"a b\"], 0x7ffe /* 24 vars */) = 0\n"
	  "3 read(4, \"\", 1) = -1 EBADF (Bad file descriptor)\n"
	  "3 read(7, \"\", 1) = 1\n"
	  "3 read(10, \"\", 1) = 1\n"
	  "3 eventfd2(0, 0) = 3\n"
	  "3 write(3, \"\", 8) = 8\n"
	  "3 close_range(0, 4294967295, 0) = 0\n"
	  "3 read(10, \"\", 1) = -1 EBADF (Bad file descriptor)\n",
	  "3/3 open @0.000000001+- =3 fd3 /a (O_RDONLY)\n"
	  "3/3 open @0.000000002+- =4 fd4 /c (O_RDONLY|O_CLOEXEC)\n"
	  "3/3 dup2 @0.000000003+- =7 fd3 /a (7)\n"
	  "3/3 fcntl @0.000000004+- =10 fd4 /c (F_DUPFD, 10)\n"
	  "3/3 close @0.000000005+- =0 fd3 /a\n"
	  "4/4 brk @0.000000006+- =0\n"
	  "3/3 read @0.000000008+- =-9 fd3 ?1\n"
	  "3/3 execve @0.000000009+- =0 /bin/x ([\"x\", \"a b\"])\n"
	  "3/3 read @0.000000010+- =-9 fd4 ?1\n"
	  "3/3 read @0.000000011+- =1 fd7 /a ?1 !1\n"
	  "3/3 read @0.000000012+- =1 fd10 /c ?1 !1\n"
	  "3/3 eventfd2 @0.000000013+- =3 fd3 [eventfd] (0, 0)\n"
	  "3/3 write @0.000000014+- =8 fd3 [eventfd] ?8 !8\n"
	  "3/3 close_range @0.000000015+- =0 (0, 4294967295, 0)\n"
	  "3/3 read @0.000000016+- =-9 fd10 ?1\n"
	  "process 3 x: x a b\n" },
	{ "stat by descriptor and by path; relative to a directory",
	  "3 openat(AT_FDCWD, \"/d\", O_RDONLY) = 5\n"
	  "3 newfstatat(5, \"\", {st_mode=S_IFDIR|0755, st_size=4096, ...}, AT_EMPTY_PATH) = 0\n"
	  "3 newfstatat(5, \"f\", {st_mode=S_IFREG|0644, st_size=1, ...}, 0) = 0\n"
	  "3 rename(\"a\", \"b\") = 0\n3 symlink(\"target\", \"link\") = 0\n",
	  "3/3 openat @0.000000001+- =5 fd5 /d (O_RDONLY)\n"
	  "3/3 newfstatat @0.000000002+- =0 fd5 /d\n"
	  "3/3 newfstatat @0.000000003+- =0 /d/f\n"
	  "3/3 rename @0.000000004+- =0 a (\"b\")\n"
	  "3/3 symlink @0.000000005+- =0 link (\"target\")\n" },
	{ "a file without a name is none of those with one, and not the directory",
	  "3 openat(AT_FDCWD, \"/d\", O_RDWR|O_TMPFILE, 0600) = 5\n"
	  "3 write(5, \"x\", 1) = 1\n3 open(\".\", O_RDWR|O_TMPFILE, 0600) = 6\n"
	  "3 openat(AT_FDCWD, \"/no\", O_RDWR|O_TMPFILE, 0600) = -1 ENOENT (No such file)\n",
	  "3/3 openat @0.000000001+- =5 fd5 /d/# (O_RDWR|O_TMPFILE, 0600)\n"
	  "3/3 write @0.000000002+- =1 fd5 /d/# ?1 !1\n"
	  "3/3 open @0.000000003+- =6 fd6 # (O_RDWR|O_TMPFILE, 0600)\n"
	  "3/3 openat @0.000000004+- =-2 /no (O_RDWR|O_TMPFILE, 0600)\n" },
	{ "the manual pages' sizes, offsets and results, of calls that are no plain reading and "
	  "writing",
	  "3 openat(AT_FDCWD, \"/d\", O_RDONLY) = 5\n"
	  "3 getdents64(5, 0x55d0 /* 3 entries */, 32768) = 80\n"
	  "3 ftruncate(5, 4096) = 0\n3 truncate(\"/x\", 100) = 0\n"
	  "3 mremap(0x7f0000, 4096, 8192, MREMAP_MAYMOVE) = 0x10\n"
	  "3 readlink(\"/l\", \"x\", 4095) = 1\n3 getcwd(\"/d\", 4096) = 3\n"
	  "3 getrandom(\"\\x01\", 8, GRND_NONBLOCK) = 1\n"
	  "3 getxattr(\"/x\", \"user.a\", \"v\", 100) = 1\n3 flistxattr(5, NULL, 0) = 7\n"
	  "3 mbind(0x7f0000, 8192, MPOL_DEFAULT, NULL, 0, 0) = 0\n"
	  "3 mlockall(MCL_CURRENT) = 0\n"
	  "3 shmget(IPC_PRIVATE, 4096, IPC_CREAT|0600) = 9\n3 shmdt(0x7f0000) = 0\n",
	  "3/3 openat @0.000000001+- =5 fd5 /d (O_RDONLY)\n"
	  "3/3 getdents64 @0.000000002+- =80 fd5 /d ?32768 !80\n"
	  "3/3 ftruncate @0.000000003+- =0 fd5 /d ^4096\n"
	  "3/3 truncate @0.000000004+- =0 /x ^100\n"
	  "3/3 mremap @0.000000005+- =16 ?8192 (4096, 8192, MREMAP_MAYMOVE)\n"
	  "3/3 readlink @0.000000006+- =1 /l ?4095 !1 (\"x\")\n"
	  "3/3 getcwd @0.000000007+- =3 ?4096\n"
	  "3/3 getrandom @0.000000008+- =1 ?8 !1 (GRND_NONBLOCK)\n"
	  "3/3 getxattr @0.000000009+- =1 /x ?100 (\"user.a\")\n"
	  "3/3 flistxattr @0.000000010+- =7 fd5 /d ?0\n"
	  "3/3 mbind @0.000000011+- =0 ?8192\n"
	  "3/3 mlockall @0.000000012+- =0 (MCL_CURRENT)\n"
	  "3/3 shmget @0.000000013+- =9 ?4096 (IPC_PRIVATE, 4096, IPC_CREAT|0600)\n"
	  "3/3 shmdt @0.000000014+- =0\n" },
	{ "which file: the path, from the descriptor on that it starts from, else that one",
	  "3 openat(AT_FDCWD, \"/d\", O_RDONLY) = 5\n"
	  "3 utimensat(5, NULL, NULL, 0) = 0\n3 utimensat(5, \"f\", NULL, 0) = 0\n"
	  "3 fchownat(5, \"\", 0, 0, AT_EMPTY_PATH) = 0\n"
	  "3 inotify_add_watch(5, \"/w\", IN_MODIFY) = 1\n"
	  "3 openat(5, 0x7ffd, O_RDONLY) = -1 EFAULT (Bad address)\n"
	  "3 symlinkat(\"target\", 5, \"link\") = 0\n"
	  "3 io_uring_enter(5, 1, 0, 0, NULL, 8) = 1\n"
	  "3 setns(5, CLONE_NEWNET) = 0\n",
	  "3/3 openat @0.000000001+- =5 fd5 /d (O_RDONLY)\n"
	  "3/3 utimensat @0.000000002+- =0 fd5 /d\n"
	  "3/3 utimensat @0.000000003+- =0 /d/f\n"
	  "3/3 fchownat @0.000000004+- =0 fd5 /d (0, 0, AT_EMPTY_PATH)\n"
	  "3/3 inotify_add_watch @0.000000005+- =1 /w (IN_MODIFY)\n"
	  "3/3 openat @0.000000006+- =-14 (O_RDONLY)\n"
	  "3/3 symlinkat @0.000000007+- =0 /d/link (\"target\")\n"
	  "3/3 io_uring_enter @0.000000008+- =1 fd5 /d (1, 0)\n"
	  "3/3 setns @0.000000009+- =0 fd5 /d (CLONE_NEWNET)\n"
	  "noted requests-unseen 1, line 8\n" },
	{ "a thread and a process: whose lines come before the clone's result",
	  "10 open(\"/a\", O_RDONLY) = 3\n"
	  "10 clone( <unfinished ...>\n"
	  "11 read(3, \"\", 1) = 1\n"
	  "10 <... clone resumed> child_stack=0x1, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = 11\n"
	  "11 open(\"/b\", O_RDONLY) = 4\n"
	  "10 read(4, \"\", 1) = 1\n"
	  "10 clone( <unfinished ...>\n"
	  "12 close(3) = 0\n"
	  "10 <... clone resumed> child_stack=0, flags=CLONE_CHILD_SETTID|SIGCHLD) = 12\n"
	  "10 read(3, \"\", 1) = 1\n"
	  "12 read(3, \"\", 1) = -1 EBADF (Bad file descriptor)\n"
	  "11 +++ exited with 0 +++\n12 +++ exited with 1 +++\n",
	  "10/10 open @0.000000001+- =3 fd3 /a (O_RDONLY)\n"
	  "10/10 clone @0.000000002+- =11 (child_stack=0x1, "
	  "flags=CLONE_VM|CLONE_FILES|CLONE_THREAD)\n"
	  "10/11 read @0.000000003+- =1 fd3 /a ?1 !1\n"
	  "10/11 open @0.000000005+- =4 fd4 /b (O_RDONLY)\n"
	  "10/10 read @0.000000006+- =1 fd4 /b ?1 !1\n"
	  "10/10 clone @0.000000007+- =12 (child_stack=0, flags=CLONE_CHILD_SETTID|SIGCHLD)\n"
	  "12/12 close @0.000000008+- =0 fd3 /a\n"
	  "10/10 read @0.000000010+- =1 fd3 /a ?1 !1\n"
	  "12/12 read @0.000000011+- =-9 fd3 ?1\n"
	  "10/11 [thread-exit] @0.000000012 0\n12/12 [exit] @0.000000013 1\n"
	  "process 12 parent 10 exit 1 : \n" },
	{ "-X raw: flags and commands as numbers",
	  "10 clone3({flags=0x3d0f00, stack=0x7f}, 88) = 11\n"
	  "10 openat(-100, \"/a\", 0x80000) = 3\n10 openat(-100, \"/b\", 0) = 4\n"
	  "10 fcntl(4, 0x406, 20) = 20\n10 fcntl(4, 0, 21) = 21\n10 fcntl(21, 0x2, 0x1) = 0\n"
	  "10 dup2(4, 5) = 5\n10 clone(child_stack=NULL, flags=0x1200000|17) = 12\n"
	  "12 execve(\"/b\", [\"b\"], 0x7) = 0\n12 read(3, \"\", 1) = -1 EBADF (x)\n"
	  "12 read(4, \"\", 1) = 0\n12 read(20, \"\", 1) = -1 EBADF (x)\n"
	  "12 read(21, \"\", 1) = -1 EBADF (x)\n11 read(5, \"\", 1) = 0\n",
	  "10/10 clone3 @0.000000001+- =11 ({flags=0x3d0f00, stack=0x7f}, 88)\n"
	  "10/10 openat @0.000000002+- =3 fd3 /a (0x80000)\n"
	  "10/10 openat @0.000000003+- =4 fd4 /b (0)\n"
	  "10/10 fcntl @0.000000004+- =20 fd4 /b (0x406, 20)\n"
	  "10/10 fcntl @0.000000005+- =21 fd4 /b (0, 21)\n"
	  "10/10 fcntl @0.000000006+- =0 fd21 /b (0x2, 0x1)\n"
	  "10/10 dup2 @0.000000007+- =5 fd4 /b (5)\n"
	  "10/10 clone @0.000000008+- =12 (child_stack=NULL, flags=0x1200000|17)\n"
	  "12/12 execve @0.000000009+- =0 /b ([\"b\"])\n"
	  "12/12 read @0.000000010+- =-9 fd3 ?1\n12/12 read @0.000000011+- =0 fd4 /b ?1 !0\n"
	  "12/12 read @0.000000012+- =-9 fd20 ?1\n12/12 read @0.000000013+- =-9 fd21 ?1\n"
	  "10/11 read @0.000000014+- =0 fd5 /b ?1 !0\nprocess 12 parent 10 b: b\n" },
	{ "a child that is over before its vfork returns",
	  "10 vfork( <unfinished ...>\n12 execve(\"/b\", [\"b\"], 0x7) = 0\n"
	  "12 +++ exited with 1 +++\n10 <... vfork resumed>) = 12\n10 vfork( <unfinished ...>\n"
	  "10 <... vfork resumed>) = 12\n12 brk(NULL) = 0\n",
	  "10/10 vfork @0.000000001+- =12\n12/12 execve @0.000000002+- =0 /b ([\"b\"])\n"
	  "10/10 vfork @0.000000005+- =12\n12/12 brk @0.000000007+- =0\n"
	  "12/12 [exit] @0.000000003 1\nprocess 12 parent 10 exit 1 b: b\n"
	  "process 12 parent 10 : \n" },
	{ "execve by a thread: it goes on under the first thread's id",
	  "1675 clone(child_stack=0x1, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = 1684\n"
	  "1675 futex(0x1, FUTEX_WAIT, 0, NULL <unfinished ...>\n"
	  "1684 execve(\"/bin/py\", [\"py\", \"x\"], 0x7ff /* 37 vars */ <unfinished ...>\n"
	  "1675 <... futex resumed>) = ?\n"
	  "1675 +++ superseded by execve in pid 1684 +++\n"
	  "1675 <... execve resumed>) = 0 <0.001257>\n"
	  "1675 +++ exited with 0 +++\n",
	  "1675/1675 clone @0.000000001+- =1684 (child_stack=0x1, "
	  "flags=CLONE_VM|CLONE_FILES|CLONE_THREAD)\n"
	  "1675/1675 futex @0.000000002+- (FUTEX_WAIT) unfinished\n"
	  "1675/1684 execve @0.000000003+0.001257000 =0 /bin/py ([\"py\", \"x\"])\n"
	  "1675/1675 [exit] @0.001257007 0\n"
	  "process 1675 exit 0 py: py x\n" },
	{ "execve by a thread, with -qqq: nothing says so",
	  "1675 clone(child_stack=0x1, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = 1684\n"
	  "1675 futex(0x1, FUTEX_WAIT, 0, NULL <unfinished ...>\n"
	  "1684 execve(\"/bin/py\", [\"py\", \"x\"], 0x7ff /* 37 vars */ <unfinished ...>\n"
	  "1675 <... execve resumed>) = 0\n"
	  "1675 brk(NULL) = 0\n",
	  "1675/1675 clone @0.000000001+- =1684 (child_stack=0x1, "
	  "flags=CLONE_VM|CLONE_FILES|CLONE_THREAD)\n"
	  "1675/1675 futex @0.000000002+- unfinished\n"
	  "1675/1684 execve @0.000000003+- =0 /bin/py ([\"py\", \"x\"])\n"
	  "1675/1675 brk @0.000000005+- =0\nprocess 1675 py: py x\n" },
	{ "-z, -Z: the end of a call without 'resumed'",
	  "7 madvise(0x7, 8368128, MADV_DONTNEED <unfinished ...>\n"
	  ")                                       = 0\n"
	  "7 read(3,  <unfinished ...>\n"
	  "\"\\0\\0\"..., 100)                    = 100\n"
	  "7 read(3,  <unfinished ...>\n8 brk(NULL) = 0\n"
	  "\"\", 100)                            = 0\n",
	  "7/7 madvise @0.000000001+- =0 ?8368128 (MADV_DONTNEED)\n"
	  "7/7 read @0.000000002+- =100 fd3 ?100 !100\n"
	  "7/7 read @0.000000003+- fd3 unfinished\n8/8 brk @0.000000004+- =0\n"
	  "dropped foreign-text 1, line 7\n" },
	{ "[pid N] only while there are several; the first process had no pid before",
	  "10:50:51 open(\"/a\", O_RDONLY) = 3\n"
	  "10:50:52 clone(Process 21721 attached\n"
	  "child_stack=0, flags=CLONE_CHILD_CLEARTID|SIGCHLD, child_tidptr=0x7) = 21721\n"
	  "[pid 21721] 10:50:53 read(3, \"\", 1) = 0\n"
	  "[pid 21720] 10:50:54 read(3, \"\", 1) = 0\n"
	  "[pid 21721] 10:50:55 +++ exited with 0 +++\n"
	  "10:50:56 read(3, \"\", 1) = 0\n",
	  "21720/21720 open @39051+- =3 fd3 /a (O_RDONLY)\n"
	  "21720/21720 clone @39052+- =21721 (child_stack=0, flags=CLONE_CHILD_CLEARTID|SIGCHLD, "
	  "child_tidptr=0x7)\n"
	  "21721/21721 read @39053+- =0 fd3 /a ?1 !0\n"
	  "21720/21720 read @39054+- =0 fd3 /a ?1 !0\n"
	  "21720/21720 read @39056+- =0 fd3 /a ?1 !0\n"
	  "21721/21721 [exit] @39055 0\n"
	  "process 21721 exit 0 : \nnoted whole-seconds 1, line 0\n" },
	{ "an attached process, then ^C in the middle of a call",
	  "strace: Process 2664 attached\n"
	  "epoll_wait(4, [], 128, 0)   = 0\n"
	  "epoll_wait(4, ^Cstrace: Process 2664 detached\n <detached ...>\n",
	  "2664/2664 epoll_wait @0.000000001+- =0 fd4 (128, 0)\n"
	  "2664/2664 epoll_wait @0.000000002+- fd4 unfinished\n" },
	{ "output of the program within a call, on one line and on several",
	  "write(1, \"No debuggers. Idiot.\\n\", 21No debuggers. Idiot.\n)  = 21\n"
	  "wait4(1460896, x.cpp:4:10: fatal error: 'r.h' file not found\n"
	  "#include \"r.h\"\n1 error generated (when compiling).\n"
	  "[{WIFEXITED(s) && WEXITSTATUS(s) == 1}], 0, NULL) = 1460896\n"
	  "write(1, \"Done\", 4Done)            = 4\n"
	  "write(1, \"lost\", 4lost\nclose(3) = 0\n",
	  "0/0 write @0.000000001+- =21 fd1 !21\n"
	  "0/0 wait4 @0.000000002+- =1460896 (1460896)\n"
	  "0/0 write @0.000000003+- =4 fd1 !4\n"
	  "0/0 write @0.000000004+- fd1\n"
	  "0/0 close @0.000000005+- =0 fd3\n"
	  "repaired torn-line 3, line 1\ndropped foreign-text 2, line 4\n" },
	{ "strace's own notice within a call of another thread",
	  "[pid 5] futex(0x1, FUTEX_WAIT, 0, NULL, FUTEX_BITSET_MATCH_ANYstrace: Process 2318 "
	  "attached\n"
	  " <unfinished ...>\n"
	  "[pid 5] <... futex resumed>) = 0\n",
	  "5/5 futex @0.000000001+- =0 (FUTEX_WAIT)\n" },
	{ "signals, old and new, and stops",
	  "5 --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=12, si_uid=0} ---\n"
	  "5 --- SIGSEGV (Segmentation fault) @ 0 (0) ---\n"
	  "5 --- stopped by SIGSTOP ---\n5 +++ killed by SIGSEGV (core dumped) +++\n",
	  "5/5 [signal] @0.000000001 {\"signal\":\"SIGCHLD\",\"code\":\"CLD_EXITED\"}\n"
	  "5/5 [signal] @0.000000002 {\"signal\":\"SIGSEGV\"}\n"
	  "5/5 [stop] @0.000000003 {\"signal\":\"SIGSTOP\"}\n"
	  "5/5 [exit] @0.000000004 -11 {\"killed\":\"SIGSEGV\"}\nprocess 5 exit -11 : \n" },
	{ "a name with escapes in the prefix",
	  "20<w\\74b\\76 \\303\\251> brk(NULL) = 0\n20 +++ exited with 0 +++\n",
	  "20/20 brk @0.000000001+- =0\n20/20 [exit] @0.000000002 0\n"
	  "process 20 exit 0 w<b> \303\251: \n" },
	{ "names of threads: comm of the prefix, prctl",
	  "20<strace> execve(\"/bin/py\", [\"py\"], 0x7 /* 3 vars */) = 0\n"
	  "20<py> brk(NULL) = 0\n20<py> prctl(PR_SET_NAME, \"worker\") = 0\n",
	  "20/20 execve @0.000000001+- =0 /bin/py ([\"py\"])\n20/20 brk @0.000000002+- =0\n"
	  "20/20 prctl @0.000000003+- =0 (PR_SET_NAME, \"worker\")\nprocess 20 worker: py\n" },
	{ "a child in another pid namespace",
	  "20 clone(child_stack=NULL, flags=SIGCHLD) = 2 /* 31 in strace's PID NS */\n"
	  "31 brk(NULL) = 0\n",
	  "20/20 clone @0.000000001+- =2 (child_stack=NULL, flags=SIGCHLD)\n"
	  "31/31 brk @0.000000002+- =0\nprocess 31 parent 20 : \n" },
	{ "no data of calls: blank lines, stacks, messages, colours",
	  "\n5 brk(NULL) = 0\n > /usr/lib/ld.so(_dl_x+0x1) [0x20b1d]\n"
	  "[ Process PID=22349 runs in 32 bit mode. ]\nstrace: Process 9 detached\n"
	  "\033[32m5\033[0m brk(NULL) = \033[1m0\033[0m\r\n",
	  "5/5 brk @0.000000001+- =0\n5/5 brk @0.000000002+- =0\n" },
	{ "copied from a terminal, with blanks behind the lines",
	  "5 read(3,  <unfinished ...>   \n6 brk(NULL) = 0  \n5 <... read resumed>\"\", 8) = 0 "
	  "  \n"
	  "5 +++ exited with 0 +++     \n",
	  "5/5 read @0.000000001+- =0 fd3 ?8 !0\n6/6 brk @0.000000002+- =0\n5/5 [exit] "
	  "@0.000000004 0\n"
	  "process 5 exit 0 : \n" },
	{ "what is no call, a call of another clock, a cut line",
	  "5 1795164891.790400 brk(NULL) = 0\nHello, world (1) = 2\nbrk(NULL) = 0\n"
	  "{fd=4, events=POLLIN}], 4, 0) = 0 (Timeout)\n5 1795164891.790400 brk(NU",
	  "5/5 brk @1795164891.790400000+- =0\n"
	  "dropped foreign-text 2, line 2\ndropped other-time-stamp 1, line 3\n"
	  "dropped cut-line 1, line 5\n" },
	{ "what -e read and -e write print of the buffers",
	  "5 read(3, \"= 3\"..., 832) = 3\n"
	  " | 00000  3d 20 33                                          = 3              |\n"
	  "5 readv(3, [{iov_base=\"\", iov_len=2}], 1) = 2\n * 2 bytes in buffer 0\n"
	  " | 00000  68 69                                             hi               |\n"
	  "5 recvmmsg(3, [], 1, 0, NULL) = 1\n = 1 buffers in vector 0\n",
	  "5/5 read @0.000000001+- =3 fd3 ?832 !3\n5/5 readv @0.000000002+- =2 fd3 ?2 !2\n"
	  "5/5 recvmmsg @0.000000003+- =1 fd3\n" },
	{ "calls that are not in the table keep their arguments",
	  "5 landlock_add_rule(3, LANDLOCK_X, {a=1}, 0) = 0\n5 syscall_0x1b3(0x1, 0x2) = 0x3\n"
	  "5 ???\?( <unfinished ...>\n5 <... ???? resumed>) = ?\n",
	  "5/5 landlock_add_rule @0.000000001+- =0 (3, LANDLOCK_X, {a=1}, 0)\n"
	  "5/5 syscall_0x1b3 @0.000000002+- =3 (0x1, 0x2)\n5/5 ???? @0.000000003+- unfinished\n" },
};

static void test_cases(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };
		_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;

		TD_CASE(cases[i].name);
		td_import_text(&in, &td_importer_strace, cases[i].text, NULL);
		add_all(&got, &in);
		TD_CHECK_STR(td_strbuf_str(&got), cases[i].want);
	}
}

/* --- classes --- */

static enum td_class class_of(const struct td_imported *in, const char *text)
{
	for (uint32_t id = 1; id <= in->has->nfiles; id++)
		if (strcmp(td_file_text(in, id), text) == 0)
			return td_file_of(in, id)->class_known ? td_file_of(in, id)->class
							       : TD_CLASS_UNKNOWN;
	return TD_NCLASSES;
}

static void test_classes(void)
{
	static const char text[] = "3 read(0</dev/null<char 1:3>>, \"\", 1) = 0\n"
				   "3 read(1</tmp/gone>(deleted), \"\", 1) = 0\n"
				   "3 read(2<pipe:[7]>, \"\", 1) = 0\n"
				   "3 read(3<UNIX-STREAM:[83048->83049]>, \"\", 1) = 0\n"
				   "3 read(4<anon_inode:[eventfd]>, \"\", 1) = 0\n"
				   "3 read(5<anon_inode:bpf-map>, \"\", 1) = 0\n"
				   "3 memfd_create(\"m\", 0) = 9\n"
				   "3 openat(AT_FDCWD, \"/d\", O_RDONLY|O_DIRECTORY) = 10\n"
				   "3 stat(\"/r\", {st_mode=S_IFREG|0644, st_size=1, ...}) = 0\n"
				   "3 statx(AT_FDCWD, \"/b\", 0, STATX_ALL, {stx_mask=0x1, "
				   "stx_mode=S_IFBLK|0600}) = 0\n"
				   "3 open(\"/guess\", O_RDONLY) = 11\n"
				   "3 open(\"/t\", O_RDWR|O_TMPFILE, 0600) = 12\n";
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("classes");
	td_import_text(&in, &td_importer_strace, text, NULL);
	TD_CHECK_INT(class_of(&in, "/dev/null"), TD_CLASS_DEVICE);
	TD_CHECK_INT(class_of(&in, "/tmp/gone"), TD_CLASS_DELETED);
	TD_CHECK_INT(class_of(&in, "pipe:[7]"), TD_CLASS_PIPE);
	TD_CHECK_INT(class_of(&in, "UNIX-STREAM:[83048->83049]"), TD_CLASS_SOCKET);
	TD_CHECK_INT(class_of(&in, "[eventfd]"), TD_CLASS_EVENTFD);
	TD_CHECK_INT(class_of(&in, "bpf-map"), TD_CLASS_ANON_INODE);
	TD_CHECK_INT(class_of(&in, "memfd:m"), TD_CLASS_MEMFD);
	TD_CHECK_INT(class_of(&in, "/d"), TD_CLASS_DIRECTORY);
	TD_CHECK_INT(class_of(&in, "/r"), TD_CLASS_REGULAR);
	TD_CHECK_INT(class_of(&in, "/b"), TD_CLASS_DEVICE);
	TD_CHECK_INT(class_of(&in, "/guess"), TD_CLASS_UNKNOWN);
	TD_CHECK_INT(class_of(&in, "/t/#"), TD_CLASS_DELETED);
	TD_CHECK_INT(class_of(&in, "/t"), TD_CLASS_UNKNOWN);
}

/* Without time stamps only the order is known: a child that lived for five lines lived for no time
 * that anybody knows. */
static void test_untimed_processes(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	const struct td_process *child;

	TD_CASE("processes of a trace without time stamps");
	td_import_text(&in, &td_importer_strace,
		       "7 fork() = 8\n"
		       "8 brk(NULL) = 0x1000\n"
		       "8 +++ exited with 0 +++\n",
		       NULL);
	for (child = in.has->processes; child->pid != 8;)
		child++;
	TD_CHECK_INT(child->parent_pid, 7);
	TD_CHECK_INT(child->exit_status, 0);
	TD_CHECK_INT(child->start_ns, TD_NULL);
	TD_CHECK_INT(child->end_ns, TD_NULL);
}

/* --- names --- */

static void test_names(void)
{
	static const char *const calls[] = { "_exit",  "accept", "brk",    "close",
					     "fcntl",  "fork",   "getpid", "mmap",
					     "open",   "openat", "read",   "readv",
					     "splice", "vfork",  "wait4",  "writev" };
	struct td_str name;

	TD_CASE("names of errors, as the C library has them");
	for (int e = 1; e < 134; e++) {
		const char *text = strerrorname_np(e);

		if (!text)
			continue;
		name = (struct td_str){ text, strlen(text) };
		TD_CHECK_INT(td_error_number(name), e);
	}
	TD_CHECK_INT(td_error_number((struct td_str){ "ERESTART_RESTARTBLOCK", 21 }), 516);
	TD_CHECK_INT(td_error_number((struct td_str){ "ENOSUCH", 7 }), 0);
	TD_CASE("names of signals");
	for (int sig = 1; sig < 32; sig++) {
		char text[32];

		if (sig == SIGIO) /* the C library says SIGPOLL, strace SIGIO */
			continue;
		(void)snprintf(text, sizeof(text), "SIG%s", sigabbrev_np(sig));
		TD_CHECK_INT(td_signal_number((struct td_str){ text, strlen(text) }), sig);
	}
	TD_CHECK_INT(td_signal_number((struct td_str){ "SIGRT_1", 7 }), 33);
	TD_CASE("names of calls");
	for (size_t i = 0; i < TD_ARRAY_SIZE(calls); i++) {
		name = (struct td_str){ calls[i], strlen(calls[i]) };
		TD_CHECK(td_syscall_find(name) != NULL);
	}
}

/* --- sniffing --- */

static const struct {
	const char *text;
	bool strace;
} heads[] = {
	{ "brk(NULL) = 0x55bb45bce000\n", true },
	{ "[pid  2664] epoll_wait(4, [], 128, 0)   = 0\n", true },
	{ "12525 10:00:00 <... futex resumed> ) = 0\n", true },
	{ "--- SIGSEGV (Segmentation fault) @ 0 (0) ---\n", true },
	{ "+++ exited with 0 +++\n", true },
	{ "strace: Process 23358 attached\n", true },
	{ "time     seconds  usecs/call     calls    errors syscall\n", true },
	{ "hello\nworld\nread(3, \"\", 1) = 0", true },
	/* look-alikes */
	{ "", false },
	{ "printf(\"x\") = 1\n", false },
	{ "Linux 5.4 (host)\n10:00:00  UID  PID  %usr Command\n10:00:01  0  1  0.00  read\n",
	  false },
	{ "read(3, \"\n", false },
	{ "def read(self): x = 3\nwrite(1)\nopen('x')\n", false },
	{ "Attaching 2 probes...\nTIME PID COMM\n10:00:00 12 python\n", false },
	{ "a\nb\nc\nread(3, \"\", 1) = 0\n", false },
};

static void test_sniff(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(heads); i++) {
		TD_CASE(heads[i].text);
		TD_CHECK_INT(td_importer_strace.sniff(heads[i].text, strlen(heads[i].text)) > 0,
			     heads[i].strace);
	}
}

int main(void)
{
	test_cases();
	test_classes();
	test_untimed_processes();
	test_names();
	test_sniff();
	return td_check_result();
}
