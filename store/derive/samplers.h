/* SPDX-License-Identifier: MIT */
/*
 * What a sample of each tool speaks of: a table. How each row was found is in docs/FORMATS.md; another tool, or
 * a driver that behaves in another way, is a row more.
 */
#pragma once

#include "store/store.h"

/* What is said about a GPU is the truth, holds the truth, was estimated from a part of the time, or spans what sources
 * say that contradict each other. */
enum td_basis { TD_BASIS_EXACT, TD_BASIS_BOUNDS, TD_BASIS_ESTIMATE, TD_BASIS_CONFLICT };

struct td_sampler {
	const char *importer; /* and layout of the source; NULL: any */
	const char *layout;
	unsigned rank; /* of two that sampled the same GPU the one of the lower rank is believed */
	enum td_basis basis;
	/* A sample's period ends so long after the printed time, at least and at most. Of an estimate it is the
	 * time of which it speaks. */
	int64_t after_min_ns, after_max_ns;
	double below,
		above; /* how much the true share may be below and above what is printed, in points */
	int64_t off_ns; /* busy time of any stretch may be off by so much, whatever the stamps say */
	double pace; /* lines come later than their stamps tell by up to this share of the time */
	bool by_process; /* '-' without a process: there was none; else its processes are no part of it */
};

/* The row for a source; the last one of the table where nothing is known about it. */
const struct td_sampler *td_sampler_of(const struct td_source *s);

const char *td_basis_name(enum td_basis basis);
