/* SPDX-License-Identifier: MIT */
/* What rules found: each row of a rule's statement is a finding. */
#pragma once

#include <sqlite3.h>

#include "analyzer/args.h"
#include "analyzer/report.h"

/* Why a finding may not hold; enum td_doubt, together. */
enum td_doubt {
	TD_DOUBT_EVENTS = 1, /* events were lost */
	TD_DOUBT_WRAPS = 2, /* durations were printed in 32 bits */
	TD_DOUBT_CLOCKS =
		4, /* clocks that it compares are off by more than 0.1 s, or nobody knows by how much */
	TD_DOUBT_SAMPLED = 8, /* the GPU was sampled: what is known are bounds */
	TD_DOUBT_ESTIMATED = 16, /* or only an estimate */
	TD_DOUBT_CONFLICT = 32, /* two samplers contradict each other */
	TD_DOUBT_TWICE = 64, /* calls count twice */
};

/* high: no doubt; low: three doubts or more, or samplers that contradict each other; else medium. */
enum td_confidence { TD_CONFIDENCE_HIGH, TD_CONFIDENCE_MEDIUM, TD_CONFIDENCE_LOW };
extern const char *const td_confidence_names[TD_CONFIDENCE_LOW + 1];

enum td_confidence td_confidence_of(unsigned doubts);

/* Adds the doubts in words, with ", " between them; nothing where there is none. */
void td_doubts_add(struct td_strbuf *b, unsigned doubts);

struct td_finding {
	const struct td_report *rule; /* borrowed */
	enum td_level level;
	unsigned doubts;
	char *text, *advice,
		*unless; /* as in the rule's header, with numbers as people read them */
	char *evidence; /* the row as a JSON object, without what has a member of its own here */
	char *saves; /* saves_ns as people read it; NULL: not known */
	int64_t saves_ns; /* idle time of GPUs that could go at most; INT64_MIN: not known */
	int64_t rank_ns; /* the same, or of one of its level that the rule found later: in order of that */
	size_t number; /* in which order they were found */
};

struct td_findings {
	struct td_finding *items; /* owned, as what is in them */
	size_t n, cap;
};

void td_findings_done(struct td_findings *f);

/* Runs the rule and adds what it finds. 0; TD_REPORT_MISSING: the database lacks what it needs,
 * which missing then says; -errno. notes: as of td_report_run(). */
int td_findings_look(struct td_findings *f, sqlite3 *db, const struct td_report *rule,
		     const struct td_arg *args, size_t nargs, struct td_strbuf *missing,
		     struct td_strbuf *notes, struct td_err *err);

/* The worst first; of one level what could save most, then as the rules are called; findings of a rule as it tells them. */
void td_findings_sort(struct td_findings *f);
