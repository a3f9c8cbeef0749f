/* SPDX-License-Identifier: MIT */
/*
 * The machines that an import has files of. Those of several machines have equal pids and CPUs of equal numbers, which
 * are not the same. A file that names no machine is of the only one that there is; of several, it is of the one that
 * the files in its folder name: the nearest folder around it in which, or below which, any file names one. If they name
 * several, nobody knows. Who imports may say it for the files that name none.
 */
#pragma once

#include "importers/job/read.h"

struct td_hosts;

/* Looks at the begin of all inputs, and at the members of archives among them. st: has the sources of the database that
 * is appended to. 0 or -ENOMEM. */
int td_hosts_new(struct td_store *st, const struct td_input *inputs, size_t n,
		 const struct td_import_options *options, struct td_hosts **ret);
void td_hosts_free(struct td_hosts *h);
TD_DEFINE_CLEANUP(struct td_hosts *, td_hosts_free)

/* A source is read next; path: as the input's, ARCHIVE/NAME of a member. */
void td_hosts_begin(struct td_hosts *h, const char *path);
/* It was read, as the newest one of the store. 0 or -ENOMEM. */
int td_hosts_end(struct td_hosts *h);
