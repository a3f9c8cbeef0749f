/* SPDX-License-Identifier: MIT */
/* Compression that libarchive takes off, for common/unpack.c: xz, bzip2 and lz4 where it was built with them. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "common/cleanup.h"

struct td_filter;
struct archive;

/* The next bytes as they lie on disk, borrowed until the next call: how many, 0 at the end, or -errno. */
typedef ssize_t td_filter_source(void *ctx, const void **ret);

/* support: one of libarchive's archive_read_support_filter_*(). 0 or -ENOMEM. */
int td_filter_new(int (*support)(struct archive *), td_filter_source *source, void *ctx,
		  struct td_filter **ret);
void td_filter_free(struct td_filter *f);
TD_DEFINE_CLEANUP(struct td_filter *, td_filter_free)

/* Up to size unpacked bytes: how many, 0 at the end; -EBADMSG if the data is damaged or cut, with a static text in
 * *ret_what if there is more to say; or another -errno. */
ssize_t td_filter_read(struct td_filter *f, char *to, size_t size, const char **ret_what);
