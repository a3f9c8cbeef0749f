/* SPDX-License-Identifier: MIT */
/* Where events were lost, which decides what helps. */
#pragma once

#include <stdint.h>

#include "schema/wire.h"

enum td_loss_place {
	TD_LOSS_RINGS, /* no room in those of events */
	TD_LOSS_NAMES, /* nor in that of processes and files */
	TD_LOSS_MISSED, /* a program was not run, as it was running already */
	TD_LOSS_COMPAT, /* calls of 32-bit programs, which no program knows */
	TD_LOSS_CUDA, /* in the buffers of CUDA programs */
	TD_LOSS_DISK, /* no room in the spool */
	TD_NLOSSES
};

enum td_loss_place td_loss_place(const struct td_wire_loss *l);

/* Says each of them that has any, of so many events in all, with what helps, as warnings. */
void td_loss_say(const uint64_t lost[TD_NLOSSES], uint64_t events);
