/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "collector/probes/op_names.h"
#include "collector/probes/syscalls.h"

static int emit(uint16_t op, enum td_layer layer, const char *name, td_sink *sink, void *arg)
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

/* Those of a set that are no system calls. */
static int emit_own(enum td_set set, td_sink *sink, void *arg)
{
	const struct td_set_provider *s = td_sets[set];
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->ops.n; i++)
		if (s->ops.names[i])
			r = emit((uint16_t)(TD_OPS_OF_SET(set) + i), s->ops.layer, s->ops.names[i],
				 sink, arg);
	return r;
}

int td_op_names_emit(uint32_t sets, td_sink *sink, void *arg)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < td_nsyscalls; i++)
		if (sets & (1u << td_syscalls[i].set | 1u << td_syscalls[i].file_set))
			r = emit(td_syscall_op(&td_syscalls[i]), TD_LAYER_SYSCALL,
				 td_syscalls[i].name, sink, arg);
	for (unsigned set = 0; r == 0 && set < TD_NSETS; set++)
		if (sets & 1u << set)
			r = emit_own(set, sink, arg);
	return r;
}
