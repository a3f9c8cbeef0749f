/* SPDX-License-Identifier: MIT */
#include "analyzer/needs.h"
#include "analyzer/open.h"
#include "analyzer/partial/capture_private.h"
#include "analyzer/phase.h"
#include "analyzer/sandbox.h"
#include "analyzer/scan/file_rows.h"
#include "analyzer/scan/table_rows.h"
#include "schema/stat_math.h"

static void capture_done(struct capture *c)
{
	for (size_t i = 0; i < NMAPS; i++)
		free(c->maps[i].texts);
	free(c->host);
	td_run_kind_done(&c->kind);
	td_strbuf_done(&c->file_key);
	td_db_put_back(c->file);
	td_db_put_back(c->string);
	td_db_put_back(c->class);
	free(c->rows);
	td_capture_groups_done(c);
	if (c->is_own)
		td_db_close(c->db);
	else
		td_db_series_end(c->series);
}

int td_capture_fail(const struct capture *c, int rc, struct td_err *err)
{
	return td_db_error(c->db, rc, err, "cannot read '%s'", c->name);
}

int td_capture_know(struct capture *c, int map, int64_t id, uint32_t text)
{
	struct id_map *m = &c->maps[map];

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

uint32_t td_capture_known(const struct capture *c, int map, int64_t id)
{
	const struct id_map *m = &c->maps[map];

	return id >= 0 && (size_t)id < m->n ? m->texts[id] : 0;
}

/* --- what it is --- */

static int find_host(struct capture *c, struct td_err *err)
{
	_cleanup_(td_db_put_backp) sqlite3_stmt *stmt = NULL;
	int rc = td_db_prepare(c->db,
			       "SELECT CASE WHEN count(DISTINCT host) = 1 THEN max(host) ELSE "
			       "(SELECT name FROM run) END FROM source",
			       &stmt);
	const char *host;

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc != SQLITE_ROW)
		return td_capture_fail(c, rc, err);
	host = (const char *)sqlite3_column_text(stmt, 0);
	c->host = strdup(host ? host : c->name);
	return c->host ? 0 : -ENOMEM;
}

/* The number that the argument is in this database. */
static int resolve(struct capture *c, const char *name, enum td_unit type, int64_t *ret,
		   struct td_err *err)
{
	_cleanup_(td_db_put_backp) sqlite3_stmt *stmt = NULL;
	int rc = td_db_prepare(c->db, "SELECT ?1", &stmt), r = 0;

	*ret = TD_NULL;
	if (rc != SQLITE_OK)
		return td_capture_fail(c, rc, err);
	for (size_t i = 0; i < c->nargs && r == 0; i++)
		if (strcmp(c->args[i].name, name) == 0) {
			r = td_arg_bind(stmt, 1, type, &c->args[i], err);
			if (r == 0 && sqlite3_step(stmt) == SQLITE_ROW)
				*ret = sqlite3_column_int64(stmt, 0);
		}
	return r;
}

const char *td_capture_arg(const struct capture *c, const char *name)
{
	for (size_t i = 0; i < c->nargs; i++)
		if (strcmp(c->args[i].name, name) == 0)
			return c->args[i].value;
	return NULL;
}

/* --- rows of tables --- */

