/* SPDX-License-Identifier: MIT */
#include "analyzer/partial/of_files.h"
#include "common/strbuf.h"
#include "schema/series.h"

static int bind(sqlite3_stmt *stmt, const struct td_report *rep, const struct td_arg *args,
		size_t nargs, struct td_err *err)
{
	int r = 0;

	for (int i = 1; i <= sqlite3_bind_parameter_count(stmt); i++)
		for (size_t a = 0; a < nargs && r == 0; a++) {
			const char *name = sqlite3_bind_parameter_name(stmt, i) + 1;
			const struct td_report_param *param = td_report_param(rep, name);

			if (param && strcmp(args[a].name, name) == 0)
				r = td_arg_bind(stmt, i, param->type, &args[a], err);
		}
	return r;
}

int td_partial_of_files(sqlite3 *db, const struct td_report *rep, const struct td_arg *args,
			size_t nargs, struct td_key_map *ret, struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf sql = TD_STRBUF_INIT;
	_cleanup_(td_db_put_backp) sqlite3_stmt *stmt = NULL;
	int rc, r;

	td_strbuf_add(&sql, rep->sql, (size_t)(td_report_main_select(rep) - rep->sql));
	td_strbuf_addf(&sql, "SELECT id, 1 FROM %s", rep->files);
	if (td_strbuf_error(&sql) < 0)
		return -ENOMEM;
	rc = td_db_prepare(db, td_strbuf_str(&sql), &stmt);
	if (rc != SQLITE_OK)
		return td_db_error(db, rc, err, "cannot find the files of report '%s'", rep->name);
	r = bind(stmt, rep, args, nargs, err);
	return r < 0 ? r : td_key_map_fill(stmt, ret, NULL, err);
}
