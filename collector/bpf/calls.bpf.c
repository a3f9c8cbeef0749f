/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * System calls: what was asked is noted at sys_enter, one record is written at sys_exit. Which calls, and what
 * their arguments mean, is in specs[], which the loader fills from the tables of
 * collector/sets/syscalls.c and schema/calls.c.
 */
#include "collector/bpf/call.h"

#define O_APPEND 02000
#define PROT_EXEC 4
#define MAP_ANONYMOUS 0x20
#define MAP_DENYWRITE 0x800
#define MAPPED_MIN (1 << 20) /* bytes; each program maps smaller files of the C library */
#define S_IFMT 0170000
#define S_IFREG 0100000
#define TMPFS_MAGIC 0x01021994
#define HUGETLBFS_MAGIC 0x958458F6
#define IOV_MAX 1024
#define IOV_BATCH 8
#define RWF_APPEND 0x10

#define EINTR 4
#define ENOTTY 25
#define EINPROGRESS 115 /* connect() that does not wait: the socket has its peer */
#define ERESTARTSYS 512
#define ERESTARTNOINTR 513
#define ERESTARTNOHAND 514
#define ENOIOCTLCMD 515
#define ERESTART_RESTARTBLOCK 516

const volatile struct td_call_spec specs[TD_NSYSCALLS] = {};

struct iovec {
	uint64_t base, len;
};

/* the beginning of struct user_msghdr (include/linux/socket.h), which sendmsg() is given */
struct message {
	uint64_t name, name_len, iov, iov_len;
};

static __always_inline uint64_t argument(const struct td_task *t, uint32_t number)
{
	return t->args[number & 7];
}

/* --- the beginning --- */

/* direct, here and below: see READ_KERNEL(). */
static __always_inline uint32_t note_file_by(bool direct, struct td_task *t, uint32_t fd)
{
	struct td_seen *seen = &t->seen[fd & (TD_NSEEN - 1)];
	uint32_t id;

	t->file = file_of_fd_by(direct, bpf_get_current_task_btf(), fd);
	id = file_id_by(direct, seen, t, t->file);
	t->seekable = t->file ? seen->seekable : 0;
	return id;
}

static __always_inline uint32_t note_file(struct td_task *t, uint32_t fd)
{
	return note_file_by(false, t, fd);
}

/* O_APPEND, or of pwritev2() its like. */
static __always_inline bool does_append(bool direct, const struct td_task *t, uint32_t flags,
					uint64_t file)
{
	return READ_KERNEL(direct, struct file, file, f_flags) & O_APPEND ||
	       (flags & TD_SPEC_RWF && argument(t, 6) & RWF_APPEND);
}

/* The position of the descriptor; of one that only appends, the end of the file. */
static __always_inline void note_position(bool direct, struct td_task *t, uint32_t flags)
{
	uint64_t file = t->file;
	struct inode *inode;

	t->has_offset = 1;
	if (flags & TD_SPEC_WRITES && does_append(direct, t, flags, file)) {
		inode = READ_KERNEL(direct, struct file, file, f_inode);
		t->appends = !!(flags & TD_SPEC_POSITION); /* which is behind the data then */
		t->offset = READ_KERNEL(direct, struct inode, inode, i_size);
		return;
	}
	if (flags & TD_SPEC_POSITION)
		t->offset = READ_KERNEL(direct, struct file, file, f_pos);
}

/* number: of the argument that is the offset, or 0. */
static __always_inline void note_offset(bool direct, struct td_task *t, uint32_t flags,
					uint32_t number)
{
	if (number) {
		t->offset = argument(t, number);
		t->has_offset = 1;
		if (flags & TD_SPEC_OFFSET_POINTER) {
			t->has_offset =
				t->offset && !bpf_probe_read_user(&t->offset, sizeof(t->offset),
								  (void *)t->offset);
			if (t->has_offset)
				return;
		} else if (t->offset == (uint64_t)-1) {
			t->has_offset = 0; /* of preadv2(): the position */
		} else {
			flags &= ~TD_SPEC_POSITION;
		}
	}
	if (t->seekable && flags & (TD_SPEC_POSITION | TD_SPEC_WRITES))
		note_position(direct, t, flags);
}

