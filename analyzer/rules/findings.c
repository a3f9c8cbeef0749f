/* SPDX-License-Identifier: MIT */
#include "analyzer/format/cell.h"
#include "analyzer/format/formats.h"
#include "analyzer/rules/findings.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "common/json/write.h"
#include "schema/db.h"

const char *const td_confidence_names[] = {
	[TD_CONFIDENCE_HIGH] = "high",
	[TD_CONFIDENCE_MEDIUM] = "medium",
	[TD_CONFIDENCE_LOW] = "low",
};

static const struct {
	enum td_doubt doubt;
	unsigned damage; /* of the data, that is a reason for it */
	const char *basis; /* or that; NULL: none is */
	const char *words;
} doubts_known[] = {
	{ TD_DOUBT_EVENTS, TD_DAMAGE_EVENTS, NULL, "events were lost" },
	{ TD_DOUBT_TWICE, TD_DAMAGE_TWICE, NULL, "calls count twice" },
	{ TD_DOUBT_WRAPS, TD_DAMAGE_WRAPS, NULL, "durations lack multiples of 4.29 s" },
	{ TD_DOUBT_CLOCKS, TD_DAMAGE_CLOCKS, NULL, "clocks are not exact" },
	{ TD_DOUBT_SAMPLED, 0, "bounds", "the GPU was sampled" },
	{ TD_DOUBT_ESTIMATED, 0, "estimate", "the GPU was looked at only part of the time" },
	{ TD_DOUBT_CONFLICT, 0, "conflict", "two samplers of the GPU contradict each other" },
};

enum td_confidence td_confidence_of(unsigned doubts)
{
	if (!doubts)
		return TD_CONFIDENCE_HIGH;
	return doubts & TD_DOUBT_CONFLICT || __builtin_popcount(doubts) >= 3 ? TD_CONFIDENCE_LOW
									     : TD_CONFIDENCE_MEDIUM;
}

void td_doubts_add(struct td_strbuf *b, unsigned doubts)
{
	const char *comma = "";

	for (size_t i = 0; i < TD_ARRAY_SIZE(doubts_known); i++)
		if (doubts & doubts_known[i].doubt) {
			td_strbuf_addf(b, "%s%s", comma, doubts_known[i].words);
			comma = ", ";
		}
}

void td_findings_done(struct td_findings *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->items[i].text);
		free(f->items[i].advice);
		free(f->items[i].unless);
		free(f->items[i].evidence);
		free(f->items[i].saves);
	}
	free(f->items);
	*f = (struct td_findings){ 0 };
}

/* --- from a row to a finding --- */

/* The format of a rule's result: it writes nothing, but keeps what it is told. */
struct state {
	struct td_findings *findings;
	const struct td_report *rule;
	int64_t observed_ns; /* time for which GPUs were observed, all together */
};

static struct state *state_of(struct td_writer *w)
{
	return w->state;
}

static const struct td_cell *value_of(const struct td_report *rule, const struct td_cell *values,
				      const char *column)
{
	const struct td_report_column *c = td_report_column(rule, column);

	return c ? &values[c - rule->columns] : NULL;
}

static bool is_text(const struct td_cell *value, const char *text)
{
	return value && value->type == TD_VALUE_TEXT && td_str_eq(value->text, text);
}

static void add_column(struct td_strbuf *b, const struct td_table_head *head,
		       const struct td_report_column *c, const struct td_cell *values)
{
	size_t i = (size_t)(c - head->columns);

	if (values[i].type == TD_VALUE_NULL)
		td_strbuf_addc(b, '?'); /* in a sentence '-' is a mark */
	else
		td_cell_of(b, head, i, &values[i], TD_TIMEUNIT_AUTO);
}

static bool is_missing(const struct td_report *rule, const struct td_report_column *c,
		       const struct td_cell *values)
{
	return values[c - rule->columns].type == TD_VALUE_NULL;
}

