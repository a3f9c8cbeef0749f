/* SPDX-License-Identifier: MIT */
/* csv and tsv; which is which, format.h says. */
#include "common/cleanup.h"
#include "analyzer/format/formats.h"

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

static int table(struct td_writer *w, char separator, void (*put)(FILE *out, struct td_str text))
{
	const struct td_table_head *head = w->head;

	if (w->all_tables > 0)
		(void)putc('\n', w->out);
	if (w->options.many_dbs || (w->options.many_tables && head->name))
		fprintf(w->out, "# %s%s%s\n", w->options.many_dbs ? w->db : "",
			w->options.many_dbs && head->name ? ": " : "",
			head->name ? head->name : "");
	for (size_t i = 0; i < head->ncolumns; i++) {
		const char *name = head->columns[i].name;

		if (i > 0)
			(void)putc(separator, w->out);
		put(w->out, (struct td_str){ name, strlen(name) });
	}
	(void)putc('\n', w->out);
	return 0;
}

static int row(struct td_writer *w, const struct td_cell *values, char separator,
	       void (*put)(FILE *out, struct td_str text))
{
	char buf[TD_NUMBER_BUF];

	for (size_t i = 0; i < w->head->ncolumns; i++) {
		if (i > 0)
			(void)putc(separator, w->out);
		if (values[i].type == TD_VALUE_TEXT)
			put(w->out, values[i].text);
		else if (values[i].type != TD_VALUE_NULL)
			(void)fputs(td_format_number(buf, sizeof(buf), &values[i]), w->out);
	}
	(void)putc('\n', w->out);
	return 0;
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
