/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "analyzer/scan/loaded_table.h"
#include "analyzer/scan/vtab.h"
#include "common/cleanup.h"
#include "schema/table.h"

static const struct td_loaded_kind *const kinds[] = {
	&td_block_busy_kind,  &td_collective_stat_kind, &td_cpu_sample_stat_kind,
	&td_file_use_kind,    &td_gpu_gap_kind,         &td_gpu_sample_stat_kind,
	&td_launch_stat_kind, &td_lock_use_kind,        &td_long_call_kind,
	&td_nvtx_stat_kind,   &td_operator_stat_kind,   &td_read_stat_kind,
	&td_segment_use_kind, &td_sync_stat_kind,       &td_transfer_stat_kind
};

struct table {
	sqlite3_vtab base;
	sqlite3 *db;
	const struct td_loaded_kind *kind;
};

struct cursor {
	sqlite3_vtab_cursor base;
	const struct table *table;
	sqlite3_value *args[TD_LOADED_ARGS]; /* owned; NULL: not given, or NULL */
	struct {
		void *rows; /* owned; NULL: it is not asked for */
		size_t n;
	} parts[TD_LOADED_GROUPINGS];
	size_t part, row;
	sqlite3_int64 rowid;
};

static int table_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
			 sqlite3_vtab **ret, char **msg)
{
	const struct td_loaded_kind *kind = kinds[0];
	struct table *t;
	char *sql;
	int rc;

	(void)aux;
	(void)msg;
	for (size_t i = 0; i < TD_ARRAY_SIZE(kinds) && argc > 2; i++)
		if (strcmp(kinds[i]->name, argv[2]) == 0)
			kind = kinds[i];
	sql = sqlite3_mprintf("CREATE TABLE t (%s)", kind->columns);
	t = sql ? sqlite3_malloc(sizeof(*t)) : NULL;
	rc = t ? sqlite3_declare_vtab(db, sql) : SQLITE_NOMEM;
	sqlite3_free(sql);
	if (rc != SQLITE_OK) {
		sqlite3_free(t);
		return rc;
	}
	*t = (struct table){ .db = db, .kind = kind };
	*ret = &t->base;
	return SQLITE_OK;
}

/* Of several groupings each has an order of its own. */
static bool is_in_order(const struct td_loaded_kind *kind, const sqlite3_index_info *info)
{
	if (!(info->idxNum & 1) || info->nOrderBy > TD_LOADED_ORDER)
		return false;
	for (int i = 0; i < info->nOrderBy; i++)
		if (!kind->order[i].column || info->aOrderBy[i].iColumn != kind->order[i].column ||
		    (bool)info->aOrderBy[i].desc != kind->order[i].descending)
			return false;
	return info->nOrderBy > 0;
}

/* idxNum: a bit for each argument that is given, in their order. SQLite compares again. */
static int table_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct td_loaded_kind *kind = ((const struct table *)base)->kind;
	int n = 0;

	for (int a = 0; a < TD_LOADED_ARGS && kind->args[a].op; a++)
		for (int i = 0; i < info->nConstraint; i++) {
			const struct sqlite3_index_constraint *on = &info->aConstraint[i];

			if (on->iColumn != kind->args[a].column ||
			    (on->op != kind->args[a].op && on->op != SQLITE_INDEX_CONSTRAINT_EQ))
				continue;
			if (!on->usable)
				return SQLITE_CONSTRAINT;
			info->aConstraintUsage[i].argvIndex = ++n;
			info->idxNum |= 1 << a;
			break;
		}
	info->orderByConsumed = is_in_order(kind, info);
	info->estimatedCost = 1e6;
	info->estimatedRows = 100;
	return SQLITE_OK;
}

static int cursor_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
	struct cursor *c = sqlite3_malloc(sizeof(*c));

	if (!c)
		return SQLITE_NOMEM;
	*c = (struct cursor){ .table = (const struct table *)base };
	*ret = &c->base;
	return SQLITE_OK;
}

