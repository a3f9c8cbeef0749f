/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/cleanup.h"
#include "common/suggest.h"
#include "common/walk.h"
#include "analyzer/format/cell.h"
#include "analyzer/format/choice.h"
#include "analyzer/needs.h"
#include "analyzer/phase.h"
#include "analyzer/query.h"
#include "analyzer/report.h"
#include "schema/db.h"

#define FILE_MAX_BYTES (1 << 20)

static int compare_names(const void *a, const void *b)
{
	const struct td_named_report *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static struct td_named_report *find(const struct td_reports *set, const char *name)
{
	for (size_t i = 0; i < set->n; i++)
		if (strcmp(set->items[i].name, name) == 0)
			return &set->items[i];
	return NULL;
}

/* Takes the place of a report with the same name. The set owns item->rep in any case. */
static int add(struct td_reports *set, const struct td_named_report *item)
{
	struct td_named_report *place = find(set, item->name);

	if (place) {
		td_report_free(place->rep);
	} else if (td_grow(&set->items, &set->cap, set->n) < 0) {
		td_report_free(item->rep);
		return -ENOMEM;
	} else {
		place = &set->items[set->n++];
	}
	*place = *item;
	return 0;
}

static int read_text(const char *path, char **ret, struct td_err *err)
{
	_cleanup_free_ char *text = malloc(FILE_MAX_BYTES + 1);
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	size_t n;

	if (!text)
		return -ENOMEM;
	if (!f)
		return td_err_errno(err, -errno, "cannot open report '%s'", path);
	errno = 0;
	n = fread(text, 1, FILE_MAX_BYTES + 1, f);
	if (ferror(f))
		return td_err_errno(err, errno ? -errno : -EIO, "cannot read report '%s'", path);
	if (n > FILE_MAX_BYTES || memchr(text, '\0', n))
		return td_err_set(err, -EINVAL, "'%s' is not a report: %s", path,
				  n > FILE_MAX_BYTES ? "too big" : "it holds a NUL");
	text[n] = '\0';
	*ret = TAKE_PTR(text);
	return 0;
}

struct walk {
	struct td_reports *set;
	const char *dir;
	struct td_err *err;
};

/* Folders within it hold other things than reports, as queries/rules and queries/lake do. */
static bool is_deeper(const char *path, const char *dir)
{
	const char *rest = path + strlen(dir);

	return strchr(rest + strspn(rest, "/"), '/');
}

static int add_file(void *ctx, const char *path, const struct stat *st)
{
	const struct walk *w = ctx;
	const char *base = strrchr(path, '/');
	struct td_str name = { base ? base + 1 : path, strlen(base ? base + 1 : path) };
	_cleanup_free_ char *text = NULL, *stem = NULL;
	struct td_report *rep;
	int r;

	if (!td_str_ends(name, ".sql") || is_deeper(path, w->dir))
		return 0;
	r = read_text(path, &text, w->err);
	if (r < 0)
		return r;
	stem = strndup(name.p, name.len - strlen(".sql"));
	if (!stem)
		return -ENOMEM;
	r = td_report_parse(stem, text, &rep, w->err);
	return r < 0 ? r : add(w->set, &(struct td_named_report){ .name = rep->name, .rep = rep });
}

static int walk_problem(void *ctx, const char *path, int r, const char *msg)
{
	const struct walk *w = ctx;

	return td_err_set(w->err, r, "%s", msg);
}

int td_reports_load(struct td_reports *set, const struct td_sql *builtin, const char *const *dirs,
		    size_t ndirs, struct td_err *err)
{
	static const struct td_walk_fn fn = { .file = add_file, .problem = walk_problem };
	struct walk w = { .set = set, .err = err };
	int r = 0;

	for (const struct td_sql *q = builtin; q->name && r == 0; q++)
		r = add(set, &(struct td_named_report){ .name = q->name, .text = q->text });
	for (size_t i = 0; i < ndirs && r == 0; i++) {
		w.dir = dirs[i];
		r = td_walk(dirs[i], &fn, &w, err);
	}
	if (r == 0 && set->n)
		qsort(set->items, set->n, sizeof(*set->items), compare_names);
	return r;
}

void td_reports_done(struct td_reports *set)
{
	for (size_t i = 0; i < set->n; i++)
		td_report_free(set->items[i].rep);
	free(set->items);
	*set = (struct td_reports){ 0 };
}

static int parsed(struct td_named_report *item, const struct td_report **ret, struct td_err *err)
{
	int r = item->rep ? 0 : td_report_parse(item->name, item->text, &item->rep, err);

	*ret = item->rep;
	return r;
}

int td_reports_get(const struct td_reports *set, size_t i, const struct td_report **ret,
		   struct td_err *err)
{
	return parsed(&set->items[i], ret, err);
}

int td_reports_find(const struct td_reports *set, const char *name, const struct td_report **ret,
		    struct td_err *err)
{
	struct td_named_report *item = find(set, name);

	*ret = NULL;
	return item ? parsed(item, ret, err) : 0;
}

bool td_reports_has(const struct td_reports *set, const char *name)
{
	return find(set, name) != NULL;
}

int td_reports_all(const struct td_reports *set, const struct td_report ***ret, struct td_err *err)
{
	_cleanup_free_ const struct td_report **all =
		calloc(set->n + 1, sizeof(struct td_report *));
	int r = all ? 0 : -ENOMEM;

	for (size_t i = 0; i < set->n && r == 0; i++)
		r = td_reports_get(set, i, &all[i], err);
	if (r == 0)
		*ret = TAKE_PTR(all);
	return r;
}

static int check_columns(const struct td_report *rep, sqlite3_stmt *stmt, struct td_err *err)
{
	size_t n = (size_t)sqlite3_column_count(stmt);

	if (n != rep->ncolumns)
		return td_err_set(err, -EINVAL,
				  "report '%s': it has %zu columns, its header declares %zu",
				  rep->name, n, rep->ncolumns);
	for (size_t i = 0; i < n; i++) {
		const char *name = sqlite3_column_name(stmt, (int)i);

		if (!name || strcmp(name, rep->columns[i].name) != 0)
			return td_err_set(err, -EINVAL,
					  "report '%s': column %zu is '%s', its header says '%s'",
					  rep->name, i + 1, name ? name : "?",
					  rep->columns[i].name);
	}
	return 0;
}

static int param_index(sqlite3_stmt *stmt, const char *name)
{
	for (int i = 1; i <= sqlite3_bind_parameter_count(stmt); i++) {
		const char *used = sqlite3_bind_parameter_name(stmt, i);

		if (used && used[0] == ':' && strcmp(used + 1, name) == 0)
			return i;
	}
	return 0;
}

static int check_params(const struct td_report *rep, sqlite3_stmt *stmt, struct td_err *err)
{
	for (int i = 1; i <= sqlite3_bind_parameter_count(stmt); i++) {
		const char *used = sqlite3_bind_parameter_name(stmt, i);

		if (!used || used[0] != ':' || !td_report_param(rep, used + 1))
			return td_err_set(
				err, -EINVAL,
				"report '%s': its header does not declare the parameter '%s'",
				rep->name, used ? used : "?");
	}
	for (size_t i = 0; i < rep->nparams; i++)
		if (!param_index(stmt, rep->params[i].name))
			return td_err_set(err, -EINVAL,
					  "report '%s': it does not use its parameter ':%s'",
					  rep->name, rep->params[i].name);
	return 0;
}

/* Only comments and blanks may follow the statement. */
static int check_tail(sqlite3 *db, const struct td_report *rep, const char *tail,
		      struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *second = NULL;
	int rc = SQLITE_OK;

	while (*tail && rc == SQLITE_OK && !second)
		rc = sqlite3_prepare_v2(db, tail, -1, &second, &tail);
	if (rc != SQLITE_OK || second)
		return td_err_set(err, -EINVAL, "report '%s': it is more than one statement",
				  rep->name);
	return 0;
}

int td_report_prepare(sqlite3 *db, const struct td_report *rep, sqlite3_stmt **ret,
		      struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	const char *tail = "";
	int rc = sqlite3_prepare_v2(db, rep->sql, -1, &stmt, &tail), r;

	if (rc != SQLITE_OK)
		return td_db_error(db, rc, err, "report '%s'", rep->name);
	if (!stmt || !sqlite3_stmt_readonly(stmt))
		return td_err_set(err, -EINVAL, "report '%s': it is not a SELECT", rep->name);
	r = td_needs_known(rep, err);
	if (r == 0)
		r = check_tail(db, rep, tail, err);
	if (r == 0)
		r = check_columns(rep, stmt, err);
	if (r == 0)
		r = check_params(rep, stmt, err);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(stmt);
	return 0;
}

int td_report_check_arg(const struct td_report *rep, const struct td_arg *arg, struct td_err *err)
{
	const struct td_report_param *param = td_report_param(rep, arg->name);
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	struct td_suggest near = { .wanted = arg->value };

	if (!param)
		return td_err_set(err, -EINVAL, "report '%s' has no parameter '%s'", rep->name,
				  arg->name);
	if (td_report_param_can(param, arg->value))
		return 0;
	td_strbuf_addf(&text, "report '%s': no %s '%s'; there are ", rep->name, arg->name,
		       arg->value);
	for (const char **v = param->values; *v; v++) {
		td_strbuf_addf(&text, "%s%s", v == param->values ? "" : ", ", *v);
		td_suggest_offer(&near, *v);
	}
	if (near.best)
		td_strbuf_addf(&text, "; did you mean '%s'?", near.best);
	return td_err_set(err, -EINVAL, "%s", td_strbuf_str(&text));
}

static int bind_args(const struct td_report *rep, sqlite3_stmt *stmt, const struct td_arg *args,
		     size_t nargs, struct td_err *err)
{
	for (size_t i = 0; i < nargs; i++) {
		const struct td_report_param *param = td_report_param(rep, args[i].name);
		int r = td_report_check_arg(rep, &args[i], err);

		if (r < 0)
			return r;
		r = td_arg_bind(stmt, param_index(stmt, param->name), param->type, &args[i], err);
		if (r < 0)
			return r;
	}
	return 0;
}

/* The value that the user gave; NULL: none. */
static const char *value_of(const struct td_arg *args, size_t nargs, const char *name)
{
	for (size_t i = 0; i < nargs; i++)
		if (strcmp(args[i].name, name) == 0)
			return args[i].value;
	return NULL;
}

/* For all rows of a report: with a LIMIT, and be it -1, SQLite sorts in a b-tree, whose pages it
 * writes and reads one by one as soon as they have 2 MB; without one it sorts by merging, in 64
 * MiB. */
static int forget_limit(sqlite3 *db, const struct td_report *rep, sqlite3_stmt **stmt,
			struct td_err *err)
{
	static const char limit[] = "\nLIMIT coalesce(:limit, -1);";
	const char *end = strstr(rep->sql, limit);
	sqlite3_stmt *all = NULL;
	int rc;

	if (!end || end[strlen(limit) + strspn(end + strlen(limit), "\n")])
		return 0;
	rc = sqlite3_prepare_v2(db, rep->sql, (int)(end - rep->sql), &all, NULL);
	if (rc != SQLITE_OK)
		return td_db_error(db, rc, err, "report '%s'", rep->name);
	sqlite3_finalize(*stmt);
	*stmt = all;
	return 0;
}

/* What the report is ordered by, the most first, if it adds up. */
static const struct td_report_column *total_of(const struct td_report *rep)
{
	const char *end = strstr(rep->order, " DESC"), *name = rep->order;
	const struct td_report_column *c;
	const char *dot;

	if (!end || memchr(name, ' ', (size_t)(end - name)) ||
	    memchr(name, ',', (size_t)(end - name)))
		return NULL;
	dot = memchr(name, '.', (size_t)(end - name));
	name = dot ? dot + 1 : name;
	for (c = rep->columns; c < rep->columns + rep->ncolumns; c++)
		if (strncmp(c->name, name, (size_t)(end - name)) == 0 && !c->name[end - name])
			return c->unit == TD_UNIT_COUNT || c->unit == TD_UNIT_BYTES ||
					       c->unit == TD_UNIT_DUR_NS
				       ? c
				       : NULL;
	return NULL;
}

/* Are there times among the columns that are shown? */
static bool has_times(const struct td_report *rep, const char *names)
{
	for (size_t i = 0; i < rep->ncolumns; i++)
		if (rep->columns[i].unit == TD_UNIT_TS_NS &&
		    td_choice_has(names, rep->columns[i].name))
			return true;
	return false;
}

/* People read times from the begin of the run, as --filter-time takes them. */
static int count_from_begin(sqlite3 *db, const struct td_report *rep, const struct td_writer *w,
			    struct td_table_head *head, struct td_err *err)
{
	int r;

	if (!w->format->prose || w->options.utc || !has_times(rep, w->options.columns))
		return 0;
	r = td_run_begin(db, &head->begin_ns, err);
	head->from_begin = r > 0;
	return r < 0 ? r : 0;
}

/* When that was. */
static void note_begin(const struct td_table_head *head, struct td_strbuf *notes)
{
	const struct td_cell begin = { .type = TD_VALUE_INT, .i = head->begin_ns };

	td_strbuf_adds(notes, "times: from the begin of the run, ");
	td_cell_value(notes, &begin, TD_UNIT_UTC_NS, TD_TIMEUNIT_AUTO);
	td_strbuf_adds(notes, " (--utc shows dates)\n");
}

int td_report_sql(sqlite3 *db, const struct td_report *rep, const struct td_arg *args, size_t nargs,
		  FILE *out, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int r = td_report_prepare(db, rep, &stmt, err);
	char *text;

	if (r == 0)
		r = bind_args(rep, stmt, args, nargs, err);
	if (r < 0)
		return r;
	text = sqlite3_expanded_sql(stmt);
	if (!text)
		return -ENOMEM;
	(void)fprintf(out, "%s\n", text);
	sqlite3_free(text);
	return 0;
}

/* Does it choose what is looked at, and not how it is shown? */
static bool chooses(const struct td_arg *arg)
{
	static const char *const shapes[] = { "bin", "by", "each", "limit", "width" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(shapes); i++)
		if (strcmp(arg->name, shapes[i]) == 0)
			return false;
	return arg->value != NULL;
}

/* What it means that there are no rows though the database lacks nothing. Of a part of it no more
 * can be said than of that part. */
static void add_none(struct td_strbuf *b, const struct td_report *rep, const struct td_arg *args,
		     size_t nargs)
{
	bool part = false;

	for (size_t i = 0; i < nargs; i++)
		part = part || chooses(&args[i]);
	if (*rep->none)
		td_strbuf_addf(b, "%s%s", part ? "of what was asked for: " : "", rep->none);
	else
		td_strbuf_adds(b, part ? "nothing is in what was asked for" : "no rows");
}

int td_report_run(sqlite3 *db, const struct td_report *rep, const struct td_arg *args, size_t nargs,
		  struct td_writer *w, struct td_strbuf *missing, struct td_strbuf *notes,
		  struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	_cleanup_(td_strbuf_done) struct td_strbuf about_data = TD_STRBUF_INIT,
						   none = TD_STRBUF_INIT;
	struct td_table_head head = {
		.name = rep->name,
		.title = rep->title,
		.columns = rep->columns,
		.ncolumns = rep->ncolumns,
		.record = rep->record,
		.page = rep->page,
		.total = total_of(rep),
	};
	/* to choose by a phase is to compare the clock of the phases with that of what is chosen */
	const char *phase = value_of(args, nargs, "phase");
	int r = td_report_prepare(db, rep, &stmt, err), lacks;

	if (r == 0 && !value_of(args, nargs, "limit"))
		r = forget_limit(db, rep, &stmt, err);
	if (r == 0)
		r = bind_args(rep, stmt, args, nargs, err);
	if (r == 0)
		r = td_choice_check(w->options.columns, rep->columns, rep->ncolumns, err);
	if (r < 0)
		return r;
	lacks = td_needs_check(db, rep, missing, err);
	if (lacks == 0 && phase)
		lacks = td_phase_check(db, rep, phase, missing, err);
	if (lacks < 0)
		return lacks;
	if (lacks)
		head.missing = td_strbuf_str(missing);
	add_none(&none, rep, args, nargs);
	head.none = td_strbuf_str(&none);
	if (!lacks) /* there are rows for notes to be about */
		r = td_needs_notes(db, rep, phase != NULL, &about_data, &head.damage, err);
	if (r == 0 && !lacks)
		r = count_from_begin(db, rep, w, &head, err);
	if (r == 0)
		r = td_writer_table(w, &head);
	if (r == 0 && !lacks)
		r = td_query_rows(stmt, w, err);
	if (r == 0)
		r = td_writer_table_end(w);
	if (r == 0)
		td_strbuf_adds(notes, td_strbuf_str(&about_data));
	if (r == 0 && w->told_time)
		note_begin(&head, notes);
	if (r == 0 && w->told_apart)
		td_strbuf_adds(
			notes,
			"times: those like 0:00:00.000 are of sources that are not "
			"on the clock of the run; 'tracedb info' says what would put them there\n");
	if (r == 0 && !lacks && phase && !value_of(args, nargs, "start_ns"))
		r = td_phase_note(db, phase, notes, err);
	return r < 0 ? r : lacks ? TD_REPORT_MISSING : 0;
}
