/* SPDX-License-Identifier: MIT */
/* Two runs, or two sets of runs, line by line: a line is a value of a measure, of one subject. */
#pragma once

#include "analyzer/compare/measure.h"
#include "analyzer/compare/shift.h"

#define TD_COMPARE_ALPHA 0.05 /* that any line of a comparison is told wrongly */
#define TD_COMPARE_LEAST_PCT 1 /* changes below that matter to nobody */

enum td_verdict {
	TD_VERDICT_LESS, /* B is below A; of what lasts less long: faster */
	TD_VERDICT_MORE,
	TD_VERDICT_EQUAL, /* all samples of A and B are the same */
	TD_VERDICT_NO_EVIDENCE, /* the difference can be chance, or is too small to matter */
	TD_VERDICT_LOST, /* it can be that of the events that were lost */
	TD_VERDICT_TOO_FEW, /* so few samples tell nothing, whatever they are */
	TD_VERDICT_ONE_SIDE, /* A or B has no such thing */
	TD_VERDICT_UNLIKE, /* of one it is known by rounds, of the other as a whole */
};

struct td_compared {
	char *id; /* what --fail-if calls it: 'epoch_ns', 'read_total_ns'; owned */
	const struct td_report *measure; /* borrowed, as are the next two */
	const struct td_report_column *column;
	const char *subject;
	double a, b; /* medians of the samples; NaN: there are none */
	size_t na, nb;
	bool paired;
	struct td_shift shift; /* from A to B; of lines that both have */
	double p; /* that of shift, for all lines together; 1 where it was not tested */
	double lost; /* shares of the events that are not in A and in B, added up */
	enum td_verdict verdict;
};

struct td_comparison {
	struct td_compared *
		items; /* owned; what was found first, of that the largest change, then by measure */
	size_t n, cap;
	size_t nsmall; /* lines of subjects that are less than 1 % of either side: left out */
};

/* a and b are na and nb runs. If these are one and one, a sample is a round of a phase, else it is
 * a run: the median of its rounds. Is b one run, and are there TD_HISTORY_LEAST of a, in the order
 * of time, it is judged by history.h: line->a is then what was to be expected.
 * least_pct: smaller changes are no evidence of anything (of shares in percent: so many points). 0
 * or -ENOMEM. */
int td_compare(const struct td_measured *a, size_t na, const struct td_measured *b, size_t nb,
	       double least_pct, struct td_comparison *ret);

void td_comparison_done(struct td_comparison *c);

/* "slower", "more", "no evidence"... */
const char *td_verdict_name(const struct td_compared *line);

/* x as a share of what A has, in percent; of shares in percent x itself, in points. NaN: A has 0, or nothing. */
double td_compared_pct(const struct td_compared *line, double x);
