/* SPDX-License-Identifier: MIT */
#include <assert.h>

#include "analyzer/scan/dims.h"
#include "analyzer/scan/stat_columns.h"
#include "common/cleanup.h"
#include "common/strbuf.h"

static const char *const params[TD_NPARAMS] = {
	[TD_PARAM_SINCE] = "since_ns",
	[TD_PARAM_UNTIL] = "until_ns",
	[TD_PARAM_PHASE] = "in_phase",
	[TD_PARAM_PID] = "of_pid",
	[TD_PARAM_PROCESS] = "of_process",
	[TD_PARAM_FILE] = "of_file",
	[TD_PARAM_BIN_WIDTH] = "bin_width_ns",
	[TD_PARAM_DURING] = "during",
	[TD_PARAM_TOP] = "of_top",
};

static const char *type_of(const struct td_stat_column *c)
{
	if (c->what == TD_COLUMN_BY)
		return "TEXT";
	if (c->what == TD_COLUMN_MEASURE)
		return c->which == TD_MEASURE_P50_NS || c->which == TD_MEASURE_STDDEV_NS
			       ? "REAL"
			       : "INTEGER";
	if (c->what == TD_COLUMN_PARAM)
		return c->which == TD_PARAM_PHASE || c->which == TD_PARAM_PROCESS ||
				       c->which == TD_PARAM_FILE || c->which == TD_PARAM_DURING
			       ? "TEXT"
			       : "INTEGER";
	return td_dim_is_text(c->which) ? "TEXT" : "INTEGER";
}

static void add_column(struct td_stat_columns *t, enum td_stat_column_kind what, unsigned which,
		       const char *name)
{
	assert(t->n < TD_STAT_COLUMNS_MAX);
	t->items[t->n++] = (struct td_stat_column){ what, which, name };
}

void td_stat_columns_list(const struct td_relation *r, struct td_stat_columns *t)
{
	*t = (struct td_stat_columns){ 0 };
	add_column(t, TD_COLUMN_BY, 0, "by");
	for (size_t i = 0; i < r->ndims; i++)
		add_column(t, TD_COLUMN_DIM, r->dims[i].dim, r->dims[i].column);
	for (size_t i = 0; i < r->nmeasures; i++)
		add_column(t, TD_COLUMN_MEASURE, r->measures[i].measure, r->measures[i].column);
	t->nbefore_params = t->n;
	for (unsigned p = 0; p < TD_NPARAMS; p++)
		if (r->params & 1u << p)
			add_column(t, TD_COLUMN_PARAM, p, params[p]);
}

int td_stat_columns_declare(const struct td_stat_columns *t, sqlite3 *db)
{
	_cleanup_(td_strbuf_done) struct td_strbuf sql = TD_STRBUF_INIT;
	int rc;

	td_strbuf_adds(&sql, "CREATE TABLE t (");
	for (int i = 0; i < t->n; i++)
		td_strbuf_addf(&sql, "%s\"%s\" %s", i ? ", " : "", t->items[i].name,
			       type_of(&t->items[i]));
	td_strbuf_adds(&sql, ")");
	if (td_strbuf_error(&sql) < 0)
		return SQLITE_NOMEM;
	rc = sqlite3_declare_vtab(db, td_strbuf_str(&sql));
	/* "during" is a SELECT that a view in a file from elsewhere must not run with its reader's rights. */
	return rc == SQLITE_OK ? sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY) : rc;
}
