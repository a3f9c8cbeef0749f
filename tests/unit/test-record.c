/* SPDX-License-Identifier: MIT */
/*
 * Streams made by hand of the structs of schema/wire.h, and the rows that come of them. What is expected follows from
 * the comments there: times are those of the records, a page is 4096 bytes here.
 */
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "tests/unit/recording.h"

/* --- cases --- */

static void test_begin_and_end(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	TD_CASE("begin and end");
	add_header(&b);
	add_end(&b, TD_WIRE_WHY_COMMAND, -9);
	import_stream(&in, &b);
	check_counts(&in, 2, 0, 0);
	TD_CHECK_INT(in.source->state, TD_STATE_COMPLETE);
	TD_CHECK_STR(in.source->tool, "tracedb-record");
	TD_CHECK_STR(in.source->tool_version, "0.1");
	TD_CHECK_STR(in.source->host, "node");
	TD_CHECK_INT(in.nmarks, 2);
	TD_CHECK_STR(td_text_of(&in, in.marks[0].name_id), "record-start");
	TD_CHECK_INT(in.marks[0].ts_ns, T0);
	TD_CHECK_STR(td_text_of(&in, in.marks[0].args_id),
		     "{\"command\":\"-- python \\\"x\\\"\",\"kernel\":\"6.1.0\",\"cpus\":4}");
	TD_CHECK_STR(td_text_of(&in, in.marks[1].name_id), "record-end");
	TD_CHECK(in.marks[1].value == -9);
	TD_CHECK_STR(td_text_of(&in, in.marks[1].args_id), "{\"why\":\"command\"}");
}

static void test_calls(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct td_wire_call c = { .head = { .tid = 12 },
				  .start_ns = T0 + 100,
				  .dur_ns = 50,
				  .pid = 10,
				  .fd = INT32_MIN,
				  .op = OPENAT,
				  .ret = -2 };
	struct td_wire_call_io io = { .head = { .tid = 10,
						.flags = TD_WIRE_CALL_HAS_ASKED |
							 TD_WIRE_CALL_HAS_OFFSET |
							 TD_WIRE_CALL_HAS_COLD },
				      .start_ns = T0 + 200,
				      .dur_ns = 60,
				      .pid = 10,
				      .file = 1,
				      .fd = 3,
				      .op = READ,
				      .cold_pages = 2,
				      .ret = 8000,
				      .asked_bytes = 8192,
				      .offset_bytes = 65536 };
	struct td_wire_call_wide wide = { .call = c };
	struct td_wire_call_text text = { .call = c };

	TD_CASE("calls");
	add_begin(&b);
	add_file(&b, 1, 0, TD_CLASS_REGULAR, 7, "/data/x");
	td_wire_add(&b, TD_WIRE_CALL, &c, sizeof(c), NULL);
	td_wire_add(&b, TD_WIRE_CALL_IO, &io, sizeof(io), NULL);
	/* counted: nothing was cold; it failed; neither offset nor size are known */
	io.start_ns++;
	io.cold_pages = 0;
	io.ret = -5;
	io.head.flags = TD_WIRE_CALL_HAS_COLD;
	td_wire_add(&b, TD_WIRE_CALL_IO, &io, sizeof(io), NULL);
	/* beyond 32 bits */
	wide.call.head.flags = TD_WIRE_CALL_HAS_ASKED | TD_WIRE_CALL_HAS_OFFSET;
	wide.call.start_ns = T0 + 300;
	wide.call.op = VFS_WRITE;
	wide.call.ret = INT64_C(5000000000);
	wide.asked_bytes = UINT64_C(6000000000);
	wide.offset_bytes = UINT64_C(7000000000);
	td_wire_add(&b, TD_WIRE_CALL_WIDE, &wide, sizeof(wide), NULL);
	/* a path that was not there, two paths, an address */
	text.call.start_ns = T0 + 400;
	text.text_len = 5;
	td_wire_add(&b, TD_WIRE_CALL_TEXT, &text, sizeof(text), "a/b.c");
	text.call.op = RENAME;
	text.call.ret = 0;
	text.text_len = text.text2_len = 2;
	td_wire_add(&b, TD_WIRE_CALL_TEXT, &text, sizeof(text), "/o/n");
	text.call.op = CONNECT;
	text.text_len = 12;
	text.text2_len = 0;
	td_wire_add(&b, TD_WIRE_CALL_TEXT, &text, sizeof(text), "10.0.0.1:443");
	/* relative to a directory that was told of; both paths */
	add_file(&b, 2, 0, TD_CLASS_DIRECTORY, 8, "/home/me");
	text.call.op = RENAME;
	text.call.file = text.file2 = 2;
	text.text_len = text.text2_len = 5;
	td_wire_add(&b, TD_WIRE_CALL_TEXT, &text, sizeof(text), "./o/b../nb");
	/* what futex waits for, and another lock */
	io.head.flags = TD_WIRE_CALL_HAS_ADDRESS | TD_WIRE_CALL_HAS_ASKED;
	io.op = FUTEX;
	io.file = 0;
	io.fd = INT32_MIN;
	io.ret = 0;
	io.start_ns = T0 + 450;
	io.asked_bytes = 128 + 9;
	io.offset_bytes = 0x7f00beef;
	td_wire_add(&b, TD_WIRE_CALL_IO, &io, sizeof(io), NULL);
	io.head.flags = TD_WIRE_CALL_HAS_ADDRESS;
	io.op = LOCK;
	io.start_ns = T0 + 460;
	td_wire_add(&b, TD_WIRE_CALL_IO, &io, sizeof(io), NULL);
	/* one that never returns, one that had not returned when the recording ended */
	c.head.flags = TD_WIRE_CALL_NO_RETURN;
	c.op = EXIT_GROUP;
	c.dur_ns = 0;
	c.start_ns = T0 + 500;
	td_wire_add(&b, TD_WIRE_CALL, &c, sizeof(c), NULL);
	c.op = FUTEX;
	c.dur_ns = 7000;
	td_wire_add(&b, TD_WIRE_CALL, &c, sizeof(c), NULL);
	add_end(&b, TD_WIRE_WHY_COMMAND, 0);
	import_stream(&in, &b);
	check_counts(&in, BEGIN_RECORDS + 1 + 10 + 3 + 1, 0, 0);
	check_calls(&in,
		    "syscall openat @100 dur 50 pid 10 tid 12 ret -2\n"
		    "syscall pread64 @200 dur 60 pid 10 tid 10 on /data/x ret 8000 asked 8192 done "
		    "8000 offset 65536 fd 3 cold 8192\n"
		    "syscall pread64 @201 dur 60 pid 10 tid 10 on /data/x ret -5 fd 3 cold 0\n"
		    "vfs vfs_write @300 dur 50 pid 10 tid 12 ret 5000000000 asked 6000000000 done "
		    "5000000000 offset 7000000000\n"
		    "syscall openat @400 dur 50 pid 10 tid 12 on a/b.c ret -2\n"
		    "syscall rename @400 dur 50 pid 10 tid 12 on /o ret 0 args /n\n"
		    "syscall connect @400 dur 50 pid 10 tid 12 ret 0 args 10.0.0.1:443\n"
		    "syscall rename @400 dur 50 pid 10 tid 12 on /home/me/o/b ret 0 args /home/nb\n"
		    "syscall futex @450 dur 60 pid 10 tid 10 ret 0 args FUTEX_WAIT_BITSET_PRIVATE "
		    "0x7f00beef\n"
		    "libc pthread_mutex_lock @460 dur 60 pid 10 tid 10 ret 0 args 0x7f00beef\n"
		    "syscall exit_group @500 pid 10 tid 12 unfinished\n"
		    "syscall futex @500 dur 7000 pid 10 tid 12 unfinished\n");
}