int td_capture_add(struct capture *c, enum td_partial_table table, const int64_t *cells)
{
	size_t n = td_partial_tables[table].ncolumns;

	if (td_partial_has(c->p, table, cells))
		return 0;
	if (c->nrows + 1 + n > c->rows_cap) {
		size_t cap = TD_MAX(2 * c->rows_cap, (size_t)1024);
		int64_t *grown = realloc(c->rows, cap * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		c->rows = grown;
		c->rows_cap = cap;
	}
	c->rows[c->nrows] = table;
	memcpy(&c->rows[c->nrows + 1], cells, n * sizeof(*cells));
	c->nrows += 1 + n;
	return 0;
}

static int add_rows(const struct capture *c)
{
	int r = 0;

	for (size_t i = 0; i < c->nrows && r == 0;) {
		enum td_partial_table table = (enum td_partial_table)c->rows[i];

		r = td_partial_add(c->p, table, &c->rows[i + 1]);
		i += 1 + td_partial_tables[table].ncolumns;
	}
	return r;
}

static int bind_named(const struct capture *c, sqlite3_stmt *stmt, int i, const char *name)
{
	if (strcmp(name, ":run") == 0)
		return sqlite3_bind_text(stmt, i, c->id.run, -1, SQLITE_STATIC);
	if (strcmp(name, ":db") == 0)
		return sqlite3_bind_text(stmt, i, c->id.db, -1, SQLITE_STATIC);
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
	int rc = td_db_prepare(c->db, sql, ret);

	for (int i = 1; rc == SQLITE_OK && i <= sqlite3_bind_parameter_count(*ret); i++)
		rc = bind_named(c, *ret, i, sqlite3_bind_parameter_name(*ret, i));
	return rc == SQLITE_OK ? 0 : td_capture_fail(c, rc, err);
}

int td_capture_text(struct td_partial *p, sqlite3_stmt *stmt, int i, int64_t *ret)
{
	const char *text = (const char *)sqlite3_column_text(stmt, i);
	uint32_t id = text ? td_partial_text(p, text, (size_t)sqlite3_column_bytes(stmt, i)) : 0;

	*ret = id;
	return id ? 0 : -ENOMEM;
}

/* When a process began and ended is shown. */
static bool is_moved(enum td_partial_table table, const char *column)
{
	return table == TD_PARTIAL_PROCESS &&
	       (strcmp(column, "start_ns") == 0 || strcmp(column, "end_ns") == 0);
}

/* The row that the statement is at. */
static int take_row(struct capture *c, enum td_partial_table table, sqlite3_stmt *stmt)
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
			r = td_capture_text(c->p, stmt, at, &cells[i]);
		else
			cells[i] =
				td_plus(sqlite3_column_int64(stmt, at),
					is_moved(table, info->columns[i].name) ? c->shift_ns : 0);
	}
	if (r == 0)
		r = td_capture_add(c, table, cells);
	if (r == 0 && table == TD_PARTIAL_PROCESS)
		r = td_capture_know(c, MAP_PROCESS, sqlite3_column_int64(stmt, 0),
				    (uint32_t)cells[0]);
	if (r == 0 && table == TD_PARTIAL_OP)
		r = td_capture_know(c, MAP_OP, sqlite3_column_int64(stmt, 0), (uint32_t)cells[0]);
	return r;
}

static int take_table(struct capture *c, enum td_partial_table table, struct td_err *err)
{
	_cleanup_(td_db_put_backp) sqlite3_stmt *stmt = NULL;
	int r = prepare(c, td_partial_tables[table].select, &stmt, err), rc = SQLITE_DONE;

	while (r == 0 && (rc = sqlite3_step(stmt)) == SQLITE_ROW)
		r = take_row(c, table, stmt);
	return r < 0 ? r : rc == SQLITE_DONE ? 0 : td_capture_fail(c, rc, err);
}

static void add_key_part(struct td_strbuf *key, struct td_file_text text)
{
	if (text.text)
		td_strbuf_add(key, text.text, text.len);
}

static void add_key_cell(struct td_strbuf *key, const struct capture *c, int64_t text)
{
	if (text != TD_NULL)
		add_key_part(key, (struct td_file_text){
					  td_intern_get(&c->p->texts, (uint32_t)text).p,
					  td_intern_get(&c->p->texts, (uint32_t)text).len });
}

/* What tells a file from others, in memory of the capture. 0 or -ENOMEM. */
static int file_key(struct capture *c, const struct td_file_row *row)
{
	struct td_strbuf *key = &c->file_key;

	td_strbuf_reset(key);
	add_key_part(key, row->class);
	if (row->truncated == 0 || row->truncated == 1)
		td_strbuf_add(key, row->truncated ? ":1:" : ":0:", 3);
	else if (row->truncated != TD_NULL)
		td_strbuf_addf(key, ":%lld:", (long long)row->truncated);
	else
		td_strbuf_add(key, "::", 2);
	add_key_part(key, row->path_basis);
	td_strbuf_add(key, ":", 1);
	add_key_part(key, row->root);
	td_strbuf_add(key, ":/", row->path.text ? 1 : 2);
	add_key_part(key, row->path.text ? row->path : row->name);
	return td_strbuf_error(key);
}

