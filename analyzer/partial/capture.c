/* SPDX-License-Identifier: MIT */
#include "analyzer/needs.h"
#include "analyzer/open.h"
#include "analyzer/partial/capture.h"
#include "analyzer/phase.h"
#include "analyzer/run_kind.h"
#include "analyzer/sandbox.h"
#include "analyzer/scan/stat.h"
#include "common/hash_hex.h"
#include "schema/db.h"

#define OTHERS "(others)"

/* Texts of rows by their ids in the database. */
struct id_map {
	uint32_t *texts; /* owned; by id; 0: not known yet */
	size_t n;
};

enum { MAP_FILE, MAP_STRING, MAP_PROCESS, MAP_OP, NMAPS };

struct capture {
	sqlite3 *db;
	struct td_partial *p;
	const struct td_arg *args;
	size_t nargs;
	const char *name; /* of the database */
	char db_id[33], run_id[33];
	char *host; /* owned */
	struct td_run_kind kind;
	int64_t since_ns, until_ns, pid; /* TD_NULL: not asked for */
	bool has_data;
	struct id_map maps[NMAPS];
	sqlite3_stmt *file, *string, *class; /* one row by its id */
};

static void capture_done(struct capture *c)
{
	for (size_t i = 0; i < NMAPS; i++)
		free(c->maps[i].texts);
	free(c->host);
	td_run_kind_done(&c->kind);
	sqlite3_finalize(c->file);
	sqlite3_finalize(c->string);
	sqlite3_finalize(c->class);
	td_partial_free(c->p);
	td_db_close(c->db);
}

static int fail(const struct capture *c, int rc, struct td_err *err)
{
	return td_db_error(c->db, rc, err, "cannot read '%s'", c->name);
}

static int map_set(struct id_map *m, int64_t id, uint32_t text)
{
	if (id < 0 || id > INT32_MAX)
		return -EBADMSG;
	if ((size_t)id >= m->n) {
		size_t n = TD_MAX((size_t)id + 1, m->n * 2);
		uint32_t *grown = realloc(m->texts, n * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		memset(grown + m->n, 0, (n - m->n) * sizeof(*grown));
		m->texts = grown;
		m->n = n;
	}
	m->texts[id] = text;
	return 0;
}

static uint32_t map_get(const struct id_map *m, int64_t id)
{
	return id >= 0 && (size_t)id < m->n ? m->texts[id] : 0;
}

/* --- what it is --- */

static int hash_rows(const struct capture *c, XXH3_state_t *state, const char *sql,
		     struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(c->db, sql, -1, &stmt, NULL);

	while (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(stmt); i++) {
			const void *text = sqlite3_column_text(stmt, i);
			int len = sqlite3_column_bytes(stmt, i);

			(void)XXH3_128bits_update(state, text ? text : "", (size_t)len);
			(void)XXH3_128bits_update(state, text ? "\1" : "", 1);
		}
		rc = SQLITE_OK;
	}
	return rc == SQLITE_DONE ? 0 : fail(c, rc, err);
}

static void free_hash(XXH3_state_t **state)
{
	(void)XXH3_freeState(*state);
}

/* A database is told from others by what was imported: the same logs imported twice are one. A run is where pids are unique. */
static int identify(struct capture *c, struct td_err *err)
{
	_cleanup_(free_hash) XXH3_state_t *state = XXH3_createState();
	int r;

	if (!state)
		return -ENOMEM;
	(void)XXH3_128bits_reset(state);
	r = hash_rows(c, state, "SELECT name, start_ns, end_ns FROM run", err);
	if (r == 0)
		r = hash_rows(c, state, "SELECT DISTINCT host FROM source ORDER BY host", err);
	td_hash_hex(XXH3_128bits_digest(state), c->run_id);
	if (r == 0)
		r = hash_rows(c, state,
			      "SELECT path, importer, state, size_bytes, hash, lines, rows, "
			      "first_ns, last_ns FROM source ORDER BY id",
			      err);
	if (r == 0)
		r = hash_rows(c, state, "SELECT * FROM op_stat", err);
	td_hash_hex(XXH3_128bits_digest(state), c->db_id);
	return r;
}

