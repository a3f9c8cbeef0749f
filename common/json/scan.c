/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/json/scan.h"

#define ONES UINT64_C(0x0101010101010101)
#define HIGHS UINT64_C(0x8080808080808080)

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (unsigned char)*p <= ' ')
		p++;
	return p;
}

/* The high bit of the first byte of v that is zero; bits above it mean nothing. */
static uint64_t zero_bytes(uint64_t v)
{
	return (v - ONES) & ~v & HIGHS;
}

/* The next quote or bracket, eight bytes at a time: '[' and '{', ']' and '}' differ in one bit. */
static const char *next_structural(const char *p, const char *end)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	for (; end - p >= 8; p += 8) {
		uint64_t v, folded, found;

		memcpy(&v, p, sizeof(v));
		folded = v | (ONES * 0x20);
		found = zero_bytes(v ^ (ONES * '"')) | zero_bytes(folded ^ (ONES * '{')) |
			zero_bytes(folded ^ (ONES * '}'));
		if (found)
			return p + __builtin_ctzll(found) / 8;
	}
#endif
	while (p < end && *p != '"' && (*p | 0x20) != '{' && (*p | 0x20) != '}')
		p++;
	return p;
}

/* Behind the closing quote of a string that begins before p, NULL if there is none. */
static const char *string_end(const char *p, const char *end)
{
	const char *from = p;

	while (p < end && (p = memchr(p, '"', (size_t)(end - p)))) {
		const char *slashes = p;

		while (slashes > from && slashes[-1] == '\\')
			slashes--;
		p++;
		if ((p - slashes) % 2 == 1) /* the quote itself, and escaped backslashes */
			return p;
	}
	return NULL;
}

static const char *brackets_end(const char *p, const char *end)
{
	size_t depth = 0;

	while ((p = next_structural(p, end)) < end) {
		char c = *p++;

		if (c == '"') {
			p = string_end(p, end);
			if (!p)
				return NULL;
		} else if ((c | 0x20) == '{') {
			depth++;
		} else if (--depth == 0) {
			return p;
		}
	}
	return NULL;
}

static bool ends_word(char c)
{
	return (unsigned char)c <= ' ' || c == ',' || c == '}' || c == ']' || c == ':';
}

const char *td_json_end(const char *p, const char *end)
{
	if (p == end)
		return NULL;
	if (*p == '"')
		return string_end(p + 1, end);
	if (*p == '{' || *p == '[')
		return brackets_end(p, end);
	if (*p == '}' || *p == ']') /* belongs to nothing */
		return p + 1;
	do
		p++;
	while (p < end && !ends_word(*p));
	return p < end ? p : NULL;
}

int td_json_member(struct td_scan *s, struct td_str *ret_key, struct td_str *ret_value)
{
	const char *key, *value, *p = s->p;

	while (p < s->end && ((unsigned char)*p <= ' ' || *p == ',' || *p == '{'))
		p++;
	if (p < s->end && *p == '}')
		return 0;
	if (p == s->end || *p != '"')
		return -EBADMSG;
	key = p + 1;
	p = string_end(key, s->end);
	if (!p)
		return -EBADMSG;
	value = skip_blanks(p, s->end);
	if (value == s->end || *value != ':')
		return -EBADMSG;
	value = skip_blanks(value + 1, s->end);
	if (value == s->end || *value == ',' || *value == '}')
		return -EBADMSG;
	s->p = td_json_end(value, s->end);
	if (!s->p)
		return -EBADMSG;
	*ret_key = (struct td_str){ key, (size_t)(p - 1 - key) };
	*ret_value = (struct td_str){ value, (size_t)(s->p - value) };
	return 1;
}

struct td_str td_json_member_named(struct td_str object, const char *key)
{
	struct td_scan s = td_scan_of(object.p, object.len);
	struct td_str k, value;

	while (object.len && object.p[0] == '{' && td_json_member(&s, &k, &value) > 0)
		if (td_str_eq(k, key))
			return value;
	return (struct td_str){ NULL, 0 };
}

/* --- strings --- */

static void add_utf8(struct td_strbuf *b, uint32_t c)
{
	if (c < 0x80) {
		td_strbuf_addc(b, (char)c);
		return;
	}
	if (c < 0x800) {
		td_strbuf_addc(b, (char)(0xc0 | c >> 6));
	} else {
		if (c < 0x10000) {
			td_strbuf_addc(b, (char)(0xe0 | c >> 12));
		} else {
			td_strbuf_addc(b, (char)(0xf0 | c >> 18));
			td_strbuf_addc(b, (char)(0x80 | (c >> 12 & 0x3f)));
		}
		td_strbuf_addc(b, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	td_strbuf_addc(b, (char)(0x80 | (c & 0x3f)));
}

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

	if (!scan_unit(p, end, &c))
		return p;
	p += 5;
	if (c >= 0xd800 && c < 0xdc00 && end - p > 1 && *p == '\\' && scan_unit(p + 1, end, &low) &&
	    low >= 0xdc00 && low < 0xe000) {
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		p += 6;
	}
	add_utf8(b, (c >= 0xd800 && c < 0xe000) || !c ? 0xfffd : c);
	return p;
}

struct td_str td_json_decode(struct td_str bare, struct td_strbuf *buf)
{
	static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	const char *p, *end, *slash;

	if (!bare.len || !memchr(bare.p, '\\', bare.len))
		return bare;
	p = bare.p;
	end = p + bare.len;
	td_strbuf_reset(buf);
	while (p < end && (slash = memchr(p, '\\', (size_t)(end - p)))) {
		const char *known, *behind;

		td_strbuf_add(buf, p, (size_t)(slash - p));
		p = slash + 1;
		known = p < end && *p ? strchr(escapes, *p) : NULL;
		if (known) {
			td_strbuf_addc(buf, meanings[known - escapes]);
			p++;
			continue;
		}
		behind = decode_unit(p, end, buf);
		if (behind == p)
			td_strbuf_addc(buf, '\\');
		p = behind;
	}
	td_strbuf_add(buf, p, (size_t)(end - p));
	return (struct td_str){ td_strbuf_str(buf), buf->len };
}

/* --- numbers --- */

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

bool td_json_fixed(struct td_str bare, int decimals, int64_t *ret)
{
	struct td_scan s = td_scan_of(bare.p, bare.len);
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
