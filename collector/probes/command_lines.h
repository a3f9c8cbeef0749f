/* SPDX-License-Identifier: MIT */
/* Command lines of processes as text, which the kernel's side sends word by word or not at all. */
#pragma once

#include "collector/bpf/shared.h"

union td_process_record {
	struct td_wire_process process;
	char bytes[sizeof(struct td_wire_process) + 16 + TD_TEXT_MAX + 8];
};

/* The words are parted by blanks; those of a process that was found, which the kernel's side cannot read, come from
 * /proc. */
void td_process_record(const struct td_wire_process *raw, union td_process_record *ret);
