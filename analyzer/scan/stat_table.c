/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "analyzer/scan/stat.h"
#include "analyzer/scan/stat_columns.h"
#include "analyzer/scan/stat_common.h"
#include "analyzer/scan/stat_held.h"
#include "analyzer/scan/stat_ids.h"
#include "analyzer/scan/stat_result.h"
#include "analyzer/scan/stat_shared.h"
#include "analyzer/scan/stat_table.h"
#include "analyzer/scan/stat_top.h"
#include "analyzer/scan/stat_view.h"
#include "analyzer/scan/vtab.h"
#include "common/cleanup.h"
#include "common/strbuf.h"
#include "schema/db.h"

#define D(x) (1u << TD_DIM_##x)

struct table {
	sqlite3_vtab base;
	sqlite3 *db;
	const struct td_relation *relation;
	const struct td_stat_provider *provider; /* borrowed; NULL: the database itself */
	struct td_stat_columns columns;
	struct td_stat_shared shared; /* by cursors of a statement */
};

struct cursor {
	sqlite3_vtab_cursor base;
	struct table *table;
	struct td_strbuf by; /* in the order of dims */
	unsigned dims;
	sqlite3_value *args[TD_NPARAMS]; /* owned; NULL: not given */
	sqlite3_value *asked[TD_NPARAMS]; /* borrowed; args without those that all calls meet */
	sqlite3_stmt *view; /* owned; rows of the view, or: */
	bool view_done;
	void *rows; /* of the provider */
	struct td_stat stat;
	size_t group;
	struct td_labels phases; /* when grouped by them: each is a scan of its own */
	size_t phase; /* the current one */
	struct td_during during;
	struct td_stat_ids ids;
	struct td_stat_request req;
	sqlite3_int64 rowid;
};

/* --- the table --- */

static int table_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
			 sqlite3_vtab **ret, char **msg)
{
	const struct td_relation *relation = argc > 2 ? td_relation_find(argv[2]) : NULL;
	struct table *t;
	int rc;

	(void)msg;
	if (!relation) /* the table that has the name of the module, without being created */
		relation = td_relations;
	t = sqlite3_malloc(sizeof(*t));
	if (!t)
		return SQLITE_NOMEM;
	*t = (struct table){ .db = db, .relation = relation, .provider = aux };
	td_stat_columns_list(relation, &t->columns);
	rc = td_stat_columns_declare(&t->columns, db);
	if (rc == SQLITE_OK)
		*ret = &t->base;
	else
		sqlite3_free(t);
	return rc;
}

static unsigned measures_used(const struct table *t, uint64_t used)
{
	unsigned all = 0;

	for (int i = 0; i < t->columns.n; i++)
		if (used & UINT64_C(1) << i && t->columns.items[i].what == TD_COLUMN_MEASURE)
			all |= 1u << t->columns.items[i].which;
	return all;
}

/* Of idxNum: by is given, parameter p is; that far above, that NULL is equal to nothing ('=', not
 * 'IS'). What is given is in the order of the bits. idxStr: the columns that are looked at, in
 * hexadecimal digits, and what td_stat_ids_choose() adds. */
#define GIVEN_BY 1
#define GIVEN_PARAM(p) (2 << (p))
#define STRICTLY 16