static int find_host(struct capture *c, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(c->db,
				    "SELECT CASE WHEN count(DISTINCT host) = 1 THEN max(host) ELSE "
				    "(SELECT name FROM run) END FROM source",
				    -1, &stmt, NULL);
	const char *host;

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc != SQLITE_ROW)
		return fail(c, rc, err);
	host = (const char *)sqlite3_column_text(stmt, 0);
	c->host = strdup(host ? host : c->name);
	return c->host ? 0 : -ENOMEM;
}

/* The number that the argument is in this database. */
static int resolve(struct capture *c, const char *name, enum td_unit type, int64_t *ret,
		   struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(c->db, "SELECT ?1", -1, &stmt, NULL), r = 0;

	*ret = TD_NULL;
	if (rc != SQLITE_OK)
		return fail(c, rc, err);
	for (size_t i = 0; i < c->nargs && r == 0; i++)
		if (strcmp(c->args[i].name, name) == 0) {
			r = td_arg_bind(stmt, 1, type, &c->args[i], err);
			if (r == 0 && sqlite3_step(stmt) == SQLITE_ROW)
				*ret = sqlite3_column_int64(stmt, 0);
		}
	return r;
}

static const char *text_arg(const struct capture *c, const char *name)
{
	for (size_t i = 0; i < c->nargs; i++)
		if (strcmp(c->args[i].name, name) == 0)
			return c->args[i].value;
	return NULL;
}

/* --- rows of tables --- */

static int bind_named(const struct capture *c, sqlite3_stmt *stmt, int i, const char *name)
{
	if (strcmp(name, ":run") == 0)
		return sqlite3_bind_text(stmt, i, c->run_id, -1, SQLITE_STATIC);
	if (strcmp(name, ":db") == 0)
		return sqlite3_bind_text(stmt, i, c->db_id, -1, SQLITE_STATIC);
	if (strcmp(name, ":name") == 0)
		return sqlite3_bind_text(stmt, i, c->name, -1, SQLITE_STATIC);
	if (strcmp(name, ":host") == 0)
		return sqlite3_bind_text(stmt, i, c->host, -1, SQLITE_STATIC);
	if (strcmp(name, ":kind") == 0)
		return sqlite3_bind_text(stmt, i, c->kind.kind, -1, SQLITE_STATIC);
	if (strcmp(name, ":begin") == 0 && c->kind.start_ns != TD_NULL)
		return sqlite3_bind_int64(stmt, i, c->kind.start_ns);
	if (strcmp(name, ":has") == 0)
		return sqlite3_bind_int(stmt, i, c->has_data);
	if (strcmp(name, ":since") == 0 && c->since_ns != TD_NULL)
		return sqlite3_bind_int64(stmt, i, c->since_ns);
	if (strcmp(name, ":until") == 0 && c->until_ns != TD_NULL)
		return sqlite3_bind_int64(stmt, i, c->until_ns);
	return SQLITE_OK;
}

static int prepare(const struct capture *c, const char *sql, sqlite3_stmt **ret, struct td_err *err)
{
	int rc = sqlite3_prepare_v2(c->db, sql, -1, ret, NULL);

	for (int i = 1; rc == SQLITE_OK && i <= sqlite3_bind_parameter_count(*ret); i++)
		rc = bind_named(c, *ret, i, sqlite3_bind_parameter_name(*ret, i));
	return rc == SQLITE_OK ? 0 : fail(c, rc, err);
}

static int take_text(struct td_partial *p, sqlite3_stmt *stmt, int i, int64_t *ret)
{
	const char *text = (const char *)sqlite3_column_text(stmt, i);
	uint32_t id = text ? td_partial_text(p, text, (size_t)sqlite3_column_bytes(stmt, i)) : 0;

	*ret = id;
	return id ? 0 : -ENOMEM;
}

