/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdio.h>

/* Descriptors 0, 1 and 2 that are closed would be those of the next files that are opened, and
 * messages would go there. Takes them, so that reading and writing fail as before, and programs
 * that are executed find them closed. 0 or -errno. */
int td_stdfds_take(void);

/* Writes what f holds. 0, or -errno of what could not be written, now or before (clearerr() forgets that). */
int td_flush(FILE *f);
