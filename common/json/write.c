/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/json/lex.h"
#include "common/json/write.h"
#include "common/printable.h"
#include "common/utf8.h"

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c != '"' && c != '\\' && c != 0x7f;
}

/* How many bytes at p may stand in a string as they are: a character of ASCII or a whole sequence of UTF-8. What would
 * act on a terminal may not. */
static size_t plain_len(const char *p, const char *end)
{
	uint32_t cp;
	size_t n;

	if ((unsigned char)*p < 0x80)
		return is_plain((unsigned char)*p);
	n = td_utf8_decode(p, (size_t)(end - p), &cp);
	return n && !td_acts_on_terminal(cp) ? n : 0;
}

/* Adds what may stand in a string as it is, up to the next byte that may not. */
static const char *add_plain(struct td_strbuf *b, const char *p, const char *end)
{
	const char *from = p;

	for (size_t n; p < end && (n = plain_len(p, end)) > 0;)
		p += n;
	td_strbuf_add(b, from, (size_t)(p - from));
	return p;
}

/* Adds what stands for what is beyond ASCII there: all characters that act are below U+10000. */
static const char *add_other_utf8(struct td_strbuf *b, const char *p, const char *end)
{
	uint32_t cp;
	size_t n = td_utf8_decode(p, (size_t)(end - p), &cp);

	if (n)
		td_strbuf_addf(b, "\\u%04x", cp);
	else
		td_strbuf_adds(b, "\xef\xbf\xbd");
	return p + (n ? n : 1);
}

/* Adds what stands for the byte at p, which may not stand there as it is. */
static const char *add_other(struct td_strbuf *b, const char *p, const char *end)
{
	static const char letters['\\' + 1] = {
		['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r',
		['\t'] = 't', ['"'] = '"',  ['\\'] = '\\'
	};
	unsigned char c = (unsigned char)*p;

	if (c >= 0x80)
		return add_other_utf8(b, p, end);
	if (c < sizeof(letters) && letters[c])
		td_strbuf_add(b, (const char[]){ '\\', letters[c] }, 2);
	else
		td_strbuf_addf(b, "\\u%04x", c);
	return p + 1;
}

void td_json_add_string(struct td_strbuf *b, struct td_str text)
{
	const char *p = text.p, *end = text.p + text.len;

	td_strbuf_addc(b, '"');
	while ((p = add_plain(b, p, end)) < end)
		p = add_other(b, p, end);
	td_strbuf_addc(b, '"');
}

void td_json_add_key(struct td_strbuf *b, const char *key)
{
	if (b->len && b->p[b->len - 1] != '{')
		td_strbuf_addc(b, ',');
	td_json_add_string(b, (struct td_str){ key, strlen(key) });
	td_strbuf_addc(b, ':');
}

/* A string that is JSON already, whose escapes stay. Behind it. */
static const char *add_quoted(struct td_strbuf *b, const char *p, const char *end)
{
	td_strbuf_addc(b, *p++);
	while ((p = add_plain(b, p, end)) < end && *p != '"') {
		if (*p == '\\' && end - p > 1) {
			td_strbuf_add(b, p, 2);
			p += 2;
		} else {
			p = add_other(b, p, end);
		}
	}
	td_strbuf_addc(b, '"');
	return p < end ? p + 1 : p;
}

/* A number, a word, or what stands between values. Behind it. */
static const char *add_word(struct td_strbuf *b, const char *p, const char *end)
{
	struct td_str word = { p, (size_t)(td_json_word_end(p, end) - p) };

	if (!word.len)
		word.len = 1;
	if (td_json_word(word) == TD_JSON_WORD_NOT_FINITE)
		td_strbuf_adds(b, "null");
	else
		td_strbuf_add(b, word.p, word.len);
	return word.p + word.len;
}

void td_json_add(struct td_strbuf *b, struct td_str value)
{
	const char *p = value.p, *end = value.p + value.len;

	while ((p = td_json_blanks(p, end)) < end)
		p = *p == '"' ? add_quoted(b, p, end) : add_word(b, p, end);
}
