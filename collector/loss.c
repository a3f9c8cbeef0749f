/* SPDX-License-Identifier: MIT */
#include "collector/loss.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "common/units.h"

static const char *const advice[TD_NLOSSES] = {
	[TD_LOSS_RINGS] = "--buffer takes more memory, -e fewer event sets",
	[TD_LOSS_NAMES] = "there were more new processes and files at a time than their buffer "
			  "holds, which no option makes larger: watch fewer processes",
	[TD_LOSS_MISSED] = "they came while their like was handled: -e fewer event sets",
	[TD_LOSS_COMPAT] = "they are calls of 32-bit programs, which are not recorded",
	[TD_LOSS_CUDA] = "work on GPUs came faster than the buffers of --cuda could be emptied, or "
			 "CUPTI did not say all of it",
	[TD_LOSS_DISK] = "the recording had no room on its disk, or in --max-size: more of it, or "
			 "-o on another disk",
};

static bool has_name(const struct td_wire_loss *l, const char *name)
{
	return l->name_len == strlen(name) && memcmp(l->name, name, l->name_len) == 0;
}

enum td_loss_place td_loss_place(const struct td_wire_loss *l)
{
	if (has_name(l, "spool"))
		return TD_LOSS_DISK;
	if (has_name(l, "32-bit"))
		return TD_LOSS_COMPAT;
	if (has_name(l, "process") || has_name(l, "file"))
		return TD_LOSS_NAMES;
	if (l->name_len > 5 && memcmp(l->name, "cuda-", 5) == 0)
		return TD_LOSS_CUDA;
	return l->ring_size_bytes ? TD_LOSS_RINGS : TD_LOSS_MISSED;
}

void td_loss_say(const uint64_t lost[TD_NLOSSES], uint64_t events)
{
	char some[TD_UNITS_BUF], all[TD_UNITS_BUF];

	td_format_count(all, sizeof(all), (int64_t)events);
	for (size_t i = 0; i < TD_NLOSSES; i++) {
		td_format_count(some, sizeof(some), (int64_t)lost[i]);
		if (lost[i])
			td_log_warning("%s of %s events were lost: %s", some, all, advice[i]);
	}
}
