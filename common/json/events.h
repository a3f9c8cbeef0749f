/* SPDX-License-Identifier: MIT */
/*
 * JSON read as it comes, line by line, wherever it is broken into lines: for monitors that write one object
 * for the whole run, which is cut when they are killed. Memory does not grow with it.
 */
#pragma once

#include "common/scan.h"

#define TD_JSON_EVENTS_DEPTH 16 /* of what is looked at; deeper things are passed over */
#define TD_JSON_EVENTS_KEY 64 /* longer keys are cut */
#define TD_JSON_EVENTS_TEXT 512 /* and longer texts */

enum td_json_event {
	TD_JSON_OPEN, /* an object or array begins; depth counts it already */
	TD_JSON_CLOSE, /* it ends; depth still counts it */
	TD_JSON_STRING,
	TD_JSON_NUMBER,
	TD_JSON_WORD, /* true, null, NaN */
};

/* Of the event that is being told. */
struct td_json_events {
	bool unterminated; /* set by the caller: the line has no newline, so a bare value at its end may go on */
	unsigned depth; /* of braces and brackets around */
	/* keys[d]: under which the thing at depth d + 1 was opened; "" for an element of an array, and for the
	 * whole. keys[depth] is that of the value told. */
	char keys[TD_JSON_EVENTS_DEPTH + 1][TD_JSON_EVENTS_KEY];
	struct td_str text; /* STRING: what is between the quotes, escapes as they are */
	double number; /* NUMBER */
	bool is_object; /* OPEN and CLOSE */
	const char *at; /* where on the line it begins */
	/* OPEN and CLOSE: behind the bracket. OPEN: may be set behind the closing one, if that is on the line: then
	 * nothing is told of what is between them, and no CLOSE. */
	const char *behind;
	const char *end; /* of the line */
};

typedef int (*td_json_events_fn)(void *arg, struct td_json_events *j, enum td_json_event event);

/* Tells the events of one line. 0; -EBADMSG: it is no JSON, or ends within a value (the rest of it is left out); or
 * the first negative result of on. */
int td_json_events_line(void *arg, struct td_json_events *j, const char *line, size_t len,
			td_json_events_fn on);

/* Key of the value told, or of the object or array that is opened or closed. */
static inline const char *td_json_events_key(const struct td_json_events *j, enum td_json_event e)
{
	unsigned d = e == TD_JSON_OPEN || e == TD_JSON_CLOSE ? j->depth - 1 : j->depth;

	return d <= TD_JSON_EVENTS_DEPTH ? j->keys[d] : "";
}

/* Key of the object or array that is up levels out from the one around the value told (0), or "". */
static inline const char *td_json_events_around(const struct td_json_events *j, unsigned up)
{
	return j->depth > up && j->depth - up - 1 <= TD_JSON_EVENTS_DEPTH
		       ? j->keys[j->depth - up - 1]
		       : "";
}
