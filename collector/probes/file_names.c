/* SPDX-License-Identifier: MIT */
#include <arpa/inet.h>
#include <linux/magic.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "collector/probes/file_names.h"
#include "schema/kinds.h"

#define NAME_BYTES (sizeof(((union td_file_record *)0)->bytes) - sizeof(struct td_wire_file) - 8)

/* File systems that tell of themselves more than a file's mode does. */
static const struct {
	uint32_t magic;
	enum td_class class;
	const char *prefix; /* of 'PREFIX[inode]' or, where there is a name, 'PREFIXname' */
} filesystems[] = {
	{ PIPEFS_MAGIC, TD_CLASS_PIPE, "pipe:" },
	{ ANON_INODE_FS_MAGIC, TD_CLASS_ANON_INODE, "anon_inode:" },
	{ NSFS_MAGIC, TD_CLASS_ANON_INODE, "ns:" },
	{ PROC_SUPER_MAGIC, TD_CLASS_PROC_SYS, "proc:" },
	{ SYSFS_MAGIC, TD_CLASS_PROC_SYS, "sysfs:" },
	{ DEBUGFS_MAGIC, TD_CLASS_PROC_SYS, "debugfs:" },
	{ TRACEFS_MAGIC, TD_CLASS_PROC_SYS, "tracefs:" },
	{ SECURITYFS_MAGIC, TD_CLASS_PROC_SYS, "securityfs:" },
	{ CGROUP_SUPER_MAGIC, TD_CLASS_PROC_SYS, "cgroup:" },
	{ CGROUP2_SUPER_MAGIC, TD_CLASS_PROC_SYS, "cgroup2:" },
};

static const struct {
	uint16_t family, type;
	const char *name;
} protocols[] = {
	{ AF_INET, SOCK_STREAM, "tcp" },       { AF_INET6, SOCK_STREAM, "tcp" },
	{ AF_INET, SOCK_DGRAM, "udp" },        { AF_INET6, SOCK_DGRAM, "udp" },
	{ AF_INET, SOCK_RAW, "raw" },          { AF_INET6, SOCK_RAW, "raw" },
	{ AF_UNIX, SOCK_STREAM, "unix" },      { AF_UNIX, SOCK_DGRAM, "unix" },
	{ AF_UNIX, SOCK_SEQPACKET, "unix" },   { AF_NETLINK, SOCK_RAW, "netlink" },
	{ AF_NETLINK, SOCK_DGRAM, "netlink" }, { AF_PACKET, SOCK_RAW, "packet" },
	{ AF_PACKET, SOCK_DGRAM, "packet" },   { AF_VSOCK, SOCK_STREAM, "vsock" },
};

static int print_address(char *to, size_t size, uint16_t family, const uint8_t *address,
			 uint16_t port)
{
	char text[INET6_ADDRSTRLEN] = "?";

	inet_ntop(family, address, text, sizeof(text));
	return snprintf(to, size, family == AF_INET6 ? "[%s]:%u" : "%s:%u", text, port);
}

static int print_socket(const struct td_raw_file *f, char *to, size_t size)
{
	const char *protocol = "socket";
	int n;

	for (size_t i = 0; i < TD_ARRAY_SIZE(protocols); i++)
		if (protocols[i].family == f->family && protocols[i].type == f->type)
			protocol = protocols[i].name;
	if (f->local_port || f->remote_port) {
		n = snprintf(to, size, "%s:", protocol);
		n += print_address(to + n, size - (size_t)n, f->family, f->local, f->local_port);
		if (!f->remote_port)
			return n;
		n += snprintf(to + n, size - (size_t)n, "->");
		return n + print_address(to + n, size - (size_t)n, f->family, f->remote,
					 f->remote_port);
	}
	if (!f->path_len)
		return snprintf(to, size, "%s:[%llu]", protocol, (unsigned long long)f->inode);
	/* names that are in no file system begin with a NUL, which tools show as '@' */
	return snprintf(to, size, "%s:%s%s%.*s", protocol, f->name_of_peer ? "->" : "",
			f->path[0] ? "" : "@", f->path_len - !f->path[0], f->path + !f->path[0]);
}

static bool begins(const struct td_raw_file *f, const char *prefix)
{
	size_t len = strlen(prefix);

	return f->path_len >= len && memcmp(f->path, prefix, len) == 0;
}

static enum td_class class_by_mode(const struct td_raw_file *f)
{
	switch (f->mode & S_IFMT) {
	case S_IFDIR:
		return TD_CLASS_DIRECTORY;
	case S_IFCHR:
	case S_IFBLK:
		return TD_CLASS_DEVICE;
	case S_IFIFO:
		return TD_CLASS_PIPE;
	case S_IFSOCK:
		return TD_CLASS_SOCKET;
	}
	if (begins(f, "memfd:"))
		return TD_CLASS_MEMFD;
	/* shmget() makes files of that name in a mount of the kernel's own */
	if (begins(f, "/dev/shm/") || begins(f, "SYSV"))
		return TD_CLASS_SHM;
	return TD_CLASS_REGULAR;
}

static const char *prefix_and_class(const struct td_raw_file *f, enum td_class *ret)
{
	*ret = class_by_mode(f);
	for (size_t i = 0; i < TD_ARRAY_SIZE(filesystems); i++)
		if (filesystems[i].magic == f->magic) {
			*ret = filesystems[i].class;
			return filesystems[i].prefix;
		}
	return "";
}

static int print_file(const struct td_raw_file *f, const char *prefix, char *to, size_t size)
{
	if (!f->path_len)
		return snprintf(to, size, "%s[%llu]", prefix, (unsigned long long)f->inode);
	/* in no directory: "[eventfd]", "inotify" */
	return snprintf(to, size, "%s%.*s", f->path[0] == '/' ? "" : prefix, f->path_len, f->path);
}

static int print_root(const struct td_raw_file *f, char *to, size_t size)
{
	int n = f->mnt_namespace ? snprintf(to, size, "mnt:[%u]", f->mnt_namespace) : 0;

	/* the '/' of another mount namespace has its number for a name */
	if (n && f->path_len <= 1)
		return n;
	return n + snprintf(to + n, size - (size_t)n, "%.*s", f->path_len, f->path);
}

void td_file_record(const struct td_raw_file *raw, union td_file_record *ret)
{
	struct td_wire_file *f = &ret->file;
	char *path = ret->bytes + offsetof(struct td_wire_file, path);
	enum td_class class = TD_CLASS_SOCKET;
	const char *prefix;
	int n;

	if (raw->head.flags & TD_WIRE_FILE_ROOT) {
		n = print_root(raw, path, NAME_BYTES);
		class = TD_CLASS_DIRECTORY;
	} else if (raw->family) {
		n = print_socket(raw, path, NAME_BYTES);
	} else {
		prefix = prefix_and_class(raw, &class);
		n = print_file(raw, prefix, path, NAME_BYTES);
	}
	if (class == TD_CLASS_ANON_INODE && begins(raw, "[eventfd"))
		class = TD_CLASS_EVENTFD;
	n = TD_MAX(TD_MIN(n, (int)NAME_BYTES - 1), 0);
	memset(path + n, 0, 8);
	*f = (struct td_wire_file){
		.head = { .size = (uint16_t)((sizeof(*f) + (size_t)n + 7) & ~(size_t)7),
			  .kind = TD_WIRE_FILE,
			  .flags = raw->head.flags },
		.file = raw->file,
		.device = raw->device,
		.inode = raw->inode,
		.mode = raw->mode,
		.class = (uint8_t) class,
		.path_len = (uint16_t)n,
		.root = (uint16_t)raw->root,
	};
}