static void cursor_reset(struct cursor *c)
{
	for (size_t i = 0; i < TD_LOADED_ARGS; i++)
		sqlite3_value_free(c->args[i]);
	for (size_t by = 0; by < TD_LOADED_GROUPINGS; by++)
		if (c->parts[by].rows)
			c->table->kind->free(c->parts[by].rows);
	*c = (struct cursor){ .base = c->base, .table = c->table };
}

static int cursor_close(sqlite3_vtab_cursor *base)
{
	cursor_reset((struct cursor *)base);
	sqlite3_free(base);
	return SQLITE_OK;
}

/* To the next part that has a row there. */
static void skip_ended(struct cursor *c)
{
	while (c->part < TD_LOADED_GROUPINGS && c->row >= c->parts[c->part].n) {
		c->part++;
		c->row = 0;
	}
}

/* Rows of the grouping that is asked for; of all, where none is. */
static int load(struct cursor *c, struct td_err *err)
{
	const struct td_loaded_kind *kind = c->table->kind;
	const char *asked = *kind->groupings ? td_loaded_text(c->args[0]) : NULL;
	int r = 0;

	for (size_t by = 0; by < TD_LOADED_GROUPINGS && r == 0; by++) {
		const char *name = kind->groupings[by];

		if ((by == 0 || name) && (!asked || strcmp(asked, name) == 0))
			r = kind->load(c->table->db, c->args, by, &c->parts[by].rows,
				       &c->parts[by].n, err);
	}
	skip_ended(c);
	return r;
}

static int cursor_filter(sqlite3_vtab_cursor *base, int given, const char *unused, int argc,
			 sqlite3_value **argv)
{
	struct cursor *c = (struct cursor *)base;
	struct td_err err = { 0 };
	int n = 0, r;

	(void)unused;
	cursor_reset(c);
	for (int a = 0; a < TD_LOADED_ARGS; a++) {
		if (!(given & 1 << a) || n == argc)
			continue;
		if (td_vtab_keep(argv[n++], &c->args[a]) != SQLITE_OK)
			return SQLITE_NOMEM;
	}
	r = load(c, &err);
	return r < 0 ? td_vtab_fail(base->pVtab, r, &err) : SQLITE_OK;
}

static int cursor_next(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)base;

	c->row++;
	c->rowid++;
	skip_ended(c);
	return SQLITE_OK;
}

static int cursor_eof(sqlite3_vtab_cursor *base)
{
	return ((const struct cursor *)base)->part == TD_LOADED_GROUPINGS;
}

static int cursor_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int column)
{
	struct cursor *c = (struct cursor *)base;
	const struct td_loaded_kind *kind = c->table->kind;

	for (int a = 0; a < TD_LOADED_ARGS && kind->args[a].op; a++) {
		if (kind->args[a].column != column || !kind->args[a].echoed)
			continue;
		if (c->args[a])
			sqlite3_result_value(ctx, c->args[a]);
		return SQLITE_OK;
	}
	if (*kind->groupings && column == kind->args[0].column)
		sqlite3_result_text(ctx, kind->groupings[c->part], -1, SQLITE_STATIC);
	else
		kind->value(c->parts[c->part].rows, c->row, column, ctx);
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

int td_loaded_tables_use(sqlite3 *db, const char *asking)
{
	int rc = sqlite3_create_module_v2(db, "tracedb_loaded", &module, NULL, NULL);

	for (size_t i = 0; i < TD_ARRAY_SIZE(kinds) && rc == SQLITE_OK; i++) {
		if (kinds[i]->asks && td_vtab_is_named(kinds[i]->name, asking))
			rc = td_vtab_create(db, "tracedb_stat", kinds[i]->asks, NULL);
		if (rc == SQLITE_OK)
			rc = td_vtab_create(db, "tracedb_loaded", kinds[i]->name, asking);
	}
	return rc;
}

void td_loaded_known(sqlite3_context *ctx, sqlite3_int64 v)
{
	if (v != TD_NULL)
		sqlite3_result_int64(ctx, v);
}

sqlite3_int64 td_loaded_int(sqlite3_value *arg)
{
	return arg ? sqlite3_value_int64(arg) : TD_NULL;
}

const char *td_loaded_text(sqlite3_value *arg)
{
	return arg ? (const char *)sqlite3_value_text(arg) : NULL;
}
