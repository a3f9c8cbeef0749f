/* SPDX-License-Identifier: MIT */
/* What was opened, read and written: a row for each file, or for each of what files are told by, with its name. */
#pragma once

#include "analyzer/scan/relation.h"
#include "analyzer/scan/stat.h"
#include "common/intern.h"

enum td_use_by {
	TD_USE_FILE,
	TD_USE_TEMPLATE,
	TD_USE_DIRECTORY,
	TD_USE_PROCESS,
	TD_USE_CLASS,
	TD_USE_NBY,
};

struct td_use_asked {
	enum td_use_by by;
	bool waited; /* what somebody waits on, too: pipes, sockets, eventfds, terminals */
	int64_t top; /* as of_top of io_stat; TD_NULL: all */
	sqlite3_value *given[TD_NPARAMS]; /* borrowed; which calls count; NULL: any */
};

enum { TD_USE_READ, TD_USE_WRITE, TD_USE_NMOVES };

/* Reads or writes. TD_NULL, NaN: unknown. */
struct td_use_moves {
	int64_t calls, bytes, p99_ns, p50_bytes_low;
	double p50_ns;
};

/* Numbers that can be unknown are TD_NULL then. */
struct td_use_row {
	int64_t key; /* id of what it is a row of; 0: it has none */
	uint32_t name, class, path_basis; /* of texts; 0: NULL */
	bool is_mixed; /* its files are of several classes */
	int64_t calls, errors, opens;
	int64_t total_ns; /* TD_NULL: of no call it is known; likewise the next two */
	int64_t sequential, random;
	int64_t done_bytes; /* of reads and writes */
	struct td_use_moves moves[TD_USE_NMOVES];
};

struct td_use_rows {
	struct td_use_row *items; /* owned; in no order */
	size_t n, cap;
	struct td_intern texts;
	int64_t all_total_ns, all_done_bytes; /* what rows are a share of; TD_NULL: unknown */
	struct td_key_map numbers; /* while they are found: of rows, from 1, by key */
	size_t without_key; /* likewise that of the row that has none; 0: there is no such row */
	bool is_top; /* not all are there */
};

/* 0, or -errno with a message. ret is for td_use_rows_done() in any case. */
int td_use_rows_find(sqlite3 *db, const struct td_use_asked *asked, struct td_use_rows *ret,
		     struct td_err *err);
void td_use_rows_done(struct td_use_rows *rows);
