/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The paths that requests of io_uring name. The kernel has copied them from the program before it
 * tells of the submission, and may have given them back before it tells of the completion: from one
 * to the other they are kept here, in the record that the completion makes whole.
 */
#include <linux/io_uring.h>

#include "collector/bpf/call.h"

/* Each kept in a map of its own: nearly all paths are short, and there can be many requests. */
#define SHORT_BYTES 256
#define SHORT_REQUESTS (1 << 13)
#define LONG_BYTES (2 * TD_TEXT_MAX + 8)
#define LONG_REQUESTS 256

struct short_names {
	char record[sizeof(struct td_wire_call_text) + SHORT_BYTES];
};

struct long_names {
	char record[sizeof(struct td_wire_call_text) + LONG_BYTES];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SHORT_REQUESTS);
	__type(key, struct td_request_key);
	__type(value, struct short_names);
} uring_short SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, LONG_REQUESTS);
	__type(key, struct td_request_key);
	__type(value, struct long_names);
} uring_long SEC(".maps");

/* What a request names: paths as the kernel keeps them, and the directories that they start from. */
struct named {
	const struct filename *path, *path2;
	int32_t dir, dir2;
	bool is_target; /* path2 is a text and not relative to anything */
};

/* In a kernel that keeps them in another way they are not known. */
#define READ_NAME(n, req, type)                                                                    \
	({                                                                                         \
		const struct type *of_request = (const struct type *)(req);                        \
                                                                                                   \
		if (bpf_core_field_exists(of_request->filename)) {                                 \
			(n)->path = BPF_CORE_READ(of_request, filename);                           \
			(n)->dir = BPF_CORE_READ(of_request, dfd);                                 \
		}                                                                                  \
	})
#define READ_NAMES(n, req, type)                                                                   \
	({                                                                                         \
		const struct type *of_request = (const struct type *)(req);                        \
                                                                                                   \
		if (bpf_core_field_exists(of_request->oldpath)) {                                  \
			(n)->path = BPF_CORE_READ(of_request, oldpath);                            \
			(n)->path2 = BPF_CORE_READ(of_request, newpath);                           \
			(n)->dir = BPF_CORE_READ(of_request, old_dfd);                             \
			(n)->dir2 = BPF_CORE_READ(of_request, new_dfd);                            \
		}                                                                                  \
	})

/* As a call has them: the link first, then what it leads to. */
static __always_inline void name_symlink(struct named *n)
{
	const struct filename *target = n->path;

	n->path = n->path2;
	n->path2 = target;
	n->dir = n->dir2;
	n->is_target = true;
}

static __always_inline void read_names(struct named *n, const struct io_kiocb *req, uint32_t opcode)
{
	const struct io_xattr *xattr = (const struct io_xattr *)req;

	switch (opcode) {
	case IORING_OP_OPENAT:
	case IORING_OP_OPENAT2:
		READ_NAME(n, req, io_open);
		break;
	case IORING_OP_STATX:
		READ_NAME(n, req, io_statx);
		break;
	case IORING_OP_UNLINKAT:
		READ_NAME(n, req, io_unlink);
		break;
	case IORING_OP_MKDIRAT:
		READ_NAME(n, req, io_mkdir);
		break;
	case IORING_OP_RENAMEAT:
		READ_NAMES(n, req, io_rename);
		break;
	case IORING_OP_LINKAT:
		READ_NAMES(n, req, io_link);
		break;
	case IORING_OP_SYMLINKAT:
		READ_NAMES(n, req, io_link);
		name_symlink(n);
		break;
	case IORING_OP_SETXATTR:
	case IORING_OP_GETXATTR:
		if (bpf_core_field_exists(xattr->filename))
			n->path = BPF_CORE_READ(xattr, filename);
		break;
	default:
		break;
	}
}

