/* SPDX-License-Identifier: MIT */
/* csv and tsv; which is which, format.h says. */
#include "common/cleanup.h"
#include "common/printable.h"
#include "analyzer/format/formats.h"

typedef void put_fn(FILE *out, struct td_str text);

static void put_csv(FILE *out, struct td_str text)
{
	static const char special[] = ",\"\r\n";
	bool quote = text.len == 0;

	for (size_t i = 0; i < text.len && !quote; i++)
		quote = memchr(special, text.p[i], sizeof(special) - 1) != NULL;
	if (!quote) {
		(void)fwrite(text.p, 1, text.len, out);
		return;
	}
	(void)putc('"', out);
	for (size_t i = 0; i < text.len; i++) {
		if (text.p[i] == '"')
			(void)putc('"', out);
		(void)putc(text.p[i], out);
	}
	(void)putc('"', out);
}

static void put_tsv(FILE *out, struct td_str text)
{
	static const char escapes[] = { ['\t'] = 't', ['\n'] = 'n', ['\r'] = 'r', ['\\'] = '\\' };

	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if (c < sizeof(escapes) && escapes[c]) {
			(void)putc('\\', out);
			(void)putc(escapes[c], out);
		} else {
			(void)putc(c, out);
		}
	}
}

/* What a spreadsheet takes for a formula when a cell begins with it (OWASP, "CSV Injection"). */
static bool is_formula(struct td_str text)
{
	return text.len > 0 && memchr("=+-@\t\r\n", text.p[0], 7);
}

/* Text as it is for programs, so that they get what is stored; made harmless where somebody looks at it. */
static int put_text(struct td_writer *w, struct td_str text, put_fn *put)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	if (!w->options.terminal && !w->options.safe_csv) {
		put(w->out, text);
		return 0;
	}
	if (w->options.safe_csv && is_formula(text))
		td_strbuf_addc(&b, '\'');
	if (w->options.terminal)
		td_printable(&b, text.p, text.len);
	else
		td_strbuf_add(&b, text.p, text.len);
	put(w->out, (struct td_str){ td_strbuf_str(&b), b.len });
	return td_strbuf_error(&b);
}

static int put_title(struct td_writer *w)
{
	const char *db = w->options.many_dbs ? w->db : "";
	const char *name = w->head->name ? w->head->name : "";
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	td_printable(&b, db, strlen(db));
	td_strbuf_adds(&b, *db && *name ? ": " : "");
	td_printable(&b, name, strlen(name));
	fprintf(w->out, "# %s\n", td_strbuf_str(&b));
	return td_strbuf_error(&b);
}

static int table(struct td_writer *w, char separator, put_fn *put)
{
	const struct td_table_head *head = w->head;
	int r = 0;

	if (w->all_tables > 0)
		(void)putc('\n', w->out);
	if (w->options.many_dbs || (w->options.many_tables && head->name))
		r = put_title(w);
	for (size_t i = 0; i < head->ncolumns && r == 0; i++) {
		const char *name = head->columns[i].name;

		if (i > 0)
			(void)putc(separator, w->out);
		r = put_text(w, (struct td_str){ name, strlen(name) }, put);
	}
	(void)putc('\n', w->out);
	return r;
}

static int row(struct td_writer *w, const struct td_cell *values, char separator, put_fn *put)
{
	char buf[TD_NUMBER_BUF];
	int r = 0;

	for (size_t i = 0; i < w->head->ncolumns && r == 0; i++) {
		if (i > 0)
			(void)putc(separator, w->out);
		if (values[i].type == TD_VALUE_TEXT)
			r = put_text(w, values[i].text, put);
		else if (values[i].type != TD_VALUE_NULL)
			(void)fputs(td_format_number(buf, sizeof(buf), &values[i]), w->out);
	}
	(void)putc('\n', w->out);
	return r;
}

static int csv_table(struct td_writer *w)
{
	return table(w, ',', put_csv);
}

static int csv_row(struct td_writer *w, const struct td_cell *values)
{
	return row(w, values, ',', put_csv);
}

static int tsv_table(struct td_writer *w)
{
	return table(w, '\t', put_tsv);
}

static int tsv_row(struct td_writer *w, const struct td_cell *values)
{
	return row(w, values, '\t', put_tsv);
}

const struct td_format td_format_csv = {
	.name = "csv",
	.desc = "comma-separated values, plain numbers",
	.table = csv_table,
	.row = csv_row,
};

const struct td_format td_format_tsv = {
	.name = "tsv",
	.desc = "tab-separated values, plain numbers",
	.table = tsv_table,
	.row = tsv_row,
};
