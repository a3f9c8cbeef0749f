/* SPDX-License-Identifier: MIT */
/*
 * table: columns of text, for a terminal.
 *
 *     File I/O by file (file_io)
 *
 *     File              Reads     Bytes  Total
 *     ----------------  -----  --------  -------
 *     /data/case_1.npy    168   1.23 GB  12.3 ms
 *
 * Column widths come from the first rows, which are kept until the table ends or there are
 * KEPT_ROWS or KEPT_BYTES of them; what comes later is written at once with the same widths.
 */
#include <assert.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "analyzer/format/cell.h"
#include "analyzer/format/formats.h"
#include "analyzer/format/text.h"

#define KEPT_ROWS 1000
#define KEPT_BYTES ((size_t)4 << 20) /* where they are longer than anybody reads */
#define GAP "  "
#define NARROWEST 8 /* columns that a text keeps at least */

struct column {
	size_t width;
	bool numbers; /* some cell is a number... */
	bool texts; /* ...or a text */
};

struct state {
	struct td_strbuf cells; /* one after the other, row by row; the headings first */
	size_t *ends; /* where each ends in cells */
	size_t nends, ends_cap;
	struct column *columns;
	bool flushed;
};

/* Blank lines stand between things, not before the first. */
static void separate(struct td_writer *w)
{
	if (w->all_tables > 0 || (w->options.many_dbs && w->ndbs > 0))
		(void)putc('\n', w->out);
}

static void put_bold(struct td_writer *w, const char *text, size_t len)
{
	if (w->options.colour)
		(void)fputs("\033[1m", w->out);
	(void)fwrite(text, 1, len, w->out);
	if (w->options.colour)
		(void)fputs("\033[0m", w->out);
}

static int db(struct td_writer *w)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;

	if (!w->options.many_dbs)
		return 0;
	separate(w);
	td_strbuf_adds(&text, "== ");
	td_printable(&text, w->db, strlen(w->db));
	td_strbuf_adds(&text, " ==");
	put_bold(w, td_strbuf_str(&text), text.len);
	(void)putc('\n', w->out);
	return td_strbuf_error(&text);
}

static void put_title(struct td_writer *w)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	const struct td_table_head *head = w->head;

	if (head->title && head->name)
		td_strbuf_addf(&text, "%s (%s)", head->title, head->name);
	else if (head->title || head->name)
		td_strbuf_adds(&text, head->title ? head->title : head->name);
	else
		return;
	put_bold(w, td_strbuf_str(&text), text.len);
	(void)fputs("\n\n", w->out);
}

/* Where the cell begins; *ret_len: how long it is. */
static const char *cell(const struct state *s, size_t i, size_t *ret_len)
{
	size_t from = i ? s->ends[i - 1] : 0;

	*ret_len = s->ends[i] - from;
	return td_strbuf_str(&s->cells) + from;
}

/* Ends the cell that was added to s->cells last. */
static int end_cell(struct state *s, size_t column)
{
	const char *text;
	size_t len, width;

	if (td_strbuf_error(&s->cells) < 0 || td_grow(&s->ends, &s->ends_cap, s->nends) < 0)
		return -ENOMEM;
	s->ends[s->nends++] = s->cells.len;
	text = cell(s, s->nends - 1, &len);
	width = td_text_width(text, len);
	if (width > s->columns[column].width && !s->flushed)
		s->columns[column].width = width;
	return 0;
}

static int table(struct td_writer *w)
{
	struct state *s = w->state;
	int r = 0;

	separate(w);
	put_title(w);
	td_strbuf_reset(&s->cells);
	free(s->columns);
	s->columns = calloc(w->head->ncolumns, sizeof(*s->columns));
	if (!s->columns)
		return -ENOMEM;
	s->nends = 0;
	s->flushed = false;
	for (size_t i = 0; i < w->head->ncolumns && r == 0; i++) {
		td_cell_heading(&s->cells, w->head, i, w->options.timeunit);
		r = end_cell(s, i);
	}
	return r;
}

/* Text stands left, numbers right; where the column does not say which it is, its cells do. */
static bool is_right(const struct td_writer *w, size_t column)
{
	const struct state *s = w->state;
	enum td_unit unit = w->head->columns[column].unit;

	if (unit == TD_UNIT_ANY)
		return s->columns[column].numbers && !s->columns[column].texts;
	return unit != TD_UNIT_TEXT;
}

/* Narrows the widest columns of text until the table fits; not at all if it could not. */
static void fit_width(struct td_writer *w)
{
	struct state *s = w->state;
	size_t total = (w->head->ncolumns - 1) * strlen(GAP), least = total;

	for (size_t i = 0; i < w->head->ncolumns; i++) {
		size_t width = s->columns[i].width;

		total += width;
		least += is_right(w, i) ? width : TD_MIN(width, (size_t)NARROWEST);
	}
	if (!w->options.width || least > w->options.width)
		return;
	for (; total > w->options.width; total--) {
		struct column *widest = NULL;

		for (size_t i = 0; i < w->head->ncolumns; i++)
			if (!is_right(w, i) && (!widest || s->columns[i].width > widest->width))
				widest = &s->columns[i];
		assert(widest); /* least fits, so there is text to narrow */
		widest->width--;
	}
}

