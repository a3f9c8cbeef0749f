/* SPDX-License-Identifier: MIT */
/*
 * What a line of strace says by itself, whatever stands before it: taken apart ahead, part by part, perhaps on another
 * thread. What it means (whose call it is, which file, what it ends) strace/events.c finds out in turn.
 *
 * Only of a call that another line ends more is told: its begin is mostly in the same part, so the call is taken apart
 * as if that were what the line ends; in turn it is seen whether it is.
 */
#pragma once

#include "importers/strace/prefix.h"
#include "importers/strace/text.h"
#include "importers/strace/atoms.h"

#define TD_STRACE_ARGS_MAX 256 /* bytes of arguments kept as text */

enum td_strace_what {
	TD_STRACE_OTHER, /* anything else: only what the prefix says is told */
	TD_STRACE_BLANK,
	TD_STRACE_COLOURED, /* nothing is told: it has escapes of a terminal */
	TD_STRACE_CALL, /* the whole, or its begin */
	TD_STRACE_RESUMED, /* the end of a call; what is told is that of the whole, if it began 'ago' lines before */
};

/*
 * Numbers of atoms; 0: none. What stands in the columns of struct td_call is as there, TD_NULL where it is unknown.
 * Small, as it goes from one CPU's cache to another's.
 */
struct td_strace_said {
	int64_t stamp_ns; /* struct td_strace_prefix */
	union {
		const char *text; /* of a call, from its name on: text_len bytes */
		const struct td_strace_text *parts; /* if apart */
	};
	int64_t ret, dur_ns, asked_bytes, offset_bytes;
	uint32_t text_len;
	int32_t tid; /* TD_STRACE_NO_TID: none */
	uint32_t comm; /* of the prefix */
	uint32_t name;
	uint32_t args; /* kept as text */
	uint32_t path; /* argument, decoded */
	uint32_t note; /* what -y prints behind the descriptor that is an argument, or AT_FDCWD */
	uint32_t made; /* the same of the result */
	int32_t fd; /* argument, INT32_MIN: none, AT_FDCWD: where the path begins */
	uint32_t event_at; /* where in the line it begins, behind the prefix */
	uint16_t ago; /* lines */
	uint8_t what; /* enum td_strace_what */
	uint8_t stamp; /* enum td_strace_stamp */
	uint8_t class_told; /* enum td_class that st_mode tells */
	bool apart : 1; /* the text was taken apart already */
	bool begins : 1; /* it goes on in another line */
	bool unfinished : 1; /* the thread is gone */
	bool bytes : 1; /* the result is a number of them */
	bool note_deleted : 1, made_deleted : 1; /* "(deleted)" behind it */
	bool path_cut : 1;
	bool relative : 1; /* the path, which begins at the descriptor */
	bool tampered : 1; /* strace changed it */
	bool cloexec : 1; /* asked for */
	bool directory : 1; /* asked for */
	bool unnamed : 1; /* asked for: a file in the directory */
	bool in_seconds : 1; /* the time stamp */
	bool later : 1; /* the row can be made later (strace/later.h), if nothing before the line says otherwise */
};

/* What a call is about. */
struct td_strace_about {
	uint32_t file_id; /* 0: none, or not known */
	int32_t fd; /* INT32_MIN: none */
};

/* A call whose row is made later: what only its turn told. */
struct td_strace_later {
	const struct td_strace_said *said;
	int64_t start_ns;
	uint32_t process_id, thread_id;
	struct td_strace_about about;
};

/* A call of which only the begin was read. */
struct td_strace_open {
	int64_t tid;
	uint32_t line; /* of the part, from 1; 0: none */
	struct td_str text; /* from the name on */
};

#define TD_STRACE_OPEN_CALLS 64 /* power of two; threads that share a place push each other out */

/* A part of the text; all zero at first. */
struct td_strace_part {
	struct td_strace_atoms atoms;
	bool coloured; /* some line has escapes of a terminal */
	uint32_t lines;
	char *joined; /* calls of two lines, put together */
	size_t joined_len, joined_cap;
	struct td_strace_open open[TD_STRACE_OPEN_CALLS];
	struct td_strace_later *later; /* in the order of their lines */
	size_t nlater, later_cap;
	uint16_t source_id; /* of those */
};

/* Begins a new part, whose text stays where it is until the next one. 0 or -ENOMEM. */
int td_strace_part_begin(struct td_strace_part *part, const char *text, size_t len);

/* Takes the next line of the part apart. What is said refers to the text and to the part's atoms. 0 or -ENOMEM. */
int td_strace_part_line(struct td_strace_part *part, const char *line, size_t len,
			struct td_strace_said *ret);

void td_strace_part_done(struct td_strace_part *part);

/* Takes the text of a call apart, from its name on: TD_STRACE_WHOLE, else it is none, or spoilt or torn; ret->name
 * is 0 if it has no name. Sets all but what and the prefix, whose tid is there already. */
enum td_strace_form td_strace_say_call(struct td_strace_atoms *w, struct td_str text,
				       struct td_strace_said *ret);

/* The same of a call that was taken apart already; parts is borrowed. */
void td_strace_say_parts(struct td_strace_atoms *w, const struct td_strace_text *parts,
			 struct td_strace_said *ret);

/* The prefix of the line. */
static inline struct td_strace_prefix td_strace_said_prefix(const struct td_strace_atoms *w,
							    const struct td_strace_said *s)
{
	return (struct td_strace_prefix){
		.tid = s->tid,
		.comm = s->comm ? td_strace_atom_text(w, s->comm) : (struct td_str){ NULL, 0 },
		.stamp = s->stamp,
		.stamp_ns = s->stamp_ns,
		.in_seconds = s->in_seconds,
	};
}

/* The argument n, counted from 1; empty if there is none. */
static inline struct td_str td_strace_arg(const struct td_strace_text *t, unsigned n)
{
	return n && n <= t->nargs ? t->args[n - 1] : (struct td_str){ "", 0 };
}

/* Cuts the blanks at the end, as of text copied from a terminal. */
static inline void td_strace_strip(struct td_str *line)
{
	while (line->len && (line->p[line->len - 1] == ' ' || line->p[line->len - 1] == '\t'))
		line->len--;
}

/* "<... read resumed>"; s is left behind it. */
bool td_strace_scan_resumed(struct td_scan *s, struct td_str *ret_name);

/* Cuts the marker and one blank before it off the end. */
bool td_strace_take_suffix(struct td_str *s, const char *marker);
#define TD_STRACE_UNFINISHED "<unfinished ...>"
#define TD_STRACE_DETACHED "<detached ...>"
