/* SPDX-License-Identifier: MIT */
/*
 * A process is followed while it makes its first calls, so that its own programs and the walk over
 * the tasks come to it at
 * once: every time it must be found, be told of once, and count as gone when it is.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "common/cleanup.h"
#include "collector/probes/probes.h"
#include "schema/wire.h"
#include "tests/unit/check.h"

#define ROUNDS 1500
#define WAIT_MS 2000 /* for the end of who has ended */

struct seen {
	uint64_t processes, exits;
};

static int sink(void *arg, const void *records, size_t size)
{
	struct seen *s = arg;
	const char *p = records, *end = p + size;

	for (; p < end; p += ((const struct td_wire_head *)p)->size) {
		s->processes += ((const struct td_wire_head *)p)->kind == TD_WIRE_PROCESS;
		s->exits += ((const struct td_wire_head *)p)->kind == TD_WIRE_EXIT;
	}
	return 0;
}

/* Some calls, at once; the last of them waits for the end of the parent's pipe. */
static _Noreturn void child(const int go[2])
{
	char c;

	close(go[1]);
	for (int i = 0; i < 20; i++)
		syscall(SYS_lseek, -1, 0, 0);
	_exit(read(go[0], &c, 1) != 0);
}

/* They are large, and a child has no use for them: half of the test's time went into its page tables of them. */
static void keep_rings_from_children(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/maps", "re");
	char line[512], *end;
	int n = 0;

	TD_CHECK(f);
	while (f && fgets(line, sizeof(line), f)) {
		uintptr_t from = strtoul(line, &end, 16), to = strtoul(end + 1, NULL, 16);

		if (!strstr(line, "anon_inode:bpf-map"))
			continue;
		TD_CHECK_INT(madvise((void *)from, to - from, MADV_DONTFORK), 0);
		n++;
	}
	TD_CHECK(n > 0);
}

static void follow_one(struct td_probes *p)
{
	struct td_err err = { "" };
	int go[2], r;
	pid_t pid;

	TD_CHECK(pipe(go) == 0);
	pid = fork();
	TD_CHECK(pid >= 0);
	if (pid == 0)
		child(go);
	r = td_probes_follow(p, pid, &err);
	if (r < 0)
		printf("%s\n", err.msg);
	close(go[0]);
	close(go[1]);
	TD_CHECK(waitpid(pid, NULL, 0) == pid);
	TD_CHECK_INT(r, 0);
}

int main(void)
{
	_cleanup_(td_probes_closep) struct td_probes *p = NULL;
	struct td_probes_options o = { .sets = 1u << TD_SET_FILE_IO | 1u << TD_SET_THREAD };
	struct td_err err = { "" };
	struct seen s = { 0 };

	if (td_probes_open(&o, &p, &err) < 0) {
		fprintf(stderr, "nothing can be recorded here: %s\n", err.msg);
		return 77;
	}
	TD_CHECK_INT(td_probes_start(p, sink, &s, &err), 0);
	keep_rings_from_children();
	for (int i = 0; i < ROUNDS; i++) {
		follow_one(p);
		TD_CHECK(td_probes_drain(p, sink, NULL, &s, &err) >= 0);
	}
	for (int i = 0; i < WAIT_MS && td_probes_any_left(p); i++)
		usleep(1000);
	TD_CHECK(!td_probes_any_left(p));
	TD_CHECK_INT(td_probes_stop(p, &err), 0);
	TD_CHECK(td_probes_drain(p, sink, NULL, &s, &err) >= 0);
	TD_CHECK_INT(s.processes, ROUNDS);
	TD_CHECK_INT(s.exits, ROUNDS);
	return td_check_result();
}
