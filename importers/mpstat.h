/* SPDX-License-Identifier: MIT */
/* What the text and the JSON form of mpstat share: columns, localised times and dates, the rows. */
#pragma once

#include <stdbool.h>

#include "importers/import.h"

enum td_mpstat_column {
	TD_MPSTAT_USR,
	TD_MPSTAT_NICE,
	TD_MPSTAT_SYS,
	TD_MPSTAT_IOWAIT,
	TD_MPSTAT_IRQ,
	TD_MPSTAT_SOFT,
	TD_MPSTAT_STEAL,
	TD_MPSTAT_GUEST,
	TD_MPSTAT_GNICE,
	TD_MPSTAT_IDLE,
	TD_MPSTAT_INTR,
	TD_MPSTAT_NCOLUMNS,
};

#define TD_MPSTAT_ALL (-1) /* the row of all CPUs together */
#define TD_MPSTAT_CPU_MAX 65535

/* Column of that heading ("%usr", "%user", "usr", "intr/s", ...), -1 if it is none of them. */
int td_mpstat_column(struct td_str name);

/* "all" or a number; false: neither. */
bool td_mpstat_scan_cpu(struct td_str s, int64_t *ret_cpu);

struct td_mpstat_time {
	int64_t ns; /* of the day, or since the epoch */
	bool is_epoch; /* mpstat -U */
	bool has_seconds;
	bool is_half_day; /* 12-hour clock: there is a word for before or after noon */
};

/* The time in the text in front of the CPU column, in any locale with Western digits ("08:45:33 PM",
 * "08.45.39", "UTC 08:45:27 <word>", "kl. 08.45 +0000"). false if there is none: a label. */
bool td_mpstat_scan_time(struct td_str s, struct td_mpstat_time *ret);

struct td_mpstat_date {
	int64_t days; /* since 1970; month before day, where both orders make a date */
	int64_t day_first_days; /* the other reading; TD_NULL: there is none */
	bool has_long_year;
};

/* A date in any locale's short form. false: not understood. */
bool td_mpstat_scan_date(struct td_str s, struct td_mpstat_date *ret);

/* Where the rows stand in time, and the tracks they go to. */
struct td_mpstat {
	struct td_mpstat_date date; /* of the latest banner */
	bool has_date;
	bool rebase; /* the next time is the first one since that banner */
	bool has_comma, is_half_day; /* seen so far; they tell day/month from month/day */
	enum td_clock clock; /* NONE until the first row */
	int64_t base_ns; /* what to add to an unwrapped time of day */
	int64_t prev_ns, group_ns,
		dur_ns; /* of the rows that were printed together; TD_NULL: none */
	struct td_mpstat_tracks *tracks; /* by CPU + 1 */
	size_t ntracks;
};

void td_mpstat_init(struct td_mpstat *m);
void td_mpstat_done(struct td_mpstat *m);

/* A banner's date begins a new run of mpstat. */
void td_mpstat_banner(struct td_import *imp, struct td_mpstat *m, struct td_str date);

/* To be called for every time in order; the time on the scale of the rows, from which prev_ns and
 * group_ns are. */
int64_t td_mpstat_unwrap(struct td_import *imp, struct td_mpstat *m,
			 const struct td_mpstat_time *time);

/* The next row is of that (unwrapped) time: sets group_ns and dur_ns. false: it is on another clock
 * than the rows before. */
bool td_mpstat_begin_row(struct td_import *imp, struct td_mpstat *m, int64_t ns,
			 const struct td_mpstat_time *time);

/* Fills in the sample of one value of the row begun. 0 or -ENOMEM. */
int td_mpstat_sample(struct td_import *imp, struct td_mpstat *m, int64_t cpu,
		     enum td_mpstat_column column, double value, struct td_sample *ret);

extern const char *const td_mpstat_names[TD_MPSTAT_NCOLUMNS]; /* of the tracks */
