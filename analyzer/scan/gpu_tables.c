/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "analyzer/scan/gpu_tables.h"
#include "analyzer/scan/gpu_work.h"
#include "analyzer/scan/launches.h"
#include "analyzer/scan/vtab.h"
#include "common/array.h"
#include "common/cleanup.h"

#define MAX_GAP_NS                                                                                 \
	100000 /* of launch_stat, where nothing else is asked for; the view has it, too */

enum gap_column { GAP_ID, GAP_DEVICE, GAP_START, GAP_DUR };
enum launch_column {
	LAUNCH_DEVICE,
	LAUNCH_PHASE,
	LAUNCH_SINCE,
	LAUNCH_WALL,
	LAUNCH_KERNELS,
	LAUNCH_TOTAL,
	LAUNCH_LAUNCHES,
	LAUNCH_NS,
	LAUNCH_DELAY,
	LAUNCH_GAPS,
	LAUNCH_GAP_NS,
	LAUNCH_STARVED,
	LAUNCH_STARVED_NS,
	LAUNCH_IN_PHASE,
	LAUNCH_MAX_GAP,
};

struct gap {
	int64_t id, device_id, start_ns, dur_ns;
};

struct cursor;

/* What is asked with: a column, and the comparison that is understood beside '=' and 'IS'. */
#define NARGS 2
struct arg {
	int column;
	unsigned char op;
};

struct kind {
	const char *name, *columns;
	struct arg args[NARGS];
	/* 0, or -errno with a message; sets the cursor's number of rows */
	int (*load)(struct cursor *c, struct td_err *err);
	void (*value)(struct cursor *c, int column, sqlite3_context *ctx);
};

struct table {
	sqlite3_vtab base;
	sqlite3 *db;
	const struct kind *kind;
};

struct cursor {
	sqlite3_vtab_cursor base;
	const struct table *table;
	sqlite3_value *args[NARGS]; /* owned; NULL: not given, or NULL */
	struct gap *gaps; /* owned */
	size_t cap;
	int64_t min_ns;
	struct td_launches launches;
	size_t n, row;
};

static void result_known(sqlite3_context *ctx, int64_t v)
{
	if (v != TD_NULL)
		sqlite3_result_int64(ctx, v);
}

/* --- gpu_gap --- */

static int add_gap(void *arg, const struct td_gpu_work *w)
{
	struct cursor *c = arg;
	struct gap gap = { w->id, w->device_id, w->idle_from_ns, 0 };

	if (w->idle_from_ns == TD_NULL || w->start_ns <= w->idle_from_ns)
		return 0;
	gap.dur_ns = w->start_ns - w->idle_from_ns;
	if (gap.dur_ns < c->min_ns)
		return 0;
	if (td_grow(&c->gaps, &c->cap, c->n) < 0)
		return -ENOMEM;
	c->gaps[c->n++] = gap;
	return 0;
}

static int load_gaps(struct cursor *c, struct td_err *err)
{
	/* SQLite looks at each gap again: of what is no whole number all are handed out */
	bool is_given = c->args[0] && sqlite3_value_type(c->args[0]) == SQLITE_INTEGER;

	c->min_ns = is_given ? sqlite3_value_int64(c->args[0]) : 0;
	return td_gpu_work_each(c->table->db, add_gap, c, err);
}

static void gap_value(struct cursor *c, int column, sqlite3_context *ctx)
{
	const struct gap *g = &c->gaps[c->row];
	const int64_t values[] = { [GAP_ID] = g->id,
				   [GAP_DEVICE] = g->device_id,
				   [GAP_START] = g->start_ns,
				   [GAP_DUR] = g->dur_ns };

	sqlite3_result_int64(ctx, values[column]);
}

/* --- launch_stat --- */

static int load_launches(struct cursor *c, struct td_err *err)
{
	const char *phase = c->args[0] ? (const char *)sqlite3_value_text(c->args[0]) : NULL;
	int64_t max_gap_ns = c->args[1] ? sqlite3_value_int64(c->args[1]) : MAX_GAP_NS;
	int r = td_launches_load(c->table->db, phase, max_gap_ns, &c->launches, err);

	c->n = c->launches.keys.n;
	return r;
}

static void launch_value(struct cursor *c, int column, sqlite3_context *ctx)
{
	struct td_launch_group *g = &c->launches.groups[c->row];
	const struct td_key *key = &c->launches.keys.items[c->row];
	const int64_t values[] = {
		[LAUNCH_DEVICE] = (int64_t)key->hi,
		[LAUNCH_SINCE] = g->since_ns,
		[LAUNCH_WALL] = g->wall_ns,
		[LAUNCH_KERNELS] = g->kernels,
		[LAUNCH_TOTAL] = g->total_ns,
		[LAUNCH_LAUNCHES] = g->known ? g->launches : TD_NULL,
		[LAUNCH_NS] = g->launches ? g->launch_ns : TD_NULL,
		[LAUNCH_GAPS] = g->gaps,
		[LAUNCH_GAP_NS] = g->gap_ns,
		[LAUNCH_STARVED] = g->known ? g->starved : TD_NULL,
		[LAUNCH_STARVED_NS] = g->known ? g->starved_ns : TD_NULL,
	};

	if (column >= LAUNCH_IN_PHASE) {
		if (c->args[column - LAUNCH_IN_PHASE])
			sqlite3_result_value(ctx, c->args[column - LAUNCH_IN_PHASE]);
	} else if (column == LAUNCH_PHASE) {
		sqlite3_result_text(ctx, c->launches.labels.items[key->lo], -1, SQLITE_TRANSIENT);
	} else if (column == LAUNCH_DELAY) {
		if (g->known)
			sqlite3_result_double(ctx, (double)td_launch_delays_2p50(g) / 2);
	} else {
		result_known(ctx, values[column]);
	}
}

