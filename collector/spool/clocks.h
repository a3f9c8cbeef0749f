/* SPDX-License-Identifier: MIT */
/* The boot clock, on which everything is recorded, and UTC beside it. */
#pragma once

#include <stdint.h>

#include "schema/wire.h"

/* That of the machine, also in a time namespace. */
uint64_t td_boot_ns(void);

/* UTC between two readings of the boot clock: the tightest of several, whose width is some 100 ns unless the
 * machine is busy. */
struct td_wire_anchor td_read_anchor(void);
