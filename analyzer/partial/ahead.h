/* SPDX-License-Identifier: MIT */
/*
 * Databases that are read one after the other and do not lie in memory: a thread asks the kernel
 * for what will be read of the next ones, so that the disk is at work while they are made sense of.
 * It only asks: nothing depends on it.
 */
#pragma once

#include "common/cleanup.h"
#include "schema/series.h"

struct td_ahead;

/* Asks for the beginnings of the first files, which are read before it is known what will be of the others. To be called
 * before any of them is opened: it closes them, which drops the locks of the process. */
void td_ahead_first(char *const *paths, size_t npaths);

/* Begins with path next; paths are borrowed until td_ahead_stop(). places: what is the same in all
 * files (td_db_series_places()).
 * NULL: there is none, which is fine. */
struct td_ahead *td_ahead_start(char *const *paths, size_t npaths, size_t next,
				const struct td_db_places *places);

/* Path i is read now: those behind it are asked for, some at a time. NULL is fine, as it is below. */
void td_ahead_reached(struct td_ahead *a, size_t i);

void td_ahead_stop(struct td_ahead *a);
