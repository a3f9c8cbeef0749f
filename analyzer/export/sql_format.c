/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "analyzer/export/sql_format.h"
#include "analyzer/format/formats.h"
#include "common/strbuf.h"

#define ROWS_AT_ONCE 500 /* of an INSERT: a statement of some ten kilobytes */
#define REAL_BUF 40

/* What stands in quotes has them doubled. */
static void put_quoted(FILE *out, const char *p, size_t len, char quote)
{
	(void)putc_unlocked(quote, out);
	for (size_t i = 0; i < len; i++) {
		if (p[i] == quote)
			(void)putc_unlocked(quote, out);
		(void)putc_unlocked(p[i], out);
	}
	(void)putc_unlocked(quote, out);
}

/* A NUL would end the statement. */
static void put_text(FILE *out, struct td_str text)
{
	if (!memchr(text.p, '\0', text.len)) {
		put_quoted(out, text.p, text.len, '\'');
		return;
	}
	(void)fputs("CAST(x'", out);
	for (size_t i = 0; i < text.len; i++)
		fprintf(out, "%02x", (unsigned char)text.p[i]);
	(void)fputs("' AS TEXT)", out);
}

/* All digits, and something that tells it from an integer. */
static void put_real(FILE *out, double d)
{
	char buf[REAL_BUF];

	if (isinf(d)) {
		(void)fputs(d < 0 ? "-9e999" : "9e999", out);
		return;
	}
	(void)snprintf(buf, sizeof(buf), "%.17g", d);
	(void)fputs(buf, out);
	if (!strpbrk(buf, ".e"))
		(void)fputs(".0", out);
}

static void put_value(FILE *out, const struct td_cell *v)
{
	char buf[TD_NUMBER_BUF];

	if (v->type == TD_VALUE_NULL)
		(void)fputs("NULL", out);
	else if (v->is_hex)
		fprintf(out, "x'%.*s'", (int)v->text.len, v->text.p);
	else if (v->type == TD_VALUE_TEXT)
		put_text(out, v->text);
	else if (v->type == TD_VALUE_REAL)
		put_real(out, v->d);
	else
		(void)fputs(td_format_number(buf, sizeof(buf), v), out);
}

static int sql_table(struct td_writer *w)
{
	const struct td_table_head *head = w->head;

	(void)fputs("CREATE TABLE ", w->out);
	put_quoted(w->out, head->name, strlen(head->name), '"');
	for (size_t i = 0; i < head->ncolumns; i++) {
		(void)fputs(i ? ", " : " (", w->out);
		put_quoted(w->out, head->columns[i].name, strlen(head->columns[i].name), '"');
	}
	(void)fputs(");\n", w->out);
	return 0;
}

static int sql_row(struct td_writer *w, const struct td_cell *values)
{
	if (w->nrows % ROWS_AT_ONCE == 0) {
		(void)fputs(w->nrows ? ";\nINSERT INTO " : "INSERT INTO ", w->out);
		put_quoted(w->out, w->head->name, strlen(w->head->name), '"');
		(void)fputs(" VALUES\n(", w->out);
	} else {
		(void)fputs(",\n(", w->out);
	}
	for (size_t i = 0; i < w->head->ncolumns; i++) {
		if (i)
			(void)putc_unlocked(',', w->out);
		put_value(w->out, &values[i]);
	}
	(void)putc_unlocked(')', w->out);
	return 0;
}

static int sql_table_end(struct td_writer *w)
{
	if (w->nrows)
		(void)fputs(";\n", w->out);
	return 0;
}

const struct td_format td_format_sql = {
	.name = "sql",
	.desc = "a table made and filled",
	.table = sql_table,
	.row = sql_row,
	.table_end = sql_table_end,
};

const struct td_format td_format_sql_rows = {
	.name = "sql",
	.desc = "a table filled",
	.row = sql_row,
	.table_end = sql_table_end,
};
