/* SPDX-License-Identifier: MIT */
/*
 * Attaching BPF programs to functions of the C library (collector/bpf/libc.bpf.c), in each file that is one: that of
 * this machine, and those of processes that were there and have another one (containers, other distributions).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct bpf_link;
struct bpf_program;
struct td_hook;
struct td_library;

#define TD_UPROBES_MAX 16

struct td_uprobes {
	struct td_library *libraries; /* owned */
	size_t nlibraries, libraries_cap;
	struct td_uprobe {
		const struct bpf_program *prog; /* these are borrowed */
		const struct td_hook *hook; /* says to which functions */
		bool at_return;
	} programs[TD_UPROBES_MAX];
	size_t nprograms;
	struct bpf_link **links; /* owned, and what they point to */
	size_t nlinks, links_cap;
};

void td_uprobes_done(struct td_uprobes *u);

/* Is the program for functions of the C library? */
bool td_uprobes_takes(const struct bpf_program *prog);

/* Attaches it to the hook's functions of this machine's C library, and of those that are found later. 0, -ELIBACC if
 * there is none, -ENOSYS if it has no such functions, -E2BIG if there are too many programs, or -errno. */
int td_uprobes_add(struct td_uprobes *u, const struct bpf_program *prog,
		   const struct td_hook *hook);

/* Attaches what was added to the libraries that a process, or any process, has. What cannot be had is left out. */
void td_uprobes_process(struct td_uprobes *u, pid_t pid);
void td_uprobes_all_processes(struct td_uprobes *u);
