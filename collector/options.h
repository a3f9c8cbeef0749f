/* SPDX-License-Identifier: MIT */
/* What 'tracedb record' and tracedb-record are told on the command line: the same, from the same table. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "collector/samplers/gpu_idle.h"
#include "common/cleanup.h"
#include "common/options.h"

/* Words that tracedb puts in front of what it was given: --done-fd N --expanded FILE --stdout-fd N --stderr-fd N. */
#define TD_RECORD_OWN_WORDS 8

/* What tracedb-record tells tracedb, which has executed it (common/passfd.h). */
enum td_record_news {
	TD_RECORD_BEGINS = 'b', /* with the spool */
	TD_RECORD_PART = 'p', /* with the spool of a part, which a trigger had written */
	TD_RECORD_DONE = 'd', /* all is written, though the command may go on */
};

struct td_record_args {
	const char *output; /* the database; strings are borrowed from argv, ... */
	char *expanded; /* ... but this, which output may be; owned */
	bool force, no_import, quiet, progress, help;
	int done_fd; /* a socket, to be told of enum td_record_news; -1: none */

	uint32_t sets; /* bits of enum td_set */
	struct td_string_list pids; /* numbers above 0 */
	const char *comm, *cgroup;
	bool all, all_users;

	int64_t duration_ns, max_duration_ns, delay_ns; /* 0: not given */
	int64_t max_size_bytes, buffer_bytes;
	int64_t flight_ns;
	struct td_record_trigger {
		int signal; /* 0: none */
		struct td_gpu_idle gpu_idle;
	} trigger;
	int64_t lock_threshold_ns;
	int64_t cuda_threshold_ns; /* 0: not given */

	const char *user;
	const char *cupti; /* NULL: it is looked for */
	const char *cuda_graphs; /* 'graph' or 'node'; NULL: not given */
	bool cpu, gpu, cuda, cost, follow_daemons;
	int64_t rate_hz; /* of the samples of both */
	struct td_string_list bt; /* bpftrace programs that run beside */
	/* for 'tracedb record' alone */
	struct td_string_list logs; /* of the command */
	struct td_string_list phase_patterns; /* which compile (common/line_pattern.h) */
	bool phases_from_output;

	int stdout_fd,
		stderr_fd; /* what the command gets for them; 1 and 2: what the recorder has */

	char **command; /* NULL-ended, part of argv; NULL: none */
};

void td_record_args_done(struct td_record_args *a);

/* argv[0] is passed over. 0, or -EINVAL or -ENOMEM with a message; ret is to be done in any case. */
int td_record_args_parse(int argc, char **argv, struct td_record_args *ret, struct td_err *err);

/* Pid i of those to be recorded. */
int td_record_pid(const struct td_record_args *a, size_t i);

/* Where bpftrace program i of --bt prints to: beside the database, under the program's name. NULL: out of memory.
 * free() it. */
char *td_record_bt_output(const struct td_record_args *a, size_t i);

/* The options and the event sets, for --help. */
void td_record_args_print(FILE *out);

#define TD_RECORD_USAGE "[-o FILE] [-e SETS] [-p PID | -a] [-- COMMAND [ARGUMENT]...]"
