/* SPDX-License-Identifier: MIT */
/*
 * table: columns of text, for a terminal.
 *
 *     File I/O (file_io)
 *
 *     File              Reads     Bytes  Total
 *     ----------------  -----  --------  -------
 *     /data/case_1.npy    168   1.23 GB  12.3 ms
 *
 * Column widths come from the first rows, which are kept until the table ends or there are
 * KEPT_ROWS or KEPT_BYTES of them; what comes later is written at once with the same widths.
 *
 * Where it has to fit (a terminal), the first max_rows are shown, and columns are left out that
 * have no values, the same value in all rows, or for which there is no room (never what names the
 * rows, or what they are in order of):
 *
 *     ... 6,260 more rows, 3.2% of Total
 *     the same in all rows: Verb read; empty: Run number; no room for Max, P99 (--wide shows them)
 */
#include <assert.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "common/text.h"
#include "common/units.h"
#include "analyzer/format/cell.h"
#include "analyzer/format/formats.h"
#include "analyzer/format/table_private.h"

#define KEPT_ROWS 1000
#define KEPT_BYTES ((size_t)4 << 20) /* where they are longer than anybody reads */
#define GAP "  "
#define NARROWEST 8 /* columns that a text keeps at least */
#define NOTE_INDENT 2 /* of what follows the first line of a note on a terminal */
#define BAR "bar" /* a column of '#': all are as much shorter where it is narrowed */
#define NEAR_ROWS                                                                                  \
	20 /* among so many rows before and behind it a text that is cut is told from others */
#define READABLE 30 /* and that it keeps where columns can be left out instead */

/* Blank lines stand between things, not before the first. */
static void separate(struct td_writer *w)
{
	if (w->all_tables > 0 || (w->options.many_dbs && w->ndbs > 0))
		(void)putc('\n', w->out);
}

void td_table_bold(struct td_writer *w, const char *text, size_t len)
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
	td_table_bold(w, td_strbuf_str(&text), text.len);
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
	if (!w->options.width) {
		td_table_bold(w, td_strbuf_str(&text), text.len);
		(void)fputs("\n\n", w->out);
		return;
	}
	if (w->options.colour)
		(void)fputs("\033[1m", w->out);
	td_text_wrap(w->out, td_strbuf_str(&text), 0, 1, w->options.width);
	(void)fputs(w->options.colour ? "\033[0m\n" : "\n", w->out);
}

const char *td_table_cell(const struct td_table_state *s, size_t i, size_t *ret_len)
{
	size_t from = i ? s->ends[i - 1] : 0;

	*ret_len = s->ends[i] - from;
	return td_strbuf_str(&s->cells) + from;
}

/* Ends the cell that was added to s->cells last. */
static int end_cell(struct td_table_state *s, size_t column)
{
	const char *text;
	size_t len, width;

	if (td_strbuf_error(&s->cells) < 0 || td_grow(&s->ends, &s->ends_cap, s->nends) < 0)
		return -ENOMEM;
	s->ends[s->nends++] = s->cells.len;
	text = td_table_cell(s, s->nends - 1, &len);
	width = td_text_width(text, len);
	if (width > s->columns[column].width && !s->flushed)
		s->columns[column].width = width;
	return 0;
}

static int table(struct td_writer *w)
{
	struct td_table_state *s = w->state;
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
	s->total = s->total_shown = 0;
	for (size_t i = 0; i < w->head->ncolumns && r == 0; i++) {
		td_cell_heading(&s->cells, w->head, i, w->options.timeunit);
		r = end_cell(s, i);
	}
	return r;
}

/* Text stands left, numbers right; where the column does not say which it is, its cells do. */
static bool is_right(const struct td_writer *w, size_t column)
{
	const struct td_table_state *s = w->state;
	enum td_unit unit = w->head->columns[column].unit;

	if (unit == TD_UNIT_ANY)
		return s->columns[column].numbers && !s->columns[column].texts;
	return unit != TD_UNIT_TEXT;
}

static bool is_shown(const struct td_writer *w, size_t column)
{
	const struct td_table_state *s = w->state;

	return s->columns[column].why == SHOWN;
}