static void test_processes(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct td_wire_thread thread = {
		.head = { .tid = 12 }, .time_ns = T0, .pid = 10, .comm_len = 6
	};

	TD_CASE("processes");
	add_begin(&b);
	add_process(&b, 10, TD_WIRE_PROCESS_FOUND, 1000, "python",
		    "python -m torch.distributed.run t.py");
	td_wire_add(&b, TD_WIRE_THREAD, &thread, sizeof(thread), "worker");
	add_process(&b, 20, 0, T0 + 10, "python", "");
	add_process(&b, 20, TD_WIRE_PROCESS_EXEC, T0 + 20, "cat", "cat /x");
	add_exit(&b, 10, 12, 0, T0 + 25, 0);
	add_exit(&b, 20, 20, TD_WIRE_EXIT_GROUP, T0 + 30, -11);
	/* a call that comes late is that of the process that has ended; then the pid is given away */
	td_wire_add_call(&b, 20, T0 + 29, READ, 0);
	add_process(&b, 20, 0, T0 + 40, "sh", "sh");
	td_wire_add_call(&b, 20, T0 + 41, READ, 0);
	/* the end was not seen */
	add_process(&b, 20, 0, T0 + 50, "ls", "ls");
	/* names come after what they name */
	add_name(&b, TD_WIRE_NAME_USER, 0, "root");
	add_name(&b, TD_WIRE_NAME_CGROUP, 77, "/docker/1f");
	add_end(&b, TD_WIRE_WHY_COMMAND, 0);
	import_stream(&in, &b);
	check_counts(&in, BEGIN_RECORDS + 12, 1,
		     0); /* of a thread's end there is nothing to store */
	check_processes(
		&in,
		"10.1 python 'python -m torch.distributed.run t.py' user root parent 1 "
		"start 1000 /docker/1f namespace 4026531836 as 11 role launcher\n"
		"20.1 cat 'cat /x' user 1000 parent 1 start 5000000010 end 5000000030 status -11 "
		"/docker/1f namespace 4026531836 as 21 role -\n"
		"20.2 sh 'sh' user 1000 parent 1 start 5000000040 /docker/1f namespace "
		"4026531836 as 21 role -\n"
		"20.3 ls 'ls' user 1000 parent 1 start 5000000050 /docker/1f namespace "
		"4026531836 as 21 role -\n");
	TD_CHECK_INT(in.ncalls, 2);
	TD_CHECK_INT(td_process_of(&in, in.calls[0].process_id)->lifetime, 1);
	TD_CHECK_INT(td_process_of(&in, in.calls[1].process_id)->lifetime, 2);
	TD_CHECK_STR(td_text_of(&in, in.has->threads[0].name_id), "worker");
	TD_CHECK_INT(in.has->threads[0].process_id, 1);
}

