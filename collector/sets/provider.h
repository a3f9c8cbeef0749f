/* SPDX-License-Identifier: MIT */
/*
 * What an event set is: one struct that says what users call it, which BPF programs it needs, what it names, and what
 * becomes of what these programs hand over. It is data and functions without effects, so that the command line knows
 * the sets without libbpf and tests need no kernel; collector/probes does to the kernel what it says.
 * docs/HOWTO-event-set.md goes through a new one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/bpf/shared.h"
#include "collector/sets/list.h"
#include "collector/sink.h"
#include "common/err.h"
#include "schema/kinds.h"

/* Ways to hook the kernel. */
enum td_way {
	TD_WAY_TP_BTF,
	TD_WAY_FENTRY,
	TD_WAY_KPROBE,
	TD_WAY_TRACEPOINT,
	TD_WAY_UPROBE,
	TD_WAY_ITER,
	TD_NWAYS
};

#define TD_WAYS_MAX 3
#define TD_WAY_PROGRAMS_MAX 8
#define TD_SET_HOOKS_MAX 2

/* Functions of shared libraries, by number. */
struct td_functions {
	const char *const *names;
	size_t n;
	const char *libraries[6]; /* how their files' names begin */
	bool found_later; /* not every machine has them, and what a program brings along is found where it is looked for */
};

/* What is attached together, and how: the first of the ways that works here is taken, whole. */
struct td_hook {
	const char *name; /* for 'tracedb check' */
	struct {
		enum td_way way;
		const char *programs[TD_WAY_PROGRAMS_MAX]; /* functions in collector/bpf */
		bool as_good; /* as the first: for another version of the kernel */
	} ways[TD_WAYS_MAX]; /* best first */
	/* of TD_WAY_UPROBE: which functions the programs are attached to, 'to' not among them */
	const struct td_functions *functions;
	uint8_t functions_from, functions_to;
	/* those in front of this one are called too often to look at their returns, too, which is done only with
	 * td_probes_options.cuda_threshold_ns */
	uint8_t counted_to;
	const char *
		at_end; /* program that goes over what is unfinished when the recording ends; NULL: none */
};

struct td_set_provider {
	const char *name; /* as in the list */
	const char *help; /* for 'tracedb record --help', one line */
	bool on_by_default;
	const char *caveat; /* what must be known of its numbers, in words; NULL: nothing */
	const char *caveat_kind; /* of the note that says so in the recording; kebab-case */

	/* What is loaded and attached, the set's own first. It is all needed: the set works as well
	 * as the worst of them. A hook may be that of several sets. */
	const struct td_hook *hooks[TD_SET_HOOKS_MAX];
	/* A 'const volatile' variable of the BPF programs, of one byte, that gets this value while
	 * the set is on: for programs that do more than the set's. */
	struct {
		const char *name; /* NULL: none */
		uint8_t value;
	} constant;
	/* What its calls are named, by op less TD_OPS_OF_SET(); NULL among them: there is none of
	 * that number. Those of system calls are in collector/sets/syscalls.c. */
	struct {
		enum td_layer layer;
		const char *const *names;
		size_t n;
	} ops;

	/* What its programs send with kind TD_RAW_OF_SET(), as records of schema/wire.h. 0 or what
	 * the sink returns. NULL: they send nothing that is not such a record already. */
	int (*put)(const struct td_wire_head *raw, td_sink *sink, void *arg);

	/* What its programs have left in this BPF map when the recording is over, entry by entry,
	 * at now_ns (CLOCK_BOOTTIME).
	 * NULL: nothing. */
	const char *map;
	int (*put_entry)(const void *key, const void *value, uint64_t now_ns, td_sink *sink,
			 void *arg);
};

#define TD_SET_DECLARATION(number, name) extern const struct td_set_provider td_set_##name;
TD_SETS(TD_SET_DECLARATION)
#undef TD_SET_DECLARATION

extern const struct td_set_provider *const td_sets[TD_NSETS]; /* by enum td_set */

/* The same hook for all sets of system calls: which of these are recorded is in a table (collector/sets/syscalls.c). */
extern const struct td_hook td_hook_calls;

/* Several sets are bits 1 << enum td_set. */
uint32_t td_sets_default(void);

/* 'file_io,block', 'all,no-sched'; what begins with 'no-' takes away from what is on by default. 0 or -EINVAL
 * with a text that names the nearest one. */
int td_sets_parse(const char *text, uint32_t *ret, struct td_err *err);
