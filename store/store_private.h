/* SPDX-License-Identifier: MIT */
/* How the store keeps what is in it: for this folder, nobody else. */
#pragma once

#include "common/cleanup.h"
#include "common/utf8.h"
#include "store/store.h"

#define TD_RECENT_NUMBERS 64 /* a power of two */

/* A number that was looked up before, and as what. */
struct td_recent_number {
	int64_t number;
	uint32_t host_key;
	uint32_t id; /* in the interner; 0: there is none here */
};

/* Strings that are made of a file's path or name. */
struct td_file_names {
	uint32_t directory_id; /* 0: there is none */
	uint32_t template_id; /* 0: nobody has asked yet */
};

/* Of td_store_keep(). */
struct td_kept {
	struct td_kept *next;
	void (*done)(void *kept);
	void *kept; /* owned */
};

struct td_store {
	int error; /* first one met, or 0 */
	char *scratch_path;
	char *spill_paths[TD_NKINDS];
	struct td_stage *stages[TD_NKINDS];

	struct td_contents in;
	/* For how many there is room in the arrays of the contents. */
	size_t ops_cap, processes_cap, threads_cap, files_cap, devices_cap, tracks_cap, stacks_cap,
		stack_totals_cap;
	size_t sources_cap, source_texts_cap, anchors_cap, issue_counts_cap, issues_cap,
		summaries_cap, losses_cap, log_runs_cap;

	struct td_intern op_names; /* layer digit + name; runs parallel to in.ops */
	struct td_intern
		file_keys; /* as enum known_by in files.c says; runs parallel to in.files */
	bool any_truncated; /* of these files */
	size_t npaths; /* of these files are known by more than a name */
	struct td_file_names
		*file_names; /* runs parallel to in.files; NULL: nobody has asked yet */
	size_t nfile_names;
	struct td_template_block *templates; /* owned; NULL: there are none ahead */
	struct td_intern
		device_keys; /* kind digit + name, and NUL + host_key if that is not 0; runs parallel to in.devices */
	struct td_intern track_keys; /* runs parallel to in.tracks */
	struct td_intern stack_keys; /* struct td_stack; runs parallel to in.stacks */
	struct td_intern log_run_keys; /* source and number; runs parallel to in.log_runs */

	uint32_t host_id; /* machine of what is asked for: string, 0: the one without a name */
	uint32_t
		host_key; /* the same in keys: what is there keeps its keys when the machine gets a name */
	uint32_t named_host_id; /* name that the machine without one got; 0: none */
	bool several_hosts;

	struct td_intern
		pids; /* int64_t, and host_key if that is not 0; runs parallel to process_of_pid */
	uint32_t *process_of_pid; /* the process that has the pid now */
	size_t npids, pids_cap;
	int64_t last_pid; /* repeats are common */
	uint32_t last_process; /* 0: none */

	struct td_intern tids; /* as pids; runs parallel to thread_of_tid */
	struct td_recent_number
		recent_tids[TD_RECENT_NUMBERS]; /* by tid: the same few threads take turns */
	uint32_t *thread_of_tid; /* the thread that has the tid now */
	size_t ntids, tids_cap;

	struct td_kept *kept; /* list */
};

/* Is the pid that of a process that has ended, the tid that of a thread of such a one? */
bool td_store_process_over(const struct td_store *st, int64_t pid);
bool td_store_thread_over(const struct td_store *st, int64_t tid);

/* The counter of that kind of issue, made if there is none; NULL: out of memory, which is remembered. */
struct td_issue_count *td_store_issue_count(struct td_store *st, uint16_t source_id,
					    const char *kind, enum td_effect effect);

/* The file of a part (store_join.h), which is new or not; its root, a string of the part, is the
 * caller's to set. 0: out of memory, which is remembered. */
uint32_t td_store_file_from(struct td_store *st, const struct td_store *part, uint32_t id);
/* The name that was printed beside the path of a file that has none else. */
void td_store_name_file(struct td_store *st, uint32_t id, struct td_str name);

/* Frees what it owns. */
void td_source_done(struct td_source *s);
