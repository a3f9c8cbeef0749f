/* SPDX-License-Identifier: MIT */
/*
 * The words of JSON: where strings, numbers and bare words end, and what they are worth. All that reads JSON here
 * reads it with these, whether the text lies there as a whole (common/json/text.h), or comes by in pieces
 * (stream.h) or in lines (events.h).
 */
#pragma once

#include "common/scan.h"
#include "common/strbuf.h"

/* What a bare word is. */
enum td_json_word {
	TD_JSON_WORD_UNKNOWN, /* JSON does not know it: N/A, nan */
	TD_JSON_WORD_LITERAL, /* null, true, false */
	TD_JSON_WORD_NUMBER,
	TD_JSON_WORD_NOT_FINITE, /* NaN, Infinity, -Infinity: JSON has no word for them, but Python does */
};

/* Behind the blanks at p; logs have control characters anywhere. */
static inline const char *td_json_blanks(const char *p, const char *end)
{
	while (p < end && (unsigned char)*p <= ' ')
		p++;
	return p;
}

/* Behind the closing quote of a string that begins before p; NULL if there is none. Its escapes are passed over. */
static inline const char *td_json_string_end(const char *p, const char *end)
{
	const char *from = p;

	while (p < end && (p = (const char *)memchr(p, '"', (size_t)(end - p)))) {
		const char *slashes = p;

		while (slashes > from && slashes[-1] == '\\')
			slashes--;
		p++;
		if ((p - slashes) % 2 == 1) /* the quote itself, and escaped backslashes */
			return p;
	}
	return NULL;
}

/* Where the bare word or number ends that p is in. */
static inline const char *td_json_word_end(const char *p, const char *end)
{
	while (p < end && (unsigned char)*p > ' ' && *p != ',' && *p != ':' && *p != '"' &&
	       (*p | 0x20) != '{' && (*p | 0x20) != '}')
		p++;
	return p;
}

enum td_json_word td_json_word(struct td_str word);

/* false: not a number, or beyond what a double can hold. */
bool td_json_number(struct td_str word, double *ret);

/* A decimal number, "-12.5e3", times 10^decimals, rounded half away from zero; no bit is lost on the way.
 * false: not a number, or beyond +-(2^63 - 1). */
bool td_json_fixed(struct td_str word, int decimals, int64_t *ret);

/* Does JSON know all the escapes in what is between the quotes of a string? */
bool td_json_escapes_known(struct td_str bare);

/* What is between the quotes of a string with its escapes resolved, in buf if it has any. An escape that JSON does
 * not know stays as it is, half of a surrogate pair and NUL become U+FFFD. */
struct td_str td_json_decode(struct td_str bare, struct td_strbuf *buf);

/* As td_json_decode(), added to b. */
void td_json_add_decoded(struct td_strbuf *b, struct td_str bare);
