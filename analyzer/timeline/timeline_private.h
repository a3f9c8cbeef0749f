/* SPDX-License-Identifier: MIT */
/* What the files that fill a timeline share. */
#pragma once

#include "analyzer/scan/dims.h"
#include "analyzer/timeline/timeline.h"
#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/keys.h"
#include "common/strbuf.h"
#include "schema/db.h"
#include "schema/stat_math.h"

/* Causes of idle time, in the order in which they are asked: the first ones of view gpu_idle_cause.
 * Those after them are for the reports
 * gpu_idle and stalls: what they need, switches of threads and what woke them, is not drawn. */
enum td_idle_cause {
	TD_IDLE_DISK_READ,
	TD_IDLE_FILE_READ,
	TD_IDLE_FILE_WRITE,
	TD_IDLE_FILE_OTHER,
	TD_NIDLE_CAUSES,
};

/* Who did how much, by bin (hi) and id (lo). */
struct td_top_sums {
	struct td_keys keys;
	struct td_top_sum *items; /* owned; by number of the key */
	size_t cap;
};
void td_top_sums_done(struct td_top_sums *s);

/* A timeline being filled. */
struct td_filling {
	sqlite3 *db;
	const struct td_timeline_request *req;
	struct td_timeline *t;
	struct td_during (
		*causes)[TD_NIDLE_CAUSES]; /* owned; by party; when each is in progress for it */
	size_t nparties; /* of causes */
	struct td_key_map process_parties, gpu_parties; /* by process and device id; 0: of none */
	struct td_during called; /* from the first call to the last; empty: there are none */
	struct td_top_sums tops[TD_NTOPS];
};

/* Is the group among those that are wanted? */
bool td_filling_wants(const struct td_filling *f, const char *group);

/* A new lane, owned by the timeline; id and title are copied. NULL when out of memory. */
struct td_lane *td_filling_lane(struct td_filling *f, const char *group, const char *id,
				const char *title, enum td_lane_kind kind, enum td_lane_unit unit);

/* A new series of a lane, all 0. Its values; NULL when out of memory. */
double *td_filling_series(struct td_filling *f, struct td_lane *lane, enum td_hue hue,
			  const char *name);

/* The stretches between start_ns and end_ns that are not in looked are gaps of the lane, and its
 * bins in them are unknown. 0 or -ENOMEM. */
int td_filling_gaps(struct td_filling *f, struct td_lane *lane, const struct td_during *looked);

int td_lane_gap_add(struct td_lane *lane, int64_t start_ns, int64_t end_ns, bool is_lost);

/* Reads who is of which party. 0 or -errno with a message. */
int td_filling_causes_begin(struct td_filling *f, struct td_err *err);
void td_filling_causes_done(struct td_filling *f);

/* The process (NULL in the database, or of no party: anyone) is at something in [start_ns, end_ns),
 * which begins no earlier than what it was at before. 0 or -ENOMEM. */
int td_filling_causes_add(struct td_filling *f, enum td_idle_cause cause, int64_t process_id,
			  int64_t start_ns, int64_t end_ns);

/* Nothing from that cause on has been added. */
void td_filling_causes_forget(struct td_filling *f, enum td_idle_cause from);

/* What that GPU can wait for: TD_NIDLE_CAUSES, borrowed. */
const struct td_during *td_filling_causes_of_gpu(const struct td_filling *f, int64_t device_id);

/* How causes are shown. */
struct td_idle_cause_info {
	enum td_hue hue;
	const char *name;
};
extern const struct td_idle_cause_info td_idle_causes[TD_NIDLE_CAUSES];

/* Adds a sample, the mean of a period that lasts a while, to values that are 0 in the beginning. */
void td_samples_add(const struct td_grids *g, int64_t start_ns, int64_t end_ns, double value,
		    double *values);

/* Sums of td_samples_add() become means; bins that no period covers become unknown. covered: what
 * td_samples_add() made of 1 for each. */
void td_samples_finish(const struct td_grids *g, const double *covered, double *values);

/* Somebody was at something in [start_ns, end_ns), which counts where it begins. 0 or -ENOMEM. */
int td_tops_begin(struct td_filling *f);
int td_tops_add(struct td_filling *f, enum td_top top, int64_t id, int64_t start_ns, int64_t end_ns,
		int64_t bytes);
void td_tops_forget(struct td_filling *f);

/* Prepares the statement. 0 or -errno with a message. */
int td_filling_prepare(struct td_filling *f, const char *sql, sqlite3_stmt **ret,
		       struct td_err *err);

/* The next row: 1, 0 behind the last, -errno with a message. */
int td_filling_step(struct td_filling *f, sqlite3_stmt *stmt, struct td_err *err);

/* What fills it, in the order in which they are called: causes come before the GPUs. 0 or -errno with a message. */
int td_fill_block(struct td_filling *f, struct td_err *err);
int td_fill_calls(struct td_filling *f, struct td_err *err);
int td_fill_gpu(struct td_filling *f, struct td_err *err);
int td_fill_gpu_samples(struct td_filling *f, int64_t device_id, const char *name, const char *id,
			struct td_err *err);
int td_fill_cpu(struct td_filling *f, struct td_err *err);
int td_fill_phases(struct td_filling *f, struct td_err *err);
int td_fill_loss(struct td_filling *f, struct td_err *err);
int td_fill_tops(struct td_filling *f, struct td_err *err);

/* Zooms and flags: before the grids. */
int td_fill_zooms(struct td_filling *f, struct td_err *err);
int td_fill_flags(struct td_filling *f, struct td_err *err);
