/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/scan/file_rows.h"
#include "analyzer/scan/file_use.h"
#include "analyzer/scan/loaded_table.h"
#include "analyzer/scan/stat_held.h"
#include "analyzer/scan/stat_top.h"
#include "analyzer/scan/stat_view.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "common/strbuf.h"
#include "schema/db.h"
#include "schema/kinds.h"
#include "schema/stat_math.h"
#include "schema/sums.h"

#define D(x) (1u << TD_DIM_##x)
#define M(x) (1u << TD_MEASURE_##x)
#define MEASURES                                                                                   \
	(M(COUNT) | M(ERRORS) | M(TOTAL_NS) | M(BYTES) | M(P50_NS) | M(P99_NS) |                   \
	 M(P50_BYTES_LOW) | M(SEQUENTIAL) | M(RANDOM))

/* Of so many files those that are not among the first ones are not looked at closely. */
#define MANY_FILES 16384

#define ASKED                                                                                      \
	" FROM temp.io_stat WHERE by = ?6 AND since_ns IS ?1 AND until_ns IS ?2"                   \
	" AND in_phase IS ?3 AND of_pid IS ?4 AND of_process IS ?5"
/* Columns as of enum held. */
#define HELD                                                                                       \
	"SELECT coalesce(file_id, template_id, directory_id, process_id), class, verb, waits,"     \
	" of_top, calls, errors, total_ns, sequential, random, done_bytes, p50_ns, p99_ns,"        \
	" p50_bytes_low" ASKED " AND of_top IS ?7"
/* What the first ones are a share of. */
#define WHOLE                                                                                      \
	"SELECT sum(total_ns), sum(done_bytes) FILTER (WHERE verb IN ('read', 'write'))" ASKED     \
	" AND (?7 OR waits = 0)"
#define HAS_CALLS "SELECT 1 FROM main.call LIMIT 1"
/* All else that is done with files takes no percentiles. */
#define MOVES "SELECT id, 1 FROM main.op WHERE kind = 'io' AND verb IN ('read', 'write')"
#define NAME_OF_STRING                                                                             \
	"SELECT coalesce(nullif(text, ''), '(no name)') FROM main.string WHERE id = ?1"
#define NAME_OF_PROCESS                                                                            \
	"SELECT coalesce(name, '?') || ' (' || pid || coalesce(' on ' || host, '') || ')'"         \
	" FROM main.process WHERE id = ?1"

enum held {
	KEY,
	CLASS,
	VERB,
	WAITS,
	OF_TOP,
	CALLS,
	ERRORS,
	TOTAL_NS,
	SEQUENTIAL,
	RANDOM,
	BYTES,
	P50_NS,
	P99_NS,
	P50_BYTES_LOW
};

static const struct {
	enum td_dim dim;
	const char *name; /* statement; NULL: rows of files have it, or it is the key */
} kinds[TD_USE_NBY] = {
	[TD_USE_FILE] = { TD_DIM_FILE, NULL },
	[TD_USE_TEMPLATE] = { TD_DIM_TEMPLATE, NAME_OF_STRING },
	[TD_USE_DIRECTORY] = { TD_DIM_DIRECTORY, NAME_OF_STRING },
	[TD_USE_PROCESS] = { TD_DIM_PROCESS, NAME_OF_PROCESS },
	[TD_USE_CLASS] = { TD_DIM_CLASS, NULL },
};

struct finding {
	sqlite3 *db;
	const struct td_use_asked *asked;
	struct td_use_rows *rows;
};

/* What is known of the calls of one verb; numbers as in a row. */
struct part {
	const char *verb; /* NULL: unknown */
	const char *class; /* by class; NULL: unknown */
	int64_t key; /* else */
	int64_t waits; /* TD_NULL: it is not told */
	int64_t calls, errors, total_ns, sequential, random;
	struct td_use_moves moves;
};

/* --- one row of all verbs --- */

static unsigned dims_of(const struct td_use_asked *asked)
{
	bool told = asked->by == TD_USE_FILE && !asked->waited;

	return 1u << kinds[asked->by].dim | D(VERB) | (told ? D(WAITS) : 0);
}

