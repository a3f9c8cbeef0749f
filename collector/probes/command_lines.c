/* SPDX-License-Identifier: MIT */
#include <fcntl.h>

#include "common/cleanup.h"
#include "common/pid_here.h"
#include "collector/probes/command_lines.h"

/* The words stand one after the other, each with its NUL. */
static size_t words_to_text(char *args, size_t len)
{
	while (len && !args[len - 1])
		len--;
	for (size_t i = 0; i < len; i++)
		if (!args[i])
			args[i] = ' ';
	return len;
}

static size_t read_cmdline(uint32_t pid, char *to, size_t size)
{
	_cleanup_close_ int fd = -1;
	char path[32];
	ssize_t n;

	(void)snprintf(path, sizeof(path), "/proc/%u/cmdline", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, to, size);
	return n < 0 ? 0 : (size_t)n;
}

void td_process_record(const struct td_wire_process *raw, union td_process_record *ret)
{
	char *text = ret->bytes + offsetof(struct td_wire_process, text), *args;
	size_t comm_len = TD_MIN(raw->comm_len, (size_t)16);
	size_t args_len = TD_MIN(raw->args_len, (size_t)TD_TEXT_MAX - 1), size;

	ret->process = *raw;
	memcpy(text, raw->text, comm_len + args_len);
	args = text + comm_len;
	if (!args_len && raw->head.flags & TD_WIRE_PROCESS_FOUND)
		args_len = read_cmdline(
			td_pid_here(raw->head.tid, raw->pid_namespace, raw->namespace_pid), args,
			TD_TEXT_MAX - 1);
	args_len = words_to_text(args, args_len);
	memset(args + args_len, 0, 8);
	size = sizeof(*raw) + comm_len + args_len;
	ret->process.args_len = (uint16_t)args_len;
	ret->process.head.size = (uint16_t)((size + 7) & ~(size_t)7);
}
