/* SPDX-License-Identifier: MIT */
/*
 * JSON as programs write it that make it by hand: only what is needed to find one's way is looked at, so
 * unknown escapes, bare words (N/A, nan), commas too many and control characters do no harm. Values stay
 * pieces of the text; strings keep their quotes. common/json/text.h is for text that has to be correct.
 */
#pragma once

#include "common/scan.h"
#include "common/strbuf.h"

/* Where the value that begins at p, which is no blank, ends; NULL if that is not before end. Brackets are
 * counted, not matched. */
const char *td_json_end(const char *p, const char *end);

/* The next member of an object, s being the rest of its text: first "{...}". The key is without quotes.
 * 1, 0 behind the last one, -EBADMSG if it makes no sense. */
int td_json_member(struct td_scan *s, struct td_str *ret_key, struct td_str *ret_value);

/* The value of a key; .p NULL: there is none, or it is not an object. */
struct td_str td_json_member_named(struct td_str object, const char *key);

/* What is between the quotes, or the value itself if it has none. */
static inline struct td_str td_json_bare(struct td_str value)
{
	if (value.len < 2 || value.p[0] != '"')
		return value;
	return (struct td_str){ value.p + 1, value.len - 2 };
}

/* The bare text with its escapes resolved, in buf if it has any. An escape that JSON does not know stays as
 * it is, half of a surrogate pair becomes U+FFFD. */
struct td_str td_json_decode(struct td_str bare, struct td_strbuf *buf);

/* A decimal number, "-12.5e3", times 10^decimals, rounded half away from zero; no bit is lost on the way.
 * false: not a number, or beyond +-(2^63 - 1). */
bool td_json_fixed(struct td_str bare, int decimals, int64_t *ret);