static bool is_left_out(const struct td_use_asked *asked, const struct part *p)
{
	if (asked->waited)
		return false;
	return p->waits == TD_NULL ? !p->verb || strcmp(p->verb, "socket") == 0 : p->waits != 0;
}

static int find_row(struct td_use_rows *rows, int64_t key, struct td_use_row **ret)
{
	static const struct td_use_moves none = { 0, TD_NULL, TD_NULL, TD_NULL, NAN };
	size_t at = key ? td_key_map_get(&rows->numbers, key) : rows->without_key;

	if (!at) {
		if (td_grow(&rows->items, &rows->cap, rows->n) < 0)
			return -ENOMEM;
		rows->items[rows->n] = (struct td_use_row){
			.key = key,
			.total_ns = TD_NULL,
			.sequential = TD_NULL,
			.random = TD_NULL,
			.moves = { none, none },
		};
		at = ++rows->n;
		if (!key)
			rows->without_key = at;
		else if (td_key_map_add(&rows->numbers, key, (uint32_t)at) < 0)
			return -ENOMEM;
	}
	*ret = &rows->items[at - 1];
	return 0;
}

static void add_moves(struct td_use_row *row, size_t verb, const struct part *p)
{
	row->moves[verb] = p->moves; /* there is one part of each verb */
	row->done_bytes = td_plus(row->done_bytes, TD_MAX(p->moves.bytes, INT64_C(0)));
	if (p->sequential == TD_NULL || p->random == TD_NULL)
		return;
	row->sequential = td_plus_known(row->sequential, p->sequential);
	row->random = td_plus_known(row->random, p->random);
}

static int add_part(struct finding *f, const struct part *p)
{
	struct td_use_rows *rows = f->rows;
	const char *verb = p->verb ? p->verb : "";
	int64_t key = p->key;
	struct td_use_row *row;

	if (is_left_out(f->asked, p))
		return 0;
	if (p->class) /* which has no id: the number of its text is as good */
		key = td_intern_add(&rows->texts, p->class, strlen(p->class));
	if ((p->class && !key) || find_row(rows, key, &row) < 0)
		return -ENOMEM;
	if (f->asked->by == TD_USE_CLASS)
		row->name = row->class = (uint32_t)key;
	row->calls = td_plus(row->calls, p->calls);
	row->errors = td_plus(row->errors, p->errors);
	row->total_ns = td_plus_known(row->total_ns, p->total_ns);
	if (strcmp(verb, "open") == 0)
		row->opens = p->calls;
	else if (strcmp(verb, "read") == 0)
		add_moves(row, TD_USE_READ, p);
	else if (strcmp(verb, "write") == 0)
		add_moves(row, TD_USE_WRITE, p);
	return 0;
}

/* --- of io_stat, which knows what the file holds, or a partial --- */

static int add_held(void *arg, sqlite3_stmt *s)
{
	struct finding *f = arg;
	bool timed = sqlite3_column_type(s, P50_NS) != SQLITE_NULL;
	const struct part part = {
		.verb = (const char *)sqlite3_column_text(s, VERB),
		.class = (const char *)sqlite3_column_text(s, CLASS),
		.key = sqlite3_column_int64(s, KEY),
		.waits = td_db_known(s, WAITS),
		.calls = sqlite3_column_int64(s, CALLS),
		.errors = sqlite3_column_int64(s, ERRORS),
		.total_ns = td_db_known(s, TOTAL_NS),
		.sequential = td_db_known(s, SEQUENTIAL),
		.random = td_db_known(s, RANDOM),
		.moves = { .calls = sqlite3_column_int64(s, CALLS),
			   .bytes = td_db_known(s, BYTES),
			   .p99_ns = td_db_known(s, P99_NS),
			   .p50_bytes_low = td_db_known(s, P50_BYTES_LOW),
			   .p50_ns = timed ? sqlite3_column_double(s, P50_NS) : NAN },
	};

	f->rows->is_top |= sqlite3_column_type(s, OF_TOP) != SQLITE_NULL;
	return add_part(f, &part);
}

