/* SPDX-License-Identifier: MIT */
/*
 * Names in the place of names: what a key makes of them is always the same, and nobody without the
 * key can tell of which, nor try names out. Keyed BLAKE2b-256 (RFC 7693) of libgcrypt, of which 64
 * bits become 16 letters, none of them a hexadecimal digit: nothing takes them for a number or a
 * hash.
 */
#pragma once

#include <stdbool.h>

#include "common/cleanup.h"
#include "common/err.h"
#include "common/scan.h"
#include "common/strbuf.h"

#define TD_REDACT_KEY_BYTES 32

struct td_names;

/* key: of TD_REDACT_KEY_BYTES, which is not needed afterwards. 0; -EOPNOTSUPP: the library cannot do it; or -ENOMEM. */
int td_names_new(const unsigned char *key, struct td_names **ret);
void td_names_free(struct td_names *n);
TD_DEFINE_CLEANUP(struct td_names *, td_names_free)

/* Reads a file of 16 to 4096 bytes, of which the key is the BLAKE2b-256; path NULL: a random key. 0
 * or -errno with a text. */
int td_redact_key(const char *path, unsigned char ret[TD_REDACT_KEY_BYTES], struct td_err *err);

/* Adds 16 letters. kind: what it is a name of; equal texts of two kinds have nothing in common. */
void td_name_word(struct td_names *n, char kind, struct td_str text, struct td_strbuf *ret);

/* A number that the key makes of one, 0 to 2^53 - 1. */
int64_t td_name_number(struct td_names *n, char kind, int64_t number);

/* Adds a path, whose components are names each by itself, but for those that every system has
 * ('usr', 'dev', 'nvidia0'; the list is in the .c file). templ: the same text with {} for what
 * varies, or more of it behind; { NULL }: digits vary. Endings that say what a file is stay, and
 * what reports know logs and checkpoints by:
 *     /data/case_00012_x.npy, /data/case_{}_x.npy -> /kgjhn.../mlqrs..._048209173316.npy
 *     /data/case_{}_x.npy,    /data/case_{}_x.npy -> /kgjhn.../mlqrs..._{}.npy */
void td_name_path(struct td_names *n, struct td_str path, struct td_str templ,
		  struct td_strbuf *ret);