/* By the manual pages, lseek() returns an offset, getdents64() a number of bytes, fcntl() neither. */
static void test_results(void)
{
	static const char *const names[] = { "lseek", "getdents64", "fcntl" };
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct td_wire_call c = { .head = { .tid = 10 }, .pid = 10, .fd = 3, .ret = 80 };

	TD_CASE("what results mean");
	add_begin(&b);
	for (uint16_t i = 0; i < TD_ARRAY_SIZE(names); i++) {
		c.start_ns = T0 + 100 + i;
		c.op = (uint16_t)(LOCK + 1 + i);
		add_op(&b, c.op, TD_LAYER_SYSCALL, names[i]);
		td_wire_add(&b, TD_WIRE_CALL, &c, sizeof(c), NULL);
	}
	add_end(&b, TD_WIRE_WHY_COMMAND, 0);
	import_stream(&in, &b);
	check_calls(&in, "syscall lseek @100 dur 0 pid 10 tid 10 ret 80 offset 80 fd 3\n"
			 "syscall getdents64 @101 dur 0 pid 10 tid 10 ret 80 done 80 fd 3\n"
			 "syscall fcntl @102 dur 0 pid 10 tid 10 ret 80 fd 3\n");
}

static void check_file(const struct td_imported *in, const struct td_call *c, const char *path,
		       enum td_class class, int64_t inode)
{
	const struct td_file *f = td_file_of(in, c->file_id);

	TD_CHECK_STR(td_file_text(in, c->file_id), path);
	TD_CHECK_INT(f->class, class);
	TD_CHECK(f->class_known);
	TD_CHECK_INT(f->inode, inode);
	TD_CHECK_INT(f->device, 8 << 20 | 1);
}

static void test_files(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	TD_CASE("files");
	add_begin(&b);
	add_file(&b, 1, 0, TD_CLASS_REGULAR, 7, "/data/new.tmp");
	td_wire_add_call(&b, 10, T0 + 1, READ, 1);
	/* renamed */
	add_file(&b, 1, 0, TD_CLASS_REGULAR, 7, "/data/new");
	td_wire_add_call(&b, 10, T0 + 2, READ, 1);
	/* not of the file system */
	add_file(&b, 2, 0, TD_CLASS_PIPE, 99, "pipe:[99]");
	td_wire_add_call(&b, 10, T0 + 3, READ, 2);
	/* removed while it was open; a segment of memory always is */
	add_file(&b, 4000000000, TD_WIRE_FILE_DELETED, TD_CLASS_REGULAR, 8, "/tmp/gone");
	td_wire_add_call(&b, 10, T0 + 4, READ, 4000000000);
	add_file(&b, 4, TD_WIRE_FILE_DELETED, TD_CLASS_MEMFD, 9, "memfd:x");
	td_wire_add_call(&b, 10, T0 + 5, READ, 4);
	/* another file with the path of one before: which inode the path has cannot be said */
	add_file(&b, 5, 0, TD_CLASS_REGULAR, 70, "/data/new");
	td_wire_add_call(&b, 10, T0 + 6, READ, 5);
	/* only the end of the path */
	add_file(&b, 6, TD_WIRE_FILE_CUT, TD_CLASS_REGULAR, 10, "deep/down/f");
	td_wire_add_call(&b, 10, T0 + 7, READ, 6);
	/* nothing told of this one */
	td_wire_add_call(&b, 10, T0 + 8, READ, 17);
	add_end(&b, TD_WIRE_WHY_COMMAND, 0);
	import_stream(&in, &b);
	check_counts(&in, BEGIN_RECORDS + 16, 0, 0);
	TD_CHECK_INT(in.ncalls, 8);
	check_file(&in, &in.calls[0], "/data/new.tmp", TD_CLASS_REGULAR, 7);
	check_file(&in, &in.calls[1], "/data/new", TD_CLASS_REGULAR, TD_NULL);
	TD_CHECK_INT(in.calls[5].file_id, in.calls[1].file_id);
	check_file(&in, &in.calls[2], "pipe:[99]", TD_CLASS_PIPE, 99);
	TD_CHECK(!td_file_of(&in, in.calls[2].file_id)->path.p);
	check_file(&in, &in.calls[3], "/tmp/gone", TD_CLASS_DELETED, 8);
	check_file(&in, &in.calls[4], "memfd:x", TD_CLASS_MEMFD, 9);
	check_file(&in, &in.calls[6], "deep/down/f", TD_CLASS_REGULAR, 10);
	TD_CHECK(td_file_of(&in, in.calls[6].file_id)->truncated);
	TD_CHECK_INT(td_issues_of(&in, "cut-path"), 1);
	TD_CHECK_INT(in.calls[7].file_id, 0);
	TD_CHECK_INT(td_issues_of(&in, "unknown-file"), 1);
	TD_CHECK_INT(in.source->repaired, 1);
}

