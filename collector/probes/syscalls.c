/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "collector/probes/syscalls.h"
#include "collector/sets/provider.h"
#include "schema/calls.h"

/* --- what they mean --- */

static uint16_t flags_of(const struct td_syscall *s)
{
	static const struct {
		uint8_t of_call; /* enum td_call_flag */
		uint16_t of_spec;
	} flags[] = {
		{ TD_CALL_POSITION, TD_SPEC_POSITION },
		{ TD_CALL_APPENDS, TD_SPEC_WRITES },
		{ TD_CALL_OFFSET_POINTER, TD_SPEC_OFFSET_POINTER },
		{ TD_CALL_MESSAGE, TD_SPEC_MESSAGE },
		{ TD_CALL_RENAMES, TD_SPEC_NAMES },
		{ TD_CALL_RWF, TD_SPEC_RWF },
	};
	uint16_t of_spec = 0;

	of_spec |= s->target ? TD_SPEC_TARGET : 0;
	of_spec |= td_syscall_makes(s) ? TD_SPEC_MAKES : 0;
	for (size_t i = 0; i < TD_ARRAY_SIZE(flags); i++)
		if (s->flags & flags[i].of_call)
			of_spec |= flags[i].of_spec;
	return of_spec;
}

/* What the BPF programs do beside, for the call's effect. */
static void add_effect(const struct td_syscall *s, struct td_call_spec *spec)
{
	switch (s->effect) {
	case TD_CALL_MAPS:
		spec->flags |= TD_SPEC_MAP;
		break;
	case TD_CALL_CHDIRS:
		spec->flags |= s->path ? TD_SPEC_CWD : 0;
		break;
	case TD_CALL_CHROOTS:
		spec->flags |= TD_SPEC_NAMES;
		break;
	case TD_CALL_LOCKS:
		spec->flags |= TD_SPEC_ADDRESS;
		spec->offset = 1;
		spec->asked = 2;
		break;
	case TD_CALL_SIGNALS:
		spec->flags |= TD_SPEC_ADDRESS;
		spec->offset = s->keep_to - 1;
		spec->asked = s->keep_to;
		break;
	case TD_CALL_SUBMITS:
		spec->flags |= TD_SPEC_SUBMITS;
		break;
	case TD_CALL_REAPS:
		spec->flags |= TD_SPEC_REAPS;
		break;
	case TD_CALL_EXECS:
		spec->flags |= TD_SPEC_EXECUTES;
		break;
	default:
		break;
	}
}

/* Calls that name the other side of a socket. */
static void add_peer(const char *name, struct td_call_spec *spec)
{
	static const struct {
		const char *name;
		uint8_t peer, peer_is;
		uint16_t flags;
	} calls[] = {
		{ "accept", 0, TD_PEER_ACCEPTED, 0 },
		{ "accept4", 0, TD_PEER_ACCEPTED, 0 },
		{ "connect", 2, TD_PEER_CONNECTED, 0 },
		{ "recvfrom", 5, TD_PEER_TOLD, 0 },
		{ "recvmmsg", 2, TD_PEER_TOLD, TD_SPEC_PEER_MESSAGE },
		{ "recvmsg", 2, TD_PEER_TOLD, TD_SPEC_PEER_MESSAGE },
		{ "sendmmsg", 2, TD_PEER_GIVEN, TD_SPEC_PEER_MESSAGE },
		{ "sendmsg", 2, TD_PEER_GIVEN, TD_SPEC_PEER_MESSAGE },
		{ "sendto", 5, TD_PEER_GIVEN, 0 },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(calls); i++)
		if (strcmp(calls[i].name, name) == 0) {
			spec->peer = calls[i].peer;
			spec->peer_is = calls[i].peer_is;
			spec->flags |= calls[i].flags;
		}
}

/* The number of what the file_io set calls the side that the call writes to. */
static uint16_t out_op(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < td_set_file_io.ops.n; i++) {
		const char *out = td_set_file_io.ops.names[i];

		if (strncmp(out, name, len) == 0 && strcmp(out + len, TD_CALL_OUT) == 0)
			return (uint16_t)(TD_OPS_OF_SET(TD_SET_FILE_IO) + i);
	}
	return 0;
}

int td_recorded_call_spec(const struct td_recorded_call *c, struct td_call_spec *ret)
{
	const struct td_syscall *s = td_syscall_find((struct td_str){ c->name, strlen(c->name) });

	if (!s)
		return -ENOENT;
	*ret = (struct td_call_spec){
		.op = td_syscall_op(c),
		.set = c->set,
		.file_set = c->file_set,
		.fd = s->path ? 0 : s->fd, /* the call is about the path */
		.asked = s->asked,
		.buffers = s->buffers,
		.offset = s->offset,
		.dir = s->dir,
		.path = s->path,
		.dir2 = s->dir2,
		.path2 = s->target ? s->target : s->path2,
		.flags = flags_of(s),
	};
	if (s->to) {
		ret->to = s->to;
		ret->to_offset = s->to_offset;
		ret->to_op = out_op(c->name);
	}
	add_effect(s, ret);
	add_peer(c->name, ret);
	return 0;
}
