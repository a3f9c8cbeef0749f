/* SPDX-License-Identifier: MIT */
/* json and ndjson; their shape is in format.h. */
#include <math.h>

#include "common/cleanup.h"
#include "common/json/write.h"
#include "analyzer/format/formats.h"

/* What is put together until a line of the output is complete. */
struct state {
	struct td_strbuf text;
};

static struct td_strbuf *text_of(struct td_writer *w)
{
	return &((struct state *)w->state)->text;
}

static void json_done(struct td_writer *w)
{
	td_strbuf_done(text_of(w));
}

/* Writes what was put together. 0 or -ENOMEM. */
static int flush(struct td_writer *w)
{
	struct td_strbuf *b = text_of(w);

	if (td_strbuf_error(b) < 0)
		return td_strbuf_error(b);
	(void)fwrite(td_strbuf_str(b), 1, b->len, w->out);
	td_strbuf_reset(b);
	return 0;
}

void td_json_add_cell(struct td_strbuf *b, const struct td_cell *value)
{
	char buf[TD_NUMBER_BUF];

	if (value->type == TD_VALUE_NULL)
		td_strbuf_adds(b, "null");
	else if (value->type == TD_VALUE_TEXT)
		td_json_add_string(b, value->text);
	else if (value->type == TD_VALUE_REAL && isinf(value->d))
		td_strbuf_adds(b, value->d < 0 ? "-9e999" : "9e999");
	else
		td_strbuf_adds(b, td_format_number(buf, sizeof(buf), value));
}

static void add_members(struct td_writer *w, const struct td_cell *values)
{
	struct td_strbuf *b = text_of(w);

	for (size_t i = 0; i < w->head->ncolumns; i++) {
		td_json_add_key(b, w->head->columns[i].name);
		if (w->head->columns[i].unit == TD_UNIT_JSON && values[i].type == TD_VALUE_TEXT)
			td_json_add(b, values[i].text);
		else
			td_json_add_cell(b, &values[i]);
	}
}

/* A string that names what follows. */
static void add_name(struct td_writer *w, const char *name)
{
	td_json_add_string(text_of(w), (struct td_str){ name, strlen(name) });
	td_strbuf_adds(text_of(w), ": ");
}

static void add_text_member(struct td_writer *w, const char *key, const char *text)
{
	td_json_add_key(text_of(w), key);
	td_json_add_string(text_of(w), (struct td_str){ text, strlen(text) });
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
		td_strbuf_adds(text_of(w), "{\n");
	else if (w->options.many_tables)
		td_strbuf_adds(text_of(w), opening(w));
	return flush(w);
}

/* Closes what the tables of the database before are in. */
static void close_db(struct td_writer *w)
{
	if (w->options.many_tables && w->ndbs > 0)
		td_strbuf_adds(text_of(w), closing(w));
}

static int json_db(struct td_writer *w)
{
	if (!w->options.many_dbs)
		return 0;
	close_db(w);
	if (w->ndbs > 0)
		td_strbuf_adds(text_of(w), ",\n");
	add_name(w, w->db);
	if (w->options.many_tables)
		td_strbuf_adds(text_of(w), opening(w));
	return flush(w);
}

static int json_table(struct td_writer *w)
{
	if (w->ntables > 0)
		td_strbuf_adds(text_of(w), ",\n");
	if (w->options.many_tables && w->options.named)
		add_name(w, w->head->name);
	td_strbuf_addc(text_of(w), '[');
	return flush(w);
}

static int json_row(struct td_writer *w, const struct td_cell *values)
{
	td_strbuf_adds(text_of(w), w->nrows > 0 ? ",\n{" : "\n{");
	add_members(w, values);
	td_strbuf_addc(text_of(w), '}');
	return flush(w);
}

static int json_table_end(struct td_writer *w)
{
	td_strbuf_adds(text_of(w), w->nrows > 0 ? "\n]" : "]");
	return flush(w);
}

static int json_end(struct td_writer *w)
{
	if (w->options.many_dbs) {
		close_db(w);
		td_strbuf_adds(text_of(w), "\n}");
	} else if (w->options.many_tables) {
		td_strbuf_adds(text_of(w), closing(w));
	}
	td_strbuf_addc(text_of(w), '\n');
	return flush(w);
}

static int ndjson_row(struct td_writer *w, const struct td_cell *values)
{
	td_strbuf_addc(text_of(w), '{');
	if (w->options.many_dbs)
		add_text_member(w, "_db", w->db);
	if (w->options.many_tables && w->head->name)
		add_text_member(w, "_report", w->head->name);
	add_members(w, values);
	td_strbuf_adds(text_of(w), "}\n");
	return flush(w);
}

const struct td_format td_format_json = {
	.name = "json",
	.desc = "an array of objects, plain numbers",
	.state_size = sizeof(struct state),
	.begin = json_begin,
	.db = json_db,
	.table = json_table,
	.row = json_row,
	.table_end = json_table_end,
	.end = json_end,
	.done = json_done,
};

const struct td_format td_format_ndjson = {
	.name = "ndjson",
	.desc = "an object per line, plain numbers",
	.state_size = sizeof(struct state),
	.row = ndjson_row,
	.done = json_done,
};
