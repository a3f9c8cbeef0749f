/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/json/events.h"
#include "common/json/lex.h"

static void set_key(struct td_json_events *j, struct td_str key)
{
	size_t n = TD_MIN(key.len, (size_t)TD_JSON_EVENTS_KEY - 1);

	if (j->depth > TD_JSON_EVENTS_DEPTH)
		return;
	memcpy(j->keys[j->depth], key.p, n);
	j->keys[j->depth][n] = '\0';
}

static void no_key(struct td_json_events *j)
{
	set_key(j, (struct td_str){ "", 0 });
}

static int tell(void *arg, struct td_json_events *j, enum td_json_event event, td_json_events_fn on)
{
	int r = j->depth <= TD_JSON_EVENTS_DEPTH ? on(arg, j, event) : 0;

	if (event != TD_JSON_OPEN && event != TD_JSON_CLOSE)
		no_key(j);
	return r;
}

/* A string is a key if a colon follows it, else a value. */
static int string_token(void *arg, struct td_json_events *j, struct td_scan *s,
			td_json_events_fn on)
{
	const char *from = s->p + 1, *end = td_json_string_end(from, s->end);
	struct td_str text;

	if (!end)
		return -EBADMSG;
	text = (struct td_str){ from, (size_t)(end - 1 - from) };
	s->p = end;
	td_scan_blanks(s);
	if (td_scan_char(s, ':')) {
		set_key(j, text);
		return 0;
	}
	j->text = (struct td_str){ text.p, TD_MIN(text.len, (size_t)TD_JSON_EVENTS_TEXT) };
	return tell(arg, j, TD_JSON_STRING, on);
}

/* A number, or a word such as null. */
static int bare_token(void *arg, struct td_json_events *j, struct td_scan *s, td_json_events_fn on)
{
	struct td_str text = { s->p, 0 };
	bool is_number;

	s->p = td_json_word_end(s->p, s->end);
	text.len = (size_t)(s->p - text.p);
	if (!text.len)
		return -EBADMSG;
	is_number = td_json_number(text, &j->number);
	if (td_scan_done(s) && j->unterminated)
		return -EBADMSG; /* more digits may have followed */
	return tell(arg, j, is_number ? TD_JSON_NUMBER : TD_JSON_WORD, on);
}

static int open_token(void *arg, struct td_json_events *j, struct td_scan *s, bool is_object,
		      td_json_events_fn on)
{
	int r;

	if (j->depth < UINT32_MAX)
		j->depth++;
	no_key(j);
	j->is_object = is_object;
	j->behind = ++s->p;
	r = tell(arg, j, TD_JSON_OPEN, on);
	if (j->behind != s->p) {
		s->p = j->behind;
		j->depth--;
		no_key(j);
	}
	return r;
}

static int close_token(void *arg, struct td_json_events *j, bool is_object, td_json_events_fn on)
{
	int r;

	if (j->depth == 0)
		return -EBADMSG;
	j->is_object = is_object;
	r = tell(arg, j, TD_JSON_CLOSE, on);
	j->depth--;
	no_key(j);
	return r;
}

static int next_token(void *arg, struct td_json_events *j, struct td_scan *s, td_json_events_fn on)
{
	char c = *s->p;

	j->at = s->p;
	switch (c) {
	case '"':
		return string_token(arg, j, s, on);
	case '{':
	case '[':
		return open_token(arg, j, s, c == '{', on);
	case '}':
	case ']':
		j->behind = ++s->p;
		return close_token(arg, j, c == '}', on);
	case ',':
	case ':': /* on the line below its key */
	case '\r':
		s->p++;
		return 0;
	default:
		return bare_token(arg, j, s, on);
	}
}

int td_json_events_line(void *arg, struct td_json_events *j, const char *line, size_t len,
			td_json_events_fn on)
{
	struct td_scan s = td_scan_of(line, len);

	j->end = s.end;
	for (td_scan_blanks(&s); !td_scan_done(&s); td_scan_blanks(&s)) {
		int r = next_token(arg, j, &s, on);

		if (r < 0)
			return r;
	}
	return 0;
}