/* The row that the statement is at. */
static int take_row(struct capture *c, enum td_partial_table table, sqlite3_stmt *stmt,
		    struct id_map *map)
{
	const struct td_partial_table_info *info = &td_partial_tables[table];
	int64_t cells[TD_PARTIAL_COLUMNS_MAX] = { 0 };
	int r = 0;

	for (size_t i = 0; i < info->ncolumns && r == 0; i++) {
		enum td_partial_cell cell = info->columns[i].cell;
		int at = (int)i + info->has_id;

		if (sqlite3_column_type(stmt, at) == SQLITE_NULL)
			cells[i] = TD_NULL;
		else if (td_partial_is_text(cell))
			r = take_text(c->p, stmt, at, &cells[i]);
		else
			cells[i] = sqlite3_column_int64(stmt, at);
	}
	if (r == 0)
		r = td_partial_add(c->p, table, cells);
	if (r == 0 && map)
		r = map_set(map, sqlite3_column_int64(stmt, 0), (uint32_t)cells[0]);
	return r;
}

static struct id_map *map_of(struct capture *c, enum td_partial_table table)
{
	return table == TD_PARTIAL_PROCESS ? &c->maps[MAP_PROCESS]
	       : table == TD_PARTIAL_OP    ? &c->maps[MAP_OP]
	       : table == TD_PARTIAL_FILE  ? &c->maps[MAP_FILE]
					   : NULL;
}

static int take_table(struct capture *c, enum td_partial_table table, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int r = prepare(c, td_partial_tables[table].select, &stmt, err), rc = SQLITE_DONE;

	while (r == 0 && (rc = sqlite3_step(stmt)) == SQLITE_ROW)
		r = take_row(c, table, stmt, map_of(c, table));
	return r < 0 ? r : rc == SQLITE_DONE ? 0 : fail(c, rc, err);
}

/* All but files, of which there may be many: those that groups are of are taken one by one. */
static int take_tables(struct capture *c, struct td_err *err)
{
	int r = 0;

	for (size_t t = 0; t < TD_PARTIAL_NTABLES && r == 0; t++)
		if (c->p->head.tables & 1u << t && td_partial_tables[t].select &&
		    t != TD_PARTIAL_FILE)
			r = take_table(c, (enum td_partial_table)t, err);
	if (r == 0)
		r = prepare(c, td_partial_tables[TD_PARTIAL_FILE].select, &c->file, err);
	if (r == 0)
		r = prepare(c, "SELECT class FROM file WHERE id = :id", &c->class, err);
	return r < 0 ? r : prepare(c, "SELECT text FROM string WHERE id = :id", &c->string, err);
}

/* The text that stands for a row; 0 in *ret where there is none. */
static int text_of_row(struct capture *c, int map, sqlite3_stmt *by_id, int64_t id, uint32_t *ret,
		       struct td_err *err)
{
	int64_t text = 0;
	int r = 0, rc;

	*ret = map_get(&c->maps[map], id);
	if (*ret || !by_id)
		return 0;
	rc = sqlite3_bind_int64(by_id, 1, id);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(by_id);
	if (rc == SQLITE_ROW && map == MAP_FILE)
		r = take_row(c, TD_PARTIAL_FILE, by_id, &c->maps[MAP_FILE]);
	if (rc == SQLITE_ROW && map == MAP_STRING) {
		r = take_text(c->p, by_id, 0, &text);
		if (r == 0)
			r = map_set(&c->maps[MAP_STRING], id, (uint32_t)text);
	}
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return fail(c, rc, err);
	(void)sqlite3_reset(by_id);
	*ret = map_get(&c->maps[map], id);
	return r;
}

/* --- groups --- */

static int label_text(struct capture *c, const char *label, int64_t *ret)
{
	uint32_t id = td_partial_text(c->p, label, strlen(label));

	*ret = id;
	return id ? 0 : -ENOMEM;
}

