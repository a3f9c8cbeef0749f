/* SPDX-License-Identifier: MIT */
/* Command lines, and the arguments of calls, spans and marks: text, or JSON. */
#include "analyzer/redact/texts_private.h"
#include "common/cleanup.h"

/* '--data_dir=/raid/x': what stands on each side of signs is a path. */
static void name_argument(struct td_names *n, struct td_str word, struct td_strbuf *ret)
{
	static const char signs[] = "=:,-\"'()[]{}|;&";

	while (word.len) {
		struct td_str part = td_text_until(&word, signs);

		if (part.len)
			td_text_name_path(n, part, ret);
		if (word.len) {
			td_strbuf_addc(ret, *word.p);
			word.p++;
			word.len--;
		}
	}
}

void td_text_name_command(struct td_names *n, struct td_str text, struct td_strbuf *ret)
{
	while (text.len) {
		name_argument(n, td_text_until(&text, " \t\n"), ret);
		if (!text.len)
			return;
		td_strbuf_addc(ret, ' ');
		text.p++;
		text.len--;
	}
}

bool td_text_is_number(struct td_str word)
{
	size_t i = td_str_starts(word, "0x") ? 2 : td_str_starts(word, "-") ? 1 : 0;
	bool hex = i == 2;

	if (i == word.len)
		return false;
	for (; i < word.len; i++)
		if (!td_is_digit(word.p[i]) &&
		    !(hex && (word.p[i] | 32) >= 'a' && (word.p[i] | 32) <= 'f'))
			return false;
	return true;
}

static bool is_flag(struct td_str word)
{
	static const char *const prefixes[] = {
		"AF_",      "AT_",     "CLONE_", "EPOLL", "F_",   "FUTEX_", "GRND_",
		"IPPROTO_", "LOCK_",   "MADV_",  "MAP_",  "MSG_", "O_",     "POSIX_FADV_",
		"PROT_",    "RENAME_", "RWF_",   "SEEK_", "SFD_", "SIG",    "SOCK_",
		"SOL_",     "STATX_",  "S_I",    NULL,
	};

	for (size_t i = 0; i < word.len; i++)
		if (word.p[i] != '_' && !td_is_digit(word.p[i]) &&
		    !(word.p[i] >= 'A' && word.p[i] <= 'Z'))
			return false;
	return td_text_begins_with_any(word, prefixes);
}

/* The text between quotes that begins at p; *text is moved behind the second one. False: there is none. */
static bool quoted_text(struct td_str *text, struct td_str *ret)
{
	size_t i = 1;

	while (i < text->len && text->p[i] != '"')
		i += text->p[i] == '\\' ? 2 : 1;
	if (i >= text->len)
		return false;
	*ret = (struct td_str){ text->p + 1, i - 1 };
	text->p += i + 1;
	text->len -= i + 1;
	return true;
}

/* 'AT_FDCWD, "name", O_RDONLY|O_CLOEXEC, 0x1b6' */
static void name_plain_args(struct td_names *n, struct td_str text, struct td_strbuf *ret)
{
	while (text.len) {
		struct td_str word = td_text_until(&text, "\" ,|=()[]"), quoted;

		if (td_text_is_number(word) || is_flag(word))
			td_text_keep(word, ret);
		else if (word.len)
			name_argument(n, word, ret);
		if (text.len && *text.p == '"') {
			if (!quoted_text(&text, &quoted))
				quoted = td_text_until(&text, ""); /* cut off: what is left */
			td_strbuf_addc(ret, '"');
			td_name_word(n, 'q', quoted, ret);
			td_strbuf_addc(ret, '"');
		} else if (text.len) {
			td_strbuf_addc(ret, *text.p);
			text.p++;
			text.len--;
		}
	}
}

/* --- JSON --- */

static const char *const json_keys[] = {
	"value",  "metadata", "epoch_num", "step_num", "lineno", "status",
	"device", "stream",   "style",     "domain",   "rank",   "cpus",
	"ranks",  "count",    "bytes",     "size",     "type",   NULL,
};
static const char *const json_values[] = {
	"success", "aborted", "PushPop", "StartEnd", "send", "receive", NULL,
};

static bool colon_follows(struct td_str text)
{
	while (text.len && td_is_blank(*text.p)) {
		text.p++;
		text.len--;
	}
	return text.len && *text.p == ':';
}

static bool is_json_number(struct td_str word)
{
	for (size_t i = 0; i < word.len; i++)
		if (!td_is_digit(word.p[i]) && !strchr("+-.eE", word.p[i]))
			return false;
	return td_is_digit(*word.p) || *word.p == '-';
}

/* What stands outside of quotes. Numbers stay where their key does, and are 0 elsewhere. False: this is no JSON. */
static bool name_json_word(struct td_str word, bool is_known, struct td_strbuf *ret)
{
	static const char *const words[] = { "", "true", "false", "null", NULL };

	if (td_text_is_in(word, words) || (is_known && is_json_number(word)))
		td_text_keep(word, ret);
	else if (is_json_number(word))
		td_strbuf_addc(ret, '0');
	else
		return false;
	return true;
}

/* text begins with the quotes. */
static bool name_json_string(struct td_names *n, struct td_str *text, bool *is_known,
			     struct td_strbuf *ret)
{
	bool is_key;
	struct td_str s;

	if (!quoted_text(text, &s))
		return false;
	is_key = colon_follows(*text);
	if (is_key)
		*is_known = td_text_is_in(s, json_keys);
	td_strbuf_addc(ret, '"');
	td_text_keep_or_name(n, is_key ? 'k' : 'v',
			     is_key ? *is_known : td_text_is_in(s, json_values), s, ret);
	td_strbuf_addc(ret, '"');
	return true;
}

static bool name_json(struct td_names *n, struct td_str text, struct td_strbuf *ret)
{
	bool is_known = false;

	while (text.len) {
		if (!name_json_word(td_text_until(&text, "\"{}[],: \t\n"), is_known, ret))
			return false;
		if (text.len && *text.p == '"') {
			if (!name_json_string(n, &text, &is_known, ret))
				return false;
		} else if (text.len) {
			td_strbuf_addc(ret, *text.p);
			text.p++;
			text.len--;
		}
	}
	return true;
}

void td_text_name_args(struct td_names *n, struct td_str text, struct td_strbuf *ret)
{
	size_t before = ret->len;

	if (!text.len || (*text.p != '{' && *text.p != '[')) {
		name_plain_args(n, text, ret);
		return;
	}
	if (name_json(n, text, ret) || ret->failed)
		return;
	ret->len = before;
	name_plain_args(n, text, ret);
}