/* Its directory and template are looked up here: there are far fewer of them than of files. */
static int string_cell(struct capture *c, int64_t id, int64_t *ret, struct td_err *err)
{
	uint32_t text = 0;
	int r = id == TD_NULL ? 0 : td_capture_row_text(c, MAP_STRING, c->string, id, &text, err);

	*ret = text ? text : TD_NULL;
	return r;
}

/* Texts of a file, and the cells that they go to. */
#define FILE_TEXTS 5
static const uint8_t file_text_cells[FILE_TEXTS] = { 1, 2, 3, 4, 9 };
static void file_texts(const struct td_file_row *row, struct td_file_text *ret)
{
	ret[0] = row->path;
	ret[1] = row->name;
	ret[2] = row->path_basis;
	ret[3] = row->class;
	ret[4] = row->root;
}

static int text_cells(struct capture *c, const struct td_file_row *row, int64_t *cells)
{
	struct td_file_text texts[FILE_TEXTS];

	file_texts(row, texts);
	for (size_t i = 0; i < FILE_TEXTS; i++) {
		int64_t *cell = &cells[file_text_cells[i]];

		*cell = texts[i].text ? td_partial_text(c->p, texts[i].text, texts[i].len)
				      : TD_NULL;
		if (*cell == 0)
			return -ENOMEM;
	}
	return 0;
}

static bool is_text(const struct td_partial *p, int64_t cell, struct td_file_text text)
{
	struct td_str known;

	if (cell == TD_NULL || !text.text)
		return cell == TD_NULL && !text.text;
	known = td_intern_get(&p->texts, (uint32_t)cell);
	return known.len == text.len && memcmp(known.p, text.text, text.len) == 0;
}

/* Is it the file of a database before, as that has it? cells: those that are no texts of it. */
static bool is_known(const struct capture *c, const struct td_file_row *row, uint32_t key,
		     const int64_t *cells)
{
	static const uint8_t others[] = { 5, 6, 7, 8 };
	const int64_t *known = td_partial_find(c->p, TD_PARTIAL_FILE, key);
	struct td_file_text texts[FILE_TEXTS];

	file_texts(row, texts);
	for (size_t i = 0; known && i < TD_ARRAY_SIZE(others); i++)
		if (known[others[i] - 1] != cells[others[i]])
			return false;
	for (size_t i = 0; known && i < FILE_TEXTS; i++)
		if (!is_text(c->p, known[file_text_cells[i] - 1], texts[i]))
			return false;
	return known;
}

static int take_file(struct capture *c, const struct td_file_row *row, struct td_err *err)
{
	int64_t cells[TD_PARTIAL_COLUMNS_MAX] = { 0 };
	uint32_t key;
	int r = file_key(c, row);

	cells[5] = row->class_known;
	cells[8] = row->truncated;
	if (r == 0)
		r = string_cell(c, row->directory_id, &cells[6], err);
	if (r == 0)
		r = string_cell(c, row->template_id, &cells[7], err);
	if (r < 0 || cells[7] == TD_NULL)
		return r; /* a damaged one, which none may refer to */
	key = td_partial_text(c->p, c->file_key.p, c->file_key.len);
	if (!key)
		return -ENOMEM;
	if (!is_known(c, row, key, cells)) {
		cells[0] = key;
		r = text_cells(c, row, cells);
		if (r == 0)
			r = td_capture_add(c, TD_PARTIAL_FILE, cells);
	}
	return r < 0 ? r : td_capture_know(c, MAP_FILE, row->id, key);
}

struct taking {
	struct capture *c;
	const bool *wanted;
	size_t n;
	struct td_err *err;
};

static int take_if_wanted(void *arg, const struct td_file_row *row)
{
	struct taking *t = arg;
	bool wanted = row->id >= 0 && (size_t)row->id < t->n && t->wanted[row->id];

	return wanted && !td_capture_known(t->c, MAP_FILE, row->id) ? take_file(t->c, row, t->err)
								    : 0;
}

static int take_by_sql(struct taking *t)
{
	struct capture *c = t->c;
	int rc = sqlite3_bind_int64(c->file, 1, 0), r = 0;

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_int64(c->file, 2, (sqlite3_int64)t->n);
	while (rc == SQLITE_OK && r == 0 && (rc = sqlite3_step(c->file)) == SQLITE_ROW) {
		const struct td_file_row row = td_file_row_of(c->file);

		r = take_if_wanted(t, &row);
		rc = SQLITE_OK;
	}
	if (r == 0 && rc != SQLITE_DONE)
		return td_capture_fail(c, rc, t->err);
	(void)sqlite3_reset(c->file);
	return r;
}

