/* SPDX-License-Identifier: MIT */
/* A process that is there, from /proc/PID (proc(5)). */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct td_proc {
	pid_t pid, parent;
	uid_t uid; /* effective */
	uint64_t start_ns; /* CLOCK_BOOTTIME, to 10 ms */
	char comm[16];
	char args[1024]; /* command line, words parted by a blank, cut at this size */
};

/* 0, or -errno if there is no such process (-ENOENT) or it hides. */
int td_proc_read(pid_t pid, struct td_proc *ret);
