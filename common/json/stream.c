/* SPDX-License-Identifier: MIT */
#include "common/json/stream.h"

#define WINDOW ((size_t)64 * 1024) /* what is asked for at once, at least */
#define SEAM 1024 /* "},\n    {" with its blanks, and a quote, is shorter than this */
#define END_OF_TEXT 256 /* no character */
#define WASTE 8 /* times the text so far: more is not read again in search of the next element */

void td_json_stream_init(struct td_json_stream *js, struct td_stream *in, struct td_err *err)
{
	*js = (struct td_json_stream){ .in = in, .err = err };
}

int64_t td_json_stream_position(const struct td_json_stream *js)
{
	return td_stream_taken_bytes(js->in) + (js->p - js->window);
}

void td_json_stream_leave(struct td_json_stream *js)
{
	if (js->window)
		td_stream_consume(js->in, (size_t)(js->p - js->window));
	js->window = js->p = js->end = NULL;
	js->whole = false;
}

/* Shows at least min bytes from p on, if there are so many, and never more than TD_LINE_MAX: what
 * is made of damage does not depend on how much a buffer holds. */
static int more(struct td_json_stream *js, size_t min)
{
	size_t len;
	int r;

	td_json_stream_leave(js);
	min = TD_MIN(min, TD_LINE_MAX);
	r = td_stream_window(js->in, min, &js->window, &len, js->err);
	if (r < 0)
		return r;
	js->p = js->window;
	js->end = js->window + TD_MIN(len, TD_LINE_MAX);
	js->whole = len < min;
	return 0;
}

int td_json_stream_peek(struct td_json_stream *js)
{
	int r = 0;

	while (r == 0) {
		js->p = td_json_blanks(js->p, js->end);
		if (js->p < js->end)
			return (unsigned char)*js->p;
		if (js->whole)
			return 0;
		r = more(js, WINDOW);
	}
	return r;
}

int td_json_stream_enter(struct td_json_stream *js, char bracket)
{
	int c = td_json_stream_peek(js);

	if (c != bracket)
		return c < 0 ? c : 0;
	js->p++;
	return 1;
}

/* --- values --- */

/* The value at p, which is no blank, taken apart if it is an object. TD_JSON_SPOILT: it is longer than TD_LINE_MAX. */
static int take_value(struct td_json_stream *js, struct td_str *ret)
{
	for (;;) {
		const char *object = td_json_object_end(js->p, js->end, &js->object);
		const char *e = object ? object : td_json_end(js->p, js->end);
		size_t have = (size_t)(js->end - js->p);
		int r;

		if (e && e - js->p <= (ptrdiff_t)TD_LINE_MAX) {
			js->element = js->p;
			*ret = (struct td_str){ js->p, (size_t)(e - js->p) };
			js->p = e;
			return TD_JSON_GOT;
		}
		if (e || have >= TD_LINE_MAX)
			return TD_JSON_SPOILT;
		if (js->whole)
			return TD_JSON_CUT;
		r = more(js, TD_MAX(2 * have, WINDOW));
		if (r < 0)
			return r;
	}
}

/* To the end of the value at p, too long to be seen as a whole. */
static int skip_long(struct td_json_stream *js)
{
	bool string = false, escaped = false;
	int depth = 0, r = 0;

	while (r >= 0) {
		while (js->p < js->end) {
			char c = *js->p++;

			if (escaped)
				escaped = false;
			else if (string && c == '\\')
				escaped = true;
			else if (c == '"')
				string = !string;
			else if (!string && (c == '{' || c == '['))
				depth++;
			else if (!string && (c == '}' || c == ']'))
				depth--;
			if (!string && depth <= 0)
				return TD_JSON_SPOILT;
		}
		if (js->whole)
			return TD_JSON_CUT;
		r = more(js, WINDOW);
	}
	return r;
}

int td_json_stream_value(struct td_json_stream *js, struct td_str *ret)
{
	int r = td_json_stream_peek(js);

	if (r <= 0)
		return r < 0 ? r : TD_JSON_CUT;
	r = take_value(js, ret);
	return r == TD_JSON_SPOILT ? skip_long(js) : r;
}

int td_json_stream_skip(struct td_json_stream *js)
{
	struct td_str value;
	int r = td_json_stream_value(js, &value);

	return r == TD_JSON_SPOILT ? TD_JSON_GOT : r;
}

/* Goes to the next key or element: the character that it begins with, TD_JSON_CLOSED behind the last one,
 * END_OF_TEXT, -errno. */
static int separator(struct td_json_stream *js, char close)
{
	int c;

	while ((c = td_json_stream_peek(js)) == ',')
		js->p++;
	if (c == 0)
		return END_OF_TEXT;
	if (c != close)
		return c;
	js->p++;
	return TD_JSON_CLOSED;
}

