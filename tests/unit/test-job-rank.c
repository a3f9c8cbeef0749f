/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/job_rank.h"
#include "tests/unit/check.h"

static void test_paths(void)
{
	static const struct {
		const char *path;
		int32_t rank;
	} cases[] = {
		{ "rank0", 0 },
		{ "job/rank3/pmon.txt", 3 },
		{ "job/Rank-12/a/b/pmon.txt", 12 },
		{ "rank_3.log", 3 },
		{ "trace.rank=7.json.gz", 7 },
		{ "strace_rank3", 3 },
		{ "rank_0_of_8.log", 0 },
		{ "rank1/rank_2.log", 2 }, /* the nearest */
		{ "rank_1_again_rank1.log", 1 },
		{ "rank0_to_rank3.log", -1 },
		{ "local_rank3.log", -1 },
		{ "Local-rank-3.log", -1 },
		{ "frank3.log", -1 },
		{ "rank3a.log", -1 },
		{ "rank.log", -1 },
		{ "rank", -1 },
		{ "rank2_study/pmon.txt", -1 }, /* a folder is called so as a whole */
		{ "rank20221128.log", -1 },
		{ "node07/pmon.txt", -1 },
		{ "/", -1 },
		{ "", -1 },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		TD_CASE(cases[i].path);
		TD_CHECK_INT(td_rank_of_path(cases[i].path), cases[i].rank);
	}
}

static void test_environments(void)
{
	static const struct {
		const char *name;
		const char *env[6];
		int32_t rank;
	} cases[] = {
		{ "srun", { "A=1", "SLURM_PROCID=3", "SLURM_STEP_NUM_TASKS=8" }, 3 },
		{ "a batch script: no step", { "SLURM_PROCID=0", "SLURM_NTASKS=8" }, -1 },
		{ "a job of one", { "RANK=0", "WORLD_SIZE=1" }, -1 },
		{ "mpirun in a step of one process for each node",
		  { "SLURM_PROCID=1", "SLURM_STEP_NUM_TASKS=2", "OMPI_COMM_WORLD_RANK=9",
		    "OMPI_COMM_WORLD_SIZE=16" },
		  9 },
		{ "torchrun in a step of one process for each node",
		  { "SLURM_PROCID=1", "SLURM_STEP_NUM_TASKS=2", "PMIX_RANK=1", "RANK=9",
		    "WORLD_SIZE=16" },
		  9 },
		{ "a rank without a number of ranks is nobody's",
		  { "SLURM_PROCID=1", "SLURM_STEP_NUM_TASKS=2", "RANK=9" },
		  1 },
		{ "torchrun", { "RANK=5", "WORLD_SIZE=8" }, 5 },
		{ "PMIx tells no number of ranks", { "PMIX_RANK=2" }, 2 },
		{ "no number", { "RANK=five", "WORLD_SIZE=8" }, -1 },
		{ "another name", { "RANKS=5", "WORLD_SIZE=8" }, -1 },
		{ "nothing", { NULL }, -1 },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		TD_CASE(cases[i].name);
		TD_CHECK_INT(td_rank_of_environment((char *const *)cases[i].env), cases[i].rank);
	}
}

int main(void)
{
	test_paths();
	test_environments();
	return td_check_result();
}
