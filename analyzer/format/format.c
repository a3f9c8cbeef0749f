/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <sqlite3.h>

#include "common/cleanup.h"
#include "common/stdfds.h"
#include "analyzer/format/cell.h"
#include "analyzer/format/choice.h"
#include "analyzer/format/formats.h"

const char *const td_timeunit_names[TD_NTIMEUNITS] = {
	[TD_TIMEUNIT_AUTO] = "auto", [TD_TIMEUNIT_NS] = "ns", [TD_TIMEUNIT_US] = "us",
	[TD_TIMEUNIT_MS] = "ms",     [TD_TIMEUNIT_S] = "s",
};

const char *td_format_number(char *buf, size_t size, const struct td_cell *value)
{
	if (value->type == TD_VALUE_INT)
		(void)snprintf(buf, size, "%" PRId64, value->i);
	else
		sqlite3_snprintf((int)size, buf, "%!.15g", value->d);
	return buf;
}

const struct td_format *td_format_find(const char *name)
{
	for (size_t i = 0; td_formats[i]; i++)
		if (strcmp(td_formats[i]->name, name) == 0)
			return td_formats[i];
	return NULL;
}

int td_writer_new(const struct td_format *format, FILE *out,
		  const struct td_writer_options *options, struct td_writer **ret)
{
	_cleanup_(td_writer_freep) struct td_writer *w = calloc(1, sizeof(*w) + format->state_size);
	int r;

	if (!w)
		return -ENOMEM;
	w->format = format;
	w->out = out;
	w->options = *options;
	w->state = w + 1;
	r = format->begin ? format->begin(w) : 0;
	if (r < 0)
		return r;
	*ret = TAKE_PTR(w);
	return 0;
}

void td_writer_free(struct td_writer *w)
{
	if (!w)
		return;
	if (w->format->done)
		w->format->done(w);
	td_choice_free(w->choice);
	free(w);
}

int td_writer_db(struct td_writer *w, const char *path)
{
	int r;

	w->db = path;
	w->ntables = 0;
	r = w->format->db ? w->format->db(w) : 0;
	w->ndbs++;
	return r;
}

const char *td_table_head_why(const struct td_table_head *head)
{
	const char *none = head->none ? head->none : "no rows";

	return head->missing ? head->missing : none;
}

/* Are some of its columns not for people? */
static bool has_numbers(const struct td_table_head *head)
{
	for (size_t i = 0; i < head->ncolumns; i++)
		if (head->columns[i].for_programs)
			return true;
	return false;
}

int td_writer_table(struct td_writer *w, const struct td_table_head *head)
{
	int r = 0;

	w->head = head;
	if (w->options.columns)
		r = td_choice_new(w->options.columns, head, &w->choice);
	else if (w->format->prose && has_numbers(head))
		r = td_choice_for_people(head, &w->choice);
	if (r < 0)
		return r;
	if (w->choice)
		w->head = &w->choice->head;
	w->nrows = 0;
	w->told_time = w->told_apart = false;
	r = w->format->table ? w->format->table(w) : 0;
	w->ntables++;
	w->all_tables++;
	return r;
}

/* Which of the values are times, and what do these count from? */
static void look_at_times(struct td_writer *w, const struct td_cell *values)
{
	for (size_t i = 0; i < w->head->ncolumns; i++) {
		if (w->head->columns[i].unit != TD_UNIT_TS_NS || values[i].type != TD_VALUE_INT)
			continue;
		if (td_cell_is_apart(w->head, values[i].i))
			w->told_apart = true;
		else
			w->told_time = true;
	}
}

int td_writer_row(struct td_writer *w, const struct td_cell *values)
{
	const struct td_cell *shown = w->choice ? td_choice_of(w->choice, values) : values;
	int r = w->format->row(w, shown);

	if (w->head->from_begin)
		look_at_times(w, shown);
	w->nrows++;
	return r;
}

int td_writer_table_end(struct td_writer *w)
{
	int r = w->format->table_end ? w->format->table_end(w) : 0;

	w->head = NULL;
	td_choice_free(TAKE_PTR(w->choice));
	return r;
}

int td_writer_note(struct td_writer *w, const char *text)
{
	return w->format->note ? w->format->note(w, text) : 0;
}

int td_writer_end(struct td_writer *w)
{
	int r = w->format->end ? w->format->end(w) : 0;

	return r < 0 ? r : td_flush(w->out);
}

const struct td_format *const td_formats[] = {
	&td_format_table,  &td_format_csv, &td_format_tsv,  &td_format_json,
	&td_format_ndjson, &td_format_md,  &td_format_html, NULL,
};
