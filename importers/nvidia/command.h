/* SPDX-License-Identifier: MIT */
/*
 * The header that nvidia-smi was told to leave out (--format=...,noheader), put together again from the line of
 * units, which dmon prints nevertheless, or from the command line that the user gives with --layout.
 */
#pragma once

#include "common/cleanup.h"
#include "common/err.h"
#include "common/scan.h"
#include "common/strbuf.h"
#include "importers/core/import.h"

enum td_nvidia_tool { TD_NVIDIA_DMON, TD_NVIDIA_PMON, TD_NVIDIA_QUERY };

/* "nvidia-smi dmon -s pucvmet -o DT --format csv,noheader,nounit > gpu.csv" */
struct td_nvidia_command {
	enum td_nvidia_tool tool;
	char *words; /* owned; what follows points into it */
	const char *select; /* letters of -s, in their order */
	const char *options; /* letters of -o */
	const char *gpm; /* numbers of --gpm-metrics with commas, or NULL */
	const char *columns; /* of --query-gpu and --query-compute-apps, with commas */
	bool is_apps;
};

void td_nvidia_command_done(struct td_nvidia_command *cmd);

/* Is the text such a command line, not the name of a file? */
bool td_nvidia_is_command(const char *text);

/* Takes it apart. 0, -ENOMEM, or -EINVAL with the reason in err. The caller ends *ret in any case. */
int td_nvidia_command_scan(const char *text, struct td_nvidia_command *ret, struct td_err *err);

/* --layout; each is a struct td_nvidia_command. */
extern const struct td_layout_kind td_nvidia_layout;

/* The header above a row like this one, in *ret. Drivers differ in how many columns a letter stands for: the row's
 * number of columns tells. false: it is no row of the command. */
bool td_nvidia_command_header(const struct td_nvidia_command *cmd, const char *row, size_t len,
			      struct td_strbuf *ret);

/* The unit that nvidia-smi prints behind the name of a column of --query-gpu; NULL: none. */
const char *td_nvidia_unit_of(struct td_str name);

/* --- nvidia/header.c --- */

/* The next column's text, trimmed; false at the end of the line. */
bool td_nvidia_next_cell(struct td_scan *s, bool csv, struct td_str *ret);

/* "-", "N/A" */
bool td_nvidia_is_missing(struct td_str s);

/* YYYYMMDD */
bool td_nvidia_scan_date(struct td_str s, int64_t *ret_days);

#define TD_NVIDIA_DELAY_MAX_NS                                                                     \
	(100 * TD_SEC_NS) /* a longer gap is a pause, not a sampling period */

/* Do samples come too late for a pause between those of this period (TD_NULL: not known)? The clock
 * was set forward, or local times leapt where summer time began. */
bool td_nvidia_is_leap(int64_t period_ns, int64_t gap_ns);

/* The header above the line of units, "#Idx, W, C, C, MHz, MHz", in *ret. false: it is no line of units, or its
 * columns cannot be told. */
bool td_nvidia_units_header(const char *line, size_t len, struct td_strbuf *ret);

#define TD_NVIDIA_AMBIGUOUS "several --layout fit the rows: import the file by itself, with one"

/* The header above a row, by the user's command lines of queries, or of dmon and pmon. 0: none is
 * of it; 1: in *ret; -EEXIST: several are, and differ; -ENOMEM. */
int td_nvidia_layout_header(const struct td_import_layouts *layouts, bool query, const char *row,
			    size_t len, struct td_strbuf *ret);

/* Are most lines rows of one of the user's command lines, of queries, or of dmon and pmon? */
bool td_nvidia_are_rows_of(const struct td_import_layouts *layouts, bool query, const char *head,
			   size_t len);

/* As td_importer.explain: could it be nvidia-smi's, without a header? */
bool td_nvidia_explain(const char *head, size_t len, const struct td_import_layouts *layouts,
		       struct td_err *why);