int td_json_stream_key(struct td_json_stream *js, struct td_str *ret)
{
	struct td_str text;
	size_t len;
	int r = separator(js, '}');

	if (r != '"')
		return r == END_OF_TEXT ? TD_JSON_CUT : r > 0 ? TD_JSON_SPOILT : r;
	r = take_value(js, &text);
	if (r != TD_JSON_GOT)
		return r;
	text = td_json_bare(text);
	len = TD_MIN(text.len, sizeof(js->head));
	memcpy(js->head, text.p, len); /* the window may move on the way to its value */
	r = td_json_stream_enter(js, ':');
	if (r <= 0)
		return r < 0 ? r : js->whole && js->p == js->end ? TD_JSON_CUT : TD_JSON_SPOILT;
	*ret = (struct td_str){ js->head, len };
	return TD_JSON_GOT;
}

/* --- elements --- */

/* Behind the '}' of an object: the next one, NULL if none follows. */
static const char *object_behind(const char *p, const char *end)
{
	const char *object;

	p = td_json_blanks(p, end);
	if (p == end || *p++ != ',')
		return NULL;
	p = td_json_blanks(p, end);
	if (p == end || *p != '{')
		return NULL;
	object = p++;
	p = td_json_blanks(p, end);
	return p < end && *p == '"' ? object : NULL;
}

/* Goes to where an object begins behind another: 1, 0 if that is nowhere, -errno. */
static int find_object(struct td_json_stream *js)
{
	for (;;) {
		const char *close = memchr(js->p, '}', (size_t)(js->end - js->p)), *object;

		js->p = close ? close : js->end;
		if (js->end - js->p < SEAM && !js->whole) {
			int r = more(js, WINDOW);

			if (r < 0)
				return r;
			continue;
		}
		if (!close)
			return 0;
		object = object_behind(close + 1, TD_MIN(js->end, close + SEAM));
		js->p = object ? object : close + 1;
		if (object)
			return 1;
	}
}

static bool may_waste(struct td_json_stream *js, int64_t bytes)
{
	js->wasted_bytes += bytes;
	return js->wasted_bytes <
	       WASTE * (td_json_stream_position(js) + (int64_t)TD_LINE_MAX) + (int64_t)TD_LINE_MAX;
}

/* There is no end to the element at p. */
static int step_over(struct td_json_stream *js, struct td_str *ret)
{
	size_t len = TD_MIN((size_t)(js->end - js->p), sizeof(js->head));
	int r;

	memcpy(js->head, js->p, len);
	*ret = (struct td_str){ js->head, len };
	js->p = may_waste(js, js->end - js->p) ? js->p + 1 : js->end;
	r = find_object(js);
	return r < 0 ? r : r ? TD_JSON_SPOILT : TD_JSON_CUT;
}

int td_json_stream_element(struct td_json_stream *js, struct td_str *ret)
{
	int r = separator(js, ']');

	*ret = (struct td_str){ js->p, 0 };
	if (r <= 0 || r == END_OF_TEXT)
		return r == END_OF_TEXT ? TD_JSON_CUT : r;
	r = take_value(js, ret);
	return r == TD_JSON_SPOILT || r == TD_JSON_CUT ? step_over(js, ret) : r;
}

const char *td_json_next_object(const char *text, const char *end)
{
	const char *object = NULL;

	while (!object && (text = memchr(text, '}', (size_t)(end - text)))) {
		text++;
		object = object_behind(text, TD_MIN(end, text + SEAM));
	}
	return object;
}

/* The first key behind p, with its quotes. */
static struct td_str first_key(const char *p, const char *end)
{
	const char *key = memchr(p, '"', (size_t)(end - p)), *e;

	e = key ? td_json_string_end(key + 1, end) : NULL;
	return (struct td_str){ key, e ? (size_t)(e - key) : 0 };
}

static bool begins_with_key(const char *object, const char *end, struct td_str key)
{
	const char *quote = memchr(object, '"', (size_t)(end - object));

	return quote && (size_t)(end - quote) >= key.len && memcmp(quote, key.p, key.len) == 0;
}

size_t td_json_whole_objects(const char *text, size_t len)
{
	const struct td_str key = first_key(text, text + len);
	const char *end = text + len, *p = end, *last = NULL;

	while (p > text && (p = memrchr(text, '}', (size_t)(p - text)))) {
		const char *object = object_behind(p + 1, TD_MIN(end, p + SEAM));

		if (!object)
			continue;
		last = last ? last : object;
		if (key.len && begins_with_key(object, end, key))
			return (size_t)(object - text);
	}
	return last ? (size_t)(last - text) : 0;
}

void td_json_stream_spoilt(struct td_json_stream *js)
{
	const char *p = js->element, *object = NULL;

	if (!may_waste(js, js->p - p))
		return;
	object = td_json_next_object(p, js->p);
	if (object)
		js->p = object;
}
