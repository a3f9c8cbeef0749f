/* SPDX-License-Identifier: MIT */
/* What the operations of the wire format are called: those of system calls and of the other layers. */
#pragma once

#include "collector/sets/provider.h"

/* TD_WIRE_OP records for all that the sets can have. 0 or what the sink returns. */
int td_op_names_emit(uint32_t sets, td_sink *sink, void *arg);
