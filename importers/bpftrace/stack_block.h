/* SPDX-License-Identifier: MIT */
/*
 * What profile, offcputime and stackcount of bcc print: blocks of a stack, the innermost frame
 * first, its process and its value.
 *
 *     Sampling at 49 Hertz of all threads ...     Tracing off-CPU time (us) of ...    Tracing 1 functions for "submit_bio"...
 *         __vfs_read                                  schedule                          submit_bio
 *         --                                          -                bash (4711)        tar [15069]
 *         read                                            64                              5
 *         -                dd (25036)
 *             4
 *
 * "--" (-d) is between frames of the kernel and of the program. offcputime of before 2017 prints
 * the name of the process like a frame, the last one. Offsets (-s) are left out, as everywhere.
 */
#pragma once

#include "importers/core/frames.h"
#include "importers/core/import.h"

struct td_stack_blocks {
	const struct td_stack_tool *tool; /* whose banner was last; NULL: none of these */
	struct td_frames frames; /* of the block, so far */
	uint32_t process_id; /* string; 0: not yet */
};

void td_stack_blocks_done(struct td_stack_blocks *b);

/* Is it a banner of these tools? */
bool td_stack_banner(struct td_str line);

/* A line, blank or not. A verdict, or TD_LINE_ISSUE + 1: it is none of a block. */
int td_stack_block_line(struct td_import *imp, struct td_stack_blocks *b, struct td_str line);
