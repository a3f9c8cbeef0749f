/* SPDX-License-Identifier: MIT */
/* The recorder's side of the rings of CUDA programs (ring.h): makes their folder, finds them, empties them. */
#pragma once

#include <sys/types.h>

#include "collector/sink.h"
#include "common/log.h"

struct td_cuda_rings;

/* Makes the folder, of the user who runs the programs. 0 or -errno with a text. */
int td_cuda_rings_new(uid_t uid, gid_t gid, struct td_cuda_rings **ret, struct td_err *err);
/* Removes it. NULL is fine. */
void td_cuda_rings_free(struct td_cuda_rings *c);

/* The folder; borrowed. */
const char *td_cuda_rings_dir(const struct td_cuda_rings *c);

/* What the user may choose; NULL: nothing is. */
struct td_cuda_choice {
	const char *cupti; /* path of the library */
	const char *graphs; /* 'graph' or 'node' */
};

/* What is to be added to the environment of the command, NULL-ended 'NAME=VALUE', owned by c; vars:
 * what it has already. -EEXIST with a text: another library is to be injected. */
int td_cuda_rings_environment(struct td_cuda_rings *c, char *const vars[],
			      const struct td_cuda_choice *choice, char *const **ret,
			      struct td_err *err);

/* The library that the environment names for NVTX already, which is kept: '' if there is none. */
const char *td_cuda_rings_other_nvtx(char *const vars[]);

/* Everything that is in the rings goes to the sink. Bytes, or -errno. */
ssize_t td_cuda_rings_drain(struct td_cuda_rings *c, td_sink *sink, void *arg);

/* What was made and lost since the last time, by kind; in the end also what was not told. 0 or -errno. */
int td_cuda_rings_loss(struct td_cuda_rings *c, td_sink *sink, void *arg);

/* Calls that were too short to be told; processes that used CUDA. */
uint64_t td_cuda_rings_short_calls(const struct td_cuda_rings *c);
size_t td_cuda_rings_processes(const struct td_cuda_rings *c);
/* Rings that are read no more, as their processes have written what the library does not. */
size_t td_cuda_rings_spoilt(const struct td_cuda_rings *c);