/* A cell of the key of a group, from what the scan numbers it by. */
static int key_cell(struct capture *c, const struct td_stat *stat, enum td_dim dim, uint64_t key,
		    int64_t *ret, struct td_err *err)
{
	uint32_t text = 0;
	int r = 0;

	*ret = TD_NULL;
	if (dim == TD_DIM_NESTED) {
		*ret = (int64_t)key;
		return 0;
	}
	if (key == 0)
		return 0;
	switch (dim) {
	case TD_DIM_FILE:
		r = text_of_row(c, MAP_FILE, c->file, (int64_t)key, &text, err);
		break;
	case TD_DIM_TEMPLATE:
	case TD_DIM_DIRECTORY:
		r = text_of_row(c, MAP_STRING, c->string, (int64_t)key, &text, err);
		break;
	case TD_DIM_PROCESS:
		r = text_of_row(c, MAP_PROCESS, NULL, (int64_t)key, &text, err);
		break;
	case TD_DIM_OP:
		r = text_of_row(c, MAP_OP, NULL, (int64_t)key, &text, err);
		break;
	case TD_DIM_LATENCY:
	case TD_DIM_SIZE:
		*ret = (int64_t)key - 1; /* the number of the bucket */
		return 0;
	default:
		return label_text(c, stat->dims.labels[dim].items[key - 1], ret);
	}
	if (r == 0 && text)
		*ret = text;
	return r;
}

/* Dims of which there may be many. */
#define MANY_DIMS (1u << TD_DIM_FILE | 1u << TD_DIM_PROCESS)

/* What stands for a file among the others: reports choose by the class of a file, so those of each have a row. */
static int other_file(struct capture *c, int64_t id, int64_t *ret, struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf key = TD_STRBUF_INIT;
	int64_t cells[TD_PARTIAL_COLUMNS_MAX], class = 0, name = 0;
	int rc = sqlite3_bind_int64(c->class, 1, id), r = 0;

	if (rc == SQLITE_OK)
		rc = sqlite3_step(c->class);
	if (rc != SQLITE_ROW)
		return fail(c, rc, err);
	r = take_text(c->p, c->class, 0, &class);
	(void)sqlite3_reset(c->class);
	if (r == 0)
		r = label_text(c, OTHERS, &name);
	if (r < 0)
		return r;
	td_strbuf_addf(&key, OTHERS ":%s", td_intern_get(&c->p->texts, (uint32_t) class).p);
	r = td_strbuf_error(&key);
	if (r == 0)
		r = label_text(c, td_strbuf_str(&key), ret);
	for (size_t i = 0; i < TD_PARTIAL_COLUMNS_MAX; i++)
		cells[i] = TD_NULL;
	cells[0] = *ret;
	cells[2] = cells[7] = name; /* template, too */
	cells[4] = class;
	cells[5] = cells[8] = 0; /* class_known, truncated */
	return r < 0 ? r : td_partial_add(c->p, TD_PARTIAL_FILE, cells);
}

static int other_process(struct capture *c, int64_t *ret)
{
	int64_t cells[TD_PARTIAL_COLUMNS_MAX];
	int r = label_text(c, OTHERS, ret);

	for (size_t i = 0; i < TD_PARTIAL_COLUMNS_MAX; i++)
		cells[i] = TD_NULL;
	cells[0] = cells[2] = *ret; /* id, name */
	cells[1] = 0; /* pid */
	cells[11] = 1; /* lifetime */
	return r < 0 ? r : td_partial_add(c->p, TD_PARTIAL_PROCESS, cells);
}

static int other_cell(struct capture *c, enum td_dim dim, uint64_t key, int64_t *ret,
		      struct td_err *err)
{
	*ret = TD_NULL;
	if (key == 0)
		return 0;
	return dim == TD_DIM_FILE ? other_file(c, (int64_t)key, ret, err) : other_process(c, ret);
}

struct weighed {
	int64_t weight;
	uint32_t group;
};

static int heaviest_first(const void *a, const void *b)
{
	const struct weighed *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->group > y->group) - (x->group < y->group);
}