/* "a .. b", or one of them where they are the same to read. */
static void add_range(struct td_strbuf *b, const struct td_table_head *head,
		      const struct td_report_column *from, const struct td_report_column *to,
		      const struct td_cell *values)
{
	_cleanup_(td_strbuf_done) struct td_strbuf first = TD_STRBUF_INIT, second = TD_STRBUF_INIT;

	add_column(&first, head, from, values);
	add_column(&second, head, to, values);
	td_strbuf_adds(b, td_strbuf_str(&first));
	if (strcmp(td_strbuf_str(&first), td_strbuf_str(&second)) != 0)
		td_strbuf_addf(b, " .. %s", td_strbuf_str(&second));
	b->failed |= first.failed || second.failed;
}

/* "[ took {total_ns}]": a part of a sentence that is left out where a value in it is missing. */
struct clause {
	size_t at; /* where it begins */
	bool open, lacks;
};

/* What stands before a {...}, or at the end. A '[' that no {...} follows, or no ']', is text. */
static void add_plain(struct td_strbuf *b, struct td_str plain, const char *rest, struct clause *c)
{
	const char *end = plain.p + plain.len;
	const char *close = c->open ? memchr(plain.p, ']', plain.len) : NULL;
	const char *open;

	if (close) {
		td_strbuf_add(b, plain.p, (size_t)(close - plain.p));
		if (c->lacks)
			td_strbuf_cut(b, c->at);
		*c = (struct clause){ 0 };
		plain = (struct td_str){ close + 1, (size_t)(end - close - 1) };
	}
	open = c->open ? NULL : memrchr(plain.p, '[', plain.len);
	if (open && !memchr(open, ']', (size_t)(end - open)) && strchr(rest, ']')) {
		td_strbuf_add(b, plain.p, (size_t)(open - plain.p));
		*c = (struct clause){ .at = b->len, .open = true };
		plain = (struct td_str){ open + 1, (size_t)(end - open - 1) };
	}
	td_strbuf_add(b, plain.p, plain.len);
}

/* The text of the rule's header with the values of the row. */
static int fill(const struct td_report *rule, const char *text, const struct td_table_head *head,
		const struct td_cell *values, char **ret)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	const struct td_report_column *from, *to;
	struct clause clause = { 0 };
	struct td_str plain;

	while (td_template_next(rule, &text, &plain, &from, &to)) {
		add_plain(&b, plain, text, &clause);
		clause.lacks |= is_missing(rule, from, values) || is_missing(rule, to, values);
		add_range(&b, head, from, to, values);
	}
	add_plain(&b, plain, text, &clause);
	if (td_strbuf_error(&b) < 0)
		return -ENOMEM;
	*ret = strdup(td_strbuf_str(&b));
	return *ret ? 0 : -ENOMEM;
}

/* Is it a member of a finding? */
static bool has_place(const char *column)
{
	return strcmp(column, "level") == 0 || strcmp(column, "saves_ns") == 0 ||
	       strcmp(column, "advice") == 0 || strcmp(column, "unless") == 0;
}

static int make_evidence(const struct td_report *rule, const struct td_cell *values, char **ret)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	td_strbuf_addc(&b, '{');
	for (size_t i = 0; i < rule->ncolumns; i++) {
		if (has_place(rule->columns[i].name))
			continue;
		td_json_add_key(&b, rule->columns[i].name);
		td_json_add_cell(&b, &values[i]);
	}
	td_strbuf_addc(&b, '}');
	if (td_strbuf_error(&b) < 0)
		return -ENOMEM;
	*ret = strdup(td_strbuf_str(&b));
	return *ret ? 0 : -ENOMEM;
}

static int make_saves(const struct td_table_head *head, const struct td_report *rule,
		      const struct td_cell *values, struct td_finding *f)
{
	const struct td_cell *saves = value_of(rule, values, "saves_ns");
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	f->saves_ns = INT64_MIN;
	if (!saves || saves->type != TD_VALUE_INT)
		return 0;
	f->saves_ns = saves->i;
	add_column(&b, head, td_report_column(rule, "saves_ns"), values);
	if (td_strbuf_error(&b) < 0)
		return -ENOMEM;
	f->saves = strdup(td_strbuf_str(&b));
	return f->saves ? 0 : -ENOMEM;
}

static enum td_level level_of(const struct td_report *rule, const struct td_cell *values)
{
	const struct td_cell *said = value_of(rule, values, "level");

	for (enum td_level l = TD_LEVEL_INFO; said && l < TD_NLEVELS; l++)
		if (is_text(said, td_level_names[l]))
			return l;
	return rule->level;
}

