/* SPDX-License-Identifier: MIT */
/*
 * The distinct texts of a part of a strace log: names of calls, arguments, paths, what -y prints behind descriptors.
 * Lines hold their numbers, so that what a text is in the store is looked up once in each part.
 */
#pragma once

#include "common/intern.h"
#include "common/strbuf.h"
#include "schema/calls.h"

struct td_strace_atom {
	const struct td_syscall *spec; /* of the call with this name; NULL: not asked yet */
	/* what it was in the store when it was asked for, 0: it was not */
	uint32_t string_id;
	uint32_t path_id; /* file with this path, which begins ... */
	uint32_t base_id; /* ... in this directory; 0: as it stands there */
	uint32_t note_id; /* file behind which -y prints this */
	uint32_t is_id; /* file that has it as path or name */
	uint16_t name_no; /* of struct td_strace_calls, from 1 ... */
	uint16_t op_id; /* ... and its operation */
	enum td_strace_utf8 { TD_STRACE_UNCHECKED, TD_STRACE_VALID, TD_STRACE_INVALID } utf8 : 8;
};

#define TD_STRACE_RECENT 256 /* power of two */
#define TD_STRACE_NAMES 64 /* power of two */
#define TD_STRACE_SEEN 128 /* power of two */

/* A name of up to seven bytes. */
struct td_strace_short {
	uint64_t name; /* its bytes, the first one lowest */
	uint32_t atom; /* 0: none */
};

/* A descriptor with its path, "3</tmp/x>", that a call had as first argument. */
struct td_strace_seen {
	uint32_t text; /* the whole; 0: none */
	uint32_t note; /* the path */
	int32_t fd;
};

/* All zero: none yet. */
struct td_strace_atoms {
	struct td_intern texts; /* numbers count from 1 */
	struct td_strace_atom *at; /* of number n: at[n - 1] */
	size_t n, cap;
	uint32_t recent[TD_STRACE_RECENT]; /* seen last, by a cheap hash; 0: none */
	struct td_strace_short names[TD_STRACE_NAMES]; /* seen last, by their bytes */
	struct td_strace_seen seen[TD_STRACE_SEEN]; /* last, by thread and first digit */
	struct td_strbuf buf; /* a decoded string */
	bool failed; /* there was no memory for one */
};

/* The number of the text, which is copied. 0: no memory, which td_strace_atoms.failed remembers. */
uint32_t td_strace_atom(struct td_strace_atoms *w, struct td_str text);

static inline struct td_str td_strace_atom_text(const struct td_strace_atoms *w, uint32_t atom)
{
	return td_intern_get(&w->texts, atom);
}

static inline struct td_strace_atom *td_strace_atom_at(const struct td_strace_atoms *w,
						       uint32_t atom)
{
	return &w->at[atom - 1];
}

/* What the call with this name means, one that is not in the table too. */
const struct td_syscall *td_strace_atom_spec(struct td_strace_atoms *w, uint32_t atom);

/* Where the descriptor of a thread is that begins with this digit. */
static inline struct td_strace_seen *td_strace_seen(struct td_strace_atoms *w, int32_t tid,
						    char digit)
{
	uint32_t h = ((uint32_t)tid * 16 + (unsigned char)digit) * UINT32_C(0x9e3779b1);

	return &w->seen[h >> 16 & (TD_STRACE_SEEN - 1)];
}

/* Is it UTF-8? */
bool td_strace_atom_valid(struct td_strace_atoms *w, uint32_t atom);

/* Forgets all; the memory stays. */
void td_strace_atoms_clear(struct td_strace_atoms *w);
void td_strace_atoms_done(struct td_strace_atoms *w);
