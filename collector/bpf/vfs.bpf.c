/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The file layer's own functions, below the system calls: what comes to files by whatever way. Each has two ways
 * to be hooked, and the same two steps in both.
 */
#include "collector/bpf/call.h"

#define NAME_BYTES 256

/* position: where the caller keeps it, or 0. */
static __always_inline int vfs_begins(uint32_t op, uint64_t file, uint64_t asked, uint64_t position)
{
	struct td_task *t = current_recorded();

	if (!t)
		return 0;
	/* what was left over when an end was missed does not outlive the system call */
	if (t->vfs.start_ns && t->vfs.start_ns >= t->start_ns) {
		t->vfs.depth++;
		return 0;
	}
	t->vfs.op = op;
	t->vfs.depth = 0;
	t->vfs.file = file;
	t->vfs.asked = asked;
	t->vfs.position = position;
	t->vfs.start_ns = bpf_ktime_get_boot_ns();
	return 0;
}

static __always_inline int put_name_in(const struct draft *d, uint64_t entry, uint32_t room)
{
	struct dentry *dentry = (struct dentry *)entry;
	struct td_scratch *s = scratch_at(room);
	const unsigned char *name = BPF_CORE_READ(dentry, d_name.name);
	struct td_wire_call_text *c;
	void *ring = ring_here();
	uint32_t size;
	long n;

	if (!s || !ring)
		return -ENOSPC;
	c = (struct td_wire_call_text *)s->record;
	n = bpf_probe_read_kernel_str(c->text, NAME_BYTES, name);
	size = n > 0 ? (n - 1) & (NAME_BYTES - 1) : 0;
	__builtin_memset(c->text + size, 0, 8);
	c->text_len = size;
	c->text2_len = 0;
	c->file2 = 0;
	c->asked_bytes = 0;
	c->offset_bytes = 0;
	size = (sizeof(*c) + size + 7) & ~7;
	fill_call(&c->call, d, TD_WIRE_CALL_TEXT, size);
	return output(ring, c, size, ring_step);
}

static __always_inline int put_name(const struct draft *d, uint64_t entry)
{
	uint32_t room = td_take_scratch();
	int r;

	if (room == TD_NO_SCRATCH)
		return -ENOSPC;
	r = put_name_in(d, entry, room);
	give_scratch(room);
	return r;
}

/* Where it read or wrote: the position is behind that now, also if the file appends. */
static __always_inline void add_offset(const struct td_task *t, struct draft *d)
{
	uint64_t position = 0;

	if (bpf_probe_read_kernel(&position, sizeof(position), (void *)t->vfs.position))
		return;
	d->offset = d->ret > 0 ? position - d->ret : position;
	d->flags |= TD_WIRE_CALL_HAS_OFFSET;
}

static __always_inline int vfs_ends(int64_t ret)
{
	struct td_task *t = current_recorded();
	struct td_seen *seen;
	struct draft d = { .fd = NO_FD, .ret = ret };
	uint64_t ids = bpf_get_current_pid_tgid();
	int r;

	if (!t || !t->vfs.start_ns)
		return 0;
	if (t->vfs.depth) {
		t->vfs.depth--;
		return 0;
	}
	d.start_ns = t->vfs.start_ns;
	d.dur_ns = bpf_ktime_get_boot_ns() - d.start_ns;
	d.pid = ids >> 32;
	d.tid = ids;
	d.op = TD_OPS_OF_SET(TD_SET_VFS) + t->vfs.op;
	if (t->vfs.op == TD_VFS_UNLINK) {
		r = put_name(&d, t->vfs.file);
	} else {
		/* its place among those seen is that of descriptor 3, as good as any */
		seen = &t->seen[TD_NSEEN - 1];
		if (t->vfs.op != TD_VFS_OPEN || ret == 0)
			d.file = file_id(seen, t, t->vfs.file);
		if (t->vfs.op != TD_VFS_OPEN) {
			d.asked = t->vfs.asked;
			d.flags = TD_WIRE_CALL_HAS_ASKED;
		}
		if (t->vfs.position && d.file && seen->seekable)
			add_offset(t, &d);
		r = put_call(&d);
	}
	count_event(TD_SET_VFS, r == 0);
	t->vfs.start_ns = 0;
	return 0;
}

