/* SPDX-License-Identifier: MIT */
#include "analyzer/list_reports.h"
#include "analyzer/needs.h"
#include "analyzer/open.h"
#include "analyzer/query.h"
#include "schema/db.h"

struct reports {
	const struct td_report **items;
	size_t n;
};

/* Does the report have a row? Those that always have one, where there is what they need, are not asked; one that cannot be
 * asked says itself what is wrong. */
static bool has_row(sqlite3 *db, const struct td_report *rep)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int limit;

	if (!*rep->none || td_report_prepare(db, rep, &stmt, NULL) < 0)
		return true;
	limit = sqlite3_bind_parameter_index(stmt, ":limit");
	if (limit) /* one of many files is found faster */
		(void)sqlite3_bind_int(stmt, limit, 1);
	return sqlite3_step(stmt) != SQLITE_DONE;
}

/* Which of the reports, in the order of the set, the database has data for; those found before stay. */
static int find_answered(const struct reports *all, const char *path, bool *answered,
			 struct td_err *err)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	int r = td_analyzer_open_boxed(path, NULL, &db, err);

	for (size_t i = 0; i < all->n && r >= 0; i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf missing = TD_STRBUF_INIT;

		if (answered[i])
			continue;
		r = td_needs_check(db, all->items[i], &missing, err);
		answered[i] = r == 0 && has_row(db, all->items[i]);
	}
	return r < 0 ? r : 0;
}

static struct td_cell text_cell(const char *text)
{
	return (struct td_cell){ .type = TD_VALUE_TEXT, .text = { text, strlen(text) } };
}

enum { NAME, TITLE, DATA, GROUP, NCOLUMNS };

/* One table: of the reports of a group, NULL: of all; answered: NULL where no database is asked. */
static int put_table(const struct reports *all, const struct td_report_group *group,
		     const bool *answered, struct td_writer *w)
{
	static const struct td_report_column known[NCOLUMNS] = {
		[NAME] = { .name = "name", .unit = TD_UNIT_TEXT },
		[TITLE] = { .name = "title", .unit = TD_UNIT_TEXT },
		[DATA] = { .name = "data", .unit = TD_UNIT_TEXT },
		[GROUP] = { .name = "group", .unit = TD_UNIT_TEXT },
	};
	struct td_report_column columns[NCOLUMNS];
	struct td_table_head head = { .title = group ? group->question : NULL, .columns = columns };
	bool shown[NCOLUMNS] = { true, true, answered, !group };
	int r;

	for (size_t c = 0; c < NCOLUMNS; c++)
		if (shown[c])
			columns[head.ncolumns++] = known[c];
	r = td_writer_table(w, &head);
	for (size_t i = 0; i < all->n && r == 0; i++) {
		const struct td_report *rep = all->items[i];
		const struct td_cell values[NCOLUMNS] = {
			text_cell(rep->name), text_cell(rep->title),
			text_cell(answered && answered[i] ? "yes" : "no"),
			text_cell(rep->group->name)
		};
		struct td_cell row[NCOLUMNS];
		size_t n = 0;

		if (group && rep->group != group)
			continue;
		for (size_t c = 0; c < NCOLUMNS; c++)
			if (shown[c])
				row[n++] = values[c];
		r = td_writer_row(w, row);
	}
	return r == 0 ? td_writer_table_end(w) : r;
}

static bool has_any(const struct reports *all, const struct td_report_group *group)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->items[i]->group == group)
			return true;
	return false;
}

int td_list_reports(const struct td_list_reports *list, struct td_err *err)
{
	const struct td_format *format =
		list->output->format ? list->output->format : td_formats[0];
	_cleanup_(td_output_done) struct td_output out = { 0 };
	_cleanup_free_ bool *answered = calloc(list->set->n + 1, sizeof(*answered));
	_cleanup_free_ const struct td_report **reports = NULL;
	const bool *shown = list->ndbs ? answered : NULL;
	struct td_writer_options shape = { .many_tables = format->prose };
	int r = answered ? td_reports_all(list->set, &reports, err) : -ENOMEM;
	struct reports all = { reports, list->set->n };

	for (size_t i = 0; i < list->ndbs && r == 0; i++)
		r = find_answered(&all, list->dbs[i], answered, err);
	if (r == 0)
		r = td_output_open(list->output, &shape, &out, err);
	if (r == 0 && !format->prose)
		r = put_table(&all, NULL, shown, out.w);
	for (size_t g = 0; g < TD_NREPORT_GROUPS && format->prose && r == 0; g++)
		if (has_any(&all, &td_report_groups[g]))
			r = put_table(&all, &td_report_groups[g], shown, out.w);
	return r == 0 ? td_output_close(&out, err) : r;
}
