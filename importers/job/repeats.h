/* SPDX-License-Identifier: MIT */
/*
 * Texts that are there twice, however they are packed: 'log' beside 'log.gz', or a copy of a log
 * that was taken while it grew, which is the beginning of what it became. Their rows must not count
 * twice. Texts that begin alike are compared:
 * byte by byte where the other one can be opened again, else (members of archives, sources of the
 * database that is appended to) by hashes: that of the whole if the shorter one came first, else
 * those of its beginnings (common/beginnings.h), which leave less than 64 bytes or 1/32 of the
 * shorter one uncompared.
 */
#pragma once

#include "common/stream.h"
#include "store/store.h"

/* What is kept of the begin of each text: more than tools print before what is different in each run. */
#define TD_REPEATS_HEAD ((size_t)4096)

enum td_repeat {
	TD_REPEAT_NONE,
	TD_REPEAT_SAME, /* the source has the same text */
	TD_REPEAT_BEGINNING, /* the source begins with this text and goes on */
	TD_REPEAT_CONTINUED, /* this text begins with that of the source and goes on */
};

struct td_repeat_of {
	enum td_repeat what;
	uint16_t source_id; /* if there is one */
	int64_t uncompared_bytes; /* at the end of the text: with TD_REPEAT_BEGINNING */
};

/* What can be read again from its begin. */
struct td_readable {
	const char *path; /* to open, or for messages */
	int fd; /* an open file; -1: by its path */
};

/* 0 or -errno with a text. */
int td_readable_open(const struct td_readable *from, struct td_stream **ret, struct td_err *err);

struct td_repeats;

/* Sources that are in the store already are those of the database that is appended to. st is borrowed.
 * 0 or -ENOMEM. */
int td_repeats_new(const struct td_store *st, struct td_repeats **ret);
void td_repeats_free(struct td_repeats *rp);
TD_DEFINE_CLEANUP(struct td_repeats *, td_repeats_free)

/* Could a source have something of the text that begins like this? If not, there is no need to look. 1, 0 or
 * -ENOMEM. */
int td_repeats_possible(const struct td_repeats *rp, const char *head, size_t len);

/* Compares a text that begins with head with the sources so far. 0 or -ENOMEM; what cannot be read repeats nothing. */
int td_repeats_find(const struct td_repeats *rp, const struct td_readable *text, const char *head,
		    size_t len, struct td_repeat_of *ret);

/* The same of the newest source of the store, whose text cannot be read again: what it is to
 * another one is told by hashes, and only afterwards. Never TD_REPEAT_CONTINUED. */
void td_repeats_find_newest(const struct td_repeats *rp, struct td_repeat_of *ret);

/* The newest source of the store is a text that begins with head, of so many bytes. path: to open it again, NULL if
 * that cannot be done. 0 or -ENOMEM. */
int td_repeats_add(struct td_repeats *rp, const char *head, size_t len, int64_t text_bytes,
		   const char *path);
