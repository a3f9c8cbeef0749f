/* SPDX-License-Identifier: MIT */
/*
 * By far the most lines are a call that does nothing but use a descriptor, of a thread that is known: in its turn such a
 * line is asked no more than who it was, when, and on which file. The row is made when the part was read, on any thread.
 */
#pragma once

#include "importers/strace/events.h"

/* td_importer_preparse.settle of the part and its next n lines. */
ssize_t td_strace_settle(struct td_import *imp, struct td_strace_part *part,
			 const struct td_strace_said *lines, size_t n);

/* The i-th row of the part that is made later. */
void td_strace_later_row(const struct td_strace_part *part, size_t i, struct td_call *ret);