static int say_what_is_used(const struct table *t, sqlite3_index_info *info, int nargs)
{
	_cleanup_(td_strbuf_done) struct td_strbuf used = TD_STRBUF_INIT;
	size_t nlists;

	td_strbuf_addf(&used, "%llx", (unsigned long long)info->colUsed);
	nlists = td_stat_ids_choose(&t->columns, info, nargs, &used);
	if (td_strbuf_error(&used) < 0)
		return SQLITE_NOMEM;
	info->idxStr = sqlite3_mprintf("%s", td_strbuf_str(&used));
	info->needToFreeIdxStr = 1;
	info->estimatedCost = 1e6 / (double)(1 + nlists);
	info->estimatedRows = 1000;
	return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

static int table_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	struct table *t = (struct table *)base;
	int given[1 + TD_NPARAMS] = { 0 }, n = 0; /* constraint + 1 */

	for (int i = 0; i < info->nConstraint; i++) {
		int at = info->aConstraint[i].iColumn, op = info->aConstraint[i].op;
		const struct td_stat_column *c =
			&t->columns.items[TD_MAX(at, 0)]; /* -1: the rowid */

		if ((op != SQLITE_INDEX_CONSTRAINT_EQ && op != SQLITE_INDEX_CONSTRAINT_IS) ||
		    at < 0 || (c->what != TD_COLUMN_BY && c->what != TD_COLUMN_PARAM))
			continue;
		if (!info->aConstraint[i].usable)
			return SQLITE_CONSTRAINT;
		given[c->what == TD_COLUMN_BY ? 0 : c->which + 1] = i + 1;
	}
	for (int i = 0; i < 1 + TD_NPARAMS; i++) {
		if (!given[i])
			continue;
		info->idxNum |= 1 << i;
		if (info->aConstraint[given[i] - 1].op == SQLITE_INDEX_CONSTRAINT_EQ)
			info->idxNum |= 1 << i << STRICTLY;
		info->aConstraintUsage[given[i] - 1].argvIndex = ++n;
		info->aConstraintUsage[given[i] - 1].omit = 1;
	}
	t->shared.wanted |= (measures_used(t, info->colUsed) & TD_MEASURES_FILES) != 0;
	return say_what_is_used(t, info, n);
}

/* --- a cursor --- */

static int cursor_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
	struct cursor *c = sqlite3_malloc(sizeof(*c));

	if (!c)
		return SQLITE_NOMEM;
	*c = (struct cursor){ .table = (struct table *)base, .by = TD_STRBUF_INIT };
	td_stat_shared_enter(&c->table->shared);
	*ret = &c->base;
	return SQLITE_OK;
}

static void cursor_reset(struct cursor *c)
{
	sqlite3_finalize(c->view);
	if (c->rows)
		c->table->provider->close(c->rows);
	for (size_t i = 0; i < TD_NPARAMS; i++)
		sqlite3_value_free(c->args[i]);
	td_strbuf_done(&c->by);
	td_stat_done(&c->stat);
	td_labels_done(&c->phases);
	td_during_done(&c->during);
	td_stat_ids_done(&c->ids);
	*c = (struct cursor){ .base = c->base, .table = c->table, .by = TD_STRBUF_INIT };
}

static int cursor_close(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)base;

	cursor_reset(c);
	td_stat_shared_leave(&c->table->shared);
	sqlite3_free(c);
	return SQLITE_OK;
}

static int unknown_dim(const struct td_relation *of, const char *word, size_t len,
		       struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf all = TD_STRBUF_INIT;

	for (size_t d = 0; d < of->ndims; d++)
		td_strbuf_addf(&all, ", %s", of->dims[d].name);
	return td_err_set(err, -EINVAL, "by: nothing is called '%.*s'; there are all%s", (int)len,
			  word, td_strbuf_str(&all));
}

/* by may be "", as may be what follows its last comma. */
static int parse_by(struct cursor *c, const char *by, struct td_err *err)
{
	const struct td_relation *of = c->table->relation;

	for (const char *p = by; strcmp(by, "all") != 0 && *p;) {
		size_t len = strcspn(p, ","), d = 0;

		while (d < of->ndims &&
		       (strlen(of->dims[d].name) != len || strncmp(of->dims[d].name, p, len) != 0))
			d++;
		if (d == of->ndims)
			return unknown_dim(of, p, len, err);
		c->dims |= 1u << of->dims[d].dim;
		p += len + (p[len] == ',');
	}
	td_stat_add_by(&c->by, of, c->dims);
	if (!c->dims)
		td_strbuf_adds(&c->by, "all");
	return td_strbuf_error(&c->by);
}

