/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/utf8.h"

size_t td_utf8_decode(const char *text, size_t len, uint32_t *ret)
{
	const unsigned char *p = (const unsigned char *)text;
	static const struct {
		unsigned char mask, lead;
		unsigned least; /* smallest code point that needs this length */
	} forms[] = { { 0x80, 0x00, 1 },
		      { 0xe0, 0xc0, 0x80 },
		      { 0xf0, 0xe0, 0x800 },
		      { 0xf8, 0xf0, 0x10000 } };

	for (size_t n = 1; n <= TD_ARRAY_SIZE(forms); n++) {
		uint32_t cp;

		if ((p[0] & forms[n - 1].mask) != forms[n - 1].lead)
			continue;
		if (len < n)
			return 0;
		cp = p[0] & (unsigned char)~forms[n - 1].mask;
		for (size_t i = 1; i < n; i++) {
			if ((p[i] & 0xc0) != 0x80)
				return 0;
			cp = cp << 6 | (p[i] & 0x3f);
		}
		if (cp < forms[n - 1].least || cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000))
			return 0;
		*ret = cp;
		return n;
	}
	return 0;
}

size_t td_utf8_encode(uint32_t cp, char ret[4])
{
	static const unsigned char leads[] = { 0x00, 0xc0, 0xe0, 0xf0 };
	size_t n = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;

	for (size_t i = n - 1; i > 0; i--, cp >>= 6)
		ret[i] = (char)(0x80 | (cp & 0x3f));
	ret[0] = (char)(leads[n - 1] | cp);
	return n;
}

/* Are these eight bytes ASCII and not NUL? */
static bool is_plain(const char *p)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
	uint64_t eight;

	memcpy(&eight, p, sizeof(eight));
	return !(((eight - ones) | eight) & tops); /* a NUL borrows, others have the top bit */
}

/* How many bytes from here on are ASCII and not NUL, in steps of eight: nearly all text is. */
static size_t plain_bytes(const char *p, size_t len)
{
	char few[8] = { ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ' };
	size_t n = 0;

	if (len < 8) {
		for (; n < len; n++)
			few[n] = p[n];
		return is_plain(few) ? len : 0;
	}
	for (; n + 8 <= len; n += 8)
		if (!is_plain(p + n))
			return n;
	/* the last eight, of which some have been looked at */
	return is_plain(p + len - 8) ? len : n;
}

bool td_utf8_valid(const char *p, size_t len)
{
	uint32_t cp;
	size_t n;

	for (size_t i = plain_bytes(p, len); i < len; i += n) {
		n = td_utf8_decode(p + i, len - i, &cp);
		if (n == 0)
			return false;
	}
	return true;
}

char *td_utf8_dup(const char *p, size_t len)
{
	static const char replacement[] = "\xef\xbf\xbd";
	char *out = malloc(len * 3 + 1), *to = out;
	uint32_t cp;
	size_t n;

	if (!out)
		return NULL;
	for (size_t i = 0; i < len; i += n) {
		n = td_utf8_decode(p + i, len - i, &cp);
		if (n) {
			memcpy(to, p + i, n);
			to += n;
		} else {
			memcpy(to, replacement, 3);
			to += 3;
			n = 1;
		}
	}
	*to = '\0';
	return out;
}

int td_utf8_set(char **p, const char *text)
{
	char *copy = NULL;

	if (text) {
		copy = td_utf8_dup(text, strlen(text));
		if (!copy)
			return -ENOMEM;
	}
	free(*p);
	*p = copy;
	return 0;
}
