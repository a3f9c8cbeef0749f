/* SPDX-License-Identifier: MIT */
/*
 * What a line of strace says by itself, whatever stands before it: taken apart ahead, part by part, perhaps on another
 * thread. What it means (whose call it is, which file, what it ends) strace_events.c finds out in turn.
 *
 * Only of a call that another line ends more is told: its begin is mostly in the same part, so the call is taken apart
 * as if that were what the line ends; in turn it is seen whether it is.
 */
#pragma once

#include "importers/strace_prefix.h"
#include "importers/strace_text.h"
#include "importers/strace_words.h"

#define TD_STRACE_ARGS_MAX 256 /* bytes of arguments kept as text */

enum td_strace_what {
	TD_STRACE_OTHER, /* anything else: only line, prefix and event are told */
	TD_STRACE_BLANK,
	TD_STRACE_COLOURED, /* nothing was taken apart: it has escapes of a terminal */
	TD_STRACE_CALL, /* the whole, or its begin */
	TD_STRACE_RESUMED, /* the end of a call; all but the event is that of the whole, if it began 'ago' lines before */
};

/* Numbers of words; 0: none. What stands in the columns of struct td_call is as there, TD_NULL where it is unknown. */
struct td_strace_said {
	struct td_str line; /* without blanks at its end */
	struct td_strace_prefix prefix;
	struct td_str event; /* behind the prefix */
	struct td_str text; /* of a call: from its name on */
	const struct td_strace_text *parts; /* of that text; NULL: to be taken apart again */
	int64_t ret, dur_ns, asked_bytes, done_bytes, offset_bytes;
	uint32_t name;
	uint32_t args; /* kept as text */
	uint32_t path; /* argument, decoded */
	uint32_t note; /* what -y prints behind the descriptor that is an argument */
	uint32_t made; /* the same of the result */
	int32_t fd; /* argument, INT32_MIN: none */
	uint32_t ago; /* lines */
	uint32_t begun_len; /* bytes of the text that were in the line where it began */
	uint8_t what; /* enum td_strace_what */
	uint8_t class_told; /* enum td_class that st_mode tells */
	bool begins; /* it goes on in another line */
	bool unfinished; /* the thread is gone */
	bool note_deleted, made_deleted; /* "(deleted)" behind it */
	bool path_cut;
	bool tampered; /* strace changed it */
	bool cloexec; /* asked for */
	bool directory; /* asked for */
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
	struct td_strace_words words;
	bool coloured; /* some line has escapes of a terminal */
	uint32_t lines;
	char *joined; /* calls of two lines, put together */
	size_t joined_len, joined_cap;
	struct td_strace_open open[TD_STRACE_OPEN_CALLS];
};

/* Begins a new part, whose text stays where it is until the next one. 0 or -ENOMEM. */
int td_strace_part_begin(struct td_strace_part *part, const char *text, size_t len);

/* Takes the next line of the part apart. What is said refers to the text and to the part's words. 0 or -ENOMEM. */
int td_strace_part_line(struct td_strace_part *part, const char *line, size_t len,
			struct td_strace_said *ret);

void td_strace_part_done(struct td_strace_part *part);

/* Takes the text of a call apart, from its name on: TD_STRACE_WHOLE, else it is none, or spoilt or torn; ret->name
 * is 0 if it has no name. Sets all but line, prefix, event and what. */
enum td_strace_form td_strace_say_call(struct td_strace_words *w, struct td_str text,
				       struct td_strace_said *ret);

/* The same of a call that was taken apart already; parts is borrowed. */
void td_strace_say_parts(struct td_strace_words *w, const struct td_strace_text *parts,
			 struct td_strace_said *ret);

/* The argument n, counted from 1; empty if there is none. */
static inline struct td_str td_strace_arg(const struct td_strace_text *t, unsigned n)
{
	return n && n <= t->nargs ? t->args[n - 1] : (struct td_str){ "", 0 };
}

/* "<... read resumed>"; s is left behind it. */
bool td_strace_scan_resumed(struct td_scan *s, struct td_str *ret_name);

/* Cuts the marker and one blank before it off the end. */
bool td_strace_take_suffix(struct td_str *s, const char *marker);
#define TD_STRACE_UNFINISHED "<unfinished ...>"
#define TD_STRACE_DETACHED "<detached ...>"
