/* SPDX-License-Identifier: MIT */
/*
 * The descriptors that a thread or process of strace -ff begins with: what the one that made it had open then, as its
 * own file tells, if that was read before. A thread shares them: of these it is told only what the maker has left as it
 * was until the end of its file, as nothing says in which order the two change them.
 *
 * Memory: per thread whose file was not read yet, what the maker has changed since.
 */
#pragma once

#include "importers/core/import.h"
#include "importers/strace/fds.h"

/* strace -ff names its files by thread: "out.1234", or "out.1234.gz" since. TD_STRACE_NO_TID: it is no such name.
 * *ret_before: what stands before the number. */
int64_t td_strace_tid_of_path(const char *path, size_t *ret_before);

/* The source being read, of -ff, tells that its thread made tid, with these descriptors. 0 or -ENOMEM. */
int td_strace_heirs_add(struct td_import *imp, int64_t tid, struct td_strace_fds *fds, bool shares);

/* Those of the thread that the source being read is of, which the caller takes over. NULL: nobody told. */
struct td_strace_fds *td_strace_heirs_take(struct td_import *imp);
