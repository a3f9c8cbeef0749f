/* SPDX-License-Identifier: MIT */
/*
 * A JSON text of any length, taken apart while it streams by, in bounded memory: the caller steps through
 * the outer objects and arrays and gets what is in them as pieces of text, for common/json/text.h. Damage
 * is found out and stepped over.
 */
#pragma once

#include "common/err.h"
#include "common/json/text.h"
#include "common/scan.h"
#include "common/stream.h"

#define TD_JSON_HEAD 512 /* bytes kept of what is spoilt */

/* What a step came to; below 0 an errno. */
enum td_json_step {
	TD_JSON_CLOSED, /* the object or array ends here */
	TD_JSON_GOT,
	TD_JSON_SPOILT, /* there was something that is no value; the next element may be good again */
	TD_JSON_CUT, /* the text ends before its time */
};

struct td_json_stream {
	struct td_stream *in; /* borrowed */
	struct td_err *err; /* borrowed */
	const char *window; /* of in */
	const char *p, *end; /* what of it is not used yet */
	const char *element; /* begin of the one given last */
	bool whole; /* nothing comes behind end */
	struct td_json_object object; /* the element given last, if it is TD_JSON_GOT */
	int64_t wasted_bytes; /* read again, because of damage */
	char head[TD_JSON_HEAD];
};

void td_json_stream_init(struct td_json_stream *js, struct td_stream *in, struct td_err *err);

/* Bytes of text before what comes next. */
int64_t td_json_stream_position(const struct td_json_stream *js);

/* Leaves the text from here on to who takes it of the stream, until the next call goes on where that has come to. */
void td_json_stream_leave(struct td_json_stream *js);

/* The next character that is no blank, not taken; 0 at the end, -errno. */
int td_json_stream_peek(struct td_json_stream *js);

/* Steps into an object ('{') or array ('['): 1, 0 if there is none, -errno. */
int td_json_stream_enter(struct td_json_stream *js, char bracket);

/* The next key of the object, at most TD_JSON_HEAD bytes of it, valid until the next call. Its value has to
 * be taken next: by entering, getting or skipping it. Never TD_JSON_SPOILT with a key. */
int td_json_stream_key(struct td_json_stream *js, struct td_str *ret);

/* The value of a key, valid until the next call. TD_JSON_SPOILT: it was longer than TD_LINE_MAX and is
 * skipped now. */
int td_json_stream_value(struct td_json_stream *js, struct td_str *ret);
int td_json_stream_skip(struct td_json_stream *js);

/* The next element of the array, valid until the next call. TD_JSON_SPOILT and TD_JSON_CUT: the begin of
 * what should be one, if there is anything. An element that does not end, or not within TD_LINE_MAX, is
 * spoilt, or cut if nothing behind it looks like the next object. */
int td_json_stream_element(struct td_json_stream *js, struct td_str *ret);

/* Of bytes that are in an array of objects: how many are before the last one that begins behind
 * another, preferably one whose first key is that of the first one; 0: there is none. The text may
 * be in a string or deeper than it seems: that is for who reads up to there to see. */
size_t td_json_whole_objects(const char *text, size_t len);

/* Where an object begins behind another, in the same way; NULL if that is nowhere. */
const char *td_json_next_object(const char *text, const char *end);

/* The element given last makes no sense, perhaps because a quote too many makes one of several: goes back to
 * the second one if so. */
void td_json_stream_spoilt(struct td_json_stream *js);