/* Files of one path below several roots are several, also those that have but a path. */
static void test_roots(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct td_wire_call_text text = { .call = { .head = { .tid = 10 },
						    .pid = 10,
						    .fd = INT32_MIN,
						    .op = OPENAT,
						    .ret = -2 } };
	static const char *const roots[] = { NULL,        "/srv/jail", "mnt:[4026532000]",
					     "/srv/jail", "/srv/jail", NULL };

	TD_CASE("roots");
	add_begin(&b);
	add_file_in_root(&b, 1, TD_WIRE_FILE_ROOT, 0, "/srv/jail");
	add_file_in_root(&b, 2, TD_WIRE_FILE_ROOT, 0, "mnt:[4026532000]");
	add_file_in_root(&b, 1, 0, 0, "/etc/passwd");
	add_file_in_root(&b, 2, 0, 1, "/etc/passwd");
	add_file_in_root(&b, 3, 0, 2, "/etc/passwd");
	add_file_in_root(&b, 4, 0, 1, "/etc");
	for (uint32_t i = 1; i <= 3; i++)
		td_wire_add_call(&b, 10, T0 + i, READ, i);
	text.call.start_ns = T0 + 4;
	text.call.file = 4; /* a directory */
	text.text_len = 6;
	td_wire_add(&b, TD_WIRE_CALL_TEXT, &text, sizeof(text), "passwd");
	text.call.start_ns = T0 + 5;
	text.call.file = 1; /* a root */
	text.text_len = 5;
	td_wire_add(&b, TD_WIRE_CALL_TEXT, &text, sizeof(text), "/none");
	text.call.start_ns = T0 + 6;
	text.call.file = 0;
	td_wire_add(&b, TD_WIRE_CALL_TEXT, &text, sizeof(text), "/none");
	add_end(&b, TD_WIRE_WHY_COMMAND, 0);
	import_stream(&in, &b);
	check_counts(&in, BEGIN_RECORDS + 13, 0, 0);
	TD_CHECK_INT(in.ncalls, TD_ARRAY_SIZE(roots));
	for (size_t i = 0; i < in.ncalls; i++) {
		const struct td_file *f = td_file_of(&in, in.calls[i].file_id);

		TD_CHECK_STR(td_file_text(&in, in.calls[i].file_id),
			     i < 4 ? "/etc/passwd" : "/none");
		TD_CHECK_STR(or_dash(td_text_of(&in, f->root_id)), or_dash(roots[i]));
	}
	TD_CHECK_INT(in.calls[3].file_id, in.calls[1].file_id);
	TD_CHECK_INT(in.source->repaired, 0);
}

static void add_peer_call(struct td_strbuf *b, uint64_t ns, uint32_t file, const void *address,
			  size_t len)
{
	struct td_wire_call_text text = { .call = { .head = { .tid = 10,
							      .flags = TD_WIRE_CALL_PEER },
						    .pid = 10,
						    .start_ns = T0 + ns,
						    .fd = 3,
						    .op = CONNECT,
						    .file = file,
						    .ret = -111 },
					  .text_len = (uint16_t)len };
	char bytes[128] = "";
	size_t at = b->len;

	td_wire_add(b, TD_WIRE_CALL_TEXT, &text, sizeof(text), memset(bytes, 'x', len));
	memcpy(b->p + at + sizeof(text), address, len);
}

/* What a call names is the other side of its socket, whatever that was connected to; what cannot be
 * read changes nothing. */
static void test_peers(void)
{
	static const char *const want[] = { "udp:0.0.0.0:68->10.0.0.1:67",
					    "udp:[99]->[::1]:53",
					    "unix:->/run/x",
					    "unix:->@a/b",
					    "udp:0.0.0.0:68",
					    "socket->10.0.0.1:67",
					    "tcp:1.2.3.4:5->10.0.0.1:67" };
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_port = htons(67),
				  .sin_addr.s_addr = htonl(0x0a000001) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6,
				    .sin6_port = htons(53),
				    .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "/run/x" };
	_cleanup_(td_imported_done) struct td_imported imported = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	TD_CASE("peers");
	add_begin(&b);
	add_file(&b, 1, 0, TD_CLASS_SOCKET, 98, "udp:0.0.0.0:68");
	add_file(&b, 2, 0, TD_CLASS_SOCKET, 99, "udp:[99]");
	add_file(&b, 3, 0, TD_CLASS_SOCKET, 97, "unix:[97]");
	add_file(&b, 4, 0, TD_CLASS_SOCKET, 96, "tcp:1.2.3.4:5->6.7.8.9:10");
	add_peer_call(&b, 1, 1, &in, sizeof(in));
	add_peer_call(&b, 2, 2, &in6, sizeof(in6));
	add_peer_call(&b, 3, 3, &un, sizeof(un));
	memcpy(un.sun_path, "\0a/b", 4);
	add_peer_call(&b, 4, 3, &un, offsetof(struct sockaddr_un, sun_path) + 4);
	add_peer_call(&b, 5, 1, &in, 7); /* cut */
	add_peer_call(&b, 6, 0, &in, sizeof(in));
	add_peer_call(&b, 7, 4, &in, sizeof(in));
	add_end(&b, TD_WIRE_WHY_COMMAND, 0);
	import_stream(&imported, &b);
	TD_CHECK_INT(imported.ncalls, TD_ARRAY_SIZE(want));
	for (size_t i = 0; i < imported.ncalls; i++) {
		TD_CHECK_STR(td_file_text(&imported, imported.calls[i].file_id), want[i]);
		TD_CHECK_INT(td_file_of(&imported, imported.calls[i].file_id)->class,
			     TD_CLASS_SOCKET);
	}
}

