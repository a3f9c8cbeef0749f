/* SPDX-License-Identifier: MIT */
/* Databases in the formats of other programs: a table of exporters, each of which reads the database and writes
 * what TARGET names. */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>

#include "common/err.h"
#include "common/options.h"
#include "common/strbuf.h"

struct td_export {
	sqlite3 *db; /* as td_db_open_ro() gives it */
	const char *target;
	bool force; /* replace what is there */
	const struct td_string_list *tables,
		*reports; /* csv, ndjson, sql: names of what to write */
	bool safe_csv; /* keep spreadsheets from taking text for formulas */
	const char *run_id; /* what to call the run where there are several; NULL: td_run_id() */
	struct td_strbuf notes; /* out: lines that say what was written, and what had no place */
};

struct td_exporter {
	const char *name; /* as in --to NAME=TARGET */
	const char *target; /* what TARGET is, for --help */
	const char *desc; /* one line */
	/* 0; -EEXIST; -ENODATA if there is nothing that has a place in the format; or -errno, with a text. What
	 * was there before is then there still. */
	int (*run)(const struct td_exporter *self, struct td_export *job, struct td_err *err);
	const void *how; /* the exporter's own */
};

/* One line per exporter, alphabetical; the table is in export.c. */
extern const struct td_exporter td_exporter_bpftrace;
extern const struct td_exporter td_exporter_bpftrace_split;
extern const struct td_exporter td_exporter_chrome;
extern const struct td_exporter td_exporter_csv;
extern const struct td_exporter td_exporter_ndjson;
extern const struct td_exporter td_exporter_parquet;
extern const struct td_exporter td_exporter_perfetto;
extern const struct td_exporter td_exporter_sql;
extern const struct td_exporter td_exporter_sqlite;

extern const struct td_exporter *const td_exporters[]; /* NULL-ended */

/* NULL if there is none of that name. */
const struct td_exporter *td_exporter_find(const char *name);