/* A pointer as the number that the common code takes it for. */
static __always_inline uint64_t number(const void *pointer)
{
	uint64_t n = (uint64_t)pointer;

	barrier_var(n);
	return n;
}

SEC("fentry/vfs_read")
int BPF_PROG(read_fentry, struct file *file, char *buf, size_t count, int64_t *pos)
{
	return vfs_begins(TD_VFS_READ, number(file), count, number(pos));
}

SEC("fentry/vfs_write")
int BPF_PROG(write_fentry, struct file *file, const char *buf, size_t count, int64_t *pos)
{
	return vfs_begins(TD_VFS_WRITE, number(file), count, number(pos));
}

SEC("fentry/vfs_open")
int BPF_PROG(open_fentry, const struct path *path, struct file *file)
{
	return vfs_begins(TD_VFS_OPEN, number(file), 0, 0);
}

SEC("fentry/vfs_unlink")
int BPF_PROG(unlink_fentry, void *idmap, struct inode *dir, struct dentry *dentry)
{
	return vfs_begins(TD_VFS_UNLINK, number(dentry), 0, 0);
}

SEC("fexit/vfs_read")
int BPF_PROG(read_fexit, struct file *file, char *buf, size_t count, int64_t *pos, long ret)
{
	return vfs_ends(ret);
}

SEC("fexit/vfs_write")
int BPF_PROG(write_fexit, struct file *file, const char *buf, size_t count, int64_t *pos, long ret)
{
	return vfs_ends(ret);
}

SEC("fexit/vfs_open")
int BPF_PROG(open_fexit, const struct path *path, struct file *file, int ret)
{
	return vfs_ends(ret);
}

SEC("fexit/vfs_unlink")
int BPF_PROG(unlink_fexit, void *idmap, struct inode *dir, struct dentry *dentry, void *delegated,
	     int ret)
{
	return vfs_ends(ret);
}

SEC("kprobe/vfs_read")
int BPF_KPROBE(read_kprobe, struct file *file, char *buf, size_t count, int64_t *pos)
{
	return vfs_begins(TD_VFS_READ, (uint64_t)file, count, (uint64_t)pos);
}

SEC("kprobe/vfs_write")
int BPF_KPROBE(write_kprobe, struct file *file, const char *buf, size_t count, int64_t *pos)
{
	return vfs_begins(TD_VFS_WRITE, (uint64_t)file, count, (uint64_t)pos);
}

SEC("kprobe/vfs_open")
int BPF_KPROBE(open_kprobe, const struct path *path, struct file *file)
{
	return vfs_begins(TD_VFS_OPEN, (uint64_t)file, 0, 0);
}

SEC("kprobe/vfs_unlink")
int BPF_KPROBE(unlink_kprobe, void *idmap, struct inode *dir, struct dentry *dentry)
{
	return vfs_begins(TD_VFS_UNLINK, (uint64_t)dentry, 0, 0);
}

SEC("kretprobe/vfs_read")
int BPF_KRETPROBE(read_kretprobe, long ret)
{
	return vfs_ends(ret);
}

SEC("kretprobe/vfs_write")
int BPF_KRETPROBE(write_kretprobe, long ret)
{
	return vfs_ends(ret);
}

SEC("kretprobe/vfs_open")
int BPF_KRETPROBE(open_kretprobe, int ret)
{
	return vfs_ends(ret);
}

SEC("kretprobe/vfs_unlink")
int BPF_KRETPROBE(unlink_kretprobe, int ret)
{
	return vfs_ends(ret);
}
