/* SPDX-License-Identifier: MIT */
/* What the text and the JSON form of iostat share: reports, columns and their tracks. */
#pragma once

#include "importers/sysstat/mpstat.h"

struct td_iostat {
	struct td_mpstat m; /* times, and the columns of avg-cpu */
	bool in_report;
	bool omits_first; /* -y: the first report is of an interval, too */
	bool since_boot; /* the report being read is the first one */
	bool is_timed; /* -t */
	int64_t nreports; /* since the banner */
	bool seen_cpu;
	uint64_t seen; /* columns of the report being read: bits of td_iostat_column_of() */
	bool noted_group, noted_since_boot;
};

struct td_iostat_column {
	const char *name; /* as printed, without % */
	const char *track, *unit;
	double scale; /* from what is printed to the unit */
};

/* -1: no column that is known. A % in front does not matter. */
int td_iostat_column_of(struct td_str name);

void td_iostat_init(struct td_iostat *io);

/* The banner, in whatever form: another run of iostat begins. */
void td_iostat_banner(struct td_iostat *io);

/* "11/20/26 11:26:35", "20.11.2026 11:26:35", "2026-11-20T11:26:37+0000": a report begins. false: it is
 * no time. */
bool td_iostat_time(struct td_import *imp, struct td_iostat *io, struct td_str text);

/* A table begins: of these columns, or avg-cpu (0). Without -t this is what tells reports apart. */
void td_iostat_table(struct td_import *imp, struct td_iostat *io, uint64_t table_columns);

/* A report without a time begins. */
void td_iostat_untimed_report(struct td_import *imp, struct td_iostat *io);

/* One value as printed, or with the suffix of -h ('k', 'M', ..., else 0). name: that of a column which
 * may be unknown. 0 or -errno. */
int td_iostat_disk(struct td_import *imp, struct td_iostat *io, struct td_str device,
		   struct td_str name, double value, char suffix);
int td_iostat_cpu(struct td_import *imp, struct td_iostat *io, struct td_str name, double value);
