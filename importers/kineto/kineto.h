/* SPDX-License-Identifier: MIT */
/* Between kineto.c, which finds the events, and kineto/rows.c, which makes rows of them. */
#pragma once

#include "common/strbuf.h"
#include "importers/core/import.h"

/* Members of an event; JSON text, .p NULL where it has none. */
enum td_kineto_member {
	TD_KINETO_PH,
	TD_KINETO_CAT,
	TD_KINETO_NAME,
	TD_KINETO_PID,
	TD_KINETO_TID,
	TD_KINETO_TS,
	TD_KINETO_DUR,
	TD_KINETO_ARGS,
	TD_KINETO_NMEMBERS,
};

struct td_kineto_event {
	struct td_str member[TD_KINETO_NMEMBERS]; /* strings without quotes, escapes stay */
	int64_t start_ns; /* native: since the file's base */
	int64_t dur_ns; /* TD_NULL: it has none */
};

/* What is named at the end of a file: which process each pid of the file is. */
struct td_kineto_process {
	int64_t pid;
	uint32_t name_id; /* string */
	bool is_gpu; /* "GPU 0": a device, its threads are streams */
	bool has_events; /* of the CPU's side */
};

#define TD_KINETO_KINDS 16

struct td_kineto {
	struct td_strbuf text; /* a name, decoded */
	int32_t rank; /* INT32_MIN: not known (yet) */
	int64_t base_ns; /* baseTimeNanoseconds; TD_NULL: none */
	int64_t first_ns; /* time of the first event; TD_NULL: none yet */
	int64_t pid; /* that the CPU-side events so far are of, as the store has it; TD_NULL: none */
	uint32_t process_id; /* the same; 0: none, or not asked for yet */
	struct td_intern pids; /* of the file; index of processes[] is id - 1 */
	struct td_kineto_process *processes; /* owned */
	size_t nprocesses, processes_cap;
	uint32_t kind_ids[TD_KINETO_KINDS]; /* strings; 0: not made yet */
	uint32_t complete_id, unfinished_id; /* the same */
	int64_t gpu; /* number of gpu_id */
	uint32_t gpu_id; /* device; 0: none yet */
};

/* An event with a duration ("X"), one without ("i"), a counter ("C"): an enum td_verdict or -errno. */
int td_kineto_put_complete(struct td_import *imp, const struct td_kineto_event *ev);
int td_kineto_put_instant(struct td_import *imp, const struct td_kineto_event *ev);
int td_kineto_put_counter(struct td_import *imp, const struct td_kineto_event *ev);

/* Do only Kineto's events have that category? */
bool td_kineto_is_category(struct td_str cat);

/* The entry of that pid, made at first sight; NULL when out of memory. */
struct td_kineto_process *td_kineto_process(struct td_kineto *k, int64_t pid);
