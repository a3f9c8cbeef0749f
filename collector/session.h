/* SPDX-License-Identifier: MIT */
/* One recording, from the first preparation to the last record; what main() of tracedb-record does. */
#pragma once

#include "collector/loss.h"
#include "collector/samplers/bt.h"
#include "collector/child.h"
#include "collector/cuda/rings.h"
#include "collector/live.h"
#include "collector/samplers/cpu.h"
#include "collector/spool/users_disks.h"
#include "collector/samplers/gpu.h"
#include "collector/options.h"
#include "collector/probes/probes.h"
#include "collector/spool/spool.h"

struct td_session {
	const struct td_record_args *args; /* borrowed */
	char **argv; /* as given; borrowed */
	struct td_user invoker; /* whose recording it is */
	struct td_user runner; /* whom the command runs as; uid and gid only if it is the invoker */
	bool switch_user; /* the command does not run as this process does */
	int signal_fd;
	sigset_t mask; /* before it was changed */
	struct td_child child;
	char *path; /* of the spool */
	struct td_spool *spool;
	struct td_probes *probes;
	struct td_emit emit; /* to the spool */
	struct td_users_disks users_disks;
	struct td_cpu_sampler *cpu;
	struct td_gpu_sampler *gpu;
	bool said_no_gpu;
	struct td_cuda_rings *cuda; /* NULL: not asked for, or not to be had */
	struct td_bt **bt; /* by position in args->bt; NULL: not started, or ended */

	bool recording; /* the window is open */
	uint64_t begin_ns; /* when it was opened, or is to be */
	bool quiet; /* next to nothing came the last time */
	uint64_t drained_bytes; /* of all that came */
	bool unsynced; /* the spool has calls that a crash of the machine would take */
	uint64_t begin_cpu_ns; /* what loading took, before anything was recorded */
	uint64_t flush_ns, second_ns; /* when the next ones are due */
	uint64_t generated; /* events, as the probes tell */
	uint64_t lost[TD_NLOSSES]; /* of these, and what did not get into the spool */
	struct td_live live;
	int spool_error; /* what ended the writing; 0 */

	struct {
		uint64_t since_ns;
		unsigned n; /* to be passed on; 0: none */
	} passing[TD_NSIGNALS]; /* by number */
	bool triggered; /* a part is to be written */
	struct td_gpu_idle gpu_idle; /* asks for one */

	bool child_ended;
	int child_status;
	unsigned signals; /* that asked for the end */
	int last_signal;
	uint64_t signal_ns; /* when the last one came */
};

void td_session_done(struct td_session *s);

/* Everything up to the opened window and the running command; prints what is recorded. 0 or -errno with a text; the
 * spool is removed then. -ECHILD: the command could not be executed, s->child_status says with which status to exit. */
int td_session_open(struct td_session *s, const struct td_record_args *args, char **argv,
		    struct td_err *err);

/* Opens the window: for --delay. */
int td_session_begin(struct td_session *s, struct td_err *err);

/* Records until there is a reason to end. 0 or -errno with a text: also then what is there is kept. */
int td_session_run(struct td_session *s, enum td_wire_why *ret_why, struct td_err *err);

/* Writes what belongs to the end, closes the spool and says what came of it. 0 or -errno with a text. */
int td_session_end(struct td_session *s, enum td_wire_why why, struct td_err *err);

/* Waits for the command if it goes on, and gives the status to exit with. */
int td_session_wait(struct td_session *s);

/* --- between the files of the program --- */

/* Programs of --bt (collector/session_bt.c): starts all; waits until all are attached; looks whether one has ended,
 * which is noted; ends all. 0 or -errno with a text. */
int td_session_bt_start(struct td_session *s, struct td_err *err);
int td_session_bt_wait(struct td_session *s, struct td_err *err);
int td_session_bt_poll(struct td_session *s);
int td_session_bt_finish(struct td_session *s);
void td_session_bt_done(struct td_session *s);
/* The recording did not begin: ends all, and removes what they have printed. */
void td_session_bt_discard(struct td_session *s);

/* Rings of the library in the command's processes, --cuda (collector/session_cuda.c): makes what the command, which has
 * the environment vars, is to have besides (*ret, NULL-ended or NULL); empties them, which gives bytes; says what was
 * lost; says in the end what was left out. 0 or -errno. */
int td_session_cuda_start(struct td_session *s, char *const vars[], char *const **ret,
			  struct td_err *err);
ssize_t td_session_cuda_drain(struct td_session *s);
int td_session_cuda_loss(struct td_session *s);
int td_session_cuda_finish(struct td_session *s);

/* The sink of everything: to the spool. An error of the spool is kept in the session and ends it. */
int td_session_sink(void *arg, const void *records, size_t size);
/* td_sink_buffer of calls and the like. */
int td_session_take(void *arg, char **buffer, size_t size);
/* Reads what signals there are and acts on them. */
void td_session_signals(struct td_session *s);
/* Waits for signals and the command, at most so long (-1: for ever). */
void td_session_poll(struct td_session *s, int timeout_ms);
