/* SPDX-License-Identifier: MIT */
/*
 * What a run is compared by. A measure is a report of queries/compare/ (analyzer/report_file.h has
 * its grammar): each row is a sample. Its columns are
 *   subject    TEXT: of what: 'epoch', 'read', a kind of file; NULL: not known, the row is left out
 *   sample     TEXT: of which round of a phase: 'epoch 3'; NULL: of the whole run. Rounds of two runs with one name are a pair.
 * and values: numbers, each of them a series of samples. NULL: no value. The rows are in the order
 * of the subjects.
 */
#pragma once

#include <sqlite3.h>

#include "analyzer/args.h"
#include "analyzer/report.h"

struct td_sample {
	char *label; /* owned; NULL: of the whole run */
	double value; /* in the unit of the column */
};

/* The values of a column of one subject. */
struct td_series {
	const struct td_report *measure; /* borrowed */
	const struct td_report_column *column; /* of it */
	char *subject; /* owned */
	struct td_sample *samples; /* owned, as what is in them */
	size_t n, cap;
	double share; /* of the sum of the measure's weigh over all subjects, 0 .. 1 */
	double lost; /* so large a share of the events that it is made of is not in the data, 0 .. 1 */
};

/* What was measured of one run, by measure, subject and column. */
struct td_measured {
	struct td_series *items; /* owned */
	size_t n, cap;
};

void td_measured_done(struct td_measured *m);

/* Is it a measure: has it a subject, a sample and a number? 0 or -EINVAL with a message. */
int td_measure_check(const struct td_report *rep, struct td_err *err);

/* Adds what the measures say of the run, those that it lacks the data of left out, and sorts it.
 * phase: samples are the rounds of this one; NULL: the measure decides. 0 or -errno. */
int td_measured_add(struct td_measured *m, sqlite3 *db, const struct td_reports *measures,
		    const char *phase, struct td_err *err);

/* By measure, subject and column: <0, 0, >0. */
int td_series_order(const struct td_series *a, const struct td_series *b);
