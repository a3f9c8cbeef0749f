/* SPDX-License-Identifier: MIT */
/* What writes flame graphs: a table, by the ending of the file's name. */
#pragma once

#include <stdio.h>

#include "analyzer/flame/flame.h"
#include "analyzer/format/bound.h"

struct td_flame_picture {
	const struct td_flame *flame;
	size_t width; /* columns of the terminal; 0: it is none */
	bool utf8; /* it can show */
	size_t limit; /* frames on the terminal */
};

struct td_flame_renderer {
	const char *ending; /* of file names; NULL: the terminal's */
	/* Failures to write stay with out. 0, -ENOMEM, or -errno with a message. */
	int (*draw)(const struct td_flame_picture *p, FILE *out, struct td_err *err);
};

extern const struct td_flame_renderer td_flame_text_renderer; /* text.c: a tree */
extern const struct td_flame_renderer td_flame_html_renderer; /* html.c: a page to look around in */
extern const struct td_flame_renderer td_flame_folded_renderer; /* folded.c: for other programs */

/* The text of a name as people can read it: control characters as escapes, of what is long the
 * begin and the end. NULL: out of memory; the caller frees it. */
char *td_flame_name(const struct td_flame *f, uint32_t node);

/* "[libc.so.6]", of a node that has a module; the same. */
char *td_flame_module(const struct td_flame *f, uint32_t node);

/* What values are: "time" or "number". */
const char *td_flame_by(const struct td_flame *f);

/* A value with its unit. */
char *td_flame_value(const struct td_flame *f, int64_t value, char *buf, size_t size);

/* What stands in front of values, and of shares: ">=", "~" or nothing. */
const char *td_flame_value_mark(const struct td_flame *f);
const char *td_flame_share_mark(const struct td_flame *f);
