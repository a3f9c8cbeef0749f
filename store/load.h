/* SPDX-License-Identifier: MIT */
#pragma once

#include "common/err.h"
#include "store/store.h"

/*
 * Takes everything of a finished database back into an empty store, rows in the native times of their
 * sources: appending to a database is importing it together with the new files, so that clocks are
 * fitted to all there is and the result is the same as if all had been imported at once. With two
 * exceptions: a bare name that was matched with its only path stays matched, although the new files may
 * have another path with that name; and what the user said about the clocks has to be said again.
 * 0, what td_db_open_ro() fails with, -EUCLEAN if the database contradicts itself, -ENOMEM, -ENOSPC.
 */
int td_store_load(struct td_store *st, const char *path, struct td_err *err);
