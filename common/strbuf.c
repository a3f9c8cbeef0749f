/* SPDX-License-Identifier: MIT */
#include <stdarg.h>

#include "common/cleanup.h"
#include "common/strbuf.h"

static bool reserve(struct td_strbuf *b, size_t extra)
{
	size_t cap = b->cap ? b->cap : 64;
	char *p;

	if (b->failed)
		return false;
	while (cap - b->len <= extra) {
		if (cap > SIZE_MAX / 2)
			goto fail;
		cap *= 2;
	}
	if (cap == b->cap)
		return true;
	p = realloc(b->p, cap);
	if (!p)
		goto fail;
	b->p = p;
	b->cap = cap;
	return true;
fail:
	b->failed = true;
	return false;
}

void td_strbuf_add(struct td_strbuf *b, const char *text, size_t len)
{
	if (!reserve(b, len))
		return;
	if (len)
		memcpy(b->p + b->len, text, len);
	b->len += len;
	b->p[b->len] = '\0';
}

void td_strbuf_adds(struct td_strbuf *b, const char *text)
{
	td_strbuf_add(b, text, strlen(text));
}

void td_strbuf_addc(struct td_strbuf *b, char c)
{
	td_strbuf_add(b, &c, 1);
}

void td_strbuf_addf(struct td_strbuf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || !reserve(b, (size_t)n))
		return;
	va_start(ap, fmt);
	(void)vsnprintf(b->p + b->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)n;
}

void td_strbuf_reset(struct td_strbuf *b)
{
	b->len = 0;
	if (b->p)
		b->p[0] = '\0';
}

void td_strbuf_cut(struct td_strbuf *b, size_t len)
{
	if (len >= b->len)
		return;
	b->len = len;
	b->p[len] = '\0';
}

void td_strbuf_done(struct td_strbuf *b)
{
	free(b->p);
	*b = (struct td_strbuf)TD_STRBUF_INIT;
}

int td_strbuf_error(const struct td_strbuf *b)
{
	return b->failed ? -ENOMEM : 0;
}

const char *td_strbuf_str(const struct td_strbuf *b)
{
	return b->p ? b->p : "";
}