/* Of a call that copies: where the bytes go. Before what is noted of its own side. */
static __noinline int note_destination(struct td_task *t, const struct td_call_spec *spec)
{
	if (!t || !spec)
		return 0;
	t->to_file_id = note_file(t, argument(t, spec->to));
	note_offset(false, t, spec->flags, spec->to_offset);
	t->to_offset = t->offset;
	t->to_has_offset = t->has_offset;
	t->has_offset = 0;
	return 0;
}

static __always_inline int call_begins(bool direct, struct td_task *t,
				       const struct td_call_spec *spec, uint32_t nr)
{
	note_root(t, bpf_get_current_task_btf()); /* also of chroot() that is the one before */
	t->nr = nr;
	t->file = 0;
	t->file_id = 0;
	t->has_offset = 0;
	t->appends = 0;
	t->cold_pages = 0;
	if (spec->flags & TD_SPEC_MAP && argument(t, 4) & MAP_ANONYMOUS) {
		if (spec->set == TD_SPEC_NO_SET)
			return 0;
		t->args[spec->fd & 7] = (uint32_t)NO_FD;
		t->start_ns = bpf_ktime_get_boot_ns();
		return 0;
	}
	if (spec->file_set == TD_SPEC_NO_SET)
		return 0;
	if (spec->to)
		note_destination(t, spec);
	if (spec->fd)
		t->file_id = note_file_by(direct, t, argument(t, spec->fd));
	if (spec->offset | (spec->flags & TD_SPEC_POSITION))
		note_offset(direct, t, spec->flags, spec->offset);
	t->start_ns = bpf_ktime_get_boot_ns();
	if (spec->flags & TD_SPEC_SUBMITS)
		td_aio_begin(argument(t, 3), argument(t, 2));
	return 0;
}

/* Calls of 32-bit programs have other numbers and are not recorded, but counted. */
static __always_inline bool is_compat(void)
{
#if defined(__TARGET_ARCH_x86)
	if (bpf_get_current_task_btf()->thread_info.status & TS_COMPAT) {
		__sync_fetch_and_add(&compat_calls, 1);
		return true;
	}
#endif
	return false;
}