/* How wide the columns that are shown are together, if texts are cut to so many. */
static size_t width_of(const struct td_writer *w, size_t text)
{
	const struct td_table_state *s = w->state;
	size_t total = 0;

	for (size_t i = 0; i < w->head->ncolumns; i++) {
		size_t width = s->columns[i].width;

		if (is_shown(w, i))
			total += (total ? strlen(GAP) : 0) +
				 (is_right(w, i) ? width : TD_MIN(width, text));
	}
	return total;
}

/* The column that names the rows: the first of those with texts that is shown. */
static size_t naming(const struct td_writer *w)
{
	size_t i = 0;

	while (i < w->head->ncolumns &&
	       (!is_shown(w, i) || w->head->columns[i].unit != TD_UNIT_TEXT))
		i++;
	return i;
}

/* From the right, but for what names the rows and what they are in order of; kept: also what the
 * report is asked for. One stays. */
static void make_room(struct td_writer *w, size_t *shown, bool kept)
{
	struct td_table_state *s = w->state;
	size_t name = naming(w);

	for (size_t i = w->head->ncolumns;
	     i-- > 0 && *shown > 1 && width_of(w, READABLE) > w->options.width;) {
		const struct td_report_column *c = &w->head->columns[i];

		if (!is_shown(w, i) || i == name || c == w->head->total || c->kept != kept)
			continue;
		s->columns[i].why = NO_ROOM;
		(*shown)--;
	}
}

/* The columns that say nothing, and those that there is no room for. One stays. */
static void leave_out(struct td_writer *w)
{
	struct td_table_state *s = w->state;
	size_t n = w->head->ncolumns, shown = n;

	if (!w->options.fits || w->head->record || w->nrows == 0)
		return;
	for (size_t i = n; i-- > 0 && shown > 1;) {
		const struct td_table_column *c = &s->columns[i];

		if (c->varies || (w->nrows == 1 && (c->numbers || c->texts)))
			continue; /* nothing is the same in all of one row */
		s->columns[i].why = c->numbers || c->texts ? SAME : EMPTY;
		shown--;
	}
	make_room(w, &shown, false);
	make_room(w, &shown, true);
}

/* Narrows the widest columns of text until the table fits; not at all if it could not. */
static void fit_width(struct td_writer *w)
{
	struct td_table_state *s = w->state;
	size_t total = width_of(w, SIZE_MAX);

	for (size_t i = 0; i < w->head->ncolumns; i++)
		s->columns[i].full = s->columns[i].width;
	if (!w->options.width || width_of(w, NARROWEST) > w->options.width)
		return;
	for (; total > w->options.width; total--) {
		struct td_table_column *widest = NULL;

		for (size_t i = 0; i < w->head->ncolumns; i++)
			if (is_shown(w, i) && !is_right(w, i) &&
			    (!widest || s->columns[i].width > widest->width))
				widest = &s->columns[i];
		assert(widest); /* least fits, so there is text to narrow */
		widest->width--;
	}
}

/* Is there a column that is shown on this side of it? */
static bool has_left(const struct td_writer *w, size_t column)
{
	while (column-- > 0)
		if (is_shown(w, column))
			return true;
	return false;
}

static bool has_right(const struct td_writer *w, size_t column)
{
	while (++column < w->head->ncolumns)
		if (is_shown(w, column))
			return true;
	return false;
}

/* How many bytes two texts begin with that are the same; 0: all are. */
static size_t same_bytes(const char *a, size_t na, const char *b, size_t nb)
{
	size_t n = 0;

	while (n < na && n < nb && a[n] == b[n])
		n++;
	return n < na ? n : 0;
}

/* Do they read the same when they are cut? */
static bool cut_alike(const char *a, size_t na, const char *b, size_t nb, size_t width)
{
	_cleanup_(td_strbuf_done) struct td_strbuf cut_a = TD_STRBUF_INIT, cut_b = TD_STRBUF_INIT;

	td_text_cut(&cut_a, a, na, width);
	td_text_cut(&cut_b, b, nb, width);
	return td_strbuf_str(&cut_a) && strcmp(td_strbuf_str(&cut_a), td_strbuf_str(&cut_b)) == 0;
}

