/* SPDX-License-Identifier: MIT */
/* A growing string. Failure to grow is remembered: check once, at the end, with td_strbuf_error(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct td_strbuf {
	char *p; /* NUL-terminated once anything was added; owned */
	size_t len;
	size_t cap;
	bool failed;
};

#define TD_STRBUF_INIT                                                                             \
	{                                                                                          \
		0                                                                                  \
	}

void td_strbuf_add(struct td_strbuf *b, const char *text, size_t len);
void td_strbuf_adds(struct td_strbuf *b, const char *text);
void td_strbuf_addc(struct td_strbuf *b, char c);
void td_strbuf_addf(struct td_strbuf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void td_strbuf_reset(struct td_strbuf *b); /* empty, memory kept */
void td_strbuf_cut(struct td_strbuf *b, size_t len); /* back to a length that it had */
void td_strbuf_done(struct td_strbuf *b);

/* 0 or -ENOMEM. */
int td_strbuf_error(const struct td_strbuf *b);

/* The text, "" if nothing was added; never NULL. */
const char *td_strbuf_str(const struct td_strbuf *b);
