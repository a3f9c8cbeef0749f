/* SPDX-License-Identifier: MIT */
/*
 * The staging area of one kind of row: takes records in any order, gives them back in order of time.
 * Records collect in a buffer; a full buffer is sorted and packed (stage_pack.h) as a run, which stays in
 * memory while there is room, then goes to a temporary file; reading merges the runs. Traces are nearly
 * sorted already, so runs hardly overlap, few of them are open at a time, and merging costs little more
 * than unpacking. Memory is bounded whatever the number of rows.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/cleanup.h"
#include "schema/clock.h"
#include "schema/table.h"

struct td_stage;
struct td_run;
struct td_run_writer;

/* path: where the temporary file for the runs goes (common/tmpfile.h), when one is needed; borrowed. */
int td_stage_new(const struct td_table *table, const char *path, struct td_stage **ret);
void td_stage_free(struct td_stage *s);

/* Copies the record. 0, -ENOMEM or the -errno of a failed write (-ENOSPC). */
int td_stage_add(struct td_stage *s, const void *record);
uint64_t td_stage_count(const struct td_stage *s);

/* About how many different ones there are among the calls, of those that were packed: after td_stage_cut(). What was
 * forgotten since may still count. 0 for other records. */
enum td_distinct {
	TD_DISTINCT_FULL, /* of process, file and operation */
	TD_DISTINCT_FILES, /* of file and operation */
	TD_NDISTINCT,
};
uint64_t td_stage_distinct(const struct td_stage *s, enum td_distinct what);

/* How much memory something else takes that is as long there as the rows are: so much less is left for all stages. */
void td_stage_leave_room(size_t bytes);
/* When they have been read: frees what the records take, in memory and in the file. Their number stays. */
void td_stage_drop(struct td_stage *s);

/* For records that are packed elsewhere: a place for their run behind all that was added so far, and the run, which is to
 * come before td_stage_cut() and then belongs to s, also if it fails. Both on the thread of td_stage_add(). 0 or -errno as
 * there. */
int td_stage_place(struct td_stage *s, size_t *ret);
int td_stage_put(struct td_stage *s, size_t place, struct td_run *run);

/* Makes a run of a writer's records, of which none is left then, on any thread. It is for td_stage_put() of s, or for
 * td_run_done(). 0 or -errno as in td_stage_add(). */
int td_stage_pack(struct td_stage *s, struct td_run_writer *pk, struct td_run *ret);

/* Ends the rows of a source. The records of one source keep their order when it is shifted, those of
 * two need not, so a run holds one source only. */
int td_stage_cut(struct td_stage *s);

/* Forgets the runs that are of() by their first record, after td_stage_cut(). What they take in the
 * file stays taken. */
void td_stage_forget(struct td_stage *s, bool (*of)(void *ud, const void *record), void *ud);

/* Everything back in order of UTC time, once from begin to end. */
struct td_stage_reader;

/* shift_of() gives the shift of a record, that of its source, and is asked once per run. s must not
 * be added to or dropped meanwhile. drop: what was given back is gone from s, which is only to be
 * dropped or freed then; else it can be read again. 0 or -errno. */
int td_stage_reader_open(struct td_stage *s, bool drop,
			 const struct td_shift *(*shift_of)(void *ud, const void *record), void *ud,
			 struct td_stage_reader **ret);

/* Puts the next records, at most n, to records, their time members converted; those of equal times in the
 * order in which they were added. How many, 0 at the end, or -errno. */
ssize_t td_stage_reader_next(struct td_stage_reader *m, void *records, size_t n);

/* Takes NULL. */
void td_stage_reader_close(struct td_stage_reader *m);
TD_DEFINE_CLEANUP(struct td_stage_reader *, td_stage_reader_close)
