/* SPDX-License-Identifier: MIT */
/*
 * The file that tracedb-record writes while it records: records of schema/wire.h in independent zstd frames,
 * only ever appended to. Importing it is how it becomes a database, also after a crash.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cleanup.h"
#include "common/err.h"

struct td_spool;

struct td_spool_options {
	uint64_t max_size_bytes; /* on disk; 0: no limit */
	uint64_t keep_ns; /* flight recorder: what is older is dropped; 0: keep all */
};

/* Creates path, 0600, which must not exist. 0 or -errno with a text that names it and the remedy. */
int td_spool_create(const char *path, const struct td_spool_options *options, struct td_spool **ret,
		    struct td_err *err);

/* Appends records, one or more, complete: size is a multiple of 8. Buffered. 0, -EFBIG beyond
 * max_size_bytes (nothing is written any more but what td_spool_close() needs), or -errno. */
int td_spool_put(struct td_spool *s, const void *records, size_t size, struct td_err *err);

/* Ends the frame, so that what was put survives a crash of this process; sync: of the machine, too. */
int td_spool_flush(struct td_spool *s, bool sync, struct td_err *err);

uint64_t td_spool_size_bytes(const struct td_spool *s);

/* Flushes and closes; s is freed whatever happens. */
int td_spool_close(struct td_spool *s, struct td_err *err);