/* An SQLite result code. */
static int prepare(const struct finding *f, const char *sql, unsigned dims, sqlite3_stmt **ret)
{
	_cleanup_(td_strbuf_done) struct td_strbuf by = TD_STRBUF_INIT;
	int rc = sqlite3_prepare_v2(f->db, sql, -1, ret, NULL);

	td_stat_add_by(&by, td_relation_find("io_stat"), dims);
	if (td_strbuf_error(&by) < 0)
		return SQLITE_NOMEM;
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text(*ret, 6, td_strbuf_str(&by), -1, SQLITE_TRANSIENT);
	for (int p = TD_PARAM_SINCE; p <= TD_PARAM_PROCESS && rc == SQLITE_OK; p++)
		if (f->asked->given[p])
			rc = sqlite3_bind_value(*ret, p + 1, f->asked->given[p]);
	return rc;
}

static int ask(struct finding *f, int64_t top, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc = prepare(f, HELD, dims_of(f->asked), &s);

	if (rc == SQLITE_OK && top != TD_NULL)
		rc = sqlite3_bind_int64(s, 7, top);
	return td_db_rows(f->db, rc, s, add_held, f, "cannot read io_stat", err);
}

static int see_whole(void *arg, sqlite3_stmt *s)
{
	struct td_use_rows *rows = arg;

	rows->all_total_ns = td_db_known(s, 0);
	rows->all_done_bytes = td_db_known(s, 1);
	return 0;
}

static int ask_whole(struct finding *f, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc = prepare(f, WHOLE, D(VERB) | D(WAITS), &s);

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_int(s, 7, f->asked->waited);
	return td_db_rows(f->db, rc, s, see_whole, f->rows, "cannot read io_stat", err);
}

/* --- of the calls --- */

static const char *label_of(const struct td_stat *s, enum td_dim dim, struct td_key key)
{
	uint64_t label = td_dims_part(&s->dims, dim, key);

	return label ? s->dims.labels[dim].items[label - 1] : NULL;
}

static struct part part_of(const struct td_stat *s, enum td_dim dim, size_t g)
{
	struct td_key key = s->keys.items[g];
	bool by_class = dim == TD_DIM_CLASS, told = s->dims.which & D(WAITS);
	struct part p = {
		.verb = label_of(s, TD_DIM_VERB, key),
		.class = by_class ? label_of(s, dim, key) : NULL,
		.key = by_class ? 0 : (int64_t)td_dims_part(&s->dims, dim, key),
		.waits = told ? (int64_t)td_dims_part(&s->dims, TD_DIM_WAITS, key) : TD_NULL,
		.calls = td_group_sums_get(&s->sums, g, TD_SUM_CALLS),
		.errors = td_group_sums_get(&s->sums, g, TD_SUM_ERRORS),
		.total_ns = td_group_sums_get(&s->sums, g, TD_SUM_TOTAL),
		.sequential = td_group_sums_get(&s->sums, g, TD_SUM_SEQUENTIAL),
		.random = td_group_sums_get(&s->sums, g, TD_SUM_RANDOM),
		.moves = { .bytes = td_group_sums_get(&s->sums, g, TD_SUM_BYTES),
			   .p99_ns = s->p99_ns[g],
			   .p50_bytes_low = s->p50_bytes_low[g],
			   .p50_ns = s->p50_ns[g] },
	};

	p.moves.calls = p.calls;
	if (p.sequential + p.random == 0) /* of none an offset is known */
		p.sequential = p.random = TD_NULL;
	return p;
}