static void test_sched(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT, got = TD_STRBUF_INIT;
	struct td_wire_sched waker = {
		.head = { .tid = 10 }, .on_ns = T0 + 1, .out_ns = T0 + 9, .pid = 10, .cpu = 3
	};

	TD_CASE("sched");
	add_begin(&b);
	td_wire_add(&b, TD_WIRE_SCHED, &waker, sizeof(waker), NULL);
	add_sched(&b, T0 + 10, T0 + 30, T0 + 35, T0 + 95, 1, 10);
	add_sched(&b, T0 + 95, 0, T0 + 100, T0 + 120, 0, 0); /* preempted */
	add_sched(&b, 0, 0, T0 + 200, T0 + 210, 0, 0); /* the first one that is seen */
	add_sched(&b, T0 + 210, T0 + 260, 0, 0, 2, 99); /* the last one */
	add_sched(&b, T0 + 300, 0, 0, 0, 0x80, 0); /* its end */
	add_sched(&b, 0, 0, 0, 0, 1, 0);
	add_end(&b, TD_WIRE_WHY_COMMAND, 0);
	import_stream(&in, &b);
	check_counts(&in, BEGIN_RECORDS + 7, 0, 1);
	for (size_t i = 0; i < in.nscheds; i++) {
		const struct td_sched *s = &in.scheds[i];

		td_strbuf_addf(&got, "%s @%lld", td_text_of(&in, s->state_id),
			       (long long)(s->start_ns - (int64_t)T0));
		add_number(&got, "dur", s->dur_ns, TD_NULL);
		td_strbuf_addf(&got, " tid %lld cpu %d %s",
			       (long long)td_store_thread_at(in.st, s->thread_id)->tid, s->cpu,
			       or_dash(td_text_of(&in, s->reason_id)));
		if (s->waker_thread_id)
			add_number(&got, "woken by",
				   td_store_thread_at(in.st, s->waker_thread_id)->tid, TD_NULL);
		td_strbuf_addf(&got, "\n");
	}
	td_check_lines(&got, "running @1 dur 8 tid 10 cpu 3 -\n"
			     "sleeping @10 dur 20 tid 12 cpu 1 futex\n"
			     "runnable @30 dur 5 tid 12 cpu 1 - woken by 10\n"
			     "running @35 dur 60 tid 12 cpu 3 -\n"
			     "runnable @95 dur 5 tid 12 cpu 1 futex\n"
			     "running @100 dur 20 tid 12 cpu 3 -\n"
			     "running @200 dur 10 tid 12 cpu 3 -\n"
			     "blocked @210 dur 50 tid 12 cpu 1 futex\n"
			     "runnable @260 tid 12 cpu 1 -\n"
			     "exited @300 tid 12 cpu 1 futex\n");
}

