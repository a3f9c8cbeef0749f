// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* The maps and variables of collector/bpf/state.h. */
#include "collector/bpf/state.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

struct td_tasks tasks SEC(".maps");
struct td_rings rings SEC(".maps");
struct td_critical critical SEC(".maps");
struct td_counts_map counts SEC(".maps");
struct td_scratch_map scratch SEC(".maps");
struct td_requests async_requests SEC(".maps");

const volatile struct td_filter filter = {};
const volatile uint32_t ring_mask = 0;
const volatile uint32_t ring_step = 4096;
const volatile uint8_t call_flags = 0;
bool recording = false;
struct td_follow follow = {};
struct td_recorder recorder = {};
uint64_t signalled_ns[TD_NSIGNALS] = {};
uint32_t watch_epoch = 1;
uint32_t names_epoch = 1;
int64_t watched_left = 0;
uint64_t compat_calls = 0;
uint64_t mapped_files = 0;
uint64_t mapped_bytes = 0;

uint32_t td_take_scratch(void)
{
	for (uint32_t room = 0; room < TD_NSCRATCH; room++) {
		struct td_scratch *s = scratch_at(room);

		if (s && __sync_bool_compare_and_swap(&s->taken, 0, 1))
			return room;
	}
	return TD_NO_SCRATCH;
}
