/* SPDX-License-Identifier: MIT */
/* Requests to disks (collector/bpf/block.bpf.c). */
#include "collector/sets/provider.h"

static const struct td_hook disks = {
	.name = "disks",
	.ways = { { TD_WAY_TP_BTF, { "insert_btf", "issue_btf", "complete_btf" } } },
};

const struct td_set_provider td_set_block = {
	.name = "block",
	.help = "requests to disks: queue and service time",
	.on_by_default = true,
	.hooks = { &disks },
};