static void test_block(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct td_wire_block w = { .head = { .tid = 12 },
				   .insert_ns = T0 + 10,
				   .issue_ns = T0 + 30,
				   .done_ns = T0 + 130,
				   .sector = 1 << 20,
				   .bytes = 65536,
				   .device = 259 << 20 | 5,
				   .pid = 10,
				   .done_pid = 0,
				   .cmd_flags = 1 << 11 | 1 };

	TD_CASE("block");
	add_begin(&b);
	add_name(&b, TD_WIRE_NAME_DISK, 259 << 20 | 5, "nvme0n1");
	td_wire_add(&b, TD_WIRE_BLOCK, &w, sizeof(w), NULL);
	/* who was interrupted by its completion is known, or not */
	add_process(&b, 20, TD_WIRE_PROCESS_FOUND, 1000, "dd", "dd");
	w.issue_ns++;
	w.done_pid = 20;
	td_wire_add(&b, TD_WIRE_BLOCK, &w, sizeof(w), NULL);
	w.issue_ns++;
	w.done_pid = 30;
	td_wire_add(&b, TD_WIRE_BLOCK, &w, sizeof(w), NULL);
	/* not queued, not complete when the recording ended, a disk without name; a flush */
	w.insert_ns = w.done_ns = 0;
	w.issue_ns = T0 + 40;
	w.device = 8 << 20 | 16;
	w.cmd_flags = 2;
	w.error = -5;
	td_wire_add(&b, TD_WIRE_BLOCK, &w, sizeof(w), NULL);
	w.issue_ns = 0;
	td_wire_add(&b, TD_WIRE_BLOCK, &w, sizeof(w), NULL);
	add_end(&b, TD_WIRE_WHY_COMMAND, 0);
	import_stream(&in, &b);
	check_counts(&in, BEGIN_RECORDS + 7, 0, 1);
	TD_CHECK_INT(in.nblocks, 4);
	TD_CHECK_INT(in.has->nprocesses, 2);
	TD_CHECK_INT(td_process_of(&in, in.blocks[1].done_process_id)->pid, 20);
	TD_CHECK_INT(in.blocks[2].done_process_id, 0);
	TD_CHECK_INT(in.blocks[0].start_ns, T0 + 30);
	TD_CHECK_INT(in.blocks[0].dur_ns, 100);
	TD_CHECK_INT(in.blocks[0].queue_ns, 20);
	TD_CHECK_INT(in.blocks[0].sector, 1 << 20);
	TD_CHECK_INT(in.blocks[0].bytes, 65536);
	TD_CHECK_INT(in.blocks[0].op, TD_BLOCK_WRITE);
	TD_CHECK_INT(td_process_of(&in, in.blocks[0].process_id)->pid, 10);
	TD_CHECK_INT(in.blocks[0].done_process_id, 0);
	TD_CHECK_STR(in.has->devices[in.blocks[0].device_id - 1].name, "nvme0n1");
	TD_CHECK_INT(in.blocks[3].dur_ns, TD_NULL);
	TD_CHECK_INT(in.blocks[3].queue_ns, TD_NULL);
	TD_CHECK_INT(in.blocks[3].op, TD_BLOCK_OTHER);
	TD_CHECK_STR(in.has->devices[in.blocks[3].device_id - 1].name, "8:16");
	TD_CHECK_INT(td_issues_of(&in, "failed-request"), 1);
	TD_CHECK_STR(in.has->issues[0].text, "sector 1048576, 65536 bytes: Input/output error");
}

static void test_samples(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct td_wire_track t = { .track = 1,
				   .device_kind = TD_DEVICE_CPU,
				   .device_number = 2,
				   .name_len = 7,
				   .unit_len = 1,
				   .device_len = 5 };
	struct td_wire_sample s = { .time_ns = 2 * TD_SEC_NS, .dur_ns = TD_SEC_NS, .value = 12.5 };
	struct td_wire_summary m = {
		.low = 4, .high = 8, .value = 3, .name_len = 6, .key_len = 1, .unit_len = 1
	};

	TD_CASE("samples");
	add_begin(&b);
	td_wire_add(&b, TD_WIRE_TRACK, &t, sizeof(t), "cpu.usr%CPU 2");
	s.track = 1;
	td_wire_add(&b, TD_WIRE_SAMPLE, &s, sizeof(s), NULL);
	t.track = 2;
	t.device_kind = TD_DEVICE_GPU;
	t.pid = 10;
	t.name_len = 6;
	t.device_len = 0;
	td_wire_add(&b, TD_WIRE_TRACK, &t, sizeof(t), "gpu.sm%");
	s.track = 2;
	s.value = NAN;
	td_wire_add(&b, TD_WIRE_SAMPLE, &s, sizeof(s), NULL);
	t.track = 3;
	t.device_kind = 255;
	t.pid = 0;
	t.unit_len = 0;
	td_wire_add(&b, TD_WIRE_TRACK, &t, sizeof(t), "memory");
	s.track = 3;
	s.value = 7;
	td_wire_add(&b, TD_WIRE_SAMPLE, &s, sizeof(s), NULL);
	s.track = 4;
	td_wire_add(&b, TD_WIRE_SAMPLE, &s, sizeof(s), NULL);
	td_wire_add(&b, TD_WIRE_SUMMARY, &m, sizeof(m), "mallocaB");
	add_end(&b, TD_WIRE_WHY_COMMAND, 0);
	import_stream(&in, &b);
	check_counts(&in, BEGIN_RECORDS + 8, 0, 1);
	TD_CHECK_INT(td_issues_of(&in, "unknown-track"), 1);
	td_check_samples(&in, 0,
			 "cpu.usr CPU 2 @2+1 = 12.5 %\n"
			 "gpu.sm GPU 2 10 '' @2+1 = -\n"
			 "memory - @2+1 = 7\n");
	TD_CHECK_INT(in.has->devices[1].number, 2);
	TD_CHECK_INT(in.has->nsummaries, 1);
	TD_CHECK_STR(in.has->summaries[0].name, "malloc");
	TD_CHECK_STR(in.has->summaries[0].key, "a");
	TD_CHECK_STR(in.has->summaries[0].unit, "B");
	TD_CHECK(in.has->summaries[0].low == 4 && in.has->summaries[0].high == 8 &&
		 in.has->summaries[0].value == 3);
}

