/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a file with its compression taken off: plain, gzip (RFC 1952), zstd (RFC 8878), or
 * xz, bzip2 or lz4, told by the first bytes and not by the name. Concatenated members and frames
 * are one text, NUL bytes between or behind them are padding; frames that stand alone
 * (common/frames.h) are whole or left out. This is the layer below common/stream.h, which cuts
 * lines.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/beginnings.h"
#include "common/cleanup.h"

struct td_unpack;

/* 0 or -errno of the first read; -ENOSYS: for what it is packed by a library is missing, of which one says this: */
#define TD_UNPACK_LACKS "libarchive.so.13 is not installed, or too old: its package is libarchive13"

/* On success the object owns *fd, which becomes -1. size_bytes: of the file, -1 where nobody
 * knows; a small one is read in small pieces, and may have become larger. */
int td_unpack_new_fd(int *fd, int64_t size_bytes, struct td_unpack **ret);

/* The same from memory, which is borrowed until td_unpack_free(). */
int td_unpack_new_mem(const char *data, size_t len, struct td_unpack **ret);

void td_unpack_free(struct td_unpack *u);
TD_DEFINE_CLEANUP(struct td_unpack *, td_unpack_free)

/* Does a file begin like this that td_unpack_new_fd() takes something off? head: 16 bytes or more, or all of it. */
bool td_unpack_is_packed(const char *head, size_t len);

/* Up to size unpacked bytes: > 0 how many, 0 at the end, -errno if reading fails. Damaged data is an
 * end, not an error: see td_unpack_damage(). */
ssize_t td_unpack_read(struct td_unpack *u, char *to, size_t size);

/* The place in an open file (borrowed) of the plain text that td_unpack_read() would hand out next,
 * so that several threads can read it there. False: it is packed, or no file that can be read from
 * any place. */
bool td_unpack_place(const struct td_unpack *u, int *ret_fd, int64_t *ret_at);

/* Somebody has read the text that comes next there: it counts as handed out. 0 or -errno. */
int td_unpack_take(struct td_unpack *u, const char *text, size_t len);

/* Reads what is left without unpacking it, so that disk hash and size are those of the whole file. */
int td_unpack_skip_rest(struct td_unpack *u);

/* "plain", "gzip", "zstd", "xz", "bzip2" or "lz4". */
const char *td_unpack_codec(const struct td_unpack *u);

/* Why the data ended before its time or not all of it was handed out, NULL if it was. Lives as long as the object. */
const char *td_unpack_damage(struct td_unpack *u);

/* Bytes read so far, as they lie on disk. */
int64_t td_unpack_raw_bytes(const struct td_unpack *u);

/* XXH3-128 of the bytes read so far as they lie on disk: 32 hex digits, as printed by `xxhsum -H2`. */
void td_unpack_disk_hash(const struct td_unpack *u, char ret_hex[33]);

/* The same of the unpacked bytes, however they were packed: false if some were skipped. */
bool td_unpack_text_hash(const struct td_unpack *u, char ret_hex[33]);

/* Of the unpacked bytes; NULL if some were not handed out. Lives as long as the object. */
const struct td_beginnings *td_unpack_beginnings(const struct td_unpack *u);
