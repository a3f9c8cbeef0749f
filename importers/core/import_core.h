/* SPDX-License-Identifier: MIT */
/* What is inside the importer core: for importers/core/, nobody else. */
#pragma once

#include "common/json/stream.h"
#include "common/stream.h"
#include "importers/core/import.h"
#include "importers/align/ticks.h"
#include "store/stage/run_writer.h"

/* What a part of the text came to that is read out of its turn (core/speculative.c). */
struct td_import_part {
	bool alone; /* nothing was met that can only be done in turn */
	int64_t tod_first_ns; /* first time of day; TD_NULL: none */
	struct td_run_writer rows[TD_NKINDS];
};

/* Calls of a part whose rows are made later (core/deferred_rows.c). */
struct td_import_deferred {
	size_t n; /* so far */
	struct td_run_writer in_turn; /* calls among these that were read in turn ... */
	size_t *before; /* ... and how many of the others come before each; owned */
	size_t before_cap;
	struct td_run_writer rows; /* all calls of the part */
	struct td_stage *stage; /* borrowed, when it has a place */
	size_t place; /* in the staging area, of the run ... */
	struct td_run run; /* ... that is made of them */
	int64_t first_ns, last_ns; /* of the deferred ones; TD_NULL: there are none */
};

/* What the core keeps about the source being read. */
struct td_import_core {
	const struct td_importer *importer;
	struct td_stream *in; /* borrowed */
	struct td_progress *progress; /* borrowed; NULL: none */
	struct td_stage *stages[TD_NKINDS]; /* borrowed from the store */
	struct td_import_part *part; /* the core is a part's; NULL: it is the source's */
	struct td_import_deferred *deferred; /* of the part that is settled; NULL: none is */
	int64_t defer_from; /* where in the text the next parts are tried */
	unsigned defers_in_vain; /* in a row */
	struct td_ticks ticks; /* readings of the wall clock */
	int64_t tick_wall_ns; /* what the wall clock read for the one added last; TD_NULL: no such */
	const char *copy_path; /* borrowed; the name of an unpacked copy, NULL: none */
	const char *line; /* current one, for issues */
	size_t line_len;
	bool line_repaired;
	bool line_refused; /* a row of it was not stored */
	uint64_t lines, rows, skipped, issues, repaired, lost;
	uint64_t
		dropped; /* issues beyond one for a line: lines of text in one record, each of which counts as a line */
	unsigned line_dropped; /* issues of the current line */
	bool ending; /* the last line was read */
	uint64_t impossible_pids; /* of the store when the line began */
	uint64_t open, open_no; /* lines of which it is not known yet, and the first of them */
	int64_t first_ns, last_ns; /* native */
	bool has_fractions; /* some time was no whole second, or printed with a fraction */
	int64_t tod_last_ns; /* of td_import_unwrap_tod() */
	int64_t tod_day_ns;
	int error; /* of a function that cannot return one */
};

/* The importer for what comes next in the stream, of which nothing is consumed: *ret, untouched if there is none, with
 * the reason in err where it is another than that nobody knows it. 0, -EINVAL (no importer is called as the options
 * say), -EEXIST on a tie, or what td_stream_peek() returns. */
int td_import_choose(struct td_stream *in, const struct td_import_options *options,
		     const struct td_importer **ret, struct td_err *err);

/* What to do about a text, the whole head of it, that no importer reads; NULL: nobody knows. */
const char *td_import_stranger(const char *head, size_t len, const char *path);

/* Has the importer read the line. 0 or -errno. */
int td_import_line(struct td_import *imp, const struct td_line *line);

/* Reads the lines that come next, on several threads: 0 at the end; 1: the next line is to be read by
 * td_import_line(), and *ret_again says whether it pays to come back after it; or -errno. */
int td_speculate_lines(struct td_import *imp, bool *ret_again, struct td_err *err);

/* Reads elements of the array that js is in, on several threads, and leaves it where the next one is to be read in
 * turn. *ret_paid: it was faster so. 0 or -errno. */
int td_speculate_elements(struct td_import *imp, struct td_json_stream *js, bool *ret_paid);

/* Reads all lines, which the importer takes apart before their turn: 0 at the end or -errno. */
int td_preparse_lines(struct td_import *imp, struct td_err *err);

void td_import_deferred_init(struct td_import_deferred *d);
void td_import_deferred_done(struct td_import_deferred *d);

/* In the order of the text: forgets the calls of the part before. */
void td_import_deferred_clear(struct td_import_deferred *d);
/* Keeps a call that is read in turn. 0 or -ENOMEM. */
int td_import_deferred_add(struct td_import_deferred *d, const struct td_call *row);
/* The part is read: takes a place for its rows, behind those of all that was read before. 1, 0 if it has none, or
 * -errno. */
int td_import_deferred_place(struct td_import_core *c, struct td_import_deferred *d);

/* On any thread: makes the rows, and a run of all calls. 0 or -ENOMEM. */
int td_import_deferred_make(struct td_import_deferred *d,
			    void (*make)(const void *part, size_t i, struct td_call *ret),
			    const void *part);

/* On the thread of the import, before the next part has this place or at the end: puts the run there, if there is one.
 * 0 or -errno. */
int td_import_deferred_put(struct td_import_core *c, struct td_import_deferred *d);

/* Threads that the options leave to the parser. */
unsigned td_import_threads(const struct td_import_options *options);

/* Text of a part, and what is read in turn before the first one. */
size_t td_import_part_bytes(const struct td_import_options *options);

/* Keeps the native time range of the source. */
static inline void td_import_extend(struct td_import_core *c, int64_t from_ns, int64_t to_ns)
{
	if (c->first_ns == TD_NULL || from_ns < c->first_ns)
		c->first_ns = from_ns;
	if (c->last_ns == TD_NULL || to_ns > c->last_ns)
		c->last_ns = to_ns;
}