/* Where cell i, which has to be cut, begins to differ from one near it that would read the same
 * then; 0: there is none. */
static size_t differs_at(const struct td_writer *w, size_t i)
{
	const struct td_table_state *s = w->state;
	size_t n = w->head->ncolumns, len, other_len, at = 0;
	const char *text = td_table_cell(s, i, &len), *other;
	size_t first = i > NEAR_ROWS * n ? i - NEAR_ROWS * n : i % n;

	for (size_t j = first; j < s->nends && j <= i + NEAR_ROWS * n && !at; j += n) {
		other = td_table_cell(s, j, &other_len);
		if (j != i && cut_alike(text, len, other, other_len, s->columns[i % n].width))
			at = same_bytes(text, len, other, other_len);
	}
	return at;
}

/* Cell i, as much of it as fits into its column. */
static void shorten(struct td_writer *w, struct td_strbuf *b, size_t i)
{
	const struct td_table_state *s = w->state;
	const struct td_table_column *c = &s->columns[i % w->head->ncolumns];
	size_t len, at;
	const char *text = td_table_cell(s, i, &len);

	if (*text == '#' && c->width < c->full &&
	    strcmp(w->head->columns[i % w->head->ncolumns].name, BAR) == 0) {
		td_strbuf_add(b, text, (len * c->width + c->full - 1) / c->full);
		return;
	}
	at = td_text_width(text, len) > c->width ? differs_at(w, i) : 0;
	if (at)
		td_text_cut_showing(b, text, len, c->width, at);
	else
		td_text_cut(b, text, len, c->width);
}

/* Cell i of those that are kept. */
static int put_cell(struct td_writer *w, size_t i, bool bold)
{
	_cleanup_(td_strbuf_done) struct td_strbuf cut = TD_STRBUF_INIT;
	const struct td_table_state *s = w->state;
	size_t column = i % w->head->ncolumns, width, want = s->columns[column].width, len;
	bool last = !has_right(w, column);
	const char *text = td_table_cell(s, i, &len);

	if (w->options.width && !is_right(w, column)) {
		shorten(w, &cut, i);
		text = td_strbuf_str(&cut);
		len = cut.len;
	}
	width = td_text_width(text, len);
	if (has_left(w, column))
		(void)fputs(GAP, w->out);
	if (is_right(w, column) && width < want)
		fprintf(w->out, "%*s", (int)(want - width), "");
	if (bold)
		td_table_bold(w, text, len);
	else
		(void)fwrite(text, 1, len, w->out);
	if (!is_right(w, column) && width < want && !last)
		fprintf(w->out, "%*s", (int)(want - width), "");
	return td_strbuf_error(&cut);
}

static void put_rule(struct td_writer *w)
{
	const struct td_table_state *s = w->state;

	for (size_t i = 0; i < w->head->ncolumns; i++) {
		if (!is_shown(w, i))
			continue;
		if (has_left(w, i))
			(void)fputs(GAP, w->out);
		for (size_t n = 0; n < s->columns[i].width; n++)
			(void)putc('-', w->out);
	}
	(void)putc('\n', w->out);
}

static int put_records(struct td_writer *w)
{
	const struct td_table_state *s = w->state;
	size_t n = w->head->ncolumns, len, width = 0;
	const char *text;

	assert(n > 0);
	for (size_t i = 0; i < n; i++) {
		text = td_table_cell(s, i, &len);
		width = TD_MAX(width, td_text_width(text, len));
	}
	for (size_t i = n; i < s->nends; i++) {
		if (i % n == 0 && i > n)
			(void)putc('\n', w->out);
		text = td_table_cell(s, i % n, &len);
		td_table_bold(w, text, len);
		fprintf(w->out, "%*s" GAP, (int)(width - td_text_width(text, len)), "");
		text = td_table_cell(s, i, &len);
		(void)fwrite(text, 1, len, w->out);
		(void)putc('\n', w->out);
	}
	return 0;
}

