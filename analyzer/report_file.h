/* SPDX-License-Identifier: MIT */
/*
 * Report files: one SQL statement that runs as it is in the sqlite3 shell, described by the comment
 * it begins with:
 *
 *     -- title: File I/O
 *     -- group: files
 *     -- needs: call
 *     -- param: by file|template|directory|process|class file -- what a row is
 *     -- filters: time, process, limit 20
 *     -- columns: file, reads, total_ns
 *     -- column: file TEXT path as printed
 *     -- order: total_ns DESC, file
 *     --
 *     -- Free text for people, to the end of the comment.
 *     SELECT ...
 *     ORDER BY total_ns DESC, file LIMIT coalesce(:limit, 20);
 *
 * The keys, each a line of its own, in any order:
 *   title      what the report is called; required
 *   group      which question it is about, one of td_report_groups; without it 'own', for reports of users
 *   needs      tables or views that must have rows, separated by commas; if one has none, the report
 *              says what is missing and how to get it. The names are those in the table of needs.c.
 *   needs-any  as needs, but one of them is enough
 *   uses       as needs: what the report shows if it is there, so that loss and clock errors of where it
 *              comes from are told; the needs themselves are always in.
 *   shell      tables that it looks at only where call_stat has no rows for it, which is in the stock shell: what is put together
 *              of partials (docs/FLEET.md) does not have them
 *   timed      tables that it looks at only if start_ns or end_ns is given: without these it is put together of partials
 *   files      a table of its WITH, whose column id has every file that it looks at rows of in call_stat and io_stat: what is put together of
 *              partials has no others. WITH is at the beginning of a line then, and the first SELECT that is at one belongs to the statement itself
 *   param      name, type (TEXT INTEGER count REAL bytes dur_ns ts_ns, or the texts that it can be with '|'
 *              between them), default, ' -- ', help. In the SQL it is :name, NULL unless the user gives
 *              it; what NULL means the SQL has to implement, the default given here is for the help
 *              text ('NULL' or nothing: no default). phase, pid, process, at, start_ns and end_ns have one
 *              meaning in all reports: analyzer/exist.h checks that the database has what is asked for.
 *   filters    parameters that many reports have, separated by commas: what the lines 'param' of queries/vocabulary.txt say of each. A word
 *              behind one is its default ('limit 20'). A param line below says anew what a parameter of it is.
 *   time       what the filter 'time' is about, for its help: 'kernels that start'; without it 'calls that start'
 *   columns    names of columns, separated by commas, in the order of the result; where there are too many for a line, several of these. What they
 *              are queries/vocabulary.txt says, or a column line below.
 *   column     name, unit (TEXT INTEGER REAL count bytes dur_ns ts_ns utc_ns ratio percent
 *              bytes_per_s), help; a column that is not in 'columns' follows those above. INTEGER is a number that is not
 *              counted (pid), ratio a share of 1, percent of 100; people see ts_ns from the begin of the run, utc_ns
 *              as a date.
 *   loss       none, lower, upper or either, then names of columns above, separated by commas: what lost
 *              events do to them. Without it counts, bytes and dur_ns are lower bounds, REAL, ratio,
 *              percent and bytes_per_s can be off either way, and nothing else moves.
 *   order      the last ORDER BY of the statement, so that the same rows give the same bytes; required
 *   none       what people read where its needs are met and it has no rows all the same; without it 'no rows'
 *   numbers    columns above, separated by commas: for programs; people have them in another column, as text
 *   keep       columns above, separated by commas: what the report is asked for; on a terminal that has no room for
 *              all columns, the others go before them
 *   findings   show so many of the findings of the rules below, to people
 *   layout     'record': a row is shown as lines of 'name: value', for results of one wide row; 'page': a terminal
 *              shows all rows, not the first ones, for results that are short by themselves
 *
 * Rules (queries/rules/) are reports of which each row is a finding; these keys make a rule, all of
 * them required:
 *   level      info, warning or critical: how bad a finding is, unless the row has a column 'level' that says it
 *   finding    what was found, in a sentence
 *   advice     what to do about it
 *   unless     what would change the verdict
 * In the last three {column} stands for a value of the row, and {column..column} for a range. Two
 * columns mean the same in all rules: saves_ns is how much idle time of GPUs could go at most, and
 * basis (exact, bounds, estimate, conflict) what the numbers rest on.
 *
 * Measures (queries/compare/) are reports of which each row is a sample; analyzer/compare/measure.h
 * says how they are read:
 *   better     shorter (of a duration: faster), lower or higher, then names of columns above, separated by commas: which way is good; without it
 *              none is
 *   weigh      the column whose sum says how much a subject matters: those with too little of all are not compared
 */