static int64_t int_arg(const struct cursor *c, enum td_param p)
{
	return c->asked[p] ? sqlite3_value_int64(c->asked[p]) : TD_NULL;
}

static const char *text_arg(const struct cursor *c, enum td_param p)
{
	return c->asked[p] ? (const char *)sqlite3_value_text(c->asked[p]) : NULL;
}

static bool is_filtered(const struct cursor *c)
{
	for (size_t i = 0; i < TD_NPARAMS; i++)
		if (c->asked[i])
			return true;
	return false;
}

/* --- rows of the view --- */

static int next_of_view(struct cursor *c)
{
	int rc = sqlite3_step(c->view);

	c->view_done = rc != SQLITE_ROW;
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* --- rows of a scan --- */

/* The first group from the current one on that has calls. */
static void skip_empty(struct cursor *c)
{
	while (c->group < c->stat.keys.n &&
	       td_group_sums_get(&c->stat.sums, c->group, TD_SUM_CALLS) == 0)
		c->group++;
}

static bool scan_is_over(const struct cursor *c)
{
	return c->group >= c->stat.keys.n;
}

static int scan_once(struct cursor *c, struct td_err *err)
{
	int64_t top = int_arg(c, TD_PARAM_TOP);

	return top == TD_NULL || top < 0
		       ? td_stat_shared_scan(c->table->db, &c->table->shared, &c->req, &c->stat,
					     err)
		       : td_stat_scan_top(c->table->db, &c->req, (size_t)top, &c->stat, err);
}

/* Scans for the phases from the current one on until there are rows. */
static int scan_phases(struct cursor *c, struct td_err *err)
{
	int r = 0;

	for (; r == 0 && c->phase < c->phases.n; c->phase++) {
		const char *asked = text_arg(c, TD_PARAM_PHASE);

		c->req.phase = c->phases.items[c->phase];
		if (asked && sqlite3_stricmp(asked, c->req.phase) != 0)
			continue;
		td_stat_done(&c->stat);
		c->group = 0;
		r = scan_once(c, err);
		skip_empty(c);
		if (!scan_is_over(c))
			return r;
	}
	return r;
}

/* Without intervals nothing can lie in them: NULL, as in the views. */
static unsigned measures_of(const struct cursor *c, uint64_t used)
{
	unsigned all = measures_used(c->table, used);

	return c->args[TD_PARAM_DURING] ? all : all & ~TD_MEASURES_DURING;
}

/* Of what the file holds of files: the view does so by SQL, which takes several times as long. */
static int put_together(struct cursor *c, unsigned files_by, uint64_t used, struct td_err *err)
{
	int r;

	c->req = (struct td_stat_request){ .relation = c->table->relation,
					   .dims = c->dims,
					   .measures = measures_of(c, used),
					   .bin_width_ns = TD_NULL,
					   .pid = int_arg(c, TD_PARAM_PID),
					   .process = text_arg(c, TD_PARAM_PROCESS) };
	r = td_stat_common(c->table->db, &c->req, files_by, &c->stat, err);
	skip_empty(c);
	return r;
}

static int scan(struct cursor *c, uint64_t used, struct td_err *err)
{
	const char *during = text_arg(c, TD_PARAM_DURING);
	int r = during ? td_during_load(c->table->db, during, &c->during, err) : 0;

	if (r < 0)
		return r;
	c->req = (struct td_stat_request){
		.relation = c->table->relation,
		.dims = c->dims & ~D(PHASE),
		.measures = measures_of(c, used),
		.since_ns = int_arg(c, TD_PARAM_SINCE),
		.until_ns = int_arg(c, TD_PARAM_UNTIL),
		.phase = text_arg(c, TD_PARAM_PHASE),
		.pid = int_arg(c, TD_PARAM_PID),
		.process = text_arg(c, TD_PARAM_PROCESS),
		.file = text_arg(c, TD_PARAM_FILE),
		.also = c->ids.items,
		.nalso = c->ids.n,
		.bin_width_ns = int_arg(c, TD_PARAM_BIN_WIDTH),
		.during = &c->during,
	};
	if (!(c->dims & D(PHASE))) {
		r = scan_once(c, err);
		skip_empty(c);
		return r;
	}
	r = td_stat_phases(c->table->db, &c->phases, err);
	return r < 0 ? r : scan_phases(c, err);
}

/* *none: a comparison with NULL that nothing meets. */
static int take_args(struct cursor *c, int given, sqlite3_value **argv, bool *none)
{
	int n = given & GIVEN_BY;

	*none = given & GIVEN_BY && sqlite3_value_type(argv[0]) == SQLITE_NULL;
	for (size_t i = 0; i < TD_NPARAMS; i++) {
		sqlite3_value *v = given & GIVEN_PARAM(i) ? argv[n++] : NULL;

		if (!v)
			continue;
		if (sqlite3_value_type(v) == SQLITE_NULL) {
			*none |= (given >> STRICTLY & GIVEN_PARAM(i)) != 0;
			continue;
		}
		if (td_vtab_keep(v, &c->args[i]) != SQLITE_OK)
			return -ENOMEM;
		c->asked[i] = c->args[i];
	}
	return 0;
}

static int ask_provider(struct cursor *c, uint64_t used, struct td_err *err)
{
	struct td_stat_asked asked = { .relation = c->table->relation,
				       .dims = c->dims,
				       .measures = measures_of(c, used) };

	memcpy(asked.args, c->args, sizeof(asked.args));
	return c->table->provider->ask(c->table->provider->ctx, &asked, &c->rows, err);
}

/* Of what the file holds, or of the rows themselves. An SQLite result code. */
static int ask_database(struct cursor *c, bool by_given, const char *used_text, int argc,
			sqlite3_value **argv)
{
	uint64_t used = strtoull(used_text, NULL, 16);
	struct td_stat_view view = { .db = c->table->db,
				     .relation = c->table->relation,
				     .columns = &c->table->columns,
				     .args = c->asked,
				     .dims = c->dims };
	struct td_err err = { 0 };
	unsigned by, common;
	int r;

	if (td_stat_view_is_of_all(&view))
		c->asked[TD_PARAM_PROCESS] = NULL;
	by = td_stat_view_dims(&view, measures_of(c, used));
	common = by ? td_stat_common_of(view.relation, by) : 0;
	if (common &&
	    (is_filtered(c) ||
	     !td_stat_has_table(view.db, view.relation, by, measures_of(c, used))) &&
	    !c->asked[TD_PARAM_TOP]) {
		r = put_together(c, common, used, &err);
		return r < 0 ? td_vtab_fail(&c->table->base, r, &err) : SQLITE_OK;
	}
	if (by || !by_given) {
		int rc = td_stat_view_open(&view, by, used, &c->view);

		return rc == SQLITE_OK ? next_of_view(c) : rc;
	}
	r = td_stat_ids_take(&c->table->columns, used_text, measures_of(c, used), argc, argv,
			     &c->ids);
	if (r == 0)
		r = scan(c, used, &err);
	return r < 0 ? td_vtab_fail(&c->table->base, r, &err) : SQLITE_OK;
}

static int cursor_filter(sqlite3_vtab_cursor *base, int given, const char *used_text, int argc,
			 sqlite3_value **argv)
{
	struct cursor *c = (struct cursor *)base;
	uint64_t used = strtoull(used_text, NULL, 16);
	struct td_err err = { 0 };
	bool none = false;
	int r;

	cursor_reset(c);
	r = take_args(c, given, argv, &none);
	if (r == 0 && (none || td_stat_ids_nothing(used_text, argc, argv))) {
		c->view_done = true;
		return SQLITE_OK;
	}
	if (r == 0 && given & GIVEN_BY)
		r = parse_by(c, (const char *)sqlite3_value_text(argv[0]), &err);
	else if (r == 0 && is_filtered(c))
		r = td_err_set(&err, -EINVAL, "say by what %s are grouped: WHERE by = '%s' AND ...",
			       c->table->relation->rows, c->table->relation->dims[0].name);
	if (r == 0 && c->table->provider)
		r = given & GIVEN_BY ? ask_provider(c, used, &err)
				     : td_err_set(&err, -EOPNOTSUPP,
						  "it does not say by what %s are grouped",
						  c->table->relation->rows);
	if (r < 0)
		return td_vtab_fail(&c->table->base, r, &err);
	if (c->table->provider)
		return SQLITE_OK;
	return ask_database(c, given & GIVEN_BY, used_text, argc, argv);
}

static int cursor_next(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)base;
	struct td_err err = { 0 };
	int r = 0;

	c->rowid++;
	if (c->rows)
		c->table->provider->next(c->rows);
	if (c->rows)
		return SQLITE_OK;
	if (c->view)
		return next_of_view(c);
	c->group++;
	skip_empty(c);
	if (scan_is_over(c) && c->phase < c->phases.n) {
		c->phase++;
		r = scan_phases(c, &err);
	}
	return r < 0 ? td_vtab_fail(&c->table->base, r, &err) : SQLITE_OK;
}

