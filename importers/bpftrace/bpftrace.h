/* SPDX-License-Identifier: MIT */
/* The parts of the bpftrace importer: bpftrace.c goes through the lines, bpftrace/sniff.c knows what they
 * look like, bpftrace/rows.c makes rows of them. */
#pragma once

#include "importers/bpftrace/layout.h"
#include "importers/core/import.h"

#define TD_BPFTRACE_PROCESSES 64
#define TD_BPFTRACE_FILES 4096 /* at most, of one thread */

/* The store's ids of what repeats from row to row. */
struct td_bpftrace_ids {
	struct td_bpftrace_op {
		uint16_t id; /* 0: not looked up yet */
		bool transfers; /* returns the number of bytes read or written */
	} * ops; /* by index of the pattern; owned */
	struct td_bpftrace_process {
		int64_t pid;
		char comm[16];
		size_t comm_len;
		uint32_t id; /* 0: none yet */
	} processes[TD_BPFTRACE_PROCESSES]; /* by pid: with the name that each was seen with last */
	struct td_bpftrace_file {
		uint64_t first, last; /* eight characters each */
		const char *name; /* as the store has it */
		uint32_t len;
		uint32_t id; /* 0: none yet */
	} * files; /* by file_place(): those without a path; owned, NULL until there is one */
	size_t nfiles,
		new_files; /* places, a power of two; names that were looked up since there are so many */
};

/* Does a column other than the first hold the time stamp of another event, so that the line is two events
 * woven into each other? */
bool td_bpftrace_spoilt(const struct td_pattern *pt, const struct td_layout_values *v);

/* Stores the event: a call, a block request, a reading of the clock. 0 or -errno. */
int td_bpftrace_put(struct td_import *imp, struct td_bpftrace_ids *ids,
		    const struct td_layout_set *set, const struct td_pattern *pt,
		    const struct td_layout_values *v);

/* --layout; each is a struct td_layout_set with the layout of a program. */
extern const struct td_layout_kind td_bpftrace_layout;

/* The layouts of the user's programs, then td_layouts[]: in *own if there are programs, which the caller ends in any
 * case. What was given has to stay until then. 0 or -ENOMEM. */
int td_bpftrace_layouts(const struct td_import_layouts *given, struct td_layout_set *own,
			const struct td_layout_set **ret);

/* As td_pattern_match(); the time stamp must be one, and the only one. */
const char *td_bpftrace_match(const struct td_pattern *pt, const char *p, const char *end,
			      bool sure, struct td_layout_values *v);

/* As td_pattern_match_spaced(), and the same. */
const char *td_bpftrace_match_spaced(const struct td_pattern *pt, const char *p, const char *end,
				     struct td_layout_values *v);

/* As td_pattern_match_exact(), and the same. */
const struct td_pattern *td_bpftrace_match_exact(const struct td_pattern *pt, const char *p,
						 const char *end, bool sure,
						 struct td_layout_values *v, const char **ret_next);

/* Any row of any layout. order: the patterns in the order to try them; NULL: as they are. A line that was cut
 * behind its TIME looks like a reading of the clock: clock_too says whether those are wanted. */
const struct td_pattern *td_bpftrace_match_any(const struct td_layout_set *set,
					       const uint16_t *order, bool clock_too, const char *p,
					       const char *end, struct td_layout_values *v,
					       const char **ret_next);

/* Banners, maps, messages, blank lines. */
bool td_bpftrace_is_noise(struct td_str s);

/* struct td_importer.sniff and .sniff_with */
int td_bpftrace_sniff(const char *head, size_t len);
int td_bpftrace_sniff_with(const char *head, size_t len, const struct td_import_layouts *layouts);