/* Which groups are among the others; *ret is by group, NULL: none. */
static int choose(struct capture *c, size_t question, const struct td_stat *stat, bool **ret)
{
	size_t n = stat->keys.n, top = c->p->head.top;
	_cleanup_free_ struct weighed *order = NULL;
	int64_t question_cell = (int64_t)question;
	_cleanup_free_ bool *others = NULL;

	if (!top || n <= top || !(c->p->head.questions[question].dims & MANY_DIMS))
		return 0;
	order = malloc(n * sizeof(*order));
	others = calloc(n, sizeof(*others));
	if (!order || !others)
		return -ENOMEM;
	for (size_t g = 0; g < n; g++)
		order[g] = (struct weighed){ td_group_sums_get(&stat->sums, g, TD_SUM_TOTAL),
					     (uint32_t)g };
	qsort(order, n, sizeof(*order), heaviest_first);
	for (size_t i = top; i < n; i++)
		others[order[i].group] = true;
	*ret = TAKE_PTR(others);
	return td_partial_add(
		c->p, TD_PARTIAL_DROPPED,
		(int64_t[]){ question_cell, (int64_t)(n - top), TD_MAX(order[top].weight, 0) });
}

struct adding {
	size_t question;
	const char *phase; /* NULL: not grouped by it */
	const struct td_stat *stat;
	const bool *others; /* NULL: none */
	uint32_t *groups; /* owned; of each of the scan its number in the partial */
};

static int add_key(struct capture *c, struct adding *a, size_t group, struct td_err *err)
{
	uint8_t dims[TD_NDIMS];
	unsigned n = td_partial_question_columns(&c->p->head.questions[a->question], dims);
	int64_t key[TD_NDIMS];
	size_t at = 0;
	int r = 0;

	for (unsigned d = 0; d < n && r == 0; d++) {
		enum td_dim dim = (enum td_dim)dims[d];

		uint64_t part = dim == TD_DIM_PHASE ? 0
						    : td_dims_part(&a->stat->dims, dim,
								   a->stat->keys.items[group]);

		if (dim == TD_DIM_PHASE)
			r = label_text(c, a->phase, &key[d]);
		else if (a->others && a->others[group] && MANY_DIMS & 1u << dim)
			r = other_cell(c, dim, part, &key[d], err);
		else
			r = key_cell(c, a->stat, dim, part, &key[d], err);
	}
	if (r == 0)
		r = td_partial_group(c->p, a->question, key, &at);
	a->groups[group] = (uint32_t)at;
	return r;
}

static int add_stat(struct capture *c, size_t question, const char *phase,
		    const struct td_stat *stat, struct td_err *err)
{
	struct td_partial_groups *to = &c->p->groups[question];
	_cleanup_free_ uint32_t *groups = malloc((stat->keys.n + 1) * sizeof(*groups));
	_cleanup_free_ bool *others = NULL;
	struct adding a = { question, phase, stat, NULL, groups };
	int r = groups ? choose(c, question, stat, &others) : -ENOMEM;

	a.others = others;
	for (size_t g = 0; g < stat->keys.n && r == 0; g++)
		r = add_key(c, &a, g, err);
	if (r < 0)
		return r;
	td_group_sums_merge(&to->sums, &stat->sums, groups);
	for (size_t g = 0; g < stat->keys.n && r == 0; g++) {
		if (stat->durations)
			r = td_histogram_merge(&to->durations[groups[g]], &stat->durations[g]);
		if (stat->sizes && r == 0)
			r = td_histogram_merge(&to->sizes[groups[g]], &stat->sizes[g]);
	}
	return r;
}

static int scan(struct capture *c, size_t question, struct td_stat_request *req, const char *phase,
		struct td_err *err)
{
	_cleanup_(td_stat_done) struct td_stat stat = { 0 };
	int r = td_stat_scan(c->db, req, &stat, err);

	return r < 0 ? r : add_stat(c, question, phase, &stat, err);
}

/* Of each phase, where calls are grouped by them. */
static int scan_phases(struct capture *c, size_t question, struct td_stat_request *req,
		       struct td_err *err)
{
	_cleanup_(td_labels_done) struct td_labels phases = { 0 };
	const char *asked = req->phase;
	int r = td_stat_phases(c->db, &phases, err);

