/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "importers/core/command_line.h"

static struct td_str last_component(struct td_str path)
{
	const char *slash = path.len ? memrchr(path.p, '/', path.len) : NULL;

	if (!slash)
		return path;
	return (struct td_str){ slash + 1, (size_t)(path.p + path.len - slash - 1) };
}

struct td_str td_command_program(struct td_str command)
{
	struct td_scan s = td_scan_of(command.p, command.len);
	struct td_str word = { "", 0 };
	const char *close;

	if (td_scan_char(&s, '[')) {
		close = memrchr(s.p, ']', (size_t)(s.end - s.p));
		return (struct td_str){ s.p, (size_t)((close ? close : s.end) - s.p) };
	}
	(void)td_scan_char(&s, '-');
	(void)td_scan_token(&s, &word);
	word = last_component(word);
	if (word.len && word.p[word.len - 1] == ':')
		word.len--;
	return word;
}

enum where { PROGRAM, ANYWHERE };

/* The first match wins. A program is the first word; a script run by an interpreter is found as the
 * second one. */
static const struct {
	enum where where;
	const char *text;
	const char *role;
} roles[] = {
	{ PROGRAM, "grep", "tracer" },
	{ PROGRAM, "egrep", "tracer" },
	{ PROGRAM, "ps", "tracer" },
	{ PROGRAM, "bpftrace", "tracer" },
	{ PROGRAM, "strace", "tracer" },
	{ PROGRAM, "nvidia-smi", "tracer" },
	{ PROGRAM, "mpstat", "tracer" },
	{ PROGRAM, "iostat", "tracer" },
	{ PROGRAM, "pidstat", "tracer" },
	{ PROGRAM, "sar", "tracer" },
	{ PROGRAM, "perf", "tracer" },
	{ PROGRAM, "nsys", "tracer" },
	{ PROGRAM, "dcgmi", "tracer" },
	{ PROGRAM, "tracedb-record", "tracer" },
	{ PROGRAM, "torchrun", "launcher" },
	{ PROGRAM, "horovodrun", "launcher" },
	{ PROGRAM, "mpirun", "launcher" },
	{ PROGRAM, "mpiexec", "launcher" },
	{ PROGRAM, "orterun", "launcher" },
	{ PROGRAM, "srun", "launcher" },
	{ PROGRAM, "deepspeed", "launcher" },
	{ ANYWHERE, "torch.distributed.launch", "launcher" },
	{ ANYWHERE, "torch.distributed.run", "launcher" },
	{ ANYWHERE, "multiprocessing.resource_tracker", "resource-tracker" },
	{ ANYWHERE, "multiprocessing.semaphore_tracker", "resource-tracker" },
	{ ANYWHERE, "multiprocessing.spawn", "spawned" },
	{ ANYWHERE, "multiprocessing.forkserver", "spawned" },
};

static bool is_interpreter(struct td_str program)
{
	return td_str_starts(program, "python") || td_str_eq(program, "sh") ||
	       td_str_eq(program, "bash") || td_str_eq(program, "sudo");
}

const char *td_command_role(struct td_str command)
{
	struct td_scan s = td_scan_of(command.p, command.len);
	struct td_str program = td_command_program(command), second = { "", 0 };

	if (is_interpreter(program)) {
		(void)td_scan_token(&s, &second);
		(void)td_scan_blanks(&s);
		(void)td_scan_token(&s, &second);
		second = last_component(second);
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(roles); i++) {
		if (roles[i].where == ANYWHERE
			    ? td_str_find(command, roles[i].text) != NULL
			    : td_str_eq(program, roles[i].text) || td_str_eq(second, roles[i].text))
			return roles[i].role;
	}
	return NULL;
}
