/* SPDX-License-Identifier: MIT */
/* What is inside the store: for store*.c, files.c, write.c and probes/attach.c, nobody else. */
#pragma once

#include "common/cleanup.h"
#include "common/utf8.h"
#include "store/store.h"

struct td_op {
	const char *name; /* in op_names */
	enum td_layer layer;
	const struct td_op_info *info;
};

struct td_store {
	int error; /* first one met, or 0 */
	char *scratch_path;
	char *spill_paths[TD_NKINDS];
	struct td_stage *stages[TD_NKINDS];

	struct td_intern strings;
	struct td_intern op_names; /* layer digit + name; runs parallel to ops */
	struct td_op *ops;
	size_t nops, ops_cap;

	struct td_intern pids; /* int64_t; runs parallel to process_of_pid */
	uint32_t *process_of_pid; /* the process that has the pid now */
	size_t npids, pids_cap;
	struct td_process *processes;
	size_t nprocesses, processes_cap;
	int64_t last_pid; /* repeats are common */
	uint32_t last_process; /* 0: none */

	struct td_intern tids; /* int64_t; runs parallel to thread_of_tid */
	uint32_t *thread_of_tid; /* the thread that has the tid now */
	size_t ntids, tids_cap;
	struct td_thread *threads;
	size_t nthreads, threads_cap;

	struct td_intern file_keys; /* 'p' + path or 'n' + name; runs parallel to files */
	struct td_file *files;
	size_t nfiles, files_cap;

	struct td_intern device_keys; /* kind digit + name; runs parallel to devices */
	struct td_device *devices;
	size_t ndevices, devices_cap;

	struct td_intern track_keys; /* runs parallel to tracks */
	struct td_track *tracks;
	size_t ntracks, tracks_cap;

	struct td_source *sources;
	size_t nsources, sources_cap;
	struct td_anchor *anchors;
	size_t nanchors, anchors_cap;
	struct td_issue_count *issue_counts;
	size_t nissue_counts, issue_counts_cap;
	struct td_issue *issues;
	size_t nissues, issues_cap;
	struct td_summary *summaries;
	size_t nsummaries, summaries_cap;
	struct td_loss *losses;
	size_t nlosses, losses_cap;
};

TD_DEFINE_CLEANUP(struct td_store *, td_store_free)

/* The counter of that kind of issue, made if there is none; NULL: out of memory, which is remembered. */
struct td_issue_count *td_store_issue_count(struct td_store *st, uint16_t source_id,
					    const char *kind, enum td_effect effect);
