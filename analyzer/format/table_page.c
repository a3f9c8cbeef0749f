/* SPDX-License-Identifier: MIT */
/*
 * A page of sections, for a terminal on which a table of it would leave columns out:
 *
 *     GPU idle
 *       waiting for a loader  5.4 %
 *         exact, 2.9 s of 2 GPUs; longest 1.31 s at 38.2s: 1725 python
 *       initialisation        2.1 %             exact, 1.0 s
 */
#include "common/array.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "common/text.h"
#include "analyzer/format/table_private.h"

#define INDENT 2
#define GAP 2
#define VALUE_MOST 16 /* that values are padded to: a long one moves only what stands behind it */

static void pad(struct td_writer *w, size_t from, size_t to)
{
	if (to > from)
		fprintf(w->out, "%*s", (int)(to - from), "");
}

/* A cell of a row; the column in which it ends. */
static size_t put_cell(struct td_writer *w, const char *text, size_t len, size_t at)
{
	_cleanup_(td_strbuf_done) struct td_strbuf cut = TD_STRBUF_INIT;

	td_text_cut(&cut, text, len, w->options.width / 2);
	(void)fputs(td_strbuf_str(&cut), w->out);
	return at + td_text_width(td_strbuf_str(&cut), cut.len);
}

/* What is in the last column: from column 'from' on behind the others, which end at 'at', if it
 * fits there, else below them. */
static int put_last(struct td_writer *w, const char *text, size_t len, size_t at, size_t from)
{
	_cleanup_free_ char *words = strndup(text, len);

	if (!words)
		return -ENOMEM;
	if (from + td_text_width(text, len) <= w->options.width) {
		pad(w, at, from);
		fprintf(w->out, "%s\n", words);
		return 0;
	}
	(void)putc('\n', w->out);
	pad(w, 0, 2 * INDENT);
	td_text_wrap(w->out, words, 2 * INDENT, 2 * INDENT, w->options.width);
	return 0;
}

static int put_row(struct td_writer *w, size_t row, size_t name_width)
{
	const struct td_table_state *s = w->state;
	size_t n = w->head->ncolumns, len, at = 0, from = INDENT;
	const char *text;

	for (size_t i = 1; i + 1 < n; i++) {
		size_t width = i == 1 ? name_width : TD_MIN(s->columns[i].width, VALUE_MOST);

		pad(w, at, from);
		text = td_table_cell(s, row * n + i, &len);
		at = put_cell(w, text, len, TD_MAX(at, from));
		from = TD_MAX(from + width, at) + GAP;
	}
	text = td_table_cell(s, row * n + n - 1, &len);
	if (len == 1 && *text == '-') {
		(void)putc('\n', w->out);
		return 0;
	}
	return put_last(w, text, len, at, from);
}

int td_table_sections(struct td_writer *w)
{
	const struct td_table_state *s = w->state;
	size_t n = w->head->ncolumns,
	       name_width = TD_MIN(s->columns[1].width, w->options.width / 2);
	const char *above = "";
	size_t above_len = 0;
	int r = 0;

	for (size_t row = 1; row < s->nends / n && r == 0; row++) {
		size_t len;
		const char *section = td_table_cell(s, row * n, &len);

		if (len != above_len || memcmp(section, above, len) != 0) {
			td_table_bold(w, section, len);
			(void)putc('\n', w->out);
		}
		above = section;
		above_len = len;
		r = put_row(w, row, name_width);
	}
	return r;
}