static int put_cell(struct td_writer *w, const char *text, size_t len, size_t column, bool bold)
{
	_cleanup_(td_strbuf_done) struct td_strbuf cut = TD_STRBUF_INIT;
	const struct state *s = w->state;
	size_t width, want = s->columns[column].width;
	bool last = column + 1 == w->head->ncolumns;

	if (w->options.width && !is_right(w, column)) {
		td_text_cut(&cut, text, len, want);
		text = td_strbuf_str(&cut);
		len = cut.len;
	}
	width = td_text_width(text, len);
	if (column > 0)
		(void)fputs(GAP, w->out);
	if (is_right(w, column) && width < want)
		fprintf(w->out, "%*s", (int)(want - width), "");
	if (bold)
		put_bold(w, text, len);
	else
		(void)fwrite(text, 1, len, w->out);
	if (!is_right(w, column) && width < want && !last)
		fprintf(w->out, "%*s", (int)(want - width), "");
	return td_strbuf_error(&cut);
}

static void put_rule(struct td_writer *w)
{
	const struct state *s = w->state;

	for (size_t i = 0; i < w->head->ncolumns; i++) {
		if (i > 0)
			(void)fputs(GAP, w->out);
		for (size_t n = 0; n < s->columns[i].width; n++)
			(void)putc('-', w->out);
	}
	(void)putc('\n', w->out);
}

static int put_records(struct td_writer *w)
{
	const struct state *s = w->state;
	size_t n = w->head->ncolumns, len, width = 0;
	const char *text;

	assert(n > 0);
	for (size_t i = 0; i < n; i++) {
		text = cell(s, i, &len);
		width = TD_MAX(width, td_text_width(text, len));
	}
	for (size_t i = n; i < s->nends; i++) {
		if (i % n == 0 && i > n)
			(void)putc('\n', w->out);
		text = cell(s, i % n, &len);
		put_bold(w, text, len);
		fprintf(w->out, "%*s" GAP, (int)(width - td_text_width(text, len)), "");
		text = cell(s, i, &len);
		(void)fwrite(text, 1, len, w->out);
		(void)putc('\n', w->out);
	}
	return 0;
}

/* Writes what is kept and forgets it. */
static int put_rows(struct td_writer *w)
{
	struct state *s = w->state;
	size_t n = w->head->ncolumns, len;
	int r = 0;

	if (n == 0)
		return 0; /* and no cells */
	if (!s->flushed)
		fit_width(w);
	for (size_t i = 0; i < s->nends && r == 0; i++) {
		const char *text = cell(s, i, &len);

		r = put_cell(w, text, len, i % n, !s->flushed && i < n);
		if (i % n == n - 1)
			(void)putc('\n', w->out);
		if (i == n - 1 && !s->flushed)
			put_rule(w);
	}
	td_strbuf_reset(&s->cells);
	s->nends = 0;
	s->flushed = true;
	return r;
}

static int row(struct td_writer *w, const struct td_cell *values)
{
	struct state *s = w->state;
	int r = 0;

	for (size_t i = 0; i < w->head->ncolumns && r == 0; i++) {
		s->columns[i].texts |= values[i].type == TD_VALUE_TEXT;
		s->columns[i].numbers |=
			values[i].type == TD_VALUE_INT || values[i].type == TD_VALUE_REAL;
		td_cell_of(&s->cells, w->head, i, &values[i], w->options.timeunit);
		r = end_cell(s, i);
	}
	if (r == 0 && !w->head->record && (w->nrows + 1 >= KEPT_ROWS || s->cells.len > KEPT_BYTES))
		r = put_rows(w);
	return r;
}

static int table_end(struct td_writer *w)
{
	struct state *s = w->state;

	if (w->nrows > 0)
		return w->head->record ? put_records(w) : s->nends ? put_rows(w) : 0;
	fprintf(w->out, "(%s)\n", w->head->missing ? w->head->missing : "no rows");
	return 0;
}

static int note(struct td_writer *w, const char *text)
{
	fprintf(w->out, "\n%s", text);
	return 0;
}

static void done(struct td_writer *w)
{
	struct state *s = w->state;

	td_strbuf_done(&s->cells);
	free(s->ends);
	free(s->columns);
}

const struct td_format td_format_table = {
	.name = "table",
	.desc = "columns of text, with units",
	.prose = true,
	.state_size = sizeof(struct state),
	.db = db,
	.table = table,
	.row = row,
	.table_end = table_end,
	.note = note,
	.done = done,
};
