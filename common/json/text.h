/* SPDX-License-Identifier: MIT */
/*
 * JSON that stays text: a few members are wanted, and the rest is kept as it is or passed over. Values are pieces of
 * the text; numbers are never converted on the way, so none loses digits.
 *
 * Programs write JSON by hand. What only finds its way looks at no more than that takes: unknown escapes, bare words
 * (N/A, nan), commas too many and control characters do no harm. What has to be correct is checked once, by
 * td_json_value().
 */
#pragma once

#include "common/json/lex.h"

/* Where the value that begins at p, which is no blank, ends; NULL if that is not before end. Brackets are
 * counted, not matched. */
const char *td_json_end(const char *p, const char *end);

/* The next member of an object, s being the rest of its text: first "{...}". The key is without quotes, escapes in it
 * stay. 1, 0 behind the last one, -EBADMSG if it makes no sense. */
int td_json_member(struct td_scan *s, struct td_str *ret_key, struct td_str *ret_value);

/* An object, and its members if it was taken apart while its end was looked for. */
#define TD_JSON_MEMBERS_MAX 24
struct td_json_object {
	size_t n; /* 0: it was not */
	struct {
		struct td_str key, value; /* as of td_json_member() */
	} members[TD_JSON_MEMBERS_MAX];
};

/* As td_json_end() where that is the end of an object of up to TD_JSON_MEMBERS_MAX members, which is then taken apart
 * in the same look; else NULL, which says nothing, and ret->n is 0. */
const char *td_json_object_end(const char *p, const char *end, struct td_json_object *ret);

/* The value of a key; .p NULL: there is none, or it is not an object. */
struct td_str td_json_get(struct td_str object, const char *key);

/* One whole value, checked, without the blanks around it. false: the text is not JSON. Accepted beyond RFC 8259,
 * since logs have it: control characters anywhere, NaN and Infinity. */
bool td_json_value(struct td_scan *s, struct td_str *ret);

static inline bool td_json_is_object(struct td_str value)
{
	return value.len && value.p[0] == '{';
}

/* What is between the quotes of a string; false: it is not one. */
bool td_json_string(struct td_str value, struct td_str *ret);

/* What is between the quotes, or the value itself if it has none. */
static inline struct td_str td_json_bare(struct td_str value)
{
	if (value.len < 2 || value.p[0] != '"')
		return value;
	return (struct td_str){ value.p + 1, value.len - 2 };
}

/* Nothing to keep: absent, null, "", {}, []. */
bool td_json_is_empty(struct td_str value);

/* Does a line of the text begin with an object whose first key is this one? In a program that reads such text
 * it is quoted. */
bool td_json_begins(const char *text, size_t len, const char *key);
