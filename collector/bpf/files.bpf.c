/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Files by number: whatever a call is about, it is described once, on the ring for critical records, and from
 * then on referred to by its id. Who it is: device, inode and generation, the mount that it was reached by and the root
 * that its path begins at; it gets another id when a name of its path or its address is another one than before.
 *
 * The path is the one that the process sees. Where its root is not that of the mount namespace of the recorder, it is
 * described as a file is, before what lies below it.
 */
#include "collector/bpf/state.h"

#define S_IFMT 0170000
#define S_IFSOCK 0140000
#define S_IFREG 0100000
#define S_IFBLK 0060000
#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 10
/* include/uapi/linux/magic.h has the first one; net/socket.c takes it from there */
#define SOCKFS_MAGIC 0x534F434B
#define ANON_INODE_FS_MAGIC 0x09041934
#define ROOTS_MAX 65535 /* a record of a file has 16 bits for the number of its root */
#define PATH_PARTS (TD_TEXT_MAX / 2) /* a path has no more: each takes a slash and a letter */

struct file_value {
	uint64_t mark; /* changes with the name */
	uint32_t id;
	uint32_t pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1 << 17);
	__type(key, struct td_file_key);
	__type(value, struct file_value);
} files SEC(".maps");

uint32_t last_file = 0, last_root = 0;

struct walk {
	uint64_t mount, dentry;
	uint32_t at; /* in scratch.path: the path so far begins here */
	uint32_t room;
	uint32_t flags; /* of TD_WIRE_FILE */
};

static bool add_name(struct walk *w, const struct dentry *dentry, bool slash)
{
	uint32_t len = BPF_CORE_READ(dentry, d_name.len);
	const unsigned char *name = BPF_CORE_READ(dentry, d_name.name);
	struct td_scratch *s = scratch_at(w->room);

	if (!s || len > 255 || w->at > TD_TEXT_MAX || w->at <= len) {
		w->flags |= TD_WIRE_FILE_CUT;
		return false;
	}
	w->at -= len;
	bpf_probe_read_kernel(&s->path[w->at & (TD_TEXT_MAX - 1)], len & 255, name);
	if (slash) {
		w->at--;
		s->path[w->at & (TD_TEXT_MAX - 1)] = '/';
	}
	return true;
}

static __always_inline uint64_t mount_of(uint64_t mnt)
{
	return mnt - bpf_core_field_offset(struct mount, mnt);
}

/* At the root of the process? */
static __always_inline bool is_at_root(const struct walk *w)
{
	struct td_scratch *s = scratch_at(w->room);

	return s && w->dentry == s->place.root_dentry && w->mount == mount_of(s->place.root_mnt);
}

/* One step from the file towards the root, for bpf_loop(). */
static long step_up(uint32_t i, struct walk *w)
{
	struct mount *mount = (struct mount *)w->mount;
	struct dentry *dentry = (struct dentry *)w->dentry;
	struct dentry *parent = BPF_CORE_READ(dentry, d_parent);

	if (is_at_root(w))
		return 1;
	if (dentry == BPF_CORE_READ(mount, mnt.mnt_root)) {
		struct mount *above = BPF_CORE_READ(mount, mnt_parent);

		if (!above || above == mount)
			return 1;
		w->dentry = (uint64_t)BPF_CORE_READ(mount, mnt_mountpoint);
		w->mount = (uint64_t)above;
		return 0;
	}
	if (!parent || parent == dentry) {
		/* in no directory: memfd:NAME, [eventfd] */
		add_name(w, dentry, false);
		return 1;
	}
	if (!add_name(w, dentry, true))
		return 1;
	w->dentry = (uint64_t)parent;
	return 0;
}

static bool is_socket(const struct td_place *p)
{
	return (p->mode & S_IFMT) == S_IFSOCK && p->magic == SOCKFS_MAGIC;
}

struct marks {
	uint64_t mount, dentry;
	uint64_t mark;
};

/* One name of the path, for bpf_loop(): cheaper than step_up(), as it is done for every file that is opened. */
static long mark_up(uint32_t i, struct marks *m)
{
	struct dentry *dentry = (struct dentry *)m->dentry;
	struct dentry *parent = BPF_CORE_READ(dentry, d_parent);
	struct mount *mount = (struct mount *)m->mount, *above;

	m->mark = (m->mark ^ BPF_CORE_READ(dentry, d_name.hash_len)) * 0x9e3779b97f4a7c15;
	m->mark ^= (uint64_t)parent ^ m->mark >> 29;
	m->dentry = (uint64_t)parent;
	if (parent && parent != dentry)
		return 0;
	above = BPF_CORE_READ(mount, mnt_parent);
	if (!above || above == mount)
		return 1;
	m->dentry = (uint64_t)BPF_CORE_READ(mount, mnt_mountpoint);
	m->mount = (uint64_t)above;
	return 0;
}