static int scan(struct finding *f, int64_t top, struct td_err *err)
{
	_cleanup_(td_stat_done) struct td_stat stat = { 0 };
	_cleanup_(td_key_map_done) struct td_key_map moves = { 0 };
	sqlite3_value *const *given = f->asked->given;
	const struct td_stat_request req = {
		.relation = td_relation_find("io_stat"),
		.dims = dims_of(f->asked),
		.measures = MEASURES,
		.percentiles_of = &moves,
		.since_ns = td_loaded_int(given[TD_PARAM_SINCE]),
		.until_ns = td_loaded_int(given[TD_PARAM_UNTIL]),
		.phase = td_loaded_text(given[TD_PARAM_PHASE]),
		.pid = td_loaded_int(given[TD_PARAM_PID]),
		.process = td_loaded_text(given[TD_PARAM_PROCESS]),
		.bin_width_ns = TD_NULL,
	};
	int r = td_key_map_load(f->db, MOVES, &moves, NULL, err);

	f->rows->is_top = top != TD_NULL;
	if (r == 0)
		r = top == TD_NULL ? td_stat_scan(f->db, &req, &stat, err)
				   : td_stat_scan_top(f->db, &req, (size_t)top, &stat, err);
	for (size_t g = 0; g < stat.keys.n && r == 0; g++) {
		const struct part part = part_of(&stat, kinds[f->asked->by].dim, g);

		if (part.calls)
			r = add_part(f, &part);
	}
	return r;
}

static int add_row(void *arg, sqlite3_stmt *s)
{
	(void)s;
	*(bool *)arg = true;
	return 0;
}

/* Is it for the calls to say? A partial has none. Where it is for the whole run to say, asked is of that. */
static int is_not_held(const struct finding *f, struct td_use_asked *asked, bool *ret,
		       struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	const struct td_stat_view view = { .db = f->db,
					   .relation = td_relation_find("io_stat"),
					   .args = asked->given,
					   .dims = dims_of(f->asked) };
	int rc;

	*ret = false;
	if (td_stat_view_is_of_all(&view))
		asked->given[TD_PARAM_PROCESS] = NULL;
	if (td_stat_view_dims(&view, MEASURES))
		return 0;
	rc = sqlite3_prepare_v2(f->db, HAS_CALLS, -1, &s, NULL);
	return td_db_rows(f->db, rc, s, add_row, ret, "cannot see whether there are calls", err);
}

static int find_numbers(struct finding *f, struct td_use_asked *asked, struct td_err *err)
{
	int64_t top = f->asked->by == TD_USE_FILE ? f->asked->top : TD_NULL;
	uint64_t last_file = 0;
	bool not_held = false;
	int r = td_dims_last_id(f->db, TD_DIM_FILE, &last_file, err);

	if (last_file <= MANY_FILES)
		top = TD_NULL;
	if (r == 0)
		r = is_not_held(f, asked, &not_held, err);
	if (r < 0)
		return r;
	return not_held ? scan(f, top, err) : ask(f, top, err);
}

/* --- names --- */

static int intern(struct td_use_rows *rows, struct td_file_text text, uint32_t *ret)
{
	*ret = text.text ? td_intern_add(&rows->texts, text.text, text.len) : 0;
	return text.text && !*ret ? -ENOMEM : 0;
}

/* How a path is known, and whether it was cut. */
static int intern_basis(struct td_use_rows *rows, const struct td_file_row *file, uint32_t *ret)
{
	struct td_file_text basis = file->path_basis;
	char text[64];
	int len;

	if (file->truncated == 0)
		return intern(rows, basis, ret);
	if (file->truncated != 1)
		return 0;
	len = basis.text ? snprintf(text, sizeof(text), "%.*s, cut", (int)TD_MIN(basis.len, 32u),
				    basis.text)
			 : snprintf(text, sizeof(text), "cut");
	return intern(rows, (struct td_file_text){ text, (size_t)len }, ret);
}

static int see_file(void *arg, const struct td_file_row *file)
{
	struct td_use_rows *rows = arg;
	size_t at = td_key_map_get(&rows->numbers, file->id);
	struct td_use_row *row = at ? &rows->items[at - 1] : NULL;
	struct td_file_text name = file->path.len   ? file->path
				   : file->name.len ? file->name
						    : (struct td_file_text){ "(no name)", 9 };
	int r;

	if (!row)
		return 0;
	r = intern(rows, name, &row->name);
	if (r == 0)
		r = intern(rows, file->class, &row->class);
	return r == 0 ? intern_basis(rows, file, &row->path_basis) : r;
}

