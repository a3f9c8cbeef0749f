/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "collector/ops.h"
#include "collector/syscalls.h"
#include "schema/store.h"

static const char *const vfs_names[] = {
	[TD_VFS_READ] = "vfs_read",
	[TD_VFS_WRITE] = "vfs_write",
	[TD_VFS_OPEN] = "vfs_open",
	[TD_VFS_UNLINK] = "vfs_unlink",
};

/* Those that are numbered one after the other; NULL in names: none. */
static const struct {
	enum td_set set;
	enum td_layer layer;
	uint16_t first;
	const char *const *names;
	size_t n;
} groups[] = {
	{ TD_SET_VFS, TD_LAYER_VFS, TD_OPS_VFS, vfs_names, TD_ARRAY_SIZE(vfs_names) },
};

static int emit(uint16_t op, enum td_layer layer, const char *name, td_probes_sink *sink, void *arg)
{
	union {
		struct td_wire_op op;
		char bytes[sizeof(struct td_wire_op) + UINT8_MAX + 8];
	} buf = { .bytes = { 0 } };
	size_t len = strnlen(name, UINT8_MAX);

	buf.op = (struct td_wire_op){
		.head = { .size = (uint16_t)((sizeof(buf.op) + len + 7) & ~(size_t)7),
			  .kind = TD_WIRE_OP },
		.op = op,
		.layer = (uint8_t)layer,
		.name_len = (uint8_t)len,
	};
	memcpy(buf.bytes + offsetof(struct td_wire_op, name), name, len);
	return sink(arg, &buf, buf.op.head.size);
}

int td_ops_emit(uint32_t sets, td_probes_sink *sink, void *arg)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < td_nsyscalls; i++)
		if (sets & (1u << td_syscalls[i].spec.set | 1u << td_syscalls[i].spec.file_set))
			r = emit(td_syscall_op(&td_syscalls[i]), TD_LAYER_SYSCALL,
				 td_syscalls[i].name, sink, arg);
	for (size_t i = 0; i < TD_ARRAY_SIZE(groups); i++)
		for (size_t k = 0; r == 0 && k < groups[i].n; k++)
			if (groups[i].names[k] && sets & 1u << groups[i].set)
				r = emit((uint16_t)(groups[i].first + k), groups[i].layer,
					 groups[i].names[k], sink, arg);
	return r;
}
