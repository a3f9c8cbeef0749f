/* SPDX-License-Identifier: MIT */
/* Shared by stage.c, which takes records, and stage_read.c, which gives them back. */
#pragma once

#include <pthread.h>

#include "schema/stage.h"
#include "schema/stage_pack.h"

/* Records of one source in order of time, packed. */
struct td_run {
	size_t n; /* records */
	size_t size; /* bytes that they take */
	uint8_t *packed; /* owned, with TD_PACK_SPARE bytes more; NULL: in the file */
	uint64_t at; /* in the file */
	void *first; /* owned; the first record */
};

/* Records as they were added. */
struct td_records {
	char *p; /* owned */
	size_t n, cap;
	bool sorted; /* they are in order as they stand */
};

struct td_key {
	uint64_t time; /* since the first of those that are sorted together */
	uint32_t at; /* record */
};

/* Makes runs of full buffers, on a thread of its own while the next one fills. */
struct td_packer {
	struct td_records records;
	struct td_key *keys, *spare; /* owned; cap each */
	uint8_t *packed; /* owned; room for cap records */
	size_t cap;
	struct td_run run; /* what became of them */
	int r; /* or the error */
	bool running;
	pthread_t thread;
	int fd; /* -1 until a run went to the file */
	uint64_t file_size;
};

struct td_stage {
	const struct td_table *table;
	struct td_pack pack;
	const char *path; /* borrowed */
	struct td_records records; /* being filled */
	int64_t last; /* time of the record added last */
	struct td_packer packer;
	struct td_run *runs; /* in the order in which their records were added */
	size_t nruns, runs_cap;
	uint64_t count;
};

static inline int64_t td_stage_time(const struct td_table *table, const void *record)
{
	int64_t t;

	memcpy(&t, (const char *)record + table->time_offset, sizeof(t));
	return t;
}
