/* SPDX-License-Identifier: MIT */
/*
 * How far each request of a disk is from where the one before ended, whoever queued it and
 * whichever way it went. Several threads see a stretch of the time each: a disk's first request
 * there waits until the stretches are put together.
 */
#pragma once

#include "analyzer/scan/source.h"

struct td_seek_rows {
	int64_t (*rows)[TD_ROW_NCOLUMNS]; /* owned */
	size_t n, cap;
};

struct td_seeks {
	int64_t *ends; /* owned; of each device, in sectors; TD_NULL: none so far */
	size_t ndevices;
	size_t first_range,
		last_range; /* of the filter: between two of them nothing follows anything */
	bool any; /* rows */
	struct td_seek_rows waiting;
};

/* Sets TD_ROW_SEEK of all rows of a batch: TD_NULL where the sector or the size is not known or
 * none, or it is the first one of the disk in the range. Rows that have to wait are taken out of
 * the batch, if any may (begun: the range may have begun before). 0 or -ENOMEM. */
int td_seeks_add(struct td_seeks *s, struct td_row_batch *b, bool begun);

/* Sets TD_ROW_SEEK of the rows that wait in next, which comes behind s, and puts it there. 0 or -ENOMEM. */
int td_seeks_follow(struct td_seeks *s, struct td_seeks *next);
void td_seeks_done(struct td_seeks *s);