	for (size_t i = 0; i < phases.n && r == 0; i++) {
		req->phase = phases.items[i];
		if (!asked || sqlite3_stricmp(asked, req->phase) == 0)
			r = scan(c, question, req, req->phase, err);
	}
	return r;
}

static int ask(struct capture *c, size_t question, struct td_err *err)
{
	const struct td_partial_question *q = &c->p->head.questions[question];
	_cleanup_(td_during_done) struct td_during during = { 0 };
	struct td_stat_request req = {
		.relation = q->relation,
		.dims = q->dims & ~(1u << TD_DIM_PHASE),
		.measures = q->measures,
		.histograms = true,
		.since_ns = q->given & TD_FILTER_SINCE ? c->since_ns : TD_NULL,
		.until_ns = q->given & TD_FILTER_UNTIL ? c->until_ns : TD_NULL,
		.phase = q->given & TD_FILTER_PHASE ? text_arg(c, "phase") : NULL,
		.pid = q->given & TD_FILTER_PID ? c->pid : TD_NULL,
		.process = q->given & TD_FILTER_PROCESS ? text_arg(c, "process") : NULL,
		.file = q->file,
		.bin_width_ns = TD_NULL,
		.during = &during,
	};
	int r = q->during ? td_during_load(c->db, q->during, &during, err) : 0;

	if (r < 0)
		return r;
	return q->dims & 1u << TD_DIM_PHASE ? scan_phases(c, question, &req, err)
					    : scan(c, question, &req, NULL, err);
}

/* --- all of it --- */

/* Has it what the reports need, and do its clocks allow a choice by phase? */
static int check(struct capture *c, const struct td_report *const *reports, struct td_err *err)
{
	const char *phase = text_arg(c, "phase");
	int r = 0;

	for (size_t i = 0; i < c->p->head.nreports; i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf missing = TD_STRBUF_INIT;

		r = td_needs_check(c->db, reports[i], &missing, err);
		if (r < 0)
			return r;
		c->has_data |= r == 0;
		r = r == 0 && phase ? td_phase_check(c->db, reports[i], phase, &missing, err) : 0;
		if (r < 0)
			return r;
		if (r > 0)
			return td_err_set(err, -EOPNOTSUPP, "%s", td_strbuf_str(&missing));
	}
	return 0;
}

static int open_db(const char *path, struct capture *c, struct td_err *err)
{
	int r = td_analyzer_open(path, &c->db, err);
	int rc = r == 0 ? sqlite3_exec(c->db, "BEGIN", NULL, NULL, NULL) : SQLITE_OK;

	/* one lock for all that is read: taking it for each file takes longer than reading the row */
	if (rc != SQLITE_OK)
		return fail(c, rc, err);
	if (r == 0)
		r = td_query_sandbox(c->db, err);
	if (r == 0)
		r = resolve(c, "start_ns", TD_UNIT_TS_NS, &c->since_ns, err);
	if (r == 0)
		r = resolve(c, "end_ns", TD_UNIT_TS_NS, &c->until_ns, err);
	if (r == 0)
		r = resolve(c, "pid", TD_UNIT_INTEGER, &c->pid, err);
	if (r == 0)
		r = identify(c, err);
	if (r == 0)
		r = td_run_kind(c->db, c->name, &c->kind, err);
	return r < 0 ? r : find_host(c, err);
}

int td_partial_capture(const char *path, const struct td_partial_head *head,
		       const struct td_report *const *reports, const struct td_arg *args,
		       size_t nargs, struct td_partial **ret, struct td_err *err)
{
	_cleanup_(capture_done) struct capture c = { .args = args, .nargs = nargs, .name = path };
	int r = td_partial_new(head, &c.p);

	if (r == 0)
		r = open_db(path, &c, err);
	if (r == 0)
		r = check(&c, reports, err);
	if (r == 0)
		r = take_tables(&c, err);
	for (size_t q = 0; q < head->nquestions && r == 0; q++)
		r = ask(&c, q, err);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(c.p);
	return 0;
}
