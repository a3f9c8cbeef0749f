/* SPDX-License-Identifier: MIT */
/* What calls are grouped by: from a call to a key, and from a key to what is shown of it. */
#pragma once

#include "analyzer/scan/source.h"
#include "analyzer/scan/request.h"
#include "common/err.h"
#include "common/keys.h"

/* Which key an id has. */
struct td_key_map {
	uint32_t *keys; /* owned; by id; 0: none */
	size_t n;
};

/* Texts that are keys, from 1. */
struct td_labels {
	char **items; /* owned */
	size_t n, cap;
};

struct td_dims {
	unsigned which; /* 1 << enum td_dim */
	unsigned of_files; /* those of them whose keys are of what is known of files */
	struct td_key_map maps[TD_NDIMS]; /* of those that are not the id itself */
	struct td_key_map
		waiting_ops; /* of TD_DIM_WAITS, whose map is of files: operations that wait, whatever for */
	struct td_labels labels[TD_NDIMS]; /* of those that are texts */
	uint64_t max[TD_NDIMS]; /* largest key */
	uint8_t shift[TD_NDIMS], width[TD_NDIMS]; /* bits in a td_key; from 64 on in hi */
	int64_t first_bin,
		bin_width_ns; /* first_bin * bin_width_ns is where the first one begins */
};

/* Reads what the keys mean. The time that bins can be of is that of all calls. 0, -EINVAL with a message where the run
 * has no bins or there are too many keys for td_key, or -errno. */
int td_dims_load(sqlite3 *db, const struct td_stat_request *req, struct td_dims *ret,
		 struct td_err *err);
void td_dims_done(struct td_dims *d);

/* Keys are below 2 to the power of it. */
unsigned td_dims_bits(const struct td_dims *d);

/* Whether rows on one file have the same key, since all of it follows from the file; of_any_verb: but for the verb. */
bool td_dims_are_of_files(const struct td_dims *d, bool of_any_verb);

/* Whether it is shown as a text, not as a number. */
bool td_dim_is_text(enum td_dim dim);

/* Whether a key of 0 is a value: TD_DIM_BIN, TD_DIM_NESTED, TD_DIM_WAITS. */
bool td_dim_has_zero(enum td_dim dim);

/* The column of the rows that has what is shown of it: an id; -1: it is no id. */
int td_dim_id_column(enum td_dim dim);

/* The greatest id that there is, of a dim whose keys are ids. 0, or -errno with a message. */
int td_dims_last_id(sqlite3 *db, enum td_dim dim, uint64_t *ret, struct td_err *err);

/* Columns of the rows that the keys are made of: 1 << enum td_row_column. */
unsigned td_dims_columns(unsigned which);

/* Keys of some rows of a batch. */
void td_dims_keys(const struct td_dims *d, const struct td_row_batch *b, const uint16_t *rows,
		  size_t n, struct td_key *ret);

/* One part of a key. 0 is NULL unless td_dim_has_zero(); texts are in labels, from 1. */
uint64_t td_dims_part(const struct td_dims *d, enum td_dim dim, struct td_key key);

/* The key without a part of it. */
struct td_key td_dims_without(const struct td_dims *d, enum td_dim dim, struct td_key key);

/* Fills a map from the rows (id, key) of a query, 'SELECT id, key'; text keys are numbered in
 * labels, which may be NULL for numbers. Ids that are not positive or above 2^31 are left out. 0 or
 * -errno. */
int td_key_map_load(sqlite3 *db, const char *sql, struct td_key_map *ret, struct td_labels *labels,
		    struct td_err *err);

/* The same from a statement, with its parameters bound. */
int td_key_map_fill(sqlite3_stmt *stmt, struct td_key_map *ret, struct td_labels *labels,
		    struct td_err *err);

/* Sets the key of one id; ids that are not positive or above 2^31 are left out. 0 or -ENOMEM. */
int td_key_map_add(struct td_key_map *m, int64_t id, uint32_t key);

static inline uint32_t td_key_map_get(const struct td_key_map *m, int64_t id)
{
	return id > 0 && (uint64_t)id < m->n ? m->keys[id] : 0;
}

void td_key_map_done(struct td_key_map *m);
void td_labels_done(struct td_labels *l);
