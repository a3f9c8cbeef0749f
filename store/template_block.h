/* SPDX-License-Identifier: MIT */
/*
 * Templates of many files. They are asked for one after the other, as what they become is interned
 * in that order; so those of the next files are made on all CPUs when the first of them is asked
 * for.
 */
#pragma once

#include "common/scan.h"
#include "store/store.h"

struct td_template_block;

/* The template of the file, whose id is the index in files plus 1, which do not change any more:
 * valid until the next call. Who goes through all ids upwards gets those of large stores; else, and
 * without memory, p is NULL. *ret_again: it is the same as that of the file before, which is not always said. block: NULL at
 * first, td_template_block_free(). */
struct td_str td_template_block_get(struct td_template_block **block, const struct td_file *files,
				    size_t nfiles, uint32_t id, bool *ret_again);
void td_template_block_free(struct td_template_block *block);
