/* SPDX-License-Identifier: MIT */
/*
 * What a run is compared by where there is a partial of it and no database: each row of the
 * partial's reports is a subject, called by the texts in it, and each number of the row a value, of
 * which a run is one sample.
 */
#pragma once

#include "analyzer/compare/measure.h"
#include "analyzer/partial/partial.h"

/* Adds what the reports of the partial say, and sorts it. set: where their SQL is; borrowed by m. 0
 * or -errno with a message. */
int td_measured_of_partial(struct td_measured *m, const struct td_partial *p,
			   const struct td_reports *set, struct td_err *err);

/* The partial of one run: path is one, else a database, of which a partial like the one of the head
 * is made. 0 or -errno with a message. */
int td_partial_of_run(const char *path, const struct td_partial_head *head,
		      const struct td_reports *set, struct td_partial **ret, struct td_err *err);