/* Of all names from the file up to the root, each of which may change. */
static uint64_t mark_of_path(const struct td_place *p)
{
	struct dentry *dentry = (struct dentry *)p->dentry;
	struct marks m = { .dentry = p->dentry };

	m.mount = mount_of(p->mnt);
	bpf_loop(PATH_PARTS, mark_up, &m, 0);
	return m.mark ^ (uint64_t)!BPF_CORE_READ(dentry, d_hash.pprev) << 63;
}

/* Another value when the file or a directory above it has another name, it was removed or is connected elsewhere. */
static uint64_t mark_of(const struct td_place *p)
{
	struct sock *sk = (struct sock *)p->sock;
	struct unix_sock *unix_sk = (struct unix_sock *)p->sock;
	uint64_t mark;

	if (!sk)
		return mark_of_path(p);
	switch (BPF_CORE_READ(sk, __sk_common.skc_family)) {
	case AF_INET:
	case AF_INET6:
		mark = (uint64_t)BPF_CORE_READ(sk, __sk_common.skc_daddr) << 32;
		mark ^= BPF_CORE_READ(sk, __sk_common.skc_rcv_saddr);
		mark ^= (uint64_t)BPF_CORE_READ(sk, __sk_common.skc_dport) << 48;
		return mark ^ (uint64_t)BPF_CORE_READ(sk, __sk_common.skc_num) << 16;
	case AF_UNIX:
		mark = (uint64_t)BPF_CORE_READ(unix_sk, addr);
		return mark ^ (uint64_t)BPF_CORE_READ(unix_sk, peer) << 1;
	}
	return 1;
}

static void read_unix_name(struct td_raw_file *f, struct unix_sock *sk)
{
	struct unix_address *addr = BPF_CORE_READ(sk, addr);
	int len;

	if (!addr) {
		/* a client has no name as a rule, but whom it talks to has */
		sk = (struct unix_sock *)BPF_CORE_READ(sk, peer);
		addr = sk ? BPF_CORE_READ(sk, addr) : NULL;
		f->name_of_peer = 1;
	}
	if (!addr)
		return;
	len = BPF_CORE_READ(addr, len) - (int)sizeof(uint16_t);
	if (len <= 0 || len > 108)
		return;
	bpf_probe_read_kernel(f->path, len & 127, &addr->name[0].sun_path);
	f->path_len = len;
}

static void read_socket(struct td_raw_file *f, const struct td_place *p)
{
	struct sock *sk = (struct sock *)p->sock;

	f->family = BPF_CORE_READ(sk, __sk_common.skc_family);
	f->type = p->type;
	f->protocol = BPF_CORE_READ(sk, sk_protocol);
	if (f->family == AF_INET || f->family == AF_INET6) {
		f->local_port = BPF_CORE_READ(sk, __sk_common.skc_num);
		f->remote_port = bpf_ntohs(BPF_CORE_READ(sk, __sk_common.skc_dport));
	}
	if (f->family == AF_INET) {
		BPF_CORE_READ_INTO(&f->local, sk, __sk_common.skc_rcv_saddr);
		BPF_CORE_READ_INTO(&f->remote, sk, __sk_common.skc_daddr);
	} else if (f->family == AF_INET6) {
		BPF_CORE_READ_INTO(&f->local, sk, __sk_common.skc_v6_rcv_saddr);
		BPF_CORE_READ_INTO(&f->remote, sk, __sk_common.skc_v6_daddr);
	} else if (f->family == AF_UNIX) {
		read_unix_name(f, (struct unix_sock *)sk);
	}
}

static void read_path(struct td_raw_file *f, struct td_scratch *s, const struct td_place *p)
{
	struct walk w = { .dentry = p->dentry, .at = TD_TEXT_MAX, .room = p->room };
	struct dentry *dentry = (struct dentry *)p->dentry;
	uint32_t len;

	w.mount = mount_of(p->mnt);
	bpf_loop(PATH_PARTS, step_up, &w, 0);
	if (p->is_root)
		f->mnt_namespace = p->mnt_namespace;
	else if (is_at_root(&w))
		f->root = p->root;
	if (w.at == TD_TEXT_MAX && !w.flags && (f->root || p->dentry != w.dentry)) {
		w.at--;
		s->path[TD_TEXT_MAX - 1] = '/';
	}
	len = (TD_TEXT_MAX - w.at) & (TD_TEXT_MAX - 1);
	bpf_probe_read_kernel(f->path, len, &s->path[w.at & (TD_TEXT_MAX - 1)]);
	f->path_len = len;
	f->head.flags = w.flags | (p->is_root ? TD_WIRE_FILE_ROOT : 0);
	if (!p->is_root && !BPF_CORE_READ(dentry, d_hash.pprev) && len && f->path[0] == '/')
		f->head.flags |= TD_WIRE_FILE_DELETED;
}