int td_capture_files(struct capture *c, const bool *wanted, size_t n, struct td_err *err)
{
	_cleanup_(td_leaves_done) struct td_leaves l = { .fd = -1 };
	struct taking t = { c, wanted, n, err };
	int r = td_table_leaves_here(c->db, "file", &l);

	if (r == 0)
		r = td_file_rows_of_leaves(&l, take_if_wanted, &t);
	return r == -EOPNOTSUPP ? take_by_sql(&t) : r;
}

int td_capture_row_text(struct capture *c, int map, sqlite3_stmt *by_id, int64_t id, uint32_t *ret,
			struct td_err *err)
{
	int64_t text = 0;
	int r = 0, rc;

	*ret = td_capture_known(c, map, id);
	if (*ret || !by_id)
		return 0;
	rc = sqlite3_bind_int64(by_id, 1, id);
	if (rc == SQLITE_OK && map == MAP_FILE)
		rc = sqlite3_bind_int64(by_id, 2, id);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(by_id);
	if (rc == SQLITE_ROW && map == MAP_FILE) {
		const struct td_file_row row = td_file_row_of(by_id);

		r = take_file(c, &row, err);
	}
	if (rc == SQLITE_ROW && map == MAP_STRING) {
		r = td_capture_text(c->p, by_id, 0, &text);
		if (r == 0)
			r = td_capture_know(c, MAP_STRING, id, (uint32_t)text);
	}
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return td_capture_fail(c, rc, err);
	(void)sqlite3_reset(by_id);
	*ret = td_capture_known(c, map, id);
	return r;
}

/* As the table's SQL has it, where SQLite takes four fifths of such a report: a row for each file,
 * most of which are alike. */
static int take_kind(void *arg, const struct td_file_row *row)
{
	struct taking *t = arg;
	struct capture *c = t->c;
	struct td_strbuf *key = &c->file_key;
	int64_t cells[TD_PARTIAL_COLUMNS_MAX] = { 0 };
	enum { KEY, CLASS, DIRECTORY, TEMPLATE };
	int r = string_cell(c, row->template_id, &cells[TEMPLATE], t->err);

	if (r == 0)
		r = string_cell(c, row->directory_id, &cells[DIRECTORY], t->err);
	if (r < 0 || cells[TEMPLATE] == TD_NULL || !row->class.text)
		return r;
	td_strbuf_reset(key);
	add_key_part(key, row->class);
	td_strbuf_addc(key, ':');
	add_key_cell(key, c, cells[DIRECTORY]);
	td_strbuf_addc(key, ':');
	add_key_cell(key, c, cells[TEMPLATE]);
	if (td_strbuf_error(key) < 0)
		return -ENOMEM;
	cells[KEY] = td_partial_text(c->p, key->p, key->len);
	cells[CLASS] = td_partial_text(c->p, row->class.text, row->class.len);
	return cells[KEY] && cells[CLASS] ? td_capture_add(c, TD_PARTIAL_FILE_KIND, cells)
					  : -ENOMEM;
}

static int take_kinds(struct capture *c, struct td_err *err)
{
	_cleanup_(td_leaves_done) struct td_leaves l = { .fd = -1 };
	struct taking t = { .c = c, .err = err };
	int r = td_table_leaves_here(c->db, "file", &l);

	if (r == 0)
		r = td_file_rows_of_leaves(&l, take_kind, &t);
	return r == -EOPNOTSUPP ? take_table(c, TD_PARTIAL_FILE_KIND, err) : r;
}

/* All but files, of which there may be many: those that groups are of are taken one by one. */
static int take_tables(struct capture *c, struct td_err *err)
{
	int r = prepare(c,
			"SELECT " TD_FILE_ROW_COLUMNS " FROM file WHERE id BETWEEN :id AND :last",
			&c->file, err);

	if (r == 0)
		r = prepare(c, "SELECT class FROM file WHERE id = :id", &c->class, err);
	if (r == 0)
		r = prepare(c, "SELECT text FROM string WHERE id = :id", &c->string, err);
	for (size_t t = 0; t < TD_PARTIAL_NTABLES && r == 0; t++)
		if (c->p->head.tables & 1u << t && td_partial_tables[t].select)
			r = t == TD_PARTIAL_FILE_KIND
				    ? take_kinds(c, err)
				    : take_table(c, (enum td_partial_table)t, err);
	return r;
}

