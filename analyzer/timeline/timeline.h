/* SPDX-License-Identifier: MIT */
/*
 * A run as a picture: lanes under each other on one axis of time, each with series of values in
 * bins, and what stands beside them: phases, findings, stretches of which nothing is known. What
 * draws it is in render.h.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>

#include "analyzer/timeline/grid.h"
#include "common/err.h"

/* What a series is about; palette.c has its colours. */
enum td_hue {
	TD_HUE_KERNEL,
	TD_HUE_COPY,
	TD_HUE_BUSY, /* of a GPU that was sampled: whatever it did */
	TD_HUE_DISK_READ,
	TD_HUE_FILE_READ,
	TD_HUE_FILE_WRITE,
	TD_HUE_FILE_OTHER,
	TD_HUE_UNEXPLAINED,
	TD_HUE_USER,
	TD_HUE_SYSTEM,
	TD_HUE_IOWAIT,
	TD_HUE_READ,
	TD_HUE_WRITE,
	TD_HUE_MEAN,
	TD_HUE_MOST,
	TD_HUE_MEMORY,
	TD_HUE_COUNT,
	TD_HUE_SYNC,
	TD_HUE_WAIT,
	TD_HUE_PHASE, /* the first of TD_PHASE_HUES, which names of phases take in turn */
	TD_HUE_PHASE_LAST = TD_HUE_PHASE + 5,
	TD_NHUES,
};
#define TD_PHASE_HUES (TD_HUE_PHASE_LAST - TD_HUE_PHASE + 1)

enum td_lane_kind {
	TD_LANE_SHARES, /* series are parts of 1, one on top of the other */
	TD_LANE_AREAS, /* one in front of the other, from 0 */
	TD_LANE_LINES,
	TD_LANE_HEAT, /* each has a row of its own, values from 0 to 1 */
	TD_LANE_SPANS, /* no series but spans */
	TD_NLANE_KINDS,
};
extern const char *const td_lane_kind_names[TD_NLANE_KINDS];

/* What the values of a lane are. */
enum td_lane_unit {
	TD_LANE_SHARE, /* of 1 */
	TD_LANE_BYTES_PER_S,
	TD_LANE_BYTES,
	TD_LANE_PER_S,
	TD_LANE_NS,
	TD_LANE_AT_A_TIME, /* how many are in progress, mean over the bin */
	TD_NLANE_UNITS,
};
extern const char *const td_lane_unit_names[TD_NLANE_UNITS];

struct td_series {
	char *name; /* owned */
	enum td_hue hue;
	bool is_strip; /* a share that is drawn as a strip below the others, whatever the lane's unit */
	double *values; /* owned; of all grids; NaN: not known */
};

struct td_lane_span {
	char *name; /* owned */
	int64_t start_ns, end_ns;
	unsigned depth; /* how many others it lies in */
	enum td_hue hue;
};

/* A stretch of which nothing, or not all, is known. */
struct td_lane_gap {
	int64_t start_ns, end_ns;
	bool is_lost; /* events were lost there; false: nobody looked */
};

struct td_lane {
	const char *group; /* name of one of td_lane_groups */
	char *id; /* owned, as are the others; group, or group.SOMETHING: the same in two runs that are compared */
	char *title;
	char *detail; /* more words, may be "" */
	enum td_lane_kind kind;
	enum td_lane_unit unit;
	bool is_folded; /* shown on demand */
	int64_t sampled_ns; /* its values are means of periods of about that length; 0: every event counts */
	struct td_series *series;
	size_t nseries, series_cap;
	struct td_lane_span *spans;
	size_t nspans, spans_cap;
	struct td_lane_gap *gaps;
	size_t ngaps, gaps_cap;
};

/* A stretch of time that is worth a look: a button, and a grid of its own. */
struct td_zoom {
	char *name; /* owned */
	int64_t start_ns, end_ns;
};

struct td_flag {
	char *rule, *level, *text, *advice; /* owned; what analyze says */
	int64_t start_ns, end_ns; /* where it shows; start_ns TD_NULL: it is about the whole run */
};

/* Who did most in a stretch of time. */
enum td_top { TD_TOP_FILES, TD_TOP_PROCESSES, TD_TOP_KERNELS, TD_NTOPS };
#define TD_TOP_MAX 5
struct td_top_row {
	int64_t id; /* of the file, process or string; TD_NULL: unknown */
	uint32_t name; /* index into names; UINT32_MAX: no more rows */
	double ns; /* sum of durations */
	double bytes; /* NaN: unknown */
	uint64_t count;
};
struct td_tops {
	struct td_grid bins; /* first: 0 */
	struct td_top_row
		*rows[TD_NTOPS]; /* owned; TD_TOP_MAX for each bin; NULL: nothing was recorded */
	char **names; /* owned */
	size_t nnames, names_cap;
};

struct td_timeline {
	char *title; /* owned: of the run */
	char *path; /* owned: of the database */
	int64_t origin_ns; /* what the axis calls 0 */
	int64_t start_ns, end_ns; /* what is shown */
	struct td_grids grids; /* the first is all that is shown */
	struct td_lane **lanes; /* owned, in the order in which they are shown */
	size_t nlanes, lanes_cap;
	struct td_zoom *zooms;
	size_t nzooms, zooms_cap;
	struct td_flag *flags;
	size_t nflags, flags_cap;
	struct td_tops tops;
	char *notes; /* owned: lines that a reader has to know */
};

/* What lanes can be chosen by, in the order in which they are shown; NULL-ended. */
struct td_lane_group {
	const char *name;
	const char *help;
};
extern const struct td_lane_group td_lane_groups[];

struct td_timeline_request {
	const char *path; /* of the database */
	const char *from, *to; /* times as --filter-time takes them; NULL: the begin, the end */
	const char *phase; /* only that one; NULL: any */
	const char *groups; /* names of td_lane_groups with commas between; NULL: all */
	size_t nbins; /* of the whole */
	size_t nbins_zoom; /* of each zoom and finding; 0: no grids for them */
	size_t nprocesses; /* that have a lane of their own */
	bool tops; /* look for who did most */
	int64_t timeout_ns; /* 0: none */
};

/* A name of the data's as people can read it: no control characters, at most so many bytes, with
 * its middle left out. NULL when out of memory; the caller frees it. */
char *td_timeline_name(const char *text, size_t len);

/* 0; -EINVAL: a phase, time or lane that is not there, with a message; -ENODATA: nothing in it has
 * a time; or another -errno. */
int td_timeline_load(const struct td_timeline_request *req, struct td_timeline *ret,
		     struct td_err *err);
void td_timeline_done(struct td_timeline *t);

/* The axes of both call the begin of the first phase that both have 0, or the begins of what they
 * show if there is none. Returns the name of that phase, borrowed from a, or NULL. */
const char *td_timeline_align(struct td_timeline *a, struct td_timeline *b);
