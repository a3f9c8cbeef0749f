/* SPDX-License-Identifier: MIT */
/* Stretches of threads off the CPU (collector/bpf/sched.bpf.c). */
#include "collector/sets/provider.h"

static const struct td_hook scheduler = {
	.name = "scheduler",
	.ways = { { TD_WAY_TP_BTF,
		    { "switch_btf", "waking_btf", "wakeup_btf", "wakeup_new_btf" } } },
	.at_end = "unfinished_slices",
};

const struct td_set_provider td_set_sched = {
	.name = "sched",
	.help = "time off the CPU and why, time waiting for a CPU",
	.hooks = { &scheduler },
};