/* Writes what is kept. */
static int put_kept(struct td_writer *w)
{
	struct td_table_state *s = w->state;
	size_t n = w->head->ncolumns;
	int r = 0;

	if (n == 0)
		return 0; /* and no cells */
	if (!s->flushed)
		fit_width(w);
	for (size_t i = 0; i < s->nends && r == 0; i++) {
		if (is_shown(w, i % n))
			r = put_cell(w, i, !s->flushed && i < n);
		if (i % n == n - 1)
			(void)putc('\n', w->out);
		if (i == n - 1 && !s->flushed)
			put_rule(w);
	}
	return r;
}

/* Writes what is kept and forgets it. */
static int put_rows(struct td_writer *w)
{
	struct td_table_state *s = w->state;
	int r = put_kept(w);

	td_strbuf_reset(&s->cells);
	s->nends = 0;
	s->flushed = true;
	return r;
}

/* How many of the first rows are shown; 0: all. */
static size_t rows_shown(const struct td_writer *w)
{
	return w->head->record || w->head->page ? 0 : w->options.max_rows;
}

/* Beyond those that are shown? */
static bool is_hidden(const struct td_writer *w)
{
	return rows_shown(w) && w->nrows >= rows_shown(w);
}

/* Does the cell read as that of the first row? Only as long as that is kept. */
static void compare_with_first(struct td_writer *w, size_t column, const char *text, size_t len)
{
	struct td_table_state *s = w->state;
	size_t first_len;
	const char *first;

	if (w->nrows == 0 || s->flushed)
		return;
	first = td_table_cell(s, w->head->ncolumns + column, &first_len);
	s->columns[column].varies |= first_len != len || memcmp(first, text, len) != 0;
}

static int add_cell(struct td_writer *w, size_t column, const struct td_cell *value)
{
	struct td_table_state *s = w->state;
	bool hidden = is_hidden(w);
	struct td_strbuf *b = hidden ? &s->hidden : &s->cells;
	const char *text;
	size_t len;
	int r;

	s->columns[column].texts |= value->type == TD_VALUE_TEXT;
	s->columns[column].numbers |= value->type == TD_VALUE_INT || value->type == TD_VALUE_REAL;
	if (hidden)
		td_strbuf_reset(b);
	td_cell_of(b, w->head, column, value, w->options.timeunit);
	r = hidden ? td_strbuf_error(b) : end_cell(s, column);
	if (r < 0)
		return r;
	text = hidden ? td_strbuf_str(b) : td_table_cell(s, s->nends - 1, &len);
	compare_with_first(w, column, text, hidden ? b->len : len);
	return 0;
}

static void add_total(struct td_writer *w, const struct td_cell *values)
{
	struct td_table_state *s = w->state;
	const struct td_cell *v =
		w->head->total ? &values[w->head->total - w->head->columns] : NULL;
	double n = !v                         ? 0
		   : v->type == TD_VALUE_INT  ? (double)v->i
		   : v->type == TD_VALUE_REAL ? v->d
					      : 0;

	s->total += n;
	s->total_shown += is_hidden(w) ? 0 : n;
}

static int row(struct td_writer *w, const struct td_cell *values)
{
	struct td_table_state *s = w->state;
	int r = 0;

	for (size_t i = 0; i < w->head->ncolumns && r == 0; i++)
		r = add_cell(w, i, &values[i]);
	add_total(w, values);
	if (r == 0 && !w->head->record &&
	    (w->nrows + 1 >= KEPT_ROWS || s->cells.len > KEPT_BYTES) && !rows_shown(w))
		r = put_rows(w);
	return r;
}

/* "... 6,260 more rows, 3.2% of Total" */
static int put_more(struct td_writer *w)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	const struct td_table_state *s = w->state;
	const struct td_table_head *head = w->head;
	size_t more = w->nrows - rows_shown(w);
	char n[TD_UNITS_BUF];

	td_strbuf_addf(&b, "... %s more row%s", td_format_count(n, sizeof(n), (int64_t)more),
		       more == 1 ? "" : "s");
	if (head->total && s->total > 0) {
		td_strbuf_addf(&b, ", %.1f%% of ", 100 * (s->total - s->total_shown) / s->total);
		td_cell_heading(&b, head, (size_t)(head->total - head->columns),
				w->options.timeunit);
	}
	td_strbuf_adds(&b, " (--all shows them)\n");
	(void)fputs(td_strbuf_str(&b), w->out);
	return td_strbuf_error(&b);
}