static __always_inline int entered(bool direct, const struct pt_regs *regs, long nr)
{
	const struct td_call_spec *spec = spec_of(nr);
	struct td_task *t;

	if (!recording || (uint64_t)nr >= TD_NSYSCALLS || !spec->op)
		return 0;
	t = current_watched();
	if (!t || is_compat())
		return 0;
#if defined(__TARGET_ARCH_x86)
	t->args[1] = regs->di;
	t->args[2] = regs->si;
	t->args[3] = regs->dx;
	t->args[4] = regs->r10;
	t->args[5] = regs->r8;
	t->args[6] = regs->r9;
#elif defined(__TARGET_ARCH_arm64)
	t->args[1] = regs->orig_x0;
	t->args[2] = regs->regs[1];
	t->args[3] = regs->regs[2];
	t->args[4] = regs->regs[3];
	t->args[5] = regs->regs[4];
	t->args[6] = regs->regs[5];
#endif
	return call_begins(direct, t, spec, nr);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(enter_direct, struct pt_regs *regs, long nr)
{
	return entered(true, regs, nr);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(enter_btf, struct pt_regs *regs, long nr)
{
	return entered(false, regs, nr);
}

SEC("tracepoint/raw_syscalls/sys_enter")
int enter_tracepoint(struct trace_event_raw_sys_enter *ctx)
{
	uint64_t nr = ctx->id;
	const struct td_call_spec *spec = spec_of(nr);
	struct td_task *t;

	if (!recording || nr >= TD_NSYSCALLS || !spec->op)
		return 0;
	t = current_watched();
	if (!t || is_compat())
		return 0;
	t->args[1] = ctx->args[0];
	t->args[2] = ctx->args[1];
	t->args[3] = ctx->args[2];
	t->args[4] = ctx->args[3];
	t->args[5] = ctx->args[4];
	t->args[6] = ctx->args[5];
	return call_begins(false, t, spec, nr);
}

/* --- texts --- */

uint32_t td_start_of_path(struct td_task *t, bool is_absolute, int32_t dir)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (!t)
		return 0;
	if (is_absolute)
		return t->root.id;
	if (dir != AT_FDCWD)
		return note_file(t, dir);
	return td_directory_id(t, (uint64_t)BPF_CORE_READ(task, fs));
}

/* number: of the argument that is the directory descriptor, or 0. */
static __always_inline int32_t directory(const struct td_task *t, uint32_t number)
{
	return number ? (int32_t)argument(t, number) : AT_FDCWD;
}

/* A path argument into the record at to, which has room for TD_TEXT_MAX; its length. */
static __always_inline uint32_t read_text(char *to, uint64_t from)
{
	long n = bpf_probe_read_user_str(to, TD_TEXT_MAX, (const void *)from);

	return n > 0 ? (n - 1) & (TD_TEXT_MAX - 1) : 0;
}

/* -ENOENT: the path is empty, the call is about the directory descriptor itself. */
static __noinline int put_text_in(struct td_task *t, const struct td_call_spec *spec,
				  struct draft *d, uint32_t room)
{
	struct td_scratch *s = scratch_at(room);
	uint32_t len, len2 = 0, size;
	struct td_wire_call_text *c;
	void *ring = ring_here();

	if (!s || !ring || !spec)
		return -ENOSPC;
	c = (struct td_wire_call_text *)s->record;
	len = read_text(c->text, argument(t, spec->path));
	if (!len && spec->dir)
		return -ENOENT;
	d->file = td_start_of_path(t, len && c->text[0] == '/', directory(t, spec->dir));
	c->file2 = 0;
	if (spec->path2) {
		char *text2 = c->text + len;

		len2 = read_text(text2, argument(t, spec->path2));
		if (len2 && !(spec->flags & TD_SPEC_TARGET))
			c->file2 = td_start_of_path(t, text2[0] == '/', directory(t, spec->dir2));
	}
	size = len + len2;
	__builtin_memset(c->text + size, 0, 8);
	c->text_len = len;
	c->text2_len = len2;
	c->asked_bytes = d->asked;
	c->offset_bytes = d->offset;
	size = (sizeof(*c) + size + 7) & ~7;
	fill_call(&c->call, d, TD_WIRE_CALL_TEXT, size);
	return output(ring, c, size, ring_step);
}

static __always_inline int put_text(struct td_task *t, const struct td_call_spec *spec,
				    struct draft *d)
{
	uint32_t room = td_take_scratch();
	int r;

	if (room == TD_NO_SCRATCH)
		return -ENOSPC;
	r = put_text_in(t, spec, d, room);
	give_scratch(room);
	return r;
}

/* --- peers --- */

#define ADDRESS_MAX 112 /* struct sockaddr_un has 110 bytes */

/* Where the address is that the call was given, or was told; its length, 0: none. */
static __always_inline uint32_t address_of_peer(struct td_task *t, const struct td_call_spec *spec,
						uint64_t *ret_at)
{
	struct message m = {};
	uint32_t len = 0;

	if (spec->flags & TD_SPEC_PEER_MESSAGE) {
		if (bpf_probe_read_user(&m, sizeof(m), (const void *)argument(t, spec->peer)))
			return 0;
		*ret_at = m.name;
		len = m.name_len;
	} else {
		*ret_at = argument(t, spec->peer);
		len = argument(t, spec->peer + 1);
		if (spec->peer_is == TD_PEER_TOLD &&
		    bpf_probe_read_user(&len, sizeof(len),
					(const void *)argument(t, spec->peer + 1)))
			return 0;
	}
	return *ret_at ? len : 0;
}

static __noinline int put_peer_in(struct td_task *t, const struct td_call_spec *spec,
				  struct draft *d, uint32_t room)
{
	struct td_scratch *s = scratch_at(room);
	struct td_wire_call_text *c;
	uint64_t at = 0;
	uint32_t len, size;
	void *ring = ring_here();

	if (!s || !ring || !spec)
		return -ENOSPC;
	c = (struct td_wire_call_text *)s->record;
	len = address_of_peer(t, spec, &at);
	if (len > ADDRESS_MAX)
		len = ADDRESS_MAX;
	if (!len || bpf_probe_read_user(c->text, len & 127, (const void *)at))
		return -ENOENT;
	__builtin_memset(c->text + (len & 127), 0, 8);
	c->text_len = len;
	c->text2_len = 0;
	c->file2 = 0;
	c->asked_bytes = d->asked;
	c->offset_bytes = d->offset;
	size = (sizeof(*c) + (len & 127) + 7) & ~7;
	fill_call(&c->call, d, TD_WIRE_CALL_TEXT, size);
	c->call.head.flags |= TD_WIRE_CALL_PEER;
	return output(ring, c, size, ring_step);
}

/* -ENOENT: it names none. */
static __always_inline int put_peer(struct td_task *t, const struct td_call_spec *spec,
				    struct draft *d)
{
	uint32_t room;
	int r;

	if (spec->peer_is == TD_PEER_TOLD && d->ret < 0)
		return -ENOENT;
	room = td_take_scratch();
	if (room == TD_NO_SCRATCH)
		return -ENOSPC;
	r = put_peer_in(t, spec, d, room);
	give_scratch(room);
	return r;
}

/* --- the end --- */

struct sum {
	uint64_t iov, left, bytes;
};

static long sum_batch(uint32_t i, struct sum *s)
{
	struct iovec v[IOV_BATCH] = {};
	uint32_t n = s->left < IOV_BATCH ? s->left : IOV_BATCH;

	if (!n || bpf_probe_read_user(v, (n * sizeof(v[0])) & 255, (const void *)s->iov))
		return 1;
	for (int k = 0; k < IOV_BATCH; k++)
		s->bytes += v[k].len;
	s->iov += sizeof(v);
	s->left -= n;
	return 0;
}

uint64_t td_sum_of_buffers(uint64_t iov, uint64_t n)
{
	struct sum s = { .iov = iov, .left = n };

	if (n > IOV_MAX)
		return 0;
	bpf_loop(IOV_MAX / IOV_BATCH, sum_batch, &s, 0);
	return s.bytes;
}

/* Bytes asked for by an array of buffers, which may be in a message. */
static __always_inline uint64_t sum_of_buffers(struct td_task *t, const struct td_call_spec *spec)
{
	struct message m = { .iov = argument(t, spec->buffers),
			     .iov_len = argument(t, spec->buffers + 1) };

	if (spec->flags & TD_SPEC_MESSAGE &&
	    bpf_probe_read_user(&m, sizeof(m), (const void *)m.iov))
		return 0;
	return td_sum_of_buffers(m.iov, m.iov_len);
}

/* Where the data went that were appended: the position is behind them now. */
static __always_inline void correct_append(struct td_task *t, const struct td_call_spec *spec,
					   struct draft *d)
{
	struct file *file = (struct file *)t->file;

	if (d->ret <= 0 || !(spec->flags & TD_SPEC_POSITION))
		return;
	if (file_of_fd(bpf_get_current_task_btf(), argument(t, spec->fd)) == t->file)
		d->offset = BPF_CORE_READ(file, f_pos) - d->ret;
}

static __always_inline void add_bytes(struct td_task *t, const struct td_call_spec *spec,
				      struct draft *d, bool finished)
{
	if (spec->asked) {
		d->asked = argument(t, spec->asked);
		d->flags |= TD_WIRE_CALL_HAS_ASKED;
	} else if (spec->buffers && finished) {
		d->asked = sum_of_buffers(t, spec);
		d->flags |= TD_WIRE_CALL_HAS_ASKED;
	}
	if (!t->has_offset)
		return;
	d->offset = t->offset;
	d->flags |=
		spec->flags & TD_SPEC_ADDRESS ? TD_WIRE_CALL_HAS_ADDRESS : TD_WIRE_CALL_HAS_OFFSET;
	if (t->appends && finished)
		correct_append(t, spec, d);
}

/* What a call is about that says so only when it has succeeded. */
static __always_inline bool add_result(struct td_task *t, const struct td_call_spec *spec,
				       struct draft *d)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (d->ret < 0)
		return false;
	if (spec->flags & TD_SPEC_MAKES) {
		d->fd = d->ret;
		d->file = note_file(t, d->ret);
		return true;
	}
	if (spec->flags & TD_SPEC_CWD) {
		d->file = td_start_of_path(t, false, AT_FDCWD);
		return true;
	}
	if (spec->flags & TD_SPEC_EXECUTES) {
		d->file = file_id(&t->seen[0], t, (uint64_t)BPF_CORE_READ(task, mm, exe_file));
		return true;
	}
	return false;
}

