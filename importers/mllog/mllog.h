/* SPDX-License-Identifier: MIT */
/* Between mllog/scan.c, which finds events, mllog.c, and mllog/spans.c, which makes rows of them. */
#pragma once

#include "common/intern.h"
#include "common/strbuf.h"
#include "importers/core/import.h"
#include "importers/mllog/phases.h"

enum td_mllog_type { TD_MLLOG_POINT, TD_MLLOG_START, TD_MLLOG_END };

/* Which number tells an interval from others of its name, and how well it does. */
enum td_mllog_number {
	TD_MLLOG_UNNUMBERED,
	TD_MLLOG_PROGRESS, /* samples or steps done: start and end differ */
	TD_MLLOG_EPOCH, /* start and end agree */
};

/* Texts are those of the line, valid as long as it is. */
struct td_mllog_event {
	int64_t ts_ns;
	enum td_mllog_type type;
	struct td_str name; /* the key; of intervals without _start, _stop or _end */
	struct td_str value, metadata; /* JSON; len 0: none */
	enum td_mllog_number number_kind;
	int64_t number; /* TD_NULL: none */
	int32_t rank; /* INT32_MIN: unknown */
};

enum td_mllog_generation { TD_MLLOG_07, TD_MLLOG_06, TD_MLLOG_05 }; /* 0.7 and later; 0.6; 0.5 */

/* The next tag with what belongs behind it; s then begins behind the tag. */
bool td_mllog_find_tag(struct td_str *s, enum td_mllog_generation *ret, struct td_str *ret_before);

/* What the text in front of a tag says of the rank; INT32_MIN: nothing. */
int32_t td_mllog_rank_before(struct td_str before);

/* The event that stands behind a tag, without number and rank; s then begins behind it. buf holds what does not
 * stand in the text as it is. false: it is spoilt. */
bool td_mllog_scan(enum td_mllog_generation g, struct td_strbuf *buf, struct td_scan *s,
		   struct td_mllog_event *ret);

struct td_mllog_interval;

/* The intervals of one name that are open, oldest first. */
struct td_mllog_open {
	struct td_mllog_interval *first, *last;
	unsigned n;
};

/* The clock of a rank. */
struct td_mllog_clock {
	int64_t last_ns; /* of its event before, TD_NULL: none */
	int64_t step_ns; /* to add to the times that it prints */
};

struct td_mllog_spans {
	struct td_intern ranks; /* int32_t; index of clocks[] is id - 1 */
	struct td_mllog_clock *clocks;
	size_t nclocks, clocks_cap;
	struct td_intern names; /* of intervals; index of open[] is id - 1 */
	struct td_mllog_open *open;
	size_t nopen, open_cap;
	struct td_strbuf args; /* of the row being made */
	int32_t run_number;
	/* of the run that is on; TD_NULL: not seen */
	int64_t init_start_ns, run_start_ns, run_stop_ns;
};

void td_mllog_spans_init(struct td_mllog_spans *s);

/* 0 or -errno. The event's time is put right if the clock was set. */
int td_mllog_spans_add(struct td_import *imp, struct td_mllog_spans *s, struct td_mllog_event *ev);

/* Stores what is open as unfinished and frees everything. 0 or -errno. */
int td_mllog_spans_end(struct td_import *imp, struct td_mllog_spans *s);

/* With which begins what mllog/output.c reads. */
#define TD_MLLOG_OUTPUT_HEAD "# tracedb output 1\n"

/* --- mllog/mllog.c --- */

#define TD_MLLOG_RECENT 16 /* lines between an event and its copy by the other logger, at most */

struct td_mllog_recent {
	uint64_t hash;
	bool from_logger; /* has a logger's prefix */
	bool is_paired;
};

struct td_mllog {
	struct td_mllog_spans spans;
	struct td_mllog_phases phases;
	bool has_clock, is_local; /* what is put has times of one clock */
	struct td_mllog_recent recent[TD_MLLOG_RECENT]; /* ring */
	unsigned nrecent;
	bool has_layout;
	struct td_strbuf text; /* JSON that does not stand in the line */
};

void td_mllog_init(struct td_mllog *m);

/* Are times of that clock those of the source? The first one says which it has. */
bool td_mllog_is_of_clock(struct td_import *imp, struct td_mllog *m, bool is_utc);

/* All of MLPerf's events in a line: an enum td_verdict or -errno. */
int td_mllog_text(struct td_import *imp, struct td_mllog *m, struct td_str text, bool *ret_has_tag);

/* Stores what is open and frees everything. 0 or -errno. */
int td_mllog_done(struct td_import *imp, struct td_mllog *m);
