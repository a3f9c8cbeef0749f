/* SPDX-License-Identifier: MIT */
/* json and ndjson; their shape is in format.h. */
#include <math.h>

#include "common/cleanup.h"
#include "common/utf8.h"
#include "analyzer/format/formats.h"

static void put_char(FILE *out, unsigned char c)
{
	static const char letters[] = { ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r',
					['\t'] = 't', ['"'] = '"',  ['\\'] = '\\' };

	if (c < sizeof(letters) && letters[c])
		fprintf(out, "\\%c", letters[c]);
	else
		fprintf(out, "\\u%04x", c);
}

static void put_string(FILE *out, struct td_str text)
{
	uint32_t cp;

	(void)putc('"', out);
	for (size_t i = 0, n; i < text.len; i += n) {
		unsigned char c = (unsigned char)text.p[i];

		n = td_utf8_decode(text.p + i, text.len - i, &cp);
		if (c < 0x20 || c == '"' || c == '\\' || c == 0x7f)
			put_char(out, c);
		else if (n)
			(void)fwrite(text.p + i, 1, n, out);
		else
			(void)fputs("\xef\xbf\xbd", out);
		n = n ? n : 1;
	}
	(void)putc('"', out);
}

static void put_cstr(FILE *out, const char *text)
{
	put_string(out, (struct td_str){ text, strlen(text) });
}

static void put_value(FILE *out, const struct td_cell *value)
{
	char buf[TD_NUMBER_BUF];

	if (value->type == TD_VALUE_NULL)
		(void)fputs("null", out);
	else if (value->type == TD_VALUE_TEXT)
		put_string(out, value->text);
	else if (value->type == TD_VALUE_REAL && isinf(value->d))
		(void)fputs(value->d < 0 ? "-9e999" : "9e999", out);
	else
		(void)fputs(td_format_number(buf, sizeof(buf), value), out);
}

/* first: no member came before these. */
static void put_members(struct td_writer *w, const struct td_cell *values, bool first)
{
	for (size_t i = 0; i < w->head->ncolumns; i++) {
		if (!first || i > 0)
			(void)putc(',', w->out);
		put_cstr(w->out, w->head->columns[i].name);
		(void)putc(':', w->out);
		put_value(w->out, &values[i]);
	}
}

static const char *opening(const struct td_writer *w)
{
	return w->options.named ? "{\n" : "[\n";
}

static const char *closing(const struct td_writer *w)
{
	return w->options.named ? "\n}" : "\n]";
}

static int json_begin(struct td_writer *w)
{
	if (w->options.many_dbs)
		(void)fputs("{\n", w->out);
	else if (w->options.many_tables)
		(void)fputs(opening(w), w->out);
	return 0;
}

/* Closes what the tables of the database before are in. */
static void close_db(struct td_writer *w)
{
	if (w->options.many_tables && w->ndbs > 0)
		(void)fputs(closing(w), w->out);
}

static int json_db(struct td_writer *w)
{
	if (!w->options.many_dbs)
		return 0;
	close_db(w);
	if (w->ndbs > 0)
		(void)fputs(",\n", w->out);
	put_cstr(w->out, w->db);
	(void)fputs(": ", w->out);
	if (w->options.many_tables)
		(void)fputs(opening(w), w->out);
	return 0;
}

static int json_table(struct td_writer *w)
{
	if (w->ntables > 0)
		(void)fputs(",\n", w->out);
	if (w->options.many_tables && w->options.named) {
		put_cstr(w->out, w->head->name);
		(void)fputs(": ", w->out);
	}
	(void)putc('[', w->out);
	return 0;
}

static int json_row(struct td_writer *w, const struct td_cell *values)
{
	(void)fputs(w->nrows > 0 ? ",\n{" : "\n{", w->out);
	put_members(w, values, true);
	(void)putc('}', w->out);
	return 0;
}

static int json_table_end(struct td_writer *w)
{
	(void)fputs(w->nrows > 0 ? "\n]" : "]", w->out);
	return 0;
}

static int json_end(struct td_writer *w)
{
	if (w->options.many_dbs) {
		close_db(w);
		(void)fputs("\n}", w->out);
	} else if (w->options.many_tables) {
		(void)fputs(closing(w), w->out);
	}
	(void)putc('\n', w->out);
	return 0;
}

static int ndjson_row(struct td_writer *w, const struct td_cell *values)
{
	bool first = true;

	(void)putc('{', w->out);
	if (w->options.many_dbs) {
		(void)fputs("\"_db\":", w->out);
		put_cstr(w->out, w->db);
		first = false;
	}
	if (w->options.many_tables && w->head->name) {
		(void)fputs(first ? "\"_report\":" : ",\"_report\":", w->out);
		put_cstr(w->out, w->head->name);
		first = false;
	}
	put_members(w, values, first);
	(void)fputs("}\n", w->out);
	return 0;
}

const struct td_format td_format_json = {
	.name = "json",
	.desc = "an array of objects, plain numbers",
	.begin = json_begin,
	.db = json_db,
	.table = json_table,
	.row = json_row,
	.table_end = json_table_end,
	.end = json_end,
};

const struct td_format td_format_ndjson = {
	.name = "ndjson",
	.desc = "an object per line, plain numbers",
	.row = ndjson_row,
};