/* The other side of a socket, by the name of the file, or put with the call: -ENOENT where it was not. */
static __always_inline int add_peer(struct td_task *t, const struct td_call_spec *spec,
				    struct draft *d)
{
	bool connected = d->ret >= 0 || d->ret == -EINPROGRESS;

	if (spec->peer_is == TD_PEER_ACCEPTED) {
		if (d->ret >= 0)
			d->file = note_file(t, d->ret);
		return -ENOENT;
	}
	if (spec->peer_is == TD_PEER_CONNECTED && connected) {
		d->file = note_file(t, d->fd);
		return -ENOENT;
	}
	return put_peer(t, spec, d);
}

/* A function of its own, so that what it holds is not on the stack of the programs of exits while
 * they look up a file: six calls deep they have 512 bytes, which kernels up to 6.1 count in whole
 * 32 for each. */
static __noinline int put_draft(const struct draft *d)
{
	return put_call(d);
}

/* The other side of a call that has copied. */
static __noinline int put_destination(struct td_task *t, const struct td_call_spec *spec,
				      struct draft *d)
{
	int r;

	if (!t || !spec || !d)
		return 0;
	d->op = spec->to_op;
	d->fd = argument(t, spec->to);
	d->file = t->to_file_id;
	d->dur_ns = 0;
	d->offset = t->to_offset;
	d->cold_pages = 0;
	d->flags = TD_WIRE_CALL_OUT | TD_WIRE_CALL_HAS_ASKED;
	if (t->to_has_offset)
		d->flags |= TD_WIRE_CALL_HAS_OFFSET;
	r = put_draft(d);
	count_event(spec->file_set, r == 0);
	return 0;
}