#pragma once

#include <stdbool.h>

#include "common/cleanup.h"
#include "common/err.h"
#include "common/scan.h"
#include "analyzer/format/bound.h"
#include "analyzer/format/unit.h"

/* How bad what a rule finds is; in order. */
enum td_level { TD_LEVEL_INFO, TD_LEVEL_WARNING, TD_LEVEL_CRITICAL, TD_NLEVELS };
extern const char *const td_level_names[TD_NLEVELS];

/* The one of that name, TD_NLEVELS if there is none. */
enum td_level td_level_find(const char *name);

/* Which values of a measure are good ones. */
enum td_better {
	TD_BETTER_NONE,
	TD_BETTER_SHORTER,
	TD_BETTER_LOWER,
	TD_BETTER_HIGHER,
	TD_NBETTERS
};

/* What reports are listed by, in the order of the list. */
struct td_report_group {
	const char *name; /* in the header */
	const char *question; /* for people */
};
#define TD_NREPORT_GROUPS 8
extern const struct td_report_group
	td_report_groups[TD_NREPORT_GROUPS]; /* the last: of those that name none */

/* All strings belong to the report and are never NULL, but may be empty. */
struct td_report_param {
	const char *name;
	enum td_unit type; /* TEXT, INTEGER, COUNT, REAL, BYTES, DUR_NS or TS_NS */
	const char **values; /* what it can be, NULL-ended; NULL: anything of the type */
	const char *value; /* default as text; "": none */
	const char *help;
	bool listed; /* of a filter: a line of its own may say it anew */
};

struct td_report_column {
	const char *name;
	const char *help;
	enum td_unit unit;
	enum td_bound loss;
	enum td_better better; /* of a measure */
	bool for_programs; /* people do not see it */
	bool listed; /* the head has no more than its name, up to now */
	bool kept; /* where there is no room for all, others are left out before it */
};

struct td_report {
	const char *name;
	const char *title;
	const struct td_report_group *group; /* one of td_report_groups */
	const char *order;
	const char *sql; /* the whole file */
	const char **needs; /* NULL-ended; NULL: none */
	const char **needs_any; /* the same */
	const char **uses; /* the same */
	const char **shell; /* the same */
	const char **timed; /* the same */
	const char *files; /* "": it may look at rows of any */
	struct td_report_param *params;
	size_t nparams;
	struct td_report_column *columns;
	size_t ncolumns;
	const char **text; /* free text, line by line without '-- ', NULL-ended; NULL: none */
	bool record, page;
	size_t nfindings; /* to be shown below */
	enum td_level level; /* of a rule, as are the following; TD_NLEVELS: it is none */
	const char *finding, *advice, *unless;
	const char *none; /* ""; or why there may be no rows */
	const char *weigh; /* of a measure; "": all subjects matter */
	char *buf; /* what the strings above point into, */
	char **kept; /* and what is made for them */
	size_t nkept, kept_cap;
};

/* NULL if the report does not take it. */
const struct td_report_param *td_report_param(const struct td_report *rep, const char *name);

/* NULL if there is none of that name. */
const struct td_report_column *td_report_column(const struct td_report *rep, const char *name);

/* Takes the next {...} off a rule's finding, advice or unless: *text is moved behind it, *ret_plain
 * is what stood before it. *ret_a and *ret_b are its columns, the same one where it is no range.
 * false: there is none, and *ret_plain is all the rest. */
bool td_template_next(const struct td_report *rep, const char **text, struct td_str *ret_plain,
		      const struct td_report_column **ret_a, const struct td_report_column **ret_b);

/* The statement behind its WITH; NULL: there is none, or they are not at the beginnings of lines. */
const char *td_report_main_select(const struct td_report *rep);

/* Is it one of the values that the header lists? Of a parameter without a list anything is. */
bool td_report_param_can(const struct td_report_param *param, const char *value);

/* Parses the header; name and text are copied. -EINVAL: message with name and line number. */
int td_report_parse(const char *name, const char *text, struct td_report **ret, struct td_err *err);

void td_report_free(struct td_report *rep);
TD_DEFINE_CLEANUP(struct td_report *, td_report_free)
