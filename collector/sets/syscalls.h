/* SPDX-License-Identifier: MIT */
/* The system calls that are recorded: numbers, names and event sets. What they mean is in schema/calls.h. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/sets/list.h"

struct td_recorded_call {
	uint16_t nr; /* of this architecture */
	const char *name; /* as in schema/calls.h */
	uint8_t set; /* enum td_set */
	uint8_t file_set; /* instead, when the call is about a file (TD_CALL_MAPS) */
};
extern const struct td_recorded_call td_syscalls[];
extern const size_t td_nsyscalls;

/* op of the wire format: position in the table, from 1. */
static inline uint16_t td_syscall_op(const struct td_recorded_call *c)
{
	return (uint16_t)(c - td_syscalls + 1);
}