static const struct kind kinds[] = {
	{
		.name = "gpu_gap",
		.columns = "id INTEGER, device_id INTEGER, start_ns INTEGER, dur_ns INTEGER",
		.args = { { GAP_DUR, SQLITE_INDEX_CONSTRAINT_GE }, { -1, 0 } },
		.load = load_gaps,
		.value = gap_value,
	},
	{
		.name = "launch_stat",
		.columns =
			"device_id INTEGER, phase TEXT, since_ns INTEGER, wall_ns INTEGER, "
			"kernels INTEGER, total_ns INTEGER, launches INTEGER, launch_ns INTEGER, "
			"delay_p50_ns REAL, gaps INTEGER, gap_ns INTEGER, starved INTEGER, "
			"starved_ns INTEGER, in_phase TEXT, max_gap_ns INTEGER",
		.args = { { LAUNCH_IN_PHASE, SQLITE_INDEX_CONSTRAINT_IS },
			  { LAUNCH_MAX_GAP, SQLITE_INDEX_CONSTRAINT_IS } },
		.load = load_launches,
		.value = launch_value,
	},
};

/* --- the tables --- */

static int table_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
			 sqlite3_vtab **ret, char **msg)
{
	const struct kind *kind = kinds;
	struct table *t;
	char *sql;
	int rc;

	(void)aux;
	(void)msg;
	for (size_t i = 0; i < TD_ARRAY_SIZE(kinds) && argc > 2; i++)
		if (strcmp(kinds[i].name, argv[2]) == 0)
			kind = &kinds[i];
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

/* idxNum: a bit for each argument that is given, in their order. SQLite compares again. */
static int table_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct kind *kind = ((const struct table *)base)->kind;
	int n = 0;

	for (int a = 0; a < NARGS; a++)
		for (int i = 0; i < info->nConstraint; i++) {
			const struct sqlite3_index_constraint *on = &info->aConstraint[i];

			if (on->iColumn != kind->args[a].column || kind->args[a].column < 0 ||
			    (on->op != kind->args[a].op && on->op != SQLITE_INDEX_CONSTRAINT_EQ))
				continue;
			if (!on->usable)
				return SQLITE_CONSTRAINT;
			info->aConstraintUsage[i].argvIndex = ++n;
			info->idxNum |= 1 << a;
			break;
		}
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
	for (size_t i = 0; i < NARGS; i++)
		sqlite3_value_free(c->args[i]);
	free(c->gaps);
	td_launches_done(&c->launches);
	*c = (struct cursor){ .base = c->base, .table = c->table };
}

static int cursor_close(sqlite3_vtab_cursor *base)
{
	cursor_reset((struct cursor *)base);
	sqlite3_free(base);
	return SQLITE_OK;
}

static int cursor_filter(sqlite3_vtab_cursor *base, int given, const char *unused, int argc,
			 sqlite3_value **argv)
{
	struct cursor *c = (struct cursor *)base;
	struct td_err err = { 0 };
	int n = 0, r;

	(void)unused;
	cursor_reset(c);
	for (int a = 0; a < NARGS; a++) {
		if (!(given & 1 << a) || n == argc)
			continue;
		if (td_vtab_keep(argv[n++], &c->args[a]) != SQLITE_OK)
			return SQLITE_NOMEM;
	}
	r = c->table->kind->load(c, &err);
	return r < 0 ? td_vtab_fail(base->pVtab, r, &err) : SQLITE_OK;
}

static int cursor_next(sqlite3_vtab_cursor *base)
{
	((struct cursor *)base)->row++;
	return SQLITE_OK;
}

static int cursor_eof(sqlite3_vtab_cursor *base)
{
	const struct cursor *c = (const struct cursor *)base;

	return c->row >= c->n;
}

static int cursor_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int column)
{
	struct cursor *c = (struct cursor *)base;

	c->table->kind->value(c, column, ctx);
	return SQLITE_OK;
}

static int cursor_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
	*ret = (sqlite3_int64)((const struct cursor *)base)->row;
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

int td_gpu_tables_use(sqlite3 *db)
{
	int rc = sqlite3_create_module_v2(db, "tracedb_gpu", &module, NULL, NULL);

	for (size_t i = 0; i < TD_ARRAY_SIZE(kinds) && rc == SQLITE_OK; i++)
		rc = td_vtab_create(db, "tracedb_gpu", kinds[i].name);
	return rc;
}
