/* SPDX-License-Identifier: MIT */
/* What the text and the JSON form of mpstat, and iostat, share: columns, localised times and dates, the rows. */
#pragma once

#include <stdbool.h>

#include "importers/core/import.h"

/* Takes out the colours of S_COLORS=always, ESC [ ... letter; the new length. */
size_t td_mpstat_strip_colours(char *line, size_t len);

/* --- columns --- */

/* What a row is about; its number is that of the CPU or of the NUMA node. */
enum td_mpstat_of { TD_MPSTAT_OF_CPU, TD_MPSTAT_OF_NODE };

#define TD_MPSTAT_ALL (-1) /* the row of all CPUs or nodes together */
#define TD_MPSTAT_NUMBER_MAX 65535

#define TD_MPSTAT_NAME_MAX 64 /* of a track; longer ones are cut */

/* The track of a column "%usr" or "usr", "intr/s" or "intr": "cpu.usr" in %, "cpu.intr" in 1/s, or of the name
 * that it has. The unit is returned. */
const char *td_mpstat_column(enum td_mpstat_of of, struct td_str heading,
			     char ret_track[TD_MPSTAT_NAME_MAX]);

/* Is it one of the columns that mpstat is known by? */
bool td_mpstat_is_known(struct td_str heading);

/* Of the tables per interrupt: "irq.24", "softirq.NET_RX" for the names in /proc/interrupts and
 * /proc/softirqs, both in 1/s. */
void td_mpstat_interrupt(bool is_soft, struct td_str name, char ret_track[TD_MPSTAT_NAME_MAX]);

/* "all" or a number; false: neither. */
bool td_mpstat_scan_number(struct td_str s, int64_t *ret);

/* The device that the number stands for; 0: it is all of them. */
uint32_t td_mpstat_device(struct td_import *imp, enum td_mpstat_of of, int64_t number);

/* Key of a summary: "all", "CPU 3", "NODE 0"; in the store. */
const char *td_mpstat_key(struct td_import *imp, enum td_mpstat_of of, int64_t number);

/* Where a CPU sits (-T): which is "core", "socket" or "node". Becomes a summary. */
void td_mpstat_topology(struct td_import *imp, int64_t cpu, const char *which, int64_t value);

/* --- times and dates --- */

struct td_mpstat_time {
	int64_t ns; /* of the day, or since the epoch */
	bool is_epoch; /* mpstat -U */
	bool has_seconds;
	bool is_am_pm; /* 12-hour clock with English words */
};

/* The time in the text in front of the CPU column, in any locale of glibc ("08:45:33 PM", "08.45.39",
 * "+03 08:45:27 <word>", "kl. 08.45 +0000"). false if there is none: a label. */
bool td_mpstat_scan_time(struct td_str s, struct td_mpstat_time *ret);

enum td_mpstat_order { TD_MPSTAT_UNORDERED, TD_MPSTAT_MONTH_FIRST, TD_MPSTAT_DAY_FIRST };

struct td_mpstat_date {
	int64_t days; /* since 1970; month before day, where both orders make a date */
	int64_t day_first_days; /* the other reading; TD_NULL: there is none */
	enum td_mpstat_order order; /* that the date itself shows */
	bool has_long_year;
};

/* A date in any locale's short form. false: not understood. */
bool td_mpstat_scan_date(struct td_str s, struct td_mpstat_date *ret);

/* The date in OSWatcher's line before each part, "zzz ***Tue Apr 23 06:13:44 EDT 2013 ...". */
bool td_mpstat_scan_zzz(struct td_str s, int64_t *ret_days);

/* --- rows --- */

/* Where the rows stand in time. */
struct td_mpstat {
	struct td_mpstat_date date; /* of the latest banner */
	bool has_date;
	bool rebase; /* the next time is the first one since that banner */
	bool has_comma, is_am_pm; /* seen so far; they tell day/month from month/day */
	int64_t hint_days; /* a date that is close to the banner's, or is; TD_NULL: none */
	enum td_mpstat_order order; /* of the file's dates, once it is known */
	int64_t open_ns; /* while it is not: what day/month adds to the rows so far; 0: nothing is open */
	int64_t settled_ns; /* added to the rows of the source: td_import_set_day_first() */
	enum td_clock clock; /* NONE until the first row */
	int64_t base_ns; /* what to add to an unwrapped time of day */
	int64_t last_ns; /* of the row before with its date; TD_NULL: none */
	int64_t prev_ns, group_ns,
		dur_ns; /* of the rows that were printed together; TD_NULL: none */
};

void td_mpstat_init(struct td_mpstat *m);

/* A banner's date begins a new run of mpstat. */
void td_mpstat_banner(struct td_import *imp, struct td_mpstat *m, struct td_str date);
/* So does this date, unless a banner with one follows. */
void td_mpstat_begin_part(struct td_mpstat *m, int64_t days);

/* To be called for every time in order; the time on the scale of the rows, from which prev_ns and
 * group_ns are. */
int64_t td_mpstat_unwrap(struct td_import *imp, struct td_mpstat *m,
			 const struct td_mpstat_time *time);

/* The next row is of that (unwrapped) time: sets group_ns and dur_ns. false: it is on another clock
 * than the rows before. */
bool td_mpstat_begin_row(struct td_import *imp, struct td_mpstat *m, int64_t ns,
			 const struct td_mpstat_time *time);

/* One value of the row begun. */
struct td_sample td_mpstat_sample(const struct td_mpstat *m, uint32_t track_id, double value);

/* Does the text end with a number that is whole as it stands: with the two decimals that sysstat prints? */
bool td_mpstat_is_number_end(const char *text, size_t len);