/* What the program is told: the kernel has errors for itself, of calls that a signal interrupts and that are perhaps
 * begun anew (include/linux/errno.h). */
static __always_inline int64_t visible_result(int64_t ret)
{
	switch (ret) {
	case -ERESTARTSYS:
	case -ERESTARTNOINTR:
	case -ERESTARTNOHAND:
	case -ERESTART_RESTARTBLOCK:
		return -EINTR;
	case -ENOIOCTLCMD:
		return -ENOTTY;
	default:
		return ret;
	}
}

/* -ENOENT: it is about the directory descriptor. */
static __always_inline int put_path(struct td_task *t, const struct td_call_spec *spec,
				    struct draft *d)
{
	int r = put_text(t, spec, d);

	if (r == -ENOENT) {
		d->fd = argument(t, spec->dir);
		d->file = note_file(t, d->fd);
	}
	return r;
}

/* What programs map by themselves: the largest file of the C library, which has all languages. */
static __always_inline bool is_locale(const struct file *file)
{
	const union {
		char text[16];
		uint64_t words[2];
	} locale = { "locale-archive" };
	union {
		char text[16];
		uint64_t words[2];
	} name = {};

	bpf_probe_read_kernel_str(name.text, sizeof(name.text),
				  BPF_CORE_READ(file, f_path.dentry, d_name.name));
	return name.words[0] == locale.words[0] && name.words[1] == locale.words[1];
}

/* Counts files that were mapped to be read or written, which no call tells of: neither memory that
 * has the form of a file, nor programs and libraries, which the loader maps so. */
