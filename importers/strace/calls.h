/* SPDX-License-Identifier: MIT */
/* From the text of a call to its row, and to what it changes: descriptors, processes, names. */
#pragma once

#include "importers/strace/parsed_line.h"
#include "importers/strace/tasks.h"

#define TD_STRACE_NAMES_MAX 4096 /* distinct names of calls; Linux has 450 */
#define TD_STRACE_TEXTS_MAX 200000 /* new texts of calls that are not in the table */

struct td_strace_name {
	uint16_t op_id;
	const struct td_syscall *spec;
};

struct td_strace_calls {
	struct td_strace_atoms *atoms; /* borrowed: of the part that the line is in */
	struct td_intern interned; /* runs parallel to names */
	struct td_strace_name *names;
	size_t nnames, names_cap;
	struct td_strbuf text, text2; /* decoded strings */
	uint32_t newest_text; /* string id */
	unsigned ntexts;
};

/* When and by whom a call was made. */
struct td_strace_context {
	struct td_strace_tasks *tasks;
	struct td_strace_task *task;
	uint64_t begin_line; /* of the line it began in */
	int64_t end_ns; /* when it ended; TD_NULL: unknown */
};

/* What of the row the line itself says in numbers. */
static inline void td_strace_fill_numbers(const struct td_strace_said *said, struct td_call *row)
{
	row->ret = said->ret;
	row->dur_ns = said->dur_ns;
	row->unfinished = said->unfinished;
	row->asked_bytes = said->asked_bytes;
	row->done_bytes = said->bytes ? said->ret : TD_NULL;
	row->offset_bytes = said->offset_bytes;
}

void td_strace_calls_done(struct td_strace_calls *cs);

/* Of an atom that was not asked for yet; see td_strace_name(). */
const struct td_strace_name *td_strace_name_new(struct td_import *imp, struct td_strace_calls *cs,
						uint32_t atom);

/* The op and meaning of a call's name, NULL if there are too many names or no memory. */
static inline const struct td_strace_name *td_strace_name(struct td_import *imp,
							  struct td_strace_calls *cs, uint32_t atom)
{
	unsigned no = atom ? td_strace_atom_at(cs->atoms, atom)->name_no : 0;

	return no ? &cs->names[no - 1] : td_strace_name_new(imp, cs, atom);
}

/* What is known when a call begins: what it is about, which another thread may close and use again before it ends. */
void td_strace_call_begins(struct td_import *imp, struct td_strace_calls *cs,
			   const struct td_strace_context *at, const struct td_syscall *spec,
			   const struct td_strace_said *said, struct td_strace_about *about);

/* Does what td_strace_call() does beside storing the row, of a call that is td_strace_said.later. about: what is known
 * from its beginning. 1; 0: td_strace_call() has to do it, as if this had not been called; or -errno. */
int td_strace_call_later(struct td_import *imp, struct td_strace_calls *cs,
			 const struct td_strace_context *at, const struct td_syscall *spec,
			 const struct td_strace_said *said, struct td_strace_about *about);

/* The whole call: fills in the row, whose start is set, stores it and follows what it did. 0 or
 * -errno. */
int td_strace_call(struct td_import *imp, struct td_strace_calls *cs,
		   const struct td_strace_context *at, const struct td_strace_name *name,
		   const struct td_strace_said *said, struct td_call *row);
