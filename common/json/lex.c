/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/json/lex.h"
#include "common/utf8.h"

#include <math.h>

/* --- words --- */

static bool skip_digits(struct td_scan *s)
{
	const char *from = s->p;

	while (s->p < s->end && td_is_digit(*s->p))
		s->p++;
	return s->p > from;
}

static bool is_number(struct td_str word)
{
	struct td_scan s = td_scan_of(word.p, word.len);

	(void)td_scan_char(&s, '-');
	if (!skip_digits(&s) || (td_scan_char(&s, '.') && !skip_digits(&s)))
		return false;
	if (td_scan_char(&s, 'e') || td_scan_char(&s, 'E')) {
		if (!td_scan_char(&s, '+'))
			(void)td_scan_char(&s, '-');
		if (!skip_digits(&s))
			return false;
	}
	return td_scan_done(&s);
}

enum td_json_word td_json_word(struct td_str word)
{
	static const struct {
		const char *text;
		enum td_json_word word;
	} words[] = {
		{ "null", TD_JSON_WORD_LITERAL },        { "true", TD_JSON_WORD_LITERAL },
		{ "false", TD_JSON_WORD_LITERAL },       { "NaN", TD_JSON_WORD_NOT_FINITE },
		{ "Infinity", TD_JSON_WORD_NOT_FINITE }, { "-Infinity", TD_JSON_WORD_NOT_FINITE },
	};

	if (is_number(word))
		return TD_JSON_WORD_NUMBER;
	for (size_t i = 0; i < TD_ARRAY_SIZE(words); i++)
		if (td_str_eq(word, words[i].text))
			return words[i].word;
	return TD_JSON_WORD_UNKNOWN;
}

/* --- numbers --- */

bool td_json_number(struct td_str word, double *ret)
{
	char text[64];

	if (word.len >= sizeof(text) || !is_number(word))
		return false;
	memcpy(text, word.p, word.len);
	text[word.len] = '\0';
	*ret = strtod(text, NULL);
	return isfinite(*ret);
}

/* The exponent behind 'e', if there is one. */
static bool scan_exponent(struct td_scan *s, int *ret)
{
	bool negative;
	uint64_t v;

	*ret = 0;
	if (!td_scan_char(s, 'e') && !td_scan_char(s, 'E'))
		return true;
	negative = td_scan_char(s, '-');
	if (!negative)
		(void)td_scan_char(s, '+');
	if (!td_scan_u64(s, &v))
		return false;
	*ret = (int)TD_MIN(v, 1000);
	if (negative)
		*ret = -*ret;
	return true;
}

/* Digits with a '.' somewhere: all of them as far as 64 bits go, in *ret, whose last one has the weight
 * 10^*ret_exponent. */
static bool scan_digits(struct td_scan *s, uint64_t *ret, int *ret_exponent)
{
	bool fraction = false, some = false;

	*ret = 0;
	*ret_exponent = 0;
	for (; s->p < s->end && (td_is_digit(*s->p) || (*s->p == '.' && !fraction)); s->p++) {
		if (*s->p == '.') {
			fraction = true;
			continue;
		}
		some = true;
		if (*ret < (UINT64_MAX - 9) / 10) {
			*ret = *ret * 10 + (uint64_t)(*s->p - '0');
			*ret_exponent -= fraction;
		} else {
			*ret_exponent += !fraction;
		}
	}
	return some;
}

bool td_json_fixed(struct td_str word, int decimals, int64_t *ret)
{
	struct td_scan s = td_scan_of(word.p, word.len);
	bool negative = td_scan_char(&s, '-');
	int weight, exponent;
	uint64_t v, unit = 1;

	if (!scan_digits(&s, &v, &weight) || !scan_exponent(&s, &exponent) || !td_scan_done(&s))
		return false;
	weight += exponent + decimals;
	for (; weight > 0 && v; weight--) {
		if (v > INT64_MAX / 10)
			return false;
		v *= 10;
	}
	for (; weight < 0 && unit <= v && unit <= UINT64_MAX / 10; weight++)
		unit *= 10;
	if (weight < 0) /* less than a tenth */
		v = 0;
	else if (unit > 1)
		v = v / unit + (v % unit >= unit / 2);
	if (v > INT64_MAX)
		return false;
	*ret = negative ? -(int64_t)v : (int64_t)v;
	return true;
}

/* --- strings --- */

/* "uXXXX" at p. */
static bool scan_unit(const char *p, const char *end, uint32_t *ret)
{
	struct td_scan s = td_scan_of(p + 1, 4);
	uint64_t v;

	if (end - p < 5 || *p != 'u' || !td_scan_hex(&s, &v) || !td_scan_done(&s))
		return false;
	*ret = (uint32_t)v;
	return true;
}

/* Behind the backslash of an \uXXXX, a pair of them outside of the basic plane; p if it is none. */
static const char *decode_unit(const char *p, const char *end, struct td_strbuf *b)
{
	uint32_t c, low;
	char utf8[4];
	size_t n;

	if (!scan_unit(p, end, &c))
		return p;
	p += 5;
	if (c >= 0xd800 && c < 0xdc00 && end - p > 1 && *p == '\\' && scan_unit(p + 1, end, &low) &&
	    low >= 0xdc00 && low < 0xe000) {
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		p += 6;
	}
	n = td_utf8_encode((c >= 0xd800 && c < 0xe000) || !c ? 0xfffd : c, utf8);
	td_strbuf_add(b, utf8, n);
	return p;
}

bool td_json_escapes_known(struct td_str bare)
{
	const char *p = bare.p, *end = bare.p + bare.len;
	uint32_t c;

	while (p < end && (p = memchr(p, '\\', (size_t)(end - p)))) {
		p++;
		if (p == end || !*p || !strchr("\"\\/bfnrtu", *p))
			return false;
		if (*p == 'u' && !scan_unit(p, end, &c))
			return false;
		p++;
	}
	return true;
}

void td_json_add_decoded(struct td_strbuf *b, struct td_str bare)
{
	static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	const char *p = bare.p, *end = bare.p + bare.len, *slash;

	while (p < end && (slash = memchr(p, '\\', (size_t)(end - p)))) {
		const char *known, *behind;

		td_strbuf_add(b, p, (size_t)(slash - p));
		p = slash + 1;
		known = p < end && *p ? strchr(escapes, *p) : NULL;
		if (known) {
			td_strbuf_addc(b, meanings[known - escapes]);
			p++;
			continue;
		}
		behind = decode_unit(p, end, b);
		if (behind == p)
			td_strbuf_addc(b, '\\');
		p = behind;
	}
	td_strbuf_add(b, p, (size_t)(end - p));
}

struct td_str td_json_decode(struct td_str bare, struct td_strbuf *buf)
{
	if (!bare.len || !memchr(bare.p, '\\', bare.len))
		return bare;
	td_strbuf_reset(buf);
	td_json_add_decoded(buf, bare);
	return (struct td_str){ td_strbuf_str(buf), buf->len };
}
