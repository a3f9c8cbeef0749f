/* SPDX-License-Identifier: MIT */
/* The collector is a program of its own, so that this one needs neither libbpf nor privileges. */
#pragma once

#include <stddef.h>

#include "common/err.h"

/* Where tracedb-record is: beside this program, where a build puts it, or in $PATH. 0, or -ENOENT with the remedy;
 * -ENAMETOOLONG. */
int td_record_program(char *ret_path, size_t size, struct td_err *err);