/* The columns that are left out for a reason: "empty: A, B". */
static void add_left_out(struct td_strbuf *b, struct td_writer *w, enum left_out why,
			 const char *words)
{
	const struct td_table_state *s = w->state;
	const char *sep = b->len ? "; " : "", *text;
	size_t len;

	for (size_t i = 0; i < w->head->ncolumns; i++) {
		if (s->columns[i].why != why)
			continue;
		td_strbuf_addf(b, "%s%s", sep, words);
		td_cell_heading(b, w->head, i, w->options.timeunit);
		if (why == SAME) {
			text = td_table_cell(s, w->head->ncolumns + i, &len);
			td_strbuf_addc(b, ' ');
			td_text_cut(b, text, len, w->options.width / 2);
		}
		sep = ", ";
		words = "";
	}
}

static int put_left_out(struct td_writer *w)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	add_left_out(&b, w, SAME, "the same in all rows: ");
	add_left_out(&b, w, EMPTY, "empty: ");
	add_left_out(&b, w, NO_ROOM, "no room for ");
	if (!b.len)
		return td_strbuf_error(&b);
	td_strbuf_adds(&b, " (--wide shows them)");
	td_text_wrap(w->out, td_strbuf_str(&b), 0, 0, w->options.width);
	return td_strbuf_error(&b);
}

/* A page of texts that is wider than the terminal. */
static bool is_for_sections(const struct td_writer *w)
{
	size_t n = w->head->ncolumns;

	if (!w->options.fits || !w->head->page || n < 3 ||
	    width_of(w, SIZE_MAX) <= w->options.width)
		return false;
	for (size_t i = 0; i < n; i++)
		if (w->head->columns[i].unit != TD_UNIT_TEXT)
			return false;
	return true;
}

/* All rows have been seen: the first ones are kept still, and say what is the same in all. */
static int put_fitted(struct td_writer *w)
{
	int r;

	if (is_for_sections(w))
		return td_table_sections(w);
	leave_out(w);
	r = put_kept(w);
	if (r == 0 && rows_shown(w) && w->nrows > rows_shown(w))
		r = put_more(w);
	return r < 0 ? r : put_left_out(w);
}

/* Why there are no rows. */
static int put_missing(struct td_writer *w)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	td_strbuf_addf(&b, "(%s)", td_table_head_why(w->head));
	if (w->options.width)
		td_text_wrap(w->out, td_strbuf_str(&b), 0, 1, w->options.width);
	else
		fprintf(w->out, "%s\n", td_strbuf_str(&b));
	return td_strbuf_error(&b);
}

static int table_end(struct td_writer *w)
{
	struct td_table_state *s = w->state;

	if (w->nrows == 0)
		return put_missing(w);
	if (w->head->record)
		return put_records(w);
	return s->flushed ? (s->nends ? put_rows(w) : 0) : put_fitted(w);
}

static int note(struct td_writer *w, const char *text)
{
	fprintf(w->out, "\n%s", w->options.width ? "" : text);
	for (const char *end; *text && w->options.width; text = end + (*end == '\n')) {
		_cleanup_free_ char *line = NULL;

		end = strchrnul(text, '\n');
		line = strndup(text, (size_t)(end - text));
		if (!line)
			return -ENOMEM;
		td_text_wrap(w->out, line, 0, NOTE_INDENT, w->options.width);
	}
	return 0;
}

static void done(struct td_writer *w)
{
	struct td_table_state *s = w->state;

	td_strbuf_done(&s->cells);
	td_strbuf_done(&s->hidden);
	free(s->ends);
	free(s->columns);
}

const struct td_format td_format_table = {
	.name = "table",
	.desc = "columns of text, with units",
	.prose = true,
	.state_size = sizeof(struct td_table_state),
	.db = db,
	.table = table,
	.row = row,
	.table_end = table_end,
	.note = note,
	.done = done,
};
