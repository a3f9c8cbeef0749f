/* SPDX-License-Identifier: MIT */
/*
 * html: a page of its own, or what stands in one (struct td_page_frame), with tables that can be
 * sorted by any column. Text of the data is text: every character that HTML knows is escaped, and
 * none turns the direction of writing.
 */
#include "analyzer/format/cell.h"
#include "analyzer/format/formats.h"
#include "analyzer/page/page.h"
#include "common/cleanup.h"
#include "common/printable.h"

#define ROWS_MAX 1000 /* of a table: a browser has to hold them, a mail, too */

static void put_text(FILE *out, const char *text)
{
	for (; *text; text++)
		if (strchr("<>&\"'", *text))
			(void)fprintf(out, "&#%d;", *text);
		else
			(void)putc(*text, out);
}

static int put_printable(FILE *out, const char *text)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	td_printable(&b, text, strlen(text));
	put_text(out, td_strbuf_str(&b));
	return td_strbuf_error(&b);
}

static int begin(struct td_writer *w)
{
	const struct td_page_frame *frame = w->options.frame;

	(void)fputs(frame ? frame->head : td_report_page[0].text, w->out);
	(void)fputs("<div class=\"tables\">\n", w->out);
	return 0;
}

static int db(struct td_writer *w)
{
	int r;

	if (!w->options.many_dbs)
		return 0;
	(void)fputs("<h1>", w->out);
	r = put_printable(w->out, w->db);
	(void)fputs("</h1>\n", w->out);
	return r;
}

static int table(struct td_writer *w)
{
	const struct td_table_head *head = w->head;

	(void)fputs("<section>\n", w->out);
	if (!head->title && !head->name)
		return 0;
	(void)fprintf(w->out, "<h2 id=\"table-%zu\">", w->all_tables);
	put_text(w->out, head->title ? head->title : head->name);
	if (head->title && head->name) {
		(void)fputs(" <small>", w->out);
		put_text(w->out, head->name);
		(void)fputs("</small>", w->out);
	}
	(void)fputs("</h2>\n", w->out);
	return 0;
}

static bool is_number(const struct td_writer *w, size_t column, const struct td_cell *value)
{
	enum td_unit unit = w->head->columns[column].unit;

	if (unit == TD_UNIT_ANY)
		return value->type == TD_VALUE_INT || value->type == TD_VALUE_REAL;
	return unit != TD_UNIT_TEXT && unit != TD_UNIT_JSON;
}

/* scope: what the heading is of, "col" or "row". */
static int put_heading(struct td_writer *w, size_t column, const char *scope, bool number)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;

	td_cell_heading(&text, w->head, column, w->options.timeunit);
	(void)fprintf(w->out, "<th scope=\"%s\"%s title=\"", scope, number ? " class=\"n\"" : "");
	put_text(w->out, w->head->columns[column].help ? w->head->columns[column].help : "");
	(void)fputs("\">", w->out);
	put_text(w->out, td_strbuf_str(&text));
	(void)fputs("</th>", w->out);
	return td_strbuf_error(&text);
}

static int put_value(struct td_writer *w, size_t column, const struct td_cell *value)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	char number[TD_NUMBER_BUF];

	td_cell_of(&text, w->head, column, value, w->options.timeunit);
	(void)fputs(is_number(w, column, value) ? "<td class=\"n\"" : "<td", w->out);
	if (value->type == TD_VALUE_NULL)
		(void)fputs(" data-v=\"\"", w->out);
	else if (value->type != TD_VALUE_TEXT)
		(void)fprintf(w->out, " data-v=\"%s\"",
			      td_format_number(number, sizeof(number), value));
	(void)putc('>', w->out);
	put_text(w->out, td_strbuf_str(&text));
	(void)fputs("</td>", w->out);
	return td_strbuf_error(&text);
}

/* values: the first row, which decides what stands right where the column does not say. */
static int put_head(struct td_writer *w, const struct td_cell *values)
{
	int r = 0;

	(void)fputs("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"", w->out);
	put_text(w->out, w->head->title ? w->head->title : "result");
	(void)fprintf(w->out, ", table %zu\"><table class=\"sorts\">\n<thead><tr>",
		      w->all_tables + 1);
	for (size_t i = 0; i < w->head->ncolumns && r == 0; i++)
		r = put_heading(w, i, "col", is_number(w, i, &values[i]));
	(void)fputs("</tr></thead>\n<tbody>\n", w->out);
	return r;
}

/* A wide row is a line for each value. */
static int put_record(struct td_writer *w, const struct td_cell *values)
{
	int r = 0;

	(void)fputs("<table>\n", w->out);
	for (size_t i = 0; i < w->head->ncolumns && r == 0; i++) {
		(void)fputs("<tr>", w->out);
		r = put_heading(w, i, "row", false);
		if (r == 0)
			r = put_value(w, i, &values[i]);
		(void)fputs("</tr>\n", w->out);
	}
	(void)fputs("</table>\n", w->out);
	return r;
}

static int row(struct td_writer *w, const struct td_cell *values)
{
	int r = w->nrows == 0 && !w->head->record ? put_head(w, values) : 0;

	if (w->head->record)
		return put_record(w, values);
	if (w->nrows >= ROWS_MAX)
		return r;
	(void)fputs("<tr>", w->out);
	for (size_t i = 0; i < w->head->ncolumns && r == 0; i++)
		r = put_value(w, i, &values[i]);
	(void)fputs("</tr>\n", w->out);
	return r;
}

static int table_end(struct td_writer *w)
{
	if (w->nrows > 0 && !w->head->record)
		(void)fputs("</tbody></table></div>\n", w->out);
	if (w->nrows > ROWS_MAX)
		(void)fprintf(w->out,
			      "<p class=\"note\">%zu more rows: the other formats have all of "
			      "them</p>\n",
			      w->nrows - ROWS_MAX);
	if (w->nrows == 0) {
		(void)fputs("<p class=\"none\">(", w->out);
		put_text(w->out, td_table_head_why(w->head));
		(void)fputs(")</p>\n", w->out);
	}
	(void)fputs("</section>\n", w->out);
	return 0;
}

static int note(struct td_writer *w, const char *text)
{
	int r = 0;

	for (const char *end; r == 0 && (end = strchr(text, '\n')); text = end + 1) {
		_cleanup_free_ char *line = strndup(text, (size_t)(end - text));

		if (!line)
			return -ENOMEM;
		(void)fputs("<p class=\"note\">", w->out);
		r = put_printable(w->out, line);
		(void)fputs("</p>\n", w->out);
	}
	return r;
}

static int end(struct td_writer *w)
{
	const struct td_page_frame *frame = w->options.frame;

	(void)fputs("</div>\n", w->out);
	(void)fputs(frame ? frame->tail : td_report_page[1].text, w->out);
	return 0;
}

const struct td_format td_format_html = {
	.name = "html",
	.desc = "a page with tables that can be sorted",
	.prose = true,
	.begin = begin,
	.db = db,
	.table = table,
	.row = row,
	.table_end = table_end,
	.note = note,
	.end = end,
};
