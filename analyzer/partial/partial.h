/* SPDX-License-Identifier: MIT */
/*
 * What a report needs of a database, in a form that adds up: partials of several databases are put
 * together in any order, in steps or all at once, and what comes out is the same. Sums, counts,
 * least and greatest are exact; quantiles are those of histograms (common/histogram.h). Keys are
 * texts, not ids of a database. docs/FLEET.md says what adds up to what.
 */
#pragma once

#include "analyzer/partial/tables.h"
#include "analyzer/report_file.h"
#include "analyzer/scan/request.h"
#include "analyzer/scan/sums.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/histogram.h"
#include "common/intern.h"

/* Filters that a question has, as bits of td_partial_question.given. The values are those of the report's arguments. */
enum td_partial_filter {
	TD_FILTER_SINCE = 1,
	TD_FILTER_UNTIL = 2,
	TD_FILTER_PHASE = 4,
	TD_FILTER_PID = 8,
	TD_FILTER_PROCESS = 16,
};

/* What a report asks call_stat or io_stat. */
struct td_partial_question {
	const struct td_relation *relation; /* of calls */
	unsigned dims; /* 1 << enum td_dim */
	unsigned measures; /* 1 << enum td_measure: those that it looks at */
	unsigned given; /* enum td_partial_filter */
	bool busiest; /* dims has TD_DIM_FILE for the file alone that took longest of what is one in all else: others are as calls without one */
	char *file; /* GLOB; NULL: any. Owned, as is the next */
	char *during; /* SELECT of intervals; NULL: none */
	const struct td_report *
		of_files; /* that asks it, if it looks at no other files than it names; NULL: at all. Borrowed, and no part of the text of a head */
};

/* What a partial is of: two that differ in it cannot be put together. */
struct td_partial_head {
	char *text; /* all of it as JSON, a line; owned, as is what follows */
	char **reports; /* names */
	size_t nreports;
	char **texts; /* of each report: hash of its SQL */
	size_t ntexts;
	char **args; /* name, value, name, value, ... */
	size_t nargs; /* pairs */
	size_t odd_args; /* while it is read: 1, a name without value */
	unsigned tables; /* 1 << enum td_partial_table: what is in it */
	size_t top; /* of each database so many groups of a question are kept, and the others as one; 0: all are */
	struct td_partial_question *questions;
	size_t nquestions;
};

/* From the text. 0; -EBADMSG: it is none; -EPROTONOSUPPORT with a message: of another version; -ENOMEM. */
int td_partial_head_parse(const char *text, size_t len, struct td_partial_head *ret,
			  struct td_err *err);

/* Makes the text from what else there is. 0 or -ENOMEM. */
int td_partial_head_write(struct td_partial_head *h);
int td_partial_head_copy(const struct td_partial_head *from, struct td_partial_head *ret);
void td_partial_head_done(struct td_partial_head *h);

/* Hash of the SQL of a report: 16 hexadecimal digits. */
void td_partial_hash(const char *text, char ret_hex[17]);

/* Rows of a table. A cell is a number, an id in texts, or TD_NULL. */
struct td_partial_rows {
	struct td_intern
		keys; /* the cells of the key as bytes; its id is the number of the row, from 1 */
	int64_t *cells; /* owned; those that are not of the key, row by row */
	size_t cap;
};

/* Groups of a question. The key has a cell for each of its dims. */
struct td_partial_groups {
	struct td_intern keys;
	struct td_group_sums sums; /* group i is the key i + 1 */
	struct td_histogram *durations, *sizes; /* owned; NULL: the question does not need them */
	size_t cap;
};

struct td_partial {
	struct td_partial_head head;
	struct td_intern texts;
	struct td_partial_rows tables[TD_PARTIAL_NTABLES];
	struct td_partial_groups *groups; /* owned; of each question */
};

/* An empty one; the head is copied. 0 or -ENOMEM. */
int td_partial_new(const struct td_partial_head *head, struct td_partial **ret);
void td_partial_free(struct td_partial *p);
TD_DEFINE_CLEANUP(struct td_partial *, td_partial_free)

/* The id of a text in cells; 0: out of memory. */
static inline uint32_t td_partial_text(struct td_partial *p, const char *text, size_t len)
{
	return td_intern_add(&p->texts, text, len);
}

/* Adds a row, the cells in the order of the columns, to what there is of its key. 0 or -ENOMEM. */
int td_partial_add(struct td_partial *p, enum td_partial_table table, const int64_t *cells);

/* Is there a row to which it would add nothing? */
bool td_partial_has(const struct td_partial *p, enum td_partial_table table, const int64_t *cells);

/* The cells of the row with that text for a key that are not of the key; NULL: there is none. Until
 * a row is added. */
const int64_t *td_partial_find(const struct td_partial *p, enum td_partial_table table,
			       uint32_t key);

/* All cells of a row, i from 0. */
void td_partial_row(const struct td_partial *p, enum td_partial_table table, size_t i,
		    int64_t *ret);
static inline size_t td_partial_nrows(const struct td_partial *p, enum td_partial_table table)
{
	return p->tables[table].keys.n;
}

/* The group with that key, which is made if there is none, numbered from 0. 0 or -ENOMEM. */
int td_partial_group(struct td_partial *p, size_t question, const int64_t *key, size_t *ret);

void td_partial_groups_done(struct td_partial_groups *g);

/* The dims of a question, in the order of its keys; returns how many there are. */
unsigned td_partial_question_columns(const struct td_partial_question *q, uint8_t *ret_dims);

/* Are the keys of a dim (enum td_dim) texts? Else they are numbers. */
bool td_partial_dim_is_text(uint8_t dim);

/* Adds from to p. 0; 1: it is of databases that are all in p already, and nothing was done but to
 * call them by the least of their names; -EEXIST with a message: some of them are; -EINVAL with a
 * message: it is of something else; -ENOMEM. p is of no use after a failure. */
int td_partial_merge(struct td_partial *p, const struct td_partial *from, struct td_err *err);

/* The same with texts, rows and groups in an order that does not depend on how it came about. */
int td_partial_sorted(const struct td_partial *p, struct td_partial **ret);

/* Do partials hold statistics of it? Only of calls. */
static inline bool td_partial_has_relation(const struct td_relation *relation)
{
	return strcmp(relation->table, "call") == 0;
}

/* Does the measure need a histogram? */
static inline bool td_partial_has_durations(const struct td_partial_question *q)
{
	return q->measures & TD_MEASURES_PERCENTILES;
}

static inline bool td_partial_has_sizes(const struct td_partial_question *q)
{
	return q->measures & 1u << TD_MEASURE_P50_BYTES_LOW;
}
