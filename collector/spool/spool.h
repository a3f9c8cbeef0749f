/* SPDX-License-Identifier: MIT */
/*
 * The file that tracedb-record writes while it records: records of schema/wire.h in independent
 * zstd frames, only ever appended to. Importing it is how it becomes a database, also after a
 * crash: what was in a frame that had reached the disk is there.
 *
 * Disks stall for seconds when a job writes a lot; the rings of the kernel do not wait. So a thread
 * of its own writes the frames, and where calls come faster than one thread packs them, others do
 * (packing.h). They are there from the first td_spool_flush() on, which is to come when the caller
 * has given up its privileges: they are each thread's own. All functions are for one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/cleanup.h"
#include "common/err.h"

struct td_spool;

/* max_size_bytes less than this leaves no room for anything. */
#define TD_SPOOL_SIZE_MIN (UINT64_C(1024) * 1024)

struct td_spool_options {
	uint64_t max_size_bytes; /* on disk; 0: no limit */
	/* Flight recorder: what is older is dropped, nothing is written before td_spool_close(); 0: keep all. What
	 * later records refer to (processes, files, ...) is kept. */
	uint64_t keep_ns;
	uint64_t
		keep_max_bytes; /* of memory for that; more drops what is younger, too. 0: no limit */
};

/* Creates path, 0600, which must not exist, and locks it (common/lock.h): who finds it locked knows
 * that it is not complete. 0 or -errno with a text that names it and the remedy. */
int td_spool_create(const char *path, const struct td_spool_options *options, struct td_spool **ret,
		    struct td_err *err);
/* The file, to change its owner. */
int td_spool_fd(const struct td_spool *s);

/* Appends records, one or more, complete: size is a multiple of 8. Buffered; waits only if the disk is many
 * seconds behind. 0, -EFBIG beyond max_size_bytes, -ENOSPC and the like when the disk is full, or another -errno.
 * What was not taken is counted in td_spool_lost(); from the first error on nothing is, until
 * td_spool_finish(). */
int td_spool_put(struct td_spool *s, const void *records, size_t size, struct td_err *err);

/* The same with a buffer of TD_SINK_BUFFER_BYTES, of which size bytes are used: it is packed as it
 * is, and another one is put into its place. */
int td_spool_take(struct td_spool *s, char **buffer, size_t size, struct td_err *err);

/* Ends the frame, so that what was put survives a crash of this process as soon as it is written; sync: of the
 * machine, too, after a moment. Waits for neither. 0 or the -errno that the writing met. */
int td_spool_flush(struct td_spool *s, bool sync, struct td_err *err);

/* The recording is over: from here on comes only what closes it, for which room was kept when the
 * limit was reached or the disk is full. Waits until the rest is written. What records that did not
 * get into the file said of loss (TD_WIRE_LOSS) is put again. */
void td_spool_finish(struct td_spool *s);

/* Records that were put; 0 once a flight recorder has dropped some. Events are calls, scheduling
 * and block records; lost are those that did not get into the file because it, or the disk, was
 * full: after td_spool_finish() that is all of them. */
uint64_t td_spool_records(struct td_spool *s);
uint64_t td_spool_events(struct td_spool *s); /* those that were put, with those that were lost */
uint64_t td_spool_lost(struct td_spool *s);
/* Size of the file when all is written. */
uint64_t td_spool_size_bytes(const struct td_spool *s);
/* How far back goes what a flight recorder holds; UINT64_MAX: to the beginning. */
uint64_t td_spool_kept_ns(const struct td_spool *s);

/* Flight recorder: writes what is held to another file, with records behind it that close it, and
 * goes on. The file is made as td_spool_create() makes its own. *ret_fd: to be closed when nobody
 * else needs it locked. 0 or -errno with a text; there is no file then. */
int td_spool_write_copy(struct td_spool *s, const char *path, const void *closing, size_t size,
			int *ret_fd, struct td_err *err);

/* Writes what is left, syncs and closes; s is freed whatever happens. 0 or the first -errno of the writing. */
int td_spool_close(struct td_spool *s, struct td_err *err);
/* Closes without that. NULL is fine. */
void td_spool_abandon(struct td_spool *s);
TD_DEFINE_CLEANUP(struct td_spool *, td_spool_abandon)