static void test_loss_and_cost(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct td_wire_loss l = { .from_ns = T0,
				  .to_ns = T0 + TD_SEC_NS,
				  .generated = 100,
				  .ring = 1,
				  .name_len = 5,
				  .ring_peak_bytes = 512,
				  .ring_size_bytes = 4096 };
	struct td_wire_cost c = { .runs = 7, .cpu_ns = 7000, .measured_ms = 20, .name_len = 9 };
	struct td_wire_note n = { .kind_len = 7, .text_len = 14 };

	TD_CASE("loss and cost");
	add_begin(&b);
	td_wire_add(&b, TD_WIRE_LOSS, &l, sizeof(l), "sched");
	l.from_ns += TD_SEC_NS;
	l.to_ns += TD_SEC_NS;
	l.lost = 30;
	td_wire_add(&b, TD_WIRE_LOSS, &l, sizeof(l), "sched");
	l.ring_size_bytes = 0; /* not of a ring */
	l.lost = 12;
	td_wire_add(&b, TD_WIRE_LOSS, &l, sizeof(l), "spool");
	l.lost = l.generated + 1;
	td_wire_add(&b, TD_WIRE_LOSS, &l, sizeof(l), "spool");
	td_wire_add(&b, TD_WIRE_COST, &c, sizeof(c), "sys_enter");
	c.runs = 0;
	c.measured_ms = 0;
	c.name_len = 14;
	td_wire_add(&b, TD_WIRE_COST, &c, sizeof(c), "tracedb-record");
	td_wire_add(&b, TD_WIRE_NOTE, &n, sizeof(n), "no-nvmlthere is no GPU");
	n.kind_len = 3;
	n.text_len = 0;
	td_wire_add(&b, TD_WIRE_NOTE, &n, sizeof(n), "A 7");
	add_end(&b, TD_WIRE_WHY_SIZE, 0);
	import_stream(&in, &b);
	check_counts(&in, BEGIN_RECORDS + 7, 0, 2);
	TD_CHECK_INT(in.source->lost_events, 42);
	TD_CHECK_INT(in.has->nlosses, 3);
	TD_CHECK_STR(in.has->losses[1].name, "sched");
	TD_CHECK_INT(in.has->losses[1].ring, 1);
	TD_CHECK_INT(in.has->losses[1].from_ns, T0 + TD_SEC_NS);
	TD_CHECK_INT(in.has->losses[1].lost, 30);
	TD_CHECK_INT(in.has->losses[1].ring_peak_bytes, 512);
	TD_CHECK_INT(in.has->losses[2].ring, TD_NULL);
	TD_CHECK_INT(in.has->losses[2].ring_size_bytes, TD_NULL);
	TD_CHECK_INT(in.has->nsummaries, 4);
	TD_CHECK_STR(in.has->summaries[0].name, "bpf.run_time");
	TD_CHECK_STR(in.has->summaries[0].key, "sys_enter");
	TD_CHECK(in.has->summaries[0].value == 7000 && in.has->summaries[1].value == 7);
	TD_CHECK_STR(in.has->summaries[2].name, "bpf.measured");
	TD_CHECK(in.has->summaries[2].value == 20e6);
	TD_CHECK_STR(in.has->summaries[3].name, "collector.cpu");
	TD_CHECK_INT(td_issues_of(&in, "no-nvml"), 1);
	TD_CHECK_INT(td_issues_of(&in, "size-limit"), 1);
}

/* A call of the thread 10 that names a file, from the directory that is the file number 1 on, and
 * perhaps a second one. */
static void add_naming_call(struct td_strbuf *b, uint64_t start_ns, uint16_t op, const char *text,
			    const char *text2)
{
	struct td_wire_call_text c = { .call = { .head = { .tid = 10 },
						 .start_ns = start_ns,
						 .pid = 10,
						 .file = text[0] == '/' ? 0 : 1,
						 .fd = INT32_MIN,
						 .op = op },
				       .text_len = (uint16_t)strlen(text),
				       .text2_len = (uint16_t)strlen(text2),
				       .file2 = text2[0] == '/' ? 0 : 1 };
	char both[64];

	(void)snprintf(both, sizeof(both), "%s%s", text, text2);
	td_wire_add(b, TD_WIRE_CALL_TEXT, &c, sizeof(c), both);
}

