/* SPDX-License-Identifier: MIT */
/*
 * A flame graph: a tree of frames, each with what it took by itself and with all that it called.
 * Around the frames of a stack stands the process.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/intern.h"

/* What the stacks are of. */
enum td_flame_what {
	TD_FLAME_CPU, /* samples of what CPUs executed */
	TD_FLAME_CALLS, /* calls with a stack: the time in them, or their number where no duration is known */
	TD_FLAME_SPANS, /* spans of threads, which stand within each other: NVTX ranges, operators, Python's functions */
	TD_FLAME_TOTALS, /* what a tool counted itself; of no time */
	TD_NFLAMES,
};

struct td_flame_info {
	const char *name; /* as in --what */
	const char *help; /* for people */
	const char *how; /* what records them, as words behind "import" */
};
extern const struct td_flame_info td_flames[TD_NFLAMES];

/* Strings are borrowed; NULL: not given. */
struct td_flame_request {
	const char *path;
	const char *what; /* a name of td_flames; NULL: the first that there is */
	const char *from, *to; /* as td_arg_bind() reads times */
	const char *phase;
	const char *pid, *process; /* number; name or role */
	bool count; /* calls and spans by their number, not by time */
	int64_t timeout_ns; /* 0: none */
};

struct td_flame_node {
	uint32_t parent; /* index; of the root itself */
	uint32_t name, module; /* texts; module 0: unknown */
	int64_t self, total; /* ns, or what unit says */
	int64_t count; /* how often the stack, or the span, was seen that ends here */
};

struct td_flame {
	enum td_flame_what what;
	char *title; /* name of the run */
	const char *unit; /* "ns", "count", or that of a tool */
	char *tool_unit; /* owned; what unit points to then */
	struct td_intern texts;
	struct td_intern keys; /* parent, name, module; runs parallel to nodes but for the root */
	struct td_flame_node
		*nodes; /* the first is the root: all. A parent comes before its children */
	size_t n, cap;
	uint32_t *order; /* depth first, the larger child first */
	uint32_t *depths; /* by index; the root's is 0 */
	unsigned damage; /* what the sources lack: enum td_damage, together */
	char *notes; /* lines that a reader has to know; "" */
};

/* What the request asks for. 0; -EINVAL with a message for what cannot be asked; -ENODATA: there
 * are no stacks, or none in what is asked for; or another -errno. */
int td_flame_load(const struct td_flame_request *req, struct td_flame *ret, struct td_err *err);
void td_flame_done(struct td_flame *f);

static inline struct td_str td_flame_text(const struct td_flame *f, uint32_t text)
{
	return td_intern_get(&f->texts, text);
}

/* --- filling: for this folder --- */

#define TD_FLAME_NODES_MAX ((size_t)1 << 22)
#define TD_FLAME_DEPTH_MAX 4096

/* The index of that child of a node, made at first sight; UINT32_MAX: out of memory. Beyond TD_FLAME_NODES_MAX nodes it
 * is the parent itself. module: of no length where it is unknown. */
uint32_t td_flame_child(struct td_flame *f, uint32_t parent, struct td_str name,
			struct td_str module);

/* A flame of the root alone; it is complete when it is finished. Both 0 or -ENOMEM. */
int td_flame_begin(struct td_flame *f);
int td_flame_finish(struct td_flame *f);

/* The rows of a statement: stack, process (NULL: unknown), value, number, how many of these have no
 * value, which is what is added to *ret_unknown. 0 or -errno. */
int td_flame_add_stacks(struct td_flame *f, sqlite3_stmt *s, int64_t *ret_unknown,
			struct td_err *err);

/* The rows of a statement: begin and end of a span, name, process, thread, name of the process; in
 * order of the begin, and the longest first. *ret_cut: spans that end after the one that they are
 * within. 0 or -errno. */
int td_flame_add_spans(struct td_flame *f, sqlite3_stmt *s, bool count, int64_t *ret_cut,
		       struct td_err *err);
