/* SPDX-License-Identifier: MIT */
/* The sets that are system calls and nothing else: which ones, collector/sets/syscalls.c says. */
#include "collector/sets/provider.h"
#include "common/cleanup.h"
#include "schema/calls.h"

const struct td_hook td_hook_calls = {
	.name = "system calls",
	.ways = { { TD_WAY_TP_BTF, { "enter_direct", "exit_btf" } },
		  { TD_WAY_TP_BTF, { "enter_btf", "exit_btf" }, .as_good = true }, /* until 6.1 */
		  { TD_WAY_TRACEPOINT, { "enter_tracepoint", "exit_tracepoint" } } },
};

/* The sides that calls which copy write to. */
static const char *const outs[] = {
	"sendfile" TD_CALL_OUT,
	"copy_file_range" TD_CALL_OUT,
	"splice" TD_CALL_OUT,
	"tee" TD_CALL_OUT,
};

const struct td_set_provider td_set_file_io = {
	.name = "file_io",
	.help = "open, close, read, write, seek, sync, stat, rename, ...",
	.on_by_default = true,
	.hooks = { &td_hook_calls },
	.ops = { TD_LAYER_SYSCALL, outs, TD_ARRAY_SIZE(outs) },
};

const struct td_set_provider td_set_memory = {
	.name = "memory",
	.help = "mmap, munmap, brk, madvise, mprotect, ...",
	.on_by_default = true,
	.hooks = { &td_hook_calls },
};

const struct td_set_provider td_set_thread = {
	.name = "thread",
	.help = "fork, clone, exec, exit, kill",
	.on_by_default = true,
	.hooks = { &td_hook_calls },
};

const struct td_set_provider td_set_sync = {
	.name = "sync",
	.help = "futex, semaphores of System V, message queues",
	.on_by_default = true,
	.hooks = { &td_hook_calls },
};

const struct td_set_provider td_set_wait = {
	.name = "wait",
	.help = "poll, select, epoll, sleep, waiting for children",
	.on_by_default = true,
	.hooks = { &td_hook_calls },
};

const struct td_set_provider td_set_socket_io = {
	.name = "socket_io",
	.help = "socket, connect, accept, send, receive, ...",
	.on_by_default = true,
	.hooks = { &td_hook_calls },
};