static __noinline int note_mapping(const struct td_task *t)
{
	const struct file *file;
	const struct inode *inode;
	uint64_t magic;

	if (!t || t->args[2] < MAPPED_MIN || t->args[3] & PROT_EXEC || t->args[4] & MAP_DENYWRITE)
		return 0;
	file = (const struct file *)t->file;
	inode = BPF_CORE_READ(file, f_inode);
	magic = BPF_CORE_READ(inode, i_sb, s_magic);
	if ((BPF_CORE_READ(inode, i_mode) & S_IFMT) != S_IFREG || magic == TMPFS_MAGIC ||
	    magic == HUGETLBFS_MAGIC || is_locale(file))
		return 0;
	__sync_fetch_and_add(&mapped_files, 1);
	__sync_fetch_and_add(&mapped_bytes, t->args[2]);
	return 0;
}

static __always_inline void call_ends(struct td_task *t, int64_t ret)
{
	uint64_t now = bpf_ktime_get_boot_ns();
	const struct td_call_spec *spec = spec_of(t->nr);
	uint64_t ids = bpf_get_current_pid_tgid();
	struct draft d = { .start_ns = t->start_ns,
			   .dur_ns = now - t->start_ns,
			   .ret = visible_result(ret),
			   .cold_pages = t->cold_pages,
			   .pid = ids >> 32,
			   .tid = ids,
			   .file = t->file_id,
			   .fd = spec->fd ? argument(t, spec->fd) : NO_FD,
			   .op = spec->op,
			   .flags = call_flags };
	int r = -ENOENT;

	add_bytes(t, spec, &d, true);
	if (spec->flags & TD_SPEC_MAP && t->file && ret > 0)
		note_mapping(t);
	if (spec->flags & TD_SPEC_NAMES && (ret >= 0 || ret == -EINPROGRESS))
		__sync_fetch_and_add(&names_epoch, 1);
	if (spec->peer_is)
		r = add_peer(t, spec, &d);
	else if (!add_result(t, spec, &d) && spec->path)
		r = put_path(t, spec, &d);
	if (r == -ENOENT)
		r = put_draft(&d);
	count_event(spec->flags & TD_SPEC_MAP && !t->file ? spec->set : spec->file_set, r == 0);
	if (spec->to && ret >= 0)
		put_destination(t, spec, &d);
	if (spec->flags & TD_SPEC_SUBMITS)
		td_aio_taken(argument(t, 3), argument(t, 2), ret);
	if (spec->flags & TD_SPEC_REAPS)
		td_aio_reaped(argument(t, 4), ret);
	t->start_ns = 0;
}

static __always_inline struct td_task *current_in_call(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct td_task *t = bpf_task_storage_get(&tasks, task, NULL, 0);

	return t && t->start_ns && recording ? t : NULL;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(exit_btf, struct pt_regs *regs, long ret)
{
	struct td_task *t = current_in_call();

	if (t)
		call_ends(t, ret);
	return 0;
}

SEC("tracepoint/raw_syscalls/sys_exit")
int exit_tracepoint(struct trace_event_raw_sys_exit *ctx)
{
	struct td_task *t = current_in_call();

	if (t)
		call_ends(t, ctx->ret);
	return 0;
}

int td_call_unfinished(struct td_task *t, uint32_t pid, uint32_t tid)
{
	const struct td_call_spec *spec;
	struct draft d = { .pid = pid, .tid = tid, .flags = TD_WIRE_CALL_NO_RETURN | call_flags };
	int r;

	if (!t || !t->start_ns)
		return 0;
	spec = spec_of(t->nr);
	d.op = spec->op;
	d.file = t->file_id;
	d.fd = spec->fd ? argument(t, spec->fd) : NO_FD;
	d.start_ns = t->start_ns;
	d.dur_ns = bpf_ktime_get_boot_ns() - t->start_ns;
	d.cold_pages = t->cold_pages;
	add_bytes(t, spec, &d, false);
	r = put_draft(&d);
	count_event(spec->flags & TD_SPEC_MAP && !t->file ? spec->set : spec->file_set, r == 0);
	t->start_ns = 0;
	return 0;
}
