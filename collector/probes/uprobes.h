/* SPDX-License-Identifier: MIT */
/*
 * Attaching BPF programs to functions of shared libraries, in each file that is one: of the C
 * library (collector/bpf/libc.bpf.c) that of this machine, and those of processes that were there
 * and have another one (containers, other distributions); of CUDA (cuda.bpf.c) those of processes
 * that were there, and what is found where programs look.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct bpf_link;
struct bpf_program;
struct td_functions;
struct td_hook;
struct td_library;

#define TD_UPROBES_MAX 16
#define TD_UPROBE_FUNCTIONS_MAX 64

struct td_uprobes {
	bool times_counted; /* see td_hook.counted_to; to be set before the first program */
	struct td_library *libraries; /* owned */
	size_t nlibraries, libraries_cap;
	struct td_uprobe {
		const struct bpf_program *prog; /* these are borrowed */
		const struct td_hook *hook; /* says to which functions */
		bool at_return;
	} programs[TD_UPROBES_MAX];
	size_t nprograms;
	const struct td_functions *wanted[4]; /* of the programs' hooks; borrowed */
	size_t nwanted;
	uint64_t missed[8]; /* inodes, see td_uprobes_missed() */
	size_t nmissed;
	struct bpf_link **links; /* owned, and what they point to */
	size_t nlinks, links_cap;
};

void td_uprobes_done(struct td_uprobes *u);

/* Is the program for functions of libraries? */
bool td_uprobes_takes(const struct bpf_program *prog);

/* Attaches it to the hook's functions in the libraries that are known, and in those that are found
 * later. 0, -ELIBACC if there is none, -ENOSYS if it has no such functions (both only where there
 * must be one), -E2BIG if there are too many programs, or -errno. */
int td_uprobes_add(struct td_uprobes *u, const struct bpf_program *prog,
		   const struct td_hook *hook);

/* Attaches what was added to the libraries that a process, or any process, has. What cannot be had is left out. */
void td_uprobes_process(struct td_uprobes *u, pid_t pid);
void td_uprobes_all_processes(struct td_uprobes *u);

/* A watched process has this file: is it a library that should have been attached to, for which it
 * is too late now, as the privileges are gone? Each is told once. */
bool td_uprobes_missed(struct td_uprobes *u, const char *path, size_t len, uint64_t inode);
