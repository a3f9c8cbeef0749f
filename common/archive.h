/* SPDX-License-Identifier: MIT */
/*
 * The files in a tar or zip archive, one after the other as they were packed, read from a stream in
 * bounded memory, with limits against archives that are made to fill a disk. Compression is taken off
 * by the stream. Names in an archive are labels: nothing is ever written under one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cleanup.h"
#include "common/err.h"

struct td_archive;
struct td_progress;
struct td_stream;

struct td_archive_limits {
	int64_t total_bytes; /* unpacked, all files together */
	int64_t ratio; /* unpacked to packed bytes, from free_bytes on */
	int64_t free_bytes; /* unpacked bytes that may have any ratio */
	unsigned members; /* of any kind */
	unsigned name_len; /* bytes */
	unsigned depth; /* folders in a name */
};
extern const struct td_archive_limits td_archive_default_limits;

/* May a file that begins like this be an archive? head: what td_stream_peek() shows. By the zip signature or
 * the check sum of a tar header. */
bool td_archive_is(const char *head, size_t len);

/* Length of the ending of a path that says that it is an archive (".tar.gz", ".ZIP", ...), 0 if there is none. */
size_t td_archive_suffix(const char *path);

/* The parts of a path that are names: "a/b.out", no leading '/', no '..', no control characters, valid UTF-8;
 * "(unnamed)" if none is left. NULL when out of memory; the caller frees it. */
char *td_archive_clean_name(const char *name);

/* in: borrowed, as are the limits. limits NULL: the default ones.
 * 0, or what td_archive_next() returns when there is no next one. Texts here and below do not name the archive. */
int td_archive_open(struct td_stream *in, const struct td_archive_limits *limits,
		    struct td_archive **ret, struct td_err *err);

void td_archive_close(struct td_archive *a);
TD_DEFINE_CLEANUP(struct td_archive *, td_archive_close)

/* The next regular file; names that begin with a dot are left out, as in folders (common/walk.h), links and
 * devices too. *ret_name is td_archive_clean_name()'s, valid until the next call. 1; 0 at the end; or, with a
 * text, after which there is no next one:
 * -EBADMSG       it ends before its time, or is damaged there or before (what follows damage in a tar is
 *                looked for, and delivered)
 * -E2BIG         it goes beyond a limit
 * -errno         of reading */
int td_archive_next(struct td_archive *a, const char **ret_name, struct td_err *err);

/* Writes that file to fd, an empty file, from offset 0. progress may be NULL, else it is told how much of the
 * archive is read, and rows, which the caller got out of it so far. 0; 1 with a text if it is damaged, then
 * fd has what could be unpacked; -ENOTSUP with a text if it cannot be unpacked (encrypted, a method that is
 * not known), but there may be a next one; -E2BIG beyond a limit, or another -errno, with a text. */
int td_archive_unpack(struct td_archive *a, int fd, struct td_progress *progress, int64_t rows,
		      struct td_err *err);

/* In the place of td_archive_unpack(): the first bytes of that file, as many as can be had; how many. */
size_t td_archive_head(struct td_archive *a, char *to, size_t size);

/* Members that td_archive_next() left out so far. */
unsigned td_archive_left_out(const struct td_archive *a);

/* The libraries that unpack, with their versions: "libarchive 3.6.2 zlib/1.2.13 ...". A constant. */
const char *td_archive_libraries(void);