static int describe(const struct td_place *p, const struct td_file_key *key, uint32_t id)
{
	struct td_scratch *s = scratch_at(p->room);
	struct inode *inode = (struct inode *)p->inode;
	struct td_raw_file *f;
	uint32_t len;

	if (!s)
		return -ENOENT;
	f = (struct td_raw_file *)s->record;
	__builtin_memset(f, 0, sizeof(*f));
	f->head.kind = TD_WIRE_FILE;
	f->file = id;
	f->device = key->device;
	f->inode = key->number;
	f->magic = p->magic;
	f->mode = p->mode;
	f->rdev = BPF_CORE_READ(inode, i_rdev);
	if (p->sock)
		read_socket(f, p);
	else
		read_path(f, s, p);
	len = f->path_len & (TD_TEXT_MAX - 1);
	__builtin_memset(f->path + len, 0, 8);
	len = (sizeof(*f) + len + 7) & ~7;
	f->head.size = len;
	return put_critical(TD_COUNT_FILE, f, len);
}

static uint32_t look_up(struct td_place *p, struct td_file_key *key)
{
	struct inode *inode = (struct inode *)p->inode;
	struct super_block *sb = BPF_CORE_READ(inode, i_sb);
	struct file_value *known, value = {};

	key->number = BPF_CORE_READ(inode, i_ino);
	key->generation = BPF_CORE_READ(inode, i_generation);
	key->device = BPF_CORE_READ(sb, s_dev);
	key->mnt = p->mnt;
	key->root = p->is_root ? 1 : p->root_dentry;
	value.mark = mark_of(p);
	known = bpf_map_lookup_elem(&files, key);
	if (known && known->mark == value.mark)
		return known->id;
	/* Another name is another id: calls that were made under the old name may still be in a ring. */
	value.id = __sync_fetch_and_add(p->is_root ? &last_root : &last_file, 1) + 1;
	/* Described before it is in the map: another CPU that finds the id there may use it. Two that see a
	 * new file at the same time describe it both, each under an id of its own. */
	if (describe(p, key, value.id))
		return 0;
	bpf_map_update_elem(&files, key, &value, BPF_ANY);
	return value.id;
}

static __always_inline struct td_file_key *new_key(struct td_scratch *s)
{
	__builtin_memset(&s->key, 0, sizeof(s->key));
	return &s->key;
}

/* Below that root; NULL: the usual one. */
static __always_inline struct td_place *new_place(struct td_scratch *s, uint32_t room,
						  const struct td_root *root)
{
	__builtin_memset(&s->place, 0, sizeof(s->place));
	s->place.room = room;
	if (root && root->id) {
		s->place.root_mnt = root->mnt;
		s->place.root_dentry = root->dentry;
		s->place.root = root->id;
	}
	return &s->place;
}

static int look_up_file(struct td_seen *seen, const struct td_root *root, uint32_t room)
{
	struct td_scratch *s = scratch_at(room);
	struct td_file_key *key;
	struct td_place *p;
	struct socket *socket;
	struct inode *inode;
	struct file *file;

	if (!s)
		return 0;
	key = new_key(s);
	p = new_place(s, room, root);
	file = (struct file *)seen->file;
	p->mnt = (uint64_t)BPF_CORE_READ(file, f_path.mnt);
	p->dentry = (uint64_t)BPF_CORE_READ(file, f_path.dentry);
	inode = (struct inode *)seen->inode;
	p->inode = seen->inode;
	p->mode = BPF_CORE_READ(inode, i_mode);
	p->magic = BPF_CORE_READ(inode, i_sb, s_magic);
	if (p->magic == ANON_INODE_FS_MAGIC)
		key->f_op = (uint64_t)BPF_CORE_READ(file, f_op);
	if (is_socket(p)) {
		socket = BPF_CORE_READ(file, private_data);
		p->type = BPF_CORE_READ(socket, type);
		p->sock = (uint64_t)BPF_CORE_READ(socket, sk);
	}
	seen->names = names_epoch;
	seen->f_op = key->f_op;
	seen->seekable = (p->mode & S_IFMT) == S_IFREG || (p->mode & S_IFMT) == S_IFBLK;
	seen->id = look_up(p, key);
	return seen->id;
}