/* --- all of it --- */

/* Has it what the reports need, and do its clocks allow a choice by phase? */
static int check(struct capture *c, const struct td_report *const *reports, struct td_err *err)
{
	const char *phase = td_capture_arg(c, "phase");
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

/* Tables that answer any grouping are for the SQL of reports: making them takes a tenth as long as all else. */
static bool has_sql(const struct td_partial_head *h)
{
	for (size_t i = 0; i < h->nquestions; i++)
		if (h->questions[i].during)
			return true;
	return false;
}

/* By a connection of its own. */
static int open_own(const char *path, struct capture *c, struct td_err *err)
{
	int r = td_analyzer_open(path, &c->db, err);
	int rc = r == 0 ? sqlite3_exec(c->db, "BEGIN", NULL, NULL, NULL) : SQLITE_OK;

	c->is_own = true;
	/* one lock for all that is read: taking it for each file takes longer than reading the row */
	if (rc != SQLITE_OK)
		return td_capture_fail(c, rc, err);
	return r < 0 ? r : td_query_sandbox(c->db, err);
}

/* A time that all databases are asked for, by the clock of this one. */
static void take_time(const struct td_partial_clock *clock, int64_t ns, int64_t *ret)
{
	if (ns != TD_NULL)
		*ret = td_plus(ns, -clock->shift_ns);
}

/* As td_partial_capture(). */
static int claim(const struct td_partial_source *from, const char *identity)
{
	int r = from->claim(from->claim_arg, identity);

	return r < 0 ? r : r == 0;
}

static int open_db(const struct td_partial_source *from, const char *path, struct capture *c,
		   struct td_err *err)
{
	int r = has_sql(&c->p->head) ? open_own(path, c, err)
				     : td_db_series_next(c->series, path, &c->db, err);

	if (r == 0)
		r = resolve(c, "start_ns", TD_UNIT_TS_NS, &c->since_ns, err);
	if (r == 0)
		r = resolve(c, "end_ns", TD_UNIT_TS_NS, &c->until_ns, err);
	if (r == 0)
		r = resolve(c, "pid", TD_UNIT_INTEGER, &c->pid, err);
	if (from->clock) {
		take_time(from->clock, from->clock->since_ns, &c->since_ns);
		take_time(from->clock, from->clock->until_ns, &c->until_ns);
	}
	if (r == 0)
		r = td_identify(c->db, c->name, &c->id, err);
	if (r == 0 && from->claim)
		r = claim(from, c->id.db);
	if (r == 0)
		r = td_run_kind(c->db, c->name, &c->kind, err);
	return r == 0 ? find_host(c, err) : r;
}

/* As td_partial_capture(). */
static int capture(const struct td_partial_source *from, const char *path, struct td_partial *p,
		   struct td_err *err)
{
	_cleanup_(capture_done) struct capture c = {
		.head = from->head,
		.p = p,
		.args = from->args,
		.nargs = from->nargs,
		.name = path,
		.series = from->series,
		.shift_ns = from->clock ? from->clock->shift_ns : 0,
	};
	int r = open_db(from, path, &c, err);

	if (r == 0)
		r = check(&c, from->reports, err);
	if (r == 0)
		r = take_tables(&c, err);
	if (r == 0)
		r = td_capture_groups(&c, err);
	if (r == 0)
		r = add_rows(&c);
	return r == 0 ? td_capture_add_groups(&c) : r;
}

int td_partial_series(struct td_db_series **ret)
{
	return td_db_series_new(td_query_sandbox, ret);
}

int td_partial_capture(const struct td_partial_source *from, const char *path, struct td_partial *p,
		       struct td_err *err)
{
	int r = capture(from, path, p, err);

	/* so that what is said of it does not depend on the one before */
	if (r < 0 && r != -ENOMEM && td_db_series_forget(from->series))
		r = capture(from, path, p, err);
	return r;
}