static int cursor_eof(sqlite3_vtab_cursor *base)
{
	const struct cursor *c = (const struct cursor *)base;

	if (c->rows)
		return c->table->provider->at_end(c->rows);
	return c->view || c->view_done ? c->view_done : scan_is_over(c);
}

/* --- values --- */

static void result_text(sqlite3_context *ctx, const char *text)
{
	sqlite3_result_text(ctx, text, -1, SQLITE_TRANSIENT);
}

static int cursor_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int i)
{
	struct cursor *c = (struct cursor *)base;
	const struct td_stat_column *column = &c->table->columns.items[i];

	if (column->what == TD_COLUMN_PARAM) {
		if (c->args[column->which] && !(c->rows && column->which == TD_PARAM_TOP))
			sqlite3_result_value(ctx, c->args[column->which]);
	} else if (column->what == TD_COLUMN_BY && c->by.len) {
		result_text(ctx, td_strbuf_str(&c->by));
	} else if (column->what == TD_COLUMN_DIM && c->by.len && !(c->dims & 1u << column->which)) {
		sqlite3_result_null(ctx);
	} else if (c->rows && column->what == TD_COLUMN_DIM) {
		c->table->provider->dim(c->rows, (enum td_dim)column->which, ctx);
	} else if (c->rows) {
		c->table->provider->measure(c->rows, (enum td_measure)column->which, ctx);
	} else if (c->view) {
		sqlite3_result_value(ctx, sqlite3_column_value(c->view, i));
	} else if (column->what == TD_COLUMN_DIM && column->which == TD_DIM_PHASE) {
		result_text(ctx, c->req.phase);
	} else if (column->what == TD_COLUMN_DIM) {
		td_stat_dim_result(&c->stat, c->group, (enum td_dim)column->which, ctx);
	} else {
		td_stat_measure_result(&c->stat, c->group, (enum td_measure)column->which, ctx);
	}
	return SQLITE_OK;
}

static int cursor_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
	*ret = ((const struct cursor *)base)->rowid;
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.xCreate = table_connect,
	.xConnect = table_connect,
	.xBestIndex = table_best_index,
	.xDisconnect = td_vtab_disconnect,
	.xDestroy = td_vtab_disconnect,
	.xOpen = cursor_open,
	.xClose = cursor_close,
	.xFilter = cursor_filter,
	.xNext = cursor_next,
	.xEof = cursor_eof,
	.xColumn = cursor_column,
	.xRowid = cursor_rowid,
};

int td_stat_table_use(sqlite3 *db, const struct td_stat_provider *provider, const char *asking)
{
	int rc = sqlite3_create_module_v2(db, "tracedb_stat", &module, (void *)provider, NULL);

	for (size_t i = 0; i < td_nrelations && rc == SQLITE_OK; i++)
		rc = td_vtab_create(db, "tracedb_stat", td_relations[i].name, asking);
	return rc;
}
