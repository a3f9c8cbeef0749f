/* SPDX-License-Identifier: MIT */
/* md: tables of GitHub Flavored Markdown, with titles as headings. */
#include "common/cleanup.h"
#include "common/printable.h"
#include "analyzer/format/cell.h"
#include "analyzer/format/formats.h"

/* Does something begin here that GitHub makes a link of without markup, after as many characters as returned? */
static size_t link_begins(const char *text)
{
	if (strncmp(text, "://", 3) == 0)
		return 0;
	return strncasecmp(text, "www.", 4) == 0 ? 3 : SIZE_MAX;
}

/* What Markdown would take as markup (emphasis, code, links, images, HTML, entities) is escaped: spec 6.1 allows a
 * backslash before any of these. */
static void put_text(FILE *out, const char *text)
{
	size_t escape_in = SIZE_MAX;

	for (; *text; text++) {
		if (escape_in == SIZE_MAX)
			escape_in = link_begins(text);
		if (escape_in == 0 || strchr("\\|*`<~[]!&", *text))
			(void)putc('\\', out);
		(void)putc(*text, out);
		escape_in -= escape_in != SIZE_MAX;
	}
}

static void separate(struct td_writer *w)
{
	if (w->all_tables > 0 || (w->options.many_dbs && w->ndbs > 0))
		(void)putc('\n', w->out);
}

static int db(struct td_writer *w)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;

	if (!w->options.many_dbs)
		return 0;
	separate(w);
	td_printable(&text, w->db, strlen(w->db));
	(void)fputs("# ", w->out);
	put_text(w->out, td_strbuf_str(&text));
	(void)putc('\n', w->out);
	return td_strbuf_error(&text);
}

static int put_heading(struct td_writer *w, size_t column)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;

	td_cell_heading(&text, w->head, column, w->options.timeunit);
	put_text(w->out, td_strbuf_str(&text));
	return td_strbuf_error(&text);
}

/* values: the first row, which decides what stands right where the column does not say. */
static int put_head(struct td_writer *w, const struct td_cell *values)
{
	const struct td_table_head *head = w->head;
	int r = 0;

	for (size_t i = 0; i < head->ncolumns && r == 0; i++) {
		(void)fputs("| ", w->out);
		r = put_heading(w, i);
		(void)putc(' ', w->out);
	}
	(void)fputs("|\n", w->out);
	for (size_t i = 0; i < head->ncolumns; i++) {
		enum td_unit unit = head->columns[i].unit;
		bool number = unit == TD_UNIT_ANY ? values[i].type == TD_VALUE_INT ||
							    values[i].type == TD_VALUE_REAL
						  : unit != TD_UNIT_TEXT;

		(void)fputs(!number ? "| --- " : "| ---: ", w->out);
	}
	(void)fputs("|\n", w->out);
	return r;
}

static int table(struct td_writer *w)
{
	const struct td_table_head *head = w->head;

	separate(w);
	if (head->title || head->name) {
		(void)fputs("## ", w->out);
		put_text(w->out, head->title ? head->title : head->name);
		(void)fputs("\n\n", w->out);
	}
	return 0;
}

static int row(struct td_writer *w, const struct td_cell *values)
{
	int r = w->nrows == 0 && !w->head->record ? put_head(w, values) : 0;

	for (size_t i = 0; i < w->head->ncolumns && r == 0; i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;

		td_cell_of(&text, w->head, i, &values[i], w->options.timeunit);
		(void)fputs(w->head->record ? "- " : "| ", w->out);
		if (w->head->record) {
			r = put_heading(w, i);
			(void)fputs(": ", w->out);
		}
		put_text(w->out, td_strbuf_str(&text));
		(void)putc(w->head->record ? '\n' : ' ', w->out);
		if (r == 0)
			r = td_strbuf_error(&text);
	}
	if (!w->head->record)
		(void)fputs("|\n", w->out);
	return r;
}

static int table_end(struct td_writer *w)
{
	if (w->nrows > 0)
		return 0;
	(void)putc('(', w->out);
	put_text(w->out, td_table_head_why(w->head));
	(void)fputs(")\n", w->out);
	return 0;
}

/* Two spaces at the end of a line keep it a line of its own. */
static int note(struct td_writer *w, const char *text)
{
	(void)putc('\n', w->out);
	for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
		_cleanup_free_ char *line = strndup(text, (size_t)(end - text));

		if (!line)
			return -ENOMEM;
		put_text(w->out, line);
		(void)fputs(end[1] ? "  \n" : "\n", w->out);
	}
	return 0;
}

const struct td_format td_format_md = {
	.name = "md",
	.desc = "tables of Markdown, with units",
	.prose = true,
	.db = db,
	.table = table,
	.row = row,
	.table_end = table_end,
	.note = note,
};