/* Less than a thousandth of the time of the GPUs. */
static bool saves_nothing(const struct td_finding *f, int64_t observed_ns)
{
	return f->saves && f->saves_ns <= observed_ns / 1000;
}

static unsigned doubts_of(const struct td_report *rule, const struct td_cell *values,
			  unsigned damage)
{
	const struct td_cell *basis = value_of(rule, values, "basis");
	unsigned doubts = 0;

	for (size_t i = 0; i < TD_ARRAY_SIZE(doubts_known); i++)
		if (damage & doubts_known[i].damage ||
		    (doubts_known[i].basis && is_text(basis, doubts_known[i].basis)))
			doubts |= doubts_known[i].doubt;
	return doubts;
}

static int keep_row(struct td_writer *w, const struct td_cell *values)
{
	struct td_findings *all = state_of(w)->findings;
	const struct td_report *rule = state_of(w)->rule;
	struct td_finding *f;
	int r;

	if (td_grow(&all->items, &all->cap, all->n) < 0)
		return -ENOMEM;
	f = &all->items[all->n];
	*f = (struct td_finding){
		.rule = rule,
		.level = level_of(rule, values),
		.doubts = doubts_of(rule, values, w->head->damage),
		.number = all->n,
	};
	all->n++;
	r = fill(rule, rule->finding, w->head, values, &f->text);
	if (r == 0)
		r = fill(rule, rule->advice, w->head, values, &f->advice);
	if (r == 0)
		r = fill(rule, rule->unless, w->head, values, &f->unless);
	if (r == 0)
		r = make_evidence(rule, values, &f->evidence);
	if (r == 0)
		r = make_saves(w->head, rule, values, f);
	if (r == 0 && saves_nothing(f, state_of(w)->observed_ns))
		f->level = TD_LEVEL_INFO;
	return r;
}

static const struct td_format keeper = {
	.name = "findings",
	.desc = "",
	.prose = true,
	.state_size = sizeof(struct state),
	.row = keep_row,
};

static int read_observed(sqlite3 *db, int64_t *ret, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(
		db,
		"SELECT coalesce(sum(wall_ns), 0) FROM gpu_phase "
		"WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL",
		-1, &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc != SQLITE_ROW)
		return td_db_error(db, rc, err, "cannot read for how long GPUs were observed");
	*ret = sqlite3_column_int64(stmt, 0);
	return 0;
}

int td_findings_look(struct td_findings *f, sqlite3 *db, const struct td_report *rule,
		     const struct td_arg *args, size_t nargs, struct td_strbuf *missing,
		     struct td_strbuf *notes, struct td_err *err)
{
	_cleanup_(td_writer_freep) struct td_writer *w = NULL;
	struct td_writer_options shape = { 0 };
	int r = td_writer_new(&keeper, NULL, &shape, &w);

	if (r < 0)
		return r;
	*state_of(w) = (struct state){ .findings = f, .rule = rule };
	r = read_observed(db, &state_of(w)->observed_ns, err);
	return r < 0 ? r : td_report_run(db, rule, args, nargs, w, missing, notes, err);
}

static int compare(const void *a, const void *b)
{
	const struct td_finding *x = a, *y = b;
	int by_name = strcmp(x->rule->name, y->rule->name);

	if (x->level != y->level)
		return x->level > y->level ? -1 : 1;
	if (x->rank_ns != y->rank_ns)
		return x->rank_ns > y->rank_ns ? -1 : 1;
	if (by_name != 0)
		return by_name;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* The rule tells in which order its findings are: what it finds first is not behind what could save more, at most. */
static void rank(struct td_findings *f)
{
	for (size_t i = f->n; i-- > 0;) {
		struct td_finding *x = &f->items[i];

		x->rank_ns = x->saves_ns;
		for (size_t k = i + 1; k < f->n && f->items[k].rule == x->rule; k++)
			if (f->items[k].level == x->level)
				x->rank_ns = TD_MAX(x->rank_ns, f->items[k].saves_ns);
	}
}

/* They are in the order in which they were found. */
void td_findings_sort(struct td_findings *f)
{
	rank(f);
	if (f->n)
		qsort(f->items, f->n, sizeof(*f->items), compare);
}
