/* SPDX-License-Identifier: MIT */
/*
 * The BPF side as seen from tracedb-record: which event sets are on, whom they watch, and the records that
 * come out. Everything that knows libbpf is behind this header.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/cleanup.h"
#include "common/err.h"
#include "collector/sets/provider.h"

/* Whom to watch. Nothing set: nobody, until td_probes_follow(). */
struct td_watch {
	bool everyone; /* -a */
	uid_t uid; /* with everyone, comm, cgroup: processes of this user only ... */
	bool any_user; /* ... unless this */
	bool own_only; /* set-user-id programs are not recorded, nor what they start */
	bool follow_own; /* of who is asked for by number, too: only processes of uid, and without capabilities */
	const char *comm; /* borrowed; processes with this name, and their children */
	uint64_t cgroup; /* id; 0: any */
};

struct td_probes_options {
	uint32_t sets; /* bits 1 << enum td_set */
	struct td_watch watch;
	size_t ring_bytes; /* of the ring of calls; power of two, multiple of the page size; 0: default */
	uint64_t lock_threshold_ns; /* pthread calls shorter than this are only counted */
	uint64_t
		cuda_threshold_ns; /* so are launches of kernels; 0: all of them, without their times */
	bool count_cost; /* BPF run time statistics, which cost something themselves */
	uint32_t
		without; /* bits of enum td_way: ways to attach that are not to be tried; for tests */
};

/* What became of a set (or of a part of it) when it was to be attached. */
enum td_set_state { TD_SET_OFF, TD_SET_WORKS, TD_SET_FALLBACK, TD_SET_IMPOSSIBLE };
struct td_set_status {
	enum td_set set;
	enum td_set_state state;
	enum td_way way;
	char why[160]; /* of a fallback or an impossibility: reason and remedy, in words */
};

struct td_probes;

/* Loads and attaches, nothing is recorded yet. A set that cannot be had is no error (see
 * td_probes_status()) unless nothing is left. 0 or -errno with the remedy (privilege, no BTF). */
int td_probes_open(const struct td_probes_options *options, struct td_probes **ret,
		   struct td_err *err);
void td_probes_close(struct td_probes *p);
TD_DEFINE_CLEANUP(struct td_probes *, td_probes_close)

const struct td_set_status *td_probes_status(const struct td_probes *p, size_t *ret_n);

/* Opens the window: from here on events are recorded. First come the operations (TD_WIRE_OP), the watched
 * processes that exist, and their open files. */
int td_probes_start(struct td_probes *p, td_sink *sink, void *arg, struct td_err *err);

/* Watches the process that has this number now, as this process sees it in its pid namespace, and
 * what it will fork, from now on; for a child that waits to be let go, and for processes that are
 * there. 0, -ESRCH with a text (there is none, or it is a thread's), -EPERM (it is another user's),
 * or another -errno. Before td_probes_start(), too: their forks are followed then (--delay), and
 * start() reports who is there.
 *
 * tracedb-record gives up its privileges when all this is done: what comes below must do
 * without. */
int td_probes_follow(struct td_probes *p, pid_t pid, struct td_err *err);
/* The same for the command, whose signals are looked at: */
int td_probes_follow_command(struct td_probes *p, pid_t pid, struct td_err *err);
/* When it was last sent this signal by another process than this one (CLOCK_BOOTTIME); 0: never, or
 * that cannot be seen here. */
uint64_t td_probes_signalled_ns(const struct td_probes *p, int sig);
/* Is anybody that is watched still there? */
bool td_probes_any_left(struct td_probes *p);

/* Takes what the rings hold when it is called, in the order that schema/wire.h promises; on several
 * threads where that is much. Calls come in buffers where that is worth it, if take is not NULL; it
 * and the sink are called by this thread. The number of bytes or -errno. */
ssize_t td_probes_drain(struct td_probes *p, td_sink *sink, td_sink_buffer *take, void *arg,
			struct td_err *err);

/* Readable when a ring has become fuller by an eighth: who leaves the rings alone while next to
 * nothing comes waits for that, too, and says so to woken() when it was. Borrowed. */
int td_probes_wake_fd(const struct td_probes *p);
void td_probes_woken(const struct td_probes *p);

/* Has the programs tell what the threads that run have used until now; to be called once a second. It takes less than a
 * thousandth of a CPU: where there are many threads, not every call does it. 0 or -errno. */
int td_probes_usage(struct td_probes *p, struct td_err *err);

/* No more events; then a last td_probes_drain() takes the rest. */
int td_probes_stop(struct td_probes *p, struct td_err *err);

/* TD_WIRE_LOSS records for the time since the last call: one per ring and set in which something happened.
 * Call once a second and at the end. */
int td_probes_loss(struct td_probes *p, td_sink *sink, void *arg, struct td_err *err);
/* How many files of 1 MiB or more were mapped to be read or written, without programs, libraries and memory, and how
 * many bytes of them: by then, each time that one was mapped. */
uint64_t td_probes_mapped(const struct td_probes *p, uint64_t *ret_bytes);
/* What the programs cost is not measured any more (count_cost): measuring takes time itself, and the begin of a
 * long recording is enough to know it. */
void td_probes_stop_cost(struct td_probes *p);
/* TD_WIRE_SUMMARY records of what was aggregated in the kernel, and TD_WIRE_COST per program; at the end. */
int td_probes_totals(struct td_probes *p, td_sink *sink, void *arg, struct td_err *err);
