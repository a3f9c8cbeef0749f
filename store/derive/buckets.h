/* SPDX-License-Identifier: MIT */
/* Calls by how long they took and how much they transferred, with what else: bucket_stat. */
#pragma once

#include "store/store.h"
#include "store/write/row_steps.h"
#include "store/write/target.h"

struct td_buckets;

/* 0 or -ENOMEM; to be freed by td_buckets_free(). */
int td_buckets_new(struct td_buckets **ret);
void td_buckets_free(struct td_buckets *b);

/* 0 or -ENOMEM. */
int td_buckets_begin(struct td_buckets *b, struct td_store *st);

/* Adds a step that sees calls, nesting marked. */
void td_buckets_add_steps(struct td_buckets *b, struct td_row_work *to, unsigned after);

/* 0 or -errno. */
int td_buckets_write(const struct td_buckets *b, const struct td_target *target,
		     struct td_err *err);
