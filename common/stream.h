/* SPDX-License-Identifier: MIT */
/*
 * Text line by line from a plain or compressed file (told by its content, see common/unpack.h), from
 * stdin or from memory, in bounded memory whatever the input is. The byte order mark that some programs put
 * before UTF-8 is no part of the text.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/beginnings.h"
#include "common/cleanup.h"
#include "common/err.h"

#define TD_LINE_MAX ((size_t)1024 * 1024) /* longer lines are cut to this */
#define TD_PEEK_MAX ((size_t)64 * 1024)
#define TD_PEEK_FAR ((size_t)4 * 1024 * 1024)

struct td_stream;

struct td_line {
	char *p; /* p[len] is a writable NUL; NULs inside the line are kept */
	size_t len; /* without "\n" or "\r\n"; any other '\r' is kept */
	uint64_t no; /* from 1 */
	bool cut; /* longer than TD_LINE_MAX: these are its first bytes, the rest is dropped */
	bool unterminated; /* the last line, without its newline; never set on a cut line */
};

/* Opens path, "-" for stdin. 0 or -errno (-EISDIR for a directory) with a text that names the path.
 * Reads the first bytes, so a pipe blocks here until it has some. */
int td_stream_open(const char *path, struct td_stream **ret, struct td_err *err);

/* The same from an open file, from where it stands; name is for texts. On success the stream owns *fd, which
 * becomes -1. */
int td_stream_open_fd(int *fd, const char *name, struct td_stream **ret, struct td_err *err);

/* The same from memory, which is borrowed until td_stream_close() and not written to. 0 or -ENOMEM. */
int td_stream_open_mem(const char *data, size_t len, struct td_stream **ret);

void td_stream_close(struct td_stream *s);
TD_DEFINE_CLEANUP(struct td_stream *, td_stream_close)

/* The unpacked text that comes next, not consumed: TD_PEEK_MAX bytes or, near the end, what there is.
 * Valid until the next call; meant for looking at the head of a file before its first line.
 * 0 or -errno, which the next td_stream_line() returns again with a text. */
int td_stream_peek(struct td_stream *s, const char **ret, size_t *ret_len);

/* The same of TD_PEEK_FAR bytes, which takes as much memory from then on. */
int td_stream_peek_far(struct td_stream *s, const char **ret, size_t *ret_len);

/* The next line, valid until the next call: 1, 0 at the end, or -errno if reading fails. */
int td_stream_line(struct td_stream *s, struct td_line *ret, struct td_err *err);

/* The lines that come next as they stand in the text, with their ends, as many as fit into size bytes (up to
 * TD_LINE_MAX): for who cuts them itself. Only the last one of the text can lack its newline. *ret_len 0: the next
 * one does not fit, td_stream_line() takes it. td_line.no does not count them. 1, 0 at the end, or -errno. */
int td_stream_lines(struct td_stream *s, char *to, size_t size, size_t *ret_len,
		    struct td_err *err);

/* The same of text whose whole pieces end elsewhere: whole() says how many of the bytes are such, 0 for none. */
int td_stream_pieces(struct td_stream *s, size_t (*whole)(const char *text, size_t len), char *to,
		     size_t size, size_t *ret_len, struct td_err *err);

/* Text that several threads can read at the same time, with pread(). */
struct td_stream_place {
	int fd; /* borrowed */
	int64_t at, end; /* in it: what the stream has not read yet */
};

/* Where that is. False: the stream has to read it itself, as it is packed, comes from a pipe, or
 * none of it was asked for yet. */
bool td_stream_place(const struct td_stream *s, struct td_stream_place *ret);

/* As td_stream_pieces(), of the len bytes that come next and that were read from their place. What
 * the stream had left goes in front of them, where room bytes can be written to: the pieces begin
 * at *ret. 1; 0: there is too little room, or no whole piece, nothing was taken; or -errno. */
int td_stream_block(struct td_stream *s, size_t (*whole)(const char *text, size_t len), char *block,
		    size_t len, size_t room, char **ret, size_t *ret_len, struct td_err *err);

/* Up to the last newline: whole() of lines. */
size_t td_stream_whole_lines(const char *text, size_t len);

/* Puts back text that was taken last by td_stream_lines(), td_stream_pieces() or td_stream_block(),
 * by several calls in their order. 0 or -ENOMEM. */
int td_stream_put_back(struct td_stream *s, const char *text, size_t len);

/* The bytes that come next as they are, for what is not text, valid until the next call: 1, 0 at the end,
 * or -errno. Not to be mixed with td_stream_line(). */
int td_stream_bytes(struct td_stream *s, const char **ret, size_t *ret_len, struct td_err *err);

/* The text that comes next, not consumed: at least min bytes (min up to TD_LINE_MAX), less only at the end,
 * nothing behind it. For text that is not cut into lines; not to be mixed with td_stream_line(). Valid until
 * the next call. 0 or -errno. */
int td_stream_window(struct td_stream *s, size_t min, const char **ret, size_t *ret_len,
		     struct td_err *err);

/* Takes n bytes of the window; what it shows stays valid. */
void td_stream_consume(struct td_stream *s, size_t n);

/* Goes to the end without unpacking, for a file that is given up but whose disk hash is wanted. */
int td_stream_skip_rest(struct td_stream *s, struct td_err *err);

/* Goes to the end, unpacking what is left, for the hash of all of the text. 0 or -errno. */
int td_stream_read_rest(struct td_stream *s, struct td_err *err);

/* What a text may come to when it is unpacked, so that a few bytes do not fill a disk or a day. */
struct td_stream_limits {
	int64_t text_bytes, packed_bytes; /* so far, of others that count with it */
};

/* From now on the text ends where all of it is more than 2^40 bytes, or more than 256 MiB and 500 times what is
 * packed: td_stream_truncated() says so then. Plain text has no limit. */
void td_stream_limit(struct td_stream *s, const struct td_stream_limits *others);

/* Why compressed data ended before its time ("truncated gzip data after 123 bytes", "corrupt ..."),
 * NULL if it did not. Known at the end; lives as long as the stream. The bytes are those on disk.
 * What could be unpacked before the damage has been delivered: this is a finding, not an error. */
const char *td_stream_truncated(const struct td_stream *s);

/* XXH3-128 of the text, 32 hex digits as `zcat -f FILE | xxhsum -H2` prints them, so that a file and what it is
 * packed as have the same one; NULL before the end, and of packed text of which some was skipped. Lives as long as
 * the stream. */
const char *td_stream_hash(struct td_stream *s);

/* The same of the bytes as they lie on disk; NULL before the end. Takes the place of td_stream_hash(). */
const char *td_stream_disk_hash(struct td_stream *s);

/* Of the text, for whom a whole hash says too little (common/beginnings.h); NULL where there is no
 * td_stream_hash(), and of what was not read as a stream. Lives as long as the stream. */
const struct td_beginnings *td_stream_beginnings(const struct td_stream *s);

/* "plain", or as td_unpack_codec(). */
const char *td_stream_codec(const struct td_stream *s);

/* Bytes read from disk so far, and the size of the file, -1 if it has none (a pipe). */
int64_t td_stream_disk_bytes(const struct td_stream *s);
int64_t td_stream_disk_size(const struct td_stream *s);

/* Length of the unpacked text, at its end. */
int64_t td_stream_length(const struct td_stream *s);

/* Bytes of unpacked text read so far, some of which may not be delivered yet. */
int64_t td_stream_text_bytes(const struct td_stream *s);

/* Those of them that were delivered or consumed. */
int64_t td_stream_taken_bytes(const struct td_stream *s);
