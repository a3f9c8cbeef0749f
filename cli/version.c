/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <sqlite3.h>

#include "cli/version.h"
#include "collector/record_program.h"
#include "common/archive.h"
#include "schema/db.h"

void td_print_version(FILE *out)
{
	char recorder[PATH_MAX];
	struct td_err err;

	fprintf(out, "tracedb " TRACEDB_VERSION "\n");
	fprintf(out, "schema %d\n", TD_SCHEMA_VERSION);
	fprintf(out, "SQLite %s, %s\n", sqlite3_libversion(), td_archive_libraries());
	if (td_record_program(recorder, sizeof(recorder), &err) == 0)
		fprintf(out, "recorder %s\n", recorder);
	else
		fprintf(out, "no recorder: %s\n", err.msg);
}