int td_file_look_up(struct td_seen *seen, const struct td_task *t)
{
	uint32_t room;
	int id;

	if (!seen || !t || (room = td_take_scratch()) == TD_NO_SCRATCH)
		return 0;
	id = look_up_file(seen, &t->root, room);
	give_scratch(room);
	return id;
}

static __always_inline void set_directory(struct td_place *p, uint64_t mnt, uint64_t at)
{
	struct dentry *dentry = (struct dentry *)at;
	struct inode *inode = BPF_CORE_READ(dentry, d_inode);

	p->mnt = mnt;
	p->dentry = at;
	p->inode = (uint64_t)inode;
	p->mode = BPF_CORE_READ(inode, i_mode);
	p->magic = BPF_CORE_READ(inode, i_sb, s_magic);
}

static int look_up_directory(const struct td_root *root, uint64_t at, uint32_t room)
{
	struct td_scratch *s = scratch_at(room);
	struct fs_struct *fs = (struct fs_struct *)at;
	struct td_place *p;

	if (!s)
		return 0;
	p = new_place(s, room, root);
	set_directory(p, (uint64_t)BPF_CORE_READ(fs, pwd.mnt),
		      (uint64_t)BPF_CORE_READ(fs, pwd.dentry));
	return look_up(p, new_key(s));
}

int td_directory_id(const struct td_task *t, uint64_t fs)
{
	uint32_t room;
	int id;

	if (!t || !fs || (room = td_take_scratch()) == TD_NO_SCRATCH)
		return 0;
	id = look_up_directory(&t->root, fs, room);
	give_scratch(room);
	return id;
}

/* --- roots --- */

/* The way from a root to the '/' of its mount namespace. */
struct way {
	uint64_t mount, dentry;
	uint64_t top; /* the directory that '/' is, if the root is below it; else 0 */
};

static long way_up(uint32_t i, struct way *w)
{
	struct mount *mount = (struct mount *)w->mount, *above;
	struct dentry *dentry = (struct dentry *)w->dentry, *parent;
	struct dentry *top = BPF_CORE_READ(mount, mnt.mnt_root);

	if (dentry != top) {
		parent = BPF_CORE_READ(dentry, d_parent);
		if (!parent || parent == dentry)
			return 1;
		/* that of the last mount in which a name is: others may lie below it, as the initial RAM disk does */
		w->top = (uint64_t)top;
		w->dentry = (uint64_t)parent;
		return 0;
	}
	above = BPF_CORE_READ(mount, mnt_parent);
	if (!above || above == mount)
		return 1;
	w->dentry = (uint64_t)BPF_CORE_READ(mount, mnt_mountpoint);
	w->mount = (uint64_t)above;
	return 0;
}

uint64_t td_root_above(uint64_t mnt, uint64_t dentry)
{
	struct way w = { .mount = mount_of(mnt), .dentry = dentry };

	bpf_loop(PATH_PARTS, way_up, &w, 0);
	return w.top;
}

static int look_up_root(const struct td_root *root, uint32_t mnt_namespace, uint32_t room)
{
	struct td_scratch *s = scratch_at(room);
	struct td_place *p;

	if (!s)
		return 0;
	p = new_place(s, room, NULL);
	set_directory(p, root->mnt, root->dentry);
	p->is_root = 1;
	p->mnt_namespace = mnt_namespace;
	return look_up(p, new_key(s));
}

/* Its number; 0: the directory that '/' is for the recorder, or would be if its own root had not been changed. */
static __noinline int root_number(const struct td_root *root, uint64_t nsproxy)
{
	uint64_t top = td_root_above(root->mnt, root->dentry);
	uint32_t mnt_namespace = 0, room;
	int number;

	if (!top && root->dentry == recorder.root)
		return 0;
	if ((top ? top : root->dentry) != recorder.root)
		mnt_namespace = BPF_CORE_READ((struct nsproxy *)nsproxy, mnt_ns, ns.inum);
	room = td_take_scratch();
	if (room == TD_NO_SCRATCH)
		return 0;
	number = look_up_root(root, mnt_namespace, room);
	give_scratch(room);
	return number <= ROOTS_MAX ? number : 0;
}

int td_root_look_up(struct td_task *t, uint64_t fs_of_task, uint64_t nsproxy)
{
	struct fs_struct *fs = (struct fs_struct *)fs_of_task;
	uint64_t mnt = (uint64_t)BPF_CORE_READ(fs, root.mnt);
	uint64_t dentry = (uint64_t)BPF_CORE_READ(fs, root.dentry);

	if (!t || !dentry) /* it ends */
		return 0;
	t->root.mnt = mnt;
	t->root.dentry = dentry;
	t->root.names = names_epoch;
	t->root.id = root_number(&t->root, nsproxy);
	return t->root.id;
}
