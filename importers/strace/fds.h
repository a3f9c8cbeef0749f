/* SPDX-License-Identifier: MIT */
/* Which file is behind each descriptor of a process: what strace -y would have printed. Tables are
 * shared (clone with CLONE_FILES), so they are counted references, and copied (fork), which costs what is changed
 * afterwards. The working directory is one of them: who shares descriptors shares that, too (CLONE_FS). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TD_STRACE_FD_MAX 65536 /* descriptors from here on are not followed */

struct td_strace_fds;

struct td_strace_fds *td_strace_fds_new(void); /* NULL: out of memory */
struct td_strace_fds *td_strace_fds_ref(struct td_strace_fds *f);
void td_strace_fds_unref(struct td_strace_fds *f); /* NULL is fine */
struct td_strace_fds *td_strace_fds_copy(const struct td_strace_fds *f); /* NULL: out of memory */

/* File behind the descriptor, 0 if unknown. */
uint32_t td_strace_fds_get(const struct td_strace_fds *f, int64_t fd);

/* file_id 0: closed or unknown. 0 or -ENOMEM, also where there was no memory for one of the changes below. */
int td_strace_fds_set(struct td_strace_fds *f, int64_t fd, uint32_t file_id, bool cloexec);
/* strace itself says which file it is. */
void td_strace_fds_tell(struct td_strace_fds *f, int64_t fd, uint32_t file_id);
void td_strace_fds_set_cloexec(struct td_strace_fds *f, int64_t fd, bool cloexec);
void td_strace_fds_close(struct td_strace_fds *f, int64_t from, int64_t to);

/* The working directory, 0 if unknown. */
uint32_t td_strace_fds_cwd(const struct td_strace_fds *f);
void td_strace_fds_chdir(struct td_strace_fds *f, uint32_t file_id);

/* What execve leaves: a table of its own without the close-on-exec ones. Takes the caller's reference,
 * returns the new one; NULL: out of memory. */
struct td_strace_fds *td_strace_fds_exec(struct td_strace_fds *f);

/* Forgets what is another file in the other table, or none, and a working directory that is another one. */
void td_strace_fds_keep_common(struct td_strace_fds *f, const struct td_strace_fds *other);

/* Descriptors, or the working directory, that only the other table knows. 0 or -ENOMEM. */
int td_strace_fds_merge(struct td_strace_fds *f, const struct td_strace_fds *other);
