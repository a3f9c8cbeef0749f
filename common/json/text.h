/* SPDX-License-Identifier: MIT */
/*
 * JSON that stays text: for logs of one object per line, where a few members are wanted and the rest is
 * kept as it is. Numbers are never converted on the way, so none loses digits.
 *
 * Accepted beyond RFC 8259, since logs have it: control characters anywhere, NaN and Infinity.
 */
#pragma once

#include "common/scan.h"
#include "common/strbuf.h"

/* One whole value, checked, without the blanks around it. false: the text is not JSON. */
bool td_json_value(struct td_scan *s, struct td_str *ret);

/* The next member of an object that td_json_value() gave, s being the rest of its text: first "{...}".
 * The key is without quotes, escapes in it stay. false: no more. */
bool td_json_next(struct td_scan *s, struct td_str *ret_key, struct td_str *ret_value);

/* The value of a key; .p NULL: there is none, or it is not an object. */
struct td_str td_json_get(struct td_str object, const char *key);

static inline bool td_json_is_object(struct td_str value)
{
	return value.len && value.p[0] == '{';
}

/* What is between the quotes of a string; false: it is not one. */
bool td_json_string(struct td_str value, struct td_str *ret);

/* false: not a number. */
bool td_json_number(struct td_str value, double *ret);

/* Nothing to keep: absent, null, "", {}, []. */
bool td_json_is_empty(struct td_str value);

/* Does a line of the text begin with an object whose first key is this one? In a program that reads such text
 * it is quoted. */
bool td_json_begins(const char *text, size_t len, const char *key);

/* Adds the value without the blanks in it, as strict JSON. */
void td_json_add(struct td_strbuf *b, struct td_str value);

/* Adds any text as a JSON string. */
void td_json_add_string(struct td_strbuf *b, struct td_str text);
