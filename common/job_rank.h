/* SPDX-License-Identifier: MIT */
/* Which process of a job of several something is of: its rank, as launchers and names of files tell it. */
#pragma once

#include <stdint.h>

/* Environment variables in which launchers put it. */
struct td_rank_variable {
	const char *rank;
	const char *ranks; /* the variable with the number of ranks; NULL: the launcher sets none */
};
extern const struct td_rank_variable td_rank_variables[]; /* ends with a rank of NULL */

/* The rank that an environment ("NAME=value", NULL-ended) tells; -1: none. Only a job of several
 * ranks tells one: Slurm sets SLURM_PROCID=0 in batch scripts, too, where no step has begun and
 * nothing is the work of one rank. */
int32_t td_rank_of_environment(char *const env[]);

/* The rank that a path tells; -1: none. A file has 'rank' and a number as words of its name
 * (rank_3.log, trace.rank3.json), a folder is called so as a whole (rank3/); the name that is
 * nearest counts. Two ranks in one name, or a local rank (of a machine only), tell nothing. */
int32_t td_rank_of_path(const char *path);
