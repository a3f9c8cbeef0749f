/* SPDX-License-Identifier: MIT */
/* The words of a bpftrace program. */
#include "common/array.h"
#include "importers/bpftrace/program.h"

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || td_is_digit(c);
}

/* Behind blanks, comments and preprocessor lines, counting lines; NULL if a comment has no end. */
static const char *skip_blanks(const char *p, const char *end, unsigned *line)
{
	while (p < end) {
		const char *q = p;

		if (strchr(" \t\r\n", *p) && *p)
			q = p + 1;
		else if (*p == '#' || (end - p > 1 && p[0] == '/' && p[1] == '/'))
			q = memchr(p, '\n', (size_t)(end - p));
		else if (end - p > 1 && p[0] == '/' && p[1] == '*')
			q = td_find(p + 2, (size_t)(end - p - 2), "*/", 2);
		else
			return p;
		if (!q && p[0] == '/' && p[1] == '*')
			return NULL;
		q = !q ? end : q > p + 1 && *q == '*' ? q + 2 : q;
		for (; p < q; p++)
			*line += *p == '\n';
	}
	return end;
}

static const char *string_end(const char *p, const char *end)
{
	for (; p < end && *p != '"' && *p != '\n'; p++)
		if (*p == '\\' && p + 1 < end)
			p++;
	return p < end && *p == '"' ? p : NULL;
}

static size_t punct_len(const char *p, const char *end)
{
	static const char *const two[] = { "->", "==", "!=", "<=", ">=", "&&",
					   "||", "++", "--", "+=", "-=" };

	for (size_t i = 0; end - p > 1 && i < TD_ARRAY_SIZE(two); i++)
		if (memcmp(p, two[i], 2) == 0)
			return 2;
	return 1;
}

/* The token at p; returns where it ends, NULL if a string does not. */
static const char *scan_token(const char *p, const char *end, struct td_token *ret)
{
	const char *q = p + 1;

	if (*p == '"') {
		q = string_end(q, end);
		ret->type = TD_TOKEN_STRING;
		ret->s = (struct td_str){ p + 1, q ? (size_t)(q - p - 1) : 0 };
		return q ? q + 1 : NULL;
	}
	if (is_word(*p) || *p == '$' || *p == '@') {
		ret->type = td_is_digit(*p) ? TD_TOKEN_NUMBER : TD_TOKEN_WORD;
		while (q < end && is_word(*q))
			q++;
	} else {
		ret->type = TD_TOKEN_PUNCT;
		q = p + punct_len(p, end);
	}
	ret->s = (struct td_str){ p, (size_t)(q - p) };
	return q;
}

int td_tokens_scan(struct td_tokens *tokens, const char *p, const char *end, const char *name,
		   struct td_err *err)
{
	unsigned line = 1;

	for (;;) {
		struct td_token t = { .line = line };

		p = skip_blanks(p, end, &line);
		if (!p)
			return td_err_set(err, -EINVAL, "'%s': line %u: a comment without end",
					  name, line);
		if (p == end)
			return 0;
		t.line = line;
		p = scan_token(p, end, &t);
		if (!p)
			return td_err_set(err, -EINVAL, "'%s': line %u: a string without end", name,
					  line);
		if (td_grow(&tokens->items, &tokens->cap, tokens->n) < 0)
			return -ENOMEM;
		tokens->items[tokens->n++] = t;
	}
}

/* The character that a string has at s->p, escapes resolved; advances. */
char td_token_unescape(struct td_scan *s)
{
	static const char letters[] = "ntr", values[] = "\n\t\r";
	const char *known;
	char c = *s->p++;
	unsigned v = 0;

	if (c != '\\' || s->p == s->end)
		return c;
	if (*s->p < '0' || *s->p > '7') {
		c = *s->p++;
		known = c ? strchr(letters, c) : NULL;
		if (known)
			c = values[known - letters];
		return c;
	}
	for (unsigned i = 0; i < 3 && s->p < s->end && *s->p >= '0' && *s->p <= '7'; i++)
		v = v * 8 + (unsigned)(*s->p++ - '0');
	return (char)v;
}

size_t td_token_close(const struct td_token *t, size_t n, size_t at)
{
	size_t depth = 0;

	for (size_t i = at; i < n; i++) {
		if (t[i].type != TD_TOKEN_PUNCT)
			continue;
		if (strchr("([{", t[i].s.p[0]))
			depth++;
		else if (strchr(")]}", t[i].s.p[0]) && --depth == 0)
			return i;
	}
	return n;
}
