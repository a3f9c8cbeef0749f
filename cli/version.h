/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdio.h>

/* What --version prints: this program, in the first line, its schema, the libraries that it has
 * here, and the recorder, which can be
 * missing: what a report of a fault should have. */
void td_print_version(FILE *out);
