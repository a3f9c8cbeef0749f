/* SPDX-License-Identifier: MIT */
/* Names that strace prints for numbers: errors and signals. */
#pragma once

#include "common/scan.h"

/* Number of an error by its name, also ERRNO_530 for those that strace has no name for; 0: unknown. */
int td_error_number(struct td_str name);

/* Number of a signal: SIGKILL, SIGRT_3, SIGRTMIN; 0: unknown. */
int td_signal_number(struct td_str name);