/* What a request of io_uring is about. */
static void test_requests(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	TD_CASE("requests");
	add_begin(&b);
	add_op(&b, 20, TD_LAYER_SYSCALL, "io_uring_unlinkat");
	add_op(&b, 21, TD_LAYER_SYSCALL, "io_uring_renameat");
	add_op(&b, 22, TD_LAYER_SYSCALL, "io_uring_setxattr");
	add_file(&b, 1, 0, TD_CLASS_DIRECTORY, 7, "/data");
	add_naming_call(&b, T0, 20, "/tmp/old", "");
	add_naming_call(&b, T0 + 1, 21, "ckpt.tmp", "ckpt");
	add_naming_call(&b, T0 + 2, 22, "x", "");
	add_end(&b, TD_WIRE_WHY_COMMAND, 0);
	import_stream(&in, &b);
	check_calls(&in, "syscall io_uring_unlinkat @0 dur 0 pid 10 tid 10 on /tmp/old ret 0\n"
			 "syscall io_uring_renameat @1 dur 0 pid 10 tid 10 on /data/ckpt.tmp ret 0 "
			 "args /data/ckpt\n"
			 "syscall io_uring_setxattr @2 dur 0 pid 10 tid 10 on /data/x ret 0\n");
	TD_CHECK_INT(td_issues_of(&in, "request-without-path"), 0);
}

/* That it is not known of one that names a path. */
static void test_requests_without_path(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	TD_CASE("requests without a path");
	add_begin(&b);
	add_op(&b, 20, TD_LAYER_SYSCALL, "io_uring_symlinkat");
	add_op(&b, 21, TD_LAYER_SYSCALL, "io_uring_openat");
	add_op(&b, 22, TD_LAYER_SYSCALL, "io_uring_nop");
	add_file(&b, 1, 0, TD_CLASS_REGULAR, 7, "/data/x");
	td_wire_add_call(&b, 10, T0, 20, 0);
	td_wire_add_call(&b, 10, T0 + 1, 21, 1);
	td_wire_add_call(&b, 10, T0 + 2, 22, 0);
	add_end(&b, TD_WIRE_WHY_COMMAND, 0);
	import_stream(&in, &b);
	TD_CHECK_INT(td_issues_of(&in, "request-without-path"), 1);
	TD_CHECK_STR(in.has->issues[0].text,
		     "the path that a request of io_uring names is not recorded");
}

/* Who was sent which signal. */
static void test_signals(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct td_wire_call_io io = {
		.head = { .tid = 10, .flags = TD_WIRE_CALL_HAS_ASKED | TD_WIRE_CALL_HAS_ADDRESS },
		.start_ns = T0,
		.dur_ns = 60,
		.pid = 10,
		.fd = INT32_MIN,
		.op = 23,
		.asked_bytes = 9,
		.offset_bytes = 4711
	};

	TD_CASE("signals");
	add_begin(&b);
	add_op(&b, 23, TD_LAYER_SYSCALL, "kill");
	td_wire_add(&b, TD_WIRE_CALL_IO, &io, sizeof(io), NULL);
	io.start_ns++;
	io.offset_bytes =
		UINT32_MAX; /* all processes that there are; a number that no signal has */
	io.asked_bytes = 200;
	td_wire_add(&b, TD_WIRE_CALL_IO, &io, sizeof(io), NULL);
	add_end(&b, TD_WIRE_WHY_COMMAND, 0);
	import_stream(&in, &b);
	check_calls(&in, "syscall kill @0 dur 60 pid 10 tid 10 ret 0 args 4711 SIGKILL\n"
			 "syscall kill @1 dur 60 pid 10 tid 10 ret 0 args -1 200\n");
}

static void test_rank(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct td_wire_rank w = { .rank = 5 };

	TD_CASE("the rank of what was recorded");
	add_header(&b);
	td_wire_add(&b, TD_WIRE_RANK, &w, sizeof(w), NULL);
	w.rank = UINT32_MAX;
	td_wire_add(&b, TD_WIRE_RANK, &w, sizeof(w), NULL);
	import_stream(&in, &b);
	check_counts(&in, 2, 0, 1);
	TD_CHECK_INT(td_store_source_at(in.st, 1)->rank, 5);
	TD_CHECK_STR(td_store_source_at(in.st, 1)->rank_basis, "environment");
}

static void test_process_rank(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct td_wire_process_rank w = { .head = { .tid = 10 }, .time_ns = T0 + 20, .rank = 3 };

	TD_CASE("which rank a process is");
	add_header(&b);
	td_wire_add(&b, TD_WIRE_PROCESS_RANK, &w, sizeof(w), NULL);
	w.rank = UINT32_MAX;
	td_wire_add(&b, TD_WIRE_PROCESS_RANK, &w, sizeof(w), NULL);
	import_stream(&in, &b);
	check_counts(&in, 2, 0, 1);
	TD_CHECK_INT(in.nmarks, 2); /* 'record-start', too */
	TD_CHECK_STR(td_text_of(&in, in.marks[1].name_id), "rank");
	TD_CHECK_INT(in.marks[1].rank, 3);
	TD_CHECK_INT(in.marks[1].ts_ns, (int64_t)T0 + 20);
	TD_CHECK(in.marks[1].process_id != 0);
}

int main(void)
{
	test_rank();
	test_process_rank();
	test_begin_and_end();
	test_calls();
	test_requests();
	test_requests_without_path();
	test_signals();
	test_results();
	test_processes();
	test_files();
	test_roots();
	test_peers();
	test_sched();
	test_block();
	test_samples();
	test_loss_and_cost();
	return td_check_result();
}