/* The class of what has only files of one. */
static int see_class(struct td_use_rows *rows, int64_t key, struct td_file_text text)
{
	size_t at = key == TD_NULL ? 0 : td_key_map_get(&rows->numbers, key);
	struct td_use_row *row = at ? &rows->items[at - 1] : NULL;
	uint32_t class;
	int r = row ? intern(rows, text, &class) : 0;

	if (!row || r < 0)
		return r;
	row->is_mixed |= row->class && row->class != class;
	row->class = class;
	return 0;
}

static int see_template(void *arg, const struct td_file_row *file)
{
	return see_class(arg, file->template_id, file->class);
}

static int see_directory(void *arg, const struct td_file_row *file)
{
	return see_class(arg, file->directory_id, file->class);
}

/* sql: the name of ?1. */
static int name_each(struct finding *f, const char *sql, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	struct td_use_rows *rows = f->rows;
	int rc = sqlite3_prepare_v2(f->db, sql, -1, &s, NULL), r = 0;

	for (size_t i = 0; i < rows->n && rc == SQLITE_OK && r == 0; i++) {
		rc = sqlite3_bind_int64(s, 1, rows->items[i].key);
		if (rc == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
			r = intern(rows,
				   (struct td_file_text){ (const char *)sqlite3_column_text(s, 0),
							  (size_t)sqlite3_column_bytes(s, 0) },
				   &rows->items[i].name);
		if (rc == SQLITE_OK)
			rc = sqlite3_reset(s);
	}
	return rc == SQLITE_OK ? r : td_db_error(f->db, rc, err, "cannot read names");
}

static int find_names(struct finding *f, struct td_err *err)
{
	static int (*const see[])(void *arg, const struct td_file_row *file) = {
		[TD_USE_FILE] = see_file,
		[TD_USE_TEMPLATE] = see_template,
		[TD_USE_DIRECTORY] = see_directory,
		[TD_USE_NBY] = NULL,
	};
	enum td_use_by by = f->asked->by;
	int r = see[by] ? td_file_rows_read(f->db, see[by], f->rows, err) : 0;

	return r == 0 && kinds[by].name ? name_each(f, kinds[by].name, err) : r;
}

/* --- all of it --- */

/* Kinds of files that nobody is shown, as the view has them. */
static bool is_waited(const struct td_use_rows *rows, const struct td_use_row *row)
{
	struct td_str class = { 0 };

	if (!row->class || row->is_mixed)
		return false;
	class = td_intern_get(&rows->texts, row->class);
	return td_file_class_waits((struct td_file_text){ class.p, class.len });
}

static void leave_out_waited(struct td_use_rows *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < rows->n; i++)
		if (!is_waited(rows, &rows->items[i]))
			rows->items[n++] = rows->items[i];
	rows->n = n;
}

/* No sum of a row is too large where these are not. */
static void add_up_whole(sqlite3 *db, struct td_use_rows *rows)
{
	rows->all_total_ns = TD_NULL;
	rows->all_done_bytes = 0;
	for (size_t i = 0; i < rows->n; i++) {
		rows->all_total_ns = td_plus_known(rows->all_total_ns, rows->items[i].total_ns);
		rows->all_done_bytes = td_plus(rows->all_done_bytes, rows->items[i].done_bytes);
	}
	td_sums_reached(db, rows->all_total_ns);
	td_sums_reached(db, rows->all_done_bytes);
}

int td_use_rows_find(sqlite3 *db, const struct td_use_asked *asked, struct td_use_rows *ret,
		     struct td_err *err)
{
	struct td_use_asked of = *asked;
	struct finding f = { db, &of, ret };
	bool of_one = asked->by == TD_USE_FILE || asked->by == TD_USE_PROCESS;
	int r = find_numbers(&f, &of, err);

	if (r == 0)
		r = find_names(&f, err);
	if (r < 0)
		return r;
	if (!asked->waited && !of_one)
		leave_out_waited(ret);
	if (ret->is_top)
		return ask_whole(&f, err);
	add_up_whole(db, ret);
	return 0;
}

void td_use_rows_done(struct td_use_rows *rows)
{
	td_key_map_done(&rows->numbers);
	td_intern_done(&rows->texts);
	free(rows->items);
}
