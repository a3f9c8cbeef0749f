/* SPDX-License-Identifier: MIT */
/* The system calls that are recorded: numbers, names, event sets, and what their arguments mean. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/bpf/shared.h"

struct td_syscall {
	uint16_t nr; /* of this architecture */
	const char *name;
	struct td_call_spec spec; /* op 0 */
};
extern const struct td_syscall td_syscalls[];
extern const size_t td_nsyscalls;

/* op of the wire format: position in the table, from 1. */
static inline uint16_t td_syscall_op(const struct td_syscall *c)
{
	return (uint16_t)(c - td_syscalls + 1);
}
