/* SPDX-License-Identifier: MIT */
#include "analyzer/partial/plan.h"
#include "common/array.h"
#include "schema/db.h"

/* Groupings whose keys say nothing outside of their database. */
#define DIMS_OF_ONE (1u << TD_DIM_THREAD | 1u << TD_DIM_BIN)

static const char *value_of(const struct td_arg *args, size_t nargs, const char *name)
{
	for (size_t i = 0; i < nargs; i++)
		if (strcmp(args[i].name, name) == 0)
			return args[i].value;
	return NULL;
}

int td_partial_args(const struct td_arg *args, size_t nargs, struct td_arg **ret)
{
	struct td_arg *copy = malloc((nargs + 1) * sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	for (size_t i = 0; i < nargs; i++) {
		copy[i] = args[i];
		if (strcmp(args[i].name, "start_ns") == 0)
			copy[i].value = TD_PARTIAL_START;
		if (strcmp(args[i].name, "end_ns") == 0)
			copy[i].value = TD_PARTIAL_END;
	}
	*ret = copy;
	return 0;
}

/* --- questions --- */

static const struct {
	enum td_param param;
	enum td_partial_filter filter;
	const char *arg;
	const char *fixed; /* the value, whatever that of the argument is */
} filters[] = {
	{ TD_PARAM_SINCE, TD_FILTER_SINCE, "start_ns", TD_PARTIAL_START },
	{ TD_PARAM_UNTIL, TD_FILTER_UNTIL, "end_ns", TD_PARTIAL_END },
	{ TD_PARAM_PHASE, TD_FILTER_PHASE, "phase", NULL },
	{ TD_PARAM_PID, TD_FILTER_PID, "pid", NULL },
	{ TD_PARAM_PROCESS, TD_FILTER_PROCESS, "process", NULL },
};

static int take_text(sqlite3_value *v, char **ret)
{
	const char *text = v ? (const char *)sqlite3_value_text(v) : NULL;

	if (!v)
		return 0;
	*ret = text ? strdup(text) : NULL;
	return *ret ? 0 : -ENOMEM;
}

/* A process is of one database, so that which of its files took longest is known there. Not so how
 * many files several have, or which one took longest of them all. */
static bool asks_busiest(const struct td_stat_asked *asked)
{
	unsigned not_of_it =
		1u << TD_MEASURE_FILES | TD_MEASURES_PERCENTILES | 1u << TD_MEASURE_P50_BYTES_LOW;

	return asked->dims & 1u << TD_DIM_PROCESS && !(asked->dims & 1u << TD_DIM_FILE) &&
	       !(asked->measures & not_of_it);
}

int td_partial_asked(const struct td_stat_asked *asked, const struct td_arg *args, size_t nargs,
		     struct td_partial_question *ret, struct td_err *err)
{
	struct td_partial_question q = { .relation = asked->relation,
					 .dims = asked->dims,
					 .measures = asked->measures & ~TD_MEASURES_FILES };
	int r;

	if (asked->measures & TD_MEASURES_FILES) {
		q.dims |= 1u << TD_DIM_FILE;
		q.busiest = asks_busiest(asked);
	}

	if (!td_partial_has_relation(asked->relation))
		return td_err_set(err, -EOPNOTSUPP, "it asks '%s', which they do not hold",
				  asked->relation->name);
	if (asked->dims & DIMS_OF_ONE || asked->args[TD_PARAM_BIN_WIDTH])
		return td_err_set(err, -EOPNOTSUPP, "it groups calls by thread or time");
	for (size_t i = 0; i < TD_ARRAY_SIZE(filters); i++) {
		sqlite3_value *v = asked->args[filters[i].param];
		const char *given = value_of(args, nargs, filters[i].arg);
		const char *want = filters[i].fixed && given ? filters[i].fixed : given;

		if (!v)
			continue;
		if (!want || strcmp((const char *)sqlite3_value_text(v), want) != 0)
			return td_err_set(
				err, -EOPNOTSUPP,
				"it chooses calls by times or names that it finds out first");
		q.given |= filters[i].filter;
	}
	r = take_text(asked->args[TD_PARAM_FILE], &q.file);
	if (r == 0)
		r = take_text(asked->args[TD_PARAM_DURING], &q.during);
	if (r < 0) {
		free(q.file);
		return r;
	}
	*ret = q;
	return 0;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

bool td_partial_same_question(const struct td_partial_question *a,
			      const struct td_partial_question *b)
{
	return a->relation == b->relation && a->dims == b->dims && a->given == b->given &&
	       a->busiest == b->busiest && same_text(a->file, b->file) &&
	       same_text(a->during, b->during);
}

/* --- the report on the made-up database --- */

struct probe {
	struct td_partial_head *head;
	const struct td_arg *args;
	size_t nargs;
	size_t cap;
	const struct td_report *report; /* that is tried */
	char refused[64]; /* table that partials do not hold; "": none */
};

static int note_question(void *ctx, const struct td_stat_asked *asked, void **ret_rows,
			 struct td_err *err)
{
	struct probe *p = ctx;
	struct td_partial_head *h = p->head;
	struct td_partial_question q = { 0 };
	size_t i = 0;
	int r = td_partial_asked(asked, p->args, p->nargs, &q, err);
	size_t *rows;

	if (r < 0)
		return r;
	if (q.dims & 1u << TD_DIM_FILE && *p->report->files)
		q.of_files = p->report;
	while (i < h->nquestions && !td_partial_same_question(&h->questions[i], &q))
		i++;
	if (i == h->nquestions) {
		if (td_grow(&h->questions, &p->cap, i) < 0)
			return -ENOMEM;
		h->questions[h->nquestions++] = q;
	} else {
		h->questions[i].measures |= q.measures;
		if (h->questions[i].of_files != q.of_files)
			h->questions[i].of_files = NULL;
		free(q.file);
		free(q.during);
	}
	rows = malloc(sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	*rows = 0;
	*ret_rows = rows;
	return 0;
}

/* Rows of the probe: a file of each class with each verb, whatever was asked, so that whatever a
 * report chooses it goes on. Rows that keys refer to are there, too. */
static const char *const classes[] = { "regular", "directory", "shm",        "memfd",   "pipe",
				       "socket",  "eventfd",   "anon-inode", "device",  "proc-sys",
				       "deleted", "unnamed",   "unknown",    "terminal" };
static const char *const verbs[] = { "open",   "close",  "read", "write",  "seek",    "sync",
				     "stat",   "list",   "map",  "unmap",  "create",  "remove",
				     "rename", "wait",   "lock", "memory", "process", "socket",
				     "other",  "launch", "copy", "set" };
#define NCLASSES TD_ARRAY_SIZE(classes)
#define NVERBS TD_ARRAY_SIZE(verbs)

static bool at_end(void *rows)
{
	return *(size_t *)rows >= NCLASSES * NVERBS;
}

static void next(void *rows)
{
	++*(size_t *)rows;
}

static void some_dim(void *rows, enum td_dim dim, sqlite3_context *ctx)
{
	size_t class = *(size_t *)rows % NCLASSES, verb = *(size_t *)rows / NCLASSES;

	switch (dim) {
	case TD_DIM_FILE:
		sqlite3_result_int64(ctx, (sqlite3_int64) class + 1);
		break;
	case TD_DIM_CLASS:
		sqlite3_result_text(ctx, classes[class], -1, SQLITE_STATIC);
		break;
	case TD_DIM_OP:
		sqlite3_result_int64(ctx, (sqlite3_int64)verb + 1);
		break;
	case TD_DIM_VERB:
		sqlite3_result_text(ctx, verbs[verb], -1, SQLITE_STATIC);
		break;
	case TD_DIM_WAITS:
		sqlite3_result_int(ctx, (int)(class % 2));
		break;
	case TD_DIM_ROLE:
	case TD_DIM_PHASE:
		sqlite3_result_text(ctx, "epoch", -1, SQLITE_STATIC);
		break;
	default:
		sqlite3_result_int64(ctx, 1);
	}
}

static void some_measure(void *rows, enum td_measure measure, sqlite3_context *ctx)
{
	sqlite3_result_int64(ctx, 1);
}

/* What work of GPUs is called: reports look for the text of the kind that they ask gpu_stat for. */
static const char *const gpu_kinds[] = { "kernel", "copy", "set", "sync", "graph" };

static int insert_each(sqlite3 *db, const char *sql, const char *const *texts, size_t n)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

	for (size_t i = 0; i < n && rc == SQLITE_OK; i++) {
		rc = sqlite3_bind_text(stmt, 1, texts[i], -1, SQLITE_STATIC);
		if (rc == SQLITE_OK)
			rc = sqlite3_step(stmt) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
		(void)sqlite3_reset(stmt);
	}
	return rc;
}

/* The process is one that is asked for, else a loader, as nothing would be asked of others. */
static int insert_process(sqlite3 *db, const struct td_arg *args, size_t nargs)
{
	const char *values[] = { value_of(args, nargs, "pid"), value_of(args, nargs, "process"),
				 value_of(args, nargs, "role") };
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(
		db,
		"INSERT INTO process (id, pid, name, role, lifetime, start_ns) VALUES (1, "
		"CAST(coalesce(?1, 1) AS INTEGER), coalesce(?2, 'epoch'), coalesce(?3, "
		"'data-loader'), 1, 2000000000000000000)",
		-1, &stmt, NULL);

	for (size_t i = 0; i < TD_ARRAY_SIZE(values) && rc == SQLITE_OK; i++)
		rc = sqlite3_bind_text(stmt, (int)i + 1, values[i], -1, SQLITE_STATIC);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int fill_probe(sqlite3 *db, const struct td_arg *args, size_t nargs, struct td_err *err)
{
	int rc = sqlite3_exec(db,
			      "BEGIN;"
			      "INSERT INTO run (id, name, tracedb_version, start_ns, end_ns)"
			      " VALUES (1, '', '', 1000000000000000000, 9000000000000000000);"
			      "INSERT INTO string (id, text) VALUES (1, 'epoch');"
			      "INSERT INTO phases (name) VALUES ('epoch');"
			      "INSERT INTO phase_interval (label, start_ns, end_ns) VALUES"
			      " ('epoch', 2000000000000000000, 3000000000000000000);",
			      NULL, NULL, NULL);

	if (rc == SQLITE_OK)
		rc = insert_process(db, args, nargs);
	if (rc == SQLITE_OK)
		rc = insert_each(db,
				 "INSERT INTO file (path, name, class, class_known, directory_id, "
				 "template_id, truncated)"
				 " VALUES ('/epoch.pt', 'epoch.pt', ?1, 1, 1, 1, 0)",
				 classes, NCLASSES);
	if (rc == SQLITE_OK)
		rc = insert_each(
			db,
			"INSERT INTO op (name, layer, verb, kind) VALUES (?1, 'syscall', ?1, 'io')",
			verbs, NVERBS);
	if (rc == SQLITE_OK)
		rc = insert_each(db, "INSERT INTO string (text) VALUES (?1)", gpu_kinds,
				 TD_ARRAY_SIZE(gpu_kinds));
	if (rc == SQLITE_OK) /* calls on devices that are no I/O */
		rc = sqlite3_exec(db,
				  "INSERT INTO op (name, layer, verb, kind)"
				  " VALUES ('ioctl', 'syscall', 'other', 'other')",
				  NULL, NULL, NULL);
	return rc == SQLITE_OK ? 0 : td_db_error(db, rc, err, "cannot try the report");
}

/* Is the column among those of "table(column,...) table(column,...)"? "": is the table? */
static bool answers(const char *list, const char *table, const char *column)
{
	size_t ntable = strlen(table), ncolumn = strlen(column);

	for (const char *p = list; p; p = strchr(p, ' '), p = p ? p + 1 : NULL) {
		const char *end = strchr(p, ')');

		if (strncmp(p, table, ntable) != 0 || p[ntable] != '(')
			continue;
		if (!ncolumn)
			return true;
		for (p += ntable; p < end; p += 1 + strcspn(p + 1, ",)"))
			if (strncmp(p + 1, column, ncolumn) == 0 && strchr(",)", p[1 + ncolumn]))
				return true;
		p = end;
	}
	return false;
}

/* Notes which table of a partial answers it. */
static bool find_answer(struct td_partial_head *h, const char *table, const char *column)
{
	bool found = false;

	for (size_t t = 0; t < TD_PARTIAL_NTABLES; t++)
		if (td_partial_tables[t].answers &&
		    answers(td_partial_tables[t].answers, table, column)) {
			h->tables |= 1u << t;
			found = true;
		}
	return found;
}

static bool is_in(const char **tables, const char *table)
{
	for (const char **t = tables; t && *t; t++)
		if (strcmp(*t, table) == 0)
			return true;
	return false;
}

/* Does the report look at it only where call_stat has no rows, which is in the stock shell, or for
 * a stretch of time that was not asked for? */
static bool is_left_alone(const struct probe *p, const char *table)
{
	bool timed =
		value_of(p->args, p->nargs, "start_ns") || value_of(p->args, p->nargs, "end_ns");

	return is_in(p->report->shell, table) || (!timed && is_in(p->report->timed, table));
}

/* sqlite3_set_authorizer() says what the texts are. */
static int authorize(void *arg, int action, const char *table, const char *column,
		     const char *database, const char *view)
{
	struct probe *p = arg;

	(void)view;
	if (action != SQLITE_READ || !database || strcmp(database, "main") != 0 ||
	    is_left_alone(p, table))
		return SQLITE_OK;
	if (!find_answer(p->head, table, column ? column : "") && !p->refused[0])
		(void)snprintf(p->refused, sizeof(p->refused), "%s%s%s", table,
			       column && *column ? "." : "", column ? column : "");
	return SQLITE_OK;
}

static int bind_all(sqlite3_stmt *stmt, const struct td_report *rep, const struct td_arg *args,
		    size_t nargs, struct td_err *err)
{
	int r = 0;

	for (size_t i = 0; i < nargs && r == 0; i++) {
		const struct td_report_param *param = td_report_param(rep, args[i].name);

		r = td_report_check_arg(rep, &args[i], err);
		for (int k = 1; r == 0 && k <= sqlite3_bind_parameter_count(stmt); k++)
			if (strcmp(sqlite3_bind_parameter_name(stmt, k) + 1, args[i].name) == 0)
				r = td_arg_bind(stmt, k, param->type, &args[i], err);
	}
	return r;
}

static int probe_report(sqlite3 *db, struct probe *p, const struct td_report *rep,
			struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc, r;

	p->refused[0] = '\0';
	p->report = rep;
	(void)sqlite3_set_authorizer(db, authorize, p);
	r = td_report_prepare(db, rep, &stmt, err);
	(void)sqlite3_set_authorizer(db, NULL, NULL);
	if (r == 0 && p->refused[0])
		return td_err_set(
			err, -EOPNOTSUPP,
			"report '%s' cannot be put together from partials: it looks at "
			"'%s', which they do not hold; 'tracedb report %s --side-by-side' "
			"has it of each database",
			rep->name, p->refused, rep->name);
	if (r == 0)
		r = bind_all(stmt, rep, p->args, p->nargs, err);
	if (r < 0)
		return r;
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
		;
	return rc == SQLITE_DONE
		       ? 0
		       : td_err_set(err, -EOPNOTSUPP,
				    "report '%s' cannot be put together from partials: %s",
				    rep->name, sqlite3_errmsg(db));
}

/* Leaves the database as it was. */
static int probe_reports(struct td_partial_blank *blank, struct probe *p,
			 const struct td_report *const *reports, size_t n, struct td_err *err)
{
	int r = fill_probe(blank->db, p->args, p->nargs, err);

	blank->provider = (struct td_stat_provider){ .ask = note_question,
						     .at_end = at_end,
						     .next = next,
						     .dim = some_dim,
						     .measure = some_measure,
						     .close = free,
						     .ctx = p };
	/* the files are like what the user asks for, whatever that is, as nothing would be asked of others */
	blank->pattern = value_of(p->args, p->nargs, "file");
	for (size_t i = 0; i < n && r == 0; i++)
		r = probe_report(blank->db, p, reports[i], err);
	blank->pattern = NULL;
	if (sqlite3_exec(blank->db, "ROLLBACK", NULL, NULL, NULL) != SQLITE_OK && r == 0)
		r = -ENOMEM;
	return r;
}

static int add_text(char ***items, size_t *n, size_t *cap, const char *text)
{
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): the array is of pointers */
	if (td_grow(items, cap, *n) < 0)
		return -ENOMEM;
	(*items)[*n] = strdup(text);
	return (*items)[(*n)++] ? 0 : -ENOMEM;
}

static int name_reports(struct td_partial_head *h, const struct td_report *const *reports, size_t n)
{
	size_t cap = 0, texts_cap = 0;
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		char hex[17];

		td_partial_hash(reports[i]->sql, hex);
		r = add_text(&h->reports, &h->nreports, &cap, reports[i]->name);
		if (r == 0)
			r = add_text(&h->texts, &h->ntexts, &texts_cap, hex);
	}
	return r;
}

static int name_args(struct td_partial_head *h, const struct td_arg *args, size_t nargs)
{
	size_t cap = 0, n = 0;
	int r = 0;

	for (size_t i = 0; i < nargs && r == 0; i++) {
		r = add_text(&h->args, &n, &cap, args[i].name);
		if (r == 0)
			r = add_text(&h->args, &n, &cap, args[i].value);
	}
	h->nargs = n / 2;
	h->odd_args = n % 2;
	return r;
}

/* Tables that keys of groups are rows of, and those that every partial has. */
static void add_tables(struct td_partial_head *h)
{
	static const unsigned of_dim[TD_NDIMS] = {
		[TD_DIM_FILE] = 1u << TD_PARTIAL_FILE,
		[TD_DIM_TEMPLATE] = 1u << TD_PARTIAL_FILE_KIND,
		[TD_DIM_DIRECTORY] = 1u << TD_PARTIAL_FILE_KIND,
		[TD_DIM_PROCESS] = 1u << TD_PARTIAL_PROCESS,
		[TD_DIM_OP] = 1u << TD_PARTIAL_OP,
	};

	/* who needs calls looks at op, and notes are of sources */
	h->tables |= 1u << TD_PARTIAL_DATABASE | 1u << TD_PARTIAL_FAILED | 1u << TD_PARTIAL_SOURCE |
		     1u << TD_PARTIAL_ISSUE_COUNT | 1u << TD_PARTIAL_OP | 1u << TD_PARTIAL_DROPPED;
	for (size_t i = 0; i < h->nquestions; i++)
		for (size_t d = 0; d < TD_NDIMS; d++)
			if (h->questions[i].dims & 1u << d)
				h->tables |= of_dim[d];
	if (h->tables & 1u << TD_PARTIAL_PHASE_INTERVAL)
		h->tables |= 1u << TD_PARTIAL_RUN;
	for (size_t i = 0; i < h->nquestions; i++)
		h->questions[i].measures |=
			1u << TD_MEASURE_COUNT | 1u << TD_MEASURE_TOTAL_NS |
			(td_partial_has_durations(&h->questions[i])
				 ? 1u << TD_MEASURE_MIN_NS | 1u << TD_MEASURE_MAX_NS
				 : 0);
}

int td_partial_plan(const struct td_report *const *reports, size_t nreports,
		    const struct td_arg *args, size_t nargs, size_t top,
		    struct td_partial_blank *blank, struct td_partial_head *ret, struct td_err *err)
{
	_cleanup_(td_partial_head_done) struct td_partial_head h = { .top = top };
	_cleanup_free_ struct td_arg *fixed = NULL;
	struct probe p = { .head = &h, .nargs = nargs };
	int r = td_partial_args(args, nargs, &fixed);

	p.args = fixed;
	if (r == 0)
		r = probe_reports(blank, &p, reports, nreports, err);
	if (r == 0)
		r = name_reports(&h, reports, nreports);
	if (r == 0)
		r = name_args(&h, args, nargs);
	if (r < 0)
		return r;
	add_tables(&h);
	r = td_partial_head_write(&h);
	if (r < 0)
		return r;
	*ret = h;
	h = (struct td_partial_head){ 0 };
	return 0;
}