/* Into the record at to, which has room for TD_TEXT_MAX; its length. */
static __always_inline uint32_t read_name(char *to, const struct filename *name)
{
	const char *text = name ? BPF_CORE_READ(name, name) : NULL;
	long n = bpf_probe_read_kernel_str(to, TD_TEXT_MAX, text);

	return n > 0 ? (n - 1) & (TD_TEXT_MAX - 1) : 0;
}

/* What the request s is about, of which there is no path. */
static __always_inline void note_directory(struct td_task *t, const struct named *n,
					   struct td_request *s)
{
	if (!n->path || n->dir < 0)
		return;
	s->fd = n->dir;
	s->file = td_start_of_path(t, false, n->dir);
}

static __noinline int keep_in(struct td_task *t, const struct named *n, struct td_request *s,
			      uint32_t room)
{
	struct td_request_key key = { .request = s->io_kiocb };
	struct td_scratch *scratch = scratch_at(room);
	struct td_wire_call_text *c;
	uint32_t len, len2 = 0;
	char *text2;

	if (!scratch)
		return -ENOSPC;
	c = (struct td_wire_call_text *)scratch->record;
	len = read_name(c->text, n->path);
	if (!len) {
		note_directory(t, n, s);
		return 0;
	}
	s->file = td_start_of_path(t, c->text[0] == '/', n->dir);
	c->file2 = 0;
	text2 = c->text + len;
	if (n->path2)
		len2 = read_name(text2, n->path2);
	if (len2 && !n->is_target)
		c->file2 = td_start_of_path(t, text2[0] == '/', n->dir2);
	__builtin_memset(c->text + len + len2, 0, 8);
	c->text_len = len;
	c->text2_len = len2;
	if (len + len2 + 8 <= SHORT_BYTES) {
		if (!bpf_map_update_elem(&uring_short, &key, c, BPF_ANY))
			s->names = TD_NAMES_SHORT;
	} else if (!bpf_map_update_elem(&uring_long, &key, c, BPF_ANY)) {
		s->names = TD_NAMES_LONG;
	}
	return 0;
}

int td_uring_keep_names(struct td_task *t, struct td_request *s)
{
	const struct io_kiocb *req;
	struct named n = { .dir = AT_FDCWD, .dir2 = AT_FDCWD };
	uint32_t room;

	if (!t || !s || (room = td_take_scratch()) == TD_NO_SCRATCH)
		return 0;
	req = (const struct io_kiocb *)s->io_kiocb;
	read_names(&n, req, BPF_CORE_READ(req, opcode));
	keep_in(t, &n, s, room);
	give_scratch(room);
	return 0;
}

/* The record that was kept, of which c->text has room bytes, with the rest of what is known now. */
static __always_inline int put_kept(struct td_wire_call_text *c, uint32_t room,
				    const struct draft *d)
{
	void *ring = ring_here();
	uint32_t size;

	if (!c || !ring)
		return -ENOSPC;
	size = c->text_len + c->text2_len;
	if (size > room)
		return -ENOSPC;
	size = (sizeof(*c) + size + 7) & ~7;
	c->asked_bytes = 0;
	c->offset_bytes = 0;
	fill_call(&c->call, d, TD_WIRE_CALL_TEXT, size);
	return output(ring, c, size, ring_step);
}

int td_uring_put_names(const struct td_request *s, const struct draft *d)
{
	struct td_request_key key = {};

	if (!s || !d)
		return -ENOSPC;
	key.request = s->io_kiocb;
	if (s->names == TD_NAMES_SHORT)
		return put_kept(bpf_map_lookup_elem(&uring_short, &key), SHORT_BYTES - 8, d);
	return put_kept(bpf_map_lookup_elem(&uring_long, &key), LONG_BYTES - 8, d);
}

int td_uring_forget_names(const struct td_request *s)
{
	struct td_request_key key = {};

	if (!s)
		return 0;
	key.request = s->io_kiocb;
	if (s->names == TD_NAMES_SHORT)
		return bpf_map_delete_elem(&uring_short, &key);
	return bpf_map_delete_elem(&uring_long, &key);
}
