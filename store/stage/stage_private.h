/* SPDX-License-Identifier: MIT */
/* Shared by stage.c, which takes records, and stage_read.c, which gives them back. */
#pragma once

#include <pthread.h>

#include "store/stage/run_writer.h"
#include "store/stage/stage.h"

struct td_stage {
	const struct td_table *table;
	struct td_pack pack;
	const char *path; /* borrowed */
	struct td_run_writer filling; /* records being added */
	struct td_run_writer
		packing; /* of full buffers, on a thread of its own while the next one fills */
	struct td_run packed; /* what came of it */
	int packed_r; /* or the error */
	size_t packed_place; /* where it belongs */
	bool running; /* there is something to collect */
	bool beside; /* from the thread */
	pthread_t thread;
	struct td_run *runs; /* in the order in which their records were added */
	size_t nruns, runs_cap;
	size_t nspilled; /* of those before, none is in memory */
	size_t nclosed; /* of those before, none is an empty place */
	pthread_mutex_t lock; /* guards the slab, the file's size, and that it is made once */
	struct td_run_slab *slab; /* that runs are kept in; NULL: there is none yet */
	int fd; /* -1 until a run went to the file */
	uint64_t file_size;
	uint64_t count;
	struct td_sketch *distinct; /* owned; TD_NDISTINCT; NULL: no calls yet */
};

/* What the run takes in memory; it is empty then. */
void td_stage_free_run(struct td_run *run);
